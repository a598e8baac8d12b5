"""A connection that is passed on, while members come and go."""

from typing import Any

from attrs import define, field
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.cluster.preamble import Preamble
from gamehost.cluster.relay import PAUSE, ClientSide, Relay, Relays
from gamehost.limits import Limits
from gamehost.net.limiter import ConnectionLimiter
from gamehost.storage.members import Member
from gamehost.testing.transport import StrictTransport


@define(eq=False)
class Network:
    """Members that answer when they are dialled, and members that never do."""

    clock: Clock
    silent: set[str]
    dialled: list[str] = field(factory=list)
    #: What each member that has answered was told.
    there: dict[str, StrictTransport] = field(factory=dict)

    def dial(self, address: str) -> Any:
        """An endpoint."""
        return _Endpoint(self, address)


@define(eq=False)
class _Endpoint:
    network: Network
    address: str

    def connect(self, factory: Any) -> Deferred[Any]:
        """Connect, or never."""
        self.network.dialled.append(self.address)
        if self.address in self.network.silent:
            return Deferred()
        protocol, transport = factory.buildProtocol(None), StrictTransport(self.network.clock)
        transport.protocol = protocol
        protocol.makeConnection(transport)
        self.network.there[self.address] = transport
        return succeed(protocol)


class RelayCase(SynchronousTestCase):
    """Two members, of which the first one does not answer."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.network = Network(self.clock, {"tcp:10.0.0.1:8990"})
        limiter = ConnectionLimiter(Limits(), 100)
        self.relays = Relays(self.network.dial, self.clock, limiter)
        self.members = [Member(number, "db", f"tcp:10.0.0.{number}:8990", f"token{number}") for number in (1, 2)]
        self.client = StrictTransport(self.clock)

    def begin(self) -> None:
        """Somebody is passed on to the leader."""
        preamble = Preamble("", "open", "192.0.2.1")
        relay = Relay(
            *(self.relays, lambda: self.members[0], preamble, bytearray(b"hi")),
            keep=lambda *kept: None,
            found=lambda: None,
            counted=False,
        )
        self.client.protocol = ClientSide(relay)
        self.client.protocol.makeConnection(self.client)


class DiallingTests(RelayCase):
    """The other member is gone before it has answered."""

    def test_a_member_that_never_answers(self) -> None:
        """When it is known that it does not live, the next one is dialled, and not when the time for an answer is over."""
        self.begin()
        del self.members[0]
        self.relays.cut_all_but({2})
        self.clock.advance(PAUSE)
        self.assertEqual(self.network.dialled, ["tcp:10.0.0.1:8990", "tcp:10.0.0.2:8990"])
        heard = self.network.there["tcp:10.0.0.2:8990"].read()
        self.assertIn(b'"token":"token2"', heard)
        self.assertTrue(heard.endswith(b"\nhi"))
        self.assertFalse(self.client.disconnected)

    def test_a_member_that_lives(self) -> None:
        """As long as it lives, it is waited for."""
        self.begin()
        self.relays.cut_all_but({1, 2})
        self.clock.advance(PAUSE)
        self.assertEqual(self.network.dialled, ["tcp:10.0.0.1:8990"])


class EndTests(RelayCase):
    """The member that passes connections on stops."""

    def test_what_was_said_goes_out(self) -> None:
        """The client hears the last words of the other member before the end, and that one those of the client."""
        self.network.silent.clear()
        self.begin()
        there = self.network.there["tcp:10.0.0.1:8990"]
        there.receive(b"bye")
        self.relays.close()
        self.clock.advance(0)
        self.assertTrue(self.client.disconnected and there.disconnected)
        self.assertFalse(self.client.aborted or there.aborted)
        self.assertEqual(self.client.read(), b"bye")
        self.assertTrue(there.read().endswith(b"\nhi"))

    def test_nobody_has_answered(self) -> None:
        """The client is disconnected, and nobody is dialled any more."""
        self.begin()
        self.relays.close()
        self.clock.advance(0)
        self.assertTrue(self.client.disconnected)
        self.assertEqual(self.clock.getDelayedCalls(), [])
