"""A host in memory, and an owner who asks it."""

import json
from collections.abc import Mapping
from typing import Any

from twisted.internet.address import IPv4Address
from twisted.internet.testing import MemoryReactorClock, StringTransport

from gamehost.admin.server import AdminConnection, AdminFactory
from gamehost.config import Options
from gamehost.service import GameHostService
from gamehost.tap import make_host
from gamehost.testing.memory_host import StrictTransport


class Player:
    """A client of one of the host's wires, in lines."""

    def __init__(self, world: "AdminHost", wire: str, address: str) -> None:
        self.world = world
        self.transport = StrictTransport(world.reactor, address)
        [factory] = [one for one in world.host.factories if one.wire.name == wire]
        self.transport.protocol = factory.buildProtocol(IPv4Address("TCP", address, 40_000))
        self.transport.protocol.makeConnection(self.transport)

    def ask(self, *lines: str) -> list[str]:
        self.heard()
        self.transport.receive("".join(line + "\n" for line in lines).encode())
        return self.heard()

    def heard(self) -> list[str]:
        self.world.until_idle()
        data: bytes = self.transport.read()
        return data.decode().splitlines()

    @property
    def closed(self) -> bool:
        self.world.until_idle()
        return self.transport.disconnecting or self.transport.disconnected


class AdminHost:
    """A whole host on a reactor in memory, without house players, asked by a user whose id may not be known."""

    def __init__(self, *options: str, user: int | None = 0) -> None:
        self.reactor: Any = MemoryReactorClock()
        parsed = Options()
        parsed.parseOptions(["--store=memory", "--house=0", "--set=limits.unlimited=yes", *options])
        self.host: GameHostService = make_host(parsed, self.reactor)
        self.host.startService()
        self.factory = AdminFactory(self.host, lambda transport: user)

    def connect(self, wire: str = "onitama", address: str = "192.0.2.1") -> Player:
        return Player(self, wire, address)

    def match(self, *names: str, addresses: tuple[str, str] = ("192.0.2.1", "192.0.2.2")) -> list[Player]:
        players = []
        for name, address in zip(names or ("ann", "bob"), addresses, strict=True):
            player = self.connect(address=address)
            player.ask(f"LOGIN|{name}")
            players.append(player)
        return players

    def until_idle(self) -> None:
        while any(call.getTime() <= self.reactor.seconds() for call in self.reactor.getDelayedCalls()):
            self.reactor.advance(0)

    def wait(self, seconds: float) -> None:
        self.reactor.advance(seconds)
        self.until_idle()

    def owner(self) -> "Owner":
        return Owner(self)

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        answer = self.owner().ask(command, **arguments)[-1]
        assert "end" in answer, answer
        end: dict[str, Any] = answer["end"]
        return end

    def items(self, command: str, **arguments: Any) -> list[Mapping[str, Any]]:
        """The items of the answer to a request that is carried out."""
        *items, end = self.owner().ask(command, **arguments)
        assert "end" in end, end
        return [one["item"] for one in items]

    def error(self, command: str, **arguments: Any) -> str:
        """Why a request is not carried out."""
        [answer] = self.owner().ask(command, **arguments)
        error: str = answer["error"]
        return error


class Owner:
    def __init__(self, world: AdminHost) -> None:
        self.world = world
        self.transport = StringTransport()
        self.protocol: AdminConnection = world.factory.buildProtocol(None)  # type: ignore[assignment]
        self.protocol.makeConnection(self.transport)

    def ask(self, command: str, **arguments: Any) -> list[dict[str, Any]]:
        return self.send(json.dumps({"command": command, "arguments": arguments}).encode() + b"\n")

    def send(self, data: bytes) -> list[dict[str, Any]]:
        self.protocol.dataReceived(data)
        return self.heard()

    def heard(self) -> list[dict[str, Any]]:
        while True:
            size, producer = len(self.transport.value()), self.transport.producer
            if producer is not None:
                producer.resumeProducing()
            if len(self.transport.value()) == size:
                break
        self.world.until_idle()
        data = self.transport.value()
        self.transport.clear()
        return [json.loads(line) for line in data.splitlines()]
