"""Passwords and what is kept of them."""

import hashlib

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.passwords import Account, Cost, Digest, PasswordRefused, checked_password
from tests.kit.accounts_contract import CHEAP


class PasswordTests(SynchronousTestCase):
    """What may be a password."""

    def test_printable_ascii(self) -> None:
        """1 to 128 characters, blanks included, wherever they stand."""
        for text in ("x", " ", " a b ", "|#~", "a" * 128, "".join(map(chr, range(32, 127)))):
            self.assertEqual(checked_password(text), text.encode())

    def test_refused_without_a_word_of_it(self) -> None:
        """Empty, too long, beyond ASCII, or with what does not print; the reason tells nothing of the rest."""
        for text in ("", "a" * 129, "canary\x00", "canary\t", "canary\x7f", "canarý", "canary\r", "\u0661"):
            error = self.assertRaises(PasswordRefused, checked_password, text)
            self.assertNotIn("canar", str(error) + repr(error))
            self.assertIsNone(error.__context__)


class DigestTests(SynchronousTestCase):
    """What is kept."""

    def test_fits_its_password_and_no_other(self) -> None:
        """Nor a longer or a shorter one."""
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
        """Nobody sees who shares a password."""
        self.assertNotEqual(Digest.of(b"secret", CHEAP).hash, Digest.of(b"secret", CHEAP).hash)

    def test_shows_nothing(self) -> None:
        """Printing an account shows neither salt nor hash."""
        account = Account("Ann", Digest(CHEAP, b"salt-canary", b"hash-canary"))
        self.assertNotIn("canary", repr(account) + str(account))
        self.assertEqual((account.key, repr(account.digest.cost)), ("ann", "Cost(n=2, r=1, p=1)"))
