"""
Those who wait for opponents: in queues, and at open tables that others join by a number.

Nobody waits for longer than a day.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hmac import compare_digest
from itertools import islice
from typing import Any

from attrs import define, field, frozen
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from gamehost.games.base import Game, Seat
from gamehost.games.chance import ScriptedChance
from gamehost.games.clock import CLOCK_SETTINGS, with_clocks
from gamehost.journal.records import TABLE_SETTINGS, TableId
from gamehost.limits import rate_limit_key
from gamehost.lobby.sessions import Membership, Session
from gamehost.settings import Settings
from gamehost.tables.interfaces import OpenTable, TableClosed


@frozen
class Queue:
    """Where players wait for each other: a game, and the wire's name if it has tables of its own."""

    game: Game[Any, Any]
    pool: str = ""
    #: Settings that every table has at which a player of this queue sits, on top of all others.
    required: Settings = field(factory=dict, eq=False)

    @property
    def key(self) -> tuple[str, str]:
        return (self.game.name, self.pool)


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
class Queues:
    """
    The queues of all games.

    :param membership: what other hosts of a cluster are told of those who wait
    """

    _membership: Membership = field(factory=Membership)

    #: Those who wait; queues in which nobody waits are left out.
    waiting: dict[Key, list[Session]] = field(factory=dict)
    #: The seat that somebody wants.
    _wishes: dict[Session, Seat] = field(factory=dict)

    def join(self, key: Key, session: Session, wish: Seat | None) -> bool:
        """
        Have a player wait. `False`: the player waits there already.

        :param wish: the seat that the player wants in a game of two; `None`: any
        """
        waiting = self.waiting.setdefault(key, [])
        if session in waiting:
            return False
        waiting.append(session)
        if wish is not None:
            self._wishes[session] = wish
        self._membership.waits(session, key)
        return True

    def match(
        self, key: Key, session: Session, seats: int, may_begin: Callable[[Session], bool] = lambda other: True
    ) -> Sequence[Session] | None:
        """
        Find those who have waited longest to play with one who has just come.

        :param seats: how many players there are
        :param may_begin: whether one who waits may play now
        :returns: all of them, in the order of their seats; `None`: there are too few
        """
        # Players with the same wish do not meet. All others do, the first one first.
        wish = self._wishes.get(session)
        fits = (one for one in self.waiting[key] if one is not session)
        wanted = (one for one in fits if wish is None or self._wishes.get(one) != wish)
        others = list(islice(filter(may_begin, wanted), seats - 1))
        if len(others) < seats - 1:
            return None
        players = [*others, session]
        if wish == 0 or self._wishes.get(others[0]) == 1:
            players.reverse()
        return players

    def leave(self, session: Session) -> None:
        """Have a player wait no longer. Nothing happens to one who does not wait."""
        self._wishes.pop(session, None)
        for key, waiting in list(self.waiting.items()):
            if session in waiting:
                waiting.remove(session)
                self._membership.waits_no_longer(session)
                if not waiting:
                    del self.waiting[key]

    def everybody(self) -> list[Session]:
        """All who wait."""
        return [session for waiting in self.waiting.values() for session in waiting]


#: Seconds. Programs that were forgotten wait longer than a day. People do not.
LONGEST = 86_400.0


@define(eq=False)
class WaitingTime:
    """
    Calls a function for each player who has waited for a day. There is one timer, for the one who has waited longest.

    :param too_long: called with the player, who does not wait any more then
    """

    _clock: IReactorTime
    _too_long: Callable[[Session], None]
    #: Since when each of them waits, in seconds of the reactor; the one who has waited longest comes first.
    _since: dict[Session, float] = field(factory=dict)
    _timer: IDelayedCall | None = None

    def start(self, session: Session) -> None:
        """A player waits from now on."""
        self._since[session] = self._clock.seconds()
        if self._timer is None:
            self._wait_for_oldest()

    def stop(self, session: Session) -> None:
        """A player does not wait any more. Nothing happens to one who did not."""
        if self._since.pop(session, None) is not None and not self._since:
            self.halt()

    def halt(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait_for_oldest(self) -> None:
        oldest = next(iter(self._since.values()))
        self._timer = self._clock.callLater(max(0.0, oldest + LONGEST - self._clock.seconds()), self._due)

    def _due(self) -> None:
        """The one who waited longest when the timer was set may be gone. Then the timer is set for the next one."""
        self._timer = None
        now = self._clock.seconds()
        while self._since and (oldest := next(iter(self._since))) and self._since[oldest] + LONGEST <= now:
            del self._since[oldest]
            self._too_long(oldest)
        if self._since and self._timer is None:
            self._wait_for_oldest()


#: So many tables are listed for who looks for one: 16 KiB on a wire. The others can be joined by their numbers, and are
#: listed when older ones are gone.
LISTED = 200


class CannotJoin(Exception):
    """There is no place; the message says why, for the player."""


class NoSuchTable(CannotJoin):
    """No table of this number waits for players."""


class TableFull(CannotJoin):
    """All seats of the table are taken, and its match is about to begin."""


class TooManyTables(Exception):
    """So many tables opened from one address wait already."""


def same_code(code: str, given: str) -> bool:
    """Compare in a time that does not depend on how much of the code was guessed."""
    return compare_digest(code.encode("utf-8"), given.encode("utf-8"))


@define(eq=False)
class _Party:
    """Those who wait at one table."""

    table: TableId
    game: Game[Any, Any]
    pool: str
    seats: int
    settings: Settings
    #: Where it was opened from.
    address: str
    sessions: list[Session] = field(factory=list)
    #: Whether the player who opened it has the second seat, in a game of two.
    reversed: bool = False
    too_long: IDelayedCall | None = None

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
    All tables of a host that wait.

    :param new_table: gives a number that no table had before
    :param complete: called with the game, the table's number, its settings and its players when all seats are taken
    :param most: tables that one address may have waiting; `None`: any number
    :param patience: seconds for which a table waits
    """

    _clock: IReactorTime
    _new_table: Callable[[], TableId]
    _complete: Callable[[Game[Any, Any], TableId, Settings, Sequence[Session]], None]
    most: int | None
    patience: float
    _parties: dict[TableId, _Party] = field(factory=dict)
    _where: dict[Session, _Party] = field(factory=dict)

    def open(
        self,
        session: Session,
        game: Game[Any, Any],
        pool: str,
        seats: int,
        settings: Mapping[str, str],
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
        party = _Party(self._new_table(), game, pool, seats, settings, address, [session], second and seats == 2)
        self._parties[party.table] = party
        self._where[session] = party
        party.too_long = self._clock.callLater(self.patience, partial(self._close, party))
        return party.seen()

    def join(self, session: Session, game: Game[Any, Any], pool: str, table: TableId, code: str = "") -> None:
        """
        Have a player wait at a table that is there; all who wait there are told, the new one included.

        :param code: of a private table
        :raises NoSuchTable: it does not wait (any more), is another game's, or has another code
        """
        party = self._parties.get(table)
        if (
            party is None
            or party.game is not game
            or party.pool != pool
            or not compare_digest(party.code.encode(), code.encode())
        ):
            raise NoSuchTable("no table of this number waits for players")
        party.sessions.append(session)
        self._where[session] = party
        party.tell(party.seen())
        if len(party.sessions) == party.seats:
            self._begin(party)

    def empty_seats(self, session: Session) -> int | None:
        """How many seats are empty at the table that a player has opened; `None`: the player has opened none that waits."""
        party = self._where.get(session)
        return None if party is None or party.sessions[0] is not session else party.seats - len(party.sessions)

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

    def waiting(self, game: Game[Any, Any], pool: str) -> list[OpenTable]:
        """The tables of a game that wait and are for everybody, the oldest first, and no more than `LISTED`."""
        parties = (
            party for party in self._parties.values() if party.game is game and party.pool == pool and not party.code
        )
        return [party.seen() for party in islice(parties, LISTED)]

    def listed(self) -> dict[str, list[OpenTable]]:
        """By the name of the game: the tables that are for everybody and for all wires, no more than `LISTED` of all."""
        tables: dict[str, list[OpenTable]] = {}
        public = (party for party in self._parties.values() if not party.pool and not party.code)
        for party in islice(public, LISTED):
            tables.setdefault(party.game.name, []).append(party.seen())
        return tables

    def everybody(self) -> list[Session]:
        """All who wait at a table."""
        return list(self._where)

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

    def _begin(self, party: _Party) -> None:
        self._remove(party)
        self._complete(party.game, party.table, party.settings, party.sessions[:: -1 if party.reversed else 1])

    def _close(self, party: _Party) -> None:
        self._remove(party)
        party.tell(TableClosed(party.table))

    def _remove(self, party: _Party) -> None:
        del self._parties[party.table]
        for session in party.sessions:
            self._where.pop(session, None)
        if party.too_long is not None and party.too_long.active():
            party.too_long.cancel()

    def halt(self) -> None:
        """The host stops: no table is closed any more for having waited too long."""
        for party in self._parties.values():
            if party.too_long is not None and party.too_long.active():
                party.too_long.cancel()
