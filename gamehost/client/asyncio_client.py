"""
A client of the open wire with connections of asyncio::

    async with Client(tcp("127.0.0.1", 8889), Enter("ann")) as client:
        client.say(Seek("onitama"))
        async for message in client:
            ...

The client connects, reads and answers pings only while the caller waits for a message, as in the loop above. After a
lost connection it connects again by itself, as `gamehost.client.core` describes. The loop ends when the client is
closed, or when the host does not accept it again. Then the last message is a `Lost` without `again`.
"""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from ssl import SSLContext
from types import TracebackType
from typing import Self, TypeAlias

from gamehost.client.core import ClientCore, Heard, Lost
from gamehost.wires.open.messages import Enter, LogIn

#: A function that makes one connection.
Connect: TypeAlias = Callable[[], Awaitable[tuple[StreamReader, StreamWriter]]]

#: How many seconds an attempt to connect may take.
CONNECT_WITHIN = 10.0
#: How many bytes are read at once.
_CHUNK = 65_536


def tcp(host: str, port: int, ssl: SSLContext | None = None) -> Connect:
    """Returns a function that connects to a TCP port; with `ssl`, over TLS."""
    return lambda: asyncio.open_connection(host, port, ssl=ssl)


def unix(path: str) -> Connect:
    """Returns a function that connects to a unix socket."""
    return lambda: asyncio.open_unix_connection(path)


class Client(ClientCore):
    """
    A client of the open wire with a connection of asyncio.

    :param connect: `tcp(...)`, `unix(...)`, or another function that makes a connection
    :param login: `Enter` for a guest, `LogIn` for an account; `None`: to watch only
    :param chance: gives numbers from 0 to 1, to spread the attempts to connect; by default random ones
    """

    def __init__(
        self, connect: Connect, login: Enter | LogIn | None, chance: Callable[[], float] | None = None
    ) -> None:
        self._connect = connect
        super().__init__(login, chance)
        self._reader: StreamReader | None = None
        self._writer: StreamWriter | None = None
        self._heard: deque[Heard] = deque()
        #: The time of the next attempt to connect; `None`: there will be none.
        self._attempt: float | None = 0.0

    # -- messages

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Heard:
        """Return the next message. Meanwhile, connect, read, and wait for the next attempt to connect."""
        while not self._heard:
            if self._reader is not None:
                await self._read(self._reader)
            elif self._attempt is not None:
                await self._make_connection(self._attempt)
            else:
                raise StopAsyncIteration
        return self._heard.popleft()

    async def _make_connection(self, attempt: float) -> None:
        """Wait until the time of an attempt, and try to connect."""
        await asyncio.sleep(attempt - self._now())
        try:
            self._reader, self._writer = await asyncio.wait_for(self._connect(), CONNECT_WITHIN)
        except TimeoutError:
            self._lost("no connection in time")
        except OSError as error:
            self._lost(str(error))
        else:
            self.connection_made(self._now())
            # Send the log-in.
            self._flush()

    async def _read(self, reader: StreamReader) -> None:
        """Wait for bytes from the host, or until `tick` must be called."""
        due = self.due
        try:
            # A cancelled read loses nothing: the bytes remain in the reader.
            data = await asyncio.wait_for(reader.read(_CHUNK), None if due is None else max(0.0, due - self._now()))
        except TimeoutError:
            self.tick(self._now())
        except OSError as error:
            self._lost(str(error))
            return
        else:
            # Empty bytes: the other side has closed the connection.
            if not data:
                self._lost("the host has closed the connection")
                return
            self._heard.extend(self.received(data, self._now()))
        self._flush()
        if self.fault is not None:
            self._lost(self.fault)

    def _lost(self, why: str) -> None:
        """Report the loss of the connection, and plan the next attempt."""
        if self._writer is not None:
            self._writer.transport.abort()
        self._reader = self._writer = None
        lost: Lost = self.connection_lost(why)
        # `again` is `None` if the host does not accept the client any more.
        self._attempt = None if lost.again is None else self._now() + lost.again
        self._heard.append(lost)

    def _flush(self) -> None:
        if self._writer is not None and (data := self.take_output()):
            self._writer.write(data)

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()

    # -- the end

    async def close(self) -> None:
        """
        Send the pending messages, close the connection, and connect no more. A seat is reserved as after a lost
        connection.
        """
        writer = self._writer
        self._reader = self._writer = None
        # No further attempt to connect: the loop over the messages ends.
        self._attempt = None
        if writer is not None:
            writer.close()
            with suppress(OSError):  # the connection was lost meanwhile
                await writer.wait_closed()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
