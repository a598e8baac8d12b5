"""
Machines in one process tree: a network name space for each, and a switch between them whose cables can be pulled. Packets
are lost in silence then, as in a real network. Linux only, for root.
"""

import itertools
import os
import shutil
import subprocess
from collections.abc import Sequence

from attrs import define, field
from twisted.trial.unittest import SkipTest

_numbers = itertools.count()


def _ip(*words: str) -> None:
    """
    :raises SkipTest: the system does not let us
    """
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode:
        raise SkipTest(f"ip {' '.join(words)}: {done.stderr.strip()}")


@define(eq=False)
class Cables:
    """
    So many name spaces, and this process's own one, at one switch; a context manager.

    :raises SkipTest: on entering: this system has no such thing, or this user may not
    """

    machines: int
    names: list[str] = field(factory=list)
    _switch: str = ""
    _links: list[str] = field(factory=list)

    @property
    def own_address(self) -> str:
        """Of the name space that this process is in."""
        return "10.213.77.254"

    def address(self, machine: int) -> str:
        """Of one of the others."""
        return f"10.213.77.{machine + 1}"

    def __enter__(self) -> "Cables":
        if shutil.which("ip") is None or os.geteuid() != 0:
            raise SkipTest("network name spaces need Linux, the program `ip` and root")
        base = f"gh{os.getpid() % 100_000}{next(_numbers)}"
        try:
            self._switch = self._space(f"{base}s")
            _ip("-n", self._switch, "link", "add", "hub", "type", "bridge")
            _ip("-n", self._switch, "link", "set", "hub", "up")
            self._plug_in(f"{base}own", "own", None, self.own_address)
            for machine in range(self.machines):
                name = self._space(f"{base}m{machine}")
                self._plug_in(f"{base}c{machine}", f"port{machine}", name, self.address(machine))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc_info: object) -> None:
        for name in self._links:
            subprocess.run(["ip", "link", "delete", name], capture_output=True)
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True)

    def pull(self, machine: int) -> None:
        """Pull the cable of a machine."""
        _ip("-n", self._switch, "link", "set", f"port{machine}", "down")

    def plug(self, machine: int) -> None:
        """Plug it in again."""
        _ip("-n", self._switch, "link", "set", f"port{machine}", "up")

    def _space(self, name: str) -> str:
        _ip("netns", "add", name)
        self.names.append(name)
        _ip("-n", name, "link", "set", "lo", "up")
        return name

    def _plug_in(self, link: str, port: str, space: str | None, address: str) -> None:
        _ip("link", "add", link, "type", "veth", "peer", "name", port, "netns", self._switch)
        inside: Sequence[str] = () if space is None else ("-n", space)
        if space is None:
            self._links.append(link)
        else:
            _ip("link", "set", link, "netns", space)
        _ip(*inside, "address", "add", f"{address}/24", "dev", link)
        _ip(*inside, "link", "set", link, "up")
        _ip("-n", self._switch, "link", "set", port, "master", "hub")
        _ip("-n", self._switch, "link", "set", port, "up")
