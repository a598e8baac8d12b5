"""A host in memory whose metrics are read, and what Prometheus makes of them."""

from collections.abc import Sequence
from typing import Any

from attrs import define, field
from prometheus_client.parser import text_string_to_metric_families
from twisted.internet.testing import MemoryReactorClock

from gamehost.measures import Histogram
from gamehost.net.connection import WireFactory
from gamehost.net.context import HostContext
from gamehost.ops.worker import SerialWorker
from gamehost.storage.writer import Backlog
from gamehost.testing.journals import RecordingJournal
from gamehost.web.site import WebSite
from tests.kit.memory_host import MemoryHost

#: The name of a sample, and its labels.
Key = tuple[str, tuple[tuple[str, str], ...]]


class MeasuredJournal(RecordingJournal):
    """A store with the properties that a service reads."""

    pressure = 0
    room = 0
    skipped: Sequence[str] = ()

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
    """Every value of an answer, by the name of the sample and its labels."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(found: dict[Key, float], name: str, **labels: str) -> float:
    """One value; 0 if there is none."""
    return found.get((name, tuple(sorted(labels.items()))), 0.0)
