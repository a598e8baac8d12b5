"""
The 42 messages of the document: one frozen class each, with the name and the number that it has there.

Fields are the document's arguments, in its order and spelled as the keys on the wire. The classes have no slots, because
msgspec then writes the keys in that order. A field that may be `UNSET` is an extension; unset, it is left out of the message.
"Due" means that the client owes an Acknowledgement.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from gamehost.wires.eriantys.values import (
    Color,
    Communication,
    Dashboard,
    Error,
    GameInfo,
    Island,
    Player,
    Tower,
)
from gamehost.wires.eriantys.values import PlayerStatus as Status
from gamehost.wires.framing import Blank, UndecodableLine


class Acknowledgement(Struct, frozen=True):
    """1.1, client: confirms a message."""


class Pong(Struct, frozen=True):
    """1.3, client: answers Ping."""


class Disconnect(Struct, frozen=True):
    """1.4, client: leaves for good."""


class LoginMessage(Struct, frozen=True):
    """1.8, client: logs in. `giveUp` (an extension): give up a seat that is kept under this nickname on another wire."""

    nickname: str
    giveUp: bool | UnsetType = UNSET


class RequestGames(Struct, frozen=True):
    """1.9, client: asks which games wait for players."""


class SetGame(Struct, frozen=True):
    """1.11, client: creates a game."""

    numberOfPlayers: int
    expertMode: bool


class JoinAvailableGame(Struct, frozen=True):
    """1.12, client: joins a game that waits for players."""

    gameId: int


class ChosenTower(Struct, frozen=True):
    """1.18, client: chooses a team."""

    tower: Tower


class ChosenWizard(Struct, frozen=True):
    """1.20, client: chooses a wizard, 1 to 4."""

    wizardId: int


class PlayAssistant(Struct, frozen=True):
    """1.25, client: plays an assistant, 1 to 10."""

    assistant: int


class ChosenStudent(Struct, frozen=True):
    """1.29, client: chooses a student or a colour. `None`: no further swap (characters 7 and 10)."""

    color: Color | None = None


class ChosenDestination(Struct, frozen=True):
    """1.31, client: chooses the dining room (0) or an island by its current number."""

    destination: int


class ChosenSteps(Struct, frozen=True):
    """1.33, client: chooses how far Mother Nature moves."""

    steps: int


class ChosenCloud(Struct, frozen=True):
    """1.36, client: chooses a cloud. The first one is 0."""

    cloud: int


class UseCharacterEffect(Struct, frozen=True):
    """1.41, client: uses a character, 1 to 12."""

    character: int


class Ping(Struct, frozen=True):
    """1.2, server: checks that the client is still there."""


class CommunicationMessage(Struct, frozen=True):
    """1.5, server: one word of an enumeration. UNIFIED_ISLANDS and CLOSING_GAME are due."""

    message: Communication


class PlayerStatusMessage(Struct, frozen=True):
    """1.6, server: what this player does now, or how the match ended. Due."""

    playerStatus: Status


class ErrorMessage(Struct, frozen=True):
    """1.7, server: what was wrong (`detail`: in words); nothing has changed. `reason` is there only if the host stops."""

    error: Error
    detail: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class AvailableGames(Struct, frozen=True):
    """1.10, server: the games that wait for players."""

    availableGames: tuple[GameInfo, ...]


class JoinAlreadyExistingGame(Struct, frozen=True):
    """1.13, server: the client has joined this game."""

    gameInfo: GameInfo


class WaitingForPlayers(Struct, frozen=True):
    """1.14, server: the game is created and waits for players."""

    gameId: int


class PlayerDisconnected(Struct, frozen=True):
    """1.15, server: a player has left or is disconnected."""

    nickname: str


class MatchStarted(Struct, frozen=True):
    """1.16, server: a match begins. `players` in order of joining, `order` around the table (unset before the deal). Due."""

    players: tuple[str, ...]
    numberOfPlayers: int | UnsetType = UNSET
    expertMode: bool | UnsetType = UNSET
    order: tuple[str, ...] | UnsetType = UNSET


class AvailableTowers(Struct, frozen=True):
    """1.17, server: asks for a team. Places left and members of each colour."""

    availableTowers: Mapping[Tower, int]
    currentTeams: Mapping[Tower, tuple[str, ...]]


class AvailableWizards(Struct, frozen=True):
    """1.19, server: asks for one of these wizards."""

    availableWizards: tuple[int, ...]


class UpdateBoard(Struct, frozen=True):
    """1.21, server: everything visible; `order` as in MatchStarted. Due in the set-up, in Move 1 and after a character."""

    players: tuple[Player, ...]
    dashboard: Dashboard
    order: tuple[str, ...] | UnsetType = UNSET


class UpdateLobby(Struct, frozen=True):
    """1.22, server: a player has come or gone. Due."""

    gameInfo: GameInfo


class StartOfPlayerRound(Struct, frozen=True):
    """1.23, server: this player's turn begins. Due."""

    roundNumber: int
    nickname: str


class AvailableAssistants(Struct, frozen=True):
    """1.24, server: asks for an assistant. The hand, and what others have played in this round."""

    availableAssistants: tuple[int, ...]
    playedAssistants: Mapping[str, int]


class PlayedAssistant(Struct, frozen=True):
    """1.26, server: a player has played this assistant."""

    assistant: int
    player: str


class MovableStudents(Struct, frozen=True):
    """1.27, server: asks for a student of the entrance. Repeats are listed."""

    students: tuple[Color, ...]


class MovableStudentsChar(Struct, frozen=True):
    """1.28, server: asks for one of these students, for a character. Repeats are listed."""

    students: tuple[Color, ...]


class WhereToMove(Struct, frozen=True):
    """1.30, server: asks for a destination. `islands`: how many there are."""

    islands: int | UnsetType = UNSET


class MotherNatureSteps(Struct, frozen=True):
    """1.32, server: asks for a number of steps, 1 or more."""

    maxStepsAllowed: int


class IslandOwner(Struct, frozen=True):
    """1.34, server: influence was counted. The nickname is empty if nobody owns the island. Due."""

    island: Island
    nickname: str


class SelectCloud(Struct, frozen=True):
    """1.35, server: asks for a cloud. `clouds`: the numbers of those with students."""

    clouds: tuple[int, ...] | UnsetType = UNSET


class EndOfPlayerRound(Struct, frozen=True):
    """1.37, server: this player's turn is over. Due."""

    roundNumber: int
    nickname: str


class EndOfRound(Struct, frozen=True):
    """1.38, server: the round is over. Due."""

    roundNumber: int


class CommunicateWinner(Struct, frozen=True):
    """1.39, server: who won, and why. A shared victory has no team and no nickname. `nicknames`: all winners. Due."""

    team: Tower | None
    nickname: str
    winReason: str
    nicknames: tuple[str, ...] | UnsetType = UNSET


class SelectColor(Struct, frozen=True):
    """1.40, server: asks for a colour."""


class PlayedCharacter(Struct, frozen=True):
    """1.42, server: a player has used this character. Due."""

    character: int
    player: str


class NoMessage(Struct, frozen=True):
    """A line of JSON that is not a client's message. The reason repeats nothing of the line."""

    reason: str


class Malformed(Struct, frozen=True):
    """
    A client's message by its type, but with wrong keys or values.

    The reason says what was expected. It repeats nothing of the message but a key that is spelled in another way.
    """

    kind: type
    reason: str


ClientMessage = (
    Acknowledgement
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
    Ping
    | CommunicationMessage
    | PlayerStatusMessage
    | ErrorMessage
    | AvailableGames
    | JoinAlreadyExistingGame
    | WaitingForPlayers
    | PlayerDisconnected
    | MatchStarted
    | AvailableTowers
    | AvailableWizards
    | UpdateBoard
    | UpdateLobby
    | StartOfPlayerRound
    | AvailableAssistants
    | PlayedAssistant
    | MovableStudents
    | MovableStudentsChar
    | WhereToMove
    | MotherNatureSteps
    | IslandOwner
    | SelectCloud
    | EndOfPlayerRound
    | EndOfRound
    | CommunicateWinner
    | SelectColor
    | PlayedCharacter
)
#: Everything that a codec passes to a conversation, or takes from it.
Message = ClientMessage | ServerMessage | NoMessage | Malformed | UndecodableLine | Blank

#: Messages by the value of their key `type`.
CLIENT_TYPES: Mapping[str, type[Any]] = {kind.__name__: kind for kind in ClientMessage.__args__}
SERVER_TYPES: Mapping[str, type[Any]] = {kind.__name__: kind for kind in ServerMessage.__args__}
