"""
The course of a connection: `->` from the client, `<-` from the server; [A]: the client owes an Acknowledgement::

                                        <- CommunicationMessage ENTER_NICKNAME
    -> LoginMessage                     <- CommunicationMessage SUCCESS
    -> SetGame                          <- WaitingForPlayers
    -> RequestGames  (another)          <- AvailableGames
    -> JoinAvailableGame                <- JoinAlreadyExistingGame; UpdateLobby [A] to those who wait
                     (the last seat)    <- MatchStarted [A] to all
    -> ChosenTower                      <- AvailableTowers to one after another, then AvailableWizards; SUCCESS to each answer
    -> ChosenWizard                     <- UpdateBoard [A], StartOfPlayerRound [A] to all, and the match goes on
    connection lost                     <- PlayerDisconnected to the others
    -> LoginMessage  (again)            <- SUCCESS, MatchStarted [A], UpdateBoard, what was asked; UpdateLobby [A] to the others
                                        <- PlayerStatusMessage WIN or LOSE [A], CommunicateWinner [A], CLOSING_GAME [A]

One player is asked at a time. After a refused answer the player gets an ErrorMessage, and the request again. A player who is
not asked gets WRONG_TURN. A message that the state does not expect gets INVALID_ACTION.

A request waits until the players of the table have acknowledged what was said before; everything else is sent at once. At most
one request is open for a player. It is kept, so that it can be sent again.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, ClassVar

from attrs import field, frozen
from msgspec import UNSET, Struct

from gamehost.accounts.names import NameFault, NameRefused
from gamehost.games.base import Seat
from gamehost.games.eriantys import events, rules
from gamehost.games.eriantys.master import ERIANTYS
from gamehost.games.eriantys.rules import Status
from gamehost.journal.records import TableId
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.queues import NoSuchTable, Queue, TableFull, TooManyTables
from gamehost.settings import Settings, refuse_unknown, seconds, setting
from gamehost.tables.interfaces import Away, Back, Left, OpenTable, Over, Refused, Suspended, TableClosed
from gamehost.wires.base import COMMON_OPTIONS, Wire, common_settings, imported
from gamehost.wires.conversation import BaseConversation, Claim, Peer, claim_of_guest
from gamehost.wires.eriantys import messages as m
from gamehost.wires.eriantys.codec import HELP, SPOKEN, BoardCache, JsonCodec
from gamehost.wires.eriantys.messages import Communication, Error, GameInfo, Message, PlayerStatus
from gamehost.wires.eriantys.rendering import board_of, owner_of, request_of, winner_of
from gamehost.wires.eriantys_conversation import MOVES, EriantysConversation, EriantysState, answers_of
from gamehost.wires.framing import UndecodableLine, WireError, for_people

NAME = "eriantys"


class JsonOptions(Struct, frozen=True):
    """The settings of this wire."""

    #: Send nothing that is not in the document.
    strict: bool = False
    #: How many seconds a table waits for a client that owes an Acknowledgement; 0: not at all.
    ack_seconds: float = 2.0
    #: Seconds between pings; 0: no pings.
    ping: float = 15.0


#: Which message answers each request.
_ANSWERS = answers_of(m)

_SAID: Mapping[Communication, m.CommunicationMessage] = {
    communication: m.CommunicationMessage(communication) for communication in Communication
}


def info_of(table: OpenTable) -> GameInfo:
    """An open table as a GameInfo."""
    return GameInfo(table.table, len(table.names), table.seats, table.settings.get("expert") == "yes")


#: The `reason` of the ErrorMessage that is sent when the host stops.
STOPPING = "the host is stopping"

#: A client that sends no byte for so many ping intervals is disconnected.
SILENT_PINGS = 3

_ACTIONS: Mapping[type, Callable[[Any], events.Action]] = {
    m.ChosenTower: lambda message: events.ChooseTower(rules.Tower[message.tower.name]),
    m.ChosenWizard: lambda message: events.ChooseWizard(message.wizardId),
    m.PlayAssistant: lambda message: events.PlayAssistant(message.assistant),
    m.ChosenStudent: lambda message: events.ChooseStudent(
        None if message.color is None else rules.Colour[message.color.name]
    ),
    m.ChosenDestination: lambda message: events.ChooseDestination(message.destination),
    m.ChosenSteps: lambda message: events.ChooseSteps(message.steps),
    m.ChosenCloud: lambda message: events.ChooseCloud(message.cloud),
    m.UseCharacterEffect: lambda message: events.UseCharacter(message.character),
}

_NAME_FAULTS: Mapping[NameFault, Error] = {
    NameFault.TOO_LONG: Error.NICKNAME_TOO_LONG,
    NameFault.INVALID: Error.INVALID_NICKNAME,
    NameFault.TAKEN: Error.TAKEN_NICKNAME,
    NameFault.BUSY: Error.INVALID_ACTION,
}
_NOT_NOW: Mapping[Enum, str] = {
    EriantysState.CONNECTED: "log in first, with a LoginMessage",
    EriantysState.LOBBY: "expected SetGame, RequestGames or JoinAvailableGame",
    EriantysState.WAITING: "the match has not begun: wait for MatchStarted",
    EriantysState.IN_GAME: "not during a match",
}


class JsonConversation(EriantysConversation[Message]):
    """
    The conversation on one connection: what the client says, and what follows from it.

    :param queue: the game, and the tables that this wire's players see
    :param options: the wire's settings
    """

    def __init__(self, peer: Peer[Message], lobby: Lobby, wire: str, queue: Queue, options: JsonOptions) -> None:
        super().__init__(peer, lobby, options.ack_seconds)
        self._options = options
        self._expert = False
        self._wire = wire
        self._queue = queue
        self._ticks = 0

    def begin(self) -> None:
        self._communicate(Communication.ENTER_NICKNAME)
        if self._options.ping:
            self.peer.pulse(self._options.ping / SILENT_PINGS, self._tick)

    def _tick(self, silent: float) -> None:
        if silent >= SILENT_PINGS * self._options.ping:
            self.peer.hang_up(f"no byte received for {silent:.0f} s")
            return
        self._ticks += 1
        if self._ticks % SILENT_PINGS == 0:
            self.peer.say(m.Ping())

    # -- heard

    def log_in(self, message: m.LoginMessage) -> None:
        """Enter the lobby, or take back the seat that is kept under this name."""
        try:
            session = self.lobby.enter(message.nickname, self._wire, self.peer.address, self, self._options.strict)
        except NameRefused as refusal:
            detail = str(refusal)
            if refusal.kept is not None:
                if message.giveUp is True:
                    self.lobby.give_up(refusal.kept)
                    self.log_in(m.LoginMessage(message.nickname))
                    return
                detail += '; add "giveUp":true to LoginMessage to give it up'
            self._refuse(_NAME_FAULTS.get(refusal.fault, Error.INVALID_ACTION), detail)
            self._communicate(Communication.ENTER_NICKNAME)
            return
        self.logged_in(session)
        self.set_state(EriantysState.WAITING)
        if not self.lobby.reconnect(session):
            self.set_state(EriantysState.LOBBY)
            self._communicate(Communication.SUCCESS)

    def claim_of_log_in(self, message: m.LoginMessage) -> Claim | None:
        return claim_of_guest(message.nickname, strict=self._options.strict)

    def list_games(self, message: m.RequestGames) -> None:
        self._games_requested()
        self.peer.say(m.AvailableGames(tuple(map(info_of, self.lobby.waiting(self._queue)))))

    def set_game(self, message: m.SetGame) -> None:
        game, players = self._queue.game, message.numberOfPlayers
        if not game.least_seats <= players <= game.most_seats:
            self._refuse(Error.INVALID_SETTINGS, f"expected from {game.least_seats} to {game.most_seats} players")
            return
        assert self.session is not None
        settings = {"expert": "yes" if message.expertMode else "no"}
        try:
            table = self.lobby.open_table(self.session, self._queue, players, settings)
        except TooManyTables as error:
            self._refuse(Error.INVALID_ACTION, str(error))
        else:
            self._joined()
            self.set_state(EriantysState.WAITING)
            self._client.say(m.WaitingForPlayers(table.table))

    def join_game(self, message: m.JoinAvailableGame) -> None:
        """Join a game. This player is told so like the others who wait there, by `tell_gathered`."""
        assert self.session is not None
        try:
            self.lobby.join(self.session, self._queue, TableId(message.gameId))
        except NoSuchTable as error:
            self._refuse(Error.GAME_NOT_FOUND, str(error))
        except TableFull as error:
            self._refuse(Error.FULL_GAME, str(error))
        else:
            self._joined()

    def answer(self, message: Message) -> None:
        """Pass an action to the match, which tells what comes of it."""
        if self._asked is not None:
            self._client.answered()
        self.act(_ACTIONS[type(message)](message))

    def malformed(self, message: m.Malformed) -> None:
        """Refuse a message with wrong keys or values. If it was to be the answer, ask again."""
        self._refuse(Error.INVALID_INPUT, message.reason)
        if self.state is EriantysState.CONNECTED and message.kind is m.LoginMessage:
            self._communicate(Communication.ENTER_NICKNAME)
        elif self._awaits(message.kind):
            self._ask_again()

    def unexpected(self, message: Message) -> None:
        """Say what was wrong: this is not a message, or it is not expected now."""
        if self._ended_just_now and type(message) in _ACTIONS:
            self._ended_just_now = False
        elif isinstance(message, UndecodableLine | m.NoMessage):
            asked = message is HELP and not self._options.strict
            self._refuse(Error.INVALID_INPUT, message.reason + (for_people(self.by_hand) if asked else ""))
        elif isinstance(message, m.LoginMessage):
            self._refuse(Error.INVALID_ACTION, "already logged in")
        else:
            self._refuse(Error.INVALID_ACTION, _NOT_NOW[self.state])

    def wire_error(self, error: WireError) -> None:
        """Say why the connection ends, and to a client of another protocol what this port speaks."""
        self.peer.say(self._error(Error.INVALID_INPUT, self.explained(error)))

    def say_shutdown(self, reason: str) -> None:
        """Say that the host stops. By the key `reason` a client knows that the error is not its own."""
        if not self._options.strict:
            self.peer.say(m.ErrorMessage(Error.INVALID_ACTION, reason, STOPPING))

    def say_closing(self, reason: str) -> None:
        """Say why the connection ends. This is an extension: the document has no message for it."""
        if not self._options.strict:
            self.peer.say(self._error(Error.INVALID_ACTION, reason))

    SPEAKS = SPOKEN
    HEARS: ClassVar[Any] = {
        **dict.fromkeys(((state, m.Acknowledgement) for state in EriantysState), EriantysConversation.acknowledge),
        **dict.fromkeys(((state, m.Pong) for state in EriantysState), EriantysConversation.pong),
        **dict.fromkeys(((state, m.Disconnect) for state in EriantysState), EriantysConversation.disconnect),
        **dict.fromkeys(((state, m.Malformed) for state in EriantysState), malformed),
        (EriantysState.CONNECTED, m.LoginMessage): log_in,
        (EriantysState.LOBBY, m.RequestGames): list_games,
        (EriantysState.LOBBY, m.SetGame): set_game,
        (EriantysState.LOBBY, m.JoinAvailableGame): join_game,
        **dict.fromkeys(((EriantysState.IN_GAME, kind) for kind in _ACTIONS), answer),
    }
    CLAIMS: ClassVar[Any] = {(EriantysState.CONNECTED, m.LoginMessage): claim_of_log_in}

    # -- said

    def _communicate(self, communication: Communication) -> None:
        self._client.say(_SAID[communication])

    def _communicate_due(self, communication: Communication) -> None:
        self._client.say_due(_SAID[communication])

    def _refuse(self, error: Error, detail: str) -> None:
        self.peer.refuse(self._error(error, detail))

    def _error(self, error: Error, detail: str) -> m.ErrorMessage:
        return m.ErrorMessage(error, UNSET if self._options.strict else detail)

    def _awaits(self, kind: type) -> bool:
        asked = self._asked
        if kind is m.UseCharacterEffect:
            in_effect = isinstance(asked, events.AskDestination) and not asked.dining_room
            return isinstance(asked, MOVES) and not in_effect
        return asked is not None and _ANSWERS[type(asked)] is kind

    # -- told: before the match

    def tell_gathered(self, event: OpenTable) -> None:
        """A player has come to the table or has gone. The first time, that player is this one."""
        if self.state is EriantysState.LOBBY:
            self.set_state(EriantysState.WAITING)
            self._client.say(m.JoinAlreadyExistingGame(info_of(event)))
        else:
            self._client.say_due(m.UpdateLobby(info_of(event)))

    def tell_table_closed(self, event: TableClosed) -> None:
        """The game has waited too long for players, and is closed."""
        self.set_state(EriantysState.LOBBY)
        self._communicate_due(Communication.CLOSING_GAME)

    def tell_match_started(self, event: events.MatchStarted) -> None:
        """The match begins, or this player has come back to it."""
        assert self.handle is not None
        self.set_state(EriantysState.IN_GAME)
        self._ended_just_now = False
        self._expert = event.expert
        names = tuple(self.handle.names)
        if self._options.strict:
            self._client.say_due(m.MatchStarted(names))
        else:
            order = UNSET if event.order is None else tuple(names[seat] for seat in event.order)
            self._client.say_due(m.MatchStarted(names, event.seats, event.expert, order))

    # -- told: the match

    def tell_ask(self, event: events.Ask) -> None:
        """Ask this player, as soon as all players have acknowledged what was said before."""
        self._note(event)
        self._ask_again()

    def _note(self, event: events.Ask) -> None:
        self._client.withdraw()
        self._asked = event
        self._gate.asked(event)

    def _ask_again(self) -> None:
        if self._asked is not None and not self._client.is_held_up:
            assert self.handle is not None
            self._client.ask(request_of(self._asked, self.handle.names, self._options.strict))

    def _no_more_asked(self) -> None:
        self._asked = None
        self._client.withdraw()

    def tell_success(self, event: events.Success) -> None:
        self._no_more_asked()
        self._communicate(Communication.SUCCESS)

    def tell_denied(self, event: events.Denied) -> None:
        """The destination was not possible. The request for a student follows."""
        self._no_more_asked()
        self._refuse(Error(event.fault.value), event.detail)

    def tell_refused(self, event: Refused) -> None:
        error = event.error
        if isinstance(error, events.IllegalChoice):
            self._refuse(Error(error.fault.value), error.detail)
            if error.ask_again:
                self._ask_again()
        else:
            self._refuse(Error.INVALID_ACTION, str(error))

    def tell_status(self, event: events.PlayerStatus) -> None:
        """What this player is to do now."""
        self._client.say_due(m.PlayerStatusMessage(PlayerStatus[event.status.name]))

    def tell_board(self, event: events.Board) -> None:
        """Everything visible. The message is made once for all players."""
        assert self.handle is not None
        names, strict = self.handle.names, self._options.strict
        message = self._gate.message_of(NAME, event, lambda: board_of(event, names, strict))
        if event.round == 0 or self._gate.boards_due:
            self._client.say_due(message)
        else:
            self._client.say(message)

    def tell_start_of_turn(self, event: events.StartOfTurn) -> None:
        self._client.say_due(m.StartOfPlayerRound(event.round, self.name_of(event.seat)))

    def tell_assistant(self, event: events.PlayedAssistant) -> None:
        """A player has played an assistant."""
        self._client.say(m.PlayedAssistant(event.assistant, self.name_of(event.seat)))

    def tell_character(self, event: events.PlayedCharacter) -> None:
        """A player has used a character. Boards are due until its effect is done."""
        self._gate.character_used()
        self._client.say_due(m.PlayedCharacter(event.character.value, self.name_of(event.seat)))

    def tell_owner(self, event: events.IslandOwner) -> None:
        """Influence was counted."""
        assert self.handle is not None
        self._client.say_due(owner_of(event, self.handle.names))

    def tell_unified(self, event: events.Unified) -> None:
        """Islands have merged."""
        self._communicate_due(Communication.UNIFIED_ISLANDS)

    def tell_no_entry(self, event: events.NoEntryUsed) -> None:
        """A no-entry tile stopped the count. This is an extension."""
        if not self._options.strict:
            self._communicate(Communication.NO_ENTRY_TILE_ON_ISLAND)

    def tell_last_round(self, event: events.LastRound) -> None:
        """The match ends with this round. This is an extension."""
        if not self._options.strict:
            self._communicate(Communication.LAST_ROUND)

    def tell_end_of_turn(self, event: events.EndOfTurn) -> None:
        self._no_more_asked()
        self._client.say_due(m.EndOfPlayerRound(event.round, self.name_of(event.seat)))

    def tell_end_of_round(self, event: events.EndOfRound) -> None:
        self._client.say_due(m.EndOfRound(event.round))

    def tell_won(self, event: events.Won) -> None:
        """Who won, and why. A request that still waits is dropped: it must not be sent when the players leave the table."""
        assert self.handle is not None
        self._no_more_asked()
        self._client.say_due(winner_of(event, self.handle.names, self._options.strict))

    def tell_closing(self, event: events.Closing) -> None:
        """The match is over, and everything about it has been told."""
        self._communicate_due(Communication.CLOSING_GAME)

    # -- told: who is there

    def tell_away(self, event: Away) -> None:
        """A player is away. A player who comes back is told who else is away; this is an extension."""
        if not (event.already and self._options.strict):
            self._client.say(m.PlayerDisconnected(self.name_of(event.seat)))

    def tell_left(self, event: Left) -> None:
        """A player has left for good. The end follows."""
        self._client.say(m.PlayerDisconnected(self.name_of(event.seat)))

    def tell_back(self, event: Back[Any]) -> None:
        """A player is back. That player is told everything that is needed to go on."""
        assert self.handle is not None
        if event.seat != self.handle.seat:
            names = self.handle.names
            game = GameInfo(self.handle.table, len(self._gate.clients), len(names), self._expert)
            self._client.say_due(m.UpdateLobby(game))
            return
        situation: events.Situation = event.view
        self._communicate(Communication.SUCCESS)
        if situation.won is not None:
            self._tell_missed_end(situation.won, event.seat)
            return
        self.tell_match_started(situation.match)
        if situation.request is not None:
            self._note(situation.request)
        if situation.board is not None:
            self.tell_board(situation.board)
        self._ask_again()

    def _tell_missed_end(self, won: events.Won, seat: Seat) -> None:
        """The match ended while this player was away: tell the end and nothing else of it."""
        self.tell_status(events.PlayerStatus(seat, Status.WIN if seat in won.seats else Status.LOSE))
        self.tell_won(won)
        self.tell_closing(events.Closing())

    def tell_over(self, event: Over) -> None:
        """The match is over. In strict mode a late action is refused like any other."""
        super().tell_over(event)
        self._ended_just_now = not self._options.strict

    TELLS: ClassVar[Any] = {
        OpenTable: tell_gathered,
        TableClosed: tell_table_closed,
        events.MatchStarted: tell_match_started,
        **dict.fromkeys(_ANSWERS, tell_ask),
        events.Success: tell_success,
        events.Denied: tell_denied,
        Refused: tell_refused,
        events.PlayerStatus: tell_status,
        events.Board: tell_board,
        events.StartOfTurn: tell_start_of_turn,
        events.PlayedAssistant: tell_assistant,
        events.PlayedCharacter: tell_character,
        events.IslandOwner: tell_owner,
        events.Unified: tell_unified,
        events.NoEntryUsed: tell_no_entry,
        events.LastRound: tell_last_round,
        events.EndOfTurn: tell_end_of_turn,
        events.EndOfRound: tell_end_of_round,
        events.Won: tell_won,
        events.Closing: tell_closing,
        Away: tell_away,
        Left: tell_left,
        Back: tell_back,
        Over: tell_over,
        Suspended: BaseConversation.tell_suspended,
    }


OPTIONS = {
    **COMMON_OPTIONS,
    "separate": "yes: this wire's players see each other's tables only; default no",
    "ack_seconds": "seconds for which a table waits for a client that owes an Acknowledgement; 0: not at all; default 2",
    "ping": "seconds between pings; a client silent for three times as long is disconnected; 0: no pings; default 15",
}


@frozen
class JsonConfig:
    """What the connections of one listener have in common."""

    options: JsonOptions
    queue: Queue
    boards: BoardCache = field(factory=BoardCache)

    @property
    def strict(self) -> bool:
        return self.options.strict

    def new_codec(self) -> JsonCodec:
        return JsonCodec(self.boards, self.options.strict)

    def new_conversation(self, peer: Peer[Message], lobby: Lobby) -> JsonConversation:
        return JsonConversation(peer, lobby, NAME, self.queue, self.options)


def configure(settings: Settings) -> JsonConfig:
    """
    The listener's configuration from its settings.

    :raises BadOption: a setting is unknown or cannot be used
    """
    refuse_unknown(settings, OPTIONS)
    strict, queue = common_settings(settings, NAME, ERIANTYS)
    options = JsonOptions(
        strict=strict,
        ack_seconds=setting(settings, "ack_seconds", 2.0, seconds),
        ping=setting(settings, "ping", 15.0, seconds),
    )
    return JsonConfig(options, queue)


WIRE: Wire[Message] = Wire(
    name=NAME,
    title="Eriantys, one JSON object a line",
    endpoint="tcp:8892:interface=127.0.0.1",
    games=(ERIANTYS,),
    configure=configure,
    options=OPTIONS,
    client_codec=imported("gamehost.wires.eriantys.client:JsonClientCodec"),
    player=imported("gamehost.wires.eriantys.client:EriantysPlayer"),
    checks=imported("gamehost.wires.eriantys.checks:CHECKS"),
    server_checks=imported("gamehost.wires.eriantys.server_checks:CHECKS"),
)
