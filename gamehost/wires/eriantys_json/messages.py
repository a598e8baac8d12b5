"""
The 42 messages of the document: one frozen class each, named and numbered as there.

Fields are the document's arguments in its order, spelled as the keys on the wire; without slots, because then the keys stand
in that order. A field that may be `UNSET` is an extension: where it is unset its key is not there. "Due" says that the client
owes an Acknowledgement.
"""

from collections.abc import Mapping

from attrs import frozen
from msgspec import UNSET, UnsetType

from gamehost.wires.eriantys_json.values import (
    Color,
    Communication,
    Dashboard,
    Error,
    GameInfo,
    Island,
    Player,
    Tower,
)
from gamehost.wires.eriantys_json.values import PlayerStatus as Status
from gamehost.wires.framing import Blank, UndecodableLine

# From the client


@frozen(slots=False)
class Acknowledgement:
    """1.1, client: heard what was due."""


@frozen(slots=False)
class Pong:
    """1.3, client: still there."""


@frozen(slots=False)
class Disconnect:
    """1.4, client: gone for good."""


@frozen(slots=False)
class LoginMessage:
    """1.8, client: a name."""

    nickname: str


@frozen(slots=False)
class RequestGames:
    """1.9, client: which games wait for players?"""


@frozen(slots=False)
class SetGame:
    """1.11, client: a new game."""

    numberOfPlayers: int
    expertMode: bool


@frozen(slots=False)
class JoinAvailableGame:
    """1.12, client: into a game that waits."""

    gameId: int


@frozen(slots=False)
class ChosenTower:
    """1.18, client: a team."""

    tower: Tower


@frozen(slots=False)
class ChosenWizard:
    """1.20, client: a wizard, 1 to 4."""

    wizardId: int


@frozen(slots=False)
class PlayAssistant:
    """1.25, client: an assistant, 1 to 10."""

    assistant: int


@frozen(slots=False)
class ChosenStudent:
    """1.29, client: a student, or a colour; none: no more of them (characters 7 and 10)."""

    color: Color | None = None


@frozen(slots=False)
class ChosenDestination:
    """1.31, client: 0 for the dining room, or the number of an island in the circle as it is now."""

    destination: int


@frozen(slots=False)
class ChosenSteps:
    """1.33, client: how far Mother Nature walks."""

    steps: int


@frozen(slots=False)
class ChosenCloud:
    """1.36, client: a cloud, from 0."""

    cloud: int


@frozen(slots=False)
class UseCharacterEffect:
    """1.41, client: a character, 1 to 12."""

    character: int


# From the server


@frozen(slots=False)
class Ping:
    """1.2, server: still there?"""


@frozen(slots=False)
class CommunicationMessage:
    """1.5, server: one of a few words. UNIFIED_ISLANDS and CLOSING_GAME are due."""

    message: Communication


@frozen(slots=False)
class PlayerStatusMessage:
    """1.6, server: what the player is to do. Due."""

    playerStatus: Status


@frozen(slots=False)
class ErrorMessage:
    """1.7, server, to the offender: what was wrong; nothing has changed. `detail` says it in plain words."""

    error: Error
    detail: str | UnsetType = UNSET


@frozen(slots=False)
class AvailableGames:
    """1.10, server: the games that wait for players."""

    availableGames: tuple[GameInfo, ...]


@frozen(slots=False)
class JoinAlreadyExistingGame:
    """1.13, server: joined."""

    gameInfo: GameInfo


@frozen(slots=False)
class WaitingForPlayers:
    """1.14, server: the game is there, and waits for players."""

    gameId: int


@frozen(slots=False)
class PlayerDisconnected:
    """1.15, server: a player is gone."""

    nickname: str


@frozen(slots=False)
class MatchStarted:
    """1.16, server: the match begins; who plays, in the order of the seats. Due."""

    players: tuple[str, ...]
    numberOfPlayers: int | UnsetType = UNSET
    expertMode: bool | UnsetType = UNSET


@frozen(slots=False)
class AvailableTowers:
    """1.17, server: which team? Places left and members by colour."""

    availableTowers: Mapping[Tower, int]
    currentTeams: Mapping[Tower, tuple[str, ...]]


@frozen(slots=False)
class AvailableWizards:
    """1.19, server: which wizard of these?"""

    availableWizards: tuple[int, ...]


@frozen(slots=False)
class UpdateBoard:
    """1.21, server: all that lies open. Due in the set-up, in Move 1 and from a character's effect."""

    players: tuple[Player, ...]
    dashboard: Dashboard


@frozen(slots=False)
class UpdateLobby:
    """1.22, server: somebody came or went. Due."""

    gameInfo: GameInfo


@frozen(slots=False)
class StartOfPlayerRound:
    """1.23, server: whose turn begins. Due."""

    roundNumber: int
    nickname: str


@frozen(slots=False)
class AvailableAssistants:
    """1.24, server: which assistant? The hand, and what others played in this round."""

    availableAssistants: tuple[int, ...]
    playedAssistants: Mapping[str, int]


@frozen(slots=False)
class PlayedAssistant:
    """1.26, server: who played which assistant."""

    assistant: int
    player: str


@frozen(slots=False)
class MovableStudents:
    """1.27, server: which student of the entrance? With repeats."""

    students: tuple[Color, ...]


@frozen(slots=False)
class MovableStudentsChar:
    """1.28, server: which of these students, for a character? With repeats."""

    students: tuple[Color, ...]


@frozen(slots=False)
class WhereToMove:
    """1.30, server: where to? `islands` is how many there are."""

    islands: int | UnsetType = UNSET


@frozen(slots=False)
class MotherNatureSteps:
    """1.32, server: how many steps, from 1?"""

    maxStepsAllowed: int


@frozen(slots=False)
class IslandOwner:
    """1.34, server: influence was counted; nobody's island has an empty nickname. Due."""

    island: Island
    nickname: str


@frozen(slots=False)
class SelectCloud:
    """1.35, server: which cloud? `clouds` are the numbers of those with students."""

    clouds: tuple[int, ...] | UnsetType = UNSET


@frozen(slots=False)
class EndOfPlayerRound:
    """1.37, server: whose turn is over. Due."""

    roundNumber: int
    nickname: str


@frozen(slots=False)
class EndOfRound:
    """1.38, server: the round is over. Due."""

    roundNumber: int


@frozen(slots=False)
class CommunicateWinner:
    """1.39, server: who won, and why; in a shared victory no team and no nickname. Due. `nicknames` are all winners."""

    team: Tower | None
    nickname: str
    winReason: str
    nicknames: tuple[str, ...] | UnsetType = UNSET


@frozen(slots=False)
class SelectColor:
    """1.40, server: which colour?"""


@frozen(slots=False)
class PlayedCharacter:
    """1.42, server: who used which character. Due."""

    character: int
    player: str


# What a client may send that is none of these


@frozen(slots=False)
class NoMessage:
    """A line of JSON that is no message of a client's. Says why, in words that hold nothing of the line."""

    reason: str


@frozen(slots=False)
class Malformed:
    """A message of a client's by its type, with other keys or values than it has. Says what was expected."""

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
#: Everything a codec gives to a conversation, or takes from it.
Message = ClientMessage | ServerMessage | NoMessage | Malformed | UndecodableLine | Blank

#: By the name that stands under `type`.
CLIENT_TYPES: Mapping[str, type] = {kind.__name__: kind for kind in ClientMessage.__args__}
SERVER_TYPES: Mapping[str, type] = {kind.__name__: kind for kind in ServerMessage.__args__}
