"""Cores of the client library at a host in memory."""

from collections.abc import Callable
from typing import Any

from gamehost.client.core import ClientCore, Heard
from gamehost.wires.open.messages import Enter
from tests.kit.memory_host import Client, MemoryHost

WIRE = "open"


class Player:
    """One core with one connection at a time. What it hears goes to `hear`, which may let it say something."""

    def __init__(self, world: MemoryHost, name: str, hear: Callable[["Player", Heard], None]) -> None:
        self.world = world
        self.core = ClientCore(Enter(name), lambda: 0.5)
        self._hear = hear
        self._link: Client | None = None

    def connect(self) -> None:
        """Make a connection."""
        self._link = self.world.connect(WIRE)
        self.core.connection_made(self.world.clock.seconds())

    def drop(self) -> None:
        """Lose the connection."""
        assert self._link is not None
        self._link.drop()
        self._link = None
        self._hear(self, self.core.connection_lost("dropped"))

    def exchange(self, chunk: int = 65_536) -> bool:
        """Let the host and the client hear each other once, in pieces of this size. Whether there was anything to hear."""
        if self._link is None:
            return False
        said = self.core.take_output()
        for start in range(0, len(said), chunk):
            self._link.send(said[start : start + chunk])
        told = self._link.transport.read()
        for start in range(0, len(told), chunk):
            for message in self.core.received(told[start : start + chunk], self.world.clock.seconds()):
                self._hear(self, message)
        return bool(said or told)


def exchange_all(players: "list[Any]", chunk: int = 65_536) -> None:
    """Let all hear all there is."""
    while any([player.exchange(chunk) for player in players]):
        pass
