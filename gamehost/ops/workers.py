"""
Work outside of the reactor: a worker thread, a child process that is restarted, commands, and programs that play.

The thread is for work that would block the reactor for too long, such as password digests.

The child process is started again when it ends, or when it is silent for too long. It reads lines from its standard
input, and ends when the input is closed. So it ends with the host, even if the host is killed. It writes lines to its
standard output, at least one every few seconds. Its standard error goes to the log.
"""

import ctypes
import os
import re
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import define, field, frozen
from twisted.internet import process
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
    A worker thread. It does one piece of work at a time, in the order in which the pieces were queued.

    :param reactor: Twisted's reactor; results are delivered on its thread
    """

    log = Logger()

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        #: How many pieces of work are queued or being done.
        self.waiting = 0
        self._pool = ThreadPool(0, 1, "gamehost-worker")

    def start(self) -> None:
        """Start the thread. Work that was queued before is done now."""
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

        # The result is in a tuple: otherwise a result that is a Failure would count as an error of the Deferred.
        given = deferToThreadPool(self._reactor, self._pool, lambda: (work(),))
        # `waiting` is counted down first, so that `done` can queue more work.
        given.addBoth(finished).addCallback(lambda result: done(*result)).addErrback(
            lambda failure: self.log.failure("the result of a piece of work could not be used", failure)
        )


#: After how many seconds a process is started again: at first, and at most. Each pause is twice as long as the last.
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 30.0
#: After a process has run for this many seconds, the next pause is the first one again.
SOUND_AFTER = 30.0
#: After how many seconds without output a process is killed.
SILENCE = 20.0
#: How many seconds a process has to end by itself when the host stops.
STOPPING = 2.0
#: The longest line of a process that is read, in bytes.
LONGEST_LINE = 262_144


@define(eq=False)
class ChildProcess(ProcessProtocol):
    """
    Runs a program in a process, and starts it again when it ends. Subclasses override `started`, `heard` and `lost`.

    :param reactor: Twisted's reactor
    :param command: the program and its arguments
    :param title: the name of the process in the log
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
        """Called when the process runs, and `send` can be used. For subclasses."""

    def heard(self, line: str) -> None:
        """Called with each line that the process has written to its standard output. For subclasses."""

    def lost(self) -> None:
        """Called when the process has ended. For subclasses."""

    def start(self) -> None:
        """Start the process. Until `stop` is called, it is started again whenever it ends."""
        self._started_at = self._reactor.seconds()
        # Forget the incomplete lines of the run before.
        self._runs = True
        self._output = b""
        self._errors = b""
        self._reactor.spawnProcess(self, self._command[0], self._command, env=dict(os.environ))

    def send(self, line: str) -> None:
        """
        Write a line to the standard input of the process. The line is dropped if the process does not run, or is being
        stopped.
        """
        if self._runs and self._stopped is None:
            self.transport.writeToChild(0, line.encode("utf-8") + b"\n")

    def stop(self) -> Deferred[None]:
        """
        End the process.

        :returns: fires when the process has ended
        """
        self._timer.stop()
        self._stopped = Deferred()
        if not self._runs:
            return succeed(None)
        # The end of its input asks the process to end. If it does not, it is killed.
        self.transport.closeStdin()
        self._timer.set(self._reactor, STOPPING, self._kill)
        return self._stopped

    def _watch(self) -> None:
        """
        Called when the process has started or written something: it is killed if it is silent from now on for `SILENCE`
        seconds.
        """
        if self._stopped is None:
            self._timer.set(self._reactor, SILENCE, self._silent)

    def _silent(self) -> None:
        self.log.error("{title} have been silent for {seconds:g} s", title=self._title, seconds=SILENCE)
        self._kill()

    def _kill(self) -> None:
        """Kill the process, if it runs."""
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
        """Pass on each complete line. Returns the incomplete rest, cut to `LONGEST_LINE` bytes."""
        *lines, rest = data.split(b"\n")
        for line in lines:
            take(line.decode("utf-8", "replace"))
        return rest[:LONGEST_LINE]

    def _complain(self, line: str) -> None:
        self.log.error("{title}: {line}", title=self._title, line=line)

    def processEnded(self, reason: Failure) -> None:
        """
        The process has ended: start it again after a pause, unless `stop` was called. The pause becomes longer each
        time the process ends quickly.
        """
        self._timer.stop()
        self._runs = False
        self.lost()
        if self._stopped is not None:
            self._stopped.callback(None)
            return
        if self._reactor.seconds() - self._started_at >= SOUND_AFTER:
            # It has run for a while, so this end is not one of a series.
            self._pause = FIRST_PAUSE
        words = "{title} have ended ({reason}) and are started again in {seconds:g} s"
        self.log.error(words, title=self._title, reason=reason.getErrorMessage(), seconds=self._pause)
        self._timer.set(self._reactor, self._pause, self.start)
        self._pause = min(LONGEST_PAUSE, 2 * self._pause)


# Commands that run in processes of their own, and are ended with all their descendants.


#: The source of a program, the keeper, which starts a command and remains its parent. When the command ends, or when
#: the process that has started the keeper ends, the keeper kills all descendants of the command, also those in other
#: sessions. Then the keeper ends with the status or the signal of the command. This uses `prctl` of Linux: 1 is
#: `PR_SET_PDEATHSIG`, 36 is `PR_SET_CHILD_SUBREAPER`. On other systems the keeper kills only the command's process
#: group.
_KEEPER = """
import os, signal, sys
try:
    import ctypes
    prctl = ctypes.CDLL(None).prctl
except (ImportError, OSError, AttributeError):
    prctl = lambda *words: -1
def end(*signal_and_frame):
    try:
        os.killpg(program, signal.SIGKILL)
    except OSError:
        pass
    while True:
        for pid in children():
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        try:
            os.wait()
        except OSError:
            break
    if signal_and_frame:
        os._exit(1)
def children():
    found = []
    for name in os.listdir("/proc") if os.path.exists("/proc/self/stat") else ():
        try:
            with open("/proc/" + name + "/stat", "rb") as file:
                if int(file.read().rpartition(b")")[2].split()[1]) == os.getpid():
                    found.append(int(name))
        except (OSError, ValueError, IndexError):
            pass
    return found
os.setsid()
prctl(36, 1, 0, 0, 0)
prctl(1, signal.SIGTERM, 0, 0, 0)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
program = os.fork()
if not program:
    os.setsid()
    prctl(1, signal.SIGKILL, 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execvp(sys.argv[1], sys.argv[1:])
    except OSError as error:
        print(f"{sys.argv[1]}: {error.strerror}", file=sys.stderr, flush=True)
        os._exit(127)
signal.signal(signal.SIGTERM, end)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
nothing = os.open(os.devnull, os.O_RDWR)
for number in range(3):
    os.dup2(nothing, number)
while True:
    pid, status = os.wait()
    if pid == program:
        break
end()
if os.WIFEXITED(status):
    os._exit(os.WEXITSTATUS(status))
import resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
signal.signal(os.WTERMSIG(status), signal.SIG_DFL) if os.WTERMSIG(status) not in (signal.SIGKILL, signal.SIGSTOP) else None
os.kill(os.getpid(), os.WTERMSIG(status))
"""
#: The exit statuses of a command that could not be run.
NOT_RUN = (126, 127)
#: For how many seconds the last output of an ended program is read. There is a limit because another process may have
#: the pipes open for ever.
PIPES = 0.5
#: How often the search for descendants is repeated: while some are stopped, others may start new ones.
_ROUNDS = 20
_GET_CHILD_SUBREAPER, _SET_CHILD_SUBREAPER = 37, 36


def kept(command: Sequence[str]) -> list[str]:
    """
    The words of a command line that runs a command under the keeper. The keeper ends all descendants of the command
    when the command ends, or when this process ends. If the command cannot be run, the keeper prints the reason to
    standard error.
    """
    return [sys.executable, "-I", "-S", "-c", _KEEPER, *command]


@frozen
class Running:
    """Facts about a process of this machine."""

    pid: int
    parent: int
    session: int
    #: The processor time that it has used, in seconds, including that of ended children.
    seconds: float
    #: Bytes in memory.
    resident: int


def running(among: Iterable[str] | None = None) -> Iterator[Running]:
    """
    The processes of this machine. Empty on other systems than Linux.

    :param among: the numbers of the processes to find; `None`: all
    """
    page, ticks = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
    for name in filter(str.isdigit, _names_in("/proc") if among is None else among):
        with suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
            # The name of the command, in parentheses, may have blanks.
            # The fields after the name, counted from 0: 1 is the parent, 3 the session, 11 to 14 the times of the
            # process and of its children that have ended, 21 the memory in pages.
            fields = file.read().rpartition(b")")[2].split()
            taken = sum(map(int, fields[11:15])) / ticks
            yield Running(int(name), int(fields[1]), int(fields[3]), taken, int(fields[21]) * page)


def _names_in(folder: str) -> Sequence[str]:
    with suppress(OSError):
        return os.listdir(folder)
    return ()


def _children() -> Iterator[Running]:
    """The children of this process. If the system has no list of children, all processes are searched."""
    mine = os.getpid()
    try:
        # Each thread of this process has a list of the children that it has started.
        lists = [Path(f"/proc/self/task/{task}/children").read_text("ascii") for task in _names_in("/proc/self/task")]
        among: Iterable[str] | None = " ".join(lists).split()
    except OSError:
        among = None
    return (one for one in running(among) if one.parent == mine)


def descendants(root: int, processes: Iterable[Running]) -> list[Running]:
    """All descendants of a process among some processes: its children, their children, and so on."""
    children = defaultdict(list)
    for one in processes:
        children[one.parent].append(one)
    found, parents = list[Running](), [root]
    while parents:
        new = children.pop(parents.pop(), [])
        found += new
        parents += [one.pid for one in new]
    return found


def kill(root: int) -> None:
    """
    Kill a process and all its descendants. The descendants are stopped first, so that they start no new processes
    meanwhile.
    """
    stopped = set[int]()
    # A process may start another one just before it is stopped, so look several times.
    for _ in range(_ROUNDS):
        new = {one.pid for one in descendants(root, running())} - stopped
        if not new:
            break
        _signal(new, signal.SIGSTOP)
        stopped |= new
    _signal({*stopped, root}, signal.SIGKILL)


def _signal(processes: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to processes that still exist."""
    for pid in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def adopt_orphans() -> None:
    """
    Let this process become the parent of orphans, on Linux. If a keeper is killed, this process can end the keeper's
    descendants then.
    """
    with suppress(OSError, AttributeError):
        # `AttributeError`: the system has no `prctl`.
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_orphans() -> None:
    """
    Kill the orphans that this process has become the parent of. They are the children in other sessions: a keeper
    begins a new session, and its descendants cannot return to the session of this process.
    """
    adopts = ctypes.c_int()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_GET_CHILD_SUBREAPER, ctypes.byref(adopts), 0, 0, 0)
    if not adopts.value:
        # `adopt_orphans` was not called.
        return
    own = os.getsid(0)
    for one in _children():
        # Twisted waits for the processes of its own, which are in `reapProcessHandlers`.
        if one.session != own and one.pid not in process.reapProcessHandlers:
            kill(one.pid)
            with suppress(ChildProcessError):
                os.waitpid(one.pid, os.WNOHANG)


@define(eq=False)
class Command(ProcessProtocol):
    """
    A running command that `start_command` has started. When its first process ends, the command has ended: its other
    processes are killed, even if they have the pipes open.
    """

    _reactor: Any
    transport: Any = field(init=False, default=None)
    #: The exit status, or minus the number of the signal that has ended the command; `None`: the command runs.
    status: int | None = field(default=None, init=False)
    _pipes: Timer = field(factory=Timer, init=False)

    def over(self) -> None:
        """Called when the command has ended, and its output was read. For subclasses."""

    def processExited(self, reason: Failure) -> None:
        """The process has ended: end its orphans, and read its last output for a limited time."""
        _end_orphans()
        self._pipes.set(self._reactor, PIPES, self._close, reason)

    def _close(self, reason: Failure) -> None:
        """Stop waiting for the output, although another process has the pipes open."""
        if self.transport is not None:
            self.transport.loseConnection()
        self.processEnded(reason)

    def processEnded(self, reason: Failure) -> None:
        """The process has ended and its pipes are closed: note the status, and call `over`."""
        self._pipes.stop()
        if self.status is None:
            # Only the first call counts: `_close` has called this already if the pipes remained open.
            ended: Any = reason.value
            # Minus the number of the signal, if a signal has ended the command.
            self.status = ended.exitCode if ended.exitCode is not None else -(ended.signal or 0)
            self.over()

    def kill(self) -> None:
        """Kill the command and all its descendants. Nothing happens if it has ended."""
        pid = self.pid
        if pid is not None:
            kill(pid)
            with suppress(ProcessExitedAlready):
                self.transport.signalProcess("KILL")

    @property
    def pid(self) -> int | None:
        """The process number of the command's keeper; `None`: the command has ended."""
        return None if self.transport is None else self.transport.pid

    def family(self, processes: Sequence[Running]) -> list[Running]:
        """The processes of this command, among all processes of the machine: the keeper first, then all descendants."""
        pid = self.pid
        return [] if pid is None else [*(one for one in processes if one.pid == pid), *descendants(pid, processes)]


def start_command(
    reactor: Any, protocol: Command, command: Sequence[str], more: Mapping[str, str] = {}, **pipes: Any
) -> None:
    """
    Start a command under a keeper. It gets the environment of the owner, without the owner's password.

    :param more: additional environment variables
    :param pipes: arguments of `spawnProcess` about pipes
    """
    words = kept(command)
    reactor.spawnProcess(protocol, words[0], words, env={**owners_environment(os.environ), **more}, **pipes)


#: The environment variables that a launcher of the package sets for the host's Python. The launcher stores the owner's
#: values of them under names that begin with `_OWNERS`.
_LAUNCHER = ("PYTHONPATH", "PYTHONSAFEPATH")
_OWNERS = "GAMEHOST_OWNERS_"
#: The environment variable with the owner's password at a host, for `gamehost player` and `gamehost bridge`.
PASSWORD = "GAMEHOST_PASSWORD"


def owners_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """
    The environment of the owner, made from the environment of this process: without changes by a launcher, and without
    the password.
    """
    left = {name: text for name, text in environment.items() if name != PASSWORD and not name.startswith(_OWNERS)}
    for name in _LAUNCHER:
        owners = environment.get(_OWNERS + name)
        if owners is not None:
            # The launcher has changed this variable, and has stored the owner's value; empty: the owner had none.
            left.pop(name, None)
        if owners:
            left[name] = owners
    return left


def own_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that the host's own commands need, in addition to the environment of the owner."""
    return {name: environment[name] for one in _LAUNCHER for name in (one, _OWNERS + one) if name in environment}


# Programs that play: the client that `gamehost check` tests, and the players of a contest.


#: Stands between the text of an exception and the place in the program that has raised it.
PLACE = ", in "
#: How many bytes at the end of a program's output are searched for its last line, and how many are stored.
KEPT = 8_000
WRITTEN = 200_000


class ProgramProcess(Command):
    """
    A running command that plays. Only the end of its output is stored.

    :param ended: called with this object when the command has ended
    """

    def __init__(self, reactor: Any, ended: Callable[["ProgramProcess"], None]) -> None:
        super().__init__(reactor)
        self._ended = ended
        self._output = self._errors = b""
        self._written = bytearray()
        #: After the end: the last line that the command has printed, if possible on standard error.
        self.words = ""

    def outReceived(self, data: bytes) -> None:
        self._output = (self._output + data)[-KEPT:]
        self._store(data)

    def errReceived(self, data: bytes) -> None:
        self._errors = (self._errors + data)[-KEPT:]
        self._store(data)

    def _store(self, data: bytes) -> None:
        """Add output, and drop its beginning if it becomes too long."""
        self._written += data
        # Cut only now and then, since each cut moves the rest.
        if len(self._written) > 2 * WRITTEN:
            del self._written[:-WRITTEN]

    @property
    def written(self) -> bytes:
        """The end of the output, including standard error, in the order in which it came."""
        return bytes(self._written[-WRITTEN:])

    def over(self) -> None:
        self.words = last_words(self._errors) or last_words(self._output)
        self._ended(self)


def start_program(
    reactor: Any,
    command: Sequence[str],
    values: Mapping[str, str],
    ended: Callable[[ProgramProcess], None],
    environment: Mapping[str, str] = {},
) -> ProgramProcess:
    """
    Start a command that plays.

    :param command: the words of its command line
    :param values: values for places in the words, such as `{port}`; also set as environment variables, such as
        `GAMEHOST_PORT`
    :param ended: called when the command has ended
    :param environment: additional environment variables
    """
    program = ProgramProcess(reactor, ended)
    told = {f"GAMEHOST_{name.upper()}": value for name, value in values.items()}
    start_command(reactor, program, filled_in(command, values), {**told, **environment})
    return program


#: A line of a Python traceback with a file and a line number.
_PLACE = re.compile(rb'  File "([^"]*)", line ([0-9]+)')
#: What programs in other languages print when they crash: a message and a place, in either order, and a list of calls.
_CRASHES = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # Rust.
        rb"^thread '.*' (?:\([0-9]+\) )?panicked at (?P<file>.*):(?P<line>[0-9]+):[0-9]+:\n(?P<words>.+)",
        # Go, without the calls of its own runtime.
        rb"^(?P<words>panic: .+)\n(?:.*\n)*?\t(?!.*/src/runtime/)(?P<file>.+\.go):(?P<line>[0-9]+)",
        # Java, without the calls of its own packages.
        rb'^Exception in thread "[^"\n]*" (?P<words>.+)\n(?:.*\n)*?'
        rb"\tat (?!java\.|jdk\.|sun\.).*\((?P<file>[\w$]+\.java):(?P<line>[0-9]+)\)",
        # Node, without the calls of its own modules.
        rb"^(?:Uncaught )?(?P<words>\w*Error\b.*)\n(?:    at .*\n)*?"
        rb"    at (?!.*node:)(?:.*\()?(?P<file>.+):(?P<line>[0-9]+):[0-9]+\)?$",
    )
)


def last_words(output: bytes) -> str:
    """
    The last line that a program has printed. If a program in Python, Rust, Go, Java or Node has crashed, the line with
    the reason, and the place in the program.
    """
    lines = [line for line in output.splitlines() if line.strip()]
    if not lines:
        return ""
    # A report of Python ends with the message of the error. Before it are the places of the calls, and an indented last
    # line is no message.
    places = _PLACE.findall(output) if not lines[-1].startswith(b" ") else []
    if places:
        return _at_place(lines[-1], *places[-1])
    crashes = [found for pattern in _CRASHES for found in pattern.finditer(output)]
    if crashes:
        # The crash that was printed last counts.
        last = max(crashes, key=lambda found: found.start())
        return _at_place(last["words"], last["file"], last["line"])
    return printable(lines[-1])


def _at_place(words: bytes, file: bytes, line: bytes) -> str:
    """The message of a crash, with the name of the file, without its folder, and the number of the line."""
    name = printable(file).replace(chr(92), "/").rsplit("/", 1)[-1]
    return f"{printable(words)}{PLACE}{name}, line {int(line)}"


def filled_in(command: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """A command in which places such as `{host}` and `{port}` are replaced by values. Other braces remain."""
    words = []
    for word in command:
        for name, value in values.items():
            word = word.replace("{" + name + "}", value)
        words.append(word)
    return words
