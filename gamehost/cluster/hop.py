"""
The connections between the members of a cluster: over TCP, over TLS, or through a socket in the file system.

`--cluster` says where a member listens for the others, and each member tells the others an address. The two forms differ:
a TLS listener has a folder with its certificate, and a listener may have port 0, or stand behind NAT.

The first line on such a connection has a secret. So TLS is checked at both ends, and a member with TLS dials no address
without it.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen
from twisted.internet.abstract import isIPAddress, isIPv6Address
from twisted.internet.defer import Deferred, fail
from twisted.internet.endpoints import (
    HostnameEndpoint,
    TCP4ClientEndpoint,
    TCP4ServerEndpoint,
    TCP6ClientEndpoint,
    TCP6ServerEndpoint,
    UNIXClientEndpoint,
    UNIXServerEndpoint,
)
from twisted.internet.interfaces import IListeningPort, IProtocolFactory, IStreamClientEndpoint, IStreamServerEndpoint
from zope.interface import implementer

from gamehost.net.endpoints import BACKLOG
from gamehost.ops.unix_socket import LONGEST_PATH, SocketUnusable, remove_stale
from gamehost.settings import BadOption

if TYPE_CHECKING:
    from gamehost.net.tls import Certificates

#: Seconds after which a member that does not answer counts as not reached.
CONNECT_SECONDS = 3.0

#: Sockets of the members of one machine are for their user alone.
_SOCKET_MODE = 0o600

_FORMS = "tcp:HOST:PORT, tls:FOLDER:HOST:PORT or unix:PATH, such as tcp:10.0.0.1:8990"
_ADDRESSES = "tcp:HOST:PORT, tls:HOST:PORT or unix:PATH, such as tcp:10.0.0.1:8990"

_HOST_AND_PORT = r"(?P<host>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+):(?P<port>[0-9]{1,5})"
_LISTENER = re.compile(rf"(?:tcp|tls:(?P<folder>.+)):{_HOST_AND_PORT}")
_ADDRESS = re.compile(rf"(?P<kind>tcp|tls):{_HOST_AND_PORT}")

#: Addresses that stand for all addresses of a machine.
_EVERYWHERE = ("0.0.0.0", "::")


@frozen
class _Place:
    #: `tcp`, `tls` or `unix`.
    kind: str
    #: A name or an address without brackets; of a socket in the file system its path.
    host: str
    port: int = 0

    def __str__(self) -> str:
        if self.kind == "unix":
            return f"unix:{self.host}"
        return f"{self.kind}:{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


@frozen
class Hop:
    """
    How a member reaches the others, and they reach it.

    :param endpoint: where this member listens
    """

    endpoint: IStreamServerEndpoint
    _reactor: Any
    _place: _Place
    _announced: _Place | None
    _certificates: "Certificates | None"

    def address(self, port: IListeningPort) -> str:
        """What the other members dial, once this member listens on its port."""
        if self._announced is not None:
            return str(self._announced)
        if self._place.kind == "unix":
            return str(self._place)
        listening: Any = port.getHost()
        return str(_Place(self._place.kind, self._place.host, listening.port))

    def connect(self, address: str) -> IStreamClientEndpoint:
        """
        The endpoint that dials another member.

        With TLS, the connection is made before the handshake is over. What is written before is sent only if the certificate
        of the other member is good; if not, the connection is lost with an `OpenSSL.SSL.Error`.

        :param address: as the other member tells it
        :raises BadOption: this member cannot dial it; the message says why
        """
        place = _read_address(address)
        if place.kind == "unix":
            return UNIXClientEndpoint(self._reactor, place.host, timeout=CONNECT_SECONDS)
        plain = self._plain(place)
        if place.kind == "tcp" and self._certificates is None:
            return plain
        if place.kind == "tcp" or self._certificates is None:
            with_tls, without = ("this", "the other") if place.kind == "tcp" else ("the other", "this")
            raise BadOption(f"{address}: {with_tls} member uses TLS, and {without} one does not")
        from gamehost.net.tls import TLSClientEndpoint

        return TLSClientEndpoint(plain, self._certificates.to(place.host), self._reactor)

    def _plain(self, place: _Place) -> IStreamClientEndpoint:
        if isIPAddress(place.host):
            return TCP4ClientEndpoint(self._reactor, place.host, place.port, CONNECT_SECONDS)
        if isIPv6Address(place.host):
            return TCP6ClientEndpoint(self._reactor, place.host, place.port, CONNECT_SECONDS)
        return HostnameEndpoint(self._reactor, place.host, place.port, CONNECT_SECONDS)


@implementer(IStreamServerEndpoint)
@frozen
class _SocketEndpoint:
    """A socket in the file system. One that a killed process has left behind is replaced."""

    _reactor: Any
    _path: str

    def listen(self, factory: IProtocolFactory) -> Deferred[IListeningPort]:
        """Listen. Another process that listens there is a `SocketUnusable`."""
        try:
            remove_stale(self._path)
        except (SocketUnusable, OSError) as error:
            return fail(error)
        endpoint = UNIXServerEndpoint(self._reactor, self._path, BACKLOG, _SOCKET_MODE)
        listening: Deferred[IListeningPort] = endpoint.listen(factory)
        return listening


def read_hop(
    reactor: Any,
    listener: str,
    address: str | None = None,
    authority: Path | None = None,
    reloads: Callable[[Callable[[], None]], object] = lambda reload: None,
) -> Hop:
    """
    Read the options of a member. Nothing is opened, but certificates are read.

    :param listener: of `--cluster`
    :param address: of `--cluster-address`: what the others dial
    :param authority: of `--cluster-ca`: the certificates that those of all members come from
    :param reloads: takes what is to be called at a SIGHUP, as `gamehost.net.endpoints.Endpoints.reloads.append`
    :raises BadOption: they cannot be used; the message names the option
    """
    place, folder = _read_listener(listener)
    announced = None
    if address is not None:
        try:
            announced = _read_address(address)
        except BadOption as error:
            raise BadOption(f"--cluster-address: {error}") from None
    if announced is None and place.host in _EVERYWHERE:
        raise BadOption(
            f"--cluster: {listener!r} has no address that others can dial; add --cluster-address=tcp:HOST:PORT"
        )
    if folder is None and authority is not None:
        raise BadOption("--cluster-ca is for TLS: expected --cluster=tls:FOLDER:HOST:PORT")
    if announced is not None and announced.kind != place.kind:
        raise BadOption(f"--cluster-address: expected {place.kind}: as in --cluster, got {address!r}")
    if place.kind == "unix":
        return Hop(_SocketEndpoint(reactor, place.host), reactor, place, announced, None)
    make = TCP6ServerEndpoint if ":" in place.host else TCP4ServerEndpoint
    endpoint: IStreamServerEndpoint = make(reactor, place.port, BACKLOG, place.host)
    if folder is None:
        return Hop(endpoint, reactor, place, announced, None)
    if authority is None:
        raise BadOption(
            "--cluster: tls: needs --cluster-ca=FILE, with the certificate that those of all members come from"
        )
    certificates, endpoint = _with_tls(reactor, endpoint, folder, authority)
    reloads(certificates.reload)
    return Hop(endpoint, reactor, place, announced, certificates)


def _with_tls(
    reactor: Any, endpoint: IStreamServerEndpoint, folder: Path, authority: Path
) -> "tuple[Certificates, IStreamServerEndpoint]":
    try:
        from gamehost.net.tls import Certificates, TLSEndpoint
    except ImportError:
        raise BadOption("--cluster: tls: needs pyOpenSSL; install gamehost[tls]") from None
    try:
        certificates = Certificates(folder, authority)
    except BadOption as error:
        raise BadOption(f"--cluster: {error}") from None
    return certificates, TLSEndpoint(endpoint, certificates, reactor)


def _read_listener(text: str) -> tuple[_Place, Path | None]:
    """
    The place of a listener, and the folder of its certificate.

    :raises BadOption: this is no listener
    """
    if text.startswith("unix:"):
        return _socket("--cluster", text), None
    found = _LISTENER.fullmatch(text)
    if found is None or int(found["port"]) > 65_535:
        raise BadOption(f"--cluster: expected {_FORMS}, got {text!r}")
    host = found["host"].strip("[]")
    if not isIPAddress(host) and not isIPv6Address(host):
        raise BadOption(
            f"--cluster: expected an IP address of this machine, got {host!r}; a name can stand in --cluster-address"
        )
    kind = "tcp" if found["folder"] is None else "tls"
    return _Place(kind, host, int(found["port"])), None if kind == "tcp" else Path(found["folder"])


def _read_address(text: str) -> _Place:
    """
    :raises BadOption: this is no address
    """
    if text.startswith("unix:"):
        return _socket("the address", text)
    found = _ADDRESS.fullmatch(text)
    if found is None or not 0 < int(found["port"]) < 65_536 or found["host"].strip("[]") in _EVERYWHERE:
        raise BadOption(f"expected {_ADDRESSES}, got {text!r}")
    return _Place(found["kind"], found["host"].strip("[]"), int(found["port"]))


def _socket(name: str, text: str) -> _Place:
    """
    :raises BadOption: the path is too long, or does not begin at the root
    """
    path = text.removeprefix("unix:")
    if not path.startswith("/") or len(path.encode()) > LONGEST_PATH:
        raise BadOption(f"{name}: expected unix: and an absolute path of {LONGEST_PATH} bytes at most, got {text!r}")
    return _Place("unix", path)
