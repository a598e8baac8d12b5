"""What one client may cost: tokens flow back with time, and every connection that comes in is counted out again."""

from pathlib import Path

from attrs import evolve, fields
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.limits import ConnectionLimiter, KeyedBuckets, Limits, TokenBucket, rate_limit_key
from gamehost.settings import BadOption
from gamehost.testing.cases import PropertyCase


class LimitsTests(SynchronousTestCase):
    """Limits as settings."""

    def test_nothing_set_is_all_defaults(self) -> None:
        """Without settings the limits are those of the class."""
        self.assertEqual(Limits.read({}), Limits())

    def test_every_limit_can_be_set(self) -> None:
        """Each limit is a setting under its own name, read to its own type."""
        self.assertEqual(Limits.read({"unlimited": "yes"}), Limits(unlimited=True))
        for limit in fields(Limits):
            if limit.name != "unlimited":
                text = "15" if limit.name == "password_work" else "2000"
                read = getattr(Limits.read({limit.name: text}), limit.name)
                self.assertEqual(read, int(text))
                self.assertIs(type(read), type(limit.default), limit.name)

    def test_every_limit_says_why(self) -> None:
        """The words of each tell its unit and, after a colon, the reason; a yes or no tells what it does."""
        for limit in fields(Limits):
            self.assertIn(": ", limit.metadata["words"], limit.name)

    def test_every_limit_is_in_the_documentation(self) -> None:
        """The page for those who run a host names each of them."""
        page = (Path(__file__).parents[1] / "docs" / "operating.rst").read_text("utf-8")
        for limit in fields(Limits):
            self.assertIn(f"``limits.{limit.name}``", page)

    def test_refused(self) -> None:
        """An unknown limit, and a value that makes no sense, are named."""
        bad = {
            "no_such_limit": "1",
            "unlimited": "perhaps",
            "connections": "0",
            "messages_per_turn": "10001",
            "queue_bytes": "1023",
            "login_seconds": "-1",
            "new_per_second": "inf",
        }
        for name, text in bad.items():
            self.assertIn(name, str(self.assertRaises(BadOption, Limits.read, {name: text})))

    def test_a_rate_of_zero_is_refused(self) -> None:
        """Nothing could ever be sent at it, and waiting times are divided by it."""
        for limit in fields(Limits):
            if limit.name.endswith("per_second"):
                error = self.assertRaises(BadOption, Limits.read, {limit.name: "0"})
                self.assertIn(f"{limit.name}: expected a number a second greater than 0", str(error))


class TokenBucketTests(PropertyCase):
    """So many at once, so many a second in the long run."""

    def test_a_burst_and_then_none(self) -> None:
        """A full bucket gives its burst at once, and not one token more."""
        bucket = TokenBucket(1.0, 3, 50.0)
        self.assertEqual([bucket.take(50.0) for _ in range(5)], [True, True, True, False, False])

    def test_many_tokens_at_once(self) -> None:
        """All of them are taken, or none; what is missing is counted."""
        bucket = TokenBucket(2.0, 10, 0.0)
        self.assertEqual([bucket.take(0.0, 8), bucket.take(0.0, 3), bucket.take(0.0, 2)], [True, False, True])
        self.assertEqual(bucket.missing, 10)
        self.assertEqual([bucket.take(1.0, 3), bucket.take(1.5, 3)], [False, True])

    def test_tokens_flow_back(self) -> None:
        """At two tokens a second one is back after half a second, not before; waiting for long gives no more than the burst."""
        bucket = TokenBucket(2.0, 2, 0.0)
        self.assertEqual([bucket.take(0.0), bucket.take(0.0), bucket.take(0.25)], [True, True, False])
        self.assertEqual([bucket.take(0.5), bucket.take(0.5)], [True, False])
        self.assertEqual([bucket.take(9000.0) for _ in range(3)], [True, True, False])

    def test_asking_often_costs_nothing(self) -> None:
        """Refusals take no token: who asks a hundred times a second gets the rate all the same."""
        bucket = TokenBucket(1.0, 1, 0.0)
        self.assertEqual(sum(bucket.take(tick / 128) for tick in range(128 * 10 + 1)), 11)

    def test_a_rate_of_nothing(self) -> None:
        """At rate 0 the burst is all there ever is."""
        bucket = TokenBucket(0.0, 1, 0.0)
        self.assertEqual([bucket.take(time) for time in (0.0, 1e6)], [True, False])

    def test_full(self) -> None:
        """A bucket is full until something is taken, and again when it has flowed back; asking changes nothing."""
        bucket = TokenBucket(1.0, 2, 0.0)
        self.assertTrue(bucket.full(0.0))
        bucket.take(0.0)
        self.assertEqual([bucket.full(0.0), bucket.full(0.5), bucket.full(1.0)], [False, False, True])
        bucket.take(1.0)
        self.assertFalse(bucket.full(1.5))

    @given(st.lists(st.integers(0, 2000), min_size=1, max_size=60), st.integers(1, 8), st.integers(1, 5))
    def test_never_more_than_burst_and_rate(self, waits: list[int], rate: int, burst: int) -> None:
        """Over any time, from any moment, no more tokens go out than the burst and what the rate gives."""
        bucket = TokenBucket(rate, burst, 0.0)
        now = 0.0
        taken: list[float] = []
        for wait in waits:
            now += wait / 1000
            if bucket.take(now):
                taken.append(now)
        for first, start in enumerate(taken):
            for last in range(first, len(taken)):
                self.assertLessEqual(last - first + 1, burst + rate * (taken[last] - start) + 1e-6)

    def test_a_clock_set_back(self) -> None:
        """When the system's clock is set back by an hour nobody waits for that hour, and nothing is given for nothing."""
        bucket = TokenBucket(1.0, 2, 3600.0)
        self.assertEqual([bucket.take(3600.0), bucket.take(3600.0)], [True, True])
        self.assertEqual([bucket.take(0.0), bucket.take(1.0), bucket.take(1.0)], [False, True, False])
        self.assertFalse(bucket.full(0.0))


LIMITS = Limits(connections=4, connections_per_address=2, new_per_second=1.0, new_burst=3)


class AheadTests(SynchronousTestCase):
    """Tokens that are taken before they are there, looked at, and given back."""

    def test_taken_ahead_is_waited_for(self) -> None:
        """Each waits its turn: as long as all before it and itself take to flow back."""
        bucket = TokenBucket(0.5, 2, 0.0)
        self.assertEqual([bucket.take_ahead(0.0) for _ in range(4)], [0.0, 0.0, 2.0, 4.0])
        self.assertEqual(bucket.take_ahead(1.0), 5.0)

    def test_given_back_is_as_if_never_taken(self) -> None:
        """And a full bucket takes no more."""
        bucket = TokenBucket(0.5, 2, 0.0)
        for _ in range(3):
            bucket.take_ahead(0.0)
        for _ in range(9):
            bucket.give_back()
        self.assertEqual([bucket.take_ahead(0.0) for _ in range(3)], [0.0, 0.0, 2.0])

    def test_looking_takes_nothing(self) -> None:
        """Whether there is one, now and later."""
        bucket = TokenBucket(0.5, 1, 0.0)
        self.assertTrue(bucket.has_one(0.0) and bucket.has_one(0.0) and bucket.take(0.0))
        self.assertFalse(bucket.has_one(1.9))
        self.assertTrue(bucket.has_one(2.0))


class BucketsTests(SynchronousTestCase):
    """A bucket for each key."""

    def test_keys_have_their_own(self) -> None:
        """One that is empty is nobody else's."""
        buckets: KeyedBuckets[str] = KeyedBuckets(1.0, 1)
        self.assertTrue(buckets.of("a", 0.0).take(0.0))
        self.assertFalse(buckets.of("a", 0.0).take(0.0))
        self.assertTrue(buckets.of("b", 0.0).take(0.0))

    def test_full_ones_are_forgotten(self) -> None:
        """However many keys come, those that count no more are not kept; those that count are."""
        buckets: KeyedBuckets[int] = KeyedBuckets(1.0, 1)
        for key in range(10_000):
            buckets.of(key, float(key)).take(float(key))
            buckets.of(-1, float(key)).take(float(key))
            self.assertLessEqual(len(buckets), 1024 + 1)
        self.assertFalse(buckets.of(-1, 9_999.0).has_one(9_999.0))


class DoorkeeperTests(PropertyCase):
    """Who is let in, and what is remembered of it."""

    def test_connections_in_all(self) -> None:
        """One more than all connections is turned away, until one leaves."""
        door = ConnectionLimiter(LIMITS)
        for address in ("a", "a", "b", "b"):
            self.assertIs(door.admit(address, 0.0), None)
        self.assertEqual(door.admit("c", 0.0), "too many connections")
        self.assertEqual((door.count, door.refused), (4, 1))
        door.leave("a")
        self.assertIs(door.admit("c", 0.0), None)
        self.assertEqual((door.count, door.refused), (4, 1))

    def test_connections_from_one_address(self) -> None:
        """One address has its own count: others are let in, and it is again when one of its own leaves."""
        door = ConnectionLimiter(LIMITS)
        self.assertEqual([door.admit("a", 0.0), door.admit("a", 0.0)], [None, None])
        self.assertEqual(door.admit("a", 0.0), "too many connections from this address")
        self.assertIs(door.admit("b", 0.0), None)
        door.leave("a")
        self.assertIs(door.admit("a", 0.0), None)

    def test_new_connections_in_a_short_time(self) -> None:
        """Coming and going is limited too, for each address, and the time gives it back."""
        door = ConnectionLimiter(LIMITS)
        for _ in range(3):
            self.assertIs(door.admit("a", 0.0), None)
            door.leave("a")
        self.assertEqual(door.admit("a", 0.5), "too many new connections from this address")
        self.assertIs(door.admit("b", 0.5), None)
        self.assertIs(door.admit("a", 1.0), None)

    def test_open(self) -> None:
        """`open` lifts all three."""
        door = ConnectionLimiter(evolve(LIMITS, unlimited=True))
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
        """Who has just used up their burst is remembered through a sweep."""
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
        """After any coming and going the count is that of who is in, within the limits, and refusals are counted."""
        door = ConnectionLimiter(evolve(LIMITS, new_burst=1000))
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

    def test_whom_an_address_is_counted_as(self) -> None:
        """IPv4 as itself, also in IPv6 clothes; IPv6 by its network; anything else as it is."""
        for address, whom in (
            ("192.0.2.1", "192.0.2.1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:DB8:1:2::", "2001:db8:1:2::/64"),
            ("fe80::1%eth0", "fe80::/64"),
            ("::1", "::/64"),
            ("", ""),
            ("no:address", "no:address"),
        ):
            self.assertEqual(rate_limit_key(address), whom)

    def test_reserved_connections(self) -> None:
        """The last 5 percent are for addresses with seats in matches, two for each seat."""
        limits = evolve(LIMITS, connections=40, connections_per_address=10, new_burst=1000)
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
        limits = evolve(LIMITS, connections=4000)
        door = ConnectionLimiter(limits, room=20, seats_at=lambda address: int(address == "seated"))
        for number in range(19):
            self.assertIs(door.admit(str(number), 0.0), None)
        self.assertEqual(door.admit("stranger", 0.0), "too many connections")
        self.assertIs(door.admit("seated", 0.0), None)

    def test_room(self) -> None:
        """Where the process has files for two, two are let in, whatever the settings say."""
        for limits in (LIMITS, evolve(LIMITS, unlimited=True, connections=1000)):
            door = ConnectionLimiter(limits, room=2)
            self.assertEqual([door.admit(one, 0.0) for one in "abc"], [None, None, "too many connections"])
            door.leave("a")
            self.assertIs(door.admit("c", 0.0), None)
