"""
The registry of a member of a cluster, on PostgreSQL: a thread with a session of its own.

The thread carries out what the host requests, as one statement for all that can be one group. Four times a second it looks for
members that have died. Of all else that they change, the members notify each other.

After a lost connection it connects again, and carries out again what it does not know to be done: that changes nothing if it
was done.
"""

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from socket import socket, socketpair
from typing import Any

from attrs import define, field

from gamehost.accounts.passwords import Account
from gamehost.storage.contents import ACCOUNT_COLUMNS, StoreFailed, account_of, read_bans
from gamehost.storage.names import (
    ASK_AGAIN,
    RESTRAINT,
    Answer,
    AnyRequest,
    Asked,
    Claim,
    Member,
    NewNumbers,
    Offer,
    Registry,
    Release,
    Request,
    Show,
    Transfer,
    Wait,
    WaitNoLonger,
    Watcher,
    keys_of,
    look_at,
)
from gamehost.storage.postgresql.members import (
    TAKEN_OVER,
    look,
    lost,
    take_numbers,
    take_over,
)
from gamehost.storage.postgresql.session import LineLost, Session, connect_for_writing, or_closed, refusing
from gamehost.storage.postgresql.store import reconnected

_OFFERS = (
    "SELECT key, game, pool, home, movable, id FROM seeking JOIN member ON epoch = home AND ended IS NULL ORDER BY id"
)

#: In which order a group is carried out, and what the database calls the requests.
_ORDER: Mapping[type[Request], tuple[int, str]] = {
    Claim: (0, "claim"),
    Transfer: (1, "transfer"),
    WaitNoLonger: (2, "wait no longer"),
    Release: (3, "release"),
    Wait: (4, "wait"),
}


def first_group(requests: Iterable[AnyRequest]) -> list[Request]:
    """
    The first of these requests that can be carried out as one group, with the results that they have one after the other.

    A name that comes again must come in a later list of the group. Where a claim leads depends on those who wait already.
    """
    group: list[Request] = []
    last: dict[str, int] = {}
    for request in requests:
        if isinstance(request, NewNumbers | Show):
            break
        place, _ = _ORDER[type(request)]
        keys = keys_of(request)
        if any(last.get(key, -1) >= place for key in keys):
            break
        if isinstance(request, Claim) and request.queue is not None and any(last.values()):
            break
        last.update(dict.fromkeys(keys, place))
        group.append(request)
    return group


#: Those who notify wait for each other until their commits are durable. This need not be.
_WAKE = "SELECT set_config('synchronous_commit', 'off', true), pg_notify('gamehost', '{}')"
_SHOW = f"""
    WITH shown AS (
        INSERT INTO page(home, page) VALUES (%s, %s)
        ON CONFLICT (home) DO UPDATE SET n = page.n + 1, page = excluded.page RETURNING 1
    )
    {_WAKE.format("page")} FROM shown"""


def carry_out_group(
    session: Session, group: Sequence[Request], me: int, gone: Collection[int]
) -> tuple[list[int | bool | None], Mapping[str, Account], bool]:
    """
    Carry out a group, which `first_group` has found, in one transaction.

    :param gone: members that do not live any more, although their end is not noted yet
    :returns: the results; the accounts of the names that were claimed; whether somebody waits now, or does not any more
    :raises StoreFailed: this run was ended by another member
    """
    asked: dict[str, list[Mapping[str, object]]] = {}
    for request in group:
        asked.setdefault(_ORDER[type(request)][1], []).extend(_columns(request))
    rows = session.rows("SELECT * FROM change_names(%s, %s, %s)", (me, list(gone), json.dumps(asked)))
    if not rows:
        raise StoreFailed(TAKEN_OVER)
    homes = {(what, key): home for what, key, home, *_ in rows}
    accounts = {key: account_of(*columns) for _, key, _, *columns in rows if columns[0] is not None}
    results: list[int | bool | None] = []
    for request in group:
        match request:
            case Claim(key):
                results.append(homes["claim", key])
            case Transfer(key, home):
                results.append(homes.get(("transfer", key)) == home)
            case _:
                results.append(None)
    return results, accounts, bool(homes["changed", None])


def _columns(request: Request) -> Iterator[Mapping[str, object]]:
    """What the database is told of a request, for each of its names."""
    match request:
        case Transfer(key, home):
            yield {"key": key, "home": home}
        case Claim(key, (game, pool)):
            yield {"key": key, "game": game, "pool": pool}
        case Wait(key, (game, pool), movable):
            yield {"key": key, "game": game, "pool": pool, "movable": movable}
        case _:
            yield from ({"key": key} for key in keys_of(request))


def read_offers(session: Session) -> list[Offer]:
    """All who wait, the oldest first."""
    return [
        Offer(key, (game, pool), home, movable, order)
        for key, game, pool, home, movable, order in session.rows(_OFFERS)
    ]


def read_accounts_of(session: Session, keys: Collection[str]) -> dict[str, Account]:
    if not keys:
        return {}
    columns = session.rows(f"SELECT {ACCOUNT_COLUMNS} FROM account WHERE key = ANY(%s)", (list(keys),))
    return {account.key: account for account in (account_of(*row) for row in columns)}


#: Seconds between two looks at the other members, and at least between two to which others have woken this one.
LOOK, WAKE = 0.25, 0.02
#: Seconds after which a member looks at everything, although nobody has notified it.
LOOK_AT_ALL = 5.0
#: What members notify each other of: the tables that were changed.
ALL = frozenset(("member", "seeking", "page", "change"))


@define(eq=False)
class PostgresRegistry(Registry):
    """
    What the thread uses has names that begin with `_`.

    :param connect: opens the thread's session
    :param from_thread: calls a function on the reactor's thread; the order of the calls is kept
    :param broken: called there, at most once, when the host must end, with the reason
    :param warn: called there, with words for the log
    """

    _connect: Callable[[], Session]
    _session: Session
    _from_thread: Callable[[Callable[[], None]], None]
    _broken: Callable[[str], None]
    _warn: Callable[[str], None]
    #: As of `keys_of_table`.
    _spreading: Collection[str] = ()
    _clock: Callable[[], float] = time.monotonic
    _sleep: Callable[[float], None] = time.sleep
    _queue: "SimpleQueue[Asked | None]" = field(factory=SimpleQueue)
    #: Requests that are to be carried out, in order.
    _due: deque[Asked] = field(factory=deque)
    #: Claims that are tried again, and when.
    _waiting: list[Asked] = field(factory=list)
    _again_at: float = 0.0
    #: What the reactor's thread is to be told.
    _calls: list[Callable[[], None]] = field(factory=list)
    #: Until then nobody is taken for dead.
    _restrained_until: float = float("-inf")
    _look_at: float = 0.0
    _looked_at: float = float("-inf")
    _look_at_all: float = 0.0
    _bell: socket = field(init=False)
    _ring: socket = field(init=False)
    #: The members that live, `None`: nobody knows yet; and those that are dead.
    _members: Sequence[Member] | None = None
    _dead: Sequence[int] = ()
    _offers_told: bool = False
    #: The numbers of the pages that were told last, by member.
    _pages_told: Mapping[int, int] = field(factory=dict)
    _pages: dict[int, str] = field(factory=dict)
    #: The newest change of an account or a ban that was read.
    _changes_read: int = 0
    _ending: bool = False
    _thread: threading.Thread | None = None
    _ended: bool = False
    _on_end: list[Callable[[], None]] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self._bell, self._ring = socketpair()
        for end in (self._bell, self._ring):
            end.setblocking(False)
        self._changes_read = self._session.rows("SELECT coalesce(max(id), 0) FROM change")[0][0]

    # -- on the reactor's thread

    def start(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._thread = threading.Thread(target=self._live, name="gamehost-registry", daemon=True)
        self._thread.start()

    def stop(self, stopped: Callable[[], None]) -> None:
        if self._thread is None:
            self._ended = True
            self._close()
        if self._ended:
            stopped()
            return
        self._stopping = True
        self._on_end.append(stopped)
        self._put(None)

    def join(self) -> None:
        if self._thread is not None:
            self._thread.join()

    def _put(self, asked: Asked | None) -> None:
        self._queue.put(asked)
        with suppress(OSError):  # it rings already, or the thread has ended
            self._ring.send(b"\0")

    def _fail(self, why: str) -> None:
        """The host must end. If it does already, its run may be over, and others may have taken everything over."""
        if not self._stopping:
            self._broken(why)

    def _end(self) -> None:
        """The last call on the reactor's thread."""
        self.join()
        self._ended = True
        for stopped in self._on_end:
            stopped()

    # -- on the thread

    def _live(self) -> None:
        try:
            while not self._ending:
                self._turn()
            self._calls += [partial(self.answer, asked, None) for asked in self._waiting]
            self._tell_now()
        except StoreFailed as error:
            self._from_thread(partial(self._fail, str(error)))
        except Exception as error:
            self._from_thread(partial(self._fail, f"{type(error).__name__}: {error}"))
        finally:
            self._close()
            self._from_thread(self._end)

    def _close(self) -> None:
        self._session.close()
        self._bell.close()
        self._ring.close()

    def _turn(self) -> None:
        """Wait for requests or the time of the next look, and do what is due."""
        self._collect()
        now = self._clock()
        if self._waiting and now >= self._again_at:
            self._due.extendleft(reversed(self._waiting))
            self._waiting = []
            self._again_at = now + ASK_AGAIN
        self._on_line(self._carry_out)
        self._tell_now()
        if self._session.notices:
            self._look_at = min(self._look_at, self._looked_at + WAKE)
        if now >= self._look_at:
            self._look_at, self._looked_at = now + LOOK, now
            self._on_line(self._look)
            self._on_line(self._take_over)
            self._tell_now()

    def _collect(self) -> None:
        until = min(self._look_at, self._again_at) if self._waiting else self._look_at
        if self._queue.empty():
            self._on_line(lambda: self._session.wait(self._bell, max(0.0, until - self._clock())))
        while not self._queue.empty():
            if (asked := self._queue.get()) is None:
                self._ending = True
                return
            self._due.append(asked)

    def _on_line(self, work: Callable[[], None]) -> None:
        """Do something, and again after a lost connection."""
        while True:
            try:
                work()
                return
            except LineLost:
                self._reconnect()

    def _reconnect(self) -> None:
        """
        :raises StoreFailed: the database is out of reach for too long
        """
        self._session.close()
        self._from_thread(partial(self._warn, "the registry's connection to the database is lost; log-ins wait"))
        self._session = reconnected(lambda until: self._connect(), self._clock, self._sleep)
        self._look_at_all = 0.0
        self._restrained_until = self._clock() + RESTRAINT
        self._from_thread(partial(self._warn, "the registry's connection to the database is back"))

    def _tell_now(self) -> None:
        """Hand over what was collected for the reactor's thread, in one call."""
        if self._calls:
            calls, self._calls = self._calls, []
            self._from_thread(partial(_call_all, calls))

    def _tell(self, method: str, *arguments: Any) -> None:
        self._calls.append(partial(getattr(self._watcher, method), *arguments))

    def _carry_out(self) -> None:
        """Carry out what is due. After `LineLost`, this can be called again."""
        while self._due:
            first = self._due[0]
            if isinstance(first.request, NewNumbers):
                result: Any = take_numbers(self._session, first.request.count)
            elif isinstance(first.request, Show):
                result = None
                self._session.rows(_SHOW, (self.epoch, first.request.page))
            else:
                self._carry_out_names()
                continue
            self._due.popleft()
            self._calls.append(partial(self.answer, first, result))

    def _carry_out_names(self) -> None:
        """Carry out what is due of names and waiting players, as far as it is one group."""
        group = first_group(asked.request for asked in self._due)
        results, accounts, changed = carry_out_group(self._session, group, self.epoch, self._dead)
        if changed:
            self._session.rows(_WAKE.format("seeking"))
        for request, result in zip(group, results, strict=True):
            asked = self._due.popleft()
            if not isinstance(request, Claim):
                self._calls.append(partial(self.answer, asked, result))
            elif result is not None:
                self._calls.append(partial(self.answer, asked, Answer(result, accounts.get(request.key))))
            elif asked.is_given_up(self._clock()):
                self._calls.append(partial(self.answer, asked, None))
            else:
                self._waiting.append(asked)

    def _look(self) -> None:
        """Look at the other members. After `LineLost`, this can be called again."""
        now, changed, self._session.notices = self._clock(), self._session.notices, set()
        seen = look(self._session)
        own = next((one for one in seen if one.epoch == self.epoch), None)
        if own is None or own.ended:
            raise StoreFailed(TAKEN_OVER)
        if not own.locked:
            self._restrained_until = now + RESTRAINT
        members, self._dead = look_at(seen, self.epoch, now < self._restrained_until)
        if self._members != members:
            self._tell("members_are", members)
            self._look_at_all = now
        self._members = members
        if now >= self._look_at_all:
            changed = set(ALL)
        if "seeking" in changed:
            self._look_at_offers()
        if "page" in changed:
            self._look_at_pages()
        if "change" in changed:
            self._look_at_changes()
        if now >= self._look_at_all:
            self._look_at_all = now + LOOK_AT_ALL

    def _take_over(self) -> None:
        """Take over whoever is dead. After `LineLost`, this can be called again."""
        for dead in tuple(self._dead):
            if (taken := take_over(self._session, self.epoch, dead, self._spreading)) is not None:
                for one in lost(self._session, self.epoch, dead):
                    self._calls.append(partial(self._warn, one.why))
                self._calls.append(partial(self.tell_taken_over, *taken))
                self._dead = [one for one in self._dead if one != dead]

    @property
    def _living(self) -> set[int]:
        return {member.epoch for member in self._members or ()}

    def _look_at_offers(self) -> None:
        living = self._living
        offers = [offer for offer in read_offers(self._session) if offer.home in living]
        if offers or self._offers_told:
            self._tell("offers_are", offers)
        self._offers_told = bool(offers)

    def _look_at_pages(self) -> None:
        """Read the pages of the others that are new."""
        living = self._living - {self.epoch}
        told = {home: n for home, n in self._session.rows("SELECT home, n FROM page") if home in living}
        if told == self._pages_told:
            return
        new = [home for home, n in told.items() if self._pages_told.get(home) != n]
        rows = self._session.rows("SELECT home, page FROM page WHERE home = ANY(%s)", (new,)) if new else []
        self._pages = {home: page for home, page in {**self._pages, **dict(rows)}.items() if home in told}
        self._pages_told = told
        self._tell("pages_are", dict(self._pages))

    def _look_at_changes(self) -> None:
        changes = self._session.rows(
            "SELECT id, kind, key FROM change WHERE id > %s ORDER BY id", (self._changes_read,)
        )
        if not changes:
            return
        keys = {key: None for _, kind, key in changes if kind == "account"}
        bans = list(read_bans(self._session)) if any(kind == "ban" for _, kind, _ in changes) else None
        self._tell("changed", {**keys, **read_accounts_of(self._session, keys)}, bans)
        self._changes_read = changes[-1][0]


def _call_all(calls: Sequence[Callable[[], None]]) -> None:
    for call in calls:
        call()


def open_registry(
    store: str,
    epoch: int,
    from_thread: Callable[[Callable[[], None]], None],
    broken: Callable[[str], None],
    *,
    warn: Callable[[str], None] = lambda words: None,
    spreading: Collection[str] = (),
) -> PostgresRegistry:
    """
    Open the registry of a host that has opened its journal, before the accounts and the bans are read.

    :param store: the name of the database
    :param epoch: the number of the host's run
    :param spreading: as of `keys_of_table`
    :raises StoreUnusable: there is no connection
    """

    def new_session() -> Session:
        with or_closed(connect_for_writing(store)) as session:
            session.listen("gamehost")
        return session

    with refusing(store):
        return PostgresRegistry(epoch, new_session, new_session(), from_thread, broken, warn, spreading)
