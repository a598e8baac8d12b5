"""
A host on a machine of its own: in the network name space that the environment names. `GAMEHOST_SPACES` has the names, and
`GAMEHOST_PLACE` says which of them.
"""

import ctypes
import os
from pathlib import Path

from gamehost.__main__ import main

#: As `linux/sched.h` has it.
CLONE_NEWNET = 0x40000000


def enter(name: str) -> None:
    """
    Enter a network name space. No thread may have been started before.

    :raises OSError: the system does not let us
    """
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/run/netns", name).open() as space:
        if libc.setns(space.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    enter(os.environ["GAMEHOST_SPACES"].split(",")[int(os.environ["GAMEHOST_PLACE"])])
    main()
