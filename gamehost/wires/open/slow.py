"""The slow matches that one connection has opened. Besides them, it may have a seat at one other match."""

from functools import partial
from typing import Any, ClassVar

from msgspec import UNSET

from gamehost.journal.records import TableId
from gamehost.lobby.slow import SlowMatches
from gamehost.tables.interfaces import Archived, Away, Back, Over, SeatHandle, Suspended
from gamehost.tables.slow_table import ANNULLED
from gamehost.wires.open import messages as m
from gamehost.wires.open.conversation import MATCH_OVER, OpenConversation
from gamehost.wires.open.values import told_shown
from gamehost.wires.open.watching import OpenOptions, OpenState, SharedEncoder, told_due

#: The most slow matches that one connection may have open at the same time.
MOST_SEATS = 8


class SlowSeat(OpenConversation):
    """
    The seat of a connection at one slow match. It handles actions and events like a conversation that has only this
    match.

    It sends nothing when players connect or disconnect, because the players of a slow match are usually away.
    """

    def __init__(self, seats: "SlowSeats", table: TableId, encoder: SharedEncoder) -> None:
        """
        Makes the seat. It uses the connection and the session of the client's conversation.

        :param seats: all slow matches that the connection has opened
        :param encoder: makes the messages for all watchers
        """
        client = seats.client
        super().__init__(client.peer, client.lobby, seats.options, encoder)
        self.session = client.session
        self.table = table
        self._seats = seats
        # A seat is always in a match, so the messages of a match are accepted.
        self.set_state(OpenState.PLAYING)

    def seated(self, handle: SeatHandle[Any]) -> None:
        """Sends `seated` for this slow match. The time `by` is given instead of clocks."""
        self.handle = handle
        self._messages = self._options.games[handle.game].messages
        self._refused.clear()
        # A request at an earlier seat is not answered any more.
        self._asks_moves = False
        names, wires, due = list(handle.names), list(handle.wires), handle.due
        # `due[0]`: the remaining milliseconds.
        by = UNSET if due is None else self._seats.matches.wall + due[0]
        n, told = handle.n, told_due(due)
        self.peer.say(
            m.Seated(
                handle.table,
                handle.game,
                handle.seat,
                names,
                wires,
                n,
                due=told,
                by=by,
                shown_as=told_shown(handle.shown_as),
            )
        )
        # The client may look for another match now.
        self._seats.client.rests()

    def tell_away(self, event: Away) -> None:
        """Sends nothing: absence does not matter in a slow match."""

    def tell_back(self, event: Back[Any]) -> None:
        """Sends the state of the match when its own player is back; nothing for other players."""
        if self.handle is not None and event.seat == self.handle.seat:
            super().tell_back(event)

    def tell_archived(self, event: Archived) -> None:
        """Sends that the match has ended without a result."""
        if self.handle is not None:
            self.peer.say(m.Over(self.handle.table, self.handle.n, [], ANNULLED.cause.value, ANNULLED.why))
            self._gone()

    def _tell_last(self, event: Over | Suspended) -> None:
        """Sends the last event of the match, and gives up the seat."""
        self.tell_all(event)
        self._gone()

    def _gone(self) -> None:
        """Gives up the seat, because the match is over. Actions that are not answered yet are refused."""
        self.handle = None
        self._seats.forget(self)
        for number in self._refused:
            self.peer.refuse(m.Refused(MATCH_OVER, number))
        self._refused.clear()

    TELLS: ClassVar[Any] = {**OpenConversation.TELLS, Away: tell_away, Back: tell_back, Archived: tell_archived}
    CLAIMS: ClassVar[Any] = {}


class SlowSeats:
    """
    All slow matches that one connection has opened.

    :param client: the conversation of the connection
    """

    def __init__(self, client: OpenConversation, options: OpenOptions, encoder: SharedEncoder) -> None:
        self.client, self.options, self._encoder = client, options, encoder
        self.matches: SlowMatches = client.lobby.slow_matches()
        self._seats: dict[int, SlowSeat] = {}

    @property
    def sits(self) -> bool:
        """Whether the client has opened any slow match, or is opening one."""
        return bool(self._seats)

    def get(self, table: int) -> SlowSeat | None:
        return self._seats.get(table)

    def new(self, table: TableId) -> SlowSeat | None:
        """Returns the client's seat at a slow match, and makes it if necessary; `None`: the client has too many."""
        if table not in self._seats and len(self._seats) >= MOST_SEATS:
            return None
        return self._seats.setdefault(table, SlowSeat(self, table, self._encoder))

    def sit(self, table: TableId) -> str | None:
        """
        Opens a slow match. Returns the reason why this is not possible; `None`: `seated` follows, or `sorry` if the
        match cannot be read.
        """
        session, sits = self.client.session, table in self._seats
        assert session is not None
        seat = self.new(table)
        if seat is None:
            return f"you sit at {MOST_SEATS} matches, and no more at once: rise from one of them first"
        why = self.matches.sit(session, table, seat, partial(self._failed, seat))
        # A seat that the client has already must remain.
        if why is not None and not sits:
            self.forget(seat)
        return why

    def _failed(self, seat: SlowSeat, why: str) -> None:
        """Informs the client that a slow match could not be opened."""
        # Unless the client has closed the match meanwhile.
        if self._seats.get(seat.table) is seat:
            self.forget(seat)
            self.client.peer.refuse(m.Sorry(why))

    def rise(self, table: TableId) -> bool:
        """Closes a slow match. Returns whether the client had opened it."""
        seat = self._seats.pop(table, None)
        if seat is None:
            return False
        # Events that still come are not sent.
        seat.handle = None
        self.matches.rise(table, seat)
        return True

    def rise_everywhere(self) -> None:
        for table in tuple(self._seats):
            self.rise(TableId(table))

    def forget(self, seat: SlowSeat) -> None:
        """Removes the seat at a match that is over or does not exist."""
        self._seats.pop(seat.table, None)
