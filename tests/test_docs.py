"""The documentation: its sentences, its pictures and its tutorial; and what stands in `contrib`."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import fields
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from gamehost.config import Options
from gamehost.games.base import GameMaster
from gamehost.games.play import has_picture
from gamehost.journal.notation import read_notation, write_notation
from gamehost.limits import Limits
from gamehost.ops.watchdog import OTHER_FILES, STANDSTILL
from gamehost.plugins import GAMES, WIRES
from gamehost.tables import interfaces
from gamehost.testing.cases import PropertyCase
from gamehost.wires.base import Wire
from gamehost.wires.conversation import BaseConversation, Peer
from gamehost.wires.framing import LineCodec
from tests.kit.made_files import EXAMPLE, PAGE, PICTURE_FOLDER, PICTURES, files_of, pictures, refreshed
from tests.kit.sources import ROOT

# The documentation's language: no sentence is too long for a reader whose second language it is.


# Sentences of documentation pages, for the check that none is too long.


#: So many words at most in one sentence.
MOST_WORDS = 30

_LITERAL = re.compile(r"(?:::|\.\. (?:code-block|literalinclude|math|raw|graphviz|digraph)::.*)$")
_ITEM = re.compile(r"^\s*(?:\* - |- |\* |#\. |\d+\. |:\w[^:]*: )")


def paragraphs(page: str) -> Iterator[str]:
    """The running text of a page: paragraphs, items of lists and cells of tables, without literal blocks and markup."""
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


class SentenceTests(SynchronousTestCase):
    """Every page but those of `docs/lab`, which keep what was measured."""

    def test_no_sentence_is_long(self) -> None:
        """At most thirty words each, in running text, lists and cells of tables."""
        pages = [page for page in sorted((ROOT / "docs").rglob("*.rst")) if not {"lab", "_build"} & set(page.parts)]
        self.assertGreater(len(pages), 12)
        for page in [*pages, ROOT / "README.rst", ROOT / "CONTRIBUTING.rst"]:
            self.assertEqual(long_sentences(page.read_text("utf-8")), [], page)

    def test_a_long_sentence_is_found(self) -> None:
        """In a paragraph, an item and a cell; not in a literal block or a table of columns."""
        long = " ".join(["word"] * (MOST_WORDS + 1)) + "."
        for page in (f"{long}\n", f"- {long}\n", f"   * - {long}\n", f"Short. {long}\n", f"Title\n=====\n\n{long}\n"):
            self.assertEqual(long_sentences(page), [long], page)
        for page in (f"As here::\n\n   {long}\n", f".. code-block:: text\n\n   {long}\n", f"== ==\na {long}\n== ==\n"):
            self.assertEqual(long_sentences(page), [], page)


# The pictures of the docs.


class PictureTests(PropertyCase):
    """Each game's page begins with a picture that this version makes."""

    def test_they_are_current(self) -> None:
        """If this fails, run `make pictures` and look at what has changed."""
        for path, drawn in pictures():
            self.assertEqual(path.read_text("ascii"), drawn, f"{path.name}: run `make pictures`")

    def test_every_game_s_page_begins_with_one(self) -> None:
        """Before its first section."""
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


# `CONTRIBUTING.rst`: who follows its tutorials writes exactly the example package.


#: What an installation or a run of the tests leaves in the folder.
LEFT_OVER = re.compile(r"(^|/)(__pycache__|build|_trial_temp.*|\.hypothesis|[^/]*\.egg-info)/")


def public(owner: type) -> set[str]:
    """The names that a class defines for its users."""
    return {name for name in vars(owner) if not name.startswith("_")}


class TutorialTests(SynchronousTestCase):
    """The page and the files under `examples/gomoku`."""

    def test_the_tutorials_give_the_example(self) -> None:
        """Every file, and no other one. `python -m tests.kit.made_files tutorial` copies changed files into the page."""
        example = {str(path.relative_to(EXAMPLE)): path for path in EXAMPLE.rglob("*") if path.is_file()}
        texts = {name: path.read_text("utf-8") for name, path in example.items() if not LEFT_OVER.search(name)}
        written = files_of(PAGE.read_text("utf-8"))
        self.assertEqual(set(written), set(texts))
        for name, text in texts.items():
            self.assertEqual(written[name], text, name)

    def test_the_page_names_all_that_a_plug_in_meets(self) -> None:
        """Methods of a master and of a peer, values of a codec, events of a table, fields of a token."""
        page = PAGE.read_text("utf-8")
        events = {"Away", "Left", "Back", "Refused", "Over", "Suspended", "Displaced", "OpenTable", "TableClosed"}
        self.assertTrue(all(hasattr(interfaces, name) for name in events))
        fields_of_wire = {one.name for one in fields(Wire)}
        values = {"LIMIT", "UNREADABLE", "HEARS", "TELLS"}
        for owner in (LineCodec, BaseConversation):
            self.assertTrue(values & set(owner.__annotations__))
        for name in sorted(events | fields_of_wire | values | public(GameMaster) | public(Peer)):
            self.assertRegex(page, rf"``[^`]*\b{name}\b[^`]*``")


class ReadingTests(SynchronousTestCase):
    """How files are read from a page, and put into it."""

    PAGE = (
        "Title\n\nFile ``a.py``::\n\n    x = 1\n\n\n    def f():\n        return x\n\nText.\n\nFile ``b`` is empty.\n"
    )

    def test_read(self) -> None:
        """Without the indent, and with the empty lines between two parts."""
        self.assertEqual(files_of(self.PAGE), {"a.py": "x = 1\n\n\ndef f():\n    return x\n", "b": ""})

    def test_refresh(self) -> None:
        """A file that has changed is in the page again, and the text around it stays."""
        folder = EXAMPLE / "gamehost_gomoku" / "tests"
        page = refreshed(self.PAGE.replace("a.py", "__init__.py"), folder)
        self.assertEqual(files_of(page)["__init__.py"], (folder / "__init__.py").read_text("utf-8"))
        self.assertTrue(page.endswith("\nText.\n\nFile ``b`` is empty.\n"))


# What stands in `contrib`: the unit for systemd is sandboxed and fits the host's limits, the image runs as nobody special.


CONTRIB = Path(__file__).parents[1] / "contrib"
CHECKS = [Path(__file__).with_name(name) for name in ("check_dist.sh", "check_deb.sh")]
ANALYZE = shutil.which("systemd-analyze")


def directives() -> dict[str, list[str]]:
    """Every directive of the unit, with all its values."""
    found: dict[str, list[str]] = {}
    for line in (CONTRIB / "gamehost.service").read_text("utf-8").splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(name, []).append(value)
    return found


class UnitTests(SynchronousTestCase):
    """`gamehost.service`."""

    def test_sandbox(self) -> None:
        """Nothing is gained, written or seen beyond what a host needs."""
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
        """The options are the host's."""
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
        """No unknown directive, and no word too many."""
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
    """`Dockerfile`."""

    def test_image(self) -> None:
        """Not root, slim, with the store on a volume, and every wire on."""
        text = (CONTRIB / "Dockerfile").read_text("utf-8")
        lines = text.splitlines()
        self.assertIn("USER gamehost", lines)
        self.assertIn("VOLUME /var/lib/gamehost", lines)
        self.assertTrue(all("slim" in line for line in lines if line.startswith("FROM")))
        for wire in WIRES:
            port = wire.endpoint.split(":")[1]
            self.assertIn(f'"--{wire.name}=tcp:{port}"', text)

    def test_command(self) -> None:
        """The host understands the options of the image, and every port that it listens on is exposed."""
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
    """The package for Debian; `make check-deb` builds and uses it."""

    def test_scripts(self) -> None:
        """The shell can read them, and what the package installs is there."""
        folder = CONTRIB / "debian"
        for script in (*(folder / name for name in ("build.sh", "gamehost", "postinst", "prerm")), *CHECKS):
            subprocess.run(["sh", "-n", str(script)], check=True, timeout=60)
        with (folder / "gamehost.toml").open("rb") as file:
            self.assertEqual(tomllib.load(file), {})

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
