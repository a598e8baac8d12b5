"""
What people at other tables notice of house players: the time from a move to its answer, with and without house games.

    python -m benchmarks.house [--games 50] [--level hard] [--tables 20] [--seconds 20]

People play Onitama at their own tables. Meanwhile random players in another process play so many games against house players,
one after the other, in Onitama, Paper Soccer and Stratego.
"""

import argparse
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

from attrs import define, field

from benchmarks.honest import Crowd, host, quantile
from benchmarks.network import connection
from gamehost.client.core import ClientCore
from gamehost.games.play import new_player
from gamehost.players.base import Level
from gamehost.programs.open import OpenProgram
from gamehost.wires.open import messages as m
from tests.kit.process import ROOT

GAMES = ("onitama", "paper-soccer", "stratego")
#: Seconds for the first moves, which do not count.
WARM_UP = 3.0


@define(eq=False, slots=False)
class Opponent:
    """A random player against house players."""

    name: str
    game: str
    level: str
    port: int
    #: The last two numbers of its address.
    source: str = "0.1"
    #: Seconds from an own action to the next question.
    answered: list[float] = field(factory=list)
    games: int = 0

    def connect(self) -> None:
        """Log in and ask for a house player."""
        self.socket = connection(self.port, self.source)
        self._core = ClientCore(m.Enter(self.name), lambda: 0.5)
        self._core.connection_made(time.monotonic())
        self._sent = 0.0
        self._begin()

    def _begin(self) -> None:
        self._program = OpenProgram(lambda game, seat: new_player(game, seat, Level.RANDOM, self.games))
        self._core.say(m.Seek(self.game, house=self.level))
        self._send()

    def _send(self) -> None:
        self.socket.sendall(self._core.take_output())

    def hear(self) -> None:
        """Hear what has come, and answer."""
        for message in self._core.received(self.socket.recv(262_144), time.monotonic()):
            for said in self._program.hear(message):
                self._core.say(said)
        if self._program.over is not None:
            self.games += 1
            self._begin()
            return
        match = self._program.match
        work = None if match is None else match.work()
        if match is not None and work is not None:
            for act in self._program.act(match, work()):
                if self._sent:
                    self.answered.append(time.monotonic() - self._sent)
                self._core.say(act)
                self._sent = time.monotonic()
        self._send()


def oppose(port: int, games: int, level: str, seconds: float) -> None:
    """Play so many games at once for so long, and print how long house players took."""
    opponents = [Opponent(f"o{number}", GAMES[number % len(GAMES)], level, port) for number in range(games)]
    for one in opponents:
        one.connect()
    sockets = {one.socket: one for one in opponents}
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        for ready in select.select(list(sockets), [], [], 0.5)[0]:
            sockets[ready].hear()
    waits = sorted(wait for one in opponents for wait in one.answered)
    p50, p99, longest = (round(quantile(waits, share) * 1000) for share in (0.5, 0.99, 1.0))
    played = sum(one.games for one in opponents)
    words = f"{played} games, {len(waits)} answers, p50 {p50} ms, p99 {p99}, longest {longest}"
    print(f"house players: {words}", flush=True)


def measure(words: argparse.Namespace, games: int) -> None:
    """How long people wait while so many house games run."""
    with host("--house=3600", wires=("onitama", "open")) as process:
        while "house players ready" not in process.log:
            time.sleep(0.1)
        crowd = Crowd(process.ports["onitama"], words.tables, 4.0)
        opponents: subprocess.Popen[bytes] | None = None
        if games:
            port, seconds = process.ports["open"], words.seconds + WARM_UP + 1
            command = [sys.executable, "-m", "benchmarks.house", "--oppose", f"{port},{seconds}"]
            command += ["--games", str(games), "--level", words.level]
            opponents = subprocess.Popen(command, cwd=ROOT)
        crowd.play(WARM_UP)
        waits = crowd.play(words.seconds)
        print(
            f"{games:3} house games: people made {len(waits)} moves, answered in p50 {quantile(waits, 0.5) * 1000:.1f} ms,"
            f" p99 {quantile(waits, 0.99) * 1000:.1f}",
            flush=True,
        )
        if opponents is not None:
            opponents.wait(60)
        crowd.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Without house games, and with them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--level", default="hard", choices=[level.value for level in Level])
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--oppose", help=argparse.SUPPRESS)
    words: Any = parser.parse_args(arguments)
    if words.oppose:
        port, seconds = words.oppose.split(",")
        oppose(int(port), words.games, words.level, float(seconds))
        return
    for games in (0, words.games):
        measure(words, games)


if __name__ == "__main__":
    main()
