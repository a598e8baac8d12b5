"""Behind a proxy: a client's own address counts, only trusted proxies are asked, and none of them for long."""

import random
from ipaddress import IPv4Address as IPv4
from ipaddress import IPv6Address as IPv6
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.endpoints import TCP4ServerEndpoint
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.net.endpoints import (
    HEADER_SECONDS,
    LONGEST_BLOCK,
    LOOPBACK,
    SIGNATURE,
    ProxiedEndpoint,
    ProxiedFactory,
    ProxyInfo,
    proxy_network,
    read_header,
)
from gamehost.net.limiter import HeaderLimiter
from gamehost.settings import BadOption
from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import StrictTransport
from gamehost.wires.framing import WireError
from tests.kit.example_game import TOY_WIRE
from tests.kit.memory_host import MemoryHost

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


class ProxiedTests(ProxiedCase):
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
        """However slowly the header comes, within its time."""
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
        self.world.lobby.bans.put("192.0.2.1", None, lambda: None)
        banned, other = self.connect(), self.connect()
        banned.receive(tcp4("192.0.2.1"))
        other.receive(tcp4("192.0.2.2"))
        self.assertEqual(banned.read(), b"bye your address is banned from this host\n")
        self.world.until_idle()
        self.assertEqual(self.addresses(), ["192.0.2.2"])

    def test_refused(self) -> None:
        """What is no header ends the connection, is never answered, and leaves nothing behind."""
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
        self.headers.most, self.headers.per_address = 3, 2
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
        """There it is a line like any other, and no address is taken from it."""
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


# PROXY headers: read whole or byte by byte to the same claim, and everything else refused, with nothing raised but that.


def block(command: int, family: int, body: bytes, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return SIGNATURE + bytes([0x20 | command, family]) + size.to_bytes(2, "big") + body


def tcp4(source: str = "192.0.2.7", port: int = 4000, more: bytes = b"") -> bytes:
    addresses = IPv4(source).packed + IPv4("198.51.100.1").packed
    return block(1, 0x11, addresses + port.to_bytes(2, "big") + (8893).to_bytes(2, "big") + more)


def tcp6(source: str = "2001:db8::7", port: int = 4000) -> bytes:
    addresses = IPv6(source).packed + IPv6("2001:db8::1").packed
    return block(1, 0x21, addresses + port.to_bytes(2, "big") + (8893).to_bytes(2, "big"))


HEADERS = {
    b"PROXY TCP4 192.0.2.7 198.51.100.1 4000 8893\r\n": ("192.0.2.7", 4000),
    b"PROXY TCP6 2001:db8::7 2001:db8::1 4000 8893\r\n": ("2001:db8::7", 4000),
    b"PROXY UNKNOWN\r\n": None,
    b"PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n": None,
    tcp4(): ("192.0.2.7", 4000),
    tcp6(): ("2001:db8::7", 4000),
    tcp4(more=b"\x05\x00\x03abc\xff\xff\xff garbage"): ("192.0.2.7", 4000),
    block(0, 0x00, b""): None,
    block(1, 0x31, b"\0" * 216): None,
    block(1, 0x00, b"anything"): None,
}

REFUSED = (
    b"LOGIN|ann\n",
    b"\x16\x03\x01\x02\x00",
    b"PROXY TCP4 192.0.2.7 198.51.100.1 4000\r\n",
    b"PROXY TCP4 192.0.2.7 198.51.100.1 4000 8893 9\r\n",
    b"PROXY TCP4 192.0.2.07 198.51.100.1 4000 8893\r\n",
    b"PROXY TCP4 2001:db8::7 2001:db8::1 4000 8893\r\n",
    b"PROXY TCP6 192.0.2.7 198.51.100.1 4000 8893\r\n",
    b"PROXY TCP6 fe80::7%eth0 2001:db8::1 4000 8893\r\n",
    b"PROXY TCP4 192.0.2.7 198.51.100.1 65536 8893\r\n",
    b"PROXY TCP4 192.0.2.7 198.51.100.1 +1 8893\r\n",
    b"PROXY TCP4 192.0.2.7 198.51.100.1 1 " + b"1" * 60 + b"\r\n",
    b"PROXY TCP4 \xff\xfe\xfd 198.51.100.1 4000 8893\r\n",
    b"PROXY  TCP4 192.0.2.7 198.51.100.1 4000 8893\r\n",
    b"PROXY TCP5 192.0.2.7 198.51.100.1 4000 8893\r\n",
    b"PROXY " + b"x" * 120,
    b"PROXY UNKNOWN " + b"x" * 100 + b"\r\n",
    block(1, 0x11, b"short"),
    block(2, 0x11, b"\0" * 12),
    block(1, 0x41, b"\0" * 12),
    block(1, 0x13, b"\0" * 12),
    SIGNATURE + bytes([0x11, 0x11, 0, 12]) + b"\0" * 12,
    block(1, 0x11, b"", length=LONGEST_BLOCK + 1),
    block(1, 0x11, b"", length=65_535),
)


def read(pieces: list[bytes]) -> ProxyInfo | None:
    come = b""
    while pieces:
        come += pieces.pop(0)
        info = read_header(come)
        if info is not None:
            return ProxyInfo(info.source, info.rest + b"".join(pieces))
    return None


class HeaderTests(PropertyCase):
    def test_headers_whole_and_byte_by_byte(self) -> None:
        """Every kind, with what comes behind it, however the bytes are cut."""
        for header, source in HEADERS.items():
            data = header + b"LOGIN|ann\n"
            expected = ProxyInfo(source, b"LOGIN|ann\n")
            self.assertEqual(read([data]), expected, header)
            self.assertEqual(read([data[n : n + 1] for n in range(len(data))]), expected, header)
            for cut in range(1, len(data)):
                self.assertEqual(read([data[:cut], data[cut:]]), expected, (header, cut))

    def test_refused(self) -> None:
        """What is no header is refused, at the latest when it is longer than one; the words hold nothing of it."""
        for data in REFUSED:
            error = self.assertRaises(WireError, read, [data])
            self.assertRegex(str(error), r"^(no|a) PROXY (header|line)[a-z ]*$")
            self.assertRaises(WireError, read, [data[n : n + 1] for n in range(len(data))])

    @given(st.binary(max_size=300))
    def test_noise(self, data: bytes) -> None:
        for start in (b"", b"PROXY ", SIGNATURE, SIGNATURE + b"\x21\x11", b"PROXY TCP4 "):
            try:
                read([start + data])
            except WireError:
                continue

    def test_sixty_thousand_bent_headers(self) -> None:
        """Each a good one with a few bytes changed, put in or left out: never another error, and the same cut in two."""
        rng = random.Random(25)
        good = list(HEADERS)
        for _ in range(60_000):
            data = bytearray(rng.choice(good))
            for _ in range(rng.randint(1, 4)):
                at = rng.randrange(len(data))
                data[at : at + rng.randint(0, 2)] = rng.randbytes(rng.randint(0, 2))
                data = data or bytearray(b"\r")
            cut = rng.randrange(len(data) + 1)
            self.assertEqual(self.outcome([bytes(data)]), self.outcome([bytes(data[:cut]), bytes(data[cut:])]), data)

    def outcome(self, pieces: list[bytes]) -> object:
        try:
            return read(pieces)
        except WireError:
            return "refused"
