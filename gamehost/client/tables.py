"""
The tables that a client plays or watches, as far as it has been told, with the events and views of each game as structs. Pure.

The structs are those of the game: `gamehost.games.<game>.messages`. A view follows the events, and shows what its seat may
know, as the host would show it now. It holds no rules: positions in `gamehost.games` know which moves are legal.

Messages say less than a game's own views, so two things are as in the last view that the host has shown: in Eriantys `turn` and
`statuses`.
"""

from collections.abc import Mapping
from typing import Any, get_args

from attrs import define, field
from msgspec import UNSET, UnsetType, ValidationError, convert
from msgspec.structs import replace

from gamehost.games.base import Game, Seat
from gamehost.games.installed import installed
from gamehost.games.messages import Messages
from gamehost.games.paper_soccer.rules import Foul
from gamehost.games.play import messages_of
from gamehost.wires.open import messages as m

#: The installed games that have messages, which know what an event changes.
GAMES: Mapping[str, Game[Any, Any]] = {
    name: game for name, game in installed().games.items() if messages_of(game) is not None
}
#: Their messages.
MESSAGES: Mapping[str, Messages] = {
    name: messages for name, game in GAMES.items() if (messages := messages_of(game)) is not None
}

#: The game of an event, by its struct.
_GAME_OF: Mapping[type, str] = {
    kind: name for name, messages in MESSAGES.items() for kind in get_args(messages.event_type)
}


def read_event(game: str, event: Any) -> Any:
    """
    An event as a struct of the game.

    :param event: as it was read from JSON
    :return: the same value if the game or the event is not known here, as of a later host
    """
    messages = MESSAGES.get(game)
    return event if messages is None else _converted(event, messages.event_type)


def read_view(game: str, view: Any) -> Any:
    """A view as a struct of the game; otherwise as `read_event`."""
    messages = MESSAGES.get(game)
    return view if messages is None else _converted(view, messages.view_type)


def read_action(game: str, parts: Any) -> Any:
    """An action in parts as a struct of the game; otherwise as `read_event`."""
    messages = MESSAGES.get(game)
    return parts if messages is None else _converted(parts, messages.action_type)


def _converted(value: Any, kind: Any) -> Any:
    try:
        return convert(value, kind)
    except ValidationError:
        return value


def followed(view: Any, event: Any, seat: int | None) -> Any:
    """
    The view after an event of the same match.

    :param view: the view before it; `None`: none is known yet
    :param event: as `read_event` gives it
    :param seat: whose view it is; `None`: a watcher's
    :return: the view before it if the event changes nothing, or is of rules that are not known here; `None` while too little
        is known
    """
    name = _GAME_OF.get(type(event))
    if name is None:
        return view
    messages, eye = MESSAGES[name], None if seat is None else Seat(seat)
    try:
        before = messages.read_view(view, eye) if isinstance(view, messages.view_type) else None
        after = GAMES[name].follow(before, messages.read_event(event), eye)
        return view if after is before else messages.view(after)
    except (LookupError, ValueError, Foul):
        return view


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
                view = UNSET if message.view is UNSET else read_view(table.game, message.view)
                return replace(message, moves=read, view=view)
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
