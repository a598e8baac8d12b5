"""What one seat can know of a match of Eriantys, checked against the whole position."""

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.eriantys.events import AskAssistant
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.player import EriantysPlayer, Seen
from gamehost.players.base import Level
from tests.kit.players import one_action
from tests.players.test_eriantys import ERIANTYS, begun


class SeenTests(SynchronousTestCase):
    """The position as it is known."""

    def test_the_own_turn(self) -> None:
        """In whole games, the seat that is asked knows the match as the rules hold it: bag, hands, order and moves made."""
        for seats in (2, 3, 4):
            for seed in (1, 2):
                self.check_match(seats, seed)

    def check_match(self, seats: int, seed: int) -> None:
        """Compare before every answer."""
        master, players = begun((Level.EASY,) * seats, seed)
        while master.result is None:
            state = master._state
            if isinstance(state, Play) and state.request is not None:
                player = players[state.request.seat]
                assert isinstance(player, EriantysPlayer)
                known = player.seen.play()
                assert known is not None
                if not isinstance(state.request, AskAssistant):
                    self.assertEqual(known.position, evolve(state.position, banned=known.position.banned))
                    self.assertEqual((known.moved, known.request), (state.moved, state.request))
                else:
                    self.assertEqual(known.position.hands, state.position.hands)
            one_action(ERIANTYS, master, players)

    def test_nothing(self) -> None:
        """Before the deal there is no position."""
        seen = Seen(Seat(0))
        self.assertIsNone(seen.position())
        self.assertIsNone(seen.play())

    def test_view(self) -> None:
        """A view is enough for the own turn, but for what others have played."""
        master, players = begun((Level.EASY, Level.EASY), 2)
        while not (isinstance(master._state, Play) and master._state.position.round == 2):
            one_action(ERIANTYS, master, players)
        request = master.request
        assert request is not None
        seen = Seen(request.seat)
        seen.hear(master.view(request.seat))
        position = seen.position()
        assert position is not None and master.position is not None
        self.assertEqual(position.bag, master.position.bag)
        self.assertEqual(position.islands, master.position.islands)
        self.assertEqual(position.hands[request.seat], master.position.hands[request.seat])
