"""
A PostgreSQL server for tests: made once a process, in a folder of its own, and gone when the process is gone.

The server of the system is never used. Without PostgreSQL or psycopg, its tests are skipped. With
`GAMEHOST_POSTGRESQL=required` they fail.
"""

import atexit
import itertools
import os
import pwd
import random
import shlex
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, cast

from attrs import define, field
from twisted.trial.unittest import SkipTest

from gamehost.accounts.names import key_of
from gamehost.extras.cluster.postgresql.members import ClusterAddress, look
from gamehost.extras.cluster.postgresql.registry import PostgresRegistry
from gamehost.extras.cluster.postgresql.session import LOCK_CLASS, Session, connect
from gamehost.extras.cluster.postgresql.store import PostgresStore
from gamehost.journal.records import SeatRecord, StoreUnusable, TableHeader, TableId
from gamehost.storage.contents import StoreFailed
from gamehost.storage.durable import DurableJournal
from gamehost.storage.names import Registry
from tests.kit.journal_contract import MOVE, nothing
from tests.kit.journals import JournalCase
from tests.kit.times import TICKS, used_by_others

#: Where a server is as fast as it gets although each commit goes to the disk: the start check insists on that.
_MEMORY = Path("/dev/shm")

_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "shared_buffers": "16MB",
    "max_connections": "30",
    "autovacuum": "off",
    "logging_collector": "off",
    "max_wal_size": "128MB",
    "wal_level": "replica",
    "max_wal_senders": "4",
    # So that what is shared by its processes goes away with the folder, however the server ends.
    "dynamic_shared_memory_type": "mmap",
}


@define(eq=False)
class PostgresServer:
    """A server that runs, by these programs, in a folder whose path is short, as the name of a socket must be."""

    programs: Path
    folder: Path
    port: int
    #: Where clients find it; besides, it listens at 127.0.0.1.
    address: str = "127.0.0.1"
    _supervisor: "subprocess.Popen[bytes] | None" = None
    _numbers: "itertools.count[int]" = field(factory=itertools.count)
    #: By the name of the database.
    _connections: dict[str, Any] = field(factory=dict)

    @property
    def _user(self) -> str | None:
        return "nobody" if os.geteuid() == 0 else None

    def initialize(self) -> None:
        self._own_folder()
        initdb = [self.programs / "initdb", "-D", "data", "-U", "gamehost", "-A", "trust", "-E", "UTF8", "--locale=C"]
        self._run([*initdb, "--no-sync"])
        with (self.folder / "data" / "pg_hba.conf").open("a") as rules:
            rules.write("host all all samenet trust\nhost replication all samenet trust\n")

    def _own_folder(self) -> None:
        if self._user is not None:
            owner = pwd.getpwnam(self._user)
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)

    def start(self) -> None:
        addresses = ",".join({_SETTINGS["listen_addresses"], self.address})
        settings = {
            **_SETTINGS,
            "listen_addresses": addresses,
            "port": str(self.port),
            "unix_socket_directories": str(self.folder),
        }
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        command = shlex.join([str(self.programs / "postgres"), "-D", "data", *options])
        # The shell ends the server when its standard input is closed: by `stop`, or because this process is gone, however.
        # A server that has just begun may ignore the first signal.
        end = "kill -QUIT $server; (sleep 3; kill -KILL $server) 2>/dev/null & late=$!; wait $server; kill $late"
        script = f"{command} >>log 2>&1 & server=$!; read -r nothing; {end}"
        self._supervisor = subprocess.Popen(
            ["sh", "-c", script],
            cwd=self.folder,
            user=self._user,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is for the program that uses the server. It ends the server last.
            process_group=0,
        )
        self._run([self.programs / "pg_isready", "-h", self.folder, "-p", str(self.port), "-q"], tries=600)

    def processor_time(self) -> float:
        """Seconds of a core that its processes have used."""
        assert self._supervisor is not None
        return used_by_others(self._supervisor.pid) / TICKS

    def standby(self) -> "PostgresServer":
        other = PostgresServer(
            self.programs, Path(tempfile.mkdtemp(prefix="ghpg-", dir=self.folder.parent)), free_port()
        )
        other._own_folder()
        other._run(
            [
                *(self.programs / "pg_basebackup", "-D", "data", "-R", "-X", "stream", "--no-sync", "-c", "fast"),
                *("-d", self.url("postgres")),
            ]
        )
        other.start()
        return other

    def stop(self) -> None:
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()
        if self._supervisor is not None:
            self._supervisor.communicate()
            self._supervisor = None

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str, user: str = "gamehost") -> str:
        return f"postgresql://{user}@{self.address}:{self.port}/{database}"

    def new_database(self, options: str = "") -> str:
        name = f"test_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} {options}")
        return name

    def new_store(self) -> str:
        """Make a database with the tables of a store, as a copy of one; its name."""
        from gamehost.extras.cluster.postgresql.session import connect, make_tables

        if not self.execute("SELECT 1 FROM pg_database WHERE datname = 'store'"):
            self.execute("CREATE DATABASE store")
            session = connect(self.url("store"))
            make_tables(session)
            session.close()
        return self.new_database("TEMPLATE store")

    def drop(self, database: str) -> None:
        if (connection := self._connections.pop(database, None)) is not None:
            connection.close()
        self.execute(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        import psycopg

        connection = self._connections.get(database)
        if connection is None:
            connection = self._connections[database] = psycopg.connect(self.url(database), autocommit=True)
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description is not None else []

    def _run(self, command: list[object], tries: int = 1) -> None:
        words = [str(word) for word in command]
        for _ in range(tries):
            done = subprocess.run(words, cwd=self.folder, user=self._user, capture_output=True, text=True, timeout=120)
            if not done.returncode:
                return
        log = self.folder / "log"
        raise AssertionError(f"{words}: {done.stderr} {log.read_text() if log.exists() else ''}")


def programs() -> Path | None:
    """The folder with PostgreSQL's programs, the newest first. Distributions keep it off the PATH."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    versions = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    folders += sorted((path.parent for path in versions), key=lambda path: -int(path.parent.name))
    return next((folder for folder in folders if (folder / "postgres").exists()), None)


#: No system takes these for connections that go out. One that is free stays free, also while its server is away.
_PORTS = range(12_000, 28_000)


def free_port() -> int:
    while True:
        with socket.socket() as one, suppress(OSError):
            one.bind(("127.0.0.1", port := random.choice(_PORTS)))
            return port


def missing() -> str | None:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg is not installed: pip install 'psycopg[binary]'"
    return "PostgreSQL's programs are not installed: apt install postgresql" if programs() is None else None


@cache
def _the_server() -> PostgresServer:
    server = new_server()
    atexit.register(server.remove)
    return server


def new_server(address: str = "127.0.0.1") -> PostgresServer:
    """A server of one's own, for tests that stop it, at this address."""
    folder = programs()
    assert folder is not None
    where = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    server = PostgresServer(folder, Path(tempfile.mkdtemp(prefix="ghpg-", dir=where)), free_port(), address)
    try:
        server.initialize()
        server.start()
    except BaseException:
        server.remove()
        raise
    return server


def require_postgresql() -> None:
    """:raises SkipTest: there is no PostgreSQL here"""
    why = missing()
    if why is not None and os.environ.get("GAMEHOST_POSTGRESQL") == "required":
        raise AssertionError(f"GAMEHOST_POSTGRESQL=required, and {why}")
    if why is not None:
        raise SkipTest(why)


def the_server() -> PostgresServer:
    """The server of this process. Without PostgreSQL the test is skipped."""
    require_postgresql()
    return _the_server()


# Test cases with a database of their own, and journals in it that are closed at the end.


class PostgresCase(JournalCase):
    def setUp(self) -> None:
        self.server: PostgresServer = the_server()
        self.database = self.new_database()
        self.addCleanup(self.server.drop, self.database)
        self.url = self.server.url(self.database)
        super().setUp()
        self.warned: list[str] = []

    def new_database(self) -> str:
        """A database with the tables of a store, and nothing in them."""
        return self.server.new_store()

    def start(self, url: str | None = None, **more: Any) -> DurableJournal:
        from gamehost.extras.cluster.postgresql.store import open_postgresql

        more = {"warn": self.warned.append, **more}
        journal = open_postgresql(url or self.url, self.pump.from_thread, self.pump.broken.append, **more)
        self.alive.append(journal)
        return journal

    def until_idle(self, journal: DurableJournal) -> None:
        self.pump.until_idle(journal)

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        return self.server.execute(statement, self.database)

    def empty(self) -> None:
        self.sql(
            "DELETE FROM event; DELETE FROM listed; DELETE FROM live; DELETE FROM member; UPDATE uptime SET seconds = 0"
        )

    def cut(self) -> None:
        """Have the database end all sessions of hosts, as when a network breaks."""
        self.sql(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            f"WHERE application_name = 'gamehost' AND datname = '{self.database}'"
        )

    def refusal(self, url: str | None = None, **more: Any) -> str:
        return str(self.assertRaises(StoreUnusable, self.start, url, **more))


class ClusterCase(PostgresCase):
    """A test case with the members of a cluster, each with a journal, and a session beside them."""

    def setUp(self) -> None:
        super().setUp()
        self.session = self.new_session()

    def new_session(self) -> Session:
        session = connect(self.url)
        self.addCleanup(session.close)
        return session

    def member(self, number: int, **more: Any) -> DurableJournal:
        """A member, whose number is expected to be this one."""
        journal = self.start(cluster=ClusterAddress(f"tcp:10.0.0.{number}:8990", f"token {number}"), **more)
        self.assertEqual(self.sql("SELECT max(epoch) FROM member"), [(number,)])
        return journal

    def kill(self, journal: DurableJournal) -> None:
        """End a member as the system does that kills its process."""
        store = self.store(journal)
        store.session.close()
        self.stop(journal)  # its thread ends, and notes nothing
        self.wait_for_lock(store.epoch)

    def cut_off(self, epoch: int) -> None:
        """Have the database end the session of a run, as that of a host that is silent."""
        self.sql(f"SELECT pg_terminate_backend(pid) FROM pg_locks WHERE (classid, objid) = ({LOCK_CLASS}, {epoch})")
        self.wait_for_lock(epoch)

    def wait_for_lock(self, epoch: int) -> None:
        """Wait until the server has freed the lock of a run."""
        while any(seen.epoch == epoch and seen.locked for seen in look(self.session)):
            pass

    def store(self, journal: DurableJournal) -> PostgresStore:
        return cast(PostgresStore, journal._store)

    def seated(self, journal: DurableJournal, *names: str, moves: int = 1) -> TableId:
        """A table with these players, as they log in and sit down at a member."""
        table = journal.new_table()
        journal.open(table, TableHeader("onitama", 1, tuple(SeatRecord(name, "onitama") for name in names)), nothing)
        for _ in range(moves):
            journal.append(table, MOVE, nothing)
        self.pump.until_idle(journal)
        for name in names:
            self.sql(
                f"INSERT INTO session VALUES ('{key_of(name)}', {self.store(journal).epoch}) ON CONFLICT DO NOTHING"
            )
        return table

    def sessions(self) -> list[tuple[Any, ...]]:
        return self.sql("SELECT key, home FROM session ORDER BY key")

    def owners(self) -> list[tuple[Any, ...]]:
        return self.sql("SELECT game, owner FROM live ORDER BY game")


@define(eq=False)
class LivingMember:
    """A member without a host: the session that holds its lock, and its registry."""

    store: PostgresStore
    registry: PostgresRegistry | None = None

    def open_table(self, number: int, *names: str) -> TableId:
        table = TableId(number)
        header = TableHeader("onitama", 1, tuple(SeatRecord(name, "onitama") for name in names))
        self.store.commit([(table, header)])
        return table

    def kill(self) -> None:
        self.store.session.close()
        registry = self.registry
        if registry is None or registry._ended.called:
            return
        registry._broken = lambda why: None
        registry._connect = _no_session
        registry._clock = lambda: float("inf")
        if registry._thread is None:
            registry._close()
            return
        registry._put(None)
        registry.join()


def _no_session(store: str) -> Any:
    raise StoreFailed("killed")


class RegistryCase(PostgresCase):
    def setUp(self) -> None:
        super().setUp()
        self.living: dict[int, LivingMember] = {}
        self.broken: list[str] = []
        self.addCleanup(self.kill_all)

    def begin_run(self) -> LivingMember:
        number = len(self.living) + 1
        store = PostgresStore(self.url, self.warned.append, ClusterAddress(f"unix:/member/{number}", f"token {number}"))
        store.begin(0.0)
        self.living[store.epoch] = LivingMember(store)
        return self.living[store.epoch]

    def join(self) -> PostgresRegistry:
        member = self.begin_run()
        member.registry = PostgresRegistry(
            member.store.epoch, self.url, self.pump.from_thread, self.broken.append, self.warned.append
        )
        return member.registry

    def kill(self, registry: Registry) -> None:
        self.living.pop(registry.epoch).kill()

    def kill_all(self) -> None:
        for member in self.living.values():
            member.kill()

    def until(self, condition: Callable[[], bool]) -> None:
        self.pump.until(lambda: bool(condition() or self.broken))
        self.assertEqual(self.broken, [])
