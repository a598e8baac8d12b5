"""Rematches: who is asked, and what each hears if the other one does not come."""

from typing import Any

from gamehost.testing import memory_host
from gamehost.testing.memory_host import Client
from tests.kit.players import house_host
from tests.kit.wires.open import OpenCase, act, line
from tests.lobby.test_house import enter


class RematchTests(OpenCase):
    """Both have to ask; and each is told if the other one does not any more."""

    def over(self, **more: Any) -> tuple[memory_host.MemoryHost, Client, Client]:
        host = self.host(**more)
        ann, bob, _ = self.matched(host)
        ann.send(act("ox c1 c2"))
        ann.send(line(do="leave"))
        bob.heard()
        self.assertEqual(self.ask(ann, do="rematch")[-1]["is"], "seeking")
        self.assertEqual(self.told(bob), [{"is": "rematch", "table": 1, "name": "ann"}])
        return host, ann, bob

    def test_who_asked_is_gone(self) -> None:
        for going in (lambda client: client.send(line(do="stop")), lambda client: client.drop()):
            _, ann, bob = self.over()
            going(ann)
            self.assertEqual(self.told(bob), [{"is": "rematch", "table": 1, "name": "ann", "on": False}])
        self.assertEqual(self.ask(bob, do="rematch")[-1]["why"], "ann is not here any more")

    def test_nobody_comes(self) -> None:
        """The table is closed after its time."""
        host, ann, bob = self.over()
        host.wait(600)
        self.assertEqual(self.told(ann), [{"is": "stopped", "why": "nobody came in time"}])
        self.assertEqual(self.told(bob), [{"is": "rematch", "table": 1, "name": "ann", "on": False}])

    def test_who_was_asked_is_gone(self) -> None:
        """The one who waits does so in vain, and can do something else."""
        _, ann, bob = self.over()
        bob.drop()
        self.assertEqual(self.told(ann), [{"is": "stopped", "why": "bob is not here any more"}])
        host, ann, bob = self.over()
        cid, _ = self.enter(host, "cid")
        for client in (cid, bob):
            client.send(line(do="seek", game="onitama"))
        self.assertEqual(self.told(ann), [{"is": "stopped", "why": "bob plays another match"}])
        self.assertEqual(self.ask(ann, do="seek", game="onitama")[-1]["is"], "seeking")

    def test_a_house_player_always_wants_to(self) -> None:
        host, programs = house_host()
        ann = enter(host, "ann")
        ann.send(line(do="seek", game="onitama", house="easy", seat="first"))
        self.assertEqual(self.told(ann)[0]["names"], ["ann", "easy.1"])
        ann.send(line(do="leave"))
        ann.send(line(do="rematch"))
        seated = [one for one in self.told(ann) if one["is"] == "seated"]
        self.assertEqual([(one["seat"], one["names"][0][:4]) for one in seated], [(1, "easy")])
        self.assertEqual(len(programs.called), 2)


del OpenCase
