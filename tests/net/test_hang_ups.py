"""Reasons for which the host ends a connection have few kinds, and the host's own reasons are known."""

import re

from twisted.trial.unittest import SynchronousTestCase

from gamehost.net.hang_ups import KINDS, OTHER, kind_of
from tests.kit.example_game import TOY_WIRE
from tests.kit.memory_host import MemoryHost
from tests.kit.sources import read_sources

#: What ends a connection in a call with a text of its own, as `f"{...}"` or not.
_CALL = re.compile(r'\b(?:hang_up|close_with|abort)\(f?"([^"{]+)')

#: Reasons that are not worth a kind of their own.
RARE = ("a draw before the first move",)


class HangUpsTests(SynchronousTestCase):
    """`gamehost.net.hang_ups`."""

    def test_own_reasons_are_known(self) -> None:
        """Every text in the host's sources; so none of them is counted as another."""
        reasons = [
            reason
            for name, text in read_sources("gamehost").items()
            if name.startswith(("gamehost.net.", "gamehost.wires.", "gamehost.web."))
            for reason in _CALL.findall(text)
        ]
        self.assertGreater(len(reasons), 8)
        unknown = [reason for reason in reasons if kind_of(reason) == OTHER and not reason.startswith(RARE)]
        self.assertEqual(unknown, [])

    def test_kinds_are_few(self) -> None:
        """Whatever a client sends becomes no kind of its own."""
        self.assertEqual(kind_of("expected LOGIN and one field, the username"), OTHER)
        self.assertEqual(kind_of("expected LOGIN", "protocol"), "protocol")
        self.assertEqual(kind_of("too many bytes", "protocol"), "rate")
        self.assertLess(len(KINDS), 20)

    def test_connections_are_counted(self) -> None:
        """Of a factory: those that were admitted, refusals, and hang-ups by kind."""
        world = MemoryHost({"limits.connections": "2", "limits.refusals": "2"}, wires=(TOY_WIRE,))
        world.connect("toy").say("hi ann")
        world.connect("toy").say("bad", "bad", "bad")
        world.connect("toy")
        world.connect("toy")
        factory = world.factories["toy"]
        self.assertEqual(factory.admitted, 3)
        self.assertEqual(factory.hang_ups.total(), 1)
        self.assertEqual(world.context.limiter.refusals, {"full": 1})
