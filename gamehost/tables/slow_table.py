"""
The table of a slow match: its clock is the wall's, and absence is its normal state.

No player loses a seat by absence, and the clock does not stop when all are away. The table has no alarm of its own:
`gamehost.lobby.slow` has one for all of them. What a player offers is in the record, and waits for the other one.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, Self

from attrs import define, field

from gamehost.games.base import Cause, Game, IllegalAction, Offer, Result, Seat, To, offers_of
from gamehost.games.clock import HasTurns
from gamehost.journal.records import EntryKind, SeatRecord, TableHeader, TableId, TableRecord
from gamehost.journal.replay import AGREEMENTS, OFFERS
from gamehost.tables.context import PLAYING, Phase, TableContext
from gamehost.tables.interfaces import Archived, Declined, Offered, Player, Refused
from gamehost.tables.offers import Offers
from gamehost.tables.outbox import Outbox, Record, TableSeatHandle
from gamehost.tables.table import Table

#: The end of a match in which a player has never moved in time.
ANNULLED = Result((), Cause.TIME, "a player has never moved: the match does not count")


class SlowHost(Protocol):
    """The host of slow tables, as they see it. All times are milliseconds since 1970."""

    @property
    def wall(self) -> int:
        """Now."""

    @property
    def lenient(self) -> int:
        """Before this time no deadline counts, because players could not come."""

    def spared(self, table: "SlowTable") -> int:
        """Before this time its deadline does not count: who may act there is on leave, or the owner has given time."""

    def moved(self, player: SeatRecord) -> None:
        """A player is about to have moved at a table."""

    def due_changed(self, table: "SlowTable") -> None:
        """The deadline of a table may have changed."""

    def recorded(self, table: "SlowTable", result: Result | None) -> None:
        """
        An entry of a table is about to go to the journal.

        :param result: if it ends the match
        """


@define(eq=False)
class _SlowOutbox(Outbox[Any, Any]):
    """The queue of a slow table. The host has each entry in its lists with the same commit."""

    def record(self, record: Record[Any, Any]) -> None:
        table: Any = self._table
        table.host.recorded(table, record.result)
        super().record(record)


@define(eq=False)
class SlowTable(Table[Any, Any]):
    """One slow match. Its master has the true time, however long the host was down."""

    host: SlowHost = field(init=False, repr=False)
    #: When its clock began, in milliseconds since 1970.
    began: int = 0
    #: In the order of the seats.
    players: Sequence[SeatRecord] = ()
    #: The seats that have acted.
    actors: set[Seat] = field(factory=set)

    @classmethod
    def prepare(
        cls,
        context: TableContext,
        table: TableId,
        game: Game[Any, Any],
        opening: TableHeader,
        ended: Callable[[Table[Any, Any]], None],
        left: Callable[[Table[Any, Any], Seat], None],
    ) -> Self:
        self = super().prepare(context, table, game, opening, ended, left)
        self._outbox = _SlowOutbox(self._outbox.places, self)
        self.began, self.players = opening.slow or 0, opening.seats
        return self

    def restore(self, record: TableRecord, clock: int | None = None, restarted: bool = False) -> Iterator[None]:
        """As of `Table`, of a record without an end."""
        self.actors.update(
            entry.seat for entry in record.entries if entry.seat is not None and entry.kind is EntryKind.ACTED
        )
        yield from super().restore(record, clock, restarted)
        for entry in record.entries:
            if entry.seat is not None and (entry.kind in OFFERS or self._offers is not None):
                self._follow_offer(entry.kind, entry.seat)
        self.phase = PLAYING

    def _follow_offer(self, kind: EntryKind, seat: Seat) -> Declined | None:
        """Update the offers by an entry. Returns the event for all if the entry has ended an offer without an answer."""
        offers = self._made_offers
        if (offer := OFFERS.get(kind)) is not None:
            offers.make(seat, offer, stands=True)
        elif kind is EntryKind.ACTED:
            return offers.moved(seat)
        elif kind in AGREEMENTS:
            offers.agreed()
        else:
            offers.end()
        return None

    @property
    def _made_offers(self) -> Offers:
        if self._offers is None:
            self._offers = Offers(offers_of(self.game), self.settings, self.names)
        return self._offers

    def offer(self, handle: TableSeatHandle[Any, Any], offer: Offer) -> bool:
        now, seat = self._time_of(handle), handle.seat
        if now is None:
            return False
        # The other one can be away. All players of slow matches are on wires with offers.
        objection = self._made_offers.objection(self._master, seat, offer, handle.player)
        if objection is not None:
            self._outbox.refuse(handle, Refused(IllegalAction(objection)))
            return False
        kind = EntryKind.DRAW_OFFERED if offer is Offer.DRAW else EntryKind.ASKED_BACK
        self._record(kind, now, seat, b"", ())
        self._outbox.tell([To(Offered(seat, offer), (seat, Seat(1 - seat)))])
        return True

    def _tell_end_of_offer(self, declined: Declined | None, answered: int | None = None) -> None:
        if declined is not None and answered is not None:
            self._record(EntryKind.DECLINED, answered, declined.seat, b"", ())
        super()._tell_end_of_offer(declined)

    def _end_offer(self) -> None:
        """Nothing: it waits for who comes back."""

    def reconnect(self, seat: Seat, player: Player[Any, Any]) -> None:
        super().reconnect(seat, player)
        standing = None if self._offers is None else self._offers.standing
        if standing is not None and self.running:
            self._outbox.tell([To(standing, (seat,))])

    @property
    def deadline(self) -> int | None:
        """When the time of the seat to move is over, in milliseconds since 1970; `None`: there is no such time."""
        deadline = self._master.deadline if self.running else None
        return None if deadline is None else max(deadline + self.began, self.host.spared(self))

    @property
    def due(self) -> tuple[int, int] | None:
        """As of `WatchableTable`; the time in which a deadline does not count is in it."""
        due = self._outbox.due
        if due is None:
            return None
        counts = max(due.at + self.began, self.host.lenient, self.host.spared(self))
        return max(0, counts - self._wall), due.allowed

    @property
    def _wall(self) -> int:
        return self.now() + self.began

    @property
    def running(self) -> bool:
        """Whether players can act."""
        return self.phase is PLAYING and self._master.result is None

    @property
    def empty(self) -> bool:
        """Whether no player sits here."""
        return not any(place.taken for place in self._outbox.places)

    def sits(self, seat: Seat) -> bool:
        """Whether the player of a seat sits here."""
        return self._outbox.places[seat].taken

    @property
    def turn(self) -> tuple[Seat, ...]:
        """The seats that may act."""
        master = self._master
        if master.result is not None:
            return ()
        if isinstance(master, HasTurns) and (seat := master.to_move()) is not None:
            return (seat,)
        return tuple(seat for seat in map(Seat, range(len(self.names))) if self._may_act(seat))

    def _may_act(self, seat: Seat) -> bool:
        legal = self.game.legal(self._master.view(seat), seat)
        return legal is None or next(iter(legal), None) is not None

    def now(self) -> int:
        """The time since the match began, in milliseconds, and never before its last entry."""
        return max(self._stopped, self.host.wall - self.began)

    def end_if_late(self) -> None:
        """The deadline may be over: then it counts, once."""
        deadline, now = self._master.deadline, self.now()
        if self.running and deadline is not None and now >= deadline:
            self._expire(now)

    def _expire(self, now: int) -> None:
        if now + self.began < max(self.host.lenient, self.host.spared(self)):
            return
        master = self._master
        turn = master.to_move() if isinstance(master, HasTurns) else None
        late = range(len(self.names)) if turn is None else (turn,)
        if all(seat in self.actors for seat in late):
            super()._expire(now)
        else:
            self.archive()  # it counts for nobody: a player has never come

    def archive(self) -> None:
        super().archive()
        self.host.recorded(self, ANNULLED)

    def _record(self, kind: EntryKind, now: int, seat: Seat | None, *more: Any) -> None:
        self._stopped = max(self._stopped, now)
        ended = None
        if seat is not None:
            if kind is EntryKind.ACTED:
                self.actors.add(seat)
                self.host.moved(self.players[seat])
            if kind in OFFERS or self._offers is not None:
                ended = self._follow_offer(kind, seat)
        super()._record(kind, now, seat, *more)
        self._tell_end_of_offer(ended)

    def rise(self, seat: Seat, player: Player[Any, Any]) -> None:
        """A player looks no longer. Nothing happens if somebody else has the seat by now."""
        place = self._outbox.places[seat]
        taken = place.coming or place.handle
        if taken is not None and taken.player is player:
            self.disconnect(seat)

    def disconnect(self, seat: Seat) -> None:
        place = self._outbox.places[seat]
        place.handle = place.coming = None

    def _archived(self) -> None:
        players = [place.handle.player for place in self._outbox.places if place.handle is not None]
        for place in self._outbox.places:
            place.handle = None
        super()._archived()
        for player in players:
            player.deliver(Archived())

    def end(self) -> None:
        """The end is about to be sent. Absent players read it in the lists of their own matches."""
        self.phase = Phase.OVER
        self._ended(self)

    def _set_alarm(self) -> None:
        self.host.due_changed(self)

    def halt(self) -> None:
        """There is no alarm to stop."""
