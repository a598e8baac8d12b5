"""
The parts of messages: the wire's enumerations, and the values that have keys of their own.

The names of fields are the keys on the wire. The classes have no slots, because msgspec then writes the keys in the order of
the fields. All keys are always present; `None` is `null` on the wire.
"""

from collections.abc import Mapping
from enum import StrEnum

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


class PlayerStatus(StrEnum):
    """What a player does now, and at the end how the match ended."""

    WAITING = "WAITING"
    PLANNING = "PLANNING"
    MOVE_1 = "MOVE_1"
    END_MOVE_1 = "END_MOVE_1"
    MOVE_2 = "MOVE_2"
    END_MOVE_2 = "END_MOVE_2"
    MOVE_3 = "MOVE_3"
    WIN = "WIN"
    LOSE = "LOSE"


class Communication(StrEnum):
    """The values of a CommunicationMessage."""

    ENTER_NICKNAME = "ENTER_NICKNAME"
    SUCCESS = "SUCCESS"
    UNIFIED_ISLANDS = "UNIFIED_ISLANDS"
    #: Extension: a no-entry tile stopped the count and is back on its card.
    NO_ENTRY_TILE_ON_ISLAND = "NO_ENTRY_TILE_ON_ISLAND"
    #: Extension: the match ends with this round.
    LAST_ROUND = "LAST_ROUND"
    CLOSING_GAME = "CLOSING_GAME"


class Error(StrEnum):
    """The values of an ErrorMessage."""

    TAKEN_NICKNAME = "TAKEN_NICKNAME"
    NICKNAME_TOO_LONG = "NICKNAME_TOO_LONG"
    INVALID_NICKNAME = "INVALID_NICKNAME"
    INVALID_SETTINGS = "INVALID_SETTINGS"
    GAME_NOT_FOUND = "GAME_NOT_FOUND"
    FULL_GAME = "FULL_GAME"
    TOWER_NOT_AVAILABLE = "TOWER_NOT_AVAILABLE"
    WIZARD_NOT_AVAILABLE = "WIZARD_NOT_AVAILABLE"
    #: Played by another in this round.
    INVALID_ASSISTANT = "INVALID_ASSISTANT"
    #: Not in the hand.
    UNAVAILABLE_ASSISTANT = "UNAVAILABLE_ASSISTANT"
    STUDENT_NOT_AVAILABLE = "STUDENT_NOT_AVAILABLE"
    FULL_DINING_ROOM = "FULL_DINING_ROOM"
    EMPTY_CLOUD = "EMPTY_CLOUD"
    WRONG_TURN = "WRONG_TURN"
    #: Not now.
    INVALID_ACTION = "INVALID_ACTION"
    INVALID_INPUT = "INVALID_INPUT"
    NOT_ENOUGH_COINS = "NOT_ENOUGH_COINS"
    ALREADY_PLAYED_CHARACTER = "ALREADY_PLAYED_CHARACTER"
    ZERO_NO_ENTRY_TILES_LEFT = "ZERO_NO_ENTRY_TILES_LEFT"
    CHARACTER_NOT_IN_GAME = "CHARACTER_NOT_IN_GAME"
    CHARACTER_NOT_USABLE = "CHARACTER_NOT_USABLE"
    NOT_EXPERT_MODE = "NOT_EXPERT_MODE"


class Students(Struct, frozen=True):
    """How many students of each colour."""

    YELLOW: int
    BLUE: int
    GREEN: int
    RED: int
    PINK: int


class GameInfo(Struct, frozen=True):
    """A game that waits for players or is being played."""

    gameId: int
    waitingPlayers: int
    totalPlayers: int
    expertMode: bool


class Player(Struct, frozen=True):
    """A player's school board and the cards and coins beside it."""

    nickname: str
    tower: Tower | None
    #: 1 to 4.
    wizard: int | None
    towersLeft: int
    #: Whether the team's towers are on this board.
    towerHolder: bool
    entrance: Students
    diningRoom: Students
    professors: tuple[Color, ...]
    #: `None` in the normal game.
    coins: int | None
    assistantsLeft: int
    #: `None` from the beginning of a planning phase until the player has played.
    playedAssistant: int | None


class Island(Struct, frozen=True):
    """A group of merged islands. At first each group is one island."""

    #: Its current number in the circle, from 1.
    number: int
    #: Its islands, by the numbers 1 to 12 that they had at first.
    members: tuple[int, ...]
    students: Students
    tower: Tower | None
    towers: int
    noEntryTiles: int


class Character(Struct, frozen=True):
    """A character on the table."""

    #: 1 to 12.
    character: int
    #: What it costs now.
    cost: int
    used: bool
    #: `None` except for characters 1, 7 and 11.
    students: Students | None
    #: `None` except for character 5.
    noEntryTiles: int | None


class Dashboard(Struct, frozen=True):
    """What is on the table between the players."""

    #: 0 during the set-up.
    round: int
    islands: tuple[Island, ...]
    #: By number, from 0.
    clouds: tuple[Students, ...]
    #: The number of the island where she stands.
    motherNature: int
    #: Each colour's holder by nickname, or `None`.
    professors: Mapping[Color, str | None]
    #: How many students are in the bag.
    bag: int
    #: None in the normal game.
    characters: tuple[Character, ...]
    #: The character played in this turn.
    activeCharacter: int | None
    #: `None` in the normal game.
    coinsSupply: int | None
