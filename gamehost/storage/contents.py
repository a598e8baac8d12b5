"""
An open store, of either engine: how the host reads it at the start, and how a group of changes is added to it. Besides
the records of tables, a store contains accounts, proofs, bans, the up-time, and notes about unfinished tables.

A store carries out the changes of a group in the order in which they were added. A group is everything that one commit
writes: rows, tables that begin and end, and notes; and what is read with the same commit.

If no player has acted in a match, its rows are removed after its end. They are needed before, because the players have
received their seats and their cards. After the end nobody needs them: such a match is in no list, and does not count.
So a store removes its rows some seconds after the end, when all members of a cluster have read the end, or when the
host stops.

At the start, the host checks the records of unfinished tables: is every row as it was written? A limited number of
records is checked, so that the start is short. Of each later table only the first two rows are read; they name the
players. The host checks these tables while it runs, some at a time, or earlier if a player comes.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Protocol, TypeAlias

import msgspec
from attrs import define, evolve, field, frozen

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account, Cost, Digest
from gamehost.accounts.proofs import Proof
from gamehost.games.base import Seat
from gamehost.journal.records import (
    Entry,
    EntryKind,
    OpenedTable,
    StoreUnusable,
    TableHeader,
    TableId,
    TableRecord,
    UnfinishedTable,
)
from gamehost.storage.questions import (
    LISTED_AT_ONCE,
    Database,
    Ended,
    Readable,
    Sql,
    TableRows,
    opened_in,
)
from gamehost.storage.row_codec import (
    Damaged,
    Head,
    Opened,
    Row,
    Undecodable,
    chain_of,
    end_of,
    entry_row,
    finishes,
    opening_row,
    read_opening,
    record_of,
)

#: Advice in messages about a store that was changed or damaged.
PUT_BACK = "put back the newest copy that `gamehost journal verify` passes"

# Notes. A note is a change of something else than the record of a table. It has its own SQL for both engines.


#: The columns of an account, in the order of the parameters of `account_of`.
ACCOUNT_COLUMNS = "name, shown, n, r, p, salt, hash"
_ACCOUNT = f"SELECT {ACCOUNT_COLUMNS} FROM account WHERE key = ?"
#: SQL for a database: counts the changed rows of `live` for each of their owners.
COUNTED = "(SELECT owner, count(*) AS tables, sum(game) AS numbers FROM changed GROUP BY owner) AS counted"
REMOVE = Sql(
    "DELETE FROM live WHERE game = ?",
    f"""WITH changed AS (DELETE FROM live WHERE game = ? RETURNING owner, game)
    UPDATE member SET tables = member.tables - counted.tables, numbers = member.numbers - counted.numbers
    FROM {COUNTED} WHERE epoch = owner""",
)
_UPTIME = Sql("UPDATE uptime SET seconds = ?", "UPDATE uptime SET seconds = greatest(seconds, ?)")
_INSERT_ACCOUNT = (
    f"INSERT INTO account(key, {ACCOUNT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING"
)
_CHANGE_ACCOUNT = "UPDATE account SET n = ?, r = ?, p = ?, salt = ?, hash = ? WHERE key = ?"
_RENAME = "UPDATE account SET key = ?, name = ?, shown = '' WHERE key = ?"
_PUT_PROOF = """
    INSERT INTO proof(key, of_address, digest, day) VALUES (?, ?, ?, ?)
    ON CONFLICT (key, digest) DO UPDATE SET of_address = excluded.of_address, day = excluded.day"""
_PUT_BAN = """
    INSERT INTO ban(key, target, since, until) VALUES (?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET target = excluded.target, since = excluded.since, until = excluded.until"""
_PUT_OPENED = Sql(
    "INSERT INTO opened(game, body) VALUES (?1, ?3) ON CONFLICT (game) DO UPDATE SET body = excluded.body",
    "INSERT INTO opened(game, owner, body) VALUES (?, ?, ?) ON CONFLICT (game) DO UPDATE SET body = excluded.body",
)
_READ_OPENED = "SELECT body FROM opened ORDER BY game"
#: In a file every row has the owner 0.
_READ_OPENED_OF = Sql(
    "SELECT body FROM opened WHERE ?1 = 0 ORDER BY game", "SELECT body FROM opened WHERE owner = ? ORDER BY game"
)
#: In a file the row of a deleted account remains, without a name: the high-water mark counts accounts, and a start with
#: fewer accounts is refused. No key of a real account begins with "!".
_DELETE = Sql(
    "UPDATE account SET key = '!' || hex(randomblob(16)), name = '', shown = '', salt = x'', hash = x'' WHERE key = ?",
    "DELETE FROM account WHERE key = ?",
)


def read_accounts(database: Readable) -> Iterable[Account]:
    """All accounts, in the order of their keys, without deleted ones."""
    rows = database.rows(f"SELECT {ACCOUNT_COLUMNS} FROM account WHERE name <> '' ORDER BY key")
    return (account_of(*row) for row in rows)


def account_of(name: str, shown: str, n: int, r: int, p: int, salt: bytes, made: bytes) -> Account:
    """The account in a row with the columns `ACCOUNT_COLUMNS`."""
    return Account(name, Digest(Cost(n, r, p), salt, made), shown)


def _digest_columns(digest: Digest) -> tuple[int, int, int, bytes, bytes]:
    """The columns `n, r, p, salt, hash` of an account."""
    return digest.cost.n, digest.cost.r, digest.cost.p, digest.salt, digest.hash


def read_proofs(database: Readable) -> Iterable[Proof]:
    rows = database.rows("SELECT key, of_address, digest, day FROM proof")
    return (Proof(key, bool(of_address), digest, day) for key, of_address, digest, day in rows)


def read_bans(database: Readable) -> Iterable[Ban]:
    return [Ban(*row) for row in database.rows("SELECT key, target, since, until FROM ban")]


def read_opened(database: Readable, owner: int | None = None) -> Iterator[OpenedTable]:
    """
    The open tables, which wait for players, oldest first. A table that this release cannot read is left out.

    :param owner: in a database, the number of the run of the host that has the tables; `None`: the tables of all hosts
    """
    rows = database.rows(_READ_OPENED) if owner is None else database.rows(_READ_OPENED_OF, (owner,))
    for (body,) in rows:
        with suppress(msgspec.MsgspecError):
            yield msgspec.msgpack.decode(body, type=OpenedTable)


def read_uptime(database: Readable) -> int:
    """
    The number of seconds for which hosts have run with this store, as the store says.

    :raises StoreUnusable: the store was changed
    """
    return read_number(database, "uptime", "seconds")


def read_number(database: Readable, table: str, column: str) -> int:
    """
    The number in a table that has one row.

    :raises StoreUnusable: the store was changed
    """
    found = database.rows(f"SELECT {column} FROM {table}")
    if len(found) != 1:
        raise StoreUnusable(
            f"the journal was changed: its table {table!r} has {len(found)} rows instead of one; {PUT_BACK}"
        )
    return int(found[0][0])


class Note(Protocol):
    """A change of something else than the record of a table."""

    def write(self, database: Database) -> None:
        """Carry out the change. Must be called within a transaction."""


@frozen
class Sleep:
    """Notes since when all players of an unfinished table are away, or that a player has come back."""

    table: TableId
    #: Since when all players are away, in seconds of up-time; `None`: a player is connected.
    since: int | None
    #: See `Journal.sleep`.
    due: int | None = None

    def write(self, database: Database) -> None:
        database.run("UPDATE live SET since = ?, due = ? WHERE game = ?", (self.since, self.due, self.table))


@frozen
class Told:
    """Notes that a player has received the end of a match."""

    table: TableId
    #: The player's seat; `None`: all players have received the end, and the table is removed from the list of
    #: unfinished tables.
    seat: Seat | None

    def write(self, database: Database) -> None:
        """
        Note that one seat has received the end of its match. Without a seat, all players have received it, and the
        table leaves the list of unfinished tables.
        """
        if self.seat is None:
            database.run(REMOVE, (self.table,))
        else:
            # `told` has one bit for each seat.
            database.run("UPDATE live SET told = told | ? WHERE game = ?", (1 << self.seat, self.table))


@define(eq=False)
class AddAccount:
    """Add an account, if its key is free."""

    account: Account
    #: The account that has the key after the commit: this account, or an earlier one. Before the commit: as far as this
    #: host knows.
    owner: Account = field(init=False)
    #: Whether a look-up before the insertion found no account with this key.
    added: bool = field(init=False, default=False)

    def __attrs_post_init__(self) -> None:
        self.owner = self.account

    def write(self, database: Database) -> None:
        """Insert the account, if its key is free. `owner` is the account that has the key afterwards."""
        account = self.account
        # Look up the key first: for an INSERT that may fail, SQLite would need a temporary file.
        if not (found := database.rows(_ACCOUNT, (account.key,))):
            database.run(_INSERT_ACCOUNT, (account.key, account.name, account.shown, *_digest_columns(account.digest)))
            # Another member of a cluster may have put in a text of an account that was deleted in this moment.
            database.run("DELETE FROM kept WHERE key = ?", (account.key,))
            found = database.rows(_ACCOUNT, (account.key,))
            self.added = True
        owner = account_of(*found[0])
        # If the stored account is equal, `owner` is the object of the caller, who compares with `is`.
        self.owner = account if owner == account else owner


@frozen
class Statement:
    """A note that consists of one SQL statement."""

    sql: str | Sql
    #: Hidden in messages, because they may be secret.
    parameters: Sequence[Any] = field(repr=False)

    def write(self, database: Database) -> None:
        database.run(self.sql, self.parameters)


def put_uptime(seconds: int) -> Statement:
    """Notes the number of seconds for which hosts have run with this store. In a cluster the largest number counts."""
    return Statement(_UPTIME, (seconds,))


def change_account(account: Account) -> Statement:
    """Stores the new digest of an account."""
    return Statement(_CHANGE_ACCOUNT, (*_digest_columns(account.digest), account.key))


def rename_account(account: Account, key: str) -> Statement:
    """
    Gives an account another name, if the key of the new name is free.

    :param account: the account with its new name
    :param key: the key of its old name
    """
    if account.key == key:
        return Statement(_RENAME, (key, account.name, key))
    free = "NOT EXISTS (SELECT 1 FROM account WHERE key = ?)"
    return Statement(f"{_RENAME} AND {free}", (account.key, account.name, key, account.key))


def delete_account(key: str) -> Statement:
    """Deletes the name and the digest of an account."""
    return Statement(_DELETE, (key,))


def put_opened(opened: OpenedTable, owner: int) -> Statement:
    """
    Adds an open table, or replaces it.

    :param owner: see `read_opened`
    """
    return Statement(_PUT_OPENED, (opened.table, owner, msgspec.msgpack.encode(opened)))


def drop_opened(table: TableId) -> Statement:
    """Removes an open table, if it is stored."""
    return Statement("DELETE FROM opened WHERE game = ?", (table,))


def put_proof(proof: Proof) -> Statement:
    """Adds a proof. It replaces a proof with the same key and digest."""
    return Statement(_PUT_PROOF, (proof.key, proof.of_address, proof.digest, proof.day))


def drop_proof(proof: Proof) -> Statement:
    """Removes a proof, if it is stored."""
    return Statement("DELETE FROM proof WHERE key = ? AND digest = ?", (proof.key, proof.digest))


def put_ban(ban: Ban) -> Statement:
    """Adds a ban. It replaces a ban with the same key."""
    return Statement(_PUT_BAN, (ban.key, ban.target, ban.since, ban.until))


def drop_ban(key: str) -> Statement:
    """Removes a ban, if it is stored."""
    return Statement("DELETE FROM ban WHERE key = ?", (key,))


# The tables.


#: The number of a table, with the table's opening or one of its entries.
Record: TypeAlias = tuple[TableId, TableHeader | Entry]


@define(eq=False)
class Reading:
    """
    A read of the store that waits in the writer's queue, between the changes. The changes in front of it are written
    first, so its answer contains them, and a table can continue from it. The host makes such reads for instance at its
    start, and when a player comes to a table that is not in memory.
    """

    #: Called on the writer's thread with the `OpenStore`; its result becomes `answer`.
    ask: Callable[[Any], Any]
    answer: Any = None


#: Everything that the writer's queue can contain.
Change: TypeAlias = Record | Note | Reading


@frozen
class UnreadableRow:
    """An unfinished table that cannot be continued, with the reason."""

    table: TableId
    why: str


class StoreFailed(Exception):
    """Nothing can be written, because an earlier write has failed. The host must start again and read the disk."""


#: For how many seconds after its end a match without an action of a player is stored. Other members of a cluster need
#: less than a second to read the end.
LINGER = 10.0
#: Only matches with at most this number of entries are examined: in longer matches a player has acted.
_FEW = 8
#: How many matches are examined with one commit. This takes some milliseconds.
_AT_ONCE = 20


@define
class Group:
    """The changes of one commit, sorted by what is to be done with them."""

    rows: list[Row] = field(factory=list)
    opened: list[int] = field(factory=list)
    #: The last rows of tables that were archived without a result.
    archived: list[Row] = field(factory=list)
    #: The last rows of matches that ended with a result, each with the opening of its match, if it is known.
    ended: list[tuple[Row, Opened | None]] = field(factory=list)
    notes: list[Note] = field(factory=list)
    readings: list[Reading] = field(factory=list)
    #: The new end of the chain of hashes of each changed table; `None`: the table is not in use any more.
    heads: dict[int, Head | None] = field(factory=dict)

    def update_heads(self, heads: dict[int, Head]) -> None:
        """Write the new ends of the chains into `heads`."""
        for table, head in self.heads.items():
            if head is None:
                heads.pop(table, None)
            else:
                heads[table] = head

    @property
    def noted(self) -> bool:
        """Whether the group has changes besides rows and new tables."""
        return bool(self.notes or self.archived or self.ended)


def build_group(
    changes: Sequence[Change],
    numbers: Iterator[int],
    wall: Callable[[], float],
    known: Mapping[int, Head],
    head: Callable[[TableId], Head],
) -> Group:
    """
    Sort changes into a group, and make the rows of their entries.

    :param numbers: gives the numbers of new rows, which are a part of their hashes
    :param wall: returns the seconds since 1970
    :param known: the ends of the chains of all tables in use, before this group
    :param head: finds the end of the chain of any other table
    """
    group = Group()
    rows, heads = group.rows, group.heads
    for change in changes:
        # Questions and notes have no rows.
        if isinstance(change, Reading):
            group.readings.append(change)
            continue
        if not isinstance(change, tuple):
            group.notes.append(change)
            # A table that falls asleep is not in use any more. A note without a time says that a table has woken up.
            if isinstance(change, Sleep) and change.since is not None:
                heads[change.table] = None
            continue
        table, record = change
        # An entry continues the chain of its table; a header begins one.
        if isinstance(record, Entry):
            # The end of the chain is the last row of this group, or the end from before the group. For a table that
            # fell asleep earlier in this group, look for its last row in the group; a table that is not in use is read
            # from the store.
            before = heads.get(table)
            if before is None:
                before = (_last_of(rows, table) if table in heads else known.get(table)) or head(table)
            row = entry_row(next(numbers), table, before, record)
            heads[table] = None if finishes(record) else Head(row.n, row.h, before.opened)
            if record.kind is EntryKind.ARCHIVED:
                # A table that has a result is listed until its players have received it.
                group.archived.append(row)
            elif record.outcome:
                group.ended.append((row, before.opened))
        else:
            row = opening_row(next(numbers), table, record, int(wall() * 1000))
            group.opened.append(table)
            heads[table] = Head(0, row.h, (row.seq, record))
        rows.append(row)
    return group


def _last_of(rows: Sequence[Row], table: TableId) -> Head | None:
    """
    The end of the chain of a table after the last of these rows, which are those of one group. It is needed if the
    table has fallen asleep in the middle of the group. `None`: the group has no row of the table.
    """
    return next((Head(row.n, row.h) for row in reversed(rows) if row.game == table), None)


@define(eq=False)
class UnplayedMatches:
    """
    The queue of short matches that have ended in this run: those without an action of a player are to be removed. If
    the host is killed before it removes them, they remain in the store.
    """

    #: Seconds since 1970.
    _wall: Callable[[], float]
    #: The table numbers, each with the time, in seconds since 1970, at which the match is to be examined.
    _ended: deque[tuple[float, int]] = field(factory=deque)

    def follow(self, group: Group) -> None:
        """Put the short matches that end with a group into the queue."""
        if group.ended or group.archived:
            self.later([row.game for row in (*group.archived, *(row for row, _ in group.ended)) if row.n <= _FEW])

    def later(self, tables: Iterable[int]) -> None:
        """Put tables into the queue, to be examined after `LINGER` seconds."""
        at = self._wall() + LINGER
        self._ended.extend((at, table) for table in tables)

    def all(self) -> list[int]:
        """Take all tables out of the queue, when the host stops."""
        tables = [table for _, table in self._ended]
        self._ended.clear()
        return tables

    def due(self) -> list[int]:
        """
        Take the tables that must be examined now out of the queue. The caller gives tables that cannot be removed yet
        to `later` again.
        """
        if not self._ended or self._ended[0][0] > (now := self._wall()):
            return []
        tables: list[int] = []
        while self._ended and self._ended[0][0] <= now and len(tables) < _AT_ONCE:
            tables.append(self._ended.popleft()[1])
        return tables


def is_unplayed(rows: Sequence[Row]) -> bool:
    """
    Whether a match is finished, without an action of a player, and not of a championship. `False` for a damaged table:
    its damage must be found as in any other table.
    """
    try:
        # The rows are missing.
        if chain_of(rows) is None:
            return False
        record = record_of(rows)
    except (Damaged, Undecodable):
        return False
    entries, opening = record.entries, record.opening
    return (
        # Without an action, a match has at most one entry for each seat: its player was away, or gave up.
        0 < len(entries) <= len(opening.seats)
        and finishes(entries[-1])
        and all(entry.kind is not EntryKind.ACTED for entry in entries)
        and not opening.championship
    )


#: How many rows are checked before the ports open. This takes a third of a second.
AT_START = 100_000
#: Advice in messages about a store that another host uses.
ANOTHER_STORE = (
    "stop that host, or start this one with a store and ports of its own, "
    "for example --store=second.sqlite --shift=1000"
)

#: Advice in messages about a refused store. Only `gamehost journal verify` explains how to continue with a loss.
VERIFY_FIRST = (
    "Nothing was changed. Put the right files or a right backup back. If there are none, run gamehost journal verify: "
    "it says what is damaged, and how to go on. If it finds no fault, nothing is lost: report this message"
)


def in_words(damage: Sequence[UnreadableRow]) -> str:
    """A sentence about damaged tables: the damage of the first, and how many more there are."""
    more = f", and {len(damage) - 1} more tables" if len(damage) > 1 else ""
    return f"the journal was changed or damaged: {damage[0].why}{more}"


def _damage(table: int, rows: Sequence[Any]) -> list[UnreadableRow]:
    """Check some or all rows of a table, from the first one. Returns the damage; empty if there is none."""
    try:
        if chain_of(rows) is None:
            raise Damaged(f"table {table}: all of its rows are missing")
    except Damaged as error:
        return [UnreadableRow(TableId(table), str(error))]
    return []


_NO_SEATS: frozenset[Seat] = frozenset()


def seats_of(bits: int) -> frozenset[Seat]:
    """The seats that have their bit set in a number. Bit 0 is the first seat."""
    return frozenset(Seat(seat) for seat in range(bits.bit_length()) if bits >> seat & 1) if bits else _NO_SEATS


@define(eq=False)
class OpenStore:
    """
    The contents of a store, over one connection to it. The methods block until the disk is ready.

    After a failed write an `OpenStore` accepts no more changes, because the contents of the disk are not known. The
    next start reads them.
    """

    #: The connection for reads.
    database: Readable = field(init=False)
    tables: TableRows = field(init=False)
    #: The numbers of the unfinished tables that are not checked yet.
    _unchecked: range = field(init=False, default=range(0))
    #: Returns the seconds since 1970, for the time in a table's row 0.
    _wall: Callable[[], float] = field(init=False)
    #: The ends of the chains of all tables in use.
    _heads: dict[int, Head] = field(init=False, factory=dict)
    _unplayed: UnplayedMatches = field(init=False)
    _given_up: Sequence[UnreadableRow] = field(init=False, default=())
    _failed: bool = field(init=False, default=False)

    def _read_from(self, database: Readable, tables: TableRows, wall: Callable[[], float]) -> None:
        self.database, self.tables, self._wall = database, tables, wall
        self._unplayed = UnplayedMatches(wall)

    def commit(self, changes: Sequence[Change]) -> None:
        """
        Write a group of changes. When this returns, all of them are durable. When this raises, it is not known which
        are.

        :raises StoreFailed: this commit or an earlier one has failed
        :raises Exception: an error of the database
        """
        if self._failed:
            raise StoreFailed("a write has failed before, and nothing may be written after it")
        # If anything below raises, `_failed` remains set, and nothing more is written.
        self._failed = True
        group = self._add(changes)
        self._unplayed.follow(group)
        for reading in group.readings:
            reading.answer = reading.ask(self)
        self._failed = False

    def _add(self, changes: Sequence[Change]) -> Group:
        """Make changes durable, with one row for each entry. An engine may store them in another way."""
        group = build_group(changes, self._numbers(), self._wall, self._heads, self._head)
        self._write(group)
        group.update_heads(self._heads)
        return group

    def _numbers(self) -> Iterator[int]:
        """The numbers of the next rows, which are a part of their hashes."""
        raise NotImplementedError

    def _write(self, group: Group) -> None:
        """Write a group in one transaction."""
        raise NotImplementedError

    def _ended(self, group: Group) -> Iterator[Ended]:
        """
        The rows of the list of finished matches for a group that is already inserted. A match with an unreadable
        opening is left out.
        """
        for last, opened in group.ended:
            # The group has the opening only of a table that was in use.
            opened = opened or opened_in(self.tables.rows(last.game))
            if opened is not None:
                yield Ended(last.game, opened[0], last.seq, opened[1])

    def _head(self, table: TableId) -> Head:
        """The end of the chain of a table."""
        head = self._heads.get(table) or chain_of(self.tables.rows(table))
        if head is None:
            raise Damaged(f"table {table}: all of its rows are missing")
        return head

    def read(self, table: TableId) -> TableRecord | str:
        """
        The record of a table, or the reason why it cannot be read. From then on, entries can be added to the table if
        it is unfinished.
        """
        rows = self.tables.rows(table)
        try:
            head = chain_of(rows)
            if head is None:
                return f"table {table}: all of its rows are missing"
            told = self._told(table, rows)
            record = evolve(record_of(rows), told=seats_of(told or 0))
        except (Damaged, Undecodable) as error:
            return str(error)
        # `None`: another host plays the table, so this host must not add entries to it.
        if told is not None:
            if not (record.entries and finishes(record.entries[-1])):
                self._follow(table, rows, head._replace(opened=(rows[0].seq, record.opening)))
            elif record.entries[-1].kind is EntryKind.ARCHIVED:
                return f"table {table}: it was put away, and yet is listed as unfinished"
        return record

    def _follow(self, table: TableId, rows: Sequence[Row], head: Head) -> None:
        """Note the end of a table's chain, after its rows were checked: entries can be added from now on."""
        self._heads[table] = head

    def _told(self, table: TableId, rows: Sequence[Row]) -> int | None:
        """
        The bits of the seats that have received the end of a match; `None`: this host does not play the table.

        :param rows: the rows of the table
        :raises Damaged: the rows do not fit the notes of the store about the table
        """
        raise NotImplementedError

    def check_at_start(self, everything: bool) -> list[UnreadableRow]:
        """
        Check the records of unfinished tables, the oldest first. Returns the damage. Without `everything`, a limited
        number of rows is checked, and of later tables the first two rows.
        """
        last = rows_read = 0
        damage: list[UnreadableRow] = []
        # Check whole records, until enough rows are read. A row can contain several entries, and each counts.
        for last, rows in self.tables.unfinished():
            damage += _damage(last, rows)
            rows_read += end_of(rows[-1]) + 1 if rows else 0
            if rows_read >= AT_START and not everything:
                break
        # Check only the beginnings of the other tables. `check` reads the rest of them later.
        for table, rows in self.tables.unfinished(first=2, after=last):
            damage += _damage(table, rows)
            self._unchecked = range(last + 1, table + 1)
        return damage

    @property
    def all_checked(self) -> bool:
        """Whether all tables that were unfinished at the start are checked."""
        return not self._unchecked

    def check(self, rows: int) -> list[str]:
        """
        Check more of the tables that were unfinished at the start: about `rows` rows. Returns their damage, one
        sentence for each table.
        """
        # `_unchecked` has the numbers of the tables that are not checked yet.
        unchecked, damage = self._unchecked, list[str]()
        for table in self.tables.unfinished_between(unchecked.start, unchecked.stop - 1, rows):
            record = self.tables.rows(table)
            damage += (damaged.why for damaged in _damage(table, record))
            # Each entry counts as one row.
            rows -= end_of(record[-1]) + 1 if record else 0
            if rows <= 0:
                self._unchecked = range(table + 1, unchecked.stop)
                return damage
        self._unchecked = range(0)
        return damage

    def lost(self) -> Sequence[Any]:
        """
        The tables that cannot be played because rows that players had received are missing. Only a database can have
        such tables.
        """
        return ()

    def go_on(self, table: TableId) -> UnfinishedTable | None:
        """
        Resume a table of `lost` with the rows that are left; `None`: the table is not one of them, or it has no row.
        """
        return None

    def end_lost(self, table: TableId) -> bool:
        """
        Remove a table of `lost` from the list of unfinished tables. Its rows remain. Returns whether it was such a
        table.
        """
        # A file has no lost tables.
        return False

    def unfinished(self) -> Iterator[UnfinishedTable | UnreadableRow]:
        """
        The unfinished tables, oldest first, after the tables that cannot be played any more. Notes that all of them
        sleep. Reads the first two rows of each table: the second row shows that the match has begun.
        """
        yield from self._given_up
        # After a start, no table has a player yet.
        self._put_to_sleep()
        tables = self.tables.unfinished(first=2)
        while some := list(islice(tables, LISTED_AT_ONCE)):
            notes = self.tables.notes_between(some[0][0], some[-1][0])
            for (number, rows), (since, told, due) in zip(some, notes, strict=True):
                table = TableId(number)
                if not rows:
                    yield UnreadableRow(table, f"table {table}: all of its rows are missing")
                    continue
                try:
                    opening = read_opening(Row._make(rows[0]))
                except Undecodable as error:
                    yield UnreadableRow(table, str(error))
                else:
                    yield UnfinishedTable(table, opening, len(rows) > 1, since, seats_of(told), due)

    def _put_to_sleep(self) -> None:
        """Note for each unfinished table that its players are away, because the last host has ended."""
        raise NotImplementedError
