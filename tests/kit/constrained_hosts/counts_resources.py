"""A host that counts its timers, tables, names and connections, and writes them into `counts.json` when it is signalled."""

import json
import os
import signal
from pathlib import Path
from typing import Any

from gamehost.__main__ import main
from gamehost.service import GameHostService

COUNTS = "counts.json"

_start: Any = GameHostService.startService


def _start_and_count(self: GameHostService) -> None:
    _start(self)

    def count(number: int, frame: object) -> None:
        from twisted.internet import reactor

        counts = {
            "timers": len(reactor.getDelayedCalls()),
            "tables": len(self.context.lobby.tables),
            "names": len(self.context.lobby.registry),
            "connections": self.context.limiter.count,
        }
        Path(COUNTS + ".new").write_text(json.dumps(counts))
        os.replace(COUNTS + ".new", COUNTS)

    signal.signal(signal.SIGRTMIN, count)


if __name__ == "__main__":
    GameHostService.startService = _start_and_count  # type: ignore[method-assign]
    main()
