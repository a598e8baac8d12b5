"""Hosts that are processes and members of one cluster, on one database."""

import re
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import TimeoutExpired
from types import TracebackType
from typing import Any

from attrs import define, field

from gamehost.games.base import Seat
from gamehost.journal.records import EntryKind, TableHeader, TableId
from gamehost.storage.questions import COLUMNS
from gamehost.storage.row_codec import OPENED, Row, finishes, read_entry, read_opening
from tests.kit import fork_server
from tests.kit.journal_oracle import Archive, Contradiction, History, JournalOracle, Reading
from tests.kit.journals import CommittedJournal
from tests.kit.postgresql import PostgresServer
from tests.kit.process import PATIENCE, HostProcess

# The journal of a cluster as it grows in the database, for the oracle: what was heard must follow from it.


#: Milliseconds between a word of a host and the moment at which it was heard, at most, on a busy machine.
LATE_MS = 3000

Query = Callable[[str], list[tuple[Any, ...]]]


def rows_of(query: Query, where: str) -> list[Row]:
    found = query(f"SELECT {COLUMNS.postgresql} FROM event WHERE {where} ORDER BY game, n")
    return [Row._make(bytes(one) if isinstance(one, memoryview) else one for one in row) for row in found]


def _leaves(opening: TableHeader) -> bool:
    """Whether the people of a wire leave matches of their own will."""
    return any(seat.wire.startswith("eriantys") for seat in opening.seats)


@define(eq=False)
class StoredJournal:
    """The journal in the database, as far as it was read."""

    journal: CommittedJournal = field(factory=CommittedJournal)
    #: When each table was opened, in milliseconds since 1970.
    opened: dict[TableId, int] = field(factory=dict)
    #: Tables where a seat was given up, or the time was over: nobody pays for the loss of a host.
    forfeited: set[TableId] = field(factory=set)
    _finished: set[TableId] = field(factory=set)

    def read(self, query: Query) -> None:
        """Take in what is new. Rows must not be missing, or be added behind the end."""
        known = ",".join(map(str, self._finished)) or "-1"
        for row in rows_of(query, f"NOT game = ANY('{{{known}}}')"):
            table = TableId(row.game)
            if row.kind == OPENED:
                self.opened.setdefault(table, row.at_ms)
                self.journal.openings.setdefault(table, read_opening(row))
                self.journal.entries.setdefault(table, [])
                continue
            entries = self.journal.entries.get(table)
            if entries is None or row.n > len(entries) + 1 or table in self._finished:
                raise Contradiction(f"table {table}: entry {row.n} stands where it must not")
            entry = read_entry(row)
            if row.n == len(entries) + 1:
                entries.append(entry)
                if entry.kind in (EntryKind.FORFEITED, EntryKind.EXPIRED) and not _leaves(self.journal.openings[table]):
                    self.forfeited.add(table)
            if finishes(entry):
                self._finished.add(table)


@define(eq=False)
class StoredArchive(Archive):
    """The tables at a moment: what was opened later is not there yet."""

    #: By table, in milliseconds since 1970.
    opened: dict[TableId, int] = field(factory=dict)
    now_ms: float = 0.0
    #: For so long words may have been on their way.
    late_ms: float = LATE_MS

    def of(self, name: str) -> list[History]:
        return [history for history in self.all_of(name) if self.opened[history.table] <= self.now_ms]

    def old(self, name: str) -> list[History]:
        return [history for history in self.all_of(name) if self.opened[history.table] <= self.now_ms - self.late_ms]

    def all_of(self, name: str) -> list[History]:
        """The newest first. Members have numbers of their own, so those say nothing of the order."""
        return sorted(super().of(name), key=lambda history: self.opened[history.table], reverse=True)


@define(eq=False)
class StoredOracle(JournalOracle):
    """Listens to what one connection heard, after the fact. `noted` is told what each seat was certainly told."""

    noted: Callable[[TableId, int], None] = field(kw_only=True)

    @property
    def readings(self) -> Collection[Reading]:
        """What the words so far may have meant."""
        return self._readings

    def contradict(self, what: str) -> None:
        """:raises Contradiction: with these words, and the last ones that were heard"""
        self._contradict(what)

    def _contradict(self, what: str) -> None:
        archive = self.archive
        assert isinstance(archive, StoredArchive)
        tables = [
            f"{one.table} opened {archive.now_ms - archive.opened[one.table]:.0f} ms before, {len(one.steps)} entries, told "
            f"{[archive.told.get((one.table, Seat(seat)), 0) for seat in range(len(one.names))]}, over: {one.over}"
            for one in archive.all_of(self.name)[:3]
        ]
        super()._contradict(f"{what}; the newest tables: {'; '.join(tables)}")

    def _note(self) -> None:
        super()._note()
        self.archive.turn_is_over()  # each member tells its own players, one connection after the other
        tables = {reading.table for reading in self._readings}
        if len(tables) == 1 and (table := tables.pop()) is not None:
            self.noted(table, self.archive.told.get((table, self._seat(self.archive.history(table))), 0))

    def _coming_in(self, line: str) -> Iterator[Reading]:
        """What came in one piece was not said in one moment: a next match may have begun before the end of this piece."""
        archive = self.archive
        assert isinstance(archive, StoredArchive)
        found = list(super()._coming_in(line))
        now = archive.now_ms
        for history in archive.of(self.name):
            opened = archive.opened[history.table]
            if opened < now - archive.late_ms:
                break
            archive.now_ms = opened - 1
            found += super()._coming_in(line)
        archive.now_ms = now
        yield from found

    def _settled(self, reading: Reading) -> Reading:
        settled = super()._settled(reading)
        if settled.table is None and reading.table is not None:
            self.noted(reading.table, reading.at)  # the end was told
        return settled

    def _nothing_is_forgotten(self) -> None:
        archive = self.archive
        assert isinstance(archive, StoredArchive)
        for history in archive.old(self.name):
            if not history.over:
                self._contradict(f"although table {history.table} goes on")


@define(eq=False)
class Heard:
    #: Seconds since 1970.
    at: float
    connection: int
    wire: str
    name: str
    lines: Sequence[str]


@define(eq=False)
class Referee:
    """Compares all that was heard with the journal, and knows when each table went on."""

    query: Query
    stored: StoredJournal = field(factory=StoredJournal)
    archive: StoredArchive = field(init=False)
    #: By table: when somebody was told so many entries for the first time.
    progress: dict[TableId, list[tuple[float, int]]] = field(factory=dict)
    #: Connections that are still listened to when their people have others.
    kept: set[int] = field(factory=set)
    _oracles: dict[int, StoredOracle] = field(factory=dict)
    _names: dict[str, int] = field(factory=dict)
    _at: float = 0.0

    def __attrs_post_init__(self) -> None:
        self.archive = StoredArchive(self.stored.journal, opened=self.stored.opened)

    def check(self, heard: Sequence[Heard]) -> None:
        """All of this was heard before this call, in this order: the journal must have it."""
        self.stored.read(self.query)
        for words in heard:
            oracle = self._oracle(words)
            self._at = words.at
            # The opening of a table is on the disk a little later than it is opened.
            self.archive.now_ms = words.at * 1000 - 0.3
            for line in words.lines:
                oracle.hear_line(line)

    def _oracle(self, words: Heard) -> StoredOracle:
        oracle = self._oracles.get(words.connection)
        if oracle is None:
            oracle = StoredOracle(self.archive, words.wire, "", noted=self._told)
            self._oracles[words.connection] = oracle
        if oracle.name != words.name:  # Litama's people have a name for each match
            oracle.name = words.name
            if words.connection not in self.kept:  # else somebody who had heard nothing there has another one by now
                if (last := self._names.get(words.name)) not in self.kept:
                    self._oracles.pop(last or 0, None)
                self._names[words.name] = words.connection
        return oracle

    def _told(self, table: TableId, entries: int) -> None:
        progress = self.progress.setdefault(table, [])
        if not progress or progress[-1][1] < entries:
            progress.append((self._at, entries))

    def went_on(self, table: TableId, entries: int) -> float | None:
        """When somebody was told more of a table than so many entries, in seconds since 1970; `None`: never."""
        return next((at for at, told in self.progress.get(table, ()) if told > entries), None)

    def told_all(self, connections: Sequence[int]) -> None:
        """Nothing is on its way on these connections any more: everything must have been told."""
        for connection in connections:
            if connection in self._oracles:
                self._oracles[connection].told_all(questions=False)

    def hear_late(self, heard: Sequence[Heard], member: int, stopped: float, entries: Mapping[TableId, int]) -> None:
        """
        What was heard on connections whose people had left them, and what their member relayed: it may be from before the stop.

        :param member: the epoch of their member, which had stopped, and when, in seconds since 1970
        :param entries: how many entries each of its tables had then: nobody is told more of it there
        :raises Contradiction: the journal does not have it, or it was too late for it
        """
        told, self.archive.told = self.archive.told, {}
        progress, self.progress = self.progress, {}
        self.archive.late_ms += (time.time() - stopped) * 1000
        self.check(heard)
        self.archive.told, self.progress, self.archive.late_ms = told, progress, LATE_MS
        for words in heard:
            oracle = self._oracle(words)
            if not any(self._is_from_before(reading, entries) for reading in oracle.readings):
                oracle.contradict("although the table was elsewhere")
            for table in {reading.table for reading in oracle.readings} - {None}:
                begun = f"game = {table} AND n = 0 AND epoch = {member} AND at_ms > {stopped * 1000}"
                if self.query(f"SELECT 1 FROM event WHERE {begun}"):
                    oracle.contradict("although the table was opened by a member that had stopped")

    @staticmethod
    def _is_from_before(reading: Reading, entries: Mapping[TableId, int]) -> bool:
        return reading.table is None or reading.at <= entries.get(reading.table, reading.at)

    @property
    def moves(self) -> int:
        """Entries that somebody was certainly told."""
        return sum(told[-1][1] for told in self.progress.values())


#: Short matches, so that there are beginnings and ends, too; and seats that nobody loses by being slow.
OPTIONS = (
    *("--grace=60", "--set=onitama.max_plies=60", "--set=stratego.max_plies=60"),
    *("--set=limits.password_work=10", "--set=limits.login_seconds=60"),
)
#: What a host says at the end of its own orderly stop.
STOPPED = "gamehost has stopped"


class Member(HostProcess):
    """A member of a cluster, which has a place in it. Its log is read all the time, so that it never waits for that."""

    def __init__(self, number: int, *options: str, **more: Any) -> None:
        address = more.get("address", "127.0.0.1")
        super().__init__(f"--cluster=tcp:{address}:0", *options, **more)
        self.number = number
        #: The number of this run in the database.
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
        self.process.wait(PATIENCE)
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
    """A context manager that starts all members, and leaves none behind."""

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
    #: Called with the URL of the new database, before any member starts.
    prepare: Callable[[str], None] = lambda url: None
    database: str = field(init=False)
    members: dict[int, Member] = field(factory=dict)
    #: Runs that have ended.
    past: list[Member] = field(factory=list)

    def __enter__(self) -> "Cluster":
        self.database = self.server.new_database()
        self.prepare(self.server.url(self.database))
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
        self.members[number] = member
        member.__enter__()
        [(newest,)] = self.query("SELECT max(epoch) FROM member")
        member.epoch = newest
        return member

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        return self.server.execute(statement, self.database)

    @property
    def alive(self) -> list[Member]:
        return [member for member in self.members.values() if member.process.poll() is None]

    def owned(self, member: Member) -> list[TableId]:
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
        homes = self.query(f"SELECT home FROM session WHERE key = '{name}'")
        return next((member for member in self.alive if homes and member.epoch == homes[0][0]), None)

    def ports(self, member: Member) -> dict[str, tuple[str, int]]:
        return {wire: (member.address, port) for wire, port in member.ports.items()}

    def verify(self) -> str:
        done = fork_server.run("gamehost", "journal", "verify", "--store", self.server.url(self.database))
        return done.stdout + done.stderr


def end(member: Member, sig: signal.Signals, seconds: float = 10.0) -> int:
    member.process.send_signal(sig)
    return member.process.wait(seconds)
