"""
What a database notes of the unfinished tables, so that a start finds out whether somebody has changed them while no host ran.

The number of the tables and the sum of their numbers are changed with the list itself. The newest row of each table is noted
about once a second and at the end of a life, because a note for each entry would cost as much as the entry.
"""

from collections.abc import Mapping, Sequence

from gamehost.journal.records import StoreUnusable, TableId
from gamehost.storage.changes import UnreadableRow
from gamehost.storage.postgresql.session import Session
from gamehost.storage.row_codec import Head

_NOTED = """
    SELECT noted.tables, found.tables, (noted.tables, noted.numbers) = (found.tables, found.numbers)
    FROM (SELECT coalesce(sum(tables), 0)::bigint AS tables, coalesce(sum(numbers), 0) AS numbers FROM member) AS noted,
    (SELECT count(*) AS tables, coalesce(sum(game), 0) AS numbers FROM live) AS found"""
_NOTE_ALL = """
    UPDATE member SET (tables, numbers) = (SELECT count(*), coalesce(sum(game), 0) FROM live WHERE owner = epoch)"""
#: The changed rows of `live` are counted for their owners.
_COUNT = "(SELECT owner, count(*) AS tables, sum(game) AS numbers FROM changed GROUP BY owner) AS counted"
_REMOVE = f"""
    WITH changed AS (DELETE FROM live WHERE game = ANY(%s) RETURNING owner, game)
    UPDATE member SET tables = member.tables - counted.tables, numbers = member.numbers - counted.numbers
    FROM {_COUNT} WHERE epoch = owner"""
_MOVE = f"""
    WITH changed AS (
        UPDATE live SET owner = %(heir)s, inherited = owner, since = coalesce(since, (SELECT seconds FROM uptime))
        WHERE owner = %(dead)s RETURNING inherited AS owner, game
    )
    UPDATE member SET tables = member.tables + sign * counted.tables, numbers = member.numbers + sign * counted.numbers
    FROM {_COUNT} CROSS JOIN (VALUES (%(heir)s::bigint, 1), (%(dead)s::bigint, -1)) AS two(life, sign) WHERE epoch = life"""
_NEWEST = """
    UPDATE live SET n = new.n, h = new.h FROM unnest(%s::int8[], %s::int4[], %s::bytea[]) AS new(game, n, h)
    WHERE live.game = new.game AND owner = %s"""
_MISSING = """
    SELECT live.game, live.n FROM live LEFT JOIN event ON event.game = live.game AND event.n = live.n AND event.h = live.h
    WHERE owner = %s AND live.n IS NOT NULL AND event.game IS NULL ORDER BY live.game"""


def check_list(session: Session) -> None:
    """
    Check that the list of unfinished tables is the one that was noted.

    :raises StoreUnusable: a table was taken from it or added to it
    """
    [(noted, found, same)] = session.rows(_NOTED)
    if not same:
        what = f"it has {found} tables, and {noted} were durable" if noted != found else "other tables are in it"
        raise StoreUnusable(
            f"the list of unfinished tables was changed: {what}. "
            "Put a right backup back, or start once with --accept-loss to go on with the list as it is"
        )


def note_list(session: Session) -> None:
    """Note the list of unfinished tables as it is, while nobody changes it."""
    session.run(_NOTE_ALL)


def remove(session: Session, tables: Sequence[int]) -> None:
    """Remove tables from the list. Within a transaction, or as one."""
    session.run(_REMOVE, (list(tables),))


def move(session: Session, dead: int, heir: int) -> None:
    """Give all tables of a life to another one. They sleep then. Within a transaction."""
    session.run(_MOVE, {"dead": dead, "heir": heir})


def note_newest(session: Session, epoch: int, newest: Mapping[int, Head]) -> None:
    """
    Note the newest rows of tables.

    :param epoch: the life that owns the tables
    """
    numbers, hashes = [head.n for head in newest.values()], [head.h for head in newest.values()]
    session.run(_NEWEST, (list(newest), numbers, hashes, epoch))


def missing(session: Session, epoch: int) -> list[UnreadableRow]:
    """The tables of a life whose noted row is not there any more."""
    return [
        UnreadableRow(TableId(table), f"table {table}: row {n} was durable, and is missing or was changed")
        for table, n in session.rows(_MISSING, (epoch,))
    ]
