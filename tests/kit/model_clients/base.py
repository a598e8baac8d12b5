"""
What a speaker is: a player who knows only what was heard on its own connection, and the words that the host ought to use.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from gamehost.games.base import Seat
from gamehost.journal.records import TableId


class ModelClient(ABC):
    """A player's side of one wire. Lines are words as `tests.kit.memory_host` has them."""

    #: The wire by its name.
    wire: ClassVar[str]
    #: Whether chatter may stand between the words of one entry: a board that is drawn before the end is told.
    draws: ClassVar[bool] = False
    #: Whether the host waits between its messages, so that what it says may be older than the moment at which it is written.
    spaced: ClassVar[bool] = False

    def __init__(self, name: str) -> None:
        self.name = name
        #: Whether it is logged in, as far as it knows.
        self.inside = False

    def connected(self) -> None:
        self.inside = False

    @abstractmethod
    def log_in(self) -> Sequence[str]:
        """What it says to come in, or to come back."""

    @abstractmethod
    def hear(self, line: str) -> None:
        """The host said this."""

    def replies(self, rng: random.Random) -> Sequence[str]:
        """What it says at once to what it heard, without thinking."""
        return ()

    @abstractmethod
    def move(self, rng: random.Random) -> Sequence[str]:
        """What it says when it is its turn, as far as it knows: legal, or thought to be. Nothing when it is not."""

    @abstractmethod
    def nonsense(self, rng: random.Random) -> Sequence[str]:
        """Something that must be refused, whatever the state."""

    def guess(self, rng: random.Random) -> Sequence[str]:
        """A move out of turn, as far as it knows; the host may know more, and take it."""
        return self.nonsense(rng)

    # -- the host's words

    @staticmethod
    @abstractmethod
    def told(event: object, seat: Seat, names: Sequence[str], table: TableId) -> Sequence[str]:
        """How an event of the game, a `Back` or an `Over` is told to this seat."""

    @classmethod
    def all_told(
        cls, events: Sequence[object], seat: Seat, names: Sequence[str], table: TableId, n: int, view: object
    ) -> Sequence[str]:
        """How such events in a row, those of entry `n`, are told to this seat, which has this view behind them."""
        return [line for event in events for line in cls.told(event, seat, names, table)]

    @staticmethod
    def asks(line: str) -> bool:
        return False

    @staticmethod
    def asked(view: object, names: Sequence[str]) -> str | None:
        """Of whom this is the view: the line by which they are asked for a move; `None`: they are not."""
        return None

    @staticmethod
    def holds_back(talk: Any) -> bool:
        """Whether a conversation keeps a question to itself for now; it must have a good reason."""
        return False

    @staticmethod
    def is_told(talk: Any) -> bool:
        """Whether a conversation tells its client of the match: not on a wire where a client must ask for that."""
        return True

    @staticmethod
    def plain(line: str) -> str:
        return line

    @staticmethod
    @abstractmethod
    def chatter(line: str) -> bool:
        """Whether a line rests on nothing in the journal: a refusal, somebody away, a welcome."""

    @staticmethod
    @abstractmethod
    def waits(line: str) -> bool:
        """Whether a line, said to somebody at no table, means that there is none to come back to."""
