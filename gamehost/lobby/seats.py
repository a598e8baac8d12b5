"""
Who sits where: the tables in play, the sessions of their players, and the way to a table and from it.
"""

from collections.abc import Sequence
from typing import Any

from attrs import Factory, define, field
from twisted.logger import Logger

from gamehost.accounts.names import NameRefused
from gamehost.games.base import Seat
from gamehost.journal.records import TableId
from gamehost.lobby.house import HousePlayers
from gamehost.lobby.sessions import Session, SessionRegistry, Waking
from gamehost.lobby.sleeping import SleepingTables
from gamehost.tables.context import Phase, TableContext
from gamehost.tables.interfaces import Suspended
from gamehost.tables.table import Table


@define(eq=False)
class Seats:
    """
    The seats at all tables of a host.

    :param most_sleeping: sleeping tables of one address; `None`: any number
    :param house: the house players
    """

    _context: TableContext
    _registry: SessionRegistry
    most_sleeping: int | None
    _house: HousePlayers
    #: The tables in play.
    tables: dict[TableId, Table[Any, Any]] = field(factory=dict)
    _seated: dict[TableId, Sequence[Session]] = field(factory=dict)
    #: Of tables that were loaded, and whose seats nobody has taken yet: since when they slept.
    _unclaimed: dict[TableId, int] = field(factory=dict)
    sleeping: SleepingTables = field(init=False, default=Factory(lambda self: self._new_sleeping(), takes_self=True))

    log = Logger()

    def _new_sleeping(self) -> SleepingTables:
        return SleepingTables(
            self._context, self._registry, self.ended, self.left, self._woken, most=self.most_sleeping
        )

    def keep(self, table: Table[Any, Any], sessions: Sequence[Session]) -> None:
        """A table opens, or is back in memory: these are its players, in the order of the seats."""
        self.tables[table.id] = table
        self._seated[table.id] = sessions
        for seat, session in enumerate(sessions):
            session.table = table
            session.seat = Seat(seat)
            session.match = sessions

    def halt(self) -> None:
        """The host stops: all clocks stand still."""
        self.sleeping.halt()
        for table in self.tables.values():
            table.halt()

    @property
    def playing(self) -> bool:
        """Whether there is a match that goes on, or is about to."""
        ended = (Phase.OVER, Phase.SUSPENDED)
        return bool(self._registry.waking) or any(table.phase not in ended for table in self.tables.values())

    def sleeps(self, table: TableId) -> bool:
        """Whether a table is unfinished and nobody is there, or it is being loaded."""
        return table in self._registry.waking or table in self._registry.sleepers

    # -- players come and go

    def load(self, session: Session) -> None:
        """Begin to load the table of a player who has just logged in, if it sleeps."""
        if session.asleep is not None:
            self.sleeping.load(self._registry.waking[session.asleep])

    def take(self, session: Session) -> bool:
        """As `Lobby.reconnect`."""
        if session.asleep is not None:
            session.resuming = session.player
            return True
        assert session.player is not None
        if session.suspended:
            session.suspended = False
            session.player.deliver(Suspended())
            return True
        table = session.table
        if table is None or session.seat is None:
            return False
        if table.deserted:
            self._unclaimed.pop(table.id, None)
            self._context.journal.wake(table.id)
        for other in session.match:
            if other.house and other.player is None and other.table is table:
                self._house.resume(other)
        table.reconnect(session.seat, session.player)
        return True

    def disconnect(self, session: Session) -> bool:
        """The player of a session is gone. `False`: the player has no seat."""
        table = session.table
        if table is not None and session.seat is not None:
            table.disconnect(session.seat)
            self._sleep_if_deserted(table)
            return True
        return session.asleep is not None

    def replace(self, session: Session, seat: Seat, house: Session) -> None:
        """A house player takes the seat of a player who is away, at the table of a session."""
        table = session.table
        assert table is not None
        sessions = list(self._seated[table.id])
        gone, sessions[seat] = sessions[seat], house
        if gone.table is table:
            gone.table = gone.seat = None
            self._registry.forget(gone)
        table.names = tuple(house.name if number == seat else name for number, name in enumerate(table.names))
        self.keep(table, sessions)

    def give_up(self, session: Session) -> None:
        """As `Lobby.give_up`."""
        held = self._registry.get(session.name)
        if held is None or held.player is not None or held.seat is None or held.table_id != session.table_id:
            return
        if self._registry.is_closing(held):
            return
        table, seat, asleep = held.table, held.seat, held.asleep
        if asleep is not None:
            waking = self._registry.waking.get(asleep) or self._registry.wake(asleep)
            held = waking.sessions[seat] or held
            waking.sessions[seat] = None
            waking.given_up.append(seat)
            self._registry.forget(held)
            self.sleeping.load(waking)
        elif table is not None:
            self._registry.forget(held)
            held.table = held.seat = None
            table.give_up(seat)

    def explained(self, refusal: NameRefused) -> NameRefused:
        """A refusal with the place where the client's own seat is kept, if that is why it is refused."""
        held: Session | None = refusal.kept
        if held is None or held.seat is None:
            return refusal
        if held.asleep is not None:
            waking = self._registry.waking.get(held.asleep)
            entry = self._registry.sleepers.table(held.asleep) if waking is None else waking.table
            game, table, seconds = entry.game, entry.table, self.sleeping.kept_for(entry.since)
        else:
            assert held.table is not None
            game, table, seconds = held.table.game.name, held.table.id, held.table.kept_for(held.seat)
        title = game.replace("_", " ").replace("-", " ").title()
        words = f"your seat at {title} table {table} on the wire {held.wire} is kept for {duration(seconds)}"
        return NameRefused(refusal.fault, words, held)

    # -- tables end

    def ended(self, table: Table[Any, Any]) -> None:
        """Free all who sat there, before any of them is told so: the first thing they do may be to play again."""
        self.log.info(
            "table {table}: {game} is over: {outcome}",
            table=table.id,
            game=table.game.name,
            outcome=table.outcome or "archived unfinished; nobody is there",
        )
        self._context.counts.ended[table.game.name, bool(table.outcome)] += 1
        self.sleeping.forget(table.id)
        self.tables.pop(table.id, None)
        self._unclaimed.pop(table.id, None)
        for session in self._seated.pop(table.id, []):
            if session.table is not table:
                continue  # this player was told the end before the others, and may be at another table now
            session.table = None
            session.seat = None
            session.match = ()
            self._house.forget(session)
            if session.player is None or session.house:
                self._registry.forget(session)

    def left(self, table: Table[Any, Any], seat: Seat) -> None:
        """Free the one player who is about to be told the end of a match of an earlier run of the host."""
        sessions = self._seated[table.id]
        sessions[seat].table = sessions[seat].seat = None

    # -- tables sleep, and are woken

    def _sleep_if_deserted(self, table: Table[Any, Any]) -> None:
        """Have a table sleep at which nobody is, and for which nobody is about to ask."""
        sessions = self._seated.get(table.id, ())
        if not table.deserted or any(one.table is table and one.player is not None for one in sessions):
            return
        del self._seated[table.id], self.tables[table.id]
        kept = [one if one.table is table else None for one in sessions]
        for session in sessions:
            self._house.forget(session)
            self._registry.forget(session)
        self.sleeping.add(table, kept, self._unclaimed.pop(table.id, None))

    def _woken(self, waking: Waking, table: Table[Any, Any] | None) -> None:
        """A table was loaded. The players who wait for it get their seats. It sleeps again if nobody is there."""
        nobody = Session("", "", "", False, None)
        present = [session for session in waking.sessions if session is not None]
        for session in present:
            session.asleep = None
        if table is None:
            self._not_woken(present)
            return
        self.keep(table, [session or nobody for session in waking.sessions])
        nobody.table = None
        self._unclaimed[table.id] = waking.table.since
        for session in present:
            if session.player is not None and session.resuming is session.player:
                self.take(session)
            session.resuming = None
        for seat in waking.given_up:
            table.give_up(seat)
        self._sleep_if_deserted(table)

    def _not_woken(self, sessions: Sequence[Session]) -> None:
        """The record of a table cannot be followed. Its players are free; its record is kept."""
        for session in sessions:
            session.seat = None
            if session.player is None:
                self._registry.forget(session)
            else:
                session.suspended = True
                if session.resuming is session.player:
                    self.take(session)


def duration(seconds: float) -> str:
    """For people: whole hours, minutes or seconds, the largest unit of which there is one."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"
