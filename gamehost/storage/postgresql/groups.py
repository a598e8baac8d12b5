"""
Committing one group of changes: the rows, the tables that begin and end, and the notes.

A group that has only rows and new tables is one statement, and so one round trip and one transaction.
"""

from collections.abc import Iterable

from gamehost.storage.changes import StoreFailed, Told
from gamehost.storage.groups import Group
from gamehost.storage.match_lists import Ended
from gamehost.storage.postgresql.arrays import bytea_array, int2_array, int4_array, int8, int8_array
from gamehost.storage.postgresql.lists import add_ended
from gamehost.storage.postgresql.notes import write_note
from gamehost.storage.postgresql.session import Session
from gamehost.storage.postgresql.unfinished import remove

_ROWS, _ROWS_AND_TABLES = b"rows", b"rows_and_tables"
_INSERT = (
    "INSERT INTO event(game, n, epoch, at_ms, kind, seat, body, h) SELECT game, n, $3::int8, at_ms, kind, seat, body, h "
    "FROM unnest($1::int8[], $2::int4[], $4::int8[], $5::int2[], $6::int2[], $7::bytea[], $8::bytea[]) "
    "AS new(game, n, at_ms, kind, seat, body, h)"
)
_OPEN = """
    WITH opened AS (INSERT INTO live(game, owner) SELECT game, $3::int8 FROM unnest($9::int8[]) AS new(game)),
    counted AS (
        UPDATE member SET tables = member.tables + added.tables, numbers = member.numbers + added.numbers
        FROM (SELECT count(*) AS tables, sum(game) AS numbers FROM unnest($9::int8[]) AS new(game)) AS added
        WHERE epoch = $3::int8
    ) """


def prepare(session: Session) -> None:
    """Prepare the statements of groups, once in each session."""
    session.prepare(_ROWS, _INSERT)
    session.prepare(_ROWS_AND_TABLES, _OPEN + _INSERT)


def write_group(session: Session, group: Group, epoch: int, number: int, ended: Iterable[Ended] = ()) -> None:
    """
    Commit a group.

    :param epoch: the number of this life
    :param number: of a group with notes, counted from 1 in this life
    :param ended: the matches that end with it. They are asked for when its rows are inserted

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
    add_ended(session, ended)
    over = list(group.archived)
    for note in group.notes:
        if isinstance(note, Told) and note.seat is None:
            over.append(note.table)
        else:
            write_note(note, session)
    if over:
        # Not in the same statement: parts of one do not see each other's rows, and a table may be opened and put away at once.
        remove(session, over)
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
