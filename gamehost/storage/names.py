"""
The registry of a cluster, as its members use it: which member is the home of each name, which players wait, the numbers
of new tables, and which members are alive. The home of a name is the member on which this player is logged in or has a
seat.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from attrs import define, field, frozen

from gamehost.accounts.bans import Ban
from gamehost.accounts.names import key_of, place_of
from gamehost.accounts.passwords import Account
from gamehost.journal.records import CHAMPIONSHIP, Leave, OpenedTable, OwnedMatch, TableId, UnfinishedTable

#: The name of a game, and the name of a pool: players meet only others of the same pool. See
#: `gamehost.lobby.sessions.Queue.key`.
QueueKey = tuple[str, str]


#: The version of the messages between members of a cluster, in the database and on connections. A release with other
#: messages has the next number, and cannot run in a cluster with older members.
INTERFACE = 5


@frozen
class Member:
    """A living member of a cluster."""

    epoch: int
    #: The name of the machine, for people.
    name: str
    #: How the other members connect to this member: the text of a client endpoint, such as `tcp:10.0.0.1:8990`.
    address: str
    #: A secret with which each connection to this member must begin. Each run has another one.
    token: str = field(repr=False)


@frozen
class Answer:
    """The answer to a claim of a name: its home and its account."""

    #: The member that is the home of the name.
    home: int
    #: The account of this name in the database; `None`: there is no account.
    account: Account | None = None


@frozen
class Offer:
    """A player that waits for an opponent."""

    key: str
    queue: QueueKey
    home: int
    #: Whether the player's connection can be given to another member.
    movable: bool
    #: The place of the player in the order of arrival, in the whole cluster.
    order: int


class Watcher(Protocol):
    """The methods that a registry calls on its host, on the reactor's thread, when something in the cluster changes."""

    def members_are(self, members: Sequence[Member]) -> None:
        """Called at the start and after each change, with the living members in the order of their numbers."""

    def offers_are(self, offers: Sequence[Offer]) -> None:
        """Called several times a second while players wait, with the waiting players of the whole cluster, in order."""

    def taken_over(self, tables: Sequence[UnfinishedTable], keys: Collection[str]) -> None:
        """
        Called when this host has taken over the unfinished tables of a member that has ended.

        :param keys: the keys of these tables that have their home here now; see `keys_of_table`
        """

    def pages_are(self, pages: Mapping[int, str]) -> None:
        """
        Called after each change, with the texts that the other living members `show`, by the numbers of the members.
        """

    def changed(self, accounts: Mapping[str, Account | None], bans: Sequence[Ban] | None) -> None:
        """
        Called when another member has changed accounts or bans.

        :param accounts: the changed accounts, by key; `None`: the account is deleted
        :param bans: all current bans; `None`: they have not changed
        """

    def matches_changed(
        self,
        tables: Sequence[tuple[int, UnfinishedTable]],
        rows: Sequence[tuple[str, OwnedMatch]],
        over: Collection[TableId],
    ) -> None:
        """
        Called when slow matches of any member have begun, changed or ended; and at the start, with all unfinished slow
        matches.

        :param tables: the unfinished slow matches, each with the number of its member
        :param rows: the rows of these matches in the lists of their players, with the owners of the lists
        :param over: tables that are finished now; some are not slow matches
        """

    def leaves_changed(self, leaves: Mapping[str, Leave | None]) -> None:
        """
        Called when leaves of players of slow matches have changed.

        :param leaves: the changed leaves, by key; `None`: the leave is removed
        """


#: After how many seconds a claim without an answer is tried again, and after how many it is given up.
ASK_AGAIN, ASK_UNTIL = 0.02, 10.0


@frozen
class Claim:
    """
    A request to the registry of a cluster: find the home of a name. See `Registry.claim`. Its result is an `Answer`, or
    `None`: try again later.
    """

    key: str
    queue: QueueKey | None


@frozen
class Release:
    """A request to the registry of a cluster: make names free. See `Registry.release`."""

    keys: Sequence[str]


@frozen
class Transfer:
    """
    A request to the registry of a cluster: move the home of a name. See `Registry.transfer`. Its result is whether the
    home has moved.
    """

    key: str
    home: int


@frozen
class Wait:
    """A request to the registry of a cluster: note that a player waits in a queue. See `Registry.waits`."""

    key: str
    queue: QueueKey
    movable: bool


@frozen
class WaitNoLonger:
    """A request to the registry of a cluster: note that a player waits no longer. See `Registry.waits_no_longer`."""

    key: str


Request: TypeAlias = Claim | Release | Transfer | Wait | WaitNoLonger


def keys_of(request: Request) -> Sequence[str]:
    """The names that a request is about."""
    return request.keys if isinstance(request, Release) else (request.key,)


def meeting_place(offers: Iterable[Offer]) -> int | None:
    """
    The number of the member at which the players of one queue meet: the home of the oldest offer that cannot be moved;
    if all can be moved, the home of the oldest offer. `None`: the queue is empty.
    """
    # `False` sorts before `True`: offers that cannot be moved come first.
    first = min(offers, key=lambda offer: (offer.movable, offer.order), default=None)
    return None if first is None else first.home


def keys_of_opened(opened: OpenedTable) -> Iterator[str]:
    """
    The keys that have their home at the member of an open table: the table's own key, and the keys of its players'
    names.
    """
    yield place_of(opened.table)
    for player in opened.players:
        yield key_of(player.name)


def keys_of_table(table: UnfinishedTable, spreading: Collection[str]) -> Iterator[str]:
    """
    The keys that have their home at the member of a table: the names of its players, and the places that the table
    belongs to.

    :param spreading: the wires that may be used at all members; other wires have one home, too
    """
    opening = table.opening
    for number, seat in enumerate(opening.seats):
        # A player that has received the end of the match is free to log in anywhere.
        if number not in table.told:
            yield key_of(seat.name)
        if seat.wire not in spreading:
            yield place_of("wire", seat.wire)
    if opening.has_notes:
        yield place_of(table.table)
    if opening.game == CHAMPIONSHIP:  # the record of one
        yield place_of("championship", opening.settings.get("type", "").casefold())


#: How many numbers are requested together, at first and at most.
BLOCK, LARGEST_BLOCK = 64, 8192


@define(eq=False)
class TableNumbers:
    """
    A stock of numbers for new tables. It requests more numbers before it is empty.

    :param _take_now: returns this many numbers, and blocks until it has them
    """

    _take_now: Callable[[int], Iterable[int]]
    #: Requests this many numbers. They are given to the callback later, on the same thread. `None`: the source is not
    #: ready yet.
    ask: Callable[[int, Callable[[Iterable[int]], None]], None] | None = None
    _left: deque[int] = field(factory=deque)
    _size: int = BLOCK
    _asked: bool = False

    def take(self) -> TableId:
        """Take a number that no table has."""
        if not self._left:
            # The stock was empty before new numbers came. So request larger blocks from now on, and wait for the first
            # one.
            self._size = min(2 * self._size, LARGEST_BLOCK)
            self.add(self._take_now(self._size))
        number = self._left.popleft()
        # Request the next block early, and only one at a time.
        if len(self._left) < self._size and self.ask is not None and not self._asked:
            self._asked = True
            self.ask(self._size, self._given)
        return TableId(number)

    def add(self, numbers: Iterable[int]) -> None:
        """Add numbers to the stock."""
        self._left.extend(numbers)

    def _given(self, numbers: Iterable[int]) -> None:
        self._asked = False
        self.add(numbers)


@frozen
class NewNumbers:
    """
    A request to the registry of a cluster: give numbers for new tables. See `Registry.new_numbers`. Its result is the
    numbers.
    """

    count: int


@frozen
class Show:
    """A request to the registry of a cluster: show a text to the other members. See `Registry.show`."""

    page: str


AnyRequest: TypeAlias = Request | NewNumbers | Show


@define(eq=False)
class Asked:
    """A request to the registry that waits for its answer."""

    request: AnyRequest
    answered: Callable[[Any], None]
    #: For a claim: when it was first tried, in seconds of the clock of the registry; `None`: it was not tried yet.
    since: float | None = None
    #: For a claim: whether this host has given the name away after the claim was made.
    outdated: bool = False

    def is_given_up(self, now: float) -> bool:
        """
        Whether a claim that was just tried without an answer is given up, and not tried again. The time counts from the
        first call.

        :param now: seconds of the clock of the registry
        """
        if self.since is None:
            self.since = now
        return now - self.since >= ASK_UNTIL


def _nothing(result: object) -> None:
    """A callback that does nothing, for requests that nobody waits for."""


@define(eq=False)
class Registry:
    """
    The registry of a cluster, for one member: the homes of names, the members, and the waiting players. Every method
    returns at once. Requests are carried out in the order in which they are made. All methods must be called on the
    reactor's thread.
    """

    #: The number of this host's run in the cluster.
    epoch: int
    #: The claims without an answer, by key.
    _claims: dict[str, list[Asked]] = field(init=False, factory=dict)
    #: How many requests without an answer give each name away.
    _leaving: Counter[str] = field(init=False, factory=Counter)
    _watcher: Watcher | None = field(init=False, default=None)
    #: Whether the registry stops: nothing more is carried out.
    _stopping: bool = field(init=False, default=False)

    def start(self, watcher: Watcher) -> None:
        """Begin to watch the other members."""
        raise NotImplementedError

    def stop(self, stopped: Callable[[], None]) -> None:
        """Carry out all earlier requests, end, and call `stopped`."""
        raise NotImplementedError

    def claim(self, key: str, queue: QueueKey | None, answer: Callable[[Answer | None], None]) -> None:
        """
        Find the home of a name. A free name gets its home at this host, with one exception: if a player waits in this
        queue at another member and none here, the answer is that member, and the name remains free. If the home of the
        name has just ended, the answer waits until another member has taken its names over.

        :param queue: the queue in which the player wants to wait; `None`: none
        :param answer: called once, with `None` if there is no answer within ten seconds
        """
        asked = Asked(Claim(key, queue), answer)
        self._claims.setdefault(key, []).append(asked)
        self._put(asked)

    def release(self, keys: Collection[str]) -> None:
        """
        Make names free that have no session and no seat at this host any more. Names with another home do not change.
        """
        if keys:
            # A claim of the same name that is still on its way would bring an old answer.
            self._outdate(keys)
            self._put(Asked(Release(tuple(keys)), _nothing))

    def transfer(self, key: str, home: int, done: Callable[[bool], None]) -> None:
        """
        Move the home of a name from this host to another member.

        :param done: called with whether the home has moved; it has not if the other member has ended
        """
        self._outdate((key,))
        self._put(Asked(Transfer(key, home), done))

    def waits(self, key: str, queue: QueueKey, movable: bool) -> None:
        """Note that a player of this host waits in a queue."""
        self._put(Asked(Wait(key, queue, movable), _nothing))

    def waits_no_longer(self, key: str) -> None:
        """Note that a player of this host waits no longer."""
        self._put(Asked(WaitNoLonger(key), _nothing))

    def new_numbers(self, count: int, given: Callable[[Iterable[int]], None]) -> None:
        """Request numbers for new tables, which no other member gets."""
        self._put(Asked(NewNumbers(count), given))

    def show(self, page: str) -> None:
        """Show a text to all other members until this host ends. It replaces the last text."""
        self._put(Asked(Show(page), _nothing))

    def _put(self, asked: Asked) -> None:
        """Send a request to the database of the cluster."""
        raise NotImplementedError

    def answer(self, asked: Asked, result: Any) -> None:
        """
        Called with the result of a request: pass it on to the caller. The result of a claim is an `Answer` or `None`.
        """
        if isinstance(asked.request, Release | Transfer):
            # The names are given away now.
            self._leaving -= Counter(keys_of(asked.request))
        if isinstance(asked.request, Claim):
            if asked.outdated and result is not None and result.home == self.epoch:
                # Meanwhile this host has given the name away, so the answer is old: claim the name again.
                if not self._stopping:
                    asked.outdated = False
                    self._put(asked)
                    return
                result = None
            # The claim has its answer, so it does not wait any more.
            claims = self._claims[asked.request.key]
            claims.remove(asked)
            if not claims:
                del self._claims[asked.request.key]
        asked.answered(result)

    def tell_taken_over(self, tables: Sequence[UnfinishedTable], keys: Collection[str]) -> None:
        """Call `taken_over` of the watcher, without the names that this host has given away meanwhile."""
        assert self._watcher is not None
        self._watcher.taken_over(tables, [key for key in keys if key not in self._leaving])

    def _outdate(self, keys: Collection[str]) -> None:
        """Note that this host gives names away, so that earlier claims of them are made again."""
        self._leaving.update(keys)
        for key in keys:
            for asked in self._claims.get(key, ()):
                asked.outdated = True


#: For how many seconds after a lost connection to the database a host counts no member as dead: the others may have
#: lost their connections, too.
RESTRAINT = 5.0


@frozen
class Seen(Member):
    """
    A member, or a host without a cluster, according to the database. It is alive, or no other member has taken its
    tables over.
    """

    #: Whether its end is noted, by itself or by the member that takes its tables over.
    ended: bool
    #: Whether it has its lock in the database. A member without its lock is dead.
    locked: bool

    @property
    def member(self) -> Member:
        return Member(self.epoch, self.name, self.address, self.token)


def look_at(seen: Sequence[Seen], me: int, restrained: bool) -> tuple[list[Member], list[int]]:
    """
    Which members live, and the numbers of the dead ones. Any member may take over the tables of a dead one.

    :param seen: all members, in the order of `epoch`
    :param me: the `epoch` of this host
    :param restrained: whether this host has lost its own connection a short time ago. Then a member counts as dead only
        if its end is noted
    """
    # A member that lives locks its row in the database, and loses the lock with its connection.
    living = [one for one in seen if not one.ended and (one.locked or restrained or one.epoch == me)]
    return [one.member for one in living], [one.epoch for one in seen if one not in living]
