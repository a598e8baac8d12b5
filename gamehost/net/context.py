"""
The parts that the connections of one host share, and that the input and output of one connection share. `Cork` collects
output during a turn of the reactor, `Deadlines` has the timers of a connection, and `Ticker` the regular calls of a
listener.
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


#: How many seconds a client that has begun to send has for its log-in, and for each message before that. People type slowly.
LOGIN_PATIENCE_SECONDS = 60.0

#: A regular call, with the time in the reactor's seconds.
Tick = Callable[[float], None]


class Flushable(Protocol):
    """An object with pending output, such as a connection. A `Cork` decides when it is written."""

    def flush(self) -> None:
        """Write everything that is pending."""


class Cork:
    """
    Delays output during one turn of the reactor, so that each connection writes all of its output in one piece.

    It is a context manager, and may be entered again inside of itself. When the outermost `with` ends, all connections
    with pending output are flushed.
    """

    __slots__ = ("_depth", "_dirty")

    def __init__(self) -> None:
        self._depth = 0
        self._dirty: list[Flushable] = []

    def __enter__(self) -> None:
        self._depth += 1

    def __exit__(self, *exc_info: object) -> None:
        """At the end of the outermost `with`, flush all connections with pending output. Exceptions are passed on."""
        if self._depth == 1 and self._dirty:
            # `_depth` is still 1: a connection with new output is added to this list, so this loop flushes it, too.
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
    Calls a function for each of its members regularly, with one timer for all.

    The time between two calls is that of the first member: the connections of one listener all have the same.
    """

    _clock: IReactorTime
    _seconds: float = 0.0
    _ticks: dict[object, Tick] = field(factory=dict)
    _timer: Timer = field(factory=Timer)

    def join(self, member: object, seconds: float, beat: Tick) -> None:
        """Call `beat` regularly from now on."""
        self._ticks[member] = beat
        if not self._timer:  # this is the first member
            self._seconds = seconds
            self._timer.set(self._clock, seconds, self._go_around)

    def leave(self, member: object) -> None:
        """Stop the calls for a member. It need not have joined."""
        if self._ticks.pop(member, None) is not None and not self._ticks:
            self._timer.stop()

    def _go_around(self) -> None:
        """Call the functions of all members. Called by the timer."""
        self._timer.set(self._clock, self._seconds, self._go_around)  # first, because the last member may stop it below
        now = self._clock.seconds()
        # A copy, because a member may leave during its call, and may make others leave.
        for member, beat in list(self._ticks.items()):
            if member in self._ticks:
                beat(now)


class Deadline(StrEnum):
    """The purposes of deadlines. A connection has at most one running deadline for each purpose."""

    #: The client must log in.
    LOGIN = "login"
    #: The client must finish a message that it has begun.
    MESSAGE = "message"
    #: The client must read what was sent.
    STALLED = "stalled"
    #: The client must read the last bytes of a connection that is being closed.
    CLOSING = "closing"
    #: The end of a pause in which nothing is read, because of many moves.
    MOVES = "moves"
    #: The end of such a pause, because of many bytes for the journal.
    JOURNAL = "journal"
    #: The end of such a pause, because of many short segments.
    SEGMENTS = "segments"
    #: The end of a hold: the messages that were held back are sent.
    HOLD = "hold"
    #: An alarm that the conversation has set.
    ALARM = "alarm"


#: The empty dictionary of all connections without running deadlines, to save memory: these are nearly all connections.
_NO_CALLS: Any = MappingProxyType({})


class Deadlines:
    """
    The running deadlines of one connection.

    :param cork: used while the function of a deadline runs, so that its output is written in one piece
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
        """
        Call `when_due` after a number of seconds, unless the deadline is cancelled before.

        :param deadline: its purpose; no deadline for this purpose may be running
        """

        def due() -> None:
            self._forget(deadline)  # first, because `when_due` may set the same deadline again
            with self._cork:
                when_due()

        if not self._calls:
            self._calls = {}  # in place of the empty one that all connections share
        self._calls[deadline] = self._clock.callLater(seconds, due)

    def cancel(self, deadline: Deadline) -> None:
        """Cancel a deadline, if it is running."""
        if deadline in self._calls:
            self._forget(deadline).cancel()

    def _forget(self, deadline: Deadline) -> IDelayedCall:
        """Remove a deadline that is due or cancelled, and return its timer."""
        call = self._calls.pop(deadline)
        if not self._calls:
            self._calls = _NO_CALLS  # even an empty dictionary takes memory, for each connection
        return call

    def cancel_all(self) -> None:
        for call in self._calls.values():
            call.cancel()
        self._calls = _NO_CALLS


@frozen
class ConnectionBounds:
    """Limits for each connection that owners of hosts cannot change. Tests use smaller ones."""

    #: How many bytes a second a client may send in the long run. Quick bots send a quarter of this.
    bytes_per_second: float = 16_384.0
    #: How many bytes a client may send at once: as many as the longest messages of many seconds have.
    bytes_at_once: int = 262_144
    #: After so many refused messages within `gamehost.net.connection.REFUSAL_SECONDS` the connection is closed. People that
    #: mistype are slower.
    refusals: int = 20
    #: How many bytes may wait for a client that does not read, in addition to the system's buffer. All messages of a match
    #: have fewer.
    unread_bytes: int = 65_536


@define(eq=False)
class HostContext:
    """The objects that all connections of a host share."""

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
    #: While the disk is too slow, nothing is read from clients: the inputs that are paused because bytes have come for them.
    #: `None`: the disk is quick enough.
    behind: dict[Any, None] | None = None


class Connection(Protocol):
    """What the input and the output of a connection may use of the connection."""

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
        """Close the connection when everything is written, at the latest after some time. No more input is handled."""

    def close_with(self, reason: str) -> None:
        """Send the client the reason why the connection is closed, and close it."""

    def abort(self, reason: str) -> None:
        """Close at once, without writing the pending bytes: the client would not read them."""
