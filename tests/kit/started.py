"""
What a host has imported when its ports are open: as a program, this file is a host that prints it as JSON, and ends.

The program imports only what every host needs: nothing from the tests.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gamehost.__main__ import import_twisted, run


class Started(NamedTuple):
    """A host whose ports have just been opened."""

    #: Processor time since the process began.
    seconds: float
    #: Memory of the process, shared libraries included.
    mebibytes: float
    modules: frozenset[str]

    @property
    def own(self) -> Sequence[str]:
        return sorted(name for name in self.modules if name.partition(".")[0] == "gamehost")


def started(folder: Path, *options: str, bytecode: Path | None = None) -> Started:
    """
    Start a host with its default options, but on ports that are free.

    :param bytecode: where compiled modules are kept, so that only the first start compiles them; by default as always
    """
    from tests.kit.process import ROOT, all_wires

    ports = [f"--{name}=tcp:0:interface=127.0.0.1" for name in (*all_wires(), "web")]
    command = [sys.executable, __file__, *ports, *options]
    # A measurement of coverage would begin in the host, too, with imports of its own.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_PROCESS_")}
    environment = {**inherited, "PYTHONPATH": str(ROOT)}
    if bytecode is not None:
        environment["PYTHONPYCACHEPREFIX"] = str(bytecode)
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    *_, last = ended.stdout.splitlines() or [""]
    try:
        seconds, mebibytes, modules = json.loads(last)
    except ValueError:
        raise AssertionError(f"the host did not start:\n{ended.stdout}{ended.stderr}") from None
    return Started(seconds, mebibytes, frozenset(modules))


def _when_ready(event: dict[str, Any]) -> None:
    if event.get("log_format") != "gamehost ready":
        return
    # A module that must not be imported is there as `None`.
    modules = [name for name, module in sys.modules.items() if module is not None]
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text("ascii").splitlines())
    times = os.times()
    report = (times.user + times.system, int(status["VmRSS"].split()[0]) / 1024, modules)
    os.write(1, json.dumps(report).encode() + b"\n")
    os._exit(0)


if __name__ == "__main__":
    import_twisted(sys.argv[1:])
    from twisted.logger import globalLogPublisher

    globalLogPublisher.addObserver(_when_ready)  # type: ignore[arg-type]
    run(sys.argv[1:])
