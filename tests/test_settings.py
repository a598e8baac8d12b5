"""Settings as text: what is read, and what is refused with a name and an expectation."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.limits import LIMITS, PROFILES, KeyedBuckets, Limits, TokenBucket, rate_limit_key
from gamehost.settings import (
    BadOption,
    from_to,
    milliseconds,
    one_of,
    refuse_unknown,
    seconds,
    setting,
    settings_of,
    whole_number,
    yes_or_no,
)
from gamehost.testing.cases import PropertyCase

#: Digits that are not ASCII, and spellings that Python reads as numbers and people do not.
NOT_NUMBERS = (
    "",
    " ",
    " 1",
    "1 ",
    "1\n",
    "+1",
    "1_0",
    "0x1",
    "\u0661",
    "\u00b2",
    "\uff11",
    "one",
    "1e3",
    "nan",
    "inf",
    "--1",
)


class ReadingTests(PropertyCase):
    """One reader after the other."""

    def refused(self, read: Callable[[str, str], Any], *texts: str) -> None:
        """Each text is refused, with the setting's name and what was expected."""
        for text in texts:
            error = self.assertRaises(BadOption, read, "depth", text)
            self.assertIn("depth: expected ", str(error), repr(text))
            self.assertTrue(str(error).isprintable(), repr(text))

    def test_a_bad_option_is_a_value_error(self) -> None:
        """Who knows nothing of settings can catch it all the same."""
        self.assertTrue(issubclass(BadOption, ValueError))

    def test_whole_numbers(self) -> None:
        """ASCII digits with or without a minus, of a length that is no attack; nothing else."""
        for text, number in (("0", 0), ("-7", -7), ("007", 7), ("9" * 18, 10**18 - 1)):
            self.assertEqual(whole_number("depth", text), number)
        self.refused(whole_number, *NOT_NUMBERS, "1.0", "-", "9" * 19, "1" * 5000)

    @given(st.integers(-(10**18) + 1, 10**18 - 1))
    def test_whole_numbers_are_read_as_written(self, number: int) -> None:
        """Every whole number within the length is read."""
        self.assertEqual(whole_number("depth", str(number)), number)

    def test_bounds_are_included(self) -> None:
        """Both ends of a range are in it, and what is outside is told the range."""
        read = from_to(2, 5)
        self.assertEqual([read("depth", text) for text in ("2", "5")], [2, 5])
        self.refused(read, "1", "6", "-2", *NOT_NUMBERS)
        self.assertIn("from 2 to 5", str(self.assertRaises(BadOption, read, "depth", "6")))

    def test_seconds(self) -> None:
        """Whole and decimal seconds from 0 on; no sign, no exponent, no words."""
        for text, number in (("0", 0.0), ("60", 60.0), ("2.5", 2.5), ("0.000001", 1e-6)):
            self.assertEqual(seconds("depth", text), number)
        self.refused(seconds, *NOT_NUMBERS, "-1", ".5", "5.", "1,5", "1.5.0", "1.0000000", "9" * 13)

    def test_milliseconds(self) -> None:
        """Seconds as written, whole milliseconds as used."""
        for text, number in (("0", 0), ("2.5", 2500), ("0.001", 1), ("0.29", 290), ("86400", 86_400_000)):
            read = milliseconds("depth", text)
            self.assertEqual(read, number)
            self.assertIs(type(read), int)
        self.refused(milliseconds, *NOT_NUMBERS, "-1")

    @given(st.integers(0, 10**9))
    def test_milliseconds_are_exact(self, number: int) -> None:
        """No millisecond is lost or gained by the way over decimals."""
        self.assertEqual(milliseconds("depth", f"{number // 1000}.{number % 1000:03}"), number)

    def test_yes_or_no(self) -> None:
        """Four words for each, in any case."""
        for text in ("yes", "true", "on", "1", "YES", "True"):
            self.assertIs(yes_or_no("depth", text), True)
        for text in ("no", "false", "off", "0", "No", "FALSE"):
            self.assertIs(yes_or_no("depth", text), False)
        self.refused(yes_or_no, "", "y", "2", "yes ", "ja")

    def test_one_of(self) -> None:
        """One of the words exactly; a refusal lists them."""
        read = one_of("any", "never")
        self.assertEqual(read("depth", "any"), "any")
        self.refused(read, "", "Any", "an", "any ", "a\x1b[2J")
        self.assertIn("any, never", str(self.assertRaises(BadOption, read, "depth", "no")))


class SettingTests(PropertyCase):
    """Settings by name."""

    def test_the_default_is_for_what_is_not_set(self) -> None:
        """A missing setting is its default; an empty one is not missing."""
        self.assertEqual(setting({}, "depth", None, whole_number), None)
        self.assertEqual(setting({"depth": "3"}, "depth", None, whole_number), 3)
        self.assertRaises(BadOption, setting, {"depth": ""}, "depth", None, whole_number)

    def test_unknown_settings(self) -> None:
        """An unknown name is refused, with those that are known in order; known ones pass."""
        refuse_unknown({"a": "1"}, ["b", "a"])
        refuse_unknown({}, [])
        error = self.assertRaises(BadOption, refuse_unknown, {"c": "1"}, ["b", "a"])
        self.assertEqual(str(error), "c: unknown setting; expected one of a, b")

    def test_the_settings_of_one_owner(self) -> None:
        """Without the prefix; what the owner does not know is another's with the same prefix."""
        settings = {"onitama.deal": "x", "onitama.strict": "yes", "limits.open": "no", "deal": "y"}
        self.assertEqual(settings_of("onitama", settings, ("deal",)), {"deal": "x"})
        self.assertEqual(settings_of("eriantys", settings, ("deal",)), {})


# What one client may cost: tokens flow back with time, and every connection that comes in is counted out again.


class LimitsTests(SynchronousTestCase):
    """Limits as settings."""

    def test_nothing_set_is_all_defaults(self) -> None:
        """Without settings the limits are those of the class."""
        self.assertEqual(Limits.read({}), Limits())

    def test_every_limit_can_be_set(self) -> None:
        """Each limit is a setting under its own name, read to its own type."""
        self.assertEqual(Limits.read({"unlimited": "yes"}), Limits(unlimited=True))
        for name, limit in LIMITS.items():
            if name != "unlimited":
                text = "15" if name == "password_work" else "2000"
                read = getattr(Limits.read({name: text}), name)
                self.assertEqual(read, int(text))
                self.assertIs(type(read), type(limit.default), name)
        self.assertRaises(TypeError, Limits, no_such_limit=1)

    def test_every_limit_says_why(self) -> None:
        """The words of each tell its unit and, after a colon, the reason; a yes or no tells what it does."""
        for name, limit in LIMITS.items():
            self.assertIn(": ", limit.words, name)

    def test_no_few_addresses_use_up_what_is_there_for_all(self) -> None:
        """Each total has a share for one address beside it, and six addresses do not have all of it."""
        limits = Limits()
        for total, share in (
            (limits.connections, limits.connections_per_address),
            (limits.http_connections, limits.http_connections_per_address),
            (limits.watchers, limits.watchers_per_address),
            (limits.house_tables, limits.house_tables_per_address),
            (limits.accounts_per_hour, limits.accounts_per_address),
            (limits.remote.masters, limits.remote.masters_per_address),
        ):
            assert total is not None and share is not None
            self.assertLess(6 * share, total)

    def test_every_limit_is_in_the_documentation(self) -> None:
        """The page for those who run a host names each of them."""
        page = (Path(__file__).parents[1] / "docs" / "operating.rst").read_text("utf-8")
        for name in LIMITS:
            self.assertIn(f"``limits.{name}``", page)

    def test_profiles(self) -> None:
        """Each can be used. The one for a class only widens limits; the public one is all defaults."""
        self.assertEqual(Limits.read(PROFILES["public"]), Limits())
        wide = Limits.read(PROFILES["class"])
        for name in PROFILES["class"].keys() - {"keyless_resume_seconds"}:
            self.assertGreater(getattr(wide, name), getattr(Limits(), name), name)

    def test_an_address_keeps_every_match_of_its_connections(self) -> None:
        """With one of its connections at each table, a restart archives none."""
        for profile in PROFILES.values():
            limits = Limits.read(profile)
            self.assertGreaterEqual(limits.sleeping_tables_per_address, limits.connections_per_address)

    def test_profiles_are_in_the_documentation(self) -> None:
        """A table has each limit in which they differ, in this order, and nothing else."""
        page = (Path(__file__).parents[1] / "docs" / "operating.rst").read_text("utf-8")
        rows = [
            f"   * - ``limits.{name}``\n     - {getattr(Limits(), name):g}\n     - {text}\n"
            for name, text in PROFILES["class"].items()
        ]
        head = "   * - limit\n     - ``public``\n     - ``class``\n"
        self.assertIn(head + "".join(rows) + "\n", page)

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
        for name in LIMITS:
            if name.endswith("per_second"):
                error = self.assertRaises(BadOption, Limits.read, {name: "0"})
                self.assertIn(f"{name}: expected a number a second greater than 0", str(error))


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


class AddressTests(SynchronousTestCase):
    """How an address is counted."""

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
