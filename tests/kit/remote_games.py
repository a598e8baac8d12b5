"""
Remote games and championships over sockets: hosts and masters that are killed in the middle of them.

`python -m tests.kit.remote_games kills 300` kills a host so often, each time when a result is about to be told, is being told
or was told just now (`make test-championship`). `crowd 100 1` plays a hundred games and kills the master once (`make
bench-remote`).
"""

import asyncio
import importlib.util
import random
import re
import selectors
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations, cycle
from pathlib import Path
from types import ModuleType

from attrs import define, field

from gamehost.journal.records import TableId, TableRecord
from gamehost.storage.inspect import reading
from tests.kit.process import ROOT, HostProcess, Socket
from tests.kit.wires.paper_soccer_talk import login, message
from tests.kit.wires.remote_talk import master_login, over, state, thanks

# Championships whose host is killed: what the players were told of the results, and whether the record has the same.
# `tests.lobby.test_championship` kills hosts in memory.


_GAME = re.compile(r'<gameId id="([0-9.]+)"/>')
_NICK = re.compile(r'<player nick="(\w+)"/>')
_RESULT = re.compile(r'<player nick="(\w+)" result="(winner|loser)"/>')
_COUNT = re.compile(r'<player nick="(\w+)" won="([0-9]+)" lost="([0-9]+)"/>')
#: In a match of Paper Soccer: a move that the rules forbid, and that loses.
_FOUL = '<move><point x="0" y="2"/></move>'

WIRE = "paper-soccer"
#: The built-in game; all other types are those of a master.
BUILT_IN = "paper soccer"
NAMES = ("ann", "bob", "cid", "dan")


class Wrong(AssertionError):
    """A result was told twice, counted twice, told and not counted, or the list is not what was counted."""


def game_of(line: str) -> str:
    """The id of the game that a message is about."""
    found = _GAME.search(line)
    assert found is not None, line
    return found[1]


def opponents(line: str) -> list[str]:
    return _NICK.findall(line)


@define(eq=False)
class Told:
    #: By two players: the game that was told to have ended, and who won.
    ends: dict[frozenset[str], tuple[str, str]] = field(factory=dict)
    #: By player: the list of champions.
    lists: dict[str, Mapping[str, tuple[int, int]]] = field(factory=dict)

    def hear(self, name: str, line: str) -> None:
        """A player has heard this. There is one list, and one end of a game of the same two."""
        if "championsList" in line:
            counts = {one: (int(won), int(lost)) for one, won, lost in _COUNT.findall(line)}
            if self.lists.setdefault(name, counts) != counts:
                raise Wrong(f"{name} was told two lists")
        elif "gameOver" in line:
            results = {one: result == "winner" for one, result in _RESULT.findall(line)}
            winners = [one for one, won in results.items() if won]
            if len(results) == 2 and len(winners) == 1:
                end = game_of(line), winners[0]
                if self.ends.setdefault(frozenset(results), end) != end:
                    raise Wrong(f"told twice: {end} and {self.ends[frozenset(results)]}")

    def compare(self, record: TableRecord) -> None:
        """
        :raises Wrong: the record of the championship has a pair twice or not at all, or another result than was told
        """
        names = [seat.name for seat in record.opening.seats]
        counted: dict[frozenset[str], Mapping[str, bool]] = {}
        for entry in record.entries[1:]:
            results = {names[int(one[:-1])]: one[-1] == "+" for one in entry.notation.decode().split()}
            if counted.setdefault(frozenset(results), results) is not results:
                raise Wrong(f"counted twice: {results}")
        if set(counted) != {frozenset(pair) for pair in combinations(names, 2)}:
            raise Wrong(f"not each pair has counted: {list(counted.values())}")
        for pair, (number, winner) in self.ends.items():
            if [name for name, won in counted[pair].items() if won] != [winner]:
                raise Wrong(f"told was that {winner} won game {number}, and counted was {counted[pair]}")
        won = Counter(name for results in counted.values() for name, has_won in results.items() if has_won)
        lost = Counter(name for results in counted.values() for name, has_won in results.items() if not has_won)
        for name, counts in self.lists.items():
            if counts != {one: (won[one], lost[one]) for one in names}:
                raise Wrong(f"{name} was told {counts}, and counted were {counted}")


def answer_of_master(line: str, first: bool) -> Sequence[str]:
    """What a master says who ends each game behind its first state, and whose first player wins, or not."""
    if 'type="beginGame"' not in line:
        return ()
    number, names = game_of(line), opponents(line)
    return state(number, names[0]), over(number, {name: (name == names[0]) is first for name in names})


def answer_of_player(name: str, line: str, game_type: str, thankful: bool) -> Sequence[str]:
    if "gameOver" in line:
        return (thanks(game_of(line)),) if thankful else ()
    if game_type == BUILT_IN and f'<nextPlayer nick="{name}"/>' in line:
        return (message("move", f'<gameId id="{game_of(line)}"/>{_FOUL}'),)
    return ()


# -- hosts that are killed

#: Seconds after which a host that says nothing has lost something.
PATIENCE = 60.0


@define(eq=False)
class _Aim:
    """
    The moment at which a host is killed.

    :param early: when a result has been sent, and not when the first player hears of it
    :param later: so many lines behind that; seconds, if it is early
    """

    early: bool
    later: float

    @classmethod
    def drawn(cls, rng: random.Random) -> "_Aim":
        early = rng.random() < 0.3
        return cls(early, rng.random() * 0.003 if early else rng.choice((0, 0, 0, 1, 2, 4)))


@define(eq=False)
class _Life:
    """One run of a host, and the programs that talk to it."""

    host: HostProcess
    told: Told
    game_type: str
    loose: bool
    first: bool
    aim: _Aim
    _said: bool = False
    _selector: selectors.BaseSelector = field(factory=selectors.DefaultSelector)
    _sockets: "dict[str, _PlayerSocket]" = field(factory=dict)

    def play(self) -> bool:
        """Until the end of the championship, or of the host. Whether all players have been told the end."""
        try:
            if self.game_type != BUILT_IN:
                self._come("", master_login(self.game_type))
            for name in NAMES:
                self._come(name, login(name, self.game_type))
            while set(self.told.lists) != set(NAMES):
                if not self._turn():
                    return False
            return True
        finally:
            for one in self._sockets.values():
                one.close()
            self._selector.close()

    def _come(self, name: str, words: str) -> None:
        self._sockets[name] = one = _PlayerSocket(self.host.ports[WIRE])
        self._selector.register(one.socket, selectors.EVENT_READ, name)
        one.say(words)

    def _turn(self) -> bool:
        """Hear and answer. `False`: the host has been killed."""
        ready = self._selector.select(PATIENCE)
        if not ready:
            raise Wrong(f"nothing happens any more; told were {self.told.ends}\n{self.host.log}")
        for key, _ in ready:
            name = str(key.data)
            for line in self._sockets[name].heard():
                if self._hear(name, line):
                    self._die()
                    return False
        return True

    def _hear(self, name: str, line: str) -> bool:
        """Whether the host is to be killed now."""
        if name:
            self.told.hear(name, line)
            answers = answer_of_player(name, line, self.game_type, not self.loose)
        else:
            answers = answer_of_master(line, self.first)
        if answers:
            self._sockets[name].say(*answers)
        ends = any("gameOver" in one or _FOUL in one for one in answers)
        if self.aim.early:
            if ends:
                time.sleep(self.aim.later)
            return ends
        if self._said or (name and "gameOver" in line):
            self._said = True
            self.aim.later -= 1
        return self._said and self.aim.later < 0

    def _die(self) -> None:
        """The host is killed; what it said before counts."""
        self.host.kill()
        for name, one in self._sockets.items():
            for line in one.rest():
                if name:
                    self.told.hear(name, line)


class _PlayerSocket(Socket):
    """A socket that is read when there is something."""

    def heard(self) -> list[str]:
        self._unread += self.socket.recv(65_536)
        *lines, self._unread = self._unread.split(b"\n")
        return [line.decode("utf-8") for line in lines]

    def rest(self) -> Iterator[str]:
        with suppress(OSError):
            yield from iter(self.hear, "")


def record_in(store: Path) -> TableRecord:
    """The record of the championship, which is the first table of a store."""
    with reading(store) as journal:
        return journal.table(TableId(1))[1]


#: What is played, and whether in the loose dialect.
_KINDS = (("nim", False), ("nim", True), (BUILT_IN, False))


@define
class Figures:
    """What happened."""

    kills: int = 0
    championships: int = 0
    results: int = 0
    #: Results of which nobody had heard when the host was killed: the record alone has them.
    untold: int = 0


def kill_at_results(kills: int, seed: int, folder: Path) -> Figures:
    """Hold championships until a host was killed so often: each result is told once and counted once, or `Wrong`."""
    rng, figures = random.Random(seed), Figures()
    kinds = enumerate(cycle(_KINDS))
    while figures.kills < kills:
        number, (game_type, loose) = next(kinds)
        own = folder / str(number)
        own.mkdir()
        told, first = Told(), True
        options = [f"--championship={game_type}:{len(NAMES)}", "--strict"]
        if loose:
            options.append(f"--set=paper-soccer.loose={game_type}")
        while set(told.lists) != set(NAMES):
            with HostProcess(*options, wires=[WIRE], folder=own, store="store.sqlite") as host:
                finished = _Life(host, told, game_type, loose, first, _Aim.drawn(rng)).play()
            figures.kills += not finished
            # If a pair plays again, it ends in another way.
            first = not first
        record = record_in(own / "store.sqlite")
        told.compare(record)
        figures.championships += 1
        figures.results += len(record.entries) - 1
        figures.untold += len(record.entries) - 1 - len(told.ends)
    return figures


def kill_often(times: int, seed: int = 1) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        figures = kill_at_results(times, seed, Path(temporary))
    print(
        f"{figures.kills} kills in {figures.championships} championships: {figures.results} results, each counted once; "
        f"{figures.results - figures.untold} were told, each once, and {figures.untold} by the list of champions alone"
    )


# Many games at once with an example's master in a process of its own. Each player checks that it hears every state once, and
# that no mark is made twice.


EXAMPLES = ROOT / "examples" / "remote"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class MasterProcess:
    """A master in a process of its own, started by a command; a context manager that leaves none behind."""

    def __init__(self, *command: str) -> None:
        self._command = command

    def __enter__(self) -> "MasterProcess":
        self.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.kill()

    def start(self) -> None:
        self.process = subprocess.Popen(
            self._command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line == b"registered\n", line

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()


def tictactoe(port: int) -> MasterProcess:
    return MasterProcess(sys.executable, str(EXAMPLES / "tictactoe_master.py"), "--port", str(port))


@define
class Crowd:
    """Players of tic-tac-toe, two for each of so many games at once. Each pair plays one."""

    port: int
    games: int
    moves: int = 0
    #: How long the host and the master took for each move, in seconds.
    delays: list[float] = field(factory=list)
    results: list[str] = field(factory=list)
    #: Called after each move.
    moved: Callable[[], None] = lambda: None

    async def play(self) -> None:
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


def play_at_once(host: HostProcess, games: int, kills: int = 0) -> Crowd:
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


def play_often(games: int, kills: int) -> None:
    """Play, and print how fast it went."""
    with HostProcess(wires=[WIRE], store="store.sqlite") as host:
        began = time.monotonic()
        crowd = play_at_once(host, games, kills)
        seconds = time.monotonic() - began
    delays = sorted(crowd.delays)
    print(f"{games} games at once, {crowd.moves} moves in {seconds:.1f} s: {crowd.moves / seconds:.0f} a second")
    print(f"a move and the state after it: {1000 * delays[len(delays) // 2]:.1f} ms in the middle", end=", ")
    print(f"{1000 * delays[len(delays) * 99 // 100]:.1f} ms for 99 of 100; the master was killed {kills} times")


if __name__ == "__main__":
    run = kill_often if sys.argv[1] == "kills" else play_often
    run(*map(int, sys.argv[2:]))
