"""
The accounts in a store. The journal's writer writes them, in order with the tables' records.

All accounts are read at the start. Later look-ups are in memory.
"""

from collections.abc import Callable, Iterable

from attrs import define, field

from gamehost.accounts.passwords import Account, deleted_in, renamed_in
from gamehost.accounts.proofs import Proof
from gamehost.storage.changes import AddAccount, ChangeAccount, DeleteAccount, DropProof, PutProof, RenameAccount
from gamehost.storage.durable import DurableJournal, nothing


@define(eq=False)
class StoredAccounts:
    """
    Accounts that outlive the process.

    :param journal: the journal whose store they are in
    """

    _journal: DurableJournal
    _accounts: dict[str, Account] = field(init=False)

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

        self._journal.also(note, answered)
        self._accounts.setdefault(account.key, account)

    def change(self, account: Account, durable: Callable[[], None]) -> None:
        """
        :raises ValueError: no account has this key
        """
        if account.key not in self._accounts:
            raise ValueError("there is no account of this name")
        self._journal.also(ChangeAccount(account), durable)
        self._accounts[account.key] = account

    def rename(self, account: Account, name: str, durable: Callable[[], None]) -> Account:
        """
        :raises ValueError: there is no such account, or another one has the key of the new name
        """
        renamed = renamed_in(self._accounts, account, name)
        self._journal.also(RenameAccount(renamed, account.key), durable)
        return renamed

    def delete(self, account: Account, durable: Callable[[], None]) -> None:
        """
        :raises ValueError: there is no such account
        """
        deleted_in(self._accounts, account)
        self._journal.also(DeleteAccount(account.key), durable)


@define(eq=False)
class StoredProofs:
    """
    Proofs that outlive the process.

    :param journal: the journal whose store they are in
    """

    _journal: DurableJournal

    def proofs(self) -> Iterable[Proof]:
        return self._journal.proofs()

    def put_proof(self, proof: Proof) -> None:
        self._journal.also(PutProof(proof), nothing)

    def drop_proof(self, proof: Proof) -> None:
        self._journal.also(DropProof(proof), nothing)
