"""
The lobby: who waits for which game, and which tables run.

Everybody comes through here, from whatever wire: in by name, to a table by game, out again. The first who waits has the
first seat. Wires of one game share its queue, unless a wire wants tables of its own.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import Factory, define, field
from twisted.logger import Logger

from gamehost.accounts.bans import Bans
from gamehost.accounts.login import LoginAttempt, LoginOutcome, LoginRefused, LoginService
from gamehost.accounts.names import NameFault, NameRefused
from gamehost.games.base import Game, Seat
from gamehost.journal.records import SeatRecord, TableHeader, TableId, UnfinishedTable
from gamehost.lobby.house import HousePlayers, HouseRules
from gamehost.lobby.log_ins import LogIns
from gamehost.lobby.new_matches import NewMatches
from gamehost.lobby.questions import Questions
from gamehost.lobby.queues import OpenTables, Queue, Queues, TableFull, TooManyTables, WaitingTime, checked_settings
from gamehost.lobby.remote_games import RemoteGames
from gamehost.lobby.seats import Seats
from gamehost.lobby.sessions import TOO_MANY_TRIED, IssuedKey, Session, SessionRegistry
from gamehost.lobby.watching import Directory, Spectators, who_waits
from gamehost.settings import Settings
from gamehost.tables.context import TableContext
from gamehost.tables.gallery import Galleries
from gamehost.tables.interfaces import Displaced, NoNewMatches, OpenTable, Player, Unmatched
from gamehost.tables.table import Table


@define(eq=False)
class Lobby:
    """
    The players of a host, and where they are.

    :param context: what the tables share
    :param registry: who is here
    :param settings: of each game, by its name
    :param open_tables: tables that one address may have waiting for players; `None`: any number
    :param open_seconds: how many seconds a table waits
    :param login_service: where accounts log in
    :param galleries: where matches are watched
    :param sleeping_tables: sleeping tables of one address; `None`: any number
    :param house_rules: which house players there are; by default none
    :param bans: the names that may not log in
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
    sleeping_tables: int | None = field(default=None, kw_only=True)
    house_rules: HouseRules = field(factory=HouseRules, kw_only=True)
    bans: Bans = field(factory=Bans, kw_only=True)
    _queues: Queues = field(init=False, default=Factory(lambda self: Queues(self.registry.membership), takes_self=True))
    _waiting_times: WaitingTime = field(
        init=False,
        default=Factory(
            lambda self: WaitingTime(self.context.clock, partial(self._end_waiting, Unmatched())), takes_self=True
        ),
    )
    waiting_tables: OpenTables = field(
        init=False, default=Factory(lambda self: self._new_open_tables(), takes_self=True)
    )
    #: How often matches begin.
    new_matches: NewMatches = field(
        init=False, default=Factory(lambda self: NewMatches(self.context.clock, self._match_again), takes_self=True)
    )
    #: The queues in which somebody has to wait because of that.
    _held_up: dict[tuple[str, str], Queue] = field(init=False, factory=dict)
    #: The host's own players.
    house: HousePlayers = field(init=False, default=Factory(lambda self: self._new_house(), takes_self=True))
    #: Who sits where.
    seats: Seats = field(init=False, default=Factory(lambda self: self._new_seats(), takes_self=True))
    #: Games of remote masters.
    remote: RemoteGames = field(init=False, default=Factory(lambda self: self._new_remote(), takes_self=True))
    #: Those who are not players: they watch matches, and look at the board.
    spectators: Spectators = field(init=False, default=Factory(lambda self: self._new_spectators(), takes_self=True))
    #: Who is here, what is played and who waits.
    directory: Directory = field(init=False, default=Factory(lambda self: self._new_directory(), takes_self=True))
    log_ins: LogIns = field(init=False, default=Factory(lambda self: LogIns(self.registry.membership), takes_self=True))
    #: Why nobody can log in now; `None`: everybody can.
    closed: str | None = None
    #: Why there is no room for new tables; `None`: there is.
    no_room: str | None = None
    #: Why no new matches begin while the host drains; `None`: it does not.
    draining: str | None = None
    _stopping: bool = False

    log = Logger()

    @property
    def tables(self) -> Mapping[TableId, Table[Any, Any]]:
        """The tables in play."""
        return self.seats.tables

    @property
    def no_tables(self) -> str | None:
        """Why no new tables can begin now; `None`: they can."""
        return self.draining or self.no_room

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
        given: bool = False,
    ) -> Session:
        """
        Log a guest in.

        :param name: the name, or `NAME:KEY`; the key is needed to come back
        :param strict: the wire's document has no keys
        :param issued: a key that the host has made
        :param given: whether the host has chosen the name
        :raises NameRefused: the name cannot be, or is somebody else's now; or the host is busy
        """
        with self.log_ins.of_guest(wire, address):
            if (reason := self._refused(name.partition(":")[0])) is not None:
                raise reason

            def may_try() -> bool:
                return strict or given or self.login_service.may_try_name(address)

            try:
                session, displaced = self.registry.enter(name, wire, address, player, strict, issued, given, may_try)
            except NameRefused as refusal:
                if refusal.reveals and not strict and not self.login_service.may_be_told(address):
                    raise NameRefused(NameFault.TAKEN, TOO_MANY_TRIED) from None
                raise self.seats.explained(refusal) from None
            if self.no_tables is not None and session.table_id is None and displaced is None:
                self.registry.forget(session)
                raise NameRefused(NameFault.BUSY, self.no_tables)
        self.seats.load(session)
        self.log_ins.accepted(session, displaced is not None)
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
        strong: bool = False,
    ) -> LoginAttempt | None:
        """
        Log an account in; a name that nobody has becomes one.

        A player who has the account's session until now is told, and has it no more.

        :param answer: called once, at once or later: with the session, or why there is none
        :param strong: whether a new account needs a strong password
        """
        answer = self.log_ins.of_account(wire, address, answer)

        def judged(verdict: LoginOutcome) -> None:
            if (refusal := self._refused(name)) is not None:
                verdict = LoginRefused(str(refusal))
            answer(verdict if isinstance(verdict, LoginRefused) else self._let_in(verdict, wire, address, player))

        if (refusal := self._refused(name)) is not None:
            answer(LoginRefused(str(refusal)))
            return None
        return self.login_service.log_in(name, password, address, judged, self.no_tables, strong)

    def _refused(self, name: str) -> NameRefused | None:
        if self.closed is not None:
            return NameRefused(NameFault.BUSY, self.closed)
        ban = self.bans.of_name(name)
        return None if ban is None else NameRefused(NameFault.INVALID, ban.words)

    def _let_in(self, name: str, wire: str, address: str, player: Player[Any, Any]) -> Session | LoginRefused:
        try:
            session, displaced = self.registry.enter_account(name, wire, address, player)
        except NameRefused as refusal:
            return LoginRefused(str(self.seats.explained(refusal)))
        if self.no_tables is not None and session.table_id is None and displaced is None:
            self.registry.forget(session)
            return LoginRefused(self.no_tables)
        self.seats.load(session)
        self.log_ins.accepted(session, displaced is not None)
        if displaced is not None:
            displaced.deliver(Displaced())
        return session

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
        if self.draining is not None:
            self._end_waiting(NoNewMatches(self.draining), session)
            return False
        if not self._queues.join(queue.key, session, wish):
            return False  # a place that an earlier connection of the same account took
        session.required = queue.required
        self._waiting_times.start(session)
        self.house.waits(session, queue.game, wish, in_queue=True, unasked=True)
        return self._match(queue, session)

    def _match(self, queue: Queue, session: Session) -> bool:
        """Begin a match of a player in a queue, if there are others. Those stay whose address has begun too many just now."""
        waits = self.new_matches.seconds_until(session.address)
        players = None
        if not waits:
            held_up: list[float] = []

            def may_begin(other: Session) -> bool:
                if seconds := self.new_matches.seconds_until(other.address):
                    held_up.append(seconds)
                return not seconds

            players = self._queues.match(queue.key, session, queue.game.least_seats, may_begin)
            waits = min(held_up, default=0.0)
        if players is None and waits:
            self._held_up[queue.key] = queue
            self.new_matches.wait(waits)
        if players is None or self.no_tables is not None:
            return False
        for one in players:
            self.stop_waiting(one)
        self.new_matches.begin(one.address for one in players)
        self._open(queue.game, self.context.journal.new_table(), self.settings.get(queue.game.name, {}), players)
        return True

    def _match_again(self) -> None:
        """Some time has passed: players who had to wait may begin matches now."""
        held_up, self._held_up = self._held_up, {}
        for queue in held_up.values():
            for session in self._queues.waiting.get(queue.key, ())[:]:
                if session in self._queues.waiting.get(queue.key, ()):
                    self._match(queue, session)
        self.remote.match_again()

    def reconnect(self, session: Session) -> bool:
        """
        Have a present player take the seat that is kept for them; `False`: there is none.

        If the table sleeps, the player gets the seat when it has been loaded.
        """
        return self.seats.take(session)

    def below(self, limit: int) -> int:
        """A random number from 0 to `limit` - 1 that nobody can guess."""
        return self.context.rng(limit)

    def stop_waiting(self, session: Session) -> None:
        """Have a player wait no longer, in a queue or at an open table. Nothing happens to one who does not wait."""
        self.waiting_tables.leave(session)
        self._queues.leave(session)
        self._waiting_times.stop(session)
        self.house.waits_no_longer(session)

    def _end_waiting(self, event: NoNewMatches | Unmatched, session: Session) -> None:
        self.stop_waiting(session)
        if session.player is not None:
            session.player.deliver(event)

    def drain(self, why: str | None) -> None:
        """Begin no new matches, and tell all who wait for one why. `None`: begin new ones again."""
        self.draining = why
        self.remote.drain(why)
        if why is not None:
            for session in [*self._queues.everybody(), *self.waiting_tables.everybody()]:
                self._end_waiting(NoNewMatches(why), session)

    def settings_for(self, queue: Queue, settings: Mapping[str, str]) -> Settings:
        """
        The settings of a match: these, on top of the host's own for the game.

        :raises BadOption: one is unknown or cannot be used
        """
        return checked_settings(queue.game, {**self.settings.get(queue.game.name, {}), **settings})

    def open_table(
        self, session: Session, queue: Queue, seats: int, settings: Mapping[str, str], wish: Seat | None = None
    ) -> OpenTable:
        """
        Have a player wait at a table of their own, for so many players in all, until others join it by its number.

        :param settings: on top of the host's own for this game; with a `code`, the table is listed nowhere
        :param wish: the seat that the player wants in a game of two; `None`: the first
        :raises TooManyTables: so many from this address wait already, or have begun just now, or the host has no room
        """
        if self.no_tables is not None:
            raise TooManyTables(self.no_tables)
        if (refusal := self.new_matches.refusal(session.address)) is not None:
            raise TooManyTables(refusal)
        settings = {**self.settings.get(queue.game.name, {}), **settings}
        opened = self.waiting_tables.open(session, queue.game, queue.pool, seats, settings, wish == 1)
        self.new_matches.begin([session.address])
        self.house.waits(session, queue.game, wish, in_queue=False, unasked="code" not in settings)
        return opened

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
        self.waiting_tables.join(session, queue.game, queue.pool, table, code)
        if session.table_id is None:
            self.house.waits(session, queue.game, None, in_queue=False, unasked=not code)

    def waiting(self, queue: Queue) -> list[OpenTable]:
        """The open tables of a game, the oldest first, and no more than are of use to anybody."""
        return self.waiting_tables.waiting(queue.game, queue.pool)

    def _new_seats(self) -> Seats:
        return Seats(self.context, self.registry, self.sleeping_tables, self.house)

    def _new_remote(self) -> RemoteGames:
        def refuses() -> bool:
            return bool(self._stopping or self.closed or self.no_tables)

        return RemoteGames(self.context, self.settings, refuses, self.new_matches)

    def _new_spectators(self) -> Spectators:
        waits = partial(who_waits, self._queues.waiting, self.waiting_tables)
        questions = Questions(self.context.clock, self.context.scheduler)
        return Spectators(self.context, self.seats, self.galleries, waits, questions)

    def _new_directory(self) -> Directory:
        return Directory(self.registry, self.spectators.tables, self.galleries, self.spectators.board.who_waits)

    def _new_house(self) -> HousePlayers:
        def begin(game: Game[Any, Any], settings: Settings | None, players: Sequence[Session]) -> None:
            settings = self.settings.get(game.name, {}) if settings is None else settings
            self._open(game, self.context.journal.new_table(), settings, players)

        return HousePlayers(
            *(self.house_rules, self.context.clock, self.registry, self.waiting_tables),
            *(begin, self.stop_waiting),
            lambda: "the host is stopping" if self._stopping else self.closed or self.no_tables,
            lambda session: self.seats.disconnect(session),
            lambda *replaced: self.seats.replace(*replaced),
            self.new_matches,
        )

    def _new_open_tables(self) -> OpenTables:
        new_table = self.context.journal.new_table
        return OpenTables(self.context.clock, new_table, self._open, self.open_tables, self.open_seconds)

    def give_up(self, session: Session) -> None:
        """
        Give up the seat of an absent player, who has shown that it is theirs; the name is free then.

        Nothing happens if the seat was taken back, or the match has ended.
        """
        if not self._stopping:
            self.seats.give_up(session)

    def leave(self, session: Session, player: Player[Any, Any]) -> None:
        """
        A player is gone, by a lost connection or on purpose. A seat at a table is kept; anything else is given up.

        Nothing happens if somebody else has the session by now.
        """
        if session.player is not player or self._stopping:
            return
        if session.house:
            self.house.lost(session, player)
            return
        session.player = None
        session.away_since = self.context.clock.seconds()
        table = session.table_id
        words = (
            "log-out: {name} on {wire}" if table is None else "disconnected: {name} on {wire}, seated at table {table}"
        )
        self.log.info(words, name=session.name, wire=session.wire, table=table)
        if not self.seats.disconnect(session):
            self.stop_waiting(session)
            self.registry.forget(session)

    def _open(self, game: Game[Any, Any], number: TableId, settings: Settings, sessions: Sequence[Session]) -> None:
        complete = dict(settings)
        for one in sessions:
            complete |= one.required
            self.house.waits_no_longer(one)
        seats = tuple(SeatRecord(one.name, one.wire, one.address, one.account, one.key_digest) for one in sessions)
        opening = TableHeader(game.name, game.version, seats, complete)
        players = [one.player for one in sessions if one.player is not None]
        table = Table.prepare(self.context, number, game, opening, self.seats.ended, self.seats.left)
        self.seats.keep(table, sessions)
        names = ", ".join(f"{one.name} ({one.wire})" for one in sessions)
        self.log.info("table {table}: {game} begins: {players}", table=number, game=game.name, players=names)
        self.context.counts.begun[game.name] += 1
        table.open(opening, players)

    def close(self) -> None:
        """The host stops: all clocks stand still, and whoever is gone from now on has not left."""
        self._stopping = True
        self.login_service.close()
        self.waiting_tables.halt()
        self._waiting_times.halt()
        self.new_matches.halt()
        self.house.halt()
        self.spectators.halt()
        self.seats.halt()
        self.remote.halt()

    def restore(self, games: Mapping[str, Game[Any, Any]], found: Iterable[UnfinishedTable]) -> int:
        """
        Take over the tables of an earlier run of the host: they sleep until one of their players comes back.

        :returns: how many there are
        """
        return self.seats.sleeping.restore(games, self.remote.restore(found, games))
