"""
The entries of a contest's journal.

The journal is a file of JSON lines. Each line is an object with one key, which names the kind of the entry. The first line
is the `plan`, which `gamehost.extras.contest.contest` writes. The other lines are the entries of this module, in the order
in which they happened. A game counts as soon as its line is on disk.
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
    """The entry for a decided game: its result, and the record or ruling on which the result is based."""

    id: str
    round: int
    #: The entrants, by their numbers, in the order of the seats.
    players: tuple[int, ...]
    #: The share of each player in the one point of the game, in the same order.
    shares: tuple[float, ...]
    #: Cause and words are those of `gamehost.extras.contest.judging.Decision`.
    cause: str
    words: str
    #: The ruling with its evidence; `None`: the record of the match decides.
    ruling: Ruling | None = None
    moves: int = 0
    seconds: float = 0.0
    #: The match in the notation of its game; empty: the match did not begin.
    notation: str = ""

    @property
    def absent(self) -> tuple[int, ...]:
        """The numbers of the entrants that the contest has ruled absent: their programs did not come to the game."""
        if self.ruling is None or self.ruling.cause not in NOT_COME:
            return ()
        return tuple(self.players[seat] for seat in self.ruling.seats)

    @property
    def scores(self) -> list[Score]:
        """The game as results between two players. A game of more players counts as several such results."""
        if len(self.players) == 2:
            return [Score(self.players[0], self.players[1], self.shares[0])]
        return pairs_of(dict(zip(self.players, self.shares, strict=True)))


@frozen
class Void:
    """The entry for a game that does not count, because the host has failed in it. The game is played once more."""

    id: str
    why: str


@frozen
class Refused:
    """The entry for a connection that asked for a seat of a game and did not get it."""

    id: str
    #: The player's name under which the connection tried to log in.
    name: str
    why: str
    #: The number of the entrant to whom the process belongs; `None`: it belongs to no entrant.
    owner: int | None = None
    #: The id of the process and its command, as a text for people.
    process: str = ""


#: The reason that is stored for an entrant that the organizer has taken out.
TAKEN_OUT = "taken out by the organizer"


@frozen
class Dropped:
    """The entry for an entrant that the organizer has taken out of the contest."""

    player: int
    #: The last round in which the entrant took part.
    round: int
    why: str = TAKEN_OUT


@frozen
class CommandReplaced:
    """
    The entry for an entrant with a new command from the organizer, or a new program from its author. If the entrant was out
    of the contest, it is in again.
    """

    player: int
    command: tuple[str, ...]
    #: The last round that the entrant may have missed, if rounds depend on results. It takes part in later rounds.
    round: int = 0
    #: The ids of decided games that the entrant plays again with the new command. Their results no longer count.
    again: tuple[str, ...] = ()
    #: The folder of the program that the author has uploaded; empty: the organizer has changed the command.
    folder: str = ""


@frozen
class Replayed:
    """The entry for games that the organizer wants played again. Their earlier results no longer count."""

    ids: tuple[str, ...]


#: The entries for changes in the middle of a contest.
Intervention = Dropped | CommandReplaced | Replayed
Entry = Played | Void | Refused | Intervention

#: The kinds of entries, by the key of their lines.
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
    """Returns the line of the journal for an entry."""
    return json.dumps({_KEYS[type(entry)]: asdict(entry)}).encode() + b"\n"


def read(line: bytes) -> Any:
    """
    Returns the entry in a line of the journal.

    :raises ValueError: the line is not an entry
    """
    content = json.loads(line)
    if not isinstance(content, dict) or len(content) != 1 or not content.keys() <= KINDS.keys():
        raise ValueError(f"expected a line with one of {', '.join(KINDS)}")
    [(key, fields)] = content.items()
    return convert(fields, KINDS[key])
