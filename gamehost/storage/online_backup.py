"""
A backup of the store of a running host. Moves go on meanwhile.

1. The writer's thread copies the store in slices, and commits between them. The copy holds what was durable at its end.
2. A thread of its own writes the copy to the disk, has it checked by another process, and gives it its name.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from attrs import define, field, frozen

from gamehost.journal.records import StoreUnusable
from gamehost.storage import write_ahead_log
from gamehost.storage.backup import Pace, check_target, copy_pages, kept_if_whole, new_part, publish, sync_file
from gamehost.storage.files import fits
from gamehost.storage.high_water_mark import SUFFIX, Mark, write_mark
from gamehost.storage.inspect import reading
from gamehost.storage.sidecar import replace, sidecar_path
from gamehost.storage.store import SqliteStore
from gamehost.storage.writer import Between, WorkStopped, Writer

#: Above this the operating system serves other processes first.
NICENESS = 10


def faults_of(copy: Path) -> list[str]:
    """What is wrong with a copy, one sentence each: its file, its rows, or its high-water mark."""
    try:
        with reading(copy) as journal:
            return journal.verify().faults
    except StoreUnusable as error:
        return [str(error)]


def main(arguments: Sequence[str]) -> int:
    """Print the faults. The exit status is 1 if there is one."""
    os.nice(NICENESS)
    faults = faults_of(Path(arguments[0]))
    print(*faults, sep="\n", end="")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))


#: The module that checks a copy in a process of its own.
_CHECK = "gamehost.storage.online_backup"
_STOPPING = "the host is stopping; no backup was made"


@frozen
class Backup:
    """A backup that was made and checked."""

    path: Path
    mark: Mark
    #: Its size in bytes.
    size: int
    #: What the check has found, if that was accepted.
    faults: Sequence[str] = ()


@define(eq=False)
class OnlineBackup:
    """
    One backup.

    :param store: the writer's store
    :param target: the file
    :param force: replace an earlier backup
    :param accept_faults: keep a copy in which the check finds faults; the store has them, too
    :param done: called on the reactor's thread with the backup, or why there is none
    :param from_thread: calls a function on the reactor's thread
    """

    _store: SqliteStore
    _target: Path
    _force: bool
    _accept_faults: bool
    _done: Callable[[Backup | str], None]
    _from_thread: Callable[[Callable[[], None]], None]
    _pace: Pace = field(factory=Pace)
    _checking: "subprocess.Popen[str] | None" = None
    _stopped: bool = False

    def copy(self, between: Between) -> None:
        """The work of the writer's thread."""
        try:
            between(0)
            part = new_part(self._target, self._force)
            with kept_if_whole(part, self._target):
                copy_pages(self._store.connection, part, between, self._pace)
                mark = self._store.mark
        except WorkStopped:
            self._answer(_STOPPING)
        except StoreUnusable as error:
            self._answer(str(error))
        except Exception as error:
            # The commit of the host's own changes has failed. The writer ends the host for it.
            self._answer(f"the host's own store has failed: {type(error).__name__}")
        else:
            threading.Thread(target=self._finish, args=(part, mark), name="gamehost-backup", daemon=True).start()

    def stop(self) -> None:
        """The host stops. What is not copied yet is not copied any more."""
        self._stopped = True
        if self._checking is not None:
            self._checking.kill()

    def _finish(self, part: Path, mark: Mark) -> None:
        """Everything behind the copy. This blocks, and has a thread of its own."""
        try:
            with kept_if_whole(part, self._target):
                sync_file(part)
                replace(sidecar_path(part, SUFFIX), write_mark(mark))
                faults = self._check(part)
                size = part.stat().st_size
                publish(part, self._target, self._force)
            self._answer(Backup(self._target, mark, size, faults))
        except StoreUnusable as error:
            self._answer(_STOPPING if self._stopped else str(error))

    def _check(self, part: Path) -> Sequence[str]:
        """
        The faults of the copy, if they are accepted.

        :raises StoreUnusable: the copy has faults, or could not be checked
        """
        command = [sys.executable, "-m", _CHECK, str(part)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as self._checking:
            if self._stopped:
                self._checking.kill()
            faults = self._checking.communicate()[0].splitlines()
        if self._checking.returncode and not faults:
            raise StoreUnusable(f"{self._target}: the copy could not be checked")
        if faults and not self._accept_faults:
            more = f", and {len(faults) - 1} more faults" if len(faults) > 1 else ""
            raise StoreUnusable(
                f"{self._target}: the copy is not sound: {faults[0]}{more}. "
                "If the store has this fault, --accept-faults makes the backup all the same"
            )
        return faults

    def _answer(self, result: Backup | str) -> None:
        self._from_thread(partial(self._done, result))


@define(eq=False)
class Backups:
    """
    The backups of one running host, one at a time. For the reactor's thread.

    :param path: of the store
    :param free_space: as of `gamehost.storage.files.fits`
    :param from_thread: calls a function on the reactor's thread
    """

    _store: SqliteStore
    _writer: Writer
    _path: Path
    _free_space: int
    _from_thread: Callable[[Callable[[], None]], None]
    _current: OnlineBackup | None = None
    _stopping: bool = False

    @property
    def busy(self) -> bool:
        """Whether a backup is being made."""
        return self._current is not None

    def begin(
        self, target: Path, done: Callable[[Backup | str], None], force: bool = False, accept_faults: bool = False
    ) -> None:
        """
        Copy the store to a file, while it is in use. The copy is checked, and holds all that is durable now.

        :param target: an absolute path
        :param done: called later with the backup, or why there is none
        :param force: replace an earlier copy
        :param accept_faults: keep a copy in which the check finds faults
        :raises StoreUnusable: a backup cannot begin
        """
        if self._stopping:
            raise StoreUnusable(_STOPPING)
        if self._current is not None:
            raise StoreUnusable("a backup is being made; wait until it is done")
        check_target(target, force)
        files = (self._path, sidecar_path(self._path, write_ahead_log.SUFFIX))
        size = sum(file.stat().st_size for file in files)
        if not fits(target, size, self._path, self._free_space):
            raise StoreUnusable(f"{target}: the disk has too little room for {size} bytes")

        def ended(result: Backup | str) -> None:
            self._current = None
            done(result)

        self._current = OnlineBackup(self._store, target, force, accept_faults, ended, self._from_thread)
        self._writer.work(self._current.copy)

    def stop(self) -> None:
        """The host stops: the backup that is being made is given up, and no other one begins."""
        self._stopping = True
        if self._current is not None:
            self._current.stop()
