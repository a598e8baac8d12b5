"""
What can be committed to a store. A store carries out the changes of a group in the order in which they were added.

A group is what one commit writes: the rows, the tables that begin and end, the notes, and what is read with them.

The rows of a match in which nobody has acted do not stay. They are needed while it is played, because its players have been
told of their seats and their cards, and until its end was told. Later nobody asks for it: it is in no list, and counts for
nobody. So a store removes its rows a minute after the end, when whoever followed it has read that.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from attrs import define, field, frozen

from gamehost.journal.records import Entry, EntryKind, TableHeader, TableId
from gamehost.storage.notes import Note, Sleep
from gamehost.storage.row_codec import (
    Damaged,
    Head,
    Opened,
    Row,
    Undecodable,
    chain_of,
    entry_row,
    finishes,
    opening_row,
    record_of,
)

#: A table's opening, or one of its entries.
Record: TypeAlias = tuple[TableId, TableHeader | Entry]


@define(eq=False)
class Reading:
    """
    A question in the writer's queue, between the changes: its answer holds all that was added before, and a table can be played
    on with it. It is of a start, or of one table whose player has come.
    """

    #: Called with the `gamehost.storage.contents.OpenStore`, on the writer's thread.
    ask: Callable[[Any], Any]
    answer: Any = None


#: All changes, and what is read in order with them.
Change: TypeAlias = Record | Note | Reading


@frozen
class UnreadableRow:
    """A table that is unfinished and cannot be continued, with the reason."""

    table: TableId
    why: str


class StoreFailed(Exception):
    """A write has failed before; the disk must be read again."""


#: Seconds for which the rows of a match stay in which nobody has acted, and between two looks whether they can go.
LINGER = 60.0
#: Nobody has acted in a match of at most so many entries, perhaps. A match of more is not looked at.
_FEW = 8
#: Matches that are looked at with one commit: some milliseconds.
_AT_ONCE = 20


@define
class Group:
    """What one commit changes."""

    rows: list[Row] = field(factory=list)
    opened: list[int] = field(factory=list)
    #: The last rows of tables that were put away unfinished.
    archived: list[Row] = field(factory=list)
    #: The last rows of matches that have got a result, and how each was opened.
    ended: list[tuple[Row, Opened | None]] = field(factory=list)
    notes: list[Note] = field(factory=list)
    readings: list[Reading] = field(factory=list)
    #: Where the chains of these tables go on after the commit; `None`: the table is not in use any more.
    heads: dict[int, Head | None] = field(factory=dict)

    def update_heads(self, heads: dict[int, Head]) -> None:
        """Note in `heads` where the chains go on."""
        for table, head in self.heads.items():
            if head is None:
                heads.pop(table, None)
            else:
                heads[table] = head

    @property
    def noted(self) -> bool:
        """Whether the group has more than rows and new tables."""
        return bool(self.notes or self.archived or self.ended)


def build_group(
    changes: Sequence[Change], numbers: Iterator[int], wall: Callable[[], float], head: Callable[[TableId], Head]
) -> Group:
    """
    :param numbers: of the rows, as the store chains them into their hashes
    :param wall: seconds since 1970
    :param head: where the chain of a table goes on, before this group
    """
    group = Group()
    rows, heads = group.rows, group.heads
    for change in changes:
        if isinstance(change, Reading):
            group.readings.append(change)
            continue
        if not isinstance(change, tuple):
            group.notes.append(change)
            if isinstance(change, Sleep) and change.since is not None:
                heads[change.table] = None
            continue
        table, record = change
        if isinstance(record, Entry):
            before = heads.get(table)
            if before is None and table in heads:
                before = _last_of(rows, table)
            before = before or head(table)
            row = entry_row(next(numbers), table, before, record)
            heads[table] = None if finishes(record) else Head(row.n, row.h, before.opened)
            if record.kind is EntryKind.ARCHIVED:
                # A table that has a result stays in the list until its players have been told.
                group.archived.append(row)
            elif finishes(record):
                group.ended.append((row, before.opened))
        else:
            row = opening_row(next(numbers), table, record, int(wall() * 1000))
            group.opened.append(table)
            heads[table] = Head(0, row.h, (row.seq, record))
        rows.append(row)
    return group


def _last_of(rows: Sequence[Row], table: TableId) -> Head | None:
    """Where a table that has fallen asleep within the group goes on; `None`: the group has no row of it."""
    return next((Head(row.n, row.h) for row in reversed(rows) if row.game == table), None)


@define(eq=False)
class UnplayedMatches:
    """
    The matches that have ended in this run, and in which perhaps nobody has acted. Those that a killed host has not removed
    stay in the store.
    """

    #: Seconds since 1970.
    _wall: Callable[[], float]
    #: When each is to be looked at.
    _ended: deque[tuple[float, int]] = field(factory=deque)

    def follow(self, group: Group) -> None:
        """Note what has ended with a group."""
        if group.ended or group.archived:
            self.later([row.game for row in (*group.archived, *(row for row, _ in group.ended)) if row.n <= _FEW])

    def later(self, tables: Iterable[int]) -> None:
        """Look at these tables after a while."""
        at = self._wall() + LINGER
        self._ended.extend((at, table) for table in tables)

    def due(self) -> list[int]:
        """The tables to be looked at now. Those that must stay for now are to be given to `later`."""
        if not self._ended or self._ended[0][0] > (now := self._wall()):
            return []
        tables: list[int] = []
        while self._ended and self._ended[0][0] <= now and len(tables) < _AT_ONCE:
            tables.append(self._ended.popleft()[1])
        return tables


def is_unplayed(rows: Sequence[Row]) -> bool:
    """
    Whether a table is finished, nobody has acted in it, and it counts nowhere. If it is damaged, that is to be found as in any
    other table, so it stays.
    """
    try:
        if chain_of(rows) is None:
            return False
        record = record_of(rows)
    except (Damaged, Undecodable):
        return False
    entries, opening = record.entries, record.opening
    return (
        0 < len(entries) <= len(opening.seats)
        and finishes(entries[-1])
        and all(entry.kind is not EntryKind.ACTED for entry in entries)
        and not opening.championship
    )
