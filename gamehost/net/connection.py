"""
One connection of any wire: the one class that touches a transport.

A connection is heard until it hangs up or is hung up on, and never after that, not even from the same segment. It is
never waited for: every state that only the client could end has a deadline, what a slow reader leaves unread is
bounded, and who does not read is not read. What is said within one turn of the reactor is written at once, in one piece.
"""

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Any, Generic, TypeVar

from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IAddress, IDelayedCall
from twisted.internet.protocol import Factory
from twisted.internet.protocol import Protocol as TransportProtocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost.limits import REFUSAL_SECONDS, TokenBucket
from gamehost.net.context import HostContext
from gamehost.net.scheduler import SHARE
from gamehost.net.tcp import FlowControlProducer, set_socket_options
from gamehost.net.ticker import Ticker
from gamehost.settings import Settings
from gamehost.wires.base import Wire
from gamehost.wires.framing import WireError

#: Bytes to say after which a client reads first, before more is heard from it.
ENOUGH_SAID = 16_384

M = TypeVar("M")


class WireProtocol(TransportProtocol, Generic[M]):
    """
    One connection of any wire.

    :param turned_away: why this connection may not stay; it is told so, and closed
    """

    log = Logger()

    def __init__(self, factory: "WireFactory[M]", address: str, turned_away: str | None) -> None:
        self.factory: WireFactory[M] = factory
        self.address = address
        self._context = context = factory.context
        self._limits = limits = context.limits
        self._codec = factory.config.new_codec()
        self._conversation = factory.config.new_conversation(self, context.lobby)
        self._turned_away = turned_away
        now = context.clock.seconds()
        self._heard_at = now
        self._messages_left = TokenBucket(limits.messages_per_second, limits.messages_burst, now)
        self._refused_at: deque[float] = deque(maxlen=limits.refusals)
        self._coming: Iterator[M] | None = None
        self._put_back: tuple[M, ...] = ()
        self._kept = bytearray()
        self._out: list[bytes] = []
        self._out_bytes = 0
        self._deaf = False
        self._hushed = False
        self._held = False
        self._lost = False
        self._stalled = False
        self._deadlines: dict[str, IDelayedCall] = {}

    # -- the transport's side

    def connectionMade(self) -> None:
        """Set the socket up and begin."""
        transport: Any = self.transport
        set_socket_options(transport)
        transport.registerProducer(FlowControlProducer(self), True)
        self.factory.connections.add(self)
        with self._context.cork:
            if self._turned_away is not None:
                self.close_with(self._turned_away)
                return
            self.logged_out()
            self._conversation.begin()

    def dataReceived(self, data: bytes) -> None:
        """Hear what is whole in it."""
        if self._deaf or self._hushed:
            return
        if self._coming is not None or self._kept or self._stalled:
            self._kept += data  # its turn comes when what is before it has been heard, and what was said is read
            return
        self._coming = self._codec.feed(data)
        context = self._context
        if self._limits.unlimited and not self._messages_left.has_one(context.clock.seconds()):
            self._take_turns()  # past the rate there is only the time that others leave
            return
        with context.cork:
            # While others wait, whoever says more than one thing at a time waits behind them.
            self._hear(1 if context.scheduler.waiting else self._limits.messages_per_turn)

    def connectionLost(self, reason: Failure | None = None) -> None:
        """Forget everything; the conversation ends."""
        self._lost = True
        self._hear_no_more()
        for deadline in self._deadlines.values():
            deadline.cancel()
        self._deadlines.clear()
        self._out.clear()
        self.factory.lost(self)
        if self._turned_away is None:
            self._context.limiter.leave(self.address)
        with self._context.cork:
            self._conversation.end()

    # -- hearing

    def _hear(self, most: int) -> None:
        """Hear so many messages, unless there are fewer, or time is up, or there is enough to be read first."""
        clock, heard = self._context.clock, 0
        now = self._heard_at = clock.seconds()
        assert self._coming is not None
        coming = chain(self._put_back, self._coming) if self._put_back else self._coming
        self._put_back = ()
        try:
            for message in coming:
                if heard and (heard >= most or self._out_bytes > ENOUGH_SAID or clock.seconds() - now > SHARE):
                    self._put_back = (message,)
                    self._no_more("message")
                    self._take_turns()
                    return
                if not self._messages_left.take(now) and not self._limits.unlimited:
                    raise WireError("too many messages")
                self._conversation.hear(message)
                if self._deaf:
                    return
                heard += 1
        except WireError as error:
            self._conversation.wire_error(error)
            self.hang_up(str(error))
            return
        except Exception:
            self.log.failure("hearing {wire} failed", wire=self.factory.wire.name)
            self.hang_up("a fault of the host")
            return
        self._coming = None
        unfinished = self._codec.unfinished
        if self._deadlines and (heard or not unfinished):
            self._no_more("message")  # what has begun behind a whole one has a time of its own
        if self._kept:
            self._take_turns()
        elif unfinished and "message" not in self._deadlines:
            self._by("message", self._limits.message_seconds, self._not_finished)

    def _take_turns(self) -> None:
        """Let the other connections be heard before going on here."""
        transport: Any = self.transport
        transport.pauseProducing()
        self._context.scheduler.wait(self)

    def go_on(self) -> None:
        """It is this connection's turn."""
        if self._held or self._stalled:
            return  # whatever ends that goes on here
        if self._coming is None:
            data = bytes(self._kept)
            self._kept.clear()
            self._coming = self._codec.feed(data)
        with self._context.cork:
            self._hear(self._limits.messages_per_turn)
            self._read_on()

    def _read_on(self) -> None:
        """Hear what has come, or else read more; unless something stands against it."""
        if self._deaf or self._held or self._stalled:
            return
        if self._coming is not None or self._kept:
            self._context.scheduler.wait(self)
        else:
            transport: Any = self.transport
            transport.resumeProducing()

    def _hear_no_more(self) -> None:
        self._deaf = True
        self._coming = None
        self._context.scheduler.leave(self)

    # -- saying: the conversation's side

    def say(self, message: M) -> None:
        """Send a message, at the end of this turn."""
        if self._deaf:
            return
        data = self._codec.encode(message)
        self._out.append(data)
        self._out_bytes += len(data)
        if self._stalled:
            if self._out_bytes > self._limits.queue_bytes:
                self._abort("a reader too slow for what it is told")
        elif len(self._out) == 1:
            self._context.cork.add(self)

    def refuse(self, message: M) -> None:
        """Send a refusal, and count it."""
        self.say(message)
        refused = self._refused_at
        refused.append(self._context.clock.seconds())
        if (
            len(refused) == refused.maxlen
            and refused[-1] - refused[0] <= REFUSAL_SECONDS
            and not self._limits.unlimited
        ):
            self.close_with("too many refusals")

    def stop_input(self) -> None:
        """Hear nothing more, but go on saying what there is to say."""
        self._hushed = True
        self._coming = None
        self._kept.clear()
        self._context.scheduler.leave(self)

    def pause_input(self, held: bool) -> None:
        """Read nothing from the client for a while; or go on."""
        self._held = held
        if held:
            transport: Any = self.transport
            transport.pauseProducing()
        else:
            self._read_on()

    def logged_in(self) -> None:
        """The client has logged in."""
        self._no_more("log in")

    def logged_out(self) -> None:
        """The client has logged out, or never was in."""
        if not self._deaf and "log in" not in self._deadlines:
            self._by("log in", self._limits.login_seconds, self._not_logged_in)

    def alarm(self, seconds: float, ring: Callable[[], None]) -> None:
        """Have `ring` called after so long, if the connection lasts."""
        self.no_alarm()
        if not self._deaf:
            self._by("alarm", seconds, ring)

    def no_alarm(self) -> None:
        """Let no alarm ring."""
        self._no_more("alarm")

    def pulse(self, seconds: float, beat: Callable[[float], None]) -> None:
        """Have `beat` called every so many seconds, with the seconds for which the client has sent no byte."""
        if not self._deaf:
            self.factory.pulse.join(self, seconds, partial(self._tick, beat))

    def exempt_from_rate(self) -> None:
        """What was heard last does not count towards the rate."""
        self._messages_left.give_back()

    def close_with(self, reason: str, stopping: bool = False) -> None:
        """Tell the client why it must go (`stopping`: the host does), and hang up."""
        if not self._deaf:
            say = self._conversation.say_shutdown if stopping else self._conversation.say_closing
            say(reason)
            self.hang_up(reason)

    def hang_up(self, reason: str = "") -> None:
        """Hear nothing more, and close once everything said is written, or time is up."""
        if self._deaf:
            return
        self._hear_no_more()
        self.factory.pulse.leave(self)
        if reason:
            self.factory.hung_up(self.address, reason)
        for deadline in self._deadlines.values():
            deadline.cancel()
        self._deadlines.clear()
        transport: Any = self.transport
        self.flush()
        transport.unregisterProducer()
        transport.loseConnection()
        if not self._lost:
            self._by("close", self._limits.close_seconds, transport.abortConnection)

    # -- writing

    def flush(self) -> None:
        """Write what was said."""
        if self._lost or not self._out:
            return
        data = self._out[0] if len(self._out) == 1 else b"".join(self._out)
        self._out.clear()
        self._out_bytes = 0
        transport: Any = self.transport
        transport.write(data)

    def output_stalled(self) -> None:
        """The client does not read: keep what it is told here, for a while, and hear nothing more that wants answers."""
        self._stalled = True
        if not self._deaf:
            transport: Any = self.transport
            transport.pauseProducing()
            self._by("read", self._limits.stalled_seconds, self._not_read)

    def output_drained(self) -> None:
        """The client has read all that was written."""
        self._stalled = False
        self._no_more("read")
        self.flush()
        self._read_on()

    def _abort(self, reason: str) -> None:
        self._hear_no_more()
        self.factory.pulse.leave(self)
        self._out.clear()
        self.factory.hung_up(self.address, reason)
        transport: Any = self.transport
        transport.abortConnection()

    # -- deadlines: few connections ever have one, so each has its own delayed call

    def _by(self, what: str, seconds: float, call: Callable[[], None]) -> None:
        def due() -> None:
            del self._deadlines[what]
            with self._context.cork:
                call()

        self._deadlines[what] = self._context.clock.callLater(seconds, due)

    def _no_more(self, what: str) -> None:
        deadline = self._deadlines.pop(what, None)
        if deadline is not None:
            deadline.cancel()

    def _tick(self, beat: Callable[[float], None], now: float) -> None:
        with self._context.cork:
            beat(now - self._heard_at)

    def _not_logged_in(self) -> None:
        self.close_with(f"not logged in within {self._limits.login_seconds:g} s")

    def _not_finished(self) -> None:
        self.close_with(f"a message not finished within {self._limits.message_seconds:g} s")

    def _not_read(self) -> None:
        self._abort("a reader that does not read")


class WireFactory(Factory, Generic[M]):
    """The connections of one wire."""

    noisy = False
    log = Logger()

    def __init__(self, wire: Wire[M], settings: Settings, context: HostContext) -> None:
        """
        :raises BadOption: the wire's settings cannot be used
        """
        self.wire = wire
        self.context = context
        self.config = wire.configure(settings)
        self.connections: set[WireProtocol[M]] = set()
        self.pulse = Ticker(context.clock)
        self._closing: Deferred[None] | None = None

    def buildProtocol(self, addr: IAddress | None) -> WireProtocol[M]:  # type: ignore[override]
        """A protocol for a new connection; one that may not stay is told so."""
        address = str(getattr(addr, "host", ""))
        turned_away = self.context.limiter.admit(address, self.context.clock.seconds())
        return WireProtocol(self, address, turned_away)

    def hung_up(self, address: str, reason: str) -> None:
        """Log a connection that was ended for a reason. A flood of them is the log's to bound."""
        self.log.info("{wire}: hung up on {address!r}: {reason}", wire=self.wire.name, address=address, reason=reason)

    def lost(self, connection: WireProtocol[M]) -> None:
        """A connection is gone."""
        self.pulse.leave(connection)
        self.connections.discard(connection)
        if self._closing is not None and not self.connections:
            self._closing.callback(None)
            self._closing = None

    def stop_input(self) -> None:
        """Hear no client any more; they are still told what there is to tell."""
        for connection in self.connections:
            connection.stop_input()

    def pause_input(self, held: bool) -> None:
        """Read from no client for a while; or go on."""
        for connection in self.connections:
            connection.pause_input(held)

    def close(self, reason: str) -> Deferred[None]:
        """Tell all clients why, and hang up on them. Fires when the last connection is gone, which it is soon."""
        if not self.connections:
            return succeed(None)
        closing = self._closing = Deferred()
        with self.context.cork:
            for connection in list(self.connections):
                connection.close_with(reason, stopping=True)
        return closing
