"""
How the values of the metrics are read from the parts of a host. Nothing is counted here: the parts have counted already.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import gamehost
from gamehost.journal.records import Store
from gamehost.lobby.lobby import Lobby
from gamehost.measures import Histogram
from gamehost.net.connection import WireFactory
from gamehost.net.context import HostContext
from gamehost.net.limiter import BANNED, CLOSED, KINDS
from gamehost.ops.worker import SerialWorker
from gamehost.storage.backlog import Backlog
from gamehost.web.site import WebSite


class Measured(Protocol):
    """The parts of a host that are read. Those that can change are looked up each time."""

    @property
    def context(self) -> HostContext: ...

    @property
    def store(self) -> Store: ...

    @property
    def factories(self) -> Sequence[WireFactory[Any]]: ...

    @property
    def sites(self) -> Sequence[WebSite]: ...

    @property
    def worker(self) -> SerialWorker: ...

    @property
    def lag(self) -> Histogram: ...


#: The values of the labels -> the value.
Values: TypeAlias = Mapping[tuple[str, ...], float | Histogram]

Reader: TypeAlias = Callable[[Measured], Values]


def backlog_of(store: Store) -> Backlog | None:
    """The changes that wait for the disk; `None`: the store keeps nothing on a disk."""
    found = getattr(store, "backlog", None)
    return found if isinstance(found, Backlog) else None


def _lobby(host: Measured) -> Lobby:
    return host.context.lobby


def factories(host: Measured) -> Iterable[tuple[str, WireFactory[Any]]]:
    """All who make connections, by the name of the wire; `web` for the sockets of pages."""
    yield from ((factory.wire.name, factory) for factory in host.factories)
    yield from (("web", site.sockets) for site in host.sites)


def by_wire(value: Callable[[WireFactory[Any]], int]) -> Reader:
    def read(host: Measured) -> Values:
        found: Counter[tuple[str, ...]] = Counter()
        for wire, factory in factories(host):
            found[wire,] += value(factory)
        return found

    return read


def one(value: Callable[[Measured], float | Histogram]) -> Reader:
    """The reader of a metric without labels."""
    return lambda host: {(): value(host)}


def of_backlog(value: Callable[[Backlog], float | Histogram | None]) -> Reader:
    def read(host: Measured) -> Values:
        backlog = backlog_of(host.store)
        found = None if backlog is None else value(backlog)
        return {} if found is None else {(): found}

    return read


def hang_ups(host: Measured) -> Values:
    found: Counter[tuple[str, ...]] = Counter()
    for wire, factory in factories(host):
        found[wire, "fault"] += 0  # an alert must see the first one
        for reason, number in factory.hang_ups.items():
            found[wire, reason] += number
    return found


def tables(host: Measured) -> Values:
    return Counter((table.game.name, table.phase.value) for table in _lobby(host).tables.values())


def waiting(host: Measured) -> Values:
    found = _lobby(host).directory.waiting()
    return {(game,): len(here.names) + len(here.tables) for game, here in found.items()}


def matches_ended(host: Measured) -> Values:
    ended = _lobby(host).context.counts.ended
    return {(game, "finished" if finished else "archived"): number for (game, finished), number in ended.items()}


def moves(host: Measured) -> Values:
    return {labels: count.value for labels, count in _lobby(host).context.counts.moves.items()}


def version(host: Measured) -> Values:
    return {(gamehost.__version__,): 1}


def connections_refused(host: Measured) -> Values:
    refusals = host.context.limiter.refusals
    return {(reason,): refusals[reason] for reason in (*KINDS.values(), BANNED, CLOSED)}


def http_refused(host: Measured) -> Values:
    limiter = host.context.http_limiter
    return {("connection",): limiter.refused_connections, ("request",): limiter.refused_requests}


def log_ins(host: Measured) -> Values:
    return {labels: number for labels, number in _lobby(host).log_ins.counts.items()}


def sessions(host: Measured) -> Values:
    return Counter((session.wire,) for session in _lobby(host).registry.present())


def names(host: Measured) -> int:
    return len(_lobby(host).registry)


def waiting_for_quota(host: Measured) -> int:
    return _lobby(host).login_service.waiting_for_quota


def waiting_for_password(host: Measured) -> int:
    return _lobby(host).login_service.waiting_for_worker


def sleeping_tables(host: Measured) -> int:
    return len(_lobby(host).registry.sleepers)


def matches_begun(host: Measured) -> Values:
    return {(game,): number for game, number in _lobby(host).context.counts.begun.items()}


def watchers(host: Measured) -> int:
    return _lobby(host).galleries.all_watchers
