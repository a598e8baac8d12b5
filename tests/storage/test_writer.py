"""The writer's thread, and the changes that wait for it."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.journal.records import Entry, EntryKind, Journal, Pressure, TableId, TableRecord
from gamehost.measures import Histogram
from gamehost.storage.contents import Change
from gamehost.storage.durable import Backlog, BacklogLimits, DurableJournal
from gamehost.storage.memory import KEPT, MemoryJournal
from gamehost.storage.writer import Between, WorkStopped, Writer
from gamehost.testing.cases import PropertyCase
from tests.kit.journal_contract import END, MOVE, OPENING, JournalContract, nothing
from tests.kit.journals import Pump, RecordingJournal, records, rows
from tests.storage.test_sqlite import StoreCase

CHANGE: Change = (TableId(1), MOVE)

#: Long enough for any machine; reached only when a test fails.
PATIENCE = 120.0


@define(eq=False)
class CommitTarget:
    log: list[str] = field(factory=list)
    #: A commit has begun; and: commits may go on.
    began: threading.Semaphore = field(factory=partial(threading.Semaphore, 0))
    gate: threading.Semaphore = field(factory=partial(threading.Semaphore, 0))
    fails: str = ""
    #: Called in the middle of a commit.
    meanwhile: Callable[[], None] = nothing
    #: Called with every word of the log.
    noted: Callable[[str], None] = field(default=lambda word: None)

    def note(self, word: str) -> None:
        self.log.append(word)
        self.noted(word)
        if self.fails and word.startswith(self.fails):
            raise OSError("planted")

    def commit(self, changes: Sequence[Change]) -> None:
        self.began.release()
        assert self.gate.acquire(timeout=PATIENCE)
        self.meanwhile()
        self.note(f"commit {len(changes)}")

    def mark(self) -> Callable[[], None]:
        return partial(self.note, "mark")

    def close(self) -> None:
        self.note("close")


class WriterCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.now = 0.0
        self.pump = Pump()
        self.ledger = CommitTarget()
        self.durable: list[int] = []
        self.words: list[str] = []
        self.writer = Writer(
            self.ledger, self.pump.from_thread, self.durable.append, self.pump.broken.append, lambda: self.now
        )
        self.writer.start()

    def stop(self) -> None:
        self.ledger.gate.release(100)
        stopped: list[bool] = []
        self.writer.stop(lambda: stopped.append(True))
        self.pump.until(lambda: bool(stopped))

    def begin(self) -> None:
        self.writer.put([CHANGE])
        self.assertTrue(self.ledger.began.acquire(timeout=PATIENCE))


class WriterTests(WriterCase):
    def test_what_gathers_during_a_commit_is_the_next_group(self) -> None:
        self.begin()
        for _ in range(7):
            self.writer.put([CHANGE])
        self.ledger.gate.release(2)
        self.pump.until(lambda: sum(self.durable) == 8)
        self.assertEqual(self.durable, [1, 7])
        self.stop()
        self.assertEqual(self.ledger.log, ["commit 1", "commit 7", "mark", "close"])

    def test_a_failed_mark_ends_an_idle_writer(self) -> None:
        self.ledger.fails = "mark"
        self.ledger.gate.release(100)
        self.begin()
        self.pump.until(lambda: sum(self.durable) == 1)
        self.now = 1.0
        self.writer.put([CHANGE])
        self.pump.until(lambda: bool(self.pump.broken))
        self.assertEqual(self.pump.broken, ["OSError: planted"])

    def test_commits_are_measured(self) -> None:
        self.begin()
        self.writer.put([CHANGE, CHANGE])
        self.writer.put([CHANGE])
        self.stop()
        measures = self.writer._measures
        self.assertEqual((sum(measures.groups.counts), measures.groups.total), (2, 4))
        self.assertEqual(sum(measures.commits.counts), 2)
        self.assertGreater(measures.commits.total, 0.0)

    def test_nothing_is_said_before_the_commit(self) -> None:
        told: list[int] = []
        self.ledger.meanwhile = lambda: told.append(self.pump._calls.qsize())
        self.begin()
        self.ledger.gate.release()
        self.pump.until(lambda: bool(self.durable))
        self.stop()
        self.assertEqual(told, [0])

    def test_stop_comes_after_what_was_queued(self) -> None:
        self.begin()
        self.writer.put([CHANGE])
        self.stop()
        self.assertEqual(self.durable, [1, 1])
        self.assertEqual(self.ledger.log, ["commit 1", "commit 1", "mark", "close"])
        self.assertEqual(self.pump.broken, [])

    def test_a_failed_commit_is_final(self) -> None:
        self.begin()
        self.ledger.fails = "commit"
        self.writer.put([CHANGE])
        self.stop()
        self.assertEqual(self.durable, [])
        self.assertEqual(self.pump.broken, ["OSError: planted"])
        self.assertEqual(self.ledger.log, ["commit 1"])

    def test_a_failed_mark_is_final(self) -> None:
        self.ledger.fails = "mark"
        self.begin()
        self.stop()
        self.assertEqual(self.durable, [1])
        self.assertEqual(self.pump.broken, ["OSError: planted"])
        self.assertEqual(self.ledger.log, ["commit 1", "mark"])

    def marks(self, times: Sequence[float], changes: int = 1) -> int:
        """How many marks a busy writer asks for, with so many changes at each of these times."""
        self.stop()
        ledger = CommitTarget()
        ledger.gate.release(100)
        writer = Writer(ledger, self.pump.from_thread, self.durable.append, self.pump.broken.append, lambda: self.now)
        for now in times:
            self.now = now
            writer.put([CHANGE] * changes)
            writer._turn(None)  # on this thread: a started writer may see the clock of the next change
        return writer._marks.qsize()

    def test_a_mark_comes_a_tenth_of_a_second_after_the_first_change(self) -> None:
        self.assertEqual(self.marks((0.0, 0.04, 0.09, 0.1, 0.12, 0.19, 0.23)), 2)

    def test_a_mark_comes_after_five_hundred_changes(self) -> None:
        """A fast host is marked sooner: what lies behind the mark stays small."""
        self.assertEqual(self.marks([0.0] * 12, changes=100), 2)

    def test_no_commit_waits_for_a_mark(self) -> None:
        marking, go_on = threading.Semaphore(0), threading.Semaphore(0)

        def slow(word: str) -> None:
            if word == "mark":
                marking.release()
                assert go_on.acquire(timeout=PATIENCE)

        self.ledger.noted = slow
        self.ledger.gate.release(100)
        self.writer.put([CHANGE])
        self.pump.until(lambda: sum(self.durable) == 1)
        self.now = 1.0
        self.writer.put([CHANGE])
        self.assertTrue(marking.acquire(timeout=PATIENCE))
        self.writer.put([CHANGE])
        self.pump.until(lambda: sum(self.durable) == 3)
        go_on.release(100)
        self.stop()

    def test_an_idle_journal_is_marked_too(self) -> None:
        self.stop()
        times = iter([0.0, 0.0])
        ledger = CommitTarget()
        ledger.gate.release()
        writer = Writer(
            ledger, self.pump.from_thread, self.durable.append, self.pump.broken.append, lambda: next(times, 5.0)
        )
        ledger.noted = lambda word: self.pump.from_thread(partial(self.words.append, word))
        writer.start()
        writer.put([CHANGE])
        self.pump.until(lambda: len(self.words) == 2)
        self.assertEqual(self.words, ["commit 1", "mark"])
        stopped: list[bool] = []
        writer.stop(lambda: stopped.append(True))
        self.pump.until(lambda: bool(stopped))


class WorkTests(WriterCase):
    def test_changes_are_committed_between_two_slices(self) -> None:
        """Nobody waits for the whole work; what the work sees between two slices is committed."""
        slices: list[list[str]] = []

        def work(between: Between) -> None:
            for _ in range(3):
                self.writer.put([CHANGE])
                between(PATIENCE)
                slices.append(list(self.ledger.log))

        self.ledger.gate.release(100)
        self.writer.work(work)
        self.pump.until(lambda: sum(self.durable) == 3)
        self.stop()
        self.assertEqual(slices, [["commit 1"] * number for number in (1, 2, 3)])

    def test_a_stop_ends_the_work(self) -> None:
        """What is under way is told so between two slices, and what is queued when the writer has ended."""
        begun = threading.Event()
        stopped: list[str] = []

        def work(between: Between) -> None:
            begun.set()
            try:
                while True:
                    between(PATIENCE)
            except WorkStopped:
                stopped.append(threading.current_thread().name)

        for _ in range(2):
            self.writer.work(work)
        self.assertTrue(begun.wait(PATIENCE))
        self.stop()
        self.writer.work(work)
        here = threading.current_thread().name
        self.assertEqual(stopped, ["gamehost-journal", here, here])
        self.assertEqual(self.pump.broken, [])

    def test_a_commit_that_fails_during_work_is_final(self) -> None:
        seen: list[str] = []

        def work(between: Between) -> None:
            self.writer.put([CHANGE])
            try:
                between(PATIENCE)
            except OSError as error:
                seen.append(str(error))

        self.ledger.fails = "commit"
        self.ledger.gate.release(100)
        self.writer.work(work)
        self.pump.until(lambda: bool(self.pump.broken))
        self.assertEqual((seen, self.durable), (["planted"], []))
        self.assertEqual(self.pump.broken, ["OSError: planted"])


class BacklogTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.now = 100.0
        self.backlog = Backlog(lambda: self.now)

    def add(self, size: int, durable: Callable[[], None] = nothing) -> None:
        self.backlog.add(CHANGE, size, durable)
        self.backlog.hand_over()

    def test_the_oldest_counts(self) -> None:
        self.add(10)
        self.now += 1
        self.add(20)
        self.now += 0.125
        self.assertEqual((self.backlog.waiting, self.backlog.size, self.backlog.age), (2, 30, 1.125))
        self.backlog.done(1)
        self.assertEqual((self.backlog.waiting, self.backlog.size, self.backlog.age), (1, 20, 0.125))

    def test_times_are_measured_when_somebody_wants_to_know(self) -> None:
        """Each change counts, from the beginning of its turn to the moment in which all of its group was told."""
        self.add(10)
        self.backlog.done(1)
        self.backlog.measures.acknowledged = histogram = Histogram((1.0, 2.0))
        self.add(10)
        self.now += 1
        self.add(20, partial(setattr, self, "now", self.now + 1))
        self.add(30)
        self.backlog.done(2)
        self.assertEqual((histogram.counts, histogram.total), ([1, 1, 0], 3.0))

    def test_levels_by_age(self) -> None:
        """A quarter of a second, two seconds, ten seconds: the level begins after that, not at it."""
        self.add(1)
        found = []
        for later in (0.25, 0.26, 2.0, 2.01, 10.0, 10.01):
            self.now = 100.0 + later
            found.append(self.backlog.pressure.name)
        self.assertEqual(found, ["NONE", "PAUSE", "PAUSE", "REFUSE", "REFUSE", "GIVE_UP"])
        self.backlog.done(1)
        self.assertIs(self.backlog.pressure, Pressure.NONE)

    def test_levels_by_number_and_size(self) -> None:
        self.backlog = Backlog(lambda: self.now, BacklogLimits(most_waiting=3, most_bytes=100))
        for _ in range(3):
            self.add(1)
        self.assertIs(self.backlog.pressure, Pressure.NONE)
        self.add(1)
        self.assertIs(self.backlog.pressure, Pressure.REFUSE)
        self.backlog.done(4)
        self.add(100)
        self.assertIs(self.backlog.pressure, Pressure.NONE)
        self.add(1)
        self.assertIs(self.backlog.pressure, Pressure.REFUSE)

    def test_documented_bounds(self) -> None:
        self.assertEqual((BacklogLimits().most_waiting, BacklogLimits().most_bytes), (10_000, 8_388_608))

    def test_a_callback_that_raises_stops_no_other(self) -> None:
        called: list[str] = []

        @contextmanager
        def group() -> Iterator[None]:
            called.append("in")
            yield
            called.append("out")

        def fails() -> None:
            called.append("fails")
            raise RuntimeError("planted")

        backlog = Backlog(lambda: self.now, BacklogLimits(), group)
        for failing in (1, 2):
            called.clear()
            backlog.add(CHANGE, 1, partial(called.append, "first"))
            for _ in range(failing):
                backlog.add(CHANGE, 1, fails)
            backlog.add(CHANGE, 1, partial(called.append, "last"))
            backlog.hand_over()
            error = self.assertRaises((RuntimeError, ExceptionGroup), backlog.done, 2 + failing)
            whole = (
                "called back that an entry is durable: RuntimeError: planted; RuntimeError: planted (2 sub-exceptions)"
            )
            self.assertEqual(str(error), "planted" if failing == 1 else whole)
            self.assertEqual(called, ["in", "first", *["fails"] * failing, "last", "out"])
            self.assertEqual(backlog.waiting, 0)

    def test_a_callback_may_add(self) -> None:
        self.add(1, lambda: self.add(5))
        self.backlog.done(1)
        self.assertEqual((self.backlog.waiting, self.backlog.size), (1, 5))

    def test_a_turn_is_handed_over_once(self) -> None:
        found = [self.backlog.add(CHANGE, 1, nothing) for _ in range(3)]
        changes = self.backlog.hand_over()
        found.append(self.backlog.add(CHANGE, 1, nothing))
        self.assertEqual((found, list(changes)), ([True, False, False, True], [CHANGE] * 3))
        self.assertEqual((len(self.backlog.hand_over()), len(self.backlog.hand_over())), (1, 0))
        self.backlog.done(3)
        self.assertEqual(self.backlog.waiting, 1)


class TurnTests(StoreCase):
    def setUp(self) -> None:
        super().setUp()
        self.turns: list[Callable[[], None]] = []
        self.groups = 0
        self.durable: list[int] = []

    @contextmanager
    def group(self) -> Iterator[None]:
        self.groups += 1
        yield

    def add(self, journal: DurableJournal, moves: int) -> None:
        table = journal.new_table()
        journal.open(table, OPENING, partial(self.durable.append, 0))
        for number in range(1, moves + 1):
            journal.append(table, MOVE, partial(self.durable.append, number))

    def test_one_turn_is_one_group(self) -> None:
        journal = self.start(after_turn=self.turns.append, group=self.group)
        for _ in range(2):
            self.add(journal, 3)
            self.assertEqual((len(self.turns), self.durable), (1, []))
            self.turns.pop()()
            self.pump.until_idle(journal)
            self.assertEqual(self.durable, [0, 1, 2, 3])
            self.durable.clear()
        self.assertEqual(self.groups, 2)

    def test_the_last_turn_is_not_forgotten(self) -> None:
        journal = self.start(after_turn=self.turns.append)
        self.add(journal, 3)
        self.stop(journal)
        self.turns.pop()()
        self.assertEqual(self.durable, [0, 1, 2, 3])
        [record] = records(self.start())
        self.assertEqual(len(record.entries), 3)

    def end(self, journal: DurableJournal) -> None:
        table = journal.new_table()
        journal.open(table, OPENING, lambda: None)
        journal.append(table, END, lambda: None)
        journal.told(table)

    def turn(self, journal: DurableJournal) -> int:
        """The reactor's next turn begins; how many tables are listed as unfinished then."""
        due, self.turns[:] = self.turns[:], []
        for call in due:
            call()
        if journal.backlog._open is None:
            self.pump.until_idle(journal)
        [(count,)] = rows(journal, "SELECT count(*) FROM live")
        return int(count)

    def test_an_end_is_noted_as_told_when_it_is_written(self) -> None:
        """The reactor writes to clients at the end of its next turn. A host that is killed before that tells it again."""
        journal = self.start(after_turn=self.turns.append)
        self.end(journal)
        counts = [self.turn(journal)]
        self.end(journal)
        counts += [self.turn(journal) for _ in range(4)]
        self.assertEqual(counts, [1, 1, 1, 0, 0])
        self.assertEqual(self.turns, [])

    def test_a_note_is_not_forgotten(self) -> None:
        journal = self.start(after_turn=self.turns.append)
        self.end(journal)
        self.stop(journal)
        while self.turns:
            self.turns.pop()()
        self.assertEqual(records(self.start()), [])


class MemoryJournalTests(JournalContract, PropertyCase):
    def new_journal(self) -> Journal:
        return MemoryJournal()

    def test_the_last_finished_matches_are_kept(self) -> None:
        journal, loaded = MemoryJournal(wall=lambda: 12.5), list[TableRecord | str]()
        for _ in range(KEPT + 1):
            table = journal.new_table()
            journal.open(table, OPENING, nothing)
            journal.append(table, END, nothing)
        for number in map(TableId, (1, 2)):
            journal.load(number, loaded.append)
        self.assertEqual(
            loaded, ["table 1: a journal in memory has no record of it", TableRecord(number, OPENING, (END,))]
        )
        found, _ = self.find(journal, 3, 2)
        self.assertEqual([(one.table, one.opened_ms) for one in found], [(2, 12_500)])

    def test_those_put_away_are_not_kept(self) -> None:
        journal, loaded = MemoryJournal(), list[TableRecord | str]()
        table = journal.new_table()
        journal.open(table, OPENING, nothing)
        journal.append(table, Entry(EntryKind.ARCHIVED, 0), nothing)
        journal.load(table, loaded.append)
        self.assertEqual(loaded, ["table 1: a journal in memory has no record of it"])

    def test_an_end_that_somebody_has_not_been_told_is_kept(self) -> None:
        """However many matches end after it, until everybody has been told."""
        journal, loaded = MemoryJournal(), list[TableRecord | str]()
        for _ in range(KEPT + 1):
            table = journal.new_table()
            journal.open(table, OPENING, nothing)
            journal.append(table, END, nothing)
            if table == 1:
                journal.told(table, Seat(1))
        journal.load(TableId(1), loaded.append)
        journal.told(TableId(1))
        journal.load(TableId(1), loaded.append)
        self.assertEqual(
            loaded,
            [
                TableRecord(TableId(1), OPENING, (END,), frozenset({Seat(1)})),
                "table 1: a journal in memory has no record of it",
            ],
        )


class RecordingJournalTests(JournalContract, PropertyCase):
    """What stands for a store in most tests keeps a store's word."""

    def new_journal(self) -> Journal:
        return RecordingJournal()
