"""A backup is a journal of its own, and nobody waits for it."""

import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing

from gamehost.journal.records import TableId
from gamehost.storage.backup import STEP, back_up
from gamehost.storage.inspect import reading
from gamehost.storage.store import open_store
from gamehost.testing.journal_contract import BEGAN, MOVE, OPENING, nothing
from tests.storage.test_sqlite import StoreCase


class BackupTests(StoreCase):
    """Copies made while the host goes on."""

    def test_a_backup_is_a_journal(self) -> None:
        """What was durable when the copy was made is in it, with a mark of its own; the host goes on."""
        journal = self.start()
        table = self.play(journal, 2000)
        copy = self.folder / "copy.sqlite"
        said: list[str | None] = []
        journal.back_up(copy, said.append)
        for _ in range(300):
            journal.append(table, MOVE, nothing)
        self.pump.until(lambda: bool(said))
        self.assertEqual(said, [None])
        self.pump.settle(journal)
        later = self.start(copy)
        [record] = later.unfinished()
        self.assertGreaterEqual(len(record.entries), 2000)
        self.assertEqual(stat.S_IMODE(copy.stat().st_mode), 0o600)

    def test_a_backup_that_cannot_be_written_harms_nothing(self) -> None:
        """The reason is said, and the journal goes on."""
        journal = self.start()
        table = self.play(journal, 1)
        said: list[str | None] = []
        journal.back_up(self.path, said.append)
        journal.back_up(self.folder / "no" / "copy.sqlite", said.append)
        self.pump.until(lambda: len(said) == 2)
        self.assertIn("FileExistsError", said[0] or "")
        self.assertIn("FileNotFoundError", said[1] or "")
        journal.append(table, BEGAN, nothing)
        self.pump.settle(journal)
        self.assertEqual(self.pump.broken, [])

    def test_moves_are_committed_between_the_steps(self) -> None:
        """What comes while the copy is made is committed at the next step, and is in the copy."""
        copy = self.folder / "copy.sqlite"
        table = TableId(1)
        steps: list[int] = []
        said: list[str | None] = []
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            store = open_store(connection, None)
            store.commit([(table, OPENING)])
            for _ in range(12):
                store.commit([(table, MOVE)] * 2000)
            pages = connection.execute("PRAGMA page_count").fetchone()[0]

            def commit_queued() -> None:
                steps.append(len(steps))
                if len(steps) == 1:
                    store.commit([(table, BEGAN)])

            def say(call: Callable[[], None]) -> None:
                call()

            back_up(store, copy, say, said.append, commit_queued)
        self.assertEqual(said, [None])
        self.assertEqual(len(steps), pages // STEP + 1)
        self.assertGreater(len(steps), 1)
        with reading(copy) as journal:
            self.assertEqual(journal.verify().faults, [])
            self.assertEqual(journal.table(table)[1].entries[-1], BEGAN)

    def test_a_commit_that_fails_meanwhile_is_not_the_copys_fault(self) -> None:
        """It is raised, as any failed write, and not said as something that went wrong with the copy."""
        said: list[str | None] = []
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            store = open_store(connection, None)
            connection.execute("DROP TABLE live")

            def commit_queued() -> None:
                store.commit([(TableId(1), OPENING)])

            copy = self.folder / "copy.sqlite"
            self.assertRaises(sqlite3.Error, back_up, store, copy, lambda call: call(), said.append, commit_queued)
        self.assertEqual(said, [])
