"""Finished matches are found in the index and behind it; rows that cannot be read are left out."""

import sqlite3

from gamehost.journal.records import TableId, TableRecord
from gamehost.storage import questions
from gamehost.storage.changes import Change
from gamehost.storage.questions import FindFinished, Load, ReadEntriesAfter, ReadRecord
from gamehost.storage.store import SqliteStore, open_store
from gamehost.testing.journal_contract import BEGAN, END, MOVE, OPENING
from tests.storage.test_sqlite import StoreCase


class QuestionTests(StoreCase):
    """Between changes."""

    def setUp(self) -> None:
        super().setUp()
        self.connection = self.connect()
        self.store = open_store(self.connection, None, index_step=6)

    def connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, isolation_level=None)
        self.addCleanup(connection.close)
        return connection

    def ask(self, store: SqliteStore, below: int | None, count: int, *before: Change) -> list[tuple[int, int]]:
        """The number and the length of each match that is found behind these changes."""
        question = FindFinished(below, count)
        store.commit([*before, question])
        return [(one.table, one.entries) for one in question.answer]

    def test_placed_or_not(self) -> None:
        """A match is found when its end is committed, wherever the index ends."""
        tables = [TableId(number) for number in range(1, 8)]
        for table in tables:
            changes: list[Change] = [(table, OPENING), (table, BEGAN), (table, MOVE)]
            self.assertEqual(self.ask(self.store, None, 99, *changes), [(one, 3) for one in range(table - 1, 0, -1)])
            self.assertEqual(self.ask(self.store, table + 1, 1, (table, END)), [(table, 3)])
        self.assertEqual(self.ask(self.store, 6, 3), [(5, 3), (4, 3), (3, 3)])

    def test_when_it_was_opened(self) -> None:
        """By the wall clock, in milliseconds since 1970."""
        self.connection.close()
        store = open_store(self.connect(), None, wall=lambda: 12.5)
        store.commit([(TableId(1), OPENING), (TableId(1), END), question := FindFinished(2, 1)])
        self.assertEqual([one.opened_ms for one in question.answer], [12_500])

    def test_what_cannot_be_read_is_left_out(self) -> None:
        """A row that another release wrote, and a table whose first row is missing, do not stop the host."""
        for table in map(TableId, (1, 2, 3)):
            self.store.commit([(table, OPENING), (table, MOVE), (table, END)])
        self.connection.execute("UPDATE event SET body = x'00' WHERE game = 1 AND n = 0")
        self.connection.execute("UPDATE event SET kind = 63 WHERE game = 2 AND n = 2")
        self.assertEqual(self.ask(self.store, None, 9), [(3, 2)])
        self.connection.execute("DELETE FROM event WHERE game = 3 AND n = 0")
        self.assertEqual(self.ask(self.store, None, 9), [])

    def test_a_record_between_changes(self) -> None:
        """It has what was added before, and not what follows."""
        self.store.commit([(TableId(1), OPENING), (TableId(1), BEGAN), load := Load(TableId(1)), (TableId(1), MOVE)])
        assert not isinstance(load.answer, str)
        self.assertEqual(load.answer.entries[:1], (BEGAN,))

    def test_the_newest_entries(self) -> None:
        """Those behind the known ones, table by table. What another release wrote has a reason, and the others are read."""
        for table in map(TableId, (1, 2, 3)):
            self.store.commit([(table, OPENING), (table, BEGAN), (table, MOVE)])
        question = ReadEntriesAfter({TableId(3): 2, TableId(2): 1, TableId(1): 0, TableId(9): 0})
        self.store.commit([question])
        self.assertEqual(question.answer, {1: [BEGAN, MOVE], 2: [MOVE]})
        self.connection.execute("UPDATE event SET kind = 63 WHERE game = 1 AND n = 2")
        self.store.commit([(TableId(3), END), again := ReadEntriesAfter({TableId(1): 1, TableId(3): 2})])
        self.assertEqual(again.answer, {1: "table 1: row 2 is of kind 63, which this release does not know", 3: [END]})

    def test_no_more_than_can_be_read_at_once(self) -> None:
        """The rest is for the next question."""
        self.patch(questions, "MOST_ROWS", 3)
        for table in map(TableId, (1, 2)):
            self.store.commit([(table, OPENING), (table, BEGAN), (table, MOVE)])
        self.store.commit([question := ReadEntriesAfter({TableId(1): 0, TableId(2): 0})])
        self.assertEqual(question.answer, {1: [BEGAN, MOVE], 2: [BEGAN]})

    def test_a_record_to_which_nothing_is_added(self) -> None:
        """It is checked, and the table stays as it was."""
        self.store.commit([(TableId(1), OPENING), (TableId(1), BEGAN)])
        self.store.commit([found := ReadRecord(TableId(1)), missing := ReadRecord(TableId(2))])
        self.assertEqual(
            (found.answer, missing.answer),
            (TableRecord(TableId(1), OPENING, (BEGAN,)), "table 2: all of its rows are missing"),
        )
        self.connection.execute("UPDATE event SET at_ms = 7 WHERE n = 1")
        self.store.commit([damaged := ReadRecord(TableId(1))])
        self.assertEqual(damaged.answer, "table 1: row 1 does not match its hash")
