"""
Decides a game of a contest, by the record of its match or by a ruling.

The record of a game's first table decides the game: it has the players of the seats, and the winners. If the record does
not say how the game ended, the program that runs the contest makes a ruling, with its evidence. `decision_of` reads the
result from both. Contests and audits use this function.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import field, frozen

from gamehost.games.base import Game, Result, Seat
from gamehost.journal.records import EntryKind, TableRecord
from gamehost.journal.replay import replayed

#: The causes of rulings, and what each means. "It" is the program that has lost.
RULED: Mapping[str, str] = {
    "absent": "it did not log in and ask for its game in time, or could not be started",
    "crash": "it ended before its game began",
    "gone": "it ended in its game, when no other player was there either",
    "memory": "it took more memory than the contest allows",
    "processes": "it had more processes than the contest allows",
    "processor": "it took more time of a processor than the contest allows",
    "deadline": "the game was not over in time, and waited for it; for nobody: nobody wins",
    "seat": "it asked for the seat of another one",
}
#: The causes of rulings on programs that did not come to their games.
NOT_COME = frozenset({"absent", "crash"})
#: The cause of a game that is drawn after the most moves of the plan, and of a game in which another game was played.
MOVES, OTHER_GAME = "moves", "other game"


@frozen
class Ruling:
    """A decision by the program that runs the contest, on a game that no record decides."""

    #: One of `RULED`.
    cause: str
    #: The seats that have lost; empty: nobody has won.
    seats: tuple[int, ...]
    #: The reason, for people.
    why: str
    #: The facts on which the ruling is based, by name: `seconds`, `status`, `said`, `taken`, `process`, `to_move`.
    evidence: Mapping[str, Any] = field(factory=dict)


@frozen
class Decision:
    """The result of a game, with the record or ruling on which it is based."""

    #: The share of each seat in the one point of the game.
    shares: tuple[float, ...]
    #: A value of `Cause`, a cause of `RULED`, or `crash` (a program has ended in its game), `moves` or `other game`.
    cause: str
    #: The result in words, for people.
    words: str
    #: The ruling; `None`: the record decides.
    ruling: Ruling | None = None
    record: TableRecord | None = None
    #: The output of each seat's program.
    written: tuple[bytes, ...] = ()
    #: The recorded bytes of each connection, as `gamehost.extras.contest.traffic.HeardBytes`.
    heard: Sequence[Any] = ()


def shares_of(result: Result, seats: int) -> tuple[float, ...]:
    """Returns each seat's share of the game's point. The winners divide it equally; if nobody won, all players do."""
    winners = result.winners or tuple(map(Seat, range(seats)))
    return tuple(1 / len(winners) if seat in winners else 0.0 for seat in range(seats))


def is_of(game: Game[Any, Any], record: TableRecord, names: Sequence[str]) -> bool:
    """Returns whether a record is a match of this game between these entrants, on any seats."""
    return record.opening.game == game.name and sorted(one.name for one in record.opening.seats) == sorted(names)


def is_over(record: TableRecord | None) -> bool:
    """Returns whether a record says how its match ended."""
    return record is not None and bool(record.entries) and bool(record.entries[-1].outcome)


def moves_of(record: TableRecord | None) -> int:
    """Returns the number of moves in a record; 0 without a record."""
    return 0 if record is None else sum(entry.kind is EntryKind.ACTED for entry in record.entries)


def decision_of(
    game: Game[Any, Any],
    names: Sequence[str],
    record: TableRecord | None,
    ruling: Ruling | None = None,
    most_moves: int = 0,
) -> Decision:
    """
    Decides a game. The record of a finished match comes before any ruling.

    :param names: the entrants, in the order of the shares in the decision
    :param record: the record of the game's first table; `None`: no match began
    :param most_moves: the game is drawn after so many moves; 0: the number of moves is not limited
    :raises ValueError: neither record nor ruling says how the game ended, or the record cannot be replayed
    """
    equal = (1 / len(names),) * len(names)
    # The programs have played something else than the plan says.
    if record is not None and not is_of(game, record, names):
        seated = ", ".join(one.name for one in record.opening.seats)
        words = f"nobody won: {record.opening.game} was played by {seated} instead of {game.name}"
        return Decision(equal, OTHER_GAME, words, record=record)
    # The record comes first, then a ruling, then the limit of moves.
    if record is not None and is_over(record):
        return _by_record(game, names, record)
    if ruling is not None:
        return _by_ruling(names, record, ruling)
    moves = moves_of(record)
    # 0: no limit, so nothing says how the game ended.
    if not 0 < most_moves <= moves:
        raise ValueError("neither the record nor a ruling says how this game ended")
    return Decision(equal, MOVES, f"nobody won (moves): the game was not over after {moves} moves", record=record)


def _by_record(game: Game[Any, Any], names: Sequence[str], record: TableRecord) -> Decision:
    """Replays the record of a finished match, and decides by its result."""
    seated = [one.name for one in record.opening.seats]
    result = replayed(game, record.opening, record.entries).result
    if result is None:
        raise ValueError("the match of this record has not ended")
    # The seats of the record may be in another order than `names`.
    shares = dict(zip(seated, shares_of(result, len(seated)), strict=True))
    return Decision(tuple(shares[one] for one in names), result.cause.value, result.words(seated), record=record)


def _by_ruling(names: Sequence[str], record: TableRecord | None, ruling: Ruling) -> Decision:
    """
    Decides by a ruling: the players that it names have lost, and the others share the point. If it names none or all
    players, all share the point.
    """
    others = [seat for seat in range(len(names)) if seat not in ruling.seats]
    # All players or no player: nobody can have won.
    if len(others) in (0, len(names)):
        shares, winners = (1 / len(names),) * len(names), "nobody"
    else:
        shares = tuple(1 / len(others) if seat in others else 0.0 for seat in range(len(names)))
        winners = " and ".join(names[seat] for seat in others)
    losers = " and ".join(names[seat] for seat in ruling.seats)
    words = f"{winners} won ({ruling.cause}): {losers}{': ' if losers else ''}{ruling.why}"
    return Decision(shares, ruling.cause, words, ruling, record)


def to_move(game: Game[Any, Any], record: TableRecord | None, names: Sequence[str]) -> int | None:
    """
    Returns which entrant is to move.

    :returns: the index in `names`; `None`: no player or several players are to move, or there is no such match
    """
    if record is None or not is_of(game, record, names):
        return None
    master: Any = replayed(game, record.opening, record.entries)
    # In some games several players move at once, so their masters have no player to move.
    seat = master.to_move() if hasattr(master, "to_move") else None
    return None if seat is None else [*names].index(record.opening.seats[seat].name)
