"""
Reading a journal without a writer: a file that no host has open, or a database as it was at one moment. Nothing here
changes the store or its files. From it are made: a new file of its tables, an archive of old ones, and their rows with
the numbers of another store.

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
    """A table in one line."""

    table: TableId
    #: Milliseconds since 1970.
    opened_ms: int
    opening: TableHeader
    #: How many entries follow the opening.
    entries: int
    #: The last of them, if there is one.
    last: Entry | None

    @property
    def state(self) -> str:
        """`unfinished`, `finished` or `archived`."""
        if self.last is None or not finishes(self.last):
            return "unfinished"
        return "archived" if self.last.kind is EntryKind.ARCHIVED else "finished"


def summary_of(opening: Row | None, last: Row) -> Summary | Undecodable:
    """
    A table in one line, or why this release cannot read it.

    :param opening: the table's row 0; `None`: it is missing
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
    All tables, each as `summary_of` gives it.

    :param ends: the first and the last row of each table, in order
    """
    for _, some in groupby(ends, key=attrgetter("game")):
        first, last = (own := list(some))[0], own[-1]
        yield summary_of(first if first.n == 0 else None, last)


def table_of(table: TableId, rows: Sequence[Row]) -> tuple[int, TableRecord]:
    """
    When a table was opened, in milliseconds since 1970, and all of it.

    :raises StoreUnusable: there are no such rows
    :raises Undecodable: another release wrote them
    """
    if not rows or rows[0].n != 0:
        raise StoreUnusable(f"there is no table {table} in this journal")
    return rows[0].at_ms, record_of(rows)


@frozen
class UnfinishedNote:
    """The note of a store about an unfinished table."""

    table: int
    #: The time since which all players are away, in seconds of up-time; `None`: a player is present.
    since: int | None = None
    #: Of a finished match, the seats that have received the end: bit 0 is the first seat. Bit 62: `MISSED_END`.
    told: int = 0
    #: As of `UnfinishedTable`.
    due: int | None = None


@frozen
class SoundTable:
    """A table with rows that are all right, so that it can be read."""

    record: TableRecord
    #: The numbers of its first and of its last row in the store.
    first: int
    last: int
    #: Two tables of the same number with the same digest have the same rows.
    digest: bytes

    @property
    def finished(self) -> bool:
        """Whether nothing can be added to it."""
        entries = self.record.entries
        return bool(entries) and finishes(entries[-1])

    @property
    def ended(self) -> Ended | None:
        """The row of a match in the index of finished matches; `None`: the match has no result."""
        record = self.record
        if not self.finished or record.entries[-1].kind is EntryKind.ARCHIVED:
            return None
        return Ended(record.table, self.first, self.last, record.opening)


#: Is called for each table in their order, with its number, and with the table if its rows are right.
Follow: TypeAlias = Callable[[int, SoundTable | None], None]


def _for_nobody(table: int, sound: SoundTable | None) -> None:
    """Nobody follows."""


@define
class Findings:
    tables: int = 0
    #: Rows, the openings included.
    rows: int = 0
    #: The faults, one sentence each.
    faults: list[str] = field(factory=list)

    def follow(self, everything: Iterable[Row], unfinished: Iterable[int], each: Follow = _for_nobody) -> None:
        """
        Check the rows of all tables.

        :param everything: in the order of the tables, and of the rows of each
        :param unfinished: the tables that are listed as unfinished
        """
        listed = set(unfinished)
        for table, rows in groupby(everything, key=attrgetter("game")):
            self.tables += 1
            sound = self._follow(rows)
            if sound is not None and not sound.finished and table not in listed:
                self.faults.append(f"table {table}: it is not finished, and not listed as unfinished")
            listed.discard(table)
            each(table, sound)
        self.faults += [f"table {table}: all of its rows are missing" for table in sorted(listed)]

    def _follow(self, rows: Iterator[Row]) -> SoundTable | None:
        """Check one table's rows. `None`: they have faults."""
        head: Head | None = None
        opening: TableHeader | None = None
        entries: list[Entry] = []
        faults: list[str] = []
        digest, first, last = sha256(), 0, 0
        # Check the chain row by row. After damage the remaining rows are only counted.
        for row in rows:
            self.rows += entries_in(row)
            if head is None and faults:
                continue
            try:
                head = chain_of((row,), head)
                if entries and finishes(entries[-1]):
                    faults.append(f"table {row.game}: row {row.n} was added after the end")
                if row.n == 0:
                    opening, first = read_opening(row), row.seq
                else:
                    entries += read_entries(row)
                if row.kind == RECENT:  # it has no place in the chain
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
    """A journal that is open for reading, without a writer, of either engine."""

    database: Database

    @property
    def rows(self) -> TableRows:
        return TableRows(self.database)

    def tables(self) -> Iterator[Summary | Undecodable]:
        """All tables, oldest first, or the reason why this release cannot read one."""
        return summaries_of(self._ends())

    def newest(self, most: int) -> tuple[Sequence[Summary | Undecodable], int]:
        """The newest tables, oldest first, as `tables` gives them; and how many older ones there are at most."""
        ends, older = self.rows.newest(most)
        return list(summaries_of(ends)), older

    def table(self, table: TableId) -> tuple[int, TableRecord]:
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
        Check the file, the chains of rows, the unfinished tables, and the indexes. PostgreSQL checks its own files, as
        `pg_amcheck` does.

        :param each: is called for each table
        :param findings: an empty one, for a caller that needs the findings after an interruption
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
            if not findings.faults:  # it is made from the rows
                findings.faults += lists.faults()
        return findings

    def _check_file(self, findings: Findings) -> bool:
        """Whether it can be read at all."""
        return True

    def _check_index(self, findings: Findings) -> None:
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
    """A journal in a file. Made by `reading`."""

    database: SqliteDatabase
    path: Path

    @property
    def rows(self) -> FileRows:
        return FileRows(self.database)

    def _stored(self) -> Iterator[Row]:
        recent = self.rows.recent()
        for table, rows in groupby(Inspector._stored(self), key=attrgetter("game")):
            yield from merged(list(rows), recent.get(table, []))

    def _ends(self) -> Iterator[Row]:
        return end_rows(Inspector._ends(self), self.rows.recent())

    def _check_file(self, findings: Findings) -> bool:
        report = [row[0] for row in self.database.rows("PRAGMA integrity_check(10)")]
        if report != ["ok"]:
            findings.faults += [f"SQLite: {line}" for line in report]
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
        :raises Loss: the journal has less than its high-water mark requires
        """
        check_log_beside(self.path)
        recorded = _recorded(self.path)
        pruned = read_checked(self.database.connection).pruned
        count = count_rows(self.database.connection, CheckedRows(pruned=pruned))
        sidecar.check_mark(self.database.connection, recorded, count)
        last = read_last_commit(sidecar_path(self.path, sidecar.LAST_SUFFIX))
        if last is not None:
            sidecar.check_mark(self.database.connection, last, count)


def _recorded(path: Path) -> sidecar.Mark | None:
    """
    :raises Loss: the mark cannot be read
    """
    text = read(sidecar_path(path, sidecar.MARK_SUFFIX))
    return None if text is None else sidecar.read_mark(text)


@contextmanager
def reading(path: Path) -> Iterator[StoreInspector]:
    """
    Open a journal for reading.

    :raises StoreUnusable: there is none, a host has it open, or another release wrote it
    """
    path = resolved(path)
    with refusing(path, "a host", "stop it first"):
        if not path.exists():
            raise StoreUnusable("there is no such journal")
        check_unclaimed(path)
        try:
            recorded = _recorded(path)
        except Loss:
            recorded = None  # `verify` reports it
        check_log_is_there(path, recorded)
        # Without a log the file alone is the whole journal, and it can be read even where nothing can be written.
        how = "mode=ro" if sidecar_path(path, LOG_SUFFIX).exists() else "immutable=1"
        if how == "immutable=1" and (process := lock_owner(path)) is not None:
            raise StoreUnusable(f"a host (process {process}) has this journal open under another name; stop it first")
        connection = sqlite3.connect(f"{path.as_uri()}?{how}", uri=True, isolation_level=None, timeout=0)
        with closing(connection):
            if not has_tables(connection):
                raise StoreUnusable("there is no journal in this file: it is empty")
            yield StoreInspector(SqliteDatabase(connection), path)


#: Above this the operating system serves other processes first.
NICENESS = 10


def faults_of(copy: Path) -> list[str]:
    """The faults of a copy, one sentence each: of its file, its rows, or its high-water mark."""
    try:
        with reading(copy) as journal:
            return journal.verify().faults
    except StoreUnusable as error:
        return [str(error)]


def main(arguments: Sequence[str]) -> int:
    """Print the faults. The exit status is 1 if there is one."""
    os.nice(NICENESS)
    faults = faults_of(Path(arguments[0]))
    print(*faults, sep="\n", end="")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))


# Files that are made from the tables of a store. Both engines copy and prune with it.


@contextmanager
def new_store(
    target: Path, tables: Iterable[Sequence[Row]], fill: Callable[[SqliteDatabase], None] = lambda database: None
) -> Iterator[tuple[Path, Mark]]:
    """
    Make a file of these tables. It gets its name at the end, if the `with` block raises nothing.

    :param fill: inserts what else is in it
    :returns: its path before that, and its mark
    :raises StoreUnusable: it cannot be written, or there is such a file
    """
    part = new_part(target, force=False)
    with kept_if_whole(part, target):
        with closing(sqlite3.connect(part, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode=OFF")
            connection.execute("PRAGMA synchronous=OFF")
            make_tables(connection)
            connection.execute("BEGIN IMMEDIATE")
            insert_tables(database := SqliteDatabase(connection), tables)
            MatchLists(database, has_ends=True).make()
            fill(database)
            connection.execute("COMMIT")
            held = sidecar.mark_in(connection)
        seal(part, held)
        yield part, held
        publish(part, target, force=False)


def renumbered(reader: Inspector, numbers: Iterable[int]) -> Iterator[list[Row]]:
    """The rows of each table as another store has them, with its own numbers."""
    for _, rows in groupby(reader.everything(), key=attrgetter("game")):
        yield rechained(rows, numbers)


def copy_notes(source: Database, target: Database) -> None:
    """
    Copy the up-time, the accounts, the bans, the waiting tables, the lists of players, their leaves, and the texts that
    accounts keep to an empty store. Within a transaction.
    """
    notes: list[Note] = [
        put_uptime(read_uptime(source)),
        *map(AddAccount, read_accounts(source)),
        *map(put_ban, read_bans(source)),
        *(put_opened(one, 0) for one in read_opened(source)),
        PutOwn(read_all_own(source)),
        *map(PutLeave, read_leaves(source)),
        *map(PutKept, read_all_kept(source)),
    ]
    for note in notes:
        note.write(target)


@frozen
class Pruned:
    tables: int
    rows: int


#: Tables that were opened before a moment and are not listed as unfinished. The newest table, and in a file the one
#: with the last row, are not among them, because new numbers are counted from them.
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
