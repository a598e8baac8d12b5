"""
Towers. Each player has a tower of each colour, on the first row of the board.

A tower moves straight or diagonally towards the other side, over empty squares.
The colour of the square where it stops is the colour of the tower that the other
player moves next. A tower that cannot move stays, and its square says the next
colour. The first tower on the other side's first row wins. If no tower can move,
the player who moved last loses.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import Any

from attrs import define, field, frozen
from msgspec.structs import replace

from gamehost.games.base import Cause, Chance, IllegalAction, Result, Seat, To, any_of
from gamehost.settings import Settings, from_to, milliseconds, refuse_unknown, setting
from gamehost_towers.messages import Begun, Move, Moved, Passed, View

Events = Sequence[To[Any]]
#: A column and a row, from 0.
Square = tuple[int, int]

_WAY = re.compile("([a-h])([1-8]) ([a-h])([1-8])", re.ASCII)


def colour_of(square: Square, size: int) -> int:
    """From 0. Each row has each colour once, in an order of its own."""
    return (square[0] + 3 * square[1]) % size


def begun(size: int) -> View:
    rows = [[str(colour_of((column, row), size) + 1) for column in range(size)] for row in range(size)]
    rows[0] = [ascii_lowercase[int(colour) - 1] for colour in rows[0]]
    rows[-1] = [ascii_lowercase[int(colour) - 1].upper() for colour in rows[-1]]
    return View(tuple(map("".join, reversed(rows))), 0)


def at(view: View, square: Square) -> str:
    return view.board[-1 - square[1]][square[0]]


def ways_of(view: View, start: Square, seat: int) -> Iterator[Square]:
    """Where a tower of a seat can go."""
    size, step = len(view.board), 1 - 2 * seat
    for side in (-1, 0, 1):
        column, row = start[0] + side, start[1] + step
        while 0 <= column < size and 0 <= row < size and at(view, (column, row)).isdigit():
            yield column, row
            column, row = column + side, row + step


def ways(view: View, seat: int) -> Iterator[tuple[Square, Square]]:
    """All that this seat can do if it is to move."""
    size = len(view.board)
    for start in ((column, row) for row in range(size) for column in range(size)):
        tower = at(view, start)
        if (tower.islower(), tower.isupper())[seat] and view.tower in ("", tower):
            yield from ((start, end) for end in ways_of(view, start, seat))


def moved(view: View, start: Square, end: Square) -> View:
    """The view after a move, if the other player can move."""
    size, tower, seat = len(view.board), at(view, start), view.turn
    rows = [list(row) for row in view.board]
    rows[-1 - start[1]][start[0]] = str(colour_of(start, size) + 1)
    rows[-1 - end[1]][end[0]] = tower
    return View(tuple(map("".join, rows)), 1 - seat, named(colour_of(end, size), 1 - seat))


def named(colour: int, seat: int) -> str:
    """The tower of a colour."""
    letter = ascii_lowercase[colour]
    return letter.upper() if seat else letter


def passed(view: View) -> View:
    """The view after the tower that is to move has stayed where it is."""
    size = len(view.board)
    place = next(
        (column, row) for column in range(size) for row in range(size) if at(view, (column, row)) == view.tower
    )
    return replace(view, turn=1 - view.turn, tower=named(colour_of(place, size), 1 - view.turn))


def way_of(text: str) -> tuple[Square, Square] | None:
    """The two squares of a move; `None`: it is none."""
    found = _WAY.fullmatch(text)
    if found is None:
        return None
    columns = [ord(found[number]) - ord("a") for number in (1, 3)]
    return (columns[0], int(found[2]) - 1), (columns[1], int(found[4]) - 1)


def text_of(start: Square, end: Square) -> str:
    return " ".join(f"{ascii_lowercase[column]}{row + 1}" for column, row in (start, end))


@define(eq=False)
class TowersMaster:
    """One match. Nothing is hidden, so all have the same view."""

    known: View
    move_time: int
    result: Result | None = None
    deadline: int | None = None

    def begin(self, now: int) -> Events:
        self._set_deadline(now)
        return [To(Begun(len(self.known.board)))]

    def act(self, seat: Seat, action: Move, now: int) -> Events:
        if self.result is not None:
            raise IllegalAction("the match is over")
        if seat != self.known.turn:
            raise IllegalAction("it is the other player's turn")
        way = way_of(action.way)
        if way is None or way not in ways(self.known, seat):
            raise IllegalAction(self._why_not(way))
        self.known = moved(self.known, *way)
        events = [To[Any](Moved(seat, action.way))]
        if way[1][1] == (len(self.known.board) - 1, 0)[seat]:
            self.result = Result((seat,), Cause.RULES, "a tower has reached the other side")
        else:
            events += self._passes(seat)
        self._set_deadline(now)
        return events

    def _why_not(self, way: tuple[Square, Square] | None) -> str:
        view = self.known
        if way is None or max(max(square) for square in way) >= len(view.board):
            return f"expected two squares of the board of {len(view.board)} by {len(view.board)}"
        if view.tower and at(view, way[0]) != view.tower:
            return f"the tower {view.tower} is to move"
        return "no own tower can go there"

    def _passes(self, mover: Seat) -> Events:
        """A tower that cannot move stays, and then perhaps the other one, until one can move."""
        events, known = list[To[Any]](), set[View]()
        while next(ways(self.known, self.known.turn), None) is None:
            if self.known in known:
                self.result = Result((Seat(1 - mover),), Cause.RULES, "no tower can move")
                break
            known.add(self.known)
            events.append(To(Passed(self.known.turn, self.known.tower)))
            self.known = passed(self.known)
        return events

    def forfeit(self, seat: Seat, now: int) -> Events:
        return self._lost(seat, Cause.LEFT, "a player left")

    def expire(self, now: int) -> Events:
        return self._lost(Seat(self.known.turn), Cause.TIME, "the time ran out")

    def _lost(self, seat: Seat, cause: Cause, why: str) -> Events:
        self.result, self.deadline = Result((Seat(1 - seat),), cause, why), None
        return ()

    def _set_deadline(self, now: int) -> None:
        self.deadline = now + self.move_time if self.move_time and self.result is None else None

    def to_move(self) -> Seat | None:
        return None if self.result is not None else Seat(self.known.turn)

    def view(self, seat: Seat | None) -> View:
        return self.known

    def state(self) -> object:
        return self.known


@frozen
class Towers:
    """The game, as tables and the journal know it."""

    name: str = "towers"
    #: Another number whenever the same record would give another match.
    version: int = 1
    least_seats: int = 2
    most_seats: int = 2
    options: Mapping[str, str] = field(
        factory=lambda: {
            "size": "squares on each side of the board, from 4 to 8; default 8",
            "move_time": "seconds for one move; default 0, no limit",
        }
    )

    def check(self, settings: Settings) -> None:
        self.new_master(2, settings)

    def new_master(self, seats: int, settings: Settings, chance: Chance | None = None) -> TowersMaster:
        refuse_unknown(settings, self.options)
        size = setting(settings, "size", 8, from_to(4, 8))
        return TowersMaster(begun(size), setting(settings, "move_time", 0, milliseconds))

    def write(self, action: Move) -> bytes:
        return action.way.encode()

    def read(self, notation: bytes) -> Move:
        text = notation.decode("ascii", "replace")
        if way_of(text) is None:
            raise ValueError("expected two squares such as a1 a4")
        return Move(text)

    def legal(self, view: View, seat: Seat) -> Iterator[Move]:
        # After the match a tower stands on the other side's first row, or no tower can move.
        ended = any(map(str.islower, view.board[0])) or any(map(str.isupper, view.board[-1]))
        if view.turn == seat and not ended:
            yield from (Move(text_of(*way)) for way in ways(view, seat))

    def random_action(self, view: View, seat: Seat, below: Callable[[int], int]) -> Move | None:
        return any_of(self.legal(view, seat), below)

    def follow(self, view: View | None, event: Any, seat: Seat | None) -> View | None:
        match event:
            case View():
                return event
            case Begun(size):
                return begun(size)
            case Moved(_, way) if view is not None and (squares := way_of(way)) is not None:
                return moved(view, *squares)
            case Passed() if view is not None:
                return passed(view)
        return view

    def determinized(self, view: View, seat: Seat, chance: Chance) -> TowersMaster:
        """The match from here on. Nothing is hidden, so nothing is drawn."""
        return TowersMaster(view, 0)


TOWERS = Towers()
