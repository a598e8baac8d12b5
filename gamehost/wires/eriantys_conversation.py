"""
The shared part of the wires of Eriantys: the states of a connection, the counting of Acknowledgements, the messages
that do not count against the rate limit, and the order of messages after each event.

An Acknowledgement does not name the message that it confirms, so they are counted. A due message adds one, an
Acknowledgement subtracts one, and surplus Acknowledgements are ignored. A request to a player waits until no player of
the table owes an Acknowledgement. If a client still owes one after the time limit, requests never wait for this
connection again. So a silent client delays the others only once.

All wires of Eriantys on which clients send Acknowledgements share this module, because their players can sit at the
same table.
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

#: The most Acknowledgements, one after the other, that do not count against the rate limit of messages.
MOST_ACKNOWLEDGEABLE = 100


#: The client must acknowledge the board that follows one of these requests: a student has moved, or a character was
#: used.
_BOARD_DUE_AFTER = (events.AskStudent, events.AskDestination, events.AskCardStudent, events.AskColour)

M = TypeVar("M")


@define(eq=False)
class Gate:
    """Delays the requests at one table. A request is sent when no client of the table owes an Acknowledgement."""

    clients: list["Client"] = field(factory=list)
    #: Whether clients must acknowledge boards. They must while students are moved, and until the effect of a character
    #: is done.
    boards_due: bool = False
    #: Wire -> the last board that was sent, and its message. All players of a wire receive the same message.
    _boards: dict[str, tuple[events.Board, Any]] = field(factory=dict)

    def asked(self, request: events.Ask) -> None:
        """Notes that a player of the table receives a request. The request decides whether the next boards are due."""
        self.boards_due = isinstance(request, _BOARD_DUE_AFTER)

    def character_used(self) -> None:
        """Notes that a player has used a character. Boards are due until its effect is done."""
        self.boards_due = True

    def message_of(self, wire: str, board: events.Board, render: Callable[[tuple[events.Board, M] | None], M]) -> M:
        """
        Returns the message of a wire for a board. It is made once for all players of the wire.

        :param render: makes the message. It gets the last board and its message, and may use parts of them again
        """
        last = self._boards.get(wire)
        # The first player of this wire that receives the board.
        if last is None or last[0] is not board:
            last = self._boards[wire] = board, render(last)
        message: M = last[1]
        return message

    def is_open(self) -> bool:
        """Whether requests may be sent: no client that the table waits for owes an Acknowledgement."""
        return not [client for client in self.clients if client.due and client.waited_for]

    def pass_on(self) -> None:
        """Sends the delayed requests, if they may be sent now."""
        if self.is_open():
            for client in self.clients:
                if client.is_held_up:
                    client.go_on()

    def give_up(self) -> None:
        """
        Continues after the time limit: the table does not wait any more for the clients that still owe an
        Acknowledgement.
        """
        for client in self.clients:
            if client.due:
                client.waited_for = False
        self.pass_on()


#: The gates of tables, by lobby: the players of one table may be connected to different ports. The references are weak,
#: so a gate is removed with its last client.
_GATES: WeakKeyDictionary[Lobby, WeakValueDictionary[TableId, Gate]] = WeakKeyDictionary()


@define(eq=False)
class Client:
    """
    Counts the Acknowledgements of one client, and sends messages to it.

    :param seconds: how many seconds a request to this client waits for the players of its table; 0: it does not wait
    """

    _peer: Peer[Any]
    _seconds: float
    #: How many Acknowledgements the client owes.
    due: int = 0
    waited_for: bool = True
    gate: Gate | None = None
    #: How many of the next Acknowledgements do not count against the rate limit of messages.
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
        """Joins the clients of a table, and returns the table's gate."""
        self._gates = _GATES.setdefault(lobby, WeakValueDictionary())
        self._table = table
        # The first client of the table makes its gate.
        gate = self._gates.setdefault(table, Gate())
        self.enter(gate)
        return gate

    def enter(self, gate: Gate) -> None:
        """Joins the clients of this gate."""
        self.gate = gate
        gate.clients.append(self)

    def leave(self) -> None:
        """Leaves the table. Requests do not wait for this client any more, and a request to this client is dropped."""
        self.withdraw()
        self.due = 0
        if self.gate is not None:
            gate, self.gate = self.gate, None
            gate.clients.remove(self)
            # The last client of the table removes its gate.
            if not gate.clients and self._table is not None:
                self._gates.pop(self._table, None)
            # Requests that waited for this client may be sent now.
            gate.pass_on()

    def say(self, message: Any, due: bool = False) -> None:
        """Sends a message. The client may acknowledge every message, and must acknowledge it if it is due."""
        self._acknowledgeable += 1
        self.due += due
        self._peer.say(message)

    def say_due_and_hold(self, message: Any, seconds: float) -> None:
        """
        Sends a message that the client must acknowledge, and delays the messages after it for a number of seconds. Some
        clients lose messages that come before they have sent the Acknowledgement.
        """
        # One Acknowledgement more is owed, and one more does not count against the rate limit.
        self.due += 1
        self._acknowledgeable += 1
        self._peer.say_and_hold(message, seconds)

    def ask(self, request: Any) -> None:
        """
        Sends a request, now or when the players of the table owe no Acknowledgement. A request that still waits is
        dropped, because the new one replaces it.
        """
        self.withdraw()
        # It is sent now, if there is no table, if requests never wait (0 seconds), or if nobody owes anything.
        if self.gate is None or self._seconds == 0 or self.gate.is_open():
            self._peer.say(request)
        else:
            self._held = request
            self._peer.alarm(self._seconds, self.gate.give_up)

    def withdraw(self) -> None:
        """Drops the request that waits, if there is one."""
        if self._held is not None:
            self._held = None
            self._peer.no_alarm()

    def go_on(self) -> None:
        """Sends the request that waits, if there is one."""
        if self._held is not None:
            request = self._held
            self.withdraw()
            self._peer.say(request)

    def acknowledged(self, count: int = 1) -> None:
        """
        Counts Acknowledgements of the client. Those that answer a message do not count against the rate limit. Surplus
        ones are otherwise ignored.

        :param count: how many came in one message
        """
        # The client may acknowledge each message once, but at most `MOST_ACKNOWLEDGEABLE` of the last ones without cost.
        if self._acknowledgeable:
            self._acknowledgeable = max(0, min(self._acknowledgeable, MOST_ACKNOWLEDGEABLE) - count)
            self._peer.exempt_from_rate()
        # When nothing is due any more, requests that wait may be sent.
        if self.due > count:
            self.due -= count
        else:
            self.answered()

    def answered(self) -> None:
        """Treats an answer as the Acknowledgement of all messages in front of the request: the client has read them."""
        if self.due:
            self.due = 0
            if self.gate is not None:
                self.gate.pass_on()


class EriantysState(Enum):
    """The state of a connection. It decides which messages are accepted."""

    #: Before LoginMessage.
    CONNECTED = "connected"
    LOBBY = "lobby"
    #: At a table, before the match begins.
    WAITING = "waiting"
    IN_GAME = "in game"


#: The client's messages apart from its answers: name -> (the state in which it is allowed, the name of the method that
#: handles it). Each wire has a class of this name in its module of messages.
_HEARD: Mapping[str, tuple[EriantysState, str]] = {
    "LoginMessage": (EriantysState.CONNECTED, "log_in"),
    "RequestGames": (EriantysState.LOBBY, "list_games"),
    "SetGame": (EriantysState.LOBBY, "set_game"),
    "JoinAvailableGame": (EriantysState.LOBBY, "join_game"),
}
#: Type of event -> name of the method that sends it to the client.
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
    The shared conversation of all wires of Eriantys. They have the same course, and the same names for most messages.
    The class of a wire contains only the differences, and the methods of `_HEARD` and `_TOLD` that are not written
    here.

    :param ack_seconds: how many seconds a request to this client waits for Acknowledgements of the table; 0: it does
        not wait
    """

    FIRST = EriantysState.CONNECTED
    #: The wire's module of messages.
    MESSAGES: ClassVar[Any]
    SPELLING: ClassVar[Spelling]
    #: Messages that are allowed in every state -> name of the method that handles each.
    ALWAYS: ClassVar[Mapping[type, str]]

    def __init_subclass__(cls) -> None:
        """Makes the tables `HEARS`, `CLAIMS` and `TELLS` of a wire from the names of its messages and methods."""
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
        #: The request that this player has not answered yet; `None`: there is none.
        self._asked: events.Ask | None = None
        #: Whether an action may still come that the client sent before it received the end of the match.
        self._ended_just_now = False
        #: Whether the next RequestGames is the first one before a match. A client needs one for each match, so it does
        #: not count against the rate limit.
        self._listing_is_free = True

    def end(self) -> None:
        self._client.leave()
        super().end()

    # -- methods that each wire writes

    def game_info(self, table: TableId, waiting: int, seats: int, expert: bool) -> Any:
        """
        Returns the part of a message that describes a game: one that waits for players, or one to which a player comes
        back.
        """
        raise NotImplementedError

    def refuse_with(self, error: str, detail: str) -> None:
        """
        Refuses a message.

        :param error: the name of the error in the document
        :param detail: the reason in words, for wires with a place for it
        """
        raise NotImplementedError

    def answer(self, message: M) -> None:
        """Passes an action to the match."""
        raise NotImplementedError

    # -- moving to another host of a cluster

    def claim_of_join(self, message: Any) -> Claim | None:
        """
        Returns the claim to the game, which may wait at another host; `None`: a seat is reserved for the client at this
        host.
        """
        assert self.session is not None
        # The message has one field, the number of the game. Its name differs between wires.
        (game,) = astuple(message)
        return None if self.session.table_id is not None else claim_of_table(TableId(game))

    def parcel(self) -> str | None:
        """
        Returns the state for another host. In the lobby the other host needs no state. At a table only this host can
        continue.
        """
        return super().parcel() if self.state in (EriantysState.CONNECTED, EriantysState.LOBBY) else None

    def adopt(self, session: Session) -> None:
        """Continues in the lobby, for another host of the cluster."""
        self.logged_in(session)
        self.set_state(EriantysState.LOBBY)

    # -- messages of the client

    def acknowledge(self, message: M) -> None:
        self._client.acknowledged()

    def pong(self, message: M) -> None:
        """Does nothing: any byte shows that the client still answers."""

    def disconnect(self, message: M) -> None:
        """Gives up the player's seat, and closes the connection."""
        if self.handle is not None:
            self.handle.leave()
        # Leave the lobby now, not only when the connection is lost.
        self.end()
        self.peer.hang_up()

    def listed(self) -> Sequence[OpenTable]:
        """Returns the games that this player may join, here and at other hosts of a cluster."""
        here, elsewhere = self.lobby.waiting(self._queue), self.lobby.waiting_elsewhere(self._queue)
        # `waiting` has at most this many tables, in this order; the tables of other hosts are mixed in.
        return sorted((*here, *elsewhere), key=lambda one: one.table)[:LISTED] if elsewhere else here

    def list_games(self, message: Any) -> None:
        """
        Sends the games that wait for players. The first request before a match does not count against the rate limit.
        """
        if self._listing_is_free:
            self._listing_is_free = False
            self.peer.exempt_from_rate()
        self.peer.say(self.MESSAGES.AvailableGames(tuple(map(self._info_of, self.listed()))))

    def set_game(self, message: Any) -> None:
        """Opens a table for a new game."""
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
        """Joins a game. If this succeeds, `tell_gathered` sends the answer."""
        assert self.session is not None
        # The message has one field, the number of the game. Its name differs between wires.
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
        """Exempts the messages that led to a new game from the rate limit."""
        self._listing_is_free = True
        self.peer.exempt_from_rate()

    def unexpected(self, message: Any) -> None:
        """
        Refuses a message that is not accepted now. It ignores an answer that was sent before the client received the
        end of the match.
        """
        if self._ended_just_now and type(message) in self.SPELLING.answers:
            # Only one answer can have been sent before the end was received.
            self._ended_just_now = False
        else:
            self.refuse_unexpected(message)

    def refuse_unexpected(self, message: Any) -> None:
        """Refuses a message that this state does not accept."""
        self.refuse_with("INVALID_ACTION", "not now")

    def _awaits(self, kind: type) -> bool:
        """Whether a message of this kind would answer the present request."""
        asked = self._asked
        # A character may be used instead of several other answers.
        if kind is self.MESSAGES.UseCharacterEffect:
            return events.allows_character(asked)
        return asked is not None and self.SPELLING.answer_to(asked) is kind

    # -- sending

    def say(self, message: Any) -> None:
        """Sends a message. If it is due, the client owes an Acknowledgement."""
        self._client.say(message, self.MESSAGES.is_due(message))

    def communicate(self, word: str) -> None:
        """Sends one of the messages that contain only a word."""
        self.say(self.MESSAGES.WORDS[word])

    def _info_of(self, table: OpenTable) -> Any:
        """Describes a table that waits for players."""
        return self.game_info(table.table, len(table.names), table.seats, table.settings.get("expert") == "yes")

    # -- to the client

    def seated(self, handle: SeatHandle[Any]) -> None:
        """
        Takes a seat. From now on, requests at this table also wait for this player, whatever wire the other players
        use.
        """
        super().seated(handle)
        self.names = handle.names
        self._gate = self._client.sit_down(self.lobby, handle.table)

    def tell_gathered(self, event: OpenTable) -> None:
        """
        Informs the client that a player has joined or left the table. The first such event is about this player itself.
        """
        if self.state is EriantysState.LOBBY:
            self.set_state(EriantysState.WAITING)
            self.say(self.MESSAGES.JoinAlreadyExistingGame(self._info_of(event)))
        else:
            self.say(self.MESSAGES.UpdateLobby(self._info_of(event)))

    def tell_table_closed(self, event: TableClosed) -> None:
        """Informs the client that its table was closed before the match began."""
        self.set_state(EriantysState.LOBBY)
        self.communicate("CLOSING_GAME")

    def _note(self, event: events.Ask) -> None:
        """Stores a request to this player, and informs the table's gate."""
        self._client.withdraw()
        self._asked = event
        self._gate.asked(event)

    def _no_more_asked(self) -> None:
        """Drops the present request: it is answered, or not valid any more."""
        self._asked = None
        self._client.withdraw()

    def tell_denied(self, event: events.Denied) -> None:
        """Informs the client that the chosen destination is not possible. The request for a student follows again."""
        self._no_more_asked()
        self.refuse_with(event.fault.value, event.detail)

    def tell_start_of_turn(self, event: events.StartOfTurn) -> None:
        self.say(self.MESSAGES.StartOfPlayerRound(event.round, self.name_of(event.seat)))

    def tell_assistant(self, event: events.PlayedAssistant) -> None:
        assistant = self.SPELLING.value_of(events.PlayAssistant, event.assistant)
        self.say(self.MESSAGES.PlayedAssistant(assistant, self.name_of(event.seat)))

    def tell_character(self, event: events.PlayedCharacter) -> None:
        """Informs the client that a player has used a character. Boards are due until its effect is done."""
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
        """Called when all messages about the match have been sent. Only some wires have a message for this."""

    def tell_away(self, event: Away) -> None:
        """
        Informs the client that a player is away. In strict mode, a client that comes back receives nothing about other
        absent players, because no document has a message for this.
        """
        if not (event.already and self._strict):
            self.say(self.MESSAGES.PlayerDisconnected(self.name_of(event.seat)))

    def tell_left(self, event: Left) -> None:
        """Informs the client that a player has left, and cannot come back. The end of the match follows."""
        self.say(self.MESSAGES.PlayerDisconnected(self.name_of(event.seat)))

    def tell_over(self, event: Over) -> None:
        """Leaves the table after the end of the match."""
        self._asked = None
        # An answer of the client to the last request may still come.
        self._ended_just_now = True
        self._client.leave()
        self.leave_table(EriantysState.LOBBY)


#: The document's error for each reason of refusing a name. All other reasons are INVALID_ACTION.
NAME_FAULTS: Mapping[NameFault, str] = {
    NameFault.TOO_LONG: "NICKNAME_TOO_LONG",
    NameFault.INVALID: "INVALID_NICKNAME",
    NameFault.TAKEN: "TAKEN_NICKNAME",
}
