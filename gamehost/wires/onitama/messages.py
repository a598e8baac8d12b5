"""
The messages of the Onitama wire: one frozen class each. The fields are the document's arguments, in the document's
order, and contain the text between two pipes. The conversation finds out which squares, cards and boards this text
means.
"""

from collections.abc import Mapping

from gamehost.wires.framing import Blank, UndecodableLine, WireMessage, command_of, tags_of
from gamehost.wires.framing import HelpAsked as HelpAsked
from gamehost.wires.framing import NotForServer as NotForServer
from gamehost.wires.framing import Unknown as Unknown
from gamehost.wires.framing import WrongFields as WrongFields


class ServerMessage(WireMessage, frozen=True, tag=command_of):
    """The base of all messages of the server. The tag of a message is its command."""


class Login(WireMessage, frozen=True):
    """Sent by the client: logs in under this name."""

    username: str


class MakeMove(WireMessage, frozen=True):
    """Sent by the client: plays a card and moves a piece with it."""

    card: str
    start: str
    end: str


class Stalemate(WireMessage, frozen=True):
    """Sent by the client: no move is possible, so the player exchanges this card."""

    card: str


class Resign(WireMessage, frozen=True):
    """Sent by the client (an extension): resigns the game."""


class Start(ServerMessage, frozen=True):
    """Sent by the server: the match begins. `cards` is an extension: if it is `None`, the field is left out."""

    white: str
    black: str
    cards: str | None = None


class MoveWasMade(ServerMessage, frozen=True):
    """Sent by the server to both players: this valid move was made."""

    card: str
    start: str
    end: str


class InvalidMove(ServerMessage, frozen=True):
    """Sent by the server to the sender of a move: the move is not valid. The server waits for another move."""

    #: Extension: the reason. Without it the field is left out.
    reason: str | None = None


class StalemateCard(ServerMessage, frozen=True):
    """Sent by the server to both players: a player has given the card `old` to the pack, and has got `new`."""

    old: str
    new: str


class Logout(ServerMessage, frozen=True):
    """Sent by the server: the other player has lost the connection."""

    name: str


class Reconnect(ServerMessage, frozen=True):
    """Sent by the server to both players: a player has come back, and this is the state of the match."""

    name: str
    colour: str
    board: str
    cards: str
    on_turn: str


class GameOver(ServerMessage, frozen=True):
    """Sent by the server to both players: the match is over. `winner` is a player's name, or `draw`."""

    winner: str


class Waiting(ServerMessage, frozen=True):
    """Sent by the server (an extension): the log-in is accepted, and the player waits for an opponent."""

    name: str


class Error(ServerMessage, frozen=True):
    """Sent by the server (an extension): what was wrong with a line, or why the server closes the connection."""

    reason: str


class OtherLanguage(WireMessage, frozen=True):
    """A line of another protocol, for example of another game's wire."""

    #: A sentence for the client. It names the protocol of the line and the protocol of this port.
    reason: str


Message = WireMessage | UndecodableLine | Blank

Sent = type[Login] | type[MakeMove] | type[Stalemate] | type[Resign]

#: The messages of a client: command -> (message, number of fields, the expected form in words).
CLIENT_COMMANDS: Mapping[str, tuple[Sent, int, str]] = {
    "LOGIN": (Login, 1, "LOGIN and one field, the username"),
    "MAKE_MOVE": (MakeMove, 3, "MAKE_MOVE and three fields: card, start square, end square"),
    "STALEMATE": (Stalemate, 1, "STALEMATE and one field, the card"),
    "RESIGN": (Resign, 0, "RESIGN and no field"),
}

#: The description of this port, for clients of other protocols.
SPOKEN = "Onitama in pipe-separated lines; log in with " + CLIENT_COMMANDS["LOGIN"][2]

#: The messages of the server: message -> command.
SERVER_COMMANDS = tags_of(ServerMessage)
