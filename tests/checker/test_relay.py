"""The relay: all bytes pass unchanged, in both directions, and the end of one side is the end of the other."""

from typing import Any

from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import ConnectionRefusedError
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker.base import Cut
from gamehost.checker.relay import MOST_UNREAD, QUIET, Fault, RelayedConnection
from gamehost.players.base import SeededChance
from gamehost.settings import BadOption
from gamehost.testing.transport import StrictTransport
from tests.checker.test_trace import trace_of

NO_FAULT = Fault()


class Server:
    """An endpoint in memory."""

    def __init__(self, clock: Clock, refuses: bool = False) -> None:
        self._refuses = refuses
        self.transport = StrictTransport(clock, "192.0.2.9")

    def connect(self, factory: Any) -> Deferred[Any]:
        """Connect at once, or refuse."""
        if self._refuses:
            return fail(ConnectionRefusedError())
        protocol = factory.buildProtocol(None)
        self.transport.protocol = protocol
        protocol.makeConnection(self.transport)
        return succeed(protocol)


class RelayTests(SynchronousTestCase):
    """One connection in memory."""

    def setUp(self) -> None:
        self.clock = Clock()

    def connected(self, fault: Fault = NO_FAULT, refuses: bool = False) -> Server:
        """A client and a server with a relay between them."""
        self.trace, self.lines = trace_of("onitama")
        relayed = RelayedConnection(self.clock, self.trace, fault, SeededChance(1))
        self.client = StrictTransport(self.clock)
        self.client.protocol = relayed.client
        relayed.client.makeConnection(self.client)
        server = Server(self.clock, refuses)
        relayed.connect(server)
        return server

    def test_both_directions(self) -> None:
        """Bytes that are no message pass, too."""
        server = self.connected()
        self.client.receive(b"LOGIN|ann\n\xff\xfe")
        server.transport.receive(b"WAITING|ann\nwhatever\n")
        self.assertEqual(server.transport.read(), b"LOGIN|ann\n\xff\xfe")
        self.assertEqual(self.client.read(), b"WAITING|ann\nwhatever\n")
        self.clock.pump([QUIET, 0, 0])
        self.assertEqual([line.text for line in self.lines][:2], ["LOGIN|ann", "WAITING|ann"])

    def test_bytes_pass_before_they_are_read(self) -> None:
        """The trace costs a message nothing, and no answer waits for it either."""
        server = self.connected()
        self.client.receive(b"LOGIN|ann\n")
        self.assertEqual((server.transport.read(), self.lines), (b"LOGIN|ann\n", []))
        self.clock.advance(QUIET / 2)
        server.transport.receive(b"WAITING|ann\n")
        self.assertEqual((self.client.read(), self.lines), (b"WAITING|ann\n", []))
        self.clock.advance(QUIET / 2)
        self.assertEqual(self.lines, [])
        self.clock.pump([QUIET / 2, 0])
        self.assertEqual([line.text for line in self.lines], ["LOGIN|ann", "WAITING|ann"])

    def test_a_busy_line_is_read_in_time(self) -> None:
        """And what has passed has the time at which it passed."""
        server = self.connected()
        for number in range(100):
            server.transport.receive(b"WAITING|ann%d\n" % number)
            self.clock.advance(QUIET / 2)
        self.assertGreater(len(self.lines), 0)
        self.assertLess(len(self.lines), 100)
        for _ in range(10 * MOST_UNREAD):
            server.transport.receive(b"WAITING|ann\n")
        self.assertGreater(len(self.lines), 9 * MOST_UNREAD)

    def test_the_end_of_the_server(self) -> None:
        """The client's connection is closed."""
        server = self.connected()
        server.transport.receive(b"GAME_OVER|ann\n")
        server.transport.hang_up()
        self.clock.pump([0, 0, 0, 0])
        self.assertEqual(self.client.read(), b"GAME_OVER|ann\n")
        self.assertTrue(self.client.disconnected)
        self.assertEqual(self.lines[-1].meaning, "the server has closed the connection")

    def test_the_end_of_the_client(self) -> None:
        """The server's connection is closed."""
        server = self.connected()
        self.client.hang_up()
        self.clock.pump([0, 0, 0, 0])
        self.assertTrue(server.transport.disconnected)

    def test_no_server(self) -> None:
        """The client's connection is closed, and the trace says why."""
        self.connected(refuses=True)
        self.clock.pump([0, 0])
        self.assertTrue(self.client.disconnected)
        self.assertIn("cannot be reached", self.lines[-1].meaning)

    def test_faults(self) -> None:
        """Late, in other segments, or not at all."""
        server = self.connected(Fault(delay=0.5))
        self.client.receive(b"LOGIN|ann\n")
        self.assertEqual(server.transport.read(), b"")
        self.clock.advance(0.5)
        self.assertEqual(server.transport.read(), b"LOGIN|ann\n")
        server = self.connected(Fault(Cut.RANDOM))
        self.client.receive(b"x" * 1000)
        self.clock.pump([0.001] * 500)
        self.assertEqual(server.transport.read(), b"x" * 1000)
        server = self.connected(Fault(drop=1.0))
        self.client.receive(b"LOGIN|ann\n")
        self.clock.pump([0, 0])
        self.assertTrue(server.transport.aborted and self.client.aborted)

    def test_faults_as_they_are_typed(self) -> None:
        """And what else was typed."""
        self.assertEqual(Fault.read("cut"), Fault(Cut.RANDOM))
        self.assertEqual(Fault.read("join"), Fault(Cut.JOINED))
        self.assertEqual(Fault.read("delay=20"), Fault(delay=0.02))
        self.assertEqual(Fault.read("drop=0.1"), Fault(drop=0.1))
        for text in ("", "cut=1", "delay", "delay=x", "delay=-1", "drop=2", "drop=nan"):
            self.assertRaises(BadOption, Fault.read, text)
