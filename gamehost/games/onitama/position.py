"""
A position of the game. It is immutable; a move gives a new one.

The board is a text of 25 characters from a1 to e5: `K` and `P` are White's master and pupils, `k` and `p` Black's, `.` is an
empty square. A position holds no players, no time and no pack.
"""

from collections.abc import Iterator

from attrs import evolve, frozen

from gamehost.games.onitama.cards import LEADS, SIDE, SQUARES, Card, Square

WHITE, BLACK = 0, 1

_OWN = ("KP", "kp")
_MASTER = ("K", "k")
#: The squares on which the masters start: c1 and c5.
TEMPLE = (2, 22)
START = "PPKPP" + "." * 15 + "ppkpp"


@frozen
class Move:
    """Play a card to move a piece."""

    card: Card
    start: Square
    end: Square

    def __str__(self) -> str:
        return f"{self.card} {SQUARES[self.start]} {SQUARES[self.end]}"


@frozen
class Exchange:
    """Give a card and take one from the pack, when nothing can be moved."""

    card: Card

    def __str__(self) -> str:
        return f"stalemate {self.card}"


@frozen
class Position:
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

        :param new: a card of the pack; or the spare, for which the given card is the spare then
        """
        spare = card if new == self.spare else self.spare
        return evolve(self, hands=self._hands_with(card, new), spare=spare, turn=1 - self.turn)

    def _hands_with(self, old: Card, new: Card) -> tuple[tuple[Card, Card], tuple[Card, Card]]:
        white, black = self.hands
        first, second = self.hands[self.turn]
        hand = (new, second) if first == old else (first, new)
        return (hand, black) if self.turn == WHITE else (white, hand)

    @property
    def won(self) -> str | None:
        """Why the side that moved last has won, or `None`: it took the enemy's master, or its own is in the temple."""
        mover = 1 - self.turn
        if _MASTER[self.turn] not in self.board:
            return "the master is taken"
        if self.board[TEMPLE[self.turn]] == _MASTER[mover]:
            return "the master stands on the enemy master's start square"
        return None

    def rows(self) -> tuple[str, ...]:
        """The rows of the board as White sees them, from the top (5) down."""
        return tuple(self.board[row * SIDE : (row + 1) * SIDE] for row in reversed(range(SIDE)))
