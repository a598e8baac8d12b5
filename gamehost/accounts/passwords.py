"""
What an account is: a name, and a digest of its password.

A password is never kept: only what scrypt (RFC 7914) makes of it and a salt, with the parameters that it was made with, so
that they can be raised later. Nothing here shows a password or a digest when it is printed.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from typing import Protocol

from attrs import Factory, field, frozen

from gamehost.accounts.names import key_of

SALT_BYTES = 16
HASH_BYTES = 32
LONGEST_PASSWORD = 128


class PasswordRefused(Exception):
    """What cannot be a password; the message says why, and holds nothing of it."""


def checked_password(text: str) -> bytes:
    """
    A password as it is worked on.

    :raises PasswordRefused: not 1 to 128 printable ASCII characters
    """
    if not text:
        raise PasswordRefused("an empty password")
    if len(text) > LONGEST_PASSWORD or not (text.isascii() and text.isprintable()):
        raise PasswordRefused(f"a password has 1 to {LONGEST_PASSWORD} printable ASCII characters")
    return text.encode("ascii")


@frozen
class Cost:
    """What one digest costs: time as n * r * p, memory as 128 * n * r bytes; with these, 50 ms and 16 MiB."""

    n: int = 2**14
    r: int = 8
    p: int = 1

    @property
    def time(self) -> int:
        """For comparing."""
        return self.n * self.r * self.p


@frozen
class Digest:
    """What is kept of a password."""

    cost: Cost
    salt: bytes = field(repr=False)
    hash: bytes = field(repr=False)

    @classmethod
    def of(cls, password: bytes, cost: Cost) -> "Digest":
        """A password's digest, under a new salt. Takes the time that `cost` says."""
        salt = secrets.token_bytes(SALT_BYTES)
        return cls(cost, salt, _scrypt(password, salt, cost))

    def fits(self, password: bytes) -> bool:
        """Whether this is the password. Takes the time that the digest's own cost says."""
        return hmac.compare_digest(_scrypt(password, self.salt, self.cost), self.hash)


def _scrypt(password: bytes, salt: bytes, cost: Cost) -> bytes:
    memory = 128 * cost.r * (cost.n + cost.p + 2)
    return hashlib.scrypt(
        password, salt=salt, n=cost.n, r=cost.r, p=cost.p, maxmem=memory + (1 << 20), dklen=HASH_BYTES
    )


@frozen
class Account:
    """A name that only those who know its password may use."""

    #: As it was first written.
    name: str
    digest: Digest
    key: str = field(init=False, default=Factory(lambda self: key_of(self.name), takes_self=True))


class Accounts(Protocol):
    """
    The book of accounts, by the keys of their names.

    What was written down is found at once, and is durable when the callback has come; callbacks come in the order of the
    calls, on the reactor's thread. A book that cannot keep its promise does not call back: it ends the process.
    """

    def find(self, key: str) -> Account | None:
        """The account of this key, durable or not yet."""

    def add(self, account: Account, durable: Callable[[], None]) -> None:
        """
        A new account.

        :raises ValueError: there is one of this key
        """

    def change(self, account: Account, durable: Callable[[], None]) -> None:
        """
        A new digest for an account.

        :raises ValueError: there is none of this key
        """
