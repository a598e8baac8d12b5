"""
A record is carried out again by a new master, to continue it, and to make the public history of it.

The fingerprint of a master's state shows whether the replay had the same result. The events for watchers are not
stored, and no secret can be among them: a master has addressed each event already.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import partial
from hashlib import sha256
from operator import attrgetter
from typing import Any, Generic, TypeVar

import attrs
from attrs import field, frozen
from msgspec import Struct

from gamehost.games.base import (
    Chance,
    Game,
    GameMaster,
    IllegalAction,
    JournalledChance,
    Offer,
    Result,
    TakesOffers,
    To,
)
from gamehost.games.clock import with_clocks
from gamehost.journal.records import Entry, EntryKind, TableHeader

#: The number of entries of a table after which one has a check. More checks cost time of moves; with fewer checks, a
#: wrong replay is detected later.
INTERVAL = 50

#: The agreements of players in entries of these kinds, and the draw that one claims. The seat of the entry has made the
#: offer, or claims.
AGREEMENTS: Mapping[EntryKind, Offer] = {
    EntryKind.DRAWN: Offer.DRAW,
    EntryKind.TAKEN_BACK: Offer.TAKEBACK,
    EntryKind.CLAIMED: Offer.CLAIM,
}

#: Entries that change nothing for a master.
OFFERS: Mapping[EntryKind, Offer | None] = {
    EntryKind.DRAW_OFFERED: Offer.DRAW,
    EntryKind.ASKED_BACK: Offer.TAKEBACK,
    EntryKind.DECLINED: None,
}

_Writer = Callable[[Any], str]


def fingerprint(master: GameMaster[Any, Any]) -> bytes:
    """
    Eight bytes for the state of a match: the state of its master, its deadline, and its end. The words about the end
    are not part of it: they are for people, and may change.

    :raises TypeError: the master's state is not made of what `canonical_text` takes
    """
    result = master.result
    end = None if result is None else (result.winners, result.cause)
    return sha256(canonical_text((master.state(), master.deadline, end)).encode("utf-8", "surrogatepass")).digest()[:8]


def canonical_text(value: object) -> str:
    """
    A text for a value made of whole numbers, strings, bytes, enumerations, sequences, sets, mappings, and msgspec
    Structs and attrs classes that are compared by their fields.

    A value that is equal to another has its text, and a list has that of a tuple.

    :raises TypeError: it is made of something else
    """
    kind = type(value)
    return (_WRITERS.get(kind) or _writer(kind))(value)


def _writer(kind: type[Any]) -> _Writer:
    """How values of a type are written that is none of those in the table. Found once for each."""
    writer: _Writer
    if issubclass(kind, int):
        writer = int.__repr__
    elif issubclass(kind, str):
        writer = _string
    elif issubclass(kind, Enum):
        writer = _member
    elif issubclass(kind, Struct) or (attrs.has(kind) and kind.__eq__ is not object.__eq__):
        writer = _fields_of(kind)
    else:
        raise TypeError(f"a {kind.__qualname__} has no text that is the same in every process")
    _WRITERS[kind] = writer
    return writer


def _fields_of(kind: type[Any]) -> _Writer:
    names = kind.__struct_fields__ if issubclass(kind, Struct) else [each.name for each in attrs.fields(kind)]
    if not names:
        return lambda value: f"{kind.__name__}()"
    get = attrgetter(*names)
    if len(names) == 1:
        return lambda value: f"{kind.__name__}({canonical_text(get(value))})"
    return lambda value: f"{kind.__name__}{_sequence(get(value))}"


def _string(value: str) -> str:
    # Its length comes first, so that no string can look like the text next to it.
    return f"{len(value)}:{str.__str__(value)}"


def _member(value: Enum) -> str:
    return f"{type(value).__name__}.{value.name}"


def _bytes(value: bytes | bytearray) -> str:
    return f"x{value.hex()}"


def _sequence(values: Iterable[object]) -> str:
    return f"({','.join([canonical_text(value) for value in values])})"


def _set(values: Iterable[object]) -> str:
    return f"{{{','.join(sorted(canonical_text(value) for value in values))}}}"


_WRITERS: dict[type[Any], _Writer] = {
    type(None): lambda value: "-",
    bool: int.__repr__,
    int: int.__repr__,
    str: _string,
    bytes: _bytes,
    bytearray: _bytes,
    tuple: _sequence,
    list: _sequence,
    set: _set,
    frozenset: _set,
    dict: lambda values: _set(values.items()),
}


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
    :param entries: from the first one on; entries after an end are ignored
    :param told: called with the number of each entry, the first one being 1, and its events
    :returns: the master
    :raises NotFollowed: the record does not fit the rules
    """
    for _ in replay_in_steps(game, master, chance, entries, told):
        pass
    return master


def replayed(
    game: Game[A, E],
    opening: TableHeader,
    entries: Iterable[Entry],
    told: Callable[[int, Sequence[To[E]]], None] | None = None,
) -> GameMaster[A, E]:
    """
    The master of a table as it was after these entries: `replay` with a new master.

    :raises BadOption: a setting cannot be used
    :raises NotFollowed: the record does not fit the rules
    """
    chance = JournalledChance()
    return replay(game, new_master(game, opening, chance), chance, entries, told)


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
    if kind in AGREEMENTS and seat is not None and isinstance(master, TakesOffers):
        return master.agree(AGREEMENTS[kind], seat, entry.at)
    if kind in OFFERS and seat is not None:
        return ()
    raise ValueError(f"an entry of kind {kind} that cannot stand here")


E_co = TypeVar("E_co", covariant=True)

#: The most entries in one history: a quarter of a megabyte on the open wire.
MANY = 2_000


@frozen
class History(Generic[E_co]):
    """The public events of a match, up to an entry."""

    #: How many entries are in it, the opening aside. The first one after the opening has the number 1.
    n: int
    #: The number of its entry, and an event of the game's master that is for everyone.
    events: tuple[tuple[int, E_co], ...]
    #: How the match ended; `None`: it had not ended then.
    result: Result | None
    #: The players, in the order of the seats.
    names: tuple[str, ...] = field(default=(), eq=False)
    #: All events, with those that single seats have received: only of a finished match, if this was asked for and there
    #: are such events.
    all_events: tuple[tuple[int, To[E_co]], ...] = field(default=(), eq=False)


def beginning(told: History[E], until: int, most: int) -> History[E]:
    """
    A history up to an earlier entry: the same as `history_in_steps` makes of the record.

    :param told: a history with the events of all its entries
    :param most: as of `history_in_steps`
    """
    n = min(told.n, until)
    events = tuple(one for one in told.events if n - most < one[0] <= n)
    whole = n == told.n
    return History(n, events, told.result if whole else None, told.names, told.all_events if whole else ())


def history(game: Game[Any, E], opening: TableHeader, entries: Sequence[Entry], until: int | None = None) -> History[E]:
    """
    The public events of a match, from its beginning on.

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
    *,
    secrets: bool = False,
) -> Generator[None, None, History[E]]:
    """
    As `history`; each step of the generator carries out one entry.

    :param most: the number of last entries with events in the history; `None`: all
    :param secrets: whether what single seats have received may be in the history, if the match is finished
    """
    followed = [entry for entry in entries[:until] if entry.kind is not EntryKind.ARCHIVED]
    first = 0 if most is None else len(followed) - most
    events: list[tuple[int, E]] = []
    everything: list[tuple[int, To[E]]] = []

    def note(number: int, told: Sequence[To[E]]) -> None:
        if number > first:
            events.extend((number, to.event) for to in told if to.audience is None)
        if secrets:
            everything.extend((number, to) for to in told)

    chance = JournalledChance()
    master = new_master(game, opening, chance)
    yield from replay_in_steps(game, master, chance, followed, note)
    names = tuple(seat.shown or seat.name for seat in opening.seats)
    shown = secrets and master.result is not None and any(to.audience is not None for _, to in everything)
    return History(len(followed), tuple(events), master.result, names, tuple(everything) if shown else ())


def shown_after(entries: Sequence[Entry], now: int, delay: float) -> int:
    """
    How many entries of a live match a watcher may know if they see everything later than the players.

    :param now: on the table's clock, in milliseconds
    :param delay: in seconds
    """
    latest = now - round(delay * 1000)
    return sum(entry.at <= latest for entry in entries)
