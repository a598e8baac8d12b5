"""`gamehost journal` shows what the journal holds, escaped where it must be, and its status says what was found."""

import io
import sqlite3
from contextlib import closing
from typing import Any

from gamehost.journal import Entry, Kind, Opening, SeatRecord
from gamehost.journal_command import clock, main, moment, printable
from gamehost.master import Seat
from tests.journal_contract import BEGAN, END, MOVE, OPENING, nothing
from tests.storage.test_sqlite import StoreCase


class Duel:
    """A game with one action, as far as the command asks."""

    def read(self, notation: bytes) -> str:
        if notation != b"boar b1-b2":
            raise ValueError("not a duel's action")
        return "boar"


class JournalCommandTests(StoreCase):
    """What `gamehost.journal_command` says of itself."""

    def setUp(self) -> None:
        super().setUp()
        journal = self.start(wall=lambda: 1_700_000_000.0)
        table = journal.new_table()
        journal.open(table, OPENING, nothing)
        for entry in (BEGAN, MOVE, END):
            journal.append(table, entry, nothing)
        table = journal.new_table()
        evil = SeatRecord("Eve\x1b[2J", "stratego-lines", "192.0.2.7", account=True)
        journal.open(table, Opening("duel", 3, (evil,), {"a": "1\n2"}), nothing)
        journal.append(table, Entry(Kind.ACTED, 3_723_004, Seat(0), b"caf\xe9\n"), nothing)
        journal.append(table, Entry(Kind.EXPIRED, 3_723_005), nothing)
        self.stop(journal)

    def run_command(self, *words: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        games: Any = {"onitama": Duel(), "duel": Duel()}
        return main([*words, "--store", str(self.path)], games, out, err), out.getvalue(), err.getvalue()

    def test_list(self) -> None:
        """One line a table."""
        expected = (
            "1  2023-11-14T22:13:20Z  onitama  Ann (onitama), Bob (onitama)  3 entries  finished: seat 1 was given up\n"
            "2  2023-11-14T22:13:20Z  duel  Eve\\x1b[2J (stratego-lines)  2 entries  unfinished\n"
        )
        self.assertEqual(self.run_command("list"), (0, expected, ""))

    def test_show(self) -> None:
        """A head, then one line an entry, in the game's notation."""
        expected = (
            "table 1: onitama, rules 1, opened 2023-11-14T22:13:20Z\n"
            "seat 0: Ann, guest, by onitama\n"
            "seat 1: Bob, guest, by onitama\n"
            "set move_time=30\n"
            "   1  0:00:00.000  the match began  (drawn: 3 1 4)\n"
            "   2  0:00:01.200  seat 0  boar b1-b2\n"
            "   3  0:00:02.400  seat 1  gave up the seat  => seat 1 was given up\n"
        )
        self.assertEqual(self.run_command("show", "1"), (0, expected, ""))

    def test_show_escapes(self) -> None:
        """Nothing that a player sent reaches the terminal raw, and what the game cannot read is marked."""
        expected = (
            "table 2: duel, rules 3, opened 2023-11-14T22:13:20Z\n"
            "seat 0: Eve\\x1b[2J, account, by stratego-lines, from 192.0.2.7\n"
            "set a=1\\n2\n"
            "   1  1:02:03.004  seat 0  caf\\xe9\\n (not this game's notation)\n"
            "   2  1:02:03.005  the time ran out\n"
        )
        self.assertEqual(self.run_command("show", "2"), (0, expected, ""))

    def test_show_of_no_table(self) -> None:
        """A number that is not there."""
        status, out, err = self.run_command("show", "9")
        self.assertEqual((status, out), (1, ""))
        self.assertEqual(err, f"gamehost journal: {self.path}: there is no table 9 in this journal\n")

    def test_verify(self) -> None:
        """A sound journal, and one that was changed."""
        self.assertEqual(self.run_command("verify"), (0, "2 tables, 7 rows: all is as it was written\n", ""))
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            connection.execute("UPDATE event SET at_ms = 1 WHERE game = 1 AND n = 2")
        expected = "table 1: row 2 is not as it was written\n2 tables, 7 rows: 1 fault\n"
        self.assertEqual(self.run_command("verify"), (1, expected, ""))

    def test_a_journal_that_cannot_be_read(self) -> None:
        """Every verb says why, and its status is not 0."""
        self.start()
        for words in (("list",), ("show", "1"), ("verify",)):
            status, out, err = self.run_command(*words)
            self.assertEqual((status, out), (1, ""))
            self.assertIn("a host has this journal open", err)

    def test_words(self) -> None:
        """Times and texts as they are shown."""
        self.assertEqual(clock(0), "0:00:00.000")
        self.assertEqual(moment(10**18), "(no date)")
        self.assertEqual(printable("a\tb\u202e\U0001f600"), "a\\tb\\u202e\U0001f600")
