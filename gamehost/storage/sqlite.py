"""
Opening the journal in an SQLite file: all checks, and the notes beside the file.

This blocks. It is for the start, before any port is open.

Questions of people are read through another connection, which sees committed rows and never writes. Each of its queries
is a transaction, so all of its rows are of one moment. During such a query the writer continues, and the log only
grows: it cannot start from the beginning. So no answer may take longer than `LONGEST`.
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


#: Seconds after which reading for one answer is given up.
LONGEST = 5.0
#: Steps of SQLite's machine between two looks at the clock: less than a millisecond.
_STEPS = 20_000
#: Where SQLite has the index of a log that several processes may read. The store of a host has none.
SHARED_MEMORY = "-shm"


@define(eq=False)
class SqliteReader(SqliteDatabase):
    """Made by `open_reader`; for one thread."""

    _clock: Callable[[], float] = time.monotonic
    _until: float = 0.0
    tables: TableRows = field(init=False, default=Factory(FileRows, takes_self=True))

    def is_late(self) -> bool:
        """Whether the answer takes too long."""
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
    Open the store of this process for reading, beside its writer.

    :param path: of a store that is open
    :raises sqlite3.Error: it cannot be read
    """
    connection = connect(path)
    try:
        # Not `mode=ro`: such a connection would take a lock of its own, and that would replace the exclusive one.
        for pragma in (
            "query_only=ON",
            "wal_autocheckpoint=0",
            "busy_timeout=0",
            "trusted_schema=OFF",
            "cell_size_check=ON",
        ):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        # So the files are open now, and are there when the process has none left.
        connection.execute("SELECT count(*) FROM placed_to").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    reader = SqliteReader(connection, clock=clock)
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
    :param broken: called there once, with the reason, after a write has failed. Nothing more will be acknowledged, and
        the process must end with a status that is not 0
    :param accept_loss: accept a journal that is shorter than recorded or has damaged tables
    :param free_space: bytes that must be free on the disk, or its `room` is low; 0: any number
    :param group: entered around the callbacks of one group
    :param after_turn: calls a function on this thread at the end of the current turn of the reactor
    :param reactor_clock: measures how long changes have waited; by default `clock`, which is for the writer's thread
        too
    :raises StoreUnusable: the journal must not be used; nothing of it has changed
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
    backlog = Backlog(reactor_clock or clock, group=group)
    warn = partial(_LOG.warn, "the store could not be read: {words}")
    (reader := Reader(reading, from_thread, lambda words: warn(words=words))).start()
    writer = Writer(files, from_thread, backlog.done, broken, clock, measures=backlog.measures, before_close=reader.end)
    writer.start()
    backups, space = Backups(files.store, writer, path, free_space, from_thread), partial(room, path, free_space)
    return DurableJournal(files.store, writer, reader, backlog, after_turn, space, backups=backups, tables=last_table)


def _begin(files: StoreFiles, has_space: bool) -> tuple[SqliteReader, int]:
    """The reader of a store for a host that begins now, and the highest number of a table."""
    try:
        files.begin(has_space)
        if has_space:
            files.store.note_checked(CHECK_STEP)
        return open_reader(files.path), files.store.tables.last_table
    except BaseException:
        close_unchanged(files.store.connection, files.path)
        release(files.path)
        raise


def open_files(path: Path, accept_loss: bool, wall: Callable[[], float], has_space: bool) -> StoreFiles:
    """
    Open a store, or make a new one, after all checks. Nothing of a store that is refused has changed.

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
        # SQLite gives its log the mode of this file. So the file is made here, and only the owner can read both.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        sync_folder(path.parent)
    # The newer one of the two notes about the durable rows counts.
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
            if shared.exists() and not was_shared:
                raise StoreUnusable("SQLite cannot keep this store for one host alone")
        except BaseException:
            close_unchanged(connection, path)
            raise
    claim(path, store)
    return StoreFiles(path, store, text)


def _check_presence(path: Path, recorded: sidecar.Mark | None) -> None:
    """
    :raises Loss: a file is missing or empty that was not
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


def _read_mark(text: str | None, accept_loss: bool) -> sidecar.Mark | None:
    try:
        return None if text is None else sidecar.read_mark(text)
    except Loss:
        if accept_loss:
            return None
        raise
