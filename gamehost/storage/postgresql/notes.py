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
    Told,
    Uptime,
)
from gamehost.storage.notes import ACCOUNT_COLUMNS, account_of, digest_columns
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
