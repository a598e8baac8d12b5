"""
The rules of Onitama: the cards, and a position of the game.

Squares are numbered 0..24 from White's left (a) and White's side (1): `a1` is 0, `e1` is 4, `a2` is 5. A card's vectors are
(right, forward) as its holder sees them; Black sees the board turned by 180 degrees.

A position is immutable; a move gives a new one. The board is a text of 25 characters from a1 to e5: `K` and `P` are
White's master and pupils, `k` and `p` Black's, `.` is an empty square. A position has no players, no time and no pack.
"""

from collections.abc import Iterator, Mapping
from typing import NewType

from msgspec import Struct
from msgspec.structs import replace

#: A card by its lower-case English name.
Card = NewType("Card", str)

#: A square, 0..24.
Square = int

SIDE = 5

VECTORS: Mapping[Card, tuple[tuple[int, int], ...]] = {
    Card("tiger"): ((0, 2), (0, -1)),
    Card("dragon"): ((-2, 1), (2, 1), (-1, -1), (1, -1)),
    Card("crab"): ((-2, 0), (2, 0), (0, 1)),
    Card("elephant"): ((-1, 1), (1, 1), (-1, 0), (1, 0)),
    Card("monkey"): ((-1, 1), (1, 1), (-1, -1), (1, -1)),
    Card("mantis"): ((-1, 1), (1, 1), (0, -1)),
    Card("crane"): ((0, 1), (-1, -1), (1, -1)),
    Card("boar"): ((0, 1), (-1, 0), (1, 0)),
    Card("goose"): ((-1, 1), (-1, 0), (1, 0), (1, -1)),
    Card("rooster"): ((1, 1), (-1, 0), (1, 0), (-1, -1)),
    Card("eel"): ((-1, 1), (-1, -1), (1, 0)),
    Card("cobra"): ((1, 1), (1, -1), (-1, 0)),
    Card("rabbit"): ((1, 1), (2, 0), (-1, -1)),
    Card("frog"): ((-1, 1), (-2, 0), (1, -1)),
    Card("ox"): ((0, 1), (0, -1), (1, 0)),
    Card("horse"): ((0, 1), (0, -1), (-1, 0)),
}

SQUARES: tuple[str, ...] = tuple(f"{column}{row}" for row in "12345" for column in "abcde")
#: The square of each name, in capitals and in lower case.
SQUARE_NAMED: Mapping[str, Square] = {
    name: square for square, lower in enumerate(SQUARES) for name in (lower, lower.upper())
}


_CARDS: Mapping[str, Card] = {str(card): card for card in VECTORS}


def card_named(text: str) -> Card | None:
    # The first look-up finds nearly all of them.
    return _CARDS.get(text) or (_CARDS.get(text.lower()) if text.isascii() else None)


def _leads(card: Card, square: Square, turn: int) -> tuple[Square, ...]:
    column, row = square % SIDE, square // SIDE
    squares = []
    for right, forward in VECTORS[card]:
        x, y = column + right * turn, row + forward * turn
        if 0 <= x < SIDE and 0 <= y < SIDE:
            squares.append(y * SIDE + x)
    return tuple(squares)


#: For White (0) and Black (1): card -> square -> the squares of the board that the card leads to from there.
LEADS: tuple[Mapping[Card, tuple[tuple[Square, ...], ...]], ...] = tuple(
    {card: tuple(_leads(card, square, turn) for square in range(SIDE * SIDE)) for card in VECTORS} for turn in (1, -1)
)


# A position


WHITE, BLACK = 0, 1

_OWN = ("KP", "kp")
_MASTER = ("K", "k")
#: The squares on which the masters start: c1 and c5.
TEMPLE = (2, 22)
START = "PPKPP" + "." * 15 + "ppkpp"


class Move(Struct, frozen=True, gc=False):
    """Play a card to move a piece."""

    card: Card
    start: Square
    end: Square

    def __str__(self) -> str:
        return f"{self.card} {SQUARES[self.start]} {SQUARES[self.end]}"


class Exchange(Struct, frozen=True, gc=False):
    """Give a card and take one from the pack, because no move is possible."""

    card: Card

    def __str__(self) -> str:
        return f"stalemate {self.card}"


class Position(Struct, frozen=True, gc=False):
    """The board, the cards and the side to move."""

    #: White's and Black's cards.
    hands: tuple[tuple[Card, Card], tuple[Card, Card]]
    spare: Card
    board: str = START
    #: 0: White is to move; 1: Black is.
    turn: int = WHITE

    def why_not(self, move: Move) -> str | None:
        """Why the side to move cannot make this move; `None`: it can."""
        if move.card not in self.hands[self.turn]:
            return "that card is not in your hand"
        if self.board[move.start] not in _OWN[self.turn]:
            return "no piece of yours stands on the start square"
        if move.end not in LEADS[self.turn][move.card][move.start]:
            return "that card does not lead there"
        if self.board[move.end] in _OWN[self.turn]:
            return "a piece of yours stands on the end square"
        return None

    def moves(self) -> Iterator[Move]:
        """All moves of the side to move. Two cards that lead to the same square are two moves."""
        own = _OWN[self.turn]
        board = self.board
        starts = [square for square, piece in enumerate(board) if piece in own]
        for card in self.hands[self.turn]:
            leads = LEADS[self.turn][card]
            for start in starts:
                for end in leads[start]:
                    if board[end] not in own:
                        yield Move(card, start, end)

    def after(self, move: Move) -> "Position":
        """The position after a legal move: one for which `why_not` gives `None`."""
        board = self.board
        piece = board[move.start]
        board = board[: move.start] + "." + board[move.start + 1 :]
        board = board[: move.end] + piece + board[move.end + 1 :]
        return Position(self._hands_with(move.card, self.spare), move.card, board, 1 - self.turn)

    def exchanged(self, card: Card, new: Card) -> "Position":
        """
        The position after the side to move gave a card of its hand and got a new one.

        :param new: a card of the pack, or the spare. In the second case the given card becomes the spare.
        """
        spare = card if new == self.spare else self.spare
        return replace(self, hands=self._hands_with(card, new), spare=spare, turn=1 - self.turn)

    def _hands_with(self, old: Card, new: Card) -> tuple[tuple[Card, Card], tuple[Card, Card]]:
        white, black = self.hands
        first, second = self.hands[self.turn]
        hand = (new, second) if first == old else (first, new)
        return (hand, black) if self.turn == WHITE else (white, hand)

    @property
    def won(self) -> str | None:
        """Why the side that moved last has won: it took the other master, or its master is in the temple. Else `None`."""
        mover = 1 - self.turn
        if _MASTER[self.turn] not in self.board:
            return "the master is taken"
        if self.board[TEMPLE[self.turn]] == _MASTER[mover]:
            return "the master stands on the enemy master's start square"
        return None

    def rows(self) -> tuple[str, ...]:
        """The rows of the board as White sees them, from the top (5) down."""
        return tuple(self.board[row * SIDE : (row + 1) * SIDE] for row in reversed(range(SIDE)))


# From the fields of a wire to an action


NO_CARD = "no card has this name; expected one of " + ", ".join(VECTORS)


def read_move(card: str, start: Square | None, end: Square | None, no_square: str) -> Move | str:
    """
    A move, or why it cannot be one.

    :param start: the square; `None`: there is no such square
    :param no_square: the reason if there is no such square
    """
    known = card_named(card)
    if known is None:
        return NO_CARD
    return no_square if start is None or end is None else Move(known, start, end)


def read_exchange(card: str) -> Exchange | str:
    """An exchange, or why it cannot be one."""
    known = card_named(card)
    return NO_CARD if known is None else Exchange(known)
