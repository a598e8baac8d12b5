"""
The rules of Onitama: the cards, and a position of the game.

Squares have the numbers 0 to 24, from White's left (a) and White's side (1): `a1` is 0, `e1` is 4, `a2` is 5. Each card has
vectors (right, forward), as the player with this card sees the board; Black sees it turned by 180 degrees.

A position is immutable; a move returns a new position. The board is a text of 25 characters from a1 to e5: `K` and `P` are
White's master and pupils, `k` and `p` Black's, and `.` is an empty square. A position contains no players, no time and no pack
of cards.
"""

from collections.abc import Iterator, Mapping
from typing import NewType

from msgspec import Struct
from msgspec.structs import replace

#: A card: its English name in lower case.
Card = NewType("Card", str)

#: The number of a square, 0 to 24.
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
#: Name of a square, in upper or lower case -> its number.
SQUARE_NAMED: Mapping[str, Square] = {
    name: square for square, lower in enumerate(SQUARES) for name in (lower, lower.upper())
}


_CARDS: Mapping[str, Card] = {str(card): card for card in VECTORS}


def card_named(text: str) -> Card | None:
    """Returns the card with this name, in upper or lower case; `None`: there is no such card."""
    # Nearly all names are in lower case, and are found by the first look-up.
    return _CARDS.get(text) or (_CARDS.get(text.lower()) if text.isascii() else None)


def _leads(card: Card, square: Square, turn: int) -> tuple[Square, ...]:
    """
    Returns the squares to which a card can move a piece from this square.

    :param turn: 1 for White; -1 for Black, who sees the board turned
    """
    column, row = square % SIDE, square // SIDE
    squares = []
    for right, forward in VECTORS[card]:
        x, y = column + right * turn, row + forward * turn
        if 0 <= x < SIDE and 0 <= y < SIDE:
            squares.append(y * SIDE + x)
    return tuple(squares)


#: For White (0) and Black (1): card -> for each square, the squares to which the card can move a piece from there.
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
    """A move: the side plays a card and moves a piece."""

    card: Card
    start: Square
    end: Square

    def __str__(self) -> str:
        return f"{self.card} {SQUARES[self.start]} {SQUARES[self.end]}"


class Exchange(Struct, frozen=True, gc=False):
    """The side gives a card and takes one from the pack, because no move is possible."""

    card: Card

    def __str__(self) -> str:
        return f"stalemate {self.card}"


class Position(Struct, frozen=True, gc=False):
    """The board, the cards and the side to move."""

    #: The cards of White, and the cards of Black.
    hands: tuple[tuple[Card, Card], tuple[Card, Card]]
    spare: Card
    board: str = START
    #: 0: White is to move; 1: Black is to move.
    turn: int = WHITE

    def why_not(self, move: Move) -> str | None:
        """Returns the reason why the side to move cannot make this move; `None`: the move is legal."""
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
        """Yields all moves of the side to move. If two cards lead to the same square, these are two moves."""
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
        """Returns the position after a legal move (`why_not` returns `None` for it)."""
        board = self.board
        piece = board[move.start]
        board = board[: move.start] + "." + board[move.start + 1 :]
        board = board[: move.end] + piece + board[move.end + 1 :]
        return Position(self._hands_with(move.card, self.spare), move.card, board, 1 - self.turn)

    def exchanged(self, card: Card, new: Card) -> "Position":
        """
        Returns the position after the side to move has given a card of its hand and got a new one.

        :param card: the given card
        :param new: a card of the pack, or the spare card. In the second case the given card becomes the spare card.
        """
        # Cards are different, so the new card is the spare card or one of the pack.
        spare = card if new == self.spare else self.spare
        return replace(self, hands=self._hands_with(card, new), spare=spare, turn=1 - self.turn)

    def _hands_with(self, old: Card, new: Card) -> tuple[tuple[Card, Card], tuple[Card, Card]]:
        """Returns the hands of both sides after the side to move has replaced a card."""
        white, black = self.hands
        first, second = self.hands[self.turn]
        # The order of the cards in a hand stays.
        hand = (new, second) if first == old else (first, new)
        return (hand, black) if self.turn == WHITE else (white, hand)

    @property
    def won(self) -> str | None:
        """
        The reason why the side that moved last has won: it took the other master, or its master is on the start square of the
        other master. `None`: it has not won.
        """
        # After its move, it is the other side's turn.
        mover = 1 - self.turn
        if _MASTER[self.turn] not in self.board:
            return "the master is taken"
        if self.board[TEMPLE[self.turn]] == _MASTER[mover]:
            return "the master stands on the enemy master's start square"
        return None

    def rows(self) -> tuple[str, ...]:
        """Returns the rows of the board as White sees them, from the top (5) down."""
        return tuple(self.board[row * SIDE : (row + 1) * SIDE] for row in reversed(range(SIDE)))


# Reading the fields of a wire


NO_CARD = "no card has this name; expected one of " + ", ".join(VECTORS)


def read_move(card: str, start: Square | None, end: Square | None, no_square: str) -> Move | str:
    """
    Returns the move in the fields of a wire, or the reason why it is not valid.

    :param card: the name of the card
    :param start: the start square; `None`: there is no such square
    :param end: the end square; `None`: there is no such square
    :param no_square: the reason if there is no such square
    """
    known = card_named(card)
    if known is None:
        return NO_CARD
    return no_square if start is None or end is None else Move(known, start, end)


def read_exchange(card: str) -> Exchange | str:
    """Returns the exchange of a card, or the reason why it is not valid."""
    known = card_named(card)
    return NO_CARD if known is None else Exchange(known)
