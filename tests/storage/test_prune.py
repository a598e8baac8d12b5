"""Finished tables are moved to an archive, and a store is copied to another."""

import sqlite3
from contextlib import closing
from pathlib import Path

from gamehost.accounts.bans import Ban
from gamehost.games.base import Seat
from gamehost.journal.records import StoreUnusable, TableId
from gamehost.storage import copying as under_test
from gamehost.storage.copying import Pruned, copy_store, prune
from gamehost.storage.durable import DurableJournal, StoredAccounts
from gamehost.storage.inspect import Summary, reading
from gamehost.storage.notes import PutBan
from tests.kit.accounts import account, nobody
from tests.kit.journal_contract import END, MOVE, OPENING, nothing
from tests.kit.journals import records
from tests.storage.test_damage import DamageCase
from tests.storage.test_sqlite import StoreCase

DAY = 86_400_000


class PruneTests(DamageCase):
    """Tables 1 and 3 to 6 are finished and table 2 is not; table N was opened on day N."""

    def setUp(self) -> None:
        super().setUp()
        self.archive = self.folder / "archive.sqlite"
        self.day = 1
        journal = self.start(wall=lambda: float(self.day * DAY // 1000))
        for day in range(1, 7):
            self.day = day
            table = self.play(journal, 10 + day)
            if day != 2:
                journal.append(table, END, nothing)
                journal.told(table)
        self.pump.settle(journal)
        self.stop(journal)

    def tables(self, path: object = None) -> dict[int, int]:
        """The tables of a journal without faults, with their numbers of entries."""
        with reading(self.archive if path == "archive" else self.path) as journal:
            self.assertEqual(journal.verify().faults, [])
            return {summary.table: summary.entries for summary in journal.tables() if isinstance(summary, Summary)}

    def test_old_tables_are_moved(self) -> None:
        """Those that are finished and old enough, with all their rows; they can be read in the archive."""
        before = self.tables()
        self.assertEqual(prune(str(self.path), 5 * DAY, self.archive), Pruned(3, 13 + 15 + 16))
        self.assertEqual(self.tables(), {2: 12, 5: 16, 6: 17})
        self.assertEqual(self.tables("archive"), {table: before[table] for table in (1, 3, 4)})
        self.assertEqual(self.archive.stat().st_mode & 0o777, 0o600)

    def test_a_host_goes_on(self) -> None:
        """Its unfinished table is there, numbers go on, and a second archive can be made."""
        prune(str(self.path), 5 * DAY, self.archive)
        journal = self.start()
        self.assertEqual([len(record.entries) for record in records(journal)], [12])
        self.assertEqual(self.play(journal, 1), TableId(7))
        self.stop(journal)
        self.assertEqual(prune(str(self.path), 9 * DAY, self.folder / "second.sqlite"), Pruned(2, 17 + 18))
        self.assertEqual(set(self.tables()), {2, 7})
        self.stop(self.start())

    def test_the_newest_table_stays(self) -> None:
        """Its number and the number of its last row must not be used again."""
        prune(str(self.path), 9 * DAY, self.archive)
        self.assertEqual(self.tables(), {2: 12, 6: 17})
        self.assertRaises(StoreUnusable, prune, str(self.path), 9 * DAY, self.archive)
        self.assertEqual(prune(str(self.path), 9 * DAY, self.folder / "third.sqlite"), Pruned(0, 0))
        self.assertFalse((self.folder / "third.sqlite").exists())

    def test_a_damaged_table_is_not_moved(self) -> None:
        """Nothing is, and no archive is left."""
        self.change(self.path, "UPDATE event SET body = x'00' WHERE game = 3 AND n = 4")
        error = self.assertRaises(StoreUnusable, prune, str(self.path), 5 * DAY, self.archive)
        self.assertIn("table 3: row 4 does not match its hash; nothing was moved", str(error))
        self.assertFalse(self.archive.exists())
        self.stop(self.start())

    def test_a_kill_in_the_middle_loses_nothing(self) -> None:
        """When the archive is written and nothing was removed yet, every table is still in the store."""
        before = self.tables()

        def cut(*args: object) -> None:
            raise sqlite3.OperationalError("planted")

        self.patch(under_test, "write_checked", cut)
        self.assertRaises(StoreUnusable, prune, str(self.path), 5 * DAY, self.archive)
        self.assertEqual(self.tables(), before)
        self.assertEqual(set(self.tables("archive")), {1, 3, 4})

    def test_a_store_that_a_host_has_open(self) -> None:
        """Is left alone."""
        self.start()
        self.assertIn("open", str(self.assertRaises(StoreUnusable, prune, str(self.path), 5 * DAY, self.archive)))
        self.assertFalse(self.archive.exists())


def fill(journal: DurableJournal) -> None:
    """One of everything that a store keeps. Rows of several tables are mixed."""
    tables = [journal.new_table() for _ in range(4)]
    for table in tables:
        journal.open(table, OPENING, nothing)
    for _ in range(2):
        for table in tables:
            journal.append(table, MOVE, nothing)
    for table in tables[:2]:
        journal.append(table, END, nothing)
    journal.told(tables[0])
    journal.told(tables[1], Seat(1))
    journal.sleep(tables[2], 77)
    journal.note_uptime(99)
    book, bans = StoredAccounts(journal), journal
    for name in ("Ann", "Žofie", "gone"):
        book.add(account(name), nobody)
    gone = book.find("gone")
    assert gone is not None
    book.delete(gone, nothing)
    bans.put_ban(Ban("name:bob", "Bob", 1, 2), nothing)


def contents(journal: DurableJournal) -> list[object]:
    """What a host finds in a store."""
    accounts = sorted((one.name, one.digest) for one in journal.accounts())
    found: list[object] = [accounts, list(journal.bans()), journal.uptime]
    found += [(one.table, one.begun, one.told, one.opening) for one in journal.unfinished()]
    return found


class CopyingTests(StoreCase):
    """From one file to another."""

    def setUp(self) -> None:
        super().setUp()
        journal = self.start()
        fill(journal)
        self.stop(journal)
        self.target = self.folder / "copy.sqlite"

    def copy_refused(self, target: Path | None = None) -> str:
        words = str(self.assertRaises(StoreUnusable, copy_store, str(self.path), str(target or self.target)))
        self.assertEqual([path.name for path in self.folder.glob("*.part*")], [])
        return words

    def test_a_host_goes_on_with_a_copy(self) -> None:
        """It has everything, and takes more."""
        copied = copy_store(str(self.path), str(self.target))
        self.assertEqual((copied.tables, copied.rows, copied.accounts), (4, 14, 2))
        journal = self.start()
        expected = contents(journal)
        self.stop(journal)
        journal = self.start(self.target)
        self.assertEqual(contents(journal), expected)
        self.assertEqual(self.play(journal, 1), 5)

    def test_stores_that_are_left_alone(self) -> None:
        """A target that exists, a source in use, and one with a fault."""
        self.assertIn("this file exists", self.copy_refused(self.path))
        journal = self.start()
        self.assertIn("has this journal open; stop it first", self.copy_refused())
        self.stop(journal)
        with closing(sqlite3.connect(self.path)) as connection:
            connection.execute("UPDATE event SET body = x'00' WHERE game = 3 AND n = 1")
            connection.commit()
        self.assertIn("table 3: row 1 does not match its hash; nothing was copied", self.copy_refused())
        self.assertFalse(self.target.exists())

    def test_a_copy_that_is_not_equal(self) -> None:
        """It is not kept, whatever is missing."""
        self.patch(under_test, "AddAccount", lambda account: PutBan(Ban("name:x", "x", 1, 2)))
        self.assertIn("is not equal", self.copy_refused())
        self.assertFalse(self.target.exists())
