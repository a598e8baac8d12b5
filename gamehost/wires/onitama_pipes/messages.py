"""
The messages of the wire: one frozen class each, with the document's arguments in the document's order.

Fields are text as it stands between the pipes; what squares, cards and boards look like is for the conversation.
"""

from collections.abc import Mapping

from attrs import frozen

from gamehost.wires.framing import Blank, UndecodableLine


@frozen
class Login:
    """Client: log in under this name."""

    username: str


@frozen
class MakeMove:
    """Client: play a card to move a piece."""

    card: str
    start: str
    end: str


@frozen
class Stalemate:
    """Client: nothing can be moved; exchange this card."""

    card: str


@frozen
class Start:
    """Server: the match begins. `cards` is an extension; without it the field is left out."""

    white: str
    black: str
    cards: str | None = None


@frozen
class MoveWasMade:
    """Server, to both: a valid move."""

    card: str
    start: str
    end: str


@frozen
class InvalidMove:
    """Server, to the sender: not a valid move; one is awaited again."""


@frozen
class StalemateCard:
    """Server, to both: a card was exchanged with the pack."""

    old: str
    new: str


@frozen
class Logout:
    """Server: the other player dropped."""

    name: str


@frozen
class Reconnect:
    """Server, to both: a player is back."""

    name: str
    colour: str
    board: str
    cards: str
    on_turn: str


@frozen
class GameOver:
    """Server, to both: who won (`draw`: nobody)."""

    winner: str


@frozen
class Waiting:
    """Server, extension: logged in, and no opponent yet."""

    name: str


@frozen
class Error:
    """Server, extension: what was wrong, or why the connection ends."""

    reason: str


@frozen
class WrongFields:
    """A client's message with too few or too many fields."""

    command: str
    expected: str


@frozen
class NotForServer:
    """A message that only the server sends, sent by a client."""

    command: str


@frozen
class Unknown:
    """Not a command of this wire. What it was is not kept: it is not to be sent back."""

    #: The command it would be in upper case, if any.
    meant: str = ""


Message = (
    Login
    | MakeMove
    | Stalemate
    | Start
    | MoveWasMade
    | InvalidMove
    | StalemateCard
    | Logout
    | Reconnect
    | GameOver
    | Waiting
    | Error
    | WrongFields
    | NotForServer
    | Unknown
    | UndecodableLine
    | Blank
)

#: Command -> message and its fields in words, for what a client sends.
CLIENT_COMMANDS: Mapping[str, tuple[type[Login] | type[MakeMove] | type[Stalemate], tuple[str, ...]]] = {
    "LOGIN": (Login, ("username",)),
    "MAKE_MOVE": (MakeMove, ("card", "start square", "end square")),
    "STALEMATE": (Stalemate, ("card",)),
}

#: Message -> command, for what the server sends.
SERVER_COMMANDS: Mapping[type, str] = {
    Start: "START",
    MoveWasMade: "MOVE_WAS_MADE",
    InvalidMove: "INVALID_MOVE",
    StalemateCard: "STALEMATE_CARD",
    Logout: "LOGOUT",
    Reconnect: "RECONNECT",
    GameOver: "GAME_OVER",
    Waiting: "WAITING",
    Error: "ERROR",
}
