"""The key of the proofs: made once, kept for its owner alone, and replaced if it is no key."""

from pathlib import Path
from stat import S_IMODE

from twisted.trial.unittest import SynchronousTestCase

from gamehost.storage.proof_key import SUFFIX, proof_key
from gamehost.storage.sidecar import sidecar_path


class ProofKeyTests(SynchronousTestCase):
    """`proof_key`."""

    def setUp(self) -> None:
        self.store = Path(self.mktemp()).absolute()
        self.path = sidecar_path(self.store, SUFFIX)

    def test_is_kept(self) -> None:
        """The next life of the host has the same key; nobody else can read its file."""
        key = proof_key(self.store)
        self.assertEqual(len(key), 32)
        self.assertEqual(proof_key(self.store), key)
        self.assertEqual(S_IMODE(self.path.stat().st_mode), 0o600)

    def test_another_store_has_another(self) -> None:
        """Keys are random."""
        self.assertNotEqual(proof_key(self.store), proof_key(Path(self.mktemp()).absolute()))

    def test_what_is_no_key_is_replaced(self) -> None:
        """An empty file, a short one, and one that is not in hex."""
        for text in ("", "00ff", "no key at all"):
            self.path.write_text(text)
            key = proof_key(self.store)
            self.assertEqual((len(key), proof_key(self.store)), (32, key))

    def test_where_nothing_can_be_written(self) -> None:
        """There is a key all the same, for this life of the host."""
        self.assertEqual(len(proof_key(Path(self.mktemp()) / "nowhere" / "store")), 32)
