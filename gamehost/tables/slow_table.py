"""
The table of a slow match. Slow matches use real time, and their players are usually absent.

No player loses a seat by absence, and the clock does not stop when all players are away. The table has no alarm of its
own: `gamehost.lobby.slow` has one alarm for all slow tables. An offer is in the record, and is open until the other
player comes.
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

#: The result of a match that ends because a player has not made a first move in time.
ANNULLED = Result((), Cause.TIME, "a player has never moved: the match does not count")


class SlowHost(Protocol):
    """The methods that slow tables call on their host. All times are milliseconds since 1970."""

    @property
    def wall(self) -> int:
        """The current time."""

    @property
    def lenient(self) -> int:
        """
        The end of the grace time after a start of the host. No deadline counts before this time, because players could
        not come while the host was down.
        """

    def spared(self, table: "SlowTable") -> int:
        """
        The deadline of a table does not count before this time, because a player that may act is on leave, or the owner
        has given more time.
        """

    def moved(self, player: SeatRecord) -> None:
        """Called before the move of a player is recorded."""

    def due_changed(self, table: "SlowTable") -> None:
        """Called when the deadline of a table may have changed."""

    def recorded(self, table: "SlowTable", result: Result | None) -> None:
        """
        Called before an entry of a table goes to the journal.

        :param result: the result, if the entry ends the match; otherwise `None`
        """


@define(eq=False)
class _SlowOutbox(Outbox[Any, Any]):
    """
    The queue of a slow table. It informs the host of each entry first, so that the host's lists are stored with the
    same commit.
    """

    def record(self, record: Record[Any, Any]) -> None:
        table: Any = self._table
        table.host.recorded(table, record.result)
        super().record(record)


@define(eq=False)
class SlowTable(Table[Any, Any]):
    """One slow match. Its clock also runs while the host is down."""

    host: SlowHost = field(init=False, repr=False)
    #: When the clock of the match began, in milliseconds since 1970.
    began: int = 0
    #: The players, in the order of the seats.
    players: Sequence[SeatRecord] = ()
    #: The seats with players that have made a move.
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
        """See `Table.prepare`. The table of a slow match knows its players, and when its clock began."""
        self = super().prepare(context, table, game, opening, ended, left)
        # The outbox of `Table` does not inform the host of entries.
        self._outbox = _SlowOutbox(self._outbox.places, self)
        # `slow` is the time at which the match began; a slow match always has it, so the 0 is never used.
        self.began = opening.slow or 0
        self.players = opening.seats
        return self

    def restore(self, record: TableRecord, clock: int | None = None, restarted: bool = False) -> Iterator[None]:
        """
        See `Table.restore`. The record has no end, and the match continues at once, also without players. The offers in
        the record are made again.
        """
        self.actors.update(
            entry.seat for entry in record.entries if entry.seat is not None and entry.kind is EntryKind.ACTED
        )
        yield from super().restore(record, clock, restarted)
        for entry in record.entries:
            # The first offer makes `_offers`; from then on every entry may end an offer.
            if entry.seat is not None and (entry.kind in OFFERS or self._offers is not None):
                self._follow_offer(entry.kind, entry.seat)
        self.phase = PLAYING

    def _follow_offer(self, kind: EntryKind, seat: Seat) -> Declined | None:
        """
        Update the offers after an entry. Returns the event for both players if the entry has ended an offer that was
        not answered.
        """
        offers = self._made_offers
        if (offer := OFFERS.get(kind)) is not None:
            offers.make(seat, offer, stands=True)
        elif kind is EntryKind.ACTED:
            return offers.moved(seat)
        elif kind in AGREEMENTS:
            offers.agreed()
        else:  # it was declined, or a player has left
            offers.end()
        return None

    @property
    def _made_offers(self) -> Offers:
        """The offers of this table; made at the first use."""
        if self._offers is None:
            self._offers = Offers(offers_of(self.game), self.settings, self.names)
        return self._offers

    def offer(self, handle: TableSeatHandle[Any, Any], offer: Offer) -> bool:
        """See `SeatHandle.offer`. In a slow match, the offer is an entry of the record."""
        now, seat = self._time_of(handle), handle.seat
        # `None`: this player cannot act any more, and has received the reason.
        if now is None:
            return False
        # `objection` refuses an offer to an absent opponent, but in a slow match the opponent may be absent. So the player
        # itself is passed in place of the opponent. It also has a wire with offers, as all players of slow matches.
        objection = self._made_offers.objection(self._master, seat, offer, handle.player)
        if objection is not None:
            self._outbox.refuse(handle, Refused(IllegalAction(objection)))
            return False
        kind = EntryKind.DRAW_OFFERED if offer is Offer.DRAW else EntryKind.ASKED_BACK
        self._record(kind, now, seat, b"", ())  # also makes it the open offer
        self._outbox.tell([To(Offered(seat, offer), (seat, Seat(1 - seat)))])
        return True

    def _tell_end_of_offer(self, declined: Declined | None, answered: int | None = None) -> None:
        """
        Send the end of an offer to both players. If a player has declined it, record that. If a move has ended it, the
        record of the move is enough.

        :param declined: the event; `None`: no offer has ended
        :param answered: the time at which a player has declined, in milliseconds; `None`: nobody has answered
        """
        if declined is not None and answered is not None:
            self._record(EntryKind.DECLINED, answered, declined.seat, b"", ())
        super()._tell_end_of_offer(declined)

    def _end_offer(self) -> None:
        """Nothing: in a slow match an offer remains open when a player disconnects."""

    def reconnect(self, seat: Seat, player: Player[Any, Any]) -> None:
        """See `Table.reconnect`. In a slow match the player also receives the open offer, which may be days old."""
        super().reconnect(seat, player)
        standing = None if self._offers is None else self._offers.standing
        if standing is not None and self.running:
            self._outbox.tell([To(standing, (seat,))])

    @property
    def deadline(self) -> int | None:
        """When the time of the seat to move ends, in milliseconds since 1970; `None`: there is no deadline."""
        deadline = self._master.deadline if self.running else None
        return None if deadline is None else max(deadline + self.began, self.host.spared(self))

    @property
    def due(self) -> tuple[int, int] | None:
        """
        See `WatchableTable.due`. The time in which the deadline does not count is included: the grace time of the host, and
        leaves.
        """
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
        """Whether no player is connected to this table."""
        return not any(place.taken for place in self._outbox.places)

    def sits(self, seat: Seat) -> bool:
        """Whether the player of a seat is connected to this table."""
        return self._outbox.places[seat].taken

    @property
    def turn(self) -> tuple[Seat, ...]:
        """The seats with players that may act now."""
        master = self._master
        if master.result is not None:
            return ()
        if isinstance(master, HasTurns) and (seat := master.to_move()) is not None:
            return (seat,)
        # The master does not say which seat has the turn, or several may act: ask for the actions of each seat.
        return tuple(seat for seat in map(Seat, range(len(self.names))) if self._may_act(seat))

    def _may_act(self, seat: Seat) -> bool:
        """Whether a seat has a legal action now; also `True` if the game does not list the actions (`None`)."""
        legal = self.game.legal(self._master.view(seat), seat)
        return legal is None or next(iter(legal), None) is not None

    def now(self) -> int:
        """The time since the match began, in milliseconds. Never less than the time of the last entry."""
        return max(self._stopped, self.host.wall - self.began)

    def end_if_late(self) -> None:
        """End the match, or the turn, if the deadline is over."""
        deadline, now = self._master.deadline, self.now()
        if self.running and deadline is not None and now >= deadline:
            self._expire(now)

    def _expire(self, now: int) -> None:
        """End the match because the time of a seat is over, unless the deadline does not count yet."""
        if now + self.began < max(self.host.lenient, self.host.spared(self)):
            return
        master = self._master
        turn = master.to_move() if isinstance(master, HasTurns) else None
        # Without a seat to move, all seats are late.
        late = range(len(self.names)) if turn is None else (turn,)
        if all(seat in self.actors for seat in late):
            super()._expire(now)
        else:
            self.archive()  # the match does not count: a late player has never made a move

    def archive(self) -> None:
        super().archive()
        self.host.recorded(self, ANNULLED)

    def _record(self, kind: EntryKind, now: int, seat: Seat | None, *more: Any) -> None:
        """Record an entry, and update who has acted and which offer is open."""
        self._stopped = max(self._stopped, now)  # so that `now` never goes back, if the time of day is corrected
        ended = None
        if seat is not None:
            if kind is EntryKind.ACTED:
                self.actors.add(seat)
                self.host.moved(self.players[seat])  # ends the leave of the player
            # Without an offer up to now, other entries change nothing.
            if kind in OFFERS or self._offers is not None:
                ended = self._follow_offer(kind, seat)
        super()._record(kind, now, seat, *more)
        self._tell_end_of_offer(ended)

    def rise(self, seat: Seat, player: Player[Any, Any]) -> None:
        """Called when a player stops showing this table. Nothing happens if a newer connection has the seat."""
        place = self._outbox.places[seat]
        taken = place.coming or place.handle
        if taken is not None and taken.player is player:
            self.disconnect(seat)

    def disconnect(self, seat: Seat) -> None:
        place = self._outbox.places[seat]
        place.handle = place.coming = None

    def _archived(self) -> None:
        """Called when the archive entry is durable. The players receive `Archived`, too."""
        # The seats are empty before any player receives the end, so that a player may begin another match at once.
        players = [place.handle.player for place in self._outbox.places if place.handle is not None]
        for place in self._outbox.places:
            place.handle = None
        super()._archived()
        for player in players:
            player.deliver(Archived())

    def end(self) -> None:
        """See `Table.end`. Absent players find the end of a slow match in the list of their own matches."""
        self.phase = Phase.OVER
        self._ended(self)

    def _set_alarm(self) -> None:
        self.host.due_changed(self)

    def halt(self) -> None:
        """Nothing: there is no alarm to stop."""
