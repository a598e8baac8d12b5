"""The host as a process of its own, for the few tests that need real sockets and real signals."""

import datetime
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from unittest import SkipTest

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from tests.kit import fork_server
from tests.kit.fork_server import ROOT as ROOT
from tests.kit.fork_server import Process, start

#: Seconds for a process to end. One that hangs fails its test instead of stopping the suite, however busy the machine is.
PATIENCE = 600

_LISTENING = re.compile(r"(?P<wire>[a-z-]+) listening on (?P<address>[0-9.]+):(?P<port>[0-9]+)")


class HostProcess:
    """
    `gamehost run` in a folder of its own, on ports that are free; a context manager that leaves no process behind.

    :param options: added to those that let tests come from one address as fast as they like
    :param folder: where it runs, and keeps its store
    :param module: what is run; `tests.kit.altered_hosts` has others
    :param environment: added to this process's own
    :param address: where its ports are
    """

    def __init__(
        self,
        *options: str,
        wires: Sequence[str],
        folder: Path | None = None,
        store: str = "memory",
        module: str = "gamehost",
        environment: Mapping[str, str] = {},
        address: str = "127.0.0.1",
    ) -> None:
        self.address = address
        self._module = module
        self._environment = environment
        self._temporary = tempfile.TemporaryDirectory() if folder is None else None
        self.folder = folder or Path(self._temporary.name if self._temporary else ".")
        endpoints = [f"--{wire}=tcp:0:interface={address}" for wire in wires]
        silent = [f"--{wire}=" for wire in (*all_wires(), "web") if wire not in wires]
        # All players of a test are at one address, come back at once, and may be slow.
        limits = ("unlimited=yes", "keyless_resume_seconds=0", f"login_seconds={PATIENCE}")
        lifted = [*(f"--set=limits.{one}" for one in limits), "--house=0"]
        self._arguments = [*endpoints, *silent, f"--store={store}", *lifted, *options]
        self.ports: dict[str, int] = {}
        self.log = ""

    def __enter__(self) -> "HostProcess":
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **self._environment}
        self.process: Process = start(self._module, self._arguments, self.folder, environment)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.log += line.decode("utf-8")
            if (match := _LISTENING.search(self.log.splitlines()[-1])) is not None and match["address"] == self.address:
                self.ports[match["wire"]] = int(match["port"])
            if "gamehost ready" in self.log:
                return self
        raise AssertionError(f"the host did not start, status {self.process.wait(PATIENCE)}:\n{self.log}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        if self.process.stdout is not None:
            self.log += self.process.stdout.read().decode("utf-8")
            self.process.stdout.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    def until(self, words: str) -> str:
        """Wait until the log has a line with these words, a regular expression. Returns what they stand for."""
        while (found := re.search(words, self.log)) is None:
            assert self.process.stdout is not None
            line = self.process.stdout.readline()
            assert line, f"the log has no {words!r}:\n{self.log}"
            self.log += line.decode("utf-8")
        return found[0]

    def connect(self, wire: str) -> "Socket":
        return Socket(self.ports[wire])

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)

    def stop(self) -> tuple[int, float]:
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE), time.monotonic() - began


class Socket:
    """A client's end of a real connection, line by line, each with the same end."""

    def __init__(self, port: int, end: bytes = b"\n") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self._end = end
        self._unread = b""

    def say(self, *lines: str) -> None:
        self.socket.sendall(b"".join(line.encode("utf-8") + self._end for line in lines))

    def hear(self) -> str:
        while self._end not in self._unread:
            data = self.socket.recv(4096)
            if not data:
                return ""
            self._unread += data
        line, self._unread = self._unread.split(self._end, 1)
        return line.decode("utf-8")

    def close(self) -> None:
        self.socket.close()


def all_wires() -> list[str]:
    """The names of all wires there are."""
    from gamehost.plugins import WIRES

    return [wire.name for wire in WIRES]


# Keys and certificates for tests: an authority, one in between, and leaves, made anew each time.


_USES = {"server": ExtendedKeyUsageOID.SERVER_AUTH, "client": ExtendedKeyUsageOID.CLIENT_AUTH}

_BEGAN = datetime.datetime(2020, 1, 1)


def new_key() -> Any:
    return ec.generate_private_key(ec.SECP256R1())


def pem_key(key: Any, password: bytes | None = None) -> bytes:
    """As it stands in a file."""
    encryption: Any = (
        serialization.NoEncryption() if password is None else serialization.BestAvailableEncryption(password)
    )
    data: bytes = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)
    return data


def certificate(
    name: str,
    key: Any,
    issuer: str,
    issuer_key: Any,
    years: int = 30,
    serial: int = 7,
    address: str = "",
    authority: bool = False,
    use: str = "",
) -> bytes:
    """A certificate for a name, in PEM; also for an address, or for one use alone: `server` or `client`."""
    also = [x509.IPAddress(IPv4Address(address))] if address else []
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(serial)
        .not_valid_before(_BEGAN)
        .not_valid_after(_BEGAN + datetime.timedelta(days=365 * years))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name), *also]), False)
        .add_extension(x509.BasicConstraints(authority, None), True)
    )
    if use:
        builder = builder.add_extension(x509.ExtendedKeyUsage([_USES[use]]), False)
    data: bytes = builder.sign(issuer_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    return data


def write_folder(folder: Path, serial: int = 7) -> None:
    """A folder as `certbot` leaves one: the key, the leaf, what vouches for it, and both together."""
    folder.mkdir(exist_ok=True)
    root, middle, leaf = new_key(), new_key(), new_key()
    own = certificate("games.example", leaf, "middle", middle, serial=serial)
    chain = certificate("middle", middle, "root", root, authority=True)
    for name, data in (
        ("privkey.pem", pem_key(leaf)),
        ("cert.pem", own),
        ("chain.pem", chain),
        ("fullchain.pem", own + chain),
    ):
        _write(folder / name, data)


def write_members(authority: Path, *folders: tuple[Path, str, str], **more: Any) -> None:
    """Folders of members of a cluster, each with a name and an address, and the file of the authority of all."""
    root = new_key()
    _write(authority, certificate("root", root, "root", root, authority=True))
    for folder, name, address in folders:
        folder.mkdir(exist_ok=True)
        key = new_key()
        _write(folder / "privkey.pem", pem_key(key))
        _write(folder / "cert.pem", certificate(name, key, "root", root, address=address, **more))
        more = {}


def _write(path: Path, data: bytes) -> None:
    path.touch(0o600)
    path.chmod(0o600)
    path.write_bytes(data)


# The bots of the documentation, as processes: they play on while the host is killed and started again.


_WON = re.compile(r"game [0-9]+ won by (.+)")


class Bots:
    """Bots as processes of their own, one for each command; a context manager that leaves none behind."""

    def __init__(self, *commands: Sequence[str]) -> None:
        self.processes = [
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for command in commands
        ]

    def __enter__(self) -> "Bots":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for process in self.processes:
            process.kill()
            process.wait(PATIENCE)
            if process.stdout is not None:
                process.stdout.close()

    def wait_for(self, word: str) -> str:
        printed = ""
        output = self.processes[0].stdout
        assert output is not None
        for line in output:
            printed += line
            if word in line:
                return printed
        raise AssertionError(f"the bot ended without {word!r}: {printed}")

    def finish(self) -> list[str]:
        printed = [process.communicate(timeout=PATIENCE)[0] for process in self.processes]
        assert [process.returncode for process in self.processes] == [0] * len(printed), printed
        return printed


def winners(printed: str) -> list[str]:
    """Who won, game by game."""
    return _WON.findall(printed)


def play_through_a_kill(wire: str, folder: Path, *commands: Sequence[str]) -> list[str]:
    """
    Two bots begin to play, the host is killed and started again on the same port, and they play all their games.

    :param commands: as for `Bots`, with `PORT` in place of the port
    :return: what each of them printed
    """
    folder.mkdir()
    store = "store.sqlite"
    with HostProcess(wires=[wire], folder=folder, store=store) as host:
        port = str(host.ports[wire])
        with Bots(*([word.replace("PORT", port) for word in command] for command in commands)) as bots:
            begun = bots.wait_for("playing")
            host.kill()
            bots.wait_for("trying again")
            with HostProcess(f"--{wire}=tcp:{port}:interface=127.0.0.1", wires=[wire], folder=folder, store=store):
                printed = bots.finish()
    return [begun + printed[0], *printed[1:]]


# The bots of the documentation, as commands for `gamehost check`.


BOTS = ROOT / "docs" / "bots"
PORT = ("--port", "{port}")


def run(*arguments: str, timeout: float = PATIENCE) -> tuple[int, str, str]:
    """The exit status of `gamehost check`, what it printed, and its complaints."""
    ended = fork_server.run("gamehost", "check", *arguments, timeout=timeout)
    return ended.returncode, ended.stdout, ended.stderr


def check(wire: str, scenarios: tuple[str, ...], *command: str, timeout: float = PATIENCE) -> tuple[int, Any]:
    """The exit status, and the report; by default of all scenarios, those with a lost connection of the client too."""
    chosen = [word for name in scenarios for word in ("--scenario", name)] or ["--reconnect"]
    status, printed, complaints = run(wire, *chosen, "--format=json", "--", *command, timeout=timeout)
    return status, json.loads(printed) if printed else complaints


def python_bot(name: str, *words: str) -> list[str]:
    return [sys.executable, str(BOTS / f"{name}_bot.py"), "{name}", *words, *PORT]


def node() -> list[str]:
    """What runs a script for Node; without it the test is skipped."""
    found = shutil.which("node")
    if found is None:
        raise SkipTest("there is no node on this machine")
    return [found]


def node_bot() -> list[str]:
    """The bot for Node; without it the test is skipped."""
    return [*node(), str(BOTS / "onitama_bot.js"), "{name}", "--port", "{port}"]


#: The client libraries for other languages.
CLIENTS = ROOT / "clients"
#: What the bots of these libraries are told by `gamehost check`.
CLIENT_WORDS = ("{name}", "onitama", *PORT)
#: Options that make a short run of a Java program start quickly.
QUICK_JAVA = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")


def java(classes: Path | None = None) -> list[str]:
    """What runs a class in this folder; without a JDK the test is skipped."""
    found = shutil.which("java")
    if found is None or shutil.which("javac") is None:
        raise SkipTest("there is no JDK on this machine: java and javac are needed")
    return [found, *QUICK_JAVA, "-cp", str(classes)]


def compiled_java(folder: Path, *programs: Path) -> None:
    """Compile the client library in Java, its bots, and other programs, into a folder, if there is a JDK."""
    java()
    sources = [*(CLIENTS / "java").rglob("*.java"), *programs]
    options = [f"-J{option}" for option in QUICK_JAVA]
    command = ["javac", *options, "--release", "17", "-Xlint:all", "-Werror", "-d", str(folder), *map(str, sources)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout


def js_client() -> list[str]:
    """The bot of the client library for Node, if there is one."""
    return [*node(), str(CLIENTS / "js" / "all_games_bot.js"), *CLIENT_WORDS]


def java_client(folder: Path) -> list[str]:
    """The bot of the client library in Java, compiled into a folder, if there is a JDK."""
    compiled_java(folder)
    return [*java(folder), "AllGamesBot", *CLIENT_WORDS]


def c_bot(folder: Path) -> list[str]:
    """The bot in C, compiled into a folder, if there is a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise SkipTest("there is no C compiler named cc on this machine")
    folder.mkdir(parents=True)
    program = str(folder / "bot")
    warnings = ["-std=c99", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([compiler, *warnings, "-o", program, str(BOTS / "stratego_frames_bot.c")], check=True)
    return [program, "{name}", "--port", "{port}"]


def ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode:
        raise SkipTest(f"ip {' '.join(words)}: {done.stderr.strip()}")


class NameSpaces:
    """
    Networks of their own, and links to this one; all are gone when the context ends.

    :raises SkipTest: on entering: this system has no such thing, or this user may not
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self._links: list[str] = []

    def __enter__(self) -> Self:
        if shutil.which("ip") is None or os.geteuid() != 0:
            raise SkipTest("network name spaces need Linux, the program `ip` and root")
        return self

    def __exit__(self, *exc_info: object) -> None:
        for kind, names in (("link", self._links), ("netns", self.names)):
            for name in names:
                subprocess.run(["ip", kind, "delete", name], capture_output=True)

    def add(self, name: str) -> str:
        ip("netns", "add", name)
        self.names.append(name)
        ip("-n", name, "link", "set", "lo", "up")
        return name

    def link(self, name: str, port: str, space: str) -> None:
        """Lay a link from this network to a name space, where its end is called `port`."""
        ip("link", "add", name, "type", "veth", "peer", "name", port, "netns", space)
        self._links.append(name)
