"""
The course of a connection: `->` from the client, `<-` from the server::

    -> LOGIN|ann                 <- WAITING|ann                    nobody waits yet (extension)
    -> LOGIN|bob    (another)    <- START|ann|bob|<cards>          to both; ann is White and moves first
    -> MAKE_MOVE|tiger|c1|c3     <- MOVE_WAS_MADE|tiger|c1|c3      to both
                                 <- INVALID_MOVE|reason            or to the sender alone (the reason: extension)
    -> STALEMATE|ox              <- STALEMATE_CARD|ox|eel          to both; only when nothing can be moved
                                 <- GAME_OVER|ann                  to both, after the last move
    connection lost              <- LOGOUT|bob                     to the other
    -> LOGIN|bob    (again)      <- RECONNECT|bob|black|...        to both
    -> RESIGN                    <- GAME_OVER|ann                  to both (extension)

The answer to a move that is not possible or malformed is INVALID_MOVE. The answer to any other message that is not
accepted is ERROR (extension). No reason contains a pipe, so both answers have one field.
"""

from enum import Enum
from typing import Any, ClassVar

from gamehost.accounts.names import NameRefused
from gamehost.games.base import Seat
from gamehost.games.onitama.master import Dealt, Exchanged, Moved
from gamehost.games.onitama.rules import SQUARE_NAMED, SQUARES, Position, read_exchange, read_move
from gamehost.tables.interfaces import Away, Back, Over, Refused
from gamehost.wires.base import Claim, GuestConversation, claim_of_guest
from gamehost.wires.framing import UndecodableLine, for_people
from gamehost.wires.onitama import messages as m

COLOURS = ("white", "black")

#: The number of malformed log-ins after which the host closes the connection.
BAD_LOGINS = 3

NO_SQUARE = "there is no such square; expected a letter from a to e and a number from 1 to 5, such as c1"

DRAW = "draw"


class PipesState(Enum):
    """The state of a connection. It decides which messages are accepted."""

    #: Before LOGIN, and again after GAME_OVER.
    OUTSIDE = "outside"
    #: Logged in; there is no opponent yet.
    WAITING = "waiting"
    PLAYING = "playing"


#: The answers to a person that asks for help, and examples that the person can copy.
_HELP = {
    PipesState.OUTSIDE: "this port is a game host that speaks Onitama in lines; log in with a line such as the next one",
    PipesState.WAITING: "you are logged in and wait for an opponent; the game begins with START",
    PipesState.PLAYING: "a move has a card, a start square and an end square, as in the next line; RESIGN gives the game up",
}
_EXAMPLES: dict[PipesState, m.Message] = {
    PipesState.OUTSIDE: m.Login("ann"),
    PipesState.PLAYING: m.MakeMove("tiger", "c1", "c3"),
}


def _belongs_to_a_game(message: m.Message) -> bool:
    """Whether clients send such a message only during a game. It may be well-formed or not."""
    if isinstance(message, m.WrongFields):
        return message.command != "LOGIN"
    return isinstance(message, m.MakeMove | m.Stalemate | m.Resign)


def cards_with_positions(position: Position) -> str:
    """Returns the cards with their holders: `white=boar,ox;black=crab,eel;spare=tiger`; hands in alphabetical order."""
    white, black = (",".join(sorted(hand)) for hand in position.hands)
    return f"white={white};black={black};spare={position.spare}"


class PipesConversation(GuestConversation[m.Message]):
    """The conversation on one connection of the Onitama wire."""

    FIRST = PipesState.OUTSIDE
    WAITING = PipesState.WAITING

    _bad_logins = 0
    #: Whether the client may have sent the next message before it received the end of its game.
    _may_be_late = False

    # -- from the client

    def hear(self, message: m.Message) -> None:
        """
        Handles a message. If the first message after GAME_OVER is a move, it is ignored: the client sent it before it
        received GAME_OVER.
        """
        may_be_late, self._may_be_late = self._may_be_late, False
        # Only the first message after the end can have been late.
        if not (may_be_late and _belongs_to_a_game(message)):
            super().hear(message)

    def log_in(self, message: m.Login) -> None:
        """Logs in, or takes back the seat that is reserved under this name."""
        try:
            session = self.lobby.enter(message.username, self._wire, self.peer.address, self, self._strict)
        except NameRefused as refusal:
            self._refuse(str(refusal))
            return
        self.logged_in(session)
        self.set_state(PipesState.WAITING)
        # No match has begun yet. Only clients that are not strict know the message WAITING.
        if not self.lobby.play(session, self._queue) and not self._strict:
            self.peer.say(m.Waiting(session.name))

    def claim_of_log_in(self, message: m.Login) -> Claim | None:
        return claim_of_guest(message.username, self._queue, self._strict)

    def malformed_log_in(self, message: m.WrongFields) -> None:
        """
        Refuses a log-in with a wrong number of fields. After a few of them, the host closes the connection, because the
        client probably uses another protocol.
        """
        if message.command != "LOGIN":
            self.unexpected(message)
            return
        self._bad_logins += 1
        self._refuse(f"expected {message.expected}")
        if self._bad_logins >= BAD_LOGINS:
            self.peer.hang_up("malformed log-ins")

    def move(self, message: m.MakeMove) -> None:
        # `None`: the field does not name a square. `read_move` then returns `NO_SQUARE` as the reason.
        start, end = SQUARE_NAMED.get(message.start), SQUARE_NAMED.get(message.end)
        self.act_or_refuse(read_move(message.card, start, end, NO_SQUARE), self._refuse_move)

    def exchange(self, message: m.Stalemate) -> None:
        self.act_or_refuse(read_exchange(message.card), self._refuse_move)

    def malformed_move(self, message: m.WrongFields) -> None:
        """Refuses a command with a wrong number of fields during a game. A move with wrong fields is an invalid move."""
        if message.command in ("MAKE_MOVE", "STALEMATE"):
            self._refuse_move(f"expected {message.expected}")
        else:
            self.unexpected(message)

    def resign(self, message: m.Resign) -> None:
        """Resigns the match. In strict mode, RESIGN is not a message of the wire, and is refused."""
        if self._strict:
            self.unexpected(message)
        elif self.handle is not None:
            self.handle.resign()

    def unexpected(self, message: m.Message) -> None:
        """Refuses a message that is not accepted now. A person that asks for help also receives an example."""
        # The document has INVALID_MOVE, without a reason, for anything wrong during a match.
        if self._strict and self.state is PipesState.PLAYING:
            self.peer.refuse(m.InvalidMove())
            return
        self._refuse(self._what_is_wrong(message))
        if isinstance(message, m.HelpAsked) and not self._strict and (example := _EXAMPLES.get(PipesState(self.state))):
            self.peer.say(example)

    def _what_is_wrong(self, message: m.Message) -> str:
        """Returns the reason why a message is not accepted, in words."""
        match message:
            case UndecodableLine(reason) | m.OtherLanguage(reason):
                return reason
            case m.HelpAsked():
                return _HELP[PipesState(self.state)] + for_people(self.by_hand)
            case m.Unknown(meant) if meant:
                return f"commands are upper case: {meant}"
            case m.Unknown():
                return f"unknown command; expected one of {', '.join(m.CLIENT_COMMANDS)}"
            case m.NotForServer(command):
                return f"only the server says {command}"
            # Only in a state after the log-in: before it, another method handles LOGIN.
            case m.Login() | m.WrongFields("LOGIN"):
                return "already logged in"
            case m.WrongFields("RESIGN", expected) if self.state is PipesState.PLAYING:
                return f"expected {expected}"
        if self.state is PipesState.OUTSIDE:
            return f"log in first: {m.CLIENT_COMMANDS['LOGIN'][2]}"
        return "the game has not begun: wait for START"

    def _refuse_move(self, reason: str) -> None:
        self.peer.refuse(m.InvalidMove(None if self._strict else reason))

    def _refuse(self, reason: str) -> None:
        """Refuses a message. In strict mode there is no message for this, so the connection is closed."""
        if self._strict:
            self.peer.hang_up(reason)
        else:
            self.peer.refuse(m.Error(reason))

    def say_closing(self, reason: str) -> None:
        if not self._strict:
            self.peer.say(m.Error(reason))

    SPEAKS = m.SPOKEN
    HEARS: ClassVar[Any] = {
        (PipesState.OUTSIDE, m.Login): log_in,
        (PipesState.OUTSIDE, m.WrongFields): malformed_log_in,
        (PipesState.PLAYING, m.MakeMove): move,
        (PipesState.PLAYING, m.Stalemate): exchange,
        (PipesState.PLAYING, m.Resign): resign,
        (PipesState.PLAYING, m.WrongFields): malformed_move,
    }
    CLAIMS: ClassVar[Any] = {(PipesState.OUTSIDE, m.Login): claim_of_log_in}

    # -- events for the client

    def tell_dealt(self, event: Dealt) -> None:
        """Informs the client that the match begins."""
        self.set_state(PipesState.PLAYING)
        cards = None if self._strict else cards_with_positions(event.position)
        self.peer.say(m.Start(self.name_of(Seat(0)), self.name_of(Seat(1)), cards))

    def moved(self, event: Moved) -> m.Message:
        """Returns the message for a move."""
        move = event.move
        return m.MoveWasMade(move.card, SQUARES[move.start], SQUARES[move.end])

    def exchanged(self, event: Exchanged) -> m.Message:
        """Returns the message for an exchange of cards."""
        return m.StalemateCard(event.old, event.new)

    def tell_refused(self, event: Refused) -> None:
        """Sends that a move is not valid, and why. A refusal that comes after the end of the match is dropped."""
        if self.state is PipesState.PLAYING:
            self._refuse_move(str(event.error))

    def tell_away(self, event: Away) -> None:
        """Sends that the other player is away. In strict mode, a player that comes back does not receive this."""
        if not (event.already and self._strict):
            self.peer.say(m.Logout(self.name_of(event.seat)))

    def tell_back(self, event: Back[Any]) -> None:
        """Sends that a player is back, and the state of the match."""
        self.set_state(PipesState.PLAYING)
        position = event.view.position
        self.peer.say(
            m.Reconnect(
                self.name_of(event.seat),
                COLOURS[event.seat],
                "/".join(position.rows()),
                cards_with_positions(position),
                self.name_of(Seat(position.turn)),
            )
        )

    def tell_over(self, event: Over) -> None:
        """Sends the end of the match. After this, the client must log in again."""
        winners = event.result.winners
        self.peer.say(m.GameOver(self.name_of(winners[0]) if winners else DRAW))
        self.leave_table(PipesState.OUTSIDE)
        # A strict host ignores nothing, not even a move that was sent before the end was received.
        self._may_be_late = not self._strict
        # The document's clients log in again for each match.
        self.end()

    SAYS: ClassVar[Any] = {Moved: moved, Exchanged: exchanged}
    TELLS: ClassVar[Any] = {
        Dealt: tell_dealt,
        Refused: tell_refused,
        Away: tell_away,
        Back: tell_back,
        Over: tell_over,
    }
