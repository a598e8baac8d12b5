"""Connections that send at once: over a real pair of sockets, with a reactor that only notes who waits for what."""

import socket
from typing import Any

from twisted.internet import tcp, unix
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.interfaces import IPushProducer
from twisted.internet.protocol import Factory, Protocol
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

from gamehost.net.tcp import SYSTEM_BUFFER, ImmediateServer, send_at_once


class NotingReactor:
    """Who wants to be told what."""

    def __init__(self) -> None:
        self.readers: set[Any] = set()
        self.writers: set[Any] = set()

    def addReader(self, reader: Any) -> None:
        self.readers.add(reader)

    def removeReader(self, reader: Any) -> None:
        self.readers.discard(reader)

    def addWriter(self, writer: Any) -> None:
        self.writers.add(writer)

    def removeWriter(self, writer: Any) -> None:
        self.writers.discard(writer)


class EagerServerTests(SynchronousTestCase):
    """What is written goes to the system at once, in order, and never twice."""

    def setUp(self) -> None:
        ours, self.theirs = socket.socketpair()
        self.addCleanup(self.theirs.close)
        self.addCleanup(ours.close)
        ours.setblocking(False)
        self.theirs.setblocking(False)
        reactor: Any = NotingReactor()
        self.reactor = reactor
        port: Any = tcp.Port(0, Factory(), reactor=reactor)
        port._realPortNumber = 0
        self.server = ImmediateServer(ours, Protocol(), ("127.0.0.1", 0), port, 0, reactor)

    def heard(self) -> bytes:
        data = b""
        try:
            while piece := self.theirs.recv(1 << 20):
                data += piece
        except BlockingIOError:
            pass
        return data

    def test_at_once(self) -> None:
        """A message is sent before `write` returns, and the reactor has nothing to do."""
        for message in (b"one\n", b"two\n"):
            self.server.write(message)
            self.assertEqual(self.heard(), message)
        self.assertEqual(self.reactor.writers, set())

    def test_what_does_not_fit_is_queued_in_order(self) -> None:
        """What the system does not take at once, and all that is written behind it, comes later and in order."""
        much = bytes(range(256)) * 16_384
        self.server.write(much)
        self.assertEqual(self.reactor.writers, {self.server})
        data = self.heard()
        self.server.write(b"behind")  # there would be room for it now
        while self.server in self.reactor.writers:
            self.server.doWrite()
            data += self.heard()
        self.assertEqual(data, much + b"behind")
        self.server.write(b"and on")
        self.assertEqual(self.heard(), b"and on")

    def test_a_connection_that_is_lost(self) -> None:
        """A failed send is found by the reactor, in its own turn: `write` raises nothing and ends nothing."""
        self.theirs.close()
        self.server.write(b"anybody?")
        self.assertEqual(self.reactor.writers, {self.server})
        self.assertIsInstance(self.server.doWrite(), ConnectionLost)

    def test_last_words(self) -> None:
        """What was written before a close is sent, and nothing written after it overtakes the close."""
        self.server.write(b"bye")
        self.server.loseConnection()
        self.server.write(b", late")
        self.assertEqual(self.heard(), b"bye")
        while (ended := self.server.doWrite()) is None:
            pass
        self.assertIsInstance(ended, ConnectionDone)
        self.assertEqual(self.heard(), b", late")

    def test_producer_hears_at_once_of_what_is_left(self) -> None:
        """What the system does not take is the first that a client has not read: the producer pauses until it has."""
        told: list[str] = []

        @implementer(IPushProducer)
        class Producer:
            def pauseProducing(self) -> None:
                told.append("pause")

            def resumeProducing(self) -> None:
                told.append("resume")

            def stopProducing(self) -> None:
                told.append("stop")

        self.server.registerProducer(Producer(), True)
        self.server.write(b"one\n")
        self.assertEqual(told, [])
        while not self.reactor.writers:
            self.server.write(b"x" * 4_096)
        self.server.write(b"behind\n")
        self.assertEqual(told, ["pause"])
        while self.server in self.reactor.writers:
            self.heard()
            self.server.doWrite()
        self.assertEqual(told, ["pause", "resume"])


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
