"""
The index of the sessions, by name and by address.
"""

from typing import TYPE_CHECKING

from gamehost.accounts.lookalikes import LookAlikes
from gamehost.limits import rate_limit_key

if TYPE_CHECKING:
    from gamehost.lobby.sessions import Session


class SessionIndex:
    """Sessions by the keys of their names, of which each has one at most, and by where their players were last."""

    def __init__(self) -> None:
        #: By the keys of their names.
        self.by_key: dict[str, Session] = {}
        self.looks = LookAlikes()
        self._by_address: dict[str, set[Session]] = {}

    def __len__(self) -> int:
        return len(self.by_key)

    def get(self, key: str) -> "Session | None":
        """The session under a name with this key."""
        return self.by_key.get(key)

    def add(self, session: "Session") -> None:
        """Put a session in. It replaces one that has the same name."""
        replaced = self.by_key.get(session.key)
        if replaced is not None:
            self.remove(replaced)
        self.by_key[session.key] = session
        self.looks.add(session.name)
        self._by_address.setdefault(rate_limit_key(session.address), set()).add(session)

    def remove(self, session: "Session") -> None:
        """Take a session out. Nothing happens if it is not in."""
        if self.by_key.get(session.key) is session:
            del self.by_key[session.key]
            self.looks.remove(session.name)
            self._leave_address(session)

    def move(self, session: "Session", address: str) -> None:
        """The player of a session that is in has come from another address."""
        self._leave_address(session)
        session.address = address
        self._by_address.setdefault(rate_limit_key(address), set()).add(session)

    def seats_at(self, address: str) -> int:
        """How many of the players who were last at this `rate_limit_key` have a seat in a match."""
        return sum(session.table_id is not None for session in self._by_address.get(address, ()))

    def _leave_address(self, session: "Session") -> None:
        address = rate_limit_key(session.address)
        there = self._by_address[address]
        there.discard(session)
        if not there:
            del self._by_address[address]
