"""
A table: the players of one match, its game master, and the order in which events are recorded and sent.

When the master accepts an action, the table appends an entry to the journal and puts the events into its outbox. The
outbox sends them after the entry is durable. The table has the clock of the game. The clock is stopped while all
players are away.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Generic, Self, TypeVar

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from gamehost.games.base import (
    Game,
    GameMaster,
    IllegalAction,
    JournalledChance,
    Offer,
    Result,
    Seat,
    TakesOffers,
    To,
    act_carefully,
    offers_of,
)
from gamehost.games.clock import due_after, reading_of
from gamehost.journal.records import (
    AS_NAMED,
    CHAMPIONSHIP,
    HOUSE_ADDRESS,
    MISSED_END,
    Entry,
    EntryKind,
    TableHeader,
    TableId,
    TableRecord,
    shown_as,
)
from gamehost.journal.replay import INTERVAL, fingerprint, new_master, replay_in_steps
from gamehost.tables.context import DORMANT, PLAYING, Addition, Phase, TableContext
from gamehost.tables.interfaces import (
    Audience,
    Away,
    Claimable,
    Declined,
    HearsOffers,
    Left,
    Player,
    Refused,
    Suspended,
)
from gamehost.tables.offers import Offers
from gamehost.tables.outbox import Outbox, Record, SeatState, TableSeatHandle, hears_claims
from gamehost.tables.told import check_told, told_as

# Looking up a member of an enum takes ten times as long as a name of the module, and this member is needed for every
# move.
_ACTED = EntryKind.ACTED

#: The most characters of an error's text that are stored with a suspended table.
LONGEST_FAULT = 300

A = TypeVar("A")
E = TypeVar("E")


@define(eq=False)
class Table(Generic[A, E]):
    """
    One match. For watchers it is a `WatchableTable`; players call it through their `SeatHandle`.

    :param ended: called with the table before its end is sent, or when a fault has stopped it; its handles are void
        then
    :param left: called with the table and a seat, if the match ended in an earlier run of the host: the player of the seat
        has come back, and is about to receive the end
    """

    id: TableId
    game: Game[A, E]
    names: Sequence[str]
    _context: TableContext = field(repr=False)
    _ended: Callable[["Table[A, E]"], None] = field(repr=False)
    _left: Callable[["Table[A, E]", Seat], None] = field(repr=False)
    #: The wires on which the players began the match, in the order of the seats.
    wires: Sequence[str] = ()
    #: The addresses of the players when the match began, in the order of the seats.
    addresses: Sequence[str] = ()
    #: The code that a client needs to watch the match; empty: no code is needed.
    code: str = ""
    shown_as: Mapping[str, str] = AS_NAMED
    settings: Mapping[str, str] = field(factory=dict)
    #: The seats of house players. If only house players are connected, the match stops like one without players.
    house: set[Seat] = field(factory=set)
    phase: Phase = PLAYING
    _master: GameMaster[A, E] = field(init=False)
    _chance: JournalledChance = field(init=False)
    _outbox: Outbox[A, E] = field(init=False, repr=False)
    _clocked: bool = field(init=False)
    #: The pairs of an event's class and its audience that `check_told` has checked for this game.
    _known: set[Any] = field(init=False, repr=False)
    #: The offers of the players; `None`: no player has made an offer.
    _offers: Offers | None = None
    _acted: bool = False
    #: The milliseconds for which a seat is reserved after its player has disconnected.
    _grace: int = 0
    #: The reactor's time, in seconds, at which the table's clock would have shown 0.
    _origin: float = 0.0
    #: The time on the table's clock while it is stopped, in milliseconds.
    _stopped: int = 0
    #: The fault that has stopped the match, for the owner of the host; empty: no fault.
    fault: str = ""
    #: After a restart of the host, if the match is over: the seats with players that have not received the end.
    _untold: frozenset[Seat] = frozenset()
    #: After the end: the seats with absent players that will receive the end after their next log-in. The function
    #: `ended` removes the seats with players that will not.
    missed: frozenset[Seat] = frozenset()
    _alarm: IDelayedCall | None = field(default=None, repr=False)
    _alarm_due: int = 0
    log = Logger()

    @classmethod
    def prepare(
        cls,
        context: TableContext,
        table: TableId,
        game: Game[A, E],
        opening: TableHeader,
        ended: Callable[["Table[A, E]"], None],
        left: Callable[["Table[A, E]", Seat], None],
    ) -> Self:
        """
        Make a table with a match that has not begun. The caller then calls `open` or `restore`.

        :raises BadOption: the game does not accept the settings in the opening
        """
        seats = opening.seats
        names, wires = tuple(seat.name for seat in seats), tuple(seat.wire for seat in seats)
        addresses = tuple(seat.address for seat in seats)
        self = cls(
            table,
            game,
            names,
            context=context,
            ended=ended,
            left=left,
            wires=wires,
            addresses=addresses,
            code=opening.code,
            shown_as=shown_as(seats),
            settings=opening.settings,
        )
        self._outbox = Outbox([SeatState() for _ in seats], self)
        self._grace = round(context.grace * 1000)
        self.house = {Seat(number) for number, seat in enumerate(seats) if seat.address == HOUSE_ADDRESS}
        self._known = context.told[game.name, len(seats)]
        self._chance = JournalledChance(context.rng)
        self._master = new_master(game, opening, self._chance)
        self._clocked = reading_of(self._master) is not None
        return self

    def open(self, opening: TableHeader, players: Sequence[Player[A, Any] | None]) -> None:
        """
        Begin a match of these players, in the order of the seats. `None`: the player of a slow match is not connected.
        """
        self._origin = self._context.clock.seconds()
        self._outbox.appended += 1  # counts the opening, which has no events to send
        self._context.journal.open(self.id, opening, self._outbox.durable)
        # The players get their seats with the first entry. If the host ends earlier, no player knows of the table, and
        # it can be forgotten.
        handles = [self._new_handle(Seat(seat), one) for seat, one in enumerate(players) if one is not None]
        try:
            events = self._master.begin(0)
        except Exception:
            self._suspend(handles)
        else:
            self._record(EntryKind.BEGAN, 0, None, b"", events, handles)

    def restore(self, record: TableRecord, clock: int | None = None, restarted: bool = True) -> Iterator[None]:
        """
        Carry out the entries of a record, one with each step of the iterator. Afterwards the table is without players.

        :param clock: the time on the table's clock, in milliseconds; `None`: the time of the last entry
        :param restarted: whether the host has restarted since, so that absent players get the longer grace time
        :raises NotFollowed: the record does not fit the rules of its game
        """
        due = None

        def carried_out(number: int, _: Any) -> None:
            """Compute the deadline after each entry, because it depends on the one before. Events are not needed."""
            nonlocal due
            due = due_after(self._master, record.entries[number - 1].at, due)

        yield from replay_in_steps(self.game, self._master, self._chance, record.entries, carried_out)
        self._outbox.restore(len(record.entries), reading_of(self._master), due, self._master.result)
        self._acted = any(entry.kind is EntryKind.ACTED for entry in record.entries)
        self._stopped = record.entries[-1].at if clock is None else clock
        if self._master.result is not None:
            # The earlier host has committed the end of the match, but has not sent it to all players.
            self.phase = Phase.OVER
            self._untold = frozenset(map(Seat, range(len(self.names)))) - record.told
            self._set_alarm()  # the end is stored for the other players for a limited time
            return
        if restarted:
            self._grace = round(max(self._context.grace, self._context.restart_grace) * 1000)
        self.phase = DORMANT

    @property
    def watched(self) -> bool:
        """Whether the table has a watcher, or a watcher that waits for the state of the match."""
        return self._outbox.watched

    @property
    def deserted(self) -> bool:
        """Whether the match has not ended, and all players are away."""
        return self.phase is DORMANT and self._master.result is None

    @property
    def starting(self) -> bool:
        """Whether the match has begun, and no player has received that yet."""
        places = self._outbox.places
        return any(place.coming is not None for place in places) and all(place.handle is None for place in places)

    def _new_handle(self, seat: Seat, player: Player[A, Any]) -> TableSeatHandle[A, E]:
        """
        Make the handle of a player that arrives, and cancel the grace time of its seat. The player has the seat when the
        messages before its arrival were sent; until then it is `coming`.
        """
        place = self._outbox.places[seat]
        place.handle = None  # an older connection of this player has the seat no more
        place.grace_ends = None
        place.substitute = None
        place.claimable = False
        place.coming = TableSeatHandle(self, seat, player, self._outbox, self._context.counts)
        return place.coming

    def act(self, handle: TableSeatHandle[A, E], action: A, careful: bool = False) -> bool:
        """See `SeatHandle.act`. Lets the master carry out an action of a player, or refuses the action."""
        seat = handle.seat
        if self._outbox.places[seat].handle is not handle:
            return False  # another connection has the seat: this message came late
        now, master = self.now(), self._master
        deadline = master.deadline
        # The deadline may have passed a moment before its alarm rings.
        if deadline is not None and now >= deadline and self.phase is PLAYING:
            self._expire(now)
        if self.phase is not PLAYING:
            self._outbox.refuse(handle, Refused(IllegalAction("the table is suspended")))
            return False
        # Let the master carry out the action, and record it. A refusal goes to the player; any other error is a fault
        # of the master, and suspends the table. `careful`: a legal action that loses the match at once is refused, too.
        try:
            events = act_carefully(master, seat, action, now) if careful else master.act(seat, action, now)
            notation = self.game.write(action)
        except IllegalAction as error:
            self._outbox.refuse(handle, Refused(error))
        except Exception:
            self._suspend()
        else:
            self._acted = True
            handle.moves.value += 1  # a figure for the owner of the host
            self._record(_ACTED, now, seat, notation, events)
            if self._offers is not None:
                self._tell_end_of_offer(self._offers.moved(seat))
            return True
        return False

    def offer(self, handle: TableSeatHandle[A, E], offer: Offer) -> bool:
        """See `SeatHandle.offer`. Makes an offer of a player to the other one, or refuses it."""
        seat = handle.seat
        # The time itself is not needed. `None`: the player cannot act any more, and has received the reason.
        if self._time_of(handle) is None:
            return False
        # The objection, if there is one, goes to the player that offers.
        if self._offers is None:
            self._offers = Offers(offers_of(self.game), self.settings, self.names)
        other = None if len(self.names) != 2 else self._outbox.places[1 - seat].handle
        opponent = None if other is None else other.player
        objection = self._offers.objection(self._master, seat, offer, opponent)
        # Without an objection, the opponent's wire has messages for offers: the second test is only for the type checker,
        # so the empty text is never sent.
        if objection is not None or not isinstance(opponent, HearsOffers):
            self._outbox.refuse(handle, Refused(IllegalAction(objection or "")))
            return False
        # A player that declines everything does not receive the offer: send both events to the player that offers.
        offered = self._offers.make(seat, offer, stands=not opponent.declines)
        if opponent.declines:
            self._outbox.tell([To(event, (seat,)) for event in (offered, Declined(seat, offer))])
        else:
            self._outbox.tell([To(offered, (seat, Seat(1 - seat)))])
        return True

    def answer(self, handle: TableSeatHandle[A, E], offer: Offer, accepted: bool) -> bool:
        """See `SeatHandle.answer`. Lets a player accept or decline the open offer of the other one."""
        now, master = self._time_of(handle), self._master
        if now is None:
            return False
        offered = None if self._offers is None else self._offers.answer(handle.seat, offer, accepted)
        if offered is None or not isinstance(master, TakesOffers):  # the second: for the type checker
            self._outbox.refuse(handle, Refused(IllegalAction(f"no {offer.value} is offered to you now")))
            return False
        # A declined offer changes nothing in the match. An accepted one is carried out by the master and recorded.
        if not accepted:
            self._tell_end_of_offer(Declined(offered.seat, offer), now)
            return True
        kind = EntryKind.DRAWN if offer is Offer.DRAW else EntryKind.TAKEN_BACK
        self._carry_out(kind, now, offered.seat, partial(master.agree, offer, offered.seat, now))
        return True

    def offered_to(self, seat: Seat) -> Offer | None:
        """The open offer of the other player to this seat; `None`: there is none."""
        return None if self._offers is None else self._offers.offered_to(seat)

    def _time_of(self, handle: TableSeatHandle[A, E]) -> int | None:
        """
        The time now, in milliseconds, for an action of the player of a handle. `None`: the player cannot act any more,
        and has received the reason.
        """
        if self._outbox.places[handle.seat].handle is not handle:
            return None  # another connection has the seat
        now, deadline = self.now(), self._master.deadline
        # The deadline may have passed a moment before its alarm rings. This may end the match.
        if deadline is not None and now >= deadline and self.phase is PLAYING:
            self._expire(now)
        if self.phase is not PLAYING or self._master.result is not None:
            why = "the table is suspended" if self.phase is not PLAYING else "the match is over"
            self._outbox.refuse(handle, Refused(IllegalAction(why)))
            return None
        return now

    def _end_offer(self) -> None:
        self._tell_end_of_offer(None if self._offers is None else self._offers.end())

    def _tell_end_of_offer(self, declined: Declined | None, answered: int | None = None) -> None:
        if declined is not None:
            self._outbox.tell([To(declined, (declined.seat, Seat(1 - declined.seat)))])

    def look(self, handle: TableSeatHandle[A, E], shown: Callable[[Any], None]) -> bool:
        """See `SeatHandle.look`. Sends a player the view of its seat."""
        if self._outbox.places[handle.seat].handle is not handle:
            return True  # another connection has the seat, and this player receives `Displaced`
        if self.phase is Phase.SUSPENDED:
            return False
        try:
            view = self._master.view(handle.seat)
        except Exception:
            self._suspend()
            return False
        self._outbox.glance(handle, view, shown)
        return True

    def leave(self, handle: TableSeatHandle[A, E], stays: bool) -> None:
        """
        Forfeit the seat of a handle.

        :param stays: `True`: the player remains and receives the end, see `SeatHandle.resign`; `False`: the player
            receives nothing more, see `SeatHandle.leave`
        """
        place = self._outbox.places[handle.seat]
        if place.handle is not handle:
            return  # another connection has the seat
        if not stays:
            place.handle = None
            place.left = True
            self._outbox.announce(Left(handle.seat))
        self._forfeit(handle.seat)

    def disconnect(self, seat: Seat) -> None:
        """
        Called when the player of a seat has disconnected. Reserves the seat for the grace time, or stops the match if
        no other person is connected.
        """
        place = self._outbox.places[seat]
        if not place.taken:
            return
        # A player that was still arriving is not known to the others: they receive no `Away`.
        known = place.handle is not None
        place.handle = place.coming = None
        goes_on = self.phase is PLAYING and self._master.result is None
        # The grace time begins before `Away` is sent, because `Away` says how long the seat is reserved.
        if goes_on and self._grace and self._somebody_stays:
            place.grace_ends = self.now() + self._grace
        if known:
            self._outbox.announce(Away(seat, kept=self.kept(seat)))
        self._end_offer()
        if not goes_on:
            return
        # Without a grace time the seat is forfeited at once. If nobody else is connected, the match sleeps.
        if self._grace == 0:
            self._forfeit(seat)
        elif place.grace_ends is None:
            self._fall_asleep()
        self._set_alarm()

    @property
    def _somebody_stays(self) -> bool:
        """
        Whether the match goes on without the player that has just left: another person is connected, or somebody is
        connected and no player has acted yet.
        """
        there = [Seat(seat) for seat, place in enumerate(self._outbox.places) if place.taken]
        return bool(there) and (not self._acted or not self.house.issuperset(there))

    def _fall_asleep(self) -> None:
        """
        Put the table to sleep, because only house players are left; they lose their connection to it, too. A match
        without an action is archived instead.
        """
        if not self._acted:
            self.archive()  # nothing has happened: no player has a reason to come back
            return
        for seat in self.house:
            self._outbox.places[seat].handle = self._outbox.places[seat].coming = None
        for place in self._outbox.places:
            place.claimable = False
        self._stopped = self.now()  # before the phase changes: `now` of a sleeping table is this value
        self.phase = DORMANT

    def give_up(self, seat: Seat) -> None:
        """Forfeit the seat of an absent player that does not want it back."""
        if not self._outbox.places[seat].taken:
            self._outbox.announce(Left(seat))
            self._forfeit(seat)

    @property
    def grace(self) -> int:
        return round(self._context.grace * 1000)

    def kept(self, seat: Seat) -> int | None:
        """The milliseconds until the grace time of an absent player ends; `None`: no grace time runs for this seat."""
        place = self._outbox.places[seat]
        # Of a claimable seat, the grace time is over: `grace_ends` is the end of the time for claims.
        return None if place.grace_ends is None or place.claimable else max(0, place.grace_ends - self.now())

    def claimable(self, seat: Seat) -> Claimable | None:
        """
        What players may claim because the player of this seat is away. `None`: nothing, because the player is here, or
        its grace time is not over.
        """
        place = self._outbox.places[seat]
        # While a seat is claimable, `grace_ends` is the end of the time for claims.
        if not place.claimable or place.grace_ends is None:
            return None
        draw = any(self._draw_objection(Seat(other)) is None for other in range(len(self.names)) if other != seat)
        return Claimable(seat, max(0, place.grace_ends - self.now()), draw)

    def _draw_objection(self, seat: Seat) -> str | None:
        """The reason why a seat cannot claim a draw; `None`: it can."""
        master = self._master
        if Offer.CLAIM not in offers_of(self.game) or not isinstance(master, TakesOffers):
            return "in this game no draw can be claimed"
        if self.settings.get(CHAMPIONSHIP):
            return "in a championship no draw can be claimed"
        return master.objection(Offer.CLAIM, seat)

    def claim(self, handle: TableSeatHandle[A, E], draw: bool) -> bool:
        """See `SeatHandle.claim`. Ends the match because a player is absent: as a draw, or by forfeit of its seat."""
        now, seat, places = self._time_of(handle), handle.seat, self._outbox.places
        if now is None:
            return False
        # A claim needs an absent player with an ended grace time; a draw needs the game's consent, too.
        absent = [Seat(number) for number, place in enumerate(places) if place.claimable]
        objection = None if absent else "nobody has been away for so long that you can claim the match"
        if draw and objection is None:
            objection = self._draw_objection(seat)
        if objection is not None:
            self._outbox.refuse(handle, Refused(IllegalAction(objection)))
            return False
        if draw and isinstance(master := self._master, TakesOffers):
            self._carry_out(EntryKind.CLAIMED, now, seat, partial(master.agree, Offer.CLAIM, seat, now))
        else:
            for number in absent:
                self._forfeit(number)
        return True

    def _not_back(self, seat: Seat, now: int) -> None:
        """
        Called when the grace time of a seat has ended, and again when the time for claims has ended. The first time,
        the connected players may claim the match, if all of them can; otherwise the seat is forfeited. The second time
        it is forfeited.
        """
        if self.phase is not PLAYING or self._master.result is not None:
            return
        place = self._outbox.places[seat]
        # The seat is forfeited now if the time for claims is over (`claimable`) or nobody may claim: the seat is that of a
        # house player, the owner has switched claims off, or a player's wire has no message for them.
        if place.claimable or seat in self.house or not self._context.claim or not self._claims_are_heard:
            self._forfeit(seat)
            return
        place.claimable = True
        place.grace_ends = now + round(self._context.claim * 1000)
        self._tell_claim(self.claimable(seat))

    @property
    def _claims_are_heard(self) -> bool:
        """Whether persons are connected, and all of them are on wires that have a message for claims."""
        places = [place for seat, place in enumerate(self._outbox.places) if place.taken and seat not in self.house]
        there = [place.handle or place.coming for place in places]
        return bool(there) and all(handle is not None and hears_claims(handle.player) for handle in there)

    def _tell_claim(self, claim: Claimable | None) -> None:
        """Send a claim to all connected players that can claim."""
        handles = [place.handle or place.coming for place in self._outbox.places]
        hearing = [handle.seat for handle in handles if handle is not None and hears_claims(handle.player)]
        if claim is not None and hearing:
            self._outbox.tell([To(claim, tuple(hearing))])

    def kept_for(self, seat: Seat) -> float:
        """
        The seconds from now until the seat of an absent player is forfeited; after a restart, if the match is over:
        until its result is not stored any more.
        """
        ends = self._outbox.places[seat].grace_ends
        # The match ended in an earlier run: the alarm rings when the result is dropped.
        if self._untold and self._alarm is not None:
            return self._alarm.getTime() - self._context.clock.seconds()
        return 0.0 if ends is None else (ends - self.now()) / 1000

    def reconnect(self, seat: Seat, player: Player[A, Any]) -> None:
        """
        Give a seat to its player again. If an older connection of the same player still has the seat, it loses the
        seat, and the other players receive nothing.
        """
        # `missed`: the other players have received `Away`, so they receive `Back`. Before the first entry no player counts
        # as away.
        missed = self._outbox.places[seat].handle is None and self._outbox.n > 0
        claimed = self._outbox.places[seat].claimable  # read before `_new_handle` changes it
        handle = self._new_handle(seat, player)
        self._end_offer()
        if self.phase is DORMANT:
            self._wake()
        if self.phase is Phase.SUSPENDED:
            # The master has failed, so its view may be wrong.
            self._outbox.admit(handle, None)
            self._outbox.tell([To(Suspended(), (seat,))])
            return
        try:
            views = [self._master.view(Seat(number)) for number in range(len(self.names))]
        except Exception:
            self._suspend([handle])
        else:
            self._outbox.admit(handle, views, missed)
            # The others could claim the match. Tell them that this is over.
            if claimed and self._master.result is None:
                self._tell_claim(Claimable(seat, None))

    def watch(self, audience: Audience[Any]) -> bool:
        """See `WatchableTable.watch`. Sends the state of the match to an audience, and then its events."""
        if self.phase not in (PLAYING, DORMANT):
            return False
        try:
            view = self._master.view(None)  # the view of a watcher
        except Exception:
            self._suspend()
            return False
        self._outbox.show(audience, view)
        return True

    def unwatch(self, audience: Audience[Any]) -> None:
        self._outbox.unwatch(audience)

    @property
    def n(self) -> int:
        return self._outbox.n

    @property
    def clocks(self) -> Sequence[int] | None:
        return None if self._outbox.clock is None else self._outbox.clock.at(self.now())

    @property
    def due(self) -> tuple[int, int] | None:
        return None if self._outbox.due is None else self._outbox.due.left(self.now())

    def _wake(self) -> None:
        """Start the stopped clock again. Absent players have the whole grace time from now."""
        self._origin = self._context.clock.seconds() - self._stopped / 1000
        self.phase = PLAYING
        for place in self._outbox.places:
            place.grace_ends = None if place.taken else self._stopped + self._grace
        # Only the first time after a restart of the host is longer.
        self._grace = round(self._context.grace * 1000)
        self._set_alarm()

    def _record(
        self,
        kind: EntryKind,
        now: int,
        seat: Seat | None,
        notation: bytes,
        events: Sequence[To[E]],
        arriving: Sequence[TableSeatHandle[A, E]] = (),
    ) -> None:
        """Record what the master has accepted: make the entry, queue its events, and give it to the journal."""
        # Check the events before anything is recorded: an entry with events that cannot be sent would be durable.
        master, chance, outbox = self._master, self._chance, self._outbox
        check = b""
        try:
            len(events)  # fails for an iterator, which could be read only once
            if not self._known.issuperset(map(told_as, events)):  # nearly always all kinds have been checked before
                check_told(self.game, events, len(self.names), self._known)
            # Some entries have a fingerprint of the master's state, so that a replay notices a difference. `appended`
            # counts the opening, too, so it is the number of this entry.
            if outbox.appended % INTERVAL == 0:
                check = fingerprint(master)
        except Exception:
            self._suspend(arriving)
            return
        # Make the entry, and put it with its events into the queue.
        result, deadline = master.result, master.deadline
        drawn = chance.take() if chance.drawn else ()  # the random numbers that the master has used, for a replay
        entry = Entry(kind, now, seat, notation, drawn, "" if result is None else self.outcome, check)
        clock = due = None
        if deadline is not None or self._clocked:
            clock = reading_of(master) if self._clocked else None
            due = None if result is not None else due_after(master, now, outbox.next_due)
        outbox.record(Record(entry, events, arriving, result, clock, due))
        # Give the entry to the journal, which reports when it is durable.
        if result is None or (count := self._counting(result)) is None:
            self._context.journal.append(self.id, entry, outbox.durable)
        else:
            # The end of a championship's match: no player receives it before the championship has stored the result.
            self._context.journal.append(self.id, entry, lambda: None)
            count(outbox.durable)
        if result is not None or (deadline is not None and (self._alarm is None or deadline < self._alarm_due)):
            self._set_alarm()

    def _counting(self, result: Result) -> Addition | None:
        """
        Returns the function that adds a result to the record of the championship; `None`: the result counts in no
        championship.
        """
        championship = self.settings.get(CHAMPIONSHIP, "")
        return self._context.counting(championship, self.names, result) if championship else None

    @property
    def result(self) -> Result | None:
        """The result of the match; `None`: it has not ended."""
        return self._master.result

    @property
    def outcome(self) -> str:
        """The winners and the reason, in words; empty before the end of the match."""
        return "" if self._master.result is None else self._master.result.words(self.names)

    def _forfeit(self, seat: Seat) -> None:
        """Let the master end the part of a seat in the match, because its player has left."""
        if self.phase not in (PLAYING, DORMANT) or self._master.result is not None:
            return
        now = self.now()
        # The match may continue without this seat, for example with three players: nothing more is due for it.
        self._outbox.places[seat].grace_ends = None
        self._outbox.places[seat].claimable = False
        self._carry_out(EntryKind.FORFEITED, now, seat, partial(self._master.forfeit, seat, now))

    def _expire(self, now: int) -> None:
        self._carry_out(EntryKind.EXPIRED, now, None, partial(self._master.expire, now))

    def _carry_out(self, kind: EntryKind, now: int, seat: Seat | None, step: Callable[[], Sequence[To[E]]]) -> None:
        """Carry out a step of the master that is no action of a player, and record its events."""
        try:
            events = step()
        except Exception:
            self._suspend()
        else:
            self._record(kind, now, seat, b"", events)

    def archive(self) -> None:
        """End the match without a result. Its record is not removed."""
        self._stopped = self.now()
        self.phase = Phase.CLOSING
        self._set_alarm()  # stops the alarm: nothing is due in this phase
        self._context.journal.append(self.id, Entry(EntryKind.ARCHIVED, self._stopped), self._archived)

    def _archived(self) -> None:
        self._outbox.archived()
        self.end()

    def _suspend(self, arriving: Sequence[TableSeatHandle[A, E]] = ()) -> None:
        """
        Stop the match in an `except` block after a fault of its master, and free the players. The durable entries are
        right, and the match can continue from them.

        :param arriving: players that were about to get their seats
        """
        self.log.failure("table {table} of {game} is suspended", table=self.id, game=self.game.name)
        error = sys.exception()  # the one of the caller's `except` block
        self.fault = f"{type(error).__name__}: {error}"[:LONGEST_FAULT]
        self.phase = Phase.SUSPENDED
        self._set_alarm()  # stops the alarm: nothing is due in this phase
        # Arriving players get their seats first, so that they receive `Suspended`, too.
        for handle in arriving:
            self._outbox.admit(handle, None)
        self._outbox.stop()
        self._context.suspended(self.id, self.game.name)

    def broken(self) -> None:
        """An event could not be sent: suspend the match."""
        # Even the event `Suspended` could not be sent: only log it, because another try would fail again.
        if self.phase is Phase.SUSPENDED:
            self.log.failure(
                "table {table} of {game} cannot tell that it is suspended", table=self.id, game=self.game.name
            )
        else:
            self._suspend()

    def stopped(self) -> None:
        self._ended(self)

    def end(self) -> None:
        """Called before the end is sent: note who has missed it, and inform the lobby."""
        self.phase = Phase.OVER
        self._set_alarm()
        if self._master.result is not None:  # without a result, the match was archived
            places = enumerate(self._outbox.places)
            self.missed = frozenset(Seat(seat) for seat, place in places if not (place.taken or place.left))
        self._ended(self)  # removes from `missed` the players that will not receive the end

    def end_told(self) -> None:
        """Called after the end was sent: note in the journal who has received it."""
        if not self.missed:
            self._context.journal.told(self.id)  # all players: the journal drops the match from its unfinished ones
            return
        told = [seat for seat in map(Seat, range(len(self.names))) if seat not in self.missed]
        # `MISSED_END` is no seat: it marks a match that is stored only because of players that have missed its end.
        for seat in (*told, MISSED_END):
            self._context.journal.told(self.id, seat)

    def end_missed(self, seat: Seat) -> None:
        """
        Called before a player that comes back after the end receives the end. After a restart of the host, notes that
        this player needs it no more.
        """
        if seat in self._untold:
            self._untold -= {seat}
            self._left(self, seat)
            if self._untold:
                self._context.journal.told(self.id, seat)
            else:  # this was the last player
                self.halt()
                self._forget()

    def _forget(self) -> None:
        """Forget the match: all players have received its end, or the time to come back for it is over."""
        self._context.journal.told(self.id)
        self._ended(self)

    def now(self) -> int:
        """The time on the clock of the game, in milliseconds."""
        # The clock is stopped while the match sleeps, and after an end in an earlier run of the host.
        if self.phase is DORMANT or self._untold:
            return self._stopped
        return max(self._stopped, round((self._context.clock.seconds() - self._origin) * 1000))

    def _due(self) -> int | None:
        """
        When the alarm must ring next, in milliseconds on the table's clock: at a deadline, at the end of a grace time,
        or when the result of a match need not be stored any more. `None`: never.
        """
        if self._untold:
            return self._stopped + round(self._context.sleep * 1000)
        if self.phase is not PLAYING or self._master.result is not None:
            return None
        times = (self._master.deadline, *(place.grace_ends for place in self._outbox.places))
        return min((time for time in times if time is not None), default=None)

    def halt(self) -> None:
        """Cancel the alarm."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _set_alarm(self) -> None:
        """
        Set the alarm for the next deadline. An alarm that rings earlier is not changed, because `_ring` sets it again.
        """
        if (due := self._due()) is not None and self._alarm and self._alarm_due <= due and self.phase is PLAYING:
            return
        self.halt()
        if due is not None:
            self._alarm_due = due
            self._alarm = self._context.clock.callLater(max(0.0, (due - self.now()) / 1000), self._ring)

    def _ring(self) -> None:
        """Called by the alarm: carry out what is due, and set the alarm again."""
        self._alarm = None
        if self.phase is Phase.OVER:  # the end was stored for absent players, and they have not come in time
            self._forget()
            return
        now = self.now()
        if (deadline := self._master.deadline) is not None and deadline <= now:
            self._expire(now)
        for seat, place in enumerate(self._outbox.places):
            # `replaced` lets another player take the seat, if one was asked for.
            if place.grace_ends is not None and place.grace_ends <= now and not self._outbox.replaced(Seat(seat)):
                self._not_back(Seat(seat), now)
        self._set_alarm()
