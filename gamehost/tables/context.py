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
    #: The match is being archived. Its players are free when that is durable.
    CLOSING = "closing"
    OVER = "over"
    #: The master broke; nothing more is accepted in this run of the host.
    SUSPENDED = "suspended"


#: Adds something to the journal, and calls back when it is durable.
Addition = Callable[[Callable[[], None]], None]


# Looking up a member of an enum takes as long as ten comparisons, and these two are looked up for every move.
PLAYING, DORMANT = Phase.PLAYING, Phase.DORMANT


@define(eq=False)
class TableContext:
    """The shared parts of all tables of a host."""

    clock: IReactorTime
    journal: Journal
    #: Seconds for which a lost seat is reserved; 0: it is not.
    grace: float = 60.0
    #: Seconds after the grace time in which players that are there may claim the match, before it ends by itself; 0: it
    #: ends with the grace time.
    claim: float = 600.0
    #: Seconds for which a deserted table is stored.
    sleep: float = 86_400.0
    #: The least grace, in seconds, after a restart of the host, when everybody must log in anew.
    restart_grace: float = 120.0
    #: Seconds since 1970, as the store's clock has it.
    wall: Callable[[], float] = time.time
    #: Where chance comes from: a whole number from 0 to n-1.
    rng: Callable[[int], int] = secrets.randbelow
    #: Called with every table that a fault of its master has stopped.
    suspended: Callable[[TableId, str], None] = lambda table, game: None
    #: Called when a match of a championship has ended, with the championship's number, the players and the result. It
    #: returns a function that adds the result to that record. `None`: it does not count.
    counting: Callable[[str, Sequence[str], Result], Addition | None] = lambda championship, names, result: None
    counts: MatchCounts = field(init=False, factory=MatchCounts)
    #: The checked kinds of events of masters, by the name of the game and the number of seats.
    told: defaultdict[tuple[str, int], set[Any]] = field(init=False, factory=partial(defaultdict, set))
    #: Turns for all that must not keep players waiting.
    scheduler: FairScheduler = field(
        init=False, default=Factory(lambda self: FairScheduler(self.clock), takes_self=True)
    )
    #: Carries out long records for players.
    slices: Slices = field(init=False, default=Factory(lambda self: Slices(self.clock), takes_self=True))
