"""The table of a championship."""

import random

from hypothesis import given
from hypothesis import strategies as st

from gamehost.lobby.championship import Championship
from gamehost.testing.cases import PropertyCase

NAMES = "abcdefgh"


class ChampionshipTests(PropertyCase):
    """Everybody plays everybody once."""

    def test_four_players(self) -> None:
        """Three rounds, in the order of log-in."""
        one = Championship(NAMES[:4])
        rounds = []
        while one.open:
            pairs = one.next_pairs(range(4))
            rounds.append(pairs)
            for pair in pairs:
                one.note(pair, pair[:1])
        self.assertEqual(rounds, [[(0, 1), (2, 3)], [(0, 2), (1, 3)], [(0, 3), (1, 2)]])
        self.assertEqual(one.standing(), [("a", 3, 0), ("b", 2, 1), ("c", 1, 2), ("d", 0, 3)])

    def test_as_many_games_as_possible(self) -> None:
        """Even if the first pair must wait for that."""
        one = Championship(NAMES[:4])
        one.open = [(0, 1), (0, 2), (1, 3)]
        self.assertEqual(one.next_pairs(range(4)), [(0, 2), (1, 3)])
        self.assertEqual(one.next_pairs({0, 1, 3}), [(0, 1)])

    def test_equal_players(self) -> None:
        """By games won, then by games lost, then by log-in."""
        one = Championship(NAMES[:3])
        one.won, one.lost = [1, 1, 2], [1, 0, 2]
        self.assertEqual([name for name, _, _ in one.standing()], ["c", "b", "a"])

    def test_who_is_gone(self) -> None:
        """Loses all games to come; between two who are gone nobody wins."""
        one = Championship(NAMES[:4])
        one.gone = {0, 1}
        self.assertEqual(one.forfeited([(0, 2)]), [((0, 1), ()), ((0, 3), (3,)), ((1, 2), (2,)), ((1, 3), (3,))])

    @given(st.integers(2, 12), st.integers(0, 2**32))
    def test_any_results(self, count: int, seed: int) -> None:
        """Whatever happens: each pair counts once, nobody plays two games at once, the list is in order, and sums fit."""
        one, rng = Championship([f"p{number}" for number in range(count)]), random.Random(seed)
        running: list[tuple[int, int]] = []
        played: list[tuple[int, int]] = []
        while one.open:
            busy = {player for pair in running for player in pair}
            begun = one.next_pairs(set(range(count)) - busy - one.gone)
            running += begun
            players = [player for pair in running for player in pair]
            self.assertEqual(len(players), len(set(players)))
            for pair, winners in one.forfeited(running):
                self.assertTrue(one.note(pair, winners))
                played.append(pair)
            if running and rng.random() < 0.5:
                pair = running.pop(rng.randrange(len(running)))
                if rng.randrange(5):  # else it was void, and is played again
                    self.assertTrue(one.note(pair, rng.choice(([pair[0]], [pair[1]], [], pair))))
                    self.assertFalse(one.note(pair, ()))
                    played.append(pair)
            elif rng.randrange(4) == 0:
                one.gone.add(rng.randrange(count))
        self.assertEqual(len(set(played)), len(played))
        self.assertEqual(len(played), count * (count - 1) // 2)
        self.assertEqual([won + lost for won, lost in zip(one.won, one.lost, strict=True)], [count - 1] * count)
        standing = one.standing()
        self.assertEqual(standing, sorted(standing, key=lambda row: (-row[1], row[2], int(row[0][1:]))))
