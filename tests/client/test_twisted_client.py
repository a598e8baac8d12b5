"""The client on Twisted, at endpoints and transports in memory."""

from collections.abc import Sequence
from typing import Any

import msgspec
from twisted.internet.defer import CancelledError, Deferred, fail
from twisted.internet.error import ConnectionRefusedError
from twisted.internet.interfaces import IStreamClientEndpoint
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

from gamehost.client.core import PING_AFTER, PONG_WITHIN, Heard, Lost
from gamehost.client.twisted_client import MOST_WAITING, Client, Closed
from gamehost.testing.transport import StrictTransport
from gamehost.wires.open import messages as m

ENTERED = m.Entered("ann", "k1")


@implementer(IStreamClientEndpoint)
class _Endpoint:
    """Makes connections in memory; `refuses`, `hangs`: it does not."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.refuses = self.hangs = False
        self.transports: list[StrictTransport] = []

    def connect(self, protocolFactory: Any) -> "Deferred[Any]":
        connected: Deferred[Any] = Deferred()
        if self.refuses:
            return fail(ConnectionRefusedError())
        if not self.hangs:
            transport = StrictTransport(self._clock)
            self.transports.append(transport)
            transport.protocol = protocolFactory.buildProtocol(None)
            transport.protocol.makeConnection(transport)
            connected.callback(transport.protocol)
        return connected


class ClientTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.endpoint = _Endpoint(self.clock)

    def client(self, login: m.Enter | None = None) -> Client:
        return Client(self.clock, self.endpoint, login, lambda: 0.5)

    @property
    def transport(self) -> StrictTransport:
        return self.endpoint.transports[-1]

    def said(self) -> Sequence[str]:
        return [msgspec.json.decode(line)["do"] for line in self.transport.read().splitlines()]

    def tell(self, *messages: Any) -> None:
        self.transport.receive(b"".join(msgspec.json.encode(message) + b"\n" for message in messages))

    def taken(self, client: Client, number: int) -> list[Heard]:
        return [self.successResultOf(client.next()) for _ in range(number)]

    def test_messages(self) -> None:
        """Those that were waited for, and those that came before; small messages are not delayed."""
        client = self.client(m.Enter("ann"))
        self.assertTrue(self.transport.no_delay)
        client.say(m.Seek("onitama"))
        first = client.next()
        self.assertNoResult(first)
        self.tell(ENTERED, m.Pong(1), m.Pong(2))
        self.assertEqual(self.successResultOf(first), ENTERED)
        self.assertEqual(self.taken(client, 2), [m.Pong(1), m.Pong(2)])
        self.assertEqual(self.said(), ["enter", "seek"])

    def test_a_wait_that_is_cancelled(self) -> None:
        client = self.client()
        waiting = client.next()
        waiting.cancel()
        self.failureResultOf(waiting, CancelledError)
        self.tell(m.Pong(1))
        self.assertEqual(self.taken(client, 1), [m.Pong(1)])

    def test_in_a_coroutine(self) -> None:
        """The messages end with the client."""

        async def work() -> list[Heard]:
            return [message async for message in client]

        client = self.client()
        result = Deferred.fromCoroutine(work())
        self.tell(m.Pong(1))
        self.assertNoResult(result)
        closed = client.close()
        self.assertEqual(self.successResultOf(result), [m.Pong(1)])
        self.assertNoResult(closed)
        self.clock.advance(0)
        self.assertIsNone(self.successResultOf(closed))
        self.failureResultOf(client.next(), Closed)
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_lost_connections(self) -> None:
        client = self.client(m.Enter("ann"))
        self.tell(ENTERED)
        self.transport.hang_up()
        self.endpoint.refuses = True
        self.clock.pump([0.5, 1.0, 1.9])
        self.endpoint.refuses = False
        entered, *lost = self.taken(client, 4)
        self.assertEqual(entered, ENTERED)
        self.assertEqual([one.again for one in lost if isinstance(one, Lost)], [0.5, 1.0, 2.0])
        self.assertEqual(len(self.endpoint.transports), 1)
        self.clock.advance(0.1)
        self.assertEqual(len(self.endpoint.transports), 2)
        self.assertIn(b'"key":"k1"', self.transport.read())

    def test_bye_ends_the_messages(self) -> None:
        client = self.client()
        waiting = [client.next() for _ in range(3)]
        self.tell(m.Bye("stop"))
        self.transport.hang_up()
        self.assertEqual(self.successResultOf(waiting[1]), Lost("stop", None))
        self.failureResultOf(waiting[2], Closed)
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_a_silent_host_is_asked_and_then_given_up(self) -> None:
        client = self.client()
        self.clock.advance(PING_AFTER)
        self.assertEqual(self.said(), ["ping"])
        self.clock.advance(PONG_WITHIN)
        self.clock.advance(0)
        self.assertTrue(self.transport.aborted)
        self.assertEqual(self.taken(client, 1), [Lost("the host does not answer", 0.5)])

    def test_a_connection_to_another_protocol_is_given_up(self) -> None:
        client = self.client()
        self.transport.receive(b"HTTP/1.1 400 Bad Request\r\n")
        self.clock.advance(0)
        [lost] = self.taken(client, 1)
        assert isinstance(lost, Lost)
        self.assertIn("not the open wire", lost.why)

    def test_messages_that_nobody_takes(self) -> None:
        """The client stops reading, and the host is not thought to be gone meanwhile; nothing is lost."""
        client = self.client()
        for _ in range(3):
            self.tell(*[m.Pong(1)] * MOST_WAITING)
        self.clock.advance(PING_AFTER * 3)
        self.assertEqual(self.said(), [])
        heard = []
        for _ in range(3 * MOST_WAITING):
            heard += self.taken(client, 1)
            self.clock.advance(0)
        self.assertEqual(heard, [m.Pong(1)] * 3 * MOST_WAITING)
        self.clock.advance(PING_AFTER)
        self.assertEqual(self.said(), ["ping"])

    def test_the_end_before_a_connection(self) -> None:
        """An attempt is given up, and so is a pause."""
        self.endpoint.hangs = True
        client = self.client()
        self.assertIsNone(self.successResultOf(client.close()))
        self.endpoint.refuses = True
        client = self.client()
        self.assertIsNone(self.successResultOf(client.close()))
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_nothing_is_said_after_the_end(self) -> None:
        client = self.client()
        client.close()
        client.say(m.Lobby())
        self.clock.advance(0)
        self.assertEqual(self.said(), [])

    def test_endpoint_strings(self) -> None:
        reactor = MemoryReactorClock()
        Client(reactor, "tcp:192.0.2.1:8889", None)
        [(host, port, *_)] = reactor.tcpClients
        self.assertEqual((host, port), ("192.0.2.1", 8889))
