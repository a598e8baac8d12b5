"""
Remote games: their types, the players that wait for them, and their masters. A master is a program elsewhere that knows
the rules.

Each type of game has one master at most: a connection that has registered for this type. Players wait in the pool of the
type; the one that has waited longest is the first. A game begins as soon as enough players wait. If the master's
connection is lost, its games wait for a new master for some time.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import Factory, define, evolve, field
from twisted.logger import Logger

from gamehost._twisted import Timer
from gamehost.accounts.names import place_of
from gamehost.games.base import Cause, Game, Seat
from gamehost.games.remote.master import REMOTE
from gamehost.journal.records import (
    CHAMPIONSHIP,
    Entry,
    EntryKind,
    Journal,
    SeatRecord,
    TableHeader,
    TableId,
    TableRecord,
    UnfinishedTable,
)
from gamehost.lobby.championship import RECORD, ChampionshipRecords, ChampionshipRun, Opener
from gamehost.lobby.membership import Membership
from gamehost.lobby.queues import NewMatches
from gamehost.lobby.remote_game import MasterLink, RemoteGame, RemoteLimits, RemotePlayer, RemoteSeat, RemoteTable
from gamehost.rates import AddressCounts
from gamehost.settings import Settings, seconds, setting
from gamehost.tables.context import Phase, TableContext
from gamehost.tables.interfaces import NoNewMatches
from gamehost.tables.table import Table

_TYPE = re.compile(r"[\w \-.:]{1,64}")
_ID = re.compile(r"([1-9][0-9]{0,17})(?:\.([1-9][0-9]{0,8}))?", re.ASCII)


class TypeTaken(Exception):
    """Raised if a master wants to register for a type of game that has a master already."""


class TooManyMasters(Exception):
    """Raised if a master wants to register, but a limit on the number of masters is reached."""


class NeverGiven(Exception):
    """Raised if a master has sent the id of a game that it never received."""


def is_game_type(text: str) -> bool:
    """Whether this can be a type of game: 1 to 64 letters, digits, spaces, `_`, `-`, `.` and `:`."""
    return _TYPE.fullmatch(text) is not None


@define(eq=False)
class GameType:
    """A type of remote game: its waiting players, its master and its running games."""

    #: The name of the type, spelled as by its master, or by its first player if there was no master yet.
    title: str
    #: The waiting players, the one that has waited longest first.
    waiting: list[RemotePlayer] = field(factory=list)
    master: "Master | None" = None
    games: dict[TableId, RemoteGame] = field(factory=dict)
    #: Ends the time for which the games wait for a new master.
    timer: Timer = field(factory=Timer)

    @property
    def idle(self) -> bool:
        return not (self.waiting or self.games or self.master)


@define(eq=False)
class Master:
    """
    A master that has registered for a type of game.

    :param least: the fewest players with which a game begins
    :param most: the most players of a game
    :param games: the most games at once; `None`: any number
    :param quiet: whether the master receives no message when a player leaves
    :param hang_up: closes the connection of the master, with a reason
    """

    id: str
    address: str
    link: MasterLink
    least: int
    most: int
    games: int | None
    quiet: bool
    hang_up: Callable[[str], None]
    kind: GameType = field(init=False)
    #: The highest number of a game that this master has received.
    highest: int = 0
    #: How many games, one after the other, have ended because this master did not answer.
    unanswered: int = 0

    def game(self, game_id: str | None) -> RemoteGame | None:
        """
        Find the game that a message of this master names. The id `17` is the game with this number. `17.2` is the same game
        for the second master that receives it, after the first one was lost.

        :param game_id: `None`: the master means its only game
        :returns: `None`: the game is over, or this master knows it by a newer id
        :raises NeverGiven: the master never received such a game, or `None` is not clear because it has several games
        """
        games = self.kind.games
        if game_id is None:
            if len(games) > 1:
                raise NeverGiven
            return next(iter(games.values()), None)
        found = _ID.fullmatch(game_id)
        if found is None:
            raise NeverGiven
        # `telling`: the number of the master, in the order in which they came, that has this id.
        number, telling = int(found[1]), int(found[2] or 1)
        game = games.get(TableId(number))
        if game is None:
            if number > self.highest:
                raise NeverGiven
            return None  # it is over
        # The game has had fewer masters, or the id ends with `.1`, which the host never writes.
        if telling > game.masters_told or (found[2] is not None and telling == 1):
            raise NeverGiven
        return game if telling == game.masters_told else None


#: How many types of games are stored. Above this number, types without masters and players are dropped.
KNOWN = 1_000
#: A master is disconnected if it has not answered in this number of games, one after the other.
UNANSWERED = 3


@define(eq=False)
class RemoteGames:
    """
    All remote games of a host, and its championship if there is one. Brings players and masters together.

    :param settings: the host's settings for each game, by the game's name
    :param refuses: returns whether no game may begin now
    :param membership: is informed of the types that are played here, for other hosts of a cluster
    """

    _lobby_context: TableContext
    settings: Mapping[str, Settings]
    _refuses: Callable[[], bool]
    _new_matches: NewMatches
    _membership: Membership = field(factory=Membership)
    limits: RemoteLimits = field(factory=RemoteLimits)
    #: By the names of the types in lower case. The one that was used longest ago is the first.
    types: OrderedDict[str, GameType] = field(factory=OrderedDict)
    #: How many masters each address has.
    _per_address: AddressCounts = field(factory=AddressCounts)
    _stopped: bool = False
    #: The reason why no more games begin; `None`: games can begin.
    _draining: str | None = None
    #: The context of the tables: the lobby's, but without a grace time, so that the seat of a lost player is not reserved.
    _context: TableContext = field(
        init=False, default=Factory(lambda self: evolve(self._lobby_context, grace=0.0), takes_self=True)
    )
    #: The championship of this host; `None`: there is none. With a championship, no other remote games are played.
    championship: ChampionshipRun | None = None
    _records: ChampionshipRecords = field(
        init=False, default=Factory(lambda self: ChampionshipRecords(self._lobby_context), takes_self=True)
    )
    #: How many records of an earlier run of the host are being read.
    _reading: int = 0

    log = Logger()

    def __attrs_post_init__(self) -> None:
        self._context.counting = self._lobby_context.counting = self._records.counting

    def _option(self, name: str, default: float) -> float:
        """Read a setting of remote games, in seconds."""
        return setting(self.settings.get(REMOTE.name, {}), name, default, seconds)

    # -- types

    def knows(self, game_type: str) -> bool:
        """Whether a master has registered for this type since the start, or players wait for it."""
        return game_type.casefold() in self.types

    def place_of(self, game_type: str) -> str:
        """
        The key under which a cluster knows the home of a type: the host where its players and masters meet. With a
        championship, it is the key of the championship.
        """
        if self.championship is not None:
            return place_of("championship", self.championship.game_type.casefold())
        return place_of("remote", game_type.casefold())

    def play_here(self, game_type: str) -> None:
        """Make this host of a cluster the home of a type, as long as the type is known here."""
        self._membership.keep(self.place_of(game_type))

    def type_of(self, game_type: str) -> GameType:
        """The `GameType` with this name, which is made if it is not known yet."""
        key = game_type.casefold()
        kind = self.types.setdefault(key, GameType(game_type))
        self.types.move_to_end(key)
        # Too many types: drop the one that was used longest ago, of those without a master, players or games.
        if len(self.types) > KNOWN:
            idle = next((old for old, one in self.types.items() if one.idle and old != key), None)
            if idle is not None:
                del self.types[idle]
                self._membership.give_up(place_of("remote", idle))
        return kind

    # -- masters

    @property
    def masters(self) -> int:
        return sum(self._per_address.values())

    def register(self, game_type: str, master: Master) -> None:
        """
        Register a master for a type of game. It receives no game before `meet`.

        :raises TypeTaken: another master is registered for this type
        :raises TooManyMasters: a limit on the number of masters is reached
        """
        kind = self.types.get(game_type.casefold())
        if kind is not None and kind.master is not None:
            raise TypeTaken
        limits, here = self.limits, self._per_address.of(master.address)
        if limits.masters is not None and self.masters >= limits.masters:
            raise TooManyMasters
        if limits.masters_per_address is not None and here >= limits.masters_per_address:
            raise TooManyMasters
        kind = self.type_of(game_type)
        kind.title = game_type  # as this master spells it
        kind.master = master
        master.kind = kind
        self._per_address.enter(master.address)
        self.log.info(
            "master {id!r} from {address!r} rules {type}", id=master.id, address=master.address, type=game_type
        )
        kind.timer.stop()  # games of an earlier master do not wait any more

    def meet(self, master: Master) -> None:
        """
        Send a new master the games that wait for a master, and begin new ones. Called after the client has received that its
        registration is accepted.
        """
        kind = master.kind
        for game in list(kind.games.values()):
            master.highest = max(master.highest, game.number)
            game.meet(master.link)
        self.match(kind)

    def lose(self, master: Master) -> None:
        """Note that the connection of a master is lost. Its games wait for the next master for some time."""
        kind = master.kind
        if kind.master is not master:
            return  # it was lost before
        kind.master = None
        self._per_address.leave(master.address)
        if self._stopped:
            return
        self.log.info("master {id!r} of {type} is gone", id=master.id, type=kind.title)
        for game in list(kind.games.values()):
            game.lose_master()
        if kind.games:
            grace = self._option("master_grace", 20.0)
            kind.timer.set(self._context.clock, grace, self._give_up, kind)

    def _give_up(self, kind: GameType) -> None:
        # The time for a new master is over.
        for game in list(kind.games.values()):
            game.give_up()

    # -- players

    def wait(self, kind: GameType, player: RemotePlayer) -> None:
        """Put a player into the pool of a type, or into the championship, and begin a game if that is possible now."""
        if self._draining is not None:
            player.deliver(NoNewMatches(self._draining))
        elif self.championship is not None:
            self.championship.wait(player)
        else:
            kind.waiting.append(player)
            self.match(kind)

    def stop_waiting(self, kind: GameType, player: RemotePlayer) -> None:
        """Remove a player from its pool, or from the championship. The player need not wait there."""
        if self.championship is not None and player.session is not None:
            self.championship.leave(player.session.name)
        if player in kind.waiting:
            kind.waiting.remove(player)

    def drain(self, why: str | None) -> None:
        """Let no more games begin, and send the reason to all waiting players; `None`: let games begin again."""
        self._draining = why
        # Let each player wait anew: `wait` then sends the reason, or puts the player into the pool again.
        for kind in self.types.values():
            waiting, kind.waiting = kind.waiting, []
            for player in waiting:
                self.wait(kind, player)

    @property
    def count(self) -> int:
        return sum(len(kind.games) for kind in self.types.values())

    def match(self, kind: GameType) -> None:
        """Begin games of a type, as long as enough players wait and the limits allow it."""
        if self.championship is not None:
            self.championship.go_on()
            return
        while (master := kind.master) is not None and len(kind.waiting) >= master.least:
            if not self._can_open(kind):
                return
            # Players with addresses that have begun too many matches lately are passed over.
            waits = [self._new_matches.seconds_until(_address_of(player)) for player in kind.waiting]
            players = [one for one, wait in zip(kind.waiting, waits, strict=True) if not wait][: master.most]
            if len(players) < master.least:
                # Some player was passed over: try again when the first of them may play.
                self._new_matches.wait(min(filter(None, waits)))
                return
            kind.waiting = [one for one in kind.waiting if one not in players]
            self._new_matches.begin(map(_address_of, players))
            self.open(kind, players)

    def match_again(self) -> None:
        """
        Try again to begin games of each type for which players wait. Called when a player may play that had to wait
        because too many matches were begun from its address lately.
        """
        for kind in list(self.types.values()):
            if kind.waiting:
                self.match(kind)

    def _can_open(self, kind: GameType) -> bool:
        """Whether a game of this type can begin now: it has a master, and no limit prevents it."""
        master = kind.master
        if master is None or self._stopped or self._refuses():
            return False
        return master.games is None or len(kind.games) < master.games

    def open(self, kind: GameType, players: Sequence[RemotePlayer], championship: TableId | None = None) -> RemoteGame:
        """
        Begin a game of these players, which were taken out of the pool before.

        :param championship: the number of the championship in which the result counts; `None`: in none
        """
        master, journal = kind.master, self._context.journal
        assert master is not None
        sessions = [player.session for player in players if player.session is not None]
        assert len(sessions) == len(players)
        # The record of the match, with the master in the last seat.
        seats = [*(one.record for one in sessions), SeatRecord(f"#{master.id}", sessions[0].wire, master.address)]
        settings = {**self.settings.get(REMOTE.name, {}), "type": kind.title}
        if championship is not None:
            settings[CHAMPIONSHIP] = str(championship)
        number = journal.new_table()
        opening = TableHeader(REMOTE.name, REMOTE.version, tuple(seats), settings)
        # The game and its table.
        game = RemoteGame(
            number,
            [one.name for one in sessions],
            self.limits,
            quiet=master.quiet,
            clock=self._context.clock,
            answer_time=self._option("answer_time", 30.0),
            unanswered=partial(self._unanswered, kind),
            returned=partial(self._return, kind),
            master=master.link,
        )
        game.seats = [RemoteSeat(game, Seat(seat), player) for seat, player in enumerate(players)]
        game.table = RemoteTable.prepare(
            self._context, number, REMOTE, opening, partial(self._ended, kind, game), lambda table, seat: None
        )
        kind.games[number] = game
        master.highest = max(master.highest, number)
        names = ", ".join(game.names)
        self.log.info("remote game {game} of {type} begins: {players}", game=number, type=kind.title, players=names)
        # The players take their seats before the match begins.
        for player, seat in zip(players, game.seats, strict=True):
            player.remote_taken(seat)
        game.table.open(opening, [*game.seats, game])
        return game

    def _return(self, kind: GameType, players: Sequence[RemotePlayer]) -> None:
        """Put players back to the front of the pool, because their game ended before its first state."""
        # The host begins new matches, and no championship decides who plays whom.
        if self._draining is None and self.championship is None:
            kind.waiting[:0] = players
        else:
            for player in players:
                self.wait(kind, player)  # sends the reason, or lets the championship begin the game again
        self.match(kind)

    # -- games end

    def _ended(self, kind: GameType, game: RemoteGame, table: Table[Any, Any]) -> None:
        """Remove a game that is over or was stopped by a fault, and begin the next games."""
        kind.games.pop(game.number, None)
        game.end()
        if table.phase is Phase.SUSPENDED:  # stopped by a fault: there is no result
            return
        self.log.info("remote game {game} is over: {outcome}", game=game.number, outcome=table.outcome)
        # Nobody has won by time: the master has not answered. After an end by the rules, it counts as answering again.
        result = game.table.result
        if result is not None and result.cause is Cause.TIME and not result.winners:
            self._unanswered(kind)
        elif result is not None and result.cause is Cause.RULES and kind.master is not None:
            kind.master.unanswered = 0
        if not kind.games:
            kind.timer.stop()  # no game waits for a new master any more
        if self.championship is not None:
            self.championship.ended(game.names)
        game.give_back()
        self.match(kind)

    def _unanswered(self, kind: GameType) -> None:
        """Count a game that the master of a type has not answered. After too many of them, disconnect the master."""
        master = kind.master
        if master is None:
            return
        master.unanswered += 1
        if master.unanswered >= UNANSWERED:
            master.hang_up(f"{UNANSWERED} games in a row without an answer")

    # -- the host starts and stops

    def halt(self) -> None:
        """Stop all games, timers and the championship, because the host stops."""
        self._stopped = True
        if self.championship is not None:
            self.championship.halt()
        for kind in self.types.values():
            kind.timer.stop()
            for game in kind.games.values():
                game.halt()

    def restore(
        self, found: Iterable[UnfinishedTable], games: Mapping[str, Game[Any, Any]] = {}
    ) -> Iterator[UnfinishedTable]:
        """
        Take the remote games and championships out of the unfinished tables of an earlier run of the host, and yield the
        others. Remote games end without a winner, because players cannot come back to them. Championships continue.

        :param games: all games of this host, by their names
        """
        self._records.games = {**games, REMOTE.name: REMOTE}
        championships: list[UnfinishedTable] = []
        matches: list[UnfinishedTable] = []
        for one in found:
            game = one.opening.game if one.begun else ""  # a match that no player has received needs nothing here
            if game == RECORD:
                championships.append(one)
            # Remote games, and matches of other games that may count in a championship.
            elif game == REMOTE.name or (game and one.opening.championship):
                matches.append(one)
            if game not in (RECORD, REMOTE.name):
                yield one
        # Read the championships first: a match can be counted only when its championship is known.
        self._reading += len(championships) + len(matches)
        for one in championships + matches:
            self._context.journal.load(one.table, partial(self._found, one.opening.game))

    def _found(self, game: str, record: TableRecord | str) -> None:
        """
        Take over a record that `restore` has asked for, and continue the championship after the last one.

        :param game: the name of the game in the record
        """
        if game == RECORD:
            self._records.found(record)
        else:
            self._records.found_match(record)
        if game == REMOTE.name:
            _close(self._context.journal, record)
        self._reading -= 1
        # That was the last record.
        if self.championship is not None and not self._reading:
            self._resume(self.championship)
            self.championship.go_on()

    # -- championships

    def hold_championship(self, game_type: str, count: int, opener: Opener | None = None) -> ChampionshipRun:
        """
        Begin a championship at the first call, and return it at each call. From then on, no other remote games are played.

        :param count: how many players take part
        :param opener: begins a match of a game of this host; `None`: the games are remote games
        """
        if self.championship is None:
            # A player of a remote game that disconnects is out at once, because its seat is not reserved.
            grace = 0.0 if opener is None else self._lobby_context.grace
            ready = (lambda: self._may_begin) if opener is not None else partial(self._ready, game_type)
            opener = opener or partial(self._open_pair, game_type)
            self.championship = ChampionshipRun(
                game_type, count, self._context, records=self._records, ready=ready, opener=opener, grace=grace
            )
            if not self._reading:  # otherwise `_found` does this after the last record
                self._resume(self.championship)
        return self.championship

    def _resume(self, run: ChampionshipRun) -> None:
        """Continue the championship of an earlier run of the host, if there is one of this game."""
        record = self._records.of_type(run.game_type)
        if record is not None and not run.begun:
            # How long to wait for the players: after a start, all clients must find the host again first.
            seconds = max(self._lobby_context.restart_grace, self._lobby_context.grace)
            run.resume(record, self._records.going_on, seconds)

    @property
    def _may_begin(self) -> bool:
        return not (self._reading or self._refuses())

    def _ready(self, game_type: str) -> bool:
        return self._may_begin and self._can_open(self.type_of(game_type))

    def _open_pair(self, game_type: str, players: Sequence[Any], championship: TableId) -> bool:
        """Begin a remote game of two players in a championship. Returns `False` if it cannot begin now."""
        kind = self.type_of(game_type)
        if not self._can_open(kind):
            return False
        self.open(kind, players, championship)
        return True


def _address_of(player: RemotePlayer) -> str:
    return "" if player.session is None else player.session.address


def _close(journal: Journal, record: TableRecord | str) -> None:
    """Write an end into the record of a remote game that cannot continue."""
    if isinstance(record, str):
        RemoteGames.log.error("a remote game is not closed: {reason}", reason=record)
        return
    last = record.entries[-1]
    if not last.outcome:
        master = Seat(len(record.opening.seats) - 1)
        outcome = "nobody won (left): the host was started again"
        journal.append(record.table, Entry(EntryKind.FORFEITED, last.at, master, outcome=outcome), lambda: None)
    journal.told(record.table)
    RemoteGames.log.info("remote game {game} is closed: the host was started again", game=record.table)
