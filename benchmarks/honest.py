"""Honest players over real sockets on this machine, and what their host uses. For `benchmarks.abuse` and `benchmarks.soak`."""

import heapq
import os
import random
import selectors
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.network import connection
from tests.kit.memory_host import message_text_of
from tests.kit.model_clients.onitama import OnitamaClient
from tests.kit.process import HostProcess

WIRE = "onitama"


class Player:
    """One honest player: it thinks, moves, and waits for the acknowledgement; it comes back when it is cut off."""

    def __init__(self, name: str, source: str) -> None:
        self.client_model = OnitamaClient(name)
        self.source = source
        self.socket: socket.socket | None = None
        self.message_text = message_text_of(WIRE)
        #: When the move was sent that is not acknowledged yet; 0: none is.
        self.sent = 0.0


class Crowd:
    """
    So many tables of two honest players.

    :param moves: a second, of each player at most
    :param drops: of each action, how many are a lost connection instead: a fraction
    """

    def __init__(self, port: int, tables: int, moves: float, drops: float = 0.0, seed: int = 1) -> None:
        self._port = port
        self._luck = random.Random(seed)
        self._think = 1 / moves
        self._drops = drops
        self._selector = selectors.DefaultSelector()
        self._due: list[tuple[float, int, Player]] = []
        #: Seconds from a move to its acknowledgement.
        self.acknowledged: list[float] = []
        self.connections = self.lost = 0
        now = time.monotonic()
        for number in range(tables * 2):
            player = Player(f"h{number}", f"0.{10 + number % 20}")
            self._at(now + number * 0.01, player)

    def play(self, seconds: float) -> list[float]:
        """Go on for so long; the waiting times of all moves acknowledged meanwhile, sorted."""
        begun = len(self.acknowledged)
        ends = time.monotonic() + seconds
        while (now := time.monotonic()) < ends:
            wait = min(ends, self._due[0][0]) - now if self._due else ends - now
            for key, _ in self._selector.select(max(0.0, wait)):
                self._listen(key.data)
            now = time.monotonic()
            while self._due and self._due[0][0] <= now:
                self._act(heapq.heappop(self._due)[2])
        return sorted(self.acknowledged[begun:])

    def close(self) -> None:
        """All go."""
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self._selector.close()

    def _at(self, when: float, player: Player) -> None:
        heapq.heappush(self._due, (when, id(player), player))

    def _act(self, player: Player) -> None:
        now = time.monotonic()
        self._at(now + self._think * self._luck.uniform(0.7, 1.3), player)
        if player.socket is None:
            with suppress(OSError):
                self._connect(player)
        elif self._luck.random() < self._drops:
            self._disconnect(player)
        elif not player.sent:
            lines = player.client_model.move(self._luck) if player.client_model.inside else player.client_model.log_in()
            if lines:
                data = b"".join(map(player.message_text.said, lines))
                if player.client_model.inside:
                    player.sent = time.perf_counter()
                with suppress(OSError):
                    player.socket.sendall(data)
        elif time.perf_counter() - player.sent > 5:
            player.sent = 0.0

    def _connect(self, player: Player) -> None:
        player.socket = connection(self._port, player.source)
        player.message_text = message_text_of(WIRE)
        player.client_model.connected()
        player.sent = 0.0
        self.connections += 1
        self._selector.register(player.socket, selectors.EVENT_READ, player)
        player.socket.sendall(b"".join(map(player.message_text.said, player.client_model.log_in())))

    def _disconnect(self, player: Player) -> None:
        if player.socket is not None:
            self._selector.unregister(player.socket)
            player.socket.close()
            player.socket = None

    def _listen(self, player: Player) -> None:
        assert player.socket is not None
        try:
            data = player.socket.recv(65_536)
        except OSError:
            data = b""
        if not data:
            self.lost += 1
            self._disconnect(player)
            return
        for line in player.message_text.heard(data):
            if player.sent and line.startswith(("MOVE_WAS_MADE", "STALEMATE_CARD", "INVALID_MOVE")):
                self.acknowledged.append(time.perf_counter() - player.sent)
                player.sent = 0.0
            player.client_model.hear(line)
            if line.startswith("GAME_OVER"):
                player.sent = 0.0


class Costs:
    """What a process costs, as Linux counts it."""

    def __init__(self, process: int) -> None:
        self._folder = Path(f"/proc/{process}")
        self._ticks = os.sysconf("SC_CLK_TCK")

    @property
    def resident(self) -> float:
        """Memory, in MiB."""
        [line] = [line for line in (self._folder / "status").read_text().splitlines() if line.startswith("VmRSS")]
        return int(line.split()[1]) / 1024

    @property
    def seconds(self) -> float:
        """Processor time so far."""
        fields = (self._folder / "stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / self._ticks

    @property
    def files(self) -> int:
        """Open files and sockets."""
        return len(os.listdir(self._folder / "fd"))


@contextmanager
def host(
    *options: str,
    module: str = "gamehost",
    wires: Sequence[str] = (WIRE,),
    folder: Path | None = None,
    address: str = "127.0.0.1",
) -> Iterator[HostProcess]:
    """A host with its journal on a disk and a log that is read."""
    with HostProcess(
        *options, wires=wires, folder=folder, store="store.sqlite", module=module, address=address
    ) as process:
        log = process.process.stdout
        assert log is not None

        def read() -> None:
            with suppress(ValueError):
                for line in log:
                    process.log += line.decode("utf-8")

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        try:
            yield process
        finally:
            process.process.kill()
            reader.join(5)


def quantile(ordered: Sequence[float], part: float) -> float:
    """Of sorted numbers; 0 where there are none."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else 0.0
