"""
Pairs of games of Stratego that differ only in what is hidden from one player, and that player's bytes in both.

The games are those of the rules' own tests; here they go through connections of a wire that are lost and come back. A pair
in which a side could not move any more is left out, as there: that its pieces are bombs then shows by the rules.
"""

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from attrs import evolve, frozen

from gamehost.games.base import Seat
from gamehost.games.chance import Chance
from gamehost.games.stratego.actions import Action
from gamehost.games.stratego.game import Stratego
from gamehost.games.stratego.master import StrategoMaster, Terms
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.queues import Queue
from gamehost.settings import Settings
from gamehost.wires.base import Wire
from gamehost.wires.conversation import BaseConversation, Peer
from tests.games.test_stratego_secrets import Script, pair, shut_in
from tests.kit.memory_host import Client, MemoryHost

NAMES = ("ann", "bob")


@frozen
class Speech:
    """How a wire's clients talk."""

    wire: Wire[Any]
    #: What a client says to come in under a name, and to come back.
    log_in: Callable[[str], Sequence[str]]
    #: What it says for an action.
    words: Callable[[Seat, Action], Sequence[str]]
    #: Whether a script can be said at all.
    speakable: Callable[[Script], bool] = lambda script: True


class Game:
    """
    A script, played through connections.

    :param luck: decides when connections are lost and come back: the same for both games of a pair
    """

    def __init__(self, speech: Speech, rng: random.Random) -> None:
        self.speech = speech
        self.world = MemoryHost({"limits.unlimited": "yes"}, wires=(speech.wire,))
        self.rng = rng
        self.clients: list[Client | None] = [None, None]
        self.heard: list[list[bytes]] = [[], []]
        for seat in (0, 1):
            self.come(seat)
        [table] = self.world.lobby.tables.values()
        self.master: Any = table._master

    def come(self, seat: int) -> None:
        """A player comes, or is back."""
        client = self.clients[seat] = self.world.connect(self.speech.wire.name)
        client.say(*self.speech.log_in(NAMES[seat]))

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
            client.say(*self.speech.words(seat, action))
        for player in (0, 1):
            self.drop(player)


def played(speech: Speech, seeds: Iterator[int]) -> Iterator[tuple[int, int, list[Game]]]:
    """Pairs that can be said on this wire, played: the seed, who listens, and both games."""
    for seed in seeds:
        spy, *scripts = pair(random.Random(seed))
        if not all(map(speech.speakable, scripts)):
            continue
        games = [Game(speech, random.Random(seed + 1)) for _ in scripts]
        for game, script in zip(games, scripts, strict=True):
            game.play(script)
        yield seed, spy, games


def differences(speech: Speech, count: int, first_seed: int = 0) -> Iterator[int]:
    """The seeds of those, out of so many pairs, in which the player who listens got different bytes."""
    for seed, spy, games in played(speech, itertools.count(first_seed)):
        if any(shut_in(game.master.result) for game in games):
            continue
        if games[0].heard[spy] != games[1].heard[spy]:
            yield seed
        count -= 1
        if not count:
            return


# -- leaks, to see that they are found


@frozen
class LeakyStratego(Stratego):
    """The game with another referee."""

    referee: type[StrategoMaster] = StrategoMaster

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> StrategoMaster:
        return self.referee(Terms())


@frozen
class LeakyConfig:
    """A wire's own codec, and another conversation."""

    wire: Wire[Any]
    queue: Queue
    conversation: Callable[..., Any]

    def new_codec(self) -> Any:
        return self.wire.configure({}).new_codec()

    def new_conversation(self, peer: Peer[Any], lobby: Lobby) -> Any:
        return self.conversation(peer, lobby, self.wire.name, self.queue, False)


def leaky(speech: Speech, referee: type[StrategoMaster], conversation: type[BaseConversation[Any]]) -> Speech:
    """The wire with a leak in the referee, or in the conversation."""
    game = LeakyStratego(referee=referee)
    config = LeakyConfig(speech.wire, Queue(game), conversation)
    return evolve(speech, wire=evolve(speech.wire, games=(game,), configure=lambda settings: config))
