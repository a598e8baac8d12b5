"""
The Java objects of this wire, in three parts: tables of the Java classes, the conversion of messages into graphs of objects and
back, and the serialization of such a graph, as far as this wire needs it.

The tables contain the names, serial version UIDs and fields of the classes, recorded from the published programs. Other classes
are never read or written. Fields are in the order of the stream: primitive fields by name, then references by name.

The objects of a board refer to each other in a circle: a professor to its owner, the owner to its school board, and the school
board to its professors. In our messages a player is named by its nickname, and a professor by its colour. In a graph
they are the objects themselves.

By Java's "Object Serialization Stream Protocol", an object, a class descriptor or a string is written only once in a
message, and gets a handle. Later uses refer to the handle. A reset drops all handles, so every message is complete in itself.
"""

import struct
from collections.abc import Callable, Mapping
from enum import StrEnum
from itertools import chain
from typing import Any

from attrs import define, field, frozen
from msgspec import Struct, ValidationError, convert

from gamehost.extras.dialects.eriantys_java import messages
from gamehost.extras.dialects.eriantys_java.messages import SERVER_TYPES, Message
from gamehost.wires.framing import WireError, java_string

# The classes

_PACKAGES: Mapping[str, str] = {
    "C": "it.polimi.ingsw.messages.fromClient.",
    "S": "it.polimi.ingsw.messages.fromServer.",
    "M": "it.polimi.ingsw.model.",
    "P": "it.polimi.ingsw.model.player.",
    "X": "it.polimi.ingsw.model.characters.",
    "K": "it.polimi.ingsw.controller.",
    "J": "java.util.",
    "L": "java.lang.",
}

# Flags of a descriptor: SC_SERIALIZABLE, SC_WRITE_METHOD, SC_ENUM.
SERIALIZABLE = 0x02
WITH_METHOD = 0x03
ENUMERATION = 0x12

#: name, UID, fields as name:type. A type is I (int), Z (boolean), F (float), a class, or [ and the class of the elements.
_CLIENT = """
C.Ack ce6b461a132727aa
C.Pong d148d20b7c5286bb
C.Disconnect 039ffa3bfea7a080
C.LoginMessage 0aff77621d35ade0 nickname:L.String
C.RequestGames 6cd8f79862b2dcd3
C.SetGame 4b71b81095adae29 expertMode:Z numberOfPlayers:I
C.JoinAvailableGame 5276058624646165 gameID:I
C.ChosenTower 30d4f995199c598a color:M.Tower
C.ChosenWizard d7b3e2acd7b0efa7 wizardID:I
C.PlayAssistant c2636536b5d04339 assistant:M.Assistant
C.ChosenStudent 82083c02bc5ec532 student:M.Color
C.ChosenDestination 76ce08132d73b90b destination:I
C.ChosenSteps 4d1e8fbd4e370862 steps:I
C.ChosenCloud 001d7ae713b930b3 cloud:I
C.UseCharacterEffect ef7a01dd0f2022d7 character:X.CharacterEnum
"""
_SERVER = """
S.Ping 1828a0d670d8f848
S.PlayerStatusMessage 48dc43a6caf863f8 playerStatus:P.PlayerStatus
S.AvailableGames 913441649e24f827 availableGames:J.ArrayList
S.JoinAlreadyExistingGame 9923e28bd1b2c054 gameInfo:M.GameInfo
S.UpdateLobby 6ead5d4eb1f323dd gameInfo:M.GameInfo
S.WaitingForPlayers ef0eaf9aa4437053 gameID:I
S.MatchStarted f9415d3343de50c5 players:J.ArrayList
S.AvailableTowers 950a3187a14bb598 availableTowers:J.HashMap currentTeams:J.EnumMap
S.AvailableWizards 4c0568f5b612bf63 availableWizards:J.ArrayList
S.AvailableAssistants 57050d93b7d2983c availableAssistants:J.ArrayList playedAssistants:J.Map
S.PlayedAssistant 8af1987f4aa63e0a assistant:M.Assistant player:L.String
S.StartOfPlayerRound 881223b43bd3a7c7 roundNumber:I nickname:L.String
S.MovableStudents 415a4476d2b02416 students:J.ArrayList
S.MovableStudentsChar 9a1a3502299ad7c9 students:J.ArrayList
S.WhereToMove da4d2707cfeac1fa
S.MotherNatureSteps cc4964ee019c6fe8 maxStepsAllowed:I
S.SelectCloud 292c8b2028b5dcb7
S.SelectColor a7a383dcff4db402
S.IslandOwner f6963473bab0bafb island:M.Island nickname:L.String
S.PlayedCharacter 8133fc330bb9e527 characterEnum:X.CharacterEnum player:L.String
S.EndOfPlayerRound 8cae74c225b19406 roundNumber:I nickname:L.String
S.EndOfRound 01eae92c101c163f roundNumber:I
S.CommunicateWinner 73f550dab735afb9 nicknames:J.ArrayList team:M.Tower winReason:K.EndOfGameReason
S.PlayerDisconnected 6f789d6df51744c5 nickname:L.String
S.UpdateBoard a52eddcba38b72e3 dashboard:M.Dashboard players:J.ArrayList
"""
_MODEL = """
M.Dashboard c343bcb0c2657419 additionalMNMovements:I doNotCountTowers:Z motherNaturePosition:I bag:M.Bag \
 characters:[X.CharacterCard clouds:J.ArrayList doNotCountColor:M.Color islands:J.ArrayList \
 playedCharacter:X.CharacterCard professors:[M.Professor
M.Bag 0d3172ea13f5cd1b students:J.ArrayList
M.Cloud 0cd128d579b39474 students:J.ArrayList
M.Island 6c94d2b5212cd435 noEntry:I numUnits:I extraInfluence:J.Map students:J.ArrayList towerColor:M.Tower
M.Professor 0f9743973b364918 color:M.Color owner:P.Player
P.Player d5dd02185fb5a00b wizardID:I availableAssistants:J.ArrayList chosenCloud:M.Cloud nickname:L.String \
 playedAssistant:M.Assistant schoolBoard:P.SchoolBoard status:P.PlayerStatus
P.SchoolBoard c6c03916c1332918 coins:I numTower:I diningRoom:P.DiningRoom entrance:P.Entrance professors:J.ArrayList \
 towerColor:M.Tower
P.DiningRoom 7973759cffea6e71 enableCoins:Z schoolBoard:P.SchoolBoard students:J.EnumMap
P.Entrance a093aa3729f84dab students:J.ArrayList
M.GameInfo ee2a88356a856f5a expertGame:Z gameID:I numOfTotalPlayers:I numOfWaitingPlayers:I
X.CharacterCard 7a569f0329a59858 cost:I isActive:Z noEntryTiles:I UsedBy:L.String description:L.String \
 students:J.ArrayList value:X.CharacterEnum
L.Number 86ac951d0b94e08b
"""
_CONTAINERS = """
J.ArrayList 7881d21d99c7619d size:I
J.HashMap 0507dac1c31660d1 loadFactor:F threshold:I
J.EnumMap 065d7df7be907ca1 keyType:L.Class
"""
#: Classes with a superclass: name, UID, superclass, fields.
_OVER = """
L.Integer 12e2a0a4f7818738 L.Number value:I
X.Char1 7722742915fc716d X.CharacterCard
X.Char2 089f5fc3d5c890cd X.CharacterCard
X.Char3 bd571573e87688ad X.CharacterCard
X.Char4 d7e2799edeeb9a41 X.CharacterCard
X.Char5 66fa499950f77859 X.CharacterCard
X.Char6 7dad437077624158 X.CharacterCard
X.Char7 4b751c307fe6d71e X.CharacterCard
X.Char8 fd38fac2c414e66c X.CharacterCard
X.Char9 7bc216a56f16237b X.CharacterCard
X.Char10 cac6327df7691812 X.CharacterCard
X.Char11 9116eb3dc165ee3c X.CharacterCard
X.Char12 7e5b4fd2aaaaf4f0 X.CharacterCard
"""
_ARRAYS: Mapping[str, str] = {"X.CharacterCard": "8bb48fb9f96025cc", "M.Professor": "6e944556f4f99dcd"}

#: The enumerations, in the packages where they are.
_ENUMERATIONS: Mapping[str, tuple[type[StrEnum], ...]] = {
    "M": (messages.Color, messages.Tower, messages.Assistant),
    "X": (messages.CharacterEnum,),
    "P": (messages.PlayerStatus,),
    "K": (messages.EndOfGameReason,),
    "S": (messages.CommunicationMessage, messages.ErrorMessage),
}


def full_name(short: str) -> str:
    """Returns the full Java name for a short one, as in `it.polimi.ingsw.model.Color` for `M.Color`."""
    package, name = short.split(".")
    return _PACKAGES[package] + name


def _signature(kind: str) -> str:
    """Returns Java's signature of a type in the tables."""
    if kind in "IZF":
        return kind
    array = "[" if kind.startswith("[") else ""
    return f"{array}L{full_name(kind.removeprefix('[')).replace('.', '/')};"


@frozen(eq=False)
class JavaField:
    """A field of a Java class."""

    name: str
    #: `I`, `Z`, `F`, or the signature of a class or an array.
    signature: str


@frozen(eq=False)
class JavaClass:
    """A Java class, as its descriptor describes it."""

    name: str
    #: The serial version UID, eight bytes.
    uid: bytes
    #: The flags of the descriptor.
    flags: int
    fields: tuple[JavaField, ...] = ()
    parent: "JavaClass | None" = None
    #: All fields in the order of their values, those of the topmost superclass first.
    all_fields: tuple[JavaField, ...] = field(init=False)

    @all_fields.default
    def _all_fields(self) -> tuple[JavaField, ...]:
        return (self.parent.all_fields if self.parent is not None else ()) + self.fields

    @property
    def simple_name(self) -> str:
        return self.name.rpartition(".")[2]


def _class(line: str, flags: int) -> JavaClass:
    """
    Reads a class from a line of a table: its name, its version number, and its fields as `NAME:TYPE`.

    :param flags: Java's flags of the class
    """
    name, uid, *members = line.split()
    fields = [member.split(":") for member in members]
    return JavaClass(
        full_name(name), bytes.fromhex(uid), flags, tuple(JavaField(one, _signature(kind)) for one, kind in fields)
    )


def _read_tables() -> Mapping[str, JavaClass]:
    """Reads all tables. Returns the classes by their Java names."""
    found = {
        one.name: one
        for one in (_class(line, SERIALIZABLE) for line in chain(*map(_lines, (_CLIENT, _SERVER, _MODEL))))
    }
    found |= {one.name: one for one in (_class(line, WITH_METHOD) for line in _lines(_CONTAINERS))}
    # Classes with a parent have its name in the line.
    for line in _lines(_OVER):
        name, uid, parent, *members = line.split()
        over = _class(" ".join((name, uid, *members)), SERIALIZABLE)
        found[over.name] = JavaClass(over.name, over.uid, over.flags, over.fields, found[full_name(parent)])
    # Arrays.
    for short, uid in _ARRAYS.items():
        name = f"[L{full_name(short)};"
        found[name] = JavaClass(name, bytes.fromhex(uid), SERIALIZABLE)
    found[JAVA_ENUM.name] = JAVA_ENUM
    for package, kinds in _ENUMERATIONS.items():
        for kind in kinds:
            name = full_name(f"{package}.{kind.__name__}")
            found[name] = JavaClass(name, bytes(8), ENUMERATION, (), JAVA_ENUM)
    return found


def _lines(table: str) -> list[str]:
    return table.strip().splitlines()


#: The superclass of all enumerations.
JAVA_ENUM = JavaClass("java.lang.Enum", bytes(8), ENUMERATION)

#: All classes of this wire by their Java names.
CLASSES: Mapping[str, JavaClass] = _read_tables()

#: The Python classes of enumerations, by the Java name, and the Java classes by the Python class.
ENUMERATIONS: Mapping[str, type[StrEnum]] = {
    full_name(f"{package}.{kind.__name__}"): kind for package, kinds in _ENUMERATIONS.items() for kind in kinds
}
ENUM_CLASSES: Mapping[type[StrEnum], JavaClass] = {kind: CLASSES[name] for name, kind in ENUMERATIONS.items()}

ARRAY_LIST = CLASSES["java.util.ArrayList"]
HASH_MAP = CLASSES["java.util.HashMap"]
ENUM_MAP = CLASSES["java.util.EnumMap"]
INTEGER = CLASSES["java.lang.Integer"]
CHARACTER_CARDS = CLASSES[f"[L{full_name('X.CharacterCard')};"]
PROFESSORS = CLASSES[f"[L{full_name('M.Professor')};"]

#: The Java classes of messages and their parts, by the Python class. The cards of characters are not in it, because
#: each character has a class of its own.
JAVA_CLASSES: Mapping[type, JavaClass] = {
    **{kind: CLASSES[full_name(f"C.{name}")] for name, kind in messages.CLIENT_TYPES.items()},
    **{
        kind: CLASSES[full_name(f"S.{name}")]
        for name, kind in messages.SERVER_TYPES.items()
        if kind not in ENUM_CLASSES
    },
    **{
        getattr(messages, name): CLASSES[full_name(f"M.{name}")]
        for name in ("Dashboard", "Bag", "Cloud", "Island", "Professor", "GameInfo")
    },
    **{
        getattr(messages, name): CLASSES[full_name(f"P.{name}")]
        for name in ("Player", "SchoolBoard", "DiningRoom", "Entrance")
    },
}
#: The class of the card of each character.
CARD_CLASSES: Mapping[messages.CharacterEnum, JavaClass] = {
    one: CLASSES[full_name(f"X.{one.name}")] for one in messages.CharacterEnum
}


# Messages as graphs of objects


#: The deepest nesting that a message can have.
DEEPEST = 12
#: The most parts of a message. A board has fewer than a thousand, a list of all games that wait too.
MOST_PARTS = 10_000

_DINING_ROOM = JAVA_CLASSES[messages.DiningRoom]
_PLAYER = JAVA_CLASSES[messages.Player]
_PROFESSOR = JAVA_CLASSES[messages.Professor]
_SCHOOL_BOARD = JAVA_CLASSES[messages.SchoolBoard]


@define(eq=False)
class JavaObject:
    """An object, with the values of its fields in the order of the stream."""

    java: JavaClass
    values: list[Any]

    def get(self, name: str) -> Any:
        """Returns the value of a field."""
        return next(value for one, value in zip(self.java.all_fields, self.values, strict=True) if one.name == name)


@define(eq=False)
class JavaList:
    """A java.util.ArrayList."""

    items: list[Any]


@define(eq=False)
class JavaMap:
    """A java.util.HashMap. If the class of its keys is given, it is a java.util.EnumMap."""

    pairs: list[tuple[Any, Any]]
    keys: type[StrEnum] | None = None


@define(eq=False)
class JavaArray:
    """An array of objects."""

    java: JavaClass
    items: list[Any]


class Boxed(Struct, frozen=True):
    """A java.lang.Integer. In Java equal small numbers are the same object, so equal ones share a handle here."""

    value: int


class _Builder:
    """Converts one message into a graph of objects. Each player, professor and card becomes a single object in the graph."""

    def __init__(self) -> None:
        """
        Makes the builder of one message. It makes each player, professor and card only once, because other parts refer
        to the same object.
        """
        self._players: dict[str, messages.Player] = {}
        self._player_objects: dict[str, JavaObject] = {}
        self._owners: dict[messages.Color, str | None] = {}
        self._professors: dict[messages.Color, JavaObject] = {}
        self._cards: dict[messages.CharacterEnum, JavaObject] = {}

    def build(self, value: Any) -> Any:
        """Converts any value of a message."""
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, int):
            return Boxed(value)
        if isinstance(value, tuple):
            return JavaList([self.build(item) for item in value])
        if isinstance(value, Mapping):
            return JavaMap([(self.build(key), self.build(item)) for key, item in value.items()])
        # Parts to which others refer have methods of their own.
        special = _BUILT.get(type(value))
        return self._plain(value) if special is None else special(self, value)

    def _plain(self, value: Any, **known: Any) -> JavaObject:
        """
        Converts a part of a message into an object of its class.

        :param known: the fields that are converted already
        """
        return self._of_class(JAVA_CLASSES[type(value)], value, known)

    def _of_class(self, java: JavaClass, value: Any, known: Mapping[str, Any] = {}) -> JavaObject:
        """
        Converts a part of a message into an object of a class.

        :param known: the fields that are converted already
        """
        objects = []
        for one in java.all_fields:
            if one.name in known:
                objects.append(known[one.name])
            # A primitive type: its value is written as it is.
            elif len(one.signature) == 1:
                objects.append(getattr(value, one.name))
            else:
                objects.append(self.build(getattr(value, one.name)))
        return JavaObject(java, objects)

    def board(self, message: messages.UpdateBoard) -> JavaObject:
        """Converts a board. Its players and the owners of professors are noted, so that other parts can refer to them."""
        self._players = {player.nickname: player for player in message.players}
        self._owners = {professor.color: professor.owner for professor in message.dashboard.professors}
        return self._plain(message)

    def dashboard(self, dashboard: messages.Dashboard) -> JavaObject:
        """Returns the Java object of a board with its cards, islands and professors."""
        cards = [None if card is None else self._card(card) for card in dashboard.characters]
        played = dashboard.playedCharacter
        return self._plain(
            dashboard,
            characters=JavaArray(CHARACTER_CARDS, cards),
            playedCharacter=None if played is None else self._cards[played],
            professors=JavaArray(PROFESSORS, [self._professor(one.color) for one in dashboard.professors]),
        )

    def _card(self, card: messages.CharacterCard) -> JavaObject:
        built = self._cards[card.value] = self._of_class(CARD_CLASSES[card.value], card)
        return built

    def island(self, island: messages.Island) -> JavaObject:
        more = [(self._player(name), Boxed(count)) for name, count in island.extraInfluence.items()]
        return self._plain(island, extraInfluence=JavaMap(more))

    def _professor(self, color: messages.Color, holder: str | None = None) -> JavaObject:
        """
        Returns the object of a professor. It is noted before its owner is converted, because the owner refers to it.

        :param holder: the owner, if the message has no board
        """
        known = self._professors.get(color)
        if known is None:
            self._professors[color] = known = JavaObject(_PROFESSOR, [color, None])
            # `holder` is used for messages without a board, in which the owners are not known.
            owner = self._owners.get(color, holder)
            known.values[1] = None if owner is None else self._player(owner)
        return known

    def _player(self, nickname: str) -> JavaObject:
        known = self._player_objects.get(nickname)
        return self.player(self._players[nickname]) if known is None else known

    def player(self, player: messages.Player) -> JavaObject:
        """Returns the object of a player. It is noted before its fields are converted, because they refer to it."""
        known = self._player_objects.get(player.nickname)
        if known is not None:
            return known
        known = self._player_objects[player.nickname] = JavaObject(_PLAYER, [])
        known.values += self._plain(player, schoolBoard=self._school_board(player)).values
        return known

    def _school_board(self, player: messages.Player) -> JavaObject:
        """Returns the object of a player's school board. Its dining room refers back to it."""
        board, dining = player.schoolBoard, player.schoolBoard.diningRoom
        built = JavaObject(_SCHOOL_BOARD, [])
        students = JavaMap([(color, Boxed(count)) for color, count in dining.students.items()], messages.Color)
        room = JavaObject(_DINING_ROOM, [dining.enableCoins, built, students])
        professors = JavaList([self._professor(color, player.nickname) for color in board.professors])
        built.values += self._plain(board, diningRoom=room, professors=professors).values
        return built

    def towers(self, message: messages.AvailableTowers) -> JavaObject:
        teams = JavaMap([(tower, self.build(team)) for tower, team in message.currentTeams.items()], messages.Tower)
        return self._plain(message, currentTeams=teams)

    def assistants(self, message: messages.AvailableAssistants) -> JavaObject:
        played = JavaMap([(self.build(player), assistant) for player, assistant in message.playedAssistants])
        return self._plain(message, playedAssistants=played)


_BUILT: Mapping[type, Callable[[_Builder, Any], JavaObject]] = {
    messages.UpdateBoard: _Builder.board,
    messages.AvailableTowers: _Builder.towers,
    messages.AvailableAssistants: _Builder.assistants,
    messages.Dashboard: _Builder.dashboard,
    messages.Island: _Builder.island,
    messages.Player: _Builder.player,
}


# The conversion back into messages, for the client's side


def message_of(found: Any) -> Message:
    """
    Converts a graph of objects into a message of the server.

    :param found: the topmost object
    :raises WireError: it is not a message of the server, or a part has another class
    """
    if isinstance(found, messages.CommunicationMessage | messages.ErrorMessage):
        return found
    kind = SERVER_TYPES.get(found.java.simple_name) if isinstance(found, JavaObject) else None
    # Another class may have the same name in another package.
    if kind is None or CLASSES[full_name(f"S.{kind.__name__}")] is not found.java:
        raise WireError("an object that is no message of the server")
    try:
        message: Message = convert(_Tree().of(found), kind)
    # All that a wrong part may raise.
    except (ValidationError, StopIteration, AttributeError, TypeError):
        raise WireError(f"{kind.__name__} has a part of another class") from None
    return message


class _Tree:
    """
    Converts a graph of objects into a tree of dictionaries and lists. Where the graph has a circle, the tree has the name of a
    player or the colour of a professor.
    """

    #: How many parts the tree has so far.
    _parts = 0

    def of(self, found: Any, depth: int = 0) -> Any:
        """
        Converts an object.

        :raises WireError: the tree is deeper or larger than that of any message. References can make a tree larger than
            its bytes.
        """
        self._parts += 1
        if depth > DEEPEST or self._parts > MOST_PARTS:
            raise WireError("objects that are nested too deeply, or too many of them")
        if isinstance(found, Boxed):
            return found.value
        if isinstance(found, JavaList | JavaArray):
            return [self.of(item, depth + 1) for item in found.items]
        if isinstance(found, JavaMap):
            return {self._key(key): self.of(item, depth + 1) for key, item in found.pairs}
        if isinstance(found, JavaObject):
            # Some fields refer back to objects around them. They are converted into names, so that the tree has an end.
            named = _NAMED.get(found.java.simple_name, {})
            return {
                one.name: named.get(one.name, _Tree.of)(self, value, depth + 1)
                for one, value in zip(found.java.all_fields, found.values, strict=True)
            }
        return found.value if isinstance(found, StrEnum) else found

    def _key(self, key: Any) -> Any:
        return key.get("nickname") if isinstance(key, JavaObject) else self.of(key, DEEPEST)

    def owner(self, owner: JavaObject | None, depth: int) -> Any:
        """Returns the nickname of a professor's owner."""
        return None if owner is None else owner.get("nickname")

    def colors(self, professors: JavaList, depth: int) -> Any:
        """Returns the colours of a school board's professors."""
        return [professor.get("color").value for professor in professors.items]

    def character(self, card: JavaObject | None, depth: int) -> Any:
        return None if card is None else card.get("value").value

    def pairs(self, played: JavaMap, depth: int) -> Any:
        """Returns the pairs of a map that has players as keys."""
        return [(self.of(key, depth + 1), self.of(item, depth + 1)) for key, item in played.pairs]

    def nothing(self, value: Any, depth: int) -> Any:
        """Returns `None` for a reference that leads back to the containing object."""
        return None


#: By class and field, the functions that convert references which close a circle.
_NAMED: Mapping[str, Mapping[str, Callable[[_Tree, Any, int], Any]]] = {
    "Professor": {"owner": _Tree.owner},
    "SchoolBoard": {"professors": _Tree.colors},
    "DiningRoom": {"schoolBoard": _Tree.nothing},
    "Dashboard": {"playedCharacter": _Tree.character},
    "AvailableAssistants": {"playedAssistants": _Tree.pairs},
}


# Bytes


#: The first bytes of a stream in each direction: a magic number and the version.
HEADER = b"\xac\xed\x00\x05"

NULL = b"\x70"
REFERENCE = b"\x71"
CLASSDESC = b"\x72"
OBJECT = b"\x73"
STRING = b"\x74"
ARRAY = b"\x75"
CLASS = b"\x76"
BLOCKDATA = b"\x77"
END = b"\x78"
RESET = b"\x79"
ENUM = b"\x7e"

#: The number of the first handle of a message.
FIRST_HANDLE = 0x7E0000

#: The values in the serialization of a HashMap: the load factor, the threshold (0 for an empty map), and the number of buckets.
LOAD_FACTOR = b"\x3f\x40\x00\x00"
THRESHOLD = 12
BUCKETS = 16

INT = struct.Struct(">i")
SHORT = struct.Struct(">H")


class ObjectWriter:
    """Serializes a graph of objects, as Java's ObjectOutputStream does after a reset."""

    def __init__(self) -> None:
        self._out = bytearray()
        #: The handles by the written values. Objects are compared by identity, texts and numbers by value.
        self._handles: dict[Any, int] = {}

    def written(self, value: Any) -> bytes:
        """Returns the bytes of a value with all its parts."""
        self._value(value)
        return bytes(self._out)

    def descriptor(self, java: JavaClass) -> bytes:
        """Returns the bytes of the descriptors of a class and its superclasses."""
        self._descriptor(java)
        return bytes(self._out)

    def _new_handle(self, key: Any) -> None:
        """Gives a written value the next handle."""
        self._handles[key] = len(self._handles)

    def _referred(self, key: Any) -> bool:
        """Writes a reference to a value, if the value was written before. Returns whether it was."""
        handle = self._handles.get(key)
        if handle is None:
            return False
        self._out += REFERENCE + INT.pack(FIRST_HANDLE + handle)
        return True

    def _value(self, value: Any) -> None:
        """Writes any value: in full the first time, and as a reference later."""
        if value is None:
            self._out += NULL
        elif isinstance(value, StrEnum):
            self._constant(value)
        elif isinstance(value, str):
            self._text(value)
        # The other kinds of values have a handle by the object itself.
        elif not self._referred(value):
            if isinstance(value, JavaObject):
                self._begin(value, value.java)
                self._fields(value)
            elif isinstance(value, JavaList):
                self._list(value)
            elif isinstance(value, JavaMap):
                self._map(value)
            elif isinstance(value, JavaArray):
                self._begin(value, value.java, ARRAY)
                self._out += INT.pack(len(value.items))
                self._all(value.items)
            else:
                self._boxed(value)

    def _all(self, items: list[Any]) -> None:
        for item in items:
            self._value(item)

    def _text(self, text: str) -> None:
        """Writes a text: in full the first time, and as a reference later."""
        if not self._referred(text):
            self._out += STRING
            self._new_handle(text)
            self._out += java_string(text)

    def _constant(self, constant: StrEnum) -> None:
        """Writes a constant of an enumeration: in full the first time, and as a reference later."""
        key = (type(constant), constant.name)
        if not self._referred(key):
            self._begin(key, ENUM_CLASSES[type(constant)], ENUM)
            self._text(constant.name)

    def _boxed(self, number: Boxed) -> None:
        self._begin(number, INTEGER)
        self._out += INT.pack(number.value)

    def _begin(self, key: Any, java: JavaClass, tag: bytes = OBJECT) -> None:
        """
        Writes the beginning of an object: its tag and its class.

        :param key: the key of the object for its handle
        """
        self._out += tag
        self._descriptor(java)
        self._new_handle(key)

    def _descriptor(self, java: JavaClass | None) -> None:
        """Writes the descriptor of a class, or a reference to it, or null."""
        if java is None:
            self._out += NULL
            return
        if self._referred(java):
            return
        self._out += CLASSDESC + java_string(java.name) + java.uid
        self._new_handle(java)
        self._out += bytes([java.flags]) + SHORT.pack(len(java.fields))
        for one in java.fields:
            self._out += one.signature[:1].encode("ascii") + java_string(one.name)
            # A primitive type has no text of its own.
            if len(one.signature) > 1:
                self._text(one.signature)
        self._out += END
        self._descriptor(java.parent)

    def _fields(self, value: JavaObject) -> None:
        """Writes the values of an object's fields, in the order of its class."""
        for one, content in zip(value.java.all_fields, value.values, strict=True):
            if one.signature == "I":
                self._out += INT.pack(content)
            elif one.signature == "Z":
                self._out.append(content)
            else:
                self._value(content)

    def _list(self, value: JavaList) -> None:
        """Writes a java.util.ArrayList. Its size is written twice, as by Java."""
        size = INT.pack(len(value.items))
        self._begin(value, ARRAY_LIST)
        self._out += size + BLOCKDATA + b"\x04" + size
        self._all(value.items)
        self._out += END

    def _map(self, value: JavaMap) -> None:
        """Writes a java.util.HashMap or java.util.EnumMap."""
        size = INT.pack(len(value.pairs))
        if value.keys is None:
            self._begin(value, HASH_MAP)
            self._out += LOAD_FACTOR + INT.pack(THRESHOLD if value.pairs else 0)
            self._out += BLOCKDATA + b"\x08" + INT.pack(BUCKETS) + size
        else:
            self._begin(value, ENUM_MAP)
            self._class_object(value.keys)
            self._out += BLOCKDATA + b"\x04" + size
        for pair in value.pairs:
            self._all(list(pair))
        self._out += END

    def _class_object(self, kind: type[StrEnum]) -> None:
        """Writes an enumeration itself as a value: an EnumMap has the class of its keys."""
        if not self._referred(kind):
            self._out += CLASS
            self._descriptor(ENUM_CLASSES[kind])
            self._new_handle(kind)


def serialized(message: Message) -> bytes:
    """
    Returns the bytes of a message's object. The reset, a byte that separates the messages of a stream, is added by the
    codec.
    """
    return ObjectWriter().written(_Builder().build(message))
