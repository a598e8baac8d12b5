"""
What a client of the open wire is told about its table, and about the table at which it waits.

Events of the game go through the game's face; everything else is the same in all games.
"""

from collections import deque
from collections.abc import Sequence
from enum import Enum
from typing import Any, ClassVar

from msgspec import UNSET, UnsetType

from gamehost.games.face import Face
from gamehost.lobby.lobby import Lobby
from gamehost.tables.interfaces import (
    Away,
    Back,
    Displaced,
    Left,
    NoNewMatches,
    OpenTable,
    Over,
    Refused,
    Replaced,
    SeatHandle,
    Suspended,
    TableClosed,
)
from gamehost.wires.conversation import AccountConversation, Peer
from gamehost.wires.open import messages as m
from gamehost.wires.open.options import OpenOptions

#: Seconds after which a client may try again when the host has stopped.
AGAIN = 5.0

#: The answer to actions that come after the end.
MATCH_OVER = "the match is over"

Id = int | UnsetType


def told_clocks(clocks: Sequence[int] | None) -> list[int] | UnsetType:
    """The clocks as a message has them."""
    return UNSET if clocks is None else list(clocks)


class State(Enum):
    """What a connection can do next."""

    #: Not logged in. It may watch.
    OUTSIDE = "outside"
    #: The password of an account is being checked.
    CHECKING = "checking"
    #: Logged in.
    LOBBY = "lobby"
    #: Seeks opponents, or waits at a table.
    WAITING = "waiting"
    #: Has a seat, or is about to get it back.
    PLAYING = "playing"


class TableSide(AccountConversation[m.Message]):
    """
    What the table tells to one client.

    :param options: the wire's games
    """

    def __init__(self, peer: Peer[m.Message], lobby: Lobby, options: OpenOptions) -> None:
        super().__init__(peer, lobby, State.OUTSIDE)
        self._options = options
        self._face: Face | None = None
        #: The game that is sought, and the code of the private table.
        self._sought = ("", "")
        #: The ids of actions that were refused, and whose refusals have not been told yet.
        self._refused: deque[Id] = deque()
        #: The id of the action that the table judges at this moment; `None`: it judges none, or has refused it.
        self._judged: tuple[Id] | None = None

    # -- the seat

    def seated(self, handle: SeatHandle[Any]) -> None:
        """The player has a seat. The events follow."""
        super().seated(handle)
        self.set_state(State.PLAYING)
        self._refused.clear()
        self._face = self._options.games[handle.game].face
        names, wires = list(handle.names), list(handle.wires)
        self.peer.say(
            m.Seated(handle.table, handle.game, handle.seat, names, wires, handle.n, told_clocks(handle.clocks))
        )

    def tell_other(self, event: Any) -> None:
        """Tell an event of the game through its face."""
        if self.handle is None or self._face is None:
            return
        told = self._face.event(event)
        if told is not None:
            self.peer.say(m.Event(self.handle.table, self.handle.n, told, told_clocks(self.handle.clocks)))

    def judge(self, action: Any, number: Id) -> None:
        """Have the table judge an action. A refusal comes in its turn, as `tell_refused`."""
        assert self.handle is not None
        self._judged = (number,)
        accepted = self.act(action, careful=True)
        judged, self._judged = self._judged, None
        if not accepted and judged is not None:
            if self.handle is None:
                self.peer.refuse(m.Refused(MATCH_OVER, number))
            else:
                self._refused.append(number)

    # -- told by the table

    def tell_refused(self, event: Refused) -> None:
        """The rules refuse an action. Refusals come in the order of the actions."""
        number: Id = UNSET
        if self._refused:
            number = self._refused.popleft()
        elif self._judged is not None:
            (number,), self._judged = self._judged, None
        self.peer.refuse(m.Refused(str(event.error), number))

    def tell_away(self, event: Away) -> None:
        """The player of another seat is away."""
        if self.handle is not None:
            self.peer.say(m.Away(self.handle.table, self.handle.n, event.seat))

    def tell_left(self, event: Left) -> None:
        """The player of another seat has left for good."""
        if self.handle is not None:
            self.peer.say(m.Left(self.handle.table, self.handle.n, event.seat))

    def tell_back(self, event: Back[Any]) -> None:
        """A player is back. The one who is back is told how the match stands; the others have missed nothing."""
        handle, face = self.handle, self._face
        if handle is not None and face is not None:
            view = face.view(event.view) if event.seat == handle.seat else UNSET
            self.peer.say(m.Back(handle.table, handle.n, event.seat, view))

    def tell_replaced(self, event: Replaced) -> None:
        """Somebody else has the seat of a player who did not come back."""
        if self.handle is not None:
            self.peer.say(m.Replaced(self.handle.table, self.handle.n, event.seat, event.name))

    def tell_suspended(self, event: Suspended) -> None:
        """A fault of the host has stopped the match."""
        if self.handle is not None:
            self.peer.say(m.Suspended(self.handle.table))

    def tell_over(self, event: Over) -> None:
        """The match is over. The player stays logged in, and may seek again."""
        assert self.handle is not None
        result = event.result
        self.peer.say(m.Over(self.handle.table, self.handle.n, list(result.winners), result.cause.value, result.why))
        self.leave_table(State.LOBBY)
        for number in self._refused:
            self.peer.refuse(m.Refused(MATCH_OVER, number))
        self._refused.clear()

    # -- told by the lobby

    def tell_gathered(self, event: OpenTable) -> None:
        """Somebody has come to the table where this player waits, or has gone."""
        game, code = self._sought
        settings = dict(event.settings)
        self.peer.say(m.Seeking(game, event.seats, list(event.names), settings, event.table, code or UNSET))

    def tell_closed(self, event: TableClosed) -> None:
        """The players of an open table have waited too long."""
        self.set_state(State.LOBBY)
        self.peer.say(m.Stopped("nobody came in time"))

    def tell_no_new_matches(self, event: NoNewMatches) -> None:
        """The host begins no more matches. The client can stay and watch."""
        self.set_state(State.LOBBY)
        self.peer.say(m.Stopped(event.why))

    def say_notice(self, text: str) -> bool:
        """A message of its own."""
        self.peer.say(m.Notice(text))
        return True

    def tell_displaced(self, event: Displaced) -> None:
        """The same player has come in on another connection, which has everything from now on."""
        self.say_closing("you have logged in on another connection")
        self.peer.hang_up("displaced by another connection")

    def say_closing(self, reason: str) -> None:
        """Say why the connection ends."""
        self.peer.say(m.Bye(reason))

    def say_shutdown(self, reason: str) -> None:
        """Say that the host stops, and when to try again."""
        self.peer.say(m.Bye(reason, AGAIN))

    TELLS: ClassVar[Any] = {
        Refused: tell_refused,
        Away: tell_away,
        Left: tell_left,
        Back: tell_back,
        Replaced: tell_replaced,
        Suspended: tell_suspended,
        Over: tell_over,
        OpenTable: tell_gathered,
        TableClosed: tell_closed,
        NoNewMatches: tell_no_new_matches,
        Displaced: tell_displaced,
    }
