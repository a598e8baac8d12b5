"""The tables of other hosts: which are known, and how often the store is asked."""

from collections import Counter
from typing import Any

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.remote.master import REMOTE
from gamehost.journal.records import SeatRecord, TableHeader, TableId
from gamehost.lobby import following
from gamehost.lobby.following import LIST_EVERY, LIST_IDLE, LOOKS_FOR, MOST, READ_EVERY, FollowedTables
from gamehost.tables.slices import Slices
from tests.kit.example_game import TOY, TOY_WIRE
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.watching_contract import Watcher

ONE = TableId(1)


class AskedJournal(RecordingJournal):
    """Notes what it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: Counter[str] = Counter()

    def elsewhere(self, *question: Any) -> None:
        self.asked["tables"] += 1
        super().elsewhere(*question)

    def entries_after(self, last: Any, found: Any) -> None:
        self.asked["entries"] += 1
        self.asked["of tables"] += len(last)
        super().entries_after(last, found)

    def read_asked(self) -> tuple[int, int]:
        """The questions for tables and for entries since the last call."""
        asked, self.asked = self.asked, Counter()
        return asked["tables"], asked["entries"]


class FollowingTests(SynchronousTestCase):
    """A host that plays, and one that follows its tables."""

    def setUp(self) -> None:
        self.host = MemoryHost({"toy.goal": "1000"}, wires=(TOY_WIRE,))
        self.clock = self.host.clock
        self.journal = AskedJournal()
        theirs = self.host.journal
        self.journal.openings, self.journal.entries, self.journal.since = theirs.openings, theirs.entries, theirs.since
        self.journal.told_tables = theirs.told_tables

    def follow(self) -> FollowedTables:
        return FollowedTables(self.clock, self.journal, Slices(self.clock), {TOY.name: TOY}, {})

    def come(self, *names: str) -> list[Client]:
        """Players who play each other, two by two."""
        clients = [self.host.connect("toy") for _ in names]
        for client, name in zip(clients, names, strict=True):
            client.say(f"hi {name}")
        return clients

    def pass_time(self, seconds: float) -> None:
        """Advance the clock in small steps."""
        for _ in range(round(seconds / 0.125)):
            self.host.wait(0.125)

    def numbers(self, followed: FollowedTables) -> list[int]:
        return [one.id for one in followed.newest(99)]

    def test_which_tables_there_are(self) -> None:
        """Those that are played now, the newest first. New ones are found, and those that sleep or are over are not."""
        ann, bob, carl, _ = self.come("ann", "bob", "carl", "dora")
        followed = self.follow()
        self.assertEqual((self.numbers(followed), followed.count), ([2, 1], 2))
        self.come("eve", "fred")
        ann.say("+1")
        for client in (ann, bob):
            client.drop()
        carl.say("bye")
        self.host.wait(LIST_IDLE)
        self.assertEqual((self.numbers(followed), followed.count), ([3], 1))
        self.assertEqual((followed.get(ONE), followed.watched(TableId(3))), (None, None))

    def test_private_matches(self) -> None:
        """They can be found by their number, and are in no list."""
        self.come("ann", "bob")
        opening = self.journal.openings[ONE]
        self.journal.openings[ONE] = evolve(opening, settings={**opening.settings, "code": "K7"})
        followed = self.follow()
        table = followed.get(ONE)
        assert table is not None
        self.assertEqual((self.numbers(followed), followed.count, table.code), ([], 1, "K7"))

    def test_matches_that_cannot_be_shown(self) -> None:
        """Those of games or of versions that are not played here, and remote games. They are looked at once."""
        self.come("ann", "bob")
        seats = (SeatRecord("carl", "toy"), SeatRecord("dora", "toy"))
        for number, (game, version) in enumerate(((TOY.name, 2), ("chess", 1), (REMOTE.name, REMOTE.version)), 2):
            self.journal.openings[TableId(number)] = TableHeader(game, version, seats)
            self.journal.entries[TableId(number)] = self.journal.entries[ONE]
        followed = self.follow()
        self.host.wait(LIST_IDLE)
        self.assertEqual((self.numbers(followed), followed.count, sorted(followed._others)), ([1], 4, [2, 3, 4]))

    def test_how_often_the_store_is_asked(self) -> None:
        """Rarely while nobody looks, every second while somebody does, and for entries while somebody watches."""
        self.come("ann", "bob")
        followed = self.follow()
        self.assertEqual(self.journal.read_asked(), (1, 0))
        self.pass_time(4 * LIST_IDLE)
        self.assertEqual(self.journal.read_asked(), (4, 0))
        self.pass_time(2.5)
        followed.look()
        followed.look()
        self.assertEqual(self.journal.read_asked(), (1, 0), "at once")
        self.pass_time(LOOKS_FOR)
        self.assertEqual(self.journal.read_asked(), (LOOKS_FOR / LIST_EVERY - 1, 0))
        self.pass_time(2 * LIST_IDLE)
        self.assertEqual(self.journal.read_asked(), (2, 0))
        table, watcher = followed.get(ONE), Watcher()
        assert table is not None
        table.watch(watcher)
        self.host.settle()
        self.assertEqual((self.journal.read_asked()[1], len(watcher.read())), (1, 1), "at once")
        self.pass_time(3.0)
        self.assertEqual(self.journal.read_asked(), (3.0 / LIST_EVERY, 3.0 / READ_EVERY))
        table.unwatch(watcher)
        self.pass_time(2 * LIST_IDLE)
        self.assertEqual(self.journal.read_asked(), (2, 0))

    def test_one_question_for_all_tables(self) -> None:
        """Of all that somebody watches."""
        clients = self.come(*"abcdef")
        followed = self.follow()
        watchers = [Watcher() for _ in range(3)]
        for table, watcher in zip(followed.newest(9), watchers, strict=True):
            table.watch(watcher)
        self.host.settle()
        self.assertEqual((self.journal.asked["entries"], self.journal.asked["of tables"]), (1, 3))
        clients[2].say("+1")
        self.host.wait(READ_EVERY)
        self.assertEqual([len(watcher.read()) for watcher in watchers], [1, 2, 1])

    def test_a_slow_store(self) -> None:
        """It has one question of each kind to answer at a time."""
        [ann, _] = self.come("ann", "bob")
        followed = self.follow()
        table, watcher = followed.get(ONE), Watcher()
        assert table is not None
        table.watch(watcher)
        self.host.settle()
        self.journal.read_asked()
        self.journal.late = True
        ann.say("+1")
        self.pass_time(20.0)
        self.assertEqual((self.journal.read_asked(), len(watcher.read())), ((1, 1), 1))
        self.journal.release()
        self.assertEqual([n for n, _ in watcher.read()], [2])

    def test_watched_tables_that_are_not_listed(self) -> None:
        """One that sleeps is followed on, and is played again when it wakes up."""
        ann, bob = self.come("ann", "bob")
        followed = self.follow()
        table, watcher = followed.get(ONE), Watcher()
        assert table is not None
        table.watch(watcher)
        ann.say("+2")
        for client in (ann, bob):
            client.drop()
        self.host.wait(LIST_EVERY)
        self.assertEqual((followed.get(ONE), followed.watched(ONE)), (None, table))
        self.come("bob")[0].say("+2")
        self.host.wait(LIST_EVERY)
        self.assertIs(followed.get(ONE), table)
        self.assertEqual([n for n, _ in watcher.read()[1:]], [3])
        table.unwatch(watcher)
        self.assertIsNone(followed.watched(ONE))

    def test_the_newest_are_known(self) -> None:
        """So that a host with very many tables does not ask for all of them."""
        self.assertGreaterEqual(MOST, 1000)
        self.patch(following, "MOST", 2)
        self.come(*"abcdef")
        followed = self.follow()
        self.assertEqual((self.numbers(followed), followed.count), ([3, 2], 3))

    def test_the_host_stops(self) -> None:
        """Nothing is asked any more, and answers that are on their way are not heard."""
        [ann, _] = self.come("ann", "bob")
        followed = self.follow()
        table, watcher = followed.get(ONE), Watcher()
        assert table is not None
        table.watch(watcher)
        self.host.settle()
        watcher.read()
        ann.say("+1")
        self.journal.late = True
        self.host.wait(LIST_EVERY)
        followed.halt()
        self.journal.release()
        self.journal.read_asked()
        followed.look()
        self.pass_time(LIST_IDLE)
        table.unwatch(watcher)
        table.watch(watcher)
        self.assertEqual((self.journal.read_asked(), watcher.read(), self.clock.getDelayedCalls()), ((0, 0), [], []))
