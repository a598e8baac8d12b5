"""A host among its surroundings: signals, a log that nobody takes, no file left, and a supervisor that listens."""

import os
import select
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.constrained_hosts.some_files import FILES
from tests.kit.process import HostProcess, Socket

MOVES = ("MAKE_MOVE|ox|c1|c2", "MAKE_MOVE|crab|a5|a4", "MAKE_MOVE|tiger|c2|c4")


class OperatingCase(SynchronousTestCase):
    """A folder with a store, and a match of three moves."""

    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def host(self, module: str = "gamehost", **environment: str) -> HostProcess:
        return HostProcess(
            *("--set", "onitama.deal=boar,ox/crab,eel/tiger"),
            wires=["onitama"],
            folder=self.folder,
            store="store.sqlite",
            module=module,
            environment=environment,
        )

    def log_in(self, host: HostProcess) -> list[Socket]:
        """Ann and Bob, at a table."""
        players = []
        for name in ("ann", "bob"):
            player = host.connect("onitama")
            player.say(f"LOGIN|{name}")
            players.append(player)
            if name == "ann":
                self.assertEqual(player.hear(), "WAITING|ann")
        for player in players:
            self.assertTrue(player.hear().startswith("START|"))
        return players

    def play(self, players: list[Socket], number: int) -> None:
        """The move of this number, told to both."""
        players[number % 2].say(MOVES[number])
        for player in players:
            self.assertEqual(player.hear(), MOVES[number].replace("MAKE_MOVE", "MOVE_WAS_MADE"))

    def until(self, condition: Callable[[], object]) -> None:
        """Wait for something that comes soon."""
        end = time.monotonic() + 10
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)


class SignalTests(OperatingCase):
    """Rows 146 and 147."""

    def test_signals_that_end_nothing(self) -> None:
        """SIGHUP, SIGPIPE, SIGUSR1 and SIGUSR2, in the middle of a match: it goes on, and SIGTERM ends it in order."""
        with self.host() as host:
            players = self.log_in(host)
            self.play(players, 0)
            for number in (signal.SIGHUP, signal.SIGPIPE, signal.SIGUSR1, signal.SIGUSR2):
                host.process.send_signal(number)
            self.play(players, 1)
            _, seconds = host.stop()
            self.assertLess(seconds, 5)
        self.assertIn("SIGHUP: the log and the certificates are opened again", host.log)
        self.assertIn("thread gamehost-journal: ", host.log)
        self.assertNotIn("Error", host.log)

    def test_told_twice_to_stop(self) -> None:
        """Row 146: a second SIGTERM hurries nothing and breaks nothing; the next life goes on where this one was."""
        with self.host() as host:
            players = self.log_in(host)
            self.play(players, 0)
            host.process.send_signal(signal.SIGTERM)
            host.process.send_signal(signal.SIGTERM)
            self.assertEqual(host.process.wait(5), -signal.SIGTERM)
        self.assertNotIn("Error", host.log)
        with self.host() as host:
            self.assertIn("resumed 1 table", host.log)

    def test_ctrl_c(self) -> None:
        """SIGINT is an orderly stop as well."""
        with self.host() as host:
            self.log_in(host)
            host.process.send_signal(signal.SIGINT)
            self.assertEqual(host.process.wait(5), -signal.SIGINT)
        self.assertNotIn("Error", host.log)


class LogTests(OperatingCase):
    """Row 156."""

    def test_standard_output_closed(self) -> None:
        """Whoever read the log has gone: the match goes on, and so does the stop."""
        with self.host() as host:
            players = self.log_in(host)
            assert host.process.stdout is not None
            host.process.stdout.close()
            host.process.send_signal(signal.SIGHUP)
            for number in range(3):
                self.play(players, number)
            host.process.send_signal(signal.SIGTERM)
            self.assertEqual(host.process.wait(5), -signal.SIGTERM)
            host.process.stdout = None

    def test_nobody_reads_the_log(self) -> None:
        """A pipe that nobody empties fills, and is not waited for."""
        with self.host() as host:
            players = self.log_in(host)
            for number in range(3):
                for _ in range(60):  # each writes a line for every thread: more than a pipe holds
                    host.process.send_signal(signal.SIGUSR1)
                    time.sleep(0.002)
                self.play(players, number)
            self.assertLess(host.stop()[1], 5)


class FilesTests(OperatingCase):
    """Row 19."""

    def test_no_file_left(self) -> None:
        """Who is in plays on and the journal writes on; who comes is closed; when there is room again all is well."""
        with self.host("tests.kit.constrained_hosts.few_files") as host:
            players = self.log_in(host)
            crowd = [socket.create_connection(("127.0.0.1", host.ports["onitama"]), timeout=10) for _ in range(100)]
            self.until(lambda: len(os.listdir(f"/proc/{host.process.pid}/fd")) >= 63)
            self.play(players, 0)
            time.sleep(1.1)  # the journal would note its length now
            self.play(players, 1)
            self.assertIsNone(host.process.poll())
            for one in crowd:
                one.close()
            self.until(lambda: len(os.listdir(f"/proc/{host.process.pid}/fd")) < 30)
            late = host.connect("onitama")
            late.say("LOGIN|carl")
            self.assertEqual(late.hear(), "WAITING|carl")
            self.play(players, 2)
            host.process.send_signal(signal.SIGTERM)
            self.assertEqual(host.process.wait(5), -signal.SIGTERM)
        self.assertLess(len(host.log.splitlines()), 400)
        with self.host() as host:
            self.assertIn("resumed 1 table", host.log)

    def test_files_are_kept_for_the_host(self) -> None:
        """A host that may open few files refuses clients with a sentence before it has none left, however many there are."""
        with self.host("tests.kit.constrained_hosts.some_files") as host:
            players = self.log_in(host)
            before = len(os.listdir(f"/proc/{host.process.pid}/fd"))
            crowd = [Socket(host.ports["onitama"]) for _ in range(2 * FILES)]
            self.play(players, 0)
            self.until(lambda: len(select.select([one.socket for one in crowd], [], [], 0)[0]) > 2 * FILES - 80)
            heard = [one.hear() for one in crowd if select.select([one.socket], [], [], 0)[0]]
            self.assertLessEqual(set(heard), {"ERROR|too many connections", ""})
            self.assertGreater(heard.count("ERROR|too many connections"), 64)
            self.until(lambda: len(os.listdir(f"/proc/{host.process.pid}/fd")) < before + 80)
            self.play(players, 1)
            for one in crowd:
                one.close()
            self.until(lambda: len(os.listdir(f"/proc/{host.process.pid}/fd")) < before + 10)
            late = host.connect("onitama")
            late.say("LOGIN|carl")
            self.assertEqual(late.hear(), "WAITING|carl")
        self.assertIn("room for 80 connections", host.log)
        self.assertNotIn("EMFILE", host.log)


class SupervisorTests(OperatingCase):
    """Row 150, as `systemd` sees it."""

    def test_ready_alive_stopping(self) -> None:
        """In this order, with signs of life while nobody asks for anything."""
        name = f"gamehost-test-{os.getpid()}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
            supervisor.bind("\0" + name)
            supervisor.settimeout(10)
            with self.host(NOTIFY_SOCKET="@" + name, WATCHDOG_USEC="600000") as host:
                said = [supervisor.recv(100) for _ in range(4)]
                host.stop()
            self.assertEqual(said[0], b"READY=1")
            self.assertEqual(set(said[1:]), {b"WATCHDOG=1"})
            last = supervisor.recv(100)
            while last == b"WATCHDOG=1":
                last = supervisor.recv(100)
            self.assertEqual(last, b"STOPPING=1")
