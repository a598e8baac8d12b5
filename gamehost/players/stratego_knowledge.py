"""
What a side knows of the enemy's pieces in Stratego: which it has seen in a battle, which have moved, and which are gone.

From this, boards are sampled that agree with everything that was seen.
"""

from collections.abc import Mapping

from attrs import define, evolve, field, frozen

from gamehost.games.base import Seat
from gamehost.games.chance import shuffled
from gamehost.games.stratego.actions import Move
from gamehost.games.stratego.events import Fought, Moved
from gamehost.games.stratego.pieces import BOMB, FLAG, KINDS, SCOUT
from gamehost.games.stratego.position import WIDTH
from gamehost.games.stratego.views import ENEMY
from gamehost.players.base import SeededChance


@frozen
class Suspect:
    """An enemy piece."""

    #: Where it stood when it was first seen.
    start: int
    #: Its kind, if it is known.
    kind: str | None = None
    #: Whether it has moved: then it is neither bomb nor flag.
    moved: bool = False


def ends_of(move: Move) -> tuple[int, int]:
    """The numbers of the two squares of a move."""
    return move.y * WIDTH + move.x, move.to_y * WIDTH + move.to_x


@define(eq=False)
class Knowledge:
    """What one seat knows of the other side."""

    seat: Seat
    #: Whether kinds that were seen in battles are kept in mind.
    remembers: bool = True
    #: By square.
    suspects: dict[int, Suspect] = field(factory=dict)
    #: Enemy pieces that are gone, by kind.
    lost: dict[str, int] = field(factory=dict)
    #: Squares of own pieces that the enemy has seen in a battle.
    shown: set[int] = field(factory=set)

    def look(self, squares: str) -> None:
        """Take a board as this seat sees it. Pieces that are new in it have started where they stand."""
        enemies = {square for square, mark in enumerate(squares) if mark == ENEMY}
        for square in enemies - set(self.suspects):
            rows = range(60, 100) if self.seat == 0 else range(40)
            self.suspects[square] = Suspect(square, moved=square not in rows)
        for square in set(self.suspects) - enemies:
            del self.suspects[square]

    def moved(self, event: Moved) -> None:
        """Take a move to an empty square."""
        start, end = ends_of(event.move)
        if event.seat == self.seat:
            self._own_goes(start, end)
        elif (suspect := self.suspects.pop(start, None)) is not None:
            far = abs(start - end) not in (1, WIDTH)
            self.suspects[end] = evolve(suspect, moved=True, kind=SCOUT if far else suspect.kind)

    def fought(self, event: Fought) -> None:
        """Take a battle."""
        start, end = ends_of(event.move)
        mine = event.seat == self.seat
        kind, square = (event.defender, end) if mine else (event.attacker, start)
        suspect = self.suspects.pop(square, Suspect(square))
        if event.winner == ("defender" if mine else "attacker"):
            known = evolve(suspect, kind=kind if self.remembers else suspect.kind, moved=suspect.moved or not mine)
            self.suspects[end] = known
            self.shown.discard(start if mine else end)
            return
        self.lost[kind] = self.lost.get(kind, 0) + 1
        if event.winner == "tie":
            self.shown.discard(start if mine else end)
        elif mine:
            self._own_goes(start, end)
            self.shown.add(end)
        else:
            self.shown.add(end)

    def _own_goes(self, start: int, end: int) -> None:
        if start in self.shown:
            self.shown.discard(start)
            self.shown.add(end)

    def unknown_kinds(self) -> list[str]:
        """The kinds of all pieces that are neither gone nor known."""
        known = [suspect.kind for suspect in self.suspects.values()]
        return [
            kind.id
            for kind in KINDS.values()
            for _ in range(kind.count - self.lost.get(kind.id, 0) - known.count(kind.id))
        ]

    def sample(self, chance: SeededChance) -> Mapping[int, str]:
        """A kind for every enemy piece, as it may be."""
        kinds = {square: suspect.kind for square, suspect in self.suspects.items() if suspect.kind is not None}
        unknown = sorted(square for square in self.suspects if square not in kinds)
        still = [square for square in unknown if not self.suspects[square].moved]
        left = self.unknown_kinds()
        movers = [kind for kind in left if kind not in (FLAG, BOMB)]
        if FLAG in left and still:
            flag = self._drawn(still, None, chance)
            still.remove(flag)
            kinds[flag] = FLAG
            for _ in range(min(left.count(BOMB), len(still))):
                bomb = self._drawn(still, flag, chance)
                still.remove(bomb)
                kinds[bomb] = BOMB
        rest = [square for square in unknown if square not in kinds]
        # After a look at a board without its history there may be more kinds than pieces.
        kinds.update(zip(rest, shuffled(movers, chance), strict=False))
        return kinds

    def _drawn(self, squares: list[int], flag: int | None, chance: SeededChance) -> int:
        """A square for the flag, or for a bomb: rather far behind, and bombs rather beside the flag."""
        weights = []
        for square in squares:
            behind = 9 - square // WIDTH if self.seat == 0 else square // WIDTH
            weight = (24, 6, 2, 1)[behind] if flag is None else (4, 4, 2, 2)[behind]
            if flag is not None and abs(square - flag) in (1, WIDTH):
                weight *= 6
            weights.append(weight)
        place = chance.below(sum(weights))
        here = 0
        while place >= weights[here]:
            place -= weights[here]
            here += 1
        return squares[here]
