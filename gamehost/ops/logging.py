"""
The log: one event is one line, whatever is in it; a flood is counted instead of written; and the host never waits for it.

Nobody outside can begin a line, move a terminal's cursor or fill a disk with it. A disk that is full, a reader that has
gone and a pipe that nobody empties cost lines, which are counted, and never the game.
"""

import json
import os
import re
import select
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attrs import define, field
from twisted.logger import ILogObserver, LogEvent, LogLevel, formatEvent
from twisted.python.failure import Failure
from zope.interface import implementer

from gamehost._twisted import use_logger
from gamehost.limits import TokenBucket

#: Lines of one kind that are written: so many a second in the long run, and so many at once.
LINES_PER_SECOND = 1.0
LINES_AT_ONCE = 100

#: Kinds of lines that are told apart; what comes after them is one kind more.
KINDS = 500

#: The longest text of one event, in characters.
LONGEST = 3_000

#: What a pipe takes in one piece, so that lines of two writers do not mix. POSIX promises 512, Linux has 4096.
PIECE = 4_096

_FRAMES = 16

# Control characters (C0, DEL, C1), other line ends, and what turns the direction of a line around.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def escaped(text: str) -> str:
    """A text without anything that ends a line or changes how it looks: `\\n`, `\\x1b` and the like instead."""
    return _UNSEEN.sub(lambda found: ascii(found.group())[1:-1], text)


def shortened(text: str, most: int = LONGEST) -> str:
    """A text of bounded length, which says how much of it is missing."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text) - most} more)"


def frames(stack: traceback.StackSummary) -> str:
    """Where a thread is, innermost first: files, lines and functions, and nothing that a variable holds."""
    places = [f"{'/'.join(Path(one.filename).parts[-2:])}:{one.lineno} {one.name}" for one in reversed(stack)]
    more = f" < {len(places) - _FRAMES} more" if len(places) > _FRAMES else ""
    return " < ".join(places[:_FRAMES]) + more


def failure_words(failure: Failure) -> str:
    """An error in one line: what it is, where it was, and what it came from."""
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

    :param unwritten: how many of its kind were counted instead of written before it
    """
    failure = event.get("log_failure")
    text = formatEvent(event)
    if failure is not None:
        text += f": {failure_words(failure)}"
    more = f" (and {unwritten} like this before)" if unwritten else ""
    name = escaped(f"{event.get('log_namespace', '-')}#{_level(event)}")
    return f"{_time(event)} [{name}] {escaped(shortened(text))}{more}"


def json_line(event: LogEvent, unwritten: int) -> str:
    """An event for programs: an object in one line, ASCII alone. As for `text_line`."""
    failure = event.get("log_failure")
    fields: dict[str, Any] = {
        "time": _time(event),
        "level": _level(event),
        "namespace": str(event.get("log_namespace", "-")),
        "text": shortened(formatEvent(event)),
    }
    given = {name: _plain(value) for name, value in event.items() if _is_given(name, value)}
    if given:
        fields["fields"] = given
    if failure is not None:
        fields["failure"] = failure_words(failure)
    if unwritten:
        fields["unwritten"] = unwritten
    return json.dumps(fields)


#: What `--log-format` takes.
FORMATS: Mapping[str, Callable[[LogEvent, int], str]] = {"text": text_line, "json": json_line}


def _time(event: LogEvent) -> str:
    moment = datetime.fromtimestamp(event.get("log_time", 0.0), UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _level(event: LogEvent) -> str:
    level = event.get("log_level")
    return level.name if level is not None else "info"


def _is_given(name: str, value: object) -> bool:
    """Whether this is something that whoever logged it named, and a plain value."""
    return (
        not name.startswith("log_")
        and name not in ("message", "time", "system", "isError", "format", "failure", "why")
        and isinstance(value, str | int | float | bool)
    )


def _plain(value: Any) -> Any:
    return shortened(value, 500) if isinstance(value, str) else value


#: What Twisted says at level info of its own parts: each port and the process. The host says the same in its own words.
_CHATTER = frozenset({"log_legacy", "twisted.internet.base", "twisted.scripts._twistd_unix.UnixAppLogger"})


def _is_chatter(event: LogEvent) -> bool:
    return event.get("log_namespace") in _CHATTER and event.get("log_level") is LogLevel.info


@define(eq=False)
class _Kind:
    """Events that say the same of different things."""

    bucket: TokenBucket
    unwritten: int = 0


@implementer(ILogObserver)
@define(eq=False)
class Log:
    """
    Where events go.

    May be called on any thread, and while it is being called: a collected object may have something to say.

    :param open_file: gives the file descriptor to write to; `None`: there is nowhere
    :param words: one of `FORMATS`
    """

    _open_file: Callable[[], int | None]
    _words: Callable[[LogEvent, int], str]
    #: Lines that could not be written.
    lost: int = 0
    _file: int | None = None
    _opened: bool = False
    _lost_said: int = 0
    #: Whether the last thing written was only the beginning of a line.
    _torn: bool = False
    _kinds: dict[tuple[object, object], _Kind] = field(factory=dict)
    _lock: Any = field(factory=threading.RLock)

    def __call__(self, event: LogEvent) -> None:
        """Write an event, or count it. Raises nothing and waits for nothing."""
        if _is_chatter(event):
            return
        with self._lock:
            unwritten = self._let_through(event)
            if unwritten is None:
                return
            try:
                line = self._words(event, unwritten)
            except Exception as error:  # an event that cannot be put into words must not hurt whoever logs it
                line = f"{_time(event)} [{__name__}#error] an event that cannot be told: {type(error).__name__}"
            if self._lost_said != self.lost:
                note = f"{line}\n{_time(event)} [{__name__}#warn] {self.lost - self._lost_said} lines were lost before"
                lost = self.lost
                if self._write(note):
                    self._lost_said = lost
            else:
                self._write(line)

    def reopen(self) -> None:
        """Go on in a new file of the same name: the old one was put away."""
        with self._lock:
            old, self._opened = self._file, False
            self._open()
            if old is not None and old != self._file:
                os.close(old)

    def _let_through(self, event: LogEvent) -> int | None:
        """How many like this were not written before it; `None`: this one is not either."""
        now: float = event.get("log_time", 0.0)
        name = (event.get("log_namespace"), event.get("log_format"))
        kind = self._kinds.get(name)
        if kind is None:
            if len(self._kinds) >= KINDS:
                name = (None, None)
            kind = self._kinds.setdefault(name, _Kind(TokenBucket(LINES_PER_SECOND, LINES_AT_ONCE, now)))
        if not kind.bucket.take(now) and event.get("log_level") is not LogLevel.critical:
            kind.unwritten += 1
            return None
        unwritten, kind.unwritten = kind.unwritten, 0
        return unwritten

    def _open(self) -> None:
        self._opened = True
        try:
            self._file = self._open_file()
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
                if self._file is None or not _takes_more(self._file):
                    raise BlockingIOError
                rest = rest[os.write(self._file, rest[:PIECE]) :]
                self._torn = bool(rest)
        except OSError:
            self.lost += 1
            return False
        return True


def _takes_more(file: int) -> bool:
    """Whether a write would be taken at once. Files always do; a pipe or a socket does if somebody empties it."""
    ready = select.poll()
    ready.register(file, select.POLLOUT)
    return bool(ready.poll(0))


def standard_output() -> int | None:
    """Where standard output goes; `None` if it was closed: its number may be another file's by now."""
    return None if sys.__stdout__ is None else sys.__stdout__.fileno()


def file_at(path: str) -> Callable[[], int]:
    """
    Opens a file to add to, for its owner alone.

    :raises OSError: (from what is given back) it cannot be opened
    """
    where = os.path.abspath(path)
    return lambda: os.open(where, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)


#: The log of this process: `twistd` asks for it by a name.
_of_this_process: list[Log] = []


def process_log() -> Log:
    """What `twistd` is told to use as its `--logger`."""
    return _of_this_process[-1]


def log_for(twistd: Any, log_format: str) -> Log | None:
    """
    Have `twistd` use a log of this format, at the place that its own options say.

    :param twistd: the options of `twistd`, while they are read; of `twist`, or none at all, there is nothing to set
    :param log_format: one of `FORMATS`
    :returns: the log; `None`: another one is used, because `--logger` or `--syslog` say so
    """
    if twistd is None or "nodaemon" not in twistd or twistd.get("logger") or twistd.get("syslog"):
        return None
    path = twistd.get("logfile")
    if path == "-" or (not path and twistd["nodaemon"]):
        open_file: Callable[[], int | None] = standard_output
    else:
        open_file = file_at(path or "twistd.log")
    log = Log(open_file, FORMATS[log_format])
    _of_this_process.append(log)
    use_logger(twistd, f"{__name__}.{process_log.__name__}")
    return log
