"""
Accounts: names that are protected by passwords.

Passwords are not stored, only their digests. A digest is computed by scrypt (RFC 7914) with a random salt. The parameters are
stored with each digest, so that later releases can use other ones. The `repr` of these classes shows no password, salt or
digest.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterable
from typing import Protocol

from attrs import Factory, field, frozen
from msgspec import Struct

from gamehost.accounts.names import key_of

SALT_BYTES = 16
HASH_BYTES = 32
#: The most characters of a password.
LONGEST_PASSWORD = 128
#: The fewest characters of a password for a new account, on wires that demand strong passwords.
SHORTEST_STRONG_PASSWORD = 8


class PasswordRefused(Exception):
    """A text cannot be a password. The message says why, and contains no part of the text."""


def checked_password(text: str) -> bytes:
    """
    Check that a text can be a password.

    :returns: the password as ASCII bytes, for its digest
    :raises PasswordRefused: the text does not consist of 1 to 128 printable ASCII characters
    """
    if not text:
        raise PasswordRefused("an empty password")
    if len(text) > LONGEST_PASSWORD or not (text.isascii() and text.isprintable()):
        raise PasswordRefused(f"a password has 1 to {LONGEST_PASSWORD} printable ASCII characters")
    return text.encode("ascii")


def check_strong_password(text: str, key: str) -> None:
    """
    Check that a password is strong enough for a new account.

    :param text: a password that `checked_password` accepts
    :param key: of the account's name
    :raises PasswordRefused: the password has fewer than 8 characters, or equals the account's name
    """
    if len(text) < SHORTEST_STRONG_PASSWORD:
        raise PasswordRefused(f"a new password has at least {SHORTEST_STRONG_PASSWORD} characters")
    if text.lower() == key:
        raise PasswordRefused("the password of a new account is not its name; expected another one")


class Cost(Struct, frozen=True):
    """
    The scrypt parameters of a digest.

    The time to compute it is proportional to n * r * p; it needs 128 * n * r bytes of memory. The defaults take about
    50 ms and 16 MiB.
    """

    n: int = 2**14
    r: int = 8
    p: int = 1

    @property
    def time(self) -> int:
        """A number that is proportional to the time of computing a digest, to compare two costs."""
        return self.n * self.r * self.p


#: The lowest cost, for hosts with a store in memory: their accounts are lost when the process ends.
CHEAP = Cost(n=2, r=1, p=1)


@frozen
class Digest:
    """The digest of a password, with its salt and the parameters by which it was computed."""

    cost: Cost
    salt: bytes = field(repr=False)
    hash: bytes = field(repr=False)

    @classmethod
    def of(cls, password: bytes, cost: Cost) -> "Digest":
        """Compute the digest of a password, with a new salt. This is slow on purpose, depending on `cost`."""
        salt = secrets.token_bytes(SALT_BYTES)
        return cls(cost, salt, _scrypt(password, salt, cost))

    def fits(self, password: bytes) -> bool:
        """Whether this is the digest of a password. This is slow on purpose, depending on the digest's `cost`."""
        return hmac.compare_digest(_scrypt(password, self.salt, self.cost), self.hash)


def _scrypt(password: bytes, salt: bytes, cost: Cost) -> bytes:
    """Compute the hash of a password by scrypt (RFC 7914), with these parameters."""
    # OpenSSL refuses to use more memory than `maxmem`: this is what it needs, and 1 MiB more.
    memory = 128 * cost.r * (cost.n + cost.p + 2)
    return hashlib.scrypt(
        password, salt=salt, n=cost.n, r=cost.r, p=cost.p, maxmem=memory + (1 << 20), dklen=HASH_BYTES
    )


@frozen
class Account:
    """A name that is protected by a password."""

    #: The name, spelled as in the first log-in.
    name: str
    digest: Digest
    #: The display name; empty: it equals the name.
    shown: str = ""
    #: The key of the name. It is computed if it is not given.
    key: str = field(default=Factory(lambda self: key_of(self.name), takes_self=True), kw_only=True)


class Accounts(Protocol):
    """
    The stored accounts, by the keys of their names.

    `find` returns a changed account at once, before the change is durable. When the change is durable, its callback is called
    in the reactor's thread, in the order of the changes. If a write fails, the store ends the process.

    Several hosts of a cluster may write to one store. If two of them add accounts with the same key at the same time, the
    store decides which account is added.
    """

    def find(self, key: str) -> Account | None:
        """The account with this key. It may not be durable yet."""

    def add(self, account: Account, added: Callable[[Account], None]) -> None:
        """
        Add an account, if no other account has its key.

        :param added: called with the account that has the key in the store. If this is another one, nothing was added
        """

    def change(self, account: Account, durable: Callable[[], None]) -> None:
        """
        Replace the digest of an account.

        :raises ValueError: no account has this key
        """

    def names(self) -> Iterable[str]:
        """The names of all accounts."""

    def rename(self, account: Account, name: str, durable: Callable[[], None]) -> Account:
        """
        Give an account another name. Its password does not change.

        :returns: the account under its new name
        :raises ValueError: there is no such account, or another one has the key of the new name
        """

    def delete(self, account: Account, durable: Callable[[], None]) -> None:
        """
        Delete an account, so that its name is free.

        :raises ValueError: there is no such account
        """


def renamed_in(accounts: dict[str, Account], account: Account, name: str) -> Account:
    """
    Rename an account in a dictionary of accounts by their keys.

    :returns: the account under its new name
    :raises ValueError: there is no such account, or another one has the key of the new name
    """
    renamed = Account(name, account.digest)  # without the old display name
    if accounts.get(account.key) != account:
        raise ValueError("there is no such account")
    # An equal key means that only the spelling changes.
    if renamed.key != account.key and renamed.key in accounts:
        raise ValueError("another account has this name")
    del accounts[account.key]
    accounts[renamed.key] = renamed
    return renamed


def deleted_in(accounts: dict[str, Account], account: Account) -> None:
    """
    Delete an account in a dictionary of accounts by their keys.

    :raises ValueError: there is no such account
    """
    if accounts.get(account.key) != account:
        raise ValueError("there is no such account")
    del accounts[account.key]
