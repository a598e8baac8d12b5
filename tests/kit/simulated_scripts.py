"""
Scripts of a simulation: somebody who does one thing after the other, with pauses, and checks what comes of it.

A script is a generator that yields how many seconds it waits. It ends with the run of the host that it began in.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from attrs import define

from tests.kit.journal_oracle import Archive, JournalOracle
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.model_clients import MODEL_CLIENTS
from tests.kit.model_clients.base import ModelClient

# Somebody in a script: a model client with an address, and a connection or none.


@define(eq=False)
class Visitor:
    client_model: ModelClient
    address: str
    client: Client | None = None
    witness: JournalOracle | None = None

    def connect(self, world: MemoryHost, archive: Archive) -> None:
        self.client_model.connected()
        self.client = world.connect(self.client_model.wire, self.address)
        self.witness = JournalOracle(archive, self.client_model.wire, self.client_model.name)

    def listen(self) -> None:
        """Take in what was said, and notice an end."""
        if self.client is None or self.witness is None:
            return
        data = self.client.transport.read()
        self.witness.hear(data)
        for line in self.client.message_text.heard(data):
            self.client_model.hear(line)
        if self.client.closed:
            self.client = self.witness = None


Script = Iterator[float]

#: Seconds between two runs of a script, on average.
EVERY = 15.0


class Scripts:
    """Scripts that run again and again in one run of a host. They have chance of their own, and new names."""

    def __init__(
        self,
        world: MemoryHost,
        archive: Archive,
        rng: random.Random,
        later: Callable[..., None],
        new_name: Callable[[], str],
    ) -> None:
        self.world = world
        self.archive = archive
        self.rng = rng
        self.new_name = new_name
        self.visitors: list[Visitor] = []
        #: How many times each script came to its end.
        self.done: Counter[str] = Counter()
        self._later = later
        self._ended = False

    def run(self, *scripts: Callable[[], Script]) -> None:
        """Begin with these, each at a time of its own."""
        for script in scripts:
            self._later(self.rng.expovariate(1 / EVERY), self._begin, script)

    def end(self) -> None:
        """This run of the host has ended, or nothing more is to happen in it."""
        self._ended = True

    def leave(self) -> None:
        self.end()
        for visitor in self.visitors:
            self.hang_up(visitor)

    @property
    def clients(self) -> list[Client]:
        return [visitor.client for visitor in self.visitors if visitor.client is not None]

    def listen(self) -> None:
        for visitor in self.visitors:
            if visitor.client is not None and (visitor.client.transport._read or visitor.client.closed):
                visitor.listen()

    def _begin(self, script: Callable[[], Script]) -> None:
        self._go_on(script, script())

    def _go_on(self, script: Callable[[], Script], run: Script) -> None:
        if self._ended:
            return
        self.visitors = [visitor for visitor in self.visitors if visitor.client is not None]
        try:
            self._later(next(run), self._go_on, script, run)
        except StopIteration:
            self._later(self.rng.expovariate(1 / EVERY), self._begin, script)

    # -- what scripts do

    def stranger(self, wire: str, address: str, name: str = "") -> Visitor:
        visitor = Visitor(MODEL_CLIENTS[wire](name or self.new_name()), address)
        self.come_back(visitor)
        return visitor

    def come_back(self, visitor: Visitor) -> None:
        """A new connection of somebody who has none."""
        if visitor not in self.visitors:
            self.visitors.append(visitor)
        visitor.connect(self.world, self.archive)

    def say(self, visitor: Visitor, *lines: str) -> None:
        if visitor.client is not None and not visitor.client.closed and lines:
            visitor.client.say(*lines)
            visitor.listen()

    def hang_up(self, visitor: Visitor) -> None:
        visitor.listen()
        if visitor.client is not None:
            visitor.client.drop()
        visitor.listen()

    def session(self, name: str) -> Any:
        return self.world.lobby.registry.get(name)

    def table_of(self, name: str) -> object:
        session = self.session(name)
        return None if session is None else session.table_id
