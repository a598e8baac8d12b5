"""
Pairs of games of Stratego that differ only in what is hidden from one player, and that player's bytes in both.

The games are those of the rules' own tests; here they go through connections of a wire that are lost and come back. A pair
in which a side could not move any more is left out, as there: that its pieces are bombs then shows by the rules.
"""

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from attrs import frozen

from gamehost.games.base import Seat
from gamehost.games.stratego.master import StrategoMaster
from gamehost.games.stratego.rules import Action, Move, Place, PlaceRows, Position
from gamehost.testing.cases import Mixin
from gamehost.wires.base import Wire
from gamehost.wires.stratego_frames import WIRE as FRAMES
from gamehost.wires.stratego_frames.conversation import FramesState
from tests import share
from tests.games.test_stratego_secrets import (
    Script,
    pair,
    shut_in,
)
from tests.kit.memory_host import Client, MemoryHost, only_table

NAMES = ("ann", "bob")


@frozen
class WireWords:
    """How a wire's clients talk."""

    wire: Wire[Any]
    #: What a client says to come in under a name, and to come back.
    log_in: Callable[[str], Sequence[str]]
    #: What it says for an action.
    words: Callable[[Seat, Action], Sequence[str]]
    #: Whether a script can be said at all.
    speakable: Callable[[Script], bool] = lambda script: True


class Game:
    """A script, played through connections that are lost and come back at the same times in both games of a pair."""

    def __init__(self, on_wire: WireWords, rng: random.Random) -> None:
        self.on_wire = on_wire
        self.world = MemoryHost({"limits.unlimited": "yes"}, wires=(on_wire.wire,))
        self.rng = rng
        self.clients: list[Client | None] = [None, None]
        self.heard: list[list[bytes]] = [[], []]
        for seat in (0, 1):
            self.come(seat)
        [table] = self.world.lobby.tables.values()
        self.master: Any = table._master

    def come(self, seat: int) -> None:
        client = self.clients[seat] = self.world.connect(self.on_wire.wire.name)
        client.say(*self.on_wire.log_in(NAMES[seat]))

    def drop(self, seat: int) -> None:
        """A player's line breaks; what came over it is kept."""
        client = self.clients[seat]
        if client is not None:
            client.drop()
            self.heard[seat].append(client.transport.read())
            self.clients[seat] = None

    def play(self, script: Script) -> None:
        """All of it, or until the game is over."""
        for seat, action in script:
            if self.master.result is not None:
                break
            chance = self.rng.random()
            if chance < 0.05:
                self.drop(self.rng.randrange(2))
            for other in (0, 1):
                if self.clients[other] is None and (other == seat or chance > 0.5):
                    self.come(other)
            client = self.clients[seat]
            assert client is not None
            client.say(*self.on_wire.words(seat, action))
        for player in (0, 1):
            self.drop(player)


def played(on_wire: WireWords, seeds: Iterator[int]) -> Iterator[tuple[int, int, list[Game]]]:
    """Pairs that can be said on this wire, played: the seed, who listens, and both games."""
    for seed in seeds:
        spy, *scripts = pair(random.Random(seed))
        if not all(map(on_wire.speakable, scripts)):
            continue
        games = [Game(on_wire, random.Random(seed + 1)) for _ in scripts]
        for game, script in zip(games, scripts, strict=True):
            game.play(script)
        yield seed, spy, games


def differences(on_wire: WireWords, count: int, first_seed: int = 0) -> Iterator[int]:
    for seed, spy, games in played(on_wire, itertools.count(first_seed)):
        if any(shut_in(game.master.result) for game in games):
            continue
        if games[0].heard[spy] != games[1].heard[spy]:
            yield seed
        count -= 1
        if not count:
            return


# What every wire of Stratego must keep: pairs of games that differ in hidden pieces only are the same bytes for one player.


class PairsContract(Mixin):
    """Subclasses set the wire, and are test cases."""

    on_wire: WireWords
    #: How many pairs are compared.
    pairs: int = share(40, 100)

    def test_nothing_leaks(self) -> None:
        """In none of the pairs did the player who listens get one byte that differs, drops and returns included."""
        self.assertEqual(list(differences(self.on_wire, self.pairs)), [])


# How clients of the frames talk, for the pairs of games that differ in secrets only.


def in_words(seat: Seat, action: Action) -> list[str]:
    """What a client says for an action."""
    match action:
        case PlaceRows(rows):
            return [*setups(rows, 6 if seat else 0), 'Ready "ready"']
        case Place(piece, x, y):
            return [f"Setup {piece} ({x},{y})"]
        case Move(x, y, to_x, to_y):
            return [f"Move ({x},{y}) ({to_x},{to_y})"]
    return ['Ready "ready"']


ON_WIRE = WireWords(FRAMES, lambda name: (f'Sign On "{name}"',), in_words)


# What the tests of the frames share: two players, their set-ups, and the ways into each state.


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
    return [f"Setup {row} (0,{y + step})" for step, row in enumerate(rows)]


def rows(pieces: str) -> list[str]:
    return [pieces[start : start + 10] for start in range(0, 40, 10)]


def connected(world: MemoryHost, address: str = "192.0.2.1") -> Client:
    """A new connection. Its `heard` passes over Side and the reasons of refusals: they have tests of their own."""
    client = world.connect(WIRE, address)
    spelling: Any = client.message_text
    spelling.documented = True
    return client


def all_heard(*clients: Client) -> None:
    for client in clients:
        spelling: Any = client.message_text
        spelling.documented = False


def signed_on(world: MemoryHost) -> tuple[Client, Client]:
    ann, bob = connected(world), connected(world)
    ann.say('Sign On "ann"')
    bob.say('Sign On "bob"')
    ann.heard()
    bob.heard()
    return ann, bob


def set_up(client: Client, rows: Sequence[str], y: int) -> list[str]:
    return client.ask(*setups(rows, y), 'Ready "ready"')


def in_play(world: MemoryHost, first: Sequence[str] = ANN, second: Sequence[str] = BOB) -> tuple[Client, Client]:
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


def state(client: Client) -> FramesState:
    """Where the host takes a connection to be."""
    found: FramesState = conversation(client).state
    return found


def conversation(client: Client) -> Any:
    return client.protocol.conversation


def the_master(world: MemoryHost) -> StrategoMaster:
    master: object = only_table(world)._master
    assert isinstance(master, StrategoMaster)
    return master


def the_position(world: MemoryHost) -> Position:
    """The position at the only table, which plays."""
    position = the_master(world).position
    assert position is not None
    return position


def as_words(move: tuple[int, int]) -> str:
    source, target = move
    return f"Move ({source % 10},{source // 10}) ({target % 10},{target // 10})"


def shuffled(rng: random.Random) -> list[str]:
    pieces = list("".join(ANN))
    rng.shuffle(pieces)
    return rows("".join(pieces))


def moves(position: Position, rng: random.Random) -> Iterator[str]:
    legal = list(position.legal_moves())
    rng.shuffle(legal)
    if rng.random() < 0.6:
        legal.sort(key=lambda move: position.squares[move[1]] == ord("."))
    yield from map(as_words, legal)
