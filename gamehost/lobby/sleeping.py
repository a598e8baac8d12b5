"""
Tables that sleep: unfinished ones whose players are all gone, in memory as little as possible.

They are loaded when a player comes back, put away after a day, and checked after a start.
"""

from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from gamehost.accounts.names import key_of
from gamehost.games.base import Game, Seat
from gamehost.journal.records import Entry, EntryKind, SeatRecord, Store, TableId, TableRecord, UnfinishedTable
from gamehost.journal.replay import NotFollowed
from gamehost.lobby.sessions import Place, Session, SessionRegistry, SleepingTable, Waking
from gamehost.tables.context import TableContext
from gamehost.tables.table import Table

#: Rows that are checked at once: two milliseconds for the journal's thread. Moves that come meanwhile wait for them.
ROWS = 1000
#: Pauses between two such checks, as a multiple of the time that the last one took; in seconds at least.
PAUSE, LEAST_PAUSE = 2.0, 0.001


@define(eq=False)
class Resuming:
    """
    The check of a host's unfinished tables. It says in the log how far the start is.

    :param clock: sets the pauses
    """

    _clock: IReactorTime
    _store: Store
    _tables: int = 0
    _damaged: int = 0
    _began: float = 0.0
    _asked: float = 0.0
    _pause: IDelayedCall | None = None
    _halted: bool = False

    log = Logger()

    @property
    def under_way(self) -> bool:
        """Whether there are records that were not checked yet."""
        return bool(self._tables)

    def begin(self, tables: int) -> None:
        """So many tables sleep. If their records are not all checked, check the others."""
        self._began = self._clock.seconds()
        if self._store.all_checked:
            if tables:
                self.log.info("resumed {tables}", tables=_counted(tables))
            return
        self.log.info("{tables} to resume: their records are checked while players come in", tables=_counted(tables))
        self._tables = tables
        self._ask()

    def halt(self) -> None:
        """The host stops: no more records are checked."""
        self._halted = True
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None

    def _ask(self) -> None:
        self._pause = None
        self._asked = self._clock.seconds()
        self._store.check(ROWS, self._checked)

    def _checked(self, damage: Sequence[str], all_checked: bool) -> None:
        for words in damage:
            self._damaged += 1
            self.log.error("not resumed: {words}", words=words)
        if self._halted:
            return
        now = self._clock.seconds()
        if not all_checked:
            self._pause = self._clock.callLater(max(LEAST_PAUSE, PAUSE * (now - self._asked)), self._ask)
            return
        tables, seconds = _counted(self._tables - self._damaged), f"{now - self._began:.1f}"
        self.log.info("resumed {tables} in {seconds} s", tables=tables, seconds=seconds)
        self._tables = 0


def _counted(tables: int) -> str:
    return f"{tables} table{'' if tables == 1 else 's'}"


#: Seconds between two notes of the up-time, while a table sleeps.
NOTE_EVERY = 60.0
#: Tables that are archived at once. With many to archive, one such batch goes each second.
BATCH = 100
#: Tables that stay in memory when they fall asleep: replaying them again and again could keep a host busy.
RESTING = 128


@define(eq=False)
class SleepingTables:
    """
    All sleeping tables of a host.

    :param ended: given to the tables, as of `Table`
    :param left: the same
    :param woken: called with the sessions of a table that was loaded, and the table; `None`: it cannot be continued
    :param most: sleeping tables of one address; `None`: any number
    :param resting: tables that stay in memory when they fall asleep
    """

    _context: TableContext
    _registry: SessionRegistry
    _ended: Callable[[Table[Any, Any]], None]
    _left: Callable[[Table[Any, Any], Seat], None]
    _woken: Callable[[Waking, Table[Any, Any] | None], None]
    most: int | None = None
    resting: int = RESTING
    _games: dict[str, Game[Any, Any]] = field(factory=dict)
    #: The tables in memory, the one first that has slept longest.
    _in_memory: OrderedDict[TableId, Table[Any, Any]] = field(factory=OrderedDict)
    #: The up-time when this run of the host began: more than any table has fallen asleep at in an earlier one.
    _begin: int = field(init=False)
    _origin: float = field(init=False)
    _alarm: IDelayedCall | None = None
    _stopped: bool = False

    log = Logger()

    def __attrs_post_init__(self) -> None:
        self._begin = self._context.journal.uptime + 1
        self._origin = self._context.clock.seconds()

    @property
    def uptime(self) -> int:
        """For how many seconds hosts have run on this journal."""
        return self._begin + int(self._context.clock.seconds() - self._origin)

    def kept_for(self, since: int) -> float:
        """How many seconds from now a table is kept that sleeps since then."""
        return since + self._context.sleep - self.uptime

    def restore(self, games: Mapping[str, Game[Any, Any]], found: Iterable[UnfinishedTable]) -> int:
        """
        Take over tables of an earlier run, or of another host, at any time. All of them sleep.

        A table of an unknown game stays out, and is logged. Its record is kept. If somebody is here under the name of a player,
        that seat belongs to nobody any more. Gives the number of sleeping tables.
        """
        self._games.update(games)
        unbegun: list[TableId] = []
        sleepers = self._registry.sleepers
        sleepers.add(self._known(found, unbegun))
        if self.most is not None:
            sleepers.limit(self.most)
        for table in unbegun:
            self._context.journal.load(table, partial(self._archive, SleepingTable(table, "", 0, 0, ())))
        self._set_alarm()
        return len(sleepers)

    def _known(self, found: Iterable[UnfinishedTable], unbegun: list[TableId]) -> Iterator[SleepingTable]:
        now = self._context.clock.seconds()
        for one in found:
            opening = one.opening
            game = self._games.get(opening.game)
            if not one.begun:
                unbegun.append(one.table)  # nobody was told of it: the host ended between the first two entries
            elif game is None or game.version != opening.version:
                self._skipped(one.table, f"{opening.game} in version {opening.version} is not played here")
            else:
                seats = [(Seat(seat), player) for seat, player in enumerate(opening.seats)]
                places = [
                    None if seat in one.told or self._is_here(player) else Place(one.table, seat, player, now)
                    for seat, player in seats
                ]
                # After a kill the journal may know less up-time than there was when the table fell asleep.
                since = min(one.since, self._begin - 1)
                addresses = tuple(player.address for player in opening.seats)
                yield SleepingTable(one.table, opening.game, since, None, places, addresses)

    def _is_here(self, player: SeatRecord) -> bool:
        return self._registry.is_in_memory(key_of(player.name))

    def _skipped(self, table: TableId, reason: str) -> None:
        self.log.error("table {table} is not resumed: {reason}", table=table, reason=reason)

    # -- falling asleep

    def add(self, table: Table[Any, Any], sessions: Sequence[Session | None], since: int | None) -> None:
        """
        A table falls asleep.

        :param sessions: who has its seats, in their order; `None`: nobody any more
        :param since: if nobody has taken a seat since it was loaded: since when it slept before
        """
        since = self.uptime if since is None else since
        places = [None if one is None else _place_of(table.id, Seat(seat), one) for seat, one in enumerate(sessions)]
        sleepers = self._registry.sleepers
        self._games.setdefault(table.game.name, table.game)
        sleepers.add([SleepingTable(table.id, table.game.name, since, table.now(), places, table.addresses)])
        self._context.journal.sleep(table.id, since)
        self._in_memory[table.id] = table
        if len(self._in_memory) > self.resting:
            # One that is watched stays: those who watch are to see how it goes on.
            first = next((number for number, one in self._in_memory.items() if not one.watched), None)
            if first is not None:
                del self._in_memory[first]
        if self.most is not None:
            for address in {one.address for one in sessions if one is not None}:
                sleepers.limit(self.most, address)
        self._set_alarm()

    # -- waking

    def load(self, waking: Waking) -> None:
        """Load a table whose players have sessions again, if that has not begun yet."""
        if waking.loading:
            return
        waking.loading = True
        self._set_alarm()
        table = self._in_memory.pop(waking.table.table, None)
        if table is None:
            self._context.journal.load(waking.table.table, partial(self._loaded, waking))
        else:
            self._wake(waking, table)

    def _loaded(self, waking: Waking, record: TableRecord | str) -> None:
        if self._stopped:
            return
        if isinstance(record, str):
            self._restored(waking, NotFollowed(record))
        else:
            self._context.slices.run(self._restore(waking.table, record), partial(self._restored, waking))

    def _restored(self, waking: Waking, table: Table[Any, Any] | Exception) -> None:
        if self._stopped:
            return
        if isinstance(table, Exception):  # a fault of one record must not reach the journal
            reason = str(table) if isinstance(table, NotFollowed) else f"{type(table).__name__}: {table}"
            self._skipped(waking.table.table, reason)
            self._wake(waking, None)
        else:
            self._wake(waking, table)

    def _restore(self, sleeping: SleepingTable, record: TableRecord) -> Generator[None, None, Table[Any, Any]]:
        game = self._games[sleeping.game]
        table = Table.prepare(self._context, record.table, game, record.opening, self._ended, self._left)
        yield from table.restore(record, sleeping.clock, restarted=sleeping.since < self._begin)
        return table

    def _wake(self, waking: Waking, table: Table[Any, Any] | None) -> None:
        del self._registry.waking[waking.table.table]
        self._woken(waking, table)

    # -- ending

    def _archive(self, sleeping: SleepingTable, record: TableRecord | str) -> None:
        journal = self._context.journal
        if self._stopped:
            return
        if isinstance(record, str):
            self._skipped(sleeping.table, record)
            self.forget(sleeping.table)
        elif record.entries and record.entries[-1].outcome:
            journal.told(record.table)  # its end was not told, and nobody has asked for it
            self.forget(record.table)
        else:
            last = record.entries[-1].at if record.entries else 0
            at = last if sleeping.clock is None else sleeping.clock
            journal.append(record.table, Entry(EntryKind.ARCHIVED, at), partial(self.forget, record.table))
            if record.entries:
                self._context.counts.ended[sleeping.game, False] += 1
                self.log.info(
                    "table {table}: {game} is over: archived unfinished; nobody is there",
                    table=record.table,
                    game=sleeping.game,
                )

    def forget(self, table: TableId) -> None:
        """The end of a table is durable: the names of its players are free. Nothing happens if it has not slept until then."""
        if table in self._registry.sleepers.ending:
            for place in self._registry.sleepers.remove(table).places:
                if place is not None:
                    self._registry.membership.freed(key_of(place.player.name))

    def halt(self) -> None:
        """The host stops. Its up-time is noted, and nothing more happens."""
        if len(self._registry.sleepers) and not self._stopped:
            self._context.journal.note_uptime(self.uptime)
        self._stopped = True
        self._set_alarm()

    def _set_alarm(self) -> None:
        oldest = None if self._stopped else self._registry.sleepers.oldest
        wait = 0.0 if oldest is None else min(max(1.0, self.kept_for(oldest)), NOTE_EVERY)
        if self._alarm is not None:
            if oldest is not None and self._alarm.getTime() <= self._context.clock.seconds() + wait:
                return  # set anew for each table that falls asleep, it would never ring on a busy host
            self._alarm.cancel()
            self._alarm = None
        if oldest is not None:
            self._alarm = self._context.clock.callLater(wait, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        journal, sleepers = self._context.journal, self._registry.sleepers
        journal.note_uptime(self.uptime)
        for table in sleepers.overdue(self.uptime - int(self._context.sleep), BATCH):
            sleeping = sleepers.begin_end(table)
            in_memory = self._in_memory.pop(table, None)
            if in_memory is None:
                journal.load(table, partial(self._archive, sleeping))
            else:
                journal.wake(table)
                in_memory.archive()
        self._set_alarm()


def _place_of(table: TableId, seat: Seat, session: Session) -> Place:
    player = SeatRecord(session.name, session.wire, session.address, session.account, session.key_digest)
    return Place(table, seat, player, session.away_since)
