"""The simulation: some seeds of it, that a seed is one run, and that faults are seen within a few seeds."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from attrs import define, evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.journal.records import TableRecord
from gamehost.tables.interfaces import Look
from gamehost.tables.outbox import Outbox, _Arrival
from gamehost.tables.table import Table
from gamehost.wires.eriantys_conversation import Gate
from tests.kit.journals import CommittedJournal
from tests.kit.process import ROOT
from tests.kit.simulation import Simulation

#: So many worlds, from this one on: those in which each kind of trouble happens.
SEEDS, FIRST = 7, 5


class SimulationTests(SynchronousTestCase):
    """The host as it is."""

    def test_seeds(self) -> None:
        """The host keeps its word under every seed, and much has happened: ends of all kinds, resumes, matches, attacks."""
        counts: Counter[str] = Counter()
        for seed in range(FIRST, FIRST + SEEDS):
            counts += Simulation(seed).run().counts
        attacks = ["abandon", "steal", "flood", "answer unasked", "guess password", "play oneself", "freeze"]
        attacks += ["open without end", "look up", "ask as another site", "meet the house"]
        for kind in ("now", "before", "half", "after", "stop", "histories", *attacks):
            self.assertGreater(counts[kind], 0, kind)
        self.assertGreater(counts["entries"], 200 * SEEDS)
        self.assertGreater(counts["finished"], 3 * SEEDS)
        self.assertGreater(counts["connections"], 20 * SEEDS)
        self.assertGreater(counts["streams"], 20 * SEEDS)

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
                [sys.executable, "-m", "tests.kit.simulation", "2", "1"],
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


def with_late_views(case: SynchronousTestCase) -> None:
    """Plant a fault: what somebody who comes back is shown is not made when they come, but when it is told."""

    @define
    class Late:
        table: Table[Any, Any]

        def __iter__(self) -> Iterator[object]:
            return iter([self.table._master.view(Seat(seat)) for seat in range(len(self.table.names))])

    def reconnect(table: Table[Any, Any], seat: Seat, player: Any) -> None:
        coming.append(table)
        real_come_back(table, seat, player)
        coming.pop()

    def admit(outbox: Outbox[Any, Any], handle: Any, views: Any, missed: bool = True) -> None:
        real_admit(outbox, handle, views if views is None else Late(coming[-1]), missed)  # type: ignore[arg-type]

    coming: list[Table[Any, Any]] = []
    real_come_back, real_admit = Table.reconnect, Outbox.admit
    case.patch(Table, "reconnect", reconnect)
    case.patch(Outbox, "admit", admit)


class PlantedTests(SynchronousTestCase):
    """Faults that must be seen, each within so many seeds of one minute."""

    def caught(self, owner: Any, name: str, planted: Callable[..., Any], within: int, first: int = 0) -> str:
        """How the fault was seen."""
        self.patch(owner, name, planted)
        return self.seen(within, first)

    def seen(self, within: int, first: int = 0) -> str:
        """How what is planted was seen, from this seed on."""
        for seed in range(first, first + within):
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
        """Who comes back holds the seat, and hears of it all, before the view is told."""

        def admit(outbox: Outbox[Any, Any], handle: Any, *words: Any) -> None:
            real(outbox, handle, *words)
            place = outbox.places[handle.seat]
            if place.coming is handle:
                place.handle = handle
                handle.player.seated(handle)

        real = Outbox.admit
        self.caught(Outbox, "admit", admit, 10)

    def test_a_view_of_the_moment(self) -> None:
        """Who comes back is shown how it stands when that is told: what happened since is told twice, or too early."""
        with_late_views(self)
        self.assertIn("follow from the journal", self.seen(30, first=38))

    def test_a_question_waits_for_ever(self) -> None:
        """A client that does not acknowledge holds up the others of its table without end."""
        self.assertIn("without end", self.caught(Gate, "give_up", lambda gate: None, 20, first=20))

    def test_the_last_entry_is_forgotten(self) -> None:
        """A table is restored without what happened last."""

        def restore(table: Table[Any, Any], record: TableRecord, *more: Any, **named: Any) -> Iterator[None]:
            shorter = record.entries[:-1] if len(record.entries) > 1 else record.entries
            return real(table, evolve(record, entries=shorter), *more, **named)

        real = Table.restore
        self.assertIn("follow from the journal", self.caught(Table, "restore", restore, 3))

    def test_grace_is_not_ended(self) -> None:
        """Who comes back is counted as away all the same."""

        def new_handle(table: Table[Any, Any], seat: Seat, player: Any) -> Any:
            ends = table._outbox.places[seat].grace_ends
            handle = real(table, seat, player)
            table._outbox.places[seat].grace_ends = ends
            return handle

        real = Table._new_handle
        self.caught(Table, "_new_handle", new_handle, 5)

    def test_a_watcher_is_told_twice(self) -> None:
        """Those who watch are told what is behind their look, and what is in it but not durable yet."""

        def show(outbox: Outbox[Any, Any], audience: Any, view: Any) -> None:
            if audience not in outbox.audience:
                outbox.audience.append(audience)
            audience.shown(Look(outbox.appended - 1, (), view))

        self.assertIn("a watcher was told", self.caught(Outbox, "show", show, 10))
