"""
Listening with TLS: versions 1.2 and 1.3, no renegotiation, and certificates that can be exchanged while the host runs.

A folder contains one private key, its certificate and the intermediate certificates, in any number of `.pem` files.
They are read at the start and at a SIGHUP. At a SIGHUP, unusable files change nothing. TLS needs the extra `tls`. It
needs no memory that is both writable and executable, so a sandbox may forbid such memory.

With an authority, both ends show a certificate, and each checks that of the other.
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

#: Seconds for the client of a broken session to read what was sent before.
BROKEN_SECONDS = 2.0

#: For version 1.2; all of 1.3's are good.
CIPHERS = b"ECDHE+AESGCM:ECDHE+CHACHA20"

_BLOCK = re.compile(rb"-----BEGIN ([A-Z ]+)-----.+?-----END \1-----", re.DOTALL)


def read_context(folder: Path, authority: Path | None = None) -> Any:
    """
    The OpenSSL context for new connections.

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
                keys[_public(key)] = key
            elif kind == b"CERTIFICATE":
                certificates[block] = crypto.load_certificate(crypto.FILETYPE_PEM, block)
        except (crypto.Error, UnsupportedAlgorithm, ValueError, TypeError) as error:
            if isinstance(error, BadOption):
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
    :raises BadOption: the file cannot be read, or has no certificate
    """
    try:
        authority.read_bytes()  # because OpenSSL does not say what is wrong with a file
        context.load_verify_locations(str(authority))
    except OSError as error:
        raise BadOption(f"{authority}: {error.strerror or error}") from None
    except SSL.Error:
        raise BadOption(f"{authority}: expected certificates in PEM, found none that can be read") from None
    context.set_verify(SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT)


def _context(key: Any, leaf: Any, chain: Iterable[Any]) -> Any:
    context = SSL.Context(SSL.TLS_METHOD)
    context.set_min_proto_version(SSL.TLS1_2_VERSION)
    context.set_cipher_list(CIPHERS)
    context.set_options(
        SSL.OP_NO_RENEGOTIATION | SSL.OP_NO_COMPRESSION | SSL.OP_NO_TICKET | SSL.OP_CIPHER_SERVER_PREFERENCE
    )
    # An idle connection gives its buffers back.
    context.set_mode(SSL.MODE_RELEASE_BUFFERS)
    context.set_session_cache_mode(SSL.SESS_CACHE_OFF)
    context.use_privatekey(key)
    context.use_certificate(leaf)
    for certificate in chain:
        context.add_extra_chain_cert(certificate)
    return context


def _blocks(folder: Path) -> Iterator[tuple[Path, bytes, bytes]]:
    """File, kind and text of everything in the `.pem` files."""
    try:
        for path in sorted(folder.iterdir()):
            if path.suffix == ".pem":
                for block in _BLOCK.finditer(path.read_bytes()):
                    yield path, block[1], block[0] + b"\n"
    except OSError as error:
        raise BadOption(f"{error.filename or folder}: {error.strerror or error}") from None


def _torn(folder: Path) -> str:
    """The `.pem` files without a whole key or certificate, such as half-written ones; as the end of a sentence."""
    torn = [path.name for path in sorted(folder.glob("*.pem")) if not _BLOCK.search(path.read_bytes())]
    return f"; nothing in {', '.join(torn)} can be read" if torn else ""


def _refuse_open_key(path: Path) -> None:
    mode = path.stat().st_mode & 0o777
    if mode & 0o007:
        raise BadOption(f"{path}: everybody can read this private key (mode {mode:04o}); chmod 600 it")


def _public(key: Any) -> bytes:
    public: bytes = crypto.dump_publickey(crypto.FILETYPE_PEM, key)
    return public


def _chain(leaf: Any, certificates: Iterable[Any]) -> list[Any]:
    """The intermediate certificates of a leaf, in order, without the root certificate."""
    by_subject = {one.get_subject().der(): one for one in certificates if one.get_subject() != one.get_issuer()}
    chain: list[Any] = []
    one = by_subject.get(leaf.get_issuer().der())
    while one is not None and one not in chain and one is not leaf:
        chain.append(one)
        one = by_subject.get(one.get_issuer().der())
    return chain


@implementer(IOpenSSLServerConnectionCreator)
class Certificates:
    """
    The certificate of one listener.

    :param authority: as for `read_context`
    :raises BadOption: as `read_context`
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
        The creator of connections to a host. The certificate of that host must be for this name or address, and from
        the authority.
        """
        return _Dialled(self, host)


class _CheckedConnection(SSL.Connection):  # type: ignore[misc]
    """
    A connection of two hosts that check each other. The log gives the reason of a failed handshake; the other host does
    not receive it.

    Twisted's own check of a name needs a callback in OpenSSL, and so memory that can be both written and executed.

    :param host: the name or address that the other certificate must be for; empty: any name, because the other end has
        opened the connection
    """

    log = Logger()

    def __init__(self, context: Any, host: str) -> None:
        super().__init__(context, None)
        self._host = host
        self._is_address = isIPAddress(host) or isIPv6Address(host)
        if host and not self._is_address:
            self.set_tlsext_host_name(host.encode("ascii"))

    def do_handshake(self) -> None:
        """:raises SSL.Error: the handshake has failed"""
        try:
            super().do_handshake()
            if self._host:
                self._check_host()
        except SSL.WantReadError:
            raise
        except SSL.Error as error:
            why = "; ".join(reason for _, _, reason in error.args[0]) if error.args else "the connection was closed"
            self.log.warn("no TLS with {host}: {why}", host=self._host or "a host that has connected", why=why)
            raise

    def _check_host(self) -> None:
        verify: Any = verify_ip_address if self._is_address else verify_hostname
        try:
            verify(self, self._host)
        except (VerificationError, CertificateError) as error:
            raise SSL.Error([("", "", f"the certificate is not for {self._host}")]) from error


@implementer(IOpenSSLClientConnectionCreator)
@define(eq=False)
class _Dialled:
    """Makes connections to one host."""

    _certificates: Certificates
    _host: str

    def clientConnectionForTLS(self, protocol: TLSMemoryBIOProtocol) -> Any:
        return _CheckedConnection(self._certificates.context, self._host)


class TlsSession(TLSMemoryBIOProtocol):
    """
    One connection's TLS, which ends when it is broken.

    Twisted's own class only asks the transport to close. If the other end does not read, the transport may never close.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._end = Timer()

    def dataReceived(self, data: bytes) -> None:
        """Decrypt. If the session is broken, give the other end a few seconds, then close."""
        super().dataReceived(data)
        transport: Any = self.transport
        if not self._end and transport.disconnecting:
            made_by: Any = self.factory
            self._end.set(made_by.clock, BROKEN_SECONDS, transport.abortConnection)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._end.stop()
        super().connectionLost(reason)


class Sessions(TLSMemoryBIOFactory):
    """Wraps another factory: each connection has its own TLS session."""

    protocol = TlsSession
    noisy = False

    def __init__(
        self,
        certificates: IOpenSSLServerConnectionCreator | IOpenSSLClientConnectionCreator,
        factory: IProtocolFactory,
        clock: IReactorTime,
        dials: bool = False,
    ) -> None:
        super().__init__(certificates, dials, factory, clock=clock)
        self.clock = clock

    def buildProtocol(self, addr: Any) -> Any:
        """A session for a new connection; `None`: there are too many, and Twisted closes it."""
        protocol = self.wrappedFactory.buildProtocol(addr)
        return None if protocol is None else self.protocol(self, protocol)


@implementer(IStreamServerEndpoint)
@define(eq=False)
class TLSEndpoint:
    """An endpoint with TLS."""

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
    Dials with TLS. Bytes that are written before the handshake are sent only if the handshake succeeds. If it fails,
    the connection is lost with an `OpenSSL.SSL.Error`.

    :param certificates: of `Certificates.to`
    """

    _endpoint: IStreamClientEndpoint
    _certificates: IOpenSSLClientConnectionCreator
    _clock: IReactorTime

    def connect(self, factory: IProtocolFactory) -> Deferred[IProtocol]:
        """Connect. The result is there before the handshake is over."""
        connected: Any = self._endpoint.connect(Sessions(self._certificates, factory, self._clock, dials=True))
        unwrapped: Deferred[IProtocol] = connected.addCallback(lambda session: session.wrappedProtocol)
        return unwrapped
