"""Where players wait for each other."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.lobby.queues import Queue
from tests.kit.example_game import TOY


class QueueTests(SynchronousTestCase):
    """Which players meet."""

    def test_queues_of_their_own(self) -> None:
        """A wire that is kept separate shares its game's queue with nobody."""
        self.assertEqual(Queue(TOY).key, Queue(TOY).key)
        self.assertNotEqual(Queue(TOY).key, Queue(TOY, "toy").key)

    def test_players_who_require_settings_meet_the_others(self) -> None:
        """What a wire requires of its tables keeps its players apart from nobody."""
        self.assertEqual(Queue(TOY).key, Queue(TOY, required={"colour": "red"}).key)
