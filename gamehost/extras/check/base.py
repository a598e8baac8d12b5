"""
The parts of a check: scenarios, the laws that they test, and findings.

The checks of a wire are data: a `Judges`, which a package offers through an entry point `gamehost.checks` under the wire's
name.

Also the shared parts of the readings of a connection: the plain one, and the unanswered moves of a client. A client
knows the position of the last message to it. It does not know yet whether an unanswered move is accepted. So a further
move is judged by whether the first one can still be accepted.
"""

import re
import tomllib
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from enum import Enum, StrEnum
from importlib.resources import files
from typing import Any, ClassVar

import attrs
import msgspec
from attrs import define, evolve, field, frozen
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from gamehost.games.base import Seat
from gamehost.ops import printable
from gamehost.players.base import Level, NewPlayer, SeededChance


class Grade(StrEnum):
    """How bad a finding is, from the worst to the least."""

    #: The document forbids it.
    BREACH = "breach"
    #: It works here by luck: another network or another server breaks it.
    FRAGILE = "fragile"
    #: Worth knowing.
    NOTE = "note"


class Verdict(StrEnum):
    """How a scenario ended."""

    PASS = "pass"
    BREACH = "breach"
    FRAGILE = "fragile"
    NOTE = "note"
    #: It could not be played with this client, and says nothing about it.
    SKIPPED = "skipped"


@frozen
class Law:
    """One rule of a document."""

    #: The document's section, by its own title; for a law that is `beside` it, the source of the law.
    section: str
    #: The rule, in our words.
    says: str
    #: The advice for a client's author after a breach.
    do: str
    _documented: bool = True

    @classmethod
    def beside(cls, section: str, says: str, do: str) -> "Law":
        """A law that the wire's document does not have: its source is another document, an extension, or none."""
        return cls(section, says, do, False)

    @property
    def source(self) -> str:
        """The source of the law: `the document (Login)`, or `an extension`."""
        return f"the document ({self.section})" if self._documented else self.section


#: A duty of every program towards its user, whatever its protocol.
CLOSING = Law.beside(
    "what every program owes its user",
    "When the server is gone, the client says so and ends.",
    "End with a message when the connection cannot be made again for half a minute.",
)


def laws(module: str, of: str) -> dict[str, Law]:
    """
    The laws in the `.toml` file beside a module, with the same name, by their keys. A law has a `section` of the
    document, or a source `beside` the document. Advice for several laws has a key in the table `do`.

    :param of: `clients` or `servers`; clients have the law `closing`, too
    """
    folder, _, name = module.rpartition(".")
    told = tomllib.loads(files(folder).joinpath(f"{name}.toml").read_text("utf-8"))
    do = told.get("do", {})
    return ({"closing": CLOSING} if of == "clients" else {}) | {
        key: Law(law.get("section") or law["beside"], law["says"], do.get(law["do"], law["do"]), "section" in law)
        for key, law in told[of].items()
    }


@frozen
class TranscriptLine:
    #: Seconds since the scenario began.
    t: float
    #: `client` or `host`.
    sender: str
    #: The message, printable; passwords are hidden.
    text: str
    #: Its meaning, in one line.
    meaning: str


@frozen
class Finding:
    """One fault of a client or a server."""

    grade: Grade
    #: One line. Findings of the same grade, title and cause are the same finding.
    title: str
    law: Law
    #: The observation.
    happened: str
    #: The last messages before it, the oldest first.
    transcript: tuple[TranscriptLine, ...] = field(default=(), eq=False)
    #: The difference between findings of one title, such as the place of a crash; empty: there is none.
    cause: str = ""


class Cut(Enum):
    """The cuts in the bytes that the host sends."""

    #: They are sent as the host writes them.
    NONE = "none"
    #: Every byte is a segment of its own.
    BYTES = "bytes"
    #: Messages are delayed for a moment, and sent in one segment.
    JOINED = "joined"
    #: Segments end at random places, most of them in the middle of a message.
    RANDOM = "random"


class Act(Enum):
    """An act of a scenario in the middle of a match."""

    OPPONENT_DROPS = "the opponent's connection is lost, and comes back"
    OPPONENT_GONE = "the opponent's connection is lost for good"
    OPPONENT_RESIGNS = "the opponent gives up"
    OPPONENT_FOULS = "the opponent makes an illegal move, which loses"
    OPPONENT_THINKS = "the opponent thinks for five seconds"
    OPPONENT_THINKS_LONG = "the opponent thinks for half a minute"
    CLIENT_CUT = "the client's connection is lost"
    HOST_STOPS = "the host stops in good order"
    HOST_KILLED = "the host is killed"
    MOVE_REFUSED = "the client's next move is spoiled on its way, and refused"


@frozen
class Step:
    """An act of a scenario, which happens once, at a given moment."""

    act: Act
    #: After so many things have happened at the table.
    after: int = 2
    #: Whether the client owes an action then: yes, no, or either.
    client_owes: bool | None = None


@frozen
class Scenario:
    """One trial of a client or of a server."""

    #: Lower case, with hyphens.
    name: str
    #: One sentence: the purpose of the trial.
    tries: str
    #: The key of the law that it rests on.
    law: str
    #: Settings of the host, by their full names.
    settings: Mapping[str, str] = {}
    #: The document's messages only.
    strict: bool = False
    #: Whether the client is there before its opponents.
    client_first: bool = True
    level: Level = Level.EASY
    #: The names of the opponents. At a table for more players than these and the client, more names are made.
    opponents: tuple[str, ...] = ("Rival",)
    #: The players of a table that waits when the client comes, in a game for more than two.
    seats: int = 2
    cut: Cut = Cut.NONE
    steps: tuple[Step, ...] = ()
    #: Matches that are played on one connection, if the client wants so many.
    matches: int = 1
    #: The most events at the table. Then the opponent gives up, so that a match has an end.
    most: int = 200
    #: Whether the client needs to know that it may come back (`--reconnect`).
    needs_reconnect: bool = False
    #: Only with `--slow`.
    slow: bool = False
    #: Seconds of grace for a lost seat.
    grace: float = 60.0
    #: How the opponents play, if they lead the game to positions in which a mistake is likely.
    opponent: NewPlayer | None = None
    #: The host's random numbers: a whole number from 0 to n-1.
    below: Callable[[int], int] | None = None
    #: Settings of a table that waits when the client comes.
    table: Mapping[str, str] = {}
    #: Lays a rare position while the client's connection is lost, from the game's master and the client's seat.
    lay: Callable[[Any, Seat], None] | None = None
    #: The acts of a scenario for a server: called with the run; `None`: it is a scenario for clients.
    script: Callable[[Any], Awaitable[None]] | None = None
    #: Whether moves are refused by a rule that the document does not have. Then only a client that repeats refused
    #: moves is at fault.
    forgives: bool = False

    @classmethod
    def usual(
        cls, settings: Mapping[str, str], after: int, most: int, ascii: bool = False, turns: bool = True
    ) -> "Sequence[Scenario]":
        """
        The scenarios for the clients of all wires.

        :param after: when a match is well under way
        :param ascii: whether names have no other letters
        :param turns: whether players act in turn from the beginning on
        """
        # The names test letters of two bytes, if the wire allows them.
        bytewise = "Every byte is a segment of its own" + ("." if ascii else "; a name has letters of two bytes.")
        rivals = ("Rival", "Rival") if ascii else ("Žofie-Řeháková", "Ωμέγα")
        thinks, thinks_long = (
            (Step(act, after - 1, client_owes=False),) for act in (Act.OPPONENT_THINKS, Act.OPPONENT_THINKS_LONG)
        )
        scenarios = (
            cls("bytes", bytewise, "framing", settings, opponents=rivals[:1], cut=Cut.BYTES, most=most),
            cls("joined", "Several messages come in one segment.", "framing", settings, cut=Cut.JOINED, most=most),
            cls("random-cuts", "Segments end in the middle of messages.", "framing", settings, cut=Cut.RANDOM, most=most,
                opponents=rivals[1:], client_first=False),
            cls("patience", "The opponent thinks for five seconds.", "turn", settings, steps=thinks, most=most),
            cls("half-a-minute", "The opponent thinks for half a minute, and nothing comes.", "turn", settings, slow=True,
                steps=thinks_long, most=most),
            cls("opponent-gone", "The opponent does not come back: the client wins.", "end", settings,
                steps=(Step(Act.OPPONENT_GONE, after),), grace=1.0),
            cls("own-drop", "The client's connection is lost in mid-match; it comes back.", "reconnect", settings,
                steps=(Step(Act.CLIENT_CUT, after),), needs_reconnect=True, most=most),
            cls("host-stops", "The host stops in good order in mid-match.", "closing", settings,
                steps=(Step(Act.HOST_STOPS, after),)),
            cls("host-killed", "The host is killed in mid-match.", "closing", settings, steps=(Step(Act.HOST_KILLED, after),)),
            cls("drop-in-own-turn", "The opponent's connection is lost and comes back in its own turn.", "drop", settings,
                steps=(*thinks, Step(Act.OPPONENT_DROPS, after - 1)), most=most),
            cls("own-drop-in-turn", "The client's connection is lost in its own turn.", "reconnect", settings, most=most,
                steps=(Step(Act.CLIENT_CUT, after + 1, client_owes=True),), client_first=False, needs_reconnect=True),
        )  # fmt: skip
        # The last two scenarios need turns.
        return scenarios if turns else scenarios[:-2]


@frozen
class Said:
    meaning: str
    #: Of a client's message: whether it breaks the document's rules as far as the client could know them, or is written
    #: in a form of its own. Of a server's message: whether it refuses a message of the client, and how bad that one
    #: was.
    grade: Grade | None = None
    #: The key of its law; empty: the name of its class.
    law: str = ""
    #: The advice for the client's author; empty: that of the law.
    do: str = ""


#: The text that replaces a secret.
HIDDEN = "***"
#: The secrets in a line of JSON. A line that is no message has no fields, and may contain a password nevertheless.
_JSON_SECRET = re.compile(
    r"""("(?:password|key|code|endpoint|auth|address|stop)"\s*:\s*"|"(?:username|nickname|nick)"\s*:\s*"[^":\\]*:)(?:[^"\\]|\\.)*"""
)


def printed_json(message: Any, raw: bytes) -> str:
    """A line of JSON as it is printed, without secrets."""
    return _JSON_SECRET.sub(rf"\1{HIDDEN}", printable(raw))


class Reading:
    """
    Follows one connection, and says what its messages mean.

    A wire's own reading names the fields that are never shown, in messages of both sides.
    """

    #: The fields of secrets.
    SECRETS: ClassVar[Sequence[str]] = ("password", "key")
    #: The fields of names, and the character behind which a secret may stand: `NAME:KEY` for a guest.
    NAMES: ClassVar[Mapping[str, str]] = {"username": ":", "nickname": ":", "nick": ":"}

    def redacted(self, message: Any) -> Any:
        """The same message without secrets. It is called before `said` and `heard`."""
        hidden = {name: HIDDEN for name in self.SECRETS if isinstance(getattr(message, name, None), str)}
        for name, mark in self.NAMES.items():
            who, found, _ = str(getattr(message, name, "")).partition(mark)
            hidden |= {name: f"{who}{mark}{HIDDEN}"} if found else {}
        if not hidden:
            return message
        if isinstance(message, msgspec.Struct):
            return msgspec.structs.replace(message, **hidden)
        return attrs.evolve(message, **hidden)

    def said(self, message: Any) -> Said:
        """The meaning of a client's message."""
        raise NotImplementedError

    def heard(self, message: Any) -> Said:
        """The meaning of a server's message."""
        raise NotImplementedError


@frozen
class WireChecks:
    wire: str
    #: The laws of the document: by the name of a message's class, and by the keys of `GENERAL`.
    laws: Mapping[str, Law]
    scenarios: Sequence[Scenario]
    #: Follows a connection; each has its own.
    new_reading: Callable[[], Reading]
    #: Whether there is one way only to write a message, so that a client that writes another one depends on leniency.
    canonical: bool = True
    #: A message as it is printed, from the message and its bytes; by default the bytes as text.
    printed: Callable[[Any, bytes], str] | None = None
    #: The fault in the bytes of one message by the wire's schema; empty: none. Called for messages that break the
    #: document.
    schema_fault: Callable[[bytes], str] = lambda data: ""
    #: Changes the bytes of a client's move into a move that the rules refuse; `None`: the wire has no such refusal.
    spoiled: Callable[[bytes], bytes | None] | None = None
    #: An illegal move in the game's notation, where an illegal move loses; empty: elsewhere.
    foul: bytes = b""
    #: The variables of a client's environment in a scenario, besides its address and name: values that it could not
    #: know otherwise.
    environment: Callable[[Scenario], Mapping[str, str]] = lambda scenario: {}
    #: The extension without which a client cannot know how to move, unless it reads the environment; empty: there is none.
    needed: str = ""
    #: The names of messages that may cross the end of a match on their way. Their refusal is no fault then.
    late: Collection[str] = ()
    #: Whether a refusal is no fault of the client, from what was known on the connection before it, and the refusal.
    excused: Callable[[Any, Any], bool] = lambda reading, refusal: False
    #: Faults that are visible in a whole session and in no single message, from the readings of its connections.
    at_the_end: Callable[[Sequence[Any]], Iterable[Said]] = lambda readings: ()


def seed_of(seed: int, scenario: str, earlier: int) -> int:
    """
    The seed of one scenario. It does not depend on which others are played.

    :param seed: of the whole check
    :param earlier: how often the scenario was played before: each time it has another seed
    """
    return seed * 1_000_003 + earlier * 10_007 + sum(map(ord, scenario))


#: The laws of all wires that are in no document.
COMMON: Mapping[str, Law] = {
    "connect": Law.beside(
        "what every client does",
        "The client connects to the address and the port that it was given.",
        "Take them from {host} and {port} in the command, or from GAMEHOST_HOST and GAMEHOST_PORT in the environment. Run the"
        " command by itself, and see whether the program starts.",
    ),
    "crash": Law.beside(
        "what every client does",
        "A client plays until the match is over.",
        "Look at what the program printed last, and at the last message that it was sent: it did not expect this one.",
    ),
    "needed": Law.beside(
        "an extension",
        "The document has no message that tells a client this, so another server may not tell it.",
        "Say so where your client is described. To be checked without the extension, it reads the environment.",
    ),
}

#: The keys of laws that every wire has, besides those of its messages.
GENERAL = ("framing", "login", "turn", "end", "drop", "reconnect", "closing")


#: The server's messages that refuse what a client has sent, on the wires without checks of their own.
REFUSALS = ("Refused", "Sorry", "Failed", "InvalidMove", "ErrorMessage")


class PlainReading(Reading):
    """Says the name of each message."""

    def said(self, message: Any) -> Said:
        return Said(type(message).__name__)

    def heard(self, message: Any) -> Said:
        """The name of a server's message. A refusal is marked."""
        name = type(message).__name__
        return Said(name, Grade.BREACH if name in REFUSALS else None)


def plain_checks(wire: str) -> WireChecks:
    """Checks without scenarios, for a wire that has none."""
    return WireChecks(wire, {}, (), PlainReading)


#: The fault of a move after an unanswered one.
TOO_EARLY = "the move before it is not answered yet"
AGAIN = "it was refused already, and nothing has changed"

#: How a refusal of something else than a move is marked, by what it refuses. A refused log-in is no fault: the name may just
#: be taken.
GRADES: Mapping[str, Grade | None] = {"log-in": Grade.NOTE, "help": None, "other": Grade.BREACH}


@frozen
class Sent:
    """A move that is not answered yet."""

    move: Any
    #: The same for what is refused for the same reason.
    written: Any
    #: The fault of the move, as far as the client could know it.
    wrong: str | None
    #: Whether the move ends the client's turn, as one that is accepted does.
    ends_turn: bool
    in_turn: bool


@define(eq=False)
class Unanswered:
    """The moves of one connection that are not answered yet, and those that were refused since the position changed."""

    _sent: list[Sent] = field(factory=list)
    _refused: list[Any] = field(factory=list)

    def __bool__(self) -> bool:
        return bool(self._sent)

    def send(
        self,
        move: Any,
        words: str,
        wrong: str | None,
        legal: str = "; legal",
        in_turn: bool = True,
        fatal: bool = False,
        written: Any = None,
    ) -> Said:
        """
        The client sends a move.

        :param move: the same for the same move
        :param words: the meaning of the move; empty: its fault describes it
        :param wrong: why the rules refuse it, as far as the client can know
        :param legal: behind the words of a move that is not wrong
        :param in_turn: whether it is the client's turn
        :param fatal: whether a wrong move ends the match
        :param written: the move with what else it may be refused for; `None`: nothing else
        :return: the meaning, with the grade
        """
        written = move if written is None else written
        if in_turn and any(one.ends_turn for one in self._sent):
            wrong, in_turn, fatal = TOO_EARLY, False, False
        elif wrong is None and written in self._refused:
            wrong = AGAIN
        self._sent.append(Sent(move, written, wrong, wrong is None or fatal, in_turn))
        if wrong is None:
            return Said(words + legal)
        return Said(f"{words}: {wrong}" if words else wrong, Grade.BREACH)

    def accepted(self, move: Any) -> None:
        self.position_changed()
        for one in self._sent:
            if one.move == move:
                self._sent.remove(one)
                break

    def position_changed(self) -> None:
        """A move was made. Moves that were refused before may be legal now."""
        self._refused.clear()

    def next_refused(self) -> Sent | None:
        """The move that a refusal is about; `None`: there is none."""
        return next((one for one in self._sent if not one.ends_turn), self._sent[0] if self._sent else None)

    def next_accepted(self) -> Sent | None:
        """The move that an answer is about which does not repeat it; `None`: there is none."""
        return next((one for one in self._sent if one.ends_turn), self._sent[0] if self._sent else None)

    def refused(self) -> Sent | None:
        """The server refuses a move: which one. `None`: none is unanswered."""
        one = self.next_refused()
        if one is not None:
            self._sent.remove(one)
            if one.in_turn:
                self._refused.append(one.written)
        return one

    def fatal(self) -> Sent | None:
        """The wrong move that ends the match, if there is one."""
        return next((one for one in self._sent if one.ends_turn and one.wrong is not None), None)

    def over(self) -> int:
        """
        The match is over.

        :return: how many moves were sent before the client could know of the end
        """
        fatal = self.fatal()
        crossed = len(self._sent) - (fatal is not None)
        self._sent.clear()
        self._refused.clear()
        return crossed


@frozen
class Outcome:
    scenario: Scenario
    verdict: Verdict
    findings: tuple[Finding, ...]
    seconds: float
    #: The messages and events of the scenario.
    lines: tuple[TranscriptLine, ...]
    #: The document's section on which the scenario rests.
    section: str


class Run:
    """
    One scenario, with a client or with a server: its findings, and its outcome.

    :param laws: the laws of the document
    """

    log = Logger()

    def __init__(self, clock: IReactorTime, laws: Mapping[str, Law], scenario: Scenario, seed: int) -> None:
        self.clock = clock
        self.scenario = scenario
        self.seed = seed
        self.chance = SeededChance(seed)
        self._laws = laws
        self._findings: list[Finding] = []
        self._began = clock.seconds()

    #: Whether there has been a connection, and with a server an answer.
    connected = True
    #: Whether the client has moved. Of a server that is no question.
    moved = True

    def start(self) -> None:
        """Play the scenario."""
        raise NotImplementedError

    def last_lines(self) -> tuple[TranscriptLine, ...]:
        """The last messages, the oldest first."""
        raise NotImplementedError

    def found(self, grade: Grade, title: str, law: str, happened: str, cause: str = "", do: str = "") -> None:
        """Add a finding, unless it is there already."""
        found = Finding(grade, title, self.law(law, do), happened, self.last_lines(), cause)
        if found not in self._findings:
            self._findings.append(found)

    @property
    def breached(self) -> bool:
        return any(finding.grade is Grade.BREACH for finding in self._findings)

    def law(self, key: str, do: str = "") -> Law:
        """A law by its key. The law about turns replaces laws that the document does not have."""
        law = COMMON.get(key) or self._laws[key if key in self._laws else "turn"]
        return evolve(law, do=do) if do else law

    def outcome(self, lines: Iterable[TranscriptLine], played: bool = True) -> Outcome:
        """The outcome. If there are no findings, it depends on whether the scenario could be played."""
        grades = {finding.grade for finding in self._findings}
        otherwise = Verdict.PASS if played else Verdict.SKIPPED
        verdict = next((Verdict(grade.value) for grade in Grade if grade in grades), otherwise)
        seconds = self.clock.seconds() - self._began
        section = self.law(self.scenario.law).section
        return Outcome(self.scenario, verdict, tuple(self._findings), seconds, tuple(lines), section)
