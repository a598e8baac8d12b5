"""What the hosts of a cluster share."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.storage.names import Member


class MemberTests(SynchronousTestCase):
    """A member of a cluster."""

    def test_its_token(self) -> None:
        """The token is in no log."""
        member = Member(3, "a machine", "tcp:10.0.0.1:8990", "the token")
        self.assertNotIn("the token", repr(member))
        self.assertIn("tcp:10.0.0.1:8990", repr(member))
