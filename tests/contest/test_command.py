"""The options of `gamehost contest`, and the file that has the same."""

import sys
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.contest.command import _content, _where_games_are, parser, plan_of
from gamehost.contest.contest import ContestError, Plan
from gamehost.plugins import REGISTRY

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
