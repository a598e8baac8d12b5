"""
Rematches: the players of a match that is over play each other again, with colours changed.

Who asks first waits at a private table, and the others are told its number and its code. So each has to ask, and a rematch that
nobody wants ends as any open table does.
"""

from collections.abc import Callable, Sequence
from typing import Any

from attrs import field, frozen
from msgspec import Struct

from gamehost.games.base import Game, Seat
from gamehost.journal.records import CHAMPIONSHIP, TableId
from gamehost.lobby.sessions import Session
from gamehost.settings import Settings


class RematchWanted(Struct, frozen=True):
    """To the other players of a match that is over: one of them waits for the rest at a new table."""

    played: TableId
    name: str
    table: TableId
    code: str


@frozen
class Played:
    """A match of this session: who may ask for a rematch, and of what."""

    table: TableId
    game: Game[Any, Any]
    settings: Settings
    #: In the order of the seats.
    sessions: Sequence[Session] = field(repr=False)

    @classmethod
    def of(cls, session: Session) -> "Played | None":
        """The match in which a session has a seat now; `None`: it has none, or the match is played elsewhere."""
        table = session.table
        if table is None or not session.match:
            return None
        left_out = {"code", CHAMPIONSHIP}
        settings = {name: text for name, text in table.settings.items() if name not in left_out}
        return cls(table.id, table.game, settings, tuple(session.match))

    def others(self, session: Session) -> list[Session]:
        """All but one."""
        return [one for one in self.sessions if one is not session]

    def wish(self, session: Session) -> Seat | None:
        """The seat that this player has in the rematch: the other one, in a game of two."""
        if len(self.sessions) != 2 or session not in self.sessions:
            return None
        return Seat(1 - self.sessions.index(session))

    def why_not(self, session: Session, held: Callable[[str], Session | None]) -> str | None:
        """
        Why there can be no rematch now; `None`: the others can be asked.

        :param held: the session of a name
        """
        for one in self.others(session):
            if one.player is None or held(one.name) is not one:
                return f"{one.name} is not here any more"
            if one.table_id is not None:
                return f"{one.name} plays another match"
            if one.wire != session.wire:
                return f"{one.name} cannot be asked on that wire"
        return None
