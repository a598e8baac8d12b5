"""
A process that has imported the host, and forks a copy of itself for each command that is to run. To import the host takes
most of a second of a core, so the many tests that start one are much quicker.

A copy is a process like any other: it has its own folder, environment, arguments and files, and ends by itself or by a signal.
Only its parent is another one, and it has imported modules that it may never need. `make test` uses this (Linux only). All
other targets, and whoever runs trial by hand, start each process anew.

Run as a program, this is the server: it reads requests from the socket that is its standard input.
"""

import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Protocol

ROOT = Path(__file__).parents[2]

#: Set by `make test`.
VARIABLE = "GAMEHOST_FORK_SERVER"

#: What nearly all commands import. None of them imports the reactor.
MODULES = (
    *("gamehost.tap", "gamehost.extras.check.command", "gamehost.extras.check.trace", "gamehost.extras.bots.command"),
    *("gamehost.commands.journal", "gamehost.commands.admin", "gamehost.extras.contest.command"),
    *("twisted.scripts.twistd", "twisted.plugins.twisted_core", "twisted.web.server", "twisted.internet.endpoints"),
)

LONGEST_REQUEST = 1 << 20


class Process(Protocol):
    """What tests use of a process, as `subprocess.Popen` has it."""

    pid: int
    returncode: int | None
    stdout: IO[bytes] | None

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def send_signal(self, sig: int) -> None: ...

    def kill(self) -> None: ...


class ForkedProcess:
    """A process that the server has made. Its number and its status at the end are written to `status`."""

    def __init__(self, status: socket.socket, stdout: IO[bytes] | None) -> None:
        self._status = status
        self.pid = int(status.recv(64))
        self.returncode: int | None = None
        self.stdout = stdout

    def poll(self) -> int | None:
        """The status, as `subprocess` has it; `None`: it runs."""
        if self.returncode is None and select.select([self._status], [], [], 0)[0]:
            self._read()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The status, when it has ended; `TimeoutExpired` if it has not."""
        if self.returncode is None:
            if not select.select([self._status], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0.0)
            self._read()
        assert self.returncode is not None
        return self.returncode

    def _read(self) -> None:
        self.returncode = os.waitstatus_to_exitcode(int(self._status.recv(64)))
        self._status.close()

    def send_signal(self, sig: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, sig)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class _Client:
    """The server of this process. It ends when this process does."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", __name__]
        with theirs:
            self._server = subprocess.Popen(command, stdin=theirs.fileno(), cwd=ROOT, env=environment)

    def start(self, request: Mapping[str, Any], stdout: int, stderr: int) -> socket.socket:
        """Have a process started. Its number and its status come on the socket."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            socket.send_fds(self._socket, [json.dumps(request).encode()], [stdout, stderr, theirs.fileno()])
        return ours


_clients: list[_Client] = []


def start(
    module: str, arguments: Sequence[str], cwd: Path, environment: Mapping[str, str], separate: IO[bytes] | None = None
) -> Process:
    """
    Run a module as a program, with the interpreter of this process. Its output can be read from `stdout`.

    :param module: of `tests.kit.altered_hosts` with the name of what is altered, behind a colon
    :param separate: where its standard error goes; by default it is one with the output
    """
    module, _, altered = module.partition(":")
    if altered:
        environment = {**environment, "GAMEHOST_ALTERED": altered}
    forked = os.environ.get(VARIABLE) == "yes" and hasattr(os, "pidfd_open")
    # Somebody who asks for other packages needs an interpreter that looks for them, and a library that comes before others
    # needs a new process. A module of the benchmarks changes the host before it is imported.
    anew = environment.get("PYTHONPATH") != str(ROOT) or "LD_PRELOAD" in environment
    if not forked or anew or module.startswith("benchmarks."):
        errors: int | IO[bytes] = subprocess.STDOUT if separate is None else separate
        return subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=cwd,
            env=dict(environment),
            stdout=subprocess.PIPE,
            stderr=errors,
            stdin=subprocess.DEVNULL,
        )
    if not _clients:
        _clients.append(_Client())
    reading, writing = os.pipe()
    request = {"module": module, "arguments": list(arguments), "cwd": str(cwd), "environment": dict(environment)}
    try:
        status = _clients[0].start(request, writing, writing if separate is None else separate.fileno())
    finally:
        os.close(writing)
    return ForkedProcess(status, os.fdopen(reading, "rb"))


def run(module: str, *arguments: str, cwd: Path = ROOT, timeout: float = 60.0) -> "subprocess.CompletedProcess[str]":
    """Run a module as a program until it ends: its status, its output and its errors; `TimeoutExpired` if it does not."""
    with tempfile.TemporaryFile() as errors:
        process = start(module, arguments, cwd, {**os.environ, "PYTHONPATH": str(ROOT)}, errors)
        assert process.stdout is not None
        with process.stdout as out:
            watch = threading.Timer(timeout, process.kill)
            watch.start()
            output = out.read().decode()
        status = process.wait(timeout)
        watch.cancel()
        errors.seek(0)
        return subprocess.CompletedProcess([module, *arguments], status, output, errors.read().decode())


class _Server:
    """Forks on request, and tells who asked how each copy ended."""

    def __init__(self) -> None:
        self._requests = socket.socket(fileno=os.dup(0))
        self._poll = select.poll()
        self._poll.register(self._requests, select.POLLIN)
        #: By the descriptor that becomes readable when the process ends: its number, and who wants to know.
        self._running: dict[int, tuple[int, socket.socket]] = {}

    def serve(self) -> Mapping[str, Any] | None:
        """What to run, in a copy; `None` in the server, when nobody is left who could ask."""
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor != self._requests.fileno():
                    self._ended(descriptor)
                    continue
                data, files, _, _ = socket.recv_fds(self._requests, LONGEST_REQUEST, 3)
                if not data:
                    return None
                request: Mapping[str, Any] = json.loads(data)
                pid = os.fork()
                if not pid:
                    self._become(files)
                    return request
                self._started(pid, files)

    def _started(self, pid: int, files: Sequence[int]) -> None:
        for file in set(files[:2]):
            os.close(file)
        status = socket.socket(fileno=files[2])
        status.send(str(pid).encode())
        ends = os.pidfd_open(pid)
        self._running[ends] = pid, status
        self._poll.register(ends, select.POLLIN)

    def _ended(self, descriptor: int) -> None:
        self._poll.unregister(descriptor)
        os.close(descriptor)
        pid, status = self._running.pop(descriptor)
        with status:
            ended = os.waitpid(pid, 0)[1]
            with suppress(OSError):  # nobody may want to know
                status.send(str(ended).encode())

    def _become(self, files: Sequence[int]) -> None:
        """In a copy: have the files of the new process, and none of the server."""
        self._requests.close()
        for ends, (_, status) in self._running.items():
            os.close(ends)
            status.close()
        for number, file in enumerate((os.open(os.devnull, os.O_RDONLY), files[0], files[1])):
            os.dup2(file, number)
        os.closerange(3, max(*files, 3) + 64)


def main() -> Mapping[str, Any] | None:
    """The server, until a copy has something to run."""
    for name in MODULES:
        importlib.import_module(name)
    assert "twisted.internet.reactor" not in sys.modules
    gc.collect()
    gc.freeze()
    return _Server().serve()


def become(request: Mapping[str, Any]) -> None:
    """In a copy: run what was asked for, as `python -m` does."""
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["cwd"])
    sys.path[0] = request["cwd"]
    sys.argv[1:] = request["arguments"]
    # Python's own streams still believe what is true of the server's output, for example that one can seek in it.
    sys.stdout, sys.stderr = (
        open(number, "w", closefd=False, errors=how)  # noqa: SIM115
        for number, how in ((1, "strict"), (2, "backslashreplace"))
    )
    runpy.run_module(request["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    requested = main()
    if requested is not None:
        become(requested)
