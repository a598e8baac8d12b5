"""
One group of changes, as it is committed: the rows, the tables that begin and end, and the notes.

A group that has only rows and new tables is one statement, and so one round trip and one transaction.
"""

from collections.abc import Callable, Sequence

from attrs import define, field

from gamehost.journal.records import Entry, EntryKind, TableId
from gamehost.storage.changes import Change, Note, Sleep, StoreFailed
from gamehost.storage.postgresql.arrays import bytea_array, int2_array, int4_array, int8, int8_array
from gamehost.storage.postgresql.notes import write_note
from gamehost.storage.postgresql.session import Session
from gamehost.storage.questions import Question
from gamehost.storage.row_codec import Head, Row, entry_row, finishes, opening_row

_ROWS, _ROWS_AND_TABLES = b"rows", b"rows_and_tables"
_INSERT = (
    "INSERT INTO event(game, n, epoch, at_ms, kind, seat, body, h) SELECT game, n, $3::int8, at_ms, kind, seat, body, h "
    "FROM unnest($1::int8[], $2::int4[], $4::int8[], $5::int2[], $6::int2[], $7::bytea[], $8::bytea[]) "
    "AS new(game, n, at_ms, kind, seat, body, h)"
)
_OPEN = "WITH opened AS (INSERT INTO live(game, owner) SELECT game, $3::int8 FROM unnest($9::int8[]) AS new(game)) "


@define
class Group:
    """What one commit changes."""

    rows: list[Row] = field(factory=list)
    opened: list[int] = field(factory=list)
    #: Tables that were put away unfinished.
    archived: list[int] = field(factory=list)
    notes: list[Note] = field(factory=list)
    questions: list[Question] = field(factory=list)
    #: Where the chains of these tables go on after the commit; `None`: the table is not in use any more.
    heads: dict[int, Head | None] = field(factory=dict)

    @property
    def noted(self) -> bool:
        """Whether the group has more than rows and new tables."""
        return bool(self.notes or self.archived)


def build_group(
    changes: Sequence[Change], epoch: int, wall: Callable[[], float], head: Callable[[TableId], Head]
) -> Group:
    """
    :param epoch: the number of this life
    :param wall: seconds since 1970
    :param head: where the chain of a table goes on, before this group
    """
    group = Group()
    rows, heads = group.rows, group.heads
    for change in changes:
        if isinstance(change, Question):
            group.questions.append(change)
            continue
        if not isinstance(change, tuple):
            group.notes.append(change)
            if isinstance(change, Sleep) and change.since is not None:
                heads[change.table] = None
            continue
        table, record = change
        if isinstance(record, Entry):
            row = entry_row(epoch, table, heads.get(table) or _last_of(rows, table) or head(table), record)
            heads[table] = None if finishes(record) else Head(row.n, row.h)
            if record.kind is EntryKind.ARCHIVED:
                # A table that has a result stays in the list until its players have been told.
                group.archived.append(table)
        else:
            row = opening_row(epoch, table, record, int(wall() * 1000))
            group.opened.append(table)
            heads[table] = Head(0, row.h)
        rows.append(row)
    return group


def _last_of(rows: Sequence[Row], table: TableId) -> Head | None:
    """Where a table that has fallen asleep within the group goes on."""
    last = [row for row in rows if row.game == table][-1:]
    return Head(last[0].n, last[0].h) if last else None


def prepare(session: Session) -> None:
    """Prepare the statements of groups, once in each session."""
    session.prepare(_ROWS, _INSERT)
    session.prepare(_ROWS_AND_TABLES, _OPEN + _INSERT)


def write_group(session: Session, group: Group, epoch: int, number: int) -> None:
    """
    Commit a group.

    :param epoch: the number of this life
    :param number: of a group with notes, counted from 1 in this life

    :raises LineLost: the connection is lost, and nobody knows whether the group is committed
    :raises StoreFailed: any other error
    """
    if not group.noted:
        if group.rows:
            _insert(session, group)
        return
    session.run("BEGIN")
    if group.rows:
        _insert(session, group)
    if group.archived:
        # Not in the same statement: parts of one do not see each other's rows, and a table may be opened and put away at once.
        session.run("DELETE FROM live WHERE game = ANY(%s)", (group.archived,))
    for note in group.notes:
        write_note(note, session)
    if not session.run("UPDATE member SET noted = %s WHERE epoch = %s AND ended IS NULL", (number, epoch)):
        raise StoreFailed("another host has taken the journal over")
    session.run("COMMIT")


def _insert(session: Session, group: Group) -> None:
    epochs, games, numbers, times, kinds, seats, bodies, hashes = zip(*group.rows, strict=True)
    parameters = [
        int8_array(games),
        int4_array(numbers),
        int8(epochs[0]),
        int8_array(times),
        int2_array(kinds),
        int2_array(seats),
        bytea_array(bodies),
        bytea_array(hashes),
    ]
    if group.opened:
        session.run_prepared(_ROWS_AND_TABLES, [*parameters, int8_array(group.opened)])
    else:
        session.run_prepared(_ROWS, parameters)
