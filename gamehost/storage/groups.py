"""
What a commit to an SQLite file changes: one row in `recent`, and few in `event`.

`event` has the rows table by table. The entries of a table are moved there together, as one row with one hash, a run: when the
table ends or falls asleep, and when the oldest commits have more than `MOST_RECENT` items. That is done in slices, with the
commits of others. A commit is removed when all of its entries were moved, and the mark on the disk is of a later one.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import define, field

from gamehost.journal.records import Entry, EntryKind, TableId
from gamehost.storage.contents import Change, Group, Reading
from gamehost.storage.notes import Note, Sleep
from gamehost.storage.recent import Commit, FileRows, Item
from gamehost.storage.row_codec import (
    NO_ROW,
    RECENT,
    Damaged,
    Head,
    Opened,
    Row,
    Undecodable,
    chain_of,
    end_of,
    entry_row,
    finishes,
    opening_row,
    read_entries,
    run_row,
)

#: Items of all commits. If there are more, the oldest are moved. A start reads so many in some milliseconds.
MOST_RECENT = 4096
#: Moving begins when there are so many more.
AT_ONCE = 512
#: Rows that are moved with one commit: about a millisecond.
MOST_MOVED = 96
#: msgpack has no form for larger numbers. An entry with such a draw gets a row of its own.
_LARGEST = 2**63 - 1


@define
class FileGroup(Group):
    """What one commit to a file changes. Its rows are those for `event`."""

    items: list[Item] = field(factory=list)
    #: The `seq` of the last commit that is removed; 0: none is.
    remove_to: int = 0
    #: Tables that have fallen asleep.
    asleep: list[int] = field(factory=list)


@define(eq=False)
class Tail:
    """A table in use: where its chain in `event` goes on, and what is in commits alone."""

    #: The number and the hash of its last row in `event`.
    n: int
    h: bytes
    opened: Opened | None
    entries: list[Entry] = field(factory=list)


@define(eq=False)
class RecentCommits:
    """
    The commits that are in `recent`, and the tables in use, as the writer knows them.

    A group changes this before it is written. If that fails, nothing is written any more.
    """

    _tables: FileRows
    #: Of the last commit, or of the last row if there is no commit.
    seq: int = 0
    h: bytes = NO_ROW
    most: int = MOST_RECENT
    at_once: int = AT_ONCE
    most_moved: int = MOST_MOVED
    #: The `seq` and the items of each commit.
    _commits: deque[tuple[int, Sequence[Item]]] = field(factory=deque)
    #: How many items these are.
    _items: int = 0
    _tails: dict[int, Tail] = field(factory=dict)
    #: Tables that are not in use, with entries of an earlier run that are not in `event`.
    _unmoved: set[int] = field(factory=set)

    def load(self, seq: int, h: bytes, commits: Sequence[Commit], unmoved: Iterable[int]) -> None:
        """
        Begin with what a store holds. A commit that cannot be read has no items.

        :param seq: of the last commit, or of the last row
        :param unmoved: the tables with entries that are not in `event`
        """
        self.seq, self.h, self._unmoved = seq, h, set(unmoved)
        self._commits.clear()
        for commit in commits:
            try:
                self._commits.append((commit.seq, commit.items()))
            except Undecodable:
                self._commits.append((commit.seq, ()))
        self._items = sum(len(items) for _, items in self._commits)

    def build(
        self, changes: Sequence[Change], numbers: Iterator[int], wall: Callable[[], float], marked: int
    ) -> FileGroup:
        """
        :param numbers: of new rows in `event`
        :param wall: seconds since 1970
        :param marked: `seq` of the commit that the mark on the disk is of
        """
        group, tails = FileGroup(), self._tails
        items = group.items
        for change in changes:
            if not isinstance(change, tuple):
                self._note(change, group, numbers)
                continue
            table, record = change
            if not isinstance(record, Entry):
                row = opening_row(next(numbers), table, record, int(wall() * 1000))
                group.rows.append(row)
                group.opened.append(table)
                tails[table] = Tail(0, row.h, (row.seq, record))
                items.append((table, 0, None))
                continue
            tail = tails.get(table) or self._load(table)
            if record.outcome or record.kind is EntryKind.ARCHIVED or (record.drawn and max(record.drawn) > _LARGEST):
                self._add_row(table, tail, record, group, numbers)
            else:
                tail.entries.append(record)
                items.append((table, tail.n + len(tail.entries), record))
        if self._items > self.most + self.at_once:
            self._move_oldest(group, numbers, marked)
        return group

    def _note(self, change: Note | Reading, group: FileGroup, numbers: Iterator[int]) -> None:
        if isinstance(change, Reading):
            group.readings.append(change)
            return
        group.notes.append(change)
        if isinstance(change, Sleep) and change.since is not None and (tail := self._tails.get(change.table)):
            self._move(change.table, tail, group, numbers)
            group.asleep.append(change.table)

    def _add_row(self, table: TableId, tail: Tail, entry: Entry, group: FileGroup, numbers: Iterator[int]) -> None:
        """Add an entry that has a row of its own, as the last one of a table has."""
        self._move(table, tail, group, numbers)
        row = entry_row(next(numbers), table, Head(tail.n, tail.h), entry)
        tail.n, tail.h = row.n, row.h
        group.rows.append(row)
        group.items.append((table, row.n, None))
        if finishes(entry):
            del self._tails[table]
            if entry.kind is EntryKind.ARCHIVED:
                # A table that has a result stays in the list until its players have been told.
                group.archived.append(row)
            else:
                group.ended.append((row, tail.opened))

    def _move(self, table: int, tail: Tail, group: FileGroup, numbers: Iterator[int]) -> None:
        """Move what a table in use has in commits alone, if there is anything."""
        entries, head = tail.entries, Head(tail.n, tail.h)
        if not entries:
            return
        if len(entries) == 1:
            row = entry_row(next(numbers), TableId(table), head, entries[0])
        else:
            row = run_row(next(numbers), table, head, entries, len(entries))
        group.rows.append(row)
        tail.n, tail.h, tail.entries = end_of(row), row.h, []

    def _move_oldest(self, group: FileGroup, numbers: Iterator[int], marked: int) -> None:
        """Move what is in the oldest commits alone, and remove these."""
        enough = len(group.rows) + self.most_moved
        while self._items > self.most and self._commits[0][0] < marked:
            seq, items = self._commits[0]
            for table, n, _ in items:
                if len(group.rows) >= enough:
                    return
                tail = self._tails.get(table)
                if tail is not None:
                    if n > tail.n:
                        self._move(table, tail, group, numbers)
                elif table in self._unmoved:
                    self._unmoved.remove(table)
                    group.rows += self.rows_to_move(table, numbers)
            self._commits.popleft()
            self._items -= len(items)
            group.remove_to = seq

    def rows_to_move(self, table: int, numbers: Iterator[int]) -> Iterator[Row]:
        """Rows for what a table that is not in use has in whole commits. It may be damaged: that is to be found later, too."""
        rows = self._tables.rows(table)
        last = next((row for row in reversed(rows) if row.kind != RECENT), None)
        if last is None:
            return
        head = Head(end_of(last), last.h)
        for row in rows:
            if row.kind == RECENT and not row.h:
                moved = run_row(next(numbers), table, head._replace(n=row.n - 1), row.body, row.at_ms)
                head = Head(end_of(moved), moved.h)
                yield moved

    def done(self, group: FileGroup, seq: int, h: bytes) -> None:
        """
        A group is durable.

        :param seq: of its commit, and the hash
        """
        if group.items:
            self._commits.append((seq, group.items))
            self._items += len(group.items)
            self.seq, self.h = seq, h
        for table in group.asleep:
            if (tail := self._tails.get(table)) is not None and not tail.entries:
                del self._tails[table]

    def follow(self, rows: Sequence[Row], head: Head) -> Tail:
        """
        A table is in use from now on.

        :param rows: all rows of it, checked
        :param head: their end
        """
        table = rows[0].game
        entries: list[Entry] = []
        for row in rows:
            if row.kind == RECENT:
                entries += read_entries(row)
        tail = self._tails[table] = Tail(head.n - len(entries), head.h, head.opened, entries)
        self._unmoved.discard(table)
        return tail

    def _load(self, table: int) -> Tail:
        rows = self._tables.rows(table)
        head = chain_of(rows)
        if head is None:
            raise Damaged(f"table {table}: all of its rows are missing")
        return self.follow(rows, head)
