"""
Steady games with players who disconnect and come back all the time. Does anything grow, and is anything left at the end?

python -m benchmarks.soak [MINUTES]

The exit status is 1 if files, timers or names do not return to their number at the start, or if memory has grown too much.
"""

import json
import signal
import sys
import time

from benchmarks.honest import Costs, Crowd, host, quantile
from tests.kit.altered_hosts import COUNTS
from tests.kit.process import HostProcess

TABLES = 60
MOVES = 4.0
#: Of a hundred actions so many are a lost connection.
DROPS = 0.01
#: Growth of memory from the middle to the end that is put down to the allocator, in parts.
DRIFT = 0.05


def counts(process: HostProcess) -> dict[str, int]:
    """What the host has, as it counts itself."""
    path = process.folder / COUNTS
    path.unlink(missing_ok=True)
    process.process.send_signal(signal.SIGRTMIN)
    for _ in range(500):
        if path.exists():
            found: dict[str, int] = json.loads(path.read_text())
            return found
        time.sleep(0.01)
    raise AssertionError("the host does not count itself")


def play(process: HostProcess, crowd: Crowd, seconds: float) -> tuple[float, float]:
    """Play, and say how it goes; memory after the first half, when the database has filled its cache, and at the end."""
    costs = Costs(process.process.pid)
    early = 0.0
    every = max(5.0, seconds / 20)
    began = time.monotonic()
    print(f"{'s':>6}{'moves/s':>9}{'p50':>8}{'p99':>8}{'MiB':>8}{'files':>7}{'timers':>8}{'tables':>8}{'came':>7}")
    while (passed := time.monotonic() - began) < seconds:
        waits = crowd.play(min(every, seconds - passed))
        now = counts(process)
        print(
            f"{time.monotonic() - began:6.0f}{len(waits) / every:9.0f}{quantile(waits, 0.5) * 1000:8.1f}"
            f"{quantile(waits, 0.99) * 1000:8.1f}{costs.resident:8.1f}{costs.files:7}{now['timers']:8}"
            f"{now['tables']:8}{crowd.connections:7}",
            flush=True,
        )
        if not early and passed >= seconds / 2:
            early = costs.resident
    return early or costs.resident, costs.resident


def main(minutes: float) -> int:
    """The status."""
    faults = []
    with host(
        "--set", "limits.unlimited=no", "--grace=5", module="tests.kit.altered_hosts:counts_resources"
    ) as process:
        costs = Costs(process.process.pid)
        files, before = costs.files, counts(process)
        crowd = Crowd(process.ports["onitama"], TABLES, MOVES, DROPS)
        crowd.play(5)
        early, late = play(process, crowd, minutes * 60)
        crowd.close()
        time.sleep(8)
        after = counts(process)
        if late > early * (1 + DRIFT):
            faults.append(f"memory grew from {early:.1f} to {late:.1f} MiB")
        if costs.files > files:
            faults.append(f"{costs.files - files} files are left open")
        # A table that everybody has left sleeps under one alarm, and keeps its players' names.
        if after["timers"] - after["tables"] > before["timers"]:
            faults.append(f"timers: {before} before, {after} after")
        if after["connections"] or after["names"] != 2 * after["tables"]:
            faults.append(f"not all is given up: {after}")
        if "Traceback" in process.log or "Unhandled" in process.log:
            faults.append("the log has tracebacks")
        print(f"{len(crowd.acknowledged)} moves, {crowd.connections} connections; memory {early:.1f} -> {late:.1f} MiB")
        print(f"files {files} -> {costs.files}; before {before}, after {after}")
    print("; ".join(faults) or "nothing grows, and nothing is left")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if sys.argv[1:] else 5.0))
