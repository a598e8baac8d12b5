"""What the pictures of all games have in common."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Cause, Result, Seat
from gamehost.games.drawing import Board, PlayerLine, Scene, at, caption, ending, escaped, number, numbered, page, tag
from tests.kit.drawn_matches import parsed, words

ANN, BOB = Seat(0), Seat(1)


class WordsTests(SynchronousTestCase):
    """Captions, without the words of the journal."""

    def test_endings(self) -> None:
        """Who won and why; who left, or was too slow, is named."""
        names = ("ann", "bob")
        for result, expected in (
            (Result((ANN,), Cause.RULES, "the master is taken"), "ann won: the master is taken."),
            (Result((), Cause.RULES, "too many moves"), "A draw: too many moves."),
            (Result((BOB,), Cause.LEFT, "left the game"), "bob won: ann left the match."),
            (Result((BOB,), Cause.TIME, "no move in time"), "bob won: ann ran out of time."),
            (
                Result((ANN,), Cause.VIOLATION, "illegal move: too long"),
                "ann won: bob tried an illegal move: too long.",
            ),
            (Result((ANN, BOB), Cause.RULES, "a tie"), "ann and bob won: a tie."),
        ):
            self.assertEqual(ending(result, names), expected)
        of_three = Result((ANN,), Cause.LEFT, "a player left; most towers")
        self.assertEqual(ending(of_three, ("ann", "bob", "clara")), "ann won: a player left; most towers.")

    def test_captions(self) -> None:
        """The end, why it stands still, or who is to move."""
        self.assertEqual(caption(Scene(["ann", "bob"], None), 1), "bob is to move.")
        self.assertEqual(caption(Scene(["ann", "bob"], None, standstill="Put away"), 1), "Put away.")
        self.assertEqual(caption(Scene(["ann", "bob"], None), None), "")


class ElementTests(SynchronousTestCase):
    """Elements of SVG as text."""

    def test_elements(self) -> None:
        """Names of attributes as Python allows them; numbers with one decimal at most."""
        self.assertEqual(
            tag("rect", class_="a", stroke_width=1.25, x=2.0), '<rect class="a" stroke-width="1.2" x="2"/>'
        )
        self.assertEqual(tag("g", "<a/>", "b"), "<g><a/>b</g>")
        self.assertEqual(at(1, 2.5, "x"), '<g transform="translate(1 2.5)">x</g>')
        self.assertEqual(at(0, 0, "x", scale=0.5), '<g transform="translate(0 0) scale(0.5)">x</g>')
        self.assertEqual((number(3), number(3.04), number(-0.5)), ("3", "3", "-0.5"))

    def test_text_from_outside(self) -> None:
        """Escaped, in ASCII, and without what XML cannot hold."""
        self.assertEqual(escaped("<\u00eb\x00&"), "&lt;&#235;&#65533;&amp;")

    def test_pages(self) -> None:
        """Players, board, sentences and moves, each within the picture; long captions are wrapped and cut."""
        players = [PlayerLine(1, "#000000", ""), PlayerLine(0, "#000000", "", "White")]
        scene = Scene(["ann", "bob"], None, result=Result((ANN,), Cause.RULES, "x"), source="table 7")
        drawn = page(scene, "Chess", "", Board(300, 100, ()), players, ["word " * 200], numbered(["a b"] * 100))
        self.assertEqual(words(drawn)[:5], ["Chess", "table 7", "bob", "annWhite", "won"])
        self.assertEqual(" ".join(words(drawn)).count("word"), 80)
        self.assertNotIn("textLength", drawn)
        for name in ("n" * 21, "\u5b57" * 11):
            narrow = page(Scene([name, "bob"], None), "Chess", "", Board(300, 100, ()), players, (), ())
            self.assertEqual(narrow.count('textLength="210"'), 1)
        self.assertEqual(words(drawn)[-1], "100. a b")
        root = parsed(drawn)
        for element in root.iter():
            for axis, size in (("x", "width"), ("y", "height")):
                place = float(element.attrib.get(axis, 0))
                self.assertTrue(0 <= place <= float(root.attrib[size]), element.attrib)
