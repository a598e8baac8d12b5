"""
The port for Prometheus: HTTP, and one address, `/metrics`.

The WSGI resource of prometheus-client is not used. It reads the values in another thread, where the host's parts must not be
read.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate
from math import inf

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString
from twisted.web.resource import Resource
from twisted.web.server import Request

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


class MetricsResource(Resource):
    """Answers with all metrics, in the format that the client asks for."""

    isLeaf = True

    def __init__(self, registry: CollectorRegistry) -> None:
        super().__init__()
        self._registry = registry

    def render_GET(self, request: Request) -> bytes:
        encode, kind = choose_encoder(request.getHeader("accept") or "")
        request.setHeader("Content-Type", kind)
        return encode(self._registry)


def metrics_root(host: Measured) -> Resource:
    """What answers at `/metrics`. From now on the host measures its acknowledgements."""
    backlog = backlog_of(host.store)
    if backlog is not None and backlog.measures.acknowledged is None:
        backlog.measures.acknowledged = Histogram()
    root = Resource()
    root.putChild(b"metrics", MetricsResource(new_registry(host)))
    return root
