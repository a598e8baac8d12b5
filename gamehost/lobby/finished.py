"""
The finished matches of a host: lists of them, and the number of each player's victories.

Private matches are in no list, and are not counted. Matches in which no player has acted are not counted either, because a
client could begin thousands of them and give them up.
"""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Generator, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import define, field
from twisted.internet.defer import Deferred, DeferredLock
from twisted.internet.interfaces import IReactorTime

from gamehost.accounts.names import key_of
from gamehost.journal.records import RATED_MATCHES, FinishedMatch, Journal
from gamehost.lobby.ratings import RATED_COUNTED, Rated, Ratings, RunningRatings
from gamehost.lobby.results import Who, outcome
from gamehost.measures import MatchCounts
from gamehost.players.base import Level

#: How many matches are read from the journal at once, which takes a millisecond.
SOME = 100
#: The number of recent matches that make up the results, and the seconds for which a result is cached.
COUNTED, COUNTED_SECONDS = 2_000, 10.0
#: The most players in one ladder of an answer; the best players are included.
RANKED = 100
#: The number of matches to read for each wanted one: matches in which no player has acted are skipped.
UNPLAYED = 5
#: Seconds for which a list is valid while nothing changes here. Other hosts may write to the same store.
LIST_SECONDS = 1.0

#: The beginning of a house player's name: its level and a dot. Other players may not have such a name.
_LEVELS = frozenset(level.value for level in Level)


@define(eq=False)
class Count:
    """How often a player has played a game. A shared victory is a win."""

    played: int = 0
    won: int = 0
    drawn: int = 0


@define(eq=False)
class Tally:
    """The results of the recent matches: how often each player has played and won each game, and its rating."""

    #: The time, in seconds on the clock, from which the matches are counted again.
    until: float
    #: The value of `FinishedMatches.ended` at the time of the count.
    ended: int = 0
    #: The ratings, computed from the newest rated matches.
    ratings: Ratings = field(factory=dict)
    #: How often each player has played each game.
    counts: dict[tuple[Who, str], Count] = field(factory=dict)
    #: The keys of `counts`, by the key of the player's name.
    _named: dict[str, list[tuple[Who, str]]] = field(factory=dict)
    #: The display name of each player, from its newest match with a display name.
    shown: dict[Who, str] = field(factory=dict)
    #: How many matches were counted, by game.
    matches: Counter[str] = field(factory=Counter)
    #: The lowest table number among the counted matches.
    since: int = 1

    def add(self, match: FinishedMatch) -> None:
        """Count a match for each of its players. Matches come in order, the newest first."""
        game, (winners, _, _) = match.opening.game, outcome(match)
        self.matches[game] += 1
        for seat, one in enumerate(match.opening.seats):
            if one.name.startswith("#"):
                continue  # the seat of the master of a remote game, which is not a player
            who = Who.of(one)
            count = self.counts.get((who, game))
            if count is None:  # the first match of this player in this game
                count = self.counts[who, game] = Count()
                self._named.setdefault(key_of(who.name), []).append((who, game))
            if one.shown:
                self.shown.setdefault(who, one.shown)  # the newest match comes first, and its display name remains
            count.played += 1
            count.won += seat in winners
            count.drawn += not winners

    @cached_property
    def ladders(self) -> Mapping[str, Sequence[tuple[Who, Rated]]]:
        """The rated players of each game, the best one first."""
        found: dict[str, list[tuple[Who, Rated]]] = {}
        for (who, game), one in sorted(self.ratings.items(), key=lambda item: (-item[1].rating.value, item[0])):
            found.setdefault(game, []).append((who, one))
        return found

    def of(self, game: str, name: str) -> Iterator[tuple[Who, str, Count]]:
        """
        Find how often players have played games. Yields a player, a game's name, and the count.

        :param game: only this game; empty: all games
        :param name: only the player with this key of a name; empty: all players. For the name of a house player, the
            results are those of all house players of its level
        """
        # House players are named `easy.1`, `easy.2` and so on, and are counted together as `easy`.
        level, dot, _ = name.partition(".")
        if dot and level in _LEVELS:
            name = level
        for who, played in self._named.get(name, ()) if name else self.counts:
            if game in ("", played):
                yield who, played, self.counts[who, played]


@define(eq=False)
class FinishedMatches:
    """
    Answers questions about the finished matches of a journal. Its coroutines may run only while `Questions` answers a
    question, because `step_aside` acts on the question that is being answered.

    :param counts: the numbers of matches that have ended at this host. When they grow, an earlier list of finished
        matches may be out of date
    :param in_slices: does long work in slices, one in each turn of the reactor
    :param step_aside: called when a question has to wait for the first ratings, so that other questions are answered
        meanwhile
    """

    _journal: Journal
    _clock: IReactorTime
    _counts: MatchCounts
    _in_slices: Callable[[Generator[None, None, Any]], Awaitable[Any]]
    _step_aside: Callable[[], None]
    #: The names of all games that occur in the journal. Complete after the host has loaded its tables.
    games: Collection[str] = ()
    _tally: Tally | None = None
    _edition: int = 0
    _ratings: RunningRatings = field(factory=RunningRatings)
    #: Locked during a count, so that only one count runs at a time.
    _counting: DeferredLock = field(factory=DeferredLock)

    @property
    def ended(self) -> int:
        """A number that grows with each match that ends here. A list with a lower number may have changed."""
        return self._counts.ended.total()

    async def newest(
        self, before: int | None, count: int, game: str = "", name: str = ""
    ) -> tuple[list[FinishedMatch], int]:
        """
        Find the newest matches in which a player has acted. The parameters `game` and `name` are as for
        `Journal.finished`.

        :param before: only matches with a lower table number; `None`: all
        :param count: the most matches to return
        :returns: the matches, and the `before` of a call that continues the list; 1: there are no more
        """
        gathered: list[FinishedMatch] = []
        low = 1  # remains if there is no part at all
        async for part in self._parts(before, count, game, name):
            some, low = part
            gathered += some
        return gathered, low

    @property
    def edition(self) -> int:
        """
        A number for the results that a call of `tally` would return now: it grows each time that they are counted again.
        """
        return self._edition + (not self._tally_holds)

    @property
    def _tally_holds(self) -> bool:
        """Whether the last count is still valid."""
        tally = self._tally
        if tally is None or tally.until <= self._clock.seconds():
            return False
        # With few matches, a new one is counted at once: this is cheap, and each match matters.
        return tally.ended == self.ended or tally.matches.total() >= SOME

    async def tally(self) -> Tally:
        """
        Count the results of all players, or return the last count if it is still valid. A count is valid for
        `COUNTED_SECONDS`; with fewer than `SOME` matches, only until the next match ends.
        """
        if self._tally is None:
            self._step_aside()  # the first count takes long
        async with self._counting:
            # Another question may have counted while this one waited for the lock.
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
        """Read the rated matches that are missing in the running ratings, and add them from the oldest to the newest."""
        running = self._ratings
        missing: list[FinishedMatch] = []
        lowest = 1
        # A long match may end after matches with higher numbers, so reading goes on down to the lowest that has ended.
        since = self._counts.take_oldest()
        async for some, lowest in self._parts(None, RATED_COUNTED, "", RATED_MATCHES):
            new = running.missing(some)
            missing += new
            if some and not new and lowest <= since:
                break  # all earlier matches have been counted, too
        # The first time: matches below the lowest number that was read are never counted.
        if not running.counted:
            running.too_old = lowest - 1
        await self._in_slices(running.count(reversed(missing)))

    def seconds_left(self, tally: Tally) -> float:
        return tally.until - self._clock.seconds()

    async def _parts(
        self, before: int | None, count: int, game: str, name: str
    ) -> AsyncIterator[tuple[Sequence[FinishedMatch], int]]:
        """
        Find matches in which a player has acted, the newest first. Yields parts of the list, each with the table number
        below which the next part begins, so that neither the journal nor the reactor is busy for long.

        The parameters are those of `newest`.
        """
        low = before
        missing = count  # how many matches are still wanted
        left = UNPLAYED * count  # how many matches may still be read, with those in which no player has acted
        while missing > 0 and left > 0 and low != 1:  # 1: there are no more
            part: Deferred[tuple[Sequence[FinishedMatch], int]] = Deferred()

            # `part` is a parameter with a default, because a nested function would see the `part` of a later turn.
            def found(matches: Sequence[FinishedMatch], lowest: int, part: Deferred[object] = part) -> None:  # type: ignore[assignment]
                part.callback((matches, lowest))

            self._journal.finished(low, min(missing, SOME), found, game=game, name=name)
            matches, low = await part
            played = [one for one in matches if one.played]
            missing -= len(played)
            left -= len(matches)
            yield played, low
