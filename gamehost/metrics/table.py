"""
Every metric by name: its kind, its words, its labels, and what reads its values.

No label has the name of a player or an address, so there are few time series, and none of them tells of a person.
"""

from collections.abc import Sequence
from enum import StrEnum

from attrs import frozen

from gamehost.metrics import readers
from gamehost.metrics.readers import Reader, by_wire, of_backlog, one


class Kind(StrEnum):
    """The kinds of metrics that Prometheus has."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@frozen
class Metric:
    """One metric."""

    #: As Prometheus shows it; counters end with `_total`, times are in seconds.
    name: str
    kind: Kind
    #: What it is, for the help text and the documentation.
    words: str
    labels: tuple[str, ...]
    read: Reader


_COUNTER, _GAUGE, _HISTOGRAM = Kind.COUNTER, Kind.GAUGE, Kind.HISTOGRAM

_CONNECTIONS = (
    Metric("gamehost_connections", _GAUGE, "open connections", ("wire",), by_wire(lambda one: len(one.connections))),
    Metric(
        "gamehost_connections_total",
        _COUNTER,
        "connections that were admitted",
        ("wire",),
        by_wire(lambda one: one.admitted),
    ),
    Metric(
        "gamehost_connections_refused_total",
        _COUNTER,
        "connections that were refused",
        ("reason",),
        readers.connections_refused,
    ),
    Metric("gamehost_hangups_total", _COUNTER, "connections that the host ended", ("wire", "reason"), readers.hang_ups),
    Metric(
        "gamehost_refusals_total",
        _COUNTER,
        "refused messages, illegal moves among them",
        ("wire",),
        by_wire(lambda one: one.refusals),
    ),
    Metric(
        "gamehost_http_connections",
        _GAUGE,
        "open connections of browsers that ask for pages",
        (),
        one(lambda host: host.context.http_limiter.count),
    ),
    Metric(
        "gamehost_http_refused_total",
        _COUNTER,
        "refused connections and requests of browsers",
        ("kind",),
        readers.http_refused,
    ),
)

_PLAYERS = (
    Metric(
        "gamehost_logins_total",
        _COUNTER,
        "log-ins; replaced: accepted, and an older connection of the player ended",
        ("wire", "identity", "result"),
        readers.log_ins,
    ),
    Metric("gamehost_sessions", _GAUGE, "players who are logged in", ("wire",), readers.sessions),
    Metric("gamehost_names", _GAUGE, "names in use, those of absent players included", (), one(readers.names)),
    Metric("gamehost_waiting", _GAUGE, "players and open tables that wait for players", ("game",), readers.waiting),
    Metric(
        "gamehost_login_quota_waiting",
        _GAUGE,
        "log-ins that wait because a quota is used up",
        (),
        one(readers.waiting_for_quota),
    ),
    Metric(
        "gamehost_login_passwords_waiting",
        _GAUGE,
        "log-ins that wait for the check of a password",
        (),
        one(readers.waiting_for_password),
    ),
    Metric(
        "gamehost_worker_waiting",
        _GAUGE,
        "pieces of work that the worker thread has before it",
        (),
        one(lambda host: host.worker.waiting),
    ),
)

_MATCHES = (
    Metric("gamehost_tables", _GAUGE, "tables in memory", ("game", "phase"), readers.tables),
    Metric("gamehost_sleeping_tables", _GAUGE, "tables at which nobody is", (), one(readers.sleeping_tables)),
    Metric("gamehost_matches_begun_total", _COUNTER, "matches that began", ("game",), readers.matches_begun),
    Metric(
        "gamehost_matches_ended_total",
        _COUNTER,
        "matches that ended; archived: without a result",
        ("game", "result"),
        readers.matches_ended,
    ),
    Metric("gamehost_moves_total", _COUNTER, "actions of players that were accepted", ("wire", "game"), readers.moves),
    Metric("gamehost_watchers", _GAUGE, "clients that watch, counted once for each match", (), one(readers.watchers)),
)

_JOURNAL = (
    Metric(
        "gamehost_acknowledgement_seconds",
        _HISTOGRAM,
        "time from a change to the answers about it, when it is on disk",
        (),
        of_backlog(lambda one: one.measures.acknowledged),
    ),
    Metric(
        "gamehost_commit_seconds", _HISTOGRAM, "duration of a commit", (), of_backlog(lambda one: one.measures.commits)
    ),
    Metric(
        "gamehost_commit_changes", _HISTOGRAM, "changes in one commit", (), of_backlog(lambda one: one.measures.groups)
    ),
    Metric(
        "gamehost_journal_waiting_changes",
        _GAUGE,
        "changes that are not on disk yet",
        (),
        of_backlog(lambda one: one.waiting),
    ),
    Metric(
        "gamehost_journal_waiting_bytes",
        _GAUGE,
        "about how many bytes these changes have",
        (),
        of_backlog(lambda one: one.size),
    ),
    Metric(
        "gamehost_journal_lag_seconds",
        _GAUGE,
        "for how long the oldest of them has waited",
        (),
        of_backlog(lambda one: one.age),
    ),
    Metric(
        "gamehost_journal_pressure",
        _GAUGE,
        "0: the disk keeps up; 1: input pauses; 2: new clients are refused; 3: the host ends",
        (),
        one(lambda host: host.store.pressure),
    ),
    Metric(
        "gamehost_store_room",
        _GAUGE,
        "0: enough room on the disk; 1: not for new tables; 2: none, and the host stops",
        (),
        one(lambda host: host.store.room),
    ),
)

#: All metrics, in the order of the documentation.
METRICS: Sequence[Metric] = (
    Metric("gamehost_build_info", _GAUGE, "1, with the version of gamehost", ("version",), readers.version),
    *_CONNECTIONS,
    *_PLAYERS,
    *_MATCHES,
    *_JOURNAL,
    Metric(
        "gamehost_reactor_lag_seconds",
        _HISTOGRAM,
        "how late the reactor is, measured ten times a second",
        (),
        one(lambda host: host.lag),
    ),
)
