"""Opponents that lead to rare positions, and positions that are laid."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker.base import Scenario
from gamehost.games.base import Seat
from gamehost.games.onitama.position import Position
from gamehost.players.onitama import OnitamaPlayer
from gamehost.wires.onitama.checks import stalemate
from tests.checker.wires import eriantys_clients, onitama_clients, paper_soccer_clients, stratego_lines_clients
from tests.kit.checked_client import check


class Master:
    """What is laid."""

    position: Position


def told(client: Any, scenario: str, words: str) -> int:
    """How many messages of a scenario have these words, or mean them."""
    (outcome,) = check(client, [scenario]).outcomes
    return sum(words in f"{line.text} {line.meaning}" for line in outcome.tape.lines)


class Stubborn(OnitamaPlayer):
    """An opponent with a fault of its own."""

    def answer(self) -> bytes | None:
        return super().answer() and b"ox a1 a1"


class SteeringTests(SynchronousTestCase):
    """Each scenario comes to its position, with a client that plays at random."""

    def test_stalemate_is_laid(self) -> None:
        """For each seat: it is to move, has all its pieces, and has no move. Nobody has won."""
        for client in (True, False):
            for seat in (Seat(0), Seat(1)):
                master = Master()
                stalemate(client)(master, seat)
                position = master.position
                self.assertEqual(position.turn, seat if client else 1 - seat)
                self.assertEqual(list(position.moves()), [])
                self.assertIsNone(position.won)

    def test_onitama(self) -> None:
        """Both sides exchange a card."""
        self.assertEqual(told(onitama_clients.SoundClient, "stalemate", "STALEMATE|"), 1)
        self.assertEqual(told(onitama_clients.SoundClient, "opponents-stalemate", "STALEMATE|"), 0)
        self.assertEqual(told(onitama_clients.SoundClient, "opponents-stalemate", "STALEMATE_CARD|"), 1)

    def test_paper_soccer(self) -> None:
        """The opponent's ball ends in its own goal."""
        self.assertGreaterEqual(told(paper_soccer_clients.SoundClient, "own-goal", 'nick="tester" result="winner"'), 1)

    def test_stratego(self) -> None:
        """Scouts attack over more than one square."""
        self.assertGreater(told(stratego_lines_clients.SoundClient, "scouts", "the enemy's scout attacks"), 3)

    def test_eriantys(self) -> None:
        """The students run out; at the end the players have the same assistants left; a table is full."""
        self.assertGreaterEqual(told(eriantys_clients.SoundClient, "empty-clouds", "last round"), 1)
        self.assertGreater(told(eriantys_clients.FillsTheDiningRoom, "full-table", "FULL_DINING_ROOM"), 0)
        self.assertGreater(told(eriantys_clients.SoundClient, "expert", "has used character"), 3)

    def test_a_fault_of_an_opponent(self) -> None:
        """It gives up after a hundred refused moves, and the client has won."""
        scenario = Scenario("stubborn", "", "turn", opponent=Stubborn)
        (outcome,) = check(onitama_clients.SoundClient, [scenario]).outcomes
        self.assertEqual(outcome.verdict.value, "pass")
        self.assertIn("GAME_OVER|tester", [line.text for line in outcome.tape.lines])
