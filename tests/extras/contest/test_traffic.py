"""What was said in a contest: for a trace of the worst game of each entrant, within bounds."""

import json
from base64 import b64decode
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.contest.contest import Contest, Pairing
from gamehost.extras.contest.entries import Played
from gamehost.extras.contest.files import TRACES, TRAFFIC
from gamehost.extras.contest.results import write
from gamehost.extras.contest.standings import standings
from gamehost.extras.contest.traffic import (
    LAST_LINES,
    MOST_BYTES,
    MOST_CONNECTIONS,
    SEGMENT,
    HeardBytes,
    shown,
    store_traffic,
    worst_game,
)
from gamehost.games.onitama.master import ONITAMA
from tests.extras.contest.test_contest import plan, played
from tests.kit.contests import MemoryContest, program


class HeardBytesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.heard = HeardBytes(lambda: 1.0)
        self.passed: list[bytes] = []
        self.connection: Any = SimpleNamespace(dataReceived=self.passed.append, makeConnection=lambda transport: None)
        self.heard.listen(self.connection)

    def test_the_beginning_is_stored_and_all_is_passed_on(self) -> None:
        for size in (1, 10_000):
            self.setUp()
            for _ in range(2 * MOST_BYTES // size):
                self.connection.dataReceived(b"x" * size)
            stored = sum(len(data) for _, _, data in self.heard.pieces)
            self.assertLessEqual(stored + SEGMENT * len(self.heard.pieces), MOST_BYTES + SEGMENT + size)
            self.assertEqual(sum(map(len, self.passed)), 2 * MOST_BYTES // size * size)

    def test_both_ways(self) -> None:
        written: list[bytes] = []
        transport: Any = SimpleNamespace(write=written.append)
        self.connection.makeConnection(transport)
        self.connection.dataReceived(b"in")
        transport.write(b"out")
        self.assertEqual((self.passed, written), ([b"in"], [b"out"]))
        self.assertEqual(self.heard.pieces, [(1.0, "client", b"in"), (1.0, "host", b"out")])


class WorstGameTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.contest = Contest(plan(2, rounds=5))
        self.games = [*self.contest.next_games({})]

    def note(self, one: Pairing, share: float, cause: str, moves: int) -> Played:
        shares = (share, 1 - share) if one.players[0] == 0 else (1 - share, share)
        found = evolve(played(one, shares), cause=cause, moves=moves)
        self.contest.note(found)
        return found

    def test_which_it_is(self) -> None:
        """A lost one, then one that ended by a fault, then the shortest; none if all were won."""
        ends = ((1.0, "rules", 9), (0.5, "moves", 9), (0.0, "rules", 30), (0.0, "rules", 20), (0.0, "time", 90))
        for one, end in zip(self.games, ends, strict=True):
            found = self.note(one, *end)
            self.assertEqual(worst_game(self.contest, 0), None if end[0] == 1 else found)

    def test_one_file_for_each_entrant(self) -> None:
        folder = Path(self.mktemp())
        folder.mkdir()
        heard = HeardBytes(lambda: 1.0, "p0")
        heard.pieces.append((1.0, "client", b"\xff"))
        ends: Any = ((1.0, []), (0.5, ["2.1.1.jsonl"]), (0.0, ["3.1.1.jsonl"]), (0.5, ["3.1.1.jsonl"]))
        for one, (share, expected) in zip(self.games, ends, strict=False):
            store_traffic(folder, self.contest, self.note(one, share, "rules", 1), [heard])
            self.assertEqual([path.name for path in folder.glob(f"{TRAFFIC}/*")], expected)
        [line] = (folder / TRAFFIC / "3.1.1.jsonl").read_text("utf-8").splitlines()
        self.assertEqual(json.loads(line), {"at": 0.0, "connection": 1, "from": "client", "bytes": "/w=="})

    def test_on_the_page_of_the_entrant(self) -> None:
        """Only what was said of the game that is the worst one now."""
        folder = Path(self.mktemp())
        folder.mkdir()
        self.note(self.games[0], 0.0, "rules", 1)
        for game, there in (("1.1", True), ("2.1", False)):
            (folder / TRACES).write_text(json.dumps({"p0": {"game": game, "lines": ["<b> BREACH: x"]}}), "utf-8")
            write(self.contest, standings(self.contest), folder, ONITAMA)
            pages = [(folder / "players" / f"{number}.html").read_text("utf-8") for number in (1, 2)]
            self.assertEqual(["&lt;b&gt; BREACH: x" in page for page in pages], [there, False])

    def test_the_lines_that_are_shown(self) -> None:
        lines = [f"line {number}" for number in range(200)]
        lines[7] = "BREACH: x"
        found = shown(lines)
        self.assertEqual(found[:4], ["...", "BREACH: x", "...", f"line {200 - LAST_LINES}"])
        self.assertEqual(shown(lines[-3:]), lines[-3:])


class StoredTrafficTests(SynchronousTestCase):
    def test_what_was_said_in_the_game_that_was_lost(self) -> None:
        usual = program("onitama", 2)
        words = [f"--player={name}={usual}" for name in ("ann", "bob")]
        made = MemoryContest(Path(self.mktemp()), "--wire=onitama", "--seed=3", *words)
        [one] = made.play().played.values()
        loser = one.players[one.shares.index(0.0)]
        [path] = (made.folder / TRAFFIC).iterdir()
        self.assertEqual(path.name, f"1.1.{loser + 1}.jsonl")
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        said = {
            sender: b"".join(b64decode(line["bytes"]) for line in lines if line["from"] == sender)
            for sender in ("client", "host")
        }
        self.assertTrue(said["client"].startswith(f"LOGIN|{made.plan.names[loser]}\n".encode()))
        self.assertEqual(said["host"].count(b"MOVE_WAS_MADE"), one.moves)
        self.assertIn(b"GAME_OVER|", said["host"])

    def test_so_many_connections(self) -> None:
        made = MemoryContest(
            Path(self.mktemp()), "--wire=onitama", *(f"--player={name}=./idle" for name in ("ann", "bob"))
        )
        made.begin()
        process = made.machine.processes[0]
        connections = [made.machine.connect(process, 1) for _ in range(MOST_CONNECTIONS + 5)]
        [room] = made.games[0]._host.rooms  # type: ignore[attr-defined]
        self.assertEqual(len(room.heard), MOST_CONNECTIONS)
        for connection in connections:
            connection.drop()
