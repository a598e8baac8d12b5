"""The port for Prometheus: what it answers, a bounded number of connections, and a port in use."""

from typing import Any

from prometheus_client import REGISTRY, generate_latest
from twisted.internet.address import IPv4Address
from twisted.internet.defer import fail
from twisted.internet.endpoints import TCP4ServerEndpoint
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.logger import Logger, LogLevel, capturedLogs
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from gamehost.measures import Histogram
from gamehost.metrics.readers import METRICS
from gamehost.metrics.site import MOST_CONNECTIONS, MetricsService, new_factory, new_registry
from tests.kit.reactors import Lines, MeasuredHost, samples, value


class SiteTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.host = MeasuredHost()
        self.factory = new_factory(self.host)
        self.factory.doStart()
        self.addCleanup(self.factory.doStop)

    def connect(self) -> tuple[Any, StringTransport]:
        protocol: Any = self.factory.buildProtocol(IPv4Address("TCP", "192.0.2.1", 1))
        transport = StringTransport()
        if protocol is not None:
            protocol.makeConnection(transport)
        return protocol, transport

    def ask(self, words: str) -> tuple[str, str]:
        protocol, transport = self.connect()
        protocol.dataReceived(f"{words}\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        head, _, body = transport.value().decode().partition("\r\n\r\n")
        return head, body

    def test_metrics(self) -> None:
        """Plain text for people and older servers, and OpenMetrics for those that ask for it."""
        self.host.world.connect()
        with capturedLogs() as events:
            head, body = self.ask("GET /metrics HTTP/1.1")
        self.assertEqual(events, [], "a request each minute would fill the log")
        self.assertRegex(head, r"^HTTP/1.1 200 OK\r\n(.*\r\n)*Content-Type: text/plain; version=0.0.4; charset=utf-8")
        self.assertEqual(value(samples(body), "gamehost_connections", wire="onitama"), 1)
        head, body = self.ask("GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text; version=1.0.0")
        self.assertIn("Content-Type: application/openmetrics-text", head)
        self.assertTrue(body.endswith("# EOF\n"))

    def test_nothing_else(self) -> None:
        """No other address, and no other method."""
        for words, status in (("GET / HTTP/1.1", 404), ("GET /other HTTP/1.1", 404), ("POST /metrics HTTP/1.1", 405)):
            self.assertIn(f"HTTP/1.1 {status} ", self.ask(words)[0], words)

    def test_connections_are_bounded(self) -> None:
        """Too many at once get none; one that has gone makes room."""
        protocols = [self.connect()[0] for _ in range(MOST_CONNECTIONS)]
        self.assertIsNone(self.connect()[0])
        protocols[0].connectionLost(Failure(ConnectionDone()))
        self.assertIsNotNone(self.connect()[0])
        for protocol in protocols[1:]:
            protocol.connectionLost(Failure(ConnectionDone()))


class ServiceTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.host = MeasuredHost()
        self.reactor: Any = MemoryReactorClock()
        self.service = MetricsService("tcp:9108", TCP4ServerEndpoint(self.reactor, 9108))
        self.lines = Lines()
        self.patch(MetricsService, "log", Logger("test", observer=self.lines))

    def test_start_and_stop(self) -> None:
        """It says where it listens. From then on acknowledgements are measured. A stop closes the port."""
        self.assertIsNone(self.host.store.backlog.measures.acknowledged)
        self.service.start(self.host)
        self.assertEqual(self.lines.of(LogLevel.info), ["metrics listening on 0.0.0.0:9108"])
        self.assertIsNotNone(self.host.store.backlog.measures.acknowledged)
        [(_, factory, *_)] = self.reactor.tcpServers
        connection = factory.buildProtocol(None)
        connection.makeConnection(StringTransport())
        self.successResultOf(self.service.stop())
        self.assertTrue(connection.transport.disconnecting)
        self.successResultOf(self.service.stop())

    def test_port_in_use(self) -> None:
        """The log names it, and the host goes on."""
        self.patch(self.service._endpoint, "listen", lambda factory: fail(OSError("planted")))
        self.service.start(self.host)
        words = "--metrics: cannot listen on tcp:9108: planted; this port is left out"
        self.assertEqual(self.lines.of(LogLevel.error), [words])
        self.successResultOf(self.service.stop())


class CollectorTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.host = MeasuredHost()
        backlog = self.host.store.backlog
        backlog.measures.acknowledged = Histogram()
        self.registry = new_registry(self.host)

    def read(self) -> str:
        return generate_latest(self.registry).decode()

    def test_every_metric_is_there(self) -> None:
        """With its help text, its kind, and the names of its labels; and what is known of the process."""
        self.host.world.connect().say("LOGIN|ann")
        text = self.read()
        for metric in METRICS:
            self.assertIn(f"\n# TYPE {metric.name} {metric.kind}\n", "\n" + text)
            self.assertIn(f"# HELP {metric.name} ", text)
        found = samples(text)
        self.assertEqual(value(found, "gamehost_sessions", wire="onitama"), 1)
        self.assertGreater(value(found, "process_resident_memory_bytes"), 1_000_000)

    def test_histogram(self) -> None:
        """Each bucket has all values up to its bound; the last has all."""
        for seconds in (0.0001, 0.003, 0.003, 99.0):
            self.host.lag.observe(seconds)
        found = samples(self.read())
        name = "gamehost_reactor_lag_seconds"
        buckets = {bound: value(found, f"{name}_bucket", le=bound) for bound in ("0.0025", "0.005", "10.0", "+Inf")}
        self.assertEqual(buckets, {"0.0025": 1, "0.005": 3, "10.0": 3, "+Inf": 4})
        self.assertEqual(value(found, f"{name}_count"), 4)
        self.assertAlmostEqual(value(found, f"{name}_sum"), 99.0061)

    def test_players_have_no_time_series(self) -> None:
        """A thousand names and addresses make none; nor do texts that clients send."""
        self.host.world.connect().say("LOGIN|zzz")
        before = len(samples(self.read()))
        for number in range(300):
            client = self.host.world.connect(address=f"192.0.{number // 250}.{number % 250}")
            client.say(f"LOGIN|yvo{number}", f"nonsense{number}")
            if number % 3 == 0:
                client.drop()
        text = self.read()
        self.assertLess(len(samples(text)) - before, 12)
        self.assertNotRegex(text, r"yvo|192\.0|nonsense|zzz")

    def test_no_global_state(self) -> None:
        """Two hosts of one process do not meet, and the registry of the library is not used."""
        other = MeasuredHost()
        other.world.connect()
        self.assertEqual(value(samples(self.read()), "gamehost_connections", wire="onitama"), 0)
        self.assertNotIn("gamehost_", generate_latest(REGISTRY).decode())
