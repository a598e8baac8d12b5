"""The simulation of a cluster: some seeds of it, and that faults are seen within a few seeds."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.names import key_of
from gamehost.cluster import claiming, front
from gamehost.cluster.membership import Cluster
from gamehost.cluster.relay import Relays
from tests.kit.cluster_simulation import ClusterSimulation
from tests.kit.memory_registry import MemoryRegistry

#: So many worlds, from this one on: those in which each kind of trouble happens.
SEEDS, FIRST = 3, 6


class ClusterSimulationTests(SynchronousTestCase):
    """Members as they are."""

    def test_seeds(self) -> None:
        """They keep their word under every seed, and much has happened."""
        counts: Counter[str] = Counter()
        for seed in range(FIRST, FIRST + SEEDS):
            counts += ClusterSimulation(seed).run()
        for kind in ("kill", "hang", "line", "stop", "joined", "moved", "found"):
            self.assertGreater(counts[kind], 0, kind)
        self.assertGreater(counts["entries"], 50 * SEEDS)
        self.assertGreater(counts["log-ins"], 10 * SEEDS)


class PlantedTests(SynchronousTestCase):
    """Faults that must be seen."""

    def seen(self, within: int, first: int = 0) -> str:
        """How what is planted was seen."""
        for seed in range(first, first + within):
            try:
                ClusterSimulation(seed).run()
            except AssertionError as error:
                self.flushLoggedErrors()
                return str(error)
        self.fail(f"not seen within {within} seeds")

    def test_relays_are_not_cut(self) -> None:
        """If the home of relays hangs, nobody cuts them."""
        self.patch(Relays, "cut_all_but", lambda relays, living: None)
        self.assertIn("passed on to nobody", self.seen(10))

    def test_a_move_without_a_transfer(self) -> None:
        """A player is given to another member, the database does not know, and the other member does not ask."""

        def transfer(registry: MemoryRegistry, key: str, home: int, done: Callable[[bool], None]) -> None:
            done(True)

        def adopt(cluster: Cluster, connection: Any, record: Any) -> None:
            claiming._adopted(cluster, connection, record, cluster.epoch)

        self.patch(MemoryRegistry, "transfer", transfer)
        self.patch(front, "adopt", adopt)
        self.assertIn("a session of", self.seen(10))

    def test_a_name_is_released_while_its_seat_sleeps(self) -> None:
        """A name is free as soon as nobody is there."""

        def freed(cluster: Cluster, key: str) -> None:
            if not cluster.lobby.registry.is_in_memory(key):
                cluster.here.discard(key)
                cluster.registry.release([key])
            real(cluster, key)

        real = Cluster.freed
        self.patch(Cluster, "freed", freed)
        self.seen(10)

    def test_claims_are_answered_without_asking(self) -> None:
        """Every member takes itself for the home of every name."""

        def is_here(cluster: Cluster, connection: Any, claim: Any) -> bool:
            if claim.for_leader:
                return cluster.leads
            cluster.here.add(key_of(claim.name))
            return True

        self.patch(Cluster, "is_here", is_here)
        self.assertIn("a session of", self.seen(10))

    def test_settled_too_early(self) -> None:
        """A successor says that it knows all names before it knows the tables."""

        def taken_over(cluster: Cluster, tables: Sequence[Any], taken: Callable[[Collection[str]], None]) -> None:
            taken([])
            cluster.clock.callLater(0.5, real, cluster, tables, taken)

        real = Cluster.taken_over
        self.patch(Cluster, "taken_over", taken_over)
        self.seen(10)
