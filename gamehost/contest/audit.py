"""
Whether a contest went as its plan says, from its journal alone: for `gamehost contest --audit`.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from gamehost.contest.contest import Contest, ContestJournal, Plan, Played
from gamehost.contest.game import result_of, shares_of
from gamehost.games.base import Cause, Game
from gamehost.games.chance import JournalledChance
from gamehost.journal.notation import NotNotation, read_notation
from gamehost.journal.records import TableRecord
from gamehost.journal.replay import new_master, replay, replayed
from gamehost.players.base import SeededChance

T = TypeVar("T")


class _SeededDeals(JournalledChance):
    """The numbers of a seed, for a record that must have the same."""

    def __init__(self, seed: int) -> None:
        super().__init__(SeededChance(seed).below)

    def replay(self, drawn: Sequence[int], step: Callable[[], T]) -> T:
        result = step()
        if self.take() != tuple(drawn):
            raise ValueError("the seed of the game gives another deal")
        return result


def faults(contest: Contest, game: Game[Any, Any]) -> Iterator[str]:
    """
    What does not follow from the plan and the seed, a sentence for each: players, seats, deals, moves and points.
    """
    for one in contest.played.values():
        for fault in _faults_of(contest, one, game):
            yield f"game {one.id}: {fault}"


def _faults_of(contest: Contest, one: Played, game: Game[Any, Any]) -> Iterator[str]:
    planned = contest.pairing(one.id)
    if planned is None or planned.players != one.players:
        yield "the plan has no such game" if planned is None else "the plan has other players"
        return
    if not one.notation or one.cause == "other game":
        return  # it did not begin, or there is nothing to judge
    try:
        record = read_notation(one.notation).record
        yield from _faults_of_record(contest.plan, one, planned.seed, game, record)
    except (NotNotation, ValueError) as error:
        yield str(error)


def _faults_of_record(plan: Plan, one: Played, seed: int, game: Game[Any, Any], record: TableRecord) -> Iterator[str]:
    names = [plan.names[player] for player in one.players]
    if [seat.name for seat in record.opening.seats] != names:
        yield "the record has other players"
    if plan.hosted:
        replayed(game, record.opening, record.entries)
    else:
        chance = _SeededDeals(seed)
        replay(game, new_master(game, record.opening, chance), chance, record.entries)
    by_moves = record.entries[-1].outcome and one.cause in {*(cause.value for cause in Cause), "crash"}
    if by_moves and shares_of(result_of(game, record), len(names)) != one.shares:
        yield "the moves give other points"


def audited(folder: Path) -> Contest:
    """
    The contest that was played in a folder.

    :raises ContestError: there is none, it cannot be read, or it is being played
    """
    journal = ContestJournal(folder)
    try:
        return journal.open(journal.plan())
    finally:
        journal.close()
