"""
Hosts that are started as `gamehost run` is, but altered: they have less than they need, or say more.

`HostProcess(module="tests.kit.altered_hosts:full_disk")` starts the one of this name. In it `GAMEHOST_ALTERED` is the name.
"""

import ctypes
import hashlib
import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

ALTERED: dict[str, Callable[[], None]] = {}


def altered(alter: Callable[[], None]) -> Callable[[], None]:
    ALTERED[alter.__name__] = alter
    return alter


# A host with a push service on this machine.


@altered
def pushes_to_this_machine() -> None:
    """It sends pushes to any endpoint, and a turn at once."""
    from gamehost.extras.notify import push
    from gamehost.lobby import notices

    vars(push)["only_at"] = lambda hosts: lambda endpoint: None
    notices.TURN_AFTER = 0.0


# Hosts with less than they need.

#: How many files `some_files` may open.
FILES = 192
#: Bytes: room for a new store and a few moves, and for nothing after that.
ROOM = 163_840
#: Where `counts_resources` writes.
COUNTS = "counts.json"


@altered
def few_files() -> None:
    """It may open few files, and believes that it may open many."""
    from gamehost.ops import watchdog

    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    watchdog.OTHER_FILES = -1000


@altered
def some_files() -> None:
    """It may open some files, and knows how many."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))


@altered
def full_disk() -> None:
    """It may write only small files. Python ignores SIGXFSZ, so that a write past the limit fails with EFBIG."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))


@altered
def no_executable_memory() -> None:
    """No memory is both written and executed, as in a sandbox; status 77: this system cannot do that."""
    set_mdwe, refuse_exec_gain = 65, 1
    if ctypes.CDLL(None).prctl(set_mdwe, refuse_exec_gain, 0, 0, 0) != 0:
        sys.exit(77)


@altered
def checks_late() -> None:
    """It checks one table before it opens its ports, and all others later, as with very many tables."""
    from gamehost.storage import contents

    contents.AT_START = 1


@altered
def behind_a_cable() -> None:
    """It is on a machine of its own: in a network name space. `GAMEHOST_SPACES` has the names, `GAMEHOST_PLACE` says which."""
    enter_name_space(os.environ["GAMEHOST_SPACES"].split(",")[int(os.environ["GAMEHOST_PLACE"])])


def enter_name_space(name: str) -> None:
    """Be in this network name space from now on, if the system lets us. No thread may have been started before."""
    clone_newnet = 0x40000000  # as linux/sched.h has it
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/run/netns", name).open() as space:
        if libc.setns(space.fileno(), clone_newnet):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


@altered
def counts_resources() -> None:
    """It counts its timers, tables, names and connections, and writes them into a file when it is signalled."""
    from gamehost.service import GameHostService

    start: Any = GameHostService.startService

    def start_and_count(self: GameHostService) -> None:
        start(self)

        def write_counts(number: int, frame: object) -> None:
            from twisted.internet import reactor

            counts = {
                "timers": len(reactor.getDelayedCalls()),
                "tables": len(self.context.lobby.tables),
                "names": len(self.context.lobby.registry),
                "connections": self.context.limiter.count,
            }
            Path(COUNTS + ".new").write_text(json.dumps(counts))
            os.replace(COUNTS + ".new", COUNTS)

        signal.signal(signal.SIGRTMIN, write_counts)

    GameHostService.startService = start_and_count  # type: ignore[method-assign]


@altered
def verbose_log() -> None:
    """
    It says all it can: calls that are late tell where they were made, and every so often a password cannot be worked on, so
    that a traceback is logged. For the search for passwords.
    """
    from twisted.internet import defer
    from twisted.internet.base import DelayedCall

    scrypt, calls = hashlib.scrypt, count(1)

    def fail_sometimes(*arguments: Any, **more: Any) -> bytes:
        if next(calls) % 13 == 0:
            raise MemoryError("planted")
        return scrypt(*arguments, **more)

    defer.setDebugging(True)
    DelayedCall.debug = True
    hashlib.scrypt = fail_sometimes


if __name__ == "__main__":
    from gamehost.__main__ import main

    ALTERED[os.environ["GAMEHOST_ALTERED"]]()
    main()
