"""Text of strangers in a line."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.ops.escaping import escaped


class EscapingTests(SynchronousTestCase):
    """What cannot be printed is an escape; the rest stays."""

    def test_escapes(self) -> None:
        """A terminal's escape, a direction turned around, the end of a line in each form, a blank that looks like none."""
        self.assertEqual(escaped("\x1b[2J\x07\u202e\u2028\x85\ud800é"), r"\x1b[2J\x07\u202e\u2028\x85\ud800é")
        self.assertEqual(escaped("\xa0\u200b\U000e0041"), r"\xa0\u200b\U000e0041")
