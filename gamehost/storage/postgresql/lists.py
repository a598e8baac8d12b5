"""
The index of finished matches in a database, as `gamehost.storage.match_lists` describes it.
"""

from collections.abc import Iterable, Iterator

from gamehost.storage.match_lists import Ended, Ends, ended_among, ends_in, faults_in_words, lists_of
from gamehost.storage.postgresql.rows import COLUMNS
from gamehost.storage.postgresql.session import Session
from gamehost.storage.row_codec import Row

_NAMES = COLUMNS.split(", ")
_FIRST = ", ".join(f"first.{column}" for column in _NAMES)
_LAST = ", ".join(f"last.{column}" for column in _NAMES)
#: With the inner limit, the server looks each last row up. It would read all rows of a table else.
ENDS = f"""
    SELECT {_FIRST}, {_LAST} FROM chosen JOIN event AS first ON first.game = chosen.game AND first.n = 0
    CROSS JOIN LATERAL (SELECT {COLUMNS} FROM event WHERE event.game = chosen.game ORDER BY event.n DESC LIMIT 1) AS last"""
LIST = f"""
    WITH chosen AS MATERIALIZED (
        SELECT game FROM listed WHERE name = %s AND rules = %s AND game < %s ORDER BY game DESC LIMIT %s
    ) {ENDS} ORDER BY chosen.game DESC"""
MATCH = f"WITH chosen(game) AS (VALUES (%s::bigint)) {ENDS}"
_TABLES = f"WITH chosen AS MATERIALIZED (SELECT game FROM event WHERE n = 0) {ENDS} ORDER BY chosen.game"

_ADD = """
    INSERT INTO listed(name, rules, game) SELECT * FROM unnest(%s::text[], %s::text[], %s::bigint[]) ON CONFLICT DO NOTHING"""
_RIGHT = """
    SELECT count(*) FROM unnest(%s::text[], %s::text[], %s::bigint[]) AS one(name, rules, game)
    JOIN listed USING (name, rules, game)"""
#: Matches that are noted or compared with one statement.
_AT_ONCE = 500


def add_ended(session: Session, ended: Iterable[Ended]) -> None:
    """Note matches that have ended. Within a transaction."""
    columns = _columns(ended)
    if columns[0]:
        session.run(_ADD, columns)


def make_lists(session: Session) -> None:
    """Make the whole index from the rows. Within a transaction."""
    for some in _all_ended(session):
        add_ended(session, some)


def list_faults(session: Session) -> list[str]:
    """As `gamehost.storage.match_lists.list_faults`."""
    expected = right = 0
    for some in _all_ended(session):
        columns = _columns(some)
        expected += len(columns[0])
        right += session.rows(_RIGHT, columns)[0][0]
    return faults_in_words(session.rows("SELECT count(*) FROM listed")[0][0], right, expected)


def _columns(ended: Iterable[Ended]) -> tuple[list[str], list[str], list[int]]:
    rows = [(*one_list, one.table) for one in ended for one_list in lists_of(one.opening)]
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


def _all_ended(session: Session) -> Iterator[list[Ended]]:
    """All matches that have a result, some at a time."""
    some: list[Ended] = []
    for ends in _all_ends(session):
        some += ended_among(ends)
        if len(some) >= _AT_ONCE:
            yield some
            some = []
    yield some


def _all_ends(session: Session) -> Iterator[Ends]:
    width = len(Row._fields)
    for row in session.stream(_TABLES):
        yield Ends(Row._make(row[:width]), Row._make(row[width:]))


def ends_of(session: Session, sql: str, *parameters: object) -> list[Ends]:
    """The ends of the matches that `LIST` or `MATCH` finds."""
    return ends_in(session.rows(sql, parameters))
