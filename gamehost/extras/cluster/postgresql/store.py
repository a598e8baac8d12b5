"""
An open store in a PostgreSQL database. A group of changes is written in one transaction, with few statements and with values
in PostgreSQL's binary format.

After any error except a lost connection the store accepts no more changes, because the contents of the database are not
known. The next start reads them.

Reads for people, such as lists of matches, have a session of their own, which never writes. If it is lost, it is opened again
for the next read. No error of such a read ends the host.

Opening a store blocks. It is done at the start, before any port is open. After a lost connection, the writer's thread connects
again.
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

#: Chooses, from some tables, those that are finished and can be removed. The newest table is never removed, because new numbers
#: are counted from it.
_REMOVABLE = """
    SELECT game FROM unnest(%s::int8[]) AS one(game)
    WHERE game NOT IN (SELECT game FROM live) AND game < (SELECT max(game) FROM event)"""
#: The newest rows of so many tables are noted at once, which takes the writer's thread some milliseconds. Then the seconds
#: between two notes.
NOTED_AT_ONCE, NOTE_EVERY = 200, 1.0
#: How many seconds the newest row of a table is remembered after the table has ended or sleeps.
RECENT = 30.0
#: Makes the server end this session if it sends nothing for so long: its process hangs, or its machine is lost. Then its locks
#: are free.
_SILENCE = "SET idle_session_timeout = '3s'; SET idle_in_transaction_session_timeout = '3s'"
#: For how many seconds the store tries to connect again. The host gives up after the same time.
PATIENCE = 10.0
#: How many seconds a start waits for the lock. The database may need them to detect the end of the last host.
LOCK_PATIENCE = 5.0
#: A warning is logged if this machine's clock differs from the database's by so many seconds.
CLOCKS_DIFFER = 60.0
#: The seconds between two tries to connect.
PAUSE = 0.1
#: How often the store tries to take a table of another member, and the seconds between two tries.
TRIES, TRY_AGAIN = 20, 0.01
#: The oldest version of PostgreSQL that ends silent sessions. Otherwise a member that hangs cannot be detected.
_OLDEST_FOR_CLUSTERS = 14


@define(eq=False)
class PostgresStore(OpenStore):
    """
    A journal in a database, with one run of a host that uses it.

    :param name: the name of the store, such as `postgresql://gamehost@db.example.org/gamehost`
    :param warn: called in the writer's thread with words for the log
    :param cluster: the facts for the other members; `None`: this host is alone
    :param at: returns the time in seconds since 1970; `None`: the clock of the database is used, as by all members
    :param machine: returns the time of this machine in seconds since 1970. It is only compared with the database's.
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
    #: The time of the database in seconds since 1970, and the time of `_clock` at the same moment.
    _synchronized: tuple[float, float] = field(init=False, default=(0.0, 0.0))
    #: The newest rows of tables that were not noted in the database yet, the oldest first.
    _unnoted: dict[int, Head] = field(factory=dict)
    #: The newest rows of tables that are not in use any more, each with the time of its last use. Their players have received
    #: these rows.
    _recent: deque[tuple[float, int, Head]] = field(factory=deque)
    #: The time at which newest rows are noted next.
    _note_at: float = 0.0
    #: How many groups with notes this run has committed.
    _noted: int = 0
    #: Whether the host has started, and shows that it is alive. A start may be silent for longer.
    _beats: bool = False
    #: Lets one thread at a time use the session. At the start, the reactor's thread reads while the writer's thread may write.
    _one_at_a_time: RLock = field(factory=RLock)

    def begin(
        self, lock_patience: float, accept_loss: bool = False, say: Callable[[str], None] = lambda words: None
    ) -> Session:
        """
        Opens a session, checks the database, and begins the run.

        :param lock_patience: how many seconds to wait for the lock of the store
        :param accept_loss: whether a changed list of unfinished tables is accepted
        :param say: called on this thread with words for the log, if this has to wait
        :raises StoreUnusable: the store must not be used
        :raises LineLost: the database cannot be reached
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
            # The first try is without waiting, so that the log says why the start takes long.
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
        # A wrong clock of this machine is only reported, because the database's clock is used.
        if abs(ahead := self._machine() - self.now()) >= CLOCKS_DIFFER:
            self.warn(
                f"this machine's clock is {abs(ahead):.0f} seconds {'ahead of' if ahead > 0 else 'behind'} the database's; "
                "bans, proved log-ins and the times of matches go by the database's"
            )
        return session

    def now(self) -> float:
        """
        Returns the time of the database's clock in seconds since 1970. All members use this clock. A member with a wrong clock
        would, for example, end bans for all. Any thread may call this.
        """
        database, own = self._synchronized
        return database + self._clock() - own

    def _synchronize(self, session: Session) -> None:
        """Reads the clock of the database."""
        [(database,)] = session.rows("SELECT extract(epoch FROM clock_timestamp())::float8")
        self._synchronized = database, self._clock()

    def resume(self) -> None:
        """
        Opens a new session for this run, after the connection was lost.

        :raises StoreFailed: the database cannot be reached for too long, or another host has ended this run
        """
        self.warn("the connection to the database is lost; nothing is confirmed until it is back")
        self.session = reconnected(self._resumed, self._clock, self._sleep)
        self.warn("the connection to the database is back")

    def _resumed(self, until: float) -> Session:
        """
        Opens a session with the locks of this run.

        :param until: the time until which this may wait for the locks
        :raises StoreFailed: another host has a lock
        """
        with or_closed(connect_for_writing(self.name)) as session:
            # When the locks are free, the old session has ended, and its last transaction is decided.
            for number, shared in ((STORE_LOCK, self.cluster is not None), (self.epoch, False)):
                if not session.lock(number, until - self._clock(), self._clock, self._sleep, shared):
                    raise StoreFailed(f"another host{session.owner_of_lock(number)} has taken the journal over")
            prepare(session)
            self._synchronize(session)
        return session

    def commit(self, changes: Sequence[Change]) -> None:
        """Commits changes; see `OpenStore`. No other thread uses the session meanwhile."""
        with self._one_at_a_time:
            super().commit(changes)

    def _numbers(self) -> Iterator[int]:
        """The first column of each new row: the number of this run."""
        return repeat(self.epoch)

    def rows(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Runs a query, and returns its rows. After a lost connection it is run again."""
        return self._asking(lambda: self.session.rows(sql, parameters))

    def run(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> object:
        """Runs a statement that may be run twice. After a lost connection it is run again."""
        return self._asking(lambda: self.session.run(sql, parameters))

    def _remove_unplayed(self, tables: Sequence[int]) -> None:
        """
        Removes finished matches in which no player has acted. Matches that cannot be removed yet are tried again later.
        """
        every = TableRows(self.session, self.epoch)
        found = {table: rows for table in tables if is_unplayed(rows := every.rows(table))}
        if not found:
            return
        # Only matches of which all players have received the end can be removed.
        told = [row[0] for row in self.session.rows(_REMOVABLE, (list(found),))]
        if told:
            with transaction(self.session):
                members.note_removed(self.session, told)
                MatchLists(self.session).remove(ended_among(row for table in told for row in found[table]))
                self.session.run("DELETE FROM event WHERE game = ANY(%s)", (told,))
        self._unplayed.later(found.keys() - told)

    def mark(self) -> Callable[[], None]:
        """
        Called by the writer after each group. About once a second it writes into the database which row of each table
        is the newest one that players have received. After a loss of rows, this shows which tables are affected.

        :returns: a function that does nothing: the database makes its own log durable
        """
        if self._clock() >= self._note_at:
            self._note_newest(NOTED_AT_ONCE)
            self._note_at = self._clock() + NOTE_EVERY
        return nothing

    def _note_newest(self, most: int | None) -> None:
        """
        Writes into the database which row of each table is the newest one that players have received. See
        `PostgresStore.mark`.

        :param most: for how many tables at most, the oldest ones first; `None`: for all
        """
        newest = dict(islice(self._unnoted.items(), most))
        if not newest:
            return
        with suppress(LineLost):  # the next commit detects the loss, too
            self.session.run(members.NEWEST, (*columns_of(newest), self.epoch))
            for table in newest:
                del self._unnoted[table]

    def close(self) -> None:
        """Ends this run in good order: notes newest rows and the end of the run, and closes the session."""
        self._note_newest(None)
        if tables := self._unplayed.all():
            with suppress(LineLost, StoreFailed):  # then they are not removed
                self._remove_unplayed(tables)
        with suppress(LineLost):  # all moves are durable, and the next host notes the end
            self.session.run("UPDATE member SET ended = now() WHERE epoch = %s", (self.epoch,))
        self.session.close()

    def beat(self) -> int:
        """
        Called again and again, so that the server sees that the process of this run does not hang: this makes a query.
        From the first call on, the server ends the session if it is silent for some seconds.

        :returns: the highest number of a table of any member
        :raises StoreFailed: another member has ended this run
        """
        if not self._beats:
            self._beats = True
            self.run(_SILENCE)
        return self.tables.last_table

    def _write(self, group: Group) -> None:
        """
        Commits a group. After a lost connection it connects again, and writes the group again if it was not committed.

        :raises StoreFailed: the database cannot be reached any more, or has lost durable rows
        """
        try:
            self._write_once(group)
        except LineLost:
            self._renew()
            # The connection was lost perhaps after the commit, so `again` says that the group may be there.
            self._asking(lambda: self._write_once(group, again=True))
        # Remember the newest row of each table.
        self._noted += group.noted
        for row in group.rows:
            self._unnoted[row.game] = Head(row.n, row.h)
        self._remember(group)
        if group.noted and (tables := self._unplayed.due()):
            self._asking(lambda: self._remove_unplayed(tables))

    def _remember(self, group: Group) -> None:
        """
        Remembers for some time the newest rows of tables that are not in use any more after this group. After a lost
        connection, these rows are looked for in the database, too.
        """
        now = self._clock()
        while self._recent and self._recent[0][0] < now - RECENT:
            self._recent.popleft()
        for table, head in group.heads.items():
            # `None`: the table is not in use any more after this group.
            if head is None and (last := self._unnoted.get(table) or self._heads.get(table)) is not None:
                self._recent.append((now, table, last))

    def _write_once(self, group: Group, again: bool = False) -> None:
        """
        Commits a group, if it is not in the database already.

        :param again: whether the connection was lost meanwhile, so that the group may be durable already
        """
        if not (again and self._is_there(group)):
            write_group(self.session, group, self.epoch, self._noted + 1, self._ended(group))

    def _renew(self) -> None:
        """
        Opens a new session for this run, after the connection was lost. It checks that no durable rows are lost.

        :raises StoreFailed: no session can be opened, or the database has lost durable rows
        """
        self.session.close()  # if it is still alive, its locks become free now
        while True:
            self.resume()
            # If this connection is lost as well, the loop begins again.
            with suppress(LineLost), or_closed(self.session):
                if self._beats:
                    self.session.run(_SILENCE)
                self._check_heads()
                return

    def _is_there(self, group: Group) -> bool:
        """
        Returns whether a group is in the database. A group with notes is found by its number, another one by its last row.

        :raises StoreFailed: another host has written a row with the same number
        """
        if group.noted:
            noted = self.session.rows("SELECT noted FROM member WHERE epoch = %s", (self.epoch,))
            return bool(noted[0][0] > self._noted)
        # Nothing was to be written.
        if not group.rows:
            return True
        last = group.rows[-1]
        found = self.session.rows("SELECT h FROM event WHERE game = %s AND n = %s", (last.game, last.n))
        if found and found[0][0] != last.h:
            raise StoreFailed(f"table {last.game}: row {last.n} was written by another host")
        return bool(found)

    def _check_heads(self) -> None:
        """
        Compares the database with the rows that players have received. Tables with lost rows are suspended.

        :raises StoreFailed: a row is missing that players may have received, or another host has ended this run
        """
        known = self.session.rows("SELECT ended IS NULL FROM member WHERE epoch = %s", (self.epoch,))
        # Rows of tables in use, and of tables that were in use a short time ago.
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
        """Calls a function that uses the database, and returns its result. After a lost connection it is called again."""
        with self._one_at_a_time:
            while True:
                try:
                    return ask()
                except LineLost:
                    self._renew()

    def _told(self, table: TableId, rows: Sequence[Row]) -> int | None:
        """
        Returns which seats of an unfinished table have received the end of the match.

        :param rows: all rows of the table
        :returns: the seats as bits; `None`: the table is finished, or belongs to another member and cannot be changed here
        :raises Damaged: rows of the table are lost
        """
        noted = self.rows("SELECT told, n, h, lost FROM live WHERE game = ? AND owner = ?", (table, self.epoch))
        if not noted:
            return None
        [(told, n, h, lost)] = noted
        if lost:
            raise Damaged(members.LostTable(table, n, len(rows) - 1).why)
        # The noted newest row is missing, or is another one.
        if n is not None and (n >= len(rows) or rows[n].h != h):
            raise Damaged(members.MISSING_ROW.format(table, n))
        return int(told)

    def _put_to_sleep(self) -> None:
        """Notes for all tables of this run that are awake that they sleep from now on."""
        self.run(
            "UPDATE live SET since = (SELECT seconds FROM uptime) WHERE since IS NULL AND owner = ?", (self.epoch,)
        )

    def new_numbers(self, count: int) -> Sequence[int]:
        """Takes numbers for new tables. No member of a cluster gets the same number again."""
        return self._asking(lambda: members.take_numbers(self.session, count))

    def check_at_start(self, everything: bool) -> list[UnreadableRow]:
        """
        Checks the records of unfinished tables (see `OpenStore.check_at_start`), and compares them with the noted
        newest rows. Suspended tables are left out.
        """
        lost = {one.table for one in self.lost()}
        damage = {one.table: one for one in super().check_at_start(everything) if one.table not in lost}
        for table, n in self.rows(members.MISSING.format("owner = %s"), (self.epoch,)):
            damage.setdefault(table, UnreadableRow(table, members.MISSING_ROW.format(table, n)))
        return list(damage.values())

    def unfinished(self) -> Iterator[UnfinishedTable | UnreadableRow]:
        """
        Yields the unfinished tables; see `OpenStore.unfinished`. A table that has lost rows always counts as begun, so
        that its seats are reserved.
        """
        lost = {one.table for one in self.lost()}
        for one in super().unfinished():
            yield evolve(one, begun=True) if isinstance(one, UnfinishedTable) and one.table in lost else one

    def lost(self) -> Sequence[members.LostTable]:
        """Returns the suspended tables of this run, of which rows are lost."""
        return self._asking(lambda: members.lost(self.session, self.epoch))

    def take(self, table: TableId) -> bool:
        """
        Makes this host the owner of a sleeping table of another member; see `members.take`. While a lock is taken, it
        tries again for a moment.

        :returns: whether the table belongs to this host now
        """
        for _ in range(TRIES):
            taken = self._asking(lambda: members.take(self.session, self.epoch, table))
            if taken is not None:
                return taken
            self._sleep(TRY_AGAIN)
        return False

    def go_on(self, table: TableId) -> UnfinishedTable | None:
        """Resumes a suspended table with the rows that are left; see `members.go_on`."""
        return self._asking(lambda: members.go_on(self.session, self.epoch, table))

    def end_lost(self, table: TableId) -> bool:
        """Removes a suspended table from the list of unfinished tables. Returns `False` if it is not suspended."""
        found = any(one.table == table for one in self.lost())
        if found:
            self.run(REMOVE, (table,))
        return found

    def give_up(self, damage: Sequence[UnreadableRow]) -> None:
        """Removes damaged tables from the list of unfinished tables. Their rows remain in the database."""
        self._given_up = damage
        self.session.run(REMOVE_ALL, ([damaged.table for damaged in damage],))


# Arrays in PostgreSQL's binary format: a header with the number of the elements' type, then each element after its length.

_HEADER, _LENGTH = Struct(">5i"), Struct(">i").pack
int8 = Struct(">q").pack


def _array(kind: int, element: Callable[[Any], bytes], values: Sequence[Any]) -> bytes:
    """
    Returns an array of one dimension in PostgreSQL's binary format.

    :param kind: the number of the elements' type in PostgreSQL
    :param element: returns an element with its length in front
    :param values: at least one
    """
    return _HEADER.pack(1, 1, kind, len(values), 1) + b"".join(map(element, values))


@cache
def _int2(value: int | None) -> bytes:
    """Returns a small integer, or NULL, as an element of an array. There are few different values, so the result is cached."""
    return _LENGTH(-1) if value is None else Struct(">ih").pack(2, value)


int8_array = partial(_array, 20, partial(Struct(">iq").pack, 8))
int4_array = partial(_array, 23, partial(Struct(">ii").pack, 4))
int2_array = partial(_array, 21, _int2)
bytea_array = partial(_array, 17, lambda value: _LENGTH(len(value)) + value)
#: The functions that make arrays of the columns of `Row`, without the first column.
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
    """Prepares the statements that write groups. It is called once in each session."""
    session.prepare(_ROWS, _INSERT)
    session.prepare(_ROWS_AND_TABLES, _OPEN + _INSERT)


def write_group(session: Session, group: Group, epoch: int, number: int, ended: Iterable[Ended] = ()) -> None:
    """
    Commits a group.

    :param epoch: the number of this run
    :param number: the number of a group with notes, counted from 1 in this run
    :param ended: yields the matches that end with the group. It reads their rows, so it is used only after the rows of
        the group are inserted.

    :raises LineLost: the connection is lost, and it is not known whether the group is committed
    :raises StoreFailed: any other error
    """
    # A group without notes is a single statement, which needs no transaction of its own.
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
        # All players have received the end of the match, so the table leaves the list of unfinished tables.
        if isinstance(note, Told) and note.seat is None:
            over.append(note.table)
        else:
            note.write(session)
    if over:
        # This is a statement of its own, because parts of one statement do not see each other's rows. A table may be opened and
        # finished in the same group.
        session.run(REMOVE_ALL, (over,))
    # No row is changed if another host has noted the end of this run.
    if not session.run("UPDATE member SET noted = %s WHERE epoch = %s AND ended IS NULL", (number, epoch)):
        raise StoreFailed("another host has taken the journal over")
    session.run("COMMIT")


def _insert(session: Session, group: Group) -> None:
    """Inserts the rows of a group, and adds its new tables to the list of unfinished tables, by one statement."""
    # All rows have the number of this run, so one of them is enough.
    epochs, *columns = zip(*group.rows, strict=True)
    parameters = [int8(epochs[0]), *(array(column) for array, column in zip(_ARRAYS, columns, strict=True))]
    if group.opened:
        session.run_prepared(_ROWS_AND_TABLES, [*parameters, int8_array(group.opened)])
    else:
        session.run_prepared(_ROWS, parameters)


#: The server cancels a read after this time. A longer read would delay the removal of old rows in the database.
LONGEST = "5s"


def open_session(store: str) -> Session:
    """
    Opens a session for reading.

    :raises LineLost: the database cannot be reached now, or the server is a standby, which may not have the newest rows
    """
    with or_closed(connect(store, read_only=True)) as session:
        session.run(f"SET statement_timeout = '{LONGEST}'")
        if session.rows("SELECT pg_is_in_recovery()")[0][0]:
            raise LineLost("this server is a standby")
    return session


@define(eq=False)
class PostgresReader:
    """
    Reads from a database for one thread. It opens its session when it is first used, and again after a loss.

    :param store: the name of the store
    :param epoch: the number of this run
    """

    _store: str
    epoch: int
    _connect: Callable[[str], Session] = open_session
    _session: Session | None = None
    tables: TableRows = field(
        init=False, default=Factory(lambda reader: TableRows(reader, reader.epoch), takes_self=True)
    )

    def rows(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> list[Any]:
        """
        Runs a query, and returns its rows. If the session was lost, it is opened again, and the query is run once more.

        :raises LineLost: the database cannot be reached
        """
        if self._session is not None:
            # If the session is lost, it is closed, and the query is run below.
            with suppress(LineLost), or_closed(self._session):
                return self._session.rows(sql, parameters)
        self._session = self._connect(self._store)
        return self._session.rows(sql, parameters)

    def interrupt(self) -> None:
        """Makes the server cancel the current read. Any thread may call this."""
        if (session := self._session) is not None:
            session.cancel()

    def close(self) -> None:
        """Closes the session, if one is open."""
        if self._session is not None:
            self._session.close()


def reconnected(connect_until: Callable[[float], Session], clock: Clock, sleep: Sleep) -> Session:
    """
    Opens a new session after a connection was lost. Tries again for `PATIENCE` seconds.

    :param connect_until: opens a session; its argument is the time until which it may wait, in seconds of the clock
    :raises StoreFailed: the database cannot be reached for too long, or a try has found that this host must end
    """
    until = clock() + PATIENCE
    while True:
        try:
            return connect_until(until)
        except (LineLost, StoreUnusable) as error:
            # `StoreUnusable` may be over soon, too: the server may be starting.
            if clock() + PAUSE >= until:
                raise StoreFailed(f"the connection to the database was lost, and is not back: {error}") from error
            sleep(PAUSE)


def store_lock_message(session: Session, cluster: bool) -> str:
    """
    Returns a sentence for the owner of a host: who has the lock of the store, and what the owner can do.

    :param cluster: whether the host was started as a member of a cluster
    """
    whose = session.owner_of_lock(STORE_LOCK)
    if cluster:
        return (
            f"a host without --cluster{whose} has this journal open, or gamehost journal copy; "
            "stop it, and start it with --cluster, too"
        )
    # The members of a cluster share the lock, and a host without a cluster has it alone. So if this session can share it, the
    # owners of the lock are members of a cluster. (The start fails anyway, and the lock ends with this session.)
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
    Opens the journal in a database, or makes a new one. Other parameters: see `gamehost.storage.sqlite.open_journal`.

    :param store: such as `postgresql://gamehost@db.example.org/gamehost`
    :param lock_patience: how many seconds to wait for the lock of a host that was lost
    :param wall, machine: `at` and `machine` of `PostgresStore`
    :param warn: called on the reactor's thread with words for the log
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
    Checks the records of unfinished tables, and logs which tables are suspended.

    :param accept_loss: whether damaged tables are removed from the list of unfinished tables
    :raises StoreUnusable: there is damage, and it is not accepted
    """
    damage = store.check_at_start(accept_loss)
    if damage and not accept_loss:
        raise StoreUnusable(f"{in_words(damage)}. {VERIFY_FIRST}")
    if damage:
        # `accept_loss` is set: the owner wants to start without the damaged tables.
        store.give_up(damage)
    for one in store.lost():
        warn(one.why)
