"""
Rematches of slow matches. If a player asks for a rematch, it opens a table for the same players. The other players find
this table in the lists of their own matches when they log in. The rematch begins when all of them have taken their
seats.

The finished match is in the store. So a player can ask for a rematch days later, and after a restart of the host.
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
    """A slow match that is over, for which a player asks for a rematch."""

    played: Played
    #: The other players, which the rematch is offered to.
    others: Sequence[SeatRecord]


@frozen
class Rematches:
    """
    Finds the slow matches for which players ask for a rematch.

    :param table: finds the open table for the rematch of a match, if the player has a seat or a reserved seat there;
        otherwise returns `None`
    """

    _journal: Journal
    table: Callable[[Session, TableId], OpenTable | None]

    def find(self, session: Session, table: TableId, found: Callable[[PlayedSlow | str], None]) -> None:
        """
        Find a finished slow match of a player.

        :param table: the number of the match
        :param found: called with the match, or with the reason why there is none
        """
        self._journal.read(table, lambda record: found(_played(session, record)))


def _played(session: Session, record: TableRecord | str) -> PlayedSlow | str:
    """The match of a record, or the reason why it is no finished slow match of this player."""
    if isinstance(record, str) or record.opening.slow is None:  # it cannot be read, or is not a slow match
        return _NONE
    seats = record.opening.seats
    seat = next((Seat(number) for number, one in enumerate(seats) if session.plays(one)), None)
    if seat is None:
        return _NONE
    last = record.entries[-1] if record.entries else None
    if last is None or not (last.outcome or last.kind is EntryKind.ARCHIVED):
        return "this match is not over"
    opening, names = record.opening, [one.name for one in seats]
    # The rematch has the same settings, but is not a game of the championship.
    settings = {name: text for name, text in settings_to_show(opening.settings).items() if name != CHAMPIONSHIP}
    others = tuple(one for one in seats if key_of(one.name) != session.key)
    played = Played(record.table, opening.game, settings, names, seat, private=bool(opening.code))
    return PlayedSlow(played, others)
