"""
Replay: a record carried out once more by a new master, which then stands where the old one stood.

Whatever the record says is held against what the rules make of it now: what was drawn, how the match ended, and the checks. A
record that does not fit is not played on: its players would find another match than the one that they were told of.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from gamehost.games.base import Game, GameMaster, IllegalAction, To
from gamehost.games.chance import Chance, JournalledChance
from gamehost.games.clock import with_clocks
from gamehost.journal.fingerprint import fingerprint
from gamehost.journal.records import Entry, EntryKind, TableHeader

A = TypeVar("A")
E = TypeVar("E")


class NotFollowed(ValueError):
    """A record does not fit the rules of its game. The message says which entry, and what was expected."""


def new_master(game: Game[A, E], opening: TableHeader, chance: Chance) -> GameMaster[A, E]:
    """
    The master of a table, before its match begins.

    :raises BadOption: a setting cannot be used
    """
    seats = len(opening.seats)
    return with_clocks(game.new_master(seats, opening.game_settings, chance), seats, opening.settings)


def replay(
    game: Game[A, E],
    master: GameMaster[A, E],
    chance: JournalledChance,
    entries: Iterable[Entry],
    told: Callable[[int, Sequence[To[E]]], None] | None = None,
) -> GameMaster[A, E]:
    """
    Carry out a record.

    :param master: a new one
    :param chance: where that master draws from
    :param entries: from the first on; what comes after an end is not looked at
    :param told: called with the number of each entry, the first one being 1, and its events
    :returns: the master
    :raises NotFollowed: the record does not fit the rules
    """
    for _ in replay_in_steps(game, master, chance, entries, told):
        pass
    return master


def replay_in_steps(
    game: Game[A, E],
    master: GameMaster[A, E],
    chance: JournalledChance,
    entries: Iterable[Entry],
    told: Callable[[int, Sequence[To[E]]], None] | None = None,
    first: int = 1,
) -> Iterator[None]:
    """
    As `replay`; each step of the iterator carries out one entry.

    :param first: the number of the first of these entries; the master has carried out those before it
    """
    for number, entry in enumerate(entries, first):
        if entry.kind is EntryKind.ARCHIVED:
            break
        try:
            events = chance.replay(entry.drawn, partial(_step, game, master, entry))
        except IllegalAction as error:
            raise NotFollowed(f"entry {number}: the rules refuse it: {error}") from error
        except ValueError as error:
            raise NotFollowed(f"entry {number}: {error}") from error
        if (master.result is None) is not (entry.outcome == ""):
            ends = "goes on" if master.result is None else "is over"
            raise NotFollowed(f"entry {number}: under this release's rules the match {ends} here, and it was not so")
        if entry.check and fingerprint(master) != entry.check:
            raise NotFollowed(f"entry {number}: its moves give another position under this release's rules")
        if told is not None:
            told(number, events)
        yield


def _step(game: Game[A, E], master: GameMaster[A, E], entry: Entry) -> Sequence[To[E]]:
    kind, seat = entry.kind, entry.seat
    if kind is EntryKind.ACTED and seat is not None:
        return master.act(seat, game.read(entry.notation), entry.at)
    if kind is EntryKind.BEGAN:
        return master.begin(entry.at)
    if kind is EntryKind.FORFEITED and seat is not None:
        return master.forfeit(seat, entry.at)
    if kind is EntryKind.EXPIRED:
        return master.expire(entry.at)
    raise ValueError(f"an entry of kind {kind} that cannot stand here")
