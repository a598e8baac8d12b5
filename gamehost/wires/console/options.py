"""What all connections of the console share."""

from collections.abc import Mapping
from weakref import WeakValueDictionary

from attrs import field, frozen

from gamehost.journal.records import TableId
from gamehost.wires.console.screens.base import ScreenKind, Style
from gamehost.wires.console.watched_table import WatchedTable
from gamehost.wires.seeking import PlayedGame


@frozen
class ConsoleOptions:
    """The games of a listener, and what those who watch share."""

    #: The wire's name, for the lobby.
    wire: str
    #: By their names.
    games: Mapping[str, PlayedGame]
    #: By the same names.
    screens: Mapping[str, ScreenKind]
    #: One for each table that is watched, and each way of drawing it.
    _watched: "WeakValueDictionary[tuple[TableId, Style], WatchedTable]" = field(factory=WeakValueDictionary)

    def watched(self, table: TableId, style: Style) -> WatchedTable:
        """What those who watch a table in the same style share."""
        found = self._watched.get((table, style))
        if found is None:
            found = self._watched[(table, style)] = WatchedTable(self.games, self.screens, style)
        return found
