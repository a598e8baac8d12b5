"""The suite itself: what it must not let pass."""

import gc
from pathlib import Path

from twisted.internet.defer import Deferred, fail
from twisted.python.failure import Failure
from twisted.trial.reporter import TestResult
from twisted.trial.unittest import SynchronousTestCase


class Careless(SynchronousTestCase):
    """A test that leaves an error behind that nobody waits for. Run by another one, not collected."""

    def runTest(self) -> None:
        """Leave one."""
        deferred: Deferred[None] = fail(Failure(RuntimeError("planted")))
        del deferred
        gc.collect()


class SuiteTests(SynchronousTestCase):
    """Row 152, and a dependency's known holes."""

    def test_errors_that_nobody_waits_for_fail_a_test(self) -> None:
        """Row 152: trial counts what a lost Deferred logs."""
        result = TestResult()
        Careless("runTest").run(result)
        self.assertEqual(len(result.errors), 1)
        self.assertFalse(result.wasSuccessful())

    def test_dependencies_are_without_known_holes(self) -> None:
        """Row 160: no release of Twisted or lxml is allowed of which it is known how to hurt a host with it."""
        path = Path(__file__).parents[1] / "setup.cfg"
        lines = [line.strip() for line in path.read_text("utf-8").splitlines()]
        self.assertTrue(any(line.startswith("Twisted >= 26.") for line in lines))
        self.assertTrue(any(line.startswith("lxml >= 6.1") for line in lines))
