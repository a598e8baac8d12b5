"""
Where a finished match turned: a player in each seat walks through the record, and says what it thinks of each action.

Each player hears what its seat was told, and nothing else. So it blames nobody for what nobody could know.
"""

from collections.abc import Callable, Generator, Sequence
from typing import Any

from msgspec import Struct

from gamehost.games.base import Game, JournalledChance, Seat, To
from gamehost.journal.records import Entry, EntryKind, TableHeader
from gamehost.journal.replay import new_master, replay_in_steps
from gamehost.players.base import Player, Standing, TurningPoint, Weighed, Weigher

#: So many actions at which a match turned are told at most, and each has lost so much at least, in hundredths of a victory.
MOST_TURNS, LEAST_LOST = 5, 10


class Question(Struct, frozen=True):
    """A match that is to be studied, as far as a process needs it that has no journal."""

    game: str
    seats: int
    settings: dict[str, str]
    entries: tuple[Entry, ...]


class Study(Struct, frozen=True):
    """Who was ahead in a match, and where it turned. Without standings, the players of this game cannot weigh its actions."""

    standings: list[Standing]
    turns: list[TurningPoint]


def study_in_steps(
    game: Game[Any, Any], opening: TableHeader, entries: Sequence[Entry], new_player: Callable[[Seat], Player]
) -> Generator[None, None, Study]:
    """
    Study a finished match; each step of the generator weighs one action at most.

    :param new_player: makes the player of a seat
    :raises NotFollowed: the record does not fit the rules of its game
    """
    players = [new_player(Seat(seat)) for seat in range(len(opening.seats))]
    chance = JournalledChance()
    master = new_master(game, opening, chance)

    def tell(number: int, told: Sequence[To[Any]]) -> None:
        for to in told:
            for seat in range(len(players)) if to.audience is None else to.audience:
                players[seat].hear(to.event)

    standings: list[Standing] = []
    turns: list[TurningPoint] = []
    #: The actions that were not taken back: the numbers of their entries, and whose they were.
    acted: list[tuple[int, Seat | None]] = []
    followed = [entry for entry in entries if entry.kind is not EntryKind.ARCHIVED]
    steps = replay_in_steps(game, master, chance, followed, tell)
    for number, entry in enumerate(followed, 1):
        weighed = _weighed(players, entry)
        if weighed is not None:
            standings.append(Standing(number - 1, [round(100 * share) for share in weighed.shares]))
            lost = round(100 * weighed.lost)
            if lost >= LEAST_LOST and entry.seat is not None:
                turns.append(TurningPoint(number, entry.seat, _text(entry.notation), _text(weighed.best), lost))
        next(steps)
        if entry.kind is EntryKind.ACTED:
            acted.append((number, entry.seat))
        elif entry.kind is EntryKind.TAKEN_BACK:
            first = _taken_back(acted, entry.seat)
            standings = [standing for standing in standings if standing.n < first]
            turns = [turn for turn in turns if turn.n < first]
        yield
    if standings and master.result is not None:
        winners = master.result.winners or tuple(Seat(seat) for seat in range(len(players)))
        shares = [round(100 * (seat in winners) / len(winners)) for seat in range(len(players))]
        standings.append(Standing(len(followed), shares))
    worst = sorted(turns, key=lambda turn: -turn.lost)[:MOST_TURNS]
    return Study(standings, sorted(worst, key=lambda turn: turn.n))


def _taken_back(acted: list[tuple[int, Seat | None]], seat: Seat | None) -> int:
    """Remove the last action of a seat, and all since. The number of its entry."""
    number, other = acted.pop()
    while other != seat:
        number, other = acted.pop()
    return number


def _weighed(players: Sequence[Player], entry: Entry) -> Weighed | None:
    if entry.kind is not EntryKind.ACTED or entry.seat is None:
        return None
    player = players[entry.seat]
    return player.weigh(entry.notation) if isinstance(player, Weigher) else None


def _text(notation: bytes) -> str:
    return notation.decode("utf-8")
