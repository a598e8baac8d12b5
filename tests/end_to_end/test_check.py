"""`gamehost check` with real clients, as processes and over sockets; and `gamehost trace` between them."""

import json
import re
import socket
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests import long
from tests.kit.process import (
    PATIENCE,
    ROOT,
    HostProcess,
    Socket,
    c_bot,
    check,
    java_client,
    js_client,
    node_bot,
    python_bot,
    run,
)

# `gamehost check` with real clients, as processes and over sockets.


#: Scenarios that take a second at most.
QUICK = ("first-mover", "drop-in-clients-turn", "bytes", "own-drop")


class BotTests(SynchronousTestCase):
    """The bots of the documentation are clean. `tests.end_to_end.slow_programs` plays all scenarios with them."""

    def assert_clean(self, wire: str, command: list[str], *scenarios: str) -> None:
        status, report = check(wire, scenarios, *command)
        self.assertEqual(report["findings"], [], json.dumps(report["findings"], indent=1))
        self.assertEqual(status, 0)

    def test_onitama(self) -> None:
        self.assert_clean("onitama", python_bot("onitama"), *QUICK, "stalemate")

    def test_onitama_for_node(self) -> None:
        self.assert_clean("onitama", node_bot(), "second-mover", "random-cuts", "strict", "stalemate")

    def test_paper_soccer(self) -> None:
        self.assert_clean("paper-soccer", python_bot("paper_soccer"), "strict", "bounces")

    def test_eriantys(self) -> None:
        self.assert_clean("eriantys", python_bot("eriantys"), "three-players", "strict")

    def test_stratego_in_lines(self) -> None:
        self.assert_clean("stratego-lines", python_bot("stratego_lines", "{password}"), "strict-blue", "own-drop")

    def test_stratego_in_frames(self) -> None:
        self.assert_clean("stratego-frames", python_bot("stratego_frames"), "strict-second", "drop-in-set-up")

    def test_stratego_in_frames_in_c(self) -> None:
        bot = c_bot(Path(self.mktemp()).absolute())
        self.assert_clean("stratego-frames", bot, "strict", "drop-in-set-up", "own-drop-in-set-up")

    def test_open_in_javascript(self) -> None:
        self.assert_clean("open", js_client(), "second-seat", "refused", "own-drop-in-turn")

    @long
    def test_open_in_java(self) -> None:
        bot = java_client(Path(self.mktemp()).absolute())
        self.assert_clean("open", bot, "second-seat", "refused", "own-drop-in-turn")


class CheckTests(SynchronousTestCase):
    def test_a_program_that_is_no_client(self) -> None:
        status, report = check("onitama", ("first-mover",), sys.executable, "-c", "raise SystemExit('no display')")
        self.assertEqual(status, 1)
        self.assertIn("no display", report["findings"][0]["happened"])

    def test_a_command_that_cannot_be_run(self) -> None:
        folder = Path(self.mktemp()).absolute()
        status, _ = check("onitama", ("first-mover",), str(folder / "missing"))
        self.assertEqual(status, 2)

    def test_transcripts_are_kept(self) -> None:
        folder = Path(self.mktemp()).absolute()
        bot = python_bot("onitama")
        status, printed, progress = run("onitama", "--scenario=wins", f"--keep={folder}", "--seed=1", "--", *bot)
        self.assertEqual(status, 0)
        self.assertRegex(progress, r"\nthe largest process of the client had [1-9][0-9]* MiB of memory\n")
        self.assertIn("ok       wins    0.0 s", printed)
        (kept,) = folder.iterdir()
        # The bot plays at random, and may have lost before its opponent gives up.
        self.assertRegex(kept.read_text("utf-8"), "the match is over: (tester|Rival) has won")


class CheckServerTests(SynchronousTestCase):
    def test_the_host(self) -> None:
        """This host's own process is clean on every wire with checks of servers, with whole matches or moves."""
        scenarios = {
            "onitama": "joined",
            "paper-soccer": "whole-match",
            "stratego-frames": "first-wins",
            "stratego-lines": "blue-wins",
        }
        with HostProcess(wires=list(scenarios)) as host:
            for wire, scenario in scenarios.items():
                server = f"127.0.0.1:{host.ports[wire]}"
                status, printed, _ = run(wire, "--server", server, f"--scenario={scenario}", "--format=json")
                self.assertEqual((status, json.loads(printed)["findings"]), (0, []), wire)

    def test_no_server(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            status, _, complaints = run("onitama", "--server", f"127.0.0.1:{taken.getsockname()[1]}")
        self.assertEqual(status, 2)
        self.assertIn("gamehost check: 127.0.0.1:", complaints)


# `gamehost trace` between real sockets: the bytes of a session are the same as without it.


DEAL = "onitama.deal=boar,ox/crab,eel/tiger"


class TraceTests(SynchronousTestCase):
    def test_a_session(self) -> None:
        """Both are told the same, and the trace has each message once."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        printed = folder / "trace.txt"
        with HostProcess("--set", DEAL, wires=["onitama"]) as host, printed.open("w") as out:
            command = [sys.executable, "-m", "gamehost", "trace", "onitama", "--listen=tcp:0:interface=127.0.0.1"]
            words = [*command, f"--to=127.0.0.1:{host.ports['onitama']}"]
            trace = subprocess.Popen(words, stdout=out, stderr=subprocess.PIPE, text=True, cwd=ROOT)
            try:
                assert trace.stderr is not None
                found = re.match(r"clients of onitama connect to 127.0.0.1:(\d+);", trace.stderr.readline())
                assert found is not None
                port = int(found[1])
                ann, bob = Socket(port), host.connect("onitama")
                ann.say("LOGIN|ann")
                self.assertEqual(ann.hear(), "WAITING|ann")
                bob.say("LOGIN|bob")
                self.assertEqual(ann.hear(), bob.hear())
                ann.say("MAKE_MOVE|ox|c1|c2")
                self.assertEqual([ann.hear(), bob.hear()], ["MOVE_WAS_MADE|ox|c1|c2"] * 2)
                ann.say("MAKE_MOVE|boar|c2|c3")
                self.assertEqual(ann.hear(), "INVALID_MOVE|it is the other player's turn")
                ann.close()
                self.assertEqual(bob.hear(), "LOGOUT|ann")
                bob.close()
            finally:
                trace.terminate()
                trace.communicate(timeout=PATIENCE)
        text = printed.read_text("utf-8")
        self.assertEqual(text.count("MAKE_MOVE|"), 2)
        self.assertIn("BREACH: it is Black's turn", text)
