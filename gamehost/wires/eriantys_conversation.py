"""
What the conversations of the wires of Eriantys share: the states of a connection, a seat whose Acknowledgements are counted,
and what does not count towards the rate of messages.

It stands beside the wires, as `eriantys_acks` does. What is told, and in which order, is each wire's own.
"""

from enum import Enum
from typing import Any, TypeVar

from gamehost.games.eriantys import events
from gamehost.lobby.lobby import Lobby
from gamehost.tables.interfaces import Over, SeatHandle
from gamehost.wires.conversation import BaseConversation, Peer
from gamehost.wires.eriantys_acks import Client, Gate

M = TypeVar("M")

#: Requests at which a character may be used instead.
MOVES = (events.AskStudent, events.AskDestination, events.AskSteps, events.AskCloud)


class State(Enum):
    """Where a connection is."""

    #: Before LoginMessage.
    CONNECTED = "connected"
    LOBBY = "lobby"
    #: At a table whose match has not begun.
    WAITING = "waiting"
    IN_GAME = "in game"


class EriantysConversation(BaseConversation[M]):
    """
    The conversation of a wire whose clients acknowledge.

    :param ack_seconds: how long the requests to this client wait for Acknowledgements of the table; 0: not at all
    """

    def __init__(self, peer: Peer[M], lobby: Lobby, ack_seconds: float) -> None:
        super().__init__(peer, lobby, State.CONNECTED)
        self._client = Client(peer, ack_seconds)
        self._gate = Gate()
        #: The open request to this player.
        self._asked: events.Ask | None = None
        #: Whether an action may still arrive that was sent before the client could know that the match has ended.
        self._ended_just_now = False
        #: Whether the next RequestGames is the one that every game needs, and so does not count towards the rate.
        self._listing_is_free = True

    def end(self) -> None:
        """Leave the table and the lobby. Only a seat is kept."""
        self._client.leave()
        super().end()

    # -- heard

    def acknowledge(self, message: M) -> None:
        """Count an Acknowledgement."""
        self._client.acknowledged()

    def pong(self, message: M) -> None:
        """Do nothing: any byte shows that the client is there."""

    def disconnect(self, message: M) -> None:
        """Leave for good: a seat is given up at once."""
        if self.handle is not None:
            self.handle.leave()
        self.end()
        self.peer.hang_up()

    def _games_requested(self) -> None:
        if self._listing_is_free:
            self._listing_is_free = False
            self.peer.exempt_from_rate()

    def _joined(self) -> None:
        """A new game has a pace of its own, so what led to it does not count towards the rate."""
        self._listing_is_free = True
        self.peer.exempt_from_rate()

    # -- told

    def seated(self, handle: SeatHandle[Any]) -> None:
        """Take a seat. From now on requests at this table wait for this player too, those of other wires as well."""
        super().seated(handle)
        self._gate = self._client.sit_down(self.lobby, handle.table)

    def tell_over(self, event: Over) -> None:
        """The match is over, and the connection is in the lobby again."""
        self._asked = None
        self._ended_just_now = True
        self._client.leave()
        self.leave_table(State.LOBBY)
