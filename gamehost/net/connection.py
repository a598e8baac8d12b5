"""
One connection of any wire: how it begins and ends, and the methods that its conversation calls.

A connection has three parts. `gamehost.net.streams.Input` decodes messages and passes them to the conversation. `Output`
encodes and writes messages. `gamehost.net.context.Deadlines` has the timers. When a connection begins to close, all
further input is dropped, also messages that came in the same segment.
"""

from collections import Counter, deque
from collections.abc import Callable
from enum import IntEnum
from functools import partial
from operator import attrgetter
from typing import Any, Generic, TypeVar

from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory
from twisted.internet.protocol import Protocol as TransportProtocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost.accounts.bans import Bans
from gamehost.lobby.sessions import Session
from gamehost.net.context import LOGIN_PATIENCE_SECONDS, Deadline, Deadlines, HostContext, Ticker
from gamehost.net.endpoints import Transport, set_socket_options
from gamehost.net.streams import Input, Output, PauseReason
from gamehost.settings import Settings
from gamehost.wires.base import (
    DISPLACED,
    SUSPENDED,
    UNMATCHED,
    BaseConversation,
    Ending,
    Wire,
    WireConfig,
)
from gamehost.wires.websocket import LinesOrSocket

M = TypeVar("M")

#: A connection is closed after `ConnectionBounds.refusals` refused messages within so many seconds.
REFUSAL_SECONDS = 20.0

#: Seconds for the client of a closing connection to read the last messages: several round trips.
CLOSING_SECONDS = 2.0

#: The message to a player if the owner of the host ends the connection.
KICKED = "the owner of this host has ended your connection"

#: The kinds of reasons for which the host ends connections: by the beginning of the reason. The first one that fits decides.
_BEGINNINGS = {
    "too many refusals": "refusals",
    "too many messages": "rate",
    "too many bytes": "rate",
    "not logged in within": "login_deadline",
    "a message not finished within": "message_deadline",
    "the client reads too slowly": "slow_reader",
    "the client does not read": "slow_reader",
    "not a byte in": "silent",
    "no byte received": "silent",
    "silent": "silent",
    "the host is stopping": "stopping",
    "a fault of the host": "fault",
    SUSPENDED: "fault",
    "displaced by another connection": "replaced",
    DISPLACED: "replaced",
    UNMATCHED: "unmatched",
    "malformed log-ins": "protocol",
    "this name is banned": "banned",
    "your address is banned": "banned",
    KICKED: "kicked",
    "the host is about to stop": "stopping",
}

#: The kind of all other reasons.
OTHER = "other"

#: All kinds. `protocol` is also the kind of everything that a wire cannot understand.
KINDS = (*dict.fromkeys(_BEGINNINGS.values()), OTHER)


def kind_of(reason: str, default: str = OTHER) -> str:
    """
    The kind of a reason for which the host ends a connection, for counts and the log.

    :param default: the kind of a reason that is not in the list
    """
    return next((kind for beginning, kind in _BEGINNINGS.items() if reason.startswith(beginning)), default)


class ConnectionState(IntEnum):
    """The states of a connection, in the order in which it goes through them. It may skip states, but never goes back."""

    #: Input is handled, and messages are sent.
    OPEN = 0
    #: The host is stopping: messages are sent, but input is dropped.
    SEND_ONLY = 1
    #: The messages that were sent before are being written. Nothing more can be sent.
    CLOSING = 2
    #: The transport is closed.
    LOST = 3


# A name of its own, because this is needed for every message, and looking up a member of an enum takes long.
_CLOSING = ConnectionState.CLOSING


class WireProtocol(TransportProtocol, Generic[M]):
    """
    One connection of any wire. It is the `Peer` of its conversation.

    :param address: of the client, without the port; empty if the transport has no addresses
    :param turned_away: the reason why this connection is refused: the client receives this, and the connection is closed.
        `None`: it is not refused
    :param config: makes the codec and the conversation; by default, that of the factory
    """

    transport: Transport  # type: ignore[assignment]

    def __init__(
        self, factory: "WireFactory[M]", address: str, turned_away: str | None, config: WireConfig[M] | None = None
    ) -> None:
        """Make the parts of a connection. The class describes the parameters; `connectionMade` begins the conversation."""
        self.factory = factory
        self.address = address
        self.wire = factory.wire
        self.context = context = factory.context
        self.state = ConnectionState.OPEN
        self._turned_away = turned_away
        #: When the last refusals were sent, in the clock's seconds; `None`: no message was refused yet.
        self._refused_at: deque[float] | None = None
        config = config or factory.config
        #: Whether a password may be sent on this connection. Only wires for which connections differ use it.
        self.private = bool(getattr(config, "private", False))
        self._codec = config.new_codec()
        self.output = Output(self, self._codec)
        #: Called by the conversation: see `Peer`.
        self.say = self.output.send
        #: The conversation of this connection.
        self.conversation = config.new_conversation(self, context.lobby)
        self.deadlines = Deadlines(context.clock, context.cork)
        # A host inside of another program may use another input.
        new_input: Callable[..., Input[M]] = context.new_input or Input
        self.input = new_input(self, self._codec, self.conversation)

    @property
    def closing(self) -> bool:
        return self.state >= _CLOSING

    @property
    def pending_bytes(self) -> int:
        return self.output.pending_bytes

    @property
    def session(self) -> Session | None:
        """The session that has logged in on this connection; `None`: no session has."""
        conversation = self.conversation
        return conversation.session if isinstance(conversation, BaseConversation) else None

    def say_notice(self, text: str) -> bool:
        """Send a notice of the host's owner to the client. Returns `False` if the wire has no message for notices."""
        conversation = self.conversation
        return not self.state and isinstance(conversation, BaseConversation) and conversation.say_notice(text)

    # -- the transport calls these

    def connectionMade(self) -> None:
        """Begin the conversation; or, if the connection is refused, send the reason and close it."""
        set_socket_options(self.transport)
        self.transport.registerProducer(self.output, True)
        self.factory.connections.add(self)
        with self.context.cork:
            if self._turned_away is not None:
                self.context.limiter.being_refused += 1
                self.close_with(self._turned_away)
                return
            self.logged_out()  # sets the deadline for the log-in
            self.conversation.begin()

    def dataReceived(self, data: bytes) -> None:
        if not self.state:  # OPEN
            self.input.receive(data)

    def connectionLost(self, reason: Failure | None = None) -> None:
        """Count the connection no longer, and end it. A refused connection was counted separately from the admitted ones."""
        if self._turned_away is None:
            self.context.limiter.leave(self.address)
        else:
            self.context.limiter.being_refused -= 1
        self._end()

    def hand_over(self) -> Transport:
        """
        End this protocol, but not the connection: another protocol uses the transport from now on. The connection still
        counts for the limits of its address.
        """
        # Write everything first: `_end` drops what is not written.
        self.output.end_holds()
        self.output.flush()
        self.transport.unregisterProducer()
        self._end()
        return self.transport

    def _end(self) -> None:
        """Stop all parts of the connection, and end its conversation."""
        self.state = ConnectionState.LOST
        self.output.closed = True
        self.input.stop()
        self.output.clear()
        self.deadlines.cancel_all()
        self.factory.lost(self)
        with self.context.cork:
            self.conversation.end()

    # -- the conversation calls these: see `Peer`

    say_and_hold = property(attrgetter("output.send_and_hold"))
    say_bytes = property(attrgetter("output.send_bytes"))
    say_newest = property(attrgetter("output.send_newest"))
    hold = property(attrgetter("output.hold"))
    hold_seconds = property(attrgetter("output.hold_seconds"))
    unsay = property(attrgetter("output.drop_held"))
    exempt_from_rate = property(attrgetter("input.exempt_from_rate"))
    move_accepted = property(attrgetter("input.move_accepted"))
    journaled = property(attrgetter("input.journaled"))

    def say_past(self, message: M) -> None:
        self.output.send(message, past=True)

    def refuse(self, message: M) -> None:
        """Send the refusal of a client's message. Too many refusals in a short time end the connection."""
        self.say(message)
        self.factory.refusals += 1
        refused = self._refused_at
        if refused is None:
            refused = self._refused_at = deque(maxlen=self.context.bounds.refusals)
        refused.append(self.context.clock.seconds())
        # As many refusals as are allowed, and the first of them was not long ago. (The deque drops older ones.)
        if (
            len(refused) == refused.maxlen
            and refused[-1] - refused[0] <= REFUSAL_SECONDS
            and not self.context.limits.unlimited
        ):
            self.close_with("too many refusals")

    def logged_in(self) -> None:
        self.deadlines.cancel(Deadline.LOGIN)

    def logged_out(self, seconds: float = 0) -> None:
        """
        Set the deadline for a log-in, unless it is set already.

        :param seconds: if this is longer than the usual times, the client has so many seconds
        """
        if self.closing or Deadline.LOGIN in self.deadlines:
            return
        first, patience = self._login_times
        if seconds > patience:  # the conversation has asked for a longer time
            self.deadlines.set(Deadline.LOGIN, seconds, partial(self._not_logged_in, seconds))
        else:
            self.deadlines.set(Deadline.LOGIN, first, partial(self._login_due, self.input.bytes_received))

    def alarm(self, seconds: float, ring: Callable[[], None]) -> None:
        self.no_alarm()
        if not self.closing:
            self.deadlines.set(Deadline.ALARM, seconds, ring)

    def no_alarm(self) -> None:
        self.deadlines.cancel(Deadline.ALARM)

    def pulse(self, seconds: float, beat: Callable[[float], None]) -> None:
        if not self.closing:
            self.factory.pulse.join(self, seconds, partial(self._tick, beat))

    def hang_up(self, reason: str = "", kind: str = OTHER) -> None:
        """
        Close the connection when everything is written, at the latest after `CLOSING_SECONDS`. No more input is handled.

        :param reason: for the log and the counts; the client does not receive it. Empty: this is the usual end
        :param kind: the kind of the reason, if `kind_of` does not know the reason
        """
        if self.closing:
            return
        self.output.end_holds()  # sends the messages that were held back
        # Some codecs have bytes that mark the end of a stream.
        if isinstance(self._codec, Ending) and (last := self._codec.ending(kind_of(reason) == "stopping")) is not None:
            self.output.send(last)
        if self.closing:
            return  # the client does not read, and its queue had no room for the held messages: `send` has aborted
        self._begin_closing(reason, kind)
        self.output.flush()
        # Without a producer, Twisted closes the connection when its buffer is empty. A client that reads nothing would
        # keep it open, so a deadline runs.
        self.transport.unregisterProducer()
        self.transport.loseConnection()
        self.deadlines.set(Deadline.CLOSING, CLOSING_SECONDS, self.transport.abortConnection)

    # -- the host and the connection's parts call these

    def stop_input(self) -> None:
        """Drop all further input, but continue to send."""
        if self.state < ConnectionState.SEND_ONLY:
            self.state = ConnectionState.SEND_ONLY
            self.input.stop()

    def close_with(self, reason: str, stopping: bool = False) -> None:
        """
        Send the client the reason why the connection is closed, and close it.

        :param stopping: whether the reason is that the host stops
        """
        if not self.closing:
            say = self.conversation.say_shutdown if stopping else self.conversation.say_closing
            say(reason)
            self.hang_up(reason)

    def abort(self, reason: str) -> None:
        """Close the connection at once, without writing pending messages: the client would not read them."""
        self._begin_closing(reason)
        self.output.clear()
        self.transport.abortConnection()

    def _begin_closing(self, reason: str, kind: str = OTHER) -> None:
        """Drop all further input and output, and log the reason; an empty reason is not logged."""
        self.state = _CLOSING
        self.output.closed = True
        self.input.stop()
        self.deadlines.cancel_all()
        self.factory.pulse.leave(self)
        if self._turned_away is not None:
            self.factory.turned_away(self.address, reason)
        elif reason:
            self.factory.hung_up(self.address, reason, kind)

    def _tick(self, beat: Callable[[float], None], now: float) -> None:
        """Call the conversation's `beat` with the seconds since the last input."""
        with self.context.cork:
            beat(now - self.input.last_at)

    @property
    def _login_times(self) -> tuple[float, float]:
        """How many seconds a client has to log in: if it has sent nothing yet, and if it has begun to send something."""
        wire = self.factory.wire
        first = max(self.context.limits.login_seconds, wire.login_seconds)
        patience = max(LOGIN_PATIENCE_SECONDS, first)
        return patience if wire.for_people else first, patience  # people read first, and type slowly

    def _login_due(self, received_before: int) -> None:
        """
        The first time for a log-in is over: close the connection, or give more time to a client that has begun to send.

        :param received_before: how many bytes the client had sent when the deadline was set
        """
        first, patience = self._login_times
        if self.input.bytes_received > received_before and patience > first:
            self.deadlines.set(Deadline.LOGIN, patience - first, partial(self._not_logged_in, patience))
        else:
            self._not_logged_in(first)

    def _not_logged_in(self, seconds: float) -> None:
        self.close_with(f"not logged in within {seconds:g} s")


class WireFactory(Factory, Generic[M]):
    """Makes the connections of one wire, and knows all that are open."""

    noisy = False
    log = Logger()

    def __init__(self, wire: Wire[M], settings: Settings, context: HostContext) -> None:
        """
        Configure the wire.

        :raises BadOption: the wire's settings cannot be used
        """
        self.wire = wire
        self.context = context
        self.config = wire.configure(settings)
        if wire.websocket:
            self.config = LinesOrSocket(self.config)  # the same port also takes WebSockets
        if wire.tells_missed_end:
            context.lobby.seats.ends.wires.add(wire.name)
        #: The name of this listener for other hosts of a cluster, to which it passes connections on.
        self.passed_on_as = wire.name
        self.connections: set[WireProtocol[M]] = set()
        #: How many connections were admitted since the start, and how many messages were refused.
        self.admitted = self.refusals = 0
        #: How many connections the host has ended, by the kind of the reason.
        self.hang_ups: Counter[str] = Counter()
        self.pulse = Ticker(context.clock)
        self._closing: Deferred[None] | None = None

    def buildProtocol(self, addr: IAddress | None) -> WireProtocol[M] | None:
        """
        Make the protocol for a new connection. If the connection is refused, the protocol sends the client the reason.

        :returns: `None`: the connection is refused without a reason, and Twisted closes it. This happens if too many clients
            are receiving a reason now, or this address has received too many. Without this limit, strangers could use up
            the files of the process, and its time
        """
        return self.admit(str(getattr(addr, "host", "")))

    def admit(self, address: str, config: WireConfig[M] | None = None) -> WireProtocol[M] | None:
        """
        Make the protocol for a new connection, as `buildProtocol` does.

        :param address: of the client, without the port
        :param config: makes the codec and the conversation; `None`: those of this factory
        """
        limiter = self.context.limiter
        now = self.context.clock.seconds()
        turned_away = limiter.admit(address, now)  # the reason of a refusal, or `None`
        if turned_away is not None and not limiter.may_be_told(address, now):
            return None
        self.admitted += turned_away is None
        return WireProtocol(self, address, turned_away, config)

    def turned_away(self, address: str, reason: str) -> None:
        """Log why a new connection is refused. The log itself limits how many such lines it writes."""
        self.log.info("{wire}: refused {address!r}: {reason}", wire=self.wire.name, address=address, reason=reason)

    def hung_up(self, address: str, reason: str, kind: str = OTHER) -> None:
        """Count a connection that the host has ended, and log the reason."""
        self.hang_ups[kind_of(reason, kind)] += 1
        self.log.info("{wire}: hung up on {address!r}: {reason}", wire=self.wire.name, address=address, reason=reason)

    def lost(self, connection: WireProtocol[M]) -> None:
        """Forget a connection that has ended. After the last one, `close` is complete."""
        self.pulse.leave(connection)
        self.connections.discard(connection)
        if self._closing is not None and not self.connections:
            self._closing.callback(None)
            self._closing = None

    def close_some(self, reason: Callable[[WireProtocol[M]], str | None]) -> int:
        """
        Close some connections, and send their clients the reasons.

        :param reason: called with each connection: returns the reason why it is closed; `None`: it is not closed
        :returns: how many connections are closed
        """
        found = [(one, why) for one in self.connections if not one.closing and (why := reason(one)) is not None]
        with self.context.cork:
            for connection, why in found:
                connection.close_with(why)
        return len(found)

    def stop_input(self) -> None:
        """Drop all further input of the clients, but continue to send to them."""
        for connection in self.connections:
            connection.stop_input()

    def pause_input(self, paused: bool) -> None:
        """
        Pause the input from all clients of the host, or let it continue.

        A connection is really paused only when bytes come from it, so idle connections cost nothing.
        """
        behind = self.context.behind
        if paused:
            # From now on, each input that receives bytes pauses itself, and adds itself to this dictionary.
            self.context.behind = {} if behind is None else behind
            return
        self.context.behind = None
        for waiting in behind or ():
            waiting.resume(PauseReason.HOST)

    def close(self, reason: str) -> Deferred[None]:
        """
        Send all clients the reason, and close their connections. Fires when the last one is closed, after a few seconds
        at most.
        """
        if not self.connections:
            return succeed(None)
        closing = self._closing = Deferred()
        with self.context.cork:
            for connection in list(self.connections):
                connection.close_with(reason, stopping=True)
        return closing


def ban_message(bans: Bans, one: WireProtocol[Any]) -> str | None:
    """The message to a connected client whose address or name is banned; `None`: neither is banned."""
    found = bans.of_address(one.address)
    # House players have names that the host gives, and are not clients.
    if found is None and one.session is not None and not one.session.house:
        found = bans.of_name(one.session.identity)
    return None if found is None else found.words
