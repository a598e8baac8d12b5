"""Commits of a file: what is in them is found wherever it is, moved in slices, and missed when it is damaged."""

import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from gamehost.games.base import Seat
from gamehost.journal.records import Entry, EntryKind, StoreUnusable, TableId, TableRecord
from gamehost.storage.contents import Change, Sleep, Told
from gamehost.storage.database import Commit, FileRows, commit_faults, commits_in, entries_by_table
from gamehost.storage.inspect import Findings, StoreInspector, Summary, reading
from gamehost.storage.questions import Sql
from gamehost.storage.row_codec import RUN, Undecodable, single_rows
from gamehost.storage.sidecar import Mark, mark_in
from gamehost.storage.store import SqliteStore, open_store
from tests import share
from tests.kit.journal_contract import END, MOVE, OPENING
from tests.kit.journals import records
from tests.storage.test_damage import DamageCase
from tests.storage.test_sqlite import StoreCase

ONE, TWO, THREE = map(TableId, (1, 2, 3))


class GroupCase(StoreCase):
    mark: Mark | None = None

    def opened(self, most: int = 10, at_once: int = 4, most_moved: int = 5, accept_loss: bool = False) -> SqliteStore:
        connection = sqlite3.connect(self.path, isolation_level=None)
        self.addCleanup(connection.close)
        store = open_store(connection, self.mark, index_step=6, accept_loss=accept_loss)
        store.recent.most, store.recent.at_once, store.recent.most_moved = most, at_once, most_moved
        self.note(store)
        return store

    def note(self, store: SqliteStore) -> None:
        self.mark = store.mark
        store.marked = self.mark.last

    def commits(self, store: SqliteStore) -> int:
        return len(commits_in(store.database))

    def kinds(self, store: SqliteStore, table: int) -> list[tuple[int, int, int]]:
        """Of the rows of a table in `event`: the number, the kind, and how many entries a run has."""
        found = store.database.rows("SELECT n, kind, at_ms FROM event WHERE game = ? ORDER BY n", (table,))
        return [(n, kind, count if kind == RUN else 1) for n, kind, count in found]


class Play:
    """Tables that are played at random, and what must be found of them."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.tables: dict[TableId, list[Entry]] = {}
        self.ended: set[TableId] = set()

    def entry(self, outcome: str = "") -> Entry:
        rng = self.rng
        drawn = rng.choice([(), (1, 2), (2**70,)])
        notation = rng.randbytes(rng.choice((0, 5, 200)))
        return Entry(
            EntryKind.ACTED, rng.randrange(2**48), Seat(0), notation, drawn, outcome, rng.choice((b"", b"8" * 8))
        )

    def changes(self) -> list[Change]:
        changes: list[Change] = []
        for _ in range(self.rng.randint(1, 8)):
            open_tables = [table for table in self.tables if table not in self.ended]
            what = self.rng.choice(("open", "sleep", "wake", "end", "archive", *["move"] * 8))
            if what == "open" or not open_tables:
                table = TableId(len(self.tables) + 1)
                self.tables[table] = []
                changes.append((table, OPENING))
                continue
            table = self.rng.choice(open_tables)
            if what in ("sleep", "wake"):
                changes.append(Sleep(table, 5 if what == "sleep" else None))
                continue
            if what == "move":
                entry = self.entry()
            else:
                self.ended.add(table)
                entry = self.entry("over, \ud800") if what == "end" else Entry(EntryKind.ARCHIVED, 7)
            self.tables[table].append(entry)
            changes.append((table, entry))
            if what == "end":
                changes.append(Told(table, None))
        return changes


class AnywhereTests(GroupCase):
    def check(self, store: SqliteStore, play: Play) -> None:
        """Every table is read whole, nothing is wrong with the store, and it holds what its mark says."""
        expected = {table: tuple(entries) for table, entries in play.tables.items()}
        found = {table: store.read(table) for table in expected}
        self.assertEqual(
            {table: record.entries for table, record in found.items() if isinstance(record, TableRecord)}, expected
        )
        inspector, findings = StoreInspector(store.database, self.path), Findings()
        findings.follow(inspector._stored(), (note.table for note in inspector.notes()))
        inspector._check_index(findings)
        self.assertEqual(findings.faults + store.lists.faults(), [])
        self.assertEqual(mark_in(store.connection), store.mark)
        self.assertEqual(findings.rows, store.mark.count)
        lengths = [one.entries for one in inspector.tables() if isinstance(one, Summary)]
        self.assertEqual(lengths, [len(entries) for entries in expected.values()])

    def test_everything_is_found_in_every_later_run(self) -> None:
        """Whatever is moved, ends, sleeps or wakes; with marks that are behind, and with runs that end anywhere."""
        for seed in range(share(12, 40)):
            self.path, self.mark = self.folder / f"{seed}.sqlite", None
            rng = random.Random(seed)
            play = Play(rng)
            for _ in range(3):
                store = self.opened()
                self.check(store, play)
                if rng.random() < 0.5:
                    self.assertEqual({one.table for one in store.unfinished()}, play.tables.keys() - play.ended)
                for _ in range(rng.randrange(12)):
                    store.commit(play.changes())
                    if rng.random() < 0.5:
                        self.note(store)
                self.check(store, play)
                store.connection.close()

    def test_a_table_that_ends_is_in_rows_at_once(self) -> None:
        store = self.opened()
        store.commit([(ONE, OPENING), (ONE, MOVE), (TWO, OPENING)])
        store.commit([(ONE, MOVE), (TWO, MOVE), (ONE, MOVE)])
        self.assertEqual([self.kinds(store, table) for table in (1, 2)], [[(0, 0, 1)], [(0, 0, 1)]])
        store.commit([(ONE, END)])
        self.assertEqual(self.kinds(store, 1), [(0, 0, 1), (1, RUN, 3), (4, int(END.kind), 1)])
        self.assertEqual(self.kinds(store, 2), [(0, 0, 1)])

    def test_a_table_that_sleeps_is_in_rows_at_once(self) -> None:
        """And goes on when somebody comes back, in the same commit too."""
        store = self.opened()
        store.commit([(ONE, OPENING), (ONE, MOVE), (ONE, MOVE), Sleep(ONE, 5), (ONE, MOVE)])
        self.assertEqual(self.kinds(store, 1), [(0, 0, 1), (1, RUN, 2)])
        store.commit([(ONE, MOVE), Sleep(ONE, 6)])
        self.assertEqual(self.kinds(store, 1), [(0, 0, 1), (1, RUN, 2), (3, RUN, 2)])
        store.commit([(ONE, MOVE)])
        self.assertEqual([row.n for row in single_rows(store.tables.rows(1))], [0, 1, 2, 3, 4, 5])

    def test_other_tables_are_not_read(self) -> None:
        store = self.opened(most=1000)
        for number in range(300, 320):
            store.commit([(TableId(number), OPENING)])
            store.commit([(TableId(number), MOVE)])
        seen: list[Any] = []
        ask = store.tables._query

        def query(tables: FileRows, sql: Sql | str, *parameters: Any) -> list[Any]:
            seen.append(ask(sql, *parameters))
            return list(seen[-1])

        self.patch(FileRows, "_query", query)
        self.assertEqual([len(rows) for rows in (store.tables.rows(307), *seen)], [2, 2, 1])


class MovingTests(GroupCase):
    def test_the_oldest_are_moved_in_slices(self) -> None:
        """With each commit no more than so many rows, until few enough are left. Then they wait again."""
        store = self.opened(most=20, at_once=10, most_moved=3)
        tables = [TableId(number) for number in range(1, 11)]
        store.commit([(table, OPENING) for table in tables])
        moved = []
        for _ in range(9):
            self.note(store)
            before = store._last
            store.commit([(table, MOVE) for table in tables])
            moved.append(store._last - before)
        self.assertEqual(moved[:3], [0, 0, 0], "not more than may wait")
        self.assertEqual(max(moved), 3, "in slices")
        self.assertEqual([row.n for row in single_rows(store.tables.rows(1))], list(range(10)))
        self.assertLess(self.commits(store), 8)

    def test_what_the_mark_names_stays(self) -> None:
        """A start looks for the commit of the mark on the disk, so that and later ones are not removed."""
        store = self.opened(most=2, at_once=0)
        store.commit([(ONE, OPENING)])
        for _ in range(20):
            store.commit([(ONE, MOVE)])
        self.assertEqual(self.commits(store), 21)
        self.note(store)
        for _ in range(20):
            store.commit([(ONE, MOVE)])
        self.assertEqual(self.commits(store), 21)
        self.opened()

    def test_what_an_earlier_run_has_left_is_moved(self) -> None:
        store = self.opened(most=99)
        for table in (ONE, TWO):
            store.commit([(table, OPENING), (table, MOVE), (table, MOVE)])
        self.note(store)
        store.connection.close()
        store = self.opened(most=3, at_once=0)
        store.commit([(THREE, OPENING)])
        self.assertEqual(self.kinds(store, 1), [(0, 0, 1), (1, RUN, 2)])
        self.assertEqual(self.commits(store), 2)
        record = store.read(ONE)
        assert isinstance(record, TableRecord)
        self.assertEqual(record.entries, (MOVE, MOVE))

    def test_a_commit_of_many_tables_is_decoded_once(self) -> None:
        """An earlier run has left one commit of all tables: to move these does not decode it for each of them."""
        tables = [TableId(number) for number in range(1, 101)]
        store = self.opened(most=999)
        store.commit([(table, OPENING) for table in tables])
        store.commit([(table, MOVE) for table in tables for _ in range(2)])
        self.note(store)
        store.connection.close()
        store = self.opened(most=3, at_once=0, most_moved=20)
        decoded: list[Commit] = []
        items = Commit.items

        def counted(commit: Commit) -> Any:
            decoded.append(commit)
            return items(commit)

        self.patch(Commit, "items", counted)
        for number in range(101, 111):
            store.commit([(TableId(number), OPENING)])
            self.note(store)
        self.assertEqual(self.kinds(store, 100), [(0, 0, 1), (1, RUN, 2)])
        self.assertLess(len(decoded), 2 * len(tables))


#: Of a store with a commit a move: what is done to it, and what is said of it.
DAMAGE: Sequence[tuple[str, str]] = (
    ("UPDATE recent SET h = x'0011223344556677' WHERE seq = 3", "the commit of row 3 does not match its hash"),
    ("UPDATE recent SET body = substr(body, 1, 12) WHERE seq = 3", "the commit of row 3 cannot be read"),
    ("UPDATE recent SET seq = 40 WHERE seq = 6", "row 40 does not match its hash"),
    ("UPDATE recent SET body = (SELECT body FROM recent WHERE seq = 4) WHERE seq = 5", "row 5 does not match its hash"),
    ("DELETE FROM recent WHERE seq = 3", "the commit before that of row 4 is missing"),
    ("DELETE FROM recent WHERE seq < 3", "rows up to row 6, and 6 were durable"),
    ("DELETE FROM recent WHERE seq = 1", "nothing"),
    ("DELETE FROM recent WHERE seq = 6", "it ends at row 5, and row 6 was durable"),
    ("DELETE FROM recent", "shorter than recorded"),
    ("DELETE FROM event", "rows up to row 6, and 6 were durable"),
)


class DamageTests(DamageCase):
    def setUp(self) -> None:
        super().setUp()
        journal = self.start_marking()
        self.play(journal, 0)
        for _ in range(5):
            journal.append(ONE, MOVE, lambda: None)
            self.pump.until_idle(journal)
        self.stop(journal)

    def test_damage_is_refused_and_named(self) -> None:
        """Wherever an entry is in a commit alone. The first commit has none: the opening is in its own row."""
        whole = self.path.read_bytes()
        for statement, why in DAMAGE:
            self.path.write_bytes(whole)
            self.change(self.path, statement)
            with reading(self.path) as journal:
                faults = journal.verify().faults
            try:
                self.stop(self.start())
                said = "nothing"
            except StoreUnusable as error:
                said = str(error)
            self.assertRegex(said, why)
            if said != "nothing":
                self.assertTrue(any(fault in said or why in fault for fault in faults), (statement, faults, said))

    def test_any_other_byte_is_refused(self) -> None:
        with closing(sqlite3.connect(self.path)) as connection:
            [(body,)] = connection.execute("SELECT body FROM recent WHERE seq = 4").fetchall()
        for place in range(len(body)):
            self.change_body(4, body[:place] + bytes([body[place] ^ 4]) + body[place + 1 :])
            self.assertRegex(self.refusal(), "the commit of row 4 (does not match its hash|cannot be read)")

    def change_body(self, seq: int, body: bytes) -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute("UPDATE recent SET body = ? WHERE seq = ?", (body, seq))

    def test_who_reads_one_table_is_told(self) -> None:
        """Of a commit that cannot be read, and may have been of that table."""
        self.change(self.path, "UPDATE recent SET body = substr(body, 1, length(body) - 2) WHERE seq = 6")
        with reading(self.path) as journal:
            self.assertRaises(Undecodable, journal.table, ONE)

    def test_with_the_owners_word(self) -> None:
        """What is whole goes on, in this run and the next. A table that has lost something in the middle is given up."""
        self.change_body(4, b"8" * 8)
        self.assertIn("cannot be read", self.refusal())
        journal = self.start(accept_loss=True)
        self.assertEqual(records(journal), [])
        self.assertEqual(journal.skipped, ["table 1: row 3 is missing"])
        self.assertEqual(self.play(journal, 2), 2)
        self.stop(journal)
        journal = self.start()
        self.assertEqual([(one.table, len(one.entries)) for one in records(journal)], [(2, 2)])

    def test_a_loss_at_the_end(self) -> None:
        self.change_body(6, b"8" * 8)
        journal = self.start(accept_loss=True)
        self.assertEqual([len(one.entries) for one in records(journal)], [4])
        journal.append(ONE, MOVE, lambda: None)
        self.stop(journal)
        self.assertEqual([len(one.entries) for one in records(self.start())], [5])

    def test_what_belongs_to_no_table_counts_for_none(self) -> None:
        with closing(sqlite3.connect(self.path)) as connection:
            store = open_store(connection, None, accept_loss=True)
            recent = entries_by_table(commits_in(store.database))
            self.assertEqual((list(recent), len(recent[1])), ([1], 5))
            connection.execute("DELETE FROM event")
            self.assertEqual(store.tables.rows(1), [])
            self.assertEqual(commit_faults(commits_in(store.database)), [])
