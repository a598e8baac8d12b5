"""The directory of a host's matches: current ones, finished ones, waiting players, and the history of each match."""

from collections.abc import Callable, Coroutine, Hashable, Mapping, Sequence
from functools import partial
from heapq import nsmallest
from itertools import count
from typing import Any, TypeGuard

from attrs import define, field, frozen
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from gamehost.accounts.names import key_of
from gamehost.games.base import Game
from gamehost.journal.records import FinishedMatch, TableId, TableRecord, settings_to_show
from gamehost.journal.replay import MANY, History, beginning, history_in_steps, shown_after
from gamehost.lobby.board import Board
from gamehost.lobby.finished import FinishedMatches
from gamehost.lobby.lists import LISTED, Page, Person, Waiting, WaitingByGame, waiting_everywhere
from gamehost.lobby.opened import OpenTables
from gamehost.lobby.played import PlayedTables
from gamehost.lobby.questions import Found, NotAnswered, Questions, Work
from gamehost.lobby.queues import same_code
from gamehost.lobby.seats import Seats
from gamehost.lobby.sessions import Session, SessionRegistry
from gamehost.tables.context import TableContext
from gamehost.tables.gallery import Encoder, Galleries, Watcher, WatchRefused
from gamehost.tables.interfaces import Audience, Look, OpenTable, WatchableTable


def waiting_players(queues: Mapping[tuple[str, str], Sequence[Session]], tables: OpenTables) -> WaitingByGame:
    """
    The players that wait in queues and at public tables. Queues with a pool are left out: the wires of a pool play only
    among themselves.

    :param queues: the waiting sessions, by the name of the game and the pool
    """
    listed = tables.listed()
    waiting = {game: sessions for (game, pool), sessions in queues.items() if not pool}
    return {
        game: Waiting(
            tuple(one.name for one in waiting.get(game, ())[:LISTED]),
            tuple(listed.get(game, ())),
            {one.name: one.identity.shown for one in waiting.get(game, ()) if one.identity.shown},
        )
        for game in sorted({*waiting, *listed})
    }


#: The first letters of the names that the host gives to guests without a name.
GUEST = "guest."


@frozen
class PlayedTable:
    """A running public match, in a list of matches."""

    table: TableId
    game: str
    #: The players by seat, and the wires on which they play.
    names: tuple[str, ...]
    wires: tuple[str, ...]
    watchers: int
    #: The display names of the players that have one, by their names.
    shown_as: Mapping[str, str] = {}


@frozen
class Counts:
    """How busy a host or a cluster is."""

    #: How many matches are running.
    tables: int
    #: How many players are connected.
    people: int
    #: How many players wait for opponents.
    waiting: int
    #: How many matches sleep: all of their players are away. A match continues when one of its players comes back.
    asleep: int = 0


#: The answer for a match without a history. It does not reveal whether a private or sleeping match has the number.
NO_RECORD = "no match of this number is played, and this host has no record of a finished one"
UNREADABLE = "the record of this match cannot be read now"


#: About how many bytes one event of a match takes in memory.
EVENT_BYTES = 512
#: The cache key of all public events of a finished match. Every part of its history is made from these events.
_EVENTS = "events of a finished match"

#: The name of the game, and the history of a match, or the reason why the match has no history.
Told = tuple[str, History[Any] | WatchRefused]


@frozen
class HistoryQuestion:
    """A question for the history of a match. `read` finds the answer; `Questions` calls it when the question's turn comes."""

    #: The cache key: equal for questions with the same answer.
    key: Hashable
    #: Whether the answer is public and never changes.
    lasting: bool
    #: Reads the record of the match, and finds the answer in it.
    read: Callable[[], Coroutine[Any, Any, Told]]


@define(eq=False)
class _Follower:
    """Passes the state and the events of a match to an audience, after a delay in seconds."""

    _audience: Audience[Any]
    _clock: IReactorTime
    _delay: float
    stopped: bool = False

    def shown(self, look: Look[Any]) -> None:
        self._tell(partial(self._audience.shown, look))

    def deliver(self, event: Any, n: int) -> None:
        self._tell(partial(self._audience.deliver, event, n))

    def _tell(self, tell: Callable[[], None]) -> None:
        """Call a function after the delay, unless the following has stopped by then."""
        if self._delay:
            self._clock.callLater(self._delay, self._late, tell)
        else:
            self._late(tell)

    def _late(self, tell: Callable[[], None]) -> None:
        if not self.stopped:
            tell()


@define(eq=False)
class MatchDirectory:
    """
    The public view of a host: its players, its running matches, the queues, the board that lists them, and each match
    by its number.

    :param waiting_here: the players that wait in queues and at public tables of this host
    """

    _context: TableContext
    _registry: SessionRegistry
    _seats: Seats
    _galleries: Galleries
    waiting_here: Callable[[], WaitingByGame]
    questions: Questions = field(init=False)
    #: Finds a slow match by its number if it is in memory.
    slow: Callable[[TableId], WatchableTable | None] = field(init=False, default=lambda table: None)
    played: PlayedTables = field(init=False)
    finished: FinishedMatches = field(init=False)
    board: Board = field(init=False)
    #: The command for people to play on this host in a terminal, such as `nc 127.0.0.1 8888`; empty: there is no port
    #: for them.
    by_hand: str = field(init=False, default="")
    #: The same command for the open wire, which people can use by typing its messages.
    by_program: str = field(init=False, default="")
    #: Whether the history of a finished match shows information that was hidden during the match.
    reveal: bool = field(init=False, default=True)
    _numbers: "count[int]" = field(init=False, factory=lambda: count(1))

    log = Logger()

    def __attrs_post_init__(self) -> None:
        """Make the parts: the questions, the running and the finished matches, and the board."""
        context, clock = self._context, self._context.clock
        self.questions = Questions(clock, context.scheduler)
        self.played = PlayedTables(clock, context.journal, context.slices, self._seats.tables)
        self.finished = FinishedMatches(
            context.journal, clock, context.counts, self.questions.in_slices, self.questions.step_aside
        )
        self.board = Board(clock, self.played, self.waiting, self._galleries)

    def halt(self) -> None:
        """End the board, the following of other hosts' matches, and all questions, because the host stops."""
        self.board.halt()
        self.played.halt()
        self.questions.halt()

    # -- lists

    @property
    def _pages(self) -> Sequence[Page]:
        return self._registry.membership.pages

    def page(self, tables: OpenTables) -> Page:
        """Make the part of this host's directory that is sent to the other hosts of a cluster."""
        waiting, counts = self.waiting_here(), self.counts_here()
        names = {game: one.names for game, one in waiting.items() if one.names}
        return Page(self._people_here(), names, tables.shown(), (counts.people, counts.waiting, counts.asleep))

    def people(self) -> list[Person]:
        """The present players, by name, at most `LISTED`."""
        everybody = [*self._people_here(), *(one for page in self._pages for one in page.people)]
        return nsmallest(LISTED, everybody, key=lambda one: key_of(one.name))

    def waiting(self) -> WaitingByGame:
        """The players that wait in queues and at public tables, by game."""
        return waiting_everywhere(self.waiting_here(), self._pages)

    def _people_here(self) -> list[Person]:
        """
        The first connected players of this host, by name, at most `LISTED`. The number of a private match (with a code) is
        left out.
        """
        present = nsmallest(LISTED, self._registry.present(), key=lambda session: session.key)
        return [
            Person(
                session.name,
                session.wire,
                session.account,
                "" if session.table is None else session.table.game.name,
                None if session.table is None or session.table.code else session.table.id,
                session.identity.shown,
            )
            for session in present
        ]

    def tables(self) -> list[PlayedTable]:
        """The newest public matches, at most `LISTED`, by number."""
        # Somebody looks at the list, so the tables of a cluster's other hosts are read more often from now on.
        self.played.look()
        return [
            PlayedTable(
                table.id,
                table.game.name,
                tuple(table.names),
                tuple(table.wires),
                self.board.watchers(table.id),
                table.shown_as,
            )
            for table in reversed(self.played.newest(LISTED))
        ]

    def kept_table(self, session: Session) -> OpenTable | None:
        """
        The match in which a player has a reserved seat, in the form of an open table that waits only for this player.
        `None`: the player has no reserved seat. While a match is being loaded, its names and settings may be missing.

        :param session: a player that has just logged in
        """
        table = session.table
        if table is not None:
            names, settings = list(table.names), dict(settings_to_show(table.settings))
            if table.code:
                settings["code"] = table.code
        elif session.asleep is not None:
            # The table is being loaded: only its players are known.
            waking = self._registry.waking.get(session.asleep)
            names = ["" if one is None else one.name for one in waking.sessions] if waking else []
            settings = {}
        else:
            return None
        assert session.table_id is not None
        # The player's own seat counts as the empty one, for which the table waits.
        others = tuple(name for seat, name in enumerate(names) if seat != session.seat)
        return OpenTable(session.table_id, len(names), settings, others)

    def counts(self) -> Counts:
        """
        Count the matches, people and waiting players of all hosts. Private matches are counted; players that wait at
        private tables are not.
        """
        self.played.look()
        here = self.counts_here()
        # The zeros are for a host without a cluster: otherwise `zip` would have no columns to add up.
        people, waiting, asleep = (
            sum(column) for column in zip((0, 0, 0), *(one.counts for one in self._pages), strict=True)
        )
        return Counts(len(self.played), here.people + people, here.waiting + waiting, here.asleep + asleep)

    def counts_here(self) -> Counts:
        """Count the matches, people and waiting players of this host alone, as `counts` does for all hosts."""
        here = self.waiting_here().values()
        waiting = sum(len(one.names) + sum(len(table.names) for table in one.tables) for one in here)
        people, asleep = sum(1 for _ in self._registry.present()), len(self._registry.sleeping)
        return Counts(len(self.played.own), people, waiting, asleep)

    def new_guest(self) -> str:
        """Make a name for a guest without one. No session has this name, and no seat is reserved for a player with it."""
        guest = GUEST + self._registry.membership.prefix
        return next(name for number in self._numbers if self._registry.get(name := f"{guest}{number}") is None)

    # -- matches

    def watch(self, table: TableId, watcher: Watcher, encoder: Encoder, code: str = "") -> None:
        """
        Begin to show a match to a watcher: its state first, and then each event.

        :param encoder: makes the bytes that the watcher receives
        :param code: of a private table; empty: the table is public
        :raises WatchRefused: there is no such match, it has another code, or there are too many watchers
        """
        self._galleries.watch(self._found(table, code), watcher, encoder)

    def unwatch(self, table: TableId, watcher: Watcher) -> None:
        self._galleries.unwatch(table, watcher)

    def follow(self, table: TableId, audience: Audience[Any], code: str = "") -> Callable[[], None] | None:
        """
        Pass the state of a match to an audience, and then each event, as objects and not as bytes. All come with the
        delay of the game.

        :param code: of a private table; empty: the table is public
        :returns: a function that ends this; `None`: no such match is running
        """
        try:
            found = self._found(table, code)
        except WatchRefused:
            return None
        follower = _Follower(audience, self._context.clock, self._galleries.delay(found.game.name))
        if not found.watch(follower):
            return None

        def stop() -> None:
            follower.stopped = True  # drops the events that wait for the delay
            found.unwatch(follower)

        return stop

    def find(self, match_id: str, game: Game[Any, Any]) -> Work:
        """
        Make the work, for `Questions`, that finds a match by an id of `Lobby.new_match_id`. The match may be running,
        asleep or finished. The value found is a tuple: the record of the match, its whole `History`, and the number of the
        last entry that is public now. It is `None` if there is no such match.
        """
        # The first 12 hex digits of an id are the number of the table. The record has the whole id, too: at the beginning
        # of the note that the wire has stored with a seat.
        number = int(match_id[:12], 16)

        async def look() -> Found:
            """Find the match with this id and its history; a value of `None`: there is none of this game."""
            # Read the record. `record` is a text if there is no readable record, or if a client has invented an id that no
            # table can have. (The 12 digits have 48 bits. No table has the number 0, or one so large that it needs them all.)
            record = await self.read(TableId(number)) if 0 < number < 2**47 else ""
            # Check that the record is of this game, and has this id in the note of a seat. The rest of the note is the
            # wire's own.
            if isinstance(record, str) or record.opening.game != game.name or record.opening.version != game.version:
                return Found(None)
            seats = range(len(record.opening.seats))
            if not any(same_code(record.opening.note(seat)[: len(match_id)], match_id) for seat in seats):
                return Found(None)
            _, told = await self._replay(game, record, None, None)
            if isinstance(told, WatchRefused):
                return Found(None)
            # With a delay, the last entries of an unfinished match are not public yet. The clock of a sleeping match stands
            # at its last entry.
            known, delay = told.n, self._galleries.delay(game.name)
            if delay and not _is_finished(record) and record.entries:
                played = self.played.get(record.table)
                known = shown_after(record.entries, record.entries[-1].at if played is None else played.now(), delay)
            return Found((record, told, min(known, told.n)))

        return look

    def history(
        self, table: TableId, until: int | None, code: str, games: Mapping[str, Game[Any, Any]]
    ) -> HistoryQuestion:
        """
        Make the question for the public history of a running or finished match.

        :param until: the number of the last entry to include; `None`: the last one of the match, but at most `MANY`.
            The history has only the last `MANY` entries up to this one
        :param code: of a private table; empty: the table is public
        :param games: the games by their names; finished matches of other games have no history
        :raises WatchRefused: there is no such match, or it has another code
        """
        self.played.look()
        if not 0 < table < 2**63:
            raise WatchRefused(NO_RECORD)  # the journal has no such numbers
        played = self.played.get(table)
        # A sleeping match has no public history, and gets the same answer as one that does not exist.
        if self._seats.sleeps(table) or (played is not None and not same_code(played.code, code)):
            raise WatchRefused(NO_RECORD)
        # No such match is running: it may be a finished one.
        if played is None:
            read = partial(self._read_finished, table, MANY if until is None else until, code, games)
            return HistoryQuestion(("finished", table, until, code), not code, read)
        delay = self._galleries.delay(played.game.name)
        if not delay:
            return self._of_played(played, until)
        # With a delay, the answer to the same question changes with time, so it is not cached (`False`).
        read = partial(self._read_played, played, MANY if until is None else until, delay)
        return HistoryQuestion(("delayed", table, until), False, read)

    def own_history(self, table: TableId, until: int | None) -> HistoryQuestion:
        """
        Make the question for the history of a running match that one of its own players asks. It is as `history`, but
        without a delay, and without a code.

        :raises WatchRefused: no such match is running
        """
        played = self.played.own.get(table) or self.slow(table)
        if played is None:
            raise WatchRefused(NO_RECORD)
        return self._of_played(played, until)

    def _of_played(self, played: WatchableTable, until: int | None) -> HistoryQuestion:
        """Make the question for the history of a running match, without a delay."""
        # The events up to an entry never change, also before the end of a match: the answer can be cached.
        known = min(played.n, MANY if until is None else until)
        read = partial(self._read_played, played, known, 0.0)
        return HistoryQuestion(("played", played.id, known), not played.code, read)

    async def _read_finished(self, table: TableId, until: int, code: str, games: Mapping[str, Game[Any, Any]]) -> Told:
        """The history of a finished match up to entry `until`: from the cache, or from the journal."""
        # Only public matches are cached. A cached match may be of a game that this client does not know.
        kept: tuple[str, History[Any]] | None = None if code else self.questions.kept((_EVENTS, table))
        if kept is not None and kept[0] in games:
            return kept[0], beginning(kept[1], until, MANY)
        record = await self.read(table)
        if not _is_finished(record) or not same_code(record.opening.code, code):
            return "", WatchRefused(NO_RECORD)
        game = games.get(record.opening.game)
        if game is None or game.version != record.opening.version:
            return "", WatchRefused("this match was played under rules that this host does not have")
        name, told = await self._replay(game, record, None, None, secrets=self.reveal)
        if isinstance(told, WatchRefused):
            return name, told
        # Cache the events of a public match.
        if not record.opening.code:
            self.questions.keep(
                (_EVENTS, table), Found((name, told), EVENT_BYTES * (1 + len(told.events) + len(told.all_events)))
            )
        return name, beginning(told, until, MANY)

    async def _read_played(self, table: WatchableTable, until: int, delay: float) -> Told:
        """The history of a running match up to entry `until`, or up to the last one that is older than the delay."""
        record = await self.read(table.id)
        if not isinstance(record, TableRecord):
            return table.game.name, WatchRefused(UNREADABLE)
        known = shown_after(record.entries, table.now(), delay) if delay else table.n
        return await self._replay(table.game, record, min(known, table.n, until), MANY)

    def read(self, table: TableId) -> Deferred[TableRecord | str]:
        """
        Read the record of a table. Only the work of a question may call this.

        :returns: fires with the record, or with the reason why it cannot be read
        """
        record: Deferred[TableRecord | str] = Deferred()
        self._context.journal.read(table, record.callback)
        return record

    def match(self, table: TableId) -> Deferred[FinishedMatch | None]:
        """
        Find the finished match with this number. Only the work of a question may call this.

        :returns: fires with the match, or with `None`
        """
        match: Deferred[FinishedMatch | None] = Deferred()
        self._context.journal.match(table, match.callback)
        return match

    async def finished_match(
        self, table: TableId, code: str, games: Mapping[str, Game[Any, Any]]
    ) -> tuple[FinishedMatch, TableRecord, Game[Any, Any]]:
        """
        Find a finished match, its record and its game. Only the work of a question may call this.

        :param code: of a private match; empty: the match is public
        :raises NotAnswered: there is no such match, it has another code, or its rules are not known here
        """
        match = await self.match(table)
        # With a wrong code, the record is not even read, and the answer is that there is no such match.
        record = None if match is None or not same_code(match.opening.code, code) else await self.read(table)
        if match is None or not isinstance(record, TableRecord):
            raise NotAnswered("this host has no record of a finished match of this number")
        game = games.get(match.opening.game)
        if game is None or game.version != match.opening.version:
            raise NotAnswered("this match was played under rules that this host does not have")
        return match, record, game

    async def _replay(
        self, game: Game[Any, Any], record: TableRecord, until: int | None, most: int | None, *, secrets: bool = False
    ) -> Told:
        """
        Replay a record, in slices, to find the history of its match.

        :param until: the number of the last entry to include; `None`: the last one
        :param most: how many entries the history has at most; `None`: all
        :param secrets: whether the history shows what was hidden during the match
        """
        steps = history_in_steps(game, record.opening, record.entries, until, most, secrets=secrets)
        try:
            return game.name, await self.questions.in_slices(steps)
        except Exception:  # a damaged record, or a fault of the game: the client receives only a reason
            self.log.failure("table {table} has no history", table=record.table)
            return game.name, WatchRefused(UNREADABLE)

    def _found(self, table: TableId, code: str) -> WatchableTable:
        """
        Find a running match for a watcher.

        :raises WatchRefused: there is no such match, or it has another code
        """
        self.played.look()
        found = self.played.get(table)
        if found is None or not same_code(found.code, code):
            raise WatchRefused("no match of this number is played")
        return found


def _is_finished(record: TableRecord | str) -> TypeGuard[TableRecord]:
    """Whether this is the record of a match that has a result."""
    return isinstance(record, TableRecord) and bool(record.entries) and record.entries[-1].outcome != ""
