"""
The Java classes of this wire, as tables: names, serial version UIDs and fields, recorded from the published programs.

Nothing else is ever read or written. Fields stand in the order of the stream: primitive ones by name, then references by name.
"""

from collections.abc import Mapping
from enum import StrEnum
from itertools import chain

from attrs import field, frozen

from gamehost.wires.eriantys_java import messages

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
#: Classes over others: name, UID, superclass, fields.
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
    """The Java name of `M.Color`: `it.polimi.ingsw.model.Color`."""
    package, name = short.split(".")
    return _PACKAGES[package] + name


def _signature(kind: str) -> str:
    """A field's type as a descriptor has it."""
    if kind in "IZF":
        return kind
    array = "[" if kind.startswith("[") else ""
    return f"{array}L{full_name(kind.removeprefix('[')).replace('.', '/')};"


@frozen(eq=False)
class JavaField:
    """A field of a class."""

    name: str
    #: `I`, `Z`, `F`, or the signature of a class or an array.
    signature: str


@frozen(eq=False)
class JavaClass:
    """A class as its descriptor says."""

    name: str
    #: Eight bytes.
    uid: bytes
    flags: int
    fields: tuple[JavaField, ...] = ()
    parent: "JavaClass | None" = None
    #: All fields in the order of their values: those of the topmost superclass first.
    all_fields: tuple[JavaField, ...] = field(init=False)

    @all_fields.default
    def _all_fields(self) -> tuple[JavaField, ...]:
        return (self.parent.all_fields if self.parent is not None else ()) + self.fields

    @property
    def simple_name(self) -> str:
        """The name without its package."""
        return self.name.rpartition(".")[2]


def _class(line: str, flags: int) -> JavaClass:
    name, uid, *members = line.split()
    fields = [member.split(":") for member in members]
    return JavaClass(
        full_name(name), bytes.fromhex(uid), flags, tuple(JavaField(one, _signature(kind)) for one, kind in fields)
    )


def _read_tables() -> Mapping[str, JavaClass]:
    found = {
        one.name: one
        for one in (_class(line, SERIALIZABLE) for line in chain(*map(_lines, (_CLIENT, _SERVER, _MODEL))))
    }
    found |= {one.name: one for one in (_class(line, WITH_METHOD) for line in _lines(_CONTAINERS))}
    for line in _lines(_OVER):
        name, uid, parent, *members = line.split()
        over = _class(" ".join((name, uid, *members)), SERIALIZABLE)
        found[over.name] = JavaClass(over.name, over.uid, over.flags, over.fields, found[full_name(parent)])
    for short, uid in _ARRAYS.items():
        name = f"[L{full_name(short)};"
        found[name] = JavaClass(name, bytes.fromhex(uid), SERIALIZABLE)
    found[ENUM.name] = ENUM
    for package, kinds in _ENUMERATIONS.items():
        for kind in kinds:
            name = full_name(f"{package}.{kind.__name__}")
            found[name] = JavaClass(name, bytes(8), ENUMERATION, (), ENUM)
    return found


def _lines(table: str) -> list[str]:
    return table.strip().splitlines()


#: The superclass of all enumerations.
ENUM = JavaClass("java.lang.Enum", bytes(8), ENUMERATION)

#: Every class of this wire by its Java name.
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

#: The Java classes of messages and their parts, by the Python class. A character's card has one for each character instead.
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
#: The class of each character's card.
CARD_CLASSES: Mapping[messages.CharacterEnum, JavaClass] = {
    one: CLASSES[full_name(f"X.{one.name}")] for one in messages.CharacterEnum
}
