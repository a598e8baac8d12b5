"""
The messages of the wire: one frozen class each, with the dialect's fields in the dialect's order.

A field is the text between two pipes. The conversation reads cards, rows and columns.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from gamehost.wires.framing import Blank, UndecodableLine


class Login(Struct, frozen=True):
    """Client: log in under this name, which may be that of a seat that is kept."""

    name: str


class MakeMove(Struct, frozen=True):
    """Client: play a card to move a piece."""

    card: str
    start_row: str
    start_column: str
    end_row: str
    end_column: str


class MakePass(Struct, frozen=True):
    """Client: nothing can be moved; exchange this card."""

    card: str


class Ping(Struct, frozen=True):
    """Client: is the server there? Server: it is."""


class Waiting(Struct, frozen=True):
    """Server: the log-in is accepted. It comes before every `Start`."""

    name: str


class Failed(Struct, frozen=True):
    """Server: a log-in was refused, or a message cannot be read; or why the connection ends."""

    text: str


class Start(Struct, frozen=True):
    """Server: the match begins. Three cards are two of Black's and the spare, the last two are White's."""

    black: str
    white: str
    cards: tuple[str, str, str, str, str]


class MoveWasMade(Struct, frozen=True):
    """Server, to both: a valid move."""

    card: str
    start_row: str
    start_column: str
    end_row: str
    end_column: str


class PassWasMade(Struct, frozen=True):
    """Server, to both: this card was exchanged for the spare."""

    card: str


class InvalidMove(Struct, frozen=True):
    """Server, to the sender: not a valid move, and why; the server waits for another one."""

    text: str


class Disconnect(Struct, frozen=True):
    """Server: the other player has lost the connection."""

    name: str


class Reconnect(Struct, frozen=True):
    """Server: the other player is back."""

    name: str


class Restore(Struct, frozen=True):
    """Server, to the player who is back: `RECONNECT` with 34 fields, all that is needed to go on."""

    black: str
    white: str
    #: As in `Start`.
    cards: tuple[str, str, str, str, str]
    white_is_you: bool
    white_to_move: bool
    #: 25 squares row by row from row 0: `bP`, `bK`, `wP`, `wK` or `--`.
    board: tuple[str, ...]


class GameOver(Struct, frozen=True):
    """Server, to both: the winner's name, or `draw`."""

    winner: str


class WrongFields(Struct, frozen=True):
    """A client's message with too few or too many fields, or another word than `PING` in a `PING`."""

    command: str
    #: What was expected, in words without a pipe.
    expected: str


class NotForServer(Struct, frozen=True):
    """A message that only the server sends, sent by a client."""

    command: str


class Unknown(Struct, frozen=True):
    """Not a command of this wire. The text is not kept, because it must not be sent back."""

    #: The command that it would be in upper case, if any.
    meant: str = ""


class HelpAsked(Struct, frozen=True):
    """A person asks for help: `help`, `?`, `quit` or `exit`."""


Message = (
    Login
    | MakeMove
    | MakePass
    | Ping
    | Waiting
    | Failed
    | Start
    | MoveWasMade
    | PassWasMade
    | InvalidMove
    | Disconnect
    | Reconnect
    | Restore
    | GameOver
    | WrongFields
    | NotForServer
    | Unknown
    | HelpAsked
    | UndecodableLine
    | Blank
)

Sent = type[Login] | type[MakeMove] | type[MakePass]

#: Command -> message, number of fields, and both in words, for what a client sends; `PING` aside.
CLIENT_COMMANDS: Mapping[str, tuple[Sent, int, str]] = {
    "LOGIN": (Login, 1, "LOGIN and one field, the name"),
    "MAKE_MOVE": (MakeMove, 5, "MAKE_MOVE and five fields: card, start row, start column, end row, end column"),
    "MAKE_PASS": (MakePass, 1, "MAKE_PASS and one field, the card"),
}

PING = "PING"
#: What a wrong `PING` should have been.
PING_EXPECTED = "PING and one field, the word PING"

#: Message -> command, for what the server sends.
SERVER_COMMANDS: Mapping[type[Any], str] = {
    Waiting: "WAITING",
    Failed: "FAILED",
    Start: "START",
    MoveWasMade: "MOVE_WAS_MADE",
    PassWasMade: "PASS_WAS_MADE",
    InvalidMove: "INVALID_MOVE",
    Disconnect: "DISCONNECT",
    Reconnect: "RECONNECT",
    Restore: "RECONNECT",
    GameOver: "GAME_OVER",
    Ping: PING,
}

#: What this port speaks, for clients of other protocols.
SPOKEN = "Onitama in messages that end in a zero byte; log in with " + CLIENT_COMMANDS["LOGIN"][2]
