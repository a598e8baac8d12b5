"""The list of a person's own matches at the console, and the list of matches that ended while the person was away."""

from collections.abc import Callable, Sequence
from typing import Any

from attrs import define

from gamehost.accounts.names import key_of
from gamehost.games.base import Cause, Result, Seat
from gamehost.journal.records import OwnedMatch
from gamehost.lobby.seats import duration
from gamehost.tables.interfaces import SeatHandle
from gamehost.wires.console.commands import ended, sentence, title, versus

#: The words for each kind of offer.
_OFFERS = {"draw": "offers a draw", "takeback": "asks to take a move back"}
_NONE = "No match of yours goes on, and no table of yours waits. To play, type: play onitama"


@define(eq=False)
class OneLook:
    """A `ListViewer` that shows a person the list once, without its later changes."""

    handle: SeatHandle[Any] | None
    _told: Callable[[Sequence[OwnedMatch]], None]

    def tell_list(self, matches: Sequence[OwnedMatch]) -> None:
        self._told(matches)

    def tell_listed(self, match: OwnedMatch) -> None:
        """Does nothing: later changes of the list are not shown."""

    def tell_unlisted(self, match: OwnedMatch) -> None:
        """Does nothing: later changes of the list are not shown."""


def mine_lines(matches: Sequence[OwnedMatch], name: str, now: int) -> list[str]:
    """
    Returns the list of own matches as lines.

    :param name: the person's name
    :param now: the present time, in milliseconds since 1970
    """
    if not matches:
        return [_NONE]
    lines = [f"  {'match':>5}  {'game':12}  players, and how it stands"]
    for match in matches:
        lines.append(f"  {match.table:>5}  {title(match.game):12}  {versus(match.shown)}")
        lines.append(f"  {'':>5}  {'':12}  {_stands(match, name, now)}")
    return lines


def missed_lines(matches: Sequence[OwnedMatch]) -> list[str]:
    """Returns the lines about matches that ended while the person was away."""
    lines = [f"  {match.table:>5}  {title(match.game):12}  {_end(match)}" for match in matches]
    return ["While you were away, this has ended:", *lines]


def _stands(match: OwnedMatch, name: str, now: int) -> str:
    """Returns the state of a match in words, with the command that can be typed next."""
    # The time until the limit of the match or table, in words; empty: there is no limit.
    by = "" if match.by is None else duration((match.by - now) / 1000)
    left = by and f": {by} left"
    number = f"{match.table}-{match.code}" if match.code else f"{match.table}"
    match match.state:
        case "turn":
            return f"It is your turn{left}."
        case "wait":
            return f"It is not your turn{left}."
        case "open":
            return f"It waits{by and f' {by} more'}. Others type: join {number}"
        # An offer of the opponent in a match of this person. Otherwise the offer is a rematch that others want.
        case "offer" if key_of(name) in map(key_of, match.names):
            what = (
                f"{match.shown[1 - match.seat]} {_OFFERS[match.offer]}" if match.offer in _OFFERS else "An offer waits"
            )
            where = f"sit {match.table}, and then " if match.slow else ""
            return f"{what}: {where}accept or decline"
        case "offer":
            names = " and ".join(match.shown)
            return f"{names} {'wants' if len(match.names) == 1 else 'want'} a rematch: join {number}"
        case _:
            return _end(match)


def _end(match: OwnedMatch) -> str:
    """Returns the result of an ended match in words."""
    # The match ended without a result.
    if not match.cause:
        return sentence(match.why)
    result = Result(tuple(map(Seat, match.winners)), Cause(match.cause), match.why)
    # All players have left. `ended` would call this a draw.
    if not match.winners and result.cause is Cause.LEFT:
        return sentence(match.why)
    return ended(result, match.shown, Seat(match.seat))
