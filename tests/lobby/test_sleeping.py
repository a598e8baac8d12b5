"""Sleeping tables: outside of memory, loaded when somebody asks, and bounded in number and time."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import EntryKind, TableId
from gamehost.tables.slices import STEPS
from tests.kit.example_game import TOY_WIRE
from tests.kit.journals import CommittedJournal, RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.turns import TurnClock
from tests.kit.watching import Stream

DAY = 86_400


class WordEncoder:
    """Tells watchers what kind of thing happens."""

    def shown(self, table: object, look: object, delay: float) -> bytes:
        return b"look\n"

    def event(self, table: object, event: object, n: int) -> bytes:
        return type(event).__name__.encode() + b"\n"


class SleepCase(SynchronousTestCase):
    """A host that keeps no sleeping table in memory, unless told otherwise."""

    def host(self, **more: Any) -> MemoryHost:
        return MemoryHost(wires=(TOY_WIRE,), **{"resting": 0, **more})

    def client(self, host: MemoryHost, name: str, address: str = "192.0.2.1") -> Client:
        client = host.connect("toy", address)
        client.say(f"hi {name}")
        return client

    def abandon(self, host: MemoryHost, *names: str, address: str = "192.0.2.1") -> None:
        """A match of these two, which both leave after its first move."""
        first, second = (self.client(host, name, address) for name in names)
        first.say("+1")
        first.drop()
        second.drop()


class WakingTests(SleepCase):
    """A table sleeps when the last player is gone, and is loaded for the first who comes back."""

    def test_a_sleeping_table_is_not_in_memory(self) -> None:
        """Neither the table nor its players' sessions; the names are in use."""
        host = self.host()
        self.abandon(host, "ann", "bob")
        self.assertEqual((dict(host.lobby.tables), host.unfinished), ({}, [1]))
        self.assertEqual((len(host.lobby.registry._sessions), len(host.lobby.registry)), (0, 2))
        self.assertEqual(host.lobby.seats.sleeping._in_memory, {})
        self.assertTrue(self.client(host, "ann", "192.0.2.9").heard()[0].startswith("no "))

    def test_it_goes_on_where_it_stood(self) -> None:
        """With the position, the names, and the clock of the game."""
        for resting in (0, 1):
            host = self.host(move_time="10", resting=resting)
            ann, bob = (self.client(host, name) for name in ("ann", "bob"))
            ann.say("+1")
            host.wait(4)
            ann.drop()
            bob.drop()
            host.wait(5000)
            bob = self.client(host, "bob")
            self.assertEqual(bob.heard(), ["back 1 1 9", "away 0 already"])
            self.assertEqual(list(host.lobby.tables), [1])
            host.wait(5.9)
            self.assertEqual(bob.heard(), [])
            host.wait(0.2)
            self.assertEqual(bob.heard(), ["over (0,) time"])

    def test_a_long_record_is_followed_in_slices(self) -> None:
        """One slice in each turn of the reactor. Others play on meanwhile, and a host that stops follows no further."""
        host = self.host(settings={"toy.goal": "100000"})
        ann, bob = (self.client(host, name) for name in ("ann", "bob"))
        for number in range(3 * STEPS):
            (ann, bob)[number % 2].say("+2")
        ann.drop()
        bob.drop()
        for stops in (True, False):
            again = self.host(settings={"toy.goal": "100000"}, journal=host.journal.restarted())
            slices = again.context.lobby.context.slices
            clock = slices._clock = TurnClock()
            carl, _ = (self.client(again, name) for name in ("carl", "dora"))
            bob = self.client(again, "bob")
            self.assertEqual((bob.heard(), clock.turn(), bob.heard()), ([], 1, []))
            if stops:
                again.lobby.close()
            else:
                self.assertEqual(carl.ask("+1"), ["count 1 9"])
            self.assertEqual((clock.turn(), bob.heard()), (1, []))
            self.assertEqual((clock.turn(), clock.turn()), (1, 0))
            self.assertEqual(bob.heard(), [] if stops else ["back 1 1536 9", "away 0 already"])

    def test_two_who_come_while_it_is_loaded_share_it(self) -> None:
        """Both get their seats, in the order of the seats."""
        host = self.host()
        self.abandon(host, "ann", "bob")
        host.journal.late = True
        bob, ann = self.client(host, "bob"), self.client(host, "ann")
        self.assertEqual((ann.heard(), bob.heard(), dict(host.lobby.tables)), ([], [], {}))
        self.assertEqual(host.journal.release(), 1, "one load")
        self.assertEqual((ann.heard(), bob.heard()), (["back 0 1 9", "away 1 already", "back 1 1 9"], ["back 1 1 9"]))
        host.journal.late = False
        self.assertEqual(bob.ask("+1"), ["count 2 9"])

    def test_who_drops_while_it_is_loaded(self) -> None:
        """It sleeps again, for as long as it would have slept; whoever comes then loads it anew."""
        host = self.host()
        self.abandon(host, "ann", "bob")
        host.wait(DAY - 10)
        host.journal.late = True
        self.client(host, "ann").drop()
        self.assertEqual(host.journal.release(), 1)
        self.assertEqual((dict(host.lobby.tables), host.unfinished), ({}, [1]))
        ann = self.client(host, "ann")
        host.journal.release()
        self.assertEqual(ann.heard(), ["back 0 1 9", "away 1 already"])
        ann.drop()
        self.client(host, "bob").drop()
        host.journal.release()
        host.wait(11)
        self.assertEqual(host.unfinished, [1], "a player was there, and the day began anew")

    def test_asking_and_dropping_does_not_prolong_its_sleep(self) -> None:
        """A player who is gone before the table is loaded was not there."""
        host = self.host()
        self.abandon(host, "ann", "bob")
        host.wait(DAY - 10)
        host.journal.late = True
        self.client(host, "ann").drop()
        host.journal.release()
        host.wait(11)
        self.assertEqual([host.journal.release() for _ in range(2)], [1, 1], "the record, and its end")
        self.assertEqual((host.unfinished, len(host.lobby.registry)), ([], 0))

    def test_a_move_that_is_not_durable_yet_is_not_lost(self) -> None:
        """The table is read behind everything that was added to it."""
        journal = CommittedJournal()
        host = self.host(journal=journal)
        ann, bob = (self.client(host, name) for name in ("ann", "bob"))
        journal.commit(), journal.release()
        ann.say("+2")
        ann.drop()
        bob.drop()
        bob = self.client(host, "bob")
        self.assertEqual(bob.heard(), [])
        journal.commit(), journal.release()
        self.assertEqual(bob.heard(), ["back 1 2 9", "away 0 already"])

    def test_a_record_that_cannot_be_followed(self) -> None:
        """Its player is told so and can play anew; the record is kept."""
        host = self.host()
        self.abandon(host, "ann", "bob")
        host.journal.entries[TableId(1)].append(host.journal.entries[TableId(1)][-1])
        for late in (True, False):
            again = self.host(journal=host.journal.restarted())
            again.journal.late = late
            ann = self.client(again, "ann")
            again.journal.release()
            self.assertEqual(ann.heard(), ["suspended"])
            self.assertEqual((again.unfinished, again.lobby.registry.get("bob")), ([], None))
            self.assertEqual([record.table for record in again.journal.records()], [1])


class EndTests(SleepCase):
    """Nothing sleeps for ever."""

    def test_down_time_does_not_count_and_up_time_does(self) -> None:
        """Over several runs of the host, each of half a day."""
        host = self.host()
        self.abandon(host, "ann", "bob")
        host.wait(DAY / 2)
        host.lobby.close()
        host = self.host(journal=host.journal.restarted())
        host.wait(DAY / 2 - 100)
        self.assertEqual(host.unfinished, [1])
        host.wait(100)
        self.assertEqual((host.unfinished, host.journal.records()), ([], []))
        self.assertEqual(host.clock.getDelayedCalls(), [])

    def test_a_kill_loses_a_minute_of_up_time_at_most(self) -> None:
        """The day does not begin anew when the host is killed."""
        host = self.host()
        self.abandon(host, "ann", "bob")
        for _ in range(12):
            for _ in range(7230 // 30):
                host.wait(30)
            host = self.host(journal=host.journal.restarted())
        host.wait(60)
        self.assertEqual(host.unfinished, [])

    def test_an_address_keeps_its_newest_tables(self) -> None:
        """The oldest is archived when there are more than `limits.sleeping_tables_per_address`; `unlimited` lifts it."""
        for settings, kept in (({}, 20), ({"limits.unlimited": "yes"}, 25)):
            host = self.host(settings={"limits.sleeping_tables_per_address": "20", **settings})
            self.abandon(host, "cid", "dan", address="192.0.2.7")
            for number in range(25):
                host.wait(5)
                self.abandon(host, f"a{number}", f"b{number}")
            host.wait(5)
            self.assertEqual(host.unfinished, [1, *range(27 - kept, 27)])
            archived = [
                table for table, record in host.journal.entries.items() if record[-1].kind is EntryKind.ARCHIVED
            ]
            self.assertEqual(archived, list(range(2, 27 - kept)))

    def test_the_limit_holds_while_tables_fall_asleep(self) -> None:
        """With more than one a second, too: the next one does not put off the end of the oldest. So does the up-time."""
        host = self.host(settings={"limits.sleeping_tables_per_address": "2"})
        for number in range(200):
            self.abandon(host, f"a{number}", f"b{number}")
            self.assertLessEqual(len(host.unfinished), 2 + 4)
            host.wait(0.4)
        self.assertGreaterEqual(host.journal.noted_uptime, 60)

    def test_a_store_with_too_many_is_brought_under_the_limit(self) -> None:
        """A hundred each second, so that players do not wait."""
        host = self.host(settings={"limits.unlimited": "yes"})
        for number in range(150):
            self.abandon(host, f"a{number}", f"b{number}")
        again = self.host(journal=host.journal.restarted(), settings={"limits.sleeping_tables_per_address": "20"})
        self.assertEqual(len(again.unfinished), 150)
        again.wait(1)
        self.assertEqual(len(again.unfinished), 50)
        again.wait(1)
        self.assertEqual(again.unfinished, list(range(131, 151)))

    def test_an_hour_of_abandoned_matches_leaves_nothing_behind(self) -> None:
        """From one address, one every five seconds, with and without a move: tables, names and objects are bounded."""
        host = self.host(resting=8, settings={"limits.sleeping_tables_per_address": "20"})
        for number in range(720):
            if number % 2:
                self.abandon(host, f"a{number}", f"b{number}")
            else:
                for client in [self.client(host, f"{side}{number}") for side in "ab"]:
                    client.drop()
            host.wait(5)
            self.assertLessEqual(len(host.unfinished), 21)
        host.wait(5)
        seats = host.lobby.seats
        self.assertEqual((len(host.unfinished), len(host.lobby.registry)), (20, 40))
        self.assertLessEqual(len(seats.sleeping._in_memory), 8)
        self.assertEqual((seats._seated, seats._unclaimed, len(host.lobby.registry._sessions)), ({}, {}, 0))
        self.assertEqual(len(host.clock.getDelayedCalls()), 1)

    def test_an_honest_opponent_keeps_the_match(self) -> None:
        """However many matches others abandon at the address of the opponent: nobody else's share counts."""
        for resting in (0, 128):
            host = self.host(resting=resting, settings={"limits.sleeping_tables_per_address": "2"})
            clients = [self.client(host, "ann", "198.51.100.1"), self.client(host, "mal", "192.0.2.1")]
            clients[0].say("+1")
            for client in clients:
                client.drop()
            for number in range(10):
                host.wait(2)
                self.abandon(host, f"a{number}", f"b{number}")
            host.wait(2)
            self.assertEqual(host.unfinished, [1, 10, 11])
            again = self.host(journal=host.journal.restarted(), settings={"limits.sleeping_tables_per_address": "2"})
            again.wait(2)
            self.assertIn("back 0 1 9", self.client(again, "ann", "198.51.100.1").heard())

    def test_a_name_is_free_when_the_end_is_durable(self) -> None:
        """Until then its player is told to come back in a moment, and nobody else gets the name."""
        for resting in (0, 128):
            journal = CommittedJournal()
            host = self.host(resting=resting, journal=journal)

            def write(journal: CommittedJournal = journal) -> None:
                journal.commit(), journal.release()

            ann, bob = (self.client(host, name) for name in ("ann", "bob"))
            write()
            ann.say("+1")
            write()
            ann.drop()
            bob.drop()
            write()
            host.wait(DAY + 61)
            for address in ("192.0.2.1", "198.51.100.1"):
                self.assertIn("being closed", " ".join(self.client(host, "ann", address).heard()), resting)
            write()
            write()
            self.assertEqual((journal.entries[TableId(1)][-1].kind, host.unfinished), (EntryKind.ARCHIVED, []))
            self.assertEqual(len(host.lobby.registry), 0)
            self.assertNotIn("no ", " ".join(self.client(host, "ann").heard()))

    def test_a_kill_before_the_up_time_was_noted(self) -> None:
        """The table ends a day after the restart, and its players have the longer grace time of a restart."""
        host = self.host()
        host.wait(500)
        self.abandon(host, "ann", "bob")
        again = self.host(journal=host.journal.restarted())
        ann = self.client(again, "ann")
        ann.heard()
        again.wait(119)
        self.assertEqual(ann.heard(), [])
        again.wait(2)
        self.assertEqual(ann.heard(), ["over (0,) left"])
        again = self.host(journal=host.journal.restarted())
        again.wait(DAY + 1)
        self.assertEqual(again.unfinished, [])

    def test_who_watches_sees_the_end(self) -> None:
        """A table that is watched stays in memory, and is archived before its watchers' eyes."""
        host = self.host(resting=1)
        self.abandon(host, "ann", "bob")
        sleeping = host.lobby.seats.sleeping
        table = sleeping._in_memory[TableId(1)]
        heard: list[object] = []

        class Audience:
            def shown(self, look: object) -> None:
                heard.append("shown")

            def deliver(self, event: object, n: int) -> None:
                heard.append(type(event).__name__)

        table.watch(Audience())
        self.abandon(host, "cid", "dan")
        self.assertIn(1, sleeping._in_memory)
        host.wait(DAY + 1)
        self.assertEqual(heard, ["shown", "Archived"])
        self.assertEqual((host.unfinished, host.journal.records()), ([], []))

    def test_who_is_about_to_watch_sees_the_end(self) -> None:
        """Somebody who is shown the match when the last move is on the disk counts as watching before that."""
        host = self.host()
        ann, bob = (self.client(host, name) for name in ("ann", "bob"))
        host.journal.late = True
        ann.say("+1")
        watcher = Stream()
        table = host.lobby.tables[TableId(1)]
        host.lobby.galleries.watch(table, watcher, WordEncoder())
        for client in (ann, bob):
            client.drop()
        host.journal.late = False
        host.journal.release()
        host.wait(0)
        host.wait(DAY + 1)
        self.assertEqual((watcher.lines, watcher.ended), ([b"look\n", b"Away\n", b"Away\n", b"Archived\n"], True))

    def test_a_table_of_which_nobody_was_told_is_archived(self) -> None:
        """The host ended between its first two entries."""
        journal = RecordingJournal(late=True)
        host = self.host(journal=journal)
        for name in ("ann", "bob"):
            self.client(host, name)
        journal.entries[TableId(1)].clear()
        again = self.host(journal=journal.restarted())
        self.assertEqual((again.unfinished, len(again.lobby.registry)), ([], 0))
        again.journal.release()
        self.assertEqual([entry.kind for entry in again.journal.entries[TableId(1)]], [EntryKind.ARCHIVED])
