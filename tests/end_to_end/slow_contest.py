"""
Contests that `make test` has no time for: many simulated ones, some that are killed again and again, and one with bad programs.

`make test-contest-kills KILLS=50`; the environment has the number as GAMEHOST_KILLS, and a seed as GAMEHOST_SEED.
"""

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gamehost.players.base import SeededChance
from tests.end_to_end.test_contest import BOT, ContestCase
from tests.kit.fork_server import ROOT
from tests.kit.process import HostProcess

#: Plays at random, but the same in the same position for the same seed: also when it was killed and comes back, and finds its
#: moves in another order.
SEEDED = (
    f"{sys.executable} -c 'import random,runpy,sys,zlib; seed=sys.argv.pop();"
    " random.choice=lambda moves: sorted(moves)[zlib.crc32((seed+str(sorted(moves))).encode())%len(moves)];"
    f' runpy.run_path("{ROOT}/docs/bots/onitama_bot.py", run_name="__main__")\' {{name}} --port {{port}} {{seed}}'
)
#: The same, started anew until it has played to the end.
AGAIN = f"sh -c {shlex.quote('until ' + SEEDED + '; do :; done')}"
#: Seconds after its start in which a contest is killed, at least and at most: from before it reads its journal on.
EARLIEST, LATEST = 0.2, 2.5
#: Seconds between two kills of clients at most.
SOON = 1.0


class BadBotsTests(ContestCase):
    """`make test-contest-bad`. Both contests have the machine to themselves, one after the other."""

    timeout = 3_600
    #: Bad in eight ways.
    BAD = ("gone", "hangs", "floods", "nonsense", "greedy", "helped", "crashes", "never")
    MOST = 1.3

    def seconds(self, name: str, bad: Sequence[str]) -> float:
        """How long a round robin of twenty takes."""
        players = {one: one for one in bad} | {f"bot{number}": BOT for number in range(20 - len(bad))}
        began = time.monotonic()
        contest = self.begin(players, f"--out={self.folder / name}", "--memory=300", "--concurrency=2", "--move-time=1")
        self.assertEqual(contest.wait(timeout=self.timeout), 0, contest.stdout.read())
        return time.monotonic() - began

    def test_eight_bad_ones_of_twenty_hold_nobody_up(self) -> None:
        sound, mixed = self.seconds("sound", ()), self.seconds("mixed", self.BAD)
        print(
            f"20 sound programs: {sound:.0f} s; with {len(self.BAD)} bad ones: {mixed:.0f} s, {mixed / sound:.2f} times"
        )
        self.assertLessEqual(mixed, self.MOST * sound)


class KillTests(ContestCase):
    timeout = 3_600
    KILLS = int(os.environ.get("GAMEHOST_KILLS", "10"))
    SEED = int(os.environ.get("GAMEHOST_SEED", "1"))

    def setUp(self) -> None:
        super().setUp()
        self.journal = self.folder / "out" / "contest.jsonl"
        self.chance = SeededChance(self.SEED)
        self.kills = self.ends = 0

    def play(self, *words: str, program: str = SEEDED) -> Any:
        players = {**{name: program for name in ("ann", "bob", "carl", "dora")}, "gone": "gone"}
        return self.begin(players, "--deadline=60", "--concurrency=2", *words)

    def table(self) -> Any:
        """The table, and what was decided: not how many moves were made against a program that ended meanwhile."""
        results = self.results()
        games = {one["id"]: (one["players"], one["points"], one["cause"]) for one in results["games"]}
        return results["players"], games

    def seconds(self, least: float, most: float) -> float:
        return least + (most - least) * self.chance.below(10_000) / 10_000

    def check(self, without: Any) -> None:
        """The contest is over: it has the table that it has without kills, and each game is counted once."""
        self.ends += 1
        self.assertEqual(self.table(), without)
        counted = Counter(json.loads(line)["played"]["id"] for line in self.journal.read_text("utf-8").splitlines()[1:])
        self.assertEqual((set(counted), set(counted.values())), ({*without[1]}, {1}))

    def told(self, what: str, without: Any) -> None:
        print(
            f"{self.kills} kills of {what}: {self.ends} whole contests of {len(without[1])} games, each with the same table"
        )

    def over(self, contest: Any, seconds: float) -> bool:
        """Wait so long for the end of a contest; kill it if it does not come."""
        try:
            self.assertEqual(contest.wait(timeout=seconds), 0, contest.stdout.read())
            return True
        except subprocess.TimeoutExpired:
            contest.send_signal(signal.SIGKILL)
            contest.wait(timeout=30)
            contest.stdout.close()
            self.kills += 1
            return False

    def killed(self, *words: str) -> None:
        self.finish(self.play(*words))
        without = self.table()
        while self.kills < self.KILLS:
            self.journal.unlink()
            while self.kills < self.KILLS and not self.over(self.play(*words), self.seconds(EARLIEST, LATEST)):
                pass
            self.finish(self.play(*words))
            self.check(without)
        self.told(f"the contest {' '.join(words)}", without)

    def test_everybody_against_everybody(self) -> None:
        self.killed("--pairs", "--rounds=2")

    def test_rounds_that_depend_on_results(self) -> None:
        self.killed("--format=swiss", "--pairs", "--rounds=4")

    def host(self) -> HostProcess:
        return HostProcess("--house=0", wires=("onitama",), folder=self.folder, store="gamehost.sqlite")

    def hosted(self, host: HostProcess) -> list[str]:
        """Options for a contest on a running host. It deals, so the cards are named."""
        where = [f"--host={host.ports['onitama']}", f"--admin={self.folder / 'gamehost.sqlite.admin'}"]
        return [*where, "--pairs", "--set=onitama.deal=boar,ox/crab,eel/tiger"]

    def test_a_contest_on_a_running_host(self) -> None:
        with self.host() as host:
            self.killed(*self.hosted(host))

    def test_the_running_host(self) -> None:
        """Then the contest ends with a sentence. Both are started again."""
        with self.host() as host:
            self.finish(self.play(*self.hosted(host)))
        without = self.table()
        while self.kills < self.KILLS:
            self.journal.unlink(missing_ok=True)
            status = 2
            while status == 2:
                with self.host() as host:
                    contest = self.play(*self.hosted(host))
                    try:
                        # Two seconds more than where the contest is killed: so long a game takes to begin again.
                        status = contest.wait(
                            timeout=self.seconds(EARLIEST, LATEST + 2) if self.kills < self.KILLS else 120
                        )
                    except subprocess.TimeoutExpired:
                        host.kill()
                        self.kills += 1
                        status = contest.wait(timeout=60)
                    said = contest.stdout.read().decode()
                    contest.stdout.close()
                    self.assertTrue(status == 0 or "the host does not go on with it" in said, said)
            self.assertEqual(status, 0)
            self.check(without)
        self.told("the running host", without)

    def clients(self) -> list[int]:
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                words = path.read_bytes().split(b"\0")
                ours = f"GAMEHOST_OUT={self.folder}".encode() in (path.parent / "environ").read_bytes().split(b"\0")
                if ours and words[0] == sys.executable.encode() and words[1] == b"-c":
                    found.append(int(path.parent.name))
        return sorted(found)

    def test_clients_that_come_back(self) -> None:
        """Each is started anew by its own command, and plays on."""
        self.finish(self.play("--pairs", program=AGAIN))
        without = self.table()
        self.patch(os, "environ", {**os.environ, "GAMEHOST_OUT": str(self.folder)})
        while self.kills < self.KILLS:
            self.journal.unlink()
            contest = self.play("--pairs", program=AGAIN)
            while contest.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    contest.wait(timeout=self.seconds(0, SOON))
                if self.kills < self.KILLS and (there := self.clients()):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(self.chance.one_of(there), signal.SIGKILL)
                        self.kills += 1
            self.finish(contest)
            self.check(without)
        self.told("clients", without)
