"""The port for Prometheus: one address, a bounded number of connections, and a port in use costs the metrics alone."""

from typing import Any

from twisted.internet.address import IPv4Address
from twisted.internet.defer import fail
from twisted.internet.endpoints import TCP4ServerEndpoint
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.logger import Logger, LogLevel, capturedLogs
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from gamehost.metrics.site import MOST_CONNECTIONS, MetricsService, new_factory
from tests.kit.logged import Lines
from tests.kit.measured import MeasuredHost, samples, value


class SiteTests(SynchronousTestCase):
    """Requests over a transport in memory."""

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
        """The head and the body of the answer."""
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
    """The part of a host that listens."""

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
