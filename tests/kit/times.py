"""
What the tests cost: `make test-times` prints the slowest ones, and those after which this process is larger.

All tests run in this one process, so its size at the end is what a worker of `make test` may come to.
"""

import os
import resource
import sys
import time
import unittest
from collections.abc import Sequence

from attrs import frozen
from twisted.trial.reporter import Reporter
from twisted.trial.runner import TestLoader, TrialRunner

_PAGE = os.sysconf("SC_PAGE_SIZE")


@frozen
class Cost:
    test: str
    #: By the clock.
    seconds: float
    #: Of this process's processor time: without hosts that it started.
    processor: float
    #: MiB by which this process is larger after it.
    growth: float


def measured_now() -> tuple[float, float, float]:
    """The clock and this process's processor time, in seconds, and its size in MiB."""
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    return time.monotonic(), time.process_time(), pages * _PAGE / (1 << 20)


class CostReporter(Reporter):
    """Keeps what each test cost. Tells of failures as trial does."""

    costs: list[Cost]

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._before = measured_now()

    def stopTest(self, test: unittest.TestCase) -> None:
        clock, processor, size = (now - then for now, then in zip(measured_now(), self._before, strict=True))
        self.__dict__.setdefault("costs", []).append(Cost(test.id(), clock, processor, size))
        super().stopTest(test)


def report(costs: Sequence[Cost], most: int) -> str:
    slowest = sorted(costs, key=lambda cost: -cost.seconds)[:most]
    growing = sorted(costs, key=lambda cost: -cost.growth)[:most]
    seconds, processor = sum(cost.seconds for cost in costs), sum(cost.processor for cost in costs)
    lines = [f"{len(costs)} tests, {seconds:.1f} s, {processor:.1f} s of a core"]
    lines += ["", "   seconds  of a core  test"]
    lines += [f"{cost.seconds:10.2f} {cost.processor:10.2f}  {cost.test}" for cost in slowest]
    lines += ["", "       MiB  test"]
    lines += [f"{cost.growth:10.1f}  {cost.test}" for cost in growing]
    return "\n".join(lines)


def main(names: list[str]) -> int:
    reporters: list[CostReporter] = []

    def reporter(*arguments: object, **options: object) -> CostReporter:
        reporters.append(CostReporter(*arguments, **options))
        return reporters[-1]

    TrialRunner(reporter).run(TestLoader().loadByNames(names, recurse=True))
    for one in reporters:
        print(report(one.costs, 40))
        print(f"\nlargest size of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    return not all(one.wasSuccessful() for one in reporters)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["tests"]))
