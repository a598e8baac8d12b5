"""
Contests that `make test` has no time for: many simulated ones, two that are killed again and again, and one with bad programs.

`make test-contest-kills KILLS=50`; the environment has the number as GAMEHOST_KILLS, and a seed as GAMEHOST_SEED.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gamehost.players.base import SeededChance
from tests.contest import test_ratings
from tests.end_to_end.test_contest import ContestCase
from tests.kit.fork_server import ROOT


class SimulatedTests(test_ratings.SimulatedTests):
    def test_intervals_hold_the_truth(self) -> None:
        share = self.share_of_true_intervals(100)
        print(f"{share:.3f} of 800 intervals hold the truth")
        self.assertTrue(0.90 <= share <= 0.98, share)


#: Plays at random, but the same for the same seed.
SEEDED = (
    f"{sys.executable} -c 'import random,runpy,sys; random.seed(sys.argv.pop());"
    f' runpy.run_path("{ROOT}/docs/bots/onitama_bot.py", run_name="__main__")\' {{name}} --port {{port}} {{seed}}'
)
#: Seconds after its start in which a contest is killed, at least and at most: from before it reads its journal on.
EARLIEST, LATEST = 0.2, 2.5


class KillTests(ContestCase):
    timeout = 3_600
    KILLS = int(os.environ.get("GAMEHOST_KILLS", "10"))
    SEED = int(os.environ.get("GAMEHOST_SEED", "1"))

    def play(self, *words: str) -> Any:
        players = {**{name: SEEDED for name in ("ann", "bob", "carl", "dora")}, "gone": "gone"}
        return self.begin(players, "--move-time=60", "--deadline=60", "--concurrency=2", *words)

    def table(self) -> Any:
        """The table, and what was decided: not how many moves were made against a program that ended meanwhile."""
        results = self.results()
        games = {one["id"]: (one["players"], one["points"], one["cause"]) for one in results["games"]}
        return results["players"], games

    def killed(self, *words: str) -> None:
        self.finish(self.play(*words))
        without = self.table()
        journal = self.folder / "out" / "contest.jsonl"
        chance, kills, ends = SeededChance(self.SEED), 0, 0
        while kills < self.KILLS:
            journal.unlink()
            while kills < self.KILLS:
                contest = self.play(*words)
                seconds = EARLIEST + (LATEST - EARLIEST) * chance.below(10_000) / 10_000
                try:
                    self.assertEqual(contest.wait(timeout=seconds), 0, contest.stdout.read())
                    break
                except subprocess.TimeoutExpired:
                    contest.send_signal(signal.SIGKILL)
                    contest.wait(timeout=30)
                    contest.stdout.close()
                    kills += 1
            else:
                self.finish(self.play(*words))
            ends += 1
            self.assertEqual(self.table(), without)
            counted = Counter(json.loads(line)["id"] for line in journal.read_text("utf-8").splitlines()[1:])
            self.assertEqual(set(counted.values()), {1})
        print(
            f"{kills} kills {' '.join(words)}: {ends} whole contests of {len(counted)} games, each with the same table"
        )

    def test_everybody_against_everybody(self) -> None:
        self.killed("--pairs", "--rounds=2")

    def test_rounds_that_depend_on_results(self) -> None:
        self.killed("--format=swiss", "--pairs", "--rounds=4")


#: Thinks for 0.1 s a move.
THINKS = (
    f"{sys.executable} -c 'import random,runpy,sys,time; choice=random.choice;"
    " random.choice=lambda moves: (time.sleep(0.1), choice(moves))[1];"
    f' runpy.run_path("{ROOT}/docs/bots/onitama_bot.py", run_name="__main__")\' {{name}} --port {{port}}'
)


class BadProgramsTests(ContestCase):
    timeout = 1_200

    def seconds(self, bad: Sequence[str]) -> float:
        """How long twenty programs play."""
        players = {**{f"bot{number}": THINKS for number in range(20 - len(bad))}, **{name: name for name in bad}}
        self.folder = Path(self.mktemp())
        self.folder.mkdir()
        began = time.monotonic()
        contest = self.begin(players, "--memory=300", "--concurrency=8", "--move-time=2")
        self.assertEqual(contest.wait(timeout=500), 0, contest.stdout.read())
        return time.monotonic() - began

    def test_five_of_twenty(self) -> None:
        """They make the contest no longer than 1.3 times what twenty sound programs take."""
        sound, mixed = self.seconds([]), self.seconds(["hangs", "floods", "crashes", "never", "nonsense"])
        print(f"twenty sound programs: {sound:.0f} s; with five bad ones: {mixed:.0f} s")
        self.assertLess(mixed, 1.3 * sound)
