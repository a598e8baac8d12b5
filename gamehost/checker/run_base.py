"""
One scenario with one client, as a program and as a connection: it starts, says something, and ends.

A run has three parts of time: the client connects and logs in; matches are played; the connection is closed, and the client
ends. Each part has a limit, so a client that hangs ends the scenario and not the checker.
"""

import re
from collections.abc import Callable
from enum import Enum
from typing import Any, Protocol

from attrs import evolve, frozen
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.internet.protocol import Factory
from twisted.logger import Logger

from gamehost.checker.base import COMMON, Finding, Grade, Law, Scenario, Verdict, WireChecks
from gamehost.checker.line import Line
from gamehost.checker.opponent import Opponent
from gamehost.checker.private_host import ClientWatcher, PrivateHost
from gamehost.checker.tape import Tape
from gamehost.players.base import Player, SeededChance
from gamehost.tables.interfaces import SeatHandle
from gamehost.wires.base import Wire
from gamehost.wires.framing import WireError

#: Seconds for a client to connect and to log in.
CONNECTS = 20.0
#: Seconds after the last message until the checker closes the connection.
CLOSES = 5.0
#: Seconds for the client to end after that.
ENDS = 10.0
#: Refused messages after which a match is ended: more of them say nothing new.
MOST_REFUSED = 20
#: Seconds for a whole scenario.
WHOLE = 120.0
#: Between an exception's words and the place in the program that raised it.
PLACE = ", in "
#: The laws that a client cannot keep if it does not know how to move.
_OF_PLAY = ("turn", "crash", "Move", "MakeMove", "end")
#: Seconds for a person to connect a client by hand, and for a whole scenario then.
CONNECTS_BY_HAND = 600.0
WHOLE_BY_HAND = 3600.0


class Phase(Enum):
    """How far a run has come."""

    CONNECTING = "connecting"
    PLAYING = "playing"
    #: The client's connection was lost on purpose, and it should come back.
    RETURNING = "returning"
    #: The last message was sent; the client may close.
    CLOSING = "closing"
    #: The connection is closed, or the host is gone; the client should end.
    ENDING = "ending"
    DONE = "done"


class RunningClient(Protocol):
    """The client under test, as a program."""

    def stop(self) -> None:
        """End it, whatever it does."""


class Launcher(Protocol):
    """Starts the client, and gives it a port to connect to."""

    @property
    def by_hand(self) -> bool:
        """Whether a person starts the client, who needs more time, and whose program need not end."""

    @property
    def failed(self) -> bool:
        """Whether the client could not be started."""

    def start(self, run: "BaseRun", factory: "Factory[Line]") -> RunningClient:
        """Listen with this factory, and start the client. Its end is told by `BaseRun.client_ended`."""

    def refuse_connections(self) -> None:
        """Stop listening: the host is gone."""


@frozen
class Outcome:
    """What came of a scenario."""

    scenario: Scenario
    verdict: Verdict
    findings: tuple[Finding, ...]
    seconds: float
    tape: Tape
    #: The document's section on which the scenario rests.
    section: str


#: What stands for parts of a program's last words that differ each time: texts in quotation marks, numbers and addresses.
_CHANGING = re.compile(r"""'[^']*'|"[^"]*"|0x[0-9a-fA-F]+|[0-9]+""")
#: The name of an exception, as Python, Java and JavaScript print it.
_EXCEPTION = re.compile(r"\b(?:[a-z_]\w*\.)*([A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning|Panic)|Error)\b")


@frozen
class Crash:
    """How a program ended, in words, and what two equal ends have in common."""

    #: Behind `The client ended`.
    words: str
    #: Behind the title of a finding: the exception's name, if there is one.
    named: str
    #: The same for ends that have one cause.
    cause: str

    @classmethod
    def of(cls, status: int, words: str) -> "Crash":
        """The end with this status, after these last words."""
        how = f"by signal {-status}" if status < 0 else f"with status {status}"
        found = _EXCEPTION.search(words)
        last, _, place = words.rpartition(PLACE)
        same = place if found and last else _CHANGING.sub("*", words)
        name = found.group(1) if found else ""
        return cls(f"{how}: {words or 'it printed nothing'}", f": {name}" if name else "", f"{status} {name} {same}")


class BaseRun(ClientWatcher):
    """
    One scenario, without what happens at the table.

    :param done: called once, with the outcome
    """

    _log = Logger()

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
        self.clock = clock
        self.scenario = scenario
        self.seed = seed
        self.checks = checks
        self._launcher = launcher
        self._done = done
        self._chance = SeededChance(seed)
        encode = wire.client_codec().encode if wire.client_codec is not None else None
        self.tape = Tape(checks, clock.seconds, encode)
        self._codec = wire.client_codec
        self._findings: list[Finding] = []
        self._phase = Phase.CONNECTING
        self._line: Line | None = None
        #: Refusals that are not the client's fault: of a move that was changed, or of one that was sent twice because the
        #: client cannot know what was lost with its connection.
        self._expected_refusals = 0
        self._host_is_gone = False
        #: Whether the client has ever connected.
        self._was_there = False
        #: Whether the client has had a seat, and whether the rules have accepted an action of it.
        self._was_seated = False
        self._has_acted = False
        self._client: RunningClient | None = None
        self._ended = False
        self._handle: SeatHandle[Any] | None = None
        self._shadow: Player | None = None
        self._matches = 0
        self._refusals = 0
        #: The class of the client's last message, the key of its law, and what to do about it if that is known better.
        self._last_said = ("", "", "")
        #: Whether the client has said something after the last match.
        self._said_since_over = False
        self._timer: IDelayedCall | None = None
        self._host = PrivateHost(
            clock, wire, self, scenario.settings, scenario.strict, scenario.grace, seed, scenario.below
        )
        self._opponents: list[Opponent] = []
        self._began = clock.seconds()
        self._connects = CONNECTS_BY_HAND if launcher.by_hand else CONNECTS
        self._whole = clock.callLater(WHOLE_BY_HAND if launcher.by_hand else WHOLE, self._too_long)

    # -- from start to end

    @property
    def connected(self) -> bool:
        """Whether the client has ever connected."""
        return self._was_there

    def start(self) -> None:
        """Start the client. If it comes second, its opponents are there already."""
        if not self.scenario.client_first:
            self._opponents_first()
        factory = Factory.forProtocol(self._new_line)
        factory.noisy = False
        self._deadline(self._connects, self._not_there)
        self._client = self._launcher.start(self, factory)

    def _new_line(self) -> Line:
        if self._was_there:
            self.tape.connected_again()
        self._was_there = True
        protocol = self._host.factory.buildProtocol(None)
        self._line = Line(protocol, self.clock, self.scenario.cut, self._chance, self._line_lost)
        return self._line

    def _later(self, seconds: float, call: Callable[..., None], *arguments: Any) -> None:
        """Call something later. A fault in it ends this scenario only."""

        def called() -> None:
            try:
                call(*arguments)
            except Exception as error:
                self._log.failure("a fault in scenario {name}", name=self.scenario.name)
                happened = f"The checker itself failed: {error}."
                self._found(Grade.NOTE, "a fault of the checker", "turn", happened)
                self._finish()

        self.clock.callLater(seconds, called)

    def _finish(self) -> None:
        if self._phase is Phase.DONE:
            return
        self._phase = Phase.DONE
        self._no_deadline()
        if self._whole.active():
            self._whole.cancel()
        self._launcher.refuse_connections()
        if self._client is not None:
            self._client.stop()
        if self._line is not None and self._line.connected:
            self._line.cut()
        self._host.close()
        for said in self.checks.at_the_end(self.tape.readings):
            if said.grade is not None:
                self._found(said.grade, said.meaning, said.law, f"In this scenario {said.meaning}.")
        findings = tuple(self._findings)
        grades = {finding.grade for finding in findings}
        worst = next((Verdict(grade.value) for grade in Grade if grade in grades), Verdict.PASS)
        if worst is Verdict.PASS and not self._matches:
            worst = Verdict.SKIPPED
        section = self._law(self.scenario.law).section
        seconds = self.clock.seconds() - self._began
        self._done(Outcome(self.scenario, worst, findings, seconds, self.tape, section))

    def _deadline(self, seconds: float, due: Callable[[], None]) -> None:
        self._no_deadline()
        self._timer = self.clock.callLater(seconds, due)

    def _no_deadline(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def _found(self, grade: Grade, title: str, law: str, happened: str, cause: str = "", do: str = "") -> None:
        if grade is Grade.BREACH and law in _OF_PLAY and self._cannot_know:
            grade, title, law, cause, do = Grade.NOTE, f"this client needs {self.checks.needed}", "needed", "", ""
        found = Finding(grade, title, self._law(law, do), happened, self.tape.last(), cause)
        if found not in self._findings:
            self._findings.append(found)

    def _law(self, key: str, do: str = "") -> Law:
        laws = self.checks.laws
        law = COMMON.get(key) or laws[key if key in laws else "turn"]
        return evolve(law, do=do) if do else law

    @property
    def _cannot_know(self) -> bool:
        """Whether the client is at a table where it cannot know how to move, and has not moved."""
        return bool(self.scenario.strict and self.checks.needed and self._was_seated and not self._has_acted)

    def _not_there(self) -> None:
        if self._was_there:
            title, law = "the client did not log in", "login"
        else:
            title, law = "the client did not connect", "connect"
        self._found(Grade.BREACH, title, law, f"{title.capitalize()} within {self._connects:g} s.")
        self._finish()

    def _too_long(self) -> None:
        self._found(
            Grade.NOTE,
            "the match was very long",
            "turn",
            f"The scenario was ended after {WHOLE:g} s; the match went on.",
        )
        self._finish()

    # -- the client as a program and as a connection

    def client_ended(self, status: int, words: str) -> None:
        """
        The program has ended.

        :param status: 0: well; negative: by a signal
        :param words: the line that it printed last, or the one that says why it ended; or nothing
        """
        self._ended = True
        crash = Crash.of(status, words)
        if self._phase in (Phase.CLOSING, Phase.ENDING):
            if status < 0:
                self._found(
                    *(Grade.BREACH, "the client crashed at the end", "end"),
                    *(f"The client ended by signal {-status} after its match.", crash.cause),
                )
            elif status and not self._host_is_gone:
                self._found(
                    *(Grade.NOTE, f"the client ends with an error after its match{crash.named}", "end"),
                    *(f"The client ended {crash.words}.", crash.cause),
                )
            self._finish()
        elif self._matches and not status and (self._phase is Phase.CONNECTING or not self._said_since_over):
            self._no_next_match()
        elif self._phase is not Phase.DONE:
            if self._was_there:
                when, law = "before the match was over", "crash"
                title = f"the client ended in the middle{crash.named}"
            else:
                when, law = "before it connected", "connect"
                title = f"the client ended before it connected{crash.named}"
            self._found(Grade.BREACH, title, law, f"The client ended {when} {crash.words}.", crash.cause)
            self._finish()

    def _line_lost(self, line: Line) -> None:
        if line is not self._line:
            return
        self._line = None
        if self._phase in (Phase.PLAYING, Phase.CONNECTING) and not self._ended:
            self._later(1.0, self._gone)
        elif self._phase is Phase.CLOSING:
            self._client_should_end()

    def _gone(self) -> None:
        """The client closed its connection in the middle. A client that ends at the same time is judged by its end."""
        if self._line is None and self._phase is Phase.PLAYING:
            self._found(
                *(Grade.BREACH, "the client closed its connection in the middle", "turn"),
                "The client closed its connection before the match was over.",
            )
            self._finish()

    # -- what the client says

    def said(self, message: Any, raw: bytes) -> None:
        """The client has sent a message."""
        self._said_since_over = True
        said = self.tape.said(message, raw)
        self._last_said = (type(message).__name__, said.law or type(message).__name__, said.do)
        if said.grade is Grade.FRAGILE:
            self._found(Grade.FRAGILE, said.meaning, said.law or type(message).__name__, f"The client {said.meaning}.")
        if self.checks.canonical and self._codec is not None:
            self._check_writing(message, raw)

    def _check_writing(self, message: Any, raw: bytes) -> None:
        assert self._codec is not None
        try:
            written = self._codec().encode(message)
        except WireError:
            return  # not a message of a client; the host's refusal says so
        if raw != written:
            name = type(message).__name__
            self._found(
                *(Grade.FRAGILE, f"{name} is not written as in the document", "framing"),
                "The client wrote other bytes than the document shows: another server may not read them.",
            )

    def heard(self, message: Any, raw: bytes) -> None:
        """The host sends a message."""
        self.tape.heard(message, raw)

    def refused(self, message: Any, before: Any) -> None:
        """The host refuses what the client said last."""
        if self._phase in (Phase.CLOSING, Phase.ENDING, Phase.DONE):
            return
        if self._expected_refusals:
            self._expected_refusals -= 1
            return
        self._refusals += 1
        reason = self._reason(message) or self._reason(before)
        # The record has the refusal itself after this call.
        if not self.scenario.forgives:
            self._later(0, self._judge_refusal, *self._last_said, reason)
        if self._refusals == MOST_REFUSED:
            self._found(
                *(Grade.BREACH, "the client repeats what was refused", "turn"),
                f"{MOST_REFUSED} messages of the client were refused in one scenario; the scenario was ended.",
            )
            self._later(0, self._finish)

    def _judge_refusal(self, name: str, law: str, do: str, reason: str) -> None:
        if self._phase is not Phase.DONE:
            law = law if law in self.checks.laws else "framing"
            words = name if name in self.checks.laws else law
            happened = f"The host refused {words}{reason}."
            self._found(Grade.BREACH, f"{words} was refused{reason}", law, happened, do=do)

    @staticmethod
    def _reason(message: Any) -> str:
        for name in ("reason", "why", "detail", "text"):
            reason = getattr(message, name, None)
            if isinstance(reason, str) and reason:
                return f": {reason}"
        return ""

    def unreadable(self, error: WireError) -> None:
        """The client has sent bytes that are no message."""
        self._found(
            Grade.BREACH, f"bytes that are no message: {error}", "framing", f"The host could not read: {error}."
        )

    def hung_up(self, reason: str) -> None:
        """The host closes the connection."""
        if self._phase in (Phase.CONNECTING, Phase.PLAYING) and reason:
            law = "login" if self._phase is Phase.CONNECTING else "turn"
            words = f"the host closed the connection: {reason}"
            self._found(Grade.BREACH, words, law, f"T{words[1:]}.")

    # -- the end

    def _no_next_match(self) -> None:
        self._found(
            *(Grade.NOTE, "the client plays one match on a connection", "end"),
            "The client did not begin the next match on the same connection.",
        )
        self._phase = Phase.CLOSING
        self._close()

    def _close(self) -> None:
        if self._line is not None:
            self._line.close()
        self._client_should_end()

    def _client_should_end(self) -> None:
        if self._ended or self._launcher.by_hand:
            self._finish()
            return
        if self._phase is Phase.CLOSING:
            self._phase = Phase.ENDING
            self._launcher.refuse_connections()
            self._deadline(ENDS, self._hangs)

    def _hangs(self) -> None:
        self._found(
            *(Grade.BREACH, "the client does not end", "end"),
            f"The connection was closed after the last message, and the client still ran {ENDS:g} s later.",
        )
        self._finish()

    def _opponents_first(self) -> None:
        """Have the opponents come before the client."""
        raise NotImplementedError
