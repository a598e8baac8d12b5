"""
What a game master is: the referee of one match, between a table and the rules of a game.

A master is deterministic: the same game, options, chance outcomes and entries give the same events. It reads no
clock (time comes in as `now` and goes out as `deadline`), draws no chance of its own (`Chance` is handed in), and knows
no wire. Times are whole milliseconds on the table's own clock, which starts at 0 and stands still while nobody is
there.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Generic, NewType, Protocol, TypeVar, runtime_checkable

from attrs import frozen

from gamehost.games.chance import Chance
from gamehost.settings import Settings

A = TypeVar("A")
E_co = TypeVar("E_co", covariant=True)
A_contra = TypeVar("A_contra", contravariant=True)
T = TypeVar("T")

#: A place at a table, counted from 0 in the order in which the players came.
Seat = NewType("Seat", int)


class IllegalAction(Exception):
    """The rules refuse; nothing has changed. The message says what was wrong and what was expected."""


@frozen
class To(Generic[E_co]):
    """
    An event and who may know it.

    An event that holds a secret is made for the seats that may know it; it is never cut down afterwards.
    """

    event: E_co
    #: The seats that are told; `None`: everyone, seats and watchers.
    audience: tuple[Seat, ...] | None = None


class Cause(Enum):
    """Why a match ended."""

    RULES = "rules"
    #: A seat was given up, or its player did not come back in time.
    LEFT = "left"
    #: The time for one decision ran out.
    TIME = "time"
    #: The rules make an illegal move a loss.
    VIOLATION = "violation"


@frozen
class Result:
    """How a match ended: the winning seats (none: a draw; several: partners, or a shared victory) and why."""

    winners: tuple[Seat, ...]
    cause: Cause
    #: For people: a few words such as `master taken`. Holds no secret.
    why: str


class GameMaster(Protocol[A_contra, E_co]):
    """The referee of one match. Every method that returns events has finished its work when it returns."""

    @property
    def deadline(self) -> int | None:
        """When `expire` is due, or `None`."""

    @property
    def result(self) -> Result | None:
        """How the match ended, or `None` while it goes on."""

    def begin(self, now: int) -> Sequence[To[E_co]]:
        """Open the match. Called once, before anything else."""

    def act(self, seat: Seat, action: A_contra, now: int) -> Sequence[To[E_co]]:
        """
        Do what a seat wants.

        :raises IllegalAction: the rules refuse, or it is not this seat's turn; nothing has changed, nothing was drawn
        """

    def forfeit(self, seat: Seat, now: int) -> Sequence[To[E_co]]:
        """This seat's player has left for good. Called only while there is no result."""

    def expire(self, now: int) -> Sequence[To[E_co]]:
        """The deadline has passed. Called only while there is one and no result."""

    def view(self, seat: Seat | None) -> E_co:
        """What this seat (`None`: a watcher) needs to come in now, and nothing that it may not know."""

    def state(self) -> object:
        """
        All that decides how the match goes on, hidden things too, beside `deadline` and `result`: for checks of a replay,
        and for nobody's eyes. Made of what `gamehost.journal.fingerprint.canonical_text` takes, and the same for as long as
        `Game.version` is.
        """


class Game(Protocol[A, E_co]):
    """A game that can be played here: the token that tables, journal and wires name it by."""

    @property
    def name(self) -> str:
        """Lower case, for settings and the journal: `onitama`."""

    @property
    def version(self) -> int:
        """Of its rules; a journal replays only under the version it was written with."""

    @property
    def least_seats(self) -> int: ...

    @property
    def most_seats(self) -> int: ...

    @property
    def options(self) -> Mapping[str, str]:
        """Every setting by name, with its unit and default in words. All games have `move_time`, in seconds."""

    def check(self, settings: Settings) -> None:
        """
        :raises BadOption: a setting is unknown or cannot be used
        """

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> GameMaster[A, E_co]:
        """
        A master for one match of so many seats. Draws nothing: that is for `GameMaster.begin`.

        :raises BadOption: as `check`
        """

    def write(self, action: A) -> bytes:
        """An action in the game's own notation, for the journal: printable UTF-8, one line."""

    def read(self, notation: bytes) -> A:
        """
        The inverse of `write`.

        :raises ValueError: not this game's notation
        """


@runtime_checkable
class Drawable(Protocol[A_contra]):
    """A game that can make a picture of a match, over or not. A game need not; one that does says so by its `draw`."""

    def draw(self, names: Sequence[str], drawn: Sequence[int], actions: Sequence[A_contra], caption: str) -> str:
        """
        All that happened, as an SVG document.

        :param names: of the players, in the order of the seats
        :param drawn: what chance gave to `GameMaster.begin`
        :param actions: all that were accepted, in order
        :param caption: how the match ended, in words; empty: it goes on
        :raises ValueError: no match of this game began like that
        """
