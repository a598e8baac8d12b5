"""What a command prints."""

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

from twisted.trial.unittest import SynchronousTestCase

from gamehost.commands.printing import exit_with_usage_error, print_text


class PrintingTests(SynchronousTestCase):
    """A text, and a wrong command line."""

    def test_text(self) -> None:
        """As it is."""
        with redirect_stdout(StringIO()) as output:
            print_text("one\ntwo\n")
        self.assertEqual(output.getvalue(), "one\ntwo\n")

    def test_usage_error(self) -> None:
        """One line on standard error, and status 2."""
        with redirect_stderr(StringIO()) as output:
            error = self.assertRaises(SystemExit, exit_with_usage_error, "no such thing", "try another")
        self.assertEqual((error.code, output.getvalue()), (2, "gamehost: no such thing (try another)\n"))
