"""
Isolates the programs of a contest: not at all, with a user of its own for each program, or with a sandbox of bubblewrap for
each program.

A sandbox has no network. It contains the folder of its program, and an empty folder to write to. A Unix socket of the
contest's host leads into the sandbox. A process in the sandbox copies the bytes between that socket and the port to which
the program connects. Each sandbox has its own socket, so the host knows from which program a connection comes.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from attrs import frozen

#: What each kind means, for people.
KINDS: Mapping[str, str] = {
    "none": "programs run with the rights of the owner of the contest: they can read and change all that the owner can",
    "user": "each program runs as a user of its own, who owns nothing; it has the network, and what everybody may read",
    "bubblewrap": "each program runs in a sandbox: it has no network but the host's port, and reads no files but its own",
}
#: The number of the user for the first entrant. The next entrants have the next numbers. Systems leave these numbers free for
#: temporary users.
FIRST_USER = 61_184
#: The paths of the system that all programs need: shells, interpreters, libraries, names of users.
SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/etc/ld.so.cache", "/etc/passwd"),
    *(
        "/etc/group",
        "/etc/nsswitch.conf",
        "/etc/hosts",
        "/etc/localtime",
        "/etc/ssl",
        "/etc/fonts",
        "/etc/java-17-openjdk",
    ),
)
#: Runs in a sandbox without network: starts the isolated program, listens on a port inside the sandbox, and passes bytes on
#: between this port and the host's Unix socket. Its arguments are the port, the path of the socket, and the command to run.
_CARRIER = """
import os, socket, sys, threading
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
if os.fork():
    server.close()
    try:
        os.execvp(sys.argv[3], sys.argv[3:])
    except OSError as error:
        print(f"{sys.argv[3]}: {error.strerror}", file=sys.stderr, flush=True)
        os._exit(127)
nothing = os.open(os.devnull, os.O_RDWR)
for number in range(3):
    os.dup2(nothing, number)
def carry(one, other):
    try:
        while data := one.recv(65536):
            other.sendall(data)
        other.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (one, other):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
while True:
    inner, _ = server.accept()
    outer = socket.socket(socket.AF_UNIX)
    try:
        outer.connect(sys.argv[2])
    except OSError:
        inner.close()
        continue
    for ends in ((inner, outer), (outer, inner)):
        threading.Thread(target=carry, args=ends, daemon=True).start()
"""


def why_not(kind: str) -> str | None:
    """
    Returns the reason why programs cannot be isolated in the given way on this machine; `None`: they can.

    :param kind: one of `KINDS`
    """
    if kind == "user":
        if os.geteuid() != 0:
            return "expected the rights of root for --isolate=user"
        return None if shutil.which("setpriv") else "expected the command setpriv, of util-linux, for --isolate=user"
    if kind == "bubblewrap":
        if not shutil.which("bwrap"):
            return "expected the command bwrap, of the package bubblewrap, for --isolate=bubblewrap"
        # A system may forbid sandboxes although the command is installed, so try one that does nothing.
        tried = subprocess.run([*_sandbox(), "--", "/bin/sh", "-c", ":"], capture_output=True, text=True, check=False)
        return f"bwrap cannot make a sandbox here: {tried.stderr.strip()}" if tried.returncode else None
    return None


@frozen
class Door:
    """The way by which a program in a sandbox reaches the host: it connects to a port, which leads to a Unix socket."""

    #: The port in the sandbox to which the program connects.
    port: int
    #: The path of the Unix socket.
    socket: str


@frozen
class Isolation:
    """
    Makes the commands that start programs in isolation.

    :param kind: one of `KINDS`
    :param readable: files and folders that all programs may read, besides those of the system
    """

    kind: str = "none"
    readable: Sequence[str] = ()

    def words(self, command: Sequence[str], entrant: int, door: Door | None) -> list[str]:
        """
        Returns a command that starts a program in isolation.

        :param command: the command of the program
        :param entrant: the number of the entrant, which decides the user of the program
        :param door: how a sandbox reaches the host; `None`: the program is checked before the contest, and reaches the
            checker's host by the network
        """
        if self.kind == "user":
            user = FIRST_USER + entrant
            return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs", "--", *command]
        if self.kind == "bubblewrap":
            # Show the program its own files, read-only, at the same paths as outside.
            read = (sys.base_prefix, *self.readable, *map(str, own_files(command)))
            bound = [word for path in read for word in ("--ro-bind-try", path, path)]
            # The current folder exists in the sandbox, but is empty, so relative paths mean the same.
            here = ["--dir", os.getcwd(), "--chdir", os.getcwd()]
            if door is None:
                return [*_sandbox(), "--share-net", *bound, *here, "--", *command]
            # The sandbox has no network, so the program reaches the host by `_CARRIER`. It starts the program, and passes
            # bytes on between a port inside the sandbox and the host's socket.
            words = [*_sandbox(), *bound, "--bind", door.socket, door.socket]
            carrier = [os.path.realpath(sys.executable), "-I", "-S", "-c", _CARRIER, str(door.port), door.socket]
            return [*words, *here, "--", *carrier, *command]
        return [*command]


def _sandbox() -> list[str]:
    """Returns the beginning of a command that starts a sandbox: no network, no rights, only the system's files."""
    bound = [word for path in SYSTEM for word in ("--ro-bind-try", path, path)]
    alone = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    return ["bwrap", *alone, *bound, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]


def own_files(command: Sequence[str]) -> Iterator[Path]:
    """
    Yields the paths that a program in a sandbox may read because its command names them: for each file its folder. If the
    file is in the current folder or in one above it, only the file itself, because that folder is not the program's.
    """
    here = Path.cwd()
    for word in command:
        path = (here / word).absolute()
        # Everything in `/usr` can be read anyway.
        if path.is_file() and not path.is_relative_to("/usr"):
            shared = path.parent in (here, *here.parents)
            yield path if shared else path.parent
