"""
Ends of matches that players have missed: a player that was away at the end receives it after the next log-in.

Only the wires with `gamehost.wires.base.Wire.tells_missed_end` send it. The name of such a player is not reserved. If
another player logs in under the name, the end is dropped.
"""

from collections.abc import Generator, Sequence
from functools import partial
from typing import Any

from attrs import define, field
from twisted.logger import Logger

from gamehost.accounts.names import key_of
from gamehost.games.base import Game, Seat
from gamehost.journal.records import TableId, TableRecord
from gamehost.lobby.sessions import Session, SessionRegistry
from gamehost.lobby.sleeping import Place, SleepingTable
from gamehost.tables.context import TableContext
from gamehost.tables.interfaces import Player, Suspended
from gamehost.tables.table import Table


def _nothing(*_: Any) -> None:
    """Do nothing: a callback of a table that is in memory only to send its end, and has no players to free."""


@define(eq=False)
class MissedEnds:
    """
    Stores the ends of matches for absent players, and sends them later. The matches are in `SessionRegistry.ended`; their
    records remain in the journal's list of unfinished tables until all players have received the end.
    """

    _context: TableContext
    _registry: SessionRegistry
    _games: dict[str, Game[Any, Any]]
    #: The names of the wires that send missed ends to their players.
    wires: set[str] = field(factory=set)

    log = Logger()

    def keep(self, table: Table[Any, Any], sessions: Sequence[Session], since: int) -> set[str]:
        """
        Store the end of a match for its absent players. Called when the match has ended, before any player has received
        the end. `Table.missed` has the seats of the absent players; those that cannot receive it later are removed.

        :param sessions: the players, in the order of the seats
        :param since: the current time, in seconds of up-time
        :returns: the addresses of the players that will receive the end later
        """
        # For each seat: its place, or `None` if its player receives the end now or never.
        places = [
            Place(table.id, Seat(seat), one.record, one.away_since)
            if seat in table.missed and one.table is table and one.wire in self.wires and not one.house
            else None
            for seat, one in enumerate(sessions)
        ]
        kept = [place for place in places if place is not None]
        table.missed = frozenset(place.seat for place in kept)
        if kept:
            self._games.setdefault(table.game.name, table.game)
            ended = SleepingTable(table.id, table.game.name, since, table.now(), places, table.addresses)
            self._registry.ended.add([ended])
            self._context.journal.sleep(table.id, since)  # so that the end is dropped in time after a restart, too
        return {place.player.address for place in kept}

    def find(self, session: Session) -> None:
        """
        Find out, after a log-in, whether the player was away at the end of its last match, and must still receive that end.
        Note it in the session. If the stored end under this name belongs to another player, drop it.
        """
        place = self._registry.ended.find(session.key)
        if place is None:
            return
        if self._registry.has_missed(session, place):
            session.missed = place
        else:
            self._forget(place)

    def tell(self, session: Session) -> bool:
        """
        Send a connected player the end of the match that ended while it was away. The player receives it when the record has
        been read, as if it came back to the match: by a call of `seated` and the events `Back` and `Over`.

        :returns: `False`: there is no such end for this player
        """
        place, session.missed = session.missed, None
        if place is None or place.table not in self._registry.ended:  # the end was too old, and was dropped meanwhile
            return False
        assert session.player is not None
        self._context.journal.load(place.table, partial(self._loaded, session, session.player, place))
        return True

    def put_away(self, since: int, most: int) -> None:
        """
        Drop old ends that no player has fetched.

        :param since: drop only matches that ended at this time or before, in seconds of up-time
        :param most: the number of matches that are dropped at most
        """
        for table in self._registry.ended.overdue(since, most):
            for place in self._registry.ended.remove(table).places:
                if place is not None:
                    self._registry.membership.freed(key_of(place.player.name))
            self._context.journal.told(table)

    def _forget(self, place: Place) -> None:
        """Drop the end for one player. After the last player, the journal drops the match from its list, too."""
        none_left = self._registry.ended.drop(place)
        self._context.journal.told(place.table, None if none_left else place.seat)

    def _loaded(self, session: Session, player: Player[Any, Any], place: Place, record: TableRecord | str) -> None:
        """
        Rebuild the table from its record in short slices of time, so that other matches need not wait. A text instead of the
        record is the reason why it cannot be read.
        """
        if isinstance(record, str):
            self._restored(session, player, place, LookupError(record))
        else:
            restored = partial(self._restored, session, player, place)
            self._context.slices.run(self._restoring(place.table, record), restored)

    def _restoring(self, number: TableId, record: TableRecord) -> Generator[None, None, Table[Any, Any]]:
        """Replay the record of a finished match in steps, and return its table."""
        table = Table.prepare(
            self._context, number, self._games[record.opening.game], record.opening, _nothing, _nothing
        )
        yield from table.restore(record)
        table.halt()  # the match is over, so its clocks must not run
        return table

    def _restored(
        self, session: Session, player: Player[Any, Any], place: Place, table: Table[Any, Any] | Exception
    ) -> None:
        """Send the end to the player by the rebuilt table. If an exception comes instead of a table, rebuilding has failed."""
        if session.player is not player:
            return  # disconnected again; the end is sent after the next log-in
        if isinstance(table, Exception):
            self.log.error("table {table}: its end cannot be told: {error}", table=place.table, error=str(table))
            self._forget(place)
            player.deliver(Suspended())
        else:
            # The player receives the end as if it came back to the match. The table then notes that in the journal.
            self._registry.ended.drop(place)
            table.reconnect(place.seat, player)
