"""
The rules of paper soccer: the pitch, and positions.
"""

import random
from itertools import pairwise

from attrs import define, field
from attrs.exceptions import FrozenInstanceError
from hypothesis import given
from hypothesis import strategies as st

from gamehost.games.paper_soccer.rules import (
    AROUND,
    BORDER,
    BORDER_LINES,
    DRAWABLE,
    FIRST,
    GOALS,
    POINTS,
    SECOND,
    WAYS,
    Foul,
    How,
    Point,
    Position,
    Segment,
    neighbours,
    on_pitch,
)
from gamehost.testing.cases import PropertyCase
from tests.kit.games.paper_soccer import Move, complete_moves, random_move, random_position


class PitchTests(PropertyCase):
    """Counts and corners of the pitch, and that the tables tell one story."""

    def test_counts(self) -> None:
        """There are 105 points, 40 border segments and 316 segments to draw."""
        self.assertEqual(len(set(POINTS)), 105)
        self.assertEqual(len(set(BORDER)), 40)
        self.assertEqual(len(set(DRAWABLE)), 316)
        self.assertFalse(set(BORDER) & set(DRAWABLE))

    def test_border_is_the_printed_one(self) -> None:
        """Walking the outline of the pitch covers the border exactly, but for the two mouths."""
        outline = [(4, y) for y in range(-5, 6)]
        outline += [(3, 5), (2, 5), (1, 5), (1, 6), (0, 6)]
        outline += [(-x, y) for x, y in reversed(outline[:-1])]
        outline += [(x, -y) for x, y in reversed(outline) if y > 4 and abs(x) < 4]
        corners = [*outline, outline[0]]
        walked = {(min(a, b), max(a, b)) for a, b in pairwise(corners)}
        self.assertEqual(walked, set(BORDER))

    def test_mouths_are_open(self) -> None:
        """The lines between the posts can be drawn."""
        for y in (5, -5):
            for x in (-1, 0):
                self.assertIn(((x, y), (x + 1, y)), DRAWABLE)

    def test_a_goal_is_entered_from_the_mouth_only(self) -> None:
        """Five lines lead into each goal: three from the middle of the mouth, one from each post."""
        for y, back in ((5, 6), (-5, -6)):
            into = {s for s in DRAWABLE if back in (s[0][1], s[1][1])}
            expected = [((0, y), (x, back)) for x in (-1, 0, 1)] + [((x, y), (0, back)) for x in (-1, 1)]
            self.assertEqual(into, {(min(s), max(s)) for s in expected})

    def test_goals(self) -> None:
        """Who moves first attacks y = +6."""
        self.assertEqual({p for p, side in GOALS.items() if side == FIRST}, {(-1, 6), (0, 6), (1, 6)})
        self.assertEqual({p for p, side in GOALS.items() if side == SECOND}, {(-1, -6), (0, -6), (1, -6)})

    def test_ways_lead_back_along_the_same_line(self) -> None:
        """Each line is known by the same bit from both its ends, and no two lines share one."""
        bits = set()
        for point, ways in WAYS.items():
            for other, line in ways.items():
                self.assertEqual(WAYS[other][point], line)
                self.assertEqual(line.bit_count(), 1)
                bits.add(line)
            self.assertEqual(AROUND[point].bit_count(), len(ways))
        self.assertEqual(len(bits), 356)
        self.assertEqual(BORDER_LINES.bit_count(), 40)

    def test_neighbours_on_the_pitch_are_joined_but_round_the_posts(self) -> None:
        """Of all neighbouring points only the four pairs on two sides of a post's corner have no line."""
        apart = {(p, q) for p in POINTS for q in POINTS if neighbours(p, q) and q not in WAYS[p] and p[1] > 0 and p < q}
        self.assertEqual(apart, {((-2, 5), (-1, 6)), ((1, 6), (2, 5))})

    def test_on_pitch(self) -> None:
        """Points beyond the lines and beside the goals are off the pitch."""
        self.assertTrue(all(map(on_pitch, POINTS)))
        for point in ((5, 0), (-5, 0), (2, 6), (-2, -6), (0, 7), (0, -7), (4, 6), (999, -999)):
            self.assertFalse(on_pitch(point))


def played(*moves: Move) -> Position:
    """The position after these moves from the start."""
    position = Position()
    for move in moves:
        position = position.after(move)
    return position


def line(a: Point, b: Point) -> Segment:
    return (min(a, b), max(a, b))


@define(eq=False)
class Paper:
    """The rules once more, with sets, and without any of the tables: what a person with a pencil does."""

    drawn: set[Segment] = field(factory=lambda: set(BORDER))
    ball: Point = (0, 0)

    def may_go(self, to: Point) -> bool:
        x, y = self.ball
        if to not in POINTS or max(abs(x - to[0]), abs(y - to[1])) != 1 or line(self.ball, to) in self.drawn:
            return False
        return not (6 in (abs(y), abs(to[1])) and 2 in (abs(x), abs(to[0])))

    def go(self, to: Point) -> str:
        """What comes of one step that may be made: stop, bounce, goal or dead end."""
        bounces = any(to in segment for segment in self.drawn)
        self.drawn.add(line(self.ball, to))
        self.ball = to
        if abs(to[1]) == 6:
            return "goal"
        if not bounces:
            return "stop"
        return "bounce" if any(map(self.may_go, POINTS)) else "dead end"


class PositionTests(PropertyCase):
    """What one step and one move do."""

    def test_first_step_ends_the_move(self) -> None:
        """Nothing is near the centre: each of eight steps ends the first move."""
        after = played(((0, 1),))
        self.assertEqual((after.ball, after.turn, after.ending), ((0, 1), SECOND, None))
        self.assertEqual(len(list(Position().steps())), 8)

    def test_bounce_goes_on(self) -> None:
        """A ball that comes to a touched point stays with the same side until it comes to one that is not."""
        after = played(((0, 1),), ((-1, 0),))
        self.assertEqual(after.step((0, 0)).turn, FIRST)
        self.assertEqual(after.after(((0, 0), (1, 1))).turn, SECOND)

    def test_diagonals_cross(self) -> None:
        """A line may cross another between two points."""
        after = played(((1, 1),), ((0, 1),), ((1, 0),))
        self.assertEqual(after.ball, (1, 0))

    def test_mouth_does_not_bounce_but_posts_do(self) -> None:
        """The middle of the mouth is a point like any other; the posts are touched from the start."""
        mouth = played(((0, 1),), ((0, 2),), ((0, 3),), ((0, 4),), ((0, 5),))
        self.assertEqual(mouth.turn, SECOND)
        post = played(((1, 1),), ((1, 2),), ((1, 3),), ((1, 4),))
        self.assertEqual(post.step((1, 5)).turn, post.turn)

    def test_goal(self) -> None:
        """A ball in the goal that one attacks wins."""
        after = played(((0, 1),), ((0, 2),), ((0, 3),), ((0, 4),), ((0, 5),), ((1, 4),), ((1, 5), (0, 6)))
        assert after.ending is not None
        self.assertEqual((after.ending.winner, after.ending.how), (FIRST, How.GOAL))

    def test_own_goal(self) -> None:
        """A ball in one's own goal wins for the other side, all three points of the goal alike."""
        before = played(((0, 1),), ((0, 2),), ((0, 3),), ((0, 4),), ((0, 5),))
        for x in (-1, 0, 1):
            after = before.after(((x, 6),))
            assert after.ending is not None
            self.assertEqual((after.ending.winner, after.ending.how), (FIRST, How.OWN_GOAL))

    def test_goals_of_both_sides_count_for_their_side(self) -> None:
        """The same walk downwards, one move later, is a goal of the side that moved second."""
        before = played(((-1, 0),), ((0, -1),), ((0, -2),), ((0, -3),), ((0, -4),))
        after = before.after(((1, -5), (0, -6)))
        assert after.ending is not None
        self.assertEqual((after.ending.winner, after.ending.how), (SECOND, How.GOAL))

    def test_corner_is_a_dead_end(self) -> None:
        """Who plays into a corner has no line left there, and loses."""
        before = played(((1, 1),), ((2, 2),), ((3, 3),), ((3, 4),))
        after = before.after(((4, 5),))
        assert after.ending is not None
        self.assertEqual((after.ending.winner, after.ending.how), (SECOND, How.DEAD_END))

    def test_after_the_end_there_is_no_step(self) -> None:
        """After the end neither side goes on, and there is nowhere to go."""
        stuck = played(((1, 1),), ((2, 2),), ((3, 3),), ((3, 4),), ((4, 5),))
        scored = played(((0, 1),), ((0, 2),), ((0, 3),), ((0, 4),), ((0, 5),), ((0, 6),))
        for over, words in ((stuck, "over (dead end)"), (scored, "over (own goal)")):
            self.assertEqual(list(over.steps()), [])
            self.assertRaises(Foul, over.after, ())
            for point in POINTS:
                self.assertIn(words, str(self.assertRaises(Foul, over.step, point)))

    def test_each_foul_is_told(self) -> None:
        """A foul says which rule was broken, and where."""
        up = (((0, 1),), ((0, 2),), ((0, 3),), ((0, 4),))
        right = (((1, 1),), ((2, 2),), ((2, 3),), ((2, 4),))
        for moves, foul, words in (
            ((), ((0, 0),), "neighbouring"),
            ((), ((0, 2),), "(0, 0) to (0, 2): that is not a neighbouring point"),
            ((), ((-999, 999),), "(0, 0) to (-999, 999): that is off the pitch"),
            ((), ((0, 1), (0, 2)), "the move ends at (0, 1)"),
            ((), (), "without points"),
            ((((0, 1),),), ((0, 0),), "drawn already"),
            ((((0, 1),), ((-1, 0),)), ((0, 0),), "cannot end at (0, 0)"),
            (right, ((2, 5), (1, 5)), "along the border"),
            (right, ((2, 5), (1, 6)), "outside of a goal post"),
            (right, ((2, 5), (2, 6)), "off the pitch"),
            ((*up, ((0, 5),)), ((0, 6), (0, 5)), "over (own goal)"),
        ):
            error = self.assertRaises(Foul, played(*moves).after, foul)
            self.assertIn(words, str(error))

    def test_a_position_is_never_changed(self) -> None:
        """Playing from a position leaves it as it was, legal move or foul."""
        before = played(((0, 1),), ((-1, 0),))
        same = played(((0, 1),), ((-1, 0),))
        before.after(((0, 0), (1, 1)))
        self.assertRaises(Foul, before.after, ((0, 0), (0, 1)))
        self.assertEqual(before, same)
        self.assertRaises(FrozenInstanceError, setattr, before, "ball", (1, 1))


class PropertyTests(PropertyCase):
    """What is true of every position that random games come to."""

    @given(st.randoms(use_true_random=False))
    def test_agrees_with_pencil_and_paper(self, rng: random.Random) -> None:
        """Each step of a random game, and each refusal, is the same in a second reading of the rules."""
        position, paper = Position(), Paper()
        while position.ending is None:
            steps = set(position.steps())
            self.assertEqual(steps, {p for p in POINTS if paper.may_go(p)})
            for point in set(POINTS) - steps:
                self.assertRaises(Foul, position.step, point)
            before, position = position, position.step(rng.choice(sorted(steps)))
            came = paper.go(position.ball)
            if came == "stop":
                self.assertEqual((position.turn, position.ending), (1 - before.turn, None))
            elif came == "bounce":
                self.assertEqual((position.turn, position.ending), (before.turn, None))
            elif came == "goal":
                assert position.ending is not None
                self.assertEqual(position.ending.winner, 0 if position.ball[1] > 0 else 1)
                self.assertEqual(position.ending.how is How.GOAL, position.ending.winner == before.turn)
            else:
                assert position.ending is not None
                self.assertEqual((position.ending.winner, position.ending.how), (1 - before.turn, How.DEAD_END))

    @given(st.randoms(use_true_random=False), st.integers(0, 65))
    def test_too_short_and_too_long_are_fouls(self, rng: random.Random, moves: int) -> None:
        """Of a legal move no beginning is legal, and nothing can be added to it."""
        position = random_position(rng, moves)
        if position.ending is not None:
            return
        move = random_move(position, rng)
        for length in range(len(move)):
            self.assertRaises(Foul, position.after, move[:length])
        for point in POINTS:
            self.assertRaises(Foul, position.after, (*move, point))

    @given(st.randoms(use_true_random=False))
    def test_games_are_short_and_end(self, rng: random.Random) -> None:
        """Every game ends by goal or dead end after at most 65 moves."""
        over = random_position(rng, 65)
        self.assertIsNot(over.ending, None)

    @given(st.randoms(use_true_random=False))
    def test_left_and_right_are_alike(self, rng: random.Random) -> None:
        """A game seen in a mirror goes the same way."""
        position, mirrored = Position(), Position()
        while position.ending is None:
            move = random_move(position, rng)
            position = position.after(move)
            mirrored = mirrored.after(tuple((-x, y) for x, y in move))
        self.assertEqual(mirrored.ending, position.ending)

    @given(st.randoms(use_true_random=False))
    def test_there_is_always_a_move(self, rng: random.Random) -> None:
        """Between moves the side on turn always has a step, and so a move."""
        position = random_position(rng, rng.randrange(65))
        if position.ending is None:
            self.assertTrue(next(complete_moves(position)))
