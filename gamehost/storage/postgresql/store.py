"""
An open store in a PostgreSQL database: what it holds, and `commit`, which adds a group of changes in one transaction.

If the connection is lost, the store connects again, as `reconnect` says, before it goes on. After any other error it accepts
nothing more, because nobody knows what the database holds. The next start reads that.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice, repeat
from threading import RLock
from typing import Any, TypeVar

from attrs import define, evolve, field

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account
from gamehost.accounts.proofs import Proof
from gamehost.journal.records import EntryKind, TableId, TableRecord, UnfinishedTable
from gamehost.storage.changes import Change, StoreFailed, UnreadableRow
from gamehost.storage.groups import Group, build_group
from gamehost.storage.match_lists import Ended, opened_in
from gamehost.storage.postgresql import unfinished
from gamehost.storage.postgresql.lives import take_numbers
from gamehost.storage.postgresql.notes import read_accounts, read_bans, read_proofs, write_group
from gamehost.storage.postgresql.rows import COLUMNS, TableRows
from gamehost.storage.postgresql.session import LineLost, Session
from gamehost.storage.record_check import RecordCheck
from gamehost.storage.row_codec import Damaged, Head, Row, Undecodable, chain_of, finishes, read_opening, record_of
from gamehost.storage.store import seats_of

T = TypeVar("T")

_HELD = """
    SELECT count(*) FROM unnest(%s::int8[], %s::int4[], %s::bytea[]) AS head(game, n, h) JOIN event USING (game, n, h)"""
#: The newest rows of so many tables are noted at once: some milliseconds of the writer's thread. Seconds between two notes.
NOTED_AT_ONCE, NOTE_EVERY = 200, 1.0
#: Opens a new session for the same life, when the line is lost. It raises `StoreFailed` if that is impossible.
Reconnect = Callable[[], Session]


@define(eq=False)
class PostgresStore:
    """
    A journal behind one session.

    :param epoch: the number of this life
    :param wall: seconds since 1970, for a table's row 0
    """

    session: Session
    epoch: int
    _wall: Callable[[], float]
    _reconnect: Reconnect
    #: Seconds, monotonic.
    _clock: Callable[[], float] = time.monotonic
    _tables: TableRows = field(init=False)
    #: Checks the records of unfinished tables.
    records: RecordCheck = field(init=False)
    #: Of tables in use, where their chains go on. Players may have been told of these rows.
    _heads: dict[int, Head] = field(factory=dict)
    #: The newest rows of tables that were not noted yet, the first one first.
    _unnoted: dict[int, Head] = field(factory=dict)
    #: When some are noted next.
    _note_at: float = 0.0
    #: How many groups with notes this life has committed.
    _noted: int = 0
    _given_up: Sequence[UnreadableRow] = ()
    _failed: bool = False
    #: At the start, the reactor's thread reads while the writer's thread may have something to write.
    _one_at_a_time: RLock = field(factory=RLock)

    def __attrs_post_init__(self) -> None:
        self._tables = TableRows(self._query, f"owner = {self.epoch:d}")
        self.records = RecordCheck(self._tables)

    def commit(self, changes: Sequence[Change]) -> None:
        """
        Add a group of changes. All of it is durable when this returns. If this raises, nobody knows how much is.

        :raises StoreFailed: this commit or an earlier one has failed
        """
        with self._one_at_a_time:
            if self._failed:
                raise StoreFailed("a write has failed before, and nothing may be written after it")
            self._failed = True
            group = build_group(changes, repeat(self.epoch), self._wall, self._head)
            self._write(group)
            group.update_heads(self._heads)
            for row in group.rows:
                self._unnoted[row.game] = Head(row.n, row.h)
            for reading in group.readings:
                reading.ask(self)
            self._failed = False

    def mark(self) -> Callable[[], None]:
        """The database keeps its own log. Now and then the newest rows of tables are noted in it, on the writer's thread."""
        if self._clock() >= self._note_at:
            self._note_newest(NOTED_AT_ONCE)
            self._note_at = self._clock() + NOTE_EVERY
        return _nothing

    def _note_newest(self, most: int | None) -> None:
        newest = dict(islice(self._unnoted.items(), most))
        if not newest:
            return
        with suppress(LineLost):  # the next commit finds that, too
            unfinished.note_newest(self.session, self.epoch, newest)
            for table in newest:
                del self._unnoted[table]

    def close(self) -> None:
        """This life ends in order."""
        self._note_newest(None)
        with suppress(LineLost):  # all is durable, and the next host notes the end
            self.session.run("UPDATE member SET ended = now() WHERE epoch = %s", (self.epoch,))
        self.session.close()

    def _write(self, group: Group) -> None:
        """
        Commit a group, over lost connections.

        :raises StoreFailed: there is no connection any more, or the database has lost what was durable
        """
        try:
            self._write_once(group)
        except LineLost:
            self._renew()
            self._asking(lambda: self._settle(group))
        self._noted += group.noted

    def _settle(self, group: Group) -> None:
        """Write a group whose connection was lost, if it is not durable."""
        if not self._is_there(group):
            self._write_once(group)

    def _write_once(self, group: Group) -> None:
        write_group(self.session, group, self.epoch, self._noted + 1, self._ended(group))

    def _ended(self, group: Group) -> Iterator[Ended]:
        """The matches that end with a group, whose rows are inserted. One whose opening cannot be read is in no list."""
        for last, opened in group.ended:
            if opened is None:
                sql = f"SELECT {COLUMNS} FROM event WHERE game = %s AND n = 0"
                opened = opened_in([Row._make(row) for row in self.session.rows(sql, (last.game,))])
            if opened is not None:
                yield Ended(last.game, opened[0], last.seq, opened[1])

    def _renew(self) -> None:
        """
        Have a new session for this life, when the connection is lost.

        :raises StoreFailed: there is none, or the database has lost what was durable
        """
        self.session.close()  # if it lives after all, its locks are free now
        while True:
            self.session = self._reconnect()
            with suppress(LineLost):
                self._check_heads()
                return

    def _is_there(self, group: Group) -> bool:
        """
        Whether a group is in the database: its number, or its last row.

        :raises StoreFailed: somebody else has written a row there
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
        :raises StoreFailed: a row is missing of which players may have been told
        """
        heads = self._heads
        numbers, hashes = [head.n for head in heads.values()], [head.h for head in heads.values()]
        held = self.session.rows(_HELD, (list(heads), numbers, hashes))[0][0]
        if held != len(heads):
            raise StoreFailed(
                f"the database has lost the newest rows of {len(heads) - held} tables, of which players have been told; "
                "it was put back to an older state, or a standby took over that was behind"
            )

    def _asking(self, ask: Callable[[], T]) -> T:
        """Ask the database something, again after a lost connection."""
        with self._one_at_a_time:
            while True:
                try:
                    return ask()
                except LineLost:
                    self._renew()

    def _query(self, sql: str, *parameters: Any) -> list[Any]:
        return self._asking(lambda: self.session.rows(sql, parameters))

    def _head(self, table: TableId) -> Head:
        """Where the chain of a table goes on."""
        if (known := self._heads.get(table)) is not None:
            return known
        head = chain_of(self._tables.rows(table))
        if head is None:
            raise Damaged(f"table {table}: all of its rows are missing")
        return head

    def read(self, table: TableId) -> TableRecord | str:
        rows = [Row._make(row) for row in self._tables.rows(table)]
        try:
            head = chain_of(rows)
            if head is None:
                return f"table {table}: all of its rows are missing"
            # A table of another member is read as one that is finished: nothing can be added to it here.
            told = self._query("SELECT told, n, h FROM live WHERE game = %s AND owner = %s", table, self.epoch)
            if told and (n := told[0][1]) is not None and (n > head.n or rows[n].h != told[0][2]):
                raise Damaged(f"table {table}: row {n} was durable, and is missing or was changed")
            record = evolve(record_of(rows), told=seats_of(told[0][0] if told else 0))
        except (Damaged, Undecodable) as error:
            return str(error)
        if not (record.entries and finishes(record.entries[-1])):
            if told:
                self._heads[table] = head._replace(opened=(rows[0].seq, record.opening))
        elif record.entries[-1].kind is EntryKind.ARCHIVED and told:
            return f"table {table}: it was put away, and yet is listed as unfinished"
        return record

    @property
    def last_table(self) -> int:
        """The highest number of a table in the journal; 0: none."""
        return self._tables.last_table

    def new_numbers(self, count: int) -> range:
        """So many numbers for tables that no member of a cluster gets again."""
        return self._asking(lambda: take_numbers(self.session, count))

    def check_all(self, most: int | None) -> list[UnreadableRow]:
        """What is wrong with the unfinished tables: with their records, as `RecordCheck.begin` checks them, or their ends."""
        damage = self.records.begin(most)
        damaged = {one.table for one in damage}
        return damage + [one for one in unfinished.missing(self.session, self.epoch) if one.table not in damaged]

    @property
    def all_checked(self) -> bool:
        return self.records.all_checked

    def check(self, rows: int) -> Sequence[str]:
        return [table.why for table in self.records.go_on(rows)]

    def give_up(self, damage: Sequence[UnreadableRow]) -> None:
        """Remove damaged tables from the list of unfinished ones. Their rows stay."""
        self._given_up = damage
        unfinished.remove(self.session, [damaged.table for damaged in damage])

    @property
    def uptime(self) -> int:
        return int(self._query("SELECT seconds FROM uptime")[0][0])

    def unfinished(self) -> Iterator[UnfinishedTable | UnreadableRow]:
        """
        The tables to be played on, oldest first, behind those given up; from now on all of them sleep.

        Reads the first two rows of each, to know whether its match has begun.
        """
        yield from self._given_up
        asleep = "UPDATE live SET since = (SELECT seconds FROM uptime) WHERE since IS NULL AND owner = %s"
        self._asking(lambda: self.session.run(asleep, (self.epoch,)))
        for number, since, told, first in self._tables.listed():
            table = TableId(number)
            try:
                opening = read_opening(Row._make(first[0]))
            except Undecodable as error:
                yield UnreadableRow(table, str(error))
            else:
                yield UnfinishedTable(table, opening, len(first) > 1, since, seats_of(told))

    def accounts(self) -> Iterable[Account]:
        return self._asking(lambda: read_accounts(self.session))

    def bans(self) -> Iterable[Ban]:
        return self._asking(lambda: read_bans(self.session))

    def proofs(self) -> Iterable[Proof]:
        return self._asking(lambda: read_proofs(self.session))


def _nothing() -> None:
    """Nothing is to be written."""
