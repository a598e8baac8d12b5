"""
A wire for a game that exists, in one file, as the author of a package writes it from the pages for authors of plug-ins.

    -> name ann                  <- wait                     nobody waits yet
    -> name bob    (another)     <- deal 0 boar,ox/crab,eel/tiger PPKPP...............ppkpp 0
                                                             to both: own seat, cards of both and the spare, board, turn
    -> play ox c1 c2             <- moved 0 ox c1 c2         to both; as the journal of the game has it
                                 <- no reason                or to the sender alone
                                 <- over ann                 to both; then name begins the next match
"""

from enum import Enum
from typing import Any, ClassVar

from msgspec import Struct

from gamehost.accounts.names import NameRefused
from gamehost.games.onitama.master import ONITAMA, Dealt, Exchanged, Moved
from gamehost.games.onitama.rules import Exchange, Position
from gamehost.tables.interfaces import Away, Back, Over, Refused
from gamehost.wires.base import GuestConversation, Wire, common_wire
from gamehost.wires.framing import NOT_UTF8, LineCodec


class Name(Struct, frozen=True):
    """Log in."""

    name: str


class Play(Struct, frozen=True):
    """An action, as the journal has it."""

    notation: bytes


class Words(Struct, frozen=True):
    """Everything else: what the host says, and what a client says that is no message."""

    text: str


class PlainCodec(LineCodec[Any]):
    """One command, a blank, and the rest."""

    LIMIT = 80
    UNREADABLE = "lines that are not UTF-8"

    def read(self, line: bytes) -> Any:
        command, _, rest = line.partition(b" ")
        try:
            text = rest.decode("utf-8")
        except UnicodeDecodeError:
            return NOT_UTF8
        match command:
            case b"name":
                return Name(text)
            case b"play":
                return Play(rest)
        return Words("")

    def encode(self, message: Any) -> bytes:
        text: str = message.text
        return text.encode("utf-8") + b"\n"


class State(Enum):
    """Where a connection is."""

    OUTSIDE = "outside"
    WAITING = "waiting"
    PLAYING = "playing"


def shown(position: Position) -> str:
    """Cards, board and turn."""
    cards = "/".join((*(",".join(hand) for hand in position.hands), position.spare))
    return f"{cards} {position.board} {position.turn}"


class PlainConversation(GuestConversation[Any]):
    FIRST = State.OUTSIDE

    def log_in(self, message: Name) -> None:
        """As a guest. Who comes back gets the seat back."""
        try:
            session = self.lobby.enter(message.name, self._wire, self.address, self)
        except NameRefused as refusal:
            self.peer.refuse(Words(f"no {refusal}"))
            return
        self.logged_in(session)
        self.set_state(State.WAITING)
        if not self.lobby.play(session, self._queue):
            self.peer.say(Words("wait"))

    def play(self, message: Play) -> None:
        """Any action of the game."""
        try:
            self.act(ONITAMA.read(message.notation))
        except ValueError:
            self.peer.refuse(Words("no expected a card and two squares, or stalemate and a card"))

    def unexpected(self, message: Any) -> None:
        self.peer.refuse(Words(f"no expected name or play; you are {self.state.value}"))

    def say_closing(self, reason: str) -> None:
        self.peer.say(Words(f"end {reason}"))

    HEARS: ClassVar[Any] = {(State.OUTSIDE, Name): log_in, (State.PLAYING, Play): play}

    def tell_dealt(self, event: Dealt) -> None:
        assert self.handle is not None
        self.set_state(State.PLAYING)
        self.peer.say(Words(f"deal {self.handle.seat} {shown(event.position)}"))

    def moved(self, event: Moved) -> Words:
        return Words(f"moved {event.seat} {ONITAMA.write(event.move).decode()}")

    def exchanged(self, event: Exchanged) -> Words:
        return Words(f"moved {event.seat} {ONITAMA.write(Exchange(event.old)).decode()} for {event.new}")

    def tell_refused(self, event: Refused) -> None:
        self.peer.refuse(Words(f"no {event.error}"))

    def tell_away(self, event: Away) -> None:
        self.peer.say(Words(f"away {event.seat}"))

    def tell_back(self, event: Back[Any]) -> None:
        assert self.handle is not None
        self.set_state(State.PLAYING)
        self.peer.say(Words(f"deal {self.handle.seat} {shown(event.view.position)}"))

    def tell_over(self, event: Over) -> None:
        winners = event.result.winners
        self.peer.say(Words(f"over {self.name_of(winners[0]) if winners else '-'}"))
        self.leave_table(State.OUTSIDE)
        self.end()
        self.peer.logged_out()

    SAYS: ClassVar[Any] = {Moved: moved, Exchanged: exchanged}
    TELLS: ClassVar[Any] = {
        Dealt: tell_dealt,
        Refused: tell_refused,
        Away: tell_away,
        Back: tell_back,
        Over: tell_over,
    }


WIRE: Wire[Any] = common_wire(
    *("plain", "Onitama in plain words", "tcp:8899:interface=127.0.0.1", ONITAMA, PlainCodec, PlainConversation),
    websocket=True,
)
