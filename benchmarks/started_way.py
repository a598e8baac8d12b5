"""
As a program, a host that prints as JSON which functions its start passes, from the options until its tables are resumed. Then
it ends.
"""

import json
import os
import sys
import threading
from typing import Any

from benchmarks.passed import Count
from gamehost import tap
from gamehost.__main__ import import_twisted, run

COUNT = Count(with_steps=False, on=True)
_MAKE = tap.makeService


def _make_and_count(options: Any) -> Any:
    threading.settrace(COUNT.trace)
    sys.settrace(COUNT.trace)
    return _MAKE(options)


def _when_resumed(event: dict[str, Any]) -> None:
    if str(event.get("log_format")).startswith("resumed {tables}"):
        sys.settrace(None)
        os.write(1, json.dumps(sorted(COUNT.per_move(1).calls)).encode() + b"\n")
        os._exit(0)


if __name__ == "__main__":
    import_twisted(sys.argv[1:])
    from twisted.logger import globalLogPublisher

    tap.makeService = _make_and_count
    globalLogPublisher.addObserver(_when_resumed)  # type: ignore[arg-type]
    run(sys.argv[1:])
