"""The settings of the pages."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.settings import BadOption
from gamehost.web.settings import OPTIONS, reveals


class SettingTests(SynchronousTestCase):
    """`web.NAME`."""

    def test_hidden_things_are_shown_afterwards_unless_the_owner_forbids_it(self) -> None:
        """Nothing else can be chosen."""
        self.assertEqual(
            [reveals({}), reveals({"reveal": "finished"}), reveals({"reveal": "never"})], [True, True, False]
        )
        self.assertIn("reveal", str(self.assertRaises(BadOption, reveals, {"reveal": "always"})))
        self.assertEqual(list(OPTIONS), ["reveal"])
