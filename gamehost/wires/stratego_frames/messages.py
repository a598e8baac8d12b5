"""
The messages of the wire: one frozen class each, named as in the document, with its payload in its order.

A message has its payload, valid or not. The conversation decides what is accepted in which state. `Move` is one class
for both directions: the payload is the same, the frame type is not.
"""

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from gamehost.wires.framing import tags_of


class FromServer(Struct, frozen=True):
    """The base of what the server says. The tag of a message is its frame type."""


class SignOn(Struct, frozen=True):
    """Client, type 1: log in under this name."""

    #: `None`: the payload is not modified UTF-8.
    username: str | None


class Setup(Struct, frozen=True):
    """Client, type 2: put a piece on a square. Column x and row y, from 0 to 9 if they are valid."""

    piece: str
    x: int
    y: int


class Ready(Struct, frozen=True):
    """Client, type 3: all pieces are placed."""

    #: The payload, expected to be `ready`; empty if it cannot be read.
    text: str = "ready"


class Move(FromServer, frozen=True, tag=6):
    """Client, type 4: move a piece. Server, type 6, to both: a piece was moved, and nothing stood there."""

    x: int
    y: int
    to_x: int
    to_y: int


class Wait(FromServer, frozen=True, tag=1):
    """Server, type 1: there is no other player yet."""


class Connected(FromServer, frozen=True, tag=2):
    """Server, type 2: another player is there; the set-up begins."""


class PlacementValid(FromServer, frozen=True, tag=3):
    """Server, type 3: the piece is placed."""


class PlacementInvalid(FromServer, frozen=True, tag=4):
    """Server, type 4: a placement, or a ready, was not accepted."""


class Playing(FromServer, frozen=True, tag=5):
    """Server, type 5: both are ready; this player moves first."""

    username: str


class Board(FromServer, frozen=True, tag=7):
    """Server, type 7: the board as its receiver may see it, 100 characters: (0,0) (1,0) (2,0) ... (9,9)."""

    squares: str


class MoveInvalid(FromServer, frozen=True, tag=8):
    """Server, type 8: the move was not accepted."""


class Battle(FromServer, frozen=True, tag=9):
    """Server, type 9, to both: a piece attacked another. Replaces the `Move`."""

    #: The owner of the piece that is left, or `tie`.
    winner: str
    attacker: str
    defender: str


class GameOver(FromServer, frozen=True, tag=10):
    """Server, type 10, to both: who won (`tie`: nobody, an extension)."""

    winner: str


class Error(FromServer, frozen=True, tag=15):
    """Server, type 15, extension: what was wrong, or why the connection ends."""

    reason: str


class Side(FromServer, frozen=True, tag=16):
    """Server, type 16, extension: which rows are the receiver's."""

    #: `1`: the first player, rows 0 to 3. `2`: the second player, rows 6 to 9.
    side: str


class Resign(Struct, frozen=True):
    """Client, type 17, extension: give the game up. No payload."""


FromClient: TypeAlias = SignOn | Setup | Ready | Move | Resign
Message: TypeAlias = FromClient | FromServer

#: Frame type -> message, for what a client sends: the document's frames.
DOCUMENTED_FRAMES: Mapping[int, type] = {1: SignOn, 2: Setup, 3: Ready, 4: Move}

#: The same with the extensions.
CLIENT_FRAMES: Mapping[int, type] = {**DOCUMENTED_FRAMES, 17: Resign}

#: Message -> frame type, for what the server sends.
SERVER_FRAMES = tags_of(FromServer)
