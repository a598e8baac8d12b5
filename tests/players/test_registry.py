"""Which games have players."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.players.base import Level
from gamehost.players.registry import PLAYERS, new_player
from gamehost.plugins import WIRES


class RegistryTests(SynchronousTestCase):
    """Names and seats."""

    def test_games_of_the_host(self) -> None:
        """Every game with a player is a game of the host."""
        self.assertLessEqual(set(PLAYERS), {game.name for wire in WIRES for game in wire.games})

    def test_new_player(self) -> None:
        """A player that has heard nothing has no answer."""
        for name in PLAYERS:
            for level in Level:
                self.assertIsNone(new_player(name, Seat(1), level, seed=1).answer())
        self.assertRaises(KeyError, new_player, "chess", Seat(0), Level.HARD, 1)
