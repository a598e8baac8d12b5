"""
Programs that play: the client under test, and the players of a contest, each as processes of its own.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from twisted.internet.error import ProcessExitedAlready
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure

from gamehost.checker.transcript import printable
from gamehost.ops.workers import kill, started

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
        """End the whole group of processes: a program may be a script that starts another one."""
        transport = self.transport
        if transport is None or transport.pid is None:
            return
        if not kill(transport.pid):
            with suppress(ProcessExitedAlready):
                transport.signalProcess("KILL")


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
