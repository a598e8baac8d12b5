"""
The directory: who is here, which matches are played and who waits, as it stands at this moment.

The board (`gamehost.lobby.board`) tells the same as differences, to clients that look all the time. Here somebody asks once,
and is told what costs little: no views.
"""

from collections.abc import Callable
from itertools import count

from attrs import define, field, frozen

from gamehost.journal.records import TableId
from gamehost.lobby.board import LISTED, WaitingByGame
from gamehost.lobby.played import PlayedTables
from gamehost.lobby.sessions import Session, SessionRegistry
from gamehost.tables.gallery import Galleries
from gamehost.tables.interfaces import OpenTable

#: What the names of guests begin with who have chosen none.
GUEST = "guest."


@frozen
class Person:
    """Somebody who is here under a name."""

    name: str
    wire: str
    account: bool
    #: The game of the match in which they play; empty: they do not.
    game: str
    #: Its number; `None` if it is private, or there is none.
    table: TableId | None


@frozen
class PlayedTable:
    """A match that everybody may watch."""

    table: TableId
    game: str
    names: tuple[str, ...]
    wires: tuple[str, ...]
    #: How many entries of its record have been told; `None`: others are told later than the players.
    n: int | None
    watchers: int


@frozen
class Counts:
    """How many there are."""

    tables: int
    people: int
    waiting: int


@define(eq=False)
class Directory:
    """
    The directory of a host.

    :param who_waits: says who waits now
    """

    _registry: SessionRegistry
    _tables: PlayedTables
    _galleries: Galleries
    _who_waits: Callable[[], WaitingByGame]
    #: What people run in a terminal to play on this host, such as `nc 127.0.0.1 8888`; empty: there is no port for them.
    by_hand: str = field(init=False, default="")
    _numbers: "count[int]" = field(factory=lambda: count(1))

    def people(self) -> list[Person]:
        """Those who are here, by name, and no more than `LISTED`."""
        present = sorted(self._registry.present(), key=lambda session: session.key)
        return [
            Person(
                session.name,
                session.wire,
                session.account,
                "" if session.table is None else session.table.game.name,
                None if session.table is None or session.table.code else session.table.id,
            )
            for session in present[:LISTED]
        ]

    def tables(self) -> list[PlayedTable]:
        """The matches that are not private, the newest ones, and no more than `LISTED`; by number."""
        self._tables.look()
        found = [
            PlayedTable(
                table.id,
                table.game.name,
                tuple(table.names),
                tuple(table.wires),
                None if self._galleries.delay(table.game.name) else table.n,
                self._galleries.watchers(table.id),
            )
            for table in self._tables.newest(LISTED)
        ]
        return found[::-1]

    def kept_table(self, session: Session) -> OpenTable | None:
        """
        The match in which a seat is kept for a player who has logged in and has not taken it yet, as a table that waits for
        this player alone; `None`: there is none. While it is loaded, its settings are not known.
        """
        table = session.table
        if table is not None:
            names, settings = list(table.names), table.settings
        elif session.asleep is not None:
            waking = self._registry.waking.get(session.asleep)
            names, settings = ["" if one is None else one.name for one in waking.sessions] if waking else [], {}
        else:
            return None
        assert session.table_id is not None
        others = tuple(name for seat, name in enumerate(names) if seat != session.seat)
        return OpenTable(session.table_id, len(names), settings, others)

    def waiting(self) -> WaitingByGame:
        """Who waits in queues and at tables that are for everybody."""
        return self._who_waits()

    def counts(self) -> Counts:
        """How many matches, people and waiting players there are. Private matches count, private tables do not."""
        self._tables.look()
        waiting = sum(len(one.names) + sum(len(table.names) for table in one.tables) for one in self.waiting().values())
        return Counts(len(self._tables), sum(1 for _ in self._registry.present()), waiting)

    def new_guest(self) -> str:
        """A name for a guest who has chosen none. Nobody who is here has it, and no seat is kept under it."""
        guest = GUEST + self._registry.membership.prefix
        return next(name for number in self._numbers if self._registry.get(name := f"{guest}{number}") is None)
