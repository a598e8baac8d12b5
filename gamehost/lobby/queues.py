"""
The queues of players that wait for opponents, and the rate at which matches begin. Open tables are in
`gamehost.lobby.opened`.

Rematches: the players of a match that is over play each other again, with colours changed. The first player that asks
waits at a table with a code, and the others receive its number and code. So each player has to ask, and a rematch that
no other player wants ends as any open table does. A rematch is private if the match was, and rated if the match was.
Rematches of slow matches are in `gamehost.lobby.rematches`.
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
from gamehost.accounts.names import key_of
from gamehost.games.base import CLOCK_SETTINGS, MOVE_DAYS, Game, ScriptedChance, Seat
from gamehost.games.clock import with_clocks, with_days
from gamehost.journal.records import AGENT, CHAMPIONSHIP, RATED, TABLE_SETTINGS, TableId, settings_to_show
from gamehost.lobby.membership import Membership
from gamehost.lobby.sessions import Session
from gamehost.rates import KeyedBuckets, is_loopback, rate_limit_key
from gamehost.settings import Settings


def checked_settings(game: Game[Any, Any], settings: Settings) -> Settings:
    """
    The settings of a match, complete and checked.

    :raises BadOption: one is unknown or cannot be used
    """
    if MOVE_DAYS in settings:
        settings = with_days(game, settings)
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


#: How many seconds a player may wait in a queue. Only forgotten programs wait longer than a day.
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

    def has(self, session: Session) -> bool:
        """Whether a player waits in a queue."""
        return session in self._timers

    def reservation(self, key: Key, session: Session) -> Reservation | None:
        """The place that is reserved for a player in a queue; `None`: there is none."""
        return next((one for one in self.reservations if one.holds(key, session)), None)

    def match(
        self, key: Key, session: Session, seats: int, may_begin: Callable[[Session], bool] = lambda other: True
    ) -> Sequence[Session] | None:
        """
        Find the players that have waited longest to play with one that has just come.

        :param may_begin: whether a waiting player may play now
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
        """The host stops: the timers that end the wait of players are cancelled."""
        for timer in self._timers.values():
            timer.stop()

    def everybody(self, game: str | None = None) -> list[Session]:
        """All waiting players; if a game is given, only its players."""
        waiting = (some for (name, _), some in self.waiting.items() if game in (None, name))
        return [session for some in waiting for session in some]


class CannotJoin(Exception):
    """There is no place at the table. The message gives the player the reason."""


class NoSuchTable(CannotJoin):
    """No table of this number waits for players."""


class TableFull(CannotJoin):
    """All seats of the table are taken, and its match is about to begin."""


class NeedsAccount(CannotJoin):
    """The match is to be rated, and the player is a guest."""


class HouseRefused(Exception):
    """No house player can play. The message gives the player the reason."""


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
    """Whether two codes are equal. The time for this does not depend on how much of a code was guessed."""
    return compare_digest(code.encode("utf-8"), given.encode("utf-8"))


#: The seconds between two checks of the queues while a player has to wait because of the rate.
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
        """How many seconds must pass until a match of this address may begin; 0: none."""
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
        """Count a new match for each of these addresses. The caller has checked that none of them has `refusal`."""
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
    """Sent to the other players of a match that is over: one player waits for them at a new table."""

    played: TableId
    name: str
    #: The new table; `None`: the player does not wait any more.
    table: TableId | None
    code: str
    #: Whether the match was slow.
    slow: bool = False
    #: The display name; empty: it is the name.
    shown: str = ""


class OnLeave(Struct, frozen=True):
    """Sent to a player of slow matches: its leave has begun, or ends earlier."""

    #: In milliseconds since 1970; `None`: the player is on no leave.
    until: int | None
    #: The days that are left of this year.
    left: int


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
TALKING_WIRES = frozenset({"open", "console", AGENT})
#: The most phrases of a player in one match.
MOST_PHRASES = 20


class Said(Struct, frozen=True):
    """Sent to the players of a match, also after its end: one of them has sent a phrase."""

    table: TableId
    seat: Seat
    #: The display name of the sender.
    name: str
    #: A key of `PHRASES`.
    phrase: str


class Played(Struct, frozen=True):
    """
    The current or last match of a player, who may ask for a rematch of it. If the player moves to another host of a
    cluster, this value moves, too.
    """

    table: TableId
    game: str
    settings: Settings
    #: In the order of the seats.
    names: Sequence[str]
    seat: Seat
    #: The name of the first opponent, if all opponents are house players; otherwise empty.
    house: str = ""
    #: Whether it is private.
    private: bool = False

    @classmethod
    def of(cls, session: Session) -> "Played | None":
        """The match in which a session has a seat now; `None`: it has none, or the match is played elsewhere."""
        table, match = session.table, session.match
        if table is None or session.seat is None or not match:
            return None
        settings = {name: text for name, text in settings_to_show(table.settings).items() if name != CHAMPIONSHIP}
        others = [one for one in match if one is not session]
        house = others[0].name if others and all(one.house for one in others) else ""
        names = [one.name for one in match]
        return cls(
            table.id, table.game.name, settings, names=names, seat=session.seat, house=house, private=bool(table.code)
        )

    @property
    def wish(self) -> Seat | None:
        """The seat that this player has in the rematch: the other one, in a game of two."""
        return Seat(1 - self.seat) if len(self.names) == 2 else None

    def players(self, held: Callable[[str], Session | None]) -> list[Session | None]:
        """
        Its players, in the order of the seats, also if they play another match now; `None` for each player that is not
        connected.

        :param held: returns the session of a name
        """
        found = map(held, self.names)
        return [one if one is not None and one.last_table == self.table else None for one in found]
