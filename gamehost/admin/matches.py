"""
Commands about matches.

Those for people show what everybody may know, and nothing that a player keeps secret. Those for `gamehost journal` show
everything.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from attrs import define, field
from twisted.internet.defer import Deferred, DeferredQueue

from gamehost.admin.host import or_elsewhere
from gamehost.admin.server import Facts, Items, NotDone, Request
from gamehost.games.base import Seat
from gamehost.games.play import messages_of, screen_of
from gamehost.games.screen import Style
from gamehost.journal.notation import write_notation
from gamehost.journal.records import TableId, TableRecord, UnfinishedTable
from gamehost.lobby.finished import RANKED
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.queues import Queue, Reservation
from gamehost.lobby.sessions import SessionRegistry
from gamehost.service import GameHostService
from gamehost.settings import BadOption
from gamehost.storage.durable import DurableJournal
from gamehost.storage.row_codec import Row, row_to_json
from gamehost.tables.interfaces import Archived, Look, Over, Suspended
from gamehost.tables.table import Table


def tables(host: GameHostService, request: Request) -> Items:
    """The matches that are played, the oldest first. Those that sleep are not among them, and are counted at the end."""
    lobby = host.context.lobby
    for table in list(lobby.tables.values()):
        yield {**_about(table, lobby.registry), "watchers": lobby.galleries.watchers(table.id)}
    return {"played": len(lobby.tables), "asleep": len(lobby.registry.sleeping.tables())}


def show(host: GameHostService, request: Request) -> Deferred[Facts]:
    """One match: the position as a watcher may see it, the seats, the clocks, and what is awaited."""
    lobby, number = host.context.lobby, TableId(request.number("table"))
    table = lobby.tables.get(number)
    if table is None:
        # SQLite can look up no larger numbers.
        asleep = 0 < number < 1 << 63 and lobby.seats.sleeps(number)
        raise NotDone(
            f"table {number} sleeps: none of its players is here"
            if asleep
            else f"no match with the number {number} is played; gamehost admin tables lists all{or_elsewhere(host)}"
        )
    looked: Deferred[Look[Any]] = Deferred()
    if not table.watch(_Onlooker(table, looked)):
        raise NotDone(f"table {number} cannot be shown now: its match is over, or is suspended")
    return looked.addCallback(lambda look: _shown(table, lobby.registry, look))


def list_lost(host: GameHostService, request: Request) -> Items:
    """The matches that nobody plays on, because rows of them are lost that players were told of."""
    found: Deferred[Sequence[Any]] = Deferred()
    _journal_of(host).ask_store(lambda store: store.lost(), found.callback)
    tables = yield found
    for one in tables:
        yield {"table": one.table, "told": one.told, "held": one.held}
    return {"lost": len(tables)}


def resume_lost(host: GameHostService, request: Request) -> Deferred[Facts]:
    """Have such a match be played on with the rows that are there."""
    table, found = _table_of(request), Deferred[Any]()
    _journal_of(host).ask_store(lambda store: store.go_on(table), found.callback)

    def resumed(one: UnfinishedTable | None) -> Facts:
        lobby = host.context.lobby
        if one is None:
            raise NotDone(f"table {table} has lost nothing, or has no row{or_elsewhere(host)}")
        if not lobby.seats.sleeps(table):  # a player has asked for it, and was told that it is suspended
            restore = partial(lobby.restore, host.games) if host.cluster is None else host.cluster.restore
            restore([one])
        return {"table": table}

    return found.addCallback(resumed)


def end_lost(host: GameHostService, request: Request) -> Deferred[Facts]:
    """Give such a match up. Its rows stay."""
    table, found = _table_of(request), Deferred[bool]()
    _journal_of(host).ask_store(lambda store: store.end_lost(table), found.callback)

    def ended(done: bool) -> Facts:
        if not done:
            raise NotDone(f"table {table} has lost nothing{or_elsewhere(host)}")
        host.context.lobby.seats.forget(table)
        return {"table": table}

    return found.addCallback(ended)


def _table_of(request: Request) -> TableId:
    """
    :raises NotDone: no store can have this number
    """
    if not 0 < (number := request.number("table")) < 1 << 63:
        raise NotDone(f"there is no table {number}")
    return TableId(number)


@define(eq=False)
class _Onlooker:
    """An audience that looks once."""

    _table: Table[Any, Any]
    _looked: Deferred[Look[Any]] = field(repr=False)

    def shown(self, look: Look[Any]) -> None:
        self._table.unwatch(self)
        self._looked.callback(look)

    def deliver(self, event: Any, n: int) -> None:
        """What happens later is not looked at."""


def _about(table: Table[Any, Any], registry: SessionRegistry) -> dict[str, Any]:
    return {
        "table": table.id,
        "game": table.game.name,
        "phase": table.phase.name.lower(),
        "private": bool(table.code),
        "entries": table.n,
        "seats": [_seat(table, Seat(seat), registry) for seat in range(len(table.names))],
    }


def _seat(table: Table[Any, Any], seat: Seat, registry: SessionRegistry) -> Facts:
    session, clocks = registry.get(table.names[seat]), table.clocks
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
    about: Facts = {**_about(table, registry), "entries": look.n}
    if messages_of(table.game) is None:
        return {**about, "board": None, "awaited": None}
    screen = screen_of(table.game)(None, table.names)
    screen.show(look.view)
    return {**about, "board": screen.draw(Style(charset="ascii")), "awaited": screen.prompt_line()}


def ladder(host: GameHostService, request: Request) -> Items:
    """
    The ratings in `game`, the best one first.

    :raises NotDone: there is no such game
    """
    game, finished = request.text("game"), host.context.lobby.spectators.finished
    if game not in host.games:
        raise NotDone(f"no such game; expected one of {', '.join(host.games)}")
    tally = yield Deferred.fromCoroutine(finished.tally())
    for who, one in tally.ladder(game)[:RANKED]:
        rating, low, high = one.rounded
        yield {"name": who.name, "kind": who.kind, "rating": rating, "low": low, "high": high, "matches": one.matches}
    return {}


def contest_game(host: GameHostService, request: Request) -> Items:
    """
    A game of a contest, from the places that are kept for its players to its record. It ends with the connection of whoever
    asks, unless its match has begun.

    `names` are the players in the order of the seats, `game` and `settings` what they play. Those who are `people` may be here
    already; the others come. Whoever of all is away from a match gives that up. The items say that the places are kept, who
    waits, and which table it is.
    """
    lobby, names, settings = host.context.lobby, request.arguments.get("names"), request.arguments.get("settings", {})
    game = host.games.get(request.text("game"))
    if game is None or not isinstance(names, list) or len(names) != game.least_seats or not isinstance(settings, dict):
        raise NotDone("expected the names of all players, a game of this host, and settings")
    people = request.arguments.get("people", [])
    for name in names:
        if not _has_left(lobby, str(name)) and name not in people:
            raise NotDone(f"{name} is here already")
    try:
        complete = lobby.settings_for(Queue(game), settings)
    except BadOption as error:
        raise NotDone(str(error)) from None
    heard: DeferredQueue[Facts] = DeferredQueue()

    def begins(number: TableId) -> None:
        heard.put({"table": number})
        lobby.tables[number].watch(_Reporter(heard, number))

    waits = [str(name) for name in names]
    reserved = Reservation(game.name, waits, complete, lambda name: heard.put({"waits": name}), begins)
    lobby.queues.reservations.append(reserved)
    for key, waiting in lobby.queues.waiting.items():
        for session in waiting:
            if reserved.holds(key, session):
                reserved.waits(session.name)  # a person who has asked for the game before this request
    try:
        item: Facts = {"reserved": waits}
        while "over" not in item:
            yield item
            item = yield heard.get()
    finally:
        lobby.queues.reservations.remove(reserved)
    record: Deferred[TableRecord | str] = Deferred()
    host.store.read(item["over"], record.callback)
    found = yield record
    if isinstance(found, str):
        raise NotDone(f"the match cannot be read: {found}")
    return {"record": write_notation(found)}


def contest_leave(host: GameHostService, request: Request) -> Facts:
    """A program of a contest has ended: whoever has this name and is away from a match gives that up."""
    return {"left": _has_left(host.context.lobby, request.text("name"))}


def _has_left(lobby: Lobby, name: str) -> bool:
    """Whether nobody has a name. A seat that is kept under it is given up."""
    session = lobby.registry.get(name)
    if session is not None and session.player is None:
        lobby.give_up(session)
    return lobby.registry.get(name) is None


@define(eq=False)
class _Reporter:
    """An audience that waits for the end of a match."""

    _heard: "DeferredQueue[Facts]"
    _table: TableId

    def shown(self, look: Look[Any]) -> None:
        """The end is awaited."""

    def deliver(self, event: Any, n: int) -> None:
        """The match may be over."""
        if isinstance(event, Over | Archived | Suspended):
            self._heard.put({"over": self._table})


#: Tables that are looked up at once. With 200 entries each, this takes about 2 ms of the writer's thread.
_TABLES_AT_ONCE = 50


def ends(host: GameHostService, request: Request) -> Items:
    """The first and the last row of every table."""
    journal = _journal_of(host)
    for low in range(1, journal.last_table + 1, _TABLES_AT_ONCE):
        found: Deferred[Sequence[Row]] = Deferred()
        journal.read_ends(low, low + _TABLES_AT_ONCE, found.callback)
        for row in (yield found):
            yield {"row": row_to_json(row)}
    return {}


def rows(host: GameHostService, request: Request) -> Items:
    """All rows of `table`; none if there is no such table."""
    journal, table = _journal_of(host), request.number("table")
    if not 0 < table < 1 << 63:
        return {}
    found: Deferred[Sequence[Row]] = Deferred()
    journal.read_rows(TableId(table), found.callback)
    for row in (yield found):
        yield {"row": row_to_json(row)}
    return {}


def _journal_of(host: GameHostService) -> DurableJournal:
    """
    :raises NotDone: the host keeps nothing
    """
    if not isinstance(host.store, DurableJournal):
        raise NotDone("this host keeps its matches in memory; there is no journal")
    return host.store
