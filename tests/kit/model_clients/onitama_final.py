"""A speaker of the final dialect of Onitama."""

import random
from collections.abc import Sequence

from gamehost.games.base import Seat
from gamehost.games.onitama.cards import Card, Square
from gamehost.games.onitama.master import Dealt, Exchanged, Moved, Situation
from gamehost.games.onitama.position import START, Exchange, Move, Position
from gamehost.journal.records import TableId
from gamehost.tables.interfaces import Back, Over
from tests.kit.model_clients.onitama import OnitamaClient

PIECES = {"wK": "K", "wP": "P", "bK": "k", "bP": "p", "--": "."}


def square(row: str, column: str) -> Square:
    """The square in a row from the top and a column from the left."""
    return (4 - int(row)) * 5 + int(column)


def place(at: Square) -> str:
    """The opposite."""
    return f"{4 - at // 5}|{at % 5}"


def cards(position: Position) -> str:
    """Black's cards, the spare, White's cards."""
    white, black = position.hands
    return "|".join((*black, position.spare, *white))


def position_of(words: Sequence[str], board: str, turn: int) -> Position:
    """A position with five cards as words."""
    black, other, spare, white, last = map(Card, words)
    return Position(((white, last), (black, other)), spare, board, turn)


class OnitamaFinalClient(OnitamaClient):
    """Follows the position from START or the long RECONNECT on."""

    wire = "onitama-final"

    def hear(self, line: str) -> None:
        match line.split("|"):
            case ["WAITING", _]:
                self.inside = True
            case ["START", _, white, *dealt]:
                self.inside = True
                self._seat = 0 if white == self.name else 1
                self._position = position_of(dealt, START, 0)
            case ["RECONNECT", _, _, *held] if held:
                self.inside = True
                self._seat = 0 if held[5] == "1" else 1
                rows = ["".join(PIECES[one] for one in held[at : at + 5]) for at in range(7, 32, 5)]
                self._position = position_of(held[:5], "".join(reversed(rows)), 0 if held[6] == "1" else 1)
            case ["MOVE_WAS_MADE", card, row, column, to_row, to_column] if self._position is not None:
                move = Move(Card(card), square(row, column), square(to_row, to_column))
                self._position = self._position.after(move)
            case ["PASS_WAS_MADE", card] if self._position is not None:
                self._position = self._position.exchanged(Card(card), self._position.spare)
            case ["GAME_OVER", _]:
                self.inside = False
                self._position = None

    def in_words(self, action: Move | Exchange) -> str:
        match action:
            case Move(card, start, end):
                return f"MAKE_MOVE|{card}|{place(start)}|{place(end)}"
            case Exchange(card):
                return f"MAKE_PASS|{card}"

    def nonsense(self, rng: random.Random) -> Sequence[str]:
        return [
            rng.choice(
                ("MAKE_MOVE|tiger|0|0|4|0", "MAKE_MOVE|ox|5|0", "MAKE_PASS|lion", "LOGIN|b o b", "HELLO", "START|ann")
            )
        ]

    @staticmethod
    def told(event: object, seat: Seat, names: Sequence[str], table: TableId) -> Sequence[str]:
        match event:
            case Dealt(position):
                return [f"START|{names[1]}|{names[0]}|{cards(position)}"]
            case Moved(_, Move(card, start, end)):
                return [f"MOVE_WAS_MADE|{card}|{place(start)}|{place(end)}"]
            case Exchanged(_, old, _):
                return [f"PASS_WAS_MADE|{old}"]
            case Back(back, Situation(position)) if back == seat:
                words = {piece: word for word, piece in PIECES.items()}
                board = "|".join(words[piece] for row in position.rows() for piece in row)
                flags = f"{int(seat == 0)}|{int(position.turn == 0)}"
                return [f"RECONNECT|{names[1]}|{names[0]}|{cards(position)}|{flags}|{board}"]
            case Back(back, _):
                return [f"RECONNECT|{names[back]}"]
            case Over(result):
                return [f"GAME_OVER|{names[result.winners[0]] if result.winners else 'draw'}"]
        raise AssertionError(f"nothing is known of {type(event).__name__}")

    @staticmethod
    def chatter(line: str) -> bool:
        return line.split("|")[0] in ("INVALID_MOVE", "FAILED", "WAITING", "DISCONNECT", "PING")
