"""Whole matches over the JSON wire: every kind, with players of every habit, every board looked at."""

import random
from collections import Counter
from typing import Any

from gamehost.testing.cases import PropertyCase
from gamehost.wires.eriantys.values import Error
from tests.kit.memory_host import MemoryHost
from tests.kit.wires.eriantys_players import Habit, Player, as_the_diagrams, everything, never, play, seated

NAMES = ("ann", "bob", "carl", "dora")
#: Errors of the lobby, and two that need a position laid by hand: they are heard in the tests of the catalogue.
ELSEWHERE = {
    Error.TAKEN_NICKNAME,
    Error.NICKNAME_TOO_LONG,
    Error.INVALID_NICKNAME,
    Error.INVALID_SETTINGS,
    Error.GAME_NOT_FOUND,
    Error.FULL_GAME,
    Error.FULL_DINING_ROOM,
    Error.ZERO_NO_ENTRY_TILES_LEFT,
}
#: All in one moment: whatever the rate is, these players would be past it.
OPEN = {"limits.unlimited": "yes", "limits.messages_burst": "1000000", "eriantys.ping": "0"}


def company(world: MemoryHost, seed: int, *habits: Habit, **more: Any) -> list[Player]:
    """As many players as habits; the first looks at all boards."""
    players = [
        Player(world, name, random.Random(seed * 10 + number), habit, **more)
        for number, (name, habit) in enumerate(zip(NAMES, habits, strict=False))
    ]
    players[0].looks = True
    return players


def played(seats: int, expert: bool, seed: int, rude: float = 0.0) -> Counter[str]:
    """One match to its end; what its players heard. Fails on a board that cannot be."""
    world = MemoryHost(OPEN, rng=random.Random(seed).randrange)
    players = company(world, seed, *[everything] * seats, rude=rude)
    seated(world, players, expert)
    play(world, players)
    assert players[0].flaws == [], (seats, expert, seed, players[0].flaws[:3])
    assert not world.lobby.tables
    heard = Counter[str]()
    assert any(player.heard["won"] for player in players)
    for player in players:
        assert str(player.client.state) == "State.LOBBY"
        heard += player.heard
    return heard


class GamesTests(PropertyCase):
    """Random matches."""

    def test_every_kind_of_match_to_its_end(self) -> None:
        """Five of each; every character is used, and every kind of message is heard."""
        heard = Counter[str]()
        for seats in (2, 3, 4):
            for expert in (False, True):
                for seed in range(25, 30):
                    heard += played(seats, expert, seed)
        self.assertEqual({number for number in range(1, 13) if heard[f"character {number}"]}, set(range(1, 13)))
        self.assertGreater(heard["UNIFIED_ISLANDS"], 0)
        self.assertGreater(heard["NO_ENTRY_TILE_ON_ISLAND"], 0)
        self.assertGreater(heard["LAST_ROUND"], 0)

    def test_rude_players_finish_too(self) -> None:
        """Every error that players can run into is heard, and no wrong message changes anything."""
        heard = Counter[str]()
        for seats, expert, seed in ((3, True, 39), (3, True, 40), (2, True, 60), (4, False, 30)):
            heard += played(seats, expert, seed, rude=0.5)
        self.assertEqual({error for error in Error if not heard[error]}, ELSEWHERE)


class HabitsTests(PropertyCase):
    """Acknowledgements: by nobody, by everybody of everything, and as the diagrams show them."""

    def test_as_the_diagrams(self) -> None:
        """Whoever acknowledges what is due keeps nobody waiting, and owes nothing when anything is asked."""
        for seats in (2, 3, 4):
            world = MemoryHost(OPEN, rng=random.Random(seats).randrange)
            players = company(world, seats, *[as_the_diagrams] * seats)
            seated(world, players, expert=False)
            play(world, players)
            for player in players:
                client = player.client.protocol._conversation._client  # type: ignore[attr-defined]
                self.assertTrue(client.waited_for)

    def test_silent_players_are_waited_for_once(self) -> None:
        """One limit each at most, in the whole match; the others' acknowledgements go on to count."""
        for habits in ((never, never), (never, everything), (everything, as_the_diagrams, never)):
            world = MemoryHost(OPEN, rng=random.Random(3).randrange)
            players = company(world, 3, *habits)
            seated(world, players, expert=False)
            play(world, players, patience=habits.count(never))
            self.assertEqual(players[0].flaws, [])
