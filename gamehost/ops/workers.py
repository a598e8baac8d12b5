"""
Work beside the reactor: a worker thread, a process, commands, and programs that play.

The thread is for work that would block the reactor for too long, such as password digests.

The process is started again when it ends or is silent, and it ends when the host does. It reads lines from its standard input,
and ends when that is closed; so it ends also if the host is killed. It writes lines to its standard output, at least one every
few seconds. Its standard error goes to the log.
"""

import os
import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import define, field, frozen
from twisted.internet.defer import Deferred, succeed
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.protocol import ProcessProtocol
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool

from gamehost._twisted import Timer
from gamehost.ops import printable


class SerialWorker:
    """
    Does one piece of work at a time, in the order in which they were given.

    :param reactor: results are delivered on its thread
    """

    log = Logger()

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        #: Pieces of work that are queued or being done.
        self.waiting = 0
        self._pool = ThreadPool(0, 1, "gamehost-worker")

    def start(self) -> None:
        """Start the thread. Work that was given before is done now."""
        self._pool.start()

    def stop(self) -> None:
        """Finish the current work, and end the thread."""
        self._pool.stop()

    def __call__(self, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        """
        Queue a piece of work.

        :param work: runs on the worker thread; it must not raise
        :param done: called on the reactor's thread with the result
        """
        self.waiting += 1

        def finished(result: Any) -> Any:
            self.waiting -= 1
            return result

        # In a tuple, because a result that is a Failure would otherwise count as an error of the Deferred.
        given = deferToThreadPool(self._reactor, self._pool, lambda: (work(),))
        given.addBoth(finished).addCallback(lambda result: done(*result)).addErrback(
            lambda failure: self.log.failure("the result of a piece of work could not be used", failure)
        )


#: Seconds before a process is started again: first, and at most; each time twice as long.
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 30.0
#: A process that has run for so many seconds may be started again at once.
SOUND_AFTER = 30.0
#: A process that has written nothing for so many seconds is killed.
SILENCE = 20.0
#: Seconds for a process to end by itself when the host stops.
STOPPING = 2.0
#: The longest line of a process that is read, in bytes.
LONGEST_LINE = 262_144


@define(eq=False)
class ChildProcess(ProcessProtocol):
    """
    One process at a time. A subclass is told what becomes of it.

    :param reactor: Twisted's reactor
    :param command: the program and its arguments
    :param title: what it is, for the log
    """

    _reactor: Any
    _command: Sequence[str]
    _title: str
    transport: Any = field(init=False, default=None)
    _runs: bool = False
    _output: bytes = b""
    _errors: bytes = b""
    _timer: Timer = field(factory=Timer)
    _pause: float = FIRST_PAUSE
    _started_at: float = 0.0
    _stopped: Deferred[None] | None = field(default=None)

    log = Logger()

    def started(self) -> None:
        """The process runs, and can be written to."""

    def heard(self, line: str) -> None:
        """The process has written a line."""

    def lost(self) -> None:
        """The process has ended."""

    def start(self) -> None:
        """Start the process. It is started again whenever it ends, until `stop`."""
        self._started_at = self._reactor.seconds()
        self._runs, self._output, self._errors = True, b"", b""
        self._reactor.spawnProcess(self, self._command[0], self._command, env=dict(os.environ))

    def send(self, line: str) -> None:
        """Give the process a line. It is dropped if the process does not run."""
        if self._runs:
            self.transport.writeToChild(0, line.encode("utf-8") + b"\n")

    def stop(self) -> Deferred[None]:
        """End the process. Fires when it has ended."""
        self._timer.stop()
        self._stopped = Deferred()
        if not self._runs:
            return succeed(None)
        self.transport.closeStdin()
        self._timer.set(self._reactor, STOPPING, self._kill)
        return self._stopped

    def _watch(self) -> None:
        """The process has shown that it runs."""
        if self._stopped is None:
            self._timer.set(self._reactor, SILENCE, self._silent)

    def _silent(self) -> None:
        self.log.error("{title} have been silent for {seconds:g} s", title=self._title, seconds=SILENCE)
        self._kill()

    def _kill(self) -> None:
        if self._runs:
            with suppress(ProcessExitedAlready):
                self.transport.signalProcess("KILL")

    def connectionMade(self) -> None:
        self._watch()
        self.started()

    def outReceived(self, data: bytes) -> None:
        self._watch()
        self._output = self._lines(self._output + data, self.heard)

    def errReceived(self, data: bytes) -> None:
        self._errors = self._lines(self._errors + data, self._complain)

    @staticmethod
    def _lines(data: bytes, take: Callable[[str], None]) -> bytes:
        *lines, rest = data.split(b"\n")
        for line in lines:
            take(line.decode("utf-8", "replace"))
        return rest[:LONGEST_LINE]

    def _complain(self, line: str) -> None:
        self.log.error("{title}: {line}", title=self._title, line=line)

    def processEnded(self, reason: Failure) -> None:
        """Unless it was to end, it is started again: soon at first, and later each time it ends quickly."""
        self._timer.stop()
        self._runs = False
        self.lost()
        if self._stopped is not None:
            self._stopped.callback(None)
            return
        if self._reactor.seconds() - self._started_at >= SOUND_AFTER:
            self._pause = FIRST_PAUSE
        words = "{title} have ended ({reason}) and are started again in {seconds:g} s"
        self.log.error(words, title=self._title, reason=reason.getErrorMessage(), seconds=self._pause)
        self._timer.set(self._reactor, self._pause, self.start)
        self._pause = min(LONGEST_PAUSE, 2 * self._pause)


# Commands that are started as processes of their own, and ended with all that they have started.


#: Makes a program the leader of a process group of its own, so that all of its processes can be ended together.
_STARTER = """
import os, sys
os.{leads}()
{bound}
try:
    os.execvp(sys.argv[1], sys.argv[1:])
except OSError as error:
    print(f"{{sys.argv[1]}}: {{error.strerror}}", file=sys.stderr)
    raise SystemExit(127)
"""
#: Has the system kill it when this process ends (on Linux): `PR_SET_PDEATHSIG` with `SIGKILL`.
_BOUND = """
try:
    import ctypes
    ctypes.CDLL(None).prctl(1, 9)
except (OSError, AttributeError):
    pass
"""
#: The exit statuses of a command that could not be run.
NOT_RUN = (126, 127)


def started(command: Sequence[str], bound: bool, session: bool = True) -> list[str]:
    """
    The words that start a command as the leader of a process group. If it cannot be run, it says so on standard error.

    :param bound: whether it is killed when this process ends, however that ends (on Linux)
    :param session: whether it has a session of its own, too. What is started in the session of a program that is bound
        itself counts as one of its processes.
    """
    starter = _STARTER.format(leads="setsid" if session else "setpgrp", bound=_BOUND if bound else "")
    return [sys.executable, "-I", "-S", "-c", starter, *command]


@frozen
class Running:
    """A process of this machine."""

    group: int
    session: int
    #: Bytes in memory.
    resident: int


def running() -> Iterator[Running]:
    """The processes of this machine, as far as it tells: on Linux."""
    page = os.sysconf("SC_PAGE_SIZE")
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            # The name of the command, in parentheses, may have blanks.
            fields = path.read_text("utf-8", "replace").rpartition(")")[2].split()
            yield Running(int(fields[2]), int(fields[3]), int(fields[21]) * page)


def kill(leader: int) -> bool:
    """
    Kill all processes of a group, and of the session that its leader leads: a program may be a script that starts others.

    :param leader: the number of the process that leads them
    :return: whether there was the group
    """
    groups = {one.group for one in running() if one.session == leader} - {leader}
    for group in groups:
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def end(transport: Any) -> None:
    """Kill a process that was started as a command, with all that it has started. Nothing happens if it has ended."""
    if transport is not None and transport.pid is not None and not kill(transport.pid):
        with suppress(ProcessExitedAlready):
            transport.signalProcess("KILL")


# Programs that play: the client under test, and the players of a contest, each as processes of its own.


#: Between an exception's words and the place in the program that raised it.
PLACE = ", in "
#: So much of what a program prints is kept, in bytes: the end.
KEPT = 2_000


class ProgramProcess(ProcessProtocol):
    """
    A command that plays. What it prints is dropped, but for the end.

    :param ended: called with this process when it has ended
    """

    def __init__(self, ended: Callable[["ProgramProcess"], None]) -> None:
        self._ended = ended
        self._output = b""
        #: The exit status, or minus the number of the signal that has ended it; `None`: it runs.
        self.status: int | None = None
        #: The last line that it has printed, once it has ended.
        self.words = ""

    @property
    def group(self) -> int | None:
        """The number of its group of processes; `None`: it has ended."""
        return None if self.transport is None else self.transport.pid

    def outReceived(self, data: bytes) -> None:
        self._output = (self._output + data)[-KEPT:]

    errReceived = outReceived

    def processEnded(self, reason: Failure) -> None:
        ended: Any = reason.value
        self.status = ended.exitCode if ended.exitCode is not None else -(ended.signal or 0)
        self.words = last_words(self._output)
        self._ended(self)

    def kill(self) -> None:
        end(self.transport)


def start_program(
    reactor: Any,
    command: Sequence[str],
    values: Mapping[str, str],
    ended: Callable[[ProgramProcess], None],
    environment: Mapping[str, str] = {},
    bound: bool = False,
) -> ProgramProcess:
    """
    Start a command.

    :param command: its words
    :param values: filled in, and told in the environment, `port` as `GAMEHOST_PORT`
    :param ended: called when it has ended
    :param environment: more of it
    :param bound: whether it is killed when this process ends, however that ends (on Linux)
    """
    process = ProgramProcess(ended)
    told = {f"GAMEHOST_{name.upper()}": value for name, value in values.items()}
    words = started(filled_in(command, values), bound)
    reactor.spawnProcess(process, words[0], words, env={**os.environ, **told, **environment})
    return process


#: A line of a traceback of Python that names a place.
_PLACE = re.compile(rb'  File "([^"]*)", line ([0-9]+)')


def last_words(output: bytes) -> str:
    """The last line that a program has printed. If it ended a traceback of Python, with the place of the error."""
    lines = [line for line in output.splitlines() if line.strip()]
    if not lines:
        return ""
    words = printable(lines[-1])
    places = _PLACE.findall(output) if not lines[-1].startswith(b" ") else []
    if places:
        file, number = places[-1]
        words += f"{PLACE}{printable(file).replace(chr(92), '/').rsplit('/', 1)[-1]}, line {int(number)}"
    return words


def filled_in(command: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """A command with `{host}`, `{port}` and so on filled in. Other braces stay as they are."""
    words = []
    for word in command:
        for name, value in values.items():
            word = word.replace("{" + name + "}", value)
        words.append(word)
    return words
