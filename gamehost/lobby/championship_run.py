"""
A championship that is played on this host: its players, its games and its record.

It gathers players until there are enough. Then it is closed, and everybody plays everybody once. The record is one of its own
in the journal: the opening has the type of game and the players, and each entry a result. After a restart of the host the
championship waits for its players under their names, and goes on with the pairs that are left.
"""

import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Protocol

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from gamehost.games.base import Seat
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader, TableId, TableRecord
from gamehost.lobby.championship import Championship, Pair
from gamehost.lobby.sessions import Session
from gamehost.tables.context import TableContext

#: The name in the journal. No game has it.
RECORD = "championship"

_RESULT = re.compile(r"([0-9]{1,2})([+-]) ([0-9]{1,2})([+-])", re.ASCII)


class Contestant(Protocol):
    """A player of a championship: a conversation."""

    session: Session | None

    def champions(self, standing: Sequence[tuple[str, int, int]]) -> None:
        """Everything is played: tell each player with games won and lost, the best one first."""


#: Begins a game of these two. `False`: it cannot begin now.
Opener = Callable[[Sequence[Contestant]], bool]


@define(eq=False)
class ChampionshipRun:
    """
    A championship.

    :param game_type: what is played
    :param count: how many play
    :param ready: whether a game can begin now
    :param opener: begins a game
    :param grace: seconds for which a player who is lost is waited for
    """

    game_type: str
    count: int
    _context: TableContext
    _ready: Callable[[], bool]
    _opener: Opener
    _grace: float
    #: Players who do not play, in the order in which they came.
    _idle: dict[str, Contestant] = field(factory=dict)
    #: Players who are here.
    _here: set[str] = field(factory=set)
    #: `None`: it gathers players.
    _table: Championship | None = None
    _running: set[Pair] = field(factory=set)
    _number: TableId | None = None
    _began: float = 0.0
    _timers: dict[str, IDelayedCall] = field(factory=dict)
    finished: bool = False
    _opening: bool = False

    log = Logger()

    # -- players

    def admits(self, name: str) -> bool:
        """Whether a player of this name may come in."""
        if self._table is None:
            return len(self._here) < self.count
        if self.finished or name not in self._table.names:
            return False
        return self._table.names.index(name) not in self._table.gone

    def wait(self, player: Contestant) -> None:
        """A player is here, and waits for the next game."""
        assert player.session is not None
        self._idle[player.session.name] = player
        self.back(player.session.name)
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
        if self._table is not None and name in self._table.names and name not in self._timers and not self.finished:
            self._lose(name, self._grace)

    def _lose(self, name: str, seconds: float) -> None:
        if seconds:
            self._timers[name] = self._context.clock.callLater(seconds, self._gone, name)
        else:
            self._gone(name)

    def _gone(self, name: str) -> None:
        self._timers.pop(name, None)
        if self._table is not None:
            self._table.gone.add(self._table.names.index(name))
            self.go_on()

    # -- games

    def go_on(self) -> None:
        """Begin what can begin."""
        if self._opening or self.finished:
            return
        if self._table is None:
            if len(self._idle) < self.count or not self._ready():
                return
            self._begin()
        assert self._table is not None
        if self._grace:
            # A seat is kept there, and nobody has come back to either.
            self._running = {pair for pair in self._running if not set(pair) <= self._table.gone}
        for pair, winners in self._table.forfeited(self._running):
            self._note(pair, winners)
        self._opening = True
        try:
            self._begin_games(self._table)
        finally:
            self._opening = False
        if not self._table.open and not self._running:
            self._finish(self._table)

    def _begin(self) -> None:
        """Enough players are here: it is closed."""
        players = list(self._idle.values())[: self.count]
        sessions = [player.session for player in players if player.session is not None]
        self._table = Championship([one.name for one in sessions])
        journal = self._context.journal
        self._number = number = journal.new_table()
        self._began = self._context.clock.seconds()
        seats = tuple(SeatRecord(one.name, one.wire, one.address, one.account) for one in sessions)
        journal.open(number, TableHeader(RECORD, 1, seats, {"type": self.game_type}), lambda: None)
        journal.append(number, Entry(EntryKind.BEGAN, 0), lambda: None)
        self.log.info("championship of {type} begins: {names}", type=self.game_type, names=", ".join(self._table.names))

    def _begin_games(self, table: Championship) -> None:
        idle = {number for number, name in enumerate(table.names) if name in self._idle and number not in table.gone}
        for pair in table.next_pairs(idle):
            players = [self._idle.pop(table.names[number]) for number in pair]
            self._running.add(pair)
            if not self._opener(players):
                self._running.discard(pair)
                self._idle |= {table.names[number]: player for number, player in zip(pair, players, strict=True)}
                return

    def ended(self, names: Collection[str], winners: Collection[str] | None) -> None:
        """
        A game is over.

        :param winners: `None`: it was void, and is played again
        """
        table = self._table
        if table is None or not set(names) <= set(table.names):
            return
        first, second = sorted(table.names.index(name) for name in names)
        if (first, second) not in self._running:
            return
        self._running.discard((first, second))
        if winners is not None:
            self._note((first, second), [table.names.index(name) for name in winners])

    def _note(self, pair: Pair, winners: Collection[int]) -> None:
        """Write a result down."""
        assert self._table is not None
        if not self._table.note(pair, winners):
            return
        signs = ["+" if player in winners else "-" for player in pair]
        notation = f"{pair[0]}{signs[0]} {pair[1]}{signs[1]}".encode("ascii")
        at = round((self._context.clock.seconds() - self._began) * 1000)
        outcome = "" if self._table.open else f"{self._table.standing()[0][0]} won (rules): the championship is over"
        entry = Entry(EntryKind.ACTED, max(0, at), Seat(pair[0]), notation, outcome=outcome)
        if self._number is not None:
            self._context.journal.append(self._number, entry, lambda: None)

    def _finish(self, table: Championship) -> None:
        """All is played. When all who are here have given thanks, they are told how it has ended."""
        if any(name in table.names and name not in self._idle for name in self._here):
            return
        self.finished = True
        self.halt()
        if self._number is not None:
            self._context.journal.told(self._number)
        for name in table.names:
            if name in self._idle:
                self._idle[name].champions(table.standing())

    def halt(self) -> None:
        """The host stops, or all is over."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    # -- a restart of the host

    def resume(self, record: TableRecord, seconds: float) -> None:
        """
        Go on with the championship of an earlier run of the host.

        :param seconds: for which its players are waited for
        :raises ValueError: this is not its record
        """
        table = Championship([seat.name for seat in record.opening.seats])
        for entry in record.entries[1:]:
            found = _RESULT.fullmatch(entry.notation.decode("ascii"))
            if found is None:
                raise ValueError("a result that cannot be read")
            pair = int(found[1]), int(found[3])
            table.note(pair, [player for player, sign in zip(pair, (found[2], found[4]), strict=True) if sign == "+"])
        last = record.entries[-1].at if record.entries else 0
        self._table, self._number = table, record.table
        self._idle = {name: player for name, player in self._idle.items() if name in table.names}
        self._began = self._context.clock.seconds() - last / 1000
        for name in table.names:
            if name not in self._here:
                self._timers[name] = self._context.clock.callLater(seconds, partial(self._gone, name))
