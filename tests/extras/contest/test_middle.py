"""Who is out, knock-outs, and what an organizer does in the middle of a contest."""

from pathlib import Path
from typing import Any

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.contest.audit import audited
from gamehost.extras.contest.contest import JOURNAL, Contest, ContestError, ContestJournal
from gamehost.extras.contest.entries import CommandReplaced, Dropped, Replayed
from gamehost.extras.contest.middle import intervene, words_of
from gamehost.extras.contest.plan import Plan
from gamehost.extras.contest.results import as_data
from gamehost.extras.contest.run import ContestRun
from gamehost.extras.contest.standings import Standing, standings
from tests.extras.contest.test_contest import plan, play, played


def table(contest: Contest) -> dict[str, Standing]:
    return {one.name: one for one in standings(contest)}


def do(contest: Contest, *words: str, anew: bool = False, journal: ContestJournal | None = None) -> str:
    """What was done, in words."""
    entry = intervene(contest, words, command, anew)
    if journal is not None:
        journal.append(entry)
    contest.note(entry)
    return words_of(contest, entry)


def command(name: str, text: str) -> tuple[str, ...]:
    return text, name


class OutTests(SynchronousTestCase):
    def contest(self, rule: str, **more: object) -> Contest:
        """The first of four is taken out after it has won its first game."""
        contest = Contest(plan(4, out_rule=rule, **more))
        [one] = [one for one in contest.next_games({}) if 0 in one.players and one.round == 1]
        contest.note(played(one, (1.0, 0.0) if one.players[0] == 0 else (0.0, 1.0)))
        do(contest, "drop", "p0")
        play(contest)
        return contest

    def test_annulled(self) -> None:
        """None of its games counts: the others have played as if it had not been there."""
        contest = self.contest("annul")
        found = table(contest)
        self.assertEqual((found["p0"].rank, found["p0"].points, found["p0"].games), (4, 0.0, 0))
        self.assertEqual([found[name].games for name in ("p1", "p2", "p3")], [2, 2, 2])
        self.assertEqual(sum(one.points for one in found.values()), 3.0)
        self.assertEqual(found["p0"].scratched, "taken out by the organizer")
        self.assertEqual([one["counts"] for one in as_data(contest, standings(contest))["games"]].count(False), 1)

    def test_forfeited(self) -> None:
        """What it has played counts; each other one has a point for the games that it has not played."""
        found = table(self.contest("forfeit"))
        self.assertEqual((found["p0"].points, found["p0"].games), (1.0, 1))
        self.assertEqual(sum(one.points for one in found.values()), 6.0)
        self.assertEqual(sum(one.forfeits for one in found.values()), 2.0)
        self.assertTrue(all(one.games + one.forfeits == 3 for name, one in found.items() if name != "p0"))

    def test_nobody_has_a_point_for_a_game_of_two_who_are_out(self) -> None:
        contest = Contest(plan(3, out_rule="forfeit"))
        do(contest, "drop", "p0")
        do(contest, "drop", "p1")
        self.assertEqual([*contest.next_games({})], [])
        self.assertEqual(contest.points(), [0.0, 0.0, 2.0])

    def test_a_game_that_the_host_has_failed_in_is_no_forfeit(self) -> None:
        contest = Contest(plan(2, out_rule="forfeit"))
        contest.voids["1.1"] = 2
        self.assertEqual(contest.points(), [0.0, 0.0])


class KnockOutTests(SynchronousTestCase):
    @settings(max_examples=40, deadline=None)
    @given(st.integers(2, 33), st.booleans(), st.integers(1, 3))
    def test_laws(self, players: int, pairs: bool, rounds: int) -> None:
        """Who loses is out, the first one wins, and byes are in the first round only."""
        contest = Contest(plan(players, format="knock-out", out_rule="forfeit", pairs=pairs, rounds=rounds))
        play(contest)
        self.assertEqual(contest.rounds, (players - 1).bit_length())
        pairings = {(one.round, frozenset(one.players)) for one in contest.games}
        self.assertEqual(len(pairings), players - 1)
        self.assertLessEqual({number for number, _ in contest.byes}, {1})
        self.assertEqual(len(contest.games), (players - 1) * rounds * (2 if pairs else 1))
        self.assertEqual(contest.progress[:2], (len(contest.games), len(contest.games)))
        found = standings(contest)
        self.assertEqual(found[0].player, 0)
        if players > 1:
            final = next(one for one in contest.games if one.round == contest.rounds)
            self.assertEqual({one.player for one in found[:2]}, {*final.players})

    def test_a_tie_is_for_the_one_who_entered_first(self) -> None:
        contest = Contest(plan(2, format="knock-out", out_rule="forfeit", pairs=True))
        for one in contest.next_games({}):
            contest.note(played(one, (0.5, 0.5)))
        contest.advance()
        self.assertEqual([one.player for one in standings(contest)], [0, 1])

    def test_who_is_out_has_lost(self) -> None:
        contest = Contest(plan(4, format="knock-out", out_rule="forfeit"))
        do(contest, "drop", "p0")
        play(contest)
        self.assertEqual(next(one.players for one in contest.games if one.round == 2), (1, 3))


class MiddleTests(SynchronousTestCase):
    def refused(self, contest: Contest, *words: str, anew: bool = False) -> str:
        return str(self.assertRaises(ContestError, do, contest, *words, anew=anew))

    def test_what_cannot_be_done(self) -> None:
        contest = Contest(plan(3))
        self.assertIn("'eve' does not play; expected one of p0, p1, p2", self.refused(contest, "drop", "eve"))
        self.assertIn("no game between p0 and p1 is decided", self.refused(contest, "replay", "p0", "p1"))
        self.assertIn("drop NAME", self.refused(contest, "drop"))
        do(contest, "drop", "p1")
        self.assertIn("p1 is out: taken out by the organizer", self.refused(contest, "drop", "p1"))

    def test_another_command(self) -> None:
        """From now on; or for all games anew. A player who was out is in again."""
        contest = Contest(plan(3))
        play(contest)
        self.assertEqual(do(contest, "replace", "p1", "new"), "p1 has another command: new p1")
        self.assertEqual(contest.plan.entrants[1].command, ("new", "p1"))
        self.assertEqual([*contest.next_games({})], [])
        do(contest, "drop", "p1")
        do(contest, "replace", "p1", "newer", anew=True)
        self.assertEqual(contest.scratched, {})
        self.assertTrue(all(1 in one.players for one in contest.next_games({})))
        self.assertEqual(len([*contest.next_games({})]), 2)
        self.assertEqual(len(contest.withdrawn), 2)

    def test_a_pairing_again(self) -> None:
        contest = Contest(plan(3, rounds=2))
        play(contest)
        do(contest, "replay", "p0", "p2")
        self.assertEqual([{*one.players} for one in contest.next_games({})], [{0, 2}] * 2)
        play(contest)
        self.assertEqual(len(contest.played), 6)

    def test_games_that_later_pairings_follow_from(self) -> None:
        contest = Contest(plan(4, format="swiss", out_rule="forfeit", rounds=3))
        play(contest, most=3)
        first = next(one for one in contest.games if one.round == 1)
        names = [f"p{player}" for player in first.players]
        self.assertIn("the pairings of later rounds", self.refused(contest, "replay", *names))
        self.assertIn("the pairings of later rounds", self.refused(contest, "replace", names[0], "new", anew=True))
        latest = next(iter(reversed(contest.played.values())))
        do(contest, "replay", *(f"p{player}" for player in latest.players))
        play(contest)
        self.assertEqual(len(contest.played), 6)

    @settings(max_examples=60, deadline=None)
    @given(
        st.sampled_from(["round-robin", "swiss", "gauntlet", "knock-out"]),
        st.integers(3, 7),
        st.lists(
            st.tuples(st.integers(0, 5), st.sampled_from(["drop", "replace", "anew", "replay"]), st.integers(0, 6))
        ),
    )
    def test_it_is_in_the_journal(self, chosen: str, players: int, steps: list[tuple[int, str, int]]) -> None:
        """Whatever was done when: a contest that is read again has the same games, pairings, points and byes."""
        folder = Path(self.mktemp())
        rule = "annul" if chosen in ("round-robin", "gauntlet") else "forfeit"
        begun = plan(players, format=chosen, out_rule=rule, rounds=2)
        journal = ContestJournal(folder)
        contest = journal.open(begun)
        for games, what, number in steps:
            for one in play(contest, most=games):
                journal.append(one)
            name, other = f"p{number % players}", f"p{(number + 1) % players}"
            words = ("replay", name, other) if what == "replay" else ("drop", name)
            try:
                do(contest, *(("replace", name, "new") if what in ("replace", "anew") else words),
                   anew=what == "anew", journal=journal)  # fmt: skip
            except ContestError:
                continue
            journal.close()
            again = journal.open(begun)
            self.assertEqual(
                (again.played, again.scratched, again.plan), (contest.played, contest.scratched, contest.plan)
            )
            decided = [one for one in contest.games if one.id in contest.played]
            self.assertEqual([one for one in again.games if one.id in again.played], decided)
            contest = again
        for one in play(contest):
            journal.append(one)
        contest.advance()
        journal.close()
        again = audited(folder)
        self.assertEqual((again.played, again.games, again.byes), (contest.played, contest.games, contest.byes))
        self.assertEqual((again.points(), again.scratched), (contest.points(), contest.scratched))

    def test_a_file_with_the_old_command_or_the_new_one_goes_on(self) -> None:
        folder, begun = Path(self.mktemp()), plan(2)
        journal = ContestJournal(folder)
        do(journal.open(begun), "replace", "p1", "new", journal=journal)
        journal.close()
        for number, command in ((1, ("run", "1")), (1, ("new", "p1"))):
            entrants = [*begun.entrants]
            entrants[number] = evolve(entrants[number], command=command)
            contest = journal.open(evolve(begun, entrants=tuple(entrants)))
            journal.close()
            self.assertEqual(contest.plan.entrants[1].command, ("new", "p1"))
        error = str(self.assertRaises(ContestError, journal.open, Plan(*("onitama", "onitama", begun.entrants[:1]))))
        self.assertIn("p1 does not play any more", error)
        # What differs is what differs least: the command of before is no difference.
        error = str(self.assertRaises(ContestError, journal.open, evolve(begun, rounds=3)))
        self.assertIn("another contest: rounds was 1, and is 3. Give", error)

    def test_it_is_done_or_not_done(self) -> None:
        """Wherever the disk stops in the line of a change, the contest has it whole or not at all."""
        journal, begun = ContestJournal(Path(self.mktemp())), plan(3)
        contest = journal.open(begun)
        for one in play(contest):
            journal.append(one)
        path = journal.folder / JOURNAL
        before = path.read_bytes()
        do(contest, "replace", "p1", "new", anew=True, journal=journal)
        journal.close()
        whole = path.read_bytes()
        for size in range(len(before), len(whole) + 1):
            path.write_bytes(whole[:size])
            found = audited(journal.folder)
            changed = size == len(whole)
            self.assertEqual(
                (len(found.played), found.plan.entrants[1].command[0]), (1, "new") if changed else (3, "run")
            )

    def test_damage(self) -> None:
        contest = Contest(plan(2))
        for entry in (Dropped(2, 0), CommandReplaced(-1, ("x",)), Replayed(("1.1",))):
            self.assertRaises(ValueError, contest.note, entry)


class StillGame:
    """A game that goes on until it is stopped."""

    record, begun = None, True

    def __init__(self, **named: object) -> None:
        self.named, self.stopped = named, False

    def start(self) -> None:
        """It is begun."""

    def stop(self) -> None:
        self.stopped = True

    def taken(self) -> None:
        """It cannot be seen."""


class WhileItRunsTests(SynchronousTestCase):
    """While the contest is played."""

    def begin(self, at_once: int = 10, **more: object) -> ContestRun:
        self.clock, self.journal, self.told = Clock(), ContestJournal(Path(self.mktemp())), list[object]()
        self.addCleanup(self.journal.close)
        new_game: Any = StillGame
        contest = self.journal.open(plan(4, **more))
        run = ContestRun(self.clock, contest, self.journal, new_game, at_once, self.told.append, lambda why: None)
        run.start()
        return run

    def do(self, run: ContestRun, *words: str, anew: bool = False) -> dict[str, StillGame]:
        """The games that are stopped by it. What is on disk then is the contest as it goes on."""
        before: Any = dict(run.running)
        entry = run.intervene(words, command, anew)
        self.assertIs(self.told[-1], entry)
        self.assertEqual(self.journal.read().games, run.contest.games)
        self.clock.advance(0)
        stopped = {name: game for name, game in before.items() if game.stopped}
        self.assertEqual({name for name, game in before.items() if run.running.get(name) is not game}, {*stopped})
        return stopped

    def test_a_player_that_goes(self) -> None:
        """Its games are stopped, and all others go on."""
        run = self.begin()
        mine = {one.id for one in run.contest.games if 1 in one.players}
        self.assertEqual({*self.do(run, "drop", "p1")}, mine)
        self.assertEqual(len(run.running), 3)
        self.assertRaises(ContestError, run.intervene, ["drop", "p1"], command, False)

    def test_another_command(self) -> None:
        """From the next game on; or its games begin again."""
        run = self.begin()
        self.assertEqual(self.do(run, "replace", "p1", "new"), {})
        self.assertEqual(run.contest.plan.entrants[1].command, ("new", "p1"))
        self.assertEqual(len(self.do(run, "replace", "p1", "newer", anew=True)), 3)
        self.assertEqual(len(run.running), 6)

    def test_games_again(self) -> None:
        run = self.begin(at_once=1)
        [(name, one)] = run._pairings.items()
        self.journal.append(played(one))
        run.contest.note(played(one))
        run._forget(name)
        run.start()
        self.assertEqual(self.do(run, "replay", *(f"p{player}" for player in one.players)), {})
        self.assertEqual((len(run.running), name in run.contest.played), (1, False))

    def test_a_round_that_is_paired_anew(self) -> None:
        """In a Swiss contest: nothing of the round is decided, so it is begun again without the player."""
        run = self.begin(format="swiss", out_rule="forfeit", rounds=2)
        self.assertEqual(len(self.do(run, "drop", "p0")), 2)
        [one] = run.contest.games
        self.assertEqual(([*run.running], 0 in one.players, run.contest.byes[0][0]), ([one.id], False, 1))

    def test_a_contest_that_ends(self) -> None:
        run = self.begin()
        run.stop()
        self.assertIn(
            "about to end", str(self.assertRaises(ContestError, run.intervene, ["drop", "p1"], command, False))
        )
