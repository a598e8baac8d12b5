"""The rules of paper soccer: the pitch, and positions."""

import random
from collections import Counter
from itertools import pairwise

from attrs import define, field
from hypothesis import given
from hypothesis import strategies as st

from gamehost.games.base import Seat
from gamehost.games.paper_soccer.master import PAPER_SOCCER, Situation
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
from tests.kit.games.paper_soccer import Move, as_move, complete_moves, random_move, random_position, recorded


class PitchTests(PropertyCase):
    def test_counts(self) -> None:
        self.assertEqual(len(set(POINTS)), 105)
        self.assertEqual(len(set(BORDER)), 40)
        self.assertEqual(len(set(DRAWABLE)), 316)
        self.assertFalse(set(BORDER) & set(DRAWABLE))

    def test_border_is_the_printed_one(self) -> None:
        outline = [(4, y) for y in range(-5, 6)]
        outline += [(3, 5), (2, 5), (1, 5), (1, 6), (0, 6)]
        outline += [(-x, y) for x, y in reversed(outline[:-1])]
        outline += [(x, -y) for x, y in reversed(outline) if y > 4 and abs(x) < 4]
        corners = [*outline, outline[0]]
        walked = {(min(a, b), max(a, b)) for a, b in pairwise(corners)}
        self.assertEqual(walked, set(BORDER))

    def test_mouths_are_open(self) -> None:
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
        apart = {(p, q) for p in POINTS for q in POINTS if neighbours(p, q) and q not in WAYS[p] and p[1] > 0 and p < q}
        self.assertEqual(apart, {((-2, 5), (-1, 6)), ((1, 6), (2, 5))})

    def test_on_pitch(self) -> None:
        self.assertTrue(all(map(on_pitch, POINTS)))
        for point in ((5, 0), (-5, 0), (2, 6), (-2, -6), (0, 7), (0, -7), (4, 6), (999, -999)):
            self.assertFalse(on_pitch(point))


def played(*moves: Move) -> Position:
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
    def test_first_step_ends_the_move(self) -> None:
        after = played(((0, 1),))
        self.assertEqual((after.ball, after.turn, after.ending), ((0, 1), SECOND, None))
        self.assertEqual(len(list(Position().steps())), 8)

    def test_bounce_goes_on(self) -> None:
        after = played(((0, 1),), ((-1, 0),))
        self.assertEqual(after.step((0, 0)).turn, FIRST)
        self.assertEqual(after.after(((0, 0), (1, 1))).turn, SECOND)

    def test_diagonals_cross(self) -> None:
        after = played(((1, 1),), ((0, 1),), ((1, 0),))
        self.assertEqual(after.ball, (1, 0))

    def test_mouth_does_not_bounce_but_posts_do(self) -> None:
        mouth = played(((0, 1),), ((0, 2),), ((0, 3),), ((0, 4),), ((0, 5),))
        self.assertEqual(mouth.turn, SECOND)
        post = played(((1, 1),), ((1, 2),), ((1, 3),), ((1, 4),))
        self.assertEqual(post.step((1, 5)).turn, post.turn)

    def test_goal(self) -> None:
        after = played(((0, 1),), ((0, 2),), ((0, 3),), ((0, 4),), ((0, 5),), ((1, 4),), ((1, 5), (0, 6)))
        assert after.ending is not None
        self.assertEqual((after.ending.winner, after.ending.how), (FIRST, How.GOAL))

    def test_own_goal(self) -> None:
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
        before = played(((1, 1),), ((2, 2),), ((3, 3),), ((3, 4),))
        after = before.after(((4, 5),))
        assert after.ending is not None
        self.assertEqual((after.ending.winner, after.ending.how), (SECOND, How.DEAD_END))

    def test_after_the_end_there_is_no_step(self) -> None:
        stuck = played(((1, 1),), ((2, 2),), ((3, 3),), ((3, 4),), ((4, 5),))
        scored = played(((0, 1),), ((0, 2),), ((0, 3),), ((0, 4),), ((0, 5),), ((0, 6),))
        for over, words in ((stuck, "over (dead end)"), (scored, "over (own goal)")):
            self.assertEqual(list(over.steps()), [])
            self.assertRaises(Foul, over.after, ())
            for point in POINTS:
                self.assertIn(words, str(self.assertRaises(Foul, over.step, point)))

    def test_each_foul_is_told(self) -> None:
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
        before = played(((0, 1),), ((-1, 0),))
        same = played(((0, 1),), ((-1, 0),))
        before.after(((0, 0), (1, 1)))
        self.assertRaises(Foul, before.after, ((0, 0), (0, 1)))
        self.assertEqual(before, same)
        self.assertRaises(AttributeError, setattr, before, "ball", (1, 1))


class PropertyTests(PropertyCase):
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
        position, mirrored = Position(), Position()
        while position.ending is None:
            move = random_move(position, rng)
            position = position.after(move)
            mirrored = mirrored.after(tuple((-x, y) for x, y in move))
        self.assertEqual(mirrored.ending, position.ending)

    @given(st.randoms(use_true_random=False))
    def test_there_is_always_a_move(self, rng: random.Random) -> None:
        position = random_position(rng, rng.randrange(65))
        if position.ending is None:
            self.assertTrue(next(complete_moves(position)))


# The rules agree with recorded games, recorded fouls, named corner cases, and the counts of moves known elsewhere.


def after_history(history: list[list[list[int]]]) -> Position:
    position = Position()
    for move in history:
        position = position.after(as_move(move))
    return position


def perft(position: Position, depth: int) -> Counter[How | None]:
    """The sequences of so many whole moves, by how the last one ended the game (`None`: not)."""
    found: Counter[How | None] = Counter()
    for _, after in complete_moves(position):
        if depth == 1:
            found[None if after.ending is None else after.ending.how] += 1
        else:
            found += perft(after, depth - 1)
    return found


def steps_perft(position: Position, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(steps_perft(position.step(point), depth - 1) for point in position.steps())


class VectorTests(PropertyCase):
    def test_games(self) -> None:
        games = recorded("paper_soccer_games.jsonl")
        self.assertEqual(len(games), 100)
        for game in games:
            before = after_history(game["moves"][:-1])
            self.assertIs(before.ending, None)
            ending = before.after(as_move(game["moves"][-1])).ending
            assert ending is not None
            self.assertEqual(ending.winner + 1, game["winner"])
            self.assertEqual(ending.how is How.DEAD_END, game["why"] == "blocked")

    def test_fouls(self) -> None:
        words = {
            "not a neighbouring point": ("neighbouring", "off the pitch", "goal post"),
            "move goes on after it had to end": ("cannot go on", "is over"),
            "segment already drawn": ("drawn already", "along the border"),
            "move ends too early (must bounce)": ("bounces",),
            "empty move": ("without points",),
        }
        fouls = recorded("paper_soccer_illegal.jsonl")
        self.assertEqual(len(fouls), 200)
        for foul in fouls:
            before = after_history(foul["history"])
            self.assertEqual(before.turn + 1, foul["loser"])
            said = str(self.assertRaises(Foul, before.after, as_move(foul["move"])))
            self.assertTrue(any(word in said for word in words[foul["reason"]]), (foul["reason"], said))

    def test_cases(self) -> None:
        cases = recorded("paper_soccer_cases.jsonl")
        self.assertEqual(len(cases), 7)
        for case in cases:
            position = after_history(case["history"])
            self.assertEqual(position.ball, tuple(case["ball"]), case["name"])
            self.assertEqual(position.turn + 1, case["turn"], case["name"])
            moves = {move for move, _ in complete_moves(position)}
            self.assertEqual(len(moves), case["n_moves"], case["name"])
            for move in map(as_move, case["legal"]):
                position.after(move)
                self.assertIn(move, moves, case["name"])
            for move in map(as_move, case["illegal"]):
                self.assertRaises(Foul, position.after, move)
                self.assertNotIn(move, moves, case["name"])


class CountTests(PropertyCase):
    """How many ways there are from the start; a closed mouth or forbidden own goals would change these numbers."""

    def test_whole_moves(self) -> None:
        self.assertEqual([perft(Position(), depth).total() for depth in range(1, 5)], [8, 56, 512, 5478])
        found = perft(Position(), 5)
        self.assertEqual(found.total(), 82434)
        self.assertEqual(found[How.GOAL] + found[How.OWN_GOAL], 184)
        self.assertEqual(found[How.DEAD_END], 224)

    def test_what_is_legal(self) -> None:
        def count(points: tuple[Point, ...], seat: Seat, depth: int) -> int:
            moves = PAPER_SOCCER.legal(Situation(Seat(0), points, seat, None), seat)
            if depth == 1:
                return sum(1 for _ in moves)
            return sum(count(points + move.points, Seat(1 - seat), depth - 1) for move in moves)

        self.assertEqual([count((), Seat(0), depth) for depth in range(1, 5)], [8, 56, 512, 5478])

    def test_single_steps(self) -> None:
        self.assertEqual([steps_perft(Position(), depth) for depth in range(1, 6)], [8, 56, 392, 2720, 17846])
