"""
TLS for listeners, and between the hosts of a cluster: versions 1.2 and 1.3, no renegotiation, and certificates that can be
replaced while the host runs.

A folder has one private key, its certificate and the intermediate certificates, in any number of `.pem` files. They are
read at the start and at a SIGHUP. If they cannot be used at a SIGHUP, the old ones remain in use. TLS needs the extra
`tls` of the package. It needs no memory that is both writable and executable, so a sandbox may forbid such memory.

If an authority is given, both ends of a connection show a certificate, and each checks the other's certificate.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from attrs import define
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from OpenSSL import SSL, crypto
from service_identity import CertificateError, VerificationError
from service_identity.pyopenssl import verify_hostname, verify_ip_address
from twisted.internet.abstract import isIPAddress, isIPv6Address
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import (
    IListeningPort,
    IOpenSSLClientConnectionCreator,
    IOpenSSLServerConnectionCreator,
    IProtocol,
    IProtocolFactory,
    IReactorTime,
    IStreamClientEndpoint,
    IStreamServerEndpoint,
)
from twisted.internet.protocol import connectionDone
from twisted.logger import Logger
from twisted.protocols.tls import TLSMemoryBIOFactory, TLSMemoryBIOProtocol
from twisted.python.failure import Failure
from zope.interface import implementer

from gamehost._twisted import Timer
from gamehost.settings import BadOption

#: After a TLS error, the client has so many seconds to read what was sent before.
BROKEN_SECONDS = 2.0

#: The ciphers for version 1.2. Version 1.3 has only good ones.
CIPHERS = b"ECDHE+AESGCM:ECDHE+CHACHA20"

_BLOCK = re.compile(rb"-----BEGIN ([A-Z ]+)-----.+?-----END \1-----", re.DOTALL)


def read_context(folder: Path, authority: Path | None = None) -> Any:
    """
    Read the key and the certificates of a folder, and make the OpenSSL context for new connections.

    :param authority: a file with the certificates that the certificate of the other end must come from; `None`: the other
        end needs no certificate
    :raises BadOption: the key or the certificate is missing or unusable, or everybody can read the key
    """
    keys: dict[bytes, Any] = {}
    certificates: dict[bytes, Any] = {}
    for path, kind, block in _blocks(folder):
        try:
            if kind.endswith(b"PRIVATE KEY"):
                _refuse_open_key(path)
                # Not pyOpenSSL's own reading of keys: that needs memory which can be written and executed.
                key = crypto.PKey.from_cryptography_key(load_pem_private_key(block, None))
                keys[_public(key)] = key  # the same key in two files counts once
            elif kind == b"CERTIFICATE":
                certificates[block] = crypto.load_certificate(crypto.FILETYPE_PEM, block)
        except (crypto.Error, UnsupportedAlgorithm, ValueError, TypeError) as error:
            if isinstance(error, BadOption):  # a `ValueError` with a message of our own, from `_refuse_open_key`
                raise
            raise BadOption(f"{path}: a {kind.decode('ascii').lower()} that cannot be read") from None
    if len(keys) != 1:
        raise BadOption(f"{folder}: expected one private key in its .pem files, found {len(keys)}{_torn(folder)}")
    [(public, key)] = keys.items()
    own = [one for one in certificates.values() if _public(one.get_pubkey()) == public]
    if not own:
        raise BadOption(f"{folder}: no certificate in its .pem files belongs to the private key{_torn(folder)}")
    # If one key has several certificates, as after a renewal, use the one that is valid longest.
    leaf = max(own, key=lambda one: one.get_notAfter() or b"")
    context = _context(key, leaf, _chain(leaf, certificates.values()))
    if authority is not None:
        _demand_certificates(context, authority)
    return context


def _demand_certificates(context: Any, authority: Path) -> None:
    """
    Let a context accept only connections whose other end shows a certificate from an authority.

    :param authority: the file with the authority's certificates
    :raises BadOption: the file cannot be read, or has no certificate
    """
    try:
        authority.read_bytes()  # only to find out what is wrong with the file: OpenSSL does not say it
        context.load_verify_locations(str(authority))
    except OSError as error:
        raise BadOption(f"{authority}: {error.strerror or error}") from None
    except SSL.Error:
        raise BadOption(f"{authority}: expected certificates in PEM, found none that can be read") from None
    context.set_verify(SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT)


def _context(key: Any, leaf: Any, chain: Iterable[Any]) -> Any:
    """Make an OpenSSL context with this key, its certificate (`leaf`) and the intermediate certificates."""
    context = SSL.Context(SSL.TLS_METHOD)
    context.set_min_proto_version(SSL.TLS1_2_VERSION)
    context.set_cipher_list(CIPHERS)
    context.set_options(
        SSL.OP_NO_RENEGOTIATION | SSL.OP_NO_COMPRESSION | SSL.OP_NO_TICKET | SSL.OP_CIPHER_SERVER_PREFERENCE
    )
    # An idle connection frees its buffers.
    context.set_mode(SSL.MODE_RELEASE_BUFFERS)
    context.set_session_cache_mode(SSL.SESS_CACHE_OFF)
    context.use_privatekey(key)
    context.use_certificate(leaf)
    for certificate in chain:
        context.add_extra_chain_cert(certificate)
    return context


def _blocks(folder: Path) -> Iterator[tuple[Path, bytes, bytes]]:
    """
    Find all keys and certificates in the `.pem` files of a folder. Yields the file, the kind and the text of each.

    :raises BadOption: the folder or a file cannot be read
    """
    try:
        for path in sorted(folder.iterdir()):
            if path.suffix == ".pem":
                for block in _BLOCK.finditer(path.read_bytes()):
                    yield path, block[1], block[0] + b"\n"
    except OSError as error:
        raise BadOption(f"{error.filename or folder}: {error.strerror or error}") from None


def _torn(folder: Path) -> str:
    """The end of an error message: names the `.pem` files that have no whole key or certificate; empty: there are none."""
    torn = [path.name for path in sorted(folder.glob("*.pem")) if not _BLOCK.search(path.read_bytes())]
    return f"; nothing in {', '.join(torn)} can be read" if torn else ""


def _refuse_open_key(path: Path) -> None:
    """
    Check that not everybody on this machine can read the file of a private key.

    :raises BadOption: everybody can
    """
    mode = path.stat().st_mode & 0o777  # the permissions, without the kind of the file
    if mode & 0o007:  # any permission of users outside of the group
        raise BadOption(f"{path}: everybody can read this private key (mode {mode:04o}); chmod 600 it")


def _public(key: Any) -> bytes:
    """The public key in PEM, to compare keys."""
    public: bytes = crypto.dump_publickey(crypto.FILETYPE_PEM, key)
    return public


def _chain(leaf: Any, certificates: Iterable[Any]) -> list[Any]:
    """The intermediate certificates from a server's certificate (`leaf`) up to the root, in order, without the root itself."""
    # A root has issued its own certificate, so it is left out.
    by_subject = {one.get_subject().der(): one for one in certificates if one.get_subject() != one.get_issuer()}
    chain: list[Any] = []
    one = by_subject.get(leaf.get_issuer().der())
    # The last two tests end the loop if certificates have issued each other.
    while one is not None and one not in chain and one is not leaf:
        chain.append(one)
        one = by_subject.get(one.get_issuer().der())
    return chain


@implementer(IOpenSSLServerConnectionCreator)
class Certificates:
    """
    The key and the certificates of a folder, for a listener or for connections to other hosts.

    :param authority: a file with the certificates that the certificate of the other end must come from; `None`: the other
        end needs no certificate
    :raises BadOption: the key or the certificate is missing or unusable, or everybody can read the key
    """

    def __init__(self, folder: Path, authority: Path | None = None) -> None:
        self._files = (folder, authority)
        self.context = read_context(folder, authority)

    def reload(self) -> None:
        """
        Read the files again, for new connections. Existing connections keep their certificates.

        :raises BadOption: the files cannot be used; the old certificates remain in use
        """
        self.context = read_context(*self._files)

    def serverConnectionForTLS(self, protocol: TLSMemoryBIOProtocol) -> Any:
        _, authority = self._files
        return SSL.Connection(self.context, None) if authority is None else _CheckedConnection(self.context, "")

    def to(self, host: str) -> IOpenSSLClientConnectionCreator:
        """
        Make the object that Twisted needs to open TLS connections to a host.

        :param host: the name or address for which the certificate of that host must be. It must come from the authority
        """
        return _Dialled(self, host)


class _CheckedConnection(SSL.Connection):  # type: ignore[misc]
    """
    A TLS connection of two hosts that check each other's certificate. The reason of a failed handshake is logged; the other
    host does not receive it.

    Twisted's own check of a name is not used: its callback in OpenSSL needs memory that is both writable and executable.

    :param host: the name or address for which the other end's certificate must be; empty: any, because the other end has
        opened the connection
    """

    log = Logger()

    def __init__(self, context: Any, host: str) -> None:
        """Make a connection that has not begun its handshake. The class describes the parameters."""
        super().__init__(context, None)
        self._host = host
        self._is_address = isIPAddress(host) or isIPv6Address(host)
        # The other end may have several certificates, so it receives the wanted name (SNI). This is defined for names only.
        if host and not self._is_address:
            self.set_tlsext_host_name(host.encode("ascii"))

    def do_handshake(self) -> None:
        """
        Continue the handshake, and check the other end's certificate when it is complete.

        :raises SSL.WantReadError: the handshake needs more bytes from the other end
        :raises SSL.Error: the handshake has failed
        """
        try:
            super().do_handshake()
            if self._host:
                self._check_host()
        except SSL.WantReadError:
            raise  # the usual case, and also an `SSL.Error`: it is not logged
        except SSL.Error as error:
            why = "; ".join(reason for _, _, reason in error.args[0]) if error.args else "the connection was closed"
            self.log.warn("no TLS with {host}: {why}", host=self._host or "a host that has connected", why=why)
            raise

    def _check_host(self) -> None:
        """
        Check that the other end's certificate is for the host.

        :raises SSL.Error: it is for another one
        """
        verify: Any = verify_ip_address if self._is_address else verify_hostname
        try:
            verify(self, self._host)
        except (VerificationError, CertificateError) as error:
            raise SSL.Error([("", "", f"the certificate is not for {self._host}")]) from error


@implementer(IOpenSSLClientConnectionCreator)
@define(eq=False)
class _Dialled:
    """Makes the TLS connections to one host: the result of `Certificates.to`."""

    _certificates: Certificates
    _host: str

    def clientConnectionForTLS(self, protocol: TLSMemoryBIOProtocol) -> Any:
        return _CheckedConnection(self._certificates.context, self._host)


class TlsSession(TLSMemoryBIOProtocol):
    """
    The TLS of one connection. After a TLS error, the connection is closed within `BROKEN_SECONDS`.

    Twisted's own class only asks the transport to close. If the other end does not read, that may never happen.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._end = Timer()

    def dataReceived(self, data: bytes) -> None:
        """Decrypt received bytes. After a TLS error, give the other end a few seconds to read, and then close."""
        super().dataReceived(data)
        transport: Any = self.transport
        if not self._end and transport.disconnecting:  # the timer does not run yet, and the connection is closing
            made_by: Any = self.factory
            self._end.set(made_by.clock, BROKEN_SECONDS, transport.abortConnection)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._end.stop()
        super().connectionLost(reason)


class Sessions(TLSMemoryBIOFactory):
    """Wraps another factory: each of its connections gets a `TlsSession`."""

    protocol = TlsSession
    noisy = False

    def __init__(
        self,
        certificates: IOpenSSLServerConnectionCreator | IOpenSSLClientConnectionCreator,
        factory: IProtocolFactory,
        clock: IReactorTime,
        dials: bool = False,
    ) -> None:
        """
        :param dials: whether the connections are opened by this host, and not by the other end
        """
        super().__init__(certificates, dials, factory, clock=clock)
        self.clock = clock

    def buildProtocol(self, addr: Any) -> Any:
        """Make the session for a new connection; `None`: the wrapped factory refuses it, and Twisted closes it."""
        protocol = self.wrappedFactory.buildProtocol(addr)
        return None if protocol is None else self.protocol(self, protocol)


@implementer(IStreamServerEndpoint)
@define(eq=False)
class TLSEndpoint:
    """Listens with TLS at another endpoint."""

    _endpoint: IStreamServerEndpoint
    _certificates: Certificates
    _clock: IReactorTime

    def listen(self, factory: IProtocolFactory) -> Deferred[IListeningPort]:
        wrapped = Sessions(self._certificates, factory, self._clock)
        listening: Deferred[IListeningPort] = self._endpoint.listen(wrapped)
        return listening


@implementer(IStreamClientEndpoint)
@define(eq=False)
class TLSClientEndpoint:
    """
    Connects with TLS to another host. Bytes that are written before the end of the handshake are sent only if it succeeds.
    If it fails, the connection is lost with an `OpenSSL.SSL.Error`.

    :param certificates: from `Certificates.to`
    """

    _endpoint: IStreamClientEndpoint
    _certificates: IOpenSSLClientConnectionCreator
    _clock: IReactorTime

    def connect(self, factory: IProtocolFactory) -> Deferred[IProtocol]:
        """Connect to the host. The result fires before the end of the handshake, which may still fail."""
        connected: Any = self._endpoint.connect(Sessions(self._certificates, factory, self._clock, dials=True))
        unwrapped: Deferred[IProtocol] = connected.addCallback(lambda session: session.wrappedProtocol)
        return unwrapped
