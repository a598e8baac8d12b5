"""
The records of championships in the journal.

A record is opened with the type of game and the players, and each entry is a result. A match of a championship has the number
of this record in its opening. When the match ends, its result is added here in the same turn of the reactor, and nobody is
told the end before both are durable. If the host ends between the two, the next start finds the end of the match, and
counts it.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Self

from attrs import define, field
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from gamehost.games.base import Cause, Game, Result, Seat
from gamehost.games.chance import JournalledChance
from gamehost.games.remote.master import REMOTE
from gamehost.journal.records import Entry, EntryKind, Journal, SeatRecord, TableHeader, TableId, TableRecord
from gamehost.journal.replay import new_master, replay
from gamehost.lobby.championship import Championship, Pair
from gamehost.lobby.sessions import Session
from gamehost.tables.context import TableContext

#: The name in the journal. No game has it.
RECORD = "championship"

#: An entry: two players by their numbers, and who has won (`+`) or lost (`-`).
RESULT = re.compile(r"([0-9]{1,2})([+-]) ([0-9]{1,2})([+-])", re.ASCII)


def nothing() -> None:
    """Nobody waits for this entry."""


@define(eq=False)
class ChampionshipRecord:
    """
    The record of one championship, and what it says.

    :param began: on the reactor's clock, in seconds
    """

    number: TableId
    game_type: str
    table: Championship
    _journal: Journal
    _clock: IReactorTime
    _began: float
    #: Results that are not durable yet.
    _unwritten: int = 0
    #: Called when all are.
    all_durable: Callable[[], None] = nothing

    @classmethod
    def open(cls, context: TableContext, game_type: str, sessions: Sequence[Session]) -> Self:
        """A championship of these players begins."""
        journal, now = context.journal, context.clock.seconds()
        table = Championship([one.name for one in sessions])
        self = cls(journal.new_table(), game_type, table, journal, context.clock, now)
        seats = tuple(SeatRecord(one.name, one.wire, one.address, one.account) for one in sessions)
        journal.open(self.number, TableHeader(RECORD, 1, seats, {"type": game_type}), nothing)
        journal.append(self.number, Entry(EntryKind.BEGAN, 0), nothing)
        return self

    @classmethod
    def read(cls, context: TableContext, record: TableRecord) -> Self:
        """
        A championship of an earlier run of the host.

        :raises ValueError: this is not the record of one
        """
        table = Championship([seat.name for seat in record.opening.seats])
        for entry in record.entries[1:]:
            found = RESULT.fullmatch(entry.notation.decode("ascii"))
            if found is None:
                raise ValueError("a result that cannot be read")
            pair = int(found[1]), int(found[3])
            table.note(pair, [player for player, sign in zip(pair, (found[2], found[4]), strict=True) if sign == "+"])
        began = context.clock.seconds() - record.entries[-1].at / 1000
        game_type = record.opening.settings.get("type", "")
        return cls(record.table, game_type, table, context.journal, context.clock, began)

    @property
    def durable(self) -> bool:
        """Whether all results are."""
        return not self._unwritten

    def pair(self, names: Sequence[str]) -> Pair | None:
        """The two of a match, in the order of the championship; `None`: they do not play in it."""
        players = [self.table.names.index(name) for name in names[:2] if name in self.table.names]
        return (min(players), max(players)) if len(players) == 2 else None

    def counting(self, names: Sequence[str], result: Result) -> Callable[[Callable[[], None]], None] | None:
        """As `TableContext.counting`, for a match of these players."""
        pair = self.pair(names)
        if pair is None or pair not in self.table.open or is_void(result):
            return None
        winners = [self.table.names.index(names[seat]) for seat in result.winners]
        return partial(self.note, pair, winners)

    def note(self, pair: Pair, winners: Collection[int], durable: Callable[[], None]) -> None:
        """
        Write a result down, of a pair that has none.

        :param durable: called when the result is on disk, and so is all that was added to any record before it
        """
        if not self.table.note(pair, winners):
            raise ValueError(f"the pair {pair} has a result")
        signs = ["+" if player in winners else "-" for player in pair]
        notation = f"{pair[0]}{signs[0]} {pair[1]}{signs[1]}".encode("ascii")
        at = round((self._clock.seconds() - self._began) * 1000)
        outcome = "" if self.table.open else f"{self.table.standing()[0][0]} won (rules): the championship is over"
        entry = Entry(EntryKind.ACTED, max(0, at), Seat(pair[0]), notation, outcome=outcome)
        self._unwritten += 1
        self._journal.append(self.number, entry, partial(self._written, durable))

    def _written(self, durable: Callable[[], None]) -> None:
        self._unwritten -= 1
        durable()
        if self.durable:
            self.all_durable()

    def close(self) -> None:
        """Nobody else is to be told how it has ended."""
        self._journal.told(self.number)


def is_void(result: Result) -> bool:
    """Whether a match has ended without a result that counts: the rules did not end it, and nobody won."""
    return not result.winners and result.cause is not Cause.RULES


@define(eq=False)
class ChampionshipRecords:
    """
    The records of all championships that are not over.

    :param games: the games of the host, by their names
    """

    _context: TableContext
    games: Mapping[str, Game[Any, Any]] = field(factory=dict)
    #: By their numbers, as they stand in the openings of matches.
    _records: dict[str, ChampionshipRecord] = field(factory=dict)
    #: The players of matches of an earlier run of the host that go on.
    going_on: list[Sequence[str]] = field(factory=list)

    log = Logger()

    def open(self, game_type: str, sessions: Sequence[Session]) -> ChampionshipRecord:
        """A championship of these players begins."""
        record = ChampionshipRecord.open(self._context, game_type, sessions)
        self._records[str(record.number)] = record
        return record

    def of_type(self, game_type: str) -> ChampionshipRecord | None:
        """The newest championship of this type of game that is not over."""
        found = (one for one in self._records.values() if one.game_type.casefold() == game_type.casefold())
        return max(found, key=lambda one: one.number, default=None)

    def close(self, record: ChampionshipRecord) -> None:
        """All is played, and nobody else is to be told so."""
        record.close()
        self._records.pop(str(record.number), None)

    def counting(
        self, championship: str, names: Sequence[str], result: Result
    ) -> Callable[[Callable[[], None]], None] | None:
        """As `TableContext.counting`."""
        record = self._records.get(championship)
        return None if record is None else record.counting(names, result)

    # -- a restart of the host

    def found(self, record: TableRecord | str) -> None:
        """The record of a championship of an earlier run of the host."""
        try:
            if isinstance(record, str):
                raise ValueError(record)
            self._records[str(record.table)] = ChampionshipRecord.read(self._context, record)
        except ValueError as error:
            self.log.error("the championship does not go on: {reason}", reason=str(error))

    def found_match(self, record: TableRecord | str) -> None:
        """
        The record of a match of an earlier run, whatever it counted in. If the host ended between the end of the match and
        the count of it, the match is counted now.
        """
        if isinstance(record, str) or not record.opening.championship:
            return  # a record that cannot be read is logged by whoever closes the match, or plays it on
        opening = record.opening
        names = [seat.name for seat in opening.seats]
        if not record.entries[-1].outcome:
            if opening.game != REMOTE.name:  # nobody comes back to a remote game
                self.going_on.append(names)
            return
        result = self._result_of(record)
        count = None if result is None else self.counting(opening.championship, names, result)
        if count is not None:
            count(nothing)
            self.log.info("table {table} counts in its championship", table=record.table)

    def _result_of(self, record: TableRecord) -> Result | None:
        opening, chance = record.opening, JournalledChance(self._context.rng)
        try:
            game = self.games[opening.game]
            return replay(game, new_master(game, opening, chance), chance, record.entries).result
        except (KeyError, ValueError) as error:
            self.log.error("table {table} does not count: {reason}", table=record.table, reason=str(error))
            return None
