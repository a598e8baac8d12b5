"""Those who wait: in queues and at open tables, for how long, and how often matches begin."""

from collections.abc import Sequence
from typing import Any

from msgspec import json
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.login import LoginService, at_once
from gamehost.accounts.names import name_of
from gamehost.games.base import Seat
from gamehost.journal.records import TableId
from gamehost.limits import Limits
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.membership import Membership
from gamehost.lobby.queues import LONGEST, NewMatches, NoSuchTable, Queues, Reservation, TableFull, TooManyTables
from gamehost.lobby.sessions import Queue, ResumePolicy, Session, SessionRegistry
from gamehost.net.connection import CLOSING_SECONDS
from gamehost.net.context import Cork
from gamehost.settings import BadOption
from gamehost.storage.durable import StoredAccounts
from gamehost.storage.memory import MemoryJournal
from gamehost.tables.context import TableContext
from gamehost.tables.interfaces import Left, OpenTable, SeatHandle, TableClosed
from tests.kit.example_game import TOY, Add, Counted
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.players import house_host
from tests.kit.wires.open import act, line

KEY = ("onitama", "")


class QueuesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.late: list[str] = []
        self.queues = Queues(self.clock, Membership(), self.too_long)

    def too_long(self, session: Session) -> None:
        self.late.append(session.name)
        self.queues.leave(session)

    def session(self, name: str) -> Session:
        return Session(name_of(name), "onitama", "192.0.2.1", False, None)

    def met(self, session: Session, wish: int | None = None, seats: int = 2) -> str | None:
        self.assertTrue(self.queues.join(KEY, session, None if wish is None else Seat(wish)))
        found = self.queues.match(KEY, session, seats)
        return None if found is None else " ".join(one.name for one in found)

    def test_the_first_comes_first(self) -> None:
        for name in ("ann", "bob"):
            self.assertIsNone(self.met(self.session(name), seats=4))
        self.assertEqual(self.met(self.session("carl"), seats=3), "ann bob carl")
        self.assertEqual(self.met(self.session("dora")), "ann dora")

    def test_places_that_are_kept(self) -> None:
        """Those of a contest meet each other, in the seats that it gave them, and nobody else."""
        self.queues.reservations.append(
            Reservation("onitama", ("Bob", "ann"), {}, lambda name: None, lambda table: None)
        )
        for name in ("eve", "ann"):
            self.assertIsNone(self.met(self.session(name), wish=None if name == "eve" else 0))
        self.assertEqual(self.met(self.session("carl")), "eve carl")
        self.assertEqual(self.met(self.session("bob"), wish=1), "bob ann")

    def test_places_that_are_kept_for_a_key(self) -> None:
        """Whoever has the name of a player, and not the key, has no such place."""
        self.queues.reservations.append(
            Reservation("onitama", ("bob", "ann"), {}, lambda name: None, lambda table: None, {"ann": "digest"})
        )
        thief, ann = self.session("ann"), self.session("ann")
        ann.key_digest = "digest"
        self.assertIsNone(self.met(thief))
        self.assertIsNone(self.met(self.session("bob")))
        self.assertEqual(self.met(ann), "bob ann")

    def test_players_with_the_same_wish_do_not_meet(self) -> None:
        self.assertIsNone(self.met(self.session("ann"), wish=1))
        self.assertIsNone(self.met(self.session("bob"), wish=1))
        self.assertEqual(self.met(self.session("carl")), "carl ann")
        self.assertEqual(self.met(self.session("dora"), wish=0), "dora ann")

    def test_nobody_waits_twice_and_who_leaves_does_not_wait(self) -> None:
        ann, bob = self.session("ann"), self.session("bob")
        self.met(ann)
        self.assertFalse(self.queues.join(KEY, ann, None))
        self.queues.join(("stratego", ""), bob, None)
        self.assertEqual(self.queues.everybody(), [ann, bob])
        for session in (ann, bob, bob):
            self.queues.leave(session)
        self.assertEqual((self.queues.everybody(), self.queues.waiting), ([], {}))
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_nobody_waits_for_longer_than_a_day(self) -> None:
        ann, bob, carl = (self.session(name) for name in ("ann", "bob", "carl"))
        for session in (ann, bob, carl):
            self.queues.join(KEY, session, None)
            self.clock.advance(10)
        self.queues.leave(ann)
        self.clock.pump([LONGEST - 30, 9.5])
        self.assertEqual(self.late, [])
        self.clock.advance(0.5)
        self.assertEqual(self.late, ["bob"])
        self.clock.advance(10)
        self.assertEqual((self.late, self.clock.getDelayedCalls()), (["bob", "carl"], []))

    def test_the_host_stops(self) -> None:
        self.queues.join(KEY, self.session("ann"), None)
        self.queues.halt()
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_which_queues_are_one(self) -> None:
        """A wire that is kept separate shares its game's queue with nobody; required settings keep nobody apart."""
        for queue, same in (
            (Queue(TOY), True),
            (Queue(TOY, "toy"), False),
            (Queue(TOY, required={"colour": "red"}), True),
        ):
            self.assertIs(queue.key == Queue(TOY).key, same, queue)

    def test_a_client_that_waits_for_a_day(self) -> None:
        for strict in (False, True):
            host = MemoryHost(strict=strict)
            ann = host.connect("onitama", "192.0.2.1")
            ann.say("LOGIN|ann")
            host.wait(LONGEST - 1)
            self.assertFalse(ann.closed)
            self.assertIsNotNone(host.lobby.registry.get("ann"))
            ann.heard()
            host.wait(1)
            self.assertIs("nobody came for a day" in "".join(ann.heard()), not strict)
            host.wait(CLOSING_SECONDS)
            self.assertTrue(ann.closed)
            self.assertIsNone(host.lobby.registry.get("ann"))
            host.connect("onitama", "192.0.2.2").say("LOGIN|bob")
            self.assertFalse(host.lobby.tables)


HERE, THERE, LOOPBACK = "2001:db8::1", "192.0.2.7", "127.0.0.1"
#: Two at once, and then one every ten seconds.
RATE = {"limits.new_matches_per_second": "0.1", "limits.new_matches_burst": "2"}


def told(client: Client) -> list[dict[str, Any]]:
    return [json.decode(one) for one in client.heard()]


class NewMatchesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.calls: list[float] = []
        self.rates = NewMatches(self.clock, lambda: self.calls.append(self.clock.seconds()))
        self.rates.limit((0.5, 2))

    def test_an_address(self) -> None:
        for _ in range(2):
            self.assertIsNone(self.rates.refusal(HERE))
            self.rates.begin([HERE, "2001:db8::2", LOOPBACK])
        self.assertEqual(self.rates.refusal("2001:db8::3"), "too many new matches from your address: try again in 2 s")
        self.assertEqual([self.rates.seconds_until(one) for one in (THERE, LOOPBACK, "")], [0.0] * 3)
        self.clock.advance(2)
        self.assertEqual(self.rates.seconds_until(HERE), 0.0)
        self.rates.limit(None)
        for _ in range(9):
            self.rates.begin([HERE])
        self.assertEqual(self.rates.seconds_until(HERE), 0.0)

    def test_one_timer(self) -> None:
        for seconds in (5.0, 2.0, 4.0):
            self.rates.wait(seconds)
        self.clock.advance(2)
        self.assertEqual(self.calls, [2.0])
        self.rates.wait(3.0)
        self.rates.halt()
        self.rates.wait(3.0)
        self.assertEqual(self.clock.getDelayedCalls(), [])


class LobbyTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.host, _ = house_host(RATE)
        self.names = 0

    def enter(self, address: str, **seek: Any) -> Client:
        self.names += 1
        client = self.host.connect("open", address)
        client.send(line(do="enter", name=f"p{self.names}") + line(do="seek", game="onitama", **seek))
        return client

    def is_seated(self, client: Client) -> bool:
        return any(one["is"] == "seated" for one in told(client))

    def test_opening_and_resigning(self) -> None:
        begun = []
        ann, bob = self.enter(HERE), self.enter(HERE)
        for _ in range(25):
            for client in (ann, bob):
                heard = [one["is"] for one in told(client)]
                if "seated" in heard and client is ann:
                    begun.append(self.host.clock.seconds())
                    client.send(line(do="leave"))
                if "over" in heard or "seated" in heard:
                    client.send(line(do="seek", game="onitama"))
            for client in (ann, bob):
                client.send(line(do="seek", game="onitama"))
            self.host.wait(1)
        self.assertLessEqual(len(begun), 5)
        self.assertLessEqual(len(self.host.lobby.tables) + len(self.host.journal.openings), 5)

    def test_others_are_matched_meanwhile(self) -> None:
        """Who has to wait stays in the queue. Others meet each other, and this one when the time has come."""
        for _ in range(2):
            self.assertEqual([self.is_seated(one) for one in (self.enter(HERE), self.enter(HERE))], [True, True])
        held = self.enter(HERE)
        others = [self.enter(THERE), self.enter("192.0.2.8")]
        self.assertEqual([self.is_seated(one) for one in (held, *others)], [False, True, True])
        third = self.enter("192.0.2.9")
        self.assertFalse(self.is_seated(third))
        self.host.wait(9.8)
        self.assertFalse(self.is_seated(held))
        self.host.wait(0.3)
        self.assertEqual([self.is_seated(held), self.is_seated(third)], [True, True])

    def test_what_is_refused_in_words(self) -> None:
        for _ in range(2):
            self.assertTrue(self.is_seated(self.enter(HERE, house="easy")))
        for seek in ({"house": "easy"}, {"private": True}):
            [_, sorry] = told(self.enter(HERE, **seek))
            self.assertIn("too many new matches from your address: try again in 10 s", sorry["why"])
        self.assertTrue(self.is_seated(self.enter(THERE, house="easy")))
        for _ in range(5):
            self.assertTrue(self.is_seated(self.enter(LOOPBACK, house="easy")))

    def test_nobody_is_matched_when_the_host_stops(self) -> None:
        for _ in range(5):
            self.enter(HERE)
        self.host.lobby.close()
        self.assertEqual([call for call in self.host.clock.getDelayedCalls() if "NewMatches" in repr(call)], [])


class ListTests(SynchronousTestCase):
    def test_they_are_in_no_list(self) -> None:
        host = MemoryHost({"onitama.deal": "boar,ox/crab,eel/tiger"})
        for name, action in (("a", b""), ("b", act("ox c1 c2", table=2))):
            pair = [host.connect("open"), host.connect("open")]
            for number, client in enumerate(pair):
                client.send(line(do="enter", name=f"{name}{number}") + line(do="seek", game="onitama"))
            pair[0].send(action + line(do="leave"))
        found: list[Any] = []
        Deferred.fromCoroutine(host.lobby.directory.finished.newest(None, 10)).addCallback(found.append)
        Deferred.fromCoroutine(host.lobby.directory.finished.tally()).addCallback(found.append)
        (matches, low), tally = found
        self.assertEqual(([one.opening.seats[0].name for one in matches], low), (["b0"], 1))
        self.assertEqual(tally.matches, {"onitama": 1})


QUEUE = Queue(TOY)


class Guest:
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
        told, self.told = self.told, []
        return told

    def leave(self) -> None:
        self.lobby.leave(self.session, self)

    def open(self, seats: int = 2, **settings: str) -> OpenTable:
        return self.lobby.open_table(self.session, QUEUE, seats, settings)

    def join(self, table: TableId, queue: Queue = QUEUE, code: str = "") -> None:
        self.lobby.join(self.session, queue, table, code)

    def play(self, wish: int | None = None) -> bool:
        return self.lobby.play(self.session, QUEUE, None if wish is None else Seat(wish))


class GatheringTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.journal = RecordingJournal()
        self.lobby = self.new_lobby(3)

    def new_lobby(self, open_tables: int | None) -> Lobby:
        registry = SessionRegistry(ResumePolicy.ANY)
        login_service = LoginService(
            StoredAccounts(MemoryJournal()), registry.is_guest, self.clock, at_once, Limits(), Cork()
        )
        context = TableContext(self.clock, self.journal)
        lobby = Lobby(context, registry, {"toy": {"goal": "3"}}, login_service=login_service)
        lobby.waiting_tables.most = open_tables
        return lobby

    def guests(self, *names: str) -> Sequence[Guest]:
        return [Guest(self.lobby, name) for name in names]

    def test_everybody_who_waits_is_told_who_came(self) -> None:
        ann, bob = self.guests("ann", "bob")
        table = ann.open(3, goal="4")
        self.assertEqual(table, OpenTable(TableId(1), 3, {"goal": "4"}, ("ann",), game="toy"))
        self.assertEqual(ann.take(), [])
        bob.join(table.table)
        both = OpenTable(TableId(1), 3, {"goal": "4"}, ("ann", "bob"), game="toy")
        self.assertEqual((ann.take(), bob.take()), ([both], [both]))
        self.assertEqual(self.lobby.waiting(QUEUE), [both])

    def test_a_private_table_needs_its_code(self) -> None:
        """It is listed nowhere, and the code is told to nobody, but is in the journal: a later run needs it too."""
        ann, bob, eve = self.guests("ann", "bob", "eve")
        table = ann.open(goal="2", code="K7QM2X4A").table
        self.assertEqual(self.lobby.waiting(QUEUE), [])
        for code in ("", "K7QM2X4B", "\u2764"):
            self.assertRaises(NoSuchTable, eve.join, table, QUEUE, code)
        bob.join(table, code="K7QM2X4A")
        self.assertEqual(bob.take()[0], OpenTable(table, 2, {"goal": "2"}, ("ann", "bob"), game="toy", code="K7QM2X4A"))
        self.assertEqual(self.lobby.tables[table].code, "K7QM2X4A")
        self.assertEqual(self.journal.openings[table].settings, {"goal": "2", "code": "K7QM2X4A"})

    def test_the_second_seat_can_be_kept(self) -> None:
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
        ann, bob, carl = self.guests("ann", "bob", "carl")
        table = ann.open().table
        self.assertRaises(NoSuchTable, bob.join, TableId(99))
        self.assertRaises(NoSuchTable, bob.join, table, Queue(TOY, "apart"))
        self.assertEqual(self.lobby.waiting(Queue(TOY, "apart")), [])
        bob.join(table)
        self.assertRaises(NoSuchTable, carl.join, table)

    def test_one_of_two_takes_the_last_seat(self) -> None:
        """The other is told that the table is full as long as nobody has heard of the match, and then that it is not there."""
        self.journal.late = True
        ann, bob, carl = self.guests("ann", "bob", "carl")
        table = ann.open().table
        bob.join(table)
        self.assertRaises(TableFull, carl.join, table)
        self.journal.release()
        self.assertRaises(NoSuchTable, carl.join, table)

    def test_one_address_has_so_many_tables_waiting(self) -> None:
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
        self.lobby = self.new_lobby(None)
        guests = self.guests(*(f"guest{number}" for number in range(202)))
        tables = [guest.open().table for guest in guests]
        self.assertEqual([open_table.table for open_table in self.lobby.waiting(QUEUE)], tables[:200])
        [ann] = self.guests("ann")
        ann.join(tables[201])
        guests[0].leave()
        self.assertEqual([open_table.table for open_table in self.lobby.waiting(QUEUE)], tables[1:201])

    def test_a_network_is_one_address(self) -> None:
        """In IPv6 whoever has one address has as many as they like."""
        for number in range(3):
            Guest(self.lobby, f"guest{number}", f"2001:db8::{number}").open()
        self.assertRaises(TooManyTables, Guest(self.lobby, "dora", "2001:db8::ffff").open)
        Guest(self.lobby, "eve", "2001:db8:0:1::1").open()

    def test_a_table_waits_ten_minutes(self) -> None:
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
