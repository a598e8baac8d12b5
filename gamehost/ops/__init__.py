"""
The parts that a process needs to run well: log, watchdog, systemd, circuit breaker and worker threads. Also two parts
for quick commands, which import nothing of Twisted. One makes text of strangers fit for a line of a log or of a
terminal. The other is about sockets in the file system: paths of any length, and the user at the other end.
"""

import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISSOCK

#: Characters of a long text that are shown.
MOST_SHOWN = 1_000


#: Said of text that is none: see `is_text`.
NO_TEXT = "expected letters; does your terminal use another encoding than its locale names?"


def is_text(text: str) -> bool:
    """Whether UTF-8 has all characters. Bytes of a command line that the locale's encoding does not have become others."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def escaped(text: str) -> str:
    """A text with an escape for each character that Python does not count as printable, such as `\\n` or `\\x1b`."""
    if not text.isprintable():
        for one in set(text):
            if not one.isprintable():
                text = text.replace(one, ascii(one)[1:-1])
    return text


def shortened(text: str) -> str:
    """A text without its middle, if it is longer than anybody reads."""
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN // 2]} ... {text[-MOST_SHOWN // 2 :]}"


#: Characters of a message or of a line of a program that are shown.
LONGEST = 400


def printable(data: bytes) -> str:
    """Bytes as one line without control characters."""
    shown = escaped(data[: 4 * LONGEST + 4].decode("utf-8", "backslashreplace").strip("\r\n"))
    return shown if len(shown) <= LONGEST else shown[:LONGEST] + "..."


#: The longest path of a unix socket on all systems, in bytes.
LONGEST_PATH = 103

#: Where Linux shows the open files of this process.
_OPEN_FILES = Path("/proc/self/fd")


class SocketUnusable(Exception):
    """A socket in the file system cannot be used. The message says why, and what can be done."""


@contextmanager
def short_path(path: Path) -> Iterator[str]:
    """
    The same path in a form that is short enough for a unix socket, as long as the context lasts.

    On Linux, a long folder is opened and named by its file descriptor.

    :raises SocketUnusable: there is no short form
    :raises OSError: the folder cannot be opened
    """
    if len(os.fsencode(path)) <= LONGEST_PATH:
        yield str(path)
        return
    short = len(os.fsencode(path.name)) + len(str(_OPEN_FILES)) + 8
    if short > LONGEST_PATH or not _OPEN_FILES.is_dir():
        raise SocketUnusable(f"{path}: the path of a socket has {LONGEST_PATH} bytes at most; name a shorter one")
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield str(_OPEN_FILES / str(folder) / path.name)
    finally:
        os.close(folder)


def remove_stale(path: str) -> None:
    """
    Remove a socket that a process has left behind. Nothing happens if there is no file.

    :raises SocketUnusable: a process listens there, or the file is no socket
    """
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return
    if not S_ISSOCK(mode):
        raise SocketUnusable(f"{path}: this file is no socket; name another one")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
            return
        raise SocketUnusable(f"{path}: another process listens there")


def peer_user(one: socket.socket) -> int | None:
    """The user id of the process at the other end of a unix socket; `None`: the system does not report it."""
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    _, user, _ = struct.unpack("3i", one.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    return int(user)
