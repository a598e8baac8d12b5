"""The journal on disk: what it promises to the host, what it keeps, and what it does not take for its own."""

import itertools
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from attrs import evolve

from gamehost.journal.records import Journal, StoreUnusable, TableId, TableRecord
from gamehost.storage import sqlite
from gamehost.storage.contents import UnreadableRow, put_uptime
from gamehost.storage.database import lock_owner
from gamehost.storage.durable import DurableJournal
from gamehost.storage.inspect import reading
from gamehost.storage.sidecar import read_mark
from gamehost.testing.cases import PropertyCase
from tests.kit.journal_contract import END, MOVE, OPENING, DurableJournalContract, nothing
from tests.kit.journals import JournalCase, records, rows

ROOT = Path(__file__).parents[2]
assert (ROOT / "gamehost" / "storage" / "sqlite.py").is_file()


class StoreCase(JournalCase):
    def setUp(self) -> None:
        super().setUp()
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        self.path = self.folder / "store.sqlite"

    def start(self, path: Path | None = None, **more: object) -> DurableJournal:
        journal = self.pump.open(path or self.path, **more)
        self.alive.append(journal)
        return journal

    def refusal(self, **more: object) -> str:
        return str(self.assertRaises(StoreUnusable, self.start, **more))


class SqliteJournalTests(DurableJournalContract, StoreCase):
    def setUp(self) -> None:
        super().setUp()
        self.counter = itertools.count()
        self.paths: dict[Journal, Path] = {}

    def new_journal(self) -> Journal:
        self.stop_all()
        path = self.folder / f"{next(self.counter)}.sqlite"
        journal = self.start(path)
        self.paths[journal] = path
        return journal

    def until_idle(self, journal: Journal) -> None:
        assert isinstance(journal, DurableJournal)
        self.pump.until_idle(journal)
        self.assertEqual(self.pump.broken, [])
        self.assertEqual(journal.unreadable, [])

    def next_run(self, journal: Journal) -> Journal:
        assert isinstance(journal, DurableJournal)
        path = self.paths.pop(journal)
        self.stop(journal)
        later = self.start(path)
        self.paths[later] = path
        return later


class LifeTests(StoreCase):
    def test_files_are_the_owners_alone(self) -> None:
        """Store, log and mark hold what nobody else may read; an old store with wider rights is narrowed."""
        journal = self.start()
        self.play(journal, 3)
        for name in ("store.sqlite", "store.sqlite-wal", "store.sqlite.hwm"):
            self.assertEqual(stat.S_IMODE((self.folder / name).stat().st_mode), 0o600, name)
        self.stop(journal)
        self.path.chmod(0o644)
        self.start()
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o600)

    def test_a_clean_stop_leaves_one_file_and_its_notes(self) -> None:
        """After a stop everything is in the store itself: copying it with its mark is a backup."""
        journal = self.start()
        self.play(journal, 3)
        self.stop(journal)
        names = {path.name for path in self.folder.iterdir()}
        self.assertEqual(names, {"store.sqlite", "store.sqlite.hwm"})

    def test_stop_commits_what_was_handed_over(self) -> None:
        journal = self.start()
        table = self.play(journal, 0)
        called: list[int] = []
        for number in range(50):
            journal.append(table, MOVE, partial(called.append, number))
        journal.stop(lambda: called.append(-1))
        self.alive.clear()
        self.pump.until(lambda: -1 in called)
        self.assertEqual(called, [*range(50), -1])
        later = self.start()
        self.assertEqual([len(record.entries) for record in records(later)], [50])

    def test_stopping_twice_is_stopping_once(self) -> None:
        journal = self.start()
        stopped: list[str] = []
        journal.stop(lambda: stopped.append("first"))
        journal.stop(lambda: stopped.append("second"))
        self.pump.until(lambda: len(stopped) == 2)
        journal.stop(lambda: stopped.append("late"))
        self.alive.clear()
        self.assertEqual(stopped, ["first", "second", "late"])

    def test_nothing_is_taken_after_stop(self) -> None:
        journal = self.start()
        table = self.play(journal, 0)
        self.stop(journal)
        self.assertRaises(ValueError, journal.append, table, MOVE, nothing)
        self.assertRaises(ValueError, journal.open, TableId(9), OPENING, nothing)

    def test_a_group_is_wrapped_once(self) -> None:
        """The callbacks of one commit run inside one context, so that what they write can be joined."""
        entered: list[str] = []

        @contextmanager
        def group() -> Iterator[None]:
            entered.append("[")
            yield
            entered.append("]")

        journal = self.start(group=group)
        table = journal.new_table()
        journal.open(table, OPENING, lambda: entered.append("opened"))
        for _ in range(20):
            journal.append(table, MOVE, lambda: entered.append("moved"))
        self.pump.until_idle(journal)
        text = "".join({"opened": "o", "moved": "m"}.get(word, word) for word in entered)
        self.assertEqual(text.replace("][", ""), "[o" + "m" * 20 + "]")
        self.assertNotIn("[]", text)

    def test_other_tables_change_with_the_same_group(self) -> None:
        journal = self.start()
        done: list[str] = []
        journal.also(put_uptime(7), lambda: done.append("noted"))
        journal.also(put_uptime(8), lambda: done.append("noted again"))
        self.pump.until_idle(journal)
        self.assertEqual(done, ["noted", "noted again"])
        self.stop(journal)
        self.assertEqual(self.start().uptime, 8)

    def test_a_finished_table_is_loaded(self) -> None:
        journal = self.start()
        table = self.play(journal, 1)
        journal.append(table, END, nothing)
        journal.told(table)
        for _ in range(2):
            loaded: list[TableRecord | str] = []
            journal.load(table, loaded.append)
            journal.load(TableId(99), loaded.append)
            self.pump.until_idle(journal)
            why = "table 99: all of its rows are missing"
            self.assertEqual(loaded, [TableRecord(table, OPENING, (MOVE, END)), why])
            for number in (table, TableId(99)):
                self.assertRaises(ValueError, journal.append, number, MOVE, nothing)
            self.stop(journal)
            journal = self.start()

    def test_an_opening_of_another_release_is_left_out_and_named(self) -> None:
        journal = self.start()
        opening = evolve(OPENING, game=7)  # type: ignore[arg-type]
        journal.open(journal.new_table(), opening, nothing)
        self.pump.until_idle(journal)
        self.stop(journal)
        later = self.start()
        self.assertEqual(records(later), [])
        why = "table 1: its opening cannot be read: it is damaged, or another release wrote it"
        self.assertEqual(later.unreadable, [UnreadableRow(TableId(1), why)])
        self.assertEqual(later.skipped, [why])

    def test_pragmas_are_in_force(self) -> None:
        """The connection that writes has what durability needs."""
        journal = self.start()
        for pragma, value in (
            ("journal_mode", "wal"),
            ("synchronous", 2),
            ("locking_mode", "normal"),
            ("busy_timeout", 0),
        ):
            self.assertEqual(rows(journal, f"PRAGMA {pragma}"), [(value,)])

    def test_a_failed_write_ends_everything(self) -> None:
        journal = self.start()
        table = self.play(journal, 1)
        called: list[str] = []
        no_number: Any = "seven"
        journal.also(put_uptime(no_number), lambda: called.append("never"))
        journal.append(table, MOVE, lambda: called.append("never"))
        self.pump.until(lambda: bool(self.pump.broken))
        journal.append(table, MOVE, lambda: called.append("never"))
        self.stop(journal)
        self.assertEqual(self.pump.broken, ["IntegrityError: cannot store TEXT value in INTEGER column uptime.seconds"])
        self.assertEqual(called, [])


class OwnershipTests(StoreCase):
    def test_a_second_host_is_refused_and_the_first_unharmed(self) -> None:
        journal = self.start(clock=lambda: 0.0)  # so that no mark is written meanwhile
        table = self.play(journal, 2)
        second = (
            "import sys; from pathlib import Path; from gamehost.storage.sqlite import open_journal\n"
            "from gamehost.journal.records import StoreUnusable\n"
            "try: open_journal(Path(sys.argv[1]), print, print)\n"
            "except StoreUnusable as error: print(error); sys.exit(3)"
        )
        before = {path.name: path.stat().st_size for path in self.folder.iterdir()}
        found = subprocess.run([sys.executable, "-c", second, self.path], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual((found.returncode, found.stderr), (3, ""))
        self.assertRegex(
            found.stdout, rf"^{self.path}: another host( \(process {os.getpid()}\))? has this journal open; "
        )
        self.assertIn("--store=second.sqlite", found.stdout)
        self.assertEqual({path.name: path.stat().st_size for path in self.folder.iterdir()}, before)
        journal.append(table, END, nothing)
        self.pump.until_idle(journal)
        self.assertEqual(self.pump.broken, [])

    def test_the_same_process(self) -> None:
        journal = self.start()
        self.play(journal, 2)
        self.assertIn(f"{self.path}: another host has this journal open; stop that host", self.refusal())
        with self.assertRaises(StoreUnusable) as caught, reading(self.path):
            pass
        self.assertIn("a host has this journal open; stop it first", str(caught.exception))
        self.stop(journal)
        self.start()

    def test_other_programs(self) -> None:
        """They can neither read nor write while a host has the store open, however they open it, and leave no file behind."""
        journal = self.start()
        self.play(journal, 2)
        program = (
            "import sqlite3, sys\n"
            "for how in ('', '&mode=ro', '&vfs=unix-excl'):\n"
            "  connection = sqlite3.connect(f'{sys.argv[1]}?timeout=0{how}', uri=True, timeout=0)\n"
            "  for statement in ('SELECT * FROM event', 'DELETE FROM event', 'PRAGMA wal_checkpoint', 'BEGIN EXCLUSIVE'):\n"
            "    try: print(connection.execute(statement).fetchall())\n"
            "    except sqlite3.OperationalError as error: print(error)\n"
        )
        before = {path.name for path in self.folder.iterdir()}
        found = subprocess.run([sys.executable, "-c", program, self.path.as_uri()], capture_output=True, text=True)
        self.assertEqual((found.stdout, found.stderr), ("database is locked\n" * 12, ""))
        # The host itself may be about to replace the high-water mark.
        after = {path.name for path in self.folder.iterdir() if path.suffix != ".new"}
        self.assertLessEqual(after, before)

    def test_a_store_that_could_be_shared(self) -> None:
        """Another process could read a log with an index in a file. A host refuses such a store."""
        self.patch(sqlite, "connect", lambda path: sqlite3.connect(path, isolation_level=None, check_same_thread=False))
        self.assertIn("SQLite cannot keep this store for one host alone", self.refusal())

    def test_the_folder_must_exist(self) -> None:
        error = self.assertRaises(StoreUnusable, self.start, self.folder / "no" / "store.sqlite")
        self.assertIn(f"the folder {self.folder / 'no'} does not exist", str(error))

    def test_a_folder_is_not_a_store(self) -> None:
        error = self.assertRaises(StoreUnusable, self.start, self.folder)
        self.assertIn("this is a folder", str(error))

    def test_other_files_are_left_alone(self) -> None:
        """Neither a text nor another program's database is taken for a journal, or changed; whoever could read it still can."""
        self.path.write_text("This is not a database, it is a letter.\n" * 300)
        self.assert_refused_untouched("not a journal, or a damaged one")
        self.path.unlink()
        with closing(sqlite3.connect(self.path)) as other:
            other.execute("CREATE TABLE recipe(words TEXT)")
        self.assert_refused_untouched("a database, but not a journal")

    def assert_refused_untouched(self, words: str) -> None:
        self.path.chmod(0o644)
        before = self.path.read_bytes()
        self.assertIn(words, self.refusal())
        self.assertEqual(self.path.read_bytes(), before)
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o644)

    def test_no_write_ahead_log_no_journal(self) -> None:
        (self.folder / "store.sqlite-wal").mkdir()
        self.assertRaises(StoreUnusable, self.start)


class FolderTests(StoreCase):
    def test_a_relative_path_is_meant_at_the_start(self) -> None:
        """A host that changes its folder afterwards, as daemons do, still writes beside its store."""
        here = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, here)
        journal = self.start(Path("relative.sqlite"))
        os.chdir(here)
        self.play(journal, 1)
        self.stop(journal)
        self.assertEqual(read_mark((self.folder / "relative.sqlite.hwm").read_text()).count, 2)


class LockOwnerTests(PropertyCase):
    def setUp(self) -> None:
        self.store, self.locks = Path(self.mktemp()), Path(self.mktemp())
        self.store.touch()

    def owner(self, *lines: str) -> int | None:
        """What a list of these lines says; `{file}` stands for the store."""
        status = self.store.stat()
        file = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
        self.locks.write_text("".join(line.format(file=file) + "\n" for line in lines))
        return lock_owner(self.store, self.locks)

    def test_owner(self) -> None:
        """Only a lock on this file counts, and only that of another process in the same container."""
        other = "1: POSIX  ADVISORY  WRITE 41 fe:00:1 0 EOF"
        self.assertEqual(self.owner(other, "2: POSIX  ADVISORY  WRITE 42 {file} 1073741824 1073742335"), 42)
        self.assertIsNone(self.owner(other))
        self.assertIsNone(self.owner(f"1: POSIX  ADVISORY  WRITE {os.getpid()} {{file}} 0 EOF"))
        self.assertIsNone(self.owner("1: POSIX  ADVISORY  WRITE 0 {file} 0 EOF", "something else"))

    def test_system_that_does_not_tell(self) -> None:
        self.assertIsNone(lock_owner(self.store, self.locks))
        self.assertIsNone(lock_owner(self.locks / "nowhere"))
