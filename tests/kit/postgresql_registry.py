"""Test cases with members of a cluster on a database of their own."""

import time
from collections.abc import Callable
from typing import Any

from attrs import define

from gamehost.journal.records import SeatRecord, TableHeader, TableId
from gamehost.storage import names as judging
from gamehost.storage.changes import StoreFailed
from gamehost.storage.names import Registry
from gamehost.storage.postgresql.lives import ClusterAddress
from gamehost.storage.postgresql.opening import Life
from gamehost.storage.postgresql.registry import PostgresRegistry, open_registry
from gamehost.storage.postgresql.store import PostgresStore
from tests.kit.postgresql_store import PostgresCase


@define(eq=False)
class LivingMember:
    """A member without a host: the session that holds its lock, and its registry."""

    life: Life
    store: PostgresStore
    registry: PostgresRegistry | None = None

    def open_table(self, number: int, *names: str) -> TableId:
        """Open a table for these players."""
        table = TableId(number)
        header = TableHeader("onitama", 1, tuple(SeatRecord(name, "onitama") for name in names))
        self.store.commit([(table, header)])
        return table

    def kill(self) -> None:
        """End both sessions, and do nothing more."""
        self.store.session.close()
        registry = self.registry
        if registry is None or registry._ended:
            return
        registry._broken = lambda why: None
        registry._connect = _no_session
        registry._clock = lambda: float("inf")
        if registry._thread is None:
            registry._session.close()
            return
        registry._queue.put(None)
        registry.join()


def _no_session() -> Any:
    raise StoreFailed("killed")


class RegistryCase(PostgresCase):
    """A test case with members of a cluster."""

    def setUp(self) -> None:
        super().setUp()
        self.patch(judging, "HANGS_AFTER", 600.0)  # nobody beats
        self.living: dict[int, LivingMember] = {}
        self.broken: list[str] = []
        self.addCleanup(self.kill_all)

    def begin_life(self) -> LivingMember:
        """A new member without a registry."""
        number = len(self.living) + 1
        life = Life(self.url, self.warned.append, cluster=ClusterAddress(f"unix:/member/{number}", f"token {number}"))
        store = PostgresStore(life.begin(0.0), life.epoch, time.time, life.resume)
        self.living[life.epoch] = LivingMember(life, store)
        return self.living[life.epoch]

    def join(self) -> PostgresRegistry:
        """The registry of a new member."""
        member = self.begin_life()
        member.registry = open_registry(
            self.url, member.life.epoch, self.pump.from_thread, self.broken.append, warn=self.warned.append
        )
        return member.registry

    def kill(self, registry: Registry) -> None:
        """Kill a member."""
        self.living.pop(registry.epoch).kill()

    def kill_all(self) -> None:
        """End all members."""
        for member in self.living.values():
            member.kill()

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so."""
        self.pump.until(lambda: bool(condition() or self.broken))
        self.assertEqual(self.broken, [])
