"""
Reading and checking a journal without a writer: a file that no host has open, or a database as it was at one moment.
Nothing here changes the store or its files. This module also makes new files from the tables of a store: copies, and
archives of old tables.

As a program, `python -m gamehost.storage.inspect FILE` prints the faults of a file.
"""

import os
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TypeAlias

from attrs import define, field, frozen

from gamehost.journal.records import Entry, EntryKind, StoreUnusable, TableHeader, TableId, TableRecord
from gamehost.storage import sidecar
from gamehost.storage.backup import back_up, kept_if_whole, new_part, publish, seal
from gamehost.storage.contents import (
    AddAccount,
    Note,
    put_ban,
    put_opened,
    put_uptime,
    read_accounts,
    read_bans,
    read_opened,
    read_uptime,
)
from gamehost.storage.database import (
    FileRows,
    Loss,
    SqliteDatabase,
    check_unclaimed,
    commit_faults,
    commits_in,
    end_rows,
    has_tables,
    insert_tables,
    lock_owner,
    make_tables,
    merged,
    placed_faults,
    refusing,
)
from gamehost.storage.databases import BACKUP
from gamehost.storage.own import PutKept, PutLeave, PutOwn, read_all_kept, read_all_own, read_leaves
from gamehost.storage.questions import ALL_ENDS, EVERYTHING, Database, Ended, ListComparison, MatchLists, Sql, TableRows
from gamehost.storage.row_codec import (
    RECENT,
    Damaged,
    Head,
    Row,
    Undecodable,
    chain_of,
    entries_in,
    finishes,
    read_entries,
    read_entry,
    read_opening,
    rechained,
    record_of,
    single_rows,
)
from gamehost.storage.sidecar import (
    LOG_SUFFIX,
    CheckedRows,
    Mark,
    check_log_beside,
    count_rows,
    read,
    read_checked,
    read_last_commit,
    sidecar_path,
)
from gamehost.storage.store import check_log_is_there, resolved


@frozen
class Summary:
    """The most important facts about a table: one line of a list."""

    table: TableId
    #: Milliseconds since 1970.
    opened_ms: int
    opening: TableHeader
    #: How many entries follow the opening.
    entries: int
    #: The last entry; `None`: the record has no entry.
    last: Entry | None

    @property
    def state(self) -> str:
        """`unfinished`, `finished` or `archived`."""
        if self.last is None or not finishes(self.last):
            return "unfinished"
        return "archived" if self.last.kind is EntryKind.ARCHIVED else "finished"


def summary_of(opening: Row | None, last: Row) -> Summary | Undecodable:
    """
    The summary of a table, or the error why this release cannot read the table.

    :param opening: the table's row 0; `None`: the row is missing
    """
    try:
        if opening is None:
            raise Undecodable(f"table {last.game}: row 0 is missing")
        entry = read_entry(last) if last.n else None
        return Summary(TableId(last.game), opening.at_ms, read_opening(opening), last.n, entry)
    except Undecodable as error:
        return error


def summaries_of(ends: Iterable[Row]) -> Iterator[Summary | Undecodable]:
    """
    The summaries of tables; see `summary_of`.

    :param ends: the first and the last row of each table, in order
    """
    for _, some in groupby(ends, key=attrgetter("game")):
        own = list(some)
        first, last = own[0], own[-1]
        # A table without row 0 is damaged.
        yield summary_of(first if first.n == 0 else None, last)


def table_of(table: TableId, rows: Sequence[Row]) -> tuple[int, TableRecord]:
    """
    When a table was opened, in milliseconds since 1970, and its whole record.

    :raises StoreUnusable: there is no such table, or its row 0 is missing
    :raises Undecodable: another release wrote the rows
    """
    if not rows or rows[0].n != 0:
        raise StoreUnusable(f"there is no table {table} in this journal")
    return rows[0].at_ms, record_of(rows)


@frozen
class UnfinishedNote:
    """
    The note of a store about an unfinished table, or about a match with an end that not all players have received.
    """

    table: int
    #: The time since which all players are away, in seconds of up-time; `None`: a player is present.
    since: int | None = None
    #: If the match is over: the bits of the seats that have received the end. Bit 0 is the first seat, bit 62 is
    #: `MISSED_END`.
    told: int = 0
    #: See `UnfinishedTable`.
    due: int | None = None


@frozen
class SoundTable:
    """A table without faults, as `verify` has found it."""

    record: TableRecord
    #: The numbers of the first and of the last row in the store.
    first: int
    last: int
    #: A hash of the rows: equal for two tables with the same number and the same rows.
    digest: bytes

    @property
    def finished(self) -> bool:
        """Whether the record of the table is finished, so that no entries can be added."""
        entries = self.record.entries
        return bool(entries) and finishes(entries[-1])

    @property
    def ended(self) -> Ended | None:
        """The row of a match in the index of finished matches; `None`: the match has no result."""
        record = self.record
        if not self.finished or record.entries[-1].kind is EntryKind.ARCHIVED:
            return None
        return Ended(record.table, self.first, self.last, record.opening)


#: A function that is called for each table, in order, with the number of the table, and with the table; `None` instead:
#: the table has faults.
Follow: TypeAlias = Callable[[int, SoundTable | None], None]


def _for_nobody(table: int, sound: SoundTable | None) -> None:
    """Do nothing with a table."""


@define
class Findings:
    """The result of a check: how much was checked, and the faults."""

    tables: int = 0
    #: How many rows were checked, the openings included.
    rows: int = 0
    #: The faults, one sentence each.
    faults: list[str] = field(factory=list)

    def follow(self, everything: Iterable[Row], unfinished: Iterable[int], each: Follow = _for_nobody) -> None:
        """
        Check the rows of all tables.

        :param everything: all rows, table by table and in order
        :param unfinished: the tables that are listed as unfinished
        :param each: called for each table
        """
        listed = set(unfinished)
        for table, rows in groupby(everything, key=attrgetter("game")):
            self.tables += 1
            sound = self._follow(rows)
            if sound is not None and not sound.finished and table not in listed:
                self.faults.append(f"table {table}: it is not finished, and not listed as unfinished")
            # What remains in `listed` at the end has no rows.
            listed.discard(table)
            each(table, sound)
        self.faults += [f"table {table}: all of its rows are missing" for table in sorted(listed)]

    def _follow(self, rows: Iterator[Row]) -> SoundTable | None:
        """Check the rows of one table, and add the faults. `None`: the table has faults."""
        head: Head | None = None
        opening: TableHeader | None = None
        entries: list[Entry] = []
        faults: list[str] = []
        digest, first, last = sha256(), 0, 0
        # Check the chain row by row. After damage the remaining rows are only counted.
        for row in rows:
            self.rows += entries_in(row)
            if head is None and faults:
                # The chain is broken before this row.
                continue
            try:
                head = chain_of((row,), head)
                if entries and finishes(entries[-1]):
                    faults.append(f"table {row.game}: row {row.n} was added after the end")
                if row.n == 0:
                    opening, first = read_opening(row), row.seq
                else:
                    entries += read_entries(row)
                if row.kind == RECENT:  # not in the chain, so the hash at its end does not cover this row
                    digest.update(row.body)
                last = row.seq
            except Damaged as error:
                head = None
                faults.append(str(error))
            except Undecodable as error:
                faults.append(str(error))
        # The table is sound if it has no faults and a header.
        self.faults += faults
        if faults or head is None or opening is None:
            return None
        digest.update(head.h)
        return SoundTable(TableRecord(TableId(row.game), opening, tuple(entries)), first, last, digest.digest())


@define(eq=False)
class Inspector:
    """A journal that is open for reading, without a writer. Subclasses are for the engines."""

    database: Database

    @property
    def rows(self) -> TableRows:
        return TableRows(self.database)

    def tables(self) -> Iterator[Summary | Undecodable]:
        """All tables, oldest first, or the reason why this release cannot read one."""
        return summaries_of(self._ends())

    def newest(self, most: int) -> tuple[Sequence[Summary | Undecodable], int]:
        """The summaries of the newest tables, oldest first; and an upper limit for the number of older tables."""
        ends, older = self.rows.newest(most)
        return list(summaries_of(ends)), older

    def table(self, table: TableId) -> tuple[int, TableRecord]:
        """When a table was opened, and its record; see `table_of`."""
        return table_of(table, self.rows.rows(table))

    def everything(self) -> Iterator[Row]:
        """All rows, table by table, with one entry each."""
        return single_rows(self._stored())

    def _stored(self) -> Iterator[Row]:
        """All rows, table by table, as they are stored."""
        return map(Row._make, self.database.stream(EVERYTHING))

    def _ends(self) -> Iterator[Row]:
        """The first and the last row of each table."""
        return map(Row._make, self.database.stream(ALL_ENDS))

    def notes(self) -> list[UnfinishedNote]:
        return [
            UnfinishedNote(*row) for row in self.database.rows("SELECT game, since, told, due FROM live ORDER BY game")
        ]

    def verify(self, each: Follow = _for_nobody, findings: Findings | None = None) -> Findings:
        """
        Check the file, the chains of rows, the unfinished tables, and the indexes. The files of PostgreSQL are not
        checked here; `pg_amcheck` does this.

        :param each: called for each table
        :param findings: an empty object to be filled, for a caller that needs the findings even after an interruption
        """
        findings = Findings() if findings is None else findings
        if self._check_file(findings):
            lists = ListComparison(MatchLists(self.database, isinstance(self, StoreInspector)))

            def follow(table: int, sound: SoundTable | None) -> None:
                if sound is not None and (ended := sound.ended) is not None:
                    lists.follow(ended)
                each(table, sound)

            findings.follow(self._stored(), (one.table for one in self.notes()), follow)
            try:
                read_uptime(self.database)
            except StoreUnusable as error:
                findings.faults.append(str(error))
            self._check_index(findings)
            if not findings.faults:  # the lists are made from the rows, so a fault of a row would be reported twice
                findings.faults += lists.faults()
        return findings

    def _check_file(self, findings: Findings) -> bool:
        """Check the file itself. Returns whether the rows can be read."""
        return True

    def _check_index(self, findings: Findings) -> None:
        """Check the indexes of rows. Nothing to do for a database."""
        pass

    def back_up(self, target: Path) -> sidecar.Mark:
        """
        Copy the journal to a new file, with a high-water mark of its own.

        :returns: the mark of the copy
        :raises StoreUnusable: the copy cannot be written, this journal is shorter than its mark says, or it is a database
        """
        raise StoreUnusable(BACKUP)


@define(eq=False)
class StoreInspector(Inspector):
    """Reads and checks a journal in a file that no host has open. The function `reading` makes it."""

    database: SqliteDatabase
    path: Path

    @property
    def rows(self) -> FileRows:
        return FileRows(self.database)

    def _stored(self) -> Iterator[Row]:
        """All rows, table by table. The entries in commits are added as rows."""
        recent = self.rows.recent()
        for table, rows in groupby(Inspector._stored(self), key=attrgetter("game")):
            yield from merged(list(rows), recent.get(table, []))

    def _ends(self) -> Iterator[Row]:
        return end_rows(Inspector._ends(self), self.rows.recent())

    def _check_file(self, findings: Findings) -> bool:
        """Let SQLite check the file, and compare the journal with its marks. Returns whether the rows can be read."""
        report = [row[0] for row in self.database.rows("PRAGMA integrity_check(10)")]
        if report != ["ok"]:
            findings.faults += [f"SQLite: {line}" for line in report]
            # The rows cannot be read reliably.
            return False
        try:
            self._check_mark()
        except StoreUnusable as error:
            findings.faults.append(str(error))
        return True

    def _check_index(self, findings: Findings) -> None:
        findings.faults += commit_faults(commits_in(self.database)) + placed_faults(self.database)

    def back_up(self, target: Path) -> sidecar.Mark:
        self._check_mark()
        return back_up(self.database.connection, target)

    def _check_mark(self) -> None:
        """
        Compare the journal with its high-water mark, and with the note of its last commit.

        :raises Loss: the journal has less than these require
        """
        check_log_beside(self.path)
        recorded = _recorded(self.path)
        pruned = read_checked(self.database.connection).pruned
        # Count all rows that are there now. Only for those in archives, the note must be believed.
        count = count_rows(self.database.connection, CheckedRows(pruned=pruned))
        sidecar.check_mark(self.database.connection, recorded, count)
        last = read_last_commit(sidecar_path(self.path, sidecar.LAST_SUFFIX))
        if last is not None:
            sidecar.check_mark(self.database.connection, last, count)


def _recorded(path: Path) -> sidecar.Mark | None:
    """
    The high-water mark beside a file; `None`: the file has no mark.

    :raises Loss: the mark cannot be read
    """
    text = read(sidecar_path(path, sidecar.MARK_SUFFIX))
    return None if text is None else sidecar.read_mark(text)


@contextmanager
def reading(path: Path) -> Iterator[StoreInspector]:
    """
    A context that opens a journal in a file for reading.

    :raises StoreUnusable: there is no journal, a host has it open, or another release wrote it
    """
    path = resolved(path)
    with refusing(path, "a host", "stop it first"):
        if not path.exists():
            raise StoreUnusable("there is no such journal")
        check_unclaimed(path)
        try:
            recorded = _recorded(path)
        except Loss:
            recorded = None  # `verify` reports the loss
        check_log_is_there(path, recorded)
        # Without a log, the whole journal is in the file. `immutable` reads it even where nothing can be written.
        how = "mode=ro" if sidecar_path(path, LOG_SUFFIX).exists() else "immutable=1"
        if how == "immutable=1" and (process := lock_owner(path)) is not None:
            raise StoreUnusable(f"a host (process {process}) has this journal open under another name; stop it first")
        connection = sqlite3.connect(f"{path.as_uri()}?{how}", uri=True, isolation_level=None, timeout=0)
        with closing(connection):
            if not has_tables(connection):
                raise StoreUnusable("there is no journal in this file: it is empty")
            yield StoreInspector(SqliteDatabase(connection), path)


#: The niceness of the process that checks a file: the operating system serves other processes first.
NICENESS = 10


def faults_of(copy: Path) -> list[str]:
    """The faults of a copy, one sentence each: in its file, in its rows, or compared with its high-water mark."""
    try:
        with reading(copy) as journal:
            return journal.verify().faults
    except StoreUnusable as error:
        return [str(error)]


def main(arguments: Sequence[str]) -> int:
    """Print the faults of a file, and return the exit status: 1 if there is a fault."""
    os.nice(NICENESS)
    faults = faults_of(Path(arguments[0]))
    print(*faults, sep="\n", end="")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))


# Making files from the tables of a store. Both engines use these functions for copies and archives.


@contextmanager
def new_store(
    target: Path, tables: Iterable[Sequence[Row]], fill: Callable[[SqliteDatabase], None] = lambda database: None
) -> Iterator[tuple[Path, Mark]]:
    """
    A context that makes a file of these tables. The file gets its name at the end of the `with` block, if the block
    raises nothing.

    :param fill: inserts the contents besides the tables
    :returns: the path of the file during the block, and its mark
    :raises StoreUnusable: the file cannot be written, or a file of this name exists
    """
    part = new_part(target, force=False)
    with kept_if_whole(part, target):
        with closing(sqlite3.connect(part, isolation_level=None)) as connection:
            # An incomplete file is thrown away. So its changes need no rollback, and it need not be on the disk before
            # `seal`.
            connection.execute("PRAGMA journal_mode=OFF")
            connection.execute("PRAGMA synchronous=OFF")
            make_tables(connection)
            connection.execute("BEGIN IMMEDIATE")
            insert_tables(database := SqliteDatabase(connection), tables)
            MatchLists(database, has_ends=True).make()
            fill(database)
            connection.execute("COMMIT")
            mark = sidecar.mark_in(connection)
        seal(part, mark)
        yield part, mark
        publish(part, target, force=False)


def renumbered(reader: Inspector, numbers: Iterable[int]) -> Iterator[list[Row]]:
    """The rows of each table for another store: with new numbers, and so with new hashes."""
    for _, rows in groupby(reader.everything(), key=attrgetter("game")):
        yield rechained(rows, numbers)


def copy_notes(source: Database, target: Database) -> None:
    """
    Copy the up-time, the accounts, the bans, the open tables, the lists of players, their leaves, and the texts that
    accounts keep to an empty store. Must be called within a transaction.
    """
    notes: list[Note] = [
        put_uptime(read_uptime(source)),
        *map(AddAccount, read_accounts(source)),
        *map(put_ban, read_bans(source)),
        # 0: no host has the table. A file does not store the number.
        *(put_opened(one, 0) for one in read_opened(source)),
        PutOwn(read_all_own(source)),
        *map(PutLeave, read_leaves(source)),
        *map(PutKept, read_all_kept(source)),
    ]
    for note in notes:
        note.write(target)


@frozen
class Pruned:
    """How many tables and rows were moved to an archive."""

    tables: int
    rows: int


#: SQL for the tables that were opened before a moment and are not listed as unfinished. Without the newest table and,
#: in a file, the table with the last row: new numbers are counted from them.
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
    Check that an archive can be made.

    :raises StoreUnusable: a file of this name exists
    """
    if archive.exists():
        raise StoreUnusable(f"{archive}: this file exists; name a new file")


def write_archive(
    database: Database, before_ms: int, archive: Path, numbers: Iterator[int] | None = None
) -> tuple[list[int], int]:
    """
    Write all tables that may be moved into an archive.

    :param before_ms: only tables that were opened before this moment; milliseconds since 1970
    :param numbers: gives the rows of a database their numbers; `None`: the rows of a file keep their numbers
    :returns: the numbers of the tables, and how many rows were written
    :raises StoreUnusable: a table is damaged or not finished, or the archive cannot be written
    """
    tables: list[int] = [row[0] for row in database.rows(_OLD, (before_ms,))]
    if not tables:
        return [], 0
    moved: Iterator[list[Row]] = map(_checked, tables, map(TableRows(database).rows, tables))
    if numbers is not None:
        moved = (rechained(rows, numbers) for rows in moved)
    # The context makes the file. The block is empty, because nothing else is added.
    with new_store(archive, moved) as (_, mark):
        pass
    return tables, mark.count


def _checked(table: int, rows: list[Row]) -> list[Row]:
    """
    Check a table before it is moved, and return its rows.

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
