"""
Clocks: each seat has a time for the whole match. A seat's clock runs while the match waits only for this seat.

`ClockedMaster` adds clocks to the master of any game with turns. All times are whole milliseconds on the table's own clock, so
a replay gives the same times.
"""

from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from attrs import define
from msgspec import Struct

from gamehost.games.base import (
    CLOCK_SETTINGS,
    MOST_DAYS,
    MOVE_DAYS,
    Game,
    GameMaster,
    IllegalAction,
    Offer,
    Result,
    Seat,
    TakesOffers,
    To,
    foul_of,
)
from gamehost.settings import BadOption, Settings, from_to, milliseconds, setting

A = TypeVar("A")
E = TypeVar("E")
A_contra = TypeVar("A_contra", contravariant=True)
E_co = TypeVar("E_co", covariant=True)


@runtime_checkable
class HasTurns(Protocol):
    """A master that names the seat to move. Clocks are possible only with such a master."""

    def to_move(self) -> Seat | None:
        """
        Returns the seat for which the match waits; `None`: it waits for no seat, or for several.

        While the match waits for one seat, `expire` may be called even without a deadline. Then this seat loses by time.
        """


class TurnMaster(GameMaster[A_contra, E_co], HasTurns, Protocol[A_contra, E_co]):
    """A master of a game in which clocks are possible: it says for which seat the match waits (see `HasTurns`)."""


class ClockReading(Struct, frozen=True, gc=False):
    """The times on the clocks of a match after an entry of the journal."""

    #: The remaining milliseconds of each seat at the time `since`.
    left: tuple[int, ...]
    #: The seat with a running clock; `None`: all clocks are stopped.
    running: Seat | None
    #: The time of this reading on the table's own clock, in milliseconds.
    since: int

    def at(self, now: int) -> list[int]:
        """Returns the remaining milliseconds of each seat at a later time. None is less than 0."""
        left = list(self.left)
        if self.running is not None:
            left[self.running] = max(0, left[self.running] - (now - self.since))
        return left


@define(eq=False)
class ClockedMaster(Generic[A, E]):
    """
    Adds clocks to the master of a game.

    :param increment: milliseconds that a seat gets at the end of its turn
    :param reading: the clocks before the match
    """

    _inner: TurnMaster[A, E]
    _increment: int
    reading: ClockReading

    @property
    def result(self) -> Result | None:
        return self._inner.result

    @property
    def deadline(self) -> int | None:
        """The deadline of the game or the end of the running clock: the earlier of the two."""
        clock, inner = self.reading, self._inner.deadline
        if clock.running is None:
            return inner
        end = clock.since + clock.left[clock.running]
        return end if inner is None else min(inner, end)

    @property
    def rules_deadline(self) -> int | None:
        """The deadline of the game itself, without clocks."""
        return self._inner.deadline

    def begin(self, now: int) -> Sequence[To[E]]:
        events = self._inner.begin(now)
        self._go_on(now, self._increment)
        return events

    def act(self, seat: Seat, action: A, now: int) -> Sequence[To[E]]:
        events = self._inner.act(seat, action, now)
        self._go_on(now, self._increment)
        return events

    def foul(self, seat: Seat, action: A) -> str | None:
        """Returns the reason if this seat would lose by this action, in games with such actions."""
        return foul_of(self._inner, seat, action)

    def objection(self, offer: Offer, seat: Seat) -> str | None:
        """Returns the game's reason why a seat cannot make this offer now; `None`: it can."""
        inner = self._inner
        return inner.objection(offer, seat) if isinstance(inner, TakesOffers) else f"there is no {offer.value} here"

    def agree(self, offer: Offer, seat: Seat, now: int) -> Sequence[To[E]]:
        """Performs an offer. Used time is not given back, and no increment is added, because no move was made."""
        if not isinstance(self._inner, TakesOffers):
            raise IllegalAction(f"there is no {offer.value} here")
        events = self._inner.agree(offer, seat, now)
        # 0: no increment.
        self._go_on(now, 0)
        return events

    def forfeit(self, seat: Seat, now: int) -> Sequence[To[E]]:
        events = self._inner.forfeit(seat, now)
        self._go_on(now, self._increment)
        return events

    def expire(self, now: int) -> Sequence[To[E]]:
        """Handles the end of the time of the seat to move: on its clock, or for its decision."""
        # The game need not know which of the two deadlines has passed: in both cases its seat to move loses by time.
        events = self._inner.expire(now)
        self._go_on(now, self._increment)
        return events

    def view(self, seat: Seat | None) -> E:
        return self._inner.view(seat)

    def state(self) -> object:
        """Returns the state of the game, the clocks, and the time since which they run."""
        return (self._inner.state(), self.reading.left, self.reading.since)

    def _go_on(self, now: int, increment: int) -> None:
        """
        Subtracts the elapsed time from the running clock, and starts the next clock. At the end of its turn, a seat gets the
        increment.
        """
        before, left = self.reading.running, self.reading.at(now)
        # After the end of the match, all clocks are stopped.
        turn = None if self.result is not None else self._inner.to_move()
        # An action after which the same seat is to move does not end its turn.
        if before is not None and turn != before and self.result is None:
            left[before] += increment
        self.reading = ClockReading(tuple(left), turn, now)


def reading_of(master: GameMaster[A, E]) -> ClockReading | None:
    """Returns the clocks of a match; `None`: it has none."""
    return master.reading if isinstance(master, ClockedMaster) else None


class Due(Struct, frozen=True, gc=False):
    """
    The deadline of the next decision, which is separate from the clocks. The seat to move loses by time if it has not acted by
    then.
    """

    #: `at` is the deadline on the table's own clock, and `allowed` is the whole time for the decision, both in milliseconds.
    at: int
    allowed: int

    def left(self, now: int) -> tuple[int, int]:
        """Returns the milliseconds that are left at a later time (at least 0), and the milliseconds for the whole decision."""
        return max(0, self.at - now), self.allowed


def due_after(master: GameMaster[A, E], now: int, before: Due | None) -> Due | None:
    """
    Returns the deadline of the game itself after an entry, without clocks; `None`: it has none.

    :param now: the time of the entry
    :param before: the deadline before the entry
    """
    deadline = master.rules_deadline if isinstance(master, ClockedMaster) else master.deadline
    if deadline is None:
        return None
    # If the deadline has not changed, the same decision continues. Its whole time counts from its beginning, not from `now`.
    if before is not None and before.at == deadline:
        return before
    return Due(deadline, deadline - now)


def with_days(game: Game[Any, Any], settings: Settings) -> Settings:
    """
    Returns the settings of a slow match for its master: the days become a time for each move.

    :raises BadOption: the number of days is not valid, or other settings contradict it
    """
    # `from_to` also checks the number.
    days = from_to(1, MOST_DAYS)(MOVE_DAYS, settings[MOVE_DAYS])
    for name in CLOCK_SETTINGS:
        if settings.get(name, "0") != "0":
            raise BadOption(f"{name}: a match with {MOVE_DAYS} has no clocks")
    seconds = str(days * 86_400)
    # Only some games have a separate set-up, with `setup_time`.
    times = {name: seconds for name in ("move_time", "setup_time") if name in game.options}
    return {**settings, MOVE_DAYS: str(days), **times}


def with_clocks(master: GameMaster[A, E], seats: int, settings: Settings) -> GameMaster[A, E]:
    """
    Returns the master with clocks, if the settings ask for clocks; otherwise the master itself.

    :param master: a new master
    :param seats: the number of seats
    :param settings: the settings of the match; only those of `CLOCK_SETTINGS` are read
    :raises BadOption: a setting is not valid, or the game cannot have clocks
    """
    game_time = setting(settings, "game_time", 0, milliseconds)
    increment = setting(settings, "increment", 0, milliseconds)
    if not game_time:
        if increment:
            raise BadOption("increment: expected 0 without game_time")
        return master
    if not isinstance(master, HasTurns):
        raise BadOption("game_time: this game cannot have clocks")
    # At the beginning every seat has the whole time, and no clock runs.
    return ClockedMaster(master, increment, ClockReading((game_time,) * seats, None, 0))
