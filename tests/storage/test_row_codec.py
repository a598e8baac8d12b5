"""Rows are read back as they were written, and a changed row is noticed."""

from collections.abc import Sequence
from itertools import repeat
from typing import Any

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.journal.records import CHAMPIONSHIP, Entry, EntryKind, SeatRecord, TableHeader, TableId
from gamehost.storage.contents import LINGER, AddAccount, Change, Group, Sleep, build_group, is_unplayed
from gamehost.storage.copying import inspecting
from gamehost.storage.durable import DurableJournal
from gamehost.storage.inspect import Summary, reading
from gamehost.storage.row_codec import (
    OPENED,
    Damaged,
    Head,
    Row,
    Undecodable,
    chain_of,
    entry_row,
    finishes,
    link,
    opening_row,
    read_entry,
    read_opening,
    write_body,
)
from gamehost.testing.cases import PropertyCase
from tests.kit.accounts import account
from tests.kit.journal_contract import BEGAN, END, MOVE, OPENING, PUT_AWAY, any_entry, nothing, openings
from tests.kit.journals import rows
from tests.kit.postgresql import PostgresCase
from tests.storage.test_damage import DamageCase

TABLE = TableId(7)
CHECKED_MOVE = replace(MOVE, check=b"12345678")

#: The chain of `OPENING`, `BEGAN` and `MOVE` at that table.
H = ["ad1497096fc17ff2", "7ea211c1b7aa9e69", "e89b96ddf6766124"]


def chain(*entries: Entry) -> list[Row]:
    rows = [opening_row(1, TABLE, OPENING, 1_700_000_000_000)]
    for entry in entries:
        rows.append(entry_row(len(rows) + 1, TABLE, Head(rows[-1].n, rows[-1].h), entry))
    return rows


def changed(row: Row, place: int, bit: int) -> Row:
    value: Any = row[place]
    if value is None:
        value = 1 << bit % 63
    elif isinstance(value, int):
        value ^= 1 << bit % 63
    elif value:
        spoilt = bytearray(value)
        spoilt[bit // 8 % len(spoilt)] ^= 1 << bit % 8
        value = bytes(spoilt)
    else:
        value = b"\0"
    return Row._make((*row[:place], value, *row[place + 1 :]))


class RowTests(PropertyCase):
    @given(openings)
    def test_openings_read_back(self, opening: TableHeader) -> None:
        row = opening_row(1, TABLE, opening, 5)
        self.assertEqual(read_opening(row), opening)
        self.assertEqual(opening_row(1, TABLE, opening, 5), row)
        self.assertEqual((row.n, row.kind, row.seat), (0, OPENED, None))

    @given(any_entry)
    def test_entries_read_back(self, entry: Entry) -> None:
        row = entry_row(2, TABLE, Head(0, bytes(8)), entry)
        self.assertEqual(read_entry(row), entry)

    def test_the_bytes_are_these(self) -> None:
        """The form on the disk does not change by accident: a new one needs a new schema."""
        self.assertEqual(write_body(MOVE), b"\x0aboar b1-b2\x00")
        self.assertEqual(write_body(BEGAN), b"\x00\x03\x03\x01\x04")
        self.assertEqual(write_body(END), b"\x00\x00seat 1 was given up")
        self.assertEqual(write_body(Entry(EntryKind.ACTED, 0, None, b"", (300,))), b"\x00\x01\xac\x02")
        self.assertEqual(write_body(CHECKED_MOVE), b"12345678\x0aboar b1-b2\x00")
        self.assertEqual([row.h.hex() for row in chain(BEGAN, MOVE)], H)
        self.assertEqual(
            chain()[0].body,
            b'{"game":"onitama","seats":[["Ann","onitama","",false],["Bob","onitama","",false]],'
            b'"settings":{"move_time":"30"},"version":1}',
        )

    def test_a_check_is_told_by_the_kind(self) -> None:
        """64 more, so that a release without checks does not know the kind, and leaves the table alone."""
        row = entry_row(2, TABLE, Head(0, bytes(8)), CHECKED_MOVE)
        self.assertEqual(row.kind, int(EntryKind.ACTED) + 64)
        self.assertEqual(read_entry(row), CHECKED_MOVE)
        for body in (b"", b"1234567", b"12345678"):
            self.assertRaises(Undecodable, read_entry, row._replace(body=body))
        error = self.assertRaises(Undecodable, read_entry, row._replace(kind=64 + 42))
        self.assertIn("of kind 106, which this release does not know", str(error))

    def test_only_an_outcome_or_putting_away_finishes(self) -> None:
        self.assertTrue(finishes(END))
        self.assertTrue(finishes(Entry(EntryKind.ARCHIVED, 1)))
        self.assertFalse(finishes(MOVE))
        self.assertFalse(finishes(Entry(EntryKind.EXPIRED, 1)))

    @given(st.lists(any_entry, max_size=8), st.data())
    def test_one_bit_breaks_the_chain(self, entries: list[Entry], data: st.DataObject) -> None:
        rows = chain(*entries)
        chain_of(rows)
        number = data.draw(st.integers(0, len(rows) - 1))
        place = data.draw(st.integers(0, len(Row._fields) - 1))
        bit = data.draw(st.integers(0, 8 * 200))
        rows[number] = changed(rows[number], place, bit)
        self.assertRaises(Damaged, chain_of, rows)

    @given(st.lists(any_entry, min_size=1, max_size=6), st.data())
    def test_a_row_lost_or_moved_breaks_the_chain(self, entries: list[Entry], data: st.DataObject) -> None:
        rows = chain(*entries)
        number = data.draw(st.integers(0, len(rows) - 2))
        self.assertRaises(Damaged, chain_of, rows[:number] + rows[number + 1 :])
        self.assertRaises(Damaged, chain_of, [*rows[: number + 1], *rows[number:]])
        rows[number], rows[number + 1] = rows[number + 1], rows[number]
        self.assertRaises(Damaged, chain_of, rows)

    def test_no_seat_is_not_a_seat(self) -> None:
        """A row's hash tells that nobody acted from that seat 0, or any number near, did."""
        hashes = {link(bytes(8), 1, 1, 1, 1, 1, seat, b"") for seat in (None, -1, 0, 1)}
        self.assertEqual(len(hashes), 4)

    def test_a_key_is_written_only_if_there_is_one(self) -> None:
        plain, keyed = SeatRecord("ann", "onitama", "x"), SeatRecord("ann", "onitama", "x", False, "00ff")
        for seat, written in (
            (plain, b'[["ann","onitama","x",false]]'),
            (keyed, b'[["ann","onitama","x",false,"00ff"]]'),
        ):
            opening = TableHeader("toy", 1, (seat,))
            row = opening_row(1, TABLE, opening, 5)
            self.assertIn(written, row.body)
            self.assertEqual(read_opening(row), opening)

    def test_an_opening_stands_first_and_nowhere_else(self) -> None:
        """Even with the right hash a row of the wrong kind for its place is refused."""
        h = link(bytes(8), 1, 7, 0, 0, int(EntryKind.ACTED), None, b"")
        self.assertRaises(Damaged, chain_of, [Row(1, 7, 0, 0, int(EntryKind.ACTED), None, b"", h)])

    @given(st.binary(max_size=40))
    def test_other_bodies_are_undecodable_and_nothing_else(self, body: bytes) -> None:
        """Bytes that this release did not write raise `Undecodable`, or read as something."""
        for read in (read_entry, read_opening):
            try:
                read(Row(9, 7, 3, 0, int(EntryKind.ACTED), Seat(0), body, b""))
            except Undecodable:
                continue

    def test_openings_of_other_shapes_are_undecodable(self) -> None:
        numbers = b'{"game":1,"version":1,"seats":[],"settings":{}}'
        for body in (
            b"[]",
            b"{}",
            b"null",
            b'{"game":"x","version":1,"seats":[["a"]],"settings":{}}',
            b"[" * 100_000,
            numbers,
        ):
            self.assertRaises(Undecodable, read_opening, Row(9, 7, 0, 0, OPENED, None, body, b""))


class ChainTests(PropertyCase):
    @given(st.lists(st.binary(max_size=20), max_size=6), st.data())
    def test_same_as_row_by_row(self, notations: list[bytes], data: st.DataObject) -> None:
        rows = [opening_row(1, TableId(1), TableHeader("toy", 1, ()), 0)]
        head = Head(0, rows[0].h)
        for seq, notation in enumerate(notations, 2):
            rows.append(entry_row(seq, TableId(1), head, Entry(EntryKind.ACTED, seq, None, notation)))
            head = Head(rows[-1].n, rows[-1].h)
        self.assertEqual(chain_of(map(tuple, rows)), head)
        self.assertIsNone(chain_of([]))
        at = data.draw(st.integers(0, len(rows) - 1))
        changed = data.draw(
            st.sampled_from([rows[at]._replace(at_ms=99), rows[at]._replace(n=7), rows[at]._replace(body=b"x")])
        )
        rows[at] = changed
        one_by_one = str(self.assertRaises(Damaged, self.one_by_one, rows))
        self.assertEqual(str(self.assertRaises(Damaged, chain_of, rows)), one_by_one)

    def one_by_one(self, rows: list[Row]) -> None:
        head: Head | None = None
        for row in rows:
            head = chain_of((row,), head)


class AddAccountTests(SynchronousTestCase):
    def test_the_key_is_free_unless_the_store_says_otherwise(self) -> None:
        ann = account("ann")
        self.assertIs(AddAccount(ann).owner, ann)


ONE, TWO = TableId(1), TableId(2)


def build(*changes: Change) -> Group:
    return build_group(changes, repeat(3), lambda: 12.5, {}, lambda table: {TWO: Head(4, b"12345678")}[table])


class GroupTests(SynchronousTestCase):
    def test_rows_follow_each_other(self) -> None:
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
        group = build((ONE, OPENING), (ONE, END), (TWO, END))
        self.assertEqual(group.ended, [(group.rows[1], (3, OPENING)), (group.rows[2], None)])
        self.assertTrue(group.noted)
        self.assertEqual(build((ONE, OPENING), (ONE, Entry(EntryKind.ARCHIVED, 3))).ended, [])

    def test_chains_that_end(self) -> None:
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
            self.pump.until_idle(self.journal)
            self.now += LINGER
            self.match(OPENING, (MOVE,), told=False)
            self.pump.until_idle(self.journal)

    def tables(self) -> set[int]:
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
        """Whoever follows it can read its end."""
        table = self.match(OPENING, (BEGAN, END))
        self.pump.until_idle(self.journal)
        self.now += LINGER - 1
        self.match(OPENING, (MOVE,), told=False)
        found: list[Any] = []
        self.journal.read(table, found.append)
        self.pump.until(lambda: bool(found))
        self.assertEqual(len(found[0].entries), 2)

    def test_nothing_is_left_when_the_host_stops(self) -> None:
        """However short the time is, and however many there are."""
        for _ in range(50):
            self.match(OPENING, (BEGAN, END))
        last = self.match(OPENING, (MOVE,), told=False)
        self.stop(self.journal)
        self.assertEqual(self.tables(), {last})
        self.journal = self.begin()
        for table in ("event", "finished", "listed"):
            self.assertEqual(rows(self.journal, f"SELECT count(*) FROM {table} WHERE game != {last}"), [(0,)])

    def test_one_that_is_told_later_is_removed_later(self) -> None:
        table = self.match(OPENING, (BEGAN, END), told=False)
        self.commit()
        self.journal.told(table)
        self.commit()
        self.stop(self.journal)
        self.assertNotIn(table, self.tables())

    def test_the_newest_table_stays(self) -> None:
        table = self.match(OPENING, (BEGAN, END))
        self.pump.until_idle(self.journal)
        self.now += LINGER
        self.journal.note_uptime(5)
        self.pump.until_idle(self.journal)
        self.stop(self.journal)
        self.assertEqual(self.tables(), {table})
        self.journal = self.begin()
        self.assertEqual(self.journal.new_table(), table + 1)

    def test_a_damaged_one_stays(self) -> None:
        opening = opening_row(1, TableId(7), OPENING, 1000)
        end = entry_row(2, TableId(7), Head(0, opening.h), END)
        self.assertTrue(is_unplayed([opening, end]))
        for damaged in ([], [opening], [end], [opening, end._replace(at_ms=1)]):
            self.assertFalse(is_unplayed(damaged), damaged)


class PostgresTests(PostgresCase):
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
        self.until_idle(journal)
        now += LINGER
        self.play(journal, 1)
        self.cut()  # a lost session is no reason to leave them
        journal.note_uptime(1)
        self.until_idle(journal)
        kept = {row[0] for row in self.sql("SELECT game FROM event")}
        self.assertEqual({table: table in kept for table in tables}, tables)
        self.assertEqual(self.sql("SELECT count(*) FROM listed WHERE game <> ALL(SELECT game FROM event)"), [(0,)])
        for _ in range(30):
            table = journal.new_table()
            journal.open(table, OPENING, nothing)
            journal.append(table, END, nothing)
            journal.told(table)
        last = self.play(journal, 1)
        self.until_idle(journal)
        now += LINGER
        journal.note_uptime(2)
        self.until_idle(journal)
        self.assertEqual(self.sql("SELECT count(DISTINCT game) FROM event"), [(len(kept) + 11,)])
        self.cut()  # what was removed a moment ago is not lost
        journal.note_uptime(3)
        self.until_idle(journal)
        self.stop(journal)
        self.assertEqual(self.pump.broken, [])
        kept.add(last)
        self.assertEqual({row[0] for row in self.sql("SELECT game FROM event")}, kept)
        self.assertLessEqual({row[0] for row in self.sql("SELECT game FROM listed")}, kept)
        with inspecting(self.url) as reader:
            self.assertEqual(reader.verify().faults, [])
        self.stop(self.start())
