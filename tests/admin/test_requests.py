"""Requests: what can be read, and what arguments must be."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.admin.requests import NotDone, Request, read_request


class ReadTests(SynchronousTestCase):
    """One line, one request."""

    def test_request(self) -> None:
        """A command, with or without arguments."""
        self.assertEqual(read_request(b'{"command": "who"}'), Request("who"))
        self.assertEqual(read_request(b'{"command": "show", "arguments": {"table": 1}}'), Request("show", {"table": 1}))

    def test_what_is_no_request(self) -> None:
        """The refusal says what was expected."""
        for line in (
            b"",
            b"who",
            b"[" * 50_000,
            b"\xff",
            b"[]",
            b"{}",
            b'{"command": 1}',
            b'{"command": "who", "arguments": []}',
            b'{"command": "who", "argument": {}}',
        ):
            error = self.assertRaises(NotDone, read_request, line)
            self.assertIn("expected", str(error))


class ArgumentTests(SynchronousTestCase):
    """Arguments are checked where they are used."""

    def test_kinds(self) -> None:
        """Texts, numbers and flags; a default for what may be missing."""
        request = Request("x", {"text": "a", "number": 1, "flag": True})
        self.assertEqual((request.text("text"), request.number("number"), request.flag("flag")), ("a", 1, True))
        self.assertEqual((request.text("other", "b"), request.flag("other")), ("b", False))

    def test_wrong_kinds(self) -> None:
        """They are named."""
        request = Request("x", {"text": 1, "number": True, "flag": 1})
        for read, name in ((request.text, "text"), (request.number, "number"), (request.flag, "flag")):
            self.assertIn(f"{name}: expected", str(self.assertRaises(NotDone, read, name)))
        self.assertRaises(NotDone, request.text, "other")
        self.assertRaises(NotDone, request.number, "other")
