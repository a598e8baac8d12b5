"""Stores that are not files: which kinds there are, and what is shown of their names."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import StoreUnusable
from gamehost.storage.databases import beside, kind_of, shown


class KindsTests(SynchronousTestCase):
    def test_a_store_of_an_unknown_kind(self) -> None:
        """It is no file, and its password is not shown."""
        for asked in (kind_of, shown, beside):
            error = self.assertRaises(StoreUnusable, asked, "mysql://ann:secret@127.0.0.1/games")
            self.assertEqual(
                str(error), "no package that is installed brings stores of mysql://; expected a file or memory"
            )
