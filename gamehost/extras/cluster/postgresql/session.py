"""
One session with the database: how it is opened, its checks, and its locks.

An advisory lock belongs to its session. When the session ends, the database frees the lock, and not before the last
transaction of the session is decided.

The tables of a store are made in one transaction, under a lock.
"""

import select
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from socket import socket
from typing import Any
from zlib import crc32

import psycopg
from attrs import define, field
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, ExecStatus
from psycopg.pq.abc import PGresult
from psycopg.types.array import ListBinaryDumper

from gamehost.extras.cluster.postgresql import shown
from gamehost.journal.records import StoreUnusable
from gamehost.storage.contents import StoreFailed
from gamehost.storage.questions import Sql
from gamehost.storage.schema import SCHEMA_NUMBER, SCHEMA_TABLE, check_schema, fingerprint_of, schema_of

#: The first number of all advisory locks of a host in the schema `public`: `game` in ASCII. The second one is 0 for the store,
#: or the run's number. The locks are of a database, so another schema has another first number.
LOCK_CLASS = 0x67616D65

#: The second number of the lock of the whole store.
STORE_LOCK = 0

#: The options of libpq, unless the store's name sets them. A lost machine is detected after about three seconds.
_CLIENT = {
    "application_name": "gamehost",
    "connect_timeout": "5",
    "keepalives": "1",
    "keepalives_idle": "1",
    "keepalives_interval": "1",
    "keepalives_count": "2",
    "tcp_user_timeout": "3000",
}

#: Settings of the session: the same for the database's side, and no time limit for statements. Older servers lack some.
_SESSION = {
    # To compile a query takes the server longer than to read a thousand tables.
    "jit": "off",
    # All rows of a stream are read. A plan for the first ones takes a hundred times as long without statistics.
    "cursor_tuple_fraction": "1",
    # Without statistics a large index seems to have few rows for each list, so a whole list would be read and sorted for 50.
    "enable_bitmapscan": "off",
    "statement_timeout": "0",
    "lock_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "idle_session_timeout": "0",
    "transaction_timeout": "0",
    "client_connection_check_interval": "1000",
    "tcp_keepalives_idle": "1",
    "tcp_keepalives_interval": "1",
    "tcp_keepalives_count": "2",
    "tcp_user_timeout": "3000",
}

#: Settings on which the meaning of statements and values depends. A database or a role may have others by default.
_MEANING = {
    "array_nulls": "on",
    "bytea_output": "hex",
    "client_encoding": "UTF8",
    "datestyle": "ISO, MDY",
    "default_transaction_deferrable": "off",
    # Each statement sees what others have committed. Under a stricter level it would fail instead.
    "default_transaction_isolation": "read committed",
    "intervalstyle": "postgres",
    # Rows that a policy hides would look like lost ones. Now such a query fails.
    "row_security": "off",
    # Otherwise no trigger notes changes for other members.
    "session_replication_role": "origin",
    "standard_conforming_strings": "on",
    "transform_null_equals": "off",
}
#: The settings that have another value in a session.
_DIFFERENT = """
    SELECT name, current_setting(name, true), wanted FROM unnest(%s::text[], %s::text[]) AS one(name, wanted)
    WHERE current_setting(name, true) <> wanted"""

#: Makes those settings that the server knows.
_SET = """
    SELECT set_config(name, wanted, false) FROM unnest(%s::text[], %s::text[]) AS one(name, wanted)
    JOIN pg_settings USING (name)"""

#: The setting, what it must be, and what it means if it is something else.
_DURABLE = (
    ("fsync", ("on",), "a power cut can destroy the database"),
    ("full_page_writes", ("on",), "a power cut can destroy the database"),
    ("synchronous_commit", ("on", "remote_apply"), "a move could be lost after it was told"),
)

#: Errors that end a session: of connections, those with which a server stops or starts, and a transaction that was left idle.
_LOST = ("08", "57P", "25P03")

Clock = Callable[[], float]
Sleep = Callable[[float], None]


class LineLost(Exception):
    """The connection to the database is lost. Nobody knows whether the last transaction was committed."""


@define(eq=False)
class Session:
    """
    An open connection in autocommit mode.

    Every method raises `LineLost` if the connection is lost, and `StoreFailed` for any other error.
    """

    connection: psycopg.Connection[Any]
    #: The first number of its advisory locks.
    lock_class: int = LOCK_CLASS
    #: How many queries were streamed: each has a name.
    _streams: int = 0
    #: The words of notifications that have come since the set was last cleared.
    notices: set[str] = field(factory=set)

    def rows(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> list[Any]:
        """The rows of a query. Each is a tuple."""
        with self._reporting():
            cursor = self.connection.execute(_text(sql), parameters or None, binary=True)
            return cursor.fetchall() if cursor.description is not None else []

    def stream(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> Iterator[Any]:
        """The rows of a query, some thousand at a time. Within a transaction."""
        self._streams += 1
        with self._reporting(), self.connection.cursor(name=f"rows{self._streams}") as cursor:
            cursor.itersize = 2000
            cursor.execute(_text(sql), parameters or None, binary=True)
            yield from cursor

    def copy(self, sql: str, types: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        with self._reporting(), self.connection.cursor() as cursor, cursor.copy(sql.encode()) as copy:
            copy.set_types(types)
            for row in rows:
                copy.write_row(row)

    def run(self, sql: Sql | str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> int:
        """Carry out a statement; how many rows it has changed."""
        with self._reporting():
            return self.connection.execute(_text(sql), parameters or None).rowcount

    def run_many(self, sql: Sql | str, rows: Iterable[Sequence[Any]]) -> None:
        """Carry out a statement once for each row of parameters, without waiting for each."""
        with self._reporting(), self.connection.cursor() as cursor:
            cursor.executemany(_text(sql), rows)

    def prepare(self, name: bytes, sql: str) -> None:
        with self._reporting():
            _check(self.connection.pgconn.prepare(name, sql.encode()))

    def run_prepared(self, name: bytes, parameters: Sequence[bytes]) -> None:
        """Carry out a prepared statement; the parameters are in PostgreSQL's binary format."""
        with self._reporting():
            _check(self.connection.pgconn.exec_prepared(name, parameters, [1] * len(parameters), 1))

    def listen(self, channel: str) -> None:
        """Collect the notifications of a channel."""
        self.connection.add_notify_handler(lambda notice: self.notices.add(notice.payload))
        self.run(f"LISTEN {channel}")

    def wait(self, bell: socket, seconds: float) -> None:
        """
        Wait for a notification, or for bytes on a socket, which are read.

        :param bell: one that does not block
        """
        ready = select.poll()
        try:
            for one in (bell, self.connection):
                ready.register(one, select.POLLIN)
            ready.poll(seconds * 1000)
            with suppress(BlockingIOError):
                bell.recv(4096)
            self.connection.pgconn.consume_input()
        except psycopg.Error as error:
            raise LineLost(" ".join(str(error).split())) from error
        while (notice := self.connection.pgconn.notifies()) is not None:
            self.notices.add(notice.extra.decode())

    def cancel(self) -> None:
        """Make the server stop the current work for this session. For any thread."""
        with suppress(psycopg.Error):
            self.connection.cancel()

    def close(self) -> None:
        self.connection.close()

    def lock(self, number: int, patience: float, clock: Clock, sleep: Sleep, shared: bool = False) -> bool:
        """
        Take an advisory lock.

        :param patience: seconds for which it is tried: a lost session has its lock until the database detects the loss
        :param shared: others may have the lock, too, if they share it
        """
        until = clock() + patience
        take = f"SELECT pg_try_advisory_lock{'_shared' if shared else ''}(%s::int, %s::int)"
        while not self.rows(take, (self.lock_class, number))[0][0]:
            if clock() >= until:
                return False
            sleep(0.02)
        return True

    def owner_of_lock(self, number: int) -> str:
        """The holder of a lock, in words, as far as the database reports it; else an empty string."""
        found = self.rows(
            "SELECT coalesce(host(client_addr), 'this machine or a socket'), to_char(backend_start, 'YYYY-MM-DD HH24:MI') "
            "FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND granted "
            "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
            "AND classid = %s::bigint::oid AND objid = %s::bigint::oid",
            (self.lock_class, number),
        )
        return f" (connected from {found[0][0]} since {found[0][1]})" if found and found[0][1] else ""

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            lost = (error.sqlstate or "").startswith(_LOST) or self.connection.pgconn.status != ConnStatus.OK
            raise (LineLost if lost else StoreFailed)(" ".join(str(error).split())) from error


def _check(result: PGresult) -> None:
    if result.status not in (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK):
        raise error_from_result(result)


@lru_cache(256)
def _text(sql: Sql | str) -> bytes:
    return (sql if isinstance(sql, str) else sql.postgresql).replace("?", "%s").encode()


def connect(store: str, read_only: bool = False) -> Session:
    """
    Open a session. Nothing is checked.

    :param store: a name such as `postgresql://gamehost@db.example.org/gamehost`
    :raises StoreUnusable: the name cannot be read, or a setting of the session cannot be made
    :raises LineLost: there is no connection to be had now
    """
    try:
        given = conninfo_to_dict(store)
        info = make_conninfo(store, **{name: value for name, value in _CLIENT.items() if name not in given})
    except psycopg.Error as error:
        why = str(error).strip().replace(store, shown(store))
        raise StoreUnusable(f"{shown(store)}: not the name of a database: {why}") from error
    try:
        try:
            connection = psycopg.connect(info, autocommit=True)
        except psycopg.errors.ConnectionTimeout:
            # A process that was paused for so long itself finds an answer at once.
            connection = psycopg.connect(info, autocommit=True)
    except psycopg.Error as error:
        raise LineLost(" ".join(str(error).split())) from error
    # The group's statement is prepared by name, and nothing else is worth it.
    connection.prepare_threshold = None
    # An array of bytes as text has escapes, and how the server reads them depends on a setting.
    connection.adapters.register_dumper(list, ListBinaryDumper)
    with or_closed(Session(connection)) as session:
        pin_meaning(session)
        session.lock_class = lock_class_of(session.rows("SELECT current_schema()::text")[0][0])
        session.rows(_SET, (list(_SESSION), list(_SESSION.values())))
        if read_only:
            session.run("SET default_transaction_read_only = on")
    return session


def lock_class_of(schema: str | None) -> int:
    """The first number of the advisory locks of a store in this schema: a positive one. `None`: the session has no schema."""
    if schema in ("public", None):
        return LOCK_CLASS
    # Odd numbers of the upper half: never that of `public`, nor the one behind it.
    return crc32(schema.encode()) >> 1 | 1 << 30 | 1 << 29 | 1


def pin_meaning(session: Session) -> None:
    """
    Set the settings of a session on which the meaning of statements depends, and read them back.

    :raises StoreUnusable: one of them cannot be set
    """
    wanted = (list(_MEANING), list(_MEANING.values()))
    why: dict[str, str] = {}
    for name, _, needed in session.rows(_DIFFERENT, wanted):
        try:
            session.rows("SELECT set_config(%s, %s, false)", (name, needed))
        except StoreFailed as error:
            why[name] = f" ({error})"
    for name, value, needed in session.rows(_DIFFERENT, wanted):
        raise StoreUnusable(
            f"the setting {name} of this session is {value!r}, and cannot be changed{why.get(name, '')}; "
            f"expected {needed!r}: ALTER ROLE ... RESET {name}, or ALTER DATABASE ... RESET {name}"
        )


@contextmanager
def or_closed(session: Session) -> Iterator[Session]:
    """Closes a session if anything is raised."""
    try:
        yield session
    except BaseException:
        session.close()
        raise


@contextmanager
def transaction(session: Session) -> Iterator[None]:
    """A transaction that is undone if anything is raised in it."""
    session.run("BEGIN")
    try:
        yield
    except BaseException:
        with suppress(LineLost, StoreFailed):
            session.run("ROLLBACK")
        raise
    session.run("COMMIT")


def connect_for_writing(store: str) -> Session:
    """As `connect`, with the checks of `check_for_writing`."""
    with or_closed(connect(store)) as session:
        check_for_writing(session, partial(connect, store))
    return session


def connect_to_listen(store: str) -> Session:
    """As `connect_for_writing`, for the registry of a member, which the others wake."""
    with or_closed(connect_for_writing(store)) as session:
        session.listen("gamehost")
    return session


def check_for_writing(session: Session, another: Callable[[], Session]) -> None:
    """
    Check that what is written through a session will be durable, and that its locks are its own.

    :param another: opens a second session in the same way
    :raises StoreUnusable: it is not so
    """
    [(standby, read_only, encoding)] = session.rows(
        "SELECT pg_is_in_recovery(), current_setting('transaction_read_only'), current_setting('server_encoding')"
    )
    if standby or read_only == "on":
        what = "this server is a standby" if standby else "this database can only be read"
        raise StoreUnusable(f"{what}; name the server that can be written to")
    if encoding != "UTF8":
        raise StoreUnusable(f"the database is encoded in {encoding}; expected UTF8: createdb -E UTF8 -T template0 ...")
    for name, wanted, consequence in _DURABLE:
        value = session.rows(f"SHOW {name}")[0][0]
        if value not in wanted and name == "synchronous_commit":
            session.run("SET synchronous_commit = on")
        elif value not in wanted:
            raise StoreUnusable(f"the server's setting {name} is {value}, so {consequence}; expected {wanted[0]}")
    _check_that_it_is_one_session(session, another)


def _check_that_it_is_one_session(session: Session, another: Callable[[], Session]) -> None:
    """
    A pooler in transaction mode gives each transaction any session, so its locks would have no owner.

    The second connection has an open transaction meanwhile, so that a pooler cannot give the first one the same
    session.
    """
    pid = "SELECT pg_backend_pid()"
    before, other = session.rows(pid), another()
    try:
        other.run("BEGIN")
        taken = other.rows(pid)
        after = session.rows(pid)
    finally:
        other.close()
    if before != after or taken == before:
        raise StoreUnusable(
            "the store is behind a pooler in transaction mode, which breaks its locks; name the server itself, "
            "or a pooler in session mode"
        )


def schema() -> str:
    """The statements that make the tables of a database."""
    return schema_of("gamehost.extras.cluster.postgresql")


def has_tables(session: Session) -> bool:
    """
    Whether a database has the tables of a store; an empty one has none.

    :raises StoreUnusable: another program's database, or another release made the store
    """
    names = {row[0] for row in session.rows("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")}
    if not names:
        return False
    if SCHEMA_TABLE not in names:
        raise StoreUnusable("this is a database, but not a journal of gamehost; make an empty one with createdb")
    # As JSON, so that a table without the column is no error: it would end the transaction.
    check_schema(session.rows(f"SELECT version, to_jsonb(one)->>'fingerprint' FROM {SCHEMA_TABLE} AS one"), schema())
    return True


def make_tables(session: Session) -> None:
    """Make the tables of a store, if there are none. Two hosts that start at once do it once."""
    if has_tables(session):
        return
    text = schema()
    with transaction(session):
        # The number -1 is that of the schema. The lock ends with the transaction.
        session.rows("SELECT pg_advisory_xact_lock(%s::int, -1)", (session.lock_class,))
        if not has_tables(session):
            session.run(text)
            session.run(f"INSERT INTO {SCHEMA_TABLE} VALUES (%s, %s)", (SCHEMA_NUMBER, fingerprint_of(text)))


@contextmanager
def refusing(store: str) -> Iterator[None]:
    """
    Turns errors of the database into messages for the owner of the host.

    :raises StoreUnusable: for every error of the database
    """
    try:
        yield
    except StoreUnusable as error:
        text = str(error)
        raise StoreUnusable(text if text.startswith(shown(store)) else f"{shown(store)}: {text}") from error
    except LineLost as error:
        raise StoreUnusable(f"{shown(store)}: there is no connection to the database ({error})") from error
    except StoreFailed as error:
        raise StoreUnusable(f"{shown(store)}: the database refuses this ({error})") from error
