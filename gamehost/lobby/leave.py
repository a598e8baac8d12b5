"""
Leaves: days in which a player may be away without losing a slow match by time. The messages to players say "holiday".

A deadline during a leave is moved to the end of the leave. The player's clock continues to run meanwhile: if no time is
left, the player must have moved when the leave ends. Whole days are booked when a leave begins, and unused days are given
back.

If a player on leave moves, its leave ends one day later. In this day it can move in its other matches, which may have no
time left.

The owner of a host gives more time to one match in the same way: such a leave has the match's place (`place_of`) as its
key.
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
    #: By key: how many changes are not durable yet. For these keys, the store may still have an older leave.
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
        """The latest leave of a player, with the number of days that the player has taken in this year."""
        year = datetime.fromtimestamp(self._now() / 1000, UTC).year
        leave = self._known.get(key, Leave(key, 0, year))
        return leave if leave.year == year else evolve(leave, year=year, days=0)

    def learn(self, found: Mapping[str, Leave | None]) -> list[str]:
        """
        Take over leaves that were read from the store. Leaves with a change of this host that is not durable are skipped.

        :param found: the leaves by key; `None`: the leave was removed
        :returns: the keys of the leaves that have changed
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
        Begin a leave of a player that ends after a number of days. If the player is on leave already, this changes the end.

        :param days: 1 to `MOST_DAYS`
        :param durable: called when the leave is on disk
        :returns: `None`: the leave has begun. A text: the reason why there is no leave: too few days are left in this year
        """
        before = self.of(key)
        after = self._booked(before, self._now() + days * DAY)
        if after.days > DAYS_A_YEAR:  # the days of this year, with those of the new leave
            return f"of {DAYS_A_YEAR} days of holiday a year you have {DAYS_A_YEAR - before.days} left"
        self._put(after, durable)
        return None

    def end(self, key: str, durable: Callable[[], None]) -> bool:
        """
        Shorten the leave of a player that has come back, so that it ends one day from now.

        :returns: `False`: nothing is changed, because the leave ends in less than a day anyway
        """
        before = self.of(key)
        until = self._now() + DAY
        if before.until <= until:
            return False
        self._put(self._booked(before, until), durable)  # gives unused days back
        return True

    def extend(self, key: str, days: int, durable: Callable[[], None]) -> None:
        """
        Give more time, as the owner of the host asks. The days are not counted among a player's own days of leave.

        :param key: of a player's name, or the place of a match
        """
        self._put(Leave(key, max(self.until(key), self._now() + days * DAY)), durable)

    def _booked(self, before: Leave, until: int) -> Leave:
        """
        Return a leave with another end, and with more or fewer days counted. A day that has begun counts as a whole day.

        :param before: the leave up to now; it may have ended
        :param until: the new end, in milliseconds since 1970
        """
        # The time to count in addition: from now, or from the end of the leave that is counted already.
        more = until - max(self._now(), before.until)
        # Two negations round the number of days up, because `//` rounds down.
        return evolve(before, until=until, days=max(0, before.days - (-more // DAY)))

    def _put(self, leave: Leave, durable: Callable[[], None]) -> None:
        """Use a changed leave at once, and store it."""
        key = leave.key

        def stored() -> None:
            self._pending -= Counter([key])  # also removes the key at 0
            durable()

        self._known[key] = leave
        self._pending[key] += 1
        self._journal.put_leave(leave, stored)
        self._changed(key)

    def move(self, before: str, after: str | None) -> None:
        """
        Move a leave in memory to another key, because a player's name has changed. The store has this change already.

        :param after: the key of the new name; `None`: the player does not exist any more, so the leave is dropped
        """
        leave = self._known.pop(before, None)
        if leave is not None and after is not None:
            self._known[after] = evolve(leave, key=after)
