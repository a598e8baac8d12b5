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

The server sends a request to one player at a time. After a refused answer, the player gets an ErrorMessage, and the
request again. Any other player who answers gets WRONG_TURN. A message that is not accepted in the present state gets
INVALID_ACTION.

A request waits until the players of the table have acknowledged the earlier messages; all other messages are sent at
once. A player has at most one unanswered request. It is stored, so that it can be sent again.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any, ClassVar

from msgspec import UNSET

from gamehost.accounts.names import NameRefused
from gamehost.games.base import Seat
from gamehost.games.eriantys import events
from gamehost.games.eriantys.messages import Spelling
from gamehost.games.eriantys.rules import Status
from gamehost.journal.records import TableId
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.sessions import Queue
from gamehost.tables.interfaces import Back, Over, Refused
from gamehost.wires.base import Claim, Peer, claim_of_guest
from gamehost.wires.eriantys import messages as m
from gamehost.wires.eriantys.codec import HELP, SPOKEN
from gamehost.wires.eriantys.messages import Error, GameInfo, Message
from gamehost.wires.eriantys.rendering import SPELLING, board_of, owner_of, request_of, winner_of
from gamehost.wires.eriantys_conversation import NAME_FAULTS, EriantysConversation, EriantysState
from gamehost.wires.framing import UndecodableLine, WireError, for_people

#: The `reason` in the ErrorMessage that is sent when the host stops.
STOPPING = "the host is stopping"

#: A client that sends no byte for this number of ping intervals is disconnected.
SILENT_PINGS = 3

_NOT_NOW: Mapping[Enum, str] = {
    EriantysState.CONNECTED: "log in first, with a LoginMessage",
    EriantysState.LOBBY: "expected SetGame, RequestGames or JoinAvailableGame",
    EriantysState.WAITING: "the match has not begun: wait for MatchStarted",
    EriantysState.IN_GAME: "not during a match",
}


class JsonConversation(EriantysConversation[Message]):
    """
    The conversation on one connection of the JSON wire of Eriantys.

    :param queue: the game, and the tables that this wire's players see
    :param ack_seconds: how many seconds a table waits for a client that owes an Acknowledgement; 0: it does not wait
    :param ping: the seconds between pings; 0: no pings
    """

    MESSAGES: ClassVar[Any] = m
    SPELLING: ClassVar[Spelling] = SPELLING
    SPEAKS: ClassVar[str] = SPOKEN
    ALWAYS: ClassVar[Any] = {
        m.Acknowledgement: "acknowledge",
        m.Acknowledgements: "acknowledge_all",
        m.Pong: "pong",
        m.Disconnect: "disconnect",
        m.Malformed: "malformed",
    }

    def __init__(
        self, peer: Peer[Message], lobby: Lobby, wire: str, queue: Queue, strict: bool, ack_seconds: float, ping: float
    ) -> None:
        super().__init__(peer, lobby, wire, queue, strict, ack_seconds)
        #: The seconds between two pings; 0: the host sends none.
        self._ping = ping
        #: Whether the match is played by the rules for experts.
        self._expert = False
        #: The number of calls of the timer for pings.
        self._ticks = 0

    def game_info(self, table: TableId, waiting: int, seats: int, expert: bool) -> GameInfo:
        return GameInfo(table, waiting, seats, expert)

    def begin(self) -> None:
        """Asks for a name, and begins to send pings, if the settings want them."""
        self.communicate("ENTER_NICKNAME")
        if self._ping:
            # `_tick` is called `SILENT_PINGS` times in each interval between two pings. It also looks for silence, so a
            # silent client is noticed soon after the limit.
            self.peer.pulse(self._ping / SILENT_PINGS, self._tick)

    def _tick(self, silent: float) -> None:
        """
        Sends a ping, or closes the connection of a client that has been silent for too long.

        :param silent: the seconds since the client's last byte
        """
        if silent >= SILENT_PINGS * self._ping:
            self.peer.hang_up(f"no byte received for {silent:.0f} s")
            return
        self._ticks += 1
        # The timer calls this method `SILENT_PINGS` times in each interval between two pings.
        if self._ticks % SILENT_PINGS == 0:
            self.peer.say(m.Ping())

    # -- from the client

    def acknowledge_all(self, message: m.Acknowledgements) -> None:
        self._client.acknowledged(message.count)

    def log_in(self, message: m.LoginMessage) -> None:
        """Logs in, or takes back the seat that is reserved under this name."""
        try:
            session = self.lobby.enter(message.nickname, self._wire, self.peer.address, self, self._strict)
        except NameRefused as refusal:
            detail = str(refusal)
            # The client owns a seat that is reserved under this name, and may give it up to get the name.
            if refusal.kept is not None:
                if message.giveUp is True:
                    self.lobby.give_up(refusal.kept)
                    self.log_in(m.LoginMessage(message.nickname))
                    return
                detail += '; add "giveUp":true to LoginMessage to give it up'
            self.refuse_with(NAME_FAULTS.get(refusal.fault, "INVALID_ACTION"), detail)
            self.communicate("ENTER_NICKNAME")
            return
        self.logged_in(session)
        self.set_state(EriantysState.WAITING)
        # At a reserved seat, the events of the match follow instead of SUCCESS.
        if not self.lobby.reconnect(session):
            self.set_state(EriantysState.LOBBY)
            self.communicate("SUCCESS")

    def claim_of_log_in(self, message: m.LoginMessage) -> Claim | None:
        return claim_of_guest(message.nickname, strict=self._strict)

    def answer(self, message: Message) -> None:
        """Passes an action to the match. The events of the match follow."""
        # An answer shows that the client has read everything in front of the request.
        if self._asked is not None:
            self._client.answered()
        self.act(SPELLING.action_of(message))

    def malformed(self, message: m.Malformed) -> None:
        """
        Refuses a message with wrong keys or values. If it was meant as the answer to the present request, sends the
        request again.
        """
        self.refuse_with("INVALID_INPUT", message.reason)
        if self.state is EriantysState.CONNECTED and message.kind is m.LoginMessage:
            self.communicate("ENTER_NICKNAME")
        elif self._awaits(message.kind):
            self._ask_again()

    def refuse_unexpected(self, message: Message) -> None:
        """Refuses something that is no message, or a message that is not accepted now, with the reason."""
        if isinstance(message, UndecodableLine | m.NoMessage):
            asked = message is HELP and not self._strict
            self.refuse_with("INVALID_INPUT", message.reason + (for_people(self.by_hand) if asked else ""))
        elif isinstance(message, m.LoginMessage):
            self.refuse_with("INVALID_ACTION", "already logged in")
        else:
            self.refuse_with("INVALID_ACTION", _NOT_NOW[self.state])

    def wire_error(self, error: WireError) -> None:
        """
        Sends the reason for which the connection ends. A client of another protocol also receives a description of this
        port.
        """
        self.peer.say(self._error(Error.INVALID_INPUT, self.explained(error)))

    def say_shutdown(self, reason: str) -> None:
        """Sends that the host stops. By the key `reason`, a client can see that the error is not its own fault."""
        if not self._strict:
            self.peer.say(m.ErrorMessage(Error.INVALID_ACTION, reason, STOPPING))

    def say_closing(self, reason: str) -> None:
        """Sends the reason for which the connection ends. This is an extension: the document has no message for it."""
        if not self._strict:
            self.peer.say(self._error(Error.INVALID_ACTION, reason))

    # -- said

    def communicate(self, word: str) -> None:
        """
        Sends a message that contains only a word. In strict mode, words that are not in the document are left out.
        """
        if not (self._strict and m.WORDS[word] in m.EXTENSIONS):
            super().communicate(word)

    def refuse_with(self, error: str, detail: str) -> None:
        self.peer.refuse(self._error(Error(error), detail))

    def _error(self, error: Error, detail: str) -> m.ErrorMessage:
        """Makes an ErrorMessage. In strict mode it has no details."""
        return m.ErrorMessage(error, UNSET if self._strict else detail)

    # -- to the client

    def tell_match_started(self, event: events.MatchStarted) -> None:
        """Informs the client that the match begins, or that this player has come back to it."""
        assert self.handle is not None
        self.set_state(EriantysState.IN_GAME)
        self._ended_just_now = False
        self._expert = event.expert
        names = tuple(self.handle.names)
        if self._strict:
            self.say(m.MatchStarted(names))
        else:
            order = UNSET if event.order is None else tuple(names[seat] for seat in event.order)
            self.say(m.MatchStarted(names, event.seats, event.expert, order))

    def tell_ask(self, event: events.Ask) -> None:
        """Sends a request to this player, as soon as all players have acknowledged the earlier messages."""
        self._note(event)
        self._ask_again()

    def _ask_again(self) -> None:
        """Sends the present request, unless it already waits to be sent."""
        if self._asked is not None and not self._client.is_held_up:
            self._client.ask(request_of(self._asked, self.names, self._strict))

    def tell_success(self, event: events.Success) -> None:
        self._no_more_asked()
        self.communicate("SUCCESS")

    def tell_refused(self, event: Refused) -> None:
        """Informs the client that its answer was refused. If it may try again, sends the request again."""
        error = event.error
        if isinstance(error, events.IllegalChoice):
            self.refuse_with(error.fault.value, error.detail)
            if error.ask_again:
                self._ask_again()
        else:
            self.refuse_with("INVALID_ACTION", str(error))

    def tell_status(self, event: events.PlayerStatus) -> None:
        self.say(m.STATUSES[event.status])

    def tell_board(self, event: events.Board) -> None:
        """Sends everything visible on the board. The message is made once for all players."""
        names, strict = self.names, self._strict
        message = self._gate.message_of(self._wire, event, lambda last: board_of(event, names, strict, last))
        # Boards before the first round are due, too.
        self._client.say(message, due=event.round == 0 or self._gate.boards_due)

    def tell_owner(self, event: events.IslandOwner) -> None:
        self.say(owner_of(event, self.names))

    def tell_won(self, event: events.Won) -> None:
        """
        Sends the winner, and the reason. A request that still waits is dropped, because it must not be sent after the
        end.
        """
        self._no_more_asked()
        self.say(winner_of(event, self.names, self._strict))

    def tell_closing(self, event: events.Closing) -> None:
        self.communicate("CLOSING_GAME")

    def tell_back(self, event: Back[Any]) -> None:
        """
        Informs the client that another player is back; or sends everything that this client needs to continue, because
        its own player is back.
        """
        assert self.handle is not None
        if event.seat != self.handle.seat:
            # How many players of the table are connected.
            here = len(self._gate.clients)
            self.say(m.UpdateLobby(self.game_info(self.handle.table, here, len(self.names), self._expert)))
            return
        situation: events.Situation = event.view
        self.communicate("SUCCESS")
        # The match has ended while this player was away.
        if situation.won is not None:
            self._tell_missed_end(situation.won, event.seat)
            return
        self.tell_match_started(situation.match)
        if situation.request is not None:
            # Before the board: the request decides whether the client must acknowledge the board.
            self._note(situation.request)
        if situation.board is not None:
            self.tell_board(situation.board)
        self._ask_again()

    def _tell_missed_end(self, won: events.Won, seat: Seat) -> None:
        """Sends only the end of the match, because it ended while this player was away."""
        self.tell_status(events.PlayerStatus(seat, Status.WIN if seat in won.seats else Status.LOSE))
        self.tell_won(won)
        self.tell_closing(events.Closing())

    def tell_over(self, event: Over) -> None:
        """Leaves the table. In strict mode, an action that comes late is refused like any other message."""
        super().tell_over(event)
        self._ended_just_now = not self._strict
