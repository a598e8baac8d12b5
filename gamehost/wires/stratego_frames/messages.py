"""
The messages of the wire: one frozen class each, named as in the document, with its payload in its order.

A message holds what the payload says, sensible or not; what may be said when is for the conversation. `Move` is one class
for both directions: the payload is the same, the frame type is not.
"""

from collections.abc import Mapping
from typing import TypeAlias

from attrs import frozen


@frozen
class SignOn:
    """Client, type 1: come in under this name."""

    #: `None`: what stands there is not modified UTF-8.
    username: str | None


@frozen
class Setup:
    """Client, type 2: put a piece on a square. Column x and row y, from 0 to 9 where they are sensible."""

    piece: str
    x: int
    y: int


@frozen
class Ready:
    """Client, type 3: all pieces are placed."""

    #: What the payload says, which ought to be `ready`; empty where it cannot be read.
    text: str = "ready"


@frozen
class Move:
    """Client, type 4: move a piece. Server, type 6, to both: a piece was moved, and nothing stood there."""

    x: int
    y: int
    to_x: int
    to_y: int


@frozen
class Wait:
    """Server, type 1: nobody to play with yet."""


@frozen
class Connected:
    """Server, type 2: another player is there; the set-up begins."""


@frozen
class PlacementValid:
    """Server, type 3: the piece stands."""


@frozen
class PlacementInvalid:
    """Server, type 4: a placement, or a ready, was not accepted."""


@frozen
class Playing:
    """Server, type 5: both are ready; this player moves first."""

    username: str


@frozen
class Board:
    """Server, type 7: the board as its receiver may see it, 100 characters: (0,0) (1,0) (2,0) ... (9,9)."""

    squares: str


@frozen
class MoveInvalid:
    """Server, type 8: the move was not accepted."""


@frozen
class Battle:
    """Server, type 9, to both: a piece struck another. In place of a `Move`."""

    #: Whose piece is left, or `tie`.
    winner: str
    attacker: str
    defender: str


@frozen
class GameOver:
    """Server, type 10, to both: who won (`tie`: nobody, an extension)."""

    winner: str


@frozen
class Error:
    """Server, type 15, extension: what was wrong, or why the connection ends."""

    reason: str


@frozen
class Side:
    """Server, type 16, extension: which rows are the receiver's."""

    #: `1`: the first player, rows 0 to 3. `2`: the second player, rows 6 to 9.
    side: str


@frozen
class Resign:
    """Client, type 17, extension: give the game up. No payload."""


FromClient: TypeAlias = SignOn | Setup | Ready | Move | Resign
FromServer: TypeAlias = (
    Wait
    | Connected
    | PlacementValid
    | PlacementInvalid
    | Playing
    | Move
    | Board
    | MoveInvalid
    | Battle
    | GameOver
    | Error
    | Side
)
Message: TypeAlias = FromClient | FromServer

#: Frame type -> message, for what a client sends: the document's frames.
DOCUMENTED_FRAMES: Mapping[int, type] = {1: SignOn, 2: Setup, 3: Ready, 4: Move}

#: The same with the extensions.
CLIENT_FRAMES: Mapping[int, type] = {**DOCUMENTED_FRAMES, 17: Resign}

#: Message -> frame type, for what the server sends.
SERVER_FRAMES: Mapping[type, int] = {
    Wait: 1,
    Connected: 2,
    PlacementValid: 3,
    PlacementInvalid: 4,
    Playing: 5,
    Move: 6,
    Board: 7,
    MoveInvalid: 8,
    Battle: 9,
    GameOver: 10,
    Error: 15,
    Side: 16,
}
