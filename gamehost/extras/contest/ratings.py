"""
Strength from results: ratings with intervals, tie-breaks, the likelihood of superiority, and a test that ends a match
of two as soon as it is decided.

A rating is on Elo's scale: 400 points more are ten wins for one. The ratings of a contest have the average 0 unless one player
is the anchor.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from itertools import combinations
from math import erf, exp, log, sqrt
from operator import mul
from typing import NamedTuple

from attrs import frozen

#: Elo's points for a factor of e in strength.
POINTS = 400 / log(10)
#: What is known of a field before its first game: the standard deviation of its players' ratings is about the middle one of
#: these, and each has its weight. FieldGames of many games say more about it than the weights.
SPREADS: Mapping[float, float] = {130.0: 0.5, 180.0: 2, 260.0: 6, 360.0: 2, 520.0: 0.4, 750.0: 0.1}
#: So many games without a draw are added, before it is reckoned how much a game says.
DECIDED = 2
#: Newton's steps at most, the largest change of a strength in one, and the change after which there is no other.
STEPS, LONGEST_STEP, CLOSE = 100, 2.0, 1e-10


class Shares(NamedTuple):
    """One game, as far as ratings know it: the players, and the share of the point of each."""

    players: tuple[int, ...]
    shares: tuple[float, ...]


@frozen
class Score:
    """One game of two, as far as tie-breaks know it: the players, and the first one's share of the point: 1, 0.5 or 0."""

    first: int
    second: int
    share: float


@frozen
class Rating:
    """A rating, and the interval that holds the true one with a probability of 95 %."""

    value: float
    low: float
    high: float


@frozen
class FieldGames:
    """The games of a field, put together by who played."""

    count: int
    #: Players, how many games they have played, and the sum of the shares of each.
    games: Sequence[tuple[tuple[int, ...], int, Sequence[float]]]
    #: How much a game says, compared with one that has a winner. A draw is half a win for each, but less is left to chance.
    scatter: float


def put_together(count: int, outcomes: Iterable[Shares]) -> FieldGames:
    """The results of a field, from its games."""
    games: dict[tuple[int, ...], int] = {}
    sums: dict[tuple[int, ...], list[float]] = {}
    scatter, number = float(DECIDED), DECIDED
    for one in outcomes:
        seats = len(one.players)
        number += 1
        # 1 if one player has the whole point, 0 if all share it.
        scatter += (sum(map(mul, one.shares, one.shares)) - 1 / seats) / (1 - 1 / seats)
        players, shares = zip(*sorted(zip(one.players, one.shares, strict=True)), strict=True)
        games[players] = games.get(players, 0) + 1
        sums[players] = [*map(sum, zip(sums.get(players, (0.0,) * seats), shares, strict=True))]
    return FieldGames(count, [(players, games[players], sums[players]) for players in games], scatter / number)


@frozen
class Fit:
    """
    The strengths of the players for one spread of the field: a normal distribution of all strengths, as natural logarithms.

    That of each player before the first game is normal with this spread. In a game a player has the point with a
    probability that is its share of the sum of all players' strengths (the model of Bradley and Terry, and of Luce for more
    than two).
    """

    #: The means.
    values: list[float]
    #: The inverse of the lower Cholesky factor of the precision, by columns: player by player.
    root: list[list[float]]
    #: Of each strength before the first game.
    precision: float
    #: The logarithm of the probability of the results, but for a constant.
    evidence: float

    def covariance(self, one: int, other: int) -> float:
        return float(sum(map(mul, self.root[one], self.root[other])))

    def difference(self, one: int, other: int) -> tuple[float, float]:
        """Mean and variance of the first one's strength minus the other's."""
        variance = self.covariance(one, one) + self.covariance(other, other) - 2 * self.covariance(one, other)
        return self.values[one] - self.values[other], max(0.0, variance)

    def above_average(self, one: int) -> tuple[float, float]:
        """Mean and variance of a strength minus the average of all."""
        count = len(self.values)
        # FieldGames say nothing about the average: its variance is that of before, and so are its covariances.
        variance = self.covariance(one, one) - 1 / (self.precision * count)
        return self.values[one] - sum(self.values) / count, max(0.0, variance)


def fitted(results: FieldGames, spread: float, start: Sequence[float] | None = None) -> Fit:
    """
    The fit for one spread.

    :param spread: the standard deviation of strengths before the first game, in Elo's points
    """
    precision = (POINTS / spread) ** 2
    modes = most_probable(results, precision, start)
    _, matrix, likelihood = _slopes(results, modes, precision)
    root = _inverse_root(matrix)
    determinant = sum(log(root[one][one]) for one in range(results.count))
    evidence = likelihood + determinant + results.count * log(precision) / 2
    means = _means(results, modes, root)
    return Fit(means, _inverse_root(_slopes(results, means, precision)[1]), precision, evidence)


def most_probable(results: FieldGames, precision: float, start: Sequence[float] | None = None) -> list[float]:
    """
    The most probable strengths, by Newton's method: the logarithm of the probability is concave.

    :param precision: of each strength before the first game: 1 by the variance
    """
    values = [0.0] * results.count if start is None else [*start]
    for _ in range(STEPS):
        gradient, matrix, _ = _slopes(results, values, precision)
        step = _solved(_inverse_root(matrix), gradient)
        largest = max(map(abs, step), default=0.0)
        shorter = LONGEST_STEP / max(LONGEST_STEP, largest)
        values = [value + shorter * change for value, change in zip(values, step, strict=True)]
        if largest < CLOSE:
            break
    return values


def _means(results: FieldGames, modes: Sequence[float], root: Sequence[Sequence[float]]) -> list[float]:
    """
    The means of the strengths, from the most probable ones, as far as third derivatives say (Lindley, "Approximate Bayesian
    methods", 1980). A player that wins nearly all games may well be stronger, but hardly weaker.
    """
    pull = [0.0] * results.count
    for players, games, _ in results.games:
        chances = _chances(modes, players)
        rows = [[sum(map(mul, root[one], root[other])) for other in players] for one in players]
        along = [sum(map(mul, row, chances)) for row in rows]
        all_along = sum(map(mul, along, chances))
        # The variance of each player's strength minus the strength of the one that wins, whoever that is.
        spreads = [row[seat] - 2 * along[seat] + all_along for seat, row in enumerate(rows)]
        mean = sum(map(mul, spreads, chances))
        for player, chance, spread in zip(players, chances, spreads, strict=True):
            pull[player] -= games / results.scatter * chance * (spread - mean) / 2
    return [mode + change for mode, change in zip(modes, _solved(root, pull), strict=True)]


def _solved(root: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """The solution of the linear equations of a matrix that has this root of its inverse."""
    half = [sum(map(mul, column, right)) for column in zip(*root, strict=True)]
    return [sum(map(mul, row, half)) for row in root]


def _chances(values: Sequence[float], players: Sequence[int]) -> list[float]:
    """The probability of the point for each player of a game."""
    powers = [exp(values[player] - values[players[0]]) for player in players]
    return [power / sum(powers) for power in powers]


def _slopes(
    results: FieldGames, values: Sequence[float], precision: float
) -> tuple[list[float], list[list[float]], float]:
    """
    The gradient of the logarithm of the probability, the negative matrix of its second derivatives, and itself.
    """
    gradient = [-precision * value for value in values]
    matrix = [[0.0] * results.count for _ in values]
    likelihood = -precision * sum(map(mul, values, values)) / 2
    for player, row in enumerate(matrix):
        row[player] = precision
    weight = 1 / results.scatter
    for players, games, shares in results.games:
        chances = _chances(values, players)
        for seat, player in enumerate(players):
            gradient[player] += weight * (shares[seat] - games * chances[seat])
            likelihood += weight * shares[seat] * log(chances[seat])
            row = matrix[player]
            row[player] += weight * games * chances[seat]
            for other, chance in zip(players, chances, strict=True):
                row[other] -= weight * games * chances[seat] * chance
    return gradient, matrix, likelihood


def _inverse_root(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """
    The columns of the inverse of the lower Cholesky factor: the inverse of the matrix has their products.

    :param matrix: positive definite
    """
    factor: list[list[float]] = []
    inverse: list[list[float]] = []
    for place, row in enumerate(matrix):
        mine: list[float] = []
        for column in range(place):
            above = factor[column]
            mine.append((row[column] - sum(map(mul, mine, above))) / above[column])
        mine.append(sqrt(row[place] - sum(map(mul, mine, mine))))
        factor.append(mine)
        # Row by row: the new row of the inverse is that of the identity minus the rows above, as often as the factor says.
        new = [0.0] * len(matrix)
        for times, above in zip(mine, inverse, strict=False):
            if times:
                new = [value - times * other for value, other in zip(new, above, strict=True)]
        new[place] = 1.0
        inverse.append([value / mine[place] for value in new])
    return [*map(list, zip(*inverse, strict=True))]


@frozen
class Strengths:
    """
    The strength of each player: a mixture of one distribution for each spread of the field, weighted by the probability
    of that spread after the results.
    """

    #: Each with its probability.
    fits: Sequence[tuple[float, Fit]]
    #: A player whose rating is known, and the rating.
    anchor: tuple[int, float] | None = None

    def rating(self, player: int) -> Rating:
        if self.anchor is not None and player == self.anchor[0]:
            return Rating(self.anchor[1], self.anchor[1], self.anchor[1])
        if self.anchor is None:
            parts = [(weight, *fit.above_average(player)) for weight, fit in self.fits]
        else:
            parts = [(weight, *fit.difference(player, self.anchor[0])) for weight, fit in self.fits]
        shift = 0.0 if self.anchor is None else self.anchor[1]
        middle = sum(weight * mean for weight, mean, _ in parts)
        return Rating(*(shift + POINTS * one for one in (middle, _quantile(parts, 0.025), _quantile(parts, 0.975))))

    def superiority(self, one: int, other: int) -> float:
        """The likelihood that one player is better than another, by all games of the field."""
        return sum(weight * _above(*fit.difference(one, other)) for weight, fit in self.fits)


def _above(mean: float, variance: float, bound: float = 0.0) -> float:
    """The probability that a normal quantity is above a bound."""
    if variance <= 0:
        return 0.5 if mean == bound else float(mean > bound)
    return 0.5 * (1 + erf((mean - bound) / sqrt(2 * variance)))


def _quantile(parts: Sequence[tuple[float, float, float]], share: float) -> float:
    """Below which a mixture of normal distributions has this share; each has a weight, a mean and a variance."""
    low = min(mean - 5 * sqrt(variance) for _, mean, variance in parts)
    high = max(mean + 5 * sqrt(variance) for _, mean, variance in parts)
    while high - low > 1e-6:
        middle = (low + high) / 2
        below = 1 - sum(weight * _above(mean, variance, middle) for weight, mean, variance in parts)
        low, high = (middle, high) if below < share else (low, middle)
    return (low + high) / 2


def strengths(count: int, outcomes: Iterable[Shares], anchor: tuple[int, float] | None = None) -> Strengths:
    """
    The strengths of the players of a field, from their results.

    :param anchor: a player whose rating is known, and the rating
    """
    results = put_together(count, outcomes)
    fits: list[Fit] = []
    for spread in SPREADS:
        fits.append(fitted(results, spread, fits[-1].values if fits else None))
    best = max(fit.evidence for fit in fits)
    weights = [weight * exp(fit.evidence - best) for weight, fit in zip(SPREADS.values(), fits, strict=True)]
    return Strengths([(weight / sum(weights), fit) for weight, fit in zip(weights, fits, strict=True)], anchor)


def expected_share(difference: float) -> float:
    return 1 / (1 + 10 ** (-difference / 400))


def superiority(won: int, lost: int) -> float:
    """The likelihood that one player is better than another, after games between them; draws say nothing."""
    return 0.5 if won + lost == 0 else 0.5 * (1 + erf((won - lost) / sqrt(2 * (won + lost))))


@frozen
class TieBreaks:
    """The tie-breaks between players with equal points, in the order in which they count."""

    #: The sum of the opponents' points.
    buchholz: float
    #: The points of those who were beaten, and half of the points of those who drew.
    sonneborn_berger: float


def tie_breaks(players: int, scores: Iterable[Score], points: Sequence[float]) -> list[TieBreaks]:
    """
    Buchholz and Sonneborn-Berger, as of FIDE's regulations on tie-breaks, without their exceptions for games not played.

    :param points: of each player in the whole contest
    """
    buchholz, berger = [0.0] * players, [0.0] * players
    for score in scores:
        for one, other, share in (
            (score.first, score.second, score.share),
            (score.second, score.first, 1 - score.share),
        ):
            buchholz[one] += points[other]
            berger[one] += share * points[other]
    return [TieBreaks(one, other) for one, other in zip(buchholz, berger, strict=True)]


def pairs_of(places: Mapping[int, float]) -> list[Score]:
    """
    A game of more than two as games of two: who has the larger share of the point has beaten the other.

    :param places: players, with their share of the point
    """
    found = []
    for (one, mine), (other, theirs) in combinations(places.items(), 2):
        found.append(Score(one, other, 0.5 if mine == theirs else float(mine > theirs)))
    return found


class Verdict(Enum):
    OPEN = "not decided yet"
    #: The difference is at least the larger one.
    ACCEPTED = "accepted"
    #: The difference is at most the smaller one.
    REJECTED = "rejected"


@frozen
class SequentialTest:
    """
    Wald's test of two hypotheses about the difference in strength, in Elo's points, as programs for chess use it.

    :param elo0: the first player is so much better: what is rejected against
    :param elo1: the first player is so much better, and more than `elo0`
    :param alpha: how often `elo1` may be accepted although `elo0` is true
    :param beta: how often `elo1` may be rejected although it is true
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def ratio(self, won: int, drawn: int, lost: int) -> float:
        """
        The logarithm of the likelihood ratio, for one point a game with the variance that was seen (Van den Bergh, "A practical
        introduction to the GSPRT"). 0 as long as nothing can be said.
        """
        games = won + drawn + lost
        if not games:
            return 0.0
        # Half a game of each kind, so that three wins in a row are no certainty.
        won_share, drawn_share = (won + 0.5) / (games + 1.5), (drawn + 0.5) / (games + 1.5)
        mean = won_share + drawn_share / 2
        variance = won_share + drawn_share / 4 - mean * mean
        low, high = expected_share(self.elo0), expected_share(self.elo1)
        return games * (high - low) * (2 * mean - low - high) / (2 * variance)

    @property
    def bounds(self) -> tuple[float, float]:
        """The ratios at which the test ends."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def verdict(self, won: int, drawn: int, lost: int) -> Verdict:
        low, high = self.bounds
        ratio = self.ratio(won, drawn, lost)
        return Verdict.ACCEPTED if ratio >= high else Verdict.REJECTED if ratio <= low else Verdict.OPEN
