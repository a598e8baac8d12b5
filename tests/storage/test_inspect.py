"""A journal is read, copied and pruned by people as it was written, changed by nobody, and verified to the last row."""

import itertools
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import AbstractContextManager, closing
from functools import partial
from pathlib import Path
from typing import Any

from attrs import astuple

from gamehost.accounts.bans import Ban
from gamehost.accounts.names import place_of
from gamehost.extras.cluster.postgresql import inspect as postgresql_inspect
from gamehost.extras.cluster.postgresql.inspect import reading_postgresql
from gamehost.games.base import Seat
from gamehost.journal.records import Entry, EntryKind, KeptText, Leave, StoreUnusable, TableId, TableRecord
from gamehost.storage import copying, inspect
from gamehost.storage.contents import put_ban
from gamehost.storage.copying import copy_store, prune
from gamehost.storage.database import SqliteDatabase, place
from gamehost.storage.databases import BACKUP
from gamehost.storage.durable import DurableJournal, StoredAccounts
from gamehost.storage.inspect import Inspector, Pruned, Summary, reading
from gamehost.storage.own import read_all_kept, read_all_own, read_leaves
from gamehost.storage.row_codec import Undecodable
from gamehost.storage.sidecar import sidecar_path
from tests.kit.accounts import account, nobody
from tests.kit.journal_contract import BEGAN, END, MOVE, OPENING, nothing, ours
from tests.kit.journals import JournalCase, records
from tests.kit.postgresql import ClusterCase, PostgresCase
from tests.storage.test_damage import DamageCase
from tests.storage.test_sqlite import StoreCase

ARCHIVED = Entry(EntryKind.ARCHIVED, 86_400_000)


class InspectContract(JournalCase):
    #: Lists a table that does not exist.
    LISTED: str
    LIST_FAULTS: Sequence[str] = ()

    def start(self, *, wall: Any = None) -> DurableJournal:
        raise NotImplementedError

    def reading(self) -> AbstractContextManager[Inspector]:
        raise NotImplementedError

    def spoil(self, *statements: str) -> None:
        raise NotImplementedError

    def fill(self, journal: DurableJournal) -> None:
        for last in (END, ARCHIVED, MOVE):
            table = journal.new_table()
            journal.open(table, OPENING, nothing)
            journal.append(table, MOVE if last is ARCHIVED else BEGAN, nothing)
            journal.append(table, last, nothing)
        journal.open(journal.new_table(), OPENING, nothing)
        self.stop(journal)

    def faults(self) -> list[str]:
        with self.reading() as journal:
            return journal.verify().faults

    def test_tables(self) -> None:
        with self.reading() as journal:
            tables = list(journal.tables())
        at = 1_700_000_000_500
        self.assertEqual(
            tables,
            [
                Summary(TableId(1), at, OPENING, 2, END),
                Summary(TableId(2), at, OPENING, 2, ARCHIVED),
                Summary(TableId(3), at, OPENING, 2, MOVE),
                Summary(TableId(4), at, OPENING, 0, None),
            ],
        )
        states = [table.state for table in tables if isinstance(table, Summary)]
        self.assertEqual(states, ["finished", "archived", "unfinished", "unfinished"])

    def test_a_table_without_its_opening(self) -> None:
        self.spoil("DELETE FROM event WHERE game = 2 AND n = 0")
        with self.reading() as journal:
            told = [str(table) if isinstance(table, Undecodable) else table.table for table in journal.tables()]
        self.assertEqual(told, [1, "table 2: row 0 is missing", 3, 4])

    def test_one_table(self) -> None:
        with self.reading() as journal:
            expected = (1_700_000_000_500, TableRecord(TableId(1), OPENING, (BEGAN, END)))
            self.assertEqual(journal.table(TableId(1)), expected)
            error = self.assertRaises(StoreUnusable, journal.table, TableId(77))
            self.assertIn("there is no table 77", str(error))

    def test_verify_counts(self) -> None:
        with self.reading() as journal:
            findings = journal.verify()
        self.assertEqual((findings.tables, findings.rows, findings.faults), (4, 10, []))

    def test_verify_names_a_changed_row(self) -> None:
        self.spoil("UPDATE event SET seat = 0 WHERE game = 1 AND n = 2")
        self.assertEqual(self.faults(), ["table 1: row 2 does not match its hash"])

    def test_verify_compares_the_list_of_unfinished_tables(self) -> None:
        """A table that would be resumed wrongly, and one that would not be."""
        self.spoil("DELETE FROM live WHERE game = 3", self.LISTED)
        self.assertEqual(
            self.faults(),
            [
                "table 3: it is not finished, and not listed as unfinished",
                "table 9: all of its rows are missing",
                *self.LIST_FAULTS,
            ],
        )

    def test_verify_names_rows_of_another_release(self) -> None:
        journal = self.start()
        kind: Any = 42
        records(journal)
        journal.append(TableId(4), Entry(kind, 5), nothing)
        self.stop(journal)
        self.assertEqual(self.faults(), ["table 4: row 1 is of kind 42, which this release does not know"])
        with self.reading() as journal_read:
            self.assertIsInstance(list(journal_read.tables())[3], Undecodable)
            self.assertRaises(Undecodable, journal_read.table, TableId(4))


def _step(steps: "itertools.count[int]") -> None:
    next(steps)


class SqliteTests(StoreCase, InspectContract):
    LISTED = "INSERT INTO live(game) VALUES (9)"

    def setUp(self) -> None:
        super().setUp()
        self.fill(self.start(wall=lambda: 1_700_000_000.5))

    def reading(self) -> AbstractContextManager[Inspector]:
        return reading(self.path)

    def spoil(self, *statements: str) -> None:
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            for statement in statements:
                connection.execute(statement)

    def test_reading_changes_nothing(self) -> None:
        before = {path.name: path.read_bytes() for path in self.folder.iterdir()}
        self.assertEqual(self.faults(), [])
        self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir()}, before)

    def test_a_killed_journal_is_read_with_its_log(self) -> None:
        """What is only in the log is read too, and the host starts on it afterwards."""
        journal = self.start()
        table = self.play(journal, 5)
        folder = self.folder / "killed"
        folder.mkdir()
        for suffix in ("", "-wal", ".hwm"):
            shutil.copy2(sidecar_path(self.path, suffix), folder)
        with reading(folder / "store.sqlite") as killed:
            self.assertEqual(killed.verify().faults, [])
            self.assertEqual(len(killed.table(table)[1].entries), 5)
        self.start(folder / "store.sqlite")

    def test_a_live_journal_is_not_read(self) -> None:
        self.start()
        error = self.assertRaises(StoreUnusable, self.faults)
        self.assertIn("has this journal open; stop it first", str(error))

    def test_what_is_not_there_is_not_made(self) -> None:
        self.path = self.folder / "misspelt.sqlite"
        self.assertIn("there is no such journal", str(self.assertRaises(StoreUnusable, self.faults)))
        self.assertFalse(self.path.exists())

    def test_verify_names_what_is_missing(self) -> None:
        self.spoil("DELETE FROM event WHERE game = 2 AND n = 1")
        found = self.faults()
        self.assertEqual(found[1:], ["table 2: row 1 is missing"])
        self.assertIn("9 rows up to row 10, and 10 were durable", found[0])

    def test_the_newest_tables_take_the_same_time_in_every_store(self) -> None:
        """Steps of SQLite, as it counts them. The index of rows is extended in steps: here it is complete."""
        taken = []
        for tables in (20, 200):
            journal = self.start()
            for _ in range(tables):
                table = self.play(journal, 1)
                journal.append(table, END, nothing)
                journal.told(table)
            self.stop(journal)
            with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
                place(SqliteDatabase(connection), connection.execute("SELECT max(seq) FROM event").fetchone()[0])
            with reading(self.path) as inspector:
                steps = itertools.count()
                inspector.database.connection.set_progress_handler(partial(_step, steps), 1)
                newest, older = inspector.newest(10)
            self.assertEqual([one.state for one in newest if isinstance(one, Summary)], ["finished"] * 10)
            taken.append((next(steps), older))
        (few, _), (many, older) = taken
        self.assertEqual(older, 214)
        self.assertLess(many, 1.5 * few)

    def test_verify_asks_no_question_for_each_table(self) -> None:
        asked = []
        for tables in (2, 20):
            journal = self.start()
            for _ in range(tables):
                self.play(journal, 1)
            self.stop(journal)
            with reading(self.path) as inspector:
                statements: list[str] = []
                inspector.database.connection.set_trace_callback(statements.append)
                findings = inspector.verify()
            self.assertEqual(findings.faults, [])
            asked.append(len(statements))
        self.assertEqual(asked[0], asked[1])

    def test_verify_says_what_sqlite_says(self) -> None:
        whole = bytearray(self.path.read_bytes())
        whole[4096:] = bytes(len(whole) - 4096)
        self.path.write_bytes(whole)
        try:
            found = self.faults()
        except StoreUnusable as error:
            found = [f"SQLite: {error}"]
        self.assertTrue(found)
        self.assertIn("SQLite: ", found[0])


class PostgresTests(PostgresCase, InspectContract):
    LISTED = "INSERT INTO live(game, owner) VALUES (9, 1)"
    LIST_FAULTS = ("the list of unfinished tables was changed: other tables are in it",)

    def setUp(self) -> None:
        super().setUp()
        self.fill(self.start(wall=lambda: 1_700_000_000.5))

    def reading(self) -> AbstractContextManager[Inspector]:
        from gamehost.extras.cluster.postgresql.inspect import reading_postgresql

        return reading_postgresql(self.url)

    def spoil(self, *statements: str) -> None:
        for statement in statements:
            self.sql(statement)

    def test_everything_is_of_one_moment(self) -> None:
        journal = self.start()
        with self.reading() as read:
            self.play(journal, 1)
            self.assertEqual(len(list(read.tables())), 4)

    def test_no_backup(self) -> None:
        error = self.assertRaises(StoreUnusable, self.back_up)
        self.assertEqual(str(error), f"{self.url}: {BACKUP}")

    def back_up(self) -> None:
        with self.reading() as journal:
            journal.back_up(Path("copy"))


del InspectContract


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
        self.pump.until_idle(journal)
        self.stop(journal)

    def tables(self, path: object = None) -> dict[int, int]:
        with reading(self.archive if path == "archive" else self.path) as journal:
            self.assertEqual(journal.verify().faults, [])
            return {summary.table: summary.entries for summary in journal.tables() if isinstance(summary, Summary)}

    def test_old_tables_are_moved(self) -> None:
        before = self.tables()
        self.assertEqual(prune(str(self.path), 5 * DAY, self.archive), Pruned(3, 13 + 15 + 16))
        self.assertEqual(self.tables(), {2: 12, 5: 16, 6: 17})
        self.assertEqual(self.tables("archive"), {table: before[table] for table in (1, 3, 4)})
        self.assertEqual(self.archive.stat().st_mode & 0o777, 0o600)

    def test_a_host_goes_on(self) -> None:
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
        self.change(self.path, "UPDATE event SET body = x'00' WHERE game = 3 AND n = 1")
        error = self.assertRaises(StoreUnusable, prune, str(self.path), 5 * DAY, self.archive)
        self.assertIn("table 3: row 1 does not match its hash; nothing was moved", str(error))
        self.assertFalse(self.archive.exists())
        self.stop(self.start())

    def test_a_kill_in_the_middle_loses_nothing(self) -> None:
        """When the archive is written and nothing was removed yet, every table is still in the store."""
        before = self.tables()

        def cut(*args: object) -> None:
            raise sqlite3.OperationalError("planted")

        self.patch(copying, "write_checked", cut)
        self.assertRaises(StoreUnusable, prune, str(self.path), 5 * DAY, self.archive)
        self.assertEqual(self.tables(), before)
        self.assertEqual(set(self.tables("archive")), {1, 3, 4})

    def test_a_store_that_a_host_has_open(self) -> None:
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
    journal.put_own([("ann", ours("turn")), ("bob:~1", ours("over", ended=5))], nothing)
    journal.put_leave(Leave("ann", 2**41, 2026, 3), nothing)
    for about in "stratego", place_of(tables[2]):
        journal.put_kept(KeptText("ann", about, "Žofie"), nothing)


def contents(journal: DurableJournal) -> list[object]:
    accounts = sorted((one.name, one.digest) for one in journal.accounts())
    database: Any = journal._store
    found: list[object] = [accounts, list(journal.bans()), journal.uptime, read_all_own(database.database)]
    found += read_leaves(database.database) + list(map(astuple, read_all_kept(database.database)))
    found += [(one.table, one.begun, one.told, one.opening) for one in journal.unfinished()]
    return found


class CopyingTests(StoreCase):
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
        copied = copy_store(str(self.path), str(self.target))
        self.assertEqual((copied.tables, copied.rows, copied.accounts), (4, 14, 2))
        journal = self.start()
        expected = contents(journal)
        self.stop(journal)
        journal = self.start(self.target)
        self.assertEqual(contents(journal), expected)
        self.assertEqual(self.play(journal, 1), 5)

    def test_stores_that_are_left_alone(self) -> None:
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
        self.patch(inspect, "AddAccount", lambda account: put_ban(Ban("name:x", "x", 1, 2)))
        self.assertIn("is not equal", self.copy_refused())
        self.assertFalse(self.target.exists())


class SchemaTests(PostgresCase):
    def test_no_journal(self) -> None:
        empty = self.server.new_database()
        self.addCleanup(self.server.drop, empty)
        self.assertIn("there is no journal in this database", self.unread(self.server.url(empty)))
        self.sql("UPDATE gamehost_schema SET version = 7")
        self.assertIn("another release made this journal", self.unread(self.url))

    def unread(self, url: str) -> str:
        with self.assertRaises(StoreUnusable) as caught, reading_postgresql(url):
            pass
        return str(caught.exception)


class MemberTests(ClusterCase):
    def test_all_tables(self) -> None:
        """Whoever has them. Finished ones can be moved to an archive, and nothing can be copied."""
        members = [self.member(1), self.member(2)]
        tables = [self.play(member, 1) for member in members * 2]
        for member, table in zip(members, tables, strict=False):
            member.append(table, END, nothing)
            member.told(table)
            self.until_idle(member)
        self.kill(members.pop())
        with reading_postgresql(self.url) as journal:
            found = [(one.table, one.state) for one in journal.tables() if isinstance(one, Summary)]
            self.assertEqual(found, [(1, "finished"), (2, "unfinished"), (65, "finished"), (66, "unfinished")])
            self.assertEqual([journal.table(table)[1].table for table in tables], tables)
            findings = journal.verify()
            self.assertEqual((findings.tables, findings.faults), (4, []))
        archive = Path(self.mktemp()).absolute()
        self.assertEqual(prune(self.url, 2**50, archive).tables, 2)
        self.play(members[0], 1)
        self.patch(postgresql_inspect, "LOCK_PATIENCE", 0.0)
        error = self.assertRaises(StoreUnusable, copy_store, self.url, str(archive) + "2")
        self.assertIn("has this journal open; stop it first", str(error))


class StandbyTests(PostgresCase):
    def test_a_standby(self) -> None:
        """It follows the first server. It can be read, and it is refused as a store."""
        journal = self.start()
        for _ in range(3):
            self.play(journal, 1)
        standby = self.server.standby()
        self.addCleanup(standby.remove)
        url = standby.url(self.database)
        self.play(journal, 1)
        tables = 0
        while tables < 4:
            with reading_postgresql(url) as follower:
                tables = len(list(follower.tables()))
        self.assertIn("this server is a standby; name the server that can be written to", self.refusal(url))


class PostgresCopyingTests(PostgresCase):
    def setUp(self) -> None:
        super().setUp()
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        self.file = str(self.folder / "copy.sqlite")
        self.other = self.server.new_database()
        self.addCleanup(self.server.drop, self.other)

    def test_there_and_back_and_on(self) -> None:
        journal = self.start()
        fill(journal)
        self.stop(journal)
        other = self.server.url(self.other)
        copies = {copy_store(*ends) for ends in ((self.url, self.file), (self.file, other), (other, self.file + "2"))}
        self.assertEqual([(one.tables, one.rows, one.accounts) for one in copies], [(4, 14, 2)])
        journal = self.start()
        expected = contents(journal)
        journals = [self.start(other), self.pump.open(Path(self.file)), self.pump.open(Path(self.file + "2"))]
        self.alive += journals[1:]
        for copy in journals:
            self.assertEqual(contents(copy), expected)
            self.assertEqual(self.play(copy, 1), 5)

    def test_stores_that_are_left_alone(self) -> None:
        self.patch(postgresql_inspect, "LOCK_PATIENCE", 0.0)
        journal = self.start()
        self.play(journal, 1)
        file = self.pump.open(Path(self.file))
        fill(file)
        self.pump.stop(file)
        for ends in ((self.url, self.file + "2"), (self.file, self.url)):
            self.assertIn("has this journal open; stop it first", self.refused(*ends))
        self.stop(journal)
        self.patch(postgresql_inspect, "LOCK_PATIENCE", 2.0)
        self.assertIn("there is something in this store", self.refused(self.file, self.url))
        other = self.server.url(self.other)
        self.patch(postgresql_inspect, "copy_notes", lambda source, target: None)
        self.assertIn("is not equal", self.refused(self.file, other))
        self.assertEqual(self.server.execute("SELECT count(*) FROM event", self.other), [(0,)])

    def refused(self, source: str, target: str) -> str:
        return str(self.assertRaises(StoreUnusable, copy_store, source, target))


class PostgresPruneTests(PostgresCase):
    """Five tables, of which the second, the third and the last are finished."""

    def setUp(self) -> None:
        super().setUp()
        times = iter(range(1, 100))
        self.journal = self.start(wall=lambda: next(times))
        for number in range(1, 6):
            table = self.play(self.journal, 2)
            if number in (2, 3, 5):
                self.journal.append(table, END, nothing)
                self.journal.told(table)
                self.until_idle(self.journal)
        self.archive = Path(self.mktemp()).absolute()

    def test_finished_tables_are_moved(self) -> None:
        """Those from before the moment, and never the newest, from which new numbers are counted."""
        self.assertEqual(prune(self.url, 2500, self.archive), Pruned(1, 4))
        other = self.archive.with_name("second")
        self.assertEqual(prune(self.url, 99_000, other), Pruned(1, 4))
        self.assertEqual(prune(self.url, 99_000, other.with_name("third")), Pruned(0, 0))
        for archive, table in ((self.archive, 2), (other, 3)):
            with reading(archive) as kept:
                self.assertEqual(kept.verify().faults, [])
                [summary] = kept.tables()
                assert isinstance(summary, Summary)
                self.assertEqual((summary.table, summary.state), (table, "finished"))
        with reading_postgresql(self.url) as journal:
            self.assertEqual(journal.verify().faults, [])
        self.assertEqual(self.sql("SELECT DISTINCT game FROM event ORDER BY game"), [(1,), (4,), (5,)])
        self.assertEqual(self.play(self.journal, 1), 6)

    def test_what_was_moved_is_not_lost(self) -> None:
        """A host that has told the end of a match a moment ago compares it with the database after a lost connection."""
        self.assertEqual(prune(self.url, 99_000, self.archive), Pruned(2, 8))
        self.cut()
        self.assertEqual(self.play(self.journal, 1), 6)
        self.until_idle(self.journal)
        self.assertEqual(self.pump.broken, [])
        self.sql("UPDATE removed SET at = at - interval '2 hours'")
        self.assertEqual(prune(self.url, 99_000, self.archive.with_name("second")), Pruned(1, 4))
        self.assertEqual(self.sql("SELECT game FROM removed"), [(5,)])

    def test_nothing_is_moved(self) -> None:
        """If the archive exists or cannot be written, and if a row is damaged."""
        self.archive.touch()
        self.assertIn("this file exists", self.refused(self.archive))
        self.assertIn("the folder does not exist", self.refused(self.archive / "no" / "folder"))
        self.sql("UPDATE event SET body = 'x' WHERE game = 3 AND n = 1")
        self.assertIn(
            "table 3: row 1 does not match its hash; nothing was moved", self.refused(self.archive.with_name("b"))
        )
        self.assertEqual(self.sql("SELECT count(DISTINCT game) FROM event"), [(5,)])

    def refused(self, archive: Path) -> str:
        return str(self.assertRaises(StoreUnusable, prune, self.url, 99_000, archive))
