"""
The messages of the published programs, one class each, with the names of the Java classes and their fields.

`CommunicationMessage` and `ErrorMessage` are enumerations in Java: their constants are the messages. What `None` means in a
client's message is `null`; only for a student it is a choice.
"""

from collections.abc import Mapping
from enum import StrEnum

from attrs import frozen

from gamehost.wires.eriantys_java.values import (
    Assistant,
    CharacterEnum,
    Color,
    Dashboard,
    EndOfGameReason,
    GameInfo,
    Island,
    Player,
    PlayerStatus,
    Tower,
)

# From the client


@frozen
class Ack:
    """The client has handled a message."""


@frozen
class Pong:
    """The answer to a Ping."""


@frozen
class Disconnect:
    """The client leaves for good."""


@frozen
class LoginMessage:
    """The player's name."""

    nickname: str | None


@frozen
class RequestGames:
    """Asks for the games that wait for players."""


@frozen
class SetGame:
    """Creates a game."""

    expertMode: bool
    numberOfPlayers: int


@frozen
class JoinAvailableGame:
    """Joins a game."""

    gameID: int


@frozen
class ChosenTower:
    """A team."""

    color: Tower | None


@frozen
class ChosenWizard:
    """A wizard, 1 to 4."""

    wizardID: int


@frozen
class PlayAssistant:
    """An assistant of the hand."""

    assistant: Assistant | None


@frozen
class ChosenStudent:
    """A student by its colour, or a colour; `None`: no more of them."""

    student: Color | None


@frozen
class ChosenDestination:
    """0 for the dining room, or the number of an island, from 1."""

    destination: int


@frozen
class ChosenSteps:
    """How far Mother Nature walks."""

    steps: int


@frozen
class ChosenCloud:
    """A cloud, from 0."""

    cloud: int


@frozen
class UseCharacterEffect:
    """A character."""

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
    """Refusals."""

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


@frozen
class Ping:
    """Asks whether the client is there."""


@frozen
class PlayerStatusMessage:
    """What this player is to do now."""

    playerStatus: PlayerStatus


@frozen
class AvailableGames:
    """The games that wait for players."""

    availableGames: tuple[GameInfo, ...]


@frozen
class JoinAlreadyExistingGame:
    """This player has joined a game."""

    gameInfo: GameInfo


@frozen
class UpdateLobby:
    """A player has come to the game, or has gone."""

    gameInfo: GameInfo


@frozen
class WaitingForPlayers:
    """The game was created."""

    gameID: int


@frozen
class MatchStarted:
    """All players are there."""

    players: tuple[Player, ...]


@frozen
class AvailableTowers:
    """Asks for a team: places left, and who is in it."""

    availableTowers: Mapping[Tower, int]
    currentTeams: Mapping[Tower, tuple[Player, ...]]


@frozen
class AvailableWizards:
    """Asks for a wizard."""

    availableWizards: tuple[int, ...]


@frozen
class AvailableAssistants:
    """Asks for an assistant: the hand, and what others have played in this round."""

    availableAssistants: tuple[Assistant, ...]
    playedAssistants: tuple[tuple[Player, Assistant], ...]


@frozen
class PlayedAssistant:
    """A player has played an assistant."""

    assistant: Assistant
    player: str


@frozen
class StartOfPlayerRound:
    """A turn begins."""

    roundNumber: int
    nickname: str


@frozen
class MovableStudents:
    """Asks for a student of the entrance."""

    students: tuple[Color, ...]


@frozen
class MovableStudentsChar:
    """Asks for a student for a character."""

    students: tuple[Color, ...]


@frozen
class WhereToMove:
    """Asks for a destination."""


@frozen
class MotherNatureSteps:
    """Asks how far Mother Nature walks."""

    maxStepsAllowed: int


@frozen
class SelectCloud:
    """Asks for a cloud."""


@frozen
class SelectColor:
    """Asks for a colour."""


@frozen
class IslandOwner:
    """An island has another owner."""

    island: Island
    nickname: str


@frozen
class PlayedCharacter:
    """A player has used a character."""

    characterEnum: CharacterEnum
    player: str


@frozen
class EndOfPlayerRound:
    """A turn is over."""

    roundNumber: int
    nickname: str


@frozen
class EndOfRound:
    """A round is over."""

    roundNumber: int


@frozen
class CommunicateWinner:
    """Who has won, and why. Without a team it is a tie."""

    nicknames: tuple[str, ...]
    team: Tower | None
    winReason: EndOfGameReason


@frozen
class PlayerDisconnected:
    """Another player is gone."""

    nickname: str


@frozen
class UpdateBoard:
    """Everything visible."""

    dashboard: Dashboard
    players: tuple[Player, ...]


ClientMessage = (
    Ack
    | Pong
    | Disconnect
    | LoginMessage
    | RequestGames
    | SetGame
    | JoinAvailableGame
    | ChosenTower
    | ChosenWizard
    | PlayAssistant
    | ChosenStudent
    | ChosenDestination
    | ChosenSteps
    | ChosenCloud
    | UseCharacterEffect
)
ServerMessage = (
    CommunicationMessage
    | ErrorMessage
    | Ping
    | PlayerStatusMessage
    | AvailableGames
    | JoinAlreadyExistingGame
    | UpdateLobby
    | WaitingForPlayers
    | MatchStarted
    | AvailableTowers
    | AvailableWizards
    | AvailableAssistants
    | PlayedAssistant
    | StartOfPlayerRound
    | MovableStudents
    | MovableStudentsChar
    | WhereToMove
    | MotherNatureSteps
    | SelectCloud
    | SelectColor
    | IslandOwner
    | PlayedCharacter
    | EndOfPlayerRound
    | EndOfRound
    | CommunicateWinner
    | PlayerDisconnected
    | UpdateBoard
)
#: Everything that a codec passes to a conversation, or takes from it.
Message = ClientMessage | ServerMessage

#: Messages by the names of their classes.
CLIENT_TYPES: Mapping[str, type] = {kind.__name__: kind for kind in ClientMessage.__args__}
SERVER_TYPES: Mapping[str, type] = {kind.__name__: kind for kind in ServerMessage.__args__}
