"""
Commands that are started as processes of their own, and ended with all that they have started.
"""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from attrs import frozen

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
