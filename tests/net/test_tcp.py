"""TCP connections: which of them send at once, and how much the system keeps for them."""

import socket
from typing import Any

from twisted.internet import tcp, unix
from twisted.internet.protocol import Factory
from twisted.trial.unittest import SynchronousTestCase

from gamehost._twisted import ImmediateServer
from gamehost.net.endpoints import SYSTEM_BUFFER, send_at_once
from tests.test__twisted import NotingReactor


class SendAtOnceTests(SynchronousTestCase):
    """Which ports make such connections."""

    def test_tcp_and_others(self) -> None:
        """TCP ports do; others are left as they are."""
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
