"""
The entries of a contest's journal.

The journal is a file of JSON lines. Each has one key, which names what it is. The first line is the `plan`, which
`gamehost.extras.contest.contest` writes. The others are the entries of this module, in the order in which they happened. A
game counts when its line is on disk.
"""

import json
from collections.abc import Mapping
from typing import Any

from attrs import asdict, frozen
from msgspec import convert

from gamehost.extras.contest.judging import NOT_COME, Ruling
from gamehost.extras.contest.ratings import Score, pairs_of


@frozen
class Played:
    """A game is decided."""

    id: str
    round: int
    #: The entrants, by their numbers, in the order of the seats.
    players: tuple[int, ...]
    #: The share of each player in the one point of the game, in the same order.
    shares: tuple[float, ...]
    #: See `gamehost.extras.contest.judging.Decision`.
    cause: str
    words: str
    #: What the runner has decided, and its evidence; `None`: the record decides.
    ruling: Ruling | None = None
    moves: int = 0
    seconds: float = 0.0
    #: The match in the notation of its game; empty if it did not begin.
    notation: str = ""

    @property
    def absent(self) -> tuple[int, ...]:
        """Entrants whose program did not come."""
        if self.ruling is None or self.ruling.cause not in NOT_COME:
            return ()
        return tuple(self.players[seat] for seat in self.ruling.seats)

    @property
    def scores(self) -> list[Score]:
        if len(self.players) == 2:
            return [Score(self.players[0], self.players[1], self.shares[0])]
        return pairs_of(dict(zip(self.players, self.shares, strict=True)))


@frozen
class Void:
    """The host has failed in a game, which does not count. It is played again, but only once."""

    id: str
    why: str


@frozen
class Refused:
    """A connection asked for a seat of a game and did not get it."""

    id: str
    #: The name for which it asked.
    name: str
    why: str
    #: The entrant to whom its process belongs; `None`: to none.
    owner: int | None = None
    #: For people: the number of the process, and its command.
    process: str = ""


#: Why an entrant is out that the organizer has taken out.
TAKEN_OUT = "taken out by the organizer"


@frozen
class Dropped:
    """The organizer has taken an entrant out."""

    player: int
    #: The last round in which it took part.
    round: int
    why: str = TAKEN_OUT


@frozen
class CommandReplaced:
    """The organizer has given an entrant another command, or its author another program. It is in again, if it was out."""

    player: int
    command: tuple[str, ...]
    #: Where rounds depend on results: the last round that it may have missed. It takes part in those that begin later.
    round: int = 0
    #: The games that it plays again with it: what was decided in them does not count any more.
    again: tuple[str, ...] = ()
    #: The folder of what its author has handed in; empty: the organizer has changed the command.
    folder: str = ""


@frozen
class Replayed:
    """The organizer orders games to be played again. Their earlier results do not count."""

    ids: tuple[str, ...]


#: What the organizer does in the middle of a contest.
Intervention = Dropped | CommandReplaced | Replayed
Entry = Played | Void | Refused | Intervention

#: What a line is, by its key.
KINDS: Mapping[str, type[Any]] = {
    "played": Played,
    "void": Void,
    "refused": Refused,
    "dropped": Dropped,
    "replaced": CommandReplaced,
    "replayed": Replayed,
}
_KEYS = {kind: key for key, kind in KINDS.items()}


def written(entry: Any) -> bytes:
    """The line of an entry."""
    return json.dumps({_KEYS[type(entry)]: asdict(entry)}).encode() + b"\n"


def read(line: bytes) -> Any:
    """
    The entry of a line.

    :raises ValueError: it is none
    """
    content = json.loads(line)
    if not isinstance(content, dict) or len(content) != 1 or not content.keys() <= KINDS.keys():
        raise ValueError(f"expected a line with one of {', '.join(KINDS)}")
    [(key, fields)] = content.items()
    return convert(fields, KINDS[key])
