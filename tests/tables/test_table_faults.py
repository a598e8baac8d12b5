"""A master that breaks, wherever it does: its table stops, both are told, the record stays right, and others play on."""

from collections.abc import Callable
from typing import Any, NoReturn

from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import EntryKind
from gamehost.tables.context import Phase
from tests.kit.example_game import TOY_WIRE, Toy, ToyMaster
from tests.kit.memory_host import Client, MemoryHost


def planted(*args: object) -> NoReturn:
    """What a broken master does."""
    raise RuntimeError("planted")


class FaultCase(SynchronousTestCase):
    """Two at a table of the toy game."""

    def world(self, **settings: Any) -> MemoryHost:
        world = MemoryHost(wires=(TOY_WIRE,), **settings)
        self.suspended: list[int] = []
        world.lobby.context.suspended = self.suspended.append
        return world

    def enter(self, world: MemoryHost, *names: str) -> list[Client]:
        clients = []
        for name in names:
            client = world.connect("toy")
            client.say(f"hi {name}")
            clients.append(client)
        return clients

    def break_down(self, what: str, on: type = ToyMaster) -> Callable[[], None]:
        """Have a method raise from now on; gives what mends it."""
        mend: Callable[[], None] = self.patch(on, what, planted).restore
        return mend

    def assert_one_fault(self) -> None:
        """It was logged once, and the house was told once."""
        self.assertEqual(len(self.flushLoggedErrors(RuntimeError)), 1)
        self.assertEqual(self.suspended, [1])


class FaultTests(FaultCase):
    """Row 123, for each thing that a master does."""

    def test_beginning(self) -> None:
        """Who waited is told as well as who came last; nobody hears of a match, and the next run has no such table."""
        world = self.world()
        mend = self.break_down("begin")
        ann, bob = self.enter(world, "ann", "bob")
        self.assert_one_fault()
        self.assertEqual((ann.heard(), bob.heard()), (["suspended"], ["suspended"]))
        self.assertFalse(ann.closed or bob.closed)
        mend()
        again = MemoryHost(journal=world.journal.restarted(), wires=(TOY_WIRE,))
        self.assertEqual(again.lobby.tables, {})

    def test_acting(self) -> None:
        """Nothing of the act is recorded; the next run goes on before it."""
        world = self.world()
        ann, bob = self.enter(world, "ann", "bob")
        ann.say("+2")
        mend = self.break_down("act")
        bob.say("+1")
        self.assert_one_fault()
        self.assertEqual(ann.heard()[-1], "suspended")
        mend()
        again = MemoryHost(journal=world.journal.restarted(), wires=(TOY_WIRE,))
        bob = again.connect("toy")
        self.assertEqual(bob.ask("hi bob"), ["back 1 2 9", "away 0 already"])

    def test_notation(self) -> None:
        """An action that the master took, and that cannot be written down, stops the table: the record would not fit."""
        world = self.world()
        ann, bob = self.enter(world, "ann", "bob")
        self.break_down("write", Toy)
        bob.heard()
        ann.say("+2")
        self.assert_one_fault()
        self.assertEqual(bob.heard(), ["suspended"])
        self.assertEqual(bob.ask("+1"), ["no the table is suspended"])
        self.assertEqual([entry.kind for entry in world.journal.entries[1]], [EntryKind.BEGAN])  # type: ignore[index]

    def test_time(self) -> None:
        """Neither the alarm nor the move that comes too late gets past it."""
        world = self.world(move_time="10")
        ann, bob = self.enter(world, "ann", "bob")
        self.break_down("expire")
        world.wait(10.1)
        self.assert_one_fault()
        self.assertEqual((ann.heard()[-1], bob.heard()[-1]), ("suspended", "suspended"))
        self.assertEqual(world.clock.getDelayedCalls(), [])

    def test_time_found_by_a_late_move(self) -> None:
        """The move is refused: it is not given to a master that has just broken."""
        world = self.world(move_time="10")
        ann, _ = self.enter(world, "ann", "bob")
        self.break_down("expire")
        ann.heard()
        world.clock.rightNow += 10  # the time is up; the reactor has not come round to the alarm
        self.assertEqual(ann.ask("+1"), ["suspended", "no the table is suspended"])
        self.assert_one_fault()
        self.assertEqual(len(world.journal.entries[1]), 1)  # type: ignore[index]

    def test_forfeit(self) -> None:
        """A player who leaves leaves; the other is told that there is no result."""
        world = self.world()
        ann, bob = self.enter(world, "ann", "bob")
        self.break_down("forfeit")
        bob.heard()
        ann.say("bye")
        self.assert_one_fault()
        self.assertEqual(bob.heard()[-1], "suspended")

    def test_view(self) -> None:
        """Who comes back to a master that cannot say where the match stands is seated, and told the same as the other."""
        world = self.world()
        ann, bob = self.enter(world, "ann", "bob")
        ann.heard()
        bob.drop()
        self.break_down("view")
        [bob] = self.enter(world, "bob")
        self.assert_one_fault()
        self.assertEqual((ann.heard(), bob.heard()), (["away 1", "suspended"], ["suspended"]))
        self.assertFalse(bob.closed)
        self.assertIs(world.lobby.tables[1].phase, Phase.SUSPENDED)  # type: ignore[index]

    def test_others_play_on(self) -> None:
        """Row 123: the next table knows nothing of it."""
        world = self.world()
        ann, _, carl, dora = self.enter(world, "ann", "bob", "carl", "dora")
        ann.say("+0")
        self.assert_one_fault()
        carl.say("+1")
        self.assertEqual(dora.heard(), ["count 0 9", "count 1 9"])
        ann.drop()
        world.wait(100_000)
        self.assertIn(1, world.lobby.tables)
