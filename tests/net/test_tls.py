"""TLS: what may be in the folder, which versions are spoken, and that nothing about it waits for ever."""

import contextlib
import shutil
from pathlib import Path
from typing import Any

from twisted.internet.address import IPv4Address
from twisted.internet.endpoints import TCP4ServerEndpoint
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.settings import BadOption
from gamehost.testing.memory_host import StrictTransport
from tests.kit.example_game import TOY_WIRE
from tests.kit.memory_host import MemoryHost

try:
    from OpenSSL import SSL

    from gamehost.net.tls import Certificates, TLSEndpoint, read_context
    from tests.kit.process import certificate, new_key, pem_key, write_folder
except ImportError:
    missing: str | None = "needs the extra tls"
else:
    missing = None


class RawTransport(StrictTransport):
    """What Twisted's TLS stands on. It writes an alert after the end, as nobody else may; TCP throws that away."""

    def write(self, data: bytes) -> None:
        if not self.disconnected and not self.aborted:
            super().write(data)


class TLSCase(SynchronousTestCase):
    skip = missing

    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        write_folder(self.folder)
        self.world = MemoryHost(wires=(TOY_WIRE,))
        self.certificates = Certificates(self.folder)
        reactor: Any = MemoryReactorClock()
        endpoint = TLSEndpoint(TCP4ServerEndpoint(reactor, 1), self.certificates, self.world.clock)
        self.successResultOf(endpoint.listen(self.world.factories["toy"]))
        [(_, self.factory, _, _)] = reactor.tcpServers

    def connect(self) -> StrictTransport:
        transport = RawTransport(self.world.clock)
        transport.protocol = self.factory.buildProtocol(IPv4Address("TCP", "192.0.2.1", 1))
        transport.protocol.makeConnection(transport)
        return transport

    def client(self, least: int = 0, most: int = 0) -> "Client":
        context = SSL.Context(SSL.TLS_CLIENT_METHOD)
        context.set_cipher_list(b"ALL:@SECLEVEL=0")
        if least:
            context.set_min_proto_version(least)
            context.set_max_proto_version(most)
        return Client(self.world, self.connect(), SSL.Connection(context, None))


class Client:
    """A client with a connection of OpenSSL's, which moves bytes by hand."""

    def __init__(self, world: MemoryHost, transport: StrictTransport, tls: Any) -> None:
        self.world = world
        self.transport = transport
        self.tls = tls
        tls.set_connect_state()
        self.heard = b""

    def shake_hands(self) -> None:
        """:raises SSL.Error: the other side does not want to"""
        for _ in range(10):
            try:
                self.tls.do_handshake()
            except SSL.WantReadError:
                self.exchange()
            else:
                break
        self.exchange()

    def exchange(self) -> None:
        with contextlib.suppress(SSL.WantReadError):
            self.transport.receive(self.tls.bio_read(65_536))
        self.world.until_idle()
        data = self.transport.read()
        if data:
            self.tls.bio_write(data)
        with contextlib.suppress(SSL.WantReadError, SSL.ZeroReturnError):
            self.heard += self.tls.recv(65_536)

    def ask(self, words: bytes) -> bytes:
        self.tls.send(words)
        self.heard = b""
        self.exchange()
        self.exchange()
        return self.heard


class SpeakingTests(TLSCase):
    def test_a_connection_like_any_other(self) -> None:
        client = self.client()
        client.shake_hands()
        self.assertEqual(client.ask(b"say 3\n"), b"xx\n")
        [connection] = self.world.factories["toy"].connections
        self.assertEqual(connection.address, "192.0.2.1")
        self.assertEqual(len(client.tls.get_peer_cert_chain()), 2)

    def test_a_connection_that_may_not_be_made(self) -> None:
        """If the factory behind it makes no protocol, there is no session, and Twisted closes the connection."""
        self.patch(self.factory.wrappedFactory, "buildProtocol", lambda address: None)
        self.assertIsNone(self.factory.buildProtocol(IPv4Address("TCP", "192.0.2.1", 1)))

    def test_handshakes_are_counted(self) -> None:
        """A connection counts from its first moment on, in all and by its address, before a byte of its handshake."""
        silent = [self.connect() for _ in range(3)]
        limiter = self.world.context.limiter
        self.assertEqual((limiter.count, limiter._addresses["192.0.2.1"].count), (3, 3))
        self.world.wait(10)
        self.world.wait(2)
        self.assertTrue(all(transport.disconnected for transport in silent))
        self.assertEqual(limiter.count, 0)

    def test_versions(self) -> None:
        """1.2 and 1.3 are spoken, 1.1 and 1.0 are not."""
        for version in (SSL.TLS1_2_VERSION, SSL.TLS1_3_VERSION):
            client = self.client(version, version)
            client.shake_hands()
            self.assertEqual(client.ask(b"say 3\n"), b"xx\n")
        for version in (SSL.TLS1_VERSION, SSL.TLS1_1_VERSION):
            client = self.client(version, version)
            self.assertRaises(SSL.Error, client.shake_hands)
            self.world.wait(2)
            self.assertTrue(client.transport.disconnected)

    def test_no_renegotiation(self) -> None:
        """A client that wants a second handshake gets none."""
        client = self.client(SSL.TLS1_2_VERSION, SSL.TLS1_2_VERSION)
        client.shake_hands()
        client.tls.renegotiate()
        with contextlib.suppress(SSL.WantReadError):
            client.tls.do_handshake()
        error = self.assertRaises(SSL.Error, client.exchange)
        self.assertIn("no renegotiation", str(error))

    def test_exchanged_certificate(self) -> None:
        """New connections get the new one, those that are there go on; files that cannot be used change nothing."""
        old = self.client()
        old.shake_hands()
        write_folder(self.folder, serial=8)
        self.certificates.reload()
        (self.folder / "privkey.pem").unlink()
        self.assertRaises(BadOption, self.certificates.reload)
        new = self.client()
        new.shake_hands()
        self.assertEqual([one.tls.get_peer_certificate().get_serial_number() for one in (old, new)], [7, 8])
        self.assertEqual(old.ask(b"say 3\n"), b"xx\n")


class WaitingTests(TLSCase):
    """Whatever never comes is not waited for."""

    def assert_closed_in(self, transport: StrictTransport, seconds: float) -> None:
        self.world.wait(seconds - 0.1)
        self.assertEqual(self.world.context.limiter.count, 1)
        self.assertFalse(transport.disconnected)
        self.world.wait(0.2)
        self.world.wait(2)
        self.assertTrue(transport.disconnected)
        self.assertEqual(self.world.clock.getDelayedCalls(), [])

    def test_hello_that_never_comes(self) -> None:
        """The time to log in counts from the connection, and not from the handshake."""
        self.assert_closed_in(self.connect(), 10)

    def test_handshake_that_stops_in_the_middle(self) -> None:
        """Half a ClientHello is no more than none."""
        client = self.client()
        with contextlib.suppress(SSL.WantReadError):
            client.tls.do_handshake()
        client.transport.receive(client.tls.bio_read(65_536)[:50])
        self.assert_closed_in(client.transport, 10)

    def test_plain_text(self) -> None:
        """Whoever speaks the wire without TLS is closed, and hears nothing of the wire."""
        transport = self.connect()
        transport.receive(b"hi ann\n")
        self.world.wait(2)
        self.assertTrue(transport.disconnected)
        self.assertNotIn(b"ann", transport.read())
        self.assertEqual(len(self.world.lobby.registry), 0)
        self.assertEqual(self.world.clock.getDelayedCalls(), [])

    def test_broken_session_of_a_client_that_does_not_read(self) -> None:
        """What cannot be decrypted ends the connection, though nothing that was said before is taken."""
        client = self.client()
        client.shake_hands()
        client.tls.send(b"say 10000\n")
        client.transport.reads = False
        client.transport.receive(client.tls.bio_read(65_536))
        client.transport.receive(b"no TLS at all")
        self.world.wait(2.1)
        self.assertTrue(client.transport.disconnected)
        self.assertEqual(self.world.clock.getDelayedCalls(), [])

    def test_goodbye_that_is_not_answered(self) -> None:
        client = self.client()
        client.shake_hands()
        client.tls.send(b"go\n")
        client.transport.receive(client.tls.bio_read(65_536))
        self.world.wait(1.9)
        self.assertFalse(client.transport.disconnected)
        self.world.wait(0.2)
        self.assertTrue(client.transport.disconnected)

    def test_nothing_is_heard_after_the_end(self) -> None:
        """What comes in a later chunk, while the session ends, is not heard."""
        client = self.client()
        client.shake_hands()
        client.tls.send(b"go\n")
        client.transport.receive(client.tls.bio_read(65_536))
        client.tls.send(b"hi ann\n")
        client.transport.receive(client.tls.bio_read(65_536))
        self.assertEqual(len(self.world.lobby.registry), 0)


class FolderTests(TLSCase):
    """What is wrong with a folder is said, with the file's name, and nothing of what is in it."""

    def refusal(self) -> str:
        return str(self.assertRaises(BadOption, read_context, self.folder))

    def test_key_that_everybody_can_read(self) -> None:
        (self.folder / "privkey.pem").chmod(0o644)
        self.assertIn("privkey.pem: everybody can read this private key (mode 0644)", self.refusal())
        (self.folder / "privkey.pem").chmod(0o640)
        read_context(self.folder)

    def test_no_folder_and_no_file(self) -> None:
        (self.folder / "privkey.pem").unlink()
        self.assertIn("expected one private key in its .pem files, found 0", self.refusal())
        shutil.rmtree(self.folder)
        self.assertIn(f"{self.folder}: No such file", self.refusal())

    def test_key_of_another_certificate(self) -> None:
        (self.folder / "privkey.pem").write_bytes(pem_key(new_key()))
        self.assertIn("no certificate in its .pem files belongs to the private key", self.refusal())

    def test_two_keys(self) -> None:
        shutil.copy(self.folder / "privkey.pem", self.folder / "again.pem")
        read_context(self.folder)
        (self.folder / "again.pem").write_bytes(pem_key(new_key()))
        self.assertIn("found 2", self.refusal())

    def test_unreadable(self) -> None:
        good = (self.folder / "privkey.pem").read_bytes()
        for name, data in (
            ("privkey.pem", good[:60] + b"????" + good[64:]),
            ("privkey.pem", pem_key(new_key(), b"secret")),
            ("cert.pem", b"-----BEGIN CERTIFICATE-----\nSECRET\n-----END CERTIFICATE-----\n"),
        ):
            with self.subTest(name):
                write_folder(self.folder)
                (self.folder / name).write_bytes(data)
                words = self.refusal()
                self.assertIn(f"{name}: a ", words)
                self.assertNotIn("SECRET", words)

    def test_half_written(self) -> None:
        """A file that ends too early has nothing whole in it, and is named."""
        for name, words in (("cert.pem", "no certificate in its .pem files"), ("privkey.pem", "found 0")):
            write_folder(self.folder)
            for path in self.folder.glob("*chain.pem"):
                path.unlink()
            whole = (self.folder / name).read_bytes()
            (self.folder / name).write_bytes(whole[: len(whole) // 2])
            self.assertIn(words, self.refusal())
            self.assertTrue(self.refusal().endswith(f"; nothing in {name} can be read"), self.refusal())

    def test_renewed_beside_the_old(self) -> None:
        key = new_key()
        (self.folder / "privkey.pem").write_bytes(pem_key(key))
        for name, years, serial in (("a.pem", 10, 1), ("b.pem", 20, 2), ("c.pem", 15, 3)):
            (self.folder / name).write_bytes(certificate("games.example", key, "root", key, years, serial))
        self.certificates.reload()
        client = self.client()
        client.shake_hands()
        self.assertEqual(client.tls.get_peer_certificate().get_serial_number(), 2)
