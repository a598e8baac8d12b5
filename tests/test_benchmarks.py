"""The load harness: a few dozen moves over real sockets. Nothing is timed in here."""

import contextlib
import io
import re
import socket
import sqlite3
import sys
from pathlib import Path

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from benchmarks import (
    browser,
    frames,
    members,
    peer_install,
    peer_loads,
    peers,
    rooms,
    speed,
    watchers,
)
from benchmarks.contestants import DURABLE, contestants, peer
from benchmarks.load import Astray, Load, Player, Table, Window
from benchmarks.peer_install import Missing
from benchmarks.python import journal
from benchmarks.scripts import WIRES, Script, script_of
from benchmarks.servers import Server, host, relay
from benchmarks.way import way
from benchmarks.ways import WAYS, start
from gamehost.measures import SECONDS, SIZES, Histogram, MatchCounts
from gamehost.plugins import WIRES as HOSTED
from gamehost.wires.websocket import text_frame
from tests.kit.sources import ROOT


def enough(script: Script) -> int:
    """So many moves that, at each of two tables, a match has come to its end, or to where it began, and gone on."""
    return 3 * len(script.play)


class LoadTests(SynchronousTestCase):
    def test_scripts_are_of_wires(self) -> None:
        self.assertLessEqual(set(WIRES), {wire.name for wire in HOSTED})

    def test_the_host_follows_the_scripts(self) -> None:
        for script in map(script_of, WIRES):
            with host(script, store="memory") as server, Load(script, server, 4) as load:
                window = load.offer(enough(script) / 4000, 4000)
                self.assertEqual(window.moves, enough(script), script.wire)
                answered = sum(step.told[step.sender] > 0 for step in script.play)
                self.assertGreaterEqual(len(window.took), answered * 2)
                self.assertGreater(server.memory(), 1 << 20)
                self.assertGreater(server.cpu(), 0)

    def test_other_tables_play_other_moves(self) -> None:
        for script in map(script_of, WIRES):
            games = 36 if script.wire.startswith("stratego") else 16
            self.assertEqual(len({script.at_table(number) for number in range(50)}), games, script.wire)
            with host(script, store="memory") as server, Load(script, server, 2 * games) as load:
                self.assertEqual(load.offer(0.1, 4 * 10 * games).moves, 4 * games)

    def test_tables_are_spread_over_their_matches(self) -> None:
        for script in map(script_of, WIRES):
            for bare, server in ((False, host(script, store="memory")), (True, relay(script))):
                with server as running, Load(script, running, 16, bare=bare) as load:
                    load.spread()
                    expected = [number * len(table.play) // 8 for number, table in enumerate(load.tables)]
                    self.assertEqual([table.at for table in load.tables], expected, script.wire)
                    self.assertEqual((load.moves, [table.waiting for table in load.tables]), (sum(expected), [0] * 8))

    def test_the_relay_passes_the_same_bytes_on(self) -> None:
        """The yardstick carries what the host would say, in lines and in frames."""
        for script in map(script_of, WIRES):
            with relay(script) as server, Load(script, server, 4, bare=True) as load:
                self.assertEqual(load.offer(enough(script) / 4000, 4000).moves, enough(script), script.wire)

    def test_a_closed_loop(self) -> None:
        """Runs one after the other: each is counted for itself, and between two of them all tables rest."""
        script = script_of("onitama")
        with relay(script) as server, Load(script, server, 4, bare=True) as load:
            for _ in range(2):
                before = load.moves
                window = load.run(0.3, warm=0.0)
                self.assertGreater(window.moves, 0)
                self.assertLessEqual(window.moves, load.moves - before)
                self.assertEqual([table.waiting for table in load.tables], [0, 0])

    def test_a_server_that_says_something_else(self) -> None:
        """A wrong answer ends the run with what was said: no figure is of anything but the script."""
        script = script_of("onitama")
        wrong = evolve(script, play=(evolve(script.play[0], ends=(b"MOVE_WAS_LOST\n", b"")),))
        with host(script, store="memory") as server, Load(wrong, server, 2) as load:
            error = self.assertRaises(Astray, load.offer, 0.001, 1000)
            self.assertIn("MOVE_WAS_MADE|boar|b1|b2", str(error))

    def test_a_connection_that_was_closed_ends_the_run(self) -> None:
        script = script_of("onitama")
        with relay(script) as server, Load(script, server, 2, bare=True) as load:
            for player in load.tables[0].players:
                player.socket.shutdown(socket.SHUT_RD)
            self.assertIn("closed a connection", str(self.assertRaises(Astray, load.run, 0.05, warm=0.0)))


class WayTests(SynchronousTestCase):
    def test_no_way_becomes_longer(self) -> None:
        """`docs/architecture.rst` has the figures. A start passes the same functions with fewer tables."""
        page = (
            (ROOT / "docs" / "architecture.rst").read_text("utf-8").partition(":name: ways")[2].partition("\nLaws")[0]
        )
        rows = re.findall(r"^   \* - (.+)\n     - (\d+)\n     - (\d+)\n     - \d+ / \d+$", page, re.M)
        self.assertEqual([name for name, *_ in rows], ["a move of Onitama", *WAYS])
        for name, functions, files in rows[1:]:
            found = start(20) if WAYS[name] is start else WAYS[name]()
            self.assertGreater(len(found.calls), 40, name)
            # A few more need no new figure.
            self.assertLessEqual(len(found.calls), int(functions) * 1.02, name)
            self.assertLessEqual(len(found.files), int(files) + 1, name)

    def test_a_move_passes_few_functions(self) -> None:
        """With a real store; the figures of Onitama are those of `docs/architecture.rst`, and none of them must grow."""
        for wire, most in (
            ("onitama", (45, 12)),
            ("stratego-lines", (54, 13)),
            ("stratego-frames", (47, 12)),
            ("paper-soccer", (44, 13)),
        ):
            found = way(script_of(wire), 24)
            self.assertLessEqual(len(found.calls), most[0], wire)
            self.assertLessEqual(len(found.files), most[1], wire)


class PeersTests(SynchronousTestCase):
    """Servers of other projects; none of them runs in here."""

    def test_frames(self) -> None:
        for size, head in ((3, b"\x81\x03"), (200, b"\x81\x7e\x00\xc8")):
            self.assertEqual(peer_loads.frame(b"x" * size, masked=False), head + b"x" * size)
            ours, theirs = socket.socketpair()
            with ours, theirs:
                ours.sendall(peer_loads.frame(b"no", masked=False) + peer_loads.frame(b"x" * size, masked=False))
                self.assertEqual(peer_loads.hear(theirs, b"x"), b"x" * size)
        self.assertEqual(peer_loads.frame(b"ab", binary=True), b"\x82\x82\x00\x00\x00\x00ab")

    def test_what_is_said(self) -> None:
        server = Server("peer", 1, 1)
        one = peer_loads.ColyseusLoad(script_of("onitama"), server, 2).steps(0)[1]
        self.assertEqual((one.sender, one.said[6:]), (1, b"\x0d\xa4move\xacmonkey|d5|c4"))
        self.assertEqual((one.told, one.ends[0]), ((21, 21), b"\x82\x13" + one.said[6:]))
        load = peer_loads.BoardgameLoad(script_of("onitama"), server, 2)
        seventh = load.steps(3)[7]
        self.assertTrue(seventh.said.endswith(b'"args":["monkey|e5|d4"],"playerID":"1"}},7,"m3","1"]'), seventh.said)
        self.assertEqual(load.count(b'..42/pair,["update","m3",{}]..42/pair,["update"'), 2)

    def test_what_browsers_say(self) -> None:
        """The same moves by line and in frames, which a bare JSON object makes known as one move each."""
        for lines, said in ((True, b""), (False, b"\x81\xae" + bytes(4))):
            load = browser.OpenLoad(browser.CARRIERS["open"], Server("host", 1, 1), 2, lines=lines)
            load._numbers = [12]
            first = load.steps(0)[0]
            text = b'{"do":"act","table":12,"action":"boar b1 b2"}'
            self.assertEqual(
                first.said, (said[:1] + bytes((0x80 | len(text),)) + said[2:] + text) if said else text + b"\n"
            )
            self.assertEqual(load.count(b'{"is":"event","event":{"kind":"moved","seat":0}}' * 2), 2)

    def test_a_browser_that_is_asked_whether_it_is_there(self) -> None:
        """A ping is no answer to a move, alone or behind one."""
        load = browser.OpenLoad(browser.CARRIERS["browser"], Server("host", 1, 1), 2)
        load._numbers = [12]
        ours, theirs = socket.socketpair()
        with ours, theirs:
            table = Table(load.steps(0))
            players = [Player(name, ours) for name in (b"a", b"b")]
            table.seat(players[0], players[1], table.play)
            table.step, table.waiting = table.play[0], 2
            load._told(players[0], table, browser.PING)
            self.assertEqual(table.waiting, 2)
            load._told(players[0], table, b'..."due":[1,2]}' + browser.PING)
            self.assertEqual(table.waiting, 1)

    def test_what_cannot_be_installed(self) -> None:
        """One sentence for all servers that need it; the others are measured."""
        self.patch(peer_install, "NODE", "no-such-node")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            self.assertEqual(peers.installed("/no-such-python"), (None, False))
        self.assertEqual(
            printed.getvalue().splitlines(),
            [
                "/no-such-python is not installed, so servers in Python are not measured",
                "no-such-node is not installed, so Colyseus and boardgame.io are not measured",
            ],
        )
        self.assertEqual([one.kind for one in contestants(None, False)], ["relay", *["gamehost"] * 3])

    def test_each_is_measured_once(self) -> None:
        every = contestants(sys.executable, True)
        self.assertEqual(len({one.name for one in every}), len(every))
        self.assertIn(peers.GOAL, [one.name for one in every])
        self.assertLessEqual({one.kind for one in every}, peers.FILLS.keys())

    def test_a_server_that_does_not_start(self) -> None:
        """What it says is passed on. A server with SQLite must say that each commit waits for the disk."""
        for program, words in (
            ("raise ValueError('no port')", "it does not start: ValueError: no port"),
            ("print('serving'); print(12, 'wal 1')", "SQLite is set to 'wal 1' instead of 'wal 2'"),
        ):
            with self.assertRaises(Missing) as caught, peer("it", (sys.executable, "-c", program), DURABLE):
                pass
            self.assertEqual(str(caught.exception).replace("SQLite of it", "SQLite"), words)

    def test_moves_that_are_not_stored(self) -> None:
        """A server in Python, with all its moves in its file; then one is missing there."""
        [one] = [one for one in contestants(sys.executable, False) if one.name.startswith("websockets")]
        load = Load(script_of("onitama"), Server("it", 1, 1), 2)
        folder = Path(self.mktemp())
        folder.mkdir()
        with contextlib.closing(sqlite3.connect(folder / "store.sqlite", isolation_level=None)) as file:
            file.execute(journal.TABLE)
            file.executemany(journal.MOVE, [(1, "boar|b1|b2")] * 3)
        load.moves = 3
        peers.check_stored(one, load, folder)
        load.moves = 4
        self.assertRaises(Astray, peers.check_stored, one, load, folder)


class WatchersTests(SynchronousTestCase):
    def test_moves(self) -> None:
        first, again = ([action for _, (_, action) in zip(range(1000), watchers.moves(), strict=False)] for _ in "ab")
        self.assertEqual((len(first), first), (1000, again))

    def test_frames_are_counted(self) -> None:
        """Texts of any length, however they are cut; control frames do not count."""
        stream = b"".join(map(text_frame, (b"1" * 10, b"2" * 500))) + b"\x89\x00" + text_frame(b"3")
        for size in (1, 7, 1000):
            client = watchers.WebClient.__new__(watchers.WebClient)
            client.unread = b""
            found = [client.count(stream[at : at + size]) for at in range(0, len(stream), size)]
            self.assertEqual((sum(found), client.unread), (3, b""))

    def test_what_a_frame_costs(self) -> None:
        self.patch(frames, "ROUNDS", 1)
        self.assertEqual(frames.figures()["its bytes"], 104.0)


class FiguresTests(SynchronousTestCase):
    def test_window(self) -> None:
        window = Window(moves=1000, seconds=2.0, cpu=1.0, took=[number / 1000 for number in range(1, 101)])
        self.assertEqual((window.rate, window.cost, window.busy), (500.0, 1000.0, 0.5))
        self.assertEqual((window.at(0.0), window.at(0.5), window.at(0.99), window.at(1.0)), (1.0, 51.0, 100.0, 100.0))
        self.assertEqual(Window(0, 1.0, 0.0, []).at(0.5), 0.0)

    def test_balanced_load(self) -> None:
        """It follows both wires, whoever plays whom."""
        for wire in ("onitama", "open"):
            script = members.growing(wire)
            with host(script, store="memory") as server:
                load = members.BalancedLoad(script, server, 8, servers=[server], place=members.first, letters="ab")
                with load:
                    moves = 4 * enough(script)
                    self.assertEqual(load.offer(moves / 4000, 4000).moves, moves)

    def test_rooms(self) -> None:
        for file, function, room in (
            ("/x/gamehost/wires/framing.py", "feed", "framing"),
            ("/x/gamehost/wires/onitama/codec.py", "parse", "codec"),
            ("/x/gamehost/wires/onitama/conversation.py", "move", "conversation"),
            ("/x/gamehost/games/onitama/master.py", "act", "rules"),
            ("/x/gamehost/storage/sqlite.py", "append", "journal"),
            ("~", "<method 'send' of '_socket.socket' objects>", "send"),
            ("~", "<built-in method builtins.len>", None),
            ("/usr/lib/python3.11/contextlib.py", "__exit__", "rest"),
        ):
            self.assertEqual(rooms.room_of(file, function), room)
        act, length = ("/x/gamehost/games/onitama/master.py", 1, "act"), ("~", 0, "<built-in method builtins.len>")
        stats = {act: (1, 1, 2.0, 3.0, {}), length: (1, 1, 1.0, 1.0, {act: (1, 1, 1.0, 1.0)})}
        self.assertEqual(rooms.by_room(stats), {"rules": 3.0})

    def test_a_look_at_the_host(self) -> None:
        """The profiled host says where its time went, in every room that a move goes through."""
        seconds, moves, _ = rooms.look(script_of("onitama"), 2, 0.5, "memory")
        self.assertGreater(moves, 0)
        for room in ("framing", "codec", "conversation", "table", "rules", "outbox", "connection", "send"):
            self.assertGreater(seconds[room], 0, room)

    def test_what_is_printed(self) -> None:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            turns = speed.measure(script_of("onitama"), 2, pairs=1, seconds=0.02, least_busy=0.0)
        lines = printed.getvalue().splitlines()
        self.assertEqual([len(turn) for turn in turns], [3])
        for line, words in zip(
            lines, ("host", "host, memory", "1.00 (1.00 to 1.00)", "the durable store leaves"), strict=True
        ):
            self.assertIn(words, line)


# Counts and histograms.


class HistogramTests(SynchronousTestCase):
    def test_ranges(self) -> None:
        histogram = Histogram((1, 2))
        for value in (0, 1, 1.5, 2, 2.5, 100):
            histogram.observe(value)
        self.assertEqual((histogram.counts, histogram.total), ([2, 2, 2], 107.0))

    def test_many_at_once(self) -> None:
        one, other = Histogram(), Histogram()
        moments = [100.0, 100.25, 100.5, 100.75, 101.0]
        for moment in moments:
            one.observe(101.0 - moment)
        other.observe_since(moments, 101.0)
        self.assertEqual((one.counts, one.total), (other.counts, other.total))

    def test_bounds_are_ascending(self) -> None:
        for bounds in (SECONDS, SIZES):
            self.assertEqual(sorted(set(bounds)), list(bounds))


class MatchCountsTests(SynchronousTestCase):
    def test_one_count_for_each_wire_and_game(self) -> None:
        counts = MatchCounts()
        counts.moves_of("open", "onitama").value += 1
        counts.moves_of("open", "onitama").value += 1
        counts.moves_of("onitama", "onitama")
        self.assertEqual(
            {key: count.value for key, count in counts.moves.items()},
            {("open", "onitama"): 2, ("onitama", "onitama"): 0},
        )
