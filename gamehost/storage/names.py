"""
What a group of requests does to the names of a cluster, and to those who wait. Data in, data out.

A database carries out one group at a time, under a lock for all members: it reads the rows that the group needs, asks
`carry_out`, and writes what is different. A group can be carried out again if nobody knows whether it was.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from attrs import define, evolve, frozen

from gamehost.storage.members import Offer, QueueKey

#: Seconds after which a claim is made again that has no answer yet, and those after which it has none.
ASK_AGAIN, ASK_UNTIL = 0.02, 10.0

#: The order of an offer to which the database gives one when it is written.
NEW = 0


@frozen
class Home:
    """Where a name is at home."""

    member: int
    #: Whether that member knows the name. If not, it has inherited it, and does not know yet what it is.
    settled: bool = True


@frozen
class Claim:
    """As of `Registry.claim`. The result is a member, or `None`: ask again later."""

    key: str
    queue: QueueKey | None


@frozen
class Release:
    """As of `Registry.release`."""

    keys: Sequence[str]


@frozen
class Transfer:
    """As of `Registry.transfer`. The result is whether the name is there now."""

    key: str
    home: int


@frozen
class Wait:
    """As of `Registry.waits`."""

    key: str
    queue: QueueKey
    movable: bool


@frozen
class WaitNoLonger:
    """As of `Registry.waits_no_longer`."""

    key: str


Request: TypeAlias = Claim | Release | Transfer | Wait | WaitNoLonger


@frozen
class Rows:
    """What the database holds, as far as a group of requests needs it."""

    #: By the key of the name.
    homes: Mapping[str, Home]
    #: By the key of the name, the oldest first.
    offers: Mapping[str, Offer]
    #: The members that live.
    living: Collection[int]


def keys_of(requests: Iterable[Request]) -> set[str]:
    """The names whose rows a group needs."""
    return {key for one in requests for key in (one.keys if isinstance(one, Release) else (one.key,))}


def carry_out(requests: Sequence[Request], rows: Rows, me: int) -> tuple[list[int | bool | None], Rows]:
    """
    The results of a group, in its order, and the rows after it.

    :param me: the member whose requests they are; it lives
    """
    group = _Group(me, dict(rows.homes), dict(rows.offers), {*rows.living, me})
    results = [group.carry_out(request) for request in requests]
    return results, Rows(group.homes, group.offers, group.living)


def meeting_place(offers: Iterable[Offer]) -> int | None:
    """
    The member at which the players of one queue meet: that of the oldest offer of a player who cannot be moved, else that of
    the oldest offer. `None`: nobody waits.
    """
    first = min(offers, key=lambda offer: (offer.movable, offer.order or float("inf")), default=None)
    return None if first is None else first.home


@define(eq=False)
class _Group:
    """A group that is being carried out."""

    me: int
    homes: dict[str, Home]
    offers: dict[str, Offer]
    living: set[int]

    def carry_out(self, request: Request) -> int | bool | None:
        match request:
            case Claim(key, queue):
                return self._claim(key, queue)
            case Transfer(key, home):
                return self._transfer(key, home)
            case Release(keys):
                for key in keys:
                    if self._is_mine(key):
                        del self.homes[key]
                        self._stop_waiting(key)
            case Wait(key, queue, movable):
                self._wait(key, queue, movable)
            case WaitNoLonger(key):
                self._stop_waiting(key)
        return None

    def _is_mine(self, key: str) -> bool:
        return self.homes.get(key) == Home(self.me)

    def _claim(self, key: str, queue: QueueKey | None) -> int | None:
        home = self.homes.get(key)
        if home is None:
            elsewhere = self._opponents_elsewhere(queue)
            if elsewhere is not None:
                return elsewhere
            home = self.homes[key] = Home(self.me)
        return home.member if home.settled and home.member in self.living else None

    def _opponents_elsewhere(self, queue: QueueKey | None) -> int | None:
        """The member where somebody waits in this queue, while nobody waits here."""
        waiting = [offer for offer in self.offers.values() if offer.queue == queue and offer.home in self.living]
        return None if any(offer.home == self.me for offer in waiting) else meeting_place(waiting)

    def _transfer(self, key: str, member: int) -> bool:
        home = self.homes.get(key, Home(self.me))
        if home.member == member:
            return True  # also if this was carried out before
        if home != Home(self.me) or member not in self.living:
            return False
        self.homes[key] = Home(member)
        self._stop_waiting(key)
        return True

    def _wait(self, key: str, queue: QueueKey, movable: bool) -> None:
        if not self._is_mine(key):
            return
        old = self.offers.get(key)
        if old is not None and (old.queue, old.home) == (queue, self.me):
            self.offers[key] = evolve(old, movable=movable)
        else:
            self.offers.pop(key, None)  # what comes next is the newest
            self.offers[key] = Offer(key, queue, self.me, movable, NEW)

    def _stop_waiting(self, key: str) -> None:
        offer = self.offers.get(key)
        if offer is not None and offer.home == self.me:
            del self.offers[key]
