"""Single bits of a store that was killed under play: `tests.kit.bit_flips`, in its short form."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamehost.storage import sqlite
from tests.kit.bit_flips import flip_bits

#: A mark from before the first row.
EMPTY = '{"max_seq": 0, "count": 0, "sha": "", "accounts": 0, "log": true}\n'


class BitFlipTests(SynchronousTestCase):
    """`make test-bitflips` flips more bits."""

    def test_no_flip_is_silent(self) -> None:
        """Thirty bits of store, log and marks: nothing acknowledged is gone without a word."""
        self.assertEqual(flip_bits(30, 1, Path(self.mktemp()))["silent"], 0)

    def test_a_host_that_trusts_its_log_is_found_out(self) -> None:
        """Without the check of the log, damage behind an old mark is silent; with it, only a last commit that may be torn."""
        checked = flip_bits(20, 2, Path(self.mktemp()), ["-wal"], EMPTY)
        self.patch(sqlite, "check_log", lambda log: None)
        unchecked = flip_bits(20, 2, Path(self.mktemp()), ["-wal"], EMPTY)
        self.assertGreater(unchecked["silent"], checked["silent"])
