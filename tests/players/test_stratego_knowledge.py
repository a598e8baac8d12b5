"""What a side can know of the other one, checked against the whole truth in whole games."""

import random

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.stratego.actions import Move
from gamehost.games.stratego.events import Board, Fought, Moved
from gamehost.games.stratego.position import FIRST_PLAYER, SECOND, SECOND_PLAYER, Position, seen
from gamehost.games.stratego.views import board_with
from gamehost.players.base import SeededChance
from gamehost.players.stratego_knowledge import Knowledge
from tests.kit.games.stratego_table import drawn, from_setups, shuffled_rows, square


def played(seed: int, most: int) -> tuple[Position, Knowledge]:
    """A position of a random game, and what the first player knows of it."""
    rng = random.Random(seed)
    position = from_setups(shuffled_rows(rng), shuffled_rows(rng))
    knowledge = Knowledge(FIRST_PLAYER)
    knowledge.look(seen(position.squares, FIRST_PLAYER))
    for _ in range(most):
        steps = list(position.legal_moves())
        if position.result(1000) is not None or not steps:
            break
        fights = [step for step in steps if position.squares[step[1]] != ord(".")]
        start, end = rng.choice(fights if fights and rng.random() < 0.3 else steps)
        seat, move = position.turn, Move(start % 10, start // 10, end % 10, end // 10)
        position, battle = position.after(start, end)
        if battle is None:
            knowledge.moved(Moved(seat, move, position.turn))
        else:
            fought = Fought(seat, move, battle.attacker, battle.defender, battle.winner, position.turn)
            knowledge.fought(fought)
        knowledge.look(Board(seen(position.squares, FIRST_PLAYER)).squares)
    return position, knowledge


class KnowledgeTests(SynchronousTestCase):
    """Nothing false, nothing forgotten."""

    def test_true(self) -> None:
        """In random games, every piece that is known is what it is taken for, and the counts fit."""
        for seed in range(20):
            position, knowledge = played(seed, 300)
            enemies = {place: piece for place, piece in enumerate(position.squares) if piece & SECOND}
            self.assertEqual(set(knowledge.suspects), set(enemies))
            for place, suspect in knowledge.suspects.items():
                if suspect.kind is not None:
                    self.assertEqual(suspect.kind, chr(enemies[place] & ~SECOND))
                if suspect.moved:
                    self.assertNotIn(chr(enemies[place] & ~SECOND), "FB")
            unknown = sorted(
                chr(piece & ~SECOND) for place, piece in enemies.items() if knowledge.suspects[place].kind is None
            )
            self.assertEqual(sorted(knowledge.unknown_kinds()), unknown)
            self.assertLessEqual(
                knowledge.shown, {p for p, piece in enumerate(position.squares) if chr(piece).isalnum()}
            )

    def test_samples_are_possible(self) -> None:
        """A sampled board has the enemy's pieces, those known and those left; what has moved is neither bomb nor flag."""
        for seed in range(20):
            position, knowledge = played(seed, 200)
            if position.result(1000) is not None:
                continue
            for luck in range(5):
                kinds = knowledge.sample(SeededChance(luck))
                self.assertEqual(set(kinds), set(knowledge.suspects))
                truth = sorted(chr(piece & ~SECOND) for piece in position.squares if piece & SECOND)
                self.assertEqual(sorted(kinds.values()), truth)
                for place, suspect in knowledge.suspects.items():
                    self.assertEqual(suspect.kind or kinds[place], kinds[place])
                    self.assertFalse(suspect.moved and kinds[place] in "FB")

    def test_without_the_history(self) -> None:
        """A board alone: every enemy piece gets some kind, and one of those that have not moved is the flag."""
        squares = seen(drawn("1A4", "9A10 8B10 7E5").squares, FIRST_PLAYER)
        knowledge = Knowledge(FIRST_PLAYER)
        knowledge.look(squares)
        kinds = knowledge.sample(SeededChance(1))
        self.assertEqual(len(kinds), 3)
        self.assertIn("F", (kinds[square("A10")], kinds[square("B10")]))
        self.assertNotIn(kinds[square("E5")], "FB")
        board = board_with(squares, FIRST_PLAYER, kinds)
        self.assertEqual(seen(board, FIRST_PLAYER), squares)

    def test_scouts_give_themselves_away(self) -> None:
        """Who goes more than one square is a scout."""
        knowledge = Knowledge(Seat(1))
        knowledge.look(seen(drawn("9A4", "1A9").squares, SECOND_PLAYER))
        knowledge.moved(Moved(Seat(0), Move(0, 3, 0, 6), Seat(1)))
        self.assertEqual(knowledge.suspects[square("A7")].kind, "9")

    def test_forgets(self) -> None:
        """A weak player does not keep a kind in mind, but that the piece has moved."""
        knowledge = Knowledge(FIRST_PLAYER, remembers=False)
        knowledge.look(seen(drawn("9A4", "1A5").squares, FIRST_PLAYER))
        knowledge.fought(Fought(Seat(1), Move(0, 4, 0, 3), "1", "9", "attacker", Seat(0)))
        suspect = knowledge.suspects[square("A4")]
        self.assertEqual((suspect.kind, suspect.moved), (None, True))
