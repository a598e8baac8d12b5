"""A host on a machine with a wrong clock: `time.time()` is ahead by the seconds in the environment's `GAMEHOST_LATER`."""

import os
import sys
import time

assert "gamehost.tap" not in sys.modules, (
    "the host was imported before, and has the right clock: no fork server, please"
)
_now, _ahead = time.time, float(os.environ["GAMEHOST_LATER"])
time.time = lambda: _now() + _ahead

if __name__ == "__main__":
    from gamehost.__main__ import main

    main()
