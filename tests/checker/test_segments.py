"""Segments: all bytes come, in their order, in other pieces."""

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker.base import Cut
from gamehost.checker.line import SINGLE, SegmentedTransport
from gamehost.players.base import SeededChance


class Pieces:
    """A transport that keeps each write."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.disconnected = self.closed = self.aborted = False

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def loseConnection(self) -> None:
        self.closed = True

    def abortConnection(self) -> None:
        self.aborted = True


class SegmentTests(SynchronousTestCase):
    """Each way to cut."""

    def pieces(self, cut: Cut, *writes: bytes) -> Pieces:
        """What is written in the end."""
        pieces, clock = Pieces(), Clock()
        segmented = SegmentedTransport(pieces, clock, cut, SeededChance(1))
        for data in writes:
            segmented.write(data)
        segmented.loseConnection()
        clock.pump([0.001] * 1000)
        self.assertEqual(b"".join(pieces.written), b"".join(writes))
        self.assertTrue(pieces.closed)
        return pieces

    def test_each_way(self) -> None:
        """Bytes, everything at once, anything in between, and as it is."""
        long = bytes(range(256)) * 2
        self.assertEqual(self.pieces(Cut.BYTES, b"abc", b"de").written, [b"a", b"b", b"c", b"d", b"e"])
        self.assertGreater(len(self.pieces(Cut.BYTES, long).written), SINGLE)
        self.assertEqual(self.pieces(Cut.JOINED, b"abc", b"de").written, [b"abcde"])
        self.assertGreater(len(self.pieces(Cut.RANDOM, long).written), 10)
        self.assertEqual(self.pieces(Cut.NONE, b"abc", b"de").written, [b"abc", b"de"])

    def test_an_abort_drops_what_is_pending(self) -> None:
        """And later writes."""
        pieces, clock = Pieces(), Clock()
        segmented = SegmentedTransport(pieces, clock, Cut.BYTES, SeededChance(1))
        segmented.write(b"abc")
        segmented.abortConnection()
        segmented.write(b"def")
        clock.pump([0.01] * 10)
        self.assertEqual((pieces.written, pieces.aborted), ([], True))
