"""
Who may come in: which names of this host are its own, and whose pages may open a socket. Pure.

A page of another site can make a browser send requests here, and a name of that site that points to this host makes them look
like our own. So a browser's socket must come from a page of this host, and the host must be asked by an address, by the name
`localhost`, or by a name that its owner has given it: nobody else can make a name point here that a browser takes for one of
these.
"""

import re
from collections.abc import Mapping, Sequence
from ipaddress import ip_address

from msgspec import Struct

from gamehost.limits import is_loopback, rate_limit_key
from gamehost.net.haproxy import Network
from gamehost.settings import BadOption
from gamehost.web.http import Answer, Visitor, refused

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
