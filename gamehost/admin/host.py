"""
Commands about the host as a whole and about people: how it is, its cluster, backups of its store, and its end; who may come in,
who has to go, what all are told, and accounts.

Secrets of the members of a cluster are not told.
"""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

import gamehost
from gamehost.accounts.bans import Ban, BanRefused, Bans
from gamehost.accounts.names import key_of
from gamehost.accounts.proofs import SECONDS_PER_DAY
from gamehost.admin.server import Facts, Items, NotDone, Request
from gamehost.journal.records import StoreUnusable
from gamehost.lobby.account_changes import AccountChanges, AccountState, Changed, ChangeRefused
from gamehost.lobby.sessions import Session
from gamehost.metrics.readers import backlog_of, factories
from gamehost.net.connection import KICKED, WireProtocol
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
    """The members that live, by their numbers; and in the end what this member has."""
    state = _state(host)
    for member in state.members:
        yield {
            "epoch": member.epoch,
            "name": member.name,
            "address": member.address,
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
    return {"epoch": state.epoch, "members": len(state.members), **_relays(state)}


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


# People: who may come in, who has to go, what all are told, and accounts.


#: The longest text that is said to all, in characters.
LONGEST_NOTICE = 400

#: The longest ban that ends, in seconds: a hundred years.
LONGEST_BAN = 100 * 366 * 86_400


def kick(host: GameHostService, request: Request) -> Facts:
    """End the connection of a player. The seat is kept, and the player may come back."""
    name = request.text("name")
    session = host.context.lobby.registry.get(name)
    if session is None or session.player is None:
        raise NotDone(f"nobody is here under the name {name!r}; gamehost admin who lists all{or_elsewhere(host)}")
    if session.house:
        raise NotDone(f"{session.name} is a house player")
    closed = close_key(host, key_of(name), KICKED)
    return {"name": session.name, "connections": closed, "table": session.table_id}


def close_key(host: GameHostService, key: str, reason: str) -> int:
    """Tell the player whose name has this key why, and end the connections. Returns how many there were."""
    return _close_some(host, lambda one: reason if one.session is not None and one.session.key == key else None)


def stop_key(host: GameHostService, key: str) -> Callable[[str], int]:
    """
    Hear nothing more from the player whose name has this key.

    :returns: tells the player why, and ends the connections; returns how many there were
    """
    everybody = [one for _, factory in factories(host) for one in factory.connections]
    found = [one for one in everybody if not one.closing and one.session is not None and one.session.key == key]
    for one in found:
        one.stop_input()

    def close(reason: str) -> int:
        with host.context.cork:
            for one in found:
                one.close_with(reason)
        return len(found)

    return close


def ban(host: GameHostService, request: Request) -> Deferred[Facts]:
    """Let a name, an address or a network in no more, and end the connections that it has."""
    seconds: Any = request.arguments.get("seconds")
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, int | float)):
        raise NotDone("seconds: expected a number")
    if seconds is not None and not 0 < seconds <= LONGEST_BAN:
        raise NotDone(f"seconds: expected more than 0, and {LONGEST_BAN} at most")
    bans = host.context.lobby.bans
    durable: Deferred[int] = Deferred()
    try:
        put = bans.put(request.text("target"), seconds, lambda: durable.callback(close_banned(host)))
    except BanRefused as refusal:
        raise NotDone(str(refusal)) from None
    return durable.addCallback(lambda closed: {**_facts(put), "connections": closed})


def close_banned(host: GameHostService) -> int:
    """Tell all who are banned, and end their connections. Returns how many there were."""
    return _close_some(host, partial(why_banned, host.context.lobby.bans))


def why_banned(bans: Bans, one: WireProtocol[Any]) -> str | None:
    """What a client that is connected is told because it is banned; `None`: it is not."""
    found = bans.of_address(one.address)
    if found is None and one.session is not None and not one.session.house:
        found = bans.of_name(one.session.name)
    return None if found is None else found.words


def unban(host: GameHostService, request: Request) -> Deferred[Facts]:
    """End a ban."""
    durable: Deferred[None] = Deferred()
    try:
        dropped = host.context.lobby.bans.drop(request.text("target"), lambda: durable.callback(None))
    except BanRefused as refusal:
        raise NotDone(str(refusal)) from None
    return durable.addCallback(lambda _: _facts(dropped))


def list_bans(host: GameHostService, request: Request) -> Items:
    """All bans, the oldest first."""
    yield from map(_facts, host.context.lobby.bans.all())
    return {}


def say(host: GameHostService, request: Request) -> Facts:
    """Say something to all, on the wires that have words for it."""
    text = request.text("text").strip()
    if not text or not text.isprintable() or len(text) > LONGEST_NOTICE:
        raise NotDone(f"text: expected 1 to {LONGEST_NOTICE} characters that can be printed, on one line")
    told = silent = 0
    with host.context.cork:
        for one in [one for _, factory in factories(host) for one in factory.connections]:
            if one.session is None or not one.session.house:
                heard = one.say_notice(text)
                told, silent = told + heard, silent + (not heard)
    return {"told": told, "not_told": silent}


def _facts(ban: Ban) -> Facts:
    kind = "name" if ban.of_name else "network" if "/" in ban.target else "address"
    return {"target": ban.target, "kind": kind, "since": ban.since, "until": ban.until}


def _close_some(host: GameHostService, reason: Callable[[WireProtocol[Any]], str | None]) -> int:
    return sum(factory.close_some(reason) for _, factory in factories(host))


#: Accounts that are looked at in one turn of the reactor.
_ACCOUNTS_AT_ONCE = 500


def list_accounts(host: GameHostService, request: Request) -> Items:
    """The accounts whose names match `pattern`, in the order in which they were made."""
    states = _changes(host).accounts(request.text("pattern", "*"))
    for number, state in enumerate(states, 1):
        if state is not None:
            yield _account_facts(state)
        if number % _ACCOUNTS_AT_ONCE == 0:
            yield deferLater(host.context.clock, 0)
    return {}


def reset(host: GameHostService, request: Request) -> Deferred[Facts]:
    """Give the account `name` a new password: `password`, or one that the host makes and tells."""
    password = request.text("password") if "password" in request.arguments else None
    name = request.text("name")
    return _answer(lambda done, failed: _changes(host).reset(name, password, done, failed))


def rename(host: GameHostService, request: Request) -> Deferred[Facts]:
    """Give the account `name` the name `new_name`. `force` gives up the player's seat."""
    names, force = (request.text("name"), request.text("new_name")), request.flag("force")
    return _answer(lambda done, failed: _changes(host).rename(*names, force, done))


def delete(host: GameHostService, request: Request) -> Deferred[Facts]:
    """Delete the account `name`. `force` gives up the player's seat."""
    name, force = request.text("name"), request.flag("force")
    return _answer(lambda done, failed: _changes(host).delete(name, force, done))


def _changes(host: GameHostService) -> AccountChanges:
    return AccountChanges(host.context.lobby, partial(stop_key, host))


def _answer(change: Callable[[Callable[[Changed], None], Callable[[ChangeRefused], None]], None]) -> Deferred[Facts]:
    """
    What a change is answered with, when it is durable.

    :raises NotDone: the account is not changed
    """
    answer: Deferred[Any] = Deferred()

    def done(changed: Changed) -> None:
        facts = {"name": changed.name, "connections": changed.connections, "table": changed.table}
        answer.callback(facts if changed.password is None else {**facts, "password": changed.password})

    try:
        change(done, lambda refusal: answer.errback(NotDone(str(refusal))))
    except ChangeRefused as refusal:
        raise NotDone(str(refusal)) from None
    return answer


def _account_facts(state: AccountState) -> Facts:
    day = state.last_day
    last = None if day is None else f"{datetime.fromtimestamp(day * SECONDS_PER_DAY, UTC):%Y-%m-%d}"
    return {"name": state.name, "present": state.present, "table": state.table, "last_log_in": last}


def reload_settings(host: GameHostService, request: Request) -> Facts:
    """Read the file with the settings again, and use what can change."""
    return host.reload(host)
