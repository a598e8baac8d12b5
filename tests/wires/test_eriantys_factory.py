"""The JSON wire's settings, and what is shared by the connections of a listener."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.plugins import WIRES
from gamehost.settings import BadOption
from gamehost.wires.eriantys.conversation import OPTIONS, WIRE, configure
from gamehost.wires.eriantys.events import JsonOptions
from tests.kit.memory_host import MemoryHost
from tests.kit.wires.eriantys_players import line


class SettingsTests(SynchronousTestCase):
    """`--set eriantys.NAME=VALUE`."""

    def test_every_setting_is_read(self) -> None:
        """The defaults are those that the help text and the page tell."""
        self.assertEqual(configure({}).options, JsonOptions(strict=False, ack_seconds=2.0, ping=15.0))
        self.assertEqual((configure({}).queue.pool, configure({"separate": "yes"}).queue.pool), ("", "eriantys"))
        options = configure({"strict": "yes", "ack_seconds": "0.5", "ping": "0"}).options
        self.assertEqual(options, JsonOptions(strict=True, ack_seconds=0.5, ping=0.0))
        self.assertTrue(configure({"strict": "yes"}).strict)
        self.assertEqual(set(OPTIONS), {"strict", "separate", "ack_seconds", "ping"})
        self.assertIn(WIRE, WIRES)

    def test_what_cannot_be_used_is_named(self) -> None:
        """With the name of the setting."""
        for settings in ({"ping": "often"}, {"ack_seconds": "-1"}, {"strict": "perhaps"}, {"nothing": "1"}):
            error = self.assertRaises(BadOption, configure, settings)
            self.assertIn(next(iter(settings)), str(error))

    def test_a_board_is_encoded_once_for_a_listener(self) -> None:
        """Its codecs share what they print."""
        here = configure({})
        self.assertIs(here.new_codec()._boards, here.new_codec()._boards)
        self.assertIsNot(here.new_codec()._boards, configure({}).new_codec()._boards)

    def test_the_host_s_settings_of_the_game_are_those_of_its_tables(self) -> None:
        """But for the mode, which is what SetGame says."""
        world = MemoryHost({"eriantys.planning_order": "clockwise", "eriantys.expert": "yes"})
        for name in ("ann", "bob"):
            client = world.connect("eriantys")
            client.say(line("LoginMessage", nickname=name), line("JoinAvailableGame", gameId=1))
            client.say(line("SetGame", numberOfPlayers=2, expertMode=False))
        [opening] = world.journal.openings.values()
        self.assertEqual((opening.settings["planning_order"], opening.settings["expert"]), ("clockwise", "no"))
