"""
A whole host in memory: a clock that the test advances, strict transports, and a client for each connection.

A transport is as strict as a real one, and fails on misuse that other fakes let pass:

- A write after the close fails, and so does a write of nothing.
- An abort does not set `disconnecting`, as with TCP.
- It has a send buffer of 64 KiB, and pauses its producer when the buffer is full.
- It does not close while a producer is registered.
- While reading is paused, it stores the bytes of the other side.
- It calls `connectionLost` once, in a later turn.
"""

import re
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, ClassVar, Protocol

from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionAborted, ConnectionDone, ConnectionLost
from twisted.internet.interfaces import ITCPTransport
from twisted.internet.task import Clock
from twisted.python.failure import Failure
from zope.interface import implementer

from gamehost.accounts.login import LoginService, Worker, at_once
from gamehost.accounts.names import LookAlikes
from gamehost.accounts.passwords import CHEAP
from gamehost.accounts.proofs import ProvenLogins
from gamehost.games.base import Game
from gamehost.journal.records import TableId
from gamehost.limits import LIMITS, Limits
from gamehost.lobby.house import HouseRules
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.membership import Membership
from gamehost.lobby.seats import RESTING
from gamehost.lobby.sessions import ResumePolicy, SessionRegistry
from gamehost.net.connection import WireFactory
from gamehost.net.context import ConnectionBounds, Cork, HostContext
from gamehost.net.limiter import ConnectionLimiter
from gamehost.plugins import WIRES
from gamehost.settings import settings_of
from gamehost.tables.context import TableContext
from gamehost.tables.gallery import Galleries
from gamehost.testing.journals import RecordingJournal
from gamehost.wires.base import Wire

#: The size of a transport's send buffer, in bytes.
BUFFER = 65_536


@implementer(ITCPTransport)
class StrictTransport:
    """
    The host's end of a connection in memory. The test is the other side of the connection.

    :ivar reads: whether the other side reads; while it does not, written bytes remain in the buffer
    """

    def __init__(self, clock: Clock, address: str = "192.0.2.1") -> None:
        self._clock = clock
        self._address = address
        self.protocol: Any = None
        self.disconnecting = False
        self.disconnected = False
        self.aborted = False
        self.reads = True
        self.no_delay = False
        self.keep_alive = False
        #: Bytes that have left the send buffer, until the test takes them with `read`.
        self._read = bytearray()
        #: The send buffer.
        self._buffer = bytearray()
        self._producer: Any = None
        self._producer_paused = False
        #: Whether the protocol reads. While it does not, received bytes are stored in `_incoming`.
        self._reading = True
        self._incoming: list[bytes] = []

    # -- the protocol calls these methods, as those of a transport of Twisted

    def write(self, data: bytes) -> None:
        """Puts bytes into the send buffer. Pauses the producer if the buffer is now too full."""
        assert isinstance(data, bytes) and data, "a write of nothing"
        assert not self.disconnecting, "a write after loseConnection"
        assert not self.disconnected and not self.aborted, "a write after the end"
        self._buffer += data
        # If the other side reads, the bytes leave the buffer at once.
        self._drain()
        if len(self._buffer) > BUFFER and self._producer is not None and not self._producer_paused:
            self._producer_paused = True
            self._producer.pauseProducing()

    def writeSequence(self, data: Any) -> None:
        self.write(b"".join(data))

    def loseConnection(self) -> None:
        """Closes the connection when the send buffer is empty and no producer is registered."""
        if not self.disconnecting and not self.disconnected:
            self.disconnecting = True
            self._close_if_done()

    def abortConnection(self) -> None:
        """Closes the connection in the next turn, without sending the buffer."""
        if not self.disconnected and not self.aborted:
            self.aborted = True
            self._clock.callLater(0, self._lost, ConnectionAborted())

    def registerProducer(self, producer: Any, streaming: bool) -> None:
        """Registers the producer that is paused while the send buffer is full."""
        assert self._producer is None, "a second producer"
        assert streaming
        self._producer = producer

    def unregisterProducer(self) -> None:
        self._producer = None
        self._close_if_done()

    def pauseProducing(self) -> None:
        self._reading = False

    def resumeProducing(self) -> None:
        self._reading = True
        if self._incoming:
            self._clock.callLater(0, self._deliver)

    def stopProducing(self) -> None:
        self.loseConnection()

    def getPeer(self) -> IPv4Address:
        return IPv4Address("TCP", self._address, 40_000)

    def getHost(self) -> IPv4Address:
        return IPv4Address("TCP", "192.0.2.254", 8893)

    def setTcpNoDelay(self, enabled: bool) -> None:
        self.no_delay = enabled

    def getTcpNoDelay(self) -> bool:
        return self.no_delay

    def setTcpKeepAlive(self, enabled: bool) -> None:
        self.keep_alive = enabled

    def getTcpKeepAlive(self) -> bool:
        return self.keep_alive

    def loseWriteConnection(self) -> None:
        raise NotImplementedError

    # -- the test calls these methods, as the other side of the connection

    @property
    def queued(self) -> int:
        """How many written bytes the other side has not read."""
        return len(self._buffer)

    def receive(self, data: bytes) -> None:
        """Gives bytes of the other side to the protocol; stores them while the protocol does not read."""
        self._incoming.append(data)
        self._deliver()

    def _deliver(self) -> None:
        """Gives the stored bytes to the protocol, as long as the protocol reads."""
        while self._incoming and self._reading and not self.disconnected and not self.disconnecting:
            self.protocol.dataReceived(self._incoming.pop(0))

    def read(self) -> bytes:
        """Returns all bytes that the protocol has written since the last call, even if `reads` is false."""
        # The other side reads only for this call.
        reads, self.reads = self.reads, True
        self._drain()
        self.reads = reads
        data = bytes(self._read)
        self._read.clear()
        return data

    def hang_up(self) -> None:
        """Ends the connection, as if the other side had left without a word."""
        self._lost(ConnectionLost())

    def _drain(self) -> None:
        """Empties the send buffer if the other side reads. Then the producer may go on, and a waiting close happens."""
        if not self.reads:
            return
        self._read += self._buffer
        self._buffer.clear()
        if self._producer_paused and self._producer is not None:
            # The producer may go on, because the buffer is empty.
            self._producer_paused = False
            self._producer.resumeProducing()
        self._close_if_done()

    def _close_if_done(self) -> None:
        """Closes the connection in the next turn, if the protocol has asked for that and nothing is left to send."""
        if self.disconnecting and not self._buffer and self._producer is None:
            self._clock.callLater(0, self._lost, ConnectionDone())

    def _lost(self, reason: Exception) -> None:
        """Tells the protocol, once, that the connection has ended."""
        if not self.disconnected:
            self.disconnected = True
            if self._producer is not None:
                self._producer.stopProducing()
            self.protocol.connectionLost(Failure(reason))


class MessageText(Protocol):
    """Translates between messages as text, for people, and the bytes of a connection."""

    def said(self, line: str) -> bytes:
        """Returns the bytes with which a client sends this message."""

    def heard(self, data: bytes) -> list[str]:
        """
        Returns the messages that are complete now, as text. The bytes of an incomplete message are stored for the next
        call.

        :param data: the bytes that were received since the last call
        """

    @property
    def unread(self) -> bytes:
        """The received bytes of an incomplete message."""


#: `WILL`, `WONT`, `DO` or `DONT` with an option (RFC 854). UTF-8 has no such bytes.
_TELNET = re.compile(rb"\xff[\xfb-\xfe].", re.DOTALL)


class Lines:
    """
    Translates messages of a wire whose messages are lines of text: the text of a message is the line itself. A subclass
    may have another end of a line.
    """

    END: ClassVar[bytes] = b"\n"

    #: The received bytes of a line whose end has not come.
    unread = b""

    def said(self, line: str) -> bytes:
        """Returns the bytes of a line, with its end."""
        return line.encode("utf-8") + self.END

    def heard(self, data: bytes) -> list[str]:
        """Returns the lines that are complete now, without their ends. Leaves answers to telnet options out."""
        *lines, self.unread = _TELNET.sub(b"", self.unread + data).split(self.END)
        return [line.decode("utf-8") for line in lines]


class Client:
    """A client of the host in memory: a test sends and receives messages with it."""

    def __init__(self, world: "MemoryHost", factory: WireFactory[Any], address: str) -> None:
        self.world = world
        self.transport = StrictTransport(world.clock, address)
        protocol = factory.buildProtocol(IPv4Address("TCP", address, 40_000))
        # `None`: the host closes the connection without an answer.
        assert protocol is not None, "many are being refused, and this connection is closed at once"
        self.protocol = protocol
        self.transport.protocol = self.protocol
        self.protocol.makeConnection(self.transport)
        self.message_text = world.texts.get(factory.wire.name, Lines)()

    def send(self, data: bytes) -> None:
        """Sends bytes, and lets the host handle them."""
        self.transport.receive(data)
        self.world.until_idle()

    def say(self, *lines: str) -> None:
        """Sends messages, all at once. On a wire of lines, each text is a line; on others, it is a message in words."""
        self.send(b"".join(self.message_text.said(line) for line in lines))

    def heard(self) -> list[str]:
        """Returns the complete messages that were received since the last call, as text."""
        return self.message_text.heard(self.transport.read())

    def ask(self, *lines: str) -> list[str]:
        """Sends messages, and returns the messages that are received after that. Earlier ones are dropped."""
        self.heard()
        self.say(*lines)
        return self.heard()

    def drop(self) -> None:
        """Loses the connection, and lets the host notice it."""
        self.transport.hang_up()
        self.world.until_idle()

    @property
    def state(self) -> object:
        """The state of the host's conversation with this client."""
        return self.protocol.conversation.state  # type: ignore[attr-defined]

    @property
    def closed(self) -> bool:
        """Whether the connection has ended."""
        return self.transport.disconnected


#: Tests play whole games without advancing their clock, so by default moves, new matches and guests' names have no rate.
#: All players can be at one address, and can take a lost seat back at once.
FAST: Mapping[str, str] = {
    "moves_per_second": "1000000",
    "moves_per_second_per_address": "1000000",
    "keyless_resume_seconds": "0",
    "new_matches_burst": "1000000",
    "guest_names_per_hour": "1000000",
}


#: The bounds of a connection, as on every host.
BOUNDS = ConnectionBounds()

#: There are no house players.
NO_HOUSE = HouseRules()


def highest() -> Callable[[int], int]:
    """
    Returns a source of chance: a function that returns a whole number below n. It always returns the highest number,
    except for the keys of guests, which must differ.
    """
    tokens = count()
    # Keys are drawn below a number that is larger than 2**128. Each of them is one less than the one before.
    return lambda n: n - 1 - (next(tokens) if n > 2**128 else 0)


class MemoryHost:
    """
    A host without sockets, threads and files.

    :param settings: the settings, by their full names, as for `--set`
    :param journal: the journal of an earlier host, to resume its matches
    :param grace: for how many seconds the seat of an absent player is reserved
    :param resume: who may take a reserved seat back
    :param strict: whether the wires get the option `strict`
    :param rng: the source of chance: returns a whole number below n. By default, the one of `highest`
    :param worker: hashes passwords
    :param guarded: whether a guest without a key waits before a lost seat can be taken back, as on a real host
    :param resting: the number of sleeping tables that remain in memory
    :param house_rules: which house players there are
    :param proven: the proofs of accounts; by default there are none
    :param clock: the clock of the host; by default a new one, which only this host uses
    :param membership: the part of a cluster to which this host reports its players; by default there is no cluster
    :param bounds: the bounds of a connection; by default those of every host
    """

    #: Translates the messages of a wire, by its name. Other wires are wires of lines.
    texts: ClassVar[Mapping[str, Callable[[], MessageText]]] = {}

    def __init__(
        self,
        settings: Mapping[str, str] = {},
        *,
        journal: RecordingJournal | None = None,
        grace: float = 60.0,
        resume: ResumePolicy = ResumePolicy.SAME_ADDRESS,
        strict: bool = False,
        move_time: str = "0",
        wires: tuple[Wire[Any], ...] = tuple(WIRES),
        rng: Callable[[int], int] | None = None,
        worker: Worker = at_once,
        guarded: bool = False,
        resting: int = RESTING,
        house_rules: HouseRules = NO_HOUSE,
        proven: ProvenLogins | None = None,
        clock: Clock | None = None,
        membership: Membership | None = None,
        bounds: ConnectionBounds = BOUNDS,
    ) -> None:
        # The clock, the journal, and what the settings say.
        self.clock, self.journal = clock or Clock(), journal or RecordingJournal()
        guard = {"keyless_resume_seconds": "3"} if guarded else {}
        self.limits = Limits.read({**FAST, **guard, **settings_of("limits", settings, LIMITS)})
        games = {game.name: game for wire in wires for game in wire.games}
        # A name is an account's if the journal has an account with its key.
        registry = SessionRegistry(resume, lambda key: self.journal.find(key) is not None, self.clock.seconds)
        registry.account_looks, registry.membership = LookAlikes(self.journal.names()), membership or Membership()
        cork, wall = Cork(), self.clock.seconds
        context = TableContext(self.clock, self.journal, grace, rng=rng or highest(), wall=wall)
        login = (self.journal, registry.is_guest, self.clock, worker, self.limits, cork, CHEAP)
        delays = {name: float(settings.get(f"{name}.watch_delay", "0")) for name in games}
        self.lobby = Lobby(
            context,
            registry,
            {name: settings_of(name, settings, game.options, move_time=move_time) for name, game in games.items()},
            login_service=LoginService(*login, proven=proven, **registry.for_accounts()),
            galleries=Galleries(self.clock, delays),
            house_rules=house_rules,
        )
        self.lobby.change(self.limits)
        # The wires, for connections in memory.
        limiter = ConnectionLimiter(self.limits, seats_at=registry.seats_at, bans=self.lobby.bans)
        self.context = HostContext(self.clock, self.lobby, self.limits, limiter, cork, bounds=bounds)
        strictly = {"strict": "yes"} if strict else {}
        self.factories = {
            wire.name: WireFactory(wire, settings_of(wire.name, settings, wire.options, **strictly), self.context)
            for wire in wires
        }
        self._restore(games, resting)

    def _restore(self, games: Mapping[str, Game[Any, Any]], resting: int) -> None:
        """Resumes the matches, and the opened tables, that are in the journal."""
        self.lobby.seats.resting = resting
        self.lobby.restore(games, self.journal.unfinished())
        self.lobby.restore_opened(self.journal.opened())

    @property
    def unfinished(self) -> list[TableId]:
        """The numbers of all tables whose match has not ended, with those of sleeping tables."""
        return sorted([*self.lobby.tables, *self.lobby.registry.sleeping.tables()])

    def connect(self, wire: str = "onitama", address: str = "192.0.2.1") -> Client:
        """Returns a new client, which has connected to a wire from an address."""
        return Client(self, self.factories[wire], address)

    def until_idle(self) -> None:
        """Makes all calls of the clock that are due now, and those that they make due."""
        # A call may make other calls due now, so it looks again.
        while any(call.getTime() <= self.clock.seconds() for call in self.clock.getDelayedCalls()):
            self.clock.advance(0)

    def wait(self, seconds: float) -> None:
        """Advances the clock by a number of seconds, and makes the calls that are due then."""
        self.clock.advance(seconds)
        self.until_idle()
