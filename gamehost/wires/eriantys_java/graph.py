"""
Messages as graphs of Java objects, and back.

A board's objects refer to each other in a circle: a professor to its owner, the owner to the school board, the school board to
the professors. A message names a player by nickname and a professor by colour; here these become the objects themselves.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from attrs import define
from msgspec import Struct, ValidationError, convert

from gamehost.wires.eriantys_java import messages
from gamehost.wires.eriantys_java.classes import (
    CARD_CLASSES,
    CHARACTER_CARDS,
    CLASSES,
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
