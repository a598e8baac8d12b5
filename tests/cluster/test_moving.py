"""Players of one queue who wait at different members."""

from typing import Any

from gamehost.cluster import claiming as claiming_module
from gamehost.testing.registry import MemoryRegistry
from tests.kit.cluster_case import ClusterCase
from tests.kit.memory_host import Client

BUSY = "ERROR|the host is busy: log in again in a moment"


class MovingCase(ClusterCase):
    """Ann waits at the second member, and Bob came to the first one in the same moment."""

    settings = {"limits.unlimited": "yes"}

    def both_wait(self) -> tuple[Client, Client]:
        """Ann, who has waited longer, and Bob, who is to be moved to her."""
        ann, bob = self.second.connect(), self.first.connect()
        ann.transport.receive(b"LOGIN|ann\n")
        bob.transport.receive(b"LOGIN|bob\n")
        self.world.settle()
        self.assertEqual((ann.heard(), bob.heard()), (["WAITING|ann"], ["WAITING|bob"]))
        return ann, bob

    def until_moving(self) -> None:
        """Let time pass until Bob is about to be moved. The database answers when `go_on` is called."""
        transfer = MemoryRegistry.transfer

        def transfer_later(registry: MemoryRegistry, *words: Any) -> None:
            transfer(registry, *words)
            registry.hangs = True

        self.patch(MemoryRegistry, "transfer", transfer_later)
        self.world.wait(0.3)
        self.assertEqual(self.first.cluster.moves.keys, {"bob"})

    def go_on(self) -> None:
        """The database answers."""
        self.first.registry.hangs = False
        self.first.registry._turn()
        self.world.wait(1)


class MovingTests(MovingCase):
    """The one that came later is given to the other one's member."""

    def assert_free(self, *names: str) -> None:
        """These names have no home, nobody waits, and nothing is passed on."""
        self.world.wait(1)
        self.assertEqual(self.homes().keys() & set(names), set())
        self.assertEqual(self.world.database.offers.keys() & set(names), set())
        for host in self.world.hosts:
            if not host.clock.dead:
                self.assertEqual(host.cluster.relays_out, 0)
                self.assertEqual({*host.cluster._claims.values()} & {*names}, set())

    def test_a_move(self) -> None:
        """Bob is at Ann's member then, and can move, with the bytes that were on their way."""
        ann, bob = self.both_wait()
        self.until_moving()
        bob.transport.receive(b"MAKE_M")
        self.go_on()
        self.assertTrue(bob.heard()[0].startswith("START|ann|bob"))
        ann.heard()
        self.assertEqual(self.homes(), {"ann": 2, "bob": 2})
        bob.say("OVE|x")
        self.assertIn("INVALID_MOVE|expected MAKE_MOVE", bob.heard()[0])
        bob.drop()
        self.world.wait(61)
        ann.drop()
        self.assert_free("ann", "bob")

    def test_the_client_goes(self) -> None:
        """It is lost while the database makes the other member the home: that one frees the name."""
        ann, bob = self.both_wait()
        self.until_moving()
        bob.drop()
        self.go_on()
        self.assert_free("bob")
        self.assertEqual(ann.heard(), [])
        ann.drop()
        self.assert_free("ann")

    def test_it_goes_and_comes_again(self) -> None:
        """The same, but it is back at once."""
        ann, bob = self.both_wait()
        self.until_moving()
        bob.transport.hang_up()
        again = self.first.connect()
        again.transport.receive(b"LOGIN|bob\n")
        self.go_on()
        self.assertEqual(self.homes(), {"ann": 2, "bob": 2})
        heard = "".join(again.heard())
        self.assertTrue("START|ann|bob" in heard or "RECONNECT" in heard, heard)
        self.assertIn("START|ann|bob", "".join(ann.heard()))

    def test_matched_meanwhile(self) -> None:
        """Ann has met somebody else when Bob arrives: he waits there, and is not told so again."""
        ann, bob = self.both_wait()
        self.until_moving()
        carl = self.second.connect()
        carl.transport.receive(b"LOGIN|carl\n")
        self.go_on()
        pairs = [line.split("|")[1:3] for client in (ann, bob, carl) for line in client.heard() if "START" in line]
        self.assertEqual(len(pairs), 2)
        self.assertEqual(self.homes(), {"ann": 2, "bob": 2, "carl": 2})
        self.assertEqual(len(self.world.database.offers), 1)

    def test_the_other_member_ends_before(self) -> None:
        """The transfer comes to nothing, and Bob waits where he is."""
        _, bob = self.both_wait()
        self.until_moving()
        self.second.kill()
        self.second.registry.row.ended = True
        self.go_on()
        self.assertEqual(bob.heard(), [])
        carl = self.log_in(self.first, "carl")
        self.assertIn("START|bob|carl", "".join(carl.heard()))

    def test_the_other_member_ends_after(self) -> None:
        """It is killed when it has the name, and before the connection arrives: Bob waits at whoever has the name then."""
        _, bob = self.both_wait()
        connect = self.first.cluster.relays.dial
        self.first.cluster.relays.dial = lambda address: self.second.kill() or connect(address)  # type: ignore[func-returns-value]
        self.world.wait(2)
        self.assertTrue(self.second.clock.dead)
        self.assertFalse(bob.closed)
        carl = self.log_in(self.first, "carl")
        self.assertIn("START|bob|carl", "".join(carl.heard()))
        bob.drop()
        self.world.wait(61)
        carl.drop()
        self.assert_free("ann", "bob", "carl")

    def test_both_end(self) -> None:
        """The client goes, and the other member ends: the name is free."""
        _, bob = self.both_wait()
        connect = self.first.cluster.relays.dial
        self.first.cluster.relays.dial = lambda address: self.second.kill() or connect(address)  # type: ignore[func-returns-value]
        self.until_moving()
        bob.drop()
        self.go_on()
        self.assert_free("bob")

    def test_it_arrives_late(self) -> None:
        """If somebody has the name again by now, the player must log in again: a name has one session."""
        ann, bob = self.both_wait()
        address = self.second.registry.row.member.address
        del self.world.by_address[address]  # nobody reaches the second member
        self.world.wait(1)
        self.assertEqual(self.homes()["bob"], 2)
        ann.drop()
        other = self.log_in(self.second, "bob", address="192.0.2.77")
        other.drop()
        self.world.wait(0.3)
        other = self.log_in(self.first, "bob", address="192.0.2.77")
        self.assertEqual(self.homes()["bob"], 1)
        self.world.by_address[address] = self.second
        self.world.wait(1)
        self.assertEqual(bob.heard()[-1:], [BUSY])
        self.assertIsNone(self.second.lobby.registry.get("bob"))
        self.assertFalse(other.closed)

    def test_it_drains(self) -> None:
        """Who comes to a member that has begun to drain is told why there is no match."""
        _, bob = self.both_wait()
        self.until_moving()
        self.second.lobby.drain("the host is about to stop")
        self.go_on()
        self.assertEqual((bob.heard(), bob.closed), (["ERROR|the host is about to stop"], True))

    def test_it_has_sent_too_much(self) -> None:
        """A client that never pauses between two messages is not moved, because nobody has all that it has sent."""
        _, bob = self.both_wait()
        self.patch(claiming_module, "MOST_KEPT", 100)
        bob.transport.receive(b"x")
        bob.transport.receive(b"\nx" * 100)
        claiming: Any = bob.protocol.input
        self.assertTrue(claiming._kept is None)
        self.world.wait(1)
        self.assertEqual((self.homes()["bob"], bob.closed), (1, False))

    def test_a_queue_is_changed(self) -> None:
        """Others know at once in which queue somebody waits now, also if that was another one in the same turn."""
        bob = self.log_in(self.first, "bob")
        session = self.first.lobby.registry.get("bob")
        assert session is not None
        for queue in (("onitama", "mine"), ("onitama", "yours")):
            with self.first.context.cork:
                self.first.lobby.stop_waiting(session)
                self.first.lobby._queues.join(queue, session, None)
            self.world.settle()
            self.assertEqual([offer.queue for offer in self.world.database.offers.values()], [queue])
        bob.drop()
        self.assert_free("bob")
