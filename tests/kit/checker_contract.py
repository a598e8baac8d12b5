"""
What the checks of every wire must do: find planted faults, and nothing in a sound client.

The suite plays each faulty client in one scenario, the one that should find it. `make test-checker` plays more seeds, and the
whole list of scenarios.
"""

import os
from collections.abc import Mapping
from typing import Any

from gamehost.checker.base import GENERAL
from gamehost.checker.report import as_json
from gamehost.testing.cases import Mixin
from tests.kit.checked_client import CHECKS, MemoryClient, check, titles

#: Different seeds for a sound client and for the host.
SEEDS = int(os.environ.get("GAMEHOST_CHECKER_SEEDS", "1"))


class CheckerContract(Mixin):
    """Subclasses set `sound` and `crippled`, and are test cases."""

    sound: type[MemoryClient]
    #: A client with one fault -> the name of the scenario that must find it.
    crippled: Mapping[Any, str]

    def test_a_sound_client_is_clean(self) -> None:
        """In every scenario, with every seed."""
        for seed in range(1, SEEDS + 1):
            report = check(self.sound, seed=seed)
            self.assertEqual([(one.title, names) for one, names in report.findings], [], as_json(report))
            self.assertTrue(all(outcome.verdict.value != "skipped" for outcome in report.outcomes))

    def test_planted_faults_are_found(self) -> None:
        """Each by the scenario that should find it."""
        missed = [
            f"{client.__name__} in {scenario}"
            for client, scenario in self.crippled.items()
            if not titles(check(client, [scenario]))
        ]
        self.assertEqual(missed, [])

    def test_enough_faults(self) -> None:
        """At least twelve."""
        self.assertGreaterEqual(len(self.crippled), 12)

    def test_the_same_seed_gives_the_same_report(self) -> None:
        """Byte for byte."""
        scenarios = CHECKS[self.sound.wire].scenarios
        led = [one.name for one in scenarios if one.opponent is not None or one.lay is not None]
        names = [*(one.name for one in scenarios[:2]), *led[:2]]
        first, second = (as_json(check(self.sound, names, seed=3).without_times()) for _ in range(2))
        self.assertEqual(first, second)

    def test_laws(self) -> None:
        """Every scenario rests on a law that there is."""
        checks = CHECKS[self.sound.wire]
        self.assertLessEqual({scenario.law for scenario in checks.scenarios} | set(GENERAL), set(checks.laws))
        self.assertEqual(len({scenario.name for scenario in checks.scenarios}), len(checks.scenarios))
