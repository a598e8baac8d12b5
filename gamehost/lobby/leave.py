"""
Leave: while a player is away for some days, no slow match ends because that player does not move. Players call it a holiday.

A leave has an end, and no deadline of its player counts before that end. A leave does not stop a clock: a player with
no time left must have moved at the end. Whole days are booked when a leave is taken, and unused days are given back.

A player that moves has come back. Its other matches may have no time left then, so one day of the leave remains for
them.

The owner of a host gives more time to a match in the same way: such a leave has the table's place as its key.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from attrs import define, evolve, field

from gamehost.journal.records import Journal, Leave

#: Milliseconds.
DAY = 86_400_000
#: The most days of one leave, and of all leaves of a player in one year of UTC.
MOST_DAYS, DAYS_A_YEAR = 14, 28


@define(eq=False)
class Leaves:
    """
    The leaves of all players.

    :param now: milliseconds since 1970
    :param changed: called with a key when its leave has changed, before the change is durable
    """

    _journal: Journal
    _now: Callable[[], int]
    _changed: Callable[[str], None]
    _known: dict[str, Leave] = field(init=False, factory=dict)
    #: By key: changes that are not durable yet. The store still has the older leave.
    _pending: Counter[str] = field(init=False, factory=Counter)

    def until(self, key: str) -> int:
        """The end of the latest leave, in milliseconds since 1970; 0: the player has never had one."""
        leave = self._known.get(key)
        return 0 if leave is None else leave.until

    @property
    def none(self) -> bool:
        """Whether no player has ever taken a leave."""
        return not self._known

    def of(self, key: str) -> Leave:
        """The leave of a player, with the days that it has taken in this year."""
        year = datetime.fromtimestamp(self._now() / 1000, UTC).year
        leave = self._known.get(key, Leave(key, 0, year))
        return leave if leave.year == year else evolve(leave, year=year, days=0)

    def learn(self, found: Mapping[str, Leave | None]) -> list[str]:
        """
        Take over leaves from the store.

        :param found: the leaves by key; `None`: the leave was removed
        :returns: the keys of the leaves that were unknown here
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
        Begin a leave of a player.

        :param days: 1 to `MOST_DAYS`. For a player on leave, they replace the days that are left
        :returns: the reason why there is no leave: the player has too few days left in this year
        """
        before = self.of(key)
        after = self._booked(before, self._now() + days * DAY)
        if after.days > DAYS_A_YEAR:
            return f"of {DAYS_A_YEAR} days of holiday a year you have {DAYS_A_YEAR - before.days} left"
        self._put(after, durable)
        return None

    def end(self, key: str, durable: Callable[[], None]) -> bool:
        """
        End the leave of a player that is back; one day of it remains for all matches. Returns whether the leave became
        shorter.
        """
        before = self.of(key)
        until = self._now() + DAY
        if before.until <= until:
            return False
        self._put(self._booked(before, until), durable)
        return True

    def extend(self, key: str, days: int, durable: Callable[[], None]) -> None:
        """Let no deadline under a key count for so many days. The days are not counted for any player."""
        self._put(Leave(key, max(self.until(key), self._now() + days * DAY)), durable)

    def _booked(self, before: Leave, until: int) -> Leave:
        """The leave with another end. A day that has begun counts as used; later days are given back."""
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
        """
        Move a leave to the player's new key; `None`: the player does not exist any more. The store has changed it
        already.
        """
        leave = self._known.pop(before, None)
        if leave is not None and after is not None:
            self._known[after] = evolve(leave, key=after)
