"""
Those who wait for opponents: in queues, and at open tables that others join by a number. And how often matches begin.

Rematches: the players of a match that is over play each other again, with colours changed. Who asks first waits at a private
table, and the others are told its number and its code. So each has to ask, and a rematch that nobody wants ends as any open
table does.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from hmac import compare_digest
from itertools import islice
from typing import Any

from attrs import Factory, define, field
from msgspec import Struct
from twisted.internet.interfaces import IReactorTime

from gamehost._twisted import Timer
from gamehost.accounts.names import key_of, place_of
from gamehost.games.base import CLOCK_SETTINGS, Game, ScriptedChance, Seat
from gamehost.games.clock import with_clocks
from gamehost.journal.records import CHAMPIONSHIP, RATED, TABLE_SETTINGS, TableId, settings_to_show
from gamehost.lobby.lists import LISTED, WaitingTable
from gamehost.lobby.membership import Membership
from gamehost.lobby.sessions import Queue, Session
from gamehost.rates import KeyedBuckets, is_loopback, rate_limit_key
from gamehost.settings import Settings
from gamehost.tables.interfaces import OpenTable, TableClosed


def checked_settings(game: Game[Any, Any], settings: Settings) -> Settings:
    """
    The settings of a match, complete and checked.

    :raises BadOption: one is unknown or cannot be used
    """
    own = {name: text for name, text in settings.items() if name not in TABLE_SETTINGS}
    game.check(own)
    if CLOCK_SETTINGS.keys() & settings.keys():
        with_clocks(game.new_master(game.least_seats, own, ScriptedChance()), game.least_seats, settings)
    return settings


#: A game's name, and the pool of players who meet only each other; empty: all the others.
Key = tuple[str, str]


@define(eq=False)
class Reservation:
    """
    Places of a contest: these players meet each other in the queues of a game, and nobody else.

    :param names: in the order of the seats
    :param settings: of the match, complete
    :param waits: called with the name of a player that has come and waits for the others
    :param begins: called with the number of the table
    """

    game: str
    names: Sequence[str]
    settings: Settings
    waits: Callable[[str], None]
    begins: Callable[[TableId], None]
    #: By name: the digest of the key that a guest must have given, as of `split_key`. Other names need none.
    digests: Mapping[str, str] = field(factory=dict)
    _keys: Sequence[str] = field(
        init=False, default=Factory(lambda self: [key_of(name) for name in self.names], takes_self=True)
    )

    def seat(self, session: Session) -> int:
        return self._keys.index(session.key)

    def holds(self, key: Key, session: Session) -> bool:
        if key[0] != self.game or session.key not in self._keys:
            return False
        return self.digests.get(self.names[self.seat(session)], session.key_digest) == session.key_digest


#: Seconds for which a player waits in a queue. Programs that were forgotten wait longer than a day. People do not.
LONGEST = 86_400.0


@define(eq=False)
class Queues:
    """
    The queues of all games. No player waits in one for longer than a day.

    :param membership: informed of the waiting players, for other hosts of a cluster
    :param too_long: called with a player that has waited for a day
    """

    _clock: IReactorTime
    _membership: Membership
    _too_long: Callable[[Session], None]
    #: The waiting players; empty queues are left out.
    waiting: dict[Key, list[Session]] = field(factory=dict)
    _wishes: dict[Session, Seat] = field(factory=dict)
    reservations: list[Reservation] = field(factory=list)
    #: Ends the wait of each.
    _timers: defaultdict[Session, Timer] = field(factory=lambda: defaultdict(Timer))

    def join(self, key: Key, session: Session, wish: Seat | None) -> bool:
        """
        Add a player to a queue. `False`: the player waits there already.

        :param wish: the seat that the player wants in a game of two; `None`: any
        """
        waiting = self.waiting.setdefault(key, [])
        if session in waiting:
            return False
        waiting.append(session)
        if wish is not None:
            self._wishes[session] = wish
        self._membership.waits(session, key)
        self._timers[session].set(self._clock, LONGEST, self._too_long, session)
        return True

    def reservation(self, key: Key, session: Session) -> Reservation | None:
        """The place that is kept for a player in a queue; `None`: there is none."""
        return next((one for one in self.reservations if one.holds(key, session)), None)

    def match(
        self, key: Key, session: Session, seats: int, may_begin: Callable[[Session], bool] = lambda other: True
    ) -> Sequence[Session] | None:
        """
        Find the players that have waited longest to play with one that has just come.

        :param may_begin: whether one who waits may play now
        :returns: all of them, in the order of their seats; `None`: there are too few
        """
        # Players with the same wish do not meet. All others do, the first one first.
        wish, reserved = self._wishes.get(session), self.reservation(key, session)
        fits = (one for one in self.waiting[key] if one is not session and self.reservation(key, one) is reserved)
        if reserved is not None:
            players = sorted((session, *fits), key=reserved.seat)
            return players if len(players) == seats else None
        wanted = (one for one in fits if wish is None or self._wishes.get(one) != wish)
        others = list(islice(filter(may_begin, wanted), seats - 1))
        if len(others) < seats - 1:
            return None
        players = [*others, session]
        if wish == 0 or self._wishes.get(others[0]) == 1 or (wish is None and others[0].second):
            players.reverse()
        return players

    def leave(self, session: Session) -> None:
        """Remove a player from its queue. Nothing happens to a player that does not wait."""
        self._wishes.pop(session, None)
        for key, waiting in list(self.waiting.items()):
            if session in waiting:
                waiting.remove(session)
                self._membership.waits_no_longer(session)
                if not waiting:
                    del self.waiting[key]
        if session in self._timers:
            self._timers.pop(session).stop()

    def halt(self) -> None:
        """The host stops: nobody has waited too long any more."""
        for timer in self._timers.values():
            timer.stop()

    def everybody(self, game: str | None = None) -> list[Session]:
        """All who wait; for this game, if one is given."""
        waiting = (some for (name, _), some in self.waiting.items() if game in (None, name))
        return [session for some in waiting for session in some]


class CannotJoin(Exception):
    """There is no place; the message says why, for the player."""


class NoSuchTable(CannotJoin):
    """No table of this number waits for players."""


class TableFull(CannotJoin):
    """All seats of the table are taken, and its match is about to begin."""


class NeedsAccount(CannotJoin):
    """The match is to be rated, and the player is a guest."""


class HouseRefused(Exception):
    """There is no house player to be had. The message says why, for the player who asks."""


def check_may_be_rated(session: Session, settings: Settings) -> None:
    """
    Check that a player can have a match with these settings: only accounts play rated ones.

    :raises NeedsAccount: the player is a guest
    """
    if settings.get(RATED) == "yes" and not session.account:
        raise NeedsAccount("a rated match is for accounts: log in with a password first")


class TooManyTables(Exception):
    """This address has too many waiting tables."""


#: In characters: far more than a code has.
LONGEST_CODE = 64


def checked_code(text: str) -> str:
    """The code that a client has sent; `#`, which is no code, instead of a text that is too long for one."""
    return text if len(text) <= LONGEST_CODE else "#"


def same_code(code: str, given: str) -> bool:
    """Compare in a time that does not depend on how much of the code was guessed."""
    return compare_digest(code.encode("utf-8"), given.encode("utf-8"))


@define(eq=False)
class _Party:
    table: TableId
    queue: Queue
    seats: int
    settings: Settings
    #: Where it was opened from.
    address: str
    sessions: list[Session] = field(factory=list)
    #: Whether the player who opened it has the second seat, in a game of two.
    reversed: bool = False
    #: Those who were asked for a rematch here, and of which match.
    asked: Sequence[Session] = ()
    played: TableId | None = None
    too_long: Timer = field(factory=Timer)

    @property
    def code(self) -> str:
        """What a player must know to join; empty: the table is for everybody."""
        return self.settings.get("code", "")

    def seen(self) -> OpenTable:
        settings = {name: text for name, text in self.settings.items() if name != "code"}
        return OpenTable(
            self.table, self.seats, settings, tuple(session.name for session in self.sessions), self.reversed
        )

    def tell(self, event: object) -> None:
        for session in tuple(self.sessions):
            if session.player is not None:
                session.player.deliver(event)


@define(eq=False)
class OpenTables:
    """
    All tables of a host that wait. In a cluster this host is the home of each.

    :param new_table: gives a number that no table had before
    :param complete: called with the game, the table's number, its settings and its players when all seats are taken
    """

    _clock: IReactorTime
    _new_table: Callable[[], TableId]
    _complete: Callable[[Game[Any, Any], TableId, Settings, Sequence[Session]], None]
    _membership: Membership = field(factory=Membership)
    #: Tables that one address may have waiting; `None`: any number. And the seconds for which a table waits.
    most: int | None = None
    patience: float = 600.0
    _parties: dict[TableId, _Party] = field(factory=dict)
    _where: dict[Session, _Party] = field(factory=dict)

    def open(
        self,
        session: Session,
        queue: Queue,
        seats: int,
        settings: Settings,
        second: bool = False,
    ) -> OpenTable:
        """
        Have a player wait at a new table, alone so far.

        :param second: whether this player has the second seat in a game of two
        :raises TooManyTables: so many from this address wait already
        """
        address = rate_limit_key(session.address)
        opened = sum(1 for party in self._parties.values() if party.address == address)
        if self.most is not None and opened >= self.most:
            raise TooManyTables(f"{opened} tables from this address wait already; join one of them")
        party = _Party(self._new_table(), queue, seats, settings, address, [session], second and seats == 2)
        self._parties[party.table] = party
        self._membership.keep(place_of(party.table))
        self._where[session] = party
        party.too_long.set(self._clock, self.patience, self._close, party)
        return party.seen()

    def join(self, session: Session, queue: Queue, table: TableId, code: str = "") -> None:
        """As of `Lobby.join`."""
        party = self._parties.get(table)
        if party is None or party.queue != queue or not same_code(party.code, code):
            raise NoSuchTable("no table of this number waits for players")
        check_may_be_rated(session, party.settings)
        party.sessions.append(session)
        self._where[session] = party
        party.tell(party.seen())
        if len(party.sessions) == party.seats:
            self._begin(party)

    def ask(self, table: TableId, played: TableId, session: Session, others: Sequence[Session]) -> None:
        """Tell the other players of a match that one of them waits at this table for the rematch."""
        party = self._parties[table]
        party.asked, party.played = others, played
        for one in party.asked:
            if one.player is not None:
                one.player.deliver(RematchWanted(played, session.name, table, party.code))

    def cannot_come(self, session: Session, why: str) -> None:
        """A player who was asked for a rematch is gone, or plays another match: nobody waits for it any more."""
        for party in [one for one in self._parties.values() if session in one.asked and session not in one.sessions]:
            self._close(party, f"{session.name} {why}")

    def find(self, table: TableId, code: str) -> tuple[Game[Any, Any], OpenTable] | None:
        """
        A table that waits, with its game; `None`: there is none.

        :param code: of a private table
        """
        party = self._parties.get(table)
        if party is None or party.queue.pool or not same_code(party.code, code):
            return None
        return party.queue.game, party.seen()

    def empty_seats(self, session: Session) -> int | None:
        """How many seats are empty at the table that a player has opened; `None`: the player has opened none that waits."""
        party = self._where.get(session)
        return None if party is None or party.sessions[0] is not session else party.seats - len(party.sessions)

    def alone(self, session: Session) -> WaitingTable | None:
        """The table at which a player waits alone, if it is for everybody."""
        party = self._where.get(session)
        if party is None or party.code or len(party.sessions) > 1:
            return None
        return WaitingTable(*party.queue.key, party.seen())

    def others(self, session: Session) -> int | None:
        """How many others wait at the table of a player; `None`: the player waits at none."""
        party = self._where.get(session)
        return None if party is None else len(party.sessions) - 1

    def fill(self, session: Session, others: Sequence[Session]) -> None:
        """Begin the match at a player's table, with these others in all empty seats."""
        party = self._where[session]
        for one in others:
            party.sessions.append(one)
            party.tell(party.seen())
        self._begin(party)

    def waiting(self, queue: Queue) -> list[OpenTable]:
        """
        The tables of a game that wait and are for everybody, the oldest first, and no more than are of use. The others can be
        joined by their numbers, and are listed when older ones are gone.
        """
        parties = (party for party in self._parties.values() if party.queue == queue and not party.code)
        return [party.seen() for party in islice(parties, LISTED)]

    def listed(self) -> dict[str, list[OpenTable]]:
        """By the name of the game: the tables that are for everybody and for all wires, no more than `LISTED` of all."""
        tables: dict[str, list[OpenTable]] = {}
        public = (party for party in self._parties.values() if not party.queue.pool and not party.code)
        for party in islice(public, LISTED):
            tables.setdefault(party.queue.game.name, []).append(party.seen())
        return tables

    def shown(self) -> list[WaitingTable]:
        """The tables that are for everybody, for the other hosts of a cluster, and no more than `LISTED`."""
        public = (party for party in self._parties.values() if not party.code)
        return [WaitingTable(*party.queue.key, party.seen()) for party in islice(public, LISTED)]

    def everybody(self, game: str | None = None) -> list[Session]:
        """All who wait; for this game, if one is given."""
        return [session for session, party in self._where.items() if game in (None, party.queue.game.name)]

    def leave(self, session: Session) -> None:
        """A player waits no longer; nothing happens to one who did not."""
        party = self._where.pop(session, None)
        if party is None:
            return
        party.sessions.remove(session)
        if party.sessions:
            party.tell(party.seen())
        else:
            self._remove(party)
            self._withdraw(party, session)

    def _begin(self, party: _Party) -> None:
        self._remove(party)
        self._complete(party.queue.game, party.table, party.settings, party.sessions[:: -1 if party.reversed else 1])

    def _close(self, party: _Party, why: str = "nobody came in time") -> None:
        self._remove(party)
        party.tell(TableClosed(party.table, why))
        self._withdraw(party, party.sessions[0])

    def _withdraw(self, party: _Party, session: Session) -> None:
        """Tell those who were asked for a rematch that it is not wanted any more."""
        for one in party.asked:
            if one.player is not None and party.played is not None and one not in party.sessions:
                one.player.deliver(RematchWanted(party.played, session.name, None, ""))

    def _remove(self, party: _Party) -> None:
        del self._parties[party.table]
        self._membership.give_up(place_of(party.table))
        for session in party.sessions:
            self._where.pop(session, None)
        party.too_long.stop()

    def halt(self) -> None:
        """The host stops: no table is closed any more for having waited too long."""
        for party in self._parties.values():
            party.too_long.stop()


#: Seconds between two looks at the queues while somebody in them has to wait.
LEAST_PAUSE = 0.1


@define(eq=False)
class NewMatches:
    """
    How often matches begin: a rate for each address, so that nobody fills the disk by opening matches and giving them up.

    A match counts for each address of its players, once. A player whose address has to wait remains in the queue, and
    others are matched meanwhile. On a wire with words for it, a wish is refused. This machine's own address has no
    rate.

    :param again: called after `wait`, when an address may begin a match again
    """

    _clock: IReactorTime
    _again: Callable[[], None]
    #: `None`: there is no rate.
    _buckets: KeyedBuckets[str] | None = None
    _timer: Timer = field(factory=Timer)
    _stopped: bool = field(default=False, init=False)

    def limit(self, rate: tuple[float, int] | None) -> None:
        """
        Use another rate from now on. Every address begins with a full bucket.

        :param rate: matches a second in the long run, and matches at once; `None`: there is none
        """
        self._buckets = None if rate is None else KeyedBuckets(*rate)

    def seconds_until(self, address: str) -> float:
        """The seconds until a match of this address may begin; 0: now."""
        if self._buckets is None or is_loopback(address):
            return 0.0
        now = self._clock.seconds()
        return self._buckets.of(rate_limit_key(address), now).seconds_to_one(now)

    def refusal(self, address: str) -> str | None:
        """Why no match of this address may begin now, for the player; `None`: it may."""
        seconds = self.seconds_until(address)
        if not seconds:
            return None
        return f"too many new matches from your address: try again in {math.ceil(seconds)} s"

    def begin(self, addresses: Iterable[str]) -> None:
        """A match of these addresses begins. All of them may begin one."""
        if self._buckets is not None:
            now = self._clock.seconds()
            for whom in {rate_limit_key(address) for address in addresses if not is_loopback(address)}:
                self._buckets.of(whom, now).take(now)

    def wait(self, seconds: float) -> None:
        """Call back after so many seconds at the latest. Nothing changes if that is going to happen earlier."""
        if not self._stopped and self._timer.due > self._clock.seconds() + seconds:
            self._timer.set(self._clock, max(LEAST_PAUSE, seconds), self._again)

    def halt(self) -> None:
        self._stopped = True
        self._timer.stop()


class RematchWanted(Struct, frozen=True):
    """To the other players of a match that is over: one of them waits for the rest at a new table."""

    played: TableId
    name: str
    #: `None`: not any more.
    table: TableId | None
    code: str


#: The phrases that players of a match may send each other: a fixed set, so that no player needs protection from others.
PHRASES: Mapping[str, str] = {
    "hello": "Hello!",
    "good-luck": "Good luck!",
    "one-moment": "One moment, please.",
    "nice-move": "Nice move!",
    "oops": "Oops.",
    "well-played": "Well played!",
    "thanks": "Thank you for the match.",
}
#: The wires on which players receive phrases of others; no documented wire has a message for them.
TALKING_WIRES = frozenset({"open", "console"})
#: The most phrases of a player in one match.
MOST_PHRASES = 20


class Said(Struct, frozen=True):
    """To the players of a match, also when it is over: one of them has said something."""

    table: TableId
    seat: Seat
    name: str
    #: A key of `PHRASES`.
    phrase: str


class Played(Struct, frozen=True):
    """
    A match of a player, who may ask for a rematch of it. It moves with the player from member to member of a cluster.
    """

    table: TableId
    game: str
    settings: Settings
    #: In the order of the seats.
    names: Sequence[str]
    seat: Seat
    #: The first of the others, if all of them are house players; else empty.
    house: str = ""

    @classmethod
    def of(cls, session: Session) -> "Played | None":
        """The match in which a session has a seat now; `None`: it has none, or the match is played elsewhere."""
        table, match = session.table, session.match
        if table is None or session.seat is None or not match:
            return None
        left_out = {RATED, CHAMPIONSHIP}  # a rematch is private
        settings = {name: text for name, text in settings_to_show(table.settings).items() if name not in left_out}
        others = [one for one in match if one is not session]
        house = others[0].name if others and all(one.house for one in others) else ""
        return cls(table.id, table.game.name, settings, [one.name for one in match], session.seat, house)

    @property
    def wish(self) -> Seat | None:
        """The seat that this player has in the rematch: the other one, in a game of two."""
        return Seat(1 - self.seat) if len(self.names) == 2 else None

    def players(self, held: Callable[[str], Session | None]) -> list[Session | None]:
        """
        Its present players, in the order of the seats, whatever they play now; `None`: that one is not present.

        :param held: returns the session of a name
        """
        found = map(held, self.names)
        return [one if one is not None and one.last_table == self.table else None for one in found]
