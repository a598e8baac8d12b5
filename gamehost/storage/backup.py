"""
Backups: copies of a store, each with its high-water mark. A host can start with such a copy.

`cp` is not enough: while a host runs, and after a crash, part of the store is in SQLite's log beside the file.

The store of a running host is copied while moves continue:

1. The writer's thread copies the store in slices, and commits between them. The copy contains everything that is
durable when the copying ends. 2. Another thread writes the copy to the disk, lets a process check it, and gives it its
name.

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

#: The offset of the application's number in SQLite's header, and the beginning of the header:
#: https://sqlite.org/fileformat2.html.
_APPLICATION_AT = 68
_SQLITE = b"SQLite format 3\0"


@frozen
class Pace:
    """How fast a store is copied, so that the host can use the disk, too. The defaults copy about 80 MB a second."""

    #: Pages of 4 KiB that are copied at once. This takes about 0.5 ms.
    pages: int = 64
    #: Seconds between two slices.
    rest: float = 0.002
    #: Pages that may wait in the system's memory for the disk. Too many would delay the commits of the host.
    most_unwritten: int = 8192


class FileExists(StoreUnusable):
    """A copy cannot get this name, because a file has it."""


def check_target(target: Path, force: bool) -> None:
    """
    Check that a copy can get this name.

    :param force: replace an earlier copy
    :raises FileExists: there is a file of this name, and `force` is not set
    :raises StoreUnusable: the name cannot be used, or it belongs to a file that is never replaced
    """
    if not target.parent.is_dir():
        raise StoreUnusable(f"{target}: the folder does not exist")
    if target.is_dir():
        raise StoreUnusable(f"{target}: this is a folder; name a file")
    if sidecar_path(target, LOG_SUFFIX).exists():
        # A log beside a file shows that it was a host's store. A backup has no log.
        raise StoreUnusable(f"{target}: a host has used this store; name another file")
    mark = sidecar_path(target, sidecar.MARK_SUFFIX)
    # `lexists` also finds a symbolic link without a target. A mark without its file belongs to another store or copy.
    if not (os.path.lexists(target) or mark.exists()):
        return
    if not force:
        raise FileExists(f"{target if os.path.lexists(target) else mark}: this file exists; name a new file")
    if os.path.lexists(target) and not _is_store(target):
        raise StoreUnusable(f"{target}: this is no journal of gamehost; it is not replaced")


def _is_store(path: Path) -> bool:
    """Whether a file is a store of gamehost, according to its header."""
    with suppress(OSError), path.open("rb") as file:
        header = file.read(100)
        # SQLite's header has the number of the program that made the file.
        number = int.from_bytes(header[_APPLICATION_AT : _APPLICATION_AT + 4], "big")
        return header.startswith(_SQLITE) and number == APPLICATION
    return False


def new_part(target: Path, force: bool) -> Path:
    """
    Make an empty file for a copy, which only its owner can read, and return its path.

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
    A context that removes the unfinished copy if its block raises an error.

    :raises StoreUnusable: the block has raised an error of SQLite or of the system
    """
    try:
        yield
    except BaseException as error:
        # Also for errors that end the process, such as Ctrl-C.
        with suppress(OSError):
            remove_part(part)
        if isinstance(error, sqlite3.Error | OSError):
            raise StoreUnusable(f"{target}: the copy cannot be written ({error})") from error
        raise


def remove_part(part: Path) -> None:
    """Delete an unfinished copy and its mark, if they exist."""
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

    Commits on the same connection between two slices are copied, too. So when this returns, the copy has the same
    contents as the store.

    :param between: called between two slices with a number of seconds: lets other tasks use the connection
    :param pace: how fast to copy; `None`: everything at once
    :raises sqlite3.Error: the copy cannot be written, or the store cannot be read
    """
    flusher = None if pace is None else _Flusher(part)

    # SQLite calls this after each slice. Wait for the rest of the pace, and until the disk has written enough of the
    # copy.
    def rest(status: int, remaining: int, total: int) -> None:
        if status == sqlite3.SQLITE_DONE or flusher is None or pace is None:
            return
        until, copied = time.monotonic() + pace.rest, total - remaining
        flusher.copied = copied
        while (left := until - time.monotonic()) > 0 or copied - flusher.flushed > pace.most_unwritten:
            flusher.check()
            # Meanwhile commit what the host has to write.
            between(max(left, pace.rest))

    try:
        with closing(sqlite3.connect(part, isolation_level=None, check_same_thread=False)) as copy:
            # An incomplete copy is thrown away. So its changes need no rollback, and it need not be on the disk before
            # the end.
            copy.execute("PRAGMA journal_mode=OFF")
            copy.execute("PRAGMA synchronous=OFF")
            # -1: all pages in one slice.
            connection.backup(copy, pages=-1 if pace is None else pace.pages, progress=rest)
    finally:
        if flusher is not None:
            flusher.stop()


class _Flusher:
    """A thread that writes a growing file to the disk every 50 ms, so that little of it waits in memory."""

    def __init__(self, path: Path) -> None:
        """
        Start the thread.

        :param path: the file of the copy
        """
        #: How many pages were copied, and how many of them are on the disk.
        self.copied = self.flushed = 0
        self._path = path
        self._error: OSError | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._live, name="gamehost-flush", daemon=True)
        self._thread.start()

    def _live(self) -> None:
        """The body of the thread: write the file to the disk until `stop`."""
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
        Report an error of the thread.

        :raises OSError: the file cannot be written
        """
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()


def sync_file(path: Path) -> None:
    """
    Wait until the system has written a file to the disk.

    :raises OSError: the file may not be on the disk
    """
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def seal(part: Path, mark: sidecar.Mark) -> None:
    """
    Write a copy to the disk, and its mark into a file beside it.

    :raises OSError: the copy may not be on the disk
    """
    sync_file(part)
    replace(sidecar_path(part, sidecar.MARK_SUFFIX), sidecar.write_mark(mark))


def publish(part: Path, target: Path, force: bool) -> None:
    """
    Rename a complete copy to its final name. When this returns, the name is durable.

    :raises StoreUnusable: another file has this name now
    :raises OSError: the copy cannot be renamed
    """
    check_target(target, force)
    # In this order an old copy never has the mark of the new copy, and the new copy is never without its mark.
    target.unlink(missing_ok=True)
    os.replace(sidecar_path(part, sidecar.MARK_SUFFIX), sidecar_path(target, sidecar.MARK_SUFFIX))
    os.replace(part, target)
    sync_folder(target.parent)


def back_up(connection: Connection, target: Path) -> sidecar.Mark:
    """
    Copy a store that nobody writes to a new file, which only its owner can read.

    :param connection: a connection to the store
    :param target: a file that does not exist yet
    :returns: the mark of the copy
    :raises StoreUnusable: the copy cannot be written
    """
    part = new_part(target, force=False)
    with kept_if_whole(part, target):
        copy_pages(connection, part)
        mark = sidecar.mark_in(connection)
        seal(part, mark)
        publish(part, target, force=False)
    return mark


#: The module that checks a copy in a process of its own.
_CHECK = "gamehost.storage.inspect"
_STOPPING = "the host is stopping; no backup was made"


@frozen
class Backup:
    """A backup that was made."""

    path: Path
    mark: sidecar.Mark
    #: The size of the file in bytes.
    size: int
    #: The faults that the check has found; empty unless the caller accepts faults.
    faults: Sequence[str] = ()


@frozen
class _Order:
    """A request for one backup, with the parameters of `Backups.begin`."""

    target: Path
    done: Callable[[Backup | str], None]
    force: bool
    accept_faults: bool


@define(eq=False)
class Backups:
    """
    Makes the backups of one running host, one at a time. `begin` and `stop` must be called on the reactor's thread.

    :param path: the file of the store
    :param free_space: see `gamehost.storage.store.fits`
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
        Begin to copy the store to a file, while it is in use. The copy is checked. It contains everything that is
        durable now.

        :param target: an absolute path
        :param done: called later with the backup, or with the reason why none was made
        :param force: replace an earlier copy
        :param accept_faults: use the copy even if the check finds faults in it, because the store itself has these
            faults
        :raises StoreUnusable: a backup cannot begin
        """
        if self._stopping:
            raise StoreUnusable(_STOPPING)
        if self.busy:
            raise StoreUnusable("a backup is being made; wait until it is done")
        check_target(target, force)
        # The log can have rows that the file does not have yet.
        files = (self._path, sidecar_path(self._path, LOG_SUFFIX))
        size = sum(file.stat().st_size for file in files)
        if not fits(target, size, self._path, self._free_space):
            raise StoreUnusable(f"{target}: the disk has too little room for {size} bytes")
        self.busy = True
        self._writer.work(partial(self._copy, _Order(target, done, force, accept_faults)))

    def stop(self) -> None:
        """Abandon the current backup, and refuse new ones, because the host stops."""
        self._stopping = True
        if self._checking is not None:
            self._checking.kill()

    def _copy(self, order: _Order, between: Between) -> None:
        """Copy the pages, on the writer's thread. Then start the thread for the rest."""
        try:
            # First commit everything that waits, so that the copy contains it.
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
        """Write, check and name the copy. This blocks, so it has a thread of its own."""
        try:
            with kept_if_whole(part, order.target):
                seal(part, mark)
                faults = self._check(order, part)
                size = part.stat().st_size
                publish(part, order.target, order.force)
            self._answer(order, Backup(order.target, mark, size, faults))
        except StoreUnusable as error:
            # If the host stops, the check was killed, and its error says nothing about the copy.
            self._answer(order, _STOPPING if self._stopping else str(error))

    def _check(self, order: _Order, part: Path) -> Sequence[str]:
        """
        Check the copy in another process. Returns its faults, if the order accepts faults.

        :raises StoreUnusable: the copy has faults, or could not be checked
        """
        command = [sys.executable, "-m", _CHECK, str(part)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as self._checking:
            # `stop` may have been called before there was a process to kill.
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
        """Report a result on the reactor's thread. The next backup may begin then."""

        def answered() -> None:
            self.busy = False
            order.done(result)

        self._from_thread(answered)
