"""Pushes: what a push service gets, when it is tried again, and how much a player can cause."""

import json
from typing import Any

from attrs import evolve
from cryptography.hazmat.primitives.asymmetric import ec
from twisted.internet.defer import Deferred, succeed
from twisted.internet.error import ConnectionRefusedError
from twisted.internet.task import Clock
from twisted.logger import globalLogPublisher
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.notify import sending
from gamehost.extras.notify.encryption import Vapid
from gamehost.extras.notify.push import NO_LOG_IN, PUSHES_AN_HOUR, WebPush, text_of
from gamehost.extras.notify.sending import AT_ONCE, PAUSES, REQUEST_SECONDS, Push, Sender, new_agent
from gamehost.extras.notify.subscriptions import Subscription, only_at
from gamehost.lobby.notices import Asker, Reason
from tests.kit.notices import PUSHES, Browser, MemorySubscriptions, PushService, news


def vapid() -> Vapid:
    return Vapid(ec.generate_private_key(ec.SECP256R1()), "mailto:owner@example.org", lambda: 1_700_000_000)


class SenderCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.service, self.gone = Clock(), PushService(), list[Subscription]()
        self.sender = Sender(self.clock, self.service, vapid(), self.gone.append)
        self.browser = Browser()
        self.logged: list[str] = []
        note: Any = lambda event: self.logged.append(str(event))  # noqa: E731
        globalLogPublisher.addObserver(note)
        self.addCleanup(globalLogPublisher.removeObserver, note)

    def push(self, text: bytes = b'{"n":1}', topic: str = "t", browser: Browser | None = None) -> Push:
        return Push((browser or self.browser).subscription(), text, topic)


class SenderTests(SenderCase):
    def test_a_push_service_gets_what_the_documents_say(self) -> None:
        self.sender.send(self.push())
        asked = self.service.next()
        self.assertEqual(asked.url, f"{PUSHES}/a")
        self.assertTrue(asked.headers.pop("Authorization").startswith("vapid t="))
        expected = {"Ttl": "86400", "Topic": "t", "Urgency": "normal", "Content-Encoding": "aes128gcm"}
        self.assertEqual(asked.headers, {**expected, "Content-Type": "application/octet-stream"})
        self.assertEqual(self.browser.read(asked.body), {"n": 1})
        asked.reply(201)
        self.assertEqual((self.sender.sent, self.clock.getDelayedCalls()), (1, []))

    def test_some_at_a_time(self) -> None:
        for number in range(AT_ONCE + 3):
            self.sender.send(self.push(topic=str(number)))
        self.assertEqual(len(self.service.asked), AT_ONCE)
        for _ in range(AT_ONCE + 3):
            self.service.next().reply(201)
        self.assertEqual((self.service.asked, self.sender.sent), ([], AT_ONCE + 3))

    def test_the_newest_of_a_topic(self) -> None:
        """In the queue, and while an older one waits to be tried again."""
        self.patch(sending, "AT_ONCE", 1)
        self.sender.send(self.push(topic="first"))
        for number in (1, 2):
            self.sender.send(self.push(b'{"n":%d}' % number))
        self.sender.send(self.push(b'{"n":9}', browser=Browser("b")))
        self.service.next().reply(201)
        asked = self.service.next()
        self.assertEqual(self.browser.read(asked.body), {"n": 2})
        asked.reply(503)
        self.service.next().reply(201)
        self.sender.send(self.push(b'{"n":3}'))
        self.assertEqual(self.browser.read(self.service.next().body), {"n": 3})
        self.clock.advance(PAUSES[1])
        self.assertEqual(self.service.asked, [])

    def test_three_tries(self) -> None:
        for fault in (503, 429, 500, None):
            self.sender.send(self.push())
            for pause in (*PAUSES, None):
                asked = self.service.next()
                if fault is None:
                    asked.answer.errback(ConnectionRefusedError())
                else:
                    asked.reply(fault)
                self.assertEqual(self.service.asked, [])
                if pause is not None:
                    self.clock.advance(pause - 0.5)
                    self.assertEqual(self.service.asked, [])
                    self.clock.advance(0.5)
            self.assertEqual(self.clock.getDelayedCalls(), [])
        self.assertEqual(self.sender.failed, 4)

    def test_a_push_service_says_when(self) -> None:
        for header, pause in (
            ("300", 300.0),
            ("1", PAUSES[0]),
            ("999999", 600.0),
            ("soon", PAUSES[0]),
            ("²", PAUSES[0]),
        ):
            self.sender.send(self.push())
            self.service.next().reply(429, Retry_After=header)
            self.clock.advance(pause - 0.5)
            self.assertEqual(self.service.asked, [], header)
            self.clock.advance(0.5)
            self.service.next().reply(201)

    def test_a_browser_that_is_gone(self) -> None:
        for status in (404, 410):
            self.sender.send(self.push())
            self.service.next().reply(status)
        self.assertEqual([one.endpoint for one in self.gone], [self.browser.endpoint] * 2)
        self.assertEqual((self.clock.getDelayedCalls(), self.sender.failed), ([], 0))

    def test_other_answers_fail_at_once(self) -> None:
        """An address in an answer is not followed. The log has a line a minute, without the endpoint."""
        browser = Browser("canary")
        for status in (301, 307, 400, 401, 403, 413):
            self.sender.send(self.push(browser=browser))
            self.service.next().reply(status, Location="https://127.0.0.1/")
        self.assertEqual((self.service.asked, self.sender.failed, self.gone), ([], 6, []))
        lines = [line for line in self.logged if "failed" in line]
        self.assertEqual(len(lines), 1)
        self.assertIn(PUSHES, lines[0])
        self.assertNotIn("canary", "".join(self.logged))

    def test_no_answer(self) -> None:
        self.sender.send(self.push())
        self.clock.advance(REQUEST_SECONDS)
        self.clock.advance(PAUSES[0])
        self.assertEqual(len(self.service.asked), 2)

    def test_a_full_queue(self) -> None:
        self.patch(sending, "MOST_QUEUED", 2)
        self.patch(sending, "AT_ONCE", 1)
        for number in range(5):
            self.sender.send(self.push(topic=str(number)))
        self.assertEqual(self.sender.dropped, 2)
        self.assertEqual(len([line for line in self.logged if "queue of pushes is full" in line]), 1)

    def test_a_host_that_stops(self) -> None:
        self.sender.send(self.push(topic="0"))
        self.service.next().reply(503)
        for number in range(AT_ONCE + 1):
            self.sender.send(self.push(topic=str(number + 1)))
        self.sender.stop()
        self.assertEqual((self.clock.getDelayedCalls(), len(self.service.asked)), ([], AT_ONCE))

    def test_the_agent_of_a_host(self) -> None:
        """It can be made without a running reactor, and has nothing to close yet."""
        agent, pool = new_agent(Clock())
        self.assertTrue(callable(agent.request))
        self.successResultOf(pool.closeCachedConnections())


class WebPushTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.service, self.stored = Clock(), PushService(), MemorySubscriptions()
        self.vapid = vapid()
        closed: Any = lambda: succeed(None)  # noqa: E731
        stored: Any = self.stored
        check = only_at(["push.example.org"])
        self.push = WebPush(self.clock, self.vapid, stored, check, self.service, closed, lambda: 1_700_000_000)

    def change(self, asker: Asker | None, values: dict[str, str]) -> str | None:
        answers: list[str | None] = []
        self.push.change(asker, values, answers.append)
        [answer] = answers
        return answer

    def state(self, asker: Asker) -> dict[str, Any]:
        answers: list[Any] = []
        self.push.state(asker, answers.append)
        [answer] = answers
        found: dict[str, Any] = answer
        return found

    def subscribed(self, name: str, login: str = "61" * 8, **more: str) -> Browser:
        browser = Browser(f"{'a' * 64}{login}")
        self.assertIsNone(self.change(Asker(name, login), browser.values(**more)))
        # As the store does it: the row has the digest of the log-in.
        asker = Asker(name, login)
        self.stored.by_asker[asker] = evolve(self.stored.by_asker[asker], digest=bytes.fromhex(login) + b"x")
        return browser

    def test_one_device_after_the_other(self) -> None:
        asker = Asker("ann", "61" * 8)
        self.assertEqual(self.state(asker), {"key": self.vapid.public, "on": False, "words": "all"})
        self.subscribed("ann", words="bare")
        self.assertEqual(self.state(asker), {"key": self.vapid.public, "on": True, "words": "bare"})
        for other in (Asker("ann", "62" * 8), Asker("ann"), Asker("bob", asker.id)):
            self.assertFalse(self.state(other)["on"])
        self.assertIsNone(self.change(asker, {}))
        self.assertFalse(self.state(asker)["on"])

    def test_refused(self) -> None:
        good = Browser().values()
        for asker in (None, Asker("ann")):
            self.assertEqual(self.change(asker, good), NO_LOG_IN)
        bad = Browser(service="https://127.0.0.1").values()
        self.assertEqual(self.change(Asker("ann", "61" * 8), bad), "this host sends nothing to that push service")
        self.assertEqual(self.stored.by_asker, {})

    def test_all_devices_are_told(self) -> None:
        """One with the game and the names, one without."""
        phone, desk = self.subscribed("ann"), self.subscribed("ann", "62" * 8, words="bare")
        self.subscribed("bob", "63" * 8)
        self.push.deliver("ann", news(3))
        asked = {one.url: one for one in self.service.asked}
        self.assertEqual(set(asked), {phone.endpoint, desk.endpoint})
        shown = phone.read(asked[phone.endpoint].body)
        self.assertEqual((shown["title"], shown["body"]), ("Paper soccer: your turn", "Table 3, with Olga"))
        self.assertEqual((shown["tag"], shown["url"]), ("table-3", "/table/3"))
        shown = desk.read(asked[desk.endpoint].body)
        self.assertEqual(shown, {"title": "your turn", "body": "", "tag": "gamehost", "url": "/"})

    def test_topics_name_no_table(self) -> None:
        """One topic a table, which the push service cannot read; with few words one for all tables."""
        phone, desk = self.subscribed("ann"), self.subscribed("ann", "62" * 8, words="bare")
        for table in (3, 3, 4):
            self.push.deliver("ann", news(table))
        topics = {
            browser: [one.headers["Topic"] for one in self.service.asked if one.url == browser.endpoint]
            for browser in (phone, desk)
        }
        for topic in topics[phone]:
            self.assertRegex(topic, r"\A[A-Za-z0-9_-]{32}\Z")
        self.assertEqual((topics[phone][0] == topics[phone][1], len({*topics[phone]})), (True, 2))
        self.assertEqual(len({*topics[desk]}), 1)

    def test_so_many_an_hour(self) -> None:
        self.subscribed("ann")
        self.subscribed("bob", "62" * 8)
        for table in range(PUSHES_AN_HOUR + 10):
            self.push.deliver("ann", news(table))
            while self.service.asked:
                self.service.next().reply(201)
        self.assertEqual(self.push.sender.sent, PUSHES_AN_HOUR)
        self.push.deliver("bob", news())
        self.service.next().reply(201)
        self.clock.advance(60)
        self.push.deliver("ann", news())
        self.assertEqual(len(self.service.asked), 1)

    def test_a_browser_that_is_gone_has_no_subscription(self) -> None:
        self.subscribed("ann")
        self.push.deliver("ann", news())
        self.service.next().reply(410)
        self.assertEqual(self.stored.by_asker, {})

    def test_words(self) -> None:
        shown = json.loads(text_of(news(5, Reason.OFFER, "Olga offers a draw"), "all"))
        self.assertEqual(shown["title"], "Paper soccer: Olga offers a draw")
        for reason in Reason:
            self.assertEqual(json.loads(text_of(news(5, reason, "secret"), "bare"))["title"], reason.value)

    def test_a_host_that_stops(self) -> None:
        self.subscribed("ann")
        self.push.deliver("ann", news())
        stopped: Deferred[Any] = self.push.stop()
        self.successResultOf(stopped)
        self.assertEqual(self.clock.getDelayedCalls(), [])
