"""
The master of a match of Paper Soccer: decides which seat moves, checks moves, and finds the winner.

The seat that moves first is drawn at random when the match begins; it attacks the goal at y = +6. A move that the rules forbid
is accepted, and its player loses at once. A move out of turn, after the end or without points is refused, and its player does
not lose. All seats receive all events, because nothing is hidden.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field
from msgspec import Struct
from msgspec.structs import replace

from gamehost.games.base import (
    AGREED,
    CLAIMED,
    TAKEN_BACK_AT_MOST,
    Cause,
    Chance,
    GameMaster,
    IllegalAction,
    Offer,
    Result,
    Seat,
    To,
)
from gamehost.games.paper_soccer.rules import Foul, Point, Position
from gamehost.settings import Settings, milliseconds, refuse_unknown, setting


class Move(Struct, frozen=True, gc=False):
    """Action: a move. `points` are all points of one turn, without the point where the ball lies."""

    points: tuple[Point, ...]


class Kickoff(Struct, frozen=True, gc=False):
    """Event: the match begins."""

    #: This seat moves first, and attacks the goal at y = +6.
    first: Seat


class Moved(Struct, frozen=True, gc=False):
    """Event: a seat has made a legal move, and the match continues."""

    seat: Seat
    points: tuple[Point, ...]
    next: Seat


class Ended(Struct, frozen=True, gc=False):
    """Event: the match is over."""

    winner: Seat
    loser: Seat
    #: The legal move that ended the match; empty if it ended in another way. An illegal move is never shown.
    points: tuple[Point, ...]
    cause: Cause
    #: The reason, as in the result.
    why: str


class Drawn(Struct, frozen=True, gc=False):
    """Event: the match is drawn without a move: the players have agreed on a draw, or one has claimed it."""

    result: Result = AGREED


class TakenBack(Struct, frozen=True, gc=False):
    """Event: a seat has taken its last move back, and all moves after it, because the players agreed."""

    #: This seat moves next.
    seat: Seat
    #: The number of moves that were taken back.
    moves: int
    #: All points of all remaining moves, in one list.
    points: tuple[Point, ...]


class Situation(Struct, frozen=True, gc=False):
    """A view: the state of the match, for a player that comes back or a watcher."""

    #: This seat moved first, and attacks the goal at y = +6.
    first: Seat
    #: All points of all legal moves so far, in one list.
    points: tuple[Point, ...]
    #: The seat to move; `None`: the match is over.
    next: Seat | None
    result: Result | None


Event = Kickoff | Moved | Ended | Drawn | TakenBack | Situation


@define(eq=False)
class PaperSoccerMaster:
    """The referee of one match."""

    _move_time: int
    _chance: Chance
    deadline: int | None = field(default=None, init=False)
    result: Result | None = field(default=None, init=False)
    _first: Seat = field(default=Seat(0), init=False)
    _next: Seat = field(default=Seat(0), init=False)
    _position: Position = field(factory=Position, init=False)
    _points: list[Point] = field(factory=list, init=False)
    #: The positions before the last moves, each with its number of points, for takebacks.
    _before: list[tuple[Position, int]] = field(factory=list, init=False)

    def begin(self, now: int) -> Sequence[To[Event]]:
        self._first = self._next = drawn_first(self._chance)
        self._set_deadline(now)
        return (To(Kickoff(self._first)),)

    def act(self, seat: Seat, action: Move, now: int) -> Sequence[To[Event]]:
        """
        Performs a move. A move that the rules forbid is accepted, and its player loses.

        :raises IllegalAction: the move is out of turn, after the end, or without points; its player does not lose
        """
        if self.result is not None:
            raise IllegalAction("the game is over; no move is expected")
        if seat != self._next:
            raise IllegalAction("it is the other player's turn")
        if not action.points:
            raise IllegalAction("the move has no points; one point or more was expected")
        # An illegal move loses the match.
        try:
            position = self._position.after(action.points)
        except Foul as foul:
            return self._end(other(seat), (), Cause.VIOLATION, f"illegal move: {foul}")
        # Store the position before the move, so that the move can be taken back.
        before = self._before
        before.append((self._position, len(self._points)))
        if len(before) > TAKEN_BACK_AT_MOST:
            del before[0]
        self._position = position
        self._points.extend(action.points)
        # The match ends, or the other seat is to move.
        ending = position.ending
        if ending is not None:
            # The side 0 is the seat that moved first.
            winner = self._first if ending.winner == 0 else other(self._first)
            return self._end(winner, action.points, Cause.RULES, ending.how.value)
        self._next = other(seat)
        self._set_deadline(now)
        return (To(Moved(seat, action.points, self._next)),)

    def foul(self, seat: Seat, action: Move) -> str | None:
        """
        Returns the reason if a player would lose by this move, for clients that ask before they move. A move out of turn is
        refused, so nobody loses by it.
        """
        if self.result is None and seat == self._next and action.points:
            try:
                self._position.after(action.points)
            except Foul as foul:
                return f"illegal move: {foul}"
        return None

    def forfeit(self, seat: Seat, now: int) -> Sequence[To[Event]]:
        return self._end(other(seat), (), Cause.LEFT, "left the game")

    def expire(self, now: int) -> Sequence[To[Event]]:
        return self._end(other(self._next), (), Cause.TIME, "ran out of time")

    def objection(self, offer: Offer, seat: Seat) -> str | None:
        """
        Returns the reason why a seat cannot make an offer. A move can be taken back if this seat has made one. If the other
        seat has moved since, both moves are taken back.
        """
        # `_since_move_of` is the number of moves that would be taken back. They must be among the stored ones.
        if offer is Offer.TAKEBACK and len(self._before) < self._since_move_of(seat):
            return "you have no move that can be taken back"
        return None

    def agree(self, offer: Offer, seat: Seat, now: int) -> Sequence[To[Event]]:
        """Performs an accepted offer: ends the match, or goes back to the position before the seat's last move."""
        if (objection := self.objection(offer, seat)) is not None:
            raise IllegalAction(objection)
        if offer is not Offer.TAKEBACK:
            self.result, self.deadline = AGREED if offer is Offer.DRAW else CLAIMED, None
            return (To(Drawn(self.result)),)
        moves = self._since_move_of(seat)
        self._position, length = self._before[-moves]
        # Also remove the points of these moves.
        del self._before[-moves:], self._points[length:]
        self._next = seat
        self._set_deadline(now)
        return (To(TakenBack(seat, moves, tuple(self._points))),)

    def _since_move_of(self, seat: Seat) -> int:
        """Returns the number of moves since the last move of a seat, including this move."""
        return 2 if seat == self._next else 1

    def to_move(self) -> Seat | None:
        return None if self.result is not None else self._next

    def view(self, seat: Seat | None) -> Event:
        """Returns all moves so far. They are the same for every seat."""
        over = self.result is not None
        return Situation(self._first, tuple(self._points), None if over else self._next, self.result)

    def state(self) -> object:
        """
        Returns the position, the seat that moved first, the seat to move, and the number of points. The path of the ball is not
        needed, because the drawn lines contain it.
        """
        return (self._position, self._first, self._next, len(self._points))

    def _set_deadline(self, now: int) -> None:
        self.deadline = now + self._move_time if self._move_time else None

    def _end(self, winner: Seat, points: tuple[Point, ...], cause: Cause, why: str) -> Sequence[To[Event]]:
        """Ends the match, and returns the last event."""
        self.result = Result((winner,), cause, why)
        self.deadline = None
        return (To(Ended(winner, other(winner), points, cause, why)),)


def drawn_first(chance: Chance) -> Seat:
    """Draws the seat that moves first."""
    return Seat(chance.below(2))


_OTHER = (Seat(1), Seat(0))


def other(seat: Seat) -> Seat:
    return _OTHER[seat]


#: A coordinate in its usual form: no plus sign, no leading zeros, no -0.
_NUMBER = rb"(?:0|-?[1-9][0-9]{0,2})"
_NOTATION = re.compile(rb"%b,%b(?: %b,%b)*" % (_NUMBER, _NUMBER, _NUMBER, _NUMBER))


def position_of(view: Situation) -> Position:
    """Returns the position after all points of a view."""
    position = Position()
    for point in view.points:
        position = position.step(point)
    return position


class PaperSoccer:
    """The token of Paper Soccer: the game as hosts and tables use it. Its notation is the points of a move: `0,0 1,1`."""

    name = "paper-soccer"
    version = 1
    least_seats = 2
    most_seats = 2
    choices: frozenset[str] = frozenset()
    offers = frozenset(Offer)
    usual: Settings = {}
    options: Mapping[str, str] = {"move_time": "seconds for one move, 0 for no limit (default: 0)"}

    def check(self, settings: Settings) -> None:
        refuse_unknown(settings, self.options)
        self._move_time(settings)

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> GameMaster[Move, Event]:
        """Makes a master for one match of two seats."""
        self.check(settings)
        if seats != 2:
            raise ValueError(f"paper soccer is a game for 2, not for {seats}")
        return PaperSoccerMaster(self._move_time(settings), chance)

    def write(self, action: Move) -> bytes:
        return b" ".join([b"%d,%d" % point for point in action.points])

    def read(self, notation: bytes) -> Move:
        if _NOTATION.fullmatch(notation) is None:
            raise ValueError("not a move in paper soccer; expected points such as 0,0 1,1")
        return Move(tuple((int(x), int(y)) for x, y in (point.split(b",") for point in notation.split(b" "))))

    def legal(self, view: Situation, seat: Seat) -> Iterator[Move]:
        """Yields the whole moves of the seat to move. They are found one by one, because there can be hundreds of thousands."""
        if view.next == seat:
            yield from map(Move, position_of(view).moves())

    def steps(self, view: Situation, seat: Seat, begun: Move | None) -> Iterator[tuple[Move, bool]]:
        """
        Yields each possible next point of a move, as a longer beginning, and whether the move is whole.

        :raises IllegalAction: no legal move has this beginning, or it is a whole move already
        """
        if view.next != seat:
            # It is not this seat's turn, so there is no move.
            return iter(())
        start = here = position_of(view)
        points = () if begun is None else begun.points
        try:
            for point in points:
                here = here.step(point)
                if here.turn != start.turn or here.ending is not None:
                    # The beginning is already a whole move: the turn has passed, or the match is over.
                    raise IllegalAction("this move is whole, and cannot go on")
        except Foul as foul:
            raise IllegalAction(f"no legal move begins so: {foul}") from None
        # Each step from here, and the position after it. A move is whole if it ends the turn or the match.
        after = ((Move((*points, point)), here.step(point)) for point in here.steps())
        return ((move, there.turn != start.turn or there.ending is not None) for move, there in after)

    def random_action(self, view: Situation, seat: Seat, below: Callable[[int], int]) -> Move | None:
        """Returns random steps until the turn or the match ends. So not all moves are equally likely."""
        if view.next != seat:
            return None
        here = start = position_of(view)
        points: list[Point] = []
        while here.turn == start.turn and here.ending is None:
            steps = list(here.steps())
            points.append(steps[below(len(steps))])
            here = here.step(points[-1])
        return Move(tuple(points))

    def follow(self, view: Situation | None, event: Any, seat: Seat | None) -> Situation | None:
        """Returns all points so far, and the seat to move. They are the same for all seats."""
        match event:
            case Situation():
                return event
            case Kickoff(first):
                return Situation(first, (), first, None)
            case Moved(_, points, following) if view is not None:
                return replace(view, points=view.points + points, next=following)
            # The points are those of a last legal move; empty if the match ended in another way.
            case Ended(winner) if view is not None:
                result = Result((winner,), event.cause, event.why)
                return replace(view, points=view.points + event.points, next=None, result=result)
            case Drawn(result) if view is not None:
                return replace(view, next=None, result=result)
            case TakenBack(taker, _, left) if view is not None:
                return replace(view, points=left, next=taker)
        return view

    def determinized(self, view: Situation, seat: Seat, chance: Chance) -> PaperSoccerMaster:
        """
        Returns a master that continues the match from this view. The game has no hidden state and no luck after its
        beginning, so `chance` is not used.
        """
        master = PaperSoccerMaster(0, chance)
        master._first = view.first
        # `None`: the match is over, so no seat is to move.
        master._next = view.first if view.next is None else view.next
        master._position = position_of(view)
        master._points = list(view.points)
        return master

    @staticmethod
    def _move_time(settings: Settings) -> int:
        return setting(settings, "move_time", 0, milliseconds)


PAPER_SOCCER = PaperSoccer()
