"""
The queue of the messages that a table sends. A message for a seat goes to the player that has the seat when the message
is sent.

Every item waits until all entries before it are durable. No item overtakes another one: refusals, arrivals and the end
of the match are in the same queue as the events of the game.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Generic, Protocol, TypeVar

from attrs import define, field
from msgspec import Struct

from gamehost.games.base import Offer, Result, Seat, To
from gamehost.games.clock import ClockReading, Due
from gamehost.journal.records import Entry
from gamehost.measures import MatchCounts
from gamehost.tables.interfaces import (
    Archived,
    Audience,
    Away,
    Back,
    Claimable,
    HearsClaims,
    Left,
    Look,
    Over,
    Player,
    Refused,
    Replaced,
    Suspended,
    WatchableTable,
)

A = TypeVar("A")
E = TypeVar("E")


#: The set of absent seats if all players are present: one object for all tables, to save memory.
_NOBODY: frozenset[Seat] = frozenset()


class _Table(WatchableTable, Protocol):
    """The methods of a table that its handles and its outbox call."""

    def act(self, handle: Any, action: Any, careful: bool = False) -> bool: ...

    def offer(self, handle: Any, offer: Offer) -> bool: ...

    def answer(self, handle: Any, offer: Offer, accepted: bool) -> bool: ...

    def leave(self, handle: Any, stays: bool) -> None: ...

    def look(self, handle: Any, shown: Callable[[Any], None]) -> bool: ...

    def claim(self, handle: Any, draw: bool) -> bool: ...

    @property
    def grace(self) -> int:
        """See `SeatHandle.grace`."""

    def kept(self, seat: Seat) -> int | None:
        """See `Away.kept`: for how many milliseconds the seat of an absent player is reserved."""

    def kept_for(self, seat: Seat) -> float: ...

    def claimable(self, seat: Seat) -> Claimable | None:
        """What players may claim because of the absent player of this seat; `None`: nothing."""

    def end(self) -> None:
        """Called before the end of the match is sent: no player has received it yet."""

    def end_told(self) -> None:
        """Called after all present players have received the end."""

    def broken(self) -> None:
        """Called in an `except` block: an event of the master could not be sent, because of the current exception."""

    def stopped(self) -> None:
        """Called before the players receive `Suspended`: a fault has stopped the match, and its players are free."""

    def end_missed(self, seat: Seat) -> None:
        """Called before a player that comes back after the end of the match receives the end."""


class TableSeatHandle(Generic[A, E]):
    """A `SeatHandle`. It is valid as long as it is the `handle` of its seat's `SeatState`."""

    __slots__ = (
        "_outbox",
        "_table",
        "game",
        "moves",
        "player",
        "seat",
        "table",
        "wires",
    )

    def __init__(
        self,
        table: _Table,
        seat: Seat,
        player: Player[A, Any],
        outbox: "Outbox[A, E]",
        counts: MatchCounts,
    ) -> None:
        """Make the handle of a player for one seat. Facts that never change are copied, because moves need them quickly."""
        self._table = table
        self.table = table.id
        self.game = table.game.name
        self.wires = table.wires
        self.seat = seat
        self.player = player
        self._outbox = outbox
        #: The counter of accepted actions on this player's wire in this game.
        self.moves = counts.moves_of(table.wires[seat] if table.wires else "", self.game)

    @property
    def names(self) -> Sequence[str]:
        return self._table.names

    @property
    def shown_as(self) -> Mapping[str, str]:
        return self._table.shown_as

    @property
    def n(self) -> int:
        return self._outbox.n

    @property
    def clocks(self) -> Sequence[int] | None:
        return self._table.clocks

    @property
    def due(self) -> tuple[int, int] | None:
        return self._table.due

    @property
    def grace(self) -> int:
        return self._table.grace

    def kept_for(self, seat: Seat) -> float:
        return self._table.kept_for(seat)

    def act(self, action: A, careful: bool = False) -> bool:
        return self._table.act(self, action, careful)

    def look(self, shown: Callable[[Any], None]) -> bool:
        return self._table.look(self, shown)

    def replace(self, seat: Seat, substitute: Callable[[], str | None]) -> bool:
        """See `SeatHandle.replace`. Lets another player take the seat of an absent one, now or when its grace time ends."""
        place = self._outbox.places[seat]
        # The player of the seat is here, or has left for good: no grace time runs.
        if place.taken or place.grace_ends is None:
            return False
        place.substitute = substitute
        # Claimable: the grace time is over, so the other player takes the seat at once.
        return not place.claimable or self._outbox.replaced(seat)

    def offer(self, offer: Offer) -> bool:
        return self._table.offer(self, offer)

    def answer(self, offer: Offer, accepted: bool) -> bool:
        return self._table.answer(self, offer, accepted)

    def claim(self, draw: bool) -> bool:
        return self._table.claim(self, draw)

    def leave(self) -> None:
        self._table.leave(self, False)

    def resign(self) -> None:
        self._table.leave(self, True)


@define(eq=False)
class SeatState(Generic[A, E]):
    """The state of one seat of a table: its player, and how long an absent player has to come back."""

    handle: TableSeatHandle[A, E] | None = None
    #: The handle of a player that arrives: it gets the seat after the messages in the queue were sent.
    coming: TableSeatHandle[A, E] | None = None
    #: When the seat of an absent player is forfeited, in milliseconds on the table's clock; `None`: no such time.
    grace_ends: int | None = None
    #: Whether the grace time is over, and the others may claim the match until `grace_ends`.
    claimable: bool = False
    #: Called when the grace time ends: lets another player take the seat, and returns its name or `None`. `None` here:
    #: no other player was asked for.
    substitute: Callable[[], str | None] | None = None
    #: Whether the player has given the seat up, and receives nothing more.
    left: bool = False

    @property
    def taken(self) -> bool:
        return self.handle is not None or self.coming is not None


class _Arrival(Struct, Generic[A, E], frozen=True):
    """In the queue: a player gets its seat, and receives the state of the match."""

    handle: TableSeatHandle[A, E]
    #: The view for each seat, sent with `Back`; `None`: nothing is sent, because other events follow.
    views: Sequence[E] | None
    #: Whether the other players counted this player as away, so that they receive `Back`, too.
    missed: bool = True


class _Reply(Struct, Generic[A, E], frozen=True):
    """
    In the queue: a refusal or a view for the player of one handle. It is dropped if the handle is not valid any more.
    """

    handle: TableSeatHandle[A, E]
    #: Called with `words`.
    hear: Callable[[Any], None]
    words: Any


class Record(Struct, Generic[A, E], frozen=True):
    """In the queue: an entry of the journal with its events. The events are sent when the entry is durable."""

    #: The entry. Its seat receives the events before the other seats.
    entry: Entry
    events: Sequence[To[E]]
    #: Players that get their seats with this entry, before its events are sent.
    arriving: Sequence[TableSeatHandle[A, E]] = ()
    #: The result, if the entry ends the match.
    result: Result | None = None
    #: The clocks and the deadline after the entry.
    clock: ClockReading | None = None
    due: Due | None = None


@define(eq=False)
class _Look(Generic[E]):
    """In the queue: the state of the match for a new watcher."""

    #: `None`: the watcher has left meanwhile.
    audience: Audience[Any] | None
    view: E


def hears_claims(player: object) -> bool:
    """Whether a player can claim a match after a grace time."""
    return isinstance(player, HearsClaims) and player.claims


@cache
def _orders(seats: int) -> Sequence[Sequence[Seat]]:
    """For each seat: the order in which all seats receive an event if this seat receives it first."""
    every = tuple(map(Seat, range(seats)))
    return tuple((first, *every[:first], *every[first + 1 :]) for first in every)


@define(eq=False)
class Outbox(Generic[A, E]):
    """The queue of the messages of one table, to its players and its watchers."""

    places: Sequence[SeatState[A, E]]
    _table: _Table
    #: The items: how many entries must be durable first, the method that sends the item, and the item. A list, not a
    #: deque: the queue is nearly always short, and an empty list takes a tenth of the memory.
    _queue: list[tuple[int, Callable[[Any], None], Any]] = field(factory=list)
    #: How many entries were given to the journal, the opening included.
    appended: int = 0
    _durable: int = 0
    _telling: bool = False
    _ended: Result | None = None
    #: How many entries were sent to the players, without the opening.
    n: int = 0
    #: The clocks after the last entry that was sent; `None`: the match has no clocks.
    clock: ClockReading | None = None
    #: `due` is the deadline after the last entry that was sent; `next_due` after the last entry that was made.
    due: Due | None = None
    next_due: Due | None = None
    #: The watchers. They receive public events, after all players.
    audience: list[Audience[Any]] = field(factory=list)
    #: The seats with absent players, according to the events that were sent to the audience.
    _away: frozenset[Seat] = field(init=False)
    #: For each seat: the order in which the seats receive an event if this seat is the first. From the function `_orders`.
    _orders: Sequence[Sequence[Seat]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._away = frozenset(map(Seat, range(len(self.places))))
        self._orders = _orders(len(self.places))

    def record(self, record: Record[A, E]) -> None:
        """Put a record into the queue. The caller gives its entry to the journal, which calls `durable`."""
        self.appended += 1
        self.next_due = record.due
        self._queue.append((self.appended, self._tell_record, record))

    def tell(self, events: Sequence[To[Any]]) -> None:
        """Send events without an entry of their own, after the entries so far."""
        self._queue.append((self.appended, self._tell, events))
        self.deliver()

    def refuse(self, handle: TableSeatHandle[A, E], refused: Refused) -> None:
        """Send a refusal to the player of a handle, after the entries so far."""
        self._queue.append((self.appended, self._reply, _Reply(handle, handle.player.deliver, refused)))
        self.deliver()

    def glance(self, handle: TableSeatHandle[A, E], view: E, shown: Callable[[Any], None]) -> None:
        """Send the player of a handle the view of its seat, after all events that the view contains."""
        self._queue.append((self.appended, self._reply, _Reply(handle, shown, view)))
        self.deliver()

    def admit(self, handle: TableSeatHandle[A, E], views: Sequence[E] | None, missed: bool = True) -> None:
        """
        Give the seat to the `coming` player of its place, after the entries so far.

        :param views: the view that each seat receives then
        :param missed: whether the other players counted this player as away, and receive `Back`
        """
        self._queue.append((self.appended, self._arrive, _Arrival(handle, views, missed)))
        self.deliver()

    def announce(self, event: Away | Left) -> None:
        """Send `Away` or `Left` of a seat to all other players and to the watchers."""
        self._queue.append((self.appended, self._tell_presence, event))
        self.deliver()

    def replaced(self, seat: Seat) -> bool:
        """
        Called when the grace time of a seat has ended: let the substitute take the seat, if one was asked for. Sends
        `Replaced` to all. Returns whether the seat was taken.
        """
        place = self.places[seat]
        substitute, place.substitute = place.substitute, None
        name = None if substitute is None else substitute()
        if name is not None:
            self.tell([To(Replaced(seat, name))])
        return name is not None

    def show(self, audience: Audience[Any], view: E) -> None:
        """
        Send the state of the match to an audience, after all events that the view contains, and then the later events.
        An audience that watches already gets the state again, between the right events.
        """
        self._queue.append((self.appended, self._show, _Look(audience, view)))
        self.deliver()

    @property
    def watched(self) -> bool:
        return bool(self.audience) or any(type(words) is _Look and words.audience for _, _, words in self._queue)

    def unwatch(self, audience: Audience[Any]) -> None:
        """Send nothing more to an audience, also if its state of the match is still in the queue."""
        if audience in self.audience:
            self.audience.remove(audience)
        for _, _, words in self._queue:
            if type(words) is _Look and words.audience is audience:
                words.audience = None

    def durable(self) -> None:
        """Called by the journal once for each entry, in order: the next entry is durable now."""
        self._durable += 1
        self.deliver()

    def deliver(self) -> None:
        """Send, in order, all items that wait only for durable entries."""
        # A player that receives an item may act at once, which calls this again: the loop below sends what follows.
        if self._telling:
            return
        self._telling = True
        queue = self._queue
        try:
            while queue and queue[0][0] <= self._durable:
                _, tell, words = queue.pop(0)
                tell(words)
        except Exception:
            # For example, a client's message could not be made. The error must not reach the caller: the caller may be
            # the journal, which serves all tables.
            queue.clear()
            self._telling = False  # first, because `broken` sends `Suspended`
            self._table.broken()
        finally:
            self._telling = False

    def _tell_record(self, record: Record[A, E]) -> None:
        """
        Send an entry: give arriving players their seats, send the events, and then the end of the match, if there is
        one.
        """
        self.clock, self.due = record.clock, record.due
        for handle in record.arriving:
            self._arrive(_Arrival(handle, None))
        self.n += 1
        self._tell(record.events, record.entry.seat)
        if record.result is not None:
            self._end(record.result)

    def _tell(self, events: Sequence[To[Any]], first: Seat | None = None) -> None:
        """
        Send events to their seats, and the public ones to the watchers. The seat `first` receives each event before the
        others.
        """
        places, everybody = self.places, self._orders[first or 0]
        for to in events:
            event, audience = to.event, to.audience
            for seat in everybody if audience is None else audience:
                if (handle := places[seat].handle) is not None:
                    handle.player.deliver(event)
        if self.audience:
            self._tell_audience([to.event for to in events if to.audience is None])

    def _reply(self, reply: _Reply[A, E]) -> None:
        if self.places[reply.handle.seat].handle is reply.handle:
            reply.hear(reply.words)

    def _tell_audience(self, events: Sequence[Any]) -> None:
        for audience in tuple(self.audience):
            for event in events:
                audience.deliver(event, self.n)

    def _tell_presence(self, event: Away | Left) -> None:
        """Send `Away` or `Left` of a seat to the other players and to the watchers."""
        self._away |= {event.seat}  # a later watcher receives the absent seats with the state of the match
        for seat, place in enumerate(self.places):
            if seat != event.seat and place.handle is not None:
                place.handle.player.deliver(event)
        self._tell_audience([event])

    def _show(self, look: _Look[E]) -> None:
        """Send the state of the match to a new audience."""
        audience = look.audience
        if audience is None:
            return  # it has left meanwhile
        audience.shown(Look(self.n, tuple(sorted(self._away)), look.view))
        if self._ended is not None:  # no events follow
            audience.deliver(Over(self._ended), self.n)
        elif audience not in self.audience:  # an audience may ask for the state again
            self.audience.append(audience)

    def _arrive(self, arrival: _Arrival[A, E]) -> None:
        """Give an arriving player its seat."""
        handle = arrival.handle
        place = self.places[handle.seat]
        if place.coming is not handle:
            return  # the player has disconnected or was replaced before this item was sent
        place.coming = None
        place.handle = handle
        self._away = self._away - {handle.seat} or _NOBODY
        handle.player.seated(handle)
        if arrival.views is None:
            return  # the match begins with this entry, or was stopped by a fault: other events follow
        # All players receive the return; if nobody missed the player, only the player itself receives its view.
        for other, view in zip(self.places, arrival.views, strict=True):
            if other.handle is not None and (arrival.missed or other is place):
                other.handle.player.deliver(Back(handle.seat, view))
        if arrival.missed:
            self._tell_audience([Back(handle.seat, None)])
        # The match has ended while the player was away: send the end.
        if self._ended is not None:
            place.handle = None  # before the player receives the end, because it may begin another match at once
            self._table.end_missed(handle.seat)
            handle.player.deliver(Over(self._ended))
            return
        # Send the player which others are absent now (`True`: they were so before it came), and what it can claim.
        for seat, other in enumerate(self.places):
            if not other.taken:
                handle.player.deliver(Away(Seat(seat), True, self._table.kept(Seat(seat))))
                if other.claimable and hears_claims(handle.player):
                    handle.player.deliver(self._table.claimable(Seat(seat)))

    def _end(self, result: Result) -> None:
        """Send the end of the match to all."""
        self._ended = result
        self._table.end()
        # The seats are empty before any player receives the end, so that a player may begin another match at once.
        players = [place.handle.player for place in self.places if place.handle is not None]
        for place in self.places:
            place.handle = None
        for player in players:
            player.deliver(Over(result))
        self._tell_audience([Over(result)])
        self.audience.clear()
        self._table.end_told()

    def archived(self) -> None:
        """Send `Archived` to the watchers, and end the watching."""
        self._tell_audience([Archived()])
        self.audience.clear()

    def stop(self) -> None:
        """Free all players after a fault of the match, and send `Suspended` to them and to the watchers."""
        self._queue.append((self.appended, self._stop, None))
        self.deliver()

    def _stop(self, _: None) -> None:
        """Free all players, and send `Suspended` to them and to the watchers. Queued by `stop`."""
        self._table.stopped()
        # As in `_end`: the seats are empty before any player receives the event.
        players = [place.handle.player for place in self.places if place.handle is not None]
        for place in self.places:
            place.handle = None
        for player in players:
            player.deliver(Suspended())
        self._tell_audience([Suspended()])
        self.audience.clear()

    def restore(self, entries: int, clock: ClockReading | None, due: Due | None, result: Result | None) -> None:
        """
        Begin after a number of entries that an earlier run of the host has sent.

        :param result: the result, if the match has ended. Each player receives it when it comes back
        """
        self.n = entries
        self.clock = clock
        self.due = self.next_due = due
        # These two counts include the opening.
        self.appended = self._durable = entries + 1
        self._ended = result
