"""
Who may come in: which names of this host are its own, and whose pages may open a socket. Pure.

A page of another site can make a browser send requests here, and a name that points to 127.0.0.1 makes them look like our own.
So a browser's socket must come from a page of this host, and on a loopback address the host must be asked by a loopback name.
"""

import re
from collections.abc import Mapping, Sequence
from ipaddress import ip_address

from attrs import frozen

from gamehost.limits import is_loopback, rate_limit_key
from gamehost.net.haproxy import LOOPBACK, Network
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


@frozen
class Access:
    """What a listener knows of its names."""

    #: The origins of its pages behind a proxy.
    origins: Sequence[str] = ()
    #: The proxies whose headers are believed.
    trusted: Sequence[Network] = LOOPBACK

    def visitor(self, peer: str, here: str, tls: bool, headers: Mapping[str, str]) -> Visitor:
        """
        Who asks.

        :param peer: the address that the connection comes from; empty at a Unix socket
        :param here: the address that it has come to; empty at a Unix socket
        :param headers: as of `Asked`
        """
        local = _is_loopback(here)
        forwarded = headers.get("x-forwarded-for"), headers.get("x-forwarded-proto")
        if forwarded == (None, None) or not self.trusts(peer):
            return Visitor(peer, tls, tls or _is_loopback(peer), local)
        client, scheme = forwarded
        https = tls or scheme == "https"
        return Visitor(_last_hop(client or "") or peer, https, https, local)

    def trusts(self, peer: str) -> bool:
        """Whether this is the address of a proxy whose headers are believed."""
        if not peer:
            return True
        plain = rate_limit_key(peer)
        try:
            address = ip_address(peer.partition("%")[0] if plain.endswith("/64") else plain)
        except ValueError:
            return False
        return any(address in network for network in self.trusted)

    def wrong_host(self, host: str | None, version: str, visitor: Visitor) -> Answer | None:
        """Why a request for this host is refused; `None`: it is not."""
        if host is None:
            return None if version == "HTTP/1.0" else refused(400, "expected the header Host")
        match = _HOST.fullmatch(host)
        if match is None:
            return refused(400, "expected a name, or an address, and a port in the header Host")
        if not visitor.local or _is_loopback_name(match[1].lower()):
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


def _is_loopback_name(name: str) -> bool:
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False
