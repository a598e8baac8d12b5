"""The metrics by name: the conventions of Prometheus, and labels with few values."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.metrics.readers import METRICS, Kind

#: Every label that there is. Each has few values: the names of wires, games, and words of the host.
LABELS = {"game", "identity", "kind", "phase", "reason", "result", "version", "wire"}


class NamesTests(SynchronousTestCase):
    """How Prometheus wants names to be."""

    def test_conventions(self) -> None:
        """A prefix; counters end with `_total` and others do not; no name twice; units are base units."""
        names = [metric.name for metric in METRICS]
        self.assertEqual(len(set(names)), len(names))
        for metric in METRICS:
            self.assertRegex(metric.name, r"^gamehost_[a-z]+(_[a-z]+)*$")
            self.assertEqual(metric.name.endswith("_total"), metric.kind is Kind.COUNTER, metric.name)
            self.assertNotRegex(metric.name, r"(milli|ms_|_ms|kilo|count$|_sum$|_bucket$|info_)")
            self.assertRegex(metric.words, r"^[a-z0-9].*[^.]$")

    def test_labels(self) -> None:
        """No label is for a player or an address."""
        self.assertEqual({label for metric in METRICS for label in metric.labels}, LABELS)
