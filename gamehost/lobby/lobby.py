"""
The lobby: who waits for which game, and which tables run.

Everybody comes through here, from whatever wire: in by name, to a table by game, out again. The first who waits has the
first seat. Wires of one game share its queue, unless a wire wants tables of its own.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import Factory, define, field, frozen
from twisted.logger import Logger

from gamehost.accounts.login import LoginAttempt, LoginOutcome, LoginRefused, LoginService
from gamehost.accounts.names import NameFault, NameRefused
from gamehost.games.base import Game, Seat
from gamehost.journal.records import TABLE_SETTINGS, Entry, EntryKind, SeatRecord, TableHeader, TableId, TableRecord
from gamehost.journal.replay import NotFollowed
from gamehost.lobby.board import Board, Spectators, who_waits
from gamehost.lobby.open_tables import OpenTables, TableFull, TooManyTables
from gamehost.lobby.sessions import IssuedKey, Session, SessionRegistry
from gamehost.settings import Settings
from gamehost.tables.context import TableContext
from gamehost.tables.gallery import Galleries
from gamehost.tables.interfaces import Displaced, OpenTable, Player
from gamehost.tables.table import Table


@frozen
class Queue:
    """Where players wait for each other: a game, and the wire's name if it has tables of its own."""

    game: Game[Any, Any]
    pool: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return (self.game.name, self.pool)


@define(eq=False)
class Lobby:
    """
    :param house: what the tables share
    :param roster: who is here
    :param settings: of each game, by its name
    :param desk: where accounts log in
    :param open_tables: tables that one address may have waiting for players; `None`: any number
    :param open_seconds: how long a table waits
    :param galleries: where matches are watched
    """

    context: TableContext
    registry: SessionRegistry
    settings: Mapping[str, Settings] = field(factory=dict)
    open_tables: int | None = None
    open_seconds: float = 600.0
    login_service: LoginService = field(kw_only=True)
    galleries: Galleries = field(
        kw_only=True, default=Factory(lambda self: Galleries(self.context.clock), takes_self=True)
    )
    tables: dict[TableId, Table[Any, Any]] = field(factory=dict)
    _waiting: dict[tuple[str, str], list[Session]] = field(factory=dict)
    #: The seat that somebody who waits in a queue wants.
    _wishes: dict[Session, Seat] = field(factory=dict)
    _seated: dict[TableId, Sequence[Session]] = field(factory=dict)
    _waiting_tables: OpenTables = field(
        init=False, default=Factory(lambda self: self._new_open_tables(), takes_self=True)
    )
    #: Those who are not players: they watch matches, and look at the board.
    spectators: Spectators = field(init=False, default=Factory(lambda self: self._new_spectators(), takes_self=True))

    #: Why nobody can log in now; `None`: everybody can.
    closed: str | None = None
    #: Why no new tables can begin now; `None`: they can.
    no_room: str | None = None
    _stopping: bool = False

    log = Logger()

    @property
    def grace(self) -> float:
        """Seconds for which a lost seat is kept."""
        return self.context.grace

    def enter(
        self,
        name: str,
        wire: str,
        address: str,
        player: Player[Any, Any],
        strict: bool = False,
        issued: IssuedKey | None = None,
    ) -> Session:
        """
        Log a guest in.

        :param name: the name, or `NAME:KEY`; the key is needed to come back
        :param strict: the wire's document has no keys
        :param issued: a key that the host has made
        :raises NameRefused: the name cannot be, or is somebody else's now; or the host is busy
        """
        if self.closed is not None:
            raise NameRefused(NameFault.BUSY, self.closed)
        session, displaced = self.registry.enter(name, wire, address, player, strict, issued)
        if self.no_room is not None and session.table is None and displaced is None:
            self.registry.forget(session)
            raise NameRefused(NameFault.BUSY, self.no_room)
        self._log_entered(session, "a guest" if displaced is None else "a guest who was connected already")
        if displaced is not None:
            self.stop_waiting(session)
            displaced.deliver(Displaced())
        return session

    def log_in(
        self,
        name: str,
        password: str,
        wire: str,
        address: str,
        player: Player[Any, Any],
        answer: Callable[[Session | LoginRefused], None],
    ) -> LoginAttempt | None:
        """
        Log an account in; a name that nobody has becomes one.

        A player who has the account's session until now is told, and has it no more.

        :param answer: called once, at once or later: with the session, or why there is none
        """

        def judged(verdict: LoginOutcome) -> None:
            if self.closed is not None:
                verdict = LoginRefused(self.closed)
            answer(verdict if isinstance(verdict, LoginRefused) else self._let_in(verdict, wire, address, player))

        if self.closed is not None:
            answer(LoginRefused(self.closed))
            return None
        return self.login_service.log_in(name, password, address, judged)

    def _let_in(self, name: str, wire: str, address: str, player: Player[Any, Any]) -> Session | LoginRefused:
        try:
            session, displaced = self.registry.enter_account(name, wire, address, player)
        except NameRefused as refusal:
            return LoginRefused(str(refusal))
        if self.no_room is not None and session.table is None and displaced is None:
            self.registry.forget(session)
            return LoginRefused(self.no_room)
        self._log_entered(session, "an account" if displaced is None else "an account that was connected already")
        if displaced is not None:
            displaced.deliver(Displaced())
        return session

    def _log_entered(self, session: Session, identity: str) -> None:
        seat = "" if session.table is None else f", seated at table {session.table.id}"
        self.log.info(
            "log-in: {name} on {wire} from {address!r} as {identity}{seat}",
            name=session.name,
            wire=session.wire,
            address=session.address,
            identity=identity,
            seat=seat,
        )

    def play(self, session: Session, queue: Queue, wish: Seat | None = None) -> bool:
        """
        Have a present player play: in the seat that is kept for them, or at a new table if another one waits.

        `False`: nobody waits, so this player does now. The chair comes through the player's `seated`.

        :param wish: the seat that the player wants in a game of two; `None`: any
        """
        if self._stopping:
            return False  # the journal takes nothing more, and everybody is about to be told that the host stops
        if self.reconnect(session):
            return True
        waiting = self._waiting.setdefault(queue.key, [])
        if session in waiting:
            return False  # a place that an earlier connection of the same account took
        # Players with the same wish do not meet. All others do, the first one first.
        others = [one for one in waiting if wish is None or self._wishes.get(one) != wish][: queue.game.least_seats - 1]
        waiting.append(session)
        if wish is not None:
            self._wishes[session] = wish
        if len(others) < queue.game.least_seats - 1 or self.no_room is not None:
            return False
        players = [*others, session]
        if wish == 0 or self._wishes.get(others[0]) == 1:
            players.reverse()
        for one in players:
            self.stop_waiting(one)
        self._open(queue.game, self.context.journal.new_table(), self.settings.get(queue.game.name, {}), players)
        return True

    def reconnect(self, session: Session) -> bool:
        """Have a present player take the seat that is kept for them; `False`: there is none."""
        if session.table is None or session.seat is None:
            return False
        assert session.player is not None
        session.table.reconnect(session.seat, session.player)
        return True

    def below(self, limit: int) -> int:
        """A random number from 0 to `limit` - 1 that nobody can guess."""
        return self.context.rng(limit)

    def stop_waiting(self, session: Session) -> None:
        """Have a player wait no longer, in a queue or at an open table. Nothing happens to one who does not wait."""
        self._waiting_tables.leave(session)
        self._wishes.pop(session, None)
        for key, waiting in list(self._waiting.items()):
            if session in waiting:
                waiting.remove(session)
                if not waiting:
                    del self._waiting[key]

    def settings_for(self, queue: Queue, settings: Mapping[str, str]) -> Settings:
        """
        The settings of a match: these, on top of the host's own for the game.

        :raises BadOption: one is unknown or cannot be used
        """
        complete = {**self.settings.get(queue.game.name, {}), **settings}
        queue.game.check({name: text for name, text in complete.items() if name not in TABLE_SETTINGS})
        return complete

    def open_table(
        self, session: Session, queue: Queue, seats: int, settings: Mapping[str, str], wish: Seat | None = None
    ) -> OpenTable:
        """
        Have a player wait at a table of their own, for so many players in all, until others join it by its number.

        :param settings: on top of the host's own for this game; with a `code`, the table is listed nowhere
        :param wish: the seat that the player wants in a game of two; `None`: the first
        :raises TooManyTables: so many from this address wait already, or the host has no room for new tables
        """
        if self.no_room is not None:
            raise TooManyTables(self.no_room)
        settings = {**self.settings.get(queue.game.name, {}), **settings}
        return self._waiting_tables.open(session, queue.game, queue.pool, seats, settings, wish == 1)

    def join(self, session: Session, queue: Queue, table: TableId, code: str = "") -> None:
        """
        Have a player wait at an open table; all who wait there are told, this one included. With the last seat taken
        the match begins.

        :param code: of a private table
        :raises NoSuchTable: no table of this number waits for players, or it has another code
        :raises TableFull: its seats are all taken, and nobody has been told yet that its match begins
        """
        running = self.tables.get(table)
        if running is not None and running.game is queue.game and running.starting:
            raise TableFull("all seats of this table are taken")
        self._waiting_tables.join(session, queue.game, queue.pool, table, code)

    def waiting(self, queue: Queue) -> list[OpenTable]:
        """The open tables of a game, the oldest first, and no more than are of use to anybody."""
        return self._waiting_tables.waiting(queue.game, queue.pool)

    def _new_spectators(self) -> Spectators:
        waiting = partial(who_waits, self._waiting, self._waiting_tables)
        return Spectators(self.tables, self.galleries, Board(self.context.clock, self.tables, waiting))

    def _new_open_tables(self) -> OpenTables:
        new_table = self.context.journal.new_table
        return OpenTables(self.context.clock, new_table, self._open, self.open_tables, self.open_seconds)

    def give_up(self, session: Session) -> None:
        """
        Give up the seat of an absent player, who has shown that it is theirs; the name is free then.

        Nothing happens if the seat was taken back, or the match has ended.
        """
        table, seat = session.table, session.seat
        if session.player is not None or table is None or seat is None or self._stopping:
            return
        session.table = session.seat = None
        self.registry.forget(session)
        table.give_up(seat)

    def leave(self, session: Session, player: Player[Any, Any]) -> None:
        """
        A player is gone, by a lost connection or on purpose. A seat at a table is kept; anything else is given up.

        Nothing happens if somebody else has the session by now.
        """
        if session.player is not player or self._stopping:
            return
        session.player = None
        session.away_since = self.context.clock.seconds()
        if session.table is None:
            self.log.info("log-out: {name} on {wire}", name=session.name, wire=session.wire)
        else:
            self.log.info(
                "disconnected: {name} on {wire}, seated at table {table}",
                name=session.name,
                wire=session.wire,
                table=session.table.id,
            )
        if session.table is not None and session.seat is not None:
            session.table.disconnect(session.seat)
            return
        self.stop_waiting(session)
        self.registry.forget(session)

    def _open(self, game: Game[Any, Any], number: TableId, settings: Settings, sessions: Sequence[Session]) -> None:
        seats = tuple(SeatRecord(one.name, one.wire, one.address, one.account, one.key_digest) for one in sessions)
        opening = TableHeader(game.name, game.version, seats, dict(settings))
        players = [one.player for one in sessions if one.player is not None]
        table = Table.prepare(self.context, number, game, opening, self._table_ended, self._left_table)
        self._keep(table, sessions)
        self.log.info(
            "table {table}: {game} begins: {players}",
            table=number,
            game=game.name,
            players=", ".join(f"{one.name} ({one.wire})" for one in sessions),
        )
        table.open(opening, players)

    def _keep(self, table: Table[Any, Any], sessions: Sequence[Session]) -> None:
        self.tables[table.id] = table
        self._seated[table.id] = sessions
        for seat, session in enumerate(sessions):
            session.table = table
            session.seat = Seat(seat)
            session.match = sessions

    def _table_ended(self, table: Table[Any, Any]) -> None:
        """Free everybody who sat there, before any of them is told so: the first thing they do may be to play again."""
        self.log.info(
            "table {table}: {game} is over: {outcome}",
            table=table.id,
            game=table.game.name,
            outcome=table.outcome or "archived unfinished; nobody is there",
        )
        self.tables.pop(table.id, None)
        for session in self._seated.pop(table.id, []):
            if session.table is not table:
                continue  # this player was told the end before the others, and may be at another table now
            session.table = None
            session.seat = None
            session.match = ()
            if session.player is None:
                self.registry.forget(session)

    def _left_table(self, table: Table[Any, Any], seat: Seat) -> None:
        """Free the one player who is about to be told the end of a match of an earlier life of the host."""
        sessions = self._seated[table.id]
        sessions[seat].table = sessions[seat].seat = None

    def close(self) -> None:
        """The host stops: all clocks stand still, and whoever is gone from now on has not left."""
        self._stopping = True
        self.login_service.close()
        self._waiting_tables.halt()
        self.spectators.board.halt()
        for table in self.tables.values():
            table.halt()

    def restore(self, games: Mapping[str, Game[Any, Any]], records: Iterable[TableRecord]) -> int:
        """
        Lay the tables of an earlier life of the host: asleep, everybody away.

        A table whose record cannot be followed stays out, and is logged; its record is kept. Gives the number of tables.
        """
        for record in records:
            opening = record.opening
            game = games.get(opening.game)
            if not record.entries:
                # Nobody was told of it: the host went down between the two first entries.
                self.context.journal.append(record.table, Entry(EntryKind.ARCHIVED, 0), lambda: None)
            elif game is None or game.version != opening.version:
                self._skipped(record, f"{opening.game} in version {opening.version} is not played here")
            else:
                try:
                    self._restore_one(game, record)
                except NotFollowed as error:
                    self._skipped(record, str(error))
                except Exception as error:  # a fault of one record must not keep the others down
                    self._skipped(record, f"{type(error).__name__}: {error}")
        return len(self.tables)

    def _restore_one(self, game: Game[Any, Any], record: TableRecord) -> None:
        table = Table.prepare(self.context, record.table, game, record.opening, self._table_ended, self._left_table)
        table.restore(record.entries)
        sessions = [
            Session(seat.name, seat.wire, seat.address, seat.account, None, key_digest=seat.key_digest)
            for seat in record.opening.seats
        ]
        for session in sessions:
            self.registry.add(session)
        self._keep(table, sessions)

    def _skipped(self, record: TableRecord, reason: str) -> None:
        self.log.error("table {table} is not resumed: {reason}", table=record.table, reason=reason)
