"""
The course of a connection: `->` from the client, `<-` from the server::

    -> Sign On(ann)              <- Wait                     no other player waits yet
    -> Sign On(bob)   (another)  <- Connected, Side          to both; ann owns rows 0 to 3 and moves first
    -> Setup, 40 times           <- Placement Valid          or Error, Placement Invalid: one answer for each, in order
    -> Ready                                                 Error, Placement Invalid if fewer than 40 are placed
                                 <- Playing(ann), Board      to both, when both are ready
    -> Move                      <- Move or Battle, Board    to both, each with their own board
                                 <- Error, Move Invalid      or to the sender alone
    -> Resign                                                at any time in a game
                                 <- Game Over(ann)           to both, after the last board
    connection lost in the set-up    <- Wait                 to the other player
    -> Sign On(bob)   (again)    <- Connected, Side, Board   the other player is told Connected, Side
    ... or in play               <- Side, Playing(ann), Board    the name of the player to move; to bob alone

Error, Side, Resign, and Wait and Connected after a lost connection, are extensions.

During the set-up and in play, every placement and move is passed to the table, valid or not. So the answers are in the
right order, even if one of them must wait for the journal.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any, ClassVar

from gamehost.accounts.names import NameRefused
from gamehost.games.base import Seat
from gamehost.games.stratego import rules
from gamehost.games.stratego.master import BadMove
from gamehost.games.stratego.rules import NoPiece
from gamehost.tables.interfaces import Away, Back, Over, Refused
from gamehost.wires.base import Claim, GuestConversation, claim_of_guest
from gamehost.wires.stratego_frames import messages as m

#: The name in a message if there is no winner.
TIE = "tie"

READY = "ready"

#: A placement that is always refused. It is passed to the table instead of a wrong Ready, so that the refusal comes in
#: the right order.
_NO_PIECE = rules.Place("", 0, 0)

_SIDES = (m.Side("1"), m.Side("2"))


class FramesState(Enum):
    """The state of a connection. It decides which frames are accepted."""

    #: Before the first Sign On.
    OUTSIDE = "outside"
    #: Signed on; there is no other player yet.
    WAITING = "waiting"
    #: Placing pieces, or ready while the other player is not.
    SETUP = "set-up"
    PLAYING = "playing"
    #: After Game Over. The connection may sign on again.
    AFTER = "after"


#: The reason for refusing a frame, by the state that does not accept it.
NOT_NOW: Mapping[Enum, str] = {
    FramesState.OUTSIDE: "sign on first",
    FramesState.WAITING: "the game has not begun: wait for Connected",
    FramesState.AFTER: "the game is over: sign on again for a new one",
}


class FramesConversation(GuestConversation[m.Message]):
    """The conversation on one connection of the wire of frames."""

    FIRST = FramesState.OUTSIDE
    WAITING = FramesState.WAITING

    _moved_last: Seat | None = None
    #: Whether a Move may still come that the client sent before it received the end of the game.
    _late_move = False

    # -- from the client

    def sign_on(self, message: m.SignOn) -> None:
        """Logs in, or takes back the seat that is reserved under this name."""
        if message.username is None:
            self._refuse("a user name is a String in modified UTF-8")
            return
        try:
            session = self.lobby.enter(message.username, self._wire, self.peer.address, self, self._strict)
        except NameRefused as refusal:
            self._refuse(str(refusal))
            return
        self.logged_in(session)
        self.set_state(FramesState.WAITING)
        if not self.lobby.play(session, self._queue):
            self.peer.say(m.Wait())

    def claim_of_sign_on(self, message: m.SignOn) -> Claim | None:
        if message.username is None:
            return None
        return claim_of_guest(message.username, self._queue, self._strict)

    def place(self, message: m.Setup) -> None:
        self.act(rules.Place(message.piece, message.x, message.y))

    def ready(self, message: m.Ready) -> None:
        self.act(rules.Ready() if message.text == READY else _NO_PIECE)

    def move(self, message: m.Move) -> None:
        self.act(rules.Move(message.x, message.y, message.to_x, message.to_y))

    def late(self, message: m.Move | m.Resign) -> None:
        """Ignores the first move or resignation after Game Over: the client sent it before it received Game Over."""
        # Only one frame can have crossed Game Over.
        if self._late_move and not self._strict:
            self._late_move = False
        else:
            self.unexpected(message)

    def resign(self, message: m.Resign) -> None:
        assert self.handle is not None
        self.handle.resign()

    def unexpected(self, message: m.Message) -> None:
        """
        Refuses a frame that this state does not accept. If the document has a refusal for this kind of frame, it is
        sent.
        """
        reason = NOT_NOW.get(self.state, "")
        if isinstance(message, m.SignOn):
            self._refuse("you have signed on already")
        # The document has no refusal for Resign, and none before the log-in.
        elif isinstance(message, m.Resign) or (self.state is FramesState.OUTSIDE and not self._strict):
            self._refuse(reason)
        else:
            self._refuse_with(m.MoveInvalid() if isinstance(message, m.Move) else m.PlacementInvalid(), reason)

    def _refuse(self, reason: str) -> None:
        """Refuses a frame. In strict mode there is no message for this, so the connection is closed."""
        if self._strict:
            self.peer.hang_up(reason)
        else:
            self.peer.refuse(m.Error(reason))

    def _refuse_with(self, refusal: m.Message, reason: str) -> None:
        """Sends a refusal of the document. Without strict mode, the reason goes first."""
        if not self._strict:
            self.peer.say(m.Error(reason))
        self.peer.refuse(refusal)

    def say_closing(self, reason: str) -> None:
        if not self._strict:
            self.peer.say(m.Error(reason))

    HEARS: ClassVar[Any] = {
        (FramesState.OUTSIDE, m.SignOn): sign_on,
        (FramesState.AFTER, m.SignOn): sign_on,
        (FramesState.AFTER, m.Move): late,
        (FramesState.AFTER, m.Resign): late,
        (FramesState.SETUP, m.Setup): place,
        (FramesState.SETUP, m.Ready): ready,
        (FramesState.SETUP, m.Move): move,
        (FramesState.SETUP, m.Resign): resign,
        (FramesState.PLAYING, m.Setup): place,
        (FramesState.PLAYING, m.Ready): ready,
        (FramesState.PLAYING, m.Move): move,
        (FramesState.PLAYING, m.Resign): resign,
    }
    CLAIMS: ClassVar[Any] = dict.fromkeys(
        ((FramesState.OUTSIDE, m.SignOn), (FramesState.AFTER, m.SignOn)), claim_of_sign_on
    )

    # -- events for the client

    def _say_connected(self) -> None:
        self.peer.say(m.Connected())
        self._say_side()

    def _say_side(self) -> None:
        assert self.handle is not None
        if not self._strict:
            self.peer.say(_SIDES[self.handle.seat])

    def tell_opened(self, event: rules.Opened) -> None:
        """Informs the client that an opponent is there, and that the set-up begins."""
        # Nobody has moved in this match, and a late move of the match before cannot come any more.
        self._moved_last = None
        self._late_move = False
        self.set_state(FramesState.SETUP)
        self._say_connected()

    def tell_placed(self, event: rules.Placed) -> None:
        self.peer.say(m.PlacementValid())

    def tell_playing(self, event: rules.Playing) -> None:
        """Informs the client that both players are ready. A board follows."""
        self.set_state(FramesState.PLAYING)
        self.peer.say(m.Playing(self.name_of(event.first)))

    def tell_board(self, event: rules.Board) -> None:
        self.peer.say(m.Board(event.squares))

    def moved(self, event: rules.Moved) -> m.Message:
        move = event.move
        return m.Move(move.x, move.y, move.to_x, move.to_y)

    def tell_fought(self, event: rules.Fought) -> None:
        """Informs the client of a battle, and who has won it."""
        match event.winner:
            case "attacker":
                winner = self.name_of(event.seat)
            case "defender":
                winner = self.name_of(Seat(1 - event.seat))
            case _:
                winner = TIE
        self.peer.say(m.Battle(winner, event.attacker, event.defender))

    def tell_decided(self, event: rules.Over) -> None:
        """Notes which player moved last. The table's event `Over` follows, and `tell_over` sends the end."""
        self._moved_last = event.last

    def tell_refused(self, event: Refused) -> None:
        """Sends the refusal of the game master. The reason depends only on things that this player can see."""
        error = event.error
        refusal = m.MoveInvalid() if isinstance(error, BadMove) else m.PlacementInvalid()
        # `NoPiece` is the answer to a wrong Ready, which `ready` has turned into a placement without a piece.
        reason = f"the payload of Ready is the String {READY}" if isinstance(error, NoPiece) else str(error)
        self._refuse_with(refusal, reason)

    def tell_away(self, event: Away) -> None:
        """Informs the client during the set-up that it must wait for the other player again (an extension)."""
        if self.state is FramesState.SETUP and not self._strict:
            self.peer.say(m.Wait())

    def tell_back(self, event: Back[rules.Situation]) -> None:
        """
        Sends the state of the game to a player that is back. The other player may have received `Wait`, and receives
        `Connected` now.
        """
        assert self.handle is not None
        view = event.view
        setting_up = view.phase is rules.Phase.SETUP
        if event.seat != self.handle.seat:
            # Only during the set-up did this client receive that the other player is away.
            if setting_up and not self._strict:
                self._say_connected()
            return
        self.set_state(FramesState.SETUP if setting_up else FramesState.PLAYING)
        if setting_up:
            self._say_connected()
        else:
            self._say_side()
            # No player is to move if the match is over.
            if view.turn is not None:
                self.peer.say(m.Playing(self.name_of(view.turn)))
        self.peer.say(m.Board(view.squares))

    def tell_over(self, event: Over) -> None:
        """
        Sends the end of the match. The document has no message for a draw, so in strict mode a draw is a victory of the
        player that moved last.
        """
        winners = event.result.winners
        if winners:
            self.peer.say(m.GameOver(self.name_of(winners[0])))
        elif not self._strict:
            self.peer.say(m.GameOver(TIE))
        # Strict mode, and a draw: a message with a winner is the only one that ends the game for the client.
        elif self._moved_last is not None:
            self.peer.say(m.GameOver(self.name_of(self._moved_last)))
        else:
            self.peer.hang_up("a draw before the first move: the document has no message for it")
        # The client may have sent a move before it receives Game Over.
        self._late_move = True
        self.leave_table(FramesState.AFTER)
        self.end()

    SAYS: ClassVar[Any] = {rules.Moved: moved}
    TELLS: ClassVar[Any] = {
        rules.Opened: tell_opened,
        rules.Placed: tell_placed,
        rules.Playing: tell_playing,
        rules.Board: tell_board,
        rules.Fought: tell_fought,
        rules.Over: tell_decided,
        Refused: tell_refused,
        Away: tell_away,
        Back: tell_back,
        Over: tell_over,
    }
