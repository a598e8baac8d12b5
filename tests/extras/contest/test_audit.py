"""An audit finds what was changed in the records and the journal of a contest, whatever it is."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.contest.audit import faults, faults_of_files
from gamehost.extras.contest.contest import Contest
from gamehost.extras.contest.entries import Played, Refused, Void
from gamehost.extras.contest.judging import RULED, Ruling
from gamehost.extras.contest.results import as_data, write
from gamehost.extras.contest.standings import standings
from gamehost.games.base import Game
from gamehost.players.base import SeededChance
from tests.kit.contests import MemoryContest, program

#: How many faults of each kind are planted.
EACH = 200


class Planted:
    """Contests that were played in memory, and a change in one."""

    def __init__(self, contests: list[Contest], seed: int) -> None:
        self.chance = SeededChance(seed)
        self.contest = contests[self.chance.below(len(contests))]

    def one(self) -> Played:
        """Any game."""
        return self.of([*self.contest.played.values()])

    def of(self, games: list[Played]) -> Played:
        return games[self.chance.below(len(games))]

    def with_record(self) -> Played:
        return self.of([one for one in self.contest.played.values() if one.ruling is None])

    def names(self, one: Played) -> list[str]:
        return [self.contest.plan.names[player] for player in one.players]


def wrong_seats(planted: Planted) -> tuple[Played, str]:
    one = planted.with_record()
    first, second = planted.names(one)
    swapped = (
        one.notation.replace(f'"{first}"', '"?"').replace(f'"{second}"', f'"{first}"').replace('"?"', f'"{second}"')
    )
    return evolve(one, notation=swapped), "the record has other seats"


def other_players(planted: Planted) -> tuple[Played, str]:
    one = planted.with_record()
    return evolve(
        one, notation=one.notation.replace(f'"{planted.names(one)[0]}"', '"zoe"')
    ), "the record has other players"


def against_a_record(planted: Planted) -> tuple[Played, str]:
    one, causes = planted.with_record(), [*RULED]
    cause, lost = causes[planted.chance.below(len(causes))], planted.chance.below(2)
    shares = (0.0, 1.0) if lost == 0 else (1.0, 0.0)
    ruling = Ruling(cause, (lost,), "planted", {"seconds": 600.0, "taken": [2**40, 2**40]})
    return evolve(one, ruling=ruling, shares=shares, cause=cause), "and the record says how the game ended"


def against_its_evidence(planted: Planted) -> tuple[Played, str]:
    """A ruling on a match that was not over."""
    one = planted.with_record()
    lines = one.notation.splitlines(keepends=True)
    cut = [line for line in lines[: -1 - planted.chance.below(3)] if not line.startswith("[Result")]
    wrong = [
        (Ruling("deadline", (planted.chance.below(2),), "late", {"seconds": 1.0}), "the ruling on the deadline"),
        (Ruling("deadline", (), "late", {"seconds": 600.0}), "the ruling on the deadline"),
        (Ruling("memory", (0,), "large", {"taken": [5, 2**40]}), "the ruling on memory"),
        (Ruling("seat", (1,), "asked"), "and none is written down"),
        (Ruling("absent", (0,), "away"), "the record shows that the game had begun"),
        (Ruling("crash", (1,), "ended"), "the record shows that the game had begun"),
        (Ruling("dislike", (1,), "ended"), "the runner cannot rule 'dislike'"),
        (Ruling("memory", (7,), "ended"), "a seat that the game does not have"),
    ]
    ruling, expected = wrong[planted.chance.below(len(wrong))]
    return evolve(one, ruling=ruling, notation="".join(cut), cause=ruling.cause), expected


def other_result(planted: Planted) -> tuple[Played, str]:
    one = planted.one()
    changes: list[tuple[Played, str]] = [
        (evolve(one, shares=one.shares[::-1]), "other points"),
        (evolve(one, shares=(0.5, 0.5)), "other points"),
        (evolve(one, shares=(1.0, 1.0)), "other points"),
        (evolve(one, cause="time"), "another end"),
        (evolve(one, words=f"{one.words}!"), "in other words"),
        (evolve(one, moves=one.moves + 1), " moves, and not "),
    ]
    return changes[planted.chance.below(len(changes))]


def other_moves(planted: Planted) -> tuple[Played, str]:
    """A move less, or other moves."""
    one = planted.with_record()
    lines = one.notation.splitlines(keepends=True)
    moves = [number for number, line in enumerate(lines) if line.lstrip()[:1].isdigit() and "*" not in line]
    if planted.chance.below(2):
        del lines[moves[planted.chance.below(len(moves))]]
    else:
        line = moves[planted.chance.below(len(moves) - 1)]
        lines[line] = lines[line].rpartition(" ")[0] + " e9\n"
    return evolve(one, notation="".join(lines)), ""


def other_deal(planted: Planted) -> tuple[Played, str]:
    one = planted.with_record()
    before, _, after = one.notation.partition("{")
    drawn, _, rest = after.partition("}")
    first, *others = drawn.split()
    other = f"{before}{{{' '.join([str((int(first) + 1) % 2), *others])}}}{rest}"
    return evolve(one, notation=other), ""


def other_pairing(planted: Planted) -> tuple[Played, str]:
    one = planted.one()
    if planted.chance.below(2):
        return evolve(one, players=one.players[::-1]), "the plan has other players"
    return evolve(one, round=one.round + 1), "the plan has other players"


def other_settings(planted: Planted) -> tuple[Played, str]:
    one = planted.with_record()
    return evolve(one, notation=one.notation.replace('[Setting "move_time" "10"]', '[Setting "move_time" "11"]')), ""


Plant = Callable[[Planted], tuple[Played, str]]


class AuditTests(SynchronousTestCase):
    contests: ClassVar[list[Contest]] = []
    game: ClassVar[Game]  # type: ignore[type-arg]

    def setUp(self) -> None:
        if not self.contests:
            for wire, seed in (("onitama", 1), ("onitama", 2)):
                words = [f"--player={name}={program(wire, 2)}" for name in ("ann", "bob", "cyd")]
                made = MemoryContest(
                    Path(self.mktemp()), f"--wire={wire}", "--player=dan=./idle", f"--seed={seed}", *words
                )
                self.contests.append(made.play())
                type(self).game = made.game

    def planted(self, contest: Contest, one: Played) -> Iterator[str]:
        """What an audit says when one game is another one. It judges each game alone, so the others are left out."""
        before, contest.played = contest.played, {one.id: one}
        try:
            yield from faults(contest, self.game)
        finally:
            contest.played = before

    def test_what_was_played_has_no_faults(self) -> None:
        for contest in self.contests:
            self.assertEqual([*faults(contest, self.game)], [])
            self.assertEqual({one.cause for one in contest.played.values()}, {"rules", "absent"})

    def test_planted_faults(self) -> None:
        plants: tuple[Plant, ...] = (
            *(wrong_seats, other_players, against_a_record, against_its_evidence, other_result, other_moves),
            *(other_deal, other_pairing, other_settings),
        )
        for plant in plants:
            for seed in range(EACH):
                planted = Planted(self.contests, seed)
                altered, expected = plant(planted)
                with self.subTest(plant=plant.__name__, seed=seed):
                    if altered == planted.contest.played[altered.id]:
                        continue
                    found = [*self.planted(planted.contest, altered)]
                    self.assertTrue(
                        any(one.startswith(f"game {altered.id}: ") and expected in one for one in found), found
                    )

    def test_planted_connections(self) -> None:
        """Each connection that was refused is named, with whose it was; and so is a game that was void too often."""
        expected = []
        for seed in range(EACH):
            planted = Planted(self.contests, seed)
            one, contest = planted.one(), planted.contest
            owner, name = planted.chance.below(len(contest.plan.entrants)), planted.names(one)[0]
            contest.refused.append(Refused(one.id, name, "no seat", owner, f"{seed}: python"))
            words = f"a connection of {contest.plan.names[owner]} asked for the seat of {name} and was refused"
            expected.append(f"game {one.id}: {words}: no seat ({seed}: python)")
        for contest in self.contests:
            self.addCleanup(contest.refused.clear)
        self.assertEqual(
            sorted(one for contest in self.contests for one in faults(contest, self.game)), sorted(expected)
        )
        self.contests[0].note(Void("7.7", "planted"))
        self.addCleanup(self.contests[0].voids.clear)
        self.assertIn("game 7.7: the plan has no such game", [*faults(self.contests[0], self.game)])

    def test_planted_files(self) -> None:
        """The records beside the journal, and the results."""
        contest, folder = self.contests[0], Path(self.mktemp())
        write(contest, standings(contest), folder, self.game)
        data = as_data(contest, standings(contest))
        self.assertEqual([*faults_of_files(folder, contest, data)], [])
        for path in sorted((folder / "games").glob("*.txt")):
            whole = path.read_text("utf-8")
            path.write_text(whole.replace("ann", "zoe").replace("bob", "eve"), "utf-8")
            self.assertEqual(
                [*faults_of_files(folder, contest, data)],
                [f"games/{path.name}: this is not the record that the journal has"],
            )
            path.write_text(whole, "utf-8")
        (folder / "results.json").write_text("{}")
        self.assertIn("do not follow from the journal", "".join(faults_of_files(folder, contest, data)))
