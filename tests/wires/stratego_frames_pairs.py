"""
Pairs of games on the wire that differ only in what is hidden from one player, and that player's bytes in both.

The games are those of the rules' own tests; here they go through connections that are lost and come back. A pair in which
a side could not move any more is left out, as there: that its pieces are bombs then shows by the rules.
"""

import itertools
import random
from collections.abc import Iterator
from typing import Any, ClassVar

from attrs import evolve, frozen

from gamehost.conversation import Line
from gamehost.games.stratego.actions import Action, Move, Place, PlaceRows
from gamehost.games.stratego.events import Moved, Placed
from gamehost.games.stratego.game import Stratego
from gamehost.games.stratego.master import BadMove, StrategoMaster, Terms
from gamehost.lobby import Lobby, Queue
from gamehost.master import Chance, Seat
from gamehost.options import Settings
from gamehost.seating import Refused
from gamehost.wire import Wire
from gamehost.wires.stratego_frames.codec import FramesCodec
from gamehost.wires.stratego_frames.conversation import FramesConversation
from gamehost.wires.stratego_frames.factory import NAME, WIRE
from gamehost.wires.stratego_frames.messages import Error, Message
from tests.games.test_stratego_secrets import (
    KindInOrder,
    KindInRefusal,
    KindInView,
    KindOnBoard,
    PlacedForAll,
    Script,
    pair,
    shut_in,
)
from tests.wires.stratego_frames_table import setups, the_master
from tests.world import Client, World

OPEN = {"limits.open": "yes"}
NAMES = ("ann", "bob")


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


class Game:
    """
    A script, played through connections.

    :param luck: decides when connections are lost and come back: the same for both games of a pair
    """

    def __init__(self, wire: Wire[Message], luck: random.Random) -> None:
        self.world = World(OPEN, wires=(wire,))
        self.luck = luck
        self.clients: list[Client | None] = [None, None]
        self.heard: list[list[bytes]] = [[], []]
        for seat in (0, 1):
            self.sign_on(seat)
        self.master = the_master(self.world)

    def sign_on(self, seat: int) -> None:
        """A player comes, or is back."""
        client = self.clients[seat] = self.world.connect(NAME)
        client.say(f'Sign On "{NAMES[seat]}"')

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
            if not self.world.lobby.tables:
                break
            chance = self.luck.random()
            if chance < 0.04:
                self.drop(self.luck.randrange(2))
            for other in (0, 1):
                if self.clients[other] is None and (other == seat or chance > 0.5):
                    self.sign_on(other)
            client = self.clients[seat]
            assert client is not None
            client.say(*in_words(seat, action))
        for player in (0, 1):
            self.drop(player)


def differences(count: int, first_seed: int, wire: Wire[Message] = WIRE) -> Iterator[int]:
    """The seeds of those, out of so many pairs, in which the player who listens got different bytes."""
    compared = 0
    for seed in itertools.count(first_seed):
        if compared == count:
            return
        spy, *scripts = pair(random.Random(seed))
        games = [Game(wire, random.Random(seed + 1)) for _ in scripts]
        for game, script in zip(games, scripts, strict=True):
            game.play(script)
        if any(shut_in(game.master.result) for game in games):
            continue
        compared += 1
        if games[0].heard[spy] != games[1].heard[spy]:
            yield seed


# -- leaks, to see that they are found


@frozen
class LeakyStratego(Stratego):
    """The game with another referee."""

    referee: type[StrategoMaster] = StrategoMaster

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> StrategoMaster:
        return self.referee(Terms())


@frozen
class LeakyScript:
    """The wire with another conversation."""

    queue: Queue
    conversation: type[FramesConversation]

    def new_codec(self) -> FramesCodec:
        return FramesCodec()

    def new_conversation(self, line: Line[Message], lobby: Lobby) -> FramesConversation:
        return self.conversation(line, lobby, NAME, self.queue, False)


class Reasons(FramesConversation):
    """Says why a move is refused."""

    def tell_reason(self, event: Refused) -> None:
        """The referee's words, as they are."""
        self.line.refuse(Error(str(event.error)))

    TELLS: ClassVar[Any] = {**FramesConversation.TELLS, Refused: tell_reason}


class Placements(FramesConversation):
    """Says what was placed to whoever is told of it."""

    def tell_piece(self, event: Placed) -> None:
        """In words."""
        self.line.say(Error(f"placed {event.piece}"))

    TELLS: ClassVar[Any] = {**FramesConversation.TELLS, Placed: tell_piece}


def board_behind(conversation: FramesConversation) -> bytes:
    """What a conversation has no business with: the table's squares."""
    chair: Any = conversation.chair
    squares: bytes = chair._on_act.__self__._master.position.squares
    return squares


class Lengths(FramesConversation):
    """Refuses in the same words, but longer where the second player's marshal is in the back."""

    def tell_length(self, event: Refused) -> None:
        """A length that depends on a kind."""
        padding = 0
        if isinstance(event.error, BadMove) and self.state.value == "playing":
            padding = board_behind(self).find(bytes([ord("1") | 0x80])) // 80
        self.line.refuse(Error("refused" + " " * padding))

    TELLS: ClassVar[Any] = {**FramesConversation.TELLS, Refused: tell_length}


class Numbers(FramesConversation):
    """Leaves out a sequence number when what moved is an odd rank."""

    def tell_moved_and_skip(self, event: Moved) -> None:
        """The kind is in the lowest bit of its code."""
        super().tell_moved(event)
        line: Any = self.line
        line._codec._sequence += board_behind(self)[event.move.to_y * 10 + event.move.to_x] & 1

    TELLS: ClassVar[Any] = {**FramesConversation.TELLS, Moved: tell_moved_and_skip}


def leaky(referee: type[StrategoMaster], conversation: type[FramesConversation]) -> Wire[Message]:
    """The wire with a leak."""
    game = LeakyStratego(referee=referee)
    return evolve(WIRE, game=game, script=lambda settings: LeakyScript(Queue(game), conversation))


LEAKS = (
    leaky(KindInView, FramesConversation),
    leaky(KindOnBoard, FramesConversation),
    leaky(KindInOrder, FramesConversation),
    leaky(KindInRefusal, Reasons),
    leaky(PlacedForAll, Placements),
    leaky(StrategoMaster, Lengths),
    leaky(StrategoMaster, Numbers),
)
