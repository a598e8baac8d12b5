"""The connections between members: what the options may say, what is dialled, and that TLS is checked at both ends."""

import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from twisted.internet.address import IPv4Address
from twisted.internet.endpoints import HostnameEndpoint
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from gamehost.cluster.hop import Hop, read_hop
from gamehost.ops.unix_socket import SocketUnusable
from gamehost.settings import BadOption

try:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
    from OpenSSL import SSL

    from tests.kit.process import certificate, new_key, pem_key, write_folder, write_members
except ImportError:
    missing: str | None = "needs the extra tls"
else:
    missing = None


class End(Protocol):
    """One end of a connection. It says its words at once."""

    def __init__(self, words: bytes = b"") -> None:
        self._words = words
        self.heard = b""
        self.lost: Any = None

    def connectionMade(self) -> None:
        assert self.transport is not None
        self.transport.write(self._words)

    def dataReceived(self, data: bytes) -> None:
        self.heard += data

    def connectionLost(self, reason: Any = None) -> None:
        self.lost = reason.value


class HopCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.reactor: Any = MemoryReactorClock()

    def member(self, listener: str, address: str | None = None, authority: Path | None = None) -> Hop:
        return read_hop(self.reactor, listener, address, authority)

    def address(self, hop: Hop, end: End | None = None) -> str:
        """Have a member listen; what the others dial then."""
        factory = Factory.forProtocol(lambda: end or End())
        return hop.address(self.successResultOf(hop.endpoint.listen(factory)))

    def refusal(self, *options: Any) -> str:
        return str(self.assertRaises(BadOption, self.member, *options))

    def connect(self, hop: Hop, address: str, words: bytes = b"") -> Any:
        """Dial: the factory that makes the client's end, with what was dialled."""
        self.dialling = End(words)
        hop.connect(address).connect(Factory.forProtocol(lambda: self.dialling))
        return (self.reactor.unixClients if address.startswith("unix:") else self.reactor.tcpClients).pop()


class AddressTests(HopCase):
    def test_tcp(self) -> None:
        """Of either family. What the others dial has the port that the system chose."""
        for listener, interface, dialled in (
            ("tcp:10.0.0.1:8990", "10.0.0.1", "tcp:10.0.0.1:8990"),
            ("tcp:[fd00::1]:8990", "fd00::1", "tcp:[fd00::1]:8990"),
        ):
            hop = self.member(listener)
            self.assertEqual(self.address(hop), dialled)
            self.assertEqual(self.reactor.tcpServers[-1][3], interface)
            self.assertEqual(self.connect(hop, dialled)[:2], (interface, 8990))
        chosen: Any = type("Port", (), {"getHost": lambda self: IPv4Address("TCP", "10.0.0.1", 4711)})()
        self.assertEqual(self.member("tcp:10.0.0.1:0").address(chosen), "tcp:10.0.0.1:4711")

    def test_address_for_the_others(self) -> None:
        """It says what they dial if they do not see the listener's own address. It may have a name."""
        hop = self.member("tcp:0.0.0.0:8990", "tcp:a.example.org:9000")
        self.assertEqual(self.address(hop), "tcp:a.example.org:9000")
        self.assertIsInstance(hop.connect("tcp:a.example.org:9000"), HostnameEndpoint)

    def test_all_addresses_of_the_machine(self) -> None:
        for listener in ("tcp:0.0.0.0:8990", "tcp:[::]:8990"):
            self.assertIn("add --cluster-address=", self.refusal(listener))
            self.assertIn("--cluster-address: expected tcp:HOST:PORT", self.refusal("tcp:10.0.0.1:1", listener))

    def test_refused(self) -> None:
        """The message names the option, and shows what was expected."""
        for listener, words in (
            ("", "--cluster: expected tcp:HOST:PORT, tls:FOLDER:HOST:PORT or unix:PATH, such as tcp:10.0.0.1:8990"),
            ("tcp:8990", "got 'tcp:8990'"),
            ("tcp:8990:interface=10.0.0.1", "expected tcp:HOST:PORT"),
            ("tcp:10.0.0.1:65536", "expected tcp:HOST:PORT"),
            ("tcp:a.example.org:8990", "expected an IP address of this machine, got 'a.example.org'"),
            ("tls:10.0.0.1:8990", "expected tcp:HOST:PORT, tls:FOLDER:HOST:PORT"),
            ("unix:here", "--cluster: expected unix: and an absolute path"),
            ("unix:/" + "x" * 103, "of 103 bytes at most"),
        ):
            self.assertIn(words, self.refusal(listener))
        for address in ("tcp:a.example.org:0", "a.example.org", "tls:/folder:a.example.org:1", "tcp:a b:1"):
            self.assertIn("--cluster-address: expected tcp:HOST:PORT", self.refusal("tcp:10.0.0.1:1", address))
        self.assertIn("expected tcp: as in --cluster", self.refusal("tcp:10.0.0.1:1", "tls:a.example.org:1"))

    def test_socket(self) -> None:
        """Members of one machine may use a socket that is for their user alone."""
        hop = self.member("unix:/run/gamehost/a.sock")
        self.assertEqual(self.address(hop), "unix:/run/gamehost/a.sock")
        self.assertEqual(self.reactor.unixServers[-1][3], 0o600)
        self.assertEqual(self.connect(hop, "unix:/run/gamehost/b.sock")[0], "/run/gamehost/b.sock")

    def test_socket_that_is_left_behind(self) -> None:
        """That of a killed process is replaced, and one that is in use is not."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = f"{folder.name}/a.sock"
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(path)
            left.listen()
            self.failureResultOf(self.member(f"unix:{path}").endpoint.listen(Factory()), SocketUnusable)
        self.address(self.member(f"unix:{path}"))
        self.assertFalse(Path(path).exists())


class TLSCase(HopCase):
    skip = missing

    def setUp(self) -> None:
        super().setUp()
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        self.authority = folder / "ca.pem"
        self.one, self.other = folder / "one", folder / "other"
        write_members(self.authority, (self.one, "one.example", "10.0.0.1"), (self.other, "other.example", "10.0.0.2"))

    def members(self) -> tuple[Hop, Hop]:
        return tuple(  # type: ignore[return-value]
            self.member(f"tls:{folder}:{host}:8990", None, self.authority)
            for folder, host in ((self.one, "10.0.0.1"), (self.other, "10.0.0.2"))
        )

    def meet(self, server: Hop, client: Hop) -> tuple[End, End]:
        """Have one member dial the other one, and say something at once. Bytes pass until there are no more."""
        listening = End(b"hello")
        dialled = self.connect(client, self.address(server, listening), b"secret")
        pair = (self.reactor.tcpServers[-1][1], dialled[2])
        ends = [factory.buildProtocol(IPv4Address("TCP", "10.0.0.9", 1)) for factory in pair]
        lines: list[Any] = [StringTransport(), StringTransport()]
        for end, line in zip(ends, lines, strict=True):
            end.makeConnection(line)
        while any(line.value() for line in lines):
            for line, end in zip(lines, reversed(ends), strict=True):
                data = line.value()
                line.clear()
                if data:
                    end.dataReceived(data)
        for end, line in zip(ends, lines, strict=True):
            if line.disconnecting:
                end.connectionLost(None)
        return listening, self.dialling


class TLSTests(TLSCase):
    def test_both_hear_each_other(self) -> None:
        """With certificates for addresses, and for names."""
        one, other = self.members()
        named = self.member(f"tls:{self.one}:10.0.0.1:8990", "tls:one.example:8990", self.authority)
        self.assertEqual(self.address(one), "tls:10.0.0.1:8990")
        for server in (one, named):
            server_end, client_end = self.meet(server, other)
            self.assertEqual((server_end.heard, client_end.heard), (b"secret", b"hello"))

    def assert_secret(self, server: Hop, client: Hop, *words: str) -> End:
        """The member that is dialled hears nothing. The other one knows why."""
        with capturedLogs() as events:
            server_end, client_end = self.meet(server, client)
        self.assertEqual((server_end.heard, client_end.heard), (b"", b""))
        logged = "".join(map(formatEvent, events))
        for word in words:
            self.assertIn(word, str(client_end.lost))
            self.assertIn(word, logged)
        return server_end

    def test_certificate_for_another_host(self) -> None:
        """Its authority is not enough: the secret is not sent."""
        other = self.members()[1]
        for address in ("10.0.0.3", "two.example"):
            wrong = self.member(f"tls:{self.one}:10.0.0.1:8990", f"tls:{address}:8990", self.authority)
            self.assert_secret(wrong, other, f"the certificate is not for {address}")

    def test_certificate_of_another_authority(self) -> None:
        other = self.members()[1]
        write_members(self.authority, (self.one, "one.example", "10.0.0.1"))
        self.assert_secret(self.members()[0], other, "certificate verify failed")

    def test_member_without_a_good_certificate(self) -> None:
        one, _ = self.members()
        stranger = self.one.parent / "stranger"
        elsewhere = self.one.parent / "elsewhere.pem"
        write_members(elsewhere, (stranger, "stranger.example", "10.0.0.3"))
        elsewhere.write_bytes(self.authority.read_bytes())
        client = self.member(f"tls:{stranger}:10.0.0.3:8990", None, elsewhere)
        with capturedLogs() as events:
            server_end, _ = self.meet(one, client)
        self.assertEqual(server_end.heard, b"")
        self.assertIsInstance(server_end.lost, SSL.Error)
        [words] = map(formatEvent, events)
        self.assertRegex(words, r"\Ano TLS with a host that has connected: .*certificate verify failed\Z")

    def test_certificates_that_are_good_for_less(self) -> None:
        """One that is over is for nothing. One for servers alone does not dial, and one for clients alone is not dialled."""
        both = ((self.one, "one.example", "10.0.0.1"), (self.other, "other.example", "10.0.0.2"))
        for facts, word, is_dialled, dials in (
            ({"years": 1}, "certificate verify failed", False, False),
            ({"use": "server"}, "certificate verify failed", True, False),
            ({"use": "client"}, "certificate verify failed", False, True),
        ):
            write_members(self.authority, *both, **facts)
            for server, client, good in ((*self.members(), is_dialled), (*self.members()[::-1], dials)):
                with capturedLogs() as events:
                    server_end, _ = self.meet(server, client)
                logged = "".join(map(formatEvent, events))
                self.assertEqual((server_end.heard, word in logged), (b"secret", False) if good else (b"", True), facts)

    def test_a_certificate_as_its_own_authority(self) -> None:
        """That of a member signs no others: who has its key cannot make members."""
        one, _ = self.members()
        rogue = self.one.parent / "rogue"
        rogue.mkdir()
        made, key = new_key(), self.one / "privkey.pem"
        issuer = load_pem_private_key(key.read_bytes(), None)
        signed = certificate("rogue.example", made, "one.example", issuer, address="10.0.0.3")
        (rogue / "cert.pem").write_bytes(signed + (self.one / "cert.pem").read_bytes())
        (rogue / "privkey.pem").write_bytes(pem_key(made))
        (rogue / "privkey.pem").chmod(0o600)
        client = self.member(f"tls:{rogue}:10.0.0.3:8990", None, self.authority)
        with capturedLogs() as events:
            server_end, _ = self.meet(one, client)
        self.assertEqual(server_end.heard, b"")
        self.assertIn("certificate verify failed", "".join(map(formatEvent, events)))

    def test_no_downgrade(self) -> None:
        """A member with TLS dials nobody without it, nor the other way round; a socket of the machine is no network."""
        one, _ = self.members()
        plain = self.member("tcp:10.0.0.3:8990")
        refused = self.assertRaises(BadOption, one.connect, "tcp:10.0.0.3:8990")
        self.assertIn("this member uses TLS, and the other one does not", str(refused))
        refused = self.assertRaises(BadOption, plain.connect, "tls:10.0.0.1:8990")
        self.assertIn("the other member uses TLS, and this one does not", str(refused))
        one.connect("unix:/run/gamehost/b.sock")

    def test_new_certificates(self) -> None:
        """They are read at a SIGHUP, for both directions."""
        reloads: list[Callable[[], None]] = []
        listener = f"tls:{self.one}:10.0.0.1:8990"
        one = read_hop(self.reactor, listener, None, self.authority, reloads.append)
        write_members(self.authority, (self.one, "one.example", "10.0.0.1"), (self.other, "other.example", "10.0.0.2"))
        other = self.members()[1]
        self.assert_secret(one, other, "certificate verify failed")
        [reload] = reloads
        reload()
        for server, client in ((one, other), (other, one)):
            self.assertEqual(self.meet(server, client)[0].heard, b"secret")

    def test_refused(self) -> None:
        """Files that cannot be used, and options that do not fit."""
        listener = f"tls:{self.one}:10.0.0.1:8990"
        self.assertIn("--cluster: tls: needs --cluster-ca=FILE", self.refusal(listener))
        self.assertIn("--cluster-ca is for TLS", self.refusal("tcp:10.0.0.1:8990", None, self.authority))
        self.assertIn("ca.pem: No such file", self.refusal(listener, None, Path("/nowhere/ca.pem")))
        key = self.one / "privkey.pem"
        self.assertIn("privkey.pem: expected certificates in PEM", self.refusal(listener, None, key))
        self.assertIn("/nowhere: No such file", self.refusal("tls:/nowhere:10.0.0.1:8990", None, self.authority))
        write_folder(self.other)
        (self.other / "cert.pem").unlink()
        (self.other / "fullchain.pem").unlink()
        message = self.refusal(f"tls:{self.other}:10.0.0.1:8990", None, self.authority)
        self.assertIn("--cluster: ", message)
        self.assertIn("no certificate in its .pem files belongs to the private key", message)

    def test_without_the_extra(self) -> None:
        modules: dict[str, Any] = sys.modules
        self.addCleanup(modules.__setitem__, "gamehost.net.tls", modules["gamehost.net.tls"])
        modules["gamehost.net.tls"] = None
        message = self.refusal(f"tls:{self.one}:10.0.0.1:8990", None, self.authority)
        self.assertEqual(message, "--cluster: tls: needs pyOpenSSL; install gamehost[tls]")
