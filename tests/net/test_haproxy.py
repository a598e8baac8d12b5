"""Behind a proxy: a client's own address counts, only trusted proxies are asked, and none of them for long."""

from typing import Any

from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.endpoints import TCP4ServerEndpoint
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.limits import Limits
from gamehost.net.haproxy import HEADER_SECONDS, LOOPBACK, ProxiedEndpoint, ProxiedFactory, proxy_network
from gamehost.net.limiter import HeaderLimiter
from gamehost.settings import BadOption
from gamehost.testing.transport import StrictTransport
from tests.kit.example_game import TOY_WIRE
from tests.kit.memory_host import MemoryHost
from tests.net.test_haproxy_header import HEADERS, REFUSED, tcp4

#: A proxy on this machine.
PROXY = IPv4Address("TCP", "127.0.0.1", 5000)


class ProxiedCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = MemoryHost(wires=(TOY_WIRE,))
        self.headers = HeaderLimiter()
        self.factory = ProxiedFactory(self.world.factories["toy"], LOOPBACK, self.world.clock, self.headers)

    def connect(self, peer: Any = PROXY) -> StrictTransport:
        transport = StrictTransport(self.world.clock)
        transport.protocol = self.factory.buildProtocol(peer)
        if transport.protocol is not None:
            transport.protocol.makeConnection(transport)
        return transport

    def addresses(self) -> list[str]:
        return sorted(one.address for one in self.world.factories["toy"].connections)


class HeaderTests(ProxiedCase):
    def test_address_is_the_clients(self) -> None:
        for number, (header, source) in enumerate(HEADERS.items()):
            transport = self.connect()
            transport.receive(header + f"hi p{number}\nsa".encode())
            transport.receive(b"y 3\n")
            self.assertIn(b"xx\n", transport.read())
            self.assertEqual(self.addresses(), [source[0] if source else "127.0.0.1"])
            transport.hang_up()
            self.assertEqual(self.addresses(), [])
        self.assertEqual(self.world.context.limiter.count, 0)

    def test_byte_by_byte(self) -> None:
        """Row 25: however slowly the header comes, within its time."""
        transport = self.connect()
        for byte in tcp4() + b"say 3\n":
            transport.receive(bytes([byte]))
        self.assertEqual(transport.read(), b"xx\n")

    def test_counted_by_client(self) -> None:
        world = self.world = MemoryHost({"limits.connections_per_address": "1"}, wires=(TOY_WIRE,))
        self.factory = ProxiedFactory(world.factories["toy"], LOOPBACK, world.clock, self.headers)
        first, second, again = self.connect(), self.connect(), self.connect()
        first.receive(tcp4("192.0.2.1"))
        second.receive(tcp4("192.0.2.2"))
        again.receive(tcp4("192.0.2.1"))
        self.assertEqual(self.world.context.limiter.count, 2)
        self.assertEqual(again.read(), b"bye too many connections from this address\n")

    def test_banned_client(self) -> None:
        """A ban is of a client's address. The proxy itself is not touched."""
        self.world.lobby.bans.put("192.0.2.1", None, lambda: None)
        banned, other = self.connect(), self.connect()
        banned.receive(tcp4("192.0.2.1"))
        other.receive(tcp4("192.0.2.2"))
        self.assertEqual(banned.read(), b"bye your address is banned from this host\n")
        self.world.until_idle()
        self.assertEqual(self.addresses(), ["192.0.2.2"])

    def test_refused(self) -> None:
        """Row 25: what is no header ends the connection, is never answered, and leaves nothing behind."""
        for data in REFUSED:
            transport = self.connect()
            transport.receive(data)
            transport.protocol.dataReceived(tcp4() + b"hi ann\n")
            self.world.until_idle()
            self.assertTrue(transport.aborted)
            self.assertEqual(transport.read(), b"")
        self.assertEqual(self.addresses(), [])
        self.assertEqual(self.world.clock.getDelayedCalls(), [])

    def test_header_that_never_ends(self) -> None:
        """The proxy has five seconds; a connection that goes before that leaves no timer."""
        slow, gone = self.connect(), self.connect()
        slow.receive(b"PROXY TCP4")
        gone.hang_up()
        self.world.wait(4.9)
        self.assertFalse(slow.disconnected)
        self.world.wait(0.2)
        self.assertTrue(slow.disconnected)
        self.assertEqual(self.world.clock.getDelayedCalls(), [])


class CountTests(ProxiedCase):
    def test_few_wait(self) -> None:
        """From one proxy, and in all. What has a header, is refused or is lost makes room; others are closed at once."""
        self.headers.limits = Limits(header_connections=3, header_connections_per_address=2)
        first, second = self.connect(), self.connect()
        self.assertIsNone(self.connect().protocol)
        other = IPv4Address("TCP", "127.0.0.2", 5000)
        self.assertIsNotNone(self.connect(other).protocol)
        self.assertIsNone(self.connect(IPv4Address("TCP", "127.0.0.3", 5000)).protocol)
        first.receive(tcp4())
        second.receive(b"nonsense\n")
        third, fourth = self.connect(), self.connect()
        self.assertIsNone(self.connect().protocol)
        third.hang_up()
        fourth.receive(tcp4()[:10])
        self.assertIsNotNone(self.connect(other).protocol)
        self.world.wait(HEADER_SECONDS + 0.1)
        self.assertEqual((self.headers.count, self.world.context.limiter.count), (0, 1))
        self.assertFalse(self.headers._by_address)


class TrustTests(ProxiedCase):
    def test_strangers_are_closed(self) -> None:
        """Whoever is not in a trusted network is not even listened to."""
        for host in ("192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1", "fe80::1%eth0", "128.0.0.1"):
            address = IPv6Address("TCP", host, 1) if ":" in host else IPv4Address("TCP", host, 1)
            self.assertIsNone(self.connect(address).protocol, host)

    def test_trusted(self) -> None:
        """This machine, in every spelling, a socket in the file system, and whatever network is named."""
        self.factory = ProxiedFactory(
            self.factory.factory,
            (*LOOPBACK, proxy_network("", "10.1.0.0/16"), proxy_network("", "2001:db8::/32")),
            self.world.clock,
            self.headers,
        )
        for host in ("127.9.9.9", "::ffff:127.0.0.1", "::1", "10.1.2.3", "2001:db8::1"):
            address = IPv6Address("TCP", host, 1) if ":" in host else IPv4Address("TCP", host, 1)
            self.assertIsNotNone(self.connect(address).protocol, host)
        self.assertIsNotNone(self.connect(UNIXAddress(b"/run/proxy")).protocol)

    def test_header_on_a_port_without_proxy(self) -> None:
        """Row 24: there it is a line like any other, and no address is taken from it."""
        client = self.world.connect("toy")
        client.send(b"PROXY TCP4 192.0.2.77 192.0.2.1 1 2\r\n")
        self.assertNotIn("192.0.2.77", self.addresses())
        self.assertEqual(client.heard(), ["what?"])

    def test_networks(self) -> None:
        self.assertEqual(str(proxy_network("--trusted-proxy", "192.0.2.7")), "192.0.2.7/32")
        for text in ("", "proxy.example", "192.0.2.1/24", "192.0.2.0/33", "any"):
            error = self.assertRaises(BadOption, proxy_network, "--trusted-proxy", text)
            self.assertIn("--trusted-proxy: expected an address", str(error))


class EndpointTests(ProxiedCase):
    def test_endpoint(self) -> None:
        reactor: Any = MemoryReactorClock()
        endpoint = ProxiedEndpoint(TCP4ServerEndpoint(reactor, 1), LOOPBACK, reactor, self.headers)
        self.successResultOf(endpoint.listen(self.world.factories["toy"]))
        [(port, factory, _, _)] = reactor.tcpServers
        self.assertEqual(port, 1)
        factory.doStart()
        self.assertEqual(self.world.factories["toy"].numPorts, 1)
        factory.doStop()
        self.assertEqual(self.world.factories["toy"].numPorts, 0)
