"""
The events of a master. Each event is made for its audience: where something is hidden, every seat has its own event.

`next` in an event of play is the seat that has to move now; it is `None` when play is over, and an `Over` follows.
"""

from enum import Enum
from typing import TypeAlias

from attrs import field, frozen
from msgspec import Struct

from gamehost.games.base import Result, Seat
from gamehost.games.stratego.actions import Move
from gamehost.games.stratego.rules import Survivor, Walk


@frozen
class Opened:
    """The match has begun with the set-up: both players place their pieces. To everyone."""

    #: In how many turns in a row a piece may cross the same border; 0: in any number. No wire tells it.
    two_squares: int = field(default=3, repr=False)


class Placed(Struct, frozen=True, gc=False):
    """One piece has been placed. To that player."""

    piece: str
    x: int
    y: int


class PlacedAll(Struct, frozen=True, gc=False):
    """All forty pieces have been placed. To that player."""

    rows: tuple[str, ...]


class ReadySet(Struct, frozen=True, gc=False):
    """A player is ready. To everyone."""

    seat: Seat


class Playing(Struct, frozen=True, gc=False):
    """Both are ready; play begins. To everyone; a `Board` for each seat follows."""

    first: Seat
    #: As `first`, unless there is no move to begin with.
    next: Seat | None


class Board(Struct, frozen=True, gc=False):
    """
    The board after what was just said, as one seat may know it. To that seat.

    After every `Playing`, `Moved` and `Fought` there is one for each seat.
    """

    #: 100 characters, (0,0) (1,0) (2,0) ... (9,9): own pieces by id, `#` enemy, `.` empty, `~` lake.
    squares: str


class Moved(Struct, frozen=True, gc=False):
    """A piece moved onto an empty square. To everyone."""

    seat: Seat
    move: Move
    next: Seat | None


class Fought(Struct, frozen=True, gc=False):
    """
    A piece attacked another. To everyone.

    This is the one event that names kinds of both sides; boards made later hide the enemy's survivor again.
    """

    seat: Seat
    move: Move
    attacker: str
    defender: str
    winner: Survivor
    next: Seat | None


class Over(Struct, frozen=True, gc=False):
    """The match is over. To everyone."""

    result: Result
    #: Who made the last move; `None`: nobody did.
    last: Seat | None


class Phase(Enum):
    """How far a match is."""

    SETUP = "setup"
    PLAY = "play"
    OVER = "over"


@frozen
class Situation:
    """All that one seat (`None`: a watcher) may know at a moment: what `view` gives."""

    seat: Seat | None
    phase: Phase
    #: As in `Board`. During the set-up own pieces only; a watcher sees `r` and `b` for the sides' pieces.
    squares: str
    #: By seat, whether it is ready; both are during play.
    ready: tuple[bool, bool]
    #: Who has to move; `None` but in play.
    turn: Seat | None
    result: Result | None
    #: What the seat's latest piece has crossed, for the two-squares rule; `None`: a watcher, or it is not known.
    walk: Walk | None = field(default=None, repr=False)
    #: Whether this seat has placed pieces one by one. Then it cannot place all at once.
    singly: bool = field(default=False, repr=False)


Event: TypeAlias = Opened | Placed | PlacedAll | ReadySet | Playing | Board | Moved | Fought | Over | Situation
