"""
The HTTP server of the house: connections, their bounds, and the headers of every answer. Pages, metrics, health and the page
of a contest are sites of it, so all of them have the same bounds.

Twisted's `HTTPChannel` parses requests. Requests have no bodies, and change nothing at the host. A site can hand a
connection over to another protocol, as the pages do for WebSocket. A site that accepts bodies does the same: the
protocol reads the body.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from twisted.internet.defer import CancelledError, Deferred, succeed
from twisted.internet.interfaces import IAddress, IProtocol, IReactorTime
from twisted.internet.protocol import Factory, connectionDone
from twisted.logger import Logger
from twisted.protocols.basic import LineReceiver
from twisted.protocols.policies import TimeoutMixin
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel, Request, datetimeToString

from gamehost.fairness import FairScheduler
from gamehost.net.limiter import HttpLimiter
from gamehost.rates import is_loopback
from gamehost.web.http import (
    FOR_EVERYBODY,
    Access,
    Answer,
    Asked,
    BadPath,
    is_forwarded,
    read_query,
    refused,
    split_path,
    written,
)

#: The answer to a request, at once or later.
Answering: TypeAlias = Answer | Deferred[Answer]

#: Seconds from the first byte of a request to its last.
REQUEST_SECONDS = 10.0
#: How many seconds a connection without a request remains open.
IDLE_SECONDS = 15.0
#: The most bytes of a request line and its headers.
REQUEST_BYTES = 16_384
END_OF_REQUEST = b"\r\n\r\n"
#: After a refused request, the connection is read for so many more seconds and bytes. If it were closed while the
#: client still sends, the client would lose the answer, too.
DROP_SECONDS = 2.0
DROP_BYTES = 1 << 20

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


TOO_MANY = refused(429, "too many requests from your address", {**FOR_EVERYBODY, "Retry-After": "5"})
TOO_LONG = refused(431, f"expected a request line and headers of {REQUEST_BYTES} bytes at most")
FAULT = refused(500, "a fault of the host")
WITH_BODY = refused(413, "expected a request without a body")


class HttpRequest(Request):
    channel: "HttpConnection"
    #: Whether the connection was lost before the answer.
    gone = False
    #: The answer, if it comes later.
    pending: Deferred[Any] | None = None

    def gotLength(self, length: int | None) -> None:
        """Refuse a body, or let the site read it. Twisted would store a body of any length on the disk."""
        super().gotLength(0)
        if length != 0:
            self.requestHeaders.removeHeader(b"Expect")
            channel: Any = self.channel
            self.method, self.path, self.clientproto = channel._command, channel._path, channel._version
            self.channel.site.process_body(self, length)

    def process(self) -> None:
        """Answer the request. A fault closes the connection, because the client would otherwise wait for ever."""
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
        self.startedWriting = 1  # not by Twisted, which needs a third of the time of an answer for the headers
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
        """The items of a header with a list."""
        # As bytes: Twisted raises an error for text that is not UTF-8.
        return [one.strip() for one in (self.getHeader(header.encode()) or b"").decode("latin-1").split(",")]


class HttpConnection(HTTPChannel):
    """
    One connection.

    :param address: the client's address, as far as the listener knows it
    :param counted: the address under which it was admitted; empty: of a proxy
    """

    totalHeadersSize = REQUEST_BYTES
    requestFactory = HttpRequest
    timeOut: Any = IDLE_SECONDS
    transport: Any
    _log = Logger()

    def __init__(self, site: "HttpSite", address: str, counted: str) -> None:
        super().__init__()
        self.site: HttpSite = site
        self.address = address
        self.counted = counted
        #: The protocol that has taken the connection over.
        self._successor: IProtocol | None = None
        self._asking = False
        self._full = False
        #: Received bytes that are not handled yet, and how many of them were searched for the end of a request.
        self._received = bytearray()
        self._searched = 0
        #: Whether a request is being handled at this moment.
        self._handling = False
        #: After a refusal: how many further bytes are read and dropped. `None`: no request was refused.
        self._dropping: int | None = None

    def callLater(self, period: float, func: Callable[[], None]) -> Any:
        return self.site.clock.callLater(period, func)

    def dataReceived(self, data: bytes) -> None:
        """
        Receive bytes of a request, and start its deadline at the first byte; or pass them to the protocol that has
        taken over.
        """
        if self._successor is not None:
            self._successor.dataReceived(data)
            return
        if self._dropping is not None:
            self._dropping -= len(data)
            if self._dropping < 0:
                self.close()
            return
        if not self._asking and not self.requests:
            self._asking = True
            self.setTimeout(REQUEST_SECONDS)
        self._received += data
        self._read_on()
        self._pause_or_resume()

    def _read_on(self) -> None:
        """Handle the requests that have come: now, or in turns if there are many."""
        scheduler = self.site.scheduler
        while self._next_request():
            if not scheduler.has_time():
                scheduler.wait(self)
                return
            self._handle()

    def go_on(self) -> None:
        """Use a turn of the scheduler: handle one request. Further requests wait for the next turn."""
        self._handle()
        if self._next_request():
            self.site.scheduler.wait(self)

    @property
    def _taken(self) -> bool:
        """Whether this object reads no more requests."""
        return self._successor is not None or self._dropping is not None

    def _next_request(self) -> int:
        """
        How many of the received bytes are the next request, or are refused because they are none. 0: no request can be
        handled now.
        """
        if self.requests or self._taken or self.transport.disconnecting:
            return 0
        end = self._received.find(END_OF_REQUEST, self._searched)
        if end >= 0:
            return end + len(END_OF_REQUEST)
        self._searched = max(0, len(self._received) - len(END_OF_REQUEST) + 1)
        line = self._received.find(b"\r\n")
        refused = len(self._received) > REQUEST_BYTES or (line > 0 and self._received.find(b" HTTP/", 0, line) < 0)
        return len(self._received) if refused else 0

    def _handle(self) -> None:
        if self.counted and not self.site.limiter.may_ask(self.counted, self.site.clock.seconds()):
            # The request is not read, and the connection ends. The rate of new connections is lower than that of
            # requests, so the client becomes slower.
            self.refuse(TOO_MANY)
            self.loseConnection()
            return
        size = self._next_request()
        if size > REQUEST_BYTES:
            self.site.log.info("a request from {address!r} is too long: refused", address=self.address)
            self.refuse(TOO_LONG)
            return
        data = bytes(self._received[:size])
        del self._received[:size]
        self._searched = 0
        self._handling = True
        LineReceiver.dataReceived(self, data)
        self._handling = False
        if self._successor is not None and self._received:
            self._successor.dataReceived(bytes(self._received))
            self._received.clear()
        self._pause_or_resume()

    def _pause_or_resume(self) -> None:
        """Pause reading while more bytes are waiting than one request may have."""
        if self._successor is None and not self._full:
            if len(self._received) > REQUEST_BYTES:
                self._networkProducer.pauseProducing()
            else:
                self._networkProducer.resumeProducing()

    def refuse(self, answer: Answer) -> None:
        """
        Answer with an error, and drop further bytes until the client closes the connection or the deadline is over.
        """
        self._received.clear()
        self._dropping = DROP_BYTES
        self.write(self.site.last(answer))
        self.setTimeout(DROP_SECONDS)

    def allContentReceived(self) -> None:
        """A request is complete. If the client does not read the earlier answers, it receives no more answers."""
        if self._full:
            self.close()
        else:
            super().allContentReceived()

    def requestDone(self, request: Request) -> None:
        super().requestDone(request)
        if not self.requests and self._successor is None:
            self._asking = bool(self._received)
            self.setTimeout(REQUEST_SECONDS if self._asking else IDLE_SECONDS)
        self._pause_or_resume()
        if not self._handling:
            self._read_on()

    def timeoutConnection(self) -> None:
        """Close the connection: the client has not finished its request in time, or has sent none."""
        TimeoutMixin.setTimeout(self, None)
        self.close()

    def pauseProducing(self) -> None:
        self._full = True
        super().pauseProducing()

    def resumeProducing(self) -> None:
        self._full = False
        super().resumeProducing()
        self._pause_or_resume()

    def take_over(self, protocol: IProtocol) -> None:
        """Hand the connection over to a protocol, and then the bytes that were already received."""
        self.setTimeout(None)
        self.requests.clear()
        self.transport.unregisterProducer()
        self._successor = protocol
        self.site.lost(self)
        protocol.makeConnection(self.transport)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self.site.scheduler.leave(self)
        if self._successor is not None:
            self._successor.connectionLost(reason)
            return
        super().connectionLost(reason)
        self.site.lost(self)

    def close(self) -> None:
        self.clearLineBuffer()
        self._received.clear()
        self.transport.abortConnection()


class HttpSite(Factory):
    """
    The connections of one listener. A subclass has the pages that it serves.

    :param limiter: limits connections and requests; several listeners may share it
    :param wall: seconds since 1970, for the header `Date`
    """

    noisy = False
    log = Logger()
    #: The methods that are allowed. None of them changes anything.
    methods: Sequence[str] = ("GET", "HEAD")
    #: Whether pages of other sites may ask.
    for_other_sites = False

    def __init__(
        self,
        clock: IReactorTime,
        scheduler: FairScheduler,
        limiter: HttpLimiter,
        access: Access,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.clock = clock
        self.scheduler = scheduler
        self.limiter = limiter
        self.access = access
        self.wall = wall
        self.channels: set[HttpConnection] = set()
        #: Whether the warning about an untrusted proxy at this machine was logged.
        self._warned = False
        self._closing: Deferred[None] | None = None

    # -- what a site brings

    def respond(self, asked: Asked) -> Answering:
        """Answer a request that is within the bounds."""
        raise NotImplementedError

    def banned(self, address: str) -> str | None:
        """The reason why an address gets no answers; `None`: it gets answers."""
        return None

    def is_socket(self, path: Sequence[str]) -> bool:
        """Whether requests for this path take the connection over. Then the site looks at their method and origin."""
        return False

    def open_socket(self, request: HttpRequest, asked: Asked) -> None:
        """Take the connection over, or refuse the request."""

    def longest_body(self, method: bytes, path: bytes) -> int:
        """The longest body that a request for this path may have, in bytes; 0: no body is allowed."""
        return 0

    def take_body(self, request: HttpRequest, asked: Asked, length: int) -> Answer | None:
        """
        Hand the connection of a request over to a protocol that reads its body, or refuse the request with a reason.
        """
        return WITH_BODY

    # -- connections

    def buildProtocol(self, addr: IAddress | None) -> HttpConnection | None:
        """A channel for a new connection; `None`: there are too many, and Twisted closes it."""
        address = str(getattr(addr, "host", ""))
        counted = "" if self.access.may_be_many(address) else address
        if not self.limiter.admit(counted, self.clock.seconds()):
            return None
        channel = HttpConnection(self, address, counted)
        self.channels.add(channel)
        return channel

    def lost(self, channel: HttpConnection) -> None:
        """Called when a connection was closed, or was handed over to another protocol."""
        if channel in self.channels:
            self.channels.discard(channel)
            self.limiter.leave(channel.counted)
        if self._closing is not None and not self.channels:
            self._closing.callback(None)
            self._closing = None

    # -- answers

    @property
    def date(self) -> str:
        return str(datetimeToString(self.wall()), "ascii")

    def process(self, request: HttpRequest) -> None:
        try:
            asked = self._asked(request)
        except BadPath as error:
            request.answer(refused(400, str(error)))
            return
        refusal = self._refusal(asked, bool(request.channel.counted), self.methods)
        if refusal is not None:
            request.answer(refusal)
        elif self.is_socket(asked.path):
            self.open_socket(request, asked)
        else:
            answer = self.respond(asked)
            if isinstance(answer, Answer):
                request.answer(answer)
            else:
                request.pending = answer
                answer.addCallbacks(request.answer, partial(self._failed, request))

    def process_body(self, request: HttpRequest, length: int | None) -> None:
        """
        A request announces a body. Refuse it, unless this site accepts bodies for its path.

        :param length: `None`: it is not announced
        """
        most, channel = self.longest_body(request.method, request.path), request.channel
        if length is None or length > most:
            expected = f"expected a body with a Content-Length of {most} at most"
            channel.refuse(refused(413, expected) if most else WITH_BODY)
            return
        request.args = {}
        asked = self._asked(request)
        refusal = self._refusal(asked, bool(channel.counted), (asked.method,)) or self.take_body(request, asked, length)
        if refusal is not None:
            channel.refuse(refusal)

    def last(self, answer: Answer) -> bytes:
        """The bytes of the last answer on a connection that is then closed."""
        headers = {**HEADERS, "Cache-Control": answer.cache, **answer.headers, "Content-Type": answer.kind}
        headers |= {"Content-Length": str(len(answer.body)), "Connection": "close", "Date": self.date}
        return written(answer.status, headers, answer.body)

    def _asked(self, request: HttpRequest) -> Asked:
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

    def _refusal(self, asked: Asked, counted: bool, methods: Sequence[str]) -> Answer | None:
        """
        The answer to a request that is refused before the site handles it; `None`: it is not refused.

        :param counted: whether it has been counted for its address
        :param methods: the allowed methods
        """
        banned = self.banned(asked.visitor.address)
        if banned is not None and not self.is_socket(asked.path):
            return refused(403, banned)
        wrong = self.access.wrong_host(asked.headers.get("host"), asked.version)
        if wrong is not None:
            return wrong
        address, now = asked.visitor.address, self.clock.seconds()
        if not counted and not self.limiter.may_ask(address, now):
            return TOO_MANY
        if self.is_socket(asked.path):
            return None
        if asked.method not in methods:
            return refused(405, f"expected {' or '.join(methods)}", {"Allow": ", ".join(methods)})
        headers = asked.headers
        if not self.for_other_sites and self.access.foreign(headers.get("origin"), headers.get("host"), asked.visitor):
            return refused(403, "pages of other sites cannot ask here")
        return None

    def _failed(self, request: HttpRequest, failure: Failure) -> None:
        if failure.check(CancelledError):
            return  # the client has disconnected
        request.answer(self.answer_of(failure))

    def answer_of(self, failure: Failure) -> Answer:
        """The answer to a request after a failure."""
        self.log.failure("a request could not be answered", failure)
        return FAULT

    def close_channels(self) -> Deferred[None]:
        """Close all connections that use HTTP. Fires when the last one is closed."""
        if not self.channels:
            return succeed(None)
        closed = self._closing = Deferred()
        for channel in tuple(self.channels):
            channel.close()
        return closed
