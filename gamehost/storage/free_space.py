"""
How much room the disk of a store has.
"""

import os
from collections.abc import Callable
from pathlib import Path

from gamehost.journal.records import Room

#: At most this part of a disk must be free, however small the disk is.
LARGEST_PART = 0.05


def room(store: Path, wanted: int, ask: Callable[[Path], os.statvfs_result] = os.statvfs) -> Room:
    """
    :param store: the store's path; its folder exists
    :param wanted: bytes that must be free for new tables; 0: the disk is not looked at
    :raises OSError: the disk does not answer
    """
    if not wanted:
        return Room.ENOUGH
    disk = ask(store.parent)
    wanted = min(wanted, int(disk.f_blocks * disk.f_frsize * LARGEST_PART))
    free = disk.f_bavail * disk.f_frsize
    if free < wanted // 10:
        return Room.NONE
    return Room.LOW if free < wanted else Room.ENOUGH
