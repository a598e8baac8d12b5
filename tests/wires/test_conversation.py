"""What the conversations of all wires share: here, which messages do not count against the rate of a connection."""

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.memory_host import MemoryHost

#: A whole game with the deal `boar,ox/crab,eel/tiger`; White begins and Black wins.
GAME = ("ox|c1|c2", "crab|a5|a4", "tiger|c2|c4", "ox|c5|c4")


class RateTests(SynchronousTestCase):
    """Bots that play by the rules are never too fast."""

    def test_300_games_in_a_row(self) -> None:
        """Two bots play them on the same two connections, and no time passes on the host's clock."""
        world = MemoryHost({"onitama.deal": "boar,ox/crab,eel/tiger"})
        bots = [world.connect(), world.connect()]
        for _ in range(300):
            for bot, name in zip(bots, ("ann", "bob"), strict=True):
                bot.say(f"LOGIN|{name}")
            for number, move in enumerate(GAME):
                bots[number % 2].say(f"MAKE_MOVE|{move}")
            for bot in bots:
                self.assertEqual(bot.heard()[-1], "GAME_OVER|bob")

    def test_other_log_ins_count(self) -> None:
        """A log-in that follows a game is exempt once: those that are refused behind it count."""
        world = MemoryHost({"onitama.deal": "boar,ox/crab,eel/tiger", "limits.messages_burst": "5"})
        bots = [world.connect(), world.connect()]
        for bot, name in zip(bots, ("ann", "bob"), strict=True):
            bot.say(f"LOGIN|{name}")
        for number, move in enumerate(GAME):
            bots[number % 2].say(f"MAKE_MOVE|{move}")
        bots[0].heard()
        for _ in range(4):
            bots[0].say("LOGIN|ann")
            self.assertNotIn("ERROR|too many messages", bots[0].heard())
        for _ in range(2):
            bots[0].say("LOGIN|ann")
        self.assertEqual(bots[0].heard()[-1], "ERROR|too many messages")

    def test_lines_of_a_set_up(self) -> None:
        """A set-up is one answer of four lines; none of them counts."""
        world = MemoryHost({"limits.messages_burst": "3"})
        players = [world.connect("stratego-lines") for _ in range(2)]
        for player, name in zip(players, ("ann", "bob"), strict=True):
            player.say(name, "secret")
        for player in players:
            player.say("VMGKKJJJPP", "PPLLLLSSSS", "IIIIIRRRRR", "RRROBBBBBB")
        # Name and password leave one message of three: that is enough for any number of lines that are exempt.
        self.assertEqual([player.closed for player in players], [False, False])
        self.assertEqual([player.heard()[-1] for player in players], ["get-move", "endsetup"])
