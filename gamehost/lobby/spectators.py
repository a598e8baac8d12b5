"""
Those who are not players: they watch matches, and look up what has happened in one.
"""

from collections.abc import Callable, Coroutine, Hashable, Mapping
from functools import partial
from typing import Any, ClassVar, TypeGuard

from attrs import Factory, field, frozen
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost.games.base import Game
from gamehost.journal.history import MANY, History, beginning, history_in_steps, shown_after
from gamehost.journal.records import FinishedMatch, TableId, TableRecord
from gamehost.lobby.board import Board, WaitingByGame
from gamehost.lobby.finished import FinishedMatches
from gamehost.lobby.open_tables import same_code
from gamehost.lobby.played import PlayedTables
from gamehost.lobby.questions import Found, Questions
from gamehost.lobby.seats import Seats
from gamehost.tables.context import TableContext
from gamehost.tables.gallery import Encoder, Galleries, Watcher, WatchRefused
from gamehost.tables.interfaces import WatchableTable

#: Why a match has no history. It says nothing of private matches, and nothing of those that sleep.
NO_RECORD = "no match of this number is played, and this host has no record of a finished one"
UNREADABLE = "the record of this match cannot be read now"


#: Bytes that one event of a match takes, about.
EVENT_BYTES = 512
#: The key of all events of a finished match that everybody may know: any part of its history is made from them.
_EVENTS = "events of a finished match"

#: The name of the game, and what has happened in a match or why it is not told.
Told = tuple[str, History[Any] | WatchRefused]


@frozen
class HistoryQuestion:
    """What somebody wants to know of a match. It is read when `Questions` gives it a turn."""

    #: Equal for questions with the same answer.
    key: Hashable
    #: Whether the answer never changes, and everybody may know it.
    lasting: bool
    #: Reads the record, and carries it out.
    read: Callable[[], Coroutine[Any, Any, Told]]


@frozen
class Spectators:
    """
    What clients that do not play can see of a host: the board, and every match.

    :param who_waits: says who waits now
    """

    _context: TableContext
    _seats: Seats
    _galleries: Galleries
    _who_waits: Callable[[], WaitingByGame]
    #: Turns for all who look something up in the journal.
    questions: Questions
    #: The matches that can be watched.
    tables: PlayedTables = field(
        init=False, default=Factory(lambda self: PlayedTables(self._context, self._seats.tables), takes_self=True)
    )
    finished: FinishedMatches = field(
        init=False,
        default=Factory(
            lambda self: FinishedMatches(self._context.journal, self._context.clock, self._context.counts),
            takes_self=True,
        ),
    )
    board: Board = field(init=False, default=Factory(lambda self: self._new_board(), takes_self=True))

    log: ClassVar[Logger] = Logger()

    def _new_board(self) -> Board:
        return Board(self._context.clock, self.tables, self._who_waits, self._galleries.watchers, self._galleries.delay)

    def follow(self, games: Mapping[str, Game[Any, Any]]) -> None:
        """
        From now on the matches of all other hosts that write to the same store can be seen here. For the leader of a cluster.

        :param games: by their names; matches of other games cannot be seen
        """
        self.tables.follow(games)

    def halt(self) -> None:
        """The host stops: nobody is told anything more of the board, or of matches of other hosts."""
        self.board.halt()
        self.tables.halt()
        self.questions.halt()

    def watch(self, table: TableId, watcher: Watcher, encoder: Encoder, code: str = "") -> None:
        """
        Show a match to a watcher, then tell them what happens.

        :param code: of a private table
        :raises WatchRefused: there is no such match, it has another code, or there are too many watchers
        """
        self._galleries.watch(self._found(table, code), watcher, encoder)

    def unwatch(self, table: TableId, watcher: Watcher) -> None:
        """Tell this watcher nothing more of this match."""
        self._galleries.unwatch(table, watcher)

    def history(
        self, table: TableId, until: int | None, code: str, games: Mapping[str, Game[Any, Any]]
    ) -> "HistoryQuestion":
        """
        The question what has happened in a match that is played or finished, as everybody may know it.

        :param until: the number of the last entry that counts; `None`: the last one, or `MANY` if there are more. Only the
            last `MANY` entries up to it are told
        :param code: of a private table
        :param games: by their names; finished matches of other games are not told
        :raises WatchRefused: there is no such match, or it has another code
        """
        self.tables.look()
        played = self.tables.get(table)
        if self._seats.sleeps(table) or (played is not None and not same_code(played.code, code)):
            raise WatchRefused(NO_RECORD)
        if played is None:
            read = partial(self._read_finished, table, MANY if until is None else until, code, games)
            return HistoryQuestion(("finished", table, until, code), not code, read)
        delay = self._galleries.delay(played.game.name)
        if not delay:
            return self._of_played(played, until)
        read = partial(self._read_played, played, MANY if until is None else until, delay)
        return HistoryQuestion(("delayed", table, until), False, read)

    def own_history(self, table: TableId, until: int | None) -> "HistoryQuestion":
        """
        As `history`, for a player of the match: without delay, and without the code.

        :raises WatchRefused: no such match is played
        """
        played = self.tables.own.get(table)
        if played is None:
            raise WatchRefused(NO_RECORD)
        return self._of_played(played, until)

    def _of_played(self, played: WatchableTable, until: int | None) -> "HistoryQuestion":
        # What has happened up to an entry never changes, also while a match goes on.
        known = min(played.n, MANY if until is None else until)
        read = partial(self._read_played, played, known, 0.0)
        return HistoryQuestion(("played", played.id, known), not played.code, read)

    async def _read_finished(
        self, table: TableId, until: int, code: str, games: Mapping[str, Game[Any, Any]]
    ) -> "Told":
        kept: tuple[str, History[Any]] | None = None if code else self.questions.kept((_EVENTS, table))
        if kept is not None and kept[0] in games:
            return kept[0], beginning(kept[1], until, MANY)
        record = await self.read(table)
        if not _is_finished(record) or not same_code(record.opening.code, code):
            return "", WatchRefused(NO_RECORD)
        game = games.get(record.opening.game)
        if game is None or game.version != record.opening.version:
            return "", WatchRefused("this match was played under rules that this host does not have")
        name, told = await self._replay(game, record, None, None)
        if isinstance(told, WatchRefused):
            return name, told
        if not record.opening.code:
            self.questions.keep((_EVENTS, table), Found((name, told), EVENT_BYTES * (1 + len(told.events))))
        return name, beginning(told, until, MANY)

    async def _read_played(self, table: WatchableTable, until: int, delay: float) -> "Told":
        record = await self.read(table.id)
        if not isinstance(record, TableRecord):
            return table.game.name, WatchRefused(UNREADABLE)
        known = shown_after(record.entries, table.now(), delay) if delay else table.n
        return await self._replay(table.game, record, min(known, table.n, until), MANY)

    def read(self, table: TableId) -> Deferred[TableRecord | str]:
        """The record of a table, or why it cannot be read. For a question that has its turn."""
        record: Deferred[TableRecord | str] = Deferred()
        self._context.journal.read(table, record.callback)
        return record

    def match(self, table: TableId) -> Deferred[FinishedMatch | None]:
        """The finished match of this number. For a question that has its turn."""
        match: Deferred[FinishedMatch | None] = Deferred()
        self._context.journal.match(table, match.callback)
        return match

    async def _replay(self, game: Game[Any, Any], record: TableRecord, until: int | None, most: int | None) -> "Told":
        replayed: Deferred[History[Any] | Exception] = Deferred()
        steps = history_in_steps(game, record.opening, record.entries, until, most)
        self.questions.slices.run(steps, replayed.callback)
        told = await replayed
        if isinstance(told, Exception):
            self.log.failure("table {table} has no history", Failure(told), table=record.table)
            return game.name, WatchRefused(UNREADABLE)
        return game.name, told

    def _found(self, table: TableId, code: str) -> WatchableTable:
        """
        :raises WatchRefused: there is no such match, or it has another code
        """
        self.tables.look()
        found = self.tables.get(table)
        if found is None or not same_code(found.code, code):
            raise WatchRefused("no match of this number is played")
        return found


def _is_finished(record: TableRecord | str) -> TypeGuard[TableRecord]:
    """Whether this is the record of a match that has a result."""
    return isinstance(record, TableRecord) and bool(record.entries) and record.entries[-1].outcome != ""
