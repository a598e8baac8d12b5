"""
The host of `benchmarks.lucky` under Python's profiler, for `benchmarks.rooms`. One signal starts the profiler. Another one
stops it, and the result is written to the file `profile` in the current folder.
"""

import cProfile
import os
import signal
from types import FrameType

from benchmarks.lucky import main
from benchmarks.rooms import BEGIN, END

PROFILE = cProfile.Profile()


def begin(number: int, frame: FrameType | None) -> None:
    """Look from here on."""
    PROFILE.enable()


def end(number: int, frame: FrameType | None) -> None:
    """Look no more; the file is there when it is whole."""
    PROFILE.disable()
    PROFILE.dump_stats("profile.new")
    os.replace("profile.new", "profile")


if __name__ == "__main__":
    signal.signal(BEGIN, begin)
    signal.signal(END, end)
    main()
