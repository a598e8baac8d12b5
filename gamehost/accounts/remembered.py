"""
Remembered log-ins: devices that log in to an account without its password.

After a log-in with the password, a device may get a random key, with which it logs in later. The store has a row for each
key, with only the digest of the key. So nobody can log in with a copy of the store, and the player can remove each device
separately.

The digest depends also on the account's password, so that a change of the password makes all keys invalid.
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

#: A remembered log-in ends after so many days without use.
IDLE_DAYS = 90
#: The most remembered log-ins of one account. If there are more, the one that was used longest ago is removed.
MOST_REMEMBERED = 20

REMEMBERED_KEY_BITS = 256
#: How a key is written.
REMEMBERED_KEY = re.compile(rf"[0-9a-f]{{{REMEMBERED_KEY_BITS // 4}}}", re.ASCII)


@frozen
class RememberedLogin:
    """A device that can log in to an account with a key: one row of the store."""

    #: The digest of the device's key, from `_digest_of`.
    digest: bytes = field(repr=False)
    #: The key of the account's name.
    account: str
    #: The device's name in lists, which its program has given; it may be empty.
    device: str
    #: The first and the last day on which the device has logged in, in days since 1970.
    made: int
    seen: int

    @property
    def id(self) -> str:
        """Identifies this log-in among those of its account. It is no secret."""
        return self.digest[:8].hex()


class RememberedStore(Protocol):
    """The store of remembered log-ins. All callbacks are called in the reactor's thread, at once or later."""

    def put(self, login: RememberedLogin, durable: Callable[[], None]) -> None:
        """
        Store a log-in, in place of the one with the same digest if there is one. Drop those of its account that are too old or
        too many.
        """

    def find(self, digest: bytes, found: Callable[[RememberedLogin | None], None]) -> None:
        """Find the log-in with a digest, and call `found` with it, or with `None`."""

    def of(self, account: str, found: Callable[[Sequence[RememberedLogin]], None]) -> None:
        """Find the log-ins of an account, and call `found` with them. The one that was used last is the first."""

    def drop(self, account: str, digests: Sequence[bytes], durable: Callable[[], None]) -> None:
        """Remove these log-ins of an account."""

    def drop_all(self, account: str, durable: Callable[[], None]) -> None:
        """Remove all log-ins of an account."""


class MemoryRemembered:
    """A store of remembered log-ins in memory, for tests and for a host without a store. The end of the process loses them."""

    def __init__(self) -> None:
        self._logins: dict[bytes, RememberedLogin] = {}

    def put(self, login: RememberedLogin, durable: Callable[[], None]) -> None:
        """See `RememberedStore.put`. Stores a log-in that was made or used just now."""
        self._logins[login.digest] = login
        # Remove those that are too old or too many. `login.seen` is today, and `_of` lists the newest first.
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
    The remembered log-ins of all accounts: stores, checks, lists and ends them.

    :param wall: returns the time in seconds since 1970
    """

    def __init__(self, store: RememberedStore, wall: Callable[[], float] = time.time) -> None:
        self._store = store
        self._wall = wall

    def remember(self, account: Account, key: str, device: str, remembered: Callable[[], None]) -> None:
        """
        Let a device log in to an account with a key from now on. Called after a log-in with the password.

        :param key: a new random key, in the form of `REMEMBERED_KEY`
        :param device: how the device is named in lists
        :param remembered: called when the log-in is durable
        """
        today = self._today
        self._store.put(RememberedLogin(_digest_of(account, key), account.key, device, today, today), remembered)

    def check(self, account: Account, key: str, checked: Callable[[RememberedLogin | None], None]) -> None:
        """
        Check whether a device may log in to an account with a key, and store that the key was used today.

        :param account: the account as it is now
        :param checked: called with the log-in, or with `None` if the key is not valid
        """

        def found(login: RememberedLogin | None) -> None:
            """Decide about the log-in with the digest of this key; `None`: there is none."""
            today = self._today
            if login is None or login.account != account.key or today - login.seen >= IDLE_DAYS:
                checked(None)
                return
            # Only once a day, so that the store is not written to each time that a page is loaded.
            if login.seen < today:
                login = evolve(login, seen=today)
                self._store.put(login, _nothing)
            checked(login)

        if REMEMBERED_KEY.fullmatch(key):
            self._store.find(_digest_of(account, key), found)
        else:
            checked(None)

    def of(self, account: Account, found: Callable[[Sequence[RememberedLogin]], None]) -> None:
        """Find the valid log-ins of an account, and call `found` with them. The one that was used last is the first."""
        today = self._today
        self._store.of(account.key, lambda logins: found([one for one in logins if today - one.seen < IDLE_DAYS]))

    def end(self, account: Account, ids: Sequence[str], ended: Callable[[], None]) -> None:
        """
        End some remembered log-ins of an account, so that their keys are invalid.

        :param ids: the `RememberedLogin.id` of each; unknown ids are ignored
        :param ended: called when the change is durable
        """

        def found(logins: Sequence[RememberedLogin]) -> None:
            self._store.drop(account.key, [one.digest for one in logins if one.id in ids], ended)

        self._store.of(account.key, found)

    def end_all(self, account: str, ended: Callable[[], None] | None = None) -> None:
        """
        End all remembered log-ins of an account.

        :param account: the key of the account's name
        :param ended: called when the change is durable
        """
        self._store.drop_all(account, ended or _nothing)

    @property
    def _today(self) -> int:
        return int(self._wall()) // SECONDS_PER_DAY


def remembered_id(key: str) -> str:
    """The `RememberedLogin.id` of the log-in with a key."""
    return sha256(key.encode()).digest()[:8].hex()


def _digest_of(account: Account, key: str) -> bytes:
    """
    The digest of a key, for the store. Its first half depends only on the key, so that `remembered_id` needs no account. Its
    second half depends also on the account's digest, so that a change of the password makes it invalid.
    """
    bound = hmac.digest(key.encode(), account.digest.salt + account.digest.hash, sha256)
    return sha256(key.encode()).digest()[:16] + bound[:16]


def _nothing() -> None:
    """Do nothing: no caller waits for this change."""
