"""
The checks of clients of Eriantys in Java objects.

What the published programs say is in `docs/wires/eriantys-java.rst`; sections are the titles in it. There are no checks of
servers: the one published server is what the page was written from.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gamehost.checker.base import CLOSING, Act, Cut, Grade, Law, Said, Scenario, Step, WireChecks
from gamehost.checker.transcript import printable
from gamehost.games.eriantys.rules import TABLE_SEATS
from gamehost.wires.eriantys.checks import RequestReading, answers_of, questions_of
from gamehost.wires.eriantys_java import messages as m
from gamehost.wires.eriantys_java.messages import Color
from gamehost.wires.eriantys_java.objects import RESET

_ASKED = Law("Order", "The client answers the last request, once.", "Answer with a value that the request offers.")

LAWS: Mapping[str, Law] = {
    **{kind.__name__: _ASKED for kind in (m.ChosenTower, m.ChosenWizard, m.PlayAssistant, m.ChosenStudent)},
    **{kind.__name__: _ASKED for kind in (m.ChosenDestination, m.ChosenSteps, m.ChosenCloud)},
    "Ack": Law("Pace", "The client answers Ack to each message that is marked so.", "Send one Ack for each of them."),
    "Pong": Law("Pace", "The client answers Ping with Pong.", "Send Pong at once, also while the player thinks."),
    "framing": Law(
        "The stream",
        "The bytes are those of a java.io.ObjectOutputStream, with a reset behind each object.",
        "Write the classes of the page with their UIDs and fields. Read an object however many bytes one call gives you.",
    ),
    "login": Law(
        "Order",
        "The server sends ENTER_NICKNAME, and the client logs in.",
        "Connect to {host} and {port}; wait for ENTER_NICKNAME; log in as {name}; create or join a game of two.",
    ),
    "turn": Law(
        "Order",
        "One player is asked at a time, and answers with the message that belongs to the request.",
        "Answer each request once. After ErrorMessage answer again, with something else.",
    ),
    "end": Law("Order", "CommunicateWinner ends the game for all; the clients close.", "End after CommunicateWinner."),
    "drop": Law(
        "Order",
        "PlayerDisconnected may come at any place; the game goes on when the player is back.",
        "Wait: the game goes on with the next message.",
    ),
    "reconnect": Law(
        "Coming back",
        "Who logs in under the same name and joins the only game that is listed has the seat again.",
        "Connect again, log in, send RequestGames, and join the game of the list.",
    ),
    "closing": CLOSING,
}

_ANSWERS = answers_of(m)
_ASKS = questions_of(m)
_SAID: Mapping[type, Callable[[Any], str]] = {
    m.Ack: lambda message: "has handled the message",
    m.Pong: lambda message: "is there",
    m.Disconnect: lambda message: "leaves",
    m.LoginMessage: lambda message: f"logs in as {message.nickname}",
    m.RequestGames: lambda message: "asks for the games that wait",
    m.SetGame: lambda message: f"creates a game of {message.numberOfPlayers}",
    m.JoinAvailableGame: lambda message: f"joins game {message.gameID}",
    m.ChosenTower: lambda message: f"takes the towers {message.color}",
    m.ChosenWizard: lambda message: f"takes wizard {message.wizardID}",
    m.PlayAssistant: lambda message: f"plays {message.assistant}",
    m.ChosenStudent: lambda message: f"takes {message.student or 'no student'}",
    m.ChosenDestination: lambda message: (
        f"to island {message.destination}" if message.destination else "to the dining room"
    ),
    m.ChosenSteps: lambda message: f"mother nature goes {message.steps} steps",
    m.ChosenCloud: lambda message: f"takes cloud {message.cloud}",
    m.UseCharacterEffect: lambda message: f"uses {message.character}",
}
#: So many Acks may be missing: the last ones, which a client that ends does not send.
FEW = 3
#: Errors that are nobody's fault: another player has been quicker.
_RACES = (m.ErrorMessage.TAKEN_NICKNAME, m.ErrorMessage.FULL_GAME)


class JavaReading(RequestReading):
    """Follows one connection from the client's side."""

    ANSWERS, ASKS = _ANSWERS, _ASKS

    def __init__(self) -> None:
        super().__init__()
        self._name = ""
        self._board: m.UpdateBoard | None = None
        #: The student that waits for a destination.
        self._student: Color | None = None
        #: How many messages had to be acknowledged, and how many were.
        self.due = self.acknowledged = 0

    def redacted(self, message: Any) -> Any:
        """The message: nothing in it is secret."""
        return message

    def said(self, message: Any) -> Said:
        """What a message of the client means."""
        kind = type(message)
        self.acknowledged += kind is m.Ack
        if isinstance(message, m.LoginMessage):
            self._name = message.nickname or ""
        if isinstance(message, m.ChosenStudent) and self.asked is not None:
            self._student = message.student
        words = _SAID[kind](message)
        return self.answers(message, words) if kind in _ANSWERS.values() else Said(words)

    def wrong(self, message: Any, asked: Any) -> str | None:
        """Why the rules refuse an answer, as far as the client could know."""
        match asked, message:
            case m.AvailableTowers(), m.ChosenTower(color) if color is None or not asked.availableTowers.get(color):
                return "there is no place in this team"
            case m.AvailableWizards(wizards), m.ChosenWizard(wizard) if wizard not in wizards:
                return "the wizard is not in the list"
            case m.AvailableAssistants(hand, played), m.PlayAssistant(assistant):
                taken = [card for _, card in played]
                if assistant not in hand:
                    return "the assistant is not in the hand"
                if assistant in taken and any(card not in taken for card in hand):
                    return "another player has played it, and there are others"
            case ((m.MovableStudents() | m.MovableStudentsChar()), m.ChosenStudent(student)) if student is not None:
                return None if student in asked.students else "no such student is in the list"
            case m.WhereToMove(), m.ChosenDestination(destination):
                return self._wrong_destination(destination)
            case m.MotherNatureSteps(most), m.ChosenSteps(steps) if not 1 <= steps <= most:
                return f"expected 1 to {most}"
            case m.SelectCloud(), m.ChosenCloud(cloud) if self._board is not None:
                clouds = self._board.dashboard.clouds
                if not 0 <= cloud < len(clouds):
                    return "there is no such cloud"
                return None if clouds[cloud].students else "the cloud is empty"
        return None

    def _wrong_destination(self, destination: int) -> str | None:
        if self._board is None:
            return None
        islands = len(self._board.dashboard.islands)
        if not 0 <= destination <= islands:
            return f"expected 0 to {islands}"
        mine = next((one for one in self._board.players if one.nickname == self._name), None)
        if destination or mine is None or self._student is None:
            return None
        full = mine.schoolBoard.diningRoom.students.get(self._student, 0) >= TABLE_SEATS
        return "this table of the dining room is full" if full else None

    def heard(self, message: Any) -> Said:
        """What a message of the server means."""
        kind = type(message)
        self.due += m.is_due(message)
        match message:
            case m.ErrorMessage():
                self.refused()
                # The request does not come again, unless it stands behind this message.
                self.asked = self.answered[1] if self.answered is not None else self.asked
                return Said(f"refused: {message.value}", Grade.NOTE if message in _RACES else Grade.BREACH)
            case m.UpdateBoard():
                self._board = message
            case m.CommunicateWinner(nicknames):
                self.over()
                return Said(f"the game is over: {' and '.join(nicknames)}")
            case m.CommunicationMessage():
                if message is m.CommunicationMessage.SUCCESS:
                    self.accepted()
                return Said(message.value.lower().replace("_", " "))
        if kind in _ANSWERS:
            self.is_asked(message)
            self.goes_on()
            return Said(_ASKS[kind](message))
        return Said("")


def unacknowledged(readings: Sequence[JavaReading]) -> Iterator[Said]:
    """Whether the client has acknowledged anything, over all connections of a session."""
    if sum(one.due for one in readings) > FEW and not sum(one.acknowledged for one in readings):
        yield Said("the client acknowledges nothing", Grade.BREACH, "Ack")


#: Answers whose last field is a number of four bytes, and after whose refusal no request comes again.
_NUMBERED = tuple(kind.__name__.encode() for kind in (m.ChosenSteps, m.ChosenCloud))


def spoiled(data: bytes) -> bytes | None:
    """An answer with a number that no request offers."""
    if not any(name in data for name in _NUMBERED) or not data.endswith(RESET):
        return None
    return data[: -len(RESET) - 4] + (99).to_bytes(4, "big") + RESET


#: A quiet line: pings come in a scenario of their own. Who does not acknowledge is not waited for as long as by a host.
QUIET = {"eriantys-java.ping": "0", "eriantys-java.pace": "0", "eriantys-java.ack_seconds": "2"}
SCENARIOS = (
    Scenario("creates", "The client comes first, and creates a game or waits for one.", "turn", QUIET, most=400),
    Scenario("joins", "A game of two waits when the client comes.", "turn", QUIET, client_first=False, most=400),
    Scenario("wins", "The opponent leaves for good: CommunicateWinner comes at once.", "end", QUIET,
             steps=(Step(Act.OPPONENT_RESIGNS, 12),)),
    Scenario("bytes", "Every byte is a segment of its own; a nickname has letters of two bytes.", "framing", QUIET,
             opponents=("Žofie",), cut=Cut.BYTES, most=24),
    Scenario("random-cuts", "Segments end in the middle of objects.", "framing", QUIET, cut=Cut.RANDOM, most=24,
             client_first=False),
    Scenario("refused-answer", "The client's answer is refused once; it sends another one.", "turn", QUIET,
             steps=(Step(Act.MOVE_REFUSED, 10),), most=40),
    Scenario("pings", "The opponent thinks for five seconds, and Ping comes every second.", "Pong",
             {**QUIET, "eriantys-java.ping": "1"}, steps=(Step(Act.OPPONENT_THINKS, 12, client_owes=False),), most=40),
    Scenario("drop", "The opponent's connection is lost and comes back.", "drop", QUIET,
             steps=(Step(Act.OPPONENT_DROPS, 14, client_owes=True),), most=50),
    Scenario("own-drop", "The client's connection is lost in mid-game; it comes back.", "reconnect", QUIET,
             steps=(Step(Act.CLIENT_CUT, 14),), needs_reconnect=True, most=60),
    Scenario("host-killed", "The host is killed in mid-game.", "closing", QUIET, steps=(Step(Act.HOST_KILLED, 14),)),
)  # fmt: skip

CHECKS = WireChecks(
    *("eriantys-java", LAWS, SCENARIOS, JavaReading),
    canonical=False,
    printed=lambda message, raw: printable(repr(message).encode()),
    spoiled=spoiled,
    at_the_end=unacknowledged,
)
