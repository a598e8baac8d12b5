"""
The journal's newest part in an SQLite file: the table `recent`, with one row for each commit.

The body of such a row is the hash of the commit before, and a msgpack array with one item for everything that was accepted:
the table's number, the number of its row, and the entry. The entry is nil if it has a row of its own in `event`, as a table's
opening and its last entry always have. So a move costs neither a row, nor a hash, nor a place in an index.

An entry is moved to `event` later, as `gamehost.storage.groups` says, and its commit is removed after that. Until then it is
in both places, and counts once. A table that has items here and no rows in `event` was removed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from struct import Struct
from typing import Any, NamedTuple, TypeAlias, cast

import msgspec
from attrs import define

from gamehost.journal.records import TableId
from gamehost.storage.database import SqliteDatabase
from gamehost.storage.reads import ALL_ROWS, EVENT, REST, TableRows
from gamehost.storage.row_codec import NO_ROW, RECENT, Row, Undecodable, end_of, single_rows

_COMMITS = "SELECT seq, body, h FROM recent ORDER BY seq"
#: Those that may have items of a table: such an item begins with these bytes.
_COMMITS_OF = "SELECT seq, body, h FROM recent WHERE instr(body, ?) ORDER BY seq"
#: The last row in `event` of each of some tables, and perhaps others of them.
_LAST_ROWS = f"""
    WITH some AS MATERIALIZED (SELECT value AS game FROM json_each(?1))
    SELECT {EVENT.sqlite} FROM some CROSS JOIN event ON event.seq =
        (SELECT seq FROM placed WHERE placed.game = some.game ORDER BY n DESC LIMIT 1)
    UNION ALL SELECT {EVENT.sqlite} FROM event WHERE {REST} AND game IN (SELECT game FROM some)"""

_SEQ = Struct(">q")
_HASH = len(NO_ROW)
_NIL = msgspec.Raw(b"\xc0")
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[tuple[int, int, msgspec.Raw]]).decode

#: A table, the number of the row, and the entry or nil; when it was read, the entry as it is written.
Item: TypeAlias = tuple[int, int, Any]
#: Of one table, the number of each row and its entry as it is written; `None`: its commit is damaged.
Entries: TypeAlias = list[tuple[int, msgspec.Raw | None]]


class Commit(NamedTuple):
    """One row."""

    #: Of its last item. It counts everything that was accepted.
    seq: int
    body: bytes
    h: bytes

    @property
    def whole(self) -> bool:
        """Whether this is what was written."""
        return _hash(self.seq, self.body) == self.h

    @property
    def unreadable(self) -> bool:
        """Whether nobody knows of which tables it has items."""
        try:
            self.items()
        except Undecodable:
            return True
        return False

    def items(self) -> list[Item]:
        """
        :raises Undecodable: it is damaged, or another release wrote it
        """
        try:
            return _decode(self.body[_HASH:])
        except (msgspec.DecodeError, ValueError) as error:
            raise Undecodable(f"the commit of row {self.seq} cannot be read") from error


def commit_of(seq: int, before: bytes, items: Sequence[Item]) -> Commit:
    """
    :param seq: of its last item
    :param before: the hash of the commit before
    """
    body = before + _encode(items)
    return Commit(seq, body, _hash(seq, body))


def _hash(seq: int, body: bytes) -> bytes:
    return sha256(_SEQ.pack(seq) + body).digest()[:_HASH]


def commits_in(database: SqliteDatabase) -> list[Commit]:
    """All commits; none in a file of an older schema."""
    return list(map(Commit._make, database.rows(_COMMITS))) if database.has_recent else []


def commit_faults(commits: Iterable[Commit]) -> list[str]:
    """The faults, one sentence each: every commit must be the one that was written, and follow the one before."""
    faults: list[str] = []
    before: Commit | None = None
    for commit in commits:
        try:
            items = commit.items()
        except Undecodable as error:
            faults.append(str(error))
        else:
            if not commit.whole:
                faults.append(f"the commit of row {commit.seq} does not match its hash")
            elif before and (commit.seq - len(items), commit.body[:_HASH]) != (before.seq, before.h):
                faults.append(f"the commit before that of row {commit.seq} is missing")
        before = commit
    return faults


def entries_by_table(commits: Iterable[Commit]) -> dict[int, Entries]:
    """The entries of each table. A commit that cannot be read has none."""
    found: dict[int, Entries] = {}
    for commit in commits:
        try:
            items = commit.items()
        except Undecodable:
            continue
        whole = commit.whole
        for table, n, entry in items:
            if entry != _NIL:
                found.setdefault(table, []).append((n, entry if whole else None))
    return found


def unmoved(database: SqliteDatabase, recent: Mapping[int, Entries]) -> dict[int, int]:
    """How many entries of each table are not in `event`. Tables without any are left out."""
    if not recent:
        return {}
    ends: dict[int, int] = {}
    for row in database.rows(_LAST_ROWS, (str(list(recent)),)):
        ends[row[1]] = max(end_of(row), ends.get(row[1], 0))
    found = {table: sum(n > ends[table] for n, _ in entries) for table, entries in recent.items() if table in ends}
    return {table: number for table, number in found.items() if number}


def merged(rows: Sequence[Any], entries: Entries, below: int = 2**63) -> list[Any]:
    """
    The rows of a table in `event`, and what follows them in commits, as rows that are not in the chain.

    :param rows: all of them, or those before the row `below`
    :param below: rows from this number on are left out
    """
    if not entries or not rows or (last := end_of(rows[-1])) >= below - 1:
        return list(rows)
    found = list(rows)
    new = [one for one in entries if last < one[0] < below]
    while new:
        first = new[0][0]
        own = new
        if new[-1][0] - first != len(new) - 1:  # their numbers do not follow each other
            own = [one for count, one in enumerate(new) if one[0] == first + count]
        whole = [entry for _, entry in own if entry is not None]
        damaged = b"" if len(whole) == len(own) else NO_ROW
        found.append(Row(0, rows[0][1], first, len(own), RECENT, None, _encode(whole), damaged))
        new = new[len(own) :]
    return found


def end_rows(rows: Iterable[Row], recent: Mapping[int, Entries]) -> Iterator[Row]:
    """
    The first and the last row of each table.

    :param rows: those in `event`
    """
    for table, some in groupby(rows, key=attrgetter("game")):
        own = list(some)
        last = merged(own[-1:], recent.get(table, []))[-1]
        if own[0].n != last.n:
            yield own[0]
        try:
            yield list(single_rows([last]))[-1]
        except Undecodable:
            yield last


@define(eq=False)
class FileRows(TableRows):
    """
    The tables of a file, in rows of `event` and of commits.

    Commits are read first: what is moved meanwhile is found twice then, and is not missing.
    """

    @property
    def _file(self) -> SqliteDatabase:
        return cast(SqliteDatabase, self._database)

    def recent(self) -> dict[int, Entries]:
        """The entries in commits, by table."""
        return entries_by_table(commits_in(self._file))

    def rows(self, table: int) -> list[Row]:
        commits: list[Commit] = []
        if self._file.has_recent:
            commits = list(map(Commit._make, self._query(_COMMITS_OF, b"\x93" + _encode(table))))
        found = merged(super().rows(table), entries_by_table(commits).get(table, []))
        if found and any(commit.unreadable for commit in commits):
            found.append(Row(0, table, end_of(found[-1]) + 1, 1, RECENT, None, b"", NO_ROW))
        return found

    def rows_after(self, last: Mapping[TableId, int], most: int) -> Sequence[Row]:
        found: list[Row] = []
        for table, n in sorted(last.items()):
            rows = self.rows(table)
            with suppress(Undecodable):  # whoever reads them is told why
                rows = list(single_rows(rows))
            found += (row for row in rows if end_of(row) > n)
        return found[:most]

    def first_and_last(self, low: int, below: int) -> Sequence[Row]:
        recent = self.recent()
        return list(end_rows(super().first_and_last(low, below), recent))

    def unfinished(self, first: int = ALL_ROWS, after: int = 0) -> Iterator[tuple[int, list[Any]]]:
        recent = self.recent()
        for table, rows in super().unfinished(first, after):
            yield table, merged(rows, recent.get(table, []), first)
