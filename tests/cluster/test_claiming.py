"""Log-ins that are asked about before they are heard: in any pieces, on all wires that spread."""

from collections.abc import Iterator, Sequence
from typing import Any

from gamehost.cluster.claiming import BUSY, MOST_KEPT
from tests.kit.cluster_case import ClusterCase
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.message_text import message_text_of

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
    """What a client sends."""
    text = message_text_of(wire)
    return b"".join(text.said(line) for line in lines)


def cuts(data: bytes) -> Iterator[list[bytes]]:
    """All ways to send this in two pieces, in one, and byte by byte."""
    yield [data]
    yield [data[at : at + 1] for at in range(len(data))]
    for at in range(1, len(data)):
        yield [data[:at], data[at:]]


class PiecesTests(ClusterCase):
    """A client at a member that is not the home of the name."""

    settings = {"limits.unlimited": "yes"}

    def told(self, host: MemoryHost, wire: str, pieces: Sequence[bytes]) -> tuple[bytes, bool]:
        """What a client that sends this is told, and whether its connection has ended."""
        client = host.connect(wire, STRANGER)
        for piece in pieces:
            client.send(piece)
        host.settle()
        told = client.transport.read(), client.closed
        client.drop()
        return told

    def assert_unnoticed(self, wire: str, streams: Sequence[bytes]) -> None:
        """The client is told what one host would tell it, however its bytes are cut; and it was passed on."""
        right = ["ann", "right"] if wire == "stratego-lines" else LOG_INS[wire]
        alone = MemoryHost(self.settings)
        for host in (alone, self.first):
            host.connect(wire).send(written(wire, right))
            host.settle()
        passed_on = []
        pass_on = self.second.cluster.relay
        self.second.cluster.relay = lambda *words: passed_on.append(1) or pass_on(*words)  # type: ignore[method-assign,func-returns-value]
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
        """The same if the name is to be had here."""
        data = b"LOGIN|bob\n" + b"x" * 20_000
        told = self.told(self.second, "onitama", [data])
        self.assertEqual(told, self.told(MemoryHost(), "onitama", [data]))
        self.assertTrue(told[0].startswith(b"WAITING|bob\n"), told)

    def test_onitama_final(self) -> None:
        """Messages that end in a zero byte."""
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
        """A refused log-in in front of it is heard once."""
        log_in = written("paper-soccer", LOG_INS["paper-soccer"])
        refused = log_in.replace(b"paper soccer", b"chess")
        self.assert_unnoticed("paper-soccer", [log_in, refused + log_in])


class AgainTests(ClusterCase):
    """A client that logs in more than once."""

    def test_another_name(self) -> None:
        """The first name is free at once for all, also if it was refused."""
        carl = self.second.connect()
        self.second.lobby.closed = "closed"
        carl.say("LOGIN|carl")
        self.assertEqual((carl.heard(), self.homes()), (["ERROR|closed"], {"carl": 2}))
        self.second.lobby.closed = None
        self.log_in(self.first, "ann")
        carl.say("LOGIN|dan")
        self.assertIn("START|ann|dan", carl.heard()[0])
        self.assertEqual(self.homes(), {"ann": 1, "dan": 1})


class BoundsTests(ClusterCase):
    """What a client can have the host keep."""

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
        self.assertLessEqual(len(kept._buffer) + len(kept._kept), 100)
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
        self.assertTrue(claiming._kept is None)
        client.heard()
        client.send(b"I\nLOGIN|ann\n")
        self.world.wait(0.1)
        self.assertEqual(client.heard()[-1], f"ERROR|{BUSY}")
