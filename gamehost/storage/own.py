"""The lists of players' own matches in a store: one row for each player of a match."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

import msgspec
from attrs import frozen

from gamehost.journal.records import ENDED_KEPT_MS, MOST_ENDED, OwnedMatch, TableId
from gamehost.storage.contents import Note, Statement
from gamehost.storage.questions import Database, Readable

_PUT = """
    INSERT INTO own(owner, game, state, ended, body) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (owner, game) DO UPDATE SET state = excluded.state, ended = excluded.ended, body = excluded.body"""
_DROP_SURPLUS = f"""
    DELETE FROM own WHERE owner = ? AND ended IS NOT NULL AND game NOT IN (
        SELECT game FROM own WHERE owner = ? AND ended IS NOT NULL ORDER BY ended DESC, game DESC LIMIT {MOST_ENDED})"""
_DROP_OLD = "DELETE FROM own WHERE ended <= ?"


@frozen
class PutOwn:
    """As of `Journal.put_own`."""

    matches: Sequence[tuple[str, OwnedMatch]]

    def write(self, database: Database) -> None:
        rows = [(owner, one.table, one.state, one.ended, msgspec.msgpack.encode(one)) for owner, one in self.matches]
        for row in rows:
            database.run(_PUT, row)
        ended = [(owner, one.ended) for owner, one in self.matches if one.ended is not None]
        for owner, _ in ended:
            database.run(_DROP_SURPLUS, (owner, owner))
        if ended:
            database.run(_DROP_OLD, (max(at for _, at in ended) - ENDED_KEPT_MS,))


def drop_own(table: TableId | None, owner: str | None) -> Statement:
    """As of `Journal.drop_own`."""
    which = "game = ?" if table is not None else "ended IS NOT NULL"
    values: list[object] = [] if table is None else [table]
    if owner is not None:
        which, values = f"{which} AND owner = ?", [*values, owner]
    return Statement(f"DELETE FROM own WHERE {which}", values)


def move_own(before: str, after: str | None) -> list[Note]:
    """As of `Journal.move_own`: the changes, in their order."""
    drop = "DELETE FROM own WHERE owner = ?"
    if after is None:
        return [Statement(drop, (before,))]
    return [Statement(drop, (after,)), Statement("UPDATE own SET owner = ? WHERE owner = ?", (after, before))]


def read_own(database: Readable, owner: str) -> list[OwnedMatch]:
    """As of `Journal.find_own`. A match that this release cannot read is left out."""
    rows = database.rows("SELECT owner, body FROM own WHERE owner = ? ORDER BY game", (owner,))
    return [match for _, match in _decoded(rows)]


def read_all_own(database: Readable) -> list[tuple[str, OwnedMatch]]:
    """All lists, in a fixed order."""
    return list(_decoded(database.rows("SELECT owner, body FROM own ORDER BY owner, game")))


def read_own_of(database: Readable, tables: Sequence[int]) -> list[tuple[str, OwnedMatch]]:
    """What lists of players have of these tables, in a database."""
    return list(_decoded(database.rows("SELECT owner, body FROM own WHERE game = ANY(?)", (list(tables),))))


def _decoded(rows: Sequence[tuple[str, bytes]]) -> Iterator[tuple[str, OwnedMatch]]:
    for owner, body in rows:
        with suppress(msgspec.MsgspecError):
            yield owner, msgspec.msgpack.decode(body, type=OwnedMatch)
