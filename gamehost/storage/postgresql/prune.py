"""
Moving finished tables from a database into an archive, which is an SQLite store of its own. Hosts may play meanwhile.

The archive is complete and on the disk before anything is removed, and everything is removed in one transaction.
"""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from gamehost.journal.records import StoreUnusable
from gamehost.storage.postgresql.inspect import check_schema
from gamehost.storage.postgresql.opening import refusing
from gamehost.storage.postgresql.rows import TableRows
from gamehost.storage.postgresql.session import Session, connect
from gamehost.storage.prune import Pruned, check_finished, write_archive
from gamehost.storage.row_codec import Row, rechained

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
