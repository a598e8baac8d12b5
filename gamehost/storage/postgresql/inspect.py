"""
Reading a store in PostgreSQL while hosts use it, also on a standby. Nothing here changes the store.

Everything is read as it was at one moment.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NoReturn

from attrs import define

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account
from gamehost.journal.records import StoreUnusable, TableId, TableRecord
from gamehost.storage.inspect import Findings, Summary, UnfinishedNote, match_of, summaries_of
from gamehost.storage.postgresql.lists import list_faults
from gamehost.storage.postgresql.notes import read_accounts, read_bans
from gamehost.storage.postgresql.opening import refusing
from gamehost.storage.postgresql.rows import COLUMNS, ENDS, TableRows
from gamehost.storage.postgresql.schema import schema_version, schemas
from gamehost.storage.postgresql.session import Session, connect
from gamehost.storage.postgresql.urls import BACKUP
from gamehost.storage.prune import Pruned, check_finished, write_archive
from gamehost.storage.row_codec import Row, Undecodable, rechained


@define(eq=False)
class PostgresInspector:
    """A journal that is open for reading. Made by `reading_postgresql`."""

    session: Session

    def tables(self) -> Iterator[Summary | Undecodable]:
        """All tables, oldest first. For a table that this release cannot read, the reason instead."""
        return summaries_of(map(Row._make, self.session.stream(ENDS, (0, 2**63 - 1))))

    def table(self, table: TableId) -> tuple[int, TableRecord]:
        """
        When a table was opened, in milliseconds since 1970, and all of it.

        :raises StoreUnusable: there is no such table
        :raises Undecodable: another release wrote it
        """
        rows = TableRows(lambda sql, *parameters: self.session.rows(sql, parameters)).rows(table)
        return match_of(table, [Row._make(row) for row in rows])

    def everything(self) -> Iterator[Row]:
        """All rows, in the order of the tables, and of the rows of each."""
        return map(Row._make, self.session.stream(f"SELECT {COLUMNS} FROM event ORDER BY game, n"))

    def notes(self) -> list[UnfinishedNote]:
        """What is noted of unfinished tables."""
        return [UnfinishedNote(*row) for row in self.session.rows("SELECT game, since, told FROM live ORDER BY game")]

    @property
    def uptime(self) -> int:
        """For how many seconds hosts have run on this store."""
        return int(self.session.rows("SELECT seconds FROM uptime")[0][0])

    def accounts(self) -> Iterable[Account]:
        """All accounts."""
        return read_accounts(self.session)

    def bans(self) -> Iterable[Ban]:
        """All bans."""
        return read_bans(self.session)

    def verify(self) -> Findings:
        """
        Check the chains of rows, the unfinished tables, and the index of finished matches. PostgreSQL checks its own files, as
        `pg_amcheck` does.
        """
        findings = Findings()
        findings.follow(self.everything(), [note.table for note in self.notes()])
        if not findings.faults:  # the index is made from the rows
            findings.faults += list_faults(self.session)
        return findings

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


#: Tables that were opened before a moment and are not listed as unfinished. The newest one stays, because new numbers are
#: counted from it.
_OLD = """
    SELECT game FROM event WHERE n = 0 AND at_ms < %s AND game NOT IN (SELECT game FROM live)
    AND game < (SELECT max(game) FROM event) ORDER BY game"""


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
        tables = [row[0] for row in session.rows(_OLD, (before_ms,))]
        if not tables:
            return Pruned(0, 0)
        try:
            rows = write_archive(archive, _finished(session, tables))
        except OSError as error:
            raise StoreUnusable(f"{archive}: {error.strerror}") from error
        session.run("BEGIN")
        session.run("DELETE FROM event WHERE game = ANY(%s)", (tables,))
        session.run("DELETE FROM listed WHERE game = ANY(%s)", (tables,))
        session.run("COMMIT")
    return Pruned(len(tables), rows)


def _finished(session: Session, tables: Sequence[int]) -> Iterator[Sequence[Row]]:
    """
    The rows of each table as an SQLite store has them.

    :raises StoreUnusable: a table is damaged, or not finished
    """
    source, numbers = TableRows(lambda sql, *parameters: session.rows(sql, parameters)), itertools.count(1)
    for table in tables:
        rows = [Row._make(row) for row in source.rows(table)]
        check_finished(table, rows)
        yield rechained(rows, numbers)
