"""
The files beside the store: SQLite's log, checked for damage, small files of the host, and the high-water mark. A small
file is read and replaced as a whole: after a power cut it has its old or its new contents.

One is the key of the digests in the table `proof`: 32 random bytes. It is not in the store itself. So a stolen copy of
the store contains only scrypt's digests that could be used to guess a password. If the file is lost, a new key is made,
and the earlier proofs become invalid.

The high-water mark records how much of the journal was durable. SQLite silently drops the end of a damaged write-ahead
log, and an old copy of a journal looks like a valid one. So the mark has the number of the last row, the number of
rows, and a hash of both and of the last commit's hash. A journal with less is refused. The mark also has the number of
accounts. Changes to an account's row are not covered.

It is written to the disk now and then, so it may be a little old. While a host runs, the number of the last durable row
is in another file beside the store. That file is mapped into memory, so its contents survive when the process is
killed. It is written after each commit and costs no system call. After a power cut it may be older, or torn and then
ignored.
"""

import mmap
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from sqlite3 import Connection
from struct import Struct
from typing import Annotated, TypeAlias
from zlib import crc32

import msgspec
from attrs import frozen

from gamehost.storage.database import Loss, SqliteDatabase, commits_in, entries_by_table, unmoved
from gamehost.storage.row_codec import NO_ROW, RUN


def sidecar_path(store: Path, suffix: str) -> Path:
    """The file that belongs to a store: `gamehost.sqlite` and `.hwm` give `gamehost.sqlite.hwm`."""
    return store.with_name(store.name + suffix)


def read(path: Path) -> str | None:
    """
    The text of a file, or `None` if there is no such file. Bytes that are not UTF-8 are replaced.

    :raises OSError: the file cannot be read
    """
    try:
        return path.read_text("utf-8", "replace")
    except FileNotFoundError:
        return None


def replace(path: Path, text: str) -> None:
    """
    Replace a file. The new one is on the disk when this returns.

    :raises OSError: the new file may not be on the disk
    """
    new = path.with_name(path.name + ".new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", closefd=False) as file:
            file.write(text)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(new, path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """
    Write the names in a folder to the disk.

    :raises OSError: they may not be on the disk
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


KEY_SUFFIX = ".key"
_KEY_BYTES = 32


def proof_key(store: Path) -> bytes:
    """
    The key that belongs to a store. It is made if there is none.

    A key that cannot be written, as on a full disk, is used until the process ends.
    """
    path = sidecar_path(store.resolve(), KEY_SUFFIX)
    with suppress(OSError, ValueError):
        key = bytes.fromhex(read(path) or "")
        if len(key) == _KEY_BYTES:
            return key
    key = secrets.token_bytes(_KEY_BYTES)
    with suppress(OSError):
        replace(path, key.hex() + "\n")
    return key


#: SQLite's write-ahead log. The format is that of https://sqlite.org/fileformat2.html, section 4.
LOG_SUFFIX = "-wal"

#: Magic number, format, page size, checkpoint number, two salts, two checksums.
_HEADER = Struct(">8I")
#: Page number, size of the database after a commit (0: no commit ends here), two salts, two checksums.
_FRAME = Struct(">6I")
#: The last bit says in which byte order the checksums are computed.
_MAGIC = 0x377F0682
_MASK = 0xFFFFFFFF


def check_log(log: bytes) -> None:
    """
    Check that there are no durable frames behind the place where SQLite stops reading a log. Distinguish damage from
    the torn end that a power cut leaves.

    SQLite stops at the first frame that is not whole, and silently drops everything behind it. Each commit is on the
    disk before the next one begins. So a torn end has frames of one commit at most. If a commit ends behind the first
    bad frame and more frames follow, then durable commits are lost.

    :raises Loss: the log is damaged, and more than one commit may be lost
    """
    if len(log.rstrip(b"\0")) <= _HEADER.size:
        return  # no commit: the header is written before the first one, and zeros before that
    magic, _, page_size, _, *salts, first, second = _HEADER.unpack_from(log)
    order = ">" if magic & 1 else "<"
    sums = _checksum(order, log[: _HEADER.size - 8], (0, 0))
    if magic & ~1 != _MAGIC or sums != (first, second):
        raise Loss("the journal is shorter than recorded: its log has a damaged header, so nothing in it can be read")
    step = _FRAME.size + page_size
    places = range(_HEADER.size, len(log) - step + 1, step)
    whole = 0
    for place in places:
        *_, first, second = _FRAME.unpack_from(log, place)
        sums = _checksum(order, log[place : place + 8], sums)
        sums = _checksum(order, log[place + _FRAME.size : place + step], sums)
        if [*_FRAME.unpack_from(log, place)[2:4]] != salts or sums != (first, second):
            break
        whole += 1
    # Frames with other salts are old: the log is written again from its beginning after each checkpoint.
    behind = [frame for frame in (_FRAME.unpack_from(log, place) for place in places[whole:]) if [*frame[2:4]] == salts]
    if any(frame[1] for frame in behind[:-1]):
        raise Loss(
            f"the journal is shorter than recorded: its log is damaged at frame {whole + 1}, "
            f"and {len(behind)} more frames follow"
        )


def check_log_beside(store: Path) -> None:
    """
    As `check_log`, if there is a log.

    :raises Loss: it is damaged
    """
    log = sidecar_path(store, LOG_SUFFIX)
    if log.exists():
        check_log(log.read_bytes())


#: Bytes that are written at once.
_PIECE = 1 << 16


def lengthen_log(store: Path, page_size: int, pages: int, write: Callable[[int, bytes, int], int] = os.pwrite) -> None:
    """
    Fill a log with zeros up to the size at which SQLite starts it from the beginning, and write them to the disk.

    Commits that lengthen a file have to wait until the file system has noted its new length. So the first thousand commits of
    a run would take half as long again as all later ones. To SQLite zeros are no frames.

    :param page_size: of the store, in bytes
    :param pages: after so many SQLite copies the log into the store
    :raises OSError: there is no room; the log is as it was
    """
    wanted = _HEADER.size + pages * (_FRAME.size + page_size)
    descriptor = os.open(sidecar_path(store, LOG_SUFFIX), os.O_WRONLY)
    try:
        before = place = os.fstat(descriptor).st_size
        # A start has emptied the log. If a power cut undid that, zeros would replace some frames, and the log would
        # look damaged.
        os.fdatasync(descriptor)
        try:
            while place < wanted:
                place += write(descriptor, bytes(min(_PIECE, wanted - place)), place)
            os.fdatasync(descriptor)
        except OSError:
            os.ftruncate(descriptor, before)
            raise
    finally:
        os.close(descriptor)


def _checksum(order: str, data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    words = iter(_words(order, len(data) // 4).unpack(data))
    for one, other in zip(words, words, strict=True):
        first = (first + one + second) & _MASK
        second = (second + other + first) & _MASK
    return first, second


@cache
def _words(order: str, count: int) -> Struct:
    return Struct(f"{order}{count}I")


def close_unchanged(connection: Connection, store: Path) -> None:
    """
    Close a store that is refused, without a change to it or its log.

    SQLite copies the log into the store when it closes it, and deletes the log. The owner might still save rows from
    there.
    """
    log, kept = sidecar_path(store, LOG_SUFFIX), sidecar_path(store, LOG_SUFFIX + ".kept")
    moved = log.is_file()
    if moved:
        os.replace(log, kept)  # so SQLite finds no file to delete
    connection.interrupt()  # so it copies no frames
    connection.close()
    if moved:
        os.replace(kept, log)


def put_back(store: Path) -> None:
    """Put back a log if the process was killed in `close_unchanged`."""
    log, kept = sidecar_path(store, LOG_SUFFIX), sidecar_path(store, LOG_SUFFIX + ".kept")
    if kept.exists() and not log.exists():
        os.replace(kept, log)


# The high-water mark.


MARK_SUFFIX = ".hwm"
#: Of the file with the last commit.
LAST_SUFFIX = ".last"

#: Rows that must be new before a start notes that they are whole. To count them takes about 10 ms.
STEP = 100_000


@frozen
class CheckedRows:
    """The rows that need not be read again."""

    #: The last row that was read.
    seq: int = 0
    #: How many rows the store has up to there.
    rows: int = 0
    #: How many rows were moved to archives, ever.
    pruned: int = 0


def read_checked(connection: Connection) -> CheckedRows:
    """
    :raises Loss: the table was changed
    """
    found = connection.execute("SELECT seq, rows, pruned FROM checked").fetchall()
    if len(found) != 1:
        raise Loss(f"the journal was changed: its table 'checked' has {len(found)} rows instead of one")
    return CheckedRows(*found[0])


def write_checked(connection: Connection, checked: CheckedRows) -> None:
    """Replace the note. Within a transaction."""
    connection.execute("UPDATE checked SET seq = ?, rows = ?, pruned = ?", (checked.seq, checked.rows, checked.pruned))


def count_moved(connection: Connection, checked: CheckedRows) -> int:
    """How many rows were ever added to `event`, where a run counts as its entries. Reads those behind `checked` alone."""
    count = f"SELECT coalesce(sum(CASE kind WHEN {RUN} THEN at_ms ELSE 1 END), 0) FROM event WHERE seq > ?"
    return int(checked.rows + checked.pruned + connection.execute(count, (checked.seq,)).fetchone()[0])


def count_rows(connection: Connection, checked: CheckedRows) -> int:
    """How many rows were ever added. Reads the commits, and the rows behind `checked` alone."""
    database = SqliteDatabase(connection)
    recent = entries_by_table(commits_in(database))
    return count_moved(connection, checked) + sum(unmoved(database, recent).values())


def last_of(connection: Connection) -> tuple[int, bytes]:
    """The number and the hash of the last commit, or of the last row if there is no commit."""
    return _find_end(connection, "") or (0, NO_ROW)


def _find_end(connection: Connection, where: str, *parameters: int) -> tuple[int, bytes] | None:
    """The number and the hash of the last of some commits, or of the last of some rows; `None`: there is neither."""
    for table in ("recent", "event"):
        query = f"SELECT seq, h FROM {table} {where} ORDER BY seq DESC LIMIT 1"
        if (found := connection.execute(query, parameters).fetchone()) is not None:
            return int(found[0]), bytes(found[1])
    return None


#: A number from 0 up.
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class Mark(msgspec.Struct, frozen=True, omit_defaults=True, rename={"last": "max_seq", "seal": "sha"}):
    """The contents of a journal at some moment, as numbers."""

    #: The number of the last row, as commits count rows; 0: there was none.
    last: _Count
    #: The number of rows that were ever added. Rows that were moved to archives count too.
    count: _Count
    #: Of the two numbers and the hash of the last commit.
    seal: str
    #: How many accounts.
    accounts: _Count
    #: Whether there was a write-ahead log beside the store, as while a host runs.
    log: bool = False
    #: A random name for one run of a host; empty for a copy.
    run: str = ""

    @property
    def empty(self) -> bool:
        return not self.count and not self.accounts

    @property
    def held(self) -> str:
        return f"{self.count} rows of it" + (f" and {self.accounts} accounts" if self.accounts else "")


def mark_of(last: int, count: int, h: bytes, accounts: int) -> Mark:
    """
    :param h: of the commit with the number `last`; in a copy without commits, of that row
    """
    if not count:
        return Mark(0, 0, "", accounts)
    return Mark(last, count, sha256(f"{last} {count} ".encode("ascii") + h).hexdigest(), accounts)


def write_mark(mark: Mark) -> str:
    return msgspec.json.encode(mark).decode() + "\n"


def read_mark(text: str) -> Mark:
    """
    :raises Loss: not what `write_mark` writes
    """
    try:
        return msgspec.json.decode(text, type=Mark)
    except (msgspec.DecodeError, ValueError, RecursionError):
        raise Loss(
            f"the file {MARK_SUFFIX} beside the journal cannot be read, so the journal cannot be checked with it"
        ) from None


def accounts_in(connection: Connection) -> int:
    """The number of accounts in a store."""
    return int(connection.execute("SELECT count(*) FROM account").fetchone()[0])


def mark_in(connection: Connection) -> Mark:
    """The mark of a store as it is now. Reads the rows that were not checked before."""
    last, h = last_of(connection)
    return mark_of(last, count_rows(connection, read_checked(connection)), h, accounts_in(connection))


def check_mark(connection: Connection, mark: Mark | None, count: int) -> None:
    """
    Check that a store has at least as much as its mark requires.

    :param mark: `None` if there is no file
    :param count: of all rows that were ever added to the store
    :raises Loss: the store has less, or other contents
    """
    last = last_of(connection)[0]
    if mark is None:
        if last or accounts_in(connection):
            raise Loss("the journal's file .hwm, which says how long the journal was, is missing")
        return
    if mark.accounts and (accounts := accounts_in(connection)) < mark.accounts:
        raise Loss(f"the journal has {accounts} accounts, and {mark.accounts} were durable")
    if mark.count == 0:
        return
    if last < mark.last:
        raise Loss(f"the journal is shorter than recorded: it ends at row {last}, and row {mark.last} was durable")
    count -= _rows_behind(connection, mark.last, last)
    if count != mark.count:
        raise Loss(f"the journal has {count} rows up to row {mark.last}, and {mark.count} were durable")
    end = _find_end(connection, "WHERE seq = ?", mark.last)
    if end is None or mark_of(mark.last, mark.count, end[1], mark.accounts).seal != mark.seal:
        raise Loss(f"row {mark.last} is not the one that was recorded: this is another journal, or it was changed")


def _rows_behind(connection: Connection, seq: int, last: int) -> int:
    """
    The number of rows that were added behind a mark. Commits count without a gap, and continue the numbers of the rows
    of a copy.
    """
    if connection.execute("SELECT count(*) FROM recent").fetchone()[0]:
        return last - seq
    return int(connection.execute("SELECT count(*) FROM event WHERE seq > ?", (seq,)).fetchone()[0])


_BEGINS = b"gamehost"
#: Magic, last row, rows, accounts, the last row's hash; then their checksum.
_FIELDS = Struct(">8sQQQ8s")
_CHECKSUM = Struct(">I")
_SIZE = _FIELDS.size + _CHECKSUM.size


class LastCommit:
    """
    The file, open for writing.

    :raises OSError: it cannot be made
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            # Real bytes, not a hole: to fill a hole on a full disk would end the process.
            os.pwrite(descriptor, bytes(_SIZE), 0)
            self._memory = mmap.mmap(descriptor, _SIZE)
        finally:
            os.close(descriptor)

    def note(self, last: int, count: int, accounts: int, h: bytes) -> None:
        """Note what is durable now; the arguments are those of `mark_of`."""
        fields = _FIELDS.pack(_BEGINS, last, count, accounts, h)
        self._memory[:] = fields + _CHECKSUM.pack(crc32(fields))

    def remove(self) -> None:
        """Remove the file. The store was closed in order, so its mark is complete, and this file is not needed."""
        self._memory.close()
        self._path.unlink(missing_ok=True)


def read_last_commit(path: Path) -> Mark | None:
    """The note; `None` if there is no such file, or if it is incomplete."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    if len(data) != _SIZE or _CHECKSUM.unpack(data[_FIELDS.size :])[0] != crc32(data[: _FIELDS.size]):
        return None
    magic, last, count, accounts, h = _FIELDS.unpack_from(data)
    return mark_of(last, count, h, accounts) if magic == _BEGINS else None
