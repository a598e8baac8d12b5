"""
A championship that is played on this host: its players, its games and its end.

It gathers players until there are enough. Then it is closed, and everybody plays everybody once. After a restart of the host
the championship waits for its players under their names, and goes on with the pairs that are left. Its results are in
`gamehost.lobby.championship_record`.
"""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Protocol

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from gamehost.journal.records import TableId
from gamehost.lobby.championship import Pair
from gamehost.lobby.championship_record import ChampionshipRecord, ChampionshipRecords, nothing
from gamehost.lobby.sessions import Session
from gamehost.tables.context import TableContext


class Contestant(Protocol):
    """A player of a championship: a conversation."""

    session: Session | None

    def champions(self, standing: Sequence[tuple[str, int, int]]) -> None:
        """Everything is played: tell each player with games won and lost, the best one first."""


#: Seconds after the last word until the record is closed. The words may still be on their way to the clients, and a host that
#: is killed then tells them once more. A client that does not read for so long is disconnected.
WRITTEN = 10.0

#: Begins a game of these two in the championship of this number. `False`: it cannot begin now.
Opener = Callable[[Sequence[Contestant], TableId], bool]


@define(eq=False)
class ChampionshipRun:
    """
    A championship.

    :param game_type: what is played
    :param count: how many play
    :param records: where its results are kept
    :param ready: whether a game can begin now
    :param opener: begins a game
    :param grace: seconds for which a player who is lost is waited for
    """

    game_type: str
    count: int
    _context: TableContext
    _records: ChampionshipRecords
    _ready: Callable[[], bool]
    _opener: Opener
    _grace: float
    #: Players who do not play, in the order in which they came.
    _idle: dict[str, Contestant] = field(factory=dict)
    #: Players who are here.
    _here: set[str] = field(factory=set)
    #: `None`: it gathers players.
    _record: ChampionshipRecord | None = None
    #: The pairs whose games go on, or are about to be told the end.
    _running: set[Pair] = field(factory=set)
    #: Of players who are waited for: when they are gone.
    _timers: dict[str, IDelayedCall] = field(factory=dict)
    finished: bool = False
    #: Whether a player was told the end, and what closes the record then.
    _told: bool = False
    _closing: IDelayedCall | None = None
    _going_on: bool = False

    log = Logger()

    @property
    def begun(self) -> bool:
        """Whether its players are known."""
        return self._record is not None

    # -- players

    def admits(self, name: str) -> bool:
        """Whether a player of this name may come in. When all is played, those may who are waited for, to be told the end."""
        if self._record is None:
            return len(self._here) < self.count
        if self.finished:
            return name in self._timers
        table = self._record.table
        return name in table.names and table.names.index(name) not in table.gone

    def wait(self, player: Contestant) -> None:
        """A player is here, and waits for the next game."""
        assert player.session is not None
        self._idle[player.session.name] = player
        self.back(player.session.name)
        if self.finished:
            self._tell([player])
        else:
            self.go_on()

    def back(self, name: str) -> None:
        """A player is here again, in the game that they have left."""
        self._here.add(name)
        if name in self._timers:
            self._timers.pop(name).cancel()

    def leave(self, name: str) -> None:
        """A player is not here any more."""
        self._idle.pop(name, None)
        self._here.discard(name)
        plays = self._record is not None and name in self._record.table.names
        if plays and name not in self._timers and not self.finished:
            self._lose(name, self._grace)

    def _lose(self, name: str, seconds: float) -> None:
        if seconds:
            self._timers[name] = self._context.clock.callLater(seconds, self._gone, name)
        else:
            self._gone(name)

    def _gone(self, name: str) -> None:
        self._timers.pop(name, None)
        if self.finished:
            self._tell([])
        elif self._record is not None:
            self._record.table.gone.add(self._record.table.names.index(name))
            self.go_on()

    # -- games

    def go_on(self) -> None:
        """Begin what can begin."""
        if self._going_on or self.finished:
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
        """Enough players are here: it is closed."""
        players = list(self._idle.values())[: self.count]
        sessions = [player.session for player in players if player.session is not None]
        names = ", ".join(one.name for one in sessions)
        self.log.info("championship of {type} begins: {names}", type=self.game_type, names=names)
        return self._records.open(self.game_type, sessions)

    def _hold(self, record: ChampionshipRecord) -> None:
        """This is what is played."""
        self._record = record
        record.all_durable = self.go_on

    def _count_forfeits(self, record: ChampionshipRecord) -> None:
        table = record.table
        if self._grace:
            # A seat is kept there, and nobody has come back to either.
            self._running = {pair for pair in self._running if not set(pair) <= table.gone}
        for pair, winners in table.forfeited(self._running):
            record.note(pair, winners, nothing)

    def _begin_games(self, record: ChampionshipRecord) -> None:
        table = record.table
        idle = {number for number, name in enumerate(table.names) if name in self._idle and number not in table.gone}
        for pair in table.next_pairs(idle):
            # Loose players wait again while the end of their game is still being told, which may be void.
            ending = pair in self._running
            players = [self._idle.pop(table.names[number]) for number in pair]
            self._running.add(pair)
            if not self._opener(players, record.number):
                if not ending:
                    self._running.discard(pair)
                self._idle |= {table.names[number]: player for number, player in zip(pair, players, strict=True)}
                return

    def ended(self, names: Sequence[str]) -> None:
        """The end of a game is being told. Its result has been counted, or it is played again."""
        pair = None if self._record is None else self._record.pair(names)
        if pair is not None:
            self._running.discard(pair)

    def _finish(self, record: ChampionshipRecord) -> None:
        """All is played. When all who are here have given thanks, and all results are on disk, they are told."""
        names = record.table.names
        if not record.durable or any(name in names and name not in self._idle for name in self._here):
            return
        self.finished = True
        self._tell([self._idle[name] for name in names if name in self._idle])

    def _tell(self, players: Collection[Contestant]) -> None:
        """Tell these how it has ended. Whoever is waited for is told later."""
        assert self._record is not None
        for player in players:
            self._told = True
            player.champions(self._record.table.standing())
        if self._timers:
            return
        if self._told:
            self._closing = self._context.clock.callLater(WRITTEN, self._close)
        else:
            self._records.close(self._record)

    def _close(self) -> None:
        assert self._record is not None
        self._closing = None
        self._records.close(self._record)

    def halt(self) -> None:
        """The host stops in good order: what was said is written."""
        if self._closing is not None:
            self._closing.cancel()
            self._close()
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    # -- a restart of the host

    def resume(self, record: ChampionshipRecord, going_on: Collection[Sequence[str]], seconds: float) -> None:
        """
        Go on with the championship of an earlier run of the host.

        :param going_on: the players of its games to which both may come back
        :param seconds: for which its players are waited for
        """
        table = record.table
        self._hold(record)
        self._running = {pair for names in going_on if (pair := record.pair(names)) in table.open}
        self._idle = {name: player for name, player in self._idle.items() if name in table.names}
        for name in table.names:
            if name not in self._here:
                self._timers[name] = self._context.clock.callLater(seconds, partial(self._gone, name))
