"""The log is read as SQLite reads it: a torn end is told from damage, and a refused store keeps its log."""

import random
import sqlite3
from contextlib import closing

from gamehost.storage.database import Loss
from gamehost.storage.write_ahead_log import check_log, close_unchanged, put_back
from tests.kit.journals import rows
from tests.storage.test_damage import DamageCase


class WriteAheadLogTests(DamageCase):
    """What `gamehost.storage.write_ahead_log` says of itself. `tests.storage.test_power` has logs that a power cut left."""

    def test_a_torn_end_is_no_damage(self) -> None:
        """A log that ends anywhere is taken: so does a kill leave it."""
        log = self.killed().with_name("store.sqlite-wal").read_bytes()
        rng = random.Random(1)
        for length in (0, 31, 32, 33, 56, len(log), *(rng.randrange(len(log)) for _ in range(20))):
            check_log(log[:length])

    def test_frames_of_a_log_before_are_no_damage(self) -> None:
        """After a checkpoint the log begins anew, and what is behind its end is old."""
        journal = self.start()
        rows(journal, "PRAGMA wal_autocheckpoint=8")
        for _ in range(25):
            self.play(journal, 3)
            check_log(self.path.with_name("store.sqlite-wal").read_bytes())

    def test_a_damaged_header(self) -> None:
        """Without its header nothing of a log can be read."""
        log = self.killed().with_name("store.sqlite-wal").read_bytes()
        for place in range(0, 32, 5):
            spoilt = bytearray(log)
            spoilt[place] ^= 4
            self.assertIn("damaged header", str(self.assertRaises(Loss, check_log, bytes(spoilt))))

    def test_closing_changes_nothing(self) -> None:
        """Neither the store nor its log, whether SQLite could read the log or not; a kill in the middle is made good."""
        left = self.killed()
        log = left.with_name("store.sqlite-wal")
        whole = log.read_bytes()
        for place in (None, 0, len(whole) // 2):
            if place is not None:
                spoilt = bytearray(whole)
                spoilt[place] ^= 1
                log.write_bytes(spoilt)
            contents = self.contents(left)
            with closing(sqlite3.connect(left, isolation_level=None)) as connection:
                connection.execute("PRAGMA locking_mode=EXCLUSIVE")
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("COMMIT")
                close_unchanged(connection, left)
            self.assertEqual(self.contents(left), contents)
            log.rename(left.with_name("store.sqlite-wal.kept"))
            put_back(left)
            self.assertEqual(self.contents(left), contents)
