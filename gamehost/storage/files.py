"""
The store and the files beside it, as one thing: they are opened together, watched while a host runs, and closed together.

And how much room their disk has.
"""

import errno
import fcntl
import os
import sqlite3
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from secrets import token_hex

from attrs import define, evolve, field

from gamehost.journal.records import Room, StoreUnusable
from gamehost.storage import sidecar
from gamehost.storage.contents import Change, StoreFailed
from gamehost.storage.database import Loss, release
from gamehost.storage.sidecar import (
    LOG_SUFFIX,
    STARTS_SUFFIX,
    LastCommit,
    Starts,
    close_unchanged,
    read,
    read_starts,
    replace,
    sidecar_path,
)
from gamehost.storage.store import SqliteStore

#: The process (EMFILE) or the system (ENFILE) has no file left.
NO_FILE_LEFT = frozenset({errno.EMFILE, errno.ENFILE})
#: The disk, or the owner's share of it, is full.
NO_SPACE_LEFT = frozenset({errno.ENOSPC, errno.EDQUOT})
#: Where a line of the system's list of mounts has the path.
_MOUNT_POINT = 4
#: The end of the name of a file that is there for a moment, to try what the file system does.
PROBE = ".locks"


@contextmanager
def ignoring(numbers: frozenset[int]) -> Iterator[None]:
    """
    Ignore some errors of the system; the caller tries again later.

    The store itself stays open, so its contents are durable. A mark that is older than the store is still right.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in numbers:
            raise


def resolved(path: Path) -> Path:
    """
    The store's own path. SQLite puts its log there, so all other files must be there too.

    :raises StoreUnusable: the file has two names: through the other one, a host or a program would not see the log
    """
    path = path.resolve()
    if path.is_file() and path.stat().st_nlink > 1:
        raise StoreUnusable(f"{path}: this file has a second name (a hard link); remove one of the two names")
    if path.is_file() and is_mount_point(path):
        raise StoreUnusable(
            f"{path}: this file is mounted alone, so its log would be in another folder than the file itself; "
            "mount the folder that it is in"
        )
    return path


def is_mount_point(path: Path, mounts: Path = Path("/proc/self/mountinfo")) -> bool:
    """
    Whether something is mounted at a path. A file can be mounted from its own file system, so its device does not tell.

    :param path: without symbolic links
    :param mounts: the system's list of mounts. Where there is none, only a mount from another file system is noticed
    """
    try:
        lines = mounts.read_bytes().splitlines()
    except OSError:
        return path.stat().st_dev != path.parent.stat().st_dev
    points = {fields[_MOUNT_POINT] for line in lines if len(fields := line.split(b" ")) > _MOUNT_POINT}
    # The list has four characters as octal numbers.
    name = os.fsencode(path).replace(b"\\", rb"\134")
    for character in b" \t\n":
        name = name.replace(bytes([character]), rb"\%03o" % character)
    return name in points


def check_locks(path: Path) -> None:
    """
    Try whether a lock keeps anybody out here. Some file systems grant every lock: two hosts would write to one store.

    It is tried on another file, because to close the store itself would drop this process's locks on it.

    :raises StoreUnusable: locks do nothing
    """
    probe, everything = sidecar_path(path, PROBE), struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
    try:
        with open(probe, "wb") as first, open(probe, "wb") as second:
            probe.unlink()
            fcntl.lockf(first, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Such a lock belongs to the open file and not to the process, so it must be refused.
            fcntl.fcntl(second, fcntl.F_OFD_SETLK, everything)
    except (OSError, AttributeError):
        return  # it was; or this system has no such locks; or the folder takes no file, which others will find
    raise StoreUnusable(
        "locks do nothing on this file system, so two hosts could write here; keep the store on a local one"
    )


def check_log_is_there(path: Path, recorded: sidecar.Mark | None) -> None:
    """
    :raises StoreUnusable: the mark says that there was a log, and there is none
    """
    if recorded is not None and recorded.log and not sidecar_path(path, LOG_SUFFIX).exists():
        raise Loss(
            f"the journal's log {path.name}{LOG_SUFFIX} is missing: it was lost, "
            "or a host has the store open under another name"
        )


def _why_not(path: Path) -> str:
    """What the system says to a new file beside the store, where SQLite says `disk I/O error` only; empty: it takes one."""
    probe = sidecar_path(path, PROBE)
    try:
        with open(probe, "wb") as file:
            file.write(bytes(4096))
        probe.unlink()
    except OSError as error:
        return error.strerror or type(error).__name__
    return ""


def _identity(path: Path) -> tuple[int, int] | None:
    """Device and number of a file; `None` if there is no such file."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


@define(eq=False)
class StoreFiles:
    """
    The files of one open store, for the writer's threads.

    :param recorded: the text of the high-water mark that was found
    """

    path: Path
    store: SqliteStore
    _wall: Callable[[], float]
    _recorded: str | None
    _run: str = field(factory=partial(token_hex, 4))
    _identities: dict[Path, tuple[int, int] | None] = field(init=False)
    _last_commit: LastCommit | None = None
    #: Whether this run has made anything durable.
    _productive: bool = False

    def __attrs_post_init__(self) -> None:
        files = (self.path, sidecar_path(self.path, LOG_SUFFIX))
        self._identities = {file: _identity(file) for file in files}

    def begin(self, guard: bool, has_space: bool) -> None:
        """
        Note in the files beside the store that a host has it open.

        :param guard: count this start
        :param has_space: whether the disk has room; if not, the files stay as they are
        :raises StoreUnusable: the host was started too often
        """
        tolerated = frozenset() if has_space else NO_SPACE_LEFT
        with ignoring(tolerated):
            if guard:
                self._note(lambda known: known.started(self._wall()))
        with ignoring(tolerated):
            self._write_mark(self._mark_now(log=True))
        with ignoring(tolerated):
            self._last_commit = LastCommit(sidecar_path(self.path, sidecar.LAST_SUFFIX))
            self._last_commit.note(*self.store.ends)

    def commit(self, changes: Sequence[Change]) -> None:
        try:
            self.store.commit(changes)
        except sqlite3.Error as error:
            if reason := _why_not(self.path):
                raise StoreFailed(f"{error}: {reason}") from error
            raise
        if self._last_commit is not None:
            self._last_commit.note(*self.store.ends)
        if not self._productive:
            with ignoring(NO_FILE_LEFT):
                self._note(Starts.productive)
                self._productive = True

    def mark(self) -> Callable[[], None]:
        return partial(self._write_mark, self._mark_now(log=True))

    def close(self) -> None:
        # After this the log is empty, and the store alone is the whole journal.
        emptied = [(1,)]
        with suppress(Exception):
            emptied = self.store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        without_log = self._mark_now(log=False)
        if emptied[0][0] == 0:
            self._write_mark(without_log)
        if self._recorded == sidecar.write_mark(without_log):
            self.store.connection.close()
        else:  # the mark says that there is a log
            close_unchanged(self.store.connection, self.path)
        release(self.path)
        if self._last_commit is not None:
            self._last_commit.remove()
        with ignoring(NO_FILE_LEFT):
            self._note(Starts.ended)

    def _mark_now(self, log: bool) -> sidecar.Mark:
        return evolve(self.store.mark, log=log, run=self._run)

    def _write_mark(self, mark: sidecar.Mark) -> None:
        """
        :raises StoreFailed: the files are not those that were opened
        :raises OSError: the mark cannot be written
        """
        self._check_identities()
        path, text = sidecar_path(self.path, sidecar.MARK_SUFFIX), sidecar.write_mark(mark)
        if text == self._recorded:
            self.store.marked = mark.last
            return
        with ignoring(NO_FILE_LEFT):
            if read(path) not in (self._recorded, None):
                raise StoreFailed(
                    f"another host writes to {self.path}: locks do nothing on this file system; keep the store on a local one"
                )
            replace(path, text)
            self._recorded = text
            self.store.marked = mark.last

    def _check_identities(self) -> None:
        for path, identity in self._identities.items():
            found = _identity(path)
            if found != identity and identity is not None:
                what = "deleted" if found is None else "replaced by another file"
                raise StoreFailed(f"{path} was {what} while the host had it open")

    def _note(self, change: Callable[[Starts], Starts]) -> None:
        path = sidecar_path(self.path, STARTS_SUFFIX)
        replace(path, change(read_starts(read(path))).write())


#: At most this part of a disk must be free, however small the disk is.
LARGEST_PART = 0.05


def room(store: Path, wanted: int, ask: Callable[[Path], os.statvfs_result] = os.statvfs) -> Room:
    """
    :param store: the store's path; its folder exists
    :param wanted: bytes that must be free for new tables; 0: the disk is not looked at
    :raises OSError: the disk does not answer
    """
    if not wanted:
        return Room.ENOUGH
    disk = ask(store.parent)
    wanted = min(wanted, int(disk.f_blocks * disk.f_frsize * LARGEST_PART))
    free = disk.f_bavail * disk.f_frsize
    if free < wanted // 10:
        return Room.NONE
    return Room.LOW if free < wanted else Room.ENOUGH


def fits(
    copy: Path, size: int, store: Path, wanted: int, ask: Callable[[Path], os.statvfs_result] = os.statvfs
) -> bool:
    """
    Whether a copy has room on its disk. On the store's own disk, so much must be left that new tables can begin.

    :param size: of the copy, in bytes
    :param wanted: as of `room`
    :raises OSError: the disk does not answer
    """
    disk = ask(copy.parent)
    left = disk.f_bavail * disk.f_frsize - size
    if copy.parent.stat().st_dev == store.parent.stat().st_dev:
        left -= min(wanted, int(disk.f_blocks * disk.f_frsize * LARGEST_PART))
    return left >= 0
