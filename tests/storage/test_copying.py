"""Copies of a whole journal, from a file to a file. With PostgreSQL they are in `tests.storage.postgresql.test_copying`."""

import sqlite3
from contextlib import closing
from pathlib import Path

from gamehost.accounts.bans import Ban
from gamehost.games.base import Seat
from gamehost.journal.records import StoreUnusable
from gamehost.storage import copying
from gamehost.storage.accounts import StoredAccounts, StoredBans
from gamehost.storage.changes import PutBan
from gamehost.storage.copying import copy_store
from gamehost.storage.durable import DurableJournal
from gamehost.testing.journal_contract import END, MOVE, OPENING, nothing
from tests.kit.accounts_contract import account, nobody
from tests.storage.test_sqlite import StoreCase


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
    book, bans = StoredAccounts(journal), StoredBans(journal)
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
        self.patch(copying, "AddAccount", lambda account: PutBan(Ban("name:x", "x", 1, 2)))
        self.assertIn("is not equal", self.copy_refused())
        self.assertFalse(self.target.exists())
