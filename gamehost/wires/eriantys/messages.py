"""
The 42 messages of the document: one frozen class each, with its name and its number in the document. Also the parts of
messages: the enumerations of the wire, and values with keys of their own.

Fields are the document's arguments, in its order and spelled as the keys on the wire. The classes have no slots,
because msgspec then writes the keys in that order. `None` is `null` on the wire. A field that may be `UNSET` is an
extension; if it is `UNSET`, it is left out of the message. "Due" means that the client must answer the message with an
Acknowledgement.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from gamehost.wires.framing import Blank, UndecodableLine


class Color(StrEnum):
    """The five kinds of students."""

    YELLOW = "YELLOW"
    BLUE = "BLUE"
    GREEN = "GREEN"
    RED = "RED"
    PINK = "PINK"


class Tower(StrEnum):
    """The colours of towers. Each team has one of these colours."""

    BLACK = "BLACK"
    WHITE = "WHITE"
    GREY = "GREY"


class PlayerStatus(StrEnum):
    """The present phase of a player; at the end, whether the player has won."""

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
    """The values of a CommunicationMessage, which informs a client of an event."""

    ENTER_NICKNAME = "ENTER_NICKNAME"
    SUCCESS = "SUCCESS"
    UNIFIED_ISLANDS = "UNIFIED_ISLANDS"
    #: Extension: a no-entry tile has prevented that influence was counted on an island. The tile is back on its card.
    NO_ENTRY_TILE_ON_ISLAND = "NO_ENTRY_TILE_ON_ISLAND"
    #: Extension: the match ends with this round.
    LAST_ROUND = "LAST_ROUND"
    CLOSING_GAME = "CLOSING_GAME"


class Error(StrEnum):
    """The values of an ErrorMessage: the reasons for which the server refuses a client's message."""

    TAKEN_NICKNAME = "TAKEN_NICKNAME"
    NICKNAME_TOO_LONG = "NICKNAME_TOO_LONG"
    INVALID_NICKNAME = "INVALID_NICKNAME"
    INVALID_SETTINGS = "INVALID_SETTINGS"
    GAME_NOT_FOUND = "GAME_NOT_FOUND"
    FULL_GAME = "FULL_GAME"
    TOWER_NOT_AVAILABLE = "TOWER_NOT_AVAILABLE"
    WIZARD_NOT_AVAILABLE = "WIZARD_NOT_AVAILABLE"
    #: Another player has played this assistant in this round.
    INVALID_ASSISTANT = "INVALID_ASSISTANT"
    #: The assistant is not in the player's hand.
    UNAVAILABLE_ASSISTANT = "UNAVAILABLE_ASSISTANT"
    STUDENT_NOT_AVAILABLE = "STUDENT_NOT_AVAILABLE"
    FULL_DINING_ROOM = "FULL_DINING_ROOM"
    EMPTY_CLOUD = "EMPTY_CLOUD"
    WRONG_TURN = "WRONG_TURN"
    #: The action is not possible at this point of the game.
    INVALID_ACTION = "INVALID_ACTION"
    INVALID_INPUT = "INVALID_INPUT"
    NOT_ENOUGH_COINS = "NOT_ENOUGH_COINS"
    ALREADY_PLAYED_CHARACTER = "ALREADY_PLAYED_CHARACTER"
    ZERO_NO_ENTRY_TILES_LEFT = "ZERO_NO_ENTRY_TILES_LEFT"
    CHARACTER_NOT_IN_GAME = "CHARACTER_NOT_IN_GAME"
    CHARACTER_NOT_USABLE = "CHARACTER_NOT_USABLE"
    NOT_EXPERT_MODE = "NOT_EXPERT_MODE"


class Students(Struct, frozen=True):
    """The number of students of each colour."""

    YELLOW: int
    BLUE: int
    GREEN: int
    RED: int
    PINK: int


class GameInfo(Struct, frozen=True):
    """A game that waits for players, or a game that has begun."""

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
    #: The assistant of this round; `None` from the beginning of a planning phase until the player has played one.
    playedAssistant: int | None


class Island(Struct, frozen=True):
    """A group of merged islands. At first each group has one island."""

    #: The group's current number in the circle, from 1.
    number: int
    #: The islands of the group, by their first numbers (1 to 12).
    members: tuple[int, ...]
    students: Students
    tower: Tower | None
    towers: int
    noEntryTiles: int


class Character(Struct, frozen=True):
    """A character card on the table."""

    #: 1 to 12.
    character: int
    cost: int
    used: bool
    #: `None` except for characters 1, 7 and 11.
    students: Students | None
    #: `None` except for character 5.
    noEntryTiles: int | None


class Dashboard(Struct, frozen=True):
    """The part of the board that all players share."""

    #: 0 during the set-up.
    round: int
    islands: tuple[Island, ...]
    #: The students on each cloud; clouds count from 0.
    clouds: tuple[Students, ...]
    #: The number of the island group with Mother Nature.
    motherNature: int
    #: Colour -> nickname of the player that has this professor; `None` if nobody has it.
    professors: Mapping[Color, str | None]
    #: How many students are in the bag.
    bag: int
    #: No characters in the normal game.
    characters: tuple[Character, ...]
    #: The character that was used in this turn.
    activeCharacter: int | None
    #: `None` in the normal game.
    coinsSupply: int | None


class ClientMessage(Struct, frozen=True):
    """The base of all messages of a client."""


class ServerMessage(Struct, frozen=True, tag_field="type", tag=True):
    """The base of all messages of the server. On the wire, the key `type` comes first."""


class Acknowledgement(ClientMessage, frozen=True):
    """1.1, client: confirms that it has received a message."""


class Acknowledgements(Struct, frozen=True):
    """
    Several Acknowledgements that came together, with nothing between them. The codec counts them, so that they are
    handled at once.
    """

    count: int


class Pong(ClientMessage, frozen=True):
    """1.3, client: answers Ping."""


class Disconnect(ClientMessage, frozen=True):
    """1.4, client: leaves for good."""


class LoginMessage(ClientMessage, frozen=True):
    """
    1.8, client: logs in. `giveUp` (an extension) gives up a seat that is reserved under this nickname on another wire.
    """

    nickname: str
    giveUp: bool | UnsetType = UNSET


class RequestGames(ClientMessage, frozen=True):
    """1.9, client: asks for the games that wait for players."""


class SetGame(ClientMessage, frozen=True):
    """1.11, client: creates a game."""

    numberOfPlayers: int
    expertMode: bool


class JoinAvailableGame(ClientMessage, frozen=True):
    """1.12, client: joins a game that waits for players."""

    gameId: int


class ChosenTower(ClientMessage, frozen=True):
    """1.18, client: chooses a team by its colour."""

    tower: Tower


class ChosenWizard(ClientMessage, frozen=True):
    """1.20, client: chooses a wizard, 1 to 4."""

    wizardId: int


class PlayAssistant(ClientMessage, frozen=True):
    """1.25, client: plays an assistant, 1 to 10."""

    assistant: int


class ChosenStudent(ClientMessage, frozen=True):
    """
    1.29, client: chooses a student or a colour. `None`: the player wants no further exchange (characters 7 and 10).
    """

    color: Color | None = None


class ChosenDestination(ClientMessage, frozen=True):
    """1.31, client: chooses the dining room (0) or an island by its current number."""

    destination: int


class ChosenSteps(ClientMessage, frozen=True):
    """1.33, client: chooses the number of steps of Mother Nature."""

    steps: int


class ChosenCloud(ClientMessage, frozen=True):
    """1.36, client: chooses a cloud. The first one is 0."""

    cloud: int


class UseCharacterEffect(ClientMessage, frozen=True):
    """1.41, client: uses a character, 1 to 12."""

    character: int


class Ping(ServerMessage, frozen=True):
    """1.2, server: checks that the client still answers."""


class CommunicationMessage(ServerMessage, frozen=True):
    """1.5, server: informs the client of an event by one word. The client must acknowledge UNIFIED_ISLANDS and CLOSING_GAME."""

    message: Communication


class PlayerStatusMessage(ServerMessage, frozen=True):
    """
    1.6, server: the present phase of the receiver, or how the match ended for this player. The client must acknowledge this
    message.
    """

    playerStatus: PlayerStatus


class ErrorMessage(ServerMessage, frozen=True):
    """
    1.7, server: a message of the client was refused, and nothing has changed. `detail` says in words what was wrong.
    `reason` is there only if the host stops.
    """

    error: Error
    detail: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class AvailableGames(ServerMessage, frozen=True):
    """1.10, server: lists the games that wait for players."""

    availableGames: tuple[GameInfo, ...]


class JoinAlreadyExistingGame(ServerMessage, frozen=True):
    """1.13, server: the client has joined this game."""

    gameInfo: GameInfo


class WaitingForPlayers(ServerMessage, frozen=True):
    """1.14, server: the game is created and waits for players."""

    gameId: int


class PlayerDisconnected(ServerMessage, frozen=True):
    """1.15, server: a player has left or is disconnected."""

    nickname: str


class MatchStarted(ServerMessage, frozen=True):
    """
    1.16, server: a match begins. `players` are in the order of joining. `order` is the order around the table; it is
    unset before the deal. The client must acknowledge this message.
    """

    players: tuple[str, ...]
    numberOfPlayers: int | UnsetType = UNSET
    expertMode: bool | UnsetType = UNSET
    order: tuple[str, ...] | UnsetType = UNSET


class AvailableTowers(ServerMessage, frozen=True):
    """
    1.17, server: asks for a team. `availableTowers` are the free places of each team, `currentTeams` its players so
    far.
    """

    availableTowers: Mapping[Tower, int]
    currentTeams: Mapping[Tower, tuple[str, ...]]


class AvailableWizards(ServerMessage, frozen=True):
    """1.19, server: asks the player to choose one of these wizards."""

    availableWizards: tuple[int, ...]


class UpdateBoard(ServerMessage, frozen=True):
    """
    1.21, server: everything visible on the board; `order` is as in MatchStarted. Due in the set-up, in Move 1 and after
    a character.
    """

    # When the host sends this message, school boards and islands are encoded JSON (`msgspec.Raw`): most are the same as
    # in the last board, and are not encoded again.
    players: tuple[Player, ...]
    dashboard: Dashboard
    order: tuple[str, ...] | UnsetType = UNSET


class UpdateLobby(ServerMessage, frozen=True):
    """1.22, server: a player has joined or left the game that waits. The client must acknowledge this message."""

    gameInfo: GameInfo


class StartOfPlayerRound(ServerMessage, frozen=True):
    """1.23, server: the turn of this player begins. The client must acknowledge this message."""

    roundNumber: int
    nickname: str


class AvailableAssistants(ServerMessage, frozen=True):
    """
    1.24, server: asks for an assistant. `availableAssistants` is the player's hand. `playedAssistants` are those that
    others have played in this round.
    """

    availableAssistants: tuple[int, ...]
    playedAssistants: Mapping[str, int]


class PlayedAssistant(ServerMessage, frozen=True):
    """1.26, server: a player has played this assistant."""

    assistant: int
    player: str


class MovableStudents(ServerMessage, frozen=True):
    """1.27, server: asks for a student of the entrance. A colour is listed once for each of its students."""

    students: tuple[Color, ...]


class MovableStudentsChar(ServerMessage, frozen=True):
    """
    1.28, server: asks for one of these students, for the effect of a character. A colour is listed once for each of its
    students.
    """

    students: tuple[Color, ...]


class WhereToMove(ServerMessage, frozen=True):
    """1.30, server: asks for the destination of a student. `islands` is the number of island groups."""

    islands: int | UnsetType = UNSET


class MotherNatureSteps(ServerMessage, frozen=True):
    """1.32, server: asks for the number of steps of Mother Nature, 1 or more."""

    maxStepsAllowed: int


class IslandOwner(ServerMessage, frozen=True):
    """
    1.34, server: influence was counted on this island. `nickname` is its owner, and is empty if nobody owns the island.
    The client must acknowledge this message.
    """

    island: Island
    nickname: str


class SelectCloud(ServerMessage, frozen=True):
    """1.35, server: asks for a cloud. `clouds` are the numbers of the clouds with students."""

    clouds: tuple[int, ...] | UnsetType = UNSET


class EndOfPlayerRound(ServerMessage, frozen=True):
    """1.37, server: the turn of this player is over. The client must acknowledge this message."""

    roundNumber: int
    nickname: str


class EndOfRound(ServerMessage, frozen=True):
    """1.38, server: the round is over. The client must acknowledge this message."""

    roundNumber: int


class CommunicateWinner(ServerMessage, frozen=True):
    """
    1.39, server: the winner, and why. After a shared victory there is no team and no nickname. `nicknames` are all
    winners. The client must acknowledge this message.
    """

    team: Tower | None
    nickname: str
    winReason: str
    nicknames: tuple[str, ...] | UnsetType = UNSET


class SelectColor(ServerMessage, frozen=True):
    """1.40, server: asks for a colour, for the effect of a character."""


class PlayedCharacter(ServerMessage, frozen=True):
    """1.42, server: a player has used this character. The client must acknowledge this message."""

    character: int
    player: str


class NoMessage(Struct, frozen=True):
    """A line of JSON that is not a client's message. The reason repeats nothing of the line."""

    reason: str


class Malformed(Struct, frozen=True):
    """
    A message with the type of a client's message, but with wrong keys or values.

    The reason says what was expected. It repeats nothing of the message, except a key with a similar spelling.
    """

    kind: type
    reason: str


#: The messages that contain one word of `Communication`, by this word. `EXTENSIONS` are the words that are not in the
#: document.
WORDS: Mapping[str, CommunicationMessage] = {one.name: CommunicationMessage(one) for one in Communication}
EXTENSIONS = (WORDS["NO_ENTRY_TILE_ON_ISLAND"], WORDS["LAST_ROUND"])

#: The messages that contain one word of `PlayerStatus`, by this word.
STATUSES: Mapping[str, PlayerStatusMessage] = {one: PlayerStatusMessage(one) for one in PlayerStatus}

#: The messages that a client must always acknowledge. It must acknowledge UpdateBoard in the set-up, in Move 1 and after a
#: character.
DUE = frozenset(
    (
        *(PlayerStatusMessage, MatchStarted, UpdateLobby, StartOfPlayerRound, IslandOwner, EndOfPlayerRound),
        *(EndOfRound, CommunicateWinner, PlayedCharacter),
    )
)
_DUE_WORDS = (WORDS["UNIFIED_ISLANDS"], WORDS["CLOSING_GAME"])


def is_due(message: Any) -> bool:
    """Whether the client must always answer this message with an Acknowledgement."""
    kind = type(message)
    return kind in DUE or (kind is CommunicationMessage and message in _DUE_WORDS)


#: Everything that a codec passes to a conversation, or gets from it to encode.
Message = ClientMessage | Acknowledgements | ServerMessage | NoMessage | Malformed | UndecodableLine | Blank

#: The messages of each side, by the value of their key `type`.
CLIENT_TYPES: Mapping[str, type[Any]] = {kind.__name__: kind for kind in ClientMessage.__subclasses__()}
SERVER_TYPES: Mapping[str, type[Any]] = {kind.__name__: kind for kind in ServerMessage.__subclasses__()}
