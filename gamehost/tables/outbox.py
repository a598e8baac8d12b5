"""
The messages of a table, in order, each to the holder of the seat at that time.

Every item depends on a number of durable entries, and is not sent before they are durable. No item overtakes another
one: refusals, arrivals and the end are in the same queue as the events of the game.
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


#: The absent seats of a table with all players present: one object for all tables.
_NOBODY: frozenset[Seat] = frozenset()


class _Table(WatchableTable, Protocol):
    """A table, as its handles and its outbox see it."""

    def act(self, handle: Any, action: Any, careful: bool = False) -> bool: ...

    def offer(self, handle: Any, offer: Offer) -> bool: ...

    def answer(self, handle: Any, offer: Offer, accepted: bool) -> bool: ...

    def leave(self, handle: Any, stays: bool) -> None: ...

    def look(self, handle: Any, shown: Callable[[Any], None]) -> bool: ...

    def claim(self, handle: Any, draw: bool) -> bool: ...

    @property
    def grace(self) -> int:
        """As of `SeatHandle.grace`."""

    def kept(self, seat: Seat) -> int | None:
        """As of `Away`: for how long the seat of an absent player is kept."""

    def kept_for(self, seat: Seat) -> float: ...

    def claimable(self, seat: Seat) -> Claimable | None:
        """The claim that is open because of an absent player; `None`: none is."""

    def end(self) -> None:
        """The end is about to be sent: no player has received it."""

    def end_told(self) -> None:
        """All present players have received the end."""

    def broken(self) -> None:
        """An event of the master cannot be sent, because of an error that is being handled."""

    def stopped(self) -> None:
        """A fault has stopped the match, and its players are about to receive that: they are free."""

    def end_missed(self, seat: Seat) -> None:
        """The player of this seat comes back after the end, and is about to receive it."""


class TableSeatHandle(Generic[A, E]):
    """A `SeatHandle`, valid while its place has it."""

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
        self._table = table
        self.table = table.id
        self.game = table.game.name
        self.wires = table.wires
        self.seat = seat
        self.player = player
        self._outbox = outbox
        #: How many actions were accepted, on the same wire in the same game.
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
        place = self._outbox.places[seat]
        if place.taken or place.grace_ends is None:
            return False
        place.substitute = substitute
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
    """One seat, as its table sees it."""

    handle: TableSeatHandle[A, E] | None = None
    #: The handle of a player that comes in after the messages in the queue were sent.
    coming: TableSeatHandle[A, E] | None = None
    #: When an away player's seat is forfeited, on the table's clock.
    grace_ends: int | None = None
    #: Whether the grace time is over, and the others may claim the match until `grace_ends`.
    claimable: bool = False
    #: Lets another player take the seat of an absent player then, and returns the name. `None`: no other player was
    #: asked for.
    substitute: Callable[[], str | None] | None = None
    #: Whether its player has given it up, and receives nothing more.
    left: bool = False

    @property
    def taken(self) -> bool:
        return self.handle is not None or self.coming is not None


class _Arrival(Struct, Generic[A, E], frozen=True):
    """A player takes a handle, and receives the state of the match."""

    handle: TableSeatHandle[A, E]
    #: The message for each seat; `None`: nothing, another message follows.
    views: Sequence[E] | None
    #: Whether the others took them to be away.
    missed: bool = True


class _Reply(Struct, Generic[A, E], frozen=True):
    """Words for the holder of one handle, if they hold it still."""

    handle: TableSeatHandle[A, E]
    #: Called with a refusal, or with a view.
    hear: Callable[[Any], None]
    words: Any


class Record(Struct, Generic[A, E], frozen=True):
    """An accepted action of a table: its entry is written, and its events are sent after the entry is durable."""

    #: The seat of the entry has acted: it receives the answer before the others receive the events.
    entry: Entry
    events: Sequence[To[E]]
    #: Players that come in with it.
    arriving: Sequence[TableSeatHandle[A, E]] = ()
    #: The result, if it ended the match.
    result: Result | None = None
    #: The clocks after it, and the deadline then.
    clock: ClockReading | None = None
    due: Due | None = None


@define(eq=False)
class _Look(Generic[E]):
    """A new watcher, and the view that it is shown."""

    #: `None`: not any more.
    audience: Audience[Any] | None
    view: E


def hears_claims(player: object) -> bool:
    return isinstance(player, HearsClaims) and player.claims


@cache
def _orders(seats: int) -> Sequence[Sequence[Seat]]:
    every = tuple(map(Seat, range(seats)))
    return tuple((first, *every[:first], *every[first + 1 :]) for first in every)


@define(eq=False)
class Outbox(Generic[A, E]):
    """The queue of one table."""

    places: Sequence[SeatState[A, E]]
    _table: _Table
    #: The number of entries that an item depends on, the method that sends it, and the item. It is nearly always short,
    #: and an empty list takes a tenth of an empty deque.
    _queue: list[tuple[int, Callable[[Any], None], Any]] = field(factory=list)
    #: How many entries went to the journal, the opening included.
    appended: int = 0
    _durable: int = 0
    _telling: bool = False
    _ended: Result | None = None
    #: The number of entries that were sent, without the opening.
    n: int = 0
    #: The clocks after the last entry that was sent; `None`: the match has none.
    clock: ClockReading | None = None
    #: The deadline after the last entry that was sent, and after the last one that was made.
    due: Due | None = None
    next_due: Due | None = None
    #: The watchers. They receive public events, after all players.
    audience: list[Audience[Any]] = field(factory=list)
    #: The seats with absent players, as far as the audience has received it.
    _away: frozenset[Seat] = field(init=False)
    #: For each seat: all seats, that one first.
    _orders: Sequence[Sequence[Seat]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._away = frozenset(map(Seat, range(len(self.places))))
        self._orders = _orders(len(self.places))

    def record(self, record: Record[A, E]) -> None:
        """A record goes to the journal."""
        self.appended += 1
        self.next_due = record.due
        self._queue.append((self.appended, self._tell_record, record))

    def tell(self, events: Sequence[To[Any]]) -> None:
        """Send events that belong to no entry of their own."""
        self._queue.append((self.appended, self._tell, events))
        self.deliver()

    def refuse(self, handle: TableSeatHandle[A, E], refused: Refused) -> None:
        """Send a refusal to the holder of a handle, behind the entries so far."""
        self._queue.append((self.appended, self._reply, _Reply(handle, handle.player.deliver, refused)))
        self.deliver()

    def glance(self, handle: TableSeatHandle[A, E], view: E, shown: Callable[[Any], None]) -> None:
        """Send the holder of a handle the view of the seat, after all events that the view contains."""
        self._queue.append((self.appended, self._reply, _Reply(handle, shown, view)))
        self.deliver()

    def admit(self, handle: TableSeatHandle[A, E], views: Sequence[E] | None, missed: bool = True) -> None:
        """
        Let the coming player of a place arrive.

        :param views: the view that each seat receives then
        :param missed: whether the others counted it as away, and receive the return
        """
        self._queue.append((self.appended, self._arrive, _Arrival(handle, views, missed)))
        self.deliver()

    def announce(self, event: Away | Left) -> None:
        """Send all others, and the watchers, that the player of a seat is absent."""
        self._queue.append((self.appended, self._tell_presence, event))
        self.deliver()

    def replaced(self, seat: Seat) -> bool:
        """The grace time of a seat is over. Returns whether another player has taken it; all receive that then."""
        place = self.places[seat]
        substitute, place.substitute = place.substitute, None
        name = None if substitute is None else substitute()
        if name is not None:
            self.tell([To(Replaced(seat, name))])
        return name is not None

    def show(self, audience: Audience[Any], view: E) -> None:
        """
        Show the match to an audience, after all events that the view contains, and send the later events.

        An audience that watches already misses nothing: it is shown the match at this place in the order of its events.
        """
        self._queue.append((self.appended, self._show, _Look(audience, view)))
        self.deliver()

    @property
    def watched(self) -> bool:
        return bool(self.audience) or any(type(words) is _Look and words.audience for _, _, words in self._queue)

    def unwatch(self, audience: Audience[Any]) -> None:
        if audience in self.audience:
            self.audience.remove(audience)
        for _, _, words in self._queue:
            if type(words) is _Look and words.audience is audience:
                words.audience = None

    def durable(self) -> None:
        """The oldest entry that was not durable is so now."""
        self._durable += 1
        self.deliver()

    def deliver(self) -> None:
        """Send, in order, all items that depend on durable entries alone."""
        if self._telling:
            return
        self._telling = True
        queue = self._queue
        try:
            while queue and queue[0][0] <= self._durable:
                _, tell, words = queue.pop(0)
                tell(words)
        except Exception:
            # Such as a view that cannot be shown. The caller must not get the error: it may be the journal, for all
            # tables.
            queue.clear()
            self._telling = False
            self._table.broken()
        finally:
            self._telling = False

    def _tell_record(self, record: Record[A, E]) -> None:
        self.clock, self.due = record.clock, record.due
        for handle in record.arriving:
            self._arrive(_Arrival(handle, None))
        self.n += 1
        self._tell(record.events, record.entry.seat)
        if record.result is not None:
            self._end(record.result)

    def _tell(self, events: Sequence[To[Any]], first: Seat | None = None) -> None:
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
        self._away |= {event.seat}
        for seat, place in enumerate(self.places):
            if seat != event.seat and place.handle is not None:
                place.handle.player.deliver(event)
        self._tell_audience([event])

    def _show(self, look: _Look[E]) -> None:
        audience = look.audience
        if audience is None:
            return
        audience.shown(Look(self.n, tuple(sorted(self._away)), look.view))
        if self._ended is not None:
            audience.deliver(Over(self._ended), self.n)
        elif audience not in self.audience:
            self.audience.append(audience)

    def _arrive(self, arrival: _Arrival[A, E]) -> None:
        handle = arrival.handle
        place = self.places[handle.seat]
        if place.coming is not handle:
            return  # disconnected again, or replaced, before this could be sent
        place.coming = None
        place.handle = handle
        self._away = self._away - {handle.seat} or _NOBODY
        handle.player.seated(handle)
        if arrival.views is None:
            return
        for other, view in zip(self.places, arrival.views, strict=True):
            if other.handle is not None and (arrival.missed or other is place):
                other.handle.player.deliver(Back(handle.seat, view))
        if arrival.missed:
            self._tell_audience([Back(handle.seat, None)])
        if self._ended is not None:
            place.handle = None
            self._table.end_missed(handle.seat)
            handle.player.deliver(Over(self._ended))
            return
        for seat, other in enumerate(self.places):
            if not other.taken:
                handle.player.deliver(Away(Seat(seat), True, self._table.kept(Seat(seat))))
                if other.claimable and hears_claims(handle.player):
                    handle.player.deliver(self._table.claimable(Seat(seat)))

    def _end(self, result: Result) -> None:
        self._ended = result
        self._table.end()
        players = [place.handle.player for place in self.places if place.handle is not None]
        for place in self.places:
            place.handle = None
        for player in players:
            player.deliver(Over(result))
        self._tell_audience([Over(result)])
        self.audience.clear()
        self._table.end_told()

    def archived(self) -> None:
        """Send the watchers that no player has come back, as the record says."""
        self._tell_audience([Archived()])
        self.audience.clear()

    def stop(self) -> None:
        """A fault has stopped the match: free all players, and send that to them and to the watchers."""
        self._queue.append((self.appended, self._stop, None))
        self.deliver()

    def _stop(self, _: None) -> None:
        self._table.stopped()
        players = [place.handle.player for place in self.places if place.handle is not None]
        for place in self.places:
            place.handle = None
        for player in players:
            player.deliver(Suspended())
        self._tell_audience([Suspended()])
        self.audience.clear()

    def restore(self, entries: int, clock: ClockReading | None, due: Due | None, result: Result | None) -> None:
        """
        Take a number of entries, without the opening, as sent in an earlier run of the host.

        :param result: if the match has ended. Each player receives it on coming back
        """
        self.n = entries
        self.clock = clock
        self.due = self.next_due = due
        self.appended = self._durable = entries + 1
        self._ended = result
