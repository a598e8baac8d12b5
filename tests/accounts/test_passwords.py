"""Passwords, what is kept of them, and what accounts have proved for thirty days."""

import hashlib

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.passwords import CHEAP, Account, Cost, Digest, PasswordRefused, checked_password
from gamehost.accounts.proofs import KNOWN_ADDRESSES, PROOF_DAYS, SECONDS_PER_DAY, MemoryProofs, Proof, ProvenLogins
from tests.kit.accounts import account


class PasswordTests(SynchronousTestCase):
    def test_printable_ascii(self) -> None:
        for text in ("x", " ", " a b ", "|#~", "a" * 128, "".join(map(chr, range(32, 127)))):
            self.assertEqual(checked_password(text), text.encode())

    def test_refused_without_a_word_of_it(self) -> None:
        for text in ("", "a" * 129, "canary\x00", "canary\t", "canary\x7f", "canarý", "canary\r", "\u0661"):
            error = self.assertRaises(PasswordRefused, checked_password, text)
            self.assertNotIn("canar", str(error) + repr(error))
            self.assertIsNone(error.__context__)


class DigestTests(SynchronousTestCase):
    def test_fits_its_password_and_no_other(self) -> None:
        digest = Digest.of(b"secret", CHEAP)
        self.assertTrue(digest.fits(b"secret"))
        for other in (b"", b"secre", b"secret ", b"Secret"):
            self.assertFalse(digest.fits(other))

    def test_is_scrypt_s(self) -> None:
        """As RFC 7914 has it, with the parameters that are kept beside it; every default of it works."""
        digest = Digest.of(b"secret", Cost())
        self.assertEqual((digest.cost.n, digest.cost.r, digest.cost.p), (16384, 8, 1))
        self.assertEqual((len(digest.salt), len(digest.hash)), (16, 32))
        made = hashlib.scrypt(b"secret", salt=digest.salt, n=16384, r=8, p=1, dklen=32, maxmem=64 << 20)
        self.assertEqual(digest.hash, made)

    def test_same_password_another_digest(self) -> None:
        self.assertNotEqual(Digest.of(b"secret", CHEAP).hash, Digest.of(b"secret", CHEAP).hash)

    def test_shows_nothing(self) -> None:
        account = Account("Ann", Digest(CHEAP, b"salt-canary", b"hash-canary"))
        self.assertNotIn("canary", repr(account) + str(account))
        self.assertEqual((account.key, repr(account.digest.cost)), ("ann", "Cost(n=2, r=1, p=1)"))


KEY = bytes(range(32))


class CountingProofs(MemoryProofs):
    written = 0

    def put_proof(self, proof: Proof) -> None:
        self.written += 1
        super().put_proof(proof)


class ProofTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.store = CountingProofs()
        self.now = 1_000_000_000.0
        self.ann = account("ann")
        self.proven = self.restarted()

    def restarted(self, key: bytes = KEY) -> ProvenLogins:
        return ProvenLogins(key, self.store, lambda: self.now)

    def test_what_was_noted_counts(self) -> None:
        self.assertFalse(self.proven.fits(self.ann, b"secret"))
        self.proven.note(self.ann, b"secret", "192.0.2.1")
        for proven in (self.proven, self.restarted()):
            self.assertTrue(proven.fits(self.ann, b"secret"))
            self.assertFalse(proven.fits(self.ann, b"Secret"))
            self.assertFalse(proven.fits(account("bob"), b"secret"))
            self.assertTrue(proven.knows("ann", "192.0.2.1"))
            self.assertFalse(proven.knows("ann", "192.0.2.2"))
            self.assertFalse(proven.knows("bob", "192.0.2.1"))

    def test_forgotten(self) -> None:
        self.assertIsNone(self.proven.last_day("ann"))
        for name in ("ann", "bob"):
            self.proven.note(account(name), b"secret", "192.0.2.1")
        self.assertEqual(self.proven.last_day("ann"), int(self.now // SECONDS_PER_DAY))
        self.proven.forget("ann")
        self.proven.forget("ann")
        for proven in (self.proven, self.restarted()):
            self.assertFalse(proven.fits(self.ann, b"secret") or proven.knows("ann", "192.0.2.1"))
            self.assertIsNone(proven.last_day("ann"))
            self.assertTrue(proven.knows("bob", "192.0.2.1"))

    def test_thirty_days(self) -> None:
        self.proven.note(self.ann, b"secret", "192.0.2.1")
        self.now += (PROOF_DAYS - 1) * SECONDS_PER_DAY
        self.assertTrue(self.proven.fits(self.ann, b"secret"))
        self.assertEqual(len(list(self.store.proofs())), 2)
        self.now += SECONDS_PER_DAY
        self.assertFalse(self.proven.fits(self.ann, b"secret"))
        self.assertFalse(self.proven.knows("ann", "192.0.2.1"))
        self.restarted()
        self.assertEqual(list(self.store.proofs()), [])

    def test_the_old_password_is_not_proved_after_a_change(self) -> None:
        self.proven.note(self.ann, b"secret", "192.0.2.1")
        changed = Account("ann", account("ann", b"other").digest)
        self.assertFalse(self.proven.fits(changed, b"secret"))
        self.proven.note(changed, b"other", "192.0.2.1")
        self.assertTrue(self.proven.fits(changed, b"other"))
        self.assertEqual(len(list(self.store.proofs())), 2)

    def test_another_key(self) -> None:
        self.proven.note(self.ann, b"secret", "192.0.2.1")
        other = self.restarted(bytes(32))
        self.assertFalse(other.fits(self.ann, b"secret"))
        self.assertFalse(other.knows("ann", "192.0.2.1"))

    def test_eight_addresses(self) -> None:
        for number in range(KNOWN_ADDRESSES):
            self.proven.note(self.ann, b"secret", f"192.0.2.{number}")
        self.proven.note(self.ann, b"secret", "192.0.2.0")
        self.proven.note(self.ann, b"secret", "198.51.100.1")
        for proven in (self.proven, self.restarted()):
            self.assertTrue(proven.knows("ann", "192.0.2.0"))
            self.assertFalse(proven.knows("ann", "192.0.2.1"))
            self.assertTrue(proven.knows("ann", "198.51.100.1"))
        self.assertEqual(len(list(self.store.proofs())), 1 + KNOWN_ADDRESSES)

    def test_written_once_a_day(self) -> None:
        for _ in range(100):
            self.proven.note(self.ann, b"secret", "192.0.2.1")
        self.assertEqual(self.store.written, 2)
        self.now += SECONDS_PER_DAY
        self.proven.note(self.ann, b"secret", "192.0.2.1")
        self.assertEqual(self.store.written, 4)

    def test_neither_password_nor_address_can_be_read(self) -> None:
        self.proven.note(self.ann, b"canary", "192.0.2.77")
        kept = b"".join(proof.digest for proof in self.store.proofs()) + repr(list(self.store.proofs())).encode()
        for text in (b"canary", b"192.0.2.77"):
            self.assertNotIn(text, kept)
