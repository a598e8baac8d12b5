"""
A class of 200 behind one address, over real sockets: after kill -9 all are back in their seats within ten seconds.

Not part of the suite: `python -m twisted.trial tests.slow_class`. It takes half a minute.
"""

import sys
import time
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.process import HostProcess, Socket

PUPILS = 200
#: Seconds from the start of the process until the last one has its seat.
SECONDS = 10.0
#: As for anybody who runs a host; `HostProcess` lifts all limits by default.
OPTIONS = ("--profile=class", "--set=limits.unlimited=no", "--set=limits.keyless_resume_seconds=3")


class ClassTests(SynchronousTestCase):
    """All of them have accounts."""

    timeout = 180

    def setUp(self) -> None:
        self.folder = Path(self.mktemp())
        self.folder.mkdir()

    def host(self) -> HostProcess:
        return HostProcess(*OPTIONS, wires=["stratego-lines"], folder=self.folder, store="store.sqlite")

    def come(self, host: HostProcess) -> list[str]:
        """All log in at once; the colour of each, when the last one has a seat."""
        pupils: list[Socket] = []
        for number in range(PUPILS):
            pupil = host.connect("stratego-lines")
            pupil.socket.settimeout(60)
            pupil.say(f"pupil{number}", f"secret {number}")
            pupils.append(pupil)
        return [self.colour(pupil) for pupil in pupils]

    def colour(self, pupil: Socket) -> str:
        heard = [""]
        while not heard[-1].startswith("color "):
            heard.append(pupil.hear())
            self.assertTrue(heard[-1], f"the host has hung up after {heard}")
        return heard[-1]

    def test_two_hundred(self) -> None:
        """They open accounts in one lesson. The host is killed in the middle of their matches, and started again."""
        with self.host() as host:
            began = time.monotonic()
            colours = self.come(host)
            first = time.monotonic() - began
            host.kill()
        began = time.monotonic()
        with self.host() as host:
            ready = time.monotonic() - began
            self.assertEqual(self.come(host), colours, "everybody has the seat of before")
            seconds = time.monotonic() - began
        print(
            f"{PUPILS} players behind one address: new accounts and seats after {first:.1f} s; after kill -9 the host is ready "
            f"after {ready:.1f} s, and all are back in their seats after {seconds:.1f} s",
            file=sys.stderr,
        )
        self.assertLess(seconds, SECONDS)
