"""
The course of a connection: `->` from the client, `<-` from the server; [A]: the client answers Ack, and nothing is sent to it
before::

                              <- ENTER_NICKNAME              once, not again after a refused name
    -> LoginMessage           <- SUCCESS
    -> SetGame                <- WaitingForPlayers
    -> RequestGames           <- AvailableGames
    -> JoinAvailableGame      <- JoinAlreadyExistingGame     to the others: UpdateLobby
                              <- MatchStarted                to all
    -> ChosenTower            <- SUCCESS                     AvailableTowers comes before, to one after another
    -> ChosenWizard           <- SUCCESS                     AvailableWizards comes before
                              <- UpdateBoard [A], StartOfPlayerRound
    planning                  <- UpdateBoard [A]; PLANNING [A], AvailableAssistants
    -> PlayAssistant          <- END_PLANNING [A], PlayedAssistant, WAITING [A]
    turn                      <- StartOfPlayerRound; MOVE_1 [A], MovableStudents
    -> ChosenStudent          <- WhereToMove
    -> ChosenDestination      <- UpdateBoard [A]
                              <- END_MOVE_1, MOVE_2 [A], MotherNatureSteps
    -> ChosenSteps            <- IslandOwner [A] or NO_CHANGES, UNIFIED_ISLANDS, UpdateBoard [A], END_MOVE_2
                              <- SelectCloud, MOVE_3 [A]
    -> ChosenCloud            <- EndOfPlayerRound, UpdateBoard [A]; EndOfRound; WAITING [A]
    end                       <- CommunicateWinner           the clients close by themselves

The clients send, and only then begin to wait. So nothing is said for a moment after each message of a client.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from attrs import field, frozen

from gamehost.accounts.names import NameFault, NameRefused
from gamehost.games.eriantys import actions, events, pieces
from gamehost.games.eriantys.master import ERIANTYS
from gamehost.journal.records import TableId
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.queues import NoSuchTable, Queue, TableFull, TooManyTables
from gamehost.settings import Settings, from_to, refuse_unknown, seconds, setting
from gamehost.tables.interfaces import OpenTable
from gamehost.wires.base import COMMON_OPTIONS, Wire, common_settings, imported
from gamehost.wires.claims import claim_of_guest
from gamehost.wires.conversation import Claim, Peer
from gamehost.wires.eriantys_conversation import MOVES, EriantysConversation, State
from gamehost.wires.eriantys_java import messages as m
from gamehost.wires.eriantys_java.codec import BoardCache, JavaCodec
from gamehost.wires.eriantys_java.events import ANSWERS, NAME, JavaOptions, info_of
from gamehost.wires.eriantys_java.messages import CommunicationMessage, ErrorMessage, Message
from gamehost.wires.eriantys_java.rendering import ASSISTANTS, CHARACTERS
from gamehost.wires.eriantys_java.resuming import ResumingSide
from gamehost.wires.framing import WireError

#: A client that sends no byte for so many seconds is disconnected. The published clients answer a Ping every two seconds.
SILENT_SECONDS = 15.0

_ACTIONS: Mapping[type, Callable[[Any], actions.Action]] = {
    m.ChosenTower: lambda message: actions.ChooseTower(pieces.Tower[message.color.name]),
    m.ChosenWizard: lambda message: actions.ChooseWizard(message.wizardID),
    m.PlayAssistant: lambda message: actions.PlayAssistant(ASSISTANTS.index(message.assistant) + 1),
    m.ChosenStudent: lambda message: actions.ChooseStudent(
        None if message.student is None else pieces.Colour[message.student.name]
    ),
    m.ChosenDestination: lambda message: actions.ChooseDestination(message.destination),
    m.ChosenSteps: lambda message: actions.ChooseSteps(message.steps),
    m.ChosenCloud: lambda message: actions.ChooseCloud(message.cloud),
    m.UseCharacterEffect: lambda message: actions.UseCharacter(CHARACTERS.index(message.character) + 1),
}
#: Answers in which null is no choice.
_NO_NULL = frozenset((m.ChosenTower(None), m.PlayAssistant(None), m.UseCharacterEffect(None)))
_REQUESTS = (
    m.AvailableTowers,
    m.AvailableWizards,
    m.AvailableAssistants,
    m.MovableStudents,
    m.MovableStudentsChar,
    m.WhereToMove,
    m.MotherNatureSteps,
    m.SelectCloud,
    m.SelectColor,
)
_NAME_FAULTS: Mapping[NameFault, ErrorMessage] = {
    NameFault.TOO_LONG: ErrorMessage.NICKNAME_TOO_LONG,
    NameFault.INVALID: ErrorMessage.INVALID_INPUT,
    NameFault.TAKEN: ErrorMessage.TAKEN_NICKNAME,
}


def _is_request(message: Message) -> bool:
    return isinstance(message, _REQUESTS)


class JavaConversation(ResumingSide):
    """
    The conversation on one connection: what the client says, and what follows from it.

    :param queue: the game, and the tables that this wire's players see
    :param options: the wire's settings
    """

    def __init__(self, peer: Peer[Message], lobby: Lobby, queue: Queue, options: JavaOptions) -> None:
        super().__init__(peer, lobby, options)
        self._queue = queue
        self._ticks = 0

    def begin(self) -> None:
        """Ask for a name."""
        self.peer.say(CommunicationMessage.ENTER_NICKNAME)
        if self._options.ping:
            # Two ticks for each ping: a new connection waits for its first one no longer than half the time.
            self.peer.pulse(self._options.ping / 2, self._tick)

    def _tick(self, silent: float) -> None:
        if silent >= SILENT_SECONDS:
            self.peer.hang_up(f"no byte received for {silent:.0f} s")
            return
        self._ticks += 1
        if self._ticks % 2:
            self.peer.say_past(m.Ping())

    # -- heard

    def hear(self, message: Message) -> None:
        """
        Act on a message. The client is sent nothing for a moment, because it begins to wait only after it has sent.

        After an Ack this moment replaces the hold that waited for it.
        """
        if not isinstance(message, m.Pong):
            pace, acknowledged = self._options.pace, isinstance(message, m.Ack)
            seconds = pace if acknowledged else max(pace, self.peer.hold_seconds)
            if acknowledged or seconds:
                self.peer.hold(seconds)
        super().hear(message)

    def log_in(self, message: m.LoginMessage) -> None:
        """Enter the lobby. A seat that is kept is taken by joining its game."""
        if message.nickname is None:
            self.peer.refuse(ErrorMessage.INVALID_INPUT)
            return
        try:
            session = self.lobby.enter(message.nickname, NAME, self.peer.address, self, strict=True)
        except NameRefused as refusal:
            self.peer.refuse(_NAME_FAULTS.get(refusal.fault, ErrorMessage.INVALID_ACTION))
            return
        self.logged_in(session)
        self.set_state(State.LOBBY)
        self.peer.say(CommunicationMessage.SUCCESS)

    def claim_of_log_in(self, message: m.LoginMessage) -> Claim | None:
        """What a log-in claims."""
        return None if message.nickname is None else claim_of_guest(message.nickname, strict=True)

    @property
    def _kept(self) -> OpenTable | None:
        """The game in which a seat is kept for this player."""
        assert self.session is not None
        return self._directory.kept_table(self.session)

    def list_games(self, message: m.RequestGames) -> None:
        """List the games that wait for players; to a player whose seat is kept, that game alone."""
        self._games_requested()
        kept = self._kept
        tables = self.lobby.waiting(self._queue) if kept is None else [kept]
        self.peer.say(m.AvailableGames(tuple(map(info_of, tables))))

    def set_game(self, message: m.SetGame) -> None:
        """Create a game."""
        game, players = self._queue.game, message.numberOfPlayers
        if self._kept is not None:
            self.peer.refuse(ErrorMessage.INVALID_ACTION)
            return
        if not game.least_seats <= players <= game.most_seats:
            self.peer.refuse(ErrorMessage.INVALID_SETTINGS)
            return
        assert self.session is not None
        settings = {"expert": "yes" if message.expertMode else "no"}
        try:
            table = self.lobby.open_table(self.session, self._queue, players, settings)
        except TooManyTables:
            self.peer.refuse(ErrorMessage.INVALID_ACTION)
        else:
            self._joined()
            self.set_state(State.WAITING)
            self.peer.say(m.WaitingForPlayers(table.table))

    def join_game(self, message: m.JoinAvailableGame) -> None:
        """Join a game. This player is told so like the others who wait there, by `tell_gathered`; or come back to one."""
        assert self.session is not None
        kept = self._kept
        if kept is not None:
            if message.gameID != kept.table:
                self.peer.refuse(ErrorMessage.INVALID_INPUT)
            else:
                self._joined()
                self.set_state(State.WAITING)
                self.lobby.reconnect(self.session)
            return
        try:
            self.lobby.join(self.session, self._queue, TableId(message.gameID))
        except NoSuchTable:
            self.peer.refuse(ErrorMessage.INVALID_INPUT)
        except TableFull:
            self.peer.refuse(ErrorMessage.FULL_GAME)
        else:
            self._joined()

    def answer(self, message: Message) -> None:
        """Pass an action to the match. A request that was not sent yet is dropped, because it is answered."""
        if self._situation is not None:
            self.peer.refuse(ErrorMessage.INVALID_ACTION)  # the client has not been told where the match stands
            return
        if isinstance(message, m.ChosenTower) and self.choose_tower(message):
            return
        if message in _NO_NULL:
            if self._awaits(type(message)) and not isinstance(message, m.UseCharacterEffect):
                self._refuse_answer(ErrorMessage.INVALID_INPUT)
            else:
                self.peer.refuse(ErrorMessage.INVALID_INPUT)
            return
        if isinstance(message, m.ChosenDestination):
            self._choose_for_monk()
        is_character = isinstance(message, m.UseCharacterEffect)
        dropped = self._awaits(type(message)) and self.peer.unsay(_is_request)
        self._refused.append((is_character, dropped))
        if self.act(_ACTIONS[type(message)](message)):
            self._refused.pop()

    def _choose_for_monk(self) -> None:
        """
        Choose the first student of character 1, if one is asked for and a destination has come.

        The published client sends it if the character is used after the first student of Move 1, and waits for SUCCESS.
        """
        asked = self._asked
        if self._effect is not pieces.Character.MONK or not isinstance(asked, events.AskCardStudent):
            return
        assert self.handle is not None
        self.peer.unsay(_is_request)
        colour = next(colour for colour in pieces.Colour if asked.students[colour])
        self._ahead += 1  # what follows may be told before `act` returns
        if not self.handle.act(actions.ChooseStudent(colour)):
            self._ahead -= 1

    def _awaits(self, kind: type) -> bool:
        if kind is m.UseCharacterEffect:
            return self._effect is None and isinstance(self._asked, MOVES)
        return self._asked is not None and ANSWERS[type(self._asked)] is kind

    def unexpected(self, message: Message) -> None:
        """Say that the message is not expected now."""
        if self._ended_just_now and type(message) in _ACTIONS:
            self._ended_just_now = False
        else:
            self.peer.refuse(ErrorMessage.INVALID_ACTION)

    def wire_error(self, error: WireError) -> None:
        """Say nothing: what the client sent is no message, so it would not read one either."""

    def say_closing(self, reason: str) -> None:
        """Say nothing: the published programs have no message for it."""

    HEARS: ClassVar[Any] = {
        **dict.fromkeys(((state, m.Ack) for state in State), EriantysConversation.acknowledge),
        **dict.fromkeys(((state, m.Pong) for state in State), EriantysConversation.pong),
        **dict.fromkeys(((state, m.Disconnect) for state in State), EriantysConversation.disconnect),
        (State.CONNECTED, m.LoginMessage): log_in,
        (State.LOBBY, m.RequestGames): list_games,
        (State.LOBBY, m.SetGame): set_game,
        (State.LOBBY, m.JoinAvailableGame): join_game,
        **dict.fromkeys(((State.IN_GAME, kind) for kind in _ACTIONS), answer),
    }
    CLAIMS: ClassVar[Any] = {(State.CONNECTED, m.LoginMessage): claim_of_log_in}


OPTIONS = {
    "separate": COMMON_OPTIONS["separate"],
    "pace": "milliseconds for which nothing is sent to a client after a message of it; default 30",
    "ack_seconds": "seconds for which nothing is sent to a client that owes an Ack; 0: not at all; default 10.5",
    "ping": "seconds between pings; a client silent for 15 s is disconnected; 0: no pings; default 2",
}

#: Seconds to log in: the published clients connect before a person types a name.
LOGIN_SECONDS = 120.0


@frozen
class JavaConfig:
    """What the connections of one listener have in common."""

    options: JavaOptions
    queue: Queue
    boards: BoardCache = field(factory=BoardCache)

    def new_codec(self) -> JavaCodec:
        """A codec for one connection."""
        return JavaCodec(self.boards)

    def new_conversation(self, peer: Peer[Message], lobby: Lobby) -> JavaConversation:
        """A conversation for one connection."""
        return JavaConversation(peer, lobby, self.queue, self.options)


def configure(settings: Settings) -> JavaConfig:
    """
    The listener's configuration from its settings.

    :raises BadOption: a setting is unknown or cannot be used
    """
    refuse_unknown(settings, OPTIONS)
    options = JavaOptions(
        pace=setting(settings, "pace", 30, from_to(0, 1000)) / 1000,
        ack_seconds=setting(settings, "ack_seconds", 10.5, seconds),
        ping=setting(settings, "ping", 2.0, seconds),
    )
    _, queue = common_settings(settings, NAME, ERIANTYS)
    return JavaConfig(options, queue)


WIRE: Wire[Message] = Wire(
    name=NAME,
    title="Eriantys, Java objects of its published clients",
    endpoint="tcp:25565:interface=127.0.0.1",
    games=(ERIANTYS,),
    configure=configure,
    options=OPTIONS,
    must_listen=False,
    login_seconds=LOGIN_SECONDS,
    client_codec=imported("gamehost.wires.eriantys_java.client:JavaClientCodec"),
)
