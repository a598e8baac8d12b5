"""
The parts that all connections of one host share, and what the parts of one connection know of it.
"""

from collections.abc import Callable
from typing import Any, Protocol

from attrs import Factory, define, field
from twisted.internet.interfaces import IReactorTime

from gamehost.limits import Limits
from gamehost.lobby.lobby import Lobby
from gamehost.net.deadlines import Cork, Deadlines
from gamehost.net.endpoints import Transport
from gamehost.net.limiter import ConnectionLimiter, HttpLimiter
from gamehost.tables.scheduler import FairScheduler
from gamehost.wires.base import Wire


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
    #: While the disk is behind: the inputs for which something has come since. They pause. `None`: the disk keeps up.
    behind: dict[Any, None] | None = None


class Connection(Protocol):
    """A connection, as its input and its output see it."""

    transport: Transport
    deadlines: Deadlines
    context: HostContext
    address: str

    @property
    def wire(self) -> Wire[Any]: ...

    @property
    def closing(self) -> bool:
        """Whether the connection closes, or is closed: nothing can be sent any more."""

    @property
    def pending_bytes(self) -> int:
        """Bytes that were not given to the transport yet."""

    def hang_up(self, reason: str = "", kind: str = "other") -> None:
        """Handle no more input, and close once everything is written, or when the time for that is up."""

    def close_with(self, reason: str) -> None:
        """Tell the client why the connection is closed, and close it."""

    def abort(self, reason: str) -> None:
        """Close at once: the client would not read what is still to be written."""
