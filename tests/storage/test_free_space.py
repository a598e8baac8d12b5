"""How full a disk is, and what follows from it for a store."""

import os
from pathlib import Path

from gamehost.journal.records import Room
from gamehost.storage import free_space
from gamehost.storage.free_space import fits, room
from tests.kit.journals import records
from tests.storage.test_sqlite import StoreCase

GIB = 1 << 30


class FreeSpaceTests(StoreCase):
    """What `gamehost.storage.free_space` says of itself."""

    def room(self, total: int, free: int, wanted: int = GIB) -> Room:
        """What is said of a disk of this size."""
        block = 4096
        disk = os.statvfs_result((block, block, total // block, 0, free // block, 0, 0, 0, 0, 255))
        return room(Path("/somewhere/store"), wanted, lambda path: disk)

    def test_levels(self) -> None:
        """Enough, low below the limit, and none below a tenth of it; of a small disk 5 % are enough."""
        self.assertEqual(self.room(1000 * GIB, GIB), Room.ENOUGH)
        self.assertEqual(self.room(1000 * GIB, GIB - 4096), Room.LOW)
        self.assertEqual(self.room(1000 * GIB, GIB // 10 + 4096), Room.LOW)
        self.assertEqual(self.room(1000 * GIB, GIB // 10 - 4096), Room.NONE)
        self.assertEqual(self.room(10 * GIB, GIB // 2), Room.ENOUGH)
        self.assertEqual(self.room(10 * GIB, GIB // 2 - 4096), Room.LOW)
        self.assertEqual(self.room(10 * GIB, 0, wanted=0), Room.ENOUGH)

    def test_a_copy_leaves_room_for_the_host(self) -> None:
        """On the store's own disk the limit for new tables is kept; elsewhere the copy alone has to fit."""
        block = 4096
        disk = os.statvfs_result((block, block, 1000 * GIB // block, 0, 3 * GIB // block, 0, 0, 0, 0, 255))
        for folder, size, fit in ((self.folder, 2 * GIB, True), (self.folder, 2 * GIB + 1, False)):
            self.assertEqual(fits(folder / "copy", size, self.path, GIB, lambda path: disk), fit)
        elsewhere = Path("/proc")
        self.assertTrue(fits(elsewhere / "copy", 3 * GIB, self.path, GIB, lambda path: disk))
        self.assertFalse(fits(elsewhere / "copy", 3 * GIB + 1, self.path, GIB, lambda path: disk))

    def test_a_store_on_a_full_disk_is_opened(self) -> None:
        """It says that it has no room, and what is in it is read."""
        journal = self.start()
        self.play(journal, 3)
        self.stop(journal)
        disk = os.statvfs(self.folder)
        wanted = disk.f_bavail * disk.f_frsize * 1000
        self.patch(free_space, "LARGEST_PART", 1000)
        journal = self.start(free_space=wanted)
        self.assertEqual(journal.room, Room.NONE)
        self.assertEqual([len(record.entries) for record in records(journal)], [3])
        self.stop(journal)
        journal = self.start(free_space=1)
        self.assertEqual(journal.room, Room.ENOUGH)
