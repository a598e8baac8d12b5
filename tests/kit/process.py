"""The host as a process of its own, for the few tests that need real sockets and real signals."""

import os
import re
import signal
import socket
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from tests.kit.fork_server import ROOT as ROOT
from tests.kit.fork_server import Process, start

_LISTENING = re.compile(r"(?P<wire>[a-z-]+) listening on (?P<address>[0-9.]+):(?P<port>[0-9]+)")


class HostProcess:
    """
    `gamehost run` in a folder of its own, on ports that are free; a context manager that leaves no process behind.

    :param options: added to those that let tests come from one address as fast as they like
    :param folder: where it runs, and keeps its store
    :param module: what is run; tests of the tests run a host with a fault
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
        # All players of a test are at one address, and come back at once.
        lifted = ["--set=limits.unlimited=yes", "--set=limits.keyless_resume_seconds=0", "--house=0"]
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
        raise AssertionError(f"the host did not start, status {self.process.wait(10)}:\n{self.log}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
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
        """A connection to one of the wires."""
        return Socket(self.ports[wire])

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait(10)

    def stop(self) -> tuple[int, float]:
        """SIGTERM; the exit status, and the seconds it took."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(10), time.monotonic() - began


class Socket:
    """
    A client's end of a real connection, line by line.

    :param end: what a line ends with
    """

    def __init__(self, port: int, end: bytes = b"\n") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self._end = end
        self._unread = b""

    def say(self, *lines: str) -> None:
        """Send whole lines."""
        self.socket.sendall(b"".join(line.encode("utf-8") + self._end for line in lines))

    def hear(self) -> str:
        """The next line; empty when the connection has ended."""
        while self._end not in self._unread:
            data = self.socket.recv(4096)
            if not data:
                return ""
            self._unread += data
        line, self._unread = self._unread.split(self._end, 1)
        return line.decode("utf-8")

    def close(self) -> None:
        """Be gone."""
        self.socket.close()


def all_wires() -> list[str]:
    """The names of all wires there are."""
    from gamehost.plugins import WIRES

    return [wire.name for wire in WIRES]
