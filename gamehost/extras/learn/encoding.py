"""
Encoders: what one seat of one match may know, as an array, and its actions as numbers.

An encoder takes messages of the game alone, never a master. So it gives the same arrays in an environment and on a host, and
cannot show what the seat does not know. `GenericEncoder` is for any game; each game of the host has one of its own beside it.
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
    One seat of one match. Subclasses have `_find` and `see`.

    :param settings: those of the match
    :raises ValueError: the game has no messages
    """

    #: It changes when a number or a value gets another meaning.
    version: ClassVar[int] = 1
    #: The numbers of actions are below this one.
    actions: ClassVar[int]
    #: The shape of an observation, and its least and largest value.
    shape: ClassVar[tuple[int, ...]]
    low: ClassVar[int] = 0
    high: ClassVar[int] = 1

    def __init__(self, game: Game[Any, Any], seat: int, seats: int, settings: Settings) -> None:
        messages = messages_of(game)
        if messages is None:
            raise ValueError(f"{game.name} has no messages, so nothing can be learnt from them")
        self.game, self.seat, self.seats = game, Seat(seat), seats
        self._messages = messages
        #: What can be done in the view that was asked for last.
        self._found: tuple[Any, Mapping[int, Any]] = (None, {})

    def hear(self, event: Any) -> None:
        """Take an event, as a message. Only what no view contains needs it, such as pieces that were seen once."""

    def see(self, view: Any) -> Array:
        """
        The observation.

        :param view: the view of the seat, as a message
        """
        raise NotImplementedError

    def legal(self, view: Any) -> Array:
        """The mask of the actions that the seat may take now: 1 for each of their numbers."""
        mask: Array = np.zeros(self.actions, np.int8)
        mask[list(self._options(view))] = 1
        return mask

    def took(self, number: int, view: Any) -> str | None:
        """
        The seat takes an action.

        :return: the action in the game's notation, to be sent; `None`: it is a step of one, and another number follows
        :raises ValueError: the number is not legal now
        """
        options = self._options(view)
        if number not in options:
            raise ValueError(f"{number} is no legal action now; the mask has those that are")
        self._found = (None, {})
        action = self._act(options[number])
        return None if action is None else self.game.write(action).decode()

    def done(self) -> None:
        """The action that `took` has given is sent: its steps are forgotten."""
        self._found = (None, {})

    def _options(self, view: Any) -> Mapping[int, Any]:
        if self._found[0] is not view:
            self._found = (view, self._find(view))
        return self._found[1]

    def _find(self, view: Any) -> Mapping[int, Any]:
        """The actions that can be taken now, or their steps, by number."""
        raise NotImplementedError

    def _act(self, option: Any) -> Any:
        """The action; `None`: there are more steps to it. By default there are no steps."""
        return option

    def _situation(self, view: Any) -> Any:
        """The view as the game's functions take it."""
        return self._messages.read_view(view, self.seat)


class GenericEncoder(SeatEncoder):
    """
    Any game. The observation is the view as JSON, a byte a value. A number is a place in the list of legal actions; if there
    is no list, of 16 random ones, which are the same for the same view.
    """

    actions, shape, low, high = 1000, (8192,), -128, 127
    _RANDOM = 16

    def see(self, view: Any) -> Array:
        seen: Array = np.zeros(self.shape, np.int8)
        written = np.frombuffer(msgspec.json.encode(view), np.int8)[: len(seen)]
        seen[: len(written)] = written
        return seen

    def _find(self, view: Any) -> Mapping[int, Any]:
        situation = self._situation(view)
        legal = self.game.legal(situation, self.seat)
        if legal is not None:
            return dict(enumerate(islice(legal, self.actions)))
        below = SeededChance(crc32(msgspec.json.encode(view))).below
        drawn = [self.game.random_action(situation, self.seat, below) for _ in range(self._RANDOM)]
        found = {self.game.write(action): action for action in drawn if action is not None}
        return dict(enumerate(found.values()))
