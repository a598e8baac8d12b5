"""Matches with clocks on the open wire."""

from gamehost.testing.memory_host import Client, MemoryHost
from tests.kit.wires.open_case import OpenCase, act, line

SETTINGS = {"game_time": 60, "increment": 2.5}


class ClockTests(OpenCase):
    """`clocks`: the milliseconds that each seat has left."""

    def clocked(self, host: MemoryHost) -> tuple[Client, Client]:
        """Ann and Bob in a match with clocks."""
        (ann, _), (bob, _) = self.enter(host, "ann"), self.enter(host, "bob")
        for client in (ann, bob):
            client.send(line(do="seek", game="onitama", settings=SETTINGS))
        return ann, bob

    def test_they_are_told(self) -> None:
        """To players and watchers, with all that is told of the match."""
        host = self.host()
        ann, bob = self.clocked(host)
        self.assertEqual([one["clocks"] for one in self.told(bob)[1:]], [[60_000, 60_000]] * 2)
        host.wait(4)
        watcher = host.connect("open")
        [shown] = self.ask(watcher, do="watch", table=1)
        self.assertEqual(shown["clocks"], [56_000, 60_000])
        ann.send(act("ox c1 c2"))
        for client in (watcher, bob):
            self.assertEqual(self.told(client)[0]["clocks"], [58_500, 60_000])
        host.wait(1)
        bob.drop()
        bob, _ = self.enter(host, "bob")
        host.wait(1)
        bob.drop()
        again = host.connect("open")
        [_, seated, *_] = self.ask(again, do="enter", name="bob")
        self.assertEqual(seated["clocks"], [58_500, 58_000])

    def test_a_match_that_is_shown_later(self) -> None:
        """Its clocks are those of this moment, and would tell who has moved: those who watch are not told them."""
        host = self.host()
        host.lobby.galleries.delays = {"onitama": 5.0}
        ann, _ = self.clocked(host)
        watcher = host.connect("open")
        self.ask(watcher, do="watch", table=1)
        ann.send(act("ox c1 c2"))
        host.wait(5)
        told = self.told(watcher)
        self.assertEqual([one["is"] for one in told], ["shown", "event"])
        self.assertTrue(all("clocks" not in one for one in told))

    def test_the_end_of_a_clock(self) -> None:
        """Its seat loses by time."""
        host = self.host()
        ann, _ = self.clocked(host)
        ann.send(act("ox c1 c2"))
        host.wait(59.9)
        self.told(ann)
        host.wait(0.2)
        [over] = self.told(ann)
        self.assertEqual((over["is"], over["winners"], over["cause"]), ("over", [0], "time"))

    def test_after_a_restart(self) -> None:
        """The clocks go on where they stood; they stand still while nobody is there."""
        host = self.host()
        ann, bob = self.clocked(host)
        ann.send(act("ox c1 c2"))
        for client in (ann, bob):
            client.drop()
        again = self.host(journal=host.journal.restarted())
        again.wait(1_000)
        client = again.connect("open")
        [_, seated, *_] = self.ask(client, do="enter", name="bob")
        self.assertEqual(seated["clocks"], [62_500, 60_000])
        again.wait(60)
        self.assertEqual(self.told(client)[-1]["cause"], "time")

    def test_without_them(self) -> None:
        """The key is not there."""
        host = self.host()
        ann, _, _ = self.matched(host)
        ann.send(act("ox c1 c2"))
        self.assertTrue(all("clocks" not in one for one in self.told(ann)))
        [shown] = self.ask(host.connect("open"), do="watch", table=1)
        self.assertNotIn("clocks", shown)

    def test_bad_settings(self) -> None:
        """They are refused before anybody waits."""
        client, _ = self.enter(self.host(), "ann")
        for settings, why in (
            ({"increment": 1}, "increment: expected 0 without game_time"),
            ({"game_time": "soon"}, "game_time: expected seconds, such as 60 or 2.5"),
        ):
            told = self.ask(client, do="seek", game="onitama", settings=settings)
            self.assertEqual(told, [{"is": "sorry", "why": why}])


del OpenCase
