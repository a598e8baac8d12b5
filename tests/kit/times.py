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
from contextlib import suppress
from pathlib import Path

from attrs import frozen
from twisted.trial.reporter import Reporter
from twisted.trial.runner import TestLoader, TrialRunner

_PAGE = os.sysconf("SC_PAGE_SIZE")
#: Clock ticks a second.
TICKS = os.sysconf("SC_CLK_TCK")


@frozen
class Cost:
    test: str
    #: By the clock.
    seconds: float
    #: Of this process's processor time.
    processor: float
    #: Of the processor time of hosts, browsers and databases that this process has started.
    others: float
    #: MiB by which this process is larger after it.
    growth: float


def used_by_others(pid: int) -> int:
    """Clock ticks that the processes below this one have used, whether they have ended or not."""
    used = 0
    with suppress(OSError):  # it, or a thread of it, has ended
        # A name, in front of these fields, may have spaces.
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        used = sum(map(int, fields[11 if pid != os.getpid() else 13 : 15]))
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            used += sum(used_by_others(int(child)) for child in children.read_text("ascii").split())
    return used


def measured_now() -> tuple[float, float, float, float]:
    """The clock, this process's processor time and that of others below it, in seconds, and its size in MiB."""
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    others = used_by_others(os.getpid()) / TICKS
    return time.monotonic(), time.process_time(), others, pages * _PAGE / (1 << 20)


class CostReporter(Reporter):
    costs: list[Cost]

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._before = measured_now()

    def stopTest(self, test: unittest.TestCase) -> None:
        differences = (now - then for now, then in zip(measured_now(), self._before, strict=True))
        self.__dict__.setdefault("costs", []).append(Cost(test.id(), *differences))
        super().stopTest(test)


def report(costs: Sequence[Cost], most: int) -> str:
    """The most expensive tests and modules, the slowest tests, and those with the largest growth."""
    modules: dict[str, float] = {}
    for cost in costs:
        module = cost.test.rsplit(".", 2)[0]
        modules[module] = modules.get(module, 0.0) + cost.processor + cost.others
    seconds = sum(cost.seconds for cost in costs)
    processor, others = sum(cost.processor for cost in costs), sum(cost.others for cost in costs)
    lines = [f"{len(costs)} tests, {seconds:.1f} s; of a core {processor:.1f} s, and {others:.1f} s in other processes"]
    lines += ["", " of a core  module"]
    lines += [f"{used:10.2f}  {module}" for module, used in sorted(modules.items(), key=lambda one: -one[1])[:most]]
    for title, key in (
        ("slowest", lambda cost: cost.seconds),
        ("most expensive", lambda cost: cost.processor + cost.others),
    ):
        lines += ["", f"   seconds  of a core     others  the {title} tests"]
        lines += [
            f"{cost.seconds:10.2f} {cost.processor:10.2f} {cost.others:10.2f}  {cost.test}"
            for cost in sorted(costs, key=key, reverse=True)[:most]
        ]
    lines += ["", "       MiB  test"]
    lines += [f"{cost.growth:10.1f}  {cost.test}" for cost in sorted(costs, key=lambda cost: -cost.growth)[:most]]
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
