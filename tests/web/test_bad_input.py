"""What a browser, or somebody who claims to be one, may do wrong with matches: it is refused, or the connection ends."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.testing import transport
from tests.kit.web_host import Browser, WebHost, request

SETTINGS = {"onitama.deal": "boar,ox/crab,eel/tiger"}


class BadInputTests(SynchronousTestCase):
    """Watchers and players over WebSocket."""

    def match(self, web: WebHost) -> tuple[Browser, Browser]:
        """Ann and Bob, whose match has begun."""
        ann, bob = web.browser("203.0.113.1"), web.browser("203.0.113.2")
        for guest, name in ((ann, "ann"), (bob, "bob")):
            guest.say(do="enter", name=name)
            guest.say(do="seek", game="onitama")
        ann.told(), bob.told()
        return ann, bob

    def kinds(self, told: list[Any]) -> list[str]:
        return [one["is"] for one in told]

    def test_acting_where_one_does_not_play(self) -> None:
        """At a table that is only looked at, at one that is over, and at one that is not: refused, and no entry."""
        web = WebHost(settings=SETTINGS)
        ann, bob = self.match(web)
        eve = web.browser()
        eve.say(do="enter", name="eve")
        eve.say(do="watch", table=1)
        eve.told()
        before = len(web.host.journal.entries[1])  # type: ignore[index]
        for table in (1, 2, 0):
            self.assertEqual(self.kinds(eve.ask(do="act", table=table, action="ox c1 c2")), ["refused"])
        self.assertEqual(self.kinds(bob.ask(do="act", table=2, action="crab a5 a4")), ["refused"])
        self.assertEqual(len(web.host.journal.entries[1]), before)  # type: ignore[index]
        ann.say(do="leave")
        self.assertEqual(self.kinds(bob.ask(do="act", table=1, action="crab a5 a4"))[-1], "refused")

    def test_watching_in_a_loop(self) -> None:
        """It counts against the rate of messages like anything else, and leaves nothing behind."""
        web = WebHost(settings=SETTINGS)
        self.match(web)
        eve = web.browser()
        for _ in range(100):
            eve.say(do="watch", table=1)
            eve.say(do="watch", table=1, on=False)
        self.assertTrue(eve.client.closed)
        self.assertIn("too many messages", str(eve.told() and eve.close))
        self.assertEqual(web.host.lobby.galleries.watchers(1), 0)  # type: ignore[arg-type]

    def test_watching_what_is_not_there(self) -> None:
        """Each is answered and counted; twenty end the connection."""
        web = WebHost()
        eve = web.browser()
        for table in range(30):
            eve.say(do="watch", table=table)
        told = eve.told()
        self.assertEqual(self.kinds(told), ["sorry"] * 20 + ["bye"])
        self.assertTrue(eve.client.closed)

    def test_a_watcher_that_does_not_read(self) -> None:
        """It is cut, and the players notice nothing."""
        self.patch(transport, "BUFFER", 100)
        web = WebHost(settings=SETTINGS)
        ann, bob = self.match(web)
        eve, there = web.browser(), web.browser()
        for watcher in (eve, there):
            watcher.say(do="watch", table=1)
        eve.client.transport.reads = False
        moves = (ann, "ox c1 c2"), (bob, "crab a5 a4"), (ann, "tiger c2 c4"), (bob, "ox e5 e4")
        for guest, move in moves:
            guest.say(do="act", table=1, action=move)
            self.assertEqual([self.kinds(one.told()) for one in (ann, bob)], [["event"], ["event"]])
        there.told()
        web.host.wait(10)
        self.assertTrue(eve.client.closed)
        self.assertEqual(web.host.lobby.galleries.watchers(1), 1)  # type: ignore[arg-type]

    def test_keys_that_are_guessed(self) -> None:
        """A key that is not the seat's is refused, and counts as a refusal."""
        web = WebHost(settings=SETTINGS)
        self.match(web)
        eve = web.browser()
        for number in range(25):
            eve.say(do="enter", name="ann", key=f"{number:032x}")
        self.assertEqual(self.kinds(eve.told()), ["sorry"] * 20 + ["bye"])

    def test_names_with_marks_and_tricks(self) -> None:
        """Names are text: what is no name is refused, and never repeated."""
        web = WebHost()
        for name in ("<b>x</b>", "a\u202eb", "a\u200bb", "a" * 21, "", " ", "a\nb", "\u0000"):
            [answer] = web.browser(f"203.0.113.{len(name) + 1}").ask(do="enter", name=name)
            self.assertEqual(answer["is"], "sorry", name)
            self.assertFalse(name.strip() and name in answer["why"])

    def test_thousands_of_idle_connections(self) -> None:
        """No more than there is room for, all gone after fifteen seconds; who comes then is answered."""
        web = WebHost(settings={"limits.http_connections": "500"})
        clients = [web.connect(f"10.0.{number % 99}.{number % 251}") for number in range(2_000)]
        web.host.until_idle()
        self.assertEqual(sum(not client.closed for client in clients), 500)
        web.host.wait(15)
        self.assertTrue(all(client.closed for client in clients))
        self.assertEqual((web.site.channels, web.host.clock.getDelayedCalls()), (set(), []))
        self.assertEqual([one.status for one in web.connect().ask(request("/"))], [200])

    def test_two_tabs(self) -> None:
        """The second one has the seat, and the first one is told."""
        web = WebHost(settings=SETTINGS)
        first = web.browser()
        [entered] = first.ask(do="enter", name="ann")
        second = web.browser()
        self.assertEqual(self.kinds(second.ask(do="enter", name="ann", key=entered["key"])), ["entered"])
        self.assertEqual(self.kinds(first.told()), ["bye"])
        self.assertTrue(first.client.closed)
