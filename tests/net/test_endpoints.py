"""Endpoint strings: Twisted's, with room for a rush, and the two that are ours."""

import os
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

from twisted.internet import tcp, unix
from twisted.internet.address import IPv4Address
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from gamehost._twisted import ImmediateServer
from gamehost.net.endpoints import SYSTEM_BUFFER, Endpoints, ProxiedFactory, proxy_network, send_at_once
from gamehost.ops import LONGEST_PATH, SocketUnusable, peer_user, remove_stale, short_path
from gamehost.settings import BadOption
from tests.test__twisted import NotingReactor

try:
    from tests.kit.process import write_folder
except ImportError:
    missing: str | None = "needs the extra tls"
else:
    missing = None


class EndpointsCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.reactor: Any = MemoryReactorClock()
        self.endpoints = Endpoints(self.reactor)

    def listen(self, description: str) -> Any:
        factory = Factory.forProtocol(Protocol)
        self.successResultOf(self.endpoints.make(description).listen(factory))
        return (self.reactor.tcpServers or self.reactor.unixServers)[-1][1]

    def refusal(self, description: str) -> str:
        return str(self.assertRaises(BadOption, self.endpoints.make, description))


class PlainTests(EndpointsCase):
    def test_backlog(self) -> None:
        for description, backlog in (
            ("tcp:1", 4096),
            ("tcp:1:interface=127.0.0.1", 4096),
            ("tcp6:1", 4096),
            ("tcp:1:backlog=7", 7),
            ("haproxy:tcp:1", 4096),
        ):
            self.listen(description)
            self.assertEqual(self.reactor.tcpServers[-1][2], backlog, description)

    def test_refused(self) -> None:
        """What is no endpoint is said to be none, in words that show one, and never as an error of another kind."""
        for description in (
            "nonsense",
            "tcp:",
            "tcp:many",
            "tcp:1:2:3",
            "tcp:1:colour=red",
            "haproxy:",
            "haproxy:nonsense",
            "ssl:1:privateKey=nowhere.pem",
            "systemd:domain=INET",
            "unknown:1",
        ):
            self.assertTrue(self.refusal(description).startswith("expected one such as tcp:8893, "), description)


class ProxyTests(EndpointsCase):
    def test_proxies_that_are_trusted(self) -> None:
        """This machine, or who the options name; Twisted's, which trusts everybody, is not used."""
        factory = self.listen("haproxy:tcp:1")
        self.assertIsInstance(factory, ProxiedFactory)
        self.assertIsNone(factory.buildProtocol(IPv4Address("TCP", "192.0.2.1", 1)))
        self.endpoints = Endpoints(self.reactor, [proxy_network("", "192.0.2.0/24")])
        factory = self.listen("haproxy:tcp:1")
        self.assertIsNotNone(factory.buildProtocol(IPv4Address("TCP", "192.0.2.1", 1)))
        self.assertIsNone(factory.buildProtocol(IPv4Address("TCP", "127.0.0.1", 1)))

    def test_sockets_in_the_file_system(self) -> None:
        self.assertIsInstance(self.listen(f"haproxy:unix:{self.mktemp()}"), ProxiedFactory)

    def test_tls_is_the_proxys(self) -> None:
        """A header within TLS is nothing that a proxy sends."""
        self.assertIn("let the proxy do TLS", self.refusal("haproxy:tls:/etc/keys:1"))


class TLSTests(EndpointsCase):
    skip = missing

    def test_folder_and_port(self) -> None:
        folder = Path(self.mktemp()).absolute()
        write_folder(folder)
        for more, interface, backlog in (
            ("", "::", 4096),
            (":interface=127.0.0.1", "127.0.0.1", 4096),
            ("\\:\\:1".join((":interface=", ":backlog=5")), "::1", 5),
        ):
            factory = self.listen(f"tls:{folder}:8893{more}")
            port, _, got, where = self.reactor.tcpServers[-1]
            self.assertEqual((port, got, where), (8893, backlog, interface))
            self.assertIsNotNone(factory.buildProtocol(IPv4Address("TCP", "192.0.2.1", 1)))
        self.assertEqual(len(self.endpoints.reloads), 3)
        for reload in self.endpoints.reloads:
            reload()

    def test_refused(self) -> None:
        folder = Path(self.mktemp()).absolute()
        write_folder(folder)
        for description, words in (
            ("tls:/nowhere:1", "/nowhere: No such file"),
            (f"tls:{folder}:https", "the port: expected a whole number"),
            (f"tls:{folder}:1:privateKey=x", "privateKey: unknown setting"),
            (f"tls:{folder}", "expected tls:FOLDER:PORT"),
            ("tls:", "expected tls:FOLDER:PORT"),
        ):
            self.assertIn(words, self.refusal(description))

    def test_a_host_without_the_extra_says_what_to_install(self) -> None:
        modules: dict[str, Any] = sys.modules
        name = "gamehost.net.tls"
        if name in modules:
            self.addCleanup(modules.__setitem__, name, modules[name])
        else:
            self.addCleanup(modules.pop, name)
        modules[name] = None
        self.assertIn("pip install 'Twisted[tls]'", self.refusal("tls:/etc/keys:1"))


# TCP connections: which of them send at once, and how much the system keeps for them.


class SendAtOnceTests(SynchronousTestCase):
    def test_tcp_and_others(self) -> None:
        reactor: Any = NotingReactor()
        tcp_port: Any = tcp.Port(0, Factory(), reactor=reactor)
        unix_port: Any = unix.Port(b"unused", Factory(), reactor=reactor)
        tcp_port.socket = socket.socket()
        self.addCleanup(tcp_port.socket.close)
        for port in (tcp_port, unix_port):
            send_at_once(port)
        self.assertIs(tcp_port.transport, ImmediateServer)
        self.assertIs(unix_port.transport, unix.Server)
        self.assertIs(tcp.Port.transport, tcp.Server)

    def test_the_system_keeps_little(self) -> None:
        """What it keeps of who does not read, and takes from who floods, is bounded for every connection accepted."""
        with socket.socket() as listening, socket.socket() as client:
            listening.bind(("127.0.0.1", 0))
            listening.listen()
            port: Any = tcp.Port(0, Factory(), reactor=NotingReactor())
            port.socket = listening
            send_at_once(port)
            client.connect(listening.getsockname())
            accepted, _ = listening.accept()
            with accepted:
                for buffer in (socket.SO_SNDBUF, socket.SO_RCVBUF):
                    self.assertLessEqual(accepted.getsockopt(socket.SOL_SOCKET, buffer), 2 * SYSTEM_BUFFER)


# Sockets in the file system.


class PathTests(SynchronousTestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_short_path_stays_as_it_is(self) -> None:
        with short_path(Path("a/b")) as short:
            self.assertEqual(short, "a/b")

    def test_server_and_client_meet_at_a_long_path(self) -> None:
        folder = self.folder / ("long" * 30)
        folder.mkdir()
        with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
            with short_path(folder / "socket") as short:
                self.assertLessEqual(len(os.fsencode(short)), LONGEST_PATH)
                server.bind(short)
            server.listen()
            with short_path(folder / "socket") as short:
                client.connect(short)
        self.assertTrue((folder / "socket").is_socket())

    def test_long_name(self) -> None:
        with self.assertRaises(SocketUnusable) as caught, short_path(self.folder / ("long" * 30)):
            pass
        self.assertIn("103 bytes at most", str(caught.exception))

    def test_stale_socket(self) -> None:
        path = str(self.folder / "socket")
        remove_stale(path)
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path)
            one.listen()
            error = self.assertRaises(SocketUnusable, remove_stale, path)
            self.assertIn("another process listens there", str(error))
        remove_stale(path)
        self.assertFalse(os.path.exists(path))
        Path(path).write_text("")
        self.assertIn("no socket", str(self.assertRaises(SocketUnusable, remove_stale, path)))


class PeerTests(SynchronousTestCase):
    def test_this_process(self) -> None:
        one, other = socket.socketpair()
        with one, other:
            self.assertEqual(peer_user(one), os.geteuid())
