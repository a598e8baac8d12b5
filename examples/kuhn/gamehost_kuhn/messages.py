"""Kuhn's poker as JSON. The master has these messages as its own views, events and actions."""

from typing import Literal

from msgspec import Struct

from gamehost.games.messages import ActionMessage, EventMessage, SameMessages

Word = Literal["check", "bet", "call", "fold"]


class View(Struct, frozen=True):
    """What a seat or a watcher knows. `card` is the own one; `turn` speaks next, and is `null` after the match."""

    round: int
    first: int
    chips: tuple[int, int]
    card: str
    said: tuple[Word, ...]
    turn: int | None
    rounds: int = 20


class Round(EventMessage, frozen=True, tag="round"):
    """One of `rounds` begins: both put a chip into the pot, and `seat` speaks first."""

    number: int
    seat: int
    chips: tuple[int, int]
    rounds: int = 20


class Dealt(EventMessage, frozen=True, tag="dealt"):
    """The own card, to its player alone."""

    card: str


class Said(EventMessage, frozen=True, tag="said"):
    """A seat spoke."""

    seat: int
    word: Word


class Ended(EventMessage, frozen=True, tag="ended"):
    """`seat` has won the round. `cards` are both cards, or nothing after a fold."""

    seat: int
    cards: str
    chips: tuple[int, int]


class Say(ActionMessage, frozen=True, tag="say"):
    """Check or bet; after a bet, call or fold."""

    word: Word


MESSAGES = SameMessages(View, Round | Dealt | Said | Ended, Say)
