"""Clients of the open wire in tests: their messages, matches of two, and cores of the client library."""

from collections.abc import Callable
from typing import Any

from msgspec import json
from twisted.trial.unittest import SynchronousTestCase

from gamehost.client.core import ClientCore, Heard
from gamehost.testing.memory_host import Client, MemoryHost
from gamehost.wires.open.conversation import WIRE
from gamehost.wires.open.messages import Enter

# Clients of the open wire in tests: their messages, and matches of two.


DEAL = {"onitama.deal": "boar,ox/crab,eel/tiger"}


def line(**message: Any) -> bytes:
    return json.encode(message) + b"\n"


def act(action: str, table: int = 1, **more: Any) -> bytes:
    return line(do="act", table=table, action=action, **more)


KEYS = iter(range(1, 1 << 20))


class OpenCase(SynchronousTestCase):
    """A host with clients of the open wire."""

    def host(self, **more: Any) -> MemoryHost:
        """Keys and codes differ from each other."""
        return MemoryHost(DEAL, wires=(WIRE,), rng=lambda n: next(KEYS) % n, **more)

    def ask(self, client: Client, **message: Any) -> list[dict[str, Any]]:
        client.heard()
        client.send(line(**message))
        return self.told(client)

    def told(self, client: Client) -> list[dict[str, Any]]:
        return [json.decode(text) for text in client.heard()]

    def enter(
        self, host: MemoryHost, name: str, address: str = "192.0.2.1", **more: Any
    ) -> tuple[Client, dict[str, Any]]:
        """A guest, and the first answer."""
        client = host.connect("open", address)
        return client, self.ask(client, do="enter", name=name, **more)[0]

    def matched(self, host: MemoryHost, game: str = "onitama") -> tuple[Client, Client, str]:
        """Ann and Bob, and Ann's key."""
        (ann, entered), (bob, _) = self.enter(host, "ann"), self.enter(host, "bob")
        for client in (ann, bob):
            client.send(line(do="seek", game=game))
        ann.heard(), bob.heard()
        return ann, bob, entered["key"]


# Cores of the client library at a host in memory.


class Player:
    """One core with one connection at a time. What it hears goes to `hear`, which may let it say something."""

    def __init__(self, world: MemoryHost, name: str, hear: Callable[["Player", Heard], None]) -> None:
        self.world = world
        self.core = ClientCore(Enter(name), lambda: 0.5)
        self._hear = hear
        self._link: Client | None = None

    def connect(self) -> None:
        self._link = self.world.connect("open")
        self.core.connection_made(self.world.clock.seconds())

    def drop(self) -> None:
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
