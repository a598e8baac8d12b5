"""
Lists of finished matches, and who has won how often.

Private matches are in no list.
"""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from attrs import define, field
from msgspec import UNSET, Struct, UnsetType
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from gamehost.accounts.names import key_of
from gamehost.games.base import Cause
from gamehost.journal.records import FinishedMatch, Journal

#: Matches in one list.
PAGE = 50
#: Matches whose results are counted.
MOST = 2_000
#: Seconds for which results are not counted anew.
RESULTS_SECONDS = 10.0

_OUTCOME = re.compile(rf"(.*) won \(({'|'.join(cause.value for cause in Cause)})\): (.*)", re.DOTALL)


class MatchRow(Struct, frozen=True):
    """A finished match in one line. `ended` is the time on the table's clock after `opened`."""

    table: int
    game: str
    names: list[str]
    wires: list[str]
    winners: list[int]
    cause: str
    why: str
    moves: int
    opened: str
    ended: str


class MatchList(Struct, frozen=True):
    """Some finished matches, the newest first. With `before` there may be more: ask again with that."""

    matches: list[MatchRow]
    before: int | UnsetType = UNSET


class ResultRow(Struct, frozen=True):
    """How often a name has played a game, and won. A shared victory is a win."""

    name: str
    game: str
    played: int
    won: int
    drawn: int


class Results(Struct, frozen=True):
    """Who has won how often, in `matches` finished matches; `since` is the lowest number of a table for which they stand."""

    results: list[ResultRow]
    matches: int
    since: int


def outcome(match: FinishedMatch) -> tuple[list[int], str, str]:
    """The winning seats, the cause and the reason, from the words of the record."""
    found = _OUTCOME.fullmatch(match.last.outcome)
    if found is None:
        return [], "", match.last.outcome
    names = found[1].split(" and ")
    return [seat for seat, one in enumerate(match.opening.seats) if one.name in names], found[2], found[3]


def moment(ms: int) -> str:
    """A time as programs read it; empty: it is not known."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="seconds").replace("+00:00", "Z") if ms else ""


def row(match: FinishedMatch) -> MatchRow:
    """A match as it is listed."""
    opening, opened = match.opening, match.opened_ms
    winners, cause, why = outcome(match)
    return MatchRow(
        match.table,
        opening.game,
        [one.name for one in opening.seats],
        [one.wire for one in opening.seats],
        winners,
        cause,
        why,
        match.entries,
        moment(opened),
        moment(opened + match.last.at if opened else 0),
    )


@define(eq=False)
class Matches:
    """The finished matches of a journal."""

    _journal: Journal
    _clock: IReactorTime
    _counted: tuple[float, list[MatchRow], int] | None = None
    #: The answers that wait for the count that is under way.
    _counting: list[Deferred[Any]] = field(factory=list)

    def find(self, before: int | None, game: str, name: str) -> Deferred[MatchList]:
        """
        The newest matches that fit.

        :param before: only tables with lower numbers; `None`: all
        :param game: its name; empty: any
        :param name: of a player, in any case; empty: anybody
        """
        answer: Deferred[MatchList] = Deferred()

        def found(matches: Sequence[FinishedMatch], low: int) -> None:
            answer.callback(MatchList([row(match) for match in matches], low if low > 1 else UNSET))

        self._gather(before, PAGE, found, game, name)
        return answer

    def results(self, game: str, name: str) -> Deferred[Results]:
        """Who has won how often, the most victories first; `game` and `name` as of `find`."""
        answer: Deferred[Any] = Deferred()
        if self._counted is not None and self._clock.seconds() < self._counted[0] + RESULTS_SECONDS:
            answer.callback(None)
        else:
            self._counting.append(answer)
            if len(self._counting) == 1:
                self._gather(None, MOST, self._count)
        return answer.addCallback(lambda _: self._results(game, key_of(name)))

    def _count(self, matches: Sequence[FinishedMatch], low: int) -> None:
        self._counted = self._clock.seconds(), [row(match) for match in matches], low
        waiting, self._counting = self._counting, []
        for answer in waiting:
            answer.callback(None)

    def _results(self, game: str, wanted: str) -> Results:
        assert self._counted is not None
        _, matches, since = self._counted
        counts: dict[tuple[str, str], list[int]] = {}
        for match in matches:
            if game in ("", match.game):
                for seat, name in enumerate(match.names):
                    if name.startswith("#"):
                        continue  # the master of a remote game, who plays for nobody
                    count = counts.setdefault((name, match.game), [0, 0, 0])
                    count[0] += 1
                    count[1] += seat in match.winners
                    count[2] += not match.winners
        rows = [
            ResultRow(name, played, *count)
            for (name, played), count in counts.items()
            if not wanted or key_of(name) == wanted
        ]
        rows.sort(key=lambda one: (-one.won, one.played, one.name, one.game))
        return Results(rows, len(matches), since)

    def _gather(
        self,
        before: int | None,
        count: int,
        done: Callable[[Sequence[FinishedMatch], int], None],
        game: str = "",
        name: str = "",
    ) -> None:
        """Ask the journal until there are so many matches, or it has no more."""
        gathered: list[FinishedMatch] = []

        def found(matches: Sequence[FinishedMatch], low: int) -> None:
            gathered.extend(matches)
            if low <= 1 or len(gathered) >= count:
                done(gathered, low)
            else:
                self._journal.finished(low, count - len(gathered), found, game=game, name=name)

        self._journal.finished(before, count, found, game=game, name=name)
