"""A whole host in memory, and how tests and transcripts write the messages of this project's own wires."""

import gzip
import json
import re
import struct
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
from gamehost.tables.table import Table
from gamehost.testing import memory_host
from gamehost.testing.memory_host import Client as Client
from gamehost.testing.memory_host import Lines as Lines
from gamehost.testing.memory_host import MessageText as MessageText
from gamehost.testing.transcript import Drops as Drops
from gamehost.testing.transcript import Hears as Hears
from gamehost.testing.transcript import Passes as Passes
from gamehost.testing.transcript import Says as Says
from gamehost.testing.transcript import Step as Step
from gamehost.testing.transcript import Transcript as Transcript
from gamehost.testing.transcript import read_transcripts
from gamehost.wires.console.codec import ASK_CHARSET, ASK_TERMINAL, HIDE, PROBE, SHOW, TERMINAL_TYPE, WINDOW_SIZE
from tests.kit.sources import ROOT

# The console's messages: lines as they are, a prompt as `>`, telnet's options in angle brackets.


#: What the host says of telnet's options.
OPTIONS = {PROBE.data: "<probe>", ASK_TERMINAL.data: "<terminal?>", ASK_CHARSET.data: "<charset?>"}
OPTIONS |= {HIDE.data: "<hide>", SHOW.data: "<show>"}
#: What stands without a line end.
_PROMPTS = re.compile(rb"> |Password[^\n:]*: ")
#: What a client's telnet says.
SAID = {
    "<will terminal>": bytes((255, 251, TERMINAL_TYPE)),
    "<do charset>": bytes((255, 253, 42)),
    "<window 60>": bytes((255, 250, WINDOW_SIZE, 0, 60, 0, 24, 255, 240)),
    "<terminal xterm>": bytes((255, 250, TERMINAL_TYPE, 0)) + b"XTERM" + bytes((255, 240)),
    "<charset utf-8>": bytes((255, 250, 42, 2)) + b"UTF-8" + bytes((255, 240)),
}
#: The end of the host's options: two kinds of them.
_OPTION = re.compile(rb"\xff[\xfb-\xfe].|\xff\xfa[^\xff]*\xff\xf0", re.DOTALL)


def without_options(data: bytes) -> bytes:
    """The text alone."""
    return _OPTION.sub(b"", data)


class ConsoleWords(Lines):
    """
    Lines, prompts and options. A prompt is `>`, or the question without the space behind it. An empty line that only ends a
    prompt is not told.
    """

    def __init__(self) -> None:
        super().__init__()
        self._prompted = False

    def said(self, line: str) -> bytes:
        """A line with its end, or what a telnet says."""
        if line.startswith("<"):
            return b"".join(SAID[part + ">"] for part in line.split(">")[:-1])
        self._prompted = False
        return super().said(line)

    def heard(self, data: bytes) -> list[str]:
        rest, words = self.unread + data, []
        while rest:
            option = next((one for one in OPTIONS if rest.startswith(one)), None)
            prompt = _PROMPTS.match(rest)
            if option is not None:
                words.append(OPTIONS[option])
                rest = rest[len(option) :]
            elif prompt is not None:
                words.append(prompt.group().decode().rstrip())
                rest, self._prompted = rest[prompt.end() :], True
            elif rest.startswith(b"\xff"):  # an answer to an option that no transcript names, or the beginning of one
                if len(rest) < 3 or any(one.startswith(rest) for one in OPTIONS):
                    break
                rest = rest[3:]
            elif b"\n" in rest:
                line, rest = rest.split(b"\n", 1)
                text = line.removesuffix(b"\r").decode("utf-8")
                if text or not self._prompted:
                    words.append(text)
                self._prompted = False
            else:
                break
        self.unread = rest
        return words


# The messages of the final dialect of Onitama as text: without the zero byte at the end.


class ZeroBytes(Lines):
    """A message is its text. The zero byte behind it is not written."""

    END = b"\0"


# The frames of Stratego in words, both ways: the client's side of the wire, written from its document alone.
#
# Said: `Sign On "ann"`, `Setup 9 (0,3)`, `Setup F123344455 (0,0)` (ten frames, to the right from there), `Ready "ready"`,
# `Move (0,3) (0,4)`, and `bytes 2A 00` as they are; a char that does not print is written like a String. Heard:
# `Playing "ann"`, `Battle "ann" 3 8`, `Board` with its rows from y 0 to y 9, and so on.


CLIENT_FRAMES = {"Sign On": 1, "Setup": 2, "Ready": 3, "Move": 4, "Resign": 17}
SERVER_FRAMES = {
    "Wait": 1,
    "Connected": 2,
    "Placement Valid": 3,
    "Placement Invalid": 4,
    "Playing": 5,
    "Move": 6,
    "Board": 7,
    "Move Invalid": 8,
    "Battle": 9,
    "Game Over": 10,
    "Error": 15,
    "Side": 16,
}
_SERVER_NAMES = {kind: name for name, kind in SERVER_FRAMES.items()}

_STRING = r'"(?:[^"\\]|\\.)*"'
_FIELD = re.compile(rf"{_STRING}|\(-?[0-9]+,-?[0-9]+\)|\S+")


def frame(kind: int, payload: bytes, sequence: int = 0) -> bytes:
    return b"*" + struct.pack(">BHH", kind, sequence, len(payload)) + payload


def write_utf(text: str) -> bytes:
    data = bytearray()
    units = text.encode("utf-16-be", "surrogatepass")
    for (unit,) in struct.iter_unpack(">H", units):
        if 1 <= unit <= 0x7F:
            data.append(unit)
        elif unit <= 0x7FF:
            data += bytes((0xC0 | unit >> 6, 0x80 | unit & 0x3F))
        else:
            data += bytes((0xE0 | unit >> 12, 0x80 | unit >> 6 & 0x3F, 0x80 | unit & 0x3F))
    return struct.pack(">H", len(data)) + data


def read_utf(data: bytes) -> str:
    (size,) = struct.unpack_from(">H", data)
    assert size == len(data) - 2, "a String that does not fill its place"
    units = []
    rest = list(data[2:])
    while rest:
        first = rest.pop(0)
        if first < 0x80:
            units.append(first)
        elif first >> 5 == 0b110:
            units.append((first & 0x1F) << 6 | rest.pop(0) & 0x3F)
        else:
            assert first >> 4 == 0b1110, "not modified UTF-8"
            units.append((first & 0x0F) << 12 | (rest.pop(0) & 0x3F) << 6 | rest.pop(0) & 0x3F)
    return struct.pack(f">{len(units)}H", *units).decode("utf-16-be")


def _fields(text: str) -> bytes:
    """Fields in words as a payload: a String, a pair of ints or chars."""
    payload = b""
    for field in _FIELD.findall(text):
        if field[0] == '"':
            payload += write_utf(json.loads(field))
        elif field[0] == "(":
            payload += struct.pack(">ii", *map(int, field[1:-1].split(",")))
        else:
            payload += field.encode("utf-16-be")
    return payload


def _setups(text: str) -> Iterator[bytes]:
    """The payloads of Setup frames: one, or one for each piece of a run."""
    piece, place = _FIELD.findall(text)
    x, y = map(int, place[1:-1].split(","))
    pieces = json.loads(piece) if piece[0] == '"' else piece
    for step, one in enumerate(pieces):
        yield one.encode("utf-16-be", "surrogatepass") + struct.pack(">ii", x + step, y)


def client_frames(line: str, sequence: int) -> list[bytes]:
    """What a client sends, in words, as frames that are numbered from here on."""
    if line.startswith("bytes "):
        return [bytes.fromhex(line.removeprefix("bytes "))]
    name = next(name for name in CLIENT_FRAMES if line.startswith(name))
    text = line.removeprefix(name).strip()
    payloads = _setups(text) if name == "Setup" else [_fields(text)]
    return [frame(CLIENT_FRAMES[name], payload, sequence + step) for step, payload in enumerate(payloads)]


def server_frame(line: str, sequence: int) -> bytes:
    """What the server sends, in words, as a frame."""
    name = max((name for name in SERVER_FRAMES if line.startswith(name)), key=len)
    text = line.removeprefix(name).strip()
    if name == "Board":
        return frame(SERVER_FRAMES[name], text.replace("/", "").encode("utf-16-be"), sequence)
    return frame(SERVER_FRAMES[name], _fields(text), sequence)


def _in_words(kind: int, payload: bytes) -> str:
    name = _SERVER_NAMES[kind]
    if name == "Move":
        x, y, to_x, to_y = struct.unpack(">iiii", payload)
        return f"Move ({x},{y}) ({to_x},{to_y})"
    if name == "Board":
        assert len(payload) == 200, "a board has 100 chars"
        squares = payload.decode("utf-16-be")
        return "Board " + "/".join(squares[start : start + 10] for start in range(0, 100, 10))
    if name == "Side":
        return f"Side {payload.decode('utf-16-be')}"
    if name == "Battle":
        pieces = payload[-4:].decode("utf-16-be")
        return f"Battle {_quoted(payload[:-4])} {pieces[0]} {pieces[1]}"
    return f"{name} {_quoted(payload)}"


def _quoted(data: bytes) -> str:
    return json.dumps(read_utf(data), ensure_ascii=False)


def without_additions(lines: list[str]) -> list[str]:
    """The frames without Side, and without the Error that gives the reason of the refusal behind it."""
    following = [*lines, ""][1:]
    refusals = ("Placement Invalid ", "Move Invalid ")
    return [
        line
        for line, then in zip(lines, following, strict=True)
        if not line.startswith("Side ") and not (line.startswith("Error ") and then.startswith(refusals))
    ]


class FrameWords:
    """One connection, seen from the client: it numbers what it says, and checks the numbers of what it hears."""

    def __init__(self) -> None:
        #: Whether to pass over the frames that only add to the document's: Side, and the reason before a refusal.
        self.documented = False
        self._unread = b""
        self._said = 0
        self._heard = 0

    @property
    def unread(self) -> bytes:
        return self._unread

    def said(self, line: str) -> bytes:
        """A line's frames."""
        frames = client_frames(line, self._said)
        self._said += len(frames)
        return b"".join(frames)

    def heard(self, data: bytes) -> list[str]:
        """The frames that are whole now, in words."""
        self._unread += data
        lines = []
        while len(self._unread) >= 6:
            mark, kind, sequence, size = struct.unpack(">BBHH", self._unread[:6])
            assert mark == 0x2A, "a frame without its mark"
            if len(self._unread) < 6 + size:
                break
            assert sequence == self._heard % 65_536, "a frame out of sequence"
            self._heard += 1
            lines.append(_in_words(kind, self._unread[6 : 6 + size]))
            self._unread = self._unread[6 + size :]
        return without_additions(lines) if self.documented else lines


# Java messages as words, and recorded streams.


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


# All wires.


#: The wires that are not made of lines, and their words.
WORDED: Mapping[str, type[MessageText]] = {
    "console": ConsoleWords,
    "eriantys-java": JavaWords,
    "onitama-final": ZeroBytes,
    "stratego-frames": FrameWords,
}


def message_text_of(wire: str) -> MessageText:
    """A spelling for one connection of a wire."""
    return WORDED.get(wire, Lines)()


# The transcripts of this project's own wires.


HOME = Path(__file__).parents[1] / "transcripts"


def transcripts(wire: str) -> Iterator[Transcript]:
    return read_transcripts(HOME / wire, wire in WORDED)


# A whole host in memory, which knows how this project's own wires are written.


def master_of(world: "MemoryHost") -> Any:
    """The master of the only table in memory."""
    [table] = world.lobby.tables.values()
    return table._master


def only_table(world: "MemoryHost") -> Table[Any, Any]:
    """The only table of a host; one that sleeps is loaded for that, and sleeps again."""
    [number] = world.unfinished
    if number in world.lobby.tables:
        return world.lobby.tables[number]
    seats, registry = world.lobby.seats, world.lobby.registry
    if number not in seats.in_memory:
        seats.load(next(one for one in registry.wake(number).sessions if one is not None))
        # A long record is followed in slices, one in each turn of the reactor.
        world.until_idle()
    return seats.in_memory[number]


class MemoryHost(memory_host.MemoryHost):
    """A host with this project's wires."""

    texts = WORDED

    def come(self, *names: str, wire: str = "toy", address: str = "192.0.2.1") -> list[Client]:
        """Players who log in one after the other, on the toy wire or with `LOGIN|NAME`."""
        clients = [self.connect(wire, address) for _ in names]
        for client, name in zip(clients, names, strict=True):
            client.say(f"hi {name}" if wire == "toy" else f"LOGIN|{name}")
        return clients
