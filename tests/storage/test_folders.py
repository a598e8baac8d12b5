"""Who else can replace a store."""

import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.storage.folders import open_folders


class FoldersTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.store = self.folder / "a b" / "games.sqlite"
        self.store.parent.mkdir(parents=True)
        self.addCleanup(self.folder.chmod, 0o700)

    def test_named_with_what_to_type(self) -> None:
        self.store.parent.chmod(0o777)
        [words] = open_folders(self.store)
        folder = self.store.parent
        self.assertIn(f"its folder {folder} has mode 0777; type: chmod o-w '{folder}'", words)
        self.store.parent.chmod(0o775)
        self.assertEqual(list(open_folders(self.store)), [])

    @given(st.integers(0, 0o1777), st.integers(0, 0o1777))
    def test_modes(self, above: int, inside: int) -> None:
        """A folder is named if others may write there and the sticky bit is off, wherever it is above the store."""
        self.folder.chmod(above | 0o700)
        self.store.parent.chmod(inside | 0o700)
        named = [mode for mode in (inside, above) if mode & 0o1002 == 0o002]
        self.assertEqual(len(list(open_folders(self.store))), len(named))

    def test_the_folder_behind_a_link(self) -> None:
        """It is the one that has the files."""
        self.store.parent.chmod(0o707)
        link = self.folder / "link.sqlite"
        os.symlink(self.store, link)
        [words] = open_folders(link)
        self.assertIn(str(self.store.parent), words)

    def test_no_such_folder(self) -> None:
        """The store says that."""
        self.assertEqual(list(open_folders(self.folder / "none" / "games.sqlite")), [])
