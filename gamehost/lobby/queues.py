"""
The queues of players that wait for opponents, and the limit on the rate of new matches. Open tables are in
`gamehost.lobby.opened`.

Rematches: the players of a finished match play each other again, with the seats exchanged. The first player that asks
waits at a new table with a code, and the other players receive the number and the code. Each of them accepts by joining
this table. If they do not join, it closes as any open table does. A rematch is private or rated if the match was.
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
    Check the settings of a match, and complete those of a slow match.

    :raises BadOption: a setting is unknown, or its value cannot be used
    """
    if MOVE_DAYS in settings:
        settings = with_days(game, settings)
    own = {name: text for name, text in settings.items() if name not in TABLE_SETTINGS}
    game.check(own)
    if CLOCK_SETTINGS.keys() & settings.keys():
        # The result is not needed: `with_clocks` raises `BadOption` if the clocks do not fit the game.
        with_clocks(game.new_master(game.least_seats, own, ScriptedChance()), game.least_seats, settings)
    return settings


#: The key of a queue: the name of a game, and the pool of players that meet only each other; empty: no pool.
Key = tuple[str, str]


@define(eq=False)
class Reservation:
    """
    A match that a contest plans between named players. When they come into the queue of the game, they meet only each
    other.

    :param names: of the players, in the order of the seats
    :param settings: the complete settings of the match
    :param waits: called with the name of a player that has come and waits for the others
    :param begins: called with the number of the table when the match begins
    """

    game: str
    names: Sequence[str]
    settings: Settings
    waits: Callable[[str], None]
    begins: Callable[[TableId], None]
    #: By name: the digest, from `split_key`, of the key that the guest with this name must have. Other names need no key.
    digests: Mapping[str, str] = field(factory=dict)
    _keys: Sequence[str] = field(
        init=False, default=Factory(lambda self: [key_of(name) for name in self.names], takes_self=True)
    )

    def seat(self, session: Session) -> int:
        """The seat of a player of this match."""
        return self._keys.index(session.key)

    def holds(self, key: Key, session: Session) -> bool:
        """
        Whether a place in the match is for this player in a queue: it has one of the names, and the guest's key if one is
        needed.
        """
        game, _ = key
        if game != self.game or session.key not in self._keys:
            return False
        # A name without an entry in `digests` needs no key: the comparison is then of a value with itself.
        return self.digests.get(self.names[self.seat(session)], session.key_digest) == session.key_digest


#: How many seconds a player may wait in a queue. Only forgotten programs wait longer than a day.
LONGEST = 86_400.0


@define(eq=False)
class Queues:
    """
    The queues of all games: chooses the players of a new match. No player waits in a queue for longer than a day.

    :param membership: is informed of the waiting players, for other hosts of a cluster
    :param too_long: called with a player that has waited for a day
    """

    _clock: IReactorTime
    _membership: Membership
    _too_long: Callable[[Session], None]
    #: The waiting players; empty queues are left out.
    waiting: dict[Key, list[Session]] = field(factory=dict)
    #: The seat that a waiting player wants; players without a wish are left out.
    _wishes: dict[Session, Seat] = field(factory=dict)
    #: The planned matches of contests.
    reservations: list[Reservation] = field(factory=list)
    #: By waiting player: the timer that ends the wait.
    _timers: defaultdict[Session, Timer] = field(factory=lambda: defaultdict(Timer))

    def join(self, key: Key, session: Session, wish: Seat | None) -> bool:
        """
        Add a player to a queue.

        :param wish: the seat that the player wants in a game of two; `None`: any
        :returns: `False`: the player waits there already
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
        """The planned match of a contest that a player in a queue belongs to; `None`: there is none."""
        return next((one for one in self.reservations if one.holds(key, session)), None)

    def match(
        self, key: Key, session: Session, seats: int, may_begin: Callable[[Session], bool] = lambda other: True
    ) -> Sequence[Session] | None:
        """
        Choose the opponents of a player in a queue: those that have waited longest and fit.

        :param seats: how many players the match has
        :param may_begin: returns whether a waiting player may begin a match now
        :returns: all players of the match, in the order of the seats; `None`: too few players fit
        """
        # Two players that want the same seat do not meet, and a planned match has only its own players.
        wish, reserved = self._wishes.get(session), self.reservation(key, session)
        fits = (one for one in self.waiting[key] if one is not session and self.reservation(key, one) is reserved)
        if reserved is not None:
            # All players of the contest's match must be here. The rate of new matches does not limit a contest.
            players = sorted((session, *fits), key=reserved.seat)
            return players if len(players) == seats else None
        wanted = (one for one in fits if wish is None or self._wishes.get(one) != wish)
        others = list(islice(filter(may_begin, wanted), seats - 1))  # those that have waited longest stand first
        if len(others) < seats - 1:
            return None
        players = [*others, session]
        # The players that have waited longer get the first seats. The order is reversed if the new player wants the first
        # seat, if the other player wants the second one, or if neither has a wish and the other one's session asks for the
        # second seat in that case.
        if wish == 0 or self._wishes.get(others[0]) == 1 or (wish is None and others[0].second):
            players.reverse()
        return players

    def leave(self, session: Session) -> None:
        """Remove a player from its queue. The player need not wait in one."""
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
        """Cancel the timers that end the wait of players, because the host stops."""
        for timer in self._timers.values():
            timer.stop()

    def everybody(self, game: str | None = None) -> list[Session]:
        """All waiting players; if a game is given, only its players."""
        waiting = (some for (name, _), some in self.waiting.items() if game in (None, name))
        return [session for some in waiting for session in some]


class CannotJoin(Exception):
    """A player cannot join a table. The message gives the player the reason."""


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
    """A player cannot open a table. The message gives the player the reason, for example too many tables of its address."""


#: The most characters of a code that are compared. Real codes are much shorter.
LONGEST_CODE = 64


def checked_code(text: str) -> str:
    """The code that a client has sent. If the text is too long, the result is `#`, which equals no code."""
    return text if len(text) <= LONGEST_CODE else "#"


def same_code(code: str, given: str) -> bool:
    """
    Whether two codes are equal. The comparison takes equally long wherever they differ, so a client cannot guess a code
    letter by letter.
    """
    return compare_digest(code.encode("utf-8"), given.encode("utf-8"))


#: While players have to wait because of the rate of new matches, the queues are examined again after this time at the
#: earliest, in seconds.
LEAST_PAUSE = 0.1


@define(eq=False)
class NewMatches:
    """
    Limits how many matches each address may begin in some time, so that nobody fills the disk with matches that are begun
    and given up.

    A match is counted once for each address of its players. Players from an address at its limit remain in the queue, and
    others are matched meanwhile. If such a player asks for a table or a house player, this is refused. This machine's own
    address has no limit.

    :param again: called when the time given to `wait` is over: an address may begin a match again
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

        :param rate: how many matches a second in the long run, and how many at once; `None`: there is no limit
        """
        self._buckets = None if rate is None else KeyedBuckets(*rate)

    def seconds_until(self, address: str) -> float:
        """How many seconds must pass until a player from this address may begin a match; 0: it may begin one now."""
        if self._buckets is None or is_loopback(address):
            return 0.0
        now = self._clock.seconds()
        return self._buckets.of(rate_limit_key(address), now).seconds_to_one(now)

    def refusal(self, address: str) -> str | None:
        """The reason, for the player, why no player from this address may begin a match now; `None`: players may."""
        seconds = self.seconds_until(address)
        if not seconds:
            return None
        return f"too many new matches from your address: try again in {math.ceil(seconds)} s"

    def begin(self, addresses: Iterable[str]) -> None:
        """Count a new match for each address of its players. The caller has checked before that `refusal` is `None`."""
        # A set, so that several players from one address count once.
        if self._buckets is not None:
            now = self._clock.seconds()
            for whom in {rate_limit_key(address) for address in addresses if not is_loopback(address)}:
                self._buckets.of(whom, now).take(now)

    def wait(self, seconds: float) -> None:
        """Call `again` after this number of seconds, unless an earlier call is planned already."""
        if not self._stopped and self._timer.due > self._clock.seconds() + seconds:
            self._timer.set(self._clock, max(LEAST_PAUSE, seconds), self._again)

    def halt(self) -> None:
        self._stopped = True
        self._timer.stop()


class RematchWanted(Struct, frozen=True):
    """
    Event for the other players of a finished match: one player wants a rematch and waits at a new table, or does not wait any
    more.
    """

    #: The finished match.
    played: TableId
    #: The name of the player that wants the rematch.
    name: str
    #: The new table; `None`: the player does not wait any more.
    table: TableId | None
    code: str
    #: Whether the match was slow.
    slow: bool = False
    #: The display name of that player; empty: it equals the name.
    shown: str = ""


class OnLeave(Struct, frozen=True):
    """Event for a player of slow matches: its leave has begun, or has another end now."""

    #: The end of the leave, in milliseconds since 1970; `None`: the player is not on leave.
    until: int | None
    #: How many days of leave the player may still take in this year.
    left: int


#: The phrases that players of a match may send each other. The set is fixed, so that no player can insult another one.
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
    """Event for the players of a match, also after its end: one of them has sent a phrase."""

    table: TableId
    seat: Seat
    #: The display name of the sender.
    name: str
    #: A key of `PHRASES`.
    phrase: str


class Played(Struct, frozen=True):
    """
    What is stored about the current or last match of a player, for a rematch and for phrases. If the player moves to
    another host of a cluster, this value is sent there.
    """

    table: TableId
    game: str
    settings: Settings
    #: In the order of the seats.
    names: Sequence[str]
    #: The seat of the player.
    seat: Seat
    #: The name of the first opponent, if all opponents are house players; otherwise empty.
    house: str = ""
    #: Whether the match is private.
    private: bool = False

    @classmethod
    def of(cls, session: Session) -> "Played | None":
        """The match in which a session's player has a seat now; `None`: it has no seat at a table in memory."""
        table, match = session.table, session.match
        if table is None or session.seat is None or not match:
            return None
        # A rematch has the same settings, but is not a game of the championship.
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
        The sessions of the match's players, in the order of the seats. The item is `None` for a player without a session, and
        for one with a later match.

        :param held: returns the session under a name
        """
        found = map(held, self.names)
        return [one if one is not None and one.last_table == self.table else None for one in found]
