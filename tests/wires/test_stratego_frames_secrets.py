"""What is hidden stays hidden on the wire: games that differ only in what a player may not know are the same bytes."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.stratego.master import StrategoMaster
from gamehost.wires.stratego_frames.conversation import FramesConversation
from tests.kit.wires.stratego_frames_pairs import LEAKS, SPEECH
from tests.kit.wires.stratego_frames_words import FrameWords
from tests.kit.wires.stratego_pairs import differences, leaky, played


class SecretTests(SynchronousTestCase):
    """Pairs of games, and wires that are known to leak."""

    def test_row_128_nothing_leaks(self) -> None:
        """In none of 100 pairs did the player who listens get one byte that differs, drops and returns included."""
        self.assertEqual(list(differences(SPEECH, 100)), [])

    def test_pairs_are_worth_comparing(self) -> None:
        """In most there are battles and returns in both phases; the one who hides something sees the difference."""
        battles = returns = 0
        for _, spy, games in played(SPEECH, iter(range(20))):
            self.assertNotEqual(games[0].heard[1 - spy], games[1].heard[1 - spy])
            words = [line for data in games[0].heard[spy] for line in FrameWords().heard(data)]
            battles += any(line.startswith("Battle") for line in words)
            returns += len(games[0].heard[spy]) > 1
        self.assertGreater(battles, 15)
        self.assertGreater(returns, 8)

    def test_leaks_are_found(self) -> None:
        """Each of several wires that leak a kind in one way is caught within 100 pairs."""
        self.assertGreaterEqual(len(LEAKS), 5)
        for number, leak in enumerate(LEAKS):
            self.assertIsNot(next(differences(leak, 100), None), None, f"leak {number} is not found")

    def test_without_a_leak_the_other_wire_is_the_same(self) -> None:
        """It is the leak that is found, not the way in which it was planted."""
        self.assertEqual(list(differences(leaky(SPEECH, StrategoMaster, FramesConversation), 20)), [])
