"""
The messages of the Paper Soccer wire: one frozen class each, with the content of the XML element of this type.

A point is a pair of whole numbers of at most three digits. The rules of the game check whether the point is on the
pitch. The id of a game is text, as in the attribute.
"""

from collections.abc import Mapping
from enum import Enum, IntEnum

from gamehost.wires.framing import Blank, WireMessage
from gamehost.wires.framing import HelpAsked as HelpAsked
from gamehost.wires.framing import NotForServer as NotForServer

#: The names by which a log-in can choose the built-in game, in lower case.
GAME_TYPES = frozenset({"paper soccer", "paper_football", "paper-soccer"})

#: (x, y).
Point = tuple[int, int]


class LoginError(IntEnum):
    """Why a log-in is refused. The values are the ids on the wire."""

    #: The nick is not allowed, or in use.
    NICK = 1
    #: The type of game is unknown.
    GAME_TYPE = 2
    #: The host is full.
    NO_ROOM = 3
    #: This type of game has a master already.
    MASTER = 4
    #: A master's log-in has impossible numbers of players (the least and the most).
    PLAYERS = 5


class Dialect(Enum):
    """How the messages of a connection are read and written. The answer to a log-in decides this."""

    #: Paper Soccer, ruled by the host itself. The content of a move is a list of points.
    BUILT_IN = "built-in"
    #: A game that a remote master rules. The content of a move or state is bytes, which the host passes on without
    #: reading them.
    EXACT = "exact"
    #: Like `EXACT`, but for programs that do not follow the document: the host passes on the elements around the
    #: content, too.
    LOOSE = "loose"


class PlayerLogin(WireMessage, frozen=True):
    """
    Sent by the client: logs in under this nick, to play this type of game. If an attribute is missing, its field is
    empty text.
    """

    nick: str
    game_type: str


class Move(WireMessage, frozen=True):
    """
    Sent by the client: plays the ball to these points, one or more. `game_id` is `None` if the client left it out.
    """

    points: tuple[Point, ...]
    game_id: str | None = None


class ThankYou(WireMessage, frozen=True):
    """Sent by the client: confirms that it has received the end of the game."""

    game_id: str | None = None


class LeaveGame(WireMessage, frozen=True):
    """Sent by the client: leaves the game, and so resigns it."""

    game_id: str | None = None


class Logout(WireMessage, frozen=True):
    """Sent by the client: the player leaves the host."""


class LoginResponse(WireMessage, frozen=True):
    """
    Sent by the server: the answer to a log-in. `error` is `None` if the log-in is accepted; otherwise it is the reason
    of the refusal.
    """

    error: LoginError | None = None
    #: Extension: the reason in words. If it is empty, no reason is sent.
    reason: str = ""
    #: The dialect of the connection after an accepted log-in. It is not sent; the codec needs it.
    dialect: Dialect = Dialect.BUILT_IN


class GameState(WireMessage, frozen=True):
    """
    Sent by the server to both players: the move that was made, and the next player. At the beginning of a game there is
    no move yet.
    """

    game_id: str
    next_player: str
    points: tuple[Point, ...] = ()


class GameOver(WireMessage, frozen=True):
    """
    Sent by the server to both players: the game is over. `points` is the last move, if a legal move ended the game.
    """

    game_id: str
    winner: str
    loser: str
    points: tuple[Point, ...] = ()


class PlayerLeftGame(WireMessage, frozen=True):
    """
    Sent by the server: this player is no longer in the game. Sent to the other players, it is an extension.

    Master: the master removes this player from the game. If the id is missing, it is empty text.
    """

    nick: str
    game_id: str


class ServerShutdown(WireMessage, frozen=True):
    """Sent by the server: the host stops in good order."""


class Error(WireMessage, frozen=True):
    """
    Sent by the server or by the client: something was wrong. The text is an extension. The text of a client's error is
    not stored.
    """

    text: str = ""


class GameMasterLogin(WireMessage, frozen=True):
    """
    Master: logs in, to rule games of this type. All values are text, as they were sent; a missing value is empty text.
    """

    id: str
    game_type: str
    players_min: str
    players_max: str


class RemoteMove(WireMessage, frozen=True):
    """A move in a game with a remote master. Its player sends it to the host, and the host sends it to the master."""

    #: In the loose dialect: all `move` elements, as they were sent. In the exact dialect: the content of the only
    #: `move` element.
    content: bytes
    #: `None`: the game's id was left out.
    game_id: str | None = None


class RemoteState(WireMessage, frozen=True):
    """A state of a game with a remote master. The master sends it to the host, and the host sends it to the players."""

    game_id: str | None
    #: In the loose dialect: the `gameState` element as it was sent, or nothing. In the exact dialect: the content of
    #: this element.
    content: bytes
    #: Empty: the game is over.
    next_player: str = ""
    #: At the end of the game: the nick of each player, and whether this player has won.
    results: tuple[tuple[str, bool], ...] = ()


class BeginGame(WireMessage, frozen=True):
    """Sent by the server to a master: a game begins. The players are in the order in which they joined."""

    game_id: str
    players: tuple[str, ...]


class ChampionsList(WireMessage, frozen=True):
    """
    Sent by the server to the players of a championship: the final table. Each entry is a nick with the numbers of won
    and lost games, the most successful player first.
    """

    players: tuple[tuple[str, int, int], ...]


class Malformed(WireMessage, frozen=True):
    """Well-formed XML that is not a message of this wire. The reason repeats nothing of the XML."""

    reason: str


Message = WireMessage | Blank

#: The messages of a client: value of the attribute `type` -> message.
CLIENT_TYPES: Mapping[str, type] = {
    "playerLogin": PlayerLogin,
    "move": Move,
    "thank you": ThankYou,
    "leaveGame": LeaveGame,
    "logout": Logout,
    "error": Error,
}

#: The types that only the server sends.
SERVER_TYPES = frozenset({"loginResponse", "gameState", "playerLeftGame", "serverShutdown"})

#: The types that only the server sends to the players and masters of remote games.
REMOTE_SERVER_TYPES = frozenset({"loginResponse", "beginGame", "championsList", "serverShutdown"})

#: The description of this port, for clients of other protocols.
SPOKEN = "Paper Soccer in XML messages; log in with a message of type playerLogin"
