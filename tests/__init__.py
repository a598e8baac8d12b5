"""
The suite. Run it with `make test`, or with `python -m twisted.trial tests` from the checkout.
`make coverage` runs long tests, too.

Property tests draw the same examples in every run. `make test-properties` draws new ones, and more.
"""

import ctypes
import gc
import os
import sys
import tempfile
from typing import TypeVar
from unittest import TestResult

# trial runs its workers in folders of their own: one place for all, outside the checkout.
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", os.path.join(tempfile.gettempdir(), "gamehost-hypothesis"))

from hypothesis import HealthCheck, settings
from twisted.trial.unittest import SynchronousTestCase

settings.register_profile(
    "suite",
    deadline=None,
    derandomize=True,
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)
settings.register_profile(
    "search",
    deadline=None,
    max_examples=int(os.environ.get("GAMEHOST_EXAMPLES", "200")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)
T = TypeVar("T")
_PROFILE = os.environ.get("GAMEHOST_TEST_PROFILE", "suite")
settings.load_profile(_PROFILE)


def share(suite: T, search: T) -> T:
    """How much a test does that can do any amount: in `make test`, and in `make test-properties`."""
    return search if _PROFILE == "search" else suite


def long(test: T) -> T:
    """Marks a test that takes seconds of a core. `make test` skips the test; `make coverage`, and so CI, runs it."""
    if os.environ.get("GAMEHOST_LONG") != "yes":
        test.skip = "it takes seconds: `make coverage` runs it"  # type: ignore[attr-defined]
    return test


class SmallProcess:
    """
    Gives back what earlier tests have used, before the next one begins.

    A host in memory is garbage in cycles. Python looks for that only when a quarter as much has come as lives already, and a
    worker that has imported the suite has 400,000 objects. Until then the memory grows, and what is imported meanwhile lies
    between the garbage and keeps its pages. So modules are not looked at, and the rest often. To look at all costs a quarter of
    a second, and is done when that is worth it.
    """

    #: Bytes by which the process may grow until then.
    MOST = 32 << 20

    def __init__(self) -> None:
        self._run = SynchronousTestCase.run
        self._smallest = self._size()
        self._modules = 0
        #: Only glibc keeps what was freed, and has this.
        self._trim = getattr(ctypes.CDLL(None), "malloc_trim", lambda _: 0)

    def _size(self) -> int:
        """Of this process, in bytes; 0 where Linux does not tell."""
        try:
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            return 0

    def run(self, case: SynchronousTestCase, result: TestResult) -> None:
        if self._size() > self._smallest + self.MOST:
            gc.unfreeze()
            gc.collect()
            self._trim(0)
            self._smallest, self._modules = self._size(), 0
        if self._modules != len(sys.modules):
            gc.freeze()
            self._modules = len(sys.modules)
        self._run(case, result)


_process = SmallProcess()
# trial's workers tell nobody here when a test begins.
SynchronousTestCase.run = lambda case, result: _process.run(case, result)  # type: ignore[method-assign]
