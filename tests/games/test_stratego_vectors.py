"""
Counts and whole games that other implementations agree on.
"""

import json
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Cause, Result, Seat
from gamehost.games.stratego.events import Board, Fought, Moved, Phase, Situation
from gamehost.games.stratego.master import STRATEGO
from gamehost.games.stratego.rules import Position, seen
from tests.kit.games.stratego import POOR, POOR_FAR, as_action, from_setups, in_play, rows_of, told

GAMES = Path(__file__).parent.parent / "vectors" / "stratego_games.jsonl"

#: Set-ups (y 0..3, y 6..9) and the number of move sequences of length 1, 2, 3 ...
PERFT = (
    (POOR, POOR_FAR, (6, 29, 189, 1239, 8411)),
    (
        rows_of("8362BS4579B8B8985B7BF69866173499999574B5"),
        rows_of("963F89S61B95574B4867595894387B99279BB86B"),
        (11, 98, 1209, 14367, 185270),
    ),
    (
        rows_of("94F9B795B99949581259676BB68SB87367858B43"),
        rows_of("3123464959599887F7578B86946BB79B996B8BS5"),
        (6, 47, 478, 5454, 59428),
    ),
)


def perft(position: Position, depth: int) -> int:
    """The number of move sequences of this length; a game that is over has no moves."""
    if position.result(2000) is not None:
        return 0
    turn = position.turn
    view = Situation(turn, Phase.PLAY, seen(position.squares, turn), (True, True), turn, None, position.walks[turn])
    moves = STRATEGO.legal(view, turn)
    assert moves is not None
    return sum(1 if depth == 1 else perft(position.after(*squares_of(move))[0], depth - 1) for move in moves)


def squares_of(move: Any) -> tuple[int, int]:
    """The numbers of a move's squares."""
    return move.y * 10 + move.x, move.to_y * 10 + move.to_x


class PerftTests(SynchronousTestCase):
    """Legal moves, counted to depth 4; `long_stratego` goes to 5."""

    def test_counts(self) -> None:
        """The numbers of move sequences from three set-ups."""
        for first, second, counts in PERFT:
            position = from_setups(first, second)
            for depth in range(1, 5):
                self.assertEqual(perft(position, depth), counts[depth - 1], (first, depth))


class GameTests(SynchronousTestCase):
    """Recorded games, played to a master."""

    def replay(self, record: dict[str, Any]) -> None:
        """Every ply has as many legal moves and the battle that was recorded, and the end is the same."""
        master = in_play(record["setup0"], record["setup1"])
        for ply, (x, y, to_x, to_y, choices, battle) in enumerate(record["plies"]):
            self.assertIs(master.result, None)
            position = master.position
            assert position is not None
            self.assertEqual(sum(1 for _ in position.legal_moves()), choices, ply)
            move = as_action((y * 10 + x, to_y * 10 + to_x))
            event = told(master.act(position.turn, move, ply), None)[0]
            self.assertEqual((event.seat, event.move), (Seat(ply % 2), move))
            if battle is None:
                self.assertIsInstance(event, Moved)
            else:
                self.assertIsInstance(event, Fought)
                # In the records a flag is not beaten but taken.
                left = "attacker" if battle[2] == "flag" else battle[2]
                self.assertEqual([event.attacker, event.defender, event.winner], [battle[0], battle[1], left], ply)
        why = {"flag": "flag taken", "opponent cannot move": "no move left"}[record["why"]]
        self.assertEqual(master.result, Result((Seat(record["winner"]),), Cause.RULES, why))
        board = Board(record["final0"].replace("?", "#"))
        self.assertEqual(Board(master.view(Seat(0)).squares), board)

    def test_recorded_games(self) -> None:
        """All recorded games, ends by the flag and by a side that cannot move among them."""
        records = [json.loads(line) for line in GAMES.read_text().splitlines()]
        self.assertEqual(len(records), 12)
        for record in records:
            self.replay(record)
        self.assertEqual({record["why"] for record in records}, {"flag", "opponent cannot move"})
