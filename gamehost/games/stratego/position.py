"""
The position during play: the pieces, the player to move, and the borders crossed lately. An immutable value.

A square is a number, `y * 10 + x`; A1 is 0 and J10 is 99. The board is 100 bytes: `.` empty, `~` lake, and a piece as
the character of its kind, with the top bit set where it is the second player's. Whether a move is allowed is found
without listing all of them, and depends on nothing that its player cannot see.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from attrs import frozen

from gamehost.games.base import Cause, Result, Seat
from gamehost.games.stratego.pieces import FLAG, KINDS, MOVERS, SCOUT, Survivor, survivor

WIDTH = 10
LAKES = frozenset(y * WIDTH + x for y in (4, 5) for x in (2, 3, 6, 7))

#: Set in the second player's pieces.
SECOND = 0x80
EMPTY = ord(".")

#: The board before any piece is placed.
BARE = bytes(ord("~") if square in LAKES else EMPTY for square in range(WIDTH * WIDTH))

FIRST_PLAYER, SECOND_PLAYER = Seat(0), Seat(1)
OTHER = (SECOND_PLAYER, FIRST_PLAYER)


def codes(seat: Seat, kinds: str) -> bytes:
    """Pieces as the board's bytes: `kinds` as this seat owns them."""
    return bytes(ord(kind) | SECOND * seat for kind in kinds)


#: What a move passes: the squares strictly between, and the borders crossed (a bit each).
Way: TypeAlias = tuple[tuple[int, ...], int]


def _border(square: int, neighbour: int) -> int:
    """The bit of the border between two neighbouring squares."""
    low = min(square, neighbour)
    return 1 << (low if abs(square - neighbour) == 1 else WIDTH * WIDTH + low)


def _rays(square: int) -> Iterator[tuple[int, ...]]:
    """The squares from this one to the edge or a lake, in each direction that has any."""
    for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        ray = []
        x, y = square % WIDTH + dx, square // WIDTH + dy
        while 0 <= x < WIDTH and 0 <= y < WIDTH and y * WIDTH + x not in LAKES:
            ray.append(y * WIDTH + x)
            x, y = x + dx, y + dy
        if ray:
            yield tuple(ray)


def _ways(square: int) -> Iterator[tuple[int, Way]]:
    """Each square that lies straight ahead of this one over land, with what is passed on the way there."""
    for ray in _rays(square):
        borders, behind = 0, square
        for distance, target in enumerate(ray):
            borders |= _border(behind, target)
            behind = target
            yield target, (ray[:distance], borders)


# Lakes are left out: nothing stands on one and nothing passes one.
RAYS = tuple(() if square in LAKES else tuple(_rays(square)) for square in range(WIDTH * WIDTH))
WAYS: tuple[Mapping[int, Way], ...] = tuple(
    {} if square in LAKES else dict(_ways(square)) for square in range(WIDTH * WIDTH)
)
#: The neighbours of each square, with the border to each.
STEPS = tuple(tuple((ray[0], _border(square, ray[0])) for ray in rays) for square, rays in enumerate(RAYS))

_BATTLES: Mapping[tuple[int, int], Survivor] = {
    (ord(attacker), ord(defender)): survivor(attacker, defender) for attacker in MOVERS for defender in KINDS
}
_OWN = tuple(codes(seat, "".join(KINDS)) for seat in (FIRST_PLAYER, SECOND_PLAYER))
_OWN_MOVERS = tuple(codes(seat, MOVERS) for seat in (FIRST_PLAYER, SECOND_PLAYER))
_OWN_SCOUT = tuple(codes(seat, SCOUT)[0] for seat in (FIRST_PLAYER, SECOND_PLAYER))
_OWN_FLAG = tuple(codes(seat, FLAG)[0] for seat in (FIRST_PLAYER, SECOND_PLAYER))
_FIND_MOVERS = tuple(re.compile(b"[" + movers + b"]") for movers in _OWN_MOVERS)
#: By seat: what it may move onto.
_OPEN = tuple(bytes((EMPTY, *_OWN[other])) for other in OTHER)


def _sight(first: str | None, second: str | None) -> bytes:
    """A translation of the board for someone to whom a side's pieces look alike, or (`None`) show their kind."""
    table = bytearray(range(256))
    for seat, mark in ((FIRST_PLAYER, first), (SECOND_PLAYER, second)):
        for kind in KINDS:
            table[codes(seat, kind)[0]] = ord(mark or kind)
    return bytes(table)


_SIGHT: Mapping[Seat | None, bytes] = {
    FIRST_PLAYER: _sight(None, "#"),
    SECOND_PLAYER: _sight("#", None),
    None: _sight("r", "b"),
}


def seen(squares: bytes | bytearray, seat: Seat | None) -> str:
    """
    The board as a seat may know it.

    :return: 100 characters, (0,0) (1,0) (2,0) ... (9,9): own pieces by kind, `#` for every enemy piece, `.` empty, `~`
        lake. A watcher (`None`) sees the first player's pieces as `r` and the second's as `b`.
    """
    return squares.translate(_SIGHT[seat]).decode("ascii")


@frozen
class Battle:
    """Two pieces met: their kinds, and who is left."""

    attacker: str
    defender: str
    winner: Survivor


@frozen
class Walk:
    """What one side's latest piece has crossed in its turns up to now: the memory of the two-squares rule."""

    #: Where that piece went, even if it was lost there: no other can set out from that square without having come to
    #: it. -1: nothing has moved yet.
    square: int
    #: Borders by how long: those crossed in its latest turn, in both of its latest two, in all of its latest three ...
    crossed: tuple[int, ...]

    def on(self, source: int, target: int, borders: int) -> "Walk":
        """The memory after one more turn of this side."""
        kept = len(self.crossed)
        if source != self.square:
            return Walk(target, (borders, 0, 0, 0, 0)[:kept])
        return Walk(target, (borders, *map(borders.__and__, self.crossed))[:kept])

    def barred(self, source: int) -> int:
        """The borders that a piece on this square may not cross now."""
        return self.crossed[-1] if source == self.square and self.crossed else 0


@frozen
class Position:
    """A moment of play."""

    squares: bytes
    turn: Seat
    #: Moves made so far, both sides'.
    plies: int
    #: By seat.
    walks: tuple[Walk, Walk]

    def objection(self, source: int, target: int) -> str | None:
        """
        What is wrong with this move by the player to move; `None`: it is legal.

        The words depend on what that player can see, never on the kind of an enemy piece.

        :param source: a square from 0 to 99, as is `target`
        """
        seat = self.turn
        squares = self.squares
        piece = squares[source]
        if piece not in _OWN_MOVERS[seat]:
            if piece in _OWN[seat]:
                return "bombs and flags cannot move"
            return "there is no piece of yours on that square"
        way = WAYS[source].get(target)
        if way is None:
            return "a piece moves in a straight line, and not onto or across a lake"
        between, borders = way
        if between:
            if piece != _OWN_SCOUT[seat]:
                return "only a scout moves more than one square"
            if any(squares[square] != EMPTY for square in between):
                return "a scout cannot jump: every square on its way must be empty"
        if squares[target] not in _OPEN[seat]:
            return "one of your own pieces is on the target square"
        if borders & self.walks[seat].barred(source):
            return "two-squares rule: this piece has crossed the same border in too many turns in a row"
        return None

    def after(self, source: int, target: int) -> "tuple[Position, Battle | None]":
        """The position after a legal move (`objection` has none), and the battle if there was one."""
        seat = self.turn
        squares = bytearray(self.squares)
        piece, other = squares[source], squares[target]
        squares[source] = EMPTY
        walk = self.walks[seat].on(source, target, WAYS[source][target][1])
        battle = None
        if other == EMPTY:
            squares[target] = piece
        else:
            attacker, defender = piece & ~SECOND, other & ~SECOND
            battle = Battle(chr(attacker), chr(defender), _BATTLES[attacker, defender])
            if battle.winner == "attacker":
                squares[target] = piece
            elif battle.winner == "tie":
                squares[target] = EMPTY
        walks = (self.walks[0], walk) if seat else (walk, self.walks[1])
        return Position(bytes(squares), OTHER[seat], self.plies + 1, walks), battle

    def legal_moves(self) -> Iterator[tuple[int, int]]:
        """Every legal move of the player to move: from, to."""
        seat = self.turn
        squares = self.squares
        for found in _FIND_MOVERS[seat].finditer(squares):
            source = found.start()
            barred = self.walks[seat].barred(source)
            for ray in RAYS[source]:
                for target in ray if squares[source] == _OWN_SCOUT[seat] else ray[:1]:
                    if squares[target] not in _OPEN[seat] or WAYS[source][target][1] & barred:
                        break
                    yield source, target
                    if squares[target] != EMPTY:
                        break

    def can_move(self, seat: Seat) -> bool:
        """Whether this side has a legal move, or would have if it were its turn."""
        # A longer run of a scout begins with a legal step, so steps are enough; and the piece that moved last is
        # nearly always able to move again, so it is asked first.
        latest = self.walks[seat].square
        if latest >= 0 and self.squares[latest] in _OWN_MOVERS[seat] and self._can_step(seat, latest):
            return True
        return any(self._can_step(seat, found.start()) for found in _FIND_MOVERS[seat].finditer(self.squares))

    def _can_step(self, seat: Seat, source: int) -> bool:
        barred = self.walks[seat].barred(source)
        return any(self.squares[target] in _OPEN[seat] and not border & barred for target, border in STEPS[source])

    def result(self, max_plies: int) -> Result | None:
        """How play has ended, or `None`. To be asked before the first move too: six bombs can shut a side in."""
        mover = self.turn
        other = OTHER[mover]
        if _OWN_FLAG[mover] not in self.squares:
            return Result((other,), Cause.RULES, "flag taken")
        if not self.can_move(mover):
            if not self.can_move(other):
                return Result((), Cause.RULES, "neither side can move")
            return Result((other,), Cause.RULES, "no move left")
        if self.plies >= max_plies:
            return Result((), Cause.RULES, "too many moves")
        return None


def nowhere(two_squares: int) -> Walk:
    """
    The memory of a side that has not moved yet.

    :param two_squares: in how many turns in a row a piece may cross the same border, at most 5; 0: in any number
    """
    return Walk(-1, (0,) * two_squares)


def opening(squares: bytes, two_squares: int) -> Position:
    """
    The position before the first move.

    :param two_squares: as for `nowhere`
    """
    walk = nowhere(two_squares)
    return Position(squares, FIRST_PLAYER, 0, (walk, walk))
