"""
The accounts on disk. They are in the journal's store, and the journal's writer writes them.

All accounts are read at the start. Later look-ups are in memory.
"""

from collections.abc import Callable, Iterable

from attrs import define, field

from gamehost.accounts.passwords import Account, Cost, Digest
from gamehost.accounts.proofs import Proof
from gamehost.storage.sqlite import SqliteJournal
from gamehost.storage.store import Statement

_ALL = "SELECT name, n, r, p, salt, hash FROM account"
_ADD = "INSERT INTO account(key, name, n, r, p, salt, hash) VALUES (?, ?, ?, ?, ?, ?, ?)"
_CHANGE = "UPDATE account SET n = ?, r = ?, p = ?, salt = ?, hash = ? WHERE key = ?"

_PROOFS = "SELECT key, of_address, digest, day FROM proof"
_PUT_PROOF = "INSERT OR REPLACE INTO proof(key, of_address, digest, day) VALUES (?, ?, ?, ?)"
_DROP_PROOF = "DELETE FROM proof WHERE key = ? AND digest = ?"


@define(eq=False)
class SqliteAccounts:
    """
    Accounts that outlive the process.

    :param journal: the journal whose store they are in
    """

    _journal: SqliteJournal
    _accounts: dict[str, Account] = field(init=False)

    def __attrs_post_init__(self) -> None:
        accounts = (
            Account(name, Digest(Cost(n, r, p), salt, made)) for name, n, r, p, salt, made in self._journal.rows(_ALL)
        )
        self._accounts = {account.key: account for account in accounts}

    def find(self, key: str) -> Account | None:
        return self._accounts.get(key)

    def names(self) -> Iterable[str]:
        """The names of all accounts."""
        return (account.name for account in self._accounts.values())

    def add(self, account: Account, durable: Callable[[], None]) -> None:
        """
        :raises ValueError: an account has this key
        """
        if account.key in self._accounts:
            raise ValueError("there is an account of this name")
        self._journal.also(Statement(_ADD, (account.key, account.name, *_columns(account.digest)), accounts=1), durable)
        self._accounts[account.key] = account

    def change(self, account: Account, durable: Callable[[], None]) -> None:
        """
        :raises ValueError: no account has this key
        """
        if account.key not in self._accounts:
            raise ValueError("there is no account of this name")
        self._journal.also(Statement(_CHANGE, (*_columns(account.digest), account.key)), durable)
        self._accounts[account.key] = account


def _columns(digest: Digest) -> tuple[int, int, int, bytes, bytes]:
    return (digest.cost.n, digest.cost.r, digest.cost.p, digest.salt, digest.hash)


@define(eq=False)
class SqliteProofs:
    """
    Proofs that outlive the process.

    :param journal: the journal whose store they are in
    """

    _journal: SqliteJournal

    def proofs(self) -> Iterable[Proof]:
        return [Proof(key, bool(of_address), digest, day) for key, of_address, digest, day in self._rows()]

    def _rows(self) -> list[tuple[str, int, bytes, int]]:
        return self._journal.rows(_PROOFS)

    def put_proof(self, proof: Proof) -> None:
        row = (proof.key, int(proof.of_address), proof.digest, proof.day)
        self._journal.also(Statement(_PUT_PROOF, row), lambda: None)

    def drop_proof(self, proof: Proof) -> None:
        self._journal.also(Statement(_DROP_PROOF, (proof.key, proof.digest)), lambda: None)
