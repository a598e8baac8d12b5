"""
Frames and messages of a Stratego wire. A frame is a header of six bytes with the type and the size of its payload, then
the payload with fields in Java's encoding.

    offset  size
    0       1     0x2A
    1       1     frame type
    2       2     sequence number, counted separately in each direction
    4       2     size of the payload

Numbers are big-endian. An int has four bytes and a sign, and a char is one UTF-16 code unit. A String is its size in
two bytes, then modified UTF-8. A header that no client's frame can have is refused at once, before its payload comes.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from struct import Struct
from typing import Any

from gamehost.wires.framing import FrameBuffer, WireError, from_modified_utf8, java_string
from gamehost.wires.stratego_frames import messages as m

MARK = 0x2A

#: The largest payload that a client may send, in bytes. The longest name needs 122 bytes: twenty letters of six bytes,
#: and the size.
PAYLOAD_LIMIT = 256

HEADER = Struct(">BBHH")
SIZE = Struct(">H")
SETUP = Struct(">Hii")
MOVE = Struct(">iiii")

_START = HEADER.size
_FIXED: Mapping[Any, int] = {m.Setup: SETUP.size, m.Move: MOVE.size, m.Resign: 0}


def _read_string(frame: bytes) -> str | None:
    """Returns the String that is the whole payload of a frame; `None`: the payload is not a valid String."""
    (size,) = SIZE.unpack_from(frame, _START)
    data = frame[_START + SIZE.size :]
    # The size in front of the text must be the size of the rest of the payload.
    if size != len(data):
        return None
    try:
        return from_modified_utf8(data)
    except WireError:
        return None


def _read_setup(frame: bytes) -> m.Setup:
    piece, x, y = SETUP.unpack_from(frame, _START)
    return m.Setup(chr(piece), x, y)


_READERS: Mapping[int, Callable[[bytes], m.FromClient]] = {
    1: lambda frame: m.SignOn(_read_string(frame)),
    2: _read_setup,
    3: lambda frame: m.Ready(_read_string(frame) or ""),
    4: lambda frame: m.Move(*MOVE.unpack_from(frame, _START)),
    17: lambda frame: m.Resign(),
}


def payload_size(header: bytes, known: Mapping[int, type] = m.CLIENT_FRAMES) -> int:
    """
    Returns the number of bytes after a header.

    :param known: the frame types that a client may send
    :raises WireError: no frame of a client can have this header
    """
    _, kind, _, size = HEADER.unpack(header)
    message = known.get(kind)
    if message is None:
        raise WireError("a client sends frames of type 1 to 4, or 17 (Resign)")
    # `None`: the payload is a String, of any length up to the limit.
    fixed = _FIXED.get(message)
    if fixed is None:
        if not SIZE.size <= size <= PAYLOAD_LIMIT:
            raise WireError(f"a payload that is a String has {SIZE.size} to {PAYLOAD_LIMIT} bytes")
    elif size != fixed:
        raise WireError(f"the payload of a {message.__name__} Frame has {fixed} bytes")
    return int(size)


#: The messages of the server that always have the same payload.
PLAIN: Mapping[type, str] = {
    m.Wait: "wait",
    m.Connected: "connected",
    m.PlacementValid: "valid",
    m.PlacementInvalid: "invalid",
    m.MoveInvalid: "invalid move",
}
_WRITERS: Mapping[type, Callable[[Any], bytes]] = {
    **dict.fromkeys(PLAIN, lambda message: java_string(PLAIN[type(message)])),
    m.Playing: lambda message: java_string(message.username),
    m.Move: lambda message: MOVE.pack(message.x, message.y, message.to_x, message.to_y),
    m.Board: lambda message: message.squares.encode("utf-16-be"),
    m.Battle: lambda message: java_string(message.winner) + (message.attacker + message.defender).encode("utf-16-be"),
    m.GameOver: lambda message: java_string(message.winner),
    m.Error: lambda message: java_string(message.reason),
    m.Side: lambda message: message.side.encode("utf-16-be"),
}
_SENT = {kind: (m.SERVER_FRAMES[kind], write) for kind, write in _WRITERS.items()}


class FramesCodec:
    """
    Reads and writes the frames of one connection.

    :param known: the frame types that a client may send
    """

    def __init__(self, known: Mapping[int, type] = m.CLIENT_FRAMES) -> None:
        self._frames = FrameBuffer(HEADER.size, partial(payload_size, known=known), MARK)
        #: The sequence number of the next frame that is written.
        self.sequence = 0

    @property
    def unfinished(self) -> bool:
        return self._frames.unfinished

    def feed(self, data: bytes) -> Iterator[m.Message]:
        """Yields the messages that are complete now. The client's sequence numbers are ignored."""
        for frame in self._frames.feed(data):
            yield _READERS[frame[1]](frame)

    def whole(self, data: bytes) -> m.Message | None:
        """Returns the message, if the bytes are exactly one frame; otherwise `None`."""
        frame = self._frames.whole(data)
        return None if frame is None else _READERS[frame[1]](frame)

    def encode(self, message: m.Message) -> bytes:
        """Returns a server's message as the next frame of the connection. Each call uses one sequence number."""
        kind, write = _SENT[type(message)]
        payload = write(message)
        sequence = self.sequence
        # The number has two bytes, so 0 follows 65535.
        self.sequence = (sequence + 1) & 0xFFFF
        return HEADER.pack(MARK, kind, sequence, len(payload)) + payload


def strict_codec() -> FramesCodec:
    """Returns a codec that reads only the document's frames, without extensions."""
    return FramesCodec(m.DOCUMENTED_FRAMES)
