"""
The board: which matches are played, and who waits, for clients that look at the lobby.

The board works only while somebody looks. It watches the listed matches as any watcher does, so nothing is shown that is not
durable. Twice a second it tells the differences, made once for all who look.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, ClassVar, Protocol, TypeGuard

from attrs import define, field, frozen
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost.games.base import Game
from gamehost.journal.history import MANY, History, history_in_steps, shown_after
from gamehost.journal.records import FinishedMatch, Journal, TableId, TableRecord
from gamehost.lobby.open_tables import OpenTables, same_code
from gamehost.lobby.sessions import Session
from gamehost.tables.gallery import Encoder, Galleries, Watcher, WatchRefused
from gamehost.tables.interfaces import Look, OpenTable
from gamehost.tables.slices import Slices
from gamehost.tables.table import Table

#: Seconds between two differences.
EVERY = 0.5

#: So many matches are listed, the newest ones.
LISTED = 200

#: Why a match has no history. It says nothing of private matches, and nothing of those that sleep.
NO_RECORD = "no match of this number is played, and this host has no record of a finished one"
UNREADABLE = "the record of this match cannot be read now"


@frozen
class Waiting:
    """Players who wait for one game."""

    #: Those who wait for anybody.
    names: tuple[str, ...] = ()
    #: Those who wait at a table.
    tables: tuple[OpenTable, ...] = ()


#: By the name of the game; games for which nobody waits are left out.
WaitingByGame = Mapping[str, Waiting]

#: A match, where it stands, and how many watch it.
Shown = tuple[Table[Any, Any], Look[Any], int]


@frozen
class Changes:
    """What is different since the last time."""

    changed: Sequence[Shown]
    gone: Sequence[TableId]
    #: `None`: nobody waits for this game any more.
    waiting: Mapping[str, Waiting | None]


class BoardEncoder(Protocol):
    """Makes the bytes of messages. Those who look with the same encoder are told the same bytes."""

    def board(self, shown: Sequence[Shown], waiting: WaitingByGame) -> bytes:
        """All that is on the board."""

    def changes(self, changes: Changes) -> bytes:
        """What is different since the last time."""


class Looker(Protocol):
    """One who looks at the board."""

    def tell(self, data: bytes) -> None:
        """Send these bytes. Must not raise."""


@define(eq=False)
class _Listed:
    """The audience of one match that is listed."""

    table: Table[Any, Any]
    look: Look[Any] | None = None
    #: Whether something has happened since `look`.
    dirty: bool = False

    def shown(self, look: Look[Any]) -> None:
        self.look = look
        self.dirty = False

    def deliver(self, event: Any, n: int) -> None:
        self.dirty = True


@define(eq=False)
class Board:
    """
    The board of a host.

    :param tables: the matches that are played
    :param who_waits: says who waits now
    :param watchers: says how many watch a match
    """

    _clock: IReactorTime
    _tables: dict[TableId, Table[Any, Any]]
    who_waits: Callable[[], WaitingByGame]
    _watchers: Callable[[TableId], int]
    _lookers: dict[Looker, BoardEncoder] = field(factory=dict)
    _listed: dict[TableId, _Listed] = field(factory=dict)
    #: What was told last.
    _told: dict[TableId, tuple[Look[Any], int]] = field(factory=dict)
    _told_waiting: WaitingByGame = field(factory=dict)
    _timer: IDelayedCall | None = None

    log = Logger()

    def look(self, looker: Looker, encoder: BoardEncoder) -> None:
        """Show the board to one more, and tell what changes. One who looks already is shown it again."""
        if not self._lookers:
            self._update()
        self._lookers[looker] = encoder
        shown = [(self._listed[table].table, *told) for table, told in self._told.items()]
        looker.tell(encoder.board(shown, self._told_waiting))
        if self._timer is None:
            self._timer = self._clock.callLater(EVERY, self._tick)

    def look_away(self, looker: Looker) -> None:
        """Tell this one nothing more."""
        if self._lookers.pop(looker, None) is not None and not self._lookers:
            self.halt()

    def halt(self) -> None:
        """Nobody looks any more, or the host stops."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for listed in self._listed.values():
            listed.table.unwatch(listed)
        self._lookers.clear()
        self._listed.clear()
        self._told.clear()
        self._told_waiting = {}

    def _tick(self) -> None:
        self._timer = self._clock.callLater(EVERY, self._tick)
        try:
            changes = self._update()
            if changes.changed or changes.gone or changes.waiting:
                made = {encoder: encoder.changes(changes) for encoder in set(self._lookers.values())}
                for looker, encoder in tuple(self._lookers.items()):
                    looker.tell(made[encoder])
        except Exception:
            # Players must not notice a fault of the board.
            self.log.failure("the board cannot be shown")
            self.halt()

    def _update(self) -> Changes:
        """Find out how everything stands now, and how it differs from what was told."""
        public = (table for table in reversed(self._tables.values()) if not table.code)
        now = {table.id: table for table in islice(public, LISTED)}
        for number in [number for number in self._listed if number not in now]:
            listed = self._listed.pop(number)
            listed.table.unwatch(listed)
        for number, table in now.items():
            if number not in self._listed:
                listed = self._listed[number] = _Listed(table)
                table.watch(listed)
            elif self._listed[number].dirty:
                table.watch(self._listed[number])
        rows = {
            number: (one.look, self._watchers(number))
            for number, one in sorted(self._listed.items())
            if one.look is not None
        }
        changed = [
            (self._listed[number].table, *row) for number, row in rows.items() if not _same(self._told.get(number), row)
        ]
        gone = [number for number in self._told if number not in rows]
        waiting = self.who_waits()
        before, self._told_waiting, self._told = self._told_waiting, waiting, rows
        different = {game: waiting.get(game) for game in {**before, **waiting} if before.get(game) != waiting.get(game)}
        return Changes(changed, gone, different)


def _same(told: tuple[Look[Any], int] | None, row: tuple[Look[Any], int]) -> bool:
    """Whether this was told. Two looks are different, however equal they are."""
    return told is not None and told[0] is row[0] and told[1] == row[1]


def who_waits(queues: Mapping[tuple[str, str], Sequence[Session]], tables: OpenTables) -> WaitingByGame:
    """
    Those who wait in queues and at tables that are for everybody, without those of separate wires.

    :param queues: by the name of the game and the pool
    """
    listed = tables.listed()
    waiting = {game: sessions for (game, pool), sessions in queues.items() if not pool}
    return {
        game: Waiting(tuple(one.name for one in waiting.get(game, ())[:LISTED]), tuple(listed.get(game, ())))
        for game in sorted({*waiting, *listed})
    }


@frozen
class Spectators:
    """What clients that do not play can see of a host: the board, and every match."""

    _tables: Mapping[TableId, Table[Any, Any]]
    _galleries: Galleries
    _journal: Journal
    _slices: Slices
    board: Board
    #: Whether a table is unfinished and nobody is there: it is loaded for its players alone.
    _sleeps: Callable[[TableId], bool]

    log: ClassVar[Logger] = Logger()

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
        played = self._tables.get(table)
        if self._sleeps(table) or (played is not None and not same_code(played.code, code)):
            raise WatchRefused(NO_RECORD)
        if played is None:
            self._journal.read(table, partial(self._loaded_finished, until, code, games, done))
        else:
            delay = self._galleries.delay(played.game.name)
            self._journal.read(table, partial(self._loaded, played, until, delay, done))

    def own_history(
        self, table: TableId, until: int | None, done: Callable[[str, History[Any] | WatchRefused], None]
    ) -> None:
        """
        As `history`, for a player of the match: without delay, and without the code.

        :raises WatchRefused: no such match is played
        """
        played = self._tables.get(table)
        if played is None:
            raise WatchRefused(NO_RECORD)
        self._journal.read(table, partial(self._loaded, played, until, 0.0, done))

    def finished(self, count: int, found: Callable[[Sequence[FinishedMatch]], None]) -> None:
        """
        Find finished matches that were not private, the newest first.

        :param count: so many tables are looked at
        :param found: called once, at once or later
        """

        def public(matches: Sequence[FinishedMatch], lowest: int) -> None:
            found([match for match in matches if not match.opening.code])

        self._journal.finished(None, count, public)

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
        table: Table[Any, Any],
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

        self._slices.run(history_in_steps(game, record.opening, record.entries, until, MANY), replayed)

    def _found(self, table: TableId, code: str) -> Table[Any, Any]:
        """
        :raises WatchRefused: there is no such match, or it has another code
        """
        found = self._tables.get(table)
        if found is None or not same_code(found.code, code):
            raise WatchRefused("no match of this number is played")
        return found


def _is_finished(record: TableRecord | str) -> TypeGuard[TableRecord]:
    """Whether this is the record of a match that has a result."""
    return isinstance(record, TableRecord) and bool(record.entries) and record.entries[-1].outcome != ""
