"""
Commands about matches.

Those for people show what everybody may know, and nothing that a player keeps secret. Those for `gamehost journal` show
everything.
"""

from collections.abc import Sequence
from typing import Any

from attrs import define, field
from twisted.internet.defer import Deferred

from gamehost.admin.host import or_elsewhere
from gamehost.admin.server import Facts, Items, NotDone, Request
from gamehost.games.base import Seat
from gamehost.games.play import messages_of, screen_of
from gamehost.games.screen import Style
from gamehost.journal.records import TableId
from gamehost.lobby.sessions import SessionRegistry
from gamehost.service import GameHostService
from gamehost.storage.durable import DurableJournal
from gamehost.storage.row_codec import Row, row_to_json
from gamehost.tables.interfaces import Look
from gamehost.tables.table import Table


def tables(host: GameHostService, request: Request) -> Items:
    """The matches that are played, the oldest first; those that sleep are not among them."""
    lobby = host.context.lobby
    for table in list(lobby.tables.values()):
        yield {**_about(table, lobby.registry), "watchers": lobby.galleries.watchers(table.id)}
    return {}


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
