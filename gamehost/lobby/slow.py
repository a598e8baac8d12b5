"""
Slow matches: each move may take days, and the match outlives the connections of its players.

A slow match belongs to no session, and does not sleep as other matches do. A player *sits down* at its table to look and
to move, and *rises* again. While no player sits there, memory has only a few database rows of the match: the seats and
the deadline. All slow matches share one timer. It fires at the next deadline. It also fires at least every half minute,
to compare the time of day with the reactor's clock.

In a cluster every member has these rows of all matches. If a player sits down, its member takes the match over from the
last member that had it, and loads the table. The last member that had a match ends it at its deadline. If that member
fails, another one does so a minute later.

No player loses because the host was not available: after a start, and after a jump of the time of day, no match ends by
time for `grace` seconds. No match ends by time while the player to move is on leave, either. The game's master is not
informed of this: its clock shows the real time.
"""

import sqlite3
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Protocol, runtime_checkable

from attrs import define, field
from msgspec.structs import replace
from twisted.logger import Logger

from gamehost._twisted import Timer
from gamehost.accounts.names import key_of, place_of
from gamehost.games.base import MOST_DAYS, MOVE_DAYS, Game, Result, Seat
from gamehost.journal.records import (
    SLOW,
    Leave,
    OwnedMatch,
    OwnState,
    SeatRecord,
    TableHeader,
    TableId,
    TableRecord,
    UnfinishedTable,
)
from gamehost.journal.replay import NotFollowed
from gamehost.limits import Limits
from gamehost.lobby.leave import DAY, DAYS_A_YEAR, Leaves
from gamehost.lobby.leave import MOST_DAYS as LONGEST_LEAVE
from gamehost.lobby.own_list import owner_of
from gamehost.lobby.own_matches import OwnMatches
from gamehost.lobby.queues import TALKING_WIRES, CannotJoin, OnLeave
from gamehost.lobby.sessions import Session, SessionRegistry
from gamehost.rates import rate_limit_key
from gamehost.settings import Settings, whole_number
from gamehost.tables.context import Phase, TableContext
from gamehost.tables.interfaces import Player
from gamehost.tables.slow_table import ANNULLED, SlowTable

#: How often the time of day is compared with the reactor's clock, and by how much it may differ from it, in seconds.
LOOK_EVERY, JUMP = 30.0, 10.0
#: How many tables are read from the journal at the same time.
LOADS = 20
#: A stored deadline more than this many milliseconds in the future cannot be right: the table is read to find the real one.
_LATEST = 2 * MOST_DAYS * 86_400_000
#: The stored deadline of a table without a known deadline.
_NEVER = 2**62
#: In a cluster: how many milliseconds after a deadline another member ends the match, if the match's last member has not.
_LATER = 60_000
#: The message if another member has the table in memory.
_ELSEWHERE = (
    "another player of this match looks at it at another host of the cluster, where you cannot go now: you have a match here, "
    "sit at one, or wait for players; try again later"
)
#: The key of the leave of a table begins with this.
_PLACE = place_of("")
_OF_ADDRESS, _OF_ALL = "slow_matches_per_address", "slow_matches"

_SCHEMA = """
CREATE TABLE slow(
  number INTEGER PRIMARY KEY,
  game TEXT NOT NULL,
  due INTEGER NOT NULL       -- the deadline, in milliseconds since 1970
) STRICT;
CREATE INDEX soonest ON slow(due);

CREATE TABLE seat(
  number INTEGER NOT NULL,
  seat INTEGER NOT NULL,
  key TEXT NOT NULL,         -- the player's name, as names are compared
  name TEXT NOT NULL,
  wire TEXT NOT NULL,
  account INTEGER NOT NULL,
  digest TEXT NOT NULL,      -- of the key that a guest has
  address TEXT NOT NULL,     -- the rate_limit_key of the player's address when the match began
  PRIMARY KEY(number, seat)
) STRICT, WITHOUT ROWID;
CREATE INDEX of_player ON seat(key);
CREATE INDEX of_address ON seat(address);
"""


@runtime_checkable
class SitsDown(Protocol):
    """A connected player with a wire for slow matches, which can have several seats at once."""

    def slow_seat(self, table: TableId) -> Player[Any, Any] | None:
        """
        Sit down at the table of a match that begins, if the player wants this.

        :returns: the receiver of the match's events; `None`: the player does not sit down
        """


class _Index:
    """An index of the unfinished slow matches: a database in memory, made again from the store at each start."""

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:", isolation_level=None)
        self._database.execute("PRAGMA journal_mode=OFF")
        self._database.executescript(_SCHEMA)

    def _ask(self, sql: str, *parameters: Any) -> list[Any]:
        """Run one statement, and return its rows."""
        return self._database.execute(sql, parameters).fetchall()

    def add(self, tables: Iterable[tuple[TableId, TableHeader, int | None]]) -> None:
        """Put tables into the index, each with its opening and its deadline; a deadline of `None` is unknown."""
        these = iter(tables)
        while some := list(islice(these, 1000)):
            self._database.execute("BEGIN")
            self._database.executemany(
                "INSERT OR REPLACE INTO slow VALUES (?, ?, ?)",
                [(table, opening.game, _NEVER if due is None else due) for table, opening, due in some],
            )
            self._database.executemany(
                "INSERT OR REPLACE INTO seat VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        table,
                        seat,
                        key_of(one.name),
                        one.name,
                        one.wire,
                        one.account,
                        one.key_digest,
                        rate_limit_key(one.address),
                    )
                    for table, opening, _ in some
                    for seat, one in enumerate(opening.seats)
                ],
            )
            self._database.execute("COMMIT")

    def remove(self, table: TableId) -> list[str]:
        """Take a table out of the index. Returns the keys of its players' names."""
        keys = [row[0] for row in self._ask("DELETE FROM seat WHERE number = ? RETURNING key", table)]
        self._ask("DELETE FROM slow WHERE number = ?", table)
        return keys

    def __len__(self) -> int:
        return int(self._ask("SELECT count(*) FROM slow")[0][0])

    @property
    def empty(self) -> bool:
        """Whether there are no matches. This is quicker than counting them."""
        return not self._ask("SELECT 1 FROM slow LIMIT 1")

    def game(self, table: TableId) -> str | None:
        found = self._ask("SELECT game FROM slow WHERE number = ?", table)
        return found[0][0] if found else None

    def set_due(self, table: TableId, due: int | None) -> None:
        self._ask("UPDATE slow SET due = ? WHERE number = ?", _NEVER if due is None else due, table)

    @property
    def soonest(self) -> int | None:
        """The next deadline; `None`: there is none."""
        found = self._ask("SELECT min(due) FROM slow")[0][0]
        return None if found is None or found == _NEVER else int(found)

    def due(self, now: int, most: int) -> list[TableId]:
        """The tables with a deadline at or before `now`, the earliest first, at most `most`."""
        rows = self._ask("SELECT number FROM slow WHERE due <= ? ORDER BY due, number LIMIT ?", now, most)
        return [TableId(row[0]) for row in rows]

    def seat(self, table: TableId, session: Session) -> Seat | None:
        """
        The seat that a player has at a table; `None`: the player has no seat there. A guest must have the same key as when
        the match began.
        """
        found = self._ask(
            "SELECT seat FROM seat WHERE number = ? AND key = ? AND account = ? AND (account OR digest = ?)",
            table,
            session.key,
            session.account,
            session.key_digest,
        )
        return Seat(found[0][0]) if found else None

    def guest(self, key: str) -> SeatRecord | None:
        """The guest that has a seat in some match under the name with this key; `None`: no guest has."""
        found = self._ask("SELECT name, wire, digest FROM seat WHERE key = ? AND NOT account LIMIT 1", key)
        if not found:
            return None
        name, wire, digest = found[0]
        return SeatRecord(name, wire, "", False, digest)  # without an address, which proves nothing for a slow match

    def keys(self) -> set[str]:
        """The keys of all players' names."""
        return {row[0] for row in self._ask("SELECT DISTINCT key FROM seat")}

    def tables(self, key: str) -> list[TableId]:
        """The tables at which the player under the name with this key has a seat."""
        return [TableId(row[0]) for row in self._ask("SELECT number FROM seat WHERE key = ? ORDER BY number", key)]

    def count(self, column: str, value: str) -> int:
        """How many tables have a seat with this value in a column, such as `address`."""
        return int(self._ask(f"SELECT count(DISTINCT number) FROM seat WHERE {column} = ?", value)[0][0])


#: A function to call with a table when it was read, or with the reason why it cannot be read.
_Use = Callable[[SlowTable | str], None]


@define(eq=False)
class SlowMatches:
    """
    The slow matches of a host: begins them, lets players sit down at their tables, and ends them at their deadlines. It is
    the `SlowHost` that their tables call.

    :param own: the lists of players' own matches
    :param games: by their names
    :param uptime: returns `Seats.uptime`
    """

    _context: TableContext
    _registry: SessionRegistry
    _own: OwnMatches
    _games: Mapping[str, Game[Any, Any]]
    _uptime: Callable[[], int]
    limits: Limits = field(init=False, factory=Limits)
    #: The most days that a match may allow for a move; 0: no slow matches can begin.
    days: int = field(init=False, default=MOST_DAYS)
    #: The seconds after a start of the host in which no match ends by time.
    grace: float = field(init=False, default=43_200.0)
    #: The tables in memory: those where a player sits, or where something is being done.
    tables: dict[TableId, SlowTable] = field(init=False, factory=dict)
    #: The tables that cannot continue in this run of the host, each with the reason.
    faulty: dict[TableId, str] = field(init=False, factory=dict)
    _index: _Index = field(init=False, factory=_Index)
    #: The tables that are being read, with the functions to call for each of them afterwards.
    _reading: dict[TableId, list[_Use]] = field(init=False, factory=dict)
    #: The tables that must be read soon, because a deadline is unknown, has passed before the start, or was changed by a
    #: leave.
    _unknown: deque[tuple[TableId, _Use]] = field(init=False, factory=deque)
    leaves: Leaves = field(init=False)
    #: The beginning of the current grace time, in which no deadline counts, in milliseconds since 1970.
    _since: int = field(init=False)
    #: The time of day and the reactor's clock when they were last compared, in seconds.
    _seen: tuple[float, float] = field(init=False)
    _alarm: Timer = field(init=False, factory=Timer)
    _stopped: bool = field(init=False, default=False)

    log = Logger()

    def __attrs_post_init__(self) -> None:
        """Begin the grace time, and ask the journal for the leaves of players."""
        self._since = self.wall
        self._seen = self._context.wall(), self._context.clock.seconds()
        self.leaves = Leaves(self._context.journal, lambda: self.wall, self._leave_changed)
        # Ask for the leaves first: the journal answers in order, so they are known before any table is read.
        self._context.journal.find_leaves(lambda found: self._found_leaves({one.key: one for one in found}))

    def __len__(self) -> int:
        """The number of unfinished slow matches."""
        return len(self._index)

    @property
    def wall(self) -> int:
        """The time of day, in milliseconds since 1970."""
        return round(self._context.wall() * 1000)

    @property
    def lenient(self) -> int:
        """The end of the grace time, in milliseconds since 1970. No match ends by time before this moment."""
        return self._since + round(self.grace * 1000)

    # -- matches begin and end

    def restore(self, found: Iterable[UnfinishedTable]) -> None:
        """Take over unfinished slow matches of an earlier run, or of another host."""
        now = self.wall
        known = list[tuple[TableId, TableHeader, int | None]]()
        for one in found:
            game = self._games.get(one.opening.game)
            if game is None or game.version != one.opening.version:
                self._skip(one.table, f"{one.opening.game} in version {one.opening.version} is not played here")
                continue
            known.append((one.table, one.opening, one.due))
            # Read the table if the stored deadline may be wrong: it is missing, has passed, or is too far away.
            if one.due is None or not now < one.due < now + _LATEST:
                self._unknown.append((one.table, _nothing))
            # Or a leave of a player, or more time from the owner, has changed it lately.
            elif not self.leaves.none and any(map(self._lately, _keys(one.table, one.opening.seats))):
                self._unknown.append((one.table, self._look_again))
        self._index.add(known)
        self._set_alarm()

    def learn(
        self, found: Iterable[UnfinishedTable], rows: Sequence[tuple[str, OwnedMatch]], over: Iterable[TableId]
    ) -> None:
        """
        Take over changes that other members of a cluster have made to their slow matches.

        :param found: new matches
        :param rows: new entries in the lists of players
        :param over: the tables of matches that are over
        """
        # A table in memory here has newer entries and deadlines than the store: what the others have written is skipped.
        self._own.learn([row for row in rows if row[1].table not in self.tables])
        deadlines = {match.table: match.by for _, match in rows}
        known = [one for one in found if not self._is_read(one.table) and one.opening.game in self._games]
        self._index.add((one.table, one.opening, _later(deadlines.get(one.table, one.due))) for one in known)
        for table in over:
            if not self._is_read(table) and self._index.game(table) is not None:
                self._remove(table)
        self._set_alarm()

    # -- leaves

    def _found_leaves(self, found: Mapping[str, Leave]) -> None:
        """
        Take over the leaves from the store after the start. The host may have ended before it stored the deadlines that
        recent leaves have changed, so these tables are examined again.
        """
        for key in self.leaves.learn(found):
            if self._lately(key):
                self._leave_changed(key)

    def learn_leaves(self, found: Mapping[str, Leave | None]) -> None:
        """
        Take over leaves that another member of a cluster has changed. Only tables in memory here are examined: the other
        member examines those that no member has in memory.
        """
        for key in self.leaves.learn(found):
            for number in self._under(key):
                if (table := self.tables.get(number)) is not None:
                    self._look_again(table)

    def _lately(self, key: str) -> bool:
        """Whether a leave has changed so recently that some new deadlines may not be stored yet."""
        return self.leaves.until(key) > self.wall - LONGEST_LEAVE * DAY

    def _under(self, key: str) -> list[TableId]:
        """The tables to which a leave applies: all of a player, or one if the key is the place of a table."""
        if key.startswith(_PLACE):
            return [TableId(int(key.removeprefix(_PLACE)))]
        # The key of a guest's leave has a digest behind a colon.
        return self._index.tables(key.partition(":")[0])

    def _leave_changed(self, key: str) -> None:
        """Find the new deadlines of the tables to which a changed leave applies."""
        for number in self._under(key):
            if (table := self.tables.get(number)) is not None:
                self._look_again(table)
            else:
                self._unknown.append((number, self._look_again))
        self._set_alarm()

    def _look_again(self, table: SlowTable | str) -> None:
        """Store the deadline of a table again, which a leave may have changed, and put it into its players' lists."""
        if not isinstance(table, str) and table.running:
            self.due_changed(table)
            self.recorded(table, None)

    def spared(self, table: SlowTable) -> int:
        """
        Until when a table must not end by time because of leaves: of the players to move, or of the table itself. In
        milliseconds since 1970; 0: there is no leave.
        """
        leaves = self.leaves
        if leaves.none:
            return 0
        ends = [leaves.until(owner_of(player) or "") for player in table.players]  # guests without a key have no leave
        # The seats to move are asked for only if some player has a leave, because finding them takes longer.
        on_leave = (ends[seat] for seat in table.turn) if any(ends) else ()
        return max(leaves.until(place_of(table.id)), *on_leave, 0)

    def moved(self, player: SeatRecord) -> None:
        """Shorten the leave of a player that has moved, and so is back."""
        owner = None if self.leaves.none else owner_of(player)
        if owner is not None:
            self.leaves.end(owner, partial(self._tell_leave, owner, player))

    def _tell_leave(self, owner: str, player: SeatRecord) -> None:
        """Send a player the state of its leave, if it is connected on a wire with a message for this."""
        session = self._registry.sessions.by_key.get(key_of(player.name))
        here = session is not None and session.plays(player) and session.wire in TALKING_WIRES
        if here and session is not None and session.player is not None:
            session.player.deliver(self._on_leave(owner))

    def _on_leave(self, owner: str) -> OnLeave:
        """Make the message about the state of a player's leave."""
        leave = self.leaves.of(owner)
        return OnLeave(leave.until if leave.until > self.wall else None, DAYS_A_YEAR - leave.days)

    def leave(self, session: Session, days: int | None) -> str | None:
        """
        Begin a leave of a player, end it, or only ask for it. In each case the player receives `OnLeave`.

        :param days: the days of a new leave; 0: end the leave; `None`: change nothing
        :returns: the reason why this is not possible; `None`: it is done
        """
        owner, player = owner_of(session.record), session.record
        if owner is None:
            return "a guest without a key has no matches with days for a move"
        told = partial(self._tell_leave, owner, player)
        # `Leaves.end` sends the message itself, unless there is no leave that it could shorten.
        if days is None or (days == 0 and not self.leaves.end(owner, told)):
            told()
        elif days and not 0 < days <= LONGEST_LEAVE:
            return f"expected 1 to {LONGEST_LEAVE} days, or 0 if you are back"
        elif days:
            return self.leaves.take(owner, days, told)
        return None

    def extend(self, number: TableId, days: int, durable: Callable[[int], None]) -> bool:
        """
        Give the players of a match more time: for this number of days, the match does not end by time.

        :param durable: called with the end of these days, in milliseconds since 1970, when the change is durable
        :returns: `False`: there is no such match
        """
        if self._index.game(number) is None:
            return False
        place = place_of(number)
        self.leaves.extend(place, days, lambda: durable(self.leaves.until(place)))
        return True

    def _is_read(self, table: TableId) -> bool:
        """Whether a table is in memory, or is being read."""
        return table in self.tables or table in self._reading

    def _skip(self, table: TableId, why: str) -> None:
        """Note and log that a match cannot continue in this run of the host."""
        self.faulty[table] = why
        self.log.error("table {table} is not resumed: {reason}", table=table, reason=why)

    def check_room(self, session: Session, settings: Settings) -> None:
        """
        Check that a player may begin one more match with these settings.

        :raises CannotJoin: the limits of this host do not allow it
        """
        limits, days = self.limits, whole_number(MOVE_DAYS, settings[MOVE_DAYS])
        if days > self.days:
            most = f"{self.days} days for a move at most" if self.days else "no days for a move"
            raise CannotJoin(f"on this host a match has {most}")
        # Three limits: of this player, of its address, and of the host. Each is `None` if it is switched off.
        own = limits.most("slow_matches_per_account" if session.account else "slow_matches_per_guest")
        if own is not None and self._index.count("key", session.key) >= own:
            more = "" if session.account else "; an account may have more"
            raise CannotJoin(f"you have {own} slow matches, and no more at once{more}")
        address = rate_limit_key(session.address)
        of_address = limits.most(_OF_ADDRESS)
        of_all = limits.most(_OF_ALL)
        if of_address is not None and self._index.count("address", address) >= of_address:
            raise CannotJoin("players at this address have enough slow matches")
        if of_all is not None and len(self._index) >= of_all:
            raise CannotJoin("this host has enough slow matches")

    def begin(self, game: Game[Any, Any], number: TableId, settings: Settings, seats: Sequence[SeatRecord]) -> None:
        """Begin a match of these players, given in the order of the seats. Connected players may sit down at once."""
        opening = TableHeader(game.name, game.version, tuple(seats), {**settings, SLOW: str(self.wall)})
        table = self._prepare(number, game, opening)
        players = [self._sits_down(number, one) for one in seats]
        names = ", ".join(f"{one.name} ({one.wire})" for one in seats)
        self.log.info("table {table}: {game} begins: {players}", table=number, game=game.name, players=names)
        self._context.counts.begun[game.name] += 1
        self._index.add([(number, opening, None)])
        self.tables[number] = table
        self._registry.membership.keep(place_of(number))
        table.open(opening, players)
        self._put_away_if_empty(table)  # all players may be away

    def _sits_down(self, table: TableId, seat: SeatRecord) -> Player[Any, Any] | None:
        """The receiver of a new match's events for a player; `None`: the player is away, or does not sit down."""
        session = self._registry.sessions.by_key.get(key_of(seat.name))
        player = None if session is None else session.player
        return player.slow_seat(table) if isinstance(player, SitsDown) else None

    def _prepare(self, number: TableId, game: Game[Any, Any], opening: TableHeader) -> SlowTable:
        """Make the table of a match, without its entries."""
        # A player that leaves the table has no session to free, so nothing is called then.
        table = SlowTable.prepare(self._context, number, game, opening, self._ended, lambda table, seat: None)
        table.host = self
        return table

    def _ended(self, table: Any) -> None:
        """Note that a match is over, or that a fault has stopped it. Called before its players receive this."""
        self.tables.pop(table.id, None)
        self._registry.membership.give_up(place_of(table.id))
        if table.phase is Phase.SUSPENDED:
            self.faulty[table.id] = table.fault
            self._index.set_due(table.id, None)  # a stopped match does not end by time
            return
        self._context.counts.end(table.id, table.game.name, bool(table.outcome))
        outcome = table.outcome or ANNULLED.why
        self.log.info("table {table}: {game} is over: {outcome}", table=table.id, game=table.game.name, outcome=outcome)
        self._remove(table.id)

    def _remove(self, table: TableId) -> None:
        """Remove a match that is over, and free the names of players without another match or a session."""
        for key in self._index.remove(table):
            if key not in self._registry.sessions.by_key and not self._index.tables(key):
                self._registry.membership.freed(key)
        self._set_alarm()

    # -- questions about matches and players

    def record_of(self, key: str) -> SeatRecord | None:
        """The guest that has a seat in a slow match under the name with this key; `None`: no guest has."""
        return self._index.guest(key)

    def keys(self) -> set[str]:
        """The keys of the names of all players."""
        return self._index.keys()

    def has(self, session: Session, table: TableId) -> bool:
        """Whether a player has a seat in the unfinished slow match with this number."""
        return self._index.seat(table, session) is not None

    def tables_of(self, key: str) -> list[TableId]:
        """The numbers of the matches of the player under the name with this key."""
        return self._index.tables(key)

    # -- players sit down and rise

    def sit(
        self, session: Session, number: TableId, player: Player[Any, Any], failed: Callable[[str], None]
    ) -> str | None:
        """
        Let a player sit down at the table of one of its matches. When the table is in memory, now or later, the player gets
        its seat by `seated` and receives `Back`.

        :param number: of the table
        :param player: receives the events of the match
        :param failed: called with the reason if the table cannot be read
        :returns: the reason why the player cannot sit down; `None`: the table is there, or is being read
        """
        seat = self._index.seat(number, session)
        if seat is None:
            return "you have no slow match of this number that is unfinished"
        if number in self.faulty:
            return "a fault has stopped this match"

        def take(table: SlowTable | str) -> None:
            """Give the player its seat; a text instead of the table: it cannot be read."""
            if isinstance(table, str):
                failed(_ELSEWHERE if table is _ELSEWHERE else "this match is over")
            elif session.player is not None:  # otherwise the player has disconnected meanwhile
                table.reconnect(seat, player)
                if session.account and self._own.notices is not None:
                    self._own.notices.seen(session.key, number)

        self._with(number, take)
        return None

    def sits(self, key: str, number: TableId) -> bool:
        """Whether the player under the name with this key sits at a table now."""
        table = self.tables.get(number)
        return table is not None and any(
            table.sits(Seat(n)) for n, name in enumerate(table.names) if key_of(name) == key
        )

    def rise(self, number: TableId, player: Player[Any, Any]) -> None:
        """Let a player rise from a table. The player need not sit there. Its seat and its match remain."""
        table = self.tables.get(number)
        # The seat of this player is not known here; `SlowTable.rise` ignores the seats of others.
        if table is not None and not self._stopped:
            for seat in range(len(table.names)):
                table.rise(Seat(seat), player)
            self._put_away_if_empty(table)

    def give_up_all(self, key: str) -> None:
        """Give up the player's seats in all of its matches: it loses those of two players, and leaves the others."""

        def give_up(table: SlowTable | str) -> None:
            if not isinstance(table, str):  # a text: the table cannot be read
                table.give_up(next(Seat(seat) for seat, name in enumerate(table.names) if key_of(name) == key))

        for number in self._index.tables(key):
            self._with(number, give_up)

    def _put_away_if_empty(self, table: SlowTable) -> None:
        """Remove a table from memory if no player sits there. The journal then writes all of it to the store."""
        if table.empty and table.running and self.tables.get(table.id) is table:
            del self.tables[table.id]
            self._context.journal.sleep(table.id, self._uptime(), table.deadline, partial(self._asleep, table.id))

    def _asleep(self, number: TableId) -> None:
        """
        Let another member of a cluster take a table, because the store has all of it now. If a player has sat down here
        meanwhile, do nothing.
        """
        if not self._is_read(number):
            self._registry.membership.give_up(place_of(number))

    # -- tables are read

    def _with(self, number: TableId, use: _Use) -> None:
        """
        Call a function with a table: at once if the table is in memory, otherwise when it was read. If it cannot be read, the
        function is called with the reason.
        """
        table = self.tables.get(number)
        if table is not None:
            use(table)
            self._put_away_if_empty(table)
        elif number in self._reading:
            self._reading[number].append(use)
        elif not self._stopped:
            self._reading[number] = [use]
            self._registry.membership.take(number, partial(self._taken, number))

    def _taken(self, number: TableId, taken: bool) -> None:
        """
        Read a table, after the cluster was asked for it.

        :param taken: whether this host is the home of the table now, so that it may read it
        """
        if self._stopped:
            return
        if taken:
            self._context.journal.load(number, partial(self._read, number))
        else:
            # The other host ends the match at its deadline. Look again later, in case it fails.
            self._index.set_due(number, self.wall + _LATER)
            self._use(number, _ELSEWHERE)

    def _read(self, number: TableId, record: TableRecord | str) -> None:
        """
        Replay the record of a table in short slices of time, so that other matches need not wait. A text instead of the
        record is the reason why it cannot be read.
        """
        if self._stopped:
            return
        if isinstance(record, str):
            self._failed(number, record)
        elif not record.entries or record.entries[-1].outcome:
            # Without entries, no player knows that the match began. With an outcome, all players can read it elsewhere.
            self._context.journal.told(number)
            self._remove(number)
            self._use(number, "it is over")
            self._registry.membership.give_up(place_of(number))
        else:
            game = self._games[record.opening.game]
            self._context.slices.run(self._following(game, record), partial(self._followed, number))

    def _following(self, game: Game[Any, Any], record: TableRecord) -> Generator[None, None, SlowTable]:
        """Make the table of a match by replaying its record, in steps."""
        table = self._prepare(record.table, game, record.opening)
        yield from table.restore(record)
        return table

    def _followed(self, number: TableId, table: SlowTable | Exception) -> None:
        """
        Put a table that was replayed into memory, and call the functions that wait for it. An exception instead of the
        table: replaying has failed.
        """
        if self._stopped:
            return
        if isinstance(table, Exception):
            why = str(table) if isinstance(table, NotFollowed) else f"{type(table).__name__}: {table}"
            self._failed(number, why)
            return
        self.tables[number] = table
        self._index.set_due(number, table.deadline)
        table.end_if_late()  # first, so that a player that sits down receives the end, and not a match without time
        self._use(number, table)
        # If a player sits there now, the journal must accept new entries.
        if not table.empty and number in self.tables:
            self._context.journal.wake(number)
        self._put_away_if_empty(table)

    def _failed(self, number: TableId, why: str) -> None:
        """Note that a match cannot continue, as its record cannot be read or replayed, and inform those that wait for it."""
        self._skip(number, why)
        self._index.set_due(number, None)
        self._use(number, why)
        self._registry.membership.give_up(place_of(number))

    def _use(self, number: TableId, table: SlowTable | str) -> None:
        """Call the functions that wait for a table: with the table, or with the reason why it cannot be read."""
        for use in self._reading.pop(number, ()):
            use(table)
        self._set_alarm()

    # -- the clock

    def due_changed(self, table: Any) -> None:
        """Note the new deadline of a table."""
        self._index.set_due(table.id, table.deadline)
        self._set_alarm()

    def recorded(self, table: SlowTable, result: Result | None) -> None:
        """
        Put the new state of a match into the lists of its players. Called when an entry of the match was given to the journal.

        :param result: `None`: the match continues
        """
        turn, deadline = table.turn, table.deadline
        by = None if deadline is None else max(deadline, self.lenient)  # no match ends before the grace time is over
        rows: list[tuple[str, OwnedMatch]] = []
        for seat, player in enumerate(table.players):
            state: OwnState = "turn" if seat in turn else "wait"
            facts = table.id, table.game.name, tuple(table.names), seat, state, by, table.code
            match = OwnedMatch(*facts, slow=True, shown_as=table.shown_as)
            if (offer := table.offered_to(Seat(seat))) is not None:
                match = replace(match, state="offer", offer=offer.value, turn=seat in turn)
            if (owner := owner_of(player)) is not None:  # a guest without a key has no list
                rows.append((owner, match if result is None else self._own.ended(match, result)))
        self._own.put(rows)

    def _set_alarm(self) -> None:
        """Set the timer to the next deadline, or to the next check of the wall's clock if that comes first."""
        if self._stopped or self._index.empty:
            self._alarm.stop()
            return
        wait = LOOK_EVERY
        if self._unknown:
            wait = 0.0
        elif (soonest := self._index.soonest) is not None:
            wait = min(wait, max(0.0, (max(soonest, self.lenient) - self.wall) / 1000))
        if len(self._reading) >= LOADS and not wait:
            return  # too many tables are being read: `_use` sets the timer when one of them was read
        clock = self._context.clock
        # Only make the timer fire earlier: frequent calls must not postpone the check of the time of day.
        if not self._alarm or self._alarm.due > clock.seconds() + wait:
            self._alarm.set(clock, wait, self._ring)

    def _ring(self) -> None:
        """Read the tables that must be read, and end the matches that are over by time. Called by the timer."""
        self._look_at_wall()
        while self._unknown and len(self._reading) < LOADS:
            number, use = self._unknown.popleft()
            if self._index.game(number) is not None:  # otherwise the match is over meanwhile
                self._with(number, use)
        now = self.wall
        if now >= self.lenient:  # during the grace time no match ends by time
            for number in self._index.due(now, LOADS):
                if len(self._reading) < LOADS:
                    # Unknown until the table was read, so that it is not found here again meanwhile.
                    self._index.set_due(number, None)
                    self._with(number, _end_if_late)
        self._set_alarm()

    def _look_at_wall(self) -> None:
        """
        Begin a grace time if the time of day has jumped or the machine was suspended, because players could not know how
        much time they had left.
        """
        wall, clock = self._context.wall(), self._context.clock.seconds()
        # How much time has passed by the time of day, and by the reactor's clock, which never jumps.
        last_wall, last_clock = self._seen
        passed, counted = wall - last_wall, clock - last_clock
        self._seen = wall, clock
        if abs(passed - counted) > JUMP:
            self._since = self.wall
            words = "the clock has jumped by {seconds} s: no slow match ends by time for {hours} h"
            self.log.warn(words, seconds=round(passed - counted), hours=round(self.grace / 3600, 1))

    def halt(self) -> None:
        """Stop the timer, because the host stops. Called after all players were disconnected."""
        self._stopped = True
        self._alarm.stop()


def _keys(table: TableId, seats: Iterable[SeatRecord]) -> Iterable[str]:
    """The keys of the leaves that apply to a table: that of the table's place, and those of its players."""
    return [place_of(table), *filter(None, map(owner_of, seats))]


def _nothing(table: SlowTable | str) -> None:
    """Do nothing with a table that was read only to note its deadline."""


def _later(due: int | None) -> int | None:
    """The time at which this member ends a match of another member, by the match's deadline."""
    return None if due is None else due + _LATER


def _end_if_late(table: SlowTable | str) -> None:
    """End a match if its deadline has passed; otherwise note its deadline again."""
    if not isinstance(table, str):
        table.end_if_late()
        if table.running:
            table.host.due_changed(table)
