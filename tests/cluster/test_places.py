"""What is no name and has a home, such as a table that waits: whoever wants it goes there from any member."""

from collections.abc import Callable

from gamehost.lobby.sessions import place_of
from tests.kit.memory_cluster import ClusterCase, MemberHost
from tests.kit.memory_host import Client
from tests.kit.memory_registry import MemoryRegistry


class EriantysTests(ClusterCase):
    """A lobby with tables to choose, on both of its wires."""

    members = 3
    #: How the wires are spelt: log in, list, set up and join a game, and a word that is heard when a game begins.
    WIRES = {
        "eriantys": (
            '{{"type":"LoginMessage","nickname":"{}"}}',
            '{"type":"RequestGames"}',
            '{"type":"SetGame","numberOfPlayers":2,"expertMode":false}',
            '{{"type":"JoinAvailableGame","gameId":{}}}',
            "MatchStarted",
        ),
        "eriantys-java": (
            "LoginMessage nickname={}",
            "RequestGames",
            "SetGame expertMode=false numberOfPlayers=2",
            "JoinAvailableGame gameID={}",
            "MatchStarted",
        ),
    }

    def enter(self, host: MemberHost, wire: str, name: str) -> Client:
        client = host.connect(wire)
        self.say(client, self.WIRES[wire][0].format(name))
        self.assertIn("SUCCESS", "".join(client.heard()))
        return client

    def say(self, client: Client, line: str) -> None:
        client.say(line)
        self.world.wait(1.2)

    def ask(self, client: Client, line: str) -> str:
        client.heard()
        self.say(client, line)
        return "".join(client.heard())

    def test_a_game_of_another_member(self) -> None:
        """It is in the list of every member, and whoever joins it plays it, on whichever of the wires."""
        for n, (there, here) in enumerate((a, b) for a in self.WIRES for b in self.WIRES):
            _, _, new, _, _ = self.WIRES[there]
            _, games, _, join, begins = self.WIRES[here]
            ann = self.enter(self.first, there, f"ann{n}")
            bob = self.enter(self.world.hosts[2], here, f"bob{n}")
            self.say(ann, new)
            [number] = self.first.lobby.waiting_tables._parties
            self.assertEqual(self.homes(), {f"ann{n}": 1, f"bob{n}": 3, place_of(number): 1})
            self.assertIn(str(number), self.ask(bob, games))
            self.assertIn(begins, self.ask(bob, join.format(number)))
            self.assertIn(begins, "".join(ann.heard()))
            self.assertEqual(self.homes(), {f"ann{n}": 1, f"bob{n}": 1})
            for client in (ann, bob):
                client.drop()

    def test_a_game_that_is_gone(self) -> None:
        """Whoever comes too late, or wants a game that never was, is in the lobby, can set one up, and go from game to game."""
        _, games, new, join, _ = self.WIRES["eriantys"]
        ann, bob = self.enter(self.first, "eriantys", "ann"), self.enter(self.second, "eriantys", "bob")
        self.assertIn("GAME_NOT_FOUND", self.ask(bob, join.format(99)))
        self.assertEqual(self.homes(), {"ann": 1, "bob": 2})
        self.say(ann, new)
        [number] = self.first.lobby.waiting_tables._parties
        self.world.wait(1)
        transfer = MemoryRegistry.transfer
        self.patch(MemoryRegistry, "transfer", lambda *call: self.world.clock.callLater(0.5, transfer, *call))
        bob.say(join.format(number))
        ann.drop()
        self.world.wait(2)
        self.assertIn("GAME_NOT_FOUND", "".join(bob.heard()))
        self.assertEqual(self.homes(), {"bob": 1})
        self.assertNotIn(str(number), self.ask(bob, games))
        eve = self.enter(self.world.hosts[2], "eriantys", "eve")
        self.say(eve, new)
        [number] = self.world.hosts[2].lobby.waiting_tables._parties
        self.assertIn("MatchStarted", self.ask(bob, join.format(number)))
        self.assertEqual(self.homes(), {"bob": 3, "eve": 3})

    def test_its_member_is_not_reached(self) -> None:
        """That member ends while the player is on the way: the message is heard where the player is."""
        _, _, new, join, _ = self.WIRES["eriantys"]
        ann, bob = self.enter(self.first, "eriantys", "ann"), self.enter(self.second, "eriantys", "bob")
        self.say(ann, new)
        [number] = self.first.lobby.waiting_tables._parties

        def transfer(registry: MemoryRegistry, key: str, home: int, done: Callable[[bool], None]) -> None:
            self.world.clock.callLater(0.1, done, False)

        self.patch(MemoryRegistry, "transfer", transfer)
        self.assertIn("GAME_NOT_FOUND", self.ask(bob, join.format(number)))
        self.assertEqual(self.homes(), {"ann": 1, "bob": 2, place_of(number): 1})

    def test_it_dies(self) -> None:
        """A game that waits ends with its member, and its number is nobody's. A match goes on."""
        _, games, new, join, _ = self.WIRES["eriantys"]
        ann, bob = self.enter(self.first, "eriantys", "ann"), self.enter(self.second, "eriantys", "bob")
        self.say(ann, new)
        [number] = self.first.lobby.waiting_tables._parties
        self.first.kill()
        self.world.wait(3)
        self.assertEqual(self.homes(), {"bob": 2})
        self.assertNotIn(str(number), self.ask(bob, games))
        self.assertIn("GAME_NOT_FOUND", self.ask(bob, join.format(number)))


class ListTests(ClusterCase):
    """Lists are the same at every member."""

    def test_who_is_there(self) -> None:
        """Those who are here, and those who wait, at whichever member."""
        self.log_in(self.first, "ann")
        bob = self.second.connect("eriantys")
        bob.say('{"type":"LoginMessage","nickname":"bob"}')
        bob.say('{"type":"SetGame","numberOfPlayers":2,"expertMode":false}')
        self.world.wait(1.5)
        for host in self.world.hosts:
            spectators = host.lobby.spectators
            self.assertEqual([one.name for one in spectators.people()], ["ann", "bob"])
            waiting = spectators.waiting()
            self.assertEqual([waiting["onitama"].names, waiting["eriantys"].tables[0].names], [("ann",), ("bob",)])
            counts = spectators.counts()
            self.assertEqual((counts.people, counts.waiting), (2, 2))
        self.second.kill()
        self.world.wait(1.5)
        self.assertEqual([one.name for one in self.first.lobby.spectators.people()], ["ann"])
        self.assertEqual(list(self.first.lobby.spectators.waiting()), ["onitama"])
