"""
The lobby: the queues of the games, and the tables.

Players of all wires call the lobby to log in, to find opponents for a game, and to leave. The player that has waited
longest gets the first seat. The wires of one game share its queue, unless a wire wants tables of its own.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import Factory, define, field
from twisted.logger import Logger

from gamehost.accounts.bans import Bans
from gamehost.accounts.login import LoginAttempt, LoginOutcome, LoginRefused, LoginService
from gamehost.accounts.names import (
    Name,
    NameFault,
    NameRefused,
    checked_name,
    key_of,
    mended,
    name_of,
    place_of,
    typed_name,
)
from gamehost.accounts.remembered import RememberedLogin
from gamehost.games.base import MOVE_DAYS, Game, Seat
from gamehost.games.remote.master import REMOTE
from gamehost.journal.records import OpenedTable, TableId, UnfinishedTable
from gamehost.limits import Limits
from gamehost.lobby.directory import GUEST, MatchDirectory, waiting_players
from gamehost.lobby.house import HousePlayers, HouseRules
from gamehost.lobby.log_ins import LogIns
from gamehost.lobby.missed_ends import MissedEnds
from gamehost.lobby.new_names import NewNames
from gamehost.lobby.opened import BRIEF, OpenTables, Terms
from gamehost.lobby.own_account import OwnAccount
from gamehost.lobby.own_matches import OwnMatches
from gamehost.lobby.questions import QuestionLimits
from gamehost.lobby.queues import (
    MOST_PHRASES,
    PHRASES,
    TALKING_WIRES,
    NewMatches,
    Played,
    Queues,
    Said,
    TableFull,
    TooManyTables,
    checked_settings,
)
from gamehost.lobby.rematches import Rematches
from gamehost.lobby.remote_game import RemoteLimits
from gamehost.lobby.remote_games import RemoteGames
from gamehost.lobby.seats import Seats
from gamehost.lobby.sessions import TOO_MANY_TRIED, IssuedKey, Queue, Session, SessionRegistry, split_key
from gamehost.lobby.studies import Studies
from gamehost.rates import rate_limit_key
from gamehost.settings import Settings
from gamehost.tables.context import TableContext
from gamehost.tables.gallery import Galleries
from gamehost.tables.interfaces import Displaced, NoNewMatches, OpenTable, Player, Unmatched
from gamehost.tables.table import Table

if TYPE_CHECKING:
    from gamehost.lobby.slow import SlowMatches

S = TypeVar("S")

_OLD_KEY = "this browser's log-in does not count any more: log in with the password again"


@define(eq=False)
class Lobby:
    """
    The players of a host, and where they are.

    :param settings: of each game, by its name
    :param house_rules: which house players there are; by default none
    """

    context: TableContext
    registry: SessionRegistry
    settings: Mapping[str, Settings] = field(factory=dict)
    login_service: LoginService = field(kw_only=True)
    galleries: Galleries = field(
        kw_only=True, default=Factory(lambda self: Galleries(self.context.clock), takes_self=True)
    )
    house_rules: HouseRules = field(factory=HouseRules, kw_only=True)
    bans: Bans = field(factory=Bans, kw_only=True)
    queues: Queues = field(init=False)
    waiting_tables: OpenTables = field(init=False)
    new_matches: NewMatches = field(init=False)
    #: The queues with a player that has to wait because too many matches begin.
    _held_up: dict[tuple[str, str], Queue] = field(init=False, factory=dict)
    seats: Seats = field(init=False)
    own: OwnMatches = field(init=False)
    rematches: Rematches = field(init=False)
    house: HousePlayers = field(init=False)
    remote: RemoteGames = field(init=False)
    directory: MatchDirectory = field(init=False)
    studies: Studies = field(init=False)
    names: NewNames = field(init=False)
    log_ins: LogIns = field(init=False, factory=LogIns)
    #: `None`: this host has had no slow matches.
    slow: "SlowMatches | None" = field(init=False, default=None)
    #: The most days for a move, and the seconds after a start in which no slow match ends by time.
    slow_days: int = 14
    slow_after_start: float = 43_200.0
    _limits: Limits = field(init=False, factory=Limits)
    _shared: dict[str, Any] = field(init=False, factory=dict, repr=False)
    #: Why nobody can log in now; `None`: everybody can.
    closed: str | None = None
    #: Why there is no room for new tables; `None`: there is.
    no_room: str | None = None
    #: Why no new matches begin while the host drains; `None`: it does not.
    draining: str | None = None
    #: Games of which no matches begin because of a fault, by name, and why.
    closed_games: dict[str, str] = field(init=False, factory=dict)
    _stopping: bool = False

    log = Logger()

    def __attrs_post_init__(self) -> None:
        context, clock, registry = self.context, self.context.clock, self.registry
        self.seats = Seats(context, registry)
        self.own = self.seats.own = OwnMatches(context.journal, context.wall, clock)
        self.seats.ends = MissedEnds(context, registry, self.seats.games)
        self.queues = Queues(clock, registry.membership, partial(self._end_waiting, Unmatched()))
        parts = clock, context.journal, registry, self.own, self._seat, context.wall
        self.waiting_tables = OpenTables(*parts, self.why_no_match, self.slow_matches)
        self.rematches = Rematches(context.journal, self.waiting_tables.rematch)
        registry.waits = self.waiting_tables.record_of
        self.own.waiting_for = self.waiting_tables.waiting_for
        self.seats.freed = self.waiting_tables.freed
        self.new_matches = NewMatches(clock, self._match_again)
        waiting, seats = self.waiting_tables, self.seats
        make = partial(HousePlayers, self.house_rules, clock, registry, waiting, seats, self.new_matches)
        self.house = seats.house = make(begin=self._begin, stop_waiting=self.stop_waiting, refusal=self._no_house_match)
        self.remote = RemoteGames(
            context, self.settings, lambda: self._no_match() is not None, self.new_matches, registry.membership
        )
        waits = partial(waiting_players, self.queues.waiting, self.waiting_tables)
        self.directory = MatchDirectory(context, registry, self.seats, self.galleries, waits)
        self.studies = Studies(self.directory, self.house)
        self.names = NewNames(registry, self.bans, self.directory.new_guest)

    @property
    def tables(self) -> Mapping[TableId, Table[Any, Any]]:
        return self.seats.tables

    def slow_matches(self) -> "SlowMatches":
        """The slow matches of this host. A host that has none has not loaded the rules for them."""
        if self.slow is None:
            from gamehost.lobby.slow import SlowMatches

            self.slow = SlowMatches(self.context, self.registry, self.own, self.seats.games, lambda: self.seats.uptime)
            self.change(self._limits)
            self.directory.slow = self.slow.tables.get
            opened, slow = self.waiting_tables.record_of, self.slow.record_of
            self.registry.waits = lambda key: opened(key) or slow(key)
        return self.slow

    @property
    def no_tables(self) -> str | None:
        """Why no new tables can begin now; `None`: they can."""
        return self.draining or self.no_room

    def why_no_match(self, game: str) -> str | None:
        """Why no match of a game can begin now; `None`: it can."""
        return self.no_tables or self.closed_games.get(game)

    def close_game(self, game: str, why: str) -> None:
        """
        Begin no more matches of a game, and send the reason to all players that wait for one. Matches that have begun
        continue.
        """
        self.closed_games[game] = why
        if game == REMOTE.name:
            self.remote.drain(self.draining or why)
        for session in [*self.queues.everybody(game), *self.waiting_tables.everybody(game)]:
            self._end_waiting(NoNewMatches(why), session)

    def open_game(self, game: str) -> bool:
        """Begin matches of a game again. `False`: it is not closed."""
        opened = self.closed_games.pop(game, None) is not None
        if opened and game == REMOTE.name:
            self.remote.drain(self.draining)
        self.waiting_tables.look_again(game)
        return opened

    def _no_house_match(self, game: str) -> str | None:
        return self._no_match() or self.closed_games.get(game)

    def _no_match(self) -> str | None:
        """Why no match of house players or remote masters can begin now; `None`: it can."""
        return "the host is stopping" if self._stopping else self.closed or self.no_tables

    @property
    def grace(self) -> float:
        return self.context.grace

    def change(self, limits: Limits) -> None:
        most, any_number = limits.most, limits.unlimited
        self.waiting_tables.most, self.waiting_tables.patience = most("open_tables"), limits.open_table_seconds
        self.new_matches.limit(None if any_number else (limits.new_matches_per_second, limits.new_matches_burst))
        self.galleries.limit(most("watchers"), most("watchers_per_address"))
        asked = QuestionLimits(None, None) if any_number else QuestionLimits(per_address=limits.questions_per_address)
        self.directory.questions.limits = asked
        self.seats.most_sleeping = most("sleeping_tables_per_address")
        size = limits.remote_bytes
        self.remote.limits = RemoteLimits(None, None, None, size) if any_number else RemoteLimits(bytes=size)
        self.registry.keyless_wait = limits.keyless_resume_seconds
        self._limits = limits
        if self.slow is not None:
            self.slow.limits, self.slow.days, self.slow.grace = limits, self.slow_days, self.slow_after_start

    # -- in and out

    def comes_back(self, session: Session) -> bool:
        return self.registry.comes_back(session)

    def enter(
        self,
        name: str | Name,
        wire: str,
        address: str,
        player: Player[Any, Any],
        strict: bool = False,
        issued: IssuedKey | None = None,
        given: bool = False,
        typed: bool = False,
    ) -> Session:
        """
        Log a guest in.

        :param name: the name, or `NAME:KEY` as a text; the key is needed to come back
        :param strict: the wire's document has no keys
        :param issued: a key that the host has made
        :param given: whether the host has chosen the name
        :param typed: whether the text may be a display name
        :raises NameRefused: the name is not allowed, or another player has it now; or the host is busy
        """

        def may_try() -> bool:
            return strict or given or self.login_service.may_try_name(address)

        try:
            key_digest = ""
            if isinstance(name, str):
                text, key_digest = (name, "") if strict else split_key(name)
                name = typed_name(text) if typed else checked_name(text)
            if (refusal := self._refusal(name)) is not None:
                raise refusal
            session, displaced = self.registry.enter(
                name, key_digest, wire, address, player, strict=strict, issued=issued, given=given, may_try=may_try
            )
            if displaced is not None:
                self.stop_waiting(session)
            return self._let_in(session, displaced)
        except NameRefused as refusal:
            if refusal.reveals and not strict and not self.login_service.may_be_told(address):
                refusal = NameRefused(NameFault.TAKEN, TOO_MANY_TRIED)
            refusal = self.seats.explained(refusal)
            self.log_ins.refused(wire, "guest", address, str(refusal))
            raise refusal from None

    def name_for(self, text: str) -> str:
        """
        A name that a guest of a wire with free names can have now: this text, mended and unique; otherwise a name that
        the host gives. No session has this name, and no seat is reserved under it. The caller passes it to `enter`,
        with `given` if it is not like the text.
        """
        return self.names.like(mended(text)).text

    def name_instead(self, text: str, refusal: NameRefused) -> str:
        """As of `NewNames.instead`."""
        return self.names.instead(text, refusal)

    def enter_as(
        self, text: str, wire: str, address: str, player: Player[Any, Any], issued: IssuedKey | None = None
    ) -> Session:
        """
        Log in a guest of a protocol that takes any text as a name.

        :param issued: a key that the host has made
        :raises NameRefused: the name is banned, or the host is busy
        """
        wanted = mended(text)
        if wanted and (refusal := self._refusal(name_of(wanted))) is not None:
            raise refusal
        name = self.names.like(wanted)
        return self.enter(name, wire, address, player, issued=issued, given=name.text.startswith(GUEST))

    def take_back(self, name: str, key: str, wire: str, address: str, player: Player[Any, Any]) -> Session | None:
        """
        Let a guest take a seat back by a key that the host has made; `None`: no such seat is reserved.

        The seat comes through `seated` and `Back`, at once or when the table has been loaded.

        :raises NameRefused: the key is wrong, or the host is busy
        """
        if not self.registry.has_seat(key_of(name)):
            return None
        session = self.enter(name, wire, address, player, issued=IssuedKey(key, True), given=True)
        if self.reconnect(session):
            return session
        self.leave(session, player)
        return None

    def log_in(
        self,
        name: str,
        password: str,
        wire: str,
        address: str,
        player: Player[Any, Any],
        answer: Callable[[Session | LoginRefused], None],
        strong: bool = False,
        waits: Callable[[float], None] = lambda seconds: None,
    ) -> LoginAttempt | None:
        """
        Log an account in; a free name becomes an account.

        If another connection has the account's session, it loses the session, and is informed.

        :param answer: called once, at once or later: with the session, or the reason why there is none
        :param strong: whether a new account needs a strong password, and the name may be a display name: wires without
            an outside document set it
        :param waits: called with the approximate number of seconds, each time that the log-in has to wait for others
        """
        try:
            checked = typed_name(name) if strong else checked_name(name)
            if (refusal := self._refusal(checked)) is not None:
                raise refusal
        except NameRefused as refusal:
            reason = self.names.why_refused(name, refusal) if strong else str(refusal)
            self._refuse_account(wire, address, reason, answer)
            return None
        judged = partial(self._judged, checked, wire, address, player, answer)
        return self.login_service.log_in(
            checked, password, address, judged, no_new_account=self.no_tables, strong=strong, waits=waits
        )

    def log_in_by_key(
        self,
        name: str,
        key: str,
        wire: str,
        address: str,
        player: Player[Any, Any],
        answer: Callable[[Session | LoginRefused], None],
    ) -> LoginAttempt | None:
        """
        Log an account in with a key of `RememberedLogins`.

        :param answer: as of `log_in`
        """
        service, shown = self.login_service, name_of(name)
        judged = partial(self._judged, shown, wire, address, player, answer)
        attempt = LoginAttempt(shown, rate_limit_key(address), b"", judged)

        def checked(login: RememberedLogin | None) -> None:
            account = service.accounts.find(shown.key)
            if attempt.over:
                return
            attempt.over = True
            if account is not None and login is not None:
                judged(shown.spelled(account.name, account.shown))
            else:
                judged(LoginRefused(_OLD_KEY if service.may_be_told(address) else TOO_MANY_TRIED))

        account = service.accounts.find(shown.key)
        if account is None:
            checked(None)
        else:
            service.remembered.check(account, key, checked)
        return attempt

    def _judged(
        self,
        name: Name,
        wire: str,
        address: str,
        player: Player[Any, Any],
        answer: Callable[[Session | LoginRefused], None],
        verdict: LoginOutcome,
    ) -> None:
        """The log-in service has accepted or refused a client. Give it the session of its account."""
        try:
            if (refusal := self._refusal(name)) is not None:
                raise refusal
            if isinstance(verdict, LoginRefused):
                self._refuse_account(wire, address, verdict.reason, answer)
                return
            session = self._let_in(*self.registry.enter_account(verdict, wire, address, player))
        except NameRefused as refusal:
            self._refuse_account(wire, address, str(self.seats.explained(refusal)), answer)
            return
        answer(session)

    def _refuse_account(
        self, wire: str, address: str, reason: str, answer: Callable[[Session | LoginRefused], None]
    ) -> None:
        self.log_ins.refused(wire, "account", address, reason)
        answer(LoginRefused(reason))

    def own_account(self, session: Session) -> OwnAccount | None:
        """The account of a session; `None`: it is a guest's, or the account is gone."""
        account = self.login_service.accounts.find(session.key) if session.account else None
        return None if account is None else OwnAccount(account, self.login_service, self.context.journal)

    def _refusal(self, name: Name) -> NameRefused | None:
        if self.closed is not None:
            return NameRefused(NameFault.BUSY, self.closed)
        ban = self.bans.of_name(name)
        return None if ban is None else NameRefused(NameFault.INVALID, ban.words)

    def _let_in(self, session: Session, displaced: Player[Any, Any] | None) -> Session:
        """
        :raises NameRefused: no new tables can begin, and this player has no seat
        """
        if displaced is None and self.no_tables is not None and session.table_id is None:
            self.registry.forget(session)
            raise NameRefused(NameFault.BUSY, self.no_tables)
        self.seats.load(session)
        self.registry.membership.entered(session)
        self.log_ins.accepted(session, displaced is not None)
        if displaced is not None:
            displaced.deliver(Displaced())
        return session

    def give_up(self, session: Session) -> None:
        """See `Seats.give_up`. Nothing happens when the host is stopping."""
        if not self._stopping:
            self.seats.give_up(session)

    def leave(self, session: Session, player: Player[Any, Any]) -> None:
        """
        A player has disconnected or logged out. Its seat in a match is reserved; its places in queues are given up.

        Nothing happens if a newer connection has taken the session.
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
            self.waiting_tables.cannot_come(session, "is not here any more")
        self.waiting_tables.disconnect(session)

    # -- to a table

    def shared(self, wire: str, new: Callable[[], S]) -> S:
        """The shared part of all connections of a wire, on whatever port; `new` makes it for the first one."""
        if wire not in self._shared:
            self._shared[wire] = new()
        shared: S = self._shared[wire]
        return shared

    def new_match_id(self) -> str:
        """
        A new id, of 24 hex digits that cannot be guessed, for a match that is about to begin.

        The caller puts the id at the beginning of `Session.note`, and `table_of` the id into `Session.number`.
        `MatchDirectory.find` then finds the match by the id, as long as its record is stored.
        """
        return f"{self.context.journal.new_table():012x}{self.below(2**48):012x}"

    def show_match(self, table: TableId, waits: bool) -> None:
        """Inform the other hosts of a cluster whether a match with this number waits here for players."""
        if waits:
            self.registry.membership.keep(place_of(table))
        else:
            self.registry.membership.give_up(place_of(table))

    def play(self, session: Session, queue: Queue, wish: Seat | None = None) -> bool:
        """
        Give a present player its reserved seat, or begin a match with a player that waits.

        `False`: no other player waits, so this one is put into the queue. The seat comes through its `seated`.

        :param wish: the seat that the player wants in a game of two; `None`: any
        """
        if self._stopping:
            # the journal accepts no more entries, and all clients are about to receive that the host stops
            return False
        if self.seats.take(session):
            return True
        if (why := self.draining or self.closed_games.get(queue.game.name)) is not None:
            self._end_waiting(NoNewMatches(why), session)
            return False
        if not self.queues.join(queue.key, session, wish):
            return False  # an earlier connection of the same account may have taken a place in a queue
        session.required = queue.required
        reserved = self.queues.reservation(queue.key, session)
        if reserved is None:
            self.house.waits(session, queue.game, wish, in_queue=True, unasked=True)
        begun = self._match(queue, session)
        if reserved is not None and not begun:
            reserved.waits(session.name)
        return begun

    def _match(self, queue: Queue, session: Session) -> bool:
        """
        Begin a match of a player in a queue, if enough others wait. If an address has begun too many matches lately,
        its players remain in the queue.
        """
        # Find opponents with addresses that may begin a match now.
        waits = self.new_matches.seconds_until(session.address)
        players = None
        if not waits:
            held_up: list[float] = []

            def may_begin(other: Session) -> bool:
                if session.number is not None and other.number is not None:
                    return False
                if seconds := self.new_matches.seconds_until(other.address):
                    held_up.append(seconds)
                return not seconds

            players = self.queues.match(queue.key, session, queue.game.least_seats, may_begin)
            waits = min(held_up, default=0.0)
        # If only the rate prevents the match, try again when the rate allows it.
        if players is None and waits:
            self._held_up[queue.key] = queue
            self.new_matches.wait(waits)
        if players is None or self.no_tables is not None:
            return False
        # Begin the match.
        reserved = self.queues.reservation(queue.key, session)
        for one in players:
            self.stop_waiting(one)
        self.new_matches.begin(one.address for one in players)
        self._begin(queue.game, None if reserved is None else reserved.settings, players)
        if reserved is not None and session.table_id is not None:
            reserved.begins(session.table_id)
        return True

    def meet(self, players: Sequence[Session], queue: Queue) -> bool:
        """
        Begin a match of these two players, in the order of the seats. One of them waits in this queue, and the other
        one has asked for this opponent by name. `False`: the match cannot begin now.
        """
        waiting = self.queues.waiting.get(queue.key, ())
        if self._stopping or self.no_tables is not None or not any(one in waiting for one in players):
            return False
        if any(self.new_matches.seconds_until(one.address) for one in players):
            return False
        if any(self.queues.reservation(queue.key, one) is not None for one in players):
            return False
        for one in players:
            self.stop_waiting(one)
            one.required = queue.required
        self.new_matches.begin(one.address for one in players)
        self._begin(queue.game, None, players)
        return True

    def _match_again(self) -> None:
        """Begin matches of players that had to wait because of the rate of new matches."""
        held_up, self._held_up = self._held_up, {}
        for queue in held_up.values():
            for session in self.queues.waiting.get(queue.key, ())[:]:
                if session in self.queues.waiting.get(queue.key, ()):
                    self._match(queue, session)
        self.remote.match_again()

    def _begin(self, game: Game[Any, Any], settings: Settings | None, players: Sequence[Session]) -> None:
        """Begin a match. `None`: with the host's own settings for the game."""
        settings = self.settings.get(game.name, {}) if settings is None else settings
        number = next((one.number for one in players if one.number is not None), None)
        self._seat(game, number or self.context.journal.new_table(), settings, players)

    def _seat(self, game: Game[Any, Any], number: TableId, settings: Settings, players: Sequence[Session]) -> None:
        """Begin a match. If one of its players was asked for a rematch, that rematch is cancelled."""
        self.seats.open(game, number, settings, players)
        for one in players:
            self.waiting_tables.cannot_come(one, "plays another match")

    def reconnect(self, session: Session) -> bool:
        return self.seats.take(session)

    def below(self, limit: int) -> int:
        """A random number from 0 to `limit` - 1 that cannot be guessed."""
        return self.context.rng(limit)

    def stop_waiting(self, session: Session) -> None:
        """Remove a player from its queue, and from open tables that do not last, if it waits there."""
        self.waiting_tables.leave(session)
        self.queues.leave(session)
        self.house.waits_no_longer(session)

    def withdraw(self, session: Session) -> None:
        """Remove a player from all queues and open tables, also from tables that last."""
        self.stop_waiting(session)
        self.waiting_tables.withdraw(session.key)

    def goes_on_waiting(self, session: Session) -> bool:
        """
        A player has logged in. It receives the state of its tables, or a match begins. Returns whether it waits at one.
        """
        waits = self.waiting_tables.returns(session)
        own = self.waiting_tables.alone(session)
        found = None if own is None else self.invitation(own.table.table, "")
        if found is not None and session.table_id is None:
            self.house.waits(session, found[0], None, in_queue=False, unasked=True)
        return waits

    def tell_tables(self, session: Session) -> None:
        """Send a player the state of the lasting tables where the player has a place."""
        self.waiting_tables.tell_again(session)

    def may_seek(self, session: Session) -> bool:
        """Whether a player may look for opponents: it waits nowhere, or only at tables that last."""
        return not (self.queues.has(session) or self.waiting_tables.waits_briefly(session))

    def give_up_table(self, session: Session, table: TableId | None, done: Callable[[TableId], None]) -> bool:
        """As of `OpenTables.give_up`."""
        given_up = self.waiting_tables.give_up(session, table, done)
        if given_up and not self.queues.has(session):
            self.house.waits_no_longer(session)
        return given_up

    def waits_alone(self, session: Session) -> bool:
        """Whether a player waits alone, at one public table and nowhere else."""
        return self.waiting_tables.alone(session) is not None

    def waits_at_table(self, session: Session) -> bool:
        return self.waiting_tables.waits(session)

    def _end_waiting(self, event: NoNewMatches | Unmatched, session: Session) -> None:
        self.stop_waiting(session)
        if session.player is not None:
            session.player.deliver(event)

    def settings_for(self, queue: Queue, settings: Mapping[str, str]) -> Settings:
        """
        The settings of a match: the host's own for the game, changed by the given ones.

        :raises BadOption: one is unknown or cannot be used
        """
        return checked_settings(queue.game, {**self.settings.get(queue.game.name, {}), **settings})

    def open_table(
        self,
        session: Session,
        queue: Queue,
        seats: int,
        settings: Mapping[str, str],
        wish: Seat | None = None,
        terms: Terms = BRIEF,
    ) -> OpenTable:
        """
        Open a table for a number of players in all. The player waits there until others join by the table's number.

        :param settings: on top of the host's own for this game; with a `code`, the match is listed nowhere
        :param wish: the seat that the player wants in a game of two; `None`: the first
        :raises TooManyTables: the address has too many waiting tables or new matches, or the host has no room
        """
        refusal = self.why_no_match(queue.game.name) or self.new_matches.refusal(session.address)
        if refusal is not None:
            raise TooManyTables(refusal)
        settings = {**self.settings.get(queue.game.name, {}), **settings}
        opened = self.waiting_tables.open(session, queue, seats, settings, wish == 1, terms)
        self.new_matches.begin([session.address])
        if MOVE_DAYS not in settings:
            self.house.waits(session, queue.game, wish, in_queue=False, unasked=not opened.code)
        return opened

    def join(self, session: Session, queue: Queue, table: TableId, code: str = "") -> None:
        """
        Let a player wait at an open table. All players of the table, this one included, are informed. The match begins
        when the last seat is taken.

        :param code: of a private table
        :raises NoSuchTable: no table of this number waits for players, or it has another code
        :raises CannotJoin: its seats are all taken, or one of them is this player's
        :raises TableFull: its seats are all taken, and its match is about to begin
        :raises NeedsAccount: its match is to be rated, and this player is a guest
        """
        running = self.tables.get(table)
        if running is not None and running.game is queue.game and running.starting:
            raise TableFull("all seats of this table are taken")
        slow = self.waiting_tables.is_slow(table)
        self.waiting_tables.join(session, queue, table, code)
        if session.table_id is None and not slow:
            self.house.waits(session, queue.game, None, in_queue=False, unasked=not code)

    def waiting(self, queue: Queue) -> list[OpenTable]:
        """The public tables of a game that wait at this host, as of `OpenTables.waiting`."""
        return self.waiting_tables.waiting(queue)

    def waiting_elsewhere(self, queue: Queue) -> list[OpenTable]:
        """The same at the other hosts of a cluster. A player that joins one goes to its home first."""
        shown = (one for page in self.registry.membership.pages for one in page.tables)
        return [one.table for one in shown if (one.game, one.pool) == queue.key]

    def invitation(self, table: TableId, code: str) -> tuple[Game[Any, Any], OpenTable] | None:
        """The open table with this number, and this code if it is private; `None`: there is none."""
        return self.waiting_tables.find(table, code)

    def ask_rematch(self, session: Session, played: Played, table: TableId) -> None:
        """Inform the other players of a match that this player waits at an open table for the rematch."""
        others = [one for one in played.players(self.registry.get) if one is not None and one is not session]
        self.waiting_tables.ask(table, played.table, session, others)

    def not_here(self, played: Played) -> list[str]:
        """The names of a match's players that no session at this host has."""
        return [name for name in played.names if self.registry.get(name) is None]

    def why_no_rematch(self, session: Session, played: Played) -> str | None:
        """Why the other players of a match cannot be asked for a rematch now; `None`: they can."""
        for name, one in zip(played.names, map(self.registry.get, played.names), strict=True):
            if one is session:
                continue
            if one is None or one.player is None or one.last_table is None:
                return f"{name} is not here any more"
            if one.table_id is not None or one.last_table != played.table:
                return f"{name} {'plays' if one.table_id is not None else 'has played'} another match"
            if one.wire != session.wire:
                return f"{name} cannot be asked on that wire"
        return None

    def say(self, played: Played | None, phrase: str, said: int) -> str | None:
        """
        Send a phrase to the players of a match that have wires with words for it, its sender included.

        :param played: the current or the last match of this player
        :param phrase: a key of `PHRASES`
        :param said: how many phrases the player has sent in it
        :returns: the reason why the phrase is not sent; `None`: it is sent
        """
        if played is None:
            return "you have played no match on this connection"
        if phrase not in PHRASES:
            return f"expected one of the phrases {', '.join(PHRASES)}"
        if said >= MOST_PHRASES:
            return "you have said enough in this match"
        sender = self.registry.get(name := played.names[played.seat])
        words = Said(played.table, played.seat, name if sender is None else sender.shown, phrase)
        for one in played.players(self.registry.get):
            if one is not None and one.player is not None and not one.house and one.wire in TALKING_WIRES:
                one.player.deliver(words)
        return None

    # -- the host starts and stops

    def restore(self, games: Mapping[str, Game[Any, Any]], found: Iterable[UnfinishedTable]) -> int:
        """As of `Seats`; and close the games of remote masters."""
        self.directory.finished.games = {*games, REMOTE.name}
        self.seats.games.update(games)
        count = self.seats.restore(games, self._but_slow(self.remote.restore(found, games)))
        return count + (0 if self.slow is None else len(self.slow))

    def _but_slow(self, found: Iterable[UnfinishedTable]) -> Iterator[UnfinishedTable]:
        """The tables that are not slow. Slow ones are taken over in small groups, to save memory."""
        for slow, some in groupby(found, lambda one: one.opening.slow is not None):
            while slow and (these := list(islice(some, 500))):
                self.slow_matches().restore(these)
            yield from some

    def restore_opened(self, found: Iterable[OpenedTable]) -> int:
        """Take over tables that waited in an earlier run, or at another host. Returns how many wait."""
        return self.waiting_tables.restore(self.seats.games, found)

    def drain(self, why: str | None) -> None:
        """Begin no new matches, and send the reason to the players that wait. `None`: begin matches again."""
        self.draining = why
        self.remote.drain(why or self.closed_games.get(REMOTE.name))
        if why is not None:
            for session in [*self.queues.everybody(), *self.waiting_tables.everybody()]:
                self._end_waiting(NoNewMatches(why), session)
        else:
            self.waiting_tables.look_again()

    def close(self) -> None:
        """The host stops. All clocks stop, and a player that disconnects from now on keeps its seat."""
        self._stopping = True
        self.login_service.close()
        for part in (self.waiting_tables, self.queues, self.new_matches, self.house, self.directory, self.seats):
            part.halt()
        self.remote.halt()
        if self.slow is not None:
            self.slow.halt()
