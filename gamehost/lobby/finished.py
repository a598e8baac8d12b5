"""
The finished matches of a host: lists of them, who has won how often, and the ratings by Glicko-2.

Private matches are in no list, and are not counted. Neither are matches in which nobody has acted: somebody may have begun
them by the thousand, and given them up.

Nothing is stored for ratings. They are made from the newest rated matches when they are first asked for, and then follow each
rated match that ends.
"""

import re
from collections import Counter
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import cached_property
from math import exp, log, pi, sqrt
from typing import Any, Literal, NamedTuple

from attrs import define, field, frozen
from twisted.internet.defer import Deferred, DeferredLock
from twisted.internet.interfaces import IReactorTime

from gamehost.accounts.names import key_of
from gamehost.games.base import Cause
from gamehost.journal.records import HOUSE_ADDRESS, RATED_MATCHES, FinishedMatch, Journal, SeatRecord, TableId
from gamehost.measures import MatchCounts
from gamehost.players.base import Level

# Glicko-2: Glickman, "Example of the Glicko-2 system" (2022), with its scale of 1500 for somebody who is new.


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
#: docs/house-players names; those of the games differ by about the deviation.
ANCHORS: Mapping[str, Rating] = {
    Level.RANDOM.value: Rating(600.0, 100.0),
    Level.EASY.value: Rating(1100.0, 100.0),
    Level.MEDIUM.value: Rating(1500.0, 100.0),
    Level.HARD.value: Rating(1900.0, 100.0),
}


# The finished matches.


#: Matches that the journal is asked for at once: a millisecond of work each time.
SOME = 100
#: Matches whose results are counted, and seconds for which they are not counted anew.
COUNTED, COUNTED_SECONDS = 2_000, 10.0
#: Rated matches of which ratings are made, the newest ones: half a second of work, a slice in each turn.
RATED_COUNTED = 5_000
#: Ratings that are known at most; those go first whose players have not played for longest.
MOST_RATINGS = 2 * RATED_COUNTED
#: Players of one ladder that are told: the best ones.
RANKED = 100
#: Milliseconds. So often a rating becomes less certain if its player does not play.
WEEK = 7 * 86_400_000
#: So many times as many matches are looked at as are wanted, because nobody has acted in some of them.
UNPLAYED = 5
#: Seconds for which a list holds in which nothing has changed here. Other hosts may write to the same store.
LIST_SECONDS = 1.0

#: A house player's name begins with its level and a dot. Nobody else may have such a name.
_LEVELS = frozenset(level.value for level in Level)

_OUTCOME = re.compile(rf"(.*) won \(({'|'.join(cause.value for cause in Cause)})\): (.*)", re.DOTALL)


def outcome(match: FinishedMatch) -> tuple[list[int], str, str]:
    """The winning seats, the cause and the reason, from the words of the record."""
    found = _OUTCOME.fullmatch(match.last.outcome)
    if found is None:
        return [], "", match.last.outcome
    names = found[1].split(" and ")
    return [seat for seat, one in enumerate(match.opening.seats) if one.name in names], found[2], found[3]


#: Who is behind a name. Only an account is the same person each time.
Kind = Literal["account", "house", "guest"]
#: In the order in which they are listed.
KINDS: Sequence[Kind] = ("account", "house", "guest")


class Who(NamedTuple):
    """A player whose results are counted: an account, a level of house players, or whoever had a guest's name."""

    kind: Kind
    name: str

    @classmethod
    def of(cls, seat: SeatRecord) -> "Who":
        if seat.address == HOUSE_ADDRESS:
            return cls("house", seat.name.partition(".")[0])
        return cls("account" if seat.account else "guest", seat.name)


@define(eq=False)
class Count:
    """How often somebody has played a game. A shared victory is a win."""

    played: int = 0
    won: int = 0
    drawn: int = 0


@frozen
class Rated:
    """A player's rating in one game, and how many rated matches it comes from."""

    rating: Rating
    matches: int = 0
    #: The week of the last one.
    week: int = 0

    @property
    def rounded(self) -> tuple[int, int, int]:
        """The rating, and the bounds between which it is with a probability of 95 %, as people are told them."""
        low, high = self.rating.interval
        return round(self.rating.value), round(low), round(high)


#: By player and game.
Ratings = Mapping[tuple[Who, str], Rated]


@define(eq=False)
class RunningRatings:
    """
    Ratings that follow the rated matches as they end.

    A match that began before others and ended after them is rated after them. Its players were in no other match meanwhile, so
    ratings that are made from the beginning are the same; but for an account that plays several matches at once.
    """

    #: Who has played last is the last.
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
        whose ratings stay as they are.
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
        known = [ratings.pop(key, Rated(ANCHORS.get(key[0].name, Rating()), week=week)) for key in seats]
        before = [
            one.rating.after_rest(0 if who.kind == "house" else max(0, week - one.week))
            for (who, _), one in zip(seats, known, strict=True)
        ]
        for seat, (who, _) in enumerate(seats):
            rating = before[seat]
            if who.kind != "house":
                others = [other for other in range(len(seats)) if other != seat]
                shares = [0.5 + ((seat in winners) - (other in winners)) / 2 for other in others]
                rating = rating.after([(before[o], s) for o, s in zip(others, shares, strict=True)])
            ratings[who, game] = Rated(rating, known[seat].matches + 1, week)
        while len(ratings) > MOST_RATINGS:
            del ratings[next(iter(ratings))]


@define(eq=False)
class Tally:
    #: Seconds on the clock after which it is counted anew.
    until: float
    #: As of `FinishedMatches`, when it was counted.
    ended: int = 0
    #: From the newest rated matches.
    ratings: Ratings = field(factory=dict)
    #: By player and game.
    counts: dict[tuple[Who, str], Count] = field(factory=dict)
    #: By the key of a name: the players and games in `counts`.
    _named: dict[str, list[tuple[Who, str]]] = field(factory=dict)
    #: Matches that were counted, by game.
    matches: Counter[str] = field(factory=Counter)
    #: The lowest number of a table for which it stands.
    since: int = 1

    def add(self, match: FinishedMatch) -> None:
        game, (winners, _, _) = match.opening.game, outcome(match)
        self.matches[game] += 1
        for seat, one in enumerate(match.opening.seats):
            if one.name.startswith("#"):
                continue  # the master of a remote game, who plays for nobody
            who = Who.of(one)
            count = self.counts.get((who, game))
            if count is None:
                count = self.counts[who, game] = Count()
                self._named.setdefault(key_of(who.name), []).append((who, game))
            count.played += 1
            count.won += seat in winners
            count.drawn += not winners

    @cached_property
    def ladders(self) -> Mapping[str, Sequence[tuple[Who, Rated]]]:
        """By game: who has a rating in it, the best one first."""
        found: dict[str, list[tuple[Who, Rated]]] = {}
        for (who, game), one in sorted(self.ratings.items(), key=lambda item: (-item[1].rating.value, item[0])):
            found.setdefault(game, []).append((who, one))
        return found

    def of(self, game: str, name: str) -> Iterator[tuple[Who, str, Count]]:
        """
        Who has played what, and how often.

        :param game: its name; empty: any
        :param name: the key of a name; empty: anybody. That of a house player stands for its level
        """
        level, dot, _ = name.partition(".")
        if dot and level in _LEVELS:
            name = level
        for who, played in self._named.get(name, ()) if name else self.counts:
            if game in ("", played):
                yield who, played, self.counts[who, played]


@define(eq=False)
class FinishedMatches:
    """
    What is asked about the finished matches of a journal. Whoever asks has a turn of `Questions`.

    :param counts: of matches that end here: a list holds until one does
    :param in_slices: does long work, a slice in each turn of the reactor
    :param step_aside: called when whoever asks has to wait for the first ratings: others are answered meanwhile
    """

    _journal: Journal
    _clock: IReactorTime
    _counts: MatchCounts
    _in_slices: Callable[[Generator[None, None, Any]], Awaitable[Any]]
    _step_aside: Callable[[], None]
    #: The names of the games that a match in the journal can be of, when the host has loaded its tables.
    games: Collection[str] = ()
    _tally: Tally | None = None
    _edition: int = 0
    _ratings: RunningRatings = field(factory=RunningRatings)
    #: Whoever counts has it.
    _counting: DeferredLock = field(factory=DeferredLock)

    @property
    def ended(self) -> int:
        """A number that grows with each match that ends here. A list with a lower number may have changed."""
        return self._counts.ended.total()

    async def newest(
        self, before: int | None, count: int, game: str = "", name: str = ""
    ) -> tuple[list[FinishedMatch], int]:
        """So many matches that fit, the newest first, and where to go on: as of `Journal.finished`."""
        gathered: list[FinishedMatch] = []
        low = 1
        async for part in self._parts(before, count, game, name):
            some, low = part
            gathered += some
        return gathered, low

    @property
    def edition(self) -> int:
        """A number that grows when results are counted anew. The next `tally` has it."""
        return self._edition + (not self._tally_holds)

    @property
    def _tally_holds(self) -> bool:
        tally = self._tally
        if tally is None or tally.until <= self._clock.seconds():
            return False
        return tally.ended == self.ended or tally.matches.total() >= SOME

    async def tally(self) -> Tally:
        """
        Who has won how often. It is counted at most every `COUNTED_SECONDS`; as long as there are few matches, with each
        that ends.
        """
        if self._tally is None:
            self._step_aside()
        async with self._counting:
            if self._tally is None or not self._tally_holds:
                tally = Tally(self._clock.seconds() + COUNTED_SECONDS, self.ended)
                async for some, tally.since in self._parts(None, COUNTED, "", ""):
                    for match in some:
                        tally.add(match)
                await self._rate()
                tally.ratings = dict(self._ratings.ratings)
                self._tally = tally
                self._edition += 1
            return self._tally

    async def _rate(self) -> None:
        running, missing, lowest = self._ratings, list[FinishedMatch](), 1
        since = self._counts.take_oldest()
        async for some, lowest in self._parts(None, RATED_COUNTED, "", RATED_MATCHES):
            new = running.missing(some)
            missing += new
            if some and not new and lowest <= since:
                break  # all before have been counted, too
        if not running.counted:
            running.too_old = lowest - 1
        await self._in_slices(running.count(reversed(missing)))

    def seconds_left(self, tally: Tally) -> float:
        return tally.until - self._clock.seconds()

    async def _parts(
        self, before: int | None, count: int, game: str, name: str
    ) -> AsyncIterator[tuple[Sequence[FinishedMatch], int]]:
        """The matches in parts, so that neither the journal nor the reactor is busy with all of them at once."""
        low, missing, left = before, count, UNPLAYED * count
        while missing > 0 and left > 0 and low != 1:
            part: Deferred[tuple[Sequence[FinishedMatch], int]] = Deferred()

            def found(matches: Sequence[FinishedMatch], lowest: int, part: Deferred[object] = part) -> None:  # type: ignore[assignment]
                part.callback((matches, lowest))

            self._journal.finished(low, min(missing, SOME), found, game=game, name=name)
            matches, low = await part
            played = [one for one in matches if one.played]
            missing -= len(played)
            left -= len(matches)
            yield played, low
