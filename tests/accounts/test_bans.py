"""Bans: what they count for, for how long, and what whoever is banned is told."""

from collections.abc import Callable

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.bans import Ban, BanRefused, Bans, BanStore, MemoryBans, ban_key
from gamehost.accounts.names import name_of
from gamehost.testing.cases import PropertyCase
from tests.kit.accounts import BansContract


class MemoryBansTests(BansContract, PropertyCase):
    def new_store(self) -> BanStore:
        self.store = MemoryBans()
        return self.store

    def restarted(self) -> BanStore:
        return self.store


class TargetTests(SynchronousTestCase):
    def test_names_addresses_and_networks(self) -> None:
        for text, key, shown in (
            ("Ann", "name:ann", "Ann"),
            ("name:1.2.3.4", "name:1.2.3.4", "1.2.3.4"),
            ("192.0.2.7", "network:192.0.2.7/32", "192.0.2.7"),
            ("::ffff:192.0.2.7", "network:192.0.2.7/32", "192.0.2.7"),
            ("192.0.2.7/24", "network:192.0.2.0/24", "192.0.2.0/24"),
            ("2001:db8::7", "network:2001:db8::/64", "2001:db8::/64"),
            ("2001:db8::7/128", "network:2001:db8::7/128", "2001:db8::7/128"),
        ):
            self.assertEqual(ban_key(text), (key, shown))

    def test_what_cannot_be_banned(self) -> None:
        for text in ("", "a b", "192.0.2.0/33", "easy.1", "name:"):
            self.assertIn("expected a name", str(self.assertRaises(BanRefused, ban_key, text)))

    def test_a_mistyped_address(self) -> None:
        for text in ("300.1.1.1", "192.0.2.07"):
            self.assertIn(f"type name:{text}", str(self.assertRaises(BanRefused, ban_key, text)))
            self.assertEqual(ban_key(f"name:{text}"), (f"name:{text}", text))


class BansTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.now = 1000.0
        self.store = MemoryBans()
        self.bans = self.restarted()

    def restarted(self) -> Bans:
        return Bans(self.store, lambda: self.now)

    def put(self, target: str, seconds: float | None = None) -> Ban:
        return self.bans.put(target, seconds, lambda: None)

    def test_a_name_counts_in_digits_and_capitals_that_look_like_it(self) -> None:
        self.put("mallory")
        for name in ("malIory", "ma11ory", "MALL0RY", "m\u0430ll\u043ery"):
            self.assertIsNotNone(self.bans.of_name(name_of(name)), name)
        self.assertIsNone(self.bans.of_name(name_of("maliory")))
        self.put("Ivan")
        for name in ("ivan", "IVAN", "iVaN"):
            self.assertIsNotNone(self.bans.of_name(name_of(name)), name)
        self.bans.drop("ivan", lambda: None)
        self.assertIsNone(self.bans.of_name(name_of("Ivan")))

    def test_a_name_counts_in_every_spelling(self) -> None:
        ban = self.put("Coco")
        for name in ("Coco", "COCO", "\u0441\u043e\u0441\u043e"):
            self.assertEqual(self.bans.of_name(name_of(name)), ban)
        self.assertIsNone(self.bans.of_name(name_of("coc")))
        self.assertEqual(ban.words, "this name is banned from this host")

    def test_an_address(self) -> None:
        self.put("192.0.2.7")
        self.put("198.51.100.0/24")
        self.put("2001:db8::1")
        for address in ("192.0.2.7", "::ffff:192.0.2.7", "198.51.100.9", "2001:db8::2", "2001:db8::1%eth0"):
            ban = self.bans.of_address(address)
            assert ban is not None
            self.assertEqual(ban.words, "your address is banned from this host")
        for address in ("192.0.2.8", "198.51.101.9", "2001:db8:0:1::1", "", "house"):
            self.assertIsNone(self.bans.of_address(address), address)

    def test_networks_in_the_words_of_ipv6(self) -> None:
        """An address is all of its customer's network, unless it is typed as one; and IPv4 is that, however it is written."""
        for written, key, banned, free in (
            ("2001:db8:0:1::7", "2001:db8:0:1::/64", "2001:db8:0:1:ffff::1", "2001:db8:0:2::7"),
            ("2001:db8:0:1::7/128", "2001:db8:0:1::7/128", "2001:db8:0:1::7", "2001:db8:0:1::8"),
            ("2001:db8::/48", "2001:db8::/48", "2001:db8:0:ffff::1", "2001:db8:1::1"),
            ("::ffff:192.0.2.0/120", "192.0.2.0/24", "192.0.2.77", "192.0.3.77"),
            ("::ffff:192.0.2.9/128", "192.0.2.9/32", "::ffff:192.0.2.9", "192.0.2.8"),
            ("::ffff:0:0/96", "0.0.0.0/0", "198.51.100.7", "2001:db8::1"),
            ("::/0", "::/0", "2001:db8::1", "198.51.100.7"),
        ):
            bans = Bans()
            bans.put(written, None, lambda: None)
            self.assertEqual([ban.key for ban in bans.all()], [f"network:{key}"])
            self.assertIsNotNone(bans.of_address(banned), written)
            self.assertIsNone(bans.of_address(free), written)
            self.assertEqual(bans.drop(written, lambda: None).key, f"network:{key}")

    def test_everybody(self) -> None:
        self.put("0.0.0.0/0")
        self.assertIsNotNone(self.bans.of_address("203.0.113.7"))
        self.assertIsNone(self.bans.of_address("2001:db8::1"))
        self.bans.drop("0.0.0.0/0", lambda: None)
        self.assertIsNone(self.bans.of_address("203.0.113.7"))

    def test_a_ban_that_is_over_is_forgotten_in_the_store_too(self) -> None:
        ban = self.put("ann", 60)
        self.put("192.0.2.7", 60)
        self.assertEqual(ban.words, "this name is banned from this host until 1970-01-01T00:17:40Z")
        self.now += 59.9
        self.assertIsNotNone(self.bans.of_name(name_of("ann")))
        self.now += 0.1
        self.assertIsNone(self.bans.of_name(name_of("ann")))
        self.assertIsNone(self.bans.of_address("192.0.2.7"))
        self.assertRaises(BanRefused, self.bans.drop, "ann", self.fail)
        self.assertEqual(self.bans.all(), [])
        self.assertEqual(self.store.bans(), [])

    def test_bans_are_there_again_after_a_restart(self) -> None:
        self.put("ann")
        self.put("bob", 60)
        self.put("192.0.2.0/24")
        self.now += 60
        again = self.restarted()
        self.assertEqual([ban.target for ban in again.all()], ["ann", "192.0.2.0/24"])
        self.assertIsNotNone(again.of_address("192.0.2.1"))
        self.assertEqual(len(list(self.store.bans())), 2)

    def test_a_ban_is_replaced(self) -> None:
        for target in ("ann", "192.0.2.7"):
            self.put(target, 60)
            self.put(target)
        self.now += 100
        self.assertEqual([ban.until for ban in self.bans.all()], [None, None])

    def test_a_ban_ends(self) -> None:
        done: list[str] = []
        for target in ("ann", "192.0.2.7", "192.0.2.8"):
            self.put(target)
        self.assertEqual(self.bans.drop("192.0.2.7", lambda: done.append("")).target, "192.0.2.7")
        self.assertEqual(done, [""])
        self.assertIsNone(self.bans.of_address("192.0.2.7"))
        self.assertIsNotNone(self.bans.of_address("192.0.2.8"))
        self.bans.drop("ANN", lambda: None)
        self.assertIsNone(self.bans.of_name(name_of("ann")))
        error = self.assertRaises(BanRefused, self.bans.drop, "ann", self.fail)
        self.assertIn("'ann' is not banned", str(error))


class LateBans(MemoryBans):
    def __init__(self) -> None:
        super().__init__()
        self.late: list[Callable[[], None]] = []

    def put_ban(self, ban: Ban, durable: Callable[[], None]) -> None:
        super().put_ban(ban, lambda: None)
        self.late.append(durable)

    def drop_ban(self, key: str, durable: Callable[[], None]) -> None:
        super().drop_ban(key, lambda: None)
        self.late.append(durable)


class LearnTests(SynchronousTestCase):
    ANN, NET, OVER = (
        Ban("name:ann", "Ann", 5),
        Ban("network:192.0.2.0/24", "192.0.2.0/24", 6),
        Ban("name:bob", "Bob", 1, 9),
    )

    def setUp(self) -> None:
        self.store = LateBans()
        self.bans = Bans(self.store, lambda: 1000.0)

    def test_all_are_replaced(self) -> None:
        self.bans.learn([self.ANN, self.NET, self.OVER])
        self.assertEqual(self.bans.all(), [self.ANN, self.NET])
        self.assertIsNotNone(self.bans.of_address("192.0.2.7"))
        self.bans.learn([self.ANN])
        self.assertEqual((self.bans.all(), self.bans.of_address("192.0.2.7")), ([self.ANN], None))
        self.assertEqual((self.store.late, list(self.store.bans())), ([], []))

    def test_a_ban_counts_when_it_is_durable(self) -> None:
        """Nobody is told of one that a kill could undo, nor let in by the end of one."""
        ann = self.bans.put("ann", None, lambda: None)
        self.assertIsNone(self.bans.of_name(name_of("ann")))
        self.store.late.pop()()
        self.assertEqual(self.bans.of_name(name_of("ann")), ann)
        self.bans.drop("ann", lambda: None)
        self.assertEqual(self.bans.of_name(name_of("ann")), ann)
        self.assertRaises(BanRefused, self.bans.drop, "ann", self.fail)
        self.store.late.pop()()
        self.assertIsNone(self.bans.of_name(name_of("ann")))

    def test_own_changes_come_first(self) -> None:
        """Until they are durable. What was learned last counts then."""
        eve = self.bans.put("eve", None, lambda: None)
        self.bans.learn([self.NET])
        self.bans.drop("eve", lambda: None)
        self.bans.put("tim", None, lambda: None)
        self.bans.learn([eve, self.ANN])
        for durable, counting in zip(self.store.late, ([], ["eve"], []), strict=True):
            self.assertEqual([ban.target for ban in self.bans.all()], counting)
            durable()
        self.assertEqual([ban.target for ban in self.bans.all()], ["Ann", "eve"])
