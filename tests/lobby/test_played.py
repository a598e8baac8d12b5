"""The matches of this host and of others that can be seen here: which there are, and how often the store is asked."""

from collections import Counter
from typing import Any

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.remote.master import REMOTE
from gamehost.journal.records import SeatRecord, TableHeader, TableId
from gamehost.lobby import played
from gamehost.tables.interfaces import WatchableTable
from tests.kit.example_game import TOY, TOY_WIRE
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import MemoryHost
from tests.kit.watching import Watcher, following

ONE = TableId(1)


class AskedJournal(RecordingJournal):
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
        asked, self.asked = self.asked, Counter()
        return asked["tables"], asked["entries"]


class FollowingTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.host = MemoryHost({"toy.goal": "1000"}, wires=(TOY_WIRE,))
        self.clock = self.host.clock
        self.journal = AskedJournal()
        theirs = self.host.journal
        self.journal.openings, self.journal.entries, self.journal.since = theirs.openings, theirs.entries, theirs.since
        self.journal.told_tables = theirs.told_tables

    def follow(self) -> played.PlayedTables:
        return following(self.clock, self.journal)

    def watched(self) -> tuple[played.PlayedTables, WatchableTable, Watcher]:
        followed = self.follow()
        table, watcher = followed.get(ONE), Watcher()
        assert table is not None
        table.watch(watcher)
        return followed, table, watcher

    def pass_time(self, seconds: float) -> None:
        for _ in range(round(seconds / 0.125)):
            self.host.wait(0.125)

    def numbers(self, followed: played.PlayedTables) -> list[int]:
        return [one.id for one in followed.newest(99)]

    def test_which_tables_there_are(self) -> None:
        ann, bob, carl, _ = self.host.come("ann", "bob", "carl", "dora")
        followed = self.follow()
        self.assertEqual((self.numbers(followed), len(followed)), ([2, 1], 2))
        self.host.come("eve", "fred")
        ann.say("+1")
        for client in (ann, bob):
            client.drop()
        carl.say("bye")
        self.host.wait(played.LIST_IDLE)
        self.assertEqual((self.numbers(followed), len(followed)), ([3], 1))
        self.assertEqual((followed.get(ONE), followed.watched(TableId(3))), (None, None))

    def test_private_matches(self) -> None:
        self.host.come("ann", "bob")
        opening = self.journal.openings[ONE]
        self.journal.openings[ONE] = evolve(opening, settings={**opening.settings, "code": "K7"})
        followed = self.follow()
        table = followed.get(ONE)
        assert table is not None
        self.assertEqual((self.numbers(followed), len(followed), table.code), ([], 1, "K7"))

    def test_matches_that_cannot_be_shown(self) -> None:
        self.host.come("ann", "bob")
        seats = (SeatRecord("carl", "toy"), SeatRecord("dora", "toy"))
        for number, (game, version) in enumerate(((TOY.name, 2), ("chess", 1), (REMOTE.name, REMOTE.version)), 2):
            self.journal.openings[TableId(number)] = TableHeader(game, version, seats)
            self.journal.entries[TableId(number)] = self.journal.entries[ONE]
        followed = self.follow()
        self.host.wait(played.LIST_IDLE)
        self.assertEqual((self.numbers(followed), len(followed), sorted(followed._others)), ([1], 4, [2, 3, 4]))

    def test_how_often_the_store_is_asked(self) -> None:
        """Rarely while nobody looks, every second while somebody does, and for entries while somebody watches."""
        self.host.come("ann", "bob")
        followed = self.follow()
        self.assertEqual(self.journal.read_asked(), (1, 0))
        self.pass_time(4 * played.LIST_IDLE)
        self.assertEqual(self.journal.read_asked(), (4, 0))
        self.pass_time(2.5)
        followed.look()
        followed.look()
        self.assertEqual(self.journal.read_asked(), (1, 0), "at once")
        self.pass_time(played.LOOKS_FOR)
        self.assertEqual(self.journal.read_asked(), (played.LOOKS_FOR / played.LIST_EVERY - 1, 0))
        self.pass_time(2 * played.LIST_IDLE)
        self.assertEqual(self.journal.read_asked(), (2, 0))
        table, watcher = followed.get(ONE), Watcher()
        assert table is not None
        table.watch(watcher)
        self.host.until_idle()
        self.assertEqual((self.journal.read_asked()[1], len(watcher.read())), (1, 1), "at once")
        self.pass_time(3.0)
        self.assertEqual(self.journal.read_asked(), (3.0 / played.LIST_EVERY, 3.0 / played.READ_EVERY))
        table.unwatch(watcher)
        self.pass_time(2 * played.LIST_IDLE)
        self.assertEqual(self.journal.read_asked(), (2, 0))

    def test_one_question_for_all_tables(self) -> None:
        clients = self.host.come(*"abcdef")
        followed = self.follow()
        watchers = [Watcher() for _ in range(3)]
        for table, watcher in zip(followed.newest(9), watchers, strict=True):
            table.watch(watcher)
        self.host.until_idle()
        self.assertEqual((self.journal.asked["entries"], self.journal.asked["of tables"]), (1, 3))
        clients[2].say("+1")
        self.host.wait(played.READ_EVERY)
        self.assertEqual([len(watcher.read()) for watcher in watchers], [1, 2, 1])

    def test_a_slow_store_answers_one_question_of_each_kind_at_a_time(self) -> None:
        [ann, _] = self.host.come("ann", "bob")
        _, _, watcher = self.watched()
        self.host.until_idle()
        self.journal.read_asked()
        self.journal.late = True
        ann.say("+1")
        self.pass_time(20.0)
        self.assertEqual((self.journal.read_asked(), len(watcher.read())), ((1, 1), 1))
        self.journal.release()
        self.assertEqual([n for n, _ in watcher.read()], [2])

    def test_watched_tables_that_are_not_listed(self) -> None:
        ann, bob = self.host.come("ann", "bob")
        followed, table, watcher = self.watched()
        ann.say("+2")
        for client in (ann, bob):
            client.drop()
        self.host.wait(played.LIST_EVERY)
        self.assertEqual((followed.get(ONE), followed.watched(ONE)), (None, table))
        self.host.come("bob")[0].say("+2")
        self.host.wait(played.LIST_EVERY)
        self.assertIs(followed.get(ONE), table)
        self.assertEqual([n for n, _ in watcher.read()[1:]], [3])
        table.unwatch(watcher)
        self.assertIsNone(followed.watched(ONE))

    def test_the_newest_are_known(self) -> None:
        """So that a host with very many tables does not ask for all of them."""
        self.assertGreaterEqual(played.MOST, 1000)
        self.patch(played, "MOST", 2)
        self.host.come(*"abcdef")
        followed = self.follow()
        self.assertEqual((self.numbers(followed), len(followed)), ([3, 2], 3))

    def test_nothing_is_asked_once_the_host_stops(self) -> None:
        [ann, _] = self.host.come("ann", "bob")
        followed, table, watcher = self.watched()
        self.host.until_idle()
        watcher.read()
        ann.say("+1")
        self.journal.late = True
        self.host.wait(played.LIST_EVERY)
        followed.halt()
        self.journal.release()
        self.journal.read_asked()
        followed.look()
        self.pass_time(played.LIST_IDLE)
        table.unwatch(watcher)
        table.watch(watcher)
        self.assertEqual((self.journal.read_asked(), watcher.read(), self.clock.getDelayedCalls()), ((0, 0), [], []))
