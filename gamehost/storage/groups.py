"""
One group of changes, as it is committed: the rows, the tables that begin and end, the notes, and what is read with them.
"""

from collections.abc import Callable, Iterator, Sequence

from attrs import define, field

from gamehost.journal.records import Entry, EntryKind, TableId
from gamehost.storage.changes import Change, Note, Sleep
from gamehost.storage.questions import Reading
from gamehost.storage.row_codec import Head, Opened, Row, entry_row, finishes, opening_row


@define
class Group:
    """What one commit changes."""

    rows: list[Row] = field(factory=list)
    opened: list[int] = field(factory=list)
    #: Tables that were put away unfinished.
    archived: list[int] = field(factory=list)
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
                group.archived.append(table)
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
