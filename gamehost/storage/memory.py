"""
A journal in memory, which ends with the process: for tests and for `--store=memory`.

Every change counts as durable at once. The last finished matches can be looked up. An SQLite database in memory would
be slower: 28 us for a row, instead of 0.6 us for an entry here.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice

from attrs import define, evolve, field

from gamehost.accounts.names import key_of, place_of
from gamehost.accounts.passwords import Account
from gamehost.games.base import Seat
from gamehost.journal.records import (
    MOST_ENDED,
    Entry,
    EntryKind,
    FinishedMatch,
    KeptText,
    Leave,
    OpenedTable,
    OwnedMatch,
    Pressure,
    Room,
    TableElsewhere,
    TableHeader,
    TableId,
    TableRecord,
    UnfinishedTable,
)
from gamehost.storage.contents import Note
from gamehost.storage.questions import list_key, lists_of
from gamehost.storage.row_codec import finishes

#: How many finished matches are stored, and how many lists of players' own matches.
KEPT, MOST_LISTS = 500, 10_000


@define(eq=False)
class MemoryJournal:
    """A journal without a disk. It stores the records of unfinished tables, and of some finished ones."""

    _tables: int = 0
    #: Returns the seconds since 1970.
    _wall: Callable[[], float] = time.time
    #: The openings and the entries of the stored tables: all unfinished tables, and the last finished ones.
    openings: dict[TableId, TableHeader] = field(init=False, factory=dict)
    entries: dict[TableId, list[Entry]] = field(init=False, factory=dict)
    #: When the stored tables were opened, in milliseconds since 1970.
    _opened: dict[TableId, int] = field(init=False, factory=dict)
    #: The entries of the unfinished tables.
    _open: dict[TableId, list[Entry]] = field(init=False, factory=dict)
    #: The stored tables that are finished, in the order of their ends.
    _ended: dict[TableId, None] = field(init=False, factory=dict)
    #: For each match with an end that not all players have received: the seats that have received the end.
    told_seats: dict[TableId, frozenset[Seat]] = field(init=False, factory=dict)
    #: The lists of players' own matches, by owner and table.
    own_matches: dict[str, dict[TableId, OwnedMatch]] = field(init=False, factory=dict)
    leaves: dict[str, Leave] = field(init=False, factory=dict)
    #: The texts of accounts, by place and account.
    kept: dict[str, dict[str, str]] = field(init=False, factory=dict)
    # See `Store`.
    pressure: Pressure = Pressure.NONE
    room: Room = Room.ENOUGH
    skipped: Sequence[str] = ()
    uptime: int = 0

    @property
    def all_checked(self) -> bool:
        """Always `True`: nothing has to be checked."""
        return True

    def new_table(self) -> TableId:
        self._tables += 1
        return TableId(self._tables)

    def open(self, table: TableId, opening: TableHeader, durable: Callable[[], None]) -> None:
        """See `Journal.open`. Begins the record of a table, which is durable at once."""
        self.openings[table] = opening
        self.entries[table] = self._open[table] = []
        self._opened[table] = int(self._wall() * 1000)
        durable()

    def append(self, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        """
        See `Journal.append`. Adds an entry, which is durable at once.

        :raises ValueError: the table is not open
        """
        entries = self._open.get(table)
        if entries is None:
            raise ValueError(f"table {table} is not open: nothing can be added to its record")
        entries.append(entry)
        if finishes(entry):
            self._end(table, entry)
        durable()

    def _end(self, table: TableId, last: Entry) -> None:
        """
        Note that a record is complete. A table that was archived without a result is dropped, and so are old finished
        tables.
        """
        del self._open[table]
        if last.kind is EntryKind.ARCHIVED:
            self.kept.pop(place_of(table), None)
            self._forget(table)
            return
        self._ended[table] = None
        if len(self._ended) > KEPT:
            oldest = next(iter(self._ended))
            del self._ended[oldest]
            # The record of a match is needed until all players have received its end; `told` drops it then.
            if oldest not in self.told_seats:
                self._forget(oldest)

    def _forget(self, table: TableId) -> None:
        del self.openings[table], self.entries[table], self._opened[table]

    def told(self, table: TableId, seat: Seat | None = None) -> None:
        """
        See `Journal.told`. Without a seat, all players have received the end: then the match is only in the list of
        finished matches, and a match that is too old for the list is dropped.
        """
        if table not in self.openings:
            # The table was archived and dropped.
            return
        if seat is not None:
            self.told_seats[table] = self.told_seats.get(table, frozenset()) | {seat}
            return
        # Texts that wires have stored for the players' accounts during this match are not needed any more.
        self.kept.pop(place_of(table), None)
        # `told_seats` has the matches with an end that some players, but not all, had received; `_ended` is the list of
        # finished matches.
        if self.told_seats.pop(table, None) is not None and table not in self._ended:
            # The match is too old for the list, and was stored only for players that had not received its end.
            self._forget(table)

    def close(self) -> None:
        pass

    def check(self, rows: int, checked: Callable[[Sequence[str], bool], None]) -> None:
        checked((), True)

    def stop(self, stopped: Callable[[], None]) -> None:
        stopped()

    def note_uptime(self, seconds: int) -> None:
        pass

    def unfinished(self) -> Iterable[UnfinishedTable]:
        return ()

    def load(self, table: TableId, loaded: Callable[[TableRecord | str], None]) -> None:
        found = table in self.openings
        loaded(self.record(table) if found else f"table {table}: a journal in memory has no record of it")

    def record(self, table: TableId) -> TableRecord:
        """
        The record of a table so far.

        :raises KeyError: the table is not stored
        """
        told = self.told_seats.get(table, frozenset())
        return TableRecord(table, self.openings[table], tuple(self.entries[table]), told)

    def read(self, table: TableId, found: Callable[[TableRecord | str], None]) -> None:
        self.load(table, found)

    def elsewhere(
        self, known: Collection[TableId], most: int, found: Callable[[Sequence[TableElsewhere], int], None]
    ) -> None:
        found((), 0)

    def entries_after(
        self, last: Mapping[TableId, int], found: Callable[[Mapping[TableId, Sequence[Entry] | str]], None]
    ) -> None:
        """See `Journal.entries_after`. Tables without new entries are left out of the answer."""
        behind = {table: self.entries.get(table, [])[number:] for table, number in last.items()}
        found({table: entries for table, entries in behind.items() if entries})

    def finished(
        self,
        below: int | None,
        count: int,
        found: Callable[[Sequence[FinishedMatch], int], None],
        *,
        game: str = "",
        name: str = "",
    ) -> None:
        """See `Journal.finished`. Reads all stored matches, because a journal in memory has no index."""
        newest = (match for table in sorted(self.openings, reverse=True) if (match := self._match(table)) is not None)
        found(*finished_among(newest, below, count, game, name))

    def match(self, table: TableId, found: Callable[[FinishedMatch | None], None]) -> None:
        found(self._match(table))

    def _match(self, table: TableId) -> FinishedMatch | None:
        """The finished match with this number; `None`: no such match is stored."""
        entries = self.entries.get(table)
        # Only the last entry of a match has an outcome.
        if not entries or not entries[-1].outcome:
            return None
        return FinishedMatch(table, self._opened.get(table, 0), self.openings[table], len(entries), entries[-1])

    def accounts(self) -> Iterable[Account]:
        return ()

    def also(self, note: Note, durable: Callable[[], None]) -> None:
        durable()

    def sleep(
        self, table: TableId, since: int, due: int | None = None, durable: Callable[[], None] = lambda: None
    ) -> None:
        durable()

    def wake(self, table: TableId) -> None:
        pass

    def put_opened(self, opened: OpenedTable, durable: Callable[[], None]) -> None:
        durable()

    def drop_opened(self, table: TableId, durable: Callable[[], None]) -> None:
        durable()

    def opened(self) -> Iterable[OpenedTable]:
        return ()

    def put_own(self, matches: Sequence[tuple[str, OwnedMatch]], durable: Callable[[], None]) -> None:
        """
        See `Journal.put_own`. If an owner has too many ended matches, the oldest are removed; if there are too many
        lists, the oldest list.
        """
        for owner, match in matches:
            own = self.own_matches.setdefault(owner, {})
            own[match.table] = match
            # Negative numbers sort the newest match first.
            newest = sorted((-one.ended, -one.table) for one in own.values() if one.ended is not None)
            for _, table in newest[MOST_ENDED:]:
                del own[TableId(-table)]
        while len(self.own_matches) > MOST_LISTS:
            del self.own_matches[next(iter(self.own_matches))]
        durable()

    def drop_own(self, table: TableId | None, owner: str | None, durable: Callable[[], None]) -> None:
        """
        See `Journal.drop_own`. Without a table, all ended matches are removed; without an owner, the matches of all
        owners.
        """
        for one, own in tuple(self.own_matches.items()):
            if owner in (None, one):
                # Without a table: all ended matches.
                ended = table is None
                kept = {
                    match.table: match for match in own.values() if match.table != table and not (ended and match.ended)
                }
                self._set_own(one, kept)
        durable()

    def move_own(self, before: str, after: str | None) -> None:
        """See `Journal.move_own`. Without a new owner, the list, the leave and the texts are removed."""
        own, leave = self.own_matches.pop(before, {}), self.leaves.pop(before, None)
        if after is not None:
            self._set_own(after, own)
            self.leaves.pop(after, None)
            if leave is not None:
                self.leaves[after] = evolve(leave, key=after)
        for texts in self.kept.values():
            text = texts.pop(before, None)
            if after is not None:
                texts.pop(after, None)
                if text is not None:
                    texts[after] = text

    def find_own(self, owner: str, found: Callable[[Sequence[OwnedMatch]], None]) -> None:
        own = self.own_matches.get(owner, {})
        found([own[table] for table in sorted(own)])

    def put_leave(self, leave: Leave, durable: Callable[[], None]) -> None:
        """See `Journal.put_leave`. If there are too many leaves, the oldest one is removed."""
        # Remove and add it, so that it becomes the newest.
        self.leaves.pop(leave.key, None)
        self.leaves[leave.key] = leave
        while len(self.leaves) > MOST_LISTS:
            del self.leaves[next(iter(self.leaves))]
        durable()

    def find_leaves(self, found: Callable[[Sequence[Leave]], None]) -> None:
        found([self.leaves[key] for key in sorted(self.leaves)])

    def put_kept(self, kept: KeptText, durable: Callable[[], None]) -> None:
        """
        See `Journal.put_kept`. An empty text removes the old one, and so does a text of a table that is not in
        progress. If there are too many texts, the oldest one is removed.
        """
        texts = self.kept.setdefault(kept.place, {})
        # Remove and add it, so that it becomes the newest.
        texts.pop(kept.key, None)
        if kept.text and (kept.table is None or self._goes_on(kept.table)):
            texts[kept.key] = kept.text
        if len(texts) > MOST_LISTS:
            del texts[next(iter(texts))]
        durable()

    def find_kept(self, key: str, place: str, found: Callable[[str], None]) -> None:
        found(self.kept.get(place, {}).get(key, ""))

    def _goes_on(self, table: TableId) -> bool:
        entries = self.entries.get(table)
        return entries is not None and not (entries and finishes(entries[-1]))

    def _set_own(self, owner: str, own: dict[TableId, OwnedMatch]) -> None:
        """Store the list of an owner, or remove it if it is empty."""
        if own:
            self.own_matches[owner] = own
        else:
            self.own_matches.pop(owner, None)


def finished_among(
    matches: Iterable[FinishedMatch], below: int | None, count: int, game: str, name: str
) -> tuple[Sequence[FinishedMatch], int]:
    """
    The answer of `Journal.finished`, for a journal without an index.

    :param matches: all finished matches, the newest first
    """
    wanted = list_key(key_of(name)), list_key(game)
    fitting = (
        match for match in matches if (below is None or match.table < below) and wanted in lists_of(match.opening)
    )
    some = list(islice(fitting, count))
    return some, some[-1].table if next(fitting, None) is not None else 1
