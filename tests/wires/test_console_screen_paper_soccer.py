"""Paper soccer in a terminal."""

from gamehost.games.base import Seat
from gamehost.games.paper_soccer.master import PAPER_SOCCER
from gamehost.games.paper_soccer.messages import MESSAGES, EndedEvent, View
from gamehost.games.paper_soccer.text import SCREEN
from gamehost.games.screen import Screen, Style
from gamehost.testing.cases import PropertyCase
from tests.kit.wires.console import ASCII, NAMES, ScreenContract, hear, refused, show

_MOVES = [[(0, 1)], [(1, 1)], [(0, 0), (-1, 0)]]

_PITCH = r"""
  5  +===+===+===+   .   +===+===+===+   ^ y = 6: you score
     #                               #
  4  +   .   .   .   .   .   .   .   +
     #                               #
  3  +   .   .   .   .   .   .   .   +   The ball O is at -1,0.
     #                               #
  2  +   .   .   .   .   .   .   .   +   Move 3, you:
     #                               #   0,0 -1,0
  1  +   .   .   .   +---+   .   .   +
     #               | /             #   Free steps: n ne se s sw w nw
  0  +   .   .   O---+   .   .   .   +
     #                               #
 -1  +   .   .   .   .   .   .   .   +
     #                               #
 -2  +   .   .   .   .   .   .   .   +
     #                               #
 -3  +   .   .   .   .   .   .   .   +
     #                               #
 -4  +   .   .   .   .   .   .   .   +
     #                               #
 -5  +===+===+===+   .   +===+===+===+   v y = -6: bob scores
     -4  -3  -2  -1  0   1   2   3   4""".lstrip("\n")


def screen(seat: int | None, moves: list[list[tuple[int, int]]], following: int | None) -> Screen[View]:
    made = SCREEN(seat, NAMES[:2])
    show(made, View(0, moves, following))
    return made


class ScreenTests(ScreenContract, PropertyCase):
    game = PAPER_SOCCER
    messages = MESSAGES
    kind, example = SCREEN, "n ne e"

    def test_the_pitch(self) -> None:
        self.assertEqual("\n".join(screen(0, _MOVES, 1).draw(ASCII)), _PITCH)

    def test_the_second_seat_sees_it_turned(self) -> None:
        lines = screen(1, _MOVES, 1).draw(ASCII)
        self.assertIn("^ y = -6: you score", lines[0])
        self.assertIn("+---O", lines[10])
        self.assertEqual(screen(1, _MOVES, 1).read("n"), [b"-1,-1"])

    def test_diagonals_cross_in_one_square(self) -> None:
        crossed = [[(1, 1)], [(0, 1)], [(1, 0)]]
        self.assertIn("X", "".join(screen(0, crossed, 1).draw(ASCII)))
        self.assertIn("\u2573", "".join(screen(0, crossed, 1).draw(Style())))

    def test_in_words(self) -> None:
        lines = screen(1, _MOVES, 1).draw(Style(words=True))
        self.assertEqual(
            lines[:4],
            [
                "ann plays towards the goal at y = 6.",
                "You play towards the goal at y = -6.",
                "The ball is at -1,0.",
                "From there it can go n (-1,-1), ne (-2,-1), e (-2,0), se (-2,1), s (-1,1), sw",
            ],
        )
        self.assertEqual(lines[-1], "Move 3, ann: 0,0 -1,0.")

    def test_what_is_told(self) -> None:
        match = self.match(0)
        first = match.master.to_move()
        self.assertEqual(match.told[first], ["You move first."])
        match.type(first, "n")
        self.assertEqual(match.told[None][-1], f"{NAMES[first]} played 0,1.")
        self.assertEqual(hear(screen(1, [], 0), EndedEvent([(0, 1)], "goal")), ["ann played 0,1."])
        self.assertEqual(hear(screen(1, [], 0), EndedEvent([], "left the game")), [])

    def test_ways_to_type(self) -> None:
        at_start = screen(0, _MOVES[:2], 0)
        for text in ("sw w", "SW W", "0,0 -1,0", "(0,0) (-1,0)", "0, 0 -1, 0", "sw -1,0", "0,0 w"):
            self.assertEqual(at_start.read(text), [b"0,0 -1,0"], text)

    def test_mistakes(self) -> None:
        """Each is answered with what would be legal, and none of them loses the game."""
        white = screen(0, _MOVES[:2], 0)
        for text, part in (
            ("hello", "Type all its steps: nw."),
            ("", "Type all its steps"),
            ("sw", "The ball bounces at 0,0, so your move must go on. Type all its steps, and then e (1,0), se (1,-1)"),
            ("n n", "The ball stops at 1,2, so your move ends there: n."),
            ("w", "that line is drawn already. From 1,1 you can go n (1,2), ne (2,2)"),
            ("3,3", "that is not a neighbouring point. From 1,1 you can go"),
            ("9,9", "that is off the pitch. From 1,1 you can go"),
        ):
            self.assertIn(part, refused(self, white, text), text)
        self.assertEqual(refused(self, screen(1, _MOVES[:2], 0), "n"), "It is not your turn. ann is to move.")

    def test_the_end(self) -> None:
        moves = [[(0, 1)], [(0, 2)], [(0, 3)], [(0, 4)], [(0, 5)], [(0, 6)]]
        over = screen(0, moves, None)
        self.assertEqual(over.prompt_line(), "The match is over.")
        board = over.draw(ASCII)
        self.assertIn("The ball O is at 0,6.", "\n".join(board))
        self.assertEqual(
            [line.rstrip() for line in board[:2]], ["  6              +===O===+", "                 #   |   #"]
        )
        self.assertEqual(len(board), 24)
        self.assertEqual(over.draw(Style(words=True))[-1], "Move 6, bob: 0,6.")

    def test_steps_after_the_goal(self) -> None:
        near = screen(0, [[(0, 1)], [(0, 2)], [(0, 3)], [(0, 4)]], 0)
        self.assertIn("the game is over", refused(self, near, "ne nw n"))
        self.assertEqual(near.read("ne nw"), [b"1,5 0,6"])

    def test_a_seat_that_was_drawn_first(self) -> None:
        """Whoever moves first attacks y = 6."""
        made = SCREEN(Seat(1), NAMES[:2])
        show(made, View(1, [], 1))
        self.assertEqual(made.read("n"), [b"0,1"])


del ScreenContract
