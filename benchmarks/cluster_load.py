"""The load of `benchmarks.load` at a cluster: each player at a member of its own, and the time that each member uses."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import define, field, frozen

from benchmarks.load import Load, Player, Table, Window
from benchmarks.scripts import Script
from benchmarks.servers import Server, on_core
from gamehost.extras.cluster.membership import AMONG_THEMSELVES
from tests.kit.cluster import Cluster
from tests.kit.postgresql import PostgresServer

#: Seconds between two players who come to one table and to two members: by then both know that the first one waits.
ARRIVES_AFTER = AMONG_THEMSELVES + 0.1

#: From the side of a player, 0 or 1, and the number of the table to the member that it connects to.
Place = Callable[[int, int], int]


@frozen
class Shared:
    """What was seen of several members for some seconds."""

    window: Window
    #: Seconds of a core that each member has used.
    cpu: Sequence[float]

    def cost(self, member: int) -> float:
        """Microseconds of one member's core a move."""
        return self.cpu[member] / max(1, self.window.moves) * 1e6

    @property
    def costs(self) -> float:
        """Microseconds of all members' cores a move."""
        return sum(self.cpu) / max(1, self.window.moves) * 1e6


@define(eq=False)
class ClusterLoad(Load):
    """
    Tables at a cluster. Several loads may be at one cluster, if their letters differ.

    :param letters: with which the names of the two players begin
    :param timed: of which players the times of moves are counted, by their side
    """

    servers: Sequence[Server] = field(kw_only=True)
    place: Place = field(kw_only=True)
    letters: str = field(kw_only=True)
    timed: Sequence[int] = field(default=(0, 1), kw_only=True)
    #: Seconds of a core that each member has used in the last window.
    used: Sequence[float] = ()

    def _connect(self, name: bytes) -> Player:
        side, number = b"ab".index(name[:1]), int(name[1:])
        self.server = self.servers[self.place(side, number)]
        return super()._connect(self.letters[side].encode("ascii") + name[1:])

    def _say(self, table: Table, due: float) -> None:
        if table.steps is not table.play and table.at:
            number = int(table.players[0].name[1:])
            if self.place(0, number) != self.place(1, number):
                time.sleep(ARRIVES_AFTER)
        super()._say(table, due)

    def _told(self, player: Player, table: Table, data: bytes) -> None:
        taken = len(self.took)
        super()._told(player, table, data)
        if len(self.took) > taken and self.letters.index(chr(player.name[0])) not in self.timed:
            self.took.pop()

    def _watch(self, run: Callable[[], None]) -> Window:
        before = [server.cpu() for server in self.servers]
        window = super()._watch(run)
        self.used = [server.cpu() - used for server, used in zip(self.servers, before, strict=True)]
        return window

    def share(self, seconds: float, rate: float = 0.0) -> Shared:
        """As `run`, or as `offer` if there is a rate."""
        window = self.offer(seconds, rate) if rate else self.run(seconds)
        return Shared(window, tuple(self.used))


@contextmanager
def cluster(script: Script, database: PostgresServer, cores: Sequence[int]) -> Iterator[list[Server]]:
    """
    The members of a cluster with one wire open.

    :param cores: of each member
    """
    with TemporaryDirectory() as folder, Cluster(database, Path(folder), [script.wire], 0, script.options) as hosts:
        for place, core in enumerate(cores):
            with on_core(core):
                hosts.start(place)
        yield [
            Server(f"member {place}", member.ports[script.wire], member.process.pid)
            for place, member in hosts.members.items()
        ]
