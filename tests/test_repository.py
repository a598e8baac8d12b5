"""The README, the pages, the targets of make, the changelog: the names and the links in them lead somewhere."""

import gc
import os
import re
import shutil
import subprocess
import tomllib
import weakref
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from twisted.internet.defer import Deferred, fail
from twisted.python.failure import Failure
from twisted.trial.reporter import TestResult
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from gamehost import storage
from gamehost.config import Options, admin_path
from gamehost.storage import high_water_mark
from gamehost.storage.backup import PART
from gamehost.storage.sidecar import sidecar_path
from tests import SmallProcess
from tests.kit.players import house_host
from tests.kit.sources import ROOT

MAKE = shutil.which("make")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")

#: Pages that people read without building them.
PAGES = sorted(
    path
    for pattern in ("*.rst", "*.md", "docs/**/*.rst", "newsfragments/*.rst")
    for path in ROOT.glob(pattern)
    if "_build" not in path.parts
)

#: Where calls of make stand.
CALLERS = [*PAGES, ROOT / ".ci/run", ROOT / ".pre-commit-config.yaml", *ROOT.glob(".github/workflows/*.yml")]


def targets() -> list[str]:
    """The names that may stand behind `make`."""
    return re.findall(r"^([a-z][a-z-]*):", MAKEFILE, re.M)


def called(text: str) -> Iterator[str]:
    """The targets that a page names: what stands behind `make` in code."""
    for code in re.findall(
        r"``(make [^`]*)``|^(?:  +|    *- run: | *entry: |(?=make check$))(make \S+(?: \S+)*)", text, re.M
    ):
        words = "".join(code).split()[1:]
        for word in words:
            if not re.fullmatch(r"[a-z][a-z-]*", word):
                break
            yield word


def links(text: str) -> Iterator[str]:
    """The relative links of a page in reStructuredText or Markdown."""
    for target in re.findall(r"`[^`<]*<([^`>]+)>`_|\]\(([^)]+)\)", text):
        address = "".join(target).partition("#")[0]
        if address and ":" not in address:
            yield address


def run_make(*words: str) -> str:
    """What make writes. Variables and flags of a make that runs these tests are kept from it."""
    if MAKE is None:
        raise SkipTest("no make here")
    environment = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        [MAKE, *words], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


def planned(goal: str, *words: str) -> str:
    """The commands that make would run in a fresh clone."""
    return run_make("--dry-run", "--always-make", goal, *words)


class MakefileTests(SynchronousTestCase):
    """The targets."""

    def test_every_target_has_a_line_of_help(self) -> None:
        """A target that `make help` does not list is unknown to everybody."""
        self.assertIn("run", targets())
        for target in targets():
            self.assertRegex(MAKEFILE, rf"(?m)^{target}:[^=\n]*## [^\n]+$")

    def test_every_target_is_phony(self) -> None:
        """A folder named like a target (`docs`) does not stop it."""
        [phony] = re.findall(r"^\.PHONY: ((?:.*\\\n)*.*)", MAKEFILE, re.M)
        self.assertEqual(set(phony.replace("\\", "").split()), set(targets()))

    def test_help_is_the_default(self) -> None:
        """`make` alone lists all targets, in groups."""
        written = run_make()
        self.assertEqual(re.findall(r"^  make (\S+) +\S", written, re.M), targets())
        self.assertGreaterEqual(len(re.findall(r"^\S", written, re.M)), 3)

    def test_run_installs_what_running_needs(self) -> None:
        """`make run` installs no tools for tests; `make test` does; both say what they do."""
        run, test = planned("run"), planned("test")
        self.assertNotIn("[dev]", run)
        self.assertIn("[dev]", test)
        for commands in (run, test):
            self.assertIn("Installing what the host needs", commands)

    def test_tests_use_all_cores(self) -> None:
        """The number of jobs is the machine's, and can be set."""
        self.assertRegex(planned("test"), r"trial -j[1-9]\d* tests\n")
        self.assertIn("trial -j7 tests.games\n", planned("test", "JOBS=7", "TESTS=tests.games"))

    def test_hosts_that_are_ended_are_no_failure(self) -> None:
        """`make check-dist` ends each host by a signal; the shell does not report that as if it were an error."""
        script = (ROOT / "tests" / "check_dist.sh").read_text("utf-8")
        [ending] = re.findall(r"^ *kill -TERM \$host\n(?:.*\n)*? *wait .*\n", script, re.M)
        words = f"sleep 60 &\nhost=$!\n{ending}echo ended\n"
        done = subprocess.run(["sh", "-eu", "-c", words], capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual((done.stdout, done.stderr), ("ended\n", ""))

    def test_the_summary_comes_last(self) -> None:
        """What CI runs ends with the suite and its coverage, and fails below the floor."""
        self.assertRegex(MAKEFILE, r"(?m)^check: .*\bcoverage ##")
        self.assertTrue(planned("coverage").rstrip().endswith("coverage/trial.txt"))
        settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["coverage"]
        self.assertTrue(settings["run"]["branch"])
        self.assertGreaterEqual(settings["report"]["fail_under"], 95)


class PagesTests(SynchronousTestCase):
    """The README, the documentation, the changelog."""

    def test_named_targets_exist(self) -> None:
        """Every target that a page, CI or a hook calls is one of the Makefile."""
        found = {(path.name, target) for path in CALLERS for target in called(path.read_text("utf-8"))}
        self.assertIn(("README.rst", "run"), found)
        self.assertIn(("run", "check"), found)
        self.assertIn(("ci.yml", "check"), found)
        self.assertIn((".pre-commit-config.yaml", "lint"), found)
        gone = {(page, target) for page, target in found if target not in targets()}
        self.assertEqual(gone, set())

    def test_named_tests_exist(self) -> None:
        """Every module of tests or benchmarks that a page names can be run: each file, and each class in it."""
        words = r"(?<![\w/])((?:tests|benchmarks)(?:\.\w+)+)"
        named = {(path, name) for path in PAGES for name in re.findall(words, path.read_text("utf-8"))}
        self.assertIn((ROOT / "docs/reliability.rst", "tests.end_to_end.test_restart.DeletedTests"), named)
        gone = []
        for path, name in named:
            *modules, last = name.split(".")
            module = ROOT.joinpath(*modules, last)
            inside = ROOT.joinpath(*modules).with_suffix(".py")
            found = inside.is_file() and f"class {last}" in inside.read_text("utf-8")
            if not (found or module.is_dir() or module.with_suffix(".py").is_file()):
                gone.append((path.name, name))
        self.assertEqual(gone, [])

    def test_links_lead_somewhere(self) -> None:
        """Every relative link is to a file of the repository, as a forge needs it."""
        self.assertIn("docs/operating.rst", list(links((ROOT / "README.rst").read_text("utf-8"))))
        for path in PAGES:
            for link in links(path.read_text("utf-8")):
                if not link.startswith("reference/"):
                    self.assertTrue((path.parent / link).exists(), f"{path.relative_to(ROOT)} links to {link}")

    def test_pages_can_be_read_on_a_forge(self) -> None:
        """No link that only Sphinx follows; a file that only Sphinx includes is linked too."""
        for path in PAGES:
            text = path.read_text("utf-8")
            name = str(path.relative_to(ROOT))
            self.assertEqual(re.findall(r":(?:doc|ref|download|file):`.*", text), [], name)
            linked = {(path.parent / link).resolve() for link in links(text)}
            for included in re.findall(r"^ *\.\. (?:literal)?include:: (\S+)", text, re.M):
                base = ROOT / "docs" if included.startswith("/") else path.parent
                wanted = (base / included.lstrip("/")).resolve()
                self.assertIn(wanted, linked, f"{name} includes {included}, and has no link to it")

    def test_the_first_game_is_tested(self) -> None:
        """What the README has people type is answered as it says, to the letter."""
        [session] = re.findall(
            r"\n    \$ nc 127.0.0.1 8888\n((?:    .*\n|\n)*)", (ROOT / "README.rst").read_text("utf-8")
        )
        lines = [line.removeprefix("    ") for line in session.rstrip("\n").split("\n")]
        person = house_host()[0].connect("console")
        seen = person.transport.read().decode()
        for line in lines:
            if line.startswith("> "):
                person.say(line.removeprefix("> "))
                seen += f"{line.removeprefix('> ')}\n{person.transport.read().decode()}"
        self.assertEqual(seen.removesuffix("> ").splitlines(), lines)


class IgnoredTests(SynchronousTestCase):
    """What a host leaves beside its store is not committed by accident; its key least of all."""

    def ignored(self, names: Iterable[str]) -> list[str]:
        """Those of the names that git ignores, in the root of the project."""
        git = shutil.which("git")
        if git is None or not (ROOT / ".git").exists():
            raise SkipTest("this is no clone")
        done = subprocess.run(
            [git, "check-ignore", "--no-index", "--stdin"],
            cwd=ROOT,
            input="\n".join(names),
            capture_output=True,
            text=True,
            timeout=60,
        )
        return done.stdout.splitlines()

    def test_every_file_beside_the_store(self) -> None:
        """Every suffix that a module of the storage has, and what SQLite, copies and half-written files add."""
        modules = [import_module(one.name) for one in iter_modules(storage.__path__, f"{storage.__name__}.")]
        own = {text for module in modules for name, text in vars(module).items() if name.endswith("SUFFIX")}
        self.assertGreaterEqual(own, {".key", ".hwm", ".starts", ".last", "-wal"})
        store = Path(Options()["store"])
        beside = [sidecar_path(store, suffix) for suffix in ("", "-shm", "-journal", "-wal.kept", PART, *own)]
        copies = [sidecar_path(store, suffix) for suffix in (".schema-1", ".schema-1.2", ".verify-7", PART)]
        files = [
            *beside,
            *copies,
            admin_path(Options()),
            *(sidecar_path(copy, high_water_mark.SUFFIX) for copy in copies),
        ]
        names = sorted({name for file in files for name in (str(file), f"{file}.new")})
        self.assertEqual(self.ignored(names), names)


class ChangelogTests(SynchronousTestCase):
    """The fragments that towncrier makes the changelog of."""

    def test_fragments(self) -> None:
        """Each is named by number and kind, and is one sentence or two on one line."""
        settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["towncrier"]
        kinds = [kind["directory"] for kind in settings["type"]]
        folder = ROOT / str(settings["directory"])
        for path in folder.iterdir():
            if path.name in ("README.rst", ".gitignore"):
                continue
            self.assertRegex(path.name, rf"^(\d+|\+[a-z-]+)\.({'|'.join(kinds)})\.rst$")
            text = path.read_text("utf-8")
            self.assertRegex(text, r"\A[^\n]+\.\n\Z", path.name)

    def test_the_changelog_has_its_mark(self) -> None:
        """New versions are put in behind this line."""
        self.assertIn("\n.. towncrier release notes start\n", Path(ROOT / "CHANGELOG.rst").read_text("utf-8"))


# The suite itself: what it must not let pass.


class Careless(SynchronousTestCase):
    """A test that leaves an error behind that nobody waits for. Run by another one, not collected."""

    def runTest(self) -> None:
        """Leave one."""
        deferred: Deferred[None] = fail(Failure(RuntimeError("planted")))
        del deferred
        gc.collect()


class SuiteTests(SynchronousTestCase):
    """Row 152, and a dependency's known holes."""

    def test_errors_that_nobody_waits_for_fail_a_test(self) -> None:
        """Row 152: trial counts what a lost Deferred logs."""
        result = TestResult()
        Careless("runTest").run(result)
        self.assertEqual(len(result.errors), 1)
        self.assertFalse(result.wasSuccessful())

    def test_garbage_is_gone_before_the_next_test_of_a_process_that_has_grown(self) -> None:
        process = SmallProcess()
        for most, left in ((1 << 60, True), (-(1 << 60), False)):
            process.MOST = most
            gc.collect()
            gc.disable()
            garbage: Any = Careless("runTest")
            garbage.itself = garbage
            there = weakref.ref(garbage)
            del garbage
            process.run(Careless("countTestCases"), TestResult())
            gc.enable()
            self.assertEqual(there() is not None, left)

    def test_dependencies_are_without_known_holes(self) -> None:
        """Row 160: no release of Twisted or lxml is allowed of which it is known how to hurt a host with it."""
        path = Path(__file__).parents[1] / "setup.cfg"
        lines = [line.strip() for line in path.read_text("utf-8").splitlines()]
        self.assertTrue(any(line.startswith("Twisted >= 26.") for line in lines))
        self.assertTrue(any(line.startswith("lxml >= 6.1") for line in lines))
