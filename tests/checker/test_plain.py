"""The reading of a wire without checks."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker.base import Grade
from gamehost.checker.trace import PlainReading
from gamehost.wires.onitama.messages import Login
from gamehost.wires.open.messages import Enter, LogIn, Pong, Sorry


class PlainTests(SynchronousTestCase):
    """Names and no secrets."""

    def test_secrets(self) -> None:
        """Of structs; a message without them stays as it is."""
        reading = PlainReading()
        self.assertEqual(reading.redacted(LogIn("ann", "hunter2")).password, "***")
        entered = Enter("ann")
        self.assertIs(reading.redacted(entered), entered)
        login = Login("ann")
        self.assertIs(reading.redacted(login), login)

    def test_names(self) -> None:
        """Of the message's class."""
        self.assertEqual(PlainReading().said(Login("ann")).meaning, "Login")
        self.assertEqual(PlainReading().heard(Login("ann")).meaning, "Login")

    def test_refusals(self) -> None:
        """They are marked."""
        self.assertEqual(PlainReading().heard(Sorry("no")).grade, Grade.BREACH)
        self.assertIsNone(PlainReading().heard(Pong(7)).grade)
