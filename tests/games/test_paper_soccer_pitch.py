"""The pitch has the points, lines, goals and border of the printed one."""

from itertools import pairwise

from gamehost.games.paper_soccer.pitch import (
    AROUND,
    BORDER,
    BORDER_LINES,
    DRAWABLE,
    FIRST,
    GOALS,
    POINTS,
    SECOND,
    WAYS,
    neighbours,
    on_pitch,
)
from gamehost.testing.cases import PropertyCase


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
