"""
Trials of a cluster with real processes: members that are killed, stopped or hang, and a database that restarts, under play on
all wires. Every word that players heard must follow from the journal, and the tables must go on in time.

`python -m tests.kit.cluster_trials kills=20 stops=3 hangs=2 restarts=3` runs them with a server of its own.
"""

import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

from attrs import define, field

from gamehost.journal.records import TableId
from tests.kit.cluster import STOPPED, Cluster, Member, end
from tests.kit.cluster_crowd import Crowd, Earnest, people_of
from tests.kit.cluster_journal import Referee
from tests.kit.model_clients import MODEL_CLIENTS
from tests.kit.postgresql import PostgresServer, new_server, require_postgresql

PORTS = (*MODEL_CLIENTS, "web")

#: Seconds after which a table that does not go on is stuck.
STUCK = 20.0
#: Seconds that a member hangs, and within which its tables must go on elsewhere.
HANGS, TAKEN_OVER = 6.0, 5.0
#: Seconds within which tables go on when the database is back.
DATABASE_BACK = 8.0
#: Seconds after a restart of the database within which members judge each other again.
JUDGED = 6.0
#: The status of a host that may not go on.
GIVEN_UP = 70
#: After an orderly stop `twistd` sends itself the signal again.
CLEAN = (0, -signal.SIGTERM)


class Broken(AssertionError):
    """The cluster did what it must not."""


@define(eq=False)
class Trial:
    """
    A cluster under play; a context manager.

    :param module: what each member runs; tests of the tests run members with a fault
    """

    server: PostgresServer
    folder: Path
    seed: int
    module: str = "gamehost"
    ports: Sequence[str] = PORTS
    more: dict[str, Any] = field(factory=dict)
    cluster: Cluster = field(init=False)
    crowd: Crowd = field(init=False)
    referee: Referee = field(init=False)
    rng: random.Random = field(init=False)
    #: Seconds from each loss to the next move that a player was told, of each table that was lost.
    seconds: list[float] = field(factory=list)
    #: For how many seconds people go on to play after the last trouble.
    last_words: float = 0.5

    def __enter__(self) -> "Trial":
        self.rng = random.Random(self.seed)
        self.cluster = Cluster(self.server, self.folder, self.ports, module=self.module, **self.more)
        self.cluster.__enter__()
        self.referee = Referee(self.cluster.query)
        ports = {place: self.cluster.ports(member) for place, member in self.cluster.members.items()}
        self.crowd = Crowd(dict(ports), people_of(self.ports), Earnest(self.seed + 1))
        self.crowd.__enter__()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.crowd.__exit__()
        self.cluster.__exit__()

    def play(self, seconds: float) -> None:
        """
        Play so long.

        :raises Contradiction: the journal does not have what was heard
        """
        ends = time.time() + seconds
        while (left := ends - time.time()) > 0:
            time.sleep(min(left, 0.25))
            self.check()

    def check(self) -> None:
        """Compare what was heard with the journal."""
        self.referee.check(self.crowd.taken())

    def some_time(self) -> None:
        """Play for a moment, until there is a table with moves."""
        self.play(self.rng.uniform(0.3, 1.0))

    def until_on(self, entries: dict[TableId, int], since: float, within: float = STUCK) -> None:
        """
        Play until all these tables have gone on.

        :param entries: of each table, how many entries it had
        :raises Broken: one does not
        """
        waiting = dict(entries)
        while waiting:
            self.check()
            for table, last in tuple(waiting.items()):
                if (at := self.referee.went_on(table, last)) is not None:
                    self.seconds.append(at - since)
                    del waiting[table]
            if waiting and time.time() - since > within:
                raise Broken(f"{within:g} s later these tables had not gone on: {self.words(list(waiting))}")
            time.sleep(0.02)

    def words(self, tables: Sequence[TableId]) -> list[str]:
        """Tables for people."""
        openings = self.referee.stored.journal.openings
        return [
            f"{table} ({', '.join(seat.name for seat in openings[table].seats) if table in openings else 'unknown'})"
            for table in tables
        ]

    def victim(self) -> Member:
        """Some member; mostly one that has tables."""
        owners = [member for member in self.cluster.alive if self.cluster.owned(member)]
        return self.rng.choice(owners if owners and self.rng.random() < 0.8 else self.cluster.alive)

    def lose(self, victim: Member, sig: signal.Signals) -> tuple[int, float, dict[TableId, int]]:
        """End a member by a signal; its status, when that was, and how many entries each of its tables has."""
        self.crowd.shut(victim.number)
        tables = self.cluster.owned(victim)
        since = time.time()
        status = end(victim, sig)
        return status, since, self.cluster.last_entries(tables)

    def again(self, victim: Member) -> None:
        """Begin the next life of a member."""
        self.crowd.open(victim.number, self.cluster.ports(self.cluster.start(victim.number)))

    def finish(self) -> None:
        """
        Nobody moves any more, and everybody knows everything.

        :raises Contradiction: somebody does not
        :raises Broken: somebody forfeited, a member has ended, or the journal has faults
        """
        self.play(self.last_words)
        connections = self.crowd.rest()
        self.play(1.5)
        self.referee.told_all(connections)
        if self.referee.stored.forfeited:
            raise Broken(f"somebody forfeited: {self.words(list(self.referee.stored.forfeited))}")
        if len(self.cluster.alive) < self.cluster.size:
            raise Broken("a member has ended:\n" + "\n".join(one.log for one in self.cluster.members.values()))
        if "no faults" not in (said := self.cluster.verify()):
            raise Broken(said)


# -- what happens to members


def kill(trial: Trial) -> None:
    """kill -9 of one member."""
    trial.some_time()
    victim = trial.victim()
    _, since, entries = trial.lose(victim, signal.SIGKILL)
    trial.until_on(entries, since)
    trial.again(victim)


def stop(trial: Trial) -> None:
    """
    SIGTERM, and the next life, of one member after the other.

    :raises Broken: one did not end as it must
    """
    for place in range(trial.cluster.size):
        trial.some_time()
        victim = trial.cluster.members[place]
        status, since, entries = trial.lose(victim, signal.SIGTERM)
        victim.until(STOPPED)
        if status not in CLEAN:
            raise Broken(f"the status was {status}:\n{victim.log}")
        trial.until_on(entries, since)
        trial.again(victim)


def expect_end(victim: Member, seconds: float, otherwise: str) -> None:
    """
    Wait until a member that was taken over has noticed that.

    :raises Broken: it is there after so many seconds, or its status is another one
    """
    try:
        status = victim.process.wait(seconds)
    except TimeoutExpired:
        raise Broken(f"{otherwise}:\n{victim.log}") from None
    if status != GIVEN_UP:
        raise Broken(f"the status was {status}:\n{victim.log}")


def hang(trial: Trial) -> None:
    """
    SIGSTOP for some seconds, then SIGCONT. Its players give up waiting at once, and keep their connections open.

    :raises Broken: its tables go on too late, or it does not end as it must
    :raises Contradiction: it tells something afterwards that is not from before
    """
    trial.some_time()
    victim = trial.victim()
    tables = trial.cluster.owned(victim)
    since = time.time()
    victim.process.send_signal(signal.SIGSTOP)
    left = trial.crowd.leave(victim.number)
    trial.referee.kept |= {one.connection for one in left}
    trial.play(0.1)  # what it had sent to the database is written
    entries = trial.cluster.last_entries(tables)
    trial.until_on(entries, since, TAKEN_OVER)
    trial.play(max(0.0, since + HANGS - time.time()))
    victim.process.send_signal(signal.SIGCONT)
    expect_end(victim, 12, "12 s after SIGCONT it was there")
    trial.play(0.1)
    trial.referee.hear_late([heard for one in left for heard in one.heard], since, entries)
    trial.again(victim)


def restart(trial: Trial) -> None:
    """
    A crash of the database, and its next start.

    :raises Broken: somebody lost a connection, or a member has ended
    """
    trial.some_time()
    lost = len(trial.crowd.lost)
    trial.server.stop()
    time.sleep(trial.rng.uniform(0.0, 1.5))
    trial.server.start()
    since = time.time()
    tables = [table for member in trial.cluster.alive for table in trial.cluster.owned(member)]
    trial.until_on(trial.cluster.last_entries(tables), since, DATABASE_BACK)
    trial.last_words = JUDGED
    if len(trial.cluster.alive) < trial.cluster.size:
        raise Broken("a member has ended:\n" + "\n".join(one.log for one in trial.cluster.members.values()))
    if len(trial.crowd.lost) > lost:
        raise Broken(f"connections were lost: {trial.crowd.lost[lost:]}")


TROUBLES: dict[str, Callable[[Trial], None]] = {"kills": kill, "stops": stop, "hangs": hang, "restarts": restart}


def percentile(seconds: Sequence[float], share: float) -> float:
    """A percentile."""
    return sorted(seconds)[min(len(seconds) - 1, int(len(seconds) * share))] if seconds else 0.0


def report(times: int, what: str, moves: int, seconds: Sequence[float]) -> str:
    """What came of a trial, in one line."""
    return (
        f"{times} {what}: {moves} entries told, none lost, none twice; {len(seconds)} tables went on after "
        f"{percentile(seconds, 0.5):.2f} s (median), {percentile(seconds, 1.0):.2f} s (longest)"
    )


def run(trouble: str, times: int, server: PostgresServer, folder: Path, seed: int = 1, **more: Any) -> str:
    """So many troubles of a kind; what came of it."""
    with Trial(server, folder, seed, **more) as trial:
        for _ in range(times):
            TROUBLES[trouble](trial)
        trial.finish()
        return report(times, trouble, trial.referee.moves, trial.seconds)


def main(words: Sequence[str]) -> None:
    """Each as often as the command line says."""
    require_postgresql()
    for word in words:
        trouble, _, times = word.partition("=")
        server = new_server()
        try:
            with tempfile.TemporaryDirectory() as temporary:
                print(run(trouble, int(times), server, Path(temporary)), flush=True)
        finally:
            server.remove()


if __name__ == "__main__":
    main(sys.argv[1:])
