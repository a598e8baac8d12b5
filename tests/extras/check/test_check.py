"""The check of a client: its command, its scenarios, its report."""

import io
import json
import sys
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.check.base import GENERAL, Grade, TranscriptLine, Verdict
from gamehost.extras.check.command import FORMATS, Progress, Report, chosen, counted, main, with_settings
from gamehost.ops.workers import filled_in, last_words
from gamehost.plugins import WIRES
from gamehost.wires.base import Wire
from tests.extras.check.wires.onitama_clients import CountsFromTheTop, SoundClient, TrailingSpace
from tests.kit.checker import CHECKS, check

#: What programs print at a crash, and what is said of it.
CRASHES = (
    (
        b"""move crab
thread 'main' (4242) panicked at src/main.rs:41:18:
called `Option::unwrap()` on a `None` value
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
""",
        "called `Option::unwrap()` on a `None` value, in main.rs, line 41",
    ),
    (
        b"""panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
panic({0x45e7a0?, 0xc000012345?})
\t/usr/local/go/src/runtime/panic.go:770 +0x132
main.card(...)
\t/home/ann/bot.go:12
main.main()
\t/home/ann/bot.go:40 +0x1d
exit status 2
""",
        "panic: runtime error: index out of range [5] with length 3, in bot.go, line 12",
    ),
    (
        b"""Exception in thread "main" java.lang.ArrayIndexOutOfBoundsException: Index 5 out of bounds for length 3
\tat java.base/java.util.Objects.checkIndex(Objects.java:385)
\tat Bot.card(Bot.java:12)
\tat Bot.main(Bot.java:40)
""",
        "java.lang.ArrayIndexOutOfBoundsException: Index 5 out of bounds for length 3, in Bot.java, line 12",
    ),
    (
        b"""/home/ann/bot.js:12
    cards.first.name
                ^

TypeError: Cannot read properties of undefined (reading 'name')
    at node:internal/util:7:1
    at Socket.<anonymous> (/home/ann/bot.js:12:17)
    at Socket.emit (node:events:514:28)

Node.js v20.11.0
""",
        "TypeError: Cannot read properties of undefined (reading 'name'), in bot.js, line 12",
    ),
)


class CheckTests(SynchronousTestCase):
    def test_chosen(self) -> None:
        checks = CHECKS["onitama"]
        names = [scenario.name for scenario in chosen(checks, [], False, False)]
        self.assertIn("first-mover", names)
        self.assertNotIn("own-drop", names)
        self.assertIn("own-drop", [scenario.name for scenario in chosen(checks, [], False, True)])
        self.assertEqual([scenario.name for scenario in chosen(checks, ["own-drop"], False, False)], ["own-drop"])
        self.assertRaises(KeyError, chosen, checks, ["nonsense"], False, False)

    def test_one_cause_is_one_finding(self) -> None:
        report = check(TrailingSpace, ["first-mover", "second-mover"])
        ((finding, names), *rest) = [one for one in report.findings if "MakeMove" in one[0].title]
        self.assertEqual((finding.grade, names, rest), (Grade.FRAGILE, ["first-mover", "second-mover"], []))
        self.assertEqual((report.clean, report.breached), (False, False))
        self.assertEqual(counted(report.outcomes), {Verdict.FRAGILE: 2})

    def test_the_worst_comes_first(self) -> None:
        report = check(CountsFromTheTop, ["first-mover"])
        self.assertTrue(report.breached)
        finding, _ = report.findings[0]
        self.assertIs(finding.grade, Grade.BREACH)
        self.assertEqual(finding.law.section, "Client, Make Move")
        self.assertIn("no piece of yours stands on the start square", finding.title)
        self.assertEqual(finding.transcript[-1].sender, "host")
        self.assertIn("no piece of yours", finding.transcript[-2].meaning)

    def test_a_scenario_that_is_played_again_has_another_seed(self) -> None:
        """And so another opponent; the first time does not depend on what else is played."""
        names = ["first-mover", "wins", "first-mover"]
        told = [[line.text for line in one.lines] for one in check(SoundClient, names, seed=3).outcomes]
        [alone] = check(SoundClient, ["first-mover"], seed=3).outcomes
        self.assertEqual(told[0], [line.text for line in alone.lines])
        self.assertNotEqual(told[0], told[2])

    def test_times_can_be_left_out(self) -> None:
        report = check(SoundClient, ["first-mover"])
        bare = report.without_times()
        self.assertGreater(report.seconds, 0)
        self.assertEqual((bare.seconds, bare.outcomes[0].seconds, bare.outcomes[0].lines[-1].t), (0.0, 0.0, 0.0))

    def test_every_wire_has_the_general_laws(self) -> None:
        for checks in CHECKS.values():
            self.assertLessEqual(set(GENERAL), set(checks.laws))


class CommandTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.out, self.err = io.StringIO(), io.StringIO()
        self.patch(sys, "stdout", self.out)
        self.patch(sys, "stderr", self.err)

    def ends(self, *arguments: str, wires: Sequence[Wire[Any]] = WIRES) -> Any:
        try:
            return main(arguments, wires, None)
        except SystemExit as end:
            return end.code

    def test_list(self) -> None:
        self.assertEqual(self.ends("onitama", "--list"), 0)
        for scenario in CHECKS["onitama"].scenarios:
            self.assertIn(f"{scenario.name:24} {scenario.tries}\n", self.out.getvalue())

    def test_list_for_servers(self) -> None:
        self.assertEqual(self.ends("onitama", "--server", "localhost:1", "--list"), 0)
        self.assertIn("returns-in-own-turn", self.out.getvalue())

    def test_mistakes(self) -> None:
        for arguments, words in (
            (("chess", "--wait"), "no wire 'chess'"),
            (("onitama",), "expected a COMMAND behind --, --wait or --server"),
            (("onitama", "--wait", "--", "bot"), "expected a COMMAND behind --, --wait or --server"),
            (("onitama", "--scenario", "nonsense", "--", "bot"), "no scenario 'nonsense'"),
            (("onitama", "--server", "localhost"), "expected --server HOST:PORT"),
            (("onitama", "--server", "localhost:1", "--set", "deal"), "--set NAME=VALUE"),
            (("onitama", "--set", "onitama.colour=1", "--", "bot"), "no setting 'onitama.colour=1'"),
            (("onitama", "--set", "onitama.deal", "--", "bot"), "no setting 'onitama.deal'"),
            (("onitama", "--set", "onitama.max_plies=x", "--", "bot"), "expected another value with --set"),
            (("onitama", "--server", "localhost:1", "--wait"), "expected a COMMAND behind --, --wait or --server"),
            (("onitama", "--server", "localhost:1", "--scenario", "nonsense"), "no scenario 'nonsense'"),
        ):
            self.assertEqual(self.ends(*arguments), 2)
            self.assertIn(words, self.err.getvalue())

    def test_settings_of_the_host_for_a_client(self) -> None:
        wire = next(one for one in WIRES if one.name == "stratego-lines")
        before = CHECKS[wire.name].scenarios
        after = with_settings(before, ["stratego.two_squares=0", "stratego.max_plies=7"], wire)
        for one, other in zip(before, after, strict=True):
            expected = {"stratego.two_squares": "0", "stratego.max_plies": "7", **one.settings}
            self.assertEqual(other.settings, expected)

    def test_a_wire_without_checks_of_servers(self) -> None:
        """The answer names those that have some: the wires of the four documents with few messages."""
        for wire in ("eriantys", "eriantys-java", "litama", "onitama-final", "open"):
            self.assertEqual(self.ends(wire, "--server", "localhost:1"), 2)
            expected = "checks of servers: onitama, paper-soccer, stratego-frames, stratego-lines"
            self.assertIn(f"gamehost: {wire} has checks of clients only ({expected})\n", self.err.getvalue())

    def test_progress(self) -> None:
        progress = Progress(1)
        progress.ended(check(SoundClient, ["wins"]).outcomes[0])
        self.assertEqual(self.err.getvalue(), "1/1 wins: ok\n")


class CommandWordsTests(SynchronousTestCase):
    def test_filled_in(self) -> None:
        values = {"port": "8893", "name": "ann"}
        self.assertEqual(
            filled_in(["bot", "--at={host}:{port}", "{name}{name}", "{x}"], values | {"host": "h"}),
            ["bot", "--at=h:8893", "annann", "{x}"],
        )

    def test_last_words(self) -> None:
        traceback = b"""connected
Traceback (most recent call last):
  File "/home/ann/bot.py", line 7, in <module>
    main()
  File "/home/ann/lib/reading.py", line 41, in read
    text = data.decode()
UnicodeDecodeError: 'utf-8' codec can't decode byte 0xc5 in position 41
"""
        expected = "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xc5 in position 41, in reading.py, line 41"
        self.assertEqual(last_words(traceback), expected)
        self.assertEqual(last_words(b"a\n\x1b[2Jlost\n\n"), "\\x1b[2Jlost")
        self.assertEqual(last_words(b""), "")

    def test_last_words_of_other_languages(self) -> None:
        """The line that says why, and the place in the program: not the calls behind it, nor lines of the runtime."""
        for printed, expected in CRASHES:
            with self.subTest(expected=expected):
                self.assertEqual(last_words(printed), expected)


class ReportTests(SynchronousTestCase):
    breached: Report
    clean: Report

    def setUp(self) -> None:
        self.breached = check(CountsFromTheTop, ["first-mover", "wins"])
        self.clean = check(SoundClient, ["first-mover"])

    def test_what_a_server_says_is_escaped(self) -> None:
        line = TranscriptLine(0.0, "host", "", "the host says: \x1b[2J")
        outcome = self.breached.outcomes[0]
        hostile = evolve(outcome, findings=(evolve(outcome.findings[0], happened="\x1b[2J", transcript=(line,)),))
        self.assertNotIn("\x1b", FORMATS["text"](evolve(self.breached, outcomes=(hostile,))))

    def test_text(self) -> None:
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
        suite = ElementTree.fromstring(FORMATS["junit"](self.breached))
        self.assertEqual((suite.tag, suite.get("tests")), ("testsuite", "2"))
        self.assertTrue(suite.findall("testcase/failure"))
        self.assertFalse(ElementTree.fromstring(FORMATS["junit"](self.clean)).findall("testcase/failure"))

    def test_html(self) -> None:
        page = FORMATS["html"](self.breached)
        self.assertIn('<h3><span class="breach">breach</span>: MakeMove was refused', page)
        self.assertIn("MAKE_MOVE|", page)
        self.assertNotIn("client > M", page)
        self.assertNotIn("<script", page)

    def test_html_has_totals_on_top(self) -> None:
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
