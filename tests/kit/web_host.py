"""A web site on a host in memory: connections that speak HTTP, and browsers that speak WebSocket."""

from collections.abc import Callable, Mapping
from typing import Any

from attrs import frozen
from msgspec import json
from twisted.internet.address import IPv4Address
from twisted.internet.interfaces import IPushProducer
from twisted.internet.protocol import Protocol
from twisted.internet.task import Clock
from wsproto.frame_protocol import FrameProtocol, Opcode
from zope.interface import implementer

from gamehost.accounts.login import at_once
from gamehost.fairness import PAUSE
from gamehost.testing.memory_host import MemoryHost, StrictTransport
from gamehost.web.http import Access, StaticFiles
from gamehost.web.server import HttpSite
from gamehost.web.site import WebSite
from gamehost.wires.open.conversation import WIRE

#: The files of a site in tests.
FILES: Mapping[str, bytes] = {
    "index.html": b'<!doctype html>\n<script type="module" src="/static/HASH/app.js"></script>\n',
    "app.js": b'import "./games/toy.js";\n' * 40,
    "games/toy.js": b"export const toy = 1;\n",
}

#: The origins of a site in tests.
NAMED = ("http://games.example.org",)

#: The key of RFC 6455, section 1.3.
KEY = "dGhlIHNhbXBsZSBub25jZQ=="


@frozen
class Response:
    """What the site has answered."""

    status: int
    #: By their names in lower case.
    headers: Mapping[str, str]
    body: bytes


@implementer(IPushProducer)
class WebTransport(StrictTransport):
    """A transport as those of sockets: HTTP pauses it by its interface."""


class SiteWorld:
    """A site of the house's HTTP server, its clock, and clients of it."""

    def __init__(self, site: HttpSite, clock: Clock) -> None:
        self.site: Any = site
        self.clock = clock

    def until_idle(self) -> None:
        """Make all calls that are due now."""
        while any(call.getTime() <= self.clock.seconds() for call in self.clock.getDelayedCalls()):
            self.clock.advance(0)

    def wait(self, seconds: float) -> None:
        """Advance the clock by so many seconds."""
        self.clock.advance(seconds)
        self.until_idle()

    def connect(self, address: str = "192.0.2.1") -> "WebClient":
        return WebClient(self, address)

    def get(self, path: str, **headers: str) -> Response:
        [response] = self.connect().ask(request(path, **headers))
        return response


class WebHost(SiteWorld):
    """A host in memory, by default with the open wire alone, with a web site of the name that `request` asks for."""

    def __init__(
        self,
        host: MemoryHost | None = None,
        access: Access | None = None,
        settings: Mapping[str, str] = {},
        rng: Callable[[int], int] = lambda n: n - 1,
        reveal: bool = True,
    ) -> None:
        self.host = host or MemoryHost(settings, wires=(WIRE,), rng=rng)
        site = WebSite(
            self.host.context, StaticFiles.pack(FILES), access or Access(NAMED), at_once, reveal, lambda: 0.0
        )
        super().__init__(site, self.host.clock)

    def browser(self, address: str = "192.0.2.1", **headers: str) -> "Browser":
        return Browser(self.connect(address), **headers)


def request(path: str, method: str = "GET", version: str = "HTTP/1.1", **headers: str) -> bytes:
    """A request. In the names of headers `_` stands for `-`; a header with an empty value is left out."""
    words = {"Host": "games.example.org", **{name.replace("_", "-"): value for name, value in headers.items()}}
    lines = [f"{method} {path} {version}", *(f"{name}: {value}" for name, value in words.items() if value), "", ""]
    return "\r\n".join(lines).encode("latin-1")


def handshake(**headers: str) -> bytes:
    usual = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13", "Sec_WebSocket_Key": KEY}
    return request("/socket", **{**usual, **headers})


class WebClient:
    def __init__(self, world: SiteWorld, address: str) -> None:
        self.world = world
        self.transport = WebTransport(world.clock, address)
        self.protocol: Any = world.site.buildProtocol(IPv4Address("TCP", address, 40_000))
        self.transport.protocol = self.protocol or Protocol()  # refused, and closed as Twisted does it
        if self.protocol is None:
            self.transport.abortConnection()
        else:
            self.protocol.makeConnection(self.transport)

    def send(self, data: bytes) -> None:
        self.transport.receive(data)
        self.world.until_idle()
        while self.world.site.scheduler.lines.waiting:
            self.world.wait(PAUSE)

    def ask(self, data: bytes) -> list[Response]:
        self.send(data)
        return self.responses()

    def responses(self) -> list[Response]:
        """The answers that have come since the last look."""
        found: list[Response] = []
        data = self.transport.read()
        while data:
            head, _, data = data.partition(b"\r\n\r\n")
            first, *lines = head.decode("latin-1").split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            length = int(headers.get("content-length", "0"))
            found.append(Response(int(first.split()[1]), headers, data[:length]))
            data = data[length:]
        return found

    @property
    def closed(self) -> bool:
        return self.transport.disconnected


class Browser:
    """A client of the open wire over WebSocket. wsproto reads what the host sends."""

    def __init__(self, client: WebClient, **headers: str) -> None:
        self.client = client
        self._frames = FrameProtocol(client=True, extensions=[])
        #: The code and the reason of the host's closing frame.
        self.close: tuple[int, str] | None = None
        self.pings = 0
        client.send(handshake(**headers))
        self.opening, _, rest = client.transport.read().partition(b"\r\n\r\n")
        self._frames.receive_bytes(rest)

    def say(self, **message: Any) -> None:
        self.send(json.encode(message))

    def send(self, text: bytes) -> None:
        self.client.send(bytes(self._frames.send_data(text.decode("utf-8"))))

    def told(self) -> list[Any]:
        self._frames.receive_bytes(self.client.transport.read())
        messages: list[Any] = []
        text = ""
        for frame in self._frames.received_frames():
            if frame.opcode is Opcode.TEXT:
                text += str(frame.payload)
                if frame.message_finished:
                    messages.append(json.decode(text))
                    text = ""
            elif frame.opcode is Opcode.CLOSE:
                self.close = (int(frame.payload[0]), str(frame.payload[1]))
            elif frame.opcode is Opcode.PING:
                self.pings += 1
        return messages

    def ask(self, **message: Any) -> list[Any]:
        self.told()
        self.say(**message)
        return self.told()


# Frames of WebSocket as clients send them, the wrong ones too, and how tests write what a host sends.


#: The mask of all frames in tests.
MASK = b"\x01\x02\x03\x04"


def frame(
    opcode: int, payload: bytes = b"", *, fin: bool = True, mask: bytes = MASK, bits: int = 0, length: int | None = None
) -> bytes:
    """
    One frame.

    :param mask: empty: the frame has none
    :param bits: the reserved bits
    :param length: what is announced, in as many bytes as it needs; by default the length of the payload
    """
    announced = len(payload) if length is None else length
    first = (0x80 if fin else 0) | bits << 4 | opcode
    masked = 0x80 if mask else 0
    if announced < 126:
        head = bytes((first, masked | announced))
    elif announced < 65_536:
        head = bytes((first, masked | 126)) + announced.to_bytes(2, "big")
    else:
        head = bytes((first, masked | 127)) + announced.to_bytes(8, "big")
    body = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload)) if mask else payload
    return head + mask + body


def message(words: str | bytes, *, fin: bool = True) -> bytes:
    return frame(1, words.encode() if isinstance(words, str) else words, fin=fin)


def part(words: str | bytes, *, fin: bool = False) -> bytes:
    """A further fragment."""
    return frame(0, words.encode() if isinstance(words, str) else words, fin=fin)


def close(code: int | None = 1000, reason: str = "") -> bytes:
    return frame(8, b"" if code is None else code.to_bytes(2, "big") + reason.encode())


class FrameText:
    """What a host sends, in words: texts as they are, other frames by their names."""

    def __init__(self) -> None:
        self._frames = FrameProtocol(client=True, extensions=[])
        self._opening = b""
        self._switched = False
        self._text = ""

    @property
    def unread(self) -> bytes:
        """What has come of a message that is not whole."""
        return self._opening or self._text.encode()

    def said(self, line: str) -> bytes:
        return message(line)

    def heard(self, data: bytes) -> list[str]:
        lines: list[str] = []
        if self._opening or data.startswith(b"H"):
            self._opening += data
            head, end, data = self._opening.partition(b"\r\n\r\n")
            if not end:
                return []
            self._opening = b""
            lines.append(head.decode().split("\r\n")[0])
        self._frames.receive_bytes(data)
        for one in self._frames.received_frames():
            match one.opcode:
                case Opcode.TEXT:
                    self._text += str(one.payload)
                    if one.message_finished:
                        lines.append(self._text)
                        self._text = ""
                case Opcode.CLOSE:
                    lines.append(f"close {int(one.payload[0])} {one.payload[1]}")
                case _:
                    lines.append(f"{one.opcode.name.lower()} {bytes(one.payload)!r}")  # type: ignore[arg-type]
        return lines
