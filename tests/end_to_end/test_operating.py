"""A host among its surroundings: signals, log, files, supervisor, TLS and proxies, a standstill, and what a start imports."""

import os
import select
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from tests.kit.altered_hosts import FILES
from tests.kit.fork_server import ROOT, VARIABLE, run, start
from tests.kit.kills import freeze
from tests.kit.process import HostProcess, Socket
from tests.kit.started import Started, started

# A host among its surroundings: signals, a log that nobody takes, no file left, and a supervisor that listens.


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
        with self.host("tests.kit.altered_hosts:few_files") as host:
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
        with self.host("tests.kit.altered_hosts:some_files") as host:
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


# What a start imports: what nobody asked for stays out of the process.


#: Packages and modules, with everything below them, that the default options do not ask for.
NOT_ASKED_FOR = (
    *("gamehost.checker", "gamehost.cluster", "gamehost.client", "gamehost.metrics.site", "gamehost.testing"),
    *("gamehost.storage.postgresql.store", "gamehost.storage.postgresql.registry", "gamehost.net.tls"),
    *("OpenSSL", "cryptography", "service_identity", "psycopg", "prometheus_client", "hypothesis"),
    *("lxml", "tomllib", "argparse", "unittest", "twisted.trial", "twisted.words"),
)


def found(host: Started, *wanted: str) -> list[str]:
    """Which of these modules, or of those below them, a host has imported."""
    return sorted(name for name in host.modules if any(f"{name}.".startswith(f"{one}.") for one in wanted))


class StartTests(SynchronousTestCase):
    def started(self, *options: str) -> Started:
        folder = Path(self.mktemp())
        folder.mkdir()
        return started(folder, *options)

    def test_a_default_start_imports_nothing_that_nobody_asked_for(self) -> None:
        self.assertEqual(found(self.started("--house=0"), *NOT_ASKED_FOR), [])

    def test_a_host_without_a_socket_for_its_operator_has_no_verbs_for_one(self) -> None:
        host = self.started("--house=0", "--store=memory")
        self.assertEqual(found(host, "gamehost.admin.host", "gamehost.admin.matches", "gamehost.admin.people"), [])

    def test_who_asks_for_tls_gets_it(self) -> None:
        for shortened in ("--config", "--conf"):
            with self.subTest(shortened):
                folder = Path(self.mktemp())
                folder.mkdir()
                (folder / "host.toml").write_text('# tls: or not\ngrace = "60"\n', "utf-8")
                host = started(folder, "--house=0", "--store=memory", shortened, "host.toml")
                self.assertNotEqual(found(host, "OpenSSL"), [])
                (folder / "host.toml").write_text('grace = "60"\n', "utf-8")
                host = started(folder, "--house=0", "--store=memory", f"{shortened}=host.toml")
                self.assertEqual(found(host, "OpenSSL"), [])


# TLS and proxies over real sockets, and a host that may have no memory that is both written and executed.


try:
    from tests.kit.process import write_folder
except ImportError:
    write_folder: Any = None  # type: ignore[no-redef]


class EndpointCase(SynchronousTestCase):
    """A host whose wire listens in some other way."""

    def host(self, endpoint: str, module: str = "gamehost") -> HostProcess:
        return HostProcess(f"--onitama={endpoint}", wires=["onitama"], module=module)

    def log_in(self, player: Socket, name: str) -> None:
        player.say(f"LOGIN|{name}")
        self.assertEqual(player.hear(), f"WAITING|{name}")


class TLSTests(EndpointCase):
    """`tls:FOLDER:PORT`."""

    def setUp(self) -> None:
        if write_folder is None:
            raise SkipTest("needs the extra tls")
        self.folder = Path(self.mktemp()).absolute()
        write_folder(self.folder)

    def connect(self, host: HostProcess) -> Socket:
        """A client that takes whatever certificate there is."""
        player = host.connect("onitama")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        player.socket = context.wrap_socket(player.socket)
        return player

    def test_tls_in_a_sandbox(self) -> None:
        """Handshake, log-in, and a certificate that is exchanged at a SIGHUP, where memory cannot become code."""
        host = self.host(f"tls:{self.folder}:0:interface=127.0.0.1", "tests.kit.altered_hosts:no_executable_memory")
        try:
            host.__enter__()
        except AssertionError:
            host.__exit__(None, None, None)
            if host.process.returncode == 77:
                raise SkipTest("this system cannot forbid it") from None
            raise
        with_certificates = []
        try:
            for serial in (8, 9):
                player: Any = self.connect(host)
                with_certificates.append(player.socket.getpeercert(True))
                self.log_in(player, f"player{serial}")
                write_folder(self.folder, serial)
                os.kill(host.process.pid, signal.SIGHUP)
                time.sleep(0.3)
                player.close()
            self.assertEqual(len(set(with_certificates)), 2)
            self.assertLess(host.stop()[1], 5)
        finally:
            host.__exit__(None, None, None)
        self.assertNotIn("Error", host.log)


class ProxyTests(EndpointCase):
    """`haproxy:tcp:PORT`."""

    def test_behind_a_proxy(self) -> None:
        """What the proxy says of a client is what the log says; a header that never comes ends the connection."""
        with self.host("haproxy:tcp:0:interface=127.0.0.1") as host:
            player = host.connect("onitama")
            player.socket.sendall(b"PROXY TCP4 192.0.2.77 192.0.2.1 4000 8893\r\n")
            self.log_in(player, "ann")
            player.socket.sendall(b"x" * 10_000)
            self.assertTrue(player.hear())
            bare = host.connect("onitama")
            bare.socket.sendall(b"LOGIN|bob\n")
            try:
                answer = bare.hear()
            except ConnectionResetError:
                answer = ""
            self.assertEqual(answer, "")
            host.stop()
        self.assertIn("hung up on '192.0.2.77'", host.log)
        self.assertIn("no PROXY header", host.log)


# A host that is frozen under play.


class StandstillTests(SynchronousTestCase):
    """A longer one is `make test-standstill`."""

    def test_nobody_pays_for_a_standstill(self) -> None:
        """Grace, moves and log-ins have two seconds, and the host is frozen for three."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        logged = freeze(3.0, folder)
        self.assertTrue(2.5 <= logged <= 10.0, logged)


# Processes that are copies of one that has imported the host: they behave as those that are started anew.


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
