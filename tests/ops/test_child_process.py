"""A process beside the host: started, started again, and ended. The reactor is one in memory."""

from typing import Any

from twisted.internet.error import ProcessExitedAlready, ProcessTerminated
from twisted.internet.task import Clock
from twisted.logger import LogLevel, globalLogPublisher
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from gamehost.ops.child_process import FIRST_PAUSE, SILENCE, SOUND_AFTER, STOPPING, ChildProcess
from tests.kit.logged import Lines
from tests.kit.spawning import Process, SpawningReactor


class Owner:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def started(self) -> None:
        self.told.append("started")

    def heard(self, line: str) -> None:
        self.told.append(line)

    def lost(self) -> None:
        self.told.append("lost")


class ChildProcessTests(SynchronousTestCase):
    """One child."""

    def setUp(self) -> None:
        self.reactor = SpawningReactor()
        self.owner = Owner()
        self.child = ChildProcess(self.reactor, ["program", "word"], "programs", self.owner)
        self.lines = Lines()
        globalLogPublisher.addObserver(self.lines)
        self.addCleanup(globalLogPublisher.removeObserver, self.lines)
        self.child.start()

    @property
    def process(self) -> Process:
        return self.reactor.processes[-1]

    def test_lines(self) -> None:
        """In whole lines, to the process and from it; what it complains about is logged."""
        self.assertEqual(self.process.command, ["program", "word"])
        self.child.send("sit easy.1")
        self.assertEqual(self.process.written, b"sit easy.1\n")
        self.process.says(b"rea")
        self.process.says(b"dy\nalive\n\xff")
        self.assertEqual(self.owner.told, ["started", "ready", "alive"])
        self.process.complains(b"oh\nno")
        self.assertEqual(self.lines.of(LogLevel.error), ["programs: oh"])

    def test_a_process_that_ends_is_started_again(self) -> None:
        """At once, then less and less often; after a long life at once again."""
        for pause in (FIRST_PAUSE, 2 * FIRST_PAUSE, 4 * FIRST_PAUSE):
            self.process.end()
            self.child.send("dropped")
            self.reactor.advance(pause * 0.9)
            before = len(self.reactor.processes)
            self.reactor.advance(pause * 0.2)
            self.assertEqual(len(self.reactor.processes), before + 1)
        self.assertEqual(self.owner.told[:3], ["started", "lost", "started"])
        for _ in range(int(SOUND_AFTER / SILENCE) + 2):
            self.reactor.advance(SILENCE * 0.9)
            self.process.says(b"alive\n")
        self.process.end()
        self.reactor.advance(FIRST_PAUSE)
        self.assertEqual(len(self.reactor.processes), 5)
        self.assertIn("programs have ended", self.lines.of(LogLevel.error)[0])

    def test_a_silent_process_is_killed(self) -> None:
        """Whatever it does: it does not answer."""
        self.reactor.advance(SILENCE)
        self.assertEqual(self.process.signals, ["KILL"])
        self.process.end()
        self.reactor.advance(FIRST_PAUSE)
        self.assertEqual(len(self.reactor.processes), 2)

    def test_stop(self) -> None:
        """Its standard input is closed; if that is not enough, it is killed. It is not started again."""
        stopped = self.child.stop()
        self.assertTrue(self.process.closed)
        self.process.says(b"alive\n")
        self.reactor.advance(STOPPING)
        self.assertEqual(self.process.signals, ["KILL"])
        self.assertNoResult(stopped)
        self.process.end()
        self.successResultOf(stopped)
        self.reactor.advance(60)
        self.assertEqual((len(self.reactor.processes), self.reactor.getDelayedCalls()), (1, []))

    def test_stop_between_two_processes(self) -> None:
        """Nothing is started any more."""
        self.process.end()
        self.successResultOf(self.child.stop())
        self.assertEqual(self.reactor.getDelayedCalls(), [])

    def test_a_process_that_ends_when_it_is_killed(self) -> None:
        """Between its end and the news of it."""

        def gone(signal: str) -> None:
            raise ProcessExitedAlready

        self.process.signalProcess = gone  # type: ignore[method-assign]
        self.reactor.advance(SILENCE)
        self.process.protocol.processEnded(Failure(ProcessTerminated(1)))
        self.assertEqual(self.owner.told[-1], "lost")
        self.assertIsInstance(self.reactor, Clock)
