"""
A disk that lies in memory and can be pulled out: SQLite's own code over files that know what was synced.

What was written since the last sync is kept apart. A power cut keeps what was synced, and of the rest any part, torn at
sectors. A fault makes one call fail, or all from one call on. The host's own code is what runs on it, through apsw.
"""

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import apsw
from attrs import define, field

SECTOR = 512


@define(eq=False)
class File:
    """A file as the process sees it, and as it is on the platter."""

    seen: bytearray = field(factory=bytearray)
    durable: bytearray = field(factory=bytearray)
    #: Since the last sync: bytes at a place, or a new length.
    pending: list[tuple[int, bytes] | int] = field(factory=list)

    def sync(self) -> None:
        for change in self.pending:
            apply(self.durable, change)
        self.pending.clear()


def apply(content: bytearray, change: tuple[int, bytes] | int) -> None:
    """Carry out one change."""
    if isinstance(change, int):
        del content[change:]
        return
    place, data = change
    if place > len(content):
        content.extend(bytes(place - len(content)))
    content[place : place + len(data)] = data


def no_fault(call: int, name: str) -> None:
    """Nothing goes wrong."""


@define(eq=False)
class Disk:
    """Files by name, the calls counted, and what is to go wrong."""

    files: dict[str, File] = field(factory=dict)
    #: Called before every call with its number and name; raises what is to happen.
    fault: Callable[[int, str], None] = no_fault
    #: Whether a sync does what it says.
    honest: bool = True
    #: How many calls, of all kinds; how many that change something.
    calls: int = 0
    changes: int = 0
    #: At this change the power goes.
    cut_at: int | None = None
    dead: bool = False

    def count(self, name: str, changes: bool = False) -> None:
        """A call begins."""
        if self.dead:
            raise apsw.IOError("no power")
        self.calls += 1
        self.fault(self.calls, name)
        if changes:
            self.changes += 1

    def cut(self) -> bool:
        """Whether the power goes now; the change that is being made has begun."""
        if self.changes == self.cut_at:
            self.dead = True
        return self.dead

    def after_kill(self) -> "Disk":
        """The disk as the next process finds it, after this one was killed."""
        return Disk({name: File(bytearray(file.seen), bytearray(file.seen)) for name, file in self.files.items()})

    def after_cut(self, rng: random.Random) -> "Disk":
        """The disk as it comes up again after a power cut."""
        keep = rng.choice((0.0, 0.5, 0.9, 1.0, rng.random()))
        files = {}
        for name, file in self.files.items():
            content = bytearray(file.durable)
            for change in file.pending:
                for piece in pieces(change):
                    if rng.random() < keep:
                        apply(content, piece)
            files[name] = File(bytearray(content), content)
        return Disk(files)


def pieces(change: tuple[int, bytes] | int) -> list[tuple[int, bytes] | int]:
    """A change in the parts that are carried out whole or not at all."""
    if isinstance(change, int):
        return [change]
    place, data = change
    cuts = [0, *range(SECTOR - place % SECTOR, len(data), SECTOR), len(data)]
    return [(place + start, data[start:end]) for start, end in pairwise(cuts)]


class OpenFile:
    """A file of the disk in SQLite's hands."""

    def __init__(self, disk: Disk, file: File) -> None:
        self.disk = disk
        self.file = file

    def xRead(self, amount: int, offset: int) -> bytes:
        self.disk.count("read")
        return bytes(self.file.seen[offset : offset + amount])

    def xWrite(self, data: Any, offset: int) -> None:
        self.disk.count("write", changes=True)
        change = (offset, bytes(data))
        self.file.pending.append(change)
        if self.disk.cut():
            raise apsw.IOError("no power")
        apply(self.file.seen, change)

    def xTruncate(self, size: int) -> None:
        self.disk.count("truncate", changes=True)
        self.file.pending.append(size)
        if self.disk.cut():
            raise apsw.IOError("no power")
        apply(self.file.seen, size)

    def xSync(self, flags: int) -> None:
        self.disk.count("sync", changes=True)
        if self.disk.cut():
            raise apsw.IOError("no power")
        if self.disk.honest:
            self.file.sync()

    def xFileSize(self) -> int:
        self.disk.count("size")
        return len(self.file.seen)

    def xClose(self) -> None: ...

    def xLock(self, level: int) -> None: ...

    def xUnlock(self, level: int) -> None: ...

    def xCheckReservedLock(self) -> bool:
        return False

    def xFileControl(self, op: int, pointer: int) -> bool:
        return False

    def xSectorSize(self) -> int:
        return 4096

    def xDeviceCharacteristics(self) -> int:
        return int(apsw.SQLITE_IOCAP_POWERSAFE_OVERWRITE)


class Drive(apsw.VFS):
    """Where a disk is put in: what SQLite knows as a VFS."""

    NAME = "drive"

    def __init__(self) -> None:
        self.disk = Disk()
        super().__init__(self.NAME, base="")

    def connect(self, disk: Disk) -> apsw.Connection:
        """A connection to the journal on a disk."""
        self.disk = disk
        connection = apsw.Connection("journal", vfs=self.NAME)
        # This VFS has no memory for the log's index that several connections could use. A host has `unix-excl` for that.
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        return connection

    def xFullPathname(self, name: str) -> str:
        return name

    def xOpen(self, name: Any, flags: list[int]) -> OpenFile:  # type: ignore[override]
        self.disk.count("open")
        file = File() if name is None else self.disk.files.setdefault(str_name(name), File())
        flags[1] = flags[0]
        return OpenFile(self.disk, file)

    def xAccess(self, name: str, flags: int) -> bool:
        self.disk.count("access")
        return name in self.disk.files

    def xDelete(self, name: str, sync_folder: bool) -> None:
        self.disk.count("delete", changes=True)
        if self.disk.cut():
            raise apsw.IOError("no power")
        self.disk.files.pop(name, None)


def str_name(name: Any) -> str:
    """A file's name, however SQLite gives it."""
    return name if isinstance(name, str) else str(name.filename())
