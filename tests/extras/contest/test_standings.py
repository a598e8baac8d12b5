"""Who plays whom: the laws of each schedule, for fields of 2 to 200."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate, combinations, islice
from math import log, sqrt
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.contest.ratings import (
    POINTS,
    SPREADS,
    Rating,
    Score,
    SequentialTest,
    Shares,
    TieBreaks,
    Verdict,
    expected_share,
    pairs_of,
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
from tests.kit.contests import most_likely

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


def simulated(truth: Sequence[float], cycles: int, seed: int) -> list[Shares]:
    rounds = list(round_robin(len(truth), cycles))
    return played(truth, rounds, SeededChance(seed))


def played(truth: Sequence[float], rounds: Iterable[Round], chance: SeededChance, drawn: float = 0.0) -> list[Shares]:
    """
    Games between players of known ratings.

    :param drawn: the share of games that are drawn between equal ones
    """
    found = []
    for one in rounds:
        for first, second in one.pairings:
            win = expected_share(truth[first] - truth[second])
            draws = min(drawn, 2 * win, 2 * (1 - win))
            number = chance.below(10**6) / 10**6
            share = 0.5 if number < draws else float(number < win + draws / 2)
            found.append(Shares((first, second), (share, 1 - share)))
    return found


class StrengthTests(SynchronousTestCase):
    def test_published(self) -> None:
        """Before a spread that is as good as unlimited, the most probable strengths are those of maximum likelihood."""
        scores = [
            Shares((one, other), (1.0, 0.0))
            for one, won in enumerate(BASEBALL.values())
            for other, games in enumerate(won)
            for _ in range(games)
        ]
        found = most_likely(7, scores)
        self.assertEqual([round(one - found[6], 4) for one in found], list(ESTIMATES))

    def test_two(self) -> None:
        """Three of four points are 190.85 (Elo's table: 193 by the normal distribution that he used)."""
        one, other = most_likely(2, [Shares((0, 1), (1.0, 0.0))] * 3 + [Shares((1, 0), (1.0, 0.0))])
        self.assertAlmostEqual(POINTS * (one - other), 190.8485, places=3)

    def test_three_at_a_table(self) -> None:
        """Who wins half of the games of three is twice as strong as each of the others together: 2 to 1 to 1."""
        games = [Shares((0, 1, 2), (1.0, 0.0, 0.0))] * 2
        games += [Shares((2, 0, 1), (0.0, 0.0, 1.0)), Shares((1, 2, 0), (0.0, 1.0, 0.0))]
        best, middle, last = most_likely(3, games)
        self.assertAlmostEqual(best - middle, log(2), places=5)
        self.assertAlmostEqual(middle, last, places=5)

    def test_who_wins_all_has_a_rating(self) -> None:
        won = (1.0, 0.0)
        found = strengths(3, [Shares((0, 1), won), Shares((0, 2), won), Shares((1, 2), won)])
        best, middle, worst = map(found.rating, range(3))
        self.assertGreater(best.value, middle.value)
        self.assertAlmostEqual(best.value, -worst.value, places=3)
        self.assertLess(best.high, 2_000)

    def test_an_anchor(self) -> None:
        """What is known of the other one is a difference."""
        found = strengths(2, [Shares((0, 1), (1.0, 0.0)), Shares((1, 0), (1.0, 0.0))], anchor=(1, 1500.0))
        free, fixed = found.rating(0), found.rating(1)
        self.assertEqual(fixed, Rating(1500.0, 1500.0, 1500.0))
        self.assertAlmostEqual(free.value, 1500.0, places=6)
        self.assertAlmostEqual(free.high - 1500, 1500 - free.low, places=3)
        self.assertGreater(free.high, 1_700)

    def test_what_is_known_before_the_first_game(self) -> None:
        for rating in map(strengths(9, []).rating, range(9)):
            self.assertAlmostEqual(rating.value, 0.0)
            self.assertTrue(450 < rating.high < 650, rating)
            self.assertAlmostEqual(rating.low, -rating.high, places=3)

    def test_draws_only(self) -> None:
        """Players who always draw are about equal; one draw says little."""
        widths = []
        for games in (1, 4, 100):
            rating = strengths(2, [Shares((0, 1), (0.5, 0.5))] * games).rating(0)
            self.assertAlmostEqual(rating.value, 0.0)
            widths.append(rating.high)
        self.assertEqual(widths, sorted(widths, reverse=True))
        self.assertGreater(widths[0], 150)
        self.assertGreater(widths[-1], 2)

    def test_who_is_out_after_two_games_is_known_less_well(self) -> None:
        rounds = list(round_robin(10, 2))
        games = [one for one in played([0.0] * 10, rounds, SeededChance(4)) if 9 not in one.players]
        games += [Shares((0, 9), (1.0, 0.0)), Shares((9, 1), (0.0, 1.0))]
        found = strengths(10, games)
        widths = [found.rating(one).high - found.rating(one).low for one in range(10)]
        self.assertGreater(widths[9], 1.5 * max(widths[:9]))

    def test_the_likelihood_of_superiority(self) -> None:
        found = strengths(3, simulated((200.0, 0.0, -200.0), 20, 1))
        self.assertAlmostEqual(found.superiority(0, 1) + found.superiority(1, 0), 1.0)
        self.assertGreater(found.superiority(0, 2), 0.99)
        self.assertEqual(strengths(3, []).superiority(0, 1), 0.5)

    def test_it_does_not_depend_on_the_order_of_games_and_seats(self) -> None:
        games = simulated((200.0, 0.0, -200.0, 100.0), 2, 1)
        turned = [Shares(one.players[::-1], one.shares[::-1]) for one in reversed(games)]
        for player in range(4):
            one, other = strengths(4, games).rating(player), strengths(4, turned).rating(player)
            self.assertAlmostEqual(one.low, other.low, places=3)


#: Fields of eight that are simulated for each number of games; the share of drawn games goes through these.
FIELDS_TRIED = int(os.environ.get("GAMEHOST_FIELDS", "25"))
DRAWN = (0.0, 0.0, 0.3)


class IntervalTests(SynchronousTestCase):
    """`make test-contest-intervals` has 2,000 fields for each number of games."""

    timeout = 7_200
    PLAYERS = 8

    def truth(self, chance: SeededChance) -> list[float]:
        """True ratings, normal with the average 0 and one of the spreads that are expected, as often as it is."""
        number = chance.below(10**6) / 10**6 * sum(SPREADS.values())
        spread = next(one for one, until in zip(SPREADS, accumulate(SPREADS.values()), strict=True) if number < until)
        # The sum of twelve numbers between 0 and 1 has the variance 1, and is normal but for its far ends.
        drawn = [sum(chance.below(10**6) for _ in range(12)) / 10**6 - 6 for _ in range(self.PLAYERS)]
        return [spread * (one - sum(drawn) / self.PLAYERS) for one in drawn]

    def held(self, games: int) -> float:
        """The share of the intervals that hold the truth, in fields with so many games for each player."""
        held = 0
        for seed in range(FIELDS_TRIED):
            chance = SeededChance(1_000 * games + seed)
            truth = self.truth(chance)
            rounds = islice(round_robin(self.PLAYERS, 3), games)
            found = strengths(self.PLAYERS, played(truth, rounds, chance, DRAWN[seed % len(DRAWN)]))
            for player, true in enumerate(truth):
                rating = found.rating(player)
                held += rating.low <= true <= rating.high
        return held / (FIELDS_TRIED * self.PLAYERS)

    def test_they_hold_the_truth(self) -> None:
        """In 93 to 97 of 100 cases; with a few fields only, in about as many."""
        # Three standard deviations of a share of 0.95, but for the 2,000 fields.
        slack = 3 * sqrt(0.05 * 0.95 / (FIELDS_TRIED * self.PLAYERS)) if FIELDS_TRIED < 2_000 else 0.0
        for games in (0, 1, 2, 3, 5, 7, 20):
            with self.subTest(games=games):
                held = self.held(games)
                if FIELDS_TRIED >= 1_000:
                    print(f"{games} games each: {held:.1%} of {FIELDS_TRIED} fields of {self.PLAYERS}", flush=True)
                least, most = 0.93 - slack, 0.97 + slack
                self.assertTrue(least <= held <= most, held)


class SimulatedTests(SynchronousTestCase):
    TRUTH = (350.0, 250.0, 150.0, 50.0, -50.0, -150.0, -250.0, -350.0)

    def test_players_of_known_strength_come_out_in_order(self) -> None:
        """With 150 points from one to the next, and 210 games for each."""
        in_order = 0
        for seed in range(share(10, 40)):
            found = strengths(8, simulated([1.5 * one for one in self.TRUTH], 30, seed))
            values = [found.rating(player).value for player in range(8)]
            in_order += values == sorted(values, reverse=True)
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
