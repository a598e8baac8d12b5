"""
What the wires of Eriantys share: the states of a connection, a seat whose Acknowledgements are counted, and what does not count
towards the rate of messages. What is told, and in which order, is each wire's own.

An Acknowledgement does not say which message it confirms, so they are counted: a due message adds one, an Acknowledgement takes
one off, and surplus ones are ignored. A request to a player waits until no player of the table owes anything. If a client
still owes something after the time limit, nobody waits for that connection again. So a silent client delays the others once.

All wires of Eriantys whose clients acknowledge share this, because their players can sit at one table.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

from attrs import define, field

from gamehost.games.eriantys import events
from gamehost.journal.records import TableId
from gamehost.lobby.lobby import Lobby
from gamehost.tables.interfaces import Over, SeatHandle
from gamehost.wires.conversation import BaseConversation, Peer

#: So many Acknowledgements may come at once without counting towards the rate of messages.
MOST_ACKNOWLEDGEABLE = 100


#: The board that follows one of these requests is due: a student has moved, or a character was used.
_BOARD_DUE_AFTER = (events.AskStudent, events.AskDestination, events.AskCardStudent, events.AskColour)

M = TypeVar("M")


def answers_of(messages: Any) -> Mapping[type, type]:
    """The class of each request of the game -> the message that answers it, from a wire's module of messages."""
    return {
        events.AskTower: messages.ChosenTower,
        events.AskWizard: messages.ChosenWizard,
        events.AskAssistant: messages.PlayAssistant,
        events.AskStudent: messages.ChosenStudent,
        events.AskDestination: messages.ChosenDestination,
        events.AskSteps: messages.ChosenSteps,
        events.AskCloud: messages.ChosenCloud,
        events.AskCardStudent: messages.ChosenStudent,
        events.AskColour: messages.ChosenStudent,
    }


class AckPeer(Protocol):
    """The part of a peer that is needed here."""

    def say(self, message: Any) -> None: ...

    def say_and_hold(self, message: Any, seconds: float) -> None: ...

    def alarm(self, seconds: float, ring: Callable[[], None]) -> None: ...

    def no_alarm(self) -> None: ...

    def exempt_from_rate(self) -> None: ...


@define(eq=False)
class Gate:
    """The clients of one table. A request passes when none of them owes an Acknowledgement."""

    clients: list["Client"] = field(factory=list)
    #: Whether boards are to be acknowledged: they are while students move and while a character's effect is not done.
    boards_due: bool = False
    #: By wire: the last board that was told, and the message made of it. All players of a wire are told the same one.
    _boards: dict[str, tuple[events.Board, Any]] = field(factory=dict)

    def asked(self, request: events.Ask) -> None:
        """A player of the table is asked. It decides whether the next boards are due."""
        self.boards_due = isinstance(request, _BOARD_DUE_AFTER)

    def character_used(self) -> None:
        """A player has used a character. Boards are due until its effect is done."""
        self.boards_due = True

    def message_of(self, wire: str, board: events.Board, render: Callable[[], M]) -> M:
        """The message that a wire makes of a board. It is made once for all players of the wire."""
        last = self._boards.get(wire)
        if last is None or last[0] is not board:
            last = self._boards[wire] = board, render()
        message: M = last[1]
        return message

    def is_open(self) -> bool:
        """Whether no client that the table waits for owes anything."""
        return not any(client.is_late for client in self.clients)

    def pass_on(self) -> None:
        """Send the request that waits, if it can be sent now."""
        if self.is_open():
            for client in self.clients:
                client.go_on()

    def give_up(self) -> None:
        """The time limit has passed: no longer wait for the clients that owe something, and go on."""
        for client in self.clients:
            if client.due:
                client.waited_for = False
        self.pass_on()


#: The gates of tables, by lobby: the players of one table may have come by different listeners.
_GATES: WeakKeyDictionary[Lobby, dict[TableId, Gate]] = WeakKeyDictionary()


@define(eq=False)
class Client:
    """
    The Acknowledgements of one client.

    :param seconds: how long the table waits for this client; 0: not at all
    """

    _peer: AckPeer
    _seconds: float
    #: How many Acknowledgements it owes.
    due: int = 0
    waited_for: bool = True
    gate: Gate | None = None
    #: How many Acknowledgements may come that do not count towards the rate of messages.
    _acknowledgeable: int = 0
    #: A request to this client that waits for Acknowledgements.
    _held: Any | None = None
    _gates: dict[TableId, Gate] = field(factory=dict)
    _table: TableId | None = None

    @property
    def is_late(self) -> bool:
        return self.due > 0 and self.waited_for

    @property
    def is_held_up(self) -> bool:
        """Whether a request to this client waits for Acknowledgements."""
        return self._held is not None

    def sit_down(self, lobby: Lobby, table: TableId) -> Gate:
        """Join the clients of a table. The gate goes with the last one."""
        self._gates, self._table = _GATES.setdefault(lobby, {}), table
        gate = self._gates.setdefault(table, Gate())
        self.enter(gate)
        return gate

    def enter(self, gate: Gate) -> None:
        self.gate = gate
        gate.clients.append(self)

    def leave(self) -> None:
        """Leave the table. Nobody waits for this client any more, and a request to it is dropped."""
        self.withdraw()
        self.due = 0
        if self.gate is not None:
            gate, self.gate = self.gate, None
            gate.clients.remove(self)
            if not gate.clients and self._table is not None:
                self._gates.pop(self._table, None)
            gate.pass_on()

    def say(self, message: Any) -> None:
        """Send a message that the client may acknowledge."""
        self._acknowledgeable = min(self._acknowledgeable + 1, MOST_ACKNOWLEDGEABLE)
        self._peer.say(message)

    def say_due(self, message: Any) -> None:
        """Send a message that the client has to acknowledge."""
        self.due += 1
        self.say(message)

    def say_due_and_hold(self, message: Any, seconds: float) -> None:
        """The same, and nothing behind it for so many seconds: for clients that lose what comes before they acknowledge."""
        self.due += 1
        self._acknowledgeable = min(self._acknowledgeable + 1, MOST_ACKNOWLEDGEABLE)
        self._peer.say_and_hold(message, seconds)

    def ask(self, request: Any) -> None:
        """Send a request, as soon as the gate is open."""
        self._held = request
        if self.gate is None or self._seconds == 0 or self.gate.is_open():
            self.go_on()
        else:
            self._peer.alarm(self._seconds, self.gate.give_up)

    def withdraw(self) -> None:
        if self._held is not None:
            self._held = None
            self._peer.no_alarm()

    def go_on(self) -> None:
        """Send the request that waits, if there is one."""
        if self._held is not None:
            request = self._held
            self.withdraw()
            self._peer.say(request)

    def acknowledged(self) -> None:
        """Count an Acknowledgement. A surplus one is ignored."""
        if self._acknowledgeable:
            self._acknowledgeable -= 1
            self._peer.exempt_from_rate()
        if self.due:
            self.due -= 1
            if self.due == 0 and self.gate is not None:
                self.gate.pass_on()

    def answered(self) -> None:
        """Count an answer as all Acknowledgements due before it: the client has read what came before the request."""
        if self.due:
            self.due = 0
            if self.gate is not None:
                self.gate.pass_on()


#: Requests at which a character may be used instead.
MOVES = (events.AskStudent, events.AskDestination, events.AskSteps, events.AskCloud)


class EriantysState(Enum):
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
        super().__init__(peer, lobby, EriantysState.CONNECTED)
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
        self._client.acknowledged()

    def pong(self, message: M) -> None:
        """Do nothing: any byte shows that the client is there."""

    def disconnect(self, message: M) -> None:
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
        self.leave_table(EriantysState.LOBBY)
