"""
The functions that carry out the requests of `gamehost admin` in a running host. Some are about the host: its state, its
cluster, backups, and its end. Some are about people: bans, connections, notices to all, and accounts. Some are about
matches.

Answers never contain secrets of the members of a cluster.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeGuard

from attrs import define, field
from twisted.internet.defer import Deferred, DeferredQueue, succeed
from twisted.internet.task import deferLater

import gamehost
from gamehost.accounts.bans import Ban, BanRefused
from gamehost.accounts.names import key_of
from gamehost.admin.server import Facts, Items, NotDone, Request
from gamehost.games.base import Seat
from gamehost.games.play import messages_of, screen_of
from gamehost.games.screen import Style
from gamehost.journal.notation import write_notation
from gamehost.journal.records import Store, StoreUnusable, TableId, UnfinishedTable
from gamehost.lobby.account_changes import AccountChanges, AccountState, Changed, ChangeRefused
from gamehost.lobby.finished import RANKED
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.own_account import Device, day_text
from gamehost.lobby.queues import Reservation
from gamehost.lobby.sessions import Queue, Session, SessionRegistry
from gamehost.net.connection import KICKED, WireProtocol, ban_message
from gamehost.service import GameHostService, factories
from gamehost.settings import BadOption
from gamehost.storage.backup import Backup, Backups, FileExists
from gamehost.storage.databases import BACKUP
from gamehost.storage.durable import DurableJournal, backlog_of
from gamehost.storage.row_codec import row_to_json
from gamehost.tables.interfaces import Archived, Look, Over, Suspended
from gamehost.tables.table import Table


def status(host: GameHostService, request: Request) -> Facts:
    """The state of the whole host, in figures, for `gamehost admin status`."""
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
        "waiting": lobby.directory.counts_here().waiting,
        "tables": len(lobby.tables),
        "tables_asleep": len(lobby.registry.sleeping.tables()),
        "remote_games": lobby.remote.count,
        "bans": len(lobby.bans.all()),
        "journal": _journal(host),
        "cluster": cluster_facts(host),
        "limits": "unlimited" if context.limits.unlimited else host.profile,
        "closed": lobby.closed or lobby.no_tables,
        "draining": lobby.draining is not None,
        "closed_games": sorted(lobby.closed_games),
    }


def _by_wire(host: GameHostService) -> Facts:
    """How many connections there are on each wire."""
    counts: Counter[str] = Counter()
    for wire, factory in factories(host):
        counts[wire] += len(factory.connections)
    return counts


def _journal(host: GameHostService) -> Facts:
    """The state of the journal. A store in memory has no figures about commits."""
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
    """The players that are logged in, sorted by name."""
    yield from map(_person, sorted(host.context.lobby.registry.present(), key=lambda session: session.key))
    return {}


def _person(session: Session) -> Facts:
    """Facts about a session in the list of players. `table` and `game` are `None` if it has no seat."""
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
    """
    The living members of the cluster, in the order of their numbers. The end of the answer has figures of this member.

    :raises NotDone: the host is no member of a cluster
    """
    state = host.cluster
    # `epoch` is the number of this host's run in the cluster.
    if state.epoch is None:
        raise NotDone("this host is no member of a cluster: it was started without --cluster")
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
        **state.relay_counts,
    }


def hint_at_other_members(host: GameHostService) -> str:
    """
    The end of a message about something that this host does not have: other members of the cluster may have it. Empty
    if the host is no member of a cluster.
    """
    if host.cluster.epoch is None:
        return ""
    return "; other members of the cluster have players and matches, too: ask each of them"


def cluster_facts(host: GameHostService) -> Facts | None:
    """A few figures about the cluster; `None`: the host is no member of a cluster."""
    state = host.cluster
    if state.epoch is None:
        return None
    return {"epoch": state.epoch, "members": len(state.members), **state.relay_counts}


def drain(host: GameHostService, request: Request) -> Facts:
    """Begin no new matches, and end the host after the last match; or, with `cancel`, begin new matches again."""
    cancel = request.flag("cancel")
    host.drain(not cancel)
    lobby = host.context.lobby
    return {"draining": not cancel, "tables": len(lobby.tables), "remote_games": lobby.remote.count}


def backup(host: GameHostService, request: Request) -> Deferred[Facts]:
    """
    Copy the store to `file`, an absolute path, while matches continue.

    `force` replaces an earlier backup. `accept_faults` keeps a backup even if the check finds faults, and reports them.
    """
    file = request.path("file")
    if not file.is_absolute():
        raise NotDone("file: expected an absolute path")
    answer: Deferred[Facts] = Deferred()

    def done(result: Backup | str) -> None:
        """Answer the request: with the facts about the backup, or with the reason why there is none."""
        if isinstance(result, str):
            answer.errback(NotDone(result))
        else:
            # Count the accounts here: the mark also counts deleted accounts.
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
    The object that makes backups.

    :raises NotDone: the store cannot be backed up in this way
    """
    backups = host.store.backups if isinstance(host.store, DurableJournal) else None
    if backups is None:
        only_files = "only a store that is an SQLite file can be backed up in this way"
        # A journal without `backups` is a database.
        raise NotDone(BACKUP if isinstance(host.store, DurableJournal) else only_files)
    return backups


# People: bans, ended connections, notices to all, and accounts.


#: How many characters a notice to all players may have.
LONGEST_NOTICE = 400

#: The longest time of a ban, in seconds: a hundred years. Longer bans are for ever.
LONGEST_BAN = 100 * 366 * 86_400
#: How many days can be given to a slow match.
MOST_EXTENSION = 365


def kick(host: GameHostService, request: Request) -> Facts:
    """Close the connections of the player `name`. The player may come back."""
    name = request.text("name")
    session = host.context.lobby.registry.get(name)
    # Without a player, the session only reserves a seat.
    if session is None or session.player is None:
        raise NotDone(
            f"no player has logged in under the name {name!r}; gamehost admin who lists all{hint_at_other_members(host)}"
        )
    if session.house:
        raise NotDone(f"{session.name} is a house player")
    closed = close_key(host, key_of(name), KICKED)
    return {"name": session.name, "connections": closed, "table": session.table_id}


def close_key(host: GameHostService, key: str, reason: str) -> int:
    """
    Send a reason to the player with this name's key, and close its connections. Returns the number of connections.
    """
    return _close_some(host, lambda one: reason if one.session is not None and one.session.key == key else None)


def stop_key(host: GameHostService, key: str) -> Callable[[str], int]:
    """
    Ignore all further input of the player with this name's key.

    :returns: a function that sends the player a reason and closes its connections; it returns their number
    """
    everybody = [one for _, factory in factories(host) for one in factory.connections]
    found = [one for one in everybody if not one.closing and one.session is not None and one.session.key == key]
    for one in found:
        one.stop_input()

    def close(reason: str) -> int:
        """Send the reason, and close the connections."""
        with host.context.cork:
            for one in found:
                one.close_with(reason)
        return len(found)

    return close


def ban(host: GameHostService, request: Request) -> Deferred[Facts]:
    """Ban the name, address or network `target` for `seconds`, or for ever, and close its connections."""
    seconds: Any = request.arguments.get("seconds")
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, int | float)):
        raise NotDone("seconds: expected a number")
    if seconds is not None and not 0 < seconds <= LONGEST_BAN:
        raise NotDone(f"seconds: expected more than 0, and {LONGEST_BAN} at most")
    # The answer waits until the ban is on the disk. Then the connections are closed.
    durable: Deferred[int] = Deferred()
    try:
        put = host.context.lobby.bans.put(request.text("target"), seconds, lambda: durable.callback(close_banned(host)))
    except BanRefused as refusal:
        raise NotDone(str(refusal)) from None
    return durable.addCallback(lambda closed: {**_facts(put), "connections": closed})


def close_banned(host: GameHostService) -> int:
    """Send the reason to all banned clients, and close their connections. Returns the number of connections."""
    return _close_some(host, partial(ban_message, host.context.lobby.bans))


def unban(host: GameHostService, request: Request) -> Deferred[Facts]:
    """End the ban of `target`."""
    durable: Deferred[None] = Deferred()
    try:
        dropped = host.context.lobby.bans.drop(request.text("target"), lambda: durable.callback(None))
    except BanRefused as refusal:
        raise NotDone(str(refusal)) from None
    return durable.addCallback(lambda _: _facts(dropped))


def bans(host: GameHostService, request: Request) -> Items:
    """All bans, the oldest first."""
    yield from map(_facts, host.context.lobby.bans.all())
    return {}


def say(host: GameHostService, request: Request) -> Facts:
    """Send `text` to all players on wires that have a message for it."""
    text = request.text("text").strip()
    if not text or not text.isprintable() or len(text) > LONGEST_NOTICE:
        raise NotDone(f"text: expected 1 to {LONGEST_NOTICE} characters that can be printed, on one line")
    told = silent = 0
    with host.context.cork:
        for one in [one for _, factory in factories(host) for one in factory.connections]:
            if one.session is None or not one.session.house:
                if one.say_notice(text):
                    told += 1
                else:
                    silent += 1
    return {"told": told, "not_told": silent}


def _facts(ban: Ban) -> Facts:
    """Facts about a ban."""
    if ban.of_name:
        kind = "name"
    else:
        kind = "network" if "/" in ban.target else "address"
    return {"target": ban.target, "kind": kind, "since": ban.since, "until": ban.until}


def _close_some(host: GameHostService, reason: Callable[[WireProtocol[Any]], str | None]) -> int:
    """Close the connections for which a function gives a reason. Returns how many they are."""
    return sum(factory.close_some(reason) for _, factory in factories(host))


#: How many accounts are examined in one turn of the reactor.
_ACCOUNTS_AT_ONCE = 500


def account_list(host: GameHostService, request: Request) -> Items:
    """The accounts with names that fit `pattern`, in the order in which they were made."""
    states = _changes(host).accounts(request.text("pattern", "*"))
    for number, state in enumerate(states, 1):
        if state is not None:
            yield _account_facts(state)
        # Let the reactor do other work in between.
        if number % _ACCOUNTS_AT_ONCE == 0:
            yield deferLater(host.context.clock, 0)
    return {}


def account_devices(host: GameHostService, request: Request) -> Items:
    """
    The devices that can log in to the account `name` without its password. The device that was used last comes first.
    """
    devices: list[Device] = []
    listed: Deferred[None] = Deferred()

    def found(some: Sequence[Device]) -> None:
        devices.extend(some)
        listed.callback(None)

    try:
        _changes(host).devices(request.text("name"), found)
    except ChangeRefused as refusal:
        raise NotDone(str(refusal)) from None
    yield listed
    for one in devices:
        yield {"device": one.name, "since": one.since, "seen": one.seen}
    return {"devices": len(devices)}


def account_reset(host: GameHostService, request: Request) -> Deferred[Facts]:
    """Give the account `name` a new password: `password`, or one that the host makes and shows."""
    password = request.text("password") if "password" in request.arguments else None
    name = request.text("name")
    return _answer(lambda done, failed: _changes(host).reset(name, password, done, failed))


def account_rename(host: GameHostService, request: Request) -> Deferred[Facts]:
    """Give the account `name` the name `new_name`. `force` gives up the player's seat."""
    names, force = (request.text("name"), request.text("new_name")), request.flag("force")
    return _answer(lambda done, failed: _changes(host).rename(*names, force, done))


def account_delete(host: GameHostService, request: Request) -> Deferred[Facts]:
    """Delete the account `name`. `force` gives up the player's seat."""
    name, force = request.text("name"), request.flag("force")
    return _answer(lambda done, failed: _changes(host).delete(name, force, done))


def _changes(host: GameHostService) -> AccountChanges:
    return AccountChanges(host.context.lobby, partial(stop_key, host))


def _answer(change: Callable[[Callable[[Changed], None], Callable[[ChangeRefused], None]], None]) -> Deferred[Facts]:
    """
    Carry out a change of an account, and return its answer when the change is durable.

    :param change: called with two functions: for the success, and for a later refusal
    :raises NotDone: the change is refused
    """
    answer: Deferred[Any] = Deferred()

    def done(changed: Changed) -> None:
        facts = {"name": changed.name, "connections": changed.connections, "table": changed.table}
        # The password is in the answer only if the host has made one.
        answer.callback(facts if changed.password is None else {**facts, "password": changed.password})

    try:
        change(done, lambda refusal: answer.errback(NotDone(str(refusal))))
    except ChangeRefused as refusal:
        raise NotDone(str(refusal)) from None
    return answer


def _account_facts(state: AccountState) -> Facts:
    last = None if state.last_day is None else day_text(state.last_day)
    return {"name": state.name, "present": state.present, "table": state.table, "last_log_in": last}


def reload(host: GameHostService, request: Request) -> Facts:
    """Read the settings again, and use those that can change while the host runs."""
    return host.reload(host)


# Commands about matches. The commands for the owner show only public facts, and no secrets of players. The requests of
# `gamehost journal` show everything.


def tables(host: GameHostService, request: Request) -> Items:
    """The current matches, the oldest first. The end of the answer has the number of sleeping matches."""
    lobby = host.context.lobby
    for table in list(lobby.tables.values()):
        yield {**_about(table, lobby.registry), "watchers": lobby.galleries.watchers(table.id)}
    return {"played": len(lobby.tables), "asleep": len(lobby.registry.sleeping.tables())}


def show(host: GameHostService, request: Request) -> Deferred[Facts]:
    """The position of the match `table`, as a watcher sees it."""
    lobby, number = host.context.lobby, TableId(request.number("table"))
    table = lobby.tables.get(number)
    if table is None:
        # SQLite cannot look up larger numbers.
        asleep = 0 < number < 1 << 63 and lobby.seats.sleeps(number)
        raise NotDone(
            f"table {number} sleeps: none of its players is here"
            if asleep
            else f"no match with the number {number} is played; gamehost admin tables lists all{hint_at_other_members(host)}"
        )
    looked: Deferred[Look[Any]] = Deferred()
    if not table.watch(_Onlooker(table, looked)):
        raise NotDone(f"table {number} cannot be shown now: its match is over, or is suspended")
    return looked.addCallback(lambda look: _shown(table, lobby.registry, look))


def lost_list(host: GameHostService, request: Request) -> Items:
    """
    The matches that the owner must resume or end. Either rows are lost that players had already received, or a fault of
    the game has stopped the match. A match for which both are true is listed once.
    """
    lost = (yield _answered(host.store.ask_store, lambda store: store.lost())) if _is_durable(host.store) else ()
    # `told` is the last row that players had received, and `held` the last row in the database.
    for one in lost:
        yield {"table": one.table, "told": one.told, "held": one.held}
    numbers = {one.table for one in lost}
    faulty = host.context.lobby.seats.faulty
    stopped = [(table, *why) for table, why in faulty.items() if table not in numbers]
    for table, sleeping, fault in stopped:
        names = [None if place is None else place.player.name for place in sleeping.places]
        yield {"table": table, "game": sleeping.game, "players": names, "fault": fault}
    return {"lost": len(lost) + len(stopped)}


def lost_resume(host: GameHostService, request: Request) -> Deferred[Facts]:
    """
    Resume the match `table` of `lost_list`. The connections of its players are closed. The players get their seats when
    they log in again.
    """
    table, lobby = _table_of(request), host.context.lobby

    def resumed(one: UnfinishedTable | None) -> Facts:
        """
        Called with the table that the store has given back; `None`: no rows of it were lost, so a fault must have stopped
        the match.
        """
        if one is not None:
            lobby.seats.faulty.pop(table, None)
            # If the table does not sleep, it is in memory already: one of its players has logged in and was informed
            # that the match is suspended.
            if not lobby.seats.sleeps(table):
                # In a cluster, the names of its players must also get their home here.
                restore = partial(lobby.restore, host.games) if host.cluster.epoch is None else host.cluster.restore
                restore([one])
        elif table in lobby.seats.faulty:
            _resume_stopped(host, table)
        else:
            raise NotDone(
                f"table {table} has lost nothing, or has no row, and no fault has stopped it{hint_at_other_members(host)}"
            )
        return {"table": table}

    return _ask_lost(host, lambda store: store.go_on(table), None).addCallback(resumed)


def _resume_stopped(host: GameHostService, table: TableId) -> None:
    """
    Resume a match that a fault of its game has stopped. Its players must log in again.

    :raises NotDone: one of its players has another seat, or its game cannot be played now
    """
    lobby = host.context.lobby
    # First check all players, so that a refusal changes nothing.
    for one in lobby.seats.players_here(table):
        if one.table_id is not None:
            raise NotDone(f"{one.name} plays at table {one.table_id}: resume table {table} when that match is over")
    for one in lobby.seats.players_here(table):
        # Remove the session first, and close its connections afterwards: the seat is reserved when the player logs in
        # again.
        close = stop_key(host, one.key)
        lobby.stop_waiting(one)
        one.player = None
        lobby.registry.forget(one)
        close("your match continues: log in again, and you get your seat")
    lobby.seats.resume_stopped(table)


def lost_end(host: GameHostService, request: Request) -> Deferred[Facts]:
    """End the match `table` of `lost_list`, without a result. Its players are free."""
    table, seats = _table_of(request), host.context.lobby.seats

    def ended(was_lost: bool) -> Facts:
        """
        Answer the request.

        :param was_lost: whether the store had the table among those with lost rows, and has ended it
        """
        if was_lost:
            # The store has ended the match. Forget its seats here, too.
            seats.faulty.pop(table, None)
            seats.forget(table)
        elif table in seats.faulty:
            # No rows are lost, but a fault has stopped the match, which is still in memory.
            seats.end_stopped(table)
        else:
            raise NotDone(f"table {table} has lost nothing, and no fault has stopped it{hint_at_other_members(host)}")
        return {"table": table}

    return _ask_lost(host, lambda store: store.end_lost(table), False).addCallback(ended)


def _ask_lost(host: GameHostService, ask: Callable[[Any], Any], otherwise: Any) -> Deferred[Any]:
    """Ask the store about lost rows. A store in memory loses none, so it gets the answer `otherwise`."""
    return _answered(host.store.ask_store, ask) if _is_durable(host.store) else succeed(otherwise)


def _is_durable(store: Store) -> TypeGuard[DurableJournal]:
    return isinstance(store, DurableJournal)


def game_open(host: GameHostService, request: Request) -> Facts:
    """Allow new matches of the game `game`, which was closed because of faults."""
    game = request.text("game")
    if not host.context.lobby.open_game(game):
        closed = ", ".join(sorted(host.context.lobby.closed_games))
        found = f"closed games: {closed}" if closed else "no game is"
        raise NotDone(f"{game} is not closed; {found}{hint_at_other_members(host)}")
    return {"game": game}


def slow_extend(host: GameHostService, request: Request) -> Deferred[Facts]:
    """Give `days` to the slow match `table`, which any member of the cluster may play."""
    table, days, lobby = _table_of(request), request.number("days"), host.context.lobby
    if not 0 < days <= MOST_EXTENSION:
        raise NotDone(f"days: expected 1 to {MOST_EXTENSION}")
    extended: Deferred[Facts] = Deferred()

    def durable(until: int) -> None:
        extended.callback({"table": table, "until": until // 1000})

    if lobby.slow is None or not lobby.slow.extend(table, days, durable):
        raise NotDone(f"no slow match with the number {table} goes on")
    return extended


def _answered(ask: Callable[..., None], *arguments: Any) -> Deferred[Any]:
    """
    Call a method of the journal, and return a `Deferred` with its answer.

    :param ask: the method; its last parameter is the function to call with the answer
    """
    answer: Deferred[Any] = Deferred()
    ask(*arguments, answer.callback)
    return answer


def _table_of(request: Request) -> TableId:
    """
    The number of the table in a request.

    :raises NotDone: no table can have this number
    """
    # Numbers of tables have 63 bits in a store.
    if not 0 < (number := request.number("table")) < 1 << 63:
        raise NotDone(f"there is no table {number}")
    return TableId(number)


@define(eq=False)
class _Onlooker:
    """An audience that takes the state of a match once, and watches no longer."""

    _table: Table[Any, Any]
    _looked: Deferred[Look[Any]] = field(repr=False)

    def shown(self, look: Look[Any]) -> None:
        self._table.unwatch(self)
        self._looked.callback(look)

    def deliver(self, event: Any, n: int) -> None:
        """Ignore later events."""


def _about(table: Table[Any, Any], registry: SessionRegistry) -> dict[str, Any]:
    """Facts about a match: its number, game, phase, entries and seats."""
    return {
        "table": table.id,
        "game": table.game.name,
        "phase": table.phase.name.lower(),
        "private": bool(table.code),
        "entries": table.n,
        "seats": [_seat(table, Seat(seat), registry) for seat in range(len(table.names))],
    }


def _seat(table: Table[Any, Any], seat: Seat, registry: SessionRegistry) -> Facts:
    """Facts about one seat of a match: its player, and how long it is reserved."""
    session, clocks = registry.get(table.names[seat]), table.clocks
    # The player may have a session without a connection, or at another table.
    here = session is not None and session.table is table and session.player is not None
    return {
        "name": table.names[seat],
        "wire": table.wires[seat],
        "house": session is not None and session.house,
        "here": here,
        "kept_seconds": None if here else round(max(0.0, table.kept_for(seat))),
        "clock_seconds": None if clocks is None else round(clocks[seat] / 1000, 1),
    }


def _shown(table: Table[Any, Any], registry: SessionRegistry, look: Look[Any]) -> Facts:
    """Facts about a match with its position as text, if the game can draw it."""
    about: Facts = {**_about(table, registry), "entries": look.n}
    if messages_of(table.game) is None:
        # The game has no screen in text.
        return {**about, "board": None, "awaited": None}
    screen = screen_of(table.game)(None, table.names)
    screen.show(look.view)
    return {**about, "board": screen.draw(Style(charset="ascii")), "awaited": screen.prompt_line()}


def ladder(host: GameHostService, request: Request) -> Items:
    """
    The ratings of players in the game `game`, the best first.

    :raises NotDone: there is no such game
    """
    game, finished = request.text("game"), host.context.lobby.directory.finished
    if game not in host.games:
        raise NotDone(f"no such game; expected one of {', '.join(host.games)}")
    # The results of recent matches are read from the store, so the answer waits for them.
    tally = yield Deferred.fromCoroutine(finished.tally())
    for who, one in tally.ladders.get(game, [])[:RANKED]:
        rating, low, high = one.rounded
        yield {"name": who.name, "kind": who.kind, "rating": rating, "low": low, "high": high, "matches": one.matches}
    return {}


def contest_game(host: GameHostService, request: Request) -> Items:
    """
    Play one game of a contest: reserve places for its players, wait for the match, and return its record. If the
    caller's connection is closed before the match begins, the reservation ends.

    `names` are the players in the order of the seats. `game` and `settings` are those of the match. The players in
    `people` may be logged in already; the others must log in later. If one of the others is away from an earlier match,
    it gives up that match. `digests` has, for names of players, the digests of the keys with which they must log in.
    The items of the answer report that the places are reserved, which players wait, and the number of the table.
    """
    lobby, names, settings = host.context.lobby, request.arguments.get("names"), request.arguments.get("settings", {})
    # Check the request: the game, the names and the settings.
    game = host.games.get(request.text("game"))
    if game is None or not isinstance(names, list) or len(names) != game.least_seats or not isinstance(settings, dict):
        raise NotDone("expected the names of all players, a game of this host, and settings")
    people = request.arguments.get("people", [])
    for name in names:
        # This gives up an earlier match in which the player is away. Somebody who is connected must be one of `people`.
        if not _has_left(lobby, str(name)) and name not in people:
            raise NotDone(f"{name} is here already")
    try:
        complete = lobby.settings_for(Queue(game), settings)
    except BadOption as error:
        raise NotDone(str(error)) from None
    # Reserve the places. Each event about the places becomes an item of the answer.
    heard: DeferredQueue[Facts] = DeferredQueue()

    # Called when the match begins: report its number, and watch it to see its end.
    def begins(number: TableId) -> None:
        heard.put({"table": number})
        lobby.tables[number].watch(_Reporter(heard, number))

    waits, digests = [str(name) for name in names], request.arguments.get("digests", {})
    if not isinstance(digests, dict):
        raise NotDone("expected the digests of keys by the names of players")
    reserved = Reservation(game.name, waits, complete, lambda name: heard.put({"waits": name}), begins, digests)
    lobby.queues.reservations.append(reserved)
    for key, waiting in lobby.queues.waiting.items():
        for session in waiting:
            if reserved.holds(key, session):
                reserved.waits(session.name)  # this person has asked for the game before this request
    try:
        item: Facts = {"reserved": waits}
        # Send each item until the match is over; then the last item has its number only.
        while "over" not in item:
            yield item
            item = yield heard.get()
    finally:
        # Also when the caller's connection is closed, which closes this generator.
        lobby.queues.reservations.remove(reserved)
    found = yield _answered(host.store.read, item["over"])
    if isinstance(found, str):
        raise NotDone(f"the match cannot be read: {found}")
    return {"record": write_notation(found)}


def contest_leave(host: GameHostService, request: Request) -> Facts:
    """
    A program of a contest has ended: if the player `name` still has a seat in a match and is away, it gives up the
    match.
    """
    return {"left": _has_left(host.context.lobby, request.text("name"))}


def _has_left(lobby: Lobby, name: str) -> bool:
    """Give up a match in which a player of this name is away. Returns whether nobody has the name now."""
    session = lobby.registry.get(name)
    if session is not None and session.player is None:
        lobby.give_up(session)
    return lobby.registry.get(name) is None


@define(eq=False)
class _Reporter:
    """An audience that reports the end of a match."""

    _heard: "DeferredQueue[Facts]"
    _table: TableId

    def shown(self, look: Look[Any]) -> None:
        """Do nothing: only the end of the match matters."""

    def deliver(self, event: Any, n: int) -> None:
        """Report the match if this event is its end."""
        if isinstance(event, Over | Archived | Suspended):
            self._heard.put({"over": self._table})


#: How many tables are read with one question. If each has 200 entries, this takes about 2 ms of the reader's thread.
_TABLES_AT_ONCE = 50


def journal_ends(host: GameHostService, request: Request) -> Items:
    """The first and the last row of every table."""
    journal = _journal_of(host)
    for low in range(1, journal.last_table + 1, _TABLES_AT_ONCE):
        for row in (yield _answered(journal.read_ends, low, low + _TABLES_AT_ONCE)):
            yield {"row": row_to_json(row)}
    return {}


def journal_newest(host: GameHostService, request: Request) -> Items:
    """
    The first and the last row of each of the `most` newest tables. The end of the answer has an upper limit for the
    number of older tables.
    """
    journal, most = _journal_of(host), request.number("most")
    # The journal calls `found` with two arguments, and a `Deferred` takes one.
    rows, older = yield _answered(lambda most, found: journal.read_newest(most, lambda *one: found(one)), most)
    for row in rows:
        yield {"row": row_to_json(row)}
    return {"older": older}


def journal_rows(host: GameHostService, request: Request) -> Items:
    """All rows of the table `table`; empty if there is no such table."""
    journal, table = _journal_of(host), request.number("table")
    # No store can look up such a number.
    if not 0 < table < 1 << 63:
        return {}
    for row in (yield _answered(journal.read_rows, TableId(table))):
        yield {"row": row_to_json(row)}
    return {}


def _journal_of(host: GameHostService) -> DurableJournal:
    """
    The journal of the host.

    :raises NotDone: the host has its store in memory
    """
    if not isinstance(host.store, DurableJournal):
        raise NotDone("this host has its matches in memory; there is no journal")
    return host.store
