"""
The durable journal: a store on a disk or in a database, with a thread that writes and a thread that reads.

A few methods block, and are only called at the start, before any port is open: `unfinished`, `uptime`, `accounts`,
`proofs` and `bans`. All other methods give their work to a thread and return at once. The writer's thread carries out
changes, and reads that must be in order with changes. The reader's thread answers the questions of people, so that no
change waits for them.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account, deleted_in, renamed_in
from gamehost.accounts.proofs import Proof
from gamehost.games.base import Seat
from gamehost.journal.records import (
    Entry,
    FinishedMatch,
    KeptText,
    Leave,
    OpenedTable,
    OwnedMatch,
    Pressure,
    Room,
    Store,
    TableElsewhere,
    TableHeader,
    TableId,
    TableRecord,
    UnfinishedTable,
)
from gamehost.measures import JournalMeasures
from gamehost.storage.contents import (
    AddAccount,
    Change,
    Note,
    OpenStore,
    Reading,
    Sleep,
    Told,
    UnreadableRow,
    change_account,
    delete_account,
    drop_ban,
    drop_opened,
    drop_proof,
    put_ban,
    put_opened,
    put_proof,
    put_uptime,
    read_accounts,
    read_bans,
    read_opened,
    read_proofs,
    read_uptime,
    rename_account,
)
from gamehost.storage.memory import MemoryJournal
from gamehost.storage.names import TableNumbers
from gamehost.storage.own import PutKept, PutLeave, PutOwn, drop_own, move_own, read_kept, read_leaves, read_own
from gamehost.storage.questions import (
    Reader,
    T,
    find_elsewhere,
    find_finished,
    find_match,
    read_ends,
    read_entries_after,
    read_newest,
    read_record,
    read_rows,
)
from gamehost.storage.row_codec import ARCHIVED, Row, finishes
from gamehost.storage.writer import Writer

if TYPE_CHECKING:
    # Backups are for the engine of files: a store in a database does without them.
    from gamehost.storage.backup import Backups


#: The `away_after` of a member of a cluster, in seconds. If the database has not answered for so long, other members
#: will soon take over the matches of this host.
AWAY_AFTER = 3.5


@frozen
class BacklogLimits:
    """The limits of waiting changes at which each `Pressure` begins."""

    #: The first four fields are seconds: how long the oldest change has waited.
    pause_after: float = 0.25
    refuse_after: float = 2.0
    away_after: float = inf
    give_up_after: float = 10.0
    #: How many changes and how many bytes may wait; above either limit, new clients are refused.
    most_waiting: int = 10_000
    most_bytes: int = 8 * 1024 * 1024


@define(eq=False)
class Turn:
    """
    The changes of one turn of the reactor. They are given to the writer's thread together, because waking the thread is
    expensive.
    """

    #: When the first change was added, in seconds of the clock.
    since: float
    changes: list[Change] = field(factory=list)
    #: The functions to call when the changes are durable, in the same order.
    durable: list[Callable[[], None]] = field(factory=list)
    size: int = 0


@define(eq=False)
class Backlog:
    """
    The queue of the changes that are not durable yet, in order.

    If the disk is slow, the host first pauses input, then refuses new clients, then ends. For this, the host reads
    `pressure` again and again.
    """

    #: Returns seconds that never go back.
    _clock: Callable[[], float]
    _limits: BacklogLimits = field(factory=BacklogLimits)
    #: A context for the callbacks of one commit, so that their output can be sent together.
    group: Callable[[], AbstractContextManager[object]] = nullcontext
    measures: JournalMeasures = field(factory=JournalMeasures)
    #: The turns, oldest first. The last one may be the current turn.
    _turns: deque[Turn] = field(factory=deque)
    _open: Turn | None = None

    @property
    def waiting(self) -> int:
        """How many changes wait."""
        return sum(len(turn.durable) for turn in self._turns)

    @property
    def size(self) -> int:
        """About how many bytes the waiting changes have."""
        return sum(turn.size for turn in self._turns)

    @property
    def age(self) -> float:
        """The number of seconds for which the oldest change has waited."""
        return self._clock() - self._turns[0].since if self._turns else 0.0

    @property
    def pressure(self) -> Pressure:
        """How far the disk is behind, according to the limits."""
        age, limits = self.age, self._limits
        # The worst level comes first. `AWAY` has no limit outside of a cluster.
        if age > limits.give_up_after:
            return Pressure.GIVE_UP
        if age > limits.away_after:
            return Pressure.AWAY
        if age > limits.refuse_after or self.waiting > limits.most_waiting or self.size > limits.most_bytes:
            return Pressure.REFUSE
        return Pressure.PAUSE if age > limits.pause_after else Pressure.NONE

    def add(self, change: Change, size: int, durable: Callable[[], None]) -> bool:
        """
        Add a change.

        :param size: about how many bytes the change has
        :param durable: called when the change is durable
        :returns: whether this is the first change of the turn. Then the caller must call `hand_over` at the end of the
            turn
        """
        turn = self._open
        first = turn is None
        if turn is None:
            turn = self._open = Turn(self._clock())
            self._turns.append(turn)
        turn.changes.append(change)
        turn.durable.append(durable)
        turn.size += size
        return first

    def hand_over(self) -> Sequence[Change]:
        """End the current turn, and return its changes, for the writer."""
        turn, self._open = self._open, None
        return () if turn is None else turn.changes

    def done(self, count: int) -> None:
        """
        Called when the oldest `count` changes are durable: call their callbacks. They are always the changes of whole
        turns. If one callback raises, the others are still called.

        :raises Exception: the error of a callback; for several errors, an `ExceptionGroup`
        """
        errors: list[Exception] = []
        acknowledged = self.measures.acknowledged
        given: list[float] = []
        with self.group():
            while count > 0:
                turn = self._turns.popleft()
                count -= len(turn.durable)
                if acknowledged is not None:
                    given += [turn.since] * len(turn.durable)
                for durable in turn.durable:
                    try:
                        durable()
                    except Exception as error:
                        errors.append(error)
        if acknowledged is not None:
            acknowledged.observe_since(given, self._clock())  # after `group`, so the answers are written
        if len(errors) == 1:
            raise errors[0]  # not in a group: Twisted's log does not show the errors inside a group
        if errors:
            words = "; ".join(f"{type(error).__name__}: {error}" for error in errors)
            raise ExceptionGroup(f"called back that an entry is durable: {words}", errors)


def backlog_of(store: Store) -> Backlog | None:
    """The backlog of a store; `None`: the store uses no disk."""
    found = getattr(store, "backlog", None)
    return found if isinstance(found, Backlog) else None


@define(eq=False)
class DurableJournal:
    """A `Journal` and a `Store` that outlive the process. All methods must be called on one thread, the reactor's."""

    _store: OpenStore
    _writer: Writer
    #: The thread that answers the questions of people. The writer stops it.
    _reader: Reader
    #: The changes that are not durable yet.
    backlog: Backlog
    #: Calls a function at the end of the current turn of the reactor.
    _after_turn: Callable[[Callable[[], None]], None]
    _room: Callable[[], Room]
    #: Makes backups; `None`: the store is a database, which has its own tools for backups.
    backups: "Backups | None" = None
    #: Notes that wait until the ends of their matches were written to the clients' connections.
    _told: list[Told] = field(factory=list)
    #: The tables that `unfinished` left out, with the reasons.
    unreadable: list[UnreadableRow] = field(factory=list)
    #: The highest table number that this host knows.
    _tables: int = 0
    #: Gives the numbers of new tables; `None`: the next number is the highest number plus one.
    numbers: TableNumbers | None = None
    #: The number of this host's run in a database; 0: the store is a file.
    epoch: int = 0
    #: Returns the seconds since 1970, for bans and proofs: by the clock of the database, or of this machine if the
    #: store is a file.
    wall: Callable[[], float] = time.time
    _open: set[TableId] = field(factory=set)
    _stopping: bool = False

    def new_table(self) -> TableId:
        """See `Journal.new_table`. In a cluster, the number comes from the stock of numbers of this host."""
        number = TableId(self._tables + 1) if self.numbers is None else self.numbers.take()
        self._tables = max(self._tables, number)
        return number

    def open(self, table: TableId, opening: TableHeader, durable: Callable[[], None]) -> None:
        """See `Journal.open`. Queues the opening of a table for the writer."""
        # The size is an estimate, for the limit of waiting bytes.
        settings = sum(len(name) + len(text) for name, text in opening.settings.items())
        self._put((table, opening), 256 + 64 * len(opening.seats) + settings, durable)
        self._open.add(table)

    def append(self, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        """
        See `Journal.append`. Queues an entry for the writer.

        :raises ValueError: the table is not open, or the journal is being closed
        """
        if table not in self._open or self._stopping:
            raise ValueError(f"table {table} is not open: nothing can be added to its record")
        if entry.outcome or entry.kind is ARCHIVED:
            # This is the last entry of the table.
            self._open.discard(table)
        # The size is an estimate: the bytes of the entry's variable parts, and 64 for the rest. The first change of a
        # turn of the reactor also plans the end of the turn, when the whole turn is given to the writer.
        if self.backlog.add((table, entry), 64 + len(entry.notation) + len(entry.drawn) + len(entry.outcome), durable):
            self._after_turn(self._hand_over)

    def told(self, table: TableId, seat: Seat | None = None) -> None:
        """See `Journal.told`. Queues the note, but not before the last messages were sent to the clients."""
        note = Told(table, seat)
        # The reactor writes the last messages to the clients' connections in its next turn. The note must not be on the
        # disk earlier, so it waits for two turns.
        self._told.append(note)
        self._after_turn(lambda: self._after_turn(partial(self._note_told, note)))

    def _note_told(self, note: Told) -> None:
        if note in self._told:
            self._told.remove(note)
            self.also(note, nothing)

    def also(self, note: Note, durable: Callable[[], None]) -> None:
        """Change something else than a record, in order with the entries."""
        self._put(note, 256, durable)

    def beat(self, done: Callable[[], None]) -> None:
        """
        Show the database of a cluster that this host is alive. After the first call, the database ends the session of
        this host when the calls stop. If another member has taken over this host's matches, the journal reports a
        failed write.

        :param done: called when the database has answered; never called while the journal is being closed
        """

        def answered(last: int) -> None:
            """Called with the highest number of a table in the database."""
            self._tables = max(self._tables, last)
            done()

        if not self._stopping:
            self.ask_store(lambda store: store.beat(), answered)

    @property
    def pressure(self) -> Pressure:
        return self.backlog.pressure

    @property
    def room(self) -> Room:
        return self._room()

    @property
    def skipped(self) -> Sequence[str]:
        return [table.why for table in self.unreadable]

    @property
    def uptime(self) -> int:
        return read_uptime(self._store.database)

    def note_uptime(self, seconds: int) -> None:
        self.also(put_uptime(seconds), nothing)

    def unfinished(self) -> Iterable[UnfinishedTable]:
        """See `Journal.unfinished`. Tables that cannot be read are left out, and listed in `unreadable`."""
        for found in self._store.unfinished():
            if isinstance(found, UnreadableRow):
                self.unreadable.append(found)
            else:
                yield found

    @property
    def all_checked(self) -> bool:
        return self._store.all_checked

    def check(self, rows: int, checked: Callable[[Sequence[str], bool], None]) -> None:
        self.ask_store(lambda store: (store.check(rows), store.all_checked), lambda answer: checked(*answer))

    def accounts(self) -> Iterable[Account]:
        return read_accounts(self._store.database)

    def proofs(self) -> Iterable[Proof]:
        return read_proofs(self._store.database)

    def put_proof(self, proof: Proof) -> None:
        self.also(put_proof(proof), nothing)

    def drop_proof(self, proof: Proof) -> None:
        self.also(drop_proof(proof), nothing)

    def bans(self) -> Iterable[Ban]:
        return read_bans(self._store.database)

    def put_ban(self, ban: Ban, durable: Callable[[], None]) -> None:
        self.also(put_ban(ban), durable)

    def drop_ban(self, key: str, durable: Callable[[], None]) -> None:
        self.also(drop_ban(key), durable)

    def put_opened(self, opened: OpenedTable, durable: Callable[[], None]) -> None:
        self.also(put_opened(opened, self.epoch), durable)

    def drop_opened(self, table: TableId, durable: Callable[[], None]) -> None:
        self.also(drop_opened(table), durable)

    def opened(self) -> Iterable[OpenedTable]:
        found = list(read_opened(self._store.database, self.epoch))
        self._tables = max([self._tables, *(one.table for one in found)])
        return found

    def find_opened(self, found: Callable[[Sequence[OpenedTable]], None]) -> None:
        """
        Find the open tables of this host without blocking, after it has taken over the tables of another member of a
        cluster. `opened` does this at the start.
        """
        self.ask_store(lambda store: list(read_opened(store.database, self.epoch)), found)

    def take(self, table: TableId, taken: Callable[[bool], None]) -> None:
        """
        Take a sleeping table from another member of a cluster.

        :param taken: called with whether the table belongs to this host now
        """
        self.ask_store(lambda store: store.take(table), taken)

    def put_own(self, matches: Sequence[tuple[str, OwnedMatch]], durable: Callable[[], None]) -> None:
        self.also(PutOwn(matches), durable)

    def drop_own(self, table: TableId | None, owner: str | None, durable: Callable[[], None]) -> None:
        self.also(drop_own(table, owner), durable)

    def move_own(self, before: str, after: str | None) -> None:
        for change in move_own(before, after):
            self.also(change, nothing)

    def find_own(self, owner: str, found: Callable[[Sequence[OwnedMatch]], None]) -> None:
        self.ask_store(lambda store: read_own(store.database, owner), found)

    def put_leave(self, leave: Leave, durable: Callable[[], None]) -> None:
        self.also(PutLeave(leave), durable)

    def find_leaves(self, found: Callable[[Sequence[Leave]], None]) -> None:
        self.ask_store(lambda store: read_leaves(store.database), found)

    def put_kept(self, kept: KeptText, durable: Callable[[], None]) -> None:
        self.also(PutKept(kept), durable)

    def find_kept(self, key: str, place: str, found: Callable[[str], None]) -> None:
        self.ask_store(lambda store: read_kept(store.database, key, place), found)

    def ask_store(self, ask: Callable[[Any], T], answered: Callable[[T], None]) -> None:
        """
        Read or change the store on the writer's thread, in order with all changes.

        :param ask: called on the writer's thread with the `OpenStore`
        :param answered: called on this thread with its result, when all earlier changes are durable
        """
        reading = Reading(ask)
        self._put(reading, 64, lambda: answered(reading.answer))

    def load(self, table: TableId, loaded: Callable[[TableRecord | str], None]) -> None:
        """See `Journal.load`. The writer reads the record. Afterwards entries can be added to an unfinished table."""

        def answered(record: TableRecord | str) -> None:
            """Called with the record: a table that is not finished is open from now on."""
            # A text is the reason why there is no record.
            if not (isinstance(record, str) or (record.entries and finishes(record.entries[-1]))):
                self._open.add(table)
            loaded(record)

        self.ask_store(lambda store: store.read(table), answered)

    def read(self, table: TableId, found: Callable[[TableRecord | str], None]) -> None:
        self._ask(found, f"table {table}: the store cannot be read now", partial(read_record, table=table))

    def elsewhere(
        self, known: Collection[TableId], most: int, found: Callable[[Sequence[TableElsewhere], int], None]
    ) -> None:
        self._ask(lambda answer: found(*answer), ((), 0), partial(find_elsewhere, known=known, most=most))

    def entries_after(
        self, last: Mapping[TableId, int], found: Callable[[Mapping[TableId, Sequence[Entry] | str]], None]
    ) -> None:
        self._ask(found, {}, partial(read_entries_after, last=last))

    def finished(
        self,
        below: int | None,
        count: int,
        found: Callable[[Sequence[FinishedMatch], int], None],
        *,
        game: str = "",
        name: str = "",
    ) -> None:
        """See `Journal.finished`. If the store cannot be read, the answer is empty, and covers all numbers from 1."""
        ask = partial(find_finished, below=below, count=count, game=game, name=name)
        self._ask(lambda answer: found(*answer), ((), 1), ask)

    def match(self, table: TableId, found: Callable[[FinishedMatch | None], None]) -> None:
        self._ask(found, None, partial(find_match, table=table))

    @property
    def last_table(self) -> TableId:
        """
        The highest number of a table; 0: there is no table. In a cluster, the newest tables of other members are known
        since the last `beat`.
        """
        return TableId(self._tables)

    def read_rows(self, table: TableId, found: Callable[[Sequence[Row]], None]) -> None:
        """Find all rows of a table, as they are stored, and call `found` with them later."""
        self._ask(found, (), partial(read_rows, table=table))

    def read_ends(self, low: int, below: int, found: Callable[[Sequence[Row]], None]) -> None:
        """Find the first and the last row of each table with a number from `low` up, and below `below`."""
        self._ask(found, (), partial(read_ends, low=low, below=below))

    def read_newest(self, most: int, found: Callable[[Sequence[Row], int], None]) -> None:
        """
        Find the first and the last row of each of the newest tables, and an upper limit for the number of older tables.
        """
        self._ask(lambda answer: found(*answer), ((), 0), partial(read_newest, most=most))

    def sleep(
        self, table: TableId, since: int, due: int | None = None, durable: Callable[[], None] = lambda: None
    ) -> None:
        """See `Journal.sleep`. No more entries can be added to the table until it is loaded again."""
        self._open.discard(table)
        self._put(Sleep(table, since, due), 64, durable)

    def wake(self, table: TableId) -> None:
        self._open.add(table)
        self._put(Sleep(table, None), 64, nothing)

    def stop(self, stopped: Callable[[], None]) -> None:
        """See `Store.stop`. The notes that still wait are queued first."""
        for note in tuple(self._told):
            self._note_told(note)
        self._stopping = True
        # Abandon a backup that is being checked, and begin no more.
        if self.backups is not None:
            self.backups.stop()
        self._hand_over()
        self._writer.stop(stopped)

    def close(self) -> None:
        self.stop(nothing)
        self._writer.join()

    @property
    def unanswered(self) -> int:
        """How many questions of people wait for their answers."""
        return self._reader.waiting

    def _ask(self, found: Callable[[T], None], otherwise: T, ask: "partial[T]") -> None:
        """Give a question to the reader's thread; see `Reader.put`."""
        if self._stopping:
            raise ValueError("the journal is being closed: nothing can be asked")
        self._reader.put(found, otherwise, ask)

    def _put(self, change: Change, size: int, durable: Callable[[], None]) -> None:
        """
        Add a change to the backlog. The first change of a turn of the reactor also plans the end of the turn, when the
        whole turn is given to the writer.
        """
        if self._stopping:
            raise ValueError("the journal is being closed: nothing can be added to it")
        if self.backlog.add(change, size, durable):
            self._after_turn(self._hand_over)

    def _hand_over(self) -> None:
        """Give the changes of the current turn to the writer."""
        self._writer.put(self.backlog.hand_over())


def nothing() -> None:
    """A callback that does nothing, for changes that nobody waits for."""


def at_once(call: Callable[[], None]) -> None:
    """A value for `after_turn` in a process without a reactor: changes are committed at once."""
    call()


@define(eq=False)
class StoredAccounts:
    """
    The accounts in a store. They are written by the journal's writer, in order with the records of tables.

    All accounts are read at the start, and looked up in memory. `learn` adds the changes of other members of a cluster.
    """

    #: The journal of the store that has the accounts.
    _journal: DurableJournal | MemoryJournal
    _accounts: dict[str, Account] = field(init=False)
    #: Called when another member of a cluster has added, changed or deleted an account: with the account before and
    #: after the change.
    learned: Callable[[Account | None, Account | None], None] = lambda before, after: None
    #: How many changes of each key are not durable yet.
    _pending: Counter[str] = field(init=False, factory=Counter)
    #: Changes by other members that wait until this host's own changes of the same key are durable.
    _learned: dict[str, Account | None] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        self._accounts = {account.key: account for account in self._journal.accounts()}

    def find(self, key: str) -> Account | None:
        return self._accounts.get(key)

    def __contains__(self, key: str) -> bool:
        return key in self._accounts

    def names(self) -> Iterable[str]:
        return (account.name for account in self._accounts.values())

    def add(self, account: Account, added: Callable[[Account], None]) -> None:
        """See `Accounts.add`. Adds an account in memory at once, and queues the change."""
        note = AddAccount(account)
        note.owner = self._accounts.setdefault(account.key, account)

        # In a cluster, another member may have taken the key meanwhile: then its account counts.
        def answered() -> None:
            if note.owner is not account:
                self._accounts[account.key] = note.owner
            added(note.owner)

        self._write(note, answered, account.key)

    def change(self, account: Account, durable: Callable[[], None]) -> None:
        """See `Accounts.change`. Replaces an account in memory at once, and queues the change."""
        if account.key not in self._accounts:
            raise ValueError("there is no account of this name")
        self._accounts[account.key] = account
        self._write(change_account(account), durable, account.key)

    def rename(self, account: Account, name: str, durable: Callable[[], None]) -> Account:
        """See `Accounts.rename`. Renames an account in memory at once, and queues the change."""
        renamed = renamed_in(self._accounts, account, name)
        self._write(rename_account(renamed, account.key), durable, account.key, renamed.key)
        return renamed

    def delete(self, account: Account, durable: Callable[[], None]) -> None:
        """See `Accounts.delete`. Deletes an account in memory at once, and queues the change."""
        deleted_in(self._accounts, account)
        self._write(delete_account(account.key), durable, account.key)

    def learn(self, key: str, account: Account | None) -> None:
        """
        Update an account that another member may have changed. While a change of this host is not durable, that change
        counts, and the update waits.

        :param account: the account in the database; `None`: the database has no account with this key
        """
        if self._pending[key]:
            # A change of this host is not durable yet.
            self._learned[key] = account
            return
        before = self._accounts.pop(key, None)
        if account is not None:
            self._accounts[key] = account
        if before != account:
            self.learned(before, account)

    def _write(self, note: Note, durable: Callable[[], None], *keys: str) -> None:
        """Write a change of these keys. When it is durable, also apply the updates that have waited for it."""

        def settled() -> None:
            """Called when the change is durable: applies the updates of these accounts that came meanwhile."""
            self._pending -= Counter(keys)
            durable()
            for key in keys:
                if not self._pending[key] and key in self._learned:
                    self.learn(key, self._learned.pop(key))

        self._pending.update(keys)
        self._journal.also(note, settled)
