"""Where connections arrive at a member of a cluster, and connections between members: options, addresses, TLS at both ends."""

import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from attrs import evolve
from twisted.internet.address import IPv4Address
from twisted.internet.endpoints import HostnameEndpoint
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.cluster.front import Hop, InternalFactory, front_of, read_hop, relays_in
from gamehost.extras.cluster.relay import LONGEST, MOST_HOPS, PATIENCE, SOCKET, Preamble
from gamehost.journal.records import SeatRecord
from gamehost.net.endpoints import HEADER_SECONDS
from gamehost.net.limiter import HeaderLimiter
from gamehost.ops import SocketUnusable
from gamehost.plugins import WIRES as PLUGINS
from gamehost.settings import BadOption
from gamehost.testing.memory_host import StrictTransport
from tests.kit.memory_cluster import ClusterCase, MemberHost, World
from tests.kit.memory_host import Client
from tests.kit.web_host import WebHost
from tests.net.test_connection import SocketTransport

CONSOLE = "#wire console"

#: What a member that relays a client is told for it.
WAITING = b"\0\0\0\x0cWAITING|ann\n"


class FixedCase(ClusterCase):
    """The console is a wire that does not spread."""

    def setUp(self) -> None:
        start = World.start

        def fixed(world: World) -> MemberHost:
            host = start(world)
            factory = host.factories["console"]
            factory.wire = evolve(factory.wire, spreads=False)
            world.database.spreading = {wire.name for wire in PLUGINS if wire.name != "console"}
            return host

        self.patch(World, "start", fixed)
        super().setUp()

    def take_wire(self, host: MemberHost) -> None:
        """A member to which a client of the console comes first is the home of that wire."""
        client = host.connect("console")
        self.world.wait(0.3)
        client.drop()
        self.world.wait(0.3)
        self.assertEqual(self.homes(), {CONSOLE: host.registry.epoch})


class FrontTests(FixedCase):
    def test_passed_on(self) -> None:
        """Such a connection is at the home of its wire from its first byte, under the client's address, and ends with it."""
        self.take_wire(self.first)
        client = self.second.connect("console", "192.0.2.9")
        self.world.wait(0.1)
        [connection] = self.first.factories["console"].connections
        self.assertEqual(connection.address, "192.0.2.9")
        self.assertEqual(len(self.second.factories["console"].connections), 0)
        client.drop()
        self.world.wait(0.1)
        self.assertEqual(len(self.first.factories["console"].connections), 0)
        self.assertEqual([host.context.limiter.count for host in self.world.hosts], [0, 0])

    def test_a_client_that_vanishes(self) -> None:
        """The system finds that, as at a connection that is not passed on: the other member cannot."""
        transport = SocketTransport(self.second)
        front = front_of(self.second.cluster, self.second.factories["open"], self.second.factories["open"].wire.spreads)
        transport.protocol = front.buildProtocol(IPv4Address("TCP", "192.0.2.9", 1))
        transport.protocol.makeConnection(transport)
        self.addCleanup(transport.socket.close)
        self.assertTrue(transport.getTcpKeepAlive())
        for option, seconds in ((socket.TCP_KEEPIDLE, 8), (socket.TCP_USER_TIMEOUT, 16_000)):
            self.assertEqual(transport.socket.getsockopt(socket.IPPROTO_TCP, option), seconds)

    def test_the_first_member_that_has_a_client(self) -> None:
        """It has all clients of the wire as long as it lives, and relays none of its own."""
        for _ in range(2):
            self.second.connect("console")
            self.world.wait(0.3)
            self.assertEqual((self.second.cluster.relays_out, relays_in(self.second.cluster)), (0, 0))
        self.first.connect("console")
        self.world.wait(0.3)
        self.assertEqual((self.first.cluster.relays_out, relays_in(self.second.cluster)), (1, 1))

    def test_two_at_once(self) -> None:
        """Two clients come to two members in the same moment: one of these is the home."""
        clients = [host.connect("console") for host in self.world.hosts]
        self.world.wait(0.3)
        for client in clients:
            self.assertIn("gamehost:", "".join(client.heard()))
        self.assertEqual(sorted(len(host.factories["console"].connections) for host in self.world.hosts), [0, 2])

    def test_a_client_that_goes_at_once(self) -> None:
        """Then the wire has no home yet."""
        self.second.connect("console").drop()
        self.world.wait(0.3)
        self.take_wire(self.first)

    def test_tables_of_a_wire(self) -> None:
        """Whoever takes over a member with tables of a wire is its home, and a player who comes back finds the seat there."""
        third = self.world.join()
        ann = self.first.connect("console")
        self.world.wait(0.3)
        ann.say("name ann", "play onitama")
        self.world.wait(1)
        bob = self.log_in(self.second, "bob")
        self.world.wait(1)
        self.assertIn("START|", "".join(bob.heard()))
        self.first.kill()
        self.world.wait(1)
        heir = self.homes()[CONSOLE]
        self.assertEqual(self.homes(), {"ann": heir, "bob": heir, CONSOLE: heir})
        again = (self.second if heir == third.registry.epoch else third).connect("console")
        self.world.wait(0.5)
        again.say("name ann")
        self.world.wait(0.5)
        self.assertIn("your seat in match", "".join(again.heard()))

    def test_players_of_all_members_meet(self) -> None:
        """A player on the open wire, who came to one member, and one on Onitama's, who came to another one."""
        ann = self.second.connect("open")
        ann.say('{"do":"enter","name":"ann"}', '{"do":"seek","game":"onitama"}')
        self.world.wait(0.3)
        bob = self.log_in(self.second, "bob")
        self.assertIn("START|ann|bob", "".join(bob.heard()))
        self.assertEqual(self.homes(), {"ann": 2, "bob": 2})

    def test_who_waits_at_another_member_comes_to_the_home(self) -> None:
        """A player of a wire that does not spread cannot be moved, so the other one is, although he has waited longer."""
        self.take_wire(self.first)
        bob = self.log_in(self.second, "bob")
        self.second.connect("console").say("name ann", "play onitama")
        self.world.wait(1)
        self.assertIn("START|", "".join(bob.heard()))
        self.assertEqual(self.homes(), {"ann": 1, "bob": 1, CONSOLE: 1})

    def test_too_many(self) -> None:
        self.second.context.limiter.closed = "closed"
        self.assertTrue(self.second.connect("console").closed)
        self.assertEqual(self.second.cluster.relays_out, 0)


class HomeTests(FixedCase):
    def setUp(self) -> None:
        super().setUp()
        self.take_wire(self.first)

    def hear(self, client: Client) -> str:
        self.world.wait(1)
        return "".join(client.heard())

    def test_the_next_one(self) -> None:
        """Connections to the old home end, and new ones have another one."""
        client = self.second.connect("console")
        self.hear(client)
        self.first.kill()
        self.hear(client)
        self.assertTrue(client.closed)
        self.assertIn("gamehost:", self.hear(self.second.connect("console")))
        self.assertEqual((self.second.cluster.relays_out, self.second.context.limiter.count), (0, 1))

    def test_before_anybody_knows(self) -> None:
        """A connection that comes after the end of the home, and before that is known, waits for the next one."""
        third = self.world.join()
        self.first.kill()
        clients = [host.connect("console") for host in (self.second, third)]
        for client in clients:
            self.assertEqual(client.heard(), [])
        for client in clients:
            self.assertIn("gamehost:", self.hear(client))
        self.assertEqual(sum(len(host.factories["console"].connections) for host in (self.second, third)), 2)
        for client in clients:
            client.drop()
        self.world.wait(0.1)
        self.assertEqual([host.context.limiter.count for host in (self.second, third)], [0, 0])

    def test_it_hangs(self) -> None:
        """A connection that a home has accepted which hangs is cut, and the next one is at another member."""
        self.first.hang()
        client = self.second.connect("console")
        self.world.wait(5)
        self.assertTrue(client.closed)
        self.assertIn("gamehost:", self.hear(self.second.connect("console")))
        self.first.wake()
        self.world.wait(1)
        self.assertIn("taken the journal over", self.first.ended)

    def test_nobody_is_reached(self) -> None:
        self.world.apart.append({self.first, self.second})
        client = self.second.connect("console")
        self.world.wait(PATIENCE + 1)
        self.assertTrue(client.closed)
        self.assertEqual((self.second.cluster.relays_out, self.second.context.limiter.count), (0, 0))

    def test_two_deaths(self) -> None:
        """Two members end one after the other: whoever had a seat at the first one finds it at the third."""
        third = self.world.join()
        ann, bob = self.first.connect("open"), self.first.connect()
        ann.say('{"do":"enter","name":"ann"}', '{"do":"seek","game":"onitama"}')
        bob.say("LOGIN|bob")
        self.world.wait(0.3)
        self.first.kill()
        self.world.wait(0.3)
        self.second.kill()
        self.world.wait(2)
        self.assertIn('"table":1', "".join(third.connect("open").ask('{"do":"enter","name":"ann"}')))
        self.assertIn("RECONNECT", "".join(self.log_in(third, "bob").heard()))

    def test_it_comes_back_before_it_is_taken_over(self) -> None:
        """A member was cut off, and is back before anybody has taken it over: it has what it had."""
        third = self.world.join()
        self.patch(type(self.world.database), "take_over", lambda *dead: None)
        self.first.registry.lose_line()
        self.world.wait(1)
        self.assertEqual([one.epoch for one in third.cluster.members], [2, 3])
        self.first.registry.find_line()
        self.world.wait(1)
        self.assertEqual([one.epoch for one in third.cluster.members], [1, 2, 3])
        self.assertIn("gamehost:", self.hear(third.connect("console")))
        self.assertEqual(len(self.first.factories["console"].connections), 1)


class PagesTests(ClusterCase):
    def test_not_passed_on(self) -> None:
        """Every member answers the browsers that come to it."""
        site = WebHost(self.second).site
        self.assertIs(front_of(self.second.cluster, site, True), site)

    def test_a_socket_goes_to_another_member(self) -> None:
        """A browser plays with somebody of another member: its socket goes on there in the middle of the connection."""
        hosts = [WebHost(host) for host in self.world.hosts]
        for host in hosts:
            member: Any = host.host
            member.internal._factories = {**member.internal._factories, SOCKET: host.site}
        eve = self.second.connect("open")
        eve.say('{"do":"enter","name":"eve"}', '{"do":"seek","game":"onitama"}')
        self.world.wait(1)
        browser = hosts[0].browser()
        for line in ('{"do":"lobby","on":true}', '{"do":"enter","name":"ann"}', '{"do":"seek","game":"onitama"}'):
            browser.send(line.encode())
            self.world.wait(1)
        told = str(browser.told())
        self.assertIn("seated", told)
        self.assertIn("seated", "".join(eve.heard()))
        self.assertEqual({name: self.homes()[name] for name in ("ann", "eve")}, {"ann": 2, "eve": 2})
        browser.say(do="leave")
        self.world.wait(1)
        self.assertIn("over", str(browser.told()))


class InternalTests(FixedCase):
    def connect(self, address: str = "") -> StrictTransport:
        transport = StrictTransport(self.world.clock)
        protocol = self.second.internal.buildProtocol(IPv4Address("TCP", address, 1))
        transport.protocol = protocol
        protocol.makeConnection(transport)
        return transport

    def send(self, data: bytes = b"", wire: str = "onitama", **facts: Any) -> StrictTransport:
        token = self.second.registry.row.member.token
        transport = self.connect()
        transport.receive(Preamble(facts.pop("token", token), wire, "192.0.2.9", **facts).line() + data)
        self.world.wait(0.1)
        return transport

    def assert_refused(self, transport: StrictTransport) -> None:
        self.world.wait(0.1)
        self.assertEqual((transport.disconnected, transport.read()), (True, b""))
        self.assertEqual(self.second.context.limiter.count, 0)

    def test_a_client(self) -> None:
        transport = self.send(b"LOGIN|ann\n")
        self.assertEqual(transport.read(), WAITING)
        session = self.second.lobby.registry.get("ann")
        assert session is not None
        self.assertEqual(session.address, "192.0.2.9")
        self.assertEqual(relays_in(self.second.cluster), 1)

    def test_skipped(self) -> None:
        """What another member has handled is not handled again."""
        transport = self.send(b"HELLO\nHELLO\nLOGIN|ann\n", skip=2)
        self.assertEqual(transport.read(), WAITING)

    def test_in_pieces(self) -> None:
        token = self.second.registry.row.member.token
        transport = self.connect()
        for byte in Preamble(token, "onitama", "192.0.2.9").line() + b"LOGIN|ann\n":
            transport.receive(bytes([byte]))
        self.world.wait(0.1)
        self.assertEqual(transport.read(), WAITING)

    def test_others(self) -> None:
        """Who does not know the secret, comes too often or with no preamble, or wants no wire of this host, is refused."""
        self.assert_refused(self.send(b"LOGIN|ann\n", token="wrong"))
        self.assert_refused(self.send(b"LOGIN|ann\n", token="é"))
        self.assert_refused(self.send(b"LOGIN|ann\n", token="\u20ac"))
        self.assert_refused(self.send(b"LOGIN|ann\n", hops=MOST_HOPS + 1))
        self.assert_refused(self.send(b"LOGIN|ann\n", wire="chess"))
        for data in (b"LOGIN|ann\n", b"{" * (LONGEST + 1)):
            transport = self.connect()
            transport.receive(data)
            self.assert_refused(transport)
        self.assertEqual(self.homes(), {})

    def test_nothing_comes(self) -> None:
        """Without a preamble the connection ends after a while, and no timer is left of one that goes."""
        transport = self.connect()
        timers = len(self.world.clock.getDelayedCalls())
        gone = self.connect()
        gone.hang_up()
        self.assertEqual(len([one for one in self.world.clock.getDelayedCalls() if one.active()]), timers)
        self.world.wait(HEADER_SECONDS + 0.1)
        self.assert_refused(transport)

    def test_many_say_nothing(self) -> None:
        """They are counted, and who has waited longest makes room: at best one of the same address."""
        headers = self.second.internal.headers
        headers.most, headers.per_address = 3, 2
        silent = [self.connect(address) for address in ("10.0.0.2", "10.0.0.1", "10.0.0.1")]
        silent.append(self.connect("10.0.0.1"))
        self.assertEqual([one.aborted for one in silent], [False, True, False, False])
        silent.append(self.connect("10.0.0.3"))
        self.assertEqual([one.aborted for one in silent], [True, True, False, False, False])
        self.assertEqual(headers.count, 3)
        talking = self.send(b"LOGIN|ann\n")
        self.world.wait(HEADER_SECONDS + 0.1)
        self.assertEqual(talking.read(), WAITING)
        self.assertTrue(all(one.disconnected and one.read() == b"" for one in silent))
        self.assertEqual((headers.count, self.second.context.limiter.count), (0, 1))

    def test_it_stops(self) -> None:
        self.second.cluster.halted = True
        self.assert_refused(self.send(b"LOGIN|ann\n"))

    def test_a_wire_that_does_not_spread(self) -> None:
        """Whoever passes such a connection on has asked the database, and this member is the home from then on."""
        self.assertIn(b"gamehost:", self.send(wire="console").read())
        self.assertEqual((self.second.cluster.relays_out, self.homes()), (0, {CONSOLE: 2}))

    def test_an_adopted_player(self) -> None:
        record = SeatRecord("bob", "onitama", "192.0.2.9", False, "")
        transport = self.send(b"LOGIN|bob\nMAKE", skip=1, adopt=record)
        self.assertEqual(transport.read(), b"")
        self.assertEqual(self.homes(), {"bob": 2})
        self.world.wait(0.3)
        self.assertIn("bob", self.world.database.offers)
        transport.hang_up()
        self.world.wait(0.1)
        self.assertEqual((self.homes(), self.world.database.offers), ({}, {}))

    def test_an_adopted_player_that_is_lost(self) -> None:
        self.world.database.homes["bob"] = 2
        transport = self.send(adopt=SeatRecord("bob", "onitama", "192.0.2.9", False, ""), lost=True)
        self.assertEqual((transport.disconnected, self.homes()), (True, {}))


class EarlyTests(SynchronousTestCase):
    def test_it_is_not_read(self) -> None:
        """What comes before the host is ready waits in the system; a connection that goes is forgotten."""
        clock = Clock()
        nowhere: Any = None
        factory = InternalFactory(nowhere, clock, HeaderLimiter())
        transports = [StrictTransport(clock) for _ in range(2)]
        for transport in transports:
            protocol = factory.buildProtocol(None)
            transport.protocol = protocol
            protocol.makeConnection(transport)
            transport.receive(b"nonsense\n")
        transports[0].hang_up()
        self.assertFalse(transports[1].aborted)
        cluster: Any = None
        factory.open(cluster, {})
        clock.advance(0)
        self.assertTrue(transports[1].aborted)

    def test_silent_connections_keep_nobody_out(self) -> None:
        """Whoever has said nothing for the longest time makes room for the next one, from the same address or another."""
        clock, nowhere = Clock(), None
        headers = HeaderLimiter(most=20, per_address=10)
        factory = InternalFactory(cast(Any, nowhere), clock, headers)
        factory.open(cast(Any, object()), {})

        def come(host: str) -> StrictTransport:
            transport = StrictTransport(clock)
            protocol = factory.buildProtocol(IPv4Address("TCP", host, 1))
            transport.protocol = protocol
            protocol.makeConnection(transport)
            return transport

        flood = [come(f"192.0.2.{number % 8}") for number in range(1000)]
        self.assertLessEqual(headers.count, 20)
        for host in ("192.0.2.1", "198.51.100.7"):
            member = come(host)
            self.assertFalse(member.aborted)
            open_before = sum(not one.aborted for one in flood)
            member.receive(b"nonsense\n")  # it is read, as a preamble would be
            self.assertTrue(member.aborted)
            self.assertEqual(sum(not one.aborted for one in flood), open_before)
        clock.advance(60.0)
        self.assertEqual((headers.count, factory.silent), (0, {}))


try:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
    from OpenSSL import SSL

    from tests.kit.process import certificate, new_key, pem_key, write_folder, write_members
except ImportError:
    missing: str | None = "needs the extra tls"
else:
    missing = None


class End(Protocol):
    """One end of a connection. It says its words at once."""

    def __init__(self, words: bytes = b"") -> None:
        self._words = words
        self.heard = b""
        self.lost: Any = None

    def connectionMade(self) -> None:
        assert self.transport is not None
        self.transport.write(self._words)

    def dataReceived(self, data: bytes) -> None:
        self.heard += data

    def connectionLost(self, reason: Any = None) -> None:
        self.lost = reason.value


class HopCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.reactor: Any = MemoryReactorClock()

    def member(self, listener: str, address: str | None = None, authority: Path | None = None) -> Hop:
        return read_hop(self.reactor, listener, address, authority)

    def address(self, hop: Hop, end: End | None = None) -> str:
        """Have a member listen; what the others dial then."""
        factory = Factory.forProtocol(lambda: end or End())
        return hop.address(self.successResultOf(hop.listen(factory)))

    def refusal(self, *options: Any) -> str:
        return str(self.assertRaises(BadOption, self.member, *options))

    def connect(self, hop: Hop, address: str, words: bytes = b"") -> Any:
        """Dial: the factory that makes the client's end, with what was dialled."""
        self.dialling = End(words)
        hop.connect(address).connect(Factory.forProtocol(lambda: self.dialling))
        return (self.reactor.unixClients if address.startswith("unix:") else self.reactor.tcpClients).pop()


class AddressTests(HopCase):
    def test_tcp(self) -> None:
        """Of either family. What the others dial has the port that the system chose."""
        for listener, interface, dialled in (
            ("tcp:10.0.0.1:8990", "10.0.0.1", "tcp:10.0.0.1:8990"),
            ("tcp:[fd00::1]:8990", "fd00::1", "tcp:[fd00::1]:8990"),
        ):
            hop = self.member(listener)
            self.assertEqual(self.address(hop), dialled)
            self.assertEqual(self.reactor.tcpServers[-1][3], interface)
            self.assertEqual(self.connect(hop, dialled)[:2], (interface, 8990))
        chosen: Any = type("Port", (), {"getHost": lambda self: IPv4Address("TCP", "10.0.0.1", 4711)})()
        self.assertEqual(self.member("tcp:10.0.0.1:0").address(chosen), "tcp:10.0.0.1:4711")

    def test_address_for_the_others(self) -> None:
        """It says what they dial if they do not see the listener's own address. It may have a name."""
        hop = self.member("tcp:0.0.0.0:8990", "tcp:a.example.org:9000")
        self.assertEqual(self.address(hop), "tcp:a.example.org:9000")
        self.assertIsInstance(hop.connect("tcp:a.example.org:9000"), HostnameEndpoint)

    def test_all_addresses_of_the_machine(self) -> None:
        for listener in ("tcp:0.0.0.0:8990", "tcp:[::]:8990"):
            self.assertIn("add --cluster-address=", self.refusal(listener))
            self.assertIn("--cluster-address: expected tcp:HOST:PORT", self.refusal("tcp:10.0.0.1:1", listener))

    def test_refused(self) -> None:
        """The message names the option, and shows what was expected."""
        for listener, words in (
            ("", "--cluster: expected tcp:HOST:PORT, tls:FOLDER:HOST:PORT or unix:PATH, such as tcp:10.0.0.1:8990"),
            ("tcp:8990", "got 'tcp:8990'"),
            ("tcp:8990:interface=10.0.0.1", "expected tcp:HOST:PORT"),
            ("tcp:10.0.0.1:65536", "expected tcp:HOST:PORT"),
            ("tcp:a.example.org:8990", "expected an IP address of this machine, got 'a.example.org'"),
            ("tls:10.0.0.1:8990", "expected tcp:HOST:PORT, tls:FOLDER:HOST:PORT"),
            ("unix:here", "--cluster: expected unix: and an absolute path"),
            ("unix:/" + "x" * 103, "of 103 bytes at most"),
        ):
            self.assertIn(words, self.refusal(listener))
        for address in ("tcp:a.example.org:0", "a.example.org", "tls:/folder:a.example.org:1", "tcp:a b:1"):
            self.assertIn("--cluster-address: expected tcp:HOST:PORT", self.refusal("tcp:10.0.0.1:1", address))
        self.assertIn("expected tcp: as in --cluster", self.refusal("tcp:10.0.0.1:1", "tls:a.example.org:1"))

    def test_socket(self) -> None:
        """Members of one machine may use a socket that is for their user alone."""
        hop = self.member("unix:/run/gamehost/a.sock")
        self.assertEqual(self.address(hop), "unix:/run/gamehost/a.sock")
        self.assertEqual(self.reactor.unixServers[-1][3], 0o600)
        self.assertEqual(self.connect(hop, "unix:/run/gamehost/b.sock")[0], "/run/gamehost/b.sock")

    def test_socket_that_is_left_behind(self) -> None:
        """That of a killed process is replaced, and one that is in use is not."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = f"{folder.name}/a.sock"
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(path)
            left.listen()
            self.assertRaises(SocketUnusable, self.member(f"unix:{path}").listen, Factory())
        self.address(self.member(f"unix:{path}"))
        self.assertFalse(Path(path).exists())


class TLSCase(HopCase):
    skip = missing

    def setUp(self) -> None:
        super().setUp()
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        self.authority = folder / "ca.pem"
        self.one, self.other = folder / "one", folder / "other"
        write_members(self.authority, (self.one, "one.example", "10.0.0.1"), (self.other, "other.example", "10.0.0.2"))

    def members(self) -> tuple[Hop, Hop]:
        return tuple(  # type: ignore[return-value]
            self.member(f"tls:{folder}:{host}:8990", None, self.authority)
            for folder, host in ((self.one, "10.0.0.1"), (self.other, "10.0.0.2"))
        )

    def meet(self, server: Hop, client: Hop) -> tuple[End, End]:
        """Have one member dial the other one, and say something at once. Bytes pass until there are no more."""
        listening = End(b"hello")
        dialled = self.connect(client, self.address(server, listening), b"secret")
        pair = (self.reactor.tcpServers[-1][1], dialled[2])
        ends = [factory.buildProtocol(IPv4Address("TCP", "10.0.0.9", 1)) for factory in pair]
        lines: list[Any] = [StringTransport(), StringTransport()]
        for end, line in zip(ends, lines, strict=True):
            end.makeConnection(line)
        while any(line.value() for line in lines):
            for line, end in zip(lines, reversed(ends), strict=True):
                data = line.value()
                line.clear()
                if data:
                    end.dataReceived(data)
        for end, line in zip(ends, lines, strict=True):
            if line.disconnecting:
                end.connectionLost(None)
        return listening, self.dialling


class TLSTests(TLSCase):
    def test_both_hear_each_other(self) -> None:
        """With certificates for addresses, and for names."""
        one, other = self.members()
        named = self.member(f"tls:{self.one}:10.0.0.1:8990", "tls:one.example:8990", self.authority)
        self.assertEqual(self.address(one), "tls:10.0.0.1:8990")
        for server in (one, named):
            server_end, client_end = self.meet(server, other)
            self.assertEqual((server_end.heard, client_end.heard), (b"secret", b"hello"))

    def assert_secret(self, server: Hop, client: Hop, *words: str) -> End:
        """The member that is dialled hears nothing. The other one knows why."""
        with capturedLogs() as events:
            server_end, client_end = self.meet(server, client)
        self.assertEqual((server_end.heard, client_end.heard), (b"", b""))
        logged = "".join(map(formatEvent, events))
        for word in words:
            self.assertIn(word, str(client_end.lost))
            self.assertIn(word, logged)
        return server_end

    def test_certificate_for_another_host(self) -> None:
        """Its authority is not enough: the secret is not sent."""
        other = self.members()[1]
        for address in ("10.0.0.3", "two.example"):
            wrong = self.member(f"tls:{self.one}:10.0.0.1:8990", f"tls:{address}:8990", self.authority)
            self.assert_secret(wrong, other, f"the certificate is not for {address}")

    def test_certificate_of_another_authority(self) -> None:
        other = self.members()[1]
        write_members(self.authority, (self.one, "one.example", "10.0.0.1"))
        self.assert_secret(self.members()[0], other, "certificate verify failed")

    def test_member_without_a_good_certificate(self) -> None:
        one, _ = self.members()
        stranger = self.one.parent / "stranger"
        elsewhere = self.one.parent / "elsewhere.pem"
        write_members(elsewhere, (stranger, "stranger.example", "10.0.0.3"))
        elsewhere.write_bytes(self.authority.read_bytes())
        client = self.member(f"tls:{stranger}:10.0.0.3:8990", None, elsewhere)
        with capturedLogs() as events:
            server_end, _ = self.meet(one, client)
        self.assertEqual(server_end.heard, b"")
        self.assertIsInstance(server_end.lost, SSL.Error)
        [words] = map(formatEvent, events)
        self.assertRegex(words, r"\Ano TLS with a host that has connected: .*certificate verify failed\Z")

    def test_certificates_that_are_good_for_less(self) -> None:
        """One that is over is for nothing. One for servers alone does not dial, and one for clients alone is not dialled."""
        both = ((self.one, "one.example", "10.0.0.1"), (self.other, "other.example", "10.0.0.2"))
        for facts, word, is_dialled, dials in (
            ({"years": 1}, "certificate verify failed", False, False),
            ({"use": "server"}, "certificate verify failed", True, False),
            ({"use": "client"}, "certificate verify failed", False, True),
        ):
            write_members(self.authority, *both, **facts)
            for server, client, good in ((*self.members(), is_dialled), (*self.members()[::-1], dials)):
                with capturedLogs() as events:
                    server_end, _ = self.meet(server, client)
                logged = "".join(map(formatEvent, events))
                self.assertEqual((server_end.heard, word in logged), (b"secret", False) if good else (b"", True), facts)

    def test_a_certificate_as_its_own_authority(self) -> None:
        """That of a member signs no others: who has its key cannot make members."""
        one, _ = self.members()
        rogue = self.one.parent / "rogue"
        rogue.mkdir()
        made, key = new_key(), self.one / "privkey.pem"
        issuer = load_pem_private_key(key.read_bytes(), None)
        signed = certificate("rogue.example", made, "one.example", issuer, address="10.0.0.3")
        (rogue / "cert.pem").write_bytes(signed + (self.one / "cert.pem").read_bytes())
        (rogue / "privkey.pem").write_bytes(pem_key(made))
        (rogue / "privkey.pem").chmod(0o600)
        client = self.member(f"tls:{rogue}:10.0.0.3:8990", None, self.authority)
        with capturedLogs() as events:
            server_end, _ = self.meet(one, client)
        self.assertEqual(server_end.heard, b"")
        self.assertIn("certificate verify failed", "".join(map(formatEvent, events)))

    def test_no_downgrade(self) -> None:
        """A member with TLS dials nobody without it, nor the other way round; a socket of the machine is no network."""
        one, _ = self.members()
        plain = self.member("tcp:10.0.0.3:8990")
        refused = self.assertRaises(BadOption, one.connect, "tcp:10.0.0.3:8990")
        self.assertIn("this member uses TLS, and the other one does not", str(refused))
        refused = self.assertRaises(BadOption, plain.connect, "tls:10.0.0.1:8990")
        self.assertIn("the other member uses TLS, and this one does not", str(refused))
        one.connect("unix:/run/gamehost/b.sock")

    def test_new_certificates(self) -> None:
        """They are read at a SIGHUP, for both directions."""
        reloads: list[Callable[[], None]] = []
        listener = f"tls:{self.one}:10.0.0.1:8990"
        one = read_hop(self.reactor, listener, None, self.authority, reloads.append)
        write_members(self.authority, (self.one, "one.example", "10.0.0.1"), (self.other, "other.example", "10.0.0.2"))
        other = self.members()[1]
        self.assert_secret(one, other, "certificate verify failed")
        [reload] = reloads
        reload()
        for server, client in ((one, other), (other, one)):
            self.assertEqual(self.meet(server, client)[0].heard, b"secret")

    def test_refused(self) -> None:
        """Files that cannot be used, and options that do not fit."""
        listener = f"tls:{self.one}:10.0.0.1:8990"
        self.assertIn("--cluster: tls: needs --cluster-ca=FILE", self.refusal(listener))
        self.assertIn("--cluster-ca is for TLS", self.refusal("tcp:10.0.0.1:8990", None, self.authority))
        self.assertIn("ca.pem: No such file", self.refusal(listener, None, Path("/nowhere/ca.pem")))
        key = self.one / "privkey.pem"
        self.assertIn("privkey.pem: expected certificates in PEM", self.refusal(listener, None, key))
        self.assertIn("/nowhere: No such file", self.refusal("tls:/nowhere:10.0.0.1:8990", None, self.authority))
        write_folder(self.other)
        (self.other / "cert.pem").unlink()
        (self.other / "fullchain.pem").unlink()
        message = self.refusal(f"tls:{self.other}:10.0.0.1:8990", None, self.authority)
        self.assertIn("--cluster: ", message)
        self.assertIn("no certificate in its .pem files belongs to the private key", message)

    def test_without_the_extra(self) -> None:
        modules: dict[str, Any] = sys.modules
        self.addCleanup(modules.__setitem__, "gamehost.net.tls", modules["gamehost.net.tls"])
        modules["gamehost.net.tls"] = None
        message = self.refusal(f"tls:{self.one}:10.0.0.1:8990", None, self.authority)
        self.assertEqual(message, "--cluster: tls: needs pyOpenSSL: pip install 'Twisted[tls]'")
