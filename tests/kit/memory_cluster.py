"""
Several hosts in memory that are the members of one cluster, with the database's promises from `gamehost.testing.registry`.

A member can be killed: then nothing of it runs any more, and all of its connections are lost.
"""

import random
from collections.abc import Callable, Mapping
from typing import Any

from attrs import evolve
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import ConnectionRefusedError
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.cluster.beats import Beats
from gamehost.cluster.claiming import ClaimingInput
from gamehost.cluster.internal import InternalFactory
from gamehost.cluster.membership import Cluster
from gamehost.cluster.relay import Relays
from gamehost.games.base import Seat
from gamehost.journal.records import Entry, TableHeader, TableId, UnfinishedTable
from gamehost.net.context import Cork
from gamehost.testing.journals import RecordingJournal
from gamehost.testing.registry import MemoryCluster, MemoryRegistry
from gamehost.testing.transport import StrictTransport
from tests.kit.memory_host import Client, MemoryHost


class MemberClock:
    """The clock of one member. When that is killed, nothing is called any more."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.dead = False

    def seconds(self) -> float:
        return self._clock.seconds()

    def callLater(self, delay: float, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        def call() -> None:
            if not self.dead:
                function(*arguments, **named)

        return self._clock.callLater(delay, call)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._clock, name)


class Link(StrictTransport):
    """One end of a connection between two members."""

    peer: "Link"

    def _drain(self) -> None:
        if self._buffer and self.peer._reading and not self.peer.disconnected:
            data = bytes(self._buffer)
            self._buffer.clear()
            self._clock.callLater(0, self._pass_on, data)
        if self._producer_paused and self._producer is not None and not self._buffer:
            self._producer_paused = False
            self._producer.resumeProducing()
        self._close_if_done()

    def _pass_on(self, data: bytes) -> None:
        if not self.peer.disconnected:
            self.peer.receive(data)

    def resumeProducing(self) -> None:
        super().resumeProducing()
        self.peer._drain()

    def _lost(self, reason: Exception) -> None:
        if not self.disconnected:
            super()._lost(reason)
            self._clock.callLater(0, self.peer.hang_up)


class _Endpoint:
    """Dials a member."""

    def __init__(self, world: "World", address: str) -> None:
        self._world = world
        self._address = address

    def connect(self, factory: Any) -> Deferred[Any]:
        host = self._world.by_address.get(self._address)
        if host is None or host.clock.dead:
            return fail(ConnectionRefusedError())
        here, there = Link(self._world.clock), Link(self._world.clock)
        here.peer, there.peer = there, here
        host.links.append(there)
        protocol, other = factory.buildProtocol(None), host.internal.buildProtocol(None)
        here.protocol, there.protocol = protocol, other
        other.makeConnection(there)
        protocol.makeConnection(here)
        return succeed(protocol)


class MemberJournal(RecordingJournal):
    """The journal of one member: the records of all are the same, and the database knows who has which table."""

    def __init__(self, shared: RecordingJournal, cluster: MemoryCluster, epoch: int) -> None:
        super().__init__()
        for name in ("openings", "entries", "accounts", "told_tables", "told_seats", "since"):
            setattr(self, name, getattr(shared, name))
        self._cluster = cluster
        self._epoch = epoch

    def new_table(self) -> TableId:
        [number] = self._cluster.new_numbers(1)
        self._tables = number
        return TableId(number)

    def unfinished(self) -> list[UnfinishedTable]:
        return [one for one in super().unfinished() if self.has(one.table)]

    def open(self, table: TableId, opening: TableHeader, durable: Callable[[], None]) -> None:
        self._cluster.open_table(self._epoch, UnfinishedTable(table, opening, False, 0))
        super().open(table, opening, durable)

    def append(self, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        owner, unfinished = self._cluster.tables[table]
        assert owner == self._epoch, "an entry at a table of another member"
        self._cluster.tables[table] = owner, evolve(unfinished, begun=True)
        super().append(table, entry, durable)
        self._close(table)

    def told(self, table: TableId, seat: Seat | None = None) -> None:
        super().told(table, seat)
        if table in self._cluster.tables:
            owner, unfinished = self._cluster.tables[table]
            told = self.told_seats.get(table, frozenset())
            self._cluster.tables[table] = owner, evolve(unfinished, told=told)
            self._close(table)

    def has(self, table: TableId) -> bool:
        return table in self._cluster.tables and self._cluster.tables[table][0] == self._epoch

    def _close(self, table: TableId) -> None:
        if self._is_done(self.record(table)):
            self._cluster.close_table(table)


class MemberHost(MemoryHost):
    """A member."""

    clock: Any

    def __init__(self, world: "World", settings: dict[str, str], **more: Any) -> None:
        self.world: Any = world
        self.registry: MemoryRegistry = world.database.join(broken=self._broken)
        epoch = self.registry.epoch
        self.ended = ""
        self.links: list[Link] = []
        self.clients: list[Client] = []
        clock: Any = MemberClock(world.clock)
        joining: Any = self
        self.internal = InternalFactory(clock, self.registry.row.member.token)
        self.cluster = Cluster(
            self.registry,
            clock,
            Cork(),
            {"onitama", "onitama-final", "stratego-frames", "stratego-lines", "paper-soccer"},
            joining,
            Beats(clock, lambda done: clock.callLater(0.01, done) and None),
        )
        journal = MemberJournal(world.journal, world.database, epoch)
        super().__init__(settings, journal=journal, clock=clock, membership=self.cluster, **more)
        self.cluster.cork = self.context.cork
        relays = Relays(lambda address: _Endpoint(world, address), clock, self.context.limiter)  # type: ignore[arg-type,return-value]
        games = {game.name: game for factory in self.factories.values() for game in factory.wire.games}
        self.cluster.attach(self.lobby, lambda tables: self.lobby.restore(games, tables), relays, self._learn)
        self.cluster.led = lambda: self.lobby.spectators.follow(games)
        self.context.new_input = lambda *parts: ClaimingInput(self.cluster, *parts)
        self.cluster.begin()
        self.cluster.open(self.factories.values(), ())

    def open(self, cluster: Cluster, factories: Any) -> None:
        """As of `Joining`."""
        self.internal.open(cluster, factories)

    def keep(self, *connection: Any) -> None:
        """As of `Joining`."""
        self.internal.keep(*connection)

    def close(self) -> None:
        """As of `Joining`."""

    def _learn(self, accounts: Any, bans: Any) -> None:
        pass

    def _broken(self, why: str) -> None:
        self.ended = why
        self.kill()

    def connect(self, wire: str = "onitama", address: str = "192.0.2.1") -> Client:
        factory: Any = self.factories[wire]
        front = self.cluster.front(factory, factory.wire)
        client = _MemberClient(self, factory, front, address)
        self.clients.append(client)
        return client

    def kill(self) -> None:
        """The process is gone."""
        self.clock.dead = True
        self.registry.kill()
        for client in self.clients:
            client.transport.protocol = _Nobody()
            client.transport.disconnected = True
        for link in self.links:
            link.protocol = _Nobody()
            link.hang_up()
        for relay in self.cluster.relays.all:
            if relay._home is not None:
                relay._home.protocol = _Nobody()
                relay._home.hang_up()

    def settle(self) -> None:
        self.world.settle()


class _Nobody:
    """The protocol of a transport whose process is gone."""

    def connectionLost(self, reason: object) -> None: ...

    def dataReceived(self, data: bytes) -> None: ...


class _MemberClient(Client):
    def __init__(self, host: MemberHost, factory: Any, front: Any, address: str) -> None:
        self.world = host
        self.transport = StrictTransport(host.clock, address)
        self.protocol = front.buildProtocol(IPv4Address("TCP", address, 40_000))
        self.transport.protocol = self.protocol
        self.message_text = host.texts[factory.wire.name]() if factory.wire.name in host.texts else _lines()
        if self.protocol is None:
            self.transport.disconnected = True
        else:
            self.protocol.makeConnection(self.transport)

    def heard(self) -> list[str]:
        self.world.settle()
        return super().heard()


def _lines() -> Any:
    from gamehost.testing.message_text import Lines

    return Lines()


class World:
    """
    A cluster of some members.

    :param settings: of all members
    """

    def __init__(self, members: int = 2, settings: dict[str, str] | None = None, **more: Any) -> None:
        self.clock = Clock()
        self.database = MemoryCluster(self.clock)
        self.journal = RecordingJournal()
        self.settings = settings or {}
        self.more = more
        self.by_address: dict[str, MemberHost] = {}
        self.random = random.Random(1)
        self.hosts: list[MemberHost] = []
        for _ in range(members):
            self.join()

    def join(self) -> MemberHost:
        """Start another member."""
        host = MemberHost(self, self.settings, **self.more)
        self.by_address[host.registry.row.member.address] = host
        self.hosts.append(host)
        self.wait(0.6)
        return host

    def settle(self) -> None:
        """Make all calls that are due now."""
        while any(call.getTime() <= self.clock.seconds() for call in self.clock.getDelayedCalls()):
            self.clock.advance(0)

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        clock = self.clock
        end = clock.seconds() + seconds
        while (due := min((call.getTime() for call in clock.getDelayedCalls()), default=end)) < end:
            clock.rightNow = max(clock.seconds(), due)
            clock.advance(0)
        clock.rightNow = end
        self.settle()


class ClusterCase(SynchronousTestCase):
    """Two members. The first one leads."""

    members = 2
    settings: Mapping[str, str] = {}

    def setUp(self) -> None:
        self.world = World(self.members, dict(self.settings))
        self.first, self.second = self.world.hosts[:2]

    def log_in(self, host: MemberHost, name: str, wire: str = "onitama", address: str = "192.0.2.1") -> Client:
        """A client that has logged in on a wire of lines."""
        client = host.connect(wire, address)
        client.say(f"LOGIN|{name}")
        self.world.wait(0.1)
        return client

    def match(self) -> tuple[Client, Client]:
        """Ann at the first member, and Bob, who came to the second one."""
        ann = self.log_in(self.first, "ann")
        self.world.wait(0.5)
        bob = self.log_in(self.second, "bob")
        self.assertIn("START|ann|bob", "".join(ann.heard()))
        self.assertIn("START|ann|bob", "".join(bob.heard()))
        return ann, bob

    def homes(self) -> dict[str, int]:
        """The names that have homes, and the members that those are."""
        return {key: home.member for key, home in self.world.database.homes.items()}
