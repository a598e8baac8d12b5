"""
Journals for tests. One is in memory, stores every record, and confirms entries when the test orders it. The other
replays a record in another process, with another hash seed and other addresses.

For the other process the game is pickled, so it must be importable there by its name.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from gamehost.accounts.names import place_of
from gamehost.accounts.passwords import Account, deleted_in, renamed_in
from gamehost.games.base import Game, JournalledChance, Seat
from gamehost.journal.records import (
    Entry,
    EntryKind,
    FinishedMatch,
    KeptText,
    Leave,
    OpenedTable,
    OwnedMatch,
    TableElsewhere,
    TableHeader,
    TableId,
    TableRecord,
    UnfinishedTable,
)
from gamehost.journal.replay import NotFollowed, fingerprint, replay
from gamehost.storage.memory import MemoryJournal
from gamehost.storage.row_codec import finishes


class RecordingJournal(MemoryJournal):
    """
    A journal in memory for tests. It stores every record and all accounts, as a journal in a file does. Its methods are
    those of a journal.

    :param late: whether all callbacks wait until the test calls `release`
    """

    def __init__(self, late: bool = False) -> None:
        super().__init__(wall=lambda: 0.0)
        self.late = late
        #: The accounts, by their keys.
        self.people: dict[str, Account] = {}
        #: The finished tables whose players have all received the end.
        self.told_tables: set[TableId] = set()
        #: Since when each sleeping table sleeps, in seconds of uptime.
        self.since: dict[TableId, int] = {}
        #: The deadlines of slow tables that sleep.
        self.due: dict[TableId, int | None] = {}
        #: Sleeping tables that have not been loaded: no entries can be added to them.
        self.asleep: set[TableId] = set()
        #: The tables that this host plays; other hosts may write to the same store.
        self.own: set[TableId] = set()
        self.noted_uptime = 0
        #: The tables that wait for their players.
        self.opened_tables: dict[TableId, OpenedTable] = {}
        #: The callbacks that wait for `release`.
        self._waiting: list[Callable[[], None]] = []

    def open(self, table: TableId, opening: TableHeader, durable: Callable[[], None]) -> None:
        """Begins the record of a table, and notes that this host plays it."""
        assert table not in self.openings
        self.own.add(table)
        super().open(table, opening, partial(self._answer, durable))

    def append(self, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        """
        Appends an entry to a record: also to a record that a test has added.

        :raises ValueError: the record does not exist, or its last entry has finished it
        """
        assert table not in self.asleep, f"table {table} was neither loaded nor woken"
        # `None`: no such record. A test may have added a record without `open`.
        entries = self.entries.get(table)
        if entries is None or (entries and finishes(entries[-1])):
            raise ValueError(f"table {table} is not open: nothing can be added to its record")
        entries.append(entry)
        self._answer(durable)

    def told(self, table: TableId, seat: Seat | None = None) -> None:
        """Notes that a seat, or without a seat every player, has received the end of a match."""
        if seat is None:
            self.told_tables.add(table)
            # What the host had stored for the players of this table is no longer needed.
            self.kept.pop(place_of(table), None)
        else:
            super().told(table, seat)

    def _answer(self, durable: Callable[[], None]) -> None:
        """Makes a callback now; or in `release`, if the journal is late."""
        if self.late:
            self._waiting.append(durable)
        else:
            durable()

    def _tell(self, answer: Callable[[], None]) -> None:
        """
        Makes a callback with something that was read. A subclass can override it, to delay these callbacks alone.
        """
        self._answer(answer)

    def accounts(self) -> Iterable[Account]:
        return self.people.values()

    def names(self) -> list[str]:
        return [account.name for account in self.people.values()]

    def find(self, key: str) -> Account | None:
        return self.people.get(key)

    def add(self, account: Account, added: Callable[[Account], None]) -> None:
        self.people.setdefault(account.key, account)
        self._answer(lambda: added(self.people[account.key]))

    def change(self, account: Account, durable: Callable[[], None]) -> None:
        assert account.key in self.people
        self.people[account.key] = account
        self._answer(durable)

    def rename(self, account: Account, name: str, durable: Callable[[], None]) -> Account:
        renamed = renamed_in(self.people, account, name)
        self._answer(durable)
        return renamed

    def delete(self, account: Account, durable: Callable[[], None]) -> None:
        deleted_in(self.people, account)
        self._answer(durable)

    def release(self, number: int | None = None) -> int:
        """
        Makes waiting callbacks, the oldest first.

        :param number: how many callbacks; `None`: all
        :returns: how many callbacks were made
        """
        ready = self._waiting[:number]
        # Removed before the calls, because a callback may add others.
        del self._waiting[:number]
        for durable in ready:
            durable()
        return len(ready)

    def note_uptime(self, seconds: int) -> None:
        self.noted_uptime = seconds

    def unfinished(self) -> Iterable[UnfinishedTable]:
        """Yields the tables that a host restores at its start: each of them sleeps from now on, if it did not before."""
        for record in self.records():
            since = self.since.setdefault(record.table, self.uptime)
            due = self.due.get(record.table)
            yield UnfinishedTable(record.table, record.opening, bool(record.entries), since, record.told, due)

    def records(self) -> list[TableRecord]:
        """Returns the whole records of the unfinished tables."""
        records = map(self.record, self.openings)
        return [record for record in records if not self._is_done(record)]

    def record(self, table: TableId) -> TableRecord:
        """Returns the whole record of a table."""
        told = self.told_seats.get(table, frozenset())
        return TableRecord(table, self.openings[table], tuple(self.entries[table]), told)

    def _is_done(self, record: TableRecord) -> bool:
        """Whether the host needs a record no more: it was archived, or every player has received the end."""
        archived = bool(record.entries) and record.entries[-1].kind is EntryKind.ARCHIVED
        return archived or record.table in self.told_tables

    def load(self, table: TableId, loaded: Callable[[TableRecord | str], None]) -> None:
        """Reads the record of a sleeping table. From now on, entries can be added to it again."""
        self.asleep.discard(table)
        self._answer(partial(super().load, table, loaded))

    def elsewhere(
        self, known: Collection[TableId], most: int, found: Callable[[Sequence[TableElsewhere], int], None]
    ) -> None:
        """Finds the newest tables that other hosts with the same store play. See `Journal.elsewhere`."""
        # The tables of other hosts: unfinished tables that this host neither plays nor lets sleep.
        others = [one for one in self.records() if not (self.has(one.table) or one.table in self.since)]
        tables = [
            TableElsewhere(
                one.table,
                len(one.entries),
                one.entries[-1].at,
                # The caller knows the opening of this table already.
                None if one.table in known else one.opening,
            )
            for one in sorted(others, key=lambda one: one.table)[-most:]
            if one.entries
        ]
        self._tell(lambda: found(tables, len(others)))

    def has(self, table: TableId) -> bool:
        """Whether this host plays a table, and not another host with the same store."""
        return table in self.own

    def entries_after(
        self, last: Mapping[TableId, int], found: Callable[[Mapping[TableId, Sequence[Entry] | str]], None]
    ) -> None:
        self._tell(partial(super().entries_after, last, found))

    def finished(
        self,
        below: int | None,
        count: int,
        found: Callable[[Sequence[FinishedMatch], int], None],
        *,
        game: str = "",
        name: str = "",
    ) -> None:
        """Finds finished matches. See `Journal.finished`. The answer may wait for `release`."""
        self._tell(partial(super().finished, below, count, found, game=game, name=name))

    def match(self, table: TableId, found: Callable[[FinishedMatch | None], None]) -> None:
        self._tell(partial(super().match, table, found))

    def sleep(
        self, table: TableId, since: int, due: int | None = None, durable: Callable[[], None] = lambda: None
    ) -> None:
        """Notes that a table sleeps: `append` fails from now on, until the table is loaded or woken."""
        self.since[table] = since
        self.due[table] = due
        self.asleep.add(table)
        self._answer(durable)

    def wake(self, table: TableId) -> None:
        """Notes that a table no longer sleeps."""
        self.since.pop(table, None)
        self.due.pop(table, None)
        self.asleep.discard(table)

    def put_opened(self, opened: OpenedTable, durable: Callable[[], None]) -> None:
        self.opened_tables[opened.table] = opened
        self._answer(durable)

    def drop_opened(self, table: TableId, durable: Callable[[], None]) -> None:
        self.opened_tables.pop(table, None)
        self._answer(durable)

    def opened(self) -> Iterable[OpenedTable]:
        return [self.opened_tables[table] for table in sorted(self.opened_tables)]

    def put_own(self, matches: Sequence[tuple[str, OwnedMatch]], durable: Callable[[], None]) -> None:
        super().put_own(matches, partial(self._answer, durable))

    def drop_own(self, table: TableId | None, owner: str | None, durable: Callable[[], None]) -> None:
        super().drop_own(table, owner, partial(self._answer, durable))

    def find_own(self, owner: str, found: Callable[[Sequence[OwnedMatch]], None]) -> None:
        super().find_own(owner, lambda matches: self._answer(partial(found, matches)))

    def put_leave(self, leave: Leave, durable: Callable[[], None]) -> None:
        super().put_leave(leave, partial(self._answer, durable))

    def find_leaves(self, found: Callable[[Sequence[Leave]], None]) -> None:
        super().find_leaves(lambda leaves: self._answer(partial(found, leaves)))

    def put_kept(self, kept: KeptText, durable: Callable[[], None]) -> None:
        super().put_kept(kept, partial(self._answer, durable))

    def find_kept(self, key: str, place: str, found: Callable[[str], None]) -> None:
        super().find_kept(key, place, lambda text: self._answer(partial(found, text)))

    def beside(self) -> "RecordingJournal":
        """
        Returns the journal of another host, with the same store. New tables of that host get other numbers than those of
        this host.
        """
        other = RecordingJournal(self.late)
        # The same objects, not copies: what one host stores, the other one can read.
        other.openings = self.openings
        other.entries = self.entries
        other.people = self.people
        other.told_tables = self.told_tables
        other.told_seats = self.told_seats
        other.since = self.since
        other.own_matches = self.own_matches
        other.leaves = self.leaves
        other.kept = self.kept
        # The number of the last table: the new tables of the two hosts must not have the same numbers.
        other._tables = self._tables + 1000
        return other

    def restarted(self) -> "RecordingJournal":
        """
        Returns the journal of the host's next run, with copies of everything that is stored, confirmed or not. Callbacks
        that still wait are lost.
        """
        again = RecordingJournal(self.late)
        again.openings = dict(self.openings)
        again.entries = {table: list(entries) for table, entries in self.entries.items()}
        again.people = dict(self.people)
        again.told_tables = set(self.told_tables)
        again.told_seats = dict(self.told_seats)
        again.since, again.due = dict(self.since), dict(self.due)
        again.opened_tables = dict(self.opened_tables)
        again.own_matches = {owner: dict(own) for owner, own in self.own_matches.items()}
        again.leaves = dict(self.leaves)
        again.kept = {place: dict(texts) for place, texts in self.kept.items()}
        # The next run continues with the uptime that was noted last.
        again.uptime = again.noted_uptime = self.noted_uptime
        again._tables = self._tables
        return again


def checked_elsewhere(
    game: Game[Any, Any], seats: int, settings: Mapping[str, str], entries: Sequence[Entry], hash_seed: int
) -> str:
    """
    Replays a record in another process.

    :param hash_seed: the hash seed of that process: the order of sets depends on it
    :returns: the fingerprint in hexadecimal; or the text of the error, if the record does not fit the rules
    """
    done = subprocess.run(
        [sys.executable, "-m", "gamehost.testing.journals"],
        input=pickle.dumps((game, seats, dict(settings), tuple(entries))),
        # The other process finds the same modules as this one.
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        timeout=30,
        check=True,
    )
    return done.stdout.decode("utf-8").strip()


def _main() -> None:
    """The other process of `checked_elsewhere`: reads a game and its record, replays it, and prints the fingerprint."""
    game, seats, settings, entries = pickle.load(sys.stdin.buffer)
    chance = JournalledChance()
    try:
        print(fingerprint(replay(game, game.new_master(seats, settings, chance), chance, entries)).hex())
    except NotFollowed as error:
        print(error)


if __name__ == "__main__":
    _main()
