"""
Open tables: a player opens a table, and others join it by its number.

A table that *lasts* remains when its player disconnects. It waits for a day. It is stored in the journal, so it remains
after a restart of the host, too. Its match begins when all seats are taken and all of its players are connected. A table
can last under two conditions: its player has an account or a guest's key, and the wire has messages about such tables for
a player that comes back.

A table for a slow match waits for two weeks. It always lasts. Its match begins when all seats are taken, also if some
of its players are away.

All other tables wait for ten minutes at most, and a player that disconnects loses its seat there. Documented wires have
such tables, and so do rematches of quick matches.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen
from msgspec.structs import replace as replace_in
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from gamehost._twisted import Timer
from gamehost.accounts.names import key_of, place_of
from gamehost.games.base import MOVE_DAYS, Game
from gamehost.journal.records import Journal, OpenedTable, OwnedMatch, SeatRecord, TableId, shown_as
from gamehost.lobby.lists import LISTED, WaitingTable
from gamehost.lobby.own_list import owner_of, waiting
from gamehost.lobby.queues import (
    TALKING_WIRES,
    CannotJoin,
    NoSuchTable,
    RematchWanted,
    TooManyTables,
    check_may_be_rated,
    checked_settings,
    same_code,
)
from gamehost.lobby.sessions import Queue, Session, SessionRegistry
from gamehost.rates import rate_limit_key
from gamehost.settings import BadOption, Settings
from gamehost.tables.interfaces import OpenTable, TableClosed

if TYPE_CHECKING:
    from gamehost.lobby.own_matches import OwnMatches
    from gamehost.lobby.slow import SlowMatches

#: How many seconds a table waits if it does not last.
BRIEFLY = 600.0
#: How many lasting tables one player may have.
MOST_OPENED = 5
#: How many seconds a table waits if its match is slow.
SLOW_PATIENCE = 14 * 86_400.0


def _nobody(table: OpenTable) -> None:
    """Do nothing: the default for `Terms.told`."""


@frozen
class Terms:
    """The terms under which an opened table waits for players."""

    #: The code that others need to join; empty: no code is needed.
    code: str = ""
    #: Whether the table lasts, provided that the player can come back to it.
    lasts: bool = False
    #: Called with the table when it is stored, unless the player has disconnected before that.
    told: Callable[[OpenTable], None] = _nobody
    #: If this table is for the rematch of a slow match: that match, and its other players, which are asked to come.
    played: TableId | None = None
    asked: Sequence[SeatRecord] = ()


#: The terms of a table that does not last.
BRIEF = Terms()


@define(eq=False)
class _Party:
    """An open table: its players, and the settings of its match."""

    table: TableId
    queue: Queue
    seats: int
    settings: Settings
    code: str
    #: The address from which the table was opened.
    address: str
    #: When it was opened, in milliseconds since 1970.
    since: int
    #: The players with a seat, in the order in which they came, by the keys of their names.
    players: dict[str, SeatRecord]
    #: In a game for two: whether the player that opened the table has the second seat.
    reversed: bool = False
    lasts: bool = False
    #: When the table stops waiting, in milliseconds since 1970.
    by: int = 0
    #: Whether the match here is slow. A slow match begins when all seats are taken, also if players are away.
    slow: bool = False
    #: The players that were asked for a rematch here, and the match that is played again.
    asked: Sequence[SeatRecord] = ()
    played: TableId | None = None
    too_long: Timer = field(factory=Timer)

    @property
    def full(self) -> bool:
        return len(self.players) == self.seats

    @property
    def opener(self) -> str:
        """The key of the player that has had a seat here for longest."""
        return next(iter(self.players))

    def asks(self, session: Session) -> bool:
        """Whether a player was asked for a rematch here, and has no seat yet."""
        return session.key not in self.players and any(map(session.plays, self.asked))

    @property
    def record(self) -> OpenedTable:
        """The entry for this table in the journal's list of open tables."""
        game, players = self.queue.game.name, tuple(self.players.values())
        return OpenedTable(
            self.table,
            game,
            self.seats,
            settings=self.settings,
            code=self.code,
            players=players,
            reversed=self.reversed,
            since=self.since,
            played=self.played,
            asked=tuple(self.asked),
        )


def _hears_of(party: _Party, session: Session) -> bool:
    """Whether a player can receive messages about a table on its present wire, which may differ from its wire at joining."""
    return not party.lasts or session.wire in TALKING_WIRES or session.wire == party.players[session.key].wire


def can_come_back(session: Session) -> bool:
    """Whether a player can prove its identity on a new connection, and its wire has messages about lasting tables."""
    return session.wire in TALKING_WIRES and (session.account or bool(session.key_digest))


@define(eq=False)
class OpenTables:
    """
    All open tables of a host. Begins the match of a table when its players are complete, and closes old tables.

    :param complete: begins a match: called with the game, the table's number, the settings, and the players by seat
    :param wall: returns the time in seconds since 1970
    :param refusal: returns the reason why no match of a game can begin now; `None`: it can
    :param slow: returns the slow matches of the host
    """

    _clock: IReactorTime
    _journal: Journal
    _registry: SessionRegistry
    _lists: "OwnMatches"
    _complete: Callable[[Game[Any, Any], TableId, Settings, Sequence[Session]], None]
    _wall: Callable[[], float]
    _refusal: Callable[[str], str | None]
    _slow: Callable[[], "SlowMatches"]
    #: How many waiting tables one address may have; `None`: any number.
    most: int | None = None
    #: How many seconds a lasting table waits.
    patience: float = 86_400.0
    #: Whether tables may last. On a private host, a table is closed when the program that opened it disconnects.
    lasting: bool = True
    _parties: dict[TableId, _Party] = field(factory=dict)
    #: The tables at which each player waits, by the key of its name, in the order in which it joined them.
    _where: dict[str, list[_Party]] = field(factory=dict)
    #: Players with a match that has just ended: their open tables are examined in the next turn of the reactor.
    _freed: list[Session] = field(factory=list)
    _soon: Timer = field(factory=Timer)

    log = Logger()

    def __len__(self) -> int:
        """The number of open tables."""
        return len(self._parties)

    # -- tables open, and players come

    def open(
        self,
        session: Session,
        queue: Queue,
        seats: int,
        settings: Settings,
        second: bool = False,
        terms: Terms = BRIEF,
    ) -> OpenTable:
        """
        Open a new table. The player of the session opens it, and is its first player.

        :param second: whether this player gets the second seat in a game for two
        :raises TooManyTables: too many tables of this address or of this player wait already
        """
        address = rate_limit_key(session.address)
        lasts, slow = self.lasting and terms.lasts and can_come_back(session), MOVE_DAYS in settings
        if slow:
            self._check_slow(session, settings, lasts)
        self._make_room(session, address, lasts)
        party = _Party(
            table=self._journal.new_table(),
            queue=queue,
            seats=seats,
            settings=settings,
            code=terms.code or settings.get("code", ""),
            address=address,
            since=round(self._wall() * 1000),
            players={session.key: session.record},
            reversed=second and seats == 2,
            lasts=lasts,
            slow=slow,
            asked=terms.asked,
            played=terms.played,
        )
        self._add(party, self._patience(slow) if lasts else min(BRIEFLY, self.patience))
        player, opened = session.player, self._seen(party)

        def durable() -> None:
            """Inform the players. The opener may have left or disconnected, and the table may have closed, meanwhile."""
            self._lists.waits(party.players, opened, party.by)
            if session.key in party.players and session.player is player:
                terms.told(opened)
            if party.table in self._parties:
                self._tell_asked(party)

        # A table that does not last is not stored, so there is nothing to wait for.
        if lasts:
            self._journal.put_opened(party.record, durable)
        else:
            durable()
        return opened

    def _patience(self, slow: bool) -> float:
        """How many seconds a lasting table waits, for a slow match or for another one."""
        return SLOW_PATIENCE if slow else self.patience

    def _check_slow(self, session: Session, settings: Settings, lasts: bool) -> None:
        """
        Check that a player may open a table for a slow match.

        :raises TooManyTables: this player has too many slow matches, or cannot prove its identity on a new connection
        """
        if not lasts:
            raise TooManyTables("a match with days for a move is for those who can come back: log in, or give a key")
        try:
            self._slow().check_room(session, settings)
        except CannotJoin as error:
            raise TooManyTables(str(error)) from None

    def _make_room(self, session: Session, address: str, lasts: bool) -> None:
        """
        Check that a player may open one more table. If its address has too many tables, close one at which no player is
        connected.

        :raises TooManyTables: the player may not
        """
        own = [one for one in self._where.get(session.key, ()) if one.lasts and one.opener == session.key]
        if lasts and len(own) >= MOST_OPENED:
            raise TooManyTables(f"{len(own)} tables of yours wait already: stop one of them first")
        same = [party for party in self._parties.values() if party.address == address]
        if self.most is None or len(same) < self.most:
            return
        # A table for a slow match is not closed: its players are expected to be away.
        deserted = next((one for one in same if not one.slow and len(self._away(one)) == len(one.players)), None)
        if deserted is None:
            raise TooManyTables(f"{len(same)} tables from this address wait already; join one of them")
        self._close(deserted, "too many tables of your address wait")

    def _add(self, party: _Party, seconds: float) -> None:
        """Add an open table. It is closed after this number of seconds if its match has not begun."""
        self._parties[party.table] = party
        self._registry.membership.keep(place_of(party.table))
        for key in party.players:
            self._where.setdefault(key, []).append(party)
        party.by = round((self._wall() + seconds) * 1000)
        party.too_long.set(self._clock, seconds, self._close, party)

    def join(self, session: Session, queue: Queue, table: TableId, code: str = "") -> None:
        """Give a player a seat at an open table. See `Lobby.join` for the parameters and the exceptions."""
        party = self._parties.get(table)
        # A wrong code gets the same answer as no table, so that nobody can find private tables.
        if party is None or party.queue != queue or not same_code(party.code, code) or self._is_hidden(party, session):
            raise NoSuchTable("no table of this number waits for players")
        if session.key in party.players:
            raise CannotJoin("you have a seat at this table: wait for the others")
        if party.full:
            raise CannotJoin("all seats of this table are taken: its match begins when all are here")
        check_may_be_rated(session, party.settings)
        if party.slow:
            if not can_come_back(session):
                raise CannotJoin("a match with days for a move is for those who can come back: log in, or give a key")
            self._slow().check_room(session, party.settings)
        party.players[session.key] = session.record
        self._where.setdefault(session.key, []).append(party)
        if not self._begin_if_all_are_here(party):
            self._changed(party)

    def _is_hidden(self, party: _Party, session: Session) -> bool:
        """
        Whether a player cannot join a table because of its wire. A documented wire has no message for "all seats are
        taken, but the match begins later".
        """
        return session.wire not in TALKING_WIRES and (party.slow or bool(self._away(party)))

    def returns(self, session: Session) -> bool:
        """
        Begin the match, or send the table's state to its players, at each lasting table of a player. Called when the
        player has logged in, or when its match is over. Returns whether the player waits at a table now.
        """
        for party in tuple(self._where.get(session.key, ())):
            if party.lasts and not self._begin_if_all_are_here(party):
                self._tell(party, self._seen(party))
        return session.key in self._where

    def tell_again(self, session: Session) -> None:
        """Send a player the state of the lasting tables where it has a seat."""
        for party in tuple(self._where.get(session.key, ())):
            if party.lasts and session.player is not None:
                session.player.deliver(self._seen(party))

    def freed(self, session: Session) -> None:
        """Examine the open tables of a player again soon, because its match is over: their matches may begin now."""
        if session.key in self._where:
            self._freed.append(session)
            self._soon.set(self._clock, 0, self._look_at_freed)

    def _look_at_freed(self) -> None:
        """Examine the open tables of the players with a match that is over."""
        # In the meantime a player may have left, or begun another match.
        freed, self._freed = self._freed, []
        for session in freed:
            if session.player is not None and session.table_id is None:
                self.returns(session)

    def look_again(self, game: str | None = None) -> None:
        """Begin the matches that the host's limits have prevented until now, of one game or (`None`) of all games."""
        for party in tuple(self._parties.values()):
            if game in (None, party.queue.game.name):
                self._begin_if_all_are_here(party)

    def _changed(self, party: _Party) -> None:
        """Send the changed state of a table to all players that wait there. If the table lasts, store the state first."""
        seen = self._seen(party)
        if party.lasts:
            self._journal.put_opened(party.record, partial(self._tell, party, seen))
        else:
            self._tell(party, seen)

    # -- the match

    def fill(self, session: Session, others: Sequence[Session]) -> None:
        """Begin the match at the table that a player has opened, with these house players in all empty seats."""
        party = self._own(session)
        assert party is not None
        # Show each house player as it comes. At a lasting table, `_begin` sends the complete table when that is durable.
        for one in others:
            party.players[one.key] = one.record
            if not party.lasts:
                self._tell(party, self._seen(party))
        self._begin(party)

    def _begin_if_all_are_here(self, party: _Party) -> bool:
        """Begin the match at a table if that is possible now. Returns whether it begins."""
        if not party.full or not (party.slow or all(self._is_here(party, key) for key in party.players)):
            return False
        # The host lets no matches begin now. Tables that do not last are closed in this case, so only lasting ones wait.
        if party.lasts and self._refusal(party.queue.game.name) is not None:
            return False
        self._begin(party)
        return True

    def _begin(self, party: _Party) -> None:
        """Begin the match at a full table. In a slow match, players may be away; in others, all of them are connected."""
        if party.slow:
            self._journal.drop_opened(party.table, lambda: None)
            # If the opener wants the second seat, the order of the players is reversed.
            records = list(party.players.values())[:: -1 if party.reversed else 1]
            self._remove(party)
            self._withdraw(party, records[0])  # other players may have been asked for this rematch, too
            self._slow().begin(party.queue.game, party.table, party.settings, records)
            return
        players = [self._registry.sessions.by_key[key] for key in party.players]
        seen = self._seen(party)
        if party.lasts:
            # This is written in one commit with the opening of the match. So after a kill there is either the table or
            # the match, never both.
            self._journal.drop_opened(party.table, partial(self._tell, party, seen))
        elif not any(one.house for one in players):  # `fill` has sent this already when house players came
            self._tell(party, seen)
        self._remove(party)
        self._complete(party.queue.game, party.table, party.settings, players[:: -1 if party.reversed else 1])

    # -- players go, and tables close

    def leave(self, session: Session) -> None:
        """
        Remove a player from all tables, except from lasting ones to which it can come back. The player need not wait at any.
        """
        for party in tuple(self._where.get(session.key, ())):
            if not (party.lasts and can_come_back(session)):
                self._leave(party, session.key, lambda: None)

    def disconnect(self, session: Session) -> bool:
        """
        Remove a player that has disconnected from all tables, except from lasting ones to which it can come back. The other
        players at those tables are informed. Returns whether the player still has a seat at a table.
        """
        for party in tuple(self._where.get(session.key, ())):
            # The player can keep its seat only if the wires of the others have a message for a player that is away.
            others = [self._registry.sessions.by_key.get(key) for key in party.players if key != session.key]
            stay = all(one is None or one.wire in TALKING_WIRES for one in others)
            if party.lasts and stay and can_come_back(session):
                self._tell(party, self._seen(party))
            else:
                self._leave(party, session.key, lambda: None)
        return session.key in self._where

    def give_up(self, session: Session, table: TableId | None, done: Callable[[TableId], None]) -> bool:
        """
        Give up a player's seat at a lasting table, or close the table if it is for the rematch of a slow match and the
        player, which was asked, has not joined it.

        :param table: `None`: the lasting table that the player has joined last
        :param done: called with the table when the change is durable
        :returns: `False`: the player has no seat there and was not asked
        """
        asks = self._parties.get(table) if table is not None else None
        # The player was asked for this rematch and declines. The others that were asked are informed by `_close`.
        if asks is not None and asks.slow and asks.asks(session):
            asks.asked = [one for one in asks.asked if not session.plays(one)]
            self._close(
                asks, f"{session.name} does not want a rematch", partial(self._declined, session.key, asks, done)
            )
            return True
        own = [one for one in self._where.get(session.key, ()) if one.lasts and table in (None, one.table)]
        if own:
            self._leave(own[-1], session.key, partial(done, own[-1].table))
        return bool(own)

    def _declined(self, key: str, party: _Party, done: Callable[[TableId], None]) -> None:
        """Note that a player who was asked for a rematch does not want it, and call `done`."""
        self._lists.waits_no_longer(key, party.table)
        done(party.table)

    def withdraw(self, key: str) -> None:
        """Remove a player from all tables: another player has the name now, or the name's home is another host."""
        for party in tuple(self._where.get(key, ())):
            self._leave(party, key, lambda: None)

    def _leave(self, party: _Party, key: str, done: Callable[[], None]) -> None:
        """Remove a player from a table; call `done` when that is durable. A table without players is closed."""

        def left() -> None:
            """Inform the player that has left: its list changes, and `done` is called."""
            self._lists.waits_no_longer(key, party.table)
            done()

        # Free the seat. Then store the change, and inform the players.
        player = party.players.pop(key)
        self._not_there(party, key)
        if not party.players:
            self._remove(party)
            self._withdraw(party, player)
            if party.lasts:
                self._journal.drop_opened(party.table, left)
            else:
                left()
        elif party.lasts:
            seen = self._seen(party)  # now, because the table may change again before this change is durable

            def durable() -> None:
                left()
                self._tell(party, seen)

            self._journal.put_opened(party.record, durable)
        else:
            self._tell(party, self._seen(party))
            left()

    def _close(self, party: _Party, why: str = "nobody came in time", done: Callable[[], None] = lambda: None) -> None:
        """Close a table, and inform its players of the reason; call `done` when that is durable."""
        self._remove(party)
        closed = TableClosed(party.table, why, party.lasts)

        def durable() -> None:
            self._tell(party, closed)
            done()

        if party.lasts:
            self._lists.put(self._missed(party, why))
            self._journal.drop_opened(party.table, durable)
        else:
            durable()
        # The players that were asked for a rematch here are not at the table, so they get a message of their own.
        self._withdraw(party, party.players[party.opener])

    def _not_there(self, party: _Party, key: str) -> None:
        """Remove a table from those at which a player waits. Without tables and a session, the name's home is not here."""
        there = self._where[key]
        there.remove(party)
        if not there:
            del self._where[key]
            if key not in self._registry.sessions.by_key:
                self._registry.membership.freed(key)

    def _remove(self, party: _Party) -> None:
        """Remove a table from all indexes, because it is closed or its match begins."""
        del self._parties[party.table]
        self._registry.membership.give_up(place_of(party.table))
        for key in party.players:
            if key in self._where:
                self._not_there(party, key)
        party.too_long.stop()

    # -- rematches

    def ask(self, table: TableId, played: TableId, session: Session, others: Sequence[Session]) -> None:
        """Inform the other players of a match that one of them waits at this table for the rematch."""
        party = self._parties[table]
        party.asked, party.played = [one.record for one in others], played
        self._tell_asked(party)

    def _tell_asked(self, party: _Party) -> None:
        """Offer the rematch at this table to the players that were asked: in their lists, and by a message."""
        player = next(iter(party.players.values()))  # the opener, which wants the rematch
        facts = player.name, party.table, party.code, party.slow, player.shown
        wanted = RematchWanted(party.played or party.table, *facts)
        for one in party.asked:
            self._lists.offered(one, self._seen(party), party.by)
            self._tell_of_rematch(party, one, wanted)

    def _tell_of_rematch(self, party: _Party, asked: SeatRecord, event: RematchWanted) -> None:
        """Send a player that was asked for a rematch a message about it, if the player's wire has such messages."""
        session = self._registry.sessions.by_key.get(key_of(asked.name))
        # The session may also belong to another player that uses the name now.
        if session is None or session.player is None or not party.asks(session):
            return
        # A rematch of a quick match is offered on the wire of that match only, which has a message for it.
        if not party.slow or session.wire in TALKING_WIRES:
            session.player.deliver(event)

    def rematch(self, session: Session, played: TableId) -> OpenTable | None:
        """
        Find the open table for the rematch of a slow match, if a player has a seat there or was asked to come; otherwise
        return `None`.

        :param played: the finished match
        """
        for party in self._parties.values():
            if party.slow and party.played == played and (session.key in party.players or party.asks(session)):
                return self._seen(party)
        return None

    def cannot_come(self, session: Session, why: str) -> None:
        """Close the tables for rematches at which others wait for this player, because it has left or plays another match."""
        for party in [one for one in self._parties.values() if not one.slow and one.asks(session)]:
            self._close(party, f"{session.name} {why}")

    def _withdraw(self, party: _Party, player: SeatRecord) -> None:
        """
        Inform the players that were asked to come to a table, and have no seat there, that the rematch is cancelled.

        :param player: the player that has asked for the rematch
        """
        ended = RematchWanted(party.played or party.table, player.name, None, "", party.slow, player.shown)
        for one in party.asked:
            if (key := key_of(one.name)) not in party.players:
                self._lists.offered_no_longer(key, party.table)
                self._tell_of_rematch(party, one, ended)

    # -- questions about tables and players

    def _is_here(self, party: _Party, key: str) -> bool:
        """Whether the match at a table can begin for this player: it is connected, and has no other match."""
        session = self._registry.sessions.by_key.get(key)
        if session is None or session.player is None:
            return False
        return not party.lasts or session.house or (session.table_id is None and _hears_of(party, session))

    def _away(self, party: _Party) -> tuple[str, ...]:
        """The names of the players at a table that are not connected."""
        found = ((self._registry.sessions.by_key.get(key), record) for key, record in party.players.items())
        return tuple(record.name for session, record in found if session is None or session.player is None)

    def _seen(self, party: _Party) -> OpenTable:
        """The state of a table, as players see it."""
        settings = {name: text for name, text in party.settings.items() if name != "code"}  # the code has its own field
        names = tuple(record.name for record in party.players.values())
        game, away = party.queue.game.name, self._away(party)
        return OpenTable(
            party.table,
            party.seats,
            settings,
            names,
            reversed=party.reversed,
            game=game,
            code=party.code,
            away=away,
            lasts=party.lasts,
            shown_as=shown_as(party.players.values()),
            played=party.played if party.slow else None,
        )

    def _missed(self, party: _Party, why: str) -> list[tuple[str, OwnedMatch]]:
        """Make entries for the own lists of the absent players of a table: the table was closed, and the reason."""
        gone: list[tuple[str, OwnedMatch]] = []
        seen, now = self._seen(party), round(self._wall() * 1000)
        for key, player in party.players.items():
            owner = owner_of(player)  # `None`: a guest without a key has no list
            if owner is not None and player.name in seen.away:
                match = waiting(seen, key, party.by)
                gone.append((owner, replace_in(match, state="over", by=None, code="", ended=now, why=why)))
        return gone

    def waiting_for(self, session: Session) -> list[OwnedMatch]:
        """The tables that wait for a player, as entries for the player's list of own matches."""
        there = self._where.get(session.key, ())
        asked = (one for one in self._parties.values() if one.asked and one.asks(session))
        return [waiting(self._seen(one), session.key, one.by) for one in (*asked, *there)]

    def _tell(self, party: _Party, event: OpenTable | TableClosed) -> None:
        """Send the state or the end of a table to its connected players, and note it in the players' own lists."""
        if isinstance(event, OpenTable):
            self._lists.waits(party.players, event, party.by)
        else:
            for key in party.players:
                self._lists.waits_no_longer(key, party.table)
        for key in tuple(party.players):
            session = self._registry.sessions.by_key.get(key)
            if session is not None and session.player is not None and _hears_of(party, session):
                session.player.deliver(event)

    def find(self, table: TableId, code: str) -> tuple[Game[Any, Any], OpenTable] | None:
        """
        An open table and its game; `None`: no such table is open, or it has another code.

        :param code: the code of a private table; empty: the table is public
        """
        party = self._parties.get(table)
        # A table of a pool is only for the players of its wire, so no invitation leads to it.
        if party is None or party.queue.pool or not same_code(party.code, code):
            return None
        return party.queue.game, self._seen(party)

    def _own(self, session: Session) -> _Party | None:
        """The table for a quick match that a player has opened last; `None`: no such table waits."""
        own = (one for one in reversed(self._where.get(session.key, ())) if one.opener == session.key and not one.slow)
        return next(own, None)

    def empty_seats(self, session: Session) -> int | None:
        """How many seats are empty at the table that a player has opened last; `None`: no table of this player waits."""
        party = self._own(session)
        return None if party is None else party.seats - len(party.players)

    def somebody_is_away(self, session: Session) -> bool:
        """Whether some player at the table that this player has opened last is not connected, or plays a match."""
        party = self._own(session)
        return party is not None and not all(self._is_here(party, key) for key in party.players)

    def waits(self, session: Session) -> bool:
        """Whether a player waits at a table."""
        return session.key in self._where

    def is_slow(self, table: TableId) -> bool:
        """Whether the match at a waiting table is slow."""
        return table in self._parties and self._parties[table].slow

    def waits_briefly(self, session: Session) -> bool:
        """
        Whether a player waits at a table where it would lose its seat on disconnecting. Then it may wait at no other place.
        """
        return any(not (party.lasts and can_come_back(session)) for party in self._where.get(session.key, ()))

    def record_of(self, key: str) -> SeatRecord | None:
        """
        The player for whom a private lasting table reserves the name with this key; `None`: no such table does.

        Public tables reserve no names. So a program that crashed while it waited, and lost its key, can use its name again.
        """
        lasting = (one for one in self._where.get(key, ()) if one.lasts and one.code)
        party = next(lasting, None)
        return None if party is None else party.players[key]

    def keys(self) -> Collection[str]:
        """The keys of the names of all players that wait at tables, and the texts that identify the tables (`place_of`)."""
        return {*self._where, *(place_of(table) for table in self._parties)}

    def alone(self, session: Session) -> WaitingTable | None:
        """
        The public table for a quick match at which a player waits without other players. `None`: there is no such table,
        or the player waits at several tables.
        """
        parties = self._where.get(session.key, ())
        if len(parties) != 1 or parties[0].slow or parties[0].code or len(parties[0].players) > 1:
            return None
        return WaitingTable(*parties[0].queue.key, self._seen(parties[0]))

    def others(self, session: Session) -> int | None:
        """The number of other players at the last table that a player has joined; `None`: the player waits at no table."""
        parties = self._where.get(session.key)
        return None if not parties else len(parties[-1].players) - 1

    def waiting(self, queue: Queue) -> list[OpenTable]:
        """
        The public tables of a queue, the oldest first, at most `LISTED`. Tables for quick matches with an absent player
        are left out. Tables that are not listed can be joined by their numbers.
        """
        public = (party for party in self._public() if party.queue == queue)
        parties = (party for party in public if party.slow or not self._away(party))
        return [self._seen(party) for party in islice(parties, LISTED)]

    def listed(self) -> Mapping[str, list[OpenTable]]:
        """The public tables without a pool, by the name of the game: the oldest first, at most `LISTED` in all."""
        tables: dict[str, list[OpenTable]] = {}
        public = (party for party in self._public() if not party.queue.pool)
        for party in islice(public, LISTED):
            tables.setdefault(party.queue.game.name, []).append(self._seen(party))
        return tables

    def shown(self) -> list[WaitingTable]:
        """The public tables with an empty seat, at most `LISTED`, for the other hosts of a cluster."""
        public = (party for party in self._public() if party.slow or not self._away(party))
        return [WaitingTable(*party.queue.key, self._seen(party)) for party in islice(public, LISTED)]

    def _public(self) -> Iterator[_Party]:
        """The public tables with an empty seat, the oldest first."""
        return (party for party in self._parties.values() if not party.code and not party.full)

    def everybody(self, game: str | None = None) -> list[Session]:
        """All players that wait at tables that do not last; if a game is given, only its players."""
        found = [
            self._registry.sessions.by_key[key]
            for party in self._parties.values()
            if not party.lasts and game in (None, party.queue.game.name)
            for key in party.players
        ]
        return list(dict.fromkeys(found))

    def connected(self) -> list[Session]:
        """The connected players that wait at tables."""
        found = (self._registry.sessions.by_key.get(key) for key in self._where)
        return [session for session in found if session is not None and session.player is not None]

    # -- the host starts and stops

    def restore(self, games: Mapping[str, Game[Any, Any]], found: Iterable[OpenedTable]) -> int:
        """
        Take over open tables of an earlier run, or of another host. A table is dropped if its match cannot begin any more.

        :returns: how many tables wait now
        """
        now = self._wall()
        for one in found:
            slow = MOVE_DAYS in one.settings
            game = games.get(one.game)
            # The seconds for which the table still waits. The computer's clock may have been set back meanwhile.
            left = self._patience(slow) - max(0.0, now - one.since / 1000)
            # A seat is given up if a connected player uses its player's name now.
            names = {key_of(player.name): player for player in one.players}
            free = {key: player for key, player in names.items() if key not in self._registry.sessions.by_key}
            if one.table in self._parties:
                continue
            if left <= 0 or not free or game is None or not _can_begin(game, one):
                if left > 0:  # it has not simply waited too long
                    self.log.warn("table {table} does not wait any more", table=one.table)
                self._journal.drop_opened(one.table, lambda: None)
                continue
            address = rate_limit_key(one.players[0].address)
            party = _Party(
                one.table,
                Queue(game),
                one.seats,
                settings=one.settings,
                code=one.code,
                address=address,
                since=one.since,
                players=free,
                reversed=one.reversed,
                lasts=True,
                slow=slow,
                asked=one.asked,
                played=one.played,
            )
            self._add(party, left)
            if slow:
                # All seats may be taken already, if the host could begin no match when the last player came.
                self._begin_if_all_are_here(party)
        return len(self._parties)

    def halt(self) -> None:
        """Cancel the timers that close tables, because the host stops. The lasting tables remain in the journal."""
        self._soon.stop()
        for party in self._parties.values():
            party.too_long.stop()


def _can_begin(game: Game[Any, Any], opened: OpenedTable) -> bool:
    """Whether a match can begin at a table from the journal. An earlier release may have allowed other settings."""
    try:
        checked_settings(game, opened.settings)
    except BadOption:
        return False
    return game.least_seats <= opened.seats <= game.most_seats
