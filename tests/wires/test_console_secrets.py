"""What is hidden stays hidden on the console: the enemy's pieces, and everybody's password."""

import contextlib

from twisted.logger import capturedLogs, eventAsText
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.stratego.master import StrategoMaster
from gamehost.wires.console.conversation import ConsoleConversation
from tests.games.test_stratego_secrets import KindInView, PlacedForAll
from tests.kit.memory_host import MemoryHost
from tests.kit.wires.console import ON_WIRE, leaky
from tests.kit.wires.stratego_frames import differences
from tests.kit.wires.stratego_lines import PairsContract


class SecretTests(PairsContract, SynchronousTestCase):
    """Pairs of games that differ only in what is hidden, and hosts that are known to leak."""

    on_wire = ON_WIRE
    pairs, looked_at = 8, 6
    back = b"You are back in match"

    def has_battle(self, heard: bytes) -> bool:
        return b"attacked" in heard

    def test_leaks_are_found(self) -> None:
        """A referee that leaks is caught within 100 pairs; one that does not leak is not."""
        for referee in (KindInView, PlacedForAll):
            self.assertIsNot(next(differences(leaky(referee), 100), None), None, referee.__name__)
        self.assertEqual(list(differences(leaky(StrategoMaster), 2)), [])


class CanaryTests(SynchronousTestCase):
    """A password is looked for in all that is logged, shown and said."""

    def test_a_password_is_never_told(self) -> None:
        """Right or wrong, before and after its time, and when the conversation crashes at it."""

        def broken(*anything: object) -> None:
            raise RuntimeError("planted")

        for crash in (False, True):
            host = MemoryHost()
            client, other = host.connect("console"), host.connect("console")
            with capturedLogs() as events, contextlib.suppress(RuntimeError):
                client.say("login ann", "canary canary", "quit")
                if crash:
                    self.patch(ConsoleConversation, "_entered", broken)
                other.say("login ann", "canary-canary", "login ann", "canary canary")
            self.flushLoggedErrors()
            shown = [eventAsText(event, includeTraceback=True) for event in events]
            shown += [repr(other.protocol), repr(other.protocol._conversation), repr(host.lobby), repr(host.journal)]
            shown += [client.transport.read().decode(), other.transport.read().decode()]
            for text in shown:
                self.assertNotIn("canary", text)
