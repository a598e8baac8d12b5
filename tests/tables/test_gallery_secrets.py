"""
Watching tells no secret: two matches of Stratego that differ in hidden kinds alone are the same to every watcher and in
every history, byte for byte.

Watchers come and go while the matches are played. Each of several planted leaks is found.
"""

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import evolve
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat, To
from gamehost.games.chance import Chance
from gamehost.games.stratego.events import Action, Situation
from gamehost.games.stratego.master import STRATEGO, Stratego, StrategoMaster, Terms
from gamehost.journal.history import history
from gamehost.settings import Settings
from gamehost.tables.outbox import Outbox
from tests.games.test_stratego_secrets import KindInOrder, PlacedForAll, Script, pair, shut_in
from tests.kit.watching import Stream, WatchedTable, line, written


class LeakyGame(Stratego):
    """Stratego with a master of another class."""

    master: type[StrategoMaster] = StrategoMaster

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> StrategoMaster:
        return self.master(Terms())


def seen(script: Script, seed: int, game: Stratego, world_of: type[WatchedTable] = WatchedTable) -> bytes | None:
    """All bytes that watchers and readers of the history are told of a match; `None`: the end tells who could not move."""
    rng = random.Random(seed)
    world = world_of(game, 2)
    streams: list[Stream] = []
    past: list[bytes] = []
    for seat, action in script:
        world.act(seat, action)
        if world.over:
            break
        if rng.random() < 0.1:
            streams.append(world.watch())
        if rng.random() < 0.05 and streams:
            world.galleries.unwatch(world.table.id, rng.choice(streams))
        if rng.random() < 0.5:
            world.turn()
        if rng.random() < 0.01:
            past += written(world.messages, history(game, world.opening, world.entries))
    world.until_idle()
    if shut_in(world.table._master.result):
        return None
    told = history(game, world.opening, world.entries)
    past += [*written(world.messages, told), line([told.n, told.result is None])]
    return b"".join([*(stream.data for stream in streams), *past])


def differences(
    count: int, first_seed: int, game: Stratego = STRATEGO, world_of: type[WatchedTable] = WatchedTable
) -> Iterator[int]:
    """The seeds of those, out of so many pairs of matches, that somebody could tell apart who only watched."""
    compared = 0
    for seed in itertools.count(first_seed):
        if compared == count:
            return
        _, script, other = pair(random.Random(seed))
        one, two = (seen(one, seed, game, world_of) for one in (script, other))
        if one is None or two is None:
            continue
        compared += 1
        if one != two:
            yield seed


class FlagInView(StrategoMaster):
    """Shows every watcher where the first flag stands."""

    def view(self, seat: Seat | None) -> Situation:
        situation = super().view(seat)
        where = -1 if seat is not None or self.position is None else self.position.squares.find(b"F")
        if where < 0:
            return situation
        return evolve(situation, squares=situation.squares[:where] + "F" + situation.squares[where + 1 :])


class BoardForAll(StrategoMaster):
    """Tells one player's board to everyone."""

    def act(self, seat: Seat, action: Action, now: int) -> Sequence[To[Any]]:
        events = super().act(seat, action, now)
        return [replace(to, audience=None) if to.audience == (Seat(0),) else to for to in events]


class SecretTests(SynchronousTestCase):
    """Pairs of matches, and hosts that are known to leak."""

    def test_nothing_leaks(self) -> None:
        """In none of 40 pairs could somebody who watched, or read the history, tell the two matches apart."""
        self.assertEqual(list(differences(40, first_seed=0)), [])

    def test_there_is_much_to_see(self) -> None:
        """Fights and moves are told, and watchers come at all times."""
        told = [seen(pair(random.Random(seed))[1], seed, STRATEGO) or b"" for seed in range(10)]
        self.assertGreater(b"".join(told).count(b'"fought"'), 10)
        self.assertGreater(b"".join(told).count(b'["look"'), 10)

    def test_leaks_of_a_master_are_found(self) -> None:
        """Each within 20 pairs."""
        for leak in (FlagInView, BoardForAll, PlacedForAll, KindInOrder):
            game = type("Leak", (LeakyGame,), {"master": leak})()
            self.assertTrue(list(differences(20, 0, game)), leak.__doc__)

    def test_a_leak_of_a_table_is_found(self) -> None:
        """Its outbox forgets whom an event is for."""
        tell_all = Outbox._tell

        def tell(outbox: Outbox[Any, Any], events: Sequence[To[Any]], first: Seat | None = None) -> None:
            tell_all(outbox, events, first)
            outbox._tell_audience([to.event for to in events])

        self.patch(Outbox, "_tell", tell)
        self.assertTrue(list(differences(10, 0)))
