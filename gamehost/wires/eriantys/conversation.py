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
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, ClassVar

from attrs import field, frozen

from gamehost.accounts.names import NameFault, NameRefused
from gamehost.games.eriantys import actions, pieces
from gamehost.games.eriantys.master import ERIANTYS
from gamehost.journal.records import TableId
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.queues import NoSuchTable, Queue, TableFull, TooManyTables
from gamehost.settings import Settings, refuse_unknown, seconds, setting
from gamehost.wires.base import COMMON_OPTIONS, Wire, common_settings, imported
from gamehost.wires.claims import claim_of_guest
from gamehost.wires.conversation import Claim, Peer
from gamehost.wires.eriantys import messages as m
from gamehost.wires.eriantys.codec import HELP, SPOKEN, BoardCache, JsonCodec
from gamehost.wires.eriantys.events import JsonOptions, TableSide, info_of
from gamehost.wires.eriantys.messages import Message
from gamehost.wires.eriantys.values import Communication, Error
from gamehost.wires.eriantys_conversation import EriantysConversation, State
from gamehost.wires.framing import UndecodableLine, WireError
from gamehost.wires.guidance import for_people

#: The `reason` of the ErrorMessage that is sent when the host stops.
STOPPING = "the host is stopping"

#: A client that sends no byte for so many ping intervals is disconnected.
SILENT_PINGS = 3

_ACTIONS: Mapping[type, Callable[[Any], actions.Action]] = {
    m.ChosenTower: lambda message: actions.ChooseTower(pieces.Tower[message.tower.name]),
    m.ChosenWizard: lambda message: actions.ChooseWizard(message.wizardId),
    m.PlayAssistant: lambda message: actions.PlayAssistant(message.assistant),
    m.ChosenStudent: lambda message: actions.ChooseStudent(
        None if message.color is None else pieces.Colour[message.color.name]
    ),
    m.ChosenDestination: lambda message: actions.ChooseDestination(message.destination),
    m.ChosenSteps: lambda message: actions.ChooseSteps(message.steps),
    m.ChosenCloud: lambda message: actions.ChooseCloud(message.cloud),
    m.UseCharacterEffect: lambda message: actions.UseCharacter(message.character),
}

_NAME_FAULTS: Mapping[NameFault, Error] = {
    NameFault.TOO_LONG: Error.NICKNAME_TOO_LONG,
    NameFault.INVALID: Error.INVALID_NICKNAME,
    NameFault.TAKEN: Error.TAKEN_NICKNAME,
    NameFault.BUSY: Error.INVALID_ACTION,
}
_NOT_NOW: Mapping[Enum, str] = {
    State.CONNECTED: "log in first, with a LoginMessage",
    State.LOBBY: "expected SetGame, RequestGames or JoinAvailableGame",
    State.WAITING: "the match has not begun: wait for MatchStarted",
    State.IN_GAME: "not during a match",
}


class JsonConversation(TableSide):
    """
    The conversation on one connection: what the client says, and what follows from it.

    :param queue: the game, and the tables that this wire's players see
    :param options: the wire's settings
    """

    def __init__(self, peer: Peer[Message], lobby: Lobby, wire: str, queue: Queue, options: JsonOptions) -> None:
        super().__init__(peer, lobby, options)
        self._wire = wire
        self._queue = queue
        self._ticks = 0

    def begin(self) -> None:
        """Ask for a name."""
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
        self.set_state(State.WAITING)
        if not self.lobby.reconnect(session):
            self.set_state(State.LOBBY)
            self._communicate(Communication.SUCCESS)

    def claim_of_log_in(self, message: m.LoginMessage) -> Claim | None:
        """What a log-in claims."""
        return claim_of_guest(message.nickname, strict=self._options.strict)

    def list_games(self, message: m.RequestGames) -> None:
        """List the games that wait for players."""
        self._games_requested()
        self.peer.say(m.AvailableGames(tuple(map(info_of, self.lobby.waiting(self._queue)))))

    def set_game(self, message: m.SetGame) -> None:
        """Create a game."""
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
            self.set_state(State.WAITING)
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
        if self.state is State.CONNECTED and message.kind is m.LoginMessage:
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
        **dict.fromkeys(((state, m.Acknowledgement) for state in State), EriantysConversation.acknowledge),
        **dict.fromkeys(((state, m.Pong) for state in State), EriantysConversation.pong),
        **dict.fromkeys(((state, m.Disconnect) for state in State), EriantysConversation.disconnect),
        **dict.fromkeys(((state, m.Malformed) for state in State), malformed),
        (State.CONNECTED, m.LoginMessage): log_in,
        (State.LOBBY, m.RequestGames): list_games,
        (State.LOBBY, m.SetGame): set_game,
        (State.LOBBY, m.JoinAvailableGame): join_game,
        **dict.fromkeys(((State.IN_GAME, kind) for kind in _ACTIONS), answer),
    }
    CLAIMS: ClassVar[Any] = {(State.CONNECTED, m.LoginMessage): claim_of_log_in}


NAME = "eriantys"

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
        """A codec for one connection."""
        return JsonCodec(self.boards, self.options.strict)

    def new_conversation(self, peer: Peer[Message], lobby: Lobby) -> JsonConversation:
        """A conversation for one connection."""
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
