"""Clients of the open wire in tests: their messages, and matches of two."""

from typing import Any

from msgspec import json
from twisted.trial.unittest import SynchronousTestCase

from gamehost.testing.memory_host import Client, MemoryHost
from gamehost.wires.open.factory import WIRE

DEAL = {"onitama.deal": "boar,ox/crab,eel/tiger"}


def line(**message: Any) -> bytes:
    """A message of a client; `log_in` stands for `log-in`."""
    return json.encode(message) + b"\n"


def act(action: str, table: int = 1, **more: Any) -> bytes:
    """An action at a table."""
    return line(do="act", table=table, action=action, **more)


KEYS = iter(range(1, 1 << 20))


class OpenCase(SynchronousTestCase):
    """A host with clients of the open wire."""

    def host(self, **more: Any) -> MemoryHost:
        """Keys and codes differ from each other."""
        return MemoryHost(DEAL, wires=(WIRE,), rng=lambda n: next(KEYS) % n, **more)

    def ask(self, client: Client, **message: Any) -> list[dict[str, Any]]:
        """Say something, and what is answered."""
        client.heard()
        client.send(line(**message))
        return self.told(client)

    def told(self, client: Client) -> list[dict[str, Any]]:
        """What has been told since the last look."""
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
