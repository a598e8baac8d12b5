"""Test cases with the members of a cluster in one process."""

from typing import TYPE_CHECKING, Any, cast

from gamehost.accounts.names import key_of
from gamehost.journal.records import SeatRecord, TableHeader, TableId
from gamehost.storage.durable import DurableJournal
from gamehost.testing.journal_contract import MOVE, nothing
from tests.kit.postgresql_store import PostgresCase

if TYPE_CHECKING:
    from gamehost.storage.postgresql.session import Session
    from gamehost.storage.postgresql.store import PostgresStore


class ClusterCase(PostgresCase):
    """A test case with the members of a cluster, each with a journal, and a session beside them."""

    def setUp(self) -> None:
        super().setUp()
        self.session = self.new_session()

    def new_session(self) -> "Session":
        from gamehost.storage.postgresql.session import connect

        session = connect(self.url)
        self.addCleanup(session.close)
        return session

    def member(self, number: int, **more: Any) -> DurableJournal:
        """A member, whose number is expected to be this one."""
        from gamehost.storage.postgresql.lives import ClusterAddress

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
        """Have the server end the session of a member."""
        from gamehost.storage.postgresql.lives import cut_off

        cut_off(self.session, epoch)
        self.wait_for_lock(epoch)

    def wait_for_lock(self, epoch: int) -> None:
        """Wait until the server has freed the lock of a life."""
        from gamehost.storage.postgresql.lives import look

        while any(seen.epoch == epoch and seen.locked for seen in look(self.session)):
            pass

    def store(self, journal: DurableJournal) -> "PostgresStore":
        return cast("PostgresStore", journal._store)

    def seated(self, journal: DurableJournal, *names: str, moves: int = 1) -> TableId:
        """A table with these players, as they log in and sit down at a member."""
        from gamehost.storage.postgresql.lives import settle

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
