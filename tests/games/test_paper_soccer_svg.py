"""The picture of a game is well-formed, complete, the same each time, and harmless whatever the players are called."""

import random
import re
from collections.abc import Sequence
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from gamehost.games.paper_soccer.pitch import BORDER, Point
from gamehost.games.paper_soccer.position import Position
from gamehost.games.paper_soccer.svg import HEIGHT, INKS, UNIT, WIDTH, svg
from gamehost.testing.cases import PropertyCase
from tests.kit.games.paper_soccer_walks import Move, as_move, random_move, recorded

SVG = "{http://www.w3.org/2000/svg}"
ANY_TEXT = st.text(st.characters(exclude_categories=())) | st.text("<>&'\"]-!?/ \x00\x1b\ud800\ufffe", max_size=9)


def parsed(picture: str) -> ElementTree.Element:
    """The picture as a program sees it; it must be UTF-8 and well-formed."""
    return ElementTree.fromstring(picture.encode("utf-8"))


def pixels(text: str) -> list[Point]:
    """Pairs of whole numbers."""
    pairs = (pair.split(",") for pair in text.split())
    return [(int(x), int(y)) for x, y in pairs]


def on_pitch(picture: ElementTree.Element, places: Sequence[Point]) -> list[Point]:
    """The points of the pitch that are drawn at these places, told from where the kick-off mark is."""
    mark = picture.find(f"{SVG}circle[@class='start']")
    assert mark is not None
    middle = (int(mark.attrib["cx"]), int(mark.attrib["cy"]))
    return [((x - middle[0]) // UNIT, (middle[1] - y) // UNIT) for x, y in places]


def ball(picture: ElementTree.Element) -> Point:
    """Where the ball is drawn, on the pitch."""
    circle = picture.find(f"{SVG}circle[@class='ball']")
    assert circle is not None
    return on_pitch(picture, [(int(circle.attrib["cx"]), int(circle.attrib["cy"]))])[0]


def words(picture: ElementTree.Element) -> list[str]:
    """The lines of text, from above."""
    return [text.text or "" for text in picture.iter(f"{SVG}text")]


class DrawingTests(PropertyCase):
    """What is in the picture."""

    def test_recorded_games(self) -> None:
        """Every move of a game is a line through its points, in its side's ink; the ball lies at the end."""
        for game in recorded("paper_soccer_games.jsonl"):
            moves = [as_move(move) for move in game["moves"]]
            picture = parsed(svg(moves, ("ann", "bob")))
            drawn = list(picture.iter(f"{SVG}polyline"))
            self.assertEqual(len(drawn), len(moves))
            start: Point = (0, 0)
            for number, (line, move) in enumerate(zip(drawn, moves, strict=True)):
                self.assertEqual(on_pitch(picture, pixels(line.attrib["points"])), [start, *move])
                self.assertEqual(line.attrib["class"], ("first", "second")[number % 2])
                told = line.findtext(f"{SVG}title", "")
                self.assertTrue(told.startswith(f"{number + 1}. {('ann', 'bob')[number % 2]}: ({move[0][0]}, "), told)
                start = move[-1]
            self.assertEqual(ball(picture), start)
            self.assertIn(f"{('ann', 'bob')[game['winner'] - 1]} won", words(picture)[-1])

    def test_inks_differ(self) -> None:
        """Each side has an ink of its own, and the goal that it attacks is tinted with it."""
        text = svg([])
        self.assertNotEqual(*INKS)
        self.assertIn(f".first {{ stroke: {INKS[0]} }}", text)
        self.assertIn(f".second {{ stroke: {INKS[1]} }}", text)
        upper, lower = parsed(text).findall(f"{SVG}rect[@class='goal']")
        self.assertLess(int(upper.attrib["y"]), int(lower.attrib["y"]))
        self.assertEqual((upper.attrib["fill"], lower.attrib["fill"]), INKS)

    def test_border(self) -> None:
        """The border is drawn as it is, with the mouths open."""
        picture = parsed(svg([]))
        path = picture.find(f"{SVG}path[@class='border']")
        assert path is not None
        ends = pixels(path.attrib["d"].replace("M", " ").replace("L", " "))
        points = on_pitch(picture, ends)
        self.assertEqual(set(zip(points[::2], points[1::2], strict=True)), set(BORDER))

    def test_goals_lie_behind_their_mouths(self) -> None:
        """The tint fills each goal from post to post."""
        picture = parsed(svg([]))
        corners = []
        for goal in picture.findall(f"{SVG}rect[@class='goal']"):
            x, y, width, height = (int(goal.attrib[name]) for name in ("x", "y", "width", "height"))
            corners.append(on_pitch(picture, [(x, y), (x + width, y + height)]))
        self.assertEqual(corners, [[(-1, 6), (1, 5)], [(-1, -5), (1, -6)]])

    def test_who_is_who(self) -> None:
        """Who moved first attacks the upper goal; the line below says whose turn it is."""
        upper, lower, below = words(parsed(svg([((0, 1),)], ("ann", "bob"))))
        self.assertEqual((upper, lower, below), ("ann attacks here", "bob attacks here", "bob to move"))

    def test_before_the_first_move(self) -> None:
        """An empty game has the ball in the centre."""
        picture = parsed(svg([]))
        self.assertEqual(list(picture.iter(f"{SVG}polyline")), [])
        self.assertEqual(ball(picture), (0, 0))

    def test_caption_replaces_what_the_moves_tell(self) -> None:
        """What is known from elsewhere, such as a time that ran out, is said instead."""
        picture = parsed(svg([((0, 1),)], caption="ran out of time"))
        self.assertEqual(words(picture)[-1], "ran out of time")

    def test_long_captions_are_wrapped(self) -> None:
        """The longest way to lose needs two lines; what would need a third is left out, and seen to be."""
        nick = "n" * 20
        foul = "illegal move: the move ends at (-3, -4), where no line was, and cannot go on to (-999, -999)"
        caption = f"{nick} won (violation): {foul}"
        lines = words(parsed(svg([], (nick, nick), caption)))[2:]
        self.assertEqual(" ".join(lines), caption)
        self.assertEqual(len(lines), 2)
        lines = words(parsed(svg([], caption="word " * 99)))[2:]
        self.assertEqual(len(lines), 2)
        self.assertTrue(lines[-1].endswith("word ..."))

    def test_illegal_moves_are_left_out(self) -> None:
        """From the first illegal move on nothing is drawn, and what is drawn stays within the picture."""
        for foul in (((0, 0),), ((999, -999),), (), ((0, 2), (5, 5))):
            self.assertEqual(svg([((0, 1),), foul, ((0, 2),)]), svg([((0, 1),)]))

    def test_nothing_follows_the_end(self) -> None:
        """What stands after the move that ended the game is left out, an empty move too."""
        corner = [((1, 1),), ((2, 2),), ((3, 3),), ((3, 4),), ((4, 5),)]
        for more in ((), ((3, 4),)):
            self.assertEqual(svg([*corner, more]), svg(corner))

    def test_everything_is_inside(self) -> None:
        """No number of the picture is beyond its width and height."""
        for game in recorded("paper_soccer_games.jsonl")[:10]:
            picture = parsed(svg(map(as_move, game["moves"]), caption="word " * 99))
            for line in picture.iter(f"{SVG}polyline"):
                for x, y in pixels(line.attrib["points"]):
                    self.assertTrue(0 < x < WIDTH and 0 < y < HEIGHT)
            for text in picture.iter(f"{SVG}text"):
                self.assertTrue(0 < int(text.attrib["y"]) < HEIGHT)

    def test_nothing_is_fetched_or_run(self) -> None:
        """The picture needs nothing from elsewhere and holds no program."""
        text = svg([((0, 1),)])
        self.assertEqual(re.findall(r"https?://[^\"]*", text), ["http://www.w3.org/2000/svg"])
        for word in ("script", "href", "url(", "@import", "onload", "<!"):
            self.assertNotIn(word, text)


class PropertyTests(PropertyCase):
    """Any game, any names."""

    @given(st.randoms(use_true_random=False), st.integers(0, 65))
    def test_same_game_same_text(self, rng: random.Random, length: int) -> None:
        """The same moves give the same text, from a list or from an iterator."""
        position = Position()
        moves: list[Move] = []
        while position.ending is None and len(moves) < length:
            moves.append(random_move(position, rng))
            position = position.after(moves[-1])
        self.assertEqual(svg(moves), svg(iter(moves)))
        self.assertEqual(ball(parsed(svg(moves))), position.ball)

    @given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
    def test_any_words_are_words(self, first: str, second: str, caption: str) -> None:
        """Names and captions of any characters stay text: the picture keeps its elements and stays well-formed."""
        plain = [element.tag for element in parsed(svg([((0, 1),)])).iter()]
        text = svg([((0, 1),)], (first, second), caption)
        self.assertTrue(text.isascii())
        tags = [element.tag for element in parsed(text).iter()]
        self.assertIn(tags, (plain, [*plain, f"{SVG}text"]), "the words below may need a second line")

    def test_words_are_kept(self) -> None:
        """What XML can hold is shown as it was written; the rest becomes a replacement character."""
        picture = parsed(svg([], ("<b>&amp;", "Zo\u00eb \U0001f3b2"), "a\x00b\ud800c"))
        self.assertEqual(
            words(picture), ["<b>&amp; attacks here", "Zo\u00eb \U0001f3b2 attacks here", "a\ufffdb\ufffdc"]
        )
