"""
The log: one event is one line. Floods are counted instead of written, and the host never waits for its log.

Twisted formats the events. Its file observers are not used, for three reasons. They write a traceback as many lines,
they do not remove control characters, and they block or raise if the file takes no bytes. Here a full disk, a closed
pipe and a pipe without a reader lose lines, and the lost lines are counted.
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

#: The most lines of one kind that are written: a second in the long run, and at once.
LINES_PER_SECOND = 1.0
LINES_AT_ONCE = 100

#: Kinds of lines that have a limit of their own. All further kinds share one.
KINDS = 500

#: The longest text of one event, in characters.
LONGEST = 3_000

#: Bytes that a pipe takes in one piece, so that lines of two writers do not mix. POSIX promises 512, Linux has 4096.
PIECE = 4_096

_FRAMES = 16


def shortened(text: str, most: int = LONGEST) -> str:
    """A text of bounded length. If it was longer, its end says how many characters are missing."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text) - most} more)"


def frames(stack: traceback.StackSummary) -> str:
    """The calls of a thread, innermost first: files, lines and functions, without values of variables."""
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
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "; from ".join(words)


def text_line(event: LogEvent, unwritten: int) -> str:
    """
    An event for people.

    :param unwritten: how many events of this kind were not written since the last one that was
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
    An event for programs: one JSON object in ASCII.

    Twisted's `eventAsJSON` is not used: it writes every value of an event, whatever it is.

    :param unwritten: as for `text_line`
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


#: The values of `--log-format`.
FORMATS: Mapping[str, Callable[[LogEvent, int], str]] = {"text": text_line, "json": json_line}


def _time(event: LogEvent) -> str:
    moment = datetime.fromtimestamp(event.get("log_time", 0.0), UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _level(event: LogEvent) -> str:
    level = event.get("log_level")
    return level.name if level is not None else "info"


def _is_given(name: str, value: object) -> bool:
    """Whether this is a plain value that the caller of the logger named, and not one of Twisted's own fields."""
    return (
        not name.startswith("log_")
        and name not in ("message", "time", "system", "isError", "format", "failure", "why")
        and isinstance(value, str | int | float | bool)
    )


#: Parts of Twisted that log at level info: each port and the process. The host logs the same in its own words.
_CHATTER = frozenset({"log_legacy", "twisted.internet.base", "twisted.scripts._twistd_unix.UnixAppLogger"})


#: The field of events that are written without a limit.
_ALWAYS = "log_always"


def admin_act(log: Logger, verb: str, **fields: str | int | float | bool) -> None:
    """
    Log an act of the host's administrator. Such lines are never left out.

    :param log: of the class that has carried it out
    :param verb: the name of the command: `ban`
    :param fields: the objects of the act, such as `name="ann"` or `table=17`. A password or a key must not be among
        them
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
    Writes events to a file, as many of each kind as its limit allows.

    It may be called on any thread, and also while it is being called: the garbage collector may run code that logs.

    :param open_file: gives the file descriptor to write to; `None`: there is none
    :param words: one of `FORMATS`
    """

    open_file: Callable[[], int | None]
    words: Callable[[LogEvent, int], str]
    #: Lines that could not be written.
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
            lost = self.lost
            if self._write(self._line(event, unwritten)) and lost != self._lost_said:
                more = lost - self._lost_said
                report = self._own(event, LogLevel.warn, "{lines} lines were lost before this one", lines=more)
                if self._write(self._line(report, 0)):
                    self._lost_said = lost

    def reopen(self) -> None:
        """
        Open the file of this name again, after the old one was renamed.

        :raises OSError: it cannot be opened; the old one remains in use
        """
        with self._lock:
            new = self.open_file()
            old, self._file, self._opened = self._file, new, True
            if old is not None and old != new:
                os.close(old)

    def _line(self, event: LogEvent, unwritten: int) -> str:
        try:
            return self.words(event, unwritten)
        except Exception as error:  # a value that cannot be formatted must not raise in the code that logs it
            kind = type(error).__name__
            return self.words(self._own(event, LogLevel.error, "an event cannot be formatted: {kind}", kind=kind), 0)

    def _own(self, event: LogEvent, level: Any, log_format: str, **values: object) -> LogEvent:
        """An event of the log itself, at the time of another event."""
        at = event.get("log_time", 0.0)
        return {"log_time": at, "log_namespace": __name__, "log_level": level, "log_format": log_format, **values}

    def _let_through(self, event: LogEvent) -> int | None:
        """How many events of this kind were not written since the last one; `None`: this one is not written either."""
        now: float = event.get("log_time", 0.0)
        name = (event.get("log_namespace"), event.get("log_format"))
        kind = self._kinds.get(name)
        if kind is None:
            if len(self._kinds) >= KINDS:
                name = (None, None)
            kind = self._kinds.setdefault(name, _Kind(TokenBucket(LINES_PER_SECOND, LINES_AT_ONCE, now)))
        if not kind.bucket.take(now) and event.get("log_level") is not LogLevel.critical and not event.get(_ALWAYS):
            kind.unwritten += 1
            return None
        unwritten, kind.unwritten = kind.unwritten, 0
        return unwritten

    def _open(self) -> None:
        self._opened = True
        try:
            self._file = self.open_file()
        except OSError:
            self._file = None

    def _write(self, line: str) -> bool:
        if not self._opened:
            self._open()
        rest = line.encode("utf-8", "backslashreplace") + b"\n"
        if self._torn:
            rest = b"\n" + rest
        try:
            while rest:
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
    """The descriptor of standard output; `None` if it was closed, because another file may have its number by now."""
    return None if sys.__stdout__ is None else sys.__stdout__.fileno()


def file_at(path: str) -> Callable[[], int]:
    """
    A function that opens a file for appending. Only the owner can read a file that it makes.

    :raises OSError: (from that function) the file cannot be opened
    """
    where = os.path.abspath(path)
    return lambda: os.open(where, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)


#: The log of this process. `twistd` finds it by the name of a function, so it has to be stored here.
_of_this_process: list[Log] = []


def process_log() -> Log:
    """The log that `log_for` made; `twistd` is given this function's name as its `--logger`."""
    return _of_this_process[-1]


def log_for(twistd: Any, log_format: str) -> Log | None:
    """
    Make `twistd` use a log of this format, and write to the place that its own options name.

    :param twistd: the options of `twistd`, while they are read. Nothing is set for `twist`, or if there are none
    :param log_format: one of `FORMATS`
    :raises OSError: the file of the log cannot be written
    :returns: the log; `None` if another one is used, because of `--logger` or `--syslog`
    """
    if twistd is None or "nodaemon" not in twistd or twistd.get("logger") or twistd.get("syslog"):
        return None
    path = twistd.get("logfile")
    if path == "-" or (not path and twistd["nodaemon"]):
        open_file: Callable[[], int | None] = standard_output
    else:
        open_file = file_at(path or "twistd.log")
        os.close(open_file())
    log = Log(open_file, FORMATS[log_format])
    _of_this_process.append(log)
    use_logger(twistd, f"{__name__}.{process_log.__name__}")
    return log
