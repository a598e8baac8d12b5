"""
Who is here: names, and the one session that each has, present or away.

A session is a player under a name, from log-in until the name is free again. While its player sits at a table the
session outlives the connection: it is away then, and whoever may take it back gets the seat. A name has at most one session.
"""

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any

from attrs import Factory, define, field

from gamehost.accounts.names import NameFault, NameRefused, checked_name, key_of
from gamehost.games.base import Seat

if TYPE_CHECKING:
    from gamehost.tables.interfaces import Player
    from gamehost.tables.table import Table


class ResumePolicy(Enum):
    """From where a guest, who has no password, may take a lost seat back."""

    SAME_ADDRESS = "same-address"
    ANY = "any"
    NEVER = "never"


@define(eq=False)
class Session:
    """A player under a name."""

    name: str
    #: The wire by its name: a seat is taken back on the wire it was taken on.
    wire: str
    address: str
    #: Whether the name belongs to an account, and was proved to.
    account: bool
    #: Who is told things; `None`: away.
    player: "Player[Any, Any] | None"
    table: "Table[Any, Any] | None" = None
    seat: Seat | None = None
    key: str = field(init=False, default=Factory(lambda self: key_of(self.name), takes_self=True))


class SessionRegistry:
    """
    All sessions by name.

    :param resume: who may take a guest's seat back
    :param reserved: whether a key belongs to an account, so that guests may not use it
    """

    def __init__(self, resume: ResumePolicy, reserved: Callable[[str], bool] = lambda key: False) -> None:
        self._resume = resume
        self._reserved = reserved
        self._sessions: dict[str, Session] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    def get(self, name: str) -> Session | None:
        """The session under a name, if there is one."""
        return self._sessions.get(key_of(name))

    def add(self, session: Session) -> None:
        """Put in a session that an earlier life of the host had."""
        self._sessions[session.key] = session

    def enter(self, text: str, wire: str, address: str, player: "Player[Any, Any]") -> Session:
        """
        A guest's log-in: a new session, or an away one that is taken back (it has a table then).

        :raises NameRefused: the name cannot be, or is somebody else's now
        """
        name = checked_name(text)
        key = key_of(name)
        if self._reserved(key):
            raise NameRefused(NameFault.TAKEN, "this name belongs to an account")
        held = self._sessions.get(key)
        if held is None:
            session = self._sessions[key] = Session(name, wire, address, False, player)
            return session
        if held.player is not None:
            raise NameRefused(NameFault.TAKEN, "this name is in use")
        if held.account or not self._may_resume(held, address):
            raise NameRefused(NameFault.TAKEN, "a seat is kept under this name, and cannot be taken back from here")
        if held.wire != wire:
            raise _kept_elsewhere(held)
        held.player = player
        held.address = address
        return held

    def enter_account(
        self, name: str, wire: str, address: str, player: "Player[Any, Any]"
    ) -> "tuple[Session, Player[Any, Any] | None]":
        """
        The log-in of an account whose password was right: its session, and who had it until now and is to be told.

        :raises NameRefused: a guest has the name
        """
        held = self._sessions.get(key_of(name))
        if held is None:
            session = Session(name, wire, address, True, player)
            self._sessions[session.key] = session
            return session, None
        if not held.account:
            raise NameRefused(NameFault.TAKEN, "this name is in use")
        if held.wire != wire:
            if held.player is None:
                raise _kept_elsewhere(held)
            raise NameRefused(NameFault.TAKEN, f"this account is in use on another wire, {held.wire}")
        displaced, held.player = held.player, player
        held.address = address
        return held, displaced

    def is_guest(self, key: str) -> bool:
        """Whether a guest has this key, or keeps a lost seat under it."""
        held = self._sessions.get(key)
        return held is not None and not held.account

    def has_seat(self, key: str) -> bool:
        """Whether the player with this key, present or away, has a seat in a match."""
        held = self._sessions.get(key)
        return held is not None and held.table is not None

    def _may_resume(self, held: Session, address: str) -> bool:
        if self._resume is ResumePolicy.SAME_ADDRESS:
            return held.address == address
        return self._resume is ResumePolicy.ANY

    def forget(self, session: Session) -> None:
        """Free a session's name."""
        if self._sessions.get(session.key) is session:
            del self._sessions[session.key]


def _kept_elsewhere(held: Session) -> NameRefused:
    """The refusal for the owner of a seat who logs in on another wire than the seat was taken on."""
    if held.table is None or held.seat is None:
        return NameRefused(NameFault.TAKEN, "this name is in use")
    game = held.table.game.name.replace("_", " ").replace("-", " ").title()
    kept = duration(held.table.kept_for(held.seat))
    return NameRefused(
        NameFault.TAKEN, f"your seat at {game} table {held.table.id} on the wire {held.wire} is kept for {kept}", held
    )


def duration(seconds: float) -> str:
    """For people: whole hours, minutes or seconds, the largest unit of which there is one."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"
