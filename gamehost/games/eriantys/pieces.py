"""
What is in the box: colours, towers, characters, and how much of everything each number of players uses. All numbers
are the rulebook's.

Students are never told apart but by colour, so any heap of them (a bag, a cloud, an entrance) is five counts.
"""

from collections.abc import Mapping
from enum import Enum, IntEnum, StrEnum

from attrs import frozen


class Colour(IntEnum):
    """The five kinds of students; the value is the place of its count in a heap."""

    YELLOW = 0
    BLUE = 1
    GREEN = 2
    RED = 3
    PINK = 4


class Tower(IntEnum):
    """The colours of towers, which are the names of the teams."""

    BLACK = 0
    WHITE = 1
    GREY = 2


class Character(IntEnum):
    """The twelve characters, numbered as the rulebook shows them."""

    MONK = 1
    FARMER = 2
    HERALD = 3
    MESSENGER = 4
    HERBALIST = 5
    CENTAUR = 6
    JESTER = 7
    KNIGHT = 8
    HARVESTER = 9
    MINSTREL = 10
    PRINCESS = 11
    THIEF = 12


class Status(StrEnum):
    """What a player is doing, in the words of the protocol."""

    WAITING = "WAITING"
    PLANNING = "PLANNING"
    MOVE_1 = "MOVE_1"
    END_MOVE_1 = "END_MOVE_1"
    MOVE_2 = "MOVE_2"
    END_MOVE_2 = "END_MOVE_2"
    MOVE_3 = "MOVE_3"
    WIN = "WIN"
    LOSE = "LOSE"


class PlanningOrder(Enum):
    """Who plays an assistant first from the second round on (D-R1)."""

    #: The action order of the round before.
    PREVIOUS = "previous"
    #: The rulebook's own: clockwise from the player who acted first in the round before.
    CLOCKWISE = "clockwise"


#: Students by colour: five counts.
Students = tuple[int, ...]

NO_STUDENTS: Students = (0, 0, 0, 0, 0)
STUDENTS_OF_A_COLOUR = 26
#: How many students of each colour the islands' students are drawn from. The others go into the bag.
STUDENTS_FOR_ISLANDS = 2
ISLANDS = 12
ASSISTANTS = tuple(range(1, 11))
WIZARDS = (1, 2, 3, 4)
#: Seats of one table in a dining room.
TABLE_SEATS = 10
#: A student placed on one of these seats earns a coin.
COIN_SEATS = frozenset((3, 6, 9))
COINS = 20
#: Characters laid out for an expert game.
CHARACTERS_IN_PLAY = 3
#: With so many groups of islands, or fewer, the match ends.
LAST_GROUPS = 3


@frozen
class Mode:
    """What a number of players changes."""

    seats: int
    #: Places in each team, by tower colour.
    places: tuple[int, ...]
    #: Towers of each team.
    towers: int
    #: Students in an entrance between turns.
    entrance: int
    #: Students moved in a turn, and students laid on each cloud.
    moves: int


MODES: Mapping[int, Mode] = {
    2: Mode(seats=2, places=(1, 1), towers=8, entrance=7, moves=3),
    3: Mode(seats=3, places=(1, 1, 1), towers=6, entrance=9, moves=4),
    4: Mode(seats=4, places=(2, 2), towers=8, entrance=7, moves=3),
}


def plus(students: Students, colour: Colour, count: int = 1) -> Students:
    """A heap with more (or fewer: a negative count) students of one colour."""
    counts = list(students)
    counts[colour] += count
    return tuple(counts)


def together(one: Students, other: Students) -> Students:
    """Two heaps in one."""
    return tuple(map(sum, zip(one, other, strict=True)))


def steps_of(assistant: int) -> int:
    """How far an assistant lets Mother Nature walk."""
    return (assistant + 1) // 2
