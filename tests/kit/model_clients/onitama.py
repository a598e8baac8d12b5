"""A speaker of the pipes of Onitama."""

import random
from abc import abstractmethod
from collections.abc import Sequence

from msgspec.structs import replace

from gamehost.games.base import Seat
from gamehost.games.onitama.master import Dealt, Exchanged, Moved, Situation
from gamehost.games.onitama.rules import SQUARE_NAMED, SQUARES, Card, Exchange, Move, Position, Square
from gamehost.games.onitama.rules import START as FIRST_BOARD
from gamehost.journal.records import TableId
from gamehost.tables.interfaces import Back, Over
from tests.kit.model_clients.base import ModelClient

COLOURS = ("white", "black")
START = "ppkpp/...../...../...../PPKPP"


def cards(position: Position) -> str:
    """The cards as the wire's page writes them."""
    white, black = (",".join(sorted(hand)) for hand in position.hands)
    return f"white={white};black={black};spare={position.spare}"


def position_of(board: str, cards: str, on_turn: int) -> Position:
    """The position in a RECONNECT or START."""
    held = {
        name: [Card(card) for card in text.split(",")] for name, text in (one.split("=") for one in cards.split(";"))
    }
    squares = "".join(reversed(board.split("/")))
    white, black = held["white"], held["black"]
    return Position(((white[0], white[1]), (black[0], black[1])), held["spare"][0], squares, on_turn)


class PositionClient(ModelClient):
    """Knows the position, and says any move of it."""

    _position: Position | None = None
    _seat = 0

    def connected(self) -> None:
        super().connected()
        self._position = None

    def move(self, rng: random.Random) -> Sequence[str]:
        position = self._position
        if position is None or position.turn != self._seat:
            return ()
        return self._any(position, rng)

    def guess(self, rng: random.Random) -> Sequence[str]:
        if self._position is None:
            return self.nonsense(rng)
        return self._any(replace(self._position, turn=self._seat), rng)

    def _any(self, position: Position, rng: random.Random) -> Sequence[str]:
        moves: list[Move | Exchange] = list(position.moves())
        return [self.in_words(rng.choice(moves or [Exchange(card) for card in position.hands[self._seat]]), rng)]

    @abstractmethod
    def in_words(self, action: Move | Exchange, rng: random.Random) -> str:
        """An action as this wire has it."""


class OnitamaClient(PositionClient):
    """Follows the position from START or RECONNECT on."""

    wire = "onitama"

    def log_in(self) -> Sequence[str]:
        return [f"LOGIN|{self.name}"]

    def hear(self, line: str) -> None:
        match line.split("|"):
            case ["WAITING", _]:
                self.inside = True
            case ["START", white, _, dealt]:
                self.inside = True
                self._seat = 0 if white == self.name else 1
                self._position = position_of(START, dealt, 0)
            case ["RECONNECT", name, colour, board, held, on_turn]:
                self.inside = True
                seat = COLOURS.index(colour)
                self._seat = seat if name == self.name else 1 - seat
                self._position = position_of(board, held, seat if on_turn == name else 1 - seat)
            case ["MOVE_WAS_MADE", card, start, end] if self._position is not None:
                self._position = self._position.after(Move(Card(card), SQUARE_NAMED[start], SQUARE_NAMED[end]))
            case ["STALEMATE_CARD", old, new] if self._position is not None:
                self._position = self._position.exchanged(Card(old), Card(new))
            case ["GAME_OVER", _]:
                self.inside = False
                self._position = None

    def in_words(self, action: Move | Exchange, rng: random.Random) -> str:
        match action:
            case Move(card, start, end):
                return f"MAKE_MOVE|{card}|{SQUARES[start]}|{SQUARES[end]}"
            case Exchange(card):
                return f"STALEMATE|{card}"

    def nonsense(self, rng: random.Random) -> Sequence[str]:
        return [
            rng.choice(
                ("MAKE_MOVE|tiger|a1|a5", "MAKE_MOVE|a1|a2", "STALEMATE|lion", "LOGIN|b o b", "HELLO", "GAME_OVER|ann")
            )
        ]

    @staticmethod
    def told(event: object, seat: Seat, names: Sequence[str], table: TableId) -> Sequence[str]:
        match event:
            case Dealt(position):
                return [f"START|{names[0]}|{names[1]}|{cards(position)}"]
            case Moved(_, Move(card, start, end)):
                return [f"MOVE_WAS_MADE|{card}|{SQUARES[start]}|{SQUARES[end]}"]
            case Exchanged(_, old, new):
                return [f"STALEMATE_CARD|{old}|{new}"]
            case Back(back, Situation(position)):
                board = "/".join(position.rows())
                return [
                    f"RECONNECT|{names[back]}|{COLOURS[back]}|{board}|{cards(position)}|{names[position.turn]}",
                ]
            case Over(result):
                return [f"GAME_OVER|{names[result.winners[0]] if result.winners else 'draw'}"]
        raise AssertionError(f"nothing is known of {type(event).__name__}")

    @staticmethod
    def chatter(line: str) -> bool:
        return line.split("|")[0] in ("INVALID_MOVE", "ERROR", "WAITING", "LOGOUT")

    @staticmethod
    def waits(line: str) -> bool:
        return line.startswith("WAITING|")


# A speaker of the final dialect of Onitama.


PIECES = {"wK": "K", "wP": "P", "bK": "k", "bP": "p", "--": "."}


def square(row: str, column: str) -> Square:
    """The square in a row from the top and a column from the left."""
    return (4 - int(row)) * 5 + int(column)


def place(at: Square) -> str:
    """The opposite."""
    return f"{4 - at // 5}|{at % 5}"


def cards_in(position: Position) -> str:
    """Black's cards, the spare, White's cards."""
    white, black = position.hands
    return "|".join((*black, position.spare, *white))


def position_in(words: Sequence[str], board: str, turn: int) -> Position:
    """A position with five cards as words."""
    black, other, spare, white, last = map(Card, words)
    return Position(((white, last), (black, other)), spare, board, turn)


class OnitamaFinalClient(OnitamaClient):
    """Follows the position from START or the long RECONNECT on."""

    wire = "onitama-final"
    spaced = True

    def hear(self, line: str) -> None:
        match line.split("|"):
            case ["START", _, white, *dealt]:
                self.inside = True
                self._seat = 0 if white == self.name else 1
                self._position = position_in(dealt, FIRST_BOARD, 0)
            case ["RECONNECT", _, _, *held] if held:
                self.inside = True
                self._seat = 0 if held[5] == "1" else 1
                rows = ["".join(PIECES[one] for one in held[at : at + 5]) for at in range(7, 32, 5)]
                self._position = position_in(held[:5], "".join(reversed(rows)), 0 if held[6] == "1" else 1)
            case ["MOVE_WAS_MADE", card, row, column, to_row, to_column] if self._position is not None:
                move = Move(Card(card), square(row, column), square(to_row, to_column))
                self._position = self._position.after(move)
            case ["PASS_WAS_MADE", card] if self._position is not None:
                self._position = self._position.exchanged(Card(card), self._position.spare)
            case _:
                super().hear(line)

    def in_words(self, action: Move | Exchange, rng: random.Random) -> str:
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
                return [f"START|{names[1]}|{names[0]}|{cards_in(position)}"]
            case Moved(_, Move(card, start, end)):
                return [f"MOVE_WAS_MADE|{card}|{place(start)}|{place(end)}"]
            case Exchanged(_, old, _):
                return [f"PASS_WAS_MADE|{old}"]
            case Back(back, Situation(position)) if back == seat:
                words = {piece: word for word, piece in PIECES.items()}
                board = "|".join(words[piece] for row in position.rows() for piece in row)
                flags = f"{int(seat == 0)}|{int(position.turn == 0)}"
                return [f"RECONNECT|{names[1]}|{names[0]}|{cards_in(position)}|{flags}|{board}"]
            case Back(back, _):
                return [f"RECONNECT|{names[back]}"]
        return OnitamaClient.told(event, seat, names, table)

    @staticmethod
    def chatter(line: str) -> bool:
        return line.split("|")[0] in ("INVALID_MOVE", "FAILED", "WAITING", "DISCONNECT", "PING")
