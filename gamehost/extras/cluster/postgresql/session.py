"""
A session with the database: opens and checks it, runs statements, and takes locks.

An advisory lock belongs to a session. When the session ends, the database frees the lock. It does so only after the last
transaction of the session is committed or undone.

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

#: An advisory lock has two numbers. This is the first number of all locks of a host in the schema `public`: `game` in ASCII.
#: The second number is 0 for the whole store, or the number of a run. All schemas of a database share its locks, so each other
#: schema has another first number.
LOCK_CLASS = 0x67616D65

#: The second number of the lock of the whole store.
STORE_LOCK = 0

#: The options of libpq that apply unless the store's name sets them. By these, a lost machine is detected after about three
#: seconds.
_CLIENT = {
    "application_name": "gamehost",
    "connect_timeout": "5",
    "keepalives": "1",
    "keepalives_idle": "1",
    "keepalives_interval": "1",
    "keepalives_count": "2",
    "tcp_user_timeout": "3000",
}

#: Settings of the session: the same detection on the server's side, and no time limits for statements. Older servers do not
#: have all of them.
_SESSION = {
    # Compiling a query takes the server longer than reading a thousand tables.
    "jit": "off",
    # Streams are always read to the end. Without statistics, a plan for only the first rows takes a hundred times as long.
    "cursor_tuple_fraction": "1",
    # Without statistics, the server expects few rows in each list of matches. It would read and sort a whole list to find 50.
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

#: Sets those settings that the server knows.
_SET = """
    SELECT set_config(name, wanted, false) FROM unnest(%s::text[], %s::text[]) AS one(name, wanted)
    JOIN pg_settings USING (name)"""

#: Settings of the server that durability needs: the name, the accepted values, and the consequence of any other value.
_DURABLE = (
    ("fsync", ("on",), "a power cut can destroy the database"),
    ("full_page_writes", ("on",), "a power cut can destroy the database"),
    ("synchronous_commit", ("on", "remote_apply"), "a move could be lost after it was told"),
)

#: The beginnings of the codes of errors that end a session: lost connections, a server that stops or starts, and the time limit
#: of an idle transaction.
_LOST = ("08", "57P", "25P03")

Clock = Callable[[], float]
Sleep = Callable[[float], None]


class LineLost(Exception):
    """The connection to the database is lost. It is not known whether the last transaction was committed."""


@define(eq=False)
class Session:
    """
    An open connection in autocommit mode.

    Every method raises `LineLost` if the connection is lost, and `StoreFailed` for any other error.
    """

    connection: psycopg.Connection[Any]
    #: The first number of the advisory locks of this session.
    lock_class: int = LOCK_CLASS
    #: How many queries were streamed. It makes the names of their cursors unique.
    _streams: int = 0
    #: The texts of the notifications that have come since the set was last cleared.
    notices: set[str] = field(factory=set)

    def rows(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Runs a query, and returns its rows as tuples."""
        with self._reporting():
            cursor = self.connection.execute(_text(sql), parameters or None, binary=True)
            # A statement without a result, such as `SET`, has no description.
            return cursor.fetchall() if cursor.description is not None else []

    def stream(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> Iterator[Any]:
        """Runs a query within a transaction, and yields its rows. Some thousand rows are fetched at a time."""
        self._streams += 1
        with self._reporting(), self.connection.cursor(name=f"rows{self._streams}") as cursor:
            cursor.itersize = 2000
            cursor.execute(_text(sql), parameters or None, binary=True)
            yield from cursor

    def copy(self, sql: str, types: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """
        Inserts many rows by a `COPY` statement.

        :param types: PostgreSQL's names of the columns' types
        """
        with self._reporting(), self.connection.cursor() as cursor, cursor.copy(sql.encode()) as copy:
            copy.set_types(types)
            for row in rows:
                copy.write_row(row)

    def run(self, sql: Sql | str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> int:
        """Runs a statement, and returns how many rows it has changed."""
        with self._reporting():
            return self.connection.execute(_text(sql), parameters or None).rowcount

    def run_many(self, sql: Sql | str, rows: Iterable[Sequence[Any]]) -> None:
        """Runs a statement once for each row of parameters, without waiting for each answer."""
        with self._reporting(), self.connection.cursor() as cursor:
            cursor.executemany(_text(sql), rows)

    def prepare(self, name: bytes, sql: str) -> None:
        """Prepares a statement under a name, for `run_prepared`."""
        with self._reporting():
            _check(self.connection.pgconn.prepare(name, sql.encode()))

    def run_prepared(self, name: bytes, parameters: Sequence[bytes]) -> None:
        """
        Runs a prepared statement.

        :param parameters: the values in PostgreSQL's binary format
        """
        with self._reporting():
            _check(self.connection.pgconn.exec_prepared(name, parameters, [1] * len(parameters), 1))

    def listen(self, channel: str) -> None:
        """Begins to collect the notifications of a channel in `notices`."""
        self.connection.add_notify_handler(lambda notice: self.notices.add(notice.payload))
        self.run(f"LISTEN {channel}")

    def wait(self, bell: socket, seconds: float) -> None:
        """
        Waits for a notification, or for bytes on a socket. The bytes are read and dropped.

        :param bell: a socket that does not block
        :param seconds: the longest wait
        """
        ready = select.poll()
        try:
            for one in (bell, self.connection):
                ready.register(one, select.POLLIN)
            ready.poll(seconds * 1000)
            with suppress(BlockingIOError):
                bell.recv(4096)
            # Reads what the server has sent, so that `notifies` finds the notifications.
            self.connection.pgconn.consume_input()
        except psycopg.Error as error:
            raise LineLost(" ".join(str(error).split())) from error
        while (notice := self.connection.pgconn.notifies()) is not None:
            self.notices.add(notice.extra.decode())

    def cancel(self) -> None:
        """Makes the server cancel the statement that it runs for this session. Any thread may call this."""
        with suppress(psycopg.Error):
            self.connection.cancel()

    def close(self) -> None:
        """Closes the connection. Its locks become free."""
        self.connection.close()

    def lock(self, number: int, patience: float, clock: Clock, sleep: Sleep, shared: bool = False) -> bool:
        """
        Takes an advisory lock.

        :param number: the second number of the lock
        :param patience: how many seconds to try. The database may need some seconds to detect that another session is lost.
        :param shared: whether other sessions may have the lock at the same time, if they share it, too
        :returns: whether this session has the lock
        """
        until = clock() + patience
        take = f"SELECT pg_try_advisory_lock{'_shared' if shared else ''}(%s::int, %s::int)"
        while not self.rows(take, (self.lock_class, number))[0][0]:
            if clock() >= until:
                return False
            sleep(0.02)
        return True

    def owner_of_lock(self, number: int) -> str:
        """Describes the session that has a lock, in words; empty: the database does not report it."""
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
        """
        Converts errors of psycopg in a `with` block. `LineLost`: the connection is lost, and the work may be repeated
        in a new session. `StoreFailed`: any other error.
        """
        try:
            yield
        except psycopg.Error as error:
            lost = (error.sqlstate or "").startswith(_LOST) or self.connection.pgconn.status != ConnStatus.OK
            raise (LineLost if lost else StoreFailed)(" ".join(str(error).split())) from error


def _check(result: PGresult) -> None:
    """Raises the error of a result, if it is an error."""
    if result.status not in (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK):
        raise error_from_result(result)


@lru_cache(256)
def _text(sql: Sql | str) -> bytes:
    """Returns a statement for PostgreSQL, with psycopg's placeholders `%s` instead of `?`."""
    return (sql if isinstance(sql, str) else sql.postgresql).replace("?", "%s").encode()


def connect(store: str, read_only: bool = False) -> Session:
    """
    Opens a session, and sets its settings. Whether the store may be used is not checked.

    :param store: the name of a store, such as `postgresql://gamehost@db.example.org/gamehost`
    :param read_only: whether the session refuses to write
    :raises StoreUnusable: the name cannot be read, or a setting of the session cannot be set
    :raises LineLost: the database cannot be reached now
    """
    # Connect, with our options where the name has none.
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
            # This process may have been paused itself. Then the second try is answered at once.
            connection = psycopg.connect(info, autocommit=True)
    except psycopg.Error as error:
        raise LineLost(" ".join(str(error).split())) from error
    # psycopg prepares no statements. Those for groups are prepared by name, and for others it does not pay.
    connection.prepare_threshold = None
    # An array of bytes as text has escapes, and how the server reads them depends on a setting.
    connection.adapters.register_dumper(list, ListBinaryDumper)
    # Set the settings of the session.
    with or_closed(Session(connection)) as session:
        pin_meaning(session)
        session.lock_class = lock_class_of(session.rows("SELECT current_schema()::text")[0][0])
        session.rows(_SET, (list(_SESSION), list(_SESSION.values())))
        if read_only:
            session.run("SET default_transaction_read_only = on")
    return session


def lock_class_of(schema: str | None) -> int:
    """
    Returns the first number of the advisory locks of a store, which is positive.

    :param schema: the schema of the store's tables; `None`: the session has no schema
    """
    if schema in ("public", None):
        return LOCK_CLASS
    # Set bits make the number odd and large, so it is never that of `public`, nor the next one, which is for names.
    return crc32(schema.encode()) >> 1 | 1 << 30 | 1 << 29 | 1


def pin_meaning(session: Session) -> None:
    """
    Sets the settings of a session on which the meaning of statements depends, and reads them back.

    :raises StoreUnusable: a setting cannot be set
    """
    wanted = (list(_MEANING), list(_MEANING.values()))
    why: dict[str, str] = {}
    for name, _, needed in session.rows(_DIFFERENT, wanted):
        try:
            session.rows("SELECT set_config(%s, %s, false)", (name, needed))
        except StoreFailed as error:
            why[name] = f" ({error})"
    # Read them again. What still differs cannot be changed.
    for name, value, needed in session.rows(_DIFFERENT, wanted):
        raise StoreUnusable(
            f"the setting {name} of this session is {value!r}, and cannot be changed{why.get(name, '')}; "
            f"expected {needed!r}: ALTER ROLE ... RESET {name}, or ALTER DATABASE ... RESET {name}"
        )


@contextmanager
def or_closed(session: Session) -> Iterator[Session]:
    """Closes a session if the `with` block raises anything."""
    try:
        yield session
    except BaseException:
        session.close()
        raise


@contextmanager
def transaction(session: Session) -> Iterator[None]:
    """Runs the `with` block as a transaction. The transaction is undone if the block raises anything."""
    session.run("BEGIN")
    try:
        yield
    except BaseException:
        with suppress(LineLost, StoreFailed):
            session.run("ROLLBACK")
        raise
    session.run("COMMIT")


def connect_for_writing(store: str) -> Session:
    """Opens a session with which a host may write: does what `connect` does, with the checks of `check_for_writing`."""
    with or_closed(connect(store)) as session:
        check_for_writing(session, partial(connect, store))
    return session


def connect_to_listen(store: str) -> Session:
    """Opens a session for the registry of a member. It also receives the notifications of the other members."""
    with or_closed(connect_for_writing(store)) as session:
        session.listen("gamehost")
    return session


def check_for_writing(session: Session, another: Callable[[], Session]) -> None:
    """
    Checks that rows that are written through a session will be durable, and that the session's locks belong to it alone.

    :param another: opens a second session in the same way
    :raises StoreUnusable: a check has failed
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
        # A session may set this one itself.
        if value not in wanted and name == "synchronous_commit":
            session.run("SET synchronous_commit = on")
        elif value not in wanted:
            raise StoreUnusable(f"the server's setting {name} is {value}, so {consequence}; expected {wanted[0]}")
    _check_that_it_is_one_session(session, another)


def _check_that_it_is_one_session(session: Session, another: Callable[[], Session]) -> None:
    """
    Checks that there is no connection pooler in transaction mode between host and server. Such a pooler carries out each
    transaction in any session of the server, so locks would not belong to one host.

    The check compares the server's processes of two connections. The second connection has an open transaction meanwhile, so
    that a pooler cannot give the first connection the same session.

    :raises StoreUnusable: there is such a pooler
    """
    pid = "SELECT pg_backend_pid()"
    before, other = session.rows(pid), another()
    try:
        other.run("BEGIN")
        taken = other.rows(pid)
        after = session.rows(pid)
    finally:
        other.close()
    # The first connection has changed its process, or both have the same process.
    if before != after or taken == before:
        raise StoreUnusable(
            "the store is behind a pooler in transaction mode, which breaks its locks; name the server itself, "
            "or a pooler in session mode"
        )


def schema() -> str:
    """Returns the SQL statements that make the tables of a store."""
    return schema_of("gamehost.extras.cluster.postgresql")


def has_tables(session: Session) -> bool:
    """
    Returns whether a database has the tables of a store. An empty database has no tables.

    :raises StoreUnusable: the tables belong to another program, or another release has made the store
    """
    names = {row[0] for row in session.rows("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")}
    if not names:
        return False
    if SCHEMA_TABLE not in names:
        raise StoreUnusable("this is a database, but not a journal of gamehost; make an empty one with createdb")
    # The fingerprint is read as JSON. Without the column, an ordinary query would be an error and end the transaction.
    check_schema(session.rows(f"SELECT version, to_jsonb(one)->>'fingerprint' FROM {SCHEMA_TABLE} AS one"), schema())
    return True


def make_tables(session: Session) -> None:
    """Makes the tables of a store, if there are none. If two hosts start at once, only one of them makes the tables."""
    if has_tables(session):
        return
    text = schema()
    with transaction(session):
        # The lock with the second number -1 is for making tables. It becomes free at the end of the transaction.
        session.rows("SELECT pg_advisory_xact_lock(%s::int, -1)", (session.lock_class,))
        if not has_tables(session):
            session.run(text)
            session.run(f"INSERT INTO {SCHEMA_TABLE} VALUES (%s, %s)", (SCHEMA_NUMBER, fingerprint_of(text)))


@contextmanager
def refusing(store: str) -> Iterator[None]:
    """
    Converts errors of the database in a `with` block into messages for the owner of the host.

    :param store: the name of the store, which the messages contain without passwords
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
