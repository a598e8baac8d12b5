"""
Opening the journal in an SQLite file for a host, with all checks.

Opening blocks, so it happens at the start of the host, before any port is open.

A second connection answers the questions of people. It sees committed rows and never writes. Each query is a
transaction, so all its rows are of one moment. The writer continues during a query, but SQLite's log can only grow
meanwhile. So no query may take longer than `LONGEST`.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from stat import S_IMODE
from typing import Any

from attrs import Factory, define, field
from twisted.logger import Logger

from gamehost.journal.records import Room, StoreUnusable
from gamehost.storage import sidecar
from gamehost.storage.backup import Backups
from gamehost.storage.contents import ANOTHER_STORE, VERIFY_FIRST
from gamehost.storage.database import (
    FileRows,
    Loss,
    SqliteDatabase,
    check_unclaimed,
    claim,
    connect,
    refusing,
    release,
)
from gamehost.storage.durable import Backlog, DurableJournal, at_once
from gamehost.storage.questions import Reader, Sql, TableRows
from gamehost.storage.sidecar import (
    LOG_SUFFIX,
    check_log_beside,
    close_unchanged,
    put_back,
    read,
    read_last_commit,
    sidecar_path,
    sync_folder,
)
from gamehost.storage.sidecar import STEP as CHECK_STEP
from gamehost.storage.store import StoreFiles, check_locks, check_log_is_there, open_store, resolved, room
from gamehost.storage.writer import Writer

_LOG = Logger("gamehost.storage")


#: After how many seconds a query is cancelled.
LONGEST = 5.0
#: How many instructions SQLite's machine carries out before the clock is read again: less than a millisecond.
_STEPS = 20_000
#: The end of the name of a file in which SQLite has the index of a log that several processes read. The store of a host
#: has no such file.
SHARED_MEMORY = "-shm"


@define(eq=False)
class SqliteReader(SqliteDatabase):
    """The connection for the questions of people, made by `open_reader`. Only the reader's thread uses it."""

    _clock: Callable[[], float] = time.monotonic
    _until: float = 0.0
    tables: TableRows = field(init=False, default=Factory(FileRows, takes_self=True))

    def is_late(self) -> bool:
        """Whether the current query takes too long. SQLite cancels the query then."""
        return self._clock() > self._until

    def rows(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> list[Any]:
        self._until = self._clock() + LONGEST
        return super().rows(sql, parameters)

    def interrupt(self) -> None:
        self.connection.interrupt()

    def close(self) -> None:
        self.connection.close()


def open_reader(path: Path, clock: Callable[[], float] = time.monotonic) -> SqliteReader:
    """
    Open a second connection, for reading, to the store that this process has open.

    :param path: the file of the store
    :raises sqlite3.Error: the store cannot be read
    """
    connection = connect(path)
    try:
        # Not `mode=ro`: such a connection would take a lock of its own, which would replace the exclusive lock.
        for pragma in (
            "query_only=ON",
            "wal_autocheckpoint=0",
            "busy_timeout=0",
            "trusted_schema=OFF",
            "cell_size_check=ON",
        ):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        # This opens the files now. Later the process may have no file descriptor left.
        connection.execute("SELECT count(*) FROM placed_to").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    reader = SqliteReader(connection, clock=clock)
    # SQLite calls this function during a query, and cancels a query that takes too long.
    connection.set_progress_handler(reader.is_late, _STEPS)
    return reader


def open_journal(
    path: Path,
    from_thread: Callable[[Callable[[], None]], None],
    broken: Callable[[str], None],
    *,
    accept_loss: bool = False,
    free_space: int = 0,
    group: Callable[[], AbstractContextManager[object]] = nullcontext,
    after_turn: Callable[[Callable[[], None]], None] = at_once,
    clock: Callable[[], float] = time.monotonic,
    reactor_clock: Callable[[], float] | None = None,
    wall: Callable[[], float] = time.time,
) -> DurableJournal:
    """
    Open a journal, or make a new one.

    :param from_thread: calls a function on the reactor's thread, in the order of the calls
    :param broken: called on the reactor's thread, once, with the reason, after a write has failed. Nothing more is
        acknowledged, and the process must end with a status other than 0
    :param accept_loss: accept a journal that is shorter than recorded or has damaged tables
    :param free_space: if fewer bytes are free on the disk, its `room` is low; 0: no limit
    :param group: a context for the callbacks of one commit
    :param after_turn: calls a function on this thread at the end of the current turn of the reactor
    :param reactor_clock: measures how long changes have waited; by default `clock`, which the writer's thread uses, too
    :raises StoreUnusable: the journal must not be used; it is unchanged
    """
    path = resolved(path)
    with refusing(path, "another host", ANOTHER_STORE):
        check_locks(path)
        has_space = room(path, free_space) is not Room.NONE
        try:
            files = open_files(path, accept_loss, wall, has_space)
        except Loss as error:
            raise StoreUnusable(f"{error}. {VERIFY_FIRST}") from error
        reading, last_table = _begin(files, has_space)
    # Start the reader's and the writer's threads.
    backlog = Backlog(reactor_clock or clock, group=group)
    warn = partial(_LOG.warn, "the store could not be read: {words}")
    (reader := Reader(reading, from_thread, lambda words: warn(words=words))).start()
    writer = Writer(files, from_thread, backlog.done, broken, clock, measures=backlog.measures, before_close=reader.end)
    writer.start()
    backups, space = Backups(files.store, writer, path, free_space, from_thread), partial(room, path, free_space)
    return DurableJournal(files.store, writer, reader, backlog, after_turn, space, backups=backups, tables=last_table)


def _begin(files: StoreFiles, has_space: bool) -> tuple[SqliteReader, int]:
    """Begin the use of an opened store. Returns its reader, and the highest table number."""
    try:
        files.begin(has_space)
        if has_space:
            # Now the next start counts only newer rows.
            files.store.note_checked(CHECK_STEP)
        return open_reader(files.path), files.store.tables.last_table
    except BaseException:
        close_unchanged(files.store.connection, files.path)
        release(files.path)
        raise


def open_files(path: Path, accept_loss: bool, wall: Callable[[], float], has_space: bool) -> StoreFiles:
    """
    Open a store, or make a new one, after all checks. A store that is refused is unchanged.

    :param path: as `resolved` gives it
    :raises StoreUnusable: the store must not be used
    :raises Exception: an error of SQLite or of the system
    """
    check_unclaimed(path)
    text = read(sidecar_path(path, sidecar.MARK_SUFFIX))
    recorded = _read_mark(text, accept_loss)
    put_back(path)
    if not accept_loss:
        _check_presence(path, recorded)
    if not path.exists():
        # SQLite gives its log the same mode as the file. So make the file here, with a mode that lets only the owner
        # read both.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        sync_folder(path.parent)
    # Two notes say how much was durable: the mark and the note of the last commit. The newer note counts.
    newest = recorded
    if recorded is not None and (last := read_last_commit(sidecar_path(path, sidecar.LAST_SUFFIX))) is not None:
        newest = max(recorded, last, key=lambda mark: (mark.last, mark.accounts))
    # Open the file with an exclusive lock, and check it.
    shared = sidecar_path(path, SHARED_MEMORY)
    was_shared = shared.exists()
    with _ours_alone(path):
        connection = connect(path)
        try:
            store = open_store(
                connection,
                newest,
                accept_loss=accept_loss,
                wall=wall,
                check_files=lambda: None if accept_loss else check_log_beside(path),
                has_space=has_space,
            )
            # With this file, SQLite would let other processes open the store.
            if shared.exists() and not was_shared:
                raise StoreUnusable("SQLite cannot keep this store for one host alone")
        except BaseException:
            close_unchanged(connection, path)
            raise
    claim(path, store)
    return StoreFiles(path, store, text)


def _check_presence(path: Path, recorded: sidecar.Mark | None) -> None:
    """
    Check that the files of a store are there.

    :raises Loss: a file is missing or empty that had contents before
    """
    log = sidecar_path(path, LOG_SUFFIX)
    if not path.exists():
        if recorded is not None and not recorded.empty:
            raise Loss(f"the journal is missing, and {recorded.held} were durable")
    elif not path.stat().st_size and log.is_file() and log.stat().st_size:
        raise Loss("the journal is empty, and its log is not")  # SQLite would delete the log
    else:
        check_log_is_there(path, recorded)


@contextmanager
def _ours_alone(path: Path) -> Iterator[None]:
    """A context that sets the mode of the file to 0600. If the block raises an error, the old mode is restored."""
    mode = S_IMODE(path.stat().st_mode)
    if not mode & 0o077:
        # Only the owner can use the file already.
        yield
        return
    path.chmod(0o600)
    try:
        yield
    except BaseException:
        path.chmod(mode)
        raise


def _read_mark(text: str | None, accept_loss: bool) -> sidecar.Mark | None:
    """
    The mark in a text; `None`: there is no text, or it cannot be read and a loss is accepted.

    :raises Loss: the text cannot be read, and a loss is not accepted
    """
    try:
        return None if text is None else sidecar.read_mark(text)
    except Loss:
        if accept_loss:
            return None
        raise
