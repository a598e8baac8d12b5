"""
Reads a store in PostgreSQL for `gamehost journal`, also while hosts use it, and on a standby server. Also copies a store into
a database.

All rows are read as they were at one moment.
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

#: How many seconds to wait for the lock of a host that has just ended.
LOCK_PATIENCE = 2.0


@define(eq=False)
class DatabaseInspector(Inspector):
    """Reads a journal in a database, as it was at one moment."""

    database: Session

    def _check_index(self, findings: Findings) -> None:
        """Adds the faults of the list of unfinished tables, for tables without another fault."""
        known = {fault.partition(":")[0] for fault in findings.faults}
        findings.faults += [fault for fault in note_faults(self.database) if fault.partition(":")[0] not in known]


@contextmanager
def reading_postgresql(store: str, alone: bool = False) -> Iterator[Inspector]:
    """
    Opens a journal for reading.

    :param alone: whether no host may use the journal meanwhile
    :raises StoreUnusable: there is no journal, it cannot be used, or another release has written it
    """
    with refusing(store), closing(_alone(store) if alone else connect(store, read_only=True)) as session:
        # All queries see the journal as it was at this moment.
        session.run("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        check_tables(session)
        yield DatabaseInspector(session)


def check_tables(session: Session) -> None:
    """
    Checks that a database has the tables of a journal.

    :raises StoreUnusable: there is no journal of this release in the database
    """
    if not has_tables(session):
        raise StoreUnusable("there is no journal in this database")


def prune_postgresql(store: str, before_ms: int, archive: Path) -> Pruned:
    """
    Writes old matches of a journal in a database to an archive, and removes them from the journal. See
    `gamehost.storage.copying.prune`, which does this for a file.
    """
    with refusing(store), closing(connect(store)) as session:
        check_archive(archive)
        check_tables(session)
        tables, rows = write_archive(session, before_ms, archive, count(1))
        session.run("BEGIN")
        # Otherwise a later check would count these rows as lost.
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
    Copies all rows of a reader into an empty database. The copy is committed if the `with` block raises nothing.

    :raises StoreUnusable: the database cannot be used, or is not empty
    """
    with refusing(store), closing(_alone(store)) as session:
        # A database with empty tables is accepted, too.
        if has_tables(session) and any(session.rows(f"SELECT 1 FROM {table} LIMIT 1") for table in _KEPT):
            raise StoreUnusable("there is something in this store; make an empty database with createdb")
        make_tables(session)
        session.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        _fill(session, reader)
        yield DatabaseInspector(session)
        session.run("COMMIT")


def _alone(store: str) -> Session:
    """
    Opens a session with the lock of the store, so that no host can use the store.

    :raises StoreUnusable: a host uses it
    """
    with or_closed(connect_for_writing(store)) as session:
        if not session.lock(STORE_LOCK, LOCK_PATIENCE, time.monotonic, time.sleep):
            raise StoreUnusable(f"a host{session.owner_of_lock(STORE_LOCK)} has this journal open; stop it first")
    return session


def _fill(session: Session, reader: Inspector) -> None:
    """Copies entries, lists of unfinished tables, and accounts into a database, as a run of a host with a number of its own."""
    insert = "INSERT INTO member(name, ended) VALUES (%s, now()) RETURNING epoch"
    epoch = session.rows(insert, (f"copy on {platform.node()}",))[0][0]
    session.copy(_COPY, _TYPES, (row for rows in renumbered(reader, repeat(epoch)) for row in rows))
    MatchLists(session).make()
    for note in reader.notes():
        values = (note.table, epoch, note.since, note.told, note.due)
        session.run("INSERT INTO live(game, owner, since, told, due) VALUES (%s, %s, %s, %s, %s)", values)
    session.run(NOTE_LIST)
    copy_notes(reader.database, session)
