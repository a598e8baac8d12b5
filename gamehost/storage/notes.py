"""
What is in an SQLite store beside the tables' records: accounts, proofs, bans, up-time, and notes of unfinished tables.
"""

from collections.abc import Iterable
from functools import singledispatch

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account, Cost, Digest
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
from gamehost.storage.database import Connection

#: Of an account, in the order of `account_of`.
ACCOUNT_COLUMNS = "name, n, r, p, salt, hash"


def read_accounts(connection: Connection) -> Iterable[Account]:
    """All accounts that were not deleted."""
    rows = connection.execute(f"SELECT {ACCOUNT_COLUMNS} FROM account WHERE name != ''").fetchall()
    return (account_of(*row) for row in rows)


def account_of(name: str, n: int, r: int, p: int, salt: bytes, made: bytes) -> Account:
    """An account from its columns."""
    return Account(name, Digest(Cost(n, r, p), salt, made))


def digest_columns(digest: Digest) -> tuple[int, int, int, bytes, bytes]:
    """The columns `n, r, p, salt, hash` of an account."""
    return digest.cost.n, digest.cost.r, digest.cost.p, digest.salt, digest.hash


def read_proofs(connection: Connection) -> Iterable[Proof]:
    """All proofs."""
    rows = connection.execute("SELECT key, of_address, digest, day FROM proof").fetchall()
    return (Proof(key, bool(of_address), digest, day) for key, of_address, digest, day in rows)


def read_bans(connection: Connection) -> Iterable[Ban]:
    """All bans."""
    return [Ban(*row) for row in connection.execute("SELECT key, target, since, until FROM ban").fetchall()]


def write_note(connection: Connection, note: Note) -> int:
    """
    Carry out a change. Within a transaction.

    :returns: how many accounts were added
    """
    return _write(note, connection) or 0


@singledispatch
def _write(note: Note, connection: Connection) -> int | None:
    raise TypeError(f"a store does not know changes of type {type(note).__name__}")


@_write.register
def _(note: Sleep, connection: Connection) -> None:
    connection.execute("UPDATE live SET since = ? WHERE game = ?", (note.since, note.table))


@_write.register
def _(note: Told, connection: Connection) -> None:
    if note.seat is None:
        connection.execute("DELETE FROM live WHERE game = ?", (note.table,))
    else:
        connection.execute("UPDATE live SET told = told | ? WHERE game = ?", (1 << note.seat, note.table))


@_write.register
def _(note: Uptime, connection: Connection) -> None:
    connection.execute("UPDATE uptime SET seconds = ?", (note.seconds,))


@_write.register
def _(note: Beat, connection: Connection) -> None:
    """A file has no cluster."""


@_write.register
def _(note: AddAccount, connection: Connection) -> int:
    account = note.account
    # The key is asked for first: an INSERT that may fail would need a temporary file.
    found = connection.execute(f"SELECT {ACCOUNT_COLUMNS} FROM account WHERE key = ?", (account.key,)).fetchone()
    if found is not None:
        note.owner = account_of(*found)
        return 0
    values = (account.key, account.name, *digest_columns(account.digest))
    connection.execute(f"INSERT INTO account(key, {ACCOUNT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", values)
    return 1


@_write.register
def _(note: ChangeAccount, connection: Connection) -> None:
    values = (*digest_columns(note.account.digest), note.account.key)
    connection.execute("UPDATE account SET n = ?, r = ?, p = ?, salt = ?, hash = ? WHERE key = ?", values)


@_write.register
def _(note: RenameAccount, connection: Connection) -> None:
    key, name = note.account.key, note.account.name
    if key != note.key and connection.execute("SELECT 1 FROM account WHERE key = ?", (key,)).fetchone():
        return
    connection.execute("UPDATE account SET key = ?, name = ? WHERE key = ?", (key, name, note.key))


@_write.register
def _(note: DeleteAccount, connection: Connection) -> None:
    # The row stays, without a name. The high-water mark counts accounts, and a start with fewer of them is refused.
    # No name has the character "!".
    grave = "key = '!' || hex(randomblob(16)), name = '', salt = x'', hash = x''"
    connection.execute(f"UPDATE account SET {grave} WHERE key = ?", (note.key,))


@_write.register
def _(note: PutProof, connection: Connection) -> None:
    proof = note.proof
    row = (proof.key, int(proof.of_address), proof.digest, proof.day)
    connection.execute("INSERT OR REPLACE INTO proof(key, of_address, digest, day) VALUES (?, ?, ?, ?)", row)


@_write.register
def _(note: DropProof, connection: Connection) -> None:
    connection.execute("DELETE FROM proof WHERE key = ? AND digest = ?", (note.proof.key, note.proof.digest))


@_write.register
def _(note: PutBan, connection: Connection) -> None:
    ban = note.ban
    row = (ban.key, ban.target, ban.since, ban.until)
    connection.execute("INSERT OR REPLACE INTO ban(key, target, since, until) VALUES (?, ?, ?, ?)", row)


@_write.register
def _(note: DropBan, connection: Connection) -> None:
    connection.execute("DELETE FROM ban WHERE key = ?", (note.key,))
