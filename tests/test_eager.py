"""Connections that send at once: over a real pair of sockets, with a reactor that only notes who waits for what."""

import socket
from typing import Any

from twisted.internet import tcp, unix
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.protocol import Factory, Protocol
from twisted.trial.unittest import SynchronousTestCase

from gamehost.eager import EagerServer, send_at_once


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
        self.server = EagerServer(ours, Protocol(), ("127.0.0.1", 0), port, 0, reactor)

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


class SendAtOnceTests(SynchronousTestCase):
    """Which ports make such connections."""

    def test_tcp_and_others(self) -> None:
        """TCP ports do; others are left as they are."""
        reactor: Any = NotingReactor()
        tcp_port: Any = tcp.Port(0, Factory(), reactor=reactor)
        unix_port: Any = unix.Port(b"unused", Factory(), reactor=reactor)
        for port in (tcp_port, unix_port):
            send_at_once(port)
        self.assertIs(tcp_port.transport, EagerServer)
        self.assertIs(unix_port.transport, unix.Server)
        self.assertIs(tcp.Port.transport, tcp.Server)
