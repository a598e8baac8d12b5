"""
Fleet. Each player places ships, which the other one cannot see: a1 c1.

The ships lie in a row or a column, and do not lie on each other. Then the players
shoot by turns, each at one square: b2. Both learn whether it was a hit. Who has
hit all squares of the other player's ships wins.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from string import ascii_lowercase
from typing import Any

from attrs import define, field, frozen
from msgspec.structs import replace

from gamehost.games.base import Cause, Chance, IllegalAction, Result, Seat, To, any_of, shuffled
from gamehost.settings import Settings, from_to, milliseconds, refuse_unknown, setting
from gamehost_fleet.messages import Begun, Own, Place, Placed, Shoot, Shot, View

SHIPS = (3, 2, 2)
Events = Sequence[To[Any]]
Rows = tuple[str, ...]
#: A column and a row, from 0.
Square = tuple[int, int]
Ship = tuple[Square, ...]

_SQUARE = re.compile("([a-j])([1-9]|10)", re.ASCII)


def square_of(text: str) -> Square | None:
    """A square by its name; `None`: it is none."""
    found = _SQUARE.fullmatch(text)
    return None if found is None else (ord(found[1]) - ord("a"), int(found[2]) - 1)


def name_of(square: Square) -> str:
    return f"{ascii_lowercase[square[0]]}{square[1] + 1}"


def ship_name(ship: Ship) -> str:
    return f"{name_of(ship[0])} {name_of(ship[-1])}"


def ship_of(text: str) -> Ship | None:
    """A ship by its ends, the left or lower one first; `None`: it is none."""
    start, end = (square_of(word) for word in text.split(" ")) if text.count(" ") == 1 else (None, None)
    if start is None or end is None or start >= end or (start[0] != end[0] and start[1] != end[1]):
        return None
    return tuple((column, row) for column in range(start[0], end[0] + 1) for row in range(start[1], end[1] + 1))


def squares(size: int) -> Iterator[Square]:
    return ((column, row) for column in range(size) for row in range(size))


@cache
def berths(size: int, length: int) -> tuple[Ship, ...]:
    """Where a ship of a length can lie in empty waters."""
    flat = [tuple((column + step, row) for step in range(length)) for column, row in squares(size)]
    upright = [tuple((column, row + step) for step in range(length)) for column, row in squares(size)]
    return tuple(ship for ship in (*flat, *upright) if max(ship[-1]) < size)


def at(rows: Rows, square: Square) -> str:
    return rows[-1 - square[1]][square[0]]


def marked(rows: Rows, square: Square, mark: str) -> Rows:
    lines = list(rows)
    line = lines[-1 - square[1]]
    lines[-1 - square[1]] = line[: square[0]] + mark + line[square[0] + 1 :]
    return tuple(lines)


def all_marked(rows: Rows, mark: str) -> set[Square]:
    last = len(rows) - 1
    return {(column, last - line) for line, row in enumerate(rows) for column, one in enumerate(row) if one == mark}


@define(eq=False)
class FleetMaster:
    """One match."""

    move_time: int
    #: What everybody knows.
    public: View
    #: The secret: the ships of each seat.
    fleets: list[tuple[Ship, ...]]
    result: Result | None = field(init=False, default=None)
    deadline: int | None = field(init=False, default=None)

    def begin(self, now: int) -> Events:
        self._set_deadline(now)
        return [To(Begun(len(self.public.board), self.public.ships))]

    def act(self, seat: Seat, action: Place | Shoot, now: int) -> Events:
        if self.result is not None:
            raise IllegalAction("the match is over")
        if seat != self.public.turn:
            raise IllegalAction("it is the other player's turn")
        events = self._place(seat, action) if isinstance(action, Place) else self._shoot(seat, action)
        self.public = replace(self.public, turn=1 - seat)
        self._set_deadline(now)
        return events

    def _place(self, seat: Seat, action: Place) -> Events:
        known, ship, mine = self.public, ship_of(action.ship), self.fleets[seat]
        if len(mine) == len(known.ships):
            raise IllegalAction("all ships are placed: shoot at a square")
        if ship is None or len(ship) != known.ships[len(mine)] or max(map(max, ship)) >= len(known.own):
            raise IllegalAction(f"expected the two ends of a ship of {known.ships[len(mine)]} squares")
        if {*ship} & {square for other in mine for square in other}:
            raise IllegalAction("another ship lies there")
        self.fleets[seat] = (*mine, ship)
        self.public = replace(known, placed=(len(self.fleets[0]), len(self.fleets[1])))
        # First what everybody may know, then where the ship lies to its own seat.
        return [To(Placed(seat)), To(Own(action.ship), (seat,))]

    def _shoot(self, seat: Seat, action: Shoot) -> Events:
        known, square = self.public, square_of(action.square)
        waters = known.own if seat else known.board
        if known.placed != (len(known.ships),) * 2:
            raise IllegalAction("not all ships are placed: place the next one")
        if square is None or max(square) >= len(waters):
            raise IllegalAction("the square is not in the waters")
        if at(waters, square) != ".":
            raise IllegalAction("you have shot there already")
        targets = {one for ship in self.fleets[1 - seat] for one in ship}
        waters = marked(waters, square, "x" if square in targets else "o")
        self.public = replace(known, own=waters) if seat else replace(known, board=waters)
        if targets == all_marked(waters, "x"):
            self.result = Result((seat,), Cause.RULES, "all ships are hit")
        return [To(Shot(seat, action.square, square in targets))]

    def forfeit(self, seat: Seat, now: int) -> Events:
        return self._lost(seat, Cause.LEFT, "a player left")

    def expire(self, now: int) -> Events:
        return self._lost(Seat(self.public.turn), Cause.TIME, "the time ran out")

    def _lost(self, seat: Seat, cause: Cause, why: str) -> Events:
        self.result, self.deadline = Result((Seat(1 - seat),), cause, why), None
        return ()

    def _set_deadline(self, now: int) -> None:
        self.deadline = now + self.move_time if self.move_time and self.result is None else None

    def to_move(self) -> Seat | None:
        return None if self.result is not None else Seat(self.public.turn)

    def view(self, seat: Seat | None) -> View:
        if seat is None:
            return self.public
        board, own = (self.public.board, self.public.own) if seat == 0 else (self.public.own, self.public.board)
        return replace(self.public, board=board, own=own, fleet=tuple(map(ship_name, self.fleets[seat])))

    def state(self) -> object:
        return (self.public, *self.fleets)


@frozen
class Fleet:
    """The game, as tables and the journal know it."""

    name: str = "fleet"
    #: Another number whenever the same record would give another match.
    version: int = 1
    least_seats: int = 2
    most_seats: int = 2
    options: Mapping[str, str] = field(
        factory=lambda: {
            "size": "squares on each side of the waters, from 4 to 10; default 5",
            "move_time": "seconds for one decision; default 0, no limit",
        }
    )

    def check(self, settings: Settings) -> None:
        self.new_master(2, settings)

    def new_master(self, seats: int, settings: Settings, chance: Chance | None = None) -> FleetMaster:
        refuse_unknown(settings, self.options)
        size = setting(settings, "size", 5, from_to(4, 10))
        return FleetMaster(setting(settings, "move_time", 0, milliseconds), begun(size, SHIPS), [(), ()])

    def write(self, action: Place | Shoot) -> bytes:
        return (action.ship if isinstance(action, Place) else action.square).encode()

    def read(self, notation: bytes) -> Place | Shoot:
        text = notation.decode("ascii", "replace")
        if square_of(text) is not None:
            return Shoot(text)
        if ship_of(text) is not None:
            return Place(text)
        raise ValueError("expected a square such as b2, or the two ends of a ship such as a1 c1")

    def legal(self, view: View, seat: Seat) -> Iterator[Place | Shoot]:
        total = sum(view.ships)
        if view.turn != seat or total in (len(all_marked(view.board, "x")), len(all_marked(view.own, "x"))):
            return
        if view.placed == (len(view.ships),) * 2:
            yield from (Shoot(name_of(square)) for square in squares(len(view.board)) if at(view.board, square) == ".")
        else:
            taken = {square for ship in ships_of(view) for square in ship}
            length = view.ships[view.placed[seat]]
            yield from (Place(ship_name(ship)) for ship in berths(len(view.own), length) if not taken & {*ship})

    def random_action(self, view: View, seat: Seat, below: Callable[[int], int]) -> Place | Shoot | None:
        return any_of(self.legal(view, seat), below)

    def follow(self, view: View | None, event: Any, seat: Seat | None) -> View | None:
        match event:
            case View():
                return event
            case Begun(size, ships):
                return begun(size, ships)
            case Placed(one) if view is not None:
                counts = [count + (number == one) for number, count in enumerate(view.placed)]
                return replace(view, placed=(counts[0], counts[1]), turn=1 - one)
            case Own(ship) if view is not None:
                return replace(view, fleet=(*view.fleet, ship))
            case Shot(one, name, hit) if view is not None and (square := square_of(name)) is not None:
                mark = "x" if hit else "o"
                if one == (seat or 0):
                    return replace(view, board=marked(view.board, square, mark), turn=1 - one)
                return replace(view, own=marked(view.own, square, mark), turn=1 - one)
        return view

    def determinized(self, view: View, seat: Seat, chance: Chance) -> FleetMaster:
        """A match in which the other player's ships lie anywhere where the shots allow it."""
        other = drawn_fleet(view.board, view.ships[: view.placed[1 - seat]], chance)
        fleets = [ships_of(view), other] if seat == 0 else [other, ships_of(view)]
        board, own = (view.board, view.own) if seat == 0 else (view.own, view.board)
        return FleetMaster(0, replace(view, board=board, own=own, fleet=()), fleets)

    def outlook(self, master: FleetMaster, seat: Seat) -> float:
        """Who has hit more stands better."""
        hits = [sum(row.count("x") for row in waters) for waters in (master.public.board, master.public.own)]
        return (hits[seat] - hits[1 - seat]) / sum(master.public.ships)


def begun(size: int, ships: tuple[int, ...]) -> View:
    waters = ("." * size,) * size
    return View(waters, waters, (), (0, 0), ships, 0)


def ships_of(view: View) -> tuple[Ship, ...]:
    """The own ships of a view."""
    return tuple(ship for ship in map(ship_of, view.fleet) if ship is not None)


def drawn_fleet(waters: Rows, lengths: tuple[int, ...], chance: Chance) -> tuple[Ship, ...]:
    """Ships of these lengths that cover all hits and no miss."""
    lying = dict[int, Ship]()
    misses = all_marked(waters, "o")
    possible = {
        length: [ship for ship in berths(len(waters), length) if misses.isdisjoint(ship)] for length in {*lengths}
    }

    def lay(hits: frozenset[Square], free: frozenset[int], taken: frozenset[Square]) -> bool:
        """Lay the ships that are left, those on hits first."""
        if not free:
            return not hits
        wanted = min(hits, default=None)
        for number in shuffled(sorted(free), chance) if wanted is not None else [min(free)]:
            free_berths = possible[lengths[number]]
            first = chance.below(len(free_berths))
            for ship in (*free_berths[first:], *free_berths[:first]):
                if (wanted is None or wanted in ship) and taken.isdisjoint(ship):
                    lying[number] = ship
                    if lay(hits.difference(ship), free - {number}, taken.union(ship)):
                        return True
        return False

    lay(frozenset(all_marked(waters, "x")), frozenset(range(len(lengths))), frozenset())
    return tuple(lying[number] for number in range(len(lengths)))


FLEET = Fleet()
