"""
The tables that a client plays or watches, as far as it has been told. Pure.
"""

from typing import Any

from attrs import define, field
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from gamehost.client.views import followed, read_action, read_event, read_view
from gamehost.wires.open import messages as m


@define(eq=False)
class Table:
    """A table, as it was when the last message of it came."""

    number: int
    #: The game's name.
    game: str
    #: The own seat; `None`: the client watches.
    seat: int | None
    #: By seat: the players' names, and the wires on which they play.
    names: list[str]
    wires: list[str]
    #: The number of the last entry of the journal that was told.
    n: int
    #: The view of the own seat or of a watcher, as a struct of the game. `None`: not known yet. It follows the events.
    view: Any = None
    #: The seats whose players have lost the connection.
    away: set[int] = field(factory=set)
    #: How the match ended; `None`: it goes on.
    over: m.Over | None = None
    #: By seat: the milliseconds that were left when the last view or event came; `None`: the match has no clocks.
    clocks: list[int] | None = None


class Tables:
    """All tables of a client. Those whose match is over are kept until another one is told of."""

    def __init__(self) -> None:
        self._tables: dict[int, Table] = {}
        self._own: Table | None = None

    @property
    def own(self) -> Table | None:
        """The table at which the client has a seat, until the match is over."""
        return self._own

    def get(self, number: int) -> Table | None:
        """The table with this number, if the client plays or watches there."""
        return self._tables.get(number)

    def forget(self, number: int) -> None:
        """The client does not watch there any more. The own table is kept."""
        if self._own is None or self._own.number != number:
            self._tables.pop(number, None)

    def entered(self, number: int | UnsetType) -> None:
        """The client has logged in again, and this is where it has a seat."""
        if self._own is not None and self._own.number != number:
            self._tables.pop(self._own.number, None)
            self._own = None

    def hear(self, message: m.ServerMessage) -> m.ServerMessage:
        """
        Bring the table up to date.

        :return: the message, with its event or view as a struct of the game
        """
        match message:
            case m.Seated(number, game, seat, names, wires, n):
                self._own = self._begin(Table(number, game, seat, names, wires, n, clocks=_clocks(message)))
                return message
            case m.Shown():
                view = read_view(message.game, message.view)
                names, wires, away = message.names, message.wires, set(message.away)
                if self._own is None or self._own.number != message.table:
                    shown = Table(message.table, message.game, None, names, wires, message.n, view, away)
                    shown.clocks = _clocks(message)
                    self._begin(shown)
                return replace(message, view=view)
        table = self._tables.get(getattr(message, "table", -1))
        if table is None:
            return message
        return self._follow(table, message)

    def _begin(self, table: Table) -> Table:
        for number in [number for number, known in self._tables.items() if known.over is not None]:
            del self._tables[number]
        self._tables[table.number] = table
        return table

    def _follow(self, table: Table, message: m.ServerMessage) -> m.ServerMessage:
        match message:
            case m.Event(_, n, event):
                event = read_event(table.game, event)
                table.n = n
                table.view = followed(table.view, event, table.seat)
                table.clocks = _clocks(message)
                return replace(message, event=event)
            case m.History(_, n, events):
                told = [m.Numbered(one.n, read_event(table.game, one.event)) for one in events]
                return replace(message, events=told)
            case m.Moves(_, _, moves):
                read = [replace(one, parts=read_action(table.game, one.parts)) for one in moves]
                return replace(message, moves=read)
            case m.Away(_, n, seat) | m.Left(_, n, seat):
                table.n = n
                table.away.add(seat)
            case m.Replaced(_, n, seat, name):
                table.n = n
                table.names[seat] = name
            case m.Back(_, n, seat, view):
                table.n = n
                table.away.discard(seat)
                if view is not UNSET:
                    table.view = read_view(table.game, view)
                    return replace(message, view=table.view)
            case m.Over(_, n):
                table.n, table.over = n, message
                self._end(table)
            case m.Suspended():
                self._tables.pop(table.number)
                self._end(table)
        return message

    def _end(self, table: Table) -> None:
        if table is self._own:
            self._own = None


def _clocks(message: m.Seated | m.Shown | m.Event) -> list[int] | None:
    return None if message.clocks is UNSET else message.clocks
