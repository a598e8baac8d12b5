"""
Hosts that are killed or stopped under play, on SQLite and PostgreSQL; one that a class comes back to; hosts that leak
passwords; power cuts: `python -m twisted.trial tests.slow_kills`, or a class of it.
"""

import os
import sys
import time
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit import opened_kills, slow_match_kills
from tests.kit.kills import OpenPair, kill_at_random, restart_under_play, stop_at_random
from tests.kit.offer_kills import OfferPair
from tests.kit.password_leaks import search
from tests.kit.postgresql import new_server, require_postgresql
from tests.kit.process import HostProcess, Socket
from tests.storage.test_damage import KillCase, cuts

# kill -9 on the open wire, and a host that answers too early.


class KillTests(SynchronousTestCase):
    """`tests.kit.kills`, and its teeth."""

    timeout = 600

    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def test_thirty_kills(self) -> None:
        self.assertGreater(kill_at_random(30, 2, self.folder, new_pair=OfferPair), 30)

    def test_thirty_kills_while_tables_wait(self) -> None:
        self.assertGreater(opened_kills.kill_at_random(30, 1, self.folder), 300)

    def test_thirty_kills_of_slow_matches(self) -> None:
        """Each host is some hours later than the one before, and in every third one deadlines count at once."""
        self.assertGreater(slow_match_kills.kill_at_random(30, 1, self.folder), 300)


# Ends by SIGTERM, and a host that ends badly.


class StopTests(SynchronousTestCase):
    timeout = 300

    def setUp(self) -> None:
        self.folder = Path(self.mktemp())
        self.folder.mkdir()

    def test_twenty_stops(self) -> None:
        done = stop_at_random(20, seed=1, folder=self.folder)
        self.assertEqual(done.times, 20)
        self.assertGreater(done.moves, 20)


# Kills and restarts under play on PostgreSQL, about two minutes. `make test-cluster` runs it.


KILLS, RESTARTS = int(os.environ.get("GAMEHOST_KILLS", "30")), int(os.environ.get("GAMEHOST_RESTARTS", "20"))


class PlayTests(SynchronousTestCase):
    timeout = 1800

    def setUp(self) -> None:
        require_postgresql()
        self.server = new_server()
        self.addCleanup(self.server.remove)
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def test_kills(self) -> None:
        store = self.server.url(self.server.new_database())
        self.assertGreater(kill_at_random(KILLS, 2, self.folder, new_pair=OpenPair, store=store), KILLS)

    def test_restarts(self) -> None:
        seen = restart_under_play(RESTARTS, 2, self.folder, self.server)
        self.assertGreater(seen.moves, RESTARTS)
        self.assertLess(seen.longest, seen.away + 2.0)


# The search for passwords, and hosts that leak them.


class CanaryTests(SynchronousTestCase):
    timeout = 300

    def test_nothing_is_found(self) -> None:
        """A thousand sessions, with faults among them whose tracebacks are searched too."""
        people, looked = search(1000, seed=1)
        self.assertGreater(min(people.heard["auth-ok"], people.heard["auth-err"]), 50)
        self.assertGreater(looked.faults, 0)


# A class of 200 behind one address, over real sockets: after kill -9 all are back in their seats within ten seconds.
#
# It takes half a minute.


PUPILS = 200
#: Seconds from the start of the process until the last one has its seat.
SECONDS = 10.0
#: As for anybody who runs a host; `HostProcess` lifts all limits by default.
OPTIONS = ("--profile=class", "--set=limits.unlimited=no", "--set=limits.keyless_resume_seconds=3")


class ClassTests(SynchronousTestCase):
    timeout = 180

    def setUp(self) -> None:
        self.folder = Path(self.mktemp())
        self.folder.mkdir()

    def host(self) -> HostProcess:
        return HostProcess(*OPTIONS, wires=["stratego-lines"], folder=self.folder, store="store.sqlite")

    def come(self, host: HostProcess) -> list[str]:
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


# A thousand kills and fifty thousand power cuts, some minutes.


class LongKillTests(KillCase):
    timeout = 1800

    def test_a_thousand_kills(self) -> None:
        for seed in range(40):
            self.kill(25, seed)


class LongPowerTests(SynchronousTestCase):
    timeout = 900

    def test_fifty_thousand_cuts(self) -> None:
        """Nothing lost, nothing damaged, always a beginning of what was sent."""
        self.assertEqual(cuts(50_000), {None: 50_000})
