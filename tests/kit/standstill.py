"""
A host that is frozen under play by SIGSTOP, as by a paused container or a laptop that sleeps: no deadline runs meanwhile.

`python -m tests.kit.standstill 12` freezes it for 12 seconds (`make test-standstill`); the suite does it for three. Every
deadline is shorter than that: the grace time, the time for a move and the time for a log-in.
"""

import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.kit.process import HostProcess, Socket
from tests.kit.sigkill import Pair
from tests.kit.sigterm import SHUT_DOWN, Playing, nobody_left

OPTIONS = (
    *("--grace=2", "--move-time=2", "--set", "limits.login_seconds=2"),
    *("--set", "onitama.deal=boar,ox/crab,eel/tiger", "--set", "onitama.max_plies=1000000"),
)
PAIRS = 4


class Charged(AssertionError):
    """A client paid for the standstill."""


def freeze(seconds: float, folder: Path, module: str = "gamehost") -> float:
    """
    Freeze a host for so many seconds, while some play and others are about to log in or to move.

    :returns: the seconds that the host logged
    :raises Charged: somebody was not heard, or the host found the disk late
    :raises BadEnd: somebody forfeited
    """
    pairs = [Pair((f"ann{number}", f"bob{number}"), random.Random(number)) for number in range(PAIRS)]
    with HostProcess(*OPTIONS, wires=["onitama"], folder=folder, store="store.sqlite", module=module) as host:
        playing = []
        for pair in pairs:
            pair.log_in(host)
            for player in pair.sockets:
                player.socket.settimeout(seconds + 10)
            playing.append(Playing(pair))
        eve, fay = host.connect("onitama"), host.connect("onitama")
        eve.say("LOGIN|eve")
        _hear(eve, "WAITING")
        fay.say("LOGIN|fay")
        _hear(eve, "START")
        for one in playing:
            one.begin()
        late = host.connect("onitama")
        fay.close()
        _hear(eve, "LOGOUT")
        time.sleep(0.3)
        host.process.send_signal(signal.SIGSTOP)
        # What they send lies in their sockets until the host runs again.
        again = host.connect("onitama")
        again.say("LOGIN|fay")
        late.say("LOGIN|gil")
        eve.say("MAKE_MOVE|ox|c1|c2")
        time.sleep(seconds)
        host.process.send_signal(signal.SIGCONT)
        _hear(late, "WAITING")
        _hear(again, "RECONNECT")
        _hear(eve, "MOVE_WAS_MADE")
        moves = [one.moves for one in playing]
        time.sleep(0.5)
        if not any(one.moves > before for one, before in zip(playing, moves, strict=True)):
            raise Charged("no match went on")
        host.stop()
        for one in playing:
            one.end()
    if "the disk" in host.log or SHUT_DOWN not in host.log:
        raise Charged(host.log)
    nobody_left(folder / "store.sqlite")
    _, found, rest = host.log.partition("the reactor stood still for ")
    return float(rest.split(" ", 1)[0]) if found else 0.0


def _hear(player: Socket, command: str) -> None:
    """
    Hear lines until one has this command.

    :raises Charged: the game ends, or the connection
    """
    while not (line := player.hear()).startswith(command + "|"):
        if not line or line.startswith("GAME_OVER"):
            raise Charged(f"expected {command}, got {line!r}")


if __name__ == "__main__":
    length = float(sys.argv[1]) if sys.argv[1:] else 12.0
    with tempfile.TemporaryDirectory() as temporary:
        logged = freeze(length, Path(temporary))
    print(f"frozen for {length:g} s under play: nobody forfeited, everybody was heard; the host logged {logged:g} s")
