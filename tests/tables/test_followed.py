"""A table of another host: what those who watch it here are told, and how it becomes a table of this host."""

import random
from typing import Any
from weakref import WeakKeyDictionary

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat, To
from gamehost.games.onitama.master import ONITAMA
from gamehost.journal.records import Entry, EntryKind, TableId
from gamehost.lobby.played import READ_EVERY, PlayedTables
from gamehost.tables.followed import FollowedTable
from gamehost.tables.interfaces import Away, Back, Look, Over, Suspended
from tests.kit.example_game import Counted
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.watching import FollowedWorld, Pair, Watcher, WatchingContract, follow
from tests.tables.test_gallery import FlagInView, LeakyGame, differences
from tests.tables.test_table import TableCase

ONE = TableId(1)


class FollowedTableTests(WatchingContract):
    """What is told of a table of this host is told of one of another host, but for who is away."""

    def setUp(self) -> None:
        self.followed: WeakKeyDictionary[MemoryHost, PlayedTables] = WeakKeyDictionary()

    def watchable(self, world: MemoryHost) -> FollowedTable:
        followed = self.followed.get(world)
        if followed is None:
            followed = self.followed[world] = follow(world)
        table = followed.get(ONE)
        assert isinstance(table, FollowedTable)
        return table

    def pass_on(self, world: MemoryHost) -> None:
        world.wait(READ_EVERY)

    def away(self, *seats: int) -> None:
        return None


class FollowingTests(TableCase):
    def watched(self, **more: Any) -> tuple[MemoryHost, Client, Client, FollowedTable, Watcher]:
        world = self.world(settings={"toy.goal": "1000"} | more)
        ann, bob = self.seat(world)
        self.followed = follow(world)
        table, watcher = self.followed.get(ONE), Watcher()
        assert isinstance(table, FollowedTable)
        table.watch(watcher)
        world.wait(READ_EVERY)
        return world, ann, bob, table, watcher

    def test_players_who_come_and_go(self) -> None:
        """The record does not say it, so nobody is told."""
        world, _, bob, _, watcher = self.watched()
        watcher.read()
        bob.drop()
        world.wait(READ_EVERY)
        self.back(world, "bob")
        world.wait(READ_EVERY)
        self.assertEqual(watcher.read(), [])

    def test_what_is_for_players_alone(self) -> None:
        *_, table, watcher = self.watched()
        watcher.read()
        assert table._follower is not None
        table._carried_out(table._follower, 2, [To(Counted(1, 1), (Seat(0), Seat(1))), To(Counted(2, 2))])
        self.assertEqual(watcher.read(), [(2, Counted(2, 2))])

    def test_facts(self) -> None:
        world, ann, bob, table, watcher = self.watched()
        self.assertEqual((table.names, table.wires, table.code, table.n), (("ann", "bob"), ("toy", "toy"), "", 1))
        table.unwatch(watcher)
        ann.say("+1")
        bob.say("+1")
        self.followed.look()
        world.wait(1.0)
        self.assertEqual(table.n, 3)

    def test_long_records(self) -> None:
        world = self.world(settings={"toy.goal": "100000"})
        ann, bob = self.seat(world)
        for _ in range(400):
            ann.say("+2")
            bob.say("+2")
        table = follow(world).get(ONE)
        assert isinstance(table, FollowedTable)
        first, second = Watcher(), Watcher()
        table.watch(first)
        table.follow(0, world.journal.entries[ONE])
        self.assertEqual((first.read(), table.wants), ([], None), "some slices are left")
        table.unwatch(first)
        world.until_idle()
        table.watch(second)
        world.wait(READ_EVERY)
        self.assertEqual((first.read(), second.read()), ([], [Look(801, None, Counted(1600, 9))]))

    def test_more_than_one_answer(self) -> None:
        world = self.world(settings={"toy.goal": "1000"})
        ann, bob = self.seat(world)
        ann.say("+1")
        bob.say("+1")
        followed = follow(world)
        table, watcher = followed.get(ONE), Watcher()
        assert isinstance(table, FollowedTable)
        followed._reading = True
        entries = world.journal.entries[ONE]
        table.watch(watcher)
        table.follow(0, entries[:2])
        self.assertEqual((watcher.read(), table.wants), ([], 2))
        table.follow(2, entries[2:])
        self.assertEqual(watcher.read(), [Look(3, None, Counted(2, 9))])
        table.follow(0, entries)
        self.assertEqual((watcher.read(), table.n), ([], 3), "an old answer")

    def test_records_that_cannot_be_followed(self) -> None:
        wrong = Entry(EntryKind.ACTED, 9, Seat(1), b"+1", (0,))
        for entries in ([wrong], "table 1: row 2 is of kind 63, which this release does not know"):
            _, _, _, table, watcher = self.watched()
            watcher.read()
            table.watch(watcher)
            watcher.read()
            table.follow(1, entries)
            self.assertEqual((watcher.read(), table.watch(watcher), table.over), ([(1, Suspended())], False, True))
        world = self.world()
        self.seat(world)
        unread = follow(world).get(ONE)
        assert isinstance(unread, FollowedTable)
        unread.watch(watcher)
        unread.follow(0, ())
        self.assertEqual([event for _, event in watcher.read()], [Suspended()])
        self.assertEqual(len(self.flushLoggedErrors()), 3)

    def test_a_fault_of_the_view(self) -> None:
        _, _, _, table, watcher = self.watched()
        watcher.read()
        assert table._follower is not None
        table._follower.master = object()  # type: ignore[assignment]
        self.assertFalse(table.watch(Watcher()))
        self.assertEqual(watcher.read(), [(1, Suspended())])
        self.assertEqual(len(self.flushLoggedErrors(AttributeError)), 1)

    def test_clocks(self) -> None:
        """They are known when something happens, since the record does not say how long ago its last entry was made."""
        world = FollowedWorld(ONITAMA, 2, {"game_time": "60"}, rng=Highest())
        assert world.watched is not None
        self.assertIsNone(world.watched.clocks)
        world.watch()
        world.clock.advance(10)
        world.turn()
        self.assertIsNone(world.watched.clocks)
        world.act(Seat(0), ONITAMA.read(b"tiger c1 c3"))
        world.turn()
        self.assertEqual(world.watched.clocks, [49_750, 60_000])
        world.clock.advance(2)
        self.assertEqual(world.watched.clocks, [49_750, 58_000])


class Highest(random.Random):
    def randrange(self, start: Any, stop: Any = None, step: int = 1) -> int:
        return int(start) - 1


class SecretTests(SynchronousTestCase):
    """As `tests.tables.test_gallery`, for those who watch at another host."""

    def test_nothing_leaks(self) -> None:
        self.assertEqual(list(differences(12, 0, world_of=FollowedWorld)), [])

    def test_leaks_are_found(self) -> None:
        """That of a master, and that of a followed table which forgets whom an event is for."""
        game = type("Leak", (LeakyGame,), {"master": FlagInView})()
        self.assertTrue(next(differences(20, 0, game, FollowedWorld), None) is not None)
        carry_out = FollowedTable._carried_out

        def told_to_all(table: FollowedTable, follower: Any, number: int, events: Any) -> None:
            carry_out(table, follower, number, [To(to.event) for to in events])

        self.patch(FollowedTable, "_carried_out", told_to_all)
        self.assertTrue(next(differences(20, 0, world_of=FollowedWorld), None) is not None)


class TakenOverTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.pair = Pair()
        self.leader = self.pair.leader
        self.tables = self.leader.lobby.directory.played
        self.ann, self.bob = (self.enter(self.pair.first, name) for name in ("ann", "bob"))
        self.pair.wait(5)

    def enter(self, host: MemoryHost, name: str) -> Client:
        client = host.connect("toy")
        client.say(f"hi {name}")
        return client

    def watch(self) -> Watcher:
        table, watcher = self.tables.get(ONE), Watcher()
        assert isinstance(table, FollowedTable)
        self.assertTrue(table.watch(watcher))
        return watcher

    def test_it_goes_on(self) -> None:
        watcher = self.watch()
        self.ann.say("+1")
        self.pair.wait()
        self.assertEqual(watcher.read(), [Look(2, None, Counted(1, 9))])
        self.pair.take_over()
        self.pair.wait()
        self.assertEqual(watcher.read(), [])
        bob = self.enter(self.leader, "bob")
        bob.say("+2")
        self.pair.wait()
        self.assertEqual(watcher.read(), [(3, Counted(3, 9)), (3, Away(Seat(0)))])
        table = self.tables.get(ONE)
        assert isinstance(table, FollowedTable)
        self.assertEqual((table.n, table.now(), table.clocks), (3, self.leader.lobby.tables[ONE].now(), None))
        ann = self.enter(self.leader, "ann")
        ann.say("+1")
        self.assertEqual(watcher.read(), [(3, Back(Seat(0), None)), (4, Counted(4, 9))], "at once")
        late = self.watch()
        self.assertEqual(late.read(), [Look(4, (), Counted(4, 9))])
        bob.drop()
        self.assertEqual((watcher.read(), late.read()), ([(4, Away(Seat(1), kept=60_000))],) * 2)
        ann.say("bye")
        self.assertEqual([n for n, _ in watcher.read()], [4, 5])
        self.assertEqual(type(late.read()[-1][1]), Over)
        self.assertIsNone(self.tables.get(ONE))

    def test_nobody_watches_any_more(self) -> None:
        watcher, late = self.watch(), Watcher()
        self.pair.wait()
        self.pair.take_over()
        self.enter(self.leader, "bob")
        self.pair.wait()
        table, own = self.tables.get(ONE), self.leader.lobby.tables[ONE]
        assert isinstance(table, FollowedTable)
        self.assertEqual(own._outbox.audience, [table])
        table.unwatch(watcher)
        self.assertEqual((own._outbox.audience, self.tables.get(ONE)), ([], own))
        own.watch(late)
        self.assertEqual(late.read(), [Look(1, (Seat(0),), Counted(0, 9))])

    def test_nobody_was_shown_anything(self) -> None:
        followed = self.tables.get(ONE)
        assert isinstance(followed, FollowedTable)
        self.pair.take_over()
        self.enter(self.leader, "bob")
        self.assertTrue(followed.watch(watcher := Watcher()))
        followed.join(self.leader.lobby.tables[ONE])
        self.assertEqual(watcher.read(), [Look(1, (Seat(0),), Counted(0, 9))])

    def test_the_record_is_ahead(self) -> None:
        """It may be read a moment before the table tells. `n` never falls, and the table itself is heard when it is as far."""
        watcher, journal = self.watch(), self.leader.journal
        self.pair.wait()
        self.pair.take_over()
        ann, bob = (self.enter(self.leader, name) for name in ("ann", "bob"))
        ann.say("+1")
        journal.late = True
        self.leader.wait(READ_EVERY)
        bob.say("+1")
        followed, own = self.tables.get(ONE), self.leader.lobby.tables[ONE]
        assert isinstance(followed, FollowedTable)
        journal.release(1)
        self.assertEqual((followed.n, own.n), (3, 2))
        self.assertEqual(watcher.read()[1:], [(2, Counted(1, 9)), (3, Counted(2, 9))])
        journal.late = False
        journal.release()
        self.leader.wait(READ_EVERY)
        ann.drop()
        self.assertEqual((followed.n, watcher.read()), (3, [(3, Away(Seat(0), kept=60_000))]))

    def test_it_sleeps_again(self) -> None:
        watcher = self.watch()
        self.ann.say("+1")
        self.pair.wait()
        self.pair.take_over()
        bob = self.enter(self.leader, "bob")
        self.pair.wait()
        bob.drop()
        self.assertNotIn(ONE, self.leader.lobby.tables)
        watcher.read()
        self.enter(self.leader, "bob").say("+1")
        self.assertEqual(watcher.read(), [(2, Back(Seat(1), None)), (3, Counted(2, 9))])

    def test_it_has_ended_meanwhile(self) -> None:
        watcher = self.watch()
        self.pair.wait()
        self.pair.take_over()
        watcher.read()
        self.enter(self.leader, "bob").say("bye")
        self.pair.wait()
        self.assertEqual([type(event) for _, event in watcher.read()], [Over])

    def test_any_order(self) -> None:
        """Each entry is told once, however far the disk, the record and the table itself are."""
        for seed in range(40):
            self.setUp()
            self.play_on(random.Random(seed))

    def play_on(self, rng: random.Random) -> None:
        watchers = [self.watch()]
        for client in (self.ann, self.bob)[: rng.randrange(3)]:
            client.say("+1")
        if rng.random() < 0.8:
            self.pair.wait()
        self.pair.take_over()
        journal = self.leader.journal
        names = rng.sample(["ann", "bob"], 2)
        clients = {names[0]: self.enter(self.leader, names[0])}
        journal.late = rng.random() < 0.8
        clients[names[1]] = self.enter(self.leader, names[1])
        turn = len(journal.entries[ONE]) - 1
        for _ in range(12):
            match rng.randrange(4):
                case 0:
                    clients[("ann", "bob")[turn % 2]].say("+1")
                    turn += 1
                case 1:
                    journal.release(rng.randrange(3))
                case 2:
                    self.leader.wait(READ_EVERY)
                case 3 if self.tables.get(ONE) is not None:
                    watchers.append(self.watch())
        journal.late = False
        journal.release()
        self.leader.wait(READ_EVERY)
        journal.release()
        self.leader.wait(READ_EVERY)
        for watcher in watchers:
            look, *told = watcher.read()
            numbers = [n for n, event in told if isinstance(event, Counted)]
            self.assertEqual(numbers, list(range(look.n + 1, turn + 2)))


del TableCase, WatchingContract
