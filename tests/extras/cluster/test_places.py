"""What is no name and has a home, such as a table that waits: whoever wants it goes there from any member."""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from gamehost.accounts.names import place_of
from gamehost.extras.cluster.relay import MOST_HOPS
from gamehost.extras.dialects.litama.matches import table_of
from gamehost.wires.websocket import handshake_with
from tests.kit.memory_cluster import ClusterCase, MemberHost
from tests.kit.memory_host import Client
from tests.kit.memory_registry import MemoryRegistry
from tests.kit.wires.paper_soccer_talk import login
from tests.kit.wires.remote_talk import OPEN, master_login, state


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

    def test_a_missed_end_is_told_to_who_comes_to_another_member(self) -> None:
        """The name stays at home where the end is kept, so the log-in is passed on."""
        log_in, _, new, join, _ = self.WIRES["eriantys"]
        ann = self.enter(self.first, "eriantys", "ann")
        bob = self.enter(self.first, "eriantys", "bob")
        self.say(ann, new)
        [number] = self.first.lobby.waiting_tables._parties
        self.say(bob, join.format(number))
        bob.drop()
        self.say(ann, '{"type":"Disconnect"}')
        self.assertEqual(self.homes().get("bob"), 1)
        for told in (True, False):
            again = self.world.hosts[2].connect("eriantys")
            self.say(again, log_in.format("bob"))
            self.world.wait(3)
            self.assertEqual("CommunicateWinner" in "".join(again.heard()), told)
            again.drop()
            self.world.wait(3)
        self.assertNotIn("bob", self.homes())

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
    def test_who_is_there(self) -> None:
        """Those who are here, and those who wait, at whichever member."""
        self.log_in(self.first, "ann")
        bob = self.second.connect("eriantys")
        bob.say('{"type":"LoginMessage","nickname":"bob"}')
        bob.say('{"type":"SetGame","numberOfPlayers":2,"expertMode":false}')
        self.world.wait(1.5)
        for host in self.world.hosts:
            directory = host.lobby.directory
            self.assertEqual([one.name for one in directory.people()], ["ann", "bob"])
            waiting = directory.waiting()
            self.assertEqual([waiting["onitama"].names, waiting["eriantys"].tables[0].names], [("ann",), ("bob",)])
            counts = directory.counts()
            self.assertEqual((counts.people, counts.waiting), (2, 2))
        self.second.kill()
        self.world.wait(1.5)
        self.assertEqual([one.name for one in self.first.lobby.directory.people()], ["ann"])
        self.assertEqual(list(self.first.lobby.directory.waiting()), ["onitama"])


ENTER = '{{"do":"enter","name":"{}"}}'
SEEK = '{"do":"seek","game":"onitama"}'


class OpenTests(ClusterCase):
    """The open wire: all of its players meet, whatever else they are told."""

    def enter(self, host: MemberHost, name: str, *lines: str) -> Client:
        client = host.connect("open")
        client.say(*lines, ENTER.format(name))
        self.world.wait(0.2)
        return client

    def heard(self, client: Client, seconds: float = 1.5) -> str:
        self.world.wait(seconds)
        return "".join(client.heard())

    def test_they_meet(self) -> None:
        """Players of two members who want any opponent, with a seat that they wish."""
        ann, bob = self.enter(self.first, "ann"), self.enter(self.second, "bob")
        self.assertEqual(self.homes(), {"ann": 1, "bob": 2})
        ann.say('{"do":"seek","game":"onitama","seat":"second"}')
        self.world.wait(1)
        bob.say('{"do":"seek","game":"onitama"}')
        told = self.heard(bob)
        self.assertIn('"is":"seated","table":1,"game":"onitama","seat":0', told)
        self.assertEqual(told.count("seeking"), 1)
        self.assertEqual(self.homes(), {"ann": 1, "bob": 1})
        self.first.kill()
        self.heard(bob)
        self.assertTrue(bob.closed)

    def test_who_is_moved_goes_on(self) -> None:
        """Whoever has come from another member can stop, seek another game, and meet somebody who comes to a third."""
        third = self.world.join()
        ann, bob = self.enter(self.first, "ann"), self.enter(self.second, "bob")
        for client in (ann, bob):
            client.say(SEEK)
        self.assertIn("seated", self.heard(bob))
        ann.say('{"do":"leave"}')
        self.assertIn('"over"', self.heard(bob))
        bob.say('{"do":"seek","game":"stratego"}')
        eve = self.enter(third, "eve")
        eve.say('{"do":"seek","game":"stratego"}')
        self.assertIn("seated", self.heard(eve))
        self.assertIn("seated", self.heard(bob))

    def relays(self) -> list[int]:
        return [host.cluster.relays_out for host in self.world.hosts]

    def test_from_member_to_member(self) -> None:
        """However often somebody goes to another member, the first one alone relays, and nobody does for who is at home."""
        self.world.join()
        bob = self.enter(self.second, "bob")
        for turn in range(3 * MOST_HOPS):
            at = turn % 3
            ann = self.enter(self.world.hosts[at], f"ann{turn}")
            ann.say('{"do":"seek","game":"onitama","private":true}')
            number, code = re.findall(r'"table":(\d+),"code":"(\w+)"', self.heard(ann))[0]
            bob.say(f'{{"do":"join","table":{number},"code":"{code}"}}', '{"do":"ping"}')
            told = self.heard(bob)
            self.assertIn('"is":"seated"', told)
            self.assertIn('"is":"pong"', told)
            self.assertEqual((self.homes()["bob"], self.relays()), (at + 1, [0, int(at != 1), 0]))
            ann.say('{"do":"leave"}')
            self.assertIn('"over"', self.heard(bob))
            ann.drop()

    def test_a_rematch_after_a_move(self) -> None:
        """Who has gone to another member goes to where the other player is, and is there the player of that match."""
        third = self.world.join()
        ann, bob, eve = self.enter(self.first, "ann"), self.enter(self.second, "bob"), self.enter(third, "eve")
        for client in (ann, bob):
            client.say(SEEK)
        self.heard(bob)
        ann.say('{"do":"leave"}')
        eve.say('{"do":"seek","game":"stratego","private":true}')
        table = re.findall(r'"table":(\d+),"code":"(\w+)"', self.heard(eve))[0]
        bob.say('{{"do":"invitation","table":{},"code":"{}"}}'.format(*table))
        self.heard(bob)
        self.assertEqual(self.homes()["bob"], 3)
        self.assertNotEqual(self.homes()["ann"], 3)
        ann.say('{"do":"rematch"}')
        self.assertIn('"seeking"', self.heard(ann))
        self.assertEqual(self.homes()["ann"], 3)
        self.assertIn('{"is":"rematch","table":1,"name":"ann"}', self.heard(bob))
        bob.say('{"do":"rematch"}')
        self.assertIn('"names":["ann","bob"]', self.heard(ann))
        bob.say('{"do":"leave"}', '{"do":"say","phrase":"thanks"}')
        self.assertIn("Thank you", self.heard(ann))
        bob.drop()
        self.world.wait(1)
        ann.say('{"do":"rematch"}')
        self.assertIn("bob is not here any more", self.heard(ann))

    def test_who_looks_on(self) -> None:
        """Both look at the lobby and at a match. They meet, and one of them is shown both again."""
        eve, kim = self.enter(self.first, "eve"), self.enter(self.first, "kim")
        for client in (eve, kim):
            client.say(SEEK)
        self.assertIn("seated", self.heard(kim, 7))
        looks = '{"do":"lobby","on":true}', '{"do":"watch","table":1}'
        ann, bob = self.enter(self.first, "ann", *looks), self.enter(self.second, "bob", *looks)
        for client in (ann, bob):
            self.assertIn('"is":"shown","table":1', self.heard(client))
        ann.say(SEEK)
        self.world.wait(1)
        bob.say(SEEK)
        told = self.heard(bob, 3)
        for words in ('"is":"seated"', '"is":"tables"', '"is":"shown","table":1'):
            self.assertEqual(told.count(words), 1, told)
        kim.say('{"do":"leave"}')
        self.assertIn('"is":"over","table":1', self.heard(bob))

    def test_whose_answer_is_on_its_way(self) -> None:
        """Such a player cannot be moved until it has come, so the other one is."""
        ann, bob = self.enter(self.first, "ann"), self.enter(self.second, "bob")
        ann.say(SEEK)
        self.world.wait(1)
        talk: Any = bob.protocol.conversation
        talk._asking = True
        bob.say(SEEK)
        self.assertEqual(self.heard(bob).count("seated"), 0)
        talk._asking = False
        self.assertIn("seated", self.heard(bob))

    def test_a_table_that_fits(self) -> None:
        """Somebody who wants a clock goes to the member where such a table waits."""
        seek = '{"do":"seek","game":"onitama","settings":{"move_time":60}}'
        ann, bob = self.enter(self.first, "ann"), self.enter(self.second, "bob")
        ann.say(seek)
        self.world.wait(1.5)
        bob.say(seek)
        self.assertIn("seated", self.heard(bob))
        self.assertEqual(self.homes(), {"ann": 1, "bob": 1})

    TABLE = '{"do":"seek","game":"onitama","settings":{"move_time":60}}'

    def test_tables_that_fit(self) -> None:
        """Equal tables that are opened in the same second: who waits at the younger one goes to the older one."""
        third = self.world.join()
        ann, bob, eve = self.enter(self.first, "ann"), self.enter(self.second, "bob"), self.enter(third, "eve")
        bob.say(self.TABLE)
        ann.say(self.TABLE, '{"do":"ping"}')
        eve.say('{"do":"seek","game":"onitama","settings":{"move_time":60},"private":true}')
        told = self.heard(ann)
        self.assertIn('"names":["bob","ann"]', told)
        self.assertIn('"settings":{"move_time":"60"}', told)
        self.assertIn("seated", self.heard(bob))
        self.assertNotIn("seated", self.heard(eve))
        self.assertEqual(
            {name: home for name, home in self.homes().items() if name in ("ann", "bob")}, {"ann": 2, "bob": 2}
        )

    def test_tables_of_others_and_seats(self) -> None:
        """Two who want the same seat, other settings, and a table with others: nobody goes."""
        settings = '{{"do":"seek","game":"onitama","settings":{{"move_time":{}}},"seat":"{}"}}'
        wishes = ((60, "first"), (60, "first"), (30, "any"))
        clients = [self.enter(host, f"ann{n}") for n, host in enumerate((self.first, self.second, self.world.join()))]
        for client, wish in zip(clients, wishes, strict=True):
            client.say(settings.format(*wish))
        for client in clients:
            self.assertNotIn("seated", self.heard(client))
        self.assertEqual([self.homes()[f"ann{n}"] for n in range(3)], [1, 2, 3])

    def test_a_table_that_fits_and_is_gone(self) -> None:
        """Who has gone there waits at a table of their own again. So does who cannot go."""
        ann, bob = self.enter(self.first, "ann"), self.enter(self.second, "bob")
        transfer = MemoryRegistry.transfer
        for answers in (False, True):
            ann.say(self.TABLE)
            bob.say(self.TABLE)

            def later(registry: MemoryRegistry, key: str, home: int, done: Any, answers: bool = answers) -> None:
                ann.say('{"do":"stop"}')
                call = partial(transfer, registry, key, home, done) if answers else partial(done, False)
                self.world.clock.callLater(0.5, call)

            self.patch(MemoryRegistry, "transfer", later)
            self.assertIn('"names":["bob"]', self.heard(bob, 2.5))
            self.assertEqual(self.homes()["bob"], 1 if answers else 2)
            bob.say('{"do":"stop"}')
            self.assertIn("stopped", self.heard(bob))

    def test_a_private_table(self) -> None:
        """Its code is good at every member, also for who has not logged in; a wrong one is not."""
        ann, bob = self.enter(self.first, "ann"), self.second.connect("open")
        ann.say('{"do":"seek","game":"onitama","private":true}')
        code = self.heard(ann).partition('"code":"')[2][:8]
        bob.say('{"do":"lobby","on":true}', f'{{"do":"invitation","table":1,"code":"{code}"}}')
        self.assertIn('"is":"invitation","table":1', self.heard(bob))
        bob.say(ENTER.format("bob"), '{"do":"join","table":1,"code":"WRONG"}')
        self.assertIn("no table of this number", self.heard(bob))
        eve = self.enter(self.second, "eve")
        eve.say(f'{{"do":"join","table":1,"code":"{code}"}}')
        self.assertIn("seated", self.heard(eve))
        self.assertEqual(self.homes(), {"ann": 1, "bob": 1, "eve": 1})

    def test_a_table_of_this_moment(self) -> None:
        """Whoever is told its number at once may ask before its member has claimed it, and is not refused for that."""
        ann, bob = self.enter(self.first, "ann"), self.enter(self.second, "bob")
        claim, own = MemoryRegistry.claim, self.first.cluster.registry

        def late(registry: MemoryRegistry, *asked: Any) -> None:
            self.world.clock.callLater(0.05 if registry is own else 0, claim, registry, *asked)

        self.patch(MemoryRegistry, "claim", late)
        ann.say('{"do":"seek","game":"onitama","private":true}')
        code = "".join(ann.heard()).partition('"code":"')[2][:8]
        bob.say(f'{{"do":"join","table":1,"code":"{code}"}}')
        self.assertIn("seated", self.heard(bob))
        bob.say('{"do":"leave"}', '{"do":"join","table":99}')
        self.assertIn("no table of this number", self.heard(bob))

    def test_who_waits_at_a_table(self) -> None:
        """Such a player stays, and is answered there."""
        ann, bob = self.enter(self.first, "ann"), self.enter(self.second, "bob")
        for client in (ann, bob):
            client.say('{"do":"seek","game":"onitama","private":true}')
        self.heard(bob)
        bob.say('{"do":"invitation","table":1,"code":"?"}')
        self.assertIn("no table of this number", self.heard(bob))
        self.assertEqual(len(self.second.lobby.waiting_tables), 1)

    def test_a_table_that_waits_outlives_its_member(self) -> None:
        """The next member has it, and the name of its player, who comes back there."""
        ann = self.enter(self.first, "ann")
        ann.say('{"do":"seek","game":"onitama","private":true}')
        self.heard(ann)
        [record] = self.first.journal.opened()
        self.first.kill()
        self.world.wait(20)
        self.assertEqual(list(self.second.journal.opened()), [record])
        thief = self.second.connect("open")
        thief.say(f'{{"do":"enter","name":"ann","key":"{"0" * 32}"}}')
        self.assertIn("kept under this name", self.heard(thief))
        bob = self.enter(self.second, "bob")
        bob.say(f'{{"do":"join","table":{record.table},"code":"{record.code}"}}')
        self.assertIn('"away":["ann"]', self.heard(bob))


class ConsoleTests(ClusterCase):
    """The console: a person who types at one member plays with one of another."""

    def enter(self, host: MemberHost, *lines: str) -> Client:
        client = host.connect("console")
        for line in lines:
            client.say(line)
            self.world.wait(0.2)
        return client

    def heard(self, client: Client, seconds: float = 1.5) -> str:
        self.world.wait(seconds)
        return "\n".join(client.heard())

    def test_they_meet(self) -> None:
        """With a name and without one; each sees the own settings, and the prompt comes once."""
        ann = self.enter(self.first, "set board words", "name ann", "play onitama")
        bob = self.enter(self.second, "set width 40", "play onitama")
        for client, settings in ((ann, "  board   words"), (bob, "  width   40")):
            self.assertIn("Match 1: Onitama", self.heard(client))
            client.say("set")
            self.assertIn(settings, self.heard(client, 0.1))
        self.assertEqual(self.homes(), {"ann": 1, "guest.2.1": 1})
        bob.say("resign", "yes")
        self.assertIn("You win", self.heard(ann))

    def test_tables_that_fit(self) -> None:
        """Equal tables that are opened in the same second."""
        ann, bob = self.enter(self.first, "name ann"), self.enter(self.second, "name bob")
        for client in (ann, bob):
            client.say("play onitama move_time=60")
        for client in (ann, bob):
            self.assertIn("Match ", self.heard(client))
        self.assertEqual(self.homes(), {"ann": 1, "bob": 1})

    def test_telnet(self) -> None:
        """Lines end at the other member as they did, and what telnet has told is known there."""
        self.enter(self.first, "name ann", "play onitama")
        self.world.wait(1)
        bob = self.enter(self.second, "<will terminal>", "<window 60>", "<terminal xterm>", "name bob")
        bob.heard()
        bob.say("play onitama")
        self.world.wait(1)
        read = bob.transport.read()
        self.assertIn(b"Match 1: Onitama", read)
        self.assertEqual(read.count(b"\n"), read.count(b"\r\n"))
        self.assertNotIn(b"\xff", read)
        bob.say("set")
        told = self.heard(bob)
        self.assertIn("width   60", told)
        self.assertIn("colour  on", told)

    def test_a_table(self) -> None:
        """A person joins a table of another member by its number, from there again another one, and watches on."""
        third = self.world.join()
        self.log_in(self.first, "x")
        self.log_in(self.first, "y")
        ann = self.enter(self.first, "name ann", "play onitama move_time=60")
        bob = self.enter(self.second, "name bob")
        self.world.wait(7)
        bob.say("watch 1")
        self.assertIn("x", self.heard(bob))
        bob.say("waiting")
        self.assertIn("ann", self.heard(bob))
        bob.say("join 2")
        self.assertIn("Match 2: Onitama", self.heard(bob))
        ann.say("resign", "yes")
        self.world.wait(1)
        eve = self.enter(third, "name eve", "play stratego move_time=60")
        self.world.wait(1)
        bob.say("play stratego move_time=60")
        self.assertIn("Stratego", self.heard(bob))
        self.assertEqual({name: self.homes()[name] for name in ("bob", "eve")}, {"bob": 3, "eve": 3})
        self.assertFalse(eve.closed)

    def test_another_name(self) -> None:
        """Whoever has a name here can take one whose home is elsewhere, if it is free to be taken."""
        ann, bob = self.enter(self.first, "name ann"), self.enter(self.second, "name bob")
        bob.say("name ann")
        self.assertIn("in use", self.heard(bob))
        ann.drop()
        self.world.wait(0.5)
        bob.say("name ann")
        self.assertIn("You are ann", self.heard(bob))
        self.assertEqual(set(self.homes()), {"ann"})

    def test_a_password(self) -> None:
        """It is checked where the name is at home."""
        login = "login ann", "correct horse battery"
        ann = self.enter(self.first, *login)
        self.world.wait(1)
        other = self.enter(self.second, *login)
        self.assertIn("You are ann", self.heard(other))
        self.assertIn("another connection", self.heard(ann))
        self.assertEqual(self.homes(), {"ann": 1})


class LitamaTests(ClusterCase):
    """The ids of matches are good at every member, and so are the tokens of their seats."""

    members = 3

    def connect(self, host: MemberHost, socket: bool = False) -> Client:
        client = host.connect("litama")
        if socket:
            client.transport.receive(handshake_with("dGhlIHNhbXBsZSBub25jZQ=="))
            self.world.wait(0.1)
        return client

    def ask(self, client: Client, line: str) -> str:
        client.transport.read()
        client.say(line)
        self.world.wait(1)
        return client.transport.read().decode("utf-8", "replace")

    def create(self, client: Client) -> tuple[str, str]:
        told = json.loads(self.ask(client, "create ann"))
        return told["matchId"], told["token"]

    def test_another_member(self) -> None:
        """Somebody joins, looks on, plays and asks at members where the match is not."""
        ann, bob, eve = (self.connect(host) for host in self.world.hosts)
        match, _ = self.create(ann)
        place = place_of(table_of(match))
        self.assertEqual(self.homes(), {"ann": 1, place: 1})
        self.assertIn("waiting for player", self.ask(eve, f"spectate {match}"))
        told = self.ask(bob, f"join {match} bob")
        self.assertIn("index", told)
        self.assertIn('"in progress"', eve.transport.read().decode())
        self.assertEqual(self.homes(), {"ann": 1, "bob": 1, place: 1})
        self.assertIn('"in progress"', self.ask(self.connect(self.second), f"state {match}"))
        self.assertIn("Match not found", self.ask(self.connect(self.second), f"state {'0' * 11}9{'0' * 12}"))

    def test_its_member_dies(self) -> None:
        """The heir has the match, and the token is good at every member."""
        ann, bob = self.connect(self.first), self.connect(self.second)
        match, token = self.create(ann)
        self.ask(bob, f"join {match} bob")
        self.first.kill()
        self.world.wait(3)
        heir = self.homes()["ann"]
        self.assertEqual(self.homes()[place_of(table_of(match))], heir)
        other = next(host for host in self.world.hosts[1:] if host.registry.epoch != heir)
        again = self.connect(other)
        self.assertIn("spectate", self.ask(again, f"spectate {match} {token}"))
        self.assertIn('"in progress"', self.ask(again, f"state {match}"))
        again.drop()
        for host in self.world.hosts:
            host.lobby.context.sleep = 60.0
        self.world.wait(200)
        self.assertEqual(self.homes(), {})

    def test_the_same_name(self) -> None:
        """A name that somebody has at another member is not given a second time."""
        self.log_in(self.first, "ann")
        client = self.connect(self.second)
        self.create(client)
        self.assertIn("ann.2.2", self.homes())

    def test_who_has_a_match_stays(self) -> None:
        """Such a client finds no match that waits elsewhere. It is not disconnected."""
        ann, bob = self.connect(self.first), self.connect(self.second)
        match, _ = self.create(ann)
        self.create(bob)
        self.assertIn("Match not found", self.ask(bob, f"join {match} bob"))
        self.assertFalse(bob.closed)

    def test_a_match_that_nobody_joins(self) -> None:
        ann = self.connect(self.first)
        self.create(ann)
        ann.drop()
        self.world.wait(0.5)
        self.assertEqual(self.homes(), {})

    def test_over_websocket(self) -> None:
        """A browser goes to another member in the middle of its connection."""
        ann = self.connect(self.first)
        match, _ = self.create(ann)
        for early in (False, True):
            bob = self.connect(self.second, socket=not early)
            self.assertEqual(b"101" in bob.transport.read(), not early)
            text = client_frame(f"state {match}".encode())
            start = handshake_with("dGhlIHNhbXBsZSBub25jZQ==") if early else b""
            bob.transport.receive(start + text)
            self.world.wait(1)
            told = bob.transport.read()
            self.assertEqual(told.count(b"HTTP/1.1 101"), int(early))
            self.assertIn(b"waiting for player", told)
            self.assertEqual(len(self.first.factories["litama"].connections), 2)
            bob.drop()
            self.world.wait(0.5)


def client_frame(text: bytes) -> bytes:
    """A short text as a browser sends it, with a mask of zeros."""
    return bytes((0x81, 0x80 | len(text), 0, 0, 0, 0)) + text


class RemoteTests(ClusterCase):
    """Remote games: a type has its players and its master at one member, whichever they come to."""

    settings = {**OPEN, "paper-soccer.types": "nim"}

    def come(self, host: MemberHost, *messages: str) -> Client:
        client = host.connect("paper-soccer")
        client.say(*messages)
        self.world.wait(0.5)
        return client

    def test_a_game(self) -> None:
        """Whoever comes first decides where the type is; another type may be elsewhere."""
        ann = self.come(self.second, login("ann", "nim"))
        master, other = self.come(self.first, master_login()), self.come(self.first, master_login("go", name="go-1"))
        bob = self.come(self.first, login("bob", "nim"))
        self.assertIn("beginGame", "".join(master.heard()))
        self.assertNotIn("beginGame", "".join(other.heard()))
        self.assertEqual(self.homes(), {"ann": 2, "bob": 2, "#remote nim": 2, "#remote go": 1})
        master.say(state(1, "ann", "3 4 5"))
        self.world.wait(0.5)
        for player in (ann, bob):
            self.assertIn("3 4 5", "".join(player.heard()))

    def test_a_type_that_nobody_plays(self) -> None:
        """It is refused, and has no home then."""
        self.assertIn('accept="no"', "".join(self.come(self.second, login("ann", "chess")).heard()))
        self.assertEqual(self.homes(), {})

    def test_its_member_dies(self) -> None:
        """The type has no home any more, and the next one who comes gives it one."""
        self.come(self.second, login("ann", "nim"), master_login("go"))
        self.second.kill()
        self.world.wait(2)
        self.assertEqual(self.homes(), {})
        self.come(self.first, login("ann", "nim"))
        self.assertEqual(self.homes(), {"ann": 1, "#remote nim": 1})

    def test_another_type(self) -> None:
        """A player who has played one type logs in for another one, and for the built-in game, which are elsewhere."""
        self.come(self.second, master_login())
        self.come(self.second, login("eve"))
        client = self.come(self.first, login("ann", "go"), login("ann", "nim"))
        self.assertEqual(self.homes(), {"ann": 2, "eve": 2, "#remote nim": 2})
        client.say(login("ann"))
        self.world.wait(0.5)
        self.assertIn("gameState", "".join(client.heard()))


class ChampionshipTests(ClusterCase):
    settings = {"paper-soccer.championship": "paper soccer:2"}

    def test_it_goes_on(self) -> None:
        """All come to one member. If that ends, another one has the championship with its players."""
        third = self.world.join()
        for name, host in (("ann", self.second), ("bob", self.first)):
            host.connect("paper-soccer").say(login(name))
            self.world.wait(0.5)
        place = "#championship paper soccer"
        self.assertEqual(self.homes(), {"ann": 2, "bob": 2, place: 2})
        self.second.kill()
        self.world.wait(1)
        heir = self.homes()[place]
        self.assertEqual(self.homes(), {"ann": heir, "bob": heir, place: heir})
        for name, host in (("ann", self.first), ("bob", third)):
            client = host.connect("paper-soccer")
            client.say(login(name))
            self.world.wait(0.5)
            self.assertIn("gameState", "".join(client.heard()))
        self.assertEqual(self.homes(), {"ann": heir, "bob": heir, place: heir})
