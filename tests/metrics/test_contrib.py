"""What is written about the metrics: the page, the dashboard and the alerts name those that exist, and the page names all."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from gamehost.metrics.readers import METRICS, Kind
from gamehost.net.connection import KINDS
from tests.kit.sources import ROOT

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
    """Every name that Prometheus knows after it has read a host."""
    names = set(PROCESS)
    for metric in METRICS:
        suffixes = ("_bucket", "_sum", "_count") if metric.kind is Kind.HISTOGRAM else ("",)
        names.update(metric.name + suffix for suffix in suffixes)
    return names


def expressions() -> Iterator[tuple[str, str]]:
    """The title and the text of everything that Prometheus is asked."""
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


class NamesTests(SynchronousTestCase):
    def test_expressions_use_metrics_that_exist(self) -> None:
        """And labels that these metrics have."""
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
        """A label in the legend is one by which the values are grouped."""
        for panel in json.loads(DASHBOARD.read_text("utf-8"))["panels"]:
            for target in panel.get("targets", ()):
                for label in re.findall(r"{{(\w+)}}", target["legendFormat"]):
                    self.assertTrue(label == "instance" or re.search(rf"by \([^)]*\b{label}\b", target["expr"]), target)

    def test_reasons_in_alerts_exist(self) -> None:
        """A reason that no hang-up has would never be seen."""
        for reason in re.findall(r'reason="(\w+)"', ALERTS.read_text("utf-8")):
            self.assertIn(reason, KINDS)

    def test_the_dashboard_shows_every_metric(self) -> None:
        """But for the version, and parts of others."""
        words = DASHBOARD.read_text("utf-8")
        shown = {metric.name for metric in METRICS if metric.name in words}
        self.assertEqual({metric.name for metric in METRICS} - shown, {"gamehost_journal_waiting_bytes"})


class PageTests(SynchronousTestCase):
    def test_table(self) -> None:
        """It has a row for each metric, in order, in the words of the help text."""
        rows = [
            [cell.strip() for cell in re.split(r"\n     -", row)]
            for row in re.findall(r"   \* - (``gamehost_\w+``(?:\n     -.*)+)", PAGE)
        ]
        expected = [
            [f"``{metric.name}``", metric.kind, ", ".join(f"``{label}``" for label in metric.labels), metric.words]
            for metric in METRICS
        ]
        self.assertEqual(rows, expected)

    def test_names(self) -> None:
        """The alerts, the reasons of hang-ups and the metrics of the process are all there."""
        alerts = re.findall(r"- alert: (\w+)", ALERTS.read_text("utf-8"))
        self.assertEqual(re.findall(r"(?m)^``(Gamehost\w+)``  ", PAGE), alerts)
        for name in (*KINDS, *PROCESS):
            self.assertIn(f"``{name}``", PAGE)


class RulesTests(SynchronousTestCase):
    def test_every_alert_is_complete(self) -> None:
        """It has an expression, a severity and words for people."""
        for rule in ALERTS.read_text("utf-8").split("- alert: ")[1:]:
            for part in ("expr: ", "severity: ", "summary: ", "description: "):
                self.assertEqual(rule.count(part), 1, rule)

    def test_promtool_accepts_them(self) -> None:
        """Where Prometheus is installed."""
        promtool = shutil.which("promtool")
        if promtool is None:
            raise SkipTest("no promtool here")
        subprocess.run([promtool, "check", "rules", str(ALERTS)], check=True, capture_output=True, timeout=60)
