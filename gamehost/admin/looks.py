"""Commands that look at a host, and change nothing."""

import gamehost
from gamehost.admin.requests import Facts, Items, Request
from gamehost.lobby.sessions import Session
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
        "connections_refused": context.limiter.refused,
        "http_connections": context.http_limiter.count,
        "people": sum(1 for _ in lobby.registry.present()),
        "waiting": lobby.directory.counts().waiting,
        "tables": len(lobby.tables),
        "tables_asleep": len(lobby.registry.sleepers.tables()),
        "journal": {"pressure": host.store.pressure.name.lower(), "room": host.store.room.name.lower()},
        "limits": "unlimited" if context.limits.unlimited else host.profile,
        "closed": lobby.closed or lobby.no_room,
        "draining": lobby.draining is not None,
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
