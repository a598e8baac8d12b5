"""What stands for a part of the reactor or of the system in tests: a clock, a worker, a process, the log, measurements."""

from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field
from prometheus_client.parser import text_string_to_metric_families
from twisted.internet.error import ProcessTerminated
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactorClock
from twisted.logger import ILogObserver, LogEvent, LogLevel, formatEvent, globalLogPublisher
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

from gamehost.measures import Histogram
from gamehost.net.connection import WireFactory
from gamehost.net.context import HostContext
from gamehost.ops.workers import SerialWorker
from gamehost.storage.durable import Backlog
from gamehost.testing.journals import RecordingJournal
from gamehost.web.site import WebSite
from tests.kit.memory_host import MemoryHost

# A clock whose time a test can advance turn by turn, as a reactor does: what is set in a turn is due in the next one.


class TurnClock(Clock):
    """`Clock.advance` calls what is due, and also what those calls set for now. `turn` does not do that."""

    def turn(self) -> int:
        """Call what is due now; how many calls there were."""
        due = [call for call in self.calls if call.getTime() <= self.seconds()]
        for call in due:
            if call in self.calls:  # not cancelled meanwhile
                self.calls.remove(call)
                call.called = 1
                call.func(*call.args, **call.kw)
        return len(due)


# A worker whose work is done when the test says so.


class HeldWorker:
    def __init__(self) -> None:
        self.held: list[tuple[Callable[[], Any], Callable[[Any], None]]] = []
        #: How many pieces of work were done.
        self.done = 0

    def __call__(self, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        self.held.append((work, done))

    def release(self, number: int | None = None) -> int:
        before = self.done
        while self.held and (number is None or self.done - before < number):
            work, done = self.held.pop(0)
            self.done += 1
            done(work())
        return self.done - before


# What was logged, as text, for tests that read it.


@implementer(ILogObserver)
class Lines:
    """An observer that keeps every event; of Twisted's own tests' log nothing is taken away."""

    def __init__(self) -> None:
        self.events: list[LogEvent] = []

    def __call__(self, event: LogEvent) -> None:
        self.events.append(event)

    def of(self, level: LogLevel) -> list[str]:
        """The texts of one level."""
        return [formatEvent(event) for event in self.events if event.get("log_level") is level]


def logged(case: SynchronousTestCase) -> Lines:
    """What is logged from now on, until the test ends."""
    lines = Lines()
    globalLogPublisher.addObserver(lines)
    case.addCleanup(globalLogPublisher.removeObserver, lines)
    return lines


# A reactor in memory that starts processes which do what the test says.


class Process:
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
        self.protocol.outReceived(data)

    def complains(self, data: bytes) -> None:
        self.protocol.errReceived(data)

    def end(self) -> None:
        self.protocol.processEnded(Failure(ProcessTerminated(1)))


class SpawningReactor(MemoryReactorClock):
    def __init__(self) -> None:
        super().__init__()
        self.processes: list[Process] = []

    def spawnProcess(self, protocol: Any, executable: str, command: Sequence[str], env: Any) -> Process:
        process = Process(protocol, command)
        self.processes.append(process)
        protocol.makeConnection(process)
        return process


# A host in memory whose metrics are read, and what Prometheus makes of them.


#: The name of a sample, and its labels.
Key = tuple[str, tuple[tuple[str, str], ...]]


class MeasuredJournal(RecordingJournal):
    """A store with the properties that a service reads."""

    def __init__(self) -> None:
        super().__init__()
        self.backlog = Backlog(lambda: 0.0)


@define(eq=False)
class MeasuredHost:
    """The parts of a host in memory that `gamehost.metrics` reads."""

    world: MemoryHost = field(factory=lambda: MemoryHost(journal=MeasuredJournal()))
    sites: Sequence[WebSite] = ()
    worker: SerialWorker = field(factory=lambda: SerialWorker(MemoryReactorClock()))
    lag: Histogram = field(factory=Histogram)
    not_serving: str | None = None

    @property
    def context(self) -> HostContext:
        return self.world.context

    @property
    def store(self) -> Any:
        return self.world.journal

    @property
    def factories(self) -> list[WireFactory[Any]]:
        return list(self.world.factories.values())


def samples(text: str) -> dict[Key, float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(found: dict[Key, float], name: str, **labels: str) -> float:
    return found.get((name, tuple(sorted(labels.items()))), 0.0)
