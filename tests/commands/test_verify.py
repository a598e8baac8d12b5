"""`gamehost journal verify` can be stopped and goes on, says how far it is, and never counts what it has not seen."""

import io
import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

from gamehost.commands import verify as under_test
from gamehost.commands.verify import STOPPED, Progress, verify
from gamehost.games.base import Seat
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader, TableId
from gamehost.storage.inspect import reading
from tests.commands.test_journal import CommandCase
from tests.journal.test_replay import played
from tests.kit.example_game import TOY
from tests.kit.journal_contract import nothing
from tests.kit.journals import records

SEATS = (SeatRecord("Ann", "toy"), SeatRecord("Bob", "toy"))
OPENING = TableHeader("toy", 1, SEATS, {"goal": "100"})


class Interrupting:
    """The toy game. Somebody presses Ctrl-C at the replay of one of its matches."""

    def __init__(self) -> None:
        self.replays = 0
        self.stop_at = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(TOY, name)

    def new_master(self, *arguments: Any) -> Any:
        self.replays += 1
        if self.replays == self.stop_at:
            raise KeyboardInterrupt
        return TOY.new_master(*arguments)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class VerifyCase(CommandCase):
    """Tables 3 to 10 are of the toy game."""

    def setUp(self) -> None:
        super().setUp()
        self.toy = Interrupting()
        self.games = {"toy": self.toy}
        for _ in range(8):
            self.add(OPENING, *played(4))
        self.patch(under_test, "TOGETHER", 2)
        self.notes = self.path.with_name(f"{self.path.name}.verified")

    def replays(self, stop_at: int = 0) -> tuple[int, tuple[int, str, str]]:
        """A run, and how many tables it replays."""
        self.toy.replays, self.toy.stop_at = 0, stop_at
        said = self.run_command("verify")
        return self.toy.replays, said


class StoppedTests(VerifyCase):
    def test_it_goes_on(self) -> None:
        """What was replayed is not replayed again. After a whole run, nothing is kept."""
        replays, said = self.replays(stop_at=6)
        expected = (
            "gamehost journal: stopped behind table 7 of 10: no faults so far; the same command continues there\n"
        )
        self.assertEqual((replays, said), (6, (STOPPED, "", expected)))
        replays, said = self.replays()
        earlier = "7 tables were replayed by an earlier run, and their rows are still the same\n"
        self.assertEqual((replays, said), (3, (0, "10 tables, 55 rows: no faults\n", earlier)))
        self.assertFalse(self.notes.exists())
        self.assertEqual(self.replays(), (8, (0, "10 tables, 55 rows: no faults\n", "")))

    def test_stopped_again(self) -> None:
        self.replays(stop_at=4)
        self.replays(stop_at=3)
        self.assertEqual(self.replays()[0], 3)

    def test_what_has_changed_since(self) -> None:
        """It is read in each run, and replayed again."""
        self.replays(stop_at=6)
        journal = self.start()
        records(journal)
        journal.append(TableId(4), Entry(EntryKind.ACTED, 5, Seat(1), b"+1"), nothing)
        self.stop(journal)
        replays, (status, out, _) = self.replays()
        self.assertEqual((replays, status), (5, 1))
        self.assertIn("table 4: entry 6: the rules refuse it", out)
        self.replays(stop_at=6)
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            connection.execute("UPDATE event SET at_ms = 99 WHERE game = 3 AND n = 0")
        self.assertIn("table 3: row 0 does not match its hash", self.replays()[1][1])

    def test_other_rules(self) -> None:
        """A release with other rules replays all."""
        self.replays(stop_at=6)
        self.patch(under_test, "__version__", "another")
        self.assertEqual(self.replays()[0], 8)

    def test_faults_are_told_and_found_again(self) -> None:
        record = played(4)
        bad = self.add(OPENING, record[0], record[2])
        for _ in range(4):
            self.add(OPENING, *played(4))
        replays, (status, out, err) = self.replays(stop_at=13)
        self.assertEqual((replays, status), (13, STOPPED))
        self.assertIn(f"table {bad}: entry 2: the rules refuse it", out)
        self.assertIn("1 fault so far", err)
        replays, (status, again, _) = self.replays()
        self.assertEqual((replays, status), (4, 1))
        self.assertIn(out, again)

    def test_notes_that_are_torn_or_cannot_be_written(self) -> None:
        self.replays(stop_at=6)
        self.notes.write_bytes(self.notes.read_bytes()[:-9] + b"\xff")
        self.assertEqual(self.replays()[0], 5)
        self.notes.mkdir()
        _, (status, _, err) = self.replays(stop_at=6)
        self.assertEqual(status, STOPPED)
        self.assertIn("no note could be written, so the next run starts from the beginning", err)


class WorkTests(VerifyCase):
    def test_no_question_for_each_table(self) -> None:
        """A table is replayed from the rows that were checked. To ask for each once more takes as long as all commits are."""
        asked = []
        for more in (0, 8):
            for _ in range(more):
                self.add(OPENING, *played(4))
            statements: list[str] = []
            with reading(self.path) as journal:
                journal.database.connection.set_trace_callback(statements.append)
                self.assertEqual(verify(journal, Path(self.mktemp()), self.games.get, io.StringIO(), io.StringIO()), 0)
            asked.append(len(statements))
        self.assertEqual((asked[0], self.toy.replays), (asked[1], 8 + 16))


class ProgressTests(VerifyCase):
    def shown(self, err: io.StringIO, tick: float) -> str:
        times = count()
        with reading(self.path) as journal:
            beside = Path(self.mktemp())
            self.assertEqual(verify(journal, beside, self.games.get, io.StringIO(), err, lambda: tick * next(times)), 0)
        return err.getvalue()

    def test_on_a_terminal(self) -> None:
        """One line, which is gone at the end."""
        shown = self.shown(Terminal(), 0.5)
        self.assertRegex(shown, r"^(\r\[[# ]{30}\] table \d+ of 10(, \d+:\d\d left)?\x1b\[K)+\r\x1b\[K$")
        self.assertIn("table 9 of 10, 0:01 left", shown)

    def test_elsewhere(self) -> None:
        """A line now and then."""
        lines = self.shown(io.StringIO(), 10.0).splitlines()
        self.assertIn(len(lines), range(2, 8))
        self.assertRegex(lines[-1], r"^table \d+ of 10, \d+:\d\d left$")

    def test_a_short_run(self) -> None:
        for err in (Terminal(), io.StringIO()):
            self.assertEqual(self.shown(err, 0.01), "")

    def test_a_bar(self) -> None:
        err, times = Terminal(), iter((0.0, 0.0, 100.0, 101.0))
        progress = Progress(lambda: 101, err, lambda: next(times))
        for table in (1, 51):
            progress.checked(table)
        self.assertEqual(err.getvalue(), f"\r[{'#' * 15:30}] table 51 of 101, 1:40 left\x1b[K")
