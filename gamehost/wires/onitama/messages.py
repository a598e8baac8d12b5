"""
The messages of the wire: one frozen class each, with the document's arguments in the document's order.

A field is the text between two pipes. The conversation reads squares, cards and boards.
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
    """Client: log in under this name."""

    username: str


class MakeMove(WireMessage, frozen=True):
    """Client: play a card to move a piece."""

    card: str
    start: str
    end: str


class Stalemate(WireMessage, frozen=True):
    """Client: nothing can be moved; exchange this card."""

    card: str


class Resign(WireMessage, frozen=True):
    """Client, extension: give the game up."""


class Start(ServerMessage, frozen=True):
    """Server: the match begins. `cards` is an extension; without it the field is left out."""

    white: str
    black: str
    cards: str | None = None


class MoveWasMade(ServerMessage, frozen=True):
    """Server, to both: a valid move."""

    card: str
    start: str
    end: str


class InvalidMove(ServerMessage, frozen=True):
    """Server, to the sender: not a valid move; the server waits for another one."""

    #: Extension: the reason. Without it the field is left out.
    reason: str | None = None


class StalemateCard(ServerMessage, frozen=True):
    """Server, to both: a card was exchanged with the pack."""

    old: str
    new: str


class Logout(ServerMessage, frozen=True):
    """Server: the other player has lost the connection."""

    name: str


class Reconnect(ServerMessage, frozen=True):
    """Server, to both: a player is back."""

    name: str
    colour: str
    board: str
    cards: str
    on_turn: str


class GameOver(ServerMessage, frozen=True):
    """Server, to both: the winner's name, or `draw`."""

    winner: str


class Waiting(ServerMessage, frozen=True):
    """Server, extension: the log-in is accepted, and there is no opponent yet."""

    name: str


class Error(ServerMessage, frozen=True):
    """Server, extension: what was wrong, or why the connection ends."""

    reason: str


class OtherLanguage(WireMessage, frozen=True):
    """A line of another protocol."""

    #: A sentence for the client: the protocol of the line, and that of this port.
    reason: str


Message = WireMessage | UndecodableLine | Blank

Sent = type[Login] | type[MakeMove] | type[Stalemate] | type[Resign]

#: Command -> message, number of fields, and both in words, for what a client sends.
CLIENT_COMMANDS: Mapping[str, tuple[Sent, int, str]] = {
    "LOGIN": (Login, 1, "LOGIN and one field, the username"),
    "MAKE_MOVE": (MakeMove, 3, "MAKE_MOVE and three fields: card, start square, end square"),
    "STALEMATE": (Stalemate, 1, "STALEMATE and one field, the card"),
    "RESIGN": (Resign, 0, "RESIGN and no field"),
}

#: The description of this port, for clients of other protocols.
SPOKEN = "Onitama in pipe-separated lines; log in with " + CLIENT_COMMANDS["LOGIN"][2]

#: Message -> command, for the server's messages.
SERVER_COMMANDS = tags_of(ServerMessage)
