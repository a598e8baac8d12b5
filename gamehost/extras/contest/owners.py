"""
Finds the process at the other end of a connection. A seat belongs to a program, and not to anybody who knows its name.

Linux lists the sockets of this machine in /proc/net, each with a number, and the descriptors of each process. Other systems do
not show it, nor does a Linux that hides the processes of others.
"""

import os
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from errno import ENOENT
from pathlib import Path
from typing import Any

from gamehost.ops import printable
from gamehost.ops.workers import descendants, running

#: Characters of a command that are shown.
SHOWN = 120
#: How an address of IPv4 begins in the list of sockets of IPv6.
_MAPPED = "0000000000000000FFFF0000"


class Owners:
    """The connections of this machine, and the processes that have them."""

    def number_of(self, transport: Any) -> int:
        """The number of the socket at the other end of a connection; 0: that is closed."""
        here, there = transport.getHost(), transport.getPeer()
        return self.number_at(there, (here.host, here.port))

    def number_at(self, peer: Any, here: tuple[str, int]) -> int:
        """
        As `number_of`, for a connection that is not made yet.

        :param peer: its address
        :param here: the address and port to which it has come
        """
        return socket_number((peer.host, peer.port), here)

    def among(self, root: int, number: int) -> int | None:
        """The first of a process and all its descendants that has a socket; `None`: none has."""
        return next((pid for pid in family(root) if has_socket(pid, number)), None)

    def anywhere(self, number: int) -> int | None:
        """The first process of this machine that has a socket, as far as it can be seen."""
        return next((one.pid for one in running() if has_socket(one.pid, number)), None)

    def words(self, pid: int) -> str:
        """A process for people: its number and its command."""
        command = b""
        with suppress(OSError):
            command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").strip()
        return f"process {pid}: {printable(command)[:SHOWN]}"


def owners_here() -> Owners | None:
    """The reader of connections' users on this machine; `None`: the machine does not show them."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        number = socket_number(client.getsockname(), server.getsockname())
        return Owners() if number and has_socket(os.getpid(), number) else None


def socket_number(client: tuple[str, int], server: tuple[str, int]) -> int:
    """
    The number of a client's socket; 0: no process has it.

    :param client: its address and port, in IPv4
    :param server: those to which it is connected
    """
    with suppress(OSError, AttributeError):  # systems that have no such thing
        return _asked(client, server)
    ends = [_written(client), _written(server)]
    for name, before in (("tcp", ""), ("tcp6", _MAPPED)):
        wanted = [(before + end).encode() for end in ends]
        with suppress(OSError):
            for line in Path(f"/proc/net/{name}").read_bytes().splitlines()[1:]:
                fields = line.split()
                if fields[1:3] == wanted:
                    return int(fields[9])
    return 0


#: Of linux/netlink.h, linux/sock_diag.h and linux/inet_diag.h: the protocol, the type of question and answer, and a flag; the
#: head of a question, and where the number of the socket stands in its answer.
_SOCK_DIAG, _BY_FAMILY, _REQUEST = 4, 20, 1
_QUESTION = struct.Struct("=IHHII BBBxI")
_ANSWER_INODE = 84


def _asked(client: tuple[str, int], server: tuple[str, int]) -> int:
    """
    The same, from the kernel: the list of all sockets can be long.

    :raises OSError: the kernel does not answer such questions
    """
    end = struct.pack("!HH4s12x4s12x", client[1], server[1], *map(socket.inet_aton, (client[0], server[0])))
    about = (socket.AF_INET, socket.IPPROTO_TCP, 0, 0xFFFF_FFFF)
    question = _QUESTION.pack(_QUESTION.size + 48, _BY_FAMILY, _REQUEST, 1, 0, *about) + end + bytes(4) + b"\xff" * 8
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
        kernel.settimeout(1.0)
        kernel.send(question)
        answer = kernel.recv(4096)
    [kind] = struct.unpack_from("=H", answer, 4)
    if kind != _BY_FAMILY:
        [code] = struct.unpack_from("=i", answer, 16)
        if -code == ENOENT:
            return 0
        raise OSError(-code, "the kernel does not tell sockets")
    number: int = struct.unpack_from("=I", answer, _ANSWER_INODE)[0]
    return number


def _written(end: tuple[str, int]) -> str:
    return f"{int.from_bytes(socket.inet_aton(end[0]), 'little'):08X}:{end[1]:04X}"


def has_socket(pid: int, number: int) -> bool:
    """Whether a process has a socket, as far as this process may know it."""
    wanted = f"socket:[{number}]"
    with suppress(OSError):
        for descriptor in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                if os.readlink(f"/proc/{pid}/fd/{descriptor}") == wanted:
                    return True
    return False


def family(root: int) -> Iterator[int]:
    """A process and all that it has started. Not every Linux lists the children of a process."""
    found = [root]
    for pid in found:
        yield pid
        for task in _tasks(pid):
            try:
                found += map(int, Path(f"/proc/{pid}/task/{task}/children").read_bytes().split())
            except OSError:
                if task in _tasks(pid):  # it has not ended, so this Linux lists no children
                    yield from (one.pid for one in descendants(root, running()))
                    return


def _tasks(pid: int) -> list[str]:
    with suppress(OSError):
        return os.listdir(f"/proc/{pid}/task")
    return []
