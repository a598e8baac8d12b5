"""An address as a QR code."""

from hashlib import sha256

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.browser import evaluate

ROWS = "data.map((text) => module.qrCode(text)?.map((row) => row.map(Number).join('')).join('') ?? null)"


class QrTests(SynchronousTestCase):
    def test_codes_of_another_program(self) -> None:
        """The same squares as the package `qrcode` 8.2 gives, at level M and with mask 0."""
        [code] = evaluate("qr.js", ROWS, ["https://games.example.org/table/12345#ABCDEFGH"])
        self.assertEqual(len(code), 33 * 33)
        self.assertEqual(
            sha256(code.encode()).hexdigest(), "d43b6186c8fc7685fb51741e0093d718481fb972337830392c855e8d154342e4"
        )

    def test_sizes(self) -> None:
        """Of 106 bytes at most, in the smallest version that holds them."""
        codes = evaluate("qr.js", ROWS, ["x" * size for size in (14, 15, 26, 27, 106, 107)])
        sides = [len(code) ** 0.5 if code else None for code in codes]
        self.assertEqual(sides, [21, 25, 25, 29, 41, None])
