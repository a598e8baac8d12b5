"""
Leave: while a player is away for some days, no slow match ends because that player does not move. Players call it a holiday.

A leave is a moment before which no deadline of its player counts. It does not stop a clock: at its end, a player
with no time left must have moved. The days are booked when it is taken, whole ones, and those that are not used come back.

Who moves is back. Other matches may have no time left then, so a day of the leave remains for them.

An owner gives time to one match in the same way: this leave has the place of the table for its key.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from attrs import define, evolve, field

from gamehost.journal.records import Journal, Leave

#: Milliseconds.
DAY = 86_400_000
#: Days of one leave, and of all that a player takes in one year of UTC.
MOST_DAYS, DAYS_A_YEAR = 14, 28


@define(eq=False)
class Leaves:
    """
    The leaves of all players.

    :param now: milliseconds since 1970
    :param changed: called with a key when its leave is another one, before that is durable
    """

    _journal: Journal
    _now: Callable[[], int]
    _changed: Callable[[str], None]
    _known: dict[str, Leave] = field(init=False, factory=dict)
    #: By key: changes that are not durable yet. What the store has is older.
    _pending: Counter[str] = field(init=False, factory=Counter)

    def until(self, key: str) -> int:
        """The end of a leave, in milliseconds since 1970; 0: there was none."""
        leave = self._known.get(key)
        return 0 if leave is None else leave.until

    @property
    def none(self) -> bool:
        """Whether nobody has ever taken one."""
        return not self._known

    def of(self, key: str) -> Leave:
        """A leave, with the days that were taken in this year."""
        year = datetime.fromtimestamp(self._now() / 1000, UTC).year
        leave = self._known.get(key, Leave(key, 0, year))
        return leave if leave.year == year else evolve(leave, year=year, days=0)

    def learn(self, found: Mapping[str, Leave | None]) -> list[str]:
        """
        The store has these leaves.

        :param found: by key; `None`: there is none any more
        :returns: the keys of those that are news here
        """
        news = {key: one for key, one in found.items() if not self._pending[key] and self._known.get(key) != one}
        for key, leave in news.items():
            if leave is None:
                del self._known[key]
            else:
                self._known[key] = leave
        return list(news)

    def take(self, key: str, days: int, durable: Callable[[], None]) -> str | None:
        """
        A player is on leave from now on.

        :param days: 1 to `MOST_DAYS`. Of a player on leave, they replace those that are left
        :returns: why not: this year has not so many days left
        """
        before = self.of(key)
        after = self._booked(before, self._now() + days * DAY)
        if after.days > DAYS_A_YEAR:
            return f"of {DAYS_A_YEAR} days of holiday a year you have {DAYS_A_YEAR - before.days} left"
        self._put(after, durable)
        return None

    def end(self, key: str, durable: Callable[[], None]) -> bool:
        """A player is back, and has one day for all matches. Returns whether that ends a leave earlier."""
        before = self.of(key)
        until = self._now() + DAY
        if before.until <= until:
            return False
        self._put(self._booked(before, until), durable)
        return True

    def extend(self, key: str, days: int, durable: Callable[[], None]) -> None:
        """No deadline under a key counts for so many days, which are booked to nobody."""
        self._put(Leave(key, max(self.until(key), self._now() + days * DAY)), durable)

    def _booked(self, before: Leave, until: int) -> Leave:
        """The leave with another end. A day that has begun counts; one that has not is given back."""
        more = until - max(self._now(), before.until)
        return evolve(before, until=until, days=max(0, before.days - (-more // DAY)))

    def _put(self, leave: Leave, durable: Callable[[], None]) -> None:
        key = leave.key

        def stored() -> None:
            self._pending -= Counter([key])
            durable()

        self._known[key] = leave
        self._pending[key] += 1
        self._journal.put_leave(leave, stored)
        self._changed(key)

    def move(self, before: str, after: str | None) -> None:
        """The player has another key; `None`: nobody is this player any more. The store knows."""
        leave = self._known.pop(before, None)
        if leave is not None and after is not None:
            self._known[after] = evolve(leave, key=after)
