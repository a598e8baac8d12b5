"""What is said to whoever is lost."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.names import RESERVED
from gamehost.plugins import WIRES
from gamehost.wires.guidance import HELP_WORDS, asks_for_help, may_become_other_protocol, other_protocol, wrong_port
from tests.kit.memory_host import MemoryHost


class GuidanceTests(SynchronousTestCase):
    """Calls for help, and clients of other protocols."""

    def test_calls_for_help(self) -> None:
        """In any case, with spaces around them; other words are none."""
        for text in ("help", "HELP", " ? ", "Quit", "exit"):
            self.assertTrue(asks_for_help(text), text)
        for text in ("", "helper", "ann", "help me"):
            self.assertFalse(asks_for_help(text), text)

    def test_such_words_are_no_names(self) -> None:
        """Nobody can be called `help`."""
        self.assertLessEqual(HELP_WORDS - {"?"}, RESERVED)

    def test_other_protocols(self) -> None:
        """Each is named; what looks like nothing known is not guessed at."""
        for data, name in (
            (b"GET / HTTP/1.1", "an HTTP request"),
            (b"\x16\x03\x01\x02\x00", "a TLS handshake"),
            (b"SSH-2.0-OpenSSH_9", "an SSH client"),
            (b'<?xml version="1.0"?>', "XML"),
            (b' <message type="x">', "XML"),
            (b'{"type": 1}', "JSON"),
            (b"LOGIN|ann", None),
            (b"ann", None),
            (b"", None),
        ):
            self.assertEqual(other_protocol(data), name, data)

    def test_sentence(self) -> None:
        """It says what came and what this port speaks, unless that is the wire's own form."""
        self.assertEqual(wrong_port(b"GET / ", "lines"), "this looks like an HTTP request; this port speaks lines")
        self.assertIsNone(wrong_port(b'{"a"', "JSON", other="JSON"))
        self.assertIsNone(wrong_port(b"ann", "lines"))

    def test_beginnings_of_other_protocols(self) -> None:
        """Every beginning of an opening may become it; anything else may not."""
        for opening in (b"GET /", b"\x16\x03", b"SSH-", b'{"'):
            for length in range(3):
                self.assertTrue(may_become_other_protocol(opening[:length]), opening[:length])
        for other in (b"hello", b"\x16\x02", b"get", b"{x"):
            self.assertFalse(may_become_other_protocol(other), other)


class ForPeopleTests(SynchronousTestCase):
    """Who asks for help on a port for programs is told where people play."""

    PLACE = "nc 127.0.0.1 8888"

    def asked(self, wire: str, place: str, strict: bool = False) -> bytes:
        """What is said to somebody who types a call for help."""
        host = MemoryHost(strict=strict)
        host.lobby.directory.by_hand = place
        client = host.connect(wire)
        client.send(b"help\n")
        return client.transport.read()

    def test_every_wire_of_lines_points_there(self) -> None:
        """If there is such a port, and only then."""
        without_lines = ("stratego-frames", "eriantys-java")
        wires = [wire.name for wire in WIRES if not wire.for_people and wire.name not in without_lines]
        self.assertEqual(len(wires), 6)
        for wire in wires:
            self.assertIn(
                f"to play by hand, run {self.PLACE} in a terminal".encode(), self.asked(wire, self.PLACE), wire
            )
            self.assertNotIn(b"by hand", self.asked(wire, ""), wire)

    def test_strict_mode_stays_as_it_is(self) -> None:
        """Not a byte more."""
        for wire in WIRES:
            if "strict" in wire.options:
                self.assertEqual(self.asked(wire.name, self.PLACE, True), self.asked(wire.name, "", True), wire.name)
