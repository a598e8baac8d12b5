"""Studies of finished matches: they find the moves at which matches turned."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat, SystemChance
from gamehost.games.eriantys.events import AskSteps
from gamehost.games.eriantys.events import write as write_answer
from gamehost.games.eriantys.player import after, options, value_of
from gamehost.games.installed import installed
from gamehost.games.onitama.master import ONITAMA
from gamehost.games.onitama.player import RULES
from gamehost.games.paper_soccer.player import PaperSoccerRules, place_of, turns, written
from gamehost.games.play import new_player
from gamehost.games.stratego.master import move_between
from gamehost.games.stratego.player import STYLE
from gamehost.games.stratego.rules import write as write_move
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader
from gamehost.lobby.studies import MOST_TURNS, Study, study_in_steps
from gamehost.players.base import Budget, Level, Search, SeededChance
from tests import long, share
from tests.kit.players import one_action, players_of, tell


def worst_onitama(player: Any) -> Iterator[tuple[float, bytes]]:
    position = player.position
    moves = RULES.moves(position)
    values = Search(RULES, Budget(0)).values(position, moves, 2)
    yield from zip(values, map(ONITAMA.write, moves), strict=True)


def worst_paper_soccer(player: Any) -> Iterator[tuple[float, bytes]]:
    place = place_of(player.position)
    found = list(turns(place, 200))
    values = Search(PaperSoccerRules(40), Budget(0)).values(place, found, 1)
    yield from zip(values, (written(one.points) for one in found), strict=True)


def worst_stratego(player: Any) -> Iterator[tuple[float, bytes]]:
    tried = player.tried(evolve(STYLE[Level.HARD], nodes=1_000_000))
    yield from ((tried.mean(step), write_move(move_between(*step))) for step in tried.steps)


def worst_eriantys(player: Any) -> Iterator[tuple[float, bytes]]:
    play = player.seen.play()
    if isinstance(player.seen.request, AskSteps):
        for one in options(play, characters=False):
            yield value_of(after(play, one, SeededChance(1)), player.seat), write_answer(one)


#: By game: what each action of a player is worth who is to act, by other means than those of a study; by how much the worst one
#: is worse than the best one, so that it is a blunder; and from which entry on it is planted.
WORST: Mapping[str, tuple[Callable[[Any], Iterator[tuple[float, bytes]]], float, int]] = {
    "onitama": (worst_onitama, 100, 5),
    "paper-soccer": (worst_paper_soccer, 150, 10),
    "stratego": (worst_stratego, 200, 40),
    "eriantys": (worst_eriantys, 40, 40),
}


def worst_action(name: str, player: Any) -> bytes | None:
    """The worst action of a player who is to act; `None`: it would cost little, or the match is decided already."""
    values, gap, _ = WORST[name]
    found = sorted(values(player))
    if not found or found[-1][0] - found[0][0] < gap:
        return None
    weighed = player.weigh(found[-1][1])
    return found[0][1] if weighed is not None and max(weighed.shares) < 0.75 else None


def planted(name: str, seed: int, most: int = 400) -> tuple[TableHeader, list[Entry], int]:
    """A match between two of the level hard, one of whom plays one worst move; and the number of its entry."""
    game, first = installed().games[name], WORST[name][2]
    chance = SystemChance(SeededChance(seed).below)
    players = players_of(name, [Level.HARD] * 2, seed, 0.1)
    master = game.new_master(2, {}, chance)
    tell(players, master.begin(0))
    entries = [Entry(EntryKind.BEGAN, 0, None, b"", tuple(chance.take()))]
    blunder = 0
    while master.result is None and len(entries) < most:
        notation: bytes | None = None
        if not blunder and len(entries) >= first + seed % 3:
            seat = next(Seat(number) for number, player in enumerate(players) if player.answer() is not None)
            notation = worst_action(name, players[seat])
        if notation is not None:
            blunder = len(entries) + 1
            tell(players, master.act(seat, game.read(notation), 0))
        else:
            seat, notation = one_action(game, master, players)
        over = "" if master.result is None else "over"
        entries.append(Entry(EntryKind.ACTED, 0, seat, notation, tuple(chance.take()), over))
    return TableHeader(name, game.version, (SeatRecord("ann", "open"), SeatRecord("bob", "open")), {}), entries, blunder


def study_of(opening: TableHeader, entries: list[Entry]) -> Study:
    game = installed().games[opening.game]
    steps = study_in_steps(game, opening, entries, lambda seat: new_player(game.name, seat, Level.HARD, 1))
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            study: Study = stop.value
            return study


#: Seeds of matches in which somebody who is not lost yet plays one worst move.
FEW: Mapping[str, tuple[int, ...]] = {
    "onitama": share((1,), (1, 2, 3)),
    "paper-soccer": share((3,), (3, 5)),
    "eriantys": (3,),
}


def missed(seeds: Mapping[str, tuple[int, ...]]) -> list[str]:
    found = []
    for name, some in seeds.items():
        for seed in some:
            opening, entries, blunder = planted(name, seed)
            study = study_of(opening, entries)
            if not blunder or blunder not in [turn.n for turn in study.turns]:
                found.append(f"{name} {seed}: {blunder}, {study.turns}")
    return found


class StudyTests(SynchronousTestCase):
    @long
    def test_blunders_are_found(self) -> None:
        self.assertEqual(missed(FEW), [])

    def test_what_is_told(self) -> None:
        opening, entries, blunder = planted("onitama", 1)
        study = study_of(opening, entries)
        self.assertEqual(study, study_of(opening, entries))
        self.assertEqual([one.n for one in study.standings], list(range(1, len(entries) + 1)))
        self.assertTrue(all(sum(one.shares) in (99, 100, 101) for one in study.standings))
        self.assertEqual(sorted(study.standings[-1].shares), [0, 100])
        [turn] = study.turns
        self.assertEqual((turn.n, turn.action.encode()), (blunder, entries[blunder - 1].notation))
        self.assertNotEqual(turn.action, turn.better)
        self.assertLessEqual(len(study.turns), MOST_TURNS)
