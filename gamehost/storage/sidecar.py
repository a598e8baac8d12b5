"""
The files beside the store: SQLite's log, which is checked for damage, the key of the proofs, and the high-water mark.
Small files are replaced as a whole: after a power cut such a file has its old or its new contents.

The key of the proofs is 32 random bytes. The digests in the database table `proof` are made with it. The key is not in
the store itself. So the thief of a copy of the store can test guessed passwords only against the slow digests of
scrypt. If the file is lost, a new key is made, and the earlier proofs become invalid.

The high-water mark records how much of the journal was durable. It is needed because SQLite silently drops the end of a
damaged log, and because an old copy of a journal looks like a valid one. The mark has the number of the last row, the
number of rows, and a hash of both and of the last commit. A journal with less is refused. The mark also has the number
of accounts. It does not show changes inside the row of an account.

The mark is written to the disk several times a second, so it may be a little old. While a host runs, another file
beside the store has the number of the last durable row. It is written after each commit, through memory, so it costs no
system call. Its contents survive when the process is killed. After a power cut it may be old, or damaged; then it is
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
    """The path of a file beside a store: `gamehost.sqlite` and `.hwm` give `gamehost.sqlite.hwm`."""
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
    Replace a file. When this returns, the new file is on the disk.

    :raises OSError: the new file may not be on the disk
    """
    new = path.with_name(path.name + ".new")
    # Write another file first, and then rename it: after a power cut, the old or the new contents are there, and no
    # mixture.
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
    Make the names of the files in a folder durable, after a file was made or renamed.

    :raises OSError: the names may not be on the disk
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
    Read the key of the proofs of a store, or make it. If a new key cannot be written, for instance on a full disk, it
    is used until the process ends.
    """
    path = sidecar_path(store.resolve(), KEY_SUFFIX)
    with suppress(OSError, ValueError):
        key = bytes.fromhex(read(path) or "")
        # A file of another length is damaged, and gets a new key.
        if len(key) == _KEY_BYTES:
            return key
    key = secrets.token_bytes(_KEY_BYTES)
    with suppress(OSError):
        replace(path, key.hex() + "\n")
    return key


#: The end of the name of SQLite's write-ahead log. Its format is in https://sqlite.org/fileformat2.html, section 4.
LOG_SUFFIX = "-wal"

#: Magic number, format, page size, checkpoint number, two salts, two checksums.
_HEADER = Struct(">8I")
#: Page number, size of the database after a commit (0: no commit ends here), two salts, two checksums.
_FRAME = Struct(">6I")
#: The magic number without its last bit, which says in which byte order the checksums are computed.
_MAGIC = 0x377F0682
_MASK = 0xFFFFFFFF


def check_log(log: bytes) -> None:
    """
    Check that a log has no durable frames after the place where SQLite stops reading it. Unlike damage, the incomplete
    end that a power cut leaves is accepted.

    SQLite stops at the first damaged frame, and silently drops everything after it. Each commit is on the disk before
    the next commit begins. So an incomplete end has frames of one commit at most. If a commit ends after the first
    damaged frame and more frames follow, durable commits are lost.

    :raises Loss: the log is damaged, and more than one commit may be lost
    """
    if len(log.rstrip(b"\0")) <= _HEADER.size:
        return  # no commit: the header is written before the first one, and zeros before that
    # Check the header. The names of its fields are those of SQLite's page about its file format.
    magic, _, page_size, _, *salts, first, second = _HEADER.unpack_from(log)
    # The lowest bit gives the order of the bytes in the words of the sums.
    order = ">" if magic & 1 else "<"
    sums = _checksum(order, log[: _HEADER.size - 8], (0, 0))
    if magic & ~1 != _MAGIC or sums != (first, second):
        raise Loss("the journal is shorter than recorded: its log has a damaged header, so nothing in it can be read")
    # Count the undamaged frames at the beginning. A frame is a header and one page. Its header has the page's number, the
    # size of the database after a commit (0 in the other frames of a commit), the salts, and the sums.
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
    # Look for commits after them. Frames with other salts are old: after each checkpoint the log is written again from
    # its beginning.
    behind = [frame for frame in (_FRAME.unpack_from(log, place) for place in places[whole:]) if [*frame[2:4]] == salts]
    # Field 1 is not 0 in the last frame of a commit. The very last frame may end the incomplete commit.
    if any(frame[1] for frame in behind[:-1]):
        raise Loss(
            f"the journal is shorter than recorded: its log is damaged at frame {whole + 1}, "
            f"and {len(behind)} more frames follow"
        )


def check_log_beside(store: Path) -> None:
    """
    Check the log of a store with `check_log`, if there is a log.

    :raises Loss: the log is damaged
    """
    log = sidecar_path(store, LOG_SUFFIX)
    if log.exists():
        check_log(log.read_bytes())


#: How many bytes are written with one call.
_PIECE = 1 << 16


def lengthen_log(store: Path, page_size: int, pages: int, write: Callable[[int, bytes, int], int] = os.pwrite) -> None:
    """
    Fill a log with zeros up to the size at which SQLite starts it from the beginning, and write them to the disk.
    Without this, each commit at the beginning of a run would make the file longer, and would take about 50 % more time.
    SQLite does not read zeros as frames.

    :param page_size: the size of a page of the store, in bytes
    :param pages: after how many pages SQLite copies the log into the store
    :param write: as `os.pwrite`
    :raises OSError: the disk is full; the log is unchanged
    """
    wanted = _HEADER.size + pages * (_FRAME.size + page_size)
    descriptor = os.open(sidecar_path(store, LOG_SUFFIX), os.O_WRONLY)
    try:
        before = place = os.fstat(descriptor).st_size
        # The start of the host has just emptied the log. Make this durable first: if a power cut undid it later, some
        # old frames would be replaced by zeros, and the log would look damaged.
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
    """Continue SQLite's two checksums of a log with some data."""
    first, second = sums
    # Each step takes two words of four bytes.
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
    Close a store that is refused, without changing it or its log. Normally SQLite copies the log into the store when it
    is closed, and deletes the log. But the owner may want to save rows from the log.
    """
    log, kept = sidecar_path(store, LOG_SUFFIX), sidecar_path(store, LOG_SUFFIX + ".kept")
    moved = log.is_file()
    if moved:
        os.replace(log, kept)  # SQLite finds no file to delete
    connection.interrupt()  # SQLite copies no frames
    connection.close()
    if moved:
        os.replace(kept, log)


def put_back(store: Path) -> None:
    """Give a log its name again, if the process was killed in `close_unchanged`."""
    log, kept = sidecar_path(store, LOG_SUFFIX), sidecar_path(store, LOG_SUFFIX + ".kept")
    if kept.exists() and not log.exists():
        os.replace(kept, log)


# The high-water mark.


MARK_SUFFIX = ".hwm"
#: The end of the name of the file with the last commit.
LAST_SUFFIX = ".last"

#: If this many rows are new since the last note, a start notes how many rows it has counted. Counting them takes about
#: 10 ms.
STEP = 100_000


@frozen
class CheckedRows:
    """A note in the store: rows that need not be counted again."""

    #: The number of the last row that was counted.
    seq: int = 0
    #: How many rows the store has up to this row.
    rows: int = 0
    #: How many rows were ever moved to archives or removed.
    pruned: int = 0


def read_checked(connection: Connection) -> CheckedRows:
    """
    Read the note.

    :raises Loss: the database table with the note was changed
    """
    found = connection.execute("SELECT seq, rows, pruned FROM checked").fetchall()
    if len(found) != 1:
        raise Loss(f"the journal was changed: its table 'checked' has {len(found)} rows instead of one")
    return CheckedRows(*found[0])


def write_checked(connection: Connection, checked: CheckedRows) -> None:
    """Replace the note. Must be called within a transaction."""
    connection.execute("UPDATE checked SET seq = ?, rows = ?, pruned = ?", (checked.seq, checked.rows, checked.pruned))


def count_moved(connection: Connection, checked: CheckedRows) -> int:
    """
    How many rows were ever added to `event`. A run counts as the number of its entries. Only rows after `checked` are
    read.
    """
    count = f"SELECT coalesce(sum(CASE kind WHEN {RUN} THEN at_ms ELSE 1 END), 0) FROM event WHERE seq > ?"
    return int(checked.rows + checked.pruned + connection.execute(count, (checked.seq,)).fetchone()[0])


def count_rows(connection: Connection, checked: CheckedRows) -> int:
    """
    How many rows were ever added to the store, including the entries in commits. Only the commits and the rows after
    `checked` are read.
    """
    database = SqliteDatabase(connection)
    recent = entries_by_table(commits_in(database))
    return count_moved(connection, checked) + sum(unmoved(database, recent).values())


def last_of(connection: Connection) -> tuple[int, bytes]:
    """The number and the hash of the last commit, or of the last row if there is no commit."""
    return _find_end(connection, "") or (0, NO_ROW)


def _find_end(connection: Connection, where: str, *parameters: int) -> tuple[int, bytes] | None:
    """
    The number and the hash of the last commit that fulfils a condition, or, without such a commit, of the last row;
    `None`: there is neither.
    """
    # Rows in `event` count only if there are no commits.
    for table in ("recent", "event"):
        query = f"SELECT seq, h FROM {table} {where} ORDER BY seq DESC LIMIT 1"
        if (found := connection.execute(query, parameters).fetchone()) is not None:
            return int(found[0]), bytes(found[1])
    return None


#: A whole number from 0 up.
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class Mark(msgspec.Struct, frozen=True, omit_defaults=True, rename={"last": "max_seq", "seal": "sha"}):
    """A high-water mark: how much a journal had at some moment."""

    #: The number of the last row or item, as commits count them; 0: there was none.
    last: _Count
    #: How many rows were ever added, including rows that were moved to archives.
    count: _Count
    #: A hash over the two numbers and the hash of the last commit.
    seal: str
    #: The number of accounts.
    accounts: _Count
    #: Whether a log belonged to the store, as while a host runs.
    log: bool = False
    #: A random name of one run of a host; empty for a copy.
    run: str = ""

    @property
    def empty(self) -> bool:
        return not self.count and not self.accounts

    @property
    def held(self) -> str:
        """The contents in words, for messages about a loss."""
        return f"{self.count} rows of it" + (f" and {self.accounts} accounts" if self.accounts else "")


def mark_of(last: int, count: int, h: bytes, accounts: int) -> Mark:
    """
    Make a mark.

    :param h: the hash of the commit with the number `last`; in a copy without commits, of the row with this number
    """
    if not count:
        # An empty store has no last row.
        return Mark(0, 0, "", accounts)
    return Mark(last, count, sha256(f"{last} {count} ".encode("ascii") + h).hexdigest(), accounts)


def write_mark(mark: Mark) -> str:
    return msgspec.json.encode(mark).decode() + "\n"


def read_mark(text: str) -> Mark:
    """
    Read a mark that `write_mark` has written.

    :raises Loss: the text is not such a mark
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
    """The mark of the current contents of a store. Rows that were counted before are not read."""
    last, h = last_of(connection)
    return mark_of(last, count_rows(connection, read_checked(connection)), h, accounts_in(connection))


def check_mark(connection: Connection, mark: Mark | None, count: int) -> None:
    """
    Check that a store has at least as much as its mark requires.

    :param mark: the mark; `None`: there is no file with a mark
    :param count: how many rows were ever added to the store
    :raises Loss: the store has less than the mark, or other contents
    """
    last = last_of(connection)[0]
    if mark is None:
        if last or accounts_in(connection):
            raise Loss("the journal's file .hwm, which says how long the journal was, is missing")
        return
    if mark.accounts and (accounts := accounts_in(connection)) < mark.accounts:
        raise Loss(f"the journal has {accounts} accounts, and {mark.accounts} were durable")
    if mark.count == 0:
        # The store was empty when the mark was written, so any contents are right.
        return
    if last < mark.last:
        raise Loss(f"the journal is shorter than recorded: it ends at row {last}, and row {mark.last} was durable")
    # Rows may have been added after the mark was written.
    count -= _rows_behind(connection, mark.last, last)
    if count != mark.count:
        raise Loss(f"the journal has {count} rows up to row {mark.last}, and {mark.count} were durable")
    end = _find_end(connection, "WHERE seq = ?", mark.last)
    if end is None or mark_of(mark.last, mark.count, end[1], mark.accounts).seal != mark.seal:
        raise Loss(f"row {mark.last} is not the one that was recorded: this is another journal, or it was changed")


def _rows_behind(connection: Connection, seq: int, last: int) -> int:
    """
    How many rows were added after a mark. If there are commits, their numbers have no gap, and they continue the
    numbers of the rows of a copy.
    """
    if connection.execute("SELECT count(*) FROM recent").fetchone()[0]:
        return last - seq
    return int(connection.execute("SELECT count(*) FROM event WHERE seq > ?", (seq,)).fetchone()[0])


_BEGINS = b"gamehost"
#: The fields of the file with the last commit: magic bytes, last row, rows, accounts, hash. A checksum follows.
_FIELDS = Struct(">8sQQQ8s")
_CHECKSUM = Struct(">I")
_SIZE = _FIELDS.size + _CHECKSUM.size


class LastCommit:
    """
    The file with the last commit, open for writing.

    :raises OSError: the file cannot be made
    """

    def __init__(self, path: Path) -> None:
        """Make the file, and map it into memory."""
        self._path = path
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            # Write real bytes: if the file had a hole, writing to memory on a full disk would kill the process.
            os.pwrite(descriptor, bytes(_SIZE), 0)
            self._memory = mmap.mmap(descriptor, _SIZE)
        finally:
            os.close(descriptor)

    def note(self, last: int, count: int, accounts: int, h: bytes) -> None:
        """Note what is durable now, with the arguments of `mark_of`."""
        fields = _FIELDS.pack(_BEGINS, last, count, accounts, h)
        self._memory[:] = fields + _CHECKSUM.pack(crc32(fields))

    def remove(self) -> None:
        """Remove the file after the store was closed normally: the mark is up to date then."""
        self._memory.close()
        self._path.unlink(missing_ok=True)


def read_last_commit(path: Path) -> Mark | None:
    """Read the note; `None`: there is no such file, or it is incomplete."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    # A crash of the machine can leave half of the note on the disk.
    if len(data) != _SIZE or _CHECKSUM.unpack(data[_FIELDS.size :])[0] != crc32(data[: _FIELDS.size]):
        return None
    magic, last, count, accounts, h = _FIELDS.unpack_from(data)
    return mark_of(last, count, h, accounts) if magic == _BEGINS else None
