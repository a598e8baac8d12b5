"""
The running matches of this host and of the other hosts of its cluster, for clients of this host that watch or list
them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any

from attrs import define, field
from twisted.internet.interfaces import IReactorTime

from gamehost._twisted import Timer
from gamehost.fairness import Slices
from gamehost.games.base import Game
from gamehost.journal.records import Entry, Journal, TableElsewhere, TableId
from gamehost.tables.followed import FollowedTable
from gamehost.tables.interfaces import WatchableTable
from gamehost.tables.table import Table

#: The seconds between two requests to the store for new entries of watched matches.
READ_EVERY = 0.25
#: The seconds between two requests to the store for the list of other hosts' tables: while clients ask for lists or matches,
#: and while none do.
LIST_EVERY, LIST_IDLE = 1.0, 5.0
#: The number of seconds for which the list is read often, after a client has asked for a list or a match.
LOOKS_FOR = 10.0
#: The most tables that are known; the newest tables are included.
MOST = 2000


@define(eq=False)
class PlayedTables:
    """
    The running matches of this host and, after `follow`, of the other hosts of its cluster.

    The tables of other hosts are read from the store that all hosts share: their list every second while clients look at
    matches, and otherwise every five seconds. The new entries of a table are read four times a second if somebody watches
    it, or if the board, which shows all running matches, shows it to somebody.

    :param own: the tables in play at this host
    """

    _clock: IReactorTime
    _journal: Journal
    _slices: Slices
    own: dict[TableId, Table[Any, Any]]
    #: The games of the matches that are followed, by their names; `None`: no matches of other hosts are followed.
    _games: Mapping[str, Game[Any, Any]] | None = field(default=None, init=False)
    #: The tables of other hosts, in the order of their numbers.
    _played: dict[TableId, FollowedTable] = field(factory=dict)
    #: Tables of other hosts that have watchers, but do not run there any more: they sleep, have just ended, or have moved
    #: to this host.
    _left: dict[TableId, FollowedTable] = field(factory=dict)
    #: Tables of games that are not played here: they cannot be followed.
    _others: frozenset[TableId] = frozenset()
    #: How many tables run at other hosts.
    elsewhere: int = 0
    #: When the list of tables was read last, in seconds on the clock.
    _listed_at: float = float("-inf")
    #: When a client has asked for a list or a match last, in seconds on the clock.
    _looked_at: float = float("-inf")
    #: Whether the list of tables is being read from the store.
    _listing: bool = False
    #: Functions to call when the list has been read.
    _after_listing: list[Callable[[], None]] = field(factory=list)
    #: Whether new entries are being read from the store.
    _reading: bool = False
    _timer: Timer = field(factory=Timer)
    _stopped: bool = False

    def follow(self, games: Mapping[str, Game[Any, Any]]) -> None:
        """
        Begin to show the matches of all other members of the cluster.

        :param games: by their names; matches of other games cannot be seen
        """
        if self._games is None and not self._stopped:
            self._games = games
            self._tick()

    def halt(self) -> None:
        self._stopped = True
        self._timer.stop()

    def look(self) -> None:
        """
        Read the list of other hosts' tables often for some time. Called when a client has asked for a list or a match.
        """
        if self._games is None:
            return  # no other hosts are followed
        now = self._clock.seconds()
        self._looked_at = now
        if now >= self._listed_at + LIST_EVERY:
            self._list()
        self._set_timer()

    def when_listed(self, call: Callable[[], None]) -> None:
        """Call a function when the list of other hosts' tables is known: at once, unless it is being read now."""
        if self._listing:
            self._after_listing.append(call)
        else:
            call()

    def get(self, table: TableId) -> WatchableTable | None:
        """
        A running match by its number; `None`: there is none.

        If a watched match of another host has moved to this host, the result is still its `FollowedTable`, until it has no
        watchers any more.
        """
        own = self.own.get(table)
        if own is not None:
            return self.watched(table) or own  # watchers continue to get their events from the `FollowedTable`
        found = self._played.get(table)
        return None if found is None or found.over else found

    def watched(self, table: TableId) -> FollowedTable | None:
        """The `FollowedTable` of a match with watchers, even if the match runs at this host now; `None`: it has no watchers."""
        found = self._played.get(table) or self._left.get(table)
        return found if found is not None and found.watched else None

    def newest(self, count: int) -> list[WatchableTable]:
        """The public matches, the newest first, at most `count`."""
        # A match with a code is private. A match of this host leaves `own` when it is over, so only matches of other hosts
        # have to be asked whether they are over.
        own = islice((one for one in reversed(self.own.values()) if not one.code), count)
        others = islice((one for one in reversed(self._played.values()) if not (one.code or one.over)), count)
        tables: dict[TableId, WatchableTable] = {one.id: one for one in others}
        # A match that has moved here from another host: its watchers remain at its `FollowedTable`, if it has any.
        tables |= {one.id: self.watched(one.id) or one for one in own}
        return sorted(tables.values(), key=attrgetter("id"), reverse=True)[:count]

    def __len__(self) -> int:
        return len(self.own) + self.elsewhere

    # -- time

    def _tick(self) -> None:
        """Read the list or the entries from the store, if they are due. Called by the timer."""
        self._join()
        self._read()
        if self._clock.seconds() >= self._listed_at + self._list_every:
            self._list()
        self._set_timer()

    @property
    def _list_every(self) -> float:
        """How many seconds there are now between two readings of the list of tables."""
        looks = self._clock.seconds() < self._looked_at + LOOKS_FOR
        return LIST_EVERY if looks or next(self._followed, None) is not None else LIST_IDLE

    @property
    def _followed(self) -> Iterator[FollowedTable]:
        """The tables of other hosts that have watchers."""
        return (one for some in (self._played, self._left) for one in some.values() if one.watched)

    def _set_timer(self) -> None:
        """Set the timer for the next reading of entries; without watched tables, for the next reading of the list."""
        now = self._clock.seconds()
        reads = next(self._followed, None) is not None
        self._wake_in(READ_EVERY if reads else max(READ_EVERY, self._listed_at + self._list_every - now))

    def _wake_in(self, wait: float) -> None:
        """Let the timer fire after this number of seconds, unless it fires earlier anyway."""
        if not self._stopped and self._timer.due > self._clock.seconds() + wait:
            self._timer.set(self._clock, wait, self._tick)

    # -- which tables there are

    def _list(self) -> None:
        """Ask the store for the list of other hosts' tables, unless it is being read already."""
        if not (self._listing or self._stopped):
            self._listing = True
            self._listed_at = self._clock.seconds()
            # The store leaves out the openings of the tables that are known here.
            self._journal.elsewhere({*self._played, *self._left, *self._others}, MOST, self._listed)

    def _listed(self, tables: Sequence[TableElsewhere], count: int) -> None:
        """
        Take over the list of other hosts' tables that was read from the store.

        :param count: how many tables run at other hosts; the list may be shorter
        """
        self._listing = False
        if self._stopped:
            return
        before = {**self._left, **self._played}
        played = {}
        for one in tables:
            # What remains in `before` at the end does not run at another host any more.
            table = before.pop(one.table, None) or self._new(one)
            if table is not None:
                table.note(one.n, one.at)
                played[one.table] = table
        self._played, self.elsewhere = played, count
        self._others = frozenset(one.table for one in tables if one.table not in played)
        self._left = {number: table for number, table in before.items() if table.watched}
        calls, self._after_listing = self._after_listing, []  # first emptied: a call may wait for the next list
        for call in calls:
            call()

    def _new(self, one: TableElsewhere) -> FollowedTable | None:
        """Begin to follow a table of another host; `None`: this host does not have its game in this version."""
        # No opening: this host has seen the table earlier, and does not follow it (`_others`).
        game = None if self._games is None or one.opening is None else self._games.get(one.opening.game)
        if game is None or one.opening is None or game.version != one.opening.version:
            return None
        return FollowedTable(one.table, game, one.opening, self._clock, self._slices, self._wanted)

    def _wanted(self) -> None:
        """
        Read the entries of a table for a new watcher: in the next turn of the reactor, so that one reading is enough for
        all watchers that come in this turn.
        """
        self._wake_in(0.0)

    # -- what happens at them

    def _join(self) -> None:
        """Let followed tables that have moved to this host receive their events from the table here."""
        for table in tuple(self._followed):
            if (own := self.own.get(table.id)) is not None:
                table.join(own)

    def _read(self) -> None:
        """Ask the store for the new entries of all watched tables."""
        if self._reading or self._stopped:
            return
        # By table: after which entry the new ones begin. A table that wants none now is left out.
        last = {one.id: n for one in self._followed if (n := one.wants) is not None}
        if last:
            self._reading = True

            def found(entries: Mapping[TableId, Sequence[Entry] | str]) -> None:
                self._found(last, entries)

            self._journal.entries_after(last, found)

    def _found(self, last: Mapping[TableId, int], entries: Mapping[TableId, Sequence[Entry] | str]) -> None:
        """
        Pass new entries to their tables.

        :param last: the number of the last entry that each table had when the store was asked
        :param entries: the new entries; a text: the reason why a record cannot be read
        """
        self._reading = False
        if self._stopped:
            return
        followed = {one.id: one for one in self._followed}
        for number, after in last.items():
            # A table may have lost its watchers meanwhile. A table without new entries is informed, too: if it has read
            # none at all, its record cannot be followed.
            if (table := followed.get(number)) is not None:
                table.follow(after, entries.get(number, ()))
