"""The picture of Paper Soccer: complete, with the place where an illegal move was tried, and the same each time."""

import re
from collections.abc import Sequence

from gamehost.games.base import Cause, Result, Seat
from gamehost.games.drawing import Scene
from gamehost.games.paper_soccer.master import PAPER_SOCCER, Move, Situation
from gamehost.games.paper_soccer.rules import BORDER, Point
from gamehost.games.paper_soccer.svg import HEIGHT, INKS, UNIT, WIDTH, picture
from gamehost.games.play import picture_of
from gamehost.testing.cases import PropertyCase
from tests.games.test_paper_soccer_master import ContractTests
from tests.kit.drawn_matches import SVG, PictureContract, parsed, titles, words
from tests.kit.games.paper_soccer import as_move, recorded

NUMBERS = re.compile(r"-?[0-9.]+")


def drawn(moves: Sequence[Sequence[Point]], following: int | None = None, **changes: object) -> str:
    """The picture of a match of ann and bob, who moved first."""
    points = tuple(point for move in moves for point in move)
    following = (1 + len(moves)) % 2 if following is None else following
    situation = Situation(Seat(1), points, Seat(following), None)
    return picture(Scene(names=["ann", "bob"], view=situation, **changes))  # type: ignore[arg-type]


def path(element: object) -> list[tuple[Point, Point]]:
    """The lines of a path, as points of the pitch."""
    numbers = [float(one) for one in NUMBERS.findall(element.attrib["d"])]  # type: ignore[attr-defined]
    points = [
        (round((x - WIDTH / 2) / UNIT), round((HEIGHT / 2 - y) / UNIT))
        for x, y in zip(numbers[::2], numbers[1::2], strict=True)
    ]
    return list(zip(points[::2], points[1::2], strict=True))


class PictureTests(PictureContract, PropertyCase):
    """The contract, and what is in the picture."""

    player = ContractTests()

    def test_recorded_games(self) -> None:
        """Every move is drawn through its points, in its side's style, with its number; the ball lies at the end."""
        for game in recorded("paper_soccer_games.jsonl")[:20]:
            moves = [as_move(move) for move in game["moves"]]
            text = drawn(moves)
            start: Point = (0, 0)
            expected = []
            for number, move in enumerate(moves):
                kind = ("first", "second")[number % 2]
                expected += [(kind, line) for line in zip((start, *move), move, strict=False)]
                start = move[-1]
            found = [
                (element.attrib["class"].split()[0], line)
                for element in parsed(text).iter(f"{SVG}path")
                if element.attrib["class"].split()[0] in ("first", "second") and element.attrib["d"] != "M-11 0H11"
                for line in path(element)
            ]
            self.assertEqual(found, expected)
            told = [title for title in titles(text) if title[0].isdigit()]
            self.assertEqual(told[0], f"1. bob: {' '.join(f'{x},{y}' for x, y in moves[0])}")
            counts = [
                element.text for element in parsed(text).iter(f"{SVG}text") if element.attrib.get("class") == "count"
            ]
            self.assertEqual(counts, [str(number) for number in range(1, len(moves) + 1)])

    def test_the_sides_differ(self) -> None:
        """In colour, and in the gap in the lines of the second one. Names are in the ink of their side."""
        text = drawn([[(0, 1)], [(1, 1)]])
        self.assertNotEqual(*INKS)
        self.assertIn(f".second {{ stroke: {INKS[1]}; stroke-dasharray: 41 18 41 }}", text)
        self.assertIn(f'<tspan fill="{INKS[0]}">bob</tspan>', text)
        self.assertIn(f'<tspan fill="{INKS[1]}">ann</tspan>', text)

    def test_the_border(self) -> None:
        """As it is, with the mouths open."""
        [element] = [one for one in parsed(drawn([])).iter(f"{SVG}path") if one.attrib["class"] == "border"]
        self.assertEqual(set(path(element)), set(BORDER))

    def test_who_is_who(self) -> None:
        """Who moved first scores above, and sits below; the other one's own picture is turned."""
        shown = words(drawn([[(0, 1)]]))
        self.assertIn("annscores at y = -6", shown)
        self.assertIn("bobscores at y = 6", shown)
        self.assertIn("ann is to move.", shown)
        turned = words(drawn([[(0, 1)]], seat=Seat(0)))
        self.assertLess(turned.index("bobscores at y = 6"), turned.index("annscores at y = -6"))

    def test_illegal_moves(self) -> None:
        """What was tried is dashed as far as it was legal, and crossed where it was not."""
        lost = Result((Seat(1),), Cause.VIOLATION, "illegal move: no step")
        for points, dashed in (
            (((0, 0),), [((0, 1), (0, 0))]),
            (((0, 2), (0, 3)), [((0, 1), (0, 2))]),
            (((999, -999),), []),
        ):
            text = drawn([((0, 1),)], foul=Move(points), result=lost)
            lines = [
                line for one in parsed(text).iter(f"{SVG}path") if one.attrib["class"] == "tried" for line in path(one)
            ]
            self.assertEqual(lines, dashed)
            self.assertEqual(text.count('class="cross"'), 1)
            self.assertIn("bob won: ann tried an illegal move: no step.", words(text))

    def test_nothing_is_fetched_or_run(self) -> None:
        """The picture needs nothing from elsewhere and holds no program."""
        text = drawn([((0, 1),)])
        self.assertEqual(re.findall(r"https?://[^\"]*", text), ["http://www.w3.org/2000/svg"])
        for word in ("script", "href", "url(", "@import", "onload", "<!"):
            self.assertNotIn(word, text)

    def test_a_game_draws(self) -> None:
        """The game's token has pictures."""
        scene = Scene(names=["ann", "bob"], view=Situation(Seat(0), (), Seat(0), None))
        self.assertEqual(picture_of(PAPER_SOCCER, scene), picture(scene))


del PictureContract, ContractTests
