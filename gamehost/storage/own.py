"""
In a store: the lists of each player's own matches, with one row for each player of a match; the leaves of players; and
the texts that accounts keep. During a leave, no deadline of the player's slow matches counts.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

import msgspec
from attrs import frozen

from gamehost.journal.records import ENDED_KEPT_MS, MOST_ENDED, KeptText, Leave, OwnedMatch, TableId
from gamehost.storage.contents import Note, Statement
from gamehost.storage.questions import Database, Readable

_PUT = """
    INSERT INTO own(owner, game, state, ended, body) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (owner, game) DO UPDATE SET state = excluded.state, ended = excluded.ended, body = excluded.body"""
_DROP_SURPLUS = f"""
    DELETE FROM own WHERE owner = ? AND ended IS NOT NULL AND game NOT IN (
        SELECT game FROM own WHERE owner = ? AND ended IS NOT NULL ORDER BY ended DESC, game DESC LIMIT {MOST_ENDED})"""
_DROP_OLD = "DELETE FROM own WHERE ended <= ?"
_LEAVES = "SELECT key, until, year, days FROM leave"
_PUT_LEAVE = """
    INSERT INTO leave(key, until, year, days) VALUES (?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET until = excluded.until, year = excluded.year, days = excluded.days"""
_PUT_KEPT = """
    INSERT INTO kept(key, place, body) VALUES (?, ?, ?)
    ON CONFLICT (key, place) DO UPDATE SET body = excluded.body"""
#: A leave is removed this long after its end. Before that it is needed, to count the days of leave in the same year.
_OVER_MS = 366 * 86_400_000


@frozen
class PutOwn:
    """Writes matches into the lists of their players. See `Journal.put_own`."""

    matches: Sequence[tuple[str, OwnedMatch]]

    def write(self, database: Database) -> None:
        """Write the rows. After the end of matches, also remove surplus and old ended matches."""
        rows = [(owner, one.table, one.state, one.ended, msgspec.msgpack.encode(one)) for owner, one in self.matches]
        for row in rows:
            database.run(_PUT, row)
        ended = [(owner, one.ended) for owner, one in self.matches if one.ended is not None]
        for owner, _ in ended:
            database.run(_DROP_SURPLUS, (owner, owner))
        if ended:
            # The newest of these ends counts as the time now.
            database.run(_DROP_OLD, (max(at for _, at in ended) - ENDED_KEPT_MS,))


def drop_own(table: TableId | None, owner: str | None) -> Statement:
    """
    Removes rows of the lists. See `Journal.drop_own`. Without a table, all ended matches are removed; without an owner,
    those of all owners.
    """
    which = "game = ?" if table is not None else "ended IS NOT NULL"
    values: list[object] = [] if table is None else [table]
    if owner is not None:
        which, values = f"{which} AND owner = ?", [*values, owner]
    return Statement(f"DELETE FROM own WHERE {which}", values)


def move_own(before: str, after: str | None) -> list[Note]:
    """
    The changes, in order, that give the list, the leave and the texts of one owner to another. See `Journal.move_own`.

    :param after: the key of the new owner; `None`: the list, the leave and the texts are deleted
    """
    changes: list[Note] = []
    for table, column in ("own", "owner"), ("leave", "key"), ("kept", "key"):
        which = f"WHERE {column} = ?"
        # Delete the rows that the new owner has already; without a new owner, the rows of the old one.
        changes.append(Statement(f"DELETE FROM {table} {which}", (before if after is None else after,)))
        if after is not None:
            changes.append(Statement(f"UPDATE {table} SET {column} = ? {which}", (after, before)))
    return changes


@frozen
class PutLeave:
    """Writes a leave, and removes old ones. See `Journal.put_leave`."""

    leave: Leave

    def write(self, database: Database) -> None:
        leave = self.leave
        database.run(_PUT_LEAVE, (leave.key, leave.until, leave.year, leave.days))
        database.run("DELETE FROM leave WHERE until <= ?", (leave.until - _OVER_MS,))


@frozen
class PutKept:
    """Writes or deletes a text of an account. See `Journal.put_kept`."""

    kept: KeptText

    def write(self, database: Database) -> None:
        """
        Write the text. Delete it instead if it is empty, or if it belongs to a table that is not in progress any more.
        """
        kept = self.kept
        if kept.text and (kept.table is None or database.rows("SELECT 1 FROM live WHERE game = ?", (kept.table,))):
            database.run(_PUT_KEPT, (kept.key, kept.place, kept.text))
        else:
            database.run("DELETE FROM kept WHERE key = ? AND place = ?", (kept.key, kept.place))


def read_kept(database: Readable, key: str, place: str) -> str:
    """A text of an account; empty: the account has no such text. See `Journal.find_kept`."""
    rows = database.rows("SELECT body FROM kept WHERE key = ? AND place = ?", (key, place))
    return str(rows[0][0]) if rows else ""


def read_all_kept(database: Readable) -> list[KeptText]:
    """The texts of all accounts, in a fixed order."""
    return [KeptText(*row) for row in database.rows("SELECT key, place, body FROM kept ORDER BY key, place")]


def read_leaves(database: Readable, keys: Sequence[str] | None = None) -> list[Leave]:
    """
    The leaves, in a fixed order.

    :param keys: only the leaves with these keys, in a database; `None`: all leaves
    """
    if keys is None:
        return [Leave(*row) for row in database.rows(f"{_LEAVES} ORDER BY key")]
    return [Leave(*row) for row in database.rows(f"{_LEAVES} WHERE key = ANY(?)", (list(keys),))]


def read_own(database: Readable, owner: str) -> list[OwnedMatch]:
    """See `Journal.find_own`. A match that this release cannot read is left out."""
    rows = database.rows("SELECT owner, body FROM own WHERE owner = ? ORDER BY game", (owner,))
    return [match for _, match in _decoded(rows)]


def read_all_own(database: Readable) -> list[tuple[str, OwnedMatch]]:
    """The rows of all lists with their owners, in a fixed order."""
    return list(_decoded(database.rows("SELECT owner, body FROM own ORDER BY owner, game")))


def read_own_of(database: Readable, tables: Sequence[int]) -> list[tuple[str, OwnedMatch]]:
    """The rows of these tables in all lists, with their owners. Only for a database."""
    return list(_decoded(database.rows("SELECT owner, body FROM own WHERE game = ANY(?)", (list(tables),))))


def _decoded(rows: Sequence[tuple[str, bytes]]) -> Iterator[tuple[str, OwnedMatch]]:
    """The matches in rows, with their owners. A match that this release cannot read is left out."""
    for owner, body in rows:
        with suppress(msgspec.MsgspecError):
            yield owner, msgspec.msgpack.decode(body, type=OwnedMatch)
