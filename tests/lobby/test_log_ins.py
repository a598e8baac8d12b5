"""Log-ins are logged and counted, also those that are refused; nothing that was typed is repeated."""

from twisted.logger import LogLevel, globalLogPublisher
from twisted.trial.unittest import SynchronousTestCase

from tests.kit.logged import Lines
from tests.kit.memory_host import MemoryHost


class LogInsTests(SynchronousTestCase):
    """`gamehost.lobby.log_ins`; what accepted log-ins look like is in `tests.lobby.test_lobby`."""

    def setUp(self) -> None:
        self.lines = Lines()
        globalLogPublisher.addObserver(self.lines)
        self.addCleanup(globalLogPublisher.removeObserver, self.lines)
        self.world = MemoryHost()

    def logged(self) -> list[str]:
        """The lines since the last call."""
        lines = self.lines.of(LogLevel.info)
        self.lines.events.clear()
        return lines

    def test_refused_guest(self) -> None:
        """The wire, the address and the reason; not the name, which may be a password that was mistyped."""
        self.world.connect().say("LOGIN|hunter2\x1b", "LOGIN|ann")
        other = self.world.connect()
        self.logged()
        other.say("LOGIN|ann")
        [line] = self.logged()
        self.assertEqual(line, "log-in refused: on onitama from '192.0.2.1': this name is in use")
        self.assertNotIn("hunter2", repr(self.lines.events))
        self.assertEqual(
            self.world.lobby.log_ins.counts, {("onitama", "guest", "refused"): 2, ("onitama", "guest", "accepted"): 1}
        )

    def test_refused_account(self) -> None:
        """A wrong password is in no event, nor is the right one."""
        self.world.connect("stratego-lines").say("carl", "hunter2")
        self.logged()
        self.world.connect("stratego-lines").say("carl", "hunter3")
        self.assertIn("log-in refused: on stratego-lines from '192.0.2.1': wrong password", self.logged())
        self.world.connect("stratego-lines").say("carl", "hunter2")
        self.assertNotIn("hunter", repr(self.lines.events))
        counts = self.world.lobby.log_ins.counts
        for result in ("accepted", "refused", "replaced"):
            self.assertEqual(counts["stratego-lines", "account", result], 1, result)

    def test_refused_by_a_busy_host(self) -> None:
        """Guests and accounts."""
        self.world.lobby.closed = "planted"
        self.world.connect().say("LOGIN|ann")
        self.world.connect("stratego-lines").say("carl", "hunter2")
        found = [line for line in self.logged() if line.startswith("log-in refused") and line.endswith(": planted")]
        self.assertEqual(len(found), 2)
