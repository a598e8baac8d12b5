"""
The board: which matches are played, and who waits, for clients that look at the lobby.

The board works only while somebody looks. It watches the listed matches as any watcher does, so nothing is shown that is not
durable. Twice a second it tells the differences, made once for all who look.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from attrs import define, field, frozen
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from gamehost.journal.records import TableId
from gamehost.lobby.open_tables import OpenTables
from gamehost.lobby.played import PlayedTables
from gamehost.lobby.sessions import Session
from gamehost.tables.interfaces import Look, OpenTable, WatchableTable

#: Seconds between two differences.
EVERY = 0.5

#: So many matches are listed, the newest ones.
LISTED = 200


@frozen
class Waiting:
    """Players who wait for one game."""

    #: Those who wait for anybody.
    names: tuple[str, ...] = ()
    #: Those who wait at a table.
    tables: tuple[OpenTable, ...] = ()


#: By the name of the game; games for which nobody waits are left out.
WaitingByGame = Mapping[str, Waiting]

#: A match, where it stands or `None` if those who look may not know that yet, and how many watch it.
Shown = tuple[WatchableTable, Look[Any] | None, int]


@frozen
class Changes:
    """What is different since the last time."""

    changed: Sequence[Shown]
    gone: Sequence[TableId]
    #: `None`: nobody waits for this game any more.
    waiting: Mapping[str, Waiting | None]


class BoardEncoder(Protocol):
    """Makes the bytes of messages. Those who look with the same encoder are told the same bytes."""

    def board(self, shown: Sequence[Shown], waiting: WaitingByGame) -> bytes:
        """All that is on the board."""

    def changes(self, changes: Changes) -> bytes:
        """What is different since the last time."""


class Looker(Protocol):
    """One who looks at the board."""

    def tell(self, data: bytes) -> None:
        """Send these bytes. Must not raise."""


@define(eq=False)
class _Listed:
    """
    The audience of one match that is listed.

    :param delay: how many seconds later than the players others may know how it stands
    """

    table: WatchableTable
    _clock: IReactorTime
    delay: float
    look: Look[Any] | None = None
    #: With a delay: the next look, and from when on it may be shown. There is one at most, so it may be older than it must.
    _next: tuple[float, Look[Any]] | None = None
    #: Whether something has happened since the last look.
    _dirty: bool = False

    def shown(self, look: Look[Any]) -> None:
        self._dirty = False
        if self.delay:
            self._next = self._clock.seconds() + self.delay, look
        else:
            self.look = look

    def deliver(self, event: Any, n: int) -> None:
        self._dirty = True

    @property
    def listed(self) -> bool:
        """Whether the match is on the board. Without a delay it is when it is known how it stands."""
        return self.look is not None or self.delay > 0

    def update(self) -> None:
        """Look again if something has happened."""
        if self._next is not None and self._next[0] <= self._clock.seconds():
            self.look, self._next = self._next[1], None
        if self._dirty and self._next is None:
            self.table.watch(self)


@define(eq=False)
class Board:
    """
    The board of a host.

    :param tables: the matches that are played
    :param who_waits: says who waits now
    :param watchers: says how many watch a match
    :param delay: says how many seconds later than its players others see a match of a game
    """

    _clock: IReactorTime
    _tables: PlayedTables
    who_waits: Callable[[], WaitingByGame]
    _watchers: Callable[[TableId], int]
    _delay: Callable[[str], float]
    _lookers: dict[Looker, BoardEncoder] = field(factory=dict)
    _listed: dict[TableId, _Listed] = field(factory=dict)
    #: What was told last.
    _told: dict[TableId, tuple[Look[Any] | None, int]] = field(factory=dict)
    _told_waiting: WaitingByGame = field(factory=dict)
    _timer: IDelayedCall | None = None

    log = Logger()

    def look(self, looker: Looker, encoder: BoardEncoder) -> None:
        """Show the board to one more, and tell what changes. One who looks already is shown it again."""
        if not self._lookers:
            self._update()
        self._lookers[looker] = encoder
        shown = [(self._listed[table].table, *told) for table, told in self._told.items()]
        looker.tell(encoder.board(shown, self._told_waiting))
        if self._timer is None:
            self._timer = self._clock.callLater(EVERY, self._tick)

    def look_away(self, looker: Looker) -> None:
        """Tell this one nothing more."""
        if self._lookers.pop(looker, None) is not None and not self._lookers:
            self.halt()

    def halt(self) -> None:
        """Nobody looks any more, or the host stops."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for listed in self._listed.values():
            listed.table.unwatch(listed)
        self._lookers.clear()
        self._listed.clear()
        self._told.clear()
        self._told_waiting = {}

    def _tick(self) -> None:
        self._timer = self._clock.callLater(EVERY, self._tick)
        try:
            changes = self._update()
            if changes.changed or changes.gone or changes.waiting:
                made = {encoder: encoder.changes(changes) for encoder in set(self._lookers.values())}
                for looker, encoder in tuple(self._lookers.items()):
                    looker.tell(made[encoder])
        except Exception:
            # Players must not notice a fault of the board.
            self.log.failure("the board cannot be shown")
            self.halt()

    def _update(self) -> Changes:
        """Find out how everything stands now, and how it differs from what was told."""
        self._tables.look()
        now = {table.id: table for table in self._tables.newest(LISTED)}
        for number in [number for number in self._listed if number not in now]:
            listed = self._listed.pop(number)
            listed.table.unwatch(listed)
        for number, table in now.items():
            if number not in self._listed:
                listed = self._listed[number] = _Listed(table, self._clock, self._delay(table.game.name))
                table.watch(listed)
            else:
                self._listed[number].update()
        rows = {
            number: (one.look, self._watchers(number)) for number, one in sorted(self._listed.items()) if one.listed
        }
        changed = [
            (self._listed[number].table, *row) for number, row in rows.items() if not _same(self._told.get(number), row)
        ]
        gone = [number for number in self._told if number not in rows]
        waiting = self.who_waits()
        before, self._told_waiting, self._told = self._told_waiting, waiting, rows
        different = {game: waiting.get(game) for game in {**before, **waiting} if before.get(game) != waiting.get(game)}
        return Changes(changed, gone, different)


def _same(told: tuple[Look[Any] | None, int] | None, row: tuple[Look[Any] | None, int]) -> bool:
    """Whether this was told. Two looks are different, however equal they are."""
    return told is not None and told[0] is row[0] and told[1] == row[1]


def who_waits(queues: Mapping[tuple[str, str], Sequence[Session]], tables: OpenTables) -> WaitingByGame:
    """
    Those who wait in queues and at tables that are for everybody, without those of separate wires.

    :param queues: by the name of the game and the pool
    """
    listed = tables.listed()
    waiting = {game: sessions for (game, pool), sessions in queues.items() if not pool}
    return {
        game: Waiting(tuple(one.name for one in waiting.get(game, ())[:LISTED]), tuple(listed.get(game, ())))
        for game in sorted({*waiting, *listed})
    }
