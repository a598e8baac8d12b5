"""
Estimates the strengths of players from results: ratings with intervals, tie-breaks, and the probability that one player is
stronger than another. Also a sequential test, which ends a match between two players as soon as the result is certain enough.

A rating is on Elo's scale: a player with 400 points more wins ten games for each game that it loses. The average of a
contest's ratings is 0, unless one player, the anchor, has a known rating.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from itertools import combinations
from math import erf, exp, log, sqrt
from operator import mul
from typing import NamedTuple

from attrs import frozen

#: A factor of e in strength is so many of Elo's points.
POINTS = 400 / log(10)
#: The prior of the standard deviation of the players' ratings: possible values, each with its weight. After many games the
#: results matter more than these weights.
SPREADS: Mapping[float, float] = {130.0: 0.5, 180.0: 2, 260.0: 6, 360.0: 2, 520.0: 0.4, 750.0: 0.1}
#: So many imaginary games without a draw are added to the results when `FieldGames.scatter` is computed.
DECIDED = 2
#: Newton's method: the most steps, the largest change of a strength in one step, and a change so small that the method ends.
STEPS, LONGEST_STEP, CLOSE = 100, 2.0, 1e-10


class Shares(NamedTuple):
    """A game as the ratings use it: the players, and each one's share of the point."""

    players: tuple[int, ...]
    shares: tuple[float, ...]


@frozen
class Score:
    """A game of two players as the tie-breaks use it: the players, and the first player's share of the point (1, 0.5 or 0)."""

    first: int
    second: int
    share: float


@frozen
class Rating:
    """A rating, and the interval that contains the true rating with a probability of 95 %."""

    value: float
    low: float
    high: float


@frozen
class FieldGames:
    """All games of a field of players. Games between the same players are added up."""

    #: The number of players.
    count: int
    #: For each group of players: the players, how many games they have played, and the sum of each one's shares.
    games: Sequence[tuple[tuple[int, ...], int, Sequence[float]]]
    #: The variance of a game's result, compared with games without draws: 1 without draws, less with draws. Less chance means
    #: that a game says more about strength.
    scatter: float


def put_together(count: int, outcomes: Iterable[Shares]) -> FieldGames:
    """
    Adds up the games of a field of players, so that the strengths can be estimated: for each group of players that has
    played together, the number of games and the sums of points. Also computes how much results scatter: less than 1 if
    there were draws.

    :param count: the number of players
    :param outcomes: the games
    """
    games: dict[tuple[int, ...], int] = {}
    sums: dict[tuple[int, ...], list[float]] = {}
    # Begin as if some games without a draw had been played, so that few games do not count as certainty.
    scatter, number = float(DECIDED), DECIDED
    for one in outcomes:
        seats = len(one.players)
        number += 1
        # 1 if one player has the whole point, 0 if all share it.
        scatter += (sum(map(mul, one.shares, one.shares)) - 1 / seats) / (1 - 1 / seats)
        # The same players may have had other seats in another game, so they are sorted.
        players, shares = zip(*sorted(zip(one.players, one.shares, strict=True)), strict=True)
        games[players] = games.get(players, 0) + 1
        sums[players] = [*map(sum, zip(sums.get(players, (0.0,) * seats), shares, strict=True))]
    return FieldGames(count, [(players, games[players], sums[players]) for players in games], scatter / number)


@frozen
class Fit:
    """
    The estimated strengths of the players, for one assumed spread of the field: a normal distribution of the natural
    logarithms of all strengths.

    Before the first game, each player's strength is normally distributed with this spread. The probability that a player
    wins a game is its strength divided by the sum of all players' strengths (the model of Bradley and Terry, and of Luce
    for more than two players).
    """

    #: The mean of each player's strength, as a natural logarithm.
    values: list[float]
    #: The inverse of the lower Cholesky factor of the precision matrix, by columns: a list for each player.
    root: list[list[float]]
    #: The precision (1 divided by the variance) of each strength before the first game.
    precision: float
    #: The logarithm of the probability of the results under this spread, without a constant term.
    evidence: float

    def covariance(self, one: int, other: int) -> float:
        """Returns the covariance of two players' strengths; for the same player twice, the variance."""
        return float(sum(map(mul, self.root[one], self.root[other])))

    def difference(self, one: int, other: int) -> tuple[float, float]:
        """Returns mean and variance of the difference: the first player's strength minus the other player's."""
        variance = self.covariance(one, one) + self.covariance(other, other) - 2 * self.covariance(one, other)
        return self.values[one] - self.values[other], max(0.0, variance)

    def above_average(self, one: int) -> tuple[float, float]:
        """
        Returns two values: the mean and the variance of the difference between a player's strength and the average
        strength of all players.
        """
        count = len(self.values)
        # Results say nothing about the average of all, so its variance is the same as before the first game.
        variance = self.covariance(one, one) - 1 / (self.precision * count)
        return self.values[one] - sum(self.values) / count, max(0.0, variance)


def fitted(results: FieldGames, spread: float, start: Sequence[float] | None = None) -> Fit:
    """
    Estimates the strengths for one assumed spread of the field.

    :param spread: the standard deviation of strengths before the first game, in Elo's points
    :param start: strengths with which the search begins; `None`: all are 0
    """
    precision = (POINTS / spread) ** 2
    # The most probable strengths, and how probable the results are under this spread (Laplace's approximation).
    modes = most_probable(results, precision, start)
    _, matrix, likelihood = _slopes(results, modes, precision)
    root = _inverse_root(matrix)
    determinant = sum(log(root[one][one]) for one in range(results.count))
    evidence = likelihood + determinant + results.count * log(precision) / 2
    # The distribution is not symmetric, so means differ from the most probable values.
    means = _means(results, modes, root)
    return Fit(means, _inverse_root(_slopes(results, means, precision)[1]), precision, evidence)


def most_probable(results: FieldGames, precision: float, start: Sequence[float] | None = None) -> list[float]:
    """
    Returns the most probable strengths, found by Newton's method. There is a single maximum, because the logarithm of the
    probability is concave.

    :param precision: the precision (1 divided by the variance) of each strength before the first game
    :param start: strengths with which the search begins; `None`: all are 0
    """
    values = [0.0] * results.count if start is None else [*start]
    for _ in range(STEPS):
        gradient, matrix, _ = _slopes(results, values, precision)
        step = _solved(_inverse_root(matrix), gradient)
        # A very long step is shortened, so that the method does not jump too far.
        largest = max(map(abs, step), default=0.0)
        shorter = LONGEST_STEP / max(LONGEST_STEP, largest)
        values = [value + shorter * change for value, change in zip(values, step, strict=True)]
        if largest < CLOSE:
            break
    return values


def _means(results: FieldGames, modes: Sequence[float], root: Sequence[Sequence[float]]) -> list[float]:
    """
    Returns the means of the strengths, computed from the most probable strengths with third derivatives (Lindley,
    "Approximate Bayesian methods", 1980). They differ: a player that wins nearly all games may be much stronger than the
    most probable value, but hardly weaker.
    """
    pull = [0.0] * results.count
    for players, games, _ in results.games:
        chances = _chances(modes, players)
        rows = [[sum(map(mul, root[one], root[other])) for other in players] for one in players]
        along = [sum(map(mul, row, chances)) for row in rows]
        all_along = sum(map(mul, along, chances))
        # The variance of the difference between each player's strength and the strength of a random winner.
        spreads = [row[seat] - 2 * along[seat] + all_along for seat, row in enumerate(rows)]
        mean = sum(map(mul, spreads, chances))
        for player, chance, spread in zip(players, chances, spreads, strict=True):
            pull[player] -= games / results.scatter * chance * (spread - mean) / 2
    return [mode + change for mode, change in zip(modes, _solved(root, pull), strict=True)]


def _solved(root: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """
    Solves linear equations.

    :param root: the inverse Cholesky factor of the matrix, as `_inverse_root` returns it
    :param right: the right side of the equations
    """
    half = [sum(map(mul, column, right)) for column in zip(*root, strict=True)]
    return [sum(map(mul, row, half)) for row in root]


def _chances(values: Sequence[float], players: Sequence[int]) -> list[float]:
    """Returns for each player of a game the probability that it wins the point."""
    powers = [exp(values[player] - values[players[0]]) for player in players]
    return [power / sum(powers) for power in powers]


def _slopes(
    results: FieldGames, values: Sequence[float], precision: float
) -> tuple[list[float], list[list[float]], float]:
    """
    Computes the logarithm of the probability of strengths after the results, and its derivatives.

    :returns: the gradient, the matrix of second derivatives with the opposite sign, and the logarithm itself
    """
    # The part of the prior: a normal distribution of each strength around 0.
    gradient = [-precision * value for value in values]
    matrix = [[0.0] * results.count for _ in values]
    likelihood = -precision * sum(map(mul, values, values)) / 2
    for player, row in enumerate(matrix):
        row[player] = precision
    # The part of the games.
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
    Returns the columns of the inverse of a matrix's lower Cholesky factor. An element of the inverse matrix is the scalar
    product of two of these columns.

    :param matrix: a positive definite matrix
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
        # The new row of the inverse: the row of the identity matrix, minus the rows above, each times the factor's element.
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
    The estimated strengths of all players: a mixture of the fits for several spreads of the field, weighted by the
    probability of each spread after the results.
    """

    #: The probability of each spread after the results, and its fit.
    fits: Sequence[tuple[float, Fit]]
    #: A player whose rating is known, and the rating.
    anchor: tuple[int, float] | None = None

    def rating(self, player: int) -> Rating:
        """
        Returns the rating of a player on Elo's scale. The anchor, a player with a known rating, fixes the scale.
        Without an anchor, the average of all players is 0.
        """
        if self.anchor is not None and player == self.anchor[0]:
            return Rating(self.anchor[1], self.anchor[1], self.anchor[1])
        if self.anchor is None:
            parts = [(weight, *fit.above_average(player)) for weight, fit in self.fits]
        else:
            parts = [(weight, *fit.difference(player, self.anchor[0])) for weight, fit in self.fits]
        shift = 0.0 if self.anchor is None else self.anchor[1]
        middle = sum(weight * mean for weight, mean, _ in parts)
        # The value, and the bounds between which the rating is with a probability of 95 %.
        return Rating(*(shift + POINTS * one for one in (middle, _quantile(parts, 0.025), _quantile(parts, 0.975))))

    def superiority(self, one: int, other: int) -> float:
        """Returns the probability that one player is stronger than another, by all games of the field."""
        return sum(weight * _above(*fit.difference(one, other)) for weight, fit in self.fits)


def _above(mean: float, variance: float, bound: float = 0.0) -> float:
    """Returns the probability that a normally distributed value is above a bound."""
    if variance <= 0:
        # Without variance the value is certain.
        return 0.5 if mean == bound else float(mean > bound)
    return 0.5 * (1 + erf((mean - bound) / sqrt(2 * variance)))


def _quantile(parts: Sequence[tuple[float, float, float]], share: float) -> float:
    """
    Returns the quantile of a mixture of normal distributions, found by bisection.

    :param parts: the weight, mean and variance of each distribution
    :param share: the share of the mixture below the quantile, as in 0.025
    """
    # Nearly the whole mixture is between these bounds.
    low = min(mean - 5 * sqrt(variance) for _, mean, variance in parts)
    high = max(mean + 5 * sqrt(variance) for _, mean, variance in parts)
    while high - low > 1e-6:
        middle = (low + high) / 2
        below = 1 - sum(weight * _above(mean, variance, middle) for weight, mean, variance in parts)
        low, high = (middle, high) if below < share else (low, middle)
    return (low + high) / 2


def strengths(count: int, outcomes: Iterable[Shares], anchor: tuple[int, float] | None = None) -> Strengths:
    """
    Estimates the strengths of the players of a field from their results.

    :param count: the number of players
    :param anchor: a player with a known rating, and the rating
    """
    results = put_together(count, outcomes)
    fits: list[Fit] = []
    for spread in SPREADS:
        # The strengths for the spread before are a good start for the search.
        fits.append(fitted(results, spread, fits[-1].values if fits else None))
    # The probability of each spread after the results, from its prior weight and the evidence.
    # Subtracted, because the numbers themselves may be too small for `exp`.
    best = max(fit.evidence for fit in fits)
    weights = [weight * exp(fit.evidence - best) for weight, fit in zip(SPREADS.values(), fits, strict=True)]
    return Strengths([(weight / sum(weights), fit) for weight, fit in zip(weights, fits, strict=True)], anchor)


def expected_share(difference: float) -> float:
    """
    Returns a player's expected share of the point in a game of two.

    :param difference: how much stronger than its opponent the player is, in Elo's points
    """
    return 1 / (1 + 10 ** (-difference / 400))


def superiority(won: int, lost: int) -> float:
    """Returns the probability that one player is stronger than another, from the games between them. Draws do not matter."""
    return 0.5 if won + lost == 0 else 0.5 * (1 + erf((won - lost) / sqrt(2 * (won + lost))))


@frozen
class TieBreaks:
    """The tie-breaks between players with equal points, in the order in which they count."""

    #: The sum of the opponents' points.
    buchholz: float
    #: The sum of the points of opponents that the player has beaten, and half the points of opponents with a draw.
    sonneborn_berger: float


def tie_breaks(players: int, scores: Iterable[Score], points: Sequence[float]) -> list[TieBreaks]:
    """
    Computes Buchholz and Sonneborn-Berger for each player, which order players with equal points, by FIDE's regulations
    on tie-breaks. FIDE's exceptions for games that were not played are left out.

    :param players: the number of players
    :param points: the points of each player in the whole contest
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
    Converts a game of more than two players into results of two players each. In each pair, the player with the larger share
    of the point has won.

    :param places: the share of the point of each player
    """
    found = []
    for (one, mine), (other, theirs) in combinations(places.items(), 2):
        found.append(Score(one, other, 0.5 if mine == theirs else float(mine > theirs)))
    return found


class Verdict(Enum):
    """The verdict of a sequential test."""

    OPEN = "not decided yet"
    #: The difference is at least the larger one.
    ACCEPTED = "accepted"
    #: The difference is at most the smaller one.
    REJECTED = "rejected"


@frozen
class SequentialTest:
    """
    Wald's sequential test of two hypotheses about the difference in strength between two players, as developers of chess
    programs use it. It is repeated after each game until one hypothesis is accepted.

    :param elo0: the smaller difference: the first player is better by so many of Elo's points
    :param elo1: the larger difference
    :param alpha: how often `elo1` may be accepted although `elo0` is true
    :param beta: how often `elo1` may be rejected although it is true
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def ratio(self, won: int, drawn: int, lost: int) -> float:
        """
        Returns the logarithm of the likelihood ratio of `elo1` to `elo0`, with the variance of the results so far (Van
        den Bergh, "A practical introduction to the GSPRT"). A large value speaks for `elo1`, a small one for `elo0`. It
        is 0 without games.
        """
        games = won + drawn + lost
        if not games:
            return 0.0
        # Half a game of each result is added, so that three wins in a row do not count as certainty.
        won_share, drawn_share = (won + 0.5) / (games + 1.5), (drawn + 0.5) / (games + 1.5)
        mean = won_share + drawn_share / 2
        variance = won_share + drawn_share / 4 - mean * mean
        low, high = expected_share(self.elo0), expected_share(self.elo1)
        return games * (high - low) * (2 * mean - low - high) / (2 * variance)

    @property
    def bounds(self) -> tuple[float, float]:
        """The lower and the upper ratio at which the test ends."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def verdict(self, won: int, drawn: int, lost: int) -> Verdict:
        """Returns the verdict after the first player has won, drawn and lost so many games."""
        low, high = self.bounds
        ratio = self.ratio(won, drawn, lost)
        if ratio >= high:
            return Verdict.ACCEPTED
        if ratio <= low:
            return Verdict.REJECTED
        return Verdict.OPEN
