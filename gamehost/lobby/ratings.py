"""
Ratings: how strong players are, from their rated matches.

They are by Glicko-2: Glickman, "Example of the Glicko-2 system" (2022), with its scale of 1500 for a new player. Nothing is
stored for them. They are made from the newest rated matches when they are first asked for, and then follow each rated match
that ends.
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

#: Points of the scale for one of Glicko-2's own.
SCALE = 173.7178
#: Glickman's constant for how much a volatility may change; he advises 0.3 to 1.2, small where surprises are frequent.
TAU = 0.5
#: The largest error of the logarithm of a variance in the search for a volatility.
CLOSE = 1e-6
#: The deviation of an unknown player. No deviation is larger.
UNKNOWN = 350.0
#: Rated matches of which ratings are made, the newest ones: half a second of work, a slice in each turn.
RATED_COUNTED = 5_000
#: The most ratings that are stored; those of players that have not played for longest are dropped first.
MOST_RATINGS = 2 * RATED_COUNTED
#: Milliseconds. After each such time a rating becomes less certain if its player does not play.
WEEK = 7 * 86_400_000


@frozen
class Rating:
    """The strength of a player, and its uncertainty."""

    value: float = 1500.0
    deviation: float = UNKNOWN
    volatility: float = 0.06

    @property
    def interval(self) -> tuple[float, float]:
        """The interval that contains the strength with a probability of 95 %."""
        return self.value - 1.96 * self.deviation, self.value + 1.96 * self.deviation

    def after_rest(self, periods: int) -> "Rating":
        widened = sqrt(self.deviation**2 + periods * (SCALE * self.volatility) ** 2)
        return Rating(self.value, min(UNKNOWN, widened), self.volatility)

    def after(self, games: Sequence[tuple["Rating", float]], tau: float = TAU) -> "Rating":
        """
        After a rating period: steps 2 to 8.

        :param games: the rating of each opponent before the period, and the own share of the point: 1, 0.5 or 0
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
    """Step 5: the new volatility, by the Illinois algorithm."""
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


#: The anchors of the scale in games in which the levels were measured: what house players are worth, whatever they have won.
#: Their distances are about those that docs/house-players names; those of the games differ by about the deviation.
ANCHORS: Mapping[str, Rating] = {
    Level.RANDOM.value: Rating(600.0, 100.0),
    Level.EASY.value: Rating(1100.0, 100.0),
    Level.MEDIUM.value: Rating(1500.0, 100.0),
    Level.HARD.value: Rating(1900.0, 100.0),
}


@cache
def levels_are_measured(game: str) -> bool:
    """Whether it is known how strong the levels of the house are in a game: its `player.py` says so."""
    token = installed().games.get(game)
    return token is not None and part(token, "player", "MEASURED") is True


@frozen
class Rated:
    """A player's rating in one game, and how many rated matches it comes from."""

    rating: Rating
    matches: int = 0
    #: The week of the last one, and the display name in it; empty: the player had none.
    week: int = 0
    shown: str = ""

    @property
    def rounded(self) -> tuple[int, int, int]:
        """The rating and its bounds with a probability of 95 %, as people see them."""
        low, high = self.rating.interval
        return round(self.rating.value), round(low), round(high)


#: By player and game.
Ratings = Mapping[tuple[Who, str], Rated]


@define(eq=False)
class RunningRatings:
    """
    Ratings that follow the rated matches as they end.

    A match that began before others and ended after them is rated after them. Its players were in no other match
    meanwhile, so ratings that are made from the beginning are the same. Only an account that plays several matches at
    once is an exception.
    """

    #: The player of the latest match comes last.
    ratings: dict[tuple[Who, str], Rated] = field(factory=dict)
    #: The numbers of the matches that count in them, and the highest number of those that do not, because they are too old.
    counted: set[TableId] = field(factory=set)
    too_old: int = 0

    def missing(self, matches: Iterable[FinishedMatch]) -> list[FinishedMatch]:
        return [one for one in matches if one.table not in self.counted and one.table > self.too_old]

    def count(self, matches: Iterable[FinishedMatch]) -> Generator[None, None, None]:
        """
        Rate matches that are not counted, the oldest first. Each match is a rating period for its players; each step takes one.

        At a table of three or four, everybody has played everybody: winners have beaten the others. House players are anchors,
        whose ratings do not change, in games in which their levels were measured. In other games they are rated as others are.
        """
        for match in matches:
            yield
            self.counted.add(match.table)
            self._rate(match)
        if len(self.counted) > 2 * RATED_COUNTED:
            *old, self.too_old = sorted(self.counted)[:-RATED_COUNTED]
            self.counted -= {*old, self.too_old}

    def _rate(self, match: FinishedMatch) -> None:
        ratings, (winners, cause, _) = self.ratings, outcome(match)
        if not winners and cause != Cause.RULES.value:
            return  # no result
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
        for seat, (who, _) in enumerate(seats):
            rating = before[seat]
            if not fixed[seat]:
                others = [other for other in range(len(seats)) if other != seat]
                shares = [0.5 + ((seat in winners) - (other in winners)) / 2 for other in others]
                rating = rating.after([(before[o], s) for o, s in zip(others, shares, strict=True)])
            ratings[who, game] = Rated(rating, known[seat].matches + 1, week, match.opening.seats[seat].shown)
        while len(ratings) > MOST_RATINGS:
            del ratings[next(iter(ratings))]
