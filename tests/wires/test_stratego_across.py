"""Stratego across its two wires: one lobby, one table, each player in the words of their own wire."""

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.stratego_frames_table import CONNECTED, VALID, setups
from tests.kit.wires.stratego_frames_table import connected as connected_frames
from tests.kit.wires.stratego_lines_table import BLUE, RED, connected

#: The same set-ups in the ids of the frames, by ascending y.
RED_IDS = ("F123344455", "5566667777", "8888899999", "999SBBBBBB")
BLUE_IDS = ("F999SBBBBB", "888899999B", "5666677778", "1233444555")


def signed_on(world: MemoryHost, name: str) -> Client:
    """A connection of the binary frames."""
    client = connected_frames(world)
    client.say(f'Sign On "{name}"')
    return client


class AcrossTests(SynchronousTestCase):
    """Ann on one wire, Bob on the other."""

    def test_frames_first(self) -> None:
        """Ann's set-up, moves and battles on frames; Bob's on lines: letters and coordinates are each wire's own."""
        world = MemoryHost()
        ann = signed_on(world, "ann")
        bob = connected(world, "bob")
        self.assertEqual(bob.heard(), ["auth-req", "auth-ok", "new", "color blue"])
        self.assertEqual(ann.heard(), ['Wait "wait"', CONNECTED])
        self.assertEqual(ann.ask(*setups(RED_IDS, 0), 'Ready "ready"'), [VALID] * 40)
        self.assertEqual(bob.ask(*BLUE), ["endsetup"])
        self.assertEqual(ann.heard()[0], 'Playing "ann"')
        self.assertEqual(ann.ask("Move (1,3) (1,5)")[0], "Move (1,3) (1,5)")
        self.assertEqual(bob.heard(), ["B4-B6", "get-move"])
        self.assertEqual(bob.ask("E7-E6"), ["none"])
        self.assertEqual(ann.heard()[0], "Move (4,6) (4,5)")
        ann.say("Move (0,3) (0,4)")
        self.assertEqual(bob.heard(), ["A4-A5", "get-move"])
        self.assertEqual(bob.ask("B7-B6"), ["R"])
        self.assertEqual(ann.heard()[-2], 'Battle "tie" 9 9')
        self.assertEqual(ann.ask("Move (0,4) (0,6)")[0], 'Battle "ann" 9 F')
        self.assertEqual(bob.heard(), ["A5-A7-R", "winner red"])

    def test_lines_first(self) -> None:
        """The spy is `O` on the one wire and `S` on the other, where that is the sergeant."""
        world = MemoryHost()
        ann = connected(world, "ann")
        bob = signed_on(world, "bob")
        ann.say(*RED[:3], "RROBRBBBBB")
        bob.ask(*setups(BLUE_IDS, 6), 'Ready "ready"')
        self.assertEqual(ann.heard()[2:], ["new", "color red", "endsetup", "get-move"])
        bob.heard()
        self.assertEqual(ann.ask("E4-E5"), ["none"])
        self.assertEqual(bob.ask("Move (4,6) (4,5)")[0], "Move (4,6) (4,5)")
        self.assertEqual(ann.heard(), ["E7-E6", "get-move"])
        self.assertEqual(ann.ask("E5-E6"), ["O"])
        self.assertEqual(bob.heard()[-2], 'Battle "ann" 9 S')

    def test_names_are_one_lobby_s(self) -> None:
        """A guest's name makes no account, and an account's name is no guest's; nobody plays themselves."""
        world = MemoryHost()
        ann = signed_on(world, "ann")
        self.assertEqual(connected(world, "Ann").heard()[1:3], ["auth-err", "err this name is in use by a guest"])
        bob = connected(world, "bob")
        self.assertEqual(signed_on(world, "BOB").heard(), ['Error "this name belongs to an account"'])
        self.assertEqual((ann.heard()[-1], bob.heard()[-1]), (CONNECTED, "color blue"))

    def test_lost_and_back(self) -> None:
        """Each is told in the words of their own wire, or not at all where it has none."""
        world = MemoryHost()
        ann, bob = signed_on(world, "ann"), connected(world, "bob")
        ann.heard()
        bob.heard()
        bob.drop()
        self.assertEqual(ann.heard(), ['Wait "wait"'])
        bob = connected(world, "bob")
        self.assertEqual((ann.heard(), bob.heard()[2:]), ([CONNECTED], ["new", "color blue"]))
        ann.drop()
        again = signed_on(world, "ann")
        self.assertEqual((again.heard()[0], bob.heard()), (CONNECTED, []))

    def test_who_was_not_missed_is_not_announced(self) -> None:
        """An account that logs in anew takes the seat from its own older connection: the other hears nothing of it."""
        world = MemoryHost()
        ann, bob = signed_on(world, "ann"), connected(world, "bob")
        ann.heard()
        newer = connected(world, "bob")
        self.assertEqual((ann.heard(), newer.heard()[2:]), ([], ["new", "color blue"]))
        world.settle()
        self.assertTrue(bob.closed)
        newer.drop()
        self.assertEqual(ann.heard(), ['Wait "wait"'])
        self.assertEqual(connected(world, "bob").heard()[2:], ["new", "color blue"])
        self.assertEqual(ann.heard(), [CONNECTED])

    def test_who_was_missed_is_announced_however_often_they_come(self) -> None:
        """Lost, back, and back anew before any of it could be told: the other is told of the loss and of one return."""
        world = MemoryHost()
        ann, bob = signed_on(world, "ann"), connected(world, "bob")
        ann.heard()
        world.journal.late = True
        ann.say("Setup 9 (0,3)")
        bob.drop()
        connected(world, "bob")
        newer = connected(world, "bob")
        self.assertEqual(ann.heard(), [])
        world.journal.release()
        self.assertEqual(ann.heard(), [VALID, 'Wait "wait"', CONNECTED])
        self.assertEqual(newer.heard()[-1], "color blue")

    def test_a_wire_on_its_own(self) -> None:
        """`stratego-lines.separate`: they do not meet; with another one of the same wire they do."""
        world = MemoryHost({"stratego-lines.separate": "yes"})
        ann, bob = signed_on(world, "ann"), connected(world, "bob")
        self.assertEqual((ann.heard(), bob.heard()), (['Wait "wait"'], ["auth-req", "auth-ok"]))
        connected(world, "carl")
        self.assertEqual((ann.heard(), bob.heard()), ([], ["new", "color red"]))

    def test_both_resume_after_a_restart(self) -> None:
        """The table knows who sat on which wire."""
        world = MemoryHost()
        signed_on(world, "ann")
        connected(world, "bob")
        world = MemoryHost(journal=world.journal.restarted())
        self.assertEqual(connected(world, "ann").heard()[1:3], ["auth-err", "err this name is in use by a guest"])
        self.assertEqual(signed_on(world, "bob").heard(), ['Error "this name belongs to an account"'])
        self.assertEqual(signed_on(world, "ann").heard()[0], CONNECTED)
        self.assertEqual(connected(world, "bob").heard()[1:], ["auth-ok", "new", "color blue"])
