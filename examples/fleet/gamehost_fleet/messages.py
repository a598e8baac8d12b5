"""Fleet as JSON. The master has these messages as its own views, events and actions."""

from msgspec import Struct

from gamehost.games.messages import ActionMessage, EventMessage, SameMessages


class View(Struct, frozen=True):
    """
    What a seat or a watcher knows. Rows go from the top down: `x` is a hit, `o` a miss, `.` unknown water. Watchers see the
    waters of seat 1 in `board`, and those of seat 0 in `own`.
    """

    #: The waters of the other player.
    board: tuple[str, ...]
    #: The own waters.
    own: tuple[str, ...]
    #: The own ships, each by its two ends.
    fleet: tuple[str, ...]
    #: How many ships each seat has placed.
    placed: tuple[int, int]
    #: The length of each ship.
    ships: tuple[int, ...]
    #: The seat that places a ship or shoots next.
    turn: int


class Begun(EventMessage, frozen=True, tag="begun"):
    """The players place ships of these lengths by turns, each in waters with so many squares on each side."""

    size: int
    ships: tuple[int, ...]


class Placed(EventMessage, frozen=True, tag="placed"):
    """A seat has placed its next ship."""

    seat: int


class Own(EventMessage, frozen=True, tag="own"):
    """Where that ship lies, to its player alone."""

    ship: str


class Shot(EventMessage, frozen=True, tag="shot"):
    """A seat has shot at a square of the other player."""

    seat: int
    square: str
    hit: bool


class Place(ActionMessage, frozen=True, tag="place"):
    """Place the next ship: its left or lower end, and the other one. `a1 c1`."""

    ship: str


class Shoot(ActionMessage, frozen=True, tag="shoot"):
    """Shoot at a square."""

    square: str


MESSAGES = SameMessages(View, Begun | Placed | Own | Shot, Place | Shoot)
