"""
The messages of Java objects in words, both ways: the client's side of the wire, for tests and transcripts.

Said: `LoginMessage nickname=ann`, `ChosenTower color=BLACK`, `ChosenStudent student=null`, and `bytes 73 72` as they are.
Heard: `SUCCESS`, `ErrorMessage FULL_GAME`, `WaitingForPlayers gameID=1`, and so on. Of a player only the name is shown, and of
a board what fits in a line.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, get_args, get_type_hints

from msgspec.structs import fields

from gamehost.wires.eriantys_java import messages, values
from gamehost.wires.eriantys_java.client import JavaClientCodec
from gamehost.wires.eriantys_java.stream import HEADER


def message_said(line: str) -> Any:
    """A client's message from its words."""
    name, *settings = line.split()
    kind = messages.CLIENT_TYPES[name]
    hints = get_type_hints(kind)
    given = dict(setting.split("=", 1) for setting in settings)
    return kind(**{key: _value(text, hints[key]) for key, text in given.items()})


def _value(text: str, hint: Any) -> Any:
    if text == "null":
        return None
    kind = next((one for one in get_args(hint) if one is not type(None)), hint)
    if kind is bool:
        return text == "true"
    return kind(text)


def words_of(message: Any) -> str:
    """A message in words."""
    if isinstance(message, messages.CommunicationMessage):
        return message.value
    if isinstance(message, messages.ErrorMessage):
        return f"ErrorMessage {message.value}"
    if isinstance(message, messages.CommunicateWinner):
        winners = f"nicknames={_shown(message.nicknames)} team={_shown(message.team)}"
        return f"CommunicateWinner {winners}\nwinReason {message.winReason.value}"
    if isinstance(message, messages.UpdateBoard):
        return f"UpdateBoard {_board(message)}"
    parts = [f"{one.name}={_shown(getattr(message, one.name))}" for one in fields(type(message))]
    return " ".join([type(message).__name__, *parts])


def _shown(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, values.Player):
        return value.nickname
    if isinstance(value, values.GameInfo):
        kind = "expert" if value.expertGame else "normal"
        return f"({value.gameID}: {value.numOfWaitingPlayers} of {value.numOfTotalPlayers}, {kind})"
    if isinstance(value, values.Island):
        return f"({_heap(value.students)}, {value.numUnits} {_shown(value.towerColor)})"
    if isinstance(value, Mapping):
        return "{" + " ".join(f"{_shown(key)}:{_shown(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return _shown(dict((_shown(key), item) for key, item in value))
    if isinstance(value, tuple):
        return "[" + " ".join(map(_shown, value)) + "]"
    return str(value)


def _heap(students: tuple[values.Color, ...]) -> str:
    """Students by the first letters of their colours, such as `YYR`."""
    return "".join(student.name[0] for student in students) or "-"


def _board(message: messages.UpdateBoard) -> str:
    board = message.dashboard
    parts = [f"{board.motherNaturePosition}", " ".join(map(_shown, board.islands))]
    parts.append("clouds " + " ".join(_heap(cloud.students) for cloud in board.clouds))
    for player in message.players:
        school, card = player.schoolBoard, player.playedAssistant
        dining = "".join(str(count) for count in school.diningRoom.students.values())
        professors = _heap(school.professors)
        words = f"{player.nickname}: {_heap(school.entrance.students)} {dining} {professors} {school.numTower}"
        parts.append(f"{words} {_shown(school.towerColor)} {_shown(card)} {school.coins}")
    cards = [card for card in board.characters if card is not None]
    parts += [f"{card.value}: {card.cost} {card.noEntryTiles} {_heap(card.students or ())}" for card in cards]
    return ", ".join(parts)


class JavaWords:
    """One connection, seen from the client."""

    def __init__(self) -> None:
        self._codec = JavaClientCodec()
        #: Whether the header of the stream was sent.
        self.greeted = False
        #: The last message of each type that was heard.
        self.last: dict[type, Any] = {}

    @property
    def unread(self) -> bytes:
        """A message that is not whole."""
        return bytes(self._codec._rest)

    def said(self, line: str) -> bytes:
        """A message in words as bytes. The stream's header comes first, unless bytes are said as they are."""
        if line.startswith("bytes"):
            self.greeted = True
            return bytes.fromhex(line.removeprefix("bytes"))
        data = JavaClientCodec().encode(message_said(line))
        if self.greeted:
            data = data.removeprefix(HEADER)
        self.greeted = True
        return data

    def heard(self, data: bytes) -> list[str]:
        """The messages that are whole now, in words."""
        found = []
        for message in self._codec.feed(data):
            self.last[type(message)] = message
            found += words_of(message).split("\n")
        return found
