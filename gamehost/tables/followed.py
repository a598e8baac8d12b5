"""
A table that another host of the cluster plays, for watchers that are connected to this host.

A followed table reads the record of the match from the store. A second game master on this host carries out the
entries, and returns the events again. Watchers receive the events that are for everyone. So no event is sent here
before it is durable, and no event for a single seat is sent.

The record does not say which players are away. If the match moves to this host, the followed table passes on the events
of the real table instead. They begin after the last entry that was sent from the record.
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

#: Events that a table sends and that its record does not contain.
_NOT_RECORDED = (Away, Left, Back, Replaced, Suspended, Archived)
_LAST = (Over, Archived, Suspended)


@define(eq=False)
class _Follower:
    """A game master that carries out a record, and the number of the entry that it has reached."""

    master: GameMaster[Any, Any]
    chance: JournalledChance
    #: The number of the last entry that was carried out.
    n: int = 0
    #: The clocks after that entry.
    clock: ClockReading | None = None
    #: Whether entries are being carried out.
    busy: bool = False
    #: Whether the master has carried out all entries that existed when the first watcher came.
    caught_up: bool = False
    #: Whether the last entry was read soon after it was made. Only then is the time on the table's clock known.
    timed: bool = False


@define(eq=False)
class FollowedTable:
    """
    A match of another host, as a `WatchableTable`. It follows the record only while it has watchers; otherwise it has
    only the values that the list of tables shows.

    :param wanted: called when a watcher has come, so that somebody must read the record
    """

    id: TableId
    game: Game[Any, Any]
    opening: TableHeader
    _clock: IReactorTime
    _slices: Slices
    _wanted: Callable[[], None]
    #: The names of the players when the match began.
    names: Sequence[str] = field(init=False)
    shown_as: Mapping[str, str] = field(init=False)
    wires: Sequence[str] = field(init=False)
    code: str = field(init=False)
    _audience: list[Audience[Any]] = field(factory=list)
    #: Watchers that have not received the state of the match.
    _coming: list[Audience[Any]] = field(factory=list)
    _follower: _Follower | None = None
    #: The number of the last entry that this host knows, and its time in milliseconds on the table's clock. `_found` is
    #: the reactor's time, in seconds, when this host learned of the entry.
    _last: int = 0
    _at: int = 0
    _found: float = 0.0
    #: Whether the match is over or its record cannot be followed. Watchers receive nothing more.
    over: bool = False
    #: The real table, if the match has moved to this host.
    _own: WatchableTable | None = None
    #: Events of the real table that wait until the record was sent up to the entry before them.
    _pending: list[tuple[Any, int]] = field(factory=list)
    #: The number of the last entry before the events of the real table. `None`: the real table has not sent its state
    #: yet.
    _begins_after: int | None = None
    #: Whether the events of the real table are passed on. `_sent` is the number of the last entry that was sent from
    #: the record.
    _passes_on: bool = False
    _sent: int = 0

    log = Logger()

    def __attrs_post_init__(self) -> None:
        """Read what lists of tables show from the opening of the match."""
        self.names = tuple(seat.name for seat in self.opening.seats)
        self.shown_as = shown_as(self.opening.seats)
        self.wires = tuple(seat.wire for seat in self.opening.seats)
        self.code = self.opening.code

    @property
    def watched(self) -> bool:
        """Whether the table has a watcher. One that has not received the state of the match yet counts, too."""
        return bool(self._audience or self._coming)

    @property
    def n(self) -> int:
        """
        How many entries the watchers have received; without watchers, how many entries exist, as far as this host
        knows.
        """
        if self._passes_on and self._own is not None:
            return self._own.n
        return self._follower.n if self._audience and self._follower is not None else self._last

    def now(self) -> int:
        """
        The time on the clock of the match, in milliseconds. While the match is on another host, the result is a lower
        bound: the time of the last entry, and the time that has passed since this host learned of it.
        """
        if self._passes_on and self._own is not None:
            return self._own.now()
        return self._at + round((self._clock.seconds() - self._found) * 1000)

    @property
    def clocks(self) -> Sequence[int] | None:
        """
        The milliseconds that each seat has left now, see `WatchableTable.clocks`. `None` until a new entry comes, because
        the record does not say how long ago its last entry was made.
        """
        if self._passes_on and self._own is not None:
            return self._own.clocks
        follower = self._follower
        # `timed`: the last entry was read soon after it was made, so the time is known.
        if follower is None or follower.clock is None or not follower.timed:
            return None
        return follower.clock.at(self.now())

    @property
    def due(self) -> tuple[int, int] | None:
        """
        The time that is left for the current move, see `WatchableTable.due`. `None` while the match is on another host: only
        the real table knows the value.
        """
        return self._own.due if self._passes_on and self._own is not None else None

    # -- the watchers

    def watch(self, audience: Audience[Any]) -> bool:
        """
        See `WatchableTable.watch`. The audience receives the state of the match at once, or when the record was read.
        """
        if self.over:
            return False
        if audience not in self._coming:
            self._coming.append(audience)
        # The match has moved to this host: the real table sends its state to this object, which passes it on.
        if self._passes_on and self._own is not None:
            if self._own.watch(self):
                return True
            self.unwatch(audience)
            return False
        if self._follower is None:
            self._wanted()  # the first watcher: somebody must read the record
        else:
            self._show()
        return not self.over  # showing the match may have failed

    def unwatch(self, audience: Audience[Any]) -> None:
        """Send nothing more to this audience. If it was the last audience, stop following the record."""
        for some in (self._audience, self._coming):
            if audience in some:
                some.remove(audience)
        if not self.watched:
            self._stop()

    def _stop(self) -> None:
        """Stop following the record and the real table: there is no watcher any more, or the match is over."""
        self._follower = None
        own, self._own = self._own, None
        self._pending.clear()
        self._begins_after = None
        self._passes_on = False
        if own is not None:
            own.unwatch(self)

    def _show(self) -> None:
        """Send the state of the match to new watchers, if the master has carried out the record."""
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
        """Send a state of the match to all watchers that wait for one. Later events follow."""
        coming, self._coming = self._coming, []
        for audience in coming:
            audience.shown(look)
            if audience not in self._audience:
                self._audience.append(audience)

    def _send(self, event: Any, n: int) -> None:
        """Send an event to all watchers, and stop after the last event of a match."""
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
        Note that the record has an entry with this number.

        :param at: the time of the entry on the table's clock, in milliseconds
        """
        if n > self._last:  # the list of tables may be older than the entries that were read
            self._last = n
            self._at = at
            self._found = self._clock.seconds()

    @property
    def wants(self) -> int | None:
        """
        The number of the entry after which the record must be read next; `None`: nothing must be read at this moment.
        """
        if not self.watched or self.over or self._passes_on:
            return None
        if self._follower is None:
            return 0  # the whole record
        return None if self._follower.busy else self._follower.n

    def follow(self, after: int, entries: Sequence[Entry] | str) -> None:
        """
        Carry out the next entries of the record, and send their events.

        :param after: the value of `wants` when the entries were requested
        :param entries: the new entries, perhaps none; a text: the reason why they cannot be read
        """
        if self.wants != after:
            return  # stale entries: the following has stopped and begun again meanwhile
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
            follower.timed = follower.caught_up  # otherwise these entries may be old
            follower.busy = True
            self._slices.run(self._steps(follower, entries), partial(self._followed, follower, entries[-1]))

    def _new_follower(self) -> _Follower:
        """
        Make a game master that is about to carry out the record.

        :raises BadOption: the settings of the match are not those of its game
        """
        chance = JournalledChance()
        return _Follower(new_master(self.game, self.opening, chance), chance)

    def _steps(self, follower: _Follower, entries: Sequence[Entry]) -> Generator[None, None, None]:
        """Carry out entries, one with each step, as long as there are watchers."""
        send = partial(self._carried_out, follower)
        for _ in replay_in_steps(self.game, follower.master, follower.chance, entries, send, follower.n + 1):
            if self._follower is not follower:
                return  # the last watcher has left
            yield

    def _carried_out(self, follower: _Follower, number: int, events: Sequence[To[Any]]) -> None:
        """Called for each entry that the master has carried out: send its public events."""
        if self._follower is follower:
            follower.n, follower.clock = number, reading_of(follower.master)
            for to in events:
                if to.audience is None:
                    self._send(to.event, number)

    def _followed(self, follower: _Follower, last: Entry, done: Exception | None) -> None:
        """
        Called when entries were carried out up to `last`, or when carrying them out has failed. Shows the match to new
        watchers, and sends the end of the match.
        """
        if self._follower is not follower:
            return  # the last watcher has left meanwhile
        follower.busy = False
        if done is not None:
            self._fail(done)
            return
        result, archived = follower.master.result, last.kind is EntryKind.ARCHIVED
        # All entries that this host knows of were carried out. (After an archive entry, none can follow.)
        follower.caught_up = follower.caught_up or archived or follower.n >= self._last
        self._show()
        if result is not None:
            self._send(Over(result), follower.n)
        elif archived:
            self._send(Archived(), follower.n)
        else:
            self._pass_on()

    def _fail(self, error: Exception) -> None:
        """Log an error of the record, and send `Suspended` to the watchers: they receive nothing more."""
        self.log.failure("table {table} cannot be followed", Failure(error), table=self.id)
        self._audience += self._coming  # those that still wait for the state must receive this, too
        self._send(Suspended(), self.n)

    # -- from the table itself

    def join(self, own: WatchableTable) -> None:
        """
        Pass on the events of the real table from now on, because the match has moved to this host. Can be called again.
        """
        if self._own is None and self.watched:
            self._own = own
            if not own.watch(self):
                self._own = None  # the match has just ended: the record says how
        else:
            self._pass_on()

    def shown(self, look: Look[Any]) -> None:
        """Called by the real table with its state; its events follow."""
        if self._passes_on:
            self._show_look(look)
            return
        # The watchers have a state from the record. Only its absent players are new to them.
        self._begins_after = look.n
        self._pending = [(Away(seat), look.n) for seat in look.away or ()]
        self._pass_on()

    def deliver(self, event: Any, n: int) -> None:
        """Called by the real table with an event. Sends it, or stores it until the record was sent up to this place."""
        if not self._passes_on:
            self._pending.append((event, n))
        # Events up to entry `_sent` were sent from the record, but those of absence are not in a record.
        elif n > self._sent or isinstance(event, _NOT_RECORDED):
            self._send(event, n)

    def _pass_on(self) -> None:
        """
        Stop following the record, and pass on the events of the real table, if the record was sent up to its first
        event.
        """
        follower, own = self._follower, self._own
        if self._passes_on or own is None or self._begins_after is None:
            return
        # Not yet: entries are still carried out, or the record was sent to another place than the real table has
        # reached.
        if follower is not None and (follower.busy or not self._begins_after <= follower.n <= own.n):
            return
        self._sent = self._begins_after if follower is None else follower.n
        self._follower = None
        self._passes_on = True
        pending, self._pending = self._pending, []
        for event, n in pending:
            self.deliver(event, n)
        if self._coming:  # new watchers that the record could not be shown to in time: the real table does it
            own.watch(self)
