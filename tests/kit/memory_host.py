"""A whole host in memory, and how tests and transcripts write the messages of this project's own wires."""

import json
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gamehost.entries import imported
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

# The console's messages: lines as they are, a prompt as `>`, telnet's options in angle brackets.


#: What the host says of telnet's options.
OPTIONS = {PROBE.data: "<probe>", ASK_TERMINAL.data: "<terminal?>", ASK_CHARSET.data: "<charset?>"}
OPTIONS |= {HIDE.data: "<hide>", SHOW.data: "<show>"}
#: What stands without a line end.
_PROMPTS = re.compile(rb"> |(?:Old p|New p|P)assword[^\n:.]*: ")
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


# All wires.


#: The wires that are not made of lines, and their words.
WORDED: Mapping[str, Callable[[], MessageText]] = {
    "console": ConsoleWords,
    "eriantys-java": imported("tests.kit.java_words:JavaWords"),
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
