"""
Copying a whole journal from one store to another, of either kind: `gamehost journal copy`.

The numbers that a store chains into its hashes are its own. So each table is checked with the old chain, and gets a new one.
Accounts, bans, up-time and the notes of unfinished tables are copied too. Proofs are not: they are of use with their key only,
and each account proves its password again at its next log-in.

The copy is read again and compared before it counts.
"""

import itertools
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from operator import attrgetter
from pathlib import Path

from attrs import frozen

from gamehost.journal.records import StoreUnusable
from gamehost.storage import high_water_mark
from gamehost.storage.backup import kept_if_whole, new_part, publish, sync_file
from gamehost.storage.database import SqliteDatabase, insert_tables, migrate
from gamehost.storage.inspect import Inspector, reading
from gamehost.storage.match_lists import MatchLists
from gamehost.storage.postgresql import is_postgresql, require_psycopg
from gamehost.storage.sidecar import replace, sidecar_path


@frozen
class Copied:
    """How much was copied, and a hash of all of it but the numbers and hashes that are the store's own."""

    tables: int
    rows: int
    accounts: int
    content: str


def copy_store(source: str, target: str) -> Copied:
    """
    :param source: a file, or the address of a database; no host has it open
    :param target: a new file, or the address of an empty database
    :raises StoreUnusable: a store cannot be used, the source is damaged, or the copy is not equal to it
    """
    if is_postgresql(source) or is_postgresql(target):
        require_psycopg()
    with _opened(source) as reader:
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
def _opened(store: str) -> Iterator[Inspector]:
    if is_postgresql(store):
        from gamehost.storage.postgresql.inspect import source

        with source(store) as reader:
            yield reader
    else:
        with reading(Path(store)) as inspector:
            yield inspector


@contextmanager
def _filled(store: str, reader: Inspector) -> Iterator[Inspector]:
    if is_postgresql(store):
        from gamehost.storage.postgresql.inspect import filled

        with filled(store, reader) as copy:
            yield copy
        return
    target = Path(store).absolute()
    part = new_part(target, force=False)
    with kept_if_whole(part, target):
        _fill(part, reader)
        with reading(part) as inspector:
            yield inspector
        publish(part, target, force=False)


def _fill(part: Path, reader: Inspector) -> None:
    """Make an SQLite store of what a reader gives, with its high-water mark."""
    with closing(sqlite3.connect(part, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=OFF")
        connection.execute("PRAGMA synchronous=OFF")
        migrate(connection, 0)
        connection.execute("BEGIN IMMEDIATE")
        insert_tables(database := SqliteDatabase(connection), reader.renumbered(itertools.count(1)))
        MatchLists(database, has_ends=True).make()
        notes = ((note.table, note.since, note.told) for note in reader.notes())
        connection.executemany("INSERT INTO live(game, since, told) VALUES (?, ?, ?)", notes)
        reader.copy_notes(database)
        connection.execute("COMMIT")
        held = high_water_mark.held(connection)
    sync_file(part)
    replace(sidecar_path(part, high_water_mark.SUFFIX), high_water_mark.write_mark(held))


def _content(reader: Inspector) -> Copied:
    tables = rows = 0
    content = sha256()
    for row in reader.everything():
        rows += 1
        tables += row.n == 0
        content.update(repr(row[1:7]).encode("ascii"))
    accounts = sorted(reader.accounts(), key=attrgetter("key"))
    for account in accounts:
        digest = account.digest
        content.update(repr((account.name, digest.cost, digest.salt, digest.hash)).encode())
    others = (reader.notes(), sorted(reader.bans(), key=attrgetter("key")), reader.uptime)
    content.update(repr(others).encode())
    return Copied(tables, rows, len(accounts), content.hexdigest())
