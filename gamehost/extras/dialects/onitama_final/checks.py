"""
The checks of clients of Onitama's final dialect.

The protocol of the published programs is in `docs/extras/dialects/onitama-final.rst`; sections are the titles in it.
"""

from collections.abc import Sequence
from typing import Any

from gamehost.extras.check.base import Said, WireChecks, laws
from gamehost.extras.check.wires.onitama import OnitamaReading, dealt, scenarios
from gamehost.extras.dialects.onitama_final import messages as m
from gamehost.extras.dialects.onitama_final.client import SQUARES
from gamehost.extras.dialects.onitama_final.conversation import square_at
from gamehost.games.onitama.rules import BLACK, START, WHITE, Position, Square
from gamehost.ops import printable
from gamehost.programs.clients import Judges

LAWS = laws(__name__, "clients")


class FinalReading(OnitamaReading):
    """Follows a match on one connection, and judges the client's messages."""

    ADVICE = {
        **OnitamaReading.ADVICE,
        "no piece of yours stands on the start square": "A square is its row and then its column. Row 0 is the top row, where"
        " Black's pieces start, for both players. Follow MOVE_WAS_MADE for both sides.",
        "that card does not lead there": "The first number of a step goes to the right and the second one forward, as its"
        " player sees the board. For Black both are turned: right is towards column 0, and forward towards row 4.",
    }

    def of_any_time(self, message: Any) -> Said | None:
        """Judges a message that is possible at any time; `None`: it is another message."""
        match message:
            case m.Login(name):
                return self.logs_in(name)
            case m.Ping():
                return Said("asks whether the server is there")
            case m.HelpAsked():
                self.open.append("help")
                return Said("asks for help")
        return None

    def of_a_match(self, message: Any) -> Said:
        """Judges a message that belongs to a match."""
        match message:
            case m.MakeMove():
                return self.moves(message.card, *_squares(message))
            case m.MakePass(card):
                return self.exchanges(card)
            case m.WrongFields("MAKE_MOVE" | "MAKE_PASS", expected) if self.turn is not None:
                return self.sends(message, "", f"expected {expected}")
        return self.no_message()

    def heard(self, message: Any) -> Said:
        """
        Updates what is known of the match by a message of the server. Returns what the message means, and for a refusal
        how bad the refused message was.
        """
        match message:
            case m.InvalidMove(reason):
                return self.refused(reason)
            case m.Failed(reason):
                return self.failed(reason)
        return Said(self._told(message))

    def _told(self, message: Any) -> str:
        """Updates what is known of the match by a message of the server about it. Returns what the message means."""
        match message:
            case m.Start(black, white, cards):
                return self.begins(white, black, _position(cards, START, WHITE))
            case m.MoveWasMade():
                return self.moved(message.card, *_squares(message))
            case m.PassWasMade(card):
                self.exchanged(card, None)
                return f"{card} is exchanged for the spare; the turn passes"
            case m.Disconnect(name):
                return f"{name} has lost the connection"
            case m.Reconnect(name):
                return f"{name} is back"
            case m.Restore(_, _, cards, white_is_you, white_to_move, board):
                turn = WHITE if white_to_move else BLACK
                self.goes_on(WHITE if white_is_you else BLACK, turn)
                # The wire's first row is the game's last one.
                rows = ["".join(SQUARES.get(square, ".") for square in board[at : at + 5]) for at in range(0, 25, 5)]
                self.position = _position(cards, "".join(reversed(rows)), turn)
                return f"how the match stands; {'White' if white_to_move else 'Black'} is to move"
            case m.GameOver(winner):
                return self.over(winner)
            case m.Waiting():
                return self.waiting()
            case m.Ping():
                return "the server is there"
        return ""


def _squares(move: m.MakeMove | m.MoveWasMade) -> tuple[tuple[Square | None, Square | None], str]:
    """Returns the start and the end of a move as squares, and as they are written."""
    squares = square_at(move.start_row, move.start_column), square_at(move.end_row, move.end_column)
    return squares, f"{move.start_row}|{move.start_column}-{move.end_row}|{move.end_column}"


def _position(cards: Sequence[str], board: str, turn: int) -> Position | None:
    """Returns the position with the cards of a message: two of Black, the spare, two of White."""
    return dealt(cards[3:], cards[:2], cards[2], board, turn)


def spoiled(data: bytes) -> bytes | None:
    """Changes a move so that it ends on its start square. No card allows that. Returns `None` for other messages."""
    words = data.rstrip(b"\0").split(b"|")
    return b"|".join([*words[:4], *words[2:4]]) + b"\0" if words[0] == b"MAKE_MOVE" and len(words) == 6 else None


CHECKS = WireChecks(
    "onitama-final",
    LAWS,
    scenarios("MakePass"),
    new_reading=FinalReading,
    spoiled=spoiled,
    printed=lambda message, raw: printable(raw.rstrip(b"\0")),
)

JUDGES = Judges(CHECKS)
