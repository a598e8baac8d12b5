"""
The script, `->` from the client, `<-` from the server; [A]: an Acknowledgement is due.

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

One player is asked at a time. A refused answer gets an ErrorMessage and the request again; whoever is not asked gets
WRONG_TURN, and what no state awaits INVALID_ACTION.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, ClassVar

from gamehost.accounts.names import NameFault, NameRefused
from gamehost.games.eriantys import actions, pieces
from gamehost.journal.records import TableId
from gamehost.lobby.lobby import Lobby, Queue
from gamehost.lobby.open_tables import NoSuchTable, TableFull, TooManyTables
from gamehost.wires.conversation import Peer
from gamehost.wires.eriantys_json import messages as m
from gamehost.wires.eriantys_json.events import Manner, State, TableSide, info_of
from gamehost.wires.eriantys_json.messages import Message
from gamehost.wires.eriantys_json.values import Communication, Error
from gamehost.wires.framing import UndecodableLine, WireError

#: `reason` of the ErrorMessage that a host says when it stops.
STOPPING = "the host is stopping"

#: Who is silent for so many pings is gone.
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
    One connection's talk.

    :param queue: the game, and whose tables this wire's players see
    :param manner: how the wire is spoken
    """

    def __init__(self, peer: Peer[Message], lobby: Lobby, wire: str, queue: Queue, manner: Manner) -> None:
        super().__init__(peer, lobby, manner)
        self._wire = wire
        self._queue = queue
        self._beats = 0

    def begin(self) -> None:
        """Ask for a name."""
        self._communicate(Communication.ENTER_NICKNAME)
        if self._manner.ping:
            self.peer.pulse(self._manner.ping / SILENT_PINGS, self._beat)

    def _beat(self, silent: float) -> None:
        if silent >= SILENT_PINGS * self._manner.ping:
            self.peer.hang_up(f"not a byte for {silent:.0f} s")
            return
        self._beats += 1
        if self._beats % SILENT_PINGS == 0:
            self.peer.say(m.Ping())

    # -- heard

    def acknowledge(self, message: m.Acknowledgement) -> None:
        """Heard, if it was due; nothing otherwise."""
        self._client.acknowledged()

    def pong(self, message: m.Pong) -> None:
        """A byte is a byte."""

    def log_in(self, message: m.LoginMessage) -> None:
        """A name: into the lobby with it, or back to the seat that is kept under it."""
        try:
            session = self.lobby.enter(message.nickname, self._wire, self.peer.address, self)
        except NameRefused as refusal:
            self._refuse(_NAME_FAULTS.get(refusal.fault, Error.INVALID_ACTION), str(refusal))
            self._communicate(Communication.ENTER_NICKNAME)
            return
        self.session = session
        self.peer.logged_in()
        self.set_state(State.WAITING)
        if not self.lobby.reconnect(session):
            self.set_state(State.LOBBY)
            self._communicate(Communication.SUCCESS)

    def list_games(self, message: m.RequestGames) -> None:
        """The games that wait."""
        self.peer.say(m.AvailableGames(tuple(map(info_of, self.lobby.waiting(self._queue)))))

    def set_game(self, message: m.SetGame) -> None:
        """A game of one's own."""
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
            self.set_state(State.WAITING)
            self._client.say(m.WaitingForPlayers(table.table))

    def join_game(self, message: m.JoinAvailableGame) -> None:
        """Somebody's game; that it was joined is told like any other coming."""
        assert self.session is not None
        try:
            self.lobby.join(self.session, self._queue, TableId(message.gameId))
        except NoSuchTable as error:
            self._refuse(Error.GAME_NOT_FOUND, str(error))
        except TableFull as error:
            self._refuse(Error.FULL_GAME, str(error))

    def answer(self, message: Message) -> None:
        """What the player wants; the match says what comes of it."""
        if self._asked is not None:
            self._client.answered()
        self.act(_ACTIONS[type(message)](message))

    def malformed(self, message: m.Malformed) -> None:
        """Not quite a message. Where it would have been an answer, it is asked again."""
        self._refuse(Error.INVALID_INPUT, message.reason)
        if self.state is State.CONNECTED and message.kind is m.LoginMessage:
            self._communicate(Communication.ENTER_NICKNAME)
        elif self._awaits(message.kind):
            self._ask_again()

    def disconnect(self, message: m.Disconnect) -> None:
        """Gone for good: a seat is given up at once."""
        if self.handle is not None:
            self.handle.leave()
        self.end()
        self.peer.hang_up()

    def unexpected(self, message: Message) -> None:
        """Say what was wrong with it: that it is no message, or that it is not awaited now."""
        if isinstance(message, UndecodableLine | m.NoMessage):
            self._refuse(Error.INVALID_INPUT, message.reason)
        elif isinstance(message, m.LoginMessage):
            self._refuse(Error.INVALID_ACTION, "already logged in")
        else:
            self._refuse(Error.INVALID_ACTION, _NOT_NOW[self.state])

    def wire_error(self, error: WireError) -> None:
        """Say why the connection ends."""
        self.peer.say(self._error(Error.INVALID_INPUT, str(error)))

    def say_shutdown(self, reason: str) -> None:
        """Say that the host stops. The key `reason` is how a client knows this error from one of its own."""
        if not self._manner.strict:
            self.peer.say(m.ErrorMessage(Error.INVALID_ACTION, reason, STOPPING))

    def say_closing(self, reason: str) -> None:
        """Say why the connection ends. The document has no words for it."""
        if not self._manner.strict:
            self.peer.say(self._error(Error.INVALID_ACTION, reason))

    HEARS: ClassVar[Any] = {
        **dict.fromkeys(((state, m.Acknowledgement) for state in State), acknowledge),
        **dict.fromkeys(((state, m.Pong) for state in State), pong),
        **dict.fromkeys(((state, m.Disconnect) for state in State), disconnect),
        **dict.fromkeys(((state, m.Malformed) for state in State), malformed),
        (State.CONNECTED, m.LoginMessage): log_in,
        (State.LOBBY, m.RequestGames): list_games,
        (State.LOBBY, m.SetGame): set_game,
        (State.LOBBY, m.JoinAvailableGame): join_game,
        **dict.fromkeys(((State.IN_GAME, kind) for kind in _ACTIONS), answer),
    }
