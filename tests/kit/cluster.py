"""Hosts that are processes and members of one cluster, on one database."""

import re
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import TimeoutExpired
from types import TracebackType
from typing import Any

from attrs import define, field

from gamehost.journal.records import TableId
from gamehost.storage.row_codec import finishes, read_entry
from tests.kit import fork_server
from tests.kit.cluster_journal import rows_of
from tests.kit.postgresql import PostgresServer
from tests.kit.process import HostProcess

#: Short matches, so that there are beginnings and ends, too; and seats that nobody loses by being slow.
OPTIONS = (
    *("--grace=60", "--set=onitama.max_plies=60", "--set=stratego.max_plies=60"),
    *("--set=limits.password_work=10", "--set=limits.login_seconds=60"),
)
#: What a host says at the end of its own orderly stop.
STOPPED = "gamehost has stopped"


class Member(HostProcess):
    """
    A member of a cluster. Its log is read all the time, so that it never waits for that.

    :param number: its place in the cluster, which the next life takes again
    """

    def __init__(self, number: int, *options: str, **more: Any) -> None:
        address = more.get("address", "127.0.0.1")
        super().__init__(f"--cluster=tcp:{address}:0", *options, **more)
        self.number = number
        #: The number of this life in the database.
        self.epoch = 0

    def __enter__(self) -> "Member":
        super().__enter__()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.log += line.decode("utf-8", "replace")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        if hasattr(self, "_reader"):
            self._reader.join(10)
        super().__exit__(kind, error, traceback)

    def until(self, words: str) -> str:
        for _ in range(200):
            if (found := re.search(words, self.log)) is not None:
                return found[0]
            time.sleep(0.05)
        raise AssertionError(f"the log has no {words!r}:\n{self.log}")


@define(eq=False)
class Cluster:
    """
    A context manager that starts all members, and leaves none behind.

    :param module: what each member runs; tests of the tests run members with a fault
    :param environments: added to the environment of each member, by its place
    """

    server: PostgresServer
    folder: Path
    wires: Sequence[str]
    size: int = 3
    options: Sequence[str] = OPTIONS
    module: str = "gamehost"
    environment: Mapping[str, str] = field(factory=dict)
    #: Of each place, where its ports are; by default 127.0.0.1.
    addresses: Mapping[int, str] = field(factory=dict)
    #: From the name of the database to the store as the members know it.
    store: Callable[[str], str] | None = None
    database: str = field(init=False)
    members: dict[int, Member] = field(factory=dict)
    #: Lives that have ended.
    past: list[Member] = field(factory=list)

    def __enter__(self) -> "Cluster":
        self.database = self.server.new_database()
        try:
            for number in range(self.size):
                self.start(number)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc_info: object) -> None:
        for member in [*self.past, *self.members.values()]:
            with suppress(TimeoutExpired):
                member.__exit__(None, None, None)

    def start(self, number: int) -> Member:
        """Begin the next life of a member."""
        if (old := self.members.pop(number, None)) is not None:
            self.past.append(old)
        member = Member(
            number,
            *self.options,
            wires=self.wires,
            folder=self.folder,
            store=(self.store or self.server.url)(self.database),
            module=self.module,
            environment={**self.environment, "GAMEHOST_PLACE": str(number)},
            address=self.addresses.get(number, "127.0.0.1"),
        )
        member.__enter__()
        self.members[number] = member
        [(newest,)] = self.query("SELECT max(epoch) FROM member")
        member.epoch = newest
        return member

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        """The rows of a query to the database of the cluster."""
        return self.server.execute(statement, self.database)

    @property
    def leader(self) -> Member:
        """The member with the lowest epoch among those that live."""
        return min(self.alive, key=lambda member: member.epoch)

    @property
    def alive(self) -> list[Member]:
        """Those whose process runs."""
        return [member for member in self.members.values() if member.process.poll() is None]

    def owned(self, member: Member) -> list[TableId]:
        """The tables that a member writes."""
        return [TableId(table) for (table,) in self.query(f"SELECT game FROM live WHERE owner = {member.epoch}")]

    def last_entries(self, tables: Sequence[TableId]) -> dict[TableId, int]:
        """Of each table that is not over, the number of its last durable entry."""
        found = {}
        for table in tables:
            last = rows_of(self.query, f"game = {table} AND n = (SELECT max(n) FROM event WHERE game = {table})")
            if last and not (last[0].n and finishes(read_entry(last[0]))):
                found[table] = last[0].n
        return found

    def owner_of(self, name: str) -> Member | None:
        """The member that is the home of a name."""
        homes = self.query(f"SELECT home FROM session WHERE key = '{name}'")
        return next((member for member in self.alive if homes and member.epoch == homes[0][0]), None)

    def ports(self, member: Member) -> dict[str, tuple[str, int]]:
        """Where a member's wires are."""
        return {wire: (member.address, port) for wire, port in member.ports.items()}

    def verify(self) -> str:
        """What `gamehost journal verify` says of the journal."""
        done = fork_server.run("gamehost", "journal", "verify", "--store", self.server.url(self.database))
        return done.stdout + done.stderr


def end(member: Member, sig: signal.Signals, seconds: float = 10.0) -> int:
    """Send a signal that ends a member, and wait for that; its status."""
    member.process.send_signal(sig)
    return member.process.wait(seconds)
