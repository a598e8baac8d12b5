"""Test cases with a database of their own, and journals in it that are closed at the end."""

from typing import Any

from gamehost.journal.records import StoreUnusable
from gamehost.storage.durable import DurableJournal
from tests.kit.journal_case import JournalCase
from tests.kit.postgresql import PostgresServer, the_server


class PostgresCase(JournalCase):
    """A test case with a database."""

    def setUp(self) -> None:
        self.server: PostgresServer = the_server()
        self.database = self.new_database()
        self.addCleanup(self.server.drop, self.database)
        self.url = self.server.url(self.database)
        super().setUp()
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

    def settle(self, journal: DurableJournal) -> None:
        """Wait until everything is durable."""
        self.pump.settle(journal)

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        """Carry out a statement in the database, from outside of the host."""
        return self.server.execute(statement, self.database)

    def empty(self) -> None:
        """Delete everything in the store."""
        self.sql(
            "DELETE FROM event; DELETE FROM listed; DELETE FROM live; DELETE FROM member; UPDATE uptime SET seconds = 0"
        )

    def cut(self) -> None:
        """Have the database end all sessions of hosts, as when a network breaks."""
        self.sql(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            f"WHERE application_name = 'gamehost' AND datname = '{self.database}'"
        )

    def refusal(self, url: str | None = None, **more: Any) -> str:
        """Why the store is not opened."""
        return str(self.assertRaises(StoreUnusable, self.start, url, **more))
