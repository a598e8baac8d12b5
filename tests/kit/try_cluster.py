"""
Three hosts on a PostgreSQL of their own, in one terminal, to try what happens when one of them is killed (`make cluster`).

They have the names that `gamehost admin cluster` gives them. Enter starts those again that have ended, also when all have.
`python -m tests.kit.try_cluster 1000` adds 1000 to all ports. Everything ends with Ctrl-C, and nothing is left behind. If all
hosts have ended and no input is left that could start one, it ends with status 1.
"""

import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import define, field

from gamehost.plugins import REGISTRY, WEB
from tests.kit.postgresql import PostgresServer, missing, new_server

HOSTS = 3

#: The ports of each host are those of the one before it plus this.
APART = 100

#: Seconds for a host to start, and to stop.
PATIENCE = 30.0

#: What ends everything.
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def ports(shift: int) -> Mapping[str, int]:
    """By the options of a host: its usual ports, plus so much."""
    usual = {wire.name: wire.endpoint for wire in REGISTRY.own} | {"web": WEB}
    return {name: int(endpoint.split(":")[1]) + shift for name, endpoint in usual.items()}


def options(number: int, shift: int, store: str, folder: Path) -> list[str]:
    """The command line of one host; the first one has number 0."""
    moved = f"--shift={shift + number * APART}"
    return [f"--store={store}", "--cluster=tcp:127.0.0.1:0", f"--admin={folder / f'{number + 1}.admin'}", moved]


def introduction(number: int, member: str, pid: int, shift: int) -> str:
    """Where to connect to one host, the member of this name."""
    here = ports(shift + number * APART)
    way = f"nc 127.0.0.1 {here['console']}    http://127.0.0.1:{here['web']}/"
    more = shift + number * APART
    others = f"the usual ports + {more}" if more else "the usual ports"
    return f"{member}  pid {pid}  {way}  other wires: {others}"


#: What a member says of the cluster; the last one is itself when it says so first.
_MEMBERS = re.compile(rb"members of the cluster: (?:.*, )?(\d+) \(([^,]*), ([^)]*)\)\s*$")


class TriedHost:
    """A host that writes its log into a file. `ended` is called in a thread when its process has ended."""

    def __init__(self, number: int, argv: Sequence[str], folder: Path, ended: Callable[["TriedHost"], None]) -> None:
        self.number = number
        self.log = folder / f"{number + 1}.log"
        self.last_line = ""
        #: As `gamehost admin cluster` shows it.
        self.member = ""
        self._ended = ended
        # The word that was waited for has come, or there will be none.
        self._settled = threading.Event()
        self._ready = False
        # In a session of its own: Ctrl-C is for this program, which then stops all hosts in order.
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gamehost", "run", *argv],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.log.open("wb") as log:
            for line in self.process.stdout:
                log.write(line)
                log.flush()
                self.last_line = line.decode("utf-8", "replace").strip()
                if not self.member and (found := _MEMBERS.search(line)) is not None:
                    self.member = "  ".join(part.decode() for part in found.groups())
                self._ready = self._ready or line.rstrip().endswith(b"gamehost ready")
                if self._ready and self.member:
                    self._settled.set()
        self.process.wait()
        self._settled.set()
        if self._ready and self.member:
            self._ended(self)

    def wait_until_ready(self) -> bool:
        self._settled.wait(PATIENCE)
        return self._ready and bool(self.member)

    @property
    def end(self) -> str:
        """How the process has ended."""
        status = self.process.wait()
        if status < 0:
            return f"was ended by {signal.Signals(-status).name}"
        return f"has ended with status {status}: {self.last_line}"

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()

    def wait(self) -> None:
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@define(eq=False)
class TriedCluster:
    """All hosts of one try."""

    shift: int
    store: str
    folder: Path
    say: Callable[[str], None]
    hosts: list[TriedHost] = field(factory=list)
    stopping: threading.Event = field(factory=threading.Event)
    #: No host is left, and none will be started.
    over: threading.Event = field(factory=threading.Event)
    _input_ended: bool = False
    _told: bool = False
    #: Each host ends in a thread of its own.
    _lock: Any = field(factory=threading.RLock)

    def start(self, number: int) -> bool:
        argv = options(number, self.shift, self.store, self.folder)
        with self._lock:
            host = TriedHost(number, argv, self.folder, self.ended)
            self.hosts[number : number + 1] = [host]
            self._told = False
        if host.wait_until_ready():
            self.say(introduction(number, host.member, host.process.pid, self.shift))
            return True
        self.say(f"host {number + 1} does not start: {host.last_line}")
        return False

    def start_again(self, lines: Iterable[str]) -> None:
        """At each line, start the hosts that have ended. When there are no more lines, nobody can start one."""
        for _ in lines:
            for host in tuple(self.hosts):
                if host.process.poll() is not None and not self.stopping.is_set():
                    self.start(host.number)
            self._look()
        self._input_ended = True
        self._look()

    def stop(self) -> None:
        self.stopping.set()
        for host in self.hosts:
            host.stop()
        for host in self.hosts:
            host.wait()

    def ended(self, host: TriedHost) -> None:
        """A host that was ready has ended: say how, and what can be done if it was the last one."""
        if not self.stopping.is_set():
            self.say(f"{host.member}  {host.end}")
        self._look()

    def _look(self) -> None:
        with self._lock:
            left = len(self.hosts) < HOSTS or any(one.process.poll() is None for one in self.hosts)
            if left or self.stopping.is_set() or self.over.is_set():
                return
            if self._input_ended:
                self.say("no host is left, and there is no input to start one: everything ends")
                self.over.set()
            elif not self._told:
                self.say("no host is left: Enter starts them again, Ctrl-C ends everything")
                self._told = True


def run(shift: int, say: Callable[[str], None], lines: Iterable[str]) -> int:
    """
    Start everything, and wait for Ctrl-C. A line starts hosts again that have ended.

    :returns: the exit status: 0 after Ctrl-C; 1 if a host does not start, or all have ended and there are no more lines
    """
    folder = Path(tempfile.mkdtemp(prefix="gamehost-cluster-"))
    server: PostgresServer | None = None
    tried: TriedCluster | None = None
    try:
        server = new_server()
        store = server.url(server.new_database("ENCODING 'UTF8' TEMPLATE template0"))
        tried = TriedCluster(shift, store, folder, say)
        say(f"PostgreSQL listens on 127.0.0.1:{server.port}. The logs of the hosts are in {folder}.")
        if not all(tried.start(number) for number in range(HOSTS)):
            return 1
        threading.Thread(target=tried.start_again, args=(lines,), daemon=True).start()
        pid = tried.hosts[0].process.pid
        say(f"Begin a match at one host, end a host with kill -9 {pid}, and go on at another one.")
        say(f"All members: {Path(sys.executable).parent}/gamehost admin --admin={folder}/2.admin cluster")
        say("Enter starts those again that have ended. Ctrl-C ends everything.")
        tried.over.wait()
        return 1
    except KeyboardInterrupt:
        return 0
    finally:
        for number in ENDS:
            signal.signal(number, signal.SIG_IGN)  # a second Ctrl-C changes nothing: the hosts stop in order
        if tried is not None:
            tried.stop()
        if server is not None:
            server.remove()
        shutil.rmtree(folder, ignore_errors=True)


def main(argv: Sequence[str]) -> int:
    """:param argv: how much is added to all ports; by default nothing"""
    why = missing()
    if why is not None:
        print(f"make cluster: {why}", file=sys.stderr)
        return 1
    for number in ENDS:
        signal.signal(number, signal.default_int_handler)
    return run(int(argv[0]) if argv else 0, lambda words: print(words, flush=True), sys.stdin)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
