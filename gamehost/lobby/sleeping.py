"""
Sleeping tables: unfinished matches of which all players are away. Their records are only in the journal. Memory has an
index of them, with little more than the names of the players.

The index is made from the journal at the start of the host. Tables are found in it by a player's name, by address and by
age.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice

from attrs import frozen

from gamehost.accounts.names import key_of
from gamehost.games.base import Seat
from gamehost.journal.records import HOUSE_ADDRESS, SeatRecord, TableId
from gamehost.rates import rate_limit_key

_SCHEMA = """
CREATE TABLE place(
  key TEXT PRIMARY KEY,      -- the player's name, as names are compared
  number INTEGER NOT NULL,   -- the table's
  seat INTEGER NOT NULL,
  name TEXT NOT NULL,
  wire TEXT NOT NULL,
  address TEXT NOT NULL,
  account INTEGER NOT NULL,
  key_digest TEXT NOT NULL,
  shown TEXT NOT NULL,
  away_since REAL NOT NULL   -- seconds of the reactor
) STRICT, WITHOUT ROWID;
CREATE INDEX of_table ON place(number);

CREATE TABLE sleeping(
  number INTEGER PRIMARY KEY,
  game TEXT NOT NULL,
  since INTEGER NOT NULL,    -- seconds of up-time
  clock INTEGER,             -- milliseconds on the table's clock; NULL: its last entry tells
  addresses TEXT NOT NULL    -- of all seats in the record, one a line
) STRICT;
CREATE INDEX oldest ON sleeping(since);

-- Which tables sleep that have a player of an address.
CREATE TABLE origin(address TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY(address, number)) STRICT, WITHOUT ROWID;
CREATE INDEX origin_of_table ON origin(number);
"""
#: Numbers the tables of each address, beginning with the newest.
_RANKED = """
SELECT number, row_number() OVER (PARTITION BY address ORDER BY since DESC, number DESC) AS place
FROM origin JOIN sleeping USING(number)"""
#: The tables that are too many: they are not among the newest `most` tables of any of their addresses.
_EXCESS = f"SELECT number FROM ({_RANKED}) GROUP BY number HAVING min(place) > :most"
#: The tables that are too many at one address, but only among the `next` tables that come after its newest ones.
_EXCESS_OF_ONE = f"""
WITH next AS (
  SELECT number FROM origin JOIN sleeping USING(number) WHERE address = :address
  ORDER BY since DESC, number DESC LIMIT :next OFFSET :most
)
SELECT number FROM (
  {_RANKED} WHERE address IN (SELECT address FROM origin WHERE number IN next)
) WHERE number IN next GROUP BY number HAVING min(place) > :most"""
#: The number `next` of tables that `_EXCESS_OF_ONE` examines. Each table that falls asleep makes only one more too many.
_NEXT = 10
_COLUMNS = "number, seat, name, wire, address, account, key_digest, shown, away_since"
#: How many tables are put into the index with one statement.
_AT_ONCE = 1000
#: Special values of `since`: for a table that has to be archived at once, and for a table with an end that is being
#: written to the journal.
_OVERDUE, _ENDING = -(2**62), 2**62


@frozen
class Place:
    """A seat at a sleeping table, and its player."""

    table: TableId
    seat: Seat
    player: SeatRecord
    #: When the player disconnected, in seconds of the reactor. If this was in an earlier run of the host, it is the time
    #: at which this run read the table.
    away_since: float


@frozen
class SleepingTable:
    """An entry of the index for a sleeping table: its players and its age, but not its record."""

    table: TableId
    game: str
    #: When it fell asleep, in seconds of up-time.
    since: int
    #: The time on the match's own clock, in milliseconds; `None`: it is the time of the record's last entry.
    clock: int | None
    #: The players, in the order of the seats; `None`: the seat was given up.
    places: Sequence[Place | None]
    #: The addresses of the players when the match began, in the order of the seats.
    addresses: Sequence[str] = ()


class SleepingIndex:
    """The index of sleeping tables: a database in memory."""

    def __init__(self) -> None:
        """Begin without tables. The database is made later, because many hosts never need it."""
        #: The number of tables.
        self._tables = 0
        #: The tables with an end that is being written to the journal. The names of their players remain reserved until
        #: it is durable.
        self.ending: set[TableId] = set()

    @cached_property
    def _database(self) -> sqlite3.Connection:
        """The database, made when the first table is put in."""
        # No rollback journal: if the process dies, the index is made again from the host's journal. Python begins no
        # transactions (`isolation_level`), because `add` begins its own.
        database = sqlite3.connect(":memory:", isolation_level=None)
        database.execute("PRAGMA journal_mode=OFF")
        database.executescript(_SCHEMA)
        return database

    def __len__(self) -> int:
        return self._tables

    @property
    def names(self) -> int:
        return int(self._database.execute("SELECT count(*) FROM place").fetchone()[0])

    def keys(self) -> list[str]:
        """The keys of all players' names in the index."""
        return [row[0] for row in self._database.execute("SELECT key FROM place").fetchall()]

    def add(self, tables: Iterable[SleepingTable]) -> None:
        """Put tables in. If a player's name is in the index already, it belongs only to the table that is put in later."""
        these = iter(tables)
        while some := list(islice(these, _AT_ONCE)):
            run = self._database.executemany
            self._database.execute("BEGIN")
            run(
                "INSERT INTO sleeping VALUES (?, ?, ?, ?, ?)",
                [(one.table, one.game, one.since, one.clock, "\n".join(one.addresses)) for one in some],
            )
            places = [place for one in some for place in one.places if place is not None]
            run(
                "INSERT OR REPLACE INTO place VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [_row(one) for one in places],
            )
            run(
                "INSERT OR IGNORE INTO origin VALUES (?, ?)",
                [
                    (rate_limit_key(one.player.address), one.table)
                    for one in places
                    if one.player.address != HOUSE_ADDRESS
                ],
            )
            self._tables += len(some)
            self._database.execute("COMMIT")

    def find(self, key: str) -> Place | None:
        """The seat at a sleeping table that belongs to the player under the name with this key; `None`: there is none."""
        if not self._tables:
            return None  # without making the database
        found = self._database.execute(f"SELECT {_COLUMNS} FROM place WHERE key = ?", (key,)).fetchone()
        return None if found is None else _place(*found)

    def table(self, table: TableId) -> SleepingTable:
        """
        Read a table from the index.

        :raises KeyError: this table does not sleep
        """
        found = self._database.execute(
            "SELECT game, since, clock, addresses FROM sleeping WHERE number = ?", (table,)
        ).fetchone()
        if found is None:
            raise KeyError(table)
        places = self._database.execute(
            f"SELECT {_COLUMNS} FROM place WHERE number = ? ORDER BY seat", (table,)
        ).fetchall()
        # Seats that were given up have no row: put `None` in their places.
        kept = {place.seat: place for place in (_place(*row) for row in places)}
        # Up to the highest seat that was not given up. An empty `kept` gives no seats.
        seats = [kept.get(Seat(seat)) for seat in range(max(kept, default=-1) + 1)]
        game, since, clock, addresses = found
        return SleepingTable(table, game, since, clock, seats, tuple(addresses.split("\n")))

    def remove(self, table: TableId) -> SleepingTable:
        """
        Take a table out of the index, and return it.

        :raises KeyError: this table does not sleep
        """
        removed = self.table(table)
        self.ending.discard(table)
        for name in ("place", "sleeping", "origin"):
            self._database.execute(f"DELETE FROM {name} WHERE number = ?", (table,))
        self._tables -= 1
        return removed

    def drop(self, place: Place) -> bool:
        """Remove a seat that was given up. Returns whether it was the last one of its table, which is then removed, too."""
        at_table = "FROM place WHERE number = ?"
        self._database.execute(f"DELETE {at_table} AND seat = ?", (place.table, place.seat))
        if self._database.execute(f"SELECT 1 {at_table}", (place.table,)).fetchone():
            return False
        if place.table in self:
            self.remove(place.table)
        return True

    def begin_end(self, table: TableId) -> SleepingTable:
        """
        Note that the end of a table is being written to the journal, and return the table. Until it is removed, the table
        is still found by its players' names, but not by its age or by address.

        :raises KeyError: this table does not sleep
        """
        ending = self.table(table)
        self.ending.add(table)
        self._database.execute(f"UPDATE sleeping SET since = {_ENDING} WHERE number = ?", (table,))
        self._database.execute("DELETE FROM origin WHERE number = ?", (table,))
        return ending

    def __contains__(self, table: TableId) -> bool:
        return bool(self._database.execute("SELECT 1 FROM sleeping WHERE number = ?", (table,)).fetchone())

    def tables(self) -> list[TableId]:
        """All tables, the lowest number first."""
        return [TableId(row[0]) for row in self._database.execute("SELECT number FROM sleeping ORDER BY number")]

    def tables_of(self, address: str) -> int:
        """How many sleeping tables have a player from an address, given as its `rate_limit_key`."""
        count = "SELECT count(*) FROM origin WHERE address = ?"
        return int(self._database.execute(count, (address,)).fetchone()[0])

    def limit(self, most: int, address: str | None = None) -> None:
        """
        Mark the oldest tables of an address as overdue if the address has more than `most` tables.

        A table is not marked if it is among the newest `most` tables of another one of its addresses. So a player cannot
        lose a match because of many other matches of its opponent's address.

        :param address: of a table that has just been put in; `None`: examine all addresses
        """
        if not self._tables:
            return
        if address is None:
            excess = self._database.execute(_EXCESS, {"most": most}).fetchall()
        else:
            these = {"address": rate_limit_key(address), "most": most, "next": _NEXT}
            excess = self._database.execute(_EXCESS_OF_ONE, these).fetchall()
        self._database.executemany(f"UPDATE sleeping SET since = {_OVERDUE} WHERE number = ?", excess)

    @property
    def oldest(self) -> int | None:
        """
        When the oldest sleeping table fell asleep, in seconds of up-time. Tables with an end that is being written are
        left out. `None`: there are no other tables.
        """
        if not self._tables:
            return None
        found = self._database.execute(f"SELECT min(since) FROM sleeping WHERE since < {_ENDING}").fetchone()[0]
        return None if found is None else int(found)

    def overdue(self, since: int, most: int) -> list[TableId]:
        """The tables that fell asleep at this time or before, the oldest first, at most `most`."""
        rows = self._database.execute(
            "SELECT number FROM sleeping WHERE since <= ? ORDER BY since, number LIMIT ?", (since, most)
        )
        return [TableId(row[0]) for row in rows.fetchall()]


def _place(
    number: int, seat: int, name: str, wire: str, address: str, account: int, digest: str, shown: str, away_since: float
) -> Place:
    """A seat from the columns of its row."""
    player = SeatRecord(name, wire, address, bool(account), digest, shown)
    return Place(TableId(number), Seat(seat), player, away_since)


def _row(place: Place) -> tuple[object, ...]:
    """The row of a seat, for the database."""
    player = place.player
    origin = (player.name, player.wire, player.address, player.account, player.key_digest, player.shown)
    return (key_of(player.name), place.table, place.seat, *origin, place.away_since)
