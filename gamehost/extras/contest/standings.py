"""
The table of a contest: the points of the players, and their strengths.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from attrs import frozen

from gamehost.extras.contest.contest import Contest
from gamehost.extras.contest.entries import Played
from gamehost.extras.contest.ratings import Rating, Shares, strengths, tie_breaks


@frozen
class Standing:
    rank: int
    player: int
    name: str
    points: float
    games: int
    won: int
    drawn: int
    lost: int
    #: Points on each seat.
    by_seat: tuple[float, ...]
    rating: Rating
    #: The likelihood that the player is better than the next one in the table; `None`: it is the last.
    superiority: float | None
    buchholz: float
    sonneborn_berger: float
    #: Games lost, by cause.
    lost_by: Mapping[str, int]
    #: Why the player is out; empty: still in.
    scratched: str = ""
    #: Of the points: those for games that others have forfeited, and how many rounds without a game.
    forfeits: float = 0.0
    byes: int = 0


def standings(contest: Contest) -> list[Standing]:
    """
    The table, the best player first: by points, then Buchholz (in a Swiss contest), Sonneborn-Berger, games won, and the order
    of entry. In a knock-out the rounds that a player was in come first. A player that is out is placed last if its
    games are annulled.
    """
    plan, played = contest.plan, [one for one in in_order(contest) if contest.counts(one)]
    count = len(plan.entrants)
    points = contest.points()
    scores = [score for one in played for score in one.scores]
    anchor = next(((number, one.anchor) for number, one in enumerate(plan.entrants) if one.anchor is not None), None)
    rated = strengths(count, [Shares(one.players, one.shares) for one in played], anchor)
    breaks = tie_breaks(count, scores, points)
    wins = [contest.against(player) for player in range(count)]
    swiss, knock_out = plan.format == "swiss", plan.format == "knock-out" and contest.in_turn
    forfeits, byes = contest.forfeits(), Counter(player for _, player in contest.byes)

    def place(one: int) -> tuple[float, ...]:
        buchholz = -breaks[one].buchholz if swiss else 0.0
        annulled = plan.out_rule == "annul" and one in contest.scratched
        survived = -contest.survived(one) if knock_out else 0
        return annulled, survived, -points[one], buchholz, -breaks[one].sonneborn_berger, -wins[one][0], one

    order = sorted(range(count), key=place)
    found = []
    for rank, player in enumerate(order, 1):
        mine = [one for one in played if player in one.players]
        won, drawn, lost = wins[player]
        found.append(
            Standing(
                rank,
                player,
                plan.names[player],
                points=points[player],
                games=len(mine),
                won=won,
                drawn=drawn,
                lost=lost,
                by_seat=_by_seat(mine, player, plan.seats),
                rating=rated.rating(player),
                superiority=rated.superiority(player, order[rank]) if rank < count else None,
                buchholz=breaks[player].buchholz,
                sonneborn_berger=breaks[player].sonneborn_berger,
                lost_by=Counter(one.cause for one in mine if one.shares[one.players.index(player)] == 0),
                scratched=contest.scratched.get(player, (0, ""))[1],
                forfeits=forfeits.get(player, 0.0),
                byes=byes[player],
            )
        )
    return found


def _by_seat(games: Sequence[Played], player: int, seats: int) -> tuple[float, ...]:
    """The points of a player on each seat."""
    points = [0.0] * seats
    for one in games:
        points[one.players.index(player)] += one.shares[one.players.index(player)]
    return tuple(points)


def in_order(contest: Contest) -> list[Played]:
    """The games that are decided, by round and board."""

    def place(one: Played) -> tuple[int, int, str]:
        board = one.id.partition(".")[2]
        return one.round, int(board.rstrip("ab")), board

    return sorted(contest.played.values(), key=place)


def likely(superiority: float | None) -> str:
    """The likelihood that a player is better than the next one, in words."""
    return "" if superiority is None else f"{superiority:.0%}"


def signed(rating: float) -> str:
    """A rating for people."""
    return f"{round(rating):+d}"
