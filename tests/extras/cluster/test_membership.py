"""Names, waiting players and tables of several hosts; signs of life, and the search for the home of a name."""

from collections.abc import Callable
from typing import Any

from twisted.logger import capturedLogs, formatEvent

from gamehost.accounts import names
from gamehost.extras.cluster.front import relays_in
from gamehost.extras.cluster.membership import EVERY, HomeSearch
from gamehost.settings import BadOption
from gamehost.storage.names import Member
from tests.kit.memory_cluster import ClusterCase, MemberHost, MemberJournal
from tests.kit.memory_host import Client
from tests.kit.memory_registry import MemoryRegistry

REAL = MemoryRegistry.tell_taken_over


class MeetingTests(ClusterCase):
    def test_one_waits(self) -> None:
        """Who comes to another member than the one where somebody waits is passed on, and plays there."""
        self.match()
        self.assertEqual((self.second.cluster.relays_out, relays_in(self.first.cluster)), (1, 1))
        self.assertEqual((len(self.first.lobby.tables), len(self.second.lobby.tables)), (1, 0))

    def test_strangers_of_one_member_meet_first(self) -> None:
        """Two come to each of two members, one after the other: nobody is passed on, and no member is told who waits."""
        clients = []
        for number in range(4):
            client = self.world.hosts[number % 2].connect()
            client.transport.receive(f"LOGIN|guest{number}\n".encode())
            clients.append(client)
            self.world.wait(0.05)
            self.assertEqual(self.world.database.offers, {})
        for client in clients:
            self.assertIn("START", "".join(client.heard()))
        self.assertEqual([host.cluster.relays_out for host in self.world.hosts], [0, 0])

    def test_both_wait(self) -> None:
        """If both come in the same moment, one of them is moved to the other, who has waited longer."""
        clients = [host.connect() for host in (self.second, self.first)]
        for client, name in zip(clients, ("ann", "bob"), strict=True):
            client.transport.receive(f"LOGIN|{name}\n".encode())
        self.world.wait(1.0)
        self.assertEqual([len(host.lobby.tables) for host in self.world.hosts], [0, 1])
        for client, name in zip(clients, ("ann", "bob"), strict=True):
            first, second = client.heard()
            self.assertEqual(first, f"WAITING|{name}")
            self.assertTrue(second.startswith("START|ann|bob|"), second)


class NamesTests(ClusterCase):
    def test_a_log_in_computes_two_keys(self) -> None:
        """One to find the home of the name, and one to log in there."""
        computed: list[str] = []

        def counted(written_out: str, folded: Callable[[str], str] = names._folded) -> str:
            computed.append(written_out)
            return folded(written_out)

        self.patch(names, "_folded", counted)
        self.assertEqual(self.log_in(self.first, "ann").heard(), ["WAITING|ann"])
        self.assertEqual(computed, ["ann", "ann"])

    def test_in_use(self) -> None:
        """A name that is in use at one member is refused at all others, by the member that has it."""
        self.log_in(self.first, "ann")
        other = self.second.connect(address="192.0.2.9")
        other.say("LOGIN|Ann")
        self.world.wait(0.2)
        self.assertEqual(other.heard(), ["ERROR|this name is in use"])
        self.assertEqual((self.second.cluster.relays_out, relays_in(self.first.cluster)), (1, 1))

    def test_it_is_free_again(self) -> None:
        self.log_in(self.first, "ann").drop()
        self.world.wait(0.2)
        self.assertEqual(self.log_in(self.second, "ann").heard(), ["WAITING|ann"])
        self.assertEqual(self.second.cluster.relays_out, 0)

    def test_a_refused_log_in(self) -> None:
        """A log-in that is refused for another reason keeps no name."""
        self.log_in(self.first, "no/such/name")
        self.first.lobby.closed = "closed"
        self.log_in(self.first, "ann").drop()
        self.world.wait(0.2)
        self.assertEqual(self.world.database.homes, {})

    def test_a_seat(self) -> None:
        ann, bob = self.match()
        for client in (ann, bob):
            client.heard()
        bob.drop()
        self.world.wait(0.2)
        for host in (self.second, self.first):
            again = self.log_in(host, "bob")
            self.assertIn("RECONNECT", "".join(again.heard()))
            again.drop()
            self.world.wait(0.2)

    def test_at_once(self) -> None:
        """One name at both members in the same moment: one is let in."""
        clients = [host.connect() for host in self.world.hosts]
        for client in clients:
            client.transport.receive(b"LOGIN|ann\n")
        self.world.wait(0.5)
        answers = [client.heard() for client in clients]
        self.assertIn(["WAITING|ann"], answers)
        self.assertIn(["ERROR|this name is in use"], answers)


class LossTests(ClusterCase):
    def test_a_kill(self) -> None:
        """Who was passed on to such a member is cut off. Its tables and names are at another one, where all come back."""
        _, bob = self.match()
        self.first.kill()
        self.world.wait(1.0)
        self.assertTrue(bob.closed)
        self.assertEqual((self.second.cluster.relays_out, self.second.cluster.here), (0, {"ann", "bob"}))
        for name in ("ann", "bob"):
            again = self.log_in(self.second, name)
            self.assertIn("RECONNECT", "".join(again.heard()))
        self.assertEqual(len(self.second.lobby.tables), 1)

    def test_at_once_after_a_kill(self) -> None:
        """Who comes back before anybody has noticed the end of a member waits for the member that takes over."""
        self.match()
        self.first.kill()
        ann, bob = (self.second.connect() for _ in range(2))
        ann.say("LOGIN|ann")
        bob.say("LOGIN|bob")
        self.world.wait(1.0)
        for client in (ann, bob):
            self.assertIn("RECONNECT", "".join(client.heard()))

    def test_who_waits(self) -> None:
        """Who waited at a member that was killed has a free name."""
        self.log_in(self.first, "ann")
        self.first.kill()
        self.world.wait(1.0)
        self.assertEqual(self.log_in(self.second, "ann").heard(), ["WAITING|ann"])

    def test_a_member_that_hangs(self) -> None:
        """It is taken over, its relays are cut, and it ends when it wakes."""
        _, bob = self.match()
        self.first.registry.hang()
        self.world.wait(5.0)
        self.assertTrue(bob.closed)
        self.assertIn("RECONNECT", "".join(self.log_in(self.second, "bob").heard()))
        self.first.registry.wake()
        self.world.wait(0.5)
        self.assertIn("taken the journal over", self.first.ended)

    def test_a_new_member(self) -> None:
        """A member that comes back is a new one."""
        self.first.kill()
        third = self.world.join()
        self.world.wait(1.0)
        self.assertEqual([one.epoch for one in third.cluster.members], [2, 3])


class OtherKindTests(ClusterCase):
    """A member whose address this one cannot use, because only one of the two has TLS."""

    def test_it_is_logged(self) -> None:
        """Once, when it comes."""

        def dial(address: str) -> Any:
            if address.startswith("tls:"):
                raise BadOption("the other member uses TLS, and this one does not")

        cluster = self.second.cluster
        cluster.relays.dial = dial
        members = [*cluster.members, Member(9, "db", "tls:10.0.0.9:8990", "token9")]
        with capturedLogs() as events:
            for _ in range(2):
                cluster.members_are(members)
        said = [formatEvent(event) for event in events if event["log_level"].name == "warn"]
        why = "the other member uses TLS, and this one does not"
        self.assertEqual(said, [f"no connection can be passed on to member 9: {why}"])


class SeatsTests(ClusterCase):
    def finish(self) -> None:
        """Ann's and Bob's match ends, and the host does not come to note that they were told so."""
        self.patch(MemberJournal, "told", lambda journal, table, seat=None: None)
        ann, bob = self.match()
        bob.drop()
        ann.say("RESIGN")
        self.world.wait(0.1)
        self.assertIn("GAME_OVER|bob", "".join(ann.heard()))
        ann.drop()
        self.world.wait(0.1)
        self.assertEqual(self.homes(), {})

    def test_an_end_that_was_not_told(self) -> None:
        """The member that takes over keeps such seats, and tells the end at whatever member the players come."""
        self.finish()
        self.first.kill()
        self.world.wait(1)
        self.assertEqual(self.homes(), {"ann": 2, "bob": 2})
        third = self.world.join()
        again = self.log_in(third, "bob")
        self.assertIn("GAME_OVER|bob", "".join(again.heard()))
        again.drop()
        self.world.wait(0.1)
        self.assertEqual(self.homes().get("bob"), None)

    def test_a_player_with_an_untold_end_is_elsewhere(self) -> None:
        """The old seat at the member that took over does not take the name from the member where the player is now."""
        third = self.world.join()
        self.finish()
        again = self.log_in(third, "bob")
        self.assertEqual((again.heard(), self.homes()), (["WAITING|bob"], {"bob": 3}))
        self.first.kill()
        self.world.wait(1)
        other = self.log_in(self.second, "bob", address="192.0.2.77")
        self.assertEqual((other.heard(), self.homes()["bob"]), (["ERROR|this name is in use"], 3))
        self.assertFalse(again.closed)

    def test_two_deaths_in_a_row(self) -> None:
        """The member that takes over ends before it has the tables: the next one takes all of it."""
        third = self.world.join()
        self.match()
        self.patch(MemoryRegistry, "tell_taken_over", lambda registry, tables, keys: None)
        self.first.kill()
        self.world.wait(1)
        self.assertEqual(self.homes()["ann"], 2)
        self.second.kill()
        self.patch(MemoryRegistry, "tell_taken_over", REAL)
        self.world.wait(1)
        for name in ("ann", "bob"):
            self.assertIn("RECONNECT", "".join(self.log_in(third, name).heard()))

    def test_a_member_that_stops(self) -> None:
        """Its matches and names are at another member, and nothing waits for it."""
        self.log_in(self.second, "carl", "onitama")
        self.match_of_two(self.second)
        self.second.lobby.close()
        self.second.cluster.halt()
        self.second.kill()
        self.world.wait(1)
        self.assertEqual(self.homes(), {"carl": 1, "dan": 1})
        self.assertIn("RECONNECT", "".join(self.log_in(self.first, "dan").heard()))

    def match_of_two(self, host: MemberHost) -> None:
        self.assertIn("START|", "".join(self.log_in(host, "dan").heard()))

    def test_a_lost_line(self) -> None:
        """A member without a line to the database lets nobody in; it ends if it is not back, and others have its seats."""
        self.match()
        self.first.registry.lose_line()
        client = self.first.connect()
        client.say("LOGIN|carl")
        self.world.wait(2)
        self.assertEqual(client.heard(), [])
        self.assertIn("RECONNECT", "".join(self.log_in(self.second, "ann").heard()))
        self.world.wait(10)
        self.assertIn("line" if "line" in self.first.ended else "connection", self.first.ended)

    def test_a_drained_member(self) -> None:
        """It begins no matches, and nobody is sent there. Its seats are still found from other members."""
        ann, bob = self.match()
        self.first.lobby.drain("the host is about to stop")
        carl, dan = (self.log_in(self.second, name) for name in ("carl", "dan"))
        self.assertIn("START|carl|dan", "".join(carl.heard() + dan.heard()))
        bob.drop()
        self.world.wait(0.1)
        self.assertIn("RECONNECT", "".join(self.log_in(self.second, "bob").heard()))
        self.assertFalse(ann.closed)


class GivenNamesTests(ClusterCase):
    def test_guests(self) -> None:
        """They have the number of the member, and their homes are noted."""
        client = self.second.connect("console")
        self.world.wait(0.1)
        client.say("play onitama")
        self.world.wait(0.3)
        self.assertIn("guest.2.1", "".join(client.heard()))
        self.assertEqual(self.homes(), {"guest.2.1": 2})
        client.drop()
        self.world.wait(0.1)
        self.assertEqual(self.homes(), {})


class AccountsTests(ClusterCase):
    def come(self, host: MemberHost, password: str) -> Client:
        client = host.connect("stratego-lines")
        client.say("ann", password)
        self.world.wait(0.2)
        return client

    def test_one_session(self) -> None:
        """A log-in at another member takes the place of the one before, with the right password."""
        ann = self.come(self.first, "right")
        self.assertIn("auth-ok", ann.heard())
        self.assertIn("err wrong password", self.come(self.second, "wrong").heard())
        again = self.come(self.second, "right")
        self.assertIn("auth-ok", again.heard())
        self.assertTrue(ann.closed)
        self.assertEqual((self.homes(), self.second.cluster.relays_out), ({"ann": 1}, 2))


class BeatsTests(ClusterCase):
    """A host shows the database that it goes on."""

    def setUp(self) -> None:
        super().setUp()
        self.asked: list[Callable[[], None]] = []
        self.first.cluster._beat = self.asked.append

    def test_one_after_the_other(self) -> None:
        """The next time comes when the last one is answered, and some time after that."""
        self.world.wait(10 * EVERY)
        self.assertEqual(len(self.asked), 1)
        self.asked[0]()
        self.world.wait(EVERY)
        self.assertEqual(len(self.asked), 2)

    def test_the_end(self) -> None:
        """A host that stops shows nothing more, also when an answer comes late."""
        self.world.wait(2 * EVERY)
        self.first.cluster.halt()
        self.asked[0]()
        self.world.wait(2 * EVERY)
        self.assertEqual(len(self.asked), 1)


class HomeSearchTests(ClusterCase):
    members = 3

    def search(self, home: int) -> HomeSearch:
        return HomeSearch(self.second.cluster, "ann", home)

    def epoch(self, found: Member | bool | None) -> int | None:
        return found.epoch if isinstance(found, Member) else None

    def test_the_home(self) -> None:
        """The home that was known at first, as long as it is alive; nothing is claimed for that."""
        search = self.search(3)
        self.assertEqual(self.epoch(search.find()), 3)
        self.assertEqual(self.second.cluster.claims, {})

    def test_here(self) -> None:
        self.assertIs(self.search(2).find(), False)

    def test_it_has_ended(self) -> None:
        """The name is claimed again, once, and it is here then until the search ends."""
        self.world.hosts[2].kill()
        self.world.wait(1)
        search = self.search(3)
        for _ in range(3):
            self.assertIsNone(search.find())
        self.world.wait(0.1)
        self.assertIs(search.find(), False)
        self.world.wait(1)
        self.assertEqual(self.homes(), {"ann": 2})
        search.end()
        self.world.wait(0.1)
        self.assertEqual(self.homes(), {})

    def test_another_member_has_it(self) -> None:
        """The name has another home by then, and nothing stays claimed here."""
        self.world.hosts[2].kill()
        self.world.wait(1)
        self.log_in(self.first, "ann")
        search = self.search(3)
        search.find()
        self.world.wait(0.1)
        self.assertEqual(self.epoch(search.find()), 1)
        search.end()
        self.assertEqual((self.second.cluster.claims, self.second.cluster.elsewhere), ({}, set()))

    def test_it_is_over_before_the_answer(self) -> None:
        self.world.hosts[2].kill()
        self.world.wait(1)
        search = self.search(3)
        search.find()
        search.end()
        self.world.wait(0.1)
        self.assertEqual(self.homes(), {})
