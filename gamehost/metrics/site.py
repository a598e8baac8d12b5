"""
The port for Prometheus: HTTP, and one address, `/metrics`.

The WSGI resource of prometheus-client is not used. It reads the values in another thread, where the host's parts must not be
read.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate
from math import inf
from typing import Any

from attrs import define, field
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IAddress, IListeningPort, IStreamServerEndpoint
from twisted.logger import Logger
from twisted.protocols.policies import ProtocolWrapper, WrappingFactory
from twisted.python.failure import Failure
from twisted.web.resource import Resource
from twisted.web.server import Request, Site

from gamehost.measures import Histogram
from gamehost.metrics.readers import METRICS, Kind, Measured, Metric, backlog_of


class HostCollector(Collector):
    """
    Reads a host.

    :param host: it need not run yet
    """

    def __init__(self, host: Measured) -> None:
        self._host = host

    def describe(self) -> Iterable[Family]:
        """The names alone, because the registry asks before the host runs."""
        return [_family(metric) for metric in METRICS]

    def collect(self) -> Iterator[Family]:
        for metric in METRICS:
            family = _family(metric)
            for labels, value in metric.read(self._host).items():
                if isinstance(family, HistogramMetricFamily):
                    assert isinstance(value, Histogram)
                    family.add_metric(labels, _buckets(value), value.total)
                else:
                    assert not isinstance(value, Histogram)
                    family.add_metric(labels, value)
            yield family


def new_registry(host: Measured) -> CollectorRegistry:
    """The metrics of a host and of its process."""
    registry = CollectorRegistry()
    registry.register(HostCollector(host))
    ProcessCollector(registry=registry)
    return registry


def _family(metric: Metric) -> CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily:
    words = metric.words[0].upper() + metric.words[1:] + "."
    if metric.kind is Kind.COUNTER:
        return CounterMetricFamily(metric.name, words, labels=metric.labels)
    if metric.kind is Kind.GAUGE:
        return GaugeMetricFamily(metric.name, words, labels=metric.labels)
    return HistogramMetricFamily(metric.name, words, labels=metric.labels)


def _buckets(histogram: Histogram) -> list[tuple[str, float]]:
    """The upper bound of each range, and how many values are not above it."""
    # A copy, because the journal's thread may add a value meanwhile.
    return [
        (floatToGoString(bound), number)
        for bound, number in zip((*histogram.bounds, inf), accumulate(histogram.counts[:]), strict=True)
    ]


#: Connections at once. Prometheus needs one.
MOST_CONNECTIONS = 16

#: Seconds after which a silent connection is closed. By default Prometheus asks once a minute.
IDLE_SECONDS = 90


class MetricsResource(Resource):
    """Answers with all metrics, in the format that the client asks for."""

    isLeaf = True

    def __init__(self, registry: CollectorRegistry) -> None:
        super().__init__()
        self._registry = registry

    def render_GET(self, request: Request) -> bytes:
        """The values as they are now."""
        encode, kind = choose_encoder(request.getHeader("accept") or "")
        request.setHeader("Content-Type", kind)
        return encode(self._registry)


class _SilentSite(Site):
    """A site whose requests are not logged: Prometheus asks again and again."""

    noisy = False
    displayTracebacks = False

    def log(self, request: Any) -> None:
        """Log nothing."""


class _BoundedFactory(WrappingFactory[ProtocolWrapper]):
    """The connections, no more than `MOST_CONNECTIONS`."""

    noisy = False

    def buildProtocol(self, addr: IAddress | None) -> ProtocolWrapper | None:  # type: ignore[override]
        """A connection, or none: then the port closes it."""
        return super().buildProtocol(addr) if len(self.protocols) < MOST_CONNECTIONS else None


def new_factory(host: Measured) -> WrappingFactory[ProtocolWrapper]:
    """The connections that may ask for a host's metrics."""
    root = Resource()
    root.putChild(b"metrics", MetricsResource(new_registry(host)))
    return _BoundedFactory(_SilentSite(root, timeout=IDLE_SECONDS, reactor=host.context.clock))


@define(eq=False)
class MetricsService:
    """
    One port for Prometheus; a `gamehost.service.Part`.

    :param description: the endpoint as the options name it
    """

    _description: str
    _endpoint: IStreamServerEndpoint
    _port: IListeningPort | None = None
    _factory: WrappingFactory[ProtocolWrapper] | None = field(default=None)

    log = Logger()

    def start(self, host: Measured) -> None:
        """Listen. From now on the host measures its acknowledgements. A port that is in use is left out."""
        backlog = backlog_of(host.store)
        if backlog is not None and backlog.measures.acknowledged is None:
            backlog.measures.acknowledged = Histogram()
        self._factory = new_factory(host)
        self._endpoint.listen(self._factory).addCallbacks(self._listening, self._not_listening)

    def stop(self) -> Deferred[None]:
        """Listen no more, and close the connections."""
        port, self._port = self._port, None
        for connection in () if self._factory is None else tuple(self._factory.protocols):
            connection.abortConnection()
        return (None if port is None else port.stopListening()) or succeed(None)

    def _listening(self, port: IListeningPort) -> None:
        self._port = port
        address: Any = port.getHost()
        where = f"{address.host}:{address.port}" if hasattr(address, "host") else self._description
        self.log.info("metrics listening on {where}", where=where)

    def _not_listening(self, failure: Failure) -> None:
        reason = f"--metrics: cannot listen on {self._description}: {failure.getErrorMessage()}"
        self.log.error("{reason}; this port is left out", reason=reason)
