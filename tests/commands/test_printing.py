"""What a command prints."""

import os
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

from twisted.trial.unittest import SynchronousTestCase

from gamehost.commands.command_line import exit_with_usage_error, print_text, while_read


class PrintingTests(SynchronousTestCase):
    """A text, and a wrong command line."""

    def test_text(self) -> None:
        """As it is."""
        with redirect_stdout(StringIO()) as output:
            print_text("one\ntwo\n")
        self.assertEqual(output.getvalue(), "one\ntwo\n")

    def test_who_has_read_enough(self) -> None:
        """A reader that goes away, as `head` does, is no error, not even when the output is closed."""
        reader, writer = os.pipe()
        os.close(reader)
        after = []
        with open(writer, "w", encoding="utf-8") as output:
            with while_read(output):
                print("one", file=output, flush=True)
                after.append("two")
            print("three", file=output)
        self.assertEqual(after, [])

    def test_usage_error(self) -> None:
        """One line on standard error, and status 2."""
        with redirect_stderr(StringIO()) as output:
            error = self.assertRaises(SystemExit, exit_with_usage_error, "no such thing", "try another")
        self.assertEqual((error.code, output.getvalue()), (2, "gamehost: no such thing (try another)\n"))
