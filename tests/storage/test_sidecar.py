"""Small files are replaced whole."""

import stat
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamehost.storage.sidecar import read, replace, sidecar_path


class BesideTests(SynchronousTestCase):
    """What `gamehost.storage.sidecar` says of itself."""

    def setUp(self) -> None:
        self.folder = Path(self.mktemp())
        self.folder.mkdir()
        self.path = sidecar_path(self.folder / "a.sqlite", ".hwm")

    def test_names(self) -> None:
        """The suffix is added, not exchanged."""
        self.assertEqual(self.path.name, "a.sqlite.hwm")

    def test_read_back(self) -> None:
        """What is put is read, the last time it was put; nobody else may read it, and nothing is left lying about."""
        self.assertIs(read(self.path), None)
        for text in ("first, and longer", "sécond"):
            replace(self.path, text)
            self.assertEqual(read(self.path), text)
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o600)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["a.sqlite.hwm"])

    def test_what_is_not_text_is_read_as_something(self) -> None:
        """Damage is for the reader of the text to refuse."""
        self.path.write_bytes(b"\xff\xfe")
        self.assertEqual(read(self.path), "\ufffd\ufffd")

    def test_a_failure_leaves_the_old_file(self) -> None:
        """Where the new one cannot be made, the error is the caller's and the old one stays."""
        replace(self.path, "old")
        (self.folder / "a.sqlite.hwm.new").mkdir()
        self.assertRaises(OSError, replace, self.path, "new")
        self.assertEqual(read(self.path), "old")
