"""
Where attackers come from, for `benchmarks.abuse`: addresses that are nobody's proxy, in a network name space of their own.

A host takes the addresses 127.0.0.0/8 for those of possible proxies, behind which are many clients, so some rates do not bind
them. Where the system permits no network, attackers come from these all the same.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from attrs import frozen
from twisted.trial.unittest import SkipTest

from tests.kit.altered_hosts import enter_name_space
from tests.kit.process import NameSpaces, ip


@frozen
class Network:
    """A network, as those in it see it."""

    #: The address of the machine with the hosts.
    host: str
    #: How the addresses of the others begin: two numbers of four.
    prefix: str
    #: Its name space; empty: that of this process.
    space: str = ""

    def enter(self) -> None:
        """Have this process be in it from now on. No thread may have been started before."""
        global _current
        if self.space:
            enter_name_space(self.space)
        _current = self


LOOPBACK = Network("127.0.0.1", "127.0")
_current = LOOPBACK


def connection(port: int, source: str, *options: tuple[int, int]) -> socket.socket:
    """
    A connection to this machine from one of the network's addresses, with socket options (of SOL_SOCKET).

    :param source: the last two numbers of the address
    """
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    for option, value in options:
        made.setsockopt(socket.SOL_SOCKET, option, value)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    made.settimeout(5)
    try:
        made.bind((f"{_current.prefix}.{source}", 0))
        made.connect((_current.host, port))
    except OSError:
        made.close()
        raise
    return made


@contextmanager
def strangers() -> Iterator[Network]:
    """
    A network whose addresses are nobody's proxy, or that of this machine where there can be no other. The addresses are those
    that RFC 2544 keeps for benchmarks.
    """
    space, link = f"ghattack{os.getpid()}", f"gha{os.getpid()}"
    with ExitStack() as stack:
        try:
            spaces = stack.enter_context(NameSpaces())
            spaces.add(space)
            spaces.link(link, "eth0", space)
            ip("address", "add", "198.18.0.1/16", "dev", link)
            ip("link", "set", link, "up")
            ip("-n", space, "address", "add", "198.18.0.2/16", "dev", "eth0")
            ip("-n", space, "link", "set", "eth0", "up")
            # All addresses of a network are the attackers' own.
            ip("-n", space, "route", "add", "local", "198.19.0.0/16", "dev", "lo")
            ip("route", "add", "198.19.0.0/16", "via", "198.18.0.2")
        except SkipTest as error:
            print(f"attackers come from 127.0.0.0/8, as proxies may: {error}")
            yield LOOPBACK
        else:
            yield Network("198.18.0.1", "198.19", space)
