"""
Many games at once with an example's master in a process of its own, which is killed in the middle of them.

`python -m tests.kit.remote_crowd 100 1` plays a hundred games and kills the master once (`make bench-remote`); the suite plays
a few. Each player checks that it hears every state once, and that no mark is made twice.
"""

import asyncio
import importlib.util
import random
import subprocess
import sys
import time
from collections.abc import Callable
from types import ModuleType

from attrs import define, field

from tests.kit.process import ROOT, HostProcess

EXAMPLES = ROOT / "examples" / "remote"
WIRE = "paper-soccer"


def example(name: str) -> ModuleType:
    """One of the examples."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class MasterProcess:
    """
    A master in a process of its own; a context manager that leaves none behind.

    :param command: what starts it
    """

    def __init__(self, *command: str) -> None:
        self._command = command

    def __enter__(self) -> "MasterProcess":
        self.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start it, and wait until it is registered."""
        self.process = subprocess.Popen(
            self._command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line == b"registered\n", line

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait(10)
        assert self.process.stdout is not None
        self.process.stdout.close()


def tictactoe(port: int) -> MasterProcess:
    """The example's master of tic-tac-toe."""
    return MasterProcess(sys.executable, str(EXAMPLES / "tictactoe_master.py"), "--port", str(port))


@define
class Crowd:
    """
    Players of tic-tac-toe, two for each game.

    :param games: at once; each pair plays one
    """

    port: int
    games: int
    moves: int = 0
    #: How long the host and the master took for each move, in seconds.
    delays: list[float] = field(factory=list)
    results: list[str] = field(factory=list)
    #: Called after each move.
    moved: Callable[[], None] = lambda: None

    async def play(self) -> None:
        """Play all games to their ends."""
        player = example("tictactoe_player").Player
        await asyncio.gather(*(self._play(player(f"p{number}")) for number in range(2 * self.games)))

    async def _play(self, player: object) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(player.login().encode())  # type: ignore[attr-defined]
        sent = 0.0
        while not player.results:  # type: ignore[attr-defined]
            line = (await reader.readline()).decode()
            assert line, "the host has hung up"
            assert 'type="error"' not in line and 'accept="no"' not in line, line
            before = len(player.marks)  # type: ignore[attr-defined]
            answer = player.answer(line)  # type: ignore[attr-defined]
            if sent:
                self.delays.append(time.monotonic() - sent)
                sent = 0.0
            if "<mark" in line and not player.results:  # type: ignore[attr-defined]
                assert len(player.marks) == before + 1, f"a mark was told twice: {line}"  # type: ignore[attr-defined]
            if "<move>" in answer:
                sent = time.monotonic()
                self.moves += 1
                self.moved()
            writer.write(answer.encode())
        self.results += player.results  # type: ignore[attr-defined]
        writer.close()


def play(host: HostProcess, games: int, kills: int = 0) -> Crowd:
    """
    Play so many games at once.

    :param kills: how often the master is killed, and started again at once
    """
    random.seed(1)
    with tictactoe(host.ports[WIRE]) as master:
        crowd = Crowd(host.ports[WIRE], games)
        due = [games * 4 * (number + 1) for number in range(kills)]

        def moved() -> None:
            if due and crowd.moves >= due[0]:
                due.pop(0)
                master.kill()
                master.start()

        crowd.moved = moved
        asyncio.run(asyncio.wait_for(crowd.play(), 300))
        assert not due, "the games were over before the last kill"
    return crowd


def main(games: int, kills: int) -> None:
    """Play, and print how fast it went."""
    with HostProcess(wires=[WIRE], store="store.sqlite") as host:
        began = time.monotonic()
        crowd = play(host, games, kills)
        seconds = time.monotonic() - began
    delays = sorted(crowd.delays)
    print(f"{games} games at once, {crowd.moves} moves in {seconds:.1f} s: {crowd.moves / seconds:.0f} a second")
    print(f"a move and the state after it: {1000 * delays[len(delays) // 2]:.1f} ms in the middle", end=", ")
    print(f"{1000 * delays[len(delays) * 99 // 100]:.1f} ms for 99 of 100; the master was killed {kills} times")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
