"""
The parts that all connections of one host share.
"""

from collections.abc import Callable
from typing import Any, Protocol

from attrs import Factory, define, field
from twisted.internet.interfaces import IReactorTime

from gamehost.limits import Limits
from gamehost.lobby.lobby import Lobby
from gamehost.net.limiter import ConnectionLimiter, HttpLimiter
from gamehost.tables.scheduler import FairScheduler


class Flushable(Protocol):
    """Something whose output a cork holds back."""

    def flush(self) -> None:
        """Write everything that is pending."""


class Cork:
    """
    Holds output back during one turn of the reactor, so that each connection writes it in one piece.

    A context manager. When the outermost `with` ends, the connections that have pending output are flushed.
    """

    __slots__ = ("_depth", "_dirty")

    def __init__(self) -> None:
        self._depth = 0
        self._dirty: list[Flushable] = []

    def __enter__(self) -> None:
        self._depth += 1

    def __exit__(self, *exc_info: object) -> None:
        if self._depth == 1:
            # Still corked while flushing: output that is added now is flushed by this loop too.
            for connection in self._dirty:
                connection.flush()
            self._dirty.clear()
        self._depth -= 1

    def add(self, connection: Flushable) -> None:
        """Flush this connection at the end of the turn, or now if no turn is under way."""
        if self._depth:
            self._dirty.append(connection)
        else:
            connection.flush()


@define(eq=False)
class HostContext:
    """What all connections of a host share."""

    clock: IReactorTime
    lobby: Lobby
    limits: Limits
    limiter: ConnectionLimiter
    cork: Cork = field(factory=Cork)
    http_limiter: HttpLimiter = field(default=Factory(lambda self: HttpLimiter(self.limits), takes_self=True))
    #: Makes the input of a connection, from the connection, its codec and its conversation; `None`: an `Input`.
    new_input: Callable[..., Any] | None = None
    scheduler: FairScheduler = field(default=Factory(lambda self: self.lobby.context.scheduler, takes_self=True))
