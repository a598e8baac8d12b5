"""The reader's thread: what people ask is answered in its own time, and no move waits for it."""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from attrs import define, field

from gamehost.journal.records import FinishedMatch, Pressure, TableId, TableRecord
from gamehost.storage.changes import Uptime
from gamehost.storage.questions import FindMatch, ReadRecord
from gamehost.storage.reader import Reader
from gamehost.testing.journal_contract import END, MOVE, OPENING, nothing
from tests.storage.test_sqlite import StoreCase

#: Long enough for any machine; reached only when a test fails.
PATIENCE = 20.0


@define(eq=False)
class StuckStore:
    """What is read from: every answer waits until it is let through, or the end comes."""

    rows_of: Callable[[TableId], Sequence[Any]] = lambda table: ()
    began: threading.Semaphore = field(factory=partial(threading.Semaphore, 0))
    gate: threading.Semaphore = field(factory=partial(threading.Semaphore, 0))
    closed: bool = False

    def rows(self, table: TableId) -> Sequence[Any]:
        self.began.release()
        assert self.gate.acquire(timeout=PATIENCE)
        return self.rows_of(table)

    def interrupt(self) -> None:
        self.gate.release()

    def close(self) -> None:
        self.closed = True


class ReaderCase(StoreCase):
    """A reader, and a store that may be stuck."""

    def setUp(self) -> None:
        super().setUp()
        self.stuck = StuckStore()
        self.warned: list[str] = []

    def reader(self) -> Reader:
        store: Any = self.stuck
        reader = Reader(store, self.pump.from_thread, self.warned.append)
        reader.start()
        self.addCleanup(reader.end)
        return reader


class ReaderTests(ReaderCase):
    """Questions, one at a time."""

    def test_one_at_a_time_and_in_order(self) -> None:
        """The second is not begun before the first is answered."""
        reader, answered = self.reader(), list[int]()
        for number in (1, 2, 3):
            reader.put(ReadRecord(TableId(number)), partial(answered.append, number))
        assert self.stuck.began.acquire(timeout=PATIENCE)
        self.assertFalse(self.stuck.began.acquire(blocking=False))
        self.assertEqual(reader.waiting, 3)
        for _ in range(3):
            self.stuck.gate.release()
        self.pump.until(lambda: len(answered) == 3)
        self.assertEqual((answered, reader.waiting), ([1, 2, 3], 0))

    def test_a_store_that_cannot_be_read(self) -> None:
        """Nothing is found, the log says why, and the next question is answered."""

        def fail(table: TableId) -> Sequence[Any]:
            raise OSError("planted")

        self.stuck.rows_of = fail
        reader, answered = self.reader(), list[str]()
        record, match = ReadRecord(TableId(7)), FindMatch(TableId(7))
        reader.put(record, partial(answered.append, "record"))
        reader.put(match, partial(answered.append, "match"))  # this store has no such method
        self.stuck.gate.release()
        self.pump.until(lambda: len(answered) == 2)
        self.assertEqual((record.answer, match.answer), ("table 7: the store cannot be read now", None))
        self.assertEqual(self.warned[0], "ReadRecord was not answered: OSError: planted")

    def test_the_end(self) -> None:
        """What is being read is given up, the rest is not begun, all are called back, and the store is closed."""
        reader, answered = self.reader(), list[int]()
        for number in (1, 2, 3):
            reader.put(ReadRecord(TableId(number)), partial(answered.append, number))
        assert self.stuck.began.acquire(timeout=PATIENCE)
        reader.end()
        self.assertTrue(self.stuck.closed)
        self.pump.until(lambda: len(answered) == 3)
        self.assertFalse(self.stuck.began.acquire(blocking=False))
        self.assertEqual(self.warned, [])


class BesideTests(ReaderCase):
    """A journal whose reader is stuck, as when thousands ask."""

    def test_moves_go_on(self) -> None:
        """Questions delay no callback, and are no part of how far the disk is behind: the host is not ended for them."""
        now = [0.0]
        journal = self.start(reactor_clock=lambda: now[0])
        table = self.play(journal, 1)
        self.pump.until(lambda: not journal.unanswered)
        journal._reader = self.reader()
        answered: list[TableRecord | str] = []
        for _ in range(5000):
            journal.read(table, answered.append)
        now[0] = 3600.0
        self.assertEqual(journal.pressure, Pressure.NONE)
        durable: list[int] = []
        for number in range(20):
            journal.append(table, MOVE, partial(durable.append, number))
            self.pump.until(partial(durable.__contains__, number))
        self.assertEqual((answered, journal.unanswered, journal.pressure), ([], 5000, Pressure.NONE))
        self.assertEqual(self.pump.broken, [])

    def test_what_was_confirmed_is_found(self) -> None:
        """A question behind a callback finds what that has confirmed, move after move."""
        journal = self.start()
        table = journal.new_table()
        seen: list[int] = []

        def found(record: TableRecord | str) -> None:
            assert isinstance(record, TableRecord)
            seen.append(len(record.entries))

        journal.open(table, OPENING, partial(journal.read, table, found))
        for _ in range(200):
            journal.append(table, MOVE, partial(journal.read, table, found))
        self.pump.settle(journal)
        self.assertEqual(len(seen), 201)
        for least, number in enumerate(seen):
            self.assertGreaterEqual(number, least)

    def test_a_stop_waits_for_no_question(self) -> None:
        """Every question is called back before the end, most of them without an answer, and nothing is asked after it."""
        journal = self.start()
        table = self.play(journal, 1)
        journal.append(table, END, nothing)
        matches: list[FinishedMatch | None] = []
        for _ in range(500):
            journal.match(table, matches.append)
        ended: list[int] = []
        journal.stop(lambda: ended.append(len(matches)))
        self.alive.clear()
        self.pump.until(lambda: bool(ended))
        self.assertEqual(ended, [500])
        self.assertRaises(ValueError, journal.match, table, matches.append)

    def test_a_failed_write_ends_the_reader(self) -> None:
        """No thread and no connection is left."""
        journal = self.start()
        no_number: Any = "seven"
        journal.also(Uptime(no_number), nothing)
        self.pump.until(lambda: bool(self.pump.broken))
        self.stop(journal)
        thread = journal._reader._thread
        assert thread is not None
        self.assertFalse(thread.is_alive())
