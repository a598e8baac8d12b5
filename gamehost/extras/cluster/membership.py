"""
This host as a member of a cluster: the names with their home here, the players that wait here, and the living members.

A name has its home here in three cases: a session has the name, a seat is reserved under the name, or a client is about to
log in with it. Names that have no home here any more are reported to the database at the end of the reactor's turn.
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

#: The seconds between two signs of life to the database.
EVERY = 0.25

#: For how many seconds a player waits only for players at the same member. After that, the player is offered to the other
#: members. A match of players at two members costs twice as much.
AMONG_THEMSELVES = 0.2

#: A function that receives the changes of other members: changed accounts by key, and all bans if a ban was changed.
Learn = Callable[[Mapping[str, Account | None], Sequence[Ban] | None], None]

#: The seconds between two reports to the other members, and between two claims of a place that must be here.
SHOW_EVERY, CLAIM_AGAIN = 0.5, 0.1


@define(eq=False)
class HomeSearch:
    """
    Finds the member to which a connection must be passed on: the home of a name or place. If that member ends meanwhile, the
    search asks for the new home.

    :param key: the key of the name or place
    :param home: the number of the member that is the home now; 0: not known yet
    """

    _cluster: "Cluster"
    _key: str
    home: int = 0
    _asked: bool = False

    def find(self) -> Member | bool | None:
        """
        Returns which member is the home of the key now. If this is not known, asks the registry once.

        :returns: the member; `False`: it is this host; `None`: it is not known yet, so ask again later
        """
        if self.home == self._cluster.epoch:
            return False
        # `None`: the member has ended, or no home was found yet.
        found = self._cluster.member(self.home)
        if found is None and not self._asked:
            self._asked = True
            self._cluster.claim_again(self, self._key, self._answered)
        return found

    def end(self) -> None:
        """Drops the claim of the search: the connection has found its member, or is closed."""
        self._cluster.drop_claim(self)

    def _answered(self, home: int | None) -> None:
        self._asked = False
        self.home = home or self.home


class Listener(Protocol):
    """The port to which other members connect."""

    def open(self, cluster: "Cluster", factories: Mapping[str, Any]) -> None:
        """
        Begins to read from connections, when the host is ready.

        :param factories: the factories of the clients' protocols, by the name of the wire, or `SOCKET`
        """

    def keep(self, transport: Any, preamble: Preamble, data: bytes) -> None:
        """Handles a client's connection at this host."""

    def close(self) -> None:
        """Closes the port."""


@define(eq=False)
class Cluster(Membership):
    """
    The membership of this host in a cluster. It asks the registry for the homes of names, reports waiting players, and
    handles the changes of other members that the registry reports.

    :param registry: the connection to the database
    :param cork: a context in which written bytes are collected
    :param opened: called when the host is ready. From then on it follows the matches of the other members.
    """

    registry: Registry
    clock: IReactorTime
    cork: AbstractContextManager[object]
    listener: Listener
    #: Shows the database that this host is alive, and then calls a function.
    _beat: Callable[[Callable[[], None]], None]
    #: Reads the tables of this host that wait for players from the store, and calls a function with them.
    _find_opened: Callable[[Callable[[Sequence[OpenedTable]], None]], None] = lambda found: None
    #: Asks the store to make this host the owner of a sleeping table, and calls a function with whether it is.
    _take: Callable[[TableId, Callable[[bool], None]], None] = lambda table, taken: taken(True)
    relays: Relays = field(init=False)
    lobby: Lobby = field(init=False)
    #: Takes over the tables of another member.
    _restore: Callable[[Sequence[UnfinishedTable]], object] = field(init=False)
    #: Called by the registry with changed accounts and bans; see `gamehost.storage.names.Watcher`.
    changed: Learn = field(init=False)
    opened: Callable[[], None] = lambda: None
    #: The living members, by their numbers.
    members: Sequence[Member] = ()
    #: The keys of names and places with their home here, according to the database.
    here: set[str] = field(factory=set)
    #: Claimed keys with their home at another member, according to the last answer of the registry.
    elsewhere: set[str] = field(factory=set)
    #: The claimed keys by their owners: the connection of a log-in, or a place that must have its home here.
    claims: dict[Any, str] = field(factory=dict)
    #: How many owners claim each key.
    _claimed: Counter[str] = field(factory=Counter)
    #: The keys that may be free now. This is decided at the end of the turn.
    _maybe_free: set[str] = field(factory=set)
    #: The players that wait here for an opponent, by key: the session, its queue, and the time at which it began to wait.
    waiting: dict[str, tuple[Session, QueueKey, float]] = field(factory=dict)
    #: The waiting players that were offered to the other members, by key: the queue, and whether the player can be moved.
    _offered: dict[str, tuple[QueueKey, bool]] = field(factory=dict)
    #: The pages of the other members, which show their lobbies.
    pages: Sequence[Page] = ()
    #: The page of this member that the others know.
    _shown: str = ""
    #: The keys of players that are being given to another member.
    leaving: set[str] = field(factory=set)
    #: Called by the registry with all waiting players of the cluster: moves players to members at which opponents wait.
    offers_are: Callable[[Sequence[Offer]], None] = field(init=False)
    #: Does the same for players that wait alone at tables.
    _gather_at_tables: Callable[["Cluster"], None] = field(init=False)
    #: The factories of the wires' connections, by the names of the wires.
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
        """
        Connects the membership with the parts of the host that are made after it.

        :param restore: takes over the tables of a member that has ended
        :param learn: called with accounts and bans that other members have changed
        :param gather_in_queues: moves players in queues to members at which opponents wait
        :param gather_at_tables: moves players that wait alone at tables
        """
        self.lobby, self._restore, self.relays, self.changed = lobby, restore, relays, learn
        relays.search, relays.keep = partial(HomeSearch, self), self.listener.keep
        self.offers_are, self._gather_at_tables = partial(gather_in_queues, self), gather_at_tables

    def begin(self) -> None:
        """
        Begins the membership after the host's tables are loaded: shows the database that this host is alive, and watches the
        other members.
        """
        # The names of all reserved seats have their home here.
        for index in (self.lobby.registry.sleeping, self.lobby.registry.ended):
            self.here.update(index.keys())
        self.here.update(self.lobby.waiting_tables.keys())
        if self.lobby.slow is not None:
            # Players of slow matches may log in at any member, so their names may become free. Names of guests remain here.
            keys = self.lobby.slow.keys()
            self.here.update(keys)
            # Each key may become free at the end of this turn, if nothing else needs it.
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
        Shows the database that this host is alive. It is called again some time after the answer has come.

        It is first called when the reactor runs. From then on the database ends the session of a silent host. A start may
        take longer.
        """
        answered: Deferred[None] = Deferred()
        self._beat(partial(answered.callback, None))
        return answered

    def open(self, factories: Iterable[WireFactory[Any]], sites: Iterable[Any]) -> None:
        """
        Called when the host is ready: accepts connections from other members.

        :param factories: the factories of all listeners. The first one of each wire gets the connections that other members
            pass on.
        :param sites: the web sites of the pages
        """
        # Reversed, so that the first factory of a wire is the last one that is stored.
        self.factories = {one.wire.name: one for one in reversed(list(factories))}
        self.listener.open(self, {**self.factories, SOCKET: next(iter(sites), None)})
        self.opened()

    def halt(self) -> Deferred[None]:
        """
        Ends the membership, because the host stops. Another member takes over its tables and names then.

        :returns: fires when all requests to the registry are answered
        """
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
        """How many connections this member passes on to others."""
        return len(self.relays.all)

    def cut_relays(self) -> None:
        """Drops all connections that this member passes on."""
        self.relays.cut_all_but(())

    @property
    def not_ready(self) -> str | None:
        """The reason why this host is not ready for clients; `None`: it is ready."""
        return None if self.members else "the other members of the cluster are not known yet"

    @property
    def epoch(self) -> int:
        """The number of this host's run, which is its number as a member."""
        return self.registry.epoch

    @property
    def prefix(self) -> str:
        """The beginning of identifiers that must differ between members."""
        return f"{self.epoch}."

    def member(self, epoch: int) -> Member | None:
        """Returns the living member with a number; `None`: there is none."""
        return next((one for one in self.members if one.epoch == epoch), None)

    # -- names: connections ask

    def has(self, place: str) -> bool:
        """Returns whether this host is known to be the home of a place, such as a table or a wire."""
        return place in self.here

    def is_here(self, connection: Any, claim: Claim) -> bool:
        """
        Returns whether this host is known to be the home of a claimed name, without asking the registry. If so, the
        claim is noted for the connection. `False`: ask the registry.
        """
        # A player that is being given to another member is as good as gone.
        if claim.key not in self.here or claim.key in self.leaving:
            return False
        self._note_claim(connection, claim.key)
        return True

    def claim(self, connection: Any, claim: Claim, hops: int, answer: Callable[[int | None], None]) -> None:
        """
        Asks the registry which member must handle a log-in.

        :param hops: how often the connection was passed on already
        :param answer: called once, with the number of the member; `None`: it cannot be found now
        """
        self._note_claim(connection, claim.key)
        # With a queue, the registry may choose a member at which an opponent waits. Two players are not sent there: a player
        # that another member has sent here, and a player for whom an opponent waits here.
        queue = None if claim.queue is None or hops else claim.queue.key
        if any(queue == of_waiting for _, of_waiting, _ in self.waiting.values()):
            queue = None
        self._ask(claim.key, answer, queue)

    def claim_again(self, asking: Any, key: str, answer: Callable[[int | None], None]) -> None:
        """
        Asks the registry for the home of a name or place, and notes the claim.

        :param asking: the owner of the claim, for `drop_claim`
        :param answer: called once, with the number of the member; `None`: it cannot be found now
        """
        self._note_claim(asking, key)
        self._ask(key, answer)

    def drop_claim(self, connection: Any) -> None:
        """Drops the claim of an owner. If it was the last claim of its key, the key may become free."""
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
        """Notes that an owner claims a key, instead of any other key."""
        if self.claims.get(connection) != key:
            self.drop_claim(connection)
            self.claims[connection] = key
            self._claimed[key] += 1

    def _ask(self, key: str, answer: Callable[[int | None], object], queue: QueueKey | None = None) -> None:
        """Asks the registry for the home of a key. This host becomes the home if there is none."""
        self.registry.claim(key, queue, partial(self._answered, key, answer))

    def _answered(self, key: str, answer: Callable[[int | None], object], found: Answer | None) -> None:
        """Called with the registry's answer about a key: notes the home, and passes it on."""
        if found is None:
            answer(None)
            return
        # The answer also has the newest state of the account.
        self.changed({key: found.account}, None)
        if found.home == self.epoch:
            self.here.add(key)
            self.elsewhere.discard(key)
            self.freed(key)  # the client may have gone meanwhile; then the key becomes free again
        elif key in self._claimed:
            self.elsewhere.add(key)
        answer(found.home)

    # -- names, from the lobby

    def is_elsewhere(self, key: str) -> bool:
        """Returns whether a claimed name is known to have its home at another member."""
        return key in self.elsewhere

    def entered(self, session: Session) -> None:
        """
        Called when a player has logged in. If its name was not claimed, because the host has chosen the name, the name is
        claimed now.
        """
        if session.key not in self.here:
            self._ask(session.key, partial(self._given, session))

    def freed(self, key: str) -> None:
        """
        Called when this host may no longer need to be the home of a name or of a place, such as a table. `_tell` finds
        out at the end of this turn of the reactor, and then reports to the registry that the name or place is free.

        :param key: the key of the name or place
        """
        self._maybe_free.add(key)
        self._soon()

    def keep(self, place: str) -> None:
        """Makes this host the home of a place, until `give_up` is called."""
        self._note_claim(place, place)
        self._claim_place(place)

    def _claim_place(self, place: str) -> None:
        """
        Claims a place again and again until this host is its home. Another member may be the home for a moment, because a
        client there has asked for the place.
        """
        if place in self.claims and place not in self.here and not self.halted:
            again = partial(self.clock.callLater, CLAIM_AGAIN, self._claim_place, place)
            # The right side of `or` is called only if another member is the home.
            self._ask(place, lambda home: home == self.epoch or again())

    def take(self, table: TableId, taken: Callable[[bool], None]) -> None:
        """
        Takes a sleeping table of another member. This host first becomes the home of the table's place.

        :param taken: called once, with whether the table belongs to this host now
        """
        place = place_of(table)

        def answered(got: bool) -> None:
            """
            Called with whether the store has made this host the owner of the table. If not, the place becomes free
            again.
            """
            if not got:
                self.give_up(place)
            taken(got)

        def at_home(home: int | None) -> None:
            """Called with the home of the table's place. Only then the store is asked for the table."""
            if home == self.epoch and not self.halted:
                self._take(table, answered)
            else:
                answered(False)

        self._note_claim(place, place)
        self._ask(place, at_home)

    def waits(self, session: Session, queue: QueueKey) -> None:
        """Called when a player begins to wait in a queue. It is offered to the other members after a moment."""
        self.waiting[session.key] = (session, queue, self.clock.seconds())
        # The timer runs already, or the host stops.
        if not (self._alone or self.halted):
            self._alone.set(self.clock, AMONG_THEMSELVES, self._look_for_others)

    def waits_no_longer(self, session: Session) -> None:
        """Called when a player does not wait in a queue any more."""
        self.waiting.pop(session.key, None)
        # The others must know soon, so that they send nobody to meet this player.
        if session.key in self._offered:
            self._soon()

    def _look_for_others(self) -> None:
        """Offers the other members the players that have waited here long enough, and sets the timer for the others."""
        self._tell()
        if left := [since for key, (*_, since) in self.waiting.items() if key not in self._offered]:
            wait = min(left) + AMONG_THEMSELVES - self.clock.seconds()
            # The time of a player may be over although it was not offered: the home of its name is not known yet.
            self._alone.set(self.clock, wait if wait > 0 else AMONG_THEMSELVES, self._look_for_others)

    def _given(self, session: Session, home: int | None) -> None:
        """
        Called with the home of a name that the host has given to a player. If another member has the name, the player must
        leave.
        """
        # A player at a table remains, because other players play with it.
        if home != self.epoch and session.player is not None and session.table_id is None:
            player = session.player
            self.lobby.withdraw(session)
            self.lobby.registry.forget(session)
            session.player = None
            player.deliver(Displaced())

    def _soon(self) -> None:
        """Calls `_tell` at the end of this turn of the reactor, once."""
        if not (self._timer or self.halted):
            self._timer.set(self.clock, 0, self._tell)

    def _tell(self) -> None:
        """
        Sends the registry the changes since the last call: names that are free now, and players that have begun or
        ended to wait in a queue.
        """
        # A name is free if it is not claimed, no session has it, and no end of a match waits for its player.
        names, maybe_free = self.lobby.registry, self._maybe_free
        free = [
            key
            for key in maybe_free
            if key in self.here and not (key in self._claimed or names.get(key) or names.ended.find(key))
        ]
        maybe_free.clear()
        # Players that have waited here long enough are offered.
        latest = self.clock.seconds() - AMONG_THEMSELVES
        offers = {
            key: (queue, self._is_movable(session))
            for key, (session, queue, since) in self.waiting.items()
            if key in self.here and since <= latest
        }
        # Send only the differences.
        # First the players that do not wait any more, then free names, then players that wait: a name may be in all
        # three.
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
        """
        Returns whether a player can be moved to another member. The wire must allow it, and the player must have a connection
        of its own. (A client with several matches has only one connection.)
        """
        peer = getattr(session.player, "peer", None)
        return isinstance(peer, WireProtocol) and peer.factory.wire.spreads

    def _show(self) -> None:
        """Sends the other members a page with the players and queues of this member, if it has changed."""
        # Without other members, nobody reads the page.
        if len(self.members) > 1:
            page = self.lobby.directory.page(self.lobby.waiting_tables).write()
            if page != self._shown:
                self._shown = page
                self.registry.show(page)

    # -- from the registry

    def members_are(self, members: Sequence[Member]) -> None:
        """Called when the living members have changed: cuts the relays to others, and logs the new list."""
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
                    # The result is not used: this only tries whether the address can be used.
                    self.relays.dial(one.address)
                except BadOption as error:  # warn the owner now, and not when the first player is refused
                    words = "no connection can be passed on to member {epoch}: {why}"
                    self.log.warn(words, epoch=one.epoch, why=str(error))

    def matches_changed(
        self,
        tables: Sequence[tuple[int, UnfinishedTable]],
        rows: Sequence[tuple[str, OwnedMatch]],
        over: Collection[TableId],
    ) -> None:
        """
        Called when slow matches of the cluster have changed.

        :param tables: the changed unfinished matches, with the numbers of their owners
        :param rows: the rows of the players' lists of own matches
        :param over: the matches that have ended
        """
        if self.halted:
            return
        # This host knows its own tables better than the database does.
        elsewhere = [one for owner, one in tables if owner != self.epoch]
        own = {one.table for owner, one in tables if owner == self.epoch}
        # Without slow matches at this host or elsewhere, there is nothing to do.
        if elsewhere or self.lobby.slow is not None:
            with self.cork:
                self.lobby.slow_matches().learn(elsewhere, [row for row in rows if row[1].table not in own], over)

    def leaves_changed(self, leaves: Mapping[str, Leave | None]) -> None:
        """
        Called when leaves of players have changed.

        :param leaves: the leaves by the keys of the players; `None`: the player is on no leave
        """
        if not self.halted and self.lobby.slow is not None:
            with self.cork:
                self.lobby.slow.learn_leaves(leaves)

    def pages_are(self, pages: Mapping[int, str]) -> None:
        """Called with the pages of the other members when one has changed."""
        self.pages = tuple(map(read_page, pages.values()))
        self._gather_at_tables(self)

    def taken_over(self, tables: Sequence[UnfinishedTable], keys: Collection[str]) -> None:
        """
        Called when this host has taken over a member that has ended.

        :param tables: the unfinished tables of that member
        :param keys: the keys of names and places with their home here now
        """
        if self.halted:
            return
        self.log.info("taken over from a member that has ended; tables: {count}", count=len(tables))
        self.here.update(keys)
        self.restore(tables)
        self._find_opened(self._opened_found)

    def _opened_found(self, found: Sequence[OpenedTable]) -> None:
        """Called with all tables of this host that wait for players, those of the ended member among them."""
        if not self.halted:
            self.lobby.restore_opened(found)
            for key in {key for one in found for key in keys_of_opened(one)}:
                self.freed(key)  # only keys without a session or claim become free

    def restore(self, tables: Sequence[UnfinishedTable]) -> None:
        """
        Puts tables to sleep at this host. Names of their seats that have no home here are claimed. Names that are not needed
        any more become free.
        """
        self._restore(tables)
        for key in {key_of(seat.name) for table in tables for seat in table.opening.seats}:
            if key in self.here:
                self.freed(key)
            elif self.lobby.registry.get(key) is not None:
                # The answer is not needed: it is enough that the registry knows the claim.
                self._ask(key, lambda home: None)
