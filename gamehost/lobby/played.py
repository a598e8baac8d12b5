"""
All matches that can be watched at this host: those at its own tables, and, at the leader of a cluster, those of other hosts.
"""

from collections.abc import Mapping
from itertools import islice
from operator import attrgetter
from typing import Any

from attrs import define, field

from gamehost.games.base import Game
from gamehost.journal.records import TableId
from gamehost.lobby.following import FollowedTables
from gamehost.tables.context import TableContext
from gamehost.tables.interfaces import WatchableTable
from gamehost.tables.table import Table


@define(eq=False)
class PlayedTables:
    """
    The matches that are played.

    :param own: the tables in play at this host
    """

    _context: TableContext
    own: dict[TableId, Table[Any, Any]]
    _followed: FollowedTables | None = field(default=None, init=False)
    _halted: bool = field(default=False, init=False)

    def follow(self, games: Mapping[str, Game[Any, Any]]) -> None:
        """As `Spectators.follow`."""
        context = self._context
        if self._followed is None and not self._halted:
            self._followed = FollowedTables(context.clock, context.journal, context.slices, games, self.own)

    def halt(self) -> None:
        """The host stops: the matches of others are not followed any more."""
        self._halted = True
        if self._followed is not None:
            self._followed.halt()

    def look(self) -> None:
        """Somebody looks at the matches. Those of other hosts are asked for often while somebody does."""
        if self._followed is not None:
            self._followed.look()

    def get(self, table: TableId) -> WatchableTable | None:
        """
        A match by its number.

        A table that was followed before this host became its home is the followed one as long as somebody watches it.
        """
        own = self.own.get(table)
        if self._followed is None:
            return own
        return self._followed.get(table) if own is None else self._followed.watched(table) or own

    def newest(self, count: int) -> list[WatchableTable]:
        """The matches that are not private, the newest first, and no more than so many."""
        own = list(islice((table for table in reversed(self.own.values()) if not table.code), count))
        if self._followed is None:
            return [*own]
        tables: dict[TableId, WatchableTable] = {one.id: one for one in self._followed.newest(count)}
        tables |= {one.id: self._followed.watched(one.id) or one for one in own}
        return sorted(tables.values(), key=attrgetter("id"), reverse=True)[:count]

    def __len__(self) -> int:
        return len(self.own) + (0 if self._followed is None else self._followed.count)
