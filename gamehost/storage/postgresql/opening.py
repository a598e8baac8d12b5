"""
Opening the journal in a PostgreSQL database: the checks, the locks, the life, and what happens when the connection is lost.

This blocks. It is for the start, before any port is open; a lost connection is for the writer's thread.
"""

import platform
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from attrs import define, field

from gamehost.journal.records import Room, StoreUnusable
from gamehost.storage.changes import StoreFailed
from gamehost.storage.contents import ANOTHER_STORE, in_words
from gamehost.storage.durable import DurableJournal, at_once
from gamehost.storage.names import BLOCK, TableNumbers
from gamehost.storage.postgresql.lives import TAKEN_OVER, ClusterAddress, begin_life, look
from gamehost.storage.postgresql.session import (
    STORE_LOCK,
    LineLost,
    Session,
    check_for_writing,
    connect,
    migrate,
    refusing,
    schema_version,
    schemas,
)
from gamehost.storage.postgresql.store import PostgresReader, PostgresStore, prepare
from gamehost.storage.questions import Reader
from gamehost.storage.writer import Backlog, BacklogLimits, Writer

#: Seconds for which a lost connection is tried again. The host gives up after the same time.
PATIENCE = 10.0
#: Seconds for which a start waits for the lock: the database may not know yet that the last host is gone.
LOCK_PATIENCE = 5.0
#: Seconds between two tries.
PAUSE = 0.1

#: The first schema that several hosts can use.
_SCHEMA_OF_CLUSTERS = 2


@define(eq=False)
class Life:
    """
    One life of a host on a store, and the way to a session for it.

    :param store: the name of the database
    :param warn: called in the writer's thread with words for the log
    :param cluster: what the other members are told of this one; `None`: this host is alone
    """

    store: str
    warn: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    cluster: ClusterAddress | None = None
    #: The number of this life; 0: it has not begun.
    epoch: int = field(init=False, default=0)

    def begin(self, lock_patience: float, accept_loss: bool = False) -> Session:
        """
        Open a session, check the database, and begin a life.

        :param accept_loss: as of `begin_life`
        :raises StoreUnusable: the store must not be used
        :raises LineLost: the database is out of reach
        :raises StoreFailed: another error of the database
        """
        session = connect(self.store)
        try:
            check_for_writing(session, partial(connect, self.store))
            if not self._lock_store(session, lock_patience):
                raise StoreUnusable(who_has_it(session, self.cluster is not None))
            check_that_no_older_release_runs(session)
            migrate(session)
            self.epoch = begin_life(session, platform.node(), self.cluster, accept_loss)
            prepare(session)
        except BaseException:
            session.close()
            raise
        return session

    def _lock_store(self, session: Session, patience: float) -> bool:
        return session.lock(STORE_LOCK, patience, self.clock, self.sleep, shared=self.cluster is not None)

    def resume(self) -> Session:
        """
        Open a new session for this life, when the connection is lost.

        :raises StoreFailed: the database is out of reach for too long, or this life was ended
        """
        self.warn("the connection to the database is lost; nothing is confirmed until it is back")
        session = reconnected(self._resumed, self.clock, self.sleep)
        self.warn("the connection to the database is back")
        return session

    def _resumed(self, until: float) -> Session:
        session = connect(self.store)
        try:
            check_for_writing(session, partial(connect, self.store))
            # When the locks are free, the old session has ended, and its last transaction is settled.
            if not self._lock_store(session, until - self.clock()):
                raise StoreFailed(f"another host{session.owner_of_lock(STORE_LOCK)} has taken the journal over")
            if not session.lock(self.epoch, until - self.clock(), self.clock, self.sleep):
                raise StoreFailed(f"another host{session.owner_of_lock(self.epoch)} has taken the journal over")
            lives = session.rows("SELECT ended IS NULL FROM member WHERE epoch = %s", (self.epoch,))
            if not lives:
                raise StoreFailed("the database has lost this host's life: it was put back to an older state")
            if not lives[0][0]:
                raise StoreFailed(TAKEN_OVER)
            prepare(session)
        except BaseException:
            session.close()
            raise
        return session


def reconnected(
    connect_until: Callable[[float], Session], clock: Callable[[], float], sleep: Callable[[float], None]
) -> Session:
    """
    A new session in the place of one whose connection is lost. It is tried again and again, for `PATIENCE`.

    :param connect_until: opens one, and is told until when it may wait, in seconds of the clock
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


def check_that_no_older_release_runs(session: Session) -> None:
    """
    Check that the schema does not change under members of a cluster: they would not keep what it adds.

    :raises StoreUnusable: it would
    """
    if not _SCHEMA_OF_CLUSTERS <= schema_version(session) < len(schemas()):
        return
    if members := ", ".join(f"{one.name} at {one.address}" for one in look(session) if one.locked and not one.ended):
        raise StoreUnusable(
            f"members of an older release have this journal open ({members}), and this release changes its tables; "
            "stop all of them first"
        )


def who_has_it(session: Session, cluster: bool) -> str:
    """
    Why the lock of a store cannot be had, for the owner of a host.

    :param cluster: whether this host is to be a member of a cluster
    """
    whose = session.owner_of_lock(STORE_LOCK)
    if cluster:
        return (
            f"a host without --cluster{whose} has this journal open, or gamehost journal copy; "
            "stop it, and start it with --cluster, too"
        )
    if session.lock(STORE_LOCK, 0.0, time.monotonic, time.sleep, shared=True):
        members = ", ".join(f"{one.name} at {one.address}" for one in look(session) if one.locked and not one.ended)
        return (
            f"the members of a cluster have this journal open ({members}); "
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
    wall: Callable[[], float] = time.time,
    warn: Callable[[str], None] = lambda words: None,
    cluster: ClusterAddress | None = None,
) -> DurableJournal:
    """
    Open a journal in a database, or make a new one there. The parameters are those of `gamehost.storage.sqlite.open_journal`.

    :param store: such as `postgresql://gamehost@db.example.org/gamehost`
    :param lock_patience: for how many seconds the lock of a host that was lost is waited for
    :param warn: called on the reactor's thread, with words for the log
    :param cluster: what the other members are told of this one; `None`: this host is alone
    :raises StoreUnusable: the journal must not be used
    """
    life = Life(store, lambda words: from_thread(partial(warn, words)), cluster=cluster)
    with refusing(store):
        session = life.begin(lock_patience, accept_loss)
        try:
            opened = PostgresStore(session, life.epoch, wall, life.resume)
            _check(opened, accept_loss)
            last_table = opened.tables.last_table
            numbers = None if cluster is None else TableNumbers(opened.new_numbers)
            if numbers is not None:
                numbers.add(opened.new_numbers(BLOCK))
        except BaseException:
            session.close()
            raise
    backlog = Backlog(reactor_clock or clock, limits or BacklogLimits(), group)
    (reader := Reader(PostgresReader(store, life.epoch), from_thread, warn)).start()
    (writer := Writer(opened, from_thread, backlog.done, broken, clock, before_close=reader.end)).start()
    return DurableJournal(
        *(opened, writer, reader, backlog, after_turn, lambda: Room.ENOUGH),
        tables=last_table,
        numbers=numbers,
        epoch=life.epoch,
    )


def _check(store: PostgresStore, accept_loss: bool) -> None:
    """
    Check the records of unfinished tables, and give those up that are damaged if that is accepted.

    :raises StoreUnusable: there is damage
    """
    damage = store.check_at_start(accept_loss)
    if damage and not accept_loss:
        raise StoreUnusable(
            f"{in_words(damage)}. Put a right backup back, or start once with --accept-loss to go on without"
        )
    if damage:
        store.give_up(damage)
