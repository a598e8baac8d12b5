"""
What is asked over HTTP, who may ask, and what is answered: values that know no connection. Pure.

A page of another site can make a browser send requests here, and a name of that site that points to this host makes them look
like our own. So a browser's socket must come from a page of this host, and the host must be asked by an address, by the name
`localhost`, or by a name that its owner has given it: nobody else can make a name point here that a browser takes for one of
these.
"""

import gzip
import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any
from urllib.parse import unquote_to_bytes

from attrs import field, frozen
from msgspec import Struct

from gamehost.limits import is_loopback, rate_limit_key
from gamehost.net.haproxy import Network
from gamehost.settings import BadOption

#: Bodies of fewer bytes are not compressed: they fit one packet.
WORTH_PACKING = 512

#: Answers that never change.
FOR_EVER = "public, max-age=31536000, immutable"
#: Answers that are asked for again each time, and not sent again if they are the same.
ASK_AGAIN = "no-cache"
#: Answers that are old at once.
NEVER = "no-store"

#: Other sites may read these answers: everybody may know them.
FOR_EVERYBODY: Mapping[str, str] = {
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}


class BadPath(ValueError):
    """A path that is no path. The message repeats nothing of it."""


@frozen
class Visitor:
    """Who asks."""

    #: Without the port; empty if the transport has no addresses.
    address: str
    #: Whether the way to the visitor is encrypted, as far as is known.
    https: bool
    #: Whether a password may be sent: nobody else can read it.
    private: bool


class Asked(Struct, frozen=True):
    """One request."""

    method: str
    #: The parts between the slashes, decoded; `/` has none.
    path: tuple[str, ...]
    query: Mapping[str, str]
    #: By their names in lower case. Of several headers with one name the values stand behind each other, with commas.
    headers: Mapping[str, str]
    visitor: Visitor
    #: `HTTP/1.1`, for instance.
    version: str = "HTTP/1.1"


@frozen
class Answer:
    """One response."""

    status: int
    body: bytes = b""
    kind: str = "text/plain; charset=utf-8"
    cache: str = NEVER
    headers: Mapping[str, str] = field(factory=dict)
    #: The body, compressed with gzip; `None`: only the plain one is sent.
    packed: bytes | None = None
    #: Identifies the body; empty: it is sent each time.
    etag: str = ""


def tag(body: bytes) -> str:
    """An `ETag`. It is a weak one, because the compressed body has the same."""
    return f'W/"{blake2b(body, digest_size=12).hexdigest()}"'


def packed(body: bytes, level: int = 6) -> bytes | None:
    """A body compressed with gzip, the same bytes each time; `None`: it is not worth it."""
    small = gzip.compress(body, level, mtime=0) if len(body) >= WORTH_PACKING else body
    return small if len(small) < len(body) * 0.9 else None


def found(
    body: bytes, kind: str, cache: str = ASK_AGAIN, headers: Mapping[str, str] = FOR_EVERYBODY, level: int = 6
) -> Answer:
    """An answer with a body that browsers may keep."""
    return Answer(200, body, kind, cache, headers, packed(body, level), tag(body))


def refused(status: int, why: str, headers: Mapping[str, str] = {}) -> Answer:
    """An error, in words."""
    return Answer(status, f"{status} {HTTPStatus(status).phrase}: {why}\n".encode(), headers=headers)


def written(status: int, headers: Mapping[str, str], body: bytes, version: str = "HTTP/1.1") -> bytes:
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"{version} {status} {HTTPStatus(status).phrase}\r\n{head}\r\n".encode("latin-1") + body


def split_path(raw: bytes) -> tuple[str, ...]:
    """
    The parts of a path, decoded. An escaped slash does not divide.

    :raises BadPath: it does not begin with a slash, or has a part that no path of this host has
    """
    if not raw.startswith(b"/"):
        raise BadPath("expected a path that begins with a slash")
    parts = raw[1:].split(b"/")
    if parts[-1] == b"":
        parts.pop()
    try:
        decoded = tuple(unquote_to_bytes(part).decode("utf-8") for part in parts)
    except UnicodeDecodeError:
        raise BadPath("expected a path in UTF-8") from None
    for part in decoded:
        if part in ("", ".", "..") or not part.isprintable():
            raise BadPath("expected a path without empty parts, dots and control characters")
    return decoded


def read_query(arguments: Mapping[bytes, list[bytes]] | Any) -> dict[str, str]:
    """
    The arguments behind the question mark; of several with one name, the last.

    :raises BadPath: they are not UTF-8
    """
    try:
        return {name.decode("utf-8"): values[-1].decode("utf-8") for name, values in (arguments or {}).items()}
    except UnicodeDecodeError:
        raise BadPath("expected arguments in UTF-8") from None


_ORIGIN = re.compile(r"(https?)://([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?", re.ASCII)
_HOST = re.compile(r"([a-zA-Z0-9._-]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?", re.ASCII)


def web_origin(name: str, text: str) -> str:
    """
    An origin as browsers write it: `https://games.example.org`.

    :raises BadOption: it is none
    """
    match = _ORIGIN.fullmatch(text)
    usual = {"http": "80", "https": "443"}
    if match is None or match[3] == usual[match[1]]:
        raise BadOption(f"{name}: expected an origin such as https://games.example.org, got {text!r}")
    return text


class Access(Struct, frozen=True):
    """What a listener knows of its names."""

    #: The origins of its pages, as its owner has named them.
    origins: Sequence[str] = ()
    #: The proxies whose headers are believed, as the owner has named them.
    trusted: Sequence[Network] = ()

    def visitor(self, peer: str, tls: bool, headers: Mapping[str, str]) -> Visitor:
        """
        Who asks.

        :param peer: the address that the connection comes from; empty at a Unix socket
        :param headers: as of `Asked`
        """
        if not is_forwarded(headers):
            return Visitor(peer, tls, tls or _is_loopback(peer))
        if not self.trusts(peer):
            # Another program has read along, even if it is one of this machine.
            return Visitor(peer, tls, tls)
        https = tls or headers.get("x-forwarded-proto") == "https"
        return Visitor(_last_hop(headers.get("x-forwarded-for", "")) or peer, https, https)

    def trusts(self, peer: str) -> bool:
        """Whether this is the address of a proxy whose headers are believed."""
        return not peer or (bool(self.trusted) and self._is_among(peer, self.trusted))

    def may_be_many(self, peer: str) -> bool:
        """Whether the connections from this address can be those of many clients: a proxy's, or this machine's own."""
        return self.trusts(peer) or _is_loopback(peer)

    @staticmethod
    def _is_among(peer: str, networks: Sequence[Network]) -> bool:
        plain = rate_limit_key(peer)
        try:
            address = ip_address(peer.partition("%")[0] if plain.endswith("/64") else plain)
        except ValueError:
            return False
        return any(address in network for network in networks)

    def wrong_host(self, host: str | None, version: str) -> Answer | None:
        """Why a request for this host is refused; `None`: it is not."""
        if host is None:
            return None if version == "HTTP/1.0" else refused(400, "expected the header Host")
        match = _HOST.fullmatch(host)
        if match is None:
            return refused(400, "expected a name, or an address, and a port in the header Host")
        if _is_nobodys_name(match[1].lower()):
            return None
        if any(origin.partition("://")[2] == host.lower() for origin in self.origins):
            return None
        return refused(421, "this host does not have that name; an owner can give it one with --web-origin")

    def foreign(self, origin: str | None, host: str | None, visitor: Visitor) -> bool:
        """Whether a page of another site wants to open a socket. Programs that are no browser send no origin."""
        if origin is None or origin in self.origins:
            return False
        scheme = "https" if visitor.https else "http"
        return host is None or origin.lower() != f"{scheme}://{host.lower()}"


def is_forwarded(headers: Mapping[str, str]) -> bool:
    """Whether a proxy says that it has passed a request on."""
    return "x-forwarded-for" in headers or "x-forwarded-proto" in headers


def _is_loopback(address: str) -> bool:
    """Whether this is a loopback address, also of IPv4 in the words of IPv6. A Unix socket is none: proxies use it."""
    return address != "" and (is_loopback(address) or is_loopback(rate_limit_key(address)))


def _last_hop(forwarded: str) -> str:
    """The address that the nearest proxy has seen; empty: it cannot be read."""
    last = forwarded.rpartition(",")[2].strip().strip("[]")
    try:
        return str(ip_address(last))
    except ValueError:
        return ""


def _is_nobodys_name(name: str) -> bool:
    """Whether this is an address, or a name that means this machine everywhere: no site can have it."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
