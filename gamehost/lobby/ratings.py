"""
Ratings: how strong players are, from their rated matches.

The method is Glicko-2: Glickman, "Example of the Glicko-2 system" (2022). A new player has a rating of 1500. Ratings are not
stored: the first request computes them from the newest rated matches in the store, and later each rated match that ends is
added.
"""

from collections.abc import Generator, Iterable, Mapping, Sequence
from functools import cache
from math import exp, log, pi, sqrt

from attrs import define, field, frozen

from gamehost.games.base import Cause
from gamehost.games.installed import installed, part
from gamehost.journal.records import FinishedMatch, TableId
from gamehost.lobby.results import Who, outcome
from gamehost.players.base import Level

#: Glicko-2 computes on its own scale. This is the number of points of a rating in one unit of that scale.
SCALE = 173.7178
#: Glickman's constant tau for how much a volatility may change: he advises 0.3 to 1.2, and a small value for games with many
#: surprising results.
TAU = 0.5
#: The largest error of the logarithm of a variance in the search for a volatility.
CLOSE = 1e-6
#: The deviation of an unknown player. No deviation is larger.
UNKNOWN = 350.0
#: How many of the newest rated matches are read to compute the ratings: half a second of work, done in slices.
RATED_COUNTED = 5_000
#: The most ratings that are stored; those of players that have not played for longest are dropped first.
MOST_RATINGS = 2 * RATED_COUNTED
#: In milliseconds. For each week without a match, a rating becomes less certain.
WEEK = 7 * 86_400_000


@frozen
class Rating:
    """The strength of a player, and how certain it is. The terms are those of Glicko-2."""

    #: The strength, in points.
    value: float = 1500.0
    #: The standard deviation of the strength, in points: small for a well-known player.
    deviation: float = UNKNOWN
    #: How much the strength itself is expected to change.
    volatility: float = 0.06

    @property
    def interval(self) -> tuple[float, float]:
        """The interval that contains the strength with a probability of 95 %."""
        return self.value - 1.96 * self.deviation, self.value + 1.96 * self.deviation

    def after_rest(self, periods: int) -> "Rating":
        """The rating after a number of rating periods without a match: less certain, with the same value."""
        widened = sqrt(self.deviation**2 + periods * (SCALE * self.volatility) ** 2)
        return Rating(self.value, min(UNKNOWN, widened), self.volatility)

    def after(self, games: Sequence[tuple["Rating", float]], tau: float = TAU) -> "Rating":
        """
        The rating after a rating period: steps 2 to 8 of Glickman's paper, with its names.

        :param games: for each match of the period, the opponent's rating before the period, and this player's result: 1 for a
            win, 0.5 for a draw, 0 for a loss
        :param tau: how much the volatility may change
        """
        if not games:
            return self.after_rest(1)
        mu, phi = (self.value - 1500) / SCALE, self.deviation / SCALE
        information = surprise = 0.0
        for other, share in games:
            weight = 1 / sqrt(1 + 3 * (other.deviation / SCALE / pi) ** 2)
            expected = 1 / (1 + exp(-weight * (mu - (other.value - 1500) / SCALE)))
            information += weight**2 * expected * (1 - expected)
            surprise += weight * (share - expected)
        variance = 1 / information
        sigma = _volatility(self.volatility, phi, variance, variance * surprise, tau)
        new_phi = 1 / sqrt(1 / (phi**2 + sigma**2) + information)
        return Rating(1500 + SCALE * (mu + new_phi**2 * surprise), SCALE * new_phi, sigma)


def _volatility(sigma: float, phi: float, variance: float, delta: float, tau: float) -> float:
    """
    The new volatility: step 5 of Glickman's paper, with its names. It is where `slope` is 0, which the Illinois algorithm
    finds: a search between two points on both sides of it.
    """
    start = log(sigma**2)

    def slope(x: float) -> float:
        rest = phi**2 + variance + exp(x)
        return exp(x) * (delta**2 - rest) / (2 * rest**2) - (x - start) / tau**2

    low, high = start, log(delta**2 - phi**2 - variance) if delta**2 > phi**2 + variance else start - tau
    while high < start and slope(high) < 0:
        high -= tau
    at_low, at_high = slope(low), slope(high)
    while abs(high - low) > CLOSE:
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = slope(middle)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, at_middle
    return exp(low / 2)


#: The fixed ratings of house players by level, for games in which the strengths of the levels were measured. They give the
#: scale a fixed meaning. The differences are about those in docs/house-players.
ANCHORS: Mapping[str, Rating] = {
    Level.RANDOM.value: Rating(600.0, 100.0),
    Level.EASY.value: Rating(1100.0, 100.0),
    Level.MEDIUM.value: Rating(1500.0, 100.0),
    Level.HARD.value: Rating(1900.0, 100.0),
}


@cache
def levels_are_measured(game: str) -> bool:
    """Whether the strengths of the house players' levels were measured in a game: its `player.py` has `MEASURED = True`."""
    token = installed().games.get(game)
    return token is not None and part(token, "player", "MEASURED") is True


@frozen
class Rated:
    """A player's rating in one game, and how many rated matches it comes from."""

    rating: Rating
    matches: int = 0
    #: When the last of these matches was opened, in weeks since 1970.
    week: int = 0
    #: The player's display name in the last of these matches; empty: the player had none.
    shown: str = ""

    @property
    def rounded(self) -> tuple[int, int, int]:
        """The rating, and the ends of its interval, as people see them: whole points."""
        low, high = self.rating.interval
        return round(self.rating.value), round(low), round(high)


#: By player and game.
Ratings = Mapping[tuple[Who, str], Rated]


@define(eq=False)
class RunningRatings:
    """
    The ratings of all players, to which each new rated match is added.

    Matches are added in the order in which they end, and a new computation from the store adds them in the order in which
    they began. Both have the same result, because a player is usually in only one match at a time. For an account that plays
    several matches at once, the results may differ.
    """

    #: By player and game, in the order of the players' last matches.
    ratings: dict[tuple[Who, str], Rated] = field(factory=dict)
    #: The numbers of the matches that are counted in the ratings.
    counted: set[TableId] = field(factory=set)
    #: Matches with this number or a lower one are too old to be counted.
    too_old: int = 0

    def missing(self, matches: Iterable[FinishedMatch]) -> list[FinishedMatch]:
        """The matches among these that are not counted yet."""
        return [one for one in matches if one.table not in self.counted and one.table > self.too_old]

    def count(self, matches: Iterable[FinishedMatch]) -> Generator[None, None, None]:
        """
        Add matches to the ratings, one with each step of the generator. Each match is a rating period of its own.

        A match of three or four players counts as a match between each two of them: winners have beaten the others. If the
        levels of the game were measured, house players have the fixed ratings of `ANCHORS`; otherwise they are rated as other
        players are.

        :param matches: that are not counted yet, the oldest first
        """
        for match in matches:
            yield
            self.counted.add(match.table)
            self._rate(match)
        # Do not store the numbers of all matches for ever: drop the oldest, and remember the highest that was dropped.
        if len(self.counted) > 2 * RATED_COUNTED:
            dropped = sorted(self.counted)[:-RATED_COUNTED]
            self.too_old = dropped[-1]
            self.counted -= set(dropped)

    def _rate(self, match: FinishedMatch) -> None:
        """Change the ratings of a match's players by its result."""
        ratings, (winners, cause, _) = self.ratings, outcome(match)
        if not winners and cause != Cause.RULES.value:
            return  # no result: a draw by the rules has no winners either, but counts
        # The ratings before the match. House players have a fixed rating (`anchors`), if the levels were measured in this
        # game; all others have become less certain with each week without a match.
        game, week = match.opening.game, match.opened_ms // WEEK
        seats = [(Who.of(one), game) for one in match.opening.seats]
        anchors = ANCHORS if levels_are_measured(game) else {}
        new = [anchors.get(who.name, Rating()) if who.kind == "house" else Rating() for who, _ in seats]
        known = [ratings.pop(key, Rated(one, week=week)) for key, one in zip(seats, new, strict=True)]
        fixed = [who.kind == "house" and who.name in anchors for who, _ in seats]
        before = [
            one.rating.after_rest(0 if anchored else max(0, week - one.week))
            for anchored, one in zip(fixed, known, strict=True)
        ]
        # The ratings after the match. `pop` above and the assignment here move the players to the end of `ratings`.
        for seat, (who, _) in enumerate(seats):
            rating = before[seat]
            if not fixed[seat]:
                others = [other for other in range(len(seats)) if other != seat]
                # 1 for a seat that has lost against this one, 0 for one that has won, 0.5 for one with the same result.
                shares = [0.5 + ((seat in winners) - (other in winners)) / 2 for other in others]
                rating = rating.after([(before[o], s) for o, s in zip(others, shares, strict=True)])
            ratings[who, game] = Rated(rating, known[seat].matches + 1, week, match.opening.seats[seat].shown)
        while len(ratings) > MOST_RATINGS:
            del ratings[next(iter(ratings))]
