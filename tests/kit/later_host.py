"""
A host with a wrong clock: the wall's is ahead by the seconds in the environment's `GAMEHOST_LATER`. That may name a file which
has them, and which is read again and again. With `GAMEHOST_LATER_DATABASE` it is the clock of the database, which such a host
goes by.
"""

import os
import sys
import time
from pathlib import Path
from typing import Any

_now, _later = time.time, os.environ["GAMEHOST_LATER"]


def _ahead() -> float:
    return float(Path(_later).read_text() if "/" in _later else _later)


if "GAMEHOST_LATER_DATABASE" in os.environ:
    from gamehost.extras.cluster.postgresql.store import PostgresStore

    _of_database, _store = PostgresStore.now, PostgresStore
    _patched: Any = _store
    _patched.now = lambda self: _of_database(self) + _ahead()
else:
    assert "gamehost.tap" not in sys.modules, (
        "the host was imported before, and has the right clock: no fork server, please"
    )
    time.time = lambda: _now() + _ahead()

if __name__ == "__main__":
    from gamehost.__main__ import main

    main()
