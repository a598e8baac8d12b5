"""
Those who do not play: the board of all matches and of those who wait, who watches which match, and what has happened in one.
"""

from collections.abc import Callable, Coroutine, Hashable, Mapping, Sequence
from functools import partial
from itertools import count, islice
from operator import attrgetter
from typing import Any, ClassVar, Protocol, TypeGuard

from attrs import Factory, define, field, frozen
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost.games.base import Game
from gamehost.journal.history import MANY, History, beginning, history_in_steps, shown_after
from gamehost.journal.records import FinishedMatch, TableId, TableRecord
from gamehost.lobby.finished import FinishedMatches
from gamehost.lobby.following import FollowedTables
from gamehost.lobby.questions import Found, Questions
from gamehost.lobby.queues import OpenTables, same_code
from gamehost.lobby.seats import Seats
from gamehost.lobby.sessions import Session, SessionRegistry
from gamehost.tables.context import TableContext
from gamehost.tables.gallery import Encoder, Galleries, Watcher, WatchRefused
from gamehost.tables.interfaces import Look, OpenTable, WatchableTable
from gamehost.tables.table import Table


@define(eq=False)
class PlayedTables:
    """
    The matches that are played.

    :param own: the tables in play at this host
    """

    _context: TableContext
    own: dict[TableId, Table[Any, Any]]
    _followed: FollowedTables | None = field(default=None, init=False)
    _halted: bool = field(default=False, init=False)

    def follow(self, games: Mapping[str, Game[Any, Any]]) -> None:
        """As `Spectators.follow`."""
        context = self._context
        if self._followed is None and not self._halted:
            self._followed = FollowedTables(context.clock, context.journal, context.slices, games, self.own)

    def halt(self) -> None:
        """The host stops: the matches of others are not followed any more."""
        self._halted = True
        if self._followed is not None:
            self._followed.halt()

    def look(self) -> None:
        """Somebody looks at the matches. Those of other hosts are asked for often while somebody does."""
        if self._followed is not None:
            self._followed.look()

    def get(self, table: TableId) -> WatchableTable | None:
        """
        A match by its number.

        A table that was followed before this host became its home is the followed one as long as somebody watches it.
        """
        own = self.own.get(table)
        if self._followed is None:
            return own
        return self._followed.get(table) if own is None else self._followed.watched(table) or own

    def newest(self, count: int) -> list[WatchableTable]:
        """The matches that are not private, the newest first, and no more than so many."""
        own = list(islice((table for table in reversed(self.own.values()) if not table.code), count))
        if self._followed is None:
            return [*own]
        tables: dict[TableId, WatchableTable] = {one.id: one for one in self._followed.newest(count)}
        tables |= {one.id: self._followed.watched(one.id) or one for one in own}
        return sorted(tables.values(), key=attrgetter("id"), reverse=True)[:count]

    def __len__(self) -> int:
        return len(self.own) + (0 if self._followed is None else self._followed.count)


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


#: What the names of guests begin with who have chosen none.
GUEST = "guest."


@frozen
class Person:
    """Somebody who is here under a name."""

    name: str
    wire: str
    account: bool
    #: The game of the match in which they play; empty: they do not.
    game: str
    #: Its number; `None` if it is private, or there is none.
    table: TableId | None


@frozen
class PlayedTable:
    """A match that everybody may watch."""

    table: TableId
    game: str
    names: tuple[str, ...]
    wires: tuple[str, ...]
    #: How many entries of its record have been told; `None`: others are told later than the players.
    n: int | None
    watchers: int


@frozen
class Counts:
    """How many there are."""

    tables: int
    people: int
    waiting: int


@define(eq=False)
class Directory:
    """
    The directory of a host.

    :param who_waits: says who waits now
    """

    _registry: SessionRegistry
    _tables: PlayedTables
    _galleries: Galleries
    _who_waits: Callable[[], WaitingByGame]
    #: What people run in a terminal to play on this host, such as `nc 127.0.0.1 8888`; empty: there is no port for them.
    by_hand: str = field(init=False, default="")
    _numbers: "count[int]" = field(factory=lambda: count(1))

    def people(self) -> list[Person]:
        """Those who are here, by name, and no more than `LISTED`."""
        present = sorted(self._registry.present(), key=lambda session: session.key)
        return [
            Person(
                session.name,
                session.wire,
                session.account,
                "" if session.table is None else session.table.game.name,
                None if session.table is None or session.table.code else session.table.id,
            )
            for session in present[:LISTED]
        ]

    def tables(self) -> list[PlayedTable]:
        """The matches that are not private, the newest ones, and no more than `LISTED`; by number."""
        self._tables.look()
        found = [
            PlayedTable(
                table.id,
                table.game.name,
                tuple(table.names),
                tuple(table.wires),
                None if self._galleries.delay(table.game.name) else table.n,
                self._galleries.watchers(table.id),
            )
            for table in self._tables.newest(LISTED)
        ]
        return found[::-1]

    def kept_table(self, session: Session) -> OpenTable | None:
        """
        The match in which a seat is kept for a player who has logged in and has not taken it yet, as a table that waits for
        this player alone; `None`: there is none. While it is loaded, its settings are not known.
        """
        table = session.table
        if table is not None:
            names, settings = list(table.names), table.settings
        elif session.asleep is not None:
            waking = self._registry.waking.get(session.asleep)
            names, settings = ["" if one is None else one.name for one in waking.sessions] if waking else [], {}
        else:
            return None
        assert session.table_id is not None
        others = tuple(name for seat, name in enumerate(names) if seat != session.seat)
        return OpenTable(session.table_id, len(names), settings, others)

    def waiting(self) -> WaitingByGame:
        """Who waits in queues and at tables that are for everybody."""
        return self._who_waits()

    def counts(self) -> Counts:
        """How many matches, people and waiting players there are. Private matches count, private tables do not."""
        self._tables.look()
        waiting = sum(len(one.names) + sum(len(table.names) for table in one.tables) for one in self.waiting().values())
        return Counts(len(self._tables), sum(1 for _ in self._registry.present()), waiting)

    def new_guest(self) -> str:
        """A name for a guest who has chosen none. Nobody who is here has it, and no seat is kept under it."""
        guest = GUEST + self._registry.membership.prefix
        return next(name for number in self._numbers if self._registry.get(name := f"{guest}{number}") is None)


#: Why a match has no history. It says nothing of private matches, and nothing of those that sleep.
NO_RECORD = "no match of this number is played, and this host has no record of a finished one"
UNREADABLE = "the record of this match cannot be read now"


#: Bytes that one event of a match takes, about.
EVENT_BYTES = 512
#: The key of all events of a finished match that everybody may know: any part of its history is made from them.
_EVENTS = "events of a finished match"

#: The name of the game, and what has happened in a match or why it is not told.
Told = tuple[str, History[Any] | WatchRefused]


@frozen
class HistoryQuestion:
    """What somebody wants to know of a match. It is read when `Questions` gives it a turn."""

    #: Equal for questions with the same answer.
    key: Hashable
    #: Whether the answer never changes, and everybody may know it.
    lasting: bool
    #: Reads the record, and carries it out.
    read: Callable[[], Coroutine[Any, Any, Told]]


@frozen
class Spectators:
    """
    What clients that do not play can see of a host: the board, and every match.

    :param who_waits: says who waits now
    """

    _context: TableContext
    _seats: Seats
    _galleries: Galleries
    _who_waits: Callable[[], WaitingByGame]
    #: Turns for all who look something up in the journal.
    questions: Questions
    #: The matches that can be watched.
    tables: PlayedTables = field(
        init=False, default=Factory(lambda self: PlayedTables(self._context, self._seats.tables), takes_self=True)
    )
    finished: FinishedMatches = field(
        init=False,
        default=Factory(
            lambda self: FinishedMatches(self._context.journal, self._context.clock, self._context.counts),
            takes_self=True,
        ),
    )
    board: Board = field(init=False, default=Factory(lambda self: self._new_board(), takes_self=True))

    log: ClassVar[Logger] = Logger()

    def _new_board(self) -> Board:
        return Board(self._context.clock, self.tables, self._who_waits, self._galleries.watchers, self._galleries.delay)

    def follow(self, games: Mapping[str, Game[Any, Any]]) -> None:
        """
        From now on the matches of all other hosts that write to the same store can be seen here. For the leader of a cluster.

        :param games: by their names; matches of other games cannot be seen
        """
        self.tables.follow(games)

    def halt(self) -> None:
        """The host stops: nobody is told anything more of the board, or of matches of other hosts."""
        self.board.halt()
        self.tables.halt()
        self.questions.halt()

    def watch(self, table: TableId, watcher: Watcher, encoder: Encoder, code: str = "") -> None:
        """
        Show a match to a watcher, then tell them what happens.

        :param code: of a private table
        :raises WatchRefused: there is no such match, it has another code, or there are too many watchers
        """
        self._galleries.watch(self._found(table, code), watcher, encoder)

    def unwatch(self, table: TableId, watcher: Watcher) -> None:
        """Tell this watcher nothing more of this match."""
        self._galleries.unwatch(table, watcher)

    def history(
        self, table: TableId, until: int | None, code: str, games: Mapping[str, Game[Any, Any]]
    ) -> "HistoryQuestion":
        """
        The question what has happened in a match that is played or finished, as everybody may know it.

        :param until: the number of the last entry that counts; `None`: the last one, or `MANY` if there are more. Only the
            last `MANY` entries up to it are told
        :param code: of a private table
        :param games: by their names; finished matches of other games are not told
        :raises WatchRefused: there is no such match, or it has another code
        """
        self.tables.look()
        played = self.tables.get(table)
        if self._seats.sleeps(table) or (played is not None and not same_code(played.code, code)):
            raise WatchRefused(NO_RECORD)
        if played is None:
            read = partial(self._read_finished, table, MANY if until is None else until, code, games)
            return HistoryQuestion(("finished", table, until, code), not code, read)
        delay = self._galleries.delay(played.game.name)
        if not delay:
            return self._of_played(played, until)
        read = partial(self._read_played, played, MANY if until is None else until, delay)
        return HistoryQuestion(("delayed", table, until), False, read)

    def own_history(self, table: TableId, until: int | None) -> "HistoryQuestion":
        """
        As `history`, for a player of the match: without delay, and without the code.

        :raises WatchRefused: no such match is played
        """
        played = self.tables.own.get(table)
        if played is None:
            raise WatchRefused(NO_RECORD)
        return self._of_played(played, until)

    def _of_played(self, played: WatchableTable, until: int | None) -> "HistoryQuestion":
        # What has happened up to an entry never changes, also while a match goes on.
        known = min(played.n, MANY if until is None else until)
        read = partial(self._read_played, played, known, 0.0)
        return HistoryQuestion(("played", played.id, known), not played.code, read)

    async def _read_finished(
        self, table: TableId, until: int, code: str, games: Mapping[str, Game[Any, Any]]
    ) -> "Told":
        kept: tuple[str, History[Any]] | None = None if code else self.questions.kept((_EVENTS, table))
        if kept is not None and kept[0] in games:
            return kept[0], beginning(kept[1], until, MANY)
        record = await self.read(table)
        if not _is_finished(record) or not same_code(record.opening.code, code):
            return "", WatchRefused(NO_RECORD)
        game = games.get(record.opening.game)
        if game is None or game.version != record.opening.version:
            return "", WatchRefused("this match was played under rules that this host does not have")
        name, told = await self._replay(game, record, None, None)
        if isinstance(told, WatchRefused):
            return name, told
        if not record.opening.code:
            self.questions.keep((_EVENTS, table), Found((name, told), EVENT_BYTES * (1 + len(told.events))))
        return name, beginning(told, until, MANY)

    async def _read_played(self, table: WatchableTable, until: int, delay: float) -> "Told":
        record = await self.read(table.id)
        if not isinstance(record, TableRecord):
            return table.game.name, WatchRefused(UNREADABLE)
        known = shown_after(record.entries, table.now(), delay) if delay else table.n
        return await self._replay(table.game, record, min(known, table.n, until), MANY)

    def read(self, table: TableId) -> Deferred[TableRecord | str]:
        """The record of a table, or why it cannot be read. For a question that has its turn."""
        record: Deferred[TableRecord | str] = Deferred()
        self._context.journal.read(table, record.callback)
        return record

    def match(self, table: TableId) -> Deferred[FinishedMatch | None]:
        """The finished match of this number. For a question that has its turn."""
        match: Deferred[FinishedMatch | None] = Deferred()
        self._context.journal.match(table, match.callback)
        return match

    async def _replay(self, game: Game[Any, Any], record: TableRecord, until: int | None, most: int | None) -> "Told":
        replayed: Deferred[History[Any] | Exception] = Deferred()
        steps = history_in_steps(game, record.opening, record.entries, until, most)
        self.questions.slices.run(steps, replayed.callback)
        told = await replayed
        if isinstance(told, Exception):
            self.log.failure("table {table} has no history", Failure(told), table=record.table)
            return game.name, WatchRefused(UNREADABLE)
        return game.name, told

    def _found(self, table: TableId, code: str) -> WatchableTable:
        """
        :raises WatchRefused: there is no such match, or it has another code
        """
        self.tables.look()
        found = self.tables.get(table)
        if found is None or not same_code(found.code, code):
            raise WatchRefused("no match of this number is played")
        return found


def _is_finished(record: TableRecord | str) -> TypeGuard[TableRecord]:
    """Whether this is the record of a match that has a result."""
    return isinstance(record, TableRecord) and bool(record.entries) and record.entries[-1].outcome != ""
