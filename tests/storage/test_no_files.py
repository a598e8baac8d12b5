"""A journal in a process that has no file left to open: what is durable stays so, and what is noted beside it waits."""

import errno
from collections.abc import Callable
from typing import NoReturn

from gamehost.storage import files, high_water_mark
from gamehost.storage.high_water_mark import read_mark
from gamehost.storage.sidecar import sidecar_path
from gamehost.testing.journal_contract import OPENING, nothing
from tests.kit.journals import records
from tests.storage.test_sqlite import StoreCase


class NoFilesTests(StoreCase):
    """Row 19."""

    def fail_with(self, number: int) -> Callable[[], None]:
        """No file can be replaced from now on, until what is given back is called."""

        def failing(*args: object) -> NoReturn:
            raise OSError(number, "planted")

        mend: Callable[[], None] = self.patch(files, "replace", failing).restore
        return mend

    def test_no_file_left(self) -> None:
        """Entries become durable all the same; the mark and the note of a clean end come later, or not in this life."""
        for number in (errno.EMFILE, errno.ENFILE):
            journal = self.start()
            mend = self.fail_with(number)
            self.play(journal, 3)
            self.stop(journal)
            self.assertEqual(self.pump.broken, [])
            mend()
        again = self.start()
        self.assertEqual(len(records(again)), 2)
        self.stop(again)
        self.assertEqual(read_mark(sidecar_path(self.path, high_water_mark.SUFFIX).read_text()).count, 8)

    def test_disk_that_fails(self) -> None:
        """Anything else that keeps the mark from being written ends the host, as before."""
        journal = self.start()
        self.fail_with(errno.EIO)
        journal.open(journal.new_table(), OPENING, nothing)
        self.pump.until(lambda: bool(self.pump.broken))
        self.assertIn("planted", self.pump.broken[0])
