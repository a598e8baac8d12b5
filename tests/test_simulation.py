"""The simulation: some seeds of it, that a seed is one run, and that faults are seen within a few seeds."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.master import Seat
from gamehost.outbox import Outbox, _Arrival
from gamehost.table import Table
from tests.journals import CommittedJournal
from tests.process import ROOT
from tests.simulation import Simulation

SEEDS = 20


class SimulationTests(SynchronousTestCase):
    """The host as it is."""

    def test_seeds(self) -> None:
        """The host keeps its word under every seed, and much has happened: ends of all kinds, resumes, whole matches."""
        counts: Counter[str] = Counter()
        for seed in range(SEEDS):
            counts += Simulation(seed).run().counts
        for kind in ("now", "before", "half", "after", "stop"):
            self.assertGreater(counts[kind], 0, kind)
        self.assertGreater(counts["entries"], 200 * SEEDS)
        self.assertGreater(counts["finished"], 3 * SEEDS)
        self.assertGreater(counts["connections"], 20 * SEEDS)

    def test_a_seed_is_one_run(self) -> None:
        """The same seed gives the same bytes at the same times, another seed gives others."""
        first, again, other = (Simulation(seed, 1).run() for seed in (3, 3, 4))
        self.assertEqual(first.trace, again.trace)
        self.assertEqual(first.counts, again.counts)
        self.assertNotEqual(first.trace, other.trace)

    def test_in_every_process(self) -> None:
        """The order in which a process happens to keep its sets makes no difference."""
        said = [
            subprocess.run(
                [sys.executable, "-m", "tests.simulation", "2", "1"],
                cwd=ROOT,
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                check=True,
                timeout=60,
            ).stdout.splitlines()[:2]
            for seed in ("1", "2")
        ]
        self.assertEqual(said[0], said[1])
        self.assertIn(b"all traces", said[0][0])


class PlantedTests(SynchronousTestCase):
    """Faults that must be seen, each within so many seeds of one minute."""

    def caught(self, owner: Any, name: str, planted: Callable[..., Any], within: int) -> str:
        """How the fault was seen."""
        self.patch(owner, name, planted)
        for seed in range(within):
            try:
                Simulation(seed, 1).run()
            except AssertionError as error:
                self.flushLoggedErrors()
                return str(error)
        self.fail(f"not seen within {within} seeds")

    def test_acknowledged_before_durable(self) -> None:
        """An entry is called durable when it is handed over."""

        def append(journal: CommittedJournal, table: Any, entry: Any, durable: Callable[[], None]) -> None:
            real(journal, table, entry, lambda: None)
            durable()

        real = CommittedJournal.append
        words = self.caught(CommittedJournal, "append", append, 1)
        self.assertIn("does not follow from the journal", words)

    def test_arrival_that_overtakes(self) -> None:
        """Who comes back is told so at once, before what is not durable yet."""

        def admit(outbox: Outbox[Any, Any], *words: Any) -> None:
            outbox._queue.appendleft((0, _Arrival(*words), None))
            outbox.deliver()

        self.assertIn("follow from the journal", self.caught(Outbox, "admit", admit, 10))

    def test_told_before_the_arrival(self) -> None:
        """Who comes back holds the chair, and hears of it all, before the view is told."""

        def admit(outbox: Outbox[Any, Any], chair: Any, *words: Any) -> None:
            real(outbox, chair, *words)
            place = outbox.places[chair.seat]
            if place.coming is chair:
                place.chair = chair
                chair.player.seated(chair)

        real = Outbox.admit
        self.caught(Outbox, "admit", admit, 10)

    def test_the_last_entry_is_forgotten(self) -> None:
        """A table is restored without what happened last."""

        def restore(table: Table[Any, Any], entries: Any) -> None:
            real(table, entries[:-1] if len(entries) > 1 else entries)

        real = Table.restore
        self.assertIn("follow from the journal", self.caught(Table, "restore", restore, 3))

    def test_grace_is_not_ended(self) -> None:
        """Who comes back is counted as away all the same."""

        def new_chair(table: Table[Any, Any], seat: Seat, player: Any) -> Any:
            ends = table._outbox.places[seat].grace_ends
            chair = real(table, seat, player)
            table._outbox.places[seat].grace_ends = ends
            return chair

        real = Table._new_chair
        self.caught(Table, "_new_chair", new_chair, 5)
