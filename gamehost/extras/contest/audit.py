"""
Checks whether a contest was played as its plan says, from its journal and the records of its games. This is
`gamehost contest --audit`.

Each game is decided again, by the same function that has decided it in the contest.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from gamehost.extras.contest.contest import TRIES, Contest, ContestJournal
from gamehost.extras.contest.entries import Played, Refused
from gamehost.extras.contest.judging import (
    NOT_COME,
    OTHER_GAME,
    RULED,
    Ruling,
    decision_of,
    is_over,
    moves_of,
    to_move,
)
from gamehost.extras.contest.plan import Plan
from gamehost.games.base import Cause, Game, JournalledChance
from gamehost.journal.notation import NotNotation, read_notation
from gamehost.journal.records import TableRecord
from gamehost.journal.replay import new_master, replay, replayed
from gamehost.players.base import SeededChance

T = TypeVar("T")

#: The causes of rulings on programs that took too much memory, processes or time.
TAKEN = frozenset({"memory", "processes", "processor"})


class _SeededDeals(JournalledChance):
    """A source of chance from a seed, for the replay of a record. The record must contain the same random numbers."""

    def __init__(self, seed: int) -> None:
        super().__init__(SeededChance(seed).below)

    def replay(self, drawn: Sequence[int], step: Callable[[], T]) -> T:
        """
        Carries out a step of the game, which takes random numbers from this object, and compares these numbers with
        those of the record.

        :param drawn: the numbers that the record has for this step
        :param step: carries out the step
        :returns: the result of the step
        :raises ValueError: they differ
        """
        result = step()
        if self.take() != tuple(drawn):
            raise ValueError("the seed of the game gives another deal")
        return result


def audited(folder: Path) -> Contest:
    """
    Reads the contest that was played in a folder, by its journal.

    :raises ContestError: there is no contest, it cannot be read, or it is being played
    """
    journal = ContestJournal(folder)
    try:
        # The plan is that of the journal itself, so it cannot differ.
        return journal.open(journal.plan())
    finally:
        journal.close()


def faults(contest: Contest, game: Game[Any, Any]) -> Iterator[str]:
    """
    Checks all games of a contest, and yields each fault as a sentence. It is a fault if the players, seats, cards or
    points of a game, or its moves, differ from what the plan, the seed and the game's record require, or if a ruling
    contradicts the record. Refused connections are listed, too.

    :param game: the game of the contest
    """
    for one in contest.played.values():
        for fault in _faults_of(contest, one, game):
            yield f"game {one.id}: {fault}"
    for refused in contest.refused:
        yield f"game {refused.id}: {_words_of(contest, refused)}"
    for name, count in contest.voids.items():
        if contest.pairing(name) is None:
            yield f"game {name}: the plan has no such game"
        if count > TRIES:
            yield f"game {name}: it was void {count} times, and is begun {TRIES} times at most"


def faults_of_files(folder: Path, contest: Contest, data: Mapping[str, Any]) -> Iterator[str]:
    """
    Compares the files of a contest, which are the records of games and the results, with the journal. Yields a sentence
    for each file that differs from the journal.

    :param data: the results as the journal gives them, for comparison with `results.json`
    """
    for one in contest.played.values():
        path = folder / "games" / f"{one.id}.txt"
        try:
            if one.notation and path.read_text("utf-8") != one.notation:
                yield f"games/{path.name}: this is not the record that the journal has"
        except (OSError, ValueError) as error:
            yield f"games/{path.name}: {error}"
    try:
        written = json.loads((folder / "results.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        yield f"results.json: {error}"
        return
    # Through JSON and back, so that tuples are lists, as in the file.
    if written != json.loads(json.dumps(data)):
        yield "results.json: these results do not follow from the journal"


def _words_of(contest: Contest, refused: Refused) -> str:
    """Describes a refused connection in words."""
    if contest.pairing(refused.id) is None:
        return "the plan has no such game"
    names = contest.plan.names
    # Somebody may have changed the journal, so there may be no player with the owner's number.
    owner = "" if refused.owner is None or refused.owner >= len(names) else f" of {names[refused.owner]}"
    process = f" ({refused.process})" if refused.process else ""
    return f"a connection{owner} asked for the seat of {refused.name} and was refused: {refused.why}{process}"


def _faults_of(contest: Contest, one: Played, game: Game[Any, Any]) -> Iterator[str]:
    """Yields the faults of one decided game."""
    planned = contest.pairing(one.id)
    if planned is None or planned.players != one.players or planned.round != one.round:
        yield "the plan has no such game" if planned is None else "the plan has other players"
        return
    plan, names = contest.plan, [contest.plan.names[player] for player in one.players]
    try:
        record = read_notation(one.notation).record if one.notation else None
        if one.ruling is not None:
            yield from _faults_of_ruling(contest, one, one.ruling, game, record)
        # A record of another game than the plan's has no moves that could be replayed here.
        if record is not None and one.cause != OTHER_GAME:
            yield from _faults_of_record(plan, names, planned.seed, game, record)
        yield from _faults_of_result(plan, one, game, record)
    except (NotNotation, ValueError, LookupError) as error:
        yield str(error)


def _faults_of_result(plan: Plan, one: Played, game: Game[Any, Any], record: TableRecord | None) -> Iterator[str]:
    """Decides the game again, and yields the differences from the journal: points, cause, words and number of moves."""
    found = decision_of(game, [plan.names[player] for player in one.players], record, one.ruling, plan.most_moves)
    if found.shares != one.shares:
        yield "the moves give other points" if found.ruling is None else "the ruling gives other points"
    # If a program has ended during the game, the journal has the cause `crash`, and its last words after those of the record.
    if one.cause not in (found.cause, "crash" if found.cause == Cause.LEFT.value else ""):
        yield f"the moves give another end: {found.words}"
    elif not (one.words.startswith(found.words) if found.cause == Cause.LEFT.value else one.words == found.words):
        yield f"it ended in other words: {found.words}"
    if one.moves != moves_of(record):
        yield f"the record has {moves_of(record)} moves, and not {one.moves}"


def _faults_of_ruling(
    contest: Contest, one: Played, ruling: Ruling, game: Game[Any, Any], record: TableRecord | None
) -> Iterator[str]:
    """
    Yields a fault if a ruling, by which the contest and not the record has decided a game, is not possible, or
    contradicts the record, its own evidence or the plan.
    """
    plan, seats = contest.plan, ruling.seats
    # The first of these faults is reported. The record comes before a ruling, so a ruling on a finished match is one.
    if ruling.cause not in RULED:
        yield f"the runner cannot rule {ruling.cause!r}; expected one of {', '.join(RULED)}"
    elif not all(0 <= seat < len(one.players) for seat in seats):
        yield "the ruling is against a seat that the game does not have"
    elif is_over(record):
        yield f"the runner has ruled {ruling.cause!r}, and the record says how the game ended"
    elif record is not None and ruling.cause in NOT_COME:
        yield f"the runner has ruled {ruling.cause!r}, and the record shows that the game had begun"
    elif ruling.cause == "deadline" and not _follows(plan, one, ruling, game, record):
        yield "the ruling on the deadline does not follow from the record, which says for whom the game waited"
    elif ruling.cause in TAKEN and not _took_more(plan, ruling):
        yield f"the ruling on {ruling.cause} does not follow from the figures that it names"
    elif ruling.cause == "seat" and not _asked(contest, one, ruling):
        yield "the ruling is on a connection that was refused, and none is written down"
    elif ruling.cause != "deadline" and not seats:
        yield f"the runner has ruled {ruling.cause!r}, and against nobody"


def _follows(plan: Plan, one: Played, ruling: Ruling, game: Game[Any, Any], record: TableRecord | None) -> bool:
    """Returns whether a ruling on the deadline is right: the player to move has lost, after the plan's seconds."""
    waits = to_move(game, record, [plan.names[player] for player in one.players])
    return ruling.seats == (() if waits is None else (waits,)) and ruling.evidence.get("seconds") == plan.deadline


def _took_more(plan: Plan, ruling: Ruling) -> bool:
    """Returns whether exactly those programs have lost by a ruling that have exceeded the limit, by its own figures."""
    taken, most = ruling.evidence.get("taken", ()), plan.bounds.get(ruling.cause, (math.inf, ""))[0]
    return ruling.seats == tuple(seat for seat, size in enumerate(taken) if size > most)


def _asked(contest: Contest, one: Played, ruling: Ruling) -> bool:
    """Returns whether the journal has a refused connection of each entrant that has lost by a ruling on seats."""
    asked = {refused.owner for refused in contest.refused}
    return all(one.players[seat] in asked for seat in ruling.seats)


def _faults_of_record(
    plan: Plan, names: Sequence[str], seed: int, game: Game[Any, Any], record: TableRecord
) -> Iterator[str]:
    """
    Yields the faults of a record: its players, seats or settings differ from the plan.

    :raises ValueError: the moves are not legal, or the seed gives another deal
    """
    seated = [seat.name for seat in record.opening.seats]
    if sorted(seated) != sorted(names):
        yield f"the record has other players: {', '.join(seated)}; the plan has {', '.join(names)}"
    elif seated != [*names]:
        yield f"the record has other seats: {', '.join(seated)}; the plan has {', '.join(names)}"
    # The settings of the game, without the game's name in front. A setting that the record leaves out is not compared.
    own = {name.partition(".")[2]: text for name, text in plan.settings.items() if name.startswith(f"{game.name}.")}
    if other := sorted(name for name, text in own.items() if record.opening.settings.get(name, text) != text):
        yield f"the record has another {other[0]} than the plan"
    # A running host has dealt by its own random numbers, so only the moves can be checked.
    if plan.hosted:
        replayed(game, record.opening, record.entries)
    else:
        chance = _SeededDeals(seed)
        replay(game, new_master(game, record.opening, chance), chance, record.entries)
