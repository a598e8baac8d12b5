"""
The house player of Onitama: an alpha-beta search, which can see the whole position.

At the level `hard` the search looks at least four plies ahead, so it finds every win and every loss within two moves. The cards
of the pack are known too: they are those that are neither in a hand nor the spare card. Only the forced exchange of a card
depends on luck.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from attrs import define, field

from gamehost.games.base import Seat
from gamehost.games.onitama.master import ONITAMA, Action, Situation
from gamehost.games.onitama.rules import LEADS, SIDE, TEMPLE, VECTORS, WHITE, Card, Exchange, Move, Position, Square
from gamehost.players.base import (
    WIN,
    Budget,
    Level,
    Search,
    Strength,
    Thinking,
    Weighed,
    best_on_average,
    choose,
    weighed,
)

STRENGTH: Mapping[Level, Strength] = {
    Level.EASY: Strength(depth=1, sure=1, nodes=1_000, seconds=0.1, noise=60),
    Level.MEDIUM: Strength(depth=2, sure=2, nodes=2_000, seconds=0.2, noise=20),
    Level.HARD: Strength(depth=12, sure=4, nodes=18_000, seconds=0.45),
}

#: For studies: the number of plies to search, and the value of a clear lead.
STUDIED, LEAD = 4, 150

_PUPIL = 100


def _distance(square: Square, temple: Square) -> int:
    """Returns the number of steps of a king in chess between two squares."""
    return max(abs(square % SIDE - temple % SIDE), abs(square // SIDE - temple // SIDE))


def _worth(piece: str, square: Square) -> int:
    """Returns the value of a piece on a square for White. Black's pieces have negative values."""
    column, row = square % SIDE, square // SIDE
    # 2 in the middle column, 0 at the edge.
    centre = 2 - abs(column - 2)
    match piece:
        case "P":
            # A pupil is worth more farther forward and in the middle. A master is worth more near the temple of the
            # other side.
            return _PUPIL + 3 * row + 3 * centre
        case "p":
            return -(_PUPIL + 3 * (SIDE - 1 - row) + 3 * centre)
        case "K":
            return 6 * (SIDE - _distance(square, TEMPLE[1]))
        case "k":
            return -6 * (SIDE - _distance(square, TEMPLE[0]))
    return 0


_WORTH: Mapping[str, tuple[int, ...]] = {
    piece: tuple(_worth(piece, square) for square in range(SIDE * SIDE)) for piece in "PpKk."
}
#: For White and Black: card -> for each square, to how many squares the card can move a piece.
_REACH: tuple[Mapping[Card, tuple[int, ...]], ...] = tuple(
    {card: tuple(map(len, squares)) for card, squares in leads.items()} for leads in LEADS
)


class OnitamaRules:
    """The rules and the evaluation of Onitama, for `Search`."""

    def outcome(self, position: Position) -> int | None:
        return None if position.won is None else -WIN

    def moves(self, position: Position) -> Sequence[Move]:
        """Returns the legal moves, the most promising first: winning moves, then captures, then others."""
        board, temple = position.board, TEMPLE[1 - position.turn]

        def promise(move: Move) -> int:
            """Returns the rank of a move in the order: the most promising moves have the lowest."""
            taken = board[move.end]
            if taken in "Kk" or (move.end == temple and board[move.start] in "Kk"):
                return 0  # wins at once
            return 1 if taken != "." else 2

        return sorted(position.moves(), key=promise)

    def forcing(self, position: Position) -> Sequence[Move]:
        """Returns the moves that capture a piece or win. The search continues with them beyond its depth."""
        board, temple = position.board, TEMPLE[1 - position.turn]
        return [
            move
            for move in position.moves()
            # A capture, or the master reaches the other temple.
            if board[move.end] != "." or (move.end == temple and board[move.start] in "Kk")
        ]

    def after(self, position: Position, move: Move) -> Position:
        return position.after(move)

    def evaluate(self, position: Position) -> int:
        """
        Returns the value of a position for the side to move: material, squares, the masters' distances to the temples, and
        mobility.
        """
        value = 0
        # For each card of a side: to how many squares it can move a piece from each square.
        white, white_2 = [_REACH[0][card] for card in position.hands[0]]
        black, black_2 = [_REACH[1][card] for card in position.hands[1]]
        for square, piece in enumerate(position.board):
            if piece != ".":
                value += _WORTH[piece][square]
                if piece in "PK":
                    value += white[square] + white_2[square]
                else:
                    value -= black[square] + black_2[square]
        return value if position.turn == WHITE else -value

    def key(self, position: Position) -> Hashable:
        return (position.board, position.hands, position.turn)


RULES = OnitamaRules()


@define(eq=False)
class OnitamaPlayer:
    """The house player in one seat of a match, as `gamehost.players.base.Player` describes."""

    seat: Seat
    level: Level
    thinking: Thinking
    _view: Situation | None = field(init=False, default=None)

    @property
    def position(self) -> Position | None:
        return None if self._view is None else self._view.position

    def hear(self, event: Any) -> None:
        self._view = ONITAMA.follow(self._view, event, self.seat)

    def refused(self, notation: bytes) -> None:
        """Does nothing: this player sees the whole position, so its moves are always legal."""

    def answer(self) -> bytes | None:
        """The move of this seat in the game's notation; `None`: it is not this seat's turn, or the match is over."""
        position = self.position
        if position is None or position.turn != self.seat or position.won is not None:
            return None
        return ONITAMA.write(self._action(position))

    def weigh(self, action: bytes) -> Weighed | None:
        """
        Compares a move with the best one, for a study. An exchange is not weighed, because chance decides which card the player
        gets.
        """
        position, move = self.position, ONITAMA.read(action)
        if position is None or not isinstance(move, Move):
            return None
        search = Search(RULES, Budget(0))
        # As many sure plies as plies, so the budget of 0 nodes does not matter.
        found = search.best(position, RULES.moves(position), STUDIED, STUDIED)
        [taken] = search.values(position, [move], STUDIED)
        return weighed(self.seat, LEAD, ONITAMA.write(found.move), found.value, taken)

    def _action(self, position: Position) -> Action:
        """Chooses an action at this level."""
        moves = RULES.moves(position)
        if not moves:
            return self._exchange(position)
        if self.level is Level.RANDOM:
            return self.thinking.chance.one_of(moves)
        return choose(RULES, position, moves, STRENGTH[self.level], self.thinking)

    def _exchange(self, position: Position) -> Exchange:
        """
        Chooses the card that the player can best do without, on average over the cards that it may get instead.

        The player does not know the settings of the match, and assumes that it gets a card of the pack.
        """
        hand = [Exchange(card) for card in position.hands[self.seat]]
        if self.level is Level.RANDOM:
            return self.thinking.chance.one_of(hand)
        held = {position.spare, *position.hands[0], *position.hands[1]}
        pack = [card for card in VECTORS if card not in held]
        # Each world is one card that the player may get.
        worlds = iter(pack)
        search = Search(RULES, Budget(5_000))

        def value(new: Card, exchange: Exchange) -> float:
            # After the exchange it is the other side's turn, so its value counts against this player.
            return -search.value(position.exchanged(exchange.card, new), 2)

        return best_on_average(hand, lambda: next(worlds), value, len(pack))


PLAYER = OnitamaPlayer
#: Whether the strength of the levels was measured. The table in docs/house-players has the results.
MEASURED = True
