"""
Checks of a store before its first use: no other process has it, it is a journal, its schema is known, and its writes
are durable. A store that fails a check is refused.

A connection is in autocommit mode: only BEGIN begins a transaction.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from sqlite3 import Connection
from typing import Any
from weakref import WeakValueDictionary

from attrs import define

from gamehost import __version__
from gamehost.journal.records import StoreUnusable
from gamehost.storage.questions import COLUMNS, Sql, schemas_of

#: In the file's header, so that another program's database does not count as a journal: `game` in ASCII.
APPLICATION = 0x67616D65

#: Name, wanted value, and the value that SQLite must report afterwards. SQLite ignores some requests without an error,
#: for instance WAL mode on a file system without shared memory.
PRAGMAS = (
    ("journal_mode", "WAL", "wal"),
    ("synchronous", "FULL", 2),
    ("wal_autocheckpoint", "1000", 1000),
    ("foreign_keys", "ON", 1),
    ("trusted_schema", "OFF", 0),
    ("cell_size_check", "ON", 1),
)

#: How many rows `placed` has, how many of them are right, and how many it must have.
_COUNTS = (
    "SELECT count(*) FROM placed WHERE ? >= 0",
    "SELECT count(*) FROM placed AS p JOIN event AS e USING(seq) WHERE p.game = e.game AND p.n = e.n AND p.seq <= ?",
    "SELECT count(*) FROM event WHERE seq <= ?",
)

#: The stores that this process has open, by device and number of the file.
_OURS: WeakValueDictionary[tuple[int, int], object] = WeakValueDictionary()


@contextmanager
def refusing(path: Path, user: str, advice: str) -> Iterator[None]:
    """
    Turns errors of SQLite and of the system into messages for the owner of the host.

    :param user: what another process that has this store open is called, for instance `another host`
    :param advice: what the owner can do about that process
    :raises StoreUnusable: for every error of SQLite or of the system
    """
    try:
        if not path.parent.is_dir():
            raise StoreUnusable(f"the folder {path.parent} does not exist; make it, or name another store")
        if path.is_dir():
            raise StoreUnusable("this is a folder; the store is a file")
        yield
    except StoreUnusable as error:
        raise StoreUnusable(f"{path}: {error}") from error
    except InThisProcess as error:
        raise StoreInUse(f"{path}: {user} has this journal open; {advice}") from error
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            process = lock_owner(path)
            number = "" if process is None else f" (process {process})"
            raise StoreInUse(f"{path}: {user}{number} has this journal open; {advice}") from error
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise StoreUnusable(f"{path}: not a journal, or a damaged one ({error})") from error
        raise StoreUnusable(f"{path}: SQLite cannot use this store ({error})") from error
    except OSError as error:
        raise StoreUnusable(f"{path}: {error.strerror or type(error).__name__}") from error


def lock_owner(path: Path, locks: Path = Path("/proc/locks")) -> int | None:
    """
    The number of another process that has locked a file; `None` if the system does not tell, as outside of Linux.

    :param locks: the system's list of file locks. The file itself is not opened: to close it would drop our own locks.
    """
    try:
        status = path.stat()
        lines = locks.read_text("ascii").splitlines()
    except (OSError, ValueError):
        return None
    file = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for line in lines:
        fields = line.split()
        if len(fields) == 8 and fields[5] == file and fields[4].isdecimal() and int(fields[4]) not in (0, os.getpid()):
            return int(fields[4])
    return None


def claim(path: Path, owner: object) -> None:
    """Note that this process has a store open, as long as the owner is there or until `release`."""
    _OURS[_identity(path)] = owner


def release(path: Path) -> None:
    """This process has a store open no more."""
    with suppress(OSError):
        _OURS.pop(_identity(path), None)


def check_unclaimed(path: Path) -> None:
    """
    Check that this process does not have a store open: the lock of `connect` is for other processes.

    :raises InThisProcess: it has
    """
    if path.exists() and _identity(path) in _OURS:
        raise InThisProcess


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


class InThisProcess(Exception):
    """This process has the store open."""


class StoreInUse(StoreUnusable):
    """Another process has the store open."""


class Loss(StoreUnusable):
    """Something that was durable is missing or changed. The owner of the host may accept that."""


@define(eq=False)
class SqliteDatabase:
    """As `gamehost.storage.questions.Database`, over a connection."""

    connection: Connection
    #: Whether the store has `placed`: one of an older schema has none. Call `find_schema` when that may have changed.
    _placed: bool = True
    #: Whether it has `recent`.
    has_recent: bool = True

    def find_schema(self) -> bool:
        """
        Find out what the store's schema has: whether it has `placed`, and `recent`.

        :raises StoreUnusable: the store was changed
        """
        self._placed, self.has_recent = (has_table(self.connection, name) for name in ("placed", "recent"))
        if self._placed and (ends := len(self.rows("SELECT seq FROM placed_to"))) != 1:
            raise StoreUnusable(
                f"the journal was changed: its table 'placed_to' has {ends} rows instead of one; "
                "put back the newest copy that `gamehost journal verify` passes"
            )
        return self._placed

    def _text(self, sql: Sql | str) -> str:
        if isinstance(sql, str):
            return sql
        return sql.sqlite if self._placed or not sql.unplaced else sql.unplaced

    def rows(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> list[Any]:
        # All at once: a cursor that damage leaves half read would keep the file open.
        return self.connection.execute(self._text(sql), parameters).fetchall()

    def stream(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> Iterator[Any]:
        yield from self.connection.execute(self._text(sql), parameters)

    def run(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> None:
        self.connection.execute(self._text(sql), parameters)

    def run_many(self, sql: Sql | str, rows: Iterable[Sequence[Any]]) -> None:
        self.connection.executemany(self._text(sql), rows)


def connect(path: Path) -> sqlite3.Connection:
    """
    A connection to the store of this process, as there may be several. No other process can open the store meanwhile.

    With `unix-excl` the first lock on the file is exclusive, and is held until this process has closed its last connection.
    The log's index is in this process's memory and not in a file, so the connections of other processes have none. An
    exclusive locking mode would do the same, and keep a second connection of this process out, too.

    :param path: absolute
    """
    # There is one statement for each number of rows, and all of them stay prepared.
    return sqlite3.connect(
        f"{path.as_uri()}?vfs=unix-excl", uri=True, isolation_level=None, check_same_thread=False, cached_statements=300
    )


def lock(connection: Connection) -> int:
    """
    Lock the store for the process of a connection that `connect` has made. Writes nothing.

    :returns: the schema of the store; 0 for an empty one
    :raises StoreUnusable: it is not a journal, or a newer release made it
    :raises Exception: an error of the library, for instance because another process has locked the store
    """
    connection.execute("PRAGMA busy_timeout=0")
    connection.execute("PRAGMA cell_size_check=ON")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("COMMIT")
    connection.execute("PRAGMA synchronous=FULL")
    return schema_version(connection)


def make_durable(connection: Connection) -> None:
    """
    Make the commits of a locked store durable. This may write to a store that is new, or not of a host.

    :raises StoreUnusable: its writes would not be durable
    """
    for name, wanted, expected in PRAGMAS:
        connection.execute(f"PRAGMA {name}={wanted}").fetchall()
        found = ask(connection, name)
        if found != expected:
            raise StoreUnusable(
                f"SQLite cannot set {name} to {wanted} for this store, so no move in it would be durable; "
                "keep it on a local file system"
            )


def ask(connection: Connection, pragma: str) -> Any:
    return connection.execute(f"PRAGMA {pragma}").fetchone()[0]


def has_table(connection: Connection, name: str) -> bool:
    """Whether the store has a table of this name: one of an older schema may lack it."""
    found = connection.execute("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", (name,))
    return bool(found.fetchone()[0])


def schema_version(connection: Connection) -> int:
    """
    The store's schema, 0 for a store that is empty.

    :raises StoreUnusable: another program's database, or a newer release's
    """
    version = int(ask(connection, "user_version"))
    used = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if (version or used) and ask(connection, "application_id") != APPLICATION:
        raise StoreUnusable("this is a database, but not a journal of gamehost; name another file")
    newest = len(schemas())
    if version > newest:
        raise StoreUnusable(
            f"the journal is of schema {version}, and this release, gamehost {__version__}, knows schemas up to {newest}; "
            "start the release that wrote it, or a newer one. To go back to this release, start it on the copy that "
            f"the newer one has left beside the journal before it changed it, such as PATH.schema-{newest}; "
            "what was played since then is not in it"
        )
    return version


def schemas() -> list[str]:
    """The steps from an empty store to the newest schema, in order."""
    return schemas_of("gamehost.storage")


def migrate(connection: Connection, version: int, fill: Callable[[], None] = lambda: None) -> None:
    """
    Convert a store to the newest schema, in one transaction.

    :param fill: called in it when all tables are there, unless the store is empty: fills those that are made of rows
    """
    steps = schemas()[version:]
    if not steps:
        return
    connection.execute("BEGIN IMMEDIATE")
    for step in steps:
        for statement in statements(step):
            connection.execute(statement)
    if version:
        fill()
    connection.execute(f"PRAGMA application_id={APPLICATION}")
    connection.execute(f"PRAGMA user_version={version + len(steps)}")
    connection.execute("COMMIT")


def statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def place(database: SqliteDatabase, last: int) -> None:
    """Extend `placed` up to the row `last`. Within a transaction."""
    # With OR ROLLBACK a failure ends the transaction. To undo only the statement, SQLite would need a temporary file.
    new = "SELECT game, n, seq FROM event WHERE seq > (SELECT seq FROM placed_to) ORDER BY game, n"
    database.run(f"INSERT OR ROLLBACK INTO placed {new}")
    database.run("UPDATE placed_to SET seq = ?", (last,))


def placed_faults(database: SqliteDatabase) -> list[str]:
    """The faults, one sentence each: `placed` must have every row up to the last step, and no other."""
    ends = database.rows("SELECT seq FROM placed_to")
    if len(ends) != 1:
        return [f"the index has {len(ends)} ends instead of one"]
    placed, right, rows = (database.rows(count, ends[0])[0][0] for count in _COUNTS)
    if placed == right == rows:
        return []
    return [f"the index has {placed} rows, {right} of them right, and must have {rows}"]


def insert_tables(database: SqliteDatabase, tables: Iterable[Sequence[Any]]) -> None:
    """
    Insert tables into an empty store, and place all rows. Within a transaction.

    :param tables: the rows of each, with the numbers that they get
    """
    for rows in tables:
        database.run_many(f"INSERT INTO event({COLUMNS.sqlite}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    place(database, database.rows("SELECT coalesce(max(seq), 0) FROM event")[0][0])
