"""A class behind one router: after a restart all players are back in their seats within ten seconds."""

from collections.abc import Callable
from typing import Any

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.proofs import MemoryProofs, ProvenLogins
from gamehost.limits import PROFILES
from tests.kit.memory_host import Client, MemoryHost

ROUTER = "192.0.2.1"
#: Seconds for one digest of a password. They are made one after the other.
DIGEST = 0.05
#: Seconds after which a client that was refused tries again.
AGAIN = 1.0


@define(eq=False)
class Pupil:
    """A client that comes back until it has its seat."""

    name: str
    wire: str
    host: MemoryHost
    #: When it has its seat, in seconds after it began.
    seated: float | None = None
    _client: Client | None = None
    _heard: list[str] = field(factory=list)
    #: What a guest gives behind the name; empty: no key.
    key: str = ""

    def come(self) -> None:
        """Connect and log in."""
        self._client = self.host.connect(self.wire, ROUTER)
        self._client.say(
            *([f"LOGIN|{self.name}{self.key}"] if self.wire == "onitama" else [self.name, f"secret of {self.name}"])
        )

    def look(self) -> None:
        """See whether the seat is there; if the host refused, come again later."""
        if self._client is None:
            return
        self._heard += self._client.heard()
        if any(line.startswith(("START", "RECONNECT", "color ")) for line in self._heard):
            self.seated = self.host.clock.seconds()
        elif self._client.closed:
            self._client = None
            self._heard.clear()
            self.host.clock.callLater(AGAIN, self.come)


class ClassTests(SynchronousTestCase):
    """Half of them have accounts, and play Stratego. The others are guests, and play Onitama."""

    def test_a_guest_who_drops(self) -> None:
        """The opponent has the same address. For strangers that is a reason not to give the seat back; in a class it is not."""
        for profile, answer in (("public", "ERROR"), ("class", "RECONNECT")):
            host = self.host(profile)
            ann, bob = (host.connect("onitama", ROUTER) for _ in range(2))
            ann.say("LOGIN|ann")
            bob.say("LOGIN|bob")
            ann.drop()
            [first, *_] = host.connect("onitama", ROUTER).ask("LOGIN|ann")
            self.assertTrue(first.startswith(answer), first)

    def host(self, profile: str, **more: Any) -> MemoryHost:
        hosts: list[MemoryHost] = []

        def digest(work: Callable[[], Any], done: Callable[[Any], None]) -> None:
            hosts[0].clock.callLater(DIGEST, lambda: done(work()))

        settings = {"limits.keyless_resume_seconds": "3"}
        settings |= {f"limits.{name}": text for name, text in PROFILES[profile].items()}
        hosts.append(MemoryHost(settings, worker=digest, **more))
        return hosts[0]

    def seconds(self, host: MemoryHost, pupils: int, key: str = "") -> float:
        """All come at once. After how many seconds the last one has a seat."""
        wires = ("onitama", "stratego-lines")
        those = [Pupil(f"{wire[0]}{number}", wire, host, key=key) for wire in wires for number in range(pupils // 2)]
        for one in those:
            one.come()
        while any(one.seated is None for one in those) and host.clock.seconds() < 30:
            host.wait(DIGEST)
            for one in those:
                if one.seated is None:
                    one.look()
        times = [one.seated for one in those if one.seated is not None]
        self.assertEqual(len(times), pupils, "not everybody has a seat after 30 seconds")
        return max(times)

    def back(self, profile: str, pupils: int, proofs_are_kept: bool = True, key: str = "") -> float:
        """After a restart in the middle of all matches: how many seconds until everybody is back."""
        kept = MemoryProofs()

        def proven() -> ProvenLogins:
            return ProvenLogins(b"key", kept if proofs_are_kept else MemoryProofs())

        first = self.host(profile, proven=proven())
        self.seconds(first, pupils, key)
        again = self.host(profile, journal=first.journal.restarted(), proven=proven())
        self.assertEqual(len(again.unfinished), pupils // 2)
        return self.seconds(again, pupils, key)

    def test_two_hundred(self) -> None:
        """With the profile for a class nobody is refused, and no password that was proved before waits for its digest."""
        self.assertLess(self.back("class", 200), 1)

    def test_a_class_of_thirty_two(self) -> None:
        """The limits for strangers fit it, if guests have keys: who is refused comes again a second later."""
        self.assertLess(self.back("public", 32, key=":secret"), 10)

    def test_without_proofs(self) -> None:
        """After a restart without proofs every password is hashed again, one after the other: a hundred take seconds."""
        self.assertGreater(self.back("class", 200, proofs_are_kept=False), 99 * DIGEST)
