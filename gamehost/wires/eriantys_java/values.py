"""
The parts of messages: the enumerations of the published programs, and the classes of their model.

Names are those of the Java program, because they are what is on the wire. The values here are plain trees. Where the Java
objects refer to each other in a circle, a value names the other one: a professor has the nickname of its owner. The module
`graph` makes the circles.
"""

from collections.abc import Mapping
from enum import StrEnum

from attrs import frozen
from msgspec import Struct


class Color(StrEnum):
    """The five kinds of students."""

    YELLOW = "YELLOW"
    BLUE = "BLUE"
    GREEN = "GREEN"
    RED = "RED"
    PINK = "PINK"


class Tower(StrEnum):
    """The colours of towers, and so of teams."""

    BLACK = "BLACK"
    WHITE = "WHITE"
    GREY = "GREY"


class Assistant(StrEnum):
    """The assistants, by their values 1 to 10."""

    TIGER = "TIGER"
    OSTRICH = "OSTRICH"
    ARCHER_CAT = "ARCHER_CAT"
    EAGLE = "EAGLE"
    FOX = "FOX"
    SNAKE = "SNAKE"
    OCTOPUS = "OCTOPUS"
    DOG = "DOG"
    ELEPHANT = "ELEPHANT"
    TURTLE = "TURTLE"


class CharacterEnum(StrEnum):
    """The characters, by their numbers 1 to 12."""

    Char1 = "Char1"
    Char2 = "Char2"
    Char3 = "Char3"
    Char4 = "Char4"
    Char5 = "Char5"
    Char6 = "Char6"
    Char7 = "Char7"
    Char8 = "Char8"
    Char9 = "Char9"
    Char10 = "Char10"
    Char11 = "Char11"
    Char12 = "Char12"


class PlayerStatus(StrEnum):
    """What a player does now."""

    WAITING = "WAITING"
    PLANNING = "PLANNING"
    END_PLANNING = "END_PLANNING"
    MOVE_1 = "MOVE_1"
    END_MOVE_1 = "END_MOVE_1"
    MOVE_2 = "MOVE_2"
    END_MOVE_2 = "END_MOVE_2"
    MOVE_3 = "MOVE_3"


class EndOfGameReason(StrEnum):
    """Why a match has ended, and what decided it."""

    LAST_TOWER_BUILD = "LAST_TOWER_BUILD"
    THREE_ISLANDS_REMAINING_TOWER = "THREE_ISLANDS_REMAINING_TOWER"
    THREE_ISLANDS_REMAINING_PROFESSOR = "THREE_ISLANDS_REMAINING_PROFESSOR"
    THREE_ISLANDS_REMAINING_TIE = "THREE_ISLANDS_REMAINING_TIE"
    LAST_ROUND_TOWER = "LAST_ROUND_TOWER"
    LAST_ROUND_PROFESSOR = "LAST_ROUND_PROFESSOR"
    LAST_ROUND_TIE = "LAST_ROUND_TIE"


class GameInfo(Struct, frozen=True):
    """A game that waits for players or is being played."""

    expertGame: bool
    gameID: int
    numOfTotalPlayers: int
    numOfWaitingPlayers: int


class Bag(Struct, frozen=True):
    """The students that are drawn from. Empty on this wire: their order is a secret."""

    students: tuple[Color, ...] = ()


class Cloud(Struct, frozen=True):
    """A cloud; empty when its students are taken."""

    students: tuple[Color, ...] = ()


class Island(Struct, frozen=True):
    """A group of islands."""

    noEntry: int
    #: How many islands have grown together.
    numUnits: int
    #: More influence in this turn, by nickname.
    extraInfluence: Mapping[str, int]
    students: tuple[Color, ...]
    towerColor: Tower | None


class Professor(Struct, frozen=True):
    """A colour's professor."""

    color: Color
    #: The nickname of its holder.
    owner: str | None


class DiningRoom(Struct, frozen=True):
    """A dining room. In Java it also refers to its school board."""

    #: Whether coins are earned here: the expert game.
    enableCoins: bool
    students: Mapping[Color, int]


class Entrance(Struct, frozen=True):
    """An entrance."""

    students: tuple[Color, ...] = ()


class SchoolBoard(Struct, frozen=True):
    """A player's school board."""

    coins: int
    #: Towers left to build.
    numTower: int
    diningRoom: DiningRoom
    entrance: Entrance
    #: In Java these are the professors themselves.
    professors: tuple[Color, ...]
    towerColor: Tower | None


@frozen
class Player:
    """A player."""

    #: 1 to 4; 0: none.
    wizardID: int
    #: The hand. Empty on this wire: hands are secret.
    availableAssistants: tuple[Assistant, ...]
    chosenCloud: Cloud | None
    nickname: str
    playedAssistant: Assistant | None
    schoolBoard: SchoolBoard
    status: PlayerStatus | None


class CharacterCard(Struct, frozen=True):
    """A character on the table. In Java each character has a class of its own, without fields, over this one."""

    #: What it costs now.
    cost: int
    #: Whether it was used in this turn.
    isActive: bool
    noEntryTiles: int
    #: The nickname of who has used it in this turn.
    UsedBy: str | None
    description: str
    #: `None` except for characters 1, 7 and 11.
    students: tuple[Color, ...] | None
    value: CharacterEnum


class Dashboard(Struct, frozen=True):
    """What is on the table between the players."""

    #: 2 while character 4 works.
    additionalMNMovements: int
    #: While character 6 works.
    doNotCountTowers: bool
    #: Counted from 0.
    motherNaturePosition: int
    bag: Bag
    #: Three; `None` each in the normal game.
    characters: tuple[CharacterCard | None, ...]
    clouds: tuple[Cloud, ...]
    #: While character 9 works.
    doNotCountColor: Color | None
    islands: tuple[Island, ...]
    #: The character that works; in Java the same object as in `characters`.
    playedCharacter: CharacterEnum | None
    professors: tuple[Professor, ...]
