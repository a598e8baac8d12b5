"""
Commands about the host as a whole: how it is, its cluster, backups of its store, and its end.

Secrets of the members of a cluster are not told.
"""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from twisted.internet.defer import Deferred

import gamehost
from gamehost.admin.server import Facts, Items, NotDone, Request
from gamehost.journal.records import StoreUnusable
from gamehost.lobby.sessions import Session
from gamehost.metrics.readers import backlog_of, factories
from gamehost.service import GameHostService
from gamehost.storage.backup import Backup, Backups, FileExists
from gamehost.storage.durable import DurableJournal
from gamehost.storage.postgresql import BACKUP

if TYPE_CHECKING:
    from gamehost.cluster.membership import Cluster


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
        "waiting": lobby.spectators.counts_here().waiting,
        "tables": len(lobby.tables),
        "tables_asleep": len(lobby.registry.sleeping.tables()),
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


def cluster(host: GameHostService, request: Request) -> Items:
    """The members that live, the leader first; and in the end what this member has."""
    state = _state(host)
    for place, member in enumerate(state.members):
        yield {
            "epoch": member.epoch,
            "name": member.name,
            "address": member.address,
            "leader": place == 0,
            "this": member.epoch == state.epoch,
        }
    lobby = host.context.lobby
    return {
        "epoch": state.epoch,
        "people": sum(1 for _ in lobby.registry.present()),
        "tables": len(lobby.tables),
        "tables_asleep": len(lobby.registry.sleeping.tables()),
        **_relays(state),
    }


def or_elsewhere(host: GameHostService) -> str:
    """What a refusal adds that names something of this member alone; nothing at a host alone."""
    return (
        "" if host.cluster is None else "; other members of the cluster have players and matches, too: ask each of them"
    )


def cluster_facts(host: GameHostService) -> Facts | None:
    """The cluster in a few figures; `None`: the host is alone."""
    state = host.cluster
    if state is None:
        return None
    leader = next((member.epoch for member in state.members), None)
    return {"epoch": state.epoch, "members": len(state.members), "leader": leader, **_relays(state)}


def _relays(state: "Cluster") -> Facts:
    from gamehost.cluster.front import relays_in  # a host alone does not need it

    return {"relays_out": state.relays_out, "relays_in": relays_in(state)}


def _state(host: GameHostService) -> "Cluster":
    """
    :raises NotDone: the host is alone
    """
    if host.cluster is None:
        raise NotDone("this host is no member of a cluster: it was started without --cluster")
    return host.cluster


def drain(host: GameHostService, request: Request) -> Facts:
    """Begin no new matches, and end when the last one has ended; or go on after all."""
    cancel = request.flag("cancel")
    host.drain(not cancel)
    lobby = host.context.lobby
    return {"draining": not cancel, "tables": len(lobby.tables), "remote_games": lobby.remote.count}


def backup(host: GameHostService, request: Request) -> Deferred[Facts]:
    """Copy the store to `file`, an absolute path, while moves go on.

    `force` replaces an earlier backup. `accept_faults` keeps one in which the check finds faults, and tells them.
    """
    file = Path(request.text("file"))
    if not file.is_absolute():
        raise NotDone("file: expected an absolute path")
    answer: Deferred[Facts] = Deferred()

    def done(result: Backup | str) -> None:
        if isinstance(result, str):
            answer.errback(NotDone(result))
        else:
            # The mark counts those that were deleted, too.
            accounts = sum(1 for _ in host.context.lobby.login_service.accounts.names())
            facts = {"file": str(file), "rows": result.mark.count, "accounts": accounts, "bytes": result.size}
            answer.callback({**facts, "faults": [*result.faults]})

    try:
        _backups(host).begin(file, done, request.flag("force"), request.flag("accept_faults"))
    except FileExists as error:
        raise NotDone(f"{error}, or replace an earlier backup with --force") from error
    except StoreUnusable as error:
        raise NotDone(str(error)) from error
    return answer


def _backups(host: GameHostService) -> Backups:
    """
    :raises NotDone: this host cannot make any
    """
    backups = host.store.backups if isinstance(host.store, DurableJournal) else None
    if backups is None:
        only_files = "only a store that is an SQLite file can be backed up in this way"
        raise NotDone(BACKUP if isinstance(host.store, DurableJournal) else only_files)
    return backups
