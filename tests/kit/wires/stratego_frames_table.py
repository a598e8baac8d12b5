"""
What the tests of the frames share: two players, their set-ups, and the ways into each state.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Any

from gamehost.games.stratego.master import StrategoMaster
from gamehost.games.stratego.position import Position
from gamehost.wires.stratego_frames.conversation import State
from tests.kit.memory_host import Client, MemoryHost, only_table

WIRE = "stratego-frames"

#: The first player's set-up, rows by ascending y: two scouts in front can move at first.
ANN = ("F123344455", "5566667777", "8888899999", "999SBBBBBB")
#: The second player's: the flag at (1,6) is three steps of a scout away.
BOB = ("9F9SBBBBBB", "8888899999", "5566667777", "9123344455")

VALID = 'Placement Valid "valid"'
INVALID = 'Placement Invalid "invalid"'
MOVE_INVALID = 'Move Invalid "invalid move"'
WAIT = 'Wait "wait"'
CONNECTED = 'Connected "connected"'

EMPTY_ROWS = ("..........",) * 4
HIDDEN_ROWS = ("##########",) * 4
LAKES = ("..~~..~~..", "..~~..~~..")


def board(low: Sequence[str], high: Sequence[str], middle: Sequence[str] = LAKES) -> str:
    """A board frame in words: rows of y 0 to 3, 6 to 9 and between."""
    return "Board " + "/".join((*low, *middle, *high))


def setups(rows: Sequence[str], y: int) -> list[str]:
    """The forty placements of a set-up, in words: a line a row."""
    return [f"Setup {row} (0,{y + step})" for step, row in enumerate(rows)]


def rows(pieces: str) -> list[str]:
    """Forty pieces as rows of ten."""
    return [pieces[start : start + 10] for start in range(0, 40, 10)]


def connected(world: MemoryHost, address: str = "192.0.2.1") -> Client:
    """A new connection. Its `heard` passes over Side and the reasons of refusals: they have tests of their own."""
    client = world.connect(WIRE, address)
    spelling: Any = client.message_text
    spelling.documented = True
    return client


def all_heard(*clients: Client) -> None:
    """Have `heard` give every frame from now on."""
    for client in clients:
        spelling: Any = client.message_text
        spelling.documented = False


def signed_on(world: MemoryHost) -> tuple[Client, Client]:
    """Ann and bob, about to set up; what they were told is read."""
    ann, bob = connected(world), connected(world)
    ann.say('Sign On "ann"')
    bob.say('Sign On "bob"')
    ann.heard()
    bob.heard()
    return ann, bob


def set_up(client: Client, rows: Sequence[str], y: int) -> list[str]:
    """Place all and be ready; what was answered."""
    return client.ask(*setups(rows, y), 'Ready "ready"')


def in_play(world: MemoryHost, first: Sequence[str] = ANN, second: Sequence[str] = BOB) -> tuple[Client, Client]:
    """Ann and bob, playing; what they were told is read."""
    ann, bob = signed_on(world)
    set_up(ann, first, 0)
    set_up(bob, second, 6)
    ann.heard()
    bob.heard()
    return ann, bob


def again(world: MemoryHost, name: str) -> tuple[Client, list[str]]:
    """A player signs on anew; the new connection, and what it was told."""
    client = connected(world)
    return client, client.ask(f'Sign On "{name}"')


def state(client: Client) -> State:
    """Where the host takes a connection to be."""
    found: State = conversation(client).state
    return found


def conversation(client: Client) -> Any:
    """The host's end of a connection."""
    return client.protocol._conversation


def the_master(world: MemoryHost) -> StrategoMaster:
    """The referee of the only table."""
    master: object = only_table(world)._master
    assert isinstance(master, StrategoMaster)
    return master


def the_position(world: MemoryHost) -> Position:
    """The position at the only table, which plays."""
    position = the_master(world).position
    assert position is not None
    return position


def as_words(move: tuple[int, int]) -> str:
    """A move of a position as a client says it."""
    source, target = move
    return f"Move ({source % 10},{source // 10}) ({target % 10},{target // 10})"


def shuffled(rng: random.Random) -> list[str]:
    """All forty pieces in any order, as rows."""
    pieces = list("".join(ANN))
    rng.shuffle(pieces)
    return rows("".join(pieces))


def moves(position: Position, rng: random.Random) -> Iterator[str]:
    """Legal moves of a position in any order, in words; those that strike more often than not first."""
    legal = list(position.legal_moves())
    rng.shuffle(legal)
    if rng.random() < 0.6:
        legal.sort(key=lambda move: position.squares[move[1]] == ord("."))
    yield from map(as_words, legal)
