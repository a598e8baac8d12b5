"""The shared parts of all tables of a host, and the phases of a table."""

import secrets
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial
from typing import Any

from attrs import Factory, define, field
from twisted.internet.interfaces import IReactorTime

from gamehost.fairness import FairScheduler, Slices
from gamehost.games.base import Result
from gamehost.journal.records import Journal, TableId
from gamehost.measures import MatchCounts


class Phase(Enum):
    """The state of a table."""

    PLAYING = "playing"
    #: All players are away; the clock is stopped.
    DORMANT = "asleep"
    #: The match is being archived. Its players are free when the entry is durable.
    CLOSING = "closing"
    OVER = "over"
    #: The master has raised an error; the table accepts nothing more in this run of the host.
    SUSPENDED = "suspended"


#: A function that adds a result to the journal, and calls its argument when the result is durable.
Addition = Callable[[Callable[[], None]], None]


# Looking up a member of an enum takes as long as ten comparisons, and these two members are needed for every move.
PLAYING, DORMANT = Phase.PLAYING, Phase.DORMANT


@define(eq=False)
class TableContext:
    """The shared parts of all tables of a host."""

    clock: IReactorTime
    journal: Journal
    #: The seconds for which a seat is reserved after its player has disconnected; 0: the seat is lost at once.
    grace: float = 60.0
    #: The seconds after the grace time in which the connected players may claim the match. Then the absent player's
    #: seat is forfeited. 0: the seat is forfeited at the end of the grace time.
    claim: float = 600.0
    #: The seconds for which a table without connected players is stored.
    sleep: float = 86_400.0
    #: The shortest grace time, in seconds, after a restart of the host, when all players must log in again.
    restart_grace: float = 120.0
    #: Returns the seconds since 1970, by the clock of the store.
    wall: Callable[[], float] = time.time
    #: The source of chance: `rng(n)` returns a whole number from 0 to n-1.
    rng: Callable[[int], int] = secrets.randbelow
    #: Called with the table and the name of its game when a fault of its master has stopped a match.
    suspended: Callable[[TableId, str], None] = lambda table, game: None
    #: Called when a match of a championship has ended, with the championship's number, the names of the players and the
    #: result. The call returns a function that adds the result to the record of the championship, or `None`: the result
    #: does not count.
    counting: Callable[[str, Sequence[str], Result], Addition | None] = lambda championship, names, result: None
    counts: MatchCounts = field(init=False, factory=MatchCounts)
    #: The checked kinds of events of masters, by the name of the game and the number of seats.
    told: defaultdict[tuple[str, int], set[Any]] = field(init=False, factory=partial(defaultdict, set))
    #: Shares the time of the reactor between long tasks, so that players do not wait for them.
    scheduler: FairScheduler = field(
        init=False, default=Factory(lambda self: FairScheduler(self.clock), takes_self=True)
    )
    #: Carries out long records in short steps, for players that wait for them.
    slices: Slices = field(init=False, default=Factory(lambda self: Slices(self.clock), takes_self=True))
