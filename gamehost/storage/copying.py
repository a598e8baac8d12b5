"""
Making a store from another store: a copy of a whole journal, or an archive of old tables, which are moved out of the
journal.

Every store numbers its rows, and the numbers are a part of the chain of hashes. So each table is checked with the old
chain, and gets a new chain unless both stores are files.

A copy also contains accounts, bans, the up-time and the notes about unfinished tables. Proofs are not copied: they need
the key that is beside the old store, and each account proves its password again at its next log-in. The finished copy
is read and compared with its source.

An archive is complete and on the disk before its tables are removed from the journal, in one transaction. So after an
interruption each table is still in the journal, and perhaps in the archive, too.
"""

import itertools
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from sqlite3 import Connection

from attrs import astuple, frozen

from gamehost.journal.records import StoreUnusable
from gamehost.storage.contents import read_accounts, read_bans, read_opened, read_uptime
from gamehost.storage.database import SqliteDatabase, place, refusing
from gamehost.storage.databases import kind_of, usable_kind_of
from gamehost.storage.inspect import (
    Inspector,
    Pruned,
    check_archive,
    copy_notes,
    new_store,
    reading,
    renumbered,
    write_archive,
)
from gamehost.storage.own import read_all_kept, read_all_own, read_leaves
from gamehost.storage.sidecar import CheckedRows, count_moved, read_checked, write_checked
from gamehost.storage.store import resolved


@contextmanager
def inspecting(store: str, alone: bool = False) -> Iterator[Inspector]:
    """
    A context that opens a journal for reading.

    :param store: a file, or the address of a database
    :param alone: refuse a database that a host uses, and keep hosts out meanwhile
    :raises StoreUnusable: there is no such journal, it cannot be used, or psycopg is not installed
    """
    kind = usable_kind_of(store)
    with reading(Path(store)) if kind is None else kind.reading(store, alone) as inspector:
        yield inspector


@frozen
class Copied:
    """
    How much a store contains, and a hash of its contents. Equal contents in two stores have the same hash: the numbers
    and hashes of rows are left out.
    """

    tables: int
    rows: int
    accounts: int
    content: str


def copy_store(source: str, target: str) -> Copied:
    """
    Copy a whole journal, and compare the copy with its source.

    :param source: a file, or the address of a database, that no host uses
    :param target: a new file, or the address of an empty database
    :raises StoreUnusable: a store cannot be used, the source is damaged, or the copy is not equal to its source
    """
    usable_kind_of(target)  # fails early: reading the source may take long
    with inspecting(source, alone=True) as reader:
        findings = reader.verify()
        if findings.faults:
            raise StoreUnusable(f"the journal has faults: {findings.faults[0]}; nothing was copied")
        expected = _content(reader)
        with _filled(target, reader) as copy:
            findings = copy.verify()
            if findings.faults or _content(copy) != expected:
                raise StoreUnusable(f"the copy is not equal to the journal {findings.faults[:1]}; it was not kept")
    return expected


@contextmanager
def _filled(store: str, reader: Inspector) -> Iterator[Inspector]:
    """A context that fills a new store from an open one, and gives an inspector of the new store."""
    if (kind := kind_of(store)) is not None:
        # A database has a way of its own.
        with kind.filled(store, reader) as copy:
            yield copy
        return

    def fill(database: SqliteDatabase) -> None:
        notes = ((note.table, note.since, note.told, note.due) for note in reader.notes())
        database.run_many("INSERT INTO live(game, since, told, due) VALUES (?, ?, ?, ?)", notes)
        copy_notes(reader.database, database)

    # The rows get new numbers from 1, and so new hashes.
    tables = renumbered(reader, itertools.count(1))
    with new_store(Path(store).absolute(), tables, fill) as (part, _), reading(part) as inspector:
        yield inspector


def _content(reader: Inspector) -> Copied:
    """Count and hash everything in a store that must be the same in a copy."""
    tables = rows = 0
    content = sha256()
    for row in reader.everything():
        rows += 1
        # Each table has one row with the number 0.
        tables += row.n == 0
        # All columns but the number of the row and its hash, which are new in a copy.
        content.update(repr(row[1:7]).encode("ascii"))
    accounts = sorted(read_accounts(reader.database), key=attrgetter("key"))
    for account in accounts:
        digest = account.digest
        content.update(repr((account.name, account.shown, digest.cost, digest.salt, digest.hash)).encode())
    bans = sorted(read_bans(reader.database), key=attrgetter("key"))
    database = reader.database
    notes = reader.notes(), bans, read_uptime(database), list(read_opened(database)), read_all_own(database)
    content.update(repr((*notes, read_leaves(database), list(map(astuple, read_all_kept(database))))).encode())
    return Copied(tables, rows, len(accounts), content.hexdigest())


def prune(store: str, before_ms: int, archive: Path) -> Pruned:
    """
    Move old finished tables to an archive. If there are none, no archive is made.

    :param store: a file that no host has open, or the address of a database
    :param before_ms: finished tables that were opened before this moment are moved; milliseconds since 1970
    :param archive: a file that does not exist yet
    :raises StoreUnusable: the store cannot be used, a table is damaged, or the archive cannot be written
    """
    if (kind := usable_kind_of(store)) is not None:
        pruned: Pruned = kind.prune(store, before_ms, archive)
        return pruned
    # Imported here: this module imports the host's log, which other commands do not need.
    from gamehost.storage.sqlite import open_files

    path = resolved(Path(store))
    with refusing(path, "a host", "stop it first"):
        if not path.exists():
            raise StoreUnusable("there is no such journal")
        check_archive(archive)
        files = open_files(path, accept_loss=False, wall=time.time, has_space=True)
        try:
            files.begin(has_space=True)
            moved = _move(files.store.connection, before_ms, archive)
            files.store.load_ends()
        finally:
            files.close()
    return moved


def _move(connection: Connection, before_ms: int, archive: Path) -> Pruned:
    """Move the old finished tables of an open store to an archive."""
    # Complete the index of rows, because the archive is made with it.
    database = SqliteDatabase(connection)
    last = database.rows("SELECT coalesce(max(seq), 0) FROM event")[0][0]
    connection.execute("BEGIN IMMEDIATE")
    place(database, last)
    connection.execute("COMMIT")
    # Write the archive to the disk.
    tables, rows = write_archive(database, before_ms, archive)
    if not tables:
        return Pruned(0, 0)
    # Remove its tables from the store, in one transaction.
    checked = read_checked(connection)
    # How many rows are left in the store: all rows that were ever added, without those moved earlier and now.
    remaining = count_moved(connection, checked) - checked.pruned - rows
    connection.execute("BEGIN IMMEDIATE")
    numbers = [(table,) for table in tables]
    connection.executemany("DELETE FROM event WHERE seq IN (SELECT seq FROM placed WHERE game = ?)", numbers)
    connection.executemany("DELETE FROM placed WHERE game = ?", numbers)
    connection.execute("DELETE FROM finished WHERE first NOT IN (SELECT seq FROM event)")
    connection.execute("DELETE FROM listed WHERE game NOT IN (SELECT game FROM finished)")
    write_checked(connection, CheckedRows(last, remaining, checked.pruned + rows))
    connection.execute("COMMIT")
    with suppress(sqlite3.Error):  # without free space the file does not shrink; new rows use the room later
        connection.execute("VACUUM")
    return Pruned(len(tables), rows)
