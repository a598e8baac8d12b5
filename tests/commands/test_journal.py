"""`gamehost journal`: on a file, on a database, and on the journal of a running host, whose rows come through the socket."""

import io
import os
import re
import sqlite3
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, redirect_stderr
from pathlib import Path
from typing import Any

from attrs import evolve
from msgspec.structs import replace

from gamehost.commands import journal as under_test
from gamehost.commands.command_line import NoHost
from gamehost.commands.journal import clock, main, moment, parser
from gamehost.commands.verify import GO_ON
from gamehost.games.base import Seat
from gamehost.games.drawing import Scene
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader, TableId
from gamehost.plugins import GAMES
from gamehost.storage.backup import back_up
from gamehost.storage.database import FileRows, SqliteDatabase
from gamehost.storage.inspect import reading
from gamehost.storage.questions import COLUMNS
from gamehost.storage.row_codec import Row, row_to_json
from gamehost.storage.sidecar import sidecar_path
from tests.journal.test_replay import played
from tests.kit.example_game import TOY, Toy
from tests.kit.journal_contract import BEGAN, END, MOVE, OPENING, nothing
from tests.kit.journals import records
from tests.kit.postgresql import PostgresCase
from tests.storage.test_sqlite import StoreCase


class Duel:
    """A game with one action, as far as the command asks."""

    version = 0

    def read(self, notation: bytes) -> str:
        if notation != b"boar b1-b2":
            raise ValueError("not a duel's action")
        return "boar"


class Sketched(Toy):
    """A toy game that can be drawn, as a list of what the picture would be made of."""

    def draw(self, scene: Scene) -> str:
        names = " ".join(scene.names)
        return f"{names} {scene.view.count} {scene.seat} {scene.source} {scene.moves} {scene.standstill} \u2694\n"


class CommandCase(StoreCase):
    games: Any = {"onitama": Duel(), "duel": Duel()}

    def setUp(self) -> None:
        super().setUp()
        journal = self.start(wall=lambda: 1_700_000_000.0)
        table = journal.new_table()
        journal.open(table, OPENING, nothing)
        for entry in (BEGAN, MOVE, END):
            journal.append(table, entry, nothing)
        table = journal.new_table()
        evil = SeatRecord("Eve\x1b[2J", "stratego-lines", "192.0.2.7", account=True)
        journal.open(table, TableHeader("duel", 3, (evil,), {"a": "1\n2"}), nothing)
        journal.append(table, Entry(EntryKind.ACTED, 3_723_004, Seat(0), b"caf\xe9\n"), nothing)
        journal.append(table, Entry(EntryKind.EXPIRED, 3_723_005), nothing)
        self.stop(journal)

    def run_command(self, *words: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        return main([*words, "--store", str(self.path)], self.games.get, out, err), out.getvalue(), err.getvalue()

    def add(self, opening: TableHeader, *entries: Entry) -> str:
        journal = self.start()
        records(journal)
        table = journal.new_table()
        journal.open(table, opening, nothing)
        for entry in entries:
            journal.append(table, entry, nothing)
        self.stop(journal)
        return str(table)


class JournalCommandTests(CommandCase):
    def test_list(self) -> None:
        expected = (
            "1  2023-11-14T22:13:20Z  onitama  Ann (onitama), Bob (onitama)  3 entries  finished: seat 1 was given up\n"
            "2  2023-11-14T22:13:20Z  duel  Eve\\x1b[2J (stratego-lines)  2 entries  unfinished\n"
        )
        self.assertEqual(self.run_command("list"), (0, expected, ""))

    def test_show(self) -> None:
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

    def test_the_newest_are_listed(self) -> None:
        """Programs read the lines of tables, so the last words are elsewhere."""
        everything = self.run_command("list", "--all")
        self.patch(under_test, "LISTED", 1)
        newest = everything[1].splitlines(keepends=True)[-1]
        more = "the newest 1; up to 1 older tables are shown with --all\n"
        self.assertEqual(self.run_command("list"), (0, newest, more))
        self.assertEqual(self.run_command("list", "--all"), everything)
        self.add(OPENING, BEGAN)
        self.assertIn("up to 2 older tables", self.run_command("list")[2])

    def test_prune(self) -> None:
        journal = self.start()
        journal.told(TableId(1))
        self.stop(journal)
        archive = self.path.with_name("store.sqlite.before-2024-01-01")
        self.assertEqual(self.run_command("prune", "--before=2020-01-01")[0], 1)
        self.assertEqual(
            self.run_command("prune", "--before=2024-01-01"), (0, f"{archive}: 1 tables with 4 rows moved\n", "")
        )
        status, _, words = self.run_command("prune", "--before=2024-01-01")
        self.assertEqual(status, 1)
        self.assertIn("this file exists", words)

    def test_backup(self) -> None:
        """A host can start on the copy, and every row of it is right; the copy is its owner's alone."""
        copy = self.folder / "copy.sqlite"
        self.assertEqual(self.run_command("backup", str(copy)), (0, f"{copy}: 7 rows and 0 accounts copied\n", ""))
        self.assertEqual(stat.S_IMODE(copy.stat().st_mode), 0o600)
        listed = self.run_command("list")
        self.path.unlink()
        self.path = copy
        self.assertEqual(self.run_command("verify")[0], 0)
        self.assertEqual(self.run_command("list"), listed)
        self.stop(self.start(copy))

    def test_backup_that_cannot_be_made(self) -> None:
        for target in (self.path, self.folder / "nowhere" / "copy.sqlite"):
            status, out, err = self.run_command("backup", str(target))
            self.assertEqual((status, out), (1, ""))
            self.assertIn(str(target), err)
        self.assertEqual(self.run_command("verify")[0], 0)
        self.start()
        self.assertIn("has this journal open", self.run_command("backup", str(self.folder / "copy.sqlite"))[2])
        self.assertFalse((self.folder / "copy.sqlite").exists())

    def test_who_has_read_enough(self) -> None:
        """A reader that goes away, as `head` does, is no fault of the journal's."""
        reader, writer = os.pipe()
        os.close(reader)
        err = io.StringIO()
        with open(writer, "w", encoding="utf-8") as out:
            status = main(["show", "1", "--store", str(self.path)], self.games.get, out, err)
        self.assertEqual((status, err.getvalue()), (0, ""))

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
        status, out, err = self.run_command("show", "9")
        self.assertEqual((status, out), (1, ""))
        self.assertEqual(err, f"gamehost journal: {self.path}: there is no table 9 in this journal\n")
        for verb in ("show", "draw"):
            with redirect_stderr(io.StringIO()) as said:
                self.assertRaises(SystemExit, parser().parse_args, [verb, str(10**20)])
            self.assertIn(f"expected the number of a table, got '{10**20}'", said.getvalue())

    def test_verify(self) -> None:
        self.assertEqual(self.run_command("verify"), (0, "2 tables, 7 rows: no faults\n", ""))
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            connection.execute("UPDATE event SET seat = 1 WHERE game = 1 AND n = 1")
        expected = f"table 1: row 1 does not match its hash\n2 tables, 7 rows: 1 fault\n{GO_ON}\n"
        self.assertEqual(self.run_command("verify"), (1, expected, ""))

    def test_a_journal_that_cannot_be_read(self) -> None:
        self.start()
        for words in (("list",), ("show", "1"), ("draw", "1"), ("verify",)):
            status, out, err = self.run_command(*words)
            self.assertEqual((status, out), (1, ""))
            self.assertIn("has this journal open; stop it first", err)

    def test_words(self) -> None:
        self.assertEqual(clock(0), "0:00:00.000")
        self.assertEqual(moment(10**18), "(no date)")


class DrawTests(CommandCase):
    games: Any = {"toy": Sketched(), "duel": Duel()}

    def setUp(self) -> None:
        super().setUp()
        seats = (SeatRecord("Eve\x9b2J", "toy"), SeatRecord("Zo\u00eb", "toy"))
        self.opening = TableHeader("toy", 1, seats, {"goal": "100"})
        self.table = self.add(self.opening, *played(4))

    def no_picture(self, *words: str) -> str:
        status, out, err = self.run_command("draw", *words)
        self.assertEqual((status, out), (1, ""))
        self.assertTrue(err.startswith("gamehost journal: ") and err.count("\n") == 1, err)
        return err

    def drawn(self, *words: str) -> str:
        status, out, err = self.run_command("draw", self.table, *words)
        self.assertEqual((status, err), (0, ""))
        return re.sub("[0-9]{4}-[0-9]{2}-[0-9]{2}", "DATE", out)

    def test_on_the_screen(self) -> None:
        """Names are shown as everywhere else; the table and its date are named."""
        self.assertEqual(self.drawn(), "Eve\\x9b2J Zo\u00eb 4 None table 3, DATE True  \u2694\n")

    def test_of_a_seat_and_of_an_earlier_moment(self) -> None:
        words = self.drawn("--seat=1", "--entry=3", "--no-moves")
        self.assertEqual(words, "Eve\\x9b2J Zo\u00eb 2 1 table 3, DATE False  \u2694\n")

    def test_to_a_file(self) -> None:
        path = self.folder / "picture.svg"
        self.assertEqual(self.run_command("draw", self.table, "--output", str(path)), (0, "", ""))
        self.assertIn("table 3", path.read_bytes().decode("utf-8"))

    def test_nothing_is_written_over(self) -> None:
        """Not even by mistake: the name may be that of the journal."""
        before = self.path.read_bytes()
        self.assertIn("store.sqlite: this file exists", self.no_picture(self.table, "--output", str(self.path)))
        self.assertEqual(self.path.read_bytes(), before)

    def test_a_file_that_cannot_be_written_is_named(self) -> None:
        path = Path("nowhere") / "picture.svg"
        self.assertEqual(
            self.no_picture(self.table, "--output", str(path)),
            f"gamehost journal: {path}: No such file or directory\n",
        )

    def test_a_game_without_pictures(self) -> None:
        expected = (
            f"gamehost journal: {self.path}: table 2 is of duel, a game that has no picture; 'show' lists its moves\n"
        )
        self.assertEqual(self.no_picture("2"), expected)
        table = self.add(TableHeader("go\x1b", 1, OPENING.seats), BEGAN)
        self.assertIn("is of go\\x1b, a game that has no picture", self.no_picture(table))

    def test_other_rules(self) -> None:
        table = self.add(TableHeader("toy", 2, OPENING.seats), BEGAN)
        self.assertIn("toy, rules 2; only matches under rules 1 can be drawn", self.no_picture(table))

    def test_what_is_not_there(self) -> None:
        self.assertIn("there is no seat 2; expected 0 to 1", self.no_picture(self.table, "--seat=2"))
        self.assertIn("has no entry 9; expected 1 to 5", self.no_picture(self.table, "--entry=9"))
        self.assertIn("there is no table 9 in this journal", self.no_picture("9"))
        self.assertIn("the match has not begun", self.no_picture(self.add(self.opening)))
        wrong = self.add(self.opening, *played(1), Entry(EntryKind.ACTED, 5, Seat(1), b"+7"))
        self.assertIn("its record does not fit the rules: entry 3", self.no_picture(wrong))

    def test_a_match_that_was_put_away(self) -> None:
        table = self.add(self.opening, *played(2), Entry(EntryKind.ARCHIVED, 5))
        self.assertIn("The match was put away unfinished", self.run_command("draw", table)[1])


class NotationTests(CommandCase):
    games: Any = {"toy": TOY, "duel": Duel()}

    def setUp(self) -> None:
        super().setUp()
        seats = (SeatRecord("ann", "toy"), SeatRecord("bob", "toy"))
        self.table = self.add(TableHeader("toy", 1, seats, {"goal": "100"}), *played(4))

    def test_there_and_back(self) -> None:
        status, text, err = self.run_command("show", self.table, "--notation")
        self.assertEqual((status, err), (0, ""))
        self.assertTrue(text.startswith('[Game "toy"]\n[Rules "1"]\n[Table "3"]\n[Date "20'))
        path = self.folder / "match.txt"
        path.write_text(text, "utf-8")
        out, err_ = io.StringIO(), io.StringIO()
        self.assertEqual(main(["read", str(path)], self.games.get, out, err_), 0)
        self.assertEqual(out.getvalue(), "toy, ann, bob: 5 entries replayed; not finished\n")

    def test_what_cannot_be_read(self) -> None:
        path = self.folder / "match.txt"
        good = self.run_command("show", self.table, "--notation")[1]
        for text, reason in (
            ("hello", 'line 1: expected a tag such as [Game "onitama"]'),
            (good.replace("+1", "+7", 1), "entry 2: "),
            (good.replace('"toy"]', '"go"]', 1), "go, rules 1, is not played here"),
            (good.replace('"100"', '"x"', 1), "goal"),
            ("\udcff", "utf-8"),
        ):
            path.write_text(text, "utf-8", "surrogateescape")
            out, err = io.StringIO(), io.StringIO()
            self.assertEqual((main(["read", str(path)], self.games.get, out, err), out.getvalue()), (1, ""))
            self.assertIn(reason, err.getvalue())
            self.assertEqual(err.getvalue().count("\n"), 1)


class ReplayTests(CommandCase):
    """`verify` plays every table again whose game is played here."""

    games: Any = {"onitama": Duel(), "toy": TOY}

    def setUp(self) -> None:
        super().setUp()
        seats = (SeatRecord("Ann", "toy"), SeatRecord("Bob", "toy"))
        self.opening = TableHeader("toy", 1, seats, {"goal": "100"})

    def test_a_record_that_fits_has_no_faults(self) -> None:
        self.add(self.opening, *played(20))
        self.add(self.opening, *played(20), Entry(EntryKind.ARCHIVED, 99))
        self.add(self.opening, *played(100))
        self.add(self.opening)
        self.assertEqual(self.run_command("verify"), (0, "6 tables, 155 rows: no faults\n", ""))

    def test_a_record_that_does_not(self) -> None:
        record = played(20)
        record[7] = replace(record[7], check=b"12345678")
        self.add(self.opening, *record)
        self.add(self.opening, BEGAN)
        self.add(self.opening, *played(20))
        self.add(evolve(self.opening, version=2), *record)
        expected = (
            "table 3: entry 8: its moves give another position under this release's rules\n"
            "table 4: entry 1: the record has numbers that the rules did not draw\n"
            "6 tables, 75 rows: 2 faults\n"
        )
        self.assertEqual(self.run_command("verify"), (1, expected, ""))

    def test_rules_that_break(self) -> None:
        record = played(2)
        record[1] = replace(record[1], notation=b"+0")
        self.add(self.opening, *record)
        status, out, err = self.run_command("verify")
        self.assertEqual((status, err), (1, ""))
        self.assertIn("table 3: it cannot be replayed: RuntimeError: planted\n", out)


class LiveTests(CommandCase):
    def setUp(self) -> None:
        super().setUp()
        self.offline = {
            words: self.run_command(*words)
            for words in (("list",), ("list", "--all"), ("show", "1"), ("show", "9"), ("verify",))
        }
        self.socket = sidecar_path(self.path, ".admin")
        self.socket.touch()
        self.asked: list[str] = []
        self.patch(under_test, "answers", self.answers)
        self.start()

    def answers(self, path: Path, request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        self.assertEqual(path, self.socket)
        [host] = self.alive
        connection, arguments = host.backups._store.connection, request["arguments"]  # type: ignore[union-attr]
        self.asked.append(request["command"] + " with faults" * arguments.get("accept_faults", False))
        found: Sequence[Row]
        end: dict[str, Any] = {}
        match request["command"]:
            case "journal rows":
                found = FileRows(SqliteDatabase(connection)).rows(arguments["table"])
            case "journal newest":
                found, older = FileRows(SqliteDatabase(connection)).newest(arguments["most"])
                end["older"] = older
            case "journal ends":
                found = list(FileRows(SqliteDatabase(connection)).first_and_last(0, 99))
            case _:
                if Path(arguments["file"]).exists():
                    yield {"error": "planted", "status": 1}
                    return
                held = back_up(connection, Path(arguments["file"]))
                yield {"end": {"rows": held.count, "accounts": held.accounts}}
                return
        for row in found:
            yield {"item": {"row": row_to_json(row)}}
        yield {"end": end}

    def test_as_from_the_file(self) -> None:
        for words, expected in self.offline.items():
            self.assertEqual(self.run_command(*words), expected)
        self.assertEqual(
            self.asked, ["journal newest", "journal ends", "journal rows", "journal rows", "backup with faults"]
        )
        self.assertEqual([path for path in self.folder.iterdir() if "verify" in path.name], [])

    def test_backup(self) -> None:
        """The host makes it, where this process would; it may refuse."""
        copy = self.folder / "copy.sqlite"
        self.assertEqual(self.run_command("backup", str(copy)), (0, f"{copy}: 7 rows and 0 accounts copied\n", ""))
        with reading(copy) as journal:
            self.assertEqual(journal.verify().faults, [])
        self.assertEqual(self.run_command("backup", str(copy)), (1, "", f"gamehost journal: {self.path}: planted\n"))

    def test_prune_needs_the_store_alone(self) -> None:
        status, _, err = self.run_command("prune", "--before=2024-01-01")
        self.assertEqual(status, 1)
        self.assertIn("has this journal open; stop it first", err)

    def test_without_a_socket_the_message_says_what_can_be_done(self) -> None:
        self.socket.unlink()
        status, _, err = self.run_command("list")
        self.assertEqual(status, 1)
        self.assertIn("stop it first, or start it with a socket for gamehost admin", err)

    def test_a_host_that_does_not_answer(self) -> None:
        def no_answers(path: Path, request: object) -> Iterator[Mapping[str, Any]]:
            raise NoHost("nobody there")
            yield {}

        self.patch(under_test, "answers", no_answers)
        self.assertEqual(self.run_command("list"), (1, "", f"gamehost journal: {self.path}: nobody there\n"))


class RowsTests(CommandCase):
    def test_rows_and_ends(self) -> None:
        with closing(sqlite3.connect(self.path)) as connection:
            stored = [Row._make(row) for row in connection.execute(f"SELECT {COLUMNS.sqlite} FROM event ORDER BY seq")]
        journal = self.start()
        found: list[Row] = []
        journal.read_rows(TableId(1), found.extend)
        journal.read_rows(TableId(9), found.extend)
        self.pump.until_idle(journal)
        self.assertEqual(found, stored[:3])
        found.clear()
        journal.read_ends(1, int(journal.last_table) + 1, found.extend)
        self.pump.until_idle(journal)
        self.assertEqual([(row.game, row.n) for row in found], [(1, 0), (1, 3), (2, 0), (2, 2)])


class DatabaseTests(PostgresCase):
    def setUp(self) -> None:
        super().setUp()
        self.journal = self.start(wall=lambda: 1_700_000_000.0)
        for _ in range(3):
            table = self.play(self.journal, 0)
            self.journal.append(table, END, nothing)
            self.journal.told(table)
        self.until_idle(self.journal)
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def call(self, *words: str, status: int = 0) -> str:
        printed = io.StringIO()
        self.assertEqual(under_test.main(words, GAMES.get, printed, printed), status, printed.getvalue())
        return printed.getvalue()

    def test_list_show_and_verify(self) -> None:
        lines = self.call("list", "--store", self.url).splitlines()
        self.assertEqual(len(lines), 3)
        self.assertIn("1  2023-11-14T22:13:20Z  onitama  Ann (onitama), Bob (onitama)  1 entry  finished", lines[0])
        self.assertIn("gave up the seat", self.call("show", "2", "--store", self.url))
        self.patch(under_test, "LISTED", 2)
        more = "the newest 2; up to 1 older tables are shown with --all"
        self.assertEqual(self.call("list", "--store", self.url).splitlines(), [*lines[1:], more])
        self.assertEqual(self.call("list", "--all", "--store", self.url).splitlines(), lines)
        self.assertIn("3 tables, 6 rows: no faults", self.call("verify", "--store", self.url))

    def test_copies(self) -> None:
        """
        A backup is made with the tools of the database; `copy` needs a store that no host uses. Matches in which nobody has
        acted leave with the host.
        """
        file = str(self.folder / "copy.sqlite")
        self.assertIn("pg_dump or pg_basebackup", self.call("backup", file, "--store", self.url, status=1))
        self.assertIn("stop it first", self.call("copy", self.url, file, status=1))
        self.stop(self.journal)
        self.assertIn("1 tables with 2 rows, and 0 accounts copied and checked", self.call("copy", self.url, file))
        self.assertEqual(self.call("list", "--store", file), self.call("list", "--store", self.url))

    def test_the_archive_of_a_database_is_a_file(self) -> None:
        archive = str(self.folder / "archive.sqlite")
        words = ("prune", "--before", "2024-01-01", "--archive", archive, "--store", self.url)
        self.assertIn("2 tables with 4 rows moved", self.call(*words))
        self.assertEqual(len(self.call("list", "--store", archive).splitlines()), 2)
