"""
Plays a scenario with a client, from the start of the client to the verdict: starts the client, plays matches with it, and
carries out the acts of the scenario in the middle of a match.
"""

import re
from collections.abc import Callable
from enum import Enum
from typing import Any

from attrs import frozen
from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Factory

from gamehost._twisted import Timer
from gamehost.extras.check.base import Act, Cut, Grade, Outcome, Run, Scenario, TranscriptLine, WireChecks
from gamehost.extras.check.private_host import ClientWatcher, Opponent, PrivateHost, hear
from gamehost.extras.check.transcript import Line, Transcript
from gamehost.games.base import Cause, Seat
from gamehost.games.play import player_of
from gamehost.lobby.sessions import Queue
from gamehost.ops.workers import PLACE
from gamehost.players.base import Level, Player, SeededChance, Thinking
from gamehost.programs.clients import client_of
from gamehost.tables.interfaces import Back, OpenTable, Over, Refused, SeatHandle
from gamehost.wires.base import Wire
from gamehost.wires.framing import WireError

#: How many seconds a client has to connect and to log in.
CONNECTS = 20.0
#: How many seconds after the last message the checker closes the connection.
CLOSES = 5.0
#: How many seconds the client has to end after that.
ENDS = 10.0
#: A scenario ends after so many refused messages, because more of them show nothing new.
MOST_REFUSED = 20
#: The most seconds of a scenario.
WHOLE = 120.0
#: The laws that a client must break if it does not know how to move.
_OF_PLAY = ("turn", "crash", "Move", "MakeMove", "end")
#: How many seconds a person has to connect a client by hand, and the most seconds of a scenario then.
CONNECTS_BY_HAND = 600.0
WHOLE_BY_HAND = 3600.0


#: How many seconds the client has for a move.
ANSWERS = 10.0
#: How many more matches than those of the scenario are played with a client that asks for them.
MORE = 2
#: The opponents use this share of the thinking time of their level.
EFFORT = 0.25

#: How many seconds a client has to come back after its connection was lost.
RETURNS = 10.0
#: For how many seconds a client may try to reach a host that does not exist any more.
TRIES = 30.0
#: For how many seconds an opponent is away, and thinks for a short and a long time, in the scenarios with these acts.
AWAY = 0.3
THINKS = 5.0
THINKS_LONG = 30.0
#: How the reason of a refusal ends if a move came in the other player's turn.
OTHERS_TURN = "it is the other player's turn"
#: The advice after messages that came in one segment.
READS = (
    "One read is not one message: it may bring several, or a part of one. Answer each of them, and keep what is left for the "
    "next read."
)


class Phase(Enum):
    """How far the run of a scenario with a client has come."""

    #: The client must connect, or ask for the next match.
    CONNECTING = "connecting"
    PLAYING = "playing"
    #: The checker has cut the client's connection, and the client should come back.
    RETURNING = "returning"
    #: The last message was sent; the client may close the connection.
    CLOSING = "closing"
    #: The connection or the host is closed; the client should end.
    ENDING = "ending"
    DONE = "done"


class Launcher:
    """Starts the client, and gives it a port of this machine to connect to."""

    #: Whether a person starts the client. A person needs more time, and the program need not end.
    by_hand = False
    #: Whether the client could not be started.
    failed = False

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self._port: Any = None

    def start(self, run: "ClientRun", factory: "Factory[Line]") -> None:
        """Listens with a factory, and starts the client. The end of the client is reported to `ClientRun.client_ended`."""
        raise NotImplementedError

    def listen(self, number: int, factory: "Factory[Line]") -> int:
        """Listens on a port, and returns its number. If the number is 0, the system chooses a free port."""
        self._port = self._reactor.listenTCP(number, factory, interface="127.0.0.1")
        return int(self._port.getHost().port)

    def refuse_connections(self) -> None:
        """Stops to listen, as if the host had ended."""
        port, self._port = self._port, None
        if port is not None:
            port.stopListening()

    def stop(self) -> None:
        """Ends the client. A client that a person has started is not ended."""


#: The parts of a program's last words that differ each time: texts in quotation marks, numbers and addresses.
_CHANGING = re.compile(r"""'[^']*'|"[^"]*"|0x[0-9a-fA-F]+|[0-9]+""")
#: The name of an exception, as Python, Java and JavaScript print it.
_EXCEPTION = re.compile(r"\b(?:[a-z_]\w*\.)*([A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning|Panic)|Error)\b")


@frozen
class Crash:
    """How a program ended, in words, and a value by which two crashes with the same cause are recognized."""

    #: The words that follow `The client ended`.
    words: str
    #: The words that follow the title of a finding: the exception's name, if there is one.
    named: str
    #: A text that is equal for crashes with the same cause.
    cause: str

    @classmethod
    def of(cls, status: int, words: str) -> "Crash":
        """
        Describes the end of a program.

        :param status: the exit status; negative: the program was ended by a signal
        :param words: the last words that the program has printed
        """
        how = f"by signal {-status}" if status < 0 else f"with status {status}"
        found = _EXCEPTION.search(words)
        last, _, place = words.rpartition(PLACE)
        # A text that is equal for equal crashes: the place of the error in the program, or the words without numbers
        # and addresses.
        same = place if found and last else _CHANGING.sub("*", words)
        name = found.group(1) if found else ""
        return cls(f"{how}: {words or 'it printed nothing'}", f": {name}" if name else "", f"{status} {name} {same}")


class ClientRun(Run, ClientWatcher):
    """
    Plays one scenario with one client.

    :param launcher: starts the client
    :param done: called once, with the outcome
    """

    def __init__(
        self,
        clock: IReactorTime,
        wire: Wire[Any],
        checks: WireChecks,
        scenario: Scenario,
        launcher: Launcher,
        seed: int,
        done: Callable[[Outcome], None],
    ) -> None:
        """
        Makes the run of a scenario with one client.

        :param launcher: starts the client, or waits until a person connects it
        :param done: called with the outcome
        """
        super().__init__(clock, checks.laws, scenario, seed)
        self.checks = checks
        self._launcher = launcher
        self._done = done
        client = client_of(wire.name)
        self._codec = None if client is None else client.codec
        encode = None if client is None else client.codec().encode
        self.transcript = Transcript(checks, clock.seconds, encode, wire.configure({}).new_codec().encode)
        self._phase = Phase.CONNECTING
        self._line: Line | None = None
        #: How many of the next refusals are not the client's fault: of a move that the checker has changed, or of a move that
        #: is sent again because the client cannot know which messages were lost with its connection.
        self._expected_refusals = 0
        self._host_is_gone = False
        self.connected = self.moved = False
        #: Whether the client has had a seat. `moved` becomes true when the rules have accepted a move of the client.
        self._was_seated = False
        self._ended = False
        self._handle: SeatHandle[Any] | None = None
        #: A player that receives the same events as the client. It knows whether the client must move.
        self._shadow: Player | None = None
        self._matches = 0
        self._refusals = 0
        #: The class of the client's last message, the key of its law, and better advice than that of the law, if there is any.
        self._last_said = ("", "", "")
        self._steps = list(scenario.steps)
        #: Whether the checker changes the client's next move.
        self._spoils = False
        #: The opponents do not move before this time.
        self._held_until = 0.0
        #: Whether the client has sent a message since the last match.
        self._said_since_over = False
        self._deadline = Timer()
        self._host = PrivateHost(
            clock, wire, self, scenario.settings, scenario.strict, scenario.grace, seed=seed, below=scenario.below
        )
        self._opponents: list[Opponent] = []
        self._connects = CONNECTS_BY_HAND if launcher.by_hand else CONNECTS
        self._whole = Timer()
        self._whole.set(clock, WHOLE_BY_HAND if launcher.by_hand else WHOLE, self._too_long)

    # -- from start to end

    def start(self) -> None:
        """Starts the client. In some scenarios its opponents wait for it already."""
        # The opponents get the first seats by this.
        if not self.scenario.client_first:
            self._opponents_first()
        factory = Factory.forProtocol(self._new_line)
        factory.noisy = False
        self._deadline.set(self.clock, self._connects, self._not_there)
        self._launcher.start(self, factory)

    def _new_line(self) -> Line:
        """Makes the protocol for a new connection of the client."""
        if self.connected:
            self.transcript.connected_again()
        self.connected = True
        protocol = self._host.factory.buildProtocol(None)
        self._line = Line(protocol, self.clock, self.scenario.cut, self.chance, self._line_lost)
        return self._line

    def _later(self, seconds: float, call: Callable[..., None], *arguments: Any) -> None:
        """Calls a function later. An exception in it becomes a finding, and ends only this scenario."""

        def called() -> None:
            """Calls the function. If it raises, the checker itself has a fault: notes this, and ends the scenario."""
            try:
                call(*arguments)
            except Exception as error:
                self.log.failure("a fault in scenario {name}", name=self.scenario.name)
                happened = f"The checker itself failed: {error}."
                self.found(Grade.NOTE, "a fault of the checker", "turn", happened)
                self._finish()

        self.clock.callLater(seconds, called)

    def _finish(self) -> None:
        """Ends the scenario: stops the client and the host, and reports the outcome."""
        if self._phase is Phase.DONE:
            return
        self._phase = Phase.DONE
        self._deadline.stop()
        self._whole.stop()
        # First, so that the client cannot connect again.
        self._launcher.refuse_connections()
        self._launcher.stop()
        if self._line is not None and self._line.connected:
            self._line.cut()
        self._host.lobby.close()
        for said in self.checks.at_the_end(self.transcript.readings):
            if said.grade is not None:
                self.found(said.grade, said.meaning, said.law, f"In this scenario {said.meaning}.")
        self._done(self.outcome(self.transcript.lines, played=bool(self._matches)))

    def found(self, grade: Grade, title: str, law: str, happened: str, cause: str = "", do: str = "") -> None:
        """
        See `Run.found`. In a strict scenario, a client may be unable to know how to move. Then a breach becomes a note
        that names the extension which the client needs.
        """
        if grade is Grade.BREACH and law in _OF_PLAY and self._cannot_know:
            grade, title, law, cause, do = Grade.NOTE, f"this client needs {self.checks.needed}", "needed", "", ""
        super().found(grade, title, law, happened, cause, do)

    def _fails(self, title: str, law: str, happened: str, cause: str = "") -> None:
        """Adds a breach, and ends the scenario."""
        self.found(Grade.BREACH, title, law, happened, cause)
        self._finish()

    def last_lines(self) -> tuple[TranscriptLine, ...]:
        return self.transcript.last()

    @property
    def _cannot_know(self) -> bool:
        """Whether the client sits at a table where it needs an extension to know how to move, and has not moved."""
        return bool(self.scenario.strict and self.checks.needed and self._was_seated and not self.moved)

    def _not_there(self) -> None:
        """Called when the client has not logged in in time."""
        if self.connected:
            title, law = "the client did not log in", "login"
        else:
            title, law = "the client did not connect", "connect"
        self._fails(title, law, f"{title.capitalize()} within {self._connects:g} s.")

    def _too_long(self) -> None:
        """Called when the scenario has taken too long."""
        happened = f"The scenario was ended after {WHOLE:g} s; the match went on."
        self.found(Grade.NOTE, "the match was very long", "turn", happened)
        self._finish()

    # -- the client as a program and as a connection

    def client_ended(self, status: int, words: str) -> None:
        """
        Called when the client's program has ended. Decides by the phase whether this is a fault.

        :param status: the exit status; 0: no error; negative: the program was ended by a signal
        :param words: the last line that it has printed, or the line with the reason of its end; empty: none
        """
        self._ended = True
        crash = Crash.of(status, words)
        # After its match the program should end, without an error.
        if self._phase in (Phase.CLOSING, Phase.ENDING):
            if status < 0:
                self.found(
                    Grade.BREACH,
                    "the client crashed at the end",
                    "end",
                    happened=f"The client ended by signal {-status} after its match.",
                    cause=crash.cause,
                )
            elif status and not self._host_is_gone:
                self.found(
                    Grade.NOTE,
                    f"the client ends with an error after its match{crash.named}",
                    "end",
                    happened=f"The client ended {crash.words}.",
                    cause=crash.cause,
                )
            self._finish()
        # It has ended well between two matches: it plays only one match.
        elif self._matches and not status and (self._phase is Phase.CONNECTING or not self._said_since_over):
            self._no_next_match()
        # It has ended too early.
        elif self._phase is not Phase.DONE:
            if self.connected:
                when, law = "before the match was over", "crash"
                title = f"the client ended in the middle{crash.named}"
            else:
                when, law = "before it connected", "connect"
                title = f"the client ended before it connected{crash.named}"
            self._fails(title, law, f"The client ended {when} {crash.words}.", crash.cause)

    def _line_lost(self, line: Line) -> None:
        """
        Called when a connection of the client is lost. In a match, the client has a second to end by itself, since the
        end of its program says more about the fault than its closed connection.
        """
        # It is an older connection, or the checker itself has cut it.
        if line is not self._line:
            return
        self._line = None
        if self._phase in (Phase.PLAYING, Phase.CONNECTING) and not self._ended:
            self._later(1.0, self._gone)
        elif self._phase is Phase.CLOSING:
            self._client_should_end()

    def _gone(self) -> None:
        """
        Called a second after the client has lost its connection. If its program has not ended meanwhile, closing the connection
        is the fault. Otherwise its end is judged.
        """
        if self._line is None and self._phase is Phase.PLAYING:
            happened = "The client closed its connection before the match was over."
            self._fails("the client closed its connection in the middle", "turn", happened)

    # -- what the client says

    def passes(self, data: bytes) -> bytes:
        """Returns the bytes that the host reads: the client's bytes, or a changed move if the scenario wants that."""
        # `spoiled` returns `None` for bytes that are not a move.
        changed = self.checks.spoiled(data) if self._spoils and self.checks.spoiled is not None else None
        if changed is None:
            return data
        self._spoils = False
        self._expected_refusals += 1
        self.transcript.note("the checker has changed the client's move on its way; the host refuses it")
        return changed

    def said(self, message: Any, raw: bytes) -> None:
        """Called with each message of the client: records it, and looks for fragile messages."""
        self._said_since_over = True
        said = self.transcript.said(message, raw)
        # For a finding, if the host refuses this message.
        self._last_said = (type(message).__name__, said.law or type(message).__name__, said.do)
        if said.grade is Grade.FRAGILE:
            self.found(Grade.FRAGILE, said.meaning, said.law or type(message).__name__, f"The client {said.meaning}.")
        if self.checks.canonical and self._codec is not None:
            self._check_writing(message, raw)

    def _check_writing(self, message: Any, raw: bytes) -> None:
        """Adds a finding if the client has written a message in another way than the document."""
        assert self._codec is not None
        try:
            written = self._codec().encode(message)
        except WireError:
            return  # this is not a message of a client, and the host refuses it
        if raw != written:
            name = type(message).__name__
            self.found(
                Grade.FRAGILE,
                f"{name} is not written as in the document",
                "framing",
                happened="The client wrote other bytes than the document shows: another server may not read them.",
            )

    def heard(self, message: Any, raw: bytes) -> None:
        self.transcript.heard(message, raw)

    def refused(self, message: Any, before: Any) -> None:
        """Called when the host refuses the client's last message. Decides whether the client is at fault."""
        if self._phase is Phase.CLOSING:
            # The client has not read the end of the match yet, and still sends messages from before.
            self._deadline.set(self.clock, CLOSES, self._close)
        # The match is over, so it does not matter any more.
        if self._phase in (Phase.CLOSING, Phase.ENDING, Phase.DONE):
            return
        if self._expected_refusals:
            self._expected_refusals -= 1
            return
        if self.checks.excused(self.transcript.reading, message):
            return
        # The message was sent before the client knew that the match is over.
        if self._handle is None and self._matches and self._last_said[0] in self.checks.late:
            return
        self._refusals += 1
        # On some wires the reason is in the message before the refusal.
        reason = self._reason(message) or self._reason(before)
        # Later, because the refusal is recorded only after this call, and a finding shows it.
        if not self.scenario.forgives:
            self._later(0, self._judge_refusal, *self._last_said, reason)
        if self._refusals == MOST_REFUSED:
            self.found(
                Grade.BREACH,
                "the client repeats what was refused",
                "turn",
                happened=f"{MOST_REFUSED} messages of the client were refused in one scenario; the scenario was ended.",
            )
            self._later(0, self._finish)

    def _judge_refusal(self, name: str, law: str, do: str, reason: str) -> None:
        """
        Adds a finding for a refused message.

        :param name: the name of the message's class
        :param law: the key of its law
        :param do: the advice; empty: the advice of the law
        """
        if self._phase is Phase.DONE:
            return
        if reason.endswith(OTHERS_TURN):
            # The move itself is not wrong, so the advice is about turns.
            words, law, do = name, "turn", ""
        else:
            law = law if law in self.checks.laws else "framing"
            words = name if name in self.checks.laws else law
        self.found(Grade.BREACH, f"{words} was refused{reason}", law, f"The host refused {words}{reason}.", do=do)

    @staticmethod
    def _reason(message: Any) -> str:
        """Returns the reason in a message, after a colon; empty: it has none."""
        for name in ("reason", "why", "detail", "text"):
            reason = getattr(message, name, None)
            if isinstance(reason, str) and reason:
                return f": {reason}"
        return ""

    def unreadable(self, error: WireError) -> None:
        self.found(Grade.BREACH, f"bytes that are no message: {error}", "framing", f"The host could not read: {error}.")

    def hung_up(self, reason: str) -> None:
        """
        Called when the host closes the client's connection.

        :param reason: why the host does so; empty: this is usual
        """
        # After the end of the match, the host may close the connection.
        if self._phase in (Phase.CONNECTING, Phase.PLAYING) and reason:
            law = "login" if self._phase is Phase.CONNECTING else "turn"
            words = f"the host closed the connection: {reason}"
            self.found(Grade.BREACH, words, law, f"T{words[1:]}.")

    # -- the end

    def _no_next_match(self) -> None:
        """Notes that the client plays one match only, and ends the scenario."""
        self.found(
            Grade.NOTE,
            "the client plays one match on a connection",
            "end",
            happened="The client did not begin the next match on the same connection.",
        )
        self._phase = Phase.CLOSING
        self._close()

    def _close(self) -> None:
        if self._line is not None:
            self._line.close()
        self._client_should_end()

    def _client_should_end(self) -> None:
        """Waits for the end of the client's program after the connection was closed."""
        # The program has ended, or a person has started it and the checker does not know its process.
        if self._ended or self._launcher.by_hand:
            self._finish()
            return
        if self._phase is Phase.CLOSING:
            self._phase = Phase.ENDING
            self._launcher.refuse_connections()
            self._deadline.set(self.clock, ENDS, self._hangs)

    def _hangs(self) -> None:
        happened = f"The connection was closed after the last message, and the client still ran {ENDS:g} s later."
        self._fails("the client does not end", "end", happened)

    # -- what happens at the table

    def waits(self, queue: Queue) -> None:
        self._logged_in()
        self._later(0, self._meet, queue)

    def _meet(self, queue: Queue) -> None:
        """
        Makes an opponent join the queue of the client, if another match is to be played: one of the scenario's matches,
        or one more if the client asks for it by itself.
        """
        wanted = self.scenario.matches
        more = self._matches < wanted or (self._said_since_over and self._matches < wanted + MORE)
        if self._phase is Phase.DONE or self._handle is not None or not more:
            return
        opponent = self._opponents[0] if self._opponents else self._new_opponent(0)
        # On a wire with several games the client chooses the game, so its opponent cannot wait for it. In scenarios in which
        # the opponent should come first, it gets the first seat instead.
        first = None if self.scenario.client_first or not self._client_chooses else Seat(0)
        self._host.lobby.play(opponent.come(), queue, first)

    @property
    def _client_chooses(self) -> bool:
        return len(self._host.games) > 1

    def opened(self, table: OpenTable, queue: Queue) -> None:
        """Called when the client waits at a table of its own: its opponents join it."""
        self._logged_in()
        self._later(0, self._fill, table, queue)

    def _fill(self, table: OpenTable, queue: Queue) -> None:
        """Seats opponents at all other seats of the client's table."""
        if self._phase is Phase.DONE:
            return
        for opponent in self._opponents:
            # Each opponent can only be at one table.
            opponent.drop()
        for number in range(table.seats - 1):
            if number == len(self._opponents):
                self._new_opponent(number)
            self._host.lobby.join(self._opponents[number].come(), queue, table.table)

    def _opponents_first(self) -> None:
        """Makes the opponents wait for the client, in a queue or at a table with one free seat."""
        # It is not known yet which game the client wants.
        if self._client_chooses:
            return
        lobby, queue, opponent = self._host.lobby, self._host.queue, self._new_opponent(0)
        if self._host.game.most_seats == 2:
            lobby.play(opponent.come(), queue)
            return
        # A table for more than two. One seat remains for the client.
        table = lobby.open_table(opponent.come(), queue, self.scenario.seats, self.scenario.table)
        for number in range(1, self.scenario.seats - 1):
            lobby.join(self._new_opponent(number).come(), queue, table.table)

    def _new_opponent(self, number: int) -> Opponent:
        """
        Makes an opponent with a name of the scenario.

        :param number: counts the opponents from 0
        """
        names = self.scenario.opponents
        name = names[number] if number < len(names) else f"{names[0]}{number + 1}"
        seed, level = self.chance.below(2**32), self.scenario.level

        def player(game: str, seat: Seat) -> Player:
            """Makes the player that thinks for the opponent in a match."""
            thinking = Thinking(SeededChance(seed), None, EFFORT)
            if self.scenario.opponent is None:
                return player_of(self._host.games[game], seat, level, thinking)
            return self.scenario.opponent(seat, level, thinking)

        def may_think() -> bool:
            """Returns whether the opponent may move now: in some scenarios it waits."""
            return self.clock.seconds() >= self._held_until

        opponent = Opponent(self._host, self.clock, name, player, may_think, self._opponent_over)
        self._opponents.append(opponent)
        return opponent

    def _logged_in(self) -> None:
        if self._phase is Phase.CONNECTING:
            self._deadline.stop()

    def seated(self, handle: SeatHandle[Any]) -> None:
        """Called when the client has a seat: the match begins, or the client is back."""
        self._handle = handle
        self._was_seated = True
        if self._shadow is None:
            self._shadow = player_of(
                self._host.games[handle.game], Seat(handle.seat), Level.RANDOM, Thinking(SeededChance(self.seed))
            )
        self._phase = Phase.PLAYING

    def delivered(self, event: Any) -> None:
        """
        Called when the client's conversation has received an event of its table: follows the match, and judges the client.
        Events while there is no connection are ignored, because the client does not receive them.
        """
        if self._host_is_gone or self._phase is Phase.RETURNING:
            return
        if isinstance(event, Over):
            self._over(event)
            return
        if self._phase is not Phase.PLAYING or self._shadow is None or self._handle is None:
            return
        # If it was the client's turn and is not any more, the client has made a legal move.
        owed = not self.moved and self._owes
        hear(self._shadow, event, self._handle.seat)
        self.moved = self.moved or (owed and not self._owes)
        if isinstance(event, Back) and event.seat == self._handle.seat:
            self._client_is_back()
        # A refused move changes nothing, so the client's deadline remains.
        if not isinstance(event, Refused):
            self._later(0, self._look)

    @property
    def _owes(self) -> bool:
        """Whether it is the client's turn."""
        return self._shadow is not None and self._shadow.answer() is not None

    def _look(self) -> None:
        """Called after each event of the match: sets the deadline for the client's move, and carries out the next act."""
        if self._phase is not Phase.PLAYING or self._handle is None:
            return
        owes = self._owes
        if owes:
            self._deadline.set(self.clock, ANSWERS, self._silent)
        else:
            self._deadline.stop()
        # The match has had as many events as the scenario wants.
        if self._handle.n >= self.scenario.most:
            self._opponents[0].resign()
            return
        self._take_step(owes)

    def _silent(self) -> None:
        """Called when the client has not moved in time. Ends the scenario with a breach."""
        happened = f"It was the client's turn, and it sent nothing that was accepted for {ANSWERS:g} s."
        do = ""
        if (count := self.transcript.at_once()) > 1:
            happened += f" The last {count} messages of the host came in one segment."
            # Advice about reads is given only if they are probably the fault. A client that has never moved may have another.
            do = READS if self.moved or self.scenario.cut is Cut.JOINED else ""
        self.found(Grade.BREACH, "no answer", "turn", happened, do=do)
        self._finish()

    def _over(self, event: Over) -> None:
        """Called at the end of a match: judges how the client has lost, and waits for its next step."""
        handle, self._handle, self._shadow = self._handle, None, None
        self._matches += 1
        self._said_since_over = False
        result = event.result
        law = "Move" if "Move" in self.checks.laws else "turn"
        # The client has lost by an illegal move or by its time.
        if result.cause in (Cause.VIOLATION, Cause.TIME) and handle is not None and handle.seat not in result.winners:
            self.found(
                Grade.BREACH, f"the client lost by its own fault: {result.why.split(':')[0]}", law, f"{result.why}."
            )
        self._phase = Phase.CONNECTING if self._matches < self.scenario.matches else Phase.CLOSING
        self._deadline.set(self.clock, CLOSES, self._close if self._phase is Phase.CLOSING else self._no_next_match)

    def _opponent_over(self) -> None:
        """
        Called by an opponent at the end of a match. If the client's connection is cut, the client cannot receive the
        end, and the scenario ends.
        """
        # In all other phases, the client receives the end itself.
        if self._phase is Phase.RETURNING:
            self._matches += 1
            self._later(0, self._finish)

    # -- what the scenario does

    def _take_step(self, owes: bool) -> None:
        """
        Carries out the next act that is due, if there is one.

        :param owes: whether it is the client's turn
        """
        assert self._handle is not None
        for step in self._steps:
            # `None`: it does not matter who is to move.
            if self._handle.n >= step.after and step.client_owes in (None, owes):
                self._steps.remove(step)
                self._do(step.act)
                break

    def _do(self, act: Act) -> None:
        """Carries out an act of the scenario, and notes it in the transcript."""
        self.transcript.note(act.value)
        opponent = self._opponents[0]
        match act:
            case Act.OPPONENT_DROPS:
                opponent.drop()
                self._later(AWAY, opponent.come_back)
            case Act.OPPONENT_GONE:
                opponent.drop()
            case Act.OPPONENT_RESIGNS:
                opponent.resign()
            case Act.OPPONENT_FOULS:
                opponent.act(self.checks.foul)
            case Act.OPPONENT_THINKS:
                self._think(THINKS)
            case Act.OPPONENT_THINKS_LONG:
                self._think(THINKS_LONG)
            case Act.CLIENT_CUT:
                self._client_cut()
            case Act.HOST_STOPS | Act.HOST_KILLED:
                self._host_gone(killed=act is Act.HOST_KILLED)
            case Act.MOVE_REFUSED:
                self._spoils = self.checks.spoiled is not None

    def _think(self, seconds: float) -> None:
        """Makes all opponents wait before their next moves."""
        self._held_until = self.clock.seconds() + seconds
        for opponent in self._opponents:
            self._later(seconds, opponent.go_on)

    def _client_cut(self) -> None:
        """Cuts the client's connection. The client should come back in time."""
        if self._line is not None:
            self._phase = Phase.RETURNING
            # The client may send its last move again, because it cannot know whether the host has received it.
            self._expected_refusals = 1
            self._deadline.set(self.clock, RETURNS, self._not_back)
            self._line.cut()
            if self.scenario.lay is not None:
                self._lay(self.scenario.lay)

    def _lay(self, lay: Callable[[Any, Seat], None]) -> None:
        """
        Changes the position of the match. The opponents take their seats again to receive it, and wait until the client
        is back.
        """
        handle = self._handle
        assert handle is not None
        lay(self._host.lobby.tables[handle.table]._master, Seat(handle.seat))
        self.transcript.note("the checker lays another position")
        # Without limit: `_client_is_back` ends it.
        self._held_until = float("inf")
        for opponent in self._opponents:
            opponent.drop()
            opponent.come_back()

    def _client_is_back(self) -> None:
        """Lets opponents continue that have waited for the client."""
        if self._held_until == float("inf"):
            self._held_until = 0.0
            for opponent in self._opponents:
                opponent.go_on()

    def _not_back(self) -> None:
        happened = f"The client's connection was lost, and it did not take its seat again within {RETURNS:g} s."
        self._fails("the client does not come back", "reconnect", happened)

    def _host_gone(self, killed: bool) -> None:
        """
        Ends the host in the middle of a match. The client should end, too.

        :param killed: whether connections are cut; otherwise the host closes them in good order
        """
        # The match counts as played.
        self._matches += 1
        self._host_is_gone = True
        self._phase = Phase.ENDING
        self._launcher.refuse_connections()
        line = self._line
        if killed and line is not None:
            line.cut()
        else:
            self._host.factory.close("the host stops")
        self._deadline.set(self.clock, TRIES + ENDS, self._never_ends)

    def _never_ends(self) -> None:
        happened = f"The host was gone, and the client still ran {TRIES + ENDS:g} s later."
        self._fails("the client hangs when the host is gone", "closing", happened)
