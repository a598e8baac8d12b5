"""
Reading a store in PostgreSQL while hosts use it, also on a standby; and a database as one end of a copy.

Everything is read as it was at one moment.
"""

import platform
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import count, repeat
from pathlib import Path
from typing import NoReturn

from gamehost.journal.records import StoreUnusable
from gamehost.storage.inspect import Inspector
from gamehost.storage.match_lists import MatchLists
from gamehost.storage.postgresql import BACKUP
from gamehost.storage.postgresql.lives import note_list
from gamehost.storage.postgresql.session import (
    STORE_LOCK,
    Session,
    check_for_writing,
    connect,
    migrate,
    refusing,
    schema_version,
    schemas,
)
from gamehost.storage.prune import Pruned, checked_tables, old_tables, write_archive
from gamehost.storage.row_codec import rechained


class PostgresInspector(Inspector):
    """A journal that is open for reading. Made by `reading_postgresql`."""

    def back_up(self, target: Path) -> NoReturn:
        """
        :raises StoreUnusable: always; the message says what copies a database
        """
        raise StoreUnusable(BACKUP)


@contextmanager
def reading_postgresql(store: str) -> Iterator[PostgresInspector]:
    """
    Open a journal for reading.

    :raises StoreUnusable: there is none, or another release wrote it
    """
    with refusing(store), closing(connect(store, read_only=True)) as session:
        session.run("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        check_schema(session)
        yield PostgresInspector(session)


def check_schema(session: Session) -> None:
    """
    :raises StoreUnusable: there is no journal of this release in the database
    """
    version = schema_version(session)
    if version == 0:
        raise StoreUnusable("there is no journal in this database")
    if version < len(schemas()):
        raise StoreUnusable(
            "the journal was written by an older release; start a host on it once, or read it with that"
        )


def prune_postgresql(store: str, before_ms: int, archive: Path) -> Pruned:
    """
    Move tables to an archive. If there are none, no archive is made.

    :param before_ms: finished tables that were opened before this moment are moved; milliseconds since 1970
    :param archive: a file that does not exist yet
    :raises StoreUnusable: the store cannot be used, a table is damaged, or the archive cannot be written
    """
    with refusing(store), closing(connect(store)) as session:
        if archive.exists():
            raise StoreUnusable(f"{archive}: this file exists; name a new file")
        check_schema(session)
        if not (tables := old_tables(session, before_ms)):
            return Pruned(0, 0)
        numbers = count(1)
        try:
            rows = write_archive(archive, (rechained(rows, numbers) for rows in checked_tables(session, tables)))
        except OSError as error:
            raise StoreUnusable(f"{archive}: {error.strerror}") from error
        session.run("BEGIN")
        session.run("DELETE FROM event WHERE game = ANY(%s)", (tables,))
        session.run("DELETE FROM listed WHERE game = ANY(%s)", (tables,))
        session.run("COMMIT")
    return Pruned(len(tables), rows)


#: Seconds for which the lock of a host that has just ended is waited for.
LOCK_PATIENCE = 2.0

_KEPT = ("event", "live", "account", "ban", "proof")
_COPY = "COPY event(epoch, game, n, at_ms, kind, seat, body, h) FROM STDIN (FORMAT BINARY)"
_TYPES = ("int8", "int8", "int4", "int8", "int2", "int2", "bytea", "bytea")


@contextmanager
def source(store: str) -> Iterator[Inspector]:
    """
    A database to copy from, which no host uses meanwhile.

    :raises StoreUnusable: it cannot be used
    """
    with refusing(store), closing(connect(store)) as session:
        _take(session, store)
        check_schema(session)
        session.run("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield PostgresInspector(session)


@contextmanager
def filled(store: str, reader: Inspector) -> Iterator[Inspector]:
    """
    A database with everything that a reader gives. It is kept if nothing is raised in here.

    :raises StoreUnusable: it cannot be used, or is not empty
    """
    with refusing(store), closing(connect(store)) as session:
        _take(session, store)
        if schema_version(session):
            check_schema(session)
            if any(session.rows(f"SELECT 1 FROM {table} LIMIT 1") for table in _KEPT):
                raise StoreUnusable("there is something in this store; make an empty database with createdb")
        migrate(session)
        session.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        _fill(session, reader)
        yield PostgresInspector(session)
        session.run("COMMIT")


def _take(session: Session, store: str) -> None:
    """Take the lock of the store: no host has it, and none can begin."""
    check_for_writing(session, partial(connect, store))
    if not session.lock(STORE_LOCK, LOCK_PATIENCE, time.monotonic, time.sleep):
        raise StoreUnusable(f"a host{session.owner_of_lock(STORE_LOCK)} has this journal open; stop it first")


def _fill(session: Session, reader: Inspector) -> None:
    life = "INSERT INTO member(name, ended) VALUES (%s, now()) RETURNING epoch"
    epoch = session.rows(life, (f"copy on {platform.node()}",))[0][0]
    session.copy(_COPY, _TYPES, (row for rows in reader.renumbered(repeat(epoch)) for row in rows))
    MatchLists(session, has_ends=False).make()
    for note in reader.notes():
        values = (note.table, epoch, note.since, note.told)
        session.run("INSERT INTO live(game, owner, since, told) VALUES (%s, %s, %s, %s)", values)
    note_list(session)
    reader.copy_notes(session)
