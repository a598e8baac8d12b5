"""The rules agree with recorded games, recorded fouls, named corner cases, and the counts of moves known elsewhere."""

from collections import Counter

from gamehost.games.base import Seat
from gamehost.games.paper_soccer.master import PAPER_SOCCER, Situation
from gamehost.games.paper_soccer.rules import Foul, How, Point, Position
from gamehost.testing.cases import PropertyCase
from tests.kit.games.paper_soccer import as_move, complete_moves, recorded


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
    """The sequences of so many single steps."""
    if depth == 0:
        return 1
    return sum(steps_perft(position.step(point), depth - 1) for point in position.steps())


class VectorTests(PropertyCase):
    """Records made by other implementations."""

    def test_games(self) -> None:
        """All recorded games can be played, end with their last move, and are won by whom the record says."""
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
        """All recorded illegal moves are fouls of the side on turn, for the reason that the record gives."""
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
        """The named cases have their ball, turn and number of moves; listed moves are legal or not as listed."""
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
        """Sequences of one to five moves, and how many of the longest end in a goal or a dead end."""
        self.assertEqual([perft(Position(), depth).total() for depth in range(1, 5)], [8, 56, 512, 5478])
        found = perft(Position(), 5)
        self.assertEqual(found.total(), 82434)
        self.assertEqual(found[How.GOAL] + found[How.OWN_GOAL], 184)
        self.assertEqual(found[How.DEAD_END], 224)

    def test_what_is_legal(self) -> None:
        """The same numbers for a seat that asks by its view."""

        def count(points: tuple[Point, ...], seat: Seat, depth: int) -> int:
            moves = PAPER_SOCCER.legal(Situation(Seat(0), points, seat, None), seat)
            if depth == 1:
                return sum(1 for _ in moves)
            return sum(count(points + move.points, Seat(1 - seat), depth - 1) for move in moves)

        self.assertEqual([count((), Seat(0), depth) for depth in range(1, 5)], [8, 56, 512, 5478])

    def test_single_steps(self) -> None:
        """Sequences of one to five steps."""
        self.assertEqual([steps_perft(Position(), depth) for depth in range(1, 6)], [8, 56, 392, 2720, 17846])
