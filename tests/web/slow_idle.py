"""Ten thousand idle HTTP connections on a real host: players notice nothing, and nothing is left of them."""

import contextlib
import os
import socket
import time

from twisted.trial.unittest import SynchronousTestCase

from benchmarks.load import raise_fd_limit
from tests.end_to_end.test_open import PageClient
from tests.kit.process import HostProcess

COUNT = int(os.environ.get("GAMEHOST_IDLE", "10000"))


def memory(process: int) -> int:
    with open(f"/proc/{process}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class IdleTests(SynchronousTestCase):
    """About forty seconds."""

    def connect(self, host: HostProcess, number: int, player: PageClient, waits: list[float]) -> socket.socket | None:
        if number % 100 == 0:
            began = time.monotonic()
            player.ask("pong", do="ping")
            waits.append(time.monotonic() - began)
        try:
            one = socket.create_connection(("127.0.0.1", host.ports["web"]), timeout=20)
            if number % 2:
                one.sendall(b"GET / HTTP/1.1\r\n")
        except ConnectionResetError:
            return None
        return one

    def test_idle_connections(self) -> None:
        """
        Half of them have begun a request. Those that there is no room for are closed at once, all others after fifteen
        seconds. A player is answered all the time.
        """
        raise_fd_limit(COUNT + 100)
        with HostProcess(f"--set=limits.http_connections={COUNT}", wires=("web",)) as host:
            player = PageClient(host.ports["web"])
            player.ask("entered", do="enter", name="ann")
            before, waits = memory(host.process.pid), list[float]()
            files = len(os.listdir(f"/proc/{host.process.pid}/fd"))
            idle = [one for number in range(COUNT) if (one := self.connect(host, number, player, waits)) is not None]
            player.ask("pong", do="ping")
            there = len(os.listdir(f"/proc/{host.process.pid}/fd")) - files
            each = (memory(host.process.pid) - before) / there
            for one in idle:
                one.settimeout(20)
                with contextlib.suppress(ConnectionResetError):
                    self.assertEqual(one.recv(1), b"")
                one.close()
            began = time.monotonic()
            player.ask("pong", do="ping")
            waits.append(time.monotonic() - began)
            kept = f"{there} of {COUNT} idle connections were kept, {each / 1024:.1f} KiB each"
            print(f"{kept}; the longest answer took {max(waits) * 1000:.0f} ms")
            self.assertLess(each, 16 * 1024)
            self.assertLess(max(waits), 2.0)
            after = memory(host.process.pid)
            self.assertLess(after - before, 64 << 20)
