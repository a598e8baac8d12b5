"""
What a process needs for its operation: the log, the watchdog, systemd, the circuit breaker for games, and worker
threads and processes. The functions in this file import nothing of Twisted, so that short commands can use them. Some
make foreign text safe for a line of a log or of a terminal. Others are about unix sockets: paths of any length, and the
user at the other end.
"""

import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISSOCK

#: How many characters of a long text are shown.
MOST_SHOWN = 1_000


#: The message about a text that `is_text` refuses.
NO_TEXT = "expected letters; does your terminal use another encoding than its locale names?"


def is_text(text: str) -> bool:
    """
    Whether a text can be written in UTF-8. Python replaces bytes of a command line that do not fit the locale's
    encoding by characters that cannot.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def escaped(text: str) -> str:
    """A text in which each character that is not printable is replaced by an escape, such as `\\n` or `\\x1b`."""
    if not text.isprintable():
        for one in set(text):
            if not one.isprintable():
                # Without the quotes that `ascii` puts around the escape.
                text = text.replace(one, ascii(one)[1:-1])
    return text


def shortened(text: str) -> str:
    """A text, without its middle part if it is longer than `MOST_SHOWN` characters."""
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN // 2]} ... {text[-MOST_SHOWN // 2 :]}"


#: How many characters of a message, or of a line of a program, are shown.
LONGEST = 400


def printable(data: bytes) -> str:
    """Bytes as one line of text, with escapes for control characters, of at most about `LONGEST` characters."""
    shown = escaped(data[: 4 * LONGEST + 4].decode("utf-8", "backslashreplace").strip("\r\n"))
    return shown if len(shown) <= LONGEST else shown[:LONGEST] + "..."


#: The length of a unix socket's path that all systems accept, in bytes.
LONGEST_PATH = 103

#: The folder in which Linux shows the open files of this process.
_OPEN_FILES = Path("/proc/self/fd")


class SocketUnusable(Exception):
    """A socket in the file system cannot be used. The message says why, and what can be done."""


@contextmanager
def short_path(path: Path) -> Iterator[str]:
    """
    A context that gives a path in a form that is short enough for a unix socket. On Linux, a long folder is opened, and
    replaced in the path by its file descriptor.

    :raises SocketUnusable: there is no short form of this path
    :raises OSError: the folder cannot be opened
    """
    if len(os.fsencode(path)) <= LONGEST_PATH:
        yield str(path)
        return
    # 8 bytes for two slashes and the number of the file descriptor.
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
    Remove a socket that an ended process has left behind. Nothing happens if there is no file.

    :raises SocketUnusable: a process listens on the socket, or the file is no socket
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
            # Nobody listens: the process with this socket has ended.
            os.unlink(path)
            return
        raise SocketUnusable(f"{path}: another process listens there")


def peer_user(one: socket.socket) -> int | None:
    """The user id of the process at the other end of a unix socket; `None`: the system does not report it."""
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    # The system gives three numbers: process, user and group.
    _, user, _ = struct.unpack("3i", one.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    return int(user)
