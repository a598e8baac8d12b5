"""Tables that wait for their players: who is told what, who gets the last seat, and when a table is gone."""

from collections.abc import Sequence
from typing import Any

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.login import LoginService
from gamehost.games.base import Seat
from gamehost.journal.records import TableId
from gamehost.limits import Limits
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.queues import NoSuchTable, Queue, TableFull, TooManyTables
from gamehost.lobby.sessions import ResumePolicy, Session, SessionRegistry
from gamehost.net.context import Cork
from gamehost.settings import BadOption
from gamehost.storage.memory import MemoryAccounts
from gamehost.tables.context import TableContext
from gamehost.tables.interfaces import Left, OpenTable, SeatHandle, TableClosed
from tests.kit.example_game import TOY, Add, Counted
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import at_once

QUEUE = Queue(TOY)


class Guest:
    """A player who writes down all that they are told."""

    def __init__(self, lobby: Lobby, name: str, address: str = "192.0.2.1") -> None:
        self.lobby = lobby
        self.told: list[Any] = []
        self.handle: SeatHandle[Add] | None = None
        self.session: Session = lobby.enter(name, "toy", address, self)

    def seated(self, handle: SeatHandle[Add]) -> None:
        self.handle = handle

    def deliver(self, event: Any) -> None:
        self.told.append(event)

    def take(self) -> list[Any]:
        """What was told since the last call."""
        told, self.told = self.told, []
        return told

    def leave(self) -> None:
        """Be gone."""
        self.lobby.leave(self.session, self)

    def open(self, seats: int = 2, **settings: str) -> OpenTable:
        """Wait at a table of one's own."""
        return self.lobby.open_table(self.session, QUEUE, seats, settings)

    def join(self, table: TableId, queue: Queue = QUEUE, code: str = "") -> None:
        """Wait at somebody's table."""
        self.lobby.join(self.session, queue, table, code)

    def play(self, wish: int | None = None) -> bool:
        """Wait for anybody."""
        return self.lobby.play(self.session, QUEUE, None if wish is None else Seat(wish))


class GatheringTests(SynchronousTestCase):
    """Open tables in a lobby."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.journal = RecordingJournal()
        self.lobby = self.new_lobby(3)

    def new_lobby(self, open_tables: int | None) -> Lobby:
        registry = SessionRegistry(ResumePolicy.ANY)
        login_service = LoginService(MemoryAccounts(), registry.is_guest, self.clock, at_once, Limits(), Cork())
        context = TableContext(self.clock, self.journal)
        return Lobby(context, registry, {"toy": {"goal": "3"}}, open_tables, 600.0, login_service=login_service)

    def guests(self, *names: str) -> Sequence[Guest]:
        return [Guest(self.lobby, name) for name in names]

    def test_everybody_who_waits_is_told_who_came(self) -> None:
        """The one who came too, and in the order in which they came."""
        ann, bob = self.guests("ann", "bob")
        table = ann.open(3, goal="4")
        self.assertEqual(table, OpenTable(TableId(1), 3, {"goal": "4"}, ("ann",)))
        self.assertEqual(ann.take(), [])
        bob.join(table.table)
        both = OpenTable(TableId(1), 3, {"goal": "4"}, ("ann", "bob"))
        self.assertEqual((ann.take(), bob.take()), ([both], [both]))
        self.assertEqual(self.lobby.waiting(QUEUE), [both])

    def test_a_private_table_needs_its_code(self) -> None:
        """It is listed nowhere, and the code is told to nobody, but is in the journal: a later life needs it too."""
        ann, bob, eve = self.guests("ann", "bob", "eve")
        table = ann.open(goal="2", code="K7QM2X4A").table
        self.assertEqual(self.lobby.waiting(QUEUE), [])
        for code in ("", "K7QM2X4B", "\u2764"):
            self.assertRaises(NoSuchTable, eve.join, table, QUEUE, code)
        bob.join(table, code="K7QM2X4A")
        self.assertEqual(bob.take()[0], OpenTable(table, 2, {"goal": "2"}, ("ann", "bob")))
        self.assertEqual(self.lobby.tables[table].code, "K7QM2X4A")
        self.assertEqual(self.journal.openings[table].settings, {"goal": "2", "code": "K7QM2X4A"})

    def test_the_second_seat_can_be_kept(self) -> None:
        """For the player who opened the table; only in games of two."""
        ann, bob, carl, dora, eve = self.guests("ann", "bob", "carl", "dora", "eve")
        table = self.lobby.open_table(ann.session, QUEUE, 2, {}, Seat(1))
        self.assertTrue(table.reversed)
        bob.join(table.table)
        self.assertEqual([one.name for one in self.journal.openings[table.table].seats], ["bob", "ann"])
        table = self.lobby.open_table(carl.session, QUEUE, 3, {}, Seat(1))
        dora.join(table.table)
        eve.join(table.table)
        self.assertEqual([one.name for one in self.journal.openings[table.table].seats], ["carl", "dora", "eve"])

    def test_wishes_for_a_seat(self) -> None:
        """In the queue, two who want the same seat do not meet, and all others get what they want."""
        for first, second, names in (
            (None, None, ["ann", "bob"]),
            (0, None, ["ann", "bob"]),
            (1, None, ["bob", "ann"]),
            (None, 0, ["bob", "ann"]),
            (None, 1, ["ann", "bob"]),
            (1, 0, ["bob", "ann"]),
            (0, 1, ["ann", "bob"]),
            (0, 0, None),
            (1, 1, None),
        ):
            self.setUp()
            ann, bob, carl = self.guests("ann", "bob", "carl")
            self.assertFalse(ann.play(first))
            self.assertEqual(bob.play(second), names is not None)
            if names is None:
                self.assertTrue(carl.play())
                names = ["ann", "carl"] if first == 0 else ["carl", "ann"]
            self.assertEqual([one.name for one in self.journal.openings[TableId(1)].seats], names)

    def test_waiting_can_be_stopped(self) -> None:
        """The player stays in the lobby, and meets nobody."""
        ann, bob, carl = self.guests("ann", "bob", "carl")
        ann.play(1)
        self.lobby.stop_waiting(ann.session)
        bob.open()
        self.lobby.stop_waiting(bob.session)
        self.assertEqual(self.lobby.waiting(QUEUE), [])
        self.assertFalse(carl.play(1))
        self.assertIs(self.lobby.registry.get("ann"), ann.session)
        self.assertTrue(ann.play())

    def test_settings_are_checked(self) -> None:
        """Those of a match go on top of the host's; one that cannot be used is named."""
        self.assertEqual(self.lobby.settings_for(QUEUE, {"code": "x"}), {"goal": "3", "code": "x"})
        error = self.assertRaises(BadOption, self.lobby.settings_for, QUEUE, {"goal": "many"})
        self.assertIn("goal", str(error))
        error = self.assertRaises(BadOption, self.lobby.settings_for, QUEUE, {"championship": "1"})
        self.assertIn("championship", str(error))

    def test_the_last_seat_begins_the_match(self) -> None:
        """At a table of the same number, with the seats in the order of coming, and the table waits no more."""
        ann, bob = self.guests("ann", "bob")
        table = ann.open(goal="2").table
        bob.join(table)
        [full, counted] = bob.take()
        self.assertEqual(full.names, ("ann", "bob"))
        self.assertEqual(counted, Counted(0, counted.lucky))
        assert ann.handle is not None and bob.handle is not None
        self.assertEqual((ann.handle.table, ann.handle.seat, bob.handle.seat), (table, 0, 1))
        self.assertEqual(self.journal.openings[table].settings, {"goal": "2"})
        self.assertEqual(self.lobby.waiting(QUEUE), [])
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_settings_of_the_host_are_those_of_the_table(self) -> None:
        """Unless whoever opens it says otherwise."""
        [ann] = self.guests("ann")
        self.assertEqual(ann.open().settings, {"goal": "3"})

    def test_who_leaves_is_gone_and_the_last_one_takes_the_table_along(self) -> None:
        """The others are told; whoever opened it is nothing special."""
        ann, bob, carl = self.guests("ann", "bob", "carl")
        table = ann.open(3).table
        bob.join(table)
        ann.leave()
        self.assertEqual(bob.take()[-1].names, ("bob",))
        self.assertIs(self.lobby.registry.get("ann"), None)
        carl.join(table)
        carl.leave()
        bob.leave()
        self.assertEqual(self.lobby.waiting(QUEUE), [])
        self.assertEqual(self.clock.getDelayedCalls(), [])
        [dora] = self.guests("dora")
        self.assertRaises(NoSuchTable, dora.join, table)

    def test_tables_of_others_are_not_there(self) -> None:
        """An unknown number, another pool's table, and one whose match has begun."""
        ann, bob, carl = self.guests("ann", "bob", "carl")
        table = ann.open().table
        self.assertRaises(NoSuchTable, bob.join, TableId(99))
        self.assertRaises(NoSuchTable, bob.join, table, Queue(TOY, "apart"))
        self.assertEqual(self.lobby.waiting(Queue(TOY, "apart")), [])
        bob.join(table)
        self.assertRaises(NoSuchTable, carl.join, table)

    def test_row_121_one_of_two_takes_the_last_seat(self) -> None:
        """The other is told that the table is full as long as nobody has heard of the match, and then that it is not there."""
        self.journal.late = True
        ann, bob, carl = self.guests("ann", "bob", "carl")
        table = ann.open().table
        bob.join(table)
        self.assertRaises(TableFull, carl.join, table)
        self.journal.release()
        self.assertRaises(NoSuchTable, carl.join, table)

    def test_row_117_one_address_has_so_many_tables_waiting(self) -> None:
        """Those that have begun, or are gone, do not count; another address has its own."""
        ann, bob, carl, dora = self.guests("ann", "bob", "carl", "dora")
        first = ann.open().table
        bob.open()
        carl.open()
        self.assertRaises(TooManyTables, dora.open)
        Guest(self.lobby, "eve", "198.51.100.7").open()
        dora.join(first)
        [fred] = self.guests("fred")
        self.assertEqual(len(fred.open().names), 1)
        free = self.new_lobby(None)
        for number in range(9):
            Guest(free, f"guest{number}").open()
        self.assertEqual(len(free.waiting(QUEUE)), 9)

    def test_the_oldest_200_are_listed(self) -> None:
        """A list has its end; who is not in it yet can be joined, and is when an older table is gone."""
        self.lobby = self.new_lobby(None)
        guests = self.guests(*(f"guest{number}" for number in range(202)))
        tables = [guest.open().table for guest in guests]
        self.assertEqual([open_table.table for open_table in self.lobby.waiting(QUEUE)], tables[:200])
        [ann] = self.guests("ann")
        ann.join(tables[201])
        guests[0].leave()
        self.assertEqual([open_table.table for open_table in self.lobby.waiting(QUEUE)], tables[1:201])

    def test_row_117_a_network_is_one_address(self) -> None:
        """In IPv6 whoever has one address has as many as they like."""
        for number in range(3):
            Guest(self.lobby, f"guest{number}", f"2001:db8::{number}").open()
        self.assertRaises(TooManyTables, Guest(self.lobby, "dora", "2001:db8::ffff").open)
        Guest(self.lobby, "eve", "2001:db8:0:1::1").open()

    def test_row_118_a_table_waits_ten_minutes(self) -> None:
        """Then it is closed, those who wait are told, and can open another."""
        ann, bob = self.guests("ann", "bob")
        table = ann.open(3).table
        self.clock.advance(300)
        bob.join(table)
        self.clock.advance(299)
        self.assertEqual(len(self.lobby.waiting(QUEUE)), 1)
        self.clock.advance(1)
        self.assertEqual((ann.take()[-1], bob.take()[-1]), (TableClosed(table), TableClosed(table)))
        self.assertEqual(self.lobby.waiting(QUEUE), [])
        self.assertEqual(ann.open().names, ("ann",))

    def test_a_host_that_stops_closes_no_table(self) -> None:
        """No timer is left."""
        [ann] = self.guests("ann")
        ann.open()
        self.lobby.close()
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_a_seat_given_up_is_told_before_what_comes_of_it(self) -> None:
        """To the others alone, in the order of everything else."""
        ann, bob = self.guests("ann", "bob")
        bob.join(ann.open().table)
        ann.take(), bob.take()
        assert bob.handle is not None
        bob.handle.leave()
        left, over = ann.take()
        self.assertEqual(left, Left(bob.handle.seat))
        self.assertEqual(over.result.winners, (ann.handle.seat,) if ann.handle else ())
        self.assertEqual(bob.take(), [])
