"""
Replaying a record: a new game master carries out its entries, so that the match can continue, or to make the public
history of the match.

The fingerprint of a master's state shows whether the replay has come to the same position. Events are not stored: the
replay makes them again. A master says for each event who may know it, so the public history contains no secrets.
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

#: If the number of an entry is divisible by this number, the entry has a fingerprint. More fingerprints would make
#: moves slower; with fewer, a wrong replay would be found later.
INTERVAL = 50

#: The kinds of entries with an accepted offer, or with a claimed draw. The seat of such an entry is the one that has
#: made the offer or the claim.
AGREEMENTS: Mapping[EntryKind, Offer] = {
    EntryKind.DRAWN: Offer.DRAW,
    EntryKind.TAKEN_BACK: Offer.TAKEBACK,
    EntryKind.CLAIMED: Offer.CLAIM,
}

#: The kinds of entries that do not concern the game master: a new offer, or `None` for a declined one.
OFFERS: Mapping[EntryKind, Offer | None] = {
    EntryKind.DRAW_OFFERED: Offer.DRAW,
    EntryKind.ASKED_BACK: Offer.TAKEBACK,
    EntryKind.DECLINED: None,
}

_Writer = Callable[[Any], str]


def fingerprint(master: GameMaster[Any, Any]) -> bytes:
    """
    Eight bytes that depend on the state of a match: the state of its master, its deadline and its result. The words of
    the result are left out: they are for people, and may change.

    :raises TypeError: the master's state has a value that `canonical_text` cannot write
    """
    result = master.result
    end = None if result is None else (result.winners, result.cause)
    return sha256(canonical_text((master.state(), master.deadline, end)).encode("utf-8", "surrogatepass")).digest()[:8]


def canonical_text(value: object) -> str:
    """
    A text that is the same in every process for equal values. Values may be made of whole numbers, strings, bytes,
    enumerations, sequences, sets, mappings, and of msgspec Structs and attrs classes that are compared by their fields.
    A list has the text of the equal tuple.

    :raises TypeError: the value contains something else
    """
    kind = type(value)
    return (_WRITERS.get(kind) or _writer(kind))(value)


def _writer(kind: type[Any]) -> _Writer:
    """The function that writes values of a type that is not in `_WRITERS` yet. It is added there."""
    writer: _Writer
    if issubclass(kind, int):
        writer = int.__repr__
    elif issubclass(kind, str):
        writer = _string
    elif issubclass(kind, Enum):
        writer = _member
    elif issubclass(kind, Struct) or (attrs.has(kind) and kind.__eq__ is not object.__eq__):
        # attrs classes that compare by identity are left out: two equal states would have different texts.
        writer = _fields_of(kind)
    else:
        raise TypeError(f"a {kind.__qualname__} has no text that is the same in every process")
    _WRITERS[kind] = writer
    return writer


def _fields_of(kind: type[Any]) -> _Writer:
    """
    Make the function that writes objects of a class with fields: the name of the class, and the texts of its fields.
    """
    names = kind.__struct_fields__ if issubclass(kind, Struct) else [each.name for each in attrs.fields(kind)]
    if not names:
        return lambda value: f"{kind.__name__}()"
    get = attrgetter(*names)
    if len(names) == 1:
        # With one name, `attrgetter` gives the value itself, and no tuple.
        return lambda value: f"{kind.__name__}({canonical_text(get(value))})"
    return lambda value: f"{kind.__name__}{_sequence(get(value))}"


def _string(value: str) -> str:
    # The length comes first, so that the end of the string is clear.
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
    Carry out the entries of a record with a game master.

    :param master: a new master
    :param chance: the source of random numbers that was given to this master
    :param entries: all entries of the record; entries after `ARCHIVED` are ignored
    :param told: called with the number of each entry, from 1, and its events
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
    Make a new master, carry out these entries with `replay`, and return the master.

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
    The same as `replay`, but each step of the iterator carries out one entry.

    :param first: the number of the first of these entries; the master has already carried out the entries before
    """
    for number, entry in enumerate(entries, first):
        # The table was put away without a result: nothing follows.
        if entry.kind is EntryKind.ARCHIVED:
            break
        try:
            # The master gets the random numbers that were drawn in the match.
            events = chance.replay(entry.drawn, partial(_step, game, master, entry))
        except IllegalAction as error:
            raise NotFollowed(f"entry {number}: the rules refuse it: {error}") from error
        except ValueError as error:
            raise NotFollowed(f"entry {number}: {error}") from error
        # The match must be over exactly at the entry that has an outcome.
        if (master.result is None) is not (entry.outcome == ""):
            ends = "goes on" if master.result is None else "is over"
            raise NotFollowed(f"entry {number}: under this release's rules the match {ends} here, and it was not so")
        # Some entries have a fingerprint of the match after them.
        if entry.check and fingerprint(master) != entry.check:
            raise NotFollowed(f"entry {number}: its moves give another position under this release's rules")
        if told is not None:
            told(number, events)
        yield


def _step(game: Game[A, E], master: GameMaster[A, E], entry: Entry) -> Sequence[To[E]]:
    """Carry out one entry, and return its events."""
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
    # Offers change nothing in the match; only agreements do.
    if kind in OFFERS and seat is not None:
        return ()
    raise ValueError(f"an entry of kind {kind} that cannot stand here")


E_co = TypeVar("E_co", covariant=True)

#: How many entries one history may have: a quarter of a megabyte on the open wire.
MANY = 2_000


@frozen
class History(Generic[E_co]):
    """The public events of a match, up to an entry."""

    #: The number of the last entry that is included. The first entry after the opening has the number 1.
    n: int
    #: The public events, each with the number of its entry.
    events: tuple[tuple[int, E_co], ...]
    #: The result; `None`: the match had not ended at this entry.
    result: Result | None
    #: The players, in the order of the seats.
    names: tuple[str, ...] = field(default=(), eq=False)
    #: All events, including those that only single seats have received. Only for a finished match, if the caller wants
    #: them and there are such events.
    all_events: tuple[tuple[int, To[E_co]], ...] = field(default=(), eq=False)


def beginning(told: History[E], until: int, most: int) -> History[E]:
    """
    Cut a history at an earlier entry. The result is what `history_in_steps` would make of the record.

    :param told: a history with the events of all its entries
    :param most: how many of the last entries have their events in the history
    """
    n = min(told.n, until)
    events = tuple(one for one in told.events if n - most < one[0] <= n)
    # The result and the secret events belong to the whole match only.
    whole = n == told.n
    return History(n, events, told.result if whole else None, told.names, told.all_events if whole else ())


def history(game: Game[Any, E], opening: TableHeader, entries: Sequence[Entry], until: int | None = None) -> History[E]:
    """
    The public events of a match, from its beginning on.

    :param entries: all entries, from the first one after the opening
    :param until: the number of the last entry to include; `None`: all entries
    :raises NotFollowed: the record does not fit the rules of its game
    """
    steps = history_in_steps(game, opening, entries, until)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            # The value that the generator returns.
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
    The same as `history`, but each step of the generator carries out one entry. The generator returns the history.

    :param most: how many of the last entries have their events in the history; `None`: all entries
    :param secrets: whether the history of a finished match also has the events that only single seats have received
    """
    followed = [entry for entry in entries[:until] if entry.kind is not EntryKind.ARCHIVED]
    # Events of the entries up to this number are left out.
    first = 0 if most is None else len(followed) - most
    events: list[tuple[int, E]] = []
    everything: list[tuple[int, To[E]]] = []

    def note(number: int, told: Sequence[To[E]]) -> None:
        """Add the events of an entry to the history, if they belong there."""
        if number > first:
            events.extend((number, to.event) for to in told if to.audience is None)
        if secrets:
            everything.extend((number, to) for to in told)

    chance = JournalledChance()
    master = new_master(game, opening, chance)
    yield from replay_in_steps(game, master, chance, followed, note)
    names = tuple(seat.shown or seat.name for seat in opening.seats)
    # Secrets are shown only after the end. Without events for single seats, `events` says everything already.
    shown = secrets and master.result is not None and any(to.audience is not None for _, to in everything)
    return History(len(followed), tuple(events), master.result, names, tuple(everything) if shown else ())


def shown_after(entries: Sequence[Entry], now: int, delay: float) -> int:
    """
    How many entries of a running match a watcher may know, if watchers receive everything later than the players.

    :param now: the time on the table's clock, in milliseconds
    :param delay: the delay of watchers, in seconds
    """
    latest = now - round(delay * 1000)
    return sum(entry.at <= latest for entry in entries)
