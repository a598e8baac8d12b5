"""The journal of a member of a simulated cluster: it is written in drawn times, and only while the member has its lock."""

import random
from collections import deque
from collections.abc import Callable
from functools import partial

from gamehost.accounts.passwords import Account
from gamehost.games.base import Seat
from gamehost.journal.records import Entry, TableHeader, TableId, TableRecord
from tests.kit.memory_cluster import MemberHost, MemberJournal

#: Seconds in which something comes from a member to a client at most.
SLOWEST = 0.016


class DrawnJournal(MemberJournal):
    """The journal of a member. It is written in its own time, and only while the member has its lock."""

    def __init__(self, rng: random.Random, host: MemberHost) -> None:
        super().__init__(host.world.journal, host.world.database, host.registry.epoch)
        self._host = host
        self._rng = rng
        self._queue: deque[tuple[float, Callable[[], object], Callable[[], None]]] = deque()
        self._writes = False
        self._new: dict[str, Account] = {}

    def open(self, table: TableId, opening: TableHeader, durable: Callable[[], None]) -> None:
        self._put(partial(super().open, table, opening, _nothing), durable)

    def append(self, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        self._put(partial(super().append, table, entry, _nothing), durable)

    def told(self, table: TableId, seat: Seat | None = None) -> None:
        self._put(partial(super().told, table, seat), _nothing)

    def load(self, table: TableId, loaded: Callable[[TableRecord | str], None]) -> None:
        found: list[TableRecord] = []
        self._put(lambda: found.append(self.record(table)), lambda: loaded(found[0]))

    def find(self, key: str) -> Account | None:
        return self._new.get(key) or super().find(key)

    def add(self, account: Account, added: Callable[[Account], None]) -> None:
        self._new[account.key] = account
        self._put(partial(super().add, account, _nothing), lambda: added(self.accounts[self._new.pop(account.key).key]))

    def _put(self, change: Callable[[], object], durable: Callable[[], None]) -> None:
        self._queue.append((self._host.clock.seconds(), change, durable))
        self._later()

    def _later(self) -> None:
        if self._queue and not self._writes:
            self._writes = True
            self._host.clock.callLater(self._rng.uniform(0.001, 0.04), self._commit)

    def _commit(self) -> None:
        self._writes = False
        row = self._host.registry.row
        if row.ended:
            return  # the registry finds out, too
        if not row.locked:
            self._later()
            return
        group: list[Callable[[], None]] = []
        # What was told before comes to the client before this is written, also through two relays.
        while self._queue and self._queue[0][0] < self._host.clock.seconds() - SLOWEST:
            _, change, durable = self._queue.popleft()
            change()
            group.append(durable)
        self._host.clock.callLater(self._rng.uniform(0.0, 0.003), self._answered, group)

    def _answered(self, group: list[Callable[[], None]]) -> None:
        with self._host.context.cork:
            for durable in group:
                durable()
        self._later()

    def finish(self) -> None:
        """The host stops: write what was accepted, before the lock is given back."""
        while self._queue:
            _, change, durable = self._queue.popleft()
            change()
            durable()


def _nothing(*_: object) -> None:
    """Nobody waits for this."""
