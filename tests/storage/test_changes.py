"""Changes, the groups in which they are committed, and matches in which nobody has acted."""

from collections.abc import Sequence
from itertools import repeat

from attrs import evolve
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.journal.records import CHAMPIONSHIP, Entry, EntryKind, TableHeader, TableId
from gamehost.storage.changes import LINGER, Change, Group, build_group, is_unplayed
from gamehost.storage.durable import DurableJournal
from gamehost.storage.inspect import Summary, reading
from gamehost.storage.notes import AddAccount, Sleep
from gamehost.storage.row_codec import Head, chain_of, entry_row, finishes, opening_row
from tests.kit.accounts import account
from tests.kit.journal_contract import BEGAN, END, MOVE, OPENING, PUT_AWAY, nothing
from tests.kit.postgresql import PostgresCase
from tests.storage.test_damage import DamageCase


class AddAccountTests(SynchronousTestCase):
    """The change that has an answer."""

    def test_the_key_is_free_unless_the_store_says_otherwise(self) -> None:
        """A store writes the owner only if the key was taken."""
        ann = account("ann")
        self.assertIs(AddAccount(ann).owner, ann)


ONE, TWO = TableId(1), TableId(2)


def build(*changes: Change) -> Group:
    """The group of some changes. Its rows have the number 3. Table 2 has 5 rows."""
    return build_group(changes, repeat(3), lambda: 12.5, lambda table: {TWO: Head(4, b"12345678")}[table])


class GroupTests(SynchronousTestCase):
    """What is made of changes."""

    def test_rows_follow_each_other(self) -> None:
        """Within the group, and behind what is durable; each has its number."""
        group = build((ONE, OPENING), (TWO, MOVE), (ONE, MOVE), (TWO, MOVE))
        rows = group.rows
        self.assertEqual([(row.seq, row.game, row.n) for row in rows], [(3, 1, 0), (3, 2, 5), (3, 1, 1), (3, 2, 6)])
        self.assertEqual(rows[0].at_ms, 12_500)
        head = chain_of([rows[0], rows[2]])
        assert head is not None
        self.assertEqual(group.heads, {1: Head(*head[:2], (3, OPENING)), 2: Head(6, rows[3].h)})
        self.assertEqual(chain_of([rows[1], rows[3]], Head(4, b"12345678")), group.heads[2])
        self.assertEqual((group.opened, group.archived), ([1], []))

    def test_matches_that_end(self) -> None:
        """With a result, each with its opening, if that is known. A match that was put away has none."""
        group = build((ONE, OPENING), (ONE, END), (TWO, END))
        self.assertEqual(group.ended, [(group.rows[1], (3, OPENING)), (group.rows[2], None)])
        self.assertTrue(group.noted)
        self.assertEqual(build((ONE, OPENING), (ONE, Entry(EntryKind.ARCHIVED, 3))).ended, [])

    def test_chains_that_end(self) -> None:
        """With an outcome, when a table is put away, and when its last player is gone."""
        group = build((ONE, OPENING), (ONE, END), (TWO, Entry(EntryKind.ARCHIVED, 3)))
        self.assertEqual((group.heads, [row.game for row in group.archived]), ({1: None, 2: None}, [2]))
        group = build((TWO, MOVE), Sleep(TWO, 7), Sleep(TWO, None), (TWO, MOVE))
        self.assertEqual([row.n for row in group.rows], [5, 6])
        self.assertEqual(group.heads, {2: Head(6, group.rows[1].h)})


FORFEIT = Entry(EntryKind.FORFEITED, 5, Seat(0))
COUNTED = evolve(OPENING, settings={CHAMPIONSHIP: "1"})
#: What is played at a table, and whether it stays.
MATCHES = (
    ("given up at once", OPENING, (BEGAN, END), False),
    ("put away", OPENING, (BEGAN, PUT_AWAY), False),
    ("put away before its beginning", OPENING, (PUT_AWAY,), False),
    ("somebody has acted", OPENING, (BEGAN, MOVE, END), True),
    ("the action ends it", OPENING, (replace(MOVE, outcome="won"),), True),
    ("an action, then put away", OPENING, (BEGAN, MOVE, PUT_AWAY), True),
    ("more entries than seats: it is in the lists", OPENING, (BEGAN, FORFEIT, END), True),
    ("of a championship", COUNTED, (BEGAN, END), True),
    ("not finished", OPENING, (BEGAN,), True),
)


class UnplayedTests(DamageCase):
    """In an SQLite store."""

    def setUp(self) -> None:
        super().setUp()
        self.now = 0.0
        self.journal = self.begin()

    def begin(self) -> DurableJournal:
        return self.start_marking(wall=lambda: self.now)

    def match(self, opening: TableHeader, entries: Sequence[Entry], told: bool = True) -> TableId:
        table = self.journal.new_table()
        self.journal.open(table, opening, nothing)
        for entry in entries:
            self.journal.append(table, entry, nothing)
        if told and finishes(entries[-1]):
            self.journal.told(table)
        return table

    def commit(self) -> None:
        """Something is committed, some minutes later. Marks are written by a thread of their own, and may be late."""
        for _ in range(20):
            self.pump.settle(self.journal)
            self.now += LINGER
            self.match(OPENING, (MOVE,), told=False)
            self.pump.settle(self.journal)

    def tables(self) -> set[int]:
        """The tables of a store without faults."""
        with reading(self.path) as journal:
            self.assertEqual(journal.verify().faults, [])
            return {one.table for one in journal.tables() if isinstance(one, Summary)}

    def test_those_and_no_others_are_removed(self) -> None:
        tables = {self.match(opening, entries): stays for _, opening, entries, stays in MATCHES}
        untold = self.match(OPENING, (BEGAN, END), told=False)
        self.commit()
        self.stop(self.journal)
        kept = self.tables()
        self.assertEqual({table: table in kept for table in tables}, tables)
        self.assertIn(untold, kept)
        self.stop(self.start())

    def test_nothing_is_removed_at_once(self) -> None:
        """Whoever follows the match reads its end."""
        table = self.match(OPENING, (BEGAN, END))
        self.pump.settle(self.journal)
        self.now += LINGER - 1
        self.match(OPENING, (MOVE,), told=False)
        self.pump.settle(self.journal)
        self.stop(self.journal)
        self.assertIn(table, self.tables())

    def test_one_that_is_told_later_is_removed_later(self) -> None:
        table = self.match(OPENING, (BEGAN, END), told=False)
        self.commit()
        self.journal.told(table)
        self.commit()
        self.stop(self.journal)
        self.assertNotIn(table, self.tables())

    def test_the_newest_table_stays(self) -> None:
        """New numbers are counted from it."""
        table = self.match(OPENING, (BEGAN, END))
        self.pump.settle(self.journal)
        self.now += LINGER
        self.journal.note_uptime(5)
        self.pump.settle(self.journal)
        self.stop(self.journal)
        self.assertEqual(self.tables(), {table})
        self.journal = self.begin()
        self.assertEqual(self.journal.new_table(), table + 1)

    def test_a_damaged_one_stays(self) -> None:
        opening = opening_row(1, TableId(7), OPENING, 1000)
        end = entry_row(2, TableId(7), Head(0, opening.h), END)
        self.assertTrue(is_unplayed([opening, end]))
        for rows in ([], [opening], [end], [opening, end._replace(at_ms=1)]):
            self.assertFalse(is_unplayed(rows), rows)


class PostgresTests(PostgresCase):
    """In a database."""

    def test_those_and_no_others_are_removed(self) -> None:
        now = 0.0
        journal = self.start(wall=lambda: now)
        tables = {}
        for _, opening, entries, stays in MATCHES:
            table = journal.new_table()
            tables[table] = stays
            journal.open(table, opening, nothing)
            for entry in entries:
                journal.append(table, entry, nothing)
            if finishes(entries[-1]):
                journal.told(table)
        self.settle(journal)
        now += LINGER
        self.play(journal, 1)
        self.cut()  # a lost session is no reason to leave them
        journal.note_uptime(1)
        self.settle(journal)
        kept = {row[0] for row in self.sql("SELECT game FROM event")}
        self.assertEqual({table: table in kept for table in tables}, tables)
        self.stop(journal)
        listed = {row[0] for row in self.sql("SELECT game FROM listed")}
        self.assertLessEqual(listed, kept)
        self.stop(self.start())
