"""
Relays: a member passes a client's connection on to another member, and copies the bytes between both.

Bytes are copied in both directions as they come. If one side does not read, nothing is read from the other side. If the
other member is dead, its relays are cut. This is needed because a process that hangs still accepts connections.

The other member writes in frames: four bytes with the length, then the bytes. An empty frame means that the client must go
to a third member, or back to this one. Then come a `Return` in a frame, the client's bytes that no host has handled, and
another empty frame. So at most one member relays a client, however often the client moves.
"""

import secrets
from collections.abc import Callable, Collection, Iterable
from struct import pack
from typing import Any
from typing import Protocol as Interface

from attrs import define, field
from msgspec import DecodeError, Struct, json
from msgspec.structs import replace
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IReactorTime, IStreamClientEndpoint
from twisted.internet.protocol import Factory, Protocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost._twisted import Timer, replace_protocol, write_at_once
from gamehost.journal.records import SeatRecord
from gamehost.net.endpoints import set_socket_options
from gamehost.net.limiter import ConnectionLimiter
from gamehost.storage.names import INTERFACE, Member
from gamehost.wires.framing import WireError

#: The most bytes of a preamble's line, with its end.
LONGEST = 16_384
#: The most times that a connection is passed on before its client has logged in. It may be passed on several times, because a
#: name can get another home meanwhile.
MOST_HOPS = 8
#: The most bytes of a frame.
LONGEST_FRAME = 65_536
#: The name under which a WebSocket of the pages is passed on. It speaks the open wire. No wire has it.
SOCKET = "web/socket"


class Preamble(Struct, frozen=True, forbid_unknown_fields=True):
    """The first line on a connection between members: the facts about the client that is passed on."""

    #: The secret token of the receiving host's run, so that no other program can pass connections on to it.
    token: str
    #: The wire by its name, or `SOCKET`.
    wire: str
    #: The client's address, without its port.
    address: str
    #: Whether the client's connection is encrypted. It is set only for a `SOCKET`.
    tls: bool = False
    #: How many of the following messages the first member has handled already.
    skip: int = 0
    #: The number of the next message, for a codec that numbers the messages that it writes.
    sequence: int = 0
    #: How often the connection was passed on since its client has logged in, this time included.
    hops: int = 1
    #: The bytes that the first member sends behind the last byte of the client, if the other member gives the
    #: connection back.
    mark: str = ""
    #: The player that has logged in on this connection; `None`: the client has not logged in.
    adopt: SeatRecord | None = None
    #: The state of the conversation; see `BaseConversation.parcel`.
    parcel: str = ""
    #: Whether the client's connection is lost already. Then the other member only makes the name free.
    lost: bool = False
    #: The number of the interface between members, in the release of the sending member.
    interface: int = INTERFACE

    def __repr__(self) -> str:
        return f"Preamble(wire={self.wire!r}, address={self.address!r})"

    def line(self) -> bytes:
        """Returns the preamble as a line of JSON."""
        return json.encode(self) + b"\n"


class Return(Struct, frozen=True):
    """
    Sent to the member that relays a connection, when the connection must go to a third member or back: the destination, and
    the preamble for it.
    """

    #: The key of the name or place that decides the destination, and the number of the member that is its home now.
    key: str
    home: int
    preamble: Preamble


class _Speaks(Struct):
    """The part of a preamble that is the same in all releases. Very old releases send no interface number."""

    token: str
    interface: int = 0


_READER = json.Decoder(Preamble)
_SPEAKS = json.Decoder(_Speaks)
_RETURNS = json.Decoder(Return)


def read_preamble(line: bytes) -> Preamble:
    """
    Reads the line of a preamble.

    :param line: without its end
    :raises WireError: the line is not a preamble, or has another interface number
    """
    try:
        # First only the number, because the other fields of another interface may be unknown here.
        if (its := _SPEAKS.decode(line).interface) != INTERFACE:
            raise WireError(
                f"it comes from a member with interface {its} between members, and this release has {INTERFACE}"
            )
        read = _READER.decode(line)
    except (DecodeError, RecursionError):
        raise WireError("no preamble") from None
    # None of these numbers can be negative.
    if min(read.skip, read.sequence, read.hops) < 0:
        raise WireError("no preamble")
    return read


#: For how many seconds a member tries to reach another member, and the seconds between two tries.
PATIENCE = 10.0
PAUSE = 0.1

#: The most bytes of a client that are stored while the other member has sent nothing yet.
MOST_UNANSWERED = 65_536


class Search(Interface):
    """Finds the member to which a connection must be passed on. The answer may change while the search lasts."""

    def find(self) -> Member | bool | None:
        """Returns the current destination; `None`: it is not known now. `False`: this host itself."""

    def end(self) -> None:
        """Ends the search."""


class FramedTransport:
    """
    The transport of a client that another member relays. It writes frames, and otherwise behaves like the connection to that
    member.
    """

    __slots__ = ("bare", "mark")

    def __init__(self, bare: Any, mark: str) -> None:
        #: The connection to the member that relays the client.
        self.bare = bare
        self.mark = mark.encode()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.bare, name)

    def write(self, data: bytes) -> None:
        for begin in range(0, len(data), LONGEST_FRAME):
            frame = data[begin : begin + LONGEST_FRAME]
            self.bare.write(pack(">I", len(frame)) + frame)

    def writeSequence(self, pieces: Iterable[bytes]) -> None:
        self.write(b"".join(pieces))

    def write_nothing(self) -> None:
        """Writes an empty frame."""
        self.bare.write(bytes(4))


class _GoingBack(Protocol):
    """
    The protocol of a relayed connection that goes back to the relaying member. It sends the destination, and all bytes of the
    client that were not handled. The mark is the end of these bytes.

    :param data: bytes of the client that were received and not handled
    :param lost: called if the connection is lost before the mark has come
    """

    transport: Any

    def __init__(self, framed: FramedTransport, back: Return, data: bytes, lost: Callable[[], None]) -> None:
        """
        Makes the protocol.

        :param framed: the client's transport, by way of the member that relays the connection
        :param back: the destination
        :param data: bytes of the client that were received and not handled
        :param lost: called if the connection is lost before the mark has come
        """
        self._framed = framed
        self._back = back
        self._come = bytearray(data)
        self._lost: Callable[[], None] | None = lost

    def connectionMade(self) -> None:
        self._framed.write_nothing()
        self._framed.write(json.encode(self._back))
        self.transport.resumeProducing()

    def dataReceived(self, data: bytes) -> None:
        """
        Called with bytes of the client. The mark is behind the last ones: then sends them all back, and an empty frame
        as their end.
        """
        self._come += data
        if self._come.endswith(self._framed.mark):
            self._lost = None
            self._framed.write(bytes(self._come.removesuffix(self._framed.mark)))
            self._framed.write_nothing()
            self.transport.loseConnection()

    def connectionLost(self, reason: Failure | None = None) -> None:
        if self._lost is not None:
            self._lost()


class _ToHome(Protocol):
    """The side of a relay that is connected to the other member. It reads the frames, and passes them to the relay."""

    transport: Any

    def __init__(self, relay: "Relay") -> None:
        self._relay = relay
        #: The beginning of a frame.
        self._begun = b""

    def connectionMade(self) -> None:
        set_socket_options(self.transport)

    def dataReceived(self, data: bytes) -> None:
        """Called with bytes of the other host: handles each complete frame."""
        come, begin = self._begun + data, 0
        # Each frame has its length in front. The rest may be the beginning of another frame.
        while (body := begin + 4) <= len(come):
            end = body + int.from_bytes(come[begin:body])
            if end - body > LONGEST_FRAME:
                self.transport.loseConnection()
                return
            # The rest of this frame has not come yet.
            if end > len(come):
                break
            self._relay.from_home(come[body:end])
            begin = end
        self._begun = come[begin:]

    def connectionLost(self, reason: Failure | None = None) -> None:
        self._relay.home_lost(reason)


@define(eq=False)
class _Reading:
    """
    Pauses reading from a client while the other member does not read. If the other member is lost, this does not close the
    client, because `Relay.home_lost` decides about it.
    """

    _client: Any

    def pauseProducing(self) -> None:
        self._client.pauseProducing()

    def resumeProducing(self) -> None:
        self._client.resumeProducing()

    def stopProducing(self) -> None:
        """Called when the other member is lost. Does nothing."""


class _ToClient(Protocol):
    """The side of a relay that is connected to the client. It passes the client's bytes to the relay."""

    transport: Any

    def __init__(self, relay: "Relay") -> None:
        self._relay = relay

    def connectionMade(self) -> None:
        """
        Begins the relay. The socket options are set because only this member can detect that the client's machine is lost.
        The other member is connected to this member, not to the client.
        """
        set_socket_options(self.transport)
        self._relay.begin(self.transport)

    def dataReceived(self, data: bytes) -> None:
        self._relay.from_client(data)

    def connectionLost(self, reason: Failure | None = None) -> None:
        self._relay.client_lost()


@define(eq=False)
class Relay:
    """
    Passes one connection on to another member: finds the member, connects to it, and copies bytes between it and the client.

    :param search: finds the member
    :param preamble: the facts for the other member, without its token
    :param data: bytes that the client has sent already
    """

    _relays: "Relays"
    _search: Search
    _preamble: Preamble
    _data: bytearray
    #: The number of the other member; 0: none was found yet.
    member: int = 0
    #: The transport of the client; `None`: the client's connection is lost.
    client: Any = None
    #: The transport of the other member; `None`: not connected.
    _home: Any = None
    #: The attempt to connect to the other member.
    _dialling: Deferred[Any] | None = None
    _timer: Timer = field(factory=Timer)
    #: The time until which the relay tries to connect.
    _until: float = 0.0
    #: Whether the other member has sent any byte. Bytes of the client are stored until then.
    _heard: bool = False
    #: The frames since an empty frame has come, which means that the connection comes back. Bytes of the client are stored
    #: meanwhile. `None`: the connection does not come back.
    _back: list[bytes] | None = None
    #: Whether the limiter counts the client's address for this relay.
    _counted: bool = True
    _over: bool = False

    @property
    def connected(self) -> bool:
        """Whether the relay is connected to the other member."""
        return self._home is not None

    def begin(self, transport: Any) -> None:
        """
        Begins to look for the other member.

        :param transport: the transport of the client; `None`: the client's connection is lost already
        """
        self.client = transport
        if transport is not None:
            # Nothing is read from the client before the other member is reached.
            transport.pauseProducing()
        self._relays.all.add(self)
        self._look()

    def _look(self) -> None:
        """Begins to connect to the other member, for `PATIENCE` seconds at most."""
        self._until = self._relays.clock.seconds() + PATIENCE
        self._dial()

    def from_client(self, data: bytes) -> None:
        """
        Called with bytes of the client: sends them to the other member. Until the other member has answered, the bytes
        are also stored, because a third member may have to continue with them. They are stored, too, while the
        connection comes back.

        It may be called although reading is paused: TLS delivers the bytes that it has decrypted already.
        """
        if not self._heard or self._back is not None:
            self._data += data
        if self._home is not None and not self._over and self._back is None:
            write_at_once(self._home, data)
            # Too many bytes to store. From now on, no other member can continue with them.
            if len(self._data) > MOST_UNANSWERED:
                self._answered()

    def from_home(self, data: bytes) -> None:
        """Called with a frame of the other member: sends it to the client, or collects it if the connection comes back."""
        if self._over:
            return
        if not self._heard:
            self._answered()
        # The connection comes back: these frames are the destination, the client's bytes, and an empty frame.
        if self._back is not None:
            self._back.append(data)
        # An empty frame says that the other member wants to give the connection back.
        elif data:
            self.client.write(data)
        else:
            self._begin_return()

    def _begin_return(self) -> None:
        """
        Begins to take the client back from the other member.

        From now on, a slow or closed connection on one side does not affect the other side. The mark is sent after the
        client's last bytes. Then the other member sends back the bytes that it has not handled.
        """
        self._back = []
        # Neither side waits for the other one any more.
        for transport in (self.client, self._home):
            transport.unregisterProducer()
        self.client.pauseProducing()
        self._home.resumeProducing()
        self._home.write(self._preamble.mark.encode())

    def _answered(self) -> None:
        """
        Forgets the stored bytes of the client, because the other member has answered. No third member can continue the
        connection now.
        """
        if not self._heard:
            self._heard = True
            self._data.clear()

    def client_lost(self) -> None:
        """Called when the client's connection is lost. Ends the relay, unless the other member must still be informed."""
        # The connection comes back at this moment, or the other member is not reached yet and has the name.
        if self._back is not None or (self._preamble.adopt is not None and self._home is None):
            self.client = None  # the other member has the name, and must know
            self._leave()
        elif self._finish() and self._home is not None:
            self._home.unregisterProducer()
            self._home.loseConnection()

    def home_lost(self, reason: Failure | None = None) -> None:
        """
        Called when the connection to the other member is closed.

        A killed process may have accepted the connection without reading from it. In that case the relay looks for another
        member.
        """
        # The connection has come back completely: the last frame is empty.
        # `_back` has the frames that have come back; `None`: the connection does not come back.
        if self._back and not (self._back[-1] or self._over):
            self._go_elsewhere(self._back)
            return
        # Lost before any answer: try again. Otherwise the client is disconnected, too.
        in_order = reason is None or reason.check(ConnectionDone) is not None
        if not (in_order or self._over or self._heard) and self._relays.clock.seconds() < self._until:
            self.client.unregisterProducer()
            self.client.pauseProducing()
            self._home = None
            self._not_connected(reason)
        elif self._finish() and self.client is not None:
            self.client.unregisterProducer()
            self.client.loseConnection()

    def _go_elsewhere(self, frames: list[bytes]) -> None:
        """
        Passes the connection on to the next member, or handles it here, after the other member has given it back.

        :param frames: the destination, then the client's bytes that were not handled
        """
        back = _RETURNS.decode(frames[0])
        self._home = self._back = None
        # The client has gone, and no member must be informed.
        if self.client is None and back.preamble.adopt is None:
            self._finish()
            return
        self._heard = False
        # In front of the bytes that have come from the client since then.
        self._data[:0] = b"".join(frames[1:])
        self._search, self._preamble = self._relays.search(back.key, back.home), back.preamble
        self._look()

    def cut(self) -> None:
        """Ends the relay, and drops both connections at once."""
        if self._finish():
            for transport in (self._home, self.client):
                if transport is not None:
                    transport.abortConnection()

    def end(self) -> None:
        """Ends the relay, and closes both connections after all received bytes are sent."""
        if self._finish():
            for transport in (self._home, self.client):
                if transport is not None:
                    # Without a connection to the other member, no producer is registered.
                    if self._home is not None:
                        transport.unregisterProducer()
                    transport.loseConnection()

    def give_up_dialling(self) -> None:
        """Cancels the attempt to connect to a member that is dead. It may never answer. The next attempt follows soon."""
        if self._dialling is not None:
            self._dialling.cancel()

    def _dial(self) -> None:
        """Connects to the member that the search finds now. If it finds this host, the connection remains here."""
        found = self._search.find()
        # `False`: this host is the home now. `None`: the home is not known yet.
        if found is False:
            self._stay()
        elif isinstance(found, Member):
            self.member = found.epoch
            self._preamble = replace(self._preamble, token=found.token, mark=secrets.token_hex(16))
            factory = Factory.forProtocol(lambda: _ToHome(self))
            factory.noisy = False
            self._dialling = maybeDeferred(lambda: self._relays.dial(found.address).connect(factory))
            self._dialling.addCallbacks(self._connected, self._not_connected)
        else:
            self._not_connected(None)

    def _stay(self) -> None:
        """
        Ends the relay, and handles the client at this host. If the client has disconnected meanwhile (`client` is `None`),
        this host still handles its bytes.
        """
        # The preamble counts the pass to another member, which does not take place.
        client, hops = self.client, self._preamble.hops - 1
        # `_finish` returns `False` if the relay was over already.
        if self._finish():
            if client is not None:
                # Reading was paused while the relay looked for the other member.
                client.resumeProducing()
            self._relays.keep(client, replace(self._preamble, hops=hops, lost=client is None), bytes(self._data))

    def _connected(self, home: _ToHome) -> None:
        """Called when the other member is reached. Sends the preamble and the stored bytes, and starts to copy."""
        self._dialling = None
        if self._over:
            home.transport.abortConnection()
            return
        self._search.end()
        self._home = home.transport
        self._home.write(replace(self._preamble, lost=self.client is None).line() + bytes(self._data))
        # The client is lost: the other member was only informed.
        if self.client is None:
            self._finish()
            self._home.loseConnection()
            return
        # Each side is read only as fast as the other side can be written.
        self._home.registerProducer(_Reading(self.client), True)
        self.client.registerProducer(self._home, True)
        self.client.resumeProducing()

    def _not_connected(self, failure: Failure | None) -> None:
        """
        Called when the other member cannot be reached. Tries again, or gives up when the time is over.

        :param failure: the reason; `None`: no member was found
        """
        self._dialling = None
        if self._over:
            return
        if self._relays.clock.seconds() + PAUSE < self._until:
            self._timer.set(self._relays.clock, PAUSE, self._dial)
            return
        # With a lost client whose name the other member has, the relay only informs that member, and tries again for
        # long. Warn once.
        if self.client is not None or self._preamble.adopt is None:
            Relays.log.warn("a connection cannot be passed on: {why}", why=failure and failure.getErrorMessage())
        # The client has not logged in, so no member has its name.
        if self._preamble.adopt is None:
            self.cut()
            return
        # The other member has the name already, and must be informed that the client does not come. So the relay drops the
        # client, and continues to try without it.
        client, self.client = self.client, None
        if client is not None:
            client.abortConnection()
        self._leave()
        self._timer.set(self._relays.clock, PATIENCE, self._dial)

    def _finish(self) -> bool:
        """Ends the relay, without closing connections. Returns `False` if it was over already."""
        if self._over:
            return False
        self._over = True
        self._relays.all.discard(self)
        self._leave()
        self._search.end()
        self._timer.stop()
        if self._dialling is not None:
            self._dialling.cancel()
        return True

    def _leave(self) -> None:
        """Reports to the limiter that the client's connection is gone. A second call does nothing."""
        if self._counted:
            self._counted = False
            self._relays.limiter.leave(self._preamble.address)


@define(eq=False)
class Relays:
    """
    All relays of this member.

    :param dial: returns an endpoint that connects to a member's address
    :param limiter: counts the connections of each client's address, relayed clients among them
    """

    dial: Callable[[str], IStreamClientEndpoint]
    clock: IReactorTime
    limiter: ConnectionLimiter
    #: Begins to look for the home of a key. Its arguments are the key, and the number of its home as far as it is known.
    search: Callable[[str, int], Search] = field(init=False)
    #: Handles a connection at this host, because this host is its destination. The transport is `None` if the client is lost.
    keep: Callable[[Any, Preamble, bytes], None] = field(init=False)
    all: set[Relay] = field(factory=set)

    log = Logger()

    def pass_on(self, transport: Any, key: str, home: int, preamble: Preamble, data: bytes) -> None:
        """
        Passes a connection on to another member. If it is relayed by a member already, it goes back to that member.

        :param transport: the transport of the client; `None`: the client is lost, and the other member must be informed
        :param key: the key of the name or place that decides the destination
        :param home: the number of the member that is the home of the key now
        :param preamble: the facts for the other member
        :param data: bytes that the client has sent already
        """
        # Another member relays this connection already.
        if isinstance(transport, FramedTransport):
            self.limiter.leave(preamble.address)

            def lost() -> None:
                """
                Called if the relaying member is lost before it has the connection back. The client is lost, too. If it
                had logged in, the member that has its name now must be informed.
                """
                if preamble.adopt is not None:
                    self.pass_on(None, key, home, preamble, b"")

            going_back = _GoingBack(transport, Return(key, home, preamble), data, lost)
            replace_protocol(transport.bare, going_back, b"")
            return
        relay = Relay(self, self.search(key, home), preamble, bytearray(data), counted=transport is not None)
        if transport is None:
            relay.begin(None)
        else:
            replace_protocol(transport, _ToClient(relay), b"")

    def cut_all_but(self, living: Collection[int]) -> None:
        """
        Cuts the relays to members that are not alive any more. Relays that are not connected yet look for another member.

        :param living: the numbers of the living members
        """
        for relay in [relay for relay in self.all if relay.member not in living]:
            if relay.connected:
                relay.cut()
            else:
                relay.give_up_dialling()

    def close(self) -> None:
        """Ends all relays, because the host stops."""
        for relay in list(self.all):
            relay.end()
