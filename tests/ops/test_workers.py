"""Work beside the reactor: a process that is started again when it ends, and a thread."""

import threading
from functools import partial
from types import SimpleNamespace
from typing import Any

from twisted.internet import defer, reactor
from twisted.internet.error import ProcessExitedAlready, ProcessTerminated
from twisted.internet.task import Clock
from twisted.logger import LogLevel
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase, TestCase

from gamehost.ops.workers import (
    FIRST_PAUSE,
    PIPES,
    SILENCE,
    SOUND_AFTER,
    STOPPING,
    ChildProcess,
    ProgramProcess,
    SerialWorker,
    own_environment,
    owners_environment,
)
from tests.kit.reactors import Process, SpawningReactor, logged


class Child(ChildProcess):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.told: list[Any] = []

    def started(self) -> None:
        self.told.append("started")

    def heard(self, line: str) -> None:
        self.told.append(line)

    def lost(self) -> None:
        self.told.append("lost")


class ChildProcessTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.reactor = SpawningReactor()
        self.child = Child(self.reactor, ["program", "word"], "programs")
        self.lines = logged(self)
        self.child.start()

    @property
    def process(self) -> Process:
        return self.reactor.processes[-1]

    def test_lines(self) -> None:
        self.assertEqual(self.process.command, ["program", "word"])
        self.child.send("sit easy.1")
        self.assertEqual(self.process.written, b"sit easy.1\n")
        self.process.says(b"rea")
        self.process.says(b"dy\nalive\n\xff")
        self.assertEqual(self.child.told, ["started", "ready", "alive"])
        self.process.complains(b"oh\nno")
        self.assertEqual(self.lines.of(LogLevel.error), ["programs: oh"])

    def test_a_process_that_ends_is_started_again(self) -> None:
        for pause in (FIRST_PAUSE, 2 * FIRST_PAUSE, 4 * FIRST_PAUSE):
            self.process.end()
            self.child.send("dropped")
            self.reactor.advance(pause * 0.9)
            before = len(self.reactor.processes)
            self.reactor.advance(pause * 0.2)
            self.assertEqual(len(self.reactor.processes), before + 1)
        self.assertEqual(self.child.told[:3], ["started", "lost", "started"])
        for _ in range(int(SOUND_AFTER / SILENCE) + 2):
            self.reactor.advance(SILENCE * 0.9)
            self.process.says(b"alive\n")
        self.process.end()
        self.reactor.advance(FIRST_PAUSE)
        self.assertEqual(len(self.reactor.processes), 5)
        self.assertIn("programs have ended", self.lines.of(LogLevel.error)[0])

    def test_a_silent_process_is_killed(self) -> None:
        self.reactor.advance(SILENCE)
        self.assertEqual(self.process.signals, ["KILL"])
        self.process.end()
        self.reactor.advance(FIRST_PAUSE)
        self.assertEqual(len(self.reactor.processes), 2)

    def test_stop(self) -> None:
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

    def test_nothing_is_started_after_a_stop_between_two_processes(self) -> None:
        self.process.end()
        self.successResultOf(self.child.stop())
        self.assertEqual(self.reactor.getDelayedCalls(), [])

    def test_a_process_that_ends_when_it_is_killed(self) -> None:
        def gone(signal: str) -> None:
            raise ProcessExitedAlready

        self.process.signalProcess = gone  # type: ignore[method-assign]
        self.reactor.advance(SILENCE)
        self.process.protocol.processEnded(Failure(ProcessTerminated(1)))
        self.assertEqual(self.child.told[-1], "lost")
        self.assertIsInstance(self.reactor, Clock)


class ProgramTests(SynchronousTestCase):
    def test_nobody_waits_for_those_who_keep_its_pipes(self) -> None:
        """A helper has the pipes of a program that has ended: its end is told nevertheless, once, with its last words."""
        clock, told = Clock(), list[ProgramProcess]()
        program = ProgramProcess(clock, told.append)
        closed = list[str]()
        transport: Any = SimpleNamespace(pid=None, loseConnection=lambda: closed.append("pipes"))
        program.makeConnection(transport)
        program.processExited(Failure(ProcessTerminated(3)))
        program.errReceived(b"no such opening\n")
        self.assertEqual(told, [])
        clock.advance(PIPES)
        self.assertEqual((told, closed, program.status, program.words), ([program], ["pipes"], 3, "no such opening"))
        program.processEnded(Failure(ProcessTerminated(3)))
        self.assertEqual((told, clock.getDelayedCalls()), ([program], []))

    def test_words_to_standard_error_count_first(self) -> None:
        program = ProgramProcess(Clock(), lambda ended: None)
        program.errReceived(b"bob has resigned\n")
        program.outReceived(b"ann won\n")
        program.processEnded(Failure(ProcessTerminated(1)))
        self.assertEqual(program.words, "bob has resigned")

    def test_the_environment_is_the_owners(self) -> None:
        launched = {"GAMEHOST_OWNERS_PYTHONPATH": "", "GAMEHOST_OWNERS_PYTHONSAFEPATH": ""}
        launched |= {"PYTHONPATH": "/usr/lib/gamehost", "PYTHONSAFEPATH": "1"}
        secret = {"HOME": "/home/ann", "GAMEHOST_PASSWORD": "correct horse"}
        self.assertEqual(owners_environment({**launched, **secret}), {"HOME": "/home/ann"})
        self.assertEqual(own_environment({**launched, **secret}), launched)
        launched["GAMEHOST_OWNERS_PYTHONPATH"] = "lib"
        self.assertEqual(owners_environment(launched), {"PYTHONPATH": "lib"})
        # Without a launcher all of it is the owner's.
        own = {"PYTHONPATH": "lib", "PYTHONSAFEPATH": "1"}
        self.assertEqual(owners_environment(own), own)


class WorkerTests(TestCase):
    timeout = 120

    def setUp(self) -> None:
        self.worker = SerialWorker(reactor)

    def test_one_at_a_time_elsewhere_and_told_here(self) -> "defer.Deferred[None]":
        told: list[tuple[int, str, bool]] = []
        finished: defer.Deferred[None] = defer.Deferred()
        here = threading.current_thread()

        def done(number: int, thread: str) -> None:
            told.append((number, thread, threading.current_thread() is here))
            if len(told) == 5:
                finished.callback(None)

        for number in range(5):
            self.worker(lambda: threading.current_thread().name, partial(done, number))
        self.assertEqual(self.worker.waiting, 5)
        self.worker.start()
        self.addCleanup(self.worker.stop)

        def check(_: None) -> None:
            self.assertEqual([number for number, _, _ in told], list(range(5)))
            self.assertEqual({thread for _, thread, _ in told}, {"PoolThread-gamehost-worker-0"})
            self.assertTrue(all(is_here for _, _, is_here in told))
            self.assertEqual(self.worker.waiting, 0)

        return finished.addCallback(check)

    def test_a_failure_is_told_like_anything_else(self) -> "defer.Deferred[None]":
        """Who waits for work that went wrong, and was given a failure for it, does not wait for ever."""
        told: defer.Deferred[object] = defer.Deferred()
        failure = Failure(MemoryError("planted"))
        self.worker(lambda: failure, lambda given: told.callback((given,)))
        self.worker.start()
        self.addCleanup(self.worker.stop)
        return told.addCallback(lambda given: self.assertEqual(given, (failure,)))

    def test_stop_waits_for_no_more_than_what_is_being_done(self) -> None:
        """And a room that was never used closes too."""
        self.worker.start()
        self.worker.stop()
