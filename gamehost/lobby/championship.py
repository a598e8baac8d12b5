"""
Championships: every player plays every other one once.

`Championship` computes pairs and standings from names and results. `ChampionshipRecord` stores a result before any
player receives it, so a championship continues after the host was killed. `ChampionshipRun` knows the connected
players, and begins the games.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import combinations
from typing import Any, Self

from attrs import define, evolve, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from gamehost._twisted import Timer
from gamehost.games.base import Cause, Game, Result, Seat
from gamehost.games.remote.master import REMOTE
from gamehost.journal.records import Entry, EntryKind, Journal, TableHeader, TableId, TableRecord
from gamehost.journal.replay import replayed
from gamehost.lobby.sessions import Contestant, Session
from gamehost.tables.context import TableContext

#: Two players by their numbers, in the order in which they logged in.
Pair = tuple[int, int]

#: Up to this many idle players are paired as well as possible. More are paired in their order, which leaves few without
#: a game.
PAIRED_WELL = 10


@define(eq=False)
class Championship:
    """
    The table of a championship: counts the games that each player has won and lost, and chooses the next pairs.

    :param names: the players, in the order in which they logged in
    """

    names: Sequence[str]
    won: list[int] = field(init=False)
    lost: list[int] = field(init=False)
    #: The pairs that have not played yet, in order.
    open: list[Pair] = field(init=False)
    #: Players that have left. They lose all games that they have not played.
    gone: set[int] = field(factory=set)

    def __attrs_post_init__(self) -> None:
        count = len(self.names)
        self.won, self.lost = [0] * count, [0] * count
        self.open = list(combinations(range(count), 2))

    def note(self, pair: Pair, winners: Collection[int]) -> bool:
        """Count the result of a pair. Returns `False` if the pair has a result already."""
        if pair not in self.open:
            return False
        self.open.remove(pair)
        for player in pair:  # without winners, both have lost
            counts = self.won if player in winners else self.lost
            counts[player] += 1
        return True

    def forfeited(self, running: Collection[Pair]) -> list[tuple[Pair, tuple[int, ...]]]:
        """
        The pairs that cannot play because a player has left, each with its winner: the other player, or nobody if both
        have left. Pairs with a running game are left out.
        """
        found = [pair for pair in self.open if pair not in running and self.gone & set(pair)]
        return [(pair, tuple(set(pair) - self.gone)) for pair in found]

    def next_pairs(self, idle: Collection[int]) -> list[Pair]:
        """
        Choose the pairs of idle players that begin a game now. For up to `PAIRED_WELL` idle players, these are as many
        pairs as possible. With more players, each pair in order is taken if both of its players are still free.
        """
        pairs = [pair for pair in self.open if pair[0] in idle and pair[1] in idle]
        if len(idle) > PAIRED_WELL:
            return list(_in_order(pairs))
        return list(_most(tuple(pairs)))

    def standing(self) -> list[tuple[str, int, int]]:
        """Each player with games won and lost, the best one first. Among equals, the first in the log-ins stands first."""
        places = sorted(range(len(self.names)), key=lambda player: (-self.won[player], self.lost[player], player))
        return [(self.names[player], self.won[player], self.lost[player]) for player in places]


def _in_order(pairs: Iterable[Pair]) -> Iterable[Pair]:
    """Take each pair in order if none of its players is in an earlier one."""
    taken: set[int] = set()
    for pair in pairs:
        if not taken & set(pair):
            taken |= set(pair)
            yield pair


@lru_cache(4096)
def _most(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
    """The largest set of these pairs in which no player occurs twice; the first in order among equal choices."""
    if not pairs:
        return ()
    first, rest = pairs[0], pairs[1:]
    # The best choice that contains the first pair.
    apart = tuple(pair for pair in rest if not set(first) & set(pair))
    with_first = (first, *_most(apart))
    # If this leaves out one player at most, no other choice has more pairs. (Each pair has two players.)
    if len(with_first) * 2 >= len({player for pair in pairs for player in pair}) - 1:
        return with_first
    without = _most(rest)
    return with_first if len(with_first) >= len(without) else without


#: The journal stores a championship as a table of this game. No real game has this name.
RECORD = "championship"

#: An entry: two players by their numbers, with `+` for the winner and `-` for the loser.
RESULT = re.compile(r"([0-9]{1,2})([+-]) ([0-9]{1,2})([+-])", re.ASCII)


def nothing() -> None:
    """Do nothing: the default for callbacks, if no caller waits until an entry is durable."""


@define(eq=False)
class ChampionshipRecord:
    """
    One championship and its record in the journal, which has the players and the result of each game. `note` counts a new
    result and writes it.

    :param began: when the championship began, in seconds on the reactor's clock
    """

    number: TableId
    game_type: str
    table: Championship
    _journal: Journal
    _clock: IReactorTime
    _began: float
    #: How many results are not durable yet.
    _unwritten: int = 0
    #: Functions to call when all results are durable.
    all_durable: Callable[[], None] = nothing

    @classmethod
    def read(cls, context: TableContext, record: TableRecord) -> Self:
        """
        Rebuild a championship of an earlier run of the host from its record.

        :raises ValueError: this is not the record of a championship
        """
        table = Championship([seat.name for seat in record.opening.seats])
        for entry in record.entries[1:]:  # the first entry says only that it began
            found = RESULT.fullmatch(entry.notation.decode("ascii"))
            if found is None:
                raise ValueError("a result that cannot be read")
            pair = int(found[1]), int(found[3])
            table.note(pair, [player for player, sign in zip(pair, (found[2], found[4]), strict=True) if sign == "+"])
        # As if no time had passed since the last entry, so that the times of later entries do not go back.
        began = context.clock.seconds() - record.entries[-1].at / 1000
        game_type = record.opening.settings.get("type", "")
        return cls(record.table, game_type, table, context.journal, context.clock, began)

    @property
    def durable(self) -> bool:
        return not self._unwritten

    def pair(self, names: Sequence[str]) -> Pair | None:
        """The pair of a match, by the players' numbers in the championship; `None`: the players are not in it."""
        # A remote game has a third name, which is the master's.
        players = [self.table.names.index(name) for name in names[:2] if name in self.table.names]
        return (min(players), max(players)) if len(players) == 2 else None

    def note(self, pair: Pair, winners: Collection[int], durable: Callable[[], None]) -> None:
        """
        Count and store the result of a pair.

        :param durable: called when the result is on disk. Everything that was written to the journal earlier is on disk
            then, too
        :raises ValueError: the pair has a result already
        """
        if not self.table.note(pair, winners):
            raise ValueError(f"the pair {pair} has a result")
        signs = ["+" if player in winners else "-" for player in pair]
        notation = f"{pair[0]}{signs[0]} {pair[1]}{signs[1]}".encode("ascii")
        at = round((self._clock.seconds() - self._began) * 1000)
        # The entry of the last game has an outcome, which ends the record of the championship.
        outcome = ""
        if not self.table.open:
            best, _, _ = self.table.standing()[0]
            outcome = f"{best} won (rules): the championship is over"
        entry = Entry(EntryKind.ACTED, max(0, at), Seat(pair[0]), notation, outcome=outcome)
        self._unwritten += 1
        self._journal.append(self.number, entry, partial(self._written, durable))

    def _written(self, durable: Callable[[], None]) -> None:
        """
        Inform the caller that its result is on disk. After the last result, also inform all callers that wait for all results.
        """
        self._unwritten -= 1
        durable()
        if self.durable:
            self.all_durable()


def is_void(result: Result) -> bool:
    """Whether a match has ended without a result that counts: the rules did not end it, and it has no winner."""
    return not result.winners and result.cause is not Cause.RULES


@define(eq=False)
class ChampionshipRecords:
    """The records of all championships that are not over, including those of an earlier run of the host."""

    _context: TableContext
    #: The games by name, to compute the results of matches that ended just before the host did.
    games: Mapping[str, Game[Any, Any]] = field(factory=dict)
    #: By the number of the championship; the opening of a match names this number.
    _records: dict[str, ChampionshipRecord] = field(factory=dict)
    #: The names of the players of each match that an earlier run of the host began and this one continues.
    going_on: list[Sequence[str]] = field(factory=list)

    log = Logger()

    def open(self, game_type: str, sessions: Sequence[Session]) -> ChampionshipRecord:
        """Begin a new championship of these players, and write the beginning of its record."""
        journal, clock = self._context.journal, self._context.clock
        table = Championship([one.name for one in sessions])
        record = ChampionshipRecord(journal.new_table(), game_type, table, journal, clock, clock.seconds())
        seats = tuple(evolve(one.record, key_digest="") for one in sessions)
        journal.open(record.number, TableHeader(RECORD, 1, seats, {"type": game_type}), nothing)
        journal.append(record.number, Entry(EntryKind.BEGAN, 0), nothing)
        self._records[str(record.number)] = record
        return record

    def of_type(self, game_type: str) -> ChampionshipRecord | None:
        """The newest championship of this type of game that is not over."""
        found = (one for one in self._records.values() if one.game_type.casefold() == game_type.casefold())
        return max(found, key=lambda one: one.number, default=None)

    def close(self, record: ChampionshipRecord) -> None:
        """Close the record: all games are played, and all players have received the final standing."""
        self._context.journal.told(record.number)
        self._records.pop(str(record.number), None)

    def counting(
        self, championship: str, names: Sequence[str], result: Result
    ) -> Callable[[Callable[[], None]], None] | None:
        """
        How the result of a match is counted in its championship.

        :param championship: the number of the championship, from the opening of the match
        :param names: the players of the match, by seat
        :returns: a function that stores the result, and takes a function to call when it is durable. `None`: this result
            does not count, because the match is void, has been counted, or belongs to no championship of this host
        """
        record = self._records.get(championship)
        pair = None if record is None else record.pair(names)
        # `open`: the pairs without a result.
        if record is None or pair is None or pair not in record.table.open or is_void(result):
            return None
        return partial(record.note, pair, [record.table.names.index(names[seat]) for seat in result.winners])

    # -- a restart of the host

    def found(self, record: TableRecord | str) -> None:
        """
        Take over the record of a championship of an earlier run of the host, so that it can continue. A text instead of the
        record is the reason why it cannot be read, and is only logged.
        """
        try:
            if isinstance(record, str):
                raise ValueError(record)
            self._records[str(record.table)] = ChampionshipRecord.read(self._context, record)
        except ValueError as error:
            self.log.error("the championship does not go on: {reason}", reason=str(error))

    def found_match(self, record: TableRecord | str) -> None:
        """
        Take over a match of an earlier run, if it belongs to a championship. The host may have been killed between the
        end of the match and the counting of its result: then count the result now.

        :param record: the record of the match; a text: the reason why it cannot be read
        """
        if isinstance(record, str) or not record.opening.championship:
            return  # a record that cannot be read is logged later, by the code that closes or continues the match
        opening = record.opening
        names = [seat.name for seat in opening.seats]
        # Without an outcome, the match is not over.
        if not record.entries[-1].outcome:
            if opening.game != REMOTE.name:  # players cannot come back to a remote game
                self.going_on.append(names)
            return
        result = self._result_of(record)
        count = None if result is None else self.counting(opening.championship, names, result)
        if count is not None:
            count(nothing)
            self.log.info("table {table} counts in its championship", table=record.table)

    def _result_of(self, record: TableRecord) -> Result | None:
        """The result of a match, found by replaying its record; `None`: that fails, which is logged."""
        try:
            return replayed(self.games[record.opening.game], record.opening, record.entries).result
        except (KeyError, ValueError) as error:
            self.log.error("table {table} does not count: {reason}", table=record.table, reason=str(error))
            return None


#: Seconds between the last message and the closing of the record. Meanwhile the messages may still be in transit. If
#: the host is killed in this time, it sends them again after its next start. A client that reads nothing for this time
#: is disconnected.
WRITTEN = 10.0

#: Begins a game of two players in the championship with this number. `False`: the game cannot begin now.
Opener = Callable[[Sequence[Contestant], TableId], bool]


@define(eq=False)
class ChampionshipRun:
    """
    A championship that waits for players, or is running: begins its games, and sends the final standing.

    :param count: the number of players
    :param ready: whether games can begin now
    :param opener: begins a game of two players
    :param grace: how many seconds the championship waits for a player that has disconnected; 0: such a player is out at
        once
    """

    game_type: str
    count: int
    _context: TableContext
    _records: ChampionshipRecords
    _ready: Callable[[], bool]
    _opener: Opener
    _grace: float
    #: Players without a match by name, in the order in which they came.
    _idle: dict[str, Contestant] = field(factory=dict)
    #: The names of the connected players, with and without a match.
    _here: set[str] = field(factory=set)
    #: `None` while the championship waits for enough players.
    _record: ChampionshipRecord | None = None
    #: The pairs with a running game, or with a game whose end was not sent yet.
    _running: set[Pair] = field(factory=set)
    #: By the name of a player that has disconnected: the timer that ends the wait for this player.
    _timers: dict[str, IDelayedCall] = field(factory=dict)
    #: Whether all games are over, and the final standing is being sent.
    finished: bool = False
    #: Whether a player has received the final standing.
    _told: bool = False
    #: Closes the record, some time after the final standing was sent.
    _closing: Timer = field(factory=Timer)
    #: Whether `go_on` is running. The functions that it calls may call it again.
    _going_on: bool = False

    log = Logger()

    @property
    def begun(self) -> bool:
        return self._record is not None

    # -- players

    def admits(self, name: str) -> bool:
        """
        Whether a player with this name may log in. After the last game, only disconnected players may, to receive the final
        standing.
        """
        if self._record is None:  # not begun: anybody may, as long as there is room
            return len(self._here) < self.count
        if self.finished:
            return name in self._timers
        table = self._record.table
        return name in table.names and table.names.index(name) not in table.gone

    def wait(self, player: Contestant) -> None:
        """Note that a player has logged in, and waits for its next game."""
        assert player.session is not None
        self._idle[player.session.name] = player
        self.back(player.session.name)
        if self.finished:
            self._tell([player])
        else:
            self.go_on()

    def back(self, name: str) -> None:
        """Note that a player is connected, perhaps again. If the championship waits for this player, the wait ends."""
        self._here.add(name)
        if name in self._timers:
            self._timers.pop(name).cancel()

    def leave(self, name: str) -> None:
        """
        Note that a player has disconnected. If the championship has begun, it waits for this player, or counts it as gone
        at once if there is no grace time.
        """
        self._idle.pop(name, None)
        self._here.discard(name)
        plays = self._record is not None and name in self._record.table.names
        # After the end (`finished`), nobody waits for a player that has received the final standing.
        if plays and name not in self._timers and not self.finished:
            if self._grace:
                self._timers[name] = self._context.clock.callLater(self._grace, self._gone, name)
            else:
                self._gone(name)

    def _gone(self, name: str) -> None:
        """End the wait for a player that has not come back: the player loses its remaining games."""
        self._timers.pop(name, None)
        if self.finished:
            self._tell([])  # this may have been the last player that was awaited: the record is closed then
        elif self._record is not None:
            self._record.table.gone.add(self._record.table.names.index(name))
            self.go_on()

    # -- games

    def go_on(self) -> None:
        """
        Do what is possible now: begin the championship, begin the next games, or finish. Called after each change.
        """
        if self._going_on or self.finished:  # the first: a function below has called this again
            return
        if self._record is None:
            if len(self._idle) < self.count or not self._ready():
                return
            self._hold(self._begin())
        assert self._record is not None
        self._going_on = True
        try:
            self._count_forfeits(self._record)
            self._begin_games(self._record)
        finally:
            self._going_on = False
        if not self._record.table.open and not self._running:
            self._finish(self._record)

    def _begin(self) -> ChampionshipRecord:
        """Begin a championship with the first `count` idle players."""
        players = list(self._idle.values())[: self.count]
        sessions = [player.session for player in players if player.session is not None]
        names = ", ".join(one.name for one in sessions)
        self.log.info("championship of {type} begins: {names}", type=self.game_type, names=names)
        return self._records.open(self.game_type, sessions)

    def _hold(self, record: ChampionshipRecord) -> None:
        """Use this record from now on. It is new, or from an earlier run of the host."""
        self._record = record
        record.all_durable = self.go_on

    def _count_forfeits(self, record: ChampionshipRecord) -> None:
        """Count the games that cannot be played because a player is gone."""
        table = record.table
        if self._grace:
            # In these games both seats were reserved, and neither player has come back in time: they do not run any more.
            self._running = {pair for pair in self._running if not set(pair) <= table.gone}
        for pair, winners in table.forfeited(self._running):
            record.note(pair, winners, nothing)

    def _begin_games(self, record: ChampionshipRecord) -> None:
        """Begin games of idle players, until one cannot begin."""
        table = record.table
        idle = {number for number, name in enumerate(table.names) if name in self._idle and number not in table.gone}
        for pair in table.next_pairs(idle):
            # A player may wait again before the end of its last game was sent to all, and that game may still become
            # void.
            ending = pair in self._running
            players = [self._idle.pop(table.names[number]) for number in pair]
            self._running.add(pair)
            if not self._opener(players, record.number):
                # This game cannot begin now, so the others cannot either: undo it, and try again at the next change.
                if not ending:
                    self._running.discard(pair)
                self._idle |= {table.names[number]: player for number, player in zip(pair, players, strict=True)}
                return

    def ended(self, names: Sequence[str]) -> None:
        """
        Note that the game of two players is over. If its result was not counted, the pair remains in the list of open
        games, and plays again.
        """
        pair = None if self._record is None else self._record.pair(names)
        if pair is not None:
            self._running.discard(pair)

    def _finish(self, record: ChampionshipRecord) -> None:
        """
        All games are played: send the final standing, unless something is still missing. All results must be on disk, and
        all connected players must have confirmed the end of their last game. Called again when that changes.
        """
        names = record.table.names
        # A connected player that does not wait (`_idle`) has not confirmed its last game yet.
        if not record.durable or any(name in names and name not in self._idle for name in self._here):
            return
        self.finished = True
        self._tell([self._idle[name] for name in names if name in self._idle])

    def _tell(self, players: Collection[Contestant]) -> None:
        """
        Send the final standing to these players. Disconnected players receive it when they come back. When no player is
        awaited any more, close the record.
        """
        assert self._record is not None
        for player in players:
            self._told = True
            player.champions(self._record.table.standing())
        if self._timers:
            return  # a disconnected player may still come back
        # The messages need some time. If nobody was there to receive them, the record is closed at once.
        if self._told:
            self._closing.set(self._context.clock, WRITTEN, self._close)
        else:
            self._records.close(self._record)

    def _close(self) -> None:
        assert self._record is not None
        self._records.close(self._record)

    def halt(self) -> None:
        """
        End the run, because the host stops. If the final standing was sent, close the record at once and not after
        `WRITTEN` seconds: the host calls this after it has written all messages to its clients.
        """
        if self._closing:
            self._closing.stop()
            self._close()
        # Absent players are not counted as gone: the championship continues after the next start.
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    # -- a restart of the host

    def resume(self, record: ChampionshipRecord, going_on: Collection[Sequence[str]], seconds: float) -> None:
        """
        Continue the championship of an earlier run of the host.

        :param going_on: the players of the games that continue, because both players may come back
        :param seconds: how many seconds the championship waits for its players
        """
        table = record.table
        self._hold(record)
        self._running = {pair for names in going_on if (pair := record.pair(names)) in table.open}
        # Players that have come already, and do not belong to this championship, do not take part.
        self._idle = {name: player for name, player in self._idle.items() if name in table.names}
        for name in table.names:
            if name not in self._here:
                self._timers[name] = self._context.clock.callLater(seconds, self._gone, name)
