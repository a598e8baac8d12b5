"""
The log of the host. Each event is one line. If very many events of one kind come, most are only counted. The host never
waits for its log.

Twisted's own file observers are not used, for three reasons. They write a traceback as many lines, they do not remove
control characters, and they block or raise an error if the file accepts no bytes. Here, lines are lost if the disk is
full or a pipe is closed or blocked, and the lost lines are counted.
"""

import json
import os
import select
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attrs import define, field
from twisted.logger import ILogObserver, LogEvent, Logger, LogLevel, eventAsText, formatEvent
from twisted.python.failure import Failure
from zope.interface import implementer

from gamehost._twisted import use_logger
from gamehost.ops import escaped
from gamehost.rates import TokenBucket

#: How many lines of one kind are written: on average in a second, and at once.
LINES_PER_SECOND = 1.0
LINES_AT_ONCE = 100

#: How many kinds of lines have a limit of their own. All further kinds share one limit.
KINDS = 500

#: The longest text of one event, in characters.
LONGEST = 3_000

#: How many bytes are written at once. A pipe writes up to this many bytes in one piece, so that lines of two writers do
#: not mix. POSIX guarantees 512, Linux 4096.
PIECE = 4_096

_FRAMES = 16


def shortened(text: str, most: int = LONGEST) -> str:
    """A text, cut after `most` characters. If it was cut, it ends with the number of missing characters."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text) - most} more)"


def frames(stack: traceback.StackSummary) -> str:
    """The calls on a stack, innermost first, in one line: files, lines and functions, without values of variables."""
    places = [f"{'/'.join(Path(one.filename).parts[-2:])}:{one.lineno} {one.name}" for one in reversed(stack)]
    more = f" < {len(places) - _FRAMES} more" if len(places) > _FRAMES else ""
    return " < ".join(places[:_FRAMES]) + more


def failure_words(failure: Failure) -> str:
    """An error in one line: its type and message, where it was raised, and up to three errors that caused it."""
    error: BaseException | None = failure.value
    words: list[str] = []
    while error is not None and len(words) < 4:
        stack = traceback.StackSummary.extract(traceback.walk_tb(error.__traceback__), lookup_lines=False)
        place = f" at {frames(stack)}" if stack else ""
        words.append(f"{type(error).__name__}: {shortened(str(error), 500)}{place}")
        # As Python prints it: the cause that was given with `from`, or else the error that was being handled, unless
        # `from None` hides it.
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "; from ".join(words)


def text_line(event: LogEvent, unwritten: int) -> str:
    """
    An event as a line for people.

    :param unwritten: how many events of this kind were left out since the last written one
    """
    text = eventAsText(event, includeTraceback=False, includeTimestamp=False, includeSystem=False)
    failure = event.get("log_failure")
    if failure is not None:
        text += f": {failure_words(failure)}"
    more = f" (and {unwritten} like this before)" if unwritten else ""
    name = escaped(f"{event.get('log_namespace', '-')}#{_level(event)}")
    return f"{_time(event)} [{name}] {escaped(shortened(text))}{more}"


def json_line(event: LogEvent, unwritten: int) -> str:
    """
    An event as a line for programs: one JSON object in ASCII. Twisted's `eventAsJSON` is not used, because it writes
    all values of an event, also objects.

    :param unwritten: see `text_line`
    """
    failure = event.get("log_failure")
    fields: dict[str, Any] = {
        "time": _time(event),
        "level": _level(event),
        "namespace": str(event.get("log_namespace", "-")),
        "text": shortened(formatEvent(event)),
    }
    given = {
        name: shortened(value, 500) if isinstance(value, str) else value
        for name, value in event.items()
        if _is_given(name, value)
    }
    if given:
        fields["fields"] = given
    if failure is not None:
        fields["failure"] = failure_words(failure)
    if unwritten:
        fields["unwritten"] = unwritten
    return json.dumps(fields)


#: The functions that make lines, by the values of `--log-format`.
FORMATS: Mapping[str, Callable[[LogEvent, int], str]] = {"text": text_line, "json": json_line}


def _time(event: LogEvent) -> str:
    moment = datetime.fromtimestamp(event.get("log_time", 0.0), UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _level(event: LogEvent) -> str:
    level = event.get("log_level")
    return level.name if level is not None else "info"


def _is_given(name: str, value: object) -> bool:
    """
    Whether a field of an event is a plain value from the caller of the logger, and not one of Twisted's own fields.
    """
    return (
        not name.startswith("log_")
        and name not in ("message", "time", "system", "isError", "format", "failure", "why")
        and isinstance(value, str | int | float | bool)
    )


#: The info messages of these parts of Twisted are left out: the host itself logs the same facts about ports and the
#: process.
_CHATTER = frozenset({"log_legacy", "twisted.internet.base", "twisted.scripts._twistd_unix.UnixAppLogger"})


#: The field of events that are written without a limit.
_ALWAYS = "log_always"


def admin_act(log: Logger, verb: str, **fields: str | int | float | bool) -> None:
    """
    Log an action of the host's administrator. Such lines are never left out.

    :param log: the logger of the class that has carried out the action
    :param verb: the name of the command: `ban`
    :param fields: the objects of the action, such as `name="ann"` or `table=17`; never a password or a key
    """
    log.info(
        "".join(("admin: {verb}", *(f" {name}={{{name}!r}}" for name in fields))), verb=verb, log_always=True, **fields
    )


@define(eq=False)
class _Kind:
    bucket: TokenBucket
    unwritten: int = 0


@implementer(ILogObserver)
@define(eq=False)
class Log:
    """
    A log observer of Twisted that writes events to a file. The number of lines of each kind is limited. It may be
    called on any thread, and also during another call on the same thread, because the garbage collector may run code
    that logs.

    :param open_file: opens the file and returns its descriptor; `None`: there is no file
    :param words: makes the line of an event: one of `FORMATS`
    """

    open_file: Callable[[], int | None]
    words: Callable[[LogEvent, int], str]
    #: How many lines could not be written.
    lost: int = 0
    _file: int | None = None
    _opened: bool = False
    _lost_said: int = 0
    #: Whether only the beginning of the last line was written.
    _torn: bool = False
    _kinds: dict[tuple[object, object], _Kind] = field(factory=dict)
    _lock: Any = field(factory=threading.RLock)

    def __call__(self, event: LogEvent) -> None:
        """Write an event, or count it. Raises nothing and does not block."""
        if event.get("log_namespace") in _CHATTER and event.get("log_level") is LogLevel.info:
            return
        with self._lock:
            unwritten = self._let_through(event)
            if unwritten is None:
                return
            # Lines can be lost when the disk is full or nobody reads the pipe. When a line is written again, the next
            # line says how many were lost.
            lost = self.lost
            if self._write(self._line(event, unwritten)) and lost != self._lost_said:
                more = lost - self._lost_said
                report = self._own(event, LogLevel.warn, "{lines} lines were lost before this one", lines=more)
                if self._write(self._line(report, 0)):
                    self._lost_said = lost

    def reopen(self) -> None:
        """
        Open the log file again, after a program has renamed it.

        :raises OSError: the new file cannot be opened; the old file remains in use
        """
        with self._lock:
            new = self.open_file()
            old = self._file
            self._file = new
            self._opened = True
            # Standard output gives the same number again, and must not be closed.
            if old is not None and old != new:
                os.close(old)

    def _line(self, event: LogEvent, unwritten: int) -> str:
        """The line of an event. A value that cannot be formatted gives a line about this."""
        try:
            return self.words(event, unwritten)
        except Exception as error:  # must not reach the code that has logged a value that cannot be formatted
            kind = type(error).__name__
            return self.words(self._own(event, LogLevel.error, "an event cannot be formatted: {kind}", kind=kind), 0)

    def _own(self, event: LogEvent, level: Any, log_format: str, **values: object) -> LogEvent:
        """Make an event about the log itself, with the time of another event."""
        at = event.get("log_time", 0.0)
        return {"log_time": at, "log_namespace": __name__, "log_level": level, "log_format": log_format, **values}

    def _let_through(self, event: LogEvent) -> int | None:
        """
        Decide whether to write an event. `None`: it is only counted. Otherwise: how many events of its kind were left
        out since the last written one.
        """
        now: float = event.get("log_time", 0.0)
        name = (event.get("log_namespace"), event.get("log_format"))
        kind = self._kinds.get(name)
        if kind is None:
            if len(self._kinds) >= KINDS:
                # There are too many kinds: count all further ones as one kind.
                name = (None, None)
            kind = self._kinds.setdefault(name, _Kind(TokenBucket(LINES_PER_SECOND, LINES_AT_ONCE, now)))
        # Critical events, and actions of the administrator, are always written.
        if not kind.bucket.take(now) and event.get("log_level") is not LogLevel.critical and not event.get(_ALWAYS):
            kind.unwritten += 1
            return None
        unwritten = kind.unwritten
        kind.unwritten = 0
        return unwritten

    def _open(self) -> None:
        """Open the file for the first line. If this fails, lines are lost until `reopen`."""
        self._opened = True
        try:
            self._file = self.open_file()
        except OSError:
            self._file = None

    def _write(self, line: str) -> bool:
        """
        Write a line without blocking. Returns whether the whole line was written; otherwise the line counts as lost.
        """
        if not self._opened:
            self._open()
        rest = line.encode("utf-8", "backslashreplace") + b"\n"
        if self._torn:
            # End the line of which only the beginning was written.
            rest = b"\n" + rest
        try:
            while rest:
                # A full pipe would block the whole host, so the rest of the line is given up.
                if self._file is None or not _is_writable(self._file):
                    raise BlockingIOError
                rest = rest[os.write(self._file, rest[:PIECE]) :]
                self._torn = bool(rest)
        except OSError:
            self.lost += 1
            return False
        return True


def _is_writable(file: int) -> bool:
    """Whether a write would not block. A file never blocks; a pipe or a socket without a reader does."""
    ready = select.poll()
    ready.register(file, select.POLLOUT)
    return bool(ready.poll(0))


def standard_output() -> int | None:
    """
    The file descriptor of standard output; `None`: standard output was closed, and another file may have its number
    now.
    """
    return None if sys.__stdout__ is None else sys.__stdout__.fileno()


def file_at(path: str) -> Callable[[], int]:
    """
    Returns a function that opens a file for appending, and raises `OSError` if it cannot. Only the owner can read a
    file that it makes.
    """
    where = os.path.abspath(path)
    return lambda: os.open(where, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)


#: The log of this process, in a list of one. It is stored here because `twistd` finds it through the name of a
#: function.
_of_this_process: list[Log] = []


def process_log() -> Log:
    """The log that `log_for` has made. `twistd` gets the name of this function as its option `--logger`."""
    return _of_this_process[-1]


def log_for(twistd: Any, log_format: str) -> Log | None:
    """
    Make the log of this process, and let `twistd` use it. It writes to the place that the options of `twistd` name.

    :param twistd: the options of `twistd`, while they are read; `None`, or the options of `twist`: no log is made
    :param log_format: one of `FORMATS`
    :raises OSError: the file of the log cannot be written
    :returns: the log; `None`: another log is used, for instance because of `--logger` or `--syslog`
    """
    if twistd is None or "nodaemon" not in twistd or twistd.get("logger") or twistd.get("syslog"):
        return None
    path = twistd.get("logfile")
    if path == "-" or (not path and twistd["nodaemon"]):
        open_file: Callable[[], int | None] = standard_output
    else:
        open_file = file_at(path or "twistd.log")
        # Try now whether the file can be opened.
        os.close(open_file())
    log = Log(open_file, FORMATS[log_format])
    _of_this_process.append(log)
    use_logger(twistd, f"{__name__}.{process_log.__name__}")
    return log
