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
    """One row of the table: a player's rank, points and rating, and the facts behind them."""

    rank: int
    #: The number of the player in the plan, from 0.
    player: int
    name: str
    points: float
    #: How many of its games count, and how they ended.
    games: int
    won: int
    drawn: int
    lost: int
    #: The points on each seat.
    by_seat: tuple[float, ...]
    rating: Rating
    #: The probability that the player is stronger than the next one in the table; `None`: it is the last player.
    superiority: float | None
    #: The tie-breaks, as of `gamehost.extras.contest.ratings.TieBreaks`.
    buchholz: float
    sonneborn_berger: float
    #: How many games the player has lost by each cause.
    lost_by: Mapping[str, int]
    #: Why the player is out of the contest; empty: it is not out.
    scratched: str = ""
    #: The part of the points that comes from games forfeited by opponents, and the number of rounds without a game.
    forfeits: float = 0.0
    byes: int = 0


def standings(contest: Contest) -> list[Standing]:
    """
    Returns the table of a contest, the best player first. Points decide, then Buchholz (in a Swiss contest),
    Sonneborn-Berger, games won, and the order of entry. In a knock-out, the number of rounds that a player survived counts
    before all these. A player that is out comes last if its games are annulled.
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
        """
        Returns the key by which players are sorted, the best player with the smallest key. Larger numbers are better,
        so they have a minus.
        """
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
                # `order[rank]` is the next player, since ranks begin with 1.
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
    """Returns the points of a player on each seat. All games must be games of this player."""
    points = [0.0] * seats
    for one in games:
        points[one.players.index(player)] += one.shares[one.players.index(player)]
    return tuple(points)


def in_order(contest: Contest) -> list[Played]:
    """Returns the decided games, sorted by round and board."""

    def place(one: Played) -> tuple[int, int, str]:
        """
        Returns the key by which games are sorted: the round, the number of the board, and then the whole name of the
        board.
        """
        # The board is the part of the id behind the dot. `a` and `b` are the two games of a pair.
        # `b` comes after `a`, since the whole text decides last.
        board = one.id.partition(".")[2]
        return one.round, int(board.rstrip("ab")), board

    return sorted(contest.played.values(), key=place)


def likely(superiority: float | None) -> str:
    """Returns the probability that a player is stronger than the next one as a text; empty: it is the last player."""
    return "" if superiority is None else f"{superiority:.0%}"


def signed(rating: float) -> str:
    """Returns a rating as a text with its sign, as in `+35`."""
    return f"{round(rating):+d}"
