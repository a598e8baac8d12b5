"""What the tests of the ASCII-lines wire share: clients that have logged in, set up, and play."""

from collections.abc import Sequence
from typing import Any

from gamehost.wires.stratego_lines.messages import LETTERS
from tests.kit.memory_host import Client, MemoryHost

WIRE = "stratego-lines"

#: The document's set-up, completed; and one whose flag stands in front.
RED = ("VMGKKJJJPP", "PPLLLLSSSS", "IIIIIRRRRR", "RRROBBBBBB")
BLUE = ("MGKKJJJPPP", "PLLLLSSSSI", "IIIIRRRRRB", "VRRROBBBBB")


def connected(world: MemoryHost, name: str, password: str = "secret", address: str = "192.0.2.1") -> Client:
    """A new connection that logs in, with nothing heard."""
    client = world.connect(WIRE, address)
    client.say(name, password)
    return client


def seated(world: MemoryHost) -> tuple[Client, Client]:
    """Ann (red) and Bob (blue), who are to set up, with nothing unheard."""
    ann, bob = connected(world, "ann"), connected(world, "bob")
    quiet(world, ann, bob)
    return ann, bob


def playing(world: MemoryHost, red: Sequence[str] = RED, blue: Sequence[str] = BLUE) -> tuple[Client, Client]:
    """The two in play, red to move, with nothing unheard."""
    ann, bob = seated(world)
    ann.say(*red)
    bob.say(*blue)
    quiet(world, ann, bob)
    return ann, bob


def quiet(world: MemoryHost, *clients: Client) -> None:
    """Have everything become durable and heard."""
    while world.journal.release():
        pass
    for client in clients:
        client.heard()


def in_letters(ids: str) -> str:
    """The game's names of pieces in the wire's letters."""
    return "".join(LETTERS.get(character, character) for character in ids)


def set_up_lines(seat: int, rows: Sequence[str]) -> tuple[str, ...]:
    """Rows of the game's names, by ascending y, as the lines that a client sends."""
    return tuple(map(in_letters, reversed(rows) if seat else rows))


def master_of(world: MemoryHost) -> Any:
    """The master of the only table."""
    [table] = world.lobby.tables.values()
    return table._master
