"""
`gamehost bridge`: a bot of another community plays at a host, in the protocol that it knows.

The bot reads standard input and writes standard output. It is started anew for each game. A bot that is late, ends, or writes
something that is no answer loses its game: the bridge resigns at once, and prints the reason. After a lost
connection the bridge takes the seat back, and the bot does not notice.
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
#: So many characters of what a bot has written are shown.
_SHOWN = 60
#: Seconds for a bot to end after its game.
ENDS = 2.0
#: So often a bot is asked once more in one turn.
ASKED_AGAIN = 2
#: Seconds until the host is asked again for what it did not tell.
AGAIN = 1.0
#: Seconds without a connection after which the bridge ends.
PATIENCE = 30.0


@define(eq=False)
class Bot(Command):
    """
    A bot: its pipes, and the time in which it has to answer.

    :param answered: called with the lines of an answer
    :param failed: called at most once, with the reason
    :param told_end: called when its process has ended
    """

    _answer_time: float
    _answered: Callable[[Sequence[str]], None]
    _failed: Callable[[str], None]
    _told_end: Callable[[], None]
    #: How many lines are awaited, and those that have come.
    _wants: int = 0
    _answer: list[str] = field(factory=list)
    _unread: bytes = b""
    _wrote: bool = False
    _over: bool = False
    _timer: Timer = field(factory=Timer)

    def tell(self, prompt: Prompt) -> None:
        """Write lines, and await the answer if there has to be one."""
        if self._over:
            return
        self._write(prompt.lines)
        if prompt.answers:
            self._wants, self._answer = prompt.answers, []
            self._timer.set(self._reactor, self._answer_time, self._late)

    def finish(self, lines: Sequence[str], patiently: bool = True) -> None:
        """
        The game is over. Nothing more is read from the bot.

        :param lines: the last ones
        :param patiently: whether it has time to end by itself
        """
        self._over = True
        self._timer.stop()
        if self.transport is None or self.transport.pid is None:
            return
        self._write(lines)
        self.transport.closeStdin()
        if patiently:
            self._timer.set(self._reactor, ENDS, self.kill)
        else:
            self.kill()

    def kill(self) -> None:
        self._over = True
        self._timer.stop()
        super().kill()

    def _write(self, lines: Sequence[str]) -> None:
        if self.transport is not None and lines:
            self.transport.write("".join(f"{line}\n" for line in lines).encode("utf-8"))

    def _fail(self, reason: str) -> None:
        if not self._over:
            self._over = True
            self._timer.stop()
            self._failed(reason)

    def _late(self) -> None:
        within = f"within {self._answer_time:g} s"
        if not self._wrote:
            self._fail(f"wrote nothing {within}; are its streams unbuffered?")
        elif self._unread.strip():
            self._fail(f"did not end its line {within}")
        elif self._answer:
            self._fail(f"wrote {len(self._answer)} of {self._wants} lines {within}")
        else:
            self._fail(f"wrote no answer {within}")

    def outReceived(self, data: bytes) -> None:
        if self._over:
            return
        self._wrote = True
        *lines, self._unread = (self._unread + data).split(b"\n")
        if max(map(len, (*lines, self._unread))) > LONGEST:
            self._fail(f"wrote a line of more than {LONGEST} bytes")
            return
        texts = [text for line in lines if (text := line.decode("utf-8", "replace").strip())]
        room = self._wants - len(self._answer)
        if len(texts) > room:
            self._fail(f"wrote {shown(texts[room])} without being asked")
            return
        self._answer += texts
        if texts and len(texts) == room:
            answer, self._answer, self._wants = self._answer, [], 0
            self._timer.stop()
            self._answered(answer)

    def over(self) -> None:
        assert self.status is not None
        how = f"with status {self.status}" if self.status >= 0 else f"by signal {-self.status}"
        self._fail("could not be run" if self.status in NOT_RUN else f"ended {how}")
        self._timer.stop()
        self._told_end()


def shown(text: str) -> str:
    """What a bot has written, for people."""
    return f"'{escaped(text if len(text) <= _SHOWN else text[:_SHOWN] + '...')}'"


@frozen
class Terms:
    """How a bridge plays."""

    game: Game[Any, Any]
    bridge: Bridge
    command: Sequence[str]
    games: int = 1
    answer_time: float = 2.0
    #: Whether an illegal move is told to the bot, which is then asked again.
    again: bool = False
    #: What is asked of a table.
    settings: Mapping[str, str] = {}


@define(eq=False)
class _Seat:
    """The bot's seat in a match that goes on."""

    table: int
    names: Sequence[str]
    number: Seat
    dialogue: Dialogue
    #: The entry of the last event that the dialogue has heard, and how many of this entry it has heard.
    heard: tuple[int, int] = (0, 0)
    #: Whether the connection was lost, and it is not known yet what happened meanwhile; the entry up to which the host was
    #: asked; and what it has told since then.
    behind: bool = False
    back: int | None = None
    later: list[m.Event] = field(factory=list)
    #: What the bot does, until the host has judged it, and the id with which it was said.
    action: str | None = None
    said: int | None = None
    #: How often the bot was asked again in this turn.
    refusals: int = 0
    #: Why the bot has ended, which was after an answer that may have been its last one.
    ended: str | None = None
    #: Whether the match is given up, and whether the host was told so on this connection.
    resigned: bool = False
    left: bool = False


@define(eq=False)
class BridgeRun:
    """
    All games of a bridge.

    :param connect: makes the client, which has a name
    :param out: is told how each game has ended
    :param err: is told what went wrong
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
    _entered: bool = False
    #: A table at which the name has a seat that no bot of this bridge has played at.
    _foreign: int | None = None
    #: The host will refuse so many messages that have crossed the end of a match.
    _crossed: int = 0
    #: By what they are for.
    _timers: defaultdict[str, Timer] = field(factory=lambda: defaultdict(Timer))
    #: Whether every game was played to its end by its bot.
    sound: bool = True
    #: Fires at the end: with `None`, or with the reason why the bridge cannot go on.
    done: Deferred[str | None] = field(factory=Deferred)

    def start(self) -> Deferred[str | None]:
        """Returns `done`."""
        self._start_bot()
        self._client = self._connect()
        listening = Deferred.fromCoroutine(self._listen(self._client))
        listening.addErrback(self._cannot_listen)
        return self.done

    def stop(self) -> None:
        if self._bot is not None:
            self._bot.kill()

    async def _listen(self, client: Client) -> None:
        async for message in client:
            self._hear(message)

    def _cannot_listen(self, failure: Failure) -> None:
        wrong = failure.check(WireError) is not None
        self._end(
            f"what came is not the open wire: {failure.value}" if wrong else f"fault of the bridge: {failure.value!r}"
        )

    def _end(self, reason: str | None) -> None:
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
        bot = Bot(self._reactor, self._terms.answer_time, self._answered, self._failed, self._bot_ended)
        self._bot = bot
        # What it writes to standard error is for the user of the bridge.
        start_command(self._reactor, bot, self._terms.command, childFDs={0: "w", 1: "r", 2: 2})

    def _answered(self, lines: Sequence[str]) -> None:
        seat = self._seat
        if seat is None:
            return
        try:
            action = seat.dialogue.answer(lines)
        except BadAnswer as error:
            self._resign(f"{error}; it wrote {shown(' / '.join(lines))}", True)
            return
        except Exception as error:  # a bridge of another package may raise anything
            self._end(f"fault of the bridge: {error!r}")
            return
        if action is None:
            self._leave(seat)
            return
        try:
            seat.action = self._terms.game.write(action).decode("utf-8")
        except (ValueError, OverflowError) as error:
            self._refused(seat, str(error))
            return
        self._act(seat)

    def _failed(self, reason: str) -> None:
        seat = self._seat
        if seat is None:
            self._end(f"the bot {reason} before its game had begun")
        elif seat.action is not None and self._bot is not None and self._bot.status is not None:
            seat.ended = f"the bot {reason}"
        else:
            self._resign(f"the bot {reason}", False)

    def _bot_ended(self) -> None:
        self._bot = None
        self._next()

    # -- what is said to the host

    def _act(self, seat: _Seat) -> None:
        """Say what the bot does. While the connection is lost it waits until the bridge is back."""
        seat.said = None
        if self._client is not None and seat.action is not None and not seat.behind:
            with suppress(ClientError):
                seat.said = self._client.act(seat.action)

    def _resign(self, reason: str, patiently: bool) -> None:
        seat, self.sound = self._seat, False
        assert seat is not None
        self._err(f"{seat.names[seat.number]} has resigned: {reason}")
        self._leave(seat, patiently)

    def _leave(self, seat: _Seat, patiently: bool = True) -> None:
        seat.resigned, seat.action = True, None
        others = tuple(Seat(one) for one in range(len(seat.names)) if one != seat.number)
        if self._bot is not None:
            self._bot.finish(seat.dialogue.over(Result(others, Cause.LEFT, "")), patiently)
        if not seat.behind:
            seat.left = self._say(m.Leave())

    def _say(self, message: m.ClientMessage) -> bool:
        with suppress(ClientError):
            if self._client is not None:
                self._client.say(message)
                return True
        return False

    def _seek(self) -> None:
        self._say(m.Seek(self._terms.game.name, settings={**self._terms.settings}))

    def _next(self) -> None:
        """Begin the next game, when the match is over and its bot has ended."""
        if self._seat is not None or self._bot is not None or self.done.called:
            return
        if self._over_games == self._terms.games:
            self._end(None)
            return
        self._start_bot()
        self._seek()

    # -- what the host says

    def _hear(self, message: Heard) -> None:
        if self.done.called:
            return
        seat = self._seat
        match message:
            case Lost(why, again):
                self._lost(why, again)
            case m.Entered(table=table):
                self._enter(table if isinstance(table, int) else None)
            case m.Sorry() if self._crossed:
                self._crossed -= 1
            case m.Sorry(why) if seat is None:
                self._end(f"the host says: {why}")
            case m.Sorry() if seat is not None and seat.behind:
                self._timers["ask"].set(self._reactor, AGAIN, self._ask, seat)
            case m.Stopped(why) if seat is None and why is not UNSET:
                self._seek()
            case m.Seated():
                self._sit_down(message)
            case m.Over() if message.table == self._foreign:
                self._foreign = None
                self._seek()
            case _ if seat is not None and getattr(message, "table", seat.table) == seat.table:
                self._hear_at(seat, message)

    def _lost(self, why: str, again: float | None) -> None:
        if again is None or not self._entered:
            self._end(f"no connection to the host: {why}")
            return
        self._err(f"the connection is lost: {why}; trying again")
        if not (patience := self._timers["patience"]):
            patience.set(self._reactor, PATIENCE, self._end, f"no connection to the host for {PATIENCE:g} s")
        self._crossed = 0
        if self._seat is not None:
            self._seat.behind, self._seat.back, self._seat.left = True, None, False

    def _enter(self, table: int | None) -> None:
        self._timers["patience"].stop()
        first, self._entered = not self._entered, True
        seat = self._seat
        if seat is not None and seat.table != table:
            self._over(seat, None)
        elif seat is None and table is not None:
            self._foreign = table
        elif first or self._foreign is not None:
            self._foreign = None
            self._seek()

    def _sit_down(self, message: m.Seated) -> None:
        if message.table == self._foreign:
            self._err("the name still had a seat in an earlier match, which is given up")
            self._say(m.Leave())
        elif self._seat is None and self._bot is not None:
            number = Seat(message.seat)
            dialogue = self._terms.bridge.dialogue(number, message.names)
            self._seat = _Seat(message.table, message.names, number, dialogue)
            self._bot.tell(dialogue.begin())

    def _hear_at(self, seat: _Seat, message: Heard) -> None:
        match message:
            case m.Event() if seat.behind:
                seat.later.append(message)
            case m.Event(_, n, event):
                self._event(seat, n, event)
            case m.Back(_, n, number, view) if number == seat.number and view is not UNSET:
                seat.back, seat.later = n, []
                self._ask(seat)
            case m.History(_, n, events) if n == seat.back:
                self._catch_up(seat, events)
            case m.Refused(why, said) if said == seat.said:
                self._refused(seat, why)
            case m.Over(_, _, winners, cause, why):
                self._over(seat, Result(tuple(map(Seat, winners)), _cause(cause), why))
            case m.Suspended():
                self._over(seat, None)

    def _ask(self, seat: _Seat) -> None:
        """Ask what has happened while the connection was lost."""
        if seat is self._seat and seat.back is not None:
            self._say(m.AskHistory(seat.table, seat.back))

    def _catch_up(self, seat: _Seat, events: Sequence[m.Numbered]) -> None:
        """Send the bot the events that it has missed, and the host the bot's action again, if the host has not received it."""
        later, seat.behind, seat.back, seat.later = seat.later, False, None, []
        if seat.resigned:
            seat.left = self._say(m.Leave())
            return
        entry, known = seat.heard
        for one in events:
            if one.n == entry and known:
                known -= self._hears(one.event) is not None
            elif one.n >= entry:
                self._event(seat, one.n, one.event)
        for event in later:
            self._event(seat, event.n, event.event)
        self._act(seat)

    def _hears(self, told: Any) -> Any:
        """An event for the dialogue; `None`: it does not hear such events."""
        event = understood(self._terms.game.name, told)
        return event if isinstance(event, self._terms.bridge.hears) else None

    def _event(self, seat: _Seat, n: int, told: Any) -> None:
        event = self._hears(told)
        if event is None:
            return
        entry, known = seat.heard
        seat.heard = (n, known + 1 if n == entry else 1)
        if getattr(event, "seat", None) == seat.number:
            seat.action, seat.said, seat.refusals = None, None, 0
        if seat.resigned:
            return
        prompt = seat.dialogue.hear(event)
        if self._bot is not None:
            self._bot.tell(prompt)
        elif prompt.answers:
            self._resign(seat.ended or "the bot has ended", False)

    def _refused(self, seat: _Seat, why: str) -> None:
        seat.action = seat.said = None
        seat.refusals += 1
        again = self._terms.again and seat.refusals <= ASKED_AGAIN and self._bot is not None
        prompt = seat.dialogue.illegal(again)
        if self._bot is not None:
            self._bot.tell(prompt)
        if not again or not prompt.answers:
            self._resign(f"illegal: {why}", True)

    def _over(self, seat: _Seat, result: Result | None) -> None:
        """The match is over; `None`: it is not known how."""
        self._seat = None
        self._over_games += 1
        if seat.left and result is not None and (result.cause is not Cause.LEFT or seat.number in result.winners):
            self._crossed += 1
        if self._bot is not None and not seat.resigned:
            self._bot.finish(seat.dialogue.over(result))
        self._out("the match has ended, and the host does not say how" if result is None else result.words(seat.names))
        self._next()


def _cause(name: str) -> Cause:
    try:
        return Cause(name)
    except ValueError:
        raise WireError("over names a cause that there is not") from None


# The command


#: The bridges to this package's games. Those of another package lie in the folder of its game, as `bridge.py`.
OWN: Mapping[str, Callable[[], Sequence[Bridge]]] = {
    "paper-soccer": imported("gamehost.extras.bots.bridges.paper_soccer:BRIDGES"),
    "stratego": imported("gamehost.extras.bots.bridges.stratego:BRIDGES"),
}


def bridges() -> Mapping[str, tuple[Game[Any, Any], Bridge]]:
    found: dict[str, tuple[Game[Any, Any], Bridge]] = {}
    for name, game in installed().games.items():
        if name in MESSAGES:
            for bridge in OWN.get(name, tuple)() or part(game, "bridge", "BRIDGES") or ():
                found.setdefault(bridge.name, (game, bridge))
    return found


def main(
    argv: Sequence[str], wires: Sequence[Any], reactor: Any, out: TextIO = sys.stdout, err: TextIO = sys.stderr
) -> int:
    """
    Play.

    :param argv: the words after `gamehost bridge`
    :param wires: not used: a bridge plays on the open wire
    :returns: the exit status: 1 if a bot was resigned for a fault of its own, or the bridge could not go on
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
    adopt_orphans()
    reactor.addSystemEventTrigger("before", "shutdown", run.stop)
    reason = run_until_done(reactor, run.start, "interrupted")
    if reason is not None:
        print(f"gamehost bridge: {escaped(reason)}", file=err)
    return 0 if reason is None and run.sound else 1


def parser() -> argparse.ArgumentParser:
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
    The arguments. What follows `--` is the bot's command.

    :raises SystemExit: they are wrong, or ask for help
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
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 86_400:
        raise argparse.ArgumentTypeError("expected a number of seconds above 0")
    return seconds


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError("expected NAME=VALUE, such as two_squares=0")
    return name, value
