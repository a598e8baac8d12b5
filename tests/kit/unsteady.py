"""A game with a fault, for tests of the tests: a rule of it depends on the order in which a set is walked."""

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, frozen

from gamehost.games.base import To
from gamehost.games.chance import Chance
from tests.kit.example_game import Counted, Toy, ToyMaster

WINDS = frozenset(("north", "east", "south", "west", "calm"))


@define(eq=False)
class UnsteadyMaster(ToyMaster):
    """The lucky number is how long the first wind's name is, and how far behind `calm` comes."""

    def _step(self, now: int) -> Sequence[To[Counted]]:
        told = super()._step(now)
        self.lucky = list(WINDS).index("calm")
        return told


@frozen
class Unsteady(Toy):
    """The game."""

    name: str = "unsteady"

    def new_master(self, seats: int, settings: Mapping[str, str], chance: Chance) -> Any:
        return UnsteadyMaster(100, 0, chance)


UNSTEADY = Unsteady()
