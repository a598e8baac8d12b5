"""
WebSocket as RFC 6455 describes it, after the handshake: turns frames into messages, and messages into frames. Input and
output are bytes and values; nothing here uses a transport.

wsproto parses the frames. Nearly all segments are exactly one short message, and are read without wsproto. A message is
text of bounded size, in one frame or in fragments, without extensions.

Pings and closing frames are messages, too: the conversation answers them. The first bytes from a server are the answer
to the handshake, so this answer is also a message. These messages are `Control`s. In front of a message in fragments
comes one `Fragment` for each of its frames except the last one. So each frame counts as a message against the rate
limit, because the work is in the frame, not in its bytes.

A wire of lines has WebSocket on the same port if its `Wire` says `websocket=True`. Then `LineOrTextCodec` finds out
from the first bytes which of both the client uses.
"""

import re
from base64 import b64decode
from collections.abc import Collection, Iterator, Mapping
from enum import Enum
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from attrs import frozen
from wsproto.extensions import Extension
from wsproto.frame_protocol import CloseReason, FrameProtocol, Opcode, ParseFailed, RsvBits
from wsproto.utilities import generate_accept_token, generate_nonce

from gamehost.wires.base import Codec, Conversation, Peer, Wire, WireConfig
from gamehost.wires.framing import Control, UndecodableLine, WireError
from gamehost.wires.origins import Origin, read_origin

if TYPE_CHECKING:
    from gamehost.lobby.lobby import Lobby


M = TypeVar("M")

#: Close codes of RFC 6455, section 7.4.1.
NORMAL = int(CloseReason.NORMAL_CLOSURE)
GOING_AWAY = int(CloseReason.GOING_AWAY)
POLICY = int(CloseReason.POLICY_VIOLATION)
NOT_TEXT = int(CloseReason.INVALID_FRAME_PAYLOAD_DATA)

#: The most fragments of one message, without the last one. Browsers send one frame for each message, because messages
#: here are short.
MOST_FRAGMENTS = 64

_NO_BITS = RsvBits(False, False, False)


class FrameError(WireError):
    """
    The frames cannot be read any further.

    :param code: the close code to send to the client
    """

    def __init__(self, reason: str, code: int) -> None:
        super().__init__(reason)
        self.code = code


#: The seconds between two checks whether a silent client is still connected.
LOOK_EVERY = 5.0
#: After this number of checks, a ping is sent.
LOOKS = 4
#: The connection ends after this number of seconds without a byte. A browser that loses its network does not close its
#: connection.
SILENT = 45.0


class Switching(Control, frozen=True):
    """The host's answer to a handshake. After this message, the connection uses WebSocket."""

    #: The header `Sec-WebSocket-Key` of the client.
    key: str

    def answer(self, peer: Any) -> None:
        """Sends this answer, and begins to check whether the client is still connected."""
        # `say_past` sends it before all messages that wait: a client expects this answer first.
        peer.say_past(self)
        # `count(1)` numbers the checks of this connection.
        peer.pulse(LOOK_EVERY, partial(_look, peer, count(1)))


class Ping(Control, frozen=True):
    """A ping: the other side must answer it with a pong."""

    payload: bytes = b""

    def answer(self, peer: Any) -> None:
        """Sends the pong, before all messages that wait."""
        peer.say_past(Pong(self.payload))


class Pong(Control, frozen=True):
    """The answer to a ping, with the payload of the ping."""

    payload: bytes = b""
    #: Whether the host has sent a ping. A pong without a ping counts against the rate limit like any message.
    awaited: bool = False

    def answer(self, peer: Any) -> None:
        """Sends nothing. A pong that the host has asked for does not count against the rate limit."""
        if self.awaited:
            peer.exempt_from_rate()


class Fragment(Control, frozen=True):
    """
    Stands for one frame of a message that consists of several frames. It has no content: it is passed on so that the frame
    counts against the client's rate of messages.
    """


#: The only instance that is needed, because all fragments are equal.
FRAGMENT = Fragment()


class Close(Control, frozen=True):
    """A closing frame: the connection ends."""

    code: int
    reason: str = ""

    def answer(self, peer: Any) -> None:
        peer.hang_up()


def _look(peer: Any, looks: Iterator[int], silent: float) -> None:
    """
    Sends a ping to a silent client from time to time, or ends its connection.

    :param looks: counts the checks
    :param silent: the seconds since the client's last byte
    """
    look = next(looks)
    if silent >= SILENT:
        peer.hang_up(f"not a byte in {SILENT:g} s")
    # Only at every fourth check: a ping every 20 s is enough.
    elif look % LOOKS == 0:
        peer.say_past(Ping())


class _Sizes(Extension):
    """
    Checks the header of each frame before its payload is stored, and refuses a payload that is too long or not text.

    It is a wsproto extension, although it changes nothing and is never negotiated: wsproto passes the headers of all
    frames to its extensions.
    """

    name = ""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        #: The size of the frame that is being read, with its header, in bytes.
        self.frame = 0
        #: The size of the message that is being read, without this frame, in bytes.
        self.message = 0
        self._announced = 0

    def enabled(self) -> bool:
        return True

    def offer(self) -> bool:
        return False

    def frame_inbound_header(self, proto: Any, opcode: Opcode, rsv: RsvBits, payload_length: int) -> Any:
        """Called by wsproto for each header: returns the close code for a frame that is refused."""
        # wsproto may call this twice for one header, if the header comes in two segments.
        # The size of a payload of 126 bytes or more stands in 2 or 8 more bytes of the header; the mask has 4 bytes.
        extended = 0
        if payload_length >= 126:
            extended = 2 if payload_length < 65_536 else 8
        self.frame = 2 + extended + 4 + payload_length
        # A control frame is not a part of the message around it.
        self._announced = 0 if opcode.iscontrol() else payload_length
        if opcode is Opcode.BINARY:
            return CloseReason.UNSUPPORTED_DATA
        if self.message + self._announced > self._limit:
            return CloseReason.MESSAGE_TOO_BIG
        # Accepted: no bit of the header belongs to an extension.
        return _NO_BITS

    def frame_ended(self, message_ended: bool) -> None:
        """Adds a complete frame to the size of its message."""
        self.message = 0 if message_ended else self.message + self._announced


class FrameCodec(Generic[M]):
    """
    The shared part of the codecs of WebSocket connections, on the host's side.

    Subclasses set `LIMIT`, and write `read` and `encode`.
    """

    #: The longest message of a client, in bytes.
    LIMIT: int

    def __init__(self) -> None:
        self._sizes = _Sizes(self.LIMIT)
        self._frames = FrameProtocol(client=False, extensions=[self._sizes])
        #: How many bytes belong to frames that are not complete.
        self._begun = 0
        #: The texts of the unfinished message's frames, and whether a message is unfinished.
        self._parts: list[str] = []
        self._open = False
        #: Whether a closing frame was read.
        self._ended = False
        #: How many frames of the unfinished message have come.
        self._fragments = 0
        #: How many messages could not be decoded.
        self._unreadable = 0
        #: Whether the host has sent a ping that is not answered yet.
        self._asked = False

    @property
    def unfinished(self) -> bool:
        return self._begun > 0 or self._open

    def whole(self, data: bytes) -> M | None:
        """
        Returns the message in a segment that is exactly one text frame, as browsers send nearly all segments; `None`:
        the caller must `feed` the bytes. See `gamehost.wires.base.ReadsWhole`.
        """
        text = self._whole_text(data)
        if text is None:
            return None
        message = self.read(text)
        # An undecodable text is read again by `feed`, which counts it.
        return None if type(message) is UndecodableLine else message

    def _whole_text(self, data: bytes) -> bytes | None:
        """
        Returns the text in a segment that is exactly one frame: a whole, short message of ASCII with a mask.

        `None`: it is anything else, or earlier bytes wait. Then wsproto reads the bytes, and says what is wrong with
        them.
        """
        # The first byte of a text frame that is a whole message is 0x81. The bit 0x80 in the second byte says that
        # there is a mask.
        if len(data) < 6 or data[0] != 0x81 or self._begun or self._open or self._ended:
            return None
        length, begin = data[1] - 0x80, 2
        if length == 126:
            length, begin = int.from_bytes(data[2:4], "big"), 4
            if length < 126:
                return None  # the length is written in more bytes than it needs
        # A negative length: there is no mask. Another total size: not exactly one frame.
        if not 0 <= length <= self.LIMIT or len(data) != begin + 4 + length:
            return None
        # The mask has four bytes, and is repeated over the whole text.
        mask = data[begin : begin + 4] * (length // 4 + 1)
        masked = int.from_bytes(data[begin + 4 :], "little")
        # Remove the mask from all bytes at once, as one long number. A loop over the bytes would cost more than
        # everything else here.
        text = (masked ^ int.from_bytes(mask[:length], "little")).to_bytes(length, "little")
        # wsproto checks that other texts are UTF-8.
        return text if text.isascii() else None

    def feed(self, data: bytes) -> Iterator[M]:
        """
        Yields the messages that are complete now. Bytes after a closing frame are ignored.

        :raises FrameError: a frame that RFC 6455 does not allow, a message that is too long or not text, or the second
            message that cannot be decoded
        """
        self._begun += len(data)
        self._frames.receive_bytes(data)
        frames = self._frames.received_frames()
        while True:
            try:
                frame = next(frames, None)
            except ParseFailed as error:
                raise FrameError(self._words(error), int(error.code)) from None
            # wsproto needs more bytes.
            if frame is None:
                return
            # wsproto may pass on a part of a frame.
            if frame.frame_finished:
                self._begun -= self._sizes.frame
            if frame.opcode is Opcode.TEXT:
                yield from self._text(frame)
            else:
                yield self._control(frame)

    def _text(self, frame: Any) -> Iterator[Any]:
        """Stores the text of a frame. If the message is complete, yields it."""
        self._open = not frame.message_finished
        if frame.frame_finished:
            self._sizes.frame_ended(frame.message_finished)
            # The last frame of a message is not counted.
            self._fragments += not frame.message_finished
            if self._fragments > MOST_FRAGMENTS:
                raise FrameError(f"a message in more than {MOST_FRAGMENTS} fragments", POLICY)
        if frame.payload:
            self._parts.append(frame.payload)
        if not frame.message_finished:
            return
        if self._fragments:
            # The fragments are passed on only when the message is complete. Earlier ones would show activity, and give
            # the client more time for the message.
            yield from [FRAGMENT] * self._fragments
            self._fragments = 0
        text = "".join(self._parts).encode("utf-8")
        self._parts.clear()
        yield from self.messages(text)

    def messages(self, text: bytes) -> Iterator[M]:
        """
        Yields the messages in a text of UTF-8. Most wires have one message in each text, and override only `read`.

        :raises WireError: the text and everything after it must be ignored
        """
        message = self.read(text)
        if type(message) is UndecodableLine:
            self._unreadable += 1
            if self._unreadable > 1:
                raise FrameError("messages that are not JSON", NOT_TEXT)
        yield message

    def _control(self, frame: Any) -> Any:
        """Returns the message for a control frame."""
        match frame.opcode:
            case Opcode.PING:
                return Ping(bytes(frame.payload))
            case Opcode.PONG:
                # Only the first pong after a ping is the answer to it.
                awaited, self._asked = self._asked, False
                return Pong(bytes(frame.payload), awaited)
        # Anything else is a closing frame.
        self._ended = True
        code, reason = frame.payload
        return Close(NORMAL if code == CloseReason.NO_STATUS_RCVD else int(code), reason)

    def control(self, message: Control) -> bytes:
        """Returns the bytes of a control frame, or of the answer to the handshake."""
        # A ping is sent: the next pong is its answer.
        self._asked = self._asked or isinstance(message, Ping)
        return control_frame(message)

    def _words(self, error: ParseFailed) -> str:
        """Describes an error of wsproto in words."""
        return _WORDS.get(error.code, _NO_FRAME).format(limit=self.LIMIT)

    def read(self, text: bytes) -> M:
        """Returns the message in a text of UTF-8; `UndecodableLine`, if it cannot be decoded."""
        raise NotImplementedError

    def encode(self, message: M) -> bytes:
        """Returns the bytes of a message: frames, or the answer to the handshake."""
        raise NotImplementedError


_NO_FRAME = "a frame that RFC 6455 does not allow"
_WORDS: Mapping[CloseReason, str] = {
    CloseReason.UNSUPPORTED_DATA: "a binary message; expected text",
    CloseReason.INVALID_FRAME_PAYLOAD_DATA: "a message that is not UTF-8",
    CloseReason.MESSAGE_TOO_BIG: "a message longer than {limit} bytes",
}

#: The longest payload of a control frame, in bytes. In a closing frame this includes the two bytes of the code.
_CONTROL = 125


def text_frame(text: bytes) -> bytes:
    """
    Returns a text of UTF-8 as one frame of a server. It has no mask, so the same frame can be sent to many clients.
    """
    length = len(text)
    if length < 126:
        return b"\x81" + bytes((length,)) + text
    if length < 65_536:
        return b"\x81\x7e" + length.to_bytes(2, "big") + text
    return b"\x81\x7f" + length.to_bytes(8, "big") + text


def control_frame(message: Control) -> bytes:
    """Returns a control frame of a server, or the answer to the handshake. The first byte of a frame says its kind."""
    first, payload = 0, b""
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
            # Cut the reason to the allowed size, and drop a character that is cut in two.
            text = reason.encode("utf-8")[: _CONTROL - 2].decode("utf-8", "ignore").encode("utf-8")
            first, payload = 0x88, code.to_bytes(2, "big") + text
    return bytes((first, len(payload))) + payload


# The handshake

_KEY = re.compile(r"[A-Za-z0-9+/]{22}==", re.ASCII)
_REQUEST = re.compile(rb"GET (\S+) (HTTP/1\.[01])\r\n", re.ASCII)
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\x00]*?)[ \t]*", re.ASCII)

#: The longest handshake, in bytes. Browsers send cookies in it.
LONGEST_HANDSHAKE = 8_192


class NoHandshake(NamedTuple):
    """The HTTP answer to a request that does not open a WebSocket."""

    status: int
    #: A sentence without its full stop.
    why: str
    headers: Mapping[str, str] = {}


_UPGRADE = {"Upgrade": "websocket"}


def has_word(headers: Mapping[str, str], header: str, word: str) -> bool:
    """
    Whether a header with a list of words contains this word, in upper or lower case.

    :param headers: the headers, by their names in lower case
    """
    return any(one.partition(";")[0].strip().lower() == word for one in headers.get(header, "").split(","))


def fault_of_handshake(
    method: str, version: str, headers: Mapping[str, str], origins: Collection[Origin] | None = None
) -> NoHandshake | None:
    """
    Returns the reason why a request does not open a WebSocket (RFC 6455, section 4.2.1); `None`: it is a valid
    handshake.

    :param version: `HTTP/1.1`, for instance
    :param headers: the headers, by their names in lower case
    :param origins: the origins of the pages that may open a WebSocket; `None`: any. Programs that are not browsers send
        no origin
    """
    if method != "GET" or version != "HTTP/1.1":
        return NoHandshake(400, "a socket is opened with GET and HTTP/1.1")
    if not (has_word(headers, "upgrade", "websocket") and has_word(headers, "connection", "upgrade")):
        return NoHandshake(426, "this address speaks WebSocket", _UPGRADE)
    if headers.get("sec-websocket-version") != "13":
        why = "expected version 13 of WebSocket"
        return NoHandshake(426, why, {"Sec-WebSocket-Version": "13", **_UPGRADE})
    key = headers.get("sec-websocket-key", "")
    # 22 characters of base64 may still be a wrong ending of 16 bytes.
    if not _KEY.fullmatch(key) or len(b64decode(key)) != 16:
        return NoHandshake(400, "expected 16 bytes in base64 in the header Sec-WebSocket-Key")
    if origins is not None and "origin" in headers and read_origin(headers["origin"]) not in origins:
        return NoHandshake(
            403, "pages of this origin may not open a socket here; the owner of this host names those that may"
        )
    return None


def handshake_with(key: str) -> bytes:
    """Returns the handshake of a client with this key."""
    return (
        "GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
    ).encode("ascii")


def _read_head(head: bytes) -> tuple[str, dict[str, str]]:
    """
    Returns the version and the headers of a request, up to its empty line. An empty version: RFC 9112 does not allow
    this request.
    """
    request = _REQUEST.match(head)
    headers: dict[str, str] = {}
    for line in head.split(b"\r\n")[1:]:
        if (found := _HEADER.fullmatch(line)) is None:
            return "", {}
        # A header that is repeated is a list with commas.
        name, value = found[1].decode("ascii").lower(), found[2].decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return ("" if request is None else request[2].decode("ascii"), headers)


# Lines and WebSocket on the same port


class _Spoken(Enum):
    """The protocol that a client uses."""

    #: Not known yet: nothing has come, or only the beginning of a handshake.
    UNKNOWN = "unknown"
    LINES = "lines"
    SOCKET = "socket"
    #: HTTP, but not a valid handshake.
    HTTP = "http"


#: The longest text, in bytes, if the codec of lines has no limit of its own.
LONGEST_TEXT = 65_536
_PHRASES = {400: "Bad Request", 403: "Forbidden", 426: "Upgrade Required"}


class LineOrTextCodec(FrameCodec[Any]):
    """
    The codec of a client that sends the lines of a wire directly, or in WebSocket texts. Each text is one line without
    its end.

    :param lines: the wire's codec
    :param origins: the origins of the pages that may open a WebSocket; `None`: any
    """

    def __init__(self, lines: Codec[Any], origins: Collection[Origin] | None = None) -> None:
        self.LIMIT = getattr(lines, "LIMIT", LONGEST_TEXT)
        super().__init__()
        self._lines = lines
        self._origins = origins
        self._whole = getattr(lines, "whole", None)
        #: What the client speaks: WebSocket, the wire's lines without it, or plain HTTP. The first bytes decide.
        self._spoken = _Spoken.UNKNOWN
        #: The first bytes of the client, until they show what it speaks and the handshake is read.
        self._opening = bytearray()
        self._switching = Switching("")
        #: Whether the answer to the handshake was written.
        self._switched = False
        #: Whether this codec continues a connection of another host of a cluster. That host may have read the handshake
        #: already.
        self._goes_on = False
        self._refusal: NoHandshake | None = None
        #: The close code with which the connection ends.
        self._code = NORMAL

    @property
    def sequence(self) -> int:
        """
        See `gamehost.wires.base.Numbered`. The number of this codec says whether the handshake was answered: 1 yes, 0
        no.
        """
        return int(self._switched)

    @sequence.setter
    def sequence(self, number: int) -> None:
        if number > 0:
            self._spoken = _Spoken.SOCKET
            self._switched = self._goes_on = True

    @property
    def unfinished(self) -> bool:
        """Whether a handshake, a line or a frame is incomplete so far."""
        return bool(self._opening) or self._lines.unfinished or super().unfinished

    def whole(self, data: bytes) -> Any:
        """
        Returns the message in a segment that is exactly one line, or one text frame; `None`: the caller must `feed` the
        bytes. See `gamehost.wires.base.ReadsWhole`.
        """
        if self._whole is None:
            return None
        if self._spoken is _Spoken.LINES:
            return self._whole(data)
        # At the first bytes of a connection of another host, `feed` must find out whether a handshake comes.
        if self._spoken is not _Spoken.SOCKET or self._goes_on:
            return None
        text = self._whole_text(data)
        # A text with a line end is refused by `feed`.
        return None if text is None or b"\n" in text else self._whole(text + b"\n")

    def feed(self, data: bytes) -> Iterator[Any]:
        """Yields the messages that are complete now. The first bytes decide which protocol the client uses."""
        if self._goes_on:
            self._goes_on = False
            if data.startswith(b"GET "):  # a client's frame cannot begin like this: the handshake is still to be read
                self._spoken = _Spoken.UNKNOWN
        if self._spoken is _Spoken.UNKNOWN:
            self._opening += data
            self._spoken, data = self._read_opening(bytes(self._opening))
            # The handshake is complete. The conversation answers it like a message.
            if self._switching.key:
                yield self._switching
        spoken = self._spoken
        if spoken is _Spoken.LINES:
            yield from self._lines.feed(data)
        elif spoken is _Spoken.SOCKET:
            try:
                yield from super().feed(data)
            except WireError as error:
                # The close code is sent later, by `ending`.
                self._code = error.code if isinstance(error, FrameError) else POLICY
                raise

    def _read_opening(self, opening: bytes) -> tuple[_Spoken, bytes]:
        """
        Finds out the protocol of the client. Returns it, and the client's bytes after the handshake; for lines, all
        bytes.

        :param opening: all bytes of the client so far
        :raises WireError: the request does not open a WebSocket
        """
        # It may be an HTTP request as long as there is no line end.
        line, longest = opening.find(b"\n"), LONGEST_HANDSHAKE
        if b"GET "[: len(opening)] == opening[:4] and line < 0 and len(opening) <= longest:
            return _Spoken.UNKNOWN, b""
        # The first line is not one of an HTTP request with GET.
        if not 0 <= line <= longest or _REQUEST.match(opening) is None:
            self._opening.clear()
            return _Spoken.LINES, opening
        # The empty line at the end of the request.
        end = opening.find(b"\r\n\r\n")
        if end < 0 and len(opening) - 3 <= longest:
            return _Spoken.UNKNOWN, b""
        self._opening.clear()
        # A request that is too long is refused like one that is not HTTP.
        version, headers = _read_head(opening[:end]) if 0 <= end <= longest else ("", {})
        refusal = fault_of_handshake("GET", version, headers, self._origins)
        if refusal is not None:
            # The error itself is sent as an HTTP answer (see `encode`).
            self._spoken = _Spoken.HTTP
            self._refusal = refusal
            raise WireError(refusal.why)
        self._switching = Switching(headers["sec-websocket-key"])
        return _Spoken.SOCKET, opening[end + 4 :]

    def messages(self, text: bytes) -> Iterator[Any]:
        """Yields the message in a text. A text with a line end is refused; the second one ends the connection."""
        if b"\n" in text:
            self._unreadable += 1
            if self._unreadable > 1:
                raise FrameError("texts with a line end", POLICY)
            yield UndecodableLine("a text with a line end")
        else:
            yield from self._lines.feed(text + b"\n")

    def _control(self, frame: Any) -> Any:
        """See `FrameCodec._control`. Also notes the close code of the client, which the host repeats."""
        message = super()._control(frame)
        if isinstance(message, Close):
            self._code = message.code
        return message

    def encode(self, message: Any) -> bytes:
        """Returns the bytes of a message, in the client's protocol."""
        if self._spoken is _Spoken.HTTP:
            # A closing frame stands for the end of the HTTP answer: its text is the reason of the refusal.
            text = self._refusal.why.encode() + b"\n" if isinstance(message, Control) and self._refusal else b""
            return self._answered() + (text or self._lines.encode(message))
        if isinstance(message, Switching):
            return self._switch()
        if isinstance(message, Control):
            return self._switch() + self.control(message)
        line = self._lines.encode(message)
        if self._spoken is not _Spoken.SOCKET:
            return line
        # Only one line end is removed, because a text may end with empty lines.
        return self._switch() + text_frame(line.removesuffix(b"\n").removesuffix(b"\r"))

    def _switch(self) -> bytes:
        """Returns the answer to the handshake, if it was not sent yet. It must be sent first."""
        switched, self._switched = self._switched, True
        return b"" if switched else control_frame(self._switching)

    def _answered(self) -> bytes:
        """Returns the head of the HTTP answer to a request that does not open a WebSocket."""
        refusal, self._refusal = self._refusal, None
        if refusal is None:
            return b""
        head = [f"HTTP/1.1 {refusal.status} {_PHRASES[refusal.status]}", "Connection: close"]
        head += [
            "Content-Type: text/plain; charset=utf-8",
            *(f"{name}: {text}" for name, text in refusal.headers.items()),
        ]
        return ("\r\n".join(head) + "\r\n\r\n").encode("ascii")

    def ending(self, stopping: bool) -> Close | None:
        """Returns the closing frame, as `gamehost.wires.base.Ending` says."""
        # Also for a refused handshake: `encode` writes the HTTP answer instead of the frame.
        if self._spoken is _Spoken.SOCKET or self._refusal is not None:
            return Close(GOING_AWAY if stopping else self._code)
        return None


@frozen
class LinesOrSocket:
    """The configuration of a wire of lines on which clients may use WebSocket."""

    lines: WireConfig[Any]

    def new_codec(self) -> LineOrTextCodec:
        return LineOrTextCodec(self.lines.new_codec(), getattr(self.lines, "origins", None))

    def new_conversation(self, peer: Peer[Any], lobby: "Lobby") -> Conversation[Any]:
        return self.lines.new_conversation(peer, lobby)


# The client's side


class ClientBytes:
    """
    The layer between a client's connection and its codec. This one does nothing: it is for wires without WebSocket.
    """

    def opening(self, host: str) -> bytes:
        return b""

    def received(self, data: bytes) -> bytes:
        """
        Returns the bytes for the codec, from the server's bytes.

        :raises WireError: the server does not use WebSocket
        """
        return data

    def sent(self, data: bytes) -> bytes:
        return data

    def answers(self) -> bytes:
        """Returns answers to received frames that must be sent."""
        return b""


class ClientSocket(ClientBytes):
    """
    WebSocket between a client's connection and its codec of lines. Each text of the server becomes a line, and each
    line becomes a text.

    :param looks_on: whether the bytes are the recorded connection of another program. That program may send lines
        without WebSocket, too
    """

    def __init__(self, looks_on: bool = False) -> None:
        self._looks_on = looks_on
        self._key = generate_nonce()
        self._frames = FrameProtocol(client=True, extensions=[])
        # The bytes of the answer to the handshake so far; `None`: it is complete.
        self._head: bytearray | None = bytearray()
        # Whether the recorded connection uses lines without WebSocket.
        self._by_line = False
        self._answers = b""

    def opening(self, host: str) -> bytes:
        """
        Returns the handshake, which is sent first.

        :param host: the name of the server
        """
        return (
            b"GET / HTTP/1.1\r\nHost: " + host.encode("idna") + b"\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: " + self._key + b"\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )

    def received(self, data: bytes) -> bytes:
        """
        Returns the lines in the server's frames. The first bytes must be the answer to the handshake, unless a recorded
        connection uses lines.

        :raises WireError: the server does not use WebSocket as expected
        """
        if self._by_line:
            return data
        if self._head is not None:
            self._head += data
            opening = bytes(self._head)
            # A recorded connection without WebSocket begins in another way than with an HTTP answer.
            if self._looks_on and not (opening.startswith(b"HTTP/") or b"HTTP/".startswith(opening)):
                self._by_line = True
                return opening
            end = opening.find(b"\r\n\r\n")
            if end < 0:
                if len(opening) > LONGEST_HANDSHAKE:
                    raise WireError("no answer to the handshake of WebSocket")
                return b""
            self._check_answer(opening[:end])
            self._head, data = None, opening[end + 4 :]
        self._frames.receive_bytes(data)
        try:
            return b"".join(map(self._line, self._frames.received_frames()))
        except ParseFailed as error:
            raise WireError(_WORDS.get(error.code, _NO_FRAME).format(limit=LONGEST_TEXT)) from None

    def _check_answer(self, head: bytes) -> None:
        """
        Checks the server's answer to the handshake.

        :raises WireError: the server does not open a WebSocket
        """
        first, _, rest = head.partition(b"\r\n")
        # 101 is the status of the answer that opens a WebSocket.
        if b" 101" not in first[: len(b"HTTP/1.1 101")]:
            raise WireError("the server opens no WebSocket")
        accepted = re.search(rb"(?im)^sec-websocket-accept:[ \t]*(\S+)", rest)
        # The key of a recorded connection is not known.
        if not self._looks_on and (accepted is None or accepted[1] != generate_accept_token(self._key)):
            raise WireError("the server's answer to the handshake of WebSocket is not that to this one")

    def _line(self, frame: Any) -> bytes:
        """
        Returns the text in a frame, with a line end if its message is complete; empty for other frames. A ping is
        answered by `answers`.
        """
        match frame.opcode:
            # The program of a recorded connection has answered it.
            case Opcode.PING if not self._looks_on:
                self._answers += self._frames.pong(bytes(frame.payload))
            case Opcode.TEXT:
                text = bytes(frame.payload.encode("utf-8"))
                if b"\n" in text:
                    raise WireError("a text with a line end")
                return text + (b"\n" if frame.message_finished else b"")
            case Opcode.BINARY:
                raise WireError("a binary message; expected text")
        return b""

    def sent(self, data: bytes) -> bytes:
        """Returns the frames for lines of the client: one text for each line, without its end."""
        lines = data.removesuffix(b"\n").split(b"\n") if data else ()
        return b"".join(self._frames.send_data(line.removesuffix(b"\r").decode("utf-8")) for line in lines)

    def answers(self) -> bytes:
        due, self._answers = self._answers, b""
        return due


def client_bytes(wire: Wire[Any], looks_on: bool = False) -> ClientBytes:
    """Returns the layer between a client's connection and the codec of this wire: WebSocket, if the wire has it."""
    return ClientSocket(looks_on) if wire.websocket else ClientBytes()
