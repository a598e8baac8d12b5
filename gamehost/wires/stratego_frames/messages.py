"""
The messages of the Stratego wire in binary frames: one frozen class each, named as in the document, with the fields of
its payload in the document's order.

A message contains its payload even if the payload is not valid. The conversation decides which messages it accepts in
which state. `Move` is one class for both directions: the payload is the same, only the frame type differs.
"""

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from gamehost.wires.framing import tags_of


class FromServer(Struct, frozen=True):
    """The base of all messages of the server. The tag of a message is its frame type."""


class SignOn(Struct, frozen=True):
    """Sent by the client, type 1: logs in under this name."""

    #: `None`: the payload is not "modified UTF-8", the encoding of Java.
    username: str | None


class Setup(Struct, frozen=True):
    """
    Sent by the client, type 2: puts a piece on a square. `x` is the column and `y` the row, from 0 to 9 if they are
    valid.
    """

    piece: str
    x: int
    y: int


class Ready(Struct, frozen=True):
    """Sent by the client, type 3: the player has placed all pieces."""

    #: The payload. It should be `ready`. It is empty text if the payload cannot be decoded.
    text: str = "ready"


class Move(FromServer, frozen=True, tag=6):
    """
    Sent by the client, type 4: moves a piece. Sent by the server, type 6, to both players: a piece has moved to an
    empty square.
    """

    x: int
    y: int
    to_x: int
    to_y: int


class Wait(FromServer, frozen=True, tag=1):
    """Sent by the server, type 1: you wait, because there is no other player yet."""


class Connected(FromServer, frozen=True, tag=2):
    """Sent by the server, type 2: there is another player now, and both begin to place their pieces."""


class PlacementValid(FromServer, frozen=True, tag=3):
    """Sent by the server, type 3: your piece is placed."""


class PlacementInvalid(FromServer, frozen=True, tag=4):
    """Sent by the server, type 4: a `Setup` or a `Ready` was not accepted."""


class Playing(FromServer, frozen=True, tag=5):
    """Sent by the server, type 5: both players are ready. The player with this name moves first."""

    username: str


class Board(FromServer, frozen=True, tag=7):
    """
    Sent by the server, type 7: the board as the receiver may see it. It is 100 characters, in the order (0,0) (1,0)
    (2,0) ... (9,9).
    """

    squares: str


class MoveInvalid(FromServer, frozen=True, tag=8):
    """Sent by the server, type 8: your move was not accepted."""


class Battle(FromServer, frozen=True, tag=9):
    """
    Sent by the server, type 9, to both players: a piece has attacked another one. It is sent instead of the `Move`.
    """

    #: The name of the player that owns the surviving piece; `tie` if no piece survived.
    winner: str
    attacker: str
    defender: str


class GameOver(FromServer, frozen=True, tag=10):
    """
    Sent by the server, type 10, to both players: the match is over. `winner` is a player's name, or `tie` for a draw
    (an extension).
    """

    winner: str


class Error(FromServer, frozen=True, tag=15):
    """Sent by the server, type 15, extension: what was wrong, or why the server closes the connection."""

    reason: str


class Side(FromServer, frozen=True, tag=16):
    """Sent by the server, type 16, extension: which rows of the board belong to the receiver."""

    #: `1`: the first player, rows 0 to 3. `2`: the second player, rows 6 to 9.
    side: str


class Resign(Struct, frozen=True):
    """Sent by the client, type 17, extension: resigns the match. It has no payload."""


FromClient: TypeAlias = SignOn | Setup | Ready | Move | Resign
Message: TypeAlias = FromClient | FromServer

#: The messages of a client in the document: frame type -> message.
DOCUMENTED_FRAMES: Mapping[int, type] = {1: SignOn, 2: Setup, 3: Ready, 4: Move}

#: All messages of a client, with the extensions: frame type -> message.
CLIENT_FRAMES: Mapping[int, type] = {**DOCUMENTED_FRAMES, 17: Resign}

#: The messages of the server: message -> frame type.
SERVER_FRAMES = tags_of(FromServer)
