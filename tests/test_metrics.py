"""The metrics: what the readers count, how they are served, and that rules and dashboards name only those that there are."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any, cast

from attrs import define
from prometheus_client import REGISTRY, generate_latest
from twisted.internet.defer import fail
from twisted.internet.endpoints import TCP4ServerEndpoint
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.logger import Logger, LogLevel, capturedLogs
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from gamehost.measures import SECONDS, SIZES, Histogram, MatchCounts
from gamehost.metrics.health import MOST_CONNECTIONS, HealthSite, HttpService
from gamehost.metrics.site import METRICS, MetricsSite, Values, family_of, new_registry
from gamehost.net.connection import KINDS
from gamehost.storage.durable import backlog_of
from gamehost.storage.memory import MemoryJournal
from gamehost.web.http import Access
from tests.kit.http_bounds import HttpBoundsContract
from tests.kit.memory_host import only_table
from tests.kit.pages import table
from tests.kit.reactors import Lines, MeasuredHost, samples, value
from tests.kit.sources import ROOT
from tests.kit.web_host import NAMED, SiteWorld, request


@define
class Counted:
    values: dict[str, Values]

    def of(self, name: str, *labels: str) -> float:
        found = self.values[name].get(labels, 0)
        assert not isinstance(found, Histogram)
        return found


class ValuesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.host = cast(Any, MeasuredHost())
        self.world = self.host.world

    def read(self) -> Counted:
        for metric in METRICS:
            for labels in metric.read(self.host):
                self.assertEqual(len(labels), len(metric.labels), metric.name)
        return Counted({metric.name: metric.read(self.host) for metric in METRICS})

    def test_a_match(self) -> None:
        ann, bob, cid = (self.world.connect() for _ in range(3))
        ann.say("LOGIN|ann")
        found = self.read()
        self.assertEqual(found.of("gamehost_waiting", "onitama"), 1)
        bob.say("LOGIN|bob")
        cid.say("LOGIN|bob", "nonsense", "nonsense")
        moves = 0
        for client in (ann, bob) * 4:
            client.say(f"MAKE_MOVE|{'|'.join(self.move())}", "MAKE_MOVE|nonsense|a1|a1")
            moves += 1
        found = self.read()
        self.assertEqual(found.of("gamehost_connections", "onitama"), 3)
        self.assertEqual(found.of("gamehost_connections_total", "onitama"), 3)
        self.assertEqual(found.of("gamehost_sessions", "onitama"), 2)
        self.assertEqual(found.of("gamehost_logins_total", "onitama", "guest", "accepted"), 2)
        self.assertEqual(found.of("gamehost_logins_total", "onitama", "guest", "refused"), 1)
        self.assertEqual(found.of("gamehost_tables", "onitama", "playing"), 1)
        self.assertEqual(found.of("gamehost_matches_begun_total", "onitama"), 1)
        self.assertEqual(found.of("gamehost_moves_total", "onitama", "onitama"), moves)
        self.assertEqual(found.of("gamehost_refusals_total", "onitama"), 3 + moves)
        ann.drop()
        bob.drop()
        found = self.read()
        self.assertEqual(found.of("gamehost_connections", "onitama"), 1)
        self.assertEqual((found.of("gamehost_sleeping_tables"), found.of("gamehost_names")), (1, 2))
        self.world.wait(60)
        self.world.wait(86_401)
        found = self.read()
        self.assertEqual(found.of("gamehost_matches_ended_total", "onitama", "archived"), 1)
        self.assertEqual(found.of("gamehost_hangups_total", "onitama", "login_deadline"), 1)

    def move(self) -> list[str]:
        master: Any = only_table(self.world)._master
        return str(next(master.position.moves())).split()

    def test_refused_connections(self) -> None:
        for _ in range(35):  # 20 are admitted, and fewer are told why they are not
            self.world.connect()
        found = self.read()
        refused = sum(self.host.context.limiter.refusals.values())
        self.assertGreater(refused, 0)
        self.assertEqual(found.of("gamehost_connections_refused_total", "address_rate"), refused)
        self.assertEqual(found.of("gamehost_connections_total", "onitama"), 35 - refused)

    def test_protocol_errors(self) -> None:
        for text in ("x" * 10_000, "y" * 10_000):
            self.world.connect().protocol.dataReceived(text.encode())
        found = self.read()
        hang_ups = {labels: number for labels, number in found.values["gamehost_hangups_total"].items() if number}
        self.assertEqual(hang_ups, {("onitama", "protocol"): 2})
        self.assertIn("protocol", KINDS)

    def test_a_store_in_memory_has_no_backlog(self) -> None:
        """So there is nothing to measure of it; another one says how far it is behind."""
        self.assertIsNone(backlog_of(MemoryJournal()))
        found = self.read()
        self.assertEqual(found.of("gamehost_journal_waiting_changes"), 0)
        self.assertNotIn((), found.values["gamehost_acknowledgement_seconds"])


#: Every label that there is. Each has few values: the names of wires, games, and words of the host.
LABELS = {"game", "identity", "kind", "phase", "reason", "result", "version", "wire"}


class NamesTests(SynchronousTestCase):
    def test_conventions(self) -> None:
        names = [metric.name for metric in METRICS]
        self.assertEqual(len(set(names)), len(names))
        for metric in METRICS:
            self.assertRegex(metric.name, r"^gamehost_[a-z]+(_[a-z]+)*$")
            self.assertEqual(metric.name.endswith("_total"), family_of(metric).type == "counter", metric.name)
            self.assertNotRegex(metric.name, r"(milli|ms_|_ms|kilo|count$|_sum$|_bucket$|info_)")
            self.assertRegex(metric.words, r"^[a-z0-9].*[^.]$")

    def test_labels(self) -> None:
        self.assertEqual({label for metric in METRICS for label in metric.labels}, LABELS)


class MetricsBoundsTests(HttpBoundsContract, SynchronousTestCase):
    path = "/metrics"

    def new_world(self) -> SiteWorld:
        self.host = cast(Any, MeasuredHost())
        return SiteWorld(MetricsSite(self.host, Access(NAMED)), self.host.world.clock)

    def test_metrics(self) -> None:
        self.host.world.connect()
        with capturedLogs() as events:
            answer = self.world.get("/metrics")
        self.assertEqual(events, [], "a request each minute would fill the log")
        self.assertEqual(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
        self.assertEqual(value(samples(answer.body.decode()), "gamehost_connections", wire="onitama"), 1)
        answer = self.world.get("/metrics", Accept="application/openmetrics-text; version=1.0.0")
        self.assertIn("application/openmetrics-text", answer.headers["content-type"])
        self.assertTrue(answer.body.endswith(b"# EOF\n"))

    def test_nothing_else(self) -> None:
        for path in ("/", "/other", "/metrics/x"):
            self.assertEqual(self.world.get(path).status, 404, path)

    def test_connections_are_few(self) -> None:
        """Whoever watches a host needs one or two, and the connections of players and pages are others."""
        clients = [self.world.connect() for _ in range(MOST_CONNECTIONS + 1)]
        self.world.until_idle()
        self.assertEqual([client.closed for client in clients], [False] * MOST_CONNECTIONS + [True])
        self.assertEqual(self.host.context.http_limiter.count, 0)
        clients[0].transport.hang_up()
        self.assertEqual(self.world.get("/metrics").status, 200)


class HealthBoundsTests(HttpBoundsContract, SynchronousTestCase):
    methods = ("GET", "HEAD", "OPTIONS")

    def new_world(self) -> SiteWorld:
        self.host = cast(Any, MeasuredHost())
        return SiteWorld(HealthSite(self.host, Access(NAMED)), self.host.world.clock)

    def test_health(self) -> None:
        """At any path; and as haproxy asks, without a name."""
        for data in (request("/", "OPTIONS", "HTTP/1.0", Host=""), request("/health")):
            answer, _ = self.ask(data)
            self.assertEqual((answer.status, answer.body), (200, b"players are served\n"))
        self.host.not_serving = "the host is busy"
        answer = self.world.get("/")
        self.assertEqual((answer.status, answer.body), (503, b"the host is busy\n"))
        client = self.world.connect()
        client.send(request("/", "HEAD"))
        head = client.transport.read()
        self.assertTrue(head.startswith(b"HTTP/1.1 503 Service Unavailable\r\n") and head.endswith(b"\r\n\r\n"))


class ServiceTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.host = cast(Any, MeasuredHost())
        self.reactor: Any = MemoryReactorClock()
        self.service = HttpService("metrics", "tcp:9108", TCP4ServerEndpoint(self.reactor, 9108), Access(), MetricsSite)
        self.lines = Lines()
        self.patch(HttpService, "log", Logger("test", observer=self.lines))

    def test_start_and_stop(self) -> None:
        self.assertIsNone(self.host.store.backlog.measures.acknowledged)
        self.service.start(self.host)
        self.assertEqual(self.lines.of(LogLevel.info), ["metrics listening on 0.0.0.0:9108"])
        self.assertIsNotNone(self.host.store.backlog.measures.acknowledged)
        [(_, factory, *_)] = self.reactor.tcpServers
        connection = factory.buildProtocol(None)
        connection.makeConnection(transport := StringTransport())
        self.successResultOf(self.service.stop())
        self.assertTrue(transport.disconnecting)
        self.successResultOf(self.service.stop())

    def test_a_port_in_use_is_named_and_the_host_goes_on(self) -> None:
        self.patch(self.service._endpoint, "listen", lambda factory: fail(OSError("planted")))
        self.service.start(self.host)
        words = "--metrics: cannot listen on tcp:9108: planted; this port is left out"
        self.assertEqual(self.lines.of(LogLevel.error), [words])
        self.successResultOf(self.service.stop())


class CollectorTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.host = cast(Any, MeasuredHost())
        backlog = self.host.store.backlog
        backlog.measures.acknowledged = Histogram()
        self.registry = new_registry(self.host)

    def read(self) -> str:
        return generate_latest(self.registry).decode()

    def test_every_metric_is_there(self) -> None:
        self.host.world.connect().say("LOGIN|ann")
        text = self.read()
        for metric in METRICS:
            self.assertIn(f"\n# TYPE {metric.name} {family_of(metric).type}\n", "\n" + text)
            self.assertIn(f"# HELP {metric.name} ", text)
        found = samples(text)
        self.assertEqual(value(found, "gamehost_sessions", wire="onitama"), 1)
        self.assertGreater(value(found, "process_resident_memory_bytes"), 1_000_000)

    def test_histogram(self) -> None:
        for seconds in (0.0001, 0.003, 0.003, 99.0):
            self.host.lag.observe(seconds)
        found = samples(self.read())
        name = "gamehost_reactor_lag_seconds"
        buckets = {bound: value(found, f"{name}_bucket", le=bound) for bound in ("0.0025", "0.005", "10.0", "+Inf")}
        self.assertEqual(buckets, {"0.0025": 1, "0.005": 3, "10.0": 3, "+Inf": 4})
        self.assertEqual(value(found, f"{name}_count"), 4)
        self.assertAlmostEqual(value(found, f"{name}_sum"), 99.0061)

    def test_players_have_no_time_series(self) -> None:
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


PAGE = (ROOT / "docs" / "metrics.rst").read_text("utf-8")
DASHBOARD = ROOT / "contrib" / "grafana" / "gamehost.json"
ALERTS = ROOT / "contrib" / "prometheus" / "alerts.yml"

PROCESS = {
    f"process_{name}"
    for name in ("cpu_seconds_total", "resident_memory_bytes", "virtual_memory_bytes", "open_fds", "max_fds")
} | {"process_start_time_seconds"}

#: Labels that Prometheus adds.
ADDED = {"instance", "job", "le", "alertname"}


def sample_names() -> set[str]:
    names = set(PROCESS)
    for metric in METRICS:
        suffixes = ("_bucket", "_sum", "_count") if family_of(metric).type == "histogram" else ("",)
        names.update(metric.name + suffix for suffix in suffixes)
    return names


def expressions() -> Iterator[tuple[str, str]]:
    dashboard = json.loads(DASHBOARD.read_text("utf-8"))
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["name"], variable["query"]["query"]
    for rule in ALERTS.read_text("utf-8").split("- alert: ")[1:]:
        found = re.search(r"expr: (?:>-\n)?((?:.*\n)+?) +(?:for|labels):", rule)
        assert found is not None, rule
        yield rule.split("\n")[0], found[1]


class UsedNamesTests(SynchronousTestCase):
    def test_expressions_use_metrics_that_exist(self) -> None:
        labels = {label for metric in METRICS for label in metric.labels} | ADDED
        known, used = sample_names(), set()
        for title, words in expressions():
            names = set(re.findall(r"\b(?:gamehost|process)_\w+", words))
            self.assertTrue(names or words.startswith("up{"), title)
            self.assertLessEqual(names, known, title)
            used |= names
            groups = {one.strip() for group in re.findall(r"by \(([^)]*)\)", words) for one in group.split(",")}
            selected = {one for one in re.findall(r"[{,](\w+)=~?\"", words)}
            self.assertLessEqual(groups | selected, labels, title)
        self.assertGreater(len(used), 30)

    def test_legends_use_labels_that_are_there(self) -> None:
        for panel in json.loads(DASHBOARD.read_text("utf-8"))["panels"]:
            for target in panel.get("targets", ()):
                for label in re.findall(r"{{(\w+)}}", target["legendFormat"]):
                    self.assertTrue(label == "instance" or re.search(rf"by \([^)]*\b{label}\b", target["expr"]), target)

    def test_reasons_in_alerts_exist(self) -> None:
        """A reason that no hang-up has would never be seen."""
        for reason in re.findall(r'reason="(\w+)"', ALERTS.read_text("utf-8")):
            self.assertIn(reason, KINDS)

    def test_the_dashboard_shows_every_metric(self) -> None:
        words = DASHBOARD.read_text("utf-8")
        shown = {metric.name for metric in METRICS if metric.name in words}
        self.assertEqual({metric.name for metric in METRICS} - shown, {"gamehost_journal_waiting_bytes"})


class PageTests(SynchronousTestCase):
    def test_table(self) -> None:
        rows = list(table(ROOT / "docs" / "metrics.rst", "metrics"))
        expected = [
            [
                f"``{metric.name}``",
                family_of(metric).type,
                ", ".join(f"``{label}``" for label in metric.labels),
                metric.words,
            ]
            for metric in METRICS
        ]
        self.assertEqual(rows, expected)

    def test_names(self) -> None:
        alerts = re.findall(r"- alert: (\w+)", ALERTS.read_text("utf-8"))
        self.assertEqual(len(re.findall("(?m)^ +description: .+", ALERTS.read_text("utf-8"))), len(alerts))
        for name in KINDS:
            self.assertIn(f"``{name}``", PAGE)


class RulesTests(SynchronousTestCase):
    def test_every_alert_is_complete(self) -> None:
        for rule in ALERTS.read_text("utf-8").split("- alert: ")[1:]:
            for part in ("expr: ", "severity: ", "summary: ", "description: "):
                self.assertEqual(rule.count(part), 1, rule)

    def test_promtool_accepts_them(self) -> None:
        promtool = shutil.which("promtool")
        if promtool is None:
            raise SkipTest("no promtool here")
        subprocess.run([promtool, "check", "rules", str(ALERTS)], check=True, capture_output=True, timeout=60)


# Counts and histograms.


class HistogramTests(SynchronousTestCase):
    def test_ranges(self) -> None:
        histogram = Histogram((1, 2))
        for number in (0, 1, 1.5, 2, 2.5, 100):
            histogram.observe(number)
        self.assertEqual((histogram.counts, histogram.total), ([2, 2, 2], 107.0))

    def test_many_at_once(self) -> None:
        one, other = Histogram(), Histogram()
        moments = [100.0, 100.25, 100.5, 100.75, 101.0]
        for moment in moments:
            one.observe(101.0 - moment)
        other.observe_since(moments, 101.0)
        self.assertEqual((one.counts, one.total), (other.counts, other.total))

    def test_bounds_are_ascending(self) -> None:
        for bounds in (SECONDS, SIZES):
            self.assertEqual(sorted(set(bounds)), list(bounds))


class MatchCountsTests(SynchronousTestCase):
    def test_one_count_for_each_wire_and_game(self) -> None:
        counts = MatchCounts()
        counts.moves_of("open", "onitama").value += 1
        counts.moves_of("open", "onitama").value += 1
        counts.moves_of("onitama", "onitama")
        self.assertEqual(
            {key: count.value for key, count in counts.moves.items()},
            {("open", "onitama"): 2, ("onitama", "onitama"): 0},
        )
