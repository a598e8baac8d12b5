"""
The line or block that a proxy sends ahead of a connection to say where it really comes from: the PROXY protocol, versions
1 and 2 (HAProxy, `proxy-protocol.txt`). Pure: bytes in, an address out.

Only a proxy that is trusted is asked. What cannot be such a header is refused at once, and no more of it is kept than
the longest one has; what stands in a header beside the address is not looked at.
"""

from ipaddress import IPv4Address, IPv6Address

from attrs import frozen

from gamehost.framing import NotThisWire

SIGNATURE = b"\r\n\r\n\x00\r\nQUIT\n"

#: Bytes of a version 1 line with its end; section 2.1.
LONGEST_LINE = 107

#: Bytes behind a version 2 header: the addresses, and what proxies like to add.
LONGEST_BLOCK = 4_096

_ADDRESSES = {0x1: (4, IPv4Address), 0x2: (16, IPv6Address)}


@frozen
class Claim:
    """What a proxy says of a connection."""

    #: Where it comes from: address and port; `None`: from the proxy itself (a health check), or from nowhere that has one.
    source: tuple[str, int] | None
    #: What came behind the header.
    rest: bytes


class HeaderReader:
    """Reads the header of one connection."""

    __slots__ = ("_data",)

    def __init__(self) -> None:
        self._data = b""

    def feed(self, data: bytes) -> Claim | None:
        """
        What the proxy says, once all of it is there. To be fed no more then.

        :raises NotThisWire: this is no such header
        """
        data = self._data = self._data + data
        if data[: len(SIGNATURE)] == SIGNATURE[: len(data)]:
            return _block(data)
        if data[:6] == b"PROXY "[: len(data)]:
            return _line(data)
        raise NotThisWire("no PROXY header")


def _line(data: bytes) -> Claim | None:
    end = data.find(b"\r\n", 0, LONGEST_LINE)
    if end < 0:
        if len(data) >= LONGEST_LINE:
            raise NotThisWire("a PROXY line that is too long")
        return None
    rest = data[end + 2 :]
    match data[:end].split(b" "):
        case [b"PROXY", b"UNKNOWN", *_]:
            return Claim(None, rest)
        case [b"PROXY", b"TCP4" | b"TCP6" as family, source, target, port, target_port]:
            kind = IPv4Address if family == b"TCP4" else IPv6Address
            _address(kind, target)
            _port(target_port)
            return Claim((_address(kind, source), _port(port)), rest)
    raise NotThisWire("a PROXY line that cannot be read")


def _address(kind: type[IPv4Address] | type[IPv6Address], text: bytes) -> str:
    try:
        if b"%" in text:
            raise ValueError("a scope means something on the proxy's machine alone")
        return str(kind(text.decode("ascii")))
    except ValueError:
        raise NotThisWire("a PROXY line whose address cannot be read") from None


def _port(text: bytes) -> int:
    if not (text.isdigit() and len(text) <= 5 and int(text) < 65_536):
        raise NotThisWire("a PROXY line whose port cannot be read")
    return int(text)


def _block(data: bytes) -> Claim | None:
    if len(data) < 16:
        return None
    version, command = data[12] >> 4, data[12] & 0xF
    family, length = data[13] >> 4, int.from_bytes(data[14:16], "big")
    if version != 2 or command > 1 or family > 3 or data[13] & 0xF > 2:
        raise NotThisWire("a PROXY header of an unknown kind")
    if length > LONGEST_BLOCK:
        raise NotThisWire("a PROXY header that is too long")
    if len(data) < 16 + length:
        return None
    block, rest = data[16 : 16 + length], data[16 + length :]
    if command == 0 or family not in _ADDRESSES:
        return Claim(None, rest)
    size, kind = _ADDRESSES[family]
    if length < 2 * size + 4:
        raise NotThisWire("a PROXY header that is too short")
    return Claim((str(kind(block[:size])), int.from_bytes(block[2 * size : 2 * size + 2], "big")), rest)
