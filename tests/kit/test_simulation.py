"""The simulations of a host and of a cluster: some seeds of each."""

import os
import subprocess
import sys
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO

from twisted.trial.unittest import SynchronousTestCase

from gamehost.plugins import WIRES
from tests import long
from tests.kit.cluster_simulation import ClusterSimulation
from tests.kit.model_clients import MODEL_CLIENTS
from tests.kit.process import ROOT
from tests.kit.simulation import Simulation, main

#: So many worlds, from this one on: those in which each kind of trouble happens.
SEEDS, FIRST = 2, 41


class SimulationTests(SynchronousTestCase):
    @long
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

    def test_every_wire_has_a_model_client(self) -> None:
        self.assertEqual({wire.name for wire in WIRES}, set(MODEL_CLIENTS))

    @long
    def test_a_seed_is_one_run(self) -> None:
        """The same bytes at the same times, in a process that has run others, and in one whose sets are in another order."""
        with redirect_stdout(StringIO()) as here:
            main(1, 0.5)
        there = subprocess.run(
            [sys.executable, "-m", "tests.kit.simulation", "1", "0.5"],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"},
            capture_output=True,
            check=True,
            text=True,
            timeout=120,
        )
        self.assertIn("all traces", there.stdout)
        self.assertEqual(here.getvalue().splitlines()[:2], there.stdout.splitlines()[:2])


#: So many worlds, from this one on: those in which each kind of trouble happens.
CLUSTER_SEEDS, CLUSTER_FIRST = 2, 11


class ClusterSimulationTests(SynchronousTestCase):
    def test_seeds(self) -> None:
        counts: Counter[str] = Counter()
        for seed in range(CLUSTER_FIRST, CLUSTER_FIRST + CLUSTER_SEEDS):
            counts += ClusterSimulation(seed).run()
        for kind in ("kill", "hang", "line", "stop", "joined", "moved", "found"):
            self.assertGreater(counts[kind], 0, kind)
        self.assertGreater(counts["entries"], 50 * CLUSTER_SEEDS)
        self.assertGreater(counts["log-ins"], 10 * CLUSTER_SEEDS)
