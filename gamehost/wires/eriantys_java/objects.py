"""
Messages as graphs of Java objects, and back; and the bytes of such a graph: Java's object serialization, as far as this wire
needs it.

A board's objects refer to each other in a circle: a professor to its owner, the owner to the school board, the school board to
the professors. A message names a player by nickname and a professor by colour; here these become the objects themselves.

Sections of Java's "Object Serialization Stream Protocol": an object, its class descriptor and strings are written once in a
message, and take a handle each; further on they are references. A reset forgets all handles, so every message stands alone.
"""

import struct
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from attrs import define
from msgspec import Struct, ValidationError, convert

from gamehost.wires.eriantys_java import messages
from gamehost.wires.eriantys_java.classes import (
    ARRAY_LIST,
    CARD_CLASSES,
    CHARACTER_CARDS,
    CLASSES,
    ENUM_CLASSES,
    ENUM_MAP,
    HASH_MAP,
    INTEGER,
    JAVA_CLASSES,
    PROFESSORS,
    JavaClass,
    full_name,
)
from gamehost.wires.eriantys_java.messages import SERVER_TYPES, Message
from gamehost.wires.framing import WireError

#: The deepest nesting that a message can have.
DEEPEST = 12
#: The most parts of a message. A board has fewer than a thousand, a list of all games that wait too.
MOST_PARTS = 10_000

_DINING_ROOM = JAVA_CLASSES[messages.DiningRoom]
_PLAYER = JAVA_CLASSES[messages.Player]
_PROFESSOR = JAVA_CLASSES[messages.Professor]
_SCHOOL_BOARD = JAVA_CLASSES[messages.SchoolBoard]
_ENUM_MAP = "Ljava/util/EnumMap;"


@define(eq=False)
class JavaObject:
    """An object, with the values of its fields in the order of the stream."""

    java: JavaClass
    values: list[Any]

    def get(self, name: str) -> Any:
        """The value of a field."""
        return next(value for one, value in zip(self.java.all_fields, self.values, strict=True) if one.name == name)


@define(eq=False)
class JavaList:
    """A java.util.ArrayList."""

    items: list[Any]


@define(eq=False)
class JavaMap:
    """A java.util.HashMap; with the class of its keys a java.util.EnumMap."""

    pairs: list[tuple[Any, Any]]
    keys: type[StrEnum] | None = None


@define(eq=False)
class JavaArray:
    """An array."""

    java: JavaClass
    items: list[Any]


class Boxed(Struct, frozen=True):
    """A java.lang.Integer. Small ones are the same object in Java, so they are equal here."""

    value: int


def object_of(message: Message) -> Any:
    """The Java object, or the constant of an enumeration, that a message is."""
    return _Builder().build(message)


class _Builder:
    """The objects of one message. Each player, professor and card is one object, wherever it is referred to."""

    def __init__(self) -> None:
        self._players: dict[str, messages.Player] = {}
        self._player_objects: dict[str, JavaObject] = {}
        self._owners: dict[messages.Color, str | None] = {}
        self._professors: dict[messages.Color, JavaObject] = {}
        self._cards: dict[messages.CharacterEnum, JavaObject] = {}

    def build(self, value: Any) -> Any:
        """A value as an object."""
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, int):
            return Boxed(value)
        if isinstance(value, tuple):
            return JavaList([self.build(item) for item in value])
        if isinstance(value, Mapping):
            return JavaMap([(self.build(key), self.build(item)) for key, item in value.items()])
        special = _BUILT.get(type(value))
        return self._plain(value) if special is None else special(self, value)

    def _plain(self, value: Any, **known: Any) -> JavaObject:
        return self._of_class(JAVA_CLASSES[type(value)], value, known)

    def _of_class(self, java: JavaClass, value: Any, known: Mapping[str, Any] = {}) -> JavaObject:
        objects = []
        for one in java.all_fields:
            if one.name in known:
                objects.append(known[one.name])
            elif len(one.signature) == 1:
                objects.append(getattr(value, one.name))
            else:
                objects.append(self.build(getattr(value, one.name)))
        return JavaObject(java, objects)

    def board(self, message: messages.UpdateBoard) -> JavaObject:
        self._players = {player.nickname: player for player in message.players}
        self._owners = {professor.color: professor.owner for professor in message.dashboard.professors}
        return self._plain(message)

    def dashboard(self, dashboard: messages.Dashboard) -> JavaObject:
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
        known = self._professors.get(color)
        if known is None:
            self._professors[color] = known = JavaObject(_PROFESSOR, [color, None])
            owner = self._owners.get(color, holder)
            known.values[1] = None if owner is None else self._player(owner)
        return known

    def _player(self, nickname: str) -> JavaObject:
        known = self._player_objects.get(nickname)
        return self.player(self._players[nickname]) if known is None else known

    def player(self, player: messages.Player) -> JavaObject:
        known = self._player_objects.get(player.nickname)
        if known is not None:
            return known
        known = self._player_objects[player.nickname] = JavaObject(_PLAYER, [])
        known.values += self._plain(player, schoolBoard=self._school_board(player)).values
        return known

    def _school_board(self, player: messages.Player) -> JavaObject:
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


# Back: for the client's side


def message_of(found: Any) -> Message:
    """
    The server's message that an object is.

    :raises WireError: it is none, or its parts are not what they should be
    """
    if isinstance(found, messages.CommunicationMessage | messages.ErrorMessage):
        return found
    kind = SERVER_TYPES.get(found.java.simple_name) if isinstance(found, JavaObject) else None
    if kind is None or CLASSES[full_name(f"S.{kind.__name__}")] is not found.java:
        raise WireError("an object that is no message of the server")
    try:
        message: Message = convert(_Tree().of(found), kind)
    except (ValidationError, StopIteration, AttributeError, TypeError):
        raise WireError(f"{kind.__name__} has a part of another class") from None
    return message


class _Tree:
    """An object as a tree of dictionaries and lists, in which players and professors are named where they close a circle."""

    def __init__(self) -> None:
        self._parts = 0

    def of(self, found: Any, depth: int = 0) -> Any:
        """
        The tree of an object.

        :raises WireError: it is deeper or larger than that of any message; references can make it larger than its bytes
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
            named = _NAMED.get(found.java.simple_name, {})
            return {
                one.name: named.get(one.name, _Tree.of)(self, value, depth + 1)
                for one, value in zip(found.java.all_fields, found.values, strict=True)
            }
        return found.value if isinstance(found, StrEnum) else found

    def _key(self, key: Any) -> Any:
        return key.get("nickname") if isinstance(key, JavaObject) else self.of(key, DEEPEST)

    def owner(self, owner: JavaObject | None, depth: int) -> Any:
        """A professor's owner, by nickname."""
        return None if owner is None else owner.get("nickname")

    def colors(self, professors: JavaList, depth: int) -> Any:
        """A school board's professors, by colour."""
        return [professor.get("color").value for professor in professors.items]

    def character(self, card: JavaObject | None, depth: int) -> Any:
        """A card, by its constant."""
        return None if card is None else card.get("value").value

    def pairs(self, played: JavaMap, depth: int) -> Any:
        """The pairs of a map whose keys are players."""
        return [(self.of(key, depth + 1), self.of(item, depth + 1)) for key, item in played.pairs]

    def nothing(self, value: Any, depth: int) -> Any:
        """A reference that only goes back."""
        return None


#: Class -> field -> how a reference in a circle is named.
_NAMED: Mapping[str, Mapping[str, Callable[[_Tree, Any, int], Any]]] = {
    "Professor": {"owner": _Tree.owner},
    "SchoolBoard": {"professors": _Tree.colors},
    "DiningRoom": {"schoolBoard": _Tree.nothing},
    "Dashboard": {"playedCharacter": _Tree.character},
    "AvailableAssistants": {"playedAssistants": _Tree.pairs},
}


# Bytes


#: What each side sends first: a magic number and the version.
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

#: What a HashMap writes about itself: the load factor, its threshold unless it is empty, and the number of its buckets.
LOAD_FACTOR = b"\x3f\x40\x00\x00"
THRESHOLD = 12
BUCKETS = 16

INT = struct.Struct(">i")
SHORT = struct.Struct(">H")


def to_modified_utf8(text: str) -> bytes:
    """
    Modified UTF-8: NUL has two bytes, and a letter beyond the BMP is two surrogates of three bytes each.

    :raises WireError: half a surrogate pair
    """
    if text.isascii() and "\0" not in text:
        return text.encode("ascii")
    try:
        pairs = text.encode("utf-16-be")
    except UnicodeEncodeError:
        raise WireError("half a surrogate pair") from None
    units = (chr(unit) for (unit,) in SHORT.iter_unpack(pairs))
    return "".join(units).encode("utf-8", "surrogatepass").replace(b"\0", b"\xc0\x80")


def from_modified_utf8(data: bytes) -> str:
    """
    The inverse of `to_modified_utf8`.

    :raises WireError: not modified UTF-8, or half a surrogate pair
    """
    if b"\0" in data or any(byte >= 0xF0 for byte in data):
        raise WireError("text that is not modified UTF-8")
    try:
        text = data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
        return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be")
    except UnicodeDecodeError:
        raise WireError("text that is not modified UTF-8") from None


def utf(text: str) -> bytes:
    """A text with its length in bytes in front."""
    data = to_modified_utf8(text)
    return SHORT.pack(len(data)) + data


class ObjectWriter:
    """Writes one message."""

    def __init__(self) -> None:
        self._out = bytearray()
        #: What was written -> its handle. Objects are the same only if they are identical; texts and numbers by value.
        self._handles: dict[Any, int] = {}

    def written(self, value: Any) -> bytes:
        """The bytes of an object and all that it refers to."""
        self._value(value)
        return bytes(self._out)

    def descriptor(self, java: JavaClass) -> bytes:
        """The bytes of a class's descriptor and those of its superclasses."""
        self._descriptor(java)
        return bytes(self._out)

    def _new_handle(self, key: Any) -> None:
        self._handles[key] = len(self._handles)

    def _referred(self, key: Any) -> bool:
        """Write a reference, if this was written before."""
        handle = self._handles.get(key)
        if handle is None:
            return False
        self._out += REFERENCE + INT.pack(FIRST_HANDLE + handle)
        return True

    def _value(self, value: Any) -> None:
        if value is None:
            self._out += NULL
        elif isinstance(value, StrEnum):
            self._constant(value)
        elif isinstance(value, str):
            self._text(value)
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
        if not self._referred(text):
            self._out += STRING
            self._new_handle(text)
            self._out += utf(text)

    def _constant(self, constant: StrEnum) -> None:
        key = (type(constant), constant.name)
        if not self._referred(key):
            self._begin(key, ENUM_CLASSES[type(constant)], ENUM)
            self._text(constant.name)

    def _boxed(self, number: Boxed) -> None:
        self._begin(number, INTEGER)
        self._out += INT.pack(number.value)

    def _begin(self, key: Any, java: JavaClass, tag: bytes = OBJECT) -> None:
        self._out += tag
        self._descriptor(java)
        self._new_handle(key)

    def _descriptor(self, java: JavaClass | None) -> None:
        if java is None:
            self._out += NULL
            return
        if self._referred(java):
            return
        self._out += CLASSDESC + utf(java.name) + java.uid
        self._new_handle(java)
        self._out += bytes([java.flags]) + SHORT.pack(len(java.fields))
        for one in java.fields:
            self._out += one.signature[:1].encode("ascii") + utf(one.name)
            if len(one.signature) > 1:
                self._text(one.signature)
        self._out += END
        self._descriptor(java.parent)

    def _fields(self, value: JavaObject) -> None:
        for one, content in zip(value.java.all_fields, value.values, strict=True):
            if one.signature == "I":
                self._out += INT.pack(content)
            elif one.signature == "Z":
                self._out.append(content)
            else:
                self._value(content)

    def _list(self, value: JavaList) -> None:
        size = INT.pack(len(value.items))
        self._begin(value, ARRAY_LIST)
        self._out += size + BLOCKDATA + b"\x04" + size
        self._all(value.items)
        self._out += END

    def _map(self, value: JavaMap) -> None:
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
        if not self._referred(kind):
            self._out += CLASS
            self._descriptor(ENUM_CLASSES[kind])
            self._new_handle(kind)


def serialized(message: Message) -> bytes:
    """The bytes of a message, without a reset."""
    return ObjectWriter().written(object_of(message))
