"""Power cuts, disk faults, kills and damage: what was acknowledged is there afterwards, or is refused and left as it was."""

import contextlib
import itertools
import os
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from shutil import copyfile

import apsw
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.journal.records import Entry, EntryKind, StoreUnusable, TableId
from gamehost.storage import contents, sqlite
from gamehost.storage.contents import Change, StoreFailed
from gamehost.storage.durable import DurableJournal, StoredAccounts
from gamehost.storage.inspect import Summary, reading
from gamehost.storage.row_codec import Damaged
from gamehost.storage.sidecar import check_log, read_last_commit, sidecar_path
from gamehost.storage.store import SqliteStore
from tests import share
from tests.kit.accounts import account, nobody
from tests.kit.disk import Commit, Disk, Drive, Runs, abandon, next_run, open_on, run
from tests.kit.fork_server import ROOT, Process, start
from tests.kit.journal_contract import END, MOVE, OPENING, nothing
from tests.kit.journals import by_rows, records, rows
from tests.kit.store_kills import LOG_FRAME, LOG_HEADER, flip_bits, trimmed
from tests.storage.test_sqlite import StoreCase

#: Everything that belongs to a store.
SUFFIXES = ("", "-wal", ".hwm", ".last")


class DamageCase(StoreCase):
    """A store that was killed with its log full, and copies of it to be spoilt."""

    def setUp(self) -> None:
        super().setUp()
        self.counter = itertools.count()

    def start_marking(self, path: Path | None = None, **more: object) -> DurableJournal:
        return self.start(path, clock=itertools.count(0, 2).__next__, **more)

    def copy(self, path: Path) -> Path:
        """The files of a store as a kill would leave them now, in a folder of their own, without zeros behind the frames."""
        folder = self.folder / f"copy{next(self.counter)}"
        folder.mkdir()
        for suffix in SUFFIXES:
            if sidecar_path(path, suffix).exists():
                shutil.copy2(sidecar_path(path, suffix), folder)
        log = sidecar_path(folder / path.name, "-wal")
        if log.exists():
            log.write_bytes(trimmed(log.read_bytes()))
        return folder / path.name

    def killed(self) -> Path:
        journal = self.start_marking()
        table = self.play(journal, 0)
        for _ in range(30):
            journal.append(table, MOVE, nothing)
            self.pump.until_idle(journal)
        left = self.copy(self.path)
        self.stop(journal)
        noted = read_last_commit(sidecar_path(left, ".last"))
        self.assertEqual(noted and noted.last, 31)
        return left

    def contents(self, path: Path) -> dict[str, bytes]:
        return {file.name: file.read_bytes() for file in sorted(path.parent.iterdir())}

    def change(self, path: Path, *statements: str) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for statement in statements:
                connection.execute(statement)

    def refused(self, path: Path, **more: object) -> str:
        return str(self.assertRaises(StoreUnusable, self.start, path, **more))

    def held(self, path: Path, **more: object) -> int:
        journal = self.start(path, **more)
        [record] = records(journal)
        self.stop(journal)
        return len(record.entries)


class LogTests(DamageCase):
    """Damage to the write-ahead log, where SQLite drops the rest in silence."""

    def test_a_killed_store_is_whole(self) -> None:
        self.assertEqual(self.held(self.killed()), 30)

    def flipped(self, left: Path, place: int, bit: int) -> Path:
        spoilt = self.copy(left)
        log = bytearray(sidecar_path(left, "-wal").read_bytes())
        log[place] ^= 1 << bit
        sidecar_path(spoilt, "-wal").write_bytes(log)
        return spoilt

    def test_a_flipped_bit_is_refused(self) -> None:
        """Wherever in the log a bit is not as it was: refused, or nothing is missing. The last commit counts too."""
        left = self.killed()
        size = sidecar_path(left, "-wal").stat().st_size
        rng = random.Random(1)
        refusals = 0
        for place in [*(rng.randrange(size) for _ in range(60)), size - 1]:
            spoilt = self.flipped(left, place, rng.randrange(8))
            try:
                self.assertEqual(self.held(spoilt), 30)
            except StoreUnusable as error:
                refusals += 1
                self.assertRegex(str(error), "shorter than recorded|is empty|is missing|not a journal")
        self.assertGreater(refusals, 50)

    def test_damage_behind_the_mark_is_refused(self) -> None:
        """After a power cut only an old mark may be there: then the log itself shows that whole commits are lost."""
        left = self.killed()
        sidecar_path(left, ".last").unlink()
        sidecar_path(left, ".hwm").write_text('{"max_seq": 0, "count": 0, "sha": "", "accounts": 0, "log": true}')
        frames = (sidecar_path(left, "-wal").stat().st_size - LOG_HEADER) // LOG_FRAME
        for frame in range(frames - 8, frames - 1):
            spoilt = self.flipped(left, LOG_HEADER + LOG_FRAME * frame + 2000, 3)
            if frame % 2:  # there is room for more, as in the log that a host has
                with sidecar_path(spoilt, "-wal").open("ab") as log:
                    log.write(bytes(3 * LOG_FRAME))
            self.assertIn(f"its log is damaged at frame {frame + 1}", self.refused(spoilt))
            with reading(spoilt) as journal:
                self.assertIn(f"its log is damaged at frame {frame + 1}", journal.verify().faults[0])
        self.assertEqual(
            self.held(self.flipped(left, LOG_HEADER + LOG_FRAME * frames - 1, 3)), 29, "a torn end, for all we know"
        )

    def test_what_is_refused_is_left_as_it_was(self) -> None:
        left = self.killed()
        log = sidecar_path(left, "-wal")
        whole = log.read_bytes()
        for place in (0, 13, len(whole) // 2):
            spoilt = bytearray(whole)
            spoilt[place] ^= 1
            log.write_bytes(spoilt)
            contents = self.contents(left)
            for _ in range(2):
                self.assertIn("shorter than recorded", self.refused(left))
                self.assertEqual(self.contents(left), contents)
        log.write_bytes(whole)
        self.assertEqual(self.held(left), 30)

    def test_a_log_cut_short_or_lost_is_refused(self) -> None:
        left = self.killed()
        log = sidecar_path(left, "-wal")
        whole = log.read_bytes()
        log.write_bytes(whole[: len(whole) // 2])
        self.assertIn("shorter than recorded", self.refused(left))
        log.unlink()
        self.assertIn("log store.sqlite-wal is missing", self.refused(self.copy(left)))

    def test_lost_accounts_are_noticed(self) -> None:
        for tables in (0, 1):
            path = self.folder / f"accounts{tables}.sqlite"
            journal = self.start_marking(path)
            book = StoredAccounts(journal)
            for table in range(tables):
                self.play(journal, table)
            for number in range(20):
                book.add(account(f"ann{number}"), nobody)
                self.pump.until_idle(journal)
            left = self.copy(path)
            self.stop(journal)
            log = sidecar_path(left, "-wal")
            whole = log.read_bytes()
            log.write_bytes(whole[: len(whole) * 3 // 4])
            self.assertRegex(self.refused(left), "the journal has [0-9]+ accounts, and (19|20) were durable")
            log.write_bytes(whole)
            journal = self.start(left)
            self.assertEqual(len(rows(journal, "SELECT * FROM account")), 20)
            self.stop(journal)
            sidecar_path(left, ".hwm").unlink()
            self.assertIn(".hwm, which says how long the journal was, is missing", self.refused(left))

    def test_loss_is_accepted_when_that_is_said(self) -> None:
        """With the owner's word the journal goes on with what is there, and needs the word only once."""
        left = self.killed()
        log = sidecar_path(left, "-wal")
        whole = log.read_bytes()
        log.write_bytes(whole[: len(whole) * 3 // 4])
        held = self.held(left, accept_loss=True)
        self.assertLess(held, 29)
        self.assertEqual(self.held(left), held)


class StoreTests(DamageCase):
    def setUp(self) -> None:
        super().setUp()
        journal = self.start_marking()
        self.first = self.play(journal, 10)
        self.second = self.play(journal, 10)
        journal.append(self.second, END, nothing)
        journal.told(self.second)
        self.pump.until_idle(journal)
        self.stop(journal)

    def test_an_older_copy_is_refused(self) -> None:
        older = self.copy(self.path)
        journal = self.start_marking()
        self.play(journal, 1)
        self.stop(journal)
        shutil.copy2(older, self.path)
        self.assertIn("ends at row 23, and row 25 was durable", self.refusal())
        journal = self.start(accept_loss=True)
        self.assertEqual([record.table for record in records(journal)], [self.first])
        self.stop(journal)
        self.stop(self.start())

    def test_up_time_is_one_row(self) -> None:
        for statement, words in (
            ("DELETE FROM uptime", "its table 'uptime' has 0 rows instead of one"),
            ("INSERT INTO uptime VALUES (7), (8)", "its table 'uptime' has 2 rows instead of one"),
        ):
            with closing(sqlite3.connect(self.path)) as connection, connection:
                connection.execute(statement)
            self.assertIn(words, self.refusal())
            with reading(self.path) as journal:
                self.assertIn(words, " ".join(journal.verify().faults))

    def test_another_journal_is_refused(self) -> None:
        other = self.folder / "other.sqlite"
        journal = self.start(other)
        self.play(journal, 22)
        self.stop(journal)
        shutil.copy2(other, self.path)
        self.assertIn("row 23 is not the one that was recorded", self.refusal())

    def test_a_lost_or_empty_store_is_refused(self) -> None:
        self.path.unlink()
        refusal = self.refusal()
        self.assertIn(f"{self.path}: the journal is missing, and 23 rows", refusal)
        self.assertIn("run gamehost journal verify", refusal)
        self.assertNotIn("--accept-loss", refusal)
        self.assertFalse(self.path.exists())
        self.path.touch()
        self.assertIn("the journal is empty, and 23 rows", self.refusal())
        self.assertEqual(records(self.start(accept_loss=True)), [])

    def test_a_truncated_store_is_refused(self) -> None:
        whole = self.path.read_bytes()
        self.path.write_bytes(whole[: len(whole) // 2 // 4096 * 4096])
        self.assertIn("damaged", self.refusal())
        self.assertIn("damaged", self.refusal(accept_loss=True))

    def test_a_lost_or_spoilt_mark_is_refused(self) -> None:
        """Without its mark nobody knows how long the journal was."""
        mark = sidecar_path(self.path, ".hwm")
        for text in ("", "{}", "nonsense", '{"max_seq": "9", "count": 9, "sha": "", "accounts": 0}', "[" * 100_000):
            mark.write_text(text)
            self.assertIn(".hwm beside the journal cannot be read", self.refusal())
        mark.unlink()
        self.assertIn("is missing", self.refusal())
        self.stop(self.start(accept_loss=True))
        self.stop(self.start())

    def test_rows_that_were_changed_are_refused(self) -> None:
        by_rows(self.path)
        whole = self.path.read_bytes()
        for statement, why in (
            ("UPDATE event SET at_ms = at_ms + 1 WHERE game = 1 AND n = 4", "table 1: row 4 does not match its hash"),
            ("DELETE FROM event WHERE game = 2 AND n = 3", "22 rows up to row 23, and 23 were durable"),
            ("INSERT INTO live(game) VALUES (99)", "table 99: all of its rows are missing"),
        ):
            self.change(self.path, statement)
            self.assertIn(why, self.refusal())
            self.path.write_bytes(whole)

    def test_a_damaged_table_is_given_up_with_the_owners_word(self) -> None:
        journal = self.start()
        third = self.play(journal, 2)
        self.stop(journal)
        by_rows(self.path)
        self.change(self.path, "UPDATE event SET body = x'00' WHERE game = 1 AND n = 4")
        journal = self.start(accept_loss=True)
        self.assertEqual([record.table for record in records(journal)], [third])
        self.assertEqual(journal.skipped, ["table 1: row 4 does not match its hash"])
        self.assertRaises(ValueError, journal.append, self.first, MOVE, nothing)
        self.stop(journal)
        journal = self.start()
        self.assertEqual([record.table for record in records(journal)], [third])
        self.assertEqual(journal.skipped, [])

    def test_a_table_that_was_put_away_is_left_out(self) -> None:
        journal = self.start()
        records(journal)
        journal.append(self.first, Entry(EntryKind.ARCHIVED, 99), nothing)
        self.stop(journal)
        self.change(self.path, f"INSERT INTO live(game) VALUES ({self.first})")
        loaded: list[object] = []
        journal = self.start()
        self.assertEqual([one.table for one in journal.unfinished()], [self.first])
        journal.load(self.first, loaded.append)
        self.stop(journal)
        self.assertEqual(loaded, ["table 1: it was put away, and yet is listed as unfinished"])

    def test_numbers_go_on_after_a_refusal(self) -> None:
        self.change(self.path, "INSERT INTO live(game) VALUES (99)")
        self.refusal()
        self.change(self.path, "DELETE FROM live WHERE game = 99")
        journal = self.start()
        table = journal.new_table()
        self.assertEqual(table, TableId(3))
        journal.open(table, OPENING, nothing)
        self.pump.until_idle(journal)


#: A mark from before the first row.
EMPTY = '{"max_seq": 0, "count": 0, "sha": "", "accounts": 0, "log": true}\n'


class BitFlipTests(SynchronousTestCase):
    def test_no_flip_is_silent(self) -> None:
        """Thirty bits of store, log and marks: nothing acknowledged is gone without a word."""
        self.assertEqual(flip_bits(30, 1, Path(self.mktemp()))["silent"], 0)

    def test_a_host_that_trusts_its_log_is_found_out(self) -> None:
        """Without the check of the log, damage behind an old mark is silent; with it, only a last commit that may be torn."""
        checked = flip_bits(20, 2, Path(self.mktemp()), ["-wal"], EMPTY)
        self.patch(sqlite, "check_log_beside", lambda store: None)
        unchecked = flip_bits(20, 2, Path(self.mktemp()), ["-wal"], EMPTY)
        self.assertGreater(unchecked["silent"], checked["silent"])


TABLES, MOVES = 6, 3
#: Rows of each table: its opening, and the moves.
ROWS = MOVES + 1


class RecordCheckTests(StoreCase):
    def setUp(self) -> None:
        super().setUp()
        journal = self.start()
        for _ in range(TABLES):
            self.play(journal, MOVES)
        self.stop(journal)
        by_rows(self.path)

    def damage(self, table: int, n: int) -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute("UPDATE event SET at_ms = at_ms + 1 WHERE game = ? AND n = ?", (table, n))

    def reopened(self, at_start: int) -> DurableJournal:
        self.patch(contents, "AT_START", at_start)
        return self.start()

    def check(self, journal: DurableJournal, rows: int = 1) -> tuple[list[str], bool]:
        answers: list[tuple[list[str], bool]] = []
        journal.check(rows, lambda damage, all_checked: answers.append((list(damage), all_checked)))
        self.pump.until_idle(journal)
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
        self.pump.until_idle(journal)
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
                self.pump.until_idle(journal)
                journal.append(table, END if step == "end" else MOVE, nothing)
        for _ in range(TABLES + 2):
            damage, all_checked = self.check(journal, rows)
            self.assertEqual(damage, [])
        self.assertTrue(all_checked)
        self.stop(journal)


def nothing_of(record: object) -> None:
    pass


class UnfinishedTests(DamageCase):
    def test_notes_are_read_with_their_tables(self) -> None:
        self.patch(contents, "LISTED_AT_ONCE", 2)
        journal = self.start()
        tables = [self.play(journal, 1) for _ in range(5)]
        for number, table in enumerate(tables):
            journal.sleep(table, 100 + number)
        for table in tables[3:]:
            journal.wake(table)
            journal.append(table, END, nothing)
            journal.told(table, Seat(table % 2))
        self.pump.until_idle(journal)
        self.stop(journal)
        noted = [(one.table, one.since, set(one.told)) for one in self.start().unfinished()]
        self.assertEqual(noted, [(1, 100, set()), (2, 101, set()), (3, 102, set()), (4, 0, {0}), (5, 0, {1})])


#: Power cuts, of which some come while the store is made.
CUTS = share(200, 1000)


def cuts(
    number: int, sync: str = "FULL", honest: bool = True, early: bool = False, marks_ahead: bool = False
) -> Counter[str | None]:
    """So many runs cut short, one after the other on the same disk until something is wrong; what was found."""
    drive = Drive()
    found: Counter[str | None] = Counter()
    disk, runs = Disk(), Runs(random.Random(0))
    removed = 0
    for seed in range(number):
        # A journal grows over ten runs; then comes a new disk, which may be cut while the store is made.
        if seed % 10 == 0:
            removed += runs.removed
            disk, runs = Disk(), Runs(random.Random(seed), early=early, marks_ahead=marks_ahead)
        disk.honest = honest
        disk.cut_at = runs.rng.randint(1, 64)
        run(drive, disk, runs, sync=sync)
        disk = disk.after_cut(runs.rng)
        if honest and sync == "FULL" and "journal-wal" in disk.files:
            check_log(bytes(disk.files["journal-wal"].seen))  # a torn end is no damage
        later = disk.after_kill()
        wrong = next_run(drive, later, runs, groups=0)
        found[wrong] += 1
        if wrong is not None:
            disk, runs = Disk(), Runs(random.Random(seed + number), early=early, marks_ahead=marks_ahead)
        else:
            disk = later.after_kill()
    found["removed"] = removed
    return found


class PowerTests(SynchronousTestCase):
    """`gamehost.storage.store` on a disk that loses its power."""

    def test_nothing_acknowledged_is_lost(self) -> None:
        """Nothing is lost, nothing damaged, and there is always a beginning of what was sent."""
        found = cuts(CUTS)
        self.assertGreater(found.pop("removed"), CUTS // 10, "matches in which nobody has acted")
        self.assertEqual(found, {None: CUTS})

    def test_less_than_full_sync_is_caught(self) -> None:
        """With `synchronous=NORMAL` acknowledged entries are lost: the harness would see it."""
        self.assertGreater(cuts(100, sync="NORMAL")["lost"], 10)

    def test_a_disk_that_does_not_sync_is_caught(self) -> None:
        """A disk that only says that it has synced loses entries, or damages the store, and is found out."""
        found = cuts(100, honest=False)
        self.assertGreater(found["lost"] + found["corrupt"], 10)

    def test_saying_so_before_the_commit_is_caught(self) -> None:
        """An acknowledgement before the commit is a lie sooner or later."""
        self.assertGreater(cuts(100, early=True)["lost"], 10)

    def test_removing_what_the_mark_counts_is_caught(self) -> None:
        """A commit that the mark on the disk names stays, else a start would take the store for another one."""
        self.assertGreater(cuts(200, marks_ahead=True)["corrupt"], 5)


#: What SQLite is told: no space, and a broken disk.
FULL, BROKEN = apsw.FullError, apsw.IOError

#: The first run makes about so many calls.
CALLS = 500
#: So many groups make more calls than that.
GROUPS = 60
#: Those that fail once, one after the other, and those from which on all fail.
ONCE, FOR_GOOD = range(1, CALLS + 1, share(10, 1)), range(1, CALLS + 1, share(20, 4))


def failing(at: int, error: type[Exception], once: bool) -> Callable[[int, str], None]:
    """A fault at a call, or at that and all later ones. Reading is never refused for want of space."""

    def fault(call: int, name: str) -> None:
        if (call == at if once else call >= at) and not (error is FULL and name in ("read", "size", "access")):
            raise error("planted")

    return fault


def retrying(store: SqliteStore, changes: Sequence[Change]) -> None:
    """A planted fault: a failed commit is tried again."""
    try:
        store.commit(changes)
    except apsw.Error:
        store._failed = False
        if store.connection.in_transaction:
            store.connection.execute("ROLLBACK")
        with contextlib.suppress(KeyError, Damaged):
            store.commit(changes)
        store._failed = False


def swallowing(store: SqliteStore, changes: Sequence[Change]) -> None:
    try:
        store.commit(changes)
    except (apsw.Error, Damaged):  # the second one: the first row of a table was lost so
        store._failed = False


def faults(
    calls: Sequence[int], error: type[Exception], once: bool, commit: Commit = SqliteStore.commit
) -> Counter[str | None]:
    """A run that fails at each of these calls, and what the run after it finds."""
    drive = Drive()
    found: Counter[str | None] = Counter()
    for at in calls:
        runs = Runs(random.Random(at))
        disk = Disk(fault=failing(at, error, once))
        run(drive, disk, runs, commit, groups=GROUPS)
        found[next_run(drive, disk.after_kill(), runs, groups=3)] += 1
    return found


class FaultTests(SynchronousTestCase):
    def test_the_calls_are_that_many(self) -> None:
        """A run without faults makes more calls than are failed below: the last fault is met too."""
        disk = Disk()
        self.assertTrue(run(Drive(), disk, Runs(random.Random(1)), groups=GROUPS))
        self.assertGreater(disk.calls, CALLS)

    def test_a_disk_that_fails(self) -> None:
        """It has no space or is broken, once or for good: nothing that was acknowledged is lost."""
        for error in (FULL, BROKEN):
            self.assertEqual(faults(ONCE, error, once=True), {None: len(ONCE)})
            self.assertEqual(faults(FOR_GOOD, error, once=False), {None: len(FOR_GOOD)})

    def test_trying_again_is_caught(self) -> None:
        found = faults(range(1, CALLS, 10), BROKEN, once=True, commit=retrying)
        self.assertGreater(sum(found.values()) - found[None], 3)

    def test_taking_failure_for_success_is_caught(self) -> None:
        found = faults(range(1, CALLS, 10), FULL, once=False, commit=swallowing)
        self.assertGreater(found["lost"], 3)

    def test_nothing_is_written_after_a_failure(self) -> None:
        drive, runs = Drive(), Runs(random.Random(1))
        disk = Disk()
        store = open_on(drive, disk, Runs(random.Random(0)))
        runs.play(store, 3)
        disk.fault = failing(disk.calls + 1, BROKEN, once=True)
        self.assertRaises(apsw.IOError, runs.play, store, 1)
        self.assertRaises(StoreFailed, store.commit, [(TableId(1), OPENING)])
        connection = store.connection
        assert isinstance(connection, apsw.Connection)
        abandon(connection, disk)


def said(process: Process, lines: int) -> bytes:
    """What a victim said until it was killed, which is after so many lines."""
    assert process.stdout is not None
    pieces = []
    seen = 0
    while seen < lines:
        piece = os.read(process.stdout.fileno(), 4096)
        if not piece:
            break
        pieces.append(piece)
        seen += piece.count(b"\n")
    process.kill()
    pieces.append(process.stdout.read())
    process.wait()
    process.stdout.close()
    return b"".join(pieces)


class KillCase(SynchronousTestCase):
    def kill(self, times: int, seed: int) -> int:
        path = Path(self.mktemp()).absolute()
        rng = random.Random(seed)
        checked = 0
        for _ in range(times):
            process = start("tests.kit.kill_target", [str(path)], ROOT, {**os.environ, "PYTHONPATH": str(ROOT)})
            lines = said(process, rng.randint(1, 2000)).splitlines()
            self.assertEqual(process.returncode, -9, "it ran until it was killed")
            self.assertTrue(lines)
            checked += self.check(path, lines)
        return checked

    def check(self, path: Path, lines: list[bytes]) -> int:
        """See that what was said is so; the last line may be half of one."""
        told: dict[TableId, int] = {}
        for line in lines[:-1]:
            table, number = map(int, line.split())
            told[TableId(table)] = number
        with reading(path) as journal:
            held = {table.table: table.entries for table in journal.tables() if isinstance(table, Summary)}
            self.assertEqual(journal.verify().faults, [])
        for table, number in told.items():
            self.assertGreaterEqual(held[table], number)
        return len(lines)


class KillTests(KillCase):
    def test_what_was_said_is_there(self) -> None:
        self.assertGreater(self.kill(25, seed=1), 2500)
