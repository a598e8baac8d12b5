"""
What has happened at a table, as everybody may know it.

A record is carried out once more by a new master, and its events for everyone are kept. So nothing is stored for this, and
no secret can be told: a master has addressed each event already.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from attrs import field, frozen

from gamehost.games.base import Game, Result, To
from gamehost.games.chance import JournalledChance
from gamehost.journal.records import Entry, EntryKind, TableHeader
from gamehost.journal.replay import NotFollowed, new_master, replay

E = TypeVar("E")
E_co = TypeVar("E_co", covariant=True)

#: Entries above which a history is made by a worker: less takes about 10 ms at most.
MANY = 2_000

#: A thread that does work: the work, and what is called with its result.
Worker = Callable[[Callable[[], Any], Callable[[Any], None]], None]


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


def history(game: Game[Any, E], opening: TableHeader, entries: Sequence[Entry], until: int | None = None) -> History[E]:
    """
    What everybody may know of a match.

    :param entries: from the first one after the opening on
    :param until: the number of the last entry that counts; `None`: all of them
    :raises NotFollowed: the record does not fit the rules of its game
    """
    events: list[tuple[int, E]] = []

    def note(number: int, told: Sequence[To[E]]) -> None:
        events.extend((number, to.event) for to in told if to.audience is None)

    chance = JournalledChance()
    followed = [entry for entry in entries[:until] if entry.kind is not EntryKind.ARCHIVED]
    master = replay(game, new_master(game, opening, chance), chance, followed, note)
    names = tuple(seat.name for seat in opening.seats)
    return History(len(followed), tuple(events), master.result, names)


def make_history(
    worker: Worker,
    game: Game[Any, E],
    opening: TableHeader,
    entries: Sequence[Entry],
    until: int | None,
    done: Callable[[History[E] | NotFollowed], None],
) -> None:
    """
    Make a history at once, or on a worker's thread if there are more than `MANY` entries.

    :param worker: such as `gamehost.ops.worker.SerialWorker`
    :param done: called with the history, or with the reason why there is none
    """

    def work() -> History[E] | NotFollowed:
        try:
            return history(game, opening, entries, until)
        except NotFollowed as error:
            return error

    if len(entries) > MANY and (until is None or until > MANY):
        worker(work, done)
    else:
        done(work())


def shown_after(entries: Sequence[Entry], now: int, delay: float) -> int:
    """
    How many entries of a live match a watcher may know if they see everything later than the players.

    :param now: on the table's clock, in milliseconds
    :param delay: in seconds
    """
    latest = now - round(delay * 1000)
    return sum(entry.at <= latest for entry in entries)
