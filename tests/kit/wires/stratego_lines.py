"""What the tests of the ASCII-lines wire share: clients that have logged in, set up, and play."""

from collections.abc import Sequence

from gamehost.games.base import Seat
from gamehost.games.stratego.rules import Action, Move, PlaceRows
from gamehost.wires.stratego_lines import WIRE as LINES
from gamehost.wires.stratego_lines.messages import COLUMNS, LETTERS
from tests.games.test_stratego_secrets import Script
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.stratego_frames import WireWords

WIRE = "stratego-lines"

#: The document's set-up, completed; and one whose flag stands in front.
RED = ("VMGKKJJJPP", "PPLLLLSSSS", "IIIIIRRRRR", "RRROBBBBBB")
BLUE = ("MGKKJJJPPP", "PLLLLSSSSI", "IIIIRRRRRB", "VRRROBBBBB")


def connected(world: MemoryHost, name: str, password: str = "secret", address: str = "192.0.2.1") -> Client:
    client = world.connect(WIRE, address)
    client.say(name, password)
    return client


def seated(world: MemoryHost) -> tuple[Client, Client]:
    """Ann (red) and Bob (blue), who are to set up, with nothing unheard."""
    ann, bob = connected(world, "ann"), connected(world, "bob")
    quiet(world, ann, bob)
    return ann, bob


def playing(world: MemoryHost) -> tuple[Client, Client]:
    """The two in play, red to move, with nothing unheard."""
    ann, bob = seated(world)
    ann.say(*RED)
    bob.say(*BLUE)
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
    return tuple(map(in_letters, reversed(rows) if seat else rows))


# How clients of the ASCII lines talk, for the pairs of games that differ in secrets only.


def in_words(seat: Seat, action: Action) -> tuple[str, ...]:
    """What a client says for an action; a square that is not on the board is no square's name."""
    if isinstance(action, PlaceRows):
        return set_up_lines(seat, action.rows)
    assert isinstance(action, Move)
    return (f"{COLUMNS[action.x]}{action.y + 1}-{COLUMNS[action.to_x]}{action.to_y + 1}",)


def in_rows(script: Script) -> bool:
    """Whether both set-ups are placed as this wire places them: all at once."""
    return all(isinstance(action, PlaceRows | Move) for _, action in script)


ON_WIRE = WireWords(LINES, lambda name: (name, "secret"), in_words, in_rows)
