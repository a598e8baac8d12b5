"""
The metrics in the form of the package prometheus-client, which is an extra: nothing else of the host imports this module.

Each host has a registry of its own. The values are read when they are asked for, on the reactor's thread.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate
from math import inf

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from gamehost.measures import Histogram
from gamehost.metrics.readers import Measured
from gamehost.metrics.table import METRICS, Kind, Metric


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
        """All metrics as they are now."""
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
