"""
`gamehost bridge`: a bot of another community plays at a host, in the bot's own protocol.

The bot reads standard input and writes standard output. A new process is started for each game. If a bot is late, ends, or
writes something that is not an answer, it loses its game: the bridge resigns at once, and prints the reason. After a lost
connection the bridge takes the seat back, and the bot does not notice this.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TextIO

from attrs import define, field, frozen
from msgspec import UNSET
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from gamehost._twisted import Timer, run_until_done
from gamehost.client.core import MESSAGES, ClientError, Heard, Lost, understood
from gamehost.client.twisted_client import Client
from gamehost.commands.command_line import number
from gamehost.entries import imported
from gamehost.extras.bots.command import add_password, endpoint, password_of, spoken
from gamehost.games.base import Cause, Game, Result, Seat
from gamehost.games.installed import installed, part
from gamehost.games.messages import BadAnswer, Bridge, Dialogue, Prompt
from gamehost.ops import escaped
from gamehost.ops.workers import NOT_RUN, Command, adopt_orphans, start_command
from gamehost.wires.framing import WireError
from gamehost.wires.open import messages as m

#: The longest line that a bot may write, in bytes.
LONGEST = 1_000
#: How many characters of a bot's answer are shown in a message.
_SHOWN = 60
#: How many seconds a bot has to end by itself after its game.
ENDS = 2.0
#: How often a bot may try again in one turn after an illegal move, with `--illegal=again`.
ASKED_AGAIN = 2
#: The seconds until the bridge asks the host again for events that it could not get.
AGAIN = 1.0
#: The bridge ends after so many seconds without a connection.
PATIENCE = 30.0


@define(eq=False)
class Bot(Command):
    """
    The process of a bot: writes lines to it, reads its answers, and limits the time of an answer.

    :param answer_time: how many seconds the bot has for an answer
    :param answered: called with the lines of an answer
    :param failed: called at most once, with the reason why the bot loses
    :param told_end: called when the process has ended
    """

    _answer_time: float
    _answered: Callable[[Sequence[str]], None]
    _failed: Callable[[str], None]
    _told_end: Callable[[], None]
    #: How many lines the answer must have, and the lines of it that have come.
    _wants: int = 0
    _answer: list[str] = field(factory=list)
    #: The beginning of a line.
    _unread: bytes = b""
    #: Whether the bot has written anything.
    _wrote: bool = False
    #: Whether the game is over for this bot. Nothing more is read then.
    _over: bool = False
    _timer: Timer = field(factory=Timer)

    def tell(self, prompt: Prompt) -> None:
        """
        Writes lines to the bot. If the bot must answer them, the time for its answer begins.

        :param prompt: the lines, and with how many lines the bot answers; 0: with none
        """
        # The game is over, or a fault of the bot was found.
        if self._over:
            return
        self._write(prompt.lines)
        if prompt.answers:
            self._wants, self._answer = prompt.answers, []
            self._timer.set(self._reactor, self._answer_time, self._late)

    def finish(self, lines: Sequence[str], patiently: bool = True) -> None:
        """
        Ends the bot after its game. Nothing more is read from it.

        :param lines: the last lines for the bot
        :param patiently: whether the bot has time to end by itself
        """
        self._over = True
        self._timer.stop()
        # The process was not started, or has ended.
        if self.transport is None or self.transport.pid is None:
            return
        self._write(lines)
        # Most bots end when their input ends.
        self.transport.closeStdin()
        if patiently:
            self._timer.set(self._reactor, ENDS, self.kill)
        else:
            self.kill()

    def kill(self) -> None:
        """Ends the process of the bot at once."""
        self._over = True
        self._timer.stop()
        super().kill()

    def _write(self, lines: Sequence[str]) -> None:
        if self.transport is not None and lines:
            self.transport.write("".join(f"{line}\n" for line in lines).encode("utf-8"))

    def _fail(self, reason: str) -> None:
        """Reports a fault of the bot, once."""
        if not self._over:
            self._over = True
            self._timer.stop()
            self._failed(reason)

    def _late(self) -> None:
        """Called when the time for an answer is over. The reason says how much of the answer has come."""
        within = f"within {self._answer_time:g} s"
        # In its whole life: probably the output waits in a buffer.
        if not self._wrote:
            self._fail(f"wrote nothing {within}; are its streams unbuffered?")
        elif self._unread.strip():
            self._fail(f"did not end its line {within}")
        elif self._answer:
            self._fail(f"wrote {len(self._answer)} of {self._wants} lines {within}")
        else:
            self._fail(f"wrote no answer {within}")

    def outReceived(self, data: bytes) -> None:
        """Called with bytes of the bot: collects lines until the answer is complete. Empty lines are ignored."""
        if self._over:
            return
        self._wrote = True
        *lines, self._unread = (self._unread + data).split(b"\n")
        if max(map(len, (*lines, self._unread))) > LONGEST:
            self._fail(f"wrote a line of more than {LONGEST} bytes")
            return
        texts = [text for line in lines if (text := line.decode("utf-8", "replace").strip())]
        # How many lines the bot may still write; 0: it was not asked.
        room = self._wants - len(self._answer)
        if len(texts) > room:
            self._fail(f"wrote {shown(texts[room])} without being asked")
            return
        self._answer += texts
        # The answer is complete.
        if texts and len(texts) == room:
            answer, self._answer, self._wants = self._answer, [], 0
            self._timer.stop()
            self._answered(answer)

    def over(self) -> None:
        """Called when the process has ended. During a game this is a fault."""
        assert self.status is not None
        how = f"with status {self.status}" if self.status >= 0 else f"by signal {-self.status}"
        # `_fail` does nothing if the game is over.
        self._fail("could not be run" if self.status in NOT_RUN else f"ended {how}")
        self._timer.stop()
        self._told_end()


def shown(text: str) -> str:
    """Returns text that a bot has written as it is shown to people: in quotation marks, and not too long."""
    return f"'{escaped(text if len(text) <= _SHOWN else text[:_SHOWN] + '...')}'"


@frozen
class Terms:
    """The options of a bridge: what it plays, with which bot, and how."""

    game: Game[Any, Any]
    bridge: Bridge
    #: The command of the bot.
    command: Sequence[str]
    #: How many games are played, one after the other.
    games: int = 1
    #: How many seconds the bot has for an answer.
    answer_time: float = 2.0
    #: Whether the bot may try again after an illegal move.
    again: bool = False
    #: The settings of the table that the bridge asks for.
    settings: Mapping[str, str] = {}


@define(eq=False)
class _Seat:
    """The bot's seat in the current match."""

    table: int
    names: Sequence[str]
    number: Seat
    #: The conversation with the bot, in its own protocol.
    dialogue: Dialogue
    #: The number of the entry of the last event that the dialogue has received, and how many events of this entry it has
    #: received.
    heard: tuple[int, int] = (0, 0)
    #: Whether the connection was lost, and the events since then are still missing.
    behind: bool = False
    #: The number of the entry up to which the host was asked for missing events; `None`: it was not asked yet.
    back: int | None = None
    #: The events that have come since then. They wait for the missing ones.
    later: list[m.Event] = field(factory=list)
    #: The bot's action that the host has not judged yet, and the id with which it was sent.
    action: str | None = None
    said: int | None = None
    #: How many moves of the bot were refused in this turn.
    refusals: int = 0
    #: Why the bot has ended after its answer. This is no fault if the answer was its last one.
    ended: str | None = None
    #: Whether the bridge has resigned, and whether it has sent this to the host on the current connection.
    resigned: bool = False
    left: bool = False


@define(eq=False)
class BridgeRun:
    """
    Plays all games of a bridge: starts a bot for each game, and passes messages between the bot and the host.

    :param connect: makes the client, which logs in under the name of the bot
    :param out: prints how each game has ended
    :param err: prints faults
    """

    _reactor: Any
    _terms: Terms
    _connect: Callable[[], Client]
    _out: Callable[[str], object]
    _err: Callable[[str], object]
    _client: Client | None = None
    _bot: Bot | None = None
    #: How many games have ended.
    _over_games: int = 0
    _seat: _Seat | None = None
    #: Whether the bridge has ever logged in.
    _entered: bool = False
    #: A table at which the name still has a seat from an earlier program.
    _foreign: int | None = None
    #: How many messages the host will refuse because they were sent before the end of a match was known.
    _crossed: int = 0
    #: The timers, by their purpose.
    _timers: defaultdict[str, Timer] = field(factory=lambda: defaultdict(Timer))
    #: Whether the bots have played all games to the end, without a fault of their own.
    sound: bool = True
    #: Fires at the end: with `None`, or with the reason why the bridge cannot continue.
    done: Deferred[str | None] = field(factory=Deferred)

    def start(self) -> Deferred[str | None]:
        """Starts the first bot, and connects to the host. Returns `done`."""
        self._start_bot()
        self._client = self._connect()
        listening = Deferred.fromCoroutine(self._listen(self._client))
        listening.addErrback(self._cannot_listen)
        return self.done

    def stop(self) -> None:
        """Ends the bot, because the bridge ends."""
        if self._bot is not None:
            self._bot.kill()

    async def _listen(self, client: Client) -> None:
        async for message in client:
            self._hear(message)

    def _cannot_listen(self, failure: Failure) -> None:
        """
        Called when the connection has ended by an exception: the host speaks another protocol, or the bridge itself has
        a fault.
        """
        wrong = failure.check(WireError) is not None
        self._end(
            f"what came is not the open wire: {failure.value}" if wrong else f"fault of the bridge: {failure.value!r}"
        )

    def _end(self, reason: str | None) -> None:
        """
        Ends the bridge, and reports the end.

        :param reason: why the bridge cannot continue; `None`: all games were played
        """
        if self.done.called:
            return
        self.stop()
        for timer in self._timers.values():
            timer.stop()
        if self._client is not None:
            self._client.close()
        self.done.callback(reason)

    # -- the bot

    def _start_bot(self) -> None:
        """Starts the process of a bot for the next game."""
        bot = Bot(self._reactor, self._terms.answer_time, self._answered, self._failed, self._bot_ended)
        self._bot = bot
        # The bot's standard error is that of the bridge, for its user.
        start_command(self._reactor, bot, self._terms.command, childFDs={0: "w", 1: "r", 2: 2})

    def _answered(self, lines: Sequence[str]) -> None:
        """Called with an answer of the bot: reads the action, and sends it to the host."""
        seat = self._seat
        # The match has ended meanwhile.
        if seat is None:
            return
        try:
            action = seat.dialogue.answer(lines)
        except BadAnswer as error:
            self._resign(f"{error}; it wrote {shown(' / '.join(lines))}", patiently=True)
            return
        except Exception as error:  # a bridge of another package may raise anything
            self._end(f"fault of the bridge: {error!r}")
            return
        # The bot has surrendered in its own protocol.
        if action is None:
            self._leave(seat)
            return
        try:
            # A game may have no notation for an action that cannot be legal.
            seat.action = self._terms.game.write(action).decode("utf-8")
        except (ValueError, OverflowError) as error:
            self._refused(seat, str(error))
            return
        self._act(seat)

    def _failed(self, reason: str) -> None:
        """Called with a fault of the bot: resigns its game."""
        seat = self._seat
        if seat is None:
            self._end(f"the bot {reason} before its game had begun")
        # It has ended after an answer that may win the game, so the host judges the answer first.
        elif seat.action is not None and self._bot is not None and self._bot.status is not None:
            seat.ended = f"the bot {reason}"
        else:
            self._resign(f"the bot {reason}", False)

    def _bot_ended(self) -> None:
        self._bot = None
        self._next()

    # -- what is said to the host

    def _act(self, seat: _Seat) -> None:
        """Sends the bot's action to the host. While the connection is lost, the action is stored."""
        seat.said = None
        # `behind`: events are still missing since the connection was lost.
        if self._client is not None and seat.action is not None and not seat.behind:
            with suppress(ClientError):
                seat.said = self._client.act(seat.action)

    def _resign(self, reason: str, patiently: bool) -> None:
        """
        Resigns the game for a fault of the bot, and prints the reason.

        :param patiently: whether the bot has time to end by itself
        """
        seat, self.sound = self._seat, False
        assert seat is not None
        self._err(f"{seat.names[seat.number]} has resigned: {reason}")
        self._leave(seat, patiently)

    def _leave(self, seat: _Seat, patiently: bool = True) -> None:
        """Gives up the match: ends the bot, and tells the host as soon as there is a connection."""
        seat.resigned, seat.action = True, None
        # The host has not said the result yet, but the bot must know it now: all others have won.
        others = tuple(Seat(one) for one in range(len(seat.names)) if one != seat.number)
        if self._bot is not None:
            self._bot.finish(seat.dialogue.over(Result(others, Cause.LEFT, "")), patiently)
        # Otherwise `_catch_up` does this.
        if not seat.behind:
            seat.left = self._say(m.Leave())

    def _say(self, message: m.ClientMessage) -> bool:
        """Sends a message to the host. Returns whether it was sent."""
        with suppress(ClientError):
            if self._client is not None:
                self._client.say(message)
                return True
        return False

    def _seek(self) -> None:
        self._say(m.Seek(self._terms.game.name, settings={**self._terms.settings}))

    def _next(self) -> None:
        """
        Begins the next game, or ends the bridge if all games were played. Does nothing as long as a match is played or
        its bot has not ended: the end of each calls this method.
        """
        if self._seat is not None or self._bot is not None or self.done.called:
            return
        if self._over_games == self._terms.games:
            self._end(None)
            return
        self._start_bot()
        self._seek()

    # -- what the host says

    def _hear(self, message: Heard) -> None:
        """Reacts to a message of the host that is about the connection or the seat. Others go to `_hear_at`."""
        if self.done.called:
            return
        seat = self._seat
        match message:
            case Lost(why, again):
                self._lost(why, again)
            case m.Entered(table=table):
                self._enter(table if isinstance(table, int) else None)
            # This answers a message that was sent before the end of a match was known.
            case m.Sorry() if self._crossed:
                self._crossed -= 1
            case m.Sorry(why) if seat is None:
                self._end(f"the host says: {why}")
            # The host cannot give the missing events now: ask again.
            case m.Sorry() if seat is not None and seat.behind:
                self._timers["ask"].set(self._reactor, AGAIN, self._ask, seat)
            # The host has ended the search for opponents by itself.
            case m.Stopped(why) if seat is None and why is not UNSET:
                self._seek()
            case m.Seated():
                self._sit_down(message)
            # The match of an earlier program is over, so this one may seek.
            case m.Over() if message.table == self._foreign:
                self._foreign = None
                self._seek()
            case _ if seat is not None and getattr(message, "table", seat.table) == seat.table:
                self._hear_at(seat, message)

    def _lost(self, why: str, again: float | None) -> None:
        """
        Called when the connection is lost.

        :param again: the seconds until the client connects again; `None`: it does not
        """
        if again is None or not self._entered:
            self._end(f"no connection to the host: {why}")
            return
        self._err(f"the connection is lost: {why}; trying again")
        # The timer runs already if the connection was lost before and no log-in has followed.
        if not (patience := self._timers["patience"]):
            patience.set(self._reactor, PATIENCE, self._end, f"no connection to the host for {PATIENCE:g} s")
        self._crossed = 0
        if self._seat is not None:
            # Events are missing from now on, and `leave` must be sent again on the next connection.
            self._seat.behind = True
            self._seat.back = None
            self._seat.left = False

    def _enter(self, table: int | None) -> None:
        """
        Called when the bridge has logged in.

        :param table: the table at which the name has a seat; `None`: it has none
        """
        self._timers["patience"].stop()
        # Later log-ins follow a lost connection.
        first, self._entered = not self._entered, True
        seat = self._seat
        # The match has ended while there was no connection.
        if seat is not None and seat.table != table:
            self._over(seat, None)
        elif seat is None and table is not None:
            self._foreign = table
        # After a lost connection without a match, the client itself sends the earlier search again.
        elif first or self._foreign is not None:
            self._foreign = None
            self._seek()

    def _sit_down(self, message: m.Seated) -> None:
        """Called when the name has a seat: begins the dialogue with the bot. A seat of an earlier program is given up."""
        if message.table == self._foreign:
            self._err("the name still had a seat in an earlier match, which is given up")
            self._say(m.Leave())
        elif self._seat is None and self._bot is not None:
            number = Seat(message.seat)
            dialogue = self._terms.bridge.dialogue(number, message.names)
            self._seat = _Seat(message.table, message.names, number, dialogue)
            self._bot.tell(dialogue.begin())

    def _hear_at(self, seat: _Seat, message: Heard) -> None:
        """Reacts to a message of the host about the match of the bot."""
        match message:
            # Missing events must come first.
            case m.Event() if seat.behind:
                seat.later.append(message)
            case m.Event(_, n, event):
                self._event(seat, n, event)
            # The name has its seat back. `n` is the number of the last entry.
            case m.Back(_, n, number, view) if number == seat.number and view is not UNSET:
                seat.back, seat.later = n, []
                self._ask(seat)
            case m.History(_, n, events) if n == seat.back:
                self._catch_up(seat, events)
            # It answers the action that was sent last.
            case m.Refused(why, said) if said == seat.said:
                self._refused(seat, why)
            case m.Over(_, _, winners, cause, why):
                self._over(seat, Result(tuple(map(Seat, winners)), _cause(cause), why))
            case m.Suspended():
                self._over(seat, None)

    def _ask(self, seat: _Seat) -> None:
        """Asks the host for the events that were missed while the connection was lost."""
        if seat is self._seat and seat.back is not None:
            self._say(m.AskHistory(seat.table, seat.back))

    def _catch_up(self, seat: _Seat, events: Sequence[m.Numbered]) -> None:
        """
        Passes missed events to the bot. Then sends the bot's action to the host again, if the host has not received it.

        :param events: the events that the host has sent again
        """
        later, seat.later = seat.later, []
        seat.behind = False
        seat.back = None
        # Its bot needs no more events, and the host has to know.
        if seat.resigned:
            seat.left = self._say(m.Leave())
            return
        # Skip the events that the dialogue has received already.
        entry, known = seat.heard
        for one in events:
            # The dialogue has received some events of this entry.
            if one.n == entry and known:
                known -= self._hears(one.event) is not None
            elif one.n >= entry:
                self._event(seat, one.n, one.event)
        for event in later:
            self._event(seat, event.n, event.event)
        self._act(seat)

    def _hears(self, told: Any) -> Any:
        """Reads an event for the dialogue; `None`: the dialogue does not receive such events."""
        event = understood(self._terms.game.name, told)
        return event if isinstance(event, self._terms.bridge.hears) else None

    def _event(self, seat: _Seat, n: int, told: Any) -> None:
        """
        Passes an event to the dialogue, and its prompt to the bot.

        :param n: the number of the event's entry
        """
        event = self._hears(told)
        # The dialogue needs no such event.
        if event is None:
            return
        entry, known = seat.heard
        seat.heard = (n, known + 1 if n == entry else 1)
        # The bot's own action was accepted.
        if getattr(event, "seat", None) == seat.number:
            seat.action = None
            seat.said = None
            seat.refusals = 0
        if seat.resigned:
            return
        prompt = seat.dialogue.hear(event)
        if self._bot is not None:
            self._bot.tell(prompt)
        # The bot has ended, and its answer did not end the match.
        elif prompt.answers:
            self._resign(seat.ended or "the bot has ended", False)

    def _refused(self, seat: _Seat, why: str) -> None:
        """Called when an action of the bot is illegal. The bot may try again, or loses."""
        seat.action = seat.said = None
        seat.refusals += 1
        again = self._terms.again and seat.refusals <= ASKED_AGAIN and self._bot is not None
        prompt = seat.dialogue.illegal(again)
        if self._bot is not None:
            self._bot.tell(prompt)
        # The bot may not try again, or its protocol has no message for this.
        if not again or not prompt.answers:
            self._resign(f"illegal: {why}", True)

    def _over(self, seat: _Seat, result: Result | None) -> None:
        """
        Called when the match is over: ends the bot, prints the result, and begins the next game when the bot has ended.

        :param result: `None`: the result is not known
        """
        self._seat = None
        self._over_games += 1
        # The match has ended in another way before the host received `leave`, so the host will refuse `leave`.
        if seat.left and result is not None and (result.cause is not Cause.LEFT or seat.number in result.winners):
            self._crossed += 1
        if self._bot is not None and not seat.resigned:
            self._bot.finish(seat.dialogue.over(result))
        self._out("the match has ended, and the host does not say how" if result is None else result.words(seat.names))
        self._next()


def _cause(name: str) -> Cause:
    """
    Returns the cause of a result by its name.

    :raises WireError: there is no such cause
    """
    try:
        return Cause(name)
    except ValueError:
        raise WireError("over names a cause that there is not") from None


# The command


#: The bridges to this package's games. Another package has its bridges in the folder of its game, in `bridge.py`.
OWN: Mapping[str, Callable[[], Sequence[Bridge]]] = {
    "paper-soccer": imported("gamehost.extras.bots.bridges.paper_soccer:BRIDGES"),
    "stratego": imported("gamehost.extras.bots.bridges.stratego:BRIDGES"),
}


def bridges() -> Mapping[str, tuple[Game[Any, Any], Bridge]]:
    """Returns all installed bridges by name, each with its game."""
    found: dict[str, tuple[Game[Any, Any], Bridge]] = {}
    for name, game in installed().games.items():
        # Bridges play on the open wire, which needs messages of the game.
        if name in MESSAGES:
            for bridge in OWN.get(name, tuple)() or part(game, "bridge", "BRIDGES") or ():
                # The first bridge with a name counts.
                found.setdefault(bridge.name, (game, bridge))
    return found


def main(
    argv: Sequence[str], wires: Sequence[Any], reactor: Any, out: TextIO = sys.stdout, err: TextIO = sys.stderr
) -> int:
    """
    Runs `gamehost bridge`.

    :param argv: the words after `gamehost bridge`
    :param wires: not used: a bridge plays on the open wire
    :returns: the exit status: 1 if a game was resigned for a fault of its bot, or the bridge could not continue
    :raises SystemExit: the arguments are wrong, or ask for help
    """
    words = parsed(argv)
    game, bridge = bridges()[words.bridge]
    answer_time = bridge.answer_time if words.answer_time is None else words.answer_time
    again, settings = words.illegal == "again", dict(words.set or ())
    terms = Terms(
        game, bridge, words.command, games=words.games, answer_time=answer_time, again=again, settings=settings
    )
    password = password_of(words)
    login = m.LogIn(words.name, password) if password else m.Enter(words.name)
    run = BridgeRun(
        reactor,
        terms,
        connect=lambda: Client(reactor, words.to, login),
        out=lambda line: print(escaped(line), file=out, flush=True),
        err=lambda line: print(f"gamehost bridge: {escaped(line)}", file=err, flush=True),
    )
    # Processes that a bot leaves behind become children of this process, which can end them.
    adopt_orphans()
    reactor.addSystemEventTrigger("before", "shutdown", run.stop)
    reason = run_until_done(reactor, run.start, "interrupted")
    if reason is not None:
        print(f"gamehost bridge: {escaped(reason)}", file=err)
    return 0 if reason is None and run.sound else 1


def parser() -> argparse.ArgumentParser:
    """Makes the parser of the command line."""
    names = sorted(bridges())
    made = argparse.ArgumentParser(
        "gamehost bridge",
        usage="gamehost bridge BRIDGE --to HOST:PORT --name NAME [options] -- COMMAND ...",
        description="A bot of another community plays at a host, in the protocol that it knows.",
    )
    made.add_argument("bridge", choices=names, metavar="BRIDGE", help=", ".join(names))
    made.add_argument("--to", required=True, type=endpoint, metavar="HOST:PORT", help="the open wire of the host")
    made.add_argument("--name", required=True, type=spoken, help="the name to log in under")
    add_password(made, "if the name is an account")
    made.add_argument(
        "--games", default=1, type=number, metavar="NUMBER", help="how many games, one after the other (1)"
    )
    made.add_argument("--answer-time", type=_seconds, metavar="S", help="seconds for an answer (2)")
    made.add_argument("--illegal", choices=("lose", "again"), default="lose", help="after an illegal move (lose)")
    made.add_argument(
        "--set", action="append", type=_setting, metavar="NAME=VALUE", help="a setting of the table; repeatable"
    )
    return made


def parsed(argv: Sequence[str]) -> argparse.Namespace:
    """
    Parses the command line. The words after `--` are the bot's command.

    :raises SystemExit: the arguments are wrong, or ask for help
    """
    made = parser()
    given = list(argv)
    at = given.index("--") if "--" in given else len(given)
    words = made.parse_args(given[:at])
    words.command = given[at + 1 :]
    if not words.command:
        made.error("expected the bot's command after --")
    if words.illegal == "again" and not bridges()[words.bridge][1].asks_again:
        made.error(f"{words.bridge} has no message for an illegal move: expected --illegal=lose")
    return words


def _seconds(text: str) -> float:
    """
    Reads an argument of the command: a number of seconds, at most a day.

    :raises ArgumentTypeError: it is something else
    """
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 86_400:
        raise argparse.ArgumentTypeError("expected a number of seconds above 0")
    return seconds


def _setting(text: str) -> tuple[str, str]:
    """
    Reads an argument of the command: the name and the value of a setting.

    :raises ArgumentTypeError: it is something else
    """
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError("expected NAME=VALUE, such as two_squares=0")
    return name, value
