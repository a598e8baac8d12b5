"""
Those who are not players: they watch matches, and look up what has happened in one.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, TypeGuard

from attrs import Factory, field, frozen
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost.games.base import Game
from gamehost.journal.history import MANY, History, history_in_steps, shown_after
from gamehost.journal.records import FinishedMatch, TableId, TableRecord
from gamehost.lobby.board import Board, WaitingByGame
from gamehost.lobby.open_tables import same_code
from gamehost.lobby.played import PlayedTables
from gamehost.lobby.seats import Seats
from gamehost.tables.context import TableContext
from gamehost.tables.gallery import Encoder, Galleries, Watcher, WatchRefused
from gamehost.tables.interfaces import WatchableTable

#: Why a match has no history. It says nothing of private matches, and nothing of those that sleep.
NO_RECORD = "no match of this number is played, and this host has no record of a finished one"
UNREADABLE = "the record of this match cannot be read now"


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
    #: The matches that can be watched.
    tables: PlayedTables = field(
        init=False, default=Factory(lambda self: PlayedTables(self._context, self._seats.tables), takes_self=True)
    )
    board: Board = field(init=False, default=Factory(lambda self: self._new_board(), takes_self=True))

    log: ClassVar[Logger] = Logger()

    def _new_board(self) -> Board:
        return Board(self._context.clock, self.tables, self._who_waits, self._galleries.watchers)

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
        self,
        table: TableId,
        until: int | None,
        code: str,
        games: Mapping[str, Game[Any, Any]],
        done: Callable[[str, History[Any] | WatchRefused], None],
    ) -> None:
        """
        Tell what has happened in a match that is played or finished, as everybody may know it.

        :param until: the number of the last entry that counts; `None`: the last one, or `MANY` if there are more. Only the
            last `MANY` entries up to it are told
        :param code: of a private table
        :param games: by their names; finished matches of other games are not told
        :param done: called once, at once or later, with the name of the game
        :raises WatchRefused: there is no such match, or it has another code
        """
        self.tables.look()
        played = self.tables.get(table)
        if self._seats.sleeps(table) or (played is not None and not same_code(played.code, code)):
            raise WatchRefused(NO_RECORD)
        if played is None:
            self._context.journal.read(table, partial(self._loaded_finished, until, code, games, done))
        else:
            delay = self._galleries.delay(played.game.name)
            self._context.journal.read(table, partial(self._loaded, played, until, delay, done))

    def own_history(
        self, table: TableId, until: int | None, done: Callable[[str, History[Any] | WatchRefused], None]
    ) -> None:
        """
        As `history`, for a player of the match: without delay, and without the code.

        :raises WatchRefused: no such match is played
        """
        played = self.tables.own.get(table)
        if played is None:
            raise WatchRefused(NO_RECORD)
        self._context.journal.read(table, partial(self._loaded, played, until, 0.0, done))

    def finished(self, count: int, found: Callable[[Sequence[FinishedMatch]], None]) -> None:
        """
        Find finished matches that were not private, the newest first.

        :param count: so many of them
        :param found: called once, at once or later
        """
        gathered: list[FinishedMatch] = []

        def some(matches: Sequence[FinishedMatch], low: int) -> None:
            gathered.extend(matches)
            missing = count - len(gathered)
            if low > 1 and missing > 0:
                self._context.journal.finished(low, missing, some)
            else:
                found(gathered)

        self._context.journal.finished(None, count, some)

    def _loaded_finished(
        self,
        until: int | None,
        code: str,
        games: Mapping[str, Game[Any, Any]],
        done: Callable[[str, History[Any] | WatchRefused], None],
        record: TableRecord | str,
    ) -> None:
        if not _is_finished(record) or not same_code(record.opening.code, code):
            done("", WatchRefused(NO_RECORD))
            return
        game = games.get(record.opening.game)
        if game is None or game.version != record.opening.version:
            done("", WatchRefused("this match was played under rules that this host does not have"))
            return
        self._replay(game, record, MANY if until is None else until, done)

    def _loaded(
        self,
        table: WatchableTable,
        until: int | None,
        delay: float,
        done: Callable[[str, History[Any] | WatchRefused], None],
        record: TableRecord | str,
    ) -> None:
        if isinstance(record, TableRecord):
            known = shown_after(record.entries, table.now(), delay) if delay else table.n
            self._replay(table.game, record, min(known, table.n, MANY if until is None else until), done)
        else:
            done(table.game.name, WatchRefused(UNREADABLE))

    def _replay(
        self,
        game: Game[Any, Any],
        record: TableRecord,
        until: int,
        done: Callable[[str, History[Any] | WatchRefused], None],
    ) -> None:
        def replayed(told: History[Any] | Exception) -> None:
            if isinstance(told, Exception):
                self.log.failure("table {table} has no history", Failure(told), table=record.table)
                done(game.name, WatchRefused(UNREADABLE))
            else:
                done(game.name, told)

        self._context.slices.run(history_in_steps(game, record.opening, record.entries, until, MANY), replayed)

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
