"""What is checked before a contest begins: a line for each program, and no program is left."""

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from gamehost.extras.contest import entry
from gamehost.extras.contest.contest import ContestError
from gamehost.extras.contest.entry import EntryCheck
from gamehost.extras.contest.isolation import FIRST_USER, Isolation, why_not
from gamehost.extras.contest.plan import PERSON, Entrant, Plan
from gamehost.plugins import REGISTRY

BREACH = {"grade": "breach", "title": "it sends nonsense", "section": "Moves"}


class FakeChecks:
    """What stands for `gamehost check`: a process that has ended with findings, by the last word of its command."""

    def __init__(self, findings: dict[str, Any]) -> None:
        self._findings = findings
        self.words: list[list[str]] = []

    def __call__(self, words: list[str], **options: Any) -> Any:
        self.words.append(words)
        found = self._findings[words[-1]]
        if isinstance(found, BaseException):
            raise found
        text = found if isinstance(found, str) else json.dumps({"findings": found})
        return REAL_POPEN([sys.executable, "-c", f"print({text!r})"], **options)


REAL_POPEN = subprocess.Popen


class EntryCheckTests(SynchronousTestCase):
    def check(
        self, findings: dict[str, Any], strict: bool = False, settings: Any = None, isolate: str = "none"
    ) -> EntryCheck:
        entrants = tuple(Entrant(name, ("./bot", name)) for name in findings)
        entrants += (Entrant("pat", PERSON), Entrant("easy", (sys.executable, "-m", "gamehost", "player")))
        self.fake = FakeChecks(findings)
        self.patch(subprocess, "Popen", self.fake)
        self.out = StringIO()
        check = EntryCheck(Plan("onitama", "onitama", entrants, settings=settings or {}, isolate=isolate), self.out)
        check.run(2, strict)
        return check

    def test_programs_are_isolated_in_it_too(self) -> None:
        """As in the contest, but for the network: the checker's host has no door."""
        self.check({"ann": [], "bob": []})
        self.assertEqual(
            {tuple(words[words.index("--") + 1 :]) for words in self.fake.words}, {("./bot", "ann"), ("./bot", "bob")}
        )
        self.check({"ann": [], "bob": []}, isolate="user")
        users = {words[-1]: words[words.index("setpriv") + 1] for words in self.fake.words}
        self.assertEqual(users, {"ann": f"--reuid={FIRST_USER}", "bob": f"--reuid={FIRST_USER + 1}"})
        self.check({"ann": []}, isolate="bubblewrap")
        [words] = self.fake.words
        sandbox = words[words.index("--") + 1 :]
        self.assertEqual((sandbox[0], sandbox[-2:]), ("bwrap", ["./bot", "ann"]))

    def test_what_a_sandbox_with_the_network_reads(self) -> None:
        """Its own folder, and nothing else of the contest's."""
        if (why := why_not("bubblewrap")) is not None:
            raise SkipTest(why)
        folder = Path(self.mktemp()).absolute()
        (folder / "own").mkdir(parents=True)
        for name in ("own/bot", "other"):
            (folder / name).write_text("x")
        for name, there in (("own/bot", True), ("other", False)):
            read = ["sh", "-c", f"cat {folder / name} > /dev/null 2>&1", str(folder / "own/bot")]
            words = Isolation("bubblewrap").words(read, 0, None)
            self.assertEqual(subprocess.run(words, check=False).returncode == 0, there)

    def test_a_line_for_each_program(self) -> None:
        check = self.check({"ann": [], "bob": [BREACH, {"grade": "hint", "title": "slow"}], "cyd": "no JSON"})
        lines = self.out.getvalue().splitlines()
        self.assertTrue(lines[0].startswith("each program is checked first: "))
        self.assertEqual([line.split()[:3] for line in lines[1:]], [[str(n), "of", "3"] for n in (1, 2, 3)])
        self.assertEqual(
            {line.partition("  ")[2] for line in lines[1:]},
            {"ann: good", "bob: it sends nonsense (Moves)", "cyd: the check did not come to its end"},
        )
        self.assertEqual(check.found["bob"], ["it sends nonsense (Moves)"])
        self.assertEqual(set(check.found), {"ann", "bob", "cyd"})

    def test_the_settings_of_the_contest_hold_but_for_its_times(self) -> None:
        self.check({"ann": []}, settings={"onitama.move_time": "1", "onitama.strict": "yes"})
        [words] = self.fake.words
        self.assertEqual(words[words.index("--set") + 1], "onitama.strict=yes")
        self.assertEqual(words.count("--set"), 1)

    def test_strict(self) -> None:
        error = self.assertRaises(ContestError, self.check, {"ann": [], "bob": [BREACH]}, strict=True)
        self.assertIn("bob: failed the check", str(error))

    def test_an_interrupt_ends_it(self) -> None:
        self.assertRaises(KeyboardInterrupt, self.check, {"ann": KeyboardInterrupt(), "bob": []})


class NameTests(SynchronousTestCase):
    def test_names_are_checked_before_anything_starts(self) -> None:
        """All that is wrong is named at once."""
        wire = next(one for one in REGISTRY.wires if one.name == "onitama")
        names = ["ann", "Anna Maria", "ANN", "bob", "random.7"]
        error = str(self.assertRaises(ContestError, entry.check_names, names, wire))
        self.assertEqual(len(error.split("; ")), 3, error)
        self.assertFalse(Path("contest").exists())

    def test_names_that_a_wire_cannot_carry(self) -> None:
        for wire in REGISTRY.wires:
            with self.subTest(wire.name):
                entry.check_names(["ann", "bob-2", "x.y_z"], wire)
                if wire.name == "stratego-lines":
                    self.assertRaises(ContestError, entry.check_names, ["ann", "Łukasz"], wire)
                else:
                    entry.check_names(["ann", "Łukasz"], wire)
