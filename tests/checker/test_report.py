"""The four forms of a report say the same."""

import json
from xml.etree import ElementTree

from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker.check import Report
from gamehost.checker.report import FORMATS
from tests.checker.wires.onitama_clients import CountsFromTheTop, SoundClient
from tests.kit.checked_client import check


class ReportTests(SynchronousTestCase):
    """One report with breaches and one without."""

    breached: Report
    clean: Report

    def setUp(self) -> None:
        self.breached = check(CountsFromTheTop, ["first-mover", "wins"])
        self.clean = check(SoundClient, ["first-mover"])

    def test_text(self) -> None:
        """A table, then each finding with what to do."""
        text = FORMATS["text"](self.breached)
        self.assertTrue(text.startswith("BREACH   first-mover"))
        for words in (
            "BREACH: MakeMove was refused",
            "the document (Client, Make Move)",
            "what to do:",
            "client > MAKE_MOVE",
        ):
            self.assertIn(words, text)
        self.assertIn("1 pass", FORMATS["text"](self.clean))

    def test_json(self) -> None:
        """The keys that programs read."""
        data = json.loads(FORMATS["json"](self.breached))
        self.assertEqual(list(data), ["wire", "seed", "seconds", "clean", "scenarios", "findings"])
        self.assertEqual((data["wire"], data["clean"]), ("onitama", False))
        self.assertEqual(list(data["scenarios"][0]), ["name", "tries", "section", "verdict", "seconds"])
        finding = data["findings"][0]
        keys = ["grade", "title", "section", "happened", "expected", "do", "scenarios", "transcript"]
        self.assertEqual(list(finding), keys)
        self.assertEqual(list(finding["transcript"][0]), ["t", "from", "text", "meaning"])
        self.assertTrue(json.loads(FORMATS["json"](self.clean))["clean"])

    def test_junit(self) -> None:
        """Well-formed, with a failure for each breach."""
        suite = ElementTree.fromstring(FORMATS["junit"](self.breached))
        self.assertEqual((suite.tag, suite.get("tests")), ("testsuite", "2"))
        self.assertTrue(suite.findall("testcase/failure"))
        self.assertFalse(ElementTree.fromstring(FORMATS["junit"](self.clean)).findall("testcase/failure"))

    def test_html(self) -> None:
        """One page, with everything escaped that came from a client."""
        page = FORMATS["html"](self.breached)
        self.assertIn('<h3><span class="breach">breach</span>: MakeMove was refused', page)
        self.assertIn("MAKE_MOVE|", page)
        self.assertNotIn("client > M", page)
        self.assertNotIn("<script", page)

    def test_html_has_totals_on_top(self) -> None:
        """Before everything else."""
        page = FORMATS["html"](self.breached)
        totals = "<li>not clean</li><li>findings: 2 breach</li><li>2 scenarios: 2 breach</li>"
        self.assertLess(page.index(totals), page.index("<h2>"))
        self.assertIn("<li>clean</li>", FORMATS["html"](self.clean))

    def test_html_fits_a_telephone(self) -> None:
        """It is as wide as the screen, and a line that is wider is broken."""
        page = FORMATS["html"](self.breached)
        self.assertIn('<meta name="viewport" content="width=device-width,initial-scale=1">', page)
        for rule in ("overflow-wrap:anywhere", "pre{white-space:pre-wrap"):
            self.assertIn(rule, page)
