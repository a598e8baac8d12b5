"""
The board of a host: a live list of the current matches and the waiting players. Its viewers receive the whole board
first, and then the changes, every half second.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from attrs import define, field, frozen
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from gamehost._twisted import Timer
from gamehost.journal.records import TableId
from gamehost.lobby.lists import LISTED, Waiting, WaitingByGame
from gamehost.tables.interfaces import Look, WatchableTable

if TYPE_CHECKING:
    from gamehost.lobby.played import PlayedTables
    from gamehost.tables.gallery import Galleries

#: Seconds between two messages with changes.
EVERY = 0.5


#: A match, its last public look or `None` if there is none yet, and the number of its watchers.
Shown = tuple[WatchableTable, Look[Any] | None, int]


@frozen
class Changes:
    """The differences between two states of the board."""

    #: The matches that are new on the board, or look different now.
    changed: Sequence[Shown]
    #: The matches that are no longer on the board.
    gone: Sequence[TableId]
    #: The games with other waiting players than before; `None`: no player waits for this game any more.
    waiting: Mapping[str, Waiting | None]


class BoardEncoder(Protocol):
    """Makes the bytes of the board's messages for one wire. Viewers with the same encoder receive the same bytes."""

    def board(self, shown: Sequence[Shown], waiting: WaitingByGame) -> bytes:
        """The message with the whole board: all matches and waiting players."""

    def changes(self, changes: Changes) -> bytes:
        """The message with the differences since the last call."""


class Looker(Protocol):
    """A viewer of the board: a client that receives the board's messages."""

    def tell(self, data: bytes) -> None:
        """Send these bytes to the client. Must not raise."""


@define(eq=False)
class _Listed:
    """
    One match on the board: stores its last look, which is its public state.

    This object watches the match as any audience does: the table calls `shown` with a look, and `deliver` with later events.

    :param delay: how many seconds later than its players the viewers see the match
    """

    table: WatchableTable
    _clock: IReactorTime
    delay: float
    #: Called when the first look (the public state) of the match is known.
    _on_known: Callable[[], None]
    look: Look[Any] | None = None
    #: Whether the table can show the match at all.
    can_be_seen: bool = True
    #: Only with a delay: the time from which the next look may be shown, and the look. Only one look waits at a time,
    #: so the shown look may be older than the delay.
    _next: tuple[float, Look[Any]] | None = None
    #: Whether something has happened since the last look.
    _dirty: bool = False

    def shown(self, look: Look[Any]) -> None:
        """Store a new look: at once, or in `_next` until the delay of the match is over."""
        self._dirty = False
        if self.delay:
            self._next = self._clock.seconds() + self.delay, look
            return
        known = self.look is not None
        self.look = look
        if not known:  # the first look: the match appears on the board
            self._on_known()

    def deliver(self, event: Any, n: int) -> None:
        self._dirty = True

    @property
    def listed(self) -> bool:
        """Whether the match is on the board. Without a delay, it is listed as soon as its first look is known."""
        return self.look is not None or self.delay > 0

    def update(self) -> None:
        """Update the stored look of the match, as far as its delay allows. Called before each message of changes."""
        # If the delay of the waiting look is over, show it.
        if self._next is not None:
            due, look = self._next
            if due <= self._clock.seconds():
                self.look = look
                self._next = None
        # Ask the table for a new look, unless one waits for its delay. The table calls `shown`.
        if self._dirty and self._next is None:
            self.table.watch(self)


@define(eq=False)
class Board:
    """
    The board of a host: sends the current matches and waiting players to its viewers, and then every change.

    Without viewers it does nothing and stores nothing.
    """

    _clock: IReactorTime
    _tables: "PlayedTables"
    _who_waits: Callable[[], WaitingByGame]
    _galleries: "Galleries"
    _lookers: dict[Looker, BoardEncoder] = field(factory=dict)
    _listed: dict[TableId, _Listed] = field(factory=dict)
    #: The last board that was sent: the look of each match, and the number of its watchers.
    _told: dict[TableId, tuple[Look[Any] | None, int]] = field(factory=dict)
    _told_waiting: WaitingByGame = field(factory=dict)
    #: Functions to call when the board is complete.
    _awaited: list[Callable[[], None]] = field(factory=list)
    _timer: Timer = field(factory=Timer)

    log = Logger()

    def look(self, looker: Looker, encoder: BoardEncoder) -> None:
        """
        Send the whole board to a viewer, and from now on each change. A viewer that has the board already receives the
        whole board again.
        """
        # Without viewers, the board was not updated. The differences that `_update` returns are not needed here.
        if not self._lookers:
            self._update()
        self._lookers[looker] = encoder
        shown = [(self._listed[table].table, *told) for table, told in self._told.items()]
        looker.tell(encoder.board(shown, self._told_waiting))
        if not self._timer:
            self._timer.set(self._clock, EVERY, self._tick)

    def when_complete(self, call: Callable[[], None]) -> None:
        """
        Call a function once, after the viewers have received all current matches. Some matches are known only later:
        their last events are being written to the disk, or they are being read from the store. If the board ends
        meanwhile, the function is not called.
        """
        self._awaited.append(call)
        self._tables.when_listed(self._update_soon)

    def _update_soon(self) -> None:
        """Send the changes in the next turn of the reactor if somebody waits for a complete board, and it is complete now."""
        if self._awaited and self._all_known:
            self._timer.set(self._clock, 0, self._tick)

    @property
    def _all_known(self) -> bool:
        """Whether every match that can be shown is on the board."""
        return all(listed.listed or not listed.can_be_seen for listed in self._listed.values())

    def is_looked_at_by(self, looker: Looker) -> bool:
        return looker in self._lookers

    def look_away(self, looker: Looker) -> None:
        if self._lookers.pop(looker, None) is not None and not self._lookers:
            self.halt()

    def watchers(self, table: TableId) -> int:
        """The number of watchers of a table. Viewers of the board see many tables, and are not counted."""
        return self._galleries.watchers(table, self._lookers)

    def halt(self) -> None:
        """Stop the updates: the last viewer has left, or the host stops."""
        self._timer.stop()
        for listed in self._listed.values():
            listed.table.unwatch(listed)
        self._awaited.clear()
        self._lookers.clear()
        self._listed.clear()
        self._told.clear()
        self._told_waiting = {}

    def _tick(self) -> None:
        """Send the changes to all viewers, and call the functions that wait for a complete board."""
        self._timer.set(self._clock, EVERY, self._tick)
        try:
            changes = self._update()
            if changes.changed or changes.gone or changes.waiting:
                # Each encoder makes its bytes once, for all of its viewers.
                made = {encoder: encoder.changes(changes) for encoder in set(self._lookers.values())}
                for looker, encoder in tuple(self._lookers.items()):
                    looker.tell(made[encoder])
            if self._awaited and self._all_known:
                calls, self._awaited = self._awaited, []  # first emptied: a call may add itself again
                for call in calls:
                    call()
        except Exception:
            # Players must not notice a fault of the board.
            self.log.failure("the board cannot be shown")
            self.halt()

    def _update(self) -> Changes:
        """Compute the current board, and its differences from the last one."""
        self._tables.look()  # asks for the list of other hosts' tables
        # Stop watching matches that are over or no longer among the newest, and begin to watch new ones.
        now = {table.id: table for table in self._tables.newest(LISTED)}
        for number in [number for number in self._listed if number not in now]:
            listed = self._listed.pop(number)
            listed.table.unwatch(listed)
        for number, table in now.items():
            if number not in self._listed:
                listed = self._listed[number] = _Listed(
                    table, self._clock, self._galleries.delay(table.game.name), self._update_soon
                )
                listed.can_be_seen = table.watch(listed)
            else:
                self._listed[number].update()
        # Compare with what was sent last. The viewers receive a new state after this, so it is stored as sent.
        rows = {number: (one.look, self.watchers(number)) for number, one in sorted(self._listed.items()) if one.listed}
        changed = [
            (self._listed[number].table, *row) for number, row in rows.items() if not _same(self._told.get(number), row)
        ]
        gone = [number for number in self._told if number not in rows]
        waiting = self._who_waits()
        before, self._told_waiting, self._told = self._told_waiting, waiting, rows
        different = {game: waiting.get(game) for game in {**before, **waiting} if before.get(game) != waiting.get(game)}
        return Changes(changed, gone, different)


def _same(told: tuple[Look[Any] | None, int] | None, row: tuple[Look[Any] | None, int]) -> bool:
    """
    Whether a row of the board equals the one that was sent last. Looks are compared by identity, which is fast: two looks with
    equal contents count as different.
    """
    if told is None:
        return False
    told_look, told_watchers = told
    look, watchers = row
    return told_look is look and told_watchers == watchers
