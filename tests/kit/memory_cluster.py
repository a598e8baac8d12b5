"""
Several hosts in memory that are the members of one cluster, with the database's promises from `tests.kit.memory_registry`.

A member can be killed: then nothing of it runs any more, and all of its connections are lost.
"""

import random
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import evolve
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import AlreadyCalled, AlreadyCancelled, ConnectionRefusedError
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.passwords import Account
from gamehost.extras.cluster.claiming import ClaimingInput, gather_at_tables, gather_in_queues
from gamehost.extras.cluster.front import InternalFactory, front_of
from gamehost.extras.cluster.membership import Cluster
from gamehost.extras.cluster.relay import Relays
from gamehost.games.base import Seat
from gamehost.journal.records import (
    Entry,
    Leave,
    OpenedTable,
    OwnedMatch,
    TableHeader,
    TableId,
    TableRecord,
    UnfinishedTable,
)
from gamehost.net.context import Cork
from gamehost.net.limiter import HeaderLimiter
from gamehost.plugins import WIRES
from gamehost.testing.journals import RecordingJournal
from gamehost.testing.memory_host import StrictTransport
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.memory_registry import MemoryCluster, MemoryRegistry


class _MemberCall:
    """A call of a member that is due at some time. If the process hangs then, it can still be cancelled."""

    def __init__(self, member: "MemberClock", clock: Clock, delay: float, function: Callable[[], None]) -> None:
        self._member = member
        self._function: Callable[[], None] | None = function
        self._call = clock.callLater(delay, member.run, self._run)

    def _run(self) -> None:
        function, self._function = self._function, None
        if function is not None:
            function()

    def active(self) -> bool:
        return self._function is not None

    def cancel(self) -> None:
        if self._function is None:
            raise AlreadyCancelled if self._call.active() else AlreadyCalled
        self._function = None
        if self._call.active():
            self._call.cancel()

    def reset(self, delay: float) -> None:
        if self._call.active():
            self._call.reset(delay)

    def delay(self, delay: float) -> None:
        if self._call.active():
            self._call.delay(delay)

    def getTime(self) -> float:
        return float(self._call.getTime())


class MemberClock:
    """The clock of one member. When that is killed, nothing is called any more; while it hangs, all waits."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.dead = self.hangs = False
        self._held: list[Callable[[], None]] = []

    def run(self, function: Callable[[], None]) -> None:
        """Have the process do something, now or when it goes on."""
        if self.hangs:
            self._held.append(function)
        elif not self.dead:
            function()

    def wake(self) -> None:
        self.hangs = False
        held, self._held = self._held, []
        for function in held:
            self.run(function)

    def seconds(self) -> float:
        return self._clock.seconds()

    def callLater(self, delay: float, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        return _MemberCall(self, self._clock, delay, partial(function, *arguments, **named))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._clock, name)


class Link(StrictTransport):
    peer: "Link"
    _at = 0.0

    def __init__(self, world: "World", host: "MemberHost") -> None:
        super().__init__(world.clock)
        self._world = world
        self.host = host

    def _to_peer(self, call: Callable[..., None], *arguments: Any) -> None:
        """What one end does comes to the other one later, and in order."""
        self._at = max(self._at, self._clock.seconds() + self._world.latency())
        self._clock.callLater(self._at - self._clock.seconds(), self.peer.host.clock.run, partial(call, *arguments))

    def _drain(self) -> None:
        if self._buffer and self.peer._reading and not self.peer.disconnected:
            data = bytes(self._buffer)
            self._buffer.clear()
            self._to_peer(self._pass_on, data)
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
            self._to_peer(self.peer.hang_up)


class _Endpoint:
    def __init__(self, world: "World", dialling: "MemberHost", address: str) -> None:
        self._world = world
        self._dialling = dialling
        self._address = address

    def connect(self, factory: Any) -> Deferred[Any]:
        host = self._world.by_address.get(self._address)
        if host is None or host.clock.dead or {host, self._dialling} in self._world.apart:
            return fail(ConnectionRefusedError())
        here, there = Link(self._world, self._dialling), Link(self._world, host)
        here.peer, there.peer = there, here
        host.links.append(there)
        self._dialling.links.append(here)
        protocol, other = factory.buildProtocol(None), host.internal.buildProtocol(None)
        here.protocol, there.protocol = protocol, other
        other.makeConnection(there)
        protocol.makeConnection(here)
        return succeed(protocol)


class MemberJournal(RecordingJournal):
    """The journal of one member: the records of all are the same, and the database knows who has which table."""

    def __init__(self, shared: RecordingJournal, cluster: MemoryCluster, epoch: int) -> None:
        super().__init__()
        for name in (
            "openings",
            "entries",
            "people",
            "told_tables",
            "told_seats",
            "since",
            "own_matches",
            "leaves",
            "kept",
        ):
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

    def sleep(
        self, table: TableId, since: int, due: int | None = None, durable: Callable[[], None] = lambda: None
    ) -> None:
        self._cluster.sleep(table, due)
        super().sleep(table, since, due, durable)

    def wake(self, table: TableId) -> None:
        self._cluster.asleep.discard(table)
        super().wake(table)

    def put_own(self, matches: Sequence[tuple[str, OwnedMatch]], durable: Callable[[], None]) -> None:
        super().put_own(matches, durable)
        self._cluster.put_own(matches)

    def put_leave(self, leave: Leave, durable: Callable[[], None]) -> None:
        super().put_leave(leave, durable)
        self._cluster.put_leave(leave)

    def put_opened(self, opened: OpenedTable, durable: Callable[[], None]) -> None:
        self._cluster.opened[opened.table] = (self._epoch, opened)
        durable()

    def drop_opened(self, table: TableId, durable: Callable[[], None]) -> None:
        self._cluster.opened.pop(table, None)
        durable()

    def opened(self) -> list[OpenedTable]:
        return [one for owner, one in self._cluster.opened.values() if owner == self._epoch]

    def has(self, table: TableId) -> bool:
        return table in self._cluster.tables and self._cluster.tables[table][0] == self._epoch

    def _close(self, table: TableId) -> None:
        if self._is_done(self.record(table)):
            self._cluster.close_table(table)


class MemberHost(MemoryHost):
    clock: Any

    def __init__(self, world: "World", settings: dict[str, str], **more: Any) -> None:
        self.world: Any = world
        self.registry: MemoryRegistry = world.database.join(broken=self._broken)
        self.ended = ""
        self.links: list[Link] = []
        self.clients: list[Client] = []
        clock: Any = MemberClock(world.clock)
        joining: Any = self
        nowhere: Any = None
        self.internal = InternalFactory(nowhere, clock, HeaderLimiter())
        self.internal.token = self.registry.row.member.token
        self.cluster = Cluster(
            self.registry,
            clock,
            Cork(),
            joining,
            lambda done: clock.callLater(0.01, done) and None,
            lambda found: clock.callLater(0, lambda: found(journal.opened())) and None,
            lambda table, taken: clock.callLater(0, lambda: taken(self.registry.take(table))) and None,
        )
        journal = world.new_journal(self)
        super().__init__(settings, journal=journal, clock=clock, membership=self.cluster, **more)
        self.cluster.cork = self.context.cork
        relays = Relays(lambda address: _Endpoint(world, self, address), clock, self.context.limiter)  # type: ignore[arg-type,return-value]
        games = {game.name: game for factory in self.factories.values() for game in factory.wire.games}
        restore = partial(self.lobby.restore, games)
        self.cluster.attach(self.lobby, restore, relays, self._learn, gather_in_queues, gather_at_tables)
        self.cluster.opened = lambda: self.lobby.directory.played.follow(games)
        self.context.new_input = lambda *parts: ClaimingInput(self.cluster, *parts)
        self.cluster.begin()
        self.cluster.open(self.factories.values(), ())

    def open(self, cluster: Cluster, factories: Any) -> None:
        self.internal.open(cluster, factories)

    def keep(self, *connection: Any) -> None:
        self.internal.keep(*connection)

    def close(self) -> None:
        self.world.by_address.pop(self.registry.row.member.address, None)

    def _learn(self, accounts: Any, bans: Any) -> None:
        pass

    def _broken(self, why: str) -> None:
        self.ended = why
        self.kill()

    def connect(self, wire: str = "onitama", address: str = "192.0.2.1") -> Client:
        factory: Any = self.factories[wire]
        front = front_of(self.cluster, factory, factory.wire.spreads)
        client = _MemberClient(self, factory, front, address)
        self.clients.append(client)
        return client

    def kill(self) -> None:
        self.clock.dead = True
        self.registry.kill()
        for client in self.clients:
            client.transport.protocol = _Nobody()
            client.transport.disconnected = True
        for link in self.links:
            link.protocol = _Nobody()
            link._producer = None
            link.hang_up()

    def hang(self) -> None:
        self.clock.hangs = True
        self.registry.hang()

    def wake(self) -> None:
        """It goes on, and finds out what has happened meanwhile."""
        self.clock.wake()
        self.registry.wake()

    def until_idle(self) -> None:
        self.world.until_idle()


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
        self.world.until_idle()
        return super().heard()


def _lines() -> Any:
    from gamehost.testing.memory_host import Lines

    return Lines()


class World:
    """A cluster of some members, which have the same settings."""

    def __init__(self, members: int = 2, settings: dict[str, str] | None = None, **more: Any) -> None:
        self.clock = Clock()
        self.database = MemoryCluster(self.clock, spreading={wire.name for wire in WIRES if wire.spreads})
        self.journal = RecordingJournal()
        self.settings = settings or {}
        self.more = more
        self.by_address: dict[str, MemberHost] = {}
        #: Seconds that something takes from one member to another.
        self.latency: Callable[[], float] = lambda: 0.0
        #: Pairs of members that cannot reach each other.
        self.apart: list[set[MemberHost]] = []
        self.random = random.Random(1)
        self.hosts: list[MemberHost] = []
        for _ in range(members):
            self.join()

    def new_journal(self, host: MemberHost) -> MemberJournal:
        return MemberJournal(self.journal, self.database, host.registry.epoch)

    def join(self) -> MemberHost:
        """Start another member, and wait until all know of it."""
        host = self.start()
        self.wait(0.6)
        return host

    def start(self) -> MemberHost:
        host = MemberHost(self, self.settings, **self.more)
        self.by_address[host.registry.row.member.address] = host
        self.hosts.append(host)
        return host

    def until_idle(self) -> None:
        while any(call.getTime() <= self.clock.seconds() for call in self.clock.getDelayedCalls()):
            self.clock.advance(0)

    def wait(self, seconds: float) -> None:
        clock = self.clock
        end = clock.seconds() + seconds
        while (due := min((call.getTime() for call in clock.getDelayedCalls()), default=end)) < end:
            clock.rightNow = max(clock.seconds(), due)
            clock.advance(0)
        clock.rightNow = end
        self.until_idle()


# What the tests of a cluster in memory share.


class ClusterCase(SynchronousTestCase):
    members = 2
    settings: Mapping[str, str] = {}

    def setUp(self) -> None:
        self.world = World(self.members, dict(self.settings))
        self.first, self.second = self.world.hosts[:2]

    def log_in(self, host: MemberHost, name: str, wire: str = "onitama", address: str = "192.0.2.1") -> Client:
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
        return dict(self.world.database.homes)


# The journal of a member of a simulated cluster: it is written in drawn times, and only while the member has its lock.


#: Seconds in which something comes from a member to a client at most.
SLOWEST = 0.016


class DrawnJournal(MemberJournal):
    """The journal of a member. It is written in its own time, and only while the member has its lock."""

    def __init__(self, rng: random.Random, host: MemberHost) -> None:
        super().__init__(host.world.journal, host.world.database, host.registry.epoch)
        self._host = host
        self._rng = rng
        self._queue: deque[tuple[float, Callable[[], object], Callable[[], None]]] = deque()
        self._writes = False
        self._new: dict[str, Account] = {}

    def open(self, table: TableId, opening: TableHeader, durable: Callable[[], None]) -> None:
        self._put(partial(super().open, table, opening, _nothing), durable)

    def append(self, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        self._put(partial(super().append, table, entry, _nothing), durable)

    def told(self, table: TableId, seat: Seat | None = None) -> None:
        self._put(partial(super().told, table, seat), _nothing)

    def load(self, table: TableId, loaded: Callable[[TableRecord | str], None]) -> None:
        found: list[TableRecord] = []

        def read() -> None:
            self.asleep.discard(table)
            found.append(self.record(table))

        self._put(read, lambda: loaded(found[0]))

    def sleep(
        self, table: TableId, since: int, due: int | None = None, durable: Callable[[], None] = lambda: None
    ) -> None:
        self._put(partial(super().sleep, table, since, due), durable)

    def wake(self, table: TableId) -> None:
        self._put(partial(super().wake, table), _nothing)

    def find(self, key: str) -> Account | None:
        return self._new.get(key) or super().find(key)

    def add(self, account: Account, added: Callable[[Account], None]) -> None:
        self._new[account.key] = account
        self._put(partial(super().add, account, _nothing), lambda: added(self.people[self._new.pop(account.key).key]))

    def _put(self, change: Callable[[], object], durable: Callable[[], None]) -> None:
        self._queue.append((self._host.clock.seconds(), change, durable))
        self._later()

    def _later(self) -> None:
        if self._queue and not self._writes:
            self._writes = True
            self._host.clock.callLater(self._rng.uniform(0.001, 0.04), self._commit)

    def _commit(self) -> None:
        self._writes = False
        row = self._host.registry.row
        if row.ended:
            return  # the registry finds out, too
        if not row.locked:
            self._later()
            return
        group: list[Callable[[], None]] = []
        # What was told before comes to the client before this is written, also through two relays.
        while self._queue and self._queue[0][0] < self._host.clock.seconds() - SLOWEST:
            _, change, durable = self._queue.popleft()
            change()
            group.append(durable)
        self._host.clock.callLater(self._rng.uniform(0.0, 0.003), self._answered, group)

    def _answered(self, group: list[Callable[[], None]]) -> None:
        with self._host.context.cork:
            for durable in group:
                durable()
        self._later()

    def finish(self) -> None:
        """The host stops: write what was accepted, before the lock is given back."""
        while self._queue:
            _, change, durable = self._queue.popleft()
            change()
            durable()


def _nothing(*_: object) -> None:
    """Nobody waits for this."""
