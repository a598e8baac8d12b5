"""Bridges in memory: a host, connections and bots without sockets and processes, and bots that play at random."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec.structs import replace
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import ConnectionRefusedError, ProcessDone, ProcessTerminated
from twisted.internet.interfaces import IStreamClientEndpoint
from twisted.internet.task import Clock
from twisted.python.failure import Failure
from zope.interface import implementer

from gamehost.client.twisted_client import Client
from gamehost.extras.bots.bridge import BridgeRun, Terms, bridges
from gamehost.extras.bots.bridges.paper_soccer import digits_of, points_of
from gamehost.extras.bots.bridges.stratego import COLOURS, write_move
from gamehost.games.base import Seat
from gamehost.games.paper_soccer.master import PAPER_SOCCER
from gamehost.games.paper_soccer.master import Situation as PitchSituation
from gamehost.games.paper_soccer.rules import START
from gamehost.games.stratego.master import STRATEGO, any_rows
from gamehost.games.stratego.rules import Move, Phase, Situation
from gamehost.players.base import SeededChance
from gamehost.testing.memory_host import StrictTransport
from gamehost.wires.open import messages as m
from tests.kit import memory_host
from tests.kit.memory_host import MemoryHost

#: No process has this number.
NOBODY = 2**30

#: What a bot does: given the lines that it has read since it last wrote, what it writes then. An exception ends it.
Mind: TypeAlias = Callable[[list[str]], Sequence[str]]


class MemoryBot:
    """The process of a bot: `mind` answers when it has read something, or some calls of `go_on` later."""

    def __init__(self, protocol: Any, mind: Mind, slow: int = 0) -> None:
        self.slow, self.thought = slow, 0
        self.pid: int | None = NOBODY
        self.protocol, self.mind = protocol, mind
        #: All lines that it was told, and those that it has not answered yet.
        self.told: list[str] = []
        self.unread: list[str] = []
        self.input_ended = False

    def write(self, data: bytes) -> None:
        assert data.endswith(b"\n") or not data
        lines = data.decode("utf-8").splitlines()
        self.told += lines
        self.unread += lines

    def closeStdin(self) -> None:
        self.input_ended = True

    def signalProcess(self, name: str) -> None:
        self.end(ProcessTerminated(signal=9))

    def end(self, reason: Exception | None = None) -> None:
        """The process ends; by default with the status 0."""
        if self.pid is not None:
            self.pid = None
            self.protocol.processEnded(Failure(reason or ProcessDone(0)))

    def go_on(self) -> bool:
        if self.pid is None or not (self.unread or self.input_ended):
            return False
        if self.thought < self.slow and not self.input_ended:
            self.thought += 1
            return True
        lines, self.unread, self.thought = self.unread, [], 0
        try:
            written = self.mind(lines)
        except EOFError:
            self.end()
            return True
        if written:
            self.protocol.outReceived("".join(f"{line}\n" for line in written).encode("utf-8"))
        if self.input_ended:
            self.end()
        return True


class Machine(Clock):
    """Time, and the processes that are started."""

    def __init__(self) -> None:
        super().__init__()
        self.minds: dict[str, Callable[[], Mind]] = {}
        self.bots: list[MemoryBot] = []
        self.slow = 0

    def spawnProcess(self, protocol: Any, executable: str, words: Sequence[str], **more: Any) -> None:
        bot = MemoryBot(protocol, self.minds[words[-1]](), self.slow)
        self.bots.append(bot)
        protocol.makeConnection(bot)


@implementer(IStreamClientEndpoint)
class _Endpoint:
    def __init__(self, world: "World") -> None:
        self._world = world

    def connect(self, protocolFactory: Any) -> "Deferred[Any]":
        if self._world.host is None:
            return fail(ConnectionRefusedError())
        transport = StrictTransport(self._world.machine)
        transport.protocol = protocolFactory.buildProtocol(None)
        self._world.links.append((transport, self._world.host.connect("open")))
        transport.protocol.makeConnection(transport)
        return succeed(transport.protocol)


class World:
    """A host, and bridges that play there. While slow bots think, the bridges hear one line in each step, too."""

    def __init__(self, settings: Mapping[str, str] = {}, slow: int = 0) -> None:
        self.machine = Machine()
        self.machine.slow = slow
        self._settings = {"stratego.two_squares": "0", "stratego.max_plies": "300", **settings}
        self.host: MemoryHost | None = MemoryHost(self._settings, clock=self.machine)
        self.links: list[tuple[StrictTransport, memory_host.Client]] = []
        #: By connection, what the host has said and the bridge has not heard yet.
        self.told: dict[StrictTransport, bytes] = {}
        self.runs: dict[str, BridgeRun] = {}
        #: What each bridge has printed, and what went wrong.
        self.printed: dict[str, list[str]] = {}
        self.wrong: dict[str, list[str]] = {}

    def bridge(self, name: str, protocol: str, new_mind: Callable[[], Mind], **terms: Any) -> BridgeRun:
        """A bridge that plays under this name."""
        game, bridge = bridges()[protocol]
        out, err = self.printed.setdefault(name, []), self.wrong.setdefault(name, [])
        self.machine.minds[name] = new_mind
        login = m.Enter(name)
        run = self.runs[name] = BridgeRun(
            *(self.machine, Terms(game, bridge, [name], **terms)),
            lambda: Client(self.machine, _Endpoint(self), login, lambda: 0.5),
            *(out.append, err.append),
        )
        run.start()
        return run

    def step(self) -> bool:
        """Carry what was sent, and let the bots answer. Whether there was anything to do."""
        busy = False
        for near, far in list(self.links):
            if data := near.read():
                busy = True
                far.send(data)
            self.told[near] = self.told.get(near, b"") + far.transport.read()
            data, rest = self.told[near], b""
            if self.machine.slow:
                line, end, rest = data.partition(b"\n")
                data = line + end
            if data and not near.disconnected:
                busy, self.told[near] = True, rest
                near.receive(data)
            if near.disconnected or far.closed:
                self.links.remove((near, far))
                far.drop()
                near.hang_up()
        self.machine.advance(0)
        return any([bot.go_on() for bot in self.machine.bots]) or busy

    def until_idle(self, most: int = 100_000) -> None:
        for _ in range(most):
            if not self.step():
                return
        raise AssertionError("there is no end")

    def play(self, seconds: int = 30) -> None:
        """Go on until all bridges are at their end."""
        for _ in range(seconds * 4):
            self.until_idle()
            if all(run.done.called for run in self.runs.values()):
                return
            self.machine.advance(0.25)
        raise AssertionError(f"there is no end: {self.printed} {self.wrong}")

    def kill_host(self) -> None:
        """The host is gone, and what it was about to say. Its journal stays."""
        assert self.host is not None
        self._journal = self.host.journal
        self.host = None
        for near, _ in self.links:
            near.hang_up()
        self.links.clear()

    def start_host(self) -> None:
        """A new host has the journal."""
        self.host = MemoryHost(self._settings, clock=self.machine, journal=self._journal.restarted())


class RandomBot:
    """A bot that plays at random and never against the rules. It knows what its protocol tells it, and nothing else."""

    seat = Seat(0)

    def __init__(self, seed: int = 1) -> None:
        self.chance = SeededChance(seed)
        #: How many lines it has read and written.
        self.lines = 0

    def __call__(self, lines: list[str]) -> Sequence[str]:
        self.lines += len(lines)
        written = self.answer(lines)
        self.lines += len(written)
        return written

    def answer(self, lines: list[str]) -> Sequence[str]:
        raise NotImplementedError


class UCCBot(RandomBot):
    """Stratego."""

    def answer(self, lines: list[str]) -> Sequence[str]:
        if lines and lines[0].startswith(("RED ", "BLUE ")):
            self.seat = Seat(COLOURS.index(lines[0].split()[0]))
            return [row.replace("S", "s") for row in any_rows(self.chance.below)]
        if any(line.startswith("QUIT") for line in lines):
            raise EOFError
        if len(lines) < 11:
            return []
        squares = "".join(lines[-10:]).replace("s", "S").replace("+", "~")
        view = Situation(self.seat, Phase.PLAY, squares, (True, True), self.seat, None)
        action = STRATEGO.random_action(view, self.seat, self.chance.below)
        assert isinstance(action, Move)
        return [write_move(action)]


class CodinGameBot(RandomBot):
    def __init__(self, seed: int = 1) -> None:
        super().__init__(seed)
        self.view = PitchSituation(Seat(0), (), Seat(0), None)

    def answer(self, lines: list[str]) -> Sequence[str]:
        if lines and not self.lines - len(lines):
            self.seat = Seat(int(lines[0]))
        if len(lines) < 2:
            return []
        if lines[-1] != "-":
            self._play(points_of(lines[-1], self.ball))
        action = PAPER_SOCCER.random_action(replace(self.view, next=self.seat), self.seat, self.chance.below)
        assert action is not None
        digits = digits_of(action.points, self.ball)
        self._play(action.points)
        return [digits]

    @property
    def ball(self) -> tuple[int, int]:
        return self.view.points[-1] if self.view.points else START

    def _play(self, points: Sequence[tuple[int, int]]) -> None:
        self.view = replace(self.view, points=(*self.view.points, *points))


#: By protocol, a bot that plays well enough.
BOTS: Mapping[str, Callable[[int], RandomBot]] = {"ucc-stratego": UCCBot, "codingame-paper-soccer": CodinGameBot}
