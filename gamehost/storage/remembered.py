"""
Remembered log-ins in a store. The writer's thread reads and changes them in order, so a read finds every earlier
change.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from attrs import frozen

from gamehost.accounts.remembered import IDLE_DAYS, MOST_REMEMBERED, RememberedLogin
from gamehost.storage.contents import Statement
from gamehost.storage.durable import DurableJournal
from gamehost.storage.questions import Database

_COLUMNS = "digest, key, device, made, seen"
_PUT = f"""
    INSERT INTO remembered({_COLUMNS}) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (digest) DO UPDATE SET device = excluded.device, seen = excluded.seen"""
_NEWEST_FIRST = "ORDER BY seen DESC, made DESC, digest"
_DROP_SURPLUS = f"""
    DELETE FROM remembered WHERE key = ? AND (seen <= ? OR digest NOT IN (
        SELECT digest FROM remembered WHERE key = ? {_NEWEST_FIRST} LIMIT {MOST_REMEMBERED}))"""


@frozen
class PutRemembered:
    """
    Adds a remembered log-in. It replaces a log-in with the same digest. Also removes log-ins of the same account that
    are too old or too many.
    """

    login: RememberedLogin

    def write(self, database: Database) -> None:
        login = self.login
        database.run(_PUT, (login.digest, login.account, login.device, login.made, login.seen))
        database.run(_DROP_SURPLUS, (login.account, login.seen - IDLE_DAYS, login.account))


@frozen
class StoredRemembered:
    """A `RememberedStore` in the store of a journal."""

    _journal: DurableJournal

    def put(self, login: RememberedLogin, durable: Callable[[], None]) -> None:
        self._journal.also(PutRemembered(login), durable)

    def find(self, digest: bytes, found: Callable[[RememberedLogin | None], None]) -> None:
        self._read("WHERE digest = ?", (digest,), lambda logins: found(next(iter(logins), None)))

    def of(self, account: str, found: Callable[[Sequence[RememberedLogin]], None]) -> None:
        self._read(f"WHERE key = ? {_NEWEST_FIRST}", (account,), found)

    def drop(self, account: str, digests: Sequence[bytes], durable: Callable[[], None]) -> None:
        wanted = ", ".join("?" * len(digests)) or "NULL"
        self._journal.also(Statement(f"DELETE FROM remembered WHERE digest IN ({wanted})", digests), durable)

    def drop_all(self, account: str, durable: Callable[[], None]) -> None:
        self._journal.also(Statement("DELETE FROM remembered WHERE key = ?", (account,)), durable)

    def _read(self, which: str, values: Iterable[Any], found: Callable[[Sequence[RememberedLogin]], None]) -> None:
        """
        Read log-ins from the store, and call `found` with them later.

        :param which: the end of the query: its condition and order
        """
        sql = f"SELECT {_COLUMNS} FROM remembered {which}"
        self._journal.ask_store(
            lambda store: [RememberedLogin(*row) for row in store.database.rows(sql, tuple(values))], found
        )
