"""Subscriptions of strangers: which are accepted, and what a store keeps of them."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from attrs import evolve

from gamehost.accounts.remembered import RememberedLogins, remembered_id
from gamehost.extras.notify import HOSTS
from gamehost.extras.notify.base64url import to_text
from gamehost.extras.notify.options import contact_of, push_hosts
from gamehost.extras.notify.subscriptions import (
    LONGEST,
    MOST,
    BadSubscription,
    StoredSubscriptions,
    Subscription,
    only_at,
    read_subscription,
)
from gamehost.lobby.notices import Asker
from gamehost.settings import BadOption
from gamehost.storage.durable import DurableJournal, StoredAccounts
from gamehost.storage.remembered import StoredRemembered
from gamehost.testing.cases import Mixin, PropertyCase
from tests.kit.accounts import account, nobody
from tests.kit.notices import SECRET, Browser
from tests.kit.postgresql import PostgresCase
from tests.storage.test_sqlite import StoreCase


class ReadingTests(PropertyCase):
    def refusal(self, **values: str) -> str:
        """Why a subscription is not accepted, which is otherwise in order."""
        whole = {**Browser(service="https://fcm.googleapis.com").values(), **values}
        return str(self.assertRaises(BadSubscription, read_subscription, whole, only_at(HOSTS)))

    def test_the_push_services_of_browsers(self) -> None:
        for service in (
            "https://fcm.googleapis.com/fcm/send",
            "https://updates.push.services.mozilla.com/wpush/v2",
            "https://web.push.apple.com",
            "https://db5p.notify.windows.com/w/?token=",
        ):
            browser = Browser("gAAAA%2b", service)
            read = read_subscription(browser.values(words="bare"), only_at(HOSTS))
            self.assertEqual(read, evolve(browser.subscription("bare"), digest=b""))
            self.assertEqual(read.origin, "/".join(service.split("/")[:3]))

    def test_the_host_sends_nothing_elsewhere(self) -> None:
        """An endpoint is an address that a stranger has chosen."""
        check = only_at(HOSTS)
        for endpoint in (
            "http://fcm.googleapis.com/x",
            "https://127.0.0.1/x",
            "https://[::1]/x",
            "https://localhost/x",
            "https://fcm.googleapis.com:8443/x",
            "https://fcm.googleapis.com@127.0.0.1/x",
            "https://user@fcm.googleapis.com/x",
            "https://FCM.googleapis.com/x",
            "https://fcm.googleapis.com./x",
            "https://fcm.googleapis.com.example.org/x",
            "https://evilfcm.googleapis.com/x",
            "https://push.apple.com/x",
            "https://evilpush.apple.com/x",
            "https://web.push.apple.com.example.org/x",
            "https://fcm.googleapis.com/x#y",
            "https://fcm.googleapis.com\\@127.0.0.1/x",
            "https:fcm.googleapis.com/x",
            "//fcm.googleapis.com/x",
            "file:///etc/passwd",
            "https://[",
            "https://",
            "x",
            "",
        ):
            self.assertRaises(BadSubscription, check, endpoint)
            self.assertTrue(self.refusal(endpoint=endpoint))

    def test_bad_values(self) -> None:
        key = Browser().key
        for name, values in {
            "endpoint": ("x" * 4096, f"https://fcm.googleapis.com/{'x' * LONGEST}", "https://fcm.googleapis.com/\r\nx"),
            "p256dh": (to_text(key[:-1] + b"\0"), to_text(key[:-1]), "", "!", "é", "A" * 4096, to_text(b"\4" * 65)),
            "auth": (to_text(SECRET[:-1]), to_text(SECRET + b"x"), "", "!", "\n"),
            "words": ("", "everything", "ALL"),
            "canary": ("canary",),
        }.items():
            for value in values:
                words = self.refusal(**{name: value})
                self.assertNotIn("canary" if name == "canary" else "x" * 9, words)
                self.assertTrue(words.isprintable(), words)
        for part in ({}, {"endpoint": "https://fcm.googleapis.com/x"}):
            self.assertRaises(BadSubscription, read_subscription, part, only_at(HOSTS))

    def test_nothing_of_it_is_in_a_log(self) -> None:
        browser = Browser("canary")
        self.assertNotIn("canary", repr(browser.subscription()))
        self.assertNotIn(repr(SECRET), repr(browser.subscription()))

    def test_options(self) -> None:
        self.assertEqual(push_hosts("x", "Push.example.org, *.a.example.org"), ["push.example.org", "*.a.example.org"])
        for text in ("", "localhost", "127.0.0.1:80", "*", "*.", "a b.example.org", "https://push.example.org", "a..b"):
            self.assertRaises(BadOption, push_hosts, "x", text)
        for text in ("mailto:me@example.org", "https://example.org/"):
            self.assertEqual(contact_of("x", text), text)
        for text in ("", "me@example.org", "http://example.org", "mailto:a\r\nb", "mailto:é@example.org"):
            self.assertRaises(BadOption, contact_of, "x", text)


class _StoredContract(Mixin):
    """What is stored of subscriptions, in either kind of store."""

    journal: DurableJournal

    def until_idle(self, journal: Any = None) -> None:
        raise NotImplementedError

    def set_up(self) -> None:
        self.ann, self.bob = account("ann"), account("bob")
        self.book = StoredAccounts(self.journal)
        self.stored = StoredSubscriptions(self.journal)
        self.logins = RememberedLogins(StoredRemembered(self.journal), lambda: 20_000 * 86_400)
        for owner in (self.ann, self.bob):
            self.book.add(owner, nobody)

    def log_in(self, name: str, number: int) -> Asker:
        key = f"{number:064x}"
        self.logins.remember(self.ann if name == "ann" else self.bob, key, "", lambda: None)
        return Asker(name, remembered_id(key))

    def put(self, asker: Asker, browser: Browser, made: int = 1) -> bool:
        answers: list[bool] = []
        self.stored.put(asker, evolve(browser.subscription(), digest=b""), made, answers.append)
        self.until_idle()
        [answer] = answers
        return answer

    def endpoints(self, name: str) -> set[str]:
        answers: list[Sequence[Subscription]] = []
        self.stored.of(name, answers.append)
        self.until_idle()
        [found] = answers
        for one in found:
            self.assertEqual((len(one.digest), one.secret, one.words), (32, SECRET, "all"))
        return {one.endpoint.rpartition("/")[2] for one in found}

    def test_one_a_log_in(self) -> None:
        self.set_up()
        phone, desk, other = self.log_in("ann", 1), self.log_in("ann", 2), self.log_in("bob", 3)
        for asker, browser in ((phone, "a"), (desk, "b"), (other, "c"), (phone, "d")):
            self.assertTrue(self.put(asker, Browser(browser)))
        self.assertEqual((self.endpoints("ann"), self.endpoints("bob")), ({"b", "d"}, {"c"}))
        done: list[int] = []
        self.stored.drop_of(phone, partial(done.append, 1))
        self.assertEqual(self.endpoints("ann"), {"b"})
        self.stored.drop_of(Asker("ann", other.id), partial(done.append, 2))
        self.assertEqual((self.endpoints("bob"), done), ({"c"}, [1, 2]))

    def test_without_a_log_in_there_is_none(self) -> None:
        """Nobody subscribes for somebody else."""
        self.set_up()
        phone = self.log_in("ann", 1)
        self.assertFalse(self.put(Asker("bob", phone.id), Browser("a")))
        self.assertFalse(self.put(Asker("ann", remembered_id("f" * 64)), Browser("a")))
        self.assertEqual((self.endpoints("ann"), self.endpoints("bob")), (set(), set()))

    def test_it_goes_with_its_log_in(self) -> None:
        self.set_up()
        phone, desk = self.log_in("ann", 1), self.log_in("ann", 2)
        self.put(phone, Browser("a"))
        self.put(desk, Browser("b"))
        self.logins.end(self.ann, [phone.id], lambda: None)
        self.until_idle()
        self.assertEqual(self.endpoints("ann"), {"b"})
        self.logins.end_all("ann")
        self.until_idle()
        self.assertEqual(self.endpoints("ann"), set())

    def test_an_account_has_some_at_most(self) -> None:
        self.set_up()
        for number in range(MOST + 2):
            self.put(self.log_in("ann", number), Browser(str(number)), made=number)
        self.assertEqual(self.endpoints("ann"), {str(number) for number in range(2, MOST + 2)})

    def test_one_that_the_push_service_has_forgotten(self) -> None:
        self.set_up()
        self.put(self.log_in("ann", 1), Browser("a"))
        found: list[Sequence[Subscription]] = []
        self.stored.of("ann", found.append)
        self.until_idle()
        self.stored.drop(found[0][0].digest, lambda: None)
        self.assertEqual(self.endpoints("ann"), set())


class StoredTests(_StoredContract, StoreCase, PropertyCase):
    def setUp(self) -> None:
        super().setUp()
        self.journal = self.start()

    def until_idle(self, journal: Any = None) -> None:
        self.pump.until_idle(self.journal)
        self.assertEqual(self.pump.broken, [])


class PostgresTests(_StoredContract, PostgresCase, PropertyCase):
    def setUp(self) -> None:
        super().setUp()
        self.journal = self.start()

    def until_idle(self, journal: Any = None) -> None:
        PostgresCase.until_idle(self, self.journal)
