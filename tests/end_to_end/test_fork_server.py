"""Processes that are copies of one that has imported the host: they behave as those that are started anew."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from tests.kit.fork_server import ROOT, VARIABLE, run, start

PROGRAM = """
import os, signal, sys, threading
files = sorted(map(int, os.listdir("/proc/self/fd")))
print(sys.argv[1:], os.getcwd(), os.environ.get("PLANTED"), __name__, files, flush=True)
print("beside", file=sys.stderr, flush=True)
word = sys.argv[1]
if word == "status":
    threading.Thread(target=lambda: print("thread")).start()
    sys.exit(7)
elif word == "signal":
    os.kill(os.getpid(), signal.SIGTERM)
elif word == "wait":
    signal.pause()
elif word == "error":
    raise ValueError("planted")
"""


class ForkServerTests(SynchronousTestCase):
    """`tests.kit.fork_server`: everything with both ways to start a process."""

    def setUp(self) -> None:
        if not hasattr(os, "pidfd_open"):
            raise SkipTest("hosts are always started anew on this system")
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        (self.folder / "program.py").write_text(PROGRAM)

    @contextmanager
    def way(self, forked: str) -> Iterator[None]:
        before = dict(os.environ)
        os.environ[VARIABLE] = forked
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)

    def outcome(self, word: str, forked: str) -> tuple[int, str]:
        """The status, and what was printed."""
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PLANTED": "yes"}
        with self.way(forked):
            process = start("program", [word], self.folder, environment)
            assert process.stdout is not None
            with process.stdout as output:
                if word == "wait":
                    first = output.readline() + output.readline()
                    self.assertIsNone(process.poll())
                    self.assertRaises(subprocess.TimeoutExpired, process.wait, 0.01)
                    process.kill()
                    return process.wait(10), first.decode()
                text = output.read().decode()
            status = process.wait(10)
        self.assertEqual((process.poll(), process.returncode), (status, status))
        process.kill()  # does nothing
        return status, text

    def test_both_ways_are_the_same(self) -> None:
        """Arguments, folder, environment, descriptors, threads at the end, status, signals."""
        for word, status in (("status", 7), ("signal", -signal.SIGTERM), ("wait", -signal.SIGKILL), ("ok", 0)):
            found = [self.outcome(word, forked) for forked in ("no", "yes")]
            self.assertEqual(found[0], found[1])
            self.assertEqual(found[0][0], status)
            self.assertIn(f"['{word}'] {self.folder} yes __main__ [0, 1, 2, 3]\nbeside\n", found[0][1])
        for forked in ("no", "yes"):
            status, text = self.outcome("error", forked)
            self.assertEqual(status, 1)
            self.assertTrue(text.endswith("ValueError: planted\n"), text)

    def test_commands(self) -> None:
        """Output and errors are kept apart; a program that imports the host finds its own folder first."""
        for forked in ("no", "yes"):
            with self.way(forked):
                ended = run("gamehost", "--version")
                self.assertRegex(ended.stdout, r"^gamehost \d")
                self.assertEqual((ended.returncode, ended.stderr), (0, ""))
                ended = run("gamehost", "--nonsense")
                self.assertEqual((ended.returncode, ended.stdout), (2, ""))
                self.assertRegex(ended.stderr, r"^gamehost: option --nonsense not recognized")

    def test_a_copy_has_not_imported_the_reactor(self) -> None:
        """Each process makes its own."""
        (self.folder / "program.py").write_text("import sys; print('twisted.internet.reactor' in sys.modules)")
        self.assertEqual(self.outcome("", "yes"), (0, "False\n"))
