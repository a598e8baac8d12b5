"""
The course of a connection: `->` from the client, `<-` from the server, each line in a `<message type="...">`::

    -> playerLogin <playerLogin nick="ann" gameType="paper soccer"/>
                                 <- loginResponse <response accept="yes"/>
    -> playerLogin   (another)   <- gameState, empty, to both: the first player is drawn at random
    -> move <move>points</move>  <- gameState with the points and the next player, to both
                                 <- gameState with gameOver, to both, after the last move or an illegal one
                                 <- error with the reason, before it, to the player with the illegal move
    -> thank you                    free to log in again
    -> leaveGame, logout         <- playerLeftGame, gameState with gameOver, to the other
    connection lost              <- playerLeftGame, to the other; the same end when the grace time is over
    -> playerLogin   (again)     <- gameState with all points so far, to the returned player

A player loses by an illegal move. A message that is malformed, out of turn or not accepted in the present state is answered
with an error, and nothing changes.
"""

from enum import Enum
from typing import Any, ClassVar

from gamehost.accounts.names import NameRefused
from gamehost.games.base import Cause, Seat
from gamehost.games.paper_soccer.master import Ended, Kickoff, Moved, Situation
from gamehost.games.paper_soccer.master import Move as Play
from gamehost.lobby.sessions import Session
from gamehost.tables.interfaces import Away, Back, Over, Refused, SeatHandle
from gamehost.wires.base import GuestConversation
from gamehost.wires.framing import for_people
from gamehost.wires.paper_soccer import messages as m

UNKNOWN_TYPE = 'unknown type of game; expected gameType="paper soccer"'


class XmlState(Enum):
    """The state of a connection. It decides which messages are accepted."""

    #: Not logged in.
    OUTSIDE = "outside"
    #: Logged in, without an opponent.
    WAITING = "waiting"
    PLAYING = "playing"
    #: The game has ended. The server waits for `thank you`, as long as it would reserve a seat.
    OVER = "over"


_AWAITED = {
    XmlState.OUTSIDE: 'log in first: <playerLogin nick="..." gameType="paper soccer"/> in a message of type playerLogin',
    XmlState.WAITING: "the game has not begun: wait for the first gameState",
    XmlState.PLAYING: "the game is not over",
    XmlState.OVER: "the game is over: expected thank you or playerLogin",
}

#: The answers to a person that asks for help, and examples that the person can copy.
_HELP = {
    XmlState.OUTSIDE: "this port is a game host that speaks Paper Soccer in XML; log in with a message such as the next line",
    XmlState.WAITING: "you are logged in and wait for an opponent; the game begins with the first gameState",
    XmlState.PLAYING: "a move is one point or more and a line end, as in the next line; an illegal move loses the game",
    XmlState.OVER: "the game is over; for another one log in with a message such as the next line",
}
_LOGIN_EXAMPLE = m.PlayerLogin("ann", "paper soccer")
_EXAMPLES: dict[XmlState, m.Message] = {
    XmlState.OUTSIDE: _LOGIN_EXAMPLE,
    XmlState.PLAYING: m.Move(((0, 1),)),
    XmlState.OVER: _LOGIN_EXAMPLE,
}


class XmlConversation(GuestConversation[m.Message]):
    """The conversation on one connection of a player of Paper Soccer."""

    FIRST = XmlState.OUTSIDE

    _let_in = False
    #: The id of the player's present game, or of the last one.
    _game_id = ""
    #: Whether the client was informed that the other player has left or is away.
    _alone = False
    #: Whether the client may have sent the next message before it received the end of its game.
    _may_be_late = False

    def begin(self) -> None:
        """Notes that the host has accepted the connection."""
        self._let_in = True

    # -- from the client

    def hear(self, message: m.Message) -> None:
        """
        Handles a message. If the first message after the end is a move, it is ignored: the client sent it before it
        received the end.
        """
        may_be_late, self._may_be_late = self._may_be_late, False
        # Only the first message after the end can have been late.
        if not (may_be_late and type(message) is m.Move and message.game_id in (None, self._game_id)):
            super().hear(message)

    def log_in(self, message: m.PlayerLogin) -> None:
        """Logs in under a nick, or takes back the seat that is reserved under this nick."""
        if message.game_type.lower() not in m.GAME_TYPES:
            self._refuse_log_in(m.LoginError.GAME_TYPE, UNKNOWN_TYPE)
        elif (session := self._enter(message.nick)) is not None:
            self.logged_in(session)
            self.set_state(XmlState.WAITING)
            self.peer.say(m.LoginResponse())
            self.find_opponent(session)

    def _enter(self, nick: str) -> Session | None:
        """Logs in under the nick. Returns `None` if the nick is refused; then the client has received the reason."""
        try:
            return self.lobby.enter(nick, self._wire, self.peer.address, self, self._strict)
        except NameRefused as refusal:
            self._refuse_log_in(m.LoginError.NICK, str(refusal))
            return None

    def find_opponent(self, session: Session) -> None:
        """Gives the player its reserved seat, or lets it wait for another player."""
        self.lobby.play(session, self._queue)

    def _refuse_log_in(self, error: m.LoginError, reason: str) -> None:
        self.peer.refuse(self._log_in_refused(error, reason))

    def _log_in_refused(self, error: m.LoginError, reason: str) -> m.LoginResponse:
        """Returns the message that refuses a log-in. In strict mode it has no reason in words."""
        return m.LoginResponse(error, "" if self._strict else reason)

    def move(self, message: m.Move) -> None:
        """Passes a move to the table, if the message is about the client's present game."""
        if self._means_this_game(message) and self.handle is not None:
            self.act(Play(message.points))

    def leave_game(self, message: m.LeaveGame) -> None:
        """Resigns the game, and gives up the nick."""
        if self._means_this_game(message):
            self._leave()

    def log_out(self, message: m.Logout) -> None:
        """Resigns the game or stops waiting, and then logs out."""
        self.peer.logged_out()
        self._leave()

    def _leave(self) -> None:
        """Resigns the game, if there is one, and leaves the lobby."""
        # The seat is given up first, so that the client receives nothing about the end of this game.
        handle, self.handle = self.handle, None
        self.set_state(XmlState.OUTSIDE)
        if handle is not None:
            handle.leave()
        self.end()

    def thank(self, message: m.ThankYou | m.LeaveGame) -> None:
        """Returns to the state before the log-in, after the client has confirmed the end of the game."""
        if self._means_this_game(message):
            # Clients need this message after each game, so it does not count against the rate limit.
            self.peer.exempt_from_rate()
            self._done()

    def thank_late(self, message: m.ThankYou) -> None:
        """Ignores a `thank you` for the last game that comes after the server has stopped waiting for it."""
        # Only a message that names the last game can be a late one.
        if message.game_id is None or message.game_id != self._game_id:
            self.unexpected(message)

    def _done(self) -> None:
        """Returns to the state before the log-in, after a game."""
        # The alarm would do the same when the client does not confirm the end.
        self.peer.no_alarm()
        self.set_state(XmlState.OUTSIDE)
        self.end()

    def log_in_again(self, message: m.PlayerLogin) -> None:
        """Logs in for the next game without a `thank you`."""
        self._done()
        self.log_in(message)

    def log_out_at_the_end(self, message: m.Logout) -> None:
        self.peer.logged_out()
        self._done()

    def ignore(self, message: m.Error) -> None:
        """Ignores an error that a client reports. An error is never answered with an error."""

    def _means_this_game(self, message: m.Move | m.RemoteMove | m.ThankYou | m.LeaveGame) -> bool:
        """Whether a message is about the client's present game. If it is not, refuses the message."""
        if message.game_id == self._game_id or (message.game_id is None and not self._strict):
            return True
        self._refuse(f'this game is <gameId id="{self._game_id}"/>')
        return False

    def unexpected(self, message: m.Message) -> None:
        """Refuses a message that is not accepted now. A person that asks for help also receives an example."""
        match message:
            case m.HelpAsked():
                self._refuse(_HELP[XmlState(self.state)] + ("" if self._strict else for_people(self.by_hand)))
                if (example := _EXAMPLES.get(XmlState(self.state))) is not None:
                    self.peer.say(example)
            case m.Malformed(reason):
                self._refuse(reason)
            case m.NotForServer(kind):
                self._refuse(f"only the server says {kind}")
            case m.PlayerLogin():
                self._refuse("already logged in")
            case _:
                self._refuse(_AWAITED[XmlState(self.state)])

    def _refuse(self, reason: str) -> None:
        self.peer.refuse(self._error(reason))

    def _error(self, reason: str) -> m.Error:
        return m.Error("" if self._strict else reason)

    def say_closing(self, reason: str) -> None:
        """
        Sends the reason for which the connection ends. A client that the host has not accepted receives it as the
        answer to its log-in.
        """
        self.peer.say(self._error(reason) if self._let_in else self._log_in_refused(m.LoginError.NO_ROOM, reason))

    def say_shutdown(self, reason: str) -> None:
        self.peer.say(m.ServerShutdown())

    SPEAKS = m.SPOKEN
    HEARS: ClassVar[Any] = {
        (XmlState.OUTSIDE, m.PlayerLogin): log_in,
        (XmlState.OUTSIDE, m.ThankYou): thank_late,
        (XmlState.OUTSIDE, m.Logout): log_out,
        (XmlState.OUTSIDE, m.Error): ignore,
        (XmlState.WAITING, m.ThankYou): thank_late,
        (XmlState.WAITING, m.Logout): log_out,
        (XmlState.WAITING, m.Error): ignore,
        (XmlState.PLAYING, m.Move): move,
        (XmlState.PLAYING, m.LeaveGame): leave_game,
        (XmlState.PLAYING, m.Logout): log_out,
        (XmlState.PLAYING, m.Error): ignore,
        (XmlState.OVER, m.PlayerLogin): log_in_again,
        (XmlState.OVER, m.ThankYou): thank,
        (XmlState.OVER, m.LeaveGame): thank,
        (XmlState.OVER, m.Logout): log_out_at_the_end,
        (XmlState.OVER, m.Error): ignore,
    }

    # -- events for the client

    def seated(self, handle: SeatHandle[Any]) -> None:
        """Stores the seat. The game's number is its id in all messages."""
        super().seated(handle)
        self._game_id = str(handle.table)
        self._alone = False
        self.set_state(XmlState.PLAYING)

    def tell_kickoff(self, event: Kickoff) -> None:
        """Sends the first game state. It has no points, and names the player that moves first."""
        self.peer.say(m.GameState(self._game_id, self.name_of(event.first)))

    def moved(self, event: Moved) -> m.Message:
        """Returns the message for a move."""
        return m.GameState(self._game_id, self.name_of(event.next), event.points)

    def tell_ended(self, event: Ended) -> None:
        """
        Sends the last move, if there was one, and the winner. A player that has made an illegal move receives the
        reason first.
        """
        if event.cause is Cause.VIOLATION and self.handle is not None and self.handle.seat == event.loser:
            self._tell_violation(event.why)
        # Unless the client already knows that the other player is away.
        if event.cause is Cause.LEFT and not self._alone:
            self._tell_left(event.loser)
        self.peer.say(m.GameOver(self._game_id, self.name_of(event.winner), self.name_of(event.loser), event.points))

    def _tell_violation(self, why: str) -> None:
        """Sends the reason why the client's move was illegal (an extension)."""
        if not self._strict:
            self.peer.say(m.Error(why))

    def _tell_left(self, seat: Seat) -> None:
        """Informs the client that a player has left or is away (an extension)."""
        self._alone = True
        if not self._strict:
            self.peer.say(m.PlayerLeftGame(self.name_of(seat), self._game_id))

    def tell_away(self, event: Away) -> None:
        self._tell_left(event.seat)

    def tell_back(self, event: Back[Any]) -> None:
        """
        Sends the state of the game to a player that is back: the next player, and all points so far. In strict mode
        there are no points, because the document has no message for them.
        """
        assert self.handle is not None
        if event.seat != self.handle.seat:
            # The other player is back. There is no message for this.
            self._alone = False
            return
        view: Situation = event.view
        points = () if self._strict else view.points
        if view.next is not None:
            self.peer.say(m.GameState(self._game_id, self.name_of(view.next), points))
        elif view.result is not None:
            # The game ended while this player logged in.
            winner = view.result.winners[0]
            self.peer.say(m.GameOver(self._game_id, self.name_of(winner), self.name_of(Seat(1 - winner)), points))

    def tell_refused(self, event: Refused) -> None:
        """Sends that a move was out of turn, or came after the end."""
        self._refuse(str(event.error))

    def tell_over(self, event: Over) -> None:
        """Waits until the client has confirmed that it has received the end."""
        self.leave_table(XmlState.OVER)
        # A strict host ignores nothing, not even a move that was sent before the end was received.
        self._may_be_late = not self._strict
        # A client that confirms nothing is logged out after this time.
        self.peer.alarm(self.lobby.grace, self._done)

    SAYS: ClassVar[Any] = {Moved: moved}
    TELLS: ClassVar[Any] = {
        Kickoff: tell_kickoff,
        Ended: tell_ended,
        Refused: tell_refused,
        Away: tell_away,
        Back: tell_back,
        Over: tell_over,
    }
