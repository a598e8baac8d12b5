"""
Connections that this member passes on: their clients speak with another member.

Bytes are passed on in both directions as they come. If one side does not read, the other one is not read either. If the
other member is dead, its connections are cut, because a process that hangs still accepts connections.

The other member writes in frames. An empty frame means that the client is for a third member, or for this one. After it
come a `Return`, then the client's bytes that no host has handled, and another empty frame. So at most one member relays
a client, however often the client moves.
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

#: Bytes of the line of a preamble, with its end.
LONGEST = 16_384
#: The most times that a connection is passed on before its client has logged in: a name can get another home on the
#: way.
MOST_HOPS = 8
#: Bytes of a frame at most.
LONGEST_FRAME = 65_536
#: The name under which a WebSocket of the pages is passed on. It speaks the open wire. No wire has it.
SOCKET = "web/socket"


class Preamble(Struct, frozen=True, forbid_unknown_fields=True):
    """The facts that a member sends to another one about a connection that it passes on."""

    #: Of the run of the host that is meant, so that no other program can pass connections on.
    token: str
    #: The wire by its name, or `SOCKET`.
    wire: str
    #: The client's address, without its port.
    address: str
    #: Whether the client's connection is encrypted, of a `SOCKET`.
    tls: bool = False
    #: How many of the messages that follow the first member has handled already.
    skip: int = 0
    #: Where the codec numbers what it writes: the number of the next message.
    sequence: int = 0
    #: How often the connection was passed on since its client has logged in, this time included.
    hops: int = 1
    #: The bytes that the first member sends behind the last byte of the client, if the other member gives the
    #: connection back.
    mark: str = ""
    #: The player that has logged in on this connection, and has received that; `None`: the client has not.
    adopt: SeatRecord | None = None
    #: The parcel of the conversation; see `BaseConversation.parcel`.
    parcel: str = ""
    #: Whether that connection is lost already: the name is to be free.
    lost: bool = False
    #: Of the release of the member that passes it on.
    interface: int = INTERFACE

    def __repr__(self) -> str:
        return f"Preamble(wire={self.wire!r}, address={self.address!r})"

    def line(self) -> bytes:
        return json.encode(self) + b"\n"


class Return(Struct, frozen=True):
    """The destination of a connection that goes back to the member that relays it."""

    #: The key that decides which member is meant, and the current home of the key.
    key: str
    home: int
    preamble: Preamble


class _Speaks(Struct):
    """The part of the preamble that all releases have. Releases from before the number have none."""

    token: str
    interface: int = 0


_READER = json.Decoder(Preamble)
_SPEAKS = json.Decoder(_Speaks)
_RETURNS = json.Decoder(Return)


def read_preamble(line: bytes) -> Preamble:
    """
    Read a line, without its end.

    :raises WireError: this is no preamble, or that of another interface
    """
    try:
        if (its := _SPEAKS.decode(line).interface) != INTERFACE:
            raise WireError(
                f"it comes from a member with interface {its} between members, and this release has {INTERFACE}"
            )
        read = _READER.decode(line)
    except (DecodeError, RecursionError):
        raise WireError("no preamble") from None
    if min(read.skip, read.sequence, read.hops) < 0:
        raise WireError("no preamble")
    return read


#: Seconds for which another member is tried, and between two tries.
PATIENCE = 10.0
PAUSE = 0.1

#: Bytes of a client that are stored for another member before the first answer of that member.
MOST_UNANSWERED = 65_536


class Search(Interface):
    """Finds the member that a connection is for."""

    def find(self) -> Member | bool | None:
        """The current destination; `None`: there is none. `False`: this host itself."""

    def end(self) -> None:
        """Nobody is looked for any more."""


class FramedTransport:
    """The transport of a client's protocol, if another member relays that client."""

    __slots__ = ("bare", "mark")

    def __init__(self, bare: Any, mark: str) -> None:
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
        self.bare.write(bytes(4))


class _GoingBack(Protocol):
    """A connection with a client for another member: the client's bytes go back, up to the mark."""

    transport: Any

    def __init__(self, framed: FramedTransport, back: Return, data: bytes, lost: Callable[[], None]) -> None:
        self._framed = framed
        self._back = back
        self._come = bytearray(data)
        self._lost: Callable[[], None] | None = lost

    def connectionMade(self) -> None:
        self._framed.write_nothing()
        self._framed.write(json.encode(self._back))
        self.transport.resumeProducing()

    def dataReceived(self, data: bytes) -> None:
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
    transport: Any

    def __init__(self, relay: "Relay") -> None:
        self._relay = relay
        #: The beginning of a frame.
        self._begun = b""

    def connectionMade(self) -> None:
        set_socket_options(self.transport)

    def dataReceived(self, data: bytes) -> None:
        come, begin = self._begun + data, 0
        while (body := begin + 4) <= len(come):
            end = body + int.from_bytes(come[begin:body])
            if end - body > LONGEST_FRAME:
                self.transport.loseConnection()
                return
            if end > len(come):
                break
            self._relay.from_home(come[body:end])
            begin = end
        self._begun = come[begin:]

    def connectionLost(self, reason: Failure | None = None) -> None:
        self._relay.home_lost(reason)


@define(eq=False)
class _Reading:
    """Has a client read as fast as the other member does. If that one is lost, `Relay.home_lost` decides about the client."""

    _client: Any

    def pauseProducing(self) -> None:
        self._client.pauseProducing()

    def resumeProducing(self) -> None:
        self._client.resumeProducing()

    def stopProducing(self) -> None:
        """The other member is lost."""


class _ToClient(Protocol):
    transport: Any

    def __init__(self, relay: "Relay") -> None:
        self._relay = relay

    def connectionMade(self) -> None:
        """
        Connect to the other member. If the client vanishes, only this member finds that: the other member sees this
        one.
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
    One connection that is passed on.

    :param preamble: the facts for the other member, without its token
    :param data: bytes that the client has sent already
    """

    _relays: "Relays"
    _search: Search
    _preamble: Preamble
    _data: bytearray
    #: The number of the member; 0: none was found yet.
    member: int = 0
    client: Any = None
    _home: Any = None
    _dialling: Deferred[Any] | None = None
    _timer: Timer = field(factory=Timer)
    _until: float = 0.0
    #: Whether the other member has sent any byte. Bytes of the client are stored until then.
    _heard: bool = False
    #: The frames of a connection that comes back: an empty frame came. Bytes of the client are stored meanwhile.
    _back: list[bytes] | None = None
    #: Whether the address counts as that of a connection.
    _counted: bool = True
    _over: bool = False

    @property
    def connected(self) -> bool:
        return self._home is not None

    def begin(self, transport: Any) -> None:
        """Start with a connection to the client. `None`: the connection was lost already."""
        self.client = transport
        if transport is not None:
            transport.pauseProducing()
        self._relays.all.add(self)
        self._look()

    def _look(self) -> None:
        self._until = self._relays.clock.seconds() + PATIENCE
        self._dial()

    def from_client(self, data: bytes) -> None:
        """The client has sent bytes. TLS delivers what it has decrypted even if it is paused."""
        if not self._heard or self._back is not None:
            self._data += data
        if self._home is not None and not self._over and self._back is None:
            write_at_once(self._home, data)
            if len(self._data) > MOST_UNANSWERED:
                self._answered()

    def from_home(self, data: bytes) -> None:
        """The other member has sent a frame."""
        if self._over:
            return
        if not self._heard:
            self._answered()
        if self._back is not None:
            self._back.append(data)
        elif data:
            self.client.write(data)
        else:
            self._begin_return()

    def _begin_return(self) -> None:
        """
        Take the client back from the other member.

        From here on a slow or closed connection does not stop or close the other one. The mark is sent after the
        client's last bytes, and the other member then sends back the bytes that it has not read.
        """
        self._back = []
        for transport in (self.client, self._home):
            transport.unregisterProducer()
        self.client.pauseProducing()
        self._home.resumeProducing()
        self._home.write(self._preamble.mark.encode())

    def _answered(self) -> None:
        """The other member has answered: from now on no third member can continue with this connection."""
        if not self._heard:
            self._heard = True
            self._data.clear()

    def client_lost(self) -> None:
        if self._back is not None or (self._preamble.adopt is not None and self._home is None):
            self.client = None  # the other member has the name, and must know
            self._leave()
        elif self._finish() and self._home is not None:
            self._home.unregisterProducer()
            self._home.loseConnection()

    def home_lost(self, reason: Failure | None = None) -> None:
        """
        The other member has closed the connection.

        A killed process may have accepted the connection without reading from it. Then another member is looked for.
        """
        if self._back and not (self._back[-1] or self._over):
            self._go_elsewhere(self._back)
            return
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
        """The other member has given the connection back, for a third one or for this one."""
        back = _RETURNS.decode(frames[0])
        self._home = self._back = None
        if self.client is None and back.preamble.adopt is None:
            self._finish()
            return
        self._heard = False
        self._data[:0] = b"".join(frames[1:])
        self._search, self._preamble = self._relays.search(back.key, back.home), back.preamble
        self._look()

    def cut(self) -> None:
        if self._finish():
            for transport in (self._home, self.client):
                if transport is not None:
                    transport.abortConnection()

    def end(self) -> None:
        """End both connections after all bytes that were read are sent."""
        if self._finish():
            for transport in (self._home, self.client):
                if transport is not None:
                    if self._home is not None:
                        transport.unregisterProducer()
                    transport.loseConnection()

    def give_up_dialling(self) -> None:
        """The member that is dialled is dead, and may never answer. Look for another one soon."""
        if self._dialling is not None:
            self._dialling.cancel()

    def _dial(self) -> None:
        found = self._search.find()
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
        client, hops = self.client, self._preamble.hops - 1
        if self._finish():
            if client is not None:
                client.resumeProducing()
            self._relays.keep(client, replace(self._preamble, hops=hops, lost=client is None), bytes(self._data))

    def _connected(self, home: _ToHome) -> None:
        self._dialling = None
        if self._over:
            home.transport.abortConnection()
            return
        self._search.end()
        self._home = home.transport
        self._home.write(replace(self._preamble, lost=self.client is None).line() + bytes(self._data))
        if self.client is None:
            self._finish()
            self._home.loseConnection()
            return
        self._home.registerProducer(_Reading(self.client), True)
        self.client.registerProducer(self._home, True)
        self.client.resumeProducing()

    def _not_connected(self, failure: Failure | None) -> None:
        self._dialling = None
        if self._over:
            return
        if self._relays.clock.seconds() + PAUSE < self._until:
            self._timer.set(self._relays.clock, PAUSE, self._dial)
            return
        if self.client is not None or self._preamble.adopt is None:
            Relays.log.warn("a connection cannot be passed on: {why}", why=failure and failure.getErrorMessage())
        if self._preamble.adopt is None:
            self.cut()
            return
        # The other member has the name, and must know that the client does not come: it is informed when it can be
        # reached.
        client, self.client = self.client, None
        if client is not None:
            client.abortConnection()
        self._leave()
        self._timer.set(self._relays.clock, PATIENCE, self._dial)

    def _finish(self) -> bool:
        """Whether it was not over yet."""
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
        if self._counted:
            self._counted = False
            self._relays.limiter.leave(self._preamble.address)


@define(eq=False)
class Relays:
    """
    All connections that this member passes on.

    :param dial: an endpoint for the address of a member
    :param limiter: counts the addresses of clients, theirs too
    """

    dial: Callable[[str], IStreamClientEndpoint]
    clock: IReactorTime
    limiter: ConnectionLimiter
    #: Looks for the home of a key; the number is that of the member that is the home now.
    search: Callable[[str, int], Search] = field(init=False)
    #: Takes a connection that is for this host after all; its transport is `None` if it is lost.
    keep: Callable[[Any, Preamble, bytes], None] = field(init=False)
    all: set[Relay] = field(factory=set)

    log = Logger()

    def pass_on(self, transport: Any, key: str, home: int, preamble: Preamble, data: bytes) -> None:
        """
        Pass on a connection that the limiter has admitted. If it came from another member, it goes back to that one.

        :param transport: of the client; `None`: the connection is lost, and the other member must know
        :param key: decides which member is meant; `home` is its current home
        :param data: bytes that the client has sent already
        """
        if isinstance(transport, FramedTransport):
            self.limiter.leave(preamble.address)

            def lost() -> None:
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
        Cut the connections to all members but these, which are alive. Connections that are not made yet find another
        member.
        """
        for relay in [relay for relay in self.all if relay.member not in living]:
            if relay.connected:
                relay.cut()
            else:
                relay.give_up_dialling()

    def close(self) -> None:
        for relay in list(self.all):
            relay.end()
