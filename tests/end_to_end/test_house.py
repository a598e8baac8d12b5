"""House players as processes: on every wire, killed in the match, and with a host that is killed."""

import os
import select
import signal
import subprocess
import time
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.play import new_player
from gamehost.players.base import Level, Player
from gamehost.programs.wire_player import WirePlayer
from tests.kit.players import WIRES, client_codec_of, program_of
from tests.kit.process import HostProcess, Socket

#: Seconds until a house player is back after it was killed. It takes less than 2 on a machine with nothing else to do.
BACK_WITHIN = 30.0


def house_process(host: HostProcess) -> int:
    """The number of the process of the house players."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    [child] = [int(pid) for pid, parent in map(str.split, listed.splitlines()) if int(parent) == host.process.pid]
    return child


class Person:
    """A random player on a real connection."""

    def __init__(self, wire: str) -> None:
        self.wire = wire
        first, _, second = wire.partition("-")
        self.name = first + second[:1]
        self.result: str | None = None
        self.acted = 0

    def new_player(self, game: str, seat: Seat) -> Player:
        return new_player(game, seat, Level.RANDOM, 1)

    def connect(self, host: HostProcess) -> None:
        """A new connection, and a program that knows nothing."""
        password = "" if self.wire == "open" else "secret secret"
        self.program: WirePlayer = program_of(self.wire, self.name, password, self.new_player)
        self.codec: Any = client_codec_of(self.wire)
        self.socket: Socket = host.connect(self.wire)
        self.say(self.program.begin())

    def say(self, messages: Any) -> None:
        self.socket.socket.sendall(b"".join(map(self.codec.encode, messages)))

    def hear(self) -> None:
        """Hear what has come, and answer."""
        said: list[Any] = []
        for message in self.codec.feed(self.socket.socket.recv(65_536)):
            said += self.program.hear(message)
            self.result = self.result or self.program.result
        if self.result is None:
            thought = self.program.think()
            self.acted += bool(thought)
            self.say([*said, *thought])


def play(people: list[Person], acts: int) -> None:
    """Until everybody has acted so many times more, or knows the end."""
    goals = {person.wire: person.acted + acts for person in people}
    deadline = time.monotonic() + BACK_WITHIN
    while waiting := [one for one in people if one.result is None and one.acted < goals[one.wire]]:
        ready, _, _ = select.select([one.socket.socket for one in waiting], [], [], 1.0)
        for person in waiting:
            if person.socket.socket in ready:
                person.hear()
                deadline = time.monotonic() + BACK_WITHIN
        assert time.monotonic() < deadline, f"nothing happens on {', '.join(one.wire for one in waiting)}"


class HouseTests(SynchronousTestCase):
    """One host, and people on all wires."""

    def test_all_wires(self) -> None:
        """Everybody gets an opponent, who is back after `kill -9` of its process and of the host; then the match ends."""
        wires = list(WIRES)
        options = ("--house=0.2", "--house-level=random", "--resume=any")
        with HostProcess(*options, wires=wires, store="store.sqlite") as host:
            people = [Person(wire) for wire in wires]
            for person in people:
                person.connect(host)
            play(people, 2)
            killed = house_process(host)
            os.kill(killed, signal.SIGKILL)
            play(people, 2)
            self.assertNotEqual(house_process(host), killed)
            host.kill()
            with HostProcess(*options, wires=wires, store="store.sqlite", folder=host.folder) as again:
                for person in people:
                    person.socket.close()
                    person.connect(again)
                play(people, 3)
                to_end = [person for person in people if not person.wire.startswith("stratego")]
                play(to_end, 500)
                self.assertEqual([person.result is None for person in to_end], [False] * len(to_end))
                child = house_process(again)
                for person in people:
                    person.socket.close()
                again.stop()
                self.assertRaises(ProcessLookupError, os.kill, child, 0)
            self.assertFalse((host.folder / "store.sqlite-house").exists())
