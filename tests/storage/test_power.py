"""Power cuts, disk faults and kills: what was acknowledged is there afterwards, whatever the disk made of the rest."""

import contextlib
import os
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import apsw
from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import TableId
from gamehost.storage.contents import Change, StoreFailed
from gamehost.storage.inspect import Summary, reading
from gamehost.storage.row_codec import Damaged
from gamehost.storage.sidecar import check_log
from gamehost.storage.store import SqliteStore
from tests.kit.disk import Commit, Disk, Drive, Lives, abandon, next_life, open_on, run
from tests.kit.fork_server import ROOT, Process, start
from tests.kit.journal_contract import OPENING


def cuts(
    number: int, sync: str = "FULL", honest: bool = True, early: bool = False, marks_ahead: bool = False
) -> Counter[str | None]:
    """So many lives cut short, one after the other on the same disk until something is wrong; what was found."""
    drive = Drive()
    found: Counter[str | None] = Counter()
    disk, lives = Disk(), Lives(random.Random(0))
    removed = 0
    for seed in range(number):
        # A journal grows over ten lives; then comes a new disk, which may be cut while the store is made.
        if seed % 10 == 0:
            removed += lives.removed
            disk, lives = Disk(), Lives(random.Random(seed), early=early, marks_ahead=marks_ahead)
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
            disk, lives = Disk(), Lives(random.Random(seed + number), early=early, marks_ahead=marks_ahead)
        else:
            disk = later.after_kill()
    found["removed"] = removed
    return found


class PowerTests(SynchronousTestCase):
    """`gamehost.storage.store` on a disk that loses its power."""

    def test_nothing_acknowledged_is_lost(self) -> None:
        """A thousand power cuts: nothing lost, nothing damaged, always a beginning of what was sent."""
        found = cuts(1000)
        self.assertGreater(found.pop("removed"), 100, "matches in which nobody has acted")
        self.assertEqual(found, {None: 1000})

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

    def test_removing_what_the_mark_counts_is_caught(self) -> None:
        """Rows behind the mark on the disk stay, else a start would take the store for one that has lost rows."""
        self.assertGreater(cuts(200, marks_ahead=True)["corrupt"], 5)


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
        if store.connection.in_transaction:
            store.connection.execute("ROLLBACK")
        with contextlib.suppress(KeyError, Damaged):
            store.commit(changes)
        store._failed = False


def swallowing(store: SqliteStore, changes: Sequence[Change]) -> None:
    """A planted fault: a failed commit is taken for a good one."""
    try:
        store.commit(changes)
    except (apsw.Error, Damaged):  # the second one: the first row of a table was lost so
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
    def test_the_calls_are_that_many(self) -> None:
        """A life without faults makes more calls than are failed below: the last fault is met too."""
        disk = Disk()
        self.assertTrue(run(Drive(), disk, Lives(random.Random(1)), groups=GROUPS))
        self.assertGreater(disk.calls, CALLS)

    def test_no_space_once(self) -> None:
        """ENOSPC at one call: nothing false acknowledged, a clean next life."""
        self.assertEqual(faults(range(1, CALLS + 1), FULL, once=True), {None: CALLS})

    def test_no_space_for_good(self) -> None:
        self.assertEqual(faults(range(1, CALLS + 1, 4), FULL, once=False), {None: CALLS // 4})

    def test_broken_once(self) -> None:
        self.assertEqual(faults(range(1, CALLS + 1), BROKEN, once=True), {None: CALLS})

    def test_broken_for_good(self) -> None:
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
        store = open_on(drive, disk, Lives(random.Random(0)))
        lives.play(store, 3)
        disk.fault = failing(disk.calls + 1, BROKEN, once=True)
        self.assertRaises(apsw.IOError, lives.play, store, 1)
        self.assertRaises(StoreFailed, store.commit, [(TableId(1), OPENING)])
        connection = store.connection
        assert isinstance(connection, apsw.Connection)
        abandon(connection, disk)


def said(process: Process, lines: int) -> bytes:
    """What a victim said until it was killed, which is after so many lines."""
    assert process.stdout is not None
    pieces = []
    seen = 0
    while seen < lines:
        piece = os.read(process.stdout.fileno(), 4096)
        if not piece:
            break
        pieces.append(piece)
        seen += piece.count(b"\n")
    process.kill()
    pieces.append(process.stdout.read())
    process.wait()
    process.stdout.close()
    return b"".join(pieces)


class KillCase(SynchronousTestCase):
    """Kills, one life after the other on one journal."""

    def kill(self, times: int, seed: int) -> int:
        """Kill so many lives; how many acknowledgements were checked."""
        path = Path(self.mktemp()).absolute()
        rng = random.Random(seed)
        checked = 0
        for _ in range(times):
            process = start("tests.kit.kill_target", [str(path)], ROOT, {**os.environ, "PYTHONPATH": str(ROOT)})
            lines = said(process, rng.randint(1, 2000)).splitlines()
            self.assertEqual(process.returncode, -9, "it ran until it was killed")
            self.assertTrue(lines)
            checked += self.check(path, lines)
        return checked

    def check(self, path: Path, lines: list[bytes]) -> int:
        """See that what was said is so; the last line may be half of one."""
        told: dict[TableId, int] = {}
        for line in lines[:-1]:
            table, number = map(int, line.split())
            told[TableId(table)] = number
        with reading(path) as journal:
            held = {table.table: table.entries for table in journal.tables() if isinstance(table, Summary)}
            self.assertEqual(journal.verify().faults, [])
        for table, number in told.items():
            self.assertGreaterEqual(held[table], number)
        return len(lines)


class KillTests(KillCase):
    def test_what_was_said_is_there(self) -> None:
        """Twenty-five kills at any moment: no acknowledged entry is lost, every next life starts."""
        self.assertGreater(self.kill(25, seed=1), 2500)
