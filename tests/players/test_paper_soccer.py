"""Players of Paper Soccer: legal, repeatable, and blind to no goal of this turn or the next at the level hard."""

import random
from itertools import islice

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Cause, Seat
from gamehost.games.paper_soccer.master import PAPER_SOCCER, Ended, Kickoff, Moved, Situation
from gamehost.games.paper_soccer.player import LINKS, PaperSoccerPlayer, PaperSoccerRules, Place, distances, turns
from gamehost.games.paper_soccer.rules import POINTS, Point, Position
from gamehost.games.play import new_player
from gamehost.players.base import Level, SeededChance, Thinking
from tests.kit.games.paper_soccer import TooMany, dangers, ends, is_safe, random_positions, wins
from tests.kit.players import check_whole_matches, line_ups

THINKING = Thinking(SeededChance(1))


def place_of(position: Position) -> Place:
    return Place(POINTS.index(position.ball), position.drawn, position.turn)


def after_answer(position: Position) -> Position:
    player = new_player("paper-soccer", Seat(0), Level.HARD, 1, effort=0.1)
    assert isinstance(player, PaperSoccerPlayer)
    player.hear(Kickoff(Seat(position.turn)))
    player.position = position
    notation = player.answer()
    assert notation is not None
    return position.after(PAPER_SOCCER.read(notation).points)


def check_tactics(test: SynchronousTestCase, wanted: int, seed: int) -> None:
    for position in islice(wins(seed), wanted):
        ending = after_answer(position).ending
        test.assertTrue(ending is not None and ending.winner == position.turn, position)
    for position in islice(dangers(seed), wanted):
        test.assertTrue(is_safe(after_answer(position), position.turn), position)


class PaperSoccerTests(SynchronousTestCase):
    def test_whole_matches(self) -> None:
        check_whole_matches(self, PAPER_SOCCER, line_ups(), [1], effort=0.05)

    def test_tactics(self) -> None:
        """Hard misses no win and no avoidable loss in one turn, in positions of random games."""
        check_tactics(self, 50, seed=1)

    def test_turns(self) -> None:
        rng = random.Random(1)
        for position in islice(random_positions(2), 40):
            found = list(turns(place_of(position), 300))
            try:
                expected = {(end.ball, end.drawn) for end in ends(position, 150)}
            except TooMany:
                continue
            self.assertEqual({(POINTS[turn.to.ball], turn.to.drawn) for turn in found}, expected)
            self.assertEqual(len(found), len(expected))
            turn = rng.choice(found)
            after = position.after([POINTS[number] for number in turn.points])
            winner = -1 if after.ending is None else after.ending.winner
            self.assertEqual((turn.to.ball, turn.to.winner), (POINTS.index(after.ball), winner))

    def test_few_are_enough(self) -> None:
        """However few positions are looked at, there is a turn if the ball can move."""
        for position in islice(random_positions(4), 50):
            self.assertNotEqual(PaperSoccerRules(20).moves(place_of(position)), [])

    def test_distances(self) -> None:
        self.assertEqual(distances(POINTS.index((0, 0)), Position().drawn), (4, 4))
        self.assertEqual(distances(POINTS.index((1, 5)), Position().drawn)[0], 0)
        self.assertEqual(len(LINKS), 105)

    def test_last_resort(self) -> None:
        """When the turns that hard looked at all lose, it looks at more, and finds one that saves it."""
        player = PaperSoccerPlayer(Seat(0), Level.HARD, THINKING)
        for position in islice(dangers(7), 10):
            turn = player._saving(place_of(position))
            assert turn is not None
            self.assertTrue(is_safe(position.after([POINTS[number] for number in turn.points]), position.turn))

    def test_no_answer_before_the_kick_off_out_of_turn_and_after_the_end(self) -> None:
        player = PaperSoccerPlayer(Seat(1), Level.MEDIUM, THINKING)
        self.assertIsNone(player.answer())
        player.hear(Kickoff(Seat(0)))
        self.assertIsNone(player.answer())
        player.hear(Moved(Seat(0), ((0, 1),), Seat(1)))
        self.assertIsNotNone(player.answer())
        player.hear(Ended(Seat(1), Seat(0), (), Cause.LEFT, "left"))
        self.assertIsNone(player.answer())

    def test_coming_back(self) -> None:
        played: list[tuple[Point, ...]] = [((0, 1),), ((1, 1),), ((0, 2),)]
        stayed, back = (PaperSoccerPlayer(Seat(0), Level.HARD, Thinking(SeededChance(3))) for _ in range(2))
        stayed.hear(Kickoff(Seat(1)))
        for points in played:
            stayed.hear(Moved(Seat(0), points, Seat(0)))
        back.hear(Situation(Seat(1), tuple(point for points in played for point in points), Seat(0), None))
        self.assertEqual(stayed.position, back.position)
        self.assertEqual(stayed.answer(), back.answer())
        back.hear(Situation(Seat(1), (), None, None))
        self.assertIsNone(back.answer())
