"""
The lobby: the queues of the games, and the tables.

The wires call the lobby for their players: to log in, to find opponents for a game, and to leave. In a new match, the
player that has waited longest gets the first seat. All wires share the queue of a game, unless a wire has its own pool.
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
    The lobby of a host: logs players in, puts them into queues and open tables, and begins their matches.

    :param settings: the host's settings for matches of each game, by the game's name
    :param house_rules: when house players join; by default never
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
    #: The queues in which a match could begin, but has to wait because of the limit on the rate of new matches.
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
    #: The most days that a slow match may allow for a move, and the seconds after a start in which none ends by time.
    slow_days: int = 14
    slow_after_start: float = 43_200.0
    _limits: Limits = field(init=False, factory=Limits)
    _shared: dict[str, Any] = field(init=False, factory=dict, repr=False)
    #: The reason why nobody can log in now; `None`: players can log in.
    closed: str | None = None
    #: The reason why the host is full, so that no new tables begin; `None`: it is not full.
    no_room: str | None = None
    #: The reason why the owner lets no new matches begin, for example before a stop; `None`: matches can begin.
    draining: str | None = None
    #: Games of which no new matches begin, because of a fault: by name, the reason.
    closed_games: dict[str, str] = field(init=False, factory=dict)
    _stopping: bool = False

    log = Logger()

    def __attrs_post_init__(self) -> None:
        """
        Make the parts of the lobby, and connect them. A part gets functions of another part, so that it need not know it.
        Some attributes are set later, because two parts need each other.
        """
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
        """The slow matches of this host. The first call loads the module for them, which many hosts never need."""
        if self.slow is None:
            from gamehost.lobby.slow import SlowMatches

            self.slow = SlowMatches(self.context, self.registry, self.own, self.seats.games, lambda: self.seats.uptime)
            self.change(self._limits)  # gives the host's limits to the new part
            self.directory.slow = self.slow.tables.get
            # From now on, slow matches reserve names too, not only open tables.
            opened, slow = self.waiting_tables.record_of, self.slow.record_of
            self.registry.waits = lambda key: opened(key) or slow(key)
        return self.slow

    @property
    def no_tables(self) -> str | None:
        """The reason why no new tables can begin now; `None`: they can."""
        return self.draining or self.no_room

    def why_no_match(self, game: str) -> str | None:
        """The reason why no match of a game can begin now; `None`: it can."""
        return self.no_tables or self.closed_games.get(game)

    def close_game(self, game: str, why: str) -> None:
        """Let no new matches of a game begin, and send the reason to its waiting players. Running matches continue."""
        self.closed_games[game] = why
        # The matches of all remote games begin in another part of the lobby, which has its own waiting players.
        if game == REMOTE.name:
            self.remote.drain(self.draining or why)
        for session in [*self.queues.everybody(game), *self.waiting_tables.everybody(game)]:
            self._end_waiting(NoNewMatches(why), session)

    def open_game(self, game: str) -> bool:
        """Let matches of a game begin again. Returns `False` if the game was not closed."""
        opened = self.closed_games.pop(game, None) is not None
        if opened and game == REMOTE.name:
            self.remote.drain(self.draining)  # matches begin again (`None`), unless the whole host is draining
        self.waiting_tables.look_again(game)
        return opened

    def _no_house_match(self, game: str) -> str | None:
        """The reason why no match of a game can begin with house players now; `None`: it can."""
        return self._no_match() or self.closed_games.get(game)

    def _no_match(self) -> str | None:
        """The reason why no match with house players or of a remote game can begin now; `None`: it can."""
        return "the host is stopping" if self._stopping else self.closed or self.no_tables

    @property
    def grace(self) -> float:
        return self.context.grace

    def change(self, limits: Limits) -> None:
        """Use these limits from now on, in all parts of the lobby. `Limits.unlimited` switches most limits off."""
        most, any_number = limits.most, limits.unlimited
        self.waiting_tables.most = most("open_tables")
        self.waiting_tables.patience = limits.open_table_seconds
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
            self.slow.limits = limits
            self.slow.days = self.slow_days
            self.slow.grace = self.slow_after_start

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
        Log a guest in, with a new session or its earlier one. See `SessionRegistry.enter` for the other parameters.

        :param name: a text may be `NAME` or `NAME:KEY`; with the same key, the guest can come back later
        :param strict: whether the wire has no keys
        :param issued: a key that the host has made for this guest
        :param given: whether the host has chosen the name
        :param typed: whether the text may have the letters of a display name
        :raises NameRefused: the name is not allowed, or another player has it now; or the host is busy
        """

        # Trying names shows which ones belong to accounts, so the tries of an address are limited. They are not limited on
        # a wire without keys, and not for a name that the host has chosen.
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
                self.stop_waiting(session)  # the old connection waited for opponents, the new one does not yet
            return self._let_in(session, displaced)
        except NameRefused as refusal:
            # The refusal shows that the name belongs to an account, or that a key is wrong. After too many of them, the
            # address gets one general answer. A wire without keys always gets the real one.
            if refusal.reveals and not strict and not self.login_service.may_be_told(address):
                refusal = NameRefused(NameFault.TAKEN, TOO_MANY_TRIED)
            refusal = self.seats.explained(refusal)
            self.log_ins.refused(wire, "guest", address, str(refusal))
            raise refusal from None

    def name_for(self, text: str) -> str:
        """
        Find a free name for a guest of a wire that takes any text as a name: the text without forbidden characters, perhaps
        with a number, or otherwise a name such as `guest.7`. No session and no reserved seat has it. The caller passes it to
        `enter`, with `given` if it is of the last kind.
        """
        return self.names.like(mended(text)).text

    def name_instead(self, text: str, refusal: NameRefused) -> str:
        """A similar name that would be accepted instead of a refused one, from `NewNames.instead`; empty: there is none."""
        return self.names.instead(text, refusal)

    def enter_as(
        self, text: str, wire: str, address: str, player: Player[Any, Any], issued: IssuedKey | None = None
    ) -> Session:
        """
        Log a guest in under a free name that is similar to any text, for a wire that takes any text as a name.

        :param issued: a key that the host has made for this guest
        :raises NameRefused: the name is banned, or the host is busy
        """
        wanted = mended(text)
        # Checked before a similar name is found: otherwise a banned player would get its name with a number.
        if wanted and (refusal := self._refusal(name_of(wanted))) is not None:
            raise refusal
        name = self.names.like(wanted)
        # A name such as `guest.7` comes from the host. It is of a kind that guests cannot choose.
        return self.enter(name, wire, address, player, issued=issued, given=name.text.startswith(GUEST))

    def take_back(self, name: str, key: str, wire: str, address: str, player: Player[Any, Any]) -> Session | None:
        """
        Log a guest in again that shows the host's key for its reserved seat. The player gets the seat by calls of `seated`
        and `Back`, at once or when the table has been loaded.

        :returns: `None`: no seat is reserved under this name, so nobody was logged in
        :raises NameRefused: the key is wrong, or the host is busy
        """
        if not self.registry.has_seat(key_of(name)):
            return None
        # `given`: the name may be one that the host has chosen, such as `guest.7`.
        session = self.enter(name, wire, address, player, issued=IssuedKey(key, shown=True), given=True)
        if self.reconnect(session):
            return session
        # The seat was lost during the log-in, so the log-in is undone.
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
        Log an account in. If no account has the name, this makes a new account with this name and password.

        If the account is logged in on another connection, that connection loses the session, and is informed.

        :param answer: called once, now or later: with the session, or with the reason for the refusal
        :param strong: `True` for a wire of the host's own: a new account needs a strong password, and its name may have the
            letters of a display name, such as accents. `False` for a documented wire
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
        Log an account in without its password, with a key from `RememberedLogins` that its device has stored.

        :param answer: called once, now or later, as by `log_in`
        :returns: the attempt, which the caller cancels if its client disconnects before the answer
        """
        service, shown = self.login_service, name_of(name)
        judged = partial(self._judged, shown, wire, address, player, answer)
        attempt = LoginAttempt(shown, rate_limit_key(address), b"", judged)  # without a password

        def checked(login: RememberedLogin | None) -> None:
            """Answer the client; `None` as the log-in: the key is wrong, too old or revoked."""
            # The account is read again: it may have been deleted while the key was checked.
            account = service.accounts.find(shown.key)
            if attempt.over:
                return  # cancelled: the client has disconnected
            attempt.over = True
            if account is not None and login is not None:
                judged(shown.spelled(account.name, account.shown))
            else:
                # An address with too many refused log-ins does not learn whether the account exists.
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
        """Answer a log-in that the service has accepted (`verdict` is the name) or refused: make the session, or refuse."""
        try:
            # Checked again: the host may have closed, or the name been banned, while the password was checked.
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
        """Log and count a refused log-in to an account, and answer the client with the reason."""
        self.log_ins.refused(wire, "account", address, reason)
        answer(LoginRefused(reason))

    def own_account(self, session: Session) -> OwnAccount | None:
        """The account of a session's player; `None`: the player is a guest, or its account was deleted."""
        account = self.login_service.accounts.find(session.key) if session.account else None
        return None if account is None else OwnAccount(account, self.login_service, self.context.journal)

    def _refusal(self, name: Name) -> NameRefused | None:
        """The refusal of a log-in under this name, if the host is closed or the name is banned; otherwise `None`."""
        if self.closed is not None:
            return NameRefused(NameFault.BUSY, self.closed)
        ban = self.bans.of_name(name)
        return None if ban is None else NameRefused(NameFault.INVALID, ban.words)

    def _let_in(self, session: Session, displaced: Player[Any, Any] | None) -> Session:
        """
        Finish the log-in of a session, and inform `displaced`, the player that had this session until now.

        :raises NameRefused: no new tables can begin, so only players with a seat may log in
        """
        if displaced is None and self.no_tables is not None and session.table_id is None:
            self.registry.forget(session)
            raise NameRefused(NameFault.BUSY, self.no_tables)
        self.seats.load(session)  # if the player's table sleeps, it is loaded from now on
        self.registry.membership.entered(session)
        self.log_ins.accepted(session, displaced is not None)
        if displaced is not None:
            displaced.deliver(Displaced())
        return session

    def give_up(self, session: Session) -> None:
        """Give up the seat of an absent player, as `Seats.give_up` does; when the host is stopping, do nothing."""
        if not self._stopping:
            self.seats.give_up(session)

    def leave(self, session: Session, player: Player[Any, Any]) -> None:
        """
        Log a player out that has disconnected: reserve its seat in a match, or, without a seat, remove it from queues.

        If a newer connection has taken the session, `player` is not its player any more, and this does nothing.
        """
        if session.player is not player or self._stopping:
            return
        if session.house:
            self.house.lost(session, player)  # its program is started again
            return
        session.player = None
        session.away_since = self.context.clock.seconds()
        table = session.table_id
        words = (
            "log-out: {name} on {wire}" if table is None else "disconnected: {name} on {wire}, seated at table {table}"
        )
        self.log.info(words, name=session.name, wire=session.wire, table=table)
        # A player without a seat loses its session, and with it the name.
        if not self.seats.disconnect(session):
            self.stop_waiting(session)
            self.registry.forget(session)
            self.waiting_tables.cannot_come(session, "is not here any more")
        # A seat at an open table that lasts is reserved in both cases.
        self.waiting_tables.disconnect(session)

    # -- to a table

    def shared(self, wire: str, new: Callable[[], S]) -> S:
        """The object that all connections of a wire share, on all ports. The first call for a wire makes it with `new`."""
        if wire not in self._shared:
            self._shared[wire] = new()
        shared: S = self._shared[wire]
        return shared

    def new_match_id(self) -> str:
        """
        Make an id of 24 hex digits for a match that is about to begin: the number of its table, and a random number.

        The caller puts the id at the beginning of `Session.note`, and the table's number into `Session.number`.
        `MatchDirectory.find` then finds the match by its id, as long as its record is stored.
        """
        return f"{self.context.journal.new_table():012x}{self.below(2**48):012x}"

    def show_match(self, table: TableId, waits: bool) -> None:
        """Inform the other hosts of a cluster that a match with this number waits here for players, or waits no longer."""
        if waits:
            self.registry.membership.keep(place_of(table))
        else:
            self.registry.membership.give_up(place_of(table))

    def play(self, session: Session, queue: Queue, wish: Seat | None = None) -> bool:
        """
        Give a connected player its reserved seat; otherwise begin a match with players that wait in the queue, or let the
        player wait there. The player gets a seat by a call of its `seated`.

        :param wish: the seat that the player wants in a game of two; `None`: any
        :returns: whether there is a seat; `False`: the player waits in the queue, or was refused
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
        # If a contest has planned this match, no house player joins it, and the contest is informed of the arrival.
        reserved = self.queues.reservation(queue.key, session)
        if reserved is None:
            self.house.waits(session, queue.game, wish, in_queue=True, unasked=True)
        begun = self._match(queue, session)
        if reserved is not None and not begun:
            reserved.waits(session.name)
        return begun

    def _match(self, queue: Queue, session: Session) -> bool:
        """Begin a match of a player in a queue if enough others wait and may begin one now. Returns whether it has begun."""
        # Find opponents with addresses that may begin a match now. `waits`: after how many seconds that may succeed, if
        # only the limit on new matches prevents it.
        waits = self.new_matches.seconds_until(session.address)
        players = None
        if not waits:
            held_up: list[float] = []  # the same for each opponent that had to be passed over

            def may_begin(other: Session) -> bool:
                """Whether a match with this opponent may begin now. The wait for an address at its limit is noted."""
                if session.number is not None and other.number is not None:
                    return False  # a match has only one number
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
        # Begin the match, with the settings of the contest if it was planned by one.
        reserved = self.queues.reservation(queue.key, session)
        for one in players:
            self.stop_waiting(one)
        self.new_matches.begin(one.address for one in players)
        self._begin(queue.game, None if reserved is None else reserved.settings, players)
        if reserved is not None and session.table_id is not None:  # no table: a fault has stopped the match at once
            reserved.begins(session.table_id)
        return True

    def meet(self, players: Sequence[Session], queue: Queue) -> bool:
        """
        Begin a match of two players, given in the order of the seats. One of them waits in this queue, and the other one
        has asked for this opponent by name. Returns `False` if the match cannot begin now.
        """
        waiting = self.queues.waiting.get(queue.key, ())
        if self._stopping or self.no_tables is not None or not any(one in waiting for one in players):
            return False
        # The address of one of them has begun too many matches lately.
        if any(self.new_matches.seconds_until(one.address) for one in players):
            return False
        # A contest has planned a match for one of them, with certain opponents.
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
        held_up, self._held_up = self._held_up, {}  # `_match` adds the queues that have to wait once more
        for queue in held_up.values():
            # A copy, because each match takes players out of the queue. So a later player may have a match already.
            for session in self.queues.waiting.get(queue.key, ())[:]:
                if session in self.queues.waiting.get(queue.key, ()):
                    self._match(queue, session)
        self.remote.match_again()

    def _begin(self, game: Game[Any, Any], settings: Settings | None, players: Sequence[Session]) -> None:
        """Begin a match of these players; `None` as the settings: with the host's settings for the game."""
        settings = self.settings.get(game.name, {}) if settings is None else settings
        # The wire may have told one player the match's id before the match, and with it the number of the table.
        number = next((one.number for one in players if one.number is not None), None)
        self._seat(game, number or self.context.journal.new_table(), settings, players)

    def _seat(self, game: Game[Any, Any], number: TableId, settings: Settings, players: Sequence[Session]) -> None:
        """Begin a match at the table with this number. Rematches for which its players were asked are cancelled."""
        self.seats.open(game, number, settings, players)
        for one in players:
            self.waiting_tables.cannot_come(one, "plays another match")

    def reconnect(self, session: Session) -> bool:
        return self.seats.take(session)

    def below(self, limit: int) -> int:
        """A random number from 0 to `limit` - 1 that cannot be guessed."""
        return self.context.rng(limit)

    def stop_waiting(self, session: Session) -> None:
        """Remove a player from its queue, and from the open tables that do not last. The player need not wait anywhere."""
        self.waiting_tables.leave(session)
        self.queues.leave(session)
        self.house.waits_no_longer(session)

    def withdraw(self, session: Session) -> None:
        """Remove a player from all queues and open tables, also from tables that last."""
        self.stop_waiting(session)
        self.waiting_tables.withdraw(session.key)

    def goes_on_waiting(self, session: Session) -> bool:
        """
        Continue the waiting of a player that has logged in: at each of its open tables, the match begins, or the player
        receives the table's state. Returns whether the player waits at a table now.
        """
        waits = self.waiting_tables.returns(session)
        # If the player waits alone at a public table, a house player may join it after a while.
        own = self.waiting_tables.alone(session)
        found = None if own is None else self.invitation(own.table.table, "")
        if found is not None and session.table_id is None:
            self.house.waits(session, found[0], None, in_queue=False, unasked=True)
        return waits

    def tell_tables(self, session: Session) -> None:
        """Send a player the state of the lasting tables where it has a seat."""
        self.waiting_tables.tell_again(session)

    def may_seek(self, session: Session) -> bool:
        """Whether a player may look for opponents: it waits nowhere, or only at tables that last."""
        return not (self.queues.has(session) or self.waiting_tables.waits_briefly(session))

    def give_up_table(self, session: Session, table: TableId | None, done: Callable[[TableId], None]) -> bool:
        """Give up a player's seat at a lasting open table, as `OpenTables.give_up` does."""
        given_up = self.waiting_tables.give_up(session, table, done)
        # A player that waits in a queue as well may still be joined by a house player there.
        if given_up and not self.queues.has(session):
            self.house.waits_no_longer(session)
        return given_up

    def waits_alone(self, session: Session) -> bool:
        """Whether a player waits at one public table that has no other players, and at no other table."""
        return self.waiting_tables.alone(session) is not None

    def waits_at_table(self, session: Session) -> bool:
        return self.waiting_tables.waits(session)

    def _end_waiting(self, event: NoNewMatches | Unmatched, session: Session) -> None:
        """Remove a player from where it waits, and send it the reason, which is the event."""
        self.stop_waiting(session)
        if session.player is not None:
            session.player.deliver(event)

    def settings_for(self, queue: Queue, settings: Mapping[str, str]) -> Settings:
        """
        The complete settings of a match: the host's settings for the game, with the given ones on top.

        :raises BadOption: a setting is unknown, or its value cannot be used
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
        Open a table with `seats` seats. The player waits there until others join by the table's number.

        :param settings: on top of the host's settings for this game; with a `code`, the match is private and not listed
        :param wish: the seat that the player wants in a game of two; `None`: the first
        :raises TooManyTables: the address has too many waiting tables or new matches, or no new tables can begin now
        """
        refusal = self.why_no_match(queue.game.name) or self.new_matches.refusal(session.address)
        if refusal is not None:
            raise TooManyTables(refusal)
        settings = {**self.settings.get(queue.game.name, {}), **settings}
        opened = self.waiting_tables.open(session, queue, seats, settings, wish == 1, terms)
        self.new_matches.begin([session.address])  # each open table counts as a new match
        # House players do not play slow matches. At a private table they join only on request.
        if MOVE_DAYS not in settings:
            self.house.waits(session, queue.game, wish, in_queue=False, unasked=not opened.code)
        return opened

    def join(self, session: Session, queue: Queue, table: TableId, code: str = "") -> None:
        """
        Give a player a seat at an open table, and inform all players of the table, this one included. The match begins when
        the last seat is taken.

        :param code: of a private table; empty: the table is public
        :raises NoSuchTable: no table of this number waits for players, or it has another code
        :raises CannotJoin: all seats are taken, or this player has one of them already
        :raises TableFull: all seats are taken, and the match has begun or is about to begin
        :raises NeedsAccount: the match is to be rated, and this player is a guest
        """
        # The last seat was taken a moment ago, so the number is that of a match now: a better answer than "no such table".
        running = self.tables.get(table)
        if running is not None and running.game is queue.game and running.starting:
            raise TableFull("all seats of this table are taken")
        slow = self.waiting_tables.is_slow(table)
        self.waiting_tables.join(session, queue, table, code)
        # The match has not begun, so the player waits, and house players may fill the table.
        if session.table_id is None and not slow:
            self.house.waits(session, queue.game, None, in_queue=False, unasked=not code)

    def waiting(self, queue: Queue) -> list[OpenTable]:
        """The public tables of a queue that wait at this host, as listed by `OpenTables.waiting`."""
        return self.waiting_tables.waiting(queue)

    def waiting_elsewhere(self, queue: Queue) -> list[OpenTable]:
        """The public tables of a queue at the other hosts of a cluster. To join one, a player is sent to its host first."""
        shown = (one for page in self.registry.membership.pages for one in page.tables)
        return [one.table for one in shown if (one.game, one.pool) == queue.key]

    def invitation(self, table: TableId, code: str) -> tuple[Game[Any, Any], OpenTable] | None:
        """The open table with this number and its game; `None`: there is none, or it is private with another code."""
        return self.waiting_tables.find(table, code)

    def ask_rematch(self, session: Session, played: Played, table: TableId) -> None:
        """Inform the other players of a match that this player waits at an open table for the rematch."""
        others = [one for one in played.players(self.registry.get) if one is not None and one is not session]
        self.waiting_tables.ask(table, played.table, session, others)

    def not_here(self, played: Played) -> list[str]:
        """The names of a match's players that no session at this host has."""
        return [name for name in played.names if self.registry.get(name) is None]

    def why_no_rematch(self, session: Session, played: Played) -> str | None:
        """The reason why the other players of a match cannot be asked for a rematch now; `None`: they can."""
        for name, one in zip(played.names, map(self.registry.get, played.names), strict=True):
            if one is session:
                continue
            if one is None or one.player is None or one.last_table is None:
                return f"{name} is not here any more"
            # `last_table` is the current match, or else the last one. In both cases it must be the match in question.
            if one.table_id is not None or one.last_table != played.table:
                return f"{name} {'plays' if one.table_id is not None else 'has played'} another match"
            if one.wire != session.wire:
                return f"{name} cannot be asked on that wire"
        return None

    def say(self, played: Played | None, phrase: str, said: int) -> str | None:
        """
        Send a fixed phrase, such as a greeting, to all players of a match, the sender included. Players on wires without
        such a message are skipped.

        :param played: the current or the last match of the sender
        :param phrase: a key of `PHRASES`
        :param said: how many phrases the sender has sent in this match already
        :returns: the reason why the phrase is not sent; `None`: it is sent
        """
        if played is None:
            return "you have played no match on this connection"
        if phrase not in PHRASES:
            return f"expected one of the phrases {', '.join(PHRASES)}"
        if said >= MOST_PHRASES:
            return "you have said enough in this match"
        # The display name is in the session. A sender without one is shown under its plain name.
        sender = self.registry.get(name := played.names[played.seat])
        words = Said(played.table, played.seat, name if sender is None else sender.shown, phrase)
        for one in played.players(self.registry.get):
            if one is not None and one.player is not None and not one.house and one.wire in TALKING_WIRES:
                one.player.deliver(words)
        return None

    # -- the host starts and stops

    def restore(self, games: Mapping[str, Game[Any, Any]], found: Iterable[UnfinishedTable]) -> int:
        """Take over unfinished tables, as `Seats.restore` does, and end remote games. Returns how many can continue."""
        self.directory.finished.games = {*games, REMOTE.name}
        self.seats.games.update(games)
        # Three filters, one in another: remote games are ended, slow matches are taken over, the seats get the rest.
        count = self.seats.restore(games, self._but_slow(self.remote.restore(found, games)))
        return count + (0 if self.slow is None else len(self.slow))

    def _but_slow(self, found: Iterable[UnfinishedTable]) -> Iterator[UnfinishedTable]:
        """Yield the tables that are not slow. Take over the slow ones meanwhile, in small groups to save memory."""
        for slow, some in groupby(found, lambda one: one.opening.slow is not None):
            while slow and (these := list(islice(some, 500))):
                self.slow_matches().restore(these)
            yield from some  # nothing is left of a group of slow tables

    def restore_opened(self, found: Iterable[OpenedTable]) -> int:
        """Take over open tables that waited in an earlier run, or at another host. Returns how many wait now."""
        return self.waiting_tables.restore(self.seats.games, found)

    def drain(self, why: str | None) -> None:
        """Let no new matches begin, and send the reason to all waiting players; `None`: let matches begin again."""
        self.draining = why
        self.remote.drain(why or self.closed_games.get(REMOTE.name))
        if why is not None:
            for session in [*self.queues.everybody(), *self.waiting_tables.everybody()]:
                self._end_waiting(NoNewMatches(why), session)
        else:
            self.waiting_tables.look_again()

    def close(self) -> None:
        """End the lobby, because the host stops: stop all clocks. Later disconnections are ignored, so all seats remain."""
        self._stopping = True
        self.login_service.close()
        for part in (self.waiting_tables, self.queues, self.new_matches, self.house, self.directory, self.seats):
            part.halt()
        self.remote.halt()
        if self.slow is not None:
            self.slow.halt()
