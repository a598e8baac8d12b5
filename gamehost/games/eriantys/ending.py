"""
Who has won: when the match ends at once, at the end of the last round, or because a player has left.
"""

from collections.abc import Iterable, Sequence

from attrs import frozen

from gamehost.games.base import Cause, Seat
from gamehost.games.eriantys.pieces import LAST_GROUPS, Tower
from gamehost.games.eriantys.position import Position, Team


@frozen
class Verdict:
    """How a match ended."""

    #: The colour that won; `None`: a shared victory, or there were no teams yet.
    team: Tower | None
    #: Who won, a tower-holder before the partner.
    winners: tuple[Seat, ...]
    #: A short sentence without its full stop.
    why: str
    cause: Cause = Cause.RULES


def ended_at_once(position: Position) -> Verdict | None:
    """
    The verdict on a position in which a team has built its last tower, or few groups of islands are left (A.8).

    The last tower is checked first: the team that built it has won, even if few groups are left.
    """
    for team in position.teams:
        if not position.schools[team.seats[0]].towers:
            return Verdict(team.tower, team.seats, "the last tower is built")
    if len(position.islands) <= LAST_GROUPS:
        return counted(position.teams, position, "only three groups of islands are left")
    return None


def ended_with_round(position: Position) -> Verdict | None:
    """The verdict at the end of a round that was the last, or after which the assistants are used up (A.8, A.9)."""
    if position.last_round:
        return counted(position.teams, position, "the students have run out")
    if not all(position.hands):
        return counted(position.teams, position, "the assistants are used up")
    return None


def counted(teams: Sequence[Team], position: Position, why: str, cause: Cause = Cause.RULES) -> Verdict:
    """
    The winner among these teams by comparison: fewest towers left to build, then most professors. Teams that are equal
    in both share the victory (D-R9).
    """
    fewest = min(position.schools[team.seats[0]].towers for team in teams)
    first = [team for team in teams if position.schools[team.seats[0]].towers == fewest]
    if len(first) == 1:
        return Verdict(first[0].tower, first[0].seats, f"{why}; most towers", cause)
    most = max(_professors(position, team) for team in first)
    first = [team for team in first if _professors(position, team) == most]
    if len(first) == 1:
        return Verdict(first[0].tower, first[0].seats, f"{why}; equal towers, most professors", cause)
    winners = tuple(seat for team in first for seat in team.seats)
    return Verdict(None, winners, f"{why}; a tie in towers and professors", cause)


def _professors(position: Position, team: Team) -> int:
    return sum(1 for holder in position.professors if holder in team.seats)


def left(position: Position, leaver: Seat, cause: Cause) -> Verdict:
    """The verdict when a player has left (A.12): of two teams the other one wins, of three players two are compared."""
    why = "a player ran out of time" if cause is Cause.TIME else "a player left"
    others = [team for team in position.teams if leaver not in team.seats]
    if len(others) == 1:
        return Verdict(others[0].tower, others[0].seats, why, cause)
    return counted(others, position, why, cause)


def left_before_deal(seats: int, chosen: Sequence[Tower], leaver: Seat, cause: Cause) -> Verdict:
    """
    The verdict when a player has left before the deal.

    :param chosen: the towers chosen so far, in the order of the seats

    Nobody has anything to count, so all win who are not in the leaver's team as far as it was chosen.
    """
    why = "a player ran out of time" if cause is Cause.TIME else "a player left"
    lost = chosen[leaver] if leaver < len(chosen) else None
    winners = tuple(
        Seat(seat)
        for seat in range(seats)
        if seat != leaver and (lost is None or seat >= len(chosen) or chosen[seat] is not lost)
    )
    return Verdict(_shared_colour(winners, chosen), winners, why, cause)


def _shared_colour(winners: Iterable[Seat], chosen: Sequence[Tower]) -> Tower | None:
    colours = {chosen[seat] if seat < len(chosen) else None for seat in winners}
    return colours.pop() if len(colours) == 1 else None
