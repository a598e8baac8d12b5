"""
Reading a store in PostgreSQL while hosts use it, also on a standby; and a database as one end of a copy.

Everything is read as it was at one moment.
"""

import platform
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count, repeat
from pathlib import Path

from attrs import define

from gamehost.extras.cluster.postgresql.members import NOTE_LIST, note_faults, note_removed
from gamehost.extras.cluster.postgresql.session import (
    STORE_LOCK,
    Session,
    connect,
    connect_for_writing,
    has_tables,
    make_tables,
    or_closed,
    refusing,
)
from gamehost.journal.records import StoreUnusable
from gamehost.storage.inspect import Findings, Inspector, Pruned, check_archive, copy_notes, renumbered, write_archive
from gamehost.storage.questions import MatchLists

#: Seconds for which the lock of a host that has just ended is waited for.
LOCK_PATIENCE = 2.0


@define(eq=False)
class DatabaseInspector(Inspector):
    """A journal in a database, as it was at one moment."""

    database: Session

    def _check_index(self, findings: Findings) -> None:
        known = {fault.partition(":")[0] for fault in findings.faults}
        findings.faults += [fault for fault in note_faults(self.database) if fault.partition(":")[0] not in known]


@contextmanager
def reading_postgresql(store: str, alone: bool = False) -> Iterator[Inspector]:
    """
    Open a journal for reading.

    :param alone: no host may use it meanwhile
    :raises StoreUnusable: there is none, it cannot be used, or another release wrote it
    """
    with refusing(store), closing(_alone(store) if alone else connect(store, read_only=True)) as session:
        session.run("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        check_tables(session)
        yield DatabaseInspector(session)


def check_tables(session: Session) -> None:
    """
    :raises StoreUnusable: there is no journal of this release in the database
    """
    if not has_tables(session):
        raise StoreUnusable("there is no journal in this database")


def prune_postgresql(store: str, before_ms: int, archive: Path) -> Pruned:
    """As `gamehost.storage.copying.prune`."""
    with refusing(store), closing(connect(store)) as session:
        check_archive(archive)
        check_tables(session)
        tables, rows = write_archive(session, before_ms, archive, count(1))
        session.run("BEGIN")
        note_removed(session, tables)
        session.run("DELETE FROM event WHERE game = ANY(%s)", (tables,))
        session.run("DELETE FROM listed WHERE game = ANY(%s)", (tables,))
        session.run("COMMIT")
    return Pruned(len(tables), rows)


_KEPT = ("event", "live", "opened", "own", "kept", "account", "ban", "proof")
_COPY = "COPY event(epoch, game, n, at_ms, kind, seat, body, h) FROM STDIN (FORMAT BINARY)"
_TYPES = ("int8", "int8", "int4", "int8", "int2", "int2", "bytea", "bytea")


@contextmanager
def filled(store: str, reader: Inspector) -> Iterator[Inspector]:
    """
    A database with all rows of a reader. It is committed if the `with` block raises nothing.

    :raises StoreUnusable: it cannot be used, or is not empty
    """
    with refusing(store), closing(_alone(store)) as session:
        if has_tables(session) and any(session.rows(f"SELECT 1 FROM {table} LIMIT 1") for table in _KEPT):
            raise StoreUnusable("there is something in this store; make an empty database with createdb")
        make_tables(session)
        session.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        _fill(session, reader)
        yield DatabaseInspector(session)
        session.run("COMMIT")


def _alone(store: str) -> Session:
    """A session with the lock of the store: no host has it, and none can begin."""
    with or_closed(connect_for_writing(store)) as session:
        if not session.lock(STORE_LOCK, LOCK_PATIENCE, time.monotonic, time.sleep):
            raise StoreUnusable(f"a host{session.owner_of_lock(STORE_LOCK)} has this journal open; stop it first")
    return session


def _fill(session: Session, reader: Inspector) -> None:
    insert = "INSERT INTO member(name, ended) VALUES (%s, now()) RETURNING epoch"
    epoch = session.rows(insert, (f"copy on {platform.node()}",))[0][0]
    session.copy(_COPY, _TYPES, (row for rows in renumbered(reader, repeat(epoch)) for row in rows))
    MatchLists(session).make()
    for note in reader.notes():
        values = (note.table, epoch, note.since, note.told, note.due)
        session.run("INSERT INTO live(game, owner, since, told, due) VALUES (%s, %s, %s, %s, %s)", values)
    session.run(NOTE_LIST)
    copy_notes(reader.database, session)
