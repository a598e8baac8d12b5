"""
Rematches of slow matches. A player that asks for a rematch opens a table, which waits as long as any table for a slow
match does. The other players find it in the lists of their own matches when they come. The match begins when all of
them have taken their seats.

The finished match is in the store, so a player can ask days after its end, and after a restart of the host.
"""

from collections.abc import Callable, Sequence

from attrs import frozen

from gamehost.accounts.names import key_of
from gamehost.games.base import Seat
from gamehost.journal.records import (
    CHAMPIONSHIP,
    EntryKind,
    Journal,
    SeatRecord,
    TableId,
    TableRecord,
    settings_to_show,
)
from gamehost.lobby.queues import Played
from gamehost.lobby.sessions import Session
from gamehost.tables.interfaces import OpenTable

_NONE = "you have played no slow match of this number"


@frozen
class PlayedSlow:
    """A slow match that is over."""

    played: Played
    #: The players who are to be asked.
    others: Sequence[SeatRecord]


@frozen
class Rematches:
    """
    Finds the slow matches for which players ask for a rematch.

    :param table: gives the table for the rematch of a match where a player waits, or is asked for it; `None`: there is none
    """

    _journal: Journal
    table: Callable[[Session, TableId], OpenTable | None]

    def find(self, session: Session, table: TableId, found: Callable[[PlayedSlow | str], None]) -> None:
        """
        Find a slow match that a player has played to its end.

        :param found: called with it, or with the reason why there is none
        """
        self._journal.read(table, lambda record: found(_played(session, record)))


def _played(session: Session, record: TableRecord | str) -> PlayedSlow | str:
    if isinstance(record, str) or record.opening.slow is None:
        return _NONE
    seats = record.opening.seats
    seat = next((Seat(number) for number, one in enumerate(seats) if session.plays(one)), None)
    if seat is None:
        return _NONE
    last = record.entries[-1] if record.entries else None
    if last is None or not (last.outcome or last.kind is EntryKind.ARCHIVED):
        return "this match is not over"
    opening, names = record.opening, [one.name for one in seats]
    settings = {name: text for name, text in settings_to_show(opening.settings).items() if name != CHAMPIONSHIP}
    others = tuple(one for one in seats if key_of(one.name) != session.key)
    played = Played(record.table, opening.game, settings, names, seat, private=bool(opening.code))
    return PlayedSlow(played, others)
