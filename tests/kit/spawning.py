"""A reactor in memory that starts processes which do what the test says."""

from collections.abc import Sequence
from typing import Any

from twisted.internet.error import ProcessTerminated
from twisted.internet.testing import MemoryReactorClock
from twisted.python.failure import Failure


class Process:
    """A process, as its protocol sees it."""

    def __init__(self, protocol: Any, command: Sequence[str]) -> None:
        self.protocol = protocol
        self.command = command
        self.written = b""
        self.closed = False
        self.signals: list[str] = []

    def writeToChild(self, fd: int, data: bytes) -> None:
        self.written += data

    def closeStdin(self) -> None:
        self.closed = True

    def signalProcess(self, signal: str) -> None:
        self.signals.append(signal)

    def says(self, data: bytes) -> None:
        """Write to standard output."""
        self.protocol.outReceived(data)

    def complains(self, data: bytes) -> None:
        """Write to standard error."""
        self.protocol.errReceived(data)

    def end(self) -> None:
        """End."""
        self.protocol.processEnded(Failure(ProcessTerminated(1)))


class SpawningReactor(MemoryReactorClock):
    """All processes that were started."""

    def __init__(self) -> None:
        super().__init__()
        self.processes: list[Process] = []

    def spawnProcess(self, protocol: Any, executable: str, command: Sequence[str], env: Any) -> Process:
        """Start a process."""
        process = Process(protocol, command)
        self.processes.append(process)
        protocol.makeConnection(process)
        return process
