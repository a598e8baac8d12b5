"""
The board of Stratego as one player may see it, and what is wrong with a move of that player.

The rules are the game's own. What they say about a move does not depend on what the player cannot see.
"""

from collections.abc import Iterable

from attrs import define, field

from gamehost.games.stratego.pieces import KINDS, MOVERS, survivor
from gamehost.games.stratego.position import BARE, FIRST_PLAYER, LAKES, SECOND_PLAYER, WAYS, Walk, codes, opening

#: In so many turns in a row a piece may cross the same border, where the Two-Squares rule is played as the game has it.
TWO_SQUARES = 3
#: Stands for every enemy piece.
_ENEMY = codes(SECOND_PLAYER, "B")[0]
_OFF = "no such square"


@define(eq=False)
class Sight:
    """The client's pieces and the squares of the enemy's. A square is a number from 0 to 99, as in the game's board."""

    own: dict[int, str] = field(factory=dict)
    enemy: set[int] = field(factory=set)
    _walk: Walk = field(init=False, default=Walk(-1, (0,) * TWO_SQUARES))

    def clear(self) -> None:
        """Nothing is known any more."""
        self.own.clear()
        self.enemy.clear()
        self._walk = Walk(-1, (0,) * TWO_SQUARES)

    def show(self, squares: Iterable[str]) -> None:
        """A board, A1 first: own pieces by their kinds, and `#` for each enemy piece."""
        self.own.clear()
        self.enemy.clear()
        for square, mark in enumerate(squares):
            if mark in KINDS:
                self.own[square] = mark
            elif mark == "#":
                self.enemy.add(square)

    def wrong(self, source: int, target: int) -> str | None:
        """What is wrong with a move of the client; `None`: nothing that the document has."""
        if not (0 <= source < 100 and 0 <= target < 100):
            return _OFF
        squares = bytearray(BARE)
        for square, kind in self.own.items():
            squares[square] = codes(FIRST_PLAYER, kind)[0]
        for square in self.enemy - LAKES:
            squares[square] = _ENEMY
        return opening(bytes(squares), 0).objection(source, target)

    def crosses_again(self, source: int, target: int) -> bool:
        """Whether the Two-Squares rule refuses this move where it is played."""
        way = WAYS[source].get(target)
        return way is not None and bool(way[1] & self._walk.barred(source))

    def walked(self, source: int, target: int) -> None:
        """The client has made a move. The board is told in another way."""
        way = WAYS[source].get(target)
        if way is not None:
            self._walk = self._walk.on(source, target, way[1])

    def step(self, source: int, target: int) -> None:
        """A piece has gone to an empty square."""
        if source in self.own:
            self.own[target] = self.own.pop(source)
        else:
            self.enemy.discard(source)
            self.enemy.add(target)

    def meet(self, source: int, target: int, met: str | None) -> None:
        """The client has moved, and has met this kind of enemy piece; `None`: the square was empty."""
        kind = self.own.pop(source, None)
        if met is not None and kind is not None:
            left = survivor(kind, met) if kind in MOVERS else "tie"
            if left != "defender":
                self.enemy.discard(target)
            if left != "attacker":
                return
        if kind is not None:
            self.own[target] = kind

    def attacked(self, source: int, target: int, attacker: str) -> None:
        """The enemy has attacked the client's piece on a square."""
        self.enemy.discard(source)
        mine = self.own.get(target)
        left = survivor(attacker, mine) if mine is not None and attacker in MOVERS else "tie"
        if left != "defender":
            self.own.pop(target, None)
        if left == "attacker":
            self.enemy.add(target)
