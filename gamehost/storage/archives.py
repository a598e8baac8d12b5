"""
What is made from the tables of a store: a new file of them, an archive of old ones, and their rows with the numbers of another
store. Both engines copy and prune with it.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from attrs import frozen

from gamehost.journal.records import StoreUnusable
from gamehost.storage import high_water_mark
from gamehost.storage.backup import kept_if_whole, new_part, publish, seal
from gamehost.storage.database import SqliteDatabase, insert_tables, migrate
from gamehost.storage.high_water_mark import Mark
from gamehost.storage.inspect import Inspector
from gamehost.storage.notes import AddAccount, Note, put_ban, put_uptime, read_accounts, read_bans, read_uptime
from gamehost.storage.questions import MatchLists
from gamehost.storage.reads import Database, Sql, TableRows
from gamehost.storage.row_codec import Damaged, Row, Undecodable, chain_of, finishes, read_entry, rechained


@contextmanager
def new_store(
    target: Path, tables: Iterable[Sequence[Row]], fill: Callable[[SqliteDatabase], None] = lambda database: None
) -> Iterator[tuple[Path, Mark]]:
    """
    Make a file of these tables. It gets its name at the end, if nothing is raised in here.

    :param fill: inserts what else is in it
    :returns: where it is before that, and how much it holds
    :raises StoreUnusable: it cannot be written, or there is such a file
    """
    part = new_part(target, force=False)
    with kept_if_whole(part, target):
        with closing(sqlite3.connect(part, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode=OFF")
            connection.execute("PRAGMA synchronous=OFF")
            migrate(connection, 0)
            connection.execute("BEGIN IMMEDIATE")
            insert_tables(database := SqliteDatabase(connection), tables)
            MatchLists(database, has_ends=True).make()
            fill(database)
            connection.execute("COMMIT")
            held = high_water_mark.held(connection)
        seal(part, held)
        yield part, held
        publish(part, target, force=False)


def renumbered(reader: Inspector, numbers: Iterable[int]) -> Iterator[list[Row]]:
    """The rows of each table as another store has them, with its own numbers."""
    for _, rows in groupby(reader.everything(), key=attrgetter("game")):
        yield rechained(rows, numbers)


def copy_notes(source: Database, target: Database) -> None:
    """Copy up-time, accounts and bans to an empty store. Within a transaction."""
    notes: list[Note] = [
        put_uptime(read_uptime(source)),
        *map(AddAccount, read_accounts(source)),
        *map(put_ban, read_bans(source)),
    ]
    for note in notes:
        note.write(target)


@frozen
class Pruned:
    tables: int
    rows: int


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


def check_archive(archive: Path) -> None:
    """
    :raises StoreUnusable: there is such a file
    """
    if archive.exists():
        raise StoreUnusable(f"{archive}: this file exists; name a new file")


def write_archive(
    database: Database, before_ms: int, archive: Path, numbers: Iterator[int] | None = None
) -> tuple[list[int], int]:
    """
    Write the tables that can be moved to an archive.

    :param numbers: for the rows, which have none in a database; `None`: they keep theirs
    :returns: the tables, and how many rows they have
    :raises StoreUnusable: a table is damaged or not finished, or the archive cannot be written
    """
    tables: list[int] = [row[0] for row in database.rows(_OLD, (before_ms,))]
    if not tables:
        return [], 0
    moved: Iterator[list[Row]] = map(_checked, tables, map(TableRows(database).rows, tables))
    if numbers is not None:
        moved = (rechained(rows, numbers) for rows in moved)
    with new_store(archive, moved) as (_, held):
        pass
    return tables, held.count


def _checked(table: int, rows: list[Row]) -> list[Row]:
    """
    :raises StoreUnusable: the table is damaged, or not finished
    """
    try:
        chain_of(rows)
        finished = len(rows) > 1 and finishes(read_entry(rows[-1]))
    except (Damaged, Undecodable) as error:
        raise StoreUnusable(f"{error}; nothing was moved") from error
    if not finished:
        raise StoreUnusable(f"table {table}: it is not finished, and not listed as unfinished; nothing was moved")
    return rows
