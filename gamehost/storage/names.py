"""
The requests of a cluster's members to their registry: names, numbers of tables, and each other. Also which members are
alive.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from attrs import define, field, frozen

from gamehost.accounts.bans import Ban
from gamehost.accounts.names import key_of, place_of
from gamehost.accounts.passwords import Account
from gamehost.journal.records import CHAMPIONSHIP, Leave, OpenedTable, OwnedMatch, TableId, UnfinishedTable

#: A game's name, and the pool of players who meet only each other; as `gamehost.lobby.sessions.Queue.key`.
QueueKey = tuple[str, str]


#: The version of the messages between members of a cluster, in the database and on connections that they pass on. A
#: release with other messages has the next number, and never runs beside an older one.
INTERFACE = 5


@frozen
class Member:
    """A living member of a cluster."""

    epoch: int
    #: Of the machine, for people.
    name: str
    #: Where the other members reach it: the words of a client endpoint such as `tcp:10.0.0.1:8990`.
    address: str
    #: The beginning of each connection to it. It changes with each run.
    token: str = field(repr=False)


@frozen
class Answer:
    #: The member that is the home of the name.
    home: int
    #: The account of the name as the database has it; `None`: there is none.
    account: Account | None = None


@frozen
class Offer:
    """A player that waits for an opponent."""

    key: str
    queue: QueueKey
    home: int
    #: Whether the player's connection can be given to another member.
    movable: bool
    #: In the order in which they came, cluster-wide.
    order: int


class Watcher(Protocol):
    """The calls of a registry to its host. They come on the reactor's thread."""

    def members_are(self, members: Sequence[Member]) -> None:
        """The living members, by their numbers. Called at the start, and at each change."""

    def offers_are(self, offers: Sequence[Offer]) -> None:
        """The waiting players of the whole cluster, in order. Called several times a second while there are any."""

    def taken_over(self, tables: Sequence[UnfinishedTable], keys: Collection[str]) -> None:
        """
        The unfinished tables of a member that has ended are this host's from now on.

        :param keys: as of `keys_of_table`; without those that have their home at another member
        """

    def pages_are(self, pages: Mapping[int, str]) -> None:
        """The pages of other living members, by their numbers. Called at each change."""

    def changed(self, accounts: Mapping[str, Account | None], bans: Sequence[Ban] | None) -> None:
        """
        Another member has changed accounts or bans.

        :param accounts: by key; `None`: there is none any more
        :param bans: all bans as they are now; `None`: they are as they were
        """

    def matches_changed(
        self,
        tables: Sequence[tuple[int, UnfinishedTable]],
        rows: Sequence[tuple[str, OwnedMatch]],
        over: Collection[TableId],
    ) -> None:
        """
        Slow matches of any member have begun, gone on or ended. At the start: all that are unfinished.

        :param tables: those that are unfinished, with their owners
        :param rows: the matches in the lists of their players
        :param over: those that are not unfinished any more; some are no slow matches
        """

    def leaves_changed(self, leaves: Mapping[str, Leave | None]) -> None:
        """
        Leaves of players of slow matches are others.

        :param leaves: by key; `None`: there is none any more
        """


#: Seconds after which a claim is made again that has no answer yet, and those after which it has none.
ASK_AGAIN, ASK_UNTIL = 0.02, 10.0


@frozen
class Claim:
    """As of `Registry.claim`. The result is a member, or `None`: ask again later."""

    key: str
    queue: QueueKey | None


@frozen
class Release:
    keys: Sequence[str]


@frozen
class Transfer:
    """As of `Registry.transfer`. The result is whether the name is there now."""

    key: str
    home: int


@frozen
class Wait:
    key: str
    queue: QueueKey
    movable: bool


@frozen
class WaitNoLonger:
    key: str


Request: TypeAlias = Claim | Release | Transfer | Wait | WaitNoLonger


def keys_of(request: Request) -> Sequence[str]:
    """The names that a request is about."""
    return request.keys if isinstance(request, Release) else (request.key,)


def meeting_place(offers: Iterable[Offer]) -> int | None:
    """
    The member at which the players of one queue meet: that of the oldest offer of a player that cannot be moved, else
    that of the oldest offer. `None`: the queue is empty.
    """
    first = min(offers, key=lambda offer: (offer.movable, offer.order), default=None)
    return None if first is None else first.home


def keys_of_opened(opened: OpenedTable) -> Iterator[str]:
    """The keys of a waiting table and of the names with a seat there, which have their home at the same member."""
    yield place_of(opened.table)
    for player in opened.players:
        yield key_of(player.name)


def keys_of_table(table: UnfinishedTable, spreading: Collection[str]) -> Iterator[str]:
    """
    The keys that have their home at the member of a table: names with a seat, and places.

    :param spreading: the wires that are at all members
    """
    opening = table.opening
    for number, seat in enumerate(opening.seats):
        if number not in table.told:
            yield key_of(seat.name)
        if seat.wire not in spreading:
            yield place_of("wire", seat.wire)
    if opening.has_notes:
        yield place_of(table.table)
    if opening.game == CHAMPIONSHIP:  # the record of one
        yield place_of("championship", opening.settings.get("type", "").casefold())


#: How many numbers are asked for at once, at first and at most.
BLOCK, LARGEST_BLOCK = 64, 8192


@define(eq=False)
class TableNumbers:
    """
    Numbers of tables to come, and whoever gives more.

    :param _take_now: gives so many numbers, and blocks until it has them
    """

    _take_now: Callable[[int], Iterable[int]]
    #: Asks for a number of new numbers, which are given later, on the same thread; `None`: there is no source yet.
    ask: Callable[[int, Callable[[Iterable[int]], None]], None] | None = None
    _left: deque[int] = field(factory=deque)
    _size: int = BLOCK
    _asked: bool = False

    def take(self) -> TableId:
        """A number that no table has."""
        if not self._left:
            # Numbers were used up before the next ones came, so more are asked for from now on.
            self._size = min(2 * self._size, LARGEST_BLOCK)
            self.add(self._take_now(self._size))
        number = self._left.popleft()
        if len(self._left) < self._size and self.ask is not None and not self._asked:
            self._asked = True
            self.ask(self._size, self._given)
        return TableId(number)

    def add(self, numbers: Iterable[int]) -> None:
        self._left.extend(numbers)

    def _given(self, numbers: Iterable[int]) -> None:
        self._asked = False
        self.add(numbers)


@frozen
class NewNumbers:
    """The request behind `Registry.new_numbers`. Its answer is the numbers."""

    count: int


@frozen
class Show:
    """As of `Registry.show`."""

    page: str


AnyRequest: TypeAlias = Request | NewNumbers | Show


@define(eq=False)
class Asked:
    """A request that is not answered yet."""

    request: AnyRequest
    answered: Callable[[Any], None]
    #: Of a claim: when it was tried first, on the clock of whoever carries it out; `None`: it was not tried yet.
    since: float | None = None
    #: Of a claim: the host has given the name away after it made the claim.
    outdated: bool = False

    def is_given_up(self, now: float) -> bool:
        """Whether a claim is not to be tried again. It was tried now, and has no answer yet."""
        if self.since is None:
            self.since = now
        return now - self.since >= ASK_UNTIL


def _nothing(result: object) -> None:
    """Nobody waits for this."""


@define(eq=False)
class Registry:
    """
    The names, the members and the waiting players, in all of a cluster, as one member sees them. Every call returns at
    once.

    Its requests are carried out in the order in which they are made. All methods are for the reactor's thread.
    """

    #: The number of this host.
    epoch: int
    #: Claims that are not answered, by key.
    _claims: dict[str, list[Asked]] = field(init=False, factory=dict)
    #: Names that are given away, by requests that are not answered.
    _leaving: Counter[str] = field(init=False, factory=Counter)
    _watcher: Watcher | None = field(init=False, default=None)
    #: Nothing more is carried out.
    _stopping: bool = field(init=False, default=False)

    def start(self, watcher: Watcher) -> None:
        """Begin to watch the other members."""
        raise NotImplementedError

    def stop(self, stopped: Callable[[], None]) -> None:
        """Carry out all earlier requests, end, and call `stopped`."""
        raise NotImplementedError

    def claim(self, key: str, queue: QueueKey | None, answer: Callable[[Answer | None], None]) -> None:
        """
        Find the home of a name. A free name gets its home here, with one exception. If a player waits in this queue at
        another member and none here, that member is the answer, and nothing is noted.

        If the home has just ended, the answer waits until another member has taken its names over.

        :param queue: where the player would wait; `None`: somewhere else
        :param answer: called once; with `None` if there is no answer after ten seconds
        """
        asked = Asked(Claim(key, queue), answer)
        self._claims.setdefault(key, []).append(asked)
        self._put(asked)

    def release(self, keys: Collection[str]) -> None:
        """These names have no session and no seat here any more. Names with another home do not change."""
        if keys:
            self._outdate(keys)
            self._put(Asked(Release(tuple(keys)), _nothing))

    def transfer(self, key: str, home: int, done: Callable[[bool], None]) -> None:
        """
        Make another member the home of a name with its home here.

        :param done: called with `False` if that member does not live, and nothing has changed
        """
        self._outdate((key,))
        self._put(Asked(Transfer(key, home), done))

    def waits(self, key: str, queue: QueueKey, movable: bool) -> None:
        self._put(Asked(Wait(key, queue, movable), _nothing))

    def waits_no_longer(self, key: str) -> None:
        self._put(Asked(WaitNoLonger(key), _nothing))

    def new_numbers(self, count: int, given: Callable[[Iterable[int]], None]) -> None:
        """Ask for numbers of new tables that no member gets again."""
        self._put(Asked(NewNumbers(count), given))

    def show(self, page: str) -> None:
        """Show all other members a text, from now on and as long as this one lives. It replaces the last one."""
        self._put(Asked(Show(page), _nothing))

    def _put(self, asked: Asked) -> None:
        """Send a request."""
        raise NotImplementedError

    def answer(self, asked: Asked, result: Any) -> None:
        """Answer a request. The result of a claim is an `Answer`, or `None`."""
        if isinstance(asked.request, Release | Transfer):
            self._leaving -= Counter(keys_of(asked.request))
        if isinstance(asked.request, Claim):
            if asked.outdated and result is not None and result.home == self.epoch:
                # The name was given away after the claim was carried out, or was to be.
                if not self._stopping:
                    asked.outdated = False
                    self._put(asked)
                    return
                result = None
            claims = self._claims[asked.request.key]
            claims.remove(asked)
            if not claims:
                del self._claims[asked.request.key]
        asked.answered(result)

    def tell_taken_over(self, tables: Sequence[UnfinishedTable], keys: Collection[str]) -> None:
        """Call the watcher. A name that the host has given away meanwhile is not here, or will not be."""
        assert self._watcher is not None
        self._watcher.taken_over(tables, [key for key in keys if key not in self._leaving])

    def _outdate(self, keys: Collection[str]) -> None:
        self._leaving.update(keys)
        for key in keys:
            for asked in self._claims.get(key, ()):
                asked.outdated = True


#: For this many seconds after its own connection was lost, a host counts no member as dead: the others connect again,
#: too.
RESTRAINT = 5.0


@frozen
class Seen(Member):
    """
    A member as the database shows it, or a host that was alone. It has not ended, or no other host has taken it over.
    """

    #: Whether its end is noted: by itself, or by its successor.
    ended: bool
    #: Whether its lock is held. If it is not, the member is dead.
    locked: bool

    @property
    def member(self) -> Member:
        return Member(self.epoch, self.name, self.address, self.token)


def look_at(seen: Sequence[Seen], me: int, restrained: bool) -> tuple[list[Member], list[int]]:
    """
    The members that live, and the numbers of those that are dead. Any member may take a dead one over.

    :param seen: by epoch
    :param restrained: this host's own connection was lost not long ago: no member counts as dead before its end is
        noted
    """
    living = [one for one in seen if not one.ended and (one.locked or restrained or one.epoch == me)]
    return [one.member for one in living], [one.epoch for one in seen if one not in living]
