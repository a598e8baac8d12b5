"""Every transcript plays as it is written, whole and byte by byte, and every wire has one."""

from collections.abc import Callable

from twisted.trial.unittest import SynchronousTestCase

from gamehost.net.input import BUSY_BYTES
from gamehost.plugins import WIRES
from gamehost.testing.transcript import play
from tests.kit.memory_host import WORDED, Client, Hears, MemoryHost, Says, Step, Transcript, transcripts


def whole(client: Client, data: bytes) -> None:
    client.send(data)


def byte_by_byte(client: Client, data: bytes) -> None:
    for number in range(len(data)):
        client.protocol.input._bytes.give_back(BUSY_BYTES)  # keys are pressed in more time than a test has
        client.send(data[number : number + 1])


def telnet(client: Client, data: bytes) -> None:
    """A line with both characters at its end."""
    client.send(data[:-1] + b"\r\n")


class TranscriptTests(SynchronousTestCase):
    """The files under tests/transcripts, which the documentation shows."""

    def play(self, transcript: Transcript, send: Callable[[Client, bytes], None]) -> None:
        """Play a transcript to a host with its settings."""
        play(transcript, MemoryHost(transcript.settings), send)

    def test_whole_lines(self) -> None:
        """As netcat sends it: a line a segment."""
        for wire in WIRES:
            for transcript in transcripts(wire.name):
                self.play(transcript, whole)

    def test_byte_by_byte(self) -> None:
        """As a telnet in character mode sends it."""
        for wire in WIRES:
            for transcript in transcripts(wire.name):
                self.play(transcript, byte_by_byte)

    def test_telnet_line_ends(self) -> None:
        for wire in WIRES:
            for transcript in transcripts(wire.name) if wire.name not in WORDED else ():
                self.play(transcript, telnet)

    def test_every_wire_has_one(self) -> None:
        """A wire that nobody can read a conversation of is not finished."""
        for wire in WIRES:
            self.assertTrue(list(transcripts(wire.name)), f"no transcript of {wire.name}")

    def test_a_line_that_is_cut_short_fits_what_begins_so(self) -> None:
        """Long lines need not stand there in full."""
        hears = Hears(1, "WAIT…")
        self.assertTrue(hears.fits("WAITING|ann"))
        self.assertTrue(hears.fits("WAIT…"))
        self.assertFalse(hears.fits("WAI"))
        self.assertFalse(Hears(1, "WAIT").fits("WAITING"))

    def test_a_wrong_transcript_fails(self) -> None:
        """The player notices a wrong line, a missing one and one too many."""
        said = Says(1, "LOGIN|ann")
        wrong: list[tuple[Step, ...]] = [(said, Hears(1, "WAITING|bob")), (said,)]
        wrong.append((said, Hears(1, "WAITING|ann"), Hears(1, "more")))
        for steps in wrong:
            transcript = Transcript("planted", "onitama", steps)
            self.assertRaises(AssertionError, self.play, transcript, whole)
