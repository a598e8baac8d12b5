"""A database as one end of `gamehost journal copy`."""

import platform
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import repeat

from gamehost.journal.records import StoreUnusable
from gamehost.storage.changes import AddAccount, PutBan
from gamehost.storage.copying import StoreReader, tables_with
from gamehost.storage.postgresql.inspect import PostgresInspector, check_schema
from gamehost.storage.postgresql.lists import make_lists
from gamehost.storage.postgresql.notes import write_note
from gamehost.storage.postgresql.opening import STORE_LOCK, refusing
from gamehost.storage.postgresql.schema import migrate, schema_version
from gamehost.storage.postgresql.session import Session, check_for_writing, connect
from gamehost.storage.postgresql.unfinished import note_list

#: Seconds for which the lock of a host that has just ended is waited for.
LOCK_PATIENCE = 2.0

_KEPT = ("event", "live", "account", "ban", "proof")
_COPY = "COPY event(epoch, game, n, at_ms, kind, seat, body, h) FROM STDIN (FORMAT BINARY)"
_TYPES = ("int8", "int8", "int4", "int8", "int2", "int2", "bytea", "bytea")


@contextmanager
def source(store: str) -> Iterator[StoreReader]:
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
def filled(store: str, reader: StoreReader) -> Iterator[StoreReader]:
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


def _fill(session: Session, reader: StoreReader) -> None:
    life = "INSERT INTO member(name, ended) VALUES (%s, now()) RETURNING epoch"
    epoch = session.rows(life, (f"copy on {platform.node()}",))[0][0]
    session.copy(_COPY, _TYPES, (row for rows in tables_with(reader, repeat(epoch)) for row in rows))
    make_lists(session)
    for note in reader.notes():
        values = (note.table, epoch, note.since, note.told)
        session.run("INSERT INTO live(game, owner, since, told) VALUES (%s, %s, %s, %s)", values)
    note_list(session)
    session.run("UPDATE uptime SET seconds = %s", (reader.uptime,))
    for account in reader.accounts():
        write_note(AddAccount(account), session)
    for ban in reader.bans():
        write_note(PutBan(ban), session)
