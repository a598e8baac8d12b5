"""
Remembered log-ins: the devices on which an account is logged in without its password.

A device that has shown the password may get a random key. It logs in with that key later. The store has one row for
each key, with the digest of the key. So nobody can log in with a copy of the store, and each row can be removed alone.

The digest depends on the account's password, too. After a change of the password no older key counts.
"""

import hmac
import re
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Protocol

from attrs import evolve, field, frozen

from gamehost.accounts.passwords import Account
from gamehost.accounts.proofs import SECONDS_PER_DAY

#: Days without use after which a remembered log-in ends.
IDLE_DAYS = 90
#: The most remembered log-ins of one account. With one more, the log-in that was used longest ago is removed.
MOST_REMEMBERED = 20

REMEMBERED_KEY_BITS = 256
#: How a key is written.
REMEMBERED_KEY = re.compile(rf"[0-9a-f]{{{REMEMBERED_KEY_BITS // 4}}}", re.ASCII)


@frozen
class RememberedLogin:
    """One row of the store."""

    #: The digest of the key and of the account's digest.
    digest: bytes = field(repr=False)
    #: The account's key.
    account: str
    #: The device's name in lists, which its program has given; it may be empty.
    device: str
    #: The first and the last day on which it was used, in days since 1970.
    made: int
    seen: int

    @property
    def id(self) -> str:
        """Identifies this log-in among those of its account. It is no secret."""
        return self.digest[:8].hex()


class RememberedStore(Protocol):
    """The store of remembered log-ins. All callbacks are called in the reactor's thread, at once or later."""

    def put(self, login: RememberedLogin, durable: Callable[[], None]) -> None:
        """Add a log-in, or replace the one with the same digest. Drop those of its account that are too old or too many."""

    def find(self, digest: bytes, found: Callable[[RememberedLogin | None], None]) -> None:
        """Find the log-in with a digest."""

    def of(self, account: str, found: Callable[[Sequence[RememberedLogin]], None]) -> None:
        """Find the log-ins of an account, the one that was used last first."""

    def drop(self, account: str, digests: Sequence[bytes], durable: Callable[[], None]) -> None:
        """Remove these log-ins of an account."""

    def drop_all(self, account: str, durable: Callable[[], None]) -> None:
        """Remove all log-ins of an account."""


class MemoryRemembered:
    """Remembered log-ins that end with the process, for tests and for a host without a store."""

    def __init__(self) -> None:
        self._logins: dict[bytes, RememberedLogin] = {}

    def put(self, login: RememberedLogin, durable: Callable[[], None]) -> None:
        self._logins[login.digest] = login
        kept = [one for one in self._of(login.account)[:MOST_REMEMBERED] if login.seen - one.seen < IDLE_DAYS]
        for one in self._of(login.account):
            if one not in kept:
                del self._logins[one.digest]
        durable()

    def find(self, digest: bytes, found: Callable[[RememberedLogin | None], None]) -> None:
        found(self._logins.get(digest))

    def of(self, account: str, found: Callable[[Sequence[RememberedLogin]], None]) -> None:
        found(self._of(account))

    def drop(self, account: str, digests: Sequence[bytes], durable: Callable[[], None]) -> None:
        for digest in digests:
            self._logins.pop(digest, None)
        durable()

    def drop_all(self, account: str, durable: Callable[[], None]) -> None:
        self.drop(account, [one.digest for one in self._of(account)], durable)

    def _of(self, account: str) -> list[RememberedLogin]:
        logins = [one for one in self._logins.values() if one.account == account]
        return sorted(logins, key=lambda one: (-one.seen, -one.made, one.digest))


class RememberedLogins:
    """
    The remembered log-ins of all accounts.

    :param wall: seconds since 1970
    """

    def __init__(self, store: RememberedStore, wall: Callable[[], float] = time.time) -> None:
        self._store = store
        self._wall = wall

    def remember(self, account: Account, key: str, device: str, remembered: Callable[[], None]) -> None:
        """
        Let a device log in to an account with a key. The device has shown the password just now.

        :param key: a new random key, in the form of `REMEMBERED_KEY`
        :param device: how the device is named in lists
        :param remembered: called when the log-in is durable
        """
        today = self._today
        self._store.put(RememberedLogin(_digest_of(account, key), account.key, device, today, today), remembered)

    def check(self, account: Account, key: str, checked: Callable[[RememberedLogin | None], None]) -> None:
        """
        Check whether a key is valid for the present state of an account, and note its use.

        :param checked: called with the log-in; `None`: the key is not valid, or not any more
        """

        def found(login: RememberedLogin | None) -> None:
            today = self._today
            if login is None or login.account != account.key or today - login.seen >= IDLE_DAYS:
                checked(None)
                return
            # Once a day: the store is not written to each time that a page is loaded.
            if login.seen < today:
                login = evolve(login, seen=today)
                self._store.put(login, _nothing)
            checked(login)

        if REMEMBERED_KEY.fullmatch(key):
            self._store.find(_digest_of(account, key), found)
        else:
            checked(None)

    def of(self, account: Account, found: Callable[[Sequence[RememberedLogin]], None]) -> None:
        """Find the valid log-ins of an account, the one that was used last first."""
        today = self._today
        self._store.of(account.key, lambda logins: found([one for one in logins if today - one.seen < IDLE_DAYS]))

    def end(self, account: Account, ids: Sequence[str], ended: Callable[[], None]) -> None:
        """
        End log-ins of an account.

        :param ids: their `RememberedLogin.id`; unknown ids are ignored
        :param ended: called when that is durable
        """

        def found(logins: Sequence[RememberedLogin]) -> None:
            self._store.drop(account.key, [one.digest for one in logins if one.id in ids], ended)

        self._store.of(account.key, found)

    def end_all(self, account: str, ended: Callable[[], None] | None = None) -> None:
        """
        End all log-ins of an account.

        :param account: the account's key
        """
        self._store.drop_all(account, ended or _nothing)

    @property
    def _today(self) -> int:
        return int(self._wall()) // SECONDS_PER_DAY


def remembered_id(key: str) -> str:
    """The `RememberedLogin.id` of a key."""
    return sha256(key.encode()).digest()[:8].hex()


def _digest_of(account: Account, key: str) -> bytes:
    """The first half depends only on the key, so that the id does not depend on the account."""
    bound = hmac.digest(key.encode(), account.digest.salt + account.digest.hash, sha256)
    return sha256(key.encode()).digest()[:16] + bound[:16]


def _nothing() -> None:
    """Do nothing: no caller waits for this change."""
