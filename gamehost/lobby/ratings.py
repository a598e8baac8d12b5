"""
Ratings by Glicko-2: Glickman, "Example of the Glicko-2 system" (2022), with its scale of 1500 for somebody who is new.
"""

from collections.abc import Mapping, Sequence
from math import exp, log, pi, sqrt

from attrs import frozen

from gamehost.players.base import Level

#: Points of the scale for one of Glicko-2's own.
SCALE = 173.7178
#: Glickman's constant for how much a volatility may change; he advises 0.3 to 1.2, small where surprises are frequent.
TAU = 0.5
#: The largest error of the logarithm of a variance in the search for a volatility.
CLOSE = 1e-6
#: The deviation of somebody of whom nothing is known. None is larger.
UNKNOWN = 350.0


@frozen
class Rating:
    """How strong somebody is, and how well that is known."""

    value: float = 1500.0
    deviation: float = UNKNOWN
    volatility: float = 0.06

    @property
    def interval(self) -> tuple[float, float]:
        """What holds it with a probability of 95 %."""
        return self.value - 1.96 * self.deviation, self.value + 1.96 * self.deviation

    def after_rest(self, periods: int) -> "Rating":
        """After so many rating periods without a game."""
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


#: The anchors of the scale: what house players are worth, whatever they have won. Their distances are about those that
#: docs/lab/ladder has measured; those of the games differ by about the deviation.
ANCHORS: Mapping[str, Rating] = {
    Level.RANDOM.value: Rating(600.0, 100.0),
    Level.EASY.value: Rating(1100.0, 100.0),
    Level.MEDIUM.value: Rating(1500.0, 100.0),
    Level.HARD.value: Rating(1900.0, 100.0),
}
