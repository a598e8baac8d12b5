"""
A copy of a store, with a high-water mark beside it. A host can start on it.

`cp` is not enough: while a host runs, and after a crash, part of the store is in SQLite's log beside the file.

The store of a running host is copied while moves continue:

1. The writer's thread copies the store in slices, and commits between them. The copy contains everything that was
durable at its end.
2. A thread of its own writes the copy to the disk, has it checked by another process, and gives it its name.

A copy is made under the name `FILE.part`. It gets the name `FILE` when it is complete, on the disk and checked.
"""

import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from attrs import define, field, frozen

from gamehost.journal.records import StoreUnusable
from gamehost.storage import sidecar
from gamehost.storage.database import APPLICATION
from gamehost.storage.sidecar import LOG_SUFFIX, replace, sidecar_path, sync_folder
from gamehost.storage.store import SqliteStore, fits
from gamehost.storage.writer import Between, WorkStopped, Writer

PART = ".part"

#: Where SQLite's header has the application's number, and how the header begins: https://sqlite.org/fileformat2.html.
_APPLICATION_AT = 68
_SQLITE = b"SQLite format 3\0"


@frozen
class Pace:
    """How a copy shares a disk with the host. The defaults copy about 80 MB a second."""

    #: Pages of 4 KiB that are copied at once. This takes about 0.5 ms.
    pages: int = 64
    #: Seconds between two slices.
    rest: float = 0.002
    #: Pages that may wait in the system's memory for the disk. Too many would delay the commits of the host.
    most_unwritten: int = 8192


class FileExists(StoreUnusable):
    """A copy cannot get this name, because there is a file."""


def check_target(target: Path, force: bool) -> None:
    """
    Check that a copy can get this name.

    :param force: replace an earlier copy
    :raises FileExists: there is a file, and it is not to be replaced
    :raises StoreUnusable: it cannot, or there is a file that may not be replaced
    """
    if not target.parent.is_dir():
        raise StoreUnusable(f"{target}: the folder does not exist")
    if target.is_dir():
        raise StoreUnusable(f"{target}: this is a folder; name a file")
    if sidecar_path(target, LOG_SUFFIX).exists():
        raise StoreUnusable(f"{target}: a host has used this store; name another file")
    mark = sidecar_path(target, sidecar.MARK_SUFFIX)
    if not (os.path.lexists(target) or mark.exists()):
        return
    if not force:
        raise FileExists(f"{target if os.path.lexists(target) else mark}: this file exists; name a new file")
    if os.path.lexists(target) and not _is_store(target):
        raise StoreUnusable(f"{target}: this is no journal of gamehost; it is not replaced")


def _is_store(path: Path) -> bool:
    with suppress(OSError), path.open("rb") as file:
        header = file.read(100)
        number = int.from_bytes(header[_APPLICATION_AT : _APPLICATION_AT + 4], "big")
        return header.startswith(_SQLITE) and number == APPLICATION
    return False


def new_part(target: Path, force: bool) -> Path:
    """
    An empty file for the copy, which only its owner can read.

    :raises StoreUnusable: the copy cannot be written
    """
    part = sidecar_path(target, PART)
    try:
        check_target(target, force)
        remove_part(part)
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise StoreUnusable(f"{target}: {error.strerror}") from error
    return part


@contextmanager
def kept_if_whole(part: Path, target: Path) -> Iterator[None]:
    """
    Remove the copy if anything is raised in here.

    :raises StoreUnusable: for errors of SQLite and of the system
    """
    try:
        yield
    except BaseException as error:
        with suppress(OSError):
            remove_part(part)
        if isinstance(error, sqlite3.Error | OSError):
            raise StoreUnusable(f"{target}: the copy cannot be written ({error})") from error
        raise


def remove_part(part: Path) -> None:
    for path in (part, sidecar_path(part, sidecar.MARK_SUFFIX)):
        path.unlink(missing_ok=True)


def copy_pages(
    connection: Any,
    part: Path,
    between: Between = lambda seconds: None,
    pace: Pace | None = None,
) -> None:
    """
    Copy a store to an empty file, in slices.

    Commits on the same connection between two slices are in the copy too. So the copy has the same contents as the
    store when this returns.

    :param between: gives other tasks time on the connection
    :param pace: `None`: all at once
    :raises sqlite3.Error: the copy cannot be written, or the store cannot be read
    """
    flusher = None if pace is None else _Flusher(part)

    def rest(status: int, remaining: int, total: int) -> None:
        if status == sqlite3.SQLITE_DONE or flusher is None or pace is None:
            return
        until, copied = time.monotonic() + pace.rest, total - remaining
        flusher.copied = copied
        while (left := until - time.monotonic()) > 0 or copied - flusher.flushed > pace.most_unwritten:
            flusher.check()
            between(max(left, pace.rest))

    try:
        with closing(sqlite3.connect(part, isolation_level=None, check_same_thread=False)) as copy:
            # A copy that is not complete is of no use. So changes in it need no rollback, and it is written to the disk
            # last.
            copy.execute("PRAGMA journal_mode=OFF")
            copy.execute("PRAGMA synchronous=OFF")
            connection.backup(copy, pages=-1 if pace is None else pace.pages, progress=rest)
    finally:
        if flusher is not None:
            flusher.stop()


class _Flusher:
    """A thread that writes a growing file to the disk again and again, so that little of it waits in memory."""

    def __init__(self, path: Path) -> None:
        #: Pages that were copied, and how many of these are on the disk.
        self.copied = self.flushed = 0
        self._path = path
        self._error: OSError | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._live, name="gamehost-flush", daemon=True)
        self._thread.start()

    def _live(self) -> None:
        while not self._ended.wait(0.05):
            copied = self.copied
            try:
                sync_file(self._path)
            except OSError as error:
                self._error = error
                return
            self.flushed = copied

    def check(self) -> None:
        """
        :raises OSError: the file cannot be written
        """
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()


def sync_file(path: Path) -> None:
    """
    Write a file to the disk.

    :raises OSError: it may not be on the disk
    """
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def seal(part: Path, held: sidecar.Mark) -> None:
    """
    Write a copy to the disk, with its mark beside it.

    :raises OSError: it may not be on the disk
    """
    sync_file(part)
    replace(sidecar_path(part, sidecar.MARK_SUFFIX), sidecar.write_mark(held))


def publish(part: Path, target: Path, force: bool) -> None:
    """
    Give a complete copy its name. It is durable under that name when this returns.

    :raises StoreUnusable: there is such a file now
    :raises OSError: it cannot be renamed
    """
    check_target(target, force)
    # In this order an old copy never has the mark of the new one, nor the new one no mark.
    target.unlink(missing_ok=True)
    os.replace(sidecar_path(part, sidecar.MARK_SUFFIX), sidecar_path(target, sidecar.MARK_SUFFIX))
    os.replace(part, target)
    sync_folder(target.parent)


def back_up(connection: Connection, target: Path) -> sidecar.Mark:
    """
    Copy a store to a new file, which only its owner can read.

    :param connection: to the store; it has no writer meanwhile
    :param target: a file that does not exist yet
    :returns: the mark of the copy
    :raises StoreUnusable: the copy cannot be written
    """
    part = new_part(target, force=False)
    with kept_if_whole(part, target):
        copy_pages(connection, part)
        held = sidecar.mark_in(connection)
        seal(part, held)
        publish(part, target, force=False)
    return held


#: The module that checks a copy in a process of its own.
_CHECK = "gamehost.storage.inspect"
_STOPPING = "the host is stopping; no backup was made"


@frozen
class Backup:
    path: Path
    mark: sidecar.Mark
    #: Its size in bytes.
    size: int
    #: The faults that the check has found, if they were accepted.
    faults: Sequence[str] = ()


@frozen
class _Order:
    """One backup that is asked for; the parameters are those of `Backups.begin`."""

    target: Path
    done: Callable[[Backup | str], None]
    force: bool
    accept_faults: bool


@define(eq=False)
class Backups:
    """
    The backups of one running host, one at a time. `begin` and `stop` are for the reactor's thread.

    :param path: of the store
    :param free_space: as of `gamehost.storage.store.fits`
    :param from_thread: calls a function on the reactor's thread
    """

    _store: SqliteStore
    _writer: Writer
    _path: Path
    _free_space: int
    _from_thread: Callable[[Callable[[], None]], None]
    _pace: Pace = field(factory=Pace)
    #: Whether a backup is being made.
    busy: bool = False
    _checking: "subprocess.Popen[str] | None" = None
    _stopping: bool = False

    def begin(
        self, target: Path, done: Callable[[Backup | str], None], force: bool = False, accept_faults: bool = False
    ) -> None:
        """
        Copy the store to a file, while it is in use. The copy is checked, and contains everything that is durable now.

        :param target: an absolute path
        :param done: called later with the backup, or why there is none
        :param force: replace an earlier copy
        :param accept_faults: keep a copy in which the check finds faults; the store has them, too
        :raises StoreUnusable: a backup cannot begin
        """
        if self._stopping:
            raise StoreUnusable(_STOPPING)
        if self.busy:
            raise StoreUnusable("a backup is being made; wait until it is done")
        check_target(target, force)
        files = (self._path, sidecar_path(self._path, LOG_SUFFIX))
        size = sum(file.stat().st_size for file in files)
        if not fits(target, size, self._path, self._free_space):
            raise StoreUnusable(f"{target}: the disk has too little room for {size} bytes")
        self.busy = True
        self._writer.work(partial(self._copy, _Order(target, done, force, accept_faults)))

    def stop(self) -> None:
        """The host stops: the backup that is being made is given up, and no other one begins."""
        self._stopping = True
        if self._checking is not None:
            self._checking.kill()

    def _copy(self, order: _Order, between: Between) -> None:
        """The work of the writer's thread."""
        try:
            between(0)
            part = new_part(order.target, order.force)
            with kept_if_whole(part, order.target):
                copy_pages(self._store.connection, part, between, self._pace)
                mark = self._store.mark
        except WorkStopped:
            self._answer(order, _STOPPING)
        except StoreUnusable as error:
            self._answer(order, str(error))
        except Exception as error:
            # The commit of the host's own changes has failed. The writer ends the host for it.
            self._answer(order, f"the host's own store has failed: {type(error).__name__}")
        else:
            arguments = (order, part, mark)
            threading.Thread(target=self._finish, args=arguments, name="gamehost-backup", daemon=True).start()

    def _finish(self, order: _Order, part: Path, mark: sidecar.Mark) -> None:
        """Everything behind the copy. This blocks, and has a thread of its own."""
        try:
            with kept_if_whole(part, order.target):
                seal(part, mark)
                faults = self._check(order, part)
                size = part.stat().st_size
                publish(part, order.target, order.force)
            self._answer(order, Backup(order.target, mark, size, faults))
        except StoreUnusable as error:
            self._answer(order, _STOPPING if self._stopping else str(error))

    def _check(self, order: _Order, part: Path) -> Sequence[str]:
        """
        The faults of the copy, if they are accepted.

        :raises StoreUnusable: the copy has faults, or could not be checked
        """
        command = [sys.executable, "-m", _CHECK, str(part)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as self._checking:
            if self._stopping:
                self._checking.kill()
            faults = self._checking.communicate()[0].splitlines()
        if self._checking.returncode and not faults:
            raise StoreUnusable(f"{order.target}: the copy could not be checked")
        if faults and not order.accept_faults:
            more = f", and {len(faults) - 1} more faults" if len(faults) > 1 else ""
            raise StoreUnusable(
                f"{order.target}: the copy is not sound: {faults[0]}{more}. "
                "If the store has this fault, --accept-faults makes the backup all the same"
            )
        return faults

    def _answer(self, order: _Order, result: Backup | str) -> None:
        def answered() -> None:
            self.busy = False
            order.done(result)

        self._from_thread(answered)
