"""
The script, `->` from the client, `<-` from the server:

    -> Sign On(ann)              <- Wait                     nobody waits yet
    -> Sign On(bob)   (another)  <- Connected                to both; ann owns rows 0 to 3 and moves first
    -> Setup, 40 times           <- Placement Valid          or Placement Invalid: one for each, in order
    -> Ready                                                 Placement Invalid if fewer than 40 stand
                                 <- Playing(ann), Board      to both, when both are ready
    -> Move                      <- Move or Battle, Board    to both, each their own board
                                 <- Move Invalid             or to the sender alone
                                 <- Game Over(ann)           to both, after the last board
    connection lost in the set-up    <- Wait                 to the other (extension)
    -> Sign On(bob)   (again)    <- Connected, Board         the other hears Connected
    ... or in play               <- Playing(ann), Board      whose turn it is; to bob alone

In the set-up and in play all that is heard of placements and moves goes to the table, sensible or not: so the answers keep
their order, those that wait for the journal too.
"""

from enum import Enum
from typing import Any, ClassVar

from gamehost.accounts.names import NameRefused
from gamehost.games.base import Seat
from gamehost.games.stratego import actions
from gamehost.games.stratego import events as told
from gamehost.games.stratego.master import BadMove
from gamehost.lobby.lobby import Lobby, Queue
from gamehost.tables.interfaces import Away, Back, Over, Refused, Suspended
from gamehost.wires.conversation import SUSPENDED, BaseConversation, Peer
from gamehost.wires.stratego_frames.messages import (
    Battle,
    Board,
    Connected,
    Error,
    GameOver,
    Message,
    Move,
    MoveInvalid,
    PlacementInvalid,
    PlacementValid,
    Playing,
    Ready,
    Setup,
    SignOn,
    Wait,
)

#: Where a name stands, and nobody's does.
TIE = "tie"

READY = "ready"

#: What no referee lets pass, to be refused in its turn.
_NO_PIECE = actions.Place("", 0, 0)


class State(Enum):
    """Where a connection is."""

    #: Before the first Sign On.
    OUTSIDE = "outside"
    #: Signed on; nobody to play with yet.
    WAITING = "waiting"
    #: Placing pieces, or ready and the other is not.
    SETUP = "set-up"
    PLAYING = "playing"
    #: After Game Over: as outside, and what comes late is refused in the game's words.
    AFTER = "after"


class FramesConversation(BaseConversation[Message]):
    """
    One connection's talk.

    :param wire: the wire's name
    :param queue: where this wire's players wait
    :param strict: say nothing that is not in the document
    """

    def __init__(self, peer: Peer[Message], lobby: Lobby, wire: str, queue: Queue, strict: bool) -> None:
        super().__init__(peer, lobby, State.OUTSIDE)
        self._wire = wire
        self._queue = queue
        self._strict = strict
        self._moved_last: Seat | None = None

    # -- heard

    def sign_on(self, message: SignOn) -> None:
        """A name: into the lobby with it, or back to the seat that is kept under it."""
        if message.username is None:
            self._refuse("a user name is a String in modified UTF-8")
            return
        try:
            session = self.lobby.enter(message.username, self._wire, self.peer.address, self)
        except NameRefused as refusal:
            self._refuse(str(refusal))
            return
        self.session = session
        self.peer.logged_in()
        self.set_state(State.WAITING)
        if not self.lobby.play(session, self._queue):
            self.peer.say(Wait())

    def place(self, message: Setup) -> None:
        """A piece on a square."""
        self.act(actions.Place(message.piece, message.x, message.y))

    def ready(self, message: Ready) -> None:
        """All stand. A Ready that says something else is a placement of nothing."""
        self.act(actions.Ready() if message.text == READY else _NO_PIECE)

    def move(self, message: Move) -> None:
        """A move, sensible or not."""
        self.act(actions.Move(message.x, message.y, message.to_x, message.to_y))

    def unexpected(self, message: Message) -> None:
        """Say no, where there is one in the words of the message's own kind."""
        if isinstance(message, SignOn):
            self._refuse("you have signed on already")
        elif self.state is State.OUTSIDE and not self._strict:
            self._refuse("sign on first")
        elif isinstance(message, Move):
            self.peer.refuse(MoveInvalid())
        else:
            self.peer.refuse(PlacementInvalid())

    def _refuse(self, reason: str) -> None:
        if self._strict:
            self.peer.hang_up(reason)
        else:
            self.peer.refuse(Error(reason))

    def say_closing(self, reason: str) -> None:
        """Say why the connection ends."""
        if not self._strict:
            self.peer.say(Error(reason))

    HEARS: ClassVar[Any] = {
        (State.OUTSIDE, SignOn): sign_on,
        (State.AFTER, SignOn): sign_on,
        (State.SETUP, Setup): place,
        (State.SETUP, Ready): ready,
        (State.SETUP, Move): move,
        (State.PLAYING, Setup): place,
        (State.PLAYING, Ready): ready,
        (State.PLAYING, Move): move,
    }

    # -- told

    def tell_opened(self, event: told.Opened) -> None:
        """Another player is there; both set up."""
        self._moved_last = None
        self.set_state(State.SETUP)
        self.peer.say(Connected())

    def tell_placed(self, event: told.Placed) -> None:
        """A piece stands."""
        self.peer.say(PlacementValid())

    def tell_playing(self, event: told.Playing) -> None:
        """Both are ready; a board follows."""
        self.set_state(State.PLAYING)
        self.peer.say(Playing(self.name_of(event.first)))

    def tell_board(self, event: told.Board) -> None:
        """The board, as this player may see it."""
        self.peer.say(Board(event.squares))

    def tell_moved(self, event: told.Moved) -> None:
        """A move onto an empty square."""
        move = event.move
        self.peer.say(Move(move.x, move.y, move.to_x, move.to_y))

    def tell_fought(self, event: told.Fought) -> None:
        """A move that struck."""
        match event.winner:
            case "attacker":
                winner = self.name_of(event.seat)
            case "defender":
                winner = self.name_of(Seat(1 - event.seat))
            case _:
                winner = TIE
        self.peer.say(Battle(winner, event.attacker, event.defender))

    def tell_decided(self, event: told.Over) -> None:
        """The referee's last word; the table's follows, and is what is said."""
        self._moved_last = event.last

    def tell_refused(self, event: Refused) -> None:
        """Refused, in the words for its kind. The document gives no reason with it."""
        self.peer.refuse(MoveInvalid() if isinstance(event.error, BadMove) else PlacementInvalid())

    def tell_away(self, event: Away) -> None:
        """The other player dropped; the set-up waits for them."""
        if self.state is State.SETUP and not self._strict:
            self.peer.say(Wait())

    def tell_back(self, event: Back[told.Situation]) -> None:
        """A player is back. The one who is gets all that is needed to go on; the other may have been told to wait."""
        assert self.handle is not None
        view = event.view
        setting_up = view.phase is told.Phase.SETUP
        if event.seat != self.handle.seat:
            if setting_up and not self._strict:
                self.peer.say(Connected())
            return
        self.set_state(State.SETUP if setting_up else State.PLAYING)
        if setting_up:
            self.peer.say(Connected())
        elif view.turn is not None:
            self.peer.say(Playing(self.name_of(view.turn)))
        self.peer.say(Board(view.squares))

    def tell_over(self, event: Over) -> None:
        """The match is over; the connection may sign on again."""
        winners = event.result.winners
        if winners:
            self.peer.say(GameOver(self.name_of(winners[0])))
        elif not self._strict:
            self.peer.say(GameOver(TIE))
        elif self._moved_last is not None:
            self.peer.say(GameOver(self.name_of(self._moved_last)))
        else:
            self.peer.hang_up("a draw before anybody moved, which the document has no words for")
        self.leave_table(State.AFTER)
        self.end()

    def tell_suspended(self, event: Suspended) -> None:
        """The host has a fault at this table, and nothing more can be done at it here."""
        super().tell_suspended(event)
        self.peer.hang_up(SUSPENDED)

    TELLS: ClassVar[Any] = {
        told.Opened: tell_opened,
        told.Placed: tell_placed,
        told.Playing: tell_playing,
        told.Board: tell_board,
        told.Moved: tell_moved,
        told.Fought: tell_fought,
        told.Over: tell_decided,
        Refused: tell_refused,
        Away: tell_away,
        Back: tell_back,
        Over: tell_over,
        Suspended: tell_suspended,
    }
