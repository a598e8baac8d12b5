"""What an open store holds: the records of unfinished tables, and which are damaged."""

import sqlite3
from contextlib import closing
from shutil import copyfile

from hypothesis import given, settings
from hypothesis import strategies as st

from gamehost.games.base import Seat
from gamehost.journal.records import TableId
from gamehost.storage import contents
from gamehost.storage.durable import DurableJournal
from tests.kit.journal_contract import END, MOVE, nothing
from tests.storage.test_damage import DamageCase
from tests.storage.test_sqlite import StoreCase

TABLES, MOVES = 6, 3
#: Rows of each table: its opening, and the moves.
ROWS = MOVES + 1


class RecordCheckTests(StoreCase):
    """The store has six tables of four rows."""

    def setUp(self) -> None:
        super().setUp()
        journal = self.start()
        for _ in range(TABLES):
            self.play(journal, MOVES)
        self.stop(journal)

    def damage(self, table: int, n: int) -> None:
        """Change a row."""
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute("UPDATE event SET at_ms = at_ms + 1 WHERE game = ? AND n = ?", (table, n))

    def reopened(self, at_start: int) -> DurableJournal:
        """The journal, which reads so many rows at its start."""
        self.patch(contents, "AT_START", at_start)
        return self.start()

    def check(self, journal: DurableJournal, rows: int = 1) -> tuple[list[str], bool]:
        """The answer to one request."""
        answers: list[tuple[list[str], bool]] = []
        journal.check(rows, lambda damage, all_checked: answers.append((list(damage), all_checked)))
        self.pump.settle(journal)
        [answer] = answers
        return answer

    def test_a_small_store_is_checked_at_the_start(self) -> None:
        """So damage in any row is refused, as it always was."""
        self.assertTrue(self.reopened(TABLES * ROWS).all_checked)
        self.stop_all()
        self.damage(TABLES, 3)
        self.assertIn("the journal was changed or damaged: table 6: row 3 does not match its hash", self.refusal())

    def test_who_plays_is_always_checked_at_the_start(self) -> None:
        """The first two rows of every table: a changed name or address would give a seat to somebody else."""
        self.patch(contents, "AT_START", 1)
        for n in (0, 1):
            self.damage(5, n)
            self.assertIn(f"table 5: row {n} does not match its hash", self.refusal())
            self.damage_undone(5, n)
        self.assertEqual(len(list(self.start().unfinished())), TABLES)

    def damage_undone(self, table: int, n: int) -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute("UPDATE event SET at_ms = at_ms - 1 WHERE game = ? AND n = ?", (table, n))

    def test_the_rest_is_checked_in_slices(self) -> None:
        """Whole tables, until there are enough rows. A damaged one is told, and the others go on."""
        self.damage(4, 3)
        journal = self.reopened(ROWS)
        self.assertFalse(journal.all_checked)
        self.assertEqual(len(list(journal.unfinished())), TABLES)
        self.assertEqual(self.check(journal), ([], False))  # 2
        self.assertEqual(self.check(journal, ROWS + 1), (["table 4: row 3 does not match its hash"], False))  # 3 and 4
        self.assertEqual(self.check(journal), ([], False))  # 5
        self.check(journal)
        self.assertEqual(self.check(journal), ([], True))
        loaded: list[object] = []
        journal.load(TableId(4), loaded.append)
        self.pump.settle(journal)
        self.assertEqual(loaded, ["table 4: row 3 does not match its hash"])

    def test_with_the_owners_word_everything_is_read_at_the_start(self) -> None:
        """Tables that are damaged are given up at once then, so that the next start needs no word."""
        self.damage(6, 3)
        self.patch(contents, "AT_START", 1)
        journal = self.start(accept_loss=True)
        self.assertTrue(journal.all_checked)
        self.assertEqual(len(list(journal.unfinished())), TABLES - 1)

    @settings(max_examples=15)
    @given(st.lists(st.sampled_from(["check", "load", "end", "new"]), max_size=12), st.integers(1, 30))
    def test_each_record_is_checked_once(self, steps: list[str], rows: int) -> None:
        """Whatever happens meanwhile: tables that are played on, that end, and new ones."""
        path = self.folder / "again.sqlite"
        for file in self.folder.glob("again.sqlite*"):
            file.unlink()
        for suffix in ("", ".hwm"):
            copyfile(f"{self.path}{suffix}", f"{path}{suffix}")
        self.patch(contents, "AT_START", 1)
        journal = self.start(path)
        left = list(range(TABLES, 0, -1))
        for step in steps:
            if step == "check":
                self.assertEqual(self.check(journal, rows)[0], [])
            elif step == "new":
                self.play(journal, 1)
            elif left:
                table = TableId(left.pop())
                journal.load(table, nothing_of)
                self.pump.settle(journal)
                journal.append(table, END if step == "end" else MOVE, nothing)
        for _ in range(TABLES + 2):
            damage, all_checked = self.check(journal, rows)
            self.assertEqual(damage, [])
        self.assertTrue(all_checked)
        self.stop(journal)


def nothing_of(record: object) -> None:
    """A record that the test does not need."""


class UnfinishedTests(DamageCase):
    """`SqliteStore.unfinished`."""

    def test_notes_are_read_with_their_tables(self) -> None:
        """A start reads the notes of some tables at once, and each table has its own."""
        self.patch(contents, "LISTED_AT_ONCE", 2)
        journal = self.start()
        tables = [self.play(journal, 1) for _ in range(5)]
        for number, table in enumerate(tables):
            journal.sleep(table, 100 + number)
        for table in tables[3:]:
            journal.wake(table)
            journal.append(table, END, nothing)
            journal.told(table, Seat(table % 2))
        self.pump.settle(journal)
        self.stop(journal)
        noted = [(one.table, one.since, set(one.told)) for one in self.start().unfinished()]
        self.assertEqual(noted, [(1, 100, set()), (2, 101, set()), (3, 102, set()), (4, 0, {0}), (5, 0, {1})])
