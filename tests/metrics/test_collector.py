"""The metrics as prometheus-client writes them: every name, buckets that add up, and a registry for each host."""

from prometheus_client import REGISTRY, generate_latest
from twisted.trial.unittest import SynchronousTestCase

from gamehost.measures import Histogram
from gamehost.metrics.readers import METRICS
from gamehost.metrics.site import new_registry
from tests.kit.measured import MeasuredHost, samples, value


class CollectorTests(SynchronousTestCase):
    """`gamehost.metrics.site`."""

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
