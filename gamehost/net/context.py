"""
The shared parts of all connections of one host, and the parts of one connection that its input and output share: the
turn of the reactor in which output is collected, the deadlines, and the ticker of a listener.
"""

from collections.abc import Callable
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from attrs import Factory, define, field, frozen
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from gamehost._twisted import Timer
from gamehost.fairness import FairScheduler
from gamehost.limits import Limits
from gamehost.net.endpoints import Transport
from gamehost.net.limiter import ConnectionLimiter, HttpLimiter
from gamehost.wires.base import Wire

if TYPE_CHECKING:
    from gamehost.lobby.lobby import Lobby


#: Seconds to log in for a client that has begun, and for a message before that: people type slowly.
LOGIN_PATIENCE_SECONDS = 60.0

#: Called with the time, in the reactor's seconds.
Tick = Callable[[float], None]


class Flushable(Protocol):
    """An object with output that a cork delays."""

    def flush(self) -> None:
        """Write everything that is pending."""


class Cork:
    """
    Delays output during one turn of the reactor, so that each connection writes it in one piece.

    A context manager. When the outermost `with` ends, the connections that have pending output are flushed.
    """

    __slots__ = ("_depth", "_dirty")

    def __init__(self) -> None:
        self._depth = 0
        self._dirty: list[Flushable] = []

    def __enter__(self) -> None:
        self._depth += 1

    def __exit__(self, *exc_info: object) -> None:
        if self._depth == 1 and self._dirty:
            # Still corked while flushing: output that is added now is flushed by this loop too.
            for connection in self._dirty:
                connection.flush()
            self._dirty.clear()
        self._depth -= 1

    def add(self, connection: Flushable) -> None:
        """Flush this connection at the end of the current turn, or now if there is no current turn."""
        if self._depth:
            self._dirty.append(connection)
        else:
            connection.flush()


@define(eq=False)
class Ticker:
    """
    Calls every member, every so many seconds.

    The first member sets the seconds; the connections of one listener all use the same.
    """

    _clock: IReactorTime
    _seconds: float = 0.0
    _ticks: dict[object, Tick] = field(factory=dict)
    _timer: Timer = field(factory=Timer)

    def join(self, member: object, seconds: float, beat: Tick) -> None:
        """Call `beat` regularly from now on."""
        self._ticks[member] = beat
        if not self._timer:
            self._seconds = seconds
            self._timer.set(self._clock, seconds, self._go_around)

    def leave(self, member: object) -> None:
        """Stop the calls for a member. Does nothing if it has not joined."""
        if self._ticks.pop(member, None) is not None and not self._ticks:
            self._timer.stop()

    def _go_around(self) -> None:
        self._timer.set(self._clock, self._seconds, self._go_around)
        now = self._clock.seconds()
        # A copy, because a member may leave during its call, and may make others leave.
        for member, beat in list(self._ticks.items()):
            if member in self._ticks:
                beat(now)


class Deadline(StrEnum):
    """The purpose of a deadline. A connection has at most one deadline for each purpose."""

    #: The client must log in.
    LOGIN = "login"
    #: The client must finish a message that it has begun.
    MESSAGE = "message"
    #: The client must read what was sent.
    STALLED = "stalled"
    #: The client must take the last bytes of a connection that is closed.
    CLOSING = "closing"
    #: Input that was paused because of many moves resumes.
    MOVES = "moves"
    #: Input that was paused because of bytes for the journal resumes.
    JOURNAL = "journal"
    #: Input that was paused because of short segments resumes.
    SEGMENTS = "segments"
    #: Held messages are sent.
    HOLD = "hold"
    #: The conversation's own alarm is due.
    ALARM = "alarm"


#: The empty deadlines, shared by all connections without any, which are nearly all.
_NO_CALLS: Any = MappingProxyType({})


class Deadlines:
    """
    The deadlines of one connection that are running.

    :param cork: collects the output of a deadline that is due, so that it is written in one piece
    """

    __slots__ = ("_calls", "_clock", "_cork")

    def __init__(self, clock: IReactorTime, cork: Cork) -> None:
        self._clock = clock
        self._cork = cork
        self._calls: dict[Deadline, IDelayedCall] = _NO_CALLS

    def __bool__(self) -> bool:
        return bool(self._calls)

    def __contains__(self, deadline: Deadline) -> bool:
        return deadline in self._calls

    def set(self, deadline: Deadline, seconds: float, when_due: Callable[[], None]) -> None:
        """Call `when_due` after a number of seconds, unless the deadline is cancelled. It must not be running."""

        def due() -> None:
            self._forget(deadline)
            with self._cork:
                when_due()

        if not self._calls:
            self._calls = {}
        self._calls[deadline] = self._clock.callLater(seconds, due)

    def cancel(self, deadline: Deadline) -> None:
        """Cancel a deadline, if it is running."""
        if deadline in self._calls:
            self._forget(deadline).cancel()

    def _forget(self, deadline: Deadline) -> IDelayedCall:
        call = self._calls.pop(deadline)
        if not self._calls:
            self._calls = _NO_CALLS  # an empty dictionary for each connection would have room for five
        return call

    def cancel_all(self) -> None:
        for call in self._calls.values():
            call.cancel()
        self._calls = _NO_CALLS


@frozen
class ConnectionBounds:
    """Upper bounds for one connection, on every host. Tests use smaller ones."""

    #: Bytes a second that it may send, in the long run: quick bots send a quarter of it.
    bytes_per_second: float = 16_384.0
    #: Bytes that it may send at once: the longest messages of many seconds.
    bytes_at_once: int = 262_144
    #: Refused messages within `gamehost.net.connection.REFUSAL_SECONDS` that end it: mistyping people are slower.
    refusals: int = 20
    #: Bytes that may wait for a client that does not read, besides the system's buffer: room for all messages of a
    #: match.
    unread_bytes: int = 65_536


@define(eq=False)
class HostContext:
    """The shared parts of all connections of a host."""

    clock: IReactorTime
    lobby: "Lobby"
    limits: Limits
    limiter: ConnectionLimiter
    cork: Cork = field(factory=Cork)
    http_limiter: HttpLimiter = field(default=Factory(lambda self: HttpLimiter(self.limits), takes_self=True))
    #: Makes the input of a connection, from the connection, its codec and its conversation; `None`: an `Input`.
    new_input: Callable[..., Any] | None = None
    scheduler: FairScheduler = field(default=Factory(lambda self: self.lobby.context.scheduler, takes_self=True))
    bounds: ConnectionBounds = ConnectionBounds()
    #: While the disk is too slow: the inputs that are paused, because bytes have come for them since. `None`: the disk
    #: is quick enough.
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
    def input(self) -> Any:
        """The connection's `gamehost.net.streams.Input`."""

    @property
    def closing(self) -> bool:
        """Whether the connection is closing or closed. Nothing more can be sent."""

    @property
    def pending_bytes(self) -> int:
        """Bytes that were not given to the transport yet."""

    def hang_up(self, reason: str = "", kind: str = "other") -> None:
        """Handle no more input, and close once everything is written, or when the time for that is up."""

    def close_with(self, reason: str) -> None:
        """Send the client the reason why the connection is closed, and close it."""

    def abort(self, reason: str) -> None:
        """Close at once, without writing the pending bytes: the client would not read them."""
