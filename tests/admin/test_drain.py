"""A host that drains: no match begins, and the process ends after the last one."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.service import DRAINING
from tests.kit.admin import AdminHost
from tests.kit.wires.paper_soccer_xml_talk import login
from tests.kit.wires.remote_talk import master_login, over, state

DEAL = "--set=onitama.deal=boar,ox/crab,eel/tiger"


class DrainTests(SynchronousTestCase):
    """What ends, and what goes on."""

    def setUp(self) -> None:
        self.ended: list[bool] = []
        self.world = AdminHost(DEAL)
        self.world.host.on_drained = lambda: self.ended.append(True)

    def test_nothing_is_played(self) -> None:
        """The host ends soon after the answer, once."""
        self.assertEqual(self.world.ask("drain"), {"draining": True, "tables": 0, "remote_games": 0})
        self.assertEqual(self.ended, [])
        for _ in range(3):
            self.world.wait(0.1)
        self.assertEqual(self.ended, [True])

    def test_the_last_match(self) -> None:
        """It goes on, its players come back, nobody else comes in, and then the host ends."""
        ann, bob = self.world.match()
        carl = self.world.connect()
        carl.ask("LOGIN|carl")
        self.assertEqual(self.world.ask("drain"), {"draining": True, "tables": 1, "remote_games": 0})
        self.assertIn(DRAINING, "".join(carl.heard()))
        self.assertTrue(carl.closed)
        self.assertIn(DRAINING, "".join(self.world.connect().ask("LOGIN|dora")))
        self.assertIn("MOVE_WAS_MADE", "".join(ann.ask("MAKE_MOVE|ox|c1|c2")))
        ann.transport.hang_up()
        self.world.wait(4)
        ann = self.world.connect()
        self.assertIn("RECONNECT", "".join(ann.ask("LOGIN|ann")))
        self.world.wait(1)
        self.assertEqual(self.ended, [])
        status = self.world.ask("status")
        self.assertEqual((status["draining"], status["closed"]), (True, DRAINING))
        bob.transport.hang_up()
        self.world.wait(61)
        self.world.wait(0.1)
        self.assertEqual(self.ended, [True])

    def test_the_last_remote_game(self) -> None:
        """It is counted, and the host ends after it."""
        master = self.world.connect("paper-soccer", "127.0.0.1")
        master.ask(master_login())
        for name in ("ann", "bob"):
            self.world.connect("paper-soccer").ask(login(name, "nim"))
        self.assertEqual(self.world.ask("status")["remote_games"], 1)
        self.assertEqual(self.world.ask("drain"), {"draining": True, "tables": 0, "remote_games": 1})
        self.world.wait(1)
        self.assertEqual(self.ended, [])
        master.ask(state(1, "ann"), over(1, {"ann": True, "bob": False}))
        self.world.wait(1)
        self.assertEqual(self.ended, [True])

    def test_a_change_of_mind(self) -> None:
        """New matches begin again."""
        self.world.match()
        self.world.ask("drain")
        self.assertEqual(self.world.ask("drain", cancel=True), {"draining": False, "tables": 1, "remote_games": 0})
        self.world.match("carl", "dora")
        self.assertEqual(len(self.world.host.context.lobby.tables), 2)
        self.world.wait(1)
        self.assertEqual(self.ended, [])

    def test_people_who_look_on_stay(self) -> None:
        """On the console and the open wire, whoever waits is told, and may stay and watch."""
        console, client = self.world.connect("console"), self.world.connect("open")
        self.world.match("carl", "dora")
        console.ask("name ann", "play onitama")
        client.ask('{"do":"enter","name":"bob"}', '{"do":"seek","game":"stratego"}')
        self.world.ask("drain")
        self.assertIn("The host is about to stop", "".join(console.heard()))
        self.assertIn('{"is":"stopped","why":"the host is about to stop', "".join(client.heard()))
        self.assertIn("The host is about to stop", "".join(console.ask("play onitama")))
        self.assertIn(
            '{"is":"sorry","why":"the host is about to stop', "".join(client.ask('{"do":"seek","game":"onitama"}'))
        )
        self.assertFalse(console.closed or client.closed)
        self.assertIn("carl", "".join(console.ask("watch 1")))
