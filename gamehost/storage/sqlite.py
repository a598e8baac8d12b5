"""
The journal on disk: SQLite with one writer thread, for which the reactor never waits.

`open_journal` and `unfinished` block. They are for the start, before any port is open. All later calls give their work to
the writer and return.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from stat import S_IMODE
from typing import Any

from attrs import define, field

from gamehost.games.base import Seat
from gamehost.journal.records import (
    Entry,
    FinishedMatch,
    Pressure,
    Room,
    StoreUnusable,
    TableHeader,
    TableId,
    TableRecord,
    UnfinishedTable,
)
from gamehost.storage import high_water_mark, last_commit, write_ahead_log
from gamehost.storage.backlog import Backlog, BacklogLimits
from gamehost.storage.checked_rows import STEP as CHECK_STEP
from gamehost.storage.database import Loss, refusing
from gamehost.storage.files import StoreFiles, check_log_is_there, resolved
from gamehost.storage.free_space import room
from gamehost.storage.last_commit import read_last_commit
from gamehost.storage.questions import FindFinished, Load
from gamehost.storage.row_codec import finishes
from gamehost.storage.sidecar import read, sidecar_path, sync_folder
from gamehost.storage.store import MOST_ROWS, Change, Sleep, SqliteStore, Statement, UnreadableRow, open_store
from gamehost.storage.write_ahead_log import check_log, close_unchanged, put_back
from gamehost.storage.writer import Writer

#: What the owner of a second host on the same store can do.
ANOTHER_STORE = (
    "stop that host, or start this one with a store and ports of its own, "
    "for example --store=second.sqlite --onitama=tcp:9893"
)


@define(eq=False)
class SqliteJournal:
    """A `Journal` whose entries outlive the process. Made by `open_journal`; its methods are for one thread."""

    _store: SqliteStore
    _writer: Writer
    #: How far the disk is behind.
    backlog: Backlog
    #: Calls a function at the end of the current turn of the reactor.
    _after_turn: Callable[[Callable[[], None]], None]
    _room: Callable[[], Room]
    #: What was added in this turn. It is handed over together, because waking the writer's thread is expensive.
    _added: list[Change] = field(factory=list)
    #: The tables that `unfinished` left out, with the reasons.
    unreadable: list[UnreadableRow] = field(factory=list)
    _tables: int = 0
    _open: set[TableId] = field(factory=set)
    _stopping: bool = False

    def new_table(self) -> TableId:
        self._tables += 1
        return TableId(self._tables)

    def open(self, table: TableId, opening: TableHeader, durable: Callable[[], None]) -> None:
        settings = sum(len(name) + len(text) for name, text in opening.settings.items())
        self._put((table, opening), 256 + 64 * len(opening.seats) + settings, durable)
        self._open.add(table)

    def append(self, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        """
        :raises ValueError: the table is not open or is finished, or the journal is being closed
        """
        if table not in self._open:
            raise ValueError(f"table {table} is not open: nothing can be added to its record")
        self._put((table, entry), 64 + len(entry.notation) + len(entry.drawn) + len(entry.outcome), durable)
        if finishes(entry):
            self._open.discard(table)

    def told(self, table: TableId, seat: Seat | None = None) -> None:
        statement = Statement("DELETE FROM live WHERE game = ?", (table,))
        if seat is not None:
            statement = Statement("UPDATE live SET told = told | ? WHERE game = ?", (1 << seat, table))
        self.also(statement, _nothing)

    def also(self, statement: Statement, durable: Callable[[], None]) -> None:
        """Change another table of the store, in order with the journal's entries."""
        self._put(statement, 256, durable)

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """The rows of a query. It blocks, so it is for the start, like `unfinished`."""
        return self._store.connection.execute(sql, parameters).fetchall()

    @property
    def pressure(self) -> Pressure:
        """How far the disk is behind."""
        return self.backlog.pressure

    @property
    def room(self) -> Room:
        """How much room the disk has now."""
        return self._room()

    @property
    def skipped(self) -> Sequence[str]:
        """The tables that `unfinished` left out, with the reasons."""
        return [table.why for table in self.unreadable]

    @property
    def uptime(self) -> int:
        """For how many seconds hosts have run on this store. For the start, as `unfinished`."""
        return self._store.uptime

    def note_uptime(self, seconds: int) -> None:
        self.also(Statement("UPDATE uptime SET seconds = ?", (seconds,)), _nothing)

    def unfinished(self) -> Iterable[UnfinishedTable]:
        for found in self._store.unfinished():
            if isinstance(found, UnreadableRow):
                self.unreadable.append(found)
            else:
                yield found

    def load(self, table: TableId, loaded: Callable[[TableRecord | str], None]) -> None:
        question = Load(table)

        def answered() -> None:
            record = question.answer
            if not (isinstance(record, str) or (record.entries and finishes(record.entries[-1]))):
                self._open.add(table)
            loaded(record)

        self._put(question, 64, answered)

    def finished(self, below: int | None, count: int, found: Callable[[Sequence[FinishedMatch], int], None]) -> None:
        end = self._tables + 1 if below is None else min(below, self._tables + 1)
        question = FindFinished(max(1, end - count), end)
        self._put(question, 64, lambda: found(question.answer, question.low))

    def sleep(self, table: TableId, since: int) -> None:
        self._open.discard(table)
        self._put(Sleep(table, since), 64, _nothing)

    def wake(self, table: TableId) -> None:
        self._open.add(table)
        self._put(Sleep(table, None), 64, _nothing)

    def stop(self, stopped: Callable[[], None]) -> None:
        """
        Take nothing more, commit what was handed over, and close.

        :param stopped: called on this thread, after every other callback
        """
        self._stopping = True
        self._hand_over()
        self._writer.stop(stopped)

    def close(self) -> None:
        self.stop(nothing)
        self._writer.join()

    def _put(self, change: Change, size: int, durable: Callable[[], None]) -> None:
        if self._stopping:
            raise ValueError("the journal is being closed: nothing can be added to it")
        self.backlog.add(size, durable)
        self._added.append(change)
        if len(self._added) == 1:
            self._after_turn(self._hand_over)

    def _hand_over(self) -> None:
        added, self._added = self._added, []
        if added:
            self._writer.put(*added)


def nothing() -> None:
    """No check."""


def _nothing() -> None:
    """Nobody waits for this change."""


def _at_once(call: Callable[[], None]) -> None:
    call()


def open_journal(
    path: Path,
    from_thread: Callable[[Callable[[], None]], None],
    broken: Callable[[str], None],
    *,
    accept_loss: bool = False,
    guard: bool = True,
    free_space: int = 0,
    group: Callable[[], AbstractContextManager[object]] = nullcontext,
    after_turn: Callable[[Callable[[], None]], None] = _at_once,
    limits: BacklogLimits | None = None,
    clock: Callable[[], float] = time.monotonic,
    reactor_clock: Callable[[], float] | None = None,
    wall: Callable[[], float] = time.time,
) -> SqliteJournal:
    """
    Open a journal, or make a new one.

    :param from_thread: calls a function on the reactor's thread; the order of the calls is kept
    :param broken: called there once, with the reason, after a write has failed. Nothing more will be acknowledged, and
        the process must end with a status that is not 0
    :param accept_loss: accept a journal that is shorter than recorded or has damaged tables
    :param guard: refuse to start after too many unclean ends
    :param free_space: bytes that must be free on the disk, or its `room` is low; 0: any number
    :param group: entered around the callbacks of one group
    :param after_turn: calls a function on this thread at the end of the current turn of the reactor
    :param reactor_clock: tells how long changes have waited; by default `clock`, which is for the writer's thread too
    :raises StoreUnusable: the journal must not be used; nothing of it has changed
    """
    path = resolved(path)
    with refusing(path, "another host", ANOTHER_STORE):
        has_space = room(path, free_space) is not Room.NONE
        try:
            files = open_files(path, accept_loss, wall, has_space)
        except Loss as error:
            raise StoreUnusable(
                f"{error}. Put the right files back, or start once with --accept-loss to go on without"
            ) from error
        try:
            files.begin(guard, has_space)
            if has_space:
                files.store.note_checked(CHECK_STEP)
            last_table = files.store.last_table
        except BaseException:
            close_unchanged(files.store.connection, path)
            raise
    backlog = Backlog(reactor_clock or clock, limits or BacklogLimits(), group)
    writer = Writer(files, from_thread, backlog.done, broken, clock)
    writer.start()
    return SqliteJournal(files.store, writer, backlog, after_turn, partial(room, path, free_space), tables=last_table)


def open_files(path: Path, accept_loss: bool, wall: Callable[[], float], has_space: bool) -> StoreFiles:
    """
    Open a store, or make a new one, after all checks. Nothing of a store that is refused has changed.

    :param path: as `resolved` gives it
    :raises StoreUnusable: the store must not be used
    :raises Exception: an error of SQLite or of the system
    """
    text = read(sidecar_path(path, high_water_mark.SUFFIX))
    recorded = _read_mark(text, accept_loss)
    put_back(path)
    if not accept_loss:
        _check_presence(path, recorded)
    if not path.exists():
        # SQLite gives its log the mode of this file. So the file is made here, and only the owner can read both.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        sync_folder(path.parent)
    newest = recorded
    if recorded is not None and (last := read_last_commit(sidecar_path(path, last_commit.SUFFIX))) is not None:
        newest = max(recorded, last, key=lambda mark: (mark.last, mark.accounts))
    # There is one statement for each number of rows, and all of them stay prepared.
    connect = partial(sqlite3.connect, isolation_level=None, check_same_thread=False, cached_statements=2 * MOST_ROWS)
    with _ours_alone(path):
        connection = connect(path)
        try:
            check = nothing if accept_loss else partial(_check_log, path)
            store = open_store(
                connection, newest, accept_loss=accept_loss, wall=wall, check_files=check, has_space=has_space
            )
        except BaseException:
            close_unchanged(connection, path)
            raise
    return StoreFiles(path, store, wall, text)


def _check_presence(path: Path, recorded: high_water_mark.Mark | None) -> None:
    """
    :raises Loss: a file is missing or empty that was not
    """
    log = sidecar_path(path, write_ahead_log.SUFFIX)
    if not path.exists():
        if recorded is not None and not recorded.empty:
            raise Loss(f"the journal is missing, and {recorded.held} were durable")
    elif not path.stat().st_size and log.is_file() and log.stat().st_size:
        raise Loss("the journal is empty, and its log is not")  # SQLite would delete the log
    else:
        check_log_is_there(path, recorded)


def _check_log(path: Path) -> None:
    log = sidecar_path(path, write_ahead_log.SUFFIX)
    if log.exists():
        check_log(log.read_bytes())


@contextmanager
def _ours_alone(path: Path) -> Iterator[None]:
    """Restricts the file to mode 0600. If the store is refused in here, the old mode is restored."""
    mode = S_IMODE(path.stat().st_mode)
    if not mode & 0o077:
        yield
        return
    path.chmod(0o600)
    try:
        yield
    except BaseException:
        path.chmod(mode)
        raise


def _read_mark(text: str | None, accept_loss: bool) -> high_water_mark.Mark | None:
    try:
        return None if text is None else high_water_mark.read_mark(text)
    except Loss:
        if accept_loss:
            return None
        raise
