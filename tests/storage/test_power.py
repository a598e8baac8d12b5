"""Power cuts: what was acknowledged is there afterwards, whatever the disk made of the rest."""

import random
from collections import Counter

from twisted.trial.unittest import SynchronousTestCase

from gamehost.storage.write_ahead_log import check_log
from tests.kit.crashes import Lives, next_life, run
from tests.kit.disk import Disk, Drive


def cuts(number: int, sync: str = "FULL", honest: bool = True, early: bool = False) -> Counter[str | None]:
    """So many lives cut short, one after the other on the same disk until something is wrong; what was found."""
    drive = Drive()
    found: Counter[str | None] = Counter()
    disk, lives = Disk(), Lives(random.Random(0))
    for seed in range(number):
        # A journal grows over ten lives; then comes a new disk, which may be cut while the store is made.
        if seed % 10 == 0:
            disk, lives = Disk(), Lives(random.Random(seed), early=early)
        disk.honest = honest
        disk.cut_at = lives.rng.randint(1, 60)
        run(drive, disk, lives, sync=sync)
        disk = disk.after_cut(lives.rng)
        if honest and sync == "FULL" and "journal-wal" in disk.files:
            check_log(bytes(disk.files["journal-wal"].seen))  # a torn end is no damage
        later = disk.after_kill()
        wrong = next_life(drive, later, lives, groups=0)
        found[wrong] += 1
        if wrong is not None:
            disk, lives = Disk(), Lives(random.Random(seed + number), early=early)
        else:
            disk = later.after_kill()
    return found


class PowerTests(SynchronousTestCase):
    """`gamehost.storage.store` on a disk that loses its power."""

    def test_nothing_acknowledged_is_lost(self) -> None:
        """A thousand power cuts: nothing lost, nothing damaged, always a beginning of what was sent."""
        self.assertEqual(cuts(1000), {None: 1000})

    def test_less_than_full_sync_is_caught(self) -> None:
        """With `synchronous=NORMAL` acknowledged entries are lost: the harness would see it."""
        self.assertGreater(cuts(200, sync="NORMAL")["lost"], 20)

    def test_a_disk_that_does_not_sync_is_caught(self) -> None:
        """A disk that only says that it has synced loses entries, or damages the store, and is found out."""
        found = cuts(200, honest=False)
        self.assertGreater(found["lost"] + found["corrupt"], 20)

    def test_saying_so_before_the_commit_is_caught(self) -> None:
        """An acknowledgement before the commit is a lie sooner or later."""
        self.assertGreater(cuts(200, early=True)["lost"], 20)
