"""
What is in a store beside the tables' records: accounts, proofs, bans, up-time, and notes of unfinished tables.
"""

from collections.abc import Iterable
from functools import singledispatch

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account
from gamehost.accounts.proofs import Proof
from gamehost.storage.changes import (
    AddAccount,
    Beat,
    ChangeAccount,
    DeleteAccount,
    DropBan,
    DropProof,
    Note,
    PutBan,
    PutProof,
    RenameAccount,
    Sleep,
    StoreFailed,
    Told,
    Uptime,
)
from gamehost.storage.groups import Group
from gamehost.storage.match_lists import Ended
from gamehost.storage.notes import ACCOUNT_COLUMNS, account_of, digest_columns
from gamehost.storage.postgresql.lists import add_ended
from gamehost.storage.postgresql.rows import bytea_array, int2_array, int4_array, int8, int8_array
from gamehost.storage.postgresql.session import Session
from gamehost.storage.postgresql.unfinished import remove


def read_accounts(session: Session) -> Iterable[Account]:
    """All accounts."""
    return [account_of(*row) for row in session.rows(f"SELECT {ACCOUNT_COLUMNS} FROM account ORDER BY key")]


def read_proofs(session: Session) -> Iterable[Proof]:
    """All proofs."""
    return [Proof(*row) for row in session.rows("SELECT key, of_address, digest, day FROM proof")]


def read_bans(session: Session) -> Iterable[Ban]:
    """All bans."""
    return [Ban(*row) for row in session.rows("SELECT key, target, since, until FROM ban")]


@singledispatch
def write_note(note: Note, session: Session) -> None:
    """Carry out a change. Within a transaction."""
    raise TypeError(f"a store does not know changes of type {type(note).__name__}")


@write_note.register
def _(note: Sleep, session: Session) -> None:
    session.run("UPDATE live SET since = %s WHERE game = %s", (note.since, note.table))


@write_note.register
def _(note: Told, session: Session) -> None:
    if note.seat is None:
        remove(session, (note.table,))
    else:
        session.run("UPDATE live SET told = told | %s WHERE game = %s", (1 << note.seat, note.table))


@write_note.register
def _(note: Uptime, session: Session) -> None:
    # Other members of a cluster note theirs.
    session.run("UPDATE uptime SET seconds = greatest(seconds, %s)", (note.seconds,))


@write_note.register
def _(note: Beat, session: Session) -> None:
    # The sign of life itself is that the group has a note.
    note.last_table = session.rows("SELECT coalesce(max(game), 0) FROM event")[0][0]


@write_note.register
def _(note: AddAccount, session: Session) -> None:
    account = note.account
    values = (account.key, account.name, *digest_columns(account.digest))
    session.run(
        f"INSERT INTO account(key, {ACCOUNT_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (key) DO NOTHING",
        values,
    )
    [found] = session.rows(f"SELECT {ACCOUNT_COLUMNS} FROM account WHERE key = %s", (account.key,))
    owner = account_of(*found)
    note.owner = account if owner == account else owner


@write_note.register
def _(note: ChangeAccount, session: Session) -> None:
    values = (*digest_columns(note.account.digest), note.account.key)
    session.run("UPDATE account SET n = %s, r = %s, p = %s, salt = %s, hash = %s WHERE key = %s", values)


@write_note.register
def _(note: RenameAccount, session: Session) -> None:
    session.run(
        "UPDATE account SET key = %(key)s, name = %(name)s WHERE key = %(old)s "
        "AND (%(key)s = %(old)s OR NOT EXISTS (SELECT 1 FROM account WHERE key = %(key)s))",
        {"key": note.account.key, "name": note.account.name, "old": note.key},
    )


@write_note.register
def _(note: DeleteAccount, session: Session) -> None:
    session.run("DELETE FROM account WHERE key = %s", (note.key,))


@write_note.register
def _(note: PutProof, session: Session) -> None:
    proof = note.proof
    session.run(
        "INSERT INTO proof(key, of_address, digest, day) VALUES (%s, %s, %s, %s) "
        "ON CONFLICT (key, digest) DO UPDATE SET of_address = excluded.of_address, day = excluded.day",
        (proof.key, proof.of_address, proof.digest, proof.day),
    )


@write_note.register
def _(note: DropProof, session: Session) -> None:
    session.run("DELETE FROM proof WHERE key = %s AND digest = %s", (note.proof.key, note.proof.digest))


@write_note.register
def _(note: PutBan, session: Session) -> None:
    ban = note.ban
    session.run(
        "INSERT INTO ban(key, target, since, until) VALUES (%s, %s, %s, %s) ON CONFLICT (key) "
        "DO UPDATE SET target = excluded.target, since = excluded.since, until = excluded.until",
        (ban.key, ban.target, ban.since, ban.until),
    )


@write_note.register
def _(note: DropBan, session: Session) -> None:
    session.run("DELETE FROM ban WHERE key = %s", (note.key,))


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
