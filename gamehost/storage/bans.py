"""The bans in a store. The journal's writer writes them, in order with the tables' records."""

from collections.abc import Callable, Iterable

from attrs import define

from gamehost.accounts.bans import Ban
from gamehost.storage.changes import DropBan, PutBan
from gamehost.storage.durable import DurableJournal


@define(eq=False)
class StoredBans:
    """
    Bans that outlive the process.

    :param journal: the journal whose store they are in
    """

    _journal: DurableJournal

    def bans(self) -> Iterable[Ban]:
        return self._journal.bans()

    def put_ban(self, ban: Ban, durable: Callable[[], None]) -> None:
        self._journal.also(PutBan(ban), durable)

    def drop_ban(self, key: str, durable: Callable[[], None]) -> None:
        self._journal.also(DropBan(key), durable)
