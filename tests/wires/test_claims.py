"""What log-ins claim."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.onitama.master import ONITAMA
from gamehost.lobby.queue import Queue
from gamehost.wires.claims import claim_of_account, claim_of_guest
from gamehost.wires.conversation import Claim


class ClaimTests(SynchronousTestCase):
    """Names with and without keys."""

    def test_guests(self) -> None:
        """A key is not part of the name. In strict mode there are no keys."""
        queue = Queue(ONITAMA)
        self.assertEqual(claim_of_guest("Ann", queue), Claim("Ann", queue))
        self.assertEqual(claim_of_guest("Ann:secret", queue), Claim("Ann", queue))
        for text in ("ann:", "no/such name", "", "a:b\x07"):
            self.assertIsNone(claim_of_guest(text, queue), text)
        self.assertEqual(claim_of_guest("ann", strict=True), Claim("ann"))
        self.assertIsNone(claim_of_guest("ann:secret", strict=True))

    def test_accounts(self) -> None:
        """A name with a colon is none."""
        self.assertEqual(claim_of_account("Ann"), Claim("Ann"))
        self.assertIsNone(claim_of_account("ann:secret"))
        self.assertIsNone(claim_of_account("tie"))

    def test_normal_form(self) -> None:
        """The name is in the form that sessions have."""
        self.assertEqual(claim_of_account("e\u0301a"), Claim("\u00e9a"))
