"""
The game master: the referee of one match, and the token by which the host knows the game.

It reads no clock and draws no random numbers of its own, so that the host can replay a match from its journal.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

from gamehost.games.base import Cause, Chance, IllegalAction, Result, Seat, To
from gamehost.settings import Settings, from_to, milliseconds, refuse_unknown, setting
from gamehost_gomoku.position import Point, Position, point_named


@frozen
class Begun:
    """The match begins on an empty board with so many points on each side."""

    size: int


@frozen
class Played:
    """A seat placed a stone."""

    seat: Seat
    point: Point


@frozen
class Situation:
    """What a player who comes back needs to go on."""

    position: Position


Event = Begun | Played | Situation


@define(eq=False)
class GomokuMaster:
    """
    One match of two seats: Black (0) and White (1).

    :param move_time: milliseconds for one move; 0: no limit
    """

    position: Position
    move_time: int
    result: Result | None = None
    deadline: int | None = None

    def begin(self, now: int) -> Sequence[To[Event]]:
        """Open the match."""
        self._set_deadline(now)
        return (To(Begun(self.position.size)),)

    def act(self, seat: Seat, action: Point, now: int) -> Sequence[To[Event]]:
        """
        Place a stone.

        :raises IllegalAction: it is not this seat's turn, or no stone can be placed there; nothing has changed
        """
        if self.result is not None:
            raise IllegalAction("the match is over")
        if seat != self.position.turn:
            raise IllegalAction("it is the other player's turn")
        if (reason := self.position.why_not(action)) is not None:
            raise IllegalAction(reason)
        self.position = self.position.after(action)
        if self.position.won:
            self.result = Result((seat,), Cause.RULES, "five in a row")
        elif self.position.full:
            self.result = Result((), Cause.RULES, "the board is full")
        self._set_deadline(now)
        return (To(Played(seat, action)),)

    def forfeit(self, seat: Seat, now: int) -> Sequence[To[Event]]:
        """The other player wins."""
        return self._lose(seat, Cause.LEFT, "a player left")

    def expire(self, now: int) -> Sequence[To[Event]]:
        """The player whose turn it is loses."""
        return self._lose(Seat(self.position.turn), Cause.TIME, "the time ran out")

    def to_move(self) -> Seat | None:
        """The seat for which the match waits. A master that tells it can have clocks."""
        return None if self.result is not None else Seat(self.position.turn)

    def view(self, seat: Seat | None) -> Event:
        """The whole position: nothing is hidden in this game."""
        return Situation(self.position)

    def state(self) -> object:
        """All that decides how the match goes on."""
        return self.position

    def _lose(self, seat: Seat, cause: Cause, why: str) -> Sequence[To[Event]]:
        self.result = Result((Seat(1 - seat),), cause, why)
        self.deadline = None
        return ()

    def _set_deadline(self, now: int) -> None:
        limited = self.move_time and self.result is None
        self.deadline = now + self.move_time if limited else None


@frozen
class Gomoku:
    """The game, as tables and the journal know it."""

    name: str = "gomoku"
    #: Another number whenever the same record would give another match.
    version: int = 1
    least_seats: int = 2
    most_seats: int = 2
    options: Mapping[str, str] = field(
        factory=lambda: {
            "size": "points on each side of the board, from 5 to 19; default 15",
            "move_time": "seconds for one move; default 0, no limit",
        }
    )

    def check(self, settings: Settings) -> None:
        """
        :raises BadOption: a setting is unknown or cannot be used
        """
        self.new_master(2, settings)

    def new_master(self, seats: int, settings: Settings, chance: Chance | None = None) -> GomokuMaster:
        """
        A master for one match. Chance has no part in this game.

        :raises BadOption: as `check`
        """
        refuse_unknown(settings, self.options)
        size = setting(settings, "size", 15, from_to(5, 19))
        return GomokuMaster(Position(size), setting(settings, "move_time", 0, milliseconds))

    def write(self, action: Point) -> bytes:
        """`h8`."""
        return str(action).encode("ascii")

    def read(self, notation: bytes) -> Point:
        """
        :raises ValueError: not the name of a point
        """
        point = point_named(notation.decode("ascii"))
        if point is None:
            raise ValueError("expected a point such as h8")
        return point

    def legal(self, view: Situation, seat: Seat) -> Iterator[Point]:
        """The empty points, row by row, for the seat whose turn it is."""
        position = view.position
        if position.turn == seat and not position.won:
            taken, numbers = set(position.stones), range(position.size)
            yield from (point for row in numbers for column in numbers if (point := Point(column, row)) not in taken)

    def random_action(self, view: Situation, seat: Seat, below: Callable[[int], int]) -> Point | None:
        """The first empty point from any point on. A list of all would take long, and searches draw thousands."""
        position, total = view.position, view.position.size**2
        if position.turn != seat or position.won:
            return None
        start = below(total)
        points = (Point(*divmod(number % total, position.size)) for number in range(start, start + total))
        return next((point for point in points if point not in position.stones), None)

    def follow(self, view: Situation | None, event: Any, seat: Seat | None) -> Situation | None:
        """The board with each stone that is placed: the same for all."""
        match event:
            case Situation():
                return event
            case Begun(size):
                return Situation(Position(size))
            case Played(_, point) if view is not None:
                return Situation(view.position.after(point))
        return view

    def determinized(self, view: Situation, seat: Seat, chance: Chance) -> GomokuMaster:
        """The match from here on. Nothing is hidden, so nothing is drawn."""
        return GomokuMaster(view.position, 0)


GOMOKU = Gomoku()
