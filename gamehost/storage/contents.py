"""
The contents of an open store, of either engine: how a start reads it, and how a group of changes is added to it.
Besides the tables' records these are accounts, proofs, bans, up-time, and notes of unfinished tables.

A store carries out the changes of a group in the order in which they were added. A group is what one commit writes: the rows,
the tables that begin and end, the notes, and what is read with them.

The rows of a match in which no player has acted are removed later. They are needed while it is played, because its
players have received their seats and their cards, and until its end was sent. Later they are of no use: such a match is
in no list, and does not count. So a store removes its rows some seconds after the end, when all followers have read
that, or when the host stops.

A start checks the records of unfinished tables: is every row the same as it was written? It reads as many records as a
short start allows. Of all others it reads the first two rows, which name the players. The other records are checked
while the host runs, some at a time. If a player of a table comes earlier, the table is read and checked then.
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

#: The advice to the owner of a store that was changed or damaged.
PUT_BACK = "put back the newest copy that `gamehost journal verify` passes"

# Notes: a note is a change beside the tables' records, with its own SQL for both engines.


#: Of an account, in the order of `account_of`.
ACCOUNT_COLUMNS = "name, shown, n, r, p, salt, hash"
_ACCOUNT = f"SELECT {ACCOUNT_COLUMNS} FROM account WHERE key = ?"
#: The changed rows of `live` are counted for their owners in a database.
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
#: What is in a file has the owner 0.
_READ_OPENED_OF = Sql(
    "SELECT body FROM opened WHERE ?1 = 0 ORDER BY game", "SELECT body FROM opened WHERE owner = ? ORDER BY game"
)
#: In a file the row stays, without a name. The high-water mark counts accounts, and a start with fewer is refused. No name has
#: the character "!".
_DELETE = Sql(
    "UPDATE account SET key = '!' || hex(randomblob(16)), name = '', shown = '', salt = x'', hash = x'' WHERE key = ?",
    "DELETE FROM account WHERE key = ?",
)


def read_accounts(database: Readable) -> Iterable[Account]:
    rows = database.rows(f"SELECT {ACCOUNT_COLUMNS} FROM account WHERE name <> '' ORDER BY key")
    return (account_of(*row) for row in rows)


def account_of(name: str, shown: str, n: int, r: int, p: int, salt: bytes, made: bytes) -> Account:
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
    The tables that wait, oldest first. One that this release cannot read is left out.

    :param owner: in a database, the life of the host that has them; `None`: of all
    """
    rows = database.rows(_READ_OPENED) if owner is None else database.rows(_READ_OPENED_OF, (owner,))
    for (body,) in rows:
        with suppress(msgspec.MsgspecError):
            yield msgspec.msgpack.decode(body, type=OpenedTable)


def read_uptime(database: Readable) -> int:
    """
    The number of seconds for which hosts have run on a store, as far as it was noted.

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
    """A change that is no row of a table's record."""

    def write(self, database: Database) -> None:
        """Carry it out. Within a transaction."""


@frozen
class Sleep:
    """The last player of an unfinished table has left, or one has come back."""

    table: TableId
    #: In seconds of up-time; `None`: a player is there.
    since: int | None
    #: As of `Journal.sleep`.
    due: int | None = None

    def write(self, database: Database) -> None:
        database.run("UPDATE live SET since = ?, due = ? WHERE game = ?", (self.since, self.due, self.table))


@frozen
class Told:
    """A player has received the end of a finished table."""

    table: TableId
    #: `None`: no other player must receive it.
    seat: Seat | None

    def write(self, database: Database) -> None:
        if self.seat is None:
            database.run(REMOVE, (self.table,))
        else:
            database.run("UPDATE live SET told = told | ? WHERE game = ?", (1 << self.seat, self.table))


@define(eq=False)
class AddAccount:
    """Add an account, if its key is free."""

    account: Account
    #: The account that has the key after the commit: this one, or the one that had it before. Until then, as this host knows.
    owner: Account = field(init=False)
    #: Whether the key was free, as far as this host saw before the commit.
    added: bool = field(init=False, default=False)

    def __attrs_post_init__(self) -> None:
        self.owner = self.account

    def write(self, database: Database) -> None:
        account = self.account
        # The key is asked for first: an INSERT that may fail would need a temporary file.
        if not (found := database.rows(_ACCOUNT, (account.key,))):
            database.run(_INSERT_ACCOUNT, (account.key, account.name, account.shown, *_digest_columns(account.digest)))
            # Another member of a cluster may have put in a text of an account that was deleted in this moment.
            database.run("DELETE FROM kept WHERE key = ?", (account.key,))
            found = database.rows(_ACCOUNT, (account.key,))
            self.added = True
        owner = account_of(*found[0])
        self.owner = account if owner == account else owner


@frozen
class Statement:
    """A note that is one statement."""

    sql: str | Sql
    #: They may be secret.
    parameters: Sequence[Any] = field(repr=False)

    def write(self, database: Database) -> None:
        database.run(self.sql, self.parameters)


def put_uptime(seconds: int) -> Statement:
    """Note the number of seconds for which hosts have run on the store. Other members of a cluster note theirs, too."""
    return Statement(_UPTIME, (seconds,))


def change_account(account: Account) -> Statement:
    return Statement(_CHANGE_ACCOUNT, (*_digest_columns(account.digest), account.key))


def rename_account(account: Account, key: str) -> Statement:
    """
    Give an account another name with a free key.

    :param account: under its new name
    :param key: the key that it had
    """
    if account.key == key:
        return Statement(_RENAME, (key, account.name, key))
    free = "NOT EXISTS (SELECT 1 FROM account WHERE key = ?)"
    return Statement(f"{_RENAME} AND {free}", (account.key, account.name, key, account.key))


def delete_account(key: str) -> Statement:
    """Delete the name and the digest of an account."""
    return Statement(_DELETE, (key,))


def put_opened(opened: OpenedTable, owner: int) -> Statement:
    """
    Add a table that waits, or change it.

    :param owner: as of `read_opened`
    """
    return Statement(_PUT_OPENED, (opened.table, owner, msgspec.msgpack.encode(opened)))


def drop_opened(table: TableId) -> Statement:
    """Remove a table that waits, if it is there."""
    return Statement("DELETE FROM opened WHERE game = ?", (table,))


def put_proof(proof: Proof) -> Statement:
    """Add a proof, or replace the one with the same key and digest."""
    return Statement(_PUT_PROOF, (proof.key, proof.of_address, proof.digest, proof.day))


def drop_proof(proof: Proof) -> Statement:
    """Remove a proof, if it is there."""
    return Statement("DELETE FROM proof WHERE key = ? AND digest = ?", (proof.key, proof.digest))


def put_ban(ban: Ban) -> Statement:
    """Add a ban, or replace the one with the same key."""
    return Statement(_PUT_BAN, (ban.key, ban.target, ban.since, ban.until))


def drop_ban(key: str) -> Statement:
    """Remove a ban, if it is there."""
    return Statement("DELETE FROM ban WHERE key = ?", (key,))


# The tables.


#: A table's opening, or one of its entries.
Record: TypeAlias = tuple[TableId, TableHeader | Entry]


@define(eq=False)
class Reading:
    """
    A question in the writer's queue, between the changes: its answer contains all earlier changes, and a table can
    continue with it. It is a question of a start, or about one table with a player that has come.
    """

    #: Called with the `gamehost.storage.contents.OpenStore`, on the writer's thread.
    ask: Callable[[Any], Any]
    answer: Any = None


#: All changes, and what is read in order with them.
Change: TypeAlias = Record | Note | Reading


@frozen
class UnreadableRow:
    """A table that is unfinished and cannot be continued, with the reason."""

    table: TableId
    why: str


class StoreFailed(Exception):
    """A write has failed before; the disk must be read again."""


#: Seconds for which the rows of a match in which no player has acted are stored, and between two checks of such
#: matches. Members of a cluster that follow it read its end in less than a second.
LINGER = 10.0
#: Nobody has acted in a match of at most so many entries, perhaps. A match of more is not looked at.
_FEW = 8
#: Matches that are looked at with one commit: some milliseconds.
_AT_ONCE = 20


@define
class Group:
    rows: list[Row] = field(factory=list)
    opened: list[int] = field(factory=list)
    #: The last rows of tables that were put away unfinished.
    archived: list[Row] = field(factory=list)
    #: The last rows of matches that have got a result, and how each was opened.
    ended: list[tuple[Row, Opened | None]] = field(factory=list)
    notes: list[Note] = field(factory=list)
    readings: list[Reading] = field(factory=list)
    #: The new ends of the chains of these tables after the commit; `None`: the table is not in use any more.
    heads: dict[int, Head | None] = field(factory=dict)

    def update_heads(self, heads: dict[int, Head]) -> None:
        """Store the new ends of the chains in `heads`."""
        for table, head in self.heads.items():
            if head is None:
                heads.pop(table, None)
            else:
                heads[table] = head

    @property
    def noted(self) -> bool:
        """Whether the group has more than rows and new tables."""
        return bool(self.notes or self.archived or self.ended)


def build_group(
    changes: Sequence[Change],
    numbers: Iterator[int],
    wall: Callable[[], float],
    known: Mapping[int, Head],
    head: Callable[[TableId], Head],
) -> Group:
    """
    :param numbers: of the rows, as the store chains them into their hashes
    :param wall: seconds since 1970
    :param known: the ends of the chains of tables in use, before this group
    :param head: finds it for any other table
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
            if isinstance(change, Sleep) and change.since is not None:
                heads[change.table] = None
            continue
        table, record = change
        # An entry continues the chain of its table; a header begins one.
        if isinstance(record, Entry):
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
    """The end of the chain of a table that has fallen asleep within the group; `None`: the group has no row of it."""
    return next((Head(row.n, row.h) for row in reversed(rows) if row.game == table), None)


@define(eq=False)
class UnplayedMatches:
    """
    Matches that have ended in this run, perhaps without an action of a player. If the host is killed before it removes them,
    they remain in the store.
    """

    #: Seconds since 1970.
    _wall: Callable[[], float]
    #: When each is to be looked at.
    _ended: deque[tuple[float, int]] = field(factory=deque)

    def follow(self, group: Group) -> None:
        """Note what has ended with a group."""
        if group.ended or group.archived:
            self.later([row.game for row in (*group.archived, *(row for row, _ in group.ended)) if row.n <= _FEW])

    def later(self, tables: Iterable[int]) -> None:
        """Look at these tables after a while."""
        at = self._wall() + LINGER
        self._ended.extend((at, table) for table in tables)

    def all(self) -> list[int]:
        """All tables, when the host stops."""
        tables = [table for _, table in self._ended]
        self._ended.clear()
        return tables

    def due(self) -> list[int]:
        """The tables to check now. Those that cannot be removed yet are given back to `later`."""
        if not self._ended or self._ended[0][0] > (now := self._wall()):
            return []
        tables: list[int] = []
        while self._ended and self._ended[0][0] <= now and len(tables) < _AT_ONCE:
            tables.append(self._ended.popleft()[1])
        return tables


def is_unplayed(rows: Sequence[Row]) -> bool:
    """
    Whether a table is finished, no player has acted in it, and it counts nowhere. A damaged table is not removed: its
    damage must be found as in any other table.
    """
    try:
        if chain_of(rows) is None:
            return False
        record = record_of(rows)
    except (Damaged, Undecodable):
        return False
    entries, opening = record.entries, record.opening
    return (
        0 < len(entries) <= len(opening.seats)
        and finishes(entries[-1])
        and all(entry.kind is not EntryKind.ACTED for entry in entries)
        and not opening.championship
    )


#: Rows that are read before the ports open. They take a third of a second.
AT_START = 100_000
#: The advice to the owner of a second host on the same store.
ANOTHER_STORE = (
    "stop that host, or start this one with a store and ports of its own, "
    "for example --store=second.sqlite --shift=1000"
)

#: The first step for the owner of a refused store. Only `gamehost journal verify` describes how to continue with a
#: loss.
VERIFY_FIRST = (
    "Nothing was changed. Put the right files or a right backup back. If there are none, run gamehost journal verify: "
    "it says what is damaged, and how to go on. If it finds no fault, nothing is lost: report this message"
)


def in_words(damage: Sequence[UnreadableRow]) -> str:
    """Why a store with damaged tables must not be used: the first of them, and how many more there are."""
    more = f", and {len(damage) - 1} more tables" if len(damage) > 1 else ""
    return f"the journal was changed or damaged: {damage[0].why}{more}"


def _damage(table: int, rows: Sequence[Any]) -> list[UnreadableRow]:
    """The damage of a table, from its first rows or from all; empty if there is none."""
    try:
        if chain_of(rows) is None:
            raise Damaged(f"table {table}: all of its rows are missing")
    except Damaged as error:
        return [UnreadableRow(TableId(table), str(error))]
    return []


_NO_SEATS: frozenset[Seat] = frozenset()


def seats_of(bits: int) -> frozenset[Seat]:
    """The seats of the bits that are set. Bit 0 is the first seat."""
    return frozenset(Seat(seat) for seat in range(bits.bit_length()) if bits >> seat & 1) if bits else _NO_SEATS


@define(eq=False)
class OpenStore:
    """
    A journal behind one connection. It has no thread and no queue, so the caller waits for the disk.

    After a failed write it accepts no more changes, because the contents of the disk are not known. The next start
    reads them.
    """

    #: The connection for questions.
    database: Readable = field(init=False)
    tables: TableRows = field(init=False)
    #: Numbers of unfinished tables with records that are still to be checked.
    _unchecked: range = field(init=False, default=range(0))
    #: Seconds since 1970, for a table's row 0.
    _wall: Callable[[], float] = field(init=False)
    #: The ends of the chains of tables in use. Players may have received these rows.
    _heads: dict[int, Head] = field(init=False, factory=dict)
    _unplayed: UnplayedMatches = field(init=False)
    _given_up: Sequence[UnreadableRow] = field(init=False, default=())
    _failed: bool = field(init=False, default=False)

    def _read_from(self, database: Readable, tables: TableRows, wall: Callable[[], float]) -> None:
        self.database, self.tables, self._wall = database, tables, wall
        self._unplayed = UnplayedMatches(wall)

    def commit(self, changes: Sequence[Change]) -> None:
        """
        Add a group of changes. All of it is durable when this returns. If this raises, it is not known how much is.

        :raises StoreFailed: this commit or an earlier one has failed
        :raises Exception: an error of the library
        """
        if self._failed:
            raise StoreFailed("a write has failed before, and nothing may be written after it")
        self._failed = True
        group = self._add(changes)
        self._unplayed.follow(group)
        for reading in group.readings:
            reading.answer = reading.ask(self)
        self._failed = False

    def _add(self, changes: Sequence[Change]) -> Group:
        """Make changes durable: row by row, unless an engine has something better."""
        group = build_group(changes, self._numbers(), self._wall, self._heads, self._head)
        self._write(group)
        group.update_heads(self._heads)
        return group

    def _numbers(self) -> Iterator[int]:
        """The numbers of new rows, as they are chained into the hashes."""
        raise NotImplementedError

    def _write(self, group: Group) -> None:
        raise NotImplementedError

    def _ended(self, group: Group) -> Iterator[Ended]:
        """
        The matches that end with a group; their rows are inserted already. A match with an unreadable opening is in no
        list.
        """
        for last, opened in group.ended:
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
        """The record of a table, or why it cannot be read. Entries can be added to an unfinished one then."""
        rows = self.tables.rows(table)
        try:
            head = chain_of(rows)
            if head is None:
                return f"table {table}: all of its rows are missing"
            told = self._told(table, rows)
            record = evolve(record_of(rows), told=seats_of(told or 0))
        except (Damaged, Undecodable) as error:
            return str(error)
        if told is not None:
            if not (record.entries and finishes(record.entries[-1])):
                self._follow(table, rows, head._replace(opened=(rows[0].seq, record.opening)))
            elif record.entries[-1].kind is EntryKind.ARCHIVED:
                return f"table {table}: it was put away, and yet is listed as unfinished"
        return record

    def _follow(self, table: TableId, rows: Sequence[Row], head: Head) -> None:
        """Entries can be added to a table from now on; its rows were checked."""
        self._heads[table] = head

    def _told(self, table: TableId, rows: Sequence[Row]) -> int | None:
        """
        The bits of the seats that have received the end of a table; `None`: this host cannot add to it.

        :param rows: of the table
        :raises Damaged: the store has noted something else of the table
        """
        raise NotImplementedError

    def check_at_start(self, everything: bool) -> list[UnreadableRow]:
        """
        Check the records of unfinished tables, the oldest first. A start checks a limited number of rows, and of later
        tables the first two rows; otherwise all records are checked. Returns the damage.
        """
        last = rows_read = 0
        damage: list[UnreadableRow] = []
        for last, rows in self.tables.unfinished():
            damage += _damage(last, rows)
            rows_read += end_of(rows[-1]) + 1 if rows else 0
            if rows_read >= AT_START and not everything:
                break
        for table, rows in self.tables.unfinished(first=2, after=last):
            damage += _damage(table, rows)
            self._unchecked = range(last + 1, table + 1)
        return damage

    @property
    def all_checked(self) -> bool:
        """Whether the records of all tables were checked that were unfinished at the start."""
        return not self._unchecked

    def check(self, rows: int) -> list[str]:
        """Check more of these records, about a number of rows. Returns their damage, one sentence for each table."""
        unchecked, damage = self._unchecked, list[str]()
        for table in self.tables.unfinished_between(unchecked.start, unchecked.stop - 1, rows):
            record = self.tables.rows(table)
            damage += (damaged.why for damaged in _damage(table, record))
            rows -= end_of(record[-1]) + 1 if record else 0
            if rows <= 0:
                self._unchecked = range(table + 1, unchecked.stop)
                return damage
        self._unchecked = range(0)
        return damage

    def lost(self) -> Sequence[Any]:
        """
        The tables that are stopped because rows are missing that players had received: only a database has such tables.
        """
        return ()

    def go_on(self, table: TableId) -> UnfinishedTable | None:
        """Resume such a table with the rows that are left; `None`: it is none, or it has no row."""
        return None

    def end_lost(self, table: TableId) -> bool:
        """
        Remove such a table from the list of unfinished ones. Returns whether it was one. Its rows are not removed.
        """
        return False

    def unfinished(self) -> Iterator[UnfinishedTable | UnreadableRow]:
        """
        The tables to be played on, oldest first, behind those given up; from now on all of them sleep.

        Reads the first two rows of each, to know whether its match has begun.
        """
        yield from self._given_up
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
        """Note that the players that were present at the end of the last host have left."""
        raise NotImplementedError
