"""The open wire: what is told beside a match: invitations, rematches, and the times that can cost it."""

from typing import Any

from gamehost.testing import memory_host
from gamehost.testing.memory_host import Client
from tests.kit.games.stratego import POOR, POOR_FAR
from tests.kit.wires.open import DEAL, OpenCase, act, line

CLOCKED = {"game_time": 60, "increment": 2.5}


class InvitationTests(OpenCase):
    """Who waits at a table, for somebody who has its address."""

    def test_a_private_table(self) -> None:
        """It is told to those who know the code, logged in or not, with its settings and without the code."""
        host = self.host()
        ann, _ = self.enter(host, "ann")
        [seeking] = self.ask(ann, do="seek", game="onitama", private=True, settings={"move_time": 30})
        friend = host.connect("open")
        [told] = self.ask(friend, do="invitation", table=1, code=seeking["code"])
        self.assertEqual(
            told,
            {
                "is": "invitation",
                "table": 1,
                "game": "onitama",
                "seats": 2,
                "names": ["ann"],
                "settings": {"move_time": "30", "deal": DEAL["onitama.deal"]},
            },
        )
        sorry = [{"is": "sorry", "why": "no table of this number waits for players"}]
        for question in ({"table": 1}, {"table": 1, "code": "x"}, {"table": 2, "code": seeking["code"]}):
            self.assertEqual(self.ask(friend, do="invitation", **question), sorry)
        self.ask(ann, do="stop")
        self.assertEqual(self.ask(friend, do="invitation", table=1, code=seeking["code"]), sorry)

    def test_a_table_for_everybody(self) -> None:
        """Needs no code."""
        host = self.host()
        ann, _ = self.enter(host, "ann")
        ann.send(line(do="seek", game="onitama", settings={"move_time": 30}))
        [told] = self.ask(host.connect("open"), do="invitation", table=1)
        self.assertEqual(told["names"], ["ann"])


class RematchTests(OpenCase):
    """The same two again."""

    def over(self, host: memory_host.MemoryHost, **wishes: Any) -> tuple[Client, Client]:
        """Ann and Bob, whose match is over."""
        (ann, _), (bob, _) = self.enter(host, "ann"), self.enter(host, "bob")
        for client in (ann, bob):
            client.send(line(do="seek", game="onitama", **wishes))
        ann.send(line(do="leave"))
        for client in (ann, bob):
            client.heard()
        return ann, bob

    def test_both_ask(self) -> None:
        """Then the match begins, with the same settings and with the seats changed."""
        host = self.host()
        ann, bob = self.over(host, settings={"move_time": 30})
        [seeking] = self.ask(ann, do="rematch")
        self.assertEqual((seeking["is"], seeking["settings"]["move_time"]), ("seeking", "30"))
        self.assertEqual(self.told(bob), [{"is": "rematch", "table": 1, "name": "ann"}])
        bob.send(line(do="rematch"))
        for client, seat in ((ann, 1), (bob, 0)):
            [seated] = [one for one in self.told(client) if one["is"] == "seated"]
            self.assertEqual((seated["seat"], seated["names"], seated["due"]), (seat, ["bob", "ann"], [30_000, 30_000]))

    def test_nobody_is_made_to(self) -> None:
        """Who has asked can give it up. A later wish of the other is one of its own."""
        host = self.host()
        ann, bob = self.over(host)
        self.ask(ann, do="rematch")
        self.assertEqual(self.ask(ann, do="stop"), [{"is": "stopped"}])
        self.told(bob)
        self.assertEqual([one["is"] for one in self.ask(bob, do="rematch")], ["seeking"])
        self.assertEqual(self.told(ann), [{"is": "rematch", "table": 1, "name": "bob"}])

    def test_who_cannot_be_asked(self) -> None:
        """It is said why; before any match, too."""
        host = self.host()
        carl, _ = self.enter(host, "carl")
        refused = [{"is": "sorry", "why": "you have played no match on this connection"}]
        self.assertEqual(self.ask(carl, do="rematch"), refused)
        ann, bob = self.over(host)
        for client in (bob, carl):
            client.send(line(do="seek", game="onitama"))
        self.assertEqual(self.ask(ann, do="rematch"), [{"is": "sorry", "why": "bob plays another match"}])
        bob.drop()
        host.wait(1_000)
        self.assertEqual(self.ask(ann, do="rematch"), [{"is": "sorry", "why": "bob is not here any more"}])


class DeadlineTests(OpenCase):
    """A time that can cost the match is told, beside clocks."""

    def test_the_set_up_has_one_time_for_both(self) -> None:
        """It runs on from placement to placement, also over a lost connection and a restart; then each move has its own."""
        host = self.host(move_time="60")
        (ann, _), (bob, entered) = self.enter(host, "ann"), self.enter(host, "bob")
        for client in (ann, bob):
            client.send(line(do="seek", game="stratego"))
        self.assertEqual([one["due"] for one in self.told(bob)], [[300_000, 300_000]] * 2)
        self.told(ann)
        host.wait(10)
        ann.send(act("/".join(POOR)))
        self.assertEqual(self.told(ann)[0]["due"], [290_000, 300_000])
        bob.drop()
        again = host.connect("open")
        [_, seated, *_] = self.ask(again, do="enter", name="bob", key=entered["key"])
        self.assertEqual(seated["due"], [290_000, 300_000])
        for client in (ann, again):
            client.drop()
        restarted = self.host(journal=host.journal.restarted(), move_time="60")
        again = restarted.connect("open")
        [_, seated, *_] = self.ask(again, do="enter", name="bob", key=entered["key"])
        self.assertEqual(seated["due"], [290_000, 300_000])
        again.send(act("/".join(POOR_FAR)))
        ann, _ = self.enter(restarted, "ann")
        ann.heard()
        for client in (ann, again):
            client.send(act("ready"))
        self.assertEqual([one["due"] for one in self.told(again) if one["is"] == "event"][-1], [60_000, 60_000])

    def test_beside_clocks(self) -> None:
        """The time for a move and those for all moves are told apart; without such a time nothing is told."""
        host = self.host()
        (ann, _), (bob, _) = self.enter(host, "ann"), self.enter(host, "bob")
        for client in (ann, bob):
            client.send(line(do="seek", game="onitama", settings={**CLOCKED, "move_time": 30}))
        self.told(bob)
        host.wait(4)
        watcher = host.connect("open")
        [shown] = self.ask(watcher, do="watch", table=1)
        self.assertEqual((shown["due"], shown["clocks"]), ([26_000, 30_000], [56_000, 60_000]))
        ann.send(act("ox c1 c2"))
        for client in (watcher, bob):
            self.assertEqual(self.told(client)[0]["due"], [30_000, 30_000])

    def test_a_match_that_is_shown_later(self) -> None:
        """Those who watch are not told a time of this moment."""
        host = self.host(move_time="60")
        host.lobby.galleries.delays = {"onitama": 5.0}
        self.matched(host)
        watcher = host.connect("open")
        self.ask(watcher, do="watch", table=1)
        host.wait(5)
        [shown] = self.told(watcher)
        self.assertNotIn("due", shown)


del OpenCase
