"""
A cluster in memory: what the database promises to its members, and a registry for each member, on a clock of the test.

A registry carries out its requests one turn of the clock after they were made.

A member can be killed, can hang, and can lose its connection to the database.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import define, evolve, field, frozen
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.task import Clock

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account
from gamehost.journal.records import Leave, OpenedTable, OwnedMatch, TableId, UnfinishedTable
from gamehost.storage.names import (
    ASK_AGAIN,
    RESTRAINT,
    Answer,
    Asked,
    Claim,
    Member,
    NewNumbers,
    Offer,
    QueueKey,
    Registry,
    Release,
    Request,
    Seen,
    Show,
    Transfer,
    Wait,
    WaitNoLonger,
    Watcher,
    keys_of_opened,
    keys_of_table,
    look_at,
    meeting_place,
)

#: The order of an offer to which the database gives one when it is written.
NEW = 0


@frozen
class Rows:
    """What the database holds."""

    #: By the key of the name.
    homes: Mapping[str, int]
    #: By the key of the name, the oldest first.
    offers: Mapping[str, Offer]
    #: The members that live.
    living: Collection[int]


def carry_out(requests: Sequence[Request], rows: Rows, me: int) -> tuple[list[int | bool | None], Rows]:
    """The results of a group of requests of a member that is alive, in its order, and the rows after it."""
    group = Group(me, dict(rows.homes), dict(rows.offers), {*rows.living, me})
    results = [group.carry_out(request) for request in requests]
    return results, Rows(group.homes, group.offers, group.living)


@define(eq=False)
class Group:
    me: int
    homes: dict[str, int]
    offers: dict[str, Offer]
    living: set[int]

    def carry_out(self, request: Request) -> int | bool | None:
        match request:
            case Claim(key, queue):
                return self._claim(key, queue)
            case Transfer(key, home):
                return self._transfer(key, home)
            case Release(keys):
                for key in keys:
                    if self._is_mine(key):
                        del self.homes[key]
                        self._stop_waiting(key)
            case Wait(key, queue, movable):
                self._wait(key, queue, movable)
            case WaitNoLonger(key):
                self._stop_waiting(key)
        return None

    def _is_mine(self, key: str) -> bool:
        return self.homes.get(key) == self.me

    def _claim(self, key: str, queue: QueueKey | None) -> int | None:
        home = self.homes.get(key)
        if home is None:
            elsewhere = self._opponents_elsewhere(queue)
            if elsewhere is not None:
                return elsewhere
            home = self.homes[key] = self.me
        return home if home in self.living else None

    def _opponents_elsewhere(self, queue: QueueKey | None) -> int | None:
        """The member where somebody waits in this queue, while nobody waits here."""
        waiting = [offer for offer in self.offers.values() if offer.queue == queue and offer.home in self.living]
        return None if any(offer.home == self.me for offer in waiting) else meeting_place(waiting)

    def _transfer(self, key: str, member: int) -> bool:
        home = self.homes.setdefault(key, self.me)
        if home == member:
            return True  # also if this was carried out before
        if home != self.me or member not in self.living:
            return False
        self.homes[key] = member
        self._stop_waiting(key)
        return True

    def _wait(self, key: str, queue: QueueKey, movable: bool) -> None:
        if not self._is_mine(key):
            return
        old = self.offers.get(key)
        if old is not None and (old.queue, old.home) == (queue, self.me):
            self.offers[key] = evolve(old, movable=movable)
        else:
            self.offers.pop(key, None)  # what comes next is the newest
            self.offers[key] = Offer(key, queue, self.me, movable, NEW)

    def _stop_waiting(self, key: str) -> None:
        offer = self.offers.get(key)
        if offer is not None and offer.home == self.me:
            del self.offers[key]


#: Seconds between two looks at the other members.
LOOK = 0.25
#: The database ends a session that is silent for so many seconds.
SILENCE = 3.0
#: For so many seconds a host tries to have its connection back.
PATIENCE = 10.0


@define(eq=False)
class MemberRow:
    member: Member
    ended: bool = False
    locked: bool = True
    #: Who has taken it over; 0: nobody.
    heir: int = 0


@define(eq=False)
class MemoryCluster:
    """The shared rows, and what changes them."""

    clock: Clock = field(factory=Clock)
    #: The wires that are at all members.
    spreading: Collection[str] = ()
    #: Seconds until requests are carried out, and from then on until the host is called.
    delay: Callable[[], float] = lambda: 0.0
    members: dict[int, MemberRow] = field(factory=dict)
    registries: dict[int, "MemoryRegistry"] = field(factory=dict)
    #: By the key of the name.
    homes: dict[str, int] = field(factory=dict)
    offers: dict[str, Offer] = field(factory=dict)
    #: The unfinished tables, with their owners. `open_table` and `close_table` change them.
    tables: dict[TableId, tuple[int, UnfinishedTable]] = field(factory=dict)
    #: The tables that wait, with their owners.
    opened: dict[TableId, tuple[int, OpenedTable]] = field(factory=dict)
    #: What members show, by their numbers.
    pages: dict[int, str] = field(factory=dict)
    accounts: dict[str, Account] = field(factory=dict)
    bans: dict[str, Ban] = field(factory=dict)
    #: What was changed: the key of an account, a table in the lists of players, or `None`: a ban.
    changes: list[str | TableId | Leave | None] = field(factory=list)
    #: The unfinished tables at which nobody is, and by table what is in the lists of players.
    asleep: set[TableId] = field(factory=set)
    own: dict[TableId, dict[str, OwnedMatch]] = field(factory=dict)
    _last_number: int = 0
    _last_order: int = 0

    def join(
        self, name: str = "a machine", address: str = "", token: str = "", broken: Callable[[str], None] | None = None
    ) -> "MemoryRegistry":
        """Begin the run of a member. That it must end is an error of the test, unless `broken` is called for that."""
        epoch = max(self.members, default=0) + 1
        member = Member(epoch, name, address or f"memory:{epoch}", token or f"token {epoch}")
        self.members[epoch] = MemberRow(member)
        self.registries[epoch] = registry = MemoryRegistry(epoch, self, broken or _fail)
        return registry

    def open_table(self, owner: int, table: UnfinishedTable) -> None:
        self.tables[table.table] = owner, table

    def close_table(self, table: TableId) -> None:
        self.tables.pop(table, None)

    def sleep(self, table: TableId, due: int | None) -> None:
        if table in self.tables:
            owner, unfinished = self.tables[table]
            self.tables[table] = owner, evolve(unfinished, due=due)
            self.asleep.add(table)

    def put_leave(self, leave: Leave) -> None:
        self.changes.append(leave)

    def put_own(self, matches: Sequence[tuple[str, OwnedMatch]]) -> None:
        for owner, match in matches:
            self.own.setdefault(match.table, {})[owner] = match
            self.changes.append(match.table)

    def put_account(self, account: Account) -> None:
        self.accounts[account.key] = account
        self.changes.append(account.key)

    def drop_account(self, key: str) -> None:
        self.accounts.pop(key, None)
        self.changes.append(key)

    def put_ban(self, ban: Ban) -> None:
        self.bans[ban.key] = ban
        self.changes.append(None)

    def drop_ban(self, key: str) -> None:
        self.bans.pop(key, None)
        self.changes.append(None)

    def advance(self, seconds: float) -> None:
        """Let time pass in steps, so that all timers are late by 10 ms at most."""
        for _ in range(max(1, round(seconds / 0.01))):
            self.clock.advance(0.01)

    # -- what members ask of it

    def carry_out(self, requests: Sequence[Request], me: int, gone: Iterable[int]) -> list[int | bool | None]:
        """Carry out a group of requests of a member, in one transaction."""
        living = {epoch for epoch, row in self.members.items() if not row.ended}.difference(gone)
        results, rows = carry_out(requests, Rows(self.homes, self.offers, living), me)
        self.homes, self.offers = dict(rows.homes), dict(rows.offers)
        for key, offer in self.offers.items():
            if offer.order == NEW:
                self._last_order += 1
                self.offers[key] = evolve(offer, order=self._last_order)
        return results

    def new_numbers(self, count: int) -> range:
        first = self._last_number + 1
        self._last_number += count
        return range(first, first + count)

    def look(self) -> list[Seen]:
        """The members that have not ended, or own something."""
        owners = {owner for owner, _ in self.tables.values()}
        owners.update(self.homes.values())
        owners.update(offer.home for offer in self.offers.values())
        return [
            Seen(epoch, one.name, one.address, one.token, row.ended, row.locked)
            for epoch, row in sorted(self.members.items())
            for one in (row.member,)
            if not row.ended or epoch in owners
        ]

    def take_over(self, me: int, dead: int) -> tuple[list[UnfinishedTable], list[str]] | None:
        """A member takes everything of another one. The tables, and what is here now; `None`: the other one is alive."""
        row = self.members[dead]
        if row.locked or row.heir not in (0, me):
            return None
        row.ended, row.heir = True, me
        taken_over = [table for owner, table in self.tables.values() if owner == dead]
        self.tables.update({table.table: (me, table) for table in taken_over})
        self.asleep.update(table.table for table in taken_over)
        self.homes = {key: home for key, home in self.homes.items() if home != dead}
        self.offers = {key: offer for key, offer in self.offers.items() if offer.home != dead}
        keys = {key for table in taken_over for key in keys_of_table(table, self.spreading)}
        mine = [one for owner, one in self.opened.values() if owner == dead]
        self.opened.update({one.table: (me, one) for one in mine})
        keys.update(key for one in mine for key in keys_of_opened(one))
        here = [key for key in sorted(keys) if self.homes.setdefault(key, me) == me]
        return sorted(taken_over, key=lambda table: table.table), here


def _fail(why: str) -> None:
    raise AssertionError(why)


@define(eq=False)
class MemoryRegistry(Registry):
    """The registry of one member. `broken` is called when the host must end."""

    cluster: MemoryCluster
    _broken: Callable[[str], None] = _fail
    #: Whether the process runs; it may hang.
    runs: bool = True
    hangs: bool = False
    #: Since when there is no connection to the database; `None`: there is one.
    _lost_at: float | None = None
    _asked: list[Asked] = field(factory=list)
    #: Calls to the host that were not made yet.
    _calls: deque[Callable[[], None]] = field(factory=deque)
    _timers: dict[str, IDelayedCall] = field(factory=dict)
    _restrained_until: float = float("-inf")
    #: `None`: it has not looked yet.
    _members: Sequence[Member] | None = None
    _dead: Sequence[int] = ()
    _changes_read: int = 0
    _matches_told: bool = False
    _offers_told: bool = False
    _pages_told: dict[int, str] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self._changes_read = len(self.cluster.changes)

    @property
    def row(self) -> MemberRow:
        return self.cluster.members[self.epoch]

    def start(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._look()
        self._later("look", LOOK, self._look_again)

    def stop(self, stopped: Callable[[], None]) -> None:
        """As of `Registry`. The journal, whose run this is, ends with it."""
        if not self.runs:
            stopped()
            return
        self._stopping = True
        self._commit()
        while self._asked:
            self._calls.append(partial(self.answer, self._asked.pop(0), None))
        self._calls.append(stopped)
        self._deliver()
        self.kill()
        self.row.ended = True

    # -- what can happen to it

    def kill(self) -> None:
        self.runs = self.row.locked = False
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def hang(self) -> None:
        """The process does nothing any more. The database ends its session when it was silent for too long."""
        self.hangs = True
        self._later("silence", SILENCE, self._end_session)

    def wake(self) -> None:
        self.hangs = False
        if (silence := self._timers.pop("silence", None)) is not None:
            silence.cancel()
        if not self.row.locked:
            self.find_line()
        self._turn()

    def lose_line(self) -> None:
        """The connection to the database is lost, and cannot be had again."""
        self._lost_at = self.cluster.clock.seconds()
        self.row.locked = False

    def find_line(self) -> None:
        self._lost_at = None
        self._restrained_until = self.cluster.clock.seconds() + RESTRAINT
        if self.row.ended:
            self._break("another host has taken the journal over")
        else:
            self.row.locked = True
            self._turn()

    def _break(self, why: str) -> None:
        self.kill()
        self._broken(why)

    # -- requests

    def _put(self, asked: Asked) -> None:
        self._asked.append(asked)
        self._later("turn", self.cluster.delay(), self._turn)

    def _turn(self) -> None:
        self._commit()
        if (delay := self.cluster.delay()) > 0.0:
            self._later("deliver", delay, self._deliver)
        else:
            self._deliver()

    def _commit(self) -> None:
        if not self._can_act:
            return
        if self.row.ended:
            self._break("another host has taken the journal over")
            return
        asked, self._asked = self._asked, []
        for one in asked:
            self._carry_out(one)
        if self._asked:
            self._later("again", ASK_AGAIN, self._turn)

    def _carry_out(self, asked: Asked) -> None:
        request = asked.request
        result: Any = None
        if isinstance(request, NewNumbers):
            result = self.cluster.new_numbers(request.count)
        elif isinstance(request, Show):
            self.cluster.pages[self.epoch] = request.page
        else:
            [result] = self.cluster.carry_out([request], self.epoch, self._dead)
            if isinstance(request, Claim):
                result = None if result is None else Answer(result, self.cluster.accounts.get(request.key))
                if result is None and not asked.is_given_up(self.cluster.clock.seconds()):
                    self._asked.append(asked)
                    return
        self._calls.append(partial(self.answer, asked, result))

    def _deliver(self) -> None:
        """Call the host with all answers and news."""
        while self._calls and self.runs and not self.hangs:
            self._calls.popleft()()

    @property
    def _can_act(self) -> bool:
        return self.runs and not self.hangs and self._lost_at is None

    def _later(self, name: str, seconds: float, call: Callable[[], None]) -> None:
        if name in self._timers or not self.runs:
            return

        def called() -> None:
            del self._timers[name]
            call()

        self._timers[name] = self.cluster.clock.callLater(seconds, called)

    # -- looks at the others

    def _look_again(self) -> None:
        self._later("look", LOOK, self._look_again)
        if not self.hangs:
            self._look()
            self._turn()

    def _look(self) -> None:
        """What a registry does four times a second."""
        now = self.cluster.clock.seconds()
        if self._lost_at is not None:
            if now - self._lost_at >= PATIENCE:
                self._break("the connection to the database was lost, and is not back")
            return
        if self.row.ended:
            self._break("another host has taken the journal over")
            return
        if not self.row.locked:
            self._restrained_until = now + RESTRAINT
        before = self._members
        self._members, self._dead = look_at(self.cluster.look(), self.epoch, now < self._restrained_until)
        if before != self._members:
            self._tell("members_are", self._members)
        self._take_over()
        living = {member.epoch for member in self._members}
        if self.cluster.offers or (before is not None and self._offers_told):
            self._offers_told = bool(self.cluster.offers)
            offers = [offer for offer in self.cluster.offers.values() if offer.home in living]
            self._tell("offers_are", sorted(offers, key=lambda offer: offer.order))
        living.discard(self.epoch)
        pages = {home: page for home, page in self.cluster.pages.items() if home in living}
        if pages != self._pages_told:
            self._pages_told = pages
            self._tell("pages_are", pages)
        self._read_changes()

    def _end_session(self) -> None:
        self.row.locked = False

    def _take_over(self) -> None:
        for dead in self._dead:
            if (taken := self.cluster.take_over(self.epoch, dead)) is not None and self._watcher is not None:
                self._calls.append(partial(self.tell_taken_over, *taken))

    def _read_changes(self) -> None:
        changed = self.cluster.changes[self._changes_read :]
        self._changes_read += len(changed)
        if changed:
            accounts = {key: self.cluster.accounts.get(key) for key in changed if isinstance(key, str)}
            self._tell("changed", accounts, list(self.cluster.bans.values()) if None in changed else None)
        if leaves := {one.key: one for one in changed if isinstance(one, Leave)}:
            self._tell("leaves_changed", leaves)
        if not self._matches_told:
            self._matches_told = True
            self._tell_matches(self.cluster.tables, False)
        if tables := {table: None for table in changed if isinstance(table, int)}:
            self._tell_matches(tables, True)

    def _tell_matches(self, tables: Iterable[TableId], with_rows: bool) -> None:
        found = [self.cluster.tables[table] for table in tables if table in self.cluster.tables]
        slow = [(owner, one) for owner, one in found if one.opening.slow is not None]
        rows = [row for table in tables if with_rows for row in self.cluster.own.get(table, {}).items()]
        self._tell("matches_changed", slow, rows, [table for table in tables if table not in self.cluster.tables])

    def take(self, table: TableId) -> bool:
        """Whether a sleeping table is this member's from now on."""
        owner, unfinished = self.cluster.tables.get(table, (self.epoch, None))
        if owner != self.epoch and table not in self.cluster.asleep:
            return False
        if unfinished is not None:
            self.cluster.tables[table] = self.epoch, unfinished
        return True

    def _tell(self, method: str, *arguments: Any) -> None:
        if self._watcher is not None:
            self._calls.append(partial(getattr(self._watcher, method), *arguments))
