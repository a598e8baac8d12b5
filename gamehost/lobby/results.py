"""The players and winners in the record of a finished match."""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from gamehost.games.base import Cause
from gamehost.journal.records import HOUSE_ADDRESS, FinishedMatch, SeatRecord

_OUTCOME = re.compile(rf"(.*) won \(({'|'.join(cause.value for cause in Cause)})\): (.*)", re.DOTALL)


def outcome(match: FinishedMatch) -> tuple[list[int], str, str]:
    """
    Read the result of a finished match from the text in its record, such as `ann and bob won (rules): ...`.

    :returns: the winning seats, the name of the cause (a `Cause`), and the reason. Without winners, the cause is empty
        and the whole text is the reason
    """
    found = _OUTCOME.fullmatch(match.last.outcome)
    if found is None:
        return [], "", match.last.outcome
    winners, cause, why = found.groups()
    names = winners.split(" and ")
    return [seat for seat, one in enumerate(match.opening.seats) if one.name in names], cause, why


#: The kind of player behind a name. Only an account is the same person each time.
Kind = Literal["account", "house", "guest"]
#: In the order in which they are listed.
KINDS: Sequence[Kind] = ("account", "house", "guest")


class Who(NamedTuple):
    """A player with results that are counted: an account, a level of house players, or all guests under one name."""

    kind: Kind
    name: str

    @classmethod
    def of(cls, seat: SeatRecord) -> "Who":
        """The player of a seat in a match's record."""
        # A house player has a name such as `easy.7`: its results count for its level.
        if seat.address == HOUSE_ADDRESS:
            return cls("house", seat.name.partition(".")[0])
        return cls("account" if seat.account else "guest", seat.name)
