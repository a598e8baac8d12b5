"""
Finds the process at the other end of a connection. So the contest gives a seat only to its own program, and not to every
process that knows the player's name.

Linux lists the sockets of this machine in /proc/net, each with a number. It also lists the open files and sockets of each
process. Other systems do not show this, and some Linux systems hide the processes of other users.
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

#: How many characters of a command are shown.
SHOWN = 120
#: How an address of IPv4 begins in the list of sockets of IPv6.
_MAPPED = "0000000000000000FFFF0000"


class Owners:
    """Finds the processes of this machine that have a given connection open."""

    def number_of(self, transport: Any) -> int:
        """Returns the number of the socket at the other end of a connection; 0: that socket is closed."""
        here, there = transport.getHost(), transport.getPeer()
        return self.number_at(there, (here.host, here.port))

    def number_at(self, peer: Any, here: tuple[str, int]) -> int:
        """
        Returns the number of the socket at the other end of a connection that has no transport yet; 0: no process has
        it. See `Owners.number_of`.

        :param peer: the address of the other end
        :param here: the address and port of this end
        """
        return socket_number((peer.host, peer.port), here)

    def among(self, root: int, number: int) -> int | None:
        """
        Searches a process and all its descendants for a socket.

        :param root: the id of the process
        :param number: the number of the socket
        :returns: the id of the first process that has it; `None`: none of them has it
        """
        return next((pid for pid in family(root) if has_socket(pid, number)), None)

    def anywhere(self, number: int) -> int | None:
        """Returns the id of the first process of this machine that has a socket; `None`: none has, as far as can be seen."""
        return next((one.pid for one in running() if has_socket(one.pid, number)), None)

    def words(self, pid: int) -> str:
        """Returns the id and the command of a process, as a text for people."""
        command = b""
        with suppress(OSError):
            command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").strip()
        return f"process {pid}: {printable(command)[:SHOWN]}"


def owners_here() -> Owners | None:
    """
    Returns an object that finds the processes of connections; `None`: this machine does not show them. A connection of this
    process to itself is the test.
    """
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        # 0 or another process: this machine does not show sockets, or not correctly.
        number = socket_number(client.getsockname(), server.getsockname())
        return Owners() if number and has_socket(os.getpid(), number) else None


def socket_number(client: tuple[str, int], server: tuple[str, int]) -> int:
    """
    Returns the number of a client's socket; 0: no process has it.

    :param client: the address and port of the client, in IPv4
    :param server: the address and port to which the client is connected
    """
    with suppress(OSError, AttributeError):  # not every system can be asked for one socket
        return _asked(client, server)
    # Search the lists of all sockets instead. A socket of IPv6 may have a connection of IPv4.
    ends = [_written(client), _written(server)]
    # The first line names the columns. Columns 1 and 2 are the addresses of both ends, column 9 is the number.
    for name, before in (("tcp", ""), ("tcp6", _MAPPED)):
        wanted = [(before + end).encode() for end in ends]
        with suppress(OSError):
            for line in Path(f"/proc/net/{name}").read_bytes().splitlines()[1:]:
                fields = line.split()
                if fields[1:3] == wanted:
                    return int(fields[9])
    return 0


#: Constants of linux/netlink.h, linux/sock_diag.h and linux/inet_diag.h: the protocol, the type of requests and answers, and
#: the flag of a request. Then the format of a request's header, and the offset of the socket's number in an answer.
_SOCK_DIAG, _BY_FAMILY, _REQUEST = 4, 20, 1
_QUESTION = struct.Struct("=IHHII BBBxI")
_ANSWER_INODE = 84


def _asked(client: tuple[str, int], server: tuple[str, int]) -> int:
    """
    Asks the kernel for the number of a client's socket. This is quicker than `/proc/net`, which lists all sockets.

    :returns: 0: no process has the socket
    :raises OSError: the kernel does not answer such requests
    """
    # Make the request: a header, the ports and addresses of both ends (an IPv4 address takes the first 4 of 16 bytes),
    # any interface, and no cookie.
    end = struct.pack("!HH4s12x4s12x", client[1], server[1], *map(socket.inet_aton, (client[0], server[0])))
    about = (socket.AF_INET, socket.IPPROTO_TCP, 0, 0xFFFF_FFFF)
    question = _QUESTION.pack(_QUESTION.size + 48, _BY_FAMILY, _REQUEST, 1, 0, *about) + end + bytes(4) + b"\xff" * 8
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
        kernel.settimeout(1.0)
        kernel.send(question)
        answer = kernel.recv(4096)
    # Bytes 4 and 5 are the kind of the answer. An error has its code, which is negative, at byte 16.
    [kind] = struct.unpack_from("=H", answer, 4)
    if kind != _BY_FAMILY:
        [code] = struct.unpack_from("=i", answer, 16)
        if -code == ENOENT:
            return 0
        raise OSError(-code, "the kernel does not tell sockets")
    number: int = struct.unpack_from("=I", answer, _ANSWER_INODE)[0]
    return number


def _written(end: tuple[str, int]) -> str:
    """Returns an address and port in the format of /proc/net/tcp."""
    return f"{int.from_bytes(socket.inet_aton(end[0]), 'little'):08X}:{end[1]:04X}"


def has_socket(pid: int, number: int) -> bool:
    """Returns whether a process has a socket with this number. `False` also if this process may not see it."""
    wanted = f"socket:[{number}]"
    # The process may have ended, or may belong to another user.
    with suppress(OSError):
        for descriptor in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                if os.readlink(f"/proc/{pid}/fd/{descriptor}") == wanted:
                    return True
    return False


def family(root: int) -> Iterator[int]:
    """Yields the ids of a process and of all its descendants."""
    # The list grows while it is read.
    found = [root]
    for pid in found:
        yield pid
        for task in _tasks(pid):
            try:
                found += map(int, Path(f"/proc/{pid}/task/{task}/children").read_bytes().split())
            except OSError:
                if task in _tasks(pid):  # the thread still exists, so this Linux does not list children
                    yield from (one.pid for one in descendants(root, running()))
                    return


def _tasks(pid: int) -> list[str]:
    """Returns the ids of the threads of a process; empty if the process has ended."""
    with suppress(OSError):
        return os.listdir(f"/proc/{pid}/task")
    return []
