"""
Matches with days for a move, at the console: a person sits at one match at a time, and rises from it to see another one.
"""

from typing import Any, ClassVar

from gamehost.journal.records import TableId
from gamehost.tables.interfaces import Archived, Away, SeatHandle
from gamehost.wires.console.absence import HearsAbsences
from gamehost.wires.console.commands import NotNow, sentence, table_and_code
from gamehost.wires.console.elsewhere import ConsoleState

_RISEN = "The match goes on, and so does the time. Type mine to see your matches."


class SitsAtSlow(HearsAbsences):
    """The part of a conversation about slow matches."""

    #: Where the person sits; `None`: at none.
    _slow: TableId | None = None

    def _need_no_match(self) -> None:
        """:raises NotNow: a match is on"""
        raise NotImplementedError

    def _rest(self) -> None:
        raise NotImplementedError

    def sit(self, words: list[str]) -> None:
        """Sit down at a slow match."""
        session = self.session
        if session is None:
            raise NotNow("Log in first: name NAME:KEY, or login NAME.")
        table, _ = table_and_code(words, "sit 12")
        if self._slow is not None:
            self._rise()
        self._need_no_match()
        self._printer.awaiting = True
        why = self.lobby.slow_matches().sit(session, table, self, self._not_seated)
        if why is not None:
            self._printer.awaiting = False
            raise NotNow(f"{sentence(why)} Type mine to see yours.")

    def _not_seated(self, why: str) -> None:
        self._printer.awaiting = False
        self._tell(sentence(why))

    def rise(self, words: list[str]) -> None:
        if self._slow is None:
            raise NotNow("You sit at no match with days for a move. Type mine to see yours.")
        self._rise()
        self._printer.print(_RISEN)

    def _rise(self) -> None:
        table, self._slow = self._slow, None
        if table is not None:
            self.lobby.slow_matches().rise(table, self)
            self.handle = self._match = None
            self._rest()

    def slow_seat(self, table: TableId) -> "SitsAtSlow | None":
        """As of `SitsDown`."""
        return self if self.handle is None and self.state in (ConsoleState.LOBBY, ConsoleState.WAITING) else None

    def seated(self, handle: SeatHandle[Any]) -> None:
        session = self.session
        self._slow = None if session is None or session.table_id == handle.table else handle.table
        super().seated(handle)

    def tell_away(self, event: Away) -> None:
        if self._slow is None:
            super().tell_away(event)

    def tell_archived(self, event: Archived) -> None:
        self._tell("A player has never moved: the match is over, and does not count.")
        self._end_slow()

    def _end_slow(self) -> None:
        self.leave_table(ConsoleState.LOBBY)
        self._slow = None
        self._rest()

    def end(self) -> None:
        if self._slow is not None:
            self._rise()
        super().end()

    TELLS: ClassVar[Any] = {**HearsAbsences.TELLS, Away: tell_away, Archived: tell_archived}
