"""
The registry of a cluster's member, in PostgreSQL: which member is the home of each name, which players wait, and which members
are alive. A thread with a session of its own carries out the host's requests.

Several requests are carried out by one statement, as a group, if possible. Four times a second the thread looks for members
that have died. Members notify each other of all other changes through the database.

After a lost connection the thread connects again, and repeats the requests that may not have been carried out. A request that
was carried out before changes nothing.
"""

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import starmap
from queue import SimpleQueue
from socket import socket, socketpair
from typing import Any

from attrs import define, field
from twisted.internet.defer import Deferred

from gamehost.extras.cluster.postgresql.members import (
    TAKEN_OVER,
    look,
    lost,
    slow_matches,
    take_numbers,
    take_over,
)
from gamehost.extras.cluster.postgresql.session import Clock, LineLost, Session, Sleep, connect_to_listen, refusing
from gamehost.extras.cluster.postgresql.store import reconnected
from gamehost.journal.records import TableId
from gamehost.storage import names
from gamehost.storage.contents import ACCOUNT_COLUMNS, StoreFailed, account_of, read_bans
from gamehost.storage.own import read_leaves, read_own_of

#: Finds all players of living members that wait in queues.
_OFFERS = (
    "SELECT key, game, pool, home, movable, id FROM seeking JOIN member ON epoch = home AND ended IS NULL ORDER BY id"
)

#: For each kind of request, its place in the order in which a group is carried out, and its name in the database.
_ORDER: Mapping[type[names.Request], tuple[int, str]] = {
    names.Claim: (0, "claim"),
    names.Transfer: (1, "transfer"),
    names.WaitNoLonger: (2, "wait no longer"),
    names.Release: (3, "release"),
    names.Wait: (4, "wait"),
}


def first_group(requests: Iterable[names.AnyRequest]) -> list[names.Request]:
    """
    Returns as many of the first requests as can be carried out as one group. The results are the same as if the requests were
    carried out one after the other.

    A group is carried out kind by kind. So if a name occurs in two requests, the second one must be of a later kind. A claim
    with a queue depends on the players that wait, so it must come before all requests that change them.
    """
    group: list[names.Request] = []
    last: dict[str, int] = {}
    for request in requests:
        # These requests are carried out alone.
        if isinstance(request, names.NewNumbers | names.Show):
            break
        place, _ = _ORDER[type(request)]
        keys = names.keys_of(request)
        # A place is the position of a kind in a group; -1: no request of the group has this name.
        if any(last.get(key, -1) >= place for key in keys):
            break
        # Only claims have the place 0, so any other place means that a request before it may change the waiting
        # players.
        if isinstance(request, names.Claim) and request.queue is not None and any(last.values()):
            break
        last.update(dict.fromkeys(keys, place))
        group.append(request)
    return group


#: Notifies the other members, without waiting until the commit is durable: sessions with notifications wait for each other.
_WAKE = "SELECT set_config('synchronous_commit', 'off', true), pg_notify('gamehost', '{}')"
#: Stores the page of this member, and notifies the others.
_SHOW = f"""
    WITH shown AS (
        INSERT INTO page(home, page) VALUES (%s, %s)
        ON CONFLICT (home) DO UPDATE SET n = page.n + 1, page = excluded.page RETURNING 1
    )
    {_WAKE.format("page")} FROM shown"""

#: Finds all pages with their numbers. NULL replaces a page that is known already.
_PAGES = """
    SELECT home, n, CASE WHEN known.home IS NULL THEN page END
    FROM page LEFT JOIN unnest(%s::int8[], %s::int8[]) AS known(home, n) USING (home, n)"""


def carry_out_group(
    session: Session, group: Sequence[names.Request], me: int, gone: Collection[int]
) -> tuple[list[names.Answer | bool | None], bool]:
    """
    Carries out a group of requests in one transaction.

    :param group: the requests, as `first_group` returns them
    :param me: the number of this run
    :param gone: the numbers of dead members with an end that is not noted yet
    :returns: the result of each request, and whether the waiting players have changed. The result of a claim is an `Answer`, or
        `None` if it must be asked again later.
    :raises StoreFailed: another member has ended this run
    """
    # The database receives a list of rows for each kind of request, as JSON.
    asked: dict[str, list[Mapping[str, object]]] = {}
    for request in group:
        asked.setdefault(_ORDER[type(request)][1], []).extend(_columns(request))
    rows = session.rows("SELECT * FROM change_names(%s, %s, %s)", (me, list(gone), json.dumps(asked)))
    # The database refuses requests of a run that another member has taken over.
    if not rows:
        raise StoreFailed(TAKEN_OVER)
    # Find the row of each request in the answer.
    found = {(what, key): columns for what, key, *columns in rows}
    results: list[names.Answer | bool | None] = []
    for request in group:
        match request:
            case names.Claim(key):
                # Without a home, the claim could not be answered now. Without a name, there is no account.
                home, name, *digest = found["claim", key]
                account = None if name is None else account_of(name, *digest)
                results.append(None if home is None else names.Answer(home, account))
            case names.Transfer(key, home):
                results.append(found.get(("transfer", key), [None])[0] == home)
            case _:
                results.append(None)
    return results, bool(found["changed", None][0])


def _columns(request: names.Request) -> Iterator[Mapping[str, object]]:
    """Yields the rows of a request for the database: a mapping of columns for each of its names."""
    match request:
        case names.Transfer(key, home):
            yield {"key": key, "home": home}
        case names.Claim(key, (game, pool)):
            yield {"key": key, "game": game, "pool": pool}
        case names.Wait(key, (game, pool), movable):
            yield {"key": key, "game": game, "pool": pool, "movable": movable}
        case _:
            yield from ({"key": key} for key in names.keys_of(request))


def read_offers(session: Session) -> list[names.Offer]:
    """Returns all players of the cluster that wait in queues, the longest waiting first."""
    return [names.Offer(key, (game, pool), *more) for key, game, pool, *more in session.rows(_OFFERS)]


#: The seconds between two reads of the other members' state. Then the least seconds between two reads that follow
#: notifications.
LOOK, WAKE = 0.25, 0.02
#: The seconds after which a member reads everything, even if it was not notified.
LOOK_AT_ALL = 5.0


@define(eq=False)
class PostgresRegistry(names.Registry):
    """
    The registry of a host that has opened its journal. It must be made before the accounts and the bans are read, so that it
    misses no change of them. Only the thread uses attributes with names that begin with `_`.

    :param store: the name of the database
    :param from_thread: calls a function on the reactor's thread, in the order of the calls
    :param broken: called on the reactor's thread, at most once, with the reason why the host must end
    :param warn: called on the reactor's thread with words for the log
    :param spreading: the wires that spread; see `keys_of_table`
    :raises StoreUnusable: there is no connection to the database
    """

    _store: str
    _from_thread: Callable[[Callable[[], None]], None]
    _broken: Callable[[str], None]
    _warn: Callable[[str], None] = lambda words: None
    _spreading: Collection[str] = ()
    _connect: Callable[[str], Session] = connect_to_listen
    _clock: Clock = time.monotonic
    _sleep: Sleep = time.sleep
    _session: Session = field(init=False)
    #: The requests from the reactor's thread; `None`: the thread must end.
    _queue: "SimpleQueue[names.Asked | None]" = field(factory=SimpleQueue)
    #: The requests that the thread must carry out, in order.
    _due: deque[names.Asked] = field(factory=deque)
    #: The claims that are tried again, and the time of the next try.
    _waiting: list[names.Asked] = field(factory=list)
    _again_at: float = 0.0
    #: Until this time no member counts as dead.
    _restrained_until: float = float("-inf")
    #: The time of the next read of the other members' state, the time of the last one, and the time of the next complete one.
    _look_at: float = 0.0
    _looked_at: float = float("-inf")
    _look_at_all: float = 0.0
    #: Two connected sockets. The reactor's thread writes a byte to `_ring`, so that the thread stops to wait at `_bell`.
    _bell: socket = field(init=False)
    _ring: socket = field(init=False)
    #: The living members, this one among them, and the numbers of the dead ones.
    _members: Sequence[names.Member] = ()
    _dead: Sequence[int] = ()
    #: Whether the last report of waiting players had any.
    _offers_told: bool = False
    #: The pages that were reported last, by member, each with its number.
    _pages: Mapping[int, tuple[int, str]] = field(factory=dict)
    #: The number of the newest change that was read.
    _changes_read: int = 0
    #: Whether the slow matches of the cluster were reported once.
    _matches_told: bool = False
    #: Whether the thread must end.
    _ending: bool = False
    _thread: threading.Thread | None = None
    _ended: Deferred[None] = field(factory=Deferred)

    def __attrs_post_init__(self) -> None:
        """
        Connects to the database, and makes the sockets by which the reactor's thread wakes this object's thread.

        :raises StoreUnusable: there is no connection to the database
        """
        self._bell, self._ring = socketpair()
        for end in (self._bell, self._ring):
            end.setblocking(False)
        with refusing(self._store):
            self._session = self._connect(self._store)
            # Earlier changes are in the accounts and bans that the host reads after this.
            self._changes_read = self._session.rows("SELECT coalesce(max(id), 0) FROM change")[0][0]

    # -- on the reactor's thread

    def start(self, watcher: names.Watcher) -> None:
        """
        Starts the thread that speaks with the database.

        :param watcher: its methods are called on the reactor's thread when the thread has found out that something in the
            cluster has changed
        """
        self._watcher = watcher
        self._thread = threading.Thread(target=self._live, name="gamehost-registry", daemon=True)
        self._thread.start()

    def stop(self, stopped: Callable[[], None]) -> None:
        """
        Ends the thread after all requests so far.

        :param stopped: called when the thread has ended
        """
        self._stopping = True
        self._ended.addCallback(lambda ended: stopped())
        if self._thread is None:
            self._close()
            self._ended.callback(None)
        else:
            self._put(None)

    def join(self) -> None:
        """Waits for the end of the thread. This blocks."""
        if self._thread is not None:
            self._thread.join()

    def _put(self, asked: names.Asked | None) -> None:
        """Gives the thread a request, and wakes it; `None` ends it."""
        self._queue.put(asked)
        with suppress(OSError):  # the socket is full, so the thread wakes up anyway; or the thread has ended
            self._ring.send(b"\0")

    def _fail(self, why: str) -> None:
        """
        Reports that the host must end. A host that stops already is not informed: then it is no fault that another member has
        ended its run.
        """
        if not self._stopping:
            self._broken(why)

    def _answer_all(self, answered: Sequence[tuple[names.Asked, names.Answer | bool | None]]) -> None:
        """Passes results to those who asked, on the reactor's thread."""
        for asked, result in answered:
            self.answer(asked, result)

    def _end(self) -> None:
        """Called last on the reactor's thread, when the thread ends."""
        self.join()
        self._ended.callback(None)

    # -- on the thread

    def _live(self) -> None:
        """Runs in the thread until it must end, or fails."""
        try:
            while not self._ending:
                self._turn()
            # Claims that still wait get no answer.
            self._from_thread(partial(self._answer_all, [(asked, None) for asked in self._waiting]))
        except Exception as error:
            # An unexpected error is reported with its kind.
            kind = "" if isinstance(error, StoreFailed) else f"{type(error).__name__}: "
            self._from_thread(partial(self._fail, f"{kind}{error}"))
        finally:
            self._close()
            self._from_thread(self._end)

    def _close(self) -> None:
        """Closes the connection to the database, and the sockets between the threads."""
        self._session.close()
        self._bell.close()
        self._ring.close()

    def _turn(self) -> None:
        """Waits for requests or for the time of the next read, carries out the requests, and reads the members' state."""
        self._collect()
        # Claims that could not be answered are tried again, before newer requests.
        now = self._clock()
        if self._waiting and now >= self._again_at:
            self._due.extendleft(reversed(self._waiting))
            self._waiting = []
            self._again_at = now + names.ASK_AGAIN
        self._on_line(self._carry_out)
        if now >= self._next_look:
            self._look_at, self._looked_at = now + LOOK, now
            self._on_line(self._look)
            self._on_line(self._take_over)

    @property
    def _next_look(self) -> float:
        """The time of the next read of the other members' state: soon, if a notification has come."""
        return min(self._look_at, self._looked_at + WAKE) if self._session.notices else self._look_at

    def _collect(self) -> None:
        """Waits until something is due, and takes the requests from the queue."""
        # Claims that wait must be tried again at their time.
        until = min(self._next_look, self._again_at) if self._waiting else self._next_look
        if self._queue.empty():
            self._on_line(lambda: self._session.wait(self._bell, max(0.0, until - self._clock())))
        while not self._queue.empty():
            if (asked := self._queue.get()) is None:
                self._ending = True
                return
            self._due.append(asked)

    def _on_line(self, work: Callable[[], None]) -> None:
        """Calls a function. If the connection is lost, connects again and calls it again."""
        while True:
            try:
                work()
                return
            except LineLost:
                self._reconnect()

    def _reconnect(self) -> None:
        """
        Opens a new session. For a moment after that, no other member counts as dead: its session may have been lost, too.

        :raises StoreFailed: the database cannot be reached for too long
        """
        self._session.close()
        self._from_thread(partial(self._warn, "the registry's connection to the database is lost; log-ins wait"))
        self._session = reconnected(lambda until: self._connect(self._store), self._clock, self._sleep)
        self._look_at_all = 0.0
        self._restrained_until = self._clock() + names.RESTRAINT
        self._from_thread(partial(self._warn, "the registry's connection to the database is back"))

    def _tell(self, method: str, *arguments: Any) -> None:
        """Calls a method of the watcher on the reactor's thread."""
        self._from_thread(partial(getattr(self._watcher, method), *arguments))

    def _carry_out(self) -> None:
        """
        Carries out all requests in the list. If the connection is lost in the middle, the caller calls it again: a
        request leaves the list only when it was carried out.
        """
        while self._due:
            request, result = self._due[0].request, None
            if isinstance(request, names.NewNumbers):
                result = take_numbers(self._session, request.count)
            elif isinstance(request, names.Show):
                self._session.rows(_SHOW, (self.epoch, request.page))
            else:
                self._carry_out_names()
                # The group has been taken from the list there.
                continue
            self._from_thread(partial(self.answer, self._due.popleft(), result))

    def _carry_out_names(self) -> None:
        """Carries out the first group of requests about names and waiting players."""
        group = first_group(asked.request for asked in self._due)
        results, changed = carry_out_group(self._session, group, self.epoch, self._dead)
        if changed:
            self._session.rows(_WAKE.format("seeking"))
        answered: list[tuple[names.Asked, names.Answer | bool | None]] = []
        for result in results:
            asked = self._due.popleft()
            # A claim without an answer is tried again for some time.
            if isinstance(asked.request, names.Claim) and result is None and not asked.is_given_up(self._clock()):
                self._waiting.append(asked)
            else:
                answered.append((asked, result))
        self._from_thread(partial(self._answer_all, answered))

    def _look(self) -> None:
        """Reads the state of the other members, and reports the changes. After `LineLost`, it can be called again."""
        # A notification consists of the name of a changed table.
        now, changed, self._session.notices = self._clock(), self._session.notices, set()
        seen = look(self._session)
        own = next((one for one in seen if one.epoch == self.epoch), None)
        # Another member has taken this run over, so this host must end.
        if own is None or own.ended:
            raise StoreFailed(TAKEN_OVER)
        # This run has lost its own lock for a moment, so other members may have lost theirs in the same way.
        if not own.locked:
            self._restrained_until = now + names.RESTRAINT
        # Which members are alive?
        members, self._dead = names.look_at(seen, self.epoch, now < self._restrained_until)
        if self._members != members:
            self._tell("members_are", members)
            self._look_at_all = now
        self._members = members
        # Report what has changed: everything the first time, and every `LOOK_AT_ALL` seconds.
        if not self._matches_told:
            self._tell_matches(None)
            self._matches_told = True
        if now >= self._look_at_all:
            changed, self._look_at_all = {"seeking", "page", "change"}, now + LOOK_AT_ALL
        if "seeking" in changed:
            self._look_at_offers()
        if "page" in changed:
            self._look_at_pages()
        if "change" in changed:
            self._look_at_changes()

    def _take_over(self) -> None:
        """Takes over the tables and names of dead members. After `LineLost`, it can be called again."""
        for dead in tuple(self._dead):
            # `None`: not now, or another member does it.
            if (taken := take_over(self._session, self.epoch, dead, self._spreading)) is not None:
                for one in lost(self._session, self.epoch, dead):
                    self._from_thread(partial(self._warn, one.why))
                self._from_thread(partial(self.tell_taken_over, *taken))
                self._dead = [one for one in self._dead if one != dead]

    @property
    def _living(self) -> set[int]:
        """The numbers of the living members."""
        return {member.epoch for member in self._members}

    def _look_at_offers(self) -> None:
        """
        Reads the players that wait at living members, and reports them. If there are none, this is reported only once.
        """
        living = self._living
        offers = [offer for offer in read_offers(self._session) if offer.home in living]
        if offers or self._offers_told:
            self._tell("offers_are", offers)
        self._offers_told = bool(offers)

    def _look_at_pages(self) -> None:
        """
        Reads the pages of the other members, and reports them if they have changed. A page is the text by which a
        member shows its lobby to the others: its players, queues and tables. For a page that this member knows already,
        only the number is read.
        """
        known, living = self._pages, self._living - {self.epoch}
        rows = self._session.rows(_PAGES, (list(known), [n for n, _ in known.values()]))
        # The database returns `None` as the page if the number is the known one.
        self._pages = {home: (n, known[home][1] if page is None else page) for home, n, page in rows if home in living}
        if self._pages != known:
            self._tell("pages_are", {home: page for home, (_, page) in self._pages.items()})

    def _look_at_changes(self) -> None:
        """
        Reads which accounts, bans, leaves and slow matches have changed since the last call, and reports their new
        state.
        """
        since = "SELECT id, kind, key FROM change WHERE id > %s ORDER BY id"
        if not (changes := self._session.rows(since, (self._changes_read,))):
            return
        # An account without a row, since it was deleted, remains `None`.
        keys = {key: None for _, kind, key in changes if kind == "account"}
        bans = list(read_bans(self._session)) if any(kind == "ban" for _, kind, _ in changes) else None
        if keys or bans is not None:
            found = self._session.rows(f"SELECT {ACCOUNT_COLUMNS} FROM account WHERE key = ANY(%s)", (list(keys),))
            accounts = {account.key: account for account in starmap(account_of, found)}
            self._tell("changed", {**keys, **accounts}, bans)
        if leaves := {key: None for _, kind, key in changes if kind == "leave"}:
            found_leaves = read_leaves(self._session, list(leaves))
            self._tell("leaves_changed", {**leaves, **{one.key: one for one in found_leaves}})
        if tables := sorted({int(key) for _, kind, key in changes if kind == "own"}):
            self._tell_matches(tables)
        # Last, so that after a lost connection all changes are read again.
        self._changes_read = changes[-1][0]

    def _tell_matches(self, tables: Sequence[int] | None) -> None:
        """
        Reads slow matches, and reports them.

        :param tables: the numbers of changed matches; `None`: all unfinished matches are reported
        """
        found = slow_matches(self._session, tables)
        rows = [] if tables is None else read_own_of(self._session, tables)
        unfinished = {table.table for _, table in found}
        # A changed match that is not unfinished has ended.
        over = [] if tables is None else [TableId(table) for table in tables if table not in unfinished]
        self._tell("matches_changed", found, rows, over)
