"""
Pairs of games on the ASCII-lines wire that differ only in what is hidden from one player, and that player's bytes in both.

The games are those of the rules' own tests, played through connections that are lost and come back. A pair in which a side
could not move any more is left out, as there: that its pieces are bombs then shows by the rules.
"""

import itertools
import random
from collections.abc import Iterator
from typing import Any, ClassVar

from attrs import evolve, frozen

from gamehost.conversation import Line
from gamehost.games.stratego import events as told
from gamehost.games.stratego.actions import Action, Move, PlaceRows
from gamehost.games.stratego.game import Stratego
from gamehost.games.stratego.master import StrategoMaster, Terms
from gamehost.lobby import Lobby, Queue
from gamehost.master import Chance, Seat
from gamehost.options import Settings
from gamehost.seating import Back, Refused
from gamehost.wire import Wire
from gamehost.wires.stratego_lines.codec import LinesCodec
from gamehost.wires.stratego_lines.conversation import LinesConversation
from gamehost.wires.stratego_lines.factory import NAME, WIRE
from gamehost.wires.stratego_lines.messages import COLUMNS, LETTERS, Err, Message, Moved, square
from tests.games.test_stratego_secrets import KindInRefusal, KindInView, PlacedForAll, Script, pair, shut_in
from tests.wires.stratego_lines_table import connected, master_of, set_up_lines
from tests.world import Client, World

NAMES = ("ann", "bob")


def in_words(seat: Seat, action: Action) -> tuple[str, ...]:
    """What a client says for an action; a square that is not on the board is no square's name."""
    if isinstance(action, PlaceRows):
        return set_up_lines(seat, action.rows)
    assert isinstance(action, Move)
    return (f"{COLUMNS[action.x]}{action.y + 1}-{COLUMNS[action.to_x]}{action.to_y + 1}",)


def in_rows(script: Script) -> bool:
    """Whether both set-ups are placed as this wire places them: all at once."""
    return all(isinstance(action, PlaceRows | Move) for _, action in script)


class Game:
    """
    A script, played through connections.

    :param luck: decides when connections are lost and come back: the same for both games of a pair
    """

    def __init__(self, wire: Wire[Message], luck: random.Random) -> None:
        self.world = World({"limits.open": "yes"}, wires=(wire,))
        self.luck = luck
        self.clients: list[Client | None] = [connected(self.world, name) for name in NAMES]
        self.heard: list[list[bytes]] = [[], []]
        self.master = master_of(self.world)

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
            chance = self.luck.random()
            if chance < 0.06:
                self.drop(self.luck.randrange(2))
            for other in (0, 1):
                if self.clients[other] is None and (other == seat or chance > 0.5):
                    self.clients[other] = connected(self.world, NAMES[other])
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
        if not all(map(in_rows, scripts)):
            continue
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
    conversation: type[LinesConversation]

    def new_codec(self) -> LinesCodec:
        return LinesCodec()

    def new_conversation(self, line: Line[Message], lobby: Lobby) -> LinesConversation:
        return self.conversation(line, lobby, NAME, self.queue, False)


def piece_behind(conversation: LinesConversation, where: int) -> str:
    """What a conversation has no business with: the piece on a square of the table, as a letter."""
    chair: Any = conversation.chair
    return LETTERS[chr(chair._on_act.__self__._master.position.squares[where] & 0x7F)]


class Attackers(LinesConversation):
    """Names the piece that moves, though it strikes nothing."""

    def tell_piece(self, event: told.Moved) -> None:
        """As if it were a battle."""
        move = event.move
        if event.seat == self._seat:
            self.tell_moved(event)
            return
        piece = piece_behind(self, move.to_y * 10 + move.to_x)
        self.line.say(Moved(square(move.x, move.y), square(move.to_x, move.to_y), piece))
        self._go_on(event.next)

    TELLS: ClassVar[Any] = {**LinesConversation.TELLS, told.Moved: tell_piece}


class Order(LinesConversation):
    """Asks for a move before it tells the other's, if what moved is an even rank."""

    def tell_in_order(self, event: told.Moved) -> None:
        """The kind is in which comes first."""
        move = event.move
        if event.seat != self._seat and piece_behind(self, move.to_y * 10 + move.to_x) in "GJLI":
            self._go_on(event.next)
            self.line.say(Moved(square(move.x, move.y), square(move.to_x, move.to_y)))
        else:
            self.tell_moved(event)

    TELLS: ClassVar[Any] = {**LinesConversation.TELLS, told.Moved: tell_in_order}


class Lengths(LinesConversation):
    """Refuses in longer words where the second player's flag is in the back."""

    def tell_length(self, event: Refused) -> None:
        """A length that depends on a kind."""
        chair: Any = self.chair
        position = chair._on_act.__self__._master.position
        if position is not None and position.squares.find(ord("F") | 0x80) >= 80:
            self.line.refuse(Err("indeed"))
        self.tell_refused(event)

    TELLS: ClassVar[Any] = {**LinesConversation.TELLS, Refused: tell_length}


class Placements(LinesConversation):
    """Says what was placed to whoever is told of it."""

    def tell_rows(self, event: told.PlacedAll) -> None:
        """In words."""
        self.line.say(Err(f"placed {event.rows[0]}"))

    TELLS: ClassVar[Any] = {**LinesConversation.TELLS, told.PlacedAll: tell_rows}


class Returns(LinesConversation):
    """Tells a player who comes back how strong the enemy's first piece is."""

    def tell_strength(self, event: Back[told.Situation]) -> None:
        """Only in play."""
        self.tell_back(event)
        enemies = [where for where, code in enumerate(event.view.squares) if code == "#"]
        if event.seat == self._seat and enemies:
            self.line.say(Err(f"beware of {piece_behind(self, enemies[0])}"))

    TELLS: ClassVar[Any] = {**LinesConversation.TELLS, Back: tell_strength}


def leaky(referee: type[StrategoMaster], conversation: type[LinesConversation]) -> Wire[Message]:
    """The wire with a leak."""
    game = LeakyStratego(referee=referee)
    return evolve(WIRE, game=game, script=lambda settings: LeakyScript(Queue(game), conversation))


LEAKS = (
    leaky(KindInView, LinesConversation),
    leaky(KindInRefusal, LinesConversation),
    leaky(StrategoMaster, Attackers),
    leaky(StrategoMaster, Order),
    leaky(StrategoMaster, Lengths),
    leaky(PlacedForAll, Placements),
    leaky(StrategoMaster, Returns),
)
