"""
What results say about strength: ratings with intervals, tie-breaks, the likelihood of superiority, and a test that ends a match
of two as soon as it is decided.

A rating is on Elo's scale: 400 points more are ten wins for one. The ratings of a contest have the average 0 unless one player
is the anchor.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from itertools import combinations
from math import erf, exp, log, sqrt

from attrs import frozen

from gamehost.players.base import SeededChance

#: Elo's points for a factor of e in strength.
POINTS = 400 / log(10)
#: Every player has so many drawn games against an average one besides, so that who won all games has a rating, too.
PRIOR = 0.5
#: Steps of the estimate at most.
STEPS = 10_000
#: The share by which a strength may change in the last step: of an estimate, and of one of the many that make an interval.
CLOSE = 1e-8
ROUGH = 1e-3


@frozen
class Score:
    """One game, as far as ratings know it: two players, and the first one's share of the point: 1, 0.5 or 0."""

    first: int
    second: int
    share: float


@frozen
class Rating:
    """A rating, and the interval that holds the true one with a probability of 95 %."""

    value: float
    low: float
    high: float


def strengths(
    players: int,
    scores: Iterable[Score],
    prior: float = PRIOR,
    start: Sequence[float] | None = None,
    close: float = CLOSE,
) -> list[float]:
    """
    Estimates of maximum likelihood in the model of Bradley and Terry, as natural logarithms with the average 0; a draw is half
    a win for each. They are found by Hunter's iteration ("MM algorithms for generalized Bradley-Terry models", 2004).

    :param prior: so many draws against an average player are added for each
    :param close: the share by which a strength may change in the last step
    """
    points = [prior / 2] * players
    played: dict[tuple[int, int], float] = {}
    for score in scores:
        points[score.first] += score.share
        points[score.second] += 1 - score.share
        pair = min(score.first, score.second), max(score.first, score.second)
        played[pair] = played.get(pair, 0.0) + 1
    opponents: list[list[tuple[int, float]]] = [[] for _ in range(players)]
    for (one, other), games in played.items():
        opponents[one].append((other, games))
        opponents[other].append((one, games))
    found = [1.0] * players if start is None else [exp(one) for one in start]
    for _ in range(STEPS):
        change = 0.0
        for player, others in enumerate(opponents):
            mine = found[player]
            expected = sum(games / (mine + found[other]) for other, games in others) + prior / (mine + 1.0)
            if expected:
                found[player] = points[player] / expected
                change = max(change, abs(found[player] - mine) / mine if mine else 0.0)
        if change < close:
            break
    logs = [log(one) if one else float("-inf") for one in found]
    mean = sum(logs) / players
    return [one - mean for one in logs]


def ratings(
    players: int, scores: Sequence[Score], seed: int, anchor: tuple[int, float] | None = None, samples: int = 400
) -> list[Rating]:
    """
    A rating for each player. The intervals come from contests with as many games, in which the ratings are the truth (a
    parametric bootstrap: it also has an interval for a player who won all games).

    :param anchor: a player whose rating is known, and the rating
    """
    logs = strengths(players, scores)
    values = _on_scale(logs, anchor)
    draws = sum(score.share == 0.5 for score in scores) / max(1, len(scores))
    chance = SeededChance(seed)
    spread: list[list[float]] = [[] for _ in range(players)]
    for _ in range(samples):
        again = [_drawn(score, values, draws, chance) for score in scores]
        for player, value in enumerate(_on_scale(strengths(players, again, PRIOR, logs, ROUGH), anchor)):
            spread[player].append(value - values[player])
    found = []
    for value, deviations in zip(values, spread, strict=True):
        # The prior pulls the ends inwards, so the spread is taken as that of a normal distribution.
        width = 1.96 * sqrt(sum(one * one for one in deviations) / samples)
        found.append(Rating(value, value - width, value + width))
    return found


def _on_scale(logs: Sequence[float], anchor: tuple[int, float] | None) -> list[float]:
    shift = 0.0 if anchor is None else anchor[1] - POINTS * logs[anchor[0]]
    return [POINTS * one + shift for one in logs]


#: A random number is drawn from so many.
FINE = 1 << 24


def _drawn(score: Score, values: Sequence[float], draws: float, chance: SeededChance) -> Score:
    """The same game once more, decided by chance."""
    win = expected_share(values[score.first] - values[score.second])
    drawn = min(draws, 2 * win, 2 * (1 - win))
    number = chance.below(FINE) / FINE
    share = 0.5 if number < drawn else float(number < drawn + win - drawn / 2)
    return Score(score.first, score.second, share)


def expected_share(difference: float) -> float:
    return 1 / (1 + 10 ** (-difference / 400))


def superiority(won: int, lost: int) -> float:
    """The likelihood that one player is better than another, after games between them; draws say nothing."""
    return 0.5 if won + lost == 0 else 0.5 * (1 + erf((won - lost) / sqrt(2 * (won + lost))))


@frozen
class TieBreaks:
    """What decides between players with equal points, the first one first."""

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
