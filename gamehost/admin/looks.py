"""Commands that look at a host, and change nothing."""

from collections import Counter

import gamehost
from gamehost.admin.cluster import cluster_facts
from gamehost.admin.requests import Facts, Items, Request
from gamehost.lobby.sessions import Session
from gamehost.metrics.readers import backlog_of, factories
from gamehost.service import GameHostService


def status(host: GameHostService, request: Request) -> Facts:
    """How the host is as a whole."""
    context, lobby = host.context, host.context.lobby
    now = context.clock.seconds()
    return {
        "version": gamehost.__version__,
        "uptime_seconds": round(now - host.started_at),
        "listeners": [{"name": name, "where": where} for name, where in host.listening],
        "connections": context.limiter.count,
        "connections_by_wire": _by_wire(host),
        "connections_refused": context.limiter.refused,
        "http_connections": context.http_limiter.count,
        "people": sum(1 for _ in lobby.registry.present()),
        "waiting": lobby.directory.counts().waiting,
        "tables": len(lobby.tables),
        "tables_asleep": len(lobby.registry.sleepers.tables()),
        "remote_games": lobby.remote.count,
        "bans": len(lobby.bans.all()),
        "journal": _journal(host),
        "cluster": cluster_facts(host),
        "limits": "unlimited" if context.limits.unlimited else host.profile,
        "closed": lobby.closed or lobby.no_tables,
        "draining": lobby.draining is not None,
    }


def _by_wire(host: GameHostService) -> Facts:
    counts: Counter[str] = Counter()
    for wire, factory in factories(host):
        counts[wire] += len(factory.connections)
    return counts


def _journal(host: GameHostService) -> Facts:
    """How the disk keeps up. A store in memory has no figures of commits."""
    facts = {"pressure": host.store.pressure.name.lower(), "room": host.store.room.name.lower()}
    backlog = backlog_of(host.store)
    if backlog is None:
        return facts
    commits, groups = backlog.measures.commits, backlog.measures.groups
    count = sum(commits.counts)
    return {
        **facts,
        "waiting_changes": backlog.waiting,
        "waiting_seconds": round(backlog.age, 3),
        "commits": count,
        "changes": round(groups.total),
        "mean_commit_ms": round(commits.total * 1000 / count, 2) if count else None,
    }


def who(host: GameHostService, request: Request) -> Items:
    """Those who are here, by name."""
    yield from map(_person, sorted(host.context.lobby.registry.present(), key=lambda session: session.key))
    return {}


def _person(session: Session) -> Facts:
    table = session.table
    return {
        "name": session.name,
        "wire": session.wire,
        "account": session.account,
        "house": session.house,
        "address": session.address,
        "table": session.table_id,
        "game": None if table is None else table.game.name,
    }
