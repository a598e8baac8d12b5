"""Where connections arrive: clients at the ports of a member, and other members at the port of the cluster."""

import socket
from typing import Any

from twisted.internet.address import IPv4Address
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.cluster.front import InternalFactory, front_of, relays_in
from gamehost.cluster.relay import LONGEST, MOST_HOPS, PATIENCE, Preamble
from gamehost.journal.records import SeatRecord
from gamehost.limits import Limits
from gamehost.net.haproxy import HEADER_SECONDS
from gamehost.net.limiter import HeaderLimiter
from gamehost.storage.names import Home
from gamehost.testing.transport import StrictTransport
from tests.kit.memory_cluster import ClusterCase
from tests.kit.memory_host import Client
from tests.kit.web_host import WebHost, WebTransport
from tests.net.test_connection_costs import SocketTransport

WIRES = ("console", "open", "eriantys", "eriantys-java")


class FrontTests(ClusterCase):
    def test_passed_on(self) -> None:
        """Such a connection is at the leader from its first byte, under the client's address, and ends with it."""
        for wire in WIRES:
            client = self.second.connect(wire, "192.0.2.9")
            self.world.wait(0.1)
            [connection] = self.first.factories[wire].connections
            self.assertEqual(connection.address, "192.0.2.9")
            self.assertEqual(len(self.second.factories[wire].connections), 0)
            client.drop()
            self.world.wait(0.1)
            self.assertEqual(len(self.first.factories[wire].connections), 0)
        self.assertEqual([host.context.limiter.count for host in self.world.hosts], [0, 0])

    def test_a_client_that_vanishes(self) -> None:
        """The system finds that, as at a connection that is not passed on: the leader has a connection to this member only."""
        transport = SocketTransport(self.second)
        front = front_of(self.second.cluster, self.second.factories["open"], self.second.factories["open"].wire)
        transport.protocol = front.buildProtocol(IPv4Address("TCP", "192.0.2.9", 1))
        transport.protocol.makeConnection(transport)
        self.addCleanup(transport.socket.close)
        self.assertTrue(transport.getTcpKeepAlive())
        for option, seconds in ((socket.TCP_KEEPIDLE, 8), (socket.TCP_USER_TIMEOUT, 16_000)):
            self.assertEqual(transport.socket.getsockopt(socket.IPPROTO_TCP, option), seconds)

    def test_at_the_leader(self) -> None:
        for wire in WIRES:
            self.first.connect(wire)
        self.assertEqual((self.first.cluster.relays_out, relays_in(self.first.cluster)), (0, 0))

    def test_players_of_all_members_meet(self) -> None:
        """A player on the open wire, who came to one member, and one on Onitama's, who came to another one."""
        ann = self.second.connect("open")
        ann.say('{"do":"enter","name":"ann"}', '{"do":"seek","game":"onitama"}')
        self.world.wait(0.1)
        bob = self.log_in(self.second, "bob")
        self.assertIn("START|ann|bob", "".join(bob.heard()))
        self.assertEqual(self.homes(), {"ann": 1, "bob": 1})

    def test_who_waits_at_another_member_comes_to_the_leader(self) -> None:
        """A player of the open wire cannot be moved, so the other one is, although he has waited longer."""
        bob = self.log_in(self.second, "bob")
        ann = self.first.connect("open")
        ann.say('{"do":"enter","name":"ann"}', '{"do":"seek","game":"onitama"}')
        self.world.wait(1)
        self.assertIn("START|ann|bob", "".join(bob.heard()))
        self.assertEqual(self.homes(), {"ann": 1, "bob": 1})

    def test_a_name_at_another_member(self) -> None:
        """The leader refuses a name whose home is elsewhere, and has it as soon as it is free."""
        ann = self.log_in(self.second, "ann")
        client = self.first.connect("open")
        self.assertIn("in use", "".join(client.ask('{"do":"enter","name":"ann"}')))
        ann.drop()
        self.world.wait(0.1)
        self.assertIn("entered", "".join(client.ask('{"do":"enter","name":"ann"}')))
        self.assertEqual(self.homes(), {"ann": 1})

    def test_too_many(self) -> None:
        self.second.context.limiter.closed = "closed"
        self.assertTrue(self.second.connect("console").closed)
        self.assertEqual(self.second.cluster.relays_out, 0)


class LeaderTests(ClusterCase):
    def hear(self, client: Client) -> str:
        self.world.wait(1)
        return "".join(client.heard())

    def test_the_next_one(self) -> None:
        """Connections to the old leader end, and new ones come to the next one."""
        client = self.second.connect("console")
        self.hear(client)
        self.first.kill()
        self.hear(client)
        self.assertTrue(client.closed)
        self.assertIn("gamehost:", self.hear(self.second.connect("console")))
        self.assertEqual((self.second.cluster.relays_out, self.second.context.limiter.count), (0, 1))

    def test_before_anybody_knows(self) -> None:
        """A connection that comes after the end of the leader, and before that is known, waits for the next one."""
        third = self.world.join()
        self.first.kill()
        clients = [host.connect("console") for host in (self.second, third)]
        for client in clients:
            self.assertEqual(client.heard(), [])
        for client in clients:
            self.assertIn("gamehost:", self.hear(client))
        self.assertEqual(len(self.second.factories["console"].connections), 2)
        for client in clients:
            client.drop()
        self.world.wait(0.1)
        self.assertEqual([host.context.limiter.count for host in (self.second, third)], [0, 0])

    def test_it_hangs(self) -> None:
        """A connection that a leader has accepted who hangs is cut, and the next one is at the next leader."""
        self.first.hang()
        client = self.second.connect("console")
        self.world.wait(5)
        self.assertTrue(client.closed)
        self.assertIn("gamehost:", self.hear(self.second.connect("console")))
        self.first.wake()
        self.world.wait(1)
        self.assertIn("taken the journal over", self.first.ended)

    def test_nobody_is_reached(self) -> None:
        self.world.apart.append({self.first, self.second})
        client = self.second.connect("console")
        self.world.wait(PATIENCE + 1)
        self.assertTrue(client.closed)
        self.assertEqual((self.second.cluster.relays_out, self.second.context.limiter.count), (0, 0))

    def test_two_deaths(self) -> None:
        """Two leaders end one after the other: whoever had a seat at the first one finds it at the third."""
        third = self.world.join()
        ann, bob = self.first.connect("open"), self.first.connect()
        ann.say('{"do":"enter","name":"ann"}', '{"do":"seek","game":"onitama"}')
        bob.say("LOGIN|bob")
        self.world.wait(0.3)
        self.first.kill()
        self.world.wait(0.3)
        self.second.kill()
        self.world.wait(2)
        self.assertIn('"table":1', "".join(third.connect("open").ask('{"do":"enter","name":"ann"}')))
        self.assertIn("RECONNECT", "".join(self.log_in(third, "bob").heard()))

    def test_it_comes_back_before_it_is_taken_over(self) -> None:
        """Two members are cut off, and the leader is back before it is taken over: nobody else has led meanwhile."""
        third = self.world.join()
        led: list[int] = []
        third.cluster.led = lambda: led.append(3)
        for host in (self.first, self.second):
            host.registry.lose_line()
        while not self.second.registry.row.ended:
            self.world.clock.advance(0.01)
        self.first.registry.find_line()
        self.world.wait(1)
        self.assertEqual((led, [one.epoch for one in third.cluster.members]), ([], [1, 3]))


class PagesTests(ClusterCase):
    def test_passed_on(self) -> None:
        """Another member passes a browser on to the leader. There, too, a name of another site is no way in."""
        site = WebHost(self.first).site
        self.first.internal._factories = {**self.first.internal._factories, "web": site}
        front: Any = front_of(self.second.cluster, site, None)
        for name, answer in (("localhost", b"200 OK"), ("evil.example", b"421 Misdirected Request")):
            transport = WebTransport(self.world.clock)
            transport.protocol = front.buildProtocol(IPv4Address("TCP", "192.0.2.9", 40_000))
            transport.protocol.makeConnection(transport)
            transport.receive(b"GET / HTTP/1.1\r\nHost: %b\r\n\r\n" % name.encode())
            self.world.wait(0.5)
            self.assertTrue(transport.read().startswith(b"HTTP/1.1 " + answer), name)
        self.assertEqual(len(site.channels), 2)


class InternalTests(ClusterCase):
    def connect(self, address: str = "") -> StrictTransport:
        transport = StrictTransport(self.world.clock)
        protocol = self.second.internal.buildProtocol(IPv4Address("TCP", address, 1))
        transport.protocol = protocol
        protocol.makeConnection(transport)
        return transport

    def send(self, data: bytes = b"", wire: str = "onitama", **facts: Any) -> StrictTransport:
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
        self.assertEqual(relays_in(self.second.cluster), 1)

    def test_skipped(self) -> None:
        """What another member has handled is not handled again."""
        transport = self.send(b"HELLO\nHELLO\nLOGIN|ann\n", skip=2)
        self.assertEqual(transport.read(), b"WAITING|ann\n")

    def test_in_pieces(self) -> None:
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
        self.assert_refused(self.send(wire="console", hops=MOST_HOPS))

    def test_an_adopted_player(self) -> None:
        record = SeatRecord("bob", "onitama", "192.0.2.9", False, "")
        transport = self.send(b"LOGIN|bob\nMAKE", skip=1, adopt=record)
        self.assertEqual(transport.read(), b"")
        self.assertEqual(self.homes(), {"bob": 2})
        self.assertIn("bob", self.world.database.offers)
        transport.hang_up()
        self.world.wait(0.1)
        self.assertEqual((self.homes(), self.world.database.offers), ({}, {}))

    def test_an_adopted_player_that_is_lost(self) -> None:
        self.world.database.homes["bob"] = Home(2)
        transport = self.send(adopt=SeatRecord("bob", "onitama", "192.0.2.9", False, ""), lost=True)
        self.assertEqual((transport.disconnected, self.homes()), (True, {}))


class EarlyTests(SynchronousTestCase):
    def test_it_is_not_read(self) -> None:
        """What comes before the host is ready waits in the system; a connection that goes is forgotten."""
        clock = Clock()
        nowhere: Any = None
        factory = InternalFactory(nowhere, clock, HeaderLimiter())
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
