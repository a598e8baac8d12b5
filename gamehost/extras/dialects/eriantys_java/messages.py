"""
The messages of the published programs, one class each, with the names of the Java classes and their fields.

`CommunicationMessage` and `ErrorMessage` are enumerations in Java: their constants are the messages. `None` in a
client's message is `null`; only for a student it is a choice.

Names are those of the Java program, because they are what is on the wire. Names, fields and orders that both wires
share are those of the wire `eriantys`. A class without a docstring here has one there, under the same name.

The values here are plain trees. If the Java objects refer to each other in a circle, a value names the other one: a
professor has the nickname of its owner. The module `objects` makes the circles.
"""

from collections.abc import Mapping
from enum import StrEnum

from attrs import frozen
from msgspec import Struct

from gamehost.wires.eriantys import messages as document
from gamehost.wires.eriantys.messages import ChosenCloud as ChosenCloud
from gamehost.wires.eriantys.messages import ChosenDestination as ChosenDestination
from gamehost.wires.eriantys.messages import ChosenSteps as ChosenSteps
from gamehost.wires.eriantys.messages import Color as Color
from gamehost.wires.eriantys.messages import Disconnect as Disconnect
from gamehost.wires.eriantys.messages import Pong as Pong
from gamehost.wires.eriantys.messages import RequestGames as RequestGames
from gamehost.wires.eriantys.messages import Tower as Tower


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
    noEntry: int
    #: How many islands have grown together.
    numUnits: int
    #: More influence in this turn, by nickname.
    extraInfluence: Mapping[str, int]
    students: tuple[Color, ...]
    towerColor: Tower | None


class Professor(Struct, frozen=True):
    color: Color
    #: The nickname of its holder.
    owner: str | None


class DiningRoom(Struct, frozen=True):
    """A dining room. In Java it also refers to its school board."""

    #: Whether coins are earned here: the expert game.
    enableCoins: bool
    students: Mapping[Color, int]


class Entrance(Struct, frozen=True):
    students: tuple[Color, ...] = ()


class SchoolBoard(Struct, frozen=True):
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

    cost: int
    #: Whether it was used in this turn.
    isActive: bool
    noEntryTiles: int
    #: The nickname of the player that has used it in this turn.
    UsedBy: str | None
    description: str
    #: `None` except for characters 1, 7 and 11.
    students: tuple[Color, ...] | None
    value: CharacterEnum


class Dashboard(Struct, frozen=True):
    """The shared parts of the table."""

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


class ClientMessage(Struct, frozen=True):
    """The base of what a client says."""


class ServerMessage(Struct, frozen=True):
    """The base of the server's messages, besides requests and the two enumerations."""


class Request(Struct, frozen=True):
    """The base of the server's messages that ask a player for something."""


# From the client


class Ack(ClientMessage, frozen=True):
    """The client has handled a message."""


class LoginMessage(ClientMessage, frozen=True):
    nickname: str | None


class SetGame(ClientMessage, frozen=True):
    expertMode: bool
    numberOfPlayers: int


class JoinAvailableGame(ClientMessage, frozen=True):
    gameID: int


class ChosenTower(ClientMessage, frozen=True):
    color: Tower | None


class ChosenWizard(ClientMessage, frozen=True):
    wizardID: int


class PlayAssistant(ClientMessage, frozen=True):
    assistant: Assistant | None


class ChosenStudent(ClientMessage, frozen=True):
    """A student by its colour, or a colour; `None`: no more of them."""

    student: Color | None


class UseCharacterEffect(ClientMessage, frozen=True):
    character: CharacterEnum | None


# From the server


class CommunicationMessage(StrEnum):
    """Short messages without arguments. The host says only the first seven."""

    ENTER_NICKNAME = "ENTER_NICKNAME"
    SUCCESS = "SUCCESS"
    UNIFIED_ISLANDS = "UNIFIED_ISLANDS"
    NO_CHANGES = "NO_CHANGES"
    NO_ENTRY_TILE_ON_ISLAND = "NO_ENTRY_TILE_ON_ISLAND"
    LAST_ROUND = "LAST_ROUND"
    CLOSING_GAME = "CLOSING_GAME"
    STUDENT_MOVED = "STUDENT_MOVED"
    HOST_LEFT = "HOST_LEFT"


class ErrorMessage(StrEnum):
    TAKEN_NICKNAME = "TAKEN_NICKNAME"
    WRONG_TURN = "WRONG_TURN"
    ALREADY_RECEIVED = "ALREADY_RECEIVED"
    NICKNAME_TOO_LONG = "NICKNAME_TOO_LONG"
    INVALID_SETTINGS = "INVALID_SETTINGS"
    FULL_GAME = "FULL_GAME"
    TOWER_NOT_AVAILABLE = "TOWER_NOT_AVAILABLE"
    WIZARD_NOT_AVAILABLE = "WIZARD_NOT_AVAILABLE"
    STUDENT_NOT_AVAILABLE = "STUDENT_NOT_AVAILABLE"
    FULL_DINING_ROOM = "FULL_DINING_ROOM"
    INVALID_ASSISTANT = "INVALID_ASSISTANT"
    UNAVAILABLE_ASSISTANT = "UNAVAILABLE_ASSISTANT"
    INVALID_INPUT = "INVALID_INPUT"
    NOT_ENOUGH_COINS = "NOT_ENOUGH_COINS"
    EMPTY_CLOUD = "EMPTY_CLOUD"
    ZERO_NO_ENTRY_TILES_LEFT = "ZERO_NO_ENTRY_TILES_LEFT"
    INVALID_ACTION = "INVALID_ACTION"
    ALREADY_PLAYED_CHARACTER = "ALREADY_PLAYED_CHARACTER"


class Ping(ServerMessage, frozen=True):
    """Asks whether the client is there."""


class PlayerStatusMessage(ServerMessage, frozen=True):
    playerStatus: PlayerStatus


class AvailableGames(ServerMessage, frozen=True):
    availableGames: tuple[GameInfo, ...]


class JoinAlreadyExistingGame(ServerMessage, frozen=True):
    gameInfo: GameInfo


class UpdateLobby(ServerMessage, frozen=True):
    gameInfo: GameInfo


class WaitingForPlayers(ServerMessage, frozen=True):
    gameID: int


class MatchStarted(ServerMessage, frozen=True):
    players: tuple[Player, ...]


class AvailableTowers(Request, frozen=True):
    availableTowers: Mapping[Tower, int]
    currentTeams: Mapping[Tower, tuple[Player, ...]]


class AvailableWizards(Request, frozen=True):
    availableWizards: tuple[int, ...]


class AvailableAssistants(Request, frozen=True):
    availableAssistants: tuple[Assistant, ...]
    playedAssistants: tuple[tuple[Player, Assistant], ...]


class PlayedAssistant(ServerMessage, frozen=True):
    assistant: Assistant
    player: str


class StartOfPlayerRound(ServerMessage, frozen=True):
    roundNumber: int
    nickname: str


class MovableStudents(Request, frozen=True):
    students: tuple[Color, ...]


class MovableStudentsChar(Request, frozen=True):
    students: tuple[Color, ...]


class WhereToMove(Request, frozen=True):
    """Asks for a destination."""


class MotherNatureSteps(Request, frozen=True):
    maxStepsAllowed: int


class SelectCloud(Request, frozen=True):
    """Asks for a cloud."""


class SelectColor(Request, frozen=True):
    """Asks for a colour."""


class IslandOwner(ServerMessage, frozen=True):
    island: Island
    nickname: str


class PlayedCharacter(ServerMessage, frozen=True):
    characterEnum: CharacterEnum
    player: str


class EndOfPlayerRound(ServerMessage, frozen=True):
    roundNumber: int
    nickname: str


class EndOfRound(ServerMessage, frozen=True):
    roundNumber: int


class CommunicateWinner(ServerMessage, frozen=True):
    """The winners, and the reason. Without a team it is a tie."""

    nicknames: tuple[str, ...]
    team: Tower | None
    winReason: EndOfGameReason


class PlayerDisconnected(ServerMessage, frozen=True):
    nickname: str


class UpdateBoard(ServerMessage, frozen=True):
    dashboard: Dashboard
    players: tuple[Player, ...]


WORDS: Mapping[str, CommunicationMessage] = CommunicationMessage.__members__

#: Messages that the client acknowledges, and the two of their kinds that it does not.
_DUE = (UpdateBoard, IslandOwner, PlayerStatusMessage)
_NOT_DUE = (PlayerStatusMessage(PlayerStatus.END_MOVE_1), PlayerStatusMessage(PlayerStatus.END_MOVE_2))


def is_due(message: object) -> bool:
    """Whether the client owes an Ack for this message."""
    return isinstance(message, _DUE) and message not in _NOT_DUE


#: Everything that a codec passes to a conversation, or takes from it.
Message = ClientMessage | document.ClientMessage | ServerMessage | Request | CommunicationMessage | ErrorMessage

#: Messages by the names of their classes.
_SHARED: tuple[type, ...] = (Pong, Disconnect, RequestGames, ChosenDestination, ChosenSteps, ChosenCloud)
CLIENT_TYPES: Mapping[str, type] = {kind.__name__: kind for kind in (*ClientMessage.__subclasses__(), *_SHARED)}
_SERVER: tuple[type, ...] = (CommunicationMessage, ErrorMessage, *ServerMessage.__subclasses__())
SERVER_TYPES: Mapping[str, type] = {kind.__name__: kind for kind in (*_SERVER, *Request.__subclasses__())}
