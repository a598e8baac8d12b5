"""What all connections of the console share."""

from collections.abc import Mapping
from weakref import WeakValueDictionary

from attrs import field, frozen

from gamehost.journal.records import TableId
from gamehost.wires.console.screens.base import ScreenKind
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
    #: One for each table that is watched.
    _watched: "WeakValueDictionary[TableId, WatchedTable]" = field(factory=WeakValueDictionary)

    def watched(self, table: TableId) -> WatchedTable:
        """What those who watch a table share."""
        found = self._watched.get(table)
        if found is None:
            found = self._watched[table] = WatchedTable(self.games, self.screens)
        return found
