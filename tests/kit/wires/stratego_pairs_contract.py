"""What every wire of Stratego must keep: pairs of games that differ in hidden pieces only are the same bytes for one player."""

from gamehost.testing.cases import Mixin
from tests.kit.wires.stratego_pairs import Speech, differences, played


class PairsContract(Mixin):
    """Subclasses set `speech` and `back`, write `has_battle`, and are test cases."""

    speech: Speech
    #: How many pairs are compared.
    pairs: int = 100
    #: How many pairs are looked at, to see whether they are worth comparing.
    looked_at: int = 30
    #: What a player hears who has come back.
    back: bytes

    def has_battle(self, heard: bytes) -> bool:
        """Whether a player heard of a battle."""
        raise NotImplementedError

    def test_row_128_nothing_leaks(self) -> None:
        """In none of the pairs did the player who listens get one byte that differs, drops and returns included."""
        self.assertEqual(list(differences(self.speech, self.pairs)), [])

    def test_pairs_are_worth_comparing(self) -> None:
        """In most there are battles and returns."""
        battles = returns = compared = 0
        for _, spy, games in played(self.speech, iter(range(self.looked_at))):
            compared += 1
            heard = b"".join(games[0].heard[spy])
            battles += self.has_battle(heard)
            returns += self.back in heard
        self.assertGreater(compared, self.looked_at // 2)
        self.assertGreater(battles, compared * 0.7)
        self.assertGreater(returns, compared * 0.5)
