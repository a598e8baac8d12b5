"""Which games a contest has, that it goes on where it was, and the options of its command."""

import json
import sys
import time
from collections.abc import Callable
from errno import ENOSPC
from functools import partial
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.contest.command import Shown, _content, _where_games_are, main, parser, plan_of
from gamehost.extras.contest.contest import JOURNAL, Contest, ContestError, ContestJournal, Pairing
from gamehost.extras.contest.entries import Entry, Played, Refused, Void
from gamehost.extras.contest.entry import settings_of_check
from gamehost.extras.contest.judging import Decision, Ruling
from gamehost.extras.contest.plan import Entrant, Plan
from gamehost.extras.contest.ratings import Verdict
from gamehost.extras.contest.report import results_page
from gamehost.extras.contest.results import as_data, as_text
from gamehost.extras.contest.run import MOST_WAITING, ContestRun
from gamehost.extras.contest.standings import standings
from gamehost.games.onitama.master import ONITAMA
from gamehost.players.base import SeededChance
from gamehost.plugins import REGISTRY


def plan(players: int, **more: object) -> Plan:
    entrants = tuple(Entrant(f"p{number}", ("run", str(number))) for number in range(players))
    return Plan("onitama", "onitama", entrants, **more)  # type: ignore[arg-type]


def played(one: Pairing, shares: tuple[float, ...] = (1.0, 0.0), absent: tuple[int, ...] = ()) -> Played:
    ruling = Ruling("crash", tuple(map(one.players.index, absent)), "why") if absent else None
    return Played(one.id, one.round, one.players, shares, "crash" if absent else "rules", "words", ruling)


def decided(contest: Contest, one: Pairing) -> Played:
    """The better player wins: the one with the lower number; every tenth game is drawn."""
    if SeededChance(one.seed).below(10) == 0:
        return played(one, (0.5, 0.5))
    return played(one, (1.0, 0.0) if one.players[0] < one.players[1] else (0.0, 1.0))


def play(contest: Contest, at_once: int = 1, most: int = 10_000, seed: int = 0) -> list[Played]:
    """Play on, with so many games at once that end in any order."""
    chance, running, done = SeededChance(seed), dict[str, Pairing](), list[Played]()
    while len(done) < most:
        for one in contest.next_games(running):
            if len(running) >= at_once:
                break
            running[one.id] = one
        if not running:
            break
        one = running.pop([*running][chance.below(len(running))])
        done.append(decided(contest, one))
        contest.note(done[-1])
    return done


PLANS = st.builds(
    plan,
    st.integers(2, 9),
    format=st.sampled_from(["round-robin", "swiss", "gauntlet", "knock-out"]),
    rounds=st.integers(1, 4),
    pairs=st.booleans(),
    seed=st.integers(0, 99),
)


class ContestTests(SynchronousTestCase):
    def test_pairs_have_one_deal_and_other_seats(self) -> None:
        contest = Contest(plan(3, pairs=True, seed=5))
        one, other, *_ = contest.next_games({})
        self.assertEqual((one.id, other.id, other.players), ("1.1a", "1.1b", one.players[::-1]))
        self.assertEqual(one.seed, other.seed)
        self.assertEqual(len(contest.games), 6)
        self.assertNotEqual(contest.games[2].seed, one.seed)

    def test_who_does_not_come_twice_in_a_row_is_out(self) -> None:
        contest = Contest(plan(3, rounds=2))
        games = [one for one in contest.next_games({}) if 2 in one.players]
        contest.note(played(games[0], absent=(2,)))
        contest.note(played(games[1]))
        contest.note(played(games[2], absent=(2,)))
        self.assertEqual(contest.scratched, {})
        contest.note(played(games[3], absent=(2,)))
        self.assertEqual([*contest.scratched], [2])
        self.assertTrue(all(2 not in one.players for one in contest.next_games({})))

    def test_a_swiss_round_waits_for_the_one_before_it(self) -> None:
        contest = Contest(plan(4, format="swiss", rounds=2))
        first = [*contest.next_games({})]
        self.assertEqual([one.round for one in first], [1, 1])
        contest.note(played(first[0]))
        self.assertEqual([one.id for one in contest.next_games({})], [first[1].id])
        contest.note(played(first[1]))
        self.assertEqual({one.round for one in contest.next_games({})}, {2})

    def test_a_bye_is_a_point(self) -> None:
        contest = Contest(plan(3, format="swiss", rounds=3))
        play(contest)
        self.assertEqual(sum(contest.points()), 6.0)
        self.assertEqual(len(contest.byes), 3)

    def test_a_game_counts_once(self) -> None:
        contest = Contest(plan(2))
        (one,) = contest.next_games({})
        contest.note(played(one))
        self.assertRaises(ValueError, contest.note, played(one))

    def test_a_sequential_test_ends_it(self) -> None:
        contest = Contest(plan(2, sprt=(0.0, 100.0)))
        self.assertLess(len(play(contest)), 500)
        self.assertIs(contest.verdict, Verdict.ACCEPTED)
        self.assertIn("accepted", as_text(contest, standings(contest)))

    def test_the_table_does_not_depend_on_which_game_ended_first(self) -> None:
        tables = []
        for seed in range(3):
            contest = Contest(plan(5, rounds=2, seed=7))
            play(contest, at_once=4, seed=seed)
            tables.append(as_data(contest, standings(contest)))
        self.assertEqual(tables, tables[:1] * 3)

    def test_more_than_two_at_a_table(self) -> None:
        contest = Contest(plan(7, seats=3, rounds=2))
        games = [*contest.next_games({})]
        self.assertEqual([len(one.players) for one in games], [3, 3, 3, 3])
        contest.note(played(games[0], (0.5, 0.5, 0.0)))
        self.assertEqual(sum(contest.points()), 1.0)
        self.assertIn(games[0].id, results_page(contest, standings(contest)))


class JournalTests(SynchronousTestCase):
    def folder(self) -> Path:
        return Path(self.mktemp())

    @settings(max_examples=40, deadline=None)
    @given(PLANS, st.integers(0, 12), st.integers(0, 40), st.integers(1, 3))
    def test_a_contest_that_was_killed_goes_on(self, plan: Plan, before: int, torn: int, at_once: int) -> None:
        """Whenever it was killed, and whatever was written of the last line: the same games, pairings, seeds and table."""
        whole = Contest(plan)
        play(whole)
        folder = self.folder()
        journal = ContestJournal(folder)
        contest = journal.open(plan)
        for one in play(contest, at_once, before, seed=before):
            journal.append(one)
        journal.close()
        with (folder / JOURNAL).open("ab") as file:
            file.write(b'{"id": "9.9", "round": 9, "players": [0, 1], "shares"'[:torn])
        again = journal.open(plan)
        self.assertEqual(again.played, contest.played)
        play(again, at_once, seed=1)
        journal.close()
        self.assertEqual(again.played, whole.played)
        self.assertEqual((again.points(), again.byes, again.scratched), (whole.points(), whole.byes, whole.scratched))

    def test_another_contest(self) -> None:
        folder = self.folder()
        journal = ContestJournal(folder)
        journal.open(plan(2))
        journal.close()
        changed = evolve(plan(2).entrants[1], command=("run", "anew"))
        for other, expected in (
            (plan(3), "p2 is new"),
            (plan(1), "p1 does not play any more"),
            (evolve(plan(2), entrants=(plan(2).entrants[0], changed)), "the command of p1 was 'run 1'"),
            (evolve(plan(2), entrants=plan(2).entrants[::-1]), "the players are in another order: p0, p1"),
            (plan(2, rounds=3), "rounds was 1, and is 3"),
            (plan(2, most_moves=9), "most-moves was 0, and is 9"),
            (plan(2, settings={"onitama.move_time": "3"}), "onitama.move_time was not given, and is 3"),
        ):
            with self.subTest(expected):
                error = str(self.assertRaises(ContestError, ContestJournal(folder).open, other))
                self.assertIn(f"belongs to another contest: {expected}. Give the same options", error)

    def test_two_at_once(self) -> None:
        folder = self.folder()
        first, second = ContestJournal(folder), ContestJournal(folder)
        first.open(plan(2))
        self.assertIn("being played by another process", str(self.assertRaises(ContestError, second.open, plan(2))))
        first.close()
        second.open(plan(2))
        second.close()

    def test_a_folder_without_a_contest(self) -> None:
        folder = Path(self.mktemp())
        error = self.assertRaises(ContestError, ContestJournal(folder).plan)
        self.assertEqual(str(error), f"no contest was begun in {folder}")

    def test_what_is_written_down(self) -> None:
        """Each line says what it is, and is read as it was."""
        folder = self.folder()
        journal = ContestJournal(folder)
        one, other, *_ = journal.open(plan(3)).games
        ruling = Ruling("deadline", (1,), "too long", {"seconds": 600.0, "to_move": 1})
        entries = (
            Refused(one.id, "p1", "another process", 0, "123: python p0.py"),
            Void(one.id, "its match was stopped"),
            Played(one.id, 1, one.players, (1.0, 0.0), "deadline", "words", ruling, 3, 600.0, "notation"),
            played(other, absent=(other.players[0],)),
        )
        for entry in entries:
            journal.append(entry)
        journal.close()
        again = journal.open(plan(3))
        journal.close()
        self.assertEqual(again.refused, [entries[0]])
        self.assertEqual(again.voids, {one.id: 1})
        self.assertEqual([*again.played.values()], [*entries[2:]])
        self.assertEqual(again.played[other.id].absent, (other.players[0],))

    def test_a_game_in_which_the_host_fails_is_begun_twice(self) -> None:
        contest = Contest(plan(2))
        for _ in range(2):
            [one] = contest.next_games({})
            contest.note(Void(one.id, "its match was stopped"))
        self.assertEqual([*contest.next_games({})], [])
        self.assertEqual(contest.progress[:2], (0, 0))

    def test_damage(self) -> None:
        folder = self.folder()
        journal = ContestJournal(folder)
        contest = journal.open(plan(3))
        for one in play(contest):
            journal.append(one)
        journal.close()
        path = folder / JOURNAL
        lines = path.read_bytes().splitlines(keepends=True)
        for damaged in ([lines[0], b"{}\n"], [lines[0], lines[1], lines[1]], [b"[]\n"], [lines[0], b"\xff\n"]):
            with self.subTest(damaged[-1]):
                path.write_bytes(b"".join(damaged))
                self.assertRaises(ContestError, ContestJournal(folder).open, plan(3))


class ProgressTests(SynchronousTestCase):
    def test_games_of_rounds_to_come_are_counted(self) -> None:
        for chosen, games in (("round-robin", 30), ("swiss", 9), ("knock-out", 10), ("gauntlet", 10)):
            with self.subTest(chosen):
                contest = Contest(plan(6, format=chosen, rounds=3 if chosen == "swiss" else 2))
                play(contest, most=4)
                self.assertEqual(contest.progress[:2], (4, games))
        self.assertEqual(contest.progress[2], "4 of 10 games are decided; round 5 of 10")

    def test_a_terminal_shows_a_bar_and_the_table(self) -> None:
        class Terminal(StringIO):
            def isatty(self) -> bool:
                return True

        out, contest = Terminal(), Contest(plan(4))
        shown = Shown(Path(self.mktemp()), ONITAMA, out)
        run: Any = SimpleNamespace(running={}, contest=contest)
        shown.run = run
        shown.told(play(contest, most=2)[-1])
        self.assertIn(
            "[##########--------------------] 2 of 6 games are decided; round 2 of 3\nrank  player", out.getvalue()
        )
        shown.clear()
        self.assertTrue(out.getvalue().endswith("\x1b[6F\x1b[J"), out.getvalue())


class DecidedGame:
    record, begun = None, True

    def __init__(self, reactor: Clock, *, decided: Callable[[Decision], None], **more: object) -> None:
        self.stop = lambda: None
        self.taken: Callable[[], float | None] = lambda: None
        self.start: Callable[[], object] = lambda: reactor.callLater(1, decided, Decision((1.0, 0.0), "rules", "words"))


class WaitingGame(DecidedGame):
    """Nothing happens in it."""

    def __init__(self, reactor: Clock, begun: bool, taken: Callable[[], float | None], **more: Any) -> None:
        super().__init__(reactor, **more)
        self.begun, self.taken, self.start = begun, taken, lambda: None


class FullJournal(ContestJournal):
    """A journal on a disk that is full after so many games."""

    room = 2

    def append(self, entry: Entry) -> None:
        if not self.room:
            raise OSError(ENOSPC, "No space left on device")
        self.room -= 1
        super().append(entry)


class RunTests(SynchronousTestCase):
    def run_contest(self, journal: ContestJournal, at_once: int) -> tuple[ContestRun, list[str], int]:
        """A contest of four players to its end: the run, what it said at the end, and the most games at a time."""
        clock, ends, most = Clock(), list[str](), 0
        new_game: Any = partial(DecidedGame, clock)
        run = ContestRun(clock, journal.open(plan(4)), journal, new_game, at_once, lambda what: None, ends.append)
        run.start()
        for _ in range(40):
            most = max(most, len(run.running))
            clock.advance(0.5)
        journal.close()
        return run, ends, most

    def test_so_many_games_at_once(self) -> None:
        for at_once in (1, 2, 5):
            with self.subTest(at_once):
                run, ends, most = self.run_contest(ContestJournal(Path(self.mktemp())), at_once)
                self.assertEqual((len(run.contest.played), ends, most), (6, [""], at_once))

    def waiting(self, begun: bool, idle: int, taken: Callable[[], float | None], at_once: int = 1) -> int:
        """How many games are played at a time after three seconds, if none ends."""
        clock, journal = Clock(), ContestJournal(Path(self.mktemp()))
        contest = journal.open(plan(8))
        contest.idle |= {*range(idle)}
        new_game: Any = partial(WaitingGame, clock, begun, taken)
        run = ContestRun(clock, contest, journal, new_game, at_once, lambda what: None, lambda why: None)
        run.start()
        for _ in range(60):
            clock.advance(0.05)
        run.stop()
        journal.close()
        self.assertEqual(clock.getDelayedCalls(), [])
        return len(run.running)

    def test_a_game_that_waits_holds_no_other_one_up(self) -> None:
        """For who has not come, or who has lost its last game because it did nothing; while no program works."""
        works = iter(range(10_000))
        for begun, idle, taken, expected in (
            (False, 0, lambda: 1.0, 1 + MOST_WAITING),
            (False, 0, lambda: float(next(works)), 1),
            (False, 0, lambda: None, 1),
            (True, 0, lambda: 1.0, 1),
            (True, 8, lambda: 1.0, 1 + MOST_WAITING),
            (True, 8, lambda: float(next(works)), 1),
        ):
            self.assertEqual(self.waiting(begun, idle, taken), expected)
        self.assertEqual(self.waiting(False, 0, lambda: 1.0, 3), 3 * (1 + MOST_WAITING))

    def test_who_did_nothing_in_its_last_game(self) -> None:
        contest = Contest(plan(2, rounds=3))
        games = [*contest.next_games({})]
        for one, cause, idle in zip(games, ("time", "rules", "deadline"), (True, False, True), strict=True):
            contest.note(evolve(played(one, (0.0, 1.0) if one.players[0] == 1 else (1.0, 0.0)), cause=cause))
            self.assertEqual(contest.idle, {1} if idle else set())

    def test_a_game_that_is_not_written_down_does_not_count(self) -> None:
        folder = Path(self.mktemp())
        run, ends, _ = self.run_contest(FullJournal(folder), 1)
        self.assertEqual(len(run.contest.played), 2)
        self.assertIn("game 2.1 cannot be written down: [Errno 28] No space left on device", ends[0])
        run, ends, _ = self.run_contest(ContestJournal(folder), 1)
        self.assertEqual((len(run.contest.played), ends), (6, [""]))


class ResultsTests(SynchronousTestCase):
    def contest(self) -> Contest:
        contest = Contest(plan(4, rounds=2, seed=3))
        play(contest)
        return contest

    def test_the_best_player_is_the_first(self) -> None:
        table = standings(self.contest())
        self.assertEqual([one.player for one in table], [0, 1, 2, 3])
        self.assertEqual([one.rank for one in table], [1, 2, 3, 4])
        self.assertEqual(sum(one.points for one in table), 12.0)
        self.assertTrue(all(one.rating.low < one.rating.value < one.rating.high for one in table))

    def test_json(self) -> None:
        contest = self.contest()
        data = json.loads(json.dumps(as_data(contest, standings(contest))))
        keys = {"name", "rank", "points", "games", "won", "drawn", "lost", "rating", "low", "high", "scratched"}
        self.assertLessEqual(keys, data["players"][0].keys())
        self.assertEqual(len(data["games"]), 12)
        self.assertEqual((data["players"][0]["scratched"], data["players"][0]["why"]), (False, ""))

    def test_how_likely_it_is_that_a_player_is_better_than_the_next(self) -> None:
        contest = self.contest()
        table = standings(contest)
        likely = [one.superiority for one in table]
        self.assertIsNone(likely[-1])
        self.assertTrue(all(one is not None and 0.5 < one < 1 for one in likely[:-1]), likely)
        self.assertIn(f"{likely[0]:.0%}", as_text(contest, table).splitlines()[1])
        self.assertEqual(
            [one["superiority"] is None for one in as_data(contest, table)["players"]], [False] * 3 + [True]
        )

    def test_names_are_text(self) -> None:
        evil = Plan("onitama", "onitama", (Entrant("<b>&", ("x",)), Entrant('"><script>', ("y",))))
        contest = Contest(evil)
        play(contest)
        page = results_page(contest, standings(contest), ["1.1"])
        self.assertNotIn("<script", page)
        self.assertNotIn("<b>", page)

    def test_before_the_first_game(self) -> None:
        contest = Contest(plan(3))
        self.assertEqual([one.games for one in standings(contest)], [0, 0, 0])
        self.assertIn("<svg", results_page(contest, standings(contest)))


# The options of `gamehost contest`, and the file that has the same.


TWO = ("--player", "ann=./ann {name}", "--player", "bob=./bob")


class CommandTests(SynchronousTestCase):
    def plan(self, *words: str) -> Plan:
        options = parser(REGISTRY.wires).parse_args(words)
        content = {"out": self.mktemp(), **_content(options)}
        plan = plan_of(content, REGISTRY.wires)
        _where_games_are(content, plan)
        return plan

    def test_players(self) -> None:
        plan = self.plan("--wire=onitama", *TWO, "--player", "easy=house:easy", "--anchor", "easy=1500", "--seed=7")
        self.assertEqual(plan.names, ["ann", "bob", "easy"])
        self.assertEqual(plan.entrants[0].command, ("./ann", "{name}"))
        self.assertEqual(plan.entrants[2].command[:5], (sys.executable, "-m", "gamehost", "player", "onitama"))
        self.assertEqual(plan.entrants[2].anchor, 1500.0)
        self.assertEqual((plan.format, plan.rounds, plan.seed), ("round-robin", 1, 7))

    def test_times_are_settings_of_the_game(self) -> None:
        plan = self.plan(
            "--wire=stratego-lines", *TWO, "--move-time=3", "--game-time=60", "--set", "stratego.two_squares=0"
        )
        expected = {"stratego.move_time": "3", "stratego.game_time": "60", "stratego.two_squares": "0"}
        self.assertEqual(plan.settings, expected)

    def test_the_entry_check_has_the_settings_of_the_contest(self) -> None:
        plan = self.plan("--wire=stratego-lines", *TWO, "--move-time=3", "--set", "stratego.two_squares=0")
        self.assertEqual(settings_of_check(plan), ["--set", "stratego.two_squares=0"])

    def test_a_file(self) -> None:
        path = Path(self.mktemp())
        path.write_text(
            'wire = "paper-soccer"\nformat = "swiss"\nmove-time = 4\nseed = 9\n[players]\nann = "./ann"\nbob = "./bob x"\n'
            '[settings]\n"paper-soccer.move_time" = 5\n',
            "utf-8",
        )
        plan = self.plan(str(path), "--rounds=3")
        self.assertEqual((plan.wire, plan.format, plan.rounds, plan.seed), ("paper-soccer", "swiss", 3, 9))
        self.assertEqual(plan.entrants[1].command, ("./bob", "x"))
        self.assertEqual(plan.settings, {"paper-soccer.move_time": "5"})

    def test_what_cannot_be_played(self) -> None:
        cases: list[tuple[tuple[str, ...], str]] = [
            (("--wire=chess", *TWO), "no wire 'chess'"),
            (("--wire=console", *TWO), "no wire 'console'"),
            (("--wire=open", "--game=chess", *TWO), "has no game 'chess'"),
            (("--wire=onitama", "--player", "ann=x"), "1 players"),
            (("--wire=onitama", *TWO, "--player", "ann=y"), "two players are called 'ann'"),
            (("--wire=onitama", *TWO, "--player", "ANN=y"), "'ann' and 'ANN' are the same name"),
            (
                ("--wire=onitama", *TWO, "--player", "Anna Maria=y"),
                "'Anna Maria' cannot log in: a name has 1 to 20 letters",
            ),
            (("--wire=onitama", *TWO, "--player", "easy.1=y"), "'easy.1' cannot log in: names such as easy.1 are"),
            (("--wire=onitama", *TWO, "--player", f"{'W' * 21}=y"), "a name has at most 20 characters"),
            (
                ("--wire=stratego-lines", *TWO, "--player", "zoë=y"),
                "'zoë' cannot log in: stratego-lines cannot carry its characters",
            ),
            (("--wire=onitama", *TWO, "--player", "nobody"), "expected NAME=COMMAND"),
            (("--wire=onitama", *TWO, "--player", "h=house:best"), "house:easy"),
            (("--wire=onitama", *TWO, "--anchor", "eve=1"), "does not play"),
            (("--wire=onitama", *TWO, "--seats=3"), "expected at least 3"),
            (("--wire=onitama", *TWO, "--player=x=y", "--seats=3"), "not played by 3"),
            (("--wire=onitama", *TWO, "--sprt", "5", "0"), "the smaller difference first"),
            (("--wire=onitama", *TWO, "--set", "onitama.colour=1"), "no setting 'onitama.colour'"),
            (("--wire=onitama", *TWO, "--set", "two"), "expected NAME=VALUE with --set, not 'two'"),
            (("/no/such/file.toml",), "No such file"),
            (("--wire=onitama", *TWO, "--host=here"), "expected [HOST:]PORT for --host"),
            (("--wire=onitama", *TWO, "--player=pat=person"), "pat is a person, who plays on a running host"),
        ]
        for words, expected in cases:
            with self.subTest(words):
                self.assertIn(expected, str(self.assertRaises(ContestError, self.plan, *words)))

    def test_an_unknown_key_of_a_file(self) -> None:
        path = Path(self.mktemp())
        for text, expected in (("round = 3", "there is no 'round'"), ("players = 3", "as tables"), ("=", "Invalid")):
            path.write_text(text, "utf-8")
            self.assertIn(expected, str(self.assertRaises(ContestError, self.plan, str(path))))

    def test_a_value_of_a_file_that_cannot_be_used(self) -> None:
        path = Path(self.mktemp())
        for text, expected in (
            ('rounds = "x"', "for 'rounds'"),
            ("rounds = [1, 2]", "for 'rounds'"),
            ('pairs = "no"', "expected true or false for 'pairs', not 'no'"),
            ("move-time = -1", "expected a number of seconds for 'move-time'"),
            ("sprt = [1]", "expected 2 arguments for 'sprt'"),
            ("seed = 1.5", "for 'seed'"),
        ):
            with self.subTest(text):
                path.write_text(f'wire = "onitama"\n{text}\n[players]\nann = "x"\nbob = "y"\n', "utf-8")
                error = str(self.assertRaises(ContestError, self.plan, str(path)))
                self.assertIn(expected, error)
                self.assertTrue(error.startswith(f"{path}: "), error)

    def test_values_of_a_file(self) -> None:
        path = Path(self.mktemp())
        path.write_text(
            'wire = "onitama"\npairs = true\nsprt = [-5, 5]\nno-check = false\n[players]\nann = "x"\nbob = "y"\n',
            "utf-8",
        )
        plan = self.plan(str(path))
        self.assertEqual((plan.pairs, plan.sprt), (True, (-5.0, 5.0)))

    def test_the_seed_of_a_contest_that_goes_on(self) -> None:
        folder = Path(self.mktemp())
        folder.mkdir()
        content: dict[str, Any] = {"wire": "onitama", "player": ["ann=x", "bob=y"], "out": str(folder)}
        (folder / "contest.jsonl").write_text('{"plan": {"seed": 42}}\n', "utf-8")
        self.assertEqual(plan_of(content, REGISTRY.wires).seed, 42)


class SteadyReactor(Clock):
    """A reactor that is stopped at once."""

    def listenUNIX(self, path: str, factory: object, mode: int) -> None:
        pass

    def addSystemEventTrigger(self, *words: object) -> None:
        pass

    def callWhenRunning(self, call: Callable[[], None]) -> None:
        pass

    def run(self) -> None:
        pass


class MainTests(SynchronousTestCase):
    def test_nobody_who_sets_the_clock_changes_a_deadline(self) -> None:
        reactor, folder = SteadyReactor(), self.mktemp()
        status = main(["--wire=onitama", "--no-check", f"--out={folder}", *TWO], REGISTRY.wires, reactor, StringIO())
        self.assertEqual(status, 1)
        self.patch(time, "time", lambda: 0.0)
        self.assertLess(abs(reactor.seconds() - time.monotonic()), 60)
