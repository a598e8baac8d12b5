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
#: An empty line: the headers end with it.
END_OF_REQUEST = b"\r\n\r\n"
#: For how many seconds, and for how many bytes, the connection is still read after a refused request. If it were closed
#: while the client still sends, the client would lose the answer, too.
DROP_SECONDS = 2.0
DROP_BYTES = 1 << 20

#: The headers of every answer.
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
    """A request on a connection. Twisted parses it, its site makes the answer, and this object sends the answer."""

    channel: "HttpConnection"
    #: Whether the connection was lost before the answer.
    gone = False
    #: The answer, if it comes later.
    pending: Deferred[Any] | None = None

    def gotLength(self, length: int | None) -> None:
        """
        Called when the length of the body is known. A body is refused, or the site reads it: Twisted would store a
        body of any length on the disk.

        :param length: the number of bytes; `None`: the client has not announced it
        """
        # For Twisted, the request has no body: so it stores none.
        super().gotLength(0)
        if length != 0:
            # Otherwise Twisted would ask the client for the body by a `100 Continue`.
            self.requestHeaders.removeHeader(b"Expect")
            # Twisted sets these values only after the body, but the site needs them now.
            channel: Any = self.channel
            self.method, self.path, self.clientproto = channel._command, channel._path, channel._version
            self.channel.site.process_body(self, length)

    def process(self) -> None:
        """
        Called when the whole request was read: the site answers it. A fault closes the connection, because the client
        would otherwise wait for ever.
        """
        try:
            self.channel.site.process(self)
        except Exception:
            self.channel.site.log.failure("a request could not be answered")
            self.channel.close()

    def connectionLost(self, reason: Failure) -> None:
        """Called when the client has disconnected before the answer: ends the work on the answer."""
        self.gone = True
        if self.pending is not None:
            self.pending.cancel()
        super().connectionLost(reason)

    def answer(self, answer: Answer) -> None:
        """Sends the answer: compressed if the client can read that, and without a body if the client has it cached."""
        if self.gone:
            return  # the client has disconnected
        status, body = answer.status, answer.body
        headers = {**HEADERS, "Cache-Control": answer.cache, **answer.headers}
        if answer.etag:
            headers |= {"ETag": answer.etag, "Vary": "Accept-Encoding"}
            known = self.words("if-none-match")
            if answer.etag in known:
                status, body = 304, b""  # the client has this body already
        if status != 304:
            if answer.packed is not None and self.accepts_gzip:
                headers["Content-Encoding"], body = "gzip", answer.packed
            headers |= {"Content-Type": answer.kind, "Content-Length": str(len(body))}
        if not self.channel.persistent:
            headers["Connection"] = "close"
        headers["Date"] = self.channel.site.date
        # The headers are not written by Twisted, which needs a third of the time of an answer for them.
        self.startedWriting = 1
        if self.method == b"HEAD":
            body = b""  # the headers are those of the whole body
        self.channel.write(written(status, headers, body, self.clientproto.decode("latin-1")))
        # Now Twisted handles the next request of the connection.
        self.finish()

    @property
    def accepts_gzip(self) -> bool:
        """Whether the client can read compressed bodies."""
        words = [one.replace(" ", "").lower() for one in self.words("accept-encoding")]
        # A client can give a weight to a compression, as in `gzip;q=0.5`. The weight 0 means that it cannot read it.
        return any(word == "gzip" or (word.startswith("gzip;q=") and word != "gzip;q=0") for word in words)

    def words(self, header: str) -> list[str]:
        """Returns the items of a header that is a list with commas."""
        # As bytes: Twisted raises an error for text that is not UTF-8.
        return [one.strip() for one in (self.getHeader(header.encode()) or b"").decode("latin-1").split(",")]


class HttpConnection(HTTPChannel):
    """
    A connection of a client. Reads its requests one after another, within limits of size, time and rate.

    :param site: the site that answers the requests
    :param address: the address that the connection comes from; empty if the transport has no addresses
    :param counted: the address for which the limiter counts the connection; empty: it may be a proxy's, so it counts for
        no address
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
        #: Whether the client has begun to send a request, and its deadline runs.
        self._asking = False
        #: Whether the client does not read its answers, so the transport's buffer is full.
        self._full = False
        #: Received bytes that are not handled yet, and how many of them were searched for the end of a request.
        self._received = bytearray()
        self._searched = 0
        #: Whether a request is being handled at this moment.
        self._handling = False
        #: After a refusal: how many further bytes are read and dropped. `None`: no request was refused.
        self._dropping: int | None = None

    def callLater(self, period: float, func: Callable[[], None]) -> Any:
        """Twisted's deadlines of a connection use the clock of the site."""
        return self.site.clock.callLater(period, func)

    def dataReceived(self, data: bytes) -> None:
        """
        Called with received bytes. If another protocol has taken the connection over, it receives them. After a
        refusal, they are dropped. Otherwise they are bytes of a request, and its deadline starts at the first byte.
        """
        if self._successor is not None:
            self._successor.dataReceived(data)
            return
        if self._dropping is not None:
            self._dropping -= len(data)
            if self._dropping < 0:
                self.close()
            return
        # The first bytes of a request start its deadline. While an earlier request is being answered, `requestDone`
        # does it.
        if not self._asking and not self.requests:
            self._asking = True
            self.setTimeout(REQUEST_SECONDS)
        self._received += data
        self._read_on()
        self._pause_or_resume()

    def _read_on(self) -> None:
        """Handles the received requests: at once while the scheduler has time, and the others in later turns."""
        scheduler = self.site.scheduler
        while self._next_request():
            if not scheduler.has_time():
                scheduler.wait(self)
                return
            self._handle()

    def go_on(self) -> None:
        """Called by the scheduler: handles one request. Further requests wait for the next turn."""
        self._handle()
        if self._next_request():
            self.site.scheduler.wait(self)

    @property
    def _taken(self) -> bool:
        """Whether no more requests are read: another protocol has the connection, or a request was refused."""
        return self._successor is not None or self._dropping is not None

    def _next_request(self) -> int:
        """
        Finds the next request in the received bytes. Requests are handled one by one, so there is none while another
        one is being answered.

        :returns: the length of the request, in bytes; the number of all received bytes, if they cannot be a request; 0
            if no request can be handled now
        """
        if self.requests or self._taken or self.transport.disconnecting:
            return 0
        end = self._received.find(END_OF_REQUEST, self._searched)
        if end >= 0:
            return end + len(END_OF_REQUEST)
        # The end has not come. Later, only the new bytes are searched, and a part of the end that has come already.
        self._searched = max(0, len(self._received) - len(END_OF_REQUEST) + 1)
        line = self._received.find(b"\r\n")
        # Refused at once: more bytes than a request may have, or a first line that is not one of HTTP, such as `GET /
        # HTTP/1.1`.
        refused = len(self._received) > REQUEST_BYTES or (line > 0 and self._received.find(b" HTTP/", 0, line) < 0)
        return len(self._received) if refused else 0

    def _handle(self) -> None:
        """Handles the next request: refuses it if there are too many or if it is too long, or passes it to Twisted."""
        # `counted` is empty if the address may be a proxy's. Then the site checks the rate, after it has read the
        # headers.
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
        # Twisted parses the request, and calls `HttpRequest.process` before the call returns.
        data = bytes(self._received[:size])
        del self._received[:size]
        self._searched = 0
        # If the answer is there at once, Twisted calls `requestDone` inside this call. Then the caller handles the
        # next request.
        self._handling = True
        LineReceiver.dataReceived(self, data)
        self._handling = False
        # If the request handed the connection over, the bytes behind the request are for the new protocol.
        if self._successor is not None and self._received:
            self._successor.dataReceived(bytes(self._received))
            self._received.clear()
        self._pause_or_resume()

    def _pause_or_resume(self) -> None:
        """
        Pauses reading from the client while more bytes are waiting than one request may have. Does nothing after
        another protocol has taken the connection over. While the transport's buffer is full, Twisted has paused
        reading already.
        """
        if self._successor is None and not self._full:
            if len(self._received) > REQUEST_BYTES:
                self._networkProducer.pauseProducing()
            else:
                self._networkProducer.resumeProducing()

    def refuse(self, answer: Answer) -> None:
        """
        Sends an error as the last answer. Then drops further bytes, until the client closes the connection or the
        deadline is over.
        """
        self._received.clear()
        self._dropping = DROP_BYTES
        self.write(self.site.last(answer))
        self.setTimeout(DROP_SECONDS)

    def allContentReceived(self) -> None:
        """
        Called when a request is complete. If the client does not read the earlier answers, the connection is closed.
        """
        if self._full:
            # `_full`: the transport's buffer is full, because the client does not read.
            self.close()
        else:
            super().allContentReceived()

    def requestDone(self, request: Request) -> None:
        """Called when a request was answered: sets the next deadline, and handles the next request."""
        super().requestDone(request)
        if not self.requests and self._successor is None:
            # Bytes that are waiting are the beginning of the next request.
            self._asking = bool(self._received)
            self.setTimeout(REQUEST_SECONDS if self._asking else IDLE_SECONDS)
        self._pause_or_resume()
        # During `_handle`, its caller handles the next request.
        if not self._handling:
            self._read_on()

    def timeoutConnection(self) -> None:
        """Called at the deadline: the client has not finished its request, or has sent none. Closes the connection."""
        # Twisted itself would still send its buffered bytes. `close` does not wait for a slow client.
        TimeoutMixin.setTimeout(self, None)
        self.close()

    def pauseProducing(self) -> None:
        """Called by the transport when its buffer is full, because the client does not read."""
        self._full = True
        super().pauseProducing()

    def resumeProducing(self) -> None:
        """Called by the transport when its buffer has room again."""
        self._full = False
        super().resumeProducing()
        self._pause_or_resume()

    def take_over(self, protocol: IProtocol) -> None:
        """
        Hands the connection over to a protocol, without deadlines. Received bytes that follow are for that protocol:
        see `dataReceived` and `_handle`.
        """
        self.setTimeout(None)
        self.requests.clear()
        # The transport no longer reports a full buffer to this object.
        self.transport.unregisterProducer()
        self._successor = protocol
        # The connection no longer counts for the limits of HTTP: the protocol has its own.
        self.site.lost(self)
        protocol.makeConnection(self.transport)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Called when the connection was closed."""
        self.site.scheduler.leave(self)
        if self._successor is not None:
            # `take_over` has called `site.lost` already.
            self._successor.connectionLost(reason)
            return
        super().connectionLost(reason)
        self.site.lost(self)

    def close(self) -> None:
        """Closes the connection at once. Bytes that were not sent yet are lost."""
        self.clearLineBuffer()
        self._received.clear()
        self.transport.abortConnection()


class HttpSite(Factory):
    """
    Accepts the connections of one listener, and answers their requests within limits. A subclass makes the answers.

    :param scheduler: gives connections with many requests their turns
    :param limiter: limits connections and requests; several listeners may share it
    :param access: decides which requests are accepted
    :param wall: seconds since 1970, for the header `Date`
    """

    noisy = False
    log = Logger()
    #: The methods that are allowed. None of them changes anything.
    methods: Sequence[str] = ("GET", "HEAD")
    #: Whether pages of other sites may send requests here.
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
        #: The open connections that use HTTP.
        self.channels: set[HttpConnection] = set()
        #: Whether the warning about an untrusted proxy at this machine was logged.
        self._warned = False
        #: Fires when all connections are closed; `None`: the site is not closing.
        self._closing: Deferred[None] | None = None

    # -- a subclass overrides these methods

    def respond(self, asked: Asked) -> Answering:
        """Returns the answer to a request that was not refused, at once or later."""
        raise NotImplementedError

    def banned(self, address: str) -> str | None:
        """Returns the reason why the requests of an address are refused; or `None` if they are answered."""
        return None

    def is_socket(self, path: Sequence[str]) -> bool:
        """
        Whether a request for this path is handed to `open_socket`, which takes the connection over. Then `open_socket`
        must check the method and the origin of the request.
        """
        return False

    def open_socket(self, request: HttpRequest, asked: Asked) -> None:
        """Takes the connection of a request over, or refuses the request. See `is_socket`."""

    def longest_body(self, method: bytes, path: bytes) -> int:
        """Returns the largest length of the body of a request for this path, in bytes; 0 if no body is allowed."""
        return 0

    def take_body(self, request: HttpRequest, asked: Asked, length: int) -> Answer | None:
        """
        Hands the connection of a request over to a protocol that reads its body, or refuses the request.

        :param length: the length of the body, in bytes
        :returns: the answer that refuses the request; `None`: a protocol reads the body
        """
        return WITH_BODY

    # -- connections

    def buildProtocol(self, addr: IAddress | None) -> HttpConnection | None:
        """Returns the protocol for a new connection; or `None` if there are too many: then Twisted closes it."""
        address = str(getattr(addr, "host", ""))
        # Many clients may share the address of a proxy, so their connections count for no address.
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
            # The last connection of a site that is closing: `close_channels` has ended.
            self._closing.callback(None)
            self._closing = None

    # -- answers

    @property
    def date(self) -> str:
        """The time of the wall clock, for the header `Date`."""
        return str(datetimeToString(self.wall()), "ascii")

    def process(self, request: HttpRequest) -> None:
        """Answers a complete request: refuses it, hands its connection over, or lets the subclass answer."""
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
        Called when a request has a body, before the body was read. Refuses the request, unless this site accepts bodies
        for its path.

        :param length: the length of the body, in bytes; `None`: the client has not announced it
        """
        most, channel = self.longest_body(request.method, request.path), request.channel
        if length is None or length > most:
            expected = f"expected a body with a Content-Length of {most} at most"
            channel.refuse(refused(413, expected) if most else WITH_BODY)
            return
        # Twisted has not read the arguments yet. No path with a body has any.
        request.args = {}
        asked = self._asked(request)
        # Every method is passed as allowed: `longest_body` has checked it.
        refusal = self._refusal(asked, bool(channel.counted), (asked.method,)) or self.take_body(request, asked, length)
        if refusal is not None:
            channel.refuse(refusal)

    def last(self, answer: Answer) -> bytes:
        """Returns the bytes of an answer that is the last one on its connection."""
        headers = {**HEADERS, "Cache-Control": answer.cache, **answer.headers, "Content-Type": answer.kind}
        headers |= {"Content-Length": str(len(answer.body)), "Connection": "close", "Date": self.date}
        return written(answer.status, headers, answer.body)

    def _asked(self, request: HttpRequest) -> Asked:
        """
        Returns the values of a request. Logs a warning, once, about a proxy at this machine that is not trusted.

        :raises BadPath: the path or the arguments are malformed
        """
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
        Checks a request before the site answers it: bans, the name of the host, the rate, the method and the origin.

        :param counted: whether the request was already counted in the rate of its address
        :param methods: the allowed methods
        :returns: the answer that refuses the request; `None`: it is not refused
        """
        banned = self.banned(asked.visitor.address)
        # A client of a socket receives the reason for the ban as a message, after the handshake.
        if banned is not None and not self.is_socket(asked.path):
            return refused(403, banned)
        wrong = self.access.wrong_host(asked.headers.get("host"), asked.version)
        if wrong is not None:
            return wrong
        address, now = asked.visitor.address, self.clock.seconds()
        if not counted and not self.limiter.may_ask(address, now):
            return TOO_MANY
        if self.is_socket(asked.path):
            # `open_socket` checks the method and the origin.
            return None
        if asked.method not in methods:
            return refused(405, f"expected {' or '.join(methods)}", {"Allow": ", ".join(methods)})
        headers = asked.headers
        if not self.for_other_sites and self.access.foreign(headers.get("origin"), headers.get("host"), asked.visitor):
            return refused(403, "pages of other sites cannot ask here")
        return None

    def _failed(self, request: HttpRequest, failure: Failure) -> None:
        """Called when an answer could not be made: sends an error instead."""
        if failure.check(CancelledError):
            # The request was cancelled in `HttpRequest.connectionLost`.
            return  # the client has disconnected
        request.answer(self.answer_of(failure))

    def answer_of(self, failure: Failure) -> Answer:
        """Logs a failure, and returns the answer to the request that has failed."""
        self.log.failure("a request could not be answered", failure)
        return FAULT

    def close_channels(self) -> Deferred[None]:
        """Closes all connections that use HTTP. Fires when the last one is closed."""
        if not self.channels:
            return succeed(None)
        closed = self._closing = Deferred()
        for channel in tuple(self.channels):
            channel.close()
        return closed
