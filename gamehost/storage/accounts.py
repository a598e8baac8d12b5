"""
The accounts in a store. The journal's writer writes them, in order with the tables' records.

All accounts are read at the start. Later look-ups are in memory. What other members of a cluster change is learned by `learn`.
"""

from collections import Counter
from collections.abc import Callable, Iterable

from attrs import define, field

from gamehost.accounts.passwords import Account, deleted_in, renamed_in
from gamehost.storage.changes import (
    AccountNote,
    AddAccount,
    ChangeAccount,
    DeleteAccount,
    RenameAccount,
)
from gamehost.storage.durable import DurableJournal


@define(eq=False)
class StoredAccounts:
    """
    Accounts that outlive the process.

    :param journal: the journal whose store they are in
    """

    _journal: DurableJournal
    _accounts: dict[str, Account] = field(init=False)
    #: Called when another member has added, changed or deleted an account: with the account of a key before and after that.
    learned: Callable[[Account | None, Account | None], None] = lambda before, after: None
    #: How many changes of a key are not durable yet.
    _pending: Counter[str] = field(init=False, factory=Counter)
    #: What was learned meanwhile.
    _learned: dict[str, Account | None] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        self._accounts = {account.key: account for account in self._journal.accounts()}

    def find(self, key: str) -> Account | None:
        return self._accounts.get(key)

    def names(self) -> Iterable[str]:
        """The names of all accounts."""
        return (account.name for account in self._accounts.values())

    def add(self, account: Account, added: Callable[[Account], None]) -> None:
        note = AddAccount(account)

        def answered() -> None:
            if note.owner is not account:
                self._accounts[account.key] = note.owner
            added(note.owner)

        self._write(note, answered, account.key)
        self._accounts.setdefault(account.key, account)

    def change(self, account: Account, durable: Callable[[], None]) -> None:
        """
        :raises ValueError: no account has this key
        """
        if account.key not in self._accounts:
            raise ValueError("there is no account of this name")
        self._write(ChangeAccount(account), durable, account.key)
        self._accounts[account.key] = account

    def rename(self, account: Account, name: str, durable: Callable[[], None]) -> Account:
        """
        :raises ValueError: there is no such account, or another one has the key of the new name
        """
        renamed = renamed_in(self._accounts, account, name)
        self._write(RenameAccount(renamed, account.key), durable, account.key, renamed.key)
        return renamed

    def delete(self, account: Account, durable: Callable[[], None]) -> None:
        """
        :raises ValueError: there is no such account
        """
        deleted_in(self._accounts, account)
        self._write(DeleteAccount(account.key), durable, account.key)

    def learn(self, key: str, account: Account | None) -> None:
        """
        Another member may have changed an account.

        An own change that is not durable yet counts meanwhile. The database shows it later, and then it is learned again.

        :param account: as the database has it; `None`: there is none
        """
        if self._pending[key]:
            self._learned[key] = account
            return
        before = self._accounts.pop(key, None)
        if account is not None:
            self._accounts[key] = account
        if before != account:
            self.learned(before, account)

    def _write(self, note: AccountNote, durable: Callable[[], None], *keys: str) -> None:
        """Write a change of these keys."""

        def settled() -> None:
            self._pending -= Counter(keys)
            durable()
            for key in keys:
                if not self._pending[key] and key in self._learned:
                    self.learn(key, self._learned.pop(key))

        self._pending.update(keys)
        self._journal.also(note, settled)
