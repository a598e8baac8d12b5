"""
A network that is drawn: segments are cut anywhere and take their time, connections are reset with what is on its way, ends
vanish without a word, and readers stop reading. Each direction keeps its order, as TCP does.
"""

import random
from collections import deque
from collections.abc import Callable
from typing import Any

from attrs import define, field
from twisted.internet.task import Clock

from tests.kit.journal_oracle import JournalOracle
from tests.kit.memory_host import Client

#: Seconds until a host's kernel gives up on somebody who has vanished.
GIVEN_UP = 30.0


@define(eq=False)
class Link:
    """
    One connection, from a guest to a life of the host.

    :param clock: of everything but the host
    :param hear: called with what has come to the guest
    :param lost: called when the guest finds that the connection has ended
    """

    number: int
    clock: Clock
    rng: random.Random
    client: Client
    witness: JournalOracle
    _hear: Callable[[bytes], None]
    _lost: Callable[[], None]
    #: Whether the guest's end is there; the host's is `client`.
    up: bool = True
    #: Whether the host's end belongs to a life that is over.
    dead: bool = False
    reading: bool = True
    #: On its way to the host, in order; `None`: the guest's end.
    _there: deque[bytes | None] = field(factory=deque)
    #: On its way to the guest; `None`: the host's end.
    _back: deque[bytes | None] = field(factory=deque)
    _there_at: float = 0.0
    _back_at: float = 0.0
    _ended: bool = False
    #: What the host has written since the last look, whether it can be sent yet or not.
    _written: list[bytes] = field(factory=list)
    _unsent: bytes = b""

    def __attrs_post_init__(self) -> None:
        transport: Any = self.client.transport
        self._unsent = transport.read()
        self._written.append(self._unsent)
        write = transport.write

        def overheard(data: bytes) -> None:
            self._written.append(data)
            write(data)

        transport.write = overheard

    def _delay(self) -> float:
        rng = self.rng
        return rng.uniform(0.2, 3.0) if rng.random() < 0.02 else rng.uniform(0.001, 0.05)

    def _later(self, not_before: float, call: Callable[[], None]) -> float:
        at = max(not_before, self.clock.seconds() + self._delay())
        self.clock.callLater(at - self.clock.seconds(), call)
        return at

    def _pieces(self, data: bytes) -> list[bytes]:
        """Mostly as it was written, sometimes cut anywhere."""
        if len(data) < 2 or self.rng.random() < 0.7:
            return [data]
        cut = self.rng.randrange(1, len(data))
        return [data[:cut], *self._pieces(data[cut:])]

    # -- the guest's end

    def send(self, data: bytes) -> None:
        """The guest sends."""
        for piece in self._pieces(data):
            self._there.append(piece)
            self._there_at = self._later(self._there_at, self._arrive)

    def finish(self) -> None:
        """The guest goes, and what it sent arrives."""
        self.up = False
        self._there.append(None)
        self._there_at = self._later(self._there_at, self._arrive)

    def reset(self) -> None:
        """The connection is cut, and all that is on its way is lost."""
        self._forget()
        self._later(0.0, self._host_sees_the_end)
        self._guest_sees_the_end()

    def vanish(self) -> None:
        """The guest's end is not there any more, and nobody tells the host."""
        self._forget()
        self.client.transport.reads = self.reading = False
        self.clock.callLater(GIVEN_UP, self._host_sees_the_end)
        self._guest_sees_the_end()

    def stall(self, seconds: float) -> None:
        """The guest does not read for a while."""
        self.client.transport.reads = self.reading = False
        self.clock.callLater(seconds, self._read_on)

    def _read_on(self) -> None:
        if self.up:
            self.client.transport.reads = self.reading = True

    def _forget(self) -> None:
        self.up = False
        self._there.clear()
        self._back.clear()

    # -- the host's end

    def collect(self) -> bytes:
        """After a turn of the host: what it wrote in it. It is held against the journal at once, and sent on its way."""
        transport = self.client.transport
        quiet = not (self._written or self._unsent or transport.queued or transport.disconnecting)
        if self.dead or (quiet and not transport.disconnected):
            return b""
        written = b"".join(self._written)
        if written:
            self._written.clear()
            self.witness.hear(written)
        if self.reading:
            data = self._unsent + self.client.transport.read()
            self._unsent = b""
            if data and self.up:
                for piece in self._pieces(data):
                    self._back.append(piece)
                    self._back_at = self._later(self._back_at, self._come)
        if self.client.closed:
            self.host_is_gone()
        return written

    def host_is_gone(self) -> None:
        """The host's end has closed, or its process is no more; the guest sees it in time."""
        if not self.dead:
            self.dead = True
            self._back.append(None)
            self._back_at = self._later(self._back_at, self._come)

    # -- arrivals

    def _arrive(self) -> None:
        if not self._there or self.dead:
            return
        data = self._there.popleft()
        if data is None:
            self._host_sees_the_end()
        elif not self.client.closed:
            self.client.transport.receive(data)

    def _host_sees_the_end(self) -> None:
        if not self.dead and not self.client.closed:
            self.client.transport.hang_up()

    def _come(self) -> None:
        if not self._back:
            return
        data = self._back.popleft()
        if data is None:
            self._guest_sees_the_end()
        elif self.up:
            self._hear(data)

    def _guest_sees_the_end(self) -> None:
        self.up = False
        if not self._ended:
            self._ended = True
            self._lost()
