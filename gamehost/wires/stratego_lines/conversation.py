"""
The course of a connection: `->` from the client, `<-` from the server::

                                 <- auth-req
    -> ann
    -> secret                    <- auth-ok                  or auth-err, err (extension), auth-req: three tries
    -> help          (or ?)      <- err, err, auth-req       what this port is and what to send (extension)
                                 <- new, color red           to both, when there is an opponent
    -> four lines of set-up      <- endsetup                 to both, when both set-ups stand
                                 <- get-move                 to the player to move
    -> B4-B5                     <- none                     or the letter of the enemy piece that stood there
                                 <- B4-B5 (or B4-B5-R)       to the other; then get-move
    -> resign                                                gives the game up (extension)
                                 <- winner red               to both; new follows when there is an opponent
    connection lost
    -> ann, secret   (again)     <- auth-ok, resume, color red, board, ten lines, endsetup, get-move (extension)

A refusal is sent as err (extension). A whole set-up gets one refusal. After the refusal of a move, get-move follows
again.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any, ClassVar

from gamehost.accounts.login import LoginRefused
from gamehost.games.base import Seat
from gamehost.games.stratego import rules
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.sessions import Queue, Session
from gamehost.tables.interfaces import Back, Displaced, Over, Refused, Suspended
from gamehost.wires.base import SUSPENDED, AccountConversation, Claim, GuestConversation, Peer, claim_of_account
from gamehost.wires.framing import Blank, UndecodableLine, asks_for_help, for_people, wrong_port
from gamehost.wires.stratego_lines import messages as m
from gamehost.wires.stratego_lines.messages import is_resignation

#: After this many failed log-ins, or refused set-ups, the connection is closed.
TRIES = 3

_ROWS = 4

COLORS = ("red", "blue")

#: The answer to a call for help when a user name is expected.
HELP = (
    "this port plays Stratego in lines of ASCII: send a user name on one line and a password on the next (ann, then secret)",
    "a new name becomes an account; wait for new, send your set-up as four lines of ten letters, then moves such as B4-B5",
)

#: The answer to a call for help when a set-up is expected.
SETUP_HELP = "send your set-up: four lines of ten letters, such as VMGKKJJJPP, the back row first"

NOT_A_MOVE = "a move is written like B4-B5"


class LinesState(Enum):
    """The state of a connection. It decides what the next line means."""

    #: The next line is a user name.
    NAME = "name"
    #: The next line is a password.
    PASSWORD = "password"
    #: The host checks the name and the password.
    CHECKING = "checking"
    #: Logged in; there is no opponent yet.
    WAITING = "waiting"
    #: The next lines are the four lines of the set-up.
    SETUP = "set-up"
    #: The set-up is complete; the opponent's set-up is not.
    READY = "ready"
    #: The next line is a move.
    ASKED = "asked"
    #: The client has sent a move, and the host has not answered it yet.
    MOVED = "moved"
    #: It is the opponent's turn.
    PLAYING = "playing"


#: The refusal of a line, by the state that accepts no line.
NOT_NOW: Mapping[Enum, str] = {
    LinesState.CHECKING: "your password is being checked: wait for auth-ok or auth-err",
    LinesState.WAITING: "the game has not begun: wait for new",
    LinesState.READY: "your set-up is complete: wait for endsetup and get-move",
    LinesState.PLAYING: "it is not your turn: wait for get-move",
}


class LinesConversation(AccountConversation[m.Message], GuestConversation[m.Message]):
    """The conversation on one connection of the wire of lines."""

    FIRST = LinesState.NAME

    def __init__(self, peer: Peer[m.Message], lobby: Lobby, wire: str, queue: Queue, strict: bool) -> None:
        super().__init__(peer, lobby, wire, queue, strict)
        #: The user name; `None`: its line could not be read.
        self._name: str | None = None
        #: How many log-ins, and how many set-ups for the present game, were refused. After `TRIES`, the connection is closed.
        self._failed_log_ins = 0
        self._bad_set_ups = 0
        #: The rows of the set-up that have come so far.
        self._rows: list[str] = []
        #: How many lines have come while a move was not answered yet.
        self._early = 0
        #: Whether a move may still come that the client sent before it received the end of the game.
        self._late_move = False
        #: The seat that has moved last; `None`: nobody has moved. In strict mode, it wins a draw.
        self._moved_last: Seat | None = None
        # Whether the connection is being closed. Then the client does not wait for another opponent.
        self._parting = False

    def begin(self) -> None:
        self.peer.say(m.AuthReq())

    def hear(self, message: m.Message) -> None:
        """Handles a message. `resign` means the same in every state of a game, so it is handled here."""
        if type(message) is m.Text and self.handle is not None and not self._strict and is_resignation(message.text):
            # A resignation that the client sent before it received the end of the last game is not for the new game.
            if not self._crossed_the_end(message):
                self.handle.resign()
        else:
            super().hear(message)

    # -- messages of the client: logging in

    def name_given(self, message: m.Text | UndecodableLine) -> None:
        """
        Stores a user name. It is checked together with the password, which is expected even if the name cannot be read.
        """
        # In strict mode, every line is a name.
        if isinstance(message, m.Text) and not self._strict:
            if asks_for_help(message.text):
                self._help()
                return
            sentence = _wrong_port(message)
            if sentence is not None:
                self._dismiss(sentence)
                return
        self._name = message.text if isinstance(message, m.Text) else None
        self.set_state(LinesState.PASSWORD)
        if isinstance(message, UndecodableLine) and not self._strict:
            self.peer.refuse(m.Err(f"{message.reason}; the password is awaited all the same"))

    def claim_of_name(self, message: m.Text) -> Claim | None:
        """
        Returns the claim of a log-in. The line with the name has the claim, so that another host handles both lines of
        the log-in.

        :returns: `None`: the log-in is refused here, because of its name, or because the client speaks another protocol
        """
        # A strict wire takes every line as a name, also one that looks like another protocol.
        if not self._strict and _wrong_port(message) is not None:
            return None
        return claim_of_account(message.text, self._queue)

    def adopt(self, session: Session) -> None:
        """
        Continues to wait for an opponent, for another host of the cluster. The client has received auth-ok, or its
        match has just ended at the other host.
        """
        self.logged_in(session)
        # A move of the match at the other host may still come.
        self._late_move = not self._strict
        self._wait(session)

    def _wait(self, session: Session) -> None:
        self.set_state(LinesState.WAITING)
        self.lobby.play(session, self._queue)

    def _help(self) -> None:
        """Sends what this port is, and what to send; then asks for a name again."""
        self.peer.refuse(m.Err(HELP[0]))
        self.peer.say(m.Err(HELP[1] + for_people(self.by_hand)))
        self.peer.say(m.AuthReq())

    def password_given(self, message: m.Text | UndecodableLine | Blank) -> None:
        """Begins to check the name and the password. An empty line is an empty password."""
        if self._name is None or isinstance(message, UndecodableLine):
            self._turn_away(m.NOT_ASCII.reason)
            return
        # A `Blank` has no text.
        password = message.text if isinstance(message, m.Text) else ""
        self.check_password(LinesState.CHECKING, self._name, password, self._wire)

    def password_checked(self, outcome: Session | LoginRefused) -> None:
        """Handles the result of a log-in: the player waits for an opponent, or may try again."""
        if isinstance(outcome, LoginRefused):
            self._turn_away(outcome.reason)
            return
        self.session = outcome
        self.peer.say(m.AuthOk())
        self._wait(outcome)

    def end_by_fault(self) -> None:
        self._part("a fault of the host")

    def _turn_away(self, reason: str) -> None:
        """Refuses a log-in, and asks for another one. After a few refusals, the connection is closed."""
        self._failed_log_ins += 1
        self.peer.refuse(m.AuthErr())
        if not self._strict:
            self.peer.say(m.Err(reason))
        if self._failed_log_ins >= TRIES:
            self._part("failed log-ins")
            return
        self.set_state(LinesState.NAME)
        # The deadline for logging in begins again; it had ended while the password was checked.
        self.peer.logged_out()
        self.peer.say(m.AuthReq())

    # -- messages of the client: playing

    def row(self, message: m.Text | UndecodableLine) -> None:
        """Stores a line of a set-up. The set-up is checked when all four lines have come."""
        # A move of the last game may come in front of the first line.
        if isinstance(message, m.Text) and not self._rows and self._crossed_the_end(message):
            return
        if isinstance(message, m.Text) and not self._strict and asks_for_help(message.text):
            self.peer.refuse(m.Err(SETUP_HELP))
            return
        # An unreadable line becomes an empty one, so that the whole set-up is refused after its fourth line.
        self._rows.append(message.text.upper() if isinstance(message, m.Text) else "")
        if len(self._rows) < _ROWS:
            # the host has asked for this line; the last line does not count either, if the set-up is accepted
            self.peer.exempt_from_rate()
            return
        lines = tuple(self._rows)
        self._rows.clear()
        fault = m.fault_of_set_up(lines)
        if fault is not None:
            self._refuse_set_up(fault)
            return
        assert self.handle is not None
        self.set_state(LinesState.READY)
        # Each player begins with the back row: red with row 1, and blue with row 10.
        upwards = lines if self.handle.seat == 0 else lines[::-1]
        self.act(rules.PlaceRows(tuple(map(m.in_pieces, upwards))))

    def _refuse_set_up(self, reason: str) -> None:
        """Refuses a set-up. In strict mode, the colour is sent again as the request for another one."""
        self._bad_set_ups += 1
        # The document has no refusal of a set-up.
        if self._strict:
            self.peer.refuse(m.Color(COLORS[self._seat]))
        else:
            self.peer.refuse(m.Err(reason))
        if self._bad_set_ups >= TRIES:
            self._part("bad set-ups")

    def move(self, message: m.Text | UndecodableLine) -> None:
        """Passes a move to the table."""
        move = m.read_move(message.text) if isinstance(message, m.Text) else None
        if move is None:
            self._refuse_move(message.reason if isinstance(message, UndecodableLine) else NOT_A_MOVE)
            return
        self.set_state(LinesState.MOVED)
        self.act(rules.Move(*move))

    def _refuse_move(self, reason: str) -> None:
        """Refuses a move, and asks for another one."""
        # The document has no refusal with a reason; the repeated request says that the move was not accepted.
        if self._strict:
            self.peer.refuse(m.GetMove())
        else:
            self.peer.refuse(m.Err(reason))
            self.peer.say(m.GetMove())

    def early(self, message: m.Text | UndecodableLine) -> None:
        """
        Counts a line that comes before the last move is answered. It is refused after this answer, so that the answers
        are in the right order.
        """
        self._early += 1

    def _crossed_the_end(self, message: m.Text) -> bool:
        """
        Whether this line is a move or a resignation that the client may have sent before it received the end of the
        last game. Such a line gets no answer. Only one such line can come after a game, so the next one is not
        accepted.
        """
        crossed = self._late_move and (m.read_move(message.text) is not None or is_resignation(message.text))
        if crossed:
            self._late_move = False
        return crossed

    def unexpected(self, message: m.Message) -> None:
        """
        Refuses a line that this state does not accept. Ignores a move that the client sent before it received the end
        of the game.
        """
        if isinstance(message, m.Text) and self._crossed_the_end(message):
            return
        self._refuse(message.reason if isinstance(message, UndecodableLine) else NOT_NOW[self.state])

    def _refuse(self, reason: str) -> None:
        """Refuses a line. In strict mode there is no message for this, so the connection is closed."""
        if self._strict:
            self._part(reason)
        else:
            self.peer.refuse(m.Err(reason))

    def say_closing(self, reason: str) -> None:
        """
        Sends the reason for which the connection ends. A strict wire has no message for this, so nothing is sent there.
        """
        self._parting = True
        # The result of a password's check could not be sent any more.
        self.forget_attempt()
        if not self._strict:
            self.peer.say(m.Err(reason))

    def _dismiss(self, reason: str) -> None:
        """Sends the reason, and closes the connection."""
        self.say_closing(reason)
        self._part(reason)

    def _part(self, reason: str) -> None:
        """Closes the connection."""
        self._parting = True
        self.peer.hang_up(reason)

    SPEAKS = m.SPOKEN
    HEARS: ClassVar[Any] = {
        (LinesState.NAME, m.Text): name_given,
        (LinesState.NAME, UndecodableLine): name_given,
        (LinesState.PASSWORD, m.Text): password_given,
        (LinesState.PASSWORD, UndecodableLine): password_given,
        (LinesState.PASSWORD, Blank): password_given,
        (LinesState.SETUP, m.Text): row,
        (LinesState.SETUP, UndecodableLine): row,
        (LinesState.ASKED, m.Text): move,
        (LinesState.ASKED, UndecodableLine): move,
        (LinesState.MOVED, m.Text): early,
        (LinesState.MOVED, UndecodableLine): early,
    }
    CLAIMS: ClassVar[Any] = {(LinesState.NAME, m.Text): claim_of_name}

    # -- events for the client

    @property
    def _seat(self) -> Seat:
        assert self.handle is not None
        return self.handle.seat

    def _set_up(self) -> None:
        """Begins a set-up: sends `new` and the colour."""
        self._rows.clear()
        self._bad_set_ups = 0
        self._moved_last = None
        self._early = 0
        self.set_state(LinesState.SETUP)
        self.peer.say(m.New())
        self.peer.say(m.Color(COLORS[self._seat]))

    def _go_on(self, turn: Seat | None) -> None:
        """Asks for a move, if it is this player's turn."""
        if turn == self._seat:
            self.set_state(LinesState.ASKED)
            self.peer.say(m.GetMove())
        else:
            self.set_state(LinesState.PLAYING)

    def tell_opened(self, event: rules.Opened) -> None:
        self._set_up()

    def tell_playing(self, event: rules.Playing) -> None:
        self._late_move = False
        self.peer.say(m.EndSetup())
        self._go_on(event.next)

    def tell_moved(self, event: rules.Moved) -> None:
        self._tell_move(event, None, None)

    def tell_fought(self, event: rules.Fought) -> None:
        """
        Informs the client of a move that attacked a piece. Both players can work out the result of the battle
        themselves.
        """
        self._tell_move(event, m.LETTERS[event.attacker], m.LETTERS[event.defender])

    def _tell_move(self, event: rules.Moved | rules.Fought, attacker: str | None, defender: str | None) -> None:
        """Informs the client of its own move, with the piece that stood on the square; or of the opponent's move."""
        if event.seat == self._seat:
            self.peer.say(m.Met(defender))
            # `next` is `None` if this move has ended the match. Then `tell_over` handles the lines that came early.
            if self._early and event.next is not None:
                self._refuse_early(LinesState.PLAYING)
        else:
            move = event.move
            self.peer.say(m.Moved(m.square(move.x, move.y), m.square(move.to_x, move.to_y), attacker))
        self._go_on(event.next)

    def _refuse_early(self, state: LinesState) -> None:
        """Refuses the lines that came before the last move was answered."""
        early, self._early = self._early, 0
        for _ in range(early):
            self._refuse(NOT_NOW[state])

    def tell_refused(self, event: Refused) -> None:
        """Sends the refusal of a move or of a set-up."""
        reason = str(event.error)
        # A move was refused.
        if self.state is LinesState.MOVED:
            self.set_state(LinesState.ASKED)
            self._refuse_move(reason)
            self._refuse_early(LinesState.PLAYING)
        # The set-up was refused: the client must send all four lines again.
        elif self.state is LinesState.READY:
            self.set_state(LinesState.SETUP)
            self._refuse_set_up(reason)
        else:
            self._refuse(reason)

    def tell_decided(self, event: rules.Over) -> None:
        """Notes which player moved last. The table's event `Over` follows, and `tell_over` sends the end."""
        self._moved_last = event.last

    def tell_over(self, event: Over) -> None:
        """
        Sends the end of the match, and waits for the next opponent. The document has no message for a draw, so in
        strict mode a draw is a victory of the player that moved last.
        """
        winners = event.result.winners
        if winners:
            self.peer.say(m.Winner(COLORS[winners[0]]))
        elif not self._strict:
            self.peer.say(m.Winner("none"))
        # Only a line with a winner ends the game for a strict client.
        elif self._moved_last is not None:
            self.peer.say(m.Winner(COLORS[self._moved_last]))
        else:
            self._part("a draw before the first move: the document has no message for it")
        self.leave_table(LinesState.WAITING)
        # A strict wire ignores no line, so that every unexpected one ends the connection.
        self._late_move = not self._strict
        # If lines have come before the end was sent, the first of them may be the late move: it gets no answer.
        if self._late_move and self._early:
            self._early -= 1
            self._late_move = False
        self._refuse_early(LinesState.WAITING)
        # The client need not log in again for the next match.
        if self.session is not None and not self._parting:
            self.lobby.play(self.session, self._queue)

    def tell_back(self, event: Back[rules.Situation]) -> None:
        """Sends the state of the game, if this client's own player is back."""
        if event.seat != self._seat:
            return
        view = event.view
        # The document's own messages are enough to begin the set-up again.
        if view.phase is rules.Phase.SETUP:
            self._set_up()
        elif self._strict:
            self._part("the game goes on, and the document has no message for coming back to it")
        else:
            for message in (m.Resume(), m.Color(COLORS[self._seat]), m.Board(m.board_rows(view.squares)), m.EndSetup()):
                self.peer.say(message)
            self._go_on(view.turn)

    def tell_displaced(self, event: Displaced) -> None:
        """Ends this connection, because the same account has logged in again. The newer connection has the seat now."""
        self._dismiss("this account has logged in elsewhere")

    def tell_suspended(self, event: Suspended) -> None:
        """Ends this connection, because a fault of the host has stopped the match."""
        self._dismiss(SUSPENDED)

    TELLS: ClassVar[Any] = {
        rules.Opened: tell_opened,
        rules.Playing: tell_playing,
        rules.Moved: tell_moved,
        rules.Fought: tell_fought,
        rules.Over: tell_decided,
        Refused: tell_refused,
        Over: tell_over,
        Back: tell_back,
        Displaced: tell_displaced,
        Suspended: tell_suspended,
    }


def _wrong_port(message: m.Text) -> str | None:
    """
    Returns the answer to a client of another protocol that sends this line as a name; `None`: the line does not look
    like another protocol.
    """
    return wrong_port(message.text.encode("ascii"), m.SPOKEN)
