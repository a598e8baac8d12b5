"""
The messages of the wire: one frozen class each, with the dialect's fields in the dialect's order.

A field is the text between two pipes. The conversation reads cards, rows and columns.
"""

from collections.abc import Mapping

from gamehost.wires.framing import Blank, UndecodableLine, WireMessage, command_of, tags_of
from gamehost.wires.framing import HelpAsked as HelpAsked
from gamehost.wires.framing import NotForServer as NotForServer
from gamehost.wires.framing import Unknown as Unknown
from gamehost.wires.framing import WrongFields as WrongFields


class ServerMessage(WireMessage, frozen=True, tag=command_of):
    """The base of what the server says. The tag of a message is its command."""


class Login(WireMessage, frozen=True):
    """Sent by the client: logs in under this name, which may be that of a reserved seat."""

    name: str


class MakeMove(WireMessage, frozen=True):
    """Sent by the client: plays a card to move a piece."""

    card: str
    start_row: str
    start_column: str
    end_row: str
    end_column: str


class MakePass(WireMessage, frozen=True):
    """Sent by the client: no move is possible, so the player exchanges this card."""

    card: str


class Ping(ServerMessage, frozen=True):
    """Sent by the client: asks whether the server is there. The server answers with the same message."""


class Waiting(ServerMessage, frozen=True):
    """Sent by the server: the log-in is accepted. It comes before every `Start`."""

    name: str


class Failed(ServerMessage, frozen=True):
    """Sent by the server: why a log-in was refused, why a message cannot be read, or why the connection ends."""

    text: str


class Start(ServerMessage, frozen=True):
    """Sent by the server: the match begins. Three cards are two of Black's and the spare, the last two are White's."""

    black: str
    white: str
    cards: tuple[str, str, str, str, str]


class MoveWasMade(ServerMessage, frozen=True):
    """Sent by the server to both players: this valid move was made."""

    card: str
    start_row: str
    start_column: str
    end_row: str
    end_column: str


class PassWasMade(ServerMessage, frozen=True):
    """Sent by the server to both players: this card was exchanged for the spare."""

    card: str


class InvalidMove(ServerMessage, frozen=True):
    """Sent by the server to the player that has moved: why the move is not valid. The server waits for another one."""

    text: str


class Disconnect(ServerMessage, frozen=True):
    """Sent by the server: the other player has lost the connection."""

    name: str


class Reconnect(ServerMessage, frozen=True):
    """Sent by the server: the other player is back."""

    name: str


class Restore(ServerMessage, frozen=True, tag="RECONNECT"):
    """Sent by the server to the player that is back: `RECONNECT` with 34 fields, all that is needed to continue."""

    black: str
    white: str
    #: As in `Start`.
    cards: tuple[str, str, str, str, str]
    white_is_you: bool
    white_to_move: bool
    #: 25 squares row by row from row 0: `bP`, `bK`, `wP`, `wK` or `--`.
    board: tuple[str, ...]


class GameOver(ServerMessage, frozen=True):
    """Sent by the server to both players: the winner's name, or `draw`."""

    winner: str


Message = WireMessage | UndecodableLine | Blank

Sent = type[Login] | type[MakeMove] | type[MakePass]

#: Command -> message, number of fields, and both in words, for what a client sends; `PING` aside.
CLIENT_COMMANDS: Mapping[str, tuple[Sent, int, str]] = {
    "LOGIN": (Login, 1, "LOGIN and one field, the name"),
    "MAKE_MOVE": (MakeMove, 5, "MAKE_MOVE and five fields: card, start row, start column, end row, end column"),
    "MAKE_PASS": (MakePass, 1, "MAKE_PASS and one field, the card"),
}

PING = "PING"
#: The expected form of a wrong `PING`.
PING_EXPECTED = "PING and one field, the word PING"

#: Message -> command, for the server's messages.
SERVER_COMMANDS = tags_of(ServerMessage)

#: The description of this port, for clients of other protocols.
SPOKEN = "Onitama in messages that end in a zero byte; log in with " + CLIENT_COMMANDS["LOGIN"][2]
