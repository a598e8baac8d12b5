"""Players of Onitama: legal, repeatable, and blind to nothing within two moves at the level hard."""

from itertools import islice

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.onitama.master import ONITAMA, Dealt, Exchanged, Moved, Situation
from gamehost.games.onitama.player import RULES, OnitamaPlayer
from gamehost.games.onitama.rules import Exchange, Move, Position
from gamehost.games.play import new_player
from gamehost.players.base import Level, SeededChance, Thinking
from tests.kit.games.onitama import (
    as_move,
    board_of,
    deal_of,
    dealt,
    keeps_win,
    random_positions,
    recorded_games,
    recorded_stalemate,
    wins,
)
from tests.kit.players import check_whole_matches, line_ups

THINKING = Thinking(SeededChance(1))
DEAL = "boar,ox/elephant,horse/crab"


def answered(position: Position, level: Level, seed: int = 1) -> Move | Exchange:
    player = new_player("onitama", Seat(position.turn), level, seed, effort=0.1)
    player.hear(Situation(position))
    notation = player.answer()
    assert notation is not None
    return ONITAMA.read(notation)


def move_of(position: Position, seed: int = 1) -> Move:
    move = answered(position, Level.HARD, seed)
    assert isinstance(move, Move)
    return move


def check_tactics(test: SynchronousTestCase, wanted: int, seed: int) -> None:
    """Hard plays so many forced wins within two moves, and avoids so many losses that can be avoided."""
    positions = random_positions(seed)
    won = (position for position in positions if wins(position, 3))
    for position in islice(won, wanted):
        plies = 1 if wins(position, 1) else 3
        test.assertTrue(keeps_win(position, move_of(position), plies), position)
    for position in islice((one for one in positions if in_danger(one)), wanted):
        after = position.after(move_of(position))
        test.assertFalse(wins(after, 3), position)


def in_danger(position: Position) -> bool:
    if wins(position, 3):
        return False
    lost = [wins(position.after(move), 3) for move in position.moves()]
    return any(lost) and not all(lost)


class OnitamaTests(SynchronousTestCase):
    def test_whole_matches(self) -> None:
        check_whole_matches(self, ONITAMA, line_ups(), [1], effort=0.05)

    def test_tactics(self) -> None:
        """Hard misses no win and no avoidable loss within two moves, in positions of random games."""
        check_tactics(self, 50, seed=1)

    def test_recorded_wins(self) -> None:
        """In recorded games, hard finds the win wherever there is one within two moves."""
        found = 0
        for game in islice(recorded_games(), 40):
            position = dealt(deal_of(game))
            for ply in game["plies"]:
                if wins(position, 3):
                    found += 1
                    plies = 1 if wins(position, 1) else 3
                    self.assertTrue(keeps_win(position, move_of(position), plies), position)
                position = position.after(as_move(*ply["move"]))
        self.assertGreater(found, 20)

    def test_no_answer_before_the_deal_out_of_turn_and_after_the_end(self) -> None:
        player = OnitamaPlayer(Seat(1), Level.HARD, THINKING)
        self.assertIsNone(player.answer())
        player.hear(Dealt(dealt(DEAL)))
        self.assertIsNone(player.answer())
        taken = board_of(".....", "..K..", ".....", ".....", "PP.PP")
        player.hear(Situation(dealt(DEAL, taken, turn=1)))
        self.assertIsNone(player.answer())

    def test_follows_events(self) -> None:
        position = dealt(DEAL)
        player = OnitamaPlayer(Seat(1), Level.EASY, THINKING)
        player.hear(Dealt(position))
        move = next(position.moves())
        player.hear(Moved(Seat(0), move))
        self.assertEqual(player.position, position.after(move))
        new, _ = dealt("eel,cobra/ox,horse/crane").hands[0]
        held = position.after(move).hands[1][0]
        player.hear(Exchanged(Seat(1), held, new))
        self.assertEqual(player.position, position.after(move).exchanged(held, new))

    def test_exchange(self) -> None:
        """A side that cannot move gives a card of its hand, at every level; here by a recorded game."""
        game = recorded_stalemate()
        position = dealt(deal_of(game))
        for one in game["moves"]:
            position = position.after(as_move(*one))
        for level in Level:
            exchange = answered(position, level)
            assert isinstance(exchange, Exchange)
            self.assertIn(exchange.card, position.hands[position.turn])

    def test_evaluation_is_fair(self) -> None:
        """The value for one side is the value for the other with its sign changed, and a pupil more is better."""
        for position in islice(random_positions(3), 50):
            other = Position(position.hands, position.spare, position.board, 1 - position.turn)
            self.assertEqual(RULES.evaluate(position), -RULES.evaluate(other))
        whole = dealt(DEAL)
        self.assertGreater(RULES.evaluate(whole), RULES.evaluate(dealt(DEAL, whole.board.replace("P", ".", 1))))
