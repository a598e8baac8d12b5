"""
A table that another host of the cluster plays, as its watchers here see it.

A followed table reads the record of the match from the store. A master of its own carries out the entries, and the
events for everyone are sent. So no event is sent here before it is durable, and no event for a single seat is ever
sent.

The record does not say which players are away. If this host becomes the home of the table, the followed table passes on
the events of the table itself, from the entry up to which the record was sent.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import define, field
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost.fairness import Slices
from gamehost.games.base import Game, GameMaster, JournalledChance, To
from gamehost.games.clock import ClockReading, reading_of
from gamehost.journal.records import Entry, EntryKind, TableHeader, TableId, shown_as
from gamehost.journal.replay import NotFollowed, new_master, replay_in_steps
from gamehost.tables.interfaces import (
    Archived,
    Audience,
    Away,
    Back,
    Left,
    Look,
    Over,
    Replaced,
    Suspended,
    WatchableTable,
)

#: Events of a table that are no entries of its record.
_NOT_RECORDED = (Away, Left, Back, Replaced, Suspended, Archived)
_LAST = (Over, Archived, Suspended)


@define(eq=False)
class _Follower:
    """A master that carries out the record, and how far it is."""

    master: GameMaster[Any, Any]
    chance: JournalledChance
    #: The number of the last entry that was carried out.
    n: int = 0
    #: The clocks after that entry.
    clock: ClockReading | None = None
    #: Whether entries are being carried out.
    busy: bool = False
    #: Whether all entries were carried out that existed when the first watcher came.
    caught_up: bool = False
    #: Whether an entry was read soon after it was made, so that the time on the table's clock is known.
    timed: bool = False


@define(eq=False)
class FollowedTable:
    """
    One match of another host, as a `WatchableTable`. Without watchers, it has only the values of the list of tables.

    :param wanted: called when the record is wanted, because a watcher has come
    """

    id: TableId
    game: Game[Any, Any]
    opening: TableHeader
    _clock: IReactorTime
    _slices: Slices
    _wanted: Callable[[], None]
    #: The names as they were when the match began.
    names: Sequence[str] = field(init=False)
    shown_as: Mapping[str, str] = field(init=False)
    wires: Sequence[str] = field(init=False)
    code: str = field(init=False)
    _audience: list[Audience[Any]] = field(factory=list)
    #: Watchers that have not been shown the match.
    _coming: list[Audience[Any]] = field(factory=list)
    _follower: _Follower | None = None
    #: The number and the time of the last entry that is known, and the reactor's time when it was found, in seconds.
    _last: int = 0
    _at: int = 0
    _found: float = 0.0
    #: The match is over, or its record cannot be followed: there is nothing to be seen any more.
    over: bool = False
    #: The table itself, if this host is its home by now.
    _own: WatchableTable | None = None
    #: Events of the table itself from before the record was sent up to its place.
    _held: list[tuple[Any, int]] = field(factory=list)
    #: The number of the last entry before the events of the table itself. `None`: it has sent none yet.
    _goes_on: int | None = None
    #: Whether the events of the table itself are passed on, and the last entry that was sent from the record before
    #: that.
    _passes_on: bool = False
    _told: int = 0

    log = Logger()

    def __attrs_post_init__(self) -> None:
        self.names = tuple(seat.name for seat in self.opening.seats)
        self.shown_as = shown_as(self.opening.seats)
        self.wires = tuple(seat.wire for seat in self.opening.seats)
        self.code = self.opening.code

    @property
    def watched(self) -> bool:
        """Whether there is a watcher, or one is about to come."""
        return bool(self._audience or self._coming)

    @property
    def n(self) -> int:
        """
        The number of entries that were sent; without watchers, the number of existing entries as far as it is known.
        """
        if self._passes_on and self._own is not None:
            return self._own.n
        return self._follower.n if self._audience and self._follower is not None else self._last

    def now(self) -> int:
        """The least time on the clock of the game, in milliseconds."""
        if self._passes_on and self._own is not None:
            return self._own.now()
        return self._at + round((self._clock.seconds() - self._found) * 1000)

    @property
    def clocks(self) -> Sequence[int] | None:
        """Not known until something happens: the record does not say how long ago its last entry was made."""
        if self._passes_on and self._own is not None:
            return self._own.clocks
        follower = self._follower
        if follower is None or follower.clock is None or not follower.timed:
            return None
        return follower.clock.at(self.now())

    @property
    def due(self) -> tuple[int, int] | None:
        """Only the table itself knows it."""
        return self._own.due if self._passes_on and self._own is not None else None

    # -- the watchers

    def watch(self, audience: Audience[Any]) -> bool:
        """The audience is shown the match at once, or when the record was read."""
        if self.over:
            return False
        if audience not in self._coming:
            self._coming.append(audience)
        if self._passes_on and self._own is not None:
            if self._own.watch(self):
                return True
            self.unwatch(audience)
            return False
        if self._follower is None:
            self._wanted()
        else:
            self._show()
        return not self.over

    def unwatch(self, audience: Audience[Any]) -> None:
        """Send nothing more to this audience. If it was the last one, the record is not followed any more."""
        for some in (self._audience, self._coming):
            if audience in some:
                some.remove(audience)
        if not self.watched:
            self._stop()

    def _stop(self) -> None:
        self._follower = None
        own, self._own = self._own, None
        self._held.clear()
        self._goes_on, self._passes_on = None, False
        if own is not None:
            own.unwatch(self)

    def _show(self) -> None:
        """Show the match to new watchers."""
        follower = self._follower
        if follower is None or not follower.caught_up or not self._coming:
            return
        try:
            view = follower.master.view(None)
        except Exception as error:
            self._fail(error)
        else:
            self._show_look(Look(follower.n, None, view))

    def _show_look(self, look: Look[Any]) -> None:
        coming, self._coming = self._coming, []
        for audience in coming:
            audience.shown(look)
            if audience not in self._audience:
                self._audience.append(audience)

    def _tell(self, event: Any, n: int) -> None:
        last = isinstance(event, _LAST)
        self.over = self.over or last
        for audience in tuple(self._audience):
            audience.deliver(event, n)
        if last:
            self._audience.clear()
            self._coming.clear()
            self._stop()

    # -- what the record says

    def note(self, n: int, at: int) -> None:
        """
        The record has an entry of this number.

        :param at: its time on the table's clock, in milliseconds
        """
        if n > self._last:
            self._last, self._at, self._found = n, at, self._clock.seconds()

    @property
    def wants(self) -> int | None:
        """Behind which entry the record is to be read; `None`: it is not, at this moment."""
        if not self.watched or self.over or self._passes_on:
            return None
        if self._follower is None:
            return 0
        return None if self._follower.busy else self._follower.n

    def follow(self, after: int, entries: Sequence[Entry] | str) -> None:
        """
        Carry out the next entries of the record, and send their events.

        :param after: the value of `wants` when they were asked for
        :param entries: none if there are none; or why they cannot be read
        """
        if self.wants != after:
            return  # another watcher has started again meanwhile
        if isinstance(entries, str):
            self._fail(NotFollowed(entries))
            return
        follower = self._follower
        if follower is None:
            try:
                if not entries:
                    raise NotFollowed("it has no entries")
                follower = self._follower = self._new_follower()
            except Exception as error:
                self._fail(error)
                return
        if entries:
            self.note(after + len(entries), entries[-1].at)
            follower.timed = follower.caught_up
            follower.busy = True
            self._slices.run(self._steps(follower, entries), partial(self._followed, follower, entries[-1]))

    def _new_follower(self) -> _Follower:
        """
        :raises BadOption: the settings of the match are not those of its game
        """
        chance = JournalledChance()
        return _Follower(new_master(self.game, self.opening, chance), chance)

    def _steps(self, follower: _Follower, entries: Sequence[Entry]) -> Generator[None, None, None]:
        tell = partial(self._carried_out, follower)
        for _ in replay_in_steps(self.game, follower.master, follower.chance, entries, tell, follower.n + 1):
            if self._follower is not follower:
                return  # the last watcher has left
            yield

    def _carried_out(self, follower: _Follower, number: int, events: Sequence[To[Any]]) -> None:
        if self._follower is follower:
            follower.n, follower.clock = number, reading_of(follower.master)
            for to in events:
                if to.audience is None:
                    self._tell(to.event, number)

    def _followed(self, follower: _Follower, last: Entry, done: Exception | None) -> None:
        """Entries were carried out, the last of them this one, or they could not be."""
        if self._follower is not follower:
            return
        follower.busy = False
        if done is not None:
            self._fail(done)
            return
        result, archived = follower.master.result, last.kind is EntryKind.ARCHIVED
        follower.caught_up = follower.caught_up or archived or follower.n >= self._last
        self._show()
        if result is not None:
            self._tell(Over(result), follower.n)
        elif archived:
            self._tell(Archived(), follower.n)
        else:
            self._pass_on()

    def _fail(self, error: Exception) -> None:
        """The record does not fit the rules. Its watchers receive nothing more."""
        self.log.failure("table {table} cannot be followed", Failure(error), table=self.id)
        self._audience += self._coming
        self._tell(Suspended(), self.n)

    # -- from the table itself

    def join(self, own: WatchableTable) -> None:
        """
        This host is the home of the match now: from some entry on, pass on the events of the table itself. Can be
        repeated.
        """
        if self._own is None and self.watched:
            self._own = own
            if not own.watch(self):
                self._own = None  # it has just ended, and the record has the end
        else:
            self._pass_on()

    def shown(self, look: Look[Any]) -> None:
        """The table itself continues from here."""
        if self._passes_on:
            self._show_look(look)
            return
        self._goes_on = look.n
        self._held = [(Away(seat), look.n) for seat in look.away or ()]
        self._pass_on()

    def deliver(self, event: Any, n: int) -> None:
        """An event of the table itself."""
        if not self._passes_on:
            self._held.append((event, n))
        elif n > self._told or isinstance(event, _NOT_RECORDED):
            self._tell(event, n)

    def _pass_on(self) -> None:
        """Follow the table itself from now on, if all entries before its next one were sent."""
        follower, own = self._follower, self._own
        if self._passes_on or own is None or self._goes_on is None:
            return
        # The record may have been read a little further than the table has sent.
        if follower is not None and (follower.busy or not self._goes_on <= follower.n <= own.n):
            return
        self._told = self._goes_on if follower is None else follower.n
        self._follower = None
        self._passes_on = True
        held, self._held = self._held, []
        for event, n in held:
            self.deliver(event, n)
        if self._coming:
            own.watch(self)
