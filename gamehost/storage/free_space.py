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


def fits(
    copy: Path, size: int, store: Path, wanted: int, ask: Callable[[Path], os.statvfs_result] = os.statvfs
) -> bool:
    """
    Whether a copy has room on its disk. On the store's own disk, so much must be left that new tables can begin.

    :param size: of the copy, in bytes
    :param wanted: as of `room`
    :raises OSError: the disk does not answer
    """
    disk = ask(copy.parent)
    left = disk.f_bavail * disk.f_frsize - size
    if copy.parent.stat().st_dev == store.parent.stat().st_dev:
        left -= min(wanted, int(disk.f_blocks * disk.f_frsize * LARGEST_PART))
    return left >= 0
