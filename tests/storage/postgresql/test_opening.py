"""Opening a store in PostgreSQL: one host a store, over lost connections, and messages for its owner."""

from typing import Any

from gamehost.storage.changes import StoreFailed
from gamehost.storage.postgresql import opening
from gamehost.storage.postgresql.session import Session
from gamehost.testing.journal_contract import MOVE
from tests.kit.postgresql_store import PostgresCase


class OwnershipTests(PostgresCase):
    """One host a store."""

    def test_a_second_host_is_refused_and_the_first_unharmed(self) -> None:
        """The message names the store and what can be done."""
        journal = self.start()
        words = self.refusal(lock_patience=0.0)
        self.assertRegex(
            words, rf"^{self.url}: another host \(connected from 127.0.0.1 since [^)]+\) has this journal open; "
        )
        self.assertIn("--store=second.sqlite", words)
        self.play(journal, 2)
        self.assertEqual(self.warned, [])

    def test_each_life_has_a_number(self) -> None:
        """Its rows have it, its tables belong to it, and its end is noted."""
        for _ in range(2):
            journal = self.start()
            self.play(journal, 1)
            self.stop(journal)
        self.assertEqual(self.sql("SELECT game, epoch FROM event WHERE n = 0"), [(1, 1), (2, 2)])
        self.assertEqual(self.sql("SELECT count(*) FROM member WHERE ended IS NOT NULL"), [(2,)])
        self.assertEqual(self.sql("SELECT DISTINCT owner FROM live"), [(2,)])

    def test_the_lock_is_taken_again(self) -> None:
        """After a lost connection no other host can begin. One that does not take its lock again is found out."""
        self.assert_locked_after_a_cut()
        self.stop_all()
        self.patch(Session, "lock", lambda *arguments, **more: True)
        self.assertRaises(self.failureException, self.assert_locked_after_a_cut)

    def assert_locked_after_a_cut(self) -> None:
        journal = self.start()
        self.cut()
        self.play(journal, 1)
        self.refusal(lock_patience=0.0)

    def test_a_host_that_was_lost_does_not_come_back(self) -> None:
        """Another host has the lock, or had it: the first one confirms nothing more, and ends."""
        self.patch(opening, "PATIENCE", 0.2)
        for stopped in (False, True):
            self.pump.broken.clear()
            first = self.start()
            table = self.play(first, 1)
            self.cut()
            second = self.start()
            if stopped:
                self.stop(second)
            first.append(table, MOVE, self.fail)
            self.pump.until(lambda: bool(self.pump.broken))
            self.assertRegex(self.pump.broken[0], "another host.* has taken the journal over")
            self.stop_all()

    def test_a_database_that_stays_away(self) -> None:
        """The host gives up after a while, and confirms nothing."""
        now = [0.0]

        def sleep(seconds: float) -> None:
            now[0] += seconds

        life = opening.Life(self.server.url("no_such_database"), self.warned.append, lambda: now[0], sleep)
        error = self.assertRaises(StoreFailed, life.resume)
        self.assertIn("was lost, and is not back", str(error))
        self.assertGreater(now[0], opening.PATIENCE - 2 * opening.PAUSE)

    def test_a_database_from_before_this_life(self) -> None:
        """It was put back to an older state."""
        journal = self.start()
        table = self.play(journal, 1)
        self.cut()
        self.sql("DELETE FROM member")
        journal.append(table, MOVE, self.fail)
        self.pump.until(lambda: bool(self.pump.broken))
        self.assertIn("the database has lost this host's life", self.pump.broken[0])


class MessageTests(PostgresCase):
    """What the owner of a host reads."""

    def test_no_connection(self) -> None:
        """The store is named, without a password."""
        words = self.refusal(f"postgresql://gamehost:canary@127.0.0.1:{self.server.port}/nothing_here")
        self.assertIn("gamehost:***@", words)
        self.assertIn("there is no connection to the database", words)
        self.assertIn('database "nothing_here" does not exist', words)
        self.assertNotIn("canary", words)

    def test_an_owner_without_rights(self) -> None:
        """The database's own words are passed on."""
        self.sql("DROP ROLE IF EXISTS stranger")
        self.sql("CREATE ROLE stranger LOGIN")
        words = self.refusal(self.server.url(self.database, "stranger"))
        self.assertIn("the database refuses this (permission denied for", words)

    def test_what_was_refused_leaves_no_session(self) -> None:
        """So the lock is free for the next try."""
        self.patch(opening, "migrate", self.break_down)
        self.assertRaises(ZeroDivisionError, self.start)
        hosts: list[Any] = []
        while hosts != [(0,)]:
            hosts = self.sql(
                f"SELECT count(*) FROM pg_stat_activity WHERE application_name = 'gamehost' AND datname = '{self.database}'"
            )

    def break_down(self, session: Any) -> None:
        raise ZeroDivisionError
