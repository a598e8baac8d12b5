"""Starts and losses of the members of a cluster that has thousands of tables whose players are all gone."""

import random
import signal
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from attrs import evolve

from gamehost.extras.cluster.postgresql.store import PostgresStore
from gamehost.journal.records import TableId
from gamehost.testing.journals import RecordingJournal
from tests.kit.cluster import OPTIONS, Cluster, end
from tests.kit.cluster_trials import Broken, log_in, percentile
from tests.kit.memory_host import MemoryHost
from tests.kit.postgresql import PostgresServer

#: Seconds within which all of them are at living members again. Three starts may be among them, one after the other.
ALL_BACK = 30.0


def put_to_sleep(tables: int, url: str) -> None:
    """Make so many unfinished tables, of two players each, as a host leaves them that ends."""
    host = MemoryHost(journal=RecordingJournal())
    for name in ("ann", "bob"):
        host.connect("onitama").say(f"LOGIN|{name}")
    [opening], [entries] = host.journal.openings.values(), host.journal.entries.values()
    store = PostgresStore(url, print)
    store.begin(0.0)
    for first in range(1, tables + 1, 500):
        changes: list[Any] = []
        for table in range(first, min(first + 500, tables + 1)):
            seats = tuple(
                evolve(seat, name=f"sleeper{table}.{n}", address="127.0.0.1") for n, seat in enumerate(opening.seats)
            )
            changes.append((TableId(table), evolve(opening, seats=seats)))
            changes += [(TableId(table), entry) for entry in entries]
        store.commit(changes)
    store.close()


def crowded(times: int, tables: int, server: PostgresServer, folder: Path, seed: int = 1) -> str:
    """
    So often the member that has the most tables is killed and started again; every third time all are.

    :raises Broken: another member has ended, a table or a name of its players is nowhere, or a player has no seat
    """
    rng, took = random.Random(seed), list[float]()
    # Some who have come back are disconnected with a member that has relayed them. Their matches do not end meanwhile.
    options = (*OPTIONS, "--set=limits.sleeping_tables_per_address=1000000", "--grace=3600")
    with (
        ExitStack() as stack,
        Cluster(server, folder, ["onitama"], options=options, prepare=partial(put_to_sleep, tables)) as cluster,
    ):
        for number in range(times):
            owner = max(cluster.alive, key=lambda member: len(cluster.owned(member)))
            victims = cluster.alive if number % 3 == 2 else [owner]
            for victim in victims:
                end(victim, signal.SIGKILL)
            since = time.time()
            for victim in victims:
                cluster.start(victim.number)
            while (found := _asleep(cluster)) != (tables, 2 * tables):
                if time.time() - since > ALL_BACK:
                    raise Broken(f"of {tables} tables and {2 * tables} names these are at living members: {found}")
                time.sleep(0.02)
            took.append(time.time() - since)
            name = f"sleeper{rng.randint(1, tables)}.{rng.randint(0, 1)}"
            # Who goes from a match in which nobody has acted ends it. So this one stays until the member is killed.
            one = rng.choice(cluster.alive).connect("onitama")
            if not (answer := log_in(name, one)).startswith("RECONNECT"):
                raise Broken(f"{name} was told {answer!r}")
            stack.callback(one.close)
            if len(cluster.alive) < cluster.size:
                raise Broken("a member has ended:\n" + "\n".join(member.log for member in cluster.members.values()))
    return (
        f"{times} starts with {tables} tables: all are at living members after {percentile(took, 0.5):.2f} s (median), "
        f"{percentile(took, 1.0):.2f} s (longest), the start of the killed ones included"
    )


def _asleep(cluster: Cluster) -> tuple[int, int]:
    """How many tables and how many names of their players are at members that live."""
    living = ",".join(str(member.epoch) for member in cluster.alive)
    [(tables,)] = cluster.query(f"SELECT count(*) FROM live WHERE owner IN ({living})")
    [(names,)] = cluster.query(f"SELECT count(*) FROM session WHERE home IN ({living}) AND key LIKE 'sleeper%'")
    return tables, names
