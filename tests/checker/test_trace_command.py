"""The command line of `gamehost trace`."""

import io
import re
import sys
from typing import Any

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker.trace import Form, TraceLine
from gamehost.checker.trace_command import Printer, main, time_of_day
from gamehost.plugins import WIRES


class TraceCommandTests(SynchronousTestCase):
    """What can be wrong on it."""

    def setUp(self) -> None:
        self.out, self.err = io.StringIO(), io.StringIO()
        self.patch(sys, "stdout", self.out)
        self.patch(sys, "stderr", self.err)

    def ends(self, *arguments: str) -> Any:
        """The exit status."""
        try:
            return main(arguments, WIRES, Clock())
        except SystemExit as end:
            return end.code

    def test_mistakes(self) -> None:
        """Each one in a line that says what was expected."""
        listen, to = "--listen=tcp:0", "--to=127.0.0.1:8893"
        for arguments, words in (
            (("chess", listen, to), "no wire 'chess'"),
            (("onitama", listen, "--to=8893"), "is not HOST:PORT"),
            (("onitama", listen, "--to=host:99999"), "is not HOST:PORT"),
            (("onitama", "--listen=nowhere", to), "--listen:"),
            (("onitama", listen, to, "--fault=fire"), "--fault: expected cut, join"),
        ):
            self.assertEqual(self.ends(*arguments), 2)
            self.assertIn(words, self.err.getvalue())

    def test_lines_are_printed(self) -> None:
        """As text and as JSON."""
        line = TraceLine("12:00:00.000", "ann", "client", "LOGIN|ann", "logs in as ann")
        Printer(Form.TEXT, False)(line)
        Printer(Form.JSON, False)(line)
        text, data = self.out.getvalue().splitlines()
        self.assertTrue(text.endswith("logs in as ann"))
        self.assertTrue(data.startswith('{"at": "12:00:00.000"'))

    def test_the_time_of_day(self) -> None:
        """To the millisecond."""
        self.assertTrue(re.fullmatch(r"\d\d:\d\d:\d\d\.\d{3}", time_of_day(1.25)))
