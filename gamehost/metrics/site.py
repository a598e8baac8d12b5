"""
Metrics for Prometheus: the list of all metrics, the functions that read their values from the host, and the site that
answers at `/metrics`.

The WSGI resource of prometheus-client is not used, because it reads the values in another thread, where the parts of
the host must not be read.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import inf
from typing import Any, TypeAlias

from attrs import frozen
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

import gamehost
from gamehost.lobby.lobby import Lobby
from gamehost.measures import Histogram
from gamehost.metrics.health import OwnerSite
from gamehost.net.connection import WireFactory
from gamehost.net.limiter import BANNED, CLOSED, KINDS
from gamehost.service import GameHostService, factories
from gamehost.storage.durable import Backlog, backlog_of
from gamehost.web.http import Access, Answer, Asked, refused
from gamehost.web.server import Answering

#: The values of a metric: each key has the values of the labels, in their order.
Values: TypeAlias = Mapping[tuple[str, ...], float | Histogram]

Reader: TypeAlias = Callable[[GameHostService], Values]


def _lobby(host: GameHostService) -> Lobby:
    return host.context.lobby


def by_wire(value: Callable[[WireFactory[Any]], int]) -> Reader:
    """Make the reader of a metric with one value for each wire: the sum over all ports of the wire."""

    def read(host: GameHostService) -> Values:
        """Add the values of all ports of each wire."""
        found: Counter[tuple[str, ...]] = Counter()
        for wire, factory in factories(host):
            found[wire,] += value(factory)
        return found

    return read


def one(value: Callable[[GameHostService], float | Histogram]) -> Reader:
    """Make the reader of a metric with a single value and no labels."""
    return lambda host: {(): value(host)}


def of_backlog(value: Callable[[Backlog], float | Histogram | None]) -> Reader:
    """
    Make the reader of a metric about changes that wait for the disk. For a store in memory the metric has no value.
    """

    def read(host: GameHostService) -> Values:
        """Returns the one value of the metric. If no changes can wait, as in memory, the metric has no value."""
        backlog = backlog_of(host.store)
        found = None if backlog is None else value(backlog)
        return {} if found is None else {(): found}

    return read


def hang_ups(host: GameHostService) -> Values:
    """How many connections the host has ended, by wire and reason."""
    found: Counter[tuple[str, ...]] = Counter()
    for wire, factory in factories(host):
        found[wire, "fault"] += 0  # exists from the start, so that an alert sees the first fault
        for reason, number in factory.hang_ups.items():
            found[wire, reason] += number
    return found


def tables(host: GameHostService) -> Values:
    """How many tables there are, by game and phase, without the sleeping ones."""
    return Counter((table.game.name, table.phase.value) for table in _lobby(host).tables.values())


def waiting(host: GameHostService) -> Values:
    """How many players wait in queues, and how many open tables wait for players, together, by game."""
    found = _lobby(host).directory.waiting_here()
    return {(game,): len(here.names) + len(here.tables) for game, here in found.items()}


def matches_ended(host: GameHostService) -> Values:
    """How many matches have ended, by game, and by whether there was a result."""
    ended = _lobby(host).context.counts.ended
    return {(game, "finished" if finished else "archived"): number for (game, finished), number in ended.items()}


def connections_refused(host: GameHostService) -> Values:
    """
    How many connections were refused, by reason. All reasons exist from the start, so that an alert sees the first
    refusal.
    """
    refusals = host.context.limiter.refusals
    return {(reason,): refusals[reason] for reason in (*KINDS.values(), BANNED, CLOSED)}


def http_refused(host: GameHostService) -> Values:
    """How many HTTP connections and HTTP requests were refused."""
    limiter = host.context.http_limiter
    return {("connection",): limiter.refused_connections, ("request",): limiter.refused_requests}


#: The type of a metric for Prometheus.
Kind: TypeAlias = type[CounterMetricFamily] | type[GaugeMetricFamily] | type[HistogramMetricFamily]


@frozen
class Metric:
    """One metric of the list: its names and texts, and the function that reads its values."""

    #: The name in Prometheus. Names of counters end with `_total`; times are in seconds.
    name: str
    kind: Kind
    #: The meaning, for the help text and the documentation.
    words: str
    labels: tuple[str, ...]
    read: Reader


def family_of(metric: Metric) -> CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily:
    """Make the object of the Prometheus library for a metric, still without values."""
    return metric.kind(metric.name, f"{metric.words[0].upper()}{metric.words[1:]}.", labels=metric.labels)


def counter(name: str, words: str, read: Reader, *labels: str) -> Metric:
    """Define a metric that only grows."""
    return Metric(name, CounterMetricFamily, words, labels, read)


def gauge(name: str, words: str, read: Reader, *labels: str) -> Metric:
    """Define a metric that can grow and shrink."""
    return Metric(name, GaugeMetricFamily, words, labels, read)


def histogram(name: str, words: str, read: Reader) -> Metric:
    """Define a metric that counts how often values fall into ranges."""
    return Metric(name, HistogramMetricFamily, words, (), read)


_CONNECTIONS = (
    gauge("gamehost_connections", "open connections", by_wire(lambda one: len(one.connections)), "wire"),
    counter("gamehost_connections_total", "connections that were admitted", by_wire(lambda one: one.admitted), "wire"),
    counter("gamehost_connections_refused_total", "connections that were refused", connections_refused, "reason"),
    counter("gamehost_hangups_total", "connections that the host ended", hang_ups, "wire", "reason"),
    counter(
        "gamehost_refusals_total",
        "refused messages, illegal moves among them",
        by_wire(lambda one: one.refusals),
        "wire",
    ),
    gauge(
        "gamehost_http_connections",
        "open connections of browsers that ask for pages",
        one(lambda host: host.context.http_limiter.count),
    ),
    counter("gamehost_http_refused_total", "refused connections and requests of browsers", http_refused, "kind"),
)

_PLAYERS = (
    counter(
        "gamehost_logins_total",
        "log-ins; replaced: accepted, and an older connection of the player ended",
        lambda host: {labels: number for labels, number in _lobby(host).log_ins.counts.items()},
        "wire",
        "identity",
        "result",
    ),
    gauge(
        "gamehost_sessions",
        "players that are logged in",
        lambda host: Counter((session.wire,) for session in _lobby(host).registry.present()),
        "wire",
    ),
    gauge(
        "gamehost_names", "names in use, those of absent players included", one(lambda host: len(_lobby(host).registry))
    ),
    gauge("gamehost_waiting", "players and open tables that wait for players", waiting, "game"),
    gauge(
        "gamehost_login_quota_waiting",
        "log-ins that wait because a quota is used up",
        one(lambda host: _lobby(host).login_service.waiting_for_quota),
    ),
    gauge(
        "gamehost_login_passwords_waiting",
        "log-ins that wait for the check of a password",
        one(lambda host: _lobby(host).login_service.waiting_for_worker),
    ),
    gauge(
        "gamehost_worker_waiting",
        "pieces of work that the worker thread has before it",
        one(lambda host: host.worker.waiting),
    ),
)

_MATCHES = (
    gauge("gamehost_tables", "tables in memory", tables, "game", "phase"),
    gauge(
        "gamehost_sleeping_tables",
        "tables with no player present",
        one(lambda host: len(_lobby(host).registry.sleeping)),
    ),
    counter(
        "gamehost_matches_begun_total",
        "matches that began",
        lambda host: {(game,): number for game, number in _lobby(host).context.counts.begun.items()},
        "game",
    ),
    counter(
        "gamehost_matches_ended_total",
        "matches that ended; archived: without a result",
        matches_ended,
        "game",
        "result",
    ),
    counter(
        "gamehost_moves_total",
        "actions of players that were accepted",
        lambda host: {labels: count.value for labels, count in _lobby(host).context.counts.moves.items()},
        "wire",
        "game",
    ),
    gauge(
        "gamehost_watchers",
        "clients that watch, counted once for each match",
        one(lambda host: _lobby(host).galleries.all_watchers),
    ),
)

_JOURNAL = (
    histogram(
        "gamehost_acknowledgement_seconds",
        "time from a change to the answers about it, when it is on disk",
        of_backlog(lambda one: one.measures.acknowledged),
    ),
    histogram("gamehost_commit_seconds", "duration of a commit", of_backlog(lambda one: one.measures.commits)),
    histogram("gamehost_commit_changes", "changes in one commit", of_backlog(lambda one: one.measures.groups)),
    gauge("gamehost_journal_waiting_changes", "changes that are not on disk yet", of_backlog(lambda one: one.waiting)),
    gauge(
        "gamehost_journal_waiting_bytes", "about how many bytes these changes have", of_backlog(lambda one: one.size)
    ),
    gauge(
        "gamehost_journal_lag_seconds", "for how long the oldest of them has waited", of_backlog(lambda one: one.age)
    ),
    gauge(
        "gamehost_journal_pressure",
        "0: the disk keeps up; 1: input pauses; 2: new clients are refused; 3: a member of a cluster has closed its ports; "
        "4: the host ends",
        one(lambda host: host.store.pressure),
    ),
    gauge(
        "gamehost_store_room",
        "0: enough room on the disk; 1: not for new tables; 2: none, and the host stops",
        one(lambda host: host.store.room),
    ),
)

#: All metrics, in the order of the documentation.
METRICS: Sequence[Metric] = (
    gauge(
        "gamehost_build_info", "1, with the version of gamehost", lambda host: {(gamehost.__version__,): 1}, "version"
    ),
    *_CONNECTIONS,
    *_PLAYERS,
    *_MATCHES,
    *_JOURNAL,
    histogram(
        "gamehost_reactor_lag_seconds",
        "how late the reactor is, measured ten times a second",
        one(lambda host: host.lag),
    ),
)


# The answers to Prometheus.


class HostCollector(Collector):
    """
    Reads the values of all metrics from a host, for the Prometheus library.

    :param host: the host, which need not run yet
    """

    def __init__(self, host: GameHostService) -> None:
        self._host = host

    def describe(self) -> Iterable[Family]:
        """All metrics without values, because the library calls this before the host runs."""
        return [family_of(metric) for metric in METRICS]

    def collect(self) -> Iterator[Family]:
        """All metrics with their current values."""
        for metric in METRICS:
            family = family_of(metric)
            for labels, value in metric.read(self._host).items():
                # A histogram has counts for its ranges and a sum; all other metrics have one number.
                if isinstance(family, HistogramMetricFamily):
                    assert isinstance(value, Histogram)
                    family.add_metric(labels, _buckets(value), value.total)
                else:
                    assert not isinstance(value, Histogram)
                    family.add_metric(labels, value)
            yield family


def new_registry(host: GameHostService) -> CollectorRegistry:
    """Make the registry of the Prometheus library with the metrics of a host and of its process."""
    registry = CollectorRegistry()
    registry.register(HostCollector(host))
    ProcessCollector(registry=registry)
    return registry


def _buckets(histogram: Histogram) -> list[tuple[str, float]]:
    """The upper bound of each range of a histogram, as a text, and how many values are not above this bound."""
    # Copy the counts, because the journal's thread may add a value meanwhile.
    return [
        (floatToGoString(bound), number)
        for bound, number in zip((*histogram.bounds, inf), accumulate(histogram.counts[:]), strict=True)
    ]


class MetricsSite(OwnerSite):
    """
    Answers at `/metrics` with all metrics, in the format that the client asks for. When this site is made, the host
    begins to measure the times of its acknowledgements.
    """

    def __init__(self, host: GameHostService, access: Access) -> None:
        """Make the site. From now on, the journal also measures how long changes wait until they are acknowledged."""
        super().__init__(host, access)
        backlog = backlog_of(host.store)
        if backlog is not None and backlog.measures.acknowledged is None:
            backlog.measures.acknowledged = Histogram()
        self._registry = new_registry(host)

    def respond(self, asked: Asked) -> Answering:
        """Answer `/metrics` in the format that the client accepts; refuse all other paths."""
        if asked.path != ("metrics",):
            return refused(404, "the metrics are at /metrics")
        encode, kind = choose_encoder(asked.headers.get("accept", ""))
        return Answer(200, encode(self._registry), kind)
