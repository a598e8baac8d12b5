"""A host among its surroundings: signals, log, files, supervisor, TLS and proxies, what a start imports, `gamehost admin`."""

import io
import json
import os
import select
import signal
import socket
import sqlite3
import ssl
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from gamehost.commands import admin, journal
from gamehost.commands.admin import VERBS, main
from gamehost.lobby.account_changes import RESET
from gamehost.plugins import REGISTRY
from tests import long
from tests.end_to_end.test_restart import DEAL, RestartCase
from tests.kit.altered_hosts import FILES
from tests.kit.fork_server import ROOT, VARIABLE, run, start
from tests.kit.kills import freeze
from tests.kit.process import PATIENCE, HostProcess, Socket
from tests.kit.started import Started, started

# A host among its surroundings: signals, a log that nobody takes, no file left, and a supervisor that listens.


MOVES = ("MAKE_MOVE|ox|c1|c2", "MAKE_MOVE|crab|a5|a4", "MAKE_MOVE|tiger|c2|c4")


#: Runs the command in each line of the standard input, each in a copy of a process that has started in this locale.
COMMANDS = """
import gc, importlib, os, runpy, sys
from tests.kit.fork_server import MODULES
for name in MODULES:
    importlib.import_module(name)
gc.freeze()
for number, line in enumerate(sys.stdin.buffer.read().splitlines()):
    if not os.fork():
        sys.argv = ["gamehost", *map(os.fsdecode, line.split())]
        os.dup2(os.open(f"said-{number}", os.O_CREAT | os.O_WRONLY | os.O_TRUNC), 1)
        os.dup2(1, 2)
        try:
            runpy.run_module("gamehost", run_name="__main__", alter_sys=True)
        except BaseException as end:
            if not isinstance(end, SystemExit) or isinstance(end.code, str):
                sys.excepthook(type(end), end, end.__traceback__)
        sys.stdout.flush()
        os._exit(0)  # without a look at all that it has of its parent
    os.wait()
"""


class EncodingTests(SynchronousTestCase):
    #: Words of commands that print names, and those whose own words have letters that are not in ASCII.
    RUNNING = (
        *("admin who", "admin tables", "admin show 2", "admin ladder onitama", "admin lost list", "admin bans"),
        *("admin kick Łukasz", "admin ban Łukasz", "admin unban Łukasz", "admin say čau", "admin account reset Łukasz"),
    )
    AFTERWARDS = (
        *("journal list", "journal show 1", "journal show 1 --notation", "journal draw 1", "journal verify"),
        *("journal show Łukasz", "journal backup kopie-ž", "admin who", "run --Łukasz", "run --help", "Łukasz"),
        *(
            "player onitama --to 127.0.0.1:1 --name Łukasz",
            "bridge ucc-stratego --to 127.0.0.1:1 --name Łukasz -- true",
        ),
        *("check Łukasz", "contest Łukasz", "trace Łukasz --listen tcp:1 --to 127.0.0.1:1", "completion Łukasz"),
    )

    @long
    def test_a_terminal_without_these_letters(self) -> None:
        """Whatever a command prints, it does not end with an error about an encoding."""
        for encoding in ("ascii", "latin-1"):
            folder = Path(self.mktemp()).absolute()
            folder.mkdir()
            locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": encoding}
            with HostProcess(wires=["onitama"], folder=folder, store="store.sqlite", environment=locale) as host:
                players = [host.connect("onitama") for _ in range(2)]
                for player, name in zip(players, ("Łukasz", "Мария"), strict=True):
                    player.say(f"LOGIN|{name}")
                    player.hear()
                players[0].hear()
                players[0].say("RESIGN")
                for player in players:
                    player.hear()
                for player, name in zip(players, ("Łukasz", "Мария"), strict=True):
                    player.say(f"LOGIN|{name}")
                    player.hear()
                words: Sequence[str] = self.RUNNING if encoding == "ascii" else ("admin who",)
                for command, text in self.printed(words, folder, locale, encoding):
                    if command in ("admin who", "admin tables"):
                        self.assertIn("\\u0141ukasz", text, command)
                for player in players:
                    player.close()
            words = self.AFTERWARDS if encoding == "ascii" else ("journal list", "journal show 1")
            for command, text in self.printed(words, folder, locale, encoding):
                if command in ("journal list", "journal show 1"):
                    self.assertIn("\\u041c\\u0430\\u0440\\u0438\\u044f", text, command)

    def printed(
        self, commands: Sequence[str], folder: Path, locale: Mapping[str, str], encoding: str
    ) -> Iterator[tuple[str, str]]:
        """Each command, and what it has printed."""
        store = " --store store.sqlite"
        lines = [
            f"{words}{store}" if words.startswith("journal") else words.replace("admin", f"admin{store}", 1)
            for words in commands
        ]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **locale}
        subprocess.run(
            [sys.executable, "-c", COMMANDS],
            input=os.fsencode("\n".join(lines)),
            cwd=folder,
            env=environment,
            check=True,
            timeout=PATIENCE,
        )
        for number, words in enumerate(commands):
            text = (folder / f"said-{number}").read_bytes().decode(encoding)
            for wrong in ("Traceback", "Error:", "codec can't", "a fault of the host"):
                self.assertNotIn(wrong, text, words)
            yield words, text


class OperatingCase(SynchronousTestCase):
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
        players[number % 2].say(MOVES[number])
        for player in players:
            self.assertEqual(player.hear(), MOVES[number].replace("MAKE_MOVE", "MOVE_WAS_MADE"))

    def until(self, condition: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)


class SignalTests(OperatingCase):
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
        """A second SIGTERM hurries nothing and breaks nothing; the next run goes on where this one was."""
        with self.host() as host:
            players = self.log_in(host)
            self.play(players, 0)
            host.process.send_signal(signal.SIGTERM)
            host.process.send_signal(signal.SIGTERM)
            self.assertEqual(host.process.wait(PATIENCE), -signal.SIGTERM)
        self.assertNotIn("Error", host.log)
        with self.host() as host:
            self.assertIn("resumed 1 table", host.log)

    def test_ctrl_c(self) -> None:
        with self.host() as host:
            self.log_in(host)
            host.process.send_signal(signal.SIGINT)
            self.assertEqual(host.process.wait(PATIENCE), -signal.SIGINT)
        self.assertNotIn("Error", host.log)


class LogTests(OperatingCase):
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
            self.assertEqual(host.process.wait(PATIENCE), -signal.SIGTERM)
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
    def test_no_file_left(self) -> None:
        """Who is in plays on and the journal writes on; who comes is closed; when there is room again all is well."""
        with self.host("tests.kit.altered_hosts:few_files") as host:
            players = self.log_in(host)
            crowd = [
                socket.create_connection(("127.0.0.1", host.ports["onitama"]), timeout=PATIENCE) for _ in range(100)
            ]
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
            self.assertEqual(host.process.wait(PATIENCE), -signal.SIGTERM)
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
    """As `systemd` sees it."""

    def test_ready_alive_stopping(self) -> None:
        """In this order, with signs of life while nobody asks for anything."""
        name = f"gamehost-test-{os.getpid()}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
            supervisor.bind("\0" + name)
            supervisor.settimeout(PATIENCE)
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


#: Wires whose codec and conversation are imported for the first client.
DECLARED = (
    *("console", "eriantys", "eriantys_java", "litama", "onitama", "onitama_final", "paper_soccer"),
    *("stratego_frames", "stratego_lines"),
)
#: Packages and modules, with everything below them, that the default options do not ask for.
NOT_ASKED_FOR = (
    *(
        "gamehost.extras.check",
        "gamehost.extras.cluster",
        "gamehost.client",
        "gamehost.metrics.site",
        "gamehost.testing",
    ),
    *("gamehost.extras.cluster.postgresql.store", "gamehost.extras.cluster.postgresql.registry", "gamehost.net.tls"),
    *("OpenSSL", "cryptography", "service_identity", "psycopg", "prometheus_client", "hypothesis"),
    *(f"gamehost.wires.{wire}.{part}" for wire in DECLARED for part in ("codec", "conversation", "remote", "matches")),
    *("http.client", "urllib.request", "ssl"),
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

    @long
    def test_a_host_without_a_socket_for_its_operator_has_no_verbs_for_one(self) -> None:
        host = self.started("--house=0", "--store=memory")
        self.assertEqual(found(host, "gamehost.admin.host"), [])

    @long
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
    def host(self, endpoint: str, module: str = "gamehost") -> HostProcess:
        return HostProcess(f"--onitama={endpoint}", wires=["onitama"], module=module)

    def log_in(self, player: Socket, name: str) -> None:
        player.say(f"LOGIN|{name}")
        self.assertEqual(player.hear(), f"WAITING|{name}")


class TLSTests(EndpointCase):
    def setUp(self) -> None:
        if write_folder is None:
            raise SkipTest("needs the extra tls")
        self.folder = Path(self.mktemp()).absolute()
        write_folder(self.folder)

    def connect(self, host: HostProcess) -> Socket:
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
                    return process.wait(PATIENCE), first.decode()
                text = output.read().decode()
            status = process.wait(PATIENCE)
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

    @long
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
        (self.folder / "program.py").write_text("import sys; print('twisted.internet.reactor' in sys.modules)")
        self.assertEqual(self.outcome("", "yes"), (0, "False\n"))


# `gamehost admin` on a host that is at work: each command, over its real socket, while clients are busy.


SETTINGS = "--set=onitama.deal=boar,ox/crab,eel/tiger"
CLIENTS = 20


class Busy(threading.Thread):
    """Clients of the open wire that ask for something all the time. None of their connections may end."""

    def __init__(self, host: HostProcess) -> None:
        super().__init__()
        self.sockets = [host.connect("open") for _ in range(CLIENTS)]
        for one in self.sockets:
            one.say('{"do":"lobby"}')
        self.answers = 0
        self.notices = 0
        self.lost = 0
        self._end = threading.Event()

    def run(self) -> None:
        """Ask, and read everything up to the answer, one client after the other."""
        while not self._end.is_set():
            for one in self.sockets:
                one.say('{"do":"ping"}')
            for one in self.sockets:
                while (line := one.hear()) != '{"is":"pong"}':
                    self.notices += line.startswith('{"is":"notice"')
                    if not line:
                        self.lost += 1
                        return
                self.answers += 1

    def stop(self) -> None:
        self._end.set()
        self.join(10)

    def more(self) -> None:
        """Wait until all clients have been answered twice more."""
        wanted, end = self.answers + 2 * CLIENTS, time.monotonic() + PATIENCE
        while self.answers < wanted:
            assert time.monotonic() < end and not self.lost, "the clients are not answered"
            time.sleep(0.005)


class AdminTests(SynchronousTestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="gh")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.config = self.folder / "gamehost.toml"
        self.config.write_text("grace = 60\n")
        self.tried: set[str] = set()

    def host(self) -> HostProcess:
        options = (SETTINGS, f"--config={self.config}")
        return HostProcess(*options, wires=["onitama", "open"], folder=self.folder, store="s.sqlite")

    def ask(self, *words: str, status: int = 0) -> str:
        self.tried.add(next(verb for verb in VERBS if words[: len(verb.split())] == tuple(verb.split())))
        out, err = io.StringIO(), io.StringIO()
        found = main([*words, f"--store={self.folder / 's.sqlite'}"], out, err)
        self.assertEqual(found, status, err.getvalue())
        return out.getvalue() + err.getvalue()

    def log_in(self, host: HostProcess, name: str) -> tuple[Socket, str]:
        client = host.connect("onitama")
        client.say(f"LOGIN|{name}")
        return client, client.hear()

    def test_every_command(self) -> None:
        """While clients are busy, and two play. Nobody loses a connection who should not."""
        with self.host() as host:
            busy = Busy(host)
            busy.start()
            self.addCleanup(busy.stop)
            ann, _ = self.log_in(host, "ann")
            bob, _ = self.log_in(host, "bob")
            ann.hear()
            self.look(host)
            self.change(host, busy)
            busy.more()
            self.keep()
            self.remove(host)
            ann.say("MAKE_MOVE|ox|c1|c2")
            self.assertEqual([one.hear() for one in (ann, bob)], ["MOVE_WAS_MADE|ox|c1|c2"] * 2)
            busy.more()
            self.assertEqual(busy.lost, 0)
            busy.stop()
            self.drain(host, ann, bob)
        self.assertEqual(self.tried, set(VERBS))
        self.assertIn("admin: ban target='eve'", host.log)
        self.assertNotIn("Traceback", host.log)
        with self.host() as again:
            self.assertIn("this name is banned", self.log_in(again, "eve")[1])
            self.assertIn("192.0.2.0/24", self.ask("bans"))

    def look(self, host: HostProcess) -> None:
        """Commands that change nothing. The socket is the owner's alone."""
        self.assertIn("without --cluster", self.ask("cluster", status=1))
        mode = os.stat(self.folder / "s.sqlite.admin").st_mode
        self.assertEqual((stat.S_ISSOCK(mode), stat.S_IMODE(mode)), (True, 0o600))
        status: dict[str, Any] = json.loads(self.ask("status", "--json"))
        self.assertEqual((status["tables"], status["connections"]), (1, CLIENTS + 2))
        self.assertIn("ann  guest  onitama  from 127.0.0.1  table 1 (onitama)", self.ask("who"))
        self.assertIn("1  onitama  ann (onitama), bob (onitama)", self.ask("tables"))
        self.assertIn("ann", self.ask("show", "1").splitlines()[-1])
        self.assertIn("no match with the number 7", self.ask("show", "7", status=1))
        self.assertEqual(self.ask("ladder", "onitama"), "")
        self.assertIn("no match is suspended", self.ask("lost", "list"))
        for verb in ("resume", "end"):
            self.assertIn("table 1 has lost nothing", self.ask("lost", verb, "1", status=1))
        self.assertIn("onitama is not closed", self.ask("game", "open", "onitama", status=1))
        for table in ("1", "7"):
            self.assertIn(f"no slow match with the number {table}", self.ask("slow", "extend", table, "3", status=1))

    def change(self, host: HostProcess, busy: Busy) -> None:
        self.config.write_text("grace = 30\n")
        self.assertEqual(self.ask("reload"), "changed: grace\n")
        self.assertEqual(self.ask("reload"), "nothing is different\n")
        self.assertIn(f"told: {CLIENTS}; not sent", self.ask("say", "We stop at 8."))
        busy.more()
        self.assertEqual(busy.notices, CLIENTS)

    def keep(self) -> None:
        copy = self.folder / "copy.sqlite"
        self.ask("backup", str(copy))
        with closing(sqlite3.connect(copy)) as connection:
            self.assertEqual(connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        self.assertEqual(self.ask("account", "list"), "")
        for words in (("devices", "nobody"), ("reset", "nobody"), ("rename", "nobody", "new"), ("delete", "nobody")):
            self.assertIn("nobody", self.ask("account", *words, status=1))

    def remove(self, host: HostProcess) -> None:
        eve, _ = self.log_in(host, "eve")
        self.assertIn("eve: the connection is closed", self.ask("kick", "eve"))
        self.assertIn("the owner of this host has ended your connection", eve.hear())
        eve, _ = self.log_in(host, "eve")
        self.assertIn("eve is banned for ever; connections closed: 1", self.ask("ban", "eve"))
        self.assertIn("this name is banned from this host", eve.hear())
        self.assertEqual(eve.hear(), "")
        self.assertIn("this name is banned from this host", self.log_in(host, "eve")[1])
        self.ask("ban", "192.0.2.0/24", "for", "7d")
        self.ask("ban", "192.0.2.1")
        self.ask("unban", "192.0.2.1")
        self.assertEqual(len(self.ask("bans").splitlines()), 2)

    def drain(self, host: HostProcess, ann: Socket, bob: Socket) -> None:
        """The last match ends, and the process too. Nothing is lost."""
        self.assertIn("after the last of 1", self.ask("drain"))
        self.assertIn("the host continues", self.ask("drain", "--cancel"))
        self.ask("drain")
        self.assertIn("no new matches begin", self.log_in(host, "carl")[1])
        ann.close()
        self.assertEqual(bob.hear(), "LOGOUT|ann")
        again, line = self.log_in(host, "ann")
        self.assertTrue(line.startswith("RECONNECT|ann"), line)
        self.assertIsNone(host.process.poll())
        again.say("RESIGN")
        self.assertTrue(bob.hear().startswith("RECONNECT|ann"))
        self.assertEqual([one.hear() for one in (again, bob)], ["GAME_OVER|bob"] * 2)
        self.assertEqual(host.process.wait(PATIENCE), 0)
        self.assertFalse((self.folder / "s.sqlite.admin").exists())
        self.assertIn("no host runs", self.ask("status", status=3))


# The owner's commands for the store, on a host that runs: a backup, and a host that goes on from it.


class StoreTests(RestartCase):
    def ask(self, *argv: str) -> str:
        out, err = io.StringIO(), io.StringIO()
        status = admin.main(["--store", str(self.folder / "store.sqlite"), *argv], out, err)
        self.assertEqual((status, err.getvalue()), (0, ""), argv)
        return out.getvalue()

    def journal(self, verb: str, *words: str) -> tuple[int, str]:
        out = io.StringIO()
        store = () if verb == "read" else ("--store", str(self.folder / "store.sqlite"))
        status = journal.main([verb, *words, *store], REGISTRY.games.get, out, out)
        return status, out.getvalue()

    def read_journal(self) -> None:
        """Every verb that needs no store for itself alone."""
        status, words = self.journal("list")
        self.assertRegex(words, r"^1  [^ ]+  onitama  ann \(onitama\), bob \(onitama\)  2 entries  unfinished\n$")
        self.assertIn("ox c1 c2", self.journal("show", "1")[1])
        self.assertIn("</svg>", self.journal("draw", "1")[1])
        text = self.folder / "match.txt"
        text.write_text(self.journal("show", "1", "--notation")[1])
        self.assertIn("2 entries replayed; not finished", self.journal("read", str(text))[1])
        self.assertEqual(self.journal("verify"), (0, "1 tables, 3 rows: no faults\n"))
        status, words = self.journal("prune", "--before=2020-01-01")
        self.assertEqual(status, 1)
        self.assertIn("stop it first", words)

    def host(self, *options: str) -> HostProcess:
        return HostProcess(
            *DEAL, *options, wires=["onitama", "stratego-lines"], folder=self.folder, store="store.sqlite"
        )

    def change_accounts(self, host: HostProcess) -> None:
        """A new password and a new name, and then the end of the account; the log has no password."""
        carl = self.log_in(host, "carl", "first secret")
        self.patch(sys, "stdin", io.StringIO("second secret\n"))
        words = self.ask("account", "reset", "carl", "--stdin")
        self.assertEqual(words, "carl has a new password; connections closed: 1\n")
        self.assertEqual(carl.hear(), f"err {RESET}")
        self.log_in(host, "carl", "second secret").close()
        made = self.ask("account", "reset", "carl").splitlines()[1].removeprefix("password: ")
        self.assertIn("the account has the name Zoe now", self.ask("account", "rename", "carl", "Zoe"))
        self.log_in(host, "zoe", made).close()
        self.assertRegex(self.ask("account", "list"), "^Zoe  (here|away)  last log-in: [0-9-]{10}\n$")
        self.assertIn("Zoe is deleted", self.ask("account", "delete", "zoe"))
        self.assertEqual(self.ask("account", "list"), "")
        self.secrets = ["first secret", "second secret", made]

    def log_in(self, host: HostProcess, name: str, password: str) -> Socket:
        player = host.connect("stratego-lines")
        player.say(name, password)
        self.assertEqual([player.hear(), player.hear()], ["auth-req", "auth-ok"])
        return player

    def test_a_backup_and_the_way_back(self) -> None:
        """The journal is read and copied while a match goes on; a host on the backup knows the match as it was then."""
        copy = self.folder / "copy.sqlite"
        with self.host() as host:
            ann, bob = self.begin(host)
            self.read_journal()
            self.change_accounts(host)
            words = self.ask("backup", str(copy))
            self.assertRegex(words, rf"^{copy}: 3 rows and 0 accounts copied and checked, 0\.[0-9] MB\n$")
            bob.say("MAKE_MOVE|crab|c5|c4")
            self.assertEqual(ann.hear(), "MOVE_WAS_MADE|crab|c5|c4")
        self.assertIn("admin: backup file=", host.log)
        self.assertIn("admin: account reset name='carl'", host.log)
        for secret in self.secrets:
            self.assertNotIn(secret, host.log)
        for suffix in ("", ".hwm"):
            (self.folder / f"store.sqlite{suffix}").unlink()
            Path(f"{copy}{suffix}").rename(self.folder / f"store.sqlite{suffix}")
        for suffix in ("-wal", ".last", ".admin"):
            (self.folder / f"store.sqlite{suffix}").unlink()
        with self.host() as host:
            self.go_on(host)
