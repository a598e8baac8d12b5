"""
What those who watch are told: the bytes for all of them, made once.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import define
from msgspec import Struct
from msgspec.json import Encoder

from gamehost.journal.history import History
from gamehost.lobby.board import Changes, Shown, Waiting, WaitingByGame
from gamehost.tables.interfaces import Archived, Away, Back, Left, Look, Over, Suspended
from gamehost.tables.table import Table
from gamehost.wires.open import messages as m
from gamehost.wires.open.options import OpenOptions
from gamehost.wires.open.table_side import told_clocks

_encode = Encoder().encode

#: Why a match that nobody came back to is over.
ARCHIVED = "nobody came back"


@define(eq=False)
class LineEncoder:
    """
    The bytes of lines.

    :param options: the wire's games
    """

    _options: OpenOptions

    # -- of a match

    def shown(self, table: Table[Any, Any], look: Look[Any], delay: float) -> bytes:
        """Where the match stands."""
        view = self._options.games[table.game.name].face.view(look.view)
        names, wires = list(table.names), list(table.wires)
        away, clocks = list[int](look.away), told_clocks(table.clocks)
        return _lines([m.Shown(table.id, table.game.name, names, wires, away, look.n, view, delay, clocks)])

    def event(self, table: Table[Any, Any], event: Any, n: int) -> bytes:
        """An event of the table or of its game; nothing, if the game's face does not tell it."""
        number = table.id
        match event:
            case Away(seat):
                return _lines([m.Away(number, n, seat)])
            case Left(seat):
                return _lines([m.Left(number, n, seat)])
            case Back(seat):
                return _lines([m.Back(number, n, seat)])
            case Suspended():
                return _lines([m.Suspended(number)])
            case Archived():
                return _lines([m.Over(number, n, [], "left", ARCHIVED)])
            case Over(result):
                return _lines([m.Over(number, n, list(result.winners), result.cause.value, result.why)])
        told = self._options.games[table.game.name].face.event(event)
        return b"" if told is None else _lines([m.Event(number, n, told, told_clocks(table.clocks))])

    def history(self, table: int, game: str, told: History[Any]) -> m.History:
        """What has happened, without the events that the game's face does not tell."""
        face = self._options.games[game].face
        events = ((number, face.event(event)) for number, event in told.events)
        return m.History(table, told.n, [m.Numbered(number, event) for number, event in events if event is not None])

    # -- of the board

    def board(self, shown: Sequence[Shown], waiting: WaitingByGame) -> bytes:
        """All matches, and all who wait."""
        rows = [m.TableRow(*self._row(*one)) for one in shown if one[0].game.name in self._options.games]
        groups = [row for game, one in waiting.items() for row in self._waiting(game, one)]
        return _lines([m.Tables(rows, groups)])

    def changes(self, changes: Changes) -> bytes:
        """What is different since the last time."""
        known = self._options.games
        return _lines(
            [
                *(m.TableChanged(*self._row(*one)) for one in changes.changed if one[0].game.name in known),
                *map(m.Gone, changes.gone),
                *(m.Waiting(game, self._waiting(game, one)) for game, one in changes.waiting.items() if game in known),
            ]
        )

    def _row(self, table: Table[Any, Any], look: Look[Any]) -> tuple[int, str, list[str], list[str], list[int], int]:
        view = self._options.games[table.game.name].face.view(look.view)
        # In Paper Soccer the key has the name that it has in the game's own events.
        turn = getattr(view, "turn", getattr(view, "next", None))
        turns = [] if turn is None else [turn]
        return table.id, table.game.name, list(table.names), list(table.wires), turns, look.n

    def _waiting(self, name: str, waiting: Waiting | None) -> list[m.WaitingRow]:
        if waiting is None or name not in self._options.games:
            return []
        least = self._options.games[name].game.least_seats
        rows = [m.WaitingRow(name, least, list(waiting.names))] if waiting.names else []
        return [*rows, *(_open_row(name, table) for table in waiting.tables)]


def _open_row(game: str, table: Any) -> m.WaitingRow:
    return m.WaitingRow(game, table.seats, list(table.names), dict(table.settings), table.table)


def _lines(messages: Iterable[Struct]) -> bytes:
    return b"".join(_encode(message) + b"\n" for message in messages)
