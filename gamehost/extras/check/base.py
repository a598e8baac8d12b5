"""
The parts of a check: scenarios, the laws that they test, and findings.

A *scenario* is one trial of a client or server. A *law* is a rule of the wire's document. A *finding* is a fault that a
check has found. The checks of a wire are data: a `Judges`, which a package offers through an entry point
`gamehost.checks` under the wire's name.

Also the shared parts of *readings*, which follow a connection and judge its messages: a plain reading, and the unanswered moves
of a client. A client knows the position after the last message that it has received. It does not know yet whether an
unanswered move is accepted. So a further move is judged by whether the first move can still be accepted.
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
    """How bad a finding is, the worst grade first."""

    #: The document forbids what was seen.
    BREACH = "breach"
    #: What was seen works here by luck. With another network or another server it would fail.
    FRAGILE = "fragile"
    #: A fact that the author should know, but no fault.
    NOTE = "note"


class Verdict(StrEnum):
    """How a scenario ended."""

    PASS = "pass"
    BREACH = "breach"
    FRAGILE = "fragile"
    NOTE = "note"
    #: The scenario could not be played, and says nothing about the client or server.
    SKIPPED = "skipped"


@frozen
class Law:
    """A rule of a wire's document, with advice for an author of a program that breaks it."""

    #: The title of the document's section; for a law that is not in the document, the source of the law.
    section: str
    #: The rule, in our own words.
    says: str
    #: The advice for a client's author after a breach.
    do: str
    _documented: bool = True

    @classmethod
    def beside(cls, section: str, says: str, do: str) -> "Law":
        """Returns a law that is not in the wire's document, but in another document, in an extension, or in none."""
        return cls(section, says, do, False)

    @property
    def source(self) -> str:
        """The source of the law: `the document (Login)`, or `an extension`."""
        return f"the document ({self.section})" if self._documented else self.section


#: A law for every client of every wire, for the sake of its user.
CLOSING = Law.beside(
    "what every program owes its user",
    "When the server is gone, the client says so and ends.",
    "End with a message when the connection cannot be made again for half a minute.",
)


def laws(module: str, of: str) -> dict[str, Law]:
    """
    Reads the laws of a wire from the `.toml` file with the same name as a module, next to the module.

    A law in the file has a `section` of the document, or a source `beside` the document. Advice that several laws share has a
    key in the table `do`.

    :param module: the name of the module
    :param of: `clients` or `servers`; clients have the law `closing`, too
    :returns: the laws by their keys
    """
    folder, _, name = module.rpartition(".")
    told = tomllib.loads(files(folder).joinpath(f"{name}.toml").read_text("utf-8"))
    do = told.get("do", {})
    # A law is in the document if it has a section there.
    return ({"closing": CLOSING} if of == "clients" else {}) | {
        key: Law(law.get("section") or law["beside"], law["says"], do.get(law["do"], law["do"]), "section" in law)
        for key, law in told[of].items()
    }


@frozen
class TranscriptLine:
    """One message, or one event, of a scenario's transcript."""

    #: Seconds since the scenario began.
    t: float
    #: `client` or `host`; empty for an event.
    sender: str
    #: The message as printable text, without passwords.
    text: str
    #: The meaning of the message, in one line.
    meaning: str


@frozen
class Finding:
    """A fault of a client or a server, or another fact about it, that a scenario has found."""

    grade: Grade
    #: The fault in one line. Findings of the same grade, title and cause are the same finding.
    title: str
    #: The law that is broken.
    law: Law
    #: What was observed, in a sentence.
    happened: str
    #: The last messages before the fault, the oldest first.
    transcript: tuple[TranscriptLine, ...] = field(default=(), eq=False)
    #: The difference between findings of one title, such as the place of a crash; empty: there is none.
    cause: str = ""


class Cut(Enum):
    """How the bytes that the host sends are divided into segments."""

    #: Bytes are sent as the host writes them.
    NONE = "none"
    #: Every byte is a segment of its own.
    BYTES = "bytes"
    #: Messages are delayed for a moment, and sent in one segment.
    JOINED = "joined"
    #: Segments end at random places, most of them in the middle of a message.
    RANDOM = "random"


class Act(Enum):
    """Something that the checker does on purpose in the middle of a match. The texts stand in transcripts."""

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
    """An act of a scenario, with the moment at which the checker carries it out. It is carried out once."""

    act: Act
    #: The act comes after so many events of the table.
    after: int = 2
    #: Whether the act waits until the client must move (`True`), or until it need not move (`False`); `None`: it does not wait.
    client_owes: bool | None = None


@frozen
class Scenario:
    """A trial of a client or of a server: the conditions of a match, and what happens in the middle of it."""

    #: Lower case, with hyphens.
    name: str
    #: The purpose of the trial, in one sentence.
    tries: str
    #: The key of the law that the trial tests.
    law: str
    #: Settings of the host, by their full names.
    settings: Mapping[str, str] = {}
    #: Whether the host sends only messages of the document, and no extensions.
    strict: bool = False
    #: Whether the client comes before its opponents.
    client_first: bool = True
    #: How strong the opponents are.
    level: Level = Level.EASY
    #: The names of the opponents. If a table needs more opponents, more names are made.
    opponents: tuple[str, ...] = ("Rival",)
    #: The number of seats of a table that waits when the client comes, in a game for more than two players.
    seats: int = 2
    cut: Cut = Cut.NONE
    steps: tuple[Step, ...] = ()
    #: How many matches are played on one connection, if the client wants so many.
    matches: int = 1
    #: The most events at the table. After these the opponent gives up, so that each match ends.
    most: int = 200
    #: Whether the scenario is only for clients that come back after a lost connection (`--reconnect`).
    needs_reconnect: bool = False
    #: Whether the scenario takes long, and is played only with `--slow`.
    slow: bool = False
    #: For how many seconds a lost seat is reserved.
    grace: float = 60.0
    #: Makes opponents that lead the game to positions in which a mistake is likely; `None`: ordinary opponents.
    opponent: NewPlayer | None = None
    #: Draws the host's random numbers, whole numbers from 0 to n-1; `None`: the seed decides.
    below: Callable[[int], int] | None = None
    #: Settings of a table that waits when the client comes.
    table: Mapping[str, str] = {}
    #: Called with the game's master and the client's seat, while the client's connection is lost: changes the position to a
    #: rare one.
    lay: Callable[[Any, Seat], None] | None = None
    #: Plays a scenario for a server: called with the run; `None`: it is a scenario for clients.
    script: Callable[[Any], Awaitable[None]] | None = None
    #: Whether the host may refuse moves by a rule that the document does not have. Then a client is at fault only if it repeats
    #: refused moves.
    forgives: bool = False

    @classmethod
    def usual(
        cls, settings: Mapping[str, str], after: int, most: int, ascii: bool = False, turns: bool = True
    ) -> "Sequence[Scenario]":
        """
        Returns the scenarios for clients that all wires share.

        :param settings: settings of the host, by their full names
        :param after: the number of events after which a match is well under way
        :param most: the most events of a match
        :param ascii: whether names may have only letters of ASCII
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
    """The meaning of a message, and how a reading has judged it."""

    #: The meaning in words, for a transcript.
    meaning: str
    #: For a client's message: whether it breaks a rule that the client could know, or is written in an unusual form. For a
    #: server's message: whether it refuses a message of the client, and how bad that message was. `None`: there is no fault.
    grade: Grade | None = None
    #: The key of the law for a finding; empty: the name of the message's class.
    law: str = ""
    #: The advice for the client's author; empty: the advice of the law.
    do: str = ""


#: The text that replaces a secret.
HIDDEN = "***"
#: Finds the secrets in a line of JSON. It is used on the text, because a line that is not a message may contain a
#: password, too.
_JSON_SECRET = re.compile(
    r"""("(?:password|key|code|endpoint|auth|address|stop)"\s*:\s*"|"(?:username|nickname|nick)"\s*:\s*"[^":\\]*:)(?:[^"\\]|\\.)*"""
)


def printed_json(message: Any, raw: bytes) -> str:
    """Returns a line of JSON as printable text, without secrets. It is a `printed` of `WireChecks`."""
    return _JSON_SECRET.sub(rf"\1{HIDDEN}", printable(raw))


class Reading:
    """
    Reads the messages of one connection. It remembers what they say about the match, and returns the meaning of each
    message.

    A subclass for a wire names the fields with secrets, which are never shown.
    """

    #: The names of the fields with secrets, in messages of both sides.
    SECRETS: ClassVar[Sequence[str]] = ("password", "key")
    #: The fields with names of players, and the character after which a secret may follow: `NAME:KEY` for a guest.
    NAMES: ClassVar[Mapping[str, str]] = {"username": ":", "nickname": ":", "nick": ":"}

    def redacted(self, message: Any) -> Any:
        """
        Returns a message without its secrets, such as passwords. It is called before `said` and `heard`. A message
        without secrets is returned as it is, so that the caller can compare by `is`.
        """
        hidden = {name: HIDDEN for name in self.SECRETS if isinstance(getattr(message, name, None), str)}
        # A name may have a secret behind a mark, such as `NAME:KEY`. Only this part is hidden.
        for name, mark in self.NAMES.items():
            who, found, _ = str(getattr(message, name, "")).partition(mark)
            hidden |= {name: f"{who}{mark}{HIDDEN}"} if found else {}
        if not hidden:
            return message
        if isinstance(message, msgspec.Struct):
            return msgspec.structs.replace(message, **hidden)
        return attrs.evolve(message, **hidden)

    def said(self, message: Any) -> Said:
        """Updates what is known of the match by a message of the client, and returns what the message means."""
        raise NotImplementedError

    def heard(self, message: Any) -> Said:
        """Updates what is known of the match by a message of the server, and returns what the message means."""
        raise NotImplementedError


@frozen
class WireChecks:
    """The checks of a wire for clients: laws and scenarios, and how messages are read and printed."""

    wire: str
    #: The laws of the document, by the names of messages' classes, and by the keys of `GENERAL`.
    laws: Mapping[str, Law]
    scenarios: Sequence[Scenario]
    #: Makes a reading for each connection.
    new_reading: Callable[[], Reading]
    #: Whether each message can be written in one way only. Then a client that writes it in another way depends on lenient
    #: servers.
    canonical: bool = True
    #: Returns a message as printable text, from the message and its bytes; `None`: the bytes are printed as text.
    printed: Callable[[Any, bytes], str] | None = None
    #: Returns the fault in the bytes of a message by the wire's schema; empty: none. It is called for messages that break the
    #: document.
    schema_fault: Callable[[bytes], str] = lambda data: ""
    #: Changes the bytes of a client's move into a move that the rules refuse; `None`: the wire has no such refusal.
    spoiled: Callable[[bytes], bytes | None] | None = None
    #: An illegal move in the game's notation, for a game in which an illegal move loses; empty: for other games.
    foul: bytes = b""
    #: Returns variables for the environment of a client in a scenario: values that the client could not know otherwise.
    environment: Callable[[Scenario], Mapping[str, str]] = lambda scenario: {}
    #: The extension without which a client cannot know how to move, unless it reads the environment; empty: there is none.
    needed: str = ""
    #: The names of messages that a client may send before it can know of the end of a match. Refusing them is no fault then.
    late: Collection[str] = ()
    #: Returns whether a refusal is no fault of the client, from the reading of the connection and the refusal.
    excused: Callable[[Any, Any], bool] = lambda reading, refusal: False
    #: Finds faults that are visible only in a whole session, from the readings of its connections.
    at_the_end: Callable[[Sequence[Any]], Iterable[Said]] = lambda readings: ()


def seed_of(seed: int, scenario: str, earlier: int) -> int:
    """
    Returns the seed of one scenario. It does not depend on which other scenarios are played.

    :param seed: the seed of the whole check
    :param scenario: the name of the scenario
    :param earlier: how often the scenario was played before in this check. Each time it gets another seed.
    """
    # The primes keep seeds of different checks, repetitions and scenarios apart.
    return seed * 1_000_003 + earlier * 10_007 + sum(map(ord, scenario))


#: The laws for all wires that are in no document.
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

#: The keys of the laws that every wire must have, besides the laws for its messages.
GENERAL = ("framing", "login", "turn", "end", "drop", "reconnect", "closing")


#: The server's messages that refuse what a client has sent, on the wires without checks of their own.
REFUSALS = ("Refused", "Sorry", "Failed", "InvalidMove", "ErrorMessage")


class PlainReading(Reading):
    """A reading for a wire without checks: the meaning of a message is the name of its class."""

    def said(self, message: Any) -> Said:
        return Said(type(message).__name__)

    def heard(self, message: Any) -> Said:
        """Returns the name of a server's message. A refusal is marked as a breach of the client."""
        name = type(message).__name__
        return Said(name, Grade.BREACH if name in REFUSALS else None)


def plain_checks(wire: str) -> WireChecks:
    """Returns checks without laws and scenarios, so that a wire without checks can be traced."""
    return WireChecks(wire, {}, (), PlainReading)


#: The fault of a move that is sent before the last one was answered.
TOO_EARLY = "the move before it is not answered yet"
#: The fault of a move that is sent again although it was refused.
AGAIN = "it was refused already, and nothing has changed"

#: The grades of refusals that are not about moves, by what is refused. A refused log-in is no fault, because the name may be
#: taken.
GRADES: Mapping[str, Grade | None] = {"log-in": Grade.NOTE, "help": None, "other": Grade.BREACH}


@frozen
class Sent:
    """A move of the client that is not answered yet."""

    move: Any
    #: A value that is equal for moves that would be refused for the same reason.
    written: Any
    #: The fault of the move, as far as the client could know it; `None`: it has none.
    wrong: str | None
    #: Whether the move ends the client's turn: it will be accepted, or it ends the match.
    ends_turn: bool
    #: Whether the client sent it in its own turn.
    in_turn: bool


@define(eq=False)
class Unanswered:
    """
    Follows the moves of a client on one connection: the moves that are not answered yet, and the moves that were refused since
    the position has changed.
    """

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
        Judges a move that the client sends, and remembers it until the server answers.

        :param move: a value that is equal for equal moves
        :param words: the meaning of the move; empty: only the fault is shown
        :param wrong: why the rules refuse the move, as far as the client can know; `None`: they do not
        :param legal: words that follow the meaning of a move without fault
        :param in_turn: whether it is the client's turn
        :param fatal: whether a wrong move ends the match
        :param written: the move with further values for which the server may refuse it. Only if all of these are equal,
            the client repeats a refused move. `None`: the move has no such values
        :return: the meaning of the move, with its grade
        """
        written = move if written is None else written
        # An unanswered move ends the client's turn already, so this one comes too early.
        if in_turn and any(one.ends_turn for one in self._sent):
            wrong, in_turn, fatal = TOO_EARLY, False, False
        # The server has refused an equal move, and the position has not changed since then.
        elif wrong is None and written in self._refused:
            wrong = AGAIN
        self._sent.append(Sent(move, written, wrong, wrong is None or fatal, in_turn))
        if wrong is None:
            return Said(words + legal)
        return Said(f"{words}: {wrong}" if words else wrong, Grade.BREACH)

    def accepted(self, move: Any) -> None:
        """Called when the server has accepted a move: it is answered, and the position has changed."""
        self.position_changed()
        for one in self._sent:
            if one.move == move:
                self._sent.remove(one)
                break

    def position_changed(self) -> None:
        """Called when any move was made. Moves that were refused before may be legal now."""
        self._refused.clear()

    def next_refused(self) -> Sent | None:
        """Returns the move that the next refusal is about: the first wrong one; `None`: no move is unanswered."""
        return next((one for one in self._sent if not one.ends_turn), self._sent[0] if self._sent else None)

    def next_accepted(self) -> Sent | None:
        """
        Returns the move that the next acceptance is about, if the message does not contain the move; `None`: no move is
        unanswered.
        """
        return next((one for one in self._sent if one.ends_turn), self._sent[0] if self._sent else None)

    def refused(self) -> Sent | None:
        """Called when the server refuses a move. Returns the refused move; `None`: no move is unanswered."""
        one = self.next_refused()
        if one is not None:
            self._sent.remove(one)
            # A move out of turn may be sent again when it is the client's turn.
            if one.in_turn:
                self._refused.append(one.written)
        return one

    def fatal(self) -> Sent | None:
        """Returns the unanswered wrong move that ends the match; `None`: there is none."""
        return next((one for one in self._sent if one.ends_turn and one.wrong is not None), None)

    def over(self) -> int:
        """
        Called when the match is over. Forgets all moves.

        :return: how many moves the client had sent before it could know of the end
        """
        fatal = self.fatal()
        # A wrong move that has ended the match was sent before the end for its own reason, so it is not counted.
        crossed = len(self._sent) - (fatal is not None)
        self._sent.clear()
        self._refused.clear()
        return crossed


@frozen
class Outcome:
    """The outcome of a scenario: its verdict, findings and transcript."""

    scenario: Scenario
    verdict: Verdict
    findings: tuple[Finding, ...]
    seconds: float
    #: The transcript: all messages and events.
    lines: tuple[TranscriptLine, ...]
    #: The section of the document with the law that the scenario tests.
    section: str


class Run:
    """
    Plays one scenario with a client or a server, and collects the findings. Subclasses do one or the other.

    :param laws: the laws of the document, by their keys
    """

    log = Logger()

    def __init__(self, clock: IReactorTime, laws: Mapping[str, Law], scenario: Scenario, seed: int) -> None:
        """
        Makes the run of a scenario.

        :param laws: the laws of the wire, by their keys
        :param seed: the seed of all chance in the scenario
        """
        self.clock = clock
        self.scenario = scenario
        self.seed = seed
        self.chance = SeededChance(seed)
        self._laws = laws
        self._findings: list[Finding] = []
        self._began = clock.seconds()

    #: Whether the client has connected, or the server has answered.
    connected = True
    #: Whether the client has made a move. It is always true for a server.
    moved = True

    def start(self) -> None:
        """Begins to play the scenario."""
        raise NotImplementedError

    def last_lines(self) -> tuple[TranscriptLine, ...]:
        """Returns the last messages, the oldest first."""
        raise NotImplementedError

    def found(self, grade: Grade, title: str, law: str, happened: str, cause: str = "", do: str = "") -> None:
        """
        Adds a finding, unless an equal one was added before. See `Finding` for the other parameters.

        :param law: the key of the law that is broken
        :param do: the advice for the author; empty: the advice of the law
        """
        found = Finding(grade, title, self.law(law, do), happened, self.last_lines(), cause)
        if found not in self._findings:
            self._findings.append(found)

    @property
    def breached(self) -> bool:
        """Whether a breach was found."""
        return any(finding.grade is Grade.BREACH for finding in self._findings)

    def law(self, key: str, do: str = "") -> Law:
        """
        Returns a law by its key. Each wire has a law about turns, which is used instead of a law that this wire's
        document does not have.

        :param do: replaces the advice of the law, if it is not empty
        """
        law = COMMON.get(key) or self._laws[key if key in self._laws else "turn"]
        return evolve(law, do=do) if do else law

    def outcome(self, lines: Iterable[TranscriptLine], played: bool = True) -> Outcome:
        """
        Returns the outcome of the scenario. The worst finding decides the verdict.

        :param lines: the transcript
        :param played: whether the scenario could be played. If not, a scenario without findings counts as skipped.
        """
        grades = {finding.grade for finding in self._findings}
        otherwise = Verdict.PASS if played else Verdict.SKIPPED
        # `Grade` lists the worst grade first.
        verdict = next((Verdict(grade.value) for grade in Grade if grade in grades), otherwise)
        seconds = self.clock.seconds() - self._began
        section = self.law(self.scenario.law).section
        return Outcome(self.scenario, verdict, tuple(self._findings), seconds, tuple(lines), section)
