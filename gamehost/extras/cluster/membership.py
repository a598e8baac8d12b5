"""
This host as a member of a cluster: the names with their home here, the players that wait here, and the living members.

A name has its home here while a session has it, while a seat is reserved under it, or while a client is about to log in
with it. At the end of the turn the database receives the names that have lost their home here.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Protocol

from attrs import define, field
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from gamehost._twisted import Timer
from gamehost.accounts.bans import Ban
from gamehost.accounts.names import key_of, place_of
from gamehost.accounts.passwords import Account
from gamehost.extras.cluster.relay import SOCKET, Preamble, Relays
from gamehost.journal.records import Leave, OpenedTable, OwnedMatch, TableId, UnfinishedTable
from gamehost.lobby.lists import Page, read_page
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.membership import Membership
from gamehost.lobby.sessions import Session
from gamehost.net.connection import WireFactory, WireProtocol
from gamehost.settings import BadOption
from gamehost.storage.names import Answer, Member, Offer, QueueKey, Registry, keys_of_opened
from gamehost.tables.interfaces import Displaced
from gamehost.wires.base import Claim

#: Seconds between two beats.
EVERY = 0.25

#: Seconds for which players at one member wait only for each other: a match of players at two members costs twice as
#: much. Then they are offered to the other members.
AMONG_THEMSELVES = 0.2

#: Takes the changes of other members: accounts by key, and all bans if one of them was changed.
Learn = Callable[[Mapping[str, Account | None], Sequence[Ban] | None], None]

#: Seconds between two looks at what the others are to be shown, and between two claims of what must be here.
SHOW_EVERY, CLAIM_AGAIN = 0.5, 0.1


@define(eq=False)
class HomeSearch:
    """
    Finds the member for a connection that is passed on because of a name or a place. If that member ends meanwhile, the
    search begins again.

    :param home: the member that is the home now; 0: not known yet
    """

    _cluster: "Cluster"
    _key: str
    home: int = 0
    _asked: bool = False

    def find(self) -> Member | bool | None:
        if self.home == self._cluster.epoch:
            return False
        found = self._cluster.member(self.home)
        if found is None and not self._asked:
            self._asked = True
            self._cluster.claim_again(self, self._key, self._answered)
        return found

    def end(self) -> None:
        """The connection has found its member, or is closed. Its claim of the name is dropped."""
        self._cluster.drop_claim(self)

    def _answered(self, home: int | None) -> None:
        self._asked = False
        self.home = home or self.home


class Listener(Protocol):
    """The port to which other members connect."""

    def open(self, cluster: "Cluster", factories: Mapping[str, Any]) -> None:
        """
        The host is ready.

        :param factories: make the protocols of clients: by the wire's name, or `SOCKET`
        """

    def keep(self, transport: Any, preamble: Preamble, data: bytes) -> None:
        """A client's connection is for this host."""

    def close(self) -> None:
        """Listen no longer."""


@define(eq=False)
class Cluster(Membership):
    """
    The membership of this host, and the changes that the registry reports.

    :param opened: called when the host is ready: from then on it follows the matches of the others
    """

    registry: Registry
    clock: IReactorTime
    cork: AbstractContextManager[object]
    listener: Listener
    #: Shows the database that this host is alive, and then calls a function.
    _beat: Callable[[Callable[[], None]], None]
    #: Finds the tables that wait here, as the store has them.
    _find_opened: Callable[[Callable[[Sequence[OpenedTable]], None]], None] = lambda found: None
    #: Has the store make a sleeping table this host's, and calls a function with whether it is.
    _take: Callable[[TableId, Callable[[bool], None]], None] = lambda table, taken: taken(True)
    relays: Relays = field(init=False)
    lobby: Lobby = field(init=False)
    #: Takes tables over that another member had.
    _restore: Callable[[Sequence[UnfinishedTable]], object] = field(init=False)
    #: As of `Watcher`.
    changed: Learn = field(init=False)
    opened: Callable[[], None] = lambda: None
    #: The living members, by their numbers.
    members: Sequence[Member] = ()
    #: The names with their home here, according to the database.
    here: set[str] = field(factory=set)
    #: Names with their home elsewhere, according to the last answer about clients that are still connected.
    elsewhere: set[str] = field(factory=set)
    #: The keys that are claimed: by the connection of a log-in, or by a place that is to have its home here.
    claims: dict[Any, str] = field(factory=dict)
    _claimed: Counter[str] = field(factory=Counter)
    #: Names that may be free.
    _maybe_free: set[str] = field(factory=set)
    #: By key: the players that wait here for an opponent, with their queue and since when. And the part of it that the
    #: others know.
    waiting: dict[str, tuple[Session, QueueKey, float]] = field(factory=dict)
    _offered: dict[str, tuple[QueueKey, bool]] = field(factory=dict)
    #: The lobbies of the other members, as these show them, and the page that this member shows.
    pages: Sequence[Page] = ()
    _shown: str = ""
    #: The names of players that are about to be given to another member.
    leaving: set[str] = field(factory=set)
    #: As of `Watcher`: gives players that wait here to members where others of their queues wait.
    offers_are: Callable[[Sequence[Offer]], None] = field(init=False)
    #: The same for players that wait alone at tables.
    _gather_at_tables: Callable[["Cluster"], None] = field(init=False)
    #: Of the wires, by their names.
    factories: Mapping[str, WireFactory[Any]] = field(factory=dict)
    _loops: list[LoopingCall] = field(factory=list)
    _timer: Timer = field(factory=Timer)
    #: Runs while a waiting player is not offered to the others yet.
    _alone: Timer = field(factory=Timer)
    halted: bool = False

    log = Logger()

    def attach(
        self,
        lobby: Lobby,
        restore: Callable[[Sequence[UnfinishedTable]], object],
        relays: Relays,
        learn: Learn,
        gather_in_queues: Callable[["Cluster", Sequence[Offer]], None],
        gather_at_tables: Callable[["Cluster"], None],
    ) -> None:
        """The parts of the host that are made after its membership."""
        self.lobby, self._restore, self.relays, self.changed = lobby, restore, relays, learn
        relays.search, relays.keep = partial(HomeSearch, self), self.listener.keep
        self.offers_are, self._gather_at_tables = partial(gather_in_queues, self), gather_at_tables

    def begin(self) -> None:
        """
        Begin: the tables of the start sleep. Show the database that this host is alive, and watch the other members.
        """
        for index in (self.lobby.registry.sleeping, self.lobby.registry.ended):
            self.here.update(index.keys())
        self.here.update(self.lobby.waiting_tables.keys())
        if self.lobby.slow is not None:
            # Their players may come to any member; the names of guests stay here.
            keys = self.lobby.slow.keys()
            self.here.update(keys)
            for key in keys:
                self.freed(key)
        self.registry.start(self)
        for seconds, call in ((EVERY, self._go_on), (SHOW_EVERY, self._show)):
            loop = LoopingCall(call)
            loop.clock = self.clock
            loop.start(seconds, now=False)
            self._loops.append(loop)

    def _go_on(self) -> Deferred[None]:
        """
        Show the database that this host is alive. The next time comes after the answer.

        The first time comes when the reactor runs. From then on the database ends the session of a silent host. Before,
        a host may take its time for the start.
        """
        answered: Deferred[None] = Deferred()
        self._beat(partial(answered.callback, None))
        return answered

    def open(self, factories: Iterable[WireFactory[Any]], sites: Iterable[Any]) -> None:
        """
        The host is ready.

        :param factories: one for each listener. The first one of a wire gets the connections that other members pass on
        :param sites: the web sites of the pages
        """
        self.factories = {one.wire.name: one for one in reversed(list(factories))}
        self.listener.open(self, {**self.factories, SOCKET: next(iter(sites), None)})
        self.opened()

    def halt(self) -> Deferred[None]:
        """The host stops. Another member takes over what it has. Fires when nothing is asked any more."""
        self.halted = True
        for loop in self._loops:
            if loop.running:
                loop.stop()
        self._timer.stop()
        self._alone.stop()
        self.listener.close()
        self.relays.close()
        stopped: Deferred[None] = Deferred()
        self.registry.stop(lambda: stopped.callback(None))
        return stopped

    @property
    def relays_out(self) -> int:
        return len(self.relays.all)

    def cut_relays(self) -> None:
        self.relays.cut_all_but(())

    @property
    def not_ready(self) -> str | None:
        return None if self.members else "the other members of the cluster are not known yet"

    @property
    def epoch(self) -> int:
        return self.registry.epoch

    @property
    def prefix(self) -> str:
        return f"{self.epoch}."

    def member(self, epoch: int) -> Member | None:
        return next((one for one in self.members if one.epoch == epoch), None)

    # -- names: connections ask

    def has(self, place: str) -> bool:
        """Whether this host is known to be the home of something that is no name."""
        return place in self.here

    def is_here(self, connection: Any, claim: Claim) -> bool:
        """Whether it is known, without asking, that a claim is for this host. Then it is noted."""
        if claim.key not in self.here or claim.key in self.leaving:
            return False
        self._note_claim(connection, claim.key)
        return True

    def claim(self, connection: Any, claim: Claim, hops: int, answer: Callable[[int | None], None]) -> None:
        """
        Find out which member must handle a log-in.

        :param hops: how often the connection was passed on already
        :param answer: called once, with its number; `None`: it is not known
        """
        self._note_claim(connection, claim.key)
        # A player that another member sent here to meet somebody is not sent on. Neither is one that meets an opponent
        # here.
        queue = None if claim.queue is None or hops else claim.queue.key
        if any(queue == of_waiting for _, of_waiting, _ in self.waiting.values()):
            queue = None
        self._ask(claim.key, answer, queue)

    def claim_again(self, asking: Any, key: str, answer: Callable[[int | None], None]) -> None:
        """
        As `claim`, for a connection that waits to be passed on.

        :param asking: the owner of the claim, for `drop_claim`
        """
        self._note_claim(asking, key)
        self._ask(key, answer)

    def drop_claim(self, connection: Any) -> None:
        """A connection is not about to log in any more."""
        key = self.claims.pop(connection, None)
        if key is None:
            return
        self._claimed[key] -= 1
        if not self._claimed[key]:
            del self._claimed[key]
            self.elsewhere.discard(key)
            self.freed(key)

    give_up = drop_claim  # the owner of a claim on a place is the place itself

    def _note_claim(self, connection: Any, key: str) -> None:
        if self.claims.get(connection) != key:
            self.drop_claim(connection)
            self.claims[connection] = key
            self._claimed[key] += 1

    def _ask(self, key: str, answer: Callable[[int | None], object], queue: QueueKey | None = None) -> None:
        self.registry.claim(key, queue, partial(self._answered, key, answer))

    def _answered(self, key: str, answer: Callable[[int | None], object], found: Answer | None) -> None:
        if found is None:
            answer(None)
            return
        self.changed({key: found.account}, None)
        if found.home == self.epoch:
            self.here.add(key)
            self.elsewhere.discard(key)
            self.freed(key)  # if the log-in does not come after all
        elif key in self._claimed:
            self.elsewhere.add(key)
        answer(found.home)

    # -- names, from the lobby

    def is_elsewhere(self, key: str) -> bool:
        return key in self.elsewhere

    def entered(self, session: Session) -> None:
        """The host itself has given this name, or else it was claimed before."""
        if session.key not in self.here:
            self._ask(session.key, partial(self._given, session))

    def freed(self, key: str) -> None:
        self._maybe_free.add(key)
        self._soon()

    def keep(self, place: str) -> None:
        self._note_claim(place, place)
        self._claim_place(place)

    def _claim_place(self, place: str) -> None:
        """
        Claim a place until it is here. A client at another host may look for it in this moment. That host then reports
        soon that it does not exist.
        """
        if place in self.claims and place not in self.here and not self.halted:
            again = partial(self.clock.callLater, CLAIM_AGAIN, self._claim_place, place)
            self._ask(place, lambda home: home == self.epoch or again())

    def take(self, table: TableId, taken: Callable[[bool], None]) -> None:
        place = place_of(table)

        def answered(got: bool) -> None:
            if not got:
                self.give_up(place)
            taken(got)

        def at_home(home: int | None) -> None:
            if home == self.epoch and not self.halted:
                self._take(table, answered)
            else:
                answered(False)

        self._note_claim(place, place)
        self._ask(place, at_home)

    def waits(self, session: Session, queue: QueueKey) -> None:
        self.waiting[session.key] = (session, queue, self.clock.seconds())
        if not (self._alone or self.halted):
            self._alone.set(self.clock, AMONG_THEMSELVES, self._look_for_others)

    def waits_no_longer(self, session: Session) -> None:
        self.waiting.pop(session.key, None)
        if session.key in self._offered:
            self._soon()

    def _look_for_others(self) -> None:
        """Offer the others the players that have met no opponent here."""
        self._tell()
        if left := [since for key, (*_, since) in self.waiting.items() if key not in self._offered]:
            wait = min(left) + AMONG_THEMSELVES - self.clock.seconds()
            # A player without a home here yet is offered after the home is known.
            self._alone.set(self.clock, wait if wait > 0 else AMONG_THEMSELVES, self._look_for_others)

    def _given(self, session: Session, home: int | None) -> None:
        """
        A player has entered under a name that was not claimed. If another member has the name, this player must leave.
        """
        if home != self.epoch and session.player is not None and session.table_id is None:
            player = session.player
            self.lobby.withdraw(session)
            self.lobby.registry.forget(session)
            session.player = None
            player.deliver(Displaced())

    def _soon(self) -> None:
        if not (self._timer or self.halted):
            self._timer.set(self.clock, 0, self._tell)

    def _tell(self) -> None:
        """Send the registry the changes of this turn."""
        names, maybe_free = self.lobby.registry, self._maybe_free
        free = [
            key
            for key in maybe_free
            if key in self.here and not (key in self._claimed or names.get(key) or names.ended.find(key))
        ]
        maybe_free.clear()
        latest = self.clock.seconds() - AMONG_THEMSELVES
        offers = {
            key: (queue, self._is_movable(session))
            for key, (session, queue, since) in self.waiting.items()
            if key in self.here and since <= latest
        }
        for key in [key for key in self._offered if key not in offers]:
            del self._offered[key]
            self.registry.waits_no_longer(key)
        self.here.difference_update(free)
        self.registry.release(free)
        for key, offer in offers.items():
            if self._offered.get(key) != offer:
                self._offered[key] = offer
                self.registry.waits(key, *offer)

    def _is_movable(self, session: Session) -> bool:
        """Whether a player's connection can be given to another member. A player of several matches has none of its own."""
        peer = getattr(session.player, "peer", None)
        return isinstance(peer, WireProtocol) and peer.factory.wire.spreads

    def _show(self) -> None:
        """Show the other members the players and queues of this one, if they have changed."""
        if len(self.members) > 1:
            page = self.lobby.directory.page(self.lobby.waiting_tables).write()
            if page != self._shown:
                self._shown = page
                self.registry.show(page)

    # -- from the registry

    def members_are(self, members: Sequence[Member]) -> None:
        known = self.members
        self.members = tuple(members)
        self.relays.cut_all_but({one.epoch for one in members})
        self.log.info(
            "members of the cluster: {members}",
            members=", ".join(f"{one.epoch} ({one.name}, {one.address})" for one in members),
        )
        for one in members:
            if one.epoch != self.epoch and one not in known:
                try:
                    self.relays.dial(one.address)
                except BadOption as error:  # so the owner learns it before a player does
                    words = "no connection can be passed on to member {epoch}: {why}"
                    self.log.warn(words, epoch=one.epoch, why=str(error))

    def matches_changed(
        self,
        tables: Sequence[tuple[int, UnfinishedTable]],
        rows: Sequence[tuple[str, OwnedMatch]],
        over: Collection[TableId],
    ) -> None:
        if self.halted:
            return
        # What is awake here, or sleeps here, is known better here.
        elsewhere = [one for owner, one in tables if owner != self.epoch]
        own = {one.table for owner, one in tables if owner == self.epoch}
        if elsewhere or self.lobby.slow is not None:
            with self.cork:
                self.lobby.slow_matches().learn(elsewhere, [row for row in rows if row[1].table not in own], over)

    def leaves_changed(self, leaves: Mapping[str, Leave | None]) -> None:
        if not self.halted and self.lobby.slow is not None:
            with self.cork:
                self.lobby.slow.learn_leaves(leaves)

    def pages_are(self, pages: Mapping[int, str]) -> None:
        self.pages = tuple(map(read_page, pages.values()))
        self._gather_at_tables(self)

    def taken_over(self, tables: Sequence[UnfinishedTable], keys: Collection[str]) -> None:
        if self.halted:
            return
        self.log.info("taken over from a member that has ended; tables: {count}", count=len(tables))
        self.here.update(keys)
        self.restore(tables)
        self._find_opened(self._opened_found)

    def _opened_found(self, found: Sequence[OpenedTable]) -> None:
        """These tables wait here: those of the member that was taken over, too."""
        if not self.halted:
            self.lobby.restore_opened(found)
            for key in {key for one in found for key in keys_of_opened(one)}:
                self.freed(key)  # as far as nothing is here under it

    def restore(self, tables: Sequence[UnfinishedTable]) -> None:
        """
        Put tables to sleep here. The names of their seats are claimed if they are not here. Other names become free.
        """
        self._restore(tables)
        for key in {key_of(seat.name) for table in tables for seat in table.opening.seats}:
            if key in self.here:
                self.freed(key)
            elif self.lobby.registry.get(key) is not None:
                self._ask(key, lambda home: None)
