"""What connections cost: those that say nothing, those that read nothing, and those that are not there any more."""

import socket
import tracemalloc
from typing import Any

from twisted.internet import tcp
from twisted.internet.address import IPv4Address
from twisted.internet.protocol import Factory
from twisted.trial.unittest import SynchronousTestCase

from gamehost._twisted import ImmediateServer
from gamehost.net.endpoints import send_at_once
from gamehost.testing.transport import BUFFER, StrictTransport
from tests.kit.example_game import TOY_WIRE
from tests.kit.memory_host import MemoryHost
from tests.test__twisted import NotingReactor


class SocketTransport(StrictTransport):
    """A transport with a socket of the system's."""

    def __init__(self, world: MemoryHost) -> None:
        super().__init__(world.clock)
        self.socket = socket.socket()

    def getHandle(self) -> socket.socket:
        """As Twisted's TCP transport has it."""
        return self.socket


class Layer(StrictTransport):
    """A transport above another one, as TLS is; its own handle is no socket."""

    def __init__(self, world: MemoryHost, below: SocketTransport) -> None:
        super().__init__(world.clock)
        self.transport = below

    def getHandle(self) -> object:
        """OpenSSL's, say."""
        return object()


class CostTests(SynchronousTestCase):
    """Memory, and time."""

    def test_silent_connection(self) -> None:
        """Row 9: one that has not logged in costs at most 10 KiB, the test's own end included."""
        world = MemoryHost({"limits.unlimited": "yes"}, wires=(TOY_WIRE,))
        world.connect("toy").say("hi ann")
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            clients = [world.connect("toy") for _ in range(200)]
            after, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        self.assertLess((after - before) / len(clients), 10_240)

    def test_clients_that_never_read(self) -> None:
        """Row 13: none has more than 128 KiB and a message waiting: a thousand have 128 MiB; all are cut off."""
        world = MemoryHost({"limits.unlimited": "yes"}, wires=(TOY_WIRE,))
        clients = [world.connect("toy") for _ in range(10)]
        most = 0
        for client in clients:
            client.transport.reads = False
            for _ in range(1_000):
                if client.transport.aborted:
                    break
                client.say("say 1000")
                client.protocol.say("x" * 1000)
                waiting = client.transport.queued + client.protocol.output.pending_bytes
                most = max(most, waiting)
        self.assertGreater(most, BUFFER)
        self.assertLessEqual(most, 128 * 1024 + 1000)
        world.wait(0)
        self.assertTrue(all(client.closed for client in clients))
        self.assertEqual(world.context.limiter.count, 0)

    def test_first_byte_that_is_not_taken(self) -> None:
        """Row 12: over real sockets the ten seconds begin when the system is full, and no more is asked for then."""
        world = MemoryHost({"limits.unlimited": "yes", "limits.login_seconds": "1000"}, wires=(TOY_WIRE,))
        reactor: Any = NotingReactor()
        reactor.callLater = world.clock.callLater
        port: Any = tcp.Port(0, Factory(), reactor=reactor)
        port._realPortNumber = 0
        port.socket = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(port.socket.close)
        send_at_once(port)
        theirs = socket.socket()
        self.addCleanup(theirs.close)
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        theirs.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        theirs.connect(port.socket.getsockname())
        ours, _ = port.socket.accept()
        ours.setblocking(False)
        protocol = world.factories["toy"].buildProtocol(IPv4Address("TCP", "192.0.2.1", 1))
        assert protocol is not None
        server = ImmediateServer(ours, protocol, ("192.0.2.1", 1), port, 0, reactor)
        protocol.makeConnection(server)
        asked = 0
        while server in reactor.readers and asked < 1_000:
            theirs.sendall(b"say 1000\n")
            server.doRead()
            world.wait(0.01)
            asked += 1
        self.assertLess(len(server.dataBuffer) + server._tempDataLen, 2_000)
        world.wait(9.8)
        self.assertIn(server, reactor.writers)
        world.wait(0.3)
        self.assertTrue(server.disconnected)

    def test_other_side_that_is_gone(self) -> None:
        """Row 14: a pulled cable is found within 35 seconds, idle or with words on their way; under TLS as well."""
        world = MemoryHost(wires=(TOY_WIRE,))
        for layered in (False, True):
            below = SocketTransport(world)
            transport: Any = Layer(world, below) if layered else below
            transport.protocol = world.factories["toy"].buildProtocol(IPv4Address("TCP", "192.0.2.1", 1))
            transport.protocol.makeConnection(transport)
            self.addCleanup(below.socket.close)
            idle, every, tries, unanswered = (
                below.socket.getsockopt(socket.IPPROTO_TCP, option)
                for option in (
                    socket.TCP_KEEPIDLE,
                    socket.TCP_KEEPINTVL,
                    socket.TCP_KEEPCNT,
                    socket.TCP_USER_TIMEOUT,
                )
            )
            self.assertLessEqual(idle + every * tries, 35)
            self.assertTrue(0 < unanswered <= 35_000)
