"""An audience: it is shown where a match stands, and told what everybody may know, in order and after the players."""

from typing import Any

from gamehost.games.base import Seat, To
from gamehost.journal.records import Entry, EntryKind
from gamehost.tables.context import Phase
from gamehost.tables.interfaces import Away, Back, Left, Look, Over, Suspended
from gamehost.tables.outbox import Record
from gamehost.tables.table import Table
from tests.kit.example_game import Counted
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.watching import Watcher, WatchingContract
from tests.tables.test_table import TableCase


class WatchingCase(TableCase):
    def watched(self, world: MemoryHost) -> tuple[Client, Client, Table[Any, Any], Watcher]:
        ann, bob = self.seat(world)
        table, watcher = world.lobby.tables[1], Watcher()  # type: ignore[index]
        self.assertTrue(table.watch(watcher))
        return ann, bob, table, watcher


class OwnTableTests(WatchingContract):
    def watchable(self, world: MemoryHost) -> Table[Any, Any]:
        return world.lobby.tables[1]  # type: ignore[index]


class WatchingTests(WatchingCase):
    def test_players_who_come_and_go(self) -> None:
        world = self.world()
        ann, bob, table, watcher = self.watched(world)
        bob.drop()
        table.watch(late := Watcher())
        self.assertEqual(late.read(), [Look(1, (Seat(1),), Counted(0, 9))])
        again = self.back(world, "bob")
        self.assertEqual(late.read(), [(1, Back(Seat(1), None))])
        ann.say("bye")
        self.assertEqual(
            watcher.read()[1:4], [(1, Away(Seat(1), kept=60_000)), (1, Back(Seat(1), None)), (1, Left(Seat(0)))]
        )
        self.assertEqual(again.heard(), ["back 1 0 9", "over (1,) left"])

    def test_players_are_told_first(self) -> None:
        ann, bob, table, watcher = self.watched(self.world())
        order: list[str] = []
        for seat, place in enumerate(table._outbox.places):
            handle = place.handle
            assert handle is not None
            deliver = handle.player.deliver

            def note(event: Any, seat: int = seat, deliver: Any = deliver) -> None:
                order.append(f"seat {seat}")
                deliver(event)

            handle.player.deliver = note  # type: ignore[method-assign]
        watcher.deliver = lambda event, n: order.append("watcher")  # type: ignore[method-assign]
        ann.say("+1")
        bob.say("+1")
        self.assertEqual(order, ["seat 0", "seat 1", "watcher", "seat 1", "seat 0", "watcher"])

    def test_what_is_for_players_alone_reaches_no_audience(self) -> None:
        """Whatever is addressed to seats, all of them too."""
        _, _, table, watcher = self.watched(self.world())
        watcher.read()
        events = [To(Counted(1, 1), (Seat(0), Seat(1))), To(Counted(2, 2))]
        table._outbox.record(Record(Entry(EntryKind.ACTED, 0), events))
        table._outbox.durable()
        self.assertEqual(watcher.read(), [(2, Counted(2, 2))])

    def test_no_longer(self) -> None:
        journal = RecordingJournal(late=True)
        world = self.world(journal=journal)
        ann, _ = self.seat(world)
        journal.release()
        table = world.lobby.tables[1]  # type: ignore[index]
        ann.say("+1")
        table.watch(watcher := Watcher())
        table.unwatch(watcher)
        journal.release()
        self.assertEqual((watcher.read(), table._outbox.audience), ([], []))
        table.watch(watcher)
        table.unwatch(watcher)
        table.unwatch(watcher)
        self.assertEqual(table._outbox.audience, [])

    def test_a_fault_of_the_master(self) -> None:
        ann, _, table, watcher = self.watched(self.world())
        watcher.read()
        ann.say("+0")
        self.assertEqual(watcher.read(), [(1, Suspended())])
        self.assertFalse(table.watch(watcher))
        self.flushLoggedErrors(RuntimeError)

    def test_a_fault_of_the_view(self) -> None:
        _, _, table, watcher = self.watched(self.world())
        watcher.read()
        table._master = object()  # type: ignore[assignment]
        self.assertFalse(table.watch(late := Watcher()))
        self.assertEqual((table.phase, late.read(), watcher.read()), (Phase.SUSPENDED, [], [(1, Suspended())]))
        self.flushLoggedErrors(AttributeError)


class LateJournalTests(WatchingCase):
    def late(self, **settings: Any) -> tuple[RecordingJournal, Client, Client, Table[Any, Any]]:
        """A match that has begun, and whose later entries wait for `release`."""
        journal = RecordingJournal(late=True)
        world = self.world(journal=journal, settings=settings)
        ann, bob = self.seat(world)
        journal.release()
        return journal, ann, bob, world.lobby.tables[1]  # type: ignore[index]

    def test_a_look_waits_for_what_it_shows(self) -> None:
        journal, ann, bob, table = self.late()
        ann.say("+1")
        table.watch(watcher := Watcher())
        bob.say("+2")
        table.watch(late := Watcher())
        self.assertEqual(watcher.read(), [])
        journal.release(1)
        self.assertEqual((watcher.read(), late.read()), ([Look(2, (), Counted(1, 9))], []))
        journal.release()
        self.assertEqual(watcher.read(), [(3, Counted(3, 9))])
        self.assertEqual(late.read(), [Look(3, (), Counted(3, 9))])

    def test_a_second_look_keeps_the_first(self) -> None:
        journal, ann, bob, table = self.late()
        table.watch(watcher := Watcher())
        ann.say("+1")
        table.watch(watcher)
        bob.say("+1")
        journal.release()
        looks = [Look(1, (), Counted(0, 9)), Look(2, (), Counted(1, 9))]
        self.assertEqual(watcher.read(), [looks[0], (2, Counted(1, 9)), looks[1], (3, Counted(2, 9))])

    def test_a_look_behind_the_end(self) -> None:
        """A fault apart, a table whose end waits for the disk is over already."""
        journal, ann, _, table = self.late(**{"toy.goal": "1"})
        ann.say("+1")
        table.watch(watcher := Watcher())
        journal.release()
        look, (n, over) = watcher.read()
        self.assertEqual((look, n, type(over)), (Look(2, (), Counted(1, 9)), 2, Over))

    def test_players_know_the_number_too(self) -> None:
        """`SeatHandle.n`: 0 when they are seated, and the entry's own number while its events are told."""
        journal = RecordingJournal(late=True)
        world = self.world(journal=journal)
        ann, bob = self.seat(world)
        seen: list[int] = []
        table = world.lobby.tables[1]  # type: ignore[index]
        handle = table._outbox.places[0].coming
        assert handle is not None
        seated, deliver = handle.player.seated, handle.player.deliver
        handle.player.seated = lambda handle: (seen.append(handle.n), seated(handle))[1]  # type: ignore[method-assign, func-returns-value]
        handle.player.deliver = lambda event: (seen.append(handle.n), deliver(event))[1]  # type: ignore[method-assign, func-returns-value]
        journal.release()
        ann.say("+1")
        bob.say("+1")
        journal.release()
        self.assertEqual(seen, [0, 1, 2, 3])


del TableCase, WatchingCase, WatchingContract
