"""
What has happened at a table, as everybody may know it.

A record is carried out once more by a new master, and its events for everyone are kept. So nothing is stored for this, and
no secret can be told: a master has addressed each event already.
"""

from collections.abc import Generator, Sequence
from typing import Any, Generic, TypeVar

from attrs import field, frozen

from gamehost.games.base import Game, Result, To
from gamehost.games.chance import JournalledChance
from gamehost.journal.records import Entry, EntryKind, TableHeader
from gamehost.journal.replay import new_master, replay_in_steps

E = TypeVar("E")
E_co = TypeVar("E_co", covariant=True)

#: Entries of which one history tells at most: a quarter of a megabyte on the open wire.
MANY = 2_000


@frozen
class History(Generic[E_co]):
    """What everybody may know of a match, up to an entry."""

    #: How many entries are in it, the opening aside. The first one after the opening has the number 1.
    n: int
    #: The number of its entry, and an event of the game's master that is for everyone.
    events: tuple[tuple[int, E_co], ...]
    #: How the match ended; `None`: it had not ended then.
    result: Result | None
    #: Who plays, in the order of the seats.
    names: tuple[str, ...] = field(default=(), eq=False)


def beginning(told: History[E], until: int, most: int) -> History[E]:
    """
    A history up to an earlier entry: what `history_in_steps` tells of the same record.

    :param told: a history with the events of all its entries
    :param most: as of `history_in_steps`
    """
    n = min(told.n, until)
    events = tuple(one for one in told.events if n - most < one[0] <= n)
    return History(n, events, told.result if n == told.n else None, told.names)


def history(game: Game[Any, E], opening: TableHeader, entries: Sequence[Entry], until: int | None = None) -> History[E]:
    """
    What everybody may know of a match, from its beginning on.

    :param entries: from the first one after the opening on
    :param until: the number of the last entry that counts; `None`: all of them
    :raises NotFollowed: the record does not fit the rules of its game
    """
    steps = history_in_steps(game, opening, entries, until)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            told: History[E] = stop.value
            return told


def history_in_steps(
    game: Game[Any, E],
    opening: TableHeader,
    entries: Sequence[Entry],
    until: int | None = None,
    most: int | None = None,
) -> Generator[None, None, History[E]]:
    """
    As `history`; each step of the generator carries out one entry.

    :param most: of how many entries the events are told, the last ones; `None`: of all
    """
    followed = [entry for entry in entries[:until] if entry.kind is not EntryKind.ARCHIVED]
    first = 0 if most is None else len(followed) - most
    events: list[tuple[int, E]] = []

    def note(number: int, told: Sequence[To[E]]) -> None:
        if number > first:
            events.extend((number, to.event) for to in told if to.audience is None)

    chance = JournalledChance()
    master = new_master(game, opening, chance)
    yield from replay_in_steps(game, master, chance, followed, note)
    names = tuple(seat.name for seat in opening.seats)
    return History(len(followed), tuple(events), master.result, names)


def shown_after(entries: Sequence[Entry], now: int, delay: float) -> int:
    """
    How many entries of a live match a watcher may know if they see everything later than the players.

    :param now: on the table's clock, in milliseconds
    :param delay: in seconds
    """
    latest = now - round(delay * 1000)
    return sum(entry.at <= latest for entry in entries)
