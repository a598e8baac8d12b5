"""The number of the last row is kept when a process is killed, and is not believed when it is torn."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamehost.storage.high_water_mark import mark_of
from gamehost.storage.last_commit import LastCommit, read_last_commit


class LastCommitTests(SynchronousTestCase):
    """What `gamehost.storage.last_commit` says of itself."""

    def test_what_was_noted_last_is_read(self) -> None:
        """While the file is open too, as a kill would leave it."""
        path = Path(self.mktemp())
        self.assertIsNone(read_last_commit(path))
        noting = LastCommit(path)
        self.assertIsNone(read_last_commit(path))
        for last in (7, 2**40):
            noting.note(last, 5, 3, b"12345678")
            self.assertEqual(read_last_commit(path), mark_of(last, 5, b"12345678", 3))
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        noting.remove()
        self.assertFalse(path.exists())

    def test_a_changed_bit_makes_it_worthless(self) -> None:
        """It is one witness of two: alone it refuses nothing."""
        path = Path(self.mktemp())
        LastCommit(path).note(7, 5, 3, b"12345678")
        whole = path.read_bytes()
        for place in range(len(whole)):
            path.write_bytes(bytes(byte ^ (at == place) for at, byte in enumerate(whole)))
            self.assertIsNone(read_last_commit(path))
        path.write_bytes(whole[:-1])
        self.assertIsNone(read_last_commit(path))
