"""
What is in a store beside the tables' records: accounts, proofs, bans, up-time, and notes of unfinished tables.
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
from gamehost.storage.reads import Database, Readable, Sql

#: Of an account, in the order of `account_of`.
ACCOUNT_COLUMNS = "name, n, r, p, salt, hash"
_ACCOUNT = f"SELECT {ACCOUNT_COLUMNS} FROM account WHERE key = ?"
#: The changed rows of `live` are counted for their owners in a database.
COUNTED = "(SELECT owner, count(*) AS tables, sum(game) AS numbers FROM changed GROUP BY owner) AS counted"
REMOVE = Sql(
    "DELETE FROM live WHERE game = ?",
    f"""WITH changed AS (DELETE FROM live WHERE game = ? RETURNING owner, game)
    UPDATE member SET tables = member.tables - counted.tables, numbers = member.numbers - counted.numbers
    FROM {COUNTED} WHERE epoch = owner""",
)
#: Other members of a cluster note their up-time, too.
_UPTIME = Sql("UPDATE uptime SET seconds = ?", "UPDATE uptime SET seconds = greatest(seconds, ?)")
#: In a file the row stays, without a name. The high-water mark counts accounts, and a start with fewer is refused. No name has
#: the character "!".
_DELETE = Sql(
    "UPDATE account SET key = '!' || hex(randomblob(16)), name = '', salt = x'', hash = x'' WHERE key = ?",
    "DELETE FROM account WHERE key = ?",
)


def read_accounts(database: Readable) -> Iterable[Account]:
    """All accounts that were not deleted."""
    rows = database.rows(f"SELECT {ACCOUNT_COLUMNS} FROM account WHERE name <> '' ORDER BY key")
    return (account_of(*row) for row in rows)


def account_of(name: str, n: int, r: int, p: int, salt: bytes, made: bytes) -> Account:
    """An account from its columns."""
    return Account(name, Digest(Cost(n, r, p), salt, made))


def digest_columns(digest: Digest) -> tuple[int, int, int, bytes, bytes]:
    """The columns `n, r, p, salt, hash` of an account."""
    return digest.cost.n, digest.cost.r, digest.cost.p, digest.salt, digest.hash


def read_proofs(database: Readable) -> Iterable[Proof]:
    """All proofs."""
    rows = database.rows("SELECT key, of_address, digest, day FROM proof")
    return (Proof(key, bool(of_address), digest, day) for key, of_address, digest, day in rows)


def read_bans(database: Readable) -> Iterable[Ban]:
    """All bans."""
    return [Ban(*row) for row in database.rows("SELECT key, target, since, until FROM ban")]


def read_uptime(database: Readable) -> int:
    """For how many seconds hosts have run on a store, as far as it was noted."""
    return int(database.rows("SELECT seconds FROM uptime")[0][0])


@singledispatch
def write_note(note: Note, database: Database) -> None:
    """Carry out a change. Within a transaction."""
    raise TypeError(f"a store does not know changes of type {type(note).__name__}")


@write_note.register
def _(note: Sleep, database: Database) -> None:
    database.run("UPDATE live SET since = ? WHERE game = ?", (note.since, note.table))


@write_note.register
def _(note: Told, database: Database) -> None:
    if note.seat is None:
        database.run(REMOVE, (note.table,))
    else:
        database.run("UPDATE live SET told = told | ? WHERE game = ?", (1 << note.seat, note.table))


@write_note.register
def _(note: Uptime, database: Database) -> None:
    database.run(_UPTIME, (note.seconds,))


@write_note.register
def _(note: Beat, database: Database) -> None:
    # The sign of life itself is that the group has a note. A file has no cluster.
    note.last_table = database.rows(Sql("SELECT 0", "SELECT coalesce(max(game), 0) FROM event"))[0][0]


@write_note.register
def _(note: AddAccount, database: Database) -> None:
    account = note.account
    # The key is asked for first: an INSERT that may fail would need a temporary file.
    if not (found := database.rows(_ACCOUNT, (account.key,))):
        columns = (account.key, account.name, *digest_columns(account.digest))
        insert = (
            f"INSERT INTO account(key, {ACCOUNT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING"
        )
        database.run(insert, columns)
        found = database.rows(_ACCOUNT, (account.key,))
        note.added = True
    owner = account_of(*found[0])
    note.owner = account if owner == account else owner


@write_note.register
def _(note: ChangeAccount, database: Database) -> None:
    columns = (*digest_columns(note.account.digest), note.account.key)
    database.run("UPDATE account SET n = ?, r = ?, p = ?, salt = ?, hash = ? WHERE key = ?", columns)


@write_note.register
def _(note: RenameAccount, database: Database) -> None:
    key, rename = note.account.key, "UPDATE account SET key = ?, name = ? WHERE key = ?"
    if key == note.key:
        database.run(rename, (key, note.account.name, key))
    else:
        free = "NOT EXISTS (SELECT 1 FROM account WHERE key = ?)"
        database.run(f"{rename} AND {free}", (key, note.account.name, note.key, key))


@write_note.register
def _(note: DeleteAccount, database: Database) -> None:
    database.run(_DELETE, (note.key,))


@write_note.register
def _(note: PutProof, database: Database) -> None:
    proof = note.proof
    database.run(
        "INSERT INTO proof(key, of_address, digest, day) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (key, digest) DO UPDATE SET of_address = excluded.of_address, day = excluded.day",
        (proof.key, proof.of_address, proof.digest, proof.day),
    )


@write_note.register
def _(note: DropProof, database: Database) -> None:
    database.run("DELETE FROM proof WHERE key = ? AND digest = ?", (note.proof.key, note.proof.digest))


@write_note.register
def _(note: PutBan, database: Database) -> None:
    ban = note.ban
    database.run(
        "INSERT INTO ban(key, target, since, until) VALUES (?, ?, ?, ?) ON CONFLICT (key) "
        "DO UPDATE SET target = excluded.target, since = excluded.since, until = excluded.until",
        (ban.key, ban.target, ban.since, ban.until),
    )


@write_note.register
def _(note: DropBan, database: Database) -> None:
    database.run("DELETE FROM ban WHERE key = ?", (note.key,))
