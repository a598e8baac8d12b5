"""How tests write the messages of published clients of Eriantys: Java objects as words, and recorded streams."""

import gzip
import json
import subprocess
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

from msgspec.structs import fields

from gamehost.extras.dialects.eriantys_java import messages
from gamehost.extras.dialects.eriantys_java.client import JavaClientCodec
from gamehost.extras.dialects.eriantys_java.objects import (
    CLASSES,
    ENUMERATION,
    ENUMERATIONS,
    HEADER,
    SERIALIZABLE,
    JavaClass,
    JavaField,
)
from gamehost.testing.memory_host import Client as Client
from gamehost.testing.memory_host import Lines as Lines
from gamehost.testing.memory_host import MessageText as MessageText
from gamehost.testing.transcript import Drops as Drops
from gamehost.testing.transcript import Hears as Hears
from gamehost.testing.transcript import Passes as Passes
from gamehost.testing.transcript import Says as Says
from gamehost.testing.transcript import Step as Step
from gamehost.testing.transcript import Transcript as Transcript
from tests.kit.sources import ROOT


def message_said(line: str) -> Any:
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
    if isinstance(value, messages.Player):
        return value.nickname
    if isinstance(value, messages.GameInfo):
        kind = "expert" if value.expertGame else "normal"
        return f"({value.gameID}: {value.numOfWaitingPlayers} of {value.numOfTotalPlayers}, {kind})"
    if isinstance(value, messages.Island):
        return f"({_heap(value.students)}, {value.numUnits} {_shown(value.towerColor)})"
    if isinstance(value, Mapping):
        return "{" + " ".join(f"{_shown(key)}:{_shown(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return _shown(dict((_shown(key), item) for key, item in value))
    if isinstance(value, tuple):
        return "[" + " ".join(map(_shown, value)) + "]"
    return str(value)


def _heap(students: tuple[messages.Color, ...]) -> str:
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


def _rows(name: str) -> list[dict[str, Any]]:
    packed = (ROOT / "tests" / "vectors" / f"eriantys_java_{name}.jsonl.gz").read_bytes()
    return [json.loads(line) for line in gzip.decompress(packed).splitlines()]


@cache
def recorded(side: str) -> list[tuple[str, bytes, Any]]:
    """The messages of the client, `C`, or the server, `S`: the name, the bytes with their reset, and the values."""
    return [
        (row["message"], bytes.fromhex(row["hex"]), row["value"]) for row in _rows("messages") if row["dir"] == side
    ]


@cache
def segments() -> list[bytes]:
    """What a client sent in a whole expert game, segment by segment. The last message has no reset."""
    return [bytes.fromhex(row["hex"]) for row in _rows("stream")]


PROGRAM = ROOT / "tests" / "java" / "JavaClient.java"

_PRIMITIVE = {"I": "int", "Z": "boolean", "F": "float"}
#: Options that make a short run of a Java program start quickly.
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")


def _java_type(field: JavaField) -> str:
    if field.signature in _PRIMITIVE:
        return _PRIMITIVE[field.signature]
    array = "[]" if field.signature.startswith("[") else ""
    return field.signature.lstrip("[")[1:-1].replace("/", ".") + array


def _source(java: JavaClass) -> str:
    package, _, name = java.name.rpartition(".")
    if java.flags == ENUMERATION:
        constants = ", ".join(one.name for one in ENUMERATIONS[java.name])
        return f"package {package};\npublic enum {name} {{ {constants} }}\n"
    over = f"extends {java.parent.name} " if java.parent is not None else ""
    fields = "".join(f"    public {_java_type(field)} {field.name};\n" for field in java.fields)
    uid = f"    private static final long serialVersionUID = 0x{java.uid.hex()}L;\n"
    return f"package {package};\npublic class {name} {over}implements java.io.Serializable {{\n{uid}{fields}}}\n"


def _sources() -> Iterator[tuple[Path, str]]:
    for name, java in CLASSES.items():
        if name.startswith("it.") and java.flags in (SERIALIZABLE, ENUMERATION):
            yield Path(*name.split(".")).with_suffix(".java"), _source(java)


def compiled(folder: Path) -> Path:
    """Write the sources into a folder and compile them and the program. Gives the folder with the classes."""
    paths = []
    for path, text in _sources():
        target = folder / "sources" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
        paths.append(str(target))
    classes = folder / "classes"
    command = ["javac", *(f"-J{option}" for option in QUICK), "-nowarn", "-d", str(classes), *paths, str(PROGRAM)]
    subprocess.run(command, check=True, timeout=120, capture_output=True)
    return classes


def run(classes: Path, *arguments: str, given: bytes = b"") -> bytes:
    """Run the program with these arguments and this input. Gives what it writes."""
    command = ["java", *QUICK, "-cp", str(classes), "JavaClient", *arguments]
    return subprocess.run(command, input=given, check=True, timeout=120, capture_output=True).stdout
