"""
The host with a clock on its reactor, for `benchmarks.abuse`. A timer of 5 ms notes how late it was, and for how much of that
time the reactor's thread worked. For the rest it waited for a core or for the interpreter. And the beats that the host's own
watchdog is given are noted: for how long the reactor stood still is what the watchdog goes by. At a signal the notes since the
last signal go to the file `lag.json` in the current folder.
"""

import os
import signal
import time
from pathlib import Path
from typing import Any

from attrs import frozen
from msgspec import json

from gamehost.__main__ import main
from gamehost.ops.watchdog import LOOK_EVERY, Watchdog
from gamehost.service import GameHostService

LAG = "lag.json"
EVERY = 0.005


@frozen
class Notes:
    """What was noted since the last signal; all in seconds."""

    #: For how long the timer was late, and for how much of that the thread worked.
    late: list[tuple[float, float]]
    #: The longest time between two beats of the watchdog, beyond the usual one.
    stood: float


_start: Any = GameHostService.startService
_beat: Any = Watchdog.beat
#: The times between beats.
_gaps: list[float] = []


def _beat_and_note(self: Watchdog) -> None:
    before = self._beat_at
    _beat(self)
    _gaps.append(self._beat_at - before)


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
        seen = Notes(late[:], max(0.0, max(_gaps, default=0.0) - LOOK_EVERY))
        late.clear()
        _gaps.clear()
        Path(LAG + ".new").write_bytes(json.encode(seen))
        os.replace(LAG + ".new", LAG)

    tick(time.monotonic(), time.thread_time())
    signal.signal(signal.SIGRTMIN, tell)


if __name__ == "__main__":
    GameHostService.startService = _start_and_time  # type: ignore[method-assign]
    Watchdog.beat = _beat_and_note  # type: ignore[method-assign]
    main()
