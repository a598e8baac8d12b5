"""PROXY headers: read whole or byte by byte to the same claim, and everything else refused, with nothing raised but that."""

import random
from ipaddress import IPv4Address, IPv6Address

from hypothesis import given
from hypothesis import strategies as st

from gamehost.net.haproxy import LONGEST_BLOCK, SIGNATURE, HeaderReader, ProxyInfo
from gamehost.testing.cases import PropertyCase
from gamehost.wires.framing import WireError


def block(command: int, family: int, body: bytes, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return SIGNATURE + bytes([0x20 | command, family]) + size.to_bytes(2, "big") + body


def tcp4(source: str = "192.0.2.7", port: int = 4000, more: bytes = b"") -> bytes:
    addresses = IPv4Address(source).packed + IPv4Address("198.51.100.1").packed
    return block(1, 0x11, addresses + port.to_bytes(2, "big") + (8893).to_bytes(2, "big") + more)


def tcp6(source: str = "2001:db8::7", port: int = 4000) -> bytes:
    addresses = IPv6Address(source).packed + IPv6Address("2001:db8::1").packed
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
    """What is claimed in the end, all that comes behind it included."""
    reader = HeaderReader()
    while pieces:
        info = reader.feed(pieces.pop(0))
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

    def test_beginnings_are_waited_for(self) -> None:
        for header in HEADERS:
            for cut in range(len(header)):
                self.assertIsNone(read([header[:cut]]), (header, cut))

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
