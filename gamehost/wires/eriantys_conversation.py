"""
The shared part of the wires of Eriantys: the states of a connection, a seat with counted Acknowledgements, the messages
that are free of the rate limit, and all messages that follow from the same events on each wire.

An Acknowledgement does not name the message that it confirms, so they are counted: a due message adds one, an
Acknowledgement subtracts one, and surplus ones are ignored. A request to a player waits until no player of the table
owes anything. If a client still owes one after the time limit, requests never wait for that connection again. So a
silent client delays the others once.

All wires of Eriantys with acknowledging clients share this, because their players can sit at one table.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from attrs import define, field
from msgspec.structs import astuple

from gamehost.accounts.names import NameFault
from gamehost.games.eriantys import events
from gamehost.games.eriantys.messages import Spelling
from gamehost.journal.records import TableId
from gamehost.lobby.lists import LISTED
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.queues import CannotJoin, TableFull, TooManyTables
from gamehost.lobby.sessions import Queue, Session
from gamehost.tables.interfaces import Away, Back, Left, OpenTable, Over, Refused, SeatHandle, Suspended, TableClosed
from gamehost.wires.base import Claim, GuestConversation, Peer, claim_of_table

#: The most Acknowledgements at once that do not count towards the rate of messages.
MOST_ACKNOWLEDGEABLE = 100


#: The board that follows one of these requests is due: a student has moved, or a character was used.
_BOARD_DUE_AFTER = (events.AskStudent, events.AskDestination, events.AskCardStudent, events.AskColour)

M = TypeVar("M")


@define(eq=False)
class Gate:
    """The clients of one table. A request passes when none of them owes an Acknowledgement."""

    clients: list["Client"] = field(factory=list)
    #: Whether boards are to be acknowledged: they are while students move and while a character's effect is not done.
    boards_due: bool = False
    #: By wire: the last board that was sent, and its message. All players of a wire receive the same one.
    _boards: dict[str, tuple[events.Board, Any]] = field(factory=dict)

    def asked(self, request: events.Ask) -> None:
        """A player of the table receives a request. The request decides whether the next boards are due."""
        self.boards_due = isinstance(request, _BOARD_DUE_AFTER)

    def character_used(self) -> None:
        """A player has used a character. Boards are due until its effect is done."""
        self.boards_due = True

    def message_of(self, wire: str, board: events.Board, render: Callable[[tuple[events.Board, M] | None], M]) -> M:
        """
        The message that a wire makes of a board. It is made once for all players of the wire.

        :param render: makes the message, and may take parts of it from the last board and its message
        """
        last = self._boards.get(wire)
        if last is None or last[0] is not board:
            last = self._boards[wire] = board, render(last)
        message: M = last[1]
        return message

    def is_open(self) -> bool:
        """Whether requests may be sent: no client that the table waits for owes an Acknowledgement."""
        return not [client for client in self.clients if client.due and client.waited_for]

    def pass_on(self) -> None:
        if self.is_open():
            for client in self.clients:
                if client.is_held_up:
                    client.go_on()

    def give_up(self) -> None:
        """The time limit has passed: stop waiting for the clients that owe an Acknowledgement, and continue."""
        for client in self.clients:
            if client.due:
                client.waited_for = False
        self.pass_on()


#: The gates of tables, by lobby, because the players of one table may use different listeners. Only the clients refer
#: to the gates and to the lobby, so both are removed with the last client.
_GATES: WeakKeyDictionary[Lobby, WeakValueDictionary[TableId, Gate]] = WeakKeyDictionary()


@define(eq=False)
class Client:
    """
    The Acknowledgements of one client.

    :param seconds: how long the table waits for this client; 0: not at all
    """

    _peer: Peer[Any]
    _seconds: float
    #: How many Acknowledgements it owes.
    due: int = 0
    waited_for: bool = True
    gate: Gate | None = None
    #: How many of the next Acknowledgements do not count towards the rate of messages.
    _acknowledgeable: int = 0
    #: A request to this client that waits for Acknowledgements.
    _held: Any | None = None
    _gates: WeakValueDictionary[TableId, Gate] = field(factory=WeakValueDictionary)
    _table: TableId | None = None

    @property
    def is_held_up(self) -> bool:
        """Whether a request to this client waits for Acknowledgements."""
        return self._held is not None

    def sit_down(self, lobby: Lobby, table: TableId) -> Gate:
        """Join the clients of a table. The gate is removed with the last one."""
        self._gates, self._table = _GATES.setdefault(lobby, WeakValueDictionary()), table
        gate = self._gates.setdefault(table, Gate())
        self.enter(gate)
        return gate

    def enter(self, gate: Gate) -> None:
        self.gate = gate
        gate.clients.append(self)

    def leave(self) -> None:
        """Leave the table. No player waits for this client any more, and a request to it is dropped."""
        self.withdraw()
        self.due = 0
        if self.gate is not None:
            gate, self.gate = self.gate, None
            gate.clients.remove(self)
            if not gate.clients and self._table is not None:
                self._gates.pop(self._table, None)
            gate.pass_on()

    def say(self, message: Any, due: bool = False) -> None:
        """Send a message that the client may acknowledge. If it is due, the client has to acknowledge it."""
        self._acknowledgeable += 1
        self.due += due
        self._peer.say(message)

    def say_due_and_hold(self, message: Any, seconds: float) -> None:
        """
        Send a due message, and nothing after it for so many seconds. Some clients lose messages that come before they
        acknowledge.
        """
        self.due += 1
        self._acknowledgeable += 1
        self._peer.say_and_hold(message, seconds)

    def ask(self, request: Any) -> None:
        self.withdraw()
        if self.gate is None or self._seconds == 0 or self.gate.is_open():
            self._peer.say(request)
        else:
            self._held = request
            self._peer.alarm(self._seconds, self.gate.give_up)

    def withdraw(self) -> None:
        if self._held is not None:
            self._held = None
            self._peer.no_alarm()

    def go_on(self) -> None:
        if self._held is not None:
            request = self._held
            self.withdraw()
            self._peer.say(request)

    def acknowledged(self, count: int = 1) -> None:
        """Count an Acknowledgement, or so many in one message. Surplus ones are ignored."""
        # The first ones do not count towards the rate of messages.
        if self._acknowledgeable:
            self._acknowledgeable = max(0, min(self._acknowledgeable, MOST_ACKNOWLEDGEABLE) - count)
            self._peer.exempt_from_rate()
        # Requests may be sent when nothing is due any more.
        if self.due > count:
            self.due -= count
        else:
            self.answered()

    def answered(self) -> None:
        """
        Count an answer as all Acknowledgements that were due before it, because the client has read all messages before
        the request.
        """
        if self.due:
            self.due = 0
            if self.gate is not None:
                self.gate.pass_on()


class EriantysState(Enum):
    #: Before LoginMessage.
    CONNECTED = "connected"
    LOBBY = "lobby"
    #: At a table with a match that has not begun.
    WAITING = "waiting"
    IN_GAME = "in game"


#: The client's messages besides its answers: the state in which each is allowed, and its method. Other wires have other
#: names.
_HEARD: Mapping[str, tuple[EriantysState, str]] = {
    "LoginMessage": (EriantysState.CONNECTED, "log_in"),
    "RequestGames": (EriantysState.LOBBY, "list_games"),
    "SetGame": (EriantysState.LOBBY, "set_game"),
    "JoinAvailableGame": (EriantysState.LOBBY, "join_game"),
}
#: The events for players, and the method that sends each.
_TOLD: Mapping[type, str] = {
    OpenTable: "tell_gathered",
    TableClosed: "tell_table_closed",
    events.MatchStarted: "tell_match_started",
    **dict.fromkeys(events.ASKS, "tell_ask"),
    events.Success: "tell_success",
    events.Denied: "tell_denied",
    Refused: "tell_refused",
    events.PlayerStatus: "tell_status",
    events.Board: "tell_board",
    events.StartOfTurn: "tell_start_of_turn",
    events.PlayedAssistant: "tell_assistant",
    events.PlayedCharacter: "tell_character",
    events.IslandOwner: "tell_owner",
    events.Unified: "tell_unified",
    events.NoEntryUsed: "tell_no_entry",
    events.LastRound: "tell_last_round",
    events.EndOfTurn: "tell_end_of_turn",
    events.EndOfRound: "tell_end_of_round",
    events.Won: "tell_won",
    events.Closing: "tell_closing",
    Away: "tell_away",
    Left: "tell_left",
    Back: "tell_back",
    Over: "tell_over",
    Suspended: "tell_suspended",
}


class EriantysConversation(GuestConversation[M]):
    """
    The conversation of a wire of Eriantys. All of these wires have the same course, and the same names for most
    messages. The class of a wire has only its differences, and a method for each line of `_HEARD` and `_TOLD` that has
    no method here.

    :param ack_seconds: how long the requests to this client wait for Acknowledgements of the table; 0: not at all
    """

    FIRST = EriantysState.CONNECTED
    #: The wire's module of messages.
    MESSAGES: ClassVar[Any]
    SPELLING: ClassVar[Spelling]
    #: Messages that are allowed in any state, and their methods.
    ALWAYS: ClassVar[Mapping[type, str]]

    def __init_subclass__(cls) -> None:
        cls.HEARS = {
            **{(state, kind): getattr(cls, name) for state in EriantysState for kind, name in cls.ALWAYS.items()},
            **{(state, getattr(cls.MESSAGES, kind)): getattr(cls, name) for kind, (state, name) in _HEARD.items()},
            **dict.fromkeys(((EriantysState.IN_GAME, kind) for kind in cls.SPELLING.answers), cls.answer),
        }
        cls.CLAIMS = {
            (EriantysState.CONNECTED, cls.MESSAGES.LoginMessage): cls.claim_of_log_in,
            (EriantysState.LOBBY, cls.MESSAGES.JoinAvailableGame): cls.claim_of_join,
        }
        cls.TELLS = {kind: getattr(cls, name) for kind, name in _TOLD.items()}
        super().__init_subclass__()

    def __init__(self, peer: Peer[M], lobby: Lobby, wire: str, queue: Queue, strict: bool, ack_seconds: float) -> None:
        super().__init__(peer, lobby, wire, queue, strict)
        self._client = Client(peer, ack_seconds)
        self._gate = Gate()
        #: The players of the table, in the order of the seats.
        self.names: Sequence[str] = ()
        #: The open request to this player.
        self._asked: events.Ask | None = None
        #: Whether an action may still arrive that the client sent before it received the end of the match.
        self._ended_just_now = False
        #: Whether the next RequestGames is the first of this game. Every game needs one, so it does not count towards
        #: the rate.
        self._listing_is_free = True

    def end(self) -> None:
        self._client.leave()
        super().end()

    # -- each wire's own

    def game_info(self, table: TableId, waiting: int, seats: int, expert: bool) -> Any:
        """The message about a waiting game, or about a game to which a player comes back."""
        raise NotImplementedError

    def refuse_with(self, error: str, detail: str) -> None:
        """
        Refuse a message.

        :param error: by its name in the document
        :param detail: in words, for wires that have room for them
        """
        raise NotImplementedError

    def answer(self, message: M) -> None:
        """Pass an action to the match."""
        raise NotImplementedError

    # -- at the hosts of a cluster

    def claim_of_join(self, message: Any) -> Claim | None:
        """The claim of the game, which may wait at another host. No claim if a seat is reserved for the client here."""
        assert self.session is not None
        (game,) = astuple(message)
        return None if self.session.table_id is not None else claim_of_table(TableId(game))

    def parcel(self) -> str | None:
        """In the lobby another host needs no state to continue. At a table, only this host can continue."""
        return super().parcel() if self.state in (EriantysState.CONNECTED, EriantysState.LOBBY) else None

    def adopt(self, session: Session) -> None:
        self.logged_in(session)
        self.set_state(EriantysState.LOBBY)

    # -- from the client

    def acknowledge(self, message: M) -> None:
        self._client.acknowledged()

    def pong(self, message: M) -> None:
        """Do nothing: any byte shows that the client is there."""

    def disconnect(self, message: M) -> None:
        if self.handle is not None:
            self.handle.leave()
        self.end()
        self.peer.hang_up()

    def listed(self) -> Sequence[OpenTable]:
        """The games that this player may join, here and at other hosts of a cluster."""
        here, elsewhere = self.lobby.waiting(self._queue), self.lobby.waiting_elsewhere(self._queue)
        return sorted((*here, *elsewhere), key=lambda one: one.table)[:LISTED] if elsewhere else here

    def list_games(self, message: Any) -> None:
        if self._listing_is_free:
            self._listing_is_free = False
            self.peer.exempt_from_rate()
        self.peer.say(self.MESSAGES.AvailableGames(tuple(map(self._info_of, self.listed()))))

    def set_game(self, message: Any) -> None:
        game, players = self._queue.game, message.numberOfPlayers
        if not game.least_seats <= players <= game.most_seats:
            self.refuse_with("INVALID_SETTINGS", f"expected from {game.least_seats} to {game.most_seats} players")
            return
        assert self.session is not None
        settings = {"expert": "yes" if message.expertMode else "no"}
        try:
            table = self.lobby.open_table(self.session, self._queue, players, settings)
        except TooManyTables as error:
            self.refuse_with("INVALID_ACTION", str(error))
        else:
            self._joined()
            self.set_state(EriantysState.WAITING)
            self.say(self.MESSAGES.WaitingForPlayers(table.table))

    def join_game(self, message: Any) -> None:
        """Join a game. The player receives this like the others that wait there, by `tell_gathered`."""
        assert self.session is not None
        (game,) = astuple(message)
        try:
            self.lobby.join(self.session, self._queue, TableId(game))
        except TableFull as error:
            self.refuse_with("FULL_GAME", str(error))
        except CannotJoin as error:
            self.refuse_with("GAME_NOT_FOUND", str(error))
        else:
            self._joined()

    def _joined(self) -> None:
        """Do not count the messages that led to a new game towards the rate."""
        self._listing_is_free = True
        self.peer.exempt_from_rate()

    def unexpected(self, message: Any) -> None:
        """
        Refuse a message that is not expected now. An answer that was sent before the client received the end of the
        match is ignored.
        """
        if self._ended_just_now and type(message) in self.SPELLING.answers:
            self._ended_just_now = False
        else:
            self.refuse_unexpected(message)

    def refuse_unexpected(self, message: Any) -> None:
        self.refuse_with("INVALID_ACTION", "not now")

    def _awaits(self, kind: type) -> bool:
        """Whether a message of this kind would answer what is asked."""
        asked = self._asked
        if kind is self.MESSAGES.UseCharacterEffect:
            return events.allows_character(asked)
        return asked is not None and self.SPELLING.answer_to(asked) is kind

    # -- said

    def say(self, message: Any) -> None:
        """Send a message. If it is due, the client owes an Acknowledgement."""
        self._client.say(message, self.MESSAGES.is_due(message))

    def communicate(self, word: str) -> None:
        self.say(self.MESSAGES.WORDS[word])

    def _info_of(self, table: OpenTable) -> Any:
        return self.game_info(table.table, len(table.names), table.seats, table.settings.get("expert") == "yes")

    # -- to the client

    def seated(self, handle: SeatHandle[Any]) -> None:
        """Take a seat. From now on requests at this table wait for this player too, those of other wires as well."""
        super().seated(handle)
        self.names = handle.names
        self._gate = self._client.sit_down(self.lobby, handle.table)

    def tell_gathered(self, event: OpenTable) -> None:
        """A player has joined or left the table. The first such event is about this player itself."""
        if self.state is EriantysState.LOBBY:
            self.set_state(EriantysState.WAITING)
            self.say(self.MESSAGES.JoinAlreadyExistingGame(self._info_of(event)))
        else:
            self.say(self.MESSAGES.UpdateLobby(self._info_of(event)))

    def tell_table_closed(self, event: TableClosed) -> None:
        self.set_state(EriantysState.LOBBY)
        self.communicate("CLOSING_GAME")

    def _note(self, event: events.Ask) -> None:
        self._client.withdraw()
        self._asked = event
        self._gate.asked(event)

    def _no_more_asked(self) -> None:
        self._asked = None
        self._client.withdraw()

    def tell_denied(self, event: events.Denied) -> None:
        """The chosen destination was impossible. The request for a student follows."""
        self._no_more_asked()
        self.refuse_with(event.fault.value, event.detail)

    def tell_start_of_turn(self, event: events.StartOfTurn) -> None:
        self.say(self.MESSAGES.StartOfPlayerRound(event.round, self.name_of(event.seat)))

    def tell_assistant(self, event: events.PlayedAssistant) -> None:
        assistant = self.SPELLING.value_of(events.PlayAssistant, event.assistant)
        self.say(self.MESSAGES.PlayedAssistant(assistant, self.name_of(event.seat)))

    def tell_character(self, event: events.PlayedCharacter) -> None:
        """A player has used a character. Boards are due until its effect is done."""
        self._gate.character_used()
        character = self.SPELLING.value_of(events.UseCharacter, event.character.value)
        self.say(self.MESSAGES.PlayedCharacter(character, self.name_of(event.seat)))

    def tell_unified(self, event: events.Unified) -> None:
        self.communicate("UNIFIED_ISLANDS")

    def tell_no_entry(self, event: events.NoEntryUsed) -> None:
        self.communicate("NO_ENTRY_TILE_ON_ISLAND")

    def tell_last_round(self, event: events.LastRound) -> None:
        self.communicate("LAST_ROUND")

    def tell_end_of_turn(self, event: events.EndOfTurn) -> None:
        self._no_more_asked()
        self.say(self.MESSAGES.EndOfPlayerRound(event.round, self.name_of(event.seat)))

    def tell_end_of_round(self, event: events.EndOfRound) -> None:
        self.say(self.MESSAGES.EndOfRound(event.round))

    def tell_closing(self, event: events.Closing) -> None:
        """All messages about the match have been sent. Not all wires have a message for it."""

    def tell_away(self, event: Away) -> None:
        """A player is away. No document has a message about other absent players for a player that comes back."""
        if not (event.already and self._strict):
            self.say(self.MESSAGES.PlayerDisconnected(self.name_of(event.seat)))

    def tell_left(self, event: Left) -> None:
        """A player has left, and cannot come back. The end follows."""
        self.say(self.MESSAGES.PlayerDisconnected(self.name_of(event.seat)))

    def tell_over(self, event: Over) -> None:
        self._asked = None
        self._ended_just_now = True
        self._client.leave()
        self.leave_table(EriantysState.LOBBY)


#: The errors of the document for a name that is refused. The others are INVALID_ACTION.
NAME_FAULTS: Mapping[NameFault, str] = {
    NameFault.TOO_LONG: "NICKNAME_TOO_LONG",
    NameFault.INVALID: "INVALID_NICKNAME",
    NameFault.TAKEN: "TAKEN_NICKNAME",
}
