"""The clients on asyncio and on Twisted: a loop whose time passes at once, and endpoints and streams in memory."""

import asyncio
import importlib.util
import selectors
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import msgspec
from twisted.internet.defer import CancelledError, Deferred, fail
from twisted.internet.error import ConnectionRefusedError
from twisted.internet.interfaces import IStreamClientEndpoint
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

from gamehost.client.asyncio_client import CONNECT_WITHIN
from gamehost.client.asyncio_client import Client as AsyncioClient
from gamehost.client.core import PING_AFTER, PONG_WITHIN, Heard, Lost, NotConnected, NotSeated
from gamehost.client.twisted_client import MOST_WAITING, Client, Closed
from gamehost.testing.memory_host import StrictTransport
from gamehost.wires.open import messages as m
from tests.kit.sources import ROOT

# The client on asyncio, on a loop whose time passes at once, and streams in memory.


ENTERED = m.Entered("ann", "k1")
SEATED = m.Seated(3, "onitama", 0, ["ann", "bob"], ["open", "open"], 0)


class _Selector(selectors.DefaultSelector):
    """Waits for nothing; the time that it ought to wait passes at once."""

    passed = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is not None and timeout > 0:
            self.passed += timeout
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    """A loop whose time begins at 0, and stands still while there is something to do."""

    def __init__(self) -> None:
        self._waits = _Selector()
        super().__init__(self._waits)

    def time(self) -> float:
        return self._waits.passed


class _Transport:
    aborted = 0

    def abort(self) -> None:
        self.aborted += 1


class _Writer:
    def __init__(self) -> None:
        self.transport = _Transport()
        self.closed = False
        self._written = b""

    def write(self, data: bytes) -> None:
        assert not self.closed
        self._written += data

    def close(self) -> None:
        self.closed = True

    async def wait_closed(self) -> None:
        raise ConnectionResetError("lost while it was closed")

    def said(self) -> Sequence[str]:
        """The values of `do` since the last call."""
        lines, self._written = self._written.splitlines(), b""
        return [msgspec.json.decode(line)["do"] for line in lines]


class _Host:
    """Gives connections that a test has prepared: what comes on each, or an error in its place."""

    def __init__(self, *connections: Any) -> None:
        self._connections = list(connections)
        self.writers: list[_Writer] = []
        self.readers: list[asyncio.StreamReader] = []
        self.times: list[float] = []

    async def connect(self) -> Any:
        self.times.append(asyncio.get_running_loop().time())
        comes = self._connections.pop(0)
        if comes is None:
            await asyncio.sleep(1000)
        if isinstance(comes, Exception):
            raise comes
        reader, writer = asyncio.StreamReader(), _Writer()
        for message in comes:
            if message is EOFError:
                reader.feed_eof()
            elif isinstance(message, Exception):
                reader.set_exception(message)
            else:
                reader.feed_data(message if isinstance(message, bytes) else msgspec.json.encode(message) + b"\n")
        self.readers.append(reader)
        self.writers.append(writer)
        return reader, writer


class AsyncioTests(SynchronousTestCase):
    def run_now(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        loop = _Loop()
        try:
            loop.run_until_complete(work())
        finally:
            loop.close()

    def test_messages(self) -> None:
        async def work() -> None:
            host = _Host([ENTERED, SEATED])
            async with AsyncioClient(host.connect, m.Enter("ann"), lambda: 0.5) as client:
                client.say(m.Seek("onitama"))
                self.assertTrue(client.seeking)
                self.assertRaises(NotConnected, client.say, m.Ping(1))
                self.assertRaises(NotSeated, client.act, "ox c1 c2")
                self.assertEqual(await anext(client), ENTERED)
                self.assertEqual(client.login, m.Enter("ann", "k1"))
                self.assertEqual(await anext(client), SEATED)
                self.assertEqual(client.act("ox c1 c2"), 1)
                assert client.own is not None
                self.assertIs(client.tables.get(3), client.own)
            self.assertEqual(host.writers[0].said(), ["enter", "seek", "act"])
            self.assertTrue(host.writers[0].closed)
            self.assertEqual([message async for message in client], [])

        self.run_now(work)

    def test_lost_connections(self) -> None:
        async def work() -> None:
            refused = OSError("connection refused")
            host = _Host(
                [ENTERED, EOFError], refused, refused, [ENTERED, EOFError], [OSError("reset")], [m.Bye("x"), EOFError]
            )
            client = AsyncioClient(host.connect, m.Enter("ann"), lambda: 0.5)
            self.assertEqual(
                [message async for message in client],
                [
                    *(ENTERED, Lost("the host has closed the connection", 0.5)),
                    *(Lost("connection refused", 1.0), Lost("connection refused", 2.0)),
                    *(ENTERED, Lost("the host has closed the connection", 0.5), Lost("reset", 1.0)),
                    *(m.Bye("x"), Lost("x", None)),
                ],
            )
            self.assertEqual(host.times, [0, 0.5, 1.5, 3.5, 4.0, 5.0])
            self.assertEqual([writer.transport.aborted for writer in host.writers], [1, 1, 1, 1])

        self.run_now(work)

    def test_an_attempt_that_takes_too_long_is_given_up(self) -> None:
        async def work() -> None:
            host = _Host(None)
            client = AsyncioClient(host.connect, None, lambda: 0.5)
            self.assertEqual(await anext(client), Lost("no connection in time", 0.5))
            self.assertEqual(asyncio.get_running_loop().time(), CONNECT_WITHIN)

        self.run_now(work)

    def test_a_silent_host_is_asked_and_then_given_up(self) -> None:
        async def work() -> None:
            host = _Host([ENTERED])
            client = AsyncioClient(host.connect, m.Enter("ann"), lambda: 0.5)
            await anext(client)
            self.assertEqual(await anext(client), Lost("the host does not answer", 0.5))
            self.assertEqual(asyncio.get_running_loop().time(), PING_AFTER + PONG_WITHIN)
            self.assertEqual(host.writers[0].said(), ["enter", "ping"])

        self.run_now(work)

    def test_a_connection_to_another_protocol_is_given_up(self) -> None:
        async def work() -> None:
            client = AsyncioClient(_Host([b"HTTP/1.1 400 Bad Request\r\n"]).connect, None, lambda: 0.5)
            lost = await anext(client)
            assert isinstance(lost, Lost)
            self.assertIn("not the open wire", lost.why)

        self.run_now(work)

    def test_a_wait_that_is_cancelled_loses_nothing(self) -> None:
        async def work() -> None:
            host = _Host([ENTERED])
            client = AsyncioClient(host.connect, m.Enter("ann"), lambda: 0.5)
            await anext(client)
            with self.assertRaises(TimeoutError):
                await asyncio.wait_for(anext(client), 1)
            host.readers[0].feed_data(msgspec.json.encode(SEATED) + b"\n")
            self.assertEqual(await anext(client), SEATED)
            await client.close()

        self.run_now(work)


# The client on Twisted, at endpoints and transports in memory.


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


class TwistedTests(SynchronousTestCase):
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

    def test_the_bot_of_the_page_leaves_its_seat_to_another_one(self) -> None:
        """It says so, and its status says so, too."""
        spec = importlib.util.spec_from_file_location("bot", ROOT / "docs" / "bots" / "onitama_twisted_bot.py")
        assert spec is not None and spec.loader is not None
        bot = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(bot)
        played = Deferred.fromCoroutine(bot.play(self.clock, "ann", self.endpoint))
        self.tell(ENTERED, m.Bye("you have logged in again elsewhere"))
        self.transport.hang_up()
        ended = self.failureResultOf(played, SystemExit)
        self.assertEqual(ended.value.code, "ann: you have logged in again elsewhere")

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
