"""
The host with a clock on its reactor, for `benchmarks.abuse`. A timer of 5 ms notes how late it was, and for how much of that
time the reactor's thread worked. For the rest it waited for a core or for the interpreter. At a signal the notes since the last
signal go to the file `lag.json` in the current folder.
"""

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

from gamehost.__main__ import main
from gamehost.service import GameHostService

LAG = "lag.json"
EVERY = 0.005

_start: Any = GameHostService.startService


def _start_and_time(self: GameHostService) -> None:
    _start(self)
    from twisted.internet import reactor as this_reactor

    reactor: Any = this_reactor

    late: list[tuple[float, float]] = []

    def tick(due: float, worked: float) -> None:
        now, work = time.monotonic(), time.thread_time()
        late.append((now - due, min(now - due, work - worked)))
        reactor.callLater(EVERY, tick, now + EVERY, work)

    def tell(number: int, frame: object) -> None:
        seen = late[:]
        late.clear()
        Path(LAG + ".new").write_text(json.dumps(seen))
        os.replace(LAG + ".new", LAG)

    tick(time.monotonic(), time.thread_time())
    signal.signal(signal.SIGRTMIN, tell)


if __name__ == "__main__":
    GameHostService.startService = _start_and_time  # type: ignore[method-assign]
    main()
