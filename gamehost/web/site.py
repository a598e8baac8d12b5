"""
The pages for browsers: a site of `gamehost.web.server`. A handshake at `/socket` hands the connection over to a
`WireProtocol`, with all the limits of one.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import evolve
from msgspec import Struct
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.interfaces import IStreamServerEndpoint
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost.accounts.login import Worker
from gamehost.lobby.questions import NotAnswered, TooManyQuestions
from gamehost.net.connection import WireFactory, WireProtocol
from gamehost.net.context import HostContext
from gamehost.web.api import Api
from gamehost.web.http import (
    ASK_AGAIN,
    FOR_EVERYBODY,
    Access,
    Answer,
    Asked,
    StaticFiles,
    read_files,
    refused,
    schemas,
)
from gamehost.web.server import FAULT, Answering, HttpRequest, HttpSite
from gamehost.wires.open.conversation import OPTIONS, WIRE
from gamehost.wires.open.websocket import SocketConfig, frame_encoder
from gamehost.wires.websocket import NoHandshake, fault_of_handshake, handshake_with

#: The paths of the pages: how many parts a path has, by its first part. All pages are one HTML file, the shell. Its
#: script reads the path and shows the page.
PAGES: Mapping[str, int] = {
    **{"table": 2, "match": 2, "matches": 1, "player": 2, "results": 1, "mine": 1, "rules": 2},
    "no-mail": 2,
}
#: The service worker of the pages. Its address has no hash, because a browser looks there for a newer version.
WORKER = "sw.js"


class WebSite(HttpSite):
    """
    The site with the pages for browsers, the HTTP interface for programs, and the sockets.

    :param files: the files of the pages
    :param access: decides which requests are accepted
    :param worker: makes long records, in a thread
    :param reveal: whether records of finished matches show information that was hidden during the match
    :param wall: seconds since 1970, for the header `Date`
    """

    log = Logger()
    # The answers are public, and sockets check the origin themselves.
    for_other_sites = True

    def __init__(
        self,
        context: HostContext,
        files: StaticFiles,
        access: Access,
        worker: Worker,
        reveal: bool = True,
        wall: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(context.clock, context.scheduler, context.http_limiter, access, wall)
        self.context = context
        self._files = files
        #: Accepts the connections that use WebSocket at `/socket`, with the open wire.
        self.sockets: WireFactory[Any] = WireFactory(WIRE, {}, context)
        self.sockets.passed_on_as = "web/socket"
        #: Other wires with WebSocket that listen on this host, by their names.
        self.wires: Mapping[str, WireFactory[Any]] = {}
        self._encoder = frame_encoder(OPTIONS)
        self._api = Api(context.lobby.directory, OPTIONS, context.clock, worker, reveal)

    def banned(self, address: str) -> str | None:
        """Returns the reason why an address is banned from the host; or `None`."""
        return self.context.limiter.banned(address)

    def answer_of(self, failure: Failure) -> Answer:
        """
        Returns the answer to a request that has failed: 429 if the client has asked for too much at once, otherwise
        500. An expected failure (`NotAnswered`) is not logged.
        """
        if failure.check(TooManyQuestions):
            return refused(429, str(failure.value), {**FOR_EVERYBODY, "Retry-After": "1"})
        return FAULT if failure.check(NotAnswered) else super().answer_of(failure)

    @cached_property
    def _schemas(self) -> Mapping[str, Answer]:
        """The XML Schemas of the host's wires, by the names of the files."""
        return schemas()

    def respond(self, asked: Asked) -> Answering:
        """Returns the answer to a request: from the HTTP interface, a schema, the shell, or a file of the pages."""
        path = asked.path
        if path[:1] == ("api",):
            return self._api.respond(asked)
        if path[0:1] == ("schema",) and len(path) == 2 and path[1] in self._schemas:
            return self._schemas[path[1]]
        if not path or PAGES.get(path[0]) == len(path):
            return self._files.shell
        # The service worker has an address without the hash of the files, and browsers ask for a newer one.
        if path == (WORKER,) and (worker := self._files.file((self._files.hash, WORKER))) is not None:
            return evolve(worker, cache=ASK_AGAIN)
        if path[0] != "static" and "text/html" in asked.headers.get("accept", ""):
            # A person follows a wrong link: the shell says that there is no such page, and shows links to others.
            return evolve(self._files.shell, status=404, etag="")
        answer = self._files.file(path[1:]) if path[0] == "static" else None
        return answer or refused(404, "there is nothing at this address")

    def open_socket(self, request: HttpRequest, asked: Asked) -> None:
        """Hands the connection of a request over to a protocol with WebSocket, or refuses a wrong handshake."""
        fault = fault_of_handshake(asked.method, asked.version, asked.headers)
        if self.access.foreign(asked.headers.get("origin"), asked.headers.get("host"), asked.visitor):
            fault = NoHandshake(403, "pages of other sites cannot open a socket here")
        if fault is not None:
            request.channel.persistent = 0  # clients of WebSocket wait for the end of the connection
            request.answer(refused(*fault))
            return
        # `/socket` speaks the open wire, and `/socket/WIRE` another one.
        key = asked.headers["sec-websocket-key"]
        wire = self.wires[asked.path[1]] if len(asked.path) == 2 else None
        if wire is None:
            protocol = self.new_socket(asked.visitor.address, asked.visitor.private, key)
        else:
            protocol = wire.admit(asked.visitor.address)
        if protocol is None:  # there are too many connections
            request.channel.close()
            return
        request.channel.take_over(protocol)
        if wire is not None:  # another wire reads the handshake itself
            protocol.dataReceived(handshake_with(key))

    def new_socket(self, address: str, private: bool, key: str = "") -> WireProtocol[Any] | None:
        """
        Returns the protocol of a new connection that uses WebSocket; or `None` if there are too many.

        :param address: the address of the client
        :param private: whether a password may be sent
        :param key: the key of the handshake; empty: another host of a cluster has already answered the handshake
        """
        return self.sockets.admit(address, SocketConfig(OPTIONS, self._encoder, key, private))

    def is_socket(self, path: Sequence[str]) -> bool:
        """Whether a path is for WebSocket: `/socket`, or `/socket/WIRE` with a wire that also uses WebSocket."""
        return path == ("socket",) or (len(path) == 2 and path[0] == "socket" and path[1] in self.wires)

    # -- the service calls these methods

    def close(self, reason: str) -> Deferred[None]:
        """Closes the site for ever: does what `disconnect` does, and stops reading the board of current matches."""
        self._api.board.stop()
        return self.disconnect(reason)

    def disconnect(self, reason: str) -> Deferred[None]:
        """
        Sends the reason to all clients with WebSocket, and closes all connections. Fires when the last one is closed,
        after a few seconds at most.
        """
        return DeferredList([self.sockets.close(reason), self.close_channels()]).addCallback(lambda _: None)


class WebListener(Struct, frozen=True):
    """An endpoint that serves the pages. The fields are the parameters of its `WebSite`."""

    #: The endpoint as the options name it.
    description: str
    endpoint: IStreamServerEndpoint
    access: Access
    worker: Worker
    reveal: bool = True

    def new_factory(self, context: HostContext) -> WebSite:
        """Returns the site of this endpoint, with the files of the pages and of all installed games."""
        games = [played.game for played in OPTIONS.games.values()]
        lobby = context.lobby
        seconds, directory = lobby.house_rules.seconds, lobby.directory
        # The commands that the pages show to people who want to play in a terminal, or by a program.
        ways = {"console": directory.by_hand, "open": directory.by_program}
        files = StaticFiles.pack(read_files(games), games, lobby.settings, seconds, ways)
        return WebSite(context, files, self.access, self.worker, self.reveal)
