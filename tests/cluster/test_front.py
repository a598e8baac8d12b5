"""Wires and pages that are played at the leader, at another member."""

import socket
from typing import Any

from twisted.internet.address import IPv4Address

from gamehost.cluster.relay import PATIENCE
from tests.kit.cluster_case import ClusterCase
from tests.kit.memory_host import Client
from tests.kit.web_host import WebHost, WebTransport
from tests.net.test_connection_costs import SocketTransport

WIRES = ("console", "open", "eriantys", "eriantys-java")


class FrontTests(ClusterCase):
    """The second member does not lead."""

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
        front = self.second.cluster.front(self.second.factories["open"], self.second.factories["open"].wire)
        transport.protocol = front.buildProtocol(IPv4Address("TCP", "192.0.2.9", 1))
        transport.protocol.makeConnection(transport)
        self.addCleanup(transport.socket.close)
        self.assertTrue(transport.getTcpKeepAlive())
        for option, seconds in ((socket.TCP_KEEPIDLE, 8), (socket.TCP_USER_TIMEOUT, 16_000)):
            self.assertEqual(transport.socket.getsockopt(socket.IPPROTO_TCP, option), seconds)

    def test_at_the_leader(self) -> None:
        """The leader keeps its own."""
        for wire in WIRES:
            self.first.connect(wire)
        self.assertEqual((self.first.cluster.relays_out, self.first.cluster.relays_in), (0, 0))

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
        """The limits of connections hold at each member."""
        self.second.context.limiter.closed = "closed"
        self.assertTrue(self.second.connect("console").closed)
        self.assertEqual(self.second.cluster.relays_out, 0)


class LeaderTests(ClusterCase):
    """The leader ends."""

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
        """After a while the client's connection ends."""
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
    """The pages for browsers."""

    def test_passed_on(self) -> None:
        """Another member passes a browser on to the leader. There, too, a name of another site is no way in."""
        site = WebHost(self.first).site
        self.first.internal._factories = {**self.first.internal._factories, "web": site}
        front: Any = self.second.cluster.front(site, None)
        for name, answer in (("localhost", b"200 OK"), ("evil.example", b"421 Misdirected Request")):
            transport = WebTransport(self.world.clock)
            transport.protocol = front.buildProtocol(IPv4Address("TCP", "192.0.2.9", 40_000))
            transport.protocol.makeConnection(transport)
            transport.receive(b"GET / HTTP/1.1\r\nHost: %b\r\n\r\n" % name.encode())
            self.world.wait(0.5)
            self.assertTrue(transport.read().startswith(b"HTTP/1.1 " + answer), name)
        self.assertEqual(len(site.channels), 2)
