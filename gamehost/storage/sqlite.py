"""
The journal on disk: SQLite behind one writer thread, and on the reactor's side nothing that ever waits for it.

`open_journal` blocks, and is for the start, before any port is open; so is `unfinished`. Everything after that hands
its work to the writer and returns.
"""

import errno
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from stat import S_IMODE
from typing import Any

from attrs import define, field

from gamehost.journal.records import Entry, Pressure, StoreUnusable, TableHeader, TableId, TableRecord
from gamehost.storage import crash_loop, high_water_mark
from gamehost.storage.backlog import Backlog, BacklogLimits
from gamehost.storage.database import Loss, refusing
from gamehost.storage.row_codec import finishes
from gamehost.storage.sidecar import read, replace, sidecar_path, sync_folder
from gamehost.storage.store import MOST_ROWS, Change, SqliteStore, Statement, UnreadableRow, open_store
from gamehost.storage.writer import Writer

#: What the owner of a second host on the same store can do.
ANOTHER_STORE = (
    "stop that host, or start this one with a store and ports of its own, "
    "for example --store=second.sqlite --onitama=tcp:9893"
)


@contextmanager
def _without_a_file_left() -> Iterator[None]:
    """
    What is done in here can be done the next time, if the process (EMFILE) or the system (ENFILE) has no file left to open.

    The store itself is open all the time, and what it holds is durable. A mark that is older than it is still true.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            raise


@define(eq=False)
class StoreFiles:
    """The store and the files beside it: what the writer's thread writes to."""

    path: Path
    store: SqliteStore
    _wall: Callable[[], float]
    _marked: high_water_mark.Mark | None = None
    #: Whether this life has made anything durable.
    _productive: bool = False

    def commit(self, changes: Sequence[Change]) -> None:
        self.store.commit(changes)
        if not self._productive:
            with _without_a_file_left():
                self._note(crash_loop.Starts.productive)
                self._productive = True

    def mark(self) -> None:
        now = self.store.mark
        if now != self._marked:
            with _without_a_file_left():
                replace(sidecar_path(self.path, high_water_mark.SUFFIX), high_water_mark.write_mark(now))
                self._marked = now

    def close(self) -> None:
        self.store.connection.close()
        with _without_a_file_left():
            self._note(crash_loop.Starts.ended)

    def note_start(self) -> None:
        """
        :raises Refused: the host was started too often
        """
        self._note(lambda known: known.started(self._wall()))

    def _note(self, change: Callable[[crash_loop.Starts], crash_loop.Starts]) -> None:
        path = sidecar_path(self.path, crash_loop.SUFFIX)
        replace(path, change(crash_loop.read_starts(read(path))).write())


@define(eq=False)
class SqliteJournal:
    """A `Journal` whose entries outlive the process. Made by `open_journal`; its methods are for one thread."""

    _store: SqliteStore
    _writer: Writer
    #: How far the disk is behind.
    backlog: Backlog
    #: Has a callable called once all that happens in this turn of the reactor has happened.
    _after_turn: Callable[[Callable[[], None]], None]
    #: What was added in this turn: handed over in one piece, for the writer's thread costs the reactor's most when it wakes.
    _added: list[Change] = field(factory=list)
    #: After `unfinished` was read: the tables that it left out, and why.
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
        :raises ValueError: the table was not opened, or is finished; or the journal is being closed
        """
        if table not in self._open:
            raise ValueError(f"table {table} is not open: nothing can be added to its record")
        self._put((table, entry), 64 + len(entry.notation) + len(entry.drawn) + len(entry.outcome), durable)
        if finishes(entry):
            self._open.discard(table)

    def told(self, table: TableId) -> None:
        self.also(Statement("DELETE FROM live WHERE game = ?", (table,)), lambda: None)

    def also(self, statement: Statement, durable: Callable[[], None]) -> None:
        """Change a table that is not the journal's, in order with everything else."""
        self._put(statement, 256, durable)

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """What a query gives. For the start, as `unfinished`: it waits for the disk."""
        return self._store.connection.execute(sql, parameters).fetchall()

    @property
    def pressure(self) -> Pressure:
        """How far the disk is behind."""
        return self.backlog.pressure

    @property
    def skipped(self) -> Sequence[str]:
        """Of each table that `unfinished` left out: which, and why."""
        return [table.why for table in self.unreadable]

    def unfinished(self) -> Iterable[TableRecord]:
        for record in self._store.unfinished():
            if isinstance(record, UnreadableRow):
                self.unreadable.append(record)
            else:
                if not (record.entries and finishes(record.entries[-1])):
                    self._open.add(record.table)
                yield record

    def stop(self, stopped: Callable[[], None]) -> None:
        """
        Take nothing more, commit what was handed over, and close.

        :param stopped: called on this thread, after every other callback
        """
        self._stopping = True
        self._hand_over()
        self._writer.stop(stopped)

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


def _at_once(call: Callable[[], None]) -> None:
    call()


def open_journal(
    path: Path,
    from_thread: Callable[[Callable[[], None]], None],
    broken: Callable[[str], None],
    *,
    accept_loss: bool = False,
    guard: bool = True,
    group: Callable[[], AbstractContextManager[object]] = nullcontext,
    after_turn: Callable[[Callable[[], None]], None] = _at_once,
    limits: BacklogLimits | None = None,
    clock: Callable[[], float] = time.monotonic,
    wall: Callable[[], float] = time.time,
) -> SqliteJournal:
    """
    Open a journal, or make a new one.

    :param from_thread: has a callable called on the reactor's thread, in the order of the calls
    :param broken: called there once, with what happened, when a write has failed: nothing more will be acknowledged,
        and the process must end, with a status that is not 0
    :param accept_loss: take a journal that is shorter than recorded, or damaged in some tables, as it is
    :param guard: refuse to start after too many unclean ends
    :param group: entered around the callbacks of one group
    :param after_turn: has a callable called on this thread once all that happens in this turn of the reactor has happened
    :raises Refused: it must not be used; nothing of it has changed
    """
    path = path.absolute()
    with refusing(path, "another host", ANOTHER_STORE):
        try:
            files = _open_files(path, accept_loss, wall)
        except Loss as error:
            raise StoreUnusable(
                f"{error}. Put the right files back, or start once with --accept-loss to go on without"
            ) from error
        try:
            if guard:
                files.note_start()
            files.mark()
            last_table = files.store.last_table
        except BaseException:
            files.store.connection.close()
            raise
    backlog = Backlog(clock, limits or BacklogLimits(), group)
    writer = Writer(files, from_thread, backlog.done, broken, clock)
    writer.start()
    return SqliteJournal(files.store, writer, backlog, after_turn, tables=last_table)


def _open_files(path: Path, accept_loss: bool, wall: Callable[[], float]) -> StoreFiles:
    recorded = _recorded(path, accept_loss)
    if not path.exists():
        if recorded is not None and not recorded.empty and not accept_loss:
            raise Loss(f"the journal is missing, and {recorded.held} were durable")
        # Made here, so that the log beside it, which SQLite gives the same mode, is ours alone too.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        sync_folder(path.parent)
    # Every number of rows has a statement of its own: all of them are kept prepared.
    connect = partial(sqlite3.connect, isolation_level=None, check_same_thread=False, cached_statements=2 * MOST_ROWS)
    with _ours_alone(path):
        connection = connect(path)
        try:
            checking = _log_kept(path, connection)
            store = open_store(connection, recorded, accept_loss=accept_loss, wall=wall, checking=checking)
        except BaseException:
            connection.close()
            raise
    return StoreFiles(path, store, wall)


@contextmanager
def _ours_alone(path: Path) -> Iterator[None]:
    """A file that others could read, they no longer can; one that is refused in here is left as it was found."""
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


def _recorded(path: Path, accept_loss: bool) -> high_water_mark.Mark | None:
    text = read(sidecar_path(path, high_water_mark.SUFFIX))
    try:
        return None if text is None else high_water_mark.read_mark(text)
    except Loss:
        if accept_loss:
            return None
        raise


@contextmanager
def _log_kept(path: Path, connection: sqlite3.Connection) -> Iterator[None]:
    """
    What is refused in here is closed, and left as it was found.

    SQLite drops the damaged end of its log when it closes a file, and with it what might still be saved. Only for
    whoever has taken the store: another host's log is not ours to put back.
    """
    log, kept = sidecar_path(path, "-wal"), sidecar_path(path, "-wal.kept")
    if not log.exists() or not log.stat().st_size:
        yield
        return
    shutil.copy2(log, kept)
    try:
        yield
    except BaseException:
        connection.close()
        os.replace(kept, log)
        raise
    kept.unlink()
