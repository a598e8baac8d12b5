"""
An open store in a PostgreSQL database, and how a group of changes is added to it in one transaction: with few
statements and values in PostgreSQL's binary format.

After any other error than a lost connection the store accepts no more changes, because the contents of the database are
not known. The next start reads them.

Questions of people are read through a session of their own, which never writes. If it is lost, it is opened again for
the next question. No error of such a question ends the host.

To open a store blocks. It is for the start, before any port is open; a lost connection is for the writer's thread.
"""

import platform
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cache, partial
from itertools import islice, repeat
from struct import Struct
from threading import RLock
from typing import Any, TypeVar

from attrs import Factory, define, evolve, field

from gamehost.extras.cluster.postgresql import members
from gamehost.extras.cluster.postgresql.members import (
    REMOVE_ALL,
    TAKEN_OVER,
    ClusterAddress,
    begin_run,
    columns_of,
    living,
)
from gamehost.extras.cluster.postgresql.session import (
    STORE_LOCK,
    Clock,
    LineLost,
    Session,
    Sleep,
    connect,
    connect_for_writing,
    make_tables,
    or_closed,
    refusing,
    transaction,
)
from gamehost.journal.records import Room, StoreUnusable, TableId, UnfinishedTable
from gamehost.storage.contents import (
    ANOTHER_STORE,
    REMOVE,
    VERIFY_FIRST,
    Change,
    Group,
    OpenStore,
    StoreFailed,
    Told,
    UnreadableRow,
    in_words,
    is_unplayed,
    read_uptime,
)
from gamehost.storage.durable import Backlog, BacklogLimits, DurableJournal, at_once, nothing
from gamehost.storage.names import BLOCK, TableNumbers
from gamehost.storage.questions import Ended, MatchLists, Reader, Sql, TableRows, ended_among
from gamehost.storage.row_codec import Damaged, Head, Row
from gamehost.storage.writer import Writer

T = TypeVar("T")

#: Of some tables, those with an end that was sent. The newest one is not removed, because new numbers are counted from
#: it.
_REMOVABLE = """
    SELECT game FROM unnest(%s::int8[]) AS one(game)
    WHERE game NOT IN (SELECT game FROM live) AND game < (SELECT max(game) FROM event)"""
#: The newest rows of so many tables are noted at once: some milliseconds of the writer's thread. Seconds between two notes.
NOTED_AT_ONCE, NOTE_EVERY = 200, 1.0
#: For so many seconds the newest row is remembered of a table that has ended or sleeps.
RECENT = 30.0
#: The server ends a session that says nothing for so long: its process hangs, or its machine is lost. Its locks are free then.
_SILENCE = "SET idle_session_timeout = '3s'; SET idle_in_transaction_session_timeout = '3s'"
#: Seconds for which a lost connection is tried again. The host gives up after the same time.
PATIENCE = 10.0
#: Seconds for which a start waits for the lock: the database may not have detected the end of the last host yet.
LOCK_PATIENCE = 5.0
#: Seconds between the database's clock and that of this machine from which on the log says so.
CLOCKS_DIFFER = 60.0
#: Seconds between two tries.
PAUSE = 0.1
#: How often a table of another member is tried to be taken, and the seconds between two tries.
TRIES, TRY_AGAIN = 20, 0.01
#: The first PostgreSQL that ends a session that is silent. Nothing else finds a member that hangs.
_OLDEST_FOR_CLUSTERS = 14


@define(eq=False)
class PostgresStore(OpenStore):
    """
    A journal in a database, and one run of a host on it.

    :param name: of the database, such as `postgresql://gamehost@db.example.org/gamehost`
    :param warn: called in the writer's thread with words for the log
    :param at: seconds since 1970; `None`: by the database's clock, which counts for all members
    :param machine: seconds since 1970 by the clock of this machine, which is only compared
    :param cluster: the facts for the other members; `None`: this host is alone
    """

    name: str
    warn: Callable[[str], None]
    cluster: ClusterAddress | None = None
    _at: Callable[[], float] | None = None
    _machine: Callable[[], float] = time.time
    _clock: Clock = time.monotonic
    _sleep: Sleep = time.sleep
    session: Session = field(init=False)
    #: The number of this run; 0: it has not begun.
    epoch: int = field(init=False, default=0)
    #: The database's clock in seconds since 1970, and the own clock at that moment.
    _synchronized: tuple[float, float] = field(init=False, default=(0.0, 0.0))
    #: The newest rows of tables that were not noted yet, the first one first.
    _unnoted: dict[int, Head] = field(factory=dict)
    #: The newest rows of tables that are not in use any more, and the time of their last use. Their players have
    #: received these rows.
    _recent: deque[tuple[float, int, Head]] = field(factory=deque)
    #: When some are noted next.
    _note_at: float = 0.0
    #: How many groups with notes this run has committed.
    _noted: int = 0
    #: Whether the host runs, and shows that. While it starts, it may take its time.
    _beats: bool = False
    #: At the start, the reactor's thread reads while the writer's thread may have something to write.
    _one_at_a_time: RLock = field(factory=RLock)

    def begin(
        self, lock_patience: float, accept_loss: bool = False, say: Callable[[str], None] = lambda words: None
    ) -> Session:
        """
        Open a session, check the database, and begin the run.

        :param accept_loss: as of `begin_run`
        :param say: called on this thread, with words for the log, while this waits
        :raises StoreUnusable: the store must not be used
        :raises LineLost: the database is out of reach
        :raises StoreFailed: another error of the database
        """
        with or_closed(connect_for_writing(self.name)) as self.session:
            session, shared = self.session, self.cluster is not None
            version = session.connection.info.server_version // 10_000
            if shared and version < _OLDEST_FOR_CLUSTERS:
                raise StoreUnusable(
                    f"--cluster needs PostgreSQL {_OLDEST_FOR_CLUSTERS} or newer, and this server is {version}"
                )
            # Take the lock of the store; the last host may still have it for some seconds.
            if not session.lock(STORE_LOCK, 0.0, self._clock, self._sleep, shared) and lock_patience:
                owner = session.owner_of_lock(STORE_LOCK)
                say(
                    f"another host{owner} has this journal open: waiting up to {lock_patience:.0f} seconds until it is gone"
                )
            if not session.lock(STORE_LOCK, lock_patience, self._clock, self._sleep, shared):
                raise StoreUnusable(store_lock_message(session, shared))
            # Begin the run.
            make_tables(session)
            read_uptime(session)
            self.epoch = begin_run(session, platform.node(), self.cluster, accept_loss, say)
            prepare(session)
            self._synchronize(session)
        self._read_from(self, TableRows(self, self.epoch, own=True), self._at or self.now)
        # A wrong clock is reported, and the database's is used.
        if abs(ahead := self._machine() - self.now()) >= CLOCKS_DIFFER:
            self.warn(
                f"this machine's clock is {abs(ahead):.0f} seconds {'ahead of' if ahead > 0 else 'behind'} the database's; "
                "bans, proved log-ins and the times of matches go by the database's"
            )
        return session

    def now(self) -> float:
        """
        Seconds since 1970, as the database's clock has it: one clock for all members. A member with a clock of its own would
        end the bans of all. For any thread.
        """
        database, own = self._synchronized
        return database + self._clock() - own

    def _synchronize(self, session: Session) -> None:
        [(database,)] = session.rows("SELECT extract(epoch FROM clock_timestamp())::float8")
        self._synchronized = database, self._clock()

    def resume(self) -> None:
        """
        Open a new session for this run, when the connection is lost.

        :raises StoreFailed: the database is out of reach for too long, or this run was ended
        """
        self.warn("the connection to the database is lost; nothing is confirmed until it is back")
        self.session = reconnected(self._resumed, self._clock, self._sleep)
        self.warn("the connection to the database is back")

    def _resumed(self, until: float) -> Session:
        with or_closed(connect_for_writing(self.name)) as session:
            # When the locks are free, the old session has ended, and its last transaction is decided.
            for number, shared in ((STORE_LOCK, self.cluster is not None), (self.epoch, False)):
                if not session.lock(number, until - self._clock(), self._clock, self._sleep, shared):
                    raise StoreFailed(f"another host{session.owner_of_lock(number)} has taken the journal over")
            prepare(session)
            self._synchronize(session)
        return session

    def commit(self, changes: Sequence[Change]) -> None:
        with self._one_at_a_time:
            super().commit(changes)

    def _numbers(self) -> Iterator[int]:
        return repeat(self.epoch)

    def rows(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> list[Any]:
        """The rows of a query, which is asked again after a lost connection."""
        return self._asking(lambda: self.session.rows(sql, parameters))

    def run(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> object:
        """Carry out a statement that may be carried out twice, as `rows`."""
        return self._asking(lambda: self.session.run(sql, parameters))

    def _remove_unplayed(self, tables: Sequence[int]) -> None:
        """
        Remove matches in which no player has acted. Matches that a lost session has removed are not asked for again.
        """
        every = TableRows(self.session, self.epoch)
        found = {table: rows for table in tables if is_unplayed(rows := every.rows(table))}
        if not found:
            return
        told = [row[0] for row in self.session.rows(_REMOVABLE, (list(found),))]
        if told:
            with transaction(self.session):
                members.note_removed(self.session, told)
                MatchLists(self.session).remove(ended_among(row for table in told for row in found[table]))
                self.session.run("DELETE FROM event WHERE game = ANY(%s)", (told,))
        self._unplayed.later(found.keys() - told)

    def mark(self) -> Callable[[], None]:
        """
        The database has its own log. Now and then the newest rows of tables are noted in it, on the writer's thread.
        """
        if self._clock() >= self._note_at:
            self._note_newest(NOTED_AT_ONCE)
            self._note_at = self._clock() + NOTE_EVERY
        return nothing

    def _note_newest(self, most: int | None) -> None:
        newest = dict(islice(self._unnoted.items(), most))
        if not newest:
            return
        with suppress(LineLost):  # the next commit finds that, too
            self.session.run(members.NEWEST, (*columns_of(newest), self.epoch))
            for table in newest:
                del self._unnoted[table]

    def close(self) -> None:
        """This run ends in order."""
        self._note_newest(None)
        if tables := self._unplayed.all():
            with suppress(LineLost, StoreFailed):  # then they are not removed
                self._remove_unplayed(tables)
        with suppress(LineLost):  # everything is durable, and the next host notes the end
            self.session.run("UPDATE member SET ended = now() WHERE epoch = %s", (self.epoch,))
        self.session.close()

    def beat(self) -> int:
        """
        Show the server that the process of this run does not hang; the highest number of a table of any member.

        :raises StoreFailed: this run was ended by another member
        """
        if not self._beats:
            self._beats = True
            self.run(_SILENCE)
        return self.tables.last_table

    def _write(self, group: Group) -> None:
        """
        Commit a group, over lost connections.

        :raises StoreFailed: there is no connection any more, or the database has lost what was durable
        """
        try:
            self._write_once(group)
        except LineLost:
            self._renew()
            self._asking(lambda: self._write_once(group, again=True))
        self._noted += group.noted
        for row in group.rows:
            self._unnoted[row.game] = Head(row.n, row.h)
        self._remember(group)
        if group.noted and (tables := self._unplayed.due()):
            self._asking(lambda: self._remove_unplayed(tables))

    def _remember(self, group: Group) -> None:
        now = self._clock()
        while self._recent and self._recent[0][0] < now - RECENT:
            self._recent.popleft()
        for table, head in group.heads.items():
            if head is None and (last := self._unnoted.get(table) or self._heads.get(table)) is not None:
                self._recent.append((now, table, last))

    def _write_once(self, group: Group, again: bool = False) -> None:
        """:param again: the connection was lost meanwhile, so the group is durable, perhaps"""
        if not (again and self._is_there(group)):
            write_group(self.session, group, self.epoch, self._noted + 1, self._ended(group))

    def _renew(self) -> None:
        """
        Open a new session for this run, after the connection is lost.

        :raises StoreFailed: it cannot be opened, or the database has lost durable rows
        """
        self.session.close()  # if it is still alive, its locks become free now
        while True:
            self.resume()
            with suppress(LineLost), or_closed(self.session):
                if self._beats:
                    self.session.run(_SILENCE)
                self._check_heads()
                return

    def _is_there(self, group: Group) -> bool:
        """
        Whether a group is in the database: its number, or its last row.

        :raises StoreFailed: another host has written a row there
        """
        if group.noted:
            noted = self.session.rows("SELECT noted FROM member WHERE epoch = %s", (self.epoch,))
            return bool(noted[0][0] > self._noted)
        if not group.rows:
            return True
        last = group.rows[-1]
        found = self.session.rows("SELECT h FROM event WHERE game = %s AND n = %s", (last.game, last.n))
        if found and found[0][0] != last.h:
            raise StoreFailed(f"table {last.game}: row {last.n} was written by another host")
        return bool(found)

    def _check_heads(self) -> None:
        """
        Compare the database with the rows that players have received. Tables that have lost rows are stopped.

        :raises StoreFailed: a row is missing that players may have received, or this run was ended
        """
        known = self.session.rows("SELECT ended IS NULL FROM member WHERE epoch = %s", (self.epoch,))
        told = {table: head for _, table, head in self._recent} | self._heads
        if lost := members.mark_lost(self.session, self.epoch, told):
            raise StoreFailed(
                f"the database has lost the newest rows of {len(lost)} tables, of which players have been told; it was put "
                f"back to an older state, or a standby took over that was behind. Suspended: {', '.join(map(str, lost[:20]))}"
            )
        if not known:
            raise StoreFailed("the database does not know this run of the host: it was put back to an older state")
        if not known[0][0]:
            raise StoreFailed(TAKEN_OVER)

    def _asking(self, ask: Callable[[], T]) -> T:
        """Ask the database something, again after a lost connection."""
        with self._one_at_a_time:
            while True:
                try:
                    return ask()
                except LineLost:
                    self._renew()

    def _told(self, table: TableId, rows: Sequence[Row]) -> int | None:
        # A table of another member is read as one that is finished: nothing can be added to it here.
        noted = self.rows("SELECT told, n, h, lost FROM live WHERE game = ? AND owner = ?", (table, self.epoch))
        if not noted:
            return None
        [(told, n, h, lost)] = noted
        if lost:
            raise Damaged(members.LostTable(table, n, len(rows) - 1).why)
        if n is not None and (n >= len(rows) or rows[n].h != h):
            raise Damaged(members.MISSING_ROW.format(table, n))
        return int(told)

    def _put_to_sleep(self) -> None:
        self.run(
            "UPDATE live SET since = (SELECT seconds FROM uptime) WHERE since IS NULL AND owner = ?", (self.epoch,)
        )

    def new_numbers(self, count: int) -> Sequence[int]:
        """New numbers of tables, which no member of a cluster gets again."""
        return self._asking(lambda: members.take_numbers(self.session, count))

    def check_at_start(self, everything: bool) -> list[UnreadableRow]:
        lost = {one.table for one in self.lost()}
        damage = {one.table: one for one in super().check_at_start(everything) if one.table not in lost}
        for table, n in self.rows(members.MISSING.format("owner = %s"), (self.epoch,)):
            damage.setdefault(table, UnreadableRow(table, members.MISSING_ROW.format(table, n)))
        return list(damage.values())

    def unfinished(self) -> Iterator[UnfinishedTable | UnreadableRow]:
        """As of `OpenStore`. The seats of tables that have lost rows are reserved, however few rows are left."""
        lost = {one.table for one in self.lost()}
        for one in super().unfinished():
            yield evolve(one, begun=True) if isinstance(one, UnfinishedTable) and one.table in lost else one

    def lost(self) -> Sequence[members.LostTable]:
        return self._asking(lambda: members.lost(self.session, self.epoch))

    def take(self, table: TableId) -> bool:
        """As of `members.take`, tried for a moment."""
        for _ in range(TRIES):
            taken = self._asking(lambda: members.take(self.session, self.epoch, table))
            if taken is not None:
                return taken
            self._sleep(TRY_AGAIN)
        return False

    def go_on(self, table: TableId) -> UnfinishedTable | None:
        return self._asking(lambda: members.go_on(self.session, self.epoch, table))

    def end_lost(self, table: TableId) -> bool:
        found = any(one.table == table for one in self.lost())
        if found:
            self.run(REMOVE, (table,))
        return found

    def give_up(self, damage: Sequence[UnreadableRow]) -> None:
        """Remove damaged tables from the list of unfinished ones. Their rows are not removed."""
        self._given_up = damage
        self.session.run(REMOVE_ALL, ([damaged.table for damaged in damage],))


# Arrays in PostgreSQL's binary format: a header with the number of the elements' type, and each element behind its length.

_HEADER, _LENGTH = Struct(">5i"), Struct(">i").pack
int8 = Struct(">q").pack


def _array(kind: int, element: Callable[[Any], bytes], values: Sequence[Any]) -> bytes:
    """:param values: one at least"""
    return _HEADER.pack(1, 1, kind, len(values), 1) + b"".join(map(element, values))


@cache
def _int2(value: int | None) -> bytes:
    """There are few different ones."""
    return _LENGTH(-1) if value is None else Struct(">ih").pack(2, value)


int8_array = partial(_array, 20, partial(Struct(">iq").pack, 8))
int4_array = partial(_array, 23, partial(Struct(">ii").pack, 4))
int2_array = partial(_array, 21, _int2)
bytea_array = partial(_array, 17, lambda value: _LENGTH(len(value)) + value)
#: Of the columns of `Row` behind the first one.
_ARRAYS = (int8_array, int4_array, int8_array, int2_array, int2_array, bytea_array, bytea_array)


_ROWS, _ROWS_AND_TABLES = b"rows", b"rows_and_tables"
_INSERT = (
    "INSERT INTO event(epoch, game, n, at_ms, kind, seat, body, h) SELECT $1::int8, game, n, at_ms, kind, seat, body, h "
    "FROM unnest($2::int8[], $3::int4[], $4::int8[], $5::int2[], $6::int2[], $7::bytea[], $8::bytea[]) "
    "AS new(game, n, at_ms, kind, seat, body, h)"
)
_OPEN = """
    WITH opened AS (INSERT INTO live(game, owner) SELECT game, $1::int8 FROM unnest($9::int8[]) AS new(game)),
    counted AS (
        UPDATE member SET tables = member.tables + added.tables, numbers = member.numbers + added.numbers
        FROM (SELECT count(*) AS tables, sum(game) AS numbers FROM unnest($9::int8[]) AS new(game)) AS added
        WHERE epoch = $1::int8
    ) """


def prepare(session: Session) -> None:
    """Prepare the statements of groups, once in each session."""
    session.prepare(_ROWS, _INSERT)
    session.prepare(_ROWS_AND_TABLES, _OPEN + _INSERT)


def write_group(session: Session, group: Group, epoch: int, number: int, ended: Iterable[Ended] = ()) -> None:
    """
    Commit a group.

    :param epoch: the number of this run
    :param number: of a group with notes, counted from 1 in this run
    :param ended: the matches that end with it. They are asked for when its rows are inserted

    :raises LineLost: the connection is lost, and it is not known whether the group is committed
    :raises StoreFailed: any other error
    """
    if not group.noted:
        if group.rows:
            _insert(session, group)
        return
    session.run("BEGIN")
    if group.rows:
        _insert(session, group)
    MatchLists(session).add(ended)
    over = [row.game for row in group.archived]
    for note in group.notes:
        if isinstance(note, Told) and note.seat is None:
            over.append(note.table)
        else:
            note.write(session)
    if over:
        # Not in the same statement: parts of one statement do not see each other's rows, and a table may be opened and
        # closed at once.
        session.run(REMOVE_ALL, (over,))
    if not session.run("UPDATE member SET noted = %s WHERE epoch = %s AND ended IS NULL", (number, epoch)):
        raise StoreFailed("another host has taken the journal over")
    session.run("COMMIT")


def _insert(session: Session, group: Group) -> None:
    epochs, *columns = zip(*group.rows, strict=True)
    parameters = [int8(epochs[0]), *(array(column) for array, column in zip(_ARRAYS, columns, strict=True))]
    if group.opened:
        session.run_prepared(_ROWS_AND_TABLES, [*parameters, int8_array(group.opened)])
    else:
        session.run_prepared(_ROWS, parameters)


#: The server cancels a statement after this time: a read may not delay the removal of old rows.
LONGEST = "5s"


def open_session(store: str) -> Session:
    """
    A session for reading.

    :raises LineLost: there is none to be had now, or with a standby, which may be behind
    """
    with or_closed(connect(store, read_only=True)) as session:
        session.run(f"SET statement_timeout = '{LONGEST}'")
        if session.rows("SELECT pg_is_in_recovery()")[0][0]:
            raise LineLost("this server is a standby")
    return session


@define(eq=False)
class PostgresReader:
    """A reader for one thread of the run with this number."""

    _store: str
    epoch: int
    _connect: Callable[[str], Session] = open_session
    _session: Session | None = None
    tables: TableRows = field(
        init=False, default=Factory(lambda reader: TableRows(reader, reader.epoch), takes_self=True)
    )

    def rows(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> list[Any]:
        """
        Ask the database, once more if the session was lost meanwhile.

        :raises LineLost: it is out of reach
        """
        if self._session is not None:
            with suppress(LineLost), or_closed(self._session):
                return self._session.rows(sql, parameters)
        self._session = self._connect(self._store)
        return self._session.rows(sql, parameters)

    def interrupt(self) -> None:
        """Make the server cancel the current read. For any thread."""
        if (session := self._session) is not None:
            session.cancel()

    def close(self) -> None:
        if self._session is not None:
            self._session.close()


def reconnected(connect_until: Callable[[float], Session], clock: Clock, sleep: Sleep) -> Session:
    """
    A new session in place of one with a lost connection. It is tried repeatedly, for `PATIENCE`.

    :param connect_until: opens a session; its argument is the time until which it may wait, in seconds of the clock
    :raises StoreFailed: the database is out of reach for too long, or a try has found that this host must end
    """
    until = clock() + PATIENCE
    while True:
        try:
            return connect_until(until)
        except (LineLost, StoreUnusable) as error:
            if clock() + PAUSE >= until:
                raise StoreFailed(f"the connection to the database was lost, and is not back: {error}") from error
            sleep(PAUSE)


def store_lock_message(session: Session, cluster: bool) -> str:
    """Why the lock of a store is not free, for the owner of a host that is to be a member of a cluster or not."""
    whose = session.owner_of_lock(STORE_LOCK)
    if cluster:
        return (
            f"a host without --cluster{whose} has this journal open, or gamehost journal copy; "
            "stop it, and start it with --cluster, too"
        )
    if session.lock(STORE_LOCK, 0.0, time.monotonic, time.sleep, shared=True):
        return (
            f"the members of a cluster have this journal open ({living(session)}); "
            "start this host with --cluster, too, or stop all of them first"
        )
    return f"another host{whose} has this journal open; {ANOTHER_STORE}"


def open_postgresql(
    store: str,
    from_thread: Callable[[Callable[[], None]], None],
    broken: Callable[[str], None],
    *,
    accept_loss: bool = False,
    lock_patience: float = LOCK_PATIENCE,
    group: Callable[[], AbstractContextManager[object]] = nullcontext,
    after_turn: Callable[[Callable[[], None]], None] = at_once,
    limits: BacklogLimits | None = None,
    clock: Callable[[], float] = time.monotonic,
    reactor_clock: Callable[[], float] | None = None,
    wall: Callable[[], float] | None = None,
    machine: Callable[[], float] = time.time,
    warn: Callable[[str], None] = lambda words: None,
    cluster: ClusterAddress | None = None,
) -> DurableJournal:
    """
    Open a journal in a database, or make a new one there. The parameters are those of `gamehost.storage.sqlite.open_journal`.

    :param store: such as `postgresql://gamehost@db.example.org/gamehost`
    :param lock_patience: for how many seconds the lock of a host that was lost is waited for
    :param wall, machine: as `at` and `machine` of `PostgresStore`
    :param warn: called on the reactor's thread, with words for the log
    :param cluster: the facts for the other members; `None`: this host is alone
    :raises StoreUnusable: the journal must not be used
    """
    opened = PostgresStore(store, lambda words: from_thread(partial(warn, words)), cluster, wall, machine)
    with refusing(store), or_closed(opened.begin(lock_patience, accept_loss, warn)):
        _check(opened, accept_loss, warn)
        last_table = opened.tables.last_table
        numbers = None if cluster is None else TableNumbers(opened.new_numbers, left=deque(opened.new_numbers(BLOCK)))
    backlog = Backlog(reactor_clock or clock, limits or BacklogLimits(), group)
    (reader := Reader(PostgresReader(store, opened.epoch), from_thread, warn)).start()
    writer = Writer(
        opened, from_thread, backlog.done, broken, clock, measures=backlog.measures, before_close=reader.end
    )
    writer.start()
    return DurableJournal(
        opened,
        writer,
        reader,
        backlog=backlog,
        after_turn=after_turn,
        room=lambda: Room.ENOUGH,
        tables=last_table,
        numbers=numbers,
        epoch=opened.epoch,
        wall=opened.now,
    )


def _check(store: PostgresStore, accept_loss: bool, warn: Callable[[str], None]) -> None:
    """
    Check the records of unfinished tables, and give those up that are damaged if that is accepted. Say which are suspended.

    :raises StoreUnusable: there is damage
    """
    damage = store.check_at_start(accept_loss)
    if damage and not accept_loss:
        raise StoreUnusable(f"{in_words(damage)}. {VERIFY_FIRST}")
    if damage:
        store.give_up(damage)
    for one in store.lost():
        warn(one.why)
