"""Sleeping tables: their index, what is checked at a start, how they are loaded, and when they end."""

from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.task import Clock
from twisted.logger import LogEvent, capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from gamehost.fairness import STEPS
from gamehost.games.base import Seat
from gamehost.journal.records import EntryKind, SeatRecord, TableId
from gamehost.lobby.seats import LEAST_PAUSE, PAUSE, Resuming
from gamehost.lobby.sleeping import Place, SleepingIndex, SleepingTable
from gamehost.testing.cases import PropertyCase
from tests.kit.example_game import TOY, TOY_WIRE
from tests.kit.journals import CommittedJournal, RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.reactors import TurnClock
from tests.kit.service import Kept
from tests.kit.watching import Stream


def table(number: int, names: Sequence[str], since: int = 0, address: str = "192.0.2.1") -> SleepingTable:
    places = [
        Place(TableId(number), Seat(seat), SeatRecord(name, "onitama", address), 7.5) for seat, name in enumerate(names)
    ]
    return SleepingTable(TableId(number), "onitama", since, None, places, (address,) * len(names))


class IndexTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.index = SleepingIndex()

    def test_a_seat_is_found_by_its_players_name(self) -> None:
        ours = table(3, ("Ann", "bob"))
        self.index.add([ours, table(4, ("cid", "dan"))])
        self.assertEqual(self.index.find("ann"), ours.places[0])
        self.assertEqual((len(self.index), self.index.names, self.index.tables()), (2, 4, [3, 4]))
        self.assertEqual(self.index.remove(TableId(3)), ours)
        self.assertIsNone(self.index.find("ann"))
        self.assertEqual((len(self.index), self.index.names, self.index.tables()), (1, 2, [4]))
        self.assertRaises(KeyError, self.index.remove, TableId(3))

    def test_a_name_belongs_to_the_newer_table(self) -> None:
        self.index.add([table(1, ("ann", "bob")), table(2, ("cid", "ann"))])
        found = self.index.find("ann")
        assert found is not None
        self.assertEqual((found.table, found.seat), (2, 1))
        self.assertEqual([one and one.player.name for one in self.index.table(TableId(1)).places], [None, "bob"])

    def test_the_oldest_is_found(self) -> None:
        """And those that have slept since some time, a limited number of them."""
        self.assertIsNone(self.index.oldest)
        self.index.add([table(number, (f"p{number}",), since=100 - number) for number in range(1, 6)])
        self.assertEqual(self.index.oldest, 95)
        self.assertEqual(self.index.overdue(97, 10), [5, 4, 3])
        self.assertEqual(self.index.overdue(97, 2), [5, 4])

    def test_the_oldest_tables_of_an_address_go_first(self) -> None:
        here, there = "2001:db8::1", "192.0.2.2"
        self.index.add([table(number, (f"p{number}",), number, here) for number in range(1, 6)])
        self.index.add([table(number, (f"p{number}",), number, there) for number in range(11, 14)])
        self.index.limit(3, "2001:db8::2")
        self.assertEqual(self.index.overdue(0, 10), [1, 2])
        self.index.limit(2)
        self.assertEqual(self.index.overdue(0, 10), [1, 2, 3, 11])


ADDRESSES = ("192.0.2.1", "192.0.2.2", "192.0.2.3")


class SharesTests(PropertyCase):
    @given(st.lists(st.tuples(st.sets(st.sampled_from(ADDRESSES), min_size=1), st.integers(0, 3)), max_size=30))
    def test_a_table_goes_when_none_of_its_addresses_keeps_it(self, steps: list[tuple[set[str], int]]) -> None:
        """And never while one of them has it among its newest two."""
        index, stay = SleepingIndex(), dict[int, set[str]]()
        for number, (addresses, woken) in enumerate(steps, 1):
            index.add([of_addresses(number, addresses)])
            stay[number] = addresses
            for address in addresses:
                index.limit(2, address)
            newest = {one for address in ADDRESSES for one in [n for n in stay if address in stay[n]][-2:]}
            gone = set(index.overdue(0, 100))
            self.assertEqual(gone, stay.keys() - newest)
            for one in gone:
                self.assertEqual(index.begin_end(TableId(one)).table, one)
                self.assertIsNotNone(index.find(f"p{one}.0"))
                index.remove(TableId(one))
                del stay[one]
            if woken and stay:
                wakes = sorted(stay)[-woken % len(stay)]
                index.remove(TableId(wakes))
                del stay[wakes]
        whole = SleepingIndex()
        whole.add([of_addresses(number, addresses) for number, (addresses, _) in enumerate(steps, 1)])
        whole.limit(2)
        having = {a: [n for n, (these, _) in enumerate(steps, 1) if a in these][-2:] for a in ADDRESSES}
        newest = {one for some in having.values() for one in some}
        self.assertEqual(set(whole.overdue(0, 100)), set(range(1, len(steps) + 1)) - newest)

    def test_a_table_that_is_about_to_end(self) -> None:
        index = SleepingIndex()
        index.add([of_addresses(1, set(ADDRESSES[:1])), of_addresses(2, set(ADDRESSES[:1]))])
        index.begin_end(TableId(1))
        index.limit(1, ADDRESSES[0])
        self.assertEqual((index.overdue(100, 10), index.oldest), ([2], 2))
        self.assertEqual((index.tables_of(ADDRESSES[0]), index.ending), (1, {1}))
        index.remove(TableId(1))
        self.assertEqual((index.find("p1.0"), index.ending), (None, set()))


def of_addresses(number: int, addresses: set[str]) -> SleepingTable:
    """A table with a player at each of these addresses, which has slept since the second of its number."""
    seats = enumerate(sorted(addresses))
    places = [
        Place(TableId(number), Seat(seat), SeatRecord(f"p{number}.{seat}", "w", address, False, ""), 0.0)
        for seat, address in seats
    ]
    return SleepingTable(TableId(number), "toy", number, None, places, tuple(sorted(addresses)))


DAY = 86_400


class WordEncoder:
    def shown(self, table: object, look: object, delay: float) -> bytes:
        return b"look\n"

    def event(self, table: object, event: object, n: int) -> bytes:
        return type(event).__name__.encode() + b"\n"


class SleepCase(SynchronousTestCase):
    """A host that keeps no sleeping table in memory, unless told otherwise."""

    def host(self, **more: Any) -> MemoryHost:
        return MemoryHost(wires=(TOY_WIRE,), **{"resting": 0, **more})

    def client(self, host: MemoryHost, name: str, address: str = "192.0.2.1") -> Client:
        return host.come(name, address=address)[0]

    def abandon(self, host: MemoryHost, *names: str, address: str = "192.0.2.1") -> None:
        first, second = host.come(*names, address=address)
        first.say("+1")
        first.drop()
        second.drop()


class WakingTests(SleepCase):
    def test_a_sleeping_table_is_not_in_memory(self) -> None:
        """Neither the table nor its players' sessions; the names are in use."""
        host = self.host()
        self.abandon(host, "ann", "bob")
        self.assertEqual((dict(host.lobby.tables), host.unfinished), ({}, [1]))
        self.assertEqual((len(host.lobby.registry.sessions), len(host.lobby.registry)), (0, 2))
        self.assertEqual(host.lobby.seats.in_memory, {})
        self.assertTrue(self.client(host, "ann", "192.0.2.9").heard()[0].startswith("no "))

    def test_it_goes_on_where_it_stood(self) -> None:
        for resting in (0, 1):
            host = self.host(move_time="10", resting=resting)
            ann, bob = host.come("ann", "bob")
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
        ann, bob = host.come("ann", "bob")
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
        host = self.host()
        self.abandon(host, "ann", "bob")
        host.wait(DAY - 10)
        host.journal.late = True
        self.client(host, "ann").drop()
        host.journal.release()
        host.wait(11)
        self.assertEqual([host.journal.release() for _ in range(2)], [2, 1], "its sleep and the record, and its end")
        self.assertEqual((host.unfinished, len(host.lobby.registry)), ([], 0))

    def test_a_move_that_is_not_durable_yet_is_not_lost(self) -> None:
        journal = CommittedJournal()
        host = self.host(journal=journal)
        ann, bob = host.come("ann", "bob")
        journal.commit(), journal.release()
        ann.say("+2")
        ann.drop()
        bob.drop()
        bob = self.client(host, "bob")
        self.assertEqual(bob.heard(), [])
        journal.commit(), journal.release()
        self.assertEqual(bob.heard(), ["back 1 2 9", "away 0 already"])

    def test_a_record_that_cannot_be_followed(self) -> None:
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
    def test_down_time_does_not_count_and_up_time_does(self) -> None:
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
        for unlimited, kept in (({}, 20), ({"limits.unlimited": "yes"}, 25)):
            host = self.host(settings={"limits.sleeping_tables_per_address": "20", **unlimited})
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
        self.assertLessEqual(len(seats.in_memory), 8)
        self.assertEqual((seats.seated, seats.unclaimed, len(host.lobby.registry.sessions)), ({}, {}, 0))
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

            ann, bob = host.come("ann", "bob")
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
        host = self.host(resting=1)
        self.abandon(host, "ann", "bob")
        sleeping = host.lobby.seats
        table = sleeping.in_memory[TableId(1)]
        heard: list[object] = []

        class Audience:
            def shown(self, look: object) -> None:
                heard.append("shown")

            def deliver(self, event: object, n: int) -> None:
                heard.append(type(event).__name__)

        table.watch(Audience())
        self.abandon(host, "cid", "dan")
        self.assertIn(1, sleeping.in_memory)
        host.wait(DAY + 1)
        self.assertEqual(heard, ["shown", "Archived"])
        self.assertEqual((host.unfinished, host.journal.records()), ([], []))

    def test_who_is_about_to_watch_sees_the_end(self) -> None:
        """Somebody who is shown the match when the last move is on the disk counts as watching before that."""
        host = self.host()
        ann, bob = host.come("ann", "bob")
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
        journal = RecordingJournal(late=True)
        host = self.host(journal=journal)
        for name in ("ann", "bob"):
            self.client(host, name)
        journal.entries[TableId(1)].clear()
        again = self.host(journal=journal.restarted())
        self.assertEqual((again.unfinished, len(again.lobby.registry)), ([], 0))
        again.journal.release()
        self.assertEqual([entry.kind for entry in again.journal.entries[TableId(1)]], [EntryKind.ARCHIVED])


class ResumingTests(SynchronousTestCase):
    def begin(self, *checks: list[str], tables: int = 12) -> list[str]:
        self.clock, self.store = Clock(), Kept()
        self.store.checks = list(checks)
        self.resuming = Resuming(self.clock, self.store)
        with capturedLogs() as self.events:
            self.resuming.begin(tables)
        return self.said(self.events)

    def said(self, events: Sequence[LogEvent]) -> list[str]:
        return [str(formatEvent(event)) for event in events]

    def test_all_checked_at_the_start(self) -> None:
        self.assertEqual(self.begin(), ["resumed 12 tables"])
        self.assertEqual(self.begin(tables=1), ["resumed 1 table"])
        self.assertEqual(self.begin(tables=0), [])
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_the_rest_in_slices(self) -> None:
        self.assertEqual(
            self.begin([], ["table 7: row 3 does not match its hash"], []),
            ["12 tables to resume: their records are checked while players come in"],
        )
        with capturedLogs() as events:
            for _ in range(3):
                self.clock.advance(LEAST_PAUSE)
        self.assertEqual(
            self.said(events),
            ["not resumed: table 7: row 3 does not match its hash", "resumed 11 tables in 0.0 s"],
        )
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_a_busy_disk_is_left_alone(self) -> None:
        """The pause grows with the time that the store took to answer, so the check has a third of it at most."""
        self.begin([], [])
        self.clock.advance(LEAST_PAUSE)
        self.begin([], [], [])
        self.store.late = True
        self.clock.advance(LEAST_PAUSE)
        self.clock.advance(0.5)
        self.store.release()
        [pause] = self.clock.getDelayedCalls()
        self.assertAlmostEqual(pause.getTime() - self.clock.seconds(), PAUSE * 0.5)

    def test_stop(self) -> None:
        self.begin([], [], [])
        self.resuming.halt()
        self.assertEqual(self.clock.getDelayedCalls(), [])
        self.begin([], [], [])
        self.store.late = True
        self.clock.advance(LEAST_PAUSE)
        self.resuming.halt()
        self.store.release()
        self.assertEqual((self.clock.getDelayedCalls(), len(self.store.checks)), ([], 1))


class LateTests(SynchronousTestCase):
    """Tables that are taken over while players are there, such as those of another host."""

    def test_one_record_at_any_time(self) -> None:
        """Its players come back to it. A name that somebody has here stays theirs, and that seat is nobody's."""
        first = MemoryHost(wires=(TOY_WIRE,))
        first.come("ann", "bob", "cid", "dan")
        journal = first.journal.restarted()
        found = list(journal.unfinished())
        self.assertEqual(len(found), 2)
        self.patch(journal, "unfinished", list)
        host = MemoryHost(wires=(TOY_WIRE,), journal=journal)
        ann, _ = host.come("ann", "eve")
        ann.heard()
        for one in found:
            host.lobby.restore({"toy": TOY}, [one])
        self.assertEqual(host.unfinished, [1, 2, 3])
        bob, dan = host.connect("toy"), host.connect("toy")
        self.assertEqual(bob.ask("hi bob"), ["back 1 0 9", "away 0 already"])
        self.assertEqual(dan.ask("hi dan"), ["back 1 0 9", "away 0 already"])
        cid = host.connect("toy")
        self.assertEqual(cid.ask("hi cid"), ["back 0 0 9"])
        self.assertEqual(ann.ask("+1"), ["count 1 9"])
        held = host.lobby.registry.get("ann")
        assert held is not None
        self.assertEqual(held.table_id, 3)


TABLES = 4
#: Two players for each table.
PLAYERS = [f"p{number}" for number in range(2 * TABLES)]


class OrderTests(PropertyCase):
    """In whatever order players come back after a kill, while their tables are loaded, all is as if it had been there."""

    def host(self, journal: RecordingJournal | None = None) -> MemoryHost:
        return MemoryHost(wires=(TOY_WIRE,), journal=journal, move_time="10", settings={"toy.goal": "1000"})

    def come(self, host: MemoryHost, player: str) -> Client:
        client = host.connect("toy", f"192.0.2.{PLAYERS.index(player)}")
        client.say(f"hi {player}")
        return client

    def state(self, host: MemoryHost) -> list[object]:
        """Of each table: its clock, which goes on from the last entry, its position, and who is there."""
        return [
            (number, table.now(), table._master.state(), [(one.name, one.player is not None) for one in sessions])
            for number, table in sorted(host.lobby.tables.items())
            for sessions in [host.lobby.seats.seated[number]]
        ]

    def check_invariants(self, host: MemoryHost) -> None:
        """One name, one seat; a table is in play, or being loaded, or asleep."""
        registry = host.lobby.registry
        places = [set(host.lobby.tables), set(registry.waking), set(registry.sleeping.tables())]
        self.assertEqual(sorted(number for some in places for number in some), list(range(1, TABLES + 1)))
        self.assertEqual(len(registry), len(PLAYERS))
        for number, player in enumerate(PLAYERS):
            held = registry.get(player)
            assert held is not None
            self.assertEqual((held.table_id, held.seat), (number // 2 + 1, number % 2))

    @settings(max_examples=40)
    @given(st.data())
    def test_any_order(self, data: st.DataObject) -> None:
        """Players come, go and come again; records are read late. At the end all are there, as if they had never been gone."""
        first = self.host()
        clients = [self.come(first, player) for player in PLAYERS]
        for number in range(data.draw(st.integers(1, 9))):
            first.wait(1)
            for seats in zip(clients[::2], clients[1::2], strict=True):
                seats[number % 2].say("+2")
        before = self.state(first)
        host = self.host(first.journal.restarted())
        host.journal.late = True
        there: dict[str, Client] = {}
        for step in data.draw(st.lists(st.sampled_from(["read", *PLAYERS]), max_size=30)):
            if step == "read":
                host.journal.release(1)
            elif step in there:
                there.pop(step).drop()
            else:
                there[step] = self.come(host, step)
            host.until_idle()
            self.check_invariants(host)
        for player in data.draw(st.permutations(PLAYERS)):
            if player not in there:
                there[player] = self.come(host, player)
        while host.journal.release():
            host.until_idle()
        self.check_invariants(host)
        self.assertEqual(self.state(host), before)
