"""TLS and proxies over real sockets, and a host that may have no memory that is both written and executed."""

import os
import signal
import ssl
import time
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from tests.kit.process import HostProcess, Socket

try:
    from tests.kit.certificates import write_folder
except ImportError:
    write_folder: Any = None  # type: ignore[no-redef]


class EndpointCase(SynchronousTestCase):
    """A host whose wire listens in some other way."""

    def host(self, endpoint: str, module: str = "gamehost") -> HostProcess:
        return HostProcess(f"--onitama={endpoint}", wires=["onitama"], module=module)

    def log_in(self, player: Socket, name: str) -> None:
        player.say(f"LOGIN|{name}")
        self.assertEqual(player.hear(), f"WAITING|{name}")


class TLSTests(EndpointCase):
    """`tls:FOLDER:PORT`."""

    def setUp(self) -> None:
        if write_folder is None:
            raise SkipTest("needs the extra tls")
        self.folder = Path(self.mktemp()).absolute()
        write_folder(self.folder)

    def connect(self, host: HostProcess) -> Socket:
        """A client that takes whatever certificate there is."""
        player = host.connect("onitama")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        player.socket = context.wrap_socket(player.socket)
        return player

    def test_tls_in_a_sandbox(self) -> None:
        """Handshake, log-in, and a certificate that is exchanged at a SIGHUP, where memory cannot become code."""
        host = self.host(f"tls:{self.folder}:0:interface=127.0.0.1", "tests.kit.constrained_hosts.no_executable_memory")
        try:
            host.__enter__()
        except AssertionError:
            host.__exit__(None, None, None)
            if host.process.returncode == 77:
                raise SkipTest("this system cannot forbid it") from None
            raise
        with_certificates = []
        try:
            for serial in (8, 9):
                player: Any = self.connect(host)
                with_certificates.append(player.socket.getpeercert(True))
                self.log_in(player, f"player{serial}")
                write_folder(self.folder, serial)
                os.kill(host.process.pid, signal.SIGHUP)
                time.sleep(0.3)
                player.close()
            self.assertEqual(len(set(with_certificates)), 2)
            self.assertLess(host.stop()[1], 5)
        finally:
            host.__exit__(None, None, None)
        self.assertNotIn("Error", host.log)


class ProxyTests(EndpointCase):
    """`haproxy:tcp:PORT`."""

    def test_behind_a_proxy(self) -> None:
        """What the proxy says of a client is what the log says; a header that never comes ends the connection."""
        with self.host("haproxy:tcp:0:interface=127.0.0.1") as host:
            player = host.connect("onitama")
            player.socket.sendall(b"PROXY TCP4 192.0.2.77 192.0.2.1 4000 8893\r\n")
            self.log_in(player, "ann")
            player.socket.sendall(b"x" * 10_000)
            self.assertTrue(player.hear())
            bare = host.connect("onitama")
            bare.socket.sendall(b"LOGIN|bob\n")
            try:
                answer = bare.hear()
            except ConnectionResetError:
                answer = ""
            self.assertEqual(answer, "")
            host.stop()
        self.assertIn("hung up on '192.0.2.77'", host.log)
        self.assertIn("no PROXY header", host.log)
