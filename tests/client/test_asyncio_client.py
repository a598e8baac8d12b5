"""The client on asyncio, on a loop whose time passes at once, and streams in memory."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from gamehost.client.asyncio_client import CONNECT_WITHIN, Client
from gamehost.client.core import PING_AFTER, PONG_WITHIN, Lost, NotConnected, NotSeated
from gamehost.wires.open import messages as m

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


class ClientTests(SynchronousTestCase):
    def run_now(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run a coroutine on a loop whose time passes at once."""
        loop = _Loop()
        try:
            loop.run_until_complete(work())
        finally:
            loop.close()

    def test_messages(self) -> None:
        """What was said early is said after the log-in; messages come one by one; the end sends what was said."""

        async def work() -> None:
            host = _Host([ENTERED, SEATED])
            async with Client(host.connect, m.Enter("ann"), lambda: 0.5) as client:
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
        """The host closes, an error, and refused attempts: each is told, and the next attempt comes later each time."""

        async def work() -> None:
            refused = OSError("connection refused")
            host = _Host(
                [ENTERED, EOFError], refused, refused, [ENTERED, EOFError], [OSError("reset")], [m.Bye("x"), EOFError]
            )
            client = Client(host.connect, m.Enter("ann"), lambda: 0.5)
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
            client = Client(host.connect, None, lambda: 0.5)
            self.assertEqual(await anext(client), Lost("no connection in time", 0.5))
            self.assertEqual(asyncio.get_running_loop().time(), CONNECT_WITHIN)

        self.run_now(work)

    def test_a_silent_host_is_asked_and_then_given_up(self) -> None:
        async def work() -> None:
            host = _Host([ENTERED])
            client = Client(host.connect, m.Enter("ann"), lambda: 0.5)
            await anext(client)
            self.assertEqual(await anext(client), Lost("the host does not answer", 0.5))
            self.assertEqual(asyncio.get_running_loop().time(), PING_AFTER + PONG_WITHIN)
            self.assertEqual(host.writers[0].said(), ["enter", "ping"])

        self.run_now(work)

    def test_a_connection_to_another_protocol_is_given_up(self) -> None:
        async def work() -> None:
            client = Client(_Host([b"HTTP/1.1 400 Bad Request\r\n"]).connect, None, lambda: 0.5)
            lost = await anext(client)
            assert isinstance(lost, Lost)
            self.assertIn("not the open wire", lost.why)

        self.run_now(work)

    def test_a_wait_that_is_cancelled_loses_nothing(self) -> None:
        async def work() -> None:
            host = _Host([ENTERED])
            client = Client(host.connect, m.Enter("ann"), lambda: 0.5)
            await anext(client)
            with self.assertRaises(TimeoutError):
                await asyncio.wait_for(anext(client), 1)
            host.readers[0].feed_data(msgspec.json.encode(SEATED) + b"\n")
            self.assertEqual(await anext(client), SEATED)
            await client.close()

        self.run_now(work)
