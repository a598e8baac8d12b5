"""
Moving finished tables from a store into an archive, which is a store of its own.

The archive is complete and on the disk before anything is removed, and everything is removed in one transaction. So if
this is interrupted, each table is in the store, and perhaps in the archive too.
"""

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from attrs import frozen

from gamehost.journal.records import StoreUnusable
from gamehost.storage import high_water_mark
from gamehost.storage.database import Connection, SqliteDatabase, insert_tables, migrate, place, refusing
from gamehost.storage.files import resolved
from gamehost.storage.high_water_mark import CheckedRows, count_rows, read_checked, write_checked
from gamehost.storage.match_lists import MatchLists
from gamehost.storage.reads import Database, Sql, TableRows
from gamehost.storage.row_codec import Damaged, Row, Undecodable, chain_of, finishes, read_entry
from gamehost.storage.sidecar import replace, sidecar_path, sync_folder
from gamehost.storage.sqlite import open_files

#: Tables that were opened before a moment and are not listed as unfinished. The newest table, and in a file the one with the
#: last row, stay, because new numbers are counted from them.
_OLD = Sql(
    """SELECT placed.game FROM placed JOIN event USING(seq)
    WHERE placed.n = 0 AND event.at_ms < ? AND placed.game NOT IN (SELECT game FROM live)
    AND placed.game < (SELECT max(game) FROM placed)
    AND placed.game != (SELECT game FROM event ORDER BY seq DESC LIMIT 1) ORDER BY placed.game""",
    """SELECT game FROM event WHERE n = 0 AND at_ms < ? AND game NOT IN (SELECT game FROM live)
    AND game < (SELECT max(game) FROM event) ORDER BY game""",
)


@frozen
class Pruned:
    """How much was moved."""

    tables: int
    rows: int


def prune(path: Path, before_ms: int, archive: Path) -> Pruned:
    """
    Move tables to an archive. If there are none, no archive is made.

    :param path: a store that no host has open
    :param before_ms: finished tables that were opened before this moment are moved; milliseconds since 1970
    :param archive: a file that does not exist yet
    :raises StoreUnusable: the store cannot be used, a table is damaged, or the archive cannot be written
    """
    path = resolved(path)
    with refusing(path, "a host", "stop it first"):
        if not path.exists():
            raise StoreUnusable("there is no such journal")
        if archive.exists():
            raise StoreUnusable(f"{archive}: this file exists; name a new file")
        files = open_files(path, accept_loss=False, wall=time.time, has_space=True)
        try:
            files.begin(guard=False, has_space=True)
            moved = _move(files.store.connection, before_ms, archive)
            files.store.load_ends()
        finally:
            files.close()
    return moved


def _move(connection: Connection, before_ms: int, archive: Path) -> Pruned:
    database = SqliteDatabase(connection)
    last = database.rows("SELECT coalesce(max(seq), 0) FROM event")[0][0]
    connection.execute("BEGIN IMMEDIATE")
    place(database, last)
    connection.execute("COMMIT")
    tables = old_tables(database, before_ms)
    if not tables:
        return Pruned(0, 0)
    rows = write_archive(archive, checked_tables(database, tables))
    checked = read_checked(connection)
    remaining = count_rows(connection, checked) - checked.pruned - rows
    connection.execute("BEGIN IMMEDIATE")
    numbers = [(table,) for table in tables]
    connection.executemany("DELETE FROM event WHERE seq IN (SELECT seq FROM placed WHERE game = ?)", numbers)
    connection.executemany("DELETE FROM placed WHERE game = ?", numbers)
    connection.execute("DELETE FROM finished WHERE first NOT IN (SELECT seq FROM event)")
    connection.execute("DELETE FROM listed WHERE game NOT IN (SELECT game FROM finished)")
    write_checked(connection, CheckedRows(last, remaining, checked.pruned + rows))
    connection.execute("COMMIT")
    with suppress(sqlite3.Error):  # without room for that, the file keeps its size, and new rows fill it
        connection.execute("VACUUM")
    return Pruned(len(tables), rows)


def old_tables(database: Database, before_ms: int) -> list[int]:
    """The finished tables that were opened before a moment, and can be moved."""
    return [row[0] for row in database.rows(_OLD, (before_ms,))]


def checked_tables(database: Database, tables: Iterable[int]) -> Iterator[list[Row]]:
    """
    The rows of each table.

    :raises StoreUnusable: a table is damaged, or not finished
    """
    reads = TableRows(database)
    for table in tables:
        rows = reads.rows(table)
        check_finished(table, rows)
        yield rows


def check_finished(table: int, rows: Sequence[Any]) -> None:
    """
    Check a table that is to be moved.

    :param rows: all its rows, in the order of the columns
    :raises StoreUnusable: it is damaged, or not finished
    """
    try:
        chain_of(rows)
        finished = len(rows) > 1 and finishes(read_entry(Row._make(rows[-1])))
    except (Damaged, Undecodable) as error:
        raise StoreUnusable(f"{error}; nothing was moved") from error
    if not finished:
        raise StoreUnusable(f"table {table}: it is not finished, and not listed as unfinished; nothing was moved")


def write_archive(archive: Path, tables: Iterator[Sequence[Any]]) -> int:
    """
    Make a store of these tables.

    :returns: how many rows it has
    :raises OSError: it cannot be written
    """
    new = archive.with_name(archive.name + ".new")
    new.unlink(missing_ok=True)
    os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with closing(sqlite3.connect(new, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous=FULL")
            migrate(connection, 0)
            connection.execute("BEGIN IMMEDIATE")
            insert_tables(database := SqliteDatabase(connection), tables)
            MatchLists(database, has_ends=True).make()
            connection.execute("COMMIT")
            held = high_water_mark.held(connection)
        replace(sidecar_path(archive, high_water_mark.SUFFIX), high_water_mark.write_mark(held))
        os.replace(new, archive)
        sync_folder(archive.parent)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    return held.count
