"""
The messages of the wire: one frozen class each, with what the document's element of that type says.

Points are pairs of whole numbers, of any size that the notation allows; whether they are on the pitch is for the rules.
A game's id is text, as it stands in the attribute.
"""

from collections.abc import Mapping
from enum import IntEnum

from attrs import frozen

from gamehost.wires.framing import Blank

#: (x, y).
Point = tuple[int, int]


class LoginError(IntEnum):
    """Why a log-in is refused. The values are the ids on the wire."""

    #: The nick cannot be, or is somebody else's now.
    NICK = 1
    #: The type of game is unknown.
    GAME_TYPE = 2
    #: The host is full.
    NO_ROOM = 3


@frozen
class PlayerLogin:
    """Client: log in under this nick, to play this type of game. What is missing is empty."""

    nick: str
    game_type: str


@frozen
class Move:
    """Client: play the ball to these points, one or more. `None`: the game's id was left out."""

    points: tuple[Point, ...]
    game_id: str | None = None


@frozen
class ThankYou:
    """Client: the end of the game was seen."""

    game_id: str | None = None


@frozen
class LeaveGame:
    """Client: the game is given up."""

    game_id: str | None = None


@frozen
class Logout:
    """Client: the player leaves."""


@frozen
class LoginResponse:
    """Server: the log-in is accepted (`None`), or why not."""

    error: LoginError | None = None


@frozen
class GameState:
    """Server, to both: the move that was made (none before the first), and who is next."""

    game_id: str
    next_player: str
    points: tuple[Point, ...] = ()


@frozen
class GameOver:
    """Server, to both: the last move, if a legal one ended the game, and how the game ended."""

    game_id: str
    winner: str
    loser: str
    points: tuple[Point, ...] = ()


@frozen
class PlayerLeftGame:
    """Server, extension: the other player is gone, for now or for good."""

    nick: str
    game_id: str


@frozen
class ServerShutdown:
    """Server: the host stops in good order."""


@frozen
class Error:
    """Either side: something was wrong. The text is an extension; a client's is not kept."""

    text: str = ""


@frozen
class NotForServer:
    """A message that only the server sends, sent by a client."""

    type: str


@frozen
class Malformed:
    """Well-formed XML that is none of this wire's messages. Says why, in words that hold nothing of it."""

    reason: str


Message = (
    PlayerLogin
    | Move
    | ThankYou
    | LeaveGame
    | Logout
    | LoginResponse
    | GameState
    | GameOver
    | PlayerLeftGame
    | ServerShutdown
    | Error
    | NotForServer
    | Malformed
    | Blank
)

#: What a client sends: `type` -> message.
CLIENT_TYPES: Mapping[str, type] = {
    "playerLogin": PlayerLogin,
    "move": Move,
    "thank you": ThankYou,
    "leaveGame": LeaveGame,
    "logout": Logout,
    "error": Error,
}

#: What only the server sends.
SERVER_TYPES = frozenset({"loginResponse", "gameState", "playerLeftGame", "serverShutdown"})
