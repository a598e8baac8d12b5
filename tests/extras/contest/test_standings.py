"""Who plays whom: the laws of each schedule, for fields of 2 to 200."""

from collections import Counter
from itertools import combinations
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.contest.ratings import (
    POINTS,
    Rating,
    Score,
    SequentialTest,
    TieBreaks,
    Verdict,
    expected_share,
    pairs_of,
    ratings,
    strengths,
    superiority,
    tie_breaks,
)
from gamehost.extras.contest.schedule import (
    Past,
    Round,
    complete_matching,
    gauntlet,
    round_robin,
    seatings,
    swiss_round,
)
from gamehost.players.base import SeededChance
from tests import share

FIELDS = st.integers(2, 40) | st.sampled_from([199, 200])


def seats_of(rounds: list[Round], players: int) -> list[int]:
    """First seats minus second seats."""
    balance = [0] * players
    for one in rounds:
        for first, second in one.pairings:
            balance[first] += 1
            balance[second] -= 1
    return balance


class ScheduleCase(SynchronousTestCase):
    def assert_rounds(self, rounds: list[Round], players: int) -> None:
        for one in rounds:
            named = [player for pairing in one.pairings for player in pairing] + list(one.byes)
            self.assertEqual(sorted(named), list(range(players)))


class RoundRobinTests(ScheduleCase):
    @settings(max_examples=40)
    @given(FIELDS, st.integers(1, 3))
    def test_laws(self, players: int, cycles: int) -> None:
        rounds = list(round_robin(players, cycles))
        self.assert_rounds(rounds, players)
        met = Counter(frozenset(pairing) for one in rounds for pairing in one.pairings)
        self.assertEqual(met, Counter({frozenset(pair): cycles for pair in combinations(range(players), 2)}))
        self.assertLessEqual(max(map(abs, seats_of(rounds, players))), 1)
        byes = Counter(player for one in rounds for player in one.byes)
        self.assertEqual(set(byes.values()) or {cycles}, {cycles})

    def test_four(self) -> None:
        """The table of the FIDE for four, but for who is who."""
        rounds = [one.pairings for one in round_robin(4)]
        self.assertEqual(rounds, [((3, 0), (2, 1)), ((1, 3), (0, 2)), ((3, 2), (1, 0))])


class GauntletTests(ScheduleCase):
    @given(st.integers(2, 30), st.integers(1, 4))
    def test_laws(self, players: int, cycles: int) -> None:
        rounds = list(gauntlet(players, cycles))
        self.assert_rounds(rounds, players)
        met = Counter(frozenset(pairing) for one in rounds for pairing in one.pairings)
        self.assertEqual(met, Counter({frozenset((0, other)): cycles for other in range(1, players)}))
        self.assertLessEqual(abs(seats_of(rounds, players)[0]), 1)


class SwissTests(ScheduleCase):
    def rounds(self, players: int, count: int, seed: int) -> list[Round]:
        random, past = Random(seed), Past.none(players)
        points, rounds = [0.0] * players, []
        for _ in range(count):
            order = sorted(range(players), key=lambda player: (-points[player], player))
            one = swiss_round(order, past)
            past.add(one)
            for pairing in one.pairings:
                points[random.choice(pairing)] += 1
            for player in one.byes:
                points[player] += 1
            rounds.append(one)
        return rounds

    @settings(max_examples=25, deadline=None)
    @given(FIELDS, st.integers(1, 7), st.integers(0, 2**32))
    def test_laws(self, players: int, count: int, seed: int) -> None:
        """Seats within one, byes at most once, and no repeat as long as there are more players than rounds."""
        rounds = self.rounds(players, min(count, players - 1), seed)
        self.assert_rounds(rounds, players)
        self.assertLessEqual(max(map(abs, seats_of(rounds, players))), 1)
        byes = Counter(player for one in rounds for player in one.byes)
        self.assertLessEqual(max(byes.values(), default=0), 1)
        if players >= 2 * len(rounds) + 2:
            met = Counter(frozenset(pairing) for one in rounds for pairing in one.pairings)
            self.assertEqual(max(met.values()), 1)

    @settings(max_examples=60, deadline=None)
    @given(st.sampled_from([4, 6, 8]), st.integers(1, 6), st.integers(0, 2**32))
    def test_no_repeat_that_can_be_avoided(self, players: int, count: int, seed: int) -> None:
        """Against all ways to pair a small field."""
        past = Past.none(players)
        for one in self.rounds(players, count, seed):
            repeats = sum(pairing[1] in past.met[pairing[0]] for pairing in one.pairings)
            if repeats:
                self.assertFalse(self.avoidable(list(range(players)), past))
            past.add(one)

    def avoidable(self, left: list[int], past: Past) -> bool:
        if not left:
            return True
        one, *rest = left
        return any(
            other not in past.met[one]
            and not past.balance[one] == past.balance[other] != 0
            and self.avoidable([player for player in rest if player != other], past)
            for other in rest
        )

    def test_neighbours_meet(self) -> None:
        self.assertEqual(swiss_round([3, 1, 2, 0], Past.none(4)).pairings, ((3, 1), (0, 2)))

    def test_the_last_has_the_bye(self) -> None:
        past = Past.none(5)
        first = swiss_round([0, 1, 2, 3, 4], past)
        self.assertEqual(first.byes, (4,))
        past.add(first)
        self.assertEqual(swiss_round([0, 1, 2, 3, 4], past).byes, (3,))

    def test_more_rounds_than_opponents(self) -> None:
        self.assertEqual([one.pairings for one in self.rounds(2, 4, 1)], [((0, 1),), ((1, 0),), ((0, 1),), ((1, 0),)])


class MatchingTests(SynchronousTestCase):
    @settings(max_examples=200, deadline=None)
    @given(st.integers(1, 5), st.data())
    def test_like_a_search_of_all(self, half: int, data: st.DataObject) -> None:
        size = 2 * half
        edges = data.draw(st.sets(st.sampled_from(list(combinations(range(size), 2)))))
        neighbours = [sorted({other for edge in edges if one in edge for other in edge} - {one}) for one in range(size)]
        mates = complete_matching(neighbours)

        def exists(left: tuple[int, ...]) -> bool:
            if not left:
                return True
            one, *rest = left
            return any((one, other) in edges and exists(tuple(x for x in rest if x != other)) for other in rest)

        self.assertEqual(mates is not None, exists(tuple(range(size))))
        if mates is not None:
            self.assertTrue(all(mates[mate] == one and mate in neighbours[one] for one, mate in enumerate(mates)))


class SeatingsTests(ScheduleCase):
    @settings(max_examples=25, deadline=None)
    @given(st.integers(3, 4), st.integers(0, 12), st.integers(1, 6), st.integers(0, 2**32))
    def test_laws(self, seats: int, more: int, count: int, seed: int) -> None:
        players = seats + more
        rounds = list(seatings(players, seats, count, seed))
        self.assert_rounds(rounds, players)
        self.assertEqual({len(pairing) for one in rounds for pairing in one.pairings}, {seats})
        byes = Counter({player: 0 for player in range(players)})
        byes.update(player for one in rounds for player in one.byes)
        self.assertLessEqual(max(byes.values()) - min(byes.values()), 1)
        self.assertEqual(rounds, list(seatings(players, seats, count, seed)))

    def test_seats_are_shared(self) -> None:
        sat = Counter(
            (player, seat) for one in seatings(4, 4, 8, 1) for t in one.pairings for seat, player in enumerate(t)
        )
        self.assertEqual(set(sat.values()), {2})

    def test_too_few(self) -> None:
        self.assertRaises(ValueError, lambda: list(seatings(2, 3, 1, 1)))


# Ratings, tie-breaks and the sequential test, against published examples and simulated contests.


#: The American League of 1987 (Agresti, "Categorical Data Analysis", table 10.10): games that each team won against each.
BASEBALL = {
    "Milwaukee": (0, 7, 9, 7, 7, 9, 11),
    "Detroit": (6, 0, 7, 5, 11, 9, 9),
    "Toronto": (4, 6, 0, 7, 7, 8, 12),
    "New York": (6, 8, 6, 0, 6, 7, 10),
    "Boston": (6, 2, 6, 7, 0, 7, 12),
    "Cleveland": (4, 4, 5, 6, 6, 0, 6),
    "Baltimore": (2, 4, 1, 3, 1, 7, 0),
}
#: The estimates there, with Baltimore at 0.
ESTIMATES = (1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0)


def simulated(truth: list[float], cycles: int, seed: int) -> list[Score]:
    chance, scores = SeededChance(seed), []
    for one in round_robin(len(truth), cycles):
        for first, second in one.pairings:
            win = expected_share(truth[first] - truth[second])
            scores.append(Score(first, second, float(chance.below(10**6) < win * 10**6)))
    return scores


class StrengthTests(SynchronousTestCase):
    def test_published(self) -> None:
        scores = [
            Score(one, other, 1.0)
            for one, won in enumerate(BASEBALL.values())
            for other, games in enumerate(won)
            for _ in range(games)
        ]
        found = strengths(7, scores, prior=0)
        self.assertEqual([round(one - found[6], 4) for one in found], list(ESTIMATES))

    def test_two(self) -> None:
        """Three of four points are 190.85 (Elo's table: 193 by the normal distribution that he used)."""
        one, other = strengths(2, [Score(0, 1, 1.0)] * 3 + [Score(0, 1, 0.0)], prior=0)
        self.assertAlmostEqual(POINTS * (one - other), 190.8485, places=4)
        self.assertEqual(strengths(2, [Score(0, 1, 0.5)]), [0.0, 0.0])

    def test_who_wins_all_has_a_rating(self) -> None:
        best, middle, worst = ratings(3, [Score(0, 1, 1.0), Score(0, 2, 1.0), Score(1, 2, 1.0)], seed=1)
        self.assertGreater(best.value, middle.value)
        self.assertAlmostEqual(best.value, -worst.value, places=3)
        self.assertLess(best.high, 2_000)

    def test_an_anchor(self) -> None:
        found = ratings(2, [Score(0, 1, 1.0), Score(0, 1, 0.0)], seed=1, anchor=(1, 1500.0), samples=20)
        self.assertEqual([round(one.value, 6) for one in found], [1500.0, 1500.0])
        self.assertEqual(found[1].low, found[1].high)

    def test_without_games(self) -> None:
        self.assertEqual(ratings(2, [], seed=1, samples=5), [Rating(0.0, 0.0, 0.0)] * 2)


class SimulatedTests(SynchronousTestCase):
    TRUTH = [350.0, 250.0, 150.0, 50.0, -50.0, -150.0, -250.0, -350.0]

    def test_intervals_hold_the_truth(self) -> None:
        """Of contests with 70 games for each player. `tests.end_to_end.slow_contest` has more of them."""
        held = self.share_of_true_intervals(share(8, 20))
        self.assertTrue(0.90 <= held <= 0.98, held)

    def share_of_true_intervals(self, contests: int) -> float:
        held = 0
        for seed in range(contests):
            found = ratings(8, simulated(self.TRUTH, 10, seed), seed, samples=40)
            held += sum(one.low <= truth <= one.high for one, truth in zip(found, self.TRUTH, strict=True))
        return held / (contests * len(self.TRUTH))

    def test_players_of_known_strength_come_out_in_order(self) -> None:
        """With 150 points from one to the next, and 210 games for each."""
        in_order = 0
        for seed in range(share(10, 40)):
            found = strengths(8, simulated([1.5 * one for one in self.TRUTH], 30, seed))
            in_order += found == sorted(found, reverse=True)
        self.assertGreaterEqual(in_order, share(9, 38))


class ShareTests(SynchronousTestCase):
    def test_expected_share(self) -> None:
        self.assertEqual([round(expected_share(one), 4) for one in (0, 100, 200, 400)], [0.5, 0.6401, 0.7597, 0.9091])

    def test_superiority(self) -> None:
        self.assertEqual(superiority(0, 0), 0.5)
        self.assertEqual(round(superiority(10, 5), 4), 0.9016)
        self.assertEqual(round(superiority(5, 10), 4), 0.0984)


class TieBreakTests(SynchronousTestCase):
    def test_four_players(self) -> None:
        """0 beats 1 and 2 and draws with 3; 1 beats 2; 3 beats 1 and loses to 2."""
        played = ((0, 1, 1.0), (2, 0, 0.0), (0, 3, 0.5), (1, 2, 1.0), (3, 1, 1.0), (3, 2, 0.0))
        scores = [Score(*one) for one in played]
        points = [2.5, 1.0, 1.0, 1.5]
        self.assertEqual(
            tie_breaks(4, scores, points),
            [TieBreaks(3.5, 2.75), TieBreaks(5.0, 1.0), TieBreaks(5.0, 1.5), TieBreaks(4.5, 2.25)],
        )

    def test_more_than_two_at_a_table(self) -> None:
        self.assertEqual(pairs_of({4: 1.0, 1: 0.0, 2: 0.0}), [Score(4, 1, 1.0), Score(4, 2, 1.0), Score(1, 2, 0.5)])


class SequentialTestTests(SynchronousTestCase):
    def ended(self, test: SequentialTest, better: float, seed: int) -> Verdict:
        """The verdict of a match of two that goes on until there is one; a third of the games is drawn."""
        chance, counts = SeededChance(seed), [0, 0, 0]
        win = expected_share(better)
        while (verdict := test.verdict(*counts)) is Verdict.OPEN:
            number = chance.below(10**6) / 10**6
            counts[0 if number < win - 1 / 6 else 1 if number < win + 1 / 6 else 2] += 1
        return verdict

    def test_errors_are_within_their_bounds(self) -> None:
        """1,000 matches, half of them where each hypothesis is true."""
        test = SequentialTest(0.0, 60.0)
        accepted = sum(self.ended(test, 0.0, seed) is Verdict.ACCEPTED for seed in range(500))
        rejected = sum(self.ended(test, 60.0, seed) is Verdict.REJECTED for seed in range(500, 1_000))
        # Three standard deviations of a share of 0.05 of 500 are 15.
        self.assertLessEqual(accepted, 25 + 15)
        self.assertLessEqual(rejected, 25 + 15)
        self.assertGreater(accepted + rejected, 0)

    def test_bounds(self) -> None:
        """2.94, as programs for chess print it."""
        self.assertEqual([round(one, 2) for one in SequentialTest(0, 5).bounds], [-2.94, 2.94])
        self.assertIs(SequentialTest(0, 5).verdict(0, 0, 0), Verdict.OPEN)
