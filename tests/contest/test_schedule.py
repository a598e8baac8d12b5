"""Who plays whom: the laws of each schedule, for fields of 2 to 200."""

from collections import Counter
from itertools import combinations
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.contest.schedule import Past, Round, complete_matching, gauntlet, round_robin, seatings, swiss_round

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
        """Each player is in each round exactly once, in a game or without one."""
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
        """Two players meet again and again, with the seats in turn."""
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
