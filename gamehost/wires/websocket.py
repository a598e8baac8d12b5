"""
WebSocket as RFC 6455 describes it, behind the handshake: frames in, messages out, and back. Pure.

wsproto parses the frames. A message is text of bounded size, in one frame or in fragments, without extensions. Pings and
closing frames are messages, too: the conversation answers them. The first thing that a server sends is the answer to the
handshake, so that is a message as well. A message in fragments is preceded by a `Fragment` for each one but the last: the work
for a frame is in the frame, not in its bytes, so each frame counts as a message does.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from msgspec import Struct
from wsproto.extensions import Extension
from wsproto.frame_protocol import CloseReason, FrameProtocol, Opcode, ParseFailed, RsvBits
from wsproto.utilities import generate_accept_token

from gamehost.wires.framing import UndecodableLine, WireError

M = TypeVar("M")

#: Close codes of RFC 6455, section 7.4.1.
NORMAL = int(CloseReason.NORMAL_CLOSURE)
GOING_AWAY = int(CloseReason.GOING_AWAY)
POLICY = int(CloseReason.POLICY_VIOLATION)
NOT_TEXT = int(CloseReason.INVALID_FRAME_PAYLOAD_DATA)

#: Fragments of one message, but for the last one. Browsers send one frame for each message that may be sent here.
MOST_FRAGMENTS = 64

_NO_BITS = RsvBits(False, False, False)


class FrameError(WireError):
    """
    The frames cannot be read any further.

    :param code: the close code that tells the client why
    """

    def __init__(self, reason: str, code: int) -> None:
        super().__init__(reason)
        self.code = code


class Switching(Struct, frozen=True):
    """The host's answer to a handshake: from here on the connection speaks WebSocket."""

    #: The header `Sec-WebSocket-Key` of the client.
    key: str


class Ping(Struct, frozen=True):
    """A question whether the other side is there."""

    payload: bytes = b""


class Pong(Struct, frozen=True):
    """The answer to a ping, with its payload."""

    payload: bytes = b""


class Fragment(Struct, frozen=True):
    """A frame of a message that came in several. It says nothing by itself."""


#: They are all the same.
FRAGMENT = Fragment()


class Close(Struct, frozen=True):
    """The connection ends."""

    code: int
    reason: str = ""


class _Sizes(Extension):
    """
    Looks at each frame's header before its payload is kept, and refuses what is too long or not text.

    An extension without a name of its own: wsproto shows the headers of all frames to each extension, and this one changes
    nothing.
    """

    name = ""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        #: Bytes of the frame that is being read, with its header.
        self.frame = 0
        #: Bytes of the message that is being read, without this frame.
        self.message = 0
        self._announced = 0

    def enabled(self) -> bool:
        return True

    def offer(self) -> bool:
        return False

    def frame_inbound_header(self, proto: Any, opcode: Opcode, rsv: RsvBits, payload_length: int) -> Any:
        # May be called twice for one header, if that comes in two segments.
        extended = 0 if payload_length < 126 else 2 if payload_length < 65_536 else 8
        self.frame = 2 + extended + 4 + payload_length
        self._announced = 0 if opcode.iscontrol() else payload_length
        if opcode is Opcode.BINARY:
            return CloseReason.UNSUPPORTED_DATA
        if self.message + self._announced > self._limit:
            return CloseReason.MESSAGE_TOO_BIG
        return _NO_BITS

    def frame_ended(self, message_ended: bool) -> None:
        """The frame is complete."""
        self.message = 0 if message_ended else self.message + self._announced


class FrameCodec(Generic[M]):
    """
    What the codecs of WebSocket connections share, on the host's side.

    Subclasses set `LIMIT`, and write `read` and `encode`.
    """

    #: The longest message of a client, in bytes.
    LIMIT: ClassVar[int]

    def __init__(self) -> None:
        self._sizes = _Sizes(self.LIMIT)
        self._frames = FrameProtocol(client=False, extensions=[self._sizes])
        #: Bytes of frames that are not complete.
        self._begun = 0
        self._parts: list[str] = []
        self._open = False
        #: Frames of the message that has begun.
        self._fragments = 0
        self._unreadable = 0

    @property
    def unfinished(self) -> bool:
        """Whether a message has begun that has not ended."""
        return self._begun > 0 or self._open

    def feed(self, data: bytes) -> Iterator[M]:
        """
        The messages that are complete now. Nothing is read behind a closing frame.

        :raises FrameError: a frame that RFC 6455 does not allow, a message that is too long or not text, or the second one
            that cannot be decoded
        """
        self._begun += len(data)
        self._frames.receive_bytes(data)
        frames = self._frames.received_frames()
        while True:
            try:
                frame = next(frames, None)
            except ParseFailed as error:
                raise FrameError(self._words(error), int(error.code)) from None
            if frame is None:
                return
            if frame.frame_finished:
                self._begun -= self._sizes.frame
            if frame.opcode is Opcode.TEXT:
                yield from self._text(frame)
            else:
                yield self._control(frame)

    def _text(self, frame: Any) -> Iterator[Any]:
        self._open = not frame.message_finished
        if frame.frame_finished:
            self._sizes.frame_ended(frame.message_finished)
            self._fragments += not frame.message_finished
            if self._fragments > MOST_FRAGMENTS:
                raise FrameError(f"a message in more than {MOST_FRAGMENTS} fragments", POLICY)
        if frame.payload:
            self._parts.append(frame.payload)
        if not frame.message_finished:
            return
        if self._fragments:
            # Not before the message is whole: it must not get more time by being in pieces.
            yield from [FRAGMENT] * self._fragments
            self._fragments = 0
        text = "".join(self._parts).encode("utf-8")
        self._parts.clear()
        message = self.read(text)
        if type(message) is UndecodableLine:
            self._unreadable += 1
            if self._unreadable > 1:
                raise FrameError("messages that are not JSON", NOT_TEXT)
        yield message

    @staticmethod
    def _control(frame: Any) -> Any:
        match frame.opcode:
            case Opcode.PING:
                return Ping(bytes(frame.payload))
            case Opcode.PONG:
                return Pong(bytes(frame.payload))
        code, reason = frame.payload
        return Close(NORMAL if code == CloseReason.NO_STATUS_RCVD else int(code), reason)

    def _words(self, error: ParseFailed) -> str:
        return _WORDS.get(error.code, _NO_FRAME).format(limit=self.LIMIT)

    def read(self, text: bytes) -> M:
        """The message in a text of UTF-8; `UndecodableLine`, if it cannot be read."""
        raise NotImplementedError

    def encode(self, message: M) -> bytes:
        """The bytes of a message: frames, or the answer to the handshake."""
        raise NotImplementedError


_NO_FRAME = "a frame that RFC 6455 does not allow"
_WORDS: Mapping[CloseReason, str] = {
    CloseReason.UNSUPPORTED_DATA: "a binary message; expected text",
    CloseReason.INVALID_FRAME_PAYLOAD_DATA: "a message that is not UTF-8",
    CloseReason.MESSAGE_TOO_BIG: "a message longer than {limit} bytes",
}

#: The longest payload of a control frame in bytes, and with the two bytes of a code before it.
_CONTROL = 125


def text_frame(text: bytes) -> bytes:
    """A message of UTF-8 in one frame, as a server sends it: without a mask, so that one frame will do for many clients."""
    length = len(text)
    if length < 126:
        return b"\x81" + bytes((length,)) + text
    if length < 65_536:
        return b"\x81\x7e" + length.to_bytes(2, "big") + text
    return b"\x81\x7f" + length.to_bytes(8, "big") + text


def control_frame(message: Switching | Ping | Pong | Close) -> bytes:
    """A control frame as a server sends it, or the answer to the handshake."""
    match message:
        case Switching(key):
            accept = generate_accept_token(key.encode("ascii"))
            return (
                b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
            )
        case Ping(payload):
            first = 0x89
        case Pong(payload):
            first = 0x8A
        case Close(code, reason):
            text = reason.encode("utf-8")[: _CONTROL - 2].decode("utf-8", "ignore").encode("utf-8")
            first, payload = 0x88, code.to_bytes(2, "big") + text
    return bytes((first, len(payload))) + payload
