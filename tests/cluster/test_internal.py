"""The listener of the members."""

from typing import Any

from twisted.internet.address import IPv4Address
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.cluster.claiming import LONGEST, MOST_HOPS, Preamble
from gamehost.cluster.front import InternalFactory
from gamehost.journal.records import SeatRecord
from gamehost.limits import Limits
from gamehost.net.haproxy import HEADER_SECONDS
from gamehost.net.limiter import HeaderLimiter
from gamehost.storage.names import Home
from gamehost.testing.transport import StrictTransport
from tests.kit.cluster_case import ClusterCase


class InternalTests(ClusterCase):
    """A connection to the second member, made by hand."""

    def connect(self, address: str = "") -> StrictTransport:
        transport = StrictTransport(self.world.clock)
        protocol = self.second.internal.buildProtocol(IPv4Address("TCP", address, 1))
        transport.protocol = protocol
        protocol.makeConnection(transport)
        return transport

    def send(self, data: bytes = b"", wire: str = "onitama", **facts: Any) -> StrictTransport:
        """A connection with a preamble."""
        token = self.second.registry.row.member.token
        transport = self.connect()
        transport.receive(Preamble(facts.pop("token", token), wire, "192.0.2.9", **facts).line() + data)
        self.world.wait(0.1)
        return transport

    def assert_refused(self, transport: StrictTransport) -> None:
        self.world.wait(0.1)
        self.assertEqual((transport.disconnected, transport.read()), (True, b""))
        self.assertEqual(self.second.context.limiter.count, 0)

    def test_a_client(self) -> None:
        """It is one of the clients' connections, under the client's address."""
        transport = self.send(b"LOGIN|ann\n")
        self.assertEqual(transport.read(), b"WAITING|ann\n")
        session = self.second.lobby.registry.get("ann")
        assert session is not None
        self.assertEqual(session.address, "192.0.2.9")
        self.assertEqual(self.second.cluster.relays_in, 1)

    def test_skipped(self) -> None:
        """What another member has handled is not handled again."""
        transport = self.send(b"HELLO\nHELLO\nLOGIN|ann\n", skip=2)
        self.assertEqual(transport.read(), b"WAITING|ann\n")

    def test_in_pieces(self) -> None:
        """The preamble may come in any pieces."""
        token = self.second.registry.row.member.token
        transport = self.connect()
        for byte in Preamble(token, "onitama", "192.0.2.9").line() + b"LOGIN|ann\n":
            transport.receive(bytes([byte]))
        self.world.wait(0.1)
        self.assertEqual(transport.read(), b"WAITING|ann\n")

    def test_others(self) -> None:
        """Who does not know the secret, comes too often or with no preamble, or wants no wire of this host, is refused."""
        self.assert_refused(self.send(b"LOGIN|ann\n", token="wrong"))
        self.assert_refused(self.send(b"LOGIN|ann\n", token="é"))
        self.assert_refused(self.send(b"LOGIN|ann\n", token="\ud800"))
        self.assert_refused(self.send(b"LOGIN|ann\n", hops=MOST_HOPS + 1))
        self.assert_refused(self.send(b"LOGIN|ann\n", wire="chess"))
        for data in (b"LOGIN|ann\n", b"{" * (LONGEST + 1)):
            transport = self.connect()
            transport.receive(data)
            self.assert_refused(transport)
        self.assertEqual(self.homes(), {})

    def test_nothing_comes(self) -> None:
        """Without a preamble the connection ends after a while, and no timer is left of one that goes."""
        transport = self.connect()
        timers = len(self.world.clock.getDelayedCalls())
        gone = self.connect()
        gone.hang_up()
        self.assertEqual(len([one for one in self.world.clock.getDelayedCalls() if one.active()]), timers)
        self.world.wait(HEADER_SECONDS + 0.1)
        self.assert_refused(transport)

    def test_many_say_nothing(self) -> None:
        """They are counted, and no more come in until the time of one is up. A member that is refused tries again."""
        headers = self.second.internal.headers
        headers.limits = Limits(header_connections=3, header_connections_per_address=2)
        silent = [self.connect(address) for address in ("10.0.0.1", "10.0.0.1", "10.0.0.2")]
        for address in ("10.0.0.1", "10.0.0.3"):
            refused = self.connect(address)
            self.assertTrue(refused.aborted)
            self.assert_refused(refused)
        self.assertEqual([transport.disconnected for transport in silent], [False] * 3)
        silent[0].hang_up()
        self.assertFalse(self.connect("10.0.0.3").aborted)
        self.world.wait(HEADER_SECONDS + 0.1)
        for transport in silent[1:]:
            self.assert_refused(transport)
        self.assertEqual(headers.count, 0)
        self.assertEqual(self.send(b"LOGIN|ann\n").read(), b"WAITING|ann\n")
        self.assertEqual(headers.count, 0)

    def test_it_stops(self) -> None:
        """A member that stops takes nothing more."""
        self.second.cluster.halted = True
        self.assert_refused(self.send(b"LOGIN|ann\n"))

    def test_for_the_leader(self) -> None:
        """If this member is taken for the leader, the connection waits, and goes to the one that is."""
        transport = self.send(wire="console")
        self.assertIn(b"gamehost:", transport.read())
        self.assertEqual(self.second.cluster.relays_out, 1)

    def test_it_leads_a_moment_later(self) -> None:
        """The other members may notice first that this one leads."""
        self.first.kill()
        token = self.second.registry.row.member.token
        transport = self.connect()
        transport.receive(Preamble(token, "console", "192.0.2.9").line())
        self.assertFalse(self.second.cluster.leads)
        self.world.wait(0.6)
        self.assertTrue(self.second.cluster.leads)
        self.assertIn(b"gamehost:", transport.read())
        self.assertEqual((self.second.cluster.relays_out, self.second.context.limiter.count), (0, 1))
        transport.hang_up()
        self.assertEqual(self.second.context.limiter.count, 0)

    def test_in_circles(self) -> None:
        """Not for ever."""
        self.assert_refused(self.send(wire="console", hops=MOST_HOPS))

    def test_an_adopted_player(self) -> None:
        """It waits, and was told so before."""
        record = SeatRecord("bob", "onitama", "192.0.2.9", False, "")
        transport = self.send(b"LOGIN|bob\nMAKE", skip=1, adopt=record)
        self.assertEqual(transport.read(), b"")
        self.assertEqual(self.homes(), {"bob": 2})
        self.assertIn("bob", self.world.database.offers)
        transport.hang_up()
        self.world.wait(0.1)
        self.assertEqual((self.homes(), self.world.database.offers), ({}, {}))

    def test_an_adopted_player_that_is_lost(self) -> None:
        """The name is free."""
        self.world.database.homes["bob"] = Home(2)
        transport = self.send(adopt=SeatRecord("bob", "onitama", "192.0.2.9", False, ""), lost=True)
        self.assertEqual((transport.disconnected, self.homes()), (True, {}))


class EarlyTests(SynchronousTestCase):
    """A host that is not ready."""

    def test_it_is_not_read(self) -> None:
        """What comes before the host is ready waits in the system; a connection that goes is forgotten."""
        clock = Clock()
        factory = InternalFactory(clock, "secret", HeaderLimiter())
        transports = [StrictTransport(clock) for _ in range(2)]
        for transport in transports:
            protocol = factory.buildProtocol(None)
            transport.protocol = protocol
            protocol.makeConnection(transport)
            transport.receive(b"nonsense\n")
        transports[0].hang_up()
        self.assertFalse(transports[1].aborted)
        cluster: Any = None
        factory.open(cluster, {})
        clock.advance(0)
        self.assertTrue(transports[1].aborted)
