"""
Encoders: they convert what a seat knows of a match into an array, and the seat's actions into numbers.

An encoder receives only messages of the game, and never the game's master. So it makes the same arrays in an
environment and on a host, and cannot contain facts that are hidden from the seat. `GenericEncoder` is for any game.
Each game of the host has an encoder of its own in this package.
"""

from collections.abc import Mapping
from itertools import islice
from typing import Any, ClassVar
from zlib import crc32

import msgspec
import numpy as np

from gamehost.games.base import Game, Seat
from gamehost.games.play import messages_of
from gamehost.players.base import SeededChance
from gamehost.settings import Settings

Array = Any


class SeatEncoder:
    """
    The encoder of one seat of one match. A subclass for a game must define `_find` and `see`.

    :param settings: the settings of the match
    :raises ValueError: the game has no messages
    """

    #: The version changes when a number or a value gets another meaning.
    version: ClassVar[int] = 1
    #: How many numbers of actions there are. They begin at 0.
    actions: ClassVar[int]
    #: The shape of an observation, and its smallest and largest value.
    shape: ClassVar[tuple[int, ...]]
    low: ClassVar[int] = 0
    high: ClassVar[int] = 1

    def __init__(self, game: Game[Any, Any], seat: int, seats: int, settings: Settings) -> None:
        """
        Makes an encoder for one seat of one match.

        :raises ValueError: the game has no messages, so nothing can be learnt from them
        """
        messages = messages_of(game)
        if messages is None:
            raise ValueError(f"{game.name} has no messages, so nothing can be learnt from them")
        self.game, self.seat, self.seats = game, Seat(seat), seats
        self._messages = messages
        #: The last view, and the options in it, by number.
        self._found: tuple[Any, Mapping[int, Any]] = (None, {})

    def hear(self, event: Any) -> None:
        """
        Receives an event, as a message. Only encoders of games with facts that no view contains need events, such as
        pieces that were seen once.
        """

    def see(self, view: Any) -> Array:
        """
        Returns the observation of the seat, as an array.

        :param view: the view of the seat, as a message
        """
        raise NotImplementedError

    def legal(self, view: Any) -> Array:
        """Returns the mask of legal actions: an array with 1 at the number of each action that the seat may take now."""
        mask: Array = np.zeros(self.actions, np.int8)
        mask[list(self._options(view))] = 1
        return mask

    def took(self, number: int, view: Any) -> str | None:
        """
        Takes an action by its number.

        :return: the action in the game's notation, which the caller must send; `None`: the number is only a step of an
            action, and another number must follow
        :raises ValueError: the number is not legal now
        """
        options = self._options(view)
        if number not in options:
            raise ValueError(f"{number} is no legal action now; the mask has those that are")
        # After a step, the options in the same view are others.
        self._found = (None, {})
        action = self._act(options[number])
        return None if action is None else self.game.write(action).decode()

    def done(self) -> None:
        """Called after the action of `took` was sent. The steps of the action are forgotten."""
        self._found = (None, {})

    def _options(self, view: Any) -> Mapping[int, Any]:
        """Returns the legal options by number. They are computed once for each view."""
        if self._found[0] is not view:
            # A new view: find its options.
            self._found = (view, self._find(view))
        return self._found[1]

    def _find(self, view: Any) -> Mapping[int, Any]:
        """Returns the legal options by number. An option is an action, or a step of an action."""
        raise NotImplementedError

    def _act(self, option: Any) -> Any:
        """Takes an option. Returns the action; `None`: more steps must follow. By default each option is an action."""
        return option

    def _situation(self, view: Any) -> Any:
        """Converts a view from a message into the value that the game's functions need."""
        return self._messages.read_view(view, self.seat)


class GenericEncoder(SeatEncoder):
    """
    An encoder for any game. The observation is the view as JSON, with a value for each byte. The number of an action is
    its place in the list of legal actions. For games without such a list, 16 random actions are used, always the same
    ones for a view.
    """

    actions, shape, low, high = 1000, (8192,), -128, 127
    _RANDOM = 16

    def see(self, view: Any) -> Array:
        """Returns the observation: the view as JSON, one number for each byte. A longer view is cut off."""
        seen: Array = np.zeros(self.shape, np.int8)
        written = np.frombuffer(msgspec.json.encode(view), np.int8)[: len(seen)]
        seen[: len(written)] = written
        return seen

    def _find(self, view: Any) -> Mapping[int, Any]:
        """
        Numbers the legal actions in their order; without a list of them, a sample of random actions for this view.
        """
        situation = self._situation(view)
        legal = self.game.legal(situation, self.seat)
        if legal is not None:
            return dict(enumerate(islice(legal, self.actions)))
        # The seed is made of the view, so the same view gives the same sample.
        below = SeededChance(crc32(msgspec.json.encode(view))).below
        drawn = [self.game.random_action(situation, self.seat, below) for _ in range(self._RANDOM)]
        found = {self.game.write(action): action for action in drawn if action is not None}
        return dict(enumerate(found.values()))
