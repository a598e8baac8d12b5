"""The types of values in the messages of the open wire."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

#: The largest whole number that JavaScript represents exactly.
LARGEST = 2**53 - 1
#: The longest name of a device, in characters.
MOST_DEVICE = 40

Whole: TypeAlias = Annotated[int, Meta(ge=0, le=LARGEST)]
#: The value of a setting. All are text inside; numbers and truth values are accepted for convenience.
SettingValue: TypeAlias = str | bool | int | float
#: The remaining time on the clock of each seat, in milliseconds. Only matches with clocks have this field.
Clocks: TypeAlias = list[int] | UnsetType
#: The remaining time for the present decision, and the whole time for it, both in milliseconds. A seat that does not
#: act in this time loses. Only matches with a time for each decision have this field. Clocks are separate.
Due: TypeAlias = tuple[int, int] | UnsetType
SeatWish: TypeAlias = Literal["first", "second", "any"]
#: To make an offer, or to answer the other player's offer.
OfferStep: TypeAlias = Literal["offer", "accept", "decline"]
OfferName: TypeAlias = Literal["draw", "takeback"]
#: Names in the message -> the display names, as the players have typed them: `Jan_van_der_Meer` -> `Jan van der Meer`.
#: Players without a display name are left out.
ShownAs: TypeAlias = dict[str, str] | UnsetType
#: What a player can claim if another player is absent: a win, a draw, or a house player in the other's seat.
ClaimName: TypeAlias = Literal["win", "draw", "house"]


def told_shown(shown_as: Mapping[str, str]) -> ShownAs:
    """Returns display names as a field of a message: `UNSET` if there are none."""
    return dict(shown_as) if shown_as else UNSET
