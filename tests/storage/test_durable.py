"""The journal over a store that outlives the process, and the one that does not."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from gamehost.journal.records import Entry, EntryKind, Journal, TableId, TableRecord
from gamehost.storage.durable import DurableJournal
from gamehost.storage.memory import KEPT, MemoryJournal
from gamehost.testing.cases import PropertyCase
from tests.kit.journal_contract import END, MOVE, OPENING, JournalContract, nothing
from tests.kit.journals import records, rows
from tests.storage.test_sqlite import StoreCase


class TurnTests(StoreCase):
    """What is added within one turn of the reactor is handed over together."""

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
        """A table and so many moves, each noted when it is durable."""
        table = journal.new_table()
        journal.open(table, OPENING, partial(self.durable.append, 0))
        for number in range(1, moves + 1):
            journal.append(table, MOVE, partial(self.durable.append, number))

    def test_one_turn_is_one_group(self) -> None:
        """Nothing is handed over before the turn ends; then everything is, in order and as one group."""
        journal = self.start(after_turn=self.turns.append, group=self.group)
        for _ in range(2):
            self.add(journal, 3)
            self.assertEqual((len(self.turns), self.durable), (1, []))
            self.turns.pop()()
            self.pump.settle(journal)
            self.assertEqual(self.durable, [0, 1, 2, 3])
            self.durable.clear()
        self.assertEqual(self.groups, 2)

    def test_the_last_turn_is_not_forgotten(self) -> None:
        """A journal that is stopped in the middle of a turn keeps what was added in it; the turn's end changes nothing."""
        journal = self.start(after_turn=self.turns.append)
        self.add(journal, 3)
        self.stop(journal)
        self.turns.pop()()
        self.assertEqual(self.durable, [0, 1, 2, 3])
        [record] = records(self.start())
        self.assertEqual(len(record.entries), 3)

    def end(self, journal: DurableJournal) -> None:
        """A table ends, and its players have just been told."""
        table = journal.new_table()
        journal.open(table, OPENING, lambda: None)
        journal.append(table, END, lambda: None)
        journal.told(table)

    def turn(self, journal: DurableJournal) -> int:
        """The reactor's next turn begins; how many tables are listed as unfinished then."""
        due, self.turns[:] = self.turns[:], []
        for call in due:
            call()
        if not journal._added:
            self.pump.settle(journal)
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
        """A journal that is stopped meanwhile keeps it."""
        journal = self.start(after_turn=self.turns.append)
        self.end(journal)
        self.stop(journal)
        while self.turns:
            self.turns.pop()()
        self.assertEqual(records(self.start()), [])


class MemoryJournalTests(JournalContract, PropertyCase):
    """`JournalContract` for a journal without a disk."""

    def new_journal(self) -> Journal:
        return MemoryJournal()

    def test_the_last_finished_matches_are_kept(self) -> None:
        """The memory does not grow with every match."""
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
        """They have no result, and nobody asks for them."""
        journal, loaded = MemoryJournal(), list[TableRecord | str]()
        table = journal.new_table()
        journal.open(table, OPENING, nothing)
        journal.append(table, Entry(EntryKind.ARCHIVED, 0), nothing)
        journal.load(table, loaded.append)
        self.assertEqual(loaded, ["table 1: a journal in memory has no record of it"])
