"""
The checks of clients of Eriantys in Java objects.

The protocol of the published programs is in `docs/extras/dialects/eriantys-java.rst`; sections are the titles in it.
There are no checks of servers: the page was written from the one published server.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gamehost.extras.check.base import Act, Cut, Grade, Law, Said, Scenario, Step, WireChecks, laws
from gamehost.extras.check.wires.eriantys import RequestReading, question
from gamehost.extras.dialects.eriantys_java import messages as m
from gamehost.extras.dialects.eriantys_java.objects import RESET
from gamehost.ops import printable
from gamehost.programs.clients import Judges

_ASKED = Law("Order", "The client answers the last request, once.", "Answer with a value that the request offers.")

LAWS: Mapping[str, Law] = {
    **{kind.__name__: _ASKED for kind in (m.ChosenTower, m.ChosenWizard, m.PlayAssistant, m.ChosenStudent)},
    **{kind.__name__: _ASKED for kind in (m.ChosenDestination, m.ChosenSteps, m.ChosenCloud)},
    **laws(__name__, "clients"),
}

#: The most Acks that may be missing. A client that ends does not send the last ones.
FEW = 3


class JavaReading(RequestReading):
    """Follows the requests to a client on one connection, and judges its answers."""

    MEANT = {
        "Ack": lambda _: "has handled the message",
        "ChosenTower": lambda tower: f"takes the towers {tower}",
        "PlayAssistant": lambda assistant: f"plays {assistant}",
        "ChosenStudent": lambda student: f"takes {student or 'no student'}",
        "UseCharacterEffect": lambda character: f"uses {character}",
    }
    RACES = (m.ErrorMessage.TAKEN_NICKNAME, m.ErrorMessage.FULL_GAME)

    #: How many messages had to be acknowledged, and how many were.
    due = acknowledged = 0

    def said(self, message: Any) -> Said:
        """
        Updates what is known of the match by a message of the client. Returns what the message means, marked if it is
        wrong.
        """
        self.acknowledged += isinstance(message, m.Ack)
        words = (
            f"creates a game of {message.numberOfPlayers}" if isinstance(message, m.SetGame) else self.noted(message)
        )
        return self.meaning(message, words or "")

    def students_on(self, cloud: Any) -> int:
        return len(cloud.students)

    def seated(self, player: Any, colour: Any) -> int:
        seated: int = player.schoolBoard.diningRoom.students.get(colour, 0)
        return seated

    def heard(self, message: Any) -> Said:
        """Updates what is known of the match by a message of the server, and returns what the message means."""
        self.due += m.is_due(message)
        match message:
            case m.ErrorMessage():
                self.refused()
                # The request is open again. It is not repeated, unless it follows this message.
                self.asked = self.answered[1] if self.answered is not None else self.asked
                return Said(f"refused: {message.value}", Grade.NOTE if message in self.RACES else Grade.BREACH)
            # The last board is needed to judge answers.
            case m.UpdateBoard():
                self.board = message
            case m.CommunicateWinner(nicknames):
                self.over()
                return Said(f"the game is over: {' and '.join(nicknames)}")
            case m.CommunicationMessage():
                if message is m.CommunicationMessage.SUCCESS:
                    self.accepted()
                return Said(message.value.lower().replace("_", " "))
        if self.is_asked(message):
            self.goes_on()
            return Said(question(message))
        return Said("")


def unacknowledged(readings: Sequence[JavaReading]) -> Iterator[Said]:
    """Yields a breach if the client has acknowledged nothing on all connections of a session."""
    if sum(one.due for one in readings) > FEW and not sum(one.acknowledged for one in readings):
        yield Said("the client acknowledges nothing", Grade.BREACH, "Ack")


#: The names of answers that end with a number of four bytes. After their refusal no new request comes.
_NUMBERED = tuple(kind.__name__.encode() for kind in (m.ChosenSteps, m.ChosenCloud))


def spoiled(data: bytes) -> bytes | None:
    """Changes the number in an answer to one that no request offers. Returns `None` for other messages."""
    if not any(name in data for name in _NUMBERED) or not data.endswith(RESET):
        return None
    # The number is the last four bytes of the object.
    return data[: -len(RESET) - 4] + (99).to_bytes(4, "big") + RESET


#: Settings without pings, which have a scenario of their own. The wait for a missing Ack is shorter than usual.
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
    "eriantys-java",
    LAWS,
    SCENARIOS,
    new_reading=JavaReading,
    canonical=False,
    printed=lambda message, raw: printable(repr(message).encode()),
    spoiled=spoiled,
    at_the_end=unacknowledged,
)

JUDGES = Judges(CHECKS)
