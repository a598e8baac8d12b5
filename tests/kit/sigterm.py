"""
SIGTERM at random instants, under games over real sockets: does the host end in time and cleanly, does nobody forfeit, is
every acknowledged move there afterwards, and does every table go on?

`python -m tests.kit.sigterm 100` does it a hundred times (`make test-sigterm`). Seats are kept for no time at all here, so
that whoever is taken for having left has lost.
"""

import random
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from subprocess import TimeoutExpired

from attrs import define, field

from gamehost.journal.records import EntryKind
from gamehost.storage.inspect import Summary, reading
from tests.kit.process import HostProcess, all_wires
from tests.kit.sigkill import Lost, Pair

#: Within which the host has to be gone, in seconds.
MOST_SECONDS = 5.0
PAIRS = 4
#: After an orderly stop `twistd` sends itself the signal again, so that is its status. The log's last line says more.
CLEAN = (0, -signal.SIGTERM)
SHUT_DOWN = "gamehost has stopped"
#: What no log of a clean end has in it.
BAD_WORDS = ("Traceback", "Unhandled", "Failure", "error")


class BadEnd(AssertionError):
    """The host did not end as it must."""


@define
class Stops:
    """What came of it."""

    times: int = 0
    moves: int = 0
    #: Seconds from each signal to the end of the process.
    seconds: list[float] = field(factory=list)


@define(eq=False)
class Playing:
    """A pair that plays in a thread of its own until the host is gone."""

    pair: Pair
    moves: int = 0
    _fault: BaseException | None = None
    _thread: threading.Thread = field(init=False)

    def begin(self) -> None:
        """Play on, from the log-in that has been."""
        self._thread = threading.Thread(target=self._play)
        self._thread.start()

    def _play(self) -> None:
        try:
            while self.pair.known is not None:
                self.pair.move()
                self.moves += 1
        except OSError:
            pass  # the host is gone
        except BaseException as error:
            self._fault = error

    def end(self) -> None:
        """
        :raises Lost: what must never be
        """
        self._thread.join(30)
        if self._fault is not None:
            raise self._fault
        self.pair.read_what_came()
        self.pair.close()


def stop_at_random(times: int, seed: int, folder: Path, module: str = "gamehost", seconds: float = 1e9) -> Stops:
    """
    Stop a host so often, and check after each time.

    :param seconds: stop earlier if it takes longer
    :raises BadEnd: it took too long, its status was not 0, its log is not clean, or somebody forfeited
    :raises Lost: what was acknowledged is not there, or does not go on
    """
    rng = random.Random(seed)
    pairs = [Pair((f"ann{number}", f"bob{number}"), random.Random(seed + number)) for number in range(PAIRS)]
    done = Stops()
    ends = time.monotonic() + seconds
    options = ("--grace=0", "--set", "onitama.max_plies=1000000")
    while done.times < times and time.monotonic() < ends:
        expected = sum(pair.known is not None for pair in pairs)
        with HostProcess(*options, wires=all_wires(), folder=folder, store="store.sqlite", module=module) as host:
            if expected and f"resumed {expected} table" not in host.log:
                raise Lost(f"{expected} tables were to be resumed:\n{host.log}")
            bystanders = _stand_by(host)
            playing = []
            for pair in pairs:
                pair.log_in(host)
                playing.append(Playing(pair))
            for one in playing:
                one.begin()
            time.sleep(rng.random() * 0.2)
            done.seconds.append(_stop(host))
            for one in playing:
                one.end()
            _hear_the_end(bystanders)
        done.moves += sum(one.moves for one in playing)
        done.times += 1
        if found := [word for word in BAD_WORDS if word in host.log]:
            raise BadEnd(f"{found} in the log:\n{host.log}")
        if SHUT_DOWN not in host.log:
            raise BadEnd(f"the host did not come to its own end:\n{host.log}")
        nobody_left(folder / "store.sqlite")
    return done


def _stand_by(host: HostProcess) -> Sequence[socket.socket]:
    """On every wire one who says nothing, and one who is in the middle of a message."""
    connections = []
    for port in host.ports.values():
        for data in (b"", b"\0"):
            connection = socket.create_connection(("127.0.0.1", port), timeout=10)
            connection.sendall(data)
            connections.append(connection)
    return connections


def _stop(host: HostProcess) -> float:
    try:
        status, seconds = host.stop()
    except TimeoutExpired:
        raise BadEnd(f"10 seconds after SIGTERM the host was there:\n{host.log}") from None
    if status not in CLEAN:
        raise BadEnd(f"the status was {status}")
    if seconds > MOST_SECONDS:
        raise BadEnd(f"the host took {seconds:.1f} s")
    return seconds


def _hear_the_end(connections: Sequence[socket.socket]) -> None:
    """
    :raises OSError: a connection is left hanging
    """
    for connection in connections:
        try:
            while connection.recv(4096):
                pass
        except ConnectionResetError:
            pass  # the half message was not read any more
        connection.close()


def nobody_left(store: Path) -> None:
    """
    :raises BadEnd: the last event of a table is that a player left, or was too slow
    :raises Lost: the journal has faults
    """
    with reading(store) as journal:
        if faults := journal.verify().faults:
            raise Lost(f"the journal has faults: {faults}")
        for summary in journal.tables():
            assert isinstance(summary, Summary)
            last = summary.last
            if last is not None and last.kind not in (EntryKind.BEGAN, EntryKind.ACTED):
                raise BadEnd(f"table {summary.table} ended while the host stopped: {last.outcome or last.kind.name}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        result = stop_at_random(int(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 1, Path(temporary), seconds=900)
    ordered = sorted(result.seconds)
    print(
        f"{result.times} ends by SIGTERM under {result.moves} acknowledged moves: nothing lost, nobody forfeited, all resumed; "
        f"median {ordered[len(ordered) // 2]:.2f} s, longest {ordered[-1]:.2f} s"
    )
