"""The journal of a running host: its rows come through the socket, and are shown as from the file."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from gamehost.commands import journal as under_test
from gamehost.commands.command_line import NoHost
from gamehost.journal.records import TableId
from gamehost.storage.backup import back_up
from gamehost.storage.inspect import reading
from gamehost.storage.reads import COLUMNS
from gamehost.storage.row_codec import Row, row_to_json
from gamehost.storage.sidecar import sidecar_path
from tests.commands.test_journal import CommandCase


class LiveTests(CommandCase):
    """A host has the store open, and answers from it."""

    def setUp(self) -> None:
        super().setUp()
        self.offline = {
            words: self.run_command(*words) for words in (("list",), ("show", "1"), ("show", "9"), ("verify",))
        }
        self.socket = sidecar_path(self.path, ".admin")
        self.socket.touch()
        self.asked: list[str] = []
        self.patch(under_test, "answers", self.answers)
        self.start()

    def answers(self, path: Path, request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """What the host answers."""
        self.assertEqual(path, self.socket)
        [host] = self.alive
        connection, arguments = host.backups._store.connection, request["arguments"]  # type: ignore[union-attr]
        self.asked.append(request["command"] + " with faults" * arguments.get("accept_faults", False))
        match request["command"]:
            case "journal rows":
                sql = f"SELECT {COLUMNS.sqlite} FROM event WHERE game = {arguments['table']} ORDER BY n"
            case "journal ends":
                ends = "SELECT game, max(n) FROM event GROUP BY game"
                sql = f"SELECT {COLUMNS.sqlite} FROM event WHERE n = 0 OR (game, n) IN ({ends}) ORDER BY game, n"
            case _:
                if Path(arguments["file"]).exists():
                    yield {"error": "planted", "status": 1}
                    return
                held = back_up(connection, Path(arguments["file"]))
                yield {"end": {"rows": held.count, "accounts": held.accounts}}
                return
        for row in connection.execute(sql).fetchall():
            yield {"item": {"row": row_to_json(Row._make(row))}}
        yield {"end": {}}

    def test_as_from_the_file(self) -> None:
        """The same output and the same status. A check looks at a copy, which is deleted then."""
        for words, expected in self.offline.items():
            self.assertEqual(self.run_command(*words), expected)
        self.assertEqual(self.asked, ["journal ends", "journal rows", "journal rows", "backup with faults"])
        self.assertEqual([path for path in self.folder.iterdir() if "verify" in path.name], [])

    def test_backup(self) -> None:
        """The host makes it, where this process would; it may refuse."""
        copy = self.folder / "copy.sqlite"
        self.assertEqual(self.run_command("backup", str(copy)), (0, f"{copy}: 7 rows and 0 accounts copied\n", ""))
        with reading(copy) as journal:
            self.assertEqual(journal.verify().faults, [])
        self.assertEqual(self.run_command("backup", str(copy)), (1, "", f"gamehost journal: {self.path}: planted\n"))

    def test_prune(self) -> None:
        """It needs the store alone, and says so."""
        status, _, err = self.run_command("prune", "--before=2024-01-01")
        self.assertEqual(status, 1)
        self.assertIn("has this journal open; stop it first", err)

    def test_a_host_without_a_socket(self) -> None:
        """The message says what can be done."""
        self.socket.unlink()
        status, _, err = self.run_command("list")
        self.assertEqual(status, 1)
        self.assertIn("stop it first, or start it with a socket for gamehost admin", err)

    def test_a_host_that_does_not_answer(self) -> None:
        """Its own reason is shown."""

        def no_answers(path: Path, request: object) -> Iterator[Mapping[str, Any]]:
            raise NoHost("nobody there")
            yield {}

        self.patch(under_test, "answers", no_answers)
        self.assertEqual(self.run_command("list"), (1, "", f"gamehost journal: {self.path}: nobody there\n"))


class RowsTests(CommandCase):
    """What the store itself answers, between its changes."""

    def test_rows_and_ends(self) -> None:
        """All rows of a table; and the first and the last of each."""
        with closing(sqlite3.connect(self.path)) as connection:
            stored = [Row._make(row) for row in connection.execute(f"SELECT {COLUMNS.sqlite} FROM event ORDER BY seq")]
        journal = self.start()
        found: list[Row] = []
        journal.read_rows(TableId(1), found.extend)
        journal.read_rows(TableId(9), found.extend)
        self.pump.settle(journal)
        self.assertEqual(found, stored[:4])
        found.clear()
        journal.read_ends(1, int(journal.last_table) + 1, found.extend)
        self.pump.settle(journal)
        self.assertEqual(found, [stored[0], stored[3], stored[4], stored[6]])
