"""
All scenarios of `gamehost check` with the bots of the documentation, as processes and over sockets.

A whole list takes less than a minute on each wire. The bots play one match, so some scenarios end with a note.
"""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.process import c_bot, check, java_client, js_client, node_bot, python_bot

#: Seconds for a whole list, on a machine that does nothing else.
LONGEST = 60.0
#: Seconds until a list is given up.
LIMIT = 240.0


class WholeListTests(SynchronousTestCase):
    """Nothing but notes, in time."""

    def assert_clean(self, wire: str, command: list[str]) -> None:
        """There is no finding but a note, and the whole list has not taken too long."""
        status, report = check(wire, (), *command, timeout=LIMIT)
        self.assertEqual(status, 0, report)
        self.assertEqual([one["title"] for one in report["findings"] if one["grade"] != "note"], [])
        self.assertLess(report["seconds"], LONGEST)

    def test_onitama(self) -> None:
        """In Python."""
        self.assert_clean("onitama", python_bot("onitama"))

    def test_onitama_for_node(self) -> None:
        """In JavaScript."""
        self.assert_clean("onitama", node_bot())

    def test_paper_soccer(self) -> None:
        """In Python."""
        self.assert_clean("paper-soccer", python_bot("paper_soccer"))

    def test_eriantys(self) -> None:
        """In Python."""
        self.assert_clean("eriantys", python_bot("eriantys"))

    def test_stratego_in_lines(self) -> None:
        """In Python."""
        self.assert_clean("stratego-lines", python_bot("stratego_lines", "{password}"))

    def test_stratego_in_frames(self) -> None:
        """In Python."""
        self.assert_clean("stratego-frames", python_bot("stratego_frames"))

    def test_stratego_in_frames_in_c(self) -> None:
        """In C."""
        self.assert_clean("stratego-frames", c_bot(Path(self.mktemp()).absolute()))

    def test_open_in_javascript(self) -> None:
        """With the client library."""
        self.assert_clean("open", js_client())

    def test_open_in_java(self) -> None:
        """With the client library."""
        self.assert_clean("open", java_client(Path(self.mktemp()).absolute()))
