"""What one client may use: tokens that flow back with time, turns of those who wait, and whom an address is counted as."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.rates import KeyedBuckets, Rounds, TokenBucket, messages_bucket, rate_limit_key
from gamehost.testing.cases import PropertyCase


class TokenBucketTests(PropertyCase):
    def test_a_burst_and_then_none(self) -> None:
        bucket = TokenBucket(1.0, 3, 50.0)
        self.assertEqual([bucket.take(50.0) for _ in range(5)], [True, True, True, False, False])

    def test_twenty_seconds_of_messages_at_once(self) -> None:
        """And one at least, however low the rate is."""
        for rate, burst in ((5.0, 100), (0.25, 5), (0.001, 1)):
            bucket = messages_bucket(rate, 0.0)
            self.assertEqual(sum(bucket.take(0.0) for _ in range(200)), burst)

    def test_many_tokens_at_once(self) -> None:
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
        bucket = TokenBucket(0.0, 1, 0.0)
        self.assertEqual([bucket.take(time) for time in (0.0, 1e6)], [True, False])

    def test_full(self) -> None:
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


class AheadTests(SynchronousTestCase):
    def test_taken_ahead_is_waited_for(self) -> None:
        bucket = TokenBucket(0.5, 2, 0.0)
        self.assertEqual([bucket.take_ahead(0.0) for _ in range(4)], [0.0, 0.0, 2.0, 4.0])
        self.assertEqual(bucket.take_ahead(1.0), 5.0)

    def test_a_given_back_token_is_as_if_never_taken(self) -> None:
        bucket = TokenBucket(0.5, 2, 0.0)
        for _ in range(3):
            bucket.take_ahead(0.0)
        for _ in range(9):
            bucket.give_back()
        self.assertEqual([bucket.take_ahead(0.0) for _ in range(3)], [0.0, 0.0, 2.0])

    def test_looking_takes_nothing(self) -> None:
        bucket = TokenBucket(0.5, 1, 0.0)
        self.assertTrue(bucket.has_one(0.0) and bucket.has_one(0.0) and bucket.take(0.0))
        self.assertFalse(bucket.has_one(1.9))
        self.assertTrue(bucket.has_one(2.0))


class BucketsTests(SynchronousTestCase):
    def test_keys_have_their_own(self) -> None:
        buckets: KeyedBuckets[str] = KeyedBuckets(1.0, 1)
        self.assertTrue(buckets.of("a", 0.0).take(0.0))
        self.assertFalse(buckets.of("a", 0.0).take(0.0))
        self.assertTrue(buckets.of("b", 0.0).take(0.0))

    def test_full_ones_are_forgotten(self) -> None:
        buckets: KeyedBuckets[int] = KeyedBuckets(1.0, 1)
        for key in range(10_000):
            buckets.of(key, float(key)).take(float(key))
            buckets.of(-1, float(key)).take(float(key))
            self.assertLessEqual(len(buckets), 1024 + 1)
        self.assertFalse(buckets.of(-1, 9_999.0).has_one(9_999.0))


class AddressTests(SynchronousTestCase):
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


class RoundsTests(SynchronousTestCase):
    def test_one_of_each_in_a_round(self) -> None:
        """In the order in which the turn-takers came; each one's own are served by age."""
        rounds: Rounds[str, str] = Rounds()
        for name in ("a1", "a2", "a3", "b1", "c1", "b2"):
            rounds.put(name[0], name)
        self.assertEqual((rounds.peek(), len(rounds)), ("a1", 6))
        self.assertEqual([rounds.pop() for _ in range(4)], ["a1", "b1", "c1", "a2"])
        rounds.put("c", "c2")
        self.assertEqual([rounds.pop() for _ in range(3)], ["b2", "a3", "c2"])
        self.assertFalse(rounds)

    def test_who_was_nearly_served_comes_next(self) -> None:
        rounds: Rounds[str, str] = Rounds()
        for name in ("a1", "b1"):
            rounds.put(name[0], name)
        rounds.put("b", "b0", first=True)
        self.assertEqual([rounds.pop() for _ in range(3)], ["b0", "a1", "b1"])

    def test_the_last_of_a_turn_taker_leaves_nothing_behind(self) -> None:
        rounds: Rounds[str, str] = Rounds()
        rounds.put("a", "a1")
        rounds.remove("a", "a1")
        self.assertFalse(rounds)
