"""
Every command and every output that a page shows: each block is read by the real parser, run, compared, or listed with a reason.

What a block shows is in its first line, so that a table here names it. A new block fails `CompleteTests` until it is run.
"""

import argparse
import io
import json
import re
import shlex
from collections.abc import Callable, Container, Iterator, Sequence
from configparser import ConfigParser
from contextlib import redirect_stderr
from importlib import import_module
from pathlib import Path

import msgspec
from twisted.logger import LogLevel
from twisted.python.usage import UsageError
from twisted.trial.unittest import SynchronousTestCase

from gamehost import __version__
from gamehost.commands import admin as admin_command
from gamehost.commands import journal as journal_command
from gamehost.config import Options, declared_settings
from gamehost.extras.bots import bridge as bridge_command
from gamehost.extras.bots import command as player_command
from gamehost.extras.check import command as check_command
from gamehost.extras.check import trace as trace_command
from gamehost.extras.check.command import as_text
from gamehost.extras.check.wires import onitama as onitama_checks
from gamehost.extras.contest import command as contest_command
from gamehost.limits import Limits
from gamehost.ops import workers
from gamehost.plugins import GAMES, WIRES
from gamehost.testing.memory_host import Client
from gamehost.wires.open.messages import Study
from tests.extras.check.test_server_wires import tells_the_mover_only
from tests.extras.check.test_trace import trace_of
from tests.extras.check.wires.onitama_clients import CountsFromTheTop
from tests.kit.checker import CHECKS, check, check_server
from tests.kit.memory_host import MemoryHost
from tests.kit.pages import PAGES, Block, blocks, literals, name_of
from tests.kit.players import house_host
from tests.kit.reactors import logged
from tests.kit.sources import ROOT
from tests.test_repository import MAKEFILE, targets

#: Blocks with more than commands -> the test that runs or compares them.
TESTED = {
    ("README.rst", "$ nc 127.0.0.1 8888"): "tests.test_repository.PagesTests.test_the_first_game_is_tested",
    ("docs/admin.rst", "-> {"): "tests.end_to_end.test_pages.HostTests.test_a_running_host",
    ("docs/admin.rst", "changed: grace"): "tests.end_to_end.test_pages.HostTests.test_a_running_host",
    ("docs/extras/check/check-scenarios.rst", "Scenario("): "tests.test_pages.SourceTests.test_pieces_of_the_package",
    (
        "docs/extras/check/check-scenarios.rst",
        "async def out_of_turn",
    ): "tests.test_pages.SourceTests.test_pieces_of_the_package",
    ("docs/extras/check/check-server.rst", "BREACH: "): "tests.test_pages.ReportTests.test_a_finding_of_a_server",
    ("docs/extras/check/checker.rst", "BREACH: "): "tests.test_pages.ReportTests.test_a_finding_of_a_client",
    ("docs/extras/check/checker.rst", "ok "): "tests.end_to_end.test_pages.CheckTests.test_the_first_run",
    ("docs/extras/check/checker.rst", "name: protocol"): "tests.test_pages.CommandTests.test_commands_in_a_workflow",
    ("docs/class.rst", 'wire = "onitama"'): "tests.test_pages.FileTests.test_contests",
    ("docs/client.rst", "import asyncio"): "tests.end_to_end.test_open.ClientTests.test_the_first_bot_of_the_page",
    (
        "docs/extras/cluster/cluster.rst",
        "$ gamehost admin --admin",
    ): "tests.test_pages.ReportTests.test_members_of_a_cluster",
    ("docs/extras/cluster/cluster.rst", "--cluster="): "tests.test_pages.CommandTests.test_options_of_a_cluster",
    (
        "docs/extras/cluster/cluster.rst",
        "openssl req",
    ): "tests.end_to_end.test_pages.CertificateTests.test_the_commands",
    ("docs/console.rst", "> play onitama"): "tests.test_pages.SessionTests.test_console",
    ("docs/console.rst", "> play onitama easy"): "tests.test_pages.SessionTests.test_console",
    ("docs/console.rst", "Type a move as"): "tests.test_pages.SessionTests.test_console",
    ("docs/console.rst", "> name guest.1"): "tests.test_pages.SessionTests.test_console",
    ("docs/console.rst", "> login ann"): "tests.test_pages.SessionTests.test_console",
    ("docs/friends.rst", "> name olga:my-key"): "tests.test_pages.SessionTests.test_friends",
    ("docs/extras/contest/contests.rst", 'wire = "onitama"'): "tests.test_pages.FileTests.test_contests",
    (
        "docs/extras/learn/learning.rst",
        "from gamehost",
    ): "tests.extras.learn.test_learn.EnvironmentTests.test_the_match_of_the_page",
    (
        "docs/extras/mcp/models.rst",
        "{",
    ): "tests.extras.mcp.test_agent.PageTests.test_the_configuration_of_the_page",
    ("docs/extras/mcp/models.rst", "> seek"): "tests.extras.mcp.test_agent.PageTests.test_the_game_of_the_page",
    ("docs/games/paper-soccer.rst", "0,0 1,1"): "tests.test_pages.ReportTests.test_notation",
    ("docs/hosting.rst", "...#info] log-in: "): "tests.test_pages.ReportTests.test_the_log",
    ("docs/hosting.rst", "...#info] onitama: "): "tests.test_pages.ReportTests.test_the_log",
    ("docs/house-players.rst", "-> {"): "tests.test_pages.SessionTests.test_house_players",
    ("docs/store.rst", "[Game "): "tests.end_to_end.test_pages.HostTests.test_a_running_host",
    ("docs/operating.rst", "10000 tables"): "tests.lobby.test_sleeping.ResumingTests.test_the_rest_in_slices",
    (
        "docs/operating.rst",
        "gamehost 1.",
    ): "tests.end_to_end.test_pages.HostTests.test_a_running_host",
    (
        "docs/extras/cluster/cluster.rst",
        "defaults",
    ): "tests.end_to_end.test_proxies.HaproxyTests.test_the_recipe_of_a_cluster",
    ("docs/web.rst", "map $http_upgrade"): "tests.end_to_end.test_proxies.NginxTests.test_the_recipe",
    ("docs/options.rst", "grace = "): "tests.test_pages.FileTests.test_options",
    ("docs/extras/check/trace.rst", "gamehost trace"): "tests.test_pages.ReportTests.test_a_trace",
    ("docs/wires/onitama.rst", ""): "tests.test_pages.SessionTests.test_onitama",
    ("docs/extras/dialects/onitama-final.rst", "(printf"): "tests.test_pages.SessionTests.test_onitama_final",
    ("docs/extras/dialects/litama.rst", "join "): "tests.test_pages.SessionTests.test_litama",
    ("docs/wires/open.rst", '{"is":"study"'): "tests.test_pages.SessionTests.test_open",
    ("docs/wires/open.rst", ""): "tests.test_pages.SessionTests.test_open",
    ("docs/wires/paper-soccer.rst", ""): "tests.test_pages.SessionTests.test_paper_soccer",
    ("docs/wires/stratego-lines.rst", ""): "tests.test_pages.SessionTests.test_stratego_lines",
    ("docs/wires/stratego-frames.rst", "(printf"): "tests.test_pages.SessionTests.test_stratego_frames",
    ("docs/wires/stratego-frames.rst", "Sign On"): "tests.test_pages.SessionTests.test_stratego_frames",
    ("docs/wires/eriantys.rst", "CONNECTED"): "tests.wires.test_eriantys.PageTests.test_the_drawing_is_in_step",
    (
        "docs/wires/eriantys.rst",
        '{"type":"UpdateBoard"',
    ): "tests.wires.test_eriantys.PageTests.test_a_whole_board_is_shown",
    ("docs/wires/eriantys.rst", ""): "tests.test_pages.SessionTests.test_eriantys",
    ("docs/games/remote.rst", ""): "tests.test_pages.SessionTests.test_remote_games",
}

#: Blocks that no suite can run, or that show neither a command nor an output -> why.
NOT_RUN = {
    ("docs/architecture.rst", ""): "a drawing of the way of a move",
    (
        "docs/extras/learn/learning.rst",
        "import asyncio",
    ): "needs a host; HostTests of tests.extras.learn play without sockets",
    ("docs/games/onitama.rst", ""): "a drawing of the board",
    ("docs/games/paper-soccer.rst", "the player who"): "a drawing of the field",
    ("docs/games/stratego.rst", ""): "a drawing of the board",
    ("docs/metrics.rst", "scrape_configs:"): "the configuration of another program, Prometheus",
    ("docs/operating.rst", "systemctl enable"): "needs systemd and root",
    ("docs/extras/cluster/postgresql.rst", "apt install postgresql"): "needs root and the archive of Debian",
    ("docs/web.rst", "games.example.org {"): "the configuration of another program, Caddy",
    (
        "docs/extras/dialects/eriantys-java.rst",
        "73 ",
    ): "bytes with what they mean; tests.extras.dialects.test_eriantys_java has the recorded ones",
    (
        "docs/extras/dialects/eriantys-java.rst",
        "on connect",
    ): "a drawing of the order; the transcripts have whole sessions",
    ("docs/wires/stratego-frames.rst", "-> Sign On"): "a drawing of the order; the transcripts have whole sessions",
}

#: Words in capitals on a page stand for what the reader puts there.
MEANT = {
    "TABLE": "7",
    "FILE": "match.txt",
    "FROM": "a.sqlite",
    "TO": "b.sqlite",
    "NAME": "eve",
    "HOST:PORT": "a:1",
    "{host}:{port}": "a:1",
}
_EXTRAS = ConfigParser()
_EXTRAS.read(ROOT / "setup.cfg", "utf-8")


def shown(page: str, first: str) -> Block:
    every = blocks(page)
    [found] = [one for one in every if one.text == first] or [one for one in every if one.first.startswith(first)]
    return found


def parsers() -> dict[str, argparse.ArgumentParser]:
    return {
        "journal": journal_command.parser(),
        "admin": admin_command.parser(),
        "player": player_command.parser(WIRES),
        "check": check_command.parser(WIRES),
        "contest": contest_command.parser(WIRES),
        "trace": trace_command.parser(),
        "bridge": bridge_command.parser(),
    }


def options_of(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from options_of(inner)


class Commands:
    def __init__(self, folder: Path) -> None:
        self.parsers = parsers()
        self.known = {verb: set(options_of(parser)) for verb, parser in self.parsers.items()}
        self.known["run"] = {f"--{name.rstrip('=')}" for name in Options().longOpt}
        self._settings = folder / "gamehost.toml"
        self._settings.write_text(shown("docs/options.rst", "grace = ").text, "utf-8")

    def why_not(self, words: Sequence[str]) -> str | None:
        program, *rest = words
        judge: Callable[[list[str]], str | None] | None = {
            "gamehost": self._gamehost,
            "make": self._make,
            "nc": self._nc,
            "pip": self._pip,
            "pipx": self._pip,
            "python": self._python,
            "python3": self._python,
            "python3.11": self._python,
            "twist": self._gamehost_behind,
            "twistd": self._gamehost_behind,
            "Ctrl-C": lambda words: None,
            "mkdir": lambda words: None,
            "cd": lambda words: None,
            "node": lambda words: self._sources(words[:1]),
            "javac": lambda words: self._sources(
                [word for word in words if "*" not in word and word.endswith(".java")]
            ),
            "java": lambda words: self._sources([f"clients/java/{words[2]}.java"]),
            "cp": lambda words: None if (ROOT / words[0]).is_file() else "no such file",
        }.get(program.rpartition("/")[2])
        return "nothing is known of this program" if judge is None else judge(rest)

    def _gamehost_behind(self, words: list[str]) -> str | None:
        return self._gamehost(words[words.index("gamehost") + 1 :])

    def _gamehost(self, words: list[str]) -> str | None:
        words = [word for word in words if word != "[options]"]
        verb = words[0].strip("[]") if words and not words[0].startswith("-") else "run"
        rest = words[1:] if words and words[0].strip("[]") == verb else words
        if verb == "run":
            return self.run_options(rest)
        if verb == "completion":
            return None if rest == ["bash"] else "no such shell"
        if verb not in self.parsers:
            return f"no such verb: {verb}"
        own = rest[: rest.index("--")] if "--" in rest else rest
        if verb == "check" and "--" in rest and (why_not := self.why_not(rest[rest.index("--") + 1 :])):
            return why_not
        errors = io.StringIO()
        try:
            with redirect_stderr(errors):
                parsed = self.parsers[verb].parse_args([MEANT.get(word, word) for word in own])
        except SystemExit:
            return errors.getvalue()
        named = getattr(parsed, "wire", None)
        return None if named in (None, "gomoku", *(wire.name for wire in WIRES)) else f"no such wire: {named}"

    def run_options(self, words: list[str]) -> str | None:
        words = [word.replace("gamehost.toml", str(self._settings)) for word in words if word != "[options]"]
        # What a plug-in brings is not installed here.
        words = [word for word in words if not word.startswith("--gomoku=")]
        try:
            Options().parseOptions(words)
        except UsageError as error:
            return str(error)
        return None

    def _make(self, words: list[str]) -> str | None:
        for word in words:
            name, equals, value = word.partition("=")
            if not equals and name not in targets():
                return f"no such target: {name}"
            if equals and not re.search(rf"\b{name}\b", MAKEFILE):
                return f"no such variable: {name}"
            if name == "ARGS" and value != "...":
                return self.run_options(value.split())
        return None

    def _nc(self, words: list[str]) -> str | None:
        ports = {wire.endpoint.split(":")[1] for wire in WIRES}
        return None if words[0] == "127.0.0.1" and words[1] in ports else "no wire listens there by itself"

    def _pip(self, words: list[str]) -> str | None:
        """There is no `gamehost` on the index: what is installed is a file, with extras that there are."""
        what = words[-1]
        extras = re.findall(r"[\w-]+", what.partition("[")[2])
        required = re.findall(r"^[\w\[\]-]+", "\n".join(_EXTRAS["options.extras_require"].values()), re.M)
        if what in required:
            return None
        unknown = [one for one in extras if one not in _EXTRAS["options.extras_require"] and what[0] not in "."]
        if words[0] != "install" or unknown:
            return f"no such extra: {unknown}"
        return None if re.match(r"\.|dist/|/path/to/checkout", what) else "no such package"

    def _sources(self, words: list[str]) -> str | None:
        """Programs of the client libraries. `tests.end_to_end.test_clients` runs them."""
        return None if words and all((ROOT / word).is_file() for word in words) else "no such file"

    def _python(self, words: list[str]) -> str | None:
        if words[0] != "-m":
            name = Path(words[0]).name
            return None if (ROOT / "docs" / "bots" / name).is_file() or name == "my_client.py" else "no such file"
        if words[1] == "gamehost":
            return self._gamehost(words[2:])
        return None if words[1] in ("venv", "twisted.trial", "pip", "tests.kit.made_files", LEARN) else "no such module"


#: The example of the extra `learn`, which is not installed here.
LEARN = "gamehost.extras.learn.linear"


class CommandTests(SynchronousTestCase):
    def setUp(self) -> None:
        folder = Path(self.mktemp())
        folder.mkdir()
        self.commands = Commands(folder)

    def test_commands_in_blocks(self) -> None:
        wrong, count = [], 0
        for path in PAGES:
            for block in blocks(name_of(path)):
                for words in block.commands():
                    count += 1
                    wrong += self.judged(block.page, words)
        self.assertEqual(wrong, [])
        self.assertGreater(count, 80)

    def judged(self, page: str, words: Sequence[str]) -> list[tuple[str, str, str]]:
        # The example of the tutorials is no wire of this installation.
        why_not = self.commands.why_not(["onitama" if word == "gomoku" else word for word in words])
        return [] if why_not is None else [(page, " ".join(words), why_not)]

    def test_commands_in_a_workflow(self) -> None:
        """What a service for tests would run."""
        found = re.findall(
            r"- run: (?:\|\n)?(.*?)(?: > .*)?$", shown("docs/extras/check/checker.rst", "name: protocol").text, re.M
        )
        self.assertGreater(len(found), 1)
        self.assertEqual(
            [one for text in found for one in self.judged("docs/extras/check/checker.rst", text.split())], []
        )

    def test_options_of_a_cluster(self) -> None:
        for line in shown("docs/extras/cluster/cluster.rst", "--cluster=").lines:
            option = line.split()[0]
            self.assertIn(option.partition("=")[0], self.commands.known["run"])
            if option.startswith("--cluster="):
                self.assertRegex(option, "=(tcp:|tls:FOLDER:|unix:/)")

    def test_versions(self) -> None:
        named = {
            text for path in PAGES for text in re.findall(r"gamehost[-_ ](\d+\.\d+\.\d+)", page_text(name_of(path)))
        }
        self.assertEqual(named, {__version__})

    def test_commands_in_text(self) -> None:
        """Verbs, options and variables of make that stand in a sentence; settings, wherever they stand."""
        every = set().union(*self.commands.known.values()) | OTHER_OPTIONS
        settings = declared_settings(Options().registry)
        wrong = []
        for path in PAGES:
            for text in literals(name_of(path)):
                if not self.literal_is_known(text, every, settings):
                    wrong.append((path.name, text))
        self.assertEqual(wrong, [])

    def literal_is_known(self, text: str, options: Container[str], settings: Container[str]) -> bool:
        """Whether a literal is no command, option or setting, or one that there is."""
        words = text.removeprefix(".venv/bin/").split()
        if words[0] in ("gamehost", "make") and text not in LOGGED:
            return self.names_are_known(shlex.split(text.removeprefix(".venv/bin/")))
        if option := re.match(r"--[a-z][a-z-]+", text):
            return option[0] in options
        setting = re.fullmatch(SETTING, text)
        return setting is None or setting[1] in settings

    def names_are_known(self, words: list[str]) -> bool:
        """Whether a command that is shown in part names only verbs and options that there are."""
        program, *rest = words
        if program == "make":
            return self.commands.why_not(words) is None
        verb = rest[0] if rest and not rest[0].startswith("-") else "run"
        if verb in ("VERB", "completion", "run") or not verb.isalpha():
            verb = "run"
        known = self.commands.known.get(verb)
        if known is None:
            return False
        if verb in ("admin", "journal") and rest[1:] and (inner := rest[1]).islower() and not inner.startswith("-"):
            [verbs] = [
                one for one in self.commands.parsers[verb]._actions if isinstance(one, argparse._SubParsersAction)
            ]
            if inner not in verbs.choices:
                return False
        own = rest[: rest.index("--")] if "--" in rest else rest
        options = {word.partition("=")[0] for word in own if word.startswith("--")}
        return options <= known | {"--help", "--version"}


#: Options of other programs that pages name.
OTHER_OPTIONS = {"--nodaemon", "--gomoku", "--enable-optimizations", "--key-file"}
#: What begins like a command, and stands in the log.
LOGGED = ("gamehost ready", "gamehost has stopped")
#: A literal that is the name of a setting, or sets one.
_OWNERS = "|".join(["limits", "web", *GAMES, *(wire.name for wire in WIRES)])
SETTING = rf"(?:--set[ =])?((?:{_OWNERS})\.[a-z_]*[a-z])(?:=.*)?"


class CompleteTests(SynchronousTestCase):
    def test_every_block_is_run_or_listed(self) -> None:
        """Of what shows more than commands, each is in one of the tables; and each row of a table has a block."""
        used = set()
        for path in PAGES:
            for block in blocks(name_of(path)):
                rows = [row for row in (*TESTED, *NOT_RUN) if row[0] == block.page and block.first.startswith(row[1])]
                used.update(rows)
                if not block.only_commands:
                    self.assertNotEqual(
                        rows, [], f"{block.page} shows {block.first!r}: run it, or list it with a reason"
                    )
        self.assertEqual({*TESTED, *NOT_RUN} - used, set())

    def test_the_tests_are_there(self) -> None:
        for name in set(TESTED.values()):
            module, of, test = name.rsplit(".", 2)
            self.assertTrue(hasattr(getattr(import_module(module), of), test), name)


class SourceTests(SynchronousTestCase):
    def test_pieces_of_the_package(self) -> None:
        names = {**vars(onitama_checks), **vars(workers)}
        scenario = eval(shown("docs/extras/check/check-scenarios.rst", "Scenario(").text, names)
        self.assertIn(scenario, CHECKS["onitama"].scenarios)
        script = shown("docs/extras/check/check-scenarios.rst", "async def out_of_turn").text
        source = (ROOT / "gamehost/extras/check/server_scripts.py").read_text("utf-8")
        self.assertIn(script, re.sub(r'\n    """.*"""', "", source))


class FileTests(SynchronousTestCase):
    def test_options(self) -> None:
        path = Path(self.mktemp())
        path.write_text(shown("docs/options.rst", "grace = ").text, "utf-8")
        options = Options()
        options.parseOptions([f"--config={path}"])
        self.assertEqual(options["grace"], 120)

    def test_contests(self) -> None:
        for page in ("docs/extras/contest/contests.rst", "docs/class.rst"):
            path = Path(self.mktemp())
            path.write_text(shown(page, "wire = ").text, "utf-8")
            options = contest_command.parser(WIRES).parse_args([str(path), f"--out={self.mktemp()}"])
            plan = contest_command.plan_of(contest_command._content(options), WIRES)
            self.assertGreater(len(plan.entrants), 2)


DEAL = {"onitama.deal": "boar,ox/crab,eel/tiger"}
#: What the port of the console says to a line that it cannot use.
REFUSED = "Type help to see|expected|Did you mean|no such"


class SessionTests(SynchronousTestCase):
    """What a page has its reader type is answered as it says: the blocks in their order, in two terminals or three."""

    def session(self, page: str, commands: int = 1) -> list[Block]:
        """The blocks behind the commands with which the session begins. A test names each of them."""
        found = blocks(page)
        self.assertTrue(all(block.only_commands for block in found[:commands]))
        return [block for block in found[commands:] if not block.only_commands]

    def typed(self, person: Client, line: str) -> str:
        person.transport.read()
        person.say(line.removeprefix("> "))
        answer = person.transport.read().decode()
        self.assertNotRegex(answer, REFUSED)
        return answer

    def test_friends(self) -> None:
        """The table is there when its player comes back."""
        host = house_host()[0]
        name, play = shown("docs/friends.rst", "> name olga:my-key").lines
        person = host.connect("console")
        self.typed(person, name)
        self.assertIn("Others come with: join 1-", self.typed(person, play))
        person.drop()
        self.assertIn("You wait at table 1", self.typed(host.connect("console"), name))

    def test_console(self) -> None:
        page = "docs/console.rst"
        host = house_host({"onitama.deal": "ox,boar/crab,eel/tiger"})[0]
        self.typed(host.connect("console"), shown(page, "> play onitama").first)
        host = house_host({"onitama.deal": "ox,boar/crab,eel/tiger"})[0]
        person = host.connect("console")
        told, move = shown(page, "Type a move as").lines
        self.assertIn(told.partition(":")[0], self.typed(person, shown(page, "> play onitama easy").first))
        self.assertIn("You played ox c1 c2.", self.typed(person, move))
        person.drop()
        self.assertIn(
            "You are back in match 1: Onitama", self.typed(host.connect("console"), shown(page, "> name ").first)
        )
        log_in, answer = shown(page, "> login ").lines
        self.assertIn(answer.rstrip(":"), self.typed(host.connect("console"), log_in))

    def test_house_players(self) -> None:
        ann = house_host()[0].connect("open")
        for line in shown("docs/house-players.rst", "-> {").lines:
            self.assertNotIn("sorry", "".join(ann.ask(line.removeprefix("-> "))))

    def test_onitama(self) -> None:
        start, move = self.session("docs/wires/onitama.rst")
        host = MemoryHost(DEAL)
        ann, bob = host.connect("onitama"), host.connect("onitama")
        ann.say("LOGIN|ann")
        bob.say("LOGIN|bob")
        self.assertEqual([ann.heard()[-1], bob.heard()[-1]], [start.text, start.text])
        ann.say(move.text)
        moved = move.text.replace("MAKE_MOVE", "MOVE_WAS_MADE")
        self.assertEqual([ann.heard(), bob.heard()], [[moved], [moved]])
        self.assertEqual(bob.ask("MAKE_MOVE|crab|c5|c4"), ["MOVE_WAS_MADE|crab|c5|c4"])

    def test_onitama_final(self) -> None:
        [line] = self.session("docs/extras/dialects/onitama-final.rst", 0)
        log_in, ping = printed(line.text)
        host = MemoryHost()
        ann, bob = host.connect("onitama-final"), host.connect("onitama-final")
        ann.send(log_in)
        bob.send(log_in.replace(b"ann", b"bob"))
        self.assertEqual([one.partition("|")[0] for one in ann.heard()], ["WAITING", "START"])
        ann.send(ping)
        self.assertFalse(ann.closed)

    def test_litama(self) -> None:
        lines = shown("docs/extras/dialects/litama.rst", "join ").lines
        host = MemoryHost()
        ann, bob = host.connect("litama"), host.connect("litama")
        made = json.loads(ann.ask("create ann")[0])["matchId"]
        for line in lines:
            id = line.split()[1]
            self.assertEqual(len(id), len(made))
            self.assertNotIn("error", "".join(bob.ask(line.replace(id, made))))

    def test_open(self) -> None:
        begin, seated, act, study = self.session("docs/wires/open.rst")
        enter, seek = begin.lines
        host = MemoryHost(DEAL)
        ann, bob = host.connect("open"), host.connect("open")
        ann.heard(), bob.heard()
        self.assertIn('"is":"entered"', ann.ask(enter)[0])
        self.assertIn('"is":"seeking"', ann.ask(seek)[0])
        bob.say(enter.replace("ann", "bob"), seek)
        heard = ann.heard()
        for line in seated.lines:
            self.assertIn(line, heard)
        self.assertIn('"is":"event"', ann.ask(act.text)[0])
        bob.heard()
        self.assertIn('"is":"event"', bob.ask('{"do":"act","table":1,"action":"crab a5 a4"}')[0])
        msgspec.json.decode(study.text, type=Study)

    def test_paper_soccer(self) -> None:
        log_in, state, point, points = self.session("docs/wires/paper-soccer.rst")
        host = MemoryHost(rng=lambda n: 0)
        ann, bob = host.connect("paper-soccer"), host.connect("paper-soccer")
        self.assertEqual(ann.ask("help")[1].split(": ")[-1].strip(), log_in.text)
        self.assertIn('accept="yes"', ann.ask(log_in.text)[0])
        bob.say(log_in.text.replace("ann", "bob"))
        self.assertEqual([ann.heard()[-1], bob.heard()[-1]], [state.text, state.text])
        self.assertIn('nextPlayer nick="bob"', ann.ask(point.text)[-1])
        self.assertIn('nextPlayer nick="ann"', bob.ask("<point x='1' y='2'/>")[-1])
        self.assertEqual(len(re.findall("<point ", points.text)), 2)

    def test_remote_games(self) -> None:
        master_in, log_in, begin, state, move, end, thanks = self.session("docs/games/remote.rst")
        host = MemoryHost()
        master, ann, bob = (host.connect("paper-soccer", "127.0.0.1") for _ in range(3))
        self.assertIn('accept="yes"', master.ask(master_in.text)[0])
        ann.say(log_in.text)
        bob.say(log_in.text.replace("ann", "bob"))
        self.assertEqual(master.heard()[-1], begin.text)
        master.say(state.text)
        self.assertEqual([ann.heard()[-1], bob.heard()[-1]], [state.text, state.text])
        ann.say(move.text)
        self.assertEqual(master.heard(), [move.text])
        master.say(end.text)
        self.assertEqual(bob.heard()[-1], end.text)
        self.assertFalse(any("error" in line for line in (*ann.ask(thanks.text), *bob.ask(thanks.text))))

    def test_stratego_lines(self) -> None:
        red, blue, resumed = self.session("docs/wires/stratego-lines.rst")
        host = MemoryHost()
        ann, bob = host.connect("stratego-lines"), host.connect("stratego-lines")
        ann.say("ann", "secret")
        bob.say("bob", "hush hush")
        self.assertEqual([ann.heard()[-1], bob.heard()[-1]], ["color red", "color blue"])
        ann.say(*red.lines)
        bob.say(*blue.lines)
        self.assertEqual([ann.heard()[-1], bob.heard()[-1]], ["get-move", "endsetup"])
        self.assertEqual(ann.ask("B4-B6"), ["none"])
        self.assertEqual(bob.heard(), ["B4-B6", "get-move"])
        bob.drop()
        again = host.connect("stratego-lines")
        again.heard()
        [auth, resume, colour, board, *_, end, turn] = again.ask("bob", "hush hush")
        words = [line.split("  ")[0] for line in resumed.lines]
        self.assertEqual([auth, resume, colour, board, end, turn], [*words[:4], *words[5:]])
        self.assertEqual(again.ask("B7-B6"), ["R"])

    def test_stratego_frames(self) -> None:
        line, examples, _ = self.session("docs/wires/stratego-frames.rst", 0)
        [sign_on] = printed(line.text)
        ann = MemoryHost().connect("stratego-frames")
        ann.send(sign_on)
        self.assertIn(ann.transport.read().hex(), page_text(line.page).replace(" ", ""))
        source = (ROOT / "tests/wires/test_stratego_frames_codec.py").read_text("utf-8")
        for one in examples.lines:
            self.assertIn(f'fromhex("{one[34:].strip()}")', source)

    def test_eriantys(self) -> None:
        """Until the first request; the examples of all messages are compared with the code elsewhere."""
        ann_says, bob_says, leaves, *_ = self.session("docs/wires/eriantys.rst", 2)
        host = MemoryHost({"eriantys.ping": "0"})
        ann, bob = host.connect("eriantys"), host.connect("eriantys")
        self.assertIn("ENTER_NICKNAME", ann.heard()[0])
        self.assertIn("WaitingForPlayers", "".join(ann.ask(*ann_says.lines)))
        bob.say(*bob_says.lines)
        host.wait(2)
        heard = "".join(ann.heard())
        self.assertIn("MatchStarted", heard)
        self.assertIn("AvailableTowers", heard)
        self.assertNotIn("ErrorMessage", "".join(ann.ask(leaves.text)))
        self.assertTrue(ann.closed)


def printed(line: str) -> list[bytes]:
    texts = re.findall(r"printf '([^']*)'", line)
    return [re.sub(rb"\\([0-7]{1,3})", lambda digits: bytes([int(digits[1], 8)]), text.encode()) for text in texts]


def page_text(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


class ReportTests(SynchronousTestCase):
    def same(self, block: Block, text: str) -> None:
        """Each line of the block stands in the text; digits may differ, and what is cut off at the end is not compared."""
        have = re.sub(r"\d+", "0", text)
        for line in block.lines:
            if "admin: " in line:
                continue  # a running host writes it: `tests.end_to_end.test_pages`
            for part in re.sub(r"\d+", "0", line).split("..."):
                self.assertIn(part.strip(), have, f"{block.page}: {line}")

    def test_a_finding_of_a_client(self) -> None:
        self.same(shown("docs/extras/check/checker.rst", "BREACH"), as_text(check(CountsFromTheTop, ["first-mover"])))

    def test_a_finding_of_a_server(self) -> None:
        names = ["whole-match", "crosswise"]
        report = check_server("onitama", names, tells_the_mover_only, settings=DEAL)
        self.same(shown("docs/extras/check/check-server.rst", "BREACH"), as_text(report))

    def test_a_trace(self) -> None:
        trace, lines = trace_of("onitama")
        trace.client_sent(b"LOGIN|ann\n")
        trace.host_sent(b"START|ann|bob|white=boar,ox;black=crab,eel;spare=tiger\n")
        trace.client_sent(b"MAKE_MOVE|ox|c1|c2\n")
        trace.host_sent(b"MOVE_WAS_MADE|ox|c1|c2\n")
        trace.client_sent(b"MAKE_MOVE|boar|c2|c3\n")
        _, *shown_lines = shown("docs/extras/check/trace.rst", "gamehost trace").lines
        times = [re.sub(r"^\S+", "12:00:03.120", line) for line in shown_lines]
        self.assertEqual(times, [line.as_text() for line in lines[2:]])

    def test_members_of_a_cluster(self) -> None:
        _, *members, people, relays = shown("docs/extras/cluster/cluster.rst", "$ gamehost admin --admin").lines
        for line in members:
            epoch, name, address, *notes = re.split(r"  +", line)
            facts = {"epoch": epoch, "name": name, "address": address, "this": notes == ["(this member)"]}
            self.assertEqual(list(admin_command.member_line(facts)), [line])
        facts = {"people": 40, "tables": 18, "tables_asleep": 2, "relays_out": 11, "relays_in": 9}
        self.assertEqual(list(admin_command.own_lines(facts)), [people, relays])

    def test_notation(self) -> None:
        text = shown("docs/games/paper-soccer.rst", "0,0 1,1").text
        game = GAMES["paper-soccer"]
        self.assertEqual(game.write(game.read(text.encode())).decode(), text)

    def test_the_log(self) -> None:
        players, others = (
            shown("docs/hosting.rst", "...#info] log-in: "),
            shown("docs/hosting.rst", "...#info] onitama: "),
        )
        lines = logged(self)
        host = MemoryHost(DEAL)
        ann, bob = (host.connect("onitama", "127.0.0.1") for _ in range(2))
        ann.say("LOGIN|ann")
        bob.say("LOGIN|bob")
        ann.drop()
        host.connect("onitama", "127.0.0.1").say("LOGIN|ann")
        bob.say("RESIGN")
        visitors = [host.connect("onitama", "192.0.2.7") for _ in range(Limits().new_burst + 1)]
        for password in ("secret", "wrong"):
            host.connect("stratego-lines", "192.0.2.8").say("zoe", password)
        visitors[0].say("LOGIN|eve", *["X"] * 1000)
        self.same(players, "\n".join("...#info] " + line for line in lines.of(LogLevel.info)))
        self.same(others, "\n".join("...#info] " + line for line in lines.of(LogLevel.info)))
