"""
The service: start in order, listen, and stop so that nobody loses by it.

Ports open only after the tables of an earlier life are back; if anything is in the way nothing is opened at all.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import define, field, frozen
from twisted.application.service import Service
from twisted.internet.defer import Deferred, DeferredList, succeed
from twisted.internet.interfaces import IListeningPort, IReactorTime, IStreamServerEndpoint
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost.connection import WireFactory
from gamehost.journal import Journal
from gamehost.lobby import Lobby
from gamehost.master import Game


class StartRefused(Exception):
    """The host cannot start; the message names the thing that is in the way."""


@frozen
class Listener:
    """A place to listen, and what is spoken there."""

    #: As it was written in the options.
    description: str
    endpoint: IStreamServerEndpoint
    factory: WireFactory[Any]


@define(eq=False)
class Host(Service):
    """
    All listeners over one lobby.

    :param refused: called with the reason when the host cannot start; it does not return
    """

    clock: IReactorTime
    lobby: Lobby
    journal: Journal
    games: Mapping[str, Game[Any, Any]]
    listeners: Sequence[Listener]
    refused: Callable[[str], None]
    ports: list[IListeningPort] = field(factory=list)
    _in_the_way: list[str] = field(factory=list)

    log = Logger()

    def startService(self) -> None:
        """Resume what was unfinished, then listen."""
        resumed = self.lobby.restore(self.games, self.journal.unfinished())
        if resumed:
            self.log.info("resumed {tables} tables", tables=resumed)
        for listener in self.listeners:
            listening = listener.endpoint.listen(listener.factory)
            listening.addCallbacks(partial(self._listening, listener), partial(self._not_listening, listener))
        if self._in_the_way:
            for port in self.ports:
                port.stopListening()
            self.refused("; ".join(self._in_the_way))
        super().startService()
        self.log.info("gamehost ready")

    def _listening(self, listener: Listener, port: IListeningPort) -> None:
        self.ports.append(port)
        address: Any = port.getHost()
        where = f"{address.host}:{address.port}" if hasattr(address, "host") else listener.description
        self.log.info("{wire} listening on {where}", wire=listener.factory.wire.name, where=where)

    def _not_listening(self, listener: Listener, failure: Failure) -> None:
        wire = listener.factory.wire.name
        self._in_the_way.append(f"--{wire}: cannot listen on {listener.description}: {failure.getErrorMessage()}")

    def stopService(self) -> Deferred[None]:
        """Let nobody in any more, tell everybody, and wait a little for their connections to close."""
        super().stopService()
        self.lobby.close()
        closing = [port.stopListening() or succeed(None) for port in self.ports]
        self.ports.clear()
        factories = {listener.factory for listener in self.listeners}
        closing += [factory.close("the host is stopping; your seat is kept") for factory in factories]
        return DeferredList(closing).addCallback(lambda _: None)
