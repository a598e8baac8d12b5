"""What those who watch a table are told, whichever host plays the match."""

from typing import Any

from gamehost.games.base import Seat
from gamehost.tables.interfaces import Archived, Look, Over, WatchableTable
from tests.kit.example_game import Counted
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.tables.test_table import TableCase


class Watcher:
    """An audience that notes what it is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def shown(self, look: Look[Any]) -> None:
        self.told.append(look)

    def deliver(self, event: Any, n: int) -> None:
        self.told.append((n, event))

    def read(self) -> list[Any]:
        """What it was told since the last call."""
        told, self.told = self.told, []
        return told


class WatchingContract(TableCase):
    """Ann and bob play at table 1, and somebody watches."""

    def watchable(self, world: MemoryHost) -> WatchableTable:
        """Table 1, for somebody who watches."""
        raise NotImplementedError

    def pass_on(self, world: MemoryHost) -> None:
        """Have those who watch told of what has happened."""

    def away(self, *seats: int) -> tuple[Seat, ...] | None:
        """What a look says of these seats, whose players are away."""
        return tuple(map(Seat, seats))

    def shown(self, world: MemoryHost, table: WatchableTable) -> Watcher:
        """One more who watches."""
        watcher = Watcher()
        self.assertTrue(table.watch(watcher))
        self.pass_on(world)
        return watcher

    def watched(self, world: MemoryHost) -> tuple[Client, Client, WatchableTable, Watcher]:
        ann, bob = self.seat(world)
        table = self.watchable(world)
        return ann, bob, table, self.shown(world, table)

    def test_a_look_then_what_happens(self) -> None:
        """The count of things that happened goes with each; the look is of the watcher's own view."""
        world = self.world()
        ann, bob, table, watcher = self.watched(world)
        self.assertEqual(watcher.read(), [Look(1, self.away(), Counted(0, 9))])
        ann.say("+2")
        bob.say("+7")
        self.pass_on(world)
        self.assertEqual(watcher.read(), [(2, Counted(2, 9))], "refusals are for one player")
        bob.say("+2")
        ann.say("+1")
        self.pass_on(world)
        self.assertEqual([n for n, _ in watcher.read()], [3, 4, 4])
        self.assertEqual(table.n, 4)

    def test_the_end(self) -> None:
        """It is the last thing that an audience is told, and a table that is over cannot be watched."""
        world = self.world(settings={"toy.goal": "1"})
        ann, _, table, watcher = self.watched(world)
        watcher.read()
        ann.say("+1")
        self.pass_on(world)
        (_, counted), (n, over) = watcher.read()
        self.assertEqual((counted, n, over.result.winners), (Counted(1, 9), 2, (0,)))
        self.assertIsInstance(over, Over)
        self.assertFalse(table.watch(watcher))

    def test_a_seat_is_given_up(self) -> None:
        """The end says who has won."""
        world = self.world()
        ann, _, _, watcher = self.watched(world)
        ann.say("bye")
        self.pass_on(world)
        n, over = watcher.read()[-1]
        self.assertEqual((n, over.result.winners, over.result.cause.value), (2, (1,), "left"))

    def test_no_longer(self) -> None:
        """After `unwatch` nothing more is told, not even a look that was waiting."""
        world = self.world()
        ann, bob, table, watcher = self.watched(world)
        watcher.read()
        late = Watcher()
        table.watch(late)
        table.unwatch(late)
        late.read()
        ann.say("+1")
        self.pass_on(world)
        self.assertEqual((watcher.read(), late.read()), ([(2, Counted(1, 9))], []))
        table.unwatch(watcher)
        table.unwatch(watcher)
        bob.say("+1")
        self.pass_on(world)
        self.assertEqual(watcher.read(), [])
        again = self.shown(world, table)
        self.assertEqual((again.read(), table.n), ([Look(3, self.away(), Counted(2, 9))], 3))

    def test_a_second_look(self) -> None:
        """One that watches already is shown the match anew, and is told nothing twice."""
        world = self.world()
        ann, _, table, watcher = self.watched(world)
        watcher.read()
        table.watch(watcher)
        ann.say("+1")
        self.pass_on(world)
        self.assertEqual(watcher.read(), [Look(1, self.away(), Counted(0, 9)), (2, Counted(1, 9))])

    def test_a_deserted_table(self) -> None:
        """It can be watched while its clock stands still, until it is archived."""
        world = self.world()
        ann, bob, table, _ = self.watched(world)
        ann.say("+1")
        ann.drop()
        bob.drop()
        self.pass_on(world)
        late = self.shown(world, table)
        self.assertEqual(late.read(), [Look(2, self.away(0, 1), Counted(1, 9))])
        world.wait(86_401)
        self.pass_on(world)
        self.assertEqual(late.read(), [(2, Archived())])

    def test_numbers_go_on_after_a_restart(self) -> None:
        """The count is of the record, not of this life of the host."""
        journal = RecordingJournal()
        world = self.world(journal=journal)
        ann, _ = self.seat(world)
        ann.say("+1")
        again = self.world(journal=journal.restarted())
        bob = self.back(again, "bob")
        again.settle()
        watcher = self.shown(again, self.watchable(again))
        self.assertEqual(watcher.read(), [Look(2, self.away(0), Counted(1, 9))])
        bob.say("+1")
        self.pass_on(again)
        self.assertEqual(watcher.read(), [(3, Counted(2, 9))])


del TableCase
