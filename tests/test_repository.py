"""README, pages, targets of make, changelog: their names and links lead somewhere. Sentences, pictures and the tutorial."""

import io
import json
import os
import re
import shutil
import subprocess
import textwrap
import tokenize
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from attrs import fields
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from gamehost import storage
from gamehost.config import Options, admin_path
from gamehost.games.base import GameMaster
from gamehost.games.play import has_picture
from gamehost.journal.notation import read_notation, write_notation
from gamehost.limits import Limits
from gamehost.lobby.directory import MatchDirectory
from gamehost.lobby.lobby import Lobby
from gamehost.ops.watchdog import OTHER_FILES, STANDSTILL
from gamehost.plugins import GAMES, WIRES
from gamehost.storage import sidecar
from gamehost.storage.backup import PART
from gamehost.storage.sidecar import sidecar_path
from gamehost.tables import interfaces
from gamehost.testing.cases import PropertyCase
from gamehost.wires.base import BaseConversation, Peer, Wire
from gamehost.wires.framing import LineCodec
from tests.kit import made_files
from tests.kit.made_files import PICTURE_FOLDER, PICTURES, files_of, pictures, refreshed
from tests.kit.pages import PAGES as READ
from tests.kit.pages import SHOWN_FILE
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
    return re.findall(r"^([a-z][a-z-]*):", MAKEFILE, re.M)


def called(text: str) -> Iterator[str]:
    for code in re.findall(
        r"``(make [^`]*)``|^(?:  +|    *- run: | *entry: |(?=make check$))(make \S+(?: \S+)*)", text, re.M
    ):
        words = "".join(code).split()[1:]
        for word in words:
            if not re.fullmatch(r"[a-z][a-z-]*", word):
                break
            yield word


def links(text: str) -> Iterator[str]:
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
    def test_every_target_has_a_line_of_help(self) -> None:
        self.assertIn("run", targets())
        for target in targets():
            self.assertRegex(MAKEFILE, rf"(?m)^{target}:[^=\n]*## [^\n]+$")

    def test_every_target_is_phony(self) -> None:
        """A folder named like a target (`docs`) does not stop it."""
        [phony] = re.findall(r"^\.PHONY: ((?:.*\\\n)*.*)", MAKEFILE, re.M)
        self.assertEqual(set(phony.replace("\\", "").split()), set(targets()))

    def test_help_is_the_default(self) -> None:
        written = run_make()
        self.assertEqual(re.findall(r"^  make (\S+) +\S", written, re.M), targets())
        self.assertGreaterEqual(len(re.findall(r"^\S", written, re.M)), 3)

    def test_run_installs_what_running_needs(self) -> None:
        run, test = planned("run"), planned("test")
        self.assertNotIn("[dev]", run)
        self.assertIn("[dev]", test)
        for commands in (run, test):
            self.assertIn("Installing what the host needs", commands)

    def test_tests_use_all_cores(self) -> None:
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
        self.assertRegex(MAKEFILE, r"(?m)^check: .*\bcoverage ##")
        self.assertTrue(planned("coverage").rstrip().endswith("coverage/trial.txt"))
        settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["coverage"]
        self.assertTrue(settings["run"]["branch"])
        self.assertGreaterEqual(settings["report"]["fail_under"], 95)


class PagesTests(SynchronousTestCase):
    def test_named_targets_exist(self) -> None:
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
        self.assertIn((ROOT / "docs/reliability.rst", "tests.test_service.ClassTests"), named)
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
        self.assertIn("docs/operating.rst", list(links((ROOT / "README.rst").read_text("utf-8"))))
        for path in PAGES:
            for link in links(path.read_text("utf-8")):
                if not link.startswith("reference/"):
                    self.assertTrue((path.parent / link).exists(), f"{path.relative_to(ROOT)} links to {link}")

    def test_pages_can_be_read_on_a_forge(self) -> None:
        """What only Sphinx shows is a list of pages, of which each has a link too."""
        for path in PAGES:
            text = path.read_text("utf-8")
            name = str(path.relative_to(ROOT))
            self.assertEqual(re.findall(r":(?:doc|ref|download|file):`.*", text), [], name)
            shown = set(re.findall(r"^ *\.\. ([\w-]+)::", text, re.M))
            self.assertEqual(shown - {"code-block", "csv-table", "list-table", "image", "toctree", "only"}, set(), name)
            self.assertTrue(shown.isdisjoint({"toctree", "only"}) or name == "docs/index.rst", name)
        text = (ROOT / "docs" / "index.rst").read_text("utf-8")
        listed = re.findall(r"^   ([a-z-]+(?:/[a-z-]+)*)$", text, re.M)
        self.assertGreater(len(listed), 40)
        self.assertEqual({f"{page}.rst" for page in listed} - {*links(text)}, set())

    def test_files_that_pages_show(self) -> None:
        """If this fails, run `python -m tests.kit.made_files sessions`."""
        shown = [path for path in PAGES if SHOWN_FILE.search(path.read_text("utf-8"))]
        self.assertGreater(len(shown), 0)
        self.assertEqual([path for path in shown if made_files.with_files(path) != path.read_text("utf-8")], [])

    def test_the_first_game_is_tested(self) -> None:
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
        modules = [import_module(one.name) for one in iter_modules(storage.__path__, f"{storage.__name__}.")]
        own = {text for module in modules for name, text in vars(module).items() if name.endswith("SUFFIX")}
        self.assertGreaterEqual(own, {".key", ".hwm", ".last", "-wal"})
        store = Path(Options()["store"])
        beside = [sidecar_path(store, suffix) for suffix in ("", "-shm", "-journal", "-wal.kept", PART, *own)]
        copies = [sidecar_path(store, suffix) for suffix in (".verify-7", PART)]
        files = [
            *beside,
            *copies,
            admin_path(Options()),
            *(sidecar_path(copy, sidecar.MARK_SUFFIX) for copy in copies),
        ]
        names = sorted({name for file in files for name in (str(file), f"{file}.new")})
        self.assertEqual(self.ignored(names), names)


class ChangelogTests(SynchronousTestCase):
    def test_fragments(self) -> None:
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
        self.assertIn("\n.. towncrier release notes start\n", Path(ROOT / "CHANGELOG.rst").read_text("utf-8"))


# What is installed beside the host.


class DependencyTests(SynchronousTestCase):
    def test_dependencies_are_without_known_holes(self) -> None:
        """No release of Twisted or lxml is allowed of which it is known how to hurt a host with it."""
        path = Path(__file__).parents[1] / "setup.cfg"
        lines = [line.strip() for line in path.read_text("utf-8").splitlines()]
        self.assertTrue(any(line.startswith("Twisted >= 26.") for line in lines))
        self.assertTrue(any(line.startswith("lxml >= 6.1") for line in lines))


# The documentation's language: no sentence is too long for a reader whose second language it is.


# Sentences of documentation pages, for the check that none is too long.


#: So many words at most in one sentence.
MOST_WORDS = 30

_LITERAL = re.compile(r"(?:::|\.\. (?:code-block|literalinclude|math|raw|graphviz|digraph)::.*)$")
_ITEM = re.compile(r"^\s*(?:\* - |- |\* |#\. |\d+\. |:\w[^:]*: )")


def paragraphs(page: str) -> Iterator[str]:
    """The running text of a page: paragraphs, items of lists and cells of tables, without literal blocks and markup."""
    # A row of values is a paragraph of its own.
    rows = r"(?m)^( *)\.\. csv-table::\n(?:\1 +:.*\n)*\n(?:\1 +.*\n)+"
    page = re.sub(rows, lambda table: table[0].replace("\n", "\n\n"), page)
    # Simple tables have columns: their lines are no sentences.
    page = re.sub(r"(?m)^\s*=+(?: +=+)+\n(?:.*\n)*?\s*=+(?: +=+)+\n(?:(?:.+\n)*\s*=+(?: +=+)+\n)?", "\n", page)
    text: list[str] = []
    literal: int | None = None
    for line in [*page.splitlines(), ""]:
        indent = len(line) - len(line.lstrip())
        if literal is not None:
            if not line.strip() or indent > literal:
                continue
            literal = None
        stripped = line.strip()
        begins = bool(_ITEM.match(line))
        if not stripped or begins or set(stripped) <= set("=-~^\"'`#*+") or stripped.startswith((".. ", "|")):
            if text:
                yield " ".join(text)
            text = [_ITEM.sub("", line).strip()] if begins else []
            if stripped.startswith(".. ") and not _LITERAL.search(stripped):
                continue
        elif not re.fullmatch(r":[\w-]+:.*", stripped):
            text.append(stripped)
        if _LITERAL.search(stripped):
            literal = indent
    if text:
        yield " ".join(text)


def long_sentences(page: str, most: int = MOST_WORDS) -> list[str]:
    """The sentences of a page that have more words than are allowed."""
    found = []
    for paragraph in paragraphs(page):
        plain = re.sub(r"``[^`]*``", "CODE", re.sub(r"`([^`<]*?)\s*<[^>]*>`_{1,2}", r"\1", paragraph))
        for sentence in re.split(r"(?<=[.:;?!])\s+", plain):
            if len(sentence.split()) > most:
                found.append(sentence)
    return found


#: Words with which a sentence has to be read twice, and the most of them in comments, docstrings and texts of the package.
READ_TWICE: Mapping[str, int] = {
    r"\b[Ww]hose\b": 30,
    r"\b[Ww]ho (?:is|are|was|has|have|wants)\b": 45,
    r"(?:^|[.:]\s)\W*Have ": 15,
}


def prose(source: str) -> Iterator[str]:
    """The comments, docstrings and texts of a module."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            yield token.string


def read_twice(texts: Iterable[str]) -> Mapping[str, int]:
    found = list(texts)
    return {pattern: sum(len(re.findall(pattern, text)) for text in found) for pattern in READ_TWICE}


class SentenceTests(SynchronousTestCase):
    def test_sentences_of_the_package_are_read_once(self) -> None:
        """A sentence begins with a thing that has a name, and has no `whose`. If this fails, write the new sentences so."""
        sources = (path.read_text("utf-8") for path in (ROOT / "gamehost").rglob("*.py"))
        # Most modules have none of the words, and to read their tokens takes long.
        some = (source for source in sources if re.search("|".join(READ_TWICE), source))
        counts = read_twice(text for source in some for text in prose(source))
        self.assertEqual({pattern: count for pattern, count in counts.items() if count > READ_TWICE[pattern]}, {})

    def test_a_sentence_that_is_read_twice_is_found(self) -> None:
        source = '"""Have a table sleep at which nobody is."""\n\nwhose = "those whose seat"  # who is here\n'
        self.assertEqual(list(read_twice(prose(source)).values()), [1, 1, 1])

    def test_no_sentence_is_long(self) -> None:
        self.assertGreater(len(READ), 12)
        for page in READ:
            self.assertEqual(long_sentences(page.read_text("utf-8")), [], page)

    def test_tutorials_are_short(self) -> None:
        """With their files."""
        words = {name: len((ROOT / "docs" / f"{name}.rst").read_text("utf-8").split()) for name in made_files.TUTORIALS}
        self.assertEqual({name: count for name, count in words.items() if count > 2500}, {})

    def test_pages_are_short(self) -> None:
        """At most 2,000 words each, and so many in all; pages of wires and files of the tutorials do not count."""
        counts = {}
        for path in READ:
            if path.parent.name not in ("wires", "dialects"):
                counts[path.stem] = len(made_files.without_files(path.read_text("utf-8")).split())
        self.assertEqual({page: words for page, words in counts.items() if words > 2000}, {})
        self.assertLess(sum(counts.values()), 39_700)


# The pictures of the docs.


class PictureTests(PropertyCase):
    def test_they_are_current(self) -> None:
        for path, drawn in pictures():
            self.assertEqual(path.read_text("ascii"), drawn, f"{path.name}: run `make pictures`")

    def test_every_game_s_page_begins_with_one(self) -> None:
        for page in (ROOT / "docs" / "games").glob("*.rst"):
            if not has_picture(GAMES[page.stem]):
                continue  # the host does not know how a remote game looks
            self.assertIn(page.stem, PICTURES)
            text = page.read_text("utf-8")
            self.assertIn(f".. image:: pictures/{page.stem}.svg\n", text)
            self.assertLess(text.index(".. image::"), text.index("\n---"))

    def test_their_matches_are_in_the_notation(self) -> None:
        """What a person may write by hand is written in the same way."""
        for name in PICTURES:
            text = (PICTURE_FOLDER / f"{name}.txt").read_text("ascii")
            match = read_notation(text)
            self.assertEqual(write_notation(match.record, match.date), text)


# The tutorials: the files that they show are those of the examples.


def public(owner: type) -> set[str]:
    return {name for name in vars(owner) if not name.startswith("_")}


class TutorialTests(SynchronousTestCase):
    def test_the_tutorials_show_the_examples(self) -> None:
        """`python -m tests.kit.made_files tutorial` copies changed files into the pages."""
        for name, folder in made_files.TUTORIALS.items():
            page = (ROOT / "docs" / f"{name}.rst").read_text("utf-8")
            self.assertGreater(len([*files_of(page), *files_of(page, part=True)]), 4)
            for file, text in files_of(page):
                self.assertEqual(text, (folder / file).read_text("utf-8"), file)
            for file, text in files_of(page, part=True):
                whole = (folder / file).read_text("utf-8")
                self.assertTrue(text in whole or textwrap.indent(text, "    ") in whole, f"{file}: {text}")

    def test_the_metadata_of_the_first_example(self) -> None:
        """They name what is there, as the page says."""
        folder = made_files.TUTORIALS["plugin-game"]
        metadata = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
        [(name, token)] = metadata["project"]["entry-points"]["gamehost.games"].items()
        self.assertTrue((folder / f"{token.partition(':')[0].replace('.', '/')}.py").is_file())
        self.assertIn(f'{name} = "{token}"', (ROOT / "docs" / "plugin-game.rst").read_text("utf-8"))

    def test_the_pages_name_all_that_a_plug_in_meets(self) -> None:
        """Methods of a master and of a peer, values of a codec, events of a table, fields of a token."""
        page = "".join(path.read_text("utf-8") for path in made_files.tutorials())
        events = {"Away", "Left", "Back", "Refused", "Over", "Suspended", "Displaced", "OpenTable", "TableClosed"}
        self.assertTrue(all(hasattr(interfaces, name) for name in events))
        fields_of_wire = {one.name for one in fields(Wire)}
        values = {"LIMIT", "UNREADABLE", "HEARS", "TELLS"}
        for owner in (LineCodec, BaseConversation):
            self.assertTrue(values & set(owner.__annotations__))
        for name in sorted(events | fields_of_wire | values | public(GameMaster) | public(Peer)):
            self.assertRegex(page, rf"``[^`]*\b{name}\b[^`]*``")


class WirePagesTests(SynchronousTestCase):
    def test_the_page_of_the_options(self) -> None:
        """Its tables have the words of the help text. `python -m tests.kit.made_files options` writes them anew."""
        page = made_files.OPTIONS_PAGE.read_text("utf-8")
        self.assertEqual(made_files.with_options(page), page)
        self.assertEqual({*re.findall(":name: (.*)", page)}, made_files.option_rows().keys())

    def test_the_page_of_the_lobby(self) -> None:
        text = (ROOT / "docs" / "lobby.rst").read_text("utf-8")
        for owner, kind in (("lobby", Lobby), ("_directory", MatchDirectory)):
            called = set(re.findall(rf"self\.{owner}\.([a-z_]+)", text))
            self.assertGreater(len(called), 4)
            known = {*dir(kind), *kind.__annotations__}
            self.assertEqual(called - known, set())


class ReadingTests(SynchronousTestCase):
    PAGE = (
        "Title\n\nFile ``__init__.py``::\n\n    x = 1\n\n\n    y = 2\n\nText.\n\nFile ``b``, in part::\n\n    y = 2\n"
    )

    def test_read(self) -> None:
        self.assertEqual(files_of(self.PAGE), [("__init__.py", "x = 1\n\n\ny = 2\n")])
        self.assertEqual(files_of(self.PAGE, part=True), [("b", "y = 2\n")])

    def test_refresh(self) -> None:
        folder = made_files.EXAMPLES / "gomoku" / "gamehost_gomoku" / "tests"
        page = refreshed(self.PAGE, folder)
        self.assertEqual(dict(files_of(page))["__init__.py"], (folder / "__init__.py").read_text("utf-8"))
        self.assertTrue(page.endswith("\nText.\n\nFile ``b``, in part::\n\n    y = 2\n"))


# What stands in `contrib`: the unit for systemd is sandboxed and fits the host's limits, the image runs as nobody special.


CONTRIB = Path(__file__).parents[1] / "contrib"
CHECKS = [Path(__file__).with_name(name) for name in ("check_dist.sh", "check_deb.sh")]
ANALYZE = shutil.which("systemd-analyze")


def directives() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (CONTRIB / "gamehost.service").read_text("utf-8").splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(name, []).append(value)
    return found


class UnitTests(SynchronousTestCase):
    def test_sandbox(self) -> None:
        unit = directives()
        for name in (
            *(
                "NoNewPrivileges",
                "ProtectHome",
                "PrivateTmp",
                "PrivateDevices",
                "ProtectKernelTunables",
                "ProtectClock",
            ),
            *("ProtectKernelModules", "ProtectKernelLogs", "RestrictNamespaces", "LockPersonality", "DynamicUser"),
            "MemoryDenyWriteExecute",
        ):
            self.assertEqual(unit[name], ["yes"], name)
        for name, value in {
            "ProtectSystem": "strict",
            "ProtectProc": "invisible",
            "CapabilityBoundingSet": "",
            "RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX",
            "SystemCallArchitectures": "native",
            "UMask": "0077",
            "StateDirectory": "gamehost",
        }.items():
            self.assertEqual(unit[name], [value], name)
        self.assertEqual(unit["SystemCallFilter"], ["@system-service", "~@privileged @resources"])

    def test_limits_fit_the_hosts(self) -> None:
        """Files for every connection that is allowed; a watchdog that waits longer than a standstill; no endless restarts."""
        unit = directives()
        self.assertGreaterEqual(int(unit["LimitNOFILE"][0]), Limits().connections + OTHER_FILES)
        self.assertGreater(float(unit["WatchdogSec"][0]), 5 * STANDSTILL)
        self.assertEqual((unit["Type"], unit["Restart"]), (["notify"], ["on-failure"]))
        self.assertEqual((unit["StartLimitBurst"], unit["StartLimitIntervalSec"]), (["5"], ["60"]))
        self.assertIn("MemoryMax", unit)

    def test_command(self) -> None:
        [command] = directives()["ExecStart"]
        _, verb, *options = command.split()
        self.assertEqual(verb, "run")
        known = Options().longOpt
        for option in options:
            self.assertIn(re.match(r"--([a-z-]+=)", option)[1], known)  # type: ignore[index]

    def analyze(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """What systemd says of the unit; the command, which is not installed here, is exchanged."""
        if ANALYZE is None:
            raise SkipTest("no systemd here")
        path = Path(self.mktemp()).absolute()
        path.mkdir()
        unit = path / "gamehost.service"
        text = (CONTRIB / "gamehost.service").read_text("utf-8")
        unit.write_text(re.sub("/opt/gamehost/bin/gamehost", shutil.which("true") or "/bin/true", text))
        command: Sequence[str] = [ANALYZE, *arguments, str(unit)]
        environment = {**os.environ, "SYSTEMD_COLORS": "0", "SYSTEMD_EMOJI": "0"}
        return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)

    def test_systemd_understands_it(self) -> None:
        done = self.analyze("verify", "--man=no")
        self.assertNotIn("gamehost.service:", done.stderr)

    def test_exposure(self) -> None:
        """systemd's own figure, from 0 (best) to 10, is 2.0 at most."""
        done = self.analyze("security", "--offline=true")
        found = re.search(r"Overall exposure level for gamehost\.service: ([0-9.]+)", done.stdout)
        if found is None:
            raise SkipTest(f"this systemd cannot say: {done.stderr[:200]}")
        self.assertLessEqual(float(found[1]), 2.0)


class ImageTests(SynchronousTestCase):
    def test_image(self) -> None:
        text = (CONTRIB / "Dockerfile").read_text("utf-8")
        lines = text.splitlines()
        self.assertIn("USER gamehost", lines)
        self.assertIn("VOLUME /var/lib/gamehost", lines)
        self.assertTrue(all("slim" in line for line in lines if line.startswith("FROM")))
        for wire in WIRES:
            port = wire.endpoint.split(":")[1]
            self.assertIn(f'"--{wire.name}=tcp:{port}"', text)

    def test_command(self) -> None:
        text = (CONTRIB / "Dockerfile").read_text("utf-8")
        program, verb, *options = json.loads(re.findall(r"^ENTRYPOINT (.*)$", text, re.M)[0])
        self.assertEqual((program, verb), ("/opt/gamehost/bin/gamehost", "run"))
        parsed = Options()
        parsed.parseOptions([*options, *json.loads(re.findall(r"^CMD (.*)$", text, re.M)[0])])
        exposed: set[int] = set()
        for word in re.findall(r"^EXPOSE (.*)$", text, re.M)[0].split():
            first, _, last = word.partition("-")
            exposed.update(range(int(first), int(last or first) + 1))
        ports = {
            int(endpoint.split(":")[1]) for name in ("web", *(wire.name for wire in WIRES)) for endpoint in parsed[name]
        }
        self.assertEqual(ports - exposed, set())


class PackageTests(SynchronousTestCase):
    def test_scripts(self) -> None:
        folder = CONTRIB / "debian"
        for script in (*(folder / name for name in ("build.sh", "gamehost", "postinst", "prerm")), *CHECKS):
            subprocess.run(["sh", "-n", str(script)], check=True, timeout=60)
        with (folder / "gamehost.toml").open("rb") as file:
            self.assertEqual(tomllib.load(file), {})

    def test_extras(self) -> None:
        """The package for Debian has everything that a host may use, and the image has the driver for PostgreSQL."""
        script = (CONTRIB / "debian" / "build.sh").read_text("utf-8")
        self.assertIn('"${wheel}[metrics,postgresql,tls]"', script)
        self.assertIn("'/src[postgresql,tls]'", (CONTRIB / "Dockerfile").read_text("utf-8"))

    def test_unit(self) -> None:
        """The path of the command is changed in the unit, as the script for the package does it."""
        [command] = directives()["ExecStart"]
        script = (CONTRIB / "debian" / "build.sh").read_text("utf-8")
        pattern, path = re.findall(r"'s,=(\S+),=(\S+),'", script)[0]
        self.assertTrue(command.startswith(pattern + " run --config=/etc/gamehost.toml "))
        self.assertEqual(path, "/usr/bin/gamehost")
        kill, reload = directives()["ExecReload"]
        self.assertTrue(kill.startswith("kill -HUP"))
        store = command.partition("--store=")[2]
        self.assertEqual(reload, f"{pattern} admin --store={store} reload")
