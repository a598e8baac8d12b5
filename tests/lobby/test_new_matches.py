"""How often matches begin: a rate for each address, in queues, at open tables, against house players and in remote games."""

from typing import Any

from msgspec import json
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.lobby.new_matches import NewMatches
from tests.kit.house import house_host
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.open_case import act, line

HERE, THERE, LOOPBACK = "2001:db8::1", "192.0.2.7", "127.0.0.1"
#: Two at once, and then one every ten seconds.
RATE = {"limits.new_matches_per_second": "0.1", "limits.new_matches_burst": "2"}


def told(client: Client) -> list[dict[str, Any]]:
    """What a client of the open wire has heard."""
    return [json.decode(one) for one in client.heard()]


class NewMatchesTests(SynchronousTestCase):
    """The rates alone."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.calls: list[float] = []
        self.rates = NewMatches(self.clock, lambda: self.calls.append(self.clock.seconds()))
        self.rates.limit((0.5, 2))

    def test_an_address(self) -> None:
        """An IPv6 network counts as one. Players of one address at one table count once. This machine is not counted."""
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
        """For the one who waits least. It is gone when the host stops."""
        for seconds in (5.0, 2.0, 4.0):
            self.rates.wait(seconds)
        self.clock.advance(2)
        self.assertEqual(self.calls, [2.0])
        self.rates.wait(3.0)
        self.rates.halt()
        self.rates.wait(3.0)
        self.assertEqual(self.clock.getDelayedCalls(), [])


class LobbyTests(SynchronousTestCase):
    """A host with a low rate."""

    def setUp(self) -> None:
        self.host, _ = house_host(RATE)
        self.names = 0

    def enter(self, address: str, **seek: Any) -> Client:
        """Somebody on the open wire, who seeks a match."""
        self.names += 1
        client = self.host.connect("open", address)
        client.send(line(do="enter", name=f"p{self.names}") + line(do="seek", game="onitama", **seek))
        return client

    def is_seated(self, client: Client) -> bool:
        return any(one["is"] == "seated" for one in told(client))

    def test_opening_and_resigning(self) -> None:
        """Two at one address give up match after match: the third one begins ten seconds later, and not earlier."""
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
        """A table of one's own, and a house player. A house player that comes unasked comes later."""
        for _ in range(2):
            self.assertTrue(self.is_seated(self.enter(HERE, house="easy")))
        for seek in ({"house": "easy"}, {"private": True}):
            [_, sorry] = told(self.enter(HERE, **seek))
            self.assertIn("too many new matches from your address: try again in 10 s", sorry["why"])
        self.assertTrue(self.is_seated(self.enter(THERE, house="easy")))
        for _ in range(5):
            self.assertTrue(self.is_seated(self.enter(LOOPBACK, house="easy")))

    def test_the_host_stops(self) -> None:
        """Nobody is matched any more, and there are no timers."""
        for _ in range(5):
            self.enter(HERE)
        self.host.lobby.close()
        self.assertEqual([call for call in self.host.clock.getDelayedCalls() if "NewMatches" in repr(call)], [])


class ListTests(SynchronousTestCase):
    """Matches in which nobody has acted."""

    def test_they_are_in_no_list(self) -> None:
        """And count for nobody."""
        host = MemoryHost({"onitama.deal": "boar,ox/crab,eel/tiger"})
        for name, action in (("a", b""), ("b", act("ox c1 c2", table=2))):
            pair = [host.connect("open"), host.connect("open")]
            for number, client in enumerate(pair):
                client.send(line(do="enter", name=f"{name}{number}") + line(do="seek", game="onitama"))
            pair[0].send(action + line(do="leave"))
        found: list[Any] = []
        Deferred.fromCoroutine(host.lobby.spectators.finished.newest(None, 10)).addCallback(found.append)
        Deferred.fromCoroutine(host.lobby.spectators.finished.tally()).addCallback(found.append)
        (matches, low), tally = found
        self.assertEqual(([one.opening.seats[0].name for one in matches], low), (["b0"], 1))
        self.assertEqual(tally.matches, {"onitama": 1})
