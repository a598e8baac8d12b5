"""
The watchers of matches. Each table with watchers has one gallery.

A gallery is the audience of its table. It encodes each message once for all watchers. In one turn of the reactor it
sends to `BATCH` watchers, so that players do not wait. All its messages go through one queue. So a new watcher receives
the state of the match, and then exactly the events after this state. With a delay, every message stays in the queue for
a number of seconds.
"""

from collections import deque
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Protocol

from attrs import define, field
from msgspec import Struct
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from gamehost._twisted import Timer
from gamehost.journal.records import TableId
from gamehost.rates import AddressCounts, is_loopback
from gamehost.tables.interfaces import Archived, Look, Over, Suspended, WatchableTable

#: The number of watchers that are served in one turn of the reactor: about 2 ms of work.
BATCH = 100

#: How many clients may watch one table. A move takes 25 us for each client, so 50 ms for all.
MOST_PER_TABLE = 2_000

#: How many tables one connection may watch: a page of the lobby shows 12 small boards.
MOST_PER_WATCHER = 16

#: The events after which a match sends nothing more.
LAST = (Over, Suspended, Archived)


class WatchRefused(Exception):
    """A table cannot be watched. The message is the reason, for the person that wanted to watch."""


class Watcher(Protocol):
    """A client that watches a table. The gallery calls these methods to send to the client."""

    @property
    def address(self) -> str:
        """The address of the watcher's client."""

    def tell(self, data: bytes) -> None:
        """Send these bytes to the client. Must not raise. If the client reads too slowly, the watcher deals with it."""

    def closed(self, table: TableId) -> None:
        """Called last: the match is over, or cannot continue. Must not raise."""


class Encoder(Protocol):
    """
    Makes the bytes of messages for watchers. Watchers with equal encoders receive the same bytes. Encoders must be
    hashable.
    """

    def shown(self, table: WatchableTable, look: Look[Any], delay: float) -> bytes:
        """
        The bytes of the state of the match.

        :param delay: watchers see each event so many seconds after the players
        """

    def event(self, table: WatchableTable, event: Any, n: int) -> bytes:
        """
        The bytes of an event, with the arguments of `Audience.deliver`; empty: the wire has no message for the event.
        """


@define(eq=False)
class _Showing:
    """In the queue: the state of the match, for new watchers."""

    look: Look[Any]
    newcomers: dict[Watcher, Encoder]


class _Happening(Struct, frozen=True):
    """In the queue: an event, for all watchers that have received the state."""

    event: Any
    n: int


class _WithoutClocks:
    """A table for watchers with a delay: its current clocks would reveal which player has moved, so it shows none."""

    clocks = None
    due = None

    def __init__(self, table: WatchableTable) -> None:
        self._table = table

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)


@define(eq=False)
class Gallery:
    """
    The watchers of one table, with the queue of messages for them.

    :param delay: watchers receive each event so many seconds after the players
    :param on_empty: called with the gallery when the last watcher has left
    :param by_address: counts the watchers of each address at all tables; the gallery updates it
    """

    table: WatchableTable
    _clock: IReactorTime
    delay: float
    _on_empty: Callable[["Gallery"], None]
    _by_address: AddressCounts = field(factory=AddressCounts)
    #: All watchers, including those that have not received the state of the match.
    _watchers: dict[Watcher, Encoder] = field(factory=dict)
    #: The watchers that wait until the table sends its state.
    _coming: dict[Watcher, Encoder] = field(factory=dict)
    #: The watchers that receive events, in the order in which they came.
    _shown: dict[Watcher, Encoder] = field(factory=dict)
    #: The messages to be sent, each with the earliest time, in seconds of the reactor.
    _queue: deque[tuple[float, _Showing | _Happening]] = field(factory=deque)
    #: The rest of the current message: the watchers that have not received it, and their bytes.
    _round: Iterator[tuple[Watcher, bytes]] | None = None
    #: The last state of the match from the table; `None`: an event came after it.
    _look: Look[Any] | None = None
    _over: bool = False
    _timer: Timer = field(factory=Timer)
    #: The table that encoders may read: without clocks if there is a delay.
    _told_table: Any = field(init=False)

    log = Logger()

    def __attrs_post_init__(self) -> None:
        self._told_table = _WithoutClocks(self.table) if self.delay else self.table

    def __len__(self) -> int:
        return len(self._watchers)

    def __contains__(self, watcher: object) -> bool:
        return watcher in self._watchers

    def __iter__(self) -> Iterator[Watcher]:
        return iter(self._watchers)

    def add(self, watcher: Watcher, encoder: Encoder) -> bool:
        """Send the state of the match to one more watcher, then its events. `False`: the match is over."""
        if self._over:
            return False
        self._watchers[watcher] = encoder
        self._by_address.enter(watcher.address)
        # The last state is still the current one: send it again.
        look = self._look
        if look is not None and look.n == self.table.n:
            self._show(look, {watcher: encoder})
            return True
        # Ask the table for its state, unless another watcher waits for it already. The table calls `shown`.
        asked = bool(self._coming)
        self._coming[watcher] = encoder
        if asked or self.table.watch(self):
            return True
        self.remove(watcher)
        return False

    def remove(self, watcher: Watcher) -> None:
        """Send nothing more to this watcher."""
        if self._watchers.pop(watcher, None) is None:
            return
        self._by_address.leave(watcher.address)
        self._coming.pop(watcher, None)
        self._shown.pop(watcher, None)
        for _, words in self._queue:
            if isinstance(words, _Showing):
                words.newcomers.pop(watcher, None)
        if not self._watchers:
            self.close()  # without watchers, the gallery is not needed

    # -- what the table says

    def shown(self, look: Look[Any]) -> None:
        """See `Audience.shown`. Queues the state of the match for all watchers that wait for it."""
        self._look = look
        newcomers, self._coming = self._coming, {}
        self._show(look, newcomers)

    def deliver(self, event: Any, n: int) -> None:
        """See `Audience.deliver`. Queues an event for all watchers."""
        self._look = None  # the last state is not the current one any more
        self._over = self._over or isinstance(event, LAST)
        self._put(_Happening(event, n))

    def _show(self, look: Look[Any], newcomers: dict[Watcher, Encoder]) -> None:
        """
        Queue the state of the match for new watchers. If this state is the last item of the queue, they are added to
        it.
        """
        # With a delay, each state has its own time in the queue.
        last = self._queue[-1][1] if self._queue and not self.delay else None
        if isinstance(last, _Showing) and last.look is look:
            last.newcomers.update(newcomers)
        else:
            self._put(_Showing(look, newcomers))

    def _put(self, words: _Showing | _Happening) -> None:
        """Put an item into the queue, and set the timer."""
        self._queue.append((self._clock.seconds() + self.delay, words))
        if not self._timer:
            self._timer.set(self._clock, self.delay, self._run)

    # -- telling

    def _run(self) -> None:
        """Send some messages. Called by the timer, and again until the queue is empty."""
        try:
            self._tell(BATCH)
        except Exception:
            # A fault of an encoder: players must not notice it.
            self.log.failure("table {table} cannot be watched any more", table=self.table.id)
            self._over = True
            self._round = None
            self._queue.clear()
        # The rest of this message in the next turn of the reactor, or the next message when it is due. After the last
        # message of a match that is over, there is nothing more to do.
        if self._round is not None:
            self._timer.set(self._clock, 0, self._run)
        elif self._queue:
            self._timer.set(self._clock, max(0.0, self._queue[0][0] - self._clock.seconds()), self._run)
        elif self._over:
            self.close()

    def _tell(self, count: int) -> None:
        """Send messages that are due, to at most `count` receivers."""
        while count:
            if self._round is None:
                self._round = self._next_round()
                if self._round is None:
                    return
            batch = list(islice(self._round, count))
            if len(batch) < count:
                self._round = None  # all watchers have this message: the next one begins
            count -= len(batch)
            for watcher, data in batch:
                if watcher in self._watchers:  # it may have left meanwhile
                    watcher.tell(data)

    def _next_round(self) -> Iterator[tuple[Watcher, bytes]] | None:
        """
        The receivers and the bytes of the next message: the state for new watchers, or all events that are due. `None`:
        nothing is due.
        """
        queue, now = self._queue, self._clock.seconds()
        events: list[_Happening] = []
        while queue and queue[0][0] <= now:
            words = queue[0][1]
            if isinstance(words, _Happening):
                events.append(words)
                queue.popleft()
                continue
            # A state for new watchers is due: send the events before it first.
            if events:
                break
            queue.popleft()
            if words.newcomers:
                self._shown.update(words.newcomers)
                return self._addressed(words.newcomers, partial(self._encode_look, words.look))
        if not events:
            return None
        # A copy of the watchers: those that come later must not receive these events.
        return self._addressed(dict(self._shown), partial(self._encode_events, events))

    def _encode_look(self, look: Look[Any], encoder: Encoder) -> bytes:
        return encoder.shown(self._told_table, look, self.delay)

    def _encode_events(self, events: Sequence[_Happening], encoder: Encoder) -> bytes:
        table = self._told_table
        return b"".join(encoder.event(table, one.event, one.n) for one in events)

    def _addressed(
        self, watchers: Mapping[Watcher, Encoder], encode: Callable[[Encoder], bytes]
    ) -> Iterator[tuple[Watcher, bytes]]:
        """The receivers of a message, each with its bytes. The message is encoded once for all equal encoders."""
        made = {encoder: encode(encoder) for encoder in set(watchers.values())}
        return ((watcher, made[encoder]) for watcher, encoder in watchers.items() if made[encoder])

    def close(self) -> None:
        """
        Stop watching the table, and inform the watchers that are left: no watcher is left, or no more events come.
        """
        self._over = True
        self._queue.clear()
        self._round = None
        self._timer.stop()
        self.table.unwatch(self)
        watchers, self._watchers = self._watchers, {}
        # First all counts, then the watchers: one of them may watch the next match at once.
        self._on_empty(self)
        for watcher in watchers:
            self._by_address.leave(watcher.address)
        for watcher in watchers:
            watcher.closed(self.table.id)


@define(eq=False)
class Galleries:
    """
    The galleries of all tables that have watchers, and the limits on watchers.

    :param delays: by the name of a game: watchers receive each event so many seconds after the players
    :param most: how many watchers there may be; `None`: any number
    :param most_per_address: how many watchers one address may have; `None`: any number. This machine's own address has
        no limit
    :param most_per_table: how many watchers one table may have; no limit if `most` is `None`
    :param most_per_watcher: how many tables one watcher may watch; no limit if `most` is `None`
    """

    _clock: IReactorTime
    delays: Mapping[str, float] = field(factory=dict)
    _most: int | None = None
    _most_per_address: int | None = None
    most_per_table: int = MOST_PER_TABLE
    most_per_watcher: int = MOST_PER_WATCHER
    _by_address: AddressCounts = field(factory=AddressCounts)
    _galleries: dict[TableId, Gallery] = field(factory=dict)

    def limit(self, most: int | None, per_address: int | None) -> None:
        """Change the limits `most` and `most_per_address`. Watchers that are there remain."""
        self._most, self._most_per_address = most, per_address

    def delay(self, game: str) -> float:
        """Watchers of a match of this game receive each event so many seconds after the players."""
        return self.delays.get(game, 0.0)

    @property
    def all_watchers(self) -> int:
        """The number of watchers; a watcher of two tables counts twice."""
        return sum(map(len, self._galleries.values()))

    def watchers(self, table: TableId, besides: Container[object] = ()) -> int:
        """
        The number of watchers of this table.

        :param besides: watchers that are not counted
        """
        return sum(watcher not in besides for watcher in self._galleries.get(table, ()))

    def watch(self, table: WatchableTable, watcher: Watcher, encoder: Encoder) -> None:
        """
        Send a watcher the state of a match, then its events. Nothing happens if the watcher watches this match already.

        :raises WatchRefused: the match is over, or there are too many watchers
        """
        gallery = self._galleries.get(table.id)
        if gallery is not None and gallery.table is not table:
            gallery.close()  # the table was loaded again: the old object sends no more events
            gallery = None
        if gallery is not None and watcher in gallery:
            return
        self._check_room(table, watcher)
        if gallery is None:
            delay = self.delay(table.game.name)
            gallery = Gallery(table, self._clock, delay, self._forget, self._by_address)
            self._galleries[table.id] = gallery
        if not gallery.add(watcher, encoder):
            raise WatchRefused("this match is over, or a fault of the host has stopped it")

    def _check_room(self, table: WatchableTable, watcher: Watcher) -> None:
        """
        Check the limits before a watcher is added.

        :raises WatchRefused: there are too many watchers
        """
        here = len(self._galleries.get(table.id, ()))
        if self._most is not None and here >= self.most_per_table:
            raise WatchRefused(f"{here} clients watch this table, and no more can; try again later")
        if self._most is not None and self.all_watchers >= self._most:
            raise WatchRefused(f"this host has {self._most} watchers, and no more can watch; try again later")
        watched = sum(watcher in one for one in self._galleries.values())
        if self._most is not None and watched >= self.most_per_watcher:
            raise WatchRefused(f"you watch {watched} tables, and no more can be watched at once")
        near = self._by_address.of(watcher.address)
        if self._most_per_address is not None and near >= self._most_per_address and not is_loopback(watcher.address):
            raise WatchRefused(f"{near} clients at your address watch matches, and no more can; try again later")

    def unwatch(self, table: TableId, watcher: Watcher) -> None:
        if table in self._galleries:
            self._galleries[table].remove(watcher)

    def _forget(self, gallery: Gallery) -> None:
        if self._galleries.get(gallery.table.id) is gallery:
            del self._galleries[gallery.table.id]
