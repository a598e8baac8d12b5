"""
What is in a store beside the tables' records: accounts, proofs, bans, up-time, and notes of unfinished tables.

A change of these is a note. It has its own SQL, for both engines.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from attrs import define, field, frozen

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account, Cost, Digest
from gamehost.accounts.proofs import Proof
from gamehost.games.base import Seat
from gamehost.journal.records import TableId
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
_UPTIME = Sql("UPDATE uptime SET seconds = ?", "UPDATE uptime SET seconds = greatest(seconds, ?)")
_INSERT_ACCOUNT = (
    f"INSERT INTO account(key, {ACCOUNT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING"
)
_CHANGE_ACCOUNT = "UPDATE account SET n = ?, r = ?, p = ?, salt = ?, hash = ? WHERE key = ?"
_RENAME = "UPDATE account SET key = ?, name = ? WHERE key = ?"
_PUT_PROOF = """
    INSERT INTO proof(key, of_address, digest, day) VALUES (?, ?, ?, ?)
    ON CONFLICT (key, digest) DO UPDATE SET of_address = excluded.of_address, day = excluded.day"""
_PUT_BAN = """
    INSERT INTO ban(key, target, since, until) VALUES (?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET target = excluded.target, since = excluded.since, until = excluded.until"""
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


def _digest_columns(digest: Digest) -> tuple[int, int, int, bytes, bytes]:
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


class Note(Protocol):
    """A change that is no row of a table's record."""

    def write(self, database: Database) -> None:
        """Carry it out. Within a transaction."""


@frozen
class Sleep:
    """The last player of an unfinished table is gone, or one has come back."""

    table: TableId
    #: In seconds of up-time; `None`: a player is there.
    since: int | None

    def write(self, database: Database) -> None:
        database.run("UPDATE live SET since = ? WHERE game = ?", (self.since, self.table))


@frozen
class Told:
    """A player has been told the end of a finished table."""

    table: TableId
    #: `None`: nobody else is to be told.
    seat: Seat | None

    def write(self, database: Database) -> None:
        if self.seat is None:
            database.run(REMOVE, (self.table,))
        else:
            database.run("UPDATE live SET told = told | ? WHERE game = ?", (1 << self.seat, self.table))


@define(eq=False)
class AddAccount:
    """Add an account, if its key is free."""

    account: Account
    #: The account that has the key after the commit: this one, or the one that had it before. Until then, as this host knows.
    owner: Account = field(init=False)
    #: Whether the key was free, as far as this host saw before the commit.
    added: bool = field(init=False, default=False)

    def __attrs_post_init__(self) -> None:
        self.owner = self.account

    def write(self, database: Database) -> None:
        account = self.account
        # The key is asked for first: an INSERT that may fail would need a temporary file.
        if not (found := database.rows(_ACCOUNT, (account.key,))):
            database.run(_INSERT_ACCOUNT, (account.key, account.name, *_digest_columns(account.digest)))
            found = database.rows(_ACCOUNT, (account.key,))
            self.added = True
        owner = account_of(*found[0])
        self.owner = account if owner == account else owner


@frozen
class Statement:
    """A note that is one statement."""

    sql: str | Sql
    #: They may be secret.
    parameters: Sequence[Any] = field(repr=False)

    def write(self, database: Database) -> None:
        database.run(self.sql, self.parameters)


def put_uptime(seconds: int) -> Statement:
    """For how many seconds hosts have run on the store. Other members of a cluster note theirs, too."""
    return Statement(_UPTIME, (seconds,))


def change_account(account: Account) -> Statement:
    """Replace the digest of an account."""
    return Statement(_CHANGE_ACCOUNT, (*_digest_columns(account.digest), account.key))


def rename_account(account: Account, key: str) -> Statement:
    """
    Give an account another name, whose key is free.

    :param account: under its new name
    :param key: the key that it had
    """
    if account.key == key:
        return Statement(_RENAME, (key, account.name, key))
    free = "NOT EXISTS (SELECT 1 FROM account WHERE key = ?)"
    return Statement(f"{_RENAME} AND {free}", (account.key, account.name, key, account.key))


def delete_account(key: str) -> Statement:
    """Delete the name and the digest of an account."""
    return Statement(_DELETE, (key,))


def put_proof(proof: Proof) -> Statement:
    """Add a proof, or replace the one with the same key and digest."""
    return Statement(_PUT_PROOF, (proof.key, proof.of_address, proof.digest, proof.day))


def drop_proof(proof: Proof) -> Statement:
    """Remove a proof, if it is there."""
    return Statement("DELETE FROM proof WHERE key = ? AND digest = ?", (proof.key, proof.digest))


def put_ban(ban: Ban) -> Statement:
    """Add a ban, or replace the one with the same key."""
    return Statement(_PUT_BAN, (ban.key, ban.target, ban.since, ban.until))


def drop_ban(key: str) -> Statement:
    """Remove a ban, if it is there."""
    return Statement("DELETE FROM ban WHERE key = ?", (key,))
