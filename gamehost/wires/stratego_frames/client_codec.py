"""
The client's side of the frames: reads what the server says, and writes what a client says.

The server's sequence numbers are ignored, as the server ignores a client's.
"""

from collections.abc import Callable, Iterator, Mapping
from struct import error as StructError

from gamehost.wires.framing import FrameBuffer, WireError
from gamehost.wires.stratego_frames.codec import (
    HEADER,
    MARK,
    MOVE,
    PAYLOAD_LIMIT,
    SETUP,
    SIZE,
    Malformed,
    from_modified_utf8,
    string,
)
from gamehost.wires.stratego_frames.messages import (
    CLIENT_FRAMES,
    SERVER_FRAMES,
    Battle,
    Board,
    Connected,
    Error,
    FromServer,
    GameOver,
    Message,
    Move,
    MoveInvalid,
    PlacementInvalid,
    PlacementValid,
    Playing,
    Ready,
    Resign,
    Setup,
    Side,
    SignOn,
    Wait,
)

#: The largest payload of the server in bytes: a sentence for people has at most a few hundred.
SERVER_PAYLOAD_LIMIT = 4096

#: How many squares a board has; each is one char.
SQUARES = 100

_CHAR = 2
_FIXED: Mapping[type, int] = {Move: MOVE.size, Board: SQUARES * _CHAR, Side: _CHAR}
#: Messages with one payload only.
_PLAIN: Mapping[type, str] = {
    Wait: "wait",
    Connected: "connected",
    PlacementValid: "valid",
    PlacementInvalid: "invalid",
    MoveInvalid: "invalid move",
}
_KINDS: Mapping[int, type] = {number: kind for kind, number in SERVER_FRAMES.items()}
_TYPES: Mapping[type, int] = {kind: number for number, kind in CLIENT_FRAMES.items()}


def payload_size(header: bytes) -> int:
    """
    How many bytes follow a header.

    :raises WireError: no frame of the server has this header
    """
    _, number, _, size = HEADER.unpack(header)
    kind = _KINDS.get(number)
    if kind is None:
        raise WireError("a server sends frames of type 1 to 10, 15 (Error) or 16 (Side)")
    fixed = _FIXED.get(kind)
    if fixed is not None and size != fixed:
        raise WireError(f"the payload of {kind.__name__} has {fixed} bytes")
    if not SIZE.size <= size <= SERVER_PAYLOAD_LIMIT:
        raise WireError(f"the payload of {kind.__name__} has {SIZE.size} to {SERVER_PAYLOAD_LIMIT} bytes")
    return int(size)


def _chars(data: bytes) -> str:
    try:
        return data.decode("utf-16-be")
    except UnicodeDecodeError:
        raise WireError("chars that are not UTF-16") from None


def _string(data: bytes) -> str:
    if SIZE.unpack_from(data)[0] != len(data) - SIZE.size:
        raise WireError("a String whose size is not that of the payload")
    try:
        return from_modified_utf8(data[SIZE.size :])
    except Malformed:
        raise WireError("a String that is not modified UTF-8") from None


def _battle(payload: bytes) -> Battle:
    winner, pieces = payload[: -2 * _CHAR], payload[-2 * _CHAR :]
    if len(winner) < SIZE.size:
        raise WireError("the payload of Battle is a String and two chars")
    letters = _chars(pieces)
    if len(letters) != 2:
        raise WireError("chars that are not UTF-16")
    return Battle(_string(winner), *letters)


def _board(payload: bytes) -> Board:
    squares = _chars(payload)
    if len(squares) != SQUARES:
        raise WireError(f"a board has {SQUARES} chars")
    return Board(squares)


_READERS: Mapping[type, Callable[[bytes], FromServer]] = {
    Playing: lambda payload: Playing(_string(payload)),
    Move: lambda payload: Move(*MOVE.unpack(payload)),
    Board: _board,
    Battle: _battle,
    GameOver: lambda payload: GameOver(_string(payload)),
    Error: lambda payload: Error(_string(payload)),
    Side: lambda payload: Side(_chars(payload)),
}


def _read(frame: bytes) -> FromServer:
    kind, payload = _KINDS[frame[1]], frame[HEADER.size :]
    reader = _READERS.get(kind)
    if reader is not None:
        return reader(payload)
    if _string(payload) != _PLAIN[kind]:
        raise WireError(f'the payload of {kind.__name__} is the String "{_PLAIN[kind]}"')
    message: FromServer = kind()
    return message


def _piece(text: str) -> int:
    if len(text) != 1 or ord(text) > 0xFFFF:
        raise WireError("a piece is one char")
    return ord(text)


def _text(text: str) -> bytes:
    try:
        data = string(text)
    except (UnicodeEncodeError, StructError):
        raise WireError("text that cannot be written as a String") from None
    if len(data) > PAYLOAD_LIMIT:
        raise WireError(f"a payload that is a String has at most {PAYLOAD_LIMIT} bytes")
    return data


def _payload(message: Message) -> bytes:
    match message:
        case SignOn(str(username)):
            return _text(username)
        case Setup(piece, x, y):
            return SETUP.pack(_piece(piece), x, y)
        case Ready(text):
            return _text(text)
        case Move(x, y, to_x, to_y):
            return MOVE.pack(x, y, to_x, to_y)
        case Resign():
            return b""
    raise WireError(f"a client does not say {message!r}")


class FramesClientCodec:
    """Reads and writes the frames of one connection, on the client's side."""

    def __init__(self) -> None:
        self._frames = FrameBuffer(HEADER.size, payload_size, MARK)
        self._sequence = 0

    @property
    def unfinished(self) -> bool:
        """Whether a frame has begun that has not ended."""
        return self._frames.unfinished

    def feed(self, data: bytes) -> Iterator[Message]:
        """
        The messages of the server that are complete now.

        :raises WireError: a frame without its mark, of a type that servers do not send, or with another payload
        """
        for frame in self._frames.feed(data):
            yield _read(frame)

    def encode(self, message: Message) -> bytes:
        """
        A client's message as the next frame of the connection. Each call uses one sequence number.

        :raises WireError: it cannot be written; the codec can be used further
        """
        try:
            payload = _payload(message)
        except StructError:
            raise WireError("a coordinate that is not a whole number of 32 bits") from None
        sequence = self._sequence
        self._sequence = (sequence + 1) & 0xFFFF
        return HEADER.pack(MARK, _TYPES[type(message)], sequence, len(payload)) + payload
