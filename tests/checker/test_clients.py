"""The words of a client's command."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker.clients import filled_in, last_words


class CommandWordsTests(SynchronousTestCase):
    """What is filled in, and what stays."""

    def test_filled_in(self) -> None:
        """Every place, and nothing else in braces."""
        values = {"port": "8893", "name": "ann"}
        self.assertEqual(
            filled_in(["bot", "--at={host}:{port}", "{name}{name}", "{x}"], values | {"host": "h"}),
            ["bot", "--at=h:8893", "annann", "{x}"],
        )

    def test_last_words(self) -> None:
        """The last line, and the place of an error of Python."""
        traceback = b"""connected
Traceback (most recent call last):
  File "/home/ann/bot.py", line 7, in <module>
    main()
  File "/home/ann/lib/reading.py", line 41, in read
    text = data.decode()
UnicodeDecodeError: 'utf-8' codec can't decode byte 0xc5 in position 41
"""
        expected = "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xc5 in position 41, in reading.py, line 41"
        self.assertEqual(last_words(traceback), expected)
        self.assertEqual(last_words(b"a\n\x1b[2Jlost\n\n"), "\\x1b[2Jlost")
        self.assertEqual(last_words(b""), "")
