"""The search for a turn of Eriantys, and what positions are worth."""

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.eriantys.events import AskStudent
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.player import Beam, after, is_own, options, turn_lines, worth
from gamehost.games.eriantys.rules import Position
from gamehost.players.base import Budget, Level, SeededChance
from tests.kit.players import one_action
from tests.players.test_eriantys import ERIANTYS, begun


def at_turn(seed: int) -> Play:
    """A match at the beginning of some turn in the third round."""
    master, players = begun((Level.EASY, Level.EASY), seed)
    while True:
        state = master._state
        if isinstance(state, Play) and state.position.round == 3 and isinstance(state.request, AskStudent):
            return state
        one_action(ERIANTYS, master, players)


class TurnTests(SynchronousTestCase):
    """Ways to the end of the turn."""

    def test_lines_are_legal(self) -> None:
        """Each line leads from the position to the end of the turn, step by step; the best is first."""
        for seed in range(6):
            play = at_turn(seed)
            lines = turn_lines(play, Beam(3, characters=True), SeededChance(1), Budget(2_000))
            self.assertEqual([line.value for line in lines], sorted((line.value for line in lines), reverse=True))
            for line in lines:
                here = play
                for action in line.actions:
                    self.assertTrue(is_own(here, play.position.seat))
                    here = after(here, action, SeededChance(1))
                self.assertFalse(is_own(here, play.position.seat))

    def test_wider_is_not_worse(self) -> None:
        """In the mean over some turns, a wide beam finds more than a narrow one."""
        found = [0.0, 0.0]
        for seed in range(8):
            play = at_turn(seed)
            for place, width in enumerate((1, 6)):
                lines = turn_lines(play, Beam(width, characters=True), SeededChance(1), Budget(10_000))
                found[place] += lines[0].value
        self.assertGreaterEqual(found[1], found[0])

    def test_options(self) -> None:
        """All options of the own turn are accepted by the rules when there are no swaps half done."""
        play = at_turn(1)
        for action in options(play, characters=False):
            self.assertIsNotNone(after(play, action, SeededChance(1)).picked)

    def test_worth(self) -> None:
        """A tower more is worth more than anything else that one move changes, and what one team gains the other loses."""
        position = at_turn(2).position
        seat = Seat(0)
        self.assertAlmostEqual(worth(position, seat), -worth(position, Seat(1)))
        self.assertGreater(worth(with_towers(position, seat, -1), seat), worth(position, seat) + 50)


def with_towers(position: Position, seat: Seat, more: int) -> Position:
    """The position with more towers left to build."""
    school = position.schools[seat]
    return position.with_school(seat, evolve(school, towers=school.towers + more))
