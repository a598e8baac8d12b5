"""
The high-water mark: a file beside the journal that says how much of it was durable.

SQLite silently drops the end of a damaged write-ahead log, and an old copy of a journal looks like a journal. So the mark
has the number of the last row, the number of rows, and a hash of both and of the last commit's hash. A journal that holds
less is refused. The mark also has the number of accounts. Changes to an account's row are not covered.

It is written to the disk, so it follows a little behind. The number of the last durable row is in another file beside the
store while a host runs: memory that the system keeps when a process is killed. It is written after each commit and costs no
system call. After a power cut it may be older, or torn and then ignored.
"""

import json
import mmap
import os
from hashlib import sha256
from pathlib import Path
from sqlite3 import Connection
from struct import Struct
from zlib import crc32

from attrs import frozen

from gamehost.storage.database import Loss, SqliteDatabase, has_table
from gamehost.storage.recent import commits_in, entries_by_table, unmoved
from gamehost.storage.row_codec import NO_ROW, RUN

SUFFIX = ".hwm"
#: Of the file with the last commit.
LAST_SUFFIX = ".last"

#: Rows that must be new before a start notes that they are whole. To count them takes about 10 ms.
STEP = 100_000

_MAKE = (
    "CREATE TABLE IF NOT EXISTS checked(seq INTEGER NOT NULL, rows INTEGER NOT NULL, pruned INTEGER NOT NULL) STRICT"
)


@frozen
class CheckedRows:
    """What need not be read again."""

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
    if not has_table(connection, "checked"):
        return CheckedRows()
    found = connection.execute("SELECT seq, rows, pruned FROM checked").fetchall()
    if len(found) != 1:
        raise Loss(f"the journal was changed: its table 'checked' has {len(found)} rows instead of one")
    return CheckedRows(*found[0])


def write_checked(connection: Connection, checked: CheckedRows) -> None:
    """Replace the note. Within a transaction."""
    connection.execute(_MAKE)
    connection.execute("DELETE FROM checked")
    connection.execute("INSERT INTO checked VALUES (?, ?, ?)", (checked.seq, checked.rows, checked.pruned))


def count_moved(connection: Connection, checked: CheckedRows) -> int:
    """How many rows were ever added to `event`, where a run counts as its entries. Reads those behind `checked` alone."""
    count = f"SELECT coalesce(sum(CASE kind WHEN {RUN} THEN at_ms ELSE 1 END), 0) FROM event WHERE seq > ?"
    return int(checked.rows + checked.pruned + connection.execute(count, (checked.seq,)).fetchone()[0])


def count_rows(connection: Connection, checked: CheckedRows) -> int:
    """How many rows were ever added. Reads the commits, and the rows behind `checked` alone."""
    database = SqliteDatabase(connection, has_recent=has_table(connection, "recent"))
    recent = entries_by_table(commits_in(database))
    return count_moved(connection, checked) + sum(unmoved(database, recent).values())


def last_of(connection: Connection) -> tuple[int, bytes]:
    """The number and the hash of the last commit, or of the last row if there is no commit."""
    for table in ("recent", "event"):
        if has_table(connection, table):
            found = connection.execute(f"SELECT seq, h FROM {table} ORDER BY seq DESC LIMIT 1").fetchone()
            if found is not None:
                return int(found[0]), found[1]
    return 0, NO_ROW


@frozen
class Mark:
    """How much a journal held at some moment."""

    #: The number of the last row, as commits count rows; 0: there was none.
    last: int
    #: How many rows were ever added. Those that were moved to archives count too.
    count: int
    #: Of the two numbers and the hash of the last commit.
    seal: str
    #: How many accounts. Older releases did not count them.
    accounts: int = 0
    #: Whether a write-ahead log was beside the store, as while a host runs.
    log: bool = False
    #: A random name for one run of a host; empty for a copy.
    run: str = ""

    @property
    def empty(self) -> bool:
        return not self.count and not self.accounts

    @property
    def held(self) -> str:
        """The numbers in words."""
        return f"{self.count} rows of it" + (f" and {self.accounts} accounts" if self.accounts else "")


def mark_of(last: int, count: int, h: bytes, accounts: int) -> Mark:
    """
    :param h: of the commit, or of a file without commits the row, whose `seq` is `last`
    """
    if not count:
        return Mark(0, 0, "", accounts)
    return Mark(last, count, sha256(f"{last} {count} ".encode("ascii") + h).hexdigest(), accounts)


def write_mark(mark: Mark) -> str:
    fields: dict[str, object] = {"max_seq": mark.last, "count": mark.count, "sha": mark.seal, "accounts": mark.accounts}
    if mark.log:
        fields["log"] = True
    if mark.run:
        fields["run"] = mark.run
    return json.dumps(fields) + "\n"


def read_mark(text: str) -> Mark:
    """
    :raises Loss: not what `write_mark` writes
    """
    try:
        fields = json.loads(text)
        last, count, seal = fields["max_seq"], fields["count"], fields["sha"]
        accounts, log, run = fields.get("accounts", 0), fields.get("log", False), fields.get("run", "")
    except (ValueError, KeyError, TypeError, RecursionError):
        last = count = seal = accounts = log = run = None
    numbers = (last, count, accounts)
    if (
        any(type(number) is not int or number < 0 for number in numbers)
        or type(seal) is not str
        or type(log) is not bool
    ):
        raise Loss(f"the file {SUFFIX} beside the journal cannot be read, so the journal cannot be checked with it")
    return Mark(last, count, seal, accounts, log, str(run))


def accounts_in(connection: Connection) -> int:
    """How many accounts a store holds; a store of a release without accounts holds none."""
    if not has_table(connection, "account"):
        return 0
    return int(connection.execute("SELECT count(*) FROM account").fetchone()[0])


def held(connection: Connection) -> Mark:
    """The mark of a store as it is now. Reads the rows that were not checked before."""
    last, h = last_of(connection)
    return mark_of(last, count_rows(connection, read_checked(connection)), h, accounts_in(connection))


def check(connection: Connection, mark: Mark | None, count: int) -> None:
    """
    Check that a store holds at least as much as its mark says.

    :param mark: `None` if there is no file
    :param count: of all rows that were ever added to the store
    :raises Loss: the store holds less, or something else
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
    h = _hash_at(connection, mark.last)
    if h is None or mark_of(mark.last, mark.count, h, mark.accounts).seal != mark.seal:
        raise Loss(f"row {mark.last} is not the one that was recorded: this is another journal, or it was changed")


def _rows_behind(connection: Connection, seq: int, last: int) -> int:
    """How many rows were added behind a mark. Commits count without a gap, and go on behind the rows of an older schema."""
    if has_table(connection, "recent") and connection.execute("SELECT count(*) FROM recent").fetchone()[0]:
        return last - seq
    return int(connection.execute("SELECT count(*) FROM event WHERE seq > ?", (seq,)).fetchone()[0])


def _hash_at(connection: Connection, seq: int) -> bytes | None:
    """The hash of the commit with this number, or of the row; `None`: there is neither."""
    for table in ("recent", "event"):
        if has_table(connection, table):
            found = connection.execute(f"SELECT h FROM {table} WHERE seq = ?", (seq,)).fetchone()
            if found is not None:
                return bytes(found[0])
    return None


_MAGIC = b"gamehost"
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
        fields = _FIELDS.pack(_MAGIC, last, count, accounts, h)
        self._memory[:] = fields + _CHECKSUM.pack(crc32(fields))

    def remove(self) -> None:
        """The store was closed in order: the mark says all."""
        self._memory.close()
        self._path.unlink(missing_ok=True)


def read_last_commit(path: Path) -> Mark | None:
    """What was noted; `None` if there is no such file, or if it is not whole."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    if len(data) != _SIZE or _CHECKSUM.unpack(data[_FIELDS.size :])[0] != crc32(data[: _FIELDS.size]):
        return None
    magic, last, count, accounts, h = _FIELDS.unpack_from(data)
    return mark_of(last, count, h, accounts) if magic == _MAGIC else None
