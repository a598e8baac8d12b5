"""The types of values in the messages of the open wire."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

#: The largest whole number that JavaScript represents exactly.
LARGEST = 2**53 - 1
#: Characters of the name of a device.
MOST_DEVICE = 40

Whole: TypeAlias = Annotated[int, Meta(ge=0, le=LARGEST)]
#: The value of a setting. All are text inside; numbers and truth values are accepted for convenience.
SettingValue: TypeAlias = str | bool | int | float
#: The milliseconds that each seat has left, by seat. Only matches with clocks have it.
Clocks: TypeAlias = list[int] | UnsetType
#: The milliseconds that the seat to move has left, and how many it had in all. Without an action in that time the seat
#: loses. Only matches with such a time have it, besides clocks.
Due: TypeAlias = tuple[int, int] | UnsetType
SeatWish: TypeAlias = Literal["first", "second", "any"]
#: To make an offer, or to answer that of the other player.
OfferStep: TypeAlias = Literal["offer", "accept", "decline"]
OfferName: TypeAlias = Literal["draw", "takeback"]
#: The display names of players, by their names in the same message: what they have typed, such as `Jan van der Meer` for
#: `Jan_van_der_Meer`. Players without one are left out.
ShownAs: TypeAlias = dict[str, str] | UnsetType
#: What can be claimed: to win, a draw, or that a house player takes the seat of the absent player.
ClaimName: TypeAlias = Literal["win", "draw", "house"]


def told_shown(shown_as: Mapping[str, str]) -> ShownAs:
    """Display names as messages have them."""
    return dict(shown_as) if shown_as else UNSET
