"""A trace: every message with its sender and its meaning, and no password."""

import json
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker.base import Grade
from gamehost.checker.plain import plain_checks
from gamehost.checker.trace import Trace, TraceLine
from gamehost.checker.wires.registry import CHECKS
from gamehost.plugins import WIRES

DEAL = "white=boar,ox;black=crab,eel;spare=tiger"


def trace_of(wire: str) -> tuple[Trace, list[TraceLine]]:
    """A trace of one connection, and its lines."""
    (found,) = (one for one in WIRES if one.name == wire)
    lines: list[TraceLine] = []
    checks = CHECKS.get(wire) or plain_checks(wire)
    return Trace(found, checks, "client 1", lambda: "12:00:03.120", lines.append), lines


class TraceTests(SynchronousTestCase):
    """What is printed."""

    def told(self, lines: list[TraceLine]) -> list[tuple[Any, ...]]:
        """The lines without the time."""
        return [(line.client, line.sender, line.text, line.meaning, line.grade) for line in lines]

    def test_a_session(self) -> None:
        """The client's name is known from its log-in. A move out of turn is a breach."""
        trace, lines = trace_of("onitama")
        trace.client_sent(b"LOGIN|ann\n")
        trace.host_sent(f"START|ann|bob|{DEAL}\n".encode())
        trace.client_sent(b"MAKE_MOVE|ox|c1|c2\nMAKE_MO")
        trace.host_sent(b"MOVE_WAS_MADE|ox|c1|c2\n")
        trace.client_sent(b"VE|boar|c2|c3\n")
        self.assertEqual(
            self.told(lines),
            [
                ("ann", "client", "LOGIN|ann", "logs in as ann", None),
                *[("ann", "host", f"START|ann|bob|{DEAL}", lines[1].meaning, None)],
                ("ann", "client", "MAKE_MOVE|ox|c1|c2", "White's master c1-c2 by ox; legal", None),
                ("ann", "host", "MOVE_WAS_MADE|ox|c1|c2", "ox becomes the spare, White gets tiger", None),
                *[
                    (
                        "ann",
                        "client",
                        "MAKE_MOVE|boar|c2|c3",
                        "it is Black's turn; White holds boar, tiger",
                        Grade.BREACH,
                    )
                ],
            ],
        )

    def test_as_text_and_json(self) -> None:
        """One line each, with a mark for a breach."""
        line = TraceLine("12:00:09.870", "ann", "client", "MAKE_MOVE|ox|c2|c3", "it is Black's turn", Grade.BREACH)
        expected = "12:00:09.870  ann > host     MAKE_MOVE|ox|c2|c3                 BREACH: it is Black's turn"
        self.assertEqual(line.as_text(), expected)
        self.assertIn("\x1b[31mBREACH", line.as_text(colour=True))
        self.assertEqual(json.loads(line.as_json())["grade"], "breach")

    def test_bytes_that_are_no_message(self) -> None:
        """They are told once. The other direction is read on."""
        trace, lines = trace_of("onitama")
        trace.host_sent(b"HELLO\n")
        trace.host_sent(b"WAITING|ann\n")
        trace.client_sent(b"LOGIN|ann\n")
        self.assertEqual([line.sender for line in lines], ["host", "client"])
        self.assertEqual(lines[0].grade, Grade.BREACH)

    def test_no_password(self) -> None:
        """On the wires with accounts, and no key of a guest."""
        trace, lines = trace_of("stratego-lines")
        trace.host_sent(b"auth-req\n")
        trace.client_sent(b"ann\nhunter2\n")
        opened, more = trace_of("open")
        opened.client_sent(b'{"do":"log-in","name":"ann","password":"hunter2"}\n')
        opened.host_sent(b'{"is":"pong","id":7}\n')
        self.assertEqual(lines[-1].client, "ann")
        self.assertEqual(more[-1].meaning, "Pong")
        self.assertNotIn("hunter2", repr(lines) + repr(more))
