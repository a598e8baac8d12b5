"""Test cases with the members of a cluster in one process, on a database of their own."""

import time
from collections.abc import Callable
from typing import Any, cast

from attrs import define

from gamehost.accounts.names import key_of
from gamehost.journal.records import SeatRecord, TableHeader, TableId
from gamehost.storage import names as judging
from gamehost.storage.contents import StoreFailed
from gamehost.storage.durable import DurableJournal
from gamehost.storage.names import Registry
from gamehost.storage.postgresql.lives import ClusterAddress, cut_off, look, settle
from gamehost.storage.postgresql.registry import PostgresRegistry, open_registry
from gamehost.storage.postgresql.session import Session, connect
from gamehost.storage.postgresql.store import Life, PostgresStore
from tests.kit.journal_contract import MOVE, nothing
from tests.kit.postgresql import PostgresCase


class ClusterCase(PostgresCase):
    """A test case with the members of a cluster, each with a journal, and a session beside them."""

    def setUp(self) -> None:
        super().setUp()
        self.session = self.new_session()

    def new_session(self) -> Session:
        session = connect(self.url)
        self.addCleanup(session.close)
        return session

    def member(self, number: int, **more: Any) -> DurableJournal:
        """A member, whose number is expected to be this one."""
        journal = self.start(cluster=ClusterAddress(f"tcp:10.0.0.{number}:8990", f"token {number}"), **more)
        self.assertEqual(self.sql("SELECT max(epoch) FROM member"), [(number,)])
        return journal

    def kill(self, journal: DurableJournal) -> None:
        """End a member as the system does that kills its process."""
        store = self.store(journal)
        store.session.close()
        self.stop(journal)  # its thread ends, and notes nothing
        self.wait_for_lock(store.epoch)

    def cut_off(self, epoch: int) -> None:
        cut_off(self.session, epoch)
        self.wait_for_lock(epoch)

    def wait_for_lock(self, epoch: int) -> None:
        """Wait until the server has freed the lock of a life."""
        while any(seen.epoch == epoch and seen.locked for seen in look(self.session)):
            pass

    def store(self, journal: DurableJournal) -> PostgresStore:
        return cast(PostgresStore, journal._store)

    def seated(self, journal: DurableJournal, *names: str, moves: int = 1) -> TableId:
        """A table with these players, as they log in and sit down at a member."""
        table = journal.new_table()
        journal.open(table, TableHeader("onitama", 1, tuple(SeatRecord(name, "onitama") for name in names)), nothing)
        for _ in range(moves):
            journal.append(table, MOVE, nothing)
        self.pump.settle(journal)
        settle(self.session, self.store(journal).epoch, [key_of(name) for name in names])
        return table

    def sessions(self) -> list[tuple[Any, ...]]:
        return self.sql("SELECT key, home, settled FROM session ORDER BY key")

    def owners(self) -> list[tuple[Any, ...]]:
        return self.sql("SELECT game, owner FROM live ORDER BY game")


@define(eq=False)
class LivingMember:
    """A member without a host: the session that holds its lock, and its registry."""

    life: Life
    store: PostgresStore
    registry: PostgresRegistry | None = None

    def open_table(self, number: int, *names: str) -> TableId:
        table = TableId(number)
        header = TableHeader("onitama", 1, tuple(SeatRecord(name, "onitama") for name in names))
        self.store.commit([(table, header)])
        return table

    def kill(self) -> None:
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
    def setUp(self) -> None:
        super().setUp()
        self.patch(judging, "HANGS_AFTER", 600.0)  # nobody beats
        self.living: dict[int, LivingMember] = {}
        self.broken: list[str] = []
        self.addCleanup(self.kill_all)

    def begin_life(self) -> LivingMember:
        number = len(self.living) + 1
        life = Life(self.url, self.warned.append, cluster=ClusterAddress(f"unix:/member/{number}", f"token {number}"))
        store = PostgresStore(life.begin(0.0), life.epoch, time.time, life.resume)
        self.living[life.epoch] = LivingMember(life, store)
        return self.living[life.epoch]

    def join(self) -> PostgresRegistry:
        member = self.begin_life()
        member.registry = open_registry(
            self.url, member.life.epoch, self.pump.from_thread, self.broken.append, warn=self.warned.append
        )
        return member.registry

    def kill(self, registry: Registry) -> None:
        self.living.pop(registry.epoch).kill()

    def kill_all(self) -> None:
        for member in self.living.values():
            member.kill()

    def until(self, condition: Callable[[], bool]) -> None:
        self.pump.until(lambda: bool(condition() or self.broken))
        self.assertEqual(self.broken, [])
