"""
Slow matches (with days for each move) at the console. A person can open only one slow match at a time, and must close
it to open another one.
"""

from typing import Any, ClassVar

from gamehost.journal.records import TableId
from gamehost.lobby.queues import OnLeave, RematchWanted
from gamehost.lobby.seats import duration
from gamehost.tables.interfaces import Archived, Away, SeatHandle
from gamehost.wires.console.absence import HearsAbsences
from gamehost.wires.console.commands import NotNow, count_of, sentence, table_and_code
from gamehost.wires.console.elsewhere import ConsoleState

_RISEN = "The match goes on, and so does the time. Type mine to see your matches."


class SitsAtSlow(HearsAbsences):
    """The part of a conversation about slow matches."""

    #: The slow match that the person has opened; `None`: none.
    _slow: TableId | None = None
    #: The slow match that the person opened last.
    _slow_before: TableId | None = None

    def _need_no_match(self) -> None:
        """:raises NotNow: a match is on"""
        raise NotImplementedError

    def _rest(self) -> None:
        """Returns to the lobby, or to waiting at a table that lasts."""
        raise NotImplementedError

    def sit(self, words: list[str]) -> None:
        """Performs the command `sit`: opens a slow match, and closes the one that is open."""
        session = self.session
        if session is None:
            raise NotNow("Log in first: name NAME:KEY, or login NAME.")
        table, _ = table_and_code(words, "sit 12")
        if self._slow is not None:
            self._rise()
        self._need_no_match()
        # The state of the match follows later, or `_not_seated` says why it does not.
        self._printer.awaiting = True
        why = self.lobby.slow_matches().sit(session, table, self, self._not_seated)
        if why is not None:
            self._printer.awaiting = False
            raise NotNow(f"{sentence(why)} Type mine to see yours.")

    def _not_seated(self, why: str) -> None:
        """Informs the person that a slow match could not be opened."""
        self._printer.awaiting = False
        self._tell(sentence(why))

    def rise(self, words: list[str]) -> None:
        """Performs the command `rise`: closes the slow match that is open."""
        if self._slow is None:
            raise NotNow("You sit at no match with days for a move. Type mine to see yours.")
        self._rise()
        self._printer.print(_RISEN)

    def _rise(self) -> None:
        """Closes the slow match that is open, if there is one."""
        table, self._slow = self._slow, None
        if table is not None:
            self.lobby.slow_matches().rise(table, self)
            # The match continues without this connection.
            self.handle = self._match = None
            self._rest()

    def rematch(self, words: list[str]) -> None:
        """
        Performs the command `rematch`: asks for a rematch of a slow match. Without a number, this is the slow match
        that the person opened last.
        """
        session = self.session
        if session is None:
            raise NotNow("Log in first: name NAME:KEY, or login NAME.")
        if not words and self._slow_before is None:
            raise NotNow("Say of which match with days for a move. For example: rematch 12")
        table = self._slow_before if not words else table_and_code(words, "rematch 12")[0]
        assert table is not None
        self._need_no_match()
        self._printer.awaiting = True
        self.ask_again(session, table)

    def holiday(self, words: list[str]) -> None:
        """
        Performs the command `holiday`: begins a holiday of some days from slow matches; 0 ends it. Without a number,
        the state of the holiday is shown.
        """
        session = self.session
        if session is None:
            raise NotNow("Log in first: name NAME:KEY, or login NAME.")
        # -1: no number was typed.
        days = count_of(words, -1, 1000, "holiday 7")
        self._printer.awaiting = True
        why = self.lobby.slow_matches().leave(session, None if days < 0 else days)
        if why is not None:
            self._printer.awaiting = False
            raise NotNow(sentence(why))

    def tell_leave(self, event: OnLeave) -> None:
        """Informs the person of the state of the holiday."""
        self._printer.awaiting = False
        left = "1 day" if event.left == 1 else f"{event.left} days"
        if event.until is None:
            words = "You are not on holiday."
        else:
            now = self.lobby.slow_matches().wall
            rest = duration(max(0, event.until - now) / 1000)
            words = f"You are on holiday for {rest}: no match with days for a move ends by time."
        self._tell(f"{words} You may take {left} more in this year.")

    def rematch_refused(self, why: str) -> None:
        """Informs the person that a rematch is not possible."""
        self._printer.awaiting = False
        # While a line is handled, the reason is the answer to it. Later, it needs a prompt of its own.
        if self._printer.hearing:
            self._printer.refuse(sentence(why))
        else:
            self._tell(sentence(why))

    def tell_rematch(self, event: RematchWanted) -> None:
        """Informs the person that a player wants a rematch, or does not want it any more."""
        name = event.shown or event.name
        if event.table is None:
            self._tell(f"{name} does not want a rematch of match {event.played} any more.")
        else:
            words = f"{name} wants a rematch of match {event.played}."
            self._tell(f"{words} To accept, type: join {event.table}-{event.code}")

    def slow_seat(self, table: TableId) -> "SitsAtSlow | None":
        """
        Returns the receiver for the events of a slow match that begins, as `SitsDown` says; `None`: the person is in
        another match.
        """
        return self if self.handle is None and self.state in (ConsoleState.LOBBY, ConsoleState.WAITING) else None

    def seated(self, handle: SeatHandle[Any]) -> None:
        """Takes a seat. Notes whether the match is a slow one: a slow match is not the main match of the session."""
        session = self.session
        # Only a slow match is not the one that is noted in the session.
        self._slow = None if session is None or session.table_id == handle.table else handle.table
        self._slow_before = self._slow or self._slow_before
        super().seated(handle)

    def tell_away(self, event: Away) -> None:
        """
        Informs the person that a player is away. In a slow match nothing is shown, because players need not be
        connected there.
        """
        if self._slow is None:
            super().tell_away(event)

    def tell_archived(self, event: Archived) -> None:
        """Informs the person that the slow match has ended without a result."""
        self._tell("A player has never moved: the match is over, and does not count.")
        self._end_slow()

    def _end_slow(self) -> None:
        """Returns to the lobby after the end of a match, slow or not."""
        self.leave_table(ConsoleState.LOBBY)
        self._slow = None
        self._rest()

    def end(self) -> None:
        if self._slow is not None:
            self._rise()
        super().end()

    TELLS: ClassVar[Any] = {
        **HearsAbsences.TELLS,
        Away: tell_away,
        Archived: tell_archived,
        RematchWanted: tell_rematch,
        OnLeave: tell_leave,
    }
