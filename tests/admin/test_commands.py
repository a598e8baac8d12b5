"""The commands: each has a verb of `gamehost admin`."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.admin.commands import COMMANDS
from gamehost.commands.admin_verbs import VERBS


class CommandsTests(SynchronousTestCase):
    """Both tables."""

    def test_each_command_has_a_verb(self) -> None:
        """And each verb a command."""
        self.assertEqual(sorted(COMMANDS), sorted(VERBS))
