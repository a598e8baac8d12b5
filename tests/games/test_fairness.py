"""That luck falls evenly in the games, that it comes from the system, and that a crooked draw would be seen."""

import secrets
from collections.abc import Callable

from attrs import fields
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.chance import SystemChance
from gamehost.tables.context import TableContext
from tests.kit.players import unfair
from tests.kit.sources import read_sources

#: `tests.games.slow_games` draws twenty times as many.
DRAWS = 10_000


class FairnessTests(SynchronousTestCase):
    """Luck as it is."""

    def test_even(self) -> None:
        """First players, deals, students and seatings are no further from their odds than luck is in 10^8 tries."""
        self.assertEqual(unfair(DRAWS), [])

    def test_no_modulo(self) -> None:
        """Luck is drawn by `secrets.randbelow`, which rejects what does not fit and never folds it."""
        self.assertIs(SystemChance()._draw, secrets.randbelow)
        self.assertIs(fields(TableContext).rng.default, secrets.randbelow)

    def test_no_other_luck(self) -> None:
        """No module of the host has another source of luck. The contracts for tests draw from seeds."""
        host = {
            name: text for name, text in read_sources("gamehost").items() if not name.startswith("gamehost.testing.")
        }
        self.assertIn("gamehost.games.chance", host)
        for name, text in host.items():
            for source in ("import random", "from random", "urandom", "getrandbits", "randbits", "uuid"):
                self.assertNotIn(source, text, name)

    def test_crooked_draws_are_seen(self) -> None:
        """A byte folded by its remainder, a range that is one short, and a coin that falls 55 times in 100 on one side."""
        crooked: dict[str, Callable[[int], int]] = {
            "students out of a bag": lambda n: secrets.randbits(8) % n,
            "seatings": lambda n: secrets.randbelow(max(1, n - 1)),
            "first players of paper soccer": lambda n: (secrets.randbelow(100) >= 55) * (n - 1),
        }
        for name, draw in crooked.items():
            self.assertIn(name, "".join(unfair(DRAWS, draw, [name])))
