"""
The script, `->` from the client, `<-` from the server, each line in a `<message type="...">`::

    -> playerLogin <playerLogin nick="ann" gameType="paper soccer"/>
                                 <- loginResponse <response accept="yes"/>
    -> playerLogin   (another)   <- gameState, empty, to both: chance says who moves first
    -> move <move>points</move>  <- gameState with the points, to both, and who is next
                                 <- gameState with gameOver, to both, after the last move or an illegal one
    -> thank you                    free to log in again
    -> leaveGame, logout         <- playerLeftGame, gameState with gameOver, to the other
    connection lost              <- playerLeftGame, to the other; the same end when the grace time is over
    -> playerLogin   (again)     <- gameState with all points so far, to the one who is back

A move that the rules forbid loses. What is malformed, out of turn or out of place is answered with an error; nothing changes.
"""

from enum import Enum
from typing import Any, ClassVar

from gamehost.accounts.names import NameRefused
from gamehost.games.base import Cause, Seat
from gamehost.games.paper_soccer.master import Ended, Kickoff, Moved, Situation
from gamehost.games.paper_soccer.master import Move as Play
from gamehost.lobby.lobby import Lobby, Queue
from gamehost.tables.interfaces import Away, Back, Over, Refused, SeatHandle, Suspended
from gamehost.wires.conversation import BaseConversation, Peer
from gamehost.wires.paper_soccer_xml.messages import (
    Error,
    GameOver,
    GameState,
    LeaveGame,
    LoginError,
    LoginResponse,
    Logout,
    Malformed,
    Message,
    Move,
    NotForServer,
    PlayerLeftGame,
    PlayerLogin,
    ServerShutdown,
    ThankYou,
)

#: What the game is called in a log-in, in any case.
GAME_TYPES = frozenset({"paper soccer", "paper_football", "paper-soccer"})


class State(Enum):
    """Where a connection is."""

    #: Not logged in.
    OUTSIDE = "outside"
    #: Logged in; nobody to play with yet.
    WAITING = "waiting"
    PLAYING = "playing"
    #: The game has ended; `thank you` is awaited, for as long as a seat would be kept.
    OVER = "over"


_AWAITED = {
    State.OUTSIDE: 'log in first: <playerLogin nick="..." gameType="paper soccer"/> in a message of type playerLogin',
    State.WAITING: "the game has not begun: wait for the first gameState",
    State.PLAYING: "the game is not over",
    State.OVER: "the game is over: thank you or playerLogin is awaited",
}


class XmlConversation(BaseConversation[Message]):
    """
    One connection's talk.

    :param queue: where this wire's players wait
    :param strict: say and take nothing that is not in the document
    """

    def __init__(self, peer: Peer[Message], lobby: Lobby, wire: str, queue: Queue, strict: bool) -> None:
        super().__init__(peer, lobby, State.OUTSIDE)
        self._wire = wire
        self._queue = queue
        self._strict = strict
        self._let_in = False
        #: The id of the game that this connection is in, or was in last.
        self._game_id = ""
        #: Whether the client knows that the other player is gone.
        self._alone = False

    def begin(self) -> None:
        """The host has room for this connection."""
        self._let_in = True

    # -- heard

    def log_in(self, message: PlayerLogin) -> None:
        """A nick: into the lobby with it, or back to the seat that is kept under it."""
        if message.game_type.lower() not in GAME_TYPES:
            self.peer.refuse(LoginResponse(LoginError.GAME_TYPE))
            return
        try:
            session = self.lobby.enter(message.nick, self._wire, self.peer.address, self)
        except NameRefused:
            self.peer.refuse(LoginResponse(LoginError.NICK))
            return
        self.session = session
        self.peer.logged_in()
        self.set_state(State.WAITING)
        self.peer.say(LoginResponse())
        self.lobby.play(session, self._queue)

    def move(self, message: Move) -> None:
        """A move: legal or lost."""
        if self._means_this_game(message) and self.handle is not None:
            self.act(Play(message.points))

    def leave_game(self, message: LeaveGame) -> None:
        """The game is given up, and with it the nick."""
        if self._means_this_game(message):
            self._leave()

    def log_out(self, message: Logout) -> None:
        """Whatever goes on is given up."""
        self._leave()
        self.peer.logged_out()

    def _leave(self) -> None:
        handle, self.handle = self.handle, None
        self.set_state(State.OUTSIDE)
        if handle is not None:
            handle.leave()
        self.end()

    def thank(self, message: ThankYou | LeaveGame) -> None:
        """The end was seen."""
        if self._means_this_game(message):
            self._done()

    def thank_late(self, message: ThankYou) -> None:
        """The end was seen, but nobody waits for that any more."""
        if message.game_id is None or message.game_id != self._game_id:
            self.unexpected(message)

    def _done(self) -> None:
        self.peer.no_alarm()
        self.set_state(State.OUTSIDE)
        self.end()

    def log_in_again(self, message: PlayerLogin) -> None:
        """No thanks, but on to the next game."""
        self._done()
        self.log_in(message)

    def log_out_at_the_end(self, message: Logout) -> None:
        """No thanks, and no other game."""
        self._done()
        self.peer.logged_out()

    def ignore(self, message: Error) -> None:
        """A client's complaint. An error is never answered with an error."""

    def _means_this_game(self, message: Move | ThankYou | LeaveGame) -> bool:
        if message.game_id == self._game_id or (message.game_id is None and not self._strict):
            return True
        self._refuse(f'this game is <gameId id="{self._game_id}"/>')
        return False

    def unexpected(self, message: Message) -> None:
        """Say what was awaited instead."""
        match message:
            case Malformed(reason):
                self._refuse(reason)
            case NotForServer(kind):
                self._refuse(f"only the server says {kind}")
            case PlayerLogin():
                self._refuse("already logged in")
            case _:
                self._refuse(_AWAITED[State(self.state)])

    def _refuse(self, reason: str) -> None:
        self.peer.refuse(self._error(reason))

    def _error(self, reason: str) -> Error:
        return Error("" if self._strict else reason)

    def say_closing(self, reason: str) -> None:
        """Say why the connection ends; to one that never was let in, as the answer to its log-in."""
        self.peer.say(self._error(reason) if self._let_in else LoginResponse(LoginError.NO_ROOM))

    def say_shutdown(self, reason: str) -> None:
        """The host stops."""
        self.peer.say(ServerShutdown())

    HEARS: ClassVar[Any] = {
        (State.OUTSIDE, PlayerLogin): log_in,
        (State.OUTSIDE, ThankYou): thank_late,
        (State.OUTSIDE, Logout): log_out,
        (State.OUTSIDE, Error): ignore,
        (State.WAITING, ThankYou): thank_late,
        (State.WAITING, Logout): log_out,
        (State.WAITING, Error): ignore,
        (State.PLAYING, Move): move,
        (State.PLAYING, LeaveGame): leave_game,
        (State.PLAYING, Logout): log_out,
        (State.PLAYING, Error): ignore,
        (State.OVER, PlayerLogin): log_in_again,
        (State.OVER, ThankYou): thank,
        (State.OVER, LeaveGame): thank,
        (State.OVER, Logout): log_out_at_the_end,
        (State.OVER, Error): ignore,
    }

    # -- told

    def seated(self, handle: SeatHandle[Any]) -> None:
        """A game of this connection's begins, or goes on."""
        super().seated(handle)
        self._game_id = str(handle.table)
        self._alone = False
        self.set_state(State.PLAYING)

    def tell_kickoff(self, event: Kickoff) -> None:
        """The first game state has no points, and names who moves first."""
        self.peer.say(GameState(self._game_id, self.name_of(event.first)))

    def tell_moved(self, event: Moved) -> None:
        """A move, to both."""
        self.peer.say(GameState(self._game_id, self.name_of(event.next), event.points))

    def tell_ended(self, event: Ended) -> None:
        """The last move, if there was one, and who won."""
        if event.cause is Cause.LEFT and not self._alone:
            self._tell_left(event.loser)
        self.peer.say(GameOver(self._game_id, self.name_of(event.winner), self.name_of(event.loser), event.points))

    def _tell_left(self, seat: Seat) -> None:
        self._alone = True
        if not self._strict:
            self.peer.say(PlayerLeftGame(self.name_of(seat), self._game_id))

    def tell_away(self, event: Away) -> None:
        """The other player's connection is lost."""
        self._tell_left(event.seat)

    def tell_back(self, event: Back[Any]) -> None:
        """A player is back: to that player all points so far (in strict mode none: there is no message for them)."""
        assert self.handle is not None
        if event.seat != self.handle.seat:
            self._alone = False
            return
        view: Situation = event.view
        points = () if self._strict else view.points
        if view.next is not None:
            self.peer.say(GameState(self._game_id, self.name_of(view.next), points))
        elif view.result is not None:
            # It ended while this player was on the way back.
            winner = view.result.winners[0]
            self.peer.say(GameOver(self._game_id, self.name_of(winner), self.name_of(Seat(1 - winner)), points))

    def tell_refused(self, event: Refused) -> None:
        """Out of turn, or after the end."""
        self._refuse(str(event.error))

    def tell_over(self, event: Over) -> None:
        """All has been said; the client may say that it has seen it."""
        self.leave_table(State.OVER)
        self.peer.alarm(self.lobby.grace, self._done)

    TELLS: ClassVar[Any] = {
        Kickoff: tell_kickoff,
        Moved: tell_moved,
        Ended: tell_ended,
        Refused: tell_refused,
        Away: tell_away,
        Back: tell_back,
        Over: tell_over,
        Suspended: BaseConversation.tell_suspended,
    }
