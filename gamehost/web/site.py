"""
The HTTP server: connections, their limits, and the headers of every answer.

Twisted's `HTTPChannel` parses requests. Only GET and HEAD are answered, a request has no body, and nothing changes by one.
A connection whose request opens a socket is taken over by a `WireProtocol`, with all its limits.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import evolve
from msgspec import Struct
from twisted.internet.defer import CancelledError, Deferred, DeferredList
from twisted.internet.interfaces import IAddress, IStreamServerEndpoint
from twisted.internet.protocol import Factory
from twisted.logger import Logger
from twisted.protocols.basic import LineReceiver
from twisted.protocols.policies import TimeoutMixin
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel, Request, datetimeToString

from gamehost.accounts.login import Worker
from gamehost.limits import is_loopback
from gamehost.lobby.questions import NotAnswered, TooManyQuestions
from gamehost.net.connection import WireFactory, WireProtocol
from gamehost.net.context import HostContext
from gamehost.web.api import Answering, Api
from gamehost.web.http import (
    FOR_EVERYBODY,
    Access,
    Answer,
    Asked,
    BadPath,
    StaticFiles,
    is_forwarded,
    read_files,
    read_query,
    refused,
    split_path,
    written,
)
from gamehost.wires.open.conversation import OPTIONS, WIRE
from gamehost.wires.open.websocket import SocketConfig, frame_encoder
from gamehost.wires.websocket import NoHandshake, fault_of_handshake, handshake_with

#: Seconds from the first byte of a request to its last.
REQUEST_SECONDS = 10.0
#: Seconds for which a connection without a request stays open.
IDLE_SECONDS = 15.0
#: Bytes of a request line and its headers.
REQUEST_BYTES = 16_384
END_OF_REQUEST = b"\r\n\r\n"

#: Paths of pages: all of them are one shell, which reads the path. The number of parts, by the first one.
PAGES: Mapping[str, int] = {"table": 2, "match": 2, "matches": 1, "player": 2, "results": 1, "rules": 2}

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


TOO_MANY = refused(429, "too many requests from your address", {**FOR_EVERYBODY, "Retry-After": "5"})
#: The headers of this answer, but the date, if the connection ends with it.
TOO_MANY_HEADERS: Mapping[str, str] = {
    **HEADERS,
    "Cache-Control": TOO_MANY.cache,
    **TOO_MANY.headers,
    "Content-Type": TOO_MANY.kind,
    "Content-Length": str(len(TOO_MANY.body)),
    "Connection": "close",
}


class WebRequest(Request):
    channel: "WebChannel"
    #: Whether the connection was lost before the answer.
    gone = False
    #: The answer, if it comes later.
    pending: Deferred[Any] | None = None

    def gotLength(self, length: int | None) -> None:
        """A request has no body: Twisted would keep one of any length on the disk."""
        super().gotLength(0)
        if length != 0:
            self.requestHeaders.removeHeader(b"Expect")
            self.channel.persistent = 0
            self.clientproto = b"HTTP/1.1"
            self.answer(refused(413, "expected a request without a body"))

    def process(self) -> None:
        """Answer. A fault ends the connection, which would wait for ever otherwise."""
        try:
            self.channel.site.process(self)
        except Exception:
            self.channel.site.log.failure("a request could not be answered")
            self.channel.close()

    def connectionLost(self, reason: Failure) -> None:
        self.gone = True
        if self.pending is not None:
            self.pending.cancel()
        super().connectionLost(reason)

    def answer(self, answer: Answer) -> None:
        if self.gone:
            return
        status, body = answer.status, answer.body
        headers = {**HEADERS, "Cache-Control": answer.cache, **answer.headers}
        if answer.etag:
            headers |= {"ETag": answer.etag, "Vary": "Accept-Encoding"}
            known = self.words("if-none-match")
            if answer.etag in known:
                status, body = 304, b""
        if status != 304:
            if answer.packed is not None and self.accepts_gzip:
                headers["Content-Encoding"], body = "gzip", answer.packed
            headers |= {"Content-Type": answer.kind, "Content-Length": str(len(body))}
        if not self.channel.persistent:
            headers["Connection"] = "close"
        headers["Date"] = self.channel.site.date
        self.startedWriting = 1  # not by Twisted, which takes a third of the time of an answer for its headers
        if self.method == b"HEAD":
            body = b""
        self.channel.write(written(status, headers, body, self.clientproto.decode("latin-1")))
        self.finish()

    @property
    def accepts_gzip(self) -> bool:
        """Whether the client can read compressed bodies."""
        words = [one.replace(" ", "").lower() for one in self.words("accept-encoding")]
        return any(word == "gzip" or (word.startswith("gzip;q=") and word != "gzip;q=0") for word in words)

    def words(self, header: str) -> list[str]:
        """The words of a header that is a list."""
        # As bytes: Twisted raises an error for text that is not UTF-8.
        return [one.strip() for one in (self.getHeader(header.encode()) or b"").decode("latin-1").split(",")]


class WebChannel(HTTPChannel):
    """
    One connection.

    :param address: of the client, as far as the listener knows
    :param counted: the address under which it was admitted; empty: of a proxy
    """

    totalHeadersSize = REQUEST_BYTES
    requestFactory = WebRequest
    timeOut: Any = IDLE_SECONDS
    transport: Any
    _log = Logger()

    def __init__(self, site: "WebSite", address: str, counted: str) -> None:
        super().__init__()
        self.site: WebSite = site
        self.address = address
        self.counted = counted
        #: What has taken the connection over.
        self._socket: WireProtocol[Any] | None = None
        self._asking = False
        self._full = False
        #: Bytes that have come and are not handled, and how many of them were searched for the end of a request.
        self._received = bytearray()
        self._searched = 0
        #: Whether a request is being handled at this moment.
        self._handling = False

    def callLater(self, period: float, func: Callable[[], None]) -> Any:
        return self.site.context.clock.callLater(period, func)

    def dataReceived(self, data: bytes) -> None:
        """Read a request, which has its time from the first byte on, or pass bytes of a socket on."""
        if self._socket is not None:
            self._socket.dataReceived(data)
            return
        if not self._asking and not self.requests:
            self._asking = True
            self.setTimeout(REQUEST_SECONDS)
        self._received += data
        self._read_on()
        self._pause_or_resume()

    def _read_on(self) -> None:
        """Handle the requests that have come: now, or in turns if there are many."""
        scheduler = self.site.context.scheduler
        while self._next_request():
            if not scheduler.has_time():
                scheduler.wait(self)
                return
            self._handle()

    def go_on(self) -> None:
        """Use a turn: handle one request. Others that have come wait for the next turn."""
        self._handle()
        if self._next_request():
            self.site.context.scheduler.wait(self)

    def _next_request(self) -> int:
        """
        How many of the bytes that have come make the next request, or are none and are refused; 0: there is nothing that can
        be handled now.
        """
        if self.requests or self._socket is not None or self.transport.disconnecting:
            return 0
        end = self._received.find(END_OF_REQUEST, self._searched)
        if end >= 0:
            return end + len(END_OF_REQUEST)
        self._searched = max(0, len(self._received) - len(END_OF_REQUEST) + 1)
        line = self._received.find(b"\r\n")
        refused = len(self._received) > REQUEST_BYTES or (line > 0 and self._received.find(b" HTTP/", 0, line) < 0)
        return len(self._received) if refused else 0

    def _handle(self) -> None:
        if self.counted and not self.site.context.http_limiter.may_ask(self.counted, self.site.context.clock.seconds()):
            # It is not even read. New connections have a lower rate, so nothing more comes of this one.
            self._received.clear()
            self.write(written(429, {**TOO_MANY_HEADERS, "Date": self.site.date}, TOO_MANY.body))
            self.loseConnection()
            return
        size = self._next_request()
        data = bytes(self._received[:size])
        del self._received[:size]
        self._searched = 0
        self._handling = True
        LineReceiver.dataReceived(self, data)
        self._handling = False
        if self._socket is not None and self._received:
            self._socket.dataReceived(bytes(self._received))
            self._received.clear()
        self._pause_or_resume()

    def _pause_or_resume(self) -> None:
        """Read no more than a request ahead."""
        if self._socket is None and not self._full:
            if len(self._received) > REQUEST_BYTES:
                self._networkProducer.pauseProducing()
            else:
                self._networkProducer.resumeProducing()

    def lineLengthExceeded(self, line: bytes) -> None:
        """Close: a line is longer than all of a request may be."""
        self.close()

    def allContentReceived(self) -> None:
        """A request is complete. If the client does not read the answers to earlier ones, it gets no more."""
        if self._full:
            self.close()
        else:
            super().allContentReceived()

    def requestDone(self, request: Request) -> None:
        super().requestDone(request)
        if not self.requests and self._socket is None:
            self._asking = bool(self._received)
            self.setTimeout(REQUEST_SECONDS if self._asking else IDLE_SECONDS)
        self._pause_or_resume()
        if not self._handling:
            self._read_on()

    def timeoutConnection(self) -> None:
        """Close: the client does not go on with its request, or has none."""
        TimeoutMixin.setTimeout(self, None)
        self.close()

    def pauseProducing(self) -> None:
        self._full = True
        super().pauseProducing()

    def resumeProducing(self) -> None:
        self._full = False
        super().resumeProducing()
        self._pause_or_resume()

    def take_over(self, protocol: WireProtocol[Any]) -> None:
        """Hand the connection over to a protocol. Bytes that have come already follow."""
        self.setTimeout(None)
        self.requests.clear()
        self.transport.unregisterProducer()
        self._socket = protocol
        self.site.lost(self)
        protocol.makeConnection(self.transport)

    def connectionLost(self, reason: Failure | None = None) -> None:
        self.site.context.scheduler.leave(self)
        if self._socket is not None:
            self._socket.connectionLost(reason)
            return
        super().connectionLost(reason)
        self.site.lost(self)

    def close(self) -> None:
        self.clearLineBuffer()
        self._received.clear()
        self.transport.abortConnection()


class WebSite(Factory):
    """
    The connections of one listener.

    :param worker: makes long records
    :param reveal: whether records of finished matches show what was hidden
    :param wall: seconds since 1970, for the header `Date`
    """

    noisy = False
    log = Logger()

    def __init__(
        self,
        context: HostContext,
        files: StaticFiles,
        access: Access,
        worker: Worker,
        reveal: bool = True,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.context = context
        self.wall = wall
        self._files = files
        self.access = access
        #: The connections that speak WebSocket.
        self.sockets: WireFactory[Any] = WireFactory(WIRE, {}, context)
        self.sockets.passed_on_as = "web/socket"
        #: Other wires with WebSocket that listen on this host, by their names.
        self.wires: Mapping[str, WireFactory[Any]] = {}
        self._encoder = frame_encoder(OPTIONS)
        self._api = Api(context.lobby.spectators, OPTIONS, context.clock, worker, reveal)
        self.channels: set[WebChannel] = set()
        #: Whether the log has said that a proxy of this machine is not believed.
        self._warned = False
        self._closing: Deferred[None] | None = None

    def buildProtocol(self, addr: IAddress | None) -> WebChannel | None:
        """A channel for a new connection; `None`: there are too many, and Twisted closes it."""
        address = str(getattr(addr, "host", ""))
        counted = "" if self.access.may_be_many(address) else address
        if not self.context.http_limiter.admit(counted, self.context.clock.seconds()):
            return None
        channel = WebChannel(self, address, counted)
        self.channels.add(channel)
        return channel

    def lost(self, channel: WebChannel) -> None:
        """A connection is gone, or speaks no HTTP any more."""
        if channel in self.channels:
            self.channels.discard(channel)
            self.context.http_limiter.leave(channel.counted)
        if self._closing is not None and not self.channels:
            self._closing.callback(None)
            self._closing = None

    # -- answers

    @property
    def date(self) -> str:
        return str(datetimeToString(self.wall()), "ascii")

    def process(self, request: WebRequest) -> None:
        try:
            asked = self._asked(request)
        except BadPath as error:
            request.answer(refused(400, str(error)))
            return
        refusal = self._refusal(asked, bool(request.channel.counted))
        if refusal is not None:
            request.answer(refusal)
        elif self._is_socket(asked.path):
            self._open_socket(request, asked)
        else:
            answer = self.respond(asked)
            if isinstance(answer, Answer):
                request.answer(answer)
            else:
                request.pending = answer
                answer.addCallbacks(request.answer, partial(self._failed, request))

    def _asked(self, request: WebRequest) -> Asked:
        headers = {
            name.decode("latin-1").lower(): ", ".join(value.decode("latin-1") for value in values)
            for name, values in request.requestHeaders.getAllRawHeaders()
        }
        address = request.channel.address
        if not self._warned and is_forwarded(headers) and is_loopback(address) and not self.access.trusts(address):
            self._warned = True
            self.log.warn("a proxy at {address} is not believed; name it with --trusted-proxy", address=address)
        visitor = self.access.visitor(address, request.channel.isSecure(), headers)
        path, query = split_path(request.path), read_query(request.args)
        method, version = request.method.decode("latin-1"), request.clientproto.decode("latin-1")
        return Asked(method, path, query, headers, visitor, version)

    def _refusal(self, asked: Asked, counted: bool) -> Answer | None:
        """
        Why a request is not even looked at.

        :param counted: whether it has been counted for its address
        """
        banned = self.context.limiter.banned(asked.visitor.address)
        if banned is not None and not self._is_socket(asked.path):
            return refused(403, banned)
        wrong = self.access.wrong_host(asked.headers.get("host"), asked.version)
        if wrong is not None:
            return wrong
        address, now = asked.visitor.address, self.context.clock.seconds()
        if not counted and not self.context.http_limiter.may_ask(address, now):
            return TOO_MANY
        if not self._is_socket(asked.path) and asked.method not in ("GET", "HEAD"):
            return refused(405, "expected GET or HEAD", {"Allow": "GET, HEAD"})
        return None

    def _failed(self, request: WebRequest, failure: Failure) -> None:
        if failure.check(CancelledError):
            return  # the client is gone
        if failure.check(TooManyQuestions):
            request.answer(refused(429, str(failure.value), {**FOR_EVERYBODY, "Retry-After": "1"}))
            return
        if not failure.check(NotAnswered):
            self.log.failure("a request could not be answered", failure)
        request.answer(refused(500, "a fault of the host"))

    def respond(self, asked: Asked) -> Answering:
        path = asked.path
        if path[:1] == ("api",):
            return self._api.respond(asked)
        if not path or PAGES.get(path[0]) == len(path):
            return self._files.shell
        if path[0] != "static" and "text/html" in asked.headers.get("accept", ""):
            return evolve(self._files.shell, status=404, etag="")  # a person: the shell says it, with ways on
        answer = self._files.file(path[1:]) if path[0] == "static" else None
        return answer or refused(404, "there is nothing at this address")

    def _open_socket(self, request: WebRequest, asked: Asked) -> None:
        fault = fault_of_handshake(asked.method, asked.version, asked.headers)
        if self.access.foreign(asked.headers.get("origin"), asked.headers.get("host"), asked.visitor):
            fault = NoHandshake(403, "pages of other sites cannot open a socket here")
        if fault is not None:
            request.channel.persistent = 0  # clients of WebSocket wait for the end of the connection
            request.answer(refused(*fault))
            return
        key = asked.headers["sec-websocket-key"]
        wire = self.wires[asked.path[1]] if len(asked.path) == 2 else None
        if wire is None:
            protocol = self.new_socket(asked.visitor.address, asked.visitor.private, key)
        else:
            protocol = wire.admit(asked.visitor.address)
        if protocol is None:
            request.channel.close()
            return
        request.channel.take_over(protocol)
        if wire is not None:
            protocol.dataReceived(handshake_with(key))

    def new_socket(self, address: str, private: bool, key: str = "") -> WireProtocol[Any] | None:
        """
        The protocol of a socket; `None`: there are too many.

        :param private: whether a password may be sent
        :param key: of the handshake; empty: another host of a cluster has answered that
        """
        return self.sockets.admit(address, SocketConfig(OPTIONS, self._encoder, key, private))

    def _is_socket(self, path: Sequence[str]) -> bool:
        """Whether an address speaks WebSocket: `/socket`, and `/socket/WIRE` of another wire that has it."""
        return path == ("socket",) or (len(path) == 2 and path[0] == "socket" and path[1] in self.wires)

    # -- what the service calls

    def close(self, reason: str) -> Deferred[None]:
        """As `disconnect`, for good."""
        self._api.board.stop()
        return self.disconnect(reason)

    def disconnect(self, reason: str) -> Deferred[None]:
        """Tell all sockets why, and close all connections. Fires when the last one is gone, after a few seconds at most."""
        closing = [self.sockets.close(reason)]
        if self.channels:
            self._closing = Deferred()
            closing.append(self._closing)
        for channel in tuple(self.channels):
            channel.close()
        return DeferredList(closing).addCallback(lambda _: None)


class WebListener(Struct, frozen=True):
    """An endpoint where the pages are."""

    #: The endpoint as the options name it.
    description: str
    endpoint: IStreamServerEndpoint
    access: Access
    worker: Worker
    reveal: bool = True

    def new_factory(self, context: HostContext) -> WebSite:
        games = [played.game for played in OPTIONS.games.values()]
        lobby = context.lobby
        seconds, spectators = lobby.house_rules.seconds, lobby.spectators
        ways = {"console": spectators.by_hand, "open": spectators.by_program}
        files = StaticFiles.pack(read_files(games), games, lobby.settings, seconds, ways)
        return WebSite(context, files, self.access, self.worker, self.reveal)
