"""
Lists of finished matches, and who has won how often, as JSON.
"""

from datetime import UTC, datetime
from functools import partial

from attrs import define
from msgspec import UNSET, Struct, UnsetType
from twisted.internet.defer import Deferred

from gamehost.accounts.login import Worker
from gamehost.accounts.names import key_of
from gamehost.journal.records import FinishedMatch
from gamehost.lobby.finished import LIST_SECONDS, Tally, outcome
from gamehost.lobby.questions import Found
from gamehost.lobby.spectators import Spectators
from gamehost.web.http import Answer
from gamehost.web.making import as_json, kept

#: Matches in one list.
PAGE = 50


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


def results_of(tally: Tally, game: str, wanted: str) -> Results:
    """
    What a tally says, the most victories first.

    :param wanted: the key of a name; empty: of all names
    """
    pairs = tally.names.get(wanted, ()) if wanted else tally.counts
    rows = [
        ResultRow(name, played, count.played, count.won, count.drawn)
        for name, played in pairs
        if game in ("", played) and (count := tally.counts[name, played])
    ]
    rows.sort(key=lambda one: (-one.won, one.played, one.name, one.game))
    return Results(rows, tally.matches.total(), tally.since)


@define(eq=False)
class Matches:
    """
    The finished matches of a host.

    :param worker: compresses long answers
    """

    _spectators: Spectators
    _worker: Worker

    def find(self, address: str, before: int | None, game: str, name: str) -> Deferred[Answer]:
        """
        The newest matches that fit.

        :param address: of the client
        :param before: only tables with lower numbers; `None`: all
        :param game: its name; empty: any
        :param name: of a player, as names are compared; empty: anybody
        """
        wanted, finished = key_of(name), self._spectators.finished

        async def listed() -> Found:
            matches, low = await finished.newest(before, PAGE, game, wanted)
            page = MatchList([row(match) for match in matches], low if low > 1 else UNSET)
            return kept(await as_json(self._worker, page), LIST_SECONDS)

        return self._spectators.questions.ask(address, ("list", finished.ended, before, game, wanted), listed)

    def results(self, address: str, game: str, name: str) -> Deferred[Answer]:
        """Who has won how often, the most victories first; the arguments as of `find`."""
        wanted = key_of(name)
        key = ("results", self._spectators.finished.edition, game, wanted)
        return self._spectators.questions.ask(address, key, partial(self._results, game, wanted))

    async def _results(self, game: str, wanted: str) -> Found:
        tally = await self._spectators.finished.tally()
        answer = await as_json(self._worker, results_of(tally, game, wanted))
        return kept(answer, self._spectators.finished.seconds_left(tally))
