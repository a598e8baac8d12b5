"""Disk faults: one of the first calls fails, alone or with all after it; nothing false is said."""

import contextlib
import random
from collections import Counter
from collections.abc import Callable, Sequence

import apsw
from twisted.trial.unittest import SynchronousTestCase

from gamehost.storage.changes import Change, StoreFailed
from gamehost.storage.row_codec import Damaged
from gamehost.storage.store import SqliteStore
from gamehost.testing.journal_contract import MOVE
from tests.kit.crashes import Commit, Lives, abandon, next_life, open_on, run
from tests.kit.disk import Disk, Drive

#: What SQLite is told: no space, and a broken disk.
FULL, BROKEN = apsw.FullError, apsw.IOError

#: The first life makes about so many calls.
CALLS = 500
#: So many groups make more calls than that.
GROUPS = 60


def failing(at: int, error: type[Exception], once: bool) -> Callable[[int, str], None]:
    """A fault at a call, or at that and all later ones. Reading is never refused for want of space."""

    def fault(call: int, name: str) -> None:
        if (call == at if once else call >= at) and not (error is FULL and name in ("read", "size", "access")):
            raise error("planted")

    return fault


def retrying(store: SqliteStore, changes: Sequence[Change]) -> None:
    """A planted fault: a failed commit is tried again."""
    try:
        store.commit(changes)
    except apsw.Error:
        store._failed = False
        if store.connection.in_transaction:  # type: ignore[attr-defined]
            store.connection.execute("ROLLBACK")
        with contextlib.suppress(KeyError, Damaged):
            store.commit(changes)
        store._failed = False


def swallowing(store: SqliteStore, changes: Sequence[Change]) -> None:
    """A planted fault: a failed commit is taken for a good one."""
    try:
        store.commit(changes)
    except apsw.Error:
        store._failed = False


def faults(
    calls: Sequence[int], error: type[Exception], once: bool, commit: Commit = SqliteStore.commit
) -> Counter[str | None]:
    """A life that fails at each of these calls, and what the life after it finds."""
    drive = Drive()
    found: Counter[str | None] = Counter()
    for at in calls:
        lives = Lives(random.Random(at))
        disk = Disk(fault=failing(at, error, once))
        run(drive, disk, lives, commit, groups=GROUPS)
        found[next_life(drive, disk.after_kill(), lives, groups=3)] += 1
    return found


class FaultTests(SynchronousTestCase):
    """`gamehost.storage.store` on a disk that fails."""

    def test_the_calls_are_that_many(self) -> None:
        """A life without faults makes more calls than are failed below: the last fault is met too."""
        disk = Disk()
        self.assertTrue(run(Drive(), disk, Lives(random.Random(1)), groups=GROUPS))
        self.assertGreater(disk.calls, CALLS)

    def test_no_space_once(self) -> None:
        """ENOSPC at one call: nothing false acknowledged, a clean next life."""
        self.assertEqual(faults(range(1, CALLS + 1), FULL, once=True), {None: CALLS})

    def test_no_space_for_good(self) -> None:
        """ENOSPC from one call on, at every fourth."""
        self.assertEqual(faults(range(1, CALLS + 1, 4), FULL, once=False), {None: CALLS // 4})

    def test_broken_once(self) -> None:
        """EIO at one call, a sync among them."""
        self.assertEqual(faults(range(1, CALLS + 1), BROKEN, once=True), {None: CALLS})

    def test_broken_for_good(self) -> None:
        """EIO from one call on, at every fourth."""
        self.assertEqual(faults(range(1, CALLS + 1, 4), BROKEN, once=False), {None: CALLS // 4})

    def test_trying_again_is_caught(self) -> None:
        """A commit that is repeated after a failure leaves a journal that the checks refuse."""
        found = faults(range(1, CALLS, 3), BROKEN, once=True, commit=retrying)
        self.assertGreater(sum(found.values()) - found[None], 10)

    def test_taking_failure_for_success_is_caught(self) -> None:
        """An acknowledgement after a failed commit is found out."""
        found = faults(range(1, CALLS, 3), FULL, once=False, commit=swallowing)
        self.assertGreater(found["lost"], 10)

    def test_nothing_is_written_after_a_failure(self) -> None:
        """A store that has failed once refuses every later group, even when the disk is well again."""
        drive, lives = Drive(), Lives(random.Random(1))
        disk = Disk()
        store = open_on(drive, disk, None)
        lives.play(store, 3)
        disk.fault = failing(disk.calls + 1, BROKEN, once=True)
        self.assertRaises(apsw.IOError, lives.play, store, 1)
        self.assertRaises(StoreFailed, store.commit, [(store.live()[0], MOVE)])
        connection = store.connection
        assert isinstance(connection, apsw.Connection)
        abandon(connection, disk)
