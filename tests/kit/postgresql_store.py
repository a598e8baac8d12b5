"""Test cases with a database of their own, and journals in it that are closed at the end."""

from typing import Any

from gamehost.journal.records import StoreUnusable, TableId
from gamehost.storage.durable import DurableJournal
from gamehost.testing.cases import PropertyCase
from gamehost.testing.journal_contract import MOVE, OPENING, nothing
from tests.kit.fake_reactor import Pump
from tests.kit.postgresql import PostgresServer, the_server


class PostgresCase(PropertyCase):
    """A test case with a database."""

    def setUp(self) -> None:
        self.server: PostgresServer = the_server()
        self.database = self.new_database()
        self.addCleanup(self.server.drop, self.database)
        self.url = self.server.url(self.database)
        self.pump = Pump()
        self.alive: list[DurableJournal] = []
        self.addCleanup(self.stop_all)
        self.warned: list[str] = []

    def new_database(self) -> str:
        """A database with the tables of a store, and nothing in them."""
        return self.server.new_store()

    def start(self, url: str | None = None, **more: Any) -> DurableJournal:
        from gamehost.storage.postgresql.opening import open_postgresql

        more = {"warn": self.warned.append, **more}
        journal = open_postgresql(url or self.url, self.pump.from_thread, self.pump.broken.append, **more)
        self.alive.append(journal)
        return journal

    def stop(self, journal: DurableJournal) -> None:
        self.alive.remove(journal)
        self.pump.stop(journal)

    def stop_all(self) -> None:
        while self.alive:
            self.stop(self.alive[-1])

    def play(self, journal: DurableJournal, moves: int) -> TableId:
        """A table with so many moves, durable."""
        table = journal.new_table()
        journal.open(table, OPENING, nothing)
        for _ in range(moves):
            journal.append(table, MOVE, nothing)
        self.settle(journal)
        return table

    def settle(self, journal: DurableJournal) -> None:
        """Wait until everything is durable."""
        self.pump.until(lambda: bool(not journal.backlog.waiting or self.pump.broken))
        self.assertEqual(self.pump.broken, [])

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        """Carry out a statement in the database, from outside of the host."""
        return self.server.execute(statement, self.database)

    def empty(self) -> None:
        """Delete everything in the store."""
        self.sql("DELETE FROM event; DELETE FROM live; DELETE FROM member; UPDATE uptime SET seconds = 0")

    def cut(self) -> None:
        """Have the database end all sessions of hosts, as when a network breaks."""
        self.sql(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            f"WHERE application_name = 'gamehost' AND datname = '{self.database}'"
        )

    def refusal(self, url: str | None = None, **more: Any) -> str:
        """Why the store is not opened."""
        return str(self.assertRaises(StoreUnusable, self.start, url, **more))
