"""Log-ins at members that are not the home of the name, and players of one queue who wait at different members."""

from collections.abc import Iterator, Sequence
from typing import Any

from gamehost.extras.cluster import claiming as claiming_module
from gamehost.extras.cluster.claiming import BUSY, MOST_KEPT
from tests.kit.memory_cluster import ClusterCase
from tests.kit.memory_host import Client, MemoryHost, message_text_of
from tests.kit.memory_registry import MemoryRegistry

#: By wire, what logs a player in whose name is in use: an account's name and a wrong password, or a guest's name.
LOG_INS = {
    "onitama": ["LOGIN|ann"],
    "onitama-final": ["LOGIN|ann"],
    "stratego-lines": ["ann", "wrong"],
    "stratego-frames": ['Sign On "ann"'],
    "paper-soccer": ['<message type="playerLogin"><playerLogin nick="ann" gameType="paper soccer"/></message>'],
}
STRANGER = "192.0.2.77"


def written(wire: str, lines: Sequence[str]) -> bytes:
    text = message_text_of(wire)
    return b"".join(text.said(line) for line in lines)


def cuts(data: bytes) -> Iterator[list[bytes]]:
    """All ways to send this in two pieces, in one, and byte by byte."""
    yield [data]
    yield [data[at : at + 1] for at in range(len(data))]
    for at in range(1, len(data)):
        yield [data[:at], data[at:]]


class PiecesTests(ClusterCase):
    settings = {"limits.unlimited": "yes"}

    def told(self, host: MemoryHost, wire: str, pieces: Sequence[bytes]) -> tuple[bytes, bool]:
        """What a client that sends this is told, and whether its connection has ended."""
        client = host.connect(wire, STRANGER)
        for piece in pieces:
            client.send(piece)
        host.until_idle()
        told = client.transport.read(), client.closed
        client.drop()
        return told

    def assert_unnoticed(self, wire: str, streams: Sequence[bytes]) -> None:
        """The client is told what one host would tell it, however its bytes are cut; and it was passed on."""
        right = ["ann", "right"] if wire == "stratego-lines" else LOG_INS[wire]
        alone = MemoryHost(self.settings)
        for host in (alone, self.first):
            host.connect(wire).send(written(wire, right))
            host.until_idle()
        passed_on = []
        relays = self.second.cluster.relays
        search = relays.search
        relays.search = lambda *words: passed_on.append(1) or search(*words)  # type: ignore[func-returns-value]
        for stream in streams:
            for number, pieces in enumerate(cuts(stream)):
                self.assertEqual(self.told(self.second, wire, pieces), self.told(alone, wire, pieces), f"{pieces}")
                self.assertGreater(len(passed_on), number)
            passed_on.clear()
        self.assertEqual(self.homes(), {"ann": 1})
        self.assertEqual(self.second.cluster.relays_out, 0)
        self.assertEqual(self.second.context.limiter.count, 0)

    def test_onitama(self) -> None:
        """With telnet's negotiation, empty lines, a refused log-in before it, and a line that is too long behind it."""
        log_in = b"LOGIN|ann\n"
        behind = b"\r\n\xff\xfb\x01LOGIN|no/such name\r\n\n" + log_in
        self.assert_unnoticed("onitama", [log_in, behind, log_in + b"x" * 40 + b"\n", log_in + b"LOGIN|ann\n" + log_in])

    def test_a_fault_behind_it(self) -> None:
        """A line that is too long is a matter of the home: the log-in in the same segment is answered first."""
        for host in (alone := MemoryHost(), self.first):
            host.connect("onitama").send(b"LOGIN|ann\n")
        for host in (self.first, self.second):
            data = b"LOGIN|ann\n" + b"x" * 20_000
            told = self.told(host, "onitama", [data])
            self.assertEqual(told, self.told(alone, "onitama", [data]))
            self.assertTrue(told[0].startswith(b"ERROR|this name is in use\n"), told)

    def test_a_fault_behind_a_free_name(self) -> None:
        data = b"LOGIN|bob\n" + b"x" * 20_000
        told = self.told(self.second, "onitama", [data])
        self.assertEqual(told, self.told(MemoryHost(), "onitama", [data]))
        self.assertTrue(told[0].startswith(b"WAITING|bob\n"), told)

    def test_onitama_final(self) -> None:
        log_in = written("onitama-final", LOG_INS["onitama-final"])
        self.assert_unnoticed("onitama-final", [log_in, b"\r\n" + log_in + log_in])

    def test_stratego_lines(self) -> None:
        """The name claims, and the home hears name and password."""
        self.assert_unnoticed("stratego-lines", [b"ann\nwrong\n", b"\xff\xfb\x01ann\r\nwrong\r\n"])

    def test_stratego_frames(self) -> None:
        """Frames have numbers, which go on where the first member was."""
        log_in = written("stratego-frames", LOG_INS["stratego-frames"])
        self.assert_unnoticed("stratego-frames", [log_in])

    def test_paper_soccer(self) -> None:
        log_in = written("paper-soccer", LOG_INS["paper-soccer"])
        refused = log_in.replace(b"paper soccer", b"chess")
        self.assert_unnoticed("paper-soccer", [log_in, refused + log_in])


class AgainTests(ClusterCase):
    def test_another_name(self) -> None:
        """The first name is free at once for all, also if it was refused."""
        carl = self.second.connect()
        self.second.lobby.closed = "closed"
        carl.say("LOGIN|carl")
        self.assertEqual((carl.heard(), self.homes()), (["ERROR|closed"], {"carl": 2}))
        self.second.lobby.closed = None
        self.log_in(self.first, "ann")
        self.world.wait(0.2)
        carl.say("LOGIN|dan")
        self.assertIn("START|ann|dan", carl.heard()[0])
        self.assertEqual(self.homes(), {"ann": 1, "dan": 1})


class BoundsTests(ClusterCase):
    def hold(self) -> Client:
        """A client whose log-in waits, because the line to the database is lost."""
        self.second.registry.lose_line()
        client = self.second.connect()
        client.say("LOGIN|ann")
        return client

    def test_it_is_not_read_while_it_waits(self) -> None:
        """Nothing more is read from a client whose log-in waits for an answer."""
        client = self.hold()
        for _ in range(100):
            client.transport.receive(b"y" * 100_000)
        kept: Any = client.protocol.input
        self.assertLessEqual(len(kept._buffer or b"") + len(kept._kept), 100)
        self.assertEqual(client.heard(), [])

    def test_it_may_be_decrypted_already(self) -> None:
        """What TLS delivers all the same is kept up to the rate of bytes, and then the connection ends."""
        client = self.hold()
        protocol = client.protocol
        for _ in range(2000):
            protocol.dataReceived(b"LOGIN|ann\n" * 100)
        self.world.wait(1)
        self.assertTrue(client.closed)
        self.assertEqual(client.heard()[-1], "ERROR|too many bytes")

    def test_no_answer(self) -> None:
        """If nobody can say whose the name is, the client is told so after a while."""
        self.second.clock.callLater(0, self.second.registry._timers.pop("look").cancel)
        client = self.hold()
        client.say("HELLO")
        self.world.wait(9)
        self.assertEqual(client.heard(), [])
        self.second.registry.stop(lambda: None)
        self.world.wait(1)
        self.assertEqual((client.heard(), client.closed), ([f"ERROR|{BUSY}"], True))

    def test_it_goes_while_it_waits(self) -> None:
        """The name of a client that goes before the answer is free."""
        client = self.second.connect()
        client.transport.receive(b"LOGIN|ann\n")
        client.transport.hang_up()
        self.world.wait(0.3)
        self.assertEqual(self.homes(), {})

    def test_a_client_without_a_pause(self) -> None:
        """Who always sends the beginning of the next message with the end of the last one can be heard here only."""
        self.world.settings["limits.unlimited"] = "yes"
        third = self.world.join()
        self.log_in(self.first, "ann")
        client = third.connect(address=STRANGER)
        client.send(b"H")
        for _ in range(MOST_KEPT // 6000 + 1):
            client.send(b"ELLO\nH" * 1000)
            self.world.wait(0.1)
        claiming: Any = client.protocol.input
        self.assertFalse(claiming.can_be_passed_on(None))
        client.heard()
        client.send(b"I\nLOGIN|ann\n")
        self.world.wait(0.1)
        self.assertEqual(client.heard()[-1], f"ERROR|{BUSY}")


LOG_IN_AGAIN = "ERROR|the host is busy: log in again in a moment"


class MovingCase(ClusterCase):
    """Ann waits at the second member, and Bob came to the first one in the same moment."""

    settings = {"limits.unlimited": "yes"}

    def both_wait(self) -> tuple[Client, Client]:
        """Ann, who has waited longer, and Bob, who is to be moved to her."""
        ann, bob = self.second.connect(), self.first.connect()
        ann.transport.receive(b"LOGIN|ann\n")
        bob.transport.receive(b"LOGIN|bob\n")
        self.world.until_idle()
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
        self.assertEqual(self.first.cluster.leaving, {"bob"})

    def go_on(self) -> None:
        self.first.registry.hangs = False
        self.first.registry._turn()
        self.world.wait(1)


class MovingTests(MovingCase):
    def assert_free(self, *names: str) -> None:
        """These names have no home, nobody waits, and nothing is passed on."""
        self.world.wait(1)
        self.assertEqual(self.homes().keys() & set(names), set())
        self.assertEqual(self.world.database.offers.keys() & set(names), set())
        for host in self.world.hosts:
            if not host.clock.dead:
                self.assertEqual(host.cluster.relays_out, 0)
                self.assertEqual({*host.cluster.claims.values()} & {*names}, set())

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
        self.assertEqual(bob.heard()[-1:], [LOG_IN_AGAIN])
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
        self.assertFalse(claiming.can_be_passed_on(None))
        self.world.wait(1)
        self.assertEqual((self.homes()["bob"], bob.closed), (1, False))

    def test_a_queue_is_changed(self) -> None:
        """Others know in which queue somebody waits now, also if that was another one in the same turn."""
        bob = self.log_in(self.first, "bob")
        session = self.first.lobby.registry.get("bob")
        assert session is not None
        for queue in (("onitama", "mine"), ("onitama", "yours")):
            with self.first.context.cork:
                self.first.lobby.stop_waiting(session)
                self.first.lobby.queues.join(queue, session, None)
            self.world.wait(0.3)
            self.assertEqual([offer.queue for offer in self.world.database.offers.values()], [queue])
        bob.drop()
        self.assert_free("bob")
