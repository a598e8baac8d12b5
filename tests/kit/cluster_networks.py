"""
Trials of a cluster whose network or whose database fails: a machine whose cable is pulled, and a standby that takes over.

`python -m tests.kit.cluster_networks cables=5 failovers=5 behind=5` runs them with servers of its own.
"""

import itertools
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gamehost.journal.records import TableId
from tests.kit.cluster_trials import JUDGED, STUCK, Broken, Trial, expect_end, report
from tests.kit.postgresql import PostgresServer, new_server, require_postgresql
from tests.kit.process import NameSpaces, ip

# Machines in one process tree: a network name space for each, and a switch between them whose cables can be pulled. Packets
# are lost in silence then, as in a real network. Linux only, for root.


_numbers = itertools.count()


class Cables(NameSpaces):
    """So many name spaces, and this process's own one, at one switch; else the test is skipped."""

    #: The address of the name space that this process is in.
    own_address = "10.213.77.254"

    def __init__(self, machines: int) -> None:
        super().__init__()
        self._machines = machines
        self._switch = ""

    def address(self, machine: int) -> str:
        """Of one of the others."""
        return f"10.213.77.{machine + 1}"

    def __enter__(self) -> "Cables":
        super().__enter__()
        base = f"gh{os.getpid() % 100_000}{next(_numbers)}"
        try:
            self._switch = self.add(f"{base}s")
            ip("-n", self._switch, "link", "add", "hub", "type", "bridge")
            ip("-n", self._switch, "link", "set", "hub", "up")
            self._plug_in(f"{base}own", "own", None, self.own_address)
            for machine in range(self._machines):
                name = self.add(f"{base}m{machine}")
                self._plug_in(f"{base}c{machine}", f"port{machine}", name, self.address(machine))
        except BaseException:
            self.__exit__()
            raise
        return self

    def pull(self, machine: int) -> None:
        ip("-n", self._switch, "link", "set", f"port{machine}", "down")

    def plug(self, machine: int) -> None:
        ip("-n", self._switch, "link", "set", f"port{machine}", "up")

    def _plug_in(self, link: str, port: str, space: str | None, address: str) -> None:
        self.link(link, port, self._switch)
        inside: Sequence[str] = () if space is None else ("-n", space)
        if space is not None:
            ip("link", "set", link, "netns", space)
        ip(*inside, "address", "add", f"{address}/24", "dev", link)
        ip(*inside, "link", "set", link, "up")
        ip("-n", self._switch, "link", "set", port, "master", "hub")
        ip("-n", self._switch, "link", "set", port, "up")


#: Seconds after which the tables of a machine without a network have gone on elsewhere.
CABLE_TAKEN_OVER = 6.0
BEHIND_A_CABLE = "tests.kit.altered_hosts:behind_a_cable"
SIZE = 3


def pull(trial: Trial, cables: Cables) -> None:
    """Pull the cable of one member, whose tables must go on in time, and plug it in again when the member has ended."""
    trial.some_time()
    victim = trial.victim()
    tables = trial.cluster.owned(victim)
    since = time.time()
    cables.pull(victim.number)
    trial.crowd.leave(victim.number)
    trial.play(0.1)  # what was on its way has arrived
    trial.until_on(trial.cluster.last_entries(tables), since, CABLE_TAKEN_OVER)
    expect_end(victim, 20, "20 s without a network, and it was there")
    cables.plug(victim.number)
    trial.again(victim)


def pulled(times: int, folder: Path) -> str:
    """So many cables; what came of it. Without name spaces the test is skipped."""
    with Cables(SIZE) as cables:
        server = new_server(cables.own_address)
        more = {
            "size": SIZE,
            "addresses": {place: cables.address(place) for place in range(SIZE)},
            "environment": {"GAMEHOST_SPACES": ",".join(cables.names[1:])},
        }
        try:
            with Trial(server, folder, 1, BEHIND_A_CABLE, more=more) as trial:
                for _ in range(times):
                    pull(trial, cables)
                trial.finish()
                return report(times, "pulled cables", trial.referee.moves, trial.seconds)
        finally:
            server.remove()


@contextmanager
def _standby(primary: PostgresServer) -> Iterator[PostgresServer]:
    """A server that has everything before a commit is answered."""
    standby = primary.standby()
    try:
        primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.execute("SELECT pg_reload_conf()")
        while not primary.execute("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"):
            time.sleep(0.05)
        yield standby
    finally:
        primary.remove()


def fail_over(trial: Trial, primary: PostgresServer, standby: PostgresServer) -> None:
    """The primary is gone, and the standby takes over: nobody loses a connection, all tables go on, and no member ends."""
    trial.some_time()
    tables = [table for member in trial.cluster.alive for table in trial.cluster.owned(member)]
    lost = len(trial.crowd.lost)
    primary.stop()
    since = time.time()
    standby.execute("SELECT pg_promote()")
    trial.server = trial.cluster.server = standby
    trial.until_on(trial.cluster.last_entries(tables), since)
    if len(trial.crowd.lost) > lost:
        raise Broken(f"connections were lost: {trial.crowd.lost[lost:]}")
    trial.finish()


def failed_over(times: int, folder: Path) -> str:
    """So many fail-overs, each with servers of its own; what came of it."""
    seconds, moves = list[float](), 0
    for number in range(times):
        primary = new_server()
        with _standby(primary) as standby:
            more = {"store": both(primary, standby)}
            try:
                (own := folder / str(number)).mkdir()
                with Trial(primary, own, 1 + number, more=more) as trial:
                    fail_over(trial, primary, standby)
                    seconds += trial.seconds
                    moves += trial.referee.moves
            finally:
                standby.remove()
    return report(times, "fail-overs", moves, seconds)


def lose_the_newest(trial: Trial, primary: PostgresServer, standby: PostgresServer) -> int:
    """
    An asynchronous standby takes over that is behind by more than a second. How many tables have lost moves.

    :raises Broken: no table has, one of these is played on, or nobody says that it is suspended
    """
    trial.some_time()
    sender = int(str(primary.execute("SELECT pid FROM pg_stat_replication")[0][0]))
    os.kill(sender, signal.SIGSTOP)
    trial.play(1.5)
    trial.check()
    postmaster = int((primary.folder / "data" / "postmaster.pid").read_text().split()[0])
    for pid in (postmaster, sender):
        os.kill(pid, signal.SIGKILL)
    primary.stop()
    told = {table: max(n for _, n in progress) for table, progress in trial.referee.progress.items()}
    standby.execute("SELECT pg_promote()")
    trial.server = trial.cluster.server = standby
    held = _newest(trial)
    lost = {table for table, n in told.items() if held.get(table, -1) < n}
    if not lost:
        raise Broken("nothing was lost")
    deadline = time.time() + STUCK
    while len(trial.cluster.alive) == trial.cluster.size and time.time() < deadline:
        time.sleep(0.1)
    time.sleep(JUDGED)  # whoever is left has taken over
    for member in list(trial.cluster.members.values()):
        if member.process.poll() is not None:
            expect_end(member, 1, "it has ended")
            trial.again(member)
    time.sleep(JUDGED)
    now = _newest(trial)
    if on := {table for table in lost if now.get(table, -1) > held.get(table, -1)}:
        raise Broken(f"of {len(lost)} tables that have lost moves these were played on: {sorted(on)}")
    logs = "".join(member.log for member in [*trial.cluster.past, *trial.cluster.members.values()])
    if silent := {table for table in lost if f"table {table} is suspended" not in logs}:
        raise Broken(f"nobody says that these tables are suspended: {sorted(silent)}")
    return len(lost)


def _newest(trial: Trial) -> dict[TableId, int]:
    return dict(trial.cluster.query("SELECT game, max(n) FROM event GROUP BY game"))


def behind(times: int, folder: Path) -> str:
    """So many fail-overs to a standby that is behind, each with servers of its own; what came of it."""
    tables = 0
    for number in range(times):
        primary = new_server()
        standby = primary.standby()
        try:
            (own := folder / str(number)).mkdir()
            with Trial(primary, own, 1 + number, more={"store": both(primary, standby)}) as trial:
                tables += lose_the_newest(trial, primary, standby)
        finally:
            primary.remove()
            standby.remove()
    return f"{times} fail-overs to a standby that was behind: {tables} tables had lost moves, and none of them was played on"


def both(primary: PostgresServer, standby: PostgresServer) -> Callable[[str], str]:
    """The store as the members know it, by the name of the database."""
    return lambda database: (
        f"postgresql://gamehost@127.0.0.1:{primary.port},127.0.0.1:{standby.port}/{database}?target_session_attrs=read-write"
    )


def main(words: Sequence[str]) -> None:
    require_postgresql()
    trials = {"cables": pulled, "failovers": failed_over, "behind": behind}
    for word in words:
        name, _, times = word.partition("=")
        with tempfile.TemporaryDirectory() as temporary:
            print(trials[name](int(times), Path(temporary)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
