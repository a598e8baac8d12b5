"""
The messages of the wire: one frozen class each, with the content of the element of that type.

A point is a pair of whole numbers of at most three digits. The rules find out whether it is on the pitch. The id of a
game is text, as in the attribute.
"""

from collections.abc import Mapping
from enum import Enum, IntEnum

from gamehost.wires.framing import Blank, WireMessage
from gamehost.wires.framing import HelpAsked as HelpAsked
from gamehost.wires.framing import NotForServer as NotForServer

#: The names of the built-in game in a log-in, in lower case.
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
    #: This type of game has a master.
    MASTER = 4
    #: The least and the most players are no numbers that a game can have.
    PLAYERS = 5


class Dialect(Enum):
    """The way in which the messages of a connection are read and written. The answer to a log-in decides it."""

    #: Paper Soccer, with the host as the master. Contents are points.
    BUILT_IN = "built-in"
    #: A game of a remote master. Contents are bytes that the host never reads.
    EXACT = "exact"
    #: The same for programs that do not keep to the document: the elements around the contents are passed on, too.
    LOOSE = "loose"


class PlayerLogin(WireMessage, frozen=True):
    """Client: log in under this nick, to play this type of game. A missing attribute is empty text."""

    nick: str
    game_type: str


class Move(WireMessage, frozen=True):
    """Client: play the ball to these points, one or more. `None`: the game's id was left out."""

    points: tuple[Point, ...]
    game_id: str | None = None


class ThankYou(WireMessage, frozen=True):
    """Client: the end of the game was seen."""

    game_id: str | None = None


class LeaveGame(WireMessage, frozen=True):
    """Client: the game is given up."""

    game_id: str | None = None


class Logout(WireMessage, frozen=True):
    """Client: the player leaves."""


class LoginResponse(WireMessage, frozen=True):
    """Server: the log-in is accepted (`None`), or why not."""

    error: LoginError | None = None
    #: Extension: the reason in words; empty: none is sent.
    reason: str = ""
    #: Not sent: the dialect of the connection after an accepted log-in.
    dialect: Dialect = Dialect.BUILT_IN


class GameState(WireMessage, frozen=True):
    """Server, to both: the move that was made (none before the first), and the next player."""

    game_id: str
    next_player: str
    points: tuple[Point, ...] = ()


class GameOver(WireMessage, frozen=True):
    """Server, to both: the last move, if a legal one ended the game, and how the game ended."""

    game_id: str
    winner: str
    loser: str
    points: tuple[Point, ...] = ()


class PlayerLeftGame(WireMessage, frozen=True):
    """
    Server: this player is out of the game. To other players it is an extension.

    Master: the same, for a player whom the master puts out. A missing id is empty text.
    """

    nick: str
    game_id: str


class ServerShutdown(WireMessage, frozen=True):
    """Server: the host stops in good order."""


class Error(WireMessage, frozen=True):
    """Either side: something was wrong. The text is an extension. The text of a client is not kept."""

    text: str = ""


class GameMasterLogin(WireMessage, frozen=True):
    """Master: games of this type are ruled here. All values are text as they were sent; a missing one is empty."""

    id: str
    game_type: str
    players_min: str
    players_max: str


class RemoteMove(WireMessage, frozen=True):
    """A move in a game with a remote master: from its player, and to the master."""

    #: In the loose dialect all `move` elements as they were sent; else the contents of the one.
    content: bytes
    #: `None`: the game's id was left out.
    game_id: str | None = None


class RemoteState(WireMessage, frozen=True):
    """A state of a game with a remote master: from the master, and to the players."""

    game_id: str | None
    #: In the loose dialect the `gameState` element as it was sent, or nothing; else its contents.
    content: bytes
    #: Empty: the game is over.
    next_player: str = ""
    #: At the end, each player by nick, and whether they have won.
    results: tuple[tuple[str, bool], ...] = ()


class BeginGame(WireMessage, frozen=True):
    """Server, to a master: a game begins. The players are in the order in which they came."""

    game_id: str
    players: tuple[str, ...]


class ChampionsList(WireMessage, frozen=True):
    """Server, to the players of a championship: all of them in the order of success, with games won and lost."""

    players: tuple[tuple[str, int, int], ...]


class Malformed(WireMessage, frozen=True):
    """Well-formed XML that is no message of this wire. The reason repeats nothing of it."""

    reason: str


Message = WireMessage | Blank

#: The messages of a client: `type` -> message.
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
