"""Who is let in, on all wires and over HTTP, and what is remembered of it."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.bans import Bans
from gamehost.limits import Limits
from gamehost.net.limiter import ConnectionLimiter, HttpLimiter
from gamehost.testing.cases import PropertyCase
from tests.kit.example_game import TOY_WIRE
from tests.kit.memory_host import MemoryHost

LIMITS = Limits(connections=4, connections_per_address=2, new_per_second=1.0, new_burst=3)


class DoorkeeperTests(PropertyCase):
    def test_connections_in_all(self) -> None:
        door = ConnectionLimiter(LIMITS)
        for address in ("a", "a", "b", "b"):
            self.assertIs(door.admit(address, 0.0), None)
        self.assertEqual(door.admit("c", 0.0), "too many connections")
        self.assertEqual((door.count, door.refused), (4, 1))
        door.leave("a")
        self.assertIs(door.admit("c", 0.0), None)
        self.assertEqual((door.count, door.refused), (4, 1))

    def test_banned(self) -> None:
        bans = Bans()
        bans.put("192.0.2.0/24", None, lambda: None)
        for limits in (LIMITS, Limits(unlimited=True)):
            door = ConnectionLimiter(limits, bans=bans)
            self.assertEqual(door.admit("192.0.2.1", 0.0), "your address is banned from this host")
            self.assertEqual(door.refusals, {"banned": 1})
            self.assertIsNone(door.admit("192.0.3.1", 0.0))
            self.assertEqual((door.count, door.refused), (1, 1))

    def test_connections_from_one_address(self) -> None:
        door = ConnectionLimiter(LIMITS)
        self.assertEqual([door.admit("a", 0.0), door.admit("a", 0.0)], [None, None])
        self.assertEqual(door.admit("a", 0.0), "too many connections from this address")
        self.assertIs(door.admit("b", 0.0), None)
        door.leave("a")
        self.assertIs(door.admit("a", 0.0), None)

    def test_new_connections_in_a_short_time(self) -> None:
        door = ConnectionLimiter(LIMITS)
        for _ in range(3):
            self.assertIs(door.admit("a", 0.0), None)
            door.leave("a")
        self.assertEqual(door.admit("a", 0.5), "too many new connections from this address")
        self.assertIs(door.admit("b", 0.5), None)
        self.assertIs(door.admit("a", 1.0), None)

    def test_open_lifts_all_three_limits(self) -> None:
        door = ConnectionLimiter(LIMITS.changed(unlimited=True))
        self.assertEqual({door.admit("a", 0.0) for _ in range(100)}, {None})
        self.assertEqual((door.count, door.refused), (100, 0))

    def test_a_storm_leaves_nothing_behind(self) -> None:
        """Addresses that are as good as new are forgotten: a storm from many does not grow the memory for good."""
        door = ConnectionLimiter(LIMITS)
        door.admit("stays", 0.0)
        for number in range(20_000):
            address = str(number)
            door.admit(address, number / 1000)
            door.leave(address)
        self.assertLess(len(door._addresses), 5000)
        door.admit("stays", 1000.0)
        self.assertEqual(door.admit("stays", 1000.0), "too many connections from this address")

    def test_sweeping_forgets_no_debt(self) -> None:
        door = ConnectionLimiter(LIMITS)
        for _ in range(3):
            door.admit("a", 0.0)
            door.leave("a")
        for number in range(2000):
            door.admit(str(number), 0.0)
            door.leave(str(number))
        self.assertEqual(door.admit("a", 0.0), "too many new connections from this address")

    @given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=60))
    def test_counts_are_right(self, doings: list[tuple[str, bool]]) -> None:
        door = ConnectionLimiter(LIMITS.changed(new_burst=1000))
        inside: list[str] = []
        refused = 0
        for address, comes in doings:
            if comes:
                if door.admit(address, 0.0) is None:
                    inside.append(address)
                else:
                    refused += 1
            elif address in inside:
                inside.remove(address)
                door.leave(address)
            self.assertEqual((door.count, door.refused), (len(inside), refused))
            self.assertLessEqual(len(inside), 4)
            self.assertLessEqual(max((inside.count(one) for one in "abc"), default=0), 2)

    def test_a_network_is_one_client(self) -> None:
        """In IPv6 everybody has as many addresses as they like within their network: they count as one."""
        door = ConnectionLimiter(LIMITS)
        self.assertIs(door.admit("2001:db8::1", 0.0), None)
        self.assertIs(door.admit("2001:db8::ffff:2", 0.0), None)
        self.assertEqual(door.admit("2001:db8:0:0:3::", 0.0), "too many connections from this address")
        self.assertIs(door.admit("2001:db8:0:1::1", 0.0), None)
        door.leave("2001:db8::1")
        door.leave("2001:db8::ffff:2")
        self.assertIs(door.admit("2001:db8::9", 0.0), None)

    def test_reserved_connections(self) -> None:
        limits = LIMITS.changed(connections=40, connections_per_address=10, new_burst=1000)
        door = ConnectionLimiter(limits, seats_at=lambda address: int(address == "192.0.2.7"))
        for number in range(38):
            self.assertIs(door.admit(str(number), 0.0), None)
        self.assertEqual(door.admit("192.0.2.8", 0.0), "too many connections")
        self.assertIs(door.admit("192.0.2.7", 0.0), None)
        door.leave("0")
        door.leave("1")
        door.leave("2")
        self.assertIs(door.admit("192.0.2.7", 0.0), None)
        self.assertIs(door.admit("2", 0.0), None)
        self.assertEqual(door.admit("192.0.2.7", 0.0), "too many connections")

    def test_reserved_connections_of_few_files(self) -> None:
        """If the process may open fewer files, the reserve is a part of those."""
        limits = LIMITS.changed(connections=4000)
        door = ConnectionLimiter(limits, room=20, seats_at=lambda address: int(address == "seated"))
        for number in range(19):
            self.assertIs(door.admit(str(number), 0.0), None)
        self.assertEqual(door.admit("stranger", 0.0), "too many connections")
        self.assertIs(door.admit("seated", 0.0), None)

    def test_room(self) -> None:
        """Where the process has files for two, two are let in, whatever the settings say."""
        for limits in (LIMITS, LIMITS.changed(unlimited=True, connections=1000)):
            door = ConnectionLimiter(limits, room=2)
            self.assertEqual([door.admit(one, 0.0) for one in "abc"], [None, None, "too many connections"])
            door.leave("a")
            self.assertIs(door.admit("c", 0.0), None)


class HttpTests(SynchronousTestCase):
    def limiter(self, room: int | None = None, **more: Any) -> HttpLimiter:
        usual: dict[str, Any] = {"http_connections": 9, "http_connections_per_address": 2, "http_new_burst": 4}
        return HttpLimiter(Limits(**{**usual, "http_new_per_second": 1.0, **more}), room)

    def test_connections_of_one_address(self) -> None:
        limiter = self.limiter()
        self.assertEqual([limiter.admit("a", 0.0) for _ in range(3)], [True, True, False])
        self.assertTrue(limiter.admit("b", 0.0))
        limiter.leave("a")
        self.assertTrue(limiter.admit("a", 0.0))
        limiter.leave("a")
        self.assertTrue(limiter.admit("a", 0.0))
        limiter.leave("a")
        self.assertFalse(limiter.admit("a", 0.5))
        self.assertTrue(limiter.admit("a", 1.0))

    def test_connections_in_all(self) -> None:
        """Or as many as there are files for. A proxy has connections of many clients: they count here alone."""
        for limiter, most in ((self.limiter(), 9), (self.limiter(room=4), 4), (self.limiter(unlimited=True), 9)):
            self.assertEqual([limiter.admit("", 0.0) for _ in range(most + 1)], [True] * most + [False])
            self.assertEqual((limiter.count, limiter.refused_connections), (most, 1))

    def test_nothing_is_left(self) -> None:
        limiter = self.limiter()
        for number in range(5_000):
            limiter.admit(str(number), float(number))
            limiter.leave(str(number))
        self.assertEqual((limiter.count, len(limiter._by_address)), (0, 0))
        self.assertLess(len(limiter._new), 2_000)

    def test_requests(self) -> None:
        limiter = self.limiter(http_requests_per_second=2.0, http_requests_burst=3)
        self.assertEqual([limiter.may_ask("a", 0.0) for _ in range(4)], [True] * 3 + [False])
        self.assertEqual(limiter.refused_requests, 1)
        self.assertTrue(limiter.may_ask("b", 0.0))
        self.assertTrue(limiter.may_ask("a", 0.5))
        limiter = self.limiter(http_requests_burst=1, unlimited=True)
        self.assertTrue(all(limiter.may_ask("a", 0.0) for _ in range(9)))


# The rate of accepted moves, of a connection and of an address: it slows clients down, and refuses nothing.


class QuickTable:
    def __init__(self, world: MemoryHost, name: str, address: str) -> None:
        self.players = [world.connect("toy", address) for _ in range(2)]
        self.moves = 0
        for seat, player in enumerate(self.players):
            player.say(f"hi {name}{seat}")
        for player in self.players:
            player.heard()
        self.send()

    def send(self) -> None:
        self.players[self.moves % 2].transport.receive(b"+2\n")

    def play(self, most: int = 1_000) -> int:
        before = self.moves
        while self.moves - before < most:
            both = [player.heard() for player in self.players]
            if not any(line.startswith("count") for line in both[self.moves % 2]):
                break
            self.moves += 1
            self.send()
        return self.moves - before

    @property
    def closed(self) -> bool:
        return any(player.closed for player in self.players)


class MoveRateTests(SynchronousTestCase):
    def host(self, **limits: str) -> MemoryHost:
        settings = {"moves_per_second": "20", "moves_per_second_per_address": "200", **limits}
        return MemoryHost(
            {"toy.goal": "1000000", **{f"limits.{name}": text for name, text in settings.items()}}, wires=(TOY_WIRE,)
        )

    def test_a_connection_is_slowed_down(self) -> None:
        world = self.host()
        table = QuickTable(world, "bot", "192.0.2.1")
        self.assertTrue(200 <= table.play() <= 202)
        begun = table.moves
        for _ in range(1_000):
            world.wait(0.01)
            table.play()
        self.assertTrue(390 <= table.moves - begun <= 402, table.moves - begun)
        self.assertFalse(table.closed)

    def test_moves_of_one_segment_are_slowed_down(self) -> None:
        """What a player sends ahead is heard later, in order, also if it came in one segment with an accepted move."""
        world = self.host(moves_per_second="0.2")
        table = QuickTable(world, "bot", "192.0.2.1")
        ann, bob = table.players
        ann.heard()
        bob.say("+1")
        ann.heard()
        ann.transport.receive(b"+1\nsay 3\nsay 4\n")
        self.assertEqual([line for line in ann.heard() if line.startswith("x")], [])
        world.wait(4.9)
        self.assertEqual([line for line in ann.heard() if line.startswith("x")], [])
        world.wait(0.2)
        self.assertEqual([line for line in ann.heard() if line.startswith("x")], ["xx", "xxx"])

    def test_an_address_is_slowed_down_and_others_are_not(self) -> None:
        """Thirty-one tables of one address share its rate; a table elsewhere is answered at once, move by move."""
        world = self.host(new_burst="64")
        quick = [QuickTable(world, f"bot{number}x", "192.0.2.1") for number in range(31)]
        honest = QuickTable(world, "ann", "198.51.100.7")
        for table in quick:
            table.play()
        begun = sum(table.moves for table in quick)
        self.assertTrue(1_000 <= begun <= 1_062, begun)
        for tick in range(1_000):
            world.wait(0.01)
            for table in quick:
                table.play()
            if tick % 25 == 0:
                self.assertEqual(honest.play(most=1), 1)
        moves = sum(table.moves for table in quick) - begun
        self.assertTrue(1_950 <= moves <= 2_050, moves)
        self.assertFalse(any(table.closed for table in quick))

    def test_unlimited_lifts_the_rates(self) -> None:
        table = QuickTable(self.host(unlimited="yes"), "bot", "192.0.2.1")
        self.assertEqual(table.play(5_000), 5_000)

    def test_a_paused_connection_that_is_lost_leaves_nothing(self) -> None:
        world = self.host(moves_per_second="0.2")
        table = QuickTable(world, "bot", "192.0.2.1")
        table.play()
        self.assertTrue(all(player.protocol.deadlines for player in table.players))
        for player in table.players:
            player.drop()
        self.assertEqual(world.context.limiter.count, 0)
        self.assertFalse(any(player.protocol.deadlines for player in table.players))
