"""
The checks of Stratego in binary frames.

The document is *Stratego game*: it lists the frames by number, and the course of a game in thirteen numbered sentences.
"""

from collections.abc import Mapping
from typing import Any

from gamehost.checker.base import Act, Cut, Grade, Law, Said, Scenario, Step, WireChecks
from gamehost.checker.steering import AttacksFromAfar
from gamehost.games.stratego.pieces import KINDS
from gamehost.players.base import Level
from gamehost.wires.stratego_frames import messages as m
from gamehost.wires.stratego_frames.codec import HEADER, MOVE

#: The Two-Squares rule is not in the document, so a client need not know it.
FREE = {"stratego.two_squares": "0"}

LAWS: Mapping[str, Law] = {
    "SignOn": Law(
        "Client Frames, 1 Sign On Frame",
        "The client signs on with the user's name, once for each game.",
        "Send Sign On first, once, and again only after Game Over.",
    ),
    "Setup": Law(
        "Client Frames, 2 Setup Frame",
        "A Setup Frame places one piece: a char and two ints. The first player has the rows 0 to 3, the second 6 to 9.",
        "Place each of the forty pieces once, on an empty square of your own four rows. x is the column, y the row.",
    ),
    "Ready": Law(
        "Client Frames, 3 Ready Frame",
        "The client says that it has placed its pieces and is ready: the String ready.",
        "Send Ready once, after the fortieth Placement Valid or at least behind the fortieth Setup.",
    ),
    "Move": Law(
        "Client Frames, 4 Move Frame; Protocol, 9 and 10",
        "A Move Frame has four ints: the square of the piece and its target. A move out of turn or against the rules is"
        " answered Move Invalid.",
        "Move in your own turn only, a piece of the last Board. After Move Invalid send another move.",
    ),
    "Resign": Law("(an extension)", "Resign gives the game up.", "Send Resign during a game only."),
    "framing": Law(
        "(the course's lab notes)",
        "A frame is *, a type, a sequence number of two bytes, a size of two bytes, and so many bytes of payload.",
        "Read six bytes, then as many as the size says. Write ints with writeInt, chars with writeChar, Strings with writeUTF.",
    ),
    "login": Law(
        "Protocol, 1",
        "The first user sends a Sign On Frame.",
        "Connect to {host} and {port}, and sign on as {name}.",
    ),
    "turn": Law(
        "Protocol, 5 to 10",
        "After Connected both users place their pieces and send Ready; from Playing on they move by turns.",
        "The user named in Playing moves first. Each Move or Battle of one side is followed by the turn of the other.",
    ),
    "end": Law(
        "Protocol, 13; Server Frames, 10 Game Over Frame",
        "Game Over names the user who has won.",
        "End the program after the last Game Over, or when the connection is closed.",
    ),
    "drop": Law(
        "(not in the document)",
        "The other player's connection may be lost and come back; the document has no frame for it.",
        "Wait: the game goes on with the other's next move. During the set-up Wait and Connected may come again.",
    ),
    "reconnect": Law(
        "(an extension)",
        "A player whose connection was lost signs on again under the same name, and gets Playing and the Board.",
        "Connect again, sign on with the same name, and go on from Playing and Board, or place what the Board lacks.",
    ),
    "closing": Law(
        "(what every program owes its user)",
        "When the server is gone, the client says so and ends.",
        "End with a message when the connection cannot be made again for half a minute.",
    ),
}

_OFF = "no such square; x and y are 0 to 9"


class FramesReading:
    """Follows one session from the client's side."""

    def __init__(self) -> None:
        self._name = ""
        self._board = ""
        self._own_turn: bool | None = None
        self._placed = 0

    def redacted(self, message: Any) -> Any:
        """A key behind the name is hidden."""
        if isinstance(message, m.SignOn) and message.username is not None and ":" in message.username:
            return m.SignOn(message.username.split(":")[0] + ":***")
        return message

    def said(self, message: Any) -> Said:
        """What a frame of the client means."""
        match message:
            case m.SignOn(name):
                self._name = (name or "").split(":")[0]
                return Said(f"signs on as {self._name}")
            case m.Setup(piece, x, y):
                self._placed += 1
                known = KINDS.get(piece)
                if known is None:
                    return Said("no such piece", Grade.BREACH)
                return Said(f"places the {known.name} at ({x},{y})")
            case m.Ready():
                return Said(f"is ready, after {self._placed} placements")
            case m.Move(x, y, to_x, to_y):
                return self._moves(x, y, to_x, to_y)
            case m.Resign():
                return Said("gives the game up")
        return Said("this is no frame of a client", Grade.BREACH)

    def _moves(self, x: int, y: int, to_x: int, to_y: int) -> Said:
        if not all(0 <= number <= 9 for number in (x, y, to_x, to_y)):
            return Said(_OFF, Grade.BREACH)
        words = f"({x},{y}) to ({to_x},{to_y})"
        if not self._board:
            return Said(f"moves {words}")
        piece = KINDS.get(self._board[y * 10 + x])
        if self._own_turn is False:
            return Said(f"{words}: it is the other's turn", Grade.BREACH)
        if piece is None:
            return Said(f"{words}: no piece of the client stands there", Grade.BREACH)
        return Said(f"{piece.name} {words}")

    def heard(self, message: Any) -> str:
        """What a frame of the server means."""
        match message:
            case m.Connected():
                self._board, self._placed, self._own_turn = "", 0, None
            case m.Playing(name):
                self._own_turn = name == self._name
                return f"both are ready; {name} is to move"
            case m.Move(x, y, to_x, to_y):
                return self._turn(f"a piece moves ({x},{y}) to ({to_x},{to_y})")
            case m.Battle(winner, attacker, defender):
                words = f"{KINDS[attacker].name} attacks {KINDS[defender].name}: "
                return self._turn(words + ("both are gone" if winner == "tie" else f"{winner} wins"))
            case m.Board(squares):
                self._board = squares
                return "the board as this player may see it"
            case m.GameOver(winner):
                self._board, self._own_turn = "", None
                return "the game is over: " + ("a draw" if winner == "tie" else f"{winner} has won")
            case m.Error(reason):
                return f"the server says: {reason}"
            case m.Side(side):
                return "the client has the rows " + ("0 to 3" if side == "1" else "6 to 9")
        return _WORDS.get(type(message), "")

    def _turn(self, words: str) -> str:
        if self._own_turn is not None:
            self._own_turn = not self._own_turn
        return words


_WORDS: Mapping[type, str] = {
    m.Wait: "there is no other player now",
    m.Connected: "another player is there; the set-up begins",
    m.PlacementValid: "the piece is placed",
    m.PlacementInvalid: "the placement, or Ready, is not accepted",
    m.MoveInvalid: "the move is not accepted",
}


def printed(message: Any, raw: bytes) -> str:
    """The fields by name, and the bytes."""
    shown = repr(message) if len(raw) <= 64 else f"{type(message).__name__}(...)"
    digits = raw[:24].hex(" ").upper()
    return f"{shown}  [{digits}{' ...' if len(raw) > 24 else ''}]"


def spoiled(data: bytes) -> bytes | None:
    """A move onto the square on which it began."""
    if len(data) != HEADER.size + MOVE.size or data[1] != 4:
        return None
    start = data[HEADER.size : HEADER.size + 8]
    return data[: HEADER.size] + start + start


SCENARIOS = (
    Scenario("first-player", "The client signs on first and has the rows 0 to 3.", "turn", FREE, most=130),
    Scenario("second-player", "The client signs on second and has the rows 6 to 9.", "Setup", FREE, client_first=False,
             most=130),
    Scenario("whole-game", "A long game against a player at random.", "turn", FREE, level=Level.RANDOM, most=280),
    Scenario("loses", "A game against an opponent of middle strength.", "end", FREE, level=Level.MEDIUM, most=240,
             client_first=False),
    Scenario("wins-at-once", "The opponent gives up before the first move.", "end", FREE,
             steps=(Step(Act.OPPONENT_RESIGNS, 84),)),
    Scenario("wins-in-set-up", "The opponent gives up during the set-up.", "end", FREE,
             steps=(Step(Act.OPPONENT_THINKS, 0), Step(Act.OPPONENT_RESIGNS, 20))),
    Scenario("two-games", "The client signs on again after Game Over, on the same connection.", "end", FREE, matches=2,
             most=96),
    Scenario("bytes", "Every byte is a segment of its own; a name has letters of two bytes.", "framing", FREE,
             opponents=("Žofie",), cut=Cut.BYTES, most=100),
    Scenario("joined", "Several frames come in one segment.", "framing", FREE, cut=Cut.JOINED, most=110),
    Scenario("random-cuts", "Segments end in the middle of frames.", "framing", FREE, cut=Cut.RANDOM, most=110,
             client_first=False),
    Scenario("refused-move", "The client's move is refused once; it sends another one.", "Move", FREE,
             steps=(Step(Act.MOVE_REFUSED, 86),), most=100),
    Scenario("patience", "The opponent thinks for five seconds.", "turn", FREE,
             steps=(Step(Act.OPPONENT_THINKS, 85, client_owes=False),), most=96),
    Scenario("drop", "The opponent's connection is lost and comes back during play.", "drop", FREE,
             steps=(Step(Act.OPPONENT_DROPS, 86, client_owes=True),), most=100),
    Scenario("drop-in-set-up", "The opponent drops during the set-up.", "drop", FREE,
             steps=(Step(Act.OPPONENT_THINKS, 0), Step(Act.OPPONENT_DROPS, 10)), most=96),
    Scenario("opponent-gone", "The opponent does not come back: the client wins.", "end", FREE,
             steps=(Step(Act.OPPONENT_GONE, 86),), grace=1.0),
    Scenario("strict", "The documented frames only.", "framing", FREE, strict=True, most=110),
    Scenario("strict-second", "The documented frames only, as the second player.", "framing", FREE, strict=True,
             client_first=False, most=110),
    Scenario("strict-refused", "The documented frames only, and a move is refused.", "Move", FREE, strict=True,
             steps=(Step(Act.MOVE_REFUSED, 86),), most=100),
    Scenario("own-drop", "The client's connection is lost during play; it comes back.", "reconnect", FREE,
             steps=(Step(Act.CLIENT_CUT, 86),), needs_reconnect=True, most=110),
    Scenario("own-drop-in-set-up", "The client's connection is lost during the set-up.", "reconnect", FREE,
             steps=(Step(Act.OPPONENT_THINKS, 0), Step(Act.CLIENT_CUT, 20)), needs_reconnect=True, most=100),
    Scenario("scouts", "The opponent's scouts move far, and attack from afar.", "turn", FREE, opponent=AttacksFromAfar,
             client_first=False, most=130),
    Scenario("two-squares", "The Two-Squares rule may refuse a move that goes to and fro.", "Move",
             {"stratego.two_squares": "3"}, forgives=True, most=150),
    Scenario("half-a-minute", "The opponent thinks for half a minute, and nothing comes.", "turn", FREE, slow=True,
             steps=(Step(Act.OPPONENT_THINKS_LONG, 85, client_owes=False),), most=96),
    Scenario("host-stops", "The host stops in good order during play.", "closing", FREE, steps=(Step(Act.HOST_STOPS, 86),)),
    Scenario("host-killed", "The host is killed during play.", "closing", FREE, steps=(Step(Act.HOST_KILLED, 86),)),
)  # fmt: skip

CHECKS = WireChecks(
    "stratego-frames", LAWS, SCENARIOS, FramesReading, canonical=False, printed=printed, spoiled=spoiled
)
