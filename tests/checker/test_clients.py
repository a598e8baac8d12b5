"""The words of a client's command."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker.clients import filled_in


class CommandWordsTests(SynchronousTestCase):
    """What is filled in, and what stays."""

    def test_filled_in(self) -> None:
        """Every place, and nothing else in braces."""
        values = {"port": "8893", "name": "ann"}
        self.assertEqual(
            filled_in(["bot", "--at={host}:{port}", "{name}{name}", "{x}"], values | {"host": "h"}),
            ["bot", "--at=h:8893", "annann", "{x}"],
        )
