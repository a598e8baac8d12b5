"""
The accounts on disk. They are in the journal's store, and the journal's writer writes them.

All accounts are read at the start. Later look-ups are in memory.
"""

from collections.abc import Callable

from attrs import define, field

from gamehost.accounts.passwords import Account, Cost, Digest
from gamehost.storage.sqlite import SqliteJournal
from gamehost.storage.store import Statement

_ALL = "SELECT name, n, r, p, salt, hash FROM account"
_ADD = "INSERT INTO account(key, name, n, r, p, salt, hash) VALUES (?, ?, ?, ?, ?, ?, ?)"
_CHANGE = "UPDATE account SET n = ?, r = ?, p = ?, salt = ?, hash = ? WHERE key = ?"


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
